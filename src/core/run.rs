//! The review run: what its evidence proves (review-run protocol, "State machine").
//!
//! [`Run::of`] reads top to bottom like the protocol's table: closed, stale, findings, failed, in progress, clean,
//! and everything else indeterminate with a reason. A state carries its proof; none is inferred from silence.

use std::collections::BTreeSet;

use crate::bot::summary::RowStatus;
use crate::evidence::Evidence;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::pull::PullState;
use crate::finding::{self, Finding};
use crate::head::HeadHistory;
use crate::options::Options;
use crate::reading::Reading;
use crate::reason::{NextAction, Reason, ReasonCode, Warning, words};

pub mod attribution;
pub mod candidate;
mod clean;
pub(crate) mod completeness;
pub mod failure;
mod findings;
pub(crate) mod indeterminate;
pub mod signature;
pub mod warnings;

use attribution::Attributed;
use candidate::{Candidate, Candidates, ResolutionKind};
use failure::FailureRecord;

/// What proves a clean run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CleanProof {
    /// The connector's +1 on the newest trigger.
    Reaction {
        /// The reaction.
        name: EvidenceName,
        /// When it was given.
        at: Timestamp,
    },
    /// A no-findings result for the head that only this trigger can own.
    Result {
        /// The comment or review.
        name: EvidenceName,
        /// When it was said.
        at: Timestamp,
    },
}

impl CleanProof {
    /// When it was given.
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Reaction { at, .. } | Self::Result { at, .. } => *at,
        }
    }
}

/// The run's state with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// The head changed after the newest trigger, and none is on the head.
    Stale,
    /// At least one current finding that is later than the newest trigger.
    Findings,
    /// A listed failure bound to the newest trigger.
    Failed(Box<FailureRecord>),
    /// The connector acknowledged the newest trigger and nothing later decides.
    InProgress {
        /// The eyes.
        eyes: EvidenceName,
    },
    /// Proven clean.
    Clean {
        /// By what.
        by: CleanProof,
    },
    /// None of these is proven.
    Indeterminate,
}

words! {
    /// The six words for a state, of a run and of the headline.
    StateWord {
        /// Clean.
        Clean = "clean",
        /// Findings.
        Findings = "findings",
        /// Failed.
        Failed = "failed",
        /// In progress.
        InProgress = "in-progress",
        /// Stale.
        Stale = "stale",
        /// Indeterminate.
        Indeterminate = "indeterminate",
    }
}

impl RunState {
    /// The word documents use.
    pub fn word(&self) -> StateWord {
        match self {
            Self::Stale => StateWord::Stale,
            Self::Findings => StateWord::Findings,
            Self::Failed(_) => StateWord::Failed,
            Self::InProgress { .. } => StateWord::InProgress,
            Self::Clean { .. } => StateWord::Clean,
            Self::Indeterminate => StateWord::Indeterminate,
        }
    }
}

/// A classified run.
#[derive(Clone, Debug)]
pub struct Run<'e> {
    /// The evidence, read.
    pub reading: Reading<'e>,
    /// The head's way to GitHub.
    pub history: HeadHistory,
    /// The trigger candidates with their bindings and resolutions.
    pub candidates: Candidates<'e>,
    /// The code-lane results for the head with their owners.
    pub results: Vec<Attributed>,
    /// Every finding of the connector.
    pub findings: Vec<Finding>,
    /// The state.
    pub state: RunState,
    /// Why; never empty, the decisive one first.
    pub reasons: Vec<Reason>,
    /// What is worth knowing and changes nothing.
    pub warnings: Vec<Warning>,
}

impl<'e> Run<'e> {
    /// Classifies the run of a pull request; `None` when the pull request itself was not read.
    pub fn of(evidence: &'e Evidence, options: &'e Options) -> Option<Self> {
        let reading = Reading::of(evidence, options)?;
        let history = HeadHistory::of(evidence, reading.pull);
        let mut candidates = Candidates::of(&reading, &history);
        let results = attribution::attribute(&reading, &mut candidates);
        let findings = finding::all(&reading);
        let mut run = Self {
            reading,
            history,
            candidates,
            results,
            findings,
            state: RunState::Indeterminate,
            reasons: Vec::new(),
            warnings: Vec::new(),
        };
        let (state, reasons) = run.decide();
        run.state = state;
        run.reasons = reasons;
        run.warnings = warnings::of(&run);
        Some(run)
    }

    /// The newest trigger on the head, else the newest of all.
    pub fn trigger(&self) -> Option<&Candidate<'e>> {
        self.candidates
            .newest_on_head()
            .or_else(|| self.candidates.all.last())
    }

    /// Everything that keeps this evidence from proving that something is *not* there: gaps in the reading, items
    /// that cannot be read or ordered, unknown authors.
    pub fn doubts(&self) -> Vec<Reason> {
        let mut doubts: Vec<Reason> = self.unstable().into_iter().collect();
        if matches!(self.reading.pull.state, PullState::Unrecognized(_)) {
            doubts.extend(self.closed());
        }
        doubts.extend(indeterminate::malformed(self));
        let newest = self.candidates.newest_on_head();
        doubts.extend(newest.and_then(indeterminate::malformed_reaction));
        doubts.extend(indeterminate::identity_mismatch(self, newest));
        doubts.extend(completeness::reasons(self));
        doubts
    }

    /// Candidates of which nothing proves for which head they were posted.
    pub fn unproven(&self) -> Option<Reason> {
        indeterminate::unproven_head(self)
    }

    /// Findings since the newest trigger of which nobody can say whether they are for the head.
    pub fn unbound_findings(&self) -> Option<Reason> {
        let newest = self.candidates.newest_on_head()?;
        clean::unbound_findings(self, newest)
    }

    /// Reviews of which nobody can say whether they are for the head.
    pub fn unbound_reviews(&self) -> Option<Reason> {
        clean::unbound_reviews(self)
    }

    /// A review whose inline comments GitHub does not show yet, since the newest trigger on the head.
    pub fn lagging(&self) -> Option<Reason> {
        indeterminate::lagging(self, self.candidates.newest_on_head())
    }

    /// The newest code row of a summary comment for this head, when it says that a review is running.
    pub fn running_row(&self) -> Option<EvidenceName> {
        let (name, status, _) = indeterminate::newest_row(self)?;
        (status == RowStatus::Running).then_some(name)
    }

    /// Code-lane texts since the newest trigger (all, when there is none) that the grammar cannot decide.
    pub fn unclear_texts(&self) -> Vec<(EvidenceName, &'e str)> {
        self.unclear_since(self.trigger())
    }

    /// Every code-lane text that the grammar cannot decide, however old.
    pub fn unknown_texts(&self) -> Vec<(EvidenceName, &'e str)> {
        self.unclear_since(None)
    }

    fn unclear_since(&self, trigger: Option<&Candidate<'e>>) -> Vec<(EvidenceName, &'e str)> {
        let mut names: BTreeSet<EvidenceName> = indeterminate::unclear_results(self, trigger)
            .into_iter()
            .collect();
        names.extend(indeterminate::drift_since(self, trigger));
        let comments = self
            .reading
            .comments
            .iter()
            .map(|one| (&one.name, one.comment.body.text()));
        let reviews = self
            .reading
            .reviews
            .iter()
            .map(|one| (&one.name, one.review.body.text()));
        comments
            .chain(reviews)
            .filter(|(name, _)| names.contains(name))
            .map(|(name, body)| (name.clone(), body))
            .collect()
    }

    /// What to do next: it follows the first reason.
    pub fn next(&self) -> NextAction {
        match &self.state {
            RunState::Failed(record) if record.is_open() => NextAction::Reconcile,
            RunState::Failed(record) if !record.may_retry() => NextAction::AskUser,
            RunState::Failed(_)
            | RunState::Stale
            | RunState::Findings
            | RunState::InProgress { .. }
            | RunState::Clean { .. }
            | RunState::Indeterminate => self
                .reasons
                .first()
                .map_or(NextAction::AskUser, |reason| reason.code.next()),
        }
    }

    fn decide(&self) -> (RunState, Vec<Reason>) {
        let indeterminate = |reason| (RunState::Indeterminate, vec![reason]);
        if let Some(reason) = self.closed() {
            return indeterminate(reason);
        }
        if let Some(reason) = self.unstable() {
            return indeterminate(reason);
        }
        if let Some(reason) = self.malformed_trigger() {
            return indeterminate(reason);
        }
        if !self.reading.evidence.surfaces.issue_comments.is_complete() {
            return (RunState::Indeterminate, completeness::reasons(self));
        }
        let Some(newest) = self.candidates.newest_on_head() else {
            return self.without_trigger_on_head();
        };
        if let Some(reasons) = findings::current(self, newest) {
            return (RunState::Findings, reasons);
        }
        let gaps = completeness::reasons(self);
        if !gaps.is_empty() {
            return (RunState::Indeterminate, gaps);
        }
        if let Some(reason) = indeterminate::untrusted(self, newest) {
            return indeterminate(reason);
        }
        if let Some(record) = failure::record(self, newest) {
            let evidence = vec![record.terminal.clone(), newest.name.clone()];
            let message = format!(
                "The connector reported the listed failure {} after the newest trigger.",
                record.signature.id()
            );
            let reason = Reason::new(ReasonCode::TerminalSignature, message, evidence);
            return (RunState::Failed(Box::new(record)), vec![reason]);
        }
        if let Some(reason) = failure::disputed(self, newest) {
            return indeterminate(reason);
        }
        if let Some((eyes, reasons)) = self.acknowledged(newest) {
            return (RunState::InProgress { eyes }, reasons);
        }
        if let Some(reason) = indeterminate::same_time_as_others(self, newest) {
            return indeterminate(reason);
        }
        match clean::proof(self, newest) {
            clean::Signal::Proven { by, reason } => (RunState::Clean { by }, vec![reason]),
            clean::Signal::Blocked(reasons) => (RunState::Indeterminate, reasons),
            clean::Signal::None => (RunState::Indeterminate, indeterminate::reasons(self, newest)),
        }
    }

    fn closed(&self) -> Option<Reason> {
        let message = match &self.reading.pull.state {
            PullState::Open => return None,
            PullState::Closed => "The pull request is closed.".to_owned(),
            PullState::Merged => "The pull request is merged.".to_owned(),
            PullState::Unrecognized(_) => {
                let message = "GitHub gives the pull request a state that this version does not know.";
                return Some(Reason::new(
                    ReasonCode::MalformedEvidence,
                    message,
                    vec![EvidenceName::Pull],
                ));
            }
        };
        Some(Reason::new(
            ReasonCode::PullClosed,
            message,
            vec![EvidenceName::Pull],
        ))
    }

    fn unstable(&self) -> Option<Reason> {
        let what = self.reading.evidence.unstable.as_ref()?;
        Some(Reason::new(
            ReasonCode::UnstableCollection,
            format!("The pull request kept changing while it was read ({what}); read it again."),
            vec![EvidenceName::Pull],
        ))
    }

    /// A comment in candidate form without usable order: nobody can say which trigger is the newest.
    fn malformed_trigger(&self) -> Option<Reason> {
        let triggers: BTreeSet<&EvidenceName> = self
            .reading
            .comments
            .iter()
            .filter(|comment| match comment.role {
                crate::reading::Role::Addressed { .. } => true,
                crate::reading::Role::Connector { .. } | crate::reading::Role::Bystander => false,
            })
            .map(|comment| &comment.name)
            .collect();
        let names: Vec<_> = self
            .reading
            .malformed
            .iter()
            .filter(|(name, _)| triggers.contains(name))
            .collect();
        let (_, cause) = names.first()?;
        Some(Reason::new(
            ReasonCode::MalformedEvidence,
            format!("A comment that may be a trigger cannot be ordered: {cause}."),
            names.iter().map(|(name, _)| name.clone()).collect(),
        ))
    }

    fn without_trigger_on_head(&self) -> (RunState, Vec<Reason>) {
        let Some(last) = self.candidates.all.last() else {
            if let Some(reason) = indeterminate::identity_mismatch(self, None) {
                return (RunState::Indeterminate, vec![reason]);
            }
            let reason = Reason::new(ReasonCode::NoTrigger, "Nobody asked for a review.", Vec::new());
            return (RunState::Indeterminate, vec![reason]);
        };
        let gaps = completeness::head_reasons(self, last);
        if !gaps.is_empty() {
            return (RunState::Indeterminate, gaps);
        }
        if let Some(reason) = indeterminate::identity_mismatch(self, Some(last)) {
            return (RunState::Indeterminate, vec![reason]);
        }
        let message = format!(
            "The head changed after the newest trigger ({}), and nobody asked for a review of {}.",
            last.binding.by.as_str(),
            self.reading.pull.head_ref_oid.short()
        );
        (
            RunState::Stale,
            vec![Reason::new(
                ReasonCode::HeadChanged,
                message,
                vec![last.name.clone()],
            )],
        )
    }

    /// The connector's eyes on the newest trigger, with nothing later that ends the run. eyes in the same second as
    /// the +1 are not older than it.
    fn acknowledged(&self, newest: &Candidate<'_>) -> Option<(EvidenceName, Vec<Reason>)> {
        let (at, name) = newest.reactions.eyes.clone()?;
        if newest
            .reactions
            .plus_one
            .as_ref()
            .is_some_and(|(plus_one, _)| *plus_one > at)
        {
            return None;
        }
        let spent = newest
            .resolution
            .as_ref()
            .is_some_and(|resolution| match resolution.kind {
                ResolutionKind::Reaction => false,
                ResolutionKind::Result
                | ResolutionKind::Failure
                | ResolutionKind::Refused
                | ResolutionKind::Abandoned => resolution.at >= at,
            });
        // A comment of the trigger's own second may stand before it.
        let later_result = self
            .results
            .iter()
            .any(|result| result.at >= at && indeterminate::follows(result, newest));
        if spent || later_result || indeterminate::answered_since(self, at) {
            return None;
        }
        let reason = Reason::new(
            ReasonCode::Acknowledged,
            "The connector acknowledged the newest trigger and has not answered yet.",
            vec![name.clone(), newest.name.clone()],
        );
        Some((name, vec![reason]))
    }
}

/// Numeric ids of reviews whose inline comments are not visible yet.
pub(crate) fn lagging_review_ids(run: &Run<'_>) -> Vec<u64> {
    indeterminate::lagging_reviews(run)
        .filter_map(|review| review.review.id.get())
        .collect()
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod worlds;
