//! What a bundle may not say: a member twice, a word as a number, half a force-push, or a list that is shorter than the
//! pull request counts. What it leaves out of this machine's journal is doubt.

use serde_json::{Value, json};

use super::sample::{HEAD, OTHER, Sample, at};
use super::surface::Surface;
use super::{Evidence, reaction::ReactionContent};
use crate::lineage::AttemptKind;
use crate::options::Options;
use crate::preflight::{Ask, preflight};
use crate::run::Run;

fn bundle() -> Value {
    let mut sample = Sample::new();
    sample.force_push(at(9, 0), OTHER, HEAD);
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    serde_json::to_value(&sample.evidence).expect("evidence is JSON")
}

fn read(bundle: &Value) -> Result<Evidence, String> {
    Evidence::from_json(bundle.to_string().as_bytes())
}

#[test]
fn a_member_of_a_map_that_stands_there_twice_is_refused() {
    let mut bundle = bundle();
    bundle["local"]["handled"]["items"] = json!({ "review-comment:7": null });
    let text = bundle.to_string();
    assert!(Evidence::from_json(text.as_bytes()).is_ok());
    let (id, _) = bundle["surfaces"]["commentReactions"]
        .as_object()
        .and_then(|map| map.iter().next())
        .expect("the trigger's reactions");
    for (map, member) in [
        (
            "commentReactions",
            format!(r#""{id}":{{"status":"not-collected"}},"#),
        ),
        ("items", r#""review-comment:7":null,"#.to_owned()),
    ] {
        let place = format!(r#""{map}":{{"#);
        let twice = text.replacen(&place, &format!("{place}{member}"), 1);
        assert_ne!(twice, text);
        let reason = Evidence::from_json(twice.as_bytes()).expect_err("twice");
        assert!(reason.contains("twice"), "{reason}");
    }
}

#[test]
fn the_kind_of_an_event_is_a_word_and_a_force_push_has_two_ends() {
    let event = "/surfaces/timeline/items/0";
    let with = |change: fn(&mut Value)| {
        let mut bundle = bundle();
        change(bundle.pointer_mut(event).expect("the force-push"));
        read(&bundle).is_ok()
    };
    assert!(with(|_| {}));
    assert!(
        with(|event| event["after"] = Value::Null),
        "GitHub no longer knows it"
    );
    assert!(!with(|event| event["kind"] = 4.into()));
    assert!(!with(|event| event["kind"] = "moved".into()));
    for end in ["before", "after"] {
        let mut bundle = bundle();
        let event = bundle.pointer_mut(event).and_then(Value::as_object_mut);
        event.expect("the force-push").remove(end);
        assert!(read(&bundle).is_err(), "without {end}");
    }
}

#[test]
fn a_list_that_holds_less_than_is_counted_is_incomplete() {
    let list = |counter: Option<u64>| {
        let mut bundle = bundle();
        bundle["surfaces"]["pull"]["items"][0]["counts"]["comments"] = counter.into();
        read(&bundle).expect("a bundle").surfaces.issue_comments
    };
    for counter in [None, Some(0), Some(1)] {
        assert!(list(counter).is_complete(), "{counter:?}");
    }
    match list(Some(2)) {
        Surface::Incomplete { items, error, .. } => {
            assert_eq!(items.len(), 1);
            assert_eq!(
                error.message,
                "the pull request counts 2 items and the list holds 1"
            );
        }
        Surface::Complete { .. } | Surface::NotCollected => panic!("one comment is missing"),
    }
}

#[test]
fn a_journal_that_is_not_in_the_bundle_may_hold_an_intent() {
    let allowed = |bundle: &Value| {
        let evidence = read(bundle).expect("a bundle");
        let options = Options::default();
        let run = Run::of(&evidence, &options).expect("a run");
        preflight(
            &run,
            AttemptKind::Request,
            &Ask {
                again: Some("asked".into()),
                ..Ask::default()
            },
        )
        .blockers
        .is_empty()
    };
    let mut bundle = bundle();
    bundle["surfaces"]["viewer"] = json!({
        "status": "complete", "pages": 1, "items": [{ "login": "ada", "type": "User", "id": 7 }],
    });
    assert!(allowed(&bundle));
    for gone in ["/local/journal", "/local"] {
        let (parent, name) = gone.rsplit_once('/').expect("a place");
        let mut without = bundle.clone();
        let map = without.pointer_mut(parent).and_then(Value::as_object_mut);
        map.expect("an object").remove(name);
        assert!(!allowed(&without), "without {gone}");
    }
}

#[test]
fn a_word_that_is_no_reaction_of_github_is_none_of_the_known_ones() {
    let read = |word: &str| ReactionContent::from(Some(word.to_owned()));
    for known in [
        "-1",
        "laugh",
        "confused",
        "heart",
        "hooray",
        "rocket",
        "THUMBS_DOWN",
        "ROCKET",
    ] {
        assert_eq!(read(known), ReactionContent::Other(known.to_owned()));
    }
    for unknown in ["+2", "shrug", "eyes ", "Eyes"] {
        assert_eq!(read(unknown), ReactionContent::Unrecognized(unknown.to_owned()));
    }
}

#[test]
fn the_state_of_an_attempt_is_a_word() {
    let with = |state: Value| {
        let mut bundle = bundle();
        bundle["local"]["journal"]["attempts"] = json!([{
            "id": "11111111-2222-3333-4444-555555555555", "kind": "request", "head": HEAD,
            "startedAt": "2026-10-01T10:00:00Z", "authorizationReference": "#1", "state": state,
        }]);
        read(&bundle).is_ok()
    };
    assert!(with("creating".into()));
    for wrong in [json!(1), json!("created"), json!("waiting"), Value::Null] {
        assert!(!with(wrong.clone()), "{wrong}");
    }
}
