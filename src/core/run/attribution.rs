//! Which result belongs to which trigger: a fold over time.
//!
//! An uncorrelated result resolves a candidate only when exactly one earlier candidate on the head is unresolved at
//! that point; with two or more nothing is bound and nothing is dismissed. Reactions resolve their own comment.
//! Results without a candidate (automatic reviews) resolve nothing (review-run protocol, "Binding contract").

use std::cmp::Ordering;

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
    /// Two or more candidates were unresolved: nothing tells them apart.
    Ambiguous(Vec<EvidenceName>),
    /// A candidate was posted in the same second on another surface: no order.
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
    let mut arrived: Vec<usize> = Vec::new();
    let mut attributed = Vec::new();
    for (at, step) in steps {
        match step {
            Step::Arrive(index) => arrived.push(index),
            Step::Abandon(superseded) => abandon(&mut candidates.all, &arrived, superseded, at),
            Step::Reaction(index) => {
                if let Some(candidate) = candidates.all.get_mut(index)
                    && candidate.resolution.as_ref().is_none_or(|resolution| {
                        matches!(
                            resolution.kind,
                            ResolutionKind::Refused | ResolutionKind::Abandoned
                        )
                    })
                    && let Some((at, name)) = candidate.reactions.plus_one.clone()
                {
                    candidate.resolution = Some(Resolution {
                        kind: ResolutionKind::Reaction,
                        evidence: name,
                        at,
                    });
                }
            }
            Step::Result(pending) => {
                let owner = owner(&candidates.all, &arrived, &pending, at);
                if let Owner::Candidate(name) = &owner
                    && let Some(candidate) = candidates.all.iter_mut().find(|one| one.name == *name)
                {
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
        // eyes that are not older than the +1 say that the connector is at it again.
        if let Some((at, _)) = &candidate.reactions.plus_one
            && candidate
                .reactions
                .eyes
                .as_ref()
                .is_none_or(|(eyes, _)| eyes < at)
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
    let intact = || match edit() {
        EditState::Unedited | EditState::ByConnector => true,
        EditState::ByOther | EditState::Unknown => false,
    };
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

/// Whether a notice means that the trigger will never be answered.
pub fn refuses(kind: NoticeKind) -> bool {
    match kind {
        NoticeKind::UsageLimit | NoticeKind::Environment | NoticeKind::Account | NoticeKind::Workspace => {
            true
        }
        NoticeKind::RequestFailed | NoticeKind::ErrorUnlisted => false,
    }
}

/// What a review of the connector says of a code-lane run of the head. A dismissed review approves nothing, but its
/// findings still ended its run.
pub fn review_outcome(reading: &Reading<'_>, review: &ReviewReading<'_>) -> Option<Outcome> {
    if review.commit != NamedCommit::Head {
        return None;
    }
    match &review.meaning {
        Meaning::Findings { lane: Lane::Code, .. } => Some(Outcome::Findings),
        Meaning::NoFindings { lane: Lane::Code } if review.review.state == ReviewState::Dismissed => None,
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

fn abandon(all: &mut [Candidate<'_>], arrived: &[usize], superseded: Superseded, at: Timestamp) {
    let id = match superseded {
        Superseded::Comment(id) => id,
        // A stuck eyes reaction abandons no candidate; preflight reads it.
        Superseded::Reaction(_) => return,
    };
    for index in arrived {
        if let Some(candidate) = all.get_mut(*index)
            && candidate.order.id == id
            && candidate.resolution.is_none()
        {
            let evidence = candidate.name.clone();
            candidate.resolution = Some(Resolution {
                kind: ResolutionKind::Abandoned,
                evidence,
                at,
            });
        }
    }
}

fn owner(all: &[Candidate<'_>], arrived: &[usize], pending: &Pending, at: Timestamp) -> Owner {
    let waiting = |candidate: &&Candidate<'_>| match &candidate.resolution {
        None => true,
        // An abandoned trigger can still be the one that failed.
        Some(resolution) => {
            resolution.kind == ResolutionKind::Abandoned && pending.outcome == Outcome::Failure
        }
    };
    let unresolved: Vec<&Candidate<'_>> = arrived
        .iter()
        .filter_map(|index| all.get(*index))
        .filter(waiting)
        .collect();
    if pending.order.is_none()
        && let Some(same) = unresolved.iter().find(|candidate| candidate.order.at == at)
    {
        return Owner::SameTime(same.name.clone());
    }
    match unresolved.as_slice() {
        [] => Owner::Nobody,
        [one] => Owner::Candidate(one.name.clone()),
        several => Owner::Ambiguous(several.iter().map(|candidate| candidate.name.clone()).collect()),
    }
}
