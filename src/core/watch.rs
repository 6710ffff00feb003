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
mod tests {
    use super::*;
    use crate::evidence::sample::at;

    fn options(until: Until) -> WatchOptions {
        WatchOptions {
            until,
            wait_automatic: false,
            interval: TimeDelta::seconds(20),
            timeout: TimeDelta::minutes(35),
            grace: TimeDelta::seconds(90),
        }
    }

    fn seen(state: StateWord, reason: ReasonCode) -> Observation {
        Observation {
            head: "head".into(),
            state,
            reason: Some(reason),
            next: reason.next(),
            clean_since: None,
            gate: GateWord::Waiting,
            gate_end: GateEnd::Pending,
            shown: format!("{state:?} {reason:?}"),
        }
    }

    fn delay_of(step: &NextStep) -> (i64, Delay) {
        match step {
            NextStep::PollAfter { delay, why, .. } => (delay.num_seconds(), *why),
            NextStep::Done { ended, .. } => panic!("ended: {ended:?}"),
        }
    }

    fn end_of(step: &NextStep) -> Option<Ended> {
        match step {
            NextStep::PollAfter { .. } => None,
            NextStep::Done { ended, .. } => Some(*ended),
        }
    }

    #[test]
    fn the_delay_grows_from_the_interval_to_a_minute_and_starts_over_on_a_change() {
        let mut watch = Watch::new(options(Until::Terminal), at(0, 0));
        let waiting = seen(StateWord::InProgress, ReasonCode::Acknowledged);
        let delays: Vec<i64> = (0..5)
            .map(|_| delay_of(&watch.step(at(1, 0), &Seen::Reading(&waiting))).0)
            .collect();
        assert_eq!(delays, [20, 30, 45, 60, 60]);
        let running = seen(StateWord::InProgress, ReasonCode::SummaryRunning);
        assert_eq!(
            delay_of(&watch.step(at(2, 0), &Seen::Reading(&running))),
            (20, Delay::Interval)
        );
    }

    #[test]
    fn terminal_is_every_state_that_does_not_change_by_itself() {
        use ReasonCode as Code;
        for (state, reason, terminal) in [
            (StateWord::Findings, Code::FindingThread, true),
            (StateWord::Failed, Code::TerminalSignature, true),
            (StateWord::Stale, Code::HeadChanged, true),
            (StateWord::InProgress, Code::Acknowledged, false),
            (StateWord::Indeterminate, Code::NoTerminalOutput, false),
            (StateWord::Indeterminate, Code::SummaryOnly, false),
            (StateWord::Indeterminate, Code::InlineCommentsLagging, false),
            (StateWord::Indeterminate, Code::NoTrigger, true),
            (StateWord::Indeterminate, Code::UnclearResult, true),
            (StateWord::Indeterminate, Code::NoticeUsageLimit, true),
            (StateWord::Indeterminate, Code::OverlappingTriggers, true),
            (StateWord::Indeterminate, Code::PullClosed, true),
        ] {
            let mut watch = Watch::new(options(Until::Terminal), at(0, 0));
            let step = watch.step(at(0, 1), &Seen::Reading(&seen(state, reason)));
            assert_eq!(end_of(&step) == Some(Ended::Terminal), terminal, "{reason:?}");
        }
    }

    #[test]
    fn waiting_for_an_automatic_review_outlasts_stale_and_no_trigger_only() {
        let automatic = WatchOptions {
            wait_automatic: true,
            ..options(Until::Terminal)
        };
        for (state, reason, ends) in [
            (StateWord::Stale, ReasonCode::HeadChanged, false),
            (StateWord::Indeterminate, ReasonCode::NoTrigger, false),
            (StateWord::Indeterminate, ReasonCode::OverlappingTriggers, true),
            (StateWord::Findings, ReasonCode::FindingThread, true),
        ] {
            let mut watch = Watch::new(automatic, at(0, 0));
            let step = watch.step(at(0, 1), &Seen::Reading(&seen(state, reason)));
            assert_eq!(end_of(&step).is_some(), ends, "{reason:?}");
        }
    }

    fn clean(since: Timestamp) -> Observation {
        Observation {
            clean_since: Some(since),
            gate: GateWord::Approved,
            gate_end: GateEnd::Allowed,
            ..seen(StateWord::Clean, ReasonCode::CleanReaction)
        }
    }

    #[test]
    fn clean_is_reported_only_after_the_grace_and_a_late_finding_flips_it() {
        let waiting = seen(StateWord::InProgress, ReasonCode::Acknowledged);
        for until in [Until::Terminal, Until::Gate, Until::Change] {
            let mut watch = Watch::new(options(until), at(0, 0));
            watch.step(at(0, 0), &Seen::Reading(&waiting));
            let step = watch.step(at(1, 0), &Seen::Reading(&clean(at(0, 50))));
            assert_eq!(delay_of(&step), (20, Delay::Grace));
            let step = watch.step(at(2, 20), &Seen::Reading(&clean(at(0, 50))));
            assert_eq!(
                delay_of(&step),
                (10, Delay::Grace),
                "no longer than the grace lasts"
            );
            let mut flipped = watch.clone();
            let mut late = seen(StateWord::Findings, ReasonCode::FindingThread);
            late.gate = GateWord::Blocking;
            let step = flipped.step(at(2, 25), &Seen::Reading(&late));
            assert!(end_of(&step).is_some());
            let step = watch.step(at(2, 30), &Seen::Reading(&clean(at(0, 50))));
            assert!(end_of(&step).is_some());
        }
        // An old verdict is reported at once, a young one when the grace is over, and without a grace any is.
        let mut watch = Watch::new(options(Until::Terminal), at(10, 0));
        let step = watch.step(at(10, 0), &Seen::Reading(&clean(at(8, 30))));
        assert_eq!(end_of(&step), Some(Ended::Terminal));
        let mut watch = Watch::new(options(Until::Terminal), at(10, 0));
        let step = watch.step(at(10, 0), &Seen::Reading(&clean(at(8, 40))));
        assert_eq!(delay_of(&step), (10, Delay::Grace));
        let none = WatchOptions {
            grace: TimeDelta::zero(),
            ..options(Until::Terminal)
        };
        let mut watch = Watch::new(none, at(10, 0));
        watch.step(at(10, 0), &Seen::Reading(&waiting));
        let step = watch.step(at(10, 1), &Seen::Reading(&clean(at(10, 1))));
        assert_eq!(end_of(&step), Some(Ended::Terminal));
    }

    #[test]
    fn the_grace_starts_over_when_clean_was_lost_in_between() {
        let mut watch = Watch::new(options(Until::Terminal), at(0, 0));
        let waiting = seen(StateWord::InProgress, ReasonCode::Acknowledged);
        watch.step(at(0, 0), &Seen::Reading(&waiting));
        watch.step(at(1, 0), &Seen::Reading(&clean(at(0, 50))));
        watch.step(at(2, 0), &Seen::Reading(&waiting));
        let step = watch.step(at(2, 40), &Seen::Reading(&clean(at(2, 35))));
        assert_eq!(delay_of(&step).1, Delay::Grace);
    }

    #[test]
    fn the_gate_ends_it_when_it_waits_no_longer() {
        let mut watch = Watch::new(options(Until::Gate), at(0, 0));
        let mut one = seen(StateWord::Stale, ReasonCode::HeadChanged);
        assert_eq!(end_of(&watch.step(at(0, 1), &Seen::Reading(&one))), None);
        one.gate = GateWord::Blocking;
        assert_eq!(
            end_of(&watch.step(at(0, 2), &Seen::Reading(&one))),
            Some(Ended::Gate)
        );
    }

    #[test]
    fn a_change_is_a_difference_from_the_first_reading() {
        let mut watch = Watch::new(options(Until::Change), at(0, 0));
        let one = seen(StateWord::Stale, ReasonCode::HeadChanged);
        assert_eq!(end_of(&watch.step(at(0, 1), &Seen::Reading(&one))), None);
        assert_eq!(end_of(&watch.step(at(0, 2), &Seen::Reading(&one))), None);
        let other = seen(StateWord::InProgress, ReasonCode::Acknowledged);
        assert_eq!(
            end_of(&watch.step(at(0, 3), &Seen::Reading(&other))),
            Some(Ended::Change)
        );
    }

    #[test]
    fn three_failures_in_a_row_end_it_and_an_incomplete_reading_is_one() {
        let waiting = seen(StateWord::InProgress, ReasonCode::Acknowledged);
        let incomplete = seen(StateWord::Indeterminate, ReasonCode::IncompleteSurface);
        let mut watch = Watch::new(options(Until::Terminal), at(0, 0));
        for _ in 0..4 {
            assert_eq!(delay_of(&watch.step(at(0, 1), &Seen::Failed)), (20, Delay::Error));
            assert_eq!(
                delay_of(&watch.step(at(0, 1), &Seen::Reading(&incomplete))).1,
                Delay::Error
            );
            watch.step(at(0, 2), &Seen::Reading(&waiting));
        }
        watch.step(at(0, 1), &Seen::Failed);
        watch.step(at(0, 1), &Seen::Failed);
        assert_eq!(end_of(&watch.step(at(0, 1), &Seen::Failed)), Some(Ended::Errors));
    }

    #[test]
    fn a_rate_limit_waits_until_its_reset_and_is_no_failure() {
        let mut watch = Watch::new(options(Until::Terminal), at(0, 0));
        for _ in 0..5 {
            let step = watch.step(at(1, 0), &Seen::RateLimited(Some(at(10, 0))));
            assert_eq!(delay_of(&step), (541, Delay::RateLimit));
            let step = watch.step(at(1, 0), &Seen::RateLimited(None));
            assert_eq!(delay_of(&step), (60, Delay::RateLimit));
        }
        let step = watch.step(at(11, 0), &Seen::RateLimited(Some(at(10, 0))));
        assert_eq!(delay_of(&step), (20, Delay::RateLimit));
    }

    #[test]
    fn the_timeout_ends_it_after_one_last_look() {
        let mut watch = Watch::new(options(Until::Terminal), at(0, 0));
        let waiting = seen(StateWord::InProgress, ReasonCode::Acknowledged);
        let step = watch.step(at(34, 55), &Seen::Reading(&waiting));
        assert_eq!(delay_of(&step), (5, Delay::Interval));
        let step = watch.step(at(34, 55), &Seen::RateLimited(Some(at(50, 0))));
        assert_eq!(delay_of(&step), (5, Delay::RateLimit));
        let step = watch.step(at(35, 0), &Seen::Reading(&waiting));
        assert_eq!(end_of(&step), Some(Ended::Timeout));
        let found = seen(StateWord::Findings, ReasonCode::FindingThread);
        let step = watch.step(at(35, 0), &Seen::Reading(&found));
        assert_eq!(end_of(&step), Some(Ended::Terminal));
    }
}
