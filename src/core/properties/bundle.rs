//! A bundle as JSON, taken apart: fields, items, pages and surfaces that can be left out, and lists that can be
//! shuffled.

use serde_json::Value;

use crate::evidence::Evidence;
use crate::evidence::surface::{SurfaceError, SurfaceErrorKind};

pub(super) fn to_value(evidence: &Evidence) -> Value {
    serde_json::to_value(evidence).expect("evidence is JSON")
}

pub(super) fn from_value(value: Value) -> Option<Evidence> {
    serde_json::from_value(value).ok()
}

/// JSON pointers to every field of every item of every surface.
pub(super) fn fields(value: &Value) -> Vec<String> {
    fn walk(value: &Value, pointer: &str, inside: bool, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let pointer = format!("{pointer}/{key}");
                    if inside && !value.is_null() {
                        found.push(pointer.clone());
                    }
                    walk(value, &pointer, inside || key == "items", found);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{pointer}/{index}"), inside, found);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    if let Some(surfaces) = value.get("surfaces") {
        walk(surfaces, "/surfaces", false, &mut found);
    }
    found
}

/// The bundle without the field.
pub(super) fn without(value: &Value, pointer: &str) -> Value {
    let mut value = value.clone();
    if let Some((parent, key)) = pointer.rsplit_once('/')
        && let Some(map) = value.pointer_mut(parent).and_then(Value::as_object_mut)
    {
        map.remove(key);
    }
    value
}

/// Pointers to every surface, those of single comments too.
pub(super) fn surfaces(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let Some(all) = value.get("surfaces").and_then(Value::as_object) else {
        return found;
    };
    for (name, surface) in all {
        if name == "commentReactions" {
            let ids = surface.as_object().into_iter().flat_map(|map| map.keys());
            found.extend(ids.map(|id| format!("/surfaces/{name}/{id}")));
        } else if surface.get("status").is_some() {
            found.push(format!("/surfaces/{name}"));
        }
    }
    found
}

/// Marks a surface as broken off.
pub(super) fn incomplete(surface: &mut Value) {
    let error = SurfaceError {
        kind: SurfaceErrorKind::Incomplete,
        message: "it broke off".into(),
    };
    if let Some(map) = surface.as_object_mut() {
        map.insert("status".into(), "incomplete".into());
        map.insert(
            "error".into(),
            serde_json::to_value(error).expect("an error is JSON"),
        );
    }
}

/// The bundle with null in the field's place, as GitHub writes what it does not give.
pub(super) fn nulled(value: &Value, pointer: &str) -> Value {
    let mut value = value.clone();
    if let Some(field) = value.pointer_mut(pointer) {
        *field = Value::Null;
    }
    value
}

/// The bundle with every list of items shuffled that is no order of its own.
pub(super) fn shuffled(value: &Value, seed: u64) -> Value {
    let mut value = value.clone();
    for pointer in surfaces(&value) {
        // The newest commit comes last: their order is the branch's.
        if pointer == "/surfaces/commits" {
            continue;
        }
        if let Some(items) = value
            .pointer_mut(&format!("{pointer}/items"))
            .and_then(Value::as_array_mut)
        {
            shuffle(items, seed);
        }
    }
    value
}

fn shuffle(items: &mut [Value], seed: u64) {
    let mut state = seed | 1;
    for index in (1..items.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(state >> 33).unwrap_or(0) % (index + 1);
        items.swap(index, other);
    }
}
