//! GraphQL: every document is validated and executed against the schema that GitHub publishes.
//!
//! Objects are [`Node`](node::Node)s with lazily worked out fields, so any sensible query works. A field that the loopback
//! does not know is a GraphQL error and a problem in the log: a gap shows, it is never a silent null.

mod accounts;
mod checks;
mod commits;
mod discussion;
mod mutation;
mod node;
mod pull;
mod query;
mod repository;
mod rules;
mod schema;
mod timeline;

use std::sync::{Arc, Mutex, PoisonError};

use apollo_compiler::executable::OperationType;
use apollo_compiler::response::JsonMap;
use apollo_compiler::{ExecutableDocument, resolvers::Execution};
use serde::Serialize;
use serde_json::{Value, json};

use super::http::{Request, Response};
use super::world::World;

/// Start of the message for a field that the loopback does not know.
const UNANSWERED: &str = "the loopback does not answer";

/// What a GraphQL request came to.
pub struct Outcome {
    pub response: Response,
    /// Faults of the caller or gaps of the loopback, for the log.
    pub problems: Vec<String>,
}

#[derive(Serialize)]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Option<JsonMap>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Value>,
}

impl Body<'_> {
    fn response(&self) -> Response {
        // Written straight from the execution, since the order of the fields decides which `pageInfo` gh follows.
        let body = serde_json::to_vec(self).unwrap_or_default();
        Response::bytes(200, "application/json; charset=utf-8", body)
    }
}

/// Answers one GraphQL request; a mutation changes the world.
pub fn answer(world: &Mutex<Arc<World>>, request: &Request) -> Outcome {
    let schema = schema::github();
    let text = request.graphql_text();
    let document = match ExecutableDocument::parse_and_validate(&schema.schema, text, "query.graphql") {
        Ok(document) => document,
        Err(invalid) => {
            let errors: Vec<Value> = invalid
                .errors
                .iter()
                .map(|error| {
                    let error = error.to_json();
                    json!({ "message": error.message, "locations": error.locations })
                })
                .collect();
            let problem = format!("not valid against GitHub's schema: {}\n{text}", invalid.errors);
            return Outcome {
                response: Body { data: None, errors }.response(),
                problems: vec![problem],
            };
        }
    };
    let name = request.body.get("operationName").and_then(Value::as_str);
    let variables: JsonMap = request
        .body
        .get("variables")
        .cloned()
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default();
    let run = |root: &node::Node| {
        Execution::new(&schema.schema, &document)
            .implementers_map(&schema.implementers)
            .enable_schema_introspection(true)
            .operation_name(name)?
            .raw_variable_values(&variables)
            .execute_sync(root)
    };
    let is_mutation = document
        .operations
        .get(name)
        .is_ok_and(|operation| operation.operation_type == OperationType::Mutation);
    let result = if is_mutation {
        let mut guard = world.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = mutation::Shared::new(&guard);
        let result = run(&mutation::root(&shared));
        *guard = shared.take();
        result
    } else {
        let snapshot = world.lock().unwrap_or_else(PoisonError::into_inner).clone();
        run(&query::root(&snapshot))
    };
    match result {
        Ok(executed) => {
            let errors: Vec<Value> = executed.errors.iter().map(rendered).collect();
            let problems = executed
                .errors
                .iter()
                .filter(|error| !error.message.contains("Could not resolve"))
                .map(|error| format!("{} at {:?}", error.message, error.path))
                .collect();
            Outcome {
                response: Body {
                    data: Some(&executed.data),
                    errors,
                }
                .response(),
                problems,
            }
        }
        Err(error) => {
            let error = error.to_graphql_error(&document.sources);
            let problem = format!("{}\n{text}", error.message);
            let errors = vec![json!({ "message": error.message })];
            Outcome {
                response: Body { data: None, errors }.response(),
                problems: vec![problem],
            }
        }
    }
}

/// An execution error with GitHub's wording and `type`.
fn rendered(error: &apollo_compiler::response::GraphQLError) -> Value {
    let message = error
        .message
        .strip_prefix("resolver error: ")
        .unwrap_or(&error.message);
    let message = message
        .strip_prefix("resolver returned an object of type ")
        .unwrap_or(message);
    let message = message
        .strip_suffix(" not defined in the schema")
        .unwrap_or(message);
    let mut rendered = json!({ "path": error.path, "locations": error.locations, "message": message });
    if message.starts_with("Could not resolve") {
        rendered["type"] = json!("NOT_FOUND");
    }
    rendered
}
