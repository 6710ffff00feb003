//! The documents that the commands print: their names, which command prints them, and their JSON Schemas.
//!
//! A new document is one line in [`DOCUMENTS`]. The evaluator keeps its own list, which is joined in here.

use codex_loop::bounded;
use codex_loop::evidence::Evidence;
use codex_loop::report::attempt::{Request, Retry};
use codex_loop::report::classification::Classification;
use codex_loop::report::convergence::Convergence;
use codex_loop::report::explain::Explanation;
use codex_loop::report::findings::Findings;
use codex_loop::report::gate::GateDocument;
use codex_loop::report::handled::HandledDocument;
use codex_loop::report::list::List;
use codex_loop::report::status::Status;
use codex_loop::report::watch::WatchDocument;
use codex_loop::report::{authorization, preflight, resolve};
use codex_loop::sensor::Snapshot;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::error::ErrorDocument;

/// One kind of document.
pub struct Document {
    /// The `<name>` of `codex-loop.<name>/1`.
    pub name: &'static str,
    /// The commands whose `--json` prints it.
    pub commands: &'static [&'static str],
    /// What it says, in a few words.
    pub about: &'static str,
    schema: fn() -> Value,
}

/// Every document but the evaluator's.
pub const DOCUMENTS: &[Document] = &[
    Document::of::<Status>("status", &["status"], "everything at a glance"),
    Document::of::<Classification>("classification", &["classify"], "the state of the review run"),
    Document::of::<Findings>("findings", &["findings"], "the findings as rows"),
    Document::of::<Explanation>("explain", &["explain"], "every piece of evidence, used or not"),
    Document::of::<GateDocument>("gate", &["gate"], "the merge gate"),
    Document::of::<WatchDocument>("watch", &["watch"], "one event of a watch, a line each"),
    Document::of::<List>("list", &["list"], "the open pull requests"),
    Document::of::<Snapshot>(
        "snapshot",
        &["snapshot"],
        "the stable sensor's observation, version 2",
    ),
    Document::of::<HandledDocument>("handled", &["handled"], "what is recorded about the findings"),
    Document::of::<Convergence>("convergence", &["converge"], "the next tick of the loop"),
    Document::of::<preflight::Document>("preflight", &["preflight"], "whether a trigger may be posted now"),
    Document::of::<Request>("request", &["request"], "what was asked for"),
    Document::of::<Retry>("retry", &["retry"], "what was retried"),
    Document::of::<resolve::Document>("resolve", &["resolve"], "what became of each thread"),
    Document::of::<authorization::Document>("authorization", &["authorize"], "standing authorizations"),
    Document::of::<Evidence>(
        "evidence",
        &["collect"],
        "everything that was read: the input of every decision",
    ),
    Document::of::<ErrorDocument<'static>>("error", &[], "what went wrong, on stderr"),
];

impl Document {
    const fn of<D: schemars::JsonSchema>(
        name: &'static str,
        commands: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self {
            name,
            commands,
            about,
            schema: schema_of::<D>,
        }
    }

    /// The top-level fields.
    pub fn fields(&self) -> Vec<(String, String)> {
        let schema = (self.schema)();
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Vec::new();
        };
        let about = |field: &Value| {
            field
                .get("description")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        properties
            .iter()
            .map(|(name, field)| (name.clone(), about(field).unwrap_or_default()))
            .collect()
    }
}

/// The document that a command prints.
pub fn printed_by(command: &str) -> Option<&'static Document> {
    DOCUMENTS
        .iter()
        .find(|document| document.commands.contains(&command))
}

/// Names and descriptions of all schemas.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let ours = DOCUMENTS.iter().map(|document| (document.name, document.about));
    ours.chain(bounded::SCHEMAS.iter().copied())
}

/// The JSON Schema of a document; `codex-loop.status/1` is the same as `status`.
pub fn schema(name: &str) -> Option<Value> {
    let plain = name
        .strip_prefix("codex-loop.")
        .and_then(|name| name.strip_suffix("/1"))
        .unwrap_or(name);
    match DOCUMENTS.iter().find(|document| document.name == plain) {
        Some(document) => Some(named((document.schema)(), plain)),
        None => bounded::schema(plain).and_then(|schema| serde_json::to_value(schema).ok()),
    }
}

/// The schema of what is written: a field that is always there is required, also where it may be null.
fn schema_of<D: schemars::JsonSchema>() -> Value {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<D>()
        .to_value()
}

/// Says the document's full name, as title and as the only value of its `schema` field.
fn named(mut schema: Value, name: &str) -> Value {
    let full = format!("codex-loop.{name}/1");
    if let Some(field) = schema
        .pointer_mut("/properties/schema")
        .and_then(Value::as_object_mut)
    {
        field.insert("const".to_owned(), Value::from(full.as_str()));
        schema["title"] = Value::from(full);
    }
    schema
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_every_schema_exists() {
        let names: Vec<&str> = names().map(|(name, _)| name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        for name in names {
            let schema = schema(name).unwrap_or_else(|| panic!("{name} has no schema"));
            assert!(schema.get("$schema").is_some(), "{name}");
        }
    }

    #[test]
    fn a_document_says_its_full_name_and_requires_fields_that_may_be_null() {
        let schema = schema("codex-loop.classification/1").expect("a schema");
        assert_eq!(
            schema["properties"]["schema"]["const"],
            "codex-loop.classification/1"
        );
        let required = schema["required"].as_array().expect("a list");
        for field in ["schema", "headRefOid", "trigger", "terminal", "next"] {
            assert!(required.contains(&Value::from(field)), "{field}");
        }
    }
}
