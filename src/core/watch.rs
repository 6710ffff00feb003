//! The next step of a watch: read again after so long, or end. The delay is computed here and slept elsewhere.
//!
//! A watch never posts and never says clean early: a clean headline has to outlast the grace, in which a second review
//! of the same head may still bring a finding.

use chrono::TimeDelta;

use crate::evidence::observed::Timestamp;
use crate::gate::{Gate, GateEnd, GateWord};
use crate::reason::{NextAction, ReasonCode, words};
use crate::run::{Run, StateWord};
use crate::verdict::Verdict;

words! {
    /// What a watch waits for.
    Until {
        /// A headline that will not change by itself.
        Terminal = "terminal",
        /// A gate that waits no longer.
        Gate = "gate",
        /// Any change.
        Change = "change",
    }
}

words! {
    /// Why a watch ended.
    Ended {
        /// The headline is terminal.
        Terminal = "terminal",
        /// The gate waits no longer.
        Gate = "gate",
        /// Something changed.
        Change = "change",
        /// The time was up.
        Timeout = "timeout",
        /// Three readings in a row failed.
        Errors = "errors",
    }
}

words! {
    /// Why the next reading is later.
    Delay {
        /// The ordinary interval.
        Interval = "interval",
        /// The headline is clean and has to outlast the grace.
        Grace = "grace",
        /// GitHub limits the rate.
        RateLimit = "rate-limit",
        /// The last reading failed.
        Error = "error",
    }
}

/// What the caller chose for a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchOptions {
    /// What it waits for.
    pub until: Until,
    /// Keep waiting through `stale` and `no-trigger` for an automatic review.
    pub wait_automatic: bool,
    /// The first delay between two readings; it grows to a minute while nothing changes.
    pub interval: TimeDelta,
    /// How long to watch.
    pub timeout: TimeDelta,
    /// How long clean has to last before it is reported.
    pub grace: TimeDelta,
}

/// What one reading came to, as far as a watch is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The head it was about.
    pub head: String,
    /// The headline.
    pub state: StateWord,
    /// Its first reason.
    pub reason: Option<ReasonCode>,
    /// What to do next.
    pub next: NextAction,
    /// When the newest clean signal was given, of a clean headline.
    pub clean_since: Option<Timestamp>,
    /// The gate's word.
    pub gate: GateWord,
    /// What the gate alone would end with.
    pub gate_end: GateEnd,
    /// Everything that is shown and may change.
    pub shown: String,
}

impl Observation {
    /// What a decided reading came to. `shown` is compared to tell whether anything changed.
    pub fn of(run: &Run<'_>, gate: &Gate, verdict: &Verdict, shown: String) -> Self {
        let pull = run.reading.pull;
        Self {
            head: pull.head_ref_oid.to_string(),
            state: verdict.state,
            reason: verdict.reasons.first().map(|reason| reason.code),
            next: verdict.next,
            clean_since: verdict.clean_since,
            gate: gate.word(),
            gate_end: gate.end(pull.mergeable.as_deref()),
            shown,
        }
    }

    /// Whether the reading decided nothing because it was incomplete: that is a failure, not a state.
    pub fn is_failure(&self) -> bool {
        self.next == NextAction::Recollect
    }
}

/// What happened since the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen<'o> {
    /// A reading.
    Reading(&'o Observation),
    /// A reading failed.
    Failed,
    /// GitHub limits the rate, until then if it says so.
    RateLimited(Option<Timestamp>),
}

/// What to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Read again after this long.
    PollAfter {
        /// How long.
        delay: TimeDelta,
        /// Why so long.
        why: Delay,
        /// Whether what is shown changed with this reading.
        changed: bool,
    },
    /// It is over.
    Done {
        /// Why.
        ended: Ended,
        /// Whether what is shown changed with this reading.
        changed: bool,
    },
}

/// Failures in a row that end a watch.
const FAILURES: u32 = 3;

/// The longest ordinary delay, and the one after a rate limit that does not say its end, in seconds.
const LONGEST_SECONDS: i64 = 60;

/// A watch under way.
#[derive(Clone, Debug)]
pub struct Watch {
    options: WatchOptions,
    started: Timestamp,
    delay: TimeDelta,
    failures: u32,
    first: Option<String>,
    last: Option<String>,
    /// When clean was first seen without anything else in between, and whether it was so from the beginning.
    clean_seen: Option<(Timestamp, bool)>,
}

impl Watch {
    /// A watch that begins now.
    pub fn new(options: WatchOptions, now: Timestamp) -> Self {
        Self {
            options,
            started: now,
            delay: options.interval,
            failures: 0,
            first: None,
            last: None,
            clean_seen: None,
        }
    }

    /// How long it has lasted.
    pub fn elapsed(&self, now: Timestamp) -> TimeDelta {
        now - self.started
    }

    /// Whether any reading has succeeded.
    pub fn has_read(&self) -> bool {
        self.first.is_some()
    }

    /// What follows from what was seen.
    pub fn step(&mut self, now: Timestamp, seen: &Seen<'_>) -> NextStep {
        match seen {
            Seen::Reading(observation) if !observation.is_failure() => self.reading(now, observation),
            Seen::Reading(_) | Seen::Failed => self.failure(now),
            Seen::RateLimited(reset) => self.limited(now, *reset),
        }
    }

    fn reading(&mut self, now: Timestamp, seen: &Observation) -> NextStep {
        self.failures = 0;
        let changed = self.last.as_ref() != Some(&seen.shown);
        let differs = self.first.as_ref().is_some_and(|first| *first != seen.shown);
        if changed {
            self.delay = self.options.interval;
        } else {
            self.grow();
        }
        let from_beginning = self.first.is_none();
        self.first.get_or_insert_with(|| seen.shown.clone());
        self.last = Some(seen.shown.clone());
        self.clean_seen = match (seen.state, self.clean_seen) {
            (StateWord::Clean, Some(since)) => Some(since),
            (StateWord::Clean, None) => Some((now, from_beginning)),
            (
                StateWord::Findings
                | StateWord::Failed
                | StateWord::InProgress
                | StateWord::Stale
                | StateWord::Indeterminate,
                _,
            ) => None,
        };
        let ended = match self.options.until {
            Until::Terminal => self.is_terminal(seen).then_some(Ended::Terminal),
            Until::Gate => (seen.gate != GateWord::Waiting).then_some(Ended::Gate),
            Until::Change => differs.then_some(Ended::Change),
        };
        let settled = self.settled_at(seen);
        match (ended, settled) {
            (Some(ended), None) => NextStep::Done { ended, changed },
            (Some(ended), Some(at)) if now >= at => NextStep::Done { ended, changed },
            (Some(_), Some(at)) => {
                let delay = self.delay.min(at - now);
                self.poll(now, delay, Delay::Grace, changed)
            }
            (None, _) => self.poll(now, self.delay, Delay::Interval, changed),
        }
    }

    /// When a clean headline has outlasted the grace. A verdict that was there before the watch counts from when it
    /// was given; one that came meanwhile counts from when it was seen, because the two clocks may differ.
    fn settled_at(&self, seen: &Observation) -> Option<Timestamp> {
        let (first_seen, from_beginning) = self.clean_seen?;
        let given = seen.clean_since.unwrap_or(first_seen);
        let from = if from_beginning {
            given.min(first_seen)
        } else {
            first_seen
        };
        Some(from + self.options.grace)
    }

    fn is_terminal(&self, seen: &Observation) -> bool {
        match seen.state {
            StateWord::Clean | StateWord::Findings | StateWord::Failed => true,
            StateWord::InProgress => false,
            StateWord::Stale => !self.options.wait_automatic,
            StateWord::Indeterminate => {
                let awaited = self.options.wait_automatic && seen.reason == Some(ReasonCode::NoTrigger);
                !awaited && seen.next != NextAction::Poll && seen.next != NextAction::Recollect
            }
        }
    }

    fn failure(&mut self, now: Timestamp) -> NextStep {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES {
            return NextStep::Done {
                ended: Ended::Errors,
                changed: false,
            };
        }
        self.poll(now, self.options.interval, Delay::Error, false)
    }

    /// A rate limit is no failure: it says when to come back.
    fn limited(&mut self, now: Timestamp, reset: Option<Timestamp>) -> NextStep {
        let longest = TimeDelta::seconds(LONGEST_SECONDS);
        let delay = match reset {
            // The reset is told in whole seconds.
            Some(at) if at >= now => at - now + TimeDelta::seconds(1),
            Some(_) => self.options.interval,
            None => longest,
        };
        self.poll(now, delay, Delay::RateLimit, false)
    }

    /// Polls again within the time that is left; at its very end there is one last look.
    fn poll(&self, now: Timestamp, delay: TimeDelta, why: Delay, changed: bool) -> NextStep {
        let left = self.options.timeout - self.elapsed(now);
        if left <= TimeDelta::zero() {
            return NextStep::Done {
                ended: Ended::Timeout,
                changed,
            };
        }
        NextStep::PollAfter {
            delay: delay.min(left),
            why,
            changed,
        }
    }

    fn grow(&mut self) {
        let longest = TimeDelta::seconds(LONGEST_SECONDS).max(self.options.interval);
        let half = self.delay.checked_div(2).unwrap_or_default();
        self.delay = self
            .delay
            .checked_add(&half)
            .map_or(longest, |grown| grown.min(longest));
    }
}

#[cfg(test)]
mod tests;
