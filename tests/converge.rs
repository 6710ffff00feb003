//! `converge` over the real gh: each action in its situation, what decides it, and that it performs nothing.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::github::{Github, Match, World, ago, announcement, at, clean_text, connector, finding, iso};
use crate::product::{Product, Run};
use crate::snapshot::request;

/// A pull request, and what was recorded about it.
struct Case {
    github: Github,
    product: Product,
    head: String,
}

impl Case {
    fn of(world: World) -> Self {
        let head = world.clone().pull(42).head();
        let github = Github::start(world);
        let product = Product::new(&github);
        Self {
            github,
            product,
            head,
        }
    }

    /// A head that was asked about with a marker and passed by name, with passing checks.
    fn passed() -> Self {
        let mut world = World::new();
        let mut pull = world.pull(42);
        let head = pull.head();
        pull.person_comment(&request(&head), at("10:00"));
        pull.connector_comment(&clean_text(&head), at("10:04"));
        Self::of(world)
    }

    /// A head with one finding in each of so many reviews of it, and their keys.
    fn with_rounds(count: u64) -> (Self, Vec<String>) {
        let mut world = World::new();
        let mut pull = world.pull(42);
        let head = pull.head();
        let mut keys = Vec::new();
        for minute in 0..count {
            let time = at(&format!("09:{:02}", 10 + minute));
            let review = pull.review(connector(), "COMMENTED", &announcement(&head), &head, time);
            let thread = pull.thread_in(review, "src/lib.rs", 3 + minute, &finding("P1", "Keep the lock"));
            keys.push(format!("review-comment:{}", pull.root_comment(thread)));
        }
        (Self::of(world), keys)
    }

    fn converge(&self, options: &[&str]) -> Run {
        let mut arguments = vec!["converge", "42", "--json"];
        arguments.extend(options);
        self.product.run(&arguments)
    }

    /// The tick as a document, with the exit code that belongs to its action.
    #[track_caller]
    fn tick(&self, options: &[&str]) -> Value {
        let run = self.converge(options);
        let document = run.json();
        let code = match document["action"].as_str().expect("an action") {
            "ready-to-merge" | "stop" => 0,
            "wait-ci" | "wait-review" | "confirm" => 8,
            "ask-user" | "verify-ci" | "verify-no-ci" | "recollect" => 13,
            _ => 10,
        };
        let _ = run.expect(code);
        document
    }

    #[track_caller]
    fn action(&self, options: &[&str]) -> String {
        self.tick(options)["action"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    #[track_caller]
    fn handled(&self, arguments: &[&str]) {
        let mut all = vec!["handled", "42"];
        all.extend(arguments);
        let _ = self.product.run(&all).expect(0);
    }

    #[track_caller]
    fn plan(&self, key: &str, outcome: &str, family: &str) {
        self.handled(&["plan", key, "--outcome", outcome, "--family", family]);
    }

    /// A fix that shows everything, also from the second occurrence.
    #[track_caller]
    fn fixed(&self, key: &str, family: &str) {
        self.handled(&[
            "add",
            key,
            "--outcome",
            "fixed",
            "--family",
            family,
            "--commit",
            &self.head,
            "--evidence",
            "a test",
            "--premise",
            "a path",
            "--covers",
            "every caller",
        ]);
    }

    #[track_caller]
    fn checkpoint(&self, changes: &[(&str, &str)]) {
        let url = "https://github.com/octo/widgets/pull/42#issuecomment-9";
        let mut arguments = vec!["checkpoint", "--url", url];
        for (name, usual) in [
            ("--recurrence", "none"),
            ("--caused-by-prior-repair", "no"),
            ("--aligned", "yes"),
            ("--scope-growth", "no"),
            ("--decreasing", "yes"),
        ] {
            let changed = changes.iter().find(|(changed, _)| *changed == name);
            arguments.extend([name, changed.map_or(usual, |(_, value)| value)]);
        }
        self.handled(&arguments);
    }

    fn save(&self, name: &str, document: &Value) -> PathBuf {
        let path = self.product.path("tmp").join(name);
        fs::write(&path, document.to_string()).expect("written");
        path
    }
}

fn holds(tick: &Value) -> Vec<bool> {
    let conditions = tick["conditions"].as_array().expect("conditions");
    conditions
        .iter()
        .filter_map(|condition| condition["holds"].as_bool())
        .collect()
}

fn reached(tick: &Value) -> Vec<&str> {
    let limits = tick["limits"].as_array().expect("limits");
    assert_eq!(limits.len(), 5, "all five are told");
    let reached = limits.iter().filter(|limit| limit["holds"] == true);
    reached.filter_map(|limit| limit["code"].as_str()).collect()
}

#[test]
fn a_closed_pull_request_is_left_alone() {
    let case = Case::passed();
    case.github.change(|world| world.pull(42).close(at("11:00")));
    let tick = case.tick(&[]);
    assert_eq!(tick["action"], "stop");
    assert_eq!(tick["schema"], "codex-loop.convergence/1");
}

#[test]
fn what_could_not_be_read_is_collected_again_with_the_last_facts() {
    let case = Case::passed();
    let good = case.tick(&[]);
    assert_eq!(
        (&good["action"], &good["lastSuccessful"]),
        (&json!("confirm"), &Value::Null)
    );
    let good_file = case.save("good.json", &good);
    case.github
        .on(Match::get("*/pulls/42/reviews"))
        .status(502, "Server Error");
    let failed = case.tick(&["--previous", &good_file.to_string_lossy()]);
    assert_eq!(failed["action"], "recollect");
    assert_eq!(failed["lastSuccessful"], good);
    case.product.assert_fits_schema(&failed);
    assert!(
        failed["message"]
            .as_str()
            .is_some_and(|message| message.contains("reviews")),
        "{failed}"
    );
    assert_eq!(
        (&failed["conditions"], &failed["rounds"]),
        (&json!([]), &Value::Null)
    );
    // The facts survive a second failure, now of the pull request itself.
    let failed_file = case.save("failed.json", &failed);
    case.github.heal();
    case.github.on(Match::graphql("query Pull(")).bad_gateway();
    let again = case.tick(&["--previous", &failed_file.to_string_lossy()]);
    assert_eq!(
        (&again["action"], &again["headRefOid"]),
        (&json!("recollect"), &Value::Null)
    );
    assert_eq!(again["lastSuccessful"], good);
    case.github.heal();
    let confirmed = case.tick(&["--previous", &failed_file.to_string_lossy()]);
    assert_eq!(
        confirmed["action"], "confirm",
        "a failed reading confirms nothing"
    );
}

#[test]
fn what_changes_during_the_reading_is_collected_again() {
    let case = Case::passed();
    case.github
        .on(Match::get("*/issues/42/comments").nth(2))
        .before(|world| {
            world.pull(42).person_comment("More.", at("11:00"));
        });
    let tick = case.tick(&[]);
    assert_eq!(tick["action"], "recollect");
    assert!(
        tick["message"]
            .as_str()
            .is_some_and(|message| message.contains("changed during collection")),
        "{tick}"
    );
}

#[test]
fn an_item_without_disposition_wants_triage() {
    let (case, keys) = Case::with_rounds(2);
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], &tick["evidence"]),
        (&json!("triage"), &json!(keys))
    );
    case.plan(&keys[0], "fixed", "race");
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], &tick["evidence"]),
        (&json!("triage"), &json!([keys[1]]))
    );
    assert_eq!(tick["openItems"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&tick["openItems"][0]["planned"], &tick["openItems"][0]["family"]),
        (&json!("fixed"), &json!("race"))
    );
    case.plan(&keys[1], "fixed", "leak");
    assert_eq!(case.action(&[]), "address");
}

#[test]
fn a_pending_decision_asks_the_user() {
    let (case, keys) = Case::with_rounds(1);
    case.plan(&keys[0], "user-decision", "api");
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], &tick["evidence"]),
        (&json!("ask-user"), &json!(keys))
    );
    assert_eq!(reached(&tick), ["contract-expands"]);
    case.handled(&["direction", "--text", "Keep the API."]);
    assert_eq!(case.action(&[]), "ask-user", "the item is still open");
    case.plan(&keys[0], "fixed", "api");
    assert_eq!(case.action(&[]), "address");
}

#[test]
fn families_are_repaired_as_a_whole_and_then_reset() {
    let (case, keys) = Case::with_rounds(3);
    for key in &keys {
        case.plan(key, "rebutted", "none");
    }
    case.plan(&keys[0], "fixed", "race");
    assert_eq!(case.action(&[]), "address", "the first occurrence");
    case.fixed(&keys[0], "race");
    case.plan(&keys[1], "fixed", "race");
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], &tick["evidence"]),
        (&json!("family-repair"), &json!([keys[1]]))
    );
    assert_eq!(
        tick["families"]["race"],
        json!({ "count": 1, "outcome": "fixed", "open": [keys[1]], "occurrence": 2 })
    );
    case.fixed(&keys[1], "race");
    case.plan(&keys[2], "fixed", "race");
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], &tick["evidence"]),
        (&json!("strategy-reset"), &json!([keys[2]]))
    );
    assert_eq!(
        tick["rounds"],
        json!({ "total": 3, "actionable": 2, "unclassified": [] })
    );
}

#[test]
fn checkpoints_are_due_at_three_five_and_seven_actionable_rounds() {
    let (case, keys) = Case::with_rounds(8);
    let reviews: Vec<u64> = case.github.change(|world| {
        let mut pull = world.pull(42);
        pull.pull().reviews.iter().map(|review| review.id).collect()
    });
    // Every round is rebutted but the first so many, in which something was fixed.
    let mut recorded = json!({ "handledItemKeys": keys, "dispositions": {} });
    for rounds in [2, 3, 5, 7] {
        for (number, (key, review)) in keys.iter().zip(&reviews).enumerate() {
            recorded["dispositions"][key] = json!({
                "outcome": if number < rounds { "fixed" } else { "rebutted" }, "family": format!("family {number}"),
                "evidence": "x", "reviewId": review, "recordedAt": iso(at("11:00")),
            });
        }
        let file = case.product.path("work/.git/codex-review-loop-42.handled.json");
        fs::write(&file, recorded.to_string()).expect("written");
        let tick = case.tick(&[]);
        assert_eq!(
            tick["rounds"],
            json!({ "total": 8, "actionable": rounds, "unclassified": [] })
        );
        let due = rounds > 2;
        assert_eq!(
            tick["action"] == "checkpoint",
            due,
            "{rounds}: {}",
            tick["action"]
        );
        if due {
            assert_eq!(tick["checkpoints"]["due"], rounds);
            case.checkpoint(&[]);
            assert_ne!(case.action(&[]), "checkpoint", "{rounds}: recorded");
            recorded = serde_json::from_slice(&fs::read(&file).expect("read")).expect("JSON");
        }
    }
}

#[test]
fn the_answers_of_a_checkpoint_reach_limits_and_a_direction_clears_them() {
    let case = Case::passed();
    case.checkpoint(&[("--scope-growth", "yes"), ("--decreasing", "no")]);
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], reached(&tick)),
        (&json!("ask-user"), vec!["scope-grows"])
    );
    case.handled(&["direction", "--text", "Go on."]);
    let tick = case.tick(&[]);
    assert_eq!(tick["action"], "confirm");
    let limit = tick["limits"]
        .as_array()
        .and_then(|all| all.iter().find(|one| one["code"] == "scope-grows"));
    assert_eq!(limit.map(|limit| &limit["cleared"]), Some(&json!(true)));
    case.checkpoint(&[("--decreasing", "no")]);
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], reached(&tick)),
        (&json!("ask-user"), vec!["no-progress"])
    );
}

#[test]
fn ci_is_fixed_verified_and_waited_for() {
    let case = Case::passed();
    let run_of = |case: &Case, name: &str, conclusion: Option<&'static str>| {
        let (head, name) = (case.head.clone(), name.to_owned());
        case.github.change(move |world| {
            let mut pull = world.pull(42);
            let suite = pull.suite(&head, at("09:20"));
            pull.check_in(suite, &name, conclusion, at("09:20"), at("09:25"));
        });
    };
    run_of(&case, "docs", Some("neutral"));
    assert_eq!(case.action(&[]), "confirm", "nothing requires it");
    let required = ["--required-check", "build", "--required-check", "docs"];
    let tick = case.tick(&required);
    assert_eq!((&tick["action"], holds(&tick)[3]), (&json!("verify-ci"), false));
    let mut acknowledged = required.to_vec();
    acknowledged.extend(["--ci-neutral-ok", "docs=no documentation changed"]);
    let tick = case.tick(&acknowledged);
    assert_eq!((&tick["action"], holds(&tick)[3]), (&json!("confirm"), true));
    run_of(&case, "slow", None);
    assert_eq!(case.action(&[]), "wait-ci");
    run_of(&case, "lint", Some("failure"));
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], &tick["ciFailures"][0]["name"]),
        (&json!("fix-ci"), &json!("lint"))
    );
    let (run, command) = (
        &tick["ciFailures"][0]["runId"],
        tick["ciFailures"][0]["command"].as_str(),
    );
    let expected = format!("gh run view {} --log-failed", run.as_str().expect("a run"));
    assert!(
        command.is_some_and(|command| command.starts_with(&expected)),
        "{tick}"
    );
}

#[test]
fn no_ci_is_verified_with_a_reason() {
    let case = Case::passed();
    case.github.change(|world| world.pull(42).no_checks());
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], holds(&tick)[3]),
        (&json!("verify-no-ci"), false)
    );
    let tick = case.tick(&["--ci-none-ok", "only documentation changed"]);
    assert!(holds(&tick)[3], "{tick}");
    let message = tick["conditions"][3]["message"].as_str().unwrap_or_default();
    assert!(message.contains("only documentation changed"), "{tick}");
    let case = Case::passed();
    case.github.change(|world| {
        let mut pull = world.pull(42);
        pull.ready(at("09:30"));
    });
    let tick = case.tick(&[]);
    assert_eq!(tick["action"], "verify-no-ci");
    assert!(
        tick["evidence"][0]
            .as_str()
            .is_some_and(|key| key.starts_with("check-run:")),
        "what was discarded: {tick}"
    );
}

#[test]
fn a_draft_is_asked_about_once_and_marked_ready_when_it_passed() {
    let mut world = World::new();
    world.pull(42).pull().draft = true;
    let case = Case::of(world);
    assert_eq!(case.action(&[]), "request-review");
    let head = case.head.clone();
    case.github
        .change(|world| world.pull(42).person_comment(&request(&head), at("10:00")));
    assert_eq!(case.action(&[]), "wait-review");
    let head = case.head.clone();
    case.github
        .change(|world| world.pull(42).connector_comment(&clean_text(&head), at("10:04")));
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], holds(&tick)),
        (&json!("mark-ready"), vec![true, true, false, true])
    );
    let head = case.head.clone();
    case.github.change(|world| {
        let mut pull = world.pull(42);
        pull.ready(at("10:10"));
        let suite = pull.suite(&head, at("10:11"));
        pull.check_in(suite, "build", Some("success"), at("10:11"), at("10:12"));
    });
    let tick = case.tick(&[]);
    assert_eq!(
        holds(&tick),
        [true, false, false, true],
        "the phase since it is ready has not passed"
    );
    let head = case.head.clone();
    case.github
        .change(|world| world.pull(42).connector_comment(&clean_text(&head), at("10:20")));
    let tick = case.tick(&[]);
    assert_eq!(
        (&tick["action"], holds(&tick)),
        (&json!("confirm"), vec![true; 4])
    );
}

#[test]
fn a_ready_pull_request_is_given_35_minutes_for_its_automatic_review() {
    for (age, action) in [("40m", "request-review"), ("20m", "wait-review")] {
        let mut world = World::opened(ago(age));
        world.pull(42);
        assert_eq!(Case::of(world).action(&[]), action, "{age}");
    }
}

#[test]
fn a_review_is_requested_when_every_finding_was_rebutted_on_the_same_head() {
    let (case, keys) = Case::with_rounds(1);
    case.github.change(|world| {
        let mut pull = world.pull(42);
        let thread = crate::github::ThreadId(pull.pull().threads[0].id);
        pull.reply(
            thread,
            crate::github::ada(),
            "The caller holds the lock.",
            at("10:10"),
        );
    });
    case.plan(&keys[0], "rebutted", "race");
    assert_eq!(case.action(&[]), "address");
    case.handled(&[
        "add",
        &keys[0],
        "--outcome",
        "rebutted",
        "--evidence",
        "the caller holds it",
    ]);
    let tick = case.tick(&[]);
    assert_eq!(tick["action"], "request-review");
    assert!(
        tick["evidence"][0]
            .as_str()
            .is_some_and(|key| key.starts_with("review:")),
        "{tick}"
    );
    let head = case.head.clone();
    case.github
        .change(|world| world.pull(42).person_comment(&request(&head), at("10:20")));
    assert_eq!(case.action(&[]), "wait-review");
}

#[test]
fn an_approved_merge_gate_passes_the_review() {
    let mut world = World::new();
    world.pull(42).react_body(connector(), "+1", at("10:00"));
    let tick = Case::of(world).tick(&[]);
    assert_eq!(
        (&tick["action"], holds(&tick)),
        (&json!("confirm"), vec![true; 4])
    );
    assert!(
        tick["conditions"][1]["evidence"][0]
            .as_str()
            .is_some_and(|name| name.starts_with("reaction:"))
    );
}

#[test]
fn what_the_run_wants_of_the_user_is_asked() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    pull.person_comment("@codex review", at("10:00"));
    pull.connector_comment(
        "You have reached your Codex usage limits for code reviews.",
        at("10:01"),
    );
    let tick = Case::of(world).tick(&[]);
    assert_eq!(tick["action"], "ask-user");
    assert!(
        tick["message"]
            .as_str()
            .is_some_and(|message| message.contains("notice-usage-limit")),
        "{tick}"
    );
}

#[test]
fn ready_to_merge_takes_two_readings_of_one_head_and_nothing_is_performed() {
    let case = Case::passed();
    let first = case.tick(&[]);
    assert_eq!(
        (&first["action"], holds(&first)),
        (&json!("confirm"), vec![true; 4])
    );
    for condition in first["conditions"].as_array().expect("conditions").iter().skip(1) {
        assert!(
            !condition["evidence"].as_array().expect("evidence").is_empty(),
            "{condition}"
        );
    }
    let file = case.save("first.json", &first);
    let file = file.to_string_lossy();
    case.product.assert_fits_schema(&first);
    let second = case.tick(&["--previous", &file]);
    assert_eq!(second["action"], "ready-to-merge");
    assert_eq!(second["headRefOid"], case.head);
    assert_eq!(second["command"], Value::Null, "merging is the user's");
    let second_file = case.save("second.json", &second);
    assert_eq!(
        case.action(&["--previous", &second_file.to_string_lossy()]),
        "ready-to-merge"
    );
    assert_eq!(case.github.log().writes().len(), 0);

    let text = case
        .product
        .run(&["converge", "42", "--previous", &file])
        .expect(0)
        .stdout;
    assert!(
        text.starts_with("ready-to-merge\n") && text.contains("condition 4 holds"),
        "{text}"
    );

    case.github.change(|world| {
        let mut pull = world.pull(42);
        let head = pull.push("second", at("10:30"));
        pull.person_comment(&request(&head), at("10:40"));
        pull.connector_comment(&clean_text(&head), at("10:44"));
    });
    assert_eq!(case.action(&["--previous", &file]), "confirm", "another head");

    let mut other = first.clone();
    other["pullRequest"] = json!(43);
    let other = case.save("other.json", &other);
    let _ = case.converge(&["--previous", &other.to_string_lossy()]).expect(2);
    let none = case.save("none.json", &json!({ "schema": "codex-loop.gate/1" }));
    let _ = case.converge(&["--previous", &none.to_string_lossy()]).expect(2);
}

#[test]
fn the_same_bundle_gives_the_same_answer() {
    let (case, keys) = Case::with_rounds(2);
    case.plan(&keys[0], "fixed", "race");
    case.plan(&keys[1], "fixed", "race");
    let live = case.tick(&[]);
    assert_eq!(live["action"], "family-repair");
    let bundle = case.product.run(&["collect", "42"]).expect(0).stdout;
    let saved = |bundle: &str| {
        let run = case
            .product
            .command(&["converge", "--from", "-", "--json"])
            .stdin(bundle)
            .run();
        run.expect(10).json()
    };
    let (one, other) = (saved(&bundle), saved(&bundle));
    assert_eq!(one, other);
    for field in [
        "action",
        "message",
        "evidence",
        "conditions",
        "limits",
        "openItems",
        "families",
        "rounds",
    ] {
        assert_eq!(one[field], live[field], "{field}");
    }
    let redacted = case.product.run(&["collect", "42", "--redact"]).expect(0).stdout;
    assert_eq!(saved(&redacted)["action"], "family-repair");
}

#[test]
fn pushes_that_broke_off_are_collected_again_with_the_last_facts_kept() {
    let case = Case::passed();
    let ready = case.tick(&[]);
    let previous = case.save("ready.json", &ready).to_string_lossy().into_owned();
    let mut bundle: Value = case.product.run(&["collect", "42"]).expect(0).json();
    bundle["surfaces"]["activity"] = json!({
        "status": "incomplete", "pages": 1, "items": [],
        "error": { "kind": "network", "message": "the connection was reset" },
    });
    let run = case
        .product
        .command(&["converge", "--from", "-", "--json", "--previous", &previous])
        .stdin(bundle.to_string())
        .run();
    let tick = run.expect(13).json();
    assert_eq!(tick["action"], "recollect");
    assert!(
        tick["message"]
            .as_str()
            .is_some_and(|message| message.contains("activity")),
        "{tick}"
    );
    assert_eq!(tick["lastSuccessful"]["action"], ready["action"]);
}

#[test]
fn a_branch_of_the_pull_request_in_this_checkout_is_retained() {
    let case = Case::passed();
    assert_eq!(case.tick(&[])["retained"], json!([]));
    let work = case.product.path("work");
    fs::write(work.join(".git/HEAD"), "ref: refs/heads/topic-42\n").expect("written");
    let git = |arguments: &[&str]| {
        let run = case
            .product
            .program(std::path::Path::new("/usr/bin/git"), arguments)
            .env("GIT_AUTHOR_NAME", "ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.com")
            .env("GIT_COMMITTER_NAME", "ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.com")
            .run();
        let _ = run.expect(0);
    };
    git(&["commit", "--quiet", "--allow-empty", "-m", "Start"]);
    assert_eq!(
        case.tick(&[])["retained"],
        json!([{ "kind": "branch", "name": "topic-42" }, { "kind": "worktree", "name": work.display().to_string() }])
    );
}
