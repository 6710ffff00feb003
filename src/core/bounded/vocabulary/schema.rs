//! The published JSON Schema of a shape.

use super::{MAX_ITEMS, Shape};
use crate::bounded::canonical::Json;
use std::collections::BTreeMap;

/// The JSON Schema (draft 2020-12) of a document, with one definition per record.
pub(crate) fn json_schema(name: &str, shape: &Shape) -> Json {
    let mut definitions = BTreeMap::new();
    let root = schema_of(shape, &mut definitions);
    Json::object([
        (
            "$schema",
            Json::text("https://json-schema.org/draft/2020-12/schema"),
        ),
        (
            "title",
            Json::text(format!("gh codex-loop evaluate {name}, version 1")),
        ),
        ("allOf", Json::List(vec![root])),
        ("$defs", Json::Object(definitions)),
    ])
}

fn schema_of(shape: &Shape, definitions: &mut BTreeMap<String, Json>) -> Json {
    match shape {
        Shape::Boolean => Json::object([("type", Json::text("boolean"))]),
        Shape::Integer { minimum, maximum } => Json::object([
            ("type", Json::text("integer")),
            ("minimum", Json::Integer(*minimum)),
            ("maximum", Json::Integer(*maximum)),
        ]),
        Shape::Text {
            pattern,
            shortest,
            longest,
            about,
        } => Json::object([
            ("type", Json::text("string")),
            ("pattern", Json::text(*pattern)),
            ("minLength", count(*shortest)),
            ("maxLength", count(*longest)),
            ("$comment", Json::text(*about)),
        ]),
        Shape::Words(words) => Json::object([
            ("type", Json::text("string")),
            (
                "enum",
                Json::List(words.iter().map(|word| Json::text(*word)).collect()),
            ),
        ]),
        Shape::Nullable(inner) => Json::object([(
            "anyOf",
            Json::List(vec![
                schema_of(inner, definitions),
                Json::object([("type", Json::text("null"))]),
            ]),
        )]),
        Shape::List(inner) => Json::object([
            ("type", Json::text("array")),
            ("maxItems", count(MAX_ITEMS)),
            ("items", schema_of(inner, definitions)),
        ]),
        Shape::Record(record) => {
            let reference = Json::object([("$ref", Json::text(format!("#/$defs/{}", record.name)))]);
            if !definitions.contains_key(record.name) {
                let mut properties = BTreeMap::new();
                for field in &record.fields {
                    let mut schema = schema_of(&field.shape, definitions);
                    if let Json::Object(members) = &mut schema {
                        members.insert("description".to_owned(), Json::text(field.source));
                    }
                    properties.insert(field.name.to_owned(), schema);
                }
                let required = record.fields.iter().map(|field| Json::text(field.name)).collect();
                let definition = Json::object([
                    ("type", Json::text("object")),
                    ("description", Json::text(record.about)),
                    ("properties", Json::Object(properties)),
                    ("required", Json::List(required)),
                    ("additionalProperties", Json::Boolean(false)),
                ]);
                definitions.insert(record.name.to_owned(), definition);
            }
            reference
        }
    }
}

fn count(number: usize) -> Json {
    Json::Integer(i128::try_from(number).unwrap_or(i128::MAX))
}
