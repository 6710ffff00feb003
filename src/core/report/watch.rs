//! `codex-loop.watch/1`: one event of a watch, for a line of JSON, a line in a pipe, or the live line of a terminal.
//!
//! A headline that is clean but has not outlasted the grace is the event `settling`; its document says no verdict, so
//! that nobody reads clean early.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::classification::{Next, next_of_headline};
use super::look::{Look, shorten, width};
use super::sanitise::one_line;
use super::status::VerdictRow;
use crate::checks::TestsState;
use crate::evidence::Evidence;
use crate::evidence::observed::{Timestamp, rfc3339};
use crate::finding::FindingState;
use crate::gate::{Gate, GateState, GateWord, WaitingReason};
use crate::reason::words;
use crate::run::{Run, StateWord};
use crate::verdict::Verdict;
use crate::watch::Ended;

words! {
    /// What happened.
    WatchEvent {
        /// Something that is shown changed.
        Change = "change",
        /// It is clean, and the grace is not over.
        Settling = "settling",
        /// GitHub limits the rate.
        RateLimited = "rate-limited",
        /// A reading failed.
        Error = "error",
        /// The watch ended.
        Ended = "ended",
    }
}

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WatchDocument {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// What happened.
    pub event: WatchEvent,
    /// Since the watch began, in seconds.
    pub elapsed_seconds: i64,
    /// The headline; null while it settles, and without a reading.
    pub verdict: Option<VerdictRow>,
    /// The gate's word; null while it settles, and without a reading.
    pub gate: Option<GateWord>,
    /// What a waiting gate waits for.
    pub waiting_reason: Option<WaitingReason>,
    /// The checks of the head.
    pub tests: Option<TestsState>,
    /// Open findings.
    pub open_findings: Option<usize>,
    /// When the newest trigger was posted.
    pub triggered_at: Option<String>,
    /// How long the connector took to acknowledge it, in seconds.
    pub acknowledged_after_seconds: Option<i64>,
    /// What to do next; null while it settles, and without a reading.
    pub next: Option<Next>,
    /// When the next reading is; null when it is over.
    pub poll_after_seconds: Option<i64>,
    /// Why the watch ended; null while it goes on.
    pub ended: Option<Ended>,
    /// One sentence.
    pub message: String,
}

/// What stands in every event of one reading.
#[derive(Clone, Debug)]
pub struct Reading {
    header: Header,
    verdict: VerdictRow,
    gate: GateWord,
    waiting_reason: Option<WaitingReason>,
    tests: TestsState,
    open_findings: usize,
    triggered_at: Option<Timestamp>,
    acknowledged_at: Option<Timestamp>,
    next: Next,
}

impl Reading {
    /// Takes what a watch shows from a decided reading.
    pub fn of(run: &Run<'_>, gate: &Gate, verdict: &Verdict) -> Self {
        let trigger = run.candidates.newest_on_head();
        let open = run
            .findings
            .iter()
            .filter(|finding| super::findings::is_listed(finding) && finding.state == FindingState::Open);
        Self {
            header: Header::new("watch", run.reading.evidence),
            verdict: VerdictRow::of(verdict),
            gate: gate.word(),
            waiting_reason: match &gate.state {
                GateState::Waiting(waiting) => Some(waiting.reason),
                GateState::Approved(_) | GateState::Blocking | GateState::Overridden(_) => None,
            },
            tests: gate.checks.state,
            open_findings: open.count(),
            triggered_at: trigger.map(|trigger| trigger.order.at),
            acknowledged_at: trigger.and_then(|trigger| trigger.reactions.eyes.as_ref().map(|(at, _)| *at)),
            next: next_of_headline(run, verdict),
        }
    }

    /// What its first reason says.
    pub fn first_message(&self) -> String {
        let first = self.verdict.reasons.first();
        first.map_or_else(String::new, |reason| reason.message.clone())
    }

    /// Everything of it that may change, as one text to compare.
    pub fn shown(&self) -> String {
        let reason = self.verdict.reasons.first().map(|reason| reason.code.as_str());
        format!(
            "{:?} {} {:?} {} {:?} {} {} {:?}",
            self.header.head_ref_oid,
            self.verdict.state.as_str(),
            reason,
            self.gate.as_str(),
            self.waiting_reason,
            self.tests.as_str(),
            self.open_findings,
            self.acknowledged_at
        )
    }
}

/// The event of a reading.
pub fn of_reading(
    reading: &Reading,
    elapsed_seconds: i64,
    settling: Option<i64>,
    poll_after_seconds: Option<i64>,
    ended: Option<Ended>,
) -> WatchDocument {
    let told = settling.is_none();
    let event = match (ended, settling) {
        (Some(_), _) => WatchEvent::Ended,
        (None, Some(_)) => WatchEvent::Settling,
        (None, None) => WatchEvent::Change,
    };
    let message = match (settling, ended) {
        (Some(left), None) => {
            format!("Nothing is open; waiting {left} s for a late review of the same head.")
        }
        (_, Some(Ended::Timeout)) => "The time is up; the verdict is still open.".to_owned(),
        (_, _) => reading
            .verdict
            .reasons
            .first()
            .map_or_else(String::new, |reason| reason.message.clone()),
    };
    let acknowledged_after = reading
        .triggered_at
        .zip(reading.acknowledged_at)
        .map(|(triggered, acknowledged)| (acknowledged - triggered).num_seconds());
    WatchDocument {
        header: reading.header.clone(),
        event,
        elapsed_seconds,
        verdict: told.then(|| reading.verdict.clone()),
        gate: told.then_some(reading.gate),
        waiting_reason: reading.waiting_reason.filter(|_| told),
        tests: Some(reading.tests),
        open_findings: Some(reading.open_findings),
        triggered_at: reading.triggered_at.map(rfc3339),
        acknowledged_after_seconds: acknowledged_after,
        next: told.then(|| reading.next.clone()),
        poll_after_seconds,
        ended,
        message,
    }
}

/// The event of a reading that failed, or that GitHub's rate limit delays.
pub fn of_failure(
    header: Header,
    event: WatchEvent,
    elapsed_seconds: i64,
    poll_after_seconds: Option<i64>,
    ended: Option<Ended>,
    message: &str,
) -> WatchDocument {
    WatchDocument {
        header,
        event,
        elapsed_seconds,
        verdict: None,
        gate: None,
        waiting_reason: None,
        tests: None,
        open_findings: None,
        triggered_at: None,
        acknowledged_after_seconds: None,
        next: None,
        poll_after_seconds,
        ended,
        message: message.to_owned(),
    }
}

/// The header of an event without a reading; `earlier` is the last reading's.
pub fn header(place: (&str, &str, u64), earlier: Option<&Evidence>, now: Timestamp) -> Header {
    let (host, repository, number) = place;
    match earlier {
        Some(evidence) => Header {
            observed_at: rfc3339(now),
            ..Header::new("watch", evidence)
        },
        None => Header {
            schema: "codex-loop.watch/1".to_owned(),
            repository: repository.to_owned(),
            pull_request: number,
            url: format!("https://{host}/{repository}/pull/{number}"),
            head_ref_oid: None,
            observed_at: rfc3339(now),
        },
    }
}

/// One line for a pipe, its parts separated by tabs: elapsed, event or state, gate, tests, open findings, sentence.
pub fn line(document: &WatchDocument) -> String {
    let state = match (&document.verdict, document.event) {
        (Some(verdict), _) => verdict.state.as_str(),
        (None, event) => event.as_str(),
    };
    let gate = document.gate.map_or("-", GateWord::as_str);
    let tests = document.tests.map_or("-", TestsState::as_str);
    let findings = document
        .open_findings
        .map_or_else(|| "-".to_owned(), |count| count.to_string());
    let reason = document
        .verdict
        .as_ref()
        .and_then(|verdict| verdict.reasons.first())
        .map_or_else(String::new, |reason| format!("{}: ", reason.code.as_str()));
    let ended = match document.ended {
        Some(Ended::Timeout) => "timeout: ",
        Some(Ended::Terminal | Ended::Gate | Ended::Change | Ended::Errors) | None => "",
    };
    let message = one_line(&format!("{ended}{reason}{}", document.message), 300);
    format!(
        "{}\t{state}\tgate {gate}\ttests {tests}\tfindings {findings}\t{message}\n",
        clock(document.elapsed_seconds)
    )
}

/// How long reviews take, for the live line (bot facts of 293 pull requests).
const USUAL: &str = "half of reviews take 3m37, 99 % 10m30";

/// The live line of a terminal, shortened to its width: what is known, how long it has lasted, what is usual.
pub fn live(document: &WatchDocument, elapsed_seconds: i64, spinner: &str, look: &Look) -> String {
    let known = match document.event {
        WatchEvent::Settling | WatchEvent::RateLimited | WatchEvent::Error => {
            one_line(&document.message, 200)
        }
        WatchEvent::Change | WatchEvent::Ended => {
            match (&document.verdict, document.acknowledged_after_seconds) {
                (Some(verdict), Some(after)) if verdict.state == StateWord::InProgress && after >= 0 => {
                    format!("acknowledged after {}", span(after))
                }
                (Some(verdict), _) => {
                    let reason = verdict.reasons.first().map_or("", |reason| reason.code.as_str());
                    format!("{} {reason}", verdict.state.as_str())
                }
                (None, _) => "reading".to_owned(),
            }
        }
    };
    let text = format!("{spinner} {known}; {} elapsed", span(elapsed_seconds));
    let whole = format!("{text}; {USUAL}");
    // The last column stays free: some terminals break the line there. What is usual is said whole or not at all.
    let room = look.columns().saturating_sub(1);
    if width(&whole) <= room {
        whole
    } else {
        shorten(&text, room)
    }
}

/// `9 s`, `3m12`, `1h02`.
fn span(seconds: i64) -> String {
    match seconds {
        ..=59 => format!("{seconds} s"),
        60..=3_599 => format!("{}m{:02}", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// `0:09`, `3:12`, `62:00`.
fn clock(seconds: i64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::sample::{Sample, at};
    use crate::gate::GateOptions;
    use crate::options::Options;

    #[test]
    fn the_live_line_fits_and_leaves_out_the_usual_first() {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.eyes(trigger, at(10, 12));
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
        let gate = Gate::of(&run, &GateOptions::default());
        let reading = Reading::of(&run, &gate, &Verdict::of(&run, &gate));
        let document = of_reading(&reading, 0, None, Some(20), None);
        let at = |width: usize| {
            let look = Look {
                terminal: true,
                color: true,
                links: true,
                width,
                repository: None,
            };
            live(&document, 192, "*", &look)
        };
        let known = "* acknowledged after 12 s; 3m12 elapsed";
        assert_eq!(at(80), format!("{known}; {USUAL}"));
        assert_eq!(at(60), known);
        assert_eq!(at(40), known);
        assert!(width(&at(80)) < 80, "the last column stays free");
    }
}
