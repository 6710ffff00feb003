//! The prompt evaluation: may the paused stub be given its prompt and be set active.

use super::canonical::Json;
use super::error::{EvaluatorError, Place, require};
use super::initial::check_initial;
use super::manifest::InitialDocument;
use super::path::RelativePath;
use super::recurring::{Action, decide};
use super::state::{AutomationStatus, RecurringState, Request, RequestState};
use super::template::{render_prompt, render_request};
use super::terms::{Body, FixRounds, Hash, LoopKey, Prompt, PullRequestUrl, SchemaVersion, Sha, Timestamp};
use super::vocabulary::{Term, record, words};

record! {
    /// "The receipt binds approved base/diff/paths and initial head to the verified final local/remote/PR/state head, clean worktree, ancestry result, and exact rendered review-request body/hash."
    PostWriteReceipt {
        /// "Approved base."
        approved_base_sha: Sha,
        /// "Approved … diff."
        approved_diff_hash: Hash,
        /// "Approved … paths."
        approved_paths: Vec<RelativePath>,
        /// "Approved initial head."
        initial_head_sha: Sha,
        /// "Verified final local … head."
        final_local_head_sha: Sha,
        /// "Verified final … remote … head."
        final_remote_head_sha: Sha,
        /// "Matching PR head."
        final_pull_request_head_sha: Sha,
        /// "Verified final … state head": the head that the review request names.
        final_state_head_sha: Sha,
        /// "Ancestry proof": whether the final head descends from, or is, the approved initial head.
        descends_from_initial_head: bool,
        /// "Clean-worktree state."
        worktree_clean: bool,
        /// "Pushed diff digest."
        pushed_diff_hash: Hash,
        /// "Exact rendered review-request body."
        review_request_body: Body,
        /// "Exact rendered review-request body/hash."
        review_request_body_hash: Hash,
    }
}

record! {
    /// "Build the exact bootstrap snapshot from the initial plan hash, canonical PR URL/deadline, complete fresh recurring state, and post-write receipt."
    BootstrapSnapshot {
        /// "Exact v1."
        schema_version: SchemaVersion,
        /// "The initial plan hash."
        initial_plan_hash: Hash,
        /// "Canonical PR URL."
        pull_request_url: PullRequestUrl,
        /// "Canonical … deadline."
        deadline: Timestamp,
        /// "Complete fresh recurring state."
        state: RecurringState,
        /// "Post-write receipt."
        receipt: PostWriteReceipt,
    }
}

record! {
    /// "Run scripts/evaluate_state.py --prompt on that snapshot, its digest, the full initial document, and the deterministic rendered prompt/hash."
    PromptDocument {
        /// "The full initial document."
        initial: InitialDocument,
        /// "That snapshot."
        bootstrap_snapshot: BootstrapSnapshot,
        /// "Its digest."
        bootstrap_snapshot_hash: Hash,
        /// "The deterministic rendered prompt"; null asks for the rendering, and then nothing is ready yet.
        rendered_prompt: Option<Prompt>,
        /// "The deterministic rendered prompt/hash"; null together with the prompt.
        rendered_prompt_hash: Option<Hash>,
    }
}

words! {
    /// The words of a valid prompt document.
    PromptAction {
        /// "Require prompt-ready before updating the stub."
        PromptReady = "prompt-ready",
        /// "Do not hand-render it": the rendering to put into the document, which then becomes `prompt-ready`.
        PromptRendered = "prompt-rendered",
    }
}

record! {
    /// The prompt evaluation's answer.
    PromptDecision {
        /// "Follow only its emitted action."
        action: PromptAction,
        /// "The canonical prompt key."
        automation_key: LoopKey,
        /// "The initial plan hash."
        initial_plan_hash: Hash,
        /// "Its digest."
        bootstrap_snapshot_hash: Hash,
        /// "Use only its deterministic rendering."
        rendered_prompt: Prompt,
        /// "The deterministic rendered prompt/hash."
        rendered_prompt_hash: Hash,
    }
}

/// Evaluates a prompt document.
///
/// # Errors
/// Anything that is not an exact, consistent version 1 document, and any mismatch of digest, receipt or rendering.
pub fn evaluate_prompt(bytes: &[u8]) -> Result<PromptDecision, EvaluatorError> {
    let json = Json::parse(bytes)?;
    let place = Place::root("prompt");
    let document = PromptDocument::read(&json, &place)?;
    let initial = check_initial(&document.initial, &place.field("initial"))?;

    let snapshot = &document.bootstrap_snapshot;
    let snapshot_at = place.field("bootstrap_snapshot");
    require(
        snapshot.initial_plan_hash == initial.initial_plan_hash,
        snapshot_at.field("initial_plan_hash"),
        "it is not the digest of the initial manifest",
    )?;
    let checkpoint = snapshot.write();
    require(
        document.bootstrap_snapshot_hash == Hash::of(snapshot),
        place.field("bootstrap_snapshot_hash"),
        "it is not the digest of the bootstrap snapshot",
    )?;
    check_bootstrap(snapshot, &document.initial, &snapshot_at)?;

    let automation_key = snapshot.state.persisted.automation_key.clone();
    let rendered_prompt = render_prompt(&automation_key, &checkpoint.canonical());
    let rendered_prompt_hash = Hash::of_text(rendered_prompt.as_str());
    let action = match (&document.rendered_prompt, &document.rendered_prompt_hash) {
        (None, None) => PromptAction::PromptRendered,
        (Some(prompt), Some(hash)) => {
            require(
                *prompt == rendered_prompt,
                place.field("rendered_prompt"),
                "it is not the evaluator's rendering, byte for byte",
            )?;
            require(
                *hash == rendered_prompt_hash,
                place.field("rendered_prompt_hash"),
                "it is not the SHA-256 of the rendering",
            )?;
            PromptAction::PromptReady
        }
        (Some(_), None) | (None, Some(_)) => {
            return Err(EvaluatorError::unsound(
                place.field("rendered_prompt_hash"),
                "prompt and hash are given together or not at all",
            ));
        }
    };
    Ok(PromptDecision {
        action,
        automation_key,
        initial_plan_hash: initial.initial_plan_hash,
        bootstrap_snapshot_hash: document.bootstrap_snapshot_hash,
        rendered_prompt,
        rendered_prompt_hash,
    })
}

fn check_bootstrap(
    snapshot: &BootstrapSnapshot,
    initial: &InitialDocument,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let state = &snapshot.state;
    let state_at = place.field("state");
    let decision = decide(state, &state_at)?;
    let goes_on = matches!(decision.action, Action::Wait | Action::Report);
    let because: Vec<&str> = decision
        .reasons
        .iter()
        .map(|reason| reason.code.as_str())
        .collect();
    if !goes_on {
        let rule = format!(
            "a heartbeat is not bootstrapped on `{}` ({})",
            decision.action.as_str(),
            because.join(", ")
        );
        return Err(EvaluatorError::unsound(state_at, rule));
    }
    let request = state.persisted.request.as_ref().ok_or_else(|| {
        EvaluatorError::unsound(
            state_at.field("persisted"),
            "a heartbeat needs its canonical request",
        )
    })?;
    let url = snapshot.pull_request_url == state.persisted.pull_request_url;
    require(
        url,
        place.field("pull_request_url"),
        "it is not the state's pull request",
    )?;
    require(
        snapshot.deadline == request.deadline,
        place.field("deadline"),
        "it is not the request's deadline",
    )?;
    check_fresh(state, request, &state_at)?;
    check_against_initial(state, request, initial, &state_at)?;
    check_receipt(
        &snapshot.receipt,
        state,
        request,
        initial,
        &place.field("receipt"),
    )
}

/// A bootstrap state is the first one of its run: nothing done, claimed, planned or approved yet, one paused stub.
fn check_fresh(state: &RecurringState, request: &Request, place: &Place<'_>) -> Result<(), EvaluatorError> {
    let persisted = &state.persisted;
    let unused = request.state == RequestState::Pending
        && request.round == FixRounds::MINIMUM
        && persisted.fix_rounds == FixRounds::MINIMUM
        && persisted.completed_request_keys.is_empty()
        && persisted.remediation_manifest.is_none()
        && persisted.finalization_manifest.is_none()
        && persisted.approved_remediation_request_key.is_none()
        && persisted.approved_finalization_request_key.is_none();
    require(
        unused,
        place.field("persisted"),
        "a bootstrap state is pending in round zero, without plans and approvals",
    )?;
    // The recurring decision has proven the single owned automation and its schedule.
    let paused = state.local.automations.iter().all(|automation| {
        Some(&automation.id) != persisted.owned_automation_id.as_ref()
            || automation.status == AutomationStatus::Paused
    });
    require(
        paused,
        place.field("local"),
        "the stub is PAUSED until its prompt is verified",
    )?;
    let confirmed = state.hosted.receipt_confirmed();
    require(
        confirmed,
        place.field("hosted"),
        "no automation goes on before the trusted bot confirmed receipt by an eyes reaction",
    )
}

fn check_against_initial(
    state: &RecurringState,
    request: &Request,
    initial: &InitialDocument,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let persisted = &state.persisted;
    let snapshot = &initial.snapshot;
    let at = place.field("persisted");
    let rule = |holds, field, text| require(holds, at.field(field), text);
    let same = "it differs from the initial document";
    rule(persisted.mode == snapshot.mode, "mode", same)?;
    rule(persisted.run_id == snapshot.run_id, "run_id", same)?;
    rule(
        persisted.heartbeat_rrule == snapshot.heartbeat_rrule,
        "heartbeat_rrule",
        same,
    )?;
    rule(persisted.repository == snapshot.repository, "repository", same)?;
    rule(
        persisted.remote_name.as_ref() == Some(&snapshot.remote_name),
        "remote_name",
        same,
    )?;
    rule(
        persisted.configured_base_branch == snapshot.base_branch,
        "configured_base_branch",
        same,
    )?;
    rule(
        persisted.configured_head_branch == snapshot.head_branch,
        "configured_head_branch",
        same,
    )?;
    rule(
        request.author_database_id == snapshot.user.database_id,
        "request",
        "its author is not the initial document's user",
    )?;
    rule(
        request.base_sha == snapshot.base_sha,
        "request",
        "its base SHA is not the approved one",
    )?;
    let reused = snapshot.pull_request.as_ref();
    let number = reused.is_none_or(|pull| pull.number == persisted.pull_request_number);
    rule(number, "pull_request_number", "it is not the reused pull request")
}

fn check_receipt(
    receipt: &PostWriteReceipt,
    state: &RecurringState,
    request: &Request,
    initial: &InitialDocument,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let rule = |holds, field, text| require(holds, place.field(field), text);
    let snapshot = &initial.snapshot;
    let manifest = &initial.manifest;
    rule(
        receipt.approved_base_sha == snapshot.base_sha,
        "approved_base_sha",
        "it is not the approved base",
    )?;
    let diff = &snapshot.state_digests.intended_diff_hash;
    rule(
        receipt.approved_diff_hash == *diff,
        "approved_diff_hash",
        "it is not the approved diff",
    )?;
    rule(
        receipt.pushed_diff_hash == *diff,
        "pushed_diff_hash",
        "the pushed diff is not the approved one",
    )?;
    rule(
        receipt.approved_paths == manifest.paths,
        "approved_paths",
        "they are not the approved paths",
    )?;
    rule(
        receipt.initial_head_sha == snapshot.head_sha,
        "initial_head_sha",
        "it is not the approved initial head",
    )?;
    let head = &request.head_sha;
    let other = "it is not the head that the review request names";
    rule(
        receipt.final_local_head_sha == *head,
        "final_local_head_sha",
        other,
    )?;
    rule(
        receipt.final_remote_head_sha == *head,
        "final_remote_head_sha",
        other,
    )?;
    rule(
        receipt.final_pull_request_head_sha == *head,
        "final_pull_request_head_sha",
        other,
    )?;
    rule(
        receipt.final_state_head_sha == *head,
        "final_state_head_sha",
        other,
    )?;
    rule(
        state.hosted.pull_request.current_head_sha == *head,
        "final_state_head_sha",
        other,
    )?;
    rule(
        receipt.worktree_clean,
        "worktree_clean",
        "the worktree is clean after the writes",
    )?;
    rule(
        receipt.descends_from_initial_head,
        "descends_from_initial_head",
        "the final head descends from the approved initial head",
    )?;
    rule(
        snapshot.operations.commit == (*head != snapshot.head_sha),
        "final_local_head_sha",
        "the final head differs from the initial one exactly when a commit was required",
    )?;
    let body = render_request(&manifest.review_request_template, head);
    rule(
        receipt.review_request_body.as_str() == body,
        "review_request_body",
        "it is not the approved template with the final SHA",
    )?;
    rule(
        receipt.review_request_body_hash == Hash::of_text(&body),
        "review_request_body_hash",
        "it is not the SHA-256 of the body",
    )
}
