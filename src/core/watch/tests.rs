//! Every step of a watch, with the delay or the end that follows.

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

#[test]
fn a_watch_has_read_once_a_reading_succeeded() {
    let waiting = seen(StateWord::InProgress, ReasonCode::Acknowledged);
    for (step, read) in [
        (Seen::Failed, false),
        (Seen::RateLimited(None), false),
        (Seen::Reading(&waiting), true),
    ] {
        let mut watch = Watch::new(options(Until::Terminal), at(0, 0));
        assert!(!watch.has_read());
        watch.step(at(1, 0), &step);
        watch.step(at(2, 0), &Seen::Failed);
        assert_eq!(watch.has_read(), read);
    }
}
