//! Evidence for tests of the core: one open pull request with one head, and one line per thing on it.

use chrono::{TimeZone, Utc};

use super::account::Account;
use super::check::{App, CheckRun, CheckSuite, CommitStatus};
use super::comment::IssueComment;
use super::edit::Edit;
use super::event::{Activity, Event, EventKind};
use super::name::Sha;
use super::observed::{Observed, Timestamp};
use super::pull::{Commit, Counts, Pull, PullState, ResolvedCommit};
use super::reaction::{Reaction, ReactionContent};
use super::review::{Review, ReviewComment, ReviewState};
use super::surface::Surface;
use super::thread::{Thread, ThreadComment};
use super::{EVIDENCE_SCHEMA, Evidence, Local, Surfaces, Versions};
use crate::bot::identity::{CONNECTOR_GRAPHQL_LOGIN, CONNECTOR_ID, CONNECTOR_REST_LOGIN};

/// The head of the sample.
pub const HEAD: &str = "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd";
/// Another commit.
pub const OTHER: &str = "1111111111222222222233333333334444444444";

/// Minute and second of the sample's hour.
pub fn at(minute: u32, second: u32) -> Timestamp {
    Utc.with_ymd_and_hms(2026, 10, 1, 10, minute, second)
        .single()
        .expect("a time of the sample's hour")
}

/// A commit id.
pub fn sha(text: &str) -> Sha {
    text.parse().expect("a commit id")
}

/// The connector as REST comments and reviews give it.
pub fn connector() -> Account {
    Account {
        login: Observed::Known(CONNECTOR_REST_LOGIN.into()),
        kind: Observed::Known("Bot".into()),
        id: Observed::Known(CONNECTOR_ID),
    }
}

/// The connector as GraphQL gives it.
pub fn connector_graphql() -> Account {
    Account {
        login: Observed::Known(CONNECTOR_GRAPHQL_LOGIN.into()),
        kind: Observed::Known("Bot".into()),
        id: Observed::Known(CONNECTOR_ID),
    }
}

/// A person.
pub fn person() -> Account {
    Account {
        login: Observed::Known("ada".into()),
        kind: Observed::Known("User".into()),
        id: Observed::Known(7),
    }
}

/// Evidence that grows line by line.
pub struct Sample {
    /// What was built so far.
    pub evidence: Evidence,
    next: u64,
}

impl Sample {
    /// An open pull request whose head arrived at 10:00:00 by a check suite of its branch; collected at 10:59.
    pub fn new() -> Self {
        let head = Commit {
            oid: sha(HEAD),
            committed_date: Observed::Known(at(0, 0)),
        };
        let pull = Pull {
            number: 42,
            url: "https://github.com/o/r/pull/42".into(),
            title: "A change".into(),
            state: PullState::Open,
            is_draft: false,
            head_ref_oid: sha(HEAD),
            head_ref_name: "topic".into(),
            head_repository: Some("o/r".into()),
            is_cross_repository: false,
            base_ref_name: "main".into(),
            base_ref_oid: None,
            base_tip_oid: None,
            created_at: Observed::Known(at(0, 0)),
            updated_at: Observed::Known(at(0, 0)),
            last_edited_at: Observed::Missing,
            author: Some(person()),
            counts: Counts::default(),
            review_decision: None,
            mergeable: Some("MERGEABLE".into()),
            merge_state_status: Some("CLEAN".into()),
        };
        let suite = CheckSuite {
            id: Observed::Known(900),
            head_sha: Observed::Known(sha(HEAD)),
            head_branch: Observed::Known("topic".into()),
            created_at: Observed::Known(at(0, 5)),
            status: Observed::Known("completed".into()),
            conclusion: Observed::Known("success".into()),
            app: Observed::Known("github-actions".into()),
            runs: Observed::Known(1),
            ..CheckSuite::default()
        };
        let surfaces = Surfaces {
            pull: Surface::complete(vec![pull]),
            commits: Surface::complete(vec![head.clone()]),
            head_commit: Surface::complete(vec![head]),
            check_suites: Surface::complete(vec![suite]),
            timeline: Surface::complete(Vec::new()),
            issue_comments: Surface::complete(Vec::new()),
            reviews: Surface::complete(Vec::new()),
            review_comments: Surface::complete(Vec::new()),
            threads: Surface::complete(Vec::new()),
            resolved_commits: Surface::complete(vec![ResolvedCommit {
                prefix: HEAD.chars().take(10).collect(),
                oid: Some(sha(HEAD)),
            }]),
            edits: Surface::complete(Vec::new()),
            body_reactions: Surface::complete(Vec::new()),
            check_runs: Surface::complete(Vec::new()),
            statuses: Surface::complete(Vec::new()),
            ..Surfaces::default()
        };
        let evidence = Evidence {
            schema: EVIDENCE_SCHEMA.into(),
            collected_at: at(59, 0),
            versions: Versions::default(),
            host: "github.com".into(),
            repository: "o/r".parse().expect("a repository"),
            pull_request: 42,
            unstable: None,
            surfaces,
            local: Local::default(),
        };
        Self { evidence, next: 100 }
    }

    fn id(&mut self) -> u64 {
        self.next = self.next.saturating_add(1);
        self.next
    }

    /// Adds a top-level comment; its reactions were read and there are none.
    pub fn comment(&mut self, user: Account, when: Timestamp, body: &str) -> u64 {
        let id = self.id();
        push(
            &mut self.evidence.surfaces.issue_comments,
            IssueComment {
                id: Observed::Known(id),
                node_id: Observed::Known(format!("IC_{id}")),
                user: Some(user),
                created_at: Observed::Known(when),
                updated_at: Observed::Known(when),
                body: Observed::Known(body.into()),
                html_url: Observed::Known(format!("https://github.com/o/r/pull/42#issuecomment-{id}")),
                author_association: Observed::Known("MEMBER".into()),
                reactions: None,
            },
        );
        self.evidence
            .surfaces
            .comment_reactions
            .insert(id, Surface::complete(Vec::new()));
        push(
            &mut self.evidence.surfaces.edits,
            Edit {
                node_id: format!("IC_{id}"),
                last_edited_at: Observed::Missing,
                editor: None,
            },
        );
        id
    }

    /// A person's `@codex review`.
    pub fn trigger(&mut self, when: Timestamp) -> u64 {
        self.comment(person(), when, "@codex review")
    }

    /// A reaction on a comment.
    pub fn react(&mut self, comment: u64, user: Account, content: ReactionContent, when: Timestamp) -> u64 {
        let id = self.id();
        let surface = self
            .evidence
            .surfaces
            .comment_reactions
            .entry(comment)
            .or_insert_with(|| Surface::complete(Vec::new()));
        push(
            surface,
            Reaction {
                id: Observed::Known(id),
                user: Some(user),
                content,
                created_at: Observed::Known(when),
            },
        );
        id
    }

    /// The connector's +1 on a comment.
    pub fn plus_one(&mut self, comment: u64, when: Timestamp) -> u64 {
        self.react(comment, connector(), ReactionContent::PlusOne, when)
    }

    /// The connector's eyes on a comment.
    pub fn eyes(&mut self, comment: u64, when: Timestamp) -> u64 {
        self.react(comment, connector(), ReactionContent::Eyes, when)
    }

    /// The connector's reaction on the description.
    pub fn react_body(&mut self, content: ReactionContent, when: Timestamp) -> u64 {
        let id = self.id();
        push(
            &mut self.evidence.surfaces.body_reactions,
            Reaction {
                id: Observed::Known(id),
                user: Some(connector()),
                content,
                created_at: Observed::Known(when),
            },
        );
        id
    }

    /// A run of GitHub Actions on the head that started at a time; without a conclusion it is still going on.
    pub fn check_run(&mut self, name: &str, conclusion: Option<&str>, started: Timestamp) -> u64 {
        let id = self.id();
        push(
            &mut self.evidence.surfaces.check_runs,
            CheckRun {
                id: Observed::Known(id),
                name: Observed::Known(name.into()),
                head_sha: Observed::Known(sha(HEAD)),
                status: Observed::Known(
                    if conclusion.is_some() {
                        "completed"
                    } else {
                        "in_progress"
                    }
                    .into(),
                ),
                conclusion: conclusion.map(str::to_owned).into(),
                started_at: Observed::Known(started),
                app: Some(App {
                    id: Observed::Known(15_368),
                    slug: Observed::Known("github-actions".into()),
                }),
                ..CheckRun::default()
            },
        );
        id
    }

    /// A commit status of the head.
    pub fn status(&mut self, context: &str, state: &str, when: Timestamp) -> u64 {
        let id = self.id();
        push(
            &mut self.evidence.surfaces.statuses,
            CommitStatus {
                id: Observed::Known(id),
                context: Observed::Known(context.into()),
                state: Observed::Known(state.into()),
                created_at: Observed::Known(when),
                ..CommitStatus::default()
            },
        );
        id
    }

    /// A summary comment of the connector with one code row.
    pub fn summary(&mut self, status: &str, commit: &str, when: Timestamp) -> u64 {
        let time = super::observed::rfc3339(when);
        let body = format!(
            "<!-- codex-pull-request-review-summary -->\n## Codex Review Summary\n\n\
             | Review | Status | Commit | Review trigger |\n| --- | --- | --- | --- |\n\
             | 📝 **Code Review** | {status} <relative-time datetime=\"{time}\">{time}</relative-time> | `{commit}` | PR opened |\n"
        );
        // The comment was written when the pull request was opened and is edited in place.
        self.comment(connector(), at(0, 30), &body)
    }

    /// The pull request.
    pub fn pull(&mut self) -> &mut Pull {
        self.evidence
            .surfaces
            .pull
            .items_mut()
            .first_mut()
            .expect("the sample has a pull request")
    }

    /// A connector's comment that found nothing, for the commit with this prefix.
    pub fn clean_comment(&mut self, when: Timestamp, commit: &str) -> u64 {
        let body =
            format!("Codex Review: Didn't find any major issues. Swish!\n\n**Reviewed commit:** `{commit}`");
        self.comment(connector(), when, &body)
    }

    /// A review by the connector.
    pub fn review(&mut self, when: Timestamp, commit: &str, body: &str) -> u64 {
        let id = self.id();
        push(
            &mut self.evidence.surfaces.reviews,
            Review {
                id: Observed::Known(id),
                node_id: Observed::Known(format!("PRR_{id}")),
                user: Some(connector()),
                state: ReviewState::Commented,
                submitted_at: Observed::Known(when),
                commit_id: Observed::Known(sha(commit)),
                body: Observed::Known(body.into()),
                html_url: Observed::Missing,
                author_association: Observed::Known("NONE".into()),
            },
        );
        push(
            &mut self.evidence.surfaces.edits,
            Edit {
                node_id: format!("PRR_{id}"),
                last_edited_at: Observed::Missing,
                editor: None,
            },
        );
        id
    }

    /// An open thread of the connector with its REST comment; gives the thread's node id.
    pub fn thread(&mut self, when: Timestamp, commit: &str) -> String {
        let review = self.review(when, commit, "");
        self.thread_of(review, when, commit)
    }

    /// An open thread that belongs to a review.
    pub fn thread_of(&mut self, review: u64, when: Timestamp, commit: &str) -> String {
        let id = self.id();
        let body = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.";
        push(
            &mut self.evidence.surfaces.review_comments,
            ReviewComment {
                id: Observed::Known(id),
                user: Some(connector()),
                created_at: Observed::Known(when),
                body: Observed::Known(body.into()),
                path: Observed::Known("src/a.rs".into()),
                original_commit_id: Observed::Known(sha(commit)),
                commit_id: Observed::Known(sha(HEAD)),
                pull_request_review_id: Observed::Known(review),
                ..ReviewComment::default()
            },
        );
        let node = format!("PRRT_{id}");
        push(
            &mut self.evidence.surfaces.threads,
            Thread {
                id: Observed::Known(node.clone()),
                is_resolved: Observed::Known(false),
                is_outdated: Observed::Known(false),
                path: Observed::Known("src/a.rs".into()),
                line: Observed::Known(7),
                original_line: Observed::Known(7),
                comments: vec![ThreadComment {
                    id: Observed::Known(id),
                    author: Some(connector_graphql()),
                    created_at: Observed::Known(when),
                    body: Observed::Known(body.into()),
                    original_commit: Observed::Known(sha(commit)),
                    review_id: Observed::Known(review),
                    review_commit: Observed::Known(sha(commit)),
                    ..ThreadComment::default()
                }],
            },
        );
        node
    }

    /// Marks a thread resolved.
    pub fn resolve(&mut self, node: &str) {
        for thread in self.evidence.surfaces.threads.items_mut() {
            if thread.id.known().is_some_and(|id| id == node) {
                thread.is_resolved = Observed::Known(true);
            }
        }
    }

    /// Records that somebody edited a comment.
    pub fn edited(&mut self, comment: u64, editor: Account) {
        let node_id = format!("IC_{comment}");
        for edit in self.evidence.surfaces.edits.items_mut() {
            if edit.node_id == node_id {
                edit.last_edited_at = Observed::Known(at(50, 0));
                edit.editor = Some(editor.clone());
            }
        }
        for one in self.evidence.surfaces.issue_comments.items_mut() {
            if one.id.get() == Some(comment) {
                one.updated_at = Observed::Known(at(50, 0));
            }
        }
    }

    /// A force-push on the timeline.
    pub fn force_push(&mut self, when: Timestamp, before: &str, after: &str) {
        let id = format!("HRFP_{}", self.id());
        push(
            &mut self.evidence.surfaces.timeline,
            Event {
                id,
                kind: EventKind::HeadForcePushed {
                    before: Some(sha(before)),
                    after: Some(sha(after)),
                },
                created_at: Observed::Known(when),
                actor: Some(person()),
            },
        );
    }

    /// A push in the activity list.
    pub fn push(&mut self, when: Timestamp, before: &str, after: &str) {
        let activity = Activity {
            id: Observed::Known(self.id()),
            before: Observed::Known(sha(before)),
            after: Observed::Known(sha(after)),
            timestamp: Observed::Known(when),
            activity_type: Observed::Known("push".into()),
        };
        if self.evidence.surfaces.activity == Surface::NotCollected {
            self.evidence.surfaces.activity = Surface::complete(Vec::new());
        }
        push(&mut self.evidence.surfaces.activity, activity);
    }

    /// Takes away the check suite, so that nothing proves when the head arrived.
    pub fn without_suites(&mut self) {
        self.evidence.surfaces.check_suites = Surface::complete(Vec::new());
    }
}

fn push<T>(surface: &mut Surface<T>, item: T) {
    match surface {
        Surface::Complete { items, .. } | Surface::Incomplete { items, .. } => items.push(item),
        Surface::NotCollected => *surface = Surface::complete(vec![item]),
    }
}
