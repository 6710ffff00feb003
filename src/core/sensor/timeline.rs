//! What the connector and its requesters did in the current phase, in order, each event under a stable key.

use schemars::JsonSchema;
use serde::Serialize;

use super::items::{self, Placed};
use super::phase::Phase;
use super::requests::Request;
use crate::bot::commits::{self, LabelledCommit};
use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::notices::NoticeKind;
use crate::evidence::name::{EvidenceName, Id};
use crate::evidence::observed::Timestamp;
use crate::evidence::reaction::ReactionContent;
use crate::evidence::surface::Surface;
use crate::reading::{
    CommentOrder, CommentReading, EditState, NamedCommit, ReactionReading, Reading, Role, lane_of,
};
use crate::reason::words;
use crate::run::Run;

words! {
    /// What happened.
    EventWord {
        /// A review of this head was requested.
        Retrigger = "retrigger",
        /// The connector looked at the request or the pull request.
        Reviewing = "reviewing",
        /// The connector's +1 on the request. It names no commit.
        ApprovalSignal = "approval_signal",
        /// A review of this head without findings.
        ReviewCompleted = "review_completed",
        /// A comment that passes this head by name.
        Approved = "approved",
        /// A review of this head with findings.
        ReviewComments = "review_comments",
        /// A quota is used up.
        LimitNotice = "limit_notice",
    }
}

impl EventWord {
    /// The order of events in one second.
    pub fn priority(self) -> u8 {
        match self {
            Self::Retrigger => 1,
            Self::Reviewing => 2,
            Self::ApprovalSignal => 3,
            Self::ReviewCompleted => 4,
            Self::Approved => 5,
            Self::ReviewComments => 6,
            Self::LimitNotice => 7,
        }
    }

    /// Where such an event is read.
    pub fn source(self) -> &'static str {
        match self {
            Self::Retrigger => "issue-comment:@codex-review",
            Self::Reviewing => "reaction:eyes",
            Self::ApprovalSignal => "reaction:+1-request",
            Self::ReviewCompleted | Self::ReviewComments => "pull-request-review",
            Self::Approved => "issue-comment:codex-pass",
            Self::LimitNotice => "issue-comment:usage-limit",
        }
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineEvent {
    /// When.
    #[schemars(with = "String")]
    pub t: Timestamp,
    /// What happened.
    pub kind: EventWord,
    /// The order of events in one second, the lowest first.
    pub priority: u8,
    /// Where it was read.
    pub source: String,
    /// `issue-comment:ID`, `reaction:ID` or `review:ID`.
    pub event_key: String,
    /// The numeric id in that key.
    pub event_id: u64,
    /// The page on GitHub; of a reaction the page of what it stands on.
    pub url: Option<String>,
    /// What belongs to this kind alone.
    #[serde(flatten)]
    pub detail: Detail,
}

/// The fields that one kind of event has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Detail {
    /// Of a request.
    Request {
        /// Who asked.
        author: Option<String>,
    },
    /// Of a +1 on a request.
    Approval {
        /// The request it stands on.
        request_comment_id: u64,
        /// Always false.
        bound_to_head: bool,
    },
    /// Of eyes.
    Reaction {
        /// The request it stands on; null for the pull request's body.
        request_comment_id: Option<u64>,
    },
    /// Of a pass.
    Pass {
        /// The commit as the comment shortens it.
        commit_id_prefix: String,
        /// Always true: GitHub resolves that commit to the head.
        bound_to_head: bool,
    },
    /// Of a review.
    Review {
        /// The review.
        review_id: u64,
        /// Its commit.
        commit_id: String,
    },
    /// Of a notice.
    Notice {
        /// What it says.
        body: String,
    },
}

impl TimelineEvent {
    fn new(
        t: Timestamp,
        kind: EventWord,
        name: &EvidenceName,
        id: u64,
        url: Option<String>,
        detail: Detail,
    ) -> Self {
        Self {
            t,
            kind,
            priority: kind.priority(),
            source: kind.source().to_owned(),
            event_key: name.to_string(),
            event_id: id,
            url,
            detail,
        }
    }

    /// Whether it says more than a bare approval signal.
    pub fn is_strong(&self) -> bool {
        self.kind != EventWord::ApprovalSignal
    }
}

/// A comment by which the connector passed this head, whatever the phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PassComment {
    /// The comment.
    pub id: u64,
    /// When it was written.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// The commit as it shortens it.
    pub commit_id_prefix: String,
    /// Its page.
    pub url: Option<String>,
}

/// A +1 of the connector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnboundApproval {
    /// The reaction.
    pub id: u64,
    /// When it was given.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// Its key.
    #[serde(rename = "eventKey")]
    pub event_key: String,
}

/// The events of the phase, and the signals behind them.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// In order of time, priority and key.
    pub events: Vec<TimelineEvent>,
    /// Every pass comment for the head.
    pub passes: Vec<PassComment>,
    /// Every +1.
    pub unbound: Vec<UnboundApproval>,
}

impl Timeline {
    /// Gathers what counts in the phase.
    pub fn of(run: &Run<'_>, phase: &Phase, requests: &[Request<'_, '_>], current: &[&Placed]) -> Self {
        let reading = &run.reading;
        let mut events = Vec::new();
        retriggers(phase, requests, &mut events);
        let reactions = reactions(reading, requests);
        for reaction in &reactions {
            events.extend(reaction.event(phase));
        }
        let passes: Vec<Pass> = reading
            .comments
            .iter()
            .filter_map(|comment| Pass::of(reading, comment))
            .collect();
        events.extend(
            passes
                .iter()
                .filter(|pass| phase.counts_comment(pass.order.at, pass.order.id))
                .map(Pass::event),
        );
        events.extend(limits(reading, phase));
        events.extend(reviews(reading, phase, current));
        events.sort_by(|a, b| (a.t, a.priority, &a.event_key).cmp(&(b.t, b.priority, &b.event_key)));
        let mut unbound: Vec<UnboundApproval> = reactions
            .iter()
            .filter(|reaction| reaction.content == ReactionContent::PlusOne)
            .map(|reaction| UnboundApproval {
                id: reaction.id,
                created_at: reaction.at,
                event_key: reaction.name.to_string(),
            })
            .collect();
        unbound.sort_by_key(|signal| signal.id);
        Self {
            events,
            passes: passes.into_iter().map(Pass::into_comment).collect(),
            unbound,
        }
    }
}

fn retriggers(phase: &Phase, requests: &[Request<'_, '_>], events: &mut Vec<TimelineEvent>) {
    let in_phase = requests.iter().filter(|request| {
        phase
            .not_before
            .is_none_or(|boundary| request.order.at >= boundary)
    });
    for request in in_phase {
        let comment = request.comment.comment;
        let author = comment.user.as_ref().and_then(|user| user.login.known().cloned());
        events.push(TimelineEvent::new(
            request.order.at,
            EventWord::Retrigger,
            &request.comment.name,
            request.order.id,
            comment.html_url.known().cloned(),
            Detail::Request { author },
        ));
    }
}

/// A reaction of the connector on the body or on the newest request for the head.
struct Reacted {
    name: EvidenceName,
    id: u64,
    at: Timestamp,
    content: ReactionContent,
    request: Option<(u64, Option<String>)>,
}

impl Reacted {
    fn of(reaction: ReactionReading, request: Option<(u64, Option<String>)>) -> Option<Self> {
        let (Identity::Connector, Some(at), EvidenceName::Reaction(Id::Number(id))) =
            (reaction.identity, reaction.at, &reaction.name)
        else {
            return None;
        };
        Some(Self {
            id: *id,
            at,
            content: reaction.content.clone(),
            request,
            name: reaction.name,
        })
    }

    /// A +1 on the body is no event: it says neither for which commit nor in answer to what.
    fn event(&self, phase: &Phase) -> Option<TimelineEvent> {
        let request = self.request.as_ref().map(|(id, _)| *id);
        let (kind, detail) = match (&self.content, request) {
            (ReactionContent::Eyes, request_comment_id) => {
                (EventWord::Reviewing, Detail::Reaction { request_comment_id })
            }
            (ReactionContent::PlusOne, Some(request_comment_id)) => (
                EventWord::ApprovalSignal,
                Detail::Approval {
                    request_comment_id,
                    bound_to_head: false,
                },
            ),
            (ReactionContent::PlusOne, None)
            | (ReactionContent::Other(_) | ReactionContent::Unrecognized(_) | ReactionContent::Missing, _) => {
                return None;
            }
        };
        phase.counts_reaction(self.at, request).then(|| {
            let url = self.request.as_ref().and_then(|(_, url)| url.clone());
            TimelineEvent::new(self.at, kind, &self.name, self.id, url, detail)
        })
    }
}

fn reactions(reading: &Reading<'_>, requests: &[Request<'_, '_>]) -> Vec<Reacted> {
    let surfaces = &reading.evidence.surfaces;
    let on_body = reading.reactions(surfaces.body_reactions.items());
    let mut all: Vec<Reacted> = on_body
        .into_iter()
        .filter_map(|reaction| Reacted::of(reaction, None))
        .collect();
    if let Some(newest) = requests.last() {
        let items = surfaces
            .comment_reactions
            .get(&newest.order.id)
            .map_or(&[][..], Surface::items);
        let url = newest.comment.comment.html_url.known().cloned();
        all.extend(
            reading
                .reactions(items)
                .into_iter()
                .filter_map(|reaction| Reacted::of(reaction, Some((newest.order.id, url.clone())))),
        );
    }
    all
}

/// A pass of the head by name.
struct Pass {
    name: EvidenceName,
    order: CommentOrder,
    prefix: String,
    url: Option<String>,
}

impl Pass {
    /// A no-findings comment of the code lane whose commit GitHub resolves to the head, and which nobody else edited.
    fn of(reading: &Reading<'_>, comment: &CommentReading<'_>) -> Option<Self> {
        let (
            Role::Connector {
                meaning: Meaning::NoFindings { lane: Lane::Code },
                commit: NamedCommit::Head,
            },
            Some(order),
            LabelledCommit::One(prefix),
        ) = (
            &comment.role,
            comment.order,
            commits::labelled(comment.comment.body.text()),
        )
        else {
            return None;
        };
        match reading.comment_edited(comment.comment) {
            EditState::Unedited | EditState::ByConnector => Some(Self {
                name: comment.name.clone(),
                order,
                prefix,
                url: comment.comment.html_url.known().cloned(),
            }),
            EditState::ByOther | EditState::Unknown => None,
        }
    }

    fn event(&self) -> TimelineEvent {
        TimelineEvent::new(
            self.order.at,
            EventWord::Approved,
            &self.name,
            self.order.id,
            self.url.clone(),
            Detail::Pass {
                commit_id_prefix: self.prefix.clone(),
                bound_to_head: true,
            },
        )
    }

    fn into_comment(self) -> PassComment {
        PassComment {
            id: self.order.id,
            created_at: self.order.at,
            commit_id_prefix: self.prefix,
            url: self.url,
        }
    }
}

fn limits<'a>(reading: &'a Reading<'_>, phase: &'a Phase) -> impl Iterator<Item = TimelineEvent> + 'a {
    reading.comments.iter().filter_map(|comment| {
        let (
            Role::Connector {
                meaning:
                    Meaning::Notice {
                        kind: NoticeKind::UsageLimit,
                        lane: Lane::Code,
                    },
                ..
            },
            Some(order),
        ) = (&comment.role, comment.order)
        else {
            return None;
        };
        phase.counts_comment(order.at, order.id).then(|| {
            TimelineEvent::new(
                order.at,
                EventWord::LimitNotice,
                &comment.name,
                order.id,
                comment.comment.html_url.known().cloned(),
                Detail::Notice {
                    body: comment.comment.body.text().to_owned(),
                },
            )
        })
    })
}

/// Reviews of the head. One of the security lane without findings completes no code review and is left out.
fn reviews<'a>(
    reading: &'a Reading<'_>,
    phase: &'a Phase,
    current: &'a [&Placed],
) -> impl Iterator<Item = TimelineEvent> + 'a {
    items::reviews_of_head(reading).filter_map(|review| {
        let (Some(at), Some(id)) = (review.at, review.review.id.get()) else {
            return None;
        };
        let found = current.iter().any(|placed| placed.item.review_id == Some(id));
        let kind = match (found, lane_of(&review.meaning)) {
            (true, _) => EventWord::ReviewComments,
            (false, Lane::Code) => EventWord::ReviewCompleted,
            (false, Lane::Security) => return None,
        };
        phase.counts_review(at).then(|| {
            TimelineEvent::new(
                at,
                kind,
                &review.name,
                id,
                review.review.html_url.known().cloned(),
                Detail::Review {
                    review_id: id,
                    commit_id: reading.pull.head_ref_oid.to_string(),
                },
            )
        })
    })
}
