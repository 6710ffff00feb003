//! Short sentences that put a pull request and what happened on it into a [`World`].
//!
//! `world.pull(42)` opens the pull request at `world.epoch` with one pushed commit, a check suite a minute later and one
//! successful check run; every method returns the id that GitHub would show.

use std::fmt;

use chrono::Duration;

use super::rest::commits::ancestors;
use super::time::Time;
use super::world::{
    Account, AccountKind, Activity, App, CheckRun, CheckSuite, Commit, Event, EventKind, IssueComment,
    Overrides, Pull, PullState, Reaction, Release, Repository, Review, ReviewComment, Status, Thread, World,
    ada, connector, sha,
};

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl $name {
            /// GraphQL node id.
            pub fn node(self) -> String {
                format!(concat!($prefix, "_kwDO{}"), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}", self.0)
            }
        }
    };
}

identifier!(
    /// Numeric id of an issue comment.
    CommentId, "IC"
);
identifier!(
    /// Numeric id of a review.
    ReviewId, "PRR"
);
identifier!(
    /// Number inside a thread's node id; threads have no REST id.
    ThreadId, "PRRT"
);
identifier!(
    /// Numeric id of a review comment.
    ReviewCommentId, "PRRC"
);
identifier!(
    /// Numeric id of a reaction.
    ReactionId, "REA"
);
identifier!(
    /// Numeric id of a check suite.
    SuiteId, "CS"
);

/// What a reaction stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Body,
    Comment(CommentId),
    ReviewComment(ReviewCommentId),
}

impl From<CommentId> for Target {
    fn from(id: CommentId) -> Self {
        Self::Comment(id)
    }
}

impl From<ReviewCommentId> for Target {
    fn from(id: ReviewCommentId) -> Self {
        Self::ReviewComment(id)
    }
}

/// A pull request under construction; see the module's description.
pub struct PullHandle<'w> {
    world: &'w mut World,
    repository: usize,
    pull: usize,
}

impl World {
    /// The pull request of `octo/widgets` with that number, opened with the defaults when it does not exist.
    pub fn pull(&mut self, number: u64) -> PullHandle<'_> {
        self.pull_in("octo", "widgets", number)
    }

    /// As [`World::pull`], in another repository.
    pub fn pull_in(&mut self, owner: &str, name: &str, number: u64) -> PullHandle<'_> {
        let repository = match self.repository_index(owner, name) {
            Some(index) => index,
            None => {
                self.add_repository(owner, name);
                self.repositories.len() - 1
            }
        };
        let pull = match self.repositories[repository].pull_index(number) {
            Some(index) => index,
            None => self.open(repository, number),
        };
        PullHandle {
            world: self,
            repository,
            pull,
        }
    }

    /// The default repository, `octo/widgets`.
    pub fn widgets(&mut self) -> &mut Repository {
        &mut self.repositories[0]
    }

    /// Publishes a release with assets of these names and contents.
    pub fn release(&mut self, owner: &str, name: &str, tag: &str, assets: &[(&str, &[u8])]) {
        let id = self.next_id();
        let assets = assets
            .iter()
            .map(|(name, bytes)| super::world::Asset {
                id: self.next_id(),
                name: (*name).to_owned(),
                bytes: bytes.to_vec(),
            })
            .collect();
        let created_at = self.epoch;
        let index = self.repository_index(owner, name).unwrap_or_else(|| {
            self.add_repository(owner, name);
            self.repositories.len() - 1
        });
        self.repositories[index].releases.push(Release {
            id,
            tag: tag.to_owned(),
            created_at,
            assets,
        });
    }

    fn open(&mut self, repository: usize, number: u64) -> usize {
        let id = self.next_id();
        let opened = self.epoch;
        let place = &mut self.repositories[repository];
        let base_oid = place.commits[0].sha.clone();
        let base_ref = place.default_branch.clone();
        place.pulls.push(Pull {
            id,
            number,
            title: format!("Change {number}"),
            body: "What this changes and why.".to_owned(),
            author: Some(ada()),
            association: "MEMBER".to_owned(),
            state: PullState::Open,
            draft: false,
            created_at: opened,
            updated_at: opened,
            closed_at: None,
            merged_at: None,
            last_edited_at: None,
            editor: None,
            base_ref,
            base_oid,
            head_ref: format!("topic-{number}"),
            head_oid: String::new(),
            head_owner: None,
            commits: Vec::new(),
            labels: Vec::new(),
            review_decision: None,
            mergeable: "MERGEABLE".to_owned(),
            merge_state: "CLEAN".to_owned(),
            changed_files: 1,
            comments: Vec::new(),
            reviews: Vec::new(),
            threads: Vec::new(),
            reactions: Vec::new(),
            events: Vec::new(),
            overrides: Overrides::default(),
        });
        let pull = place.pulls.len() - 1;
        let mut handle = PullHandle {
            world: self,
            repository,
            pull,
        };
        let first = sha(&format!("{repository}/{number} first"));
        handle.add_commit(&first, opened - Duration::minutes(2));
        handle.move_head(&first);
        handle.activity(
            "branch_creation",
            &"0".repeat(40),
            &first,
            opened - Duration::minutes(1),
        );
        let suite = handle.suite(&first, opened + Duration::minutes(1));
        handle.check_in(
            suite,
            "build",
            Some("success"),
            opened + Duration::minutes(1),
            opened + Duration::minutes(3),
        );
        pull
    }
}

impl PullHandle<'_> {
    /// The typed pull request, for whatever no method here says.
    pub fn pull(&mut self) -> &mut Pull {
        &mut self.world.repositories[self.repository].pulls[self.pull]
    }

    /// The repository of the pull request.
    pub fn repository(&mut self) -> &mut Repository {
        &mut self.world.repositories[self.repository]
    }

    pub fn world(&mut self) -> &mut World {
        self.world
    }

    /// Full SHA of the head.
    pub fn head(&mut self) -> String {
        self.pull().head_oid.clone()
    }

    // --- comments -----------------------------------------------------------------------------------------------

    /// An issue comment by `ada`, a member.
    pub fn person_comment(&mut self, body: &str, at: Time) -> CommentId {
        self.comment(ada(), body, at)
    }

    /// An issue comment by the connector.
    pub fn connector_comment(&mut self, body: &str, at: Time) -> CommentId {
        self.comment(connector(), body, at)
    }

    /// An issue comment by any account; people are members, bots have no association.
    pub fn comment(&mut self, author: Account, body: &str, at: Time) -> CommentId {
        let id = self.world.next_id();
        let via_app = (author == connector()).then(App::connector);
        let comment = IssueComment {
            id,
            association: association(&author),
            author: Some(author),
            body: body.to_owned(),
            created_at: at,
            updated_at: at,
            last_edited_at: None,
            editor: None,
            via_app,
            minimized: None,
            reactions: Vec::new(),
            overrides: Overrides::default(),
        };
        self.pull().comments.push(comment);
        CommentId(id)
    }

    /// The typed comment.
    pub fn comment_mut(&mut self, id: CommentId) -> &mut IssueComment {
        self.pull().comment_mut(id.0)
    }

    /// Replaces a comment's body, as an edit by that account.
    pub fn edit(&mut self, id: CommentId, editor: Account, body: &str, at: Time) {
        let comment = self.comment_mut(id);
        body.clone_into(&mut comment.body);
        comment.updated_at = at;
        comment.last_edited_at = Some(at);
        comment.editor = Some(editor);
    }

    /// Deletes a comment, which leaves an event on the timeline.
    pub fn delete_comment(&mut self, id: CommentId, by: Account, at: Time) {
        let author = self.comment_mut(id).author.clone();
        self.pull().comments.retain(|comment| comment.id != id.0);
        self.event(EventKind::CommentDeleted { author }, by, at);
    }

    /// Edits the description.
    pub fn edit_body(&mut self, editor: Account, body: &str, at: Time) {
        let pull = self.pull();
        body.clone_into(&mut pull.body);
        pull.last_edited_at = Some(at);
        pull.updated_at = at;
        pull.editor = Some(editor);
    }

    // --- reactions ----------------------------------------------------------------------------------------------

    /// A reaction on a comment, for example `pull.react(trigger, connector(), "+1", at("10:04"))`.
    pub fn react(&mut self, target: impl Into<Target>, user: Account, content: &str, at: Time) -> ReactionId {
        let id = self.world.next_id();
        let reaction = Reaction {
            id,
            user: Some(user),
            content: content.to_owned(),
            created_at: at,
            overrides: Overrides::default(),
        };
        self.reactions_of(target.into()).push(reaction);
        ReactionId(id)
    }

    /// A reaction on the pull request's body.
    pub fn react_body(&mut self, user: Account, content: &str, at: Time) -> ReactionId {
        self.react(Target::Body, user, content, at)
    }

    /// Takes a reaction back.
    pub fn unreact(&mut self, target: impl Into<Target>, id: ReactionId) {
        self.reactions_of(target.into())
            .retain(|reaction| reaction.id != id.0);
    }

    /// The typed reactions of a target.
    pub fn reactions_of(&mut self, target: Target) -> &mut Vec<Reaction> {
        let pull = self.pull();
        match target {
            Target::Body => &mut pull.reactions,
            Target::Comment(id) => &mut pull.comment_mut(id.0).reactions,
            Target::ReviewComment(id) => {
                let comments = pull.threads.iter_mut().flat_map(|thread| &mut thread.comments);
                let comment = comments.into_iter().find(|comment| comment.id == id.0);
                &mut comment
                    .unwrap_or_else(|| panic!("no review comment {id}"))
                    .reactions
            }
        }
    }

    // --- reviews and threads ------------------------------------------------------------------------------------

    /// A submitted review; `state` is `COMMENTED`, `APPROVED`, `CHANGES_REQUESTED` or `DISMISSED`.
    pub fn review(&mut self, author: Account, state: &str, body: &str, commit: &str, at: Time) -> ReviewId {
        let id = self.world.next_id();
        let review = Review {
            id,
            association: association(&author),
            author: Some(author),
            state: state.to_owned(),
            body: body.to_owned(),
            commit: commit.to_owned(),
            submitted_at: at,
            last_edited_at: None,
            editor: None,
            overrides: Overrides::default(),
        };
        self.pull().reviews.push(review);
        ReviewId(id)
    }

    /// The typed review.
    pub fn review_mut(&mut self, id: ReviewId) -> &mut Review {
        self.pull().review_mut(id.0)
    }

    /// A review thread with its own review: with GitHub's announcement for the connector, an empty one for others.
    pub fn thread(
        &mut self,
        author: Account,
        commit: &str,
        path: &str,
        line: u64,
        body: &str,
        at: Time,
    ) -> ThreadId {
        let text = if author == connector() {
            announcement(commit)
        } else {
            String::new()
        };
        let review = self.review(author, "COMMENTED", &text, commit, at);
        self.thread_in(review, path, line, body)
    }

    /// A thread that belongs to an existing review: same author, commit and time.
    pub fn thread_in(&mut self, review: ReviewId, path: &str, line: u64, body: &str) -> ThreadId {
        let Review {
            author,
            association,
            commit,
            submitted_at,
            ..
        } = self.review_mut(review).clone();
        let thread = self.world.next_id();
        let comment = ReviewComment {
            id: self.world.next_id(),
            review: Some(review.0),
            author,
            association,
            body: body.to_owned(),
            original_commit: commit.clone(),
            commit,
            created_at: submitted_at,
            updated_at: submitted_at,
            last_edited_at: None,
            editor: None,
            reactions: Vec::new(),
            lags_in_rest: false,
            lags_in_review: false,
            overrides: Overrides::default(),
        };
        self.pull().threads.push(Thread {
            id: thread,
            path: path.to_owned(),
            line: Some(line),
            resolved: false,
            resolved_by: None,
            outdated: false,
            comments: vec![comment],
            lags_in_graphql: false,
            overrides: Overrides::default(),
        });
        ThreadId(thread)
    }

    /// A reply inside a thread; GitHub gives every reply a review of its own.
    pub fn reply(&mut self, thread: ThreadId, author: Account, body: &str, at: Time) -> ReviewCommentId {
        let root = self.thread_mut(thread).comments[0].clone();
        let review = self.review(author.clone(), "COMMENTED", "", &root.commit, at);
        let id = self.world.next_id();
        self.thread_mut(thread).comments.push(ReviewComment {
            id,
            review: Some(review.0),
            association: association(&author),
            author: Some(author),
            body: body.to_owned(),
            created_at: at,
            updated_at: at,
            last_edited_at: None,
            editor: None,
            reactions: Vec::new(),
            ..root
        });
        ReviewCommentId(id)
    }

    /// The typed thread.
    pub fn thread_mut(&mut self, id: ThreadId) -> &mut Thread {
        self.pull().thread_mut(id.0)
    }

    /// Id of the comment that opens a thread.
    pub fn root_comment(&mut self, id: ThreadId) -> ReviewCommentId {
        ReviewCommentId(self.thread_mut(id).comments[0].id)
    }

    pub fn resolve(&mut self, id: ThreadId) {
        let thread = self.thread_mut(id);
        thread.resolved = true;
        thread.resolved_by = Some(ada());
    }

    /// The lines moved: GitHub shows the thread as outdated.
    pub fn outdate(&mut self, id: ThreadId) {
        self.thread_mut(id).outdated = true;
    }

    // --- commits and the head -----------------------------------------------------------------------------------

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

    // --- checks -------------------------------------------------------------------------------------------------

    /// A check suite of GitHub Actions on the head branch.
    pub fn suite(&mut self, sha: &str, created_at: Time) -> SuiteId {
        let branch = self.pull().head_ref.clone();
        self.suite_of(App::actions(), sha, Some(&branch), created_at)
    }

    /// A check suite of any app and branch; it has completed successfully until a run says otherwise.
    pub fn suite_of(&mut self, app: App, sha: &str, branch: Option<&str>, created_at: Time) -> SuiteId {
        let id = self.world.next_id();
        self.repository().suites.push(CheckSuite {
            id,
            app,
            sha: sha.to_owned(),
            branch: branch.map(str::to_owned),
            status: "completed".to_owned(),
            conclusion: Some("success".to_owned()),
            created_at,
            updated_at: created_at,
            runs: Vec::new(),
            overrides: Overrides::default(),
        });
        SuiteId(id)
    }

    /// A check run in a suite: `Some(conclusion)` completed at `completed`; `None` still in progress.
    pub fn check_in(
        &mut self,
        suite: SuiteId,
        name: &str,
        conclusion: Option<&str>,
        started: Time,
        completed: Time,
    ) -> u64 {
        let id = self.world.next_id();
        let run = CheckRun {
            id,
            name: name.to_owned(),
            status: if conclusion.is_some() {
                "completed"
            } else {
                "in_progress"
            }
            .to_owned(),
            conclusion: conclusion.map(str::to_owned),
            started_at: Some(started),
            completed_at: conclusion.map(|_| completed),
            overrides: Overrides::default(),
        };
        let suite = self.suite_mut(suite);
        suite.status.clone_from(&run.status);
        suite.conclusion.clone_from(&run.conclusion);
        suite.updated_at = if conclusion.is_some() { completed } else { started };
        suite.runs.push(run);
        id
    }

    /// The typed suite.
    pub fn suite_mut(&mut self, id: SuiteId) -> &mut CheckSuite {
        let suites = &mut self.repository().suites;
        suites
            .iter_mut()
            .find(|suite| suite.id == id.0)
            .unwrap_or_else(|| panic!("no check suite {id}"))
    }

    /// Takes away every check suite and status of the head.
    pub fn no_checks(&mut self) {
        let head = self.head();
        self.repository().suites.retain(|suite| suite.sha != head);
        self.repository().statuses.retain(|status| status.sha != head);
    }

    /// A commit status on the head; `state` is `success`, `pending`, `failure` or `error`.
    pub fn status(&mut self, context: &str, state: &str, at: Time) -> u64 {
        let (id, sha) = (self.world.next_id(), self.head());
        self.repository().statuses.push(Status {
            id,
            sha,
            context: context.to_owned(),
            state: state.to_owned(),
            created_at: at,
            creator: Some(ada()),
            overrides: Overrides::default(),
        });
        id
    }

    /// The base branch's rules require these checks.
    pub fn require_checks(&mut self, names: &[&str]) {
        let branch = self.pull().base_ref.clone();
        let checks: Vec<_> = names
            .iter()
            .map(|name| serde_json::json!({ "context": name }))
            .collect();
        let rule = serde_json::json!({
            "type": "required_status_checks",
            "parameters": {
                "required_status_checks": checks,
                "strict_required_status_checks_policy": false,
                "do_not_enforce_on_create": false,
            },
        });
        self.repository().rules.push((branch, rule));
    }
}

fn association(author: &Account) -> String {
    match author.kind {
        AccountKind::User => "MEMBER",
        AccountKind::Bot | AccountKind::Organization => "NONE",
    }
    .to_owned()
}

/// The body of a connector's review that announces findings.
pub fn announcement(commit: &str) -> String {
    let short: String = commit.chars().take(10).collect();
    format!(
        "\n### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.\n\n\
         **Reviewed commit:** `{short}`\n\n<details> <summary>ℹ️ About Codex in GitHub</summary>\n<br/>\n\nYour team \
         has set up Codex to review pull requests in this repo.\n\n</details>"
    )
}

/// An inline finding of the connector, for example `finding("P1", "Keep the lock")`.
pub fn finding(priority: &str, title: &str) -> String {
    let colour = match priority {
        "P0" => "red",
        "P1" => "orange",
        "P2" => "yellow",
        _ => "grey",
    };
    format!(
        "**<sub><sub>![{priority} Badge](https://img.shields.io/badge/{priority}-{colour}?style=flat)</sub></sub>  \
         {title}**\n\nThe value may change in between.\n\nUseful? React with 👍 / 👎."
    )
}

/// The connector's clean issue comment for a commit.
pub fn clean_text(commit: &str) -> String {
    let short: String = commit.chars().take(10).collect();
    format!(
        "Codex Review: Didn't find any major issues. Swish!\n\n**Reviewed commit:** `{short}`\n\n<details> \
         <summary>ℹ️ About Codex in GitHub</summary>\n<br/>\n\nIf Codex has suggestions, it will comment; otherwise it \
         will react with 👍.\n\n</details>"
    )
}
