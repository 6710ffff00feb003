//! What a snapshot reads, and the first thing that keeps it from being whole: nothing is emitted then.

use super::Settings;
use super::requests;
use crate::evidence::name::EvidenceName;
use crate::evidence::surface::{Surface, SurfaceError};
use crate::reading::Reading;

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
    if let Some((name, cause)) = reading.malformed.first() {
        return Some(Gap::Malformed {
            name: name.clone(),
            cause,
        });
    }
    let newest = requests::for_head(reading).pop();
    let unread = newest.is_some_and(|newest| !s.comment_reactions.contains_key(&newest.order.id));
    let broken = s.comment_reactions.values().find_map(missing);
    unread.then_some(None).or(broken).map(|error| Gap::Surface {
        name: "commentReactions",
        error,
    })
}

/// Nothing for a complete surface, else the error it carries.
fn missing<T>(surface: &Surface<T>) -> Option<Option<SurfaceError>> {
    match surface {
        Surface::Complete { .. } => None,
        Surface::Incomplete { error, .. } => Some(Some(error.clone())),
        Surface::NotCollected => Some(None),
    }
}
