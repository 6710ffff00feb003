//! Submitted reviews and inline review comments (REST).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::name::{EvidenceName, Id, Sha};
use super::observed::{Observed, Timestamp};

/// State of a submitted review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Option<String>", into = "String")]
pub enum ReviewState {
    /// Comments without a verdict; the connector's usual state.
    Commented,
    /// Approved.
    Approved,
    /// Changes requested.
    ChangesRequested,
    /// Dismissed: it neither blocks nor approves, its threads do.
    Dismissed,
    /// Not submitted yet.
    Pending,
    /// No word was given.
    #[default]
    Missing,
    /// A word this version does not know.
    Unrecognized(String),
}

impl From<Option<String>> for ReviewState {
    fn from(word: Option<String>) -> Self {
        let Some(word) = word else { return Self::Missing };
        match word.to_ascii_uppercase().as_str() {
            "COMMENTED" => Self::Commented,
            "APPROVED" => Self::Approved,
            "CHANGES_REQUESTED" => Self::ChangesRequested,
            "DISMISSED" => Self::Dismissed,
            "PENDING" => Self::Pending,
            "" => Self::Missing,
            _ => Self::Unrecognized(word),
        }
    }
}

impl From<ReviewState> for String {
    fn from(state: ReviewState) -> Self {
        match state {
            ReviewState::Commented => "COMMENTED".into(),
            ReviewState::Approved => "APPROVED".into(),
            ReviewState::ChangesRequested => "CHANGES_REQUESTED".into(),
            ReviewState::Dismissed => "DISMISSED".into(),
            ReviewState::Pending => "PENDING".into(),
            ReviewState::Missing => String::new(),
            ReviewState::Unrecognized(word) => word,
        }
    }
}

/// A submitted review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    /// The numeric id.
    #[serde(default)]
    pub id: Observed<u64>,
    /// The GraphQL node id.
    #[serde(default, alias = "node_id")]
    pub node_id: Observed<String>,
    /// The reviewer.
    #[serde(default)]
    pub user: Option<Account>,
    /// The verdict word.
    #[serde(default)]
    pub state: ReviewState,
    /// When it was submitted.
    #[serde(default, alias = "submitted_at")]
    pub submitted_at: Observed<Timestamp>,
    /// The commit it was made for.
    #[serde(default, alias = "commit_id")]
    pub commit_id: Observed<Sha>,
    /// The text, untrusted; may be empty.
    #[serde(default)]
    pub body: Observed<String>,
    /// The page on GitHub.
    #[serde(default, alias = "html_url")]
    pub html_url: Observed<String>,
    /// The reviewer's relation to the repository.
    #[serde(default, alias = "author_association")]
    pub author_association: Observed<String>,
}

impl Review {
    /// The name of this evidence; `place` stands in for an unusable id.
    pub fn name(&self, place: usize) -> EvidenceName {
        EvidenceName::Review(self.id.get().map_or(Id::Place(place), Id::Number))
    }
}

/// An inline review comment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewComment {
    /// The numeric id.
    #[serde(default)]
    pub id: Observed<u64>,
    /// The author.
    #[serde(default)]
    pub user: Option<Account>,
    /// When it was written.
    #[serde(default, alias = "created_at")]
    pub created_at: Observed<Timestamp>,
    /// When it was last changed.
    #[serde(default, alias = "updated_at")]
    pub updated_at: Observed<Timestamp>,
    /// The text, untrusted.
    #[serde(default)]
    pub body: Observed<String>,
    /// The file, untrusted text.
    #[serde(default)]
    pub path: Observed<String>,
    /// The line in the current diff; missing when outdated.
    #[serde(default)]
    pub line: Observed<u64>,
    /// The line it was written on.
    #[serde(default, alias = "original_line")]
    pub original_line: Observed<u64>,
    /// `LEFT` or `RIGHT`.
    #[serde(default)]
    pub side: Observed<String>,
    /// The commit GitHub shows it on now; follows the head, so it binds nothing.
    #[serde(default, alias = "commit_id")]
    pub commit_id: Observed<Sha>,
    /// The commit it was written for.
    #[serde(default, alias = "original_commit_id")]
    pub original_commit_id: Observed<Sha>,
    /// The comment this one answers.
    #[serde(default, alias = "in_reply_to_id")]
    pub in_reply_to_id: Observed<u64>,
    /// The review it belongs to.
    #[serde(default, alias = "pull_request_review_id")]
    pub pull_request_review_id: Observed<u64>,
    /// The page on GitHub.
    #[serde(default, alias = "html_url")]
    pub html_url: Observed<String>,
    /// The author's relation to the repository.
    #[serde(default, alias = "author_association")]
    pub author_association: Observed<String>,
}

impl ReviewComment {
    /// The name of this evidence; `place` stands in for an unusable id.
    pub fn name(&self, place: usize) -> EvidenceName {
        EvidenceName::ReviewComment(self.id.get().map_or(Id::Place(place), Id::Number))
    }
}
