//! The `Tests:` line and what it allows.

use crate::github::{at, connector};

use super::Case;

fn approved() -> Case {
    Case::new(|pull| {
        pull.react_body(connector(), "+1", at("09:40"));
    })
}

#[test]
fn every_conclusion_has_its_word_and_an_unknown_one_never_passes() {
    let case = approved();
    for (conclusion, tests, code) in [
        (Some("success"), "passing", 0),
        (Some("neutral"), "passing", 0),
        (Some("skipped"), "passing", 0),
        (None, "pending", 8),
        (Some("failure"), "failing", 10),
        (Some("timed_out"), "failing", 10),
        (Some("cancelled"), "failing", 10),
        (Some("action_required"), "failing", 10),
        (Some("startup_failure"), "failing", 10),
        (Some("stale"), "failing", 10),
        (Some("waved_through"), "pending", 8),
    ] {
        case.then(|pull| {
            for suite in &mut pull.repository().suites {
                for run in &mut suite.runs {
                    run.conclusion = conclusion.map(str::to_owned);
                    run.status = if conclusion.is_some() {
                        "completed"
                    } else {
                        "in_progress"
                    }
                    .to_owned();
                    // GitHub's own description knows no such word.
                    let word = conclusion.map(str::to_owned);
                    run.overrides
                        .rest(move |json| json["conclusion"] = word.clone().into());
                }
            }
        });
        let run = case.product.run(&["gate", "42"]).expect(code);
        assert!(run.stdout.starts_with("Codex gate: approved\n"), "{run}");
        assert!(
            run.stdout.contains(&format!("\nTests: {tests}\n")),
            "{conclusion:?} {run}"
        );
        assert_eq!(run.stdout.lines().count(), if code == 0 { 5 } else { 4 }, "{run}");
    }
}

#[test]
fn statuses_count_beside_check_runs_and_skipped_and_neutral_say_why_they_pass() {
    let case = approved();
    case.then(|pull| {
        let head = pull.head();
        let suite = pull.suite(&head, at("09:01"));
        pull.check_in(suite, "docs", Some("skipped"), at("09:01"), at("09:01"));
        pull.check_in(suite, "lint", Some("neutral"), at("09:01"), at("09:01"));
        pull.status("deploy", "pending", at("09:02"));
    });
    let (code, document) = case.gate(&[]);
    assert_eq!((code, &document["tests"]), (8, &"pending".into()));
    let notes = document["checks"].as_array().expect("a list").iter();
    let explained: Vec<&str> = notes
        .filter(|check| check["note"].is_string())
        .filter_map(|check| check["name"].as_str())
        .collect();
    assert_eq!(explained, ["docs", "lint"]);
    case.then(|pull| pull.status("deploy", "success", at("09:03")));
    assert_eq!(case.says(&[]), "0 approved body");
    case.then(|pull| pull.status("deploy", "error", at("09:04")));
    assert_eq!(case.says(&[]), "10 approved body");
    // The gate does not wait for its own run, nor for what it is told to ignore.
    assert_eq!(case.says(&["--ignore-check", "deploy"]), "0 approved body");
}

/// Two workflows may have a job of one name: the one that failed first is no earlier attempt of the other.
#[test]
fn a_failing_job_is_not_hidden_by_another_workflows_job_of_its_name() {
    let case = approved();
    let says = |workflow: &str| {
        case.then(|pull| {
            pull.no_checks();
            let head = pull.head();
            for (workflow, conclusion, minute) in [("ci", "failure", "09:01"), (workflow, "success", "09:10")]
            {
                let suite = pull.suite(&head, at(minute));
                pull.suite_mut(suite).workflow = workflow.to_owned();
                pull.check_in(suite, "build", Some(conclusion), at(minute), at(minute));
            }
        });
        let (code, document) = case.gate(&[]);
        (code, document["tests"].as_str().map(str::to_owned))
    };
    assert_eq!(says("ci"), (0, Some("passing".to_owned())), "run again");
    assert_eq!(
        says("release"),
        (10, Some("failing".to_owned())),
        "another workflow"
    );
}

#[test]
fn a_draft_waits_and_a_conflict_is_work() {
    let case = approved();
    case.then(|pull| pull.pull().draft = true);
    assert_eq!(case.says(&[]), "8 approved body");
    let (_, document) = case.gate(&[]);
    assert_eq!(document["mergeHeldBy"], serde_json::json!(["draft"]));
    assert!(document["mergeCommand"].is_null());
    case.then(|pull| {
        pull.pull().draft = false;
        pull.pull().mergeable = "CONFLICTING".to_owned();
    });
    assert_eq!(case.says(&[]), "10 approved body");
    let (_, document) = case.gate(&[]);
    assert_eq!(document["context"]["mergeable"], "CONFLICTING");
}
