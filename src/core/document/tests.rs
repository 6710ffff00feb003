//! Every place of every saved document, damaged in every way: what is said names the place, in plain words.

use regex::Regex;
use serde_json::{Value, json};

use super::read;
use crate::bounded::{evaluate_initial, example};
use crate::convergence::handled::HandledFile;
use crate::evidence::Evidence;
use crate::journal::{Journal, Unreadable};
use crate::report::convergence::PreviousDocument;

/// What is read: the reason when it is refused.
type Read = fn(&str) -> Option<String>;

fn bundle(text: &str) -> Option<String> {
    Evidence::from_json(text.as_bytes()).err()
}

fn handled(text: &str) -> Option<String> {
    HandledFile::read(text).err()
}

fn journal(text: &str) -> Option<String> {
    match Journal::read(text.as_bytes()) {
        Err(Unreadable::Damaged(reason)) => Some(reason),
        Ok(_) | Err(Unreadable::Newer(_)) => None,
    }
}

fn previous(text: &str) -> Option<String> {
    PreviousDocument::read(text.as_bytes()).err()
}

fn evaluated(text: &str) -> Option<String> {
    evaluate_initial(text.as_bytes())
        .err()
        .map(|error| error.to_string())
}

/// The paths of all values below this one.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(member, &format!("{path}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                places(item, &format!("{path}/{place}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The same with one item in every list: the others are of the same kind.
fn thinned(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(thinned),
        Value::Array(items) => {
            items.truncate(1);
            items.iter_mut().for_each(thinned);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Every text that differs from the document at one place: another kind of value, or none.
fn damaged(whole: &Value) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut found = Vec::new();
    places(whole, "", &mut found);
    for path in found {
        for other in [
            json!(null),
            json!(true),
            json!(-7),
            json!(1.5),
            json!("odd"),
            json!([7]),
            json!({"odd": 7}),
        ] {
            let mut changed = whole.clone();
            if let Some(value) = changed.pointer_mut(&path) {
                *value = other;
            }
            all.push((path.clone(), changed.to_string()));
        }
        if let Some((above, name)) = path.rsplit_once('/') {
            let mut changed = whole.clone();
            if let Some(members) = changed.pointer_mut(above).and_then(Value::as_object_mut) {
                members.remove(name);
                all.push((path.clone(), changed.to_string()));
            }
        }
    }
    let text = whole.to_string();
    let cut = |end: usize| text.get(..end).map(str::to_owned);
    let cuts = (0..40).filter_map(|part| cut(text.len() * part / 40));
    all.extend(cuts.map(|text| ("".to_owned(), text)));
    all.push((String::new(), text + "]"));
    all
}

/// Words of the library or of the program's own source, none of which a reader of JSON knows.
fn foreign() -> Regex {
    let words = r"\b(struct|enum|variant|map|sequence|Wire\w*|Raw\w*|untagged|newtype|tuple|unit|visitor|deserialize\w*|serde|u8|u16|u32|u64|i64|f64|usize|Option|Vec|did not match|EOF)\b";
    Regex::new(words).expect("a pattern")
}

#[test]
fn what_is_wrong_with_a_document_is_said_by_its_place_and_in_plain_words() {
    let record = json!({
        "outcome": "fixed", "family": "f", "commit": "a".repeat(40), "evidence": "shown", "premise": null,
        "covers": null, "reply": null, "reviewId": 9, "recordedAt": "2026-09-16T10:00:00Z",
    });
    let handled_file = json!({
        "handledItemKeys": ["review-comment:1"], "actionableFindingRounds": [9], "ids": [8],
        "families": {"f": {"count": 1, "outcome": "fixed"}}, "itemDigests": {"review-comment:1": "0".repeat(64)},
        "dispositions": {"review-comment:1": record}, "planned": [], "checkpoints": [], "directions": [],
    });
    let authorization = json!({"kind": "fresh", "reference": "ticket 7"});
    let id = "0a1b2c3d-0000-4000-8000-000000000001";
    let journal_file = json!({
        "schema": "codex-loop.journal/1", "host": "github.com", "repository": "o/r", "pullRequest": 42,
        "authorizations": [], "damaged": [],
        "attempts": [{
            "id": id, "kind": "request", "head": "a".repeat(40), "startedAt": "2026-09-16T10:00:00Z",
            "authorization": authorization, "failedRun": null, "again": null, "body": "@codex review",
            "poster": {"login": "ada", "id": 7}, "before": {"triggers": [], "deletions": []}, "state": "creating",
        }],
        "replies": [{
            "id": id, "threadId": "PRRT_1", "text": "Done.", "startedAt": "2026-09-16T10:00:00Z",
            "authorization": authorization, "state": "creating",
        }],
    });
    let tick = json!({
        "schema": "codex-loop.convergence/1", "repository": "o/r", "pullRequest": 42, "action": "confirm",
        "headRefOid": "a".repeat(40),
    });
    let mut findings: Value =
        serde_json::from_str(include_str!("../../shell/demo/findings.json")).expect("a bundle");
    let plan = example("initial").expect("an example").canonical();
    let plan = serde_json::from_str(&plan).expect("JSON");
    thinned(&mut findings);
    let foreign = foreign();
    for (name, whole, refused, least) in [
        ("bundle", findings, bundle as Read, 500),
        ("handled file", handled_file, handled, 20),
        ("journal", journal_file, journal, 50),
        ("converge --previous", tick, previous, 10),
        ("evaluator", plan, evaluated, 200),
    ] {
        assert_eq!(refused(&whole.to_string()), None, "{name}");
        let mut count = 0;
        for (path, text) in damaged(&whole) {
            let Some(reason) = refused(&text) else {
                continue;
            };
            count += 1;
            assert!(!foreign.is_match(&reason), "{name}{path}: {reason}");
            assert!(
                reason.len() < 400 && !reason.contains('\n'),
                "{name}{path}: {reason}"
            );
            // The place is said, unless the document as a whole is none of its kind.
            let names: Vec<&str> = path
                .split('/')
                .filter(|part| part.parse::<usize>().is_err())
                .collect();
            let first = names.get(1).copied().unwrap_or_default();
            let whole_document = ["schema", ""].contains(&first)
                || reason.contains("is no `codex-loop.")
                || reason.contains(" at line 1 ");
            assert!(whole_document || reason.contains(first), "{name}{path}: {reason}");
        }
        assert!(count >= least, "{name}: only {count} were refused");
    }
}

#[test]
fn a_deep_place_is_named_to_its_end() {
    let read_bundle = |path: &str, value: Value| {
        let text = include_str!("../../shell/demo/findings.json");
        let mut whole: Value = serde_json::from_str(text).expect("a bundle");
        *whole.pointer_mut(path).expect("a place") = value;
        bundle(&whole.to_string()).expect("refused")
    };
    for (path, value, says) in [
        (
            "/surfaces/reviews/status",
            json!("whole"),
            "`surfaces.reviews.status` is `whole`, and should be one of the words `complete`",
        ),
        (
            "/surfaces/reviews",
            json!(7),
            "`surfaces.reviews` is the number 7, and should be an object",
        ),
        (
            "/surfaces/issueComments/items",
            json!("x"),
            "`surfaces.issueComments.items` is the text \"x\", and should be a list",
        ),
        (
            "/surfaces/issueComments/pages",
            json!(-1),
            "`surfaces.issueComments.pages` is the number -1, and should be a whole number",
        ),
        (
            "/surfaces/threads/items/0",
            json!(null),
            "`surfaces.threads.items[0]` is null, and should be an object",
        ),
        (
            "/pullRequest",
            json!([42]),
            "`pullRequest` is a list, and should be a whole number",
        ),
        ("/host", json!(true), "`host` is true, and should be a text"),
    ] {
        let reason = read_bundle(path, value);
        assert!(reason.contains(says), "{path}: {reason}");
    }
    let cut: Result<Value, String> = read(b"{\"a\":\n [1,");
    assert_eq!(cut, Err("it is no JSON: it ends too early, in line 2".to_owned()));
    let odd: Result<Value, String> = read(b"{\"a\":\n oops}");
    assert_eq!(
        odd,
        Err("it is no JSON: the error is in line 2, column 2".to_owned())
    );
}

#[test]
fn the_place_is_where_the_first_wrong_value_stands() {
    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "only refused")]
    struct Row {
        id: u64,
        word: Option<Vec<String>>,
    }
    type Rows = std::collections::BTreeMap<String, Vec<Row>>;
    for (text, expected) in [
        (r#"[]"#, "the document is a list"),
        (r#"{"a": {"b": 1}}"#, "`a` is an object"),
        (
            r#"{"a": [{"id": 1}], "b": [{"id": 1}, {"id": "x"}]}"#,
            "`b[1].id` is the text \"x\"",
        ),
        (
            "{\"ä\\\"\": [{\"id\": 1},\n {\"id\": 2,\n  \"word\": [\"]\", \"}\", 7]}]}",
            "`ä\"[1].word[2]` is the number 7",
        ),
        (r#"{"a": [{"word": []}]}"#, "`a[0]` lacks"),
        (r#"{"a": [{"id": 1}, [2], 3]}"#, "`a[1]` "),
        (r#"{"a": [{"id": 1}, 3]}"#, "`a[1]` is the number 3"),
        (
            r#"{"a": [{"id": 1, "word": ["x", null]}]}"#,
            "`a[0].word[1]` is null",
        ),
    ] {
        let refused = read::<Rows>(text.as_bytes()).expect_err(text);
        assert!(refused.starts_with(expected), "{text}: {refused}");
    }
}
