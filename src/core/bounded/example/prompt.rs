//! The bootstrap of the paused stub.

use super::{Built, hash_of, initial, set_automation_status, sha, state};
use crate::bounded::manifest::InitialDocument;
use crate::bounded::prompt::{BootstrapSnapshot, PostWriteReceipt, PromptDocument};
use crate::bounded::state::AutomationStatus;
use crate::bounded::template::{render_prompt, render_request};
use crate::bounded::terms::{Body, Hash, Mode, SchemaVersion, Timestamp};
use crate::bounded::vocabulary::Term;

/// The bootstrap that follows the example plan.
pub(crate) fn prompt() -> Built<PromptDocument> {
    let initial = initial()?;
    let mut state = state(Mode::Autonomous)?;
    set_automation_status(&mut state, AutomationStatus::Paused);
    state.hosted.observed_at = Timestamp::new("2026-03-01T12:01:00Z")?;
    let head = sha('d')?;
    let body = render_request(&initial.manifest.review_request_template, &head);
    let receipt = PostWriteReceipt {
        approved_base_sha: initial.snapshot.base_sha.clone(),
        approved_diff_hash: initial.snapshot.state_digests.intended_diff_hash.clone(),
        approved_paths: initial.manifest.paths.clone(),
        initial_head_sha: initial.snapshot.head_sha.clone(),
        final_local_head_sha: head.clone(),
        final_remote_head_sha: head.clone(),
        final_pull_request_head_sha: head.clone(),
        final_state_head_sha: head,
        descends_from_initial_head: true,
        worktree_clean: true,
        pushed_diff_hash: initial.snapshot.state_digests.intended_diff_hash.clone(),
        review_request_body_hash: hash_of(&body),
        review_request_body: Body::new(body)?,
    };
    let bootstrap_snapshot = BootstrapSnapshot {
        schema_version: SchemaVersion::MINIMUM,
        initial_plan_hash: initial.plan_hash.clone(),
        pull_request_url: state.persisted.pull_request_url.clone(),
        deadline: Timestamp::new("2026-03-01T13:00:00Z")?,
        state,
        receipt,
    };
    rendered(initial, bootstrap_snapshot)
}

/// The document with the digest and the rendering that belong to a snapshot.
pub(crate) fn rendered(
    initial: InitialDocument,
    bootstrap_snapshot: BootstrapSnapshot,
) -> Built<PromptDocument> {
    let key = bootstrap_snapshot.state.persisted.automation_key.clone();
    let prompt = render_prompt(&key, &bootstrap_snapshot.write().canonical());
    Ok(PromptDocument {
        initial,
        bootstrap_snapshot_hash: Hash::of(&bootstrap_snapshot),
        bootstrap_snapshot,
        rendered_prompt_hash: Some(hash_of(prompt.as_str())),
        rendered_prompt: Some(prompt),
    })
}
