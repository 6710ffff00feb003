//! An account as one surface of GitHub serialised it. Whether it is the connector is decided in `bot::identity`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observed::Observed;

/// Login, type and id, exactly as the surface gave them. REST calls the type `type`, GraphQL `__typename`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    /// The login in that surface's own spelling.
    #[serde(default)]
    pub login: Observed<String>,
    /// `User`, `Bot`, `Organization`, `Mannequin`, or whatever else GitHub says.
    #[serde(default, rename = "type", alias = "__typename")]
    pub kind: Observed<String>,
    /// The numeric id, where the surface gives one.
    #[serde(default, alias = "databaseId")]
    pub id: Observed<u64>,
}
