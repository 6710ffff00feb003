//! The corpus of every fuzz target, replayed: what was found once does not come back. And what stands near it: every
//! example with a few bytes, tokens or pieces changed, the same ones in every run.
//!
//! `FUZZ_ROUNDS=500 cargo test --test integration fuzzed` looks further around without nightly. The target for gh's
//! output is part of the binary and replays its corpus in its own tests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

#[path = "../../fuzz/src/lib.rs"]
mod entries;

/// The examples of a target, by name.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut examples: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(&path).expect("a file"))
        })
        .collect();
    examples.sort();
    assert!(examples.len() >= 4, "{target} has too few examples");
    examples
}

#[test]
fn the_corpus_is_read_without_a_complaint() {
    for (target, check) in entries::ENTRIES {
        for (name, example) in corpus(target) {
            // The name of the input stands above the complaint.
            eprintln!("{target}/{name}");
            check(&example);
        }
    }
}

/// Pieces that mean something somewhere.
const TOKENS: [&str; 40] = [
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "null",
    "true",
    "-1",
    "0",
    "18446744073709551615",
    "1e9",
    "\"\"",
    "{}",
    "[]",
    "```",
    "~~~",
    "<!--",
    "-->",
    "<details>",
    "</details>",
    "> ",
    "\n\n",
    "\r\n",
    "@codex review",
    "**Reviewed commit:** `aaaaaaaaaa`",
    "![P0 Badge](x)",
    "no issues",
    "but",
    "2026-10-01T10:05:00Z",
    "not-collected",
    "\"incomplete\"",
    "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd",
    "\u{1b}[31m",
    "\u{202e}",
    "é",
    "\u{0}",
    "|",
];

/// The numbers of Knuth's generator: the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }
}

/// The example with one to four changes; `other` gives pieces to splice in.
fn changed(example: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = example.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(bytes.len() + 1);
        let end = (at + 1 + numbers.below(24)).min(bytes.len());
        match numbers.below(7) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << numbers.below(8);
                }
            }
            1 => drop(bytes.drain(at.min(end)..end)),
            2 => {
                let piece = bytes[at.min(end)..end].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            3 | 4 => {
                let token = TOKENS[numbers.below(TOKENS.len())].bytes();
                let until = at + numbers.below(3).min(end.saturating_sub(at));
                drop(bytes.splice(at..until, token));
            }
            5 => {
                let from = numbers.below(other.len() + 1);
                let to = (from + numbers.below(60)).min(other.len());
                drop(bytes.splice(at..at, other[from..to].iter().copied()));
            }
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes
}

#[test]
fn what_stands_near_the_corpus_is_read_without_a_complaint() {
    let rounds: usize = std::env::var("FUZZ_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(6);
    let mut numbers = Numbers(8);
    let mut complaints = Vec::new();
    for (target, check) in entries::ENTRIES {
        let examples = corpus(target);
        for round in 0..rounds {
            for (name, example) in &examples {
                let (_, other) = &examples[numbers.below(examples.len())];
                let input = changed(example, other, &mut numbers);
                if catch_unwind(AssertUnwindSafe(|| check(&input))).is_err() {
                    // The reason stands in the output; the input goes where it can be replayed.
                    let shown = String::from_utf8_lossy(&input).into_owned();
                    complaints.push(format!("{target}/{name} in round {round}: {shown:?}"));
                }
            }
        }
    }
    assert!(
        complaints.is_empty(),
        "{} complaints: {complaints:#?}",
        complaints.len()
    );
}

/// The target for gh's output is the binary itself: what that needs, the fuzz targets need.
#[test]
fn the_fuzz_targets_have_every_dependency_of_the_binary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lines = |file: &str| -> Vec<String> {
        let text = std::fs::read_to_string(root.join(file)).expect("a manifest");
        let sections = text.split("\n[").filter(|section| {
            section.starts_with("dependencies]") || section.starts_with("target.'cfg(unix)'.dependencies]")
        });
        let lines = sections.flat_map(|section| section.lines().skip(1));
        lines
            .filter(|line| line.contains(" = "))
            .map(str::to_owned)
            .collect()
    };
    let (ours, theirs) = (lines("Cargo.toml"), lines("fuzz/Cargo.toml"));
    assert!(ours.len() > 10, "{ours:?}");
    let missing: Vec<&String> = ours.iter().filter(|line| !theirs.contains(line)).collect();
    assert!(missing.is_empty(), "fuzz/Cargo.toml lacks {missing:?}");
}
