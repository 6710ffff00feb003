//! The merge gate: whether the connector has approved exactly this head, and if not, what it waits for or what blocks.
//!
//! Blocking beats waiting beats approved. Silence approves nothing, and neither does what GitHub itself says of the
//! pull request: mergeable, approved by others, green. An override beats everything but an incomplete reading.

use std::collections::BTreeSet;

use chrono::TimeDelta;

use crate::checks::{Checks, TestsState};
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::pull::PullState;
use crate::reason::{Warning, WarningCode, words};
use crate::run::Run;

pub mod approval;
pub mod blockers;
mod completeness;
pub mod earlier_head;
pub mod lower_bound;
mod waiting;

use approval::{Approval, Signals};
use blockers::{Blocker, BlockerCode};
use lower_bound::LowerBound;

/// What the caller chose for the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateOptions {
    /// Merge without the connector's approval, for this reason.
    pub override_reason: Option<String>,
    /// The last edit of the description does not matter, for this reason.
    pub edit_immaterial: Option<String>,
    /// Checks that are not waited for, by name.
    pub ignored_checks: BTreeSet<String>,
    /// A head without any check may be merged.
    pub allow_no_checks: bool,
    /// How young an approval is while a second review may still follow.
    pub grace: TimeDelta,
}

/// How young a verdict is while a second review of the same head may follow, in seconds.
pub const GRACE_SECONDS: i64 = 90;

impl Default for GateOptions {
    fn default() -> Self {
        Self {
            override_reason: None,
            edit_immaterial: None,
            ignored_checks: BTreeSet::new(),
            allow_no_checks: false,
            grace: TimeDelta::seconds(GRACE_SECONDS),
        }
    }
}

words! {
    /// The four words of the gate.
    GateWord {
        /// The connector approved this head.
        Approved = "approved",
        /// Nothing blocks, and nothing approves yet.
        Waiting = "waiting",
        /// Something is to be addressed.
        Blocking = "blocking",
        /// The user overrode the gate.
        Overridden = "overridden",
    }
}

words! {
    /// What the gate waits for; the first that applies.
    WaitingReason {
        /// eyes newer than every +1, or a trigger newer than the approval.
        Reviewing = "reviewing",
        /// The newest comment or row of the connector names another commit.
        ReviewedCommitMismatch = "reviewed-commit-mismatch",
        /// A +1 on the body that may still be for the previous head.
        ApprovalUnbound = "approval-unbound",
        /// A +1 that is older than the lower bound or than a finding.
        ApprovalStale = "approval-stale",
        /// No check of the head has a time, so reactions on the body prove nothing.
        NoTimestampedChecks = "no-timestamped-checks",
        /// No +1 at all.
        NoApproval = "no-approval",
    }
}

/// What the gate waits for, with what shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The reason.
    pub reason: WaitingReason,
    /// One sentence.
    pub message: String,
    /// What shows it.
    pub evidence: Option<EvidenceName>,
}

/// The state of the gate with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateState {
    /// Approved by a +1 that stands on this head.
    Approved(Approval),
    /// Nothing blocks; this is awaited.
    Waiting(Waiting),
    /// At least one thing is to be addressed first: see [`Gate::blockers`].
    Blocking,
    /// The user said so, with a reason.
    Overridden(String),
}

/// What a command that asks for the gate ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateEnd {
    /// It may be merged.
    Allowed,
    /// Wait.
    Pending,
    /// There is work to do.
    Work,
}

/// The merge gate of one head.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The state.
    pub state: GateState,
    /// What blocks; also told when the gate is overridden.
    pub blockers: Vec<Blocker>,
    /// The checks.
    pub checks: Checks,
    /// The lower bound of an approval.
    pub bound: LowerBound,
    /// What the connector's reactions say.
    pub signals: Signals,
    /// Whether the pull request may be merged now.
    pub merge_allowed: bool,
    /// What is worth knowing and changes nothing.
    pub warnings: Vec<Warning>,
}

impl Gate {
    /// Decides the gate of a classified pull request.
    pub fn of(run: &Run<'_>, options: &GateOptions) -> Self {
        let pull = run.reading.pull;
        let bound = LowerBound::of(&run.reading, &run.history, options.edit_immaterial.is_some());
        let signals = Signals::of(run, &bound);
        let blockers = blockers::of(run);
        let checks = Checks::of(run.reading.evidence, &pull.head_ref_oid, &options.ignored_checks);
        let incomplete = blockers
            .iter()
            .any(|blocker| blocker.code == BlockerCode::IncompleteSurface);
        let state = match &options.override_reason {
            Some(reason) if !incomplete => GateState::Overridden(reason.clone()),
            Some(_) | None if !blockers.is_empty() => GateState::Blocking,
            Some(_) | None => match (waiting::first(run, &signals), &signals.approval) {
                (Some(waiting), _) => GateState::Waiting(waiting),
                (None, Some(approval)) => GateState::Approved(approval.clone()),
                (None, None) => GateState::Waiting(waiting::rest(&signals, &bound)),
            },
        };
        let stands = match &state {
            GateState::Approved(_) | GateState::Overridden(_) => true,
            GateState::Waiting(_) | GateState::Blocking => false,
        };
        let tests = match checks.state {
            TestsState::Passing => true,
            TestsState::None => options.allow_no_checks,
            TestsState::Pending | TestsState::Failing => false,
        };
        let merge_allowed = stands
            && tests
            && pull.state == PullState::Open
            && !pull.is_draft
            && !is_conflicting(pull.mergeable.as_deref());
        let warnings = warnings(run, &state, options.grace);
        Self {
            state,
            blockers,
            checks,
            bound,
            signals,
            merge_allowed,
            warnings,
        }
    }

    /// What approves the head, when nothing but the connector's thumbs-up opens the gate.
    pub fn approval(&self) -> Option<&Approval> {
        match &self.state {
            GateState::Approved(approval) => Some(approval),
            GateState::Waiting(_) | GateState::Blocking | GateState::Overridden(_) => None,
        }
    }

    /// The word documents use.
    pub fn word(&self) -> GateWord {
        match &self.state {
            GateState::Approved(_) => GateWord::Approved,
            GateState::Waiting(_) => GateWord::Waiting,
            GateState::Blocking => GateWord::Blocking,
            GateState::Overridden(_) => GateWord::Overridden,
        }
    }

    /// Surfaces that were not read to their end, when nothing proven blocks besides: then nothing is known.
    pub fn undecided(&self) -> Option<Vec<&Blocker>> {
        let (gaps, proven): (Vec<&Blocker>, Vec<&Blocker>) = self
            .blockers
            .iter()
            .partition(|blocker| blocker.code == BlockerCode::IncompleteSurface);
        (!gaps.is_empty() && proven.is_empty()).then_some(gaps)
    }

    /// What a command that asks for the gate ends with: work before waiting.
    pub fn end(&self, mergeable: Option<&str>) -> GateEnd {
        if self.merge_allowed {
            return GateEnd::Allowed;
        }
        let blocked = match &self.state {
            GateState::Blocking => true,
            GateState::Overridden(_) => self
                .blockers
                .iter()
                .any(|blocker| blocker.code == BlockerCode::PullClosed),
            GateState::Approved(_) | GateState::Waiting(_) => false,
        };
        if blocked || self.checks.state == TestsState::Failing || is_conflicting(mergeable) {
            GateEnd::Work
        } else {
            GateEnd::Pending
        }
    }
}

/// GitHub's word for a head that cannot be merged into its base.
pub fn is_conflicting(mergeable: Option<&str>) -> bool {
    mergeable.is_some_and(|word| word.eq_ignore_ascii_case("CONFLICTING"))
}

fn warnings(run: &Run<'_>, state: &GateState, grace: TimeDelta) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = run
        .warnings
        .iter()
        .filter(|warning| warning.code != WarningCode::LateReviewPossible)
        .cloned()
        .collect();
    if let GateState::Approved(approval) = state
        && is_young(run.reading.evidence.collected_at, approval.at, grace)
    {
        warnings.push(Warning {
            code: WarningCode::LateReviewPossible,
            message: format!(
                "The approval is younger than {} seconds; a second review of the same head may follow.",
                grace.num_seconds()
            ),
            evidence: vec![approval.reaction.clone()],
        });
    }
    warnings
}

fn is_young(now: Timestamp, at: Timestamp, grace: TimeDelta) -> bool {
    now - at < grace
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod worlds;
