//! The items that stand in a repository or a pull request.

use super::{Account, Overrides};
use crate::github::time::Time;

#[derive(Clone, Debug)]
pub struct IssueComment {
    pub id: u64,
    pub author: Option<Account>,
    /// `OWNER`, `MEMBER`, `COLLABORATOR`, `CONTRIBUTOR`, `NONE`, …
    pub association: String,
    pub body: String,
    pub created_at: Time,
    pub updated_at: Time,
    pub last_edited_at: Option<Time>,
    pub editor: Option<Account>,
    pub via_app: Option<App>,
    /// Reason for which the comment is minimised, for example `OUTDATED`.
    pub minimized: Option<String>,
    pub reactions: Vec<Reaction>,
    pub overrides: Overrides,
}

#[derive(Clone, Debug)]
pub struct Reaction {
    pub id: u64,
    pub user: Option<Account>,
    /// REST word: `+1`, `-1`, `eyes`, `laugh`, `confused`, `heart`, `hooray`, `rocket`.
    pub content: String,
    pub created_at: Time,
    pub overrides: Overrides,
}

#[derive(Clone, Debug)]
pub struct Review {
    pub id: u64,
    pub author: Option<Account>,
    pub association: String,
    /// `COMMENTED`, `APPROVED`, `CHANGES_REQUESTED`, `DISMISSED`.
    pub state: String,
    pub body: String,
    pub commit: String,
    pub submitted_at: Time,
    pub last_edited_at: Option<Time>,
    pub editor: Option<Account>,
    pub overrides: Overrides,
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub id: u64,
    pub path: String,
    pub line: Option<u64>,
    pub resolved: bool,
    pub resolved_by: Option<Account>,
    pub outdated: bool,
    pub comments: Vec<ReviewComment>,
    /// GraphQL does not show the thread yet.
    pub lags_in_graphql: bool,
    pub overrides: Overrides,
}

#[derive(Clone, Debug)]
pub struct ReviewComment {
    pub id: u64,
    pub review: Option<u64>,
    pub author: Option<Account>,
    pub association: String,
    pub body: String,
    pub commit: String,
    pub original_commit: String,
    pub created_at: Time,
    pub updated_at: Time,
    pub last_edited_at: Option<Time>,
    pub editor: Option<Account>,
    pub reactions: Vec<Reaction>,
    /// `pulls/N/comments` does not show the comment yet.
    pub lags_in_rest: bool,
    /// `pulls/N/reviews/ID/comments` and the review's own list do not show the comment yet.
    pub lags_in_review: bool,
    pub overrides: Overrides,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub id: u64,
    pub actor: Option<Account>,
    pub at: Time,
    pub kind: EventKind,
    pub overrides: Overrides,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    HeadForcePushed { before: String, after: String },
    ReadyForReview,
    ConvertToDraft,
    Closed,
    Reopened,
    Merged { commit: String },
    CommentDeleted { author: Option<Account> },
    BaseRefChanged { from: String, to: String },
    BaseRefForcePushed { before: String, after: String },
    HeadRefDeleted,
    HeadRefRestored,
    ReviewDismissed { review: u64, message: String },
    Renamed { from: String, to: String },
    Labeled { name: String },
}

#[derive(Clone, Debug)]
pub struct Commit {
    pub sha: String,
    pub message: String,
    pub authored_at: Time,
    pub committed_at: Time,
    pub author: Option<Account>,
    pub parents: Vec<String>,
    /// Paths that the commit changes.
    pub files: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    pub id: u64,
    pub slug: String,
    pub name: String,
}

impl App {
    pub fn actions() -> Self {
        Self {
            id: 15_368,
            slug: "github-actions".to_owned(),
            name: "GitHub Actions".to_owned(),
        }
    }

    pub fn connector() -> Self {
        Self {
            id: 1_144_995,
            slug: "chatgpt-codex-connector".to_owned(),
            name: "ChatGPT Codex Connector".to_owned(),
        }
    }

    pub fn named(slug: &str, id: u64) -> Self {
        Self {
            id,
            slug: slug.to_owned(),
            name: slug.to_owned(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct CheckSuite {
    pub id: u64,
    pub app: App,
    /// The workflow of a suite of GitHub Actions.
    pub workflow: String,
    pub sha: String,
    pub branch: Option<String>,
    /// REST words: `queued`, `in_progress`, `completed`.
    pub status: String,
    pub conclusion: Option<String>,
    pub created_at: Time,
    pub updated_at: Time,
    /// Oldest first; an earlier run of the same name is an earlier attempt.
    pub runs: Vec<CheckRun>,
    pub overrides: Overrides,
}

#[derive(Clone, Debug)]
pub struct CheckRun {
    pub id: u64,
    pub name: String,
    pub status: String,
    pub conclusion: Option<String>,
    pub started_at: Option<Time>,
    pub completed_at: Option<Time>,
    pub overrides: Overrides,
}

#[derive(Clone, Debug)]
pub struct Status {
    pub id: u64,
    pub sha: String,
    pub context: String,
    /// `success`, `pending`, `failure`, `error`.
    pub state: String,
    pub created_at: Time,
    pub creator: Option<Account>,
    pub overrides: Overrides,
}

#[derive(Clone, Debug)]
pub struct Activity {
    pub id: u64,
    pub before: String,
    pub after: String,
    /// Full ref, `refs/heads/…`.
    pub reference: String,
    pub at: Time,
    /// `push`, `force_push`, `branch_creation`, …
    pub kind: String,
    pub actor: Option<Account>,
    pub overrides: Overrides,
}

#[derive(Clone, Debug)]
pub struct Release {
    pub id: u64,
    pub tag: String,
    pub created_at: Time,
    pub assets: Vec<Asset>,
}

#[derive(Clone, Debug)]
pub struct Asset {
    pub id: u64,
    pub name: String,
    pub bytes: Vec<u8>,
}
