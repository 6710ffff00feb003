//! The headline joins both protocols.

use crate::github::{Target, at, clean_text, connector, finding};

use super::{Case, summary};

#[test]
fn an_automatic_review_that_is_answered_by_a_thumbs_up_on_the_body_is_clean_by_the_gate() {
    let case = Case::new(|pull| {
        pull.react_body(connector(), "+1", at("09:06"));
    });
    let document = case.status(&[]);
    assert_eq!(document["verdict"]["state"], "clean");
    assert_eq!(document["verdict"]["by"], serde_json::json!(["gate"]));
    assert_eq!(document["run"]["state"], "indeterminate");
    assert_eq!(document["run"]["reasons"][0]["code"], "no-trigger");
    assert_eq!(document["gate"]["gate"], "approved");
    assert_eq!(document["schema"], "codex-loop.status/1");
    case.product.assert_fits_schema(&document);
    // A manual one likewise: the run alone cannot say it.
    case.then(|pull| pull.person_comment("@codex review", at("09:02")));
    assert_eq!(case.headline(), "clean by gate: clean-reaction, then none");
    assert_eq!(case.status(&[])["run"]["state"], "indeterminate");
    let run = case.product.run(&["status", "42", "--exit-code"]).expect(0);
    assert!(run.stdout.contains("verdict\tclean\tgate\n"), "{run}");
}

#[test]
fn findings_in_either_protocol_are_findings() {
    let case = Case::new(|pull| {
        let head = pull.head();
        let trigger = pull.person_comment("@codex review", at("09:20"));
        // Before the trigger: the run calls it an earlier thread, the gate blocks.
        pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("09:10"),
        );
        pull.react(trigger, connector(), "+1", at("09:30"));
    });
    assert_eq!(
        case.headline(),
        "findings by gate: finding-thread, then address-findings"
    );
    assert_eq!(
        case.status(&[])["run"]["reasons"][0]["code"],
        "earlier-thread-unresolved"
    );
    case.then(|pull| {
        let head = pull.head();
        pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            9,
            &finding("P2", "Name it"),
            at("09:40"),
        );
    });
    assert_eq!(
        case.headline(),
        "findings by run+gate: finding-thread, then address-findings"
    );
    let run = case.product.run(&["status", "42", "--exit-code"]).expect(10);
    assert!(run.stdout.contains("P1\tKeep the lock\tsrc/lib.rs:3"), "{run}");
    case.product.run(&["status", "42"]).expect(0);
}

#[test]
fn a_summary_alone_is_progress_or_failure_and_never_clean() {
    let case = Case::new(|_| {});
    let head = case.then(|pull| pull.head());
    let row = |status: &str, time: &str| summary(status, &head, &format!("2026-09-16T{time}Z"));
    let comment =
        case.then(|pull| pull.connector_comment(&row("🔄 **Running** since", "09:00:18"), at("09:00:18")));
    assert_eq!(
        case.headline(),
        "in-progress by summary: summary-running, then poll"
    );
    case.then(|pull| {
        pull.edit(
            comment,
            connector(),
            &row("⚠️ **Failed**", "09:05:00"),
            at("09:05"),
        )
    });
    assert_eq!(
        case.headline(),
        "failed by summary: summary-failed, then ask-user"
    );
    case.then(|pull| {
        pull.edit(
            comment,
            connector(),
            &row("✅ **Completed**", "09:06:00"),
            at("09:06"),
        )
    });
    assert_eq!(
        case.headline(),
        "indeterminate by run: no-trigger, then request-review"
    );
    case.then(|pull| pull.react_body(connector(), "+1", at("09:06:03")));
    assert_eq!(case.headline(), "clean by gate: clean-reaction, then none");
}

#[test]
fn a_clean_comment_for_the_head_is_clean_until_new_eyes_come() {
    let case = Case::new(|pull| {
        let head = pull.head();
        pull.connector_comment(&clean_text(&head), at("09:06"));
    });
    assert_eq!(case.headline(), "clean by result: clean-review-result, then none");
    let eyes = case.then(|pull| pull.react_body(connector(), "eyes", at("09:07")));
    assert_eq!(case.headline(), "in-progress by gate: acknowledged, then poll");
    case.then(|pull| {
        pull.unreact(Target::Body, eyes);
        pull.person_comment("@codex review", at("09:08"));
    });
    assert_eq!(
        case.headline(),
        "indeterminate by run: no-terminal-output, then poll"
    );
}

#[test]
fn a_push_after_the_trigger_is_stale_and_a_failure_is_failed() {
    let case = Case::new(|pull| {
        pull.person_comment("@codex review", at("09:20"));
        pull.push("second", at("10:00"));
    });
    assert_eq!(case.headline(), "stale by run: head-changed, then request-review");
    let failure = "Codex Review: Something went wrong. Try again later by commenting “@codex review”.\n\n\
                   ```\nAn unknown error occurred\n```";
    let case = Case::new(|pull| {
        pull.person_comment("@codex review", at("09:20"));
        pull.connector_comment(failure, at("09:21"));
    });
    assert_eq!(case.headline(), "failed by run: terminal-signature, then retry");
    let run = case.product.run(&["status", "42", "--exit-code"]).expect(11);
    assert!(run.stdout.contains("gh codex-loop retry 42"), "{run}");
}

#[test]
fn one_screen_shows_it_all() {
    let case = Case::new(|pull| {
        let head = pull.head();
        pull.person_comment("@codex review", at("09:20"));
        for place in 1..=9 {
            let title =
                format!("A finding with a rather long title that needs to be cut somewhere, number {place}");
            pull.thread(
                connector(),
                &head,
                "src/a/long/way/down/lib.rs",
                place,
                &finding("P2", &title),
                at("09:30"),
            );
        }
        pull.status("a check", "failure", at("09:05"));
    });
    let run = case.product.command(&["status", "42"]).terminal(80, 24);
    assert_eq!(run.code, Some(0), "{run}");
    let plain = strip(&run.stdout);
    assert!(plain.lines().count() <= 24, "{plain}");
    assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
    for part in [
        "X findings  octo/widgets#42  Change 42\n  why   The connector left 9 open threads",
        "\n  next  Verify each finding",
        "\n        gh codex-loop findings 42\n",
        "failure  a check",
        "9 open",
        "and 3 more: gh codex-loop findings 42",
        "read 2026-",
    ] {
        assert!(plain.contains(part), "no `{part}` in:\n{plain}");
    }
    let run = case.product.command(&["status", "--demo"]).terminal(80, 24);
    assert!(strip(&run.stdout).lines().count() <= 24, "{run}");
}

/// The text without colours.
fn strip(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest.by_ref().find(|c| *c == 'm');
        } else {
            plain.push(c);
        }
    }
    plain
}
