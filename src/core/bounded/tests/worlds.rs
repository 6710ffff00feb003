//! Every world of a small model of the loop, decided twice: by the evaluator, and by the rules written down again here
//! on the model alone. The table says which action can occur in which mode and request state, and no other does.

use super::decision;
use crate::bounded::example;
use crate::bounded::recurring::{Action, AutomationAction};
use crate::bounded::state::{
    AutomationStatus, PullRequestState, RecurringState, RequestState, ResponseOutcome,
};
use crate::bounded::terms::{
    AutomationId, ClaimPurpose, ClaimToken, DatabaseId, FixRounds, Hash, Mode, RequestKey, Sha, Timestamp,
};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    Unclear,
    Both,
    Findings,
    NoFindings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    None,
    Current,
    Stale,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Approved {
    Nothing,
    Exactly,
    OtherKey,
    OtherHash,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claimed {
    No,
    Well,
    Badly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Automation {
    Active,
    Paused,
    Two,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    Young,
    Expired,
    FifthRound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Steady,
    BaseMoved,
    Closed,
}

#[derive(Clone, Copy, Debug)]
struct World {
    mode: Mode,
    request: RequestState,
    said: Said,
    plan: Plan,
    approved: Approved,
    claimed: Claimed,
    finalized: bool,
    automation: Automation,
    age: Age,
    place: Place,
}

/// All worlds that are consistent input: report-only has nothing of the writing modes, and only approval-gated approvals.
fn worlds() -> Vec<World> {
    let mut all = Vec::new();
    for mode in Mode::ALL.iter().copied() {
        let writes = mode != Mode::ReportOnly;
        let gated = mode == Mode::ApprovalGated;
        for request in RequestState::ALL.iter().copied().take(if writes { 4 } else { 1 }) {
            for said in [
                Said::Nothing,
                Said::Unclear,
                Said::Both,
                Said::Findings,
                Said::NoFindings,
            ] {
                for plan in &[Plan::None, Plan::Current, Plan::Stale][..if writes { 3 } else { 1 }] {
                    for approved in &[
                        Approved::Nothing,
                        Approved::Exactly,
                        Approved::OtherKey,
                        Approved::OtherHash,
                    ][..if gated { 4 } else { 1 }]
                    {
                        for claimed in
                            &[Claimed::No, Claimed::Well, Claimed::Badly][..if writes { 3 } else { 1 }]
                        {
                            for finalized in &[false, true][..if writes { 2 } else { 1 }] {
                                for automation in &[Automation::Active, Automation::Paused, Automation::Two]
                                    [..if writes { 3 } else { 1 }]
                                {
                                    for age in [Age::Young, Age::Expired, Age::FifthRound] {
                                        for place in [Place::Steady, Place::BaseMoved, Place::Closed] {
                                            all.push(World {
                                                mode,
                                                request,
                                                said,
                                                plan: *plan,
                                                approved: *approved,
                                                claimed: *claimed,
                                                finalized: *finalized,
                                                automation: *automation,
                                                age,
                                                place,
                                            });
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    all
}

/// The plan that belongs to what was said.
fn purpose(world: &World) -> ClaimPurpose {
    if world.said == Said::NoFindings || world.finalized {
        ClaimPurpose::Finalization
    } else {
        ClaimPurpose::Remediation
    }
}

fn build(world: &World) -> RecurringState {
    let mut state = example::state(world.mode).expect("a state");
    let answer = |outcome| example::response(outcome).expect("a response");
    state.hosted.responses = match world.said {
        Said::Nothing => Vec::new(),
        Said::Unclear => vec![answer(ResponseOutcome::Unclear)],
        Said::Both => {
            let mut other = answer(ResponseOutcome::NoFindings);
            other.id = crate::bounded::terms::ResponseId::new("review:9002").expect("an id");
            vec![answer(ResponseOutcome::Findings), other]
        }
        Said::Findings => vec![answer(ResponseOutcome::Findings)],
        Said::NoFindings => vec![answer(ResponseOutcome::NoFindings)],
    };
    let writes = world.mode != Mode::ReportOnly;
    if world.age == Age::FifthRound && writes {
        let five = FixRounds::MAXIMUM;
        state.persisted.fix_rounds = five;
        state.persisted.request.as_mut().expect("a request").round = five;
        let old = Sha::new("e".repeat(40)).expect("a SHA");
        state.persisted.completed_request_keys = (1..=5)
            .map(|n| RequestKey::of(DatabaseId::new(n).expect("an id"), &old))
            .collect();
    }
    if world.age == Age::Expired {
        state.hosted.observed_at = Timestamp::new("2026-03-01T13:00:00Z").expect("a time");
    }
    if world.finalized {
        state.hosted.pull_request.is_draft = false;
    }
    if writes && world.plan != Plan::None {
        let now = state.hosted.responses.clone();
        if world.plan == Plan::Stale {
            let mut then = answer(ResponseOutcome::Unclear);
            then.body_hash = Hash::of_text("what was said then");
            state.hosted.responses = vec![then];
        }
        match purpose(world) {
            ClaimPurpose::Remediation => {
                state.persisted.execution_boundary = Some(example::boundary().expect("a boundary"));
                example::plan_remediation(&mut state).expect("a plan");
            }
            ClaimPurpose::Finalization => example::plan_finalization(&mut state),
        }
        state.hosted.responses = now;
    }
    let key = state
        .persisted
        .request
        .as_ref()
        .map(|request| request.request_key.clone());
    // The plan that was claimed and approved before the finalization is not the one recorded after it.
    let before = Hash::of_text("the plan before the finalization");
    let planned = match (world.finalized, purpose(world)) {
        (true, _) => Some(before.clone()),
        (false, ClaimPurpose::Remediation) => state.persisted.remediation_plan_hash.clone(),
        (false, ClaimPurpose::Finalization) => state.persisted.finalization_plan_hash.clone(),
    };
    if world.approved != Approved::Nothing {
        let other_key = RequestKey::of(
            DatabaseId::new(9).expect("an id"),
            &Sha::new("d".repeat(40)).expect("a SHA"),
        );
        let named_key = if world.approved == Approved::OtherKey {
            Some(other_key)
        } else {
            key.clone()
        };
        let named_hash = match (world.approved, &planned) {
            (Approved::OtherHash, _) | (_, None) => Some(Hash::of_text("another plan")),
            (_, Some(hash)) => Some(hash.clone()),
        };
        match purpose(world) {
            ClaimPurpose::Remediation => {
                state.persisted.approved_remediation_request_key = named_key;
                state.persisted.approved_remediation_plan_hash = named_hash;
            }
            ClaimPurpose::Finalization => {
                state.persisted.approved_finalization_request_key = named_key;
                state.persisted.approved_finalization_plan_hash = named_hash;
            }
        }
    }
    if world.claimed != Claimed::No {
        let token = if world.claimed == Claimed::Well {
            "00112233445566778899aabbccddeeff"
        } else {
            "TOKEN"
        };
        state.persisted.claim = Some(crate::bounded::state::Claim {
            token: ClaimToken::new(token).expect("a token"),
            request_key: key.clone().expect("a key"),
            plan_hash: planned.unwrap_or(before.clone()),
            purpose: purpose(world),
        });
    }
    if world.finalized {
        state.persisted.post_finalization = true;
        state.persisted.claimed_finalization_request_key = key;
        state.persisted.claimed_finalization_plan_hash = Some(before);
    }
    match world.automation {
        Automation::Active => {}
        Automation::Paused => example::set_automation_status(&mut state, AutomationStatus::Paused),
        Automation::Two => {
            let mut more = state.local.automations[0].clone();
            more.id = AutomationId::new("automation-8").expect("an id");
            state.local.automations.push(more);
        }
    }
    match world.place {
        Place::Steady => {}
        Place::BaseMoved => {
            state.hosted.pull_request.current_base_sha = Sha::new("e".repeat(40)).expect("a SHA")
        }
        Place::Closed => state.hosted.pull_request.state = PullRequestState::Closed,
    }
    example::set_request_state(&mut state, world.request);
    state
}

/// The rules once more, on the model.
fn expected(world: &World) -> (Action, AutomationAction) {
    let halted = |automation_action| (Action::Halt, automation_action);
    if world.mode == Mode::ReportOnly {
        return match (world.place, world.said) {
            (Place::Steady, Said::NoFindings) => (Action::CompleteNoFindings, AutomationAction::None),
            (Place::Steady, _) => (Action::Report, AutomationAction::None),
            (_, _) => halted(AutomationAction::None),
        };
    }
    if world.automation == Automation::Two {
        return halted(AutomationAction::None);
    }
    let pause = if world.automation == Automation::Active {
        AutomationAction::Pause
    } else {
        AutomationAction::None
    };
    let processing = world.request == RequestState::Processing;
    let awaiting = matches!(
        world.request,
        RequestState::AwaitingRemediationApproval | RequestState::AwaitingFinalizationApproval
    );
    let open_claim = processing || world.finalized || world.claimed != Claimed::No;
    // A well-formed claim names the recorded plan, or after the finalization the approved plan before it.
    let claim_stands = world.claimed == Claimed::Well
        && world.plan != Plan::None
        && (!world.finalized || world.mode == Mode::Autonomous || world.approved == Approved::Exactly);
    let checkpoint_wrong = if processing {
        !claim_stands || world.automation == Automation::Active
    } else {
        open_claim || (awaiting && world.mode == Mode::Autonomous)
    };
    if world.place == Place::BaseMoved || checkpoint_wrong {
        return halted(pause);
    }
    if world.place == Place::Closed {
        return halted(if open_claim {
            pause
        } else {
            AutomationAction::DeleteOwned
        });
    }
    if world.finalized {
        let verified = world.said == Said::NoFindings && world.plan == Plan::Current;
        return if verified {
            (Action::FinishFinalization, AutomationAction::DeleteOwned)
        } else {
            halted(pause)
        };
    }
    if world.age == Age::Expired {
        return (
            Action::Expired,
            if processing {
                pause
            } else {
                AutomationAction::DeleteOwned
            },
        );
    }
    if processing {
        return halted(pause);
    }
    let goes = world.mode == Mode::Autonomous || world.approved == Approved::Exactly;
    match (world.said, world.plan) {
        (Said::Both, _) => halted(pause),
        (Said::Nothing, _) if awaiting => halted(pause),
        (Said::Unclear, _) if awaiting => (Action::Report, AutomationAction::None),
        (Said::Nothing | Said::Unclear, _) => (Action::Wait, AutomationAction::None),
        (Said::Findings, _) if world.age == Age::FifthRound => {
            (Action::MaxRounds, AutomationAction::DeleteOwned)
        }
        (Said::Findings | Said::NoFindings, Plan::None | Plan::Stale) => {
            (Action::Report, AutomationAction::None)
        }
        (Said::Findings, Plan::Current) if goes => (Action::ApplyFix, AutomationAction::PauseAndClaim),
        (Said::Findings, Plan::Current) => (Action::AwaitRemediationApproval, AutomationAction::Pause),
        (Said::NoFindings, Plan::Current) if goes => (Action::Finalize, AutomationAction::PauseAndClaim),
        (Said::NoFindings, Plan::Current) => (Action::AwaitFinalizationApproval, AutomationAction::Pause),
    }
}

/// Which action can occur in which mode and request state; what is not here cannot.
fn occurs(action: Action, mode: Mode, request: RequestState) -> bool {
    use RequestState::{AwaitingFinalizationApproval, AwaitingRemediationApproval, Pending, Processing};
    match (mode, request) {
        (Mode::ReportOnly, Pending) => {
            matches!(action, Action::Report | Action::CompleteNoFindings | Action::Halt)
        }
        (Mode::ReportOnly, AwaitingRemediationApproval | AwaitingFinalizationApproval | Processing) => false,
        (Mode::Autonomous, Pending) => matches!(
            action,
            Action::Wait
                | Action::Report
                | Action::ApplyFix
                | Action::Finalize
                | Action::Expired
                | Action::MaxRounds
                | Action::Halt
        ),
        (Mode::Autonomous, AwaitingRemediationApproval | AwaitingFinalizationApproval) => {
            action == Action::Halt
        }
        (Mode::ApprovalGated, Pending) => matches!(
            action,
            Action::Wait
                | Action::Report
                | Action::ApplyFix
                | Action::AwaitRemediationApproval
                | Action::Finalize
                | Action::AwaitFinalizationApproval
                | Action::Expired
                | Action::MaxRounds
                | Action::Halt
        ),
        (Mode::ApprovalGated, AwaitingRemediationApproval | AwaitingFinalizationApproval) => matches!(
            action,
            Action::Report
                | Action::ApplyFix
                | Action::AwaitRemediationApproval
                | Action::Finalize
                | Action::AwaitFinalizationApproval
                | Action::Expired
                | Action::MaxRounds
                | Action::Halt
        ),
        (Mode::Autonomous | Mode::ApprovalGated, Processing) => {
            matches!(
                action,
                Action::FinishFinalization | Action::Expired | Action::Halt
            )
        }
    }
}

#[test]
fn every_world_is_decided_by_the_rules_and_nothing_else_writes() {
    let worlds = worlds();
    assert!(worlds.len() > 40_000, "{}", worlds.len());
    let mut seen = BTreeSet::new();
    for world in &worlds {
        let state = build(world);
        let decided = decision(&state);
        assert_eq!(
            (decided.action, decided.automation_action),
            expected(world),
            "{world:?}\n{:?}",
            decided.reasons
        );
        seen.insert((decided.action, world.mode, world.request));

        let writes = matches!(decided.action, Action::ApplyFix | Action::Finalize);
        assert_eq!(
            writes,
            decided.automation_action == AutomationAction::PauseAndClaim,
            "{world:?}"
        );
        let claims = writes || decided.action == Action::FinishFinalization;
        assert_eq!(claims, decided.claim_request_key.is_some(), "{world:?}");
        assert_eq!(claims, decided.claim_plan_hash.is_some(), "{world:?}");
        assert_eq!(claims, decided.claim_purpose.is_some(), "{world:?}");
        let last = matches!(
            decided.action,
            Action::FinishFinalization | Action::CompleteNoFindings
        );
        assert_eq!(last, decided.terminal_sentence.is_some(), "{world:?}");
        if writes {
            // The preconditions of a write, each by itself.
            assert!(
                world.mode != Mode::ReportOnly && world.plan == Plan::Current && world.place == Place::Steady,
                "{world:?}"
            );
            assert!(
                world.mode == Mode::Autonomous || world.approved == Approved::Exactly,
                "{world:?}"
            );
            assert!(
                world.claimed == Claimed::No && !world.finalized && world.request != RequestState::Processing,
                "{world:?}"
            );
            assert!(
                world.automation != Automation::Two && world.age != Age::Expired,
                "{world:?}"
            );
            let fixes = decided.action == Action::ApplyFix;
            assert_eq!(
                world.said,
                if fixes { Said::Findings } else { Said::NoFindings },
                "{world:?}"
            );
            assert!(!(fixes && world.age == Age::FifthRound), "{world:?}");
        }
        if decided.automation_action == AutomationAction::DeleteOwned {
            assert!(
                world.automation != Automation::Two && world.place != Place::BaseMoved,
                "{world:?}"
            );
            assert!(
                world.claimed == Claimed::No || decided.action == Action::FinishFinalization,
                "{world:?}"
            );
        }
    }
    for action in Action::ALL.iter().copied() {
        for mode in Mode::ALL.iter().copied() {
            for request in RequestState::ALL.iter().copied() {
                let found = seen.contains(&(action, mode, request));
                assert_eq!(
                    found,
                    occurs(action, mode, request),
                    "{action:?} in {mode:?}, {request:?}"
                );
            }
        }
    }
}
