//! One module a verb: collect, decide, print, exit code.

mod collect;
mod evaluate;

use crate::cli::{Cli, Command};
use crate::error::Error;
use crate::exit_code::ExitCode;

/// Runs one command to its exit code.
pub fn run(cli: &Cli) -> Result<ExitCode, Error> {
    let global = &cli.global;
    match &cli.command {
        Command::Collect(arguments) => collect::run(global, arguments),
        Command::Evaluate(arguments) => evaluate::run(global, arguments),
    }
}
