//! `gate`: may this head be merged.

use codex_loop::gate::{Gate, GateEnd};
use codex_loop::report::gate::{self, GateDocument};

use crate::cli::{self, Global};
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::output::Output;
use crate::source;

pub fn run(global: &Global, arguments: &cli::gating::Gate) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<GateDocument>()?;
    let evidence = source::evidence(global, arguments.pull.pull.as_ref(), Need::GATE)?;
    super::stable(&evidence)?;
    let options = global.options();
    let choices = arguments.choices.options(arguments.override_reason.clone());
    let run = super::classified(&evidence, &options)?;
    let gate = Gate::of(&run, &choices);
    decided(&gate)?;
    let document = gate::document(&run, &gate, &choices);
    output.document(&document, |look| gate::text(&document, look))?;
    if output.is_text() {
        for note in gate::notes(&document, &output.look()) {
            eprintln!("{note}");
        }
    }
    Ok(gate.end(document.context.mergeable.as_deref()).into())
}

/// An incomplete reading is no answer, unless something else blocks all the same.
fn decided(gate: &Gate) -> Result<(), Error> {
    let Some(gaps) = gate.undecided() else {
        return Ok(());
    };
    let messages: Vec<&str> = gaps.iter().map(|gap| gap.message.as_str()).collect();
    Err(Error::new(
        ErrorKind::Incomplete,
        format!("The gate cannot be decided: {}", messages.join(" ")),
        "Run the command again; nothing is asserted about the pull request.",
    ))
}

impl From<GateEnd> for ExitCode {
    fn from(end: GateEnd) -> Self {
        match end {
            GateEnd::Allowed => Self::Holds,
            GateEnd::Pending => Self::Pending,
            GateEnd::Work => Self::Work,
        }
    }
}
