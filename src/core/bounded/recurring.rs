//! The recurring evaluation: one complete state in, the one action of this wakeup out.
//!
//! Order: a state that contradicts itself is an error; whatever stops the loop halts it; then post-finalization, expiry,
//! an open claim, and last what the trusted responses say. Only `apply-fix` and `finalize` let anything be written, and
//! only after the claim that goes with them.

mod consistency;
mod ownership;
mod reason;
mod report;
mod responses;
mod stops;

pub use reason::{Reason, ReasonCode};
pub use report::Report;
pub use responses::{RejectedResponse, Rejection};

use super::canonical::Json;
use super::error::{EvaluatorError, Place};
use super::plan::{finalization_is_current, remediation_is_current};
use super::policy::terminal_sentence;
use super::state::{AutomationStatus, Gates, RecurringState, Request, RequestState};
use super::terms::{ClaimPurpose, FixRounds, Hash, Mode, RequestKey, Statement};
use super::vocabulary::{Term, record, words};
use ownership::Ownership;
use responses::{Assessment, Verdict};

words! {
    /// "Follow only its emitted action."
    Action {
        /// Nothing has been said yet; the heartbeat goes on.
        Wait = "wait",
        /// "In report-only, report feedback without any mutation"; elsewhere: a plan has to be built or built again first.
        Report = "report",
        /// "When the evaluator emits apply-fix": claim, then carry out the remediation plan.
        ApplyFix = "apply-fix",
        /// "For await-remediation-approval, persist that state, pause the owned automation, and report."
        AwaitRemediationApproval = "await-remediation-approval",
        /// Claim, then carry out the finalization plan.
        Finalize = "finalize",
        /// "For await-finalization-approval, persist that state, pause the owned automation, and report."
        AwaitFinalizationApproval = "await-finalization-approval",
        /// "Only finish-finalization permits deletion of the exact owned heartbeat and reporting the exact terminal sentence."
        FinishFinalization = "finish-finalization",
        /// "In report-only, only report the exact sentence and separate gates."
        CompleteNoFindings = "complete-no-findings",
        /// "Each request expires exactly 60 minutes after its GitHub created_at."
        Expired = "expired",
        /// "At five successfully pushed feedback-fix rounds, stop even if feedback remains."
        MaxRounds = "max-rounds",
        /// "Stop repository and GitHub writes on …"
        Halt = "halt",
    }
}

words! {
    /// What may be done to the automation.
    AutomationAction {
        /// Nothing.
        None = "none",
        /// Pause the exact owned automation.
        Pause = "pause",
        /// "Generate a unique claim token and atomically update the exact owned automation to PAUSED plus processing."
        PauseAndClaim = "pause-and-claim",
        /// "Delete only a single automation whose ID, canonical key, schedule, remote, and branch/base-tip bindings were revalidated as owned."
        DeleteOwned = "delete-owned",
    }
}

record! {
    /// The recurring evaluation's answer.
    RecurringDecision {
        /// "Follow only its emitted action."
        action: Action,
        /// "Follow the evaluator's schedule action; never infer that deletion is safe."
        automation_action: AutomationAction,
        /// "The request key is: <comment-id>:<full-head-sha>"; null without a request.
        request_key: Option<RequestKey>,
        /// "A finalization claim preserves the evaluator's claim_request_key"; null without a claim.
        claim_request_key: Option<RequestKey>,
        /// "And claim_plan_hash"; null without a claim.
        claim_plan_hash: Option<Hash>,
        /// What the claim is for; null without a claim.
        claim_purpose: Option<ClaimPurpose>,
        /// "Report … every blocker": why this action.
        reasons: Vec<Reason>,
        /// "Use exactly: …"; null unless the exact-SHA no-findings state is proven and final.
        terminal_sentence: Option<Statement>,
        /// "Keep merge readiness false unless every fresh gate passes and the non-Codex count is zero"; never true before `finish-finalization`.
        merge_ready: bool,
        /// "Report … the newly fetched separate merge gates."
        gates: Gates,
        /// "Report every pass."
        report: Report,
    }
}

/// Evaluates one complete state.
///
/// # Errors
/// Anything that is not an exact, consistent version 1 state; no decision is given then.
pub fn evaluate_recurring(bytes: &[u8]) -> Result<RecurringDecision, EvaluatorError> {
    let json = Json::parse(bytes)?;
    let place = Place::root("recurring");
    let state = RecurringState::read(&json, &place)?;
    decide(&state, &place)
}

/// The same for a state that is already read.
///
/// # Errors
/// A state that contradicts itself.
pub(crate) fn decide(state: &RecurringState, place: &Place<'_>) -> Result<RecurringDecision, EvaluatorError> {
    consistency::check(state, place)?;
    let assessment = responses::assess(state);
    let ownership = ownership::of(state);
    let step = match state.persisted.mode {
        Mode::ReportOnly => report_only(state, &assessment),
        Mode::Autonomous | Mode::ApprovalGated => write_capable(state, &assessment, &ownership, place)?,
    };
    let automation_action = automation_action(state, &step, &ownership);
    Ok(answer(state, assessment, &ownership, step, automation_action))
}

/// An action with what it needs and why it was chosen.
struct Step {
    action: Action,
    reasons: Vec<ReasonCode>,
    claim: Option<TakenClaim>,
}

/// The claim that an action takes or, after the finalization, still holds.
struct TakenClaim {
    request_key: RequestKey,
    plan_hash: Hash,
    purpose: ClaimPurpose,
}

impl Step {
    fn of(action: Action, reason: ReasonCode) -> Self {
        Self {
            action,
            reasons: vec![reason],
            claim: None,
        }
    }

    fn halt(reasons: Vec<ReasonCode>) -> Self {
        Self {
            action: Action::Halt,
            reasons,
            claim: None,
        }
    }
}

/// "Perform one strictly read-only pass": a report, and the exact sentence when it is proven.
fn report_only(state: &RecurringState, assessment: &Assessment) -> Step {
    let stops = stops::hosted(state);
    if !stops.is_empty() {
        return Step::halt(stops);
    }
    let Some(request) = &state.persisted.request else {
        return Step::of(Action::Report, ReasonCode::NoRequest);
    };
    match assessment.verdict {
        Verdict::NoFindings => Step::of(Action::CompleteNoFindings, ReasonCode::NoFindings),
        Verdict::Findings => Step::of(Action::Report, ReasonCode::Feedback),
        Verdict::Ambiguous => Step::of(Action::Report, ReasonCode::AmbiguousFeedback),
        Verdict::Unclear => Step::of(Action::Report, ReasonCode::ResponseUnclear),
        Verdict::Silent if expired(state, request) => Step::of(Action::Report, ReasonCode::RequestExpired),
        Verdict::Silent => Step::of(Action::Report, ReasonCode::ResponsePending),
    }
}

fn write_capable(
    state: &RecurringState,
    assessment: &Assessment,
    ownership: &Ownership<'_>,
    place: &Place<'_>,
) -> Result<Step, EvaluatorError> {
    let persisted = &state.persisted;
    // The consistency check has refused a write-capable state without a request.
    let request = persisted.request.as_ref().ok_or_else(|| {
        EvaluatorError::unsound(
            place.field("persisted"),
            "a write-capable mode has a canonical request",
        )
    })?;
    let mut stops = ownership.doubts();
    stops.extend(stops::authentication(state, request));
    stops.extend(stops::local(state, ownership));
    stops.extend(stops::hosted(state));
    stops.extend(stops::checkpoint(state, request, ownership));
    if !stops.is_empty() {
        stops.sort_unstable();
        stops.dedup();
        return Ok(Step::halt(stops));
    }
    if persisted.post_finalization {
        return Ok(after_finalization(state, request, assessment));
    }
    if expired(state, request) {
        let mut step = Step::of(Action::Expired, ReasonCode::RequestExpired);
        if claimed(state) {
            step.reasons.push(ReasonCode::PausedProcessingClaim);
        }
        return Ok(step);
    }
    if request.state == RequestState::Processing {
        return Ok(Step::halt(vec![ReasonCode::PausedProcessingClaim]));
    }
    Ok(match assessment.verdict {
        Verdict::Ambiguous => Step::halt(vec![ReasonCode::AmbiguousFeedback]),
        Verdict::Findings if persisted.fix_rounds == FixRounds::MAXIMUM => {
            Step::of(Action::MaxRounds, ReasonCode::RoundsExhausted)
        }
        Verdict::Findings => remediation(state, request, assessment),
        Verdict::NoFindings => finalization(state, request, assessment),
        Verdict::Silent if request.state != RequestState::Pending => {
            Step::halt(vec![ReasonCode::StateInconsistent])
        }
        // The automation is paused for the approval: nobody would look again by itself.
        Verdict::Unclear if request.state != RequestState::Pending => {
            Step::of(Action::Report, ReasonCode::ResponseUnclear)
        }
        Verdict::Silent => Step::of(Action::Wait, ReasonCode::ResponsePending),
        Verdict::Unclear => Step::of(Action::Wait, ReasonCode::ResponseUnclear),
    })
}

/// A plan that fits: whether it may be carried out now.
enum Approval {
    /// The mode is autonomous, or the user named exactly this key and hash.
    Given,
    /// Nobody, or an approval of something else.
    Missing(ReasonCode),
}

fn approval(
    state: &RecurringState,
    request: &Request,
    hash: &Hash,
    approved: (Option<&RequestKey>, Option<&Hash>),
) -> Approval {
    match (state.persisted.mode, approved) {
        (Mode::Autonomous, _) => Approval::Given,
        (Mode::ReportOnly, _) => Approval::Missing(ReasonCode::ApprovalMissing),
        (Mode::ApprovalGated, (Some(key), Some(named))) => {
            if *key != request.request_key {
                Approval::Missing(ReasonCode::ApprovalOfOtherKey)
            } else if named != hash {
                Approval::Missing(ReasonCode::ApprovalOfOtherHash)
            } else {
                Approval::Given
            }
        }
        (Mode::ApprovalGated, (None, _) | (_, None)) => Approval::Missing(ReasonCode::ApprovalMissing),
    }
}

fn remediation(state: &RecurringState, request: &Request, assessment: &Assessment) -> Step {
    let persisted = &state.persisted;
    let (Some(manifest), Some(hash)) = (&persisted.remediation_manifest, &persisted.remediation_plan_hash)
    else {
        return Step::of(Action::Report, ReasonCode::RemediationPlanMissing);
    };
    if !remediation_is_current(manifest, state, request, &assessment.qualifying) {
        return Step::of(Action::Report, ReasonCode::RemediationPlanStale);
    }
    let approved = (
        persisted.approved_remediation_request_key.as_ref(),
        persisted.approved_remediation_plan_hash.as_ref(),
    );
    match approval(state, request, hash, approved) {
        Approval::Missing(reason) => Step {
            action: Action::AwaitRemediationApproval,
            reasons: vec![ReasonCode::Feedback, reason],
            claim: None,
        },
        Approval::Given => Step {
            action: Action::ApplyFix,
            reasons: vec![ReasonCode::Feedback],
            claim: Some(TakenClaim {
                request_key: request.request_key.clone(),
                plan_hash: hash.clone(),
                purpose: ClaimPurpose::Remediation,
            }),
        },
    }
}

fn finalization(state: &RecurringState, request: &Request, assessment: &Assessment) -> Step {
    let persisted = &state.persisted;
    let (Some(manifest), Some(hash)) = (
        &persisted.finalization_manifest,
        &persisted.finalization_plan_hash,
    ) else {
        return Step::of(Action::Report, ReasonCode::FinalizationPlanMissing);
    };
    if !finalization_is_current(manifest, state, request, &assessment.qualifying) {
        return Step::of(Action::Report, ReasonCode::FinalizationPlanStale);
    }
    let approved = (
        persisted.approved_finalization_request_key.as_ref(),
        persisted.approved_finalization_plan_hash.as_ref(),
    );
    match approval(state, request, hash, approved) {
        Approval::Missing(reason) => Step {
            action: Action::AwaitFinalizationApproval,
            reasons: vec![ReasonCode::NoFindings, reason],
            claim: None,
        },
        Approval::Given => Step {
            action: Action::Finalize,
            reasons: vec![ReasonCode::NoFindings],
            claim: Some(TakenClaim {
                request_key: request.request_key.clone(),
                plan_hash: hash.clone(),
                purpose: ClaimPurpose::Finalization,
            }),
        },
    }
}

/// "It may perform fresh read-only verification and obey only finish-finalization." The claim's form has been checked.
fn after_finalization(state: &RecurringState, request: &Request, assessment: &Assessment) -> Step {
    let persisted = &state.persisted;
    let hosted = &state.hosted;
    let mut failed = Vec::new();
    match assessment.verdict {
        Verdict::NoFindings => {}
        Verdict::Findings => failed.push(ReasonCode::Feedback),
        Verdict::Ambiguous => failed.push(ReasonCode::AmbiguousFeedback),
        Verdict::Silent | Verdict::Unclear => failed.push(ReasonCode::ResultWithdrawn),
    }
    if hosted.pull_request.is_draft {
        failed.push(ReasonCode::StillDraft);
    }
    if !hosted.finalization_eligible_threads.is_empty() {
        failed.push(ReasonCode::EligibleThreadsRemain);
    }
    // "Gate or non-Codex changes do not invalidate the exact-SHA Codex result": the plan is compared with today's.
    let current = persisted.finalization_manifest.as_ref().is_some_and(|manifest| {
        let mut manifest = manifest.clone();
        manifest.gates = hosted.gates.clone();
        manifest.non_codex_unresolved_threads = hosted.non_codex_unresolved_threads;
        finalization_is_current(&manifest, state, request, &assessment.qualifying)
    });
    if !current {
        failed.push(ReasonCode::FinalizationPlanStale);
    }
    if !failed.is_empty() {
        return Step::halt(failed);
    }
    let (Some(request_key), Some(plan_hash)) = (
        &persisted.claimed_finalization_request_key,
        &persisted.claimed_finalization_plan_hash,
    ) else {
        return Step::halt(vec![ReasonCode::ClaimMalformed]);
    };
    Step {
        action: Action::FinishFinalization,
        reasons: vec![ReasonCode::NoFindings, ReasonCode::FinalizationVerified],
        claim: Some(TakenClaim {
            request_key: request_key.clone(),
            plan_hash: plan_hash.clone(),
            purpose: ClaimPurpose::Finalization,
        }),
    }
}

/// "Each request expires exactly 60 minutes after its GitHub created_at": at that second it has expired.
fn expired(state: &RecurringState, request: &Request) -> bool {
    state.hosted.observed_at >= request.deadline
}

/// Whether a processing claim is open. What of one is left outside `processing` is a stop of its own.
fn claimed(state: &RecurringState) -> bool {
    let request = state.persisted.request.as_ref();
    request.is_some_and(|request| request.state == RequestState::Processing)
}

/// The automation action of each situation. Deletion needs the single automation revalidated as owned in every binding:
/// whatever disproves one is a stop of its own, so that only stops that close the pull request leave deletion open.
fn automation_action(state: &RecurringState, step: &Step, ownership: &Ownership<'_>) -> AutomationAction {
    let Ownership::Owned(automation) = ownership else {
        return AutomationAction::None;
    };
    if state.persisted.mode == Mode::ReportOnly || step.reasons.iter().any(|reason| reason.doubts_identity())
    {
        return AutomationAction::None;
    }
    let pause = match automation.status {
        AutomationStatus::Active => AutomationAction::Pause,
        AutomationStatus::Paused => AutomationAction::None,
    };
    match step.action {
        Action::Wait | Action::Report | Action::CompleteNoFindings => AutomationAction::None,
        Action::ApplyFix | Action::Finalize => AutomationAction::PauseAndClaim,
        Action::AwaitRemediationApproval | Action::AwaitFinalizationApproval => AutomationAction::Pause,
        Action::FinishFinalization => AutomationAction::DeleteOwned,
        Action::Expired | Action::MaxRounds if !claimed(state) => AutomationAction::DeleteOwned,
        Action::Halt if !claimed(state) && step.reasons.iter().all(|reason| reason.closes_pull_request()) => {
            AutomationAction::DeleteOwned
        }
        Action::Expired | Action::MaxRounds | Action::Halt => pause,
    }
}

fn answer(
    state: &RecurringState,
    assessment: Assessment,
    ownership: &Ownership<'_>,
    step: Step,
    automation_action: AutomationAction,
) -> RecurringDecision {
    let hosted = &state.hosted;
    let sentence = match step.action {
        Action::FinishFinalization | Action::CompleteNoFindings => {
            Statement::new(terminal_sentence(&hosted.pull_request.current_head_sha)).ok()
        }
        Action::Wait
        | Action::Report
        | Action::ApplyFix
        | Action::AwaitRemediationApproval
        | Action::Finalize
        | Action::AwaitFinalizationApproval
        | Action::Expired
        | Action::MaxRounds
        | Action::Halt => None,
    };
    // "Never derive merge readiness from complete-no-findings."
    let merge_ready = step.action == Action::FinishFinalization
        && hosted.gates.all_pass()
        && hosted.non_codex_unresolved_threads.get() == 0;
    let reasons: Vec<Reason> = step.reasons.iter().copied().map(Reason::of).collect();
    let report = report::of(
        state,
        assessment,
        ownership,
        &step,
        automation_action,
        sentence.clone(),
    );
    let (claim_request_key, claim_plan_hash, claim_purpose) = match step.claim {
        Some(claim) => (
            Some(claim.request_key),
            Some(claim.plan_hash),
            Some(claim.purpose),
        ),
        None => (None, None, None),
    };
    RecurringDecision {
        action: step.action,
        automation_action,
        request_key: state
            .persisted
            .request
            .as_ref()
            .map(|request| request.request_key.clone()),
        claim_request_key,
        claim_plan_hash,
        claim_purpose,
        reasons,
        terminal_sentence: sentence,
        merge_ready,
        gates: hosted.gates.clone(),
        report,
    }
}
