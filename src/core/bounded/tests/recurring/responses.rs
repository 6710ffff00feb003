//! Which responses count, and what the latest of them says.

use super::{changed, id, sha, state, time};
use crate::bounded::example::{self};
use crate::bounded::recurring::{Action, AutomationAction, ReasonCode, Rejection};
use crate::bounded::state::{Response, ResponseOutcome};
use crate::bounded::terms::{AuthorType, Count, Mode, ResponseId};
use crate::bounded::tests::{decision, outcome, refusal};

/// The rejection of one response that was changed.
fn rejection(change: impl FnOnce(&mut Response)) -> Option<Rejection> {
    let mut state = state(Mode::Autonomous);
    let mut response = example::response(ResponseOutcome::NoFindings).expect("a response");
    change(&mut response);
    state.hosted.responses = vec![response];
    let decision = decision(&state);
    let rejected: Vec<Rejection> = decision
        .report
        .feedback
        .rejected_responses
        .iter()
        .map(|one| one.rejection)
        .collect();
    match rejected.as_slice() {
        [] => {
            assert_eq!(
                decision.reasons[0].code,
                ReasonCode::FinalizationPlanMissing,
                "it counts"
            );
            None
        }
        [one] => {
            assert_eq!(decision.action, Action::Wait, "it does not count");
            Some(*one)
        }
        more => panic!("{more:?}"),
    }
}

#[test]
fn a_response_qualifies_only_under_every_condition() {
    let versioned = |one: &mut Response, created: &str, version: &str| {
        one.created_at = time(created);
        one.content_version_at = time(version);
    };
    assert_eq!(rejection(|_| {}), None);
    for (what, found, expected) in [
        (
            "another id",
            rejection(|one| one.author_database_id = Some(id(199_175_423))),
            Rejection::AuthorNotTrusted,
        ),
        (
            "no id",
            rejection(|one| one.author_database_id = None),
            Rejection::AuthorNotTrusted,
        ),
        (
            "a user",
            rejection(|one| one.author_type = AuthorType::new("User").expect("a type")),
            Rejection::AuthorNotTrusted,
        ),
        (
            "another case",
            rejection(|one| one.author_type = AuthorType::new("bot").expect("a type")),
            Rejection::AuthorNotTrusted,
        ),
        (
            "before the request",
            rejection(|one| one.created_at = time("2026-03-01T11:59:59Z")),
            Rejection::CreatedBeforeRequest,
        ),
        (
            "with the request",
            rejection(|one| one.created_at = time("2026-03-01T12:00:00Z")),
            Rejection::CreatedBeforeRequest,
        ),
        (
            "after the snapshot",
            rejection(|one| one.content_version_at = time("2026-03-01T12:10:01Z")),
            Rejection::AfterSnapshot,
        ),
        (
            "another commit",
            rejection(|one| one.commit_sha = Some(sha('e'))),
            Rejection::OtherCommit,
        ),
        (
            "no commit, no request",
            rejection(|one| one.commit_sha = None),
            Rejection::Uncorrelated,
        ),
        (
            "one request between",
            rejection(|one| one.intervening_requests = Count::new(1).expect("a count")),
            Rejection::InterveningRequest,
        ),
        (
            "another request",
            rejection(|one| one.trigger_request_id = Some(id(9))),
            Rejection::OtherRequest,
        ),
        (
            "this request, another commit",
            rejection(|one| {
                one.trigger_request_id = Some(id(3_700_000_001));
                one.commit_sha = Some(sha('e'));
            }),
            Rejection::OtherCommit,
        ),
    ] {
        assert_eq!(found, Some(expected), "{what}");
    }
    let exact = |one: &mut Response| one.trigger_request_id = Some(id(3_700_000_001));
    assert_eq!(rejection(exact), None);
    let without_commit = rejection(|one| {
        exact(one);
        one.commit_sha = None;
        one.intervening_requests = Count::new(3).expect("a count");
    });
    assert_eq!(
        without_commit, None,
        "the exact request needs no commit and no silence between"
    );
    assert_eq!(
        rejection(|one| versioned(one, "2026-03-01T12:00:01Z", "2026-03-01T12:10:00Z")),
        None,
        "both bounds"
    );
}

#[test]
fn an_edit_after_the_deadline_counts_no_more() {
    let mut state = example::report_only().expect("a state");
    state.hosted.observed_at = time("2026-03-01T14:00:00Z");
    state.hosted.responses[0].content_version_at = time("2026-03-01T13:00:00Z");
    assert_eq!(
        decision(&state).action,
        Action::CompleteNoFindings,
        "no later than the deadline"
    );
    state.hosted.responses[0].content_version_at = time("2026-03-01T13:00:01Z");
    let decision = decision(&state);
    assert_eq!(decision.action, Action::Report);
    assert_eq!(
        decision.report.feedback.rejected_responses[0].rejection,
        Rejection::AfterDeadline
    );
}

#[test]
fn the_latest_content_version_speaks() {
    let with = |responses: &[(&str, &str, ResponseOutcome)]| {
        changed(state(Mode::Autonomous), |one| {
            one.hosted.responses = responses
                .iter()
                .map(|(name, version, outcome)| {
                    let mut response = example::response(*outcome).expect("a response");
                    response.id = ResponseId::new(*name).expect("an id");
                    response.created_at = time("2026-03-01T12:01:00Z");
                    response.content_version_at = time(version);
                    response
                })
                .collect();
        })
    };
    use ResponseOutcome::{Findings, NoFindings, Unclear};
    let (early, late) = ("2026-03-01T12:05:00Z", "2026-03-01T12:06:00Z");
    let reason = |responses: &[(&str, &str, ResponseOutcome)]| {
        let (action, automation_action, reasons) = outcome(&with(responses));
        let paused = if action == Action::Halt {
            AutomationAction::Pause
        } else {
            AutomationAction::None
        };
        assert_eq!(automation_action, paused);
        reasons[0]
    };
    let (a, b) = ("review:1", "review:2");
    assert_eq!(
        reason(&[(a, early, NoFindings), (b, late, Findings)]),
        ReasonCode::RemediationPlanMissing,
        "later contradiction"
    );
    assert_eq!(
        reason(&[(a, late, NoFindings), (b, early, Findings)]),
        ReasonCode::FinalizationPlanMissing
    );
    assert_eq!(
        reason(&[(a, late, NoFindings), (b, late, Findings)]),
        ReasonCode::AmbiguousFeedback,
        "equal time"
    );
    assert_eq!(
        reason(&[(a, late, NoFindings), (b, late, NoFindings)]),
        ReasonCode::FinalizationPlanMissing
    );
    assert_eq!(
        reason(&[(a, late, Findings), (b, late, Findings)]),
        ReasonCode::RemediationPlanMissing
    );
    assert_eq!(
        reason(&[(a, early, NoFindings), (b, late, Unclear)]),
        ReasonCode::ResponseUnclear
    );
    assert_eq!(
        reason(&[(a, late, NoFindings), (b, late, Unclear)]),
        ReasonCode::ResponseUnclear
    );
    assert_eq!(
        reason(&[
            (a, late, Findings),
            (b, late, Unclear),
            ("review:3", late, NoFindings)
        ]),
        ReasonCode::AmbiguousFeedback
    );
    let threads = changed(with(&[(a, late, NoFindings)]), |one| {
        one.hosted.actionable_threads = vec![example::thread("PRRT_a").expect("a thread")];
    });
    assert_eq!(
        outcome(&threads).2,
        [ReasonCode::RemediationPlanMissing],
        "an actionable thread is feedback"
    );
    let unsorted = with(&[(b, late, NoFindings), (a, late, NoFindings)]);
    assert!(refusal(&unsorted).to_string().contains("sorted"));
}
