//! Who last edited a decisive comment or review (GraphQL). REST does not say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::observed::{Observed, Timestamp, not_given};

/// The edit state of one comment or review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    /// The node id of the comment or review.
    pub node_id: String,
    /// When it was last edited; null when never. Where the field is absent nobody can say.
    #[serde(default = "not_given::<Timestamp>")]
    pub last_edited_at: Observed<Timestamp>,
    /// Who edited it, in GraphQL's spelling; null when unknown.
    #[serde(default)]
    pub editor: Option<Account>,
}
