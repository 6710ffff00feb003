//! The manual pages: what they contain, and that every example in them runs.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::{checkout, file, install, reviewed};
use crate::evaluation;
use crate::github::Github;
use crate::product::Product;

/// Name and source of every committed page.
fn pages() -> Vec<(String, String)> {
    let folder = checkout().join("man");
    let mut pages: Vec<(String, String)> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("cannot list {folder:?}: {error}"))
        .flatten()
        .map(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            (entry.file_name().to_string_lossy().into_owned(), text)
        })
        .collect();
    pages.sort();
    pages
}

/// The examples of a page, as a reader would copy them.
fn examples(page: &str) -> Vec<String> {
    let Some((_, section)) = page.split_once("\n.SH EXAMPLES\n") else {
        return Vec::new();
    };
    let section = section.split("\n.SH ").next().unwrap_or_default();
    // A backslash at the end of a source line continues it; two are one that is shown.
    let plain = section
        .replace("\\\\", "\0")
        .replace("\\\n", "")
        .replace("\\-", "-")
        .replace("\\*(Aq", "'")
        .replace("\\&", "")
        .replace('\0', "\\");
    let mut examples: Vec<String> = Vec::new();
    for line in plain.lines() {
        match examples.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.push('\n');
                last.push_str(line);
            }
            _ if line.starts_with("gh codex-loop") => examples.push(line.to_owned()),
            _ => {}
        }
    }
    examples
}

#[test]
fn every_page_has_its_sections() {
    let pages = pages();
    assert!(pages.len() > 10, "{pages:?}");
    for (name, page) in pages {
        for section in [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "OPTIONS",
            "EXIT STATUS",
            "EXAMPLES",
            "SEE ALSO",
        ] {
            let heading = if section.contains(' ') {
                format!("\n.SH \"{section}\"\n")
            } else {
                format!("\n.SH {section}\n")
            };
            assert!(page.contains(&heading), "{name} has no {section}");
        }
        assert!(!examples(&page).is_empty(), "{name} has no example to run");
    }
}

/// Exit codes of a page's own section.
fn documented_codes(page: &str) -> Vec<i32> {
    let section = page
        .split_once("\n.SH \"EXIT STATUS\"\n")
        .map_or("", |(_, rest)| rest);
    section
        .split("\n.SH ")
        .next()
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.strip_prefix("\\fB")?.strip_suffix("\\fR")?.parse().ok())
        .collect()
}

/// The situation that the examples of a page take as given.
fn scene(page: &str) -> (Github, Product) {
    if page != "gh-codex-loop-evaluate.1" {
        let github = Github::start(reviewed());
        let product = Product::new(&github);
        product.check_out("topic-42");
        product.run(&["collect", "42", "-o", "evidence.json"]).expect(0);
        file(&product, "work/answer.md", "The caller holds the lock.");
        return (github, product);
    }
    let (world, request) = evaluation::requested();
    let github = Github::start(world);
    let product = Product::new(&github);
    let recorded = evaluation::recorded(&github, request, 0);
    let checkpoint = evaluation::checkpoint(&product, "autonomous", &recorded);
    file(&product, "work/checkpoint.json", &checkpoint.to_string());
    (github, product)
}

/// Each example runs as it stands, in a clone of a repository whose pull request 42 was reviewed, and ends with a code
/// of its page that says neither that it is wrong nor that nothing could be found out.
#[test]
fn every_example_runs() {
    for (name, page) in pages() {
        let (github, product) = scene(&name);
        install(&product);
        let head = github.change(|world| world.pull(42).head());
        let codes = documented_codes(&page);
        for example in examples(&page) {
            // What only a reader can fill in.
            let example = example
                .replace("HEAD_SHA", &head)
                .replace("SHA256", &"0".repeat(64));
            let run = product
                .program(Path::new("bash"), &["-o", "pipefail", "-c", &example])
                .within(Duration::from_secs(60))
                .run();
            let code = run.code.unwrap_or(-1);
            assert!(codes.contains(&code), "{name}: {example}: {run}");
            assert!(!matches!(code, 1 | 2), "{name}: {example}: {run}");
        }
    }
}

#[test]
fn a_page_is_shown_printed_and_installed() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    let run = product.run(&["man", "classify"]).expect(0);
    assert!(
        run.stdout.contains("EXIT STATUS") && run.stdout.contains("GH_REPO"),
        "{run}"
    );
    let committed = fs::read_to_string(checkout().join("man/gh-codex-loop-classify.1")).unwrap_or_default();
    for name in ["classify", "gh-codex-loop-classify", "gh-codex-loop-classify.1"] {
        assert_eq!(product.run(&["man", name, "--roff"]).expect(0).stdout, committed);
    }
    for (typed, meant) in [
        ("clasify", "`classify`"),
        ("gh-codex-loop-clasify", "`gh-codex-loop-classify`"),
    ] {
        let run = product.run(&["man", typed]).expect(2);
        assert!(run.stderr.contains(&format!("Did you mean {meant}?")), "{run}");
    }
    product.run(&["man", "--install"]).expect(0);
    let run = product
        .program(Path::new("man"), &["gh-codex-loop-classify"])
        .env("MANPATH", product.path("data/man"))
        .run()
        .expect(0);
    assert!(run.stdout.contains("EXIT STATUS"), "{run}");
}

#[test]
fn without_a_reader_the_help_is_shown() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    let run = product
        .command(&["man", "classify"])
        .env("PATH", "/nonexistent")
        .run()
        .expect(0);
    assert!(run.stdout.contains("Usage: gh codex-loop classify"), "{run}");
}
