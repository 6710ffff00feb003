//! Review threads (GraphQL), with every comment of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::name::Sha;
use super::observed::{Observed, Timestamp};

/// A review thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// The node id, `PRRT_…`.
    #[serde(default)]
    pub id: Observed<String>,
    /// Whether somebody resolved it.
    #[serde(default)]
    pub is_resolved: Observed<bool>,
    /// Whether its lines moved. It says nothing about a fix.
    #[serde(default)]
    pub is_outdated: Observed<bool>,
    /// The file, untrusted text.
    #[serde(default)]
    pub path: Observed<String>,
    /// The line in the current diff.
    #[serde(default)]
    pub line: Observed<u64>,
    /// The line it was opened on.
    #[serde(default)]
    pub original_line: Observed<u64>,
    /// Every comment, the root first.
    #[serde(default)]
    pub comments: Vec<ThreadComment>,
}

/// A comment inside a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadComment {
    /// The numeric id, as REST names the comment.
    #[serde(default)]
    pub id: Observed<u64>,
    /// The author, in GraphQL's spelling.
    #[serde(default)]
    pub author: Option<Account>,
    /// The author's relation to the repository.
    #[serde(default)]
    pub author_association: Observed<String>,
    /// When it was written.
    #[serde(default)]
    pub created_at: Observed<Timestamp>,
    /// When it was last edited; missing when never.
    #[serde(default)]
    pub last_edited_at: Observed<Timestamp>,
    /// The text, untrusted.
    #[serde(default)]
    pub body: Observed<String>,
    /// The page on GitHub.
    #[serde(default)]
    pub url: Observed<String>,
    /// The commit it was written for.
    #[serde(default)]
    pub original_commit: Observed<Sha>,
    /// The review it belongs to.
    #[serde(default)]
    pub review_id: Observed<u64>,
    /// The commit of that review.
    #[serde(default)]
    pub review_commit: Observed<Sha>,
}
