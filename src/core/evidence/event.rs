//! Head movements and lifecycle events: the timeline (GraphQL) and the repository's activity list (REST).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::name::Sha;
use super::observed::{Observed, Timestamp, not_given};

/// What a timeline event says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[serde(try_from = "WireKind")]
pub enum EventKind {
    /// The head branch was force-pushed.
    HeadForcePushed {
        /// The head before; null when GitHub no longer knows it.
        before: Option<Sha>,
        /// The head after; null when GitHub no longer knows it.
        after: Option<Sha>,
    },
    /// The draft was marked ready.
    ReadyForReview,
    /// The pull request was made a draft.
    ConvertedToDraft,
    /// It was reopened.
    Reopened,
    /// It was closed.
    Closed,
    /// It was merged.
    Merged,
    /// A comment was deleted; GitHub does not say which.
    CommentDeleted {
        /// The login whose comment it was, as far as GitHub says.
        author: Option<String>,
    },
    /// Another base branch was chosen. It starts no review.
    BaseChanged,
    /// The base branch was force-pushed.
    BaseForcePushed,
    /// The head branch was deleted.
    HeadDeleted,
    /// The head branch was restored.
    HeadRestored,
    /// An event this version does not know.
    Unrecognized {
        /// GitHub's word.
        word: String,
    },
}

/// A kind as JSON has it: read through this, since a tag by itself may also be the number of a variant.
#[derive(Deserialize, JsonSchema)]
struct WireKind {
    kind: Observed<String>,
    #[serde(default = "not_given::<Sha>")]
    before: Observed<Sha>,
    #[serde(default = "not_given::<Sha>")]
    after: Observed<Sha>,
    #[serde(default)]
    author: Option<String>,
    #[serde(default)]
    word: String,
}

impl TryFrom<WireKind> for EventKind {
    type Error = &'static str;
    fn try_from(wire: WireKind) -> Result<Self, &'static str> {
        match wire.kind.text() {
            "head-force-pushed" => Ok(Self::HeadForcePushed {
                before: end_of(wire.before)?,
                after: end_of(wire.after)?,
            }),
            "ready-for-review" => Ok(Self::ReadyForReview),
            "converted-to-draft" => Ok(Self::ConvertedToDraft),
            "reopened" => Ok(Self::Reopened),
            "closed" => Ok(Self::Closed),
            "merged" => Ok(Self::Merged),
            "comment-deleted" => Ok(Self::CommentDeleted { author: wire.author }),
            "base-changed" => Ok(Self::BaseChanged),
            "base-force-pushed" => Ok(Self::BaseForcePushed),
            "head-deleted" => Ok(Self::HeadDeleted),
            "head-restored" => Ok(Self::HeadRestored),
            "unrecognized" => Ok(Self::Unrecognized { word: wire.word }),
            _ => Err("the kind of an event is one of the words that `collect` writes"),
        }
    }
}

/// One end of a force-push: null where GitHub no longer knows it.
fn end_of(sha: Observed<Sha>) -> Result<Option<Sha>, &'static str> {
    match sha {
        Observed::Known(sha) => Ok(Some(sha)),
        Observed::Missing => Ok(None),
        Observed::Malformed(_) => Err("a force-push names the head before and after it, or null"),
    }
}

/// One timeline event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The node id (GraphQL) or number (REST), as text.
    pub id: String,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
    /// When.
    #[serde(default)]
    pub created_at: Observed<Timestamp>,
    /// Who did it.
    #[serde(default)]
    pub actor: Option<Account>,
}

/// One entry of the repository's activity list for the head branch: a push that the timeline does not show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// The numeric id.
    #[serde(default)]
    pub id: Observed<u64>,
    /// The branch tip before; all zeros when the branch was created.
    #[serde(default)]
    pub before: Observed<Sha>,
    /// The branch tip after; all zeros when the branch was deleted.
    #[serde(default)]
    pub after: Observed<Sha>,
    /// When.
    #[serde(default)]
    pub timestamp: Observed<Timestamp>,
    /// `push`, `force_push`, `branch_creation`, `branch_deletion`, `pr_merge`, …
    #[serde(default, alias = "activity_type")]
    pub activity_type: Observed<String>,
}
