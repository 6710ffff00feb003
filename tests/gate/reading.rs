//! What the gate does when the reading is not whole, moves, or fails, and how many calls a reading takes.

use crate::github::{Match, at, clean_text, connector, finding, now};

use super::Case;

fn approved() -> Case {
    Case::new(|pull| {
        pull.react_body(connector(), "+1", at("09:40"));
    })
}

#[test]
fn a_head_that_changes_during_the_reading_is_an_error_and_never_an_approval() {
    for nth in 2..=3 {
        let case = approved();
        case.github.on(Match::graphql("Pull").nth(nth)).before(|world| {
            world.pull(42).push("meanwhile", now());
        });
        let run = case.product.run(&["gate", "42", "--json"]).expect(1);
        assert_eq!(run.stdout, "", "{run}");
        assert_eq!(run.error_json()["kind"], "unstable", "{run}");
        case.product.assert_no_child_left();
    }
}

#[test]
fn two_readings_that_never_agree_are_an_error() {
    let case = approved();
    case.github
        .on(Match::get("*/issues/42/comments"))
        .before(|world| {
            world.pull(42).person_comment("And another thing.", now());
        });
    let run = case.product.run(&["gate", "42", "--json"]).expect(1);
    assert_eq!(run.error_json()["kind"], "unstable", "{run}");
}

#[test]
fn a_broken_surface_is_an_error_unless_something_else_blocks_all_the_same() {
    for path in [
        "*/issues/42/reactions",
        "*/issues/42/comments",
        "*/pulls/42/reviews",
        "*/pulls/42/comments",
        "*/check-runs",
        "*/statuses",
    ] {
        let case = approved();
        case.github.on(Match::get(path)).bad_gateway();
        let run = case.product.run(&["gate", "42", "--json"]).expect(1);
        assert_eq!(run.error_json()["kind"], "incomplete", "{path} {run}");
        assert_eq!(run.stdout, "", "{path} {run}");
        // The headline shows the gap and is not clean.
        let document = case.status(&[]);
        assert_eq!(document["verdict"]["state"], "indeterminate", "{path}");
        assert_eq!(
            document["verdict"]["reasons"][0]["code"], "incomplete-surface",
            "{path}"
        );
    }
    // An override never beats an incomplete reading; something that blocks all the same is told.
    let case = approved();
    case.github.on(Match::get("*/issues/42/reactions")).bad_gateway();
    case.product.run(&["gate", "42", "--override", "go"]).expect(1);
    case.product.run(&["status", "42", "--exit-code"]).expect(13);
    case.then(|pull| {
        let head = pull.head();
        pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("09:10"),
        );
    });
    assert_eq!(case.says(&[]), "10 blocking finding-thread incomplete-surface");
}

#[test]
fn rate_limits_and_missing_tokens_are_errors() {
    let case = approved();
    let reset = now().timestamp() + 3_600;
    case.github
        .on(Match::get("*/issues/42/reactions"))
        .rate_limited(reset);
    for verb in ["gate", "status"] {
        let run = case.product.run(&[verb, "42", "--json"]).expect(1);
        assert_eq!(run.error_json()["kind"], "rate-limited", "{run}");
    }
    let github = crate::github::Github::start(crate::github::World::new());
    let product = crate::product::Product::new(&github).logged_out();
    let run = product.run(&["gate", "42", "--json"]).expect(4);
    assert_eq!(run.error_json()["kind"], "auth", "{run}");
}

#[test]
fn a_quiet_pull_request_takes_twelve_calls_at_most() {
    let case = Case::new(|pull| {
        let head = pull.head();
        let trigger = pull.person_comment("@codex review", at("09:20"));
        pull.react(trigger, connector(), "eyes", at("09:21"));
        let comment = pull.connector_comment(&clean_text(&head), at("09:30"));
        pull.react(comment, connector(), "+1", at("09:31"));
    });
    assert_eq!(
        case.headline(),
        "clean by run+gate+result: clean-review-result, then none"
    );
    let log = case.github.log();
    assert!(log.gh_calls() <= 12, "{} calls:\n{}", log.gh_calls(), log.lines());
}

#[test]
fn a_saved_bundle_gives_the_live_gate() {
    let case = approved();
    let bundle = case.product.path("tmp").join("bundle.json");
    let path = bundle.to_str().expect("a path");
    case.product.run(&["collect", "42", "-o", path]).expect(0);
    for verb in ["gate", "status"] {
        let mut live = case.product.run(&[verb, "42", "--json"]).json();
        let mut saved = case.product.run(&[verb, "--from", path, "--json"]).json();
        for document in [&mut live, &mut saved] {
            forget_times(document);
        }
        assert_eq!(live, saved, "{verb}");
    }
}

/// When it was read, and which surfaces another command did not need.
fn forget_times(value: &mut serde_json::Value) {
    if let Some(members) = value.as_object_mut() {
        members.remove("observedAt");
        members.remove("surfaces");
        members.values_mut().for_each(forget_times);
    }
}
