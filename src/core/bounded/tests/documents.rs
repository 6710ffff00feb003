//! Examples, schemas and the policy as they are published.

use super::{evaluate, kind};
use crate::bounded::vocabulary::Shape;
use crate::bounded::{
    EXAMPLES, PAUSE_ONLY_QUARANTINE, SCHEMAS, accept_policy, example, policy, schema, shape,
};

fn plain(json: &crate::bounded::Json) -> serde_json::Value {
    serde_json::from_str(&json.canonical()).expect("JSON")
}

#[test]
fn every_example_is_valid_by_its_schema_and_for_the_evaluator() {
    for (name, _) in EXAMPLES {
        let document = example(name).unwrap_or_else(|| panic!("{name} cannot be built"));
        let schema = plain(&schema(kind(name)).expect("a schema"));
        let validator = jsonschema::validator_for(&schema).expect("a valid schema");
        let errors: Vec<String> = validator
            .iter_errors(&plain(&document))
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let decision = evaluate(kind(name), document.canonical().as_bytes()).expect(name);
        let decided = format!("{}-decision", kind(name));
        if let Some(schema) = crate::bounded::schema(&decided) {
            let validator = jsonschema::validator_for(&plain(&schema)).expect("a valid schema");
            assert!(
                validator.is_valid(&plain(&decision)),
                "{name}: the decision breaks its schema"
            );
        }
    }
    assert_eq!(example("no-such-example"), None);
}

#[test]
fn every_field_says_where_it_comes_from_and_every_object_is_closed() {
    fn check(shape: &Shape, fields: &mut usize) {
        match shape {
            Shape::Boolean | Shape::Integer { .. } | Shape::Text { .. } | Shape::Words(_) => {}
            Shape::Nullable(inner) | Shape::List(inner) => check(inner, fields),
            Shape::Record(record) => {
                assert!(!record.about.is_empty(), "{}", record.name);
                for field in &record.fields {
                    *fields += 1;
                    assert!(
                        field.source.len() > 5,
                        "{}.{} has no sentence",
                        record.name,
                        field.name
                    );
                    let snake = field
                        .name
                        .chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
                    assert!(snake, "{}.{} is not snake_case", record.name, field.name);
                    check(&field.shape, fields);
                }
            }
        }
    }
    let mut fields = 0;
    for (name, _) in SCHEMAS {
        check(&shape(name).expect("a shape"), &mut fields);
        let published = plain(&schema(name).expect("a schema"));
        assert_eq!(
            published["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        for (record, definition) in published["$defs"].as_object().expect("definitions") {
            assert_eq!(definition["additionalProperties"], false, "{name}: {record}");
            let properties = definition["properties"].as_object().expect("properties");
            assert_eq!(
                definition["required"].as_array().expect("required").len(),
                properties.len(),
                "{record}"
            );
        }
    }
    assert!(fields > 300, "only {fields} fields");
    assert_eq!(schema("no-such-schema"), None);
}

#[test]
fn the_policy_is_the_pinned_one_and_nothing_else_is_accepted() {
    let pinned = plain(&policy());
    assert_eq!(pinned["schema_version"], 1);
    assert_eq!(pinned["trusted_bot"]["database_id"], 199_175_422);
    assert_eq!(pinned["trusted_bot"]["type"], "Bot");
    assert_eq!(pinned["heartbeat_rrule"], "FREQ=MINUTELY;INTERVAL=2");
    assert_eq!(pinned["request_expiry_minutes"], 60);
    assert_eq!(pinned["max_fix_rounds"], 5);
    assert_eq!(
        pinned["modes"],
        serde_json::json!(["autonomous", "approval-gated", "report-only"])
    );
    assert_eq!(pinned["default_mode"], "autonomous");
    assert_eq!(
        pinned["terminal_sentence"],
        "No remaining actionable Codex findings for SHA `<full-sha>`."
    );
    assert_eq!(
        accept_policy(serde_json::to_string_pretty(&pinned).expect("JSON").as_bytes()),
        Ok(())
    );
    for (field, value) in [
        ("modes", serde_json::json!(["autonomous", "approval-gated"])),
        (
            "modes",
            serde_json::json!(["approval-gated", "autonomous", "report-only"]),
        ),
        ("default_mode", serde_json::json!("report-only")),
        (
            "trusted_bot",
            serde_json::json!({"database_id": 199_175_422, "type": "Bot", "reaction_types": ["Bot"]}),
        ),
        ("max_fix_rounds", serde_json::json!(6)),
        ("extension", serde_json::json!(null)),
    ] {
        let mut other = pinned.clone();
        other[field] = value;
        assert!(accept_policy(other.to_string().as_bytes()).is_err(), "{field}");
    }
}

#[test]
fn the_pinned_bot_is_the_connector() {
    assert_eq!(
        crate::bot::identity::CONNECTOR_ID,
        crate::bounded::terms::TrustedBotId::MINIMUM.get()
    );
}

#[test]
fn the_quarantine_names_its_conditions_and_fits_one_message() {
    for condition in [
        "pause-only-quarantine",
        "exactly one non-deleted automation",
        "canonical key and ID exactly equal the recorded owned key and ID",
        "status is ACTIVE",
        "otherwise change nothing",
        "Never update a prompt, activate or delete an automation, or touch Git or GitHub",
        "In report-only, do not inspect the Automation registry",
    ] {
        assert!(PAUSE_ONLY_QUARANTINE.contains(condition), "{condition}");
    }
    assert!(PAUSE_ONLY_QUARANTINE.chars().count() <= 600);
}
