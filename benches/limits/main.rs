//! Every figure that this product promises, measured in one run and printed beside its limit; ends with 1 when a limit
//! is broken.
//!
//! `cargo bench` measures everything, `cargo bench -- evaluation` one group: `evaluation`, `texts`, `program`,
//! `collection`, `comparison`. The machine should be quiet: figures of the product's own work are processor time and
//! the least of several runs, but figures of waiting can only be taken from a clock.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "benchmarks start processes, read files and look at the clock"
)]

mod bundle;
mod collection;
mod comparison;
mod evaluation;
mod figure;
#[path = "../../tests/github/mod.rs"]
mod github;
mod measured;
#[path = "../../tests/product/mod.rs"]
mod product;
mod program;
mod scene;
mod texts;

use std::process::ExitCode;

use figure::Report;

/// A group of figures: its name on the command line, and what measures it.
type Group = (&'static str, fn(&mut Report));

/// Memory first, while this process is small: a started process begins with the peak of the one that starts it.
const GROUPS: [Group; 5] = [
    ("program", program::measure),
    ("evaluation", evaluation::measure),
    ("texts", texts::measure),
    ("collection", collection::measure),
    ("comparison", comparison::measure),
];

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let words: Vec<_> = arguments.by_ref().collect();
    if let Some((first, program)) = words.split_first()
        && first == measured::WORD
    {
        return measured::child(program);
    }
    // cargo itself adds `--bench`.
    let chosen: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .filter(|word| !word.starts_with("--"))
        .collect();
    if let Some(unknown) = chosen
        .iter()
        .find(|word| GROUPS.iter().all(|(name, _)| name != word))
    {
        let names: Vec<_> = GROUPS.iter().map(|(name, _)| *name).collect();
        eprintln!("There is no group `{unknown}`; there are {}.", names.join(", "));
        return ExitCode::from(2);
    }
    let mut report = Report::default();
    for (name, measure) in GROUPS {
        if chosen.is_empty() || chosen.iter().any(|word| word == name) {
            println!("== {name}");
            measure(&mut report);
        }
    }
    report.end()
}
