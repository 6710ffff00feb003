//! Commits, pushes and the life of a pull request.

use chrono::Duration;

use super::PullHandle;
use crate::github::rest::commits::ancestors;
use crate::github::time::Time;
use crate::github::world::{Account, Activity, Commit, Event, EventKind, Overrides, PullState, ada, sha};

impl PullHandle<'_> {
    /// Pushes a commit made from a label on top of the head: committed and pushed at `at`, with an activity entry and,
    /// a minute later, a check suite with a successful run. Answers the SHA.
    pub fn push(&mut self, label: &str, at: Time) -> String {
        let new = self.push_silently(label, at);
        let suite = self.suite(&new, at + Duration::minutes(1));
        self.check_in(
            suite,
            "build",
            Some("success"),
            at + Duration::minutes(1),
            at + Duration::minutes(3),
        );
        new
    }

    /// As [`PullHandle::push`], without any check suite.
    pub fn push_silently(&mut self, label: &str, at: Time) -> String {
        let (before, new) = (self.head(), sha(label));
        self.add_commit(&new, at);
        self.move_head(&new);
        self.activity("push", &before, &new, at);
        self.pull().updated_at = at;
        new
    }

    /// Force-pushes to a SHA, known or new; leaves a timeline event and an activity entry, and no check suite. A new one
    /// replaces the head as an amended commit does; a known one brings its own history back.
    pub fn force_push(&mut self, to: &str, actor: Account, at: Time) {
        let before = self.head();
        if self.repository().commit(to).is_none() {
            let parents = self.repository().commit_mut(&before).parents.clone();
            self.make_commit(to, parents, at);
        }
        self.move_head(to);
        self.event(
            EventKind::HeadForcePushed {
                before: before.clone(),
                after: to.to_owned(),
            },
            actor,
            at,
        );
        self.activity("force_push", &before, to, at);
        self.pull().updated_at = at;
    }

    /// Points the pull request at another known commit, and leaves no trace of the move.
    pub fn move_head(&mut self, to: &str) {
        let base = self.pull().base_oid.clone();
        let repository = self.repository();
        let in_base = ancestors(repository, &base);
        let mut commits: Vec<String> = ancestors(repository, to)
            .into_iter()
            .filter(|sha| !in_base.contains(sha))
            .map(str::to_owned)
            .collect();
        commits.reverse();
        let pull = self.pull();
        pull.commits = commits;
        to.clone_into(&mut pull.head_oid);
    }

    /// A commit on top of the head, which stays where it is until something moves it; it changes `src/lib.rs`.
    pub fn add_commit(&mut self, sha: &str, committed_at: Time) -> &mut Commit {
        let head = self.head();
        let parent = if head.is_empty() {
            self.pull().base_oid.clone()
        } else {
            head
        };
        self.make_commit(sha, vec![parent], committed_at)
    }

    fn make_commit(&mut self, sha: &str, parents: Vec<String>, committed_at: Time) -> &mut Commit {
        let commit = Commit {
            sha: sha.to_owned(),
            message: format!("Commit {}", &sha[..7]),
            authored_at: committed_at,
            committed_at,
            author: Some(ada()),
            parents,
            files: vec!["src/lib.rs".to_owned()],
        };
        let commits = &mut self.repository().commits;
        commits.push(commit);
        let last = commits.len() - 1;
        &mut commits[last]
    }

    /// An entry of the repository's activity list for the head branch.
    pub fn activity(&mut self, kind: &str, before: &str, after: &str, at: Time) {
        let id = self.world.next_id();
        let reference = format!("refs/heads/{}", self.pull().head_ref);
        self.repository().activity.push(Activity {
            id,
            before: before.to_owned(),
            after: after.to_owned(),
            reference,
            at,
            kind: kind.to_owned(),
            actor: Some(ada()),
            overrides: Overrides::default(),
        });
    }

    /// A timeline event.
    pub fn event(&mut self, kind: EventKind, actor: Account, at: Time) -> u64 {
        let id = self.world.next_id();
        self.pull().events.push(Event {
            id,
            actor: Some(actor),
            at,
            kind,
            overrides: Overrides::default(),
        });
        id
    }

    /// The draft becomes ready for review.
    pub fn ready(&mut self, at: Time) {
        self.pull().draft = false;
        self.event(EventKind::ReadyForReview, ada(), at);
    }

    /// The pull request becomes a draft.
    pub fn draft(&mut self, at: Time) {
        self.pull().draft = true;
        self.event(EventKind::ConvertToDraft, ada(), at);
    }

    pub fn close(&mut self, at: Time) {
        let pull = self.pull();
        pull.state = PullState::Closed;
        pull.closed_at = Some(at);
        self.event(EventKind::Closed, ada(), at);
    }

    pub fn reopen(&mut self, at: Time) {
        let pull = self.pull();
        pull.state = PullState::Open;
        pull.closed_at = None;
        self.event(EventKind::Reopened, ada(), at);
    }

    pub fn merge(&mut self, at: Time) {
        let pull = self.pull();
        pull.state = PullState::Merged;
        pull.closed_at = Some(at);
        pull.merged_at = Some(at);
        let commit = pull.head_oid.clone();
        self.event(EventKind::Merged { commit }, ada(), at);
    }
}
