//! The handled file: both shapes, what is kept, what is counted.

use serde_json::{Value, json};

use super::HandledFile;
use crate::evidence::handled::{Checkpoint, Direction, Disposition, Outcome, Planned};

fn disposition(outcome: Outcome, family: Option<&str>, review: u64) -> Disposition {
    Disposition {
        outcome,
        family: family.map(str::to_owned),
        commit: None,
        evidence: "shown".to_owned(),
        premise: None,
        covers: None,
        reply: None,
        review_id: Some(review),
        recorded_at: "2026-09-16T10:00:00Z".parse().expect("a time"),
    }
}

fn planned(key: &str, outcome: Outcome, review: u64) -> Planned {
    Planned {
        key: key.to_owned(),
        outcome,
        family: None,
        review_id: Some(review),
        body_sha256: None,
        recorded_at: "2026-09-16T10:00:00Z".parse().expect("a time"),
    }
}

fn json(file: &HandledFile) -> Value {
    serde_json::from_str(&file.text()).expect("JSON")
}

fn keys(text: &str) -> Vec<String> {
    let file = HandledFile::read(text).expect("a handled file");
    file.local().expect("read").items.into_keys().collect()
}

#[test]
fn both_shapes_and_ids_are_read() {
    assert_eq!(
        keys("[123, \"review-body:5\", null, {\"x\": 1}]"),
        ["review-body:5", "review-comment:123"]
    );
    assert_eq!(
        keys("{\"handledItemKeys\": [\"review-comment:7\"], \"ids\": [8, \"9\"]}"),
        ["review-comment:7", "review-comment:8", "review-comment:9"]
    );
    assert_eq!(keys("{}"), Vec::<String>::new());
    assert_eq!(keys("[]"), Vec::<String>::new());
}

#[test]
fn what_is_no_handled_file_is_refused() {
    for text in [
        "",
        "{",
        "7",
        "\"x\"",
        "{\"handledItemKeys\": 1}",
        "{\"families\": []}",
        "{\"families\": {\"a\": {\"count\": \"two\"}}}",
        "{\"itemDigests\": []}",
        "{\"planned\": {}}",
    ] {
        assert!(HandledFile::read(text).is_err(), "{text}");
    }
}

#[test]
fn unknown_entries_stay_as_they_were_written() {
    let text = "{\n  \"zeta\": [1.50, 1e3,\n 12345678901234567890123],\n  \"handledItemKeys\": [\"review-body:1\", {\"odd\": 1.0}],\n  \"families\": {\"race\": {\"count\": 1, \"note\": \"a  b\", \"outcome\": \"fixed\"}, \"other\": {\"count\":  4}},\n  \"planned\": [{\"mine\": true}],\n  \"alpha\": null\n}\n";
    let mut file = HandledFile::read(text).expect("a handled file");
    assert_eq!(file.text(), text, "nothing changed, nothing is rewritten");
    file.plan(&planned("review-comment:2", Outcome::Fixed, 9))
        .expect("planned");
    file.add(
        "review-comment:2",
        "d",
        &disposition(Outcome::Fixed, Some("race"), 9),
    )
    .expect("added");
    let after = file.text();
    for kept in [
        "\"zeta\": [1.50, 1e3,\n 12345678901234567890123]",
        "{\"odd\": 1.0}",
        "\"note\":\"a  b\"",
        "\"other\":{\"count\":  4}",
        "{\"mine\": true}",
        "\"alpha\": null",
    ] {
        assert!(after.contains(kept), "{kept} is gone:\n{after}");
    }
    let order: Vec<usize> = ["zeta", "handledItemKeys", "families", "alpha"]
        .iter()
        .map(|name| after.find(&format!("\"{name}\"")).expect("a member"))
        .collect();
    assert!(order.is_sorted(), "{after}");
    assert_eq!(json(&file)["families"]["race"]["count"], 2);
    assert_eq!(json(&file)["actionableFindingRounds"], json!([9]));
    assert_eq!(json(&file)["planned"], json!([{ "mine": true }]));
}

#[test]
fn an_older_array_becomes_an_object_with_the_same_keys() {
    let mut file = HandledFile::read("[123, \"review-body:5\", {\"x\": 1}]").expect("an array");
    file.add("issue-comment:6", "d", &disposition(Outcome::Rebutted, None, 9))
        .expect("added");
    let after = json(&file);
    assert_eq!(
        after["handledItemKeys"],
        json!(["review-comment:123", "review-body:5", { "x": 1 }, "issue-comment:6"])
    );
    assert_eq!(after["itemDigests"], json!({ "issue-comment:6": "d" }));
    assert_eq!(
        after.get("actionableFindingRounds"),
        None,
        "a rebuttal is no actionable round"
    );
}

#[test]
fn a_family_counts_an_item_once_for_each_text() {
    let mut file = HandledFile::default();
    let fixed = disposition(Outcome::Fixed, Some("race"), 1);
    let count = |file: &HandledFile| json(file)["families"]["race"].clone();
    file.add("review-comment:1", "first", &fixed).expect("added");
    file.add("review-comment:1", "first", &fixed)
        .expect("added again");
    assert_eq!(count(&file), json!({ "count": 1, "outcome": "fixed" }));
    file.add("review-comment:1", "second", &fixed)
        .expect("another text");
    file.add("review-comment:2", "x", &fixed).expect("another item");
    assert_eq!(count(&file)["count"], 3);
    file.add(
        "review-comment:3",
        "y",
        &disposition(Outcome::Rebutted, Some("race"), 1),
    )
    .expect("rebutted");
    assert_eq!(count(&file), json!({ "count": 3, "outcome": "rebutted" }));
}

#[test]
fn rounds_are_derived_from_dispositions() {
    let mut file = HandledFile::read("{\"actionableFindingRounds\": [5]}").expect("an object");
    let rounds = |file: &HandledFile| json(file)["actionableFindingRounds"].clone();
    file.add("a:1", "d", &disposition(Outcome::Rebutted, None, 1))
        .expect("rebutted");
    file.plan(&planned("a:2", Outcome::Fixed, 2)).expect("planned");
    assert_eq!(rounds(&file), json!([5]), "neither a rebuttal nor a plan");
    file.plan(&planned("a:3", Outcome::UserDecision, 3))
        .expect("planned");
    assert_eq!(rounds(&file), json!([5, 3]));
    file.add("a:3", "d", &disposition(Outcome::Rebutted, None, 3))
        .expect("decided");
    assert_eq!(rounds(&file), json!([5]), "the user's decision became a rebuttal");
    file.add("a:2", "d", &disposition(Outcome::Fixed, Some("f"), 2))
        .expect("fixed");
    file.add("a:5", "d", &disposition(Outcome::Rebutted, None, 5))
        .expect("rebutted");
    assert_eq!(rounds(&file), json!([5, 2]), "an entry of the file stays");
}

#[test]
fn a_plan_is_no_handled_key_and_is_replaced() {
    let mut file = HandledFile::default();
    file.plan(&planned("a:1", Outcome::Fixed, 1)).expect("planned");
    file.plan(&planned("a:1", Outcome::Rebutted, 1))
        .expect("planned again");
    let local = file.local().expect("read");
    assert!(local.items.is_empty());
    assert_eq!(local.record.planned.len(), 1);
    assert_eq!(local.record.planned[0].outcome, Outcome::Rebutted);
    file.add("a:1", "d", &disposition(Outcome::Rebutted, None, 1))
        .expect("added");
    assert_eq!(json(&file)["planned"], json!([]));
}

#[test]
fn a_family_counts_an_item_again_that_was_rebutted_or_of_another_family_before() {
    for (before, family, count) in [
        (Outcome::Fixed, "race", 1),
        (Outcome::Rebutted, "race", 1),
        (Outcome::Fixed, "leak", 1),
    ] {
        let mut file = HandledFile::default();
        file.add("a:1", "text", &disposition(before, Some(family), 1))
            .expect("added");
        file.add("a:1", "text", &disposition(Outcome::Fixed, Some("race"), 1))
            .expect("added again");
        assert_eq!(
            json(&file)["families"]["race"]["count"],
            count,
            "{before:?} {family}"
        );
    }
}

#[test]
fn a_decision_of_the_user_leaves_the_other_ones_rounds_as_they_are() {
    let mut file = HandledFile::default();
    for (key, outcome, review) in [
        ("a:1", Outcome::UserDecision, 1),
        ("a:2", Outcome::UserDecision, 2),
        ("a:3", Outcome::Fixed, 3),
    ] {
        file.plan(&planned(key, outcome, review)).expect("planned");
    }
    file.add("a:2", "d", &disposition(Outcome::Rebutted, None, 2))
        .expect("decided");
    assert_eq!(json(&file)["actionableFindingRounds"], json!([1]));
    // What was only planned to be fixed was no decision: an entry of the file for its round stays.
    let mut file = HandledFile::read("{\"actionableFindingRounds\": [3]}").expect("an object");
    file.plan(&planned("a:3", Outcome::Fixed, 3)).expect("planned");
    file.add("a:3", "d", &disposition(Outcome::Rebutted, None, 3))
        .expect("added");
    assert_eq!(json(&file)["actionableFindingRounds"], json!([3]));
}

#[test]
fn checkpoints_and_directions_are_added_after_those_that_stand_there() {
    let mut file = HandledFile::read("{\"checkpoints\": [1], \"directions\": [2]}").expect("an object");
    let checkpoint: Checkpoint = serde_json::from_value(json!({
        "url": "https://github.com/o/r/pull/1#issuecomment-1", "recurrence": "none", "causedByPriorRepair": false,
        "aligned": true, "scopeGrowth": false, "decreasing": true, "actionableRounds": 3,
        "recordedAt": "2026-09-16T10:00:00Z",
    }))
    .expect("a checkpoint");
    let direction: Direction = serde_json::from_value(
        json!({ "text": "Go on.", "checkpoints": 1, "recordedAt": "2026-09-16T10:00:00Z" }),
    )
    .expect("a direction");
    file.checkpoint(&checkpoint).expect("added");
    file.direction(&direction).expect("added");
    let record = file.record().expect("read");
    assert_eq!(
        (record.checkpoints, record.directions),
        (vec![checkpoint], vec![direction])
    );
    let text = json(&file);
    assert_eq!(
        (&text["checkpoints"][0], &text["directions"][0]),
        (&json!(1), &json!(2))
    );
}
