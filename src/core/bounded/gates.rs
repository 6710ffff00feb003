//! The four merge gates, each by itself: "missing or unknown evidence blocks merge readiness".

use super::state::Gates;
use super::terms::GateState;
use crate::evidence::check::{CheckRun, CommitStatus};
use crate::evidence::{Evidence, RequiredCheck};
use std::collections::BTreeMap;

/// Reads the gates from the evidence.
pub(crate) fn of(evidence: &Evidence) -> Gates {
    let pull = evidence.pull();
    let word =
        |of: fn(&crate::evidence::pull::Pull) -> &Option<String>| pull.and_then(|pull| of(pull).as_deref());
    let rules_known = evidence.surfaces.merge_gates.is_complete();
    Gates {
        required_checks: required_checks(evidence),
        approvals: match word(|pull| &pull.review_decision) {
            Some("APPROVED") => GateState::Pass,
            Some("CHANGES_REQUESTED") => GateState::Fail,
            Some("REVIEW_REQUIRED") => GateState::Pending,
            Some(_) => GateState::Unknown,
            // GitHub answers null when no review is required.
            None if pull.is_some() && rules_known => GateState::Pass,
            None => GateState::Unknown,
        },
        mergeability: match word(|pull| &pull.mergeable) {
            Some("MERGEABLE") => GateState::Pass,
            Some("CONFLICTING") => GateState::Fail,
            Some(_) | None => GateState::Unknown,
        },
        branch_protection: match word(|pull| &pull.merge_state_status) {
            // UNSTABLE: what is required holds, something that is not required fails.
            Some("CLEAN" | "HAS_HOOKS" | "UNSTABLE") if rules_known => GateState::Pass,
            Some("BLOCKED" | "BEHIND" | "DIRTY") => GateState::Fail,
            Some("DRAFT") => GateState::Pending,
            Some(_) | None => GateState::Unknown,
        },
    }
}

/// Every required check; where the rules name none, every check of the head, since older branch protection names its
/// own where the rules do not show them.
fn required_checks(evidence: &Evidence) -> GateState {
    let surfaces = &evidence.surfaces;
    if !(surfaces.merge_gates.is_complete()
        && surfaces.check_runs.is_complete()
        && surfaces.statuses.is_complete())
    {
        return GateState::Unknown;
    }
    let runs = newest_runs(surfaces.check_runs.items());
    let statuses = newest_statuses(surfaces.statuses.items());
    let required = surfaces.merge_gates.items();
    let all = runs
        .values()
        .map(|run| run_state(run))
        .chain(statuses.values().map(|status| status_state(status)));
    if required.is_empty() {
        return worst(all).unwrap_or(GateState::Unknown);
    }
    let one = |check: &RequiredCheck| {
        let of_app = |run: &&&CheckRun| {
            let app = run.app.as_ref().and_then(|app| app.id.get());
            run.name.text() == check.context
                && (check.integration_id.is_none() || check.integration_id == app)
        };
        let by_run = runs.values().filter(of_app).map(|run| run_state(run));
        let by_status = statuses
            .get(check.context.as_str())
            .map(|status| status_state(status));
        worst(by_run.chain(by_status)).unwrap_or(GateState::Pending)
    };
    worst(required.iter().map(one)).unwrap_or(GateState::Unknown)
}

/// The newest run of each name and app: a re-run replaces what it repeats.
fn newest_runs(all: &[CheckRun]) -> BTreeMap<(&str, Option<u64>), &CheckRun> {
    let mut newest: BTreeMap<(&str, Option<u64>), &CheckRun> = BTreeMap::new();
    for run in all {
        let key = (run.name.text(), run.app.as_ref().and_then(|app| app.id.get()));
        let later = newest.get(&key).is_none_or(|known| run.id.get() > known.id.get());
        if later {
            newest.insert(key, run);
        }
    }
    newest
}

/// The newest status of each context.
fn newest_statuses(all: &[CommitStatus]) -> BTreeMap<&str, &CommitStatus> {
    let mut newest: BTreeMap<&str, &CommitStatus> = BTreeMap::new();
    for status in all {
        let order = |status: &CommitStatus| (status.created_at.get(), status.id.get());
        let context = status.context.text();
        if newest
            .get(context)
            .is_none_or(|known| order(status) > order(known))
        {
            newest.insert(context, status);
        }
    }
    newest
}

fn run_state(run: &CheckRun) -> GateState {
    match (run.status.text(), run.conclusion.text()) {
        ("completed", "success" | "neutral" | "skipped") => GateState::Pass,
        (
            "completed",
            "failure" | "timed_out" | "cancelled" | "action_required" | "startup_failure" | "stale",
        ) => GateState::Fail,
        (_, _) => GateState::Pending,
    }
}

fn status_state(status: &CommitStatus) -> GateState {
    match status.state.text() {
        "success" => GateState::Pass,
        "failure" | "error" => GateState::Fail,
        _ => GateState::Pending,
    }
}

/// Failing beats pending beats passing; none without any.
fn worst(states: impl IntoIterator<Item = GateState>) -> Option<GateState> {
    let rank = |state: &GateState| match state {
        GateState::Pass => 0,
        GateState::Pending => 1,
        GateState::Unknown => 2,
        GateState::Fail => 3,
    };
    states.into_iter().max_by_key(rank)
}
