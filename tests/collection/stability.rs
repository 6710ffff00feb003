//! A pull request that moves while it is read.

use crate::github::{Github, Match, Response, at, connector, finding};
use crate::product::Product;

use super::{count, quiet, status};

#[test]
fn a_head_that_moves_once_is_read_again() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    github
        .on(Match::get("*/issues/42/comments").nth(1))
        .before(|world| {
            world.pull(42).push("later", at("10:30"));
        });
    let bundle = product.run(&["collect", "42"]).expect(0).json();
    let head = github.change(|world| world.pull(42).head());
    assert_eq!(
        bundle["surfaces"]["pull"]["items"][0]["headRefOid"],
        head.as_str()
    );
    assert!(bundle["unstable"].is_null(), "{bundle}");
    assert_eq!(github.log().count(&Match::graphql("query Pull(")), 3);
    assert_eq!(github.log().count(&Match::get("*/issues/42/comments")), 2);
}

#[test]
fn a_head_that_keeps_moving_is_called_unstable() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let pushes = std::sync::atomic::AtomicUsize::new(0);
    github
        .on(Match::get("*/issues/42/comments"))
        .before(move |world| {
            let number = pushes.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            world.pull(42).push(&format!("push {number}"), at("10:30"));
        });
    let bundle = product.run(&["collect", "42"]).expect(0).json();
    assert!(
        bundle["unstable"]
            .as_str()
            .is_some_and(|what| what.contains("the head moved")),
        "{bundle}"
    );
    assert_eq!(github.log().count(&Match::get("*/issues/42/comments")), 3);
}

#[test]
fn state_draft_and_base_are_watched_too() {
    for (change, words) in [
        ("close", "opened, closed or merged"),
        ("draft", "draft state"),
        ("base", "base branch"),
    ] {
        let github = Github::start(quiet());
        let product = Product::new(&github);
        let turns = std::sync::atomic::AtomicUsize::new(0);
        github
            .on(Match::get("*/issues/42/comments"))
            .before(move |world| {
                let odd = turns
                    .fetch_add(1, std::sync::atomic::Ordering::SeqCst)
                    .is_multiple_of(2);
                let mut pull = world.pull(42);
                match (change, odd) {
                    ("close", true) => pull.close(at("10:30")),
                    ("close", false) => pull.reopen(at("10:30")),
                    ("draft", true) => pull.draft(at("10:30")),
                    ("draft", false) => pull.ready(at("10:30")),
                    (_, odd) => pull.pull().base_ref = if odd { "next".into() } else { "main".into() },
                }
            });
        let bundle = product.run(&["collect", "42"]).expect(0).json();
        assert!(
            bundle["unstable"]
                .as_str()
                .is_some_and(|what| what.contains(words)),
            "{change}: {}",
            bundle["unstable"]
        );
    }
}

#[test]
fn a_comment_that_arrives_meanwhile_is_seen() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    github
        .on(Match::get("*/issues/42/comments").nth(1))
        .after(|world| {
            let mut pull = world.pull(42);
            let trigger = pull.person_comment("@codex review", at("10:30"));
            pull.react(trigger, connector(), "eyes", at("10:31"));
        });
    let bundle = product.run(&["collect", "42"]).expect(0).json();
    assert_eq!(
        (
            status(&bundle, "issueComments").as_str(),
            count(&bundle, "issueComments")
        ),
        ("complete", 2)
    );
    let reactions = bundle["surfaces"]["commentReactions"]
        .as_object()
        .expect("by comment");
    assert_eq!(reactions.len(), 2, "the new trigger's reactions are read as well");
}

#[test]
fn inline_comments_that_lag_are_looked_for_at_their_review() {
    let mut world = quiet();
    let mut pull = world.pull(42);
    let head = pull.head();
    let thread = pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        at("10:05"),
    );
    let review = pull.thread_mut(thread).comments[0].review.expect("a review");
    pull.thread_mut(thread).lags_in_graphql = true;
    let github = Github::start(world);
    // The list of the pull request lags behind the list of the review.
    github
        .on(Match::get("*/pulls/42/comments"))
        .answer(Response::json(200, &serde_json::json!([])));
    let product = Product::new(&github);
    let bundle = product.run(&["collect", "42"]).expect(0).json();
    let path = format!("*/pulls/42/reviews/{review}/comments");
    assert_eq!(
        github.log().count(&Match::get(&path)),
        1,
        "{}",
        github.log().lines()
    );
    assert_eq!(
        (
            status(&bundle, "reviewComments").as_str(),
            count(&bundle, "reviewComments")
        ),
        ("complete", 1)
    );
}

#[test]
fn the_gate_reads_everything_twice() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let _ = product.run(&["gate", "42", "--json"]);
    let log = github.log();
    for path in [
        "*/issues/42/comments",
        "*/pulls/42/reviews",
        "*/pulls/42/comments",
        "*/issues/42/reactions",
        "*/issues/comments/*/reactions",
        "*/check-runs",
        "*/statuses",
    ] {
        assert_eq!(log.count(&Match::get(path)), 2, "{path}\n{}", log.lines());
    }
    assert_eq!(log.count(&Match::graphql("query Threads(")), 2);
    assert_eq!(log.count(&Match::graphql("query Pull(")), 3);
    assert!(log.gh_calls() <= 22, "{}", log.lines());
}

#[test]
fn two_readings_that_differ_are_read_again_and_then_named() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    github
        .on(Match::get("*/issues/42/reactions").nth(2))
        .before(|world| {
            world.pull(42).react_body(connector(), "heart", at("10:20"));
        });
    let run = product.run(&["gate", "42", "--json"]);
    assert_ne!(run.code, Some(1), "a third reading agrees with the second: {run}");
    assert_eq!(github.log().count(&Match::get("*/issues/42/reactions")), 3);

    github.heal();
    let turns = std::sync::atomic::AtomicUsize::new(0);
    github
        .on(Match::get("*/issues/42/reactions"))
        .before(move |world| {
            let turn = turns.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let user = crate::github::Account::person(&format!("user{turn}"), 2_000);
            world.pull(42).react_body(user, "heart", at("10:20"));
        });
    let run = product.run(&["gate", "42", "--json"]).expect(1);
    assert_eq!(run.stdout, "");
    assert_eq!(run.error_json()["kind"], "unstable");
    let message = run.error_json()["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(message.contains("bodyReactions"), "{message}");
}
