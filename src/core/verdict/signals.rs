//! What says clean, what says that a review is going on, and what says that it failed, each with its time.

use crate::bot::identity::{Identity, IdentitySurface, identify};
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::summary::RowStatus;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::reaction::ReactionContent;
use crate::gate::{Gate, GateState, earlier_head};
use crate::reading::{NamedCommit, Role};
use crate::reason::{Reason, ReasonCode};
use crate::run::attribution::{Outcome, review_outcome};
use crate::run::candidate::{Reactions, ResolutionKind};
use crate::run::{CleanProof, Run, RunState, indeterminate};

use super::VerdictBy;

/// Something that says clean.
pub struct CleanSignal {
    /// What says it.
    pub by: VerdictBy,
    /// When.
    pub at: Timestamp,
    /// In words.
    pub reason: Reason,
}

/// Something that says that a review is going on.
pub struct Progress {
    /// What says it.
    pub by: VerdictBy,
    /// When; none when GitHub gave no usable time: then it counts as later than everything.
    pub at: Option<Timestamp>,
    /// In words.
    pub reason: Reason,
}

/// Everything that says clean, as far as it goes by itself.
pub fn clean(run: &Run<'_>, gate: &Gate) -> Vec<CleanSignal> {
    let mut signals = Vec::new();
    if let RunState::Clean { by } = &run.state {
        let (CleanProof::Reaction { at, .. } | CleanProof::Result { at, .. }) = by;
        if let Some(reason) = run.reasons.first() {
            signals.push(CleanSignal {
                by: VerdictBy::Run,
                at: *at,
                reason: reason.clone(),
            });
        }
    }
    if let GateState::Approved(approval) = &gate.state {
        let message = "The connector gave this head a thumbs-up, and nothing stands against it.";
        signals.push(CleanSignal {
            by: VerdictBy::Gate,
            at: approval.at,
            reason: Reason::new(
                ReasonCode::CleanReaction,
                message,
                vec![approval.reaction.clone(), approval.on.clone()],
            ),
        });
    }
    if run.candidates.unresolved().next().is_none()
        && let Some((at, name)) = newest_clean_result(run)
    {
        let message = "The connector reported no findings for exactly this head.";
        signals.push(CleanSignal {
            by: VerdictBy::Result,
            at,
            reason: Reason::new(ReasonCode::CleanReviewResult, message, vec![name]),
        });
    }
    signals
}

/// The newest code-lane no-findings text that names this head and is later than its arrival.
pub(crate) fn newest_clean_result(run: &Run<'_>) -> Option<(Timestamp, EvidenceName)> {
    let history = &run.history;
    // A suite that cannot be placed may be the first sign of this head, and later than the text.
    let seen = history.first_sighting().is_some() || !history.may_be_older();
    let known = seen && !history.has_undated_movement();
    clean_results(run)
        .filter(|(at, name)| known && !is_before_movement(run, *at) && !is_before_sighting(run, *at, name))
        .max()
}

/// The newest of those that no recorded movement shows to be older than the arrival of the head. A sighting shows no
/// such thing: the head may have come long before it was seen.
pub(crate) fn newest_possible_clean_result(run: &Run<'_>) -> Option<(Timestamp, EvidenceName)> {
    // A review is of one commit; where GitHub does not say of which, it may be of this head.
    let unnamed = run.reading.reviews.iter().filter_map(|one| {
        let clean = matches!(one.meaning, Meaning::NoFindings { lane: Lane::Code });
        let possible = clean && one.identity == Identity::Connector && one.commit == NamedCommit::None;
        one.at.filter(|_| possible).map(|at| (at, one.name.clone()))
    });
    clean_results(run)
        .chain(unnamed)
        .filter(|(at, _)| !is_before_movement(run, *at))
        .max()
}

/// The code-lane no-findings texts that name this head.
fn clean_results(run: &Run<'_>) -> impl Iterator<Item = (Timestamp, EvidenceName)> {
    let reading = &run.reading;
    let comments = reading.comments.iter().filter_map(|one| {
        let Role::Connector {
            meaning: Meaning::NoFindings { lane: Lane::Code },
            commit: NamedCommit::Head,
        } = &one.role
        else {
            return None;
        };
        let intact = reading.comment_edited(one.comment).is_intact();
        let order = one.order.filter(|_| intact)?;
        Some((order.at, one.name.clone()))
    });
    let reviews = reading.reviews.iter().filter_map(|one| {
        let says_clean =
            one.identity == Identity::Connector && review_outcome(reading, one) == Some(Outcome::NoFindings);
        one.at.filter(|_| says_clean).map(|at| (at, one.name.clone()))
    });
    comments.chain(reviews)
}

/// Not later than a recorded movement to this head.
fn is_before_movement(run: &Run<'_>, at: Timestamp) -> bool {
    run.history.last_movement_here().is_some_and(|moved| at <= moved)
}

/// Not later than the first sighting of this head, unless that is the text itself.
fn is_before_sighting(run: &Run<'_>, at: Timestamp, name: &EvidenceName) -> bool {
    let first = run.history.first_sighting();
    first.is_some_and(|first| first.name != *name && at <= first.at)
}

/// Every sign that a review of this head is going on.
pub fn progress(run: &Run<'_>, gate: &Gate) -> Vec<Progress> {
    let mut signs = Vec::new();
    let surfaces = &run.reading.evidence.surfaces;
    let body = Reactions::of(&run.reading.reactions(surfaces.body_reactions.items()));
    let newest = run.candidates.newest_on_head();
    for reactions in std::iter::once(&body).chain(newest.map(|newest| &newest.reactions)) {
        if let Some(name) = reactions.possible_eyes() {
            let message = "A reaction that cannot be read may say that the connector is reviewing.";
            signs.push(Progress {
                by: VerdictBy::Gate,
                at: None,
                reason: Reason::new(ReasonCode::Acknowledged, message, vec![name.clone()]),
            });
        }
    }
    if let Some((at, name)) = body.eyes
        && body_eyes_are_fresh(run, gate, at)
    {
        let message = "The connector's eyes on the description say that it is reviewing.";
        signs.push(Progress {
            by: VerdictBy::Gate,
            at: Some(at),
            reason: Reason::new(ReasonCode::Acknowledged, message, vec![name, EvidenceName::Pull]),
        });
    }
    if let Some(newest) = run.candidates.newest_on_head()
        && let Some((at, name)) = &newest.reactions.eyes
    {
        let message = "The connector acknowledged the newest trigger and has not answered since.";
        signs.push(Progress {
            by: VerdictBy::Run,
            at: Some(*at),
            reason: Reason::new(
                ReasonCode::Acknowledged,
                message,
                vec![name.clone(), newest.name.clone()],
            ),
        });
    }
    if let Some((name, RowStatus::Running, at)) = indeterminate::newest_row(run) {
        let message = "The summary comment says that the review of this head is running.";
        signs.push(Progress {
            by: VerdictBy::Summary,
            at,
            reason: Reason::new(ReasonCode::SummaryRunning, message, vec![name]),
        });
    }
    signs
}

/// Without a timestamped check the head's arrival stands in for the lower bound: eyes only ever delay.
fn body_eyes_are_fresh(run: &Run<'_>, gate: &Gate, at: Timestamp) -> bool {
    let arrived =
        gate.bound.checks_started.is_some() || earlier_head::arrival(run).is_none_or(|arrival| at >= arrival);
    gate.bound.is_fresh_on_body(at) && arrived
}

/// Whether the review that a sign announces has ended since: by a +1, a result, a failure or a refusal.
pub fn is_spent(run: &Run<'_>, gate: &Gate, sign: &Progress) -> bool {
    let Some(at) = sign.at else { return false };
    let result = run.results.iter().any(|result| result.at > at);
    let plus_one = gate.signals.approval.as_ref().is_some_and(|one| one.at > at);
    let body = Reactions::of(
        &run.reading
            .reactions(run.reading.evidence.surfaces.body_reactions.items()),
    );
    let body_plus_one = body
        .plus_one
        .is_some_and(|(plus_one, _)| plus_one > at && gate.bound.is_fresh_on_body(plus_one));
    let answered = run.candidates.newest_on_head().is_some_and(|newest| {
        newest
            .resolution
            .as_ref()
            .is_some_and(|resolution| match resolution.kind {
                ResolutionKind::Reaction
                | ResolutionKind::Result
                | ResolutionKind::Failure
                | ResolutionKind::Refused
                | ResolutionKind::Abandoned => resolution.at > at,
            })
    });
    result || plus_one || body_plus_one || answered
}

/// The newest code-lane row for this head when it says that the review failed and the connector has been silent since.
pub fn failed_row(run: &Run<'_>) -> Option<Reason> {
    let (name, RowStatus::Failed, Some(at)) = indeterminate::newest_row(run)? else {
        return None;
    };
    if connector_spoke_after(run, at) {
        return None;
    }
    Some(Reason::new(
        ReasonCode::SummaryFailed,
        "The summary comment says that the review of this head failed, and the connector has been silent since.",
        vec![name],
    ))
}

/// Summary comments are edited in place: when one was written says nothing.
fn connector_spoke_after(run: &Run<'_>, at: Timestamp) -> bool {
    let reading = &run.reading;
    let later = |time: Option<Timestamp>| time.is_none_or(|time| time > at);
    let comments = reading.comments.iter().any(|one| match &one.role {
        Role::Connector { meaning, .. } => {
            !matches!(meaning, Meaning::Summary { .. }) && later(one.comment.created_at.get())
        }
        Role::Addressed { .. } | Role::Bystander => false,
    });
    let reviews = reading
        .reviews
        .iter()
        .any(|one| one.identity == Identity::Connector && later(one.at));
    let threads = reading.threads.iter().any(|one| {
        let strict = reading.options.strict_identity;
        one.thread.comments.iter().any(|comment| {
            let identity = identify(comment.author.as_ref(), IdentitySurface::GraphQl, strict);
            identity.identity == Identity::Connector && later(comment.created_at.get())
        })
    });
    let surfaces = &reading.evidence.surfaces;
    let reactions = std::iter::once(&surfaces.body_reactions)
        .chain(surfaces.comment_reactions.values())
        .any(|surface| {
            reading.reactions(surface.items()).iter().any(|reaction| {
                let speaks = match reaction.content {
                    ReactionContent::PlusOne | ReactionContent::Eyes => true,
                    ReactionContent::Other(_)
                    | ReactionContent::Unrecognized(_)
                    | ReactionContent::Missing => false,
                };
                speaks && reaction.identity == Identity::Connector && later(reaction.at)
            })
        });
    comments || reviews || threads || reactions
}
