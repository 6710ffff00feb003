//! The remediation and the finalization manifest: the two plans a claim can be taken for.
//!
//! "Any changed, omitted, or additional response, thread, command, path, remote, base tip, PR branch, head, gate,
//! template, or operation changes or invalidates the plan." A plan that is wrong in itself is an error; a plan that
//! is right in itself but no longer fits the state is stale and must be built again.

use super::boundary::{ValidationCommand, check_commands};
use super::error::{EvaluatorError, Place, require};
use super::path::{PathRecord, check_paths};
use super::state::{Gates, Persisted, RecurringState, Request, Response, ThreadSnapshot};
use super::template::check_request_template;
use super::terms::{
    Body, BranchName, Count, FixRounds, FullName, Hash, PullRequestNumber, PullRequestUrl, RemoteName,
    RequestKey, RunId, SchemaVersion, Sha, TrustedBotId,
};
use super::vocabulary::{record, words};

record! {
    /// "The same remote/branch/base-tip bindings, policy/run/request … identity."
    PlanBindings {
        /// "Policy … identity."
        trusted_bot_database_id: TrustedBotId,
        /// "Run … identity."
        run_id: RunId,
        /// "Request identity."
        request_key: RequestKey,
        /// "PR identity": the repository.
        repository: FullName,
        /// "PR identity": the number.
        pull_request_number: PullRequestNumber,
        /// "PR identity": the canonical address.
        pull_request_url: PullRequestUrl,
        /// "Remote name."
        remote_name: RemoteName,
        /// "Configured base/head branches": base.
        base_branch: BranchName,
        /// "Configured base/head branches": head.
        head_branch: BranchName,
        /// "Request-time base SHA."
        request_base_sha: Sha,
        /// "Current head SHA."
        head_sha: Sha,
    }
}

words! {
    /// "Isolation/risk decision."
    IsolationDecision {
        /// "Run unchanged commands only inside the authorized read/write execution boundary."
        Isolated = "isolated",
        /// "Include that acceptance in the batch manifest."
        RiskAccepted = "risk-accepted",
    }
}

words! {
    /// The operations of a remediation, in their order.
    RemediationOperation {
        /// "Make the smallest traceable fix."
        EditPaths = "edit-paths",
        /// "Run unchanged commands only inside the authorized … boundary": when there are commands.
        RunValidation = "run-validation",
        /// "Before staging/committing, recheck …"
        StagePaths = "stage-paths",
        /// "Before staging/committing, recheck …"
        Commit = "commit",
        /// "Push normally."
        Push = "push",
        /// "Reply under addressed trusted-Codex-rooted inline threads": when there are actionable threads.
        ReplyThreads = "reply-threads",
        /// "Post or reuse exactly one canonical request."
        PostReviewRequest = "post-review-request",
        /// "Persist the new request as pending … before setting the same automation active."
        ActivateAutomation = "activate-automation",
    }
}

record! {
    /// "A remediation manifest covers …"
    RemediationManifest {
        /// "Exact v1."
        schema_version: SchemaVersion,
        /// "Policy/run/request identity, remote name, configured base/head branches, request-time base SHA, current head SHA."
        bindings: PlanBindings,
        /// "Every qualifying response", sorted by ID.
        responses: Vec<Response>,
        /// "Actionable thread snapshot", sorted by ID.
        actionable_threads: Vec<ThreadSnapshot>,
        /// "Proposed paths": "Bind the sorted one-to-one path records."
        paths: Vec<PathRecord>,
        /// "Literal commands and command-definition hashes."
        validation_commands: Vec<ValidationCommand>,
        /// "The next-round review-request body template."
        review_request_template: Body,
        /// "The next-round review-request body template/hash."
        review_request_template_hash: Hash,
        /// "Marker round fix_rounds + 1."
        next_round: FixRounds,
        /// "Isolation … decision."
        isolation_decision: IsolationDecision,
        /// "Current sanitized Git execution-boundary record": its digest.
        execution_boundary_hash: Hash,
        /// "And operations", in order.
        operations: Vec<RemediationOperation>,
    }
}

words! {
    /// The operations of a finalization, in their order.
    FinalizationOperation {
        /// "Mark a draft ready if authorized": when the pull request is a draft.
        MarkReady = "mark-ready",
        /// "Resolve only addressed threads whose root author is the trusted Codex bot": when there are eligible threads.
        ResolveThreads = "resolve-threads",
        /// "Do not delete yet … atomically persist post_finalization: true": always.
        VerifyPostFinalization = "verify-post-finalization",
    }
}

record! {
    /// "A finalization manifest covers …"
    FinalizationManifest {
        /// "Exact v1."
        schema_version: SchemaVersion,
        /// "The same remote/branch/base-tip bindings, policy/run/request and PR identity, … current head."
        bindings: PlanBindings,
        /// "Every qualifying response", sorted by ID.
        responses: Vec<Response>,
        /// "Current … draft state."
        is_draft: bool,
        /// "Eligible trusted-Codex thread snapshots", sorted by ID.
        finalization_eligible_threads: Vec<ThreadSnapshot>,
        /// "Non-Codex count."
        non_codex_unresolved_threads: Count,
        /// "Explicit gate states."
        gates: Gates,
        /// "And proposed operations", in order.
        operations: Vec<FinalizationOperation>,
    }
}

/// The bindings that the present state calls for; none without a remote name, as in report-only.
pub(crate) fn current_bindings(state: &RecurringState, request: &Request) -> Option<PlanBindings> {
    let persisted = &state.persisted;
    Some(PlanBindings {
        trusted_bot_database_id: persisted.trusted_bot_database_id,
        run_id: persisted.run_id.clone(),
        request_key: request.request_key.clone(),
        repository: persisted.repository.full_name(),
        pull_request_number: persisted.pull_request_number,
        pull_request_url: persisted.pull_request_url.clone(),
        remote_name: persisted.remote_name.clone()?,
        base_branch: persisted.configured_base_branch.clone(),
        head_branch: persisted.configured_head_branch.clone(),
        request_base_sha: request.base_sha.clone(),
        head_sha: request.head_sha.clone(),
    })
}

/// Whether the plan stands for exactly this state.
pub(crate) fn remediation_is_current(
    manifest: &RemediationManifest,
    state: &RecurringState,
    request: &Request,
    qualifying: &[Response],
) -> bool {
    Some(&manifest.bindings) == current_bindings(state, request).as_ref()
        && manifest.responses == qualifying
        && manifest.actionable_threads == state.hosted.actionable_threads
        && Some(manifest.next_round) == state.persisted.fix_rounds.next()
}

/// Whether the plan stands for exactly this state.
pub(crate) fn finalization_is_current(
    manifest: &FinalizationManifest,
    state: &RecurringState,
    request: &Request,
    qualifying: &[Response],
) -> bool {
    let hosted = &state.hosted;
    Some(&manifest.bindings) == current_bindings(state, request).as_ref()
        && manifest.responses == qualifying
        && manifest.is_draft == hosted.pull_request.is_draft
        && manifest.finalization_eligible_threads == hosted.finalization_eligible_threads
        && manifest.non_codex_unresolved_threads == hosted.non_codex_unresolved_threads
        && manifest.gates == hosted.gates
}

/// A remediation plan that is wrong in itself is an error.
pub(crate) fn check_remediation(
    manifest: &RemediationManifest,
    persisted: &Persisted,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let rule = |holds, field, text| require(holds, place.field(field), text);
    let boundary = persisted.execution_boundary.as_ref().ok_or_else(|| {
        EvaluatorError::unsound(
            place.field("execution_boundary_hash"),
            "a remediation plan needs the execution boundary beside it",
        )
    })?;
    rule(
        manifest.execution_boundary_hash == Hash::of(boundary),
        "execution_boundary_hash",
        "it is not the digest of the execution boundary",
    )?;
    let accepted = boundary.risk_acceptance.is_some();
    rule(
        accepted == (manifest.isolation_decision == IsolationDecision::RiskAccepted),
        "isolation_decision",
        "it is `risk-accepted` exactly when the boundary carries a risk acceptance",
    )?;
    let user = persisted
        .request
        .as_ref()
        .map(|request| request.author_database_id);
    boundary.check(
        &manifest.validation_commands,
        user,
        &place.field("execution_boundary_hash"),
    )?;
    check_commands(&manifest.validation_commands, &place.field("validation_commands"))?;
    rule(
        !manifest.paths.is_empty(),
        "paths",
        "a fix changes at least one path",
    )?;
    check_paths(&manifest.paths, boundary, &place.field("paths"))?;
    check_request_template(
        &manifest.review_request_template,
        &manifest.bindings.run_id,
        manifest.next_round,
        &place.field("review_request_template"),
    )?;
    rule(
        Hash::of_text(manifest.review_request_template.as_str()) == manifest.review_request_template_hash,
        "review_request_template_hash",
        "it is not the SHA-256 of the template in UTF-8",
    )?;
    let operations: Vec<_> = RemediationOperation::ALL
        .iter()
        .copied()
        .filter(|operation| match operation {
            RemediationOperation::RunValidation => !manifest.validation_commands.is_empty(),
            RemediationOperation::ReplyThreads => !manifest.actionable_threads.is_empty(),
            RemediationOperation::EditPaths
            | RemediationOperation::StagePaths
            | RemediationOperation::Commit
            | RemediationOperation::Push
            | RemediationOperation::PostReviewRequest
            | RemediationOperation::ActivateAutomation => true,
        })
        .collect();
    rule(
        manifest.operations == operations,
        "operations",
        "the operations are exactly those that the plan calls for, in order",
    )
}

/// A finalization plan that is wrong in itself is an error.
pub(crate) fn check_finalization(
    manifest: &FinalizationManifest,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let operations = finalization_operations(manifest.is_draft, &manifest.finalization_eligible_threads);
    require(
        manifest.operations == operations,
        place.field("operations"),
        "the operations are exactly those that the plan calls for, in order",
    )
}

/// The operations that finish a pull request in this condition.
pub(crate) fn finalization_operations(
    is_draft: bool,
    eligible: &[ThreadSnapshot],
) -> Vec<FinalizationOperation> {
    FinalizationOperation::ALL
        .iter()
        .copied()
        .filter(|operation| match operation {
            FinalizationOperation::MarkReady => is_draft,
            FinalizationOperation::ResolveThreads => !eligible.is_empty(),
            FinalizationOperation::VerifyPostFinalization => true,
        })
        .collect()
}
