//! `handled`: list and record dispositions, checkpoints and directions.

mod reply;

use std::path::PathBuf;

use codex_loop::convergence::disposition::{self, Proposal, Refusal};
use codex_loop::convergence::{handled::HandledFile, history};
use codex_loop::evidence::Evidence;
use codex_loop::evidence::handled::{Checkpoint, Direction};
use codex_loop::evidence::surface::Surface;
use codex_loop::report::handled::{self as report, HandledDocument};
use codex_loop::report::written::Written;
use codex_loop::run::Run;
use codex_loop::sensor::items::{self, Placed};
use codex_loop::sensor::{Sensor, Settings};

use crate::cli::Global;
use crate::cli::sensor::{Add, CheckpointAnswers, DirectionText, Handled, HandledAction, Plan};
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::gh::collect::{Known, Need};
use crate::output::Output;
use crate::selector::Selector;
use crate::source::{self, DryRun, Live};
use crate::{clock, handled_file, target};

pub fn run(global: &Global, arguments: &Handled) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<HandledDocument>()?;
    let pull = arguments.pull.pull.as_ref();
    match &arguments.action {
        None => {}
        Some(HandledAction::Reply(_)) => source::only_github(global, DryRun::Offered)?,
        Some(_) => source::only_github(global, DryRun::None)?,
    }
    let record = |word: &str, decide: Decide<'_>| {
        let document = recorded(global, pull, word, decide)?;
        Ok((document, ExitCode::Holds))
    };
    let (document, code) = match &arguments.action {
        None => (list(global, pull)?, ExitCode::Holds),
        Some(HandledAction::Reply(arguments)) => reply::run(global, pull, arguments)?,
        Some(HandledAction::Plan(plan)) => record("plan", &|run, file| planned(run, plan, file))?,
        Some(HandledAction::Add(add)) => record("add", &|run, file| added(run, add, file))?,
        Some(HandledAction::Checkpoint(answers)) => record("checkpoint", &|run, file| {
            Ok(file.checkpoint(&checkpoint(run, answers)))
        })?,
        Some(HandledAction::Direction(words)) => record("direction", &|run, file| {
            Ok(file.direction(&direction(run, words)))
        })?,
    };
    let number = document.header.pull_request;
    let written = Written::handled(document.changed.is_some(), document.reply.as_ref(), number);
    output.after_write(&document, |look| report::text(&document, look), written)?;
    Ok(code)
}

fn list(global: &Global, pull: Option<&Selector>) -> Result<HandledDocument, Error> {
    if global.from.is_some() || global.demo.is_some() {
        let evidence = source::evidence(global, pull, Need::RUN)?;
        return listed(global, &evidence, None, None);
    }
    let live = Live::find(global, pull, Need::RUN)?;
    let path = handled_file::path(&live.place)?;
    handled_file::read(&path)?;
    listed(global, &read(&live)?, Some(path), None)
}

fn read(live: &Live) -> Result<Evidence, Error> {
    let evidence = live
        .read(Known::Nothing)
        .map_err(|failure| target::reading_failed(failure, &live.place))?;
    super::stable(&evidence)?;
    whole(&evidence)?;
    Ok(evidence)
}

/// Items stand on three surfaces, and a fix on the list of commits; a gap in one would hide an item or a commit.
fn whole(evidence: &Evidence) -> Result<(), Error> {
    let s = &evidence.surfaces;
    let gaps = [
        ("issueComments", error(&s.issue_comments)),
        ("reviews", error(&s.reviews)),
        ("reviewComments", error(&s.review_comments)),
        ("commits", error(&s.commits)),
    ];
    match gaps
        .into_iter()
        .find_map(|(name, error)| error.map(|error| (name, error)))
    {
        None => Ok(()),
        Some((name, error)) => Err(Error::new(
            ErrorKind::Incomplete,
            format!("The surface {name} was not read to its end, so nothing can be recorded: {error}"),
            "Run it again; the gh calls are shown by -v.",
        )),
    }
}

fn error<T>(surface: &Surface<T>) -> Option<String> {
    match surface {
        Surface::Complete { .. } | Surface::NotCollected => None,
        Surface::Incomplete { error, .. } => Some(error.message.clone()),
    }
}

fn listed(
    global: &Global,
    evidence: &Evidence,
    path: Option<PathBuf>,
    changed: Option<&str>,
) -> Result<HandledDocument, Error> {
    let options = global.options();
    let run = super::classified(evidence, &options)?;
    let sensor = Sensor::of(&run, &Settings::default());
    let file = path.map(|path| path.display().to_string());
    Ok(report::document(
        &sensor,
        &evidence.local.handled.record,
        file,
        changed,
    ))
}

/// Changes the file, or says why not: an error that ends the command, or a file that cannot hold it.
type Decide<'a> = &'a dyn Fn(&Run<'_>, &mut HandledFile) -> Result<Result<(), String>, Error>;

/// Records one thing, then shows the record as it stands. It is decided on the record under the lock; the items are
/// GitHub's, as they were read just before.
fn recorded(
    global: &Global,
    pull: Option<&Selector>,
    word: &str,
    decide: Decide<'_>,
) -> Result<HandledDocument, Error> {
    let live = Live::find(global, pull, Need::RUN)?;
    let path = handled_file::path(&live.place)?;
    let mut evidence = read(&live)?;
    let options = global.options();
    let mut refused = None;
    let changed = handled_file::change(&live.place, &path, |file| {
        evidence.local.handled = file.local()?;
        let decided = super::classified(&evidence, &options).and_then(|run| decide(&run, file));
        decided.unwrap_or_else(|error| {
            let message = error.message.clone();
            refused = Some(error);
            Err(message)
        })?;
        evidence.local.handled = file.local()?;
        Ok(())
    });
    match (refused, changed) {
        (Some(error), _) | (None, Err(error)) => Err(error),
        (None, Ok(())) => listed(global, &evidence, Some(path), Some(word)),
    }
}

fn planned(run: &Run<'_>, plan: &Plan, file: &mut HandledFile) -> Result<Result<(), String>, Error> {
    let items = items::all(run);
    let placed = item(&items, &plan.key)?;
    let planned = disposition::plan(placed, plan.outcome.into(), plan.family.as_deref(), clock::now())
        .map_err(|refusals| refused(&plan.key, &refusals))?;
    Ok(file.plan(&planned))
}

fn added(run: &Run<'_>, add: &Add, file: &mut HandledFile) -> Result<Result<(), String>, Error> {
    let items = items::all(run);
    let placed = item(&items, &add.key)?;
    let proposal = Proposal {
        family: add.family.clone(),
        commit: add.commit.clone(),
        evidence: add.evidence.clone(),
        premise: add.premise.clone(),
        covers: add.covers.clone(),
    };
    let disposition = disposition::add(&run.reading, placed, add.outcome.into(), &proposal, clock::now())
        .map_err(|refusals| refused(&add.key, &refusals))?;
    Ok(file.add(&add.key, &placed.item.digest(), &disposition))
}

fn checkpoint(run: &Run<'_>, answers: &CheckpointAnswers) -> Checkpoint {
    let sensor = Sensor::of(run, &Settings::default());
    let (rounds, _) = history::rounds(&sensor, &run.reading.evidence.local.handled.record);
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    Checkpoint {
        url: answers.url.clone(),
        recurrence: answers.recurrence.trim().to_owned(),
        caused_by_prior_repair: answers.caused_by_prior_repair.is_yes(),
        aligned: answers.aligned.is_yes(),
        scope_growth: answers.scope_growth.is_yes(),
        decreasing: answers.decreasing.is_yes(),
        actionable_rounds: count(rounds.actionable),
        open_problems: count(sensor.snapshot.open_comments.len()),
        recorded_at: clock::now(),
    }
}

fn direction(run: &Run<'_>, words: &DirectionText) -> Direction {
    let checkpoints = run.reading.evidence.local.handled.record.checkpoints.len();
    Direction {
        text: words.text.clone(),
        checkpoints: u64::try_from(checkpoints).unwrap_or(u64::MAX),
        recorded_at: clock::now(),
    }
}

fn item<'a>(items: &'a [Placed], key: &str) -> Result<&'a Placed, Error> {
    disposition::item(items, key).map_err(|refusal| refused(key, &[refusal]))
}

fn refused(key: &str, refusals: &[Refusal]) -> Error {
    let all: Vec<String> = refusals
        .iter()
        .map(|refusal| format!("{}: {}", refusal.code.as_str(), refusal.message))
        .collect();
    refused_for(key, &all.join(" "))
}

fn refused_one(key: &str, code: &str, message: &str) -> Error {
    refused_for(key, &format!("{code}: {message}"))
}

fn refused_for(key: &str, reasons: &str) -> Error {
    Error::new(
        ErrorKind::Refused,
        format!("Nothing was written about {key}. {reasons}"),
        "See `gh codex-loop handled --help` for what each outcome has to show.",
    )
}
