//! `handled`: list and record dispositions, checkpoints and directions.

use std::path::PathBuf;

use codex_loop::convergence::disposition::{self, Proposal, Refusal};
use codex_loop::convergence::{handled::HandledFile, history};
use codex_loop::evidence::Evidence;
use codex_loop::evidence::handled::{Checkpoint, Direction};
use codex_loop::evidence::surface::Surface;
use codex_loop::report::handled::{self as report, HandledDocument};
use codex_loop::run::Run;
use codex_loop::sensor::items::{Placed, Standing};
use codex_loop::sensor::{Sensor, Settings};

use crate::cli::Global;
use crate::cli::sensor::{Add, CheckpointAnswers, Handled, HandledAction, Plan};
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::gh::collect::{Known, Need};
use crate::output::Output;
use crate::selector::Place;
use crate::source::{self, Live};
use crate::{clock, handled_file, target};

pub fn run(global: &Global, arguments: &Handled) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<HandledDocument>()?;
    let pull = arguments.pull.pull.as_ref();
    let document = match &arguments.action {
        None if global.from.is_some() || global.demo.is_some() => {
            let evidence = source::evidence(global, pull, Need::RUN)?;
            listed(global, &evidence, None, None)?
        }
        None => {
            let live = Live::find(global, pull, Need::RUN)?;
            let path = handled_file::path(&live.place)?;
            handled_file::read(&path)?;
            listed(global, &read(&live)?, Some(path), None)?
        }
        Some(action) => {
            source::only_github(global)?;
            let live = Live::find(global, pull, Need::RUN)?;
            recorded(global, &live, action)?
        }
    };
    output.document(&document, |look| report::text(&document, look))?;
    Ok(ExitCode::Holds)
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

/// Records one thing, then shows the record as it stands.
fn recorded(global: &Global, live: &Live, action: &HandledAction) -> Result<HandledDocument, Error> {
    let path = handled_file::path(&live.place)?;
    let mut evidence = read(live)?;
    let options = global.options();
    let place = &live.place;
    let (word, file) = {
        // Decided on the record as it is under the lock; the items are GitHub's.
        let change = |decide: &dyn Fn(&Evidence, &mut HandledFile) -> Result<Result<(), String>, Error>| {
            under_lock(place, &path, &evidence, decide)
        };
        match action {
            HandledAction::Plan(plan) => (
                "plan",
                change(&|known, file| planned(known, &options, plan, file))?,
            ),
            HandledAction::Add(add) => ("add", change(&|known, file| added(known, &options, add, file))?),
            HandledAction::Checkpoint(answers) => (
                "checkpoint",
                change(&|known, file| Ok(file.checkpoint(&checkpoint(known, &options, answers)?)))?,
            ),
            HandledAction::Direction(words) => (
                "direction",
                change(&|known, file| {
                    let checkpoints = known.local.handled.record.checkpoints.len();
                    Ok(file.direction(&Direction {
                        text: words.text.clone(),
                        checkpoints: u64::try_from(checkpoints).unwrap_or(u64::MAX),
                        recorded_at: clock::now(),
                    }))
                })?,
            ),
        }
    };
    evidence.local.handled = file.local().map_err(|reason| {
        Error::new(
            ErrorKind::Internal,
            format!("What was recorded cannot be read again: {reason}."),
            "This is a fault of this program; please report it.",
        )
    })?;
    listed(global, &evidence, Some(path), Some(word))
}

type Decide<'a> = &'a dyn Fn(&Evidence, &mut HandledFile) -> Result<Result<(), String>, Error>;

fn under_lock(
    place: &Place,
    path: &std::path::Path,
    evidence: &Evidence,
    decide: Decide<'_>,
) -> Result<HandledFile, Error> {
    let mut refused = None;
    let changed = handled_file::change(place, path, |file| {
        let mut known = evidence.clone();
        known.local.handled = file.local()?;
        match decide(&known, file) {
            Ok(outcome) => outcome,
            Err(error) => {
                refused = Some(error);
                Err(String::new())
            }
        }
    });
    match refused {
        Some(error) => Err(error),
        None => changed,
    }
}

fn planned(
    evidence: &Evidence,
    options: &codex_loop::options::Options,
    plan: &Plan,
    file: &mut HandledFile,
) -> Result<Result<(), String>, Error> {
    let run = super::classified(evidence, options)?;
    let items = codex_loop::sensor::items::all(&run);
    let placed = item(&items, &plan.key)?;
    let planned = disposition::plan(placed, plan.outcome.into(), plan.family.as_deref(), clock::now())
        .map_err(|refusals| refused(&plan.key, &refusals))?;
    Ok(file.plan(&planned))
}

fn added(
    evidence: &Evidence,
    options: &codex_loop::options::Options,
    add: &Add,
    file: &mut HandledFile,
) -> Result<Result<(), String>, Error> {
    let run = super::classified(evidence, options)?;
    let items = codex_loop::sensor::items::all(&run);
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

fn checkpoint(
    evidence: &Evidence,
    options: &codex_loop::options::Options,
    answers: &CheckpointAnswers,
) -> Result<Checkpoint, Error> {
    let run: Run<'_> = super::classified(evidence, options)?;
    let sensor = Sensor::of(&run, &Settings::default());
    let (rounds, _) = history::rounds(&sensor, &evidence.local.handled.record);
    let open = sensor
        .items
        .iter()
        .filter(|placed| placed.on_head && placed.standing != Standing::Handled)
        .count();
    Ok(Checkpoint {
        url: answers.url.clone(),
        recurrence: answers.recurrence.trim().to_owned(),
        caused_by_prior_repair: answers.caused_by_prior_repair.is_yes(),
        aligned: answers.aligned.is_yes(),
        scope_growth: answers.scope_growth.is_yes(),
        decreasing: answers.decreasing.is_yes(),
        actionable_rounds: u64::try_from(rounds.actionable).unwrap_or(u64::MAX),
        open_problems: u64::try_from(open).unwrap_or(u64::MAX),
        recorded_at: clock::now(),
    })
}

fn item<'a>(items: &'a [Placed], key: &str) -> Result<&'a Placed, Error> {
    disposition::item(items, key).map_err(|refusal| refused(key, &[refusal]))
}

fn refused(key: &str, refusals: &[Refusal]) -> Error {
    let all: Vec<String> = refusals
        .iter()
        .map(|refusal| format!("{}: {}", refusal.code.as_str(), refusal.message))
        .collect();
    Error::new(
        ErrorKind::Refused,
        format!("Nothing was recorded about {key}. {}", all.join(" ")),
        "See `gh codex-loop handled --help` for what each outcome has to show.",
    )
}
