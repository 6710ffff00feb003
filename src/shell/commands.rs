//! One module a verb: collect, decide, print, exit code.

mod authorize;
mod classify;
mod collect;
mod completion;
mod converge;
mod evaluate;
mod explain;
mod findings;
mod gate;
mod generate;
mod granted;
mod handled;
mod list;
mod man;
mod preflight;
mod request;
mod resolve;
mod retry;
mod schema;
mod snapshot;
pub mod status;
mod trigger;
mod watch;

use std::sync::Once;

use codex_loop::evidence::Evidence;
use codex_loop::gate::{Gate, GateOptions};
use codex_loop::options::Options;
use codex_loop::run::{Run, StateWord};
use codex_loop::verdict::Verdict;

use crate::cli::deciding::Ending;
use crate::cli::{Cli, Command};
use crate::error::{Error, ErrorKind, named};
use crate::exit_code::ExitCode;

/// Runs one command to its exit code.
pub fn run(cli: &Cli) -> Result<ExitCode, Error> {
    let global = &cli.global;
    match &cli.command {
        Command::Status(arguments) => status::run(global, arguments),
        Command::List(arguments) => list::run(global, arguments),
        Command::Classify(arguments) => classify::run(global, arguments),
        Command::Findings(arguments) => findings::run(global, arguments),
        Command::Explain(arguments) => explain::run(global, arguments),
        Command::Gate(arguments) => gate::run(global, arguments),
        Command::Watch(arguments) => watch::run(global, arguments),
        Command::Snapshot(arguments) => snapshot::run(global, arguments),
        Command::Handled(arguments) => handled::run(global, arguments),
        Command::Converge(arguments) => converge::run(global, arguments),
        Command::Preflight(arguments) => preflight::run(global, arguments),
        Command::Request(arguments) => request::run(global, arguments),
        Command::Retry(arguments) => retry::run(global, arguments),
        Command::Resolve(arguments) => resolve::run(global, arguments),
        Command::Authorize(arguments) => authorize::run(global, arguments),
        Command::Collect(arguments) => collect::run(global, arguments),
        Command::Evaluate(arguments) => evaluate::run(global, arguments),
        Command::Schema(arguments) => schema::run(global, arguments),
        Command::Completion(arguments) => completion::run(arguments),
        Command::Complete(arguments) => completion::answer(arguments),
        Command::Man(arguments) => man::run(arguments),
        Command::Generate(arguments) => generate::run(arguments),
    }
}

/// The run of a pull request whose own surface was read.
fn classified<'e>(evidence: &'e Evidence, options: &'e Options) -> Result<Run<'e>, Error> {
    let run = Run::of(evidence, options).ok_or_else(|| {
        Error::new(
            ErrorKind::Incomplete,
            "The bundle does not hold the pull request itself, so nothing can be decided.",
            "Write a new one with `gh codex-loop collect PR -o FILE`.",
        )
    })?;
    SAY_ONCE.call_once(|| {
        for judgement in run.reading.unused_judgements() {
            eprintln!(
                "gh codex-loop: --judge {} decides nothing: no text of that key that needs a judgement has this digest; \
                 `gh codex-loop explain` lists those that do.",
                named(&judgement.key)
            );
        }
    });
    Ok(run)
}

/// Commands that read more than once say the same only once.
static SAY_ONCE: Once = Once::new();

/// Refuses evidence that kept changing while it was read: it is no one pull request's state.
fn stable(evidence: &Evidence) -> Result<(), Error> {
    match &evidence.unstable {
        None => Ok(()),
        Some(what) => Err(Error::new(
            ErrorKind::Unstable,
            format!("The pull request changed: {}.", what.trim_end_matches('.')),
            "Nothing is asserted about it; run the command again.",
        )),
    }
}

impl From<StateWord> for ExitCode {
    fn from(state: StateWord) -> Self {
        match state {
            StateWord::Clean => Self::Holds,
            StateWord::InProgress => Self::Pending,
            StateWord::Findings => Self::Work,
            StateWord::Failed => Self::Failed,
            StateWord::Stale => Self::Stale,
            StateWord::Indeterminate => Self::Indeterminate,
        }
    }
}

impl Ending {
    /// 0, or the code of the headline when it was asked for.
    fn of(self, run: &Run<'_>) -> ExitCode {
        let headline = || Verdict::of(run, &Gate::of(run, &GateOptions::default())).state;
        if self.exit_code {
            headline().into()
        } else {
            ExitCode::Holds
        }
    }

    /// The same for any state.
    fn with(self, state: StateWord) -> ExitCode {
        if self.exit_code {
            state.into()
        } else {
            ExitCode::Holds
        }
    }
}
