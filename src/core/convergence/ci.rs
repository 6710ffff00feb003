//! What CI comes to once the caller's acknowledgements count.

use std::collections::BTreeMap;

use crate::sensor::ci::{Check, Ci, CiState, Outcome, RequiredSource};

/// What stands in the way, the worst first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CiStanding<'a> {
    /// Checks failed.
    Failing(Vec<&'a Check>),
    /// Required checks ended neutral or skipped, and nobody acknowledged that.
    Unverified(Vec<&'a Check>),
    /// There is no check, and nobody said that this is meant.
    NoneUnverified,
    /// Something is unfinished or missing.
    Pending,
    /// There is no check, for this reason.
    NoneVerified(&'a str),
    /// All that is required passed; acknowledged neutral and skipped ones included.
    Passed,
}

/// Judges the checks of a snapshot.
pub fn standing<'a>(
    ci: &'a Ci,
    neutral_ok: &BTreeMap<String, String>,
    none_ok: Option<&'a str>,
) -> CiStanding<'a> {
    let failing: Vec<&Check> = ci
        .failed
        .iter()
        .filter(|check| check.outcome == Outcome::Failed)
        .collect();
    if !failing.is_empty() {
        return CiStanding::Failing(failing);
    }
    let unverified: Vec<&Check> = ci
        .checks
        .iter()
        .filter(|check| ci.required_source != RequiredSource::Seen && is_doubtful(check.outcome))
        .filter(|check| !neutral_ok.contains_key(&check.name))
        .collect();
    if !unverified.is_empty() {
        return CiStanding::Unverified(unverified);
    }
    match (ci.state, none_ok) {
        (CiState::None, Some(reason)) => CiStanding::NoneVerified(reason),
        (CiState::None, None) => CiStanding::NoneUnverified,
        // What is left of a failure here was acknowledged.
        (CiState::Pending | CiState::Failure | CiState::Success, _)
            if !ci.pending.is_empty() || !ci.missing_required.is_empty() =>
        {
            CiStanding::Pending
        }
        (CiState::Pending | CiState::Failure | CiState::Success, _) => CiStanding::Passed,
    }
}

fn is_doubtful(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Neutral | Outcome::Skipped => true,
        Outcome::Passed | Outcome::Failed | Outcome::Running | Outcome::Unknown => false,
    }
}
