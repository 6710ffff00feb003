//! Why an action was chosen: a closed list of codes, each with its sentence.

use crate::bounded::terms::Statement;
use crate::bounded::vocabulary::{record, words};

words! {
    /// "Report … every blocker": the code of one reason. Stops come first.
    ReasonCode {
        /// "Authentication failure."
        AuthenticationFailure = "authentication-failure",
        /// "Halt if the authenticated GitHub numeric user ID changed."
        AuthenticationChanged = "authentication-changed",
        /// "More than one … halt and report IDs."
        AutomationDuplicate = "automation-duplicate",
        /// "Or a case-variant key."
        AutomationKeyVariant = "automation-key-variant",
        /// "Ownership mismatch."
        OwnershipMismatch = "ownership-mismatch",
        /// No automation carries this pull request's Loop key.
        AutomationMissing = "automation-missing",
        /// "Schedule mismatch."
        ScheduleMismatch = "schedule-mismatch",
        /// "Status/state inconsistency": an open claim on an ACTIVE automation.
        StatusInconsistent = "status-inconsistent",
        /// "Remote-name drift."
        RemoteDrift = "remote-drift",
        /// "PR head and base are in the same repository."
        TopologyMismatch = "topology-mismatch",
        /// "Closed … PR."
        PullRequestClosed = "pull-request-closed",
        /// "Merged PR."
        PullRequestMerged = "pull-request-merged",
        /// "Deleted branch."
        HeadBranchDeleted = "head-branch-deleted",
        /// "Head … change."
        HeadDrift = "head-drift",
        /// "Base-tip change."
        BaseTipDrift = "base-tip-drift",
        /// "PR base … branch drift."
        BaseBranchDrift = "base-branch-drift",
        /// "PR … head branch drift."
        HeadBranchDrift = "head-branch-drift",
        /// "Replayed request."
        ReplayedRequest = "replayed-request",
        /// Processing without a claim.
        ClaimMissing = "claim-missing",
        /// "Malformed claim."
        ClaimMalformed = "claim-malformed",
        /// A claim or post-finalization field outside processing.
        ClaimUnexpected = "claim-unexpected",
        /// "An ordinary paused processing checkpoint is never auto-deleted or retried; report it for manual audit."
        PausedProcessingClaim = "paused-processing-claim",
        /// "Status/state inconsistency": the request state does not fit the rest of the checkpoint.
        StateInconsistent = "state-inconsistent",
        /// "Unsafe drift."
        UnsafeDrift = "unsafe-drift",
        /// "Ambiguous feedback."
        AmbiguousFeedback = "ambiguous-feedback",
        /// "Failed validation."
        FailedValidation = "failed-validation",
        /// "Failed … push."
        FailedPush = "failed-push",
        /// "Refused ready transition."
        RefusedReadyTransition = "refused-ready-transition",
        /// "Any destructive-Git need."
        DestructiveGitNeed = "destructive-git-need",
        /// "Still-draft PR" after the finalization.
        StillDraft = "still-draft",
        /// "Remaining eligible thread" after the finalization.
        EligibleThreadsRemain = "eligible-threads-remain",
        /// "Response conflict": the no-findings result is no longer there.
        ResultWithdrawn = "result-withdrawn",
        /// "Each request expires exactly 60 minutes after its GitHub created_at."
        RequestExpired = "request-expired",
        /// "At five successfully pushed feedback-fix rounds, stop even if feedback remains."
        RoundsExhausted = "rounds-exhausted",
        /// No canonical request, which only report-only allows.
        NoRequest = "no-request",
        /// No qualifying response yet.
        ResponsePending = "response-pending",
        /// The newest qualifying response says neither findings nor no findings.
        ResponseUnclear = "response-unclear",
        /// Findings, or unresolved actionable threads beside a no-findings response.
        Feedback = "feedback",
        /// "The latest qualifying trusted response explicitly reports no findings for the current requested SHA."
        NoFindings = "no-findings",
        /// No remediation plan yet.
        RemediationPlanMissing = "remediation-plan-missing",
        /// "Any changed, omitted, or additional … invalidates the plan."
        RemediationPlanStale = "remediation-plan-stale",
        /// No finalization plan yet.
        FinalizationPlanMissing = "finalization-plan-missing",
        /// "Any changed, omitted, or additional … invalidates the plan."
        FinalizationPlanStale = "finalization-plan-stale",
        /// "Execute only after approval naming both key and hash."
        ApprovalMissing = "approval-missing",
        /// The approval names another request key.
        ApprovalOfOtherKey = "approval-of-other-key",
        /// The approval names another plan hash.
        ApprovalOfOtherHash = "approval-of-other-hash",
        /// The fresh reads after the finalization agree with it.
        FinalizationVerified = "finalization-verified",
    }
}

record! {
    /// One reason.
    Reason {
        /// The code.
        code: ReasonCode,
        /// The same as a sentence with what to do next.
        message: Statement,
    }
}

impl Reason {
    pub(super) fn of(code: ReasonCode) -> Self {
        Self {
            code,
            message: Statement::fixed(code.message()),
        }
    }
}

impl ReasonCode {
    /// "Duplicate, case variant, ownership or authentication in doubt": nothing may be done to any automation.
    pub(super) fn doubts_identity(self) -> bool {
        matches!(
            self,
            Self::AuthenticationFailure
                | Self::AuthenticationChanged
                | Self::AutomationDuplicate
                | Self::AutomationKeyVariant
                | Self::OwnershipMismatch
                | Self::AutomationMissing
        )
    }

    /// The stops after which the owned automation has nothing left to do.
    pub(super) fn closes_pull_request(self) -> bool {
        matches!(
            self,
            Self::PullRequestClosed | Self::PullRequestMerged | Self::HeadBranchDeleted
        )
    }

    fn message(self) -> &'static str {
        match self {
            Self::AuthenticationFailure => {
                "GitHub did not authenticate the user; log in again as the request's author."
            }
            Self::AuthenticationChanged => {
                "The authenticated user is not the request's author; continue as that author."
            }
            Self::AutomationDuplicate => {
                "More than one automation carries this Loop key; remove the wrong ones by hand."
            }
            Self::AutomationKeyVariant => {
                "An automation carries this Loop key in another spelling; correct it by hand."
            }
            Self::OwnershipMismatch => {
                "The viewed automation is not the recorded one; find out by hand who owns it."
            }
            Self::AutomationMissing => "No automation carries this Loop key; start an explicit new run.",
            Self::ScheduleMismatch => "The automation's schedule is not the policy's; correct it by hand.",
            Self::StatusInconsistent => {
                "A processing claim is open and the automation is ACTIVE; audit the last batch by hand."
            }
            Self::RemoteDrift => {
                "The remote that maps to the repository is not the recorded one; restore it or start a new run."
            }
            Self::TopologyMismatch => {
                "Head and base are not in the recorded repository; forks are not supported."
            }
            Self::PullRequestClosed => "The pull request is closed; nothing is left to do.",
            Self::PullRequestMerged => "The pull request is merged; nothing is left to do.",
            Self::HeadBranchDeleted => "The head branch is deleted; nothing is left to do.",
            Self::HeadDrift => "The head is not the requested SHA; start a new run for the new head.",
            Self::BaseTipDrift => {
                "The base tip has moved since the request; start a new run on the new base."
            }
            Self::BaseBranchDrift => {
                "The pull request's base branch is not the configured one; restore it or start a new run."
            }
            Self::HeadBranchDrift => {
                "The pull request's head branch is not the configured one; restore it or start a new run."
            }
            Self::ReplayedRequest => {
                "This request key is already completed; post the next canonical request."
            }
            Self::ClaimMissing => {
                "The request is processing and no claim is recorded; audit the last batch by hand."
            }
            Self::ClaimMalformed => {
                "The processing claim does not fit the request or the plan; audit the last batch by hand."
            }
            Self::ClaimUnexpected => {
                "A claim is recorded and the request is not processing; audit the last batch by hand."
            }
            Self::PausedProcessingClaim => {
                "A batch was claimed and is not finished; audit it by hand, it is never retried."
            }
            Self::StateInconsistent => {
                "The recorded request state does not fit what is recorded beside it; audit the checkpoint by hand."
            }
            Self::UnsafeDrift => "Unsafe or unrelated drift was seen; look at the worktree.",
            Self::AmbiguousFeedback => "The feedback is ambiguous; read it and decide.",
            Self::FailedValidation => "Validation failed; look at its output.",
            Self::FailedPush => "The push failed; find out why before anything else is written.",
            Self::RefusedReadyTransition => {
                "GitHub refused to mark the draft ready; do it by hand or find out why."
            }
            Self::DestructiveGitNeed => {
                "Only destructive Git would go on from here; that is the user's decision."
            }
            Self::StillDraft => "The pull request is still a draft after the finalization; audit it by hand.",
            Self::EligibleThreadsRemain => {
                "Addressed Codex threads are still unresolved after the finalization; audit it by hand."
            }
            Self::ResultWithdrawn => {
                "The no-findings result is no longer proven; audit the finalization by hand."
            }
            Self::RequestExpired => "The request is 60 minutes old or older; start a new run to ask again.",
            Self::RoundsExhausted => "Five fix rounds are pushed and feedback remains; decide by hand.",
            Self::NoRequest => {
                "The pull request has no canonical request; there is no response to correlate."
            }
            Self::ResponsePending => "No trusted response to this request yet; wait for the next wakeup.",
            Self::ResponseUnclear => {
                "The newest trusted response says neither findings nor no findings; read it."
            }
            Self::Feedback => "Actionable Codex feedback stands for the requested SHA.",
            Self::NoFindings => {
                "The latest trusted response reports no findings for the requested SHA and no actionable thread is open."
            }
            Self::RemediationPlanMissing => {
                "Feedback stands and no remediation plan is recorded; build one and evaluate again."
            }
            Self::RemediationPlanStale => {
                "The remediation plan does not fit the present state; build it again and evaluate again."
            }
            Self::FinalizationPlanMissing => {
                "No findings remain and no finalization plan is recorded; build one and evaluate again."
            }
            Self::FinalizationPlanStale => {
                "The finalization plan does not fit the present state; build it again and evaluate again."
            }
            Self::ApprovalMissing => {
                "The plan needs an approval that names this request key and this plan hash."
            }
            Self::ApprovalOfOtherKey => {
                "The approval names another request key; approve this key and this plan hash."
            }
            Self::ApprovalOfOtherHash => {
                "The approval names another plan hash; approve this key and this plan hash."
            }
            Self::FinalizationVerified => "Fresh reads confirm the finalization.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_has_a_sentence_of_its_own() {
        let reasons = ReasonCode::ALL.iter().copied().map(Reason::of);
        let sentences: BTreeSet<String> = reasons
            .map(|reason| reason.message.as_str().to_owned())
            .filter(|message| message.contains(' ') && message.ends_with('.'))
            .collect();
        assert_eq!(sentences.len(), ReasonCode::ALL.len());
    }
}
