//! Whose automation it is, what stops the loop, and what may be deleted.

use super::{branch, changed, findings, halt, id, no_findings, sha, state, time};
use crate::bounded::example::{self, set_automation_status};
use crate::bounded::recurring::{Action, AutomationAction, ReasonCode};
use crate::bounded::state::{AutomationStatus, ObservedStop, PullRequestState, RecurringState};
use crate::bounded::terms::{AutomationId, FullName, LoopKey, Mode, RemoteName, ViewedSchedule};
use crate::bounded::tests::{outcome, refusal};

/// What happens to a pending state when its automations are these.
fn with_automations(change: impl FnOnce(&mut RecurringState)) -> (Action, AutomationAction, Vec<ReasonCode>) {
    outcome(&changed(findings(Mode::Autonomous), change))
}

#[test]
fn whatever_leaves_the_owner_in_doubt_touches_no_automation() {
    let another = |one: &mut RecurringState| {
        let mut automation = one.local.automations[0].clone();
        automation.id = AutomationId::new("automation-8").expect("an id");
        automation
    };
    let none = AutomationAction::None;
    let missing = with_automations(|one| one.local.automations.clear());
    assert_eq!(missing, halt(none, &[ReasonCode::AutomationMissing]));
    let two = with_automations(|one| {
        let more = another(one);
        one.local.automations.push(more);
    });
    assert_eq!(
        two,
        halt(
            none,
            &[ReasonCode::AutomationDuplicate, ReasonCode::OwnershipMismatch]
        )
    );
    let variant = with_automations(|one| {
        one.local.automations[0].loop_key =
            LoopKey::new("github-codex-pr-loop:Octo-Org/widgets#42").expect("a key");
    });
    assert_eq!(variant, halt(none, &[ReasonCode::AutomationKeyVariant]));
    let paused_variant = with_automations(|one| {
        let mut more = another(one);
        more.loop_key = LoopKey::new("GITHUB-CODEX-PR-LOOP:octo-org/widgets#42").expect("a key");
        more.status = AutomationStatus::Paused;
        one.local.automations.push(more);
    });
    assert_eq!(
        paused_variant,
        halt(
            none,
            &[
                ReasonCode::AutomationDuplicate,
                ReasonCode::AutomationKeyVariant,
                ReasonCode::OwnershipMismatch
            ]
        )
    );
    let other_owner = with_automations(|one| {
        one.local.automations[0].id = AutomationId::new("automation-8").expect("an id")
    });
    assert_eq!(other_owner, halt(none, &[ReasonCode::OwnershipMismatch]));
    let rekeyed = with_automations(|one| {
        one.local.automations[0].loop_key =
            LoopKey::new("github-codex-pr-loop:octo-org/widgets#43").expect("a key");
    });
    assert_eq!(rekeyed, halt(none, &[ReasonCode::OwnershipMismatch]));
    let unowned = with_automations(|one| {
        one.persisted.owned_automation_id = None;
        one.persisted.owned_automation_status = None;
    });
    assert_eq!(unowned, halt(none, &[ReasonCode::OwnershipMismatch]));
    let other_user = with_automations(|one| one.hosted.current_user_database_id = Some(id(5)));
    assert_eq!(other_user, halt(none, &[ReasonCode::AuthenticationChanged]));
    let no_user = with_automations(|one| one.hosted.current_user_database_id = None);
    assert_eq!(no_user, halt(none, &[ReasonCode::AuthenticationFailure]));
    let unauthenticated = with_automations(|one| one.local.stops = vec![ObservedStop::AuthenticationFailure]);
    assert_eq!(unauthenticated, halt(none, &[ReasonCode::AuthenticationFailure]));
    let stranger = with_automations(|one| {
        let mut more = another(one);
        more.loop_key = LoopKey::new("github-codex-pr-loop:octo-org/widgets#43").expect("a key");
        one.local.automations.push(more);
    });
    assert_eq!(
        stranger.0,
        Action::ApplyFix,
        "another pull request's automation is nobody's doubt"
    );
    let twice = changed(findings(Mode::Autonomous), |one| {
        one.local.automations.push(one.local.automations[0].clone())
    });
    refusal(&twice);
}

#[test]
fn every_other_stop_pauses_an_active_automation_and_leaves_a_paused_one() {
    type Change = Box<dyn Fn(&mut RecurringState)>;
    let stops: Vec<(ReasonCode, Change)> = vec![
        (
            ReasonCode::ScheduleMismatch,
            Box::new(|one| {
                one.local.automations[0].heartbeat_rrule =
                    ViewedSchedule::new("FREQ=MINUTELY;INTERVAL=5").expect("a schedule");
            }),
        ),
        (
            ReasonCode::ScheduleMismatch,
            Box::new(|one| {
                one.local.automations[0].heartbeat_rrule =
                    ViewedSchedule::new("freq=minutely;interval=2").expect("a schedule");
            }),
        ),
        (
            ReasonCode::RemoteDrift,
            Box::new(|one| one.local.remote_name = Some(RemoteName::new("upstream").expect("a name"))),
        ),
        (
            ReasonCode::RemoteDrift,
            Box::new(|one| one.local.remote_name = None),
        ),
        (
            ReasonCode::BaseTipDrift,
            Box::new(|one| one.hosted.pull_request.current_base_sha = sha('e')),
        ),
        (
            ReasonCode::HeadDrift,
            Box::new(|one| one.hosted.pull_request.current_head_sha = sha('e')),
        ),
        (
            ReasonCode::BaseBranchDrift,
            Box::new(|one| one.hosted.pull_request.current_base_branch = branch("release")),
        ),
        (
            ReasonCode::HeadBranchDrift,
            Box::new(|one| one.hosted.pull_request.current_head_branch = branch("renamed")),
        ),
        (
            ReasonCode::TopologyMismatch,
            Box::new(|one| {
                one.hosted.pull_request.head_repository =
                    Some(FullName::new("fork/widgets").expect("a name"));
            }),
        ),
        (
            ReasonCode::TopologyMismatch,
            Box::new(|one| one.hosted.pull_request.head_repository = None),
        ),
        (
            ReasonCode::UnsafeDrift,
            Box::new(|one| one.local.stops = vec![ObservedStop::UnsafeDrift]),
        ),
        (
            ReasonCode::AmbiguousFeedback,
            Box::new(|one| one.local.stops = vec![ObservedStop::AmbiguousFeedback]),
        ),
        (
            ReasonCode::FailedValidation,
            Box::new(|one| one.local.stops = vec![ObservedStop::FailedValidation]),
        ),
        (
            ReasonCode::FailedPush,
            Box::new(|one| one.local.stops = vec![ObservedStop::FailedPush]),
        ),
        (
            ReasonCode::RefusedReadyTransition,
            Box::new(|one| one.local.stops = vec![ObservedStop::RefusedReadyTransition]),
        ),
        (
            ReasonCode::DestructiveGitNeed,
            Box::new(|one| one.local.stops = vec![ObservedStop::DestructiveGitNeed]),
        ),
    ];
    for (reason, stop) in stops {
        for mode in [Mode::Autonomous, Mode::ApprovalGated] {
            for base in [state(mode), findings(mode), no_findings(mode)] {
                let active = changed(base, |one| stop(one));
                assert_eq!(outcome(&active), halt(AutomationAction::Pause, &[reason]));
                let paused = changed(active.clone(), |one| {
                    set_automation_status(one, AutomationStatus::Paused)
                });
                assert_eq!(outcome(&paused), halt(AutomationAction::None, &[reason]));
                let expired = changed(active.clone(), |one| {
                    one.hosted.observed_at = time("2026-03-01T13:00:00Z")
                });
                assert_eq!(
                    outcome(&expired),
                    halt(AutomationAction::Pause, &[reason]),
                    "no cleanup"
                );
                let closed = changed(active, |one| {
                    one.hosted.pull_request.state = PullRequestState::Merged
                });
                let (action, automation_action, reasons) = outcome(&closed);
                assert_eq!(
                    (action, automation_action),
                    (Action::Halt, AutomationAction::Pause),
                    "no cleanup"
                );
                assert!(reasons.contains(&reason) && reasons.contains(&ReasonCode::PullRequestMerged));
            }
        }
    }
}

#[test]
fn a_closed_pull_request_is_cleaned_up_only_with_every_binding_proven() {
    type Change = fn(&mut RecurringState);
    let closings: [(ReasonCode, Change); 3] = [
        (ReasonCode::PullRequestClosed, |one| {
            one.hosted.pull_request.state = PullRequestState::Closed
        }),
        (ReasonCode::PullRequestMerged, |one| {
            one.hosted.pull_request.state = PullRequestState::Merged
        }),
        (ReasonCode::HeadBranchDeleted, |one| {
            one.hosted.pull_request.head_branch_exists = false
        }),
    ];
    for (reason, close) in closings {
        for status in [AutomationStatus::Active, AutomationStatus::Paused] {
            let closed = changed(findings(Mode::Autonomous), |one| {
                close(one);
                set_automation_status(one, status);
            });
            assert_eq!(outcome(&closed), halt(AutomationAction::DeleteOwned, &[reason]));
        }
        let report = changed(example::report_only().expect("a state"), close);
        assert_eq!(outcome(&report), halt(AutomationAction::None, &[reason]));
    }
}
