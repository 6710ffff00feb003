//! The repository as it is handed out: generated files, README, releases.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::{checkout, program};
use crate::github::{Github, World};
use crate::product::Product;

#[test]
fn generated_files_are_up_to_date() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    product
        .command(&["generate", "--check"])
        .cwd(checkout())
        .run()
        .expect(0);
}

#[test]
fn stale_missing_and_foreign_files_are_named_and_one_command_rewrites_them() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let copy = product.path("tmp/copy");
    for folder in ["man", "completions"] {
        copy_folder(&checkout().join(folder), &copy.join(folder));
    }
    fs::copy(checkout().join("README.md"), copy.join("README.md")).expect("README.md is copied");
    let check = || product.command(&["generate", "--check"]).cwd(&copy).run();
    check().expect(0);
    fs::write(copy.join("man/gh-codex-loop.1"), "old").expect("writes");
    fs::remove_file(copy.join("completions/gh-codex-loop.fish")).expect("removes");
    fs::write(copy.join("man/gh-codex-loop-gone.1"), "a command that is gone").expect("writes");
    let run = check().expect(1);
    for name in [
        "man/gh-codex-loop.1",
        "completions/gh-codex-loop.fish",
        "man/gh-codex-loop-gone.1",
    ] {
        assert!(run.stderr.contains(name), "{run}");
    }
    product.command(&["generate"]).cwd(&copy).run().expect(0);
    check().expect(0);
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|error| panic!("cannot make {to:?}: {error}"));
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let to = to.join(entry.file_name());
        fs::copy(entry.path(), &to).unwrap_or_else(|error| panic!("cannot copy {to:?}: {error}"));
    }
}

/// A release made of the program under test, under the names that the build script gives its assets.
#[test]
fn a_release_installs_and_runs() {
    let (own, other) = if cfg!(target_arch = "aarch64") {
        ("arm64", "amd64")
    } else {
        ("amd64", "arm64")
    };
    let bytes = fs::read(program()).unwrap_or_else(|error| panic!("cannot read the program: {error}"));
    let mut world = World::new();
    world.release(
        "octo",
        "gh-codex-loop",
        "v0.1.0",
        &[
            (&format!("gh-codex-loop_v0.1.0_darwin-{own}"), b"for macOS"),
            (
                &format!("gh-codex-loop_v0.1.0_linux-{other}"),
                b"for another processor",
            ),
            (&format!("gh-codex-loop_v0.1.0_linux-{own}"), &bytes),
            ("gh-codex-loop_v0.1.0_windows-amd64.exe", b"for Windows"),
        ],
    );
    let github = Github::start(world);
    let product = Product::new(&github);
    product
        .gh(&["extension", "install", "octo/gh-codex-loop"])
        .within(Duration::from_secs(60))
        .run()
        .expect(0);
    let run = product.gh(&["codex-loop", "--version"]).run().expect(0);
    assert_eq!(
        run.stdout,
        format!("gh-codex-loop {}\n", env!("CARGO_PKG_VERSION"))
    );
    let run = product
        .gh(&["codex-loop", "classify", "--demo", "clean"])
        .run()
        .expect(0);
    assert!(run.stdout.starts_with("clean"), "{run}");
}
