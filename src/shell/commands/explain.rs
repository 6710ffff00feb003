//! `explain`: every piece of evidence, used or rejected, and why.

use codex_loop::report::explain::{self, Explanation};

use crate::cli::Global;
use crate::cli::deciding::Explain;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::output::Output;
use crate::source;

pub fn run(global: &Global, arguments: &Explain) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Explanation>()?;
    let evidence = source::evidence(global, arguments.pull.pull.as_ref(), Need::STATUS)?;
    let options = global.options();
    let run = super::classified(&evidence, &options)?;
    let document = explain::document(&run);
    output.document(&document, |look| explain::text(&document, look))?;
    Ok(arguments.ending.of(&run))
}
