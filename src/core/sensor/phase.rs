//! Since when evidence counts: the latest of the head's committer date, an explicit time, the lifecycle events and
//! the review requests for this head; and what counts in the very second of that boundary.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::Serialize;

use super::requests::Request;
use crate::evidence::event::{Event, EventKind};
use crate::evidence::observed::{Timestamp, rfc3339};
use crate::reason::words;
use crate::run::Run;

words! {
    /// What opens a review phase.
    PhaseSourceKind {
        /// The caller said so.
        Explicit = "explicit-not-before",
        /// The draft became ready.
        ReadyForReview = "ready-for-review",
        /// The pull request was reopened.
        Reopened = "reopened",
        /// A request marked for this head.
        ReviewRequest = "review-request",
    }
}

/// One event that opens a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhaseSource {
    /// When.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// What it is.
    pub source: PhaseSourceKind,
    /// Its key.
    pub event_key: String,
    /// The comment's id, for a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<u64>,
}

/// The current review phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its boundary; unknown only when GitHub gave no committer date and nothing else happened.
    pub not_before: Option<Timestamp>,
    /// The events at the boundary; none when it is the committer date alone.
    pub sources: Vec<PhaseSource>,
}

impl Phase {
    /// The phase that the newest of these opened.
    pub fn of(run: &Run<'_>, requests: &[Request<'_, '_>], explicit: Option<Timestamp>) -> Self {
        let mut events: Vec<PhaseSource> = Vec::new();
        if let Some(at) = explicit {
            events.push(PhaseSource {
                at,
                source: PhaseSourceKind::Explicit,
                event_key: format!("explicit:{}", rfc3339(at)),
                event_id: None,
            });
        }
        for event in run.reading.evidence.surfaces.timeline.items() {
            if let (Some(source), Some(at)) = (lifecycle(event), event.created_at.get()) {
                events.push(PhaseSource {
                    at,
                    source,
                    event_key: format!("timeline:{}", event.id),
                    event_id: None,
                });
            }
        }
        events.extend(requests.iter().map(|request| PhaseSource {
            at: request.order.at,
            source: PhaseSourceKind::ReviewRequest,
            event_key: format!("issue-comment:{}", request.order.id),
            event_id: Some(request.order.id),
        }));
        let newest = events.iter().map(|event| event.at).max();
        let not_before = newest.max(run.history.committed_at());
        events.retain(|event| Some(event.at) == not_before);
        events.sort_by(|a, b| a.event_key.cmp(&b.event_key));
        Self {
            not_before,
            sources: events,
        }
    }

    /// Whether an event stands at the boundary.
    pub fn is_active(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Whether evidence of that time counts; in the boundary's own second `tie` decides, when an event stands there.
    fn counts(&self, at: Timestamp, tie: impl FnOnce() -> bool) -> bool {
        match self.not_before.map(|boundary| at.cmp(&boundary)) {
            None | Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => !self.is_active() || tie(),
            Some(Ordering::Less) => false,
        }
    }

    /// A review: never in the boundary's second, since it has no order among events.
    pub fn counts_review(&self, at: Timestamp) -> bool {
        self.counts(at, || false)
    }

    /// A comment: in the boundary's second only when every event there is a request with a lower comment id.
    pub fn counts_comment(&self, at: Timestamp, id: u64) -> bool {
        self.counts(at, || {
            self.sources
                .iter()
                .all(|source| source.event_id.is_some_and(|request| request < id))
        })
    }

    /// A reaction: in the boundary's second only when every event there is the request it stands on.
    pub fn counts_reaction(&self, at: Timestamp, request: Option<u64>) -> bool {
        self.counts(at, || {
            request.is_some() && self.sources.iter().all(|source| source.event_id == request)
        })
    }
}

fn lifecycle(event: &Event) -> Option<PhaseSourceKind> {
    match event.kind {
        EventKind::ReadyForReview => Some(PhaseSourceKind::ReadyForReview),
        EventKind::Reopened => Some(PhaseSourceKind::Reopened),
        EventKind::HeadForcePushed { .. }
        | EventKind::ConvertedToDraft
        | EventKind::Closed
        | EventKind::Merged
        | EventKind::CommentDeleted { .. }
        | EventKind::BaseChanged
        | EventKind::BaseForcePushed
        | EventKind::HeadDeleted
        | EventKind::HeadRestored
        | EventKind::Unrecognized { .. } => None,
    }
}
