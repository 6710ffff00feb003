//! What a snapshot reads, and the first thing that keeps it from being whole: nothing is emitted then.

use std::collections::BTreeMap;

use super::Settings;
use super::requests;
use crate::bot::findings;
use crate::bot::identity::{Identity, IdentitySurface, identify};
use crate::evidence::Evidence;
use crate::evidence::event::EventKind;
use crate::evidence::name::{EvidenceName, Id};
use crate::evidence::surface::{Surface, SurfaceError};
use crate::reading::Reading;
use crate::run::candidate::Reactions;
use crate::run::indeterminate::unproven_speakers;

/// Why there can be no snapshot of this evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// A surface was not read to its end; without an error it was not asked for.
    Surface {
        /// Its name in documents.
        name: &'static str,
        /// Why.
        error: Option<SurfaceError>,
    },
    /// An item has no usable id, time or text.
    Malformed {
        /// Which.
        name: EvidenceName,
        /// What is wrong with it.
        cause: &'static str,
    },
    /// The pull request or a surface changed while it was read.
    Changed {
        /// What, in words.
        what: String,
    },
}

/// The first gap. The rules of the base branch matter only where the caller names no checks.
pub fn gap(reading: &Reading<'_>, settings: &Settings) -> Option<Gap> {
    let evidence = reading.evidence;
    if let Some(what) = &evidence.unstable {
        return Some(Gap::Changed { what: what.clone() });
    }
    let s = &evidence.surfaces;
    let surfaces = [
        ("headCommit", missing(&s.head_commit)),
        ("commits", missing(&s.commits)),
        ("checkSuites", missing(&s.check_suites)),
        ("timeline", missing(&s.timeline)),
        ("issueComments", missing(&s.issue_comments)),
        ("reviews", missing(&s.reviews)),
        ("reviewComments", missing(&s.review_comments)),
        ("threads", missing(&s.threads)),
        ("bodyReactions", missing(&s.body_reactions)),
        ("checkRuns", missing(&s.check_runs)),
        ("statuses", missing(&s.statuses)),
        ("resolvedCommits", missing(&s.resolved_commits)),
        ("edits", missing(&s.edits)),
    ];
    let rules = settings
        .required_checks
        .is_empty()
        .then(|| ("mergeGates", missing(&s.merge_gates)));
    let found = surfaces
        .into_iter()
        .chain(rules)
        .find_map(|(name, missing)| missing.map(|error| Gap::Surface { name, error }));
    if found.is_some() {
        return found;
    }
    let unusable = reading
        .malformed
        .iter()
        .map(|(name, cause)| (name.clone(), *cause));
    let first = unusable
        .chain(unproven(reading))
        .chain(undated(evidence))
        .chain(unplaced(reading))
        .next();
    if let Some((name, cause)) = first {
        return Some(Gap::Malformed { name, cause });
    }
    let newest = requests::for_head(reading).pop();
    let unread = newest.is_some_and(|newest| !s.comment_reactions.contains_key(&newest.order.id));
    let broken = s.comment_reactions.values().find_map(missing);
    unread.then_some(None).or(broken).map(|error| Gap::Surface {
        name: "commentReactions",
        error,
    })
}

/// Texts that may be items for all that can be read of their authors, and inline comments that cannot be placed.
fn unproven(reading: &Reading<'_>) -> Vec<(EvidenceName, &'static str)> {
    let nobody = "its author is missing or malformed";
    let mut found: Vec<_> = unproven_speakers(reading, None)
        .into_iter()
        .map(|name| (name, nobody))
        .collect();
    let by_thread: BTreeMap<u64, Identity> = (reading.threads.iter())
        .filter_map(|one| Some((one.thread.comments.first()?.id.get()?, one.root)))
        .collect();
    let inline = reading.evidence.surfaces.review_comments.items();
    for (place, comment) in inline.iter().enumerate() {
        if !comment.in_reply_to_id.is_missing() {
            continue;
        }
        let strict = reading.options.strict_identity;
        let id = comment.id.get();
        let root = id.and_then(|id| by_thread.get(&id));
        match identify(comment.user.as_ref(), IdentitySurface::Rest, strict).identity {
            Identity::Connector if id.is_none() || comment.created_at.get().is_none() => {
                found.push((comment.name(place), "its time or id is missing or malformed"));
            }
            Identity::Mismatched => found.push((comment.name(place), nobody)),
            Identity::Missing
                if root.is_some_and(|root| *root != Identity::Other)
                    || findings::bears_badge(comment.body.text()) =>
            {
                found.push((comment.name(place), nobody));
            }
            Identity::Connector | Identity::Missing | Identity::Other => {}
        }
    }
    found
}

/// Events that begin a phase, or move the head, at a time that nobody knows.
fn undated(evidence: &Evidence) -> Vec<(EvidenceName, &'static str)> {
    let events = evidence.surfaces.timeline.items().iter();
    events
        .filter(|event| event.created_at.get().is_none())
        .filter(|event| match event.kind {
            EventKind::ReadyForReview | EventKind::Reopened | EventKind::HeadForcePushed { .. } => true,
            EventKind::ConvertedToDraft
            | EventKind::Closed
            | EventKind::Merged
            | EventKind::CommentDeleted { .. }
            | EventKind::BaseChanged
            | EventKind::BaseForcePushed
            | EventKind::HeadDeleted
            | EventKind::HeadRestored
            | EventKind::Unrecognized { .. } => false,
        })
        .map(|event| {
            let name = EvidenceName::Event(event.id.clone());
            (name, "its time is missing or malformed")
        })
        .collect()
}

/// What the newest of several is chosen by and is not there: ids of reactions and check runs, times of statuses, the
/// edits of a request that may open the phase. Reactions that may be the connector's count as its own here.
fn unplaced(reading: &Reading<'_>) -> Vec<(EvidenceName, &'static str)> {
    let surfaces = &reading.evidence.surfaces;
    let mut found = Vec::new();
    let body = Reactions::of(&reading.reactions(surfaces.body_reactions.items()));
    let unreadable = "its author, time or content is missing or malformed";
    found.extend(body.possible_eyes().map(|name| (name.clone(), unreadable)));
    for surface in surfaces.comment_reactions.values() {
        let reactions = Reactions::of(&reading.reactions(surface.items()));
        let doubtful = reactions.malformed.into_iter().chain(reactions.doubtful);
        found.extend(doubtful.map(|name| (name, unreadable)));
    }
    let nameless = "its id is missing or malformed";
    for surface in std::iter::once(&surfaces.body_reactions).chain(surfaces.comment_reactions.values()) {
        for reaction in reading.reactions(surface.items()) {
            if matches!(reaction.name, EvidenceName::Reaction(Id::Place(_)))
                && reaction.identity == Identity::Connector
            {
                found.push((reaction.name, nameless));
            }
        }
    }
    for (place, run) in surfaces.check_runs.items().iter().enumerate() {
        if run.id.get().is_none() {
            found.push((EvidenceName::CheckRun(Id::Place(place)), nameless));
        }
    }
    for (place, status) in surfaces.statuses.items().iter().enumerate() {
        if status.id.get().is_none() || status.created_at.get().is_none() {
            let name = EvidenceName::Status(status.id.get().map_or(Id::Place(place), Id::Number));
            found.push((name, "its time or id is missing or malformed"));
        }
    }
    let unknown = requests::with_unknown_edits(reading).map(|name| (name, "its edits are not known"));
    found.extend(unknown);
    found
}

/// Nothing for a complete surface, else the error it carries.
fn missing<T>(surface: &Surface<T>) -> Option<Option<SurfaceError>> {
    match surface {
        Surface::Complete { .. } => None,
        Surface::Incomplete { error, .. } => Some(Some(error.clone())),
        Surface::NotCollected => Some(None),
    }
}
