//! The complete normalised state of one wakeup: what the automation prompt persists, what is seen on this machine, and
//! what GitHub shows. The first two form the checkpoint file; [`merge`] adds the third.

use super::boundary::ExecutionBoundary;
use super::canonical::Json;
use super::error::{EvaluatorError, Place};
use super::manifest::Repository;
use super::plan::{FinalizationManifest, RemediationManifest};
use super::policy::ReactionAuthorType;
use super::terms::{
    AuthorType, AutomationId, BranchName, ClaimPurpose, ClaimToken, Command, Count, DatabaseId, FixRounds,
    FullName, GateState, Hash, HeartbeatRrule, LoopKey, Mode, PullRequestNumber, PullRequestUrl, RemoteName,
    RequestKey, ResponseId, RunId, SchemaVersion, Sha, ThreadId, Timestamp, TrustedBotId, ViewedSchedule,
};
use super::vocabulary::{Term, record, words};

words! {
    /// "Request state: pending, awaiting-remediation-approval, awaiting-finalization-approval, or processing."
    RequestState {
        /// No plan is being decided or carried out.
        Pending = "pending",
        /// "For await-remediation-approval, persist that state."
        AwaitingRemediationApproval = "awaiting-remediation-approval",
        /// "For await-finalization-approval, persist that state."
        AwaitingFinalizationApproval = "awaiting-finalization-approval",
        /// "Atomically update the exact owned automation to PAUSED plus processing."
        Processing = "processing",
    }
}

record! {
    /// "Record the canonical comment ID, GitHub created_at, and full SHA."
    Request {
        /// "Request comment ID."
        comment_id: DatabaseId,
        /// "Numeric author ID."
        author_database_id: DatabaseId,
        /// "Round zero uses the initial manifest; later rounds use the remediation manifest with round fix_rounds + 1."
        round: FixRounds,
        /// "Creation time."
        created_at: Timestamp,
        /// "Deadline": exactly 60 minutes after the creation.
        deadline: Timestamp,
        /// "SHA": the full head SHA that the request asks to review.
        head_sha: Sha,
        /// "Request-time base SHA."
        base_sha: Sha,
        /// "Request key": `<comment-id>:<full-head-sha>`.
        request_key: RequestKey,
        /// "Request state."
        state: RequestState,
    }
}

record! {
    /// "A unique processing claim token only while processing", with what it was taken for.
    Claim {
        /// "Generate a unique claim token."
        token: ClaimToken,
        /// "Require the same … request key."
        request_key: RequestKey,
        /// "Require the same … plan hash."
        plan_hash: Hash,
        /// What the claim's plan does.
        purpose: ClaimPurpose,
    }
}

words! {
    /// An automation's status as its view shows it; deleted ones are not listed.
    AutomationStatus {
        /// The heartbeat runs.
        Active = "ACTIVE",
        /// The heartbeat is paused.
        Paused = "PAUSED",
    }
}

record! {
    /// "Persist in the automation prompt."
    Persisted {
        /// "Policy schema version and selected mode."
        mode: Mode,
        /// "And 32-hex run ID."
        run_id: RunId,
        /// "Exact policy heartbeat schedule."
        heartbeat_rrule: HeartbeatRrule,
        /// "Trusted Codex bot database ID."
        trusted_bot_database_id: TrustedBotId,
        /// "Canonical repository."
        repository: Repository,
        /// "PR number."
        pull_request_number: PullRequestNumber,
        /// "PR … URL."
        pull_request_url: PullRequestUrl,
        /// "Remote name"; null in report-only, which runs no local Git.
        remote_name: Option<RemoteName>,
        /// "Configured base … branches."
        configured_base_branch: BranchName,
        /// "Configured … head branches."
        configured_head_branch: BranchName,
        /// "Owned automation ID"; "report-only: … owned_automation_id: null".
        owned_automation_id: Option<AutomationId>,
        /// "Owned automation … status" as it was persisted; the viewed one decides. Null without an owned automation.
        owned_automation_status: Option<AutomationStatus>,
        /// "Canonical loop key."
        automation_key: LoopKey,
        /// "Request comment ID, numeric author ID, creation time, deadline, SHA, …"; null only in report-only on a pull request without a canonical request.
        request: Option<Request>,
        /// "Successfully pushed fix rounds from zero through five."
        fix_rounds: FixRounds,
        /// "Completed request keys", sorted.
        completed_request_keys: Vec<RequestKey>,
        /// "A unique processing claim token only while processing."
        claim: Option<Claim>,
        /// "Post-finalization boolean … present only during post-mutation verification."
        post_finalization: bool,
        /// "The original claimed finalization request key", null outside post-finalization.
        claimed_finalization_request_key: Option<RequestKey>,
        /// "The original claimed finalization … hash", null outside post-finalization.
        claimed_finalization_plan_hash: Option<Hash>,
        /// "Current remediation manifest … or null."
        remediation_manifest: Option<RemediationManifest>,
        /// "Current remediation … hash … or null."
        remediation_plan_hash: Option<Hash>,
        /// "Approved remediation request key … or null."
        approved_remediation_request_key: Option<RequestKey>,
        /// "Approved remediation … hash, or null."
        approved_remediation_plan_hash: Option<Hash>,
        /// "Current sanitized Git execution-boundary record, or null."
        execution_boundary: Option<ExecutionBoundary>,
        /// "Current finalization manifest … or null."
        finalization_manifest: Option<FinalizationManifest>,
        /// "Current finalization … hash … or null."
        finalization_plan_hash: Option<Hash>,
        /// "Approved finalization request key … or null."
        approved_finalization_request_key: Option<RequestKey>,
        /// "Approved finalization … hash, or null."
        approved_finalization_plan_hash: Option<Hash>,
    }
}

record! {
    /// "Validate its ID/status through view": one viewed, non-deleted automation that carries a Loop key line.
    ViewedAutomation {
        /// "Exact automation ID."
        id: AutomationId,
        /// "Inspect every viewed … automation prompt case-insensitively for the dedicated Loop key: line": the key as written.
        loop_key: LoopKey,
        /// "Exact automation … status."
        status: AutomationStatus,
        /// "Exact automation … schedule": "Validate the viewed schedule at … every wakeup."
        heartbeat_rrule: ViewedSchedule,
    }
}

words! {
    /// "Stop repository and GitHub writes on …": the stops that only whoever carries out the plan can see.
    ObservedStop {
        /// "Authentication failure."
        AuthenticationFailure = "authentication-failure",
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
    }
}

record! {
    /// "Report every pass: … validation executed."
    ExecutedValidation {
        /// The literal command.
        command: Command,
        /// Whether it succeeded.
        passed: bool,
    }
}

record! {
    /// What is seen on this machine now.
    Local {
        /// "Exact remote name": the one remote that maps to the repository now; null when there is none or several, and in report-only.
        remote_name: Option<RemoteName>,
        /// "Every viewed non-deleted ACTIVE and PAUSED automation" with this Loop key in any case; "report-only: … supply automations: []".
        automations: Vec<ViewedAutomation>,
        /// "Stop repository and GitHub writes on …", sorted.
        stops: Vec<ObservedStop>,
        /// "Validation executed" since the last report.
        validation_executed: Vec<ExecutedValidation>,
    }
}

words! {
    /// A pull request's state.
    PullRequestState {
        /// Open.
        Open = "open",
        /// "Closed … PR."
        Closed = "closed",
        /// "Merged PR."
        Merged = "merged",
    }
}

record! {
    /// "Fetch current PR metadata, exact head SHA, current base SHA, current PR base/head branches."
    HostedPullRequest {
        /// "PR number."
        number: PullRequestNumber,
        /// "PR … URL."
        url: PullRequestUrl,
        /// "Closed/merged PR."
        state: PullRequestState,
        /// "PR draft state."
        is_draft: bool,
        /// "Host/topology": the repository of the base branch.
        base_repository: FullName,
        /// "Host/topology": the repository of the head branch, null when it was deleted.
        head_repository: Option<FullName>,
        /// "Freshly fetched current PR base … branches."
        current_base_branch: BranchName,
        /// "Freshly fetched current PR … head branches."
        current_head_branch: BranchName,
        /// "Deleted branch."
        head_branch_exists: bool,
        /// "Freshly fetched current base SHA": the tip of the base branch.
        current_base_sha: Sha,
        /// "Exact head SHA."
        current_head_sha: Sha,
    }
}

record! {
    /// "Confirm receipt by an eyes reaction from the numeric bot identity in the policy."
    Receipt {
        /// "Exact user.id": any author of the reaction; only the policy's bot confirms.
        author_database_id: DatabaseId,
        /// "Require REST user.type == \"Bot\"": on reactions REST serialises an app as `User`.
        author_type: ReactionAuthorType,
        /// When the reaction was made.
        created_at: Timestamp,
    }
}

words! {
    /// What a response says.
    ResponseOutcome {
        /// It reports at least one finding.
        Findings = "findings",
        /// "Explicitly reports no findings."
        NoFindings = "no-findings",
        /// Neither can be told.
        Unclear = "unclear",
    }
}

record! {
    /// "For each response, normalize …": one candidate response, qualifying or not.
    Response {
        /// "Normalized response IDs."
        id: ResponseId,
        /// "Numeric ID matches the policy"; null when GitHub gives no author.
        author_database_id: Option<DatabaseId>,
        /// "Its author type is Bot."
        author_type: AuthorType,
        /// "Creation … times."
        created_at: Timestamp,
        /// "Normalize content_version_at from its latest edit/update time (or immutable submission time)."
        content_version_at: Timestamp,
        /// "Hash its current body with SHA-256."
        body_hash: Hash,
        /// "Record an explicit triggering request comment ID when GitHub exposes one."
        trigger_request_id: Option<DatabaseId>,
        /// "An exact commit SHA": the one the response names, null when it names none.
        commit_sha: Option<Sha>,
        /// "Zero intervening @codex requests": those between the canonical request and this response.
        intervening_requests: Count,
        /// "Explicitly reports no findings."
        outcome: ResponseOutcome,
    }
}

record! {
    /// "Thread snapshots with IDs, root IDs, content versions, body hashes, and position hashes."
    ThreadSnapshot {
        /// "IDs."
        id: ThreadId,
        /// "Root IDs": the root comment's database ID.
        root_comment_id: DatabaseId,
        /// "Trusted-Codex-rooted": the root author's database ID.
        root_author_database_id: TrustedBotId,
        /// "Content versions": the newest change of any comment in the thread.
        content_version_at: Timestamp,
        /// "Body hashes": SHA-256 over the bodies of the thread's comments in order.
        body_hash: Hash,
        /// "Position hashes": SHA-256 over path, line and outdatedness.
        position_hash: Hash,
    }
}

record! {
    /// "Four explicit merge-gate states."
    Gates {
        /// "Required checks."
        required_checks: GateState,
        /// "Approvals."
        approvals: GateState,
        /// "Mergeability."
        mergeability: GateState,
        /// "Branch protection."
        branch_protection: GateState,
    }
}

impl Gates {
    /// "Missing or unknown evidence blocks merge readiness."
    pub(crate) fn all_pass(&self) -> bool {
        [
            self.required_checks,
            self.approvals,
            self.mergeability,
            self.branch_protection,
        ]
        .iter()
        .all(|state| *state == GateState::Pass)
    }
}

record! {
    /// What GitHub shows now.
    Hosted {
        /// "Snapshot time": when the reading ended.
        observed_at: Timestamp,
        /// "Current-user IDs": the authenticated user, null when the authentication failed.
        current_user_database_id: Option<DatabaseId>,
        /// "Current PR metadata."
        pull_request: HostedPullRequest,
        /// "An eyes reaction confirms receipt only"; null without one.
        receipt: Option<Receipt>,
        /// "Include every candidate response in the complete evaluator snapshot", sorted by ID.
        responses: Vec<Response>,
        /// "Sorted current actionable … Codex thread snapshots": unresolved, not addressed.
        actionable_threads: Vec<ThreadSnapshot>,
        /// "Sorted current … finalization-eligible Codex thread snapshots": unresolved, addressed or outdated.
        finalization_eligible_threads: Vec<ThreadSnapshot>,
        /// "All non-Codex-rooted unresolved threads."
        non_codex_unresolved_threads: Count,
        /// "Explicit check, approval, mergeability, and branch-protection gate states."
        gates: Gates,
    }
}

impl Hosted {
    /// "Require … exact user.id": only the policy's bot confirms receipt.
    pub(crate) fn receipt_confirmed(&self) -> bool {
        self.receipt
            .as_ref()
            .is_some_and(|receipt| TrustedBotId::MINIMUM.is(receipt.author_database_id))
    }
}

record! {
    /// The checkpoint file: everything of the state that GitHub does not show.
    Checkpoint {
        /// "Exact v1."
        schema_version: SchemaVersion,
        /// "Persist in the automation prompt."
        persisted: Persisted,
        /// What is seen on this machine now.
        local: Local,
    }
}

record! {
    /// "Build the complete normalized state required by scripts/evaluate_state.py."
    RecurringState {
        /// "Exact v1."
        schema_version: SchemaVersion,
        /// "Persist in the automation prompt."
        persisted: Persisted,
        /// What is seen on this machine now.
        local: Local,
        /// "On every heartbeat: fetch …": what GitHub shows now.
        hosted: Hosted,
    }
}

/// Reads a checkpoint file, without judging whether it is consistent: that is the evaluation's part.
///
/// # Errors
/// Anything that is not an exact version 1 checkpoint.
pub fn read_checkpoint(bytes: &[u8]) -> Result<Checkpoint, EvaluatorError> {
    Checkpoint::read(&Json::parse(bytes)?, &Place::root("checkpoint"))
}

/// The complete state: a checkpoint and what GitHub shows, sorted as version 1 asks for.
pub fn merge(checkpoint: Checkpoint, mut hosted: Hosted) -> RecurringState {
    hosted.responses.sort_by(|a, b| a.id.cmp(&b.id));
    hosted.actionable_threads.sort_by(|a, b| a.id.cmp(&b.id));
    hosted
        .finalization_eligible_threads
        .sort_by(|a, b| a.id.cmp(&b.id));
    let Checkpoint {
        schema_version,
        persisted,
        local,
    } = checkpoint;
    RecurringState {
        schema_version,
        persisted,
        local,
        hosted,
    }
}
