//! Failed runs over the real gh: both listed signatures, their record, and what only resembles them.

use sha2::{Digest, Sha256};

use super::{classify, expect, indeterminate};
use crate::github::{World, ada, at, impostor};

const LISTED: &str = "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\nAn unknown error occurred";
const SEEN: &str = "Codex Review: Something went wrong. Try again later by commenting “@codex review”.\n\n```\nAn unknown error occurred\n```\n\n<details> <summary>ℹ️ About Codex in GitHub</summary>\n<br/>\n\nYour team has set up Codex.\n\n</details>";

fn answered(body: &str) -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    pull.person_comment("@codex review", at("10:00"));
    pull.connector_comment(body, at("10:04"));
    world
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn the_listed_failure_has_a_record_of_seventeen_fields() {
    for body in [
        LISTED.to_owned(),
        LISTED.replace('\n', "\r\n"),
        format!("{LISTED}\n\n  \n"),
    ] {
        let run = classify(answered(&body));
        expect(&run, "failed", "terminal-signature", 11);
        let document = run.json();
        assert_eq!(document["next"]["action"], "retry");
        let terminal = document["terminal"].as_object().expect("a record");
        let mut names: Vec<_> = terminal.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "headRefOid",
                "normalizedBodySha256",
                "retryAttemptCount",
                "retryAuthorizationReference",
                "retryTransitionState",
                "retryable",
                "successorHeadRefOid",
                "successorTriggerCommentId",
                "successorTriggerCreatedAt",
                "terminalAuthorId",
                "terminalAuthorLogin",
                "terminalAuthorType",
                "terminalCommentId",
                "terminalCreatedAt",
                "terminalSignatureId",
                "triggerCommentId",
                "triggerCreatedAt",
            ]
        );
        assert_eq!(
            terminal["terminalSignatureId"],
            "codex-review-unknown-error-retry-v1"
        );
        assert_eq!(terminal["normalizedBodySha256"], digest(LISTED));
        assert_eq!(terminal["retryable"], true);
        assert_eq!(terminal["retryAttemptCount"], 0);
        assert_eq!(terminal["retryTransitionState"], "not-requested");
        assert_eq!(terminal["terminalAuthorId"], 199_175_422);
        assert_eq!(terminal["terminalAuthorType"], "Bot");
        assert!(terminal["successorTriggerCommentId"].is_null());
    }
}

#[test]
fn the_form_seen_in_reality_is_the_second_signature() {
    let run = classify(answered(SEEN));
    expect(&run, "failed", "terminal-signature", 11);
    let document = run.json();
    assert_eq!(
        document["terminal"]["terminalSignatureId"],
        "codex-review-unknown-error-retry-v2"
    );
    assert_eq!(document["terminal"]["normalizedBodySha256"], digest(LISTED));
    assert_eq!(document["terminal"]["retryable"], true);
}

#[test]
fn what_only_resembles_the_failure_is_not_failed() {
    for body in [
        LISTED.replace("wrong", "wr0ng"),
        format!(" {LISTED}"),
        LISTED.replace("Codex Review", "codex review"),
        LISTED.replace("An unknown error", "An unknown  error"),
    ] {
        let run = classify(answered(&body));
        assert_ne!(run.json()["state"], "failed", "{body}");
        assert_eq!(run.code, Some(13), "{body}");
    }
    for author in [ada(), impostor()] {
        let mut world = World::new();
        let mut pull = world.pull(42);
        pull.person_comment("@codex review", at("10:00"));
        pull.comment(author, LISTED, at("10:04"));
        indeterminate(&classify(world), "no-terminal-output");
    }
    let mut world = World::new();
    let mut pull = world.pull(42);
    pull.connector_comment(LISTED, at("09:50"));
    pull.person_comment("@codex review", at("10:00"));
    indeterminate(&classify(world), "no-terminal-output");
    let mut world = World::new();
    let mut pull = world.pull(42);
    pull.person_comment("@codex review", at("10:00"));
    pull.person_comment("@codex review", at("10:01"));
    pull.connector_comment(LISTED, at("10:04"));
    indeterminate(&classify(world), "overlapping-triggers");
}
