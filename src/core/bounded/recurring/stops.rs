//! What stops the loop before any response is weighed: authentication, this machine, GitHub, the checkpoint itself.

use super::ownership::Ownership;
use super::reason::ReasonCode;
use crate::bounded::policy::policy_heartbeat;
use crate::bounded::state::{
    AutomationStatus, ObservedStop, PullRequestState, RecurringState, Request, RequestState,
};
use crate::bounded::terms::{ClaimPurpose, Mode};

/// "Halt if the authenticated GitHub numeric user ID changed."
pub(super) fn authentication(state: &RecurringState, request: &Request) -> Option<ReasonCode> {
    match state.hosted.current_user_database_id {
        None => Some(ReasonCode::AuthenticationFailure),
        Some(user) if user != request.author_database_id => Some(ReasonCode::AuthenticationChanged),
        Some(_) => None,
    }
}

/// The remote's name, the automation's schedule, and what whoever carries out the plan has seen.
pub(super) fn local(state: &RecurringState, ownership: &Ownership<'_>) -> Vec<ReasonCode> {
    let mut stops: Vec<ReasonCode> = state.local.stops.iter().copied().map(observed).collect();
    if state.local.remote_name != state.persisted.remote_name {
        stops.push(ReasonCode::RemoteDrift);
    }
    let schedule = ownership
        .single()
        .map(|automation| automation.heartbeat_rrule.as_str());
    if schedule.is_some_and(|schedule| schedule != policy_heartbeat()) {
        stops.push(ReasonCode::ScheduleMismatch);
    }
    stops
}

fn observed(stop: ObservedStop) -> ReasonCode {
    match stop {
        ObservedStop::AuthenticationFailure => ReasonCode::AuthenticationFailure,
        ObservedStop::UnsafeDrift => ReasonCode::UnsafeDrift,
        ObservedStop::AmbiguousFeedback => ReasonCode::AmbiguousFeedback,
        ObservedStop::FailedValidation => ReasonCode::FailedValidation,
        ObservedStop::FailedPush => ReasonCode::FailedPush,
        ObservedStop::RefusedReadyTransition => ReasonCode::RefusedReadyTransition,
        ObservedStop::DestructiveGitNeed => ReasonCode::DestructiveGitNeed,
    }
}

/// "Before any action or cleanup, require current_base_sha == request_base_sha, current PR base/head branches equal the
/// persisted configured branches, and current head equal the request head."
pub(super) fn hosted(state: &RecurringState) -> Vec<ReasonCode> {
    let pull = &state.hosted.pull_request;
    let persisted = &state.persisted;
    let repository = persisted.repository.full_name();
    let mut stops = Vec::new();
    match pull.state {
        PullRequestState::Open => {}
        PullRequestState::Closed => stops.push(ReasonCode::PullRequestClosed),
        PullRequestState::Merged => stops.push(ReasonCode::PullRequestMerged),
    }
    let mut stop_if = |holds: bool, reason| {
        if holds {
            stops.push(reason);
        }
    };
    stop_if(!pull.head_branch_exists, ReasonCode::HeadBranchDeleted);
    let elsewhere = pull.base_repository != repository || pull.head_repository.as_ref() != Some(&repository);
    stop_if(elsewhere, ReasonCode::TopologyMismatch);
    stop_if(
        pull.current_base_branch != persisted.configured_base_branch,
        ReasonCode::BaseBranchDrift,
    );
    stop_if(
        pull.current_head_branch != persisted.configured_head_branch,
        ReasonCode::HeadBranchDrift,
    );
    if let Some(request) = &persisted.request {
        stop_if(pull.current_head_sha != request.head_sha, ReasonCode::HeadDrift);
        stop_if(
            pull.current_base_sha != request.base_sha,
            ReasonCode::BaseTipDrift,
        );
        let replayed = persisted.completed_request_keys.contains(&request.request_key);
        stop_if(replayed, ReasonCode::ReplayedRequest);
    }
    stops
}

/// The claim's form, and whether the recorded state fits what is recorded beside it.
pub(super) fn checkpoint(
    state: &RecurringState,
    request: &Request,
    ownership: &Ownership<'_>,
) -> Vec<ReasonCode> {
    let persisted = &state.persisted;
    let mut stops = Vec::new();
    match request.state {
        RequestState::Processing => {
            stops.extend(claim_form(state, request));
            let active = ownership
                .single()
                .is_some_and(|automation| automation.status == AutomationStatus::Active);
            if active {
                stops.push(ReasonCode::StatusInconsistent);
            }
            return stops;
        }
        RequestState::Pending => {}
        RequestState::AwaitingRemediationApproval | RequestState::AwaitingFinalizationApproval => {
            if persisted.mode != Mode::ApprovalGated {
                stops.push(ReasonCode::StateInconsistent);
            }
        }
    }
    let leftover = persisted.claim.is_some()
        || persisted.post_finalization
        || persisted.claimed_finalization_request_key.is_some()
        || persisted.claimed_finalization_plan_hash.is_some();
    if leftover {
        stops.push(ReasonCode::ClaimUnexpected);
    }
    // Each pushed fix completes one key and opens the next round.
    let earlier = persisted
        .completed_request_keys
        .iter()
        .filter(|key| **key != request.request_key)
        .count();
    if request.round != persisted.fix_rounds || u64::try_from(earlier) != Ok(persisted.fix_rounds.get()) {
        stops.push(ReasonCode::StateInconsistent);
    }
    stops
}

/// "Require the same … request key, plan hash, and token."
fn claim_form(state: &RecurringState, request: &Request) -> Option<ReasonCode> {
    let persisted = &state.persisted;
    let Some(claim) = &persisted.claim else {
        return Some(ReasonCode::ClaimMissing);
    };
    let named = claim.token.well_formed() && claim.request_key == request.request_key;
    let fits = if persisted.post_finalization {
        // The original hash stays with the claim, while the plan beside it is the one made after the mutations.
        claim.purpose == ClaimPurpose::Finalization
            && persisted.claimed_finalization_request_key.as_ref() == Some(&claim.request_key)
            && persisted.claimed_finalization_plan_hash.as_ref() == Some(&claim.plan_hash)
            && persisted.finalization_manifest.is_some()
            && approved_as_claimed(state)
    } else {
        let planned = match claim.purpose {
            ClaimPurpose::Remediation => persisted.remediation_plan_hash.as_ref(),
            ClaimPurpose::Finalization => persisted.finalization_plan_hash.as_ref(),
        };
        planned == Some(&claim.plan_hash)
            && persisted.claimed_finalization_request_key.is_none()
            && persisted.claimed_finalization_plan_hash.is_none()
    };
    (!(named && fits)).then_some(ReasonCode::ClaimMalformed)
}

/// In approval-gated mode the claimed finalization is the approved one.
fn approved_as_claimed(state: &RecurringState) -> bool {
    let persisted = &state.persisted;
    match persisted.mode {
        Mode::Autonomous | Mode::ReportOnly => true,
        Mode::ApprovalGated => {
            persisted.approved_finalization_request_key == persisted.claimed_finalization_request_key
                && persisted.approved_finalization_plan_hash == persisted.claimed_finalization_plan_hash
        }
    }
}
