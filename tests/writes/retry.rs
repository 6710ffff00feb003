//! `retry`: the one retry of a failed run, its record, and the lineage that it uses up.

use super::*;
use crate::github::{Match, grace, now};

#[test]
fn the_intent_is_on_disk_before_the_post_leaves_and_the_record_is_complete_after_it() {
    let (world, trigger, failure) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let before = run(&product, "classify", &[]).expect(11).json();
    assert_eq!(before["terminal"]["retryTransitionState"], "not-requested");
    assert_eq!(before["next"]["action"], "retry");

    let hold = github.on(Match::post("*/issues/42/comments")).hold();
    let running = product
        .command(&[
            "retry",
            "42",
            "--json",
            "--color",
            "never",
            "--authorization",
            "ada, ticket 7",
        ])
        .start();
    hold.wait();
    let intent = journal(&product)["attempts"][0].clone();
    assert_eq!(intent["state"], "creating");
    assert_eq!(intent["kind"], "retry");
    assert_eq!(intent["authorization"]["reference"], "ada, ticket 7");
    assert_eq!(intent["failedRun"]["triggerCommentId"], trigger.0);
    assert_eq!(intent["failedRun"]["terminalCommentId"], failure.0);
    assert_eq!(triggers(&github).len(), 1);
    // Whoever looks meanwhile is told, and reads the count as 0.
    let meanwhile = run(&product, "classify", &[]).expect(11).json();
    assert_eq!(meanwhile["terminal"]["retryTransitionState"], "creating");
    assert_eq!(meanwhile["terminal"]["retryAttemptCount"], 0);
    assert_eq!(meanwhile["next"]["action"], "reconcile");
    let blocked = run(&product, "preflight", &["--for", "retry"]).expect(14);
    assert_eq!(blockers(&blocked), ["open-intent"]);
    hold.release();

    let document = running.finish().expect(0).json();
    assert_eq!(document["schema"], "codex-loop.retry/1");
    assert_eq!(document["state"], "created");
    let (id, _) = ours(&github)[0];
    let record = &document["terminal"];
    assert_eq!(record["triggerCommentId"], trigger.0);
    assert_eq!(record["terminalCommentId"], failure.0);
    assert_eq!(record["retryAttemptCount"], 1);
    assert_eq!(record["retryTransitionState"], "created");
    assert_eq!(record["retryAuthorizationReference"], "ada, ticket 7");
    assert_eq!(record["successorTriggerCommentId"], id);
    assert_eq!(
        record["successorTriggerCreatedAt"],
        document["trigger"]["createdAt"]
    );
    assert_eq!(record["successorHeadRefOid"], head(&github).as_str());
    let shown = run(&product, "retry", &["--show"]).expect(0).json();
    assert_eq!(shown["terminal"], *record);
    assert_eq!(shown["state"], "created");
}

#[test]
fn it_needs_a_failed_run_and_request_needs_one_that_did_not_fail() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let refused = authorized(&product, "retry", &[]).expect(14);
    assert_eq!(blockers(&refused), ["not-failed"]);
    let shown = run(&product, "retry", &["--show"]).expect(0).json();
    assert_eq!(
        (&shown["terminal"], &shown["state"]),
        (&Value::Null, &"not-requested".into())
    );
    let (world, _, _) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = authorized(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&refused), ["use-retry"]);
    assert_eq!(github.log().writes().len(), 0);
}

#[test]
fn a_failed_successor_ends_the_lineage_here_and_on_every_other_machine() {
    let (world, ..) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    authorized(&product, "retry", &[]).expect(0);
    let second = authorized(&product, "retry", &[]).expect(14);
    assert_eq!(
        blockers(&second),
        [
            "unresolved-trigger",
            "lineage-exhausted",
            "not-failed",
            "not-newest"
        ]
    );
    fail_newest(&github, "30m");
    let elsewhere = Product::new(&github);
    for product in [&product, &elsewhere] {
        let state = run(product, "classify", &[]).expect(11).json();
        assert_eq!(state["terminal"]["retryAttemptCount"], 1);
        assert_eq!(state["next"]["action"], "ask-user");
        for verb in ["retry", "request"] {
            let refused = authorized(product, verb, &["--after-notice"]).expect(14);
            assert_eq!(blockers(&refused), ["lineage-exhausted"], "{verb}");
        }
    }
    assert_eq!(triggers(&github).len(), 2);
    assert_eq!(github.log().writes().len(), 1);
}

#[test]
fn a_trigger_of_another_tool_after_the_failure_is_the_successor() {
    let (mut world, trigger, _) = failed();
    let successor = world.pull(42).comment(grace(), "@codex review", ago("1h"));
    world.pull(42).connector_comment(FAILURE, ago("50m"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = authorized(&product, "retry", &[]).expect(14);
    assert_eq!(blockers(&refused), ["lineage-exhausted"]);
    let record = run(&product, "retry", &["--show"]).expect(0).json()["terminal"].clone();
    assert_eq!(record["triggerCommentId"], trigger.0);
    assert_eq!(record["successorTriggerCommentId"], successor.0);
    assert_eq!(record["retryAttemptCount"], 1);
    assert_eq!(record["retryAuthorizationReference"], Value::Null);
}

#[test]
fn after_a_failed_creation_only_a_fresh_word_counts() {
    let (world, ..) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    run(
        &product,
        "authorize",
        &["--scope", "retry", "--reference", "ticket 1"],
    )
    .expect(0);
    github
        .on(Match::post("*/issues/42/comments").nth(1))
        .status(422, "Validation Failed");
    let gone_wrong = run(&product, "retry", &[]).expect(1);
    assert_eq!(gone_wrong.json()["state"], "creation-failed");
    assert_eq!(gone_wrong.json()["terminal"]["retryAttemptCount"], 0);
    assert!(
        gone_wrong.error_json()["message"]
            .as_str()
            .is_some_and(|m| m.contains("422"))
    );
    let refused = run(&product, "retry", &[]).expect(14);
    assert_eq!(blockers(&refused), ["standing-not-enough"]);
    let state = run(&product, "classify", &[]).expect(11).json();
    assert_eq!(state["terminal"]["retryTransitionState"], "creation-failed");
    assert_eq!(state["terminal"]["retryAuthorizationReference"], "ticket 1");
    let posted = authorized(&product, "retry", &[]).expect(0).json();
    assert_eq!(posted["terminal"]["retryAttemptCount"], 1);
    assert_eq!(ours(&github).len(), 1);
    assert_eq!(attempts(&product), ["creation-failed", "created"]);
}

#[test]
fn a_deletion_meanwhile_needs_the_users_word() {
    let (world, ..) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    // The request never arrives, and a comment is deleted meanwhile: perhaps ours.
    github.on(Match::post("*/issues/42/comments")).drop_connection();
    authorized(&product, "retry", &[]).expect(15);
    github.change(|world| {
        let mut pull = world.pull(42);
        let note = pull.person_comment("a note", now());
        pull.delete_comment(note, grace(), now());
    });
    let early = run(&product, "retry", &["--reconcile"]).expect(15).json();
    assert!(
        early["because"].as_str().is_some_and(|b| b.contains("in flight")),
        "{early}"
    );
    age(&product, "6m");
    let doubtful = run(&product, "retry", &["--reconcile"]).expect(15).json();
    assert!(
        doubtful["because"]
            .as_str()
            .is_some_and(|b| b.contains("--authorization")),
        "{doubtful}"
    );
    let settled = authorized(&product, "retry", &["--reconcile"]).expect(1);
    assert_eq!(settled.json()["state"], "creation-failed");
    // And the next one is refused, since the deleted comment may have been its successor.
    let refused = authorized(&product, "retry", &[]).expect(14);
    assert_eq!(blockers(&refused), ["comment-deleted"]);
    assert_eq!(ours(&github).len(), 0);
}

#[test]
fn a_retry_of_an_earlier_head_says_nothing_of_the_new_one() {
    let (world, ..) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    github.on(Match::post("*/issues/42/comments")).apply_then_drop();
    let old = head(&github);
    github.on(Match::post("*/issues/42/comments")).after(|world| {
        world.pull(42).push("moved", now());
    });
    authorized(&product, "retry", &[]).expect(15);
    let settled = run(&product, "retry", &["--reconcile"]).expect(0).json();
    assert_eq!(settled["state"], "created");
    assert_eq!(settled["trigger"]["headRefOid"], old.as_str());
    assert_eq!(settled["warnings"][0]["code"], "head-moved");
    assert_eq!(settled["terminal"], Value::Null);
}

#[test]
fn an_interruption_during_the_post_leaves_an_open_intent() {
    let (world, ..) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let hold = github.on(Match::post("*/issues/42/comments")).hold();
    let running = product
        .command(&[
            "retry",
            "42",
            "--json",
            "--color",
            "never",
            "--authorization",
            "x",
        ])
        .start();
    hold.wait();
    running.interrupt();
    let stopped = running.finish().expect(130);
    assert_eq!(stopped.error_json()["kind"], "interrupted");
    hold.release();
    product.assert_no_child_left();
    authorized(&product, "retry", &[]).expect(15);
    // The request had reached GitHub, whose answer nobody read.
    let settled = run(&product, "retry", &["--reconcile"]).expect(0).json();
    assert_eq!(settled["state"], "created");
    assert_eq!(ours(&github).len(), 1);
}
