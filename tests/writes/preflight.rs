//! `preflight`: every blocker, not the first; 0, 13 or 14.

use super::*;
use crate::github::{Match, actions_bot, finding, now};

#[test]
fn an_open_pull_request_with_nothing_on_it_is_allowed() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let allowed = run(&product, "preflight", &[]).expect(0).json();
    assert_eq!(allowed["schema"], "codex-loop.preflight/1");
    assert_eq!(
        (&allowed["allowed"], &allowed["for"]),
        (&true.into(), &"request".into())
    );
    assert_eq!(allowed["blockers"], serde_json::json!([]));
    assert_eq!(allowed["headRefOid"], head(&github).as_str());
    let refused = run(&product, "preflight", &["--for", "retry"]).expect(14).json();
    assert_eq!(
        (&refused["allowed"], &refused["for"]),
        (&false.into(), &"retry".into())
    );
    assert_eq!(github.log().writes().len(), 0);
    assert!(!product.path("state/gh-codex-loop").exists());
}

#[test]
fn everything_that_stands_in_the_way_is_named_at_once() {
    let mut world = fresh();
    let head = world.pull(42).head();
    let mut pull = world.pull(42);
    let trigger = pull.person_comment("@codex review", ago("2h"));
    pull.react_body(connector(), "eyes", ago("20m"));
    pull.connector_comment(
        "You have reached your Codex usage limits for code reviews. You can see your limits in the dashboard.",
        ago("1h"),
    );
    pull.person_comment("@codex review", ago("50m"));
    pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        ago("30m"),
    );
    let note = pull.person_comment("a note", ago("25m"));
    pull.delete_comment(note, crate::github::ada(), ago("15m"));
    pull.close(ago("10m"));
    world.viewer = actions_bot();
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = run(&product, "preflight", &[]).expect(14);
    assert_eq!(
        blockers(&refused),
        [
            "pull-closed",
            "bot-run-active",
            "open-findings",
            "comment-deleted",
            "poster-not-a-user"
        ]
    );
    // The quota notice resolved the first trigger; the finding is a verdict after it and resolved the second.
    let document = refused.json();
    assert!(!document.to_string().contains(&format!("issue-comment:{trigger}")));
}

#[test]
fn a_fresh_notice_and_two_unanswered_triggers() {
    let mut world = fresh();
    let mut pull = world.pull(42);
    pull.person_comment("@codex review", ago("2h"));
    pull.connector_comment(
        "This workspace is deactivated. Select an active workspace and try again.",
        ago("1h"),
    );
    let one = pull.person_comment("@codex review", ago("40m"));
    let two = pull.person_comment("@codex review", ago("30m"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = run(&product, "preflight", &[]).expect(14);
    assert_eq!(
        blockers(&refused),
        ["unresolved-trigger", "overlapping-triggers", "refused"]
    );
    assert_eq!(
        refused.json()["blockers"][1]["evidence"],
        serde_json::json!([format!("issue-comment:{one}"), format!("issue-comment:{two}")])
    );
}

#[test]
fn a_young_head_may_start_a_review_by_itself() {
    let mut world = fresh();
    world.pull(42).push("new", ago("80s"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = run(&product, "preflight", &[]).expect(14);
    assert_eq!(blockers(&refused), ["automatic-run-possible"]);
}

#[test]
fn what_cannot_be_known_is_13_and_a_proven_blocker_is_14() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    github.on(Match::get("*/issues/42/reactions")).bad_gateway();
    let unknown = run(&product, "preflight", &[]).expect(13);
    assert_eq!(blockers(&unknown), ["incomplete-evidence"]);
    github.change(|world| {
        world.pull(42).person_comment("@codex review", now());
    });
    let refused = run(&product, "preflight", &[]).expect(14);
    assert_eq!(blockers(&refused), ["unresolved-trigger", "incomplete-evidence"]);
}

#[test]
fn a_token_of_an_app_is_told_by_githubs_own_refusal() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    github
        .on(Match::get("/user"))
        .status(403, "Resource not accessible by integration");
    let refused = run(&product, "preflight", &[]).expect(14);
    assert_eq!(blockers(&refused), ["poster-not-a-user"]);
}

#[test]
fn the_same_bundle_gives_the_same_answer() {
    let (world, ..) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let bundle = product.path("tmp/bundle.json");
    let path = bundle.to_string_lossy().into_owned();
    product.run(&["collect", "42", "-o", &path]).expect(0);
    let live = run(&product, "preflight", &[]).expect(14);
    let saved = product.run(&["preflight", "--from", &path, "--json"]).expect(14);
    assert_eq!(blockers(&saved), blockers(&live));
    assert_eq!(blockers(&saved), ["use-retry"]);
}
