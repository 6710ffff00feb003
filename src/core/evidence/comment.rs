//! A top-level comment on the pull request (REST issue comment).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::name::{EvidenceName, Id};
use super::observed::{Observed, Timestamp};

/// A REST issue comment. Reads GitHub's own spelling and the bundle's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueComment {
    /// The numeric id; it outgrows 32 bits.
    #[serde(default)]
    pub id: Observed<u64>,
    /// The GraphQL node id.
    #[serde(default, alias = "node_id")]
    pub node_id: Observed<String>,
    /// The author; null when the account is gone.
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
    /// The page on GitHub.
    #[serde(default, alias = "html_url")]
    pub html_url: Observed<String>,
    /// The author's relation to the repository.
    #[serde(default, alias = "author_association")]
    pub author_association: Observed<String>,
    /// The counter of its reactions that GitHub gives with the comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reactions: Option<ReactionCount>,
}

/// How many reactions stand on something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReactionCount {
    /// All of them, whoever reacted.
    #[serde(default, alias = "total_count")]
    pub total_count: Observed<u64>,
}

impl IssueComment {
    /// The name of this evidence; `place` stands in for an unusable id.
    pub fn name(&self, place: usize) -> EvidenceName {
        EvidenceName::IssueComment(self.id.get().map_or(Id::Place(place), Id::Number))
    }
}
