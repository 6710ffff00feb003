//! Deciding: linear in the number of comments, and no dearer than parsing the bundle.

use std::hint::black_box;
use std::time::Duration;

use codex_loop::convergence::{Acknowledgements, Inputs, tick};
use codex_loop::evidence::Evidence;
use codex_loop::gate::{Gate, GateOptions};
use codex_loop::lineage::AttemptKind;
use codex_loop::options::Options;
use codex_loop::preflight::{Ask, preflight};
use codex_loop::report::{explain, findings, status};
use codex_loop::run::Run;
use codex_loop::sensor::{Sensor, Settings};
use codex_loop::verdict::Verdict;
use nix::time::{ClockId, clock_gettime};

use super::bundle::{self, Crowd};
use super::figure::{Report, milliseconds, ratio};

/// Ten times the comments take at most this many times as long; an `n log n` part and caches that no longer hold
/// everything are allowed for, a quadratic part is not.
const TENFOLD: f64 = 15.0;

/// Times of parsing, of deciding with the document of `status`, and of all the documents.
pub fn measure(report: &mut Report) {
    // What is compiled once per process is no part of a figure here; `program` has it.
    let warm = bundle::bytes(100);
    decide(&parse(&warm));
    let mut previous: Option<(Duration, Duration)> = None;
    for (comments, runs) in [(100, 60), (1_000, 20), (10_000, 8), (100_000, 4)] {
        let bytes = bundle::bytes(comments);
        let parsing = least(runs, || drop(black_box(parse(&bytes))));
        let evidence = parse(&bytes);
        let deciding = least(runs, || decide(&evidence));
        let explaining = least(runs.min(2), || explain_all(&evidence));
        let size = format!("{comments} comments");
        report.note(&format!("parse {size}"), &milliseconds(parsing).1);
        report.at_most(
            &format!("evaluate {size}"),
            milliseconds(deciding),
            (
                milliseconds(parsing).0,
                format!("{} of parsing", milliseconds(parsing).1),
            ),
        );
        if let Some((less_deciding, less_explaining)) = previous {
            for (name, time, less) in [
                ("evaluate", deciding, less_deciding),
                ("findings and explain", explaining, less_explaining),
            ] {
                report.at_most(
                    &format!("{name}: {size} against a tenth of them"),
                    ratio(time.as_secs_f64() / less.as_secs_f64()),
                    ratio(TENFOLD),
                );
            }
        }
        previous = Some((deciding, explaining));
    }
    crowds(report);
}

/// The same with many requests and results on the head itself, where each may belong to each; with what writes and
/// the loop ask besides.
fn crowds(report: &mut Report) {
    for (crowd, name) in [
        (Crowd::Requests, "requests"),
        (Crowd::Results, "results"),
        (Crowd::Turns, "requests and results"),
    ] {
        let [less, more] = [1_000, 10_000].map(|comments| {
            let evidence = parse(&bundle::crowded(crowd, comments));
            least(4, || decide_all(&evidence))
        });
        report.at_most(
            &format!("preflight and converge: 10000 {name} against a tenth of them"),
            ratio(more.as_secs_f64() / less.as_secs_f64()),
            ratio(TENFOLD),
        );
    }
}

/// The bundle as evidence.
pub fn parse(bytes: &[u8]) -> Evidence {
    Evidence::from_json(bytes).unwrap_or_else(|reason| panic!("the bundle cannot be used: {reason}"))
}

fn run<'e>(evidence: &'e Evidence, options: &'e Options) -> Run<'e> {
    Run::of(evidence, options).unwrap_or_else(|| panic!("the bundle does not hold the pull request"))
}

/// What `status` decides and prints.
pub fn decide(evidence: &Evidence) {
    let options = Options::default();
    let run = run(evidence, &options);
    let gate = Gate::of(&run, &GateOptions::default());
    let verdict = Verdict::of(&run, &gate);
    let document = status::document(&run, &gate, &verdict);
    black_box(serde_json::to_vec(&document).unwrap_or_default());
}

/// What `status`, `preflight` and `converge` decide.
fn decide_all(evidence: &Evidence) {
    let options = Options::default();
    let run = run(evidence, &options);
    let gate = Gate::of(&run, &GateOptions::default());
    black_box(Verdict::of(&run, &gate));
    for kind in [AttemptKind::Request, AttemptKind::Retry] {
        black_box(preflight(&run, kind, &Ask::default()));
    }
    let sensor = Sensor::of(&run, &Settings::default());
    let inputs = Inputs {
        sensor: &sensor,
        record: &evidence.local.handled.record,
        gate: &gate,
        acknowledged: &Acknowledgements::default(),
        previous: None,
    };
    black_box(tick(&inputs).decided);
}

/// What `findings --all` and `explain` print.
pub fn explain_all(evidence: &Evidence) {
    let options = Options::default();
    let run = run(evidence, &options);
    let selection = findings::Selection {
        all: true,
        ..findings::Selection::default()
    };
    black_box(serde_json::to_vec(&findings::document(&run, &selection)).unwrap_or_default());
    black_box(serde_json::to_vec(&explain::document(&run)).unwrap_or_default());
}

/// The least processor time of this thread over several runs.
pub fn least(runs: usize, work: impl Fn()) -> Duration {
    let clock = || {
        clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
            .map(Duration::from)
            .unwrap_or_default()
    };
    let times = (0..runs.max(1)).map(|_| {
        let before = clock();
        work();
        clock().saturating_sub(before)
    });
    times.min().unwrap_or_default()
}
