//! `findings`: the review's findings, one row each.

use codex_loop::report::findings::{self, Findings, Selection};

use crate::cli::{self, Global};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::output::Output;
use crate::source;

pub fn run(global: &Global, arguments: &cli::deciding::Findings) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Findings>()?;
    // The headline reads more than the findings do.
    let need = if arguments.ending.exit_code {
        Need::STATUS
    } else {
        Need::RUN
    };
    let evidence = source::evidence(global, arguments.pull.pull.as_ref(), need)?;
    let options = global.options();
    let run = super::classified(&evidence, &options)?;
    let selection = Selection {
        all: arguments.all,
        priorities: arguments.priority.iter().map(|word| word.0).collect(),
    };
    let document = findings::document(&run, &selection);
    output.document(&document, |look| findings::text(&document, look))?;
    Ok(arguments.ending.of(&run))
}
