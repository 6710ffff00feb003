//! The pull request itself: identity, head, base, state and GitHub's own counters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::name::Sha;
use super::observed::{Observed, Timestamp, not_given};

/// State of a pull request. An unknown word is kept and treated as neither open nor closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub enum PullState {
    /// Open for review.
    Open,
    /// Closed without a merge.
    Closed,
    /// Merged.
    Merged,
    /// A word this version does not know.
    Unrecognized(String),
}

impl From<String> for PullState {
    fn from(word: String) -> Self {
        match word.to_ascii_uppercase().as_str() {
            "OPEN" => Self::Open,
            "CLOSED" => Self::Closed,
            "MERGED" => Self::Merged,
            _ => Self::Unrecognized(word),
        }
    }
}

impl From<PullState> for String {
    fn from(state: PullState) -> Self {
        match state {
            PullState::Open => "OPEN".into(),
            PullState::Closed => "CLOSED".into(),
            PullState::Merged => "MERGED".into(),
            PullState::Unrecognized(word) => word,
        }
    }
}

/// The pull request as GraphQL gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pull {
    /// The number in its repository.
    pub number: u64,
    /// The page on GitHub.
    pub url: String,
    /// The title, untrusted text.
    #[serde(default)]
    pub title: String,
    /// Open, closed or merged.
    pub state: PullState,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// The head commit that every result is bound to.
    pub head_ref_oid: Sha,
    /// The head branch's name.
    pub head_ref_name: String,
    /// `OWNER/REPO` of the head branch; null when the fork is gone.
    #[serde(default)]
    pub head_repository: Option<String>,
    /// Whether the head stands in another repository than the base.
    #[serde(default)]
    pub is_cross_repository: bool,
    /// The base branch's name.
    pub base_ref_name: String,
    /// The base branch's tip as GitHub recorded it.
    #[serde(default)]
    pub base_ref_oid: Option<Sha>,
    /// The base branch's tip now; null when the branch is gone. The recorded one follows it only with the head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_tip_oid: Option<Sha>,
    /// When the pull request was opened.
    #[serde(default)]
    pub created_at: Observed<Timestamp>,
    /// When anything on it last changed.
    #[serde(default)]
    pub updated_at: Observed<Timestamp>,
    /// When the description was last edited, null when never.
    #[serde(default = "not_given::<Timestamp>")]
    pub last_edited_at: Observed<Timestamp>,
    /// Who opened it.
    #[serde(default)]
    pub author: Option<Account>,
    /// GitHub's own counters, to hold the collections against.
    #[serde(default)]
    pub counts: Counts,
    /// `APPROVED`, `CHANGES_REQUESTED`, `REVIEW_REQUIRED` or null. Context only; it approves nothing.
    #[serde(default)]
    pub review_decision: Option<String>,
    /// `MERGEABLE`, `CONFLICTING` or `UNKNOWN`.
    #[serde(default)]
    pub mergeable: Option<String>,
    /// `CLEAN`, `BLOCKED`, … Context only; it approves nothing.
    #[serde(default)]
    pub merge_state_status: Option<String>,
}

/// Totals as the pull request itself states them; null where the query did not give one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Top-level comments.
    #[serde(default)]
    pub comments: Option<u64>,
    /// Submitted reviews.
    #[serde(default)]
    pub reviews: Option<u64>,
    /// Review threads.
    #[serde(default)]
    pub threads: Option<u64>,
    /// Commits.
    #[serde(default)]
    pub commits: Option<u64>,
}

/// A commit of the pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Commit {
    /// The full commit id.
    pub oid: Sha,
    /// The committer date. It can lie: whoever made the commit chose it.
    #[serde(default)]
    pub committed_date: Observed<Timestamp>,
}

/// A short commit id and what GitHub says it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedCommit {
    /// The prefix as the text gave it, in lower case.
    pub prefix: String,
    /// The commit GitHub resolved it to; null when GitHub knows none, or more than one.
    pub oid: Option<Sha>,
}
