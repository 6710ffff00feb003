//! Which result belongs to which trigger: a fold over time.
//!
//! An uncorrelated result resolves a candidate only when exactly one earlier candidate on the head is unresolved at
//! that point; with two or more nothing is bound and nothing is dismissed. Reactions resolve their own comment.
//! Results without a candidate (automatic reviews) resolve nothing (review-run protocol, "Binding contract").

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::candidate::{Candidate, Candidates, Resolution, ResolutionKind};
use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::notices::NoticeKind;
use crate::bot::triggers::Superseded;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::review::ReviewState;
use crate::reading::{CommentOrder, EditState, NamedCommit, Reading, ReviewReading, Role};
use crate::reason::words;
use crate::run::signature::Signature;

words! {
    /// What an uncorrelated piece of evidence says of the run that it ends.
    Outcome {
        /// A no-findings result for the head.
        NoFindings = "no-findings",
        /// A findings result for the head.
        Findings = "findings",
        /// A listed failure.
        Failure = "failure",
        /// A notice that no review will follow.
        Refused = "refused",
    }
}

/// One uncorrelated result in the code lane and the candidate it was bound to.
#[derive(Clone, Debug)]
pub struct Attributed {
    /// Its name in documents.
    pub name: EvidenceName,
    /// When it was said.
    pub at: Timestamp,
    /// Its order, when it is an issue comment.
    pub order: Option<CommentOrder>,
    /// What it says.
    pub outcome: Outcome,
    /// The signature, for a failure.
    pub signature: Option<Signature>,
    /// Whose result it is.
    pub owner: Owner,
}

/// Whose result an uncorrelated piece of evidence is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The one candidate that was unresolved then.
    Candidate(EvidenceName),
    /// No candidate was unresolved: an automatic or a second review.
    Nobody,
    /// Two or more candidates were unresolved: nothing tells them apart. At most 20 of them, the newest first.
    Ambiguous(Vec<EvidenceName>),
    /// A candidate was posted or given its +1 in the same second on another surface: no order.
    SameTime(EvidenceName),
}

enum Step {
    Arrive(usize),
    Abandon(Superseded),
    Result(Box<Pending>),
    Reaction(usize),
}

struct Pending {
    name: EvidenceName,
    order: Option<CommentOrder>,
    outcome: Outcome,
    signature: Option<Signature>,
}

/// Resolves the candidates and tells the owner of every code-lane result for the head.
pub fn attribute(reading: &Reading<'_>, candidates: &mut Candidates<'_>) -> Vec<Attributed> {
    let mut steps = steps(reading, candidates);
    steps.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| rank(x, y, &candidates.all)));
    let mut fold = Fold::default();
    let mut attributed = Vec::new();
    for (at, step) in steps {
        match step {
            Step::Arrive(index) => {
                fold.open.insert(index);
            }
            Step::Abandon(superseded) => fold.abandon(&mut candidates.all, superseded, at),
            Step::Reaction(index) => fold.reacted(&mut candidates.all, index),
            Step::Result(pending) => {
                let owner = fold.owner(&candidates.all, &pending, at);
                if let Owner::Candidate(name) = &owner
                    && let Some(index) = fold.only(&pending)
                    && let Some(candidate) = candidates.all.get_mut(index)
                {
                    debug_assert_eq!(candidate.name, *name);
                    fold.open.remove(&index);
                    fold.abandoned.remove(&index);
                    candidate.resolution = Some(Resolution {
                        kind: match pending.outcome {
                            Outcome::NoFindings | Outcome::Findings => ResolutionKind::Result,
                            Outcome::Failure => ResolutionKind::Failure,
                            Outcome::Refused => ResolutionKind::Refused,
                        },
                        evidence: pending.name.clone(),
                        at,
                    });
                }
                attributed.push(Attributed {
                    name: pending.name,
                    at,
                    order: pending.order,
                    outcome: pending.outcome,
                    signature: pending.signature,
                    owner,
                });
            }
        }
    }
    attributed
}

/// The state of the fold: places of the candidates that are on the head and have arrived.
#[derive(Default)]
struct Fold {
    open: BTreeSet<usize>,
    abandoned: BTreeSet<usize>,
}

/// How many of the candidates that one result could belong to are named, the newest first.
const NAMED_OWNERS: usize = 20;

impl Fold {
    /// Candidates that a result could belong to. An abandoned trigger can still be the one that failed.
    fn waiting(&self, pending: &Pending) -> impl DoubleEndedIterator<Item = usize> {
        let abandoned = (pending.outcome == Outcome::Failure).then_some(&self.abandoned);
        let both: BTreeSet<usize> = match abandoned {
            Some(abandoned) if !abandoned.is_empty() => self.open.union(abandoned).copied().collect(),
            Some(_) | None => {
                // Two are enough to tell one from several, and the newest are the ones to name.
                self.open.iter().rev().take(NAMED_OWNERS).copied().collect()
            }
        };
        both.into_iter()
    }

    fn only(&self, pending: &Pending) -> Option<usize> {
        let mut waiting = self.waiting(pending);
        waiting.next().filter(|_| waiting.next().is_none())
    }

    fn owner(&self, all: &[Candidate<'_>], pending: &Pending, at: Timestamp) -> Owner {
        let waiting: Vec<&Candidate<'_>> = self
            .waiting(pending)
            .rev()
            .take(NAMED_OWNERS)
            .filter_map(|index| all.get(index))
            .collect();
        if pending.order.is_none()
            && let Some(same) = waiting.iter().find(|candidate| candidate.order.at == at)
        {
            return Owner::SameTime(same.name.clone());
        }
        match waiting.as_slice() {
            [] => Owner::Nobody,
            [one] => Owner::Candidate(one.name.clone()),
            // A +1 of that second may have left only one of them waiting.
            several => match several.iter().find(|candidate| candidate.thumbed_at(at)) {
                Some(same) => Owner::SameTime(same.name.clone()),
                None => Owner::Ambiguous(several.iter().map(|candidate| candidate.name.clone()).collect()),
            },
        }
    }

    /// A later reaction on a refused or abandoned trigger still counts; one that a result ended stays ended.
    fn reacted(&mut self, all: &mut [Candidate<'_>], index: usize) {
        let Some(candidate) = all.get_mut(index) else {
            return;
        };
        let ended = candidate
            .resolution
            .as_ref()
            .is_some_and(|resolution| match resolution.kind {
                ResolutionKind::Refused | ResolutionKind::Abandoned => false,
                ResolutionKind::Reaction | ResolutionKind::Result | ResolutionKind::Failure => true,
            });
        if let (false, Some((at, evidence))) = (ended, candidate.reactions.plus_one.clone()) {
            self.open.remove(&index);
            self.abandoned.remove(&index);
            candidate.resolution = Some(Resolution {
                kind: ResolutionKind::Reaction,
                evidence,
                at,
            });
        }
    }

    fn abandon(&mut self, all: &mut [Candidate<'_>], superseded: Superseded, at: Timestamp) {
        let id = match superseded {
            Superseded::Comment(id) => id,
            // A stuck eyes reaction abandons no candidate; preflight reads it.
            Superseded::Reaction(_) => return,
        };
        let found = self
            .open
            .iter()
            .copied()
            .find(|index| all.get(*index).is_some_and(|one| one.order.id == id));
        if let Some(index) = found
            && let Some(candidate) = all.get_mut(index)
        {
            self.open.remove(&index);
            self.abandoned.insert(index);
            let evidence = candidate.name.clone();
            candidate.resolution = Some(Resolution {
                kind: ResolutionKind::Abandoned,
                evidence,
                at,
            });
        }
    }
}

/// Within one second: triggers and comments by IssueCommentOrder, then results of other surfaces, then reactions,
/// so that a candidate of that second counts as unresolved for as long as possible.
fn rank(x: &Step, y: &Step, all: &[Candidate<'_>]) -> Ordering {
    let class = |step: &Step| match step {
        Step::Arrive(_) | Step::Abandon(_) => 0,
        Step::Result(pending) if pending.order.is_some() => 0,
        Step::Result(_) => 1,
        Step::Reaction(_) => 2,
    };
    let id = |step: &Step| match step {
        Step::Arrive(index) | Step::Reaction(index) => all.get(*index).map_or(0, |one| one.order.id),
        Step::Result(pending) => pending.order.map_or(0, |order| order.id),
        Step::Abandon(_) => 0,
    };
    class(x).cmp(&class(y)).then(id(x).cmp(&id(y)))
}

fn steps(reading: &Reading<'_>, candidates: &Candidates<'_>) -> Vec<(Timestamp, Step)> {
    let mut steps = Vec::new();
    for (index, candidate) in candidates.all.iter().enumerate() {
        if let Some(superseded) = candidate.supersedes {
            steps.push((candidate.order.at, Step::Abandon(superseded)));
        }
        if !candidate.on_head() {
            continue;
        }
        steps.push((candidate.order.at, Step::Arrive(index)));
        // eyes that are not older than the +1 say that the connector is at it again; so may what cannot be read.
        let reactions = &candidate.reactions;
        if let Some((at, _)) = &reactions.plus_one
            && reactions.eyes.as_ref().is_none_or(|(eyes, _)| eyes < at)
            && reactions.doubtful.is_empty()
            && reactions.malformed.is_empty()
        {
            steps.push((*at, Step::Reaction(index)));
        }
    }
    for comment in &reading.comments {
        let (Role::Connector { meaning, commit }, Some(order)) = (&comment.role, comment.order) else {
            continue;
        };
        let edit = || reading.comment_edited(comment.comment);
        let Some((outcome, signature)) = outcome_of(meaning, commit, edit) else {
            continue;
        };
        let pending = Pending {
            name: comment.name.clone(),
            order: Some(order),
            outcome,
            signature,
        };
        steps.push((order.at, Step::Result(Box::new(pending))));
    }
    for review in &reading.reviews {
        let (Identity::Connector, Some(at)) = (review.identity, review.at) else {
            continue;
        };
        let Some(outcome) = review_outcome(reading, review) else {
            continue;
        };
        let pending = Pending {
            name: review.name.clone(),
            order: None,
            outcome,
            signature: None,
        };
        steps.push((at, Step::Result(Box::new(pending))));
    }
    steps
}

/// What a top-level comment of the connector says of a code-lane run of the head; `None` when it says nothing.
fn outcome_of(
    meaning: &Meaning,
    commit: &NamedCommit,
    edit: impl Fn() -> EditState,
) -> Option<(Outcome, Option<Signature>)> {
    let on_head = *commit == NamedCommit::Head;
    // A text that somebody else edited can end no run as clean or failed; an edited finding stays a finding.
    let intact = || edit().is_intact();
    match meaning {
        Meaning::NoFindings { lane: Lane::Code } if on_head && intact() => Some((Outcome::NoFindings, None)),
        Meaning::Findings { lane: Lane::Code, .. } if on_head => Some((Outcome::Findings, None)),
        Meaning::Failure { signature } if intact() => Some((Outcome::Failure, Some(*signature))),
        Meaning::Notice {
            kind,
            lane: Lane::Code,
        } if refuses(*kind) => Some((Outcome::Refused, None)),
        Meaning::NoFindings { .. }
        | Meaning::Findings { .. }
        | Meaning::Failure { .. }
        | Meaning::Notice { .. }
        | Meaning::Boilerplate { .. }
        | Meaning::TaskReply
        | Meaning::Summary { .. }
        | Meaning::Unclear { .. } => None,
    }
}

/// Whether a review in this state can say that nothing was found: not one that was dismissed, is not submitted, asks
/// for changes, or is in a state that this version does not know.
fn may_approve(state: &ReviewState) -> bool {
    match state {
        ReviewState::Commented | ReviewState::Approved => true,
        ReviewState::ChangesRequested
        | ReviewState::Dismissed
        | ReviewState::Pending
        | ReviewState::Missing
        | ReviewState::Unrecognized(_) => false,
    }
}

/// Whether a notice means that the trigger will never be answered.
pub fn refuses(kind: NoticeKind) -> bool {
    match kind {
        NoticeKind::UsageLimit | NoticeKind::Environment | NoticeKind::Account | NoticeKind::Workspace => {
            true
        }
        NoticeKind::RequestFailed | NoticeKind::ErrorUnlisted => false,
    }
}

/// What a review of the connector says of a code-lane run of the head. A dismissed review, or one in
/// an unknown state, approves nothing, but its findings still ended its run.
pub fn review_outcome(reading: &Reading<'_>, review: &ReviewReading<'_>) -> Option<Outcome> {
    if review.commit != NamedCommit::Head {
        return None;
    }
    match &review.meaning {
        Meaning::Findings { lane: Lane::Code, .. } => Some(Outcome::Findings),
        Meaning::NoFindings { lane: Lane::Code } if !may_approve(&review.review.state) => None,
        Meaning::NoFindings { lane: Lane::Code } if review.roots == 0 => {
            match reading.review_edited(review.review) {
                EditState::Unedited | EditState::ByConnector => Some(Outcome::NoFindings),
                EditState::ByOther | EditState::Unknown => None,
            }
        }
        Meaning::Boilerplate { lane: Lane::Code }
        | Meaning::Unclear { lane: Lane::Code }
        | Meaning::NoFindings { lane: Lane::Code }
            if review.roots > 0 =>
        {
            Some(Outcome::Findings)
        }
        Meaning::Findings { .. }
        | Meaning::NoFindings { .. }
        | Meaning::Boilerplate { .. }
        | Meaning::Unclear { .. }
        | Meaning::Failure { .. }
        | Meaning::Notice { .. }
        | Meaning::TaskReply
        | Meaning::Summary { .. } => None,
    }
}
