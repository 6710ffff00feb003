//! Answers that no schema allows: told with a reason, never dropped.

use serde_json::Value;

use super::{classify, indeterminate};
use crate::github::{CommentId, World, at, clean_text, connector};

type Damage = fn(&mut Value);

const DAMAGES: [(&str, Damage, &str); 4] = [
    (
        "no created_at",
        |json| {
            json.as_object_mut().expect("an object").remove("created_at");
        },
        "malformed-evidence",
    ),
    (
        "a null user",
        |json| json["user"] = Value::Null,
        "identity-mismatch",
    ),
    (
        "a string id",
        |json| json["id"] = "twelve".into(),
        "malformed-evidence",
    ),
    (
        "no id",
        |json| {
            json.as_object_mut().expect("an object").remove("id");
        },
        "malformed-evidence",
    ),
];

fn world() -> (World, CommentId, CommentId) {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let trigger = pull.person_comment("@codex review", at("10:00"));
    let answer = pull.connector_comment(&clean_text(&head), at("10:04"));
    pull.react(trigger, connector(), "+1", at("10:05"));
    (world, trigger, answer)
}

#[test]
fn a_damaged_trigger_or_answer_is_told_and_never_dropped() {
    for (name, damage, reason) in DAMAGES {
        for damage_trigger in [true, false] {
            let (mut world, trigger, answer) = world();
            let target = if damage_trigger { trigger } else { answer };
            world.pull(42).comment_mut(target).overrides.rest(damage);
            let run = classify(world);
            indeterminate(&run, reason);
            assert!(!run.stdout.is_empty(), "{name}");
        }
    }
}

#[test]
fn two_triggers_with_one_id_cannot_be_ordered() {
    let (mut world, trigger, _) = world();
    let mut pull = world.pull(42);
    let second = pull.person_comment("@codex review", at("10:01"));
    let id = serde_json::to_value(trigger.to_string().parse::<u64>().expect("a number")).expect("a number");
    pull.comment_mut(second)
        .overrides
        .rest(move |json| json["id"] = id.clone());
    indeterminate(&classify(world), "malformed-evidence");
}
