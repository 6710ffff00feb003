//! `list`: one row per open pull request, read side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::scope;

use codex_loop::evidence::Evidence;
use codex_loop::evidence::observed::Timestamp;
use codex_loop::gate::{Gate, GateOptions};
use codex_loop::options::Options;
use codex_loop::report::list::{self, List, ListRow};
use codex_loop::run::Run;
use codex_loop::verdict::Verdict;

use crate::cli::{self, Global};
use crate::clock;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::gh::Gh;
use crate::gh::collect::{Known, Need};
use crate::gh::failure::Failure;
use crate::gh::open::{self, OpenPull};
use crate::output::Output;
use crate::selector::Place;
use crate::source::Live;
use crate::target;

/// Pull requests that are read at the same time; all of them share the gh processes that may run at once.
const AT_ONCE: usize = 4;

/// The largest page that GitHub gives.
const LARGEST_PAGE: u64 = 100;

pub fn run(global: &Global, arguments: &cli::gating::List) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<List>()?;
    if global.from.is_some() || global.demo.is_some() {
        return Err(Error::usage(
            "A bundle holds one pull request, and list is about all of them.",
            "Try: gh codex-loop status --from FILE.",
        ));
    }
    let gh = Gh::find(global).map_err(|failure| failure.into_error("gh could not be used"))?;
    let (host, repository) = target::repository_place(&gh, global)?;
    // An author is looked for among as many as one page holds.
    let first = if arguments.author.is_some() {
        LARGEST_PAGE
    } else {
        arguments.limit.into()
    };
    let failed = |failure: Failure| {
        failure.into_error(&format!(
            "The open pull requests of {repository} could not be read"
        ))
    };
    let page = open::read(&gh, &host, &repository, first, &arguments.label).map_err(failed)?;
    let seen = page.pulls.len() + page.unread.len();
    let mut pulls = page.pulls;
    if let Some(author) = &arguments.author {
        pulls.retain(|pull| is_by(pull, author));
        pulls.truncate(usize::try_from(arguments.limit).unwrap_or(usize::MAX));
    }
    let now = clock::now();
    let unread = page
        .unread
        .iter()
        .filter_map(|(number, error)| number.map(|number| ListRow::unread(number, None, error, now)));
    let mut rows: Vec<ListRow> = unread.collect();
    let options = global.options();
    let place = |number| Place {
        host: host.clone(),
        repository: repository.clone(),
        number,
    };
    rows.extend(side_by_side(&pulls, |pull| row(&gh, place, pull, &options, now)).map_err(failed)?);
    let not_listed = page.total.map(|total| total.saturating_sub(seen as u64));
    let document = list::document(&host, &repository, rows, not_listed, now);
    output.document(&document, |look| list::text(&document, look))?;
    Ok(match list::most_urgent(&document) {
        Some(state) => arguments.ending.with(state),
        None => ExitCode::Holds,
    })
}

fn is_by(pull: &OpenPull, author: &str) -> bool {
    let login = pull
        .reading
        .pull
        .author
        .as_ref()
        .map(|author| author.login.text());
    login.is_some_and(|login| login.eq_ignore_ascii_case(author.trim_start_matches('@')))
}

/// The row of one pull request; only a failure that would stop every other reading is one of the command.
fn row(
    gh: &Arc<Gh>,
    place: impl Fn(u64) -> Place,
    pull: &OpenPull,
    options: &Options,
    now: Timestamp,
) -> Result<ListRow, Failure> {
    let known = &pull.reading.pull;
    if !pull.has_activity {
        return Ok(ListRow::untouched(known, pull.tests, now));
    }
    let live = Live::at(Arc::clone(gh), place(known.number), Need::STATUS, options.clone());
    match live.read(Known::Pull(Box::new(pull.reading.clone()))) {
        Ok(evidence) => Ok(decided(&evidence, options, now).unwrap_or_else(|| {
            let error = "It could not be read.";
            ListRow::unread(known.number, Some(known), error, now)
        })),
        Err(failure) if failure.is_fatal() => Err(failure),
        Err(failure) => {
            let error = target::reading_failed(failure, &live.place);
            Ok(ListRow::unread(known.number, Some(known), &error.message, now))
        }
    }
}

fn decided(evidence: &Evidence, options: &Options, now: Timestamp) -> Option<ListRow> {
    if let Some(what) = &evidence.unstable {
        let pull = evidence.pull()?;
        return Some(ListRow::unread(
            pull.number,
            Some(pull),
            what,
            evidence.collected_at,
        ));
    }
    let run = Run::of(evidence, options)?;
    let gate = Gate::of(&run, &GateOptions::default());
    let verdict = Verdict::of(&run, &gate);
    Some(ListRow::decided(&run, &gate, &verdict, now))
}

/// Does the same for every pull request, a few at a time; the first failure ends it.
fn side_by_side(
    pulls: &[OpenPull],
    work: impl Fn(&OpenPull) -> Result<ListRow, Failure> + Sync,
) -> Result<Vec<ListRow>, Failure> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Result<Vec<ListRow>, Failure>> = Mutex::new(Ok(Vec::new()));
    scope(|s| {
        for _ in 0..AT_ONCE.min(pulls.len()) {
            s.spawn(|| {
                while let Some(pull) = pulls.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let row = work(pull);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    match (&mut *done, row) {
                        (Ok(rows), Ok(row)) => rows.push(row),
                        (Ok(_), Err(failure)) => {
                            *done = Err(failure);
                            return;
                        }
                        (Err(_), _) => return,
                    }
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}
