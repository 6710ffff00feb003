//! `snapshot` over the real gh: what the sensor document says of a world, and when it says nothing at all.

use std::time::Duration;

use serde_json::{Value, json};

use crate::github::{
    App, EventKind, Github, Match, Time, World, ada, announcement, at, clean_text, connector, finding, iso,
};
use crate::product::{Product, Run};

/// `@codex review` with the sensor's marker for a head.
pub fn request(head: &str) -> String {
    format!("@codex review\n\n<!-- dsh-review-head: {head} -->")
}

fn snapshot(world: World, options: &[&str]) -> Value {
    let github = Github::start(world);
    let product = Product::new(&github);
    let mut arguments = vec!["snapshot", "42"];
    arguments.extend(options);
    product.run(&arguments).expect(0).json()
}

fn kinds(snapshot: &Value) -> Vec<&str> {
    let events = snapshot["timeline"].as_array().expect("a timeline");
    events.iter().filter_map(|event| event["kind"].as_str()).collect()
}

fn keys<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    let items = list.as_array().expect("a list");
    items.iter().filter_map(|item| item[field].as_str()).collect()
}

/// A pull request whose head was asked about with a marker at 10:00, looked at and passed by name.
fn quiet() -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let asked = pull.person_comment(&request(&head), at("10:00"));
    pull.react(asked, connector(), "eyes", at("10:00:09"));
    pull.connector_comment(&clean_text(&head), at("10:04"));
    world
}

#[test]
fn a_passed_pull_request_is_told_in_at_most_22_calls() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let head = github.change(|world| world.pull(42).head());
    let snapshot = product.run(&["snapshot", "42"]).expect(0).json();
    assert_eq!(snapshot["version"], 2);
    assert_eq!(snapshot["repo"], "octo/widgets");
    assert_eq!(
        (&snapshot["pr"], &snapshot["pr_state"]),
        (&json!(42), &json!("OPEN"))
    );
    assert_eq!(
        (&snapshot["is_draft"], &snapshot["head_sha"]),
        (&json!(false), &json!(head))
    );
    assert_eq!(kinds(&snapshot), ["retrigger", "reviewing", "approved"]);
    assert_eq!(snapshot["latest"]["kind"], "approved");
    assert_eq!(snapshot["latest"]["commitIdPrefix"], head[..10]);
    assert_eq!(snapshot["head_first_seen_at"], iso(at("09:01")));
    assert_eq!(snapshot["ci"]["state"], "success");
    assert_eq!(snapshot["warnings"], json!([]));
    let calls = github.log().gh_calls();
    assert!(calls <= 22, "{calls} calls:\n{}", github.log().lines());
    let schema = product.run(&["schema", "snapshot"]).expect(0).json();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<String> = validator
        .iter_errors(&snapshot)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(faults, Vec::<String>::new());
    let _ = product.run(&["snapshot", "42", "--exit-code"]).expect(0);
}

#[test]
fn the_same_pull_request_gives_the_same_document() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let mut texts: Vec<Value> = (0..2)
        .map(|_| product.run(&["snapshot", "42"]).expect(0).json())
        .collect();
    for text in &mut texts {
        text["sampled_at"] = Value::Null;
    }
    assert_eq!(texts[0], texts[1]);
    let bundle = product.run(&["collect", "42"]).expect(0).stdout;
    let saved = product.command(&["snapshot", "--from", "-"]).stdin(bundle).run();
    let mut saved = saved.expect(0).json();
    saved["sampled_at"] = Value::Null;
    assert_eq!(saved, texts[0]);
}

#[test]
fn the_phase_begins_with_the_newest_lifecycle_event_or_marked_request() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let committed = pull.repository().commit_mut(&head).committed_at;
    let snapshot_of = |world: &World| snapshot(world.clone(), &[]);
    let before = snapshot_of(&world);
    assert_eq!(before["phase_not_before"], iso(committed));
    assert_eq!(
        (&before["phase_boundary_active"], &before["phase_sources"]),
        (&json!(false), &json!([]))
    );
    world.pull(42).ready(at("10:00"));
    let ready = snapshot_of(&world);
    assert_eq!(ready["phase_not_before"], iso(at("10:00")));
    assert_eq!(keys(&ready["phase_sources"], "source"), ["ready-for-review"]);
    world.pull(42).close(at("10:05"));
    world.pull(42).reopen(at("10:06"));
    assert_eq!(
        keys(&snapshot_of(&world)["phase_sources"], "source"),
        ["reopened"]
    );
    let asked = world.pull(42).person_comment(&request(&head), at("10:10"));
    let requested = snapshot_of(&world);
    assert_eq!(
        requested["phase_sources"],
        json!([{
            "at": iso(at("10:10")), "source": "review-request", "eventKey": format!("issue-comment:{asked}"),
            "eventId": asked.0,
        }])
    );
    let explicit = snapshot(world, &["--not-before", "2026-09-16T10:20:00Z"]);
    assert_eq!(
        keys(&explicit["phase_sources"], "source"),
        ["explicit-not-before"]
    );
    assert_eq!(kinds(&explicit), Vec::<&str>::new());
}

#[test]
fn an_unmarked_request_opens_no_phase() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let asked = pull.person_comment("@codex review", at("10:00"));
    pull.react(asked, connector(), "+1", at("10:04"));
    pull.person_comment(&request(&"0".repeat(40)), at("10:05"));
    let snapshot = snapshot(world, &[]);
    assert_eq!(snapshot["phase_boundary_active"], false);
    assert_eq!(kinds(&snapshot), Vec::<&str>::new());
}

#[test]
fn in_the_second_of_the_request_only_a_later_comment_counts() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.connector_comment(&clean_text(&head), at("10:00"));
    let asked = pull.person_comment(&request(&head), at("10:00"));
    pull.review(connector(), "COMMENTED", &announcement(&head), &head, at("10:00"));
    pull.react_body(connector(), "eyes", at("10:00"));
    assert_eq!(kinds(&snapshot(world.clone(), &[])), ["retrigger"]);
    let mut pull = world.pull(42);
    pull.react(asked, connector(), "eyes", at("10:00"));
    pull.connector_comment(&clean_text(&head), at("10:00"));
    let tied = snapshot(world, &[]);
    assert_eq!(kinds(&tied), ["retrigger", "reviewing", "approved"]);
    assert_eq!(tied["counts"]["pass_comments"], 2);
}

#[test]
fn reactions_on_the_request_are_signals_and_one_on_the_body_is_none() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let asked = pull.person_comment(&request(&head), at("10:00"));
    let on_request = pull.react(asked, connector(), "+1", at("10:04"));
    let on_body = pull.react_body(connector(), "+1", at("10:05"));
    pull.react(asked, ada(), "+1", at("10:06"));
    let snapshot = snapshot(world, &[]);
    assert_eq!(kinds(&snapshot), ["retrigger", "approval_signal"]);
    let signal = &snapshot["latest_observed"];
    assert_eq!(signal["eventKey"], format!("reaction:{on_request}"));
    assert_eq!(
        (&signal["boundToHead"], &signal["requestCommentId"]),
        (&json!(false), &json!(asked.0))
    );
    assert_eq!(snapshot["latest_strong"]["kind"], "retrigger");
    assert_eq!(
        keys(&snapshot["unbound_approval_signals"], "eventKey"),
        [format!("reaction:{on_request}"), format!("reaction:{on_body}")]
    );
}

#[test]
fn a_pass_is_resolved_by_github() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.connector_comment(&clean_text(&head), at("10:00"));
    let shared = format!("{}{}", &head[..10], "f".repeat(30));
    let passed = snapshot(world.clone(), &[]);
    assert_eq!(kinds(&passed), ["approved"]);
    assert_eq!(
        passed["current_head_pass_comments"][0]["commit_id_prefix"],
        head[..10]
    );
    // Another commit of the pull request begins with the same digits.
    world.pull(42).add_commit(&shared, at("09:10"));
    let ambiguous = snapshot(world, &[]);
    assert_eq!(
        (kinds(&ambiguous), &ambiguous["counts"]["pass_comments"]),
        (vec![], &json!(0))
    );
}

#[test]
fn a_usage_limit_is_a_notice_of_the_phase() {
    let mut world = quiet();
    let text = "You have reached your Codex usage limits for code reviews. See the dashboard.";
    let limit = world.pull(42).connector_comment(text, at("10:20"));
    let snapshot = snapshot(world, &[]);
    assert_eq!(snapshot["latest"]["eventKey"], format!("issue-comment:{limit}"));
    assert_eq!(
        (&snapshot["latest"]["kind"], &snapshot["latest"]["priority"]),
        (&json!("limit_notice"), &json!(7))
    );
    assert_eq!(snapshot["latest"]["body"], text);
}

#[test]
fn an_inline_finding_that_github_shows_on_the_head_counts() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let old = pull.head();
    let kept = pull.thread(
        connector(),
        &old,
        "src/lib.rs",
        3,
        &finding("P2", "Keep the lock"),
        at("09:10"),
    );
    let gone = pull.thread(
        connector(),
        &old,
        "src/a.rs",
        5,
        &finding("P1", "Free it"),
        at("09:11"),
    );
    let head = pull.push("second", at("09:30"));
    pull.thread_mut(kept).comments[0].commit.clone_from(&head);
    let (kept, gone) = (pull.root_comment(kept), pull.root_comment(gone));
    let snapshot = snapshot(world, &[]);
    assert_eq!(
        keys(&snapshot["review_items"], "itemKey"),
        [format!("review-comment:{kept}")]
    );
    let item = &snapshot["review_items"][0];
    assert_eq!(
        (&item["commitId"], &item["originalCommitId"]),
        (&json!(head), &json!(old))
    );
    assert_eq!(
        (&item["priority"], &item["path"], &item["kind"]),
        (&json!("P2"), &json!("src/lib.rs"), &json!("inline-comment"))
    );
    assert!(!snapshot["open_comments"].to_string().contains(&gone.to_string()));
    assert_eq!(snapshot["counts"]["finding_rounds"], 2);
}

#[test]
fn an_empty_frame_completes_a_review_and_a_finding_in_the_body_is_an_item() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.review(connector(), "COMMENTED", &announcement(&head), &head, at("10:00"));
    let completed = snapshot(world.clone(), &[]);
    assert_eq!(kinds(&completed), ["review_completed"]);
    assert_eq!(
        (&completed["finding_rounds"], &completed["review_items"]),
        (&json!([]), &json!([]))
    );
    let own = format!(
        "https://github.com/octo/widgets/blob/{head}/src/lib.rs#L7-L9\n{}",
        finding("P0", "Keep the lock").replace("\n\nUseful? React with 👍 / 👎.", "")
    );
    let body = announcement(&head).replace("**Reviewed", &format!("{own}\n\n**Reviewed"));
    let review = world
        .pull(42)
        .review(connector(), "COMMENTED", &body, &head, at("10:10"));
    let found = snapshot(world, &[]);
    assert_eq!(kinds(&found), ["review_completed", "review_comments"]);
    let item = &found["review_items"][0];
    assert_eq!(
        (&item["itemKey"], &item["priority"]),
        (&json!(format!("review-body:{review}")), &json!("P0"))
    );
    assert_eq!(item["body"], own.replace("\n\n", "\n"));
    assert_eq!(item["rawBody"], body);
    assert_eq!(found["finding_rounds"][0]["reviewId"], review.0);
}

#[test]
fn five_finding_rounds_over_two_heads() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let first = pull.head();
    let round = |pull: &mut crate::github::PullHandle<'_>, commit: &str, time: Time| {
        let review = pull.review(connector(), "COMMENTED", &announcement(commit), commit, time);
        pull.thread_in(review, "src/lib.rs", 3, &finding("P1", "Keep the lock"));
        review.0
    };
    let mut reviews: Vec<u64> = Vec::new();
    for time in ["09:10", "09:20", "09:30"] {
        reviews.push(round(&mut pull, &first, at(time)));
    }
    let second = pull.push("second", at("10:00"));
    for time in ["10:10", "10:20"] {
        reviews.push(round(&mut pull, &second, at(time)));
    }
    let snapshot = snapshot(world, &[]);
    let told: Vec<u64> = snapshot["finding_rounds"]
        .as_array()
        .expect("rounds")
        .iter()
        .filter_map(|round| round["reviewId"].as_u64())
        .collect();
    assert_eq!(told, reviews);
    assert_eq!(snapshot["counts"]["finding_rounds"], 5);
    assert_eq!(snapshot["counts"]["reviews"], 2, "on this head");
    assert_eq!(snapshot["counts"]["open_review_items"], 2);
}

#[test]
fn a_committer_date_that_cannot_be_true_is_a_warning() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.repository().commit_mut(&head).committed_at = at("2026-09-15T09:00:00Z");
    let warned = snapshot(world, &[]);
    assert_eq!(keys(&warned["warnings"], "code"), ["head-time-uncertain"]);
    assert_eq!(warned["head_first_seen_at"], iso(at("09:01")));
}

mod ci {
    use super::{App, Github, Product, Value, World, at, iso, json, keys, snapshot};

    /// A pull request opened at 09:00 without any check.
    fn bare() -> World {
        let mut world = World::new();
        world.pull(42).no_checks();
        world
    }

    fn ci(world: &World, options: &[&str]) -> Value {
        snapshot(world.clone(), options)["ci"].clone()
    }

    fn check(world: &mut World, name: &str, conclusion: Option<&str>, started: &str, completed: &str) {
        let mut pull = world.pull(42);
        let head = pull.head();
        let suite = pull.suite(&head, at(started));
        pull.check_in(suite, name, conclusion, at(started), at(completed));
    }

    #[test]
    fn ready_for_review_and_reopened_begin_a_phase_of_their_own() {
        for (event, word) in [("ready", "ready_for_review"), ("reopen", "reopened")] {
            let mut world = bare();
            check(&mut world, "build", Some("success"), "09:10", "09:12");
            assert_eq!(ci(&world, &[])["state"], "success");
            match event {
                "ready" => world.pull(42).ready(at("10:00")),
                _ => {
                    world.pull(42).close(at("09:50"));
                    world.pull(42).reopen(at("10:00"));
                }
            }
            let moved = ci(&world, &[]);
            assert_eq!(
                (&moved["state"], &moved["not_before"]),
                (&json!("none"), &json!(iso(at("10:00"))))
            );
            assert_eq!(keys(&moved["not_before_sources"], "source"), [word]);
            assert_eq!(keys(&moved["discarded_before_not_before"], "name"), ["build"]);
            check(&mut world, "build", Some("success"), "10:00", "10:00:01");
            let again = ci(&world, &[]);
            assert_eq!(
                again["state"], "success",
                "it started in that second and completed later"
            );
            assert_eq!(
                again["discarded_before_not_before"],
                json!([]),
                "the latest of a name and app speaks"
            );
        }
    }

    #[test]
    fn what_started_and_completed_in_the_second_of_the_boundary_proves_nothing() {
        let mut world = bare();
        world.pull(42).ready(at("10:00"));
        check(&mut world, "build", Some("success"), "10:00", "10:00");
        assert_eq!(ci(&world, &["--required-check", "build"])["state"], "none");
    }

    #[test]
    fn a_queued_check_counts_by_its_suite() {
        for (created, state) in [("10:00", "pending"), ("09:59:59", "none")] {
            let mut world = bare();
            let mut pull = world.pull(42);
            let head = pull.head();
            pull.ready(at("10:00"));
            let suite = pull.suite(&head, at(created));
            pull.check_in(suite, "build", None, at("10:30"), at("10:30"));
            pull.suite_mut(suite).runs[0].status = "queued".to_owned();
            let ci = ci(&world, &["--required-check", "build"]);
            assert_eq!(ci["state"], state, "{created}");
            if state == "pending" {
                assert_eq!(ci["pending"][0]["evidence_at"], iso(at(created)));
            }
        }
        let mut world = bare();
        let mut pull = world.pull(42);
        let head = pull.head();
        let suite = pull.suite(&head, at("09:10"));
        pull.suite_mut(suite).status = "queued".to_owned();
        pull.suite_mut(suite).conclusion = None;
        let seen = ci(&world, &[]);
        assert_eq!(
            (&seen["state"], &seen["required_source"]),
            (&json!("pending"), &json!("seen"))
        );
        assert_eq!(keys(&seen["pending"], "key"), [format!("check-suite:{suite}")]);
    }

    #[test]
    fn required_checks_may_be_skipped_missing_and_several() {
        let mut world = bare();
        check(&mut world, "build", Some("success"), "09:10", "09:12");
        check(&mut world, "lint", Some("skipped"), "09:10", "09:10");
        check(&mut world, "docs", Some("neutral"), "09:10", "09:11");
        assert_eq!(
            ci(&world, &[])["state"],
            "success",
            "what was only seen may be skipped"
        );
        let named = ci(&world, &["--required-check", "build", "--required-check", "lint"]);
        assert_eq!(
            (&named["state"], &named["required_source"]),
            (&json!("failure"), &json!("explicit"))
        );
        assert_eq!(keys(&named["failed"], "name"), ["lint"]);
        let several = ci(&world, &["--required-check", "build", "--required-check", "docs"]);
        assert_eq!(
            (&several["state"], keys(&several["checks"], "name")),
            (&json!("success"), vec!["build", "docs"])
        );
        let missing = ci(&world, &["--required-check", "build", "--required-check", "test"]);
        assert_eq!(
            (&missing["state"], &missing["missing_required"]),
            (&json!("pending"), &json!(["test"]))
        );
        assert_eq!(ci(&world, &["--required-check", "test"])["state"], "none");
    }

    #[test]
    fn the_environment_and_the_rules_name_required_checks() {
        let mut world = bare();
        check(&mut world, "build", Some("success"), "09:10", "09:12");
        check(&mut world, "lint", Some("failure"), "09:10", "09:12");
        let github = Github::start(world);
        let product = Product::new(&github);
        let named = product
            .command(&["snapshot", "42"])
            .env("CODEX_REVIEW_REQUIRED_CHECKS", "build\n\ntest\n")
            .run()
            .expect(0)
            .json();
        assert_eq!(
            (&named["ci"]["state"], &named["ci"]["missing_required"]),
            (&json!("pending"), &json!(["test"]))
        );
        assert_eq!(named["ci"]["required_source"], "explicit");
        github.change(|world| world.pull(42).require_checks(&["build"]));
        let ruled = product.run(&["snapshot", "42"]).expect(0).json();
        assert_eq!(
            (&ruled["ci"]["state"], &ruled["ci"]["required_source"]),
            (&json!("success"), &json!("rules"))
        );
        assert_eq!(keys(&ruled["ci"]["checks"], "name"), ["build"]);
    }

    #[test]
    fn statuses_other_apps_and_re_runs() {
        let mut world = bare();
        let mut pull = world.pull(42);
        let head = pull.head();
        let suite = pull.suite(&head, at("09:10"));
        pull.check_in(suite, "build", Some("failure"), at("09:10"), at("09:12"));
        pull.check_in(suite, "build", Some("success"), at("09:20"), at("09:22"));
        pull.status("deploy", "pending", at("09:15"));
        pull.status("deploy", "success", at("09:25"));
        let beside = ci(&world, &[]);
        assert_eq!(beside["state"], "success");
        assert_eq!(
            keys(&beside["checks"], "logicalKey"),
            ["check-run:github-actions:build", "commit-status:deploy"]
        );
        let mut pull = world.pull(42);
        let other = pull.suite_of(App::named("other-ci", 77), &head, Some("topic-42"), at("09:10"));
        pull.check_in(other, "build", Some("failure"), at("09:10"), at("09:12"));
        let both = ci(&world, &["--required-check", "build"]);
        assert_eq!(
            both["state"], "failure",
            "another app's check of the same name is a check of its own"
        );
        assert_eq!(
            keys(&both["checks"], "logicalKey"),
            ["check-run:github-actions:build", "check-run:other-ci:build"]
        );
    }
}

/// Nothing on stdout, exit 1, and these words.
#[track_caller]
fn nothing(run: Run, words: &[&str]) {
    let run = run.expect(1);
    assert_eq!(run.stdout, "", "{run}");
    for word in words {
        assert!(run.stderr.contains(word), "{word} is not told: {run}");
    }
}

#[test]
fn a_surface_that_differs_between_the_readings_emits_nothing_and_is_named() {
    type Change = fn(&mut World);
    let changes: [(&str, Match, Change); 10] = [
        ("issueComments", Match::get("*/issues/42/comments"), |world| {
            world.pull(42).person_comment("More.", at("11:00"));
        }),
        ("issueComments", Match::get("*/issues/42/comments"), |world| {
            world.pull(42).pull().comments[1].body.push_str(" edited");
        }),
        ("reviews", Match::get("*/pulls/42/reviews"), |world| {
            let head = world.pull(42).head();
            world
                .pull(42)
                .review(connector(), "COMMENTED", "", &head, at("11:00"));
        }),
        ("reviewComments", Match::get("*/pulls/42/comments"), |world| {
            world.pull(42).pull().threads[0].comments[0]
                .body
                .push_str(" edited");
        }),
        ("threads", Match::graphql("query Threads("), |world| {
            world.pull(42).pull().threads[0].resolved = true;
        }),
        ("bodyReactions", Match::get("*/issues/42/reactions"), |world| {
            world.pull(42).react_body(connector(), "+1", at("11:00"));
        }),
        (
            "commentReactions",
            Match::get("*/issues/comments/*/reactions"),
            |world| {
                world.pull(42).pull().comments[0].reactions.clear();
            },
        ),
        ("checkRuns", Match::get("*/check-runs"), |world| {
            world.widgets().suites[0].runs[0].conclusion = Some("failure".to_owned());
        }),
        ("statuses", Match::get("*/statuses"), |world| {
            world.pull(42).status("deploy", "pending", at("11:00"));
        }),
        ("mergeGates", Match::get("*/rules/branches/main"), |world| {
            world.pull(42).require_checks(&["build"]);
        }),
    ];
    for (surface, request, change) in changes {
        let mut world = quiet();
        let mut pull = world.pull(42);
        let head = pull.head();
        pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("10:05"),
        );
        let github = Github::start(world);
        let product = Product::new(&github);
        github.on(request.nth(2)).before(change);
        nothing(
            product.run(&["snapshot", "42"]),
            &["changed during collection", surface],
        );
    }
    // What the pull request's own query brings along: after the last answer of the first reading.
    let changes: [(&str, Change); 2] = [
        ("timeline", |world| {
            world.pull(42).event(
                EventKind::BaseRefChanged {
                    from: "a".into(),
                    to: "main".into(),
                },
                ada(),
                at("11:00"),
            );
        }),
        ("checkSuites", |world| {
            let head = world.pull(42).head();
            world.pull(42).suite(&head, at("11:00"));
        }),
    ];
    for (surface, change) in changes {
        let github = Github::start(quiet());
        let product = Product::new(&github);
        github.on(Match::graphql("query Pull(").nth(3)).before(change);
        nothing(
            product.run(&["snapshot", "42"]),
            &["changed during collection", surface],
        );
    }
}

#[test]
fn metadata_that_keeps_changing_ends_after_three_tries() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let reads = std::sync::atomic::AtomicI64::new(0);
    github.on(Match::graphql("query Pull(")).before(move |world| {
        let read = reads.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        world.pull(42).pull().updated_at = at("11:00") + chrono::Duration::seconds(read);
    });
    nothing(
        product.run(&["snapshot", "42"]),
        &["changed during collection", "updatedAt", "3 tries"],
    );
    assert_eq!(
        github.log().count(&Match::graphql("query Pull(")),
        4,
        "{}",
        github.log().lines()
    );
}

#[test]
fn metadata_that_changes_once_is_read_again() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    github.on(Match::graphql("query Pull(").nth(2)).before(|world| {
        world.pull(42).pull().updated_at = at("11:00");
    });
    let snapshot = product.run(&["snapshot", "42"]).expect(0).json();
    assert_eq!(snapshot["latest"]["kind"], "approved");
}

#[test]
fn a_gh_that_hangs_is_killed_at_the_timeout() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    github.on(Match::get("*/pulls/42/reviews")).hang();
    let run = product
        .command(&["snapshot", "42"])
        .env("CODEX_REVIEW_GH_TIMEOUT_SECONDS", "1")
        .within(Duration::from_secs(20))
        .run();
    nothing(run, &["reviews", "1 s"]);
    product.assert_no_child_left();
}

#[test]
fn a_surface_that_cannot_be_read_emits_nothing() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    github
        .on(Match::get("*/issues/42/reactions"))
        .status(502, "Server Error");
    nothing(
        product.run(&["snapshot", "42"]),
        &["bodyReactions", "no snapshot"],
    );
}

#[test]
fn without_origin_and_without_a_repository_it_says_how() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let run = product
        .command(&["snapshot", "42"])
        .cwd(&product.path("home"))
        .run()
        .expect(2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("-R OWNER/REPO"), "{run}");
    let bare = product.path("work");
    std::fs::write(
        bare.join(".git/config"),
        "[core]\n\trepositoryformatversion = 0\n",
    )
    .expect("written");
    let run = product.run(&["snapshot", "42"]).expect(2);
    assert!(
        run.stderr.contains("no remote") && run.stderr.contains("-R OWNER/REPO"),
        "{run}"
    );
    product.run(&["snapshot", "42", "-R", "octo/widgets"]).expect(0);
}
