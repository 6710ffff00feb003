//! The rules that apply to a branch, in their GraphQL form.

use std::sync::Arc;

use serde_json::{Value, json};

use super::node::{Connection, Field, Node};
use crate::github::world::World;

/// The connection of rules on a branch.
pub fn of_branch(world: &Arc<World>, repository: usize, branch: &str) -> Field {
    let rules: Vec<Value> = world.repositories[repository]
        .rules
        .iter()
        .filter(|(name, _)| name == branch)
        .map(|(_, rule)| rule.clone())
        .collect();
    Connection::of(rules.len(), move |index| rule(index, &rules[index]).into())
}

fn rule(index: usize, rule: &Value) -> Node {
    let kind = rule["type"].as_str().unwrap_or_default();
    let checks = rule["parameters"]["required_status_checks"].as_array();
    let parameters = checks.map(|checks| {
        let checks: Vec<Field> = checks
            .iter()
            .map(|check| {
                Node::new("StatusCheckConfiguration")
                    .leaf("context", check["context"].clone())
                    .leaf(
                        "integrationId",
                        check.get("integration_id").cloned().unwrap_or(json!(null)),
                    )
                    .into()
            })
            .collect();
        Node::new("RequiredStatusChecksParameters")
            .field("requiredStatusChecks", Field::List(checks))
            .leaf("strictRequiredStatusChecksPolicy", false)
    });
    Node::new("RepositoryRule")
        .leaf("id", format!("RRU_kwDO{index}"))
        .leaf("type", kind.to_ascii_uppercase())
        .field("parameters", Field::maybe(parameters))
}
