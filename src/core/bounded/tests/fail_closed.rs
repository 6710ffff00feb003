//! Each field of each document, when missing, of another type, out of range, unknown, duplicated, spelled or cased
//! differently, is refused. Generated from the table of fields; nothing is listed by hand.

use super::{evaluate, kind};
use crate::bounded::canonical::Json;
use crate::bounded::state::RecurringState;
use crate::bounded::terms::{ClaimPurpose, Mode};
use crate::bounded::vocabulary::{MAX_ITEMS, Shape, Term};
use crate::bounded::{EXAMPLES, example, shape};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(&'static str),
    Item(usize),
}

fn path_name(path: &[Step]) -> String {
    path.iter()
        .map(|step| match step {
            Step::Field(name) => format!(".{name}"),
            Step::Item(_) => "[]".to_owned(),
        })
        .collect()
}

fn at<'a>(json: &'a mut Json, path: &[Step]) -> &'a mut Json {
    path.iter().fold(json, |json, step| match (json, step) {
        (Json::Object(members), Step::Field(name)) => members.get_mut(*name).expect("a field"),
        (Json::List(items), Step::Item(index)) => items.get_mut(*index).expect("an item"),
        (other, step) => panic!("{step:?} in {other:?}"),
    })
}

/// Every place of a document that its shape describes, the document itself included.
fn places(shape: &Shape, json: &Json, path: &mut Vec<Step>, found: &mut Vec<(Vec<Step>, Shape)>) {
    found.push((path.clone(), shape.clone()));
    match (shape, json) {
        (Shape::Nullable(_), Json::Null) => {}
        (Shape::Nullable(inner), json) => {
            found.pop();
            let from = found.len();
            places(inner, json, path, found);
            // The place itself may be null; what is inside it may not.
            found[from].1 = shape.clone();
        }
        (Shape::List(inner), Json::List(items)) => {
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Item(index));
                places(inner, item, path, found);
                path.pop();
            }
        }
        (Shape::Record(record), Json::Object(members)) => {
            for field in &record.fields {
                path.push(Step::Field(field.name));
                places(
                    &field.shape,
                    members.get(field.name).expect("a field"),
                    path,
                    found,
                );
                path.pop();
            }
        }
        (Shape::Boolean | Shape::Integer { .. } | Shape::Text { .. } | Shape::Words(_), _) => {}
        (shape, json) => panic!("{json:?} is no {shape:?}"),
    }
}

/// Values that a place must refuse.
fn refused_values(shape: &Shape, value: &Json) -> Vec<Json> {
    let text = Json::text;
    let other_types = |allowed: &[&str]| -> Vec<Json> {
        [
            ("null", Json::Null),
            ("boolean", Json::Boolean(true)),
            ("integer", Json::Integer(7)),
            ("text", text("text")),
            ("list", Json::List(vec![Json::text("text")])),
            ("object", Json::object([("text", Json::text("text"))])),
        ]
        .into_iter()
        .filter(|(name, _)| !allowed.contains(name))
        .map(|(_, value)| value)
        .collect()
    };
    match shape {
        Shape::Nullable(inner) => refused_values(inner, value)
            .into_iter()
            .filter(|value| *value != Json::Null)
            .collect(),
        Shape::Boolean => other_types(&["boolean"]),
        Shape::Integer { minimum, maximum } => {
            let mut values = other_types(&["integer"]);
            values.extend([
                Json::Integer(minimum - 1),
                Json::Integer(maximum + 1),
                Json::text(minimum.to_string()),
            ]);
            values
        }
        Shape::Words(words) => {
            let mut values = other_types(&["text"]);
            for word in words {
                let flipped: String = word
                    .chars()
                    .map(|c| {
                        if c.is_ascii_lowercase() {
                            c.to_ascii_uppercase()
                        } else {
                            c.to_ascii_lowercase()
                        }
                    })
                    .collect();
                for other in [
                    flipped,
                    format!("{word} "),
                    format!(" {word}"),
                    format!("{word}s"),
                    String::new(),
                ] {
                    if !words.contains(&other.as_str()) {
                        values.push(Json::Text(other));
                    }
                }
            }
            values
        }
        Shape::Text {
            shortest, longest, ..
        } => {
            let mut values = other_types(&["text"]);
            let sample = match value {
                Json::Text(text) => text.clone(),
                Json::Null => "a".to_owned(),
                Json::Boolean(_) | Json::Integer(_) | Json::List(_) | Json::Object(_) => {
                    panic!("{value:?} is no text")
                }
            };
            // No text of any kind holds NUL.
            values.push(Json::Text(format!("{sample}\0")));
            if *shortest > 0 {
                values.push(text(""));
            }
            values.push(Json::Text("a".repeat(longest + 1)));
            values
        }
        Shape::List(_) => {
            let mut values = other_types(&["list"]);
            if let Json::List(items) = value
                && let Some(first) = items.first()
            {
                values.push(Json::List(vec![first.clone(); MAX_ITEMS + 1]));
            }
            values
        }
        Shape::Record(_) => other_types(&["object"]),
    }
}

/// Other spellings of a field's name.
fn spellings(name: &str) -> Vec<String> {
    let mut camel = String::new();
    for (place, part) in name.split('_').enumerate() {
        let mut chars = part.chars();
        match (place, chars.next()) {
            (0, Some(first)) => camel.push(first),
            (_, Some(first)) => camel.push(first.to_ascii_uppercase()),
            (_, None) => {}
        }
        camel.push_str(chars.as_str());
    }
    let mut title = name.to_owned();
    title[..1].make_ascii_uppercase();
    [
        name.to_uppercase(),
        title,
        camel,
        name.replace('_', "-"),
        format!("{name} "),
        format!("{name}s"),
    ]
    .into_iter()
    .filter(|other| other != name)
    .collect()
}

/// The document as text in which the object at `path` has its field `name` twice.
fn with_duplicate(json: &Json, path: &[Step], name: &str) -> String {
    fn write(json: &Json, path: Option<&[Step]>, name: &str, out: &mut String) {
        let inside = |step: &Step| {
            path.and_then(|path| path.split_first())
                .filter(|(first, _)| *first == step)
                .map(|(_, rest)| rest)
        };
        match json {
            Json::Object(members) => {
                out.push('{');
                let mut first = true;
                for (key, value) in members {
                    let times = if path.is_some_and(<[Step]>::is_empty) && key == name {
                        2
                    } else {
                        1
                    };
                    for _ in 0..times {
                        if !first {
                            out.push(',');
                        }
                        first = false;
                        out.push_str(&Json::text(key.clone()).canonical());
                        out.push(':');
                        let rest = path.and_then(|path| match path.split_first() {
                            Some((Step::Field(field), rest)) if field == key => Some(rest),
                            _ => None,
                        });
                        write(value, rest, name, out);
                    }
                }
                out.push('}');
            }
            Json::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write(item, inside(&Step::Item(index)), name, out);
                }
                out.push(']');
            }
            Json::Null | Json::Boolean(_) | Json::Integer(_) | Json::Text(_) => {
                out.push_str(&json.canonical())
            }
        }
    }
    let mut out = String::new();
    write(json, Some(path), name, &mut out);
    out
}

/// The checkpoint in a state.
fn half_of(state: &Json) -> Json {
    Json::object(
        ["schema_version", "persisted", "local"].map(|name| (name, state.get(name).expect(name).clone())),
    )
}

/// The published examples, and two states that fill what those leave null.
fn documents() -> Vec<(String, Json)> {
    use crate::bounded::example as build;
    let mut documents: Vec<(String, Json)> = EXAMPLES
        .iter()
        .map(|(name, _)| (kind(name).to_owned(), example(name).expect(name)))
        .collect();
    let mut gated = build::post_finalization(Mode::ApprovalGated).expect("a state");
    let comment = gated.persisted.request.as_ref().map(|request| request.comment_id);
    gated.hosted.responses[0].trigger_request_id = comment;
    build::plan_finalization(&mut gated);
    let mut linked: RecurringState = build::findings(Mode::ApprovalGated).expect("a state");
    linked.hosted.responses[0].trigger_request_id = comment;
    build::plan_remediation(&mut linked).expect("a plan");
    let manifest = linked.persisted.remediation_manifest.as_mut().expect("a plan");
    manifest.paths = vec![build::linked_record().expect("a record")];
    linked.persisted.remediation_plan_hash = linked
        .persisted
        .remediation_manifest
        .as_ref()
        .map(crate::bounded::terms::Hash::of);
    linked.persisted.completed_request_keys = vec![
        gated
            .persisted
            .claim
            .as_ref()
            .expect("a claim")
            .request_key
            .clone(),
    ];
    build::approve(&mut linked, ClaimPurpose::Remediation);
    let mut stopped = build::state(Mode::Autonomous).expect("a state");
    stopped.local.stops = crate::bounded::state::ObservedStop::ALL.to_vec();
    for state in [&gated, &linked, &stopped] {
        documents.push(("recurring".to_owned(), state.write()));
    }
    let checkpoints: Vec<Json> = documents
        .iter()
        .filter(|(kind, _)| kind == "recurring")
        .map(|(_, state)| half_of(state))
        .collect();
    documents.extend(
        checkpoints
            .into_iter()
            .map(|checkpoint| ("checkpoint".to_owned(), checkpoint)),
    );
    let mut prompt = build::prompt().expect("a prompt");
    prompt.initial = build::initial_reused().expect("a plan");
    // Not valid as a whole: the plan is another one. Its fields are refused all the same.
    documents.push(("prompt-of-another-plan".to_owned(), prompt.write()));
    documents
}

#[test]
fn every_violation_of_every_field_is_refused() {
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut refused = 0;
    for (name, document) in documents() {
        let kind = kind(&name).to_owned();
        let bytes = document.canonical();
        if name == kind {
            evaluate(&kind, bytes.as_bytes()).unwrap_or_else(|error| panic!("{kind}: {error}"));
        }
        let mut found = Vec::new();
        places(
            &shape(&kind).expect("a shape"),
            &document,
            &mut Vec::new(),
            &mut found,
        );
        let mut must_refuse = |text: &str, what: &str, path: &[Step]| {
            refused += 1;
            let outcome = evaluate(&kind, text.as_bytes());
            let error = outcome
                .err()
                .unwrap_or_else(|| panic!("{kind}{}: {what} was accepted", path_name(path)));
            let sentence = error.to_string();
            assert!(!sentence.chars().any(char::is_control), "{sentence:?}");
        };
        for (path, shape) in found {
            let value = at(&mut document.clone(), &path).clone();
            let key = format!(
                "{}{}",
                path_name(&path),
                if value == Json::Null { "=null" } else { "" }
            );
            if !seen.entry(kind.clone()).or_default().insert(key) {
                continue;
            }
            for other in refused_values(&shape, &value) {
                let mut mutant = document.clone();
                *at(&mut mutant, &path) = other.clone();
                must_refuse(
                    &mutant.canonical(),
                    &format!("the value {:.40}", other.canonical()),
                    &path,
                );
            }
            let inner = if let Shape::Nullable(inner) = &shape {
                inner.as_ref()
            } else {
                &shape
            };
            let (Shape::Record(record), Json::Object(members)) = (inner, &value) else {
                continue;
            };
            let change = |edit: &dyn Fn(&mut BTreeMap<String, Json>)| {
                let mut mutant = document.clone();
                let Json::Object(members) = at(&mut mutant, &path) else {
                    panic!("no object")
                };
                edit(members);
                mutant.canonical()
            };
            must_refuse(
                &change(&|members| drop(members.insert("unknown_field".to_owned(), Json::Null))),
                "an unknown field",
                &path,
            );
            for field in &record.fields {
                let name = field.name;
                let value = members.get(name).expect("a field").clone();
                must_refuse(
                    &change(&|members| drop(members.remove(name))),
                    &format!("no {name}"),
                    &path,
                );
                must_refuse(
                    &with_duplicate(&document, &path, name),
                    &format!("two {name}"),
                    &path,
                );
                for other in spellings(name) {
                    must_refuse(
                        &change(&|members| {
                            members.remove(name);
                            members.insert(other.clone(), value.clone());
                        }),
                        &format!("{other} for {name}"),
                        &path,
                    );
                    must_refuse(
                        &change(&|members| drop(members.insert(other.clone(), value.clone()))),
                        &format!("{other} beside {name}"),
                        &path,
                    );
                }
            }
        }
    }
    assert!(refused > 10_000, "only {refused} violations were generated");
    covers_every_field(&seen);
}

/// Every field of every document was there with a value, null where only null can be.
fn covers_every_field(seen: &BTreeMap<String, BTreeSet<String>>) {
    fn expect(shape: &Shape, path: String, found: &BTreeSet<String>, missing: &mut Vec<String>) {
        match shape {
            Shape::Boolean | Shape::Integer { .. } | Shape::Text { .. } | Shape::Words(_) => {
                if !found.contains(&path) {
                    missing.push(path);
                }
            }
            Shape::Nullable(inner) => {
                if found.contains(&path) || !found.contains(&format!("{path}=null")) {
                    expect(inner, path, found, missing);
                } else {
                    missing.push(path);
                }
            }
            Shape::List(inner) => expect(inner, format!("{path}[]"), found, missing),
            Shape::Record(record) => {
                for field in &record.fields {
                    expect(&field.shape, format!("{path}.{}", field.name), found, missing);
                }
            }
        }
    }
    for kind in ["policy", "initial", "prompt", "recurring", "checkpoint"] {
        let mut missing = Vec::new();
        expect(
            &shape(kind).expect("a shape"),
            String::new(),
            &seen[kind],
            &mut missing,
        );
        // A bootstrap has no response, plan, claim or completed key yet; the same records are covered in `recurring`.
        missing.retain(|path| !(kind == "prompt" && path.starts_with(".bootstrap_snapshot.state.")));
        assert!(missing.is_empty(), "{kind} never had {missing:?}");
    }
}
