//! One tick of the loop: every action in its situation, in the order of the document, and what decides it.

use serde_json::{Value, json};

use super::{Acknowledgements, Action, Inputs, Previous, tick};
use crate::gate::{Gate, GateOptions};
use crate::options::Options;
use crate::run::Run;
use crate::sensor::world::{HEAD, OLD, World, at, frame, pass, request};
use crate::sensor::{Sensor, Settings};

/// What one tick is asked with, beside the world.
#[derive(Default)]
struct Asked {
    required: &'static [&'static str],
    acknowledged: Acknowledgements,
    previous: Option<Previous>,
}

/// What it answered, as plain values.
struct Answered {
    action: Action,
    message: String,
    evidence: Vec<String>,
    holds: Vec<bool>,
    limits: Vec<&'static str>,
    rounds: (usize, usize, Vec<u64>),
}

fn ask(world: &World, asked: &Asked) -> Answered {
    let (evidence, options) = (world.evidence(), Options::default());
    let run = Run::of(&evidence, &options).expect("a run");
    let settings = Settings {
        required_checks: asked.required.iter().map(|name| (*name).to_owned()).collect(),
        ..Settings::default()
    };
    let sensor = Sensor::of(&run, &settings);
    let gate = Gate::of(&run, &GateOptions::default());
    let answer = tick(&Inputs {
        sensor: &sensor,
        record: &evidence.local.handled.record,
        gate: &gate,
        acknowledged: &asked.acknowledged,
        previous: asked.previous.as_ref(),
    });
    Answered {
        action: answer.decided.action,
        message: answer.decided.message.clone(),
        evidence: answer.decided.evidence.clone(),
        holds: answer
            .conditions
            .iter()
            .map(|condition| condition.holds)
            .collect(),
        limits: answer
            .limits
            .iter()
            .filter(|limit| limit.holds)
            .map(|limit| limit.code.as_str())
            .collect(),
        rounds: (
            answer.rounds.total,
            answer.rounds.actionable,
            answer.rounds.unclassified.clone(),
        ),
    }
}

fn action(world: &World) -> Action {
    ask(world, &Asked::default()).action
}

/// A head whose checks passed and that was passed by name after a marked request.
fn passed() -> World {
    let mut world = World::new();
    world.check(1, "build", Some("success"), "10:00", "10:01");
    world.person(&request(HEAD), "10:00");
    world.connector(&pass(HEAD), "10:04");
    world
}

fn record(world: &mut World) -> &mut Value {
    &mut world.json["local"]["handled"]["record"]
}

fn plan(world: &mut World, key: &str, outcome: &str, family: &str, review: u64) {
    let entry = json!({ "key": key, "outcome": outcome, "family": family, "reviewId": review, "recordedAt": at("11:00") });
    if record(world)["planned"].is_null() {
        record(world)["planned"] = json!([]);
    }
    if let Some(planned) = record(world)["planned"].as_array_mut() {
        planned.push(entry);
    }
}

fn handle(world: &mut World, key: &str, outcome: &str, family: Option<&str>, review: u64) {
    world.json["local"]["handled"]["items"][key] = Value::Null;
    record(world)["dispositions"][key] = json!({
        "outcome": outcome, "family": family, "evidence": "x", "reviewId": review, "recordedAt": at("11:00"),
    });
    if let (Some(label), "fixed") = (family, outcome) {
        let count = record(world)["families"][label]["count"].as_u64().unwrap_or(0);
        record(world)["families"][label] = json!({ "count": count + 1, "outcome": outcome });
    }
}

fn checkpoint(world: &mut World, rounds: u64, answers: &Value) {
    let mut entry = json!({
        "url": format!("https://github.com/octo/widgets/pull/42#issuecomment-{rounds}"), "recurrence": "none",
        "causedByPriorRepair": false, "aligned": true, "scopeGrowth": false, "decreasing": true,
        "actionableRounds": rounds, "recordedAt": at("11:00"),
    });
    for (name, value) in answers.as_object().into_iter().flatten() {
        entry[name] = value.clone();
    }
    if record(world)["checkpoints"].is_null() {
        record(world)["checkpoints"] = json!([]);
    }
    if let Some(checkpoints) = record(world)["checkpoints"].as_array_mut() {
        checkpoints.push(entry);
    }
}

fn direct(world: &mut World, checkpoints: u64) {
    record(world)["directions"] =
        json!([{ "text": "Go on.", "checkpoints": checkpoints, "recordedAt": at("11:30") }]);
}

/// So many rounds on the old head, each with one item fixed in its own family.
fn fixed_rounds(world: &mut World, count: u64) {
    for number in 0..count {
        let (review, key) = world.round(OLD, OLD, &format!("09:{:02}", 10 + number));
        handle(world, &key, "fixed", Some(&format!("family {number}")), review);
    }
}

#[test]
fn a_closed_or_merged_pull_request_stops_everything() {
    for state in ["CLOSED", "MERGED"] {
        let mut world = World::new();
        world.round(HEAD, HEAD, "10:00");
        world.pull()["state"] = state.into();
        assert_eq!(action(&world), Action::Stop, "{state}");
    }
}

#[test]
fn an_item_without_disposition_wants_triage_before_anything_else() {
    let mut world = passed();
    let (review, first) = world.round(HEAD, HEAD, "10:10");
    let (_, second) = world.round(HEAD, HEAD, "10:11");
    plan(&mut world, &first, "user-decision", "a", review);
    let answer = ask(&world, &Asked::default());
    assert_eq!(
        (answer.action, answer.evidence),
        (Action::Triage, vec![second.clone()])
    );
    plan(&mut world, &second, "fixed", "a", review);
    assert_eq!(action(&world), Action::AskUser, "{first} waits for the user");
    // The text changed since it was planned.
    record(&mut world)["planned"][1]["bodySha256"] = "0".repeat(64).into();
    assert_eq!(action(&world), Action::Triage);
}

#[test]
fn a_handled_item_with_another_text_wants_triage_again() {
    let mut world = passed();
    let (review, key) = world.round(HEAD, HEAD, "10:10");
    handle(&mut world, &key, "rebutted", None, review);
    assert_ne!(action(&world), Action::Triage);
    world.json["local"]["handled"]["items"][&key] = "0".repeat(64).into();
    assert_eq!(ask(&world, &Asked::default()).evidence, [key]);
}

#[test]
fn the_user_is_asked_for_a_pending_decision_a_limit_and_what_the_run_wants() {
    let mut pending = passed();
    let (review, key) = pending.round(HEAD, HEAD, "10:10");
    plan(&mut pending, &key, "user-decision", "api", review);
    let answer = ask(&pending, &Asked::default());
    assert_eq!((answer.action, answer.evidence), (Action::AskUser, vec![key]));
    assert_eq!(answer.limits, ["contract-expands"]);
    assert_eq!(answer.holds, [false, false, false, true]);
    direct(&mut pending, 0);
    assert_eq!(
        action(&pending),
        Action::AskUser,
        "a direction clears limits, the item is still open"
    );

    let mut limit = World::new();
    limit.check(1, "build", Some("success"), "10:00", "10:01");
    limit.person("@codex review", "10:00");
    limit.connector(
        "You have reached your Codex usage limits for code reviews.",
        "10:01",
    );
    let answer = ask(&limit, &Asked::default());
    assert_eq!(answer.action, Action::AskUser);
    assert!(
        answer.message.contains("notice-usage-limit"),
        "{}",
        answer.message
    );

    let mut failed = World::new();
    failed.person("@codex review", "10:00");
    failed.connector(
        "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\nAn unknown error occurred",
        "10:01",
    );
    let answer = ask(&failed, &Asked::default());
    assert_eq!(answer.action, Action::AskUser);
    assert!(
        answer.message.contains("terminal-signature"),
        "{}",
        answer.message
    );
}

#[test]
fn every_limit_stops_until_a_direction_and_only_until_the_next_checkpoint() {
    for (answers, code) in [
        (json!({ "aligned": false }), "contract-expands"),
        (json!({ "scopeGrowth": true }), "scope-grows"),
        (json!({ "causedByPriorRepair": true }), "repairs-own-repair"),
        (
            json!({ "recurrence": "the race family came back" }),
            "repeats-after-general-repair",
        ),
        (json!({ "recurrence": "yes" }), "repeats-after-general-repair"),
    ] {
        let mut world = passed();
        fixed_rounds(&mut world, 3);
        let (review, key) = world.round(OLD, OLD, "09:40");
        handle(&mut world, &key, "fixed", Some("race"), review);
        record(&mut world)["dispositions"][&key]["covers"] = "every caller".into();
        checkpoint(&mut world, 4, &answers);
        let answer = ask(&world, &Asked::default());
        assert_eq!(
            (answer.action, answer.limits),
            (Action::AskUser, vec![code]),
            "{answers}"
        );
        direct(&mut world, 1);
        assert_eq!(action(&world), Action::Confirm, "{code}: directed");
        checkpoint(&mut world, 5, &answers);
        assert_eq!(
            action(&world),
            Action::AskUser,
            "{code}: the direction was for the checkpoint before"
        );
    }
    for answer in ["no", "None.", "", "another family"] {
        let mut world = passed();
        let (review, key) = world.round(OLD, OLD, "09:40");
        handle(&mut world, &key, "fixed", Some("race"), review);
        record(&mut world)["dispositions"][&key]["covers"] = "every caller".into();
        checkpoint(&mut world, 3, &json!({ "recurrence": answer }));
        assert_eq!(action(&world), Action::Confirm, "{answer:?}");
    }
}

#[test]
fn two_checkpoints_without_progress_ask_the_user() {
    let mut world = passed();
    fixed_rounds(&mut world, 5);
    checkpoint(&mut world, 3, &json!({ "decreasing": false }));
    checkpoint(&mut world, 5, &json!({ "decreasing": true }));
    assert_eq!(action(&world), Action::Confirm);
    record(&mut world)["checkpoints"][1]["decreasing"] = false.into();
    let answer = ask(&world, &Asked::default());
    assert_eq!(
        (answer.action, answer.limits),
        (Action::AskUser, vec!["no-progress"])
    );
    record(&mut world)["checkpoints"][0]["decreasing"] = true.into();
    assert_eq!(action(&world), Action::Confirm, "two in a row");
}

#[test]
fn checkpoints_are_due_at_three_actionable_rounds_and_every_two_more() {
    for (rounds, recorded, due) in [
        (2, None, false),
        (3, None, true),
        (3, Some(3), false),
        (4, Some(3), false),
        (4, None, true),
        (5, Some(3), true),
        (5, Some(4), true),
        (5, Some(5), false),
        (6, Some(5), false),
        (7, Some(5), true),
        (7, Some(7), false),
    ] {
        let mut world = passed();
        fixed_rounds(&mut world, rounds);
        if let Some(recorded) = recorded {
            checkpoint(&mut world, recorded, &Value::Null);
        }
        let expected = if due { Action::Checkpoint } else { Action::Confirm };
        let answer = ask(&world, &Asked::default());
        assert_eq!(
            answer.action, expected,
            "{rounds} rounds, recorded at {recorded:?}"
        );
        assert_eq!(answer.rounds.1, usize::try_from(rounds).expect("small"));
    }
}

#[test]
fn rounds_are_told_apart_and_rebuttals_do_not_count() {
    let mut world = passed();
    fixed_rounds(&mut world, 2);
    for time in ["09:30", "09:31", "09:32"] {
        let (review, key) = world.round(OLD, OLD, time);
        handle(&mut world, &key, "rebutted", None, review);
    }
    let (waiting, key) = world.round(OLD, OLD, "09:40");
    let (bare, _) = world.round(OLD, OLD, "09:41");
    let answer = ask(&world, &Asked::default());
    assert_eq!(answer.rounds, (7, 2, vec![waiting, bare]));
    assert_eq!(answer.action, Action::Confirm, "no checkpoint is due");
    plan(&mut world, &key, "fixed", "late", waiting);
    assert_eq!(
        ask(&world, &Asked::default()).rounds,
        (7, 2, vec![bare]),
        "planned, and not yet fixed"
    );
    record(&mut world)["actionableFindingRounds"] = Value::Null;
    record(&mut world)["actionableRounds"] = json!([bare]);
    let answer = ask(&world, &Asked::default());
    assert_eq!(answer.rounds, (7, 3, vec![]), "what the file says counts");
    assert_eq!(answer.action, Action::Checkpoint);
}

#[test]
fn the_second_occurrence_is_a_family_repair_and_the_third_a_reset() {
    let mut world = passed();
    for (occurrence, expected) in [
        (1, Action::Address),
        (2, Action::FamilyRepair),
        (3, Action::StrategyReset),
        (4, Action::AskUser),
    ] {
        let mut planned = world.clone();
        let (review, key) = planned.round(HEAD, HEAD, &format!("10:1{occurrence}"));
        plan(&mut planned, &key, "fixed", "race", review);
        if occurrence == 4 {
            checkpoint(&mut planned, 3, &Value::Null);
        }
        let answer = ask(&planned, &Asked::default());
        assert_eq!(
            (answer.action, &answer.evidence[..1]),
            (
                expected,
                &[if occurrence == 4 { "race".to_owned() } else { key }][..]
            ),
            "{occurrence}"
        );
        if occurrence == 4 {
            assert_eq!(answer.limits, ["repeats-after-general-repair"]);
            direct(&mut planned, 1);
            assert_eq!(
                action(&planned),
                Action::StrategyReset,
                "with the user's direction"
            );
        }
        let (review, key) = world.round(OLD, OLD, &format!("09:1{occurrence}"));
        handle(&mut world, &key, "fixed", Some("race"), review);
    }
    let mut rebutted = World::new();
    record(&mut rebutted)["families"]["race"] = json!({ "count": 5 });
    let (review, key) = rebutted.round(HEAD, HEAD, "10:10");
    plan(&mut rebutted, &key, "rebutted", "race", review);
    assert_eq!(action(&rebutted), Action::Address, "a rebuttal repairs nothing");
    let (review, key) = rebutted.round(HEAD, HEAD, "10:11");
    plan(&mut rebutted, &key, "fixed", "second", review);
    record(&mut rebutted)["families"]["second"] = json!({ "count": 1 });
    assert_eq!(action(&rebutted), Action::FamilyRepair);
    let (review, key) = rebutted.round(HEAD, HEAD, "10:12");
    plan(&mut rebutted, &key, "fixed", "third", review);
    record(&mut rebutted)["families"]["third"] = json!({ "count": 2 });
    let answer = ask(&rebutted, &Asked::default());
    assert_eq!(
        (answer.action, answer.evidence),
        (Action::StrategyReset, vec![key]),
        "a reset comes first"
    );
}

#[test]
fn a_checkpoint_comes_before_families_and_a_limit_before_the_checkpoint() {
    let mut world = passed();
    fixed_rounds(&mut world, 3);
    record(&mut world)["families"]["race"] = json!({ "count": 2 });
    let (review, key) = world.round(HEAD, HEAD, "10:10");
    plan(&mut world, &key, "fixed", "race", review);
    assert_eq!(action(&world), Action::Checkpoint);
    checkpoint(&mut world, 3, &Value::Null);
    assert_eq!(action(&world), Action::StrategyReset);
    fixed_rounds(&mut world, 2);
    record(&mut world)["checkpoints"][0]["scopeGrowth"] = true.into();
    assert_eq!(action(&world), Action::AskUser);
}

#[test]
fn open_items_come_before_ci_and_ci_before_the_review() {
    let mut world = World::new();
    world.check(1, "build", Some("failure"), "10:00", "10:01");
    let (review, key) = world.round(HEAD, HEAD, "10:10");
    plan(&mut world, &key, "fixed", "race", review);
    assert_eq!(action(&world), Action::Address);
    handle(&mut world, &key, "fixed", Some("race"), review);
    record(&mut world)["planned"] = json!([]);
    let answer = ask(&world, &Asked::default());
    assert_eq!(answer.action, Action::FixCi);
    assert!(
        answer.evidence.iter().all(|key| key.starts_with("check-run:")),
        "{:?}",
        answer.evidence
    );
    assert_eq!(answer.holds, [true, false, false, false]);
}

#[test]
fn neutral_and_skipped_required_checks_want_a_reason() {
    for conclusion in ["neutral", "skipped"] {
        let mut world = passed();
        world.check(1, "docs", Some(conclusion), "10:00", "10:01");
        assert_eq!(
            action(&world),
            Action::Confirm,
            "{conclusion}: seen, and not required"
        );
        let required: &'static [&'static str] = &["build", "docs"];
        let answer = ask(
            &world,
            &Asked {
                required,
                ..Asked::default()
            },
        );
        assert_eq!(
            (answer.action, answer.holds[3]),
            (Action::VerifyCi, false),
            "{conclusion}"
        );
        let mut acknowledged = Acknowledgements::default();
        acknowledged
            .neutral_ok
            .insert("build".to_owned(), "no".to_owned());
        let other = Asked {
            required,
            acknowledged: acknowledged.clone(),
            ..Asked::default()
        };
        assert_eq!(
            ask(&world, &other).action,
            Action::VerifyCi,
            "{conclusion}: another one"
        );
        acknowledged
            .neutral_ok
            .insert("docs".to_owned(), "no documentation changed".to_owned());
        let asked = Asked {
            required,
            acknowledged,
            ..Asked::default()
        };
        let answer = ask(&world, &asked);
        assert_eq!(
            (answer.action, answer.holds[3]),
            (Action::Confirm, true),
            "{conclusion}"
        );
        let required: &'static [&'static str] = &["build", "docs", "test"];
        assert_eq!(
            ask(&world, &Asked { required, ..asked }).action,
            Action::WaitCi,
            "{conclusion}: one is missing"
        );
    }
}

#[test]
fn no_ci_wants_a_reason_and_names_what_was_discarded() {
    let mut world = passed();
    world.json["surfaces"]["checkRuns"]["items"] = json!([]);
    assert_eq!(ask(&world, &Asked::default()).evidence, Vec::<String>::new());
    world.check(1, "build", Some("success"), "08:00", "08:01");
    let answer = ask(&world, &Asked::default());
    assert_eq!(
        (answer.action, answer.evidence.len(), answer.holds[3]),
        (Action::VerifyNoCi, 1, false)
    );
    let acknowledged = Acknowledgements {
        none_ok: Some("paths filter".to_owned()),
        ..Acknowledgements::default()
    };
    let answer = ask(
        &world,
        &Asked {
            acknowledged,
            ..Asked::default()
        },
    );
    assert_eq!((answer.action, answer.holds[3]), (Action::Confirm, true));
}

#[test]
fn unfinished_ci_is_waited_for() {
    let mut world = passed();
    world.check(1, "slow", None, "10:00", "");
    let answer = ask(&world, &Asked::default());
    assert_eq!((answer.action, answer.evidence.len()), (Action::WaitCi, 1));
}

#[test]
fn a_draft_is_asked_about_once_for_each_head() {
    let mut world = World::new();
    world.pull()["isDraft"] = true.into();
    world.check(1, "build", Some("success"), "10:00", "10:01");
    assert_eq!(action(&world), Action::RequestReview);
    world.person(&request(OLD), "09:50");
    assert_eq!(action(&world), Action::RequestReview, "that was for another head");
    world.person(&request(HEAD), "10:02");
    assert_eq!(action(&world), Action::WaitReview);
    let mut unmarked = World::new();
    unmarked.pull()["isDraft"] = true.into();
    unmarked.check(1, "build", Some("success"), "10:00", "10:01");
    unmarked.person("@codex review", "10:02");
    assert_eq!(
        action(&unmarked),
        Action::WaitReview,
        "a request without a marker is one too"
    );
}

#[test]
fn a_ready_pull_request_waits_for_the_automatic_review() {
    let ready = |collected: &str| {
        let mut world = World::new();
        world.check(1, "build", Some("success"), "09:59", "10:00");
        world.json["collectedAt"] = at(collected).into();
        world
    };
    // The head was first seen at 09:59.
    assert_eq!(action(&ready("10:33:59")), Action::WaitReview);
    assert_eq!(action(&ready("10:34")), Action::RequestReview);
    let mut made_ready = ready("10:40");
    made_ready.event("ready-for-review", "10:10");
    made_ready.check(1, "build", Some("success"), "10:11", "10:12");
    assert_eq!(
        action(&made_ready),
        Action::WaitReview,
        "30 minutes since it is ready"
    );
    let mut looking = ready("10:40");
    looking.react_body("eyes", "10:00");
    assert_eq!(action(&looking), Action::WaitReview, "the connector looks at it");
    let mut requested = ready("11:40");
    requested.person(&request(HEAD), "10:10");
    assert_eq!(
        action(&requested),
        Action::WaitReview,
        "never again for time alone"
    );
}

#[test]
fn a_review_is_requested_after_every_finding_was_rebutted_on_the_same_head() {
    let mut world = World::new();
    world.check(1, "build", Some("success"), "10:00", "10:01");
    let (review, first) = world.round(HEAD, HEAD, "11:50");
    let second = world.inline(review, HEAD, HEAD, "P2", "11:50");
    let second = format!("review-comment:{second}");
    handle(&mut world, &first, "rebutted", None, review);
    handle(&mut world, &second, "fixed", Some("a"), review);
    assert_eq!(
        action(&world),
        Action::WaitReview,
        "one was fixed, so a new head follows"
    );
    handle(&mut world, &second, "rebutted", None, review);
    let answer = ask(&world, &Asked::default());
    assert_eq!(
        (answer.action, answer.evidence),
        (Action::RequestReview, vec![format!("review:{review}")])
    );
    world.person(&request(HEAD), "11:55");
    assert_eq!(action(&world), Action::WaitReview, "it was requested");
    let mut made_ready = World::new();
    let (review, key) = made_ready.round(HEAD, HEAD, "11:40");
    handle(&mut made_ready, &key, "rebutted", None, review);
    made_ready.event("ready-for-review", "11:45");
    made_ready.check(1, "build", Some("success"), "11:46", "11:47");
    assert_eq!(
        action(&made_ready),
        Action::WaitReview,
        "the ready transition brings a review of its own"
    );
    let mut moved = World::new();
    moved.check(1, "build", Some("success"), "10:00", "10:01");
    moved.json["collectedAt"] = at("10:20").into();
    let (review, key) = moved.round(OLD, OLD, "09:30");
    handle(&mut moved, &key, "rebutted", None, review);
    assert_eq!(action(&moved), Action::WaitReview, "the head changed since");
}

#[test]
fn only_a_pass_of_this_phase_with_nothing_later_counts() {
    let holds = |world: &World| ask(world, &Asked::default()).holds[1];
    let base = || {
        let mut world = World::new();
        world.check(1, "build", Some("success"), "10:00", "10:01");
        world
    };
    let mut by_name = base();
    by_name.connector(&pass(HEAD), "10:04");
    assert!(holds(&by_name), "without any request");

    let mut signal = base();
    let asked = signal.person(&request(HEAD), "10:00");
    signal.react(asked, "+1", "10:04");
    assert!(holds(&signal));
    let mut completed = signal.clone();
    completed.review(HEAD, &frame(HEAD), "10:04");
    assert!(!holds(&completed), "a completed review that is not older");
    let mut earlier = signal.clone();
    earlier.review(HEAD, &frame(HEAD), "10:03:59");
    assert!(holds(&earlier));

    let mut gate = base();
    gate.react_body("+1", "10:40");
    assert!(holds(&gate), "the merge gate approves");
    gate.event("ready-for-review", "10:50");
    gate.check(1, "build", Some("success"), "10:51", "10:52");
    assert!(!holds(&gate), "that was before it was ready");

    for later in ["finding", "eyes", "request", "unclear"] {
        let mut world = by_name.clone();
        match later {
            "finding" => {
                let (review, key) = world.round(HEAD, HEAD, "10:05");
                handle(&mut world, &key, "rebutted", None, review);
            }
            "eyes" => drop(world.react_body("eyes", "10:05")),
            "request" => drop(world.person("@codex review", "10:05")),
            _ => drop(world.connector("Codex Review: I had a look at the retry loop.", "10:05")),
        }
        assert!(!holds(&world), "{later} after the pass");
    }
    let mut spent = base();
    spent.react_body("eyes", "10:03");
    spent.connector(&pass(HEAD), "10:04");
    assert!(holds(&spent), "eyes before the pass are spent");
}

#[test]
fn evidence_counts_only_after_the_head_was_first_seen() {
    let mut world = World::new();
    world.check(1, "build", Some("success"), "10:00", "10:01");
    world.committed("08:00");
    world.json["surfaces"]["checkSuites"]["items"][0]["created_at"] = at("10:03").into();
    world.json["surfaces"]["checkRuns"]["items"][0]["started_at"] = at("10:03").into();
    let asked = world.person(&request(HEAD), "10:00");
    world.react(asked, "+1", "10:02");
    assert!(!ask(&world, &Asked::default()).holds[1]);
    world.react(asked, "+1", "10:04");
    assert!(ask(&world, &Asked::default()).holds[1]);
}

#[test]
fn a_draft_that_passed_is_marked_ready_and_then_has_to_pass_again() {
    let mut world = passed();
    world.pull()["isDraft"] = true.into();
    let answer = ask(&world, &Asked::default());
    assert_eq!(
        (answer.action, answer.holds),
        (Action::MarkReady, vec![true, true, false, true])
    );
    world.pull()["isDraft"] = false.into();
    world.event("ready-for-review", "10:30");
    world.json["collectedAt"] = at("10:40").into();
    let answer = ask(&world, &Asked::default());
    assert_eq!(
        (answer.action, answer.holds[2]),
        (Action::VerifyNoCi, false),
        "a new CI phase"
    );
    world.check(1, "build", Some("success"), "10:31", "10:32");
    assert_eq!(action(&world), Action::WaitReview, "a new review phase");
    world.connector(&pass(HEAD), "10:35");
    let answer = ask(&world, &Asked::default());
    assert_eq!(
        (answer.action, answer.holds),
        (Action::Confirm, vec![true, true, true, true])
    );
}

#[test]
fn ready_to_merge_takes_two_readings_of_the_same_head() {
    let world = passed();
    let asked = |action: &str, head: &str| Asked {
        previous: Some(Previous {
            action: action.to_owned(),
            head: head.parse().ok(),
        }),
        ..Asked::default()
    };
    let first = ask(&world, &Asked::default());
    assert_eq!((first.action, &first.holds), (Action::Confirm, &vec![true; 4]));
    for before in ["confirm", "ready-to-merge"] {
        let answer = ask(&world, &asked(before, HEAD));
        assert_eq!(answer.action, Action::ReadyToMerge);
        assert!(
            answer
                .evidence
                .iter()
                .any(|name| name.starts_with("issue-comment:")),
            "{:?}",
            answer.evidence
        );
        assert!(
            answer.evidence.iter().any(|name| name.starts_with("check-run:")),
            "{:?}",
            answer.evidence
        );
        assert_eq!(
            ask(&world, &asked(before, OLD)).action,
            Action::Confirm,
            "another head"
        );
    }
    for before in ["wait-ci", "recollect", "mark-ready", ""] {
        assert_eq!(
            ask(&world, &asked(before, HEAD)).action,
            Action::Confirm,
            "{before}"
        );
    }
    let mut failing = passed();
    failing.check(1, "lint", Some("failure"), "10:00", "10:01");
    assert_eq!(ask(&failing, &asked("confirm", HEAD)).action, Action::FixCi);
}

#[test]
fn the_same_input_gives_the_same_answer() {
    let mut world = passed();
    fixed_rounds(&mut world, 4);
    let (review, key) = world.round(HEAD, HEAD, "10:10");
    plan(&mut world, &key, "fixed", "race", review);
    let one = ask(&world, &Asked::default());
    let other = ask(&world, &Asked::default());
    assert_eq!(
        (one.action, one.message, one.evidence),
        (other.action, other.message, other.evidence)
    );
}

/// A whole loop, from the first finding on a draft to the merge that is the user's: one action at a time.
#[test]
fn a_pull_request_goes_through_the_whole_loop() {
    let mut world = World::new();
    world.pull()["isDraft"] = true.into();
    world.check(1, "build", Some("success"), "10:00", "10:01");
    assert_eq!(action(&world), Action::RequestReview);
    world.person(&request(HEAD), "10:02");
    assert_eq!(action(&world), Action::WaitReview);
    let (review, key) = world.round(HEAD, HEAD, "10:05");
    assert_eq!(action(&world), Action::Triage);
    plan(&mut world, &key, "rebutted", "race", review);
    assert_eq!(action(&world), Action::Address);
    record(&mut world)["planned"] = json!([]);
    handle(&mut world, &key, "rebutted", None, review);
    assert_eq!(
        action(&world),
        Action::WaitReview,
        "a draft's head is asked about once"
    );
    world.connector(&pass(HEAD), "10:10");
    assert_eq!(action(&world), Action::MarkReady);
    world.pull()["isDraft"] = false.into();
    world.event("ready-for-review", "10:20");
    world.suite(2, "in_progress", "10:21");
    world.check(2, "build", None, "10:21", "");
    assert_eq!(action(&world), Action::WaitCi);
    world.check(2, "build", Some("success"), "10:21", "10:25");
    world.json["collectedAt"] = at("10:30").into();
    assert_eq!(action(&world), Action::WaitReview);
    world.connector(&pass(HEAD), "11:00");
    world.json["collectedAt"] = at("11:05").into();
    assert_eq!(action(&world), Action::Confirm);
}

/// Nothing but an open thread of an old head that is handled here: the merge gate blocks, and the loop goes on.
fn gate_blocked() -> World {
    let mut world = World::new();
    world.check(1, "build", Some("success"), "10:00", "10:01");
    let (review, key) = world.round(OLD, OLD, "09:30");
    handle(&mut world, &key, "fixed", Some("race"), review);
    world
}

#[test]
fn a_thumbs_up_on_the_request_passes_only_after_every_completed_review() {
    let clean = "### 💡 Codex Review\n\nDidn't find any major issues.";
    for (review, holds) in [
        (None, true),
        (Some("10:03:59"), true),
        (Some("10:04"), false),
        (Some("10:05"), false),
    ] {
        let mut world = gate_blocked();
        let asked = world.person(&request(HEAD), "10:00");
        world.react(asked, "+1", "10:04");
        if let Some(time) = review {
            world.review(HEAD, clean, time);
        }
        assert_eq!(ask(&world, &Asked::default()).holds[1], holds, "{review:?}");
    }
}

#[test]
fn what_does_not_name_the_head_counts_only_strictly_after_its_first_evidence_and_the_ready_transition() {
    // The head was first seen at 09:59.
    for (time, holds) in [("09:59", false), ("09:59:01", true)] {
        let mut world = World::new();
        world.check(1, "build", Some("success"), "10:00", "10:01");
        world.connector(&pass(HEAD), time);
        assert_eq!(
            ask(&world, &Asked::default()).holds[1],
            holds,
            "a comment at {time}"
        );
    }
    let unseen = || {
        let mut world = gate_blocked();
        for surface in ["checkSuites", "checkRuns"] {
            world.json["surfaces"][surface]["items"] = json!([]);
        }
        world
    };
    let mut named = unseen();
    named.connector(&pass(HEAD), "10:04");
    assert!(ask(&named, &Asked::default()).holds[1], "it names the head");
    let mut signal = unseen();
    let asked = signal.person(&request(HEAD), "10:00");
    signal.react(asked, "+1", "10:04");
    assert!(
        !ask(&signal, &Asked::default()).holds[1],
        "nothing shows when the head came"
    );
    // The merge gate's approval belongs to the phase in which it was given.
    for (time, holds) in [("10:50", false), ("10:50:01", true)] {
        let mut world = World::new();
        world.check(1, "build", Some("success"), "10:00", "10:01");
        world.event("ready-for-review", "10:50");
        world.react_body("+1", time);
        assert_eq!(
            ask(&world, &Asked::default()).holds[1],
            holds,
            "the gate at {time}"
        );
    }
}

#[test]
fn a_rebutted_round_asks_for_a_review_only_when_it_is_later_than_the_request_and_the_transition() {
    for (asked, ready, expected) in [
        (None, None, Action::RequestReview),
        (Some("11:49:59"), None, Action::RequestReview),
        // In one second nobody can say which came first.
        (Some("11:50"), None, Action::AskUser),
        (None, Some("11:49:59"), Action::RequestReview),
        (None, Some("11:50"), Action::WaitReview),
    ] {
        let mut world = World::new();
        if let Some(time) = ready {
            world.event("ready-for-review", time);
        }
        world.check(1, "build", Some("success"), "11:51", "11:52");
        if let Some(time) = asked {
            world.person(&request(HEAD), time);
        }
        let (review, key) = world.round(HEAD, HEAD, "11:50");
        handle(&mut world, &key, "rebutted", None, review);
        assert_eq!(action(&world), expected, "{asked:?} {ready:?}");
    }
}

#[test]
fn only_the_connectors_own_signs_since_the_head_came_are_signs_of_an_automatic_review() {
    type Add = fn(&mut World);
    let adds: [(&str, Add, Action); 7] = [
        ("nothing", |_| {}, Action::RequestReview),
        (
            "a person's comment",
            |world| {
                world.person("Thanks.", "10:10");
            },
            Action::RequestReview,
        ),
        (
            "the connector's, from before",
            |world| {
                world.connector(&pass(OLD), "09:58");
            },
            Action::RequestReview,
        ),
        (
            "the connector's, in the second of the arrival",
            |world| {
                world.connector(&pass(OLD), "09:59");
            },
            Action::WaitReview,
        ),
        (
            "a review from before",
            |world| {
                world.review(
                    OLD,
                    "### 💡 Codex Review\n\nDidn't find any major issues.",
                    "09:30",
                );
            },
            Action::RequestReview,
        ),
        (
            "a review of the old head that ended later",
            |world| {
                world.review(
                    OLD,
                    "### 💡 Codex Review\n\nDidn't find any major issues.",
                    "10:10",
                );
            },
            Action::WaitReview,
        ),
        (
            "a review without an author",
            |world| {
                world.review(OLD, "I had a look.", "10:10");
                world.json["surfaces"]["reviews"]["items"][0]["user"] = Value::Null;
            },
            Action::RequestReview,
        ),
    ];
    for (name, add, expected) in adds {
        let mut world = World::new();
        world.check(1, "build", Some("success"), "09:59", "10:00");
        world.json["collectedAt"] = at("10:40").into();
        add(&mut world);
        assert_eq!(action(&world), expected, "{name}");
    }
}

#[test]
fn only_decisions_of_the_user_are_open_beside_the_items_of_this_head() {
    for (outcome, handled) in [("user-decision", false), ("fixed", true), ("rebutted", true)] {
        let mut world = passed();
        plan(&mut world, "review-comment:1", outcome, "race", 1);
        let answer = ask(&world, &Asked::default());
        assert_eq!(answer.holds[0], handled, "{outcome}");
    }
}

#[test]
fn a_required_check_that_passed_is_no_doubt() {
    let asked = Asked {
        required: &["build"],
        ..Asked::default()
    };
    let answer = ask(&passed(), &asked);
    assert_eq!((answer.action, answer.holds), (Action::Confirm, vec![true; 4]));
}

#[test]
fn items_are_counted_in_words_that_fit() {
    for (count, words) in [(1, "One open item has no"), (2, "2 open items have no")] {
        let mut world = World::new();
        for minute in 0..count {
            world.round(HEAD, HEAD, &format!("10:{:02}", 10 + minute));
        }
        let answer = ask(&world, &Asked::default());
        assert_eq!(answer.action, Action::Triage);
        assert!(answer.message.starts_with(words), "{}", answer.message);
    }
}

#[test]
fn a_family_recurs_after_a_general_repair_only_when_one_was_recorded() {
    for (outcome, covers, recurs) in [
        ("fixed", Some("every caller"), true),
        ("fixed", None, false),
        ("rebutted", Some("every caller"), false),
    ] {
        let mut world = passed();
        let (review, key) = world.round(OLD, OLD, "09:40");
        handle(&mut world, &key, outcome, Some("race"), review);
        record(&mut world)["dispositions"][&key]["covers"] = covers.into();
        checkpoint(&mut world, 3, &json!({ "recurrence": "the race family" }));
        let limits = ask(&world, &Asked::default()).limits;
        assert_eq!(
            limits.contains(&"repeats-after-general-repair"),
            recurs,
            "{outcome} {covers:?}"
        );
    }
}

/// A conflict with the base, eyes on an unmarked request, and a thread that is not listed: each keeps a head whose four conditions hold from being called ready.
#[test]
fn what_speaks_against_a_passed_head_keeps_it_from_being_confirmed() {
    type Change = fn(&mut World);
    let changes: [(&str, Change, Action); 4] = [
        ("as it is", |_| {}, Action::Confirm),
        (
            "a conflict",
            |world| world.pull()["mergeable"] = "CONFLICTING".into(),
            Action::AskUser,
        ),
        (
            "eyes on an answered request without a marker",
            |world| {
                let asked = world.person("@codex review", "10:05");
                world.connector(&pass(HEAD), "10:06");
                world.react(asked, "eyes", "10:07");
            },
            Action::WaitReview,
        ),
        (
            "an open thread that is not listed",
            |world| {
                world.put(
                    "threads",
                    json!({
                        "id": "PRRT_1", "isResolved": false, "isOutdated": false,
                        "comments": [{
                            "id": 9_001, "body": "Why?", "createdAt": at("09:30"), "reviewCommit": OLD,
                            "author": { "login": "chatgpt-codex-connector", "type": "Bot" },
                        }],
                    }),
                );
            },
            Action::WaitReview,
        ),
    ];
    for (what, change, expected) in changes {
        let mut world = passed();
        change(&mut world);
        let answer = ask(&world, &Asked::default());
        assert_eq!(answer.action, expected, "{what}: {}", answer.message);
    }
}

#[test]
fn what_passed_a_head_by_name_passes_it_no_more_once_it_came_back() {
    for (when, after, expected) in [
        ("10:03", HEAD, Action::Confirm),
        ("10:04", HEAD, Action::WaitReview),
        ("10:05", HEAD, Action::WaitReview),
        ("10:05", "", Action::WaitReview),
    ] {
        let mut world = World::new();
        world.check(1, "build", Some("success"), "10:00", "10:01");
        world.connector(&pass(HEAD), "10:04");
        world.event("head-force-pushed", when);
        let event = &mut world.json["surfaces"]["timeline"]["items"][0];
        event["before"] = OLD.into();
        event["after"] = Some(after).filter(|sha| !sha.is_empty()).into();
        let answer = ask(&world, &Asked::default());
        assert_eq!(answer.action, expected, "{when} {after:?}: {}", answer.message);
    }
}
