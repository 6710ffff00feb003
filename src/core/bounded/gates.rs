//! The four merge gates, each by itself: "missing or unknown evidence blocks merge readiness".

use super::state::Gates;
use super::terms::GateState;
use crate::checks::{Bucket, Check, Checks, TestsState};
use crate::evidence::name::{EvidenceName, Id};
use crate::evidence::{Evidence, RequiredCheck};
use std::collections::BTreeSet;

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
    let read = surfaces.merge_gates.is_complete()
        && surfaces.check_runs.is_complete()
        && surfaces.statuses.is_complete();
    let (Some(pull), true) = (evidence.pull(), read) else {
        return GateState::Unknown;
    };
    let checks = Checks::of(evidence, &pull.head_ref_oid, &BTreeSet::new());
    let required = surfaces.merge_gates.items();
    if required.is_empty() {
        return match checks.state {
            TestsState::Passing => GateState::Pass,
            TestsState::Pending => GateState::Pending,
            TestsState::Failing => GateState::Fail,
            TestsState::None => GateState::Unknown,
        };
    }
    let states: Vec<GateState> = required
        .iter()
        .map(|one| required_check(one, &checks, evidence))
        .collect();
    let any = |state| states.contains(&state);
    if any(GateState::Fail) {
        GateState::Fail
    } else if any(GateState::Pending) {
        GateState::Pending
    } else {
        GateState::Pass
    }
}

/// One required check: it passes when it is there and nothing of its name and app fails or is pending.
fn required_check(required: &RequiredCheck, checks: &Checks, evidence: &Evidence) -> GateState {
    let buckets: Vec<Bucket> = checks
        .all
        .iter()
        .filter(|check| check.name == required.context && is_of_app(check, required, evidence))
        .map(|check| check.bucket)
        .collect();
    if buckets.contains(&Bucket::Fail) {
        GateState::Fail
    } else if buckets.is_empty() || buckets.contains(&Bucket::Pending) {
        GateState::Pending
    } else {
        GateState::Pass
    }
}

/// Whether the app that the rule names reported the check; a rule without an app takes any.
fn is_of_app(check: &Check, required: &RequiredCheck, evidence: &Evidence) -> bool {
    let Some(wanted) = required.integration_id else {
        return true;
    };
    let EvidenceName::CheckRun(Id::Number(id)) = check.evidence else {
        return false;
    };
    let mut runs = evidence.surfaces.check_runs.items().iter();
    runs.find(|run| run.id.get() == Some(id))
        .and_then(|run| run.app.as_ref()?.id.get())
        .is_some_and(|app| app == wanted)
}
