//! The thin half of `gh codex-loop`: arguments, processes, files, clock, terminal.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

fn main() {}
