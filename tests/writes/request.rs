//! `request`: one comment for the head, or none and the reason.

use std::time::Duration;

use super::*;
use crate::github::{Match, clean_text, finding, grace, now};

#[test]
fn it_posts_one_comment_with_the_head_in_a_marker_and_the_second_call_names_it() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let run_one = authorized(&product, "request", &[]).expect(0);
    let document = run_one.json();
    assert_eq!(document["schema"], "codex-loop.request/1");
    assert_eq!(document["state"], "created");
    assert_eq!(document["posted"], true);
    let posted = triggers(&github);
    assert_eq!(posted.len(), 1);
    let (id, body) = &posted[0];
    let nonce = document["attempt"]["id"].as_str().expect("an id").to_owned();
    let expected = format!(
        "@codex review\n\n<!-- codex-loop: head={} id={nonce} -->",
        head(&github)
    );
    assert_eq!(*body, expected);
    assert_eq!(document["body"], expected.as_str());
    assert_eq!(document["trigger"]["commentId"], *id);
    assert_eq!(document["trigger"]["headRefOid"], head(&github).as_str());
    assert_eq!(document["authorization"]["reference"], "ada, ticket 7");
    assert_eq!(document["authorization"]["kind"], "fresh");
    // A version 4 UUID.
    assert_eq!((nonce.len(), &nonce[14..15]), (36, "4"));
    assert_eq!(attempts(&product), ["created"]);
    // The one write was the one POST.
    let writes = github.log().writes().len();
    assert_eq!(writes, 1);

    let second = authorized(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&second), ["unresolved-trigger"]);
    assert_eq!(
        second.json()["blockers"][0]["evidence"][0],
        format!("issue-comment:{id}")
    );
    assert_eq!(second.error_json()["kind"], "refused");
    assert_eq!(triggers(&github).len(), 1);
}

#[test]
fn without_an_authorization_nothing_is_sent() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let refused = run(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&refused), ["no-authorization"]);
    assert_eq!(github.log().writes().len(), 0);
    assert_eq!(attempts(&product), [""; 0]);
    // Every blocker is named beside it.
    github.change(|world| {
        world.pull(42).person_comment("@codex review", ago("10m"));
    });
    let refused = run(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&refused), ["unresolved-trigger", "no-authorization"]);
}

#[test]
fn a_standing_authorization_counts_for_its_scope_branch_and_time() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let authorize = |more: &[&str]| run(&product, "authorize", more).expect(0);
    authorize(&["--scope", "resolve", "--reference", "ticket 1"]);
    let refused = run(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&refused), ["authorization-out-of-scope"]);
    authorize(&[
        "--scope",
        "request,retry",
        "--reference",
        "ticket 2",
        "--expires",
        "1h",
    ]);
    let listed = run(&product, "authorize", &["--list"]).expect(0).json();
    assert_eq!(listed["schema"], "codex-loop.authorization/1");
    assert_eq!(listed["authorizations"][1]["state"], "active");
    assert_eq!(
        listed["authorizations"][1]["scopes"],
        serde_json::json!(["request", "retry"])
    );
    assert_eq!(listed["authorizations"][1]["headRefName"], "topic-42");

    // Its end is passed by moving it into the past.
    let path = journal_path(&product);
    let kept = std::fs::read_to_string(&path).expect("a journal");
    let mut expired = journal(&product);
    expired["authorizations"][1]["expiresAt"] = crate::github::iso(ago("1m")).into();
    std::fs::write(&path, expired.to_string()).expect("written");
    let refused = run(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&refused), ["authorization-expired"]);
    std::fs::write(&path, &kept).expect("written");

    run(&product, "authorize", &["--revoke", "--reference", "ticket 2"]).expect(0);
    let refused = run(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&refused), ["authorization-out-of-scope"]);
    std::fs::write(&path, &kept).expect("written");

    let posted = run(&product, "request", &[]).expect(0).json();
    assert_eq!(posted["authorization"]["kind"], "standing");
    assert_eq!(posted["authorization"]["reference"], "ticket 2");
    assert_eq!(triggers(&github).len(), 1);
}

#[test]
fn a_terminal_is_asked_and_a_pipe_never_is() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let refused = product
        .command(&["request", "42"])
        .stdin("no\n")
        .terminal(100, 30);
    assert_eq!(refused.code, Some(14), "{refused}");
    assert!(refused.stdout.contains("<!-- codex-loop: head="), "{refused}");
    assert_eq!(triggers(&github).len(), 0);
    // What is typed into a pipe is no confirmation.
    let piped = product.command(&["request", "42"]).stdin("yes\n").run();
    assert_eq!(piped.code, Some(14), "{piped}");
    let posted = product
        .command(&["request", "42"])
        .stdin("yes\n")
        .terminal(100, 30);
    assert_eq!(posted.code, Some(0), "{posted}");
    assert_eq!(triggers(&github).len(), 1);
    let authorization = journal(&product)["attempts"][0]["authorization"].clone();
    assert_eq!(authorization["kind"], "confirmed");
    let reference = authorization["reference"]
        .as_str()
        .expect("a reference")
        .to_owned();
    assert!(
        reference.starts_with("confirmed on a terminal by ada at "),
        "{reference}"
    );
}

#[test]
fn a_dry_run_shows_the_exact_text_and_sends_and_writes_nothing() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let shown = run(&product, "request", &["--dry-run", "--marker", "dsh"])
        .expect(0)
        .json();
    assert_eq!(shown["dryRun"], true);
    assert_eq!(
        (&shown["state"], &shown["posted"]),
        (&"not-requested".into(), &false.into())
    );
    let body = shown["body"].as_str().expect("a text");
    let (line, markers) = body.split_once("\n\n").expect("a blank line");
    assert_eq!(line, "@codex review");
    assert!(markers.ends_with(&format!("\n<!-- dsh-review-head: {} -->", head(&github))));
    assert_eq!(github.log().writes().len(), 0);
    assert!(!product.path("state/gh-codex-loop").exists());
    github.change(|world| {
        world.pull(42).close(ago("1m"));
    });
    let refused = run(&product, "request", &["--dry-run"]).expect(14);
    assert_eq!(blockers(&refused), ["pull-closed"]);
}

#[test]
fn a_bundle_cannot_be_written_to() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    for verb in ["request", "retry"] {
        product
            .run(&[verb, "42", "--demo", "--authorization", "x"])
            .expect(2);
        product
            .run(&[verb, "42", "--from", "x.json", "--authorization", "x"])
            .expect(2);
    }
    product.run(&["resolve", "42", "PRRT_x", "--demo"]).expect(2);
    assert!(github.log().requests.is_empty());
}

#[test]
fn the_canonical_request_of_a_round_is_taken_over_and_a_double_one_halts() {
    let run_id = "0123456789abcdef0123456789abcdef";
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let round = ["--marker", "loop", "--run", run_id, "--round", "2"];
    let posted = authorized(&product, "request", &round).expect(0).json();
    let marker = format!(
        "<!-- github-codex-pr-loop-request run={run_id} round=2 sha={} -->",
        head(&github)
    );
    assert!(triggers(&github)[0].1.ends_with(&marker));
    let again = authorized(&product, "request", &round).expect(0).json();
    assert_eq!(
        (&again["reused"], &again["posted"]),
        (&true.into(), &false.into())
    );
    assert_eq!(again["trigger"]["commentId"], posted["trigger"]["commentId"]);
    let other_round = ["--marker", "loop", "--run", run_id, "--round", "3"];
    let refused = authorized(&product, "request", &other_round).expect(14);
    assert_eq!(blockers(&refused), ["unresolved-trigger"]);
    github.change(|world| {
        world
            .pull(42)
            .person_comment(&format!("@codex review\n\n{marker}"), now());
    });
    let halted = authorized(&product, "request", &round).expect(14);
    assert_eq!(blockers(&halted), ["duplicate-request"]);
    authorized(&product, "request", &["--marker", "loop"]).expect(2);
    authorized(&product, "request", &["--run", run_id, "--round", "2"]).expect(2);
    assert_eq!(ours(&github).len(), 1);
}

#[test]
fn a_head_that_moves_before_the_post_stops_it() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    // The last reading of the pull request before the POST is the one right before it.
    let reads = {
        let probe = Github::start(fresh());
        let product = Product::new(&probe);
        authorized(&product, "request", &["--dry-run"]).expect(0);
        probe.log().count(&Match::graphql("Pull"))
    };
    github.on(Match::graphql("Pull").nth(reads + 1)).before(|world| {
        world.pull(42).push("moved", ago("0s"));
    });
    let refused = authorized(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&refused), ["head-changed"]);
    assert_eq!(refused.json()["state"], "not-requested");
    assert_eq!(attempts(&product), ["not-requested"]);
    assert_eq!(github.log().writes().len(), 0);
}

#[test]
fn a_head_that_moves_after_the_post_is_told_and_never_counts_for_the_new_head() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let old = head(&github);
    github.on(Match::post("*/issues/42/comments")).after(|world| {
        world.pull(42).push("moved", now());
    });
    let unsettled = authorized(&product, "request", &[]).expect(15).json();
    assert_eq!(unsettled["state"], "reconciliation-required");
    let settled = run(&product, "request", &["--reconcile"]).expect(0).json();
    assert_eq!(settled["state"], "created");
    assert_eq!(settled["trigger"]["headRefOid"], old.as_str());
    assert_eq!(settled["warnings"][0]["code"], "head-moved");
    assert_eq!(triggers(&github).len(), 1);
    // The trigger is no run of the new head.
    let state = run(&product, "classify", &[]).expect(12).json();
    assert_eq!(state["state"], "stale");
}

#[test]
fn another_trigger_beside_ours_leaves_it_to_reconciliation() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    github.on(Match::post("*/issues/42/comments")).before(|world| {
        world.pull(42).comment(grace(), "@codex review", now());
    });
    let unsettled = authorized(&product, "request", &[]).expect(15).json();
    assert_eq!(unsettled["state"], "reconciliation-required");
    assert_eq!(unsettled["overlaps"].as_array().map(Vec::len), Some(1));
    // A plain call posts nothing and names the way out.
    let plain = authorized(&product, "request", &[]).expect(15).json();
    assert!(
        plain["next"]["command"]
            .as_str()
            .is_some_and(|c| c.contains("--reconcile"))
    );
    let settled = run(&product, "request", &["--reconcile"]).expect(0).json();
    assert_eq!(settled["state"], "created");
    assert_eq!(settled["warnings"][0]["code"], "overlapping-triggers");
    assert_eq!(triggers(&github).len(), 2);
    assert_eq!(ours(&github).len(), 1);
}

#[test]
fn two_processes_on_one_machine_post_once() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let hold = github.on(Match::post("*/issues/42/comments")).hold();
    let arguments = [
        "request",
        "42",
        "--json",
        "--color",
        "never",
        "--authorization",
        "x",
    ];
    let first = product.command(&arguments).start();
    hold.wait();
    let second = product.command(&arguments).start();
    // The first one holds the lock while its request stands at GitHub; the second waits for it.
    hold.release();
    let (first, second) = (first.finish(), second.finish());
    first.expect(0);
    let second = second.expect(14);
    assert_eq!(blockers(&second), ["unresolved-trigger"]);
    assert_eq!(ours(&github).len(), 1);
}

#[test]
fn waiting_for_another_process_is_bounded_and_said() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let hold = github.on(Match::post("*/issues/42/comments")).hold();
    let first = product
        .command(&["request", "42", "--authorization", "x"])
        .start();
    hold.wait();
    let second = product
        .command(&[
            "request",
            "42",
            "--json",
            "--gh-timeout",
            "1",
            "--authorization",
            "x",
        ])
        .run();
    assert_eq!(second.code, Some(1), "{second}");
    assert!(
        second.stderr.contains("Waiting for another gh codex-loop"),
        "{second}"
    );
    assert!(second.stderr.contains("\"kind\":\"journal\""), "{second}");
    assert!(second.elapsed < Duration::from_secs(20), "{second}");
    hold.release();
    assert_eq!(first.finish().code, Some(0));
    assert_eq!(ours(&github).len(), 1);
}

#[test]
fn two_machines_both_see_both_posts_and_reconcile_by_nonce() {
    let github = Github::start(fresh());
    let (one, other) = (Product::new(&github), Product::new(&github));
    let hold = github.on(Match::post("*/issues/42/comments")).hold();
    let arguments = [
        "request",
        "42",
        "--json",
        "--color",
        "never",
        "--authorization",
        "x",
    ];
    let first = one.command(&arguments).start();
    let second = other.command(&arguments).start();
    hold.wait_for(2);
    // Both are let in before either can read again.
    let reading = github.on(Match::get("*/issues/42/comments")).hold();
    hold.release();
    reading.wait_for(2);
    reading.release();
    for finished in [first.finish(), second.finish()] {
        let document = finished.expect(15).json();
        assert_eq!(document["state"], "reconciliation-required");
    }
    let posted = ours(&github);
    assert_eq!(posted.len(), 2);
    for product in [&one, &other] {
        authorized(product, "request", &[]).expect(15);
        let settled = run(product, "request", &["--reconcile"]).expect(0).json();
        assert_eq!(settled["state"], "created");
        let id = settled["trigger"]["commentId"].as_u64().expect("an id");
        let nonce = settled["attempt"]["id"].as_str().expect("a nonce");
        let own = posted.iter().find(|(known, _)| *known == id).expect("posted");
        assert!(own.1.contains(nonce));
        let other_id = posted.iter().map(|(known, _)| *known).find(|known| *known != id);
        assert_eq!(
            settled["overlaps"][0],
            format!("issue-comment:{}", other_id.expect("two"))
        );
        let refused = authorized(product, "request", &[]).expect(14);
        assert_eq!(blockers(&refused), ["unresolved-trigger", "overlapping-triggers"]);
    }
    assert_eq!(ours(&github).len(), 2);
}

#[test]
fn a_dead_trigger_is_superseded_alone_and_with_a_fresh_word_only() {
    let mut world = fresh();
    let dead = world.pull(42).person_comment("@codex review", ago("2h"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let id = dead.to_string();
    run(
        &product,
        "authorize",
        &["--scope", "request", "--reference", "ticket 1"],
    )
    .expect(0);
    let refused = run(&product, "request", &["--supersede", &id]).expect(14);
    assert_eq!(blockers(&refused), ["standing-not-enough"]);
    let refused = authorized(&product, "request", &["--supersede", "7"]).expect(14);
    assert_eq!(blockers(&refused), ["supersede-mismatch", "unresolved-trigger"]);
    let posted = authorized(&product, "request", &["--supersede", &id])
        .expect(0)
        .json();
    assert!(
        posted["body"]
            .as_str()
            .is_some_and(|body| body.ends_with(&format!(" supersedes={dead} -->")))
    );
    // The abandoned one no longer stands in the way of the new one's result.
    let new = posted["trigger"]["commentId"].as_u64().expect("an id");
    github.change(|world| {
        let text = clean_text(&world.pull(42).head());
        world.pull(42).connector_comment(&text, now() + span("2s"));
    });
    let state = run(&product, "classify", &[]).expect(0).json();
    assert_eq!(state["state"], "clean");
    assert_eq!(state["trigger"]["commentId"], new);
    assert_eq!(state["candidates"][0]["resolution"]["kind"], "abandoned");
}

#[test]
fn two_unanswered_triggers_cannot_be_superseded() {
    let mut world = fresh();
    let first = world.pull(42).person_comment("@codex review", ago("2h"));
    world.pull(42).person_comment("@codex review", ago("1h"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = authorized(&product, "request", &["--supersede", &first.to_string()]).expect(14);
    assert_eq!(
        blockers(&refused),
        ["supersede-mismatch", "unresolved-trigger", "overlapping-triggers"]
    );
    assert_eq!(ours(&github).len(), 0);
}

#[test]
fn stuck_eyes_on_the_body_are_superseded() {
    let mut world = fresh();
    let eyes = world.pull(42).react_body(connector(), "eyes", ago("2h"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = authorized(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&refused), ["bot-run-active"]);
    authorized(&product, "request", &["--supersede", &format!("reaction:{eyes}")]).expect(0);
    assert!(
        ours(&github)[0]
            .1
            .contains(&format!(" supersedes=reaction:{eyes} -->"))
    );
}

#[test]
fn a_clean_head_is_reviewed_again_for_a_reason_and_findings_come_first() {
    let mut world = fresh();
    let trigger = world.pull(42).person_comment("@codex review", ago("2h"));
    world.pull(42).react(trigger, connector(), "+1", ago("1h"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = authorized(&product, "request", &[]).expect(14);
    assert_eq!(blockers(&refused), ["already-reviewed"]);
    let head_now = head(&github);
    github.change(|world| {
        let mut pull = world.pull(42);
        pull.thread(
            connector(),
            &head_now,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            ago("30m"),
        );
    });
    let refused = authorized(&product, "request", &["--again", "the base moved"]).expect(14);
    assert_eq!(blockers(&refused), ["open-findings"]);
    github.change(|world| {
        let mut pull = world.pull(42);
        pull.pull().threads.clear();
        pull.pull().reviews.clear();
    });
    authorized(&product, "request", &["--again", "the base moved"]).expect(0);
    assert_eq!(journal(&product)["attempts"][0]["again"], "the base moved");
    assert_eq!(ours(&github).len(), 1);
}

#[test]
fn nothing_is_posted_on_evidence_with_gaps_or_that_keeps_moving() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    github.on(Match::get("*/pulls/42/reviews")).bad_gateway();
    let gap = authorized(&product, "request", &[]).expect(1);
    assert_eq!(blockers(&gap), ["incomplete-evidence"]);
    assert_eq!(gap.error_json()["kind"], "incomplete");
    // A proven blocker outweighs the gap.
    github.change(|world| {
        world.pull(42).person_comment("@codex review", ago("10m"));
    });
    let refused = authorized(&product, "request", &[]).expect(14);
    assert!(
        blockers(&refused).contains(&"unresolved-trigger".to_owned()),
        "{refused}"
    );
    github.heal();
    github.on(Match::get("*/issues/42/comments")).after(|world| {
        world.pull(42).person_comment("chatter", now());
    });
    let moving = authorized(&product, "request", &[]).expect(1);
    assert_eq!(moving.error_json()["kind"], "unstable");
    assert_eq!(github.log().writes().len(), 0);
}

/// Whoever is not told of a post must not think that there was none.
#[test]
fn a_result_that_cannot_be_printed_is_told_with_what_was_done() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let printing_nowhere = |arguments: &str| {
        let script = format!(
            "exec '{}' {arguments} >/dev/full",
            env!("CARGO_BIN_EXE_gh-codex-loop")
        );
        product
            .program(std::path::Path::new("/bin/sh"), &["-c", &script])
            .run()
            .expect(1)
    };
    let refused = printing_nowhere("request 42");
    assert!(!refused.stderr.contains("posted"), "{refused}");
    let granted = printing_nowhere("authorize 42 --scope request --reference ticket-7");
    assert!(granted.stderr.contains("were changed all the same"), "{granted}");
    assert!(
        granted.stderr.contains("`gh codex-loop authorize 42 --list`"),
        "{granted}"
    );
    let posted = printing_nowhere("request 42 -R octo/widgets");
    let (id, _) = triggers(&github).first().cloned().expect("it was posted");
    let page = format!(
        "posted all the same as comment {id} https://github.com/octo/widgets/pull/42#issuecomment-{id}."
    );
    assert!(posted.stderr.contains(&page), "{posted}");
    let next = "Do not repeat it; go on with `gh codex-loop status 42 -R octo/widgets`.";
    assert!(posted.stderr.contains(next), "{posted}");
    assert_eq!(triggers(&github).len(), 1);
}
