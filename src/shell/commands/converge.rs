//! `converge`: the one next tick of the review loop. It performs nothing.

use std::io::Read;
use std::path::Path;

use codex_loop::convergence::{Acknowledgements, Action, Inputs, tick};
use codex_loop::evidence::Evidence;
use codex_loop::evidence::observed::rfc3339;
use codex_loop::gate::{Gate, GateOptions};
use codex_loop::reason::NextAction;
use codex_loop::report::Header;
use codex_loop::report::convergence::{self, CONVERGENCE_SCHEMA, Convergence, PreviousDocument};

use super::snapshot::observed;
use crate::cli::Global;
use crate::cli::sensor::Converge;
use crate::error::{Error, ErrorKind, named_file};
use crate::exit_code::ExitCode;
use crate::gh::collect::{Known, Need};
use crate::output::Output;
use crate::selector::Place;
use crate::source::{self, Live};
use crate::{clock, git, handled_file, target};

/// No convergence document is as large as this.
const MAX_BYTES: u64 = 64 << 20;

pub fn run(global: &Global, arguments: &Converge) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Convergence>()?;
    let previous = arguments.previous.as_deref().map(previous).transpose()?;
    let document = decided(global, arguments, previous.as_ref())?;
    output.document(&document, |look| convergence::text(&document, look))?;
    Ok(document.action.into())
}

fn decided(
    global: &Global,
    arguments: &Converge,
    previous: Option<&PreviousDocument>,
) -> Result<Convergence, Error> {
    let need = Need::convergence(arguments.sensor.settings().required_checks.is_empty());
    let pull = arguments.pull.pull.as_ref();
    if global.from.is_some() || global.demo.is_some() {
        let evidence = source::evidence(global, pull, need)?;
        return of_evidence(
            global,
            arguments,
            previous,
            &evidence,
            Header::new("convergence", &evidence),
        );
    }
    let live = Live::find(global, pull, need)?;
    let place = &live.place;
    is_about(previous, &place.repository.to_string(), place.number)?;
    // A damaged record is told before anything is read; the loop must not go on without it.
    handled_file::read(&handled_file::path(place)?)?;
    match live.read(Known::Nothing) {
        Ok(evidence) => {
            let header = Header::new("convergence", &evidence);
            of_evidence(global, arguments, previous, &evidence, header)
        }
        Err(failure) => {
            let error = target::reading_failed(failure, place);
            recollected(error, unread(place), previous)
        }
    }
}

fn of_evidence(
    global: &Global,
    arguments: &Converge,
    previous: Option<&PreviousDocument>,
    evidence: &Evidence,
    header: Header,
) -> Result<Convergence, Error> {
    is_about(previous, &evidence.repository.to_string(), evidence.pull_request)?;
    let options = global.options();
    let run = super::classified(evidence, &options)?;
    let sensor = match observed(&run, &arguments.sensor.settings()) {
        Ok(sensor) => sensor,
        Err(error) => return recollected(error, header, previous),
    };
    // What the run could not read to its end may speak against what the snapshot shows.
    if let (NextAction::Recollect, Some(reason)) = (run.next(), run.reasons.first()) {
        return Ok(convergence::recollect(header, &reason.message, previous));
    }
    let gate = Gate::of(&run, &GateOptions::default());
    let acknowledged = Acknowledgements {
        neutral_ok: arguments
            .ci_neutral_ok
            .iter()
            .map(|one| (one.name.clone(), one.reason.clone()))
            .collect(),
        none_ok: arguments.ci_none_ok.clone(),
    };
    let inputs = Inputs {
        sensor: &sensor,
        record: &evidence.local.handled.record,
        gate: &gate,
        acknowledged: &acknowledged,
        previous: previous.map(PreviousDocument::previous),
    };
    let live = global.from.is_none() && global.demo.is_none();
    let retained = if live {
        let place = Place {
            host: evidence.host.clone(),
            repository: evidence.repository.clone(),
            number: evidence.pull_request,
        };
        git::retained(&place, &run.reading.pull.head_ref_name)
    } else {
        Vec::new()
    };
    Ok(convergence::document(&inputs, &tick(&inputs), retained))
}

/// A failed reading is a tick of its own; a wrong command line or a missing token is not.
fn recollected(
    error: Error,
    header: Header,
    previous: Option<&PreviousDocument>,
) -> Result<Convergence, Error> {
    match error.kind {
        ErrorKind::RateLimited
        | ErrorKind::Network
        | ErrorKind::Timeout
        | ErrorKind::GhFailed
        | ErrorKind::Unstable
        | ErrorKind::Incomplete => Ok(convergence::recollect(header, &error.message, previous)),
        ErrorKind::Usage
        | ErrorKind::AuthMissing
        | ErrorKind::AuthRefused
        | ErrorKind::NotFound
        | ErrorKind::GhMissing
        | ErrorKind::GhTooOld
        | ErrorKind::Journal
        | ErrorKind::Refused
        | ErrorKind::Interrupted
        | ErrorKind::Internal => Err(error),
    }
}

/// The header for a pull request that was not read.
fn unread(place: &Place) -> Header {
    Header {
        schema: CONVERGENCE_SCHEMA.to_owned(),
        repository: place.repository.to_string(),
        pull_request: place.number,
        url: place.url(),
        head_ref_oid: None,
        observed_at: rfc3339(clock::now()),
    }
}

fn previous(path: &Path) -> Result<PreviousDocument, Error> {
    let wrong = |reason: String| {
        Error::usage(
            format!("--previous {} cannot be used: {reason}.", named_file(path)),
            "Give the file that `gh codex-loop converge PR --json` printed before.",
        )
    };
    let mut text = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MAX_BYTES).read_to_end(&mut text))
        .map_err(|error| wrong(error.to_string()))?;
    PreviousDocument::read(&text).map_err(wrong)
}

fn is_about(previous: Option<&PreviousDocument>, repository: &str, number: u64) -> Result<(), Error> {
    match previous {
        Some(previous) if !previous.is_about(repository, number) => Err(Error::usage(
            "--previous is about another pull request.",
            format!("Give the document of pull request {number} of {repository}."),
        )),
        Some(_) | None => Ok(()),
    }
}

impl From<Action> for ExitCode {
    fn from(action: Action) -> Self {
        match action {
            Action::ReadyToMerge | Action::Stop => Self::Holds,
            Action::WaitCi | Action::WaitReview | Action::Confirm => Self::Pending,
            Action::AskUser | Action::VerifyCi | Action::VerifyNoCi | Action::Recollect => {
                Self::Indeterminate
            }
            Action::Triage
            | Action::Checkpoint
            | Action::StrategyReset
            | Action::FamilyRepair
            | Action::Address
            | Action::FixCi
            | Action::RequestReview
            | Action::MarkReady => Self::Work,
        }
    }
}
