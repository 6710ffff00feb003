//! Feeds the extension's own reading of gh's output: its modules stand here as they stand in its binary.
#![no_main]
#![allow(dead_code, clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "../../src/shell/cli.rs"]
mod cli;
#[path = "../../src/shell/clock.rs"]
mod clock;
#[path = "../../src/shell/commands.rs"]
mod commands;
#[path = "../../src/shell/completion.rs"]
mod completion;
#[path = "../../src/shell/confirm.rs"]
mod confirm;
#[path = "../../src/shell/documents.rs"]
mod documents;
#[path = "../../src/shell/error.rs"]
mod error;
#[path = "../../src/shell/exit_code.rs"]
mod exit_code;
#[path = "../../src/shell/filter.rs"]
mod filter;
#[path = "../../src/shell/gh.rs"]
mod gh;
#[path = "../../src/shell/git.rs"]
mod git;
#[path = "../../src/shell/handled_file.rs"]
mod handled_file;
#[path = "../../src/shell/interrupt.rs"]
mod interrupt;
#[path = "../../src/shell/journal.rs"]
mod journal;
#[path = "../../src/shell/manual.rs"]
mod manual;
#[path = "../../src/shell/output.rs"]
mod output;
#[path = "../../src/shell/selector.rs"]
mod selector;
#[path = "../../src/shell/source.rs"]
mod source;
#[path = "../../src/shell/target.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| gh::fuzzed::check(data));
