//! Whether the head passed the review of the current phase, and when another review may be requested.

use std::collections::BTreeSet;

use chrono::TimeDelta;

use super::Inputs;
use crate::bot::identity::Identity;
use crate::evidence::event::EventKind;
use crate::evidence::handled::Outcome;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::reading::Role;
use crate::run::indeterminate::may_be_open;
use crate::sensor::items::{Placed, Standing};
use crate::sensor::timeline::{EventWord, TimelineEvent};
use crate::verdict::signals::progress;

/// An automatic review may take this long after a push or the ready transition, in minutes.
pub const AUTOMATIC_MINUTES: i64 = 35;

/// What passes the review of this phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The evidence.
    pub name: String,
    /// When.
    pub at: Timestamp,
    /// In words.
    pub how: &'static str,
}

/// Threads of the connector, or that may be its, whose inline comment is not listed: no item stands for them, and nobody
/// can say that they are handled.
pub fn unseen(inputs: &Inputs<'_, '_, '_>) -> Vec<String> {
    let run = inputs.sensor.run;
    let comments = run.reading.evidence.surfaces.review_comments.items();
    let listed: BTreeSet<u64> = comments.iter().filter_map(|comment| comment.id.get()).collect();
    let threads = run.reading.threads.iter().filter(|thread| {
        let root = thread.thread.comments.first().and_then(|root| root.id.get());
        may_be_open(run, thread) && root.is_none_or(|root| !listed.contains(&root))
    });
    threads.map(|thread| thread.name.to_string()).collect()
}

/// The newest pass that nothing stands against.
pub fn pass(inputs: &Inputs<'_, '_, '_>) -> Option<Pass> {
    let snapshot = &inputs.sensor.snapshot;
    let newest = |kinds: &[EventWord]| {
        let of_kind = snapshot
            .timeline
            .iter()
            .filter(|event| kinds.contains(&event.kind));
        of_kind.map(|event| event.t).max()
    };
    let asked_or_completed = newest(&[EventWord::Retrigger, EventWord::ReviewCompleted]);
    let mut passes: Vec<Pass> = snapshot
        .timeline
        .iter()
        .filter_map(|event| match event.kind {
            EventWord::Approved => Some((event, "a comment that passes this head by name")),
            EventWord::ApprovalSignal if asked_or_completed.is_none_or(|at| event.t > at) => {
                Some((event, "a +1 on the newest request for this head"))
            }
            EventWord::ApprovalSignal
            | EventWord::Retrigger
            | EventWord::Reviewing
            | EventWord::ReviewCompleted
            | EventWord::ReviewComments
            | EventWord::LimitNotice => None,
        })
        .filter(|(event, _)| arrived_before(inputs, event))
        .map(|(event, how)| Pass {
            name: event.event_key.clone(),
            at: event.t,
            how,
        })
        .collect();
    if let Some(approval) = inputs.gate.approval()
        && snapshot
            .phase_not_before
            .is_none_or(|boundary| approval.at > boundary)
    {
        passes.push(Pass {
            name: approval.reaction.to_string(),
            at: approval.at,
            how: "the approved merge gate",
        });
    }
    let objection = newest_objection(inputs);
    passes.retain(|pass| !objection.stands_against(pass));
    passes
        .into_iter()
        .max_by(|a, b| (a.at, &a.name).cmp(&(b.at, &b.name)))
}

/// Committer dates can lie: what does not name the head counts only when it is later than the first evidence of it.
fn arrived_before(inputs: &Inputs<'_, '_, '_>, event: &TimelineEvent) -> bool {
    match inputs.sensor.snapshot.head_first_seen_at {
        Some(seen) => event.t > seen,
        None => event.kind == EventWord::Approved,
    }
}

/// What is not older than a pass takes it away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Objection {
    /// Nothing does.
    None,
    /// Passes up to this time.
    UpTo(Timestamp),
    /// Every pass: nobody knows when it was.
    Every,
}

impl Objection {
    fn at(at: Option<Timestamp>) -> Self {
        at.map_or(Self::Every, Self::UpTo)
    }

    fn stands_against(self, pass: &Pass) -> bool {
        match self {
            Self::None => false,
            Self::UpTo(at) => at >= pass.at,
            Self::Every => true,
        }
    }
}

/// The newest finding, text nobody can read, sign that the connector is at it, unanswered request, or movement to this
/// head.
fn newest_objection(inputs: &Inputs<'_, '_, '_>) -> Objection {
    let run = inputs.sensor.run;
    let found = inputs
        .current()
        .filter_map(|placed| placed.item.created_at)
        .map(Objection::UpTo);
    let said = inputs
        .sensor
        .snapshot
        .timeline
        .iter()
        .filter(|event| match event.kind {
            EventWord::ReviewComments | EventWord::Reviewing => true,
            EventWord::Retrigger
            | EventWord::ApprovalSignal
            | EventWord::ReviewCompleted
            | EventWord::Approved
            | EventWord::LimitNotice => false,
        })
        .map(|event| Objection::UpTo(event.t));
    let unclear: BTreeSet<EvidenceName> = run.unclear_texts().into_iter().map(|(name, _)| name).collect();
    let comments = run
        .reading
        .comments
        .iter()
        .map(|one| (&one.name, one.order.map(|order| order.at)));
    let reviews = run.reading.reviews.iter().map(|one| (&one.name, one.at));
    let unread = comments
        .chain(reviews)
        .filter(|(name, _)| unclear.contains(name))
        .map(|(_, at)| Objection::at(at));
    let asked = run.candidates.unresolved();
    let asked = asked.map(|candidate| Objection::UpTo(candidate.order.at));
    let at_it = progress(run, inputs.gate);
    let at_it = at_it.iter().map(|sign| Objection::at(sign.at));
    let moved = if run.history.has_undated_movement() {
        Objection::Every
    } else {
        let newest = run.history.last_movement_here();
        newest.map_or(Objection::None, Objection::UpTo)
    };
    found
        .chain(said)
        .chain(unread)
        .chain(asked)
        .chain(at_it)
        .max()
        .map_or(moved, |newest| newest.max(moved))
}

/// Why a review may be requested now.
pub fn request(inputs: &Inputs<'_, '_, '_>) -> Option<(&'static str, Vec<String>)> {
    let run = inputs.sensor.run;
    let asked = run.candidates.newest_on_head();
    if run.reading.pull.is_draft {
        return asked
            .is_none()
            .then(|| ("This draft's head has had no review request yet.", Vec::new()));
    }
    let since = waiting_since(inputs);
    // Only a push or the ready transition brings an automatic review; a review since then leaves none to wait for.
    if let Some((review, at)) = rebutted_round(inputs)
        && since.is_none_or(|since| at > since)
        && asked.is_none_or(|candidate| candidate.order.at < at)
    {
        let why = "The head did not change and every finding of its review was rebutted.";
        return Some((why, vec![format!("review:{review}")]));
    }
    let since = since?;
    let waited = run.reading.evidence.collected_at - since >= TimeDelta::minutes(AUTOMATIC_MINUTES);
    (waited && asked.is_none() && !connector_spoke(inputs, since)).then(|| {
        let why =
            "35 minutes after the head was pushed or made ready there is no sign of an automatic review.";
        (why, Vec::new())
    })
}

/// The newest review of this head with findings, when every one of them was rebutted.
fn rebutted_round(inputs: &Inputs<'_, '_, '_>) -> Option<(u64, Timestamp)> {
    let snapshot = &inputs.sensor.snapshot;
    let round = snapshot.finding_rounds.last()?;
    if round.commit_id.as_deref() != Some(snapshot.head_sha.as_str()) {
        return None;
    }
    let mut of_round = inputs
        .sensor
        .items
        .iter()
        .filter(|placed| placed.item.review_id == Some(round.review_id))
        .peekable();
    of_round.peek()?;
    of_round
        .all(|placed| final_outcome(inputs, placed) == Some(Outcome::Rebutted))
        .then_some((round.review_id, round.submitted_at))
}

/// How a handled item ended, where that is recorded.
fn final_outcome(inputs: &Inputs<'_, '_, '_>, placed: &Placed) -> Option<Outcome> {
    let recorded = inputs.record.dispositions.get(&placed.item.item_key);
    recorded
        .filter(|_| placed.standing == Standing::Handled)
        .map(|known| known.outcome)
}

/// When the head was pushed, or the pull request opened, made ready or reopened, whichever was last.
fn waiting_since(inputs: &Inputs<'_, '_, '_>) -> Option<Timestamp> {
    let run = inputs.sensor.run;
    let ready = run
        .reading
        .evidence
        .surfaces
        .timeline
        .items()
        .iter()
        .filter(|event| matches!(event.kind, EventKind::ReadyForReview | EventKind::Reopened))
        .filter_map(|event| event.created_at.get())
        .max();
    let pushed = run.history.arrival().max(run.history.committed_at());
    ready.max(pushed).max(run.reading.pull.created_at.get())
}

/// Anything the connector did since then.
fn connector_spoke(inputs: &Inputs<'_, '_, '_>, since: Timestamp) -> bool {
    let reading = &inputs.sensor.run.reading;
    let commented = reading.comments.iter().any(|comment| {
        let times = [comment.comment.created_at.get(), comment.comment.updated_at.get()];
        matches!(comment.role, Role::Connector { .. }) && times.into_iter().flatten().any(|at| at >= since)
    });
    let reviewed = reading
        .reviews
        .iter()
        .any(|review| review.identity == Identity::Connector && review.at.is_none_or(|at| at >= since));
    let reacted = reading
        .reactions(reading.evidence.surfaces.body_reactions.items())
        .iter()
        .any(|reaction| reaction.at.is_none_or(|at| at >= since));
    commented || reviewed || reacted
}
