//! `status`: headline, run, gate, findings, checks and next action.

use codex_loop::evidence::Evidence;
use codex_loop::gate::{Gate, GateOptions};
use codex_loop::options::Options;
use codex_loop::report::status::{self, Status};
use codex_loop::run::StateWord;
use codex_loop::verdict::Verdict;

use crate::cli::{self, Global};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::output::Output;
use crate::source;

pub fn run(global: &Global, arguments: &cli::gating::Status) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Status>()?;
    let evidence = source::evidence(global, arguments.pull.pull.as_ref(), Need::STATUS)?;
    super::stable(&evidence)?;
    let options = global.options();
    let (document, verdict) = document(&evidence, &options)?;
    output.document(&document, |look| status::text(&document, look))?;
    Ok(arguments.ending.with(verdict))
}

/// What the command says of this evidence, and the state of its headline.
pub fn document(evidence: &Evidence, options: &Options) -> Result<(Status, StateWord), Error> {
    let run = super::classified(evidence, options)?;
    let gate = Gate::of(&run, &GateOptions::default());
    let verdict = Verdict::of(&run, &gate);
    Ok((status::document(&run, &gate, &verdict), verdict.state))
}
