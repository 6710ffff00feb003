//! Every document fits the schema published under its name, and no published schema is without such a document.

use std::collections::BTreeSet;

use serde_json::Value;

use super::reviewed;
use crate::github::Github;
use crate::product::{Product, Run};

/// Commands, each with the name of the document it prints. None of them writes on GitHub.
const PRINTED: &[(&str, &[&str])] = &[
    ("status", &["status", "42", "--json"]),
    ("classification", &["classify", "42", "--json"]),
    ("findings", &["findings", "42", "--all", "--json"]),
    ("explain", &["explain", "42", "--json"]),
    ("gate", &["gate", "42", "--json"]),
    ("watch", &["watch", "42", "--json"]),
    ("list", &["list", "--json"]),
    ("snapshot", &["snapshot", "42"]),
    ("handled", &["handled", "42", "--json"]),
    ("convergence", &["converge", "42", "--json"]),
    ("preflight", &["preflight", "42", "--json"]),
    (
        "request",
        &["request", "42", "--dry-run", "--again", "to see", "--json"],
    ),
    ("retry", &["retry", "42", "--show", "--json"]),
    (
        "resolve",
        &[
            "resolve",
            "42",
            "PRRT_none",
            "--rebutted",
            "the caller checks it",
            "--dry-run",
            "--json",
        ],
    ),
    ("authorization", &["authorize", "42", "--list", "--json"]),
    ("evidence", &["collect", "42"]),
    ("evidence", &["collect", "--demo", "--redact"]),
    ("evidence", &["collect", "--demo", "indeterminate"]),
    ("policy", &["evaluate", "policy"]),
    ("initial", &["evaluate", "example", "initial"]),
    ("initial", &["evaluate", "example", "initial-reused"]),
    ("prompt", &["evaluate", "example", "prompt"]),
    ("recurring", &["evaluate", "example", "recurring-findings"]),
    ("checkpoint", &["evaluate", "example", "checkpoint"]),
];

/// Fails unless the document fits, and has no field that the schema does not name.
#[track_caller]
fn fits(product: &Product, name: &str, document: &Value) {
    let schema = product.run(&["schema", name]).expect(0).json();
    assert!(jsonschema::meta::is_valid(&schema), "{name} is no schema");
    let validator = jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    let faults: Vec<String> = validator
        .iter_errors(document)
        .map(|fault| format!("{fault} at {}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{name}: {faults:#?} in {document:#}");
    // A schema that names its fields names all of them.
    if let Some(known) = schema["properties"].as_object() {
        for field in document.as_object().into_iter().flat_map(|fields| fields.keys()) {
            assert!(known.contains_key(field), "{name} does not name {field}");
        }
    }
}

#[test]
fn every_published_schema_has_a_document_that_fits() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    let mut shown = BTreeSet::new();
    let printed =
        |run: Run| -> Value { serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}")) };
    for (name, words) in PRINTED {
        fits(&product, name, &printed(product.run(words)));
        shown.insert((*name).to_owned());
    }
    for (name, example) in [
        ("initial", "initial"),
        ("prompt", "prompt"),
        ("recurring", "recurring-findings"),
    ] {
        let input = product.run(&["evaluate", "example", example]).expect(0).stdout;
        let run = product.command(&["evaluate", name]).stdin(input).run().expect(0);
        let decision = format!("{name}-decision");
        fits(&product, &decision, &printed(run));
        shown.insert(decision);
    }
    let error = product.run(&["classify", "42", "--json", "nothing"]).expect(2);
    fits(&product, "error", &error.error_json());
    shown.insert("error".to_owned());

    let listed = product.run(&["schema"]).expect(0).stdout;
    let listed: BTreeSet<String> = listed
        .lines()
        .filter_map(|line| line.split('\t').next())
        .map(str::to_owned)
        .collect();
    assert_eq!(listed, shown);
    assert_eq!(github.log().writes().len(), 0);
    assert_eq!(product.run(&["schema", "nothing"]).code, Some(2));
}
