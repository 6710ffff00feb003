//! Everything that a bundle holds, however many pages it takes, and how many calls that costs.

use crate::github::{Github, Match, World, ada, at, connector, finding};
use crate::product::Product;

use super::{count, quiet, status, surface};

#[test]
fn a_quiet_pull_request_is_read_whole() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let run = product.run(&["collect", "42"]).expect(0);
    let bundle = run.json();
    for name in [
        "pull",
        "commits",
        "headCommit",
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
        "viewer",
    ] {
        assert_eq!(
            status(&bundle, name),
            "complete",
            "{name}\n{}",
            github.log().lines()
        );
    }
    assert_eq!(count(&bundle, "issueComments"), 1);
    assert_eq!(count(&bundle, "checkRuns"), 1);
    assert_eq!(bundle["schema"], "codex-loop.evidence/1");
    assert_eq!(bundle["pullRequest"], 42);
    let reactions = bundle["surfaces"]["commentReactions"]
        .as_object()
        .expect("by comment");
    assert_eq!(reactions.len(), 1);
    product.assert_no_child_left();
}

#[test]
fn every_page_of_every_surface_is_read() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    for place in 0..120 {
        pull.push_silently(&format!("commit {place}"), at("09:30"));
    }
    let head = pull.head();
    let trigger = pull.person_comment("@codex review", at("10:00"));
    for place in 0..200 {
        pull.person_comment(&format!("Remark {place}"), at("10:01"));
        pull.react_body(ada(), "heart", at("10:01"));
        pull.react(trigger, ada(), "heart", at("10:01"));
        pull.status(&format!("check {place}"), "success", at("10:01"));
    }
    let review = pull.review(connector(), "COMMENTED", "", &head, at("10:05"));
    let first = pull.thread_in(review, "src/lib.rs", 1, &finding("P1", "Keep the lock"));
    for place in 1..120 {
        pull.thread_in(review, "src/lib.rs", place, &finding("P2", "Another"));
    }
    for place in 1..200 {
        pull.reply(first, ada(), &format!("Reply {place}"), at("10:06"));
    }
    for _ in 0..150 {
        pull.draft(at("10:07"));
        pull.ready(at("10:07"));
    }
    for place in 0..130 {
        let suite = pull.suite(&head, at("10:01"));
        pull.check_in(
            suite,
            &format!("job {place}"),
            Some("success"),
            at("10:01"),
            at("10:02"),
        );
    }
    let github = Github::start(world);
    let product = Product::new(&github);
    let bundle = product.run(&["collect", "42"]).expect(0).json();
    for (name, items) in [
        ("issueComments", 201),
        ("bodyReactions", 200),
        ("statuses", 200),
        ("threads", 120),
        ("reviewComments", 319),
        ("reviews", 200),
        ("timeline", 300),
        ("checkSuites", 130),
        ("checkRuns", 130),
        ("commits", 121),
    ] {
        assert_eq!(
            (status(&bundle, name).as_str(), count(&bundle, name)),
            ("complete", items),
            "{name}"
        );
    }
    assert!(bundle["surfaces"]["threadsCursor"].is_string());
    let comments = &surface(&bundle, "threads")["items"][0]["comments"];
    assert_eq!(comments.as_array().map(Vec::len), Some(200));
    let reactions = &bundle["surfaces"]["commentReactions"][trigger.to_string()];
    assert_eq!(
        (&reactions["status"], reactions["items"].as_array().map(Vec::len)),
        (&"complete".into(), Some(200))
    );
}

#[test]
fn a_full_last_page_is_proven_to_be_the_last() {
    let mut world = quiet();
    for _ in 0..100 {
        world.pull(42).react_body(ada(), "heart", at("10:00"));
    }
    let github = Github::start(world);
    let product = Product::new(&github);
    let bundle = product.run(&["collect", "42"]).expect(0).json();
    assert_eq!(
        (
            status(&bundle, "bodyReactions").as_str(),
            count(&bundle, "bodyReactions")
        ),
        ("complete", 100)
    );

    github.forget();
    github.change(|world| {
        world.pull(42).react_body(ada(), "heart", at("10:00"));
    });
    github
        .on(Match::get("*/issues/42/reactions").page(1))
        .without_link();
    let bundle = product.run(&["collect", "42"]).expect(0).json();
    assert_eq!(
        status(&bundle, "bodyReactions"),
        "incomplete \"incomplete\": GitHub's answer broke off after a full page."
    );
}

#[test]
fn a_bundle_is_written_at_once_and_read_back_the_same() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let file = product.path("tmp/bundle.json");
    let path = file.to_string_lossy().into_owned();
    let run = product.run(&["collect", "42", "-o", &path]).expect(0);
    assert_eq!(run.stdout, "");
    let text = std::fs::read_to_string(&file).expect("the bundle");
    let calls = github.log().gh_calls();
    let again = product.run(&["collect", "--from", &path]).expect(0);
    assert_eq!(again.stdout, text);
    let piped = product
        .command(&["collect", "42", "--from", "-"])
        .stdin(text.clone())
        .run()
        .expect(0);
    assert_eq!(piped.stdout, text);
    assert_eq!(github.log().gh_calls(), calls, "a saved bundle needs no gh");

    let missing = product
        .path("tmp/nowhere/bundle.json")
        .to_string_lossy()
        .into_owned();
    let run = product.run(&["collect", "42", "-o", &missing]).expect(1);
    assert!(run.stderr.contains("could not be written"), "{run}");
    let run = product.run(&["collect", "43", "--from", &path]).expect(2);
    assert!(run.stderr.contains("about pull request 42"), "{run}");
}

#[test]
fn a_redacted_bundle_holds_no_names() {
    let mut world = quiet();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.person_comment("The Zanzibar launch is secret", at("10:10"));
    pull.thread(
        connector(),
        &head,
        "src/zanzibar.rs",
        3,
        &finding("P1", "Keep Zanzibar locked"),
        at("10:11"),
    );
    pull.pull().title = "Zanzibar".into();
    let github = Github::start(world);
    let product = Product::new(&github);
    let run = product.run(&["collect", "42", "--redact"]).expect(0);
    let lower = run.stdout.to_lowercase();
    for name in ["zanzibar", "octo", "widgets", "\"ada\"", "topic-42"] {
        assert!(!lower.contains(name), "{name} is left in {run}");
    }
    assert_eq!(
        run.json()["surfaces"]["threads"]["items"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn verbose_names_each_call_and_never_the_token() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let run = product.run(&["collect", "42", "-v"]).expect(0);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), github.log().gh_calls(), "{run}");
    assert!(
        lines
            .iter()
            .all(|line| line.starts_with("gh api ") && line.ends_with(" ms)")),
        "{run}"
    );
    assert!(!run.stderr.contains("loopback-token"));
}
