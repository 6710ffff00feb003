//! The sensor's rules, each value derived from the document "stable sensor".

mod gaps;

use proptest::prelude::{ProptestConfig, any, proptest};
use serde_json::{Value, json};

use super::Settings;
use super::world::{HEAD, OLD, World, at, finding, frame, pass, request};

fn kinds(snapshot: &Value) -> Vec<&str> {
    let events = snapshot["timeline"].as_array().expect("a timeline");
    events.iter().filter_map(|event| event["kind"].as_str()).collect()
}

fn sources(snapshot: &Value) -> Vec<&str> {
    let sources = snapshot["phase_sources"].as_array().expect("sources");
    sources
        .iter()
        .filter_map(|source| source["source"].as_str())
        .collect()
}

fn keys<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    let items = list.as_array().expect("a list");
    items.iter().filter_map(|item| item[field].as_str()).collect()
}

#[test]
fn the_document_has_the_fields_of_version_two() {
    let snapshot = World::new().observed();
    let mut fields: Vec<&str> = snapshot
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "ci",
            "counts",
            "current_head_pass_comments",
            "finding_rounds",
            "head_committed_at",
            "head_first_seen_at",
            "head_sha",
            "is_draft",
            "latest",
            "latest_observed",
            "latest_strong",
            "open_comments",
            "phase_boundary_active",
            "phase_not_before",
            "phase_sources",
            "pr",
            "pr_state",
            "repo",
            "review_items",
            "sampled_at",
            "timeline",
            "unbound_approval_signals",
            "version",
            "warnings",
        ]
    );
    assert_eq!(snapshot["version"], 2);
    assert_eq!(snapshot["repo"], "octo/widgets");
    assert_eq!(snapshot["sampled_at"], at("12:00"));
    assert_eq!(snapshot["head_committed_at"], at("09:58"));
    assert_eq!(snapshot["head_first_seen_at"], at("09:59"));
    assert_eq!(snapshot["phase_not_before"], at("09:58"));
    assert_eq!(snapshot["phase_boundary_active"], false);
    assert_eq!(snapshot["latest"], Value::Null);
    assert_eq!(snapshot["pr_state"], "OPEN");
}

#[test]
fn every_kind_of_event_has_its_priority_source_and_fields() {
    let mut world = World::new();
    let asked = world.person(&request(HEAD), "10:00");
    let eyes = world.react(asked, "eyes", "10:01");
    let thumb = world.react(asked, "+1", "10:02");
    let empty = world.review(HEAD, &frame(HEAD), "10:03");
    let passed = world.connector(&pass(HEAD), "10:04");
    let (found, _) = world.round(HEAD, HEAD, "10:05");
    let notice = "You have reached your Codex usage limits for code reviews.";
    let limit = world.connector(notice, "10:06");
    let page = |id: u64| format!("https://github.com/octo/widgets/pull/42#issuecomment-{id}");
    let review = |id: u64| format!("https://github.com/octo/widgets/pull/42#pullrequestreview-{id}");
    let snapshot = world.observed();
    assert_eq!(
        snapshot["timeline"],
        json!([
            { "t": at("10:00"), "kind": "retrigger", "priority": 1, "source": "issue-comment:@codex-review",
              "eventKey": format!("issue-comment:{asked}"), "eventId": asked, "url": page(asked), "author": "ada" },
            { "t": at("10:01"), "kind": "reviewing", "priority": 2, "source": "reaction:eyes",
              "eventKey": format!("reaction:{eyes}"), "eventId": eyes, "url": page(asked),
              "requestCommentId": asked },
            { "t": at("10:02"), "kind": "approval_signal", "priority": 3, "source": "reaction:+1-request",
              "eventKey": format!("reaction:{thumb}"), "eventId": thumb, "url": page(asked),
              "requestCommentId": asked, "boundToHead": false },
            { "t": at("10:03"), "kind": "review_completed", "priority": 4, "source": "pull-request-review",
              "eventKey": format!("review:{empty}"), "eventId": empty, "url": review(empty),
              "reviewId": empty, "commitId": HEAD },
            { "t": at("10:04"), "kind": "approved", "priority": 5, "source": "issue-comment:codex-pass",
              "eventKey": format!("issue-comment:{passed}"), "eventId": passed, "url": page(passed),
              "commitIdPrefix": &HEAD[..10], "boundToHead": true },
            { "t": at("10:05"), "kind": "review_comments", "priority": 6, "source": "pull-request-review",
              "eventKey": format!("review:{found}"), "eventId": found, "url": review(found),
              "reviewId": found, "commitId": HEAD },
            { "t": at("10:06"), "kind": "limit_notice", "priority": 7, "source": "issue-comment:usage-limit",
              "eventKey": format!("issue-comment:{limit}"), "eventId": limit, "url": page(limit), "body": notice },
        ])
    );
    assert_eq!(snapshot["latest"]["kind"], "limit_notice");
    assert_eq!(
        snapshot["current_head_pass_comments"],
        json!([{ "id": passed, "created_at": at("10:04"), "commit_id_prefix": &HEAD[..10], "url": page(passed) }])
    );
    assert_eq!(
        snapshot["unbound_approval_signals"],
        json!([{ "id": thumb, "created_at": at("10:02"), "eventKey": format!("reaction:{thumb}") }])
    );
}

#[test]
fn an_approval_signal_is_observed_and_not_strong() {
    let mut world = World::new();
    let asked = world.person(&request(HEAD), "10:00");
    world.react(asked, "+1", "10:02");
    let snapshot = world.observed();
    assert_eq!(snapshot["latest_observed"]["kind"], "approval_signal");
    assert_eq!(snapshot["latest_strong"]["kind"], "retrigger");
    assert_eq!(snapshot["latest"], snapshot["latest_strong"]);
}

#[test]
fn a_thumbs_up_on_the_body_is_unbound_and_no_event() {
    let mut world = World::new();
    let thumb = world.react_body("+1", "10:02");
    let eyes = world.react_body("eyes", "10:01");
    let snapshot = world.observed();
    assert_eq!(kinds(&snapshot), ["reviewing"]);
    assert_eq!(snapshot["timeline"][0]["eventKey"], format!("reaction:{eyes}"));
    assert_eq!(snapshot["timeline"][0]["requestCommentId"], Value::Null);
    assert_eq!(
        keys(&snapshot["unbound_approval_signals"], "eventKey"),
        [format!("reaction:{thumb}")]
    );
}

#[test]
fn the_boundary_is_the_latest_of_its_sources() {
    let mut world = World::new();
    assert_eq!(world.observed()["phase_not_before"], at("09:58"));
    let ready = world.event("ready-for-review", "10:00");
    let snapshot = world.observed();
    assert_eq!(
        (snapshot["phase_not_before"].clone(), sources(&snapshot)),
        (at("10:00").into(), vec!["ready-for-review"])
    );
    assert_eq!(
        snapshot["phase_sources"][0]["eventKey"],
        format!("timeline:{ready}")
    );
    assert_eq!(snapshot["phase_sources"][0].get("eventId"), None);
    world.event("reopened", "10:10");
    assert_eq!(sources(&world.observed()), ["reopened"]);
    let asked = world.person(&request(HEAD), "10:20");
    let snapshot = world.observed();
    assert_eq!(
        snapshot["phase_sources"],
        json!([{ "at": at("10:20"), "source": "review-request", "eventKey": format!("issue-comment:{asked}"), "eventId": asked }])
    );
    assert_eq!(snapshot["phase_boundary_active"], true);
    let not_before = at("10:30").parse().ok();
    let snapshot = world.snapshot(&Settings {
        not_before,
        ..Settings::default()
    });
    assert_eq!(sources(&snapshot), ["explicit-not-before"]);
    assert_eq!(
        snapshot["phase_sources"][0]["eventKey"],
        format!("explicit:{}", at("10:30"))
    );
    world.committed("10:40");
    let snapshot = world.observed();
    assert_eq!(
        (snapshot["phase_not_before"].clone(), sources(&snapshot)),
        (at("10:40").into(), vec![])
    );
    for kind in ["converted-to-draft", "closed", "base-changed", "comment-deleted"] {
        world.event(kind, "11:00");
    }
    assert_eq!(
        world.observed()["phase_not_before"],
        at("10:40"),
        "no other event opens a phase"
    );
}

#[test]
fn a_request_opens_a_phase_only_with_an_unedited_marker_for_this_head() {
    let ours =
        format!("@codex review\n\n<!-- codex-loop: head={HEAD} id=00000000-0000-4000-8000-000000000001 -->");
    let of_loop = format!(
        "@codex review\n<!-- github-codex-pr-loop-request run={} round=1 sha={HEAD} -->",
        "0".repeat(32)
    );
    for (body, opens) in [
        (request(HEAD), true),
        (ours, true),
        (of_loop, true),
        (
            format!("@codex review for races\n\n<!-- dsh-review-head: {HEAD} -->"),
            true,
        ),
        (request(OLD), false),
        ("@codex review".to_owned(), false),
        (format!("<!-- dsh-review-head: {HEAD} -->"), false),
        (
            format!("> @codex review\n\n<!-- dsh-review-head: {HEAD} -->"),
            false,
        ),
        (
            format!("{}\n<!-- dsh-review-head: {OLD} -->", request(HEAD)),
            false,
        ),
    ] {
        let mut world = World::new();
        let asked = world.person(&body, "10:00");
        world.react(asked, "+1", "10:02");
        let snapshot = world.observed();
        assert_eq!(snapshot["phase_boundary_active"], opens, "{body}");
        let expected: &[&str] = if opens {
            &["retrigger", "approval_signal"]
        } else {
            &[]
        };
        assert_eq!(kinds(&snapshot), expected, "{body}");
    }
    let mut world = World::new();
    world.person(&request(HEAD), "10:00");
    world.json["surfaces"]["edits"]["items"][0]["lastEditedAt"] = at("10:05").into();
    assert_eq!(
        world.observed()["phase_boundary_active"],
        false,
        "an edited marker binds nothing"
    );
    let mut world = World::new();
    world.connector(&request(HEAD), "10:00");
    assert_eq!(
        world.observed()["phase_boundary_active"],
        false,
        "the connector asks for nothing"
    );
}

#[test]
fn evidence_before_the_boundary_does_not_count() {
    let mut world = World::new();
    world.react_body("eyes", "10:00");
    world.connector(&pass(HEAD), "10:01");
    world.review(HEAD, &frame(HEAD), "10:02");
    world.connector("You have reached your Codex usage limits.", "10:03");
    let asked = world.person(&request(HEAD), "10:04");
    world.event("ready-for-review", "10:10");
    world.react(asked, "+1", "10:05");
    let snapshot = world.observed();
    assert_eq!(kinds(&snapshot), Vec::<&str>::new());
    assert_eq!(
        snapshot["counts"]["pass_comments"], 1,
        "the pass is told, and is no event"
    );
    assert_eq!(snapshot["counts"]["reviews"], 1);
}

#[test]
fn in_the_second_of_a_request_only_comment_order_proves_anything() {
    let mut world = World::new();
    world.connector_as(50, &pass(HEAD), "10:00");
    world.connector_as(51, "You have reached your Codex usage limits.", "10:00");
    let asked = world.person(&request(HEAD), "10:00");
    assert_eq!(kinds(&world.observed()), ["retrigger"], "comments with lower ids");
    let later = world.connector(&pass(HEAD), "10:00");
    let limit = world.connector("You have reached your Codex usage limits.", "10:00");
    assert!(later > asked && limit > later);
    world.react(asked, "eyes", "10:00");
    world.react_body("eyes", "10:00");
    world.review(HEAD, &frame(HEAD), "10:00");
    assert_eq!(
        kinds(&world.observed()),
        ["retrigger", "reviewing", "approved", "limit_notice"]
    );
}

#[test]
fn in_the_second_of_another_event_nothing_counts() {
    for kind in ["ready-for-review", "reopened", "explicit", "second request"] {
        let mut world = World::new();
        let asked = world.person(&request(HEAD), "10:00");
        let mut settings = Settings::default();
        match kind {
            "explicit" => settings.not_before = at("10:00").parse().ok(),
            "second request" => {}
            event => drop(world.event(event, "10:00")),
        }
        world.react(asked, "eyes", "10:00");
        world.react(asked, "+1", "10:00");
        world.react_body("eyes", "10:00");
        world.connector(&pass(HEAD), "10:00");
        world.connector("You have reached your Codex usage limits.", "10:00");
        world.review(HEAD, &frame(HEAD), "10:00");
        if kind == "second request" {
            // The pass and the notice have lower ids than this one.
            world.person(&request(HEAD), "10:00");
            assert_eq!(kinds(&world.snapshot(&settings)), ["retrigger", "retrigger"]);
        } else {
            assert_eq!(kinds(&world.snapshot(&settings)), ["retrigger"], "{kind}");
        }
    }
}

#[test]
fn in_the_second_of_the_commit_alone_everything_counts() {
    let mut world = World::new();
    world.react_body("eyes", "09:58");
    world.connector(&pass(HEAD), "09:58");
    world.connector("You have reached your Codex usage limits.", "09:58");
    world.review(HEAD, &frame(HEAD), "09:58");
    assert_eq!(
        kinds(&world.observed()),
        ["reviewing", "review_completed", "approved", "limit_notice"]
    );
}

#[test]
fn a_pass_needs_a_commit_that_github_resolves_to_the_head() {
    let mut world = World::new();
    world.connector(&pass(OLD), "10:00");
    world.connector("Codex Review: Didn't find any major issues. Swish!", "10:01");
    world.connector(&format!("### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.\n\n**Reviewed commit:** `{}`", &HEAD[..10]), "10:02");
    assert_eq!(world.observed()["counts"]["pass_comments"], 0);
    let mut unresolved = world.clone();
    unresolved.json["surfaces"]["resolvedCommits"]["items"][0]["oid"] = Value::Null;
    unresolved.connector(&pass(HEAD), "10:03");
    assert_eq!(
        unresolved.observed()["counts"]["pass_comments"],
        0,
        "GitHub does not know the prefix"
    );
    let mut edited = world.clone();
    let id = edited.connector(&pass(HEAD), "10:03");
    edited.put(
        "edits",
        json!({ "nodeId": format!("IC_{id}"), "lastEditedAt": at("10:04"), "editor": { "login": "ada", "__typename": "User" } }),
    );
    assert_eq!(
        edited.observed()["counts"]["pass_comments"],
        0,
        "a person edited it"
    );
    world.connector(&pass(HEAD), "10:03");
    assert_eq!(world.observed()["counts"]["pass_comments"], 1);
}

#[test]
fn a_security_quota_is_no_limit_of_the_code_review() {
    let mut world = World::new();
    world.connector(
        "You have reached your Codex usage limits for security reviews.",
        "10:00",
    );
    assert_eq!(kinds(&world.observed()), Vec::<&str>::new());
}

#[test]
fn an_inline_finding_counts_by_its_review_or_by_where_github_shows_it() {
    let mut world = World::new();
    let old = world.review(OLD, &frame(OLD), "09:30");
    let anchored = world.inline(old, HEAD, OLD, "P2", "09:30");
    let left = world.inline(old, OLD, OLD, "P1", "09:31");
    let new = world.review(HEAD, &frame(HEAD), "10:00");
    let placed = world.inline(new, HEAD, HEAD, "P0", "10:00");
    let snapshot = world.observed();
    assert_eq!(
        keys(&snapshot["review_items"], "itemKey"),
        [
            format!("review-comment:{anchored}"),
            format!("review-comment:{placed}")
        ]
    );
    assert_eq!(
        snapshot["review_items"][0],
        json!({
            "itemKey": format!("review-comment:{anchored}"), "kind": "inline-comment", "id": anchored, "reviewId": old,
            "commitId": HEAD, "originalCommitId": OLD, "path": "src/lib.rs", "line": 3, "side": "RIGHT",
            "priority": "P2", "createdAt": at("09:30"),
            "url": format!("https://github.com/octo/widgets/pull/42#discussion_r{anchored}"),
            "body": finding("P2"), "rawBody": finding("P2"),
        })
    );
    assert_eq!(snapshot["open_comments"], snapshot["review_items"]);
    assert_eq!(keys(&snapshot["finding_rounds"], "url").len(), 2);
    assert!(
        left > 0
            && !snapshot["review_items"]
                .to_string()
                .contains(&format!("review-comment:{left}"))
    );
}

#[test]
fn an_empty_frame_is_a_completed_review_and_no_round() {
    let mut world = World::new();
    world.review(HEAD, &frame(HEAD), "10:00");
    world.review(HEAD, "", "10:01");
    let snapshot = world.observed();
    assert_eq!(kinds(&snapshot), ["review_completed", "review_completed"]);
    assert_eq!(snapshot["finding_rounds"], json!([]));
    assert_eq!(snapshot["counts"]["review_items"], 0);
}

#[test]
fn a_finding_in_the_body_has_priority_and_no_frame() {
    let mut world = World::new();
    let own = format!(
        "https://github.com/octo/widgets/blob/{HEAD}/src/lib.rs#L7-L9\n**![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)  Keep the lock**\n\nThe value may change."
    );
    let body = frame(HEAD).replace("**Reviewed", &format!("{own}\n\n**Reviewed"));
    let review = world.review(HEAD, &body, "10:00");
    let snapshot = world.observed();
    assert_eq!(kinds(&snapshot), ["review_comments"]);
    let item = &snapshot["review_items"][0];
    assert_eq!(item["itemKey"], format!("review-body:{review}"));
    assert_eq!(item["kind"], "review-body");
    assert_eq!(
        (
            item["priority"].as_str(),
            item["path"].as_str(),
            item["line"].as_u64()
        ),
        (Some("P1"), Some("src/lib.rs"), Some(7))
    );
    assert_eq!(item["body"], own.replace("\n\n", "\n"));
    assert_eq!(item["rawBody"], body);
    assert_eq!(snapshot["finding_rounds"][0]["reviewId"], review);
    let mut plain = World::new();
    plain.review(HEAD, "The lock is dropped too early in `save`.", "10:00");
    assert_eq!(plain.observed()["review_items"][0]["priority"], "P?");
}

#[test]
fn a_review_that_says_nothing_was_found_is_no_finding() {
    let mut world = World::new();
    world.review(HEAD, &pass(HEAD), "10:00");
    let snapshot = world.observed();
    assert_eq!(
        (kinds(&snapshot), snapshot["counts"]["review_items"].clone()),
        (vec!["review_completed"], json!(0))
    );
}

#[test]
fn a_finding_in_a_comment_is_an_item_unless_it_names_another_head() {
    for (commit, items) in [(HEAD, 1), (OLD, 0)] {
        let mut world = World::new();
        let body = format!("{}\n\n**Reviewed commit:** `{commit}`", finding("P1"));
        let id = world.connector(&body, "10:00");
        let snapshot = world.observed();
        assert_eq!(snapshot["counts"]["review_items"], items, "{commit}");
        if items == 1 {
            assert_eq!(
                snapshot["review_items"][0]["itemKey"],
                format!("issue-comment:{id}")
            );
            assert_eq!(snapshot["review_items"][0]["kind"], "issue-comment");
        }
    }
}

#[test]
fn five_rounds_over_two_heads_are_all_told() {
    let mut world = World::new();
    let mut reviews = Vec::new();
    for (commit, time) in [
        (OLD, "09:10"),
        (OLD, "09:20"),
        (OLD, "09:30"),
        (HEAD, "10:00"),
        (HEAD, "10:10"),
    ] {
        reviews.push(world.round(commit, commit, time).0);
    }
    let snapshot = world.observed();
    let told: Vec<u64> = snapshot["finding_rounds"]
        .as_array()
        .expect("rounds")
        .iter()
        .filter_map(|round| round["reviewId"].as_u64())
        .collect();
    assert_eq!(told, reviews);
    assert_eq!(snapshot["finding_rounds"][0]["commitId"], OLD);
    assert_eq!(snapshot["finding_rounds"][0]["submittedAt"], at("09:10"));
    assert_eq!(
        snapshot["counts"],
        json!({ "finding_rounds": 5, "reviews": 2, "review_items": 2, "open_review_items": 2, "pass_comments": 0,
                "check_runs": 0, "commit_statuses": 0 })
    );
}

#[test]
fn a_handled_item_is_not_open_until_its_text_changes() {
    let mut world = World::new();
    let (_, key) = world.round(HEAD, HEAD, "10:00");
    let digest = crate::run::signature::sha256_hex(finding("P1").as_bytes());
    world.json["local"] = json!({ "handled": { "items": { &key: digest } } });
    let snapshot = world.observed();
    assert_eq!(
        (
            snapshot["counts"]["review_items"].clone(),
            snapshot["open_comments"].clone()
        ),
        (json!(1), json!([]))
    );
    world.json["local"] = json!({ "handled": { "items": { &key: null } } });
    assert_eq!(
        world.observed()["open_comments"],
        json!([]),
        "older files hold no digest"
    );
    world.json["local"] = json!({ "handled": { "items": { &key: "0".repeat(64) } } });
    let snapshot = world.observed();
    assert_eq!(keys(&snapshot["open_comments"], "itemKey"), [key.as_str()]);
    assert_eq!(snapshot["warnings"][0]["code"], "handled-body-changed");
    assert_eq!(snapshot["warnings"][0]["evidence"], json!([key]));
}

#[test]
fn a_committer_date_that_cannot_be_true_is_a_warning() {
    for (committed, warned) in [
        ("09:58", false),
        ("08:59", false),
        ("08:58:59", true),
        ("12:00", false),
        ("12:00:01", true),
    ] {
        let mut world = World::new();
        world.committed(committed);
        let snapshot = world.observed();
        let codes = keys(&snapshot["warnings"], "code");
        assert_eq!(codes == ["head-time-uncertain"], warned, "{committed}: {codes:?}");
    }
    let mut unseen = World::new();
    unseen.json["surfaces"]["checkSuites"]["items"] = json!([]);
    assert_eq!(unseen.observed()["head_first_seen_at"], Value::Null);
}

mod ci {
    use super::{Settings, Value, World, at, json, keys};

    fn required(names: &[&str]) -> Settings {
        Settings {
            required_checks: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Settings::default()
        }
    }

    fn ci(world: &World, settings: &Settings) -> Value {
        world.snapshot(settings)["ci"].clone()
    }

    fn state(world: &World, names: &[&str]) -> String {
        ci(world, &required(names))["state"]
            .as_str()
            .expect("a state")
            .to_owned()
    }

    fn built(conclusion: Option<&str>, started: &str, completed: &str) -> World {
        let mut world = World::new();
        world.check(1, "build", conclusion, started, completed);
        world
    }

    #[test]
    fn the_phase_begins_with_the_latest_of_opening_ready_and_reopening() {
        let mut world = World::new();
        let opened = ci(&world, &Settings::default());
        assert_eq!(opened["not_before"], at("09:00"));
        assert_eq!(
            opened["not_before_sources"],
            json!([{ "at": at("09:00"), "source": "pr-created", "eventKey": format!("pr-created:{}", at("09:00")) }])
        );
        for (kind, time, word) in [
            ("ready-for-review", "10:00", "ready_for_review"),
            ("reopened", "10:10", "reopened"),
        ] {
            let id = world.event(kind, time);
            let moved = ci(&world, &Settings::default());
            assert_eq!(
                moved["not_before_sources"],
                json!([{ "at": at(time), "source": word, "eventKey": format!("timeline:{id}") }])
            );
        }
        world.person(&super::request(super::HEAD), "10:20");
        assert_eq!(
            ci(&world, &Settings::default())["not_before"],
            at("10:10"),
            "a request starts no CI"
        );
    }

    #[test]
    fn completed_checks_need_a_start_in_the_phase() {
        for (started, completed, counts) in [
            ("10:00:01", "10:00:02", true),
            ("10:00", "10:00:01", true),
            ("10:00", "10:00", false),
            ("09:59:59", "10:05", false),
        ] {
            let mut world = built(Some("success"), started, completed);
            world.event("ready-for-review", "10:00");
            let ci = ci(&world, &required(&["build"]));
            let expected = if counts { "success" } else { "none" };
            assert_eq!(ci["state"], expected, "{started} {completed}");
            let discarded = ci["discarded_before_not_before"].as_array().map(Vec::len);
            assert_eq!(discarded, Some(usize::from(!counts)));
        }
    }

    #[test]
    fn pending_checks_count_by_their_suite() {
        for (suite, counts) in [("10:00", true), ("10:00:01", true), ("09:59:59", false)] {
            let mut world = World::new();
            world.suite(2, "queued", suite);
            world.check(2, "build", None, "10:30", "");
            world.event("ready-for-review", "10:00");
            let expected = if counts { "pending" } else { "none" };
            assert_eq!(state(&world, &["build"]), expected, "{suite}");
        }
    }

    #[test]
    fn every_conclusion_has_its_meaning() {
        for (conclusion, explicit, seen) in [
            ("success", "success", "success"),
            ("neutral", "success", "success"),
            ("skipped", "failure", "success"),
            ("failure", "failure", "failure"),
            ("timed_out", "failure", "failure"),
            ("cancelled", "failure", "failure"),
            ("action_required", "failure", "failure"),
            ("startup_failure", "failure", "failure"),
            ("stale", "failure", "failure"),
            ("a new word", "pending", "pending"),
        ] {
            let world = built(Some(conclusion), "10:00", "10:01");
            assert_eq!(state(&world, &["build"]), explicit, "{conclusion}");
            assert_eq!(state(&world, &[]), seen, "{conclusion}");
            let mut ruled = world.clone();
            ruled.put("mergeGates", json!({ "context": "build" }));
            let ci = ci(&ruled, &Settings::default());
            assert_eq!(
                (ci["state"].as_str(), ci["required_source"].as_str()),
                (Some(explicit), Some("rules"))
            );
        }
    }

    #[test]
    fn missing_required_checks_are_pending_and_nothing_at_all_is_none() {
        let mut world = built(Some("success"), "10:00", "10:01");
        world.check(1, "lint", Some("success"), "10:00", "10:01");
        let both = ci(&world, &required(&["build", "test"]));
        assert_eq!(
            (both["state"].as_str(), &both["missing_required"]),
            (Some("pending"), &json!(["test"]))
        );
        assert_eq!(
            keys(&both["checks"], "name"),
            ["build"],
            "an unasked check is left out"
        );
        assert_eq!(state(&world, &["build", "lint"]), "success");
        let none = ci(&world, &required(&["test"]));
        assert_eq!(
            (none["state"].as_str(), &none["missing_required"]),
            (Some("none"), &json!(["test"]))
        );
        assert_eq!(state(&World::new(), &[]), "none");
        assert_eq!(ci(&World::new(), &Settings::default())["required_source"], "seen");
    }

    #[test]
    fn a_run_of_another_head_is_no_check_of_this_one() {
        let mut world = built(Some("success"), "10:00", "10:01");
        assert_eq!(state(&world, &["build"]), "success");
        world.json["surfaces"]["checkRuns"]["items"][0]["head_sha"] = super::OLD.into();
        assert_eq!(state(&world, &["build"]), "none");
    }

    #[test]
    fn the_latest_run_of_each_name_and_app_speaks() {
        let mut world = built(Some("failure"), "10:00", "10:01");
        world.check(1, "build", Some("success"), "10:10", "10:11");
        assert_eq!(state(&world, &["build"]), "success");
        world.check_of("other-ci", 7, 1, "build", Some("failure"), "10:00", "10:01");
        let both = ci(&world, &required(&["build"]));
        assert_eq!(both["state"], "failure");
        assert_eq!(
            keys(&both["checks"], "logicalKey"),
            ["check-run:github-actions:build", "check-run:other-ci:build"]
        );
        world.put(
            "mergeGates",
            json!({ "context": "build", "integrationId": 15_368 }),
        );
        assert_eq!(state(&world, &[]), "success", "the rule names the app");
        let mut by_status = World::new();
        by_status.put(
            "mergeGates",
            json!({ "context": "deploy", "integrationId": 15_368 }),
        );
        by_status.status("deploy", "success", "10:00");
        assert_eq!(state(&by_status, &[]), "none", "a person's status is no app's");
        for (kind, expected) in [("User", "none"), ("Bot", "success")] {
            by_status.json["surfaces"]["statuses"]["items"][0]["creator"] =
                json!({ "login": "ci[bot]", "type": kind });
            assert_eq!(state(&by_status, &[]), expected, "{kind}");
        }
    }

    #[test]
    fn statuses_stand_beside_check_runs() {
        let mut world = built(Some("success"), "10:00", "10:01");
        world.status("deploy", "failure", "10:00");
        world.status("deploy", "success", "10:05");
        let ci = ci(&world, &Settings::default());
        assert_eq!(ci["state"], "success");
        assert_eq!(keys(&ci["checks"], "source"), ["check-run", "commit-status"]);
        assert_eq!(ci["checks"][1]["state"], "success");
        assert_eq!(ci["checks"][1]["type"], "external");
        world.status("audit", "pending", "10:05");
        assert_eq!(state(&world, &[]), "pending");
        world.status("audit", "error", "10:06");
        assert_eq!(state(&world, &[]), "failure");
        assert_eq!(world.observed()["counts"]["commit_statuses"], 2);
        // In the second of the phase itself only what is not finished counts.
        for (word, expected) in [("pending", "pending"), ("success", "none")] {
            let mut world = World::new();
            world.event("ready-for-review", "10:00");
            world.status("audit", word, "10:00");
            assert_eq!(state(&world, &[]), expected, "{word}");
        }
    }

    #[test]
    fn a_queued_suite_without_runs_is_pending_when_everything_seen_counts() {
        let mut world = built(Some("success"), "10:00", "10:01");
        world.suite(9, "queued", "10:02");
        let seen = ci(&world, &Settings::default());
        assert_eq!(
            (seen["state"].as_str(), keys(&seen["pending"], "key")),
            (Some("pending"), vec!["check-suite:9"])
        );
        assert_eq!(state(&world, &["build"]), "success");
    }

    #[test]
    fn a_check_entry_has_its_fields() {
        let world = built(Some("success"), "10:00", "10:01");
        let check = ci(&world, &Settings::default())["checks"][0].clone();
        let id = check["url"]
            .as_str()
            .and_then(|url| url.rsplit('/').next())
            .expect("an id")
            .to_owned();
        assert_eq!(
            check,
            json!({
                "source": "check-run", "key": format!("check-run:{id}"),
                "logicalKey": "check-run:github-actions:build", "name": "build", "type": "actions", "run_id": "77",
                "status": "completed", "conclusion": "success",
                "url": format!("https://github.com/octo/widgets/actions/runs/77/job/{id}"),
                "evidence_at": at("09:59"), "phase_proof_at": at("10:00"), "completion_proof_at": at("10:01"),
                "suite_id": 1, "suite_created_at": at("09:59"), "started_at": at("10:00"), "completed_at": at("10:01"),
            })
        );
    }
}

/// A busy pull request: every surface has something in it, with ties in one second.
fn busy() -> World {
    let mut world = World::new();
    world.round(OLD, HEAD, "09:30");
    let asked = world.person(&request(HEAD), "10:00");
    world.person(&request(HEAD), "10:00");
    world.react(asked, "eyes", "10:00");
    world.react_body("+1", "10:00");
    world.react_body("eyes", "10:01");
    world.connector(&pass(HEAD), "10:01");
    world.connector("You have reached your Codex usage limits.", "10:01");
    world.round(HEAD, HEAD, "10:02");
    world.review(HEAD, &frame(HEAD), "10:02");
    world.event("ready-for-review", "09:40");
    world.event("reopened", "09:40");
    for (name, conclusion) in [
        ("build", Some("failure")),
        ("build", Some("success")),
        ("lint", None),
    ] {
        world.check(1, name, conclusion, "10:00", "10:05");
    }
    world.status("deploy", "pending", "10:00");
    world.status("deploy", "success", "10:00");
    world.suite(3, "queued", "10:00");
    world
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// The same evidence gives the same document, in whatever order GitHub lists it.
    #[test]
    fn the_order_of_items_never_matters(seed in any::<u64>()) {
        let expected = busy().observed();
        let mut shuffled = busy();
        let mut state = seed | 1;
        if let Some(surfaces) = shuffled.json["surfaces"].as_object_mut() {
            for surface in surfaces.values_mut() {
                let Some(items) = surface.get_mut("items").and_then(Value::as_array_mut) else { continue };
                for place in (1..items.len()).rev() {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let other = usize::try_from(state % (place as u64 + 1)).expect("small");
                    items.swap(place, other);
                }
            }
        }
        assert_eq!(shuffled.observed(), expected);
    }
}
