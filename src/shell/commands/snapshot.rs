//! `snapshot`: the stable sensor's document, or nothing at all.

use codex_loop::evidence::surface::SurfaceErrorKind;
use codex_loop::run::Run;
use codex_loop::sensor::surfaces::{self, Gap};
use codex_loop::sensor::{self, Sensor, Settings};

use crate::cli::Global;
use crate::cli::sensor::Snapshot;
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::output::Output;
use crate::source;

pub fn run(global: &Global, arguments: &Snapshot) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<sensor::Snapshot>()?;
    let settings = arguments.sensor.settings();
    let rules = settings.required_checks.is_empty();
    let need = if arguments.ending.exit_code {
        // The headline is decided by the merge gate, too.
        Need::convergence(rules)
    } else {
        Need::snapshot(rules)
    };
    let evidence = source::evidence(global, arguments.pull.pull.as_ref(), need)?;
    let options = global.options();
    let run = super::classified(&evidence, &options)?;
    let sensor = observed(&run, &settings)?;
    output.json(&sensor.snapshot)?;
    Ok(arguments.ending.of(&run))
}

/// What the sensor sees, when the evidence is whole.
pub fn observed<'r, 'e>(run: &'r Run<'e>, settings: &Settings) -> Result<Sensor<'r, 'e>, Error> {
    match surfaces::gap(&run.reading, settings) {
        None => Ok(Sensor::of(run, settings)),
        Some(gap) => Err(refused(&gap, run.reading.evidence.pull_request)),
    }
}

fn refused(gap: &Gap, number: u64) -> Error {
    let again = "Run it again; the gh calls are shown by -v.";
    match gap {
        Gap::Changed { what } => Error::new(
            ErrorKind::Unstable,
            format!("Pull request {number} changed during collection: {what}. Nothing is emitted."),
            "Run it again when the pull request is quiet.",
        ),
        Gap::Surface { name, error: None } => Error::new(
            ErrorKind::Incomplete,
            format!("The surface {name} was not collected, so there is no snapshot."),
            "A bundle for it is written by `gh codex-loop collect PR -o FILE`.",
        ),
        Gap::Surface {
            name,
            error: Some(error),
        } => {
            let hint = if *name == "mergeGates" {
                "Name the required checks yourself: --required-check NAME."
            } else if error.kind == SurfaceErrorKind::Timeout {
                "Run it again, or allow more with --gh-timeout SECONDS."
            } else {
                again
            };
            Error::new(
                kind(error.kind),
                format!(
                    "The surface {name} was not read to its end, so there is no snapshot: {}",
                    error.message
                ),
                hint,
            )
        }
        Gap::Malformed { name, cause } => Error::new(
            ErrorKind::Incomplete,
            format!("There is no snapshot, since {name} cannot be placed: {cause}."),
            again,
        ),
    }
}

fn kind(kind: SurfaceErrorKind) -> ErrorKind {
    match kind {
        SurfaceErrorKind::Auth => ErrorKind::AuthRefused,
        SurfaceErrorKind::NotFound => ErrorKind::NotFound,
        SurfaceErrorKind::RateLimited => ErrorKind::RateLimited,
        SurfaceErrorKind::Network => ErrorKind::Network,
        SurfaceErrorKind::Timeout => ErrorKind::Timeout,
        SurfaceErrorKind::GhFailed => ErrorKind::GhFailed,
        SurfaceErrorKind::Incomplete => ErrorKind::Incomplete,
    }
}
