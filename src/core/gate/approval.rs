//! The connector's reactions on every surface that can approve: the body, a trigger of this head, a comment of the
//! connector that names this head.

use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::surface::Surface;
use crate::finding::Finding;
use crate::head::BindingStatus;
use crate::reading::{NamedCommit, Role};
use crate::reason::words;
use crate::run::Run;
use crate::run::attribution::Outcome;
use crate::run::candidate::Reactions;

use super::earlier_head;
use super::lower_bound::LowerBound;

words! {
    /// Where a reaction stands.
    ApprovalSurface {
        /// The description of the pull request.
        Body = "body",
        /// A trigger comment that is bound to this head.
        Trigger = "trigger",
        /// A comment of the connector that names this head.
        Comment = "comment",
    }
}

/// A +1 that approves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Where it stands.
    pub surface: ApprovalSurface,
    /// What it stands on: the pull request or a comment.
    pub on: EvidenceName,
    /// The reaction.
    pub reaction: EvidenceName,
    /// When it was given.
    pub at: Timestamp,
    /// What binds it to this head.
    pub bound_by: &'static str,
    /// The page of what it stands on.
    pub url: String,
}

/// Everything that the connector's reactions say.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// The newest approval that counts.
    pub approval: Option<Approval>,
    /// eyes that nothing later has answered.
    pub eyes: Option<Eyes>,
    /// A +1 on the body that may be for an earlier head.
    pub unbound: Option<EvidenceName>,
    /// A +1 that is older than the lower bound, the text it stands on, or a finding.
    pub stale: Option<EvidenceName>,
}

/// eyes of the connector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Eyes {
    /// The reaction.
    pub reaction: EvidenceName,
    /// When it was given; none when GitHub gave no usable time.
    pub at: Option<Timestamp>,
}

/// One surface with its reactions.
struct Place {
    surface: ApprovalSurface,
    on: EvidenceName,
    reactions: Reactions,
    bound_by: &'static str,
    url: String,
    /// Whether it is proven to belong to this head. Where it is not, a +1 says nothing, and eyes delay all the same.
    of_head: bool,
    /// Whether a reaction on it can approve at all.
    usable: bool,
}

impl Signals {
    /// Reads every surface.
    pub fn of(run: &Run<'_>, bound: &LowerBound) -> Self {
        let places = places(run, bound);
        let mut signals = Self::default();
        let newest_finding = newest_finding(run);
        let mut newest_plus_one: Option<Timestamp> = None;
        for place in places.iter().filter(|place| place.of_head) {
            let Some((at, reaction)) = &place.reactions.plus_one else {
                continue;
            };
            if !place.usable || bound.start_unknown || !is_fresh(place.surface, bound, *at) {
                signals.stale.get_or_insert(reaction.clone());
                continue;
            }
            newest_plus_one = newest_plus_one.max(Some(*at));
            if place.surface == ApprovalSurface::Body && earlier_head::may_be_for_earlier_head(run, *at) {
                signals.unbound = Some(reaction.clone());
                continue;
            }
            if !later_than(*at, newest_finding) {
                signals.stale.get_or_insert(reaction.clone());
                continue;
            }
            if signals.approval.as_ref().is_none_or(|known| known.at < *at) {
                signals.approval = Some(Approval {
                    surface: place.surface,
                    on: place.on.clone(),
                    reaction: reaction.clone(),
                    at: *at,
                    bound_by: place.bound_by,
                    url: place.url.clone(),
                });
            }
        }
        let newest_result = newest_result(run);
        for place in places.iter().filter(|place| place.usable || !place.of_head) {
            if let Some(reaction) = place.reactions.possible_eyes() {
                signals.eyes = Some(Eyes {
                    reaction: reaction.clone(),
                    at: None,
                });
            }
            let Some((at, reaction)) = &place.reactions.eyes else {
                continue;
            };
            let spent = newest_plus_one.is_some_and(|plus_one| *at < plus_one)
                || newest_result.is_some_and(|result| *at < result);
            if is_fresh(place.surface, bound, *at) && !spent {
                signals.eyes.get_or_insert(Eyes {
                    reaction: reaction.clone(),
                    at: Some(*at),
                });
            }
        }
        signals
    }
}

/// Whether the pushes to the head branch, not read so far, would tell for which head the +1 on the body is.
pub fn pushes_would_bind(run: &Run<'_>) -> bool {
    let bound = LowerBound::of(&run.reading, &run.history, true);
    let body = run.reading.evidence.surfaces.body_reactions.items();
    let plus_one = Reactions::of(&run.reading.reactions(body)).plus_one;
    bound.checks_started.is_some()
        && plus_one
            .is_some_and(|(at, _)| bound.is_fresh_on_body(at) && earlier_head::activity_would_decide(run, at))
}

fn is_fresh(surface: ApprovalSurface, bound: &LowerBound, at: Timestamp) -> bool {
    match surface {
        ApprovalSurface::Body => bound.is_fresh_on_body(at),
        ApprovalSurface::Trigger | ApprovalSurface::Comment => bound.is_fresh(at),
    }
}

fn places(run: &Run<'_>, bound: &LowerBound) -> Vec<Place> {
    let reading = &run.reading;
    let surfaces = &reading.evidence.surfaces;
    let mut places = Vec::new();
    // Where checks ran and nothing tells since when, a +1 on the body says nothing, and eyes delay all the same.
    let started = bound.checks_started.is_some();
    if started || bound.start_unknown {
        places.push(Place {
            surface: ApprovalSurface::Body,
            on: EvidenceName::Pull,
            reactions: Reactions::of(&reading.reactions(surfaces.body_reactions.items())),
            bound_by: if earlier_head::names_head(run) {
                "reviewed-commit"
            } else {
                "not-before"
            },
            url: reading.evidence.url(),
            of_head: started,
            usable: started,
        });
    }
    for candidate in &run.candidates.all {
        let of_head = match candidate.binding.status {
            BindingStatus::Bound => true,
            BindingStatus::Unproven => false,
            BindingStatus::Superseded => continue,
        };
        places.push(Place {
            surface: ApprovalSurface::Trigger,
            on: candidate.name.clone(),
            reactions: candidate.reactions.clone(),
            bound_by: candidate.binding.by.as_str(),
            url: candidate
                .url
                .map_or_else(|| reading.evidence.url(), str::to_owned),
            of_head,
            usable: of_head,
        });
    }
    for comment in &reading.comments {
        let (Role::Connector { meaning, commit }, Some(order)) = (&comment.role, comment.order) else {
            continue;
        };
        let speaks_of_review = match meaning {
            Meaning::NoFindings { lane } | Meaning::Unclear { lane } | Meaning::Boilerplate { lane } => {
                *lane == Lane::Code
            }
            Meaning::Findings { .. }
            | Meaning::Notice { .. }
            | Meaning::Failure { .. }
            | Meaning::TaskReply
            | Meaning::Summary { .. } => false,
        };
        if !speaks_of_review || *commit != NamedCommit::Head {
            continue;
        }
        let intact = reading.comment_edited(comment.comment).is_intact();
        let items = surfaces.comment_reactions.get(&order.id);
        let url = comment.comment.html_url.known().cloned();
        places.push(Place {
            surface: ApprovalSurface::Comment,
            on: comment.name.clone(),
            reactions: Reactions::of(&reading.reactions(items.map_or(&[], Surface::items)))
                .on_comment_of(order.at),
            bound_by: "reviewed-commit",
            url: url.unwrap_or_else(|| reading.evidence.url()),
            of_head: true,
            usable: intact && bound.edited.is_none_or(|edited| order.at > edited),
        });
    }
    places
}

/// The newest result of the connector that names this head: eyes from before are spent.
fn newest_result(run: &Run<'_>) -> Option<Timestamp> {
    let results = run.results.iter().filter(|result| match result.outcome {
        Outcome::NoFindings | Outcome::Findings => true,
        Outcome::Failure | Outcome::Refused => false,
    });
    results.map(|result| result.at).max()
}

/// The newest code-lane finding for this head, addressed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewestFinding {
    /// There is none.
    None,
    /// At this time.
    At(Timestamp),
    /// At least one has no usable time: nothing is proven to be later.
    Unordered,
}

/// Looks for the newest code-lane finding for this head, or for no certain head since this one arrived.
pub fn newest_finding(run: &Run<'_>) -> NewestFinding {
    let mut newest = NewestFinding::None;
    for finding in run
        .findings
        .iter()
        .filter(|finding| finding.lane == Lane::Code && may_be_for_head(run, finding))
    {
        newest = match (newest, finding.at) {
            (NewestFinding::Unordered, _) | (_, None) => NewestFinding::Unordered,
            (NewestFinding::None, Some(at)) => NewestFinding::At(at),
            (NewestFinding::At(known), Some(at)) => NewestFinding::At(known.max(at)),
        };
    }
    newest
}

/// Whether a finding is for this head, or names no certain commit and is not older than the head.
pub fn may_be_for_head(run: &Run<'_>, finding: &Finding) -> bool {
    match finding.commit {
        NamedCommit::Head => true,
        NamedCommit::Other(_) => false,
        NamedCommit::None | NamedCommit::Ambiguous(_) | NamedCommit::Unresolved(_) => {
            match (finding.at, earlier_head::arrival(run)) {
                (Some(at), Some(arrival)) => at >= arrival,
                (Some(_) | None, Some(_) | None) => true,
            }
        }
    }
}

/// Whether a time is strictly later than every finding.
pub fn later_than(at: Timestamp, finding: NewestFinding) -> bool {
    match finding {
        NewestFinding::None => true,
        NewestFinding::At(finding) => at > finding,
        NewestFinding::Unordered => false,
    }
}
