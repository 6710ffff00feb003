//! `evaluate state`: what GitHub shows now, in the evaluator's words, and when there is no state at all.

use serde_json::{Value, json};

use super::{checkpoint, digest, evaluate, recorded, request, request_body, requested, state_of};
use crate::github::{
    Account, EventKind, Github, Match, World, ada, ago, announcement, clean_text, connector, finding, grace,
    impostor, iso, now,
};
use crate::product::Product;

/// The hosted half for the pending request of a world that was changed.
#[track_caller]
fn hosted(change: impl FnOnce(&mut World)) -> Value {
    let (mut world, comment) = requested();
    change(&mut world);
    let github = Github::start(world);
    let product = Product::new(&github);
    let checkpoint = checkpoint(&product, "autonomous", &recorded(&github, comment, 0));
    let state = state_of(&product, &checkpoint).expect(0).json();
    // What comes out is valid input: at worst it halts.
    evaluate(&product, &[], &state).expect(0);
    assert!(github.log().writes().is_empty());
    product.assert_no_child_left();
    state["hosted"].clone()
}

#[test]
fn a_pending_request_is_read_as_it_stands() {
    let (world, comment) = requested();
    let github = Github::start(world);
    let product = Product::new(&github);
    let request = recorded(&github, comment, 0);
    let checkpoint = checkpoint(&product, "autonomous", &request);
    let state = state_of(&product, &checkpoint).expect(0).json();
    assert_eq!(state["persisted"], checkpoint["persisted"]);
    assert_eq!(state["local"], checkpoint["local"]);
    let hosted = &state["hosted"];
    assert_eq!(hosted["current_user_database_id"], 1001);
    assert_eq!(
        hosted["pull_request"],
        json!({
            "number": 42,
            "url": "https://github.com/octo/widgets/pull/42",
            "state": "open",
            "is_draft": false,
            "base_repository": "octo/widgets",
            "head_repository": "octo/widgets",
            "current_base_branch": "main",
            "current_head_branch": "topic-42",
            "head_branch_exists": true,
            "current_base_sha": request["base_sha"],
            "current_head_sha": request["head_sha"],
        })
    );
    assert_eq!(hosted["receipt"]["author_database_id"], 199_175_422);
    assert_eq!(
        hosted["receipt"]["author_type"], "User",
        "as REST serialises an app's reaction"
    );
    assert_eq!(hosted["responses"], json!([]));
    assert_eq!(
        hosted["gates"],
        json!({"required_checks": "pass", "approvals": "pass", "mergeability": "pass", "branch_protection": "pass"})
    );
    let decision = evaluate(&product, &[], &state).expect(0).json();
    assert_eq!(decision["action"], "wait");
    assert_eq!(decision["report"]["receipt_confirmed"], true);
}

#[test]
fn responses_carry_what_the_evaluator_judges_them_by() {
    let mut head = String::new();
    let found = hosted(|world| {
        let mut pull = world.pull(42);
        head = pull.head();
        pull.connector_comment(&clean_text(&"e".repeat(40)), ago("19m"));
        pull.review(connector(), "COMMENTED", &announcement(&head), &head, ago("12m"));
        pull.person_comment("@codex explain this", ago("11m"));
        pull.connector_comment(&clean_text(&head), ago("10m"));
        pull.comment(impostor(), &clean_text(&head), ago("9m"));
        pull.comment(grace(), "Looks good, no issues found.", ago("8m"));
    });
    let responses = found["responses"].as_array().expect("responses");
    assert_eq!(responses.len(), 3, "only the connector's: {responses:?}");
    for response in responses {
        assert_eq!(
            (&response["author_database_id"], &response["author_type"]),
            (&json!(199_175_422), &json!("Bot"))
        );
        assert_eq!(response["trigger_request_id"], Value::Null);
        assert_eq!(response["content_version_at"], response["created_at"]);
    }
    let by_outcome = |outcome: &str, between: u64| {
        let mut matching = responses
            .iter()
            .filter(|one| one["outcome"] == outcome && one["intervening_requests"] == between)
            .collect::<Vec<_>>();
        assert_eq!(matching.len(), 1, "{outcome} {between}: {responses:?}");
        matching.remove(0)
    };
    assert_eq!(
        by_outcome("no-findings", 1)["commit_sha"],
        json!(head),
        "a short SHA is resolved"
    );
    assert_eq!(
        by_outcome("unclear", 0)["commit_sha"],
        json!(head),
        "an announcement without comments yet"
    );
    let other = responses
        .iter()
        .find(|one| one["commit_sha"] != json!(head))
        .expect("the other commit's");
    assert_eq!(
        other["commit_sha"],
        Value::Null,
        "a short SHA of an unknown commit proves nothing"
    );
}

#[test]
fn a_clean_text_that_somebody_else_edited_is_unclear() {
    let outcome = |editor: Account| {
        let found = hosted(|world| {
            let mut pull = world.pull(42);
            let head = pull.head();
            let clean = pull.connector_comment("Something went on here.", ago("10m"));
            pull.edit(clean, editor, &clean_text(&head), ago("5m"));
        });
        let response = &found["responses"][0];
        assert!(response["content_version_at"].as_str() > response["created_at"].as_str());
        response["outcome"].clone()
    };
    assert_eq!(outcome(connector()), "no-findings");
    assert_eq!(outcome(ada()), "unclear");
}

#[test]
fn threads_are_actionable_eligible_foreign_or_done() {
    let found = hosted(|world| {
        let mut pull = world.pull(42);
        let head = pull.head();
        let mut thread = |author: Account, line| {
            pull.thread(
                author,
                &head,
                "src/lib.rs",
                line,
                &finding("P1", "Keep the lock"),
                ago("12m"),
            )
        };
        let _open = thread(connector(), 1);
        let answered = thread(connector(), 2);
        let outdated = thread(connector(), 3);
        let resolved = thread(connector(), 4);
        let asked_again = thread(connector(), 5);
        let by_stranger = thread(connector(), 6);
        let _foreign = thread(grace(), 7);
        let _impostor = thread(impostor(), 8);
        pull.reply(answered, ada(), "Fixed by holding the lock longer.", ago("5m"));
        pull.outdate(outdated);
        pull.resolve(resolved);
        pull.reply(asked_again, ada(), "Fixed.", ago("5m"));
        pull.reply(asked_again, connector(), "It still changes.", ago("4m"));
        pull.reply(by_stranger, grace(), "I agree.", ago("5m"));
    });
    let count = |name: &str| found[name].as_array().expect("threads").len();
    assert_eq!(
        count("actionable_threads"),
        3,
        "open, asked again, answered by somebody else"
    );
    assert_eq!(
        count("finalization_eligible_threads"),
        2,
        "answered by the request's author, outdated"
    );
    assert_eq!(found["non_codex_unresolved_threads"], 2);
    for name in ["actionable_threads", "finalization_eligible_threads"] {
        let ids: Vec<&str> = found[name]
            .as_array()
            .expect("threads")
            .iter()
            .filter_map(|one| one["id"].as_str())
            .collect();
        assert!(
            ids.is_sorted() && ids.iter().all(|id| id.starts_with("PRRT_")),
            "{ids:?}"
        );
    }
}

#[test]
fn gates_are_read_each_by_itself() {
    let gates = |change: fn(&mut crate::github::PullHandle<'_>)| {
        let found = hosted(|world| change(&mut world.pull(42)));
        let word = |name: &str| found["gates"][name].as_str().expect("a word").to_owned();
        [
            word("required_checks"),
            word("approvals"),
            word("mergeability"),
            word("branch_protection"),
        ]
    };
    assert_eq!(
        gates(|pull| pull.require_checks(&["build"])),
        ["pass", "pass", "pass", "pass"]
    );
    assert_eq!(
        gates(|pull| pull.require_checks(&["deploy"]))[0],
        "pending",
        "required and not there"
    );
    assert_eq!(
        gates(|pull| pull.no_checks())[0],
        "unknown",
        "nothing known of any check"
    );
    assert_eq!(
        gates(|pull| {
            pull.status("lint", "failure", ago("5m"));
        })[0],
        "fail"
    );
    assert_eq!(
        gates(|pull| {
            pull.status("lint", "pending", ago("5m"));
        })[0],
        "pending"
    );
    assert_eq!(
        gates(|pull| pull.pull().review_decision = Some("APPROVED".to_owned()))[1],
        "pass"
    );
    assert_eq!(
        gates(|pull| pull.pull().review_decision = Some("CHANGES_REQUESTED".to_owned()))[1],
        "fail"
    );
    assert_eq!(
        gates(|pull| pull.pull().review_decision = Some("REVIEW_REQUIRED".to_owned()))[1],
        "pending"
    );
    assert_eq!(
        gates(|pull| pull.pull().mergeable = "CONFLICTING".to_owned())[2],
        "fail"
    );
    assert_eq!(
        gates(|pull| pull.pull().mergeable = "UNKNOWN".to_owned())[2],
        "unknown"
    );
    assert_eq!(
        gates(|pull| pull.pull().merge_state = "BLOCKED".to_owned())[3],
        "fail"
    );
    assert_eq!(
        gates(|pull| pull.pull().merge_state = "UNKNOWN".to_owned())[3],
        "unknown"
    );
}

#[test]
fn rules_that_cannot_be_read_leave_the_gates_unknown() {
    let (world, comment) = requested();
    let github = Github::start(world);
    let product = Product::new(&github);
    github
        .on(Match::get("*/rules/branches/*"))
        .status(500, "Server Error");
    let checkpoint = checkpoint(&product, "autonomous", &recorded(&github, comment, 0));
    let state = state_of(&product, &checkpoint).expect(0).json();
    assert_eq!(
        state["hosted"]["gates"],
        json!({"required_checks": "unknown", "approvals": "unknown", "mergeability": "pass", "branch_protection": "unknown"})
    );
}

#[test]
fn a_surface_that_breaks_off_gives_no_state() {
    for route in [
        "*/issues/42/comments",
        "*/pulls/42/reviews",
        "*/pulls/42/comments",
    ] {
        let (world, comment) = requested();
        let github = Github::start(world);
        let product = Product::new(&github);
        github.on(Match::get(route)).status(500, "Server Error");
        let checkpoint = checkpoint(&product, "autonomous", &recorded(&github, comment, 0));
        let run = state_of(&product, &checkpoint).expect(1);
        assert!(
            run.stdout.is_empty() && run.stderr.contains("pause-only-quarantine"),
            "{run}"
        );
    }
}

#[test]
fn a_request_that_is_not_as_recorded_gives_no_state() {
    let (world, comment) = requested();
    let github = Github::start(world);
    let product = Product::new(&github);
    let good = checkpoint(&product, "autonomous", &recorded(&github, comment, 0));
    state_of(&product, &good).expect(0);
    let refused = |field: &str, value: Value, why: &str| {
        let mut other = good.clone();
        other["persisted"]["request"][field] = value;
        let run = state_of(&product, &other).expect(1);
        assert!(
            run.stdout.is_empty() && run.stderr.contains(why),
            "{field}: {run}"
        );
    };
    refused("comment_id", json!(7), "is not on the pull request");
    refused("author_database_id", json!(1002), "another author");
    refused("created_at", json!(iso(ago("21m"))), "another time");
    refused("round", json!(1), "does not carry the marker");
    refused("head_sha", json!("e".repeat(40)), "does not carry the marker");
    let mut elsewhere = good.clone();
    elsewhere["persisted"]["pull_request_url"] = json!("https://github.com/octo/widgets/pull/43");
    assert!(
        state_of(&product, &elsewhere)
            .expect(1)
            .stderr
            .contains("the checkpoint is about")
    );
    github.change(|world| {
        let mut pull = world.pull(42);
        let head = pull.head();
        pull.person_comment(&request_body(0, &head), ago("1m"));
    });
    assert!(
        state_of(&product, &good)
            .expect(1)
            .stderr
            .contains("more than once")
    );
}

#[test]
fn a_wrong_checkpoint_costs_no_call() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    for text in [
        "{}",
        "",
        "[]",
        "{\"schema_version\":1,\"persisted\":{},\"local\":{}}",
    ] {
        let path = product.path("wrong.json");
        std::fs::write(&path, text).expect("written");
        let run = product
            .run(&["evaluate", "state", "42", "--checkpoint", &path.to_string_lossy()])
            .expect(1);
        assert!(
            run.stdout.is_empty() && run.stderr.contains("pause-only-quarantine"),
            "{run}"
        );
    }
    assert_eq!(github.log().gh_calls(), 0);
}

#[test]
fn whatever_moved_on_github_halts_the_loop() {
    let decide = |change: &dyn Fn(&mut World)| {
        let (world, comment) = requested();
        let github = Github::start(world);
        let product = Product::new(&github);
        let checkpoint = checkpoint(&product, "autonomous", &recorded(&github, comment, 0));
        github.change(|world| change(world));
        let state = state_of(&product, &checkpoint).expect(0).json();
        let decision = evaluate(&product, &[], &state).expect(0).json();
        (
            decision["action"].as_str().expect("an action").to_owned(),
            decision["automation_action"]
                .as_str()
                .expect("an action")
                .to_owned(),
            decision["reasons"][0]["code"]
                .as_str()
                .expect("a code")
                .to_owned(),
        )
    };
    let halt = |automation_action: &str, reason: &str| {
        ("halt".to_owned(), automation_action.to_owned(), reason.to_owned())
    };
    assert_eq!(
        decide(&|world| drop(world.pull(42).push("more", ago("5m")))),
        halt("pause", "head-drift")
    );
    assert_eq!(
        decide(&|world| {
            let mut pull = world.pull(42);
            pull.pull().base_oid = pull.pull().head_oid.clone();
        }),
        halt("pause", "base-tip-drift")
    );
    assert_eq!(
        decide(&|world| world.pull(42).pull().base_ref = "release".to_owned()),
        halt("pause", "base-branch-drift")
    );
    assert_eq!(
        decide(&|world| world.pull(42).pull().head_ref = "renamed".to_owned()),
        halt("pause", "head-branch-drift")
    );
    assert_eq!(
        decide(&|world| world.pull(42).close(ago("5m"))),
        halt("delete-owned", "pull-request-closed")
    );
    assert_eq!(
        decide(&|world| world.pull(42).merge(ago("5m"))),
        halt("delete-owned", "pull-request-merged")
    );
    assert_eq!(
        decide(&|world| world.viewer = grace()),
        halt("none", "authentication-changed")
    );
    let deleted = decide(&|world| {
        world.pull(42).event(EventKind::HeadRefDeleted, ada(), ago("5m"));
    });
    assert_eq!(deleted, halt("delete-owned", "head-branch-deleted"));
}

#[test]
fn an_expired_request_is_expired_by_githubs_clock() {
    for (age, action) in [("61m", "expired"), ("55m", "wait")] {
        let mut world = World::opened(ago("3h"));
        let comment = request(&mut world.pull(42), 0, ago(age));
        let github = Github::start(world);
        let product = Product::new(&github);
        let checkpoint = checkpoint(&product, "autonomous", &recorded(&github, comment, 0));
        let state = state_of(&product, &checkpoint).expect(0).json();
        assert!(state["hosted"]["observed_at"].as_str() <= Some(iso(now()).as_str()));
        let decision = evaluate(&product, &[], &state).expect(0).json();
        assert_eq!(decision["action"], action, "{age}");
    }
}

#[test]
fn a_saved_bundle_gives_the_same_state() {
    let (mut world, comment) = requested();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.connector_comment(&clean_text(&head), ago("10m"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let checkpoint = checkpoint(&product, "autonomous", &recorded(&github, comment, 0));
    let bundle = product.path("bundle.json").to_string_lossy().into_owned();
    product.run(&["collect", "42", "-o", &bundle]).expect(0);
    let live = state_of(&product, &checkpoint).expect(0).json();
    let path = super::write(&product, &checkpoint).to_string_lossy().into_owned();
    let mut saved = product
        .run(&["evaluate", "state", "--from", &bundle, "--checkpoint", &path])
        .expect(0)
        .json();
    saved["hosted"]["observed_at"] = live["hosted"]["observed_at"].clone();
    assert_eq!(digest(&product, &saved), digest(&product, &live));
}
