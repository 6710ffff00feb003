//! Holding readings against GitHub's counters and against each other, and adding to them what came later.

use std::collections::BTreeSet;

use codex_loop::evidence::Evidence;
use codex_loop::evidence::name::Sha;
use codex_loop::evidence::pull::ResolvedCommit;
use codex_loop::evidence::review::ReviewComment;
use codex_loop::evidence::surface::Surface;

use crate::gh::failure::Failure;
use crate::gh::read::broken;

pub(super) fn differs<T>(surface: &Surface<T>, counter: Option<u64>) -> bool {
    surface.is_complete() && counter != Some(surface.items().len() as u64)
}

pub(super) fn mark<T>(surface: &mut Surface<T>, counter: Option<u64>) {
    if differs(surface, counter) {
        let fact = match counter {
            Some(counter) => surface.disagreement(counter),
            None => "the pull request does not say how many items there are".to_owned(),
        };
        *surface = std::mem::take(surface).into_incomplete(broken(&fact));
    }
}

pub(super) fn add_commit(
    surface: &mut Surface<ResolvedCommit>,
    prefix: String,
    commit: Result<Option<Sha>, Failure>,
) {
    let (pages, mut items, mut error) = match std::mem::take(surface) {
        Surface::Complete { pages, items } => (pages, items, None),
        Surface::Incomplete { pages, items, error } => (pages, items, Some(error)),
        Surface::NotCollected => (0, Vec::new(), None),
    };
    match commit {
        Ok(oid) => items.push(ResolvedCommit { prefix, oid }),
        Err(failure) => {
            error.get_or_insert_with(|| failure.surface_error());
        }
    }
    *surface = match error {
        None => Surface::Complete { pages, items },
        Some(error) => Surface::Incomplete { pages, items, error },
    };
}

/// Adds the comments that were not visible before.
pub(super) fn merge_comments(surface: &mut Surface<ReviewComment>, more: Surface<ReviewComment>) {
    let (mut items, pages, mut error) = match std::mem::take(surface) {
        Surface::Complete { pages, items } => (items, pages, None),
        Surface::Incomplete { pages, items, error } => (items, pages, Some(error)),
        Surface::NotCollected => (Vec::new(), 0, None),
    };
    let known: BTreeSet<u64> = items.iter().filter_map(|comment| comment.id.get()).collect();
    let (more, failed) = match more {
        Surface::Complete { items, .. } => (items, None),
        Surface::Incomplete { items, error, .. } => (items, Some(error)),
        Surface::NotCollected => (Vec::new(), None),
    };
    items.extend(
        more.into_iter()
            .filter(|comment| comment.id.get().is_none_or(|id| !known.contains(&id))),
    );
    error = error.or(failed);
    *surface = match error {
        None => Surface::Complete { pages, items },
        Some(error) => Surface::Incomplete { pages, items, error },
    };
}

/// The first surface in which two readings differ, in an order that does not depend on GitHub's.
pub(super) fn differing_surface(one: &Evidence, other: &Evidence) -> Option<&'static str> {
    pub(super) fn same<T: PartialEq + serde::Serialize>(one: &Surface<T>, other: &Surface<T>) -> bool {
        one.is_complete() == other.is_complete()
            && (one.items() == other.items() || sorted(one) == sorted(other))
    }
    pub(super) fn sorted<T: serde::Serialize>(surface: &Surface<T>) -> Vec<String> {
        let mut texts: Vec<String> = surface
            .items()
            .iter()
            .map(|item| serde_json::to_string(item).unwrap_or_default())
            .collect();
        texts.sort();
        texts
    }
    let (a, b) = (&one.surfaces, &other.surfaces);
    let mut known = a.comment_reactions.iter();
    let reactions = known.all(|(id, one)| b.comment_reactions.get(id).is_none_or(|other| same(one, other)));
    let named = a.comment_reactions.keys().eq(b.comment_reactions.keys());
    [
        // The list of comments counts their reactions: it differs too, or was read before.
        ("commentReactions", reactions),
        ("issueComments", same(&a.issue_comments, &b.issue_comments)),
        ("reviews", same(&a.reviews, &b.reviews)),
        ("reviewComments", same(&a.review_comments, &b.review_comments)),
        ("threads", same(&a.threads, &b.threads)),
        ("bodyReactions", same(&a.body_reactions, &b.body_reactions)),
        ("commentReactions", named),
        ("checkRuns", same(&a.check_runs, &b.check_runs)),
        ("statuses", same(&a.statuses, &b.statuses)),
        ("checkSuites", same(&a.check_suites, &b.check_suites)),
        ("timeline", same(&a.timeline, &b.timeline)),
        ("commits", same(&a.commits, &b.commits)),
        ("activity", same(&a.activity, &b.activity)),
        ("edits", same(&a.edits, &b.edits)),
        ("mergeGates", same(&a.merge_gates, &b.merge_gates)),
    ]
    .into_iter()
    .find_map(|(name, same)| (!same).then_some(name))
}

/// Whether anything but the activity list, which only helps to bind, was not read to its end.
pub(super) fn broken_surface(evidence: &Evidence) -> bool {
    let summaries = evidence.surface_summaries();
    summaries
        .iter()
        .any(|(name, summary)| name != "activity" && summary.error.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_disagrees_makes_the_surface_incomplete() {
        for (counter, complete) in [(Some(2), true), (Some(3), false), (None, false)] {
            let mut surface = Surface::complete(vec![1, 2]);
            mark(&mut surface, counter);
            assert_eq!((surface.is_complete(), surface.items().len()), (complete, 2));
        }
    }

    #[test]
    fn comments_that_were_visible_already_are_not_doubled() {
        let comment = |id: u64| ReviewComment {
            id: codex_loop::evidence::observed::Observed::Known(id),
            ..ReviewComment::default()
        };
        let mut surface = Surface::complete(vec![comment(1)]);
        merge_comments(&mut surface, Surface::complete(vec![comment(1), comment(2)]));
        assert_eq!(surface.items().len(), 2);
        merge_comments(&mut surface, Surface::NotCollected.into_incomplete(broken("x")));
        assert!(!surface.is_complete());
    }
}
