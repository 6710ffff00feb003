//! The pure half of `gh codex-loop`: values in, values out.
//!
//! Nothing here reads a clock, a file, the environment or the network, starts a process or prints; `clippy.toml`
//! lists what is barred and the lints below enforce it. The shell collects [`evidence`], this library decides.
#![deny(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::dbg_macro,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]
#![warn(missing_docs)]

pub mod authorization;
pub mod bot;
pub mod bounded;
pub mod checks;
pub mod convergence;
pub mod document;
pub mod evidence;
pub mod finding;
pub mod gate;
pub mod head;
pub mod journal;
pub mod lineage;
pub mod options;
pub mod preflight;
#[cfg(test)]
mod properties;
pub mod reading;
pub mod reason;
pub mod redact;
pub mod report;
pub mod run;
pub mod sensor;
pub mod thread;
pub mod verdict;
pub mod wanted;
pub mod watch;
