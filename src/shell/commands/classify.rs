//! `classify`: the state of the review run.

use codex_loop::report::classification::{self, Classification};

use crate::cli::Global;
use crate::cli::deciding::Classify;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::output::Output;
use crate::source;

pub fn run(global: &Global, arguments: &Classify) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Classification>()?;
    let evidence = source::evidence(global, arguments.pull.pull.as_ref(), Need::RUN)?;
    let options = global.options();
    let run = super::classified(&evidence, &options)?;
    let document = classification::document(&run);
    output.document(&document, |look| classification::text(&document, look))?;
    Ok(run.state.word().into())
}
