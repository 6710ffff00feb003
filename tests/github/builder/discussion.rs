//! Comments, reactions, reviews and threads of a pull request.

use super::texts::announcement;
use super::{CommentId, PullHandle, ReactionId, ReviewCommentId, ReviewId, Target, ThreadId};
use crate::github::time::Time;
use crate::github::world::{
    Account, AccountKind, App, EventKind, IssueComment, Overrides, Reaction, Review, ReviewComment, Thread,
    ada, connector,
};

impl PullHandle<'_> {
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
}

fn association(author: &Account) -> String {
    match author.kind {
        AccountKind::User => "MEMBER",
        AccountKind::Bot | AccountKind::Organization => "NONE",
    }
    .to_owned()
}
