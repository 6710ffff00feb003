//! "Report every pass": the facts of this wakeup, without raw remote URLs, bodies, tokens or secrets.

use super::ownership::Ownership;
use super::reason::Reason;
use super::responses::{Assessment, RejectedResponse};
use super::{Action, AutomationAction, Step};
use crate::bounded::boundary::ValidationCommand;
use crate::bounded::path::RelativePath;
use crate::bounded::state::{AutomationStatus, ExecutedValidation, Gates, RecurringState, RequestState};
use crate::bounded::terms::{
    AutomationId, BranchName, ClaimPurpose, Count, DatabaseId, FixRounds, Hash, Mode, PullRequestUrl,
    RemoteName, RequestKey, ResponseId, Sha, Statement, ThreadId, Timestamp, TrustedBotId, ViewedSchedule,
};
use crate::bounded::vocabulary::record;

record! {
    /// "Automation ID/status/schedule/action."
    ReportedAutomation {
        /// "Automation ID": the viewed one, or the recorded one when none was viewed alone.
        id: Option<AutomationId>,
        /// "Automation … status", as viewed.
        status: Option<AutomationStatus>,
        /// "Automation … schedule", as viewed.
        schedule: Option<ViewedSchedule>,
        /// "Automation … action."
        action: AutomationAction,
        /// "Halt and report IDs": every viewed one.
        viewed_ids: Vec<AutomationId>,
    }
}

record! {
    /// "Approval … state."
    ReportedApproval {
        /// The approved remediation's request key.
        remediation_request_key: Option<RequestKey>,
        /// The approved remediation's plan hash.
        remediation_plan_hash: Option<Hash>,
        /// The approved finalization's request key.
        finalization_request_key: Option<RequestKey>,
        /// The approved finalization's plan hash.
        finalization_plan_hash: Option<Hash>,
    }
}

record! {
    /// "Claim state": what is recorded, without the token.
    ReportedClaim {
        /// The claimed request key.
        request_key: RequestKey,
        /// The claimed plan hash.
        plan_hash: Hash,
        /// What the claim is for.
        purpose: ClaimPurpose,
        /// "A fully populated post_finalization checkpoint."
        post_finalization: bool,
    }
}

record! {
    /// "Feedback handled."
    ReportedFeedback {
        /// Responses that count.
        qualifying_responses: Vec<ResponseId>,
        /// Responses that do not count, and why.
        rejected_responses: Vec<RejectedResponse>,
        /// Unresolved trusted-Codex-rooted threads that are not addressed.
        actionable_threads: Vec<ThreadId>,
        /// Unresolved trusted-Codex-rooted threads that are addressed.
        finalization_eligible_threads: Vec<ThreadId>,
        /// "Every human-authored or other non-Codex thread is a separate blocking fact."
        non_codex_unresolved_threads: Count,
    }
}

record! {
    /// "Report the exact request key, remediation plan hash, feedback, proposed files/commands, current round, and risks."
    Proposal {
        /// Which plan.
        purpose: ClaimPurpose,
        /// The request key that an approval names.
        request_key: RequestKey,
        /// The plan hash that an approval names.
        plan_hash: Hash,
        /// "Proposed files."
        paths: Vec<RelativePath>,
        /// "Proposed … commands."
        validation_commands: Vec<ValidationCommand>,
        /// "Proposed operations", in order.
        operations: Vec<Statement>,
        /// "And risks": the accepted ones, in the user's words.
        risks: Vec<Statement>,
    }
}

record! {
    /// "Report every pass."
    Report {
        /// "PR URL."
        pull_request_url: PullRequestUrl,
        /// "Mode."
        mode: Mode,
        /// When GitHub was read.
        observed_at: Timestamp,
        /// "Configured … PR base … branches."
        configured_base_branch: BranchName,
        /// "Configured … head branches."
        configured_head_branch: BranchName,
        /// "Current PR base … branches."
        current_base_branch: BranchName,
        /// "Current … head branches."
        current_head_branch: BranchName,
        /// "Request … base SHA."
        request_base_sha: Option<Sha>,
        /// "Current base SHA."
        current_base_sha: Sha,
        /// "Remote name": the one seen now.
        remote_name: Option<RemoteName>,
        /// "Current full head SHA."
        current_head_sha: Sha,
        /// "Request key."
        request_key: Option<RequestKey>,
        /// "Request state."
        request_state: Option<RequestState>,
        /// "Deadline."
        request_deadline: Option<Timestamp>,
        /// "Confirm receipt by an eyes reaction": whether the policy's bot confirmed it.
        receipt_confirmed: bool,
        /// "Trusted bot ID."
        trusted_bot_database_id: TrustedBotId,
        /// The authenticated user.
        current_user_database_id: Option<DatabaseId>,
        /// "Fix-round count."
        fix_rounds: FixRounds,
        /// "Automation ID/status/schedule/action."
        automation: ReportedAutomation,
        /// "Approval … state."
        approval: ReportedApproval,
        /// "Claim state", null without a claim.
        claim: Option<ReportedClaim>,
        /// "Feedback handled."
        feedback: ReportedFeedback,
        /// The plan to approve or to carry out, null without one.
        proposal: Option<Proposal>,
        /// "Validation executed."
        validation_executed: Vec<ExecutedValidation>,
        /// "Exact-SHA sentence when applicable."
        terminal_sentence: Option<Statement>,
        /// "Separate merge gates."
        gates: Gates,
        /// "And every blocker or residual risk."
        blockers: Vec<Reason>,
        /// What stands in the way of merging or stays a risk, beside the action's own reasons.
        residual_risks: Vec<Statement>,
    }
}

pub(super) fn of(
    state: &RecurringState,
    assessment: Assessment,
    ownership: &Ownership<'_>,
    step: &Step,
    action: AutomationAction,
    terminal_sentence: Option<Statement>,
) -> Report {
    let persisted = &state.persisted;
    let hosted = &state.hosted;
    let pull = &hosted.pull_request;
    let request = persisted.request.as_ref();
    let viewed = ownership.single();
    Report {
        pull_request_url: persisted.pull_request_url.clone(),
        mode: persisted.mode,
        observed_at: hosted.observed_at.clone(),
        configured_base_branch: persisted.configured_base_branch.clone(),
        configured_head_branch: persisted.configured_head_branch.clone(),
        current_base_branch: pull.current_base_branch.clone(),
        current_head_branch: pull.current_head_branch.clone(),
        request_base_sha: request.map(|request| request.base_sha.clone()),
        current_base_sha: pull.current_base_sha.clone(),
        remote_name: state.local.remote_name.clone(),
        current_head_sha: pull.current_head_sha.clone(),
        request_key: request.map(|request| request.request_key.clone()),
        request_state: request.map(|request| request.state),
        request_deadline: request.map(|request| request.deadline.clone()),
        receipt_confirmed: hosted.receipt_confirmed(),
        trusted_bot_database_id: persisted.trusted_bot_database_id,
        current_user_database_id: hosted.current_user_database_id,
        fix_rounds: persisted.fix_rounds,
        automation: ReportedAutomation {
            id: viewed
                .map(|automation| automation.id.clone())
                .or_else(|| persisted.owned_automation_id.clone()),
            status: viewed.map(|automation| automation.status),
            schedule: viewed.map(|automation| automation.heartbeat_rrule.clone()),
            action,
            viewed_ids: state
                .local
                .automations
                .iter()
                .map(|automation| automation.id.clone())
                .collect(),
        },
        approval: ReportedApproval {
            remediation_request_key: persisted.approved_remediation_request_key.clone(),
            remediation_plan_hash: persisted.approved_remediation_plan_hash.clone(),
            finalization_request_key: persisted.approved_finalization_request_key.clone(),
            finalization_plan_hash: persisted.approved_finalization_plan_hash.clone(),
        },
        claim: persisted.claim.as_ref().map(|claim| ReportedClaim {
            request_key: claim.request_key.clone(),
            plan_hash: claim.plan_hash.clone(),
            purpose: claim.purpose,
            post_finalization: persisted.post_finalization,
        }),
        feedback: ReportedFeedback {
            qualifying_responses: assessment
                .qualifying
                .into_iter()
                .map(|response| response.id)
                .collect(),
            rejected_responses: assessment.rejected,
            actionable_threads: hosted
                .actionable_threads
                .iter()
                .map(|thread| thread.id.clone())
                .collect(),
            finalization_eligible_threads: hosted
                .finalization_eligible_threads
                .iter()
                .map(|thread| thread.id.clone())
                .collect(),
            non_codex_unresolved_threads: hosted.non_codex_unresolved_threads,
        },
        proposal: proposal(state, step.action),
        validation_executed: state.local.validation_executed.clone(),
        terminal_sentence,
        gates: hosted.gates.clone(),
        blockers: blockers(step),
        residual_risks: residual_risks(state),
    }
}

/// The reasons of every action that is neither progress nor a finished loop.
fn blockers(step: &Step) -> Vec<Reason> {
    match step.action {
        Action::Wait
        | Action::Report
        | Action::AwaitRemediationApproval
        | Action::AwaitFinalizationApproval
        | Action::Expired
        | Action::MaxRounds
        | Action::Halt => step.reasons.iter().copied().map(Reason::of).collect(),
        Action::ApplyFix | Action::Finalize | Action::FinishFinalization | Action::CompleteNoFindings => {
            Vec::new()
        }
    }
}

fn proposal(state: &RecurringState, action: Action) -> Option<Proposal> {
    let persisted = &state.persisted;
    let request_key = persisted.request.as_ref()?.request_key.clone();
    match action {
        Action::ApplyFix | Action::AwaitRemediationApproval => {
            let manifest = persisted.remediation_manifest.as_ref()?;
            let accepted = persisted
                .execution_boundary
                .as_ref()
                .and_then(|boundary| boundary.risk_acceptance.as_ref());
            let risks = accepted.map_or_else(Vec::new, |risk| {
                [
                    &risk.git_surfaces,
                    &risk.filesystem_reach,
                    &risk.credentials,
                    &risk.limitations,
                ]
                .into_iter()
                .cloned()
                .collect()
            });
            Some(Proposal {
                purpose: ClaimPurpose::Remediation,
                request_key,
                plan_hash: persisted.remediation_plan_hash.clone()?,
                paths: manifest.paths.iter().map(|record| record.path.clone()).collect(),
                validation_commands: manifest.validation_commands.clone(),
                operations: manifest
                    .operations
                    .iter()
                    .map(|operation| Statement::fixed(operation.as_str()))
                    .collect(),
                risks,
            })
        }
        Action::Finalize | Action::AwaitFinalizationApproval => {
            let manifest = persisted.finalization_manifest.as_ref()?;
            Some(Proposal {
                purpose: ClaimPurpose::Finalization,
                request_key,
                plan_hash: persisted.finalization_plan_hash.clone()?,
                paths: Vec::new(),
                validation_commands: Vec::new(),
                operations: manifest
                    .operations
                    .iter()
                    .map(|operation| Statement::fixed(operation.as_str()))
                    .collect(),
                risks: Vec::new(),
            })
        }
        Action::Wait
        | Action::Report
        | Action::FinishFinalization
        | Action::CompleteNoFindings
        | Action::Expired
        | Action::MaxRounds
        | Action::Halt => None,
    }
}

fn residual_risks(state: &RecurringState) -> Vec<Statement> {
    let hosted = &state.hosted;
    let mut risks = Vec::new();
    if !hosted.gates.all_pass() {
        risks.push(Statement::fixed(
            "At least one merge gate does not pass; merge readiness stays false.",
        ));
    }
    if hosted.non_codex_unresolved_threads.get() > 0 {
        risks.push(Statement::fixed(
            "Unresolved threads that Codex did not begin block merge readiness.",
        ));
    }
    if hosted.pull_request.is_draft {
        risks.push(Statement::fixed("The pull request is a draft."));
    }
    if state.persisted.request.is_some() && !hosted.receipt_confirmed() {
        risks.push(Statement::fixed(
            "The trusted bot has not confirmed receipt of the request.",
        ));
    }
    if state.local.validation_executed.iter().any(|one| !one.passed) {
        risks.push(Statement::fixed("A validation command failed."));
    }
    risks
}
