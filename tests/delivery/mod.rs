//! What is delivered around the program: completions in real shells, the manual, guides, documents, generated files, releases.

mod action;
mod completions;
mod documents;
mod guides;
mod manual;
mod repository;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::github::{World, ada, announcement, at, connector, finding};
use crate::product::Product;

/// The program under test.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_gh-codex-loop"))
}

/// The checkout under test.
fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Makes `gh codex-loop` start the program under test, as an extension installed from a folder.
fn install(product: &Product) {
    let folder = product.path("data/gh/extensions/gh-codex-loop");
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("cannot make {folder:?}: {error}"));
    symlink(program(), folder.join("gh-codex-loop")).unwrap_or_else(|error| panic!("cannot link: {error}"));
}

/// Writes a file of the test and gives its path.
fn file(product: &Product, name: &str, text: &str) -> PathBuf {
    let path = product.path(name);
    fs::write(&path, text).unwrap_or_else(|error| panic!("cannot write {path:?}: {error}"));
    path
}

/// Two open pull requests; on number 42 the connector left two findings, of which one is resolved.
fn reviewed() -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    pull.pull().title = "Keep the cache \u{202e}lock".to_owned();
    let head = pull.head();
    pull.person_comment("@codex review", at("10:00"));
    let review = pull.review(connector(), "COMMENTED", &announcement(&head), &head, at("10:04"));
    pull.thread_in(review, "src/cache.rs", 88, &finding("P1", "Hold the lock"));
    let resolved = pull.thread_in(review, "src/cache.rs", 99, &finding("P2", "Count once"));
    pull.resolve(resolved);
    // The examples of the manual name it.
    let named = pull.person_comment("Thanks, looking into it", at("10:06"));
    pull.comment_mut(named).id = 123;
    pull.thread(ada(), &head, "src/cache.rs", 1, "Nice", at("10:05"));
    world.pull(7).pull().title = "Rename widgets".to_owned();
    world
}
