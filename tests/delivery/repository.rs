//! The repository as it is handed out: generated files, README, releases.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use super::{checkout, program};
use crate::github::{Github, World};
use crate::product::{Product, Run};

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
    for folder in ["man", "completions", "docs", "gh-extension/skill"] {
        copy_folder(&checkout().join(folder), &copy.join(folder));
    }
    fs::copy(checkout().join("README.md"), copy.join("README.md")).expect("README.md is copied");
    let check = || product.command(&["generate", "--check"]).cwd(&copy).run();
    check().expect(0);
    fs::write(copy.join("man/gh-codex-loop.1"), "old").expect("writes");
    fs::remove_file(copy.join("completions/gh-codex-loop.fish")).expect("removes");
    fs::write(copy.join("man/gh-codex-loop-gone.1"), "a command that is gone").expect("writes");
    for (name, before, after) in [
        ("docs/status.svg", "findings", "clean"),
        ("gh-extension/skill/SKILL.md", "| 15 |", "| 16 |"),
        ("README.md", "Codex gate: approved", "Codex gate: perhaps"),
    ] {
        let text = fs::read_to_string(copy.join(name)).expect("reads");
        fs::write(copy.join(name), text.replace(before, after)).expect("writes");
    }
    let run = check().expect(1);
    for name in [
        "man/gh-codex-loop.1",
        "completions/gh-codex-loop.fish",
        "man/gh-codex-loop-gone.1",
        "docs/status.svg",
        "gh-extension/skill/SKILL.md",
        "README.md",
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

/// A release made by the build script, which gh then installs.
#[test]
fn what_the_build_script_makes_installs_as_a_release() {
    let folder = tempfile::tempdir().expect("a folder");
    let tag = format!("v{}", env!("CARGO_PKG_VERSION"));
    let built = build(folder.path(), &tag);
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let mut assets: Vec<(String, Vec<u8>)> = fs::read_dir(folder.path())
        .expect("a list")
        .flatten()
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("an asset"))
        })
        .collect();
    let architecture = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "amd64"
    };
    let own = format!("gh-codex-loop_{tag}_linux-{architecture}");
    assert_eq!(assets.len(), 1);
    assert_eq!(assets[0].0, own);
    // Called again with only this one there, as the job that publishes does, it names what is missing.
    let incomplete = build(folder.path(), &tag);
    assert!(!incomplete.status.success());
    for other in [
        "linux-amd64",
        "linux-arm64",
        "darwin-amd64",
        "darwin-arm64",
        "windows-amd64.exe",
    ] {
        let name = format!("gh-codex-loop_{tag}_{other}");
        if name != own {
            fs::write(folder.path().join(&name), "of another machine").expect("writes");
            assets.push((name, b"of another machine".to_vec()));
        }
    }
    assert!(build(folder.path(), &tag).status.success(), "all are there");

    let mut world = World::new();
    let listed: Vec<(&str, &[u8])> = assets
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    world.release("octo", "gh-codex-loop", &tag, &listed);
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
    let run = product.gh(&["codex-loop", "status", "--demo"]).run().expect(0);
    assert!(run.stdout.contains("findings"), "{run}");
}

/// Runs the build script on the program under test, so that nothing is compiled again.
fn build(folder: &Path, tag: &str) -> std::process::Output {
    std::process::Command::new(checkout().join("gh-extension/build"))
        .arg(tag)
        .env("PROGRAM", program())
        .env("DIST", folder)
        .output()
        .unwrap_or_else(|error| panic!("cannot run the build script: {error}"))
}

#[test]
fn a_tag_that_does_not_fit_the_version_builds_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    for tag in ["1.0.0", "v999.0.0", "main"] {
        assert!(!build(folder.path(), tag).status.success(), "{tag}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a list").count(), 0);
}

/// Installs from a checkout whose folder has this name, with the executable that the tests run.
fn install_from(product: &Product, folder: &str) -> Run {
    let checkout_of_that_name = product.path(folder);
    if fs::symlink_metadata(&checkout_of_that_name).is_err() {
        symlink(checkout(), &checkout_of_that_name).expect("links");
    }
    product
        .program(&checkout_of_that_name.join("gh-extension/install"), &[])
        .env("PROGRAM", program())
        .env("CARGO_TARGET_DIR", product.path(&format!("tmp/{folder}-target")))
        .run()
}

#[test]
fn a_checkout_of_any_folder_name_installs_again_and_again() {
    let github = Github::start(World::new());
    let product = Product::new(&github).logged_out();
    let version = format!("gh-codex-loop {}\n", env!("CARGO_PKG_VERSION"));
    let shown = || product.gh(&["codex-loop", "--version"]).run().expect(0).stdout;

    let run = install_from(&product, "my fork").expect(0);
    assert!(run.stdout.contains("gh codex-loop status --demo"), "{run}");
    assert_eq!(shown(), version);
    let run = install_from(&product, "my fork").expect(0);
    assert!(run.stdout.contains("up to date"), "{run}");
    assert_eq!(shown(), version);
    // Another checkout takes its place, also when the first is gone.
    fs::remove_dir_all(product.path("tmp/my fork-target")).expect("removes");
    install_from(&product, "another").expect(0);
    assert_eq!(shown(), version);
    let listed = product
        .gh(&["extension", "list"])
        .env("GH_TOKEN", "any")
        .run()
        .expect(0);
    assert_eq!(listed.stdout.lines().count(), 1, "{listed}");
}

#[test]
fn an_installed_release_is_never_overwritten_by_a_checkout() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let folder = product.path("data/gh/extensions/gh-codex-loop");
    fs::create_dir_all(&folder).expect("makes");
    fs::write(folder.join("gh-codex-loop"), "the release").expect("writes");
    let run = install_from(&product, "checkout").expect(1);
    assert!(run.stderr.contains("gh extension remove codex-loop"), "{run}");
    assert_eq!(
        fs::read_to_string(folder.join("gh-codex-loop")).ok().as_deref(),
        Some("the release")
    );
}

/// A clone that is named as gh wants it is installed as it is: gh starts the launcher at its root.
#[test]
fn a_clone_of_the_right_name_needs_no_installer() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let clone = product.path("tmp/gh-codex-loop");
    fs::create_dir_all(clone.join("target/release")).expect("makes");
    fs::copy(checkout().join("gh-codex-loop"), clone.join("gh-codex-loop")).expect("copies");
    let install = product.gh(&["extension", "install", "."]).cwd(&clone);
    let _ = install.run().expect(0);
    let run = product.gh(&["codex-loop", "--version"]).run().expect(1);
    assert!(run.stderr.contains("cargo build --release"), "{run}");
    symlink(program(), clone.join("target/release/gh-codex-loop")).expect("links");
    let run = product
        .gh(&["codex-loop", "status", "--demo", "clean"])
        .run()
        .expect(0);
    assert!(run.stdout.contains("clean"), "{run}");
}
