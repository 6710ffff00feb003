//! What keeps a snapshot from being whole: nothing is emitted then.

use serde_json::{Value, json};

use super::super::world::{HEAD, OLD, World, at, finding, request};
use super::super::{Settings, surfaces};
use crate::options::Options;
use crate::reading::Reading;

fn gap(world: &World, settings: &Settings) -> Option<surfaces::Gap> {
    let (evidence, options) = (world.evidence(), Options::default());
    let reading = Reading::of(&evidence, &options).expect("a reading");
    surfaces::gap(&reading, settings)
}

#[test]
fn nothing_is_emitted_of_an_incomplete_reading() {
    let mut world = World::new();
    let asked = world.person(&request(HEAD), "10:00");
    assert_eq!(gap(&world, &Settings::default()), None);
    let broken = json!({ "status": "incomplete", "pages": 1, "items": [], "error": { "kind": "network", "message": "EOF." } });
    for name in [
        "headCommit",
        "commits",
        "checkSuites",
        "timeline",
        "issueComments",
        "reviews",
        "reviewComments",
        "threads",
        "bodyReactions",
        "checkRuns",
        "statuses",
        "resolvedCommits",
        "edits",
        "mergeGates",
    ] {
        let mut world = world.clone();
        world.json["surfaces"][name] = broken.clone();
        match gap(&world, &Settings::default()) {
            Some(surfaces::Gap::Surface {
                name: found,
                error: Some(_),
            }) => assert_eq!(found, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    let named = Settings {
        required_checks: vec!["build".to_owned()],
        ..Settings::default()
    };
    let mut without_rules = world.clone();
    without_rules.json["surfaces"]["mergeGates"] = broken.clone();
    assert_eq!(gap(&without_rules, &named), None, "named checks need no rules");
    world.json["surfaces"]["commentReactions"][asked.to_string()] = broken;
    assert!(matches!(
        gap(&world, &named),
        Some(surfaces::Gap::Surface {
            name: "commentReactions",
            ..
        })
    ));
    let mut malformed = World::new();
    malformed.connector("Codex Review: x", "10:00");
    malformed.json["surfaces"]["issueComments"]["items"][0]["created_at"] = "soon".into();
    assert!(matches!(
        gap(&malformed, &named),
        Some(surfaces::Gap::Malformed { .. })
    ));
    let mut moving = World::new();
    moving.json["unstable"] = "x".into();
    assert!(matches!(
        gap(&moving, &named),
        Some(surfaces::Gap::Changed { .. })
    ));
}

/// The name and the cause of the first item that cannot be used.
fn malformed(world: &World) -> Option<(String, &'static str)> {
    match gap(world, &Settings::default()) {
        None => None,
        Some(surfaces::Gap::Malformed { name, cause }) => Some((name.to_string(), cause)),
        Some(other) => panic!("{other:?}"),
    }
}

/// The last item of a surface.
fn last<'v>(world: &'v mut World, surface: &str) -> &'v mut Value {
    let items = world.json["surfaces"][surface]["items"].as_array_mut();
    items.and_then(|items| items.last_mut()).expect("an item")
}

const NOBODY: &str = "its author is missing or malformed";
const NAMELESS: &str = "its id is missing or malformed";
const UNREADABLE: &str = "its author, time or content is missing or malformed";

#[test]
fn an_inline_comment_that_cannot_be_placed_leaves_a_gap() {
    type Change = fn(&mut Value);
    // The change of the inline comment, and whether its text is the connector's finding.
    let changes: [(&str, Change, bool, Option<&str>); 9] = [
        ("as it came", |_| {}, true, None),
        (
            "without an id",
            |one| one["id"] = Value::Null,
            true,
            Some("its time or id is missing or malformed"),
        ),
        (
            "without a time",
            |one| one["created_at"] = Value::Null,
            true,
            Some("its time or id is missing or malformed"),
        ),
        (
            "a reply without a time",
            |one| {
                one["created_at"] = Value::Null;
                one["in_reply_to_id"] = 5.into();
            },
            true,
            None,
        ),
        (
            "the connector's name and no bot",
            |one| one["user"]["type"] = "User".into(),
            false,
            Some(NOBODY),
        ),
        (
            "somebody else, without a time",
            |one| {
                one["user"] = json!({ "login": "ada", "type": "User", "id": 1 });
                one["created_at"] = Value::Null;
            },
            true,
            None,
        ),
        (
            "a finding by nobody",
            |one| one["user"] = Value::Null,
            true,
            Some(NOBODY),
        ),
        ("a remark by nobody", |one| one["user"] = Value::Null, false, None),
        (
            "a reply by nobody",
            |one| {
                one["user"] = Value::Null;
                one["in_reply_to_id"] = 5.into();
            },
            true,
            None,
        ),
    ];
    for (what, change, finds, expected) in changes {
        let mut world = World::new();
        let (_, key) = world.round(HEAD, HEAD, "10:00");
        let inline = last(&mut world, "reviewComments");
        inline["body"] = if finds { finding("P1") } else { "Why?".to_owned() }.into();
        change(inline);
        let named = inline["id"].is_null();
        let found = malformed(&world);
        assert_eq!(found.as_ref().map(|(_, cause)| *cause), expected, "{what}");
        if let (Some((name, _)), false) = (found, named) {
            assert_eq!(name, key, "{what}");
        }
    }
    // A remark by nobody opens a thread whose root is somebody else's, or not.
    for (root, expected) in [
        (json!({ "login": "ada", "__typename": "User" }), None),
        (
            json!({ "login": "chatgpt-codex-connector", "__typename": "Bot" }),
            Some(NOBODY),
        ),
        (Value::Null, Some(NOBODY)),
    ] {
        let mut world = World::new();
        world.round(HEAD, HEAD, "10:00");
        let inline = last(&mut world, "reviewComments");
        inline["body"] = "Why?".into();
        inline["user"] = Value::Null;
        let id = inline["id"].clone();
        world.put(
            "threads",
            json!({
                "id": "PRRT_1", "isResolved": false, "isOutdated": false,
                "comments": [{ "id": id, "author": root, "createdAt": at("10:00"), "body": "Why?" }],
            }),
        );
        let found = malformed(&world);
        assert_eq!(found.map(|(_, cause)| cause), expected, "{root}");
    }
}

#[test]
fn an_event_that_moves_the_phase_or_the_head_needs_its_time() {
    for (kind, needed) in [
        ("ready-for-review", true),
        ("reopened", true),
        ("head-force-pushed", true),
        ("closed", false),
        ("converted-to-draft", false),
        ("base-changed", false),
        ("head-deleted", false),
    ] {
        let mut world = World::new();
        let id = world.event(kind, "10:00");
        assert_eq!(malformed(&world), None, "{kind}");
        last(&mut world, "timeline")["createdAt"] = "soon".into();
        let expected = needed.then(|| (format!("event:{id}"), "its time is missing or malformed"));
        assert_eq!(malformed(&world), expected, "{kind}");
    }
}

#[test]
fn what_the_newest_is_chosen_by_has_to_be_there() {
    type Change = fn(&mut World);
    fn on_comment(world: &mut World, field: &str, value: Value) {
        let asked = world.person(&request(HEAD), "10:00");
        world.react(asked, "+1", "10:01");
        world.json["surfaces"]["commentReactions"][asked.to_string()]["items"][0][field] = value;
    }
    fn on_body(world: &mut World, field: &str, value: Value) {
        world.react_body("eyes", "10:01");
        last(world, "bodyReactions")[field] = value;
    }
    let changes: [(&str, Change, Option<&str>); 17] = [
        ("a reaction", |one| on_comment(one, "id", 9.into()), None),
        (
            "a reaction without an id",
            |one| on_comment(one, "id", Value::Null),
            Some(NAMELESS),
        ),
        (
            "a reaction without a time",
            |one| on_comment(one, "created_at", Value::Null),
            Some(UNREADABLE),
        ),
        (
            "a reaction by nobody",
            |one| on_comment(one, "user", Value::Null),
            Some(UNREADABLE),
        ),
        (
            "somebody else's without an id",
            |one| {
                on_comment(one, "id", Value::Null);
                let asked = one.json["surfaces"]["issueComments"]["items"][0]["id"].to_string();
                one.json["surfaces"]["commentReactions"][asked]["items"][0]["user"]["login"] = "ada".into();
            },
            None,
        ),
        (
            "eyes on the description",
            |one| on_body(one, "id", 9.into()),
            None,
        ),
        (
            "eyes on the description without an id",
            |one| on_body(one, "id", Value::Null),
            Some(NAMELESS),
        ),
        (
            "eyes on the description without a time",
            |one| on_body(one, "created_at", Value::Null),
            Some(UNREADABLE),
        ),
        (
            "eyes on the description by nobody",
            |one| on_body(one, "user", Value::Null),
            Some(UNREADABLE),
        ),
        (
            "a check run without an id",
            |one| {
                one.check(1, "build", Some("success"), "10:00", "10:01");
                last(one, "checkRuns")["id"] = Value::Null;
            },
            Some(NAMELESS),
        ),
        ("a status", |one| one.status("deploy", "success", "10:00"), None),
        (
            "a status without an id",
            |one| {
                one.status("deploy", "success", "10:00");
                last(one, "statuses")["id"] = Value::Null;
            },
            Some("its time or id is missing or malformed"),
        ),
        (
            "a status without a time",
            |one| {
                one.status("deploy", "success", "10:00");
                last(one, "statuses")["created_at"] = Value::Null;
            },
            Some("its time or id is missing or malformed"),
        ),
        (
            "a request whose edits nobody looked up",
            |one| {
                one.person(&request(HEAD), "10:00");
                one.json["surfaces"]["edits"]["items"] = json!([]);
            },
            Some("its edits are not known"),
        ),
        (
            "a request for another head whose edits nobody looked up",
            |one| {
                one.person(&request(OLD), "10:00");
                one.json["surfaces"]["edits"]["items"] = json!([]);
            },
            None,
        ),
        (
            "a request that was edited",
            |one| {
                one.person(&request(HEAD), "10:00");
                last(one, "edits")["lastEditedAt"] = at("10:05").into();
            },
            None,
        ),
        (
            "a result by nobody",
            |one| {
                one.connector("Codex Review: Didn't find any major issues.", "10:00");
                last(one, "issueComments")["user"] = Value::Null;
            },
            Some(NOBODY),
        ),
    ];
    for (what, change, expected) in changes {
        let mut world = World::new();
        change(&mut world);
        assert_eq!(malformed(&world).map(|(_, cause)| cause), expected, "{what}");
    }
}
