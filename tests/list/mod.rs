//! `list`: one row per open pull request, in the order of what needs the user first, with bounded requests.

use apollo_compiler::response::JsonValue;
use serde_json::Value;

use crate::github::{Github, Match, World, ada, at, clean_text, connector, finding, grace};
use crate::product::Product;

/// Thirty open pull requests in several states; all but seven were never touched by the connector.
fn thirty() -> World {
    let mut world = World::new();
    for number in 1..=30 {
        let mut pull = world.pull(number);
        pull.pull().title = format!("Change number {number}");
        let head = pull.head();
        match number {
            // Findings.
            3 | 17 => {
                pull.person_comment("@codex review", at("10:00"));
                pull.thread(
                    connector(),
                    &head,
                    "src/lib.rs",
                    3,
                    &finding("P1", "Keep the lock"),
                    at("10:05"),
                );
            }
            // In progress.
            5 => {
                let trigger = pull.person_comment("@codex review", at("10:00"));
                pull.react(trigger, connector(), "eyes", at("10:01"));
            }
            // Clean and ready to merge.
            8 => {
                pull.react_body(connector(), "+1", at("09:06"));
            }
            // Clean by a comment, in answer to a trigger.
            12 => {
                pull.person_comment("@codex review", at("10:00"));
                pull.connector_comment(&clean_text(&head), at("10:04"));
            }
            // Failed.
            20 => {
                let failure = "Codex Review: Something went wrong. Try again later by commenting “@codex review”.\n\n\
                               ```\nAn unknown error occurred\n```";
                pull.person_comment("@codex review", at("10:00"));
                pull.connector_comment(failure, at("10:01"));
            }
            // Stale.
            25 => {
                pull.person_comment("@codex review", at("10:00"));
                pull.push("later", at("11:00"));
            }
            // Other people talk.
            _ => {
                pull.comment(grace(), "Looks good to me.", at("10:00"));
                pull.review(grace(), "COMMENTED", "Nice.", &head, at("10:01"));
            }
        }
    }
    world
}

fn rows(document: &Value) -> Vec<(u64, String)> {
    let rows = document["pullRequests"].as_array().expect("a list of rows");
    rows.iter()
        .map(|row| {
            let verdict = row["verdict"].as_str().unwrap_or("unreadable").to_owned();
            (row["number"].as_u64().expect("a number"), verdict)
        })
        .collect()
}

#[test]
fn thirty_pull_requests_are_one_row_each_with_what_needs_the_user_first() {
    let github = Github::start(thirty());
    let product = Product::new(&github);
    let run = product.run(&["list", "--json"]).expect(0);
    let document = run.json();
    assert_eq!(document["schema"], "codex-loop.list/1");
    product.assert_fits_schema(&document);
    assert_eq!(document["repository"], "octo/widgets");
    let rows = rows(&document);
    assert_eq!(rows.len(), 30);
    let order: Vec<(u64, &str)> = rows
        .iter()
        .map(|(number, verdict)| (*number, verdict.as_str()))
        .collect();
    assert_eq!(
        order.get(..6),
        Some(
            &[
                (3, "findings"),
                (17, "findings"),
                (20, "failed"),
                (8, "clean"),
                (12, "clean"),
                (25, "stale")
            ][..]
        )
    );
    assert_eq!(order.last(), Some(&(5, "in-progress")));
    let first = &document["pullRequests"][0];
    assert_eq!(first["title"], "Change number 3");
    assert_eq!(first["openFindings"], 1);
    assert_eq!(first["gate"], "blocking");
    assert_eq!(first["tests"], "passing");
    assert_eq!(first["next"]["action"], "address-findings");
    let ready = &document["pullRequests"][3];
    assert_eq!(
        (&ready["gate"], &ready["mergeAllowed"]),
        (&"approved".into(), &true.into())
    );
    // One page, then at most 2 + 7 a pull request with activity (and one more for a short commit id).
    let log = github.log();
    assert_eq!(log.count(&Match::graphql("OpenPulls")), 1);
    let calls = log.gh_calls();
    assert!(calls <= 1 + 7 * 9 + 1, "{calls} calls:\n{}", log.lines());
    for number in [1, 2, 4, 30] {
        let touched = log.count(&Match::get(&format!("*/issues/{number}/comments")));
        assert_eq!(touched, 0, "nothing is read of #{number}");
    }
    assert!(log.writes().is_empty());
    product.assert_no_child_left();
}

#[test]
fn a_row_says_what_status_says() {
    let github = Github::start(thirty());
    let product = Product::new(&github);
    let document = product.run(&["list", "--json"]).expect(0).json();
    for row in document["pullRequests"].as_array().expect("rows") {
        let number = row["number"].to_string();
        // One of those that were never touched stands for all of them.
        if row["reason"] == "no-trigger" && number != "1" {
            continue;
        }
        let status = product.run(&["status", &number, "--json"]).expect(0).json();
        assert_eq!(row["verdict"], status["verdict"]["state"], "#{number}");
        assert_eq!(row["by"], status["verdict"]["by"], "#{number}");
        assert_eq!(row["gate"], status["gate"]["gate"], "#{number}");
        assert_eq!(row["waitingReason"], status["gate"]["waitingReason"], "#{number}");
        assert_eq!(row["tests"], status["checks"]["state"], "#{number}");
        assert_eq!(row["next"], status["next"], "#{number}");
    }
}

#[test]
fn a_pull_request_that_cannot_be_read_is_a_row_that_says_so() {
    let github = Github::start(thirty());
    github.on(Match::graphql("query Pull").from(1)).edit(|body| {
        let number = body["data"]["repository"]["pullRequest"]["number"].as_u64();
        if number == Some(17)
            && let Some(data) = body["data"]["repository"].as_object_mut()
        {
            data.insert("pullRequest", JsonValue::Null);
        }
    });
    let product = Product::new(&github);
    let document = product.run(&["list", "--json"]).expect(0).json();
    let rows = document["pullRequests"].as_array().expect("rows");
    product.assert_fits_schema(&document);
    let unread = rows.iter().find(|row| row["number"] == 17).expect("its row");
    assert!(
        unread["verdict"].is_null() && unread["next"].is_null(),
        "{unread}"
    );
    assert_eq!(unread["title"], "Change number 17");
    assert!(
        unread["error"].as_str().is_some_and(|error| !error.is_empty()),
        "{unread}"
    );
    assert_eq!(rows.len(), 30);
    let run = product.run(&["list"]).expect(0);
    let line = run
        .stdout
        .lines()
        .find(|line| line.starts_with("#17\t"))
        .expect("its line");
    assert!(line.starts_with("#17\tunreadable\t"), "{line}");
}

#[test]
fn rows_are_tab_separated_in_a_pipe_and_fit_a_terminal() {
    let github = Github::start(thirty());
    let product = Product::new(&github);
    let run = product.run(&["list"]).expect(0);
    let first: Vec<&str> = run.stdout.lines().next().expect("a row").split('\t').collect();
    assert_eq!(
        [
            first[0], first[1], first[2], first[3], first[4], first[6], first[7]
        ],
        [
            "#3",
            "findings",
            "1",
            "blocking",
            "passing",
            "address-findings",
            "Change number 3"
        ],
        "{run}"
    );
    let run = product
        .command(&["list"])
        .env("NO_COLOR", "1")
        .terminal(80, 40)
        .expect(0);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{run}");
    let mut lines = run.stdout.lines();
    let heading: Vec<&str> = lines.next().expect("a heading").split_whitespace().collect();
    assert_eq!(
        heading,
        ["PR", "VERDICT", "OPEN", "GATE", "CI", "AGE", "NEXT", "TITLE"]
    );
    let first: Vec<&str> = lines.next().expect("a row").split_whitespace().collect();
    assert_eq!(
        [first[0], first[1], first[2], first[3], first[4], first[6]],
        ["#3", "findings", "1", "blocking", "✓", "address-findings"],
        "{run}"
    );
}

#[test]
fn the_list_is_narrowed_by_author_label_and_limit() {
    let mut world = thirty();
    world.pull(4).pull().labels = vec!["urgent".to_owned()];
    world.pull(6).pull().author = Some(grace());
    let github = Github::start(world);
    let product = Product::new(&github);
    let numbers = |arguments: &[&str]| -> Vec<u64> {
        let run = product.run(&[&["list", "--json"], arguments].concat()).expect(0);
        rows(&run.json()).into_iter().map(|(number, _)| number).collect()
    };
    assert_eq!(numbers(&["--label", "urgent"]), [4]);
    assert_eq!(numbers(&["--author", "grace"]), [6]);
    assert_eq!(numbers(&["--author", &ada().login, "--limit", "5"]).len(), 5);
    let document = product.run(&["list", "--limit", "2", "--json"]).expect(0).json();
    assert_eq!((rows(&document).len(), &document["notListed"]), (2, &28.into()));
    product.run(&["list", "--limit", "0"]).expect(2);
    product.run(&["list", "--demo"]).expect(2);
}

#[test]
fn closed_ones_are_not_listed_and_an_exit_code_is_given_on_request() {
    let mut world = World::new();
    world.pull(1).close(at("10:00"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let run = product.run(&["list", "--json"]).expect(0);
    assert_eq!(rows(&run.json()), []);
    product.run(&["list", "--exit-code"]).expect(0);
    github.change(|world| {
        let mut pull = world.pull(2);
        let head = pull.head();
        pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("10:05"),
        );
    });
    product.run(&["list", "--exit-code"]).expect(10);
    product.run(&["list"]).expect(0);
    github
        .on(Match::get("*/issues/2/comments"))
        .rate_limited(crate::github::now().timestamp() + 60);
    let run = product.run(&["list", "--json"]).expect(1);
    assert_eq!(run.error_json()["kind"], "rate-limited", "{run}");
}
