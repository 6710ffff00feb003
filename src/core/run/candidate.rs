//! Trigger candidates: comments that may have started a run, each with its head binding and its reactions.

use crate::bot::identity::Identity;
use crate::bot::triggers::{Form, MarkedHead, Marker, Superseded};
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::reaction::ReactionContent;
use crate::evidence::surface::Surface;
use crate::head::{BindingStatus, HeadBinding, HeadHistory, TriggerClaim};
use crate::reading::{
    CommentOrder, EditState, ReactionReading, Reading, Role, is_candidate_form, is_trusted_person,
};

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// How it was resolved.
    pub kind: ResolutionKind,
    /// The evidence that resolved it.
    pub evidence: EvidenceName,
    /// When that evidence stood.
    pub at: Timestamp,
}

crate::reason::words! {
    /// How a candidate was resolved.
    ResolutionKind {
        /// The connector's +1 on it.
        Reaction = "reaction",
        /// A clean or findings result that only it can own.
        Result = "result",
        /// A listed failure that only it can own.
        Failure = "failure",
        /// A notice that the connector will not review.
        Refused = "refused",
        /// A person abandoned it.
        Abandoned = "abandoned",
    }
}

/// What the connector's reactions on one comment say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reactions {
    /// The newest +1.
    pub plus_one: Option<(Timestamp, EvidenceName)>,
    /// The newest eyes.
    pub eyes: Option<(Timestamp, EvidenceName)>,
    /// Reactions that may be the connector's, but are not proven to be.
    pub doubtful: Vec<EvidenceName>,
    /// Of these, one that may be eyes.
    pub doubtful_eyes: Option<EvidenceName>,
    /// The connector's reactions without a usable time or word.
    pub malformed: Vec<EvidenceName>,
}

impl Reactions {
    /// Reads the newest +1 and eyes among reactions that are or may be the connector's.
    pub fn of(all: &[ReactionReading]) -> Self {
        let mut reactions = Self::default();
        for reaction in all {
            let slot = match reaction.content {
                ReactionContent::PlusOne => &mut reactions.plus_one,
                ReactionContent::Eyes => &mut reactions.eyes,
                ReactionContent::Missing | ReactionContent::Unrecognized(_) => {
                    match reaction.identity {
                        Identity::Connector => reactions.malformed.push(reaction.name.clone()),
                        Identity::Mismatched | Identity::Missing => {
                            reactions.doubtful.push(reaction.name.clone());
                            reactions.doubtful_eyes = Some(reaction.name.clone());
                        }
                        Identity::Other => {}
                    }
                    continue;
                }
                ReactionContent::Other(_) => continue,
            };
            match (reaction.identity, reaction.at) {
                (Identity::Connector, Some(at)) => *slot = Some((at, reaction.name.clone())),
                (Identity::Connector, None) => reactions.malformed.push(reaction.name.clone()),
                (Identity::Mismatched | Identity::Missing, _) => {
                    if reaction.content == ReactionContent::Eyes {
                        reactions.doubtful_eyes = Some(reaction.name.clone());
                    }
                    reactions.doubtful.push(reaction.name.clone());
                }
                (Identity::Other, _) => {}
            }
        }
        reactions
    }

    /// The same on a comment of this time: a reaction that claims to be older than what it stands on cannot be ordered,
    /// and an earlier one never makes clean.
    pub fn on_comment_of(mut self, posted: Timestamp) -> Self {
        for slot in [&mut self.plus_one, &mut self.eyes] {
            if let Some((_, name)) = slot.take_if(|(at, _)| *at < posted) {
                self.malformed.push(name);
            }
        }
        self
    }

    /// A reaction that may be the connector's eyes, given nobody knows when or by whom: it counts as later than
    /// everything.
    pub fn possible_eyes(&self) -> Option<&EvidenceName> {
        self.malformed.first().or(self.doubtful_eyes.as_ref())
    }

    /// Whether the connector reacted at all, or may have.
    pub fn any(&self) -> bool {
        let proven = self.plus_one.is_some() || self.eyes.is_some();
        proven || !self.malformed.is_empty() || !self.doubtful.is_empty()
    }
}

/// A comment that may have started a run of the code lane.
#[derive(Clone, Debug)]
pub struct Candidate<'e> {
    /// Its name in documents.
    pub name: EvidenceName,
    /// Its order among issue comments.
    pub order: CommentOrder,
    /// The author's login, when known.
    pub author: Option<&'e str>,
    /// The page on GitHub.
    pub url: Option<&'e str>,
    /// How it asks.
    pub form: Form,
    /// For which head it was posted.
    pub binding: HeadBinding,
    /// The connector's reactions on it.
    pub reactions: Reactions,
    /// Whether those reactions were read to their end.
    pub reactions_complete: bool,
    /// Whether somebody edited it.
    pub edited: bool,
    /// Whether it is not known if a bot posted it. A bot's is a candidate only once the connector reacted to it.
    pub may_be_bot: bool,
    /// The nonce of our own marker.
    pub nonce: Option<String>,
    /// What it abandons, when its author may abandon triggers.
    pub supersedes: Option<Superseded>,
    /// What became of it.
    pub resolution: Option<Resolution>,
}

impl Candidate<'_> {
    /// Whether it belongs to the head, or may.
    pub fn on_head(&self) -> bool {
        match self.binding.status {
            BindingStatus::Bound | BindingStatus::Unproven => true,
            BindingStatus::Superseded => false,
        }
    }

    /// Whether a comment of this place in IssueCommentOrder comes after it; one without a place counts as later.
    pub fn precedes(&self, comment: Option<CommentOrder>) -> bool {
        comment.is_none_or(|comment| comment > self.order)
    }

    /// Whether the connector gave it its +1 in this second.
    pub fn thumbed_at(&self, second: Timestamp) -> bool {
        self.reactions
            .plus_one
            .as_ref()
            .is_some_and(|(at, _)| *at == second)
    }

    /// Whether it carries a retry lineage: only exact and marked triggers do.
    pub fn has_lineage(&self) -> bool {
        match self.form {
            Form::Exact | Form::Marked => true,
            Form::Directed | Form::Mention | Form::Security | Form::Task | Form::Quoted => false,
        }
    }
}

/// The candidates of a pull request and the comments that look like one and are none.
#[derive(Clone, Debug)]
pub struct Candidates<'e> {
    /// In IssueCommentOrder.
    pub all: Vec<Candidate<'e>>,
    /// Triggers by bots to which the connector did not react.
    pub ignored_bots: Vec<EvidenceName>,
    /// Comments that a reaction of the connector would make candidates, whose reactions were not read to their end.
    pub undecided: Vec<(EvidenceName, u64)>,
}

impl<'e> Candidates<'e> {
    /// Finds the candidates. Comments without order are left to `malformed-evidence`.
    pub fn of(reading: &Reading<'e>, history: &HeadHistory) -> Self {
        let mut all = Vec::new();
        let mut ignored_bots = Vec::new();
        let mut undecided = Vec::new();
        for comment in &reading.comments {
            let Role::Addressed {
                form,
                marked,
                markers,
            } = &comment.role
            else {
                continue;
            };
            let Some(order) = comment.order else { continue };
            if !is_candidate_form(*form) || comment.identity == Identity::Mismatched {
                continue;
            }
            let surface = reading.evidence.surfaces.comment_reactions.get(&order.id);
            let reactions = Reactions::of(&reading.reactions(surface.map_or(&[], Surface::items)));
            let reactions = reactions.on_comment_of(order.at);
            let user = comment.comment.user.as_ref();
            let by_bot = user.is_some_and(|user| user.kind.text() == "Bot");
            if (by_bot || *form == Form::Mention) && !reactions.any() {
                if surface.is_some_and(|surface| !surface.is_complete()) {
                    undecided.push((comment.name.clone(), order.id));
                }
                if by_bot {
                    ignored_bots.push(comment.name.clone());
                }
                continue;
            }
            let edited = match reading.trigger_edited(comment.comment) {
                EditState::Unedited => false,
                EditState::ByConnector | EditState::ByOther | EditState::Unknown => true,
            };
            let binding = bind(reading, history, order, marked, edited);
            let ours = markers.iter().find_map(own_marker);
            all.push(Candidate {
                name: comment.name.clone(),
                order,
                author: user.and_then(|user| user.login.known()).map(String::as_str),
                url: comment.comment.html_url.known().map(String::as_str),
                form: *form,
                binding,
                may_be_bot: !reactions.any() && user.is_some_and(|user| user.kind.known().is_none()),
                reactions,
                reactions_complete: surface.is_some_and(Surface::is_complete),
                edited,
                nonce: ours.map(|(id, _)| id.to_owned()),
                supersedes: ours
                    .and_then(|(_, superseded)| superseded)
                    .filter(|_| !edited && is_trusted_person(comment.comment)),
                resolution: None,
            });
        }
        Self {
            all,
            ignored_bots,
            undecided,
        }
    }

    /// The newest candidate that belongs to the head or may.
    pub fn newest_on_head(&self) -> Option<&Candidate<'e>> {
        self.all.iter().rev().find(|candidate| candidate.on_head())
    }

    /// Candidates on the head without a resolution, in order.
    pub fn unresolved(&self) -> impl Iterator<Item = &Candidate<'e>> {
        self.all
            .iter()
            .filter(|candidate| candidate.on_head() && candidate.resolution.is_none())
    }
}

fn own_marker(marker: &Marker) -> Option<(&str, Option<Superseded>)> {
    match marker {
        Marker::CodexLoop { id, supersedes, .. } => Some((id.as_str(), *supersedes)),
        Marker::Dsh { .. } | Marker::Loop { .. } => None,
    }
}

fn bind(
    reading: &Reading<'_>,
    history: &HeadHistory,
    order: CommentOrder,
    marked: &MarkedHead,
    edited: bool,
) -> HeadBinding {
    let journal = reading
        .evidence
        .local
        .journal
        .created
        .iter()
        .find(|trigger| trigger.comment_id == order.id)
        .map(|trigger| &trigger.head);
    // A marker in an edited comment does not bind.
    let marked = if edited { &MarkedHead::None } else { marked };
    history.bind(&TriggerClaim {
        at: order.at,
        marked,
        journal,
    })
}
