//! The thin half of `gh codex-loop`: arguments, processes, files, clock, terminal.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]
#![cfg_attr(fuzzing, no_main, allow(dead_code))]

mod cli;
mod clock;
mod closed;
mod commands;
mod completion;
mod confirm;
mod documents;
mod error;
mod exit_code;
mod filter;
mod gh;
mod git;
mod handled_file;
mod interrupt;
mod journal;
mod manual;
mod output;
mod picture;
mod selector;
mod source;
mod suggestion;
mod target;

use std::process::ExitCode;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gh::fuzzed::check(data));

fn main() -> ExitCode {
    let json = cli::wants_json(std::env::args_os());
    interrupt::listen(json);
    let outcome = cli::parse(json).and_then(|cli| commands::run(&cli));
    outcome.unwrap_or_else(|error| error::report(&error, json)).into()
}
