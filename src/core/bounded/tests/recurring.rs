//! One recurring state after another: what changes the decision, and what it becomes.

mod automations;
mod finishing;
mod plans;
mod responses;

use super::{decision, outcome, refusal};
use crate::bounded::example::{self, set_request_state};
use crate::bounded::recurring::{Action, AutomationAction, ReasonCode};
use crate::bounded::state::{ObservedStop, RecurringState, RequestState, ResponseOutcome};
use crate::bounded::terms::{
    BranchName, DatabaseId, FixRounds, LoopKey, Mode, RequestKey, Sha, ThreadId, Timestamp,
};

fn state(mode: Mode) -> RecurringState {
    example::state(mode).expect("a state")
}

fn findings(mode: Mode) -> RecurringState {
    example::findings(mode).expect("a state")
}

fn no_findings(mode: Mode) -> RecurringState {
    example::no_findings(mode).expect("a state")
}

fn changed(mut state: RecurringState, change: impl FnOnce(&mut RecurringState)) -> RecurringState {
    change(&mut state);
    state
}

fn time(text: &str) -> Timestamp {
    Timestamp::new(text).expect("a time")
}

fn sha(digit: char) -> Sha {
    Sha::new(String::from(digit).repeat(40)).expect("a SHA")
}

fn id(number: u64) -> DatabaseId {
    DatabaseId::new(number).expect("an id")
}

fn branch(name: &str) -> BranchName {
    BranchName::new(name).expect("a name")
}

fn halt(action: AutomationAction, reasons: &[ReasonCode]) -> (Action, AutomationAction, Vec<ReasonCode>) {
    (Action::Halt, action, reasons.to_vec())
}

#[test]
fn a_request_expires_exactly_sixty_minutes_after_its_creation() {
    for mode in [Mode::Autonomous, Mode::ApprovalGated] {
        for (base, before) in [
            (state(mode), Action::Wait),
            (
                findings(mode),
                if mode == Mode::Autonomous {
                    Action::ApplyFix
                } else {
                    Action::AwaitRemediationApproval
                },
            ),
            (
                no_findings(mode),
                if mode == Mode::Autonomous {
                    Action::Finalize
                } else {
                    Action::AwaitFinalizationApproval
                },
            ),
        ] {
            let at = |moment: &str| {
                decision(&changed(base.clone(), |one| {
                    one.hosted.observed_at = time(moment)
                }))
            };
            assert_eq!(at("2026-03-01T12:59:59Z").action, before);
            for moment in [
                "2026-03-01T13:00:00Z",
                "2026-03-01T13:00:01Z",
                "2026-03-02T12:00:00Z",
            ] {
                let decision = at(moment);
                assert_eq!(
                    (decision.action, decision.automation_action),
                    (Action::Expired, AutomationAction::DeleteOwned)
                );
                assert_eq!(decision.reasons[0].code, ReasonCode::RequestExpired);
                assert_eq!(decision.claim_plan_hash, None);
            }
        }
    }
    let wrong_deadline = changed(state(Mode::Autonomous), |one| {
        one.persisted.request.as_mut().expect("a request").deadline = time("2026-03-01T13:00:01Z");
    });
    assert!(refusal(&wrong_deadline).to_string().contains("60 minutes"));
    let report = example::report_only().expect("a state");
    let late = changed(report, |one| {
        one.hosted.observed_at = time("2026-03-05T00:00:00Z")
    });
    assert_eq!(
        decision(&late).action,
        Action::CompleteNoFindings,
        "a read-only pass may look back"
    );
    for (moment, reason) in [
        ("2026-03-01T12:59:59Z", ReasonCode::ResponsePending),
        ("2026-03-01T13:00:00Z", ReasonCode::RequestExpired),
    ] {
        let silent = changed(late.clone(), |one| {
            one.hosted.responses.clear();
            one.hosted.observed_at = time(moment);
        });
        assert_eq!(
            outcome(&silent),
            (Action::Report, AutomationAction::None, vec![reason])
        );
    }
}

#[test]
fn a_completed_request_key_is_a_replay() {
    let replayed = changed(findings(Mode::Autonomous), |one| {
        let key = one
            .persisted
            .request
            .as_ref()
            .expect("a request")
            .request_key
            .clone();
        one.persisted.completed_request_keys = vec![key];
    });
    assert_eq!(
        outcome(&replayed),
        halt(AutomationAction::Pause, &[ReasonCode::ReplayedRequest])
    );
}

/// A state in a later round.
fn in_round(mut state: RecurringState, round: u64) -> RecurringState {
    let rounds = FixRounds::new(round).expect("a round");
    state.persisted.fix_rounds = rounds;
    state.persisted.request.as_mut().expect("a request").round = rounds;
    state.persisted.completed_request_keys = (1..=round)
        .map(|number| RequestKey::of(id(number), &sha('e')))
        .collect();
    state
}

#[test]
fn after_five_rounds_feedback_ends_the_loop() {
    for round in 0..=4 {
        let mut state = in_round(findings(Mode::Autonomous), round);
        example::plan_remediation(&mut state).expect("a plan");
        assert_eq!(decision(&state).action, Action::ApplyFix, "round {round}");
    }
    for mode in [Mode::Autonomous, Mode::ApprovalGated] {
        let state = in_round(findings(mode), 5);
        assert_eq!(
            outcome(&state),
            (
                Action::MaxRounds,
                AutomationAction::DeleteOwned,
                vec![ReasonCode::RoundsExhausted]
            )
        );
    }
    assert_eq!(
        decision(&in_round(state(Mode::Autonomous), 5)).action,
        Action::Wait,
        "the fifth fix is still reviewed"
    );
    let finished = in_round(no_findings(Mode::Autonomous), 5);
    assert_eq!(
        decision(&finished).action,
        Action::Finalize,
        "and may find nothing"
    );
    let miscounted = changed(in_round(findings(Mode::Autonomous), 2), |one| {
        drop(one.persisted.completed_request_keys.pop())
    });
    assert_eq!(outcome(&miscounted).2, [ReasonCode::StateInconsistent]);
    let other_round = changed(in_round(state(Mode::Autonomous), 2), |one| {
        one.persisted.request.as_mut().expect("a request").round = FixRounds::new(1).expect("a round");
    });
    assert_eq!(outcome(&other_round).2, [ReasonCode::StateInconsistent]);
}

#[test]
fn report_only_has_nothing_that_writes() {
    let base = example::report_only().expect("a state");
    let refused = |change: &dyn Fn(&mut RecurringState)| refusal(&changed(base.clone(), |one| change(one)));
    let writing = findings(Mode::Autonomous);
    refused(&|one| one.local.automations = writing.local.automations.clone());
    refused(&|one| {
        one.persisted.owned_automation_id = writing.persisted.owned_automation_id.clone();
        one.persisted.owned_automation_status = writing.persisted.owned_automation_status;
    });
    refused(&|one| one.persisted.remote_name = writing.persisted.remote_name.clone());
    refused(&|one| one.local.remote_name = writing.local.remote_name.clone());
    refused(&|one| one.persisted.execution_boundary = writing.persisted.execution_boundary.clone());
    refused(&|one| one.local.stops = vec![ObservedStop::UnsafeDrift]);
    refused(&|one| set_request_state(one, RequestState::AwaitingRemediationApproval));
    refused(&|one| set_request_state(one, RequestState::Processing));
    refused(&|one| one.persisted.post_finalization = true);
    refused(&|one| {
        let plans = no_findings(Mode::Autonomous).persisted;
        one.persisted.finalization_manifest = plans.finalization_manifest;
        one.persisted.finalization_plan_hash = plans.finalization_plan_hash;
    });
    let found = changed(base.clone(), |one| {
        one.hosted.responses[0].outcome = ResponseOutcome::Findings
    });
    assert_eq!(
        outcome(&found),
        (Action::Report, AutomationAction::None, vec![ReasonCode::Feedback])
    );
    let unasked = changed(base.clone(), |one| one.persisted.request = None);
    assert_eq!(
        outcome(&unasked),
        (
            Action::Report,
            AutomationAction::None,
            vec![ReasonCode::NoRequest]
        )
    );
    assert_eq!(decision(&unasked).request_key, None);
    let moved = changed(base, |one| one.hosted.pull_request.current_head_sha = sha('e'));
    assert_eq!(
        outcome(&moved),
        halt(AutomationAction::None, &[ReasonCode::HeadDrift])
    );
    let without_request = changed(state(Mode::Autonomous), |one| one.persisted.request = None);
    assert!(
        refusal(&without_request)
            .to_string()
            .contains("canonical request")
    );
    let without_remote = changed(state(Mode::Autonomous), |one| one.persisted.remote_name = None);
    assert!(refusal(&without_remote).to_string().contains("remote name"));
}

#[test]
fn a_state_that_contradicts_itself_is_no_state() {
    let refused =
        |change: &dyn Fn(&mut RecurringState)| refusal(&changed(state(Mode::Autonomous), |one| change(one)));
    refused(&|one| {
        one.persisted.automation_key =
            LoopKey::new("github-codex-pr-loop:Octo-Org/widgets#42").expect("a key")
    });
    refused(&|one| {
        one.persisted.pull_request_number =
            crate::bounded::terms::PullRequestNumber::new(43).expect("a number")
    });
    refused(&|one| {
        one.hosted.pull_request.number = crate::bounded::terms::PullRequestNumber::new(43).expect("a number")
    });
    refused(&|one| one.persisted.request.as_mut().expect("a request").comment_id = id(9));
    refused(&|one| one.persisted.request.as_mut().expect("a request").head_sha = sha('e'));
    refused(&|one| one.persisted.configured_base_branch = one.persisted.configured_head_branch.clone());
    refused(&|one| one.persisted.owned_automation_status = None);
    refused(&|one| one.hosted.observed_at = time("2026-03-01T11:59:59Z"));
    refused(&|one| one.local.stops = vec![ObservedStop::FailedPush, ObservedStop::UnsafeDrift]);
    refused(&|one| one.local.stops = vec![ObservedStop::FailedPush, ObservedStop::FailedPush]);
    refused(&|one| {
        one.persisted.completed_request_keys =
            vec![RequestKey::of(id(2), &sha('e')), RequestKey::of(id(1), &sha('e'))];
    });
    refused(&|one| {
        let mut response = example::response(ResponseOutcome::Findings).expect("a response");
        response.content_version_at = time("2026-03-01T12:05:59Z");
        one.hosted.responses = vec![response];
    });
    refused(&|one| {
        one.hosted.actionable_threads = vec![example::thread("PRRT_a").expect("a thread")];
        one.hosted.finalization_eligible_threads = vec![example::thread("PRRT_a").expect("a thread")];
    });
    refused(&|one| {
        let mut other = example::thread("PRRT_a").expect("a thread");
        other.id = ThreadId::new("PRRT_0").expect("an id");
        one.hosted.actionable_threads = vec![example::thread("PRRT_a").expect("a thread"), other];
    });
    refused(&|one| {
        one.hosted.actionable_threads = vec![example::thread("PRRT_a").expect("a thread"); 2];
    });
}
