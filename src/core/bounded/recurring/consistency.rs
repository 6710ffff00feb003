//! What makes a state invalid input: values that contradict each other. Nothing is decided about such a state.

use crate::bounded::error::{EvaluatorError, Place, require};
use crate::bounded::plan::{check_finalization, check_remediation};
use crate::bounded::policy::REQUEST_EXPIRY_MINUTES;
use crate::bounded::state::{Hosted, Local, Persisted, RecurringState, Request, RequestState};
use crate::bounded::terms::{Hash, LoopKey, Mode, PullRequestUrl, RequestKey};
use std::collections::BTreeSet;

pub(super) fn check(state: &RecurringState, place: &Place<'_>) -> Result<(), EvaluatorError> {
    let persisted_at = place.field("persisted");
    let local_at = place.field("local");
    let hosted_at = place.field("hosted");
    check_persisted(&state.persisted, &persisted_at)?;
    check_hosted(&state.hosted, &hosted_at)?;
    check_local(&state.local, &local_at)?;
    match state.persisted.mode {
        Mode::ReportOnly => check_report_only(state, &persisted_at, &local_at)?,
        Mode::Autonomous | Mode::ApprovalGated => check_write_capable(&state.persisted, &persisted_at)?,
    }
    let pull = &state.hosted.pull_request;
    let same =
        pull.number == state.persisted.pull_request_number && pull.url == state.persisted.pull_request_url;
    require(
        same,
        hosted_at.field("pull_request"),
        "it is another pull request than the persisted one",
    )?;
    if let Some(request) = &state.persisted.request {
        let after = state.hosted.observed_at >= request.created_at;
        require(
            after,
            hosted_at.field("observed_at"),
            "the reading is older than the request",
        )?;
    }
    Ok(())
}

fn check_persisted(persisted: &Persisted, place: &Place<'_>) -> Result<(), EvaluatorError> {
    let rule = |holds, field, text| require(holds, place.field(field), text);
    let repository = persisted.repository.full_name();
    let number = persisted.pull_request_number;
    rule(
        persisted.pull_request_url == PullRequestUrl::of(&repository, number),
        "pull_request_url",
        "the address is the canonical one of this repository and number",
    )?;
    rule(
        persisted.automation_key == LoopKey::canonical(&repository, number),
        "automation_key",
        "the key is `github-codex-pr-loop:<lowercase-owner>/<lowercase-repo>#<pr-number>`",
    )?;
    rule(
        persisted.configured_base_branch != persisted.configured_head_branch,
        "configured_head_branch",
        "head and base are different branches",
    )?;
    rule(
        persisted.owned_automation_id.is_some() == persisted.owned_automation_status.is_some(),
        "owned_automation_status",
        "a status stands exactly beside an owned automation",
    )?;
    rule(
        ascending(&persisted.completed_request_keys),
        "completed_request_keys",
        "the keys are sorted and distinct",
    )?;
    if let Some(request) = &persisted.request {
        check_request(request, &place.field("request"))?;
    }
    check_plans(persisted, place)
}

fn check_request(request: &Request, place: &Place<'_>) -> Result<(), EvaluatorError> {
    require(
        request.request_key == RequestKey::of(request.comment_id, &request.head_sha),
        place.field("request_key"),
        "the key is `<comment-id>:<full-head-sha>` of this request",
    )?;
    require(
        request.deadline == request.created_at.plus_minutes(REQUEST_EXPIRY_MINUTES),
        place.field("deadline"),
        "the deadline is exactly 60 minutes after the request's creation",
    )
}

fn check_plans(persisted: &Persisted, place: &Place<'_>) -> Result<(), EvaluatorError> {
    let rule = |holds, field, text| require(holds, place.field(field), text);
    let digest = "it is not the digest of the manifest beside it";
    let remediation = persisted.remediation_manifest.as_ref().map(Hash::of);
    rule(
        persisted.remediation_plan_hash == remediation,
        "remediation_plan_hash",
        digest,
    )?;
    let finalization = persisted.finalization_manifest.as_ref().map(Hash::of);
    rule(
        persisted.finalization_plan_hash == finalization,
        "finalization_plan_hash",
        digest,
    )?;
    if let Some(manifest) = &persisted.remediation_manifest {
        check_remediation(manifest, persisted, &place.field("remediation_manifest"))?;
        let sorted = ascending_by(&manifest.responses, |one| &one.id)
            && ascending_by(&manifest.actionable_threads, |one| &one.id);
        rule(
            sorted,
            "remediation_manifest",
            "responses and threads are sorted by ID and distinct",
        )?;
    }
    if let Some(manifest) = &persisted.finalization_manifest {
        check_finalization(manifest, &place.field("finalization_manifest"))?;
        let sorted = ascending_by(&manifest.responses, |one| &one.id)
            && ascending_by(&manifest.finalization_eligible_threads, |one| &one.id);
        rule(
            sorted,
            "finalization_manifest",
            "responses and threads are sorted by ID and distinct",
        )?;
    }
    let both = "an approval names a request key and a plan hash, or neither";
    rule(
        persisted.approved_remediation_request_key.is_some()
            == persisted.approved_remediation_plan_hash.is_some(),
        "approved_remediation_plan_hash",
        both,
    )?;
    rule(
        persisted.approved_finalization_request_key.is_some()
            == persisted.approved_finalization_plan_hash.is_some(),
        "approved_finalization_plan_hash",
        both,
    )?;
    rule(
        persisted.mode == Mode::ApprovalGated
            || persisted.approved_remediation_request_key.is_none()
                && persisted.approved_finalization_request_key.is_none(),
        "mode",
        "only approval-gated mode records approvals",
    )
}

fn check_hosted(hosted: &Hosted, place: &Place<'_>) -> Result<(), EvaluatorError> {
    let rule = |holds, field, text| require(holds, place.field(field), text);
    rule(
        ascending_by(&hosted.responses, |one| &one.id),
        "responses",
        "responses are sorted by ID and distinct",
    )?;
    let in_order = hosted
        .responses
        .iter()
        .all(|response| response.created_at <= response.content_version_at);
    rule(
        in_order,
        "responses",
        "a content version is not older than the response's creation",
    )?;
    let threads = "threads are sorted by ID and distinct";
    rule(
        ascending_by(&hosted.actionable_threads, |one| &one.id),
        "actionable_threads",
        threads,
    )?;
    rule(
        ascending_by(&hosted.finalization_eligible_threads, |one| &one.id),
        "finalization_eligible_threads",
        threads,
    )?;
    let actionable: BTreeSet<_> = hosted.actionable_threads.iter().map(|one| &one.id).collect();
    let apart = !hosted
        .finalization_eligible_threads
        .iter()
        .any(|one| actionable.contains(&one.id));
    rule(
        apart,
        "finalization_eligible_threads",
        "a thread is either actionable or eligible, not both",
    )
}

fn check_local(local: &Local, place: &Place<'_>) -> Result<(), EvaluatorError> {
    let distinct: BTreeSet<_> = local.automations.iter().map(|one| &one.id).collect();
    require(
        distinct.len() == local.automations.len(),
        place.field("automations"),
        "an automation ID stands twice",
    )?;
    require(
        ascending(&local.stops),
        place.field("stops"),
        "the stops are sorted as the schema lists them and distinct",
    )
}

/// "A strictly read-only pass": nothing that only a write-capable mode has.
fn check_report_only(
    state: &RecurringState,
    persisted_at: &Place<'_>,
    local_at: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let persisted = &state.persisted;
    let local = &state.local;
    let rule = |holds, field, text| require(holds, persisted_at.field(field), text);
    rule(
        persisted.owned_automation_id.is_none(),
        "owned_automation_id",
        "report-only supplies null",
    )?;
    require(
        local.automations.is_empty(),
        local_at.field("automations"),
        "report-only supplies an empty list",
    )?;
    let no_git = persisted.remote_name.is_none() && persisted.execution_boundary.is_none();
    rule(
        no_git,
        "remote_name",
        "report-only runs no local Git and has no remote name and no execution boundary",
    )?;
    let untouched =
        local.remote_name.is_none() && local.stops.is_empty() && local.validation_executed.is_empty();
    require(
        untouched,
        local_at,
        "report-only has no remote, no stops and no validation",
    )?;
    let no_plan = persisted.remediation_manifest.is_none()
        && persisted.finalization_manifest.is_none()
        && persisted.claim.is_none()
        && !persisted.post_finalization
        && persisted.claimed_finalization_request_key.is_none()
        && persisted.claimed_finalization_plan_hash.is_none();
    rule(no_plan, "mode", "report-only has no plan and no claim")?;
    let pending = persisted
        .request
        .as_ref()
        .is_none_or(|request| request.state == RequestState::Pending);
    rule(pending, "request", "report-only knows no state but `pending`")
}

fn check_write_capable(persisted: &Persisted, place: &Place<'_>) -> Result<(), EvaluatorError> {
    require(
        persisted.remote_name.is_some(),
        place.field("remote_name"),
        "a write-capable mode has a remote name",
    )?;
    require(
        persisted.request.is_some(),
        place.field("request"),
        "a write-capable mode has a canonical request",
    )
}

fn ascending<T: Ord>(items: &[T]) -> bool {
    items.is_sorted_by(|a, b| a < b)
}

fn ascending_by<T, K: Ord>(items: &[T], key: impl Fn(&T) -> &K) -> bool {
    items.is_sorted_by(|a, b| key(a) < key(b))
}
