//! The journal: damaged, newer, unwritable, and read by everybody without being made.

use super::*;
use crate::github::{Match, iso};

/// A journal's text with these members beside the fixed ones.
fn text(version: u32, more: &str) -> String {
    format!(
        r#"{{"schema":"codex-loop.journal/{version}","host":"github.com","repository":"octo/widgets","pullRequest":42{more}}}"#
    )
}

fn put(product: &Product, text: &str) {
    let path = journal_path(product);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(&path, text).expect("written");
}

#[test]
fn a_damaged_file_is_kept_aside_and_blocks_until_the_user_settles_it() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    put(&product, "{\"schema\": \"codex-loop.jour");
    // Readers say so and change nothing.
    let read = run(&product, "preflight", &[]).expect(13);
    assert_eq!(blockers(&read), ["incomplete-evidence"]);
    assert!(read.stderr.contains("damaged"), "{read}");
    let refused = authorized(&product, "request", &[]).expect(1);
    let error = refused.error_json();
    assert_eq!(error["kind"], "journal");
    let aside = journal_path(&product).with_file_name("42.json.damaged-1");
    assert_eq!(
        std::fs::read_to_string(&aside).expect("kept"),
        "{\"schema\": \"codex-loop.jour"
    );
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|m| m.contains("42.json.damaged-1"))
    );
    // It may have held an open intent: nothing is posted on trust.
    let blocked = authorized(&product, "request", &[]).expect(15).json();
    assert_eq!(blocked["state"], "reconciliation-required");
    authorized(&product, "request", &["--reconcile"]).expect(15);
    age(&product, "6m");
    run(&product, "request", &["--reconcile"]).expect(15);
    authorized(&product, "request", &["--reconcile"]).expect(0);
    authorized(&product, "request", &[]).expect(0);
    assert_eq!(ours(&github).len(), 1);
    assert!(aside.exists());
}

#[test]
fn a_newer_file_is_read_and_never_written() {
    let (world, trigger, failure) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let attempt = serde_json::json!([{
        "id": "0a1b2c3d-0000-4000-8000-00000000000f", "kind": "retry", "head": head(&github),
        "startedAt": iso(ago("1h")), "authorization": { "kind": "fresh", "reference": "ticket 9" },
        "failedRun": { "triggerCommentId": trigger.0, "terminalCommentId": failure.0 },
        "body": "@codex review", "poster": { "login": "ada", "id": 1 },
        "before": { "triggers": [], "deletions": [] }, "state": "creating", "unheardOf": true,
    }]);
    let newer = text(2, &format!(r#","attempts":{attempt},"somethingNew":[1]"#));
    put(&product, &newer);
    let state = run(&product, "classify", &[]).expect(11).json();
    assert_eq!(state["terminal"]["retryTransitionState"], "creating");
    assert_eq!(state["terminal"]["retryAuthorizationReference"], "ticket 9");
    for verb in ["retry", "request"] {
        let refused = authorized(&product, verb, &[]).expect(1);
        assert_eq!(refused.error_json()["kind"], "journal", "{verb}");
    }
    authorized(&product, "retry", &["--reconcile"]).expect(1);
    put(&product, &text(2, r#","attempts":[{"state":"resting"}]"#));
    authorized(&product, "retry", &[]).expect(1);
    let unknown = run(&product, "preflight", &["--for", "retry"]).expect(13);
    assert_eq!(blockers(&unknown), ["incomplete-evidence"]);
    assert_eq!(
        std::fs::read_to_string(journal_path(&product)).expect("still there"),
        text(2, r#","attempts":[{"state":"resting"}]"#)
    );
    assert_eq!(github.log().writes().len(), 0);
}

#[test]
fn a_folder_that_cannot_be_made_or_written_stops_everything_before_anything_leaves() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    // A file stands where the folder should be: nobody's rights help against that.
    let taken = product.path("state/taken");
    std::fs::write(&taken, "x").expect("written");
    let refused = product
        .command(&["request", "42", "--json", "--authorization", "x"])
        .env("GH_CODEX_LOOP_STATE_DIR", &taken)
        .run()
        .expect(1);
    let error = refused.error_json();
    assert_eq!(error["kind"], "journal");
    assert!(error["message"].as_str().is_some_and(|m| m.contains("taken")));
    assert!(
        error["hint"]
            .as_str()
            .is_some_and(|h| h.contains("GH_CODEX_LOOP_STATE_DIR"))
    );
    let no_home = product
        .command(&["request", "42", "--json", "--authorization", "x"])
        .without_env("HOME")
        .without_env("XDG_STATE_HOME")
        .run()
        .expect(1);
    assert_eq!(no_home.error_json()["kind"], "journal");
    assert_eq!(github.log().writes().len(), 0);
}

/// Runs a command of the product with files limited to so many blocks, as on a full disk.
fn on_a_full_disk(product: &Product, blocks: &str, arguments: &[&str]) -> Run {
    let script = "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"";
    let mut all = vec!["-c", script, "sh", blocks, env!("CARGO_BIN_EXE_gh-codex-loop")];
    all.extend(arguments);
    product.program(std::path::Path::new("/bin/sh"), &all).run()
}

#[test]
fn a_full_disk_stops_the_post_and_loses_nothing() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let arguments = [
        "request",
        "42",
        "--json",
        "--color",
        "never",
        "--authorization",
        "x",
    ];
    let full = on_a_full_disk(&product, "0", &arguments).expect(1);
    let error = full.error_json();
    assert_eq!(error["kind"], "journal");
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|m| m.contains("could not be written"))
    );
    assert_eq!(github.log().writes().len(), 0);
    assert!(!journal_path(&product).exists());
    // Nothing is left beside it, and the next call works.
    let folder = journal_path(&product).with_file_name("");
    let left: Vec<String> = std::fs::read_dir(&folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(left, ["42.lock"]);
    authorized(&product, "request", &[]).expect(0);
    assert_eq!(attempts(&product), ["created"]);
}

#[test]
fn an_outcome_that_cannot_be_recorded_stays_an_open_intent() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let folder = journal_path(&product).with_file_name("");
    let moved = product.path("state/moved");
    let hold = github.on(Match::post("*/issues/42/comments")).hold();
    let running = product
        .command(&[
            "request",
            "42",
            "--json",
            "--color",
            "never",
            "--authorization",
            "x",
        ])
        .start();
    hold.wait();
    // The folder goes away under it: no file can be made there.
    std::fs::rename(&folder, &moved).expect("moved");
    hold.release();
    let document = running.finish().expect(15).json();
    assert_eq!(document["state"], "reconciliation-required");
    assert_eq!(document["warnings"][0]["code"], "not-recorded");
    assert_eq!(ours(&github).len(), 1);
    std::fs::rename(&moved, &folder).expect("moved back");
    assert_eq!(attempts(&product), ["creating"]);
    let settled = run(&product, "request", &["--reconcile"]).expect(0).json();
    assert_eq!(settled["state"], "created");
    assert_eq!(ours(&github).len(), 1);
}

#[test]
fn the_folder_is_named_by_the_environment_and_names_know_no_case() {
    let github = Github::start(fresh());
    let product = Product::new(&github);
    let own = product.path("state/own");
    product
        .command(&["request", "42", "-R", "Octo/Widgets", "--authorization", "x"])
        .env("GH_CODEX_LOOP_STATE_DIR", &own)
        .run()
        .expect(0);
    assert!(own.join("github.com/octo/widgets/42.json").exists());
    assert!(own.join("github.com/octo/widgets/42.lock").exists());
    assert!(!product.path("state/gh-codex-loop").exists());
}

#[test]
fn a_bundle_carries_what_the_decision_read_and_redaction_hides_the_words() {
    let (world, ..) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    github
        .on(Match::post("*/issues/42/comments"))
        .status(422, "Secret words");
    authorized(&product, "retry", &[]).expect(1);
    let path = product.path("tmp/bundle.json").to_string_lossy().into_owned();
    product.run(&["collect", "42", "-o", &path]).expect(0);
    let live = run(&product, "classify", &[]).expect(11).json();
    let saved = product
        .run(&["classify", "--from", &path, "--json"])
        .expect(11)
        .json();
    assert_eq!(saved["terminal"], live["terminal"]);
    assert_eq!(saved["terminal"]["retryTransitionState"], "creation-failed");
    let redacted = product.run(&["collect", "42", "--redact"]).expect(0);
    assert!(!redacted.stdout.contains("ada, ticket 7") && !redacted.stdout.contains("Secret words"));
    let states = redacted.json()["local"]["journal"]["attempts"][0]["state"].clone();
    assert_eq!(states, "creation-failed");
}
