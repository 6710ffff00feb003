//! A reaction on the pull request body or on a comment (REST).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::name::{EvidenceName, Id};
use super::observed::{Observed, Timestamp};

/// What a reaction says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Option<String>", into = "String")]
pub enum ReactionContent {
    /// 👍
    PlusOne,
    /// 👀
    Eyes,
    /// Another of GitHub's reactions; it decides nothing.
    Other(String),
    /// A word that is no reaction GitHub has today: nobody knows what it says.
    Unrecognized(String),
    /// No word was given.
    #[default]
    Missing,
}

/// GitHub's other reactions, as REST and GraphQL spell them, in lower case.
const OTHERS: [&str; 7] = [
    "-1",
    "thumbs_down",
    "laugh",
    "confused",
    "heart",
    "hooray",
    "rocket",
];

impl From<Option<String>> for ReactionContent {
    fn from(word: Option<String>) -> Self {
        match word.as_deref() {
            Some("+1" | "THUMBS_UP") => Self::PlusOne,
            Some("eyes" | "EYES") => Self::Eyes,
            None | Some("") => Self::Missing,
            Some(word) if OTHERS.contains(&word.to_ascii_lowercase().as_str()) => {
                Self::Other(word.to_owned())
            }
            Some(word) => Self::Unrecognized(word.to_owned()),
        }
    }
}

impl From<ReactionContent> for String {
    fn from(content: ReactionContent) -> Self {
        match content {
            ReactionContent::PlusOne => "+1".into(),
            ReactionContent::Eyes => "eyes".into(),
            ReactionContent::Other(word) | ReactionContent::Unrecognized(word) => word,
            ReactionContent::Missing => Self::new(),
        }
    }
}

/// One reaction by one account. It names no commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reaction {
    /// The numeric id.
    #[serde(default)]
    pub id: Observed<u64>,
    /// Who reacted, as REST reactions serialise accounts.
    #[serde(default)]
    pub user: Option<Account>,
    /// What it says.
    #[serde(default)]
    pub content: ReactionContent,
    /// When it was first given; it stays that old until revoked.
    #[serde(default, alias = "created_at")]
    pub created_at: Observed<Timestamp>,
}

impl Reaction {
    /// The name of this evidence; `place` stands in for an unusable id.
    pub fn name(&self, place: usize) -> EvidenceName {
        EvidenceName::Reaction(self.id.get().map_or(Id::Place(place), Id::Number))
    }
}
