//! GitHub's published GraphQL schema, parsed once per process.

use std::sync::LazyLock;

use apollo_compiler::collections::HashMap;
use apollo_compiler::schema::Implementers;
use apollo_compiler::validation::Valid;
use apollo_compiler::{Name, Schema};

use crate::github::tools;

/// The schema and what execution derives from it.
pub struct GitHubSchema {
    pub schema: Valid<Schema>,
    pub implementers: HashMap<Name, Implementers>,
}

static SCHEMA: LazyLock<GitHubSchema> = LazyLock::new(|| {
    let text = tools::read("github/schema.graphql");
    // GitHub answers ids beyond 32 bits in fields that its schema calls Int; execution would refuse them.
    let text = text.replace("  databaseId: Int\n", "  databaseId: BigInt\n");
    let text = text.replace("  databaseId: Int @", "  databaseId: BigInt @");
    let schema = Schema::parse_and_validate(text, "schema.graphql")
        .unwrap_or_else(|invalid| panic!("GitHub's schema is not valid:\n{}", invalid.errors));
    let implementers = schema.implementers_map();
    GitHubSchema { schema, implementers }
});

/// The schema.
pub fn github() -> &'static GitHubSchema {
    &SCHEMA
}
