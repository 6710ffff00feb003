//! `preflight`: may a trigger be posted now.

use codex_loop::preflight::{Ask, Verdict, preflight};
use codex_loop::report::preflight::{self as report, Document};

use crate::cli::Global;
use crate::cli::writing::Preflight;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::output::Output;
use crate::source;

pub fn run(global: &Global, arguments: &Preflight) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Document>()?;
    let evidence = source::evidence(global, arguments.pull.pull.as_ref(), Need::WRITE)?;
    let options = global.options();
    let run = super::classified(&evidence, &options)?;
    let kind = arguments.purpose.into();
    let found = preflight(&run, kind, &Ask::default());
    let document = report::document(&run, kind, &found);
    output.document(&document, |look| report::text(&document, look))?;
    Ok(match found.verdict() {
        Verdict::Allowed => ExitCode::Holds,
        Verdict::Refused => ExitCode::Refused,
        Verdict::Unknown => ExitCode::Indeterminate,
    })
}
