//! What the decision asks for once it has seen the rest: everything keyed by a comment id or a short commit id.

use std::collections::{BTreeMap, BTreeSet};
use std::thread::scope;

use codex_loop::evidence::Evidence;
use codex_loop::evidence::event::Activity;
use codex_loop::evidence::reaction::Reaction;
use codex_loop::evidence::surface::Surface;

use super::agreement::{add_commit, merge_comments};
use super::surfaces::is_short;
use super::{Collector, Task, joined, when};
use crate::gh::failure::Failure;

/// Rounds of follow-up reads; each can name new ones, and a handful reaches the end.
const ROUNDS: usize = 6;

/// What an earlier reading named, read again before the new one names it too: only what it does name is used.
#[derive(Default)]
pub(super) struct Ahead {
    pub(super) reactions: BTreeMap<u64, Surface<Reaction>>,
    pub(super) activity: Option<Surface<Activity>>,
}

impl Collector<'_> {
    /// Reads what the decision asks for until it asks for nothing new; what was read ahead is taken from there.
    pub(super) fn follow_up(&self, evidence: &mut Evidence, mut ahead: Ahead) -> Result<(), Failure> {
        let mut reviews_read = BTreeSet::new();
        for _ in 0..ROUNDS {
            let mut wanted = (self.asks)(evidence);
            let surfaces = &mut evidence.surfaces;
            for id in &wanted.reactions_of {
                if let Some(reactions) = ahead.reactions.remove(id) {
                    surfaces.comment_reactions.insert(*id, reactions);
                }
            }
            if wanted.activity
                && let Some(pushes) = ahead.activity.take()
            {
                surfaces.activity = pushes;
            }
            let surfaces = &evidence.surfaces;
            let resolved: BTreeSet<&str> = surfaces
                .resolved_commits
                .items()
                .iter()
                .map(|each| each.prefix.as_str())
                .collect();
            wanted
                .reactions_of
                .retain(|id| !surfaces.comment_reactions.contains_key(id));
            wanted
                .resolve
                .retain(|prefix| !resolved.contains(prefix.as_str()) && is_short(prefix));
            wanted.lagging_reviews.retain(|id| reviews_read.insert(*id));
            let activity = wanted.activity && surfaces.activity == Surface::NotCollected;
            if wanted.reactions_of.is_empty()
                && wanted.resolve.is_empty()
                && wanted.lagging_reviews.is_empty()
                && !activity
            {
                return Ok(());
            }
            let pull = evidence.pull().cloned();
            let (reactions, commits, comments, pushes) = scope(|s| {
                let reactions: Vec<_> = wanted
                    .reactions_of
                    .iter()
                    .map(|id| (*id, s.spawn(|| self.reactions(*id))))
                    .collect();
                let commits: Vec<_> = wanted
                    .resolve
                    .iter()
                    .map(|prefix| (prefix, s.spawn(|| self.commit(prefix))))
                    .collect();
                let comments: Vec<_> = wanted
                    .lagging_reviews
                    .iter()
                    .map(|id| s.spawn(|| self.comments_of_review(*id)))
                    .collect();
                let pushes = when(s, activity, || self.activity(pull.as_ref()));
                let reactions = each(reactions);
                let commits: Result<Vec<_>, Failure> = commits
                    .into_iter()
                    .map(|(prefix, task)| Ok((prefix.clone(), joined(task)?)))
                    .collect();
                let comments: Result<Vec<_>, Failure> = comments.into_iter().map(joined).collect();
                (reactions, commits, comments, pushes.map(joined).transpose())
            });
            let surfaces = &mut evidence.surfaces;
            surfaces.comment_reactions.extend(reactions?);
            for (prefix, commit) in commits? {
                add_commit(&mut surfaces.resolved_commits, prefix, commit);
            }
            for more in comments? {
                merge_comments(&mut surfaces.review_comments, more);
            }
            if let Some(pushes) = pushes? {
                surfaces.activity = pushes;
            }
        }
        Ok(())
    }
}

/// All of them, or the first failure.
pub(super) fn each<K: Ord, T>(tasks: Vec<(K, Task<'_, T>)>) -> Result<BTreeMap<K, T>, Failure> {
    tasks
        .into_iter()
        .map(|(key, task)| Ok((key, joined(task)?)))
        .collect()
}
