//! What a script can rely on: fields, call counts, saved bundles, hostile text.

use crate::github::{Github, Match, World, at, clean_text, connector, finding};
use crate::product::Product;

fn quiet_with_short_commit() -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.person_comment("@codex review", at("10:00"));
    pull.connector_comment(&clean_text(&head), at("10:04"));
    world
}

#[test]
fn a_quiet_pull_request_is_classified_with_at_most_eight_calls() {
    let github = Github::start(quiet_with_short_commit());
    let product = Product::new(&github);
    let run = product
        .run(&["classify", "42", "--json", "-R", "octo/widgets"])
        .expect(0);
    assert_eq!(run.json()["state"], "clean");
    let calls = github.log().gh_calls();
    assert!(calls <= 8, "{calls} calls\n{}", github.log().lines());
}

#[test]
fn fields_and_filters_cut_the_document() {
    let github = Github::start(quiet_with_short_commit());
    let product = Product::new(&github);
    let run = product.run(&["classify", "42", "--json", "state,next"]).expect(0);
    let document = run.json();
    let mut names: Vec<_> = document.as_object().expect("an object").keys().cloned().collect();
    names.sort();
    assert_eq!(names, ["next", "state"]);
    let run = product.run(&["classify", "42", "--jq", ".state"]).expect(0);
    assert_eq!(run.stdout, "clean\n");
    let run = product.run(&["classify", "42", "--json", "colour"]).expect(2);
    for name in ["state", "reasons", "candidates", "next"] {
        assert!(run.stderr.contains(name), "{run}");
    }
    let run = product.run(&["classify", "--json", "42"]).expect(2);
    assert!(run.stderr.contains("first"), "{run}");
    assert_eq!(run.stdout, "");
}

#[test]
fn every_document_begins_with_what_it_is_about() {
    let github = Github::start(quiet_with_short_commit());
    let product = Product::new(&github);
    for (verb, schema) in [
        ("classify", "codex-loop.classification/1"),
        ("findings", "codex-loop.findings/1"),
        ("explain", "codex-loop.explain/1"),
        ("status", "codex-loop.status/1"),
    ] {
        let document = product.run(&[verb, "42", "--json"]).expect(0).json();
        assert_eq!(document["schema"], schema);
        assert_eq!(document["repository"], "octo/widgets");
        assert_eq!(document["pullRequest"], 42);
        assert!(
            document["url"]
                .as_str()
                .is_some_and(|url| url.ends_with("/octo/widgets/pull/42"))
        );
        assert_eq!(document["headRefOid"].as_str().map(str::len), Some(40));
        assert!(
            document["observedAt"]
                .as_str()
                .is_some_and(|at| at.ends_with('Z'))
        );
    }
}

#[test]
fn a_saved_bundle_gives_the_live_document_and_redaction_keeps_the_decision() {
    let mut world = quiet_with_short_commit();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P2", "Keep the lock"),
        at("10:06"),
    );
    let github = Github::start(world);
    let product = Product::new(&github);
    let live = product.run(&["classify", "42", "--json"]).expect(10).json();
    let file = product.path("tmp/f.json").to_string_lossy().into_owned();
    product.run(&["collect", "42", "-o", &file]).expect(0);
    let mut saved = product
        .run(&["classify", "--from", &file, "--json"])
        .expect(10)
        .json();
    let mut expected = live.clone();
    // `collect` reads more surfaces than `classify` does.
    for document in [&mut saved, &mut expected] {
        let members = document.as_object_mut().expect("an object");
        members.remove("observedAt");
        members.remove("surfaces");
    }
    assert_eq!(saved, expected);
    let redacted = product.path("tmp/r.json").to_string_lossy().into_owned();
    product
        .run(&["collect", "42", "--redact", "-o", &redacted])
        .expect(0);
    let redacted = product
        .run(&["classify", "--from", &redacted, "--json"])
        .expect(10)
        .json();
    assert_eq!(redacted["state"], live["state"]);
    assert_eq!(redacted["next"]["action"], live["next"]["action"]);
    let codes = |document: &serde_json::Value| -> Vec<String> {
        let reasons = document["reasons"].as_array().expect("reasons");
        reasons
            .iter()
            .filter_map(|reason| reason["code"].as_str().map(str::to_owned))
            .collect()
    };
    assert_eq!(codes(&redacted), codes(&live));
}

#[test]
fn hostile_text_reaches_no_terminal() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.person_comment("@codex review", at("10:00"));
    let hostile = format!(
        "{}\n\n{}",
        finding(
            "P1",
            "Title \u{1b}[2J\u{1b}]0;owned\u{7} \u{202e}desrever\u{202c} \u{9b}31m"
        ),
        "x\u{200b}\u{2066}".repeat(250_000)
    );
    pull.thread(connector(), &head, "src/\u{202e}lib.rs", 3, &hostile, at("10:06"));
    pull.connector_comment(
        &format!("Something new \u{1b}[31m{}", "y".repeat(500_000)),
        at("10:07"),
    );
    let github = Github::start(world);
    let product = Product::new(&github);
    for verb in ["findings", "explain", "classify", "status"] {
        let terminal = product
            .command(&[verb, "42", "--color", "never"])
            .terminal(80, 30);
        for bad in ['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}', '\u{2066}'] {
            assert!(!terminal.stdout.contains(bad), "{verb} prints {bad:?}");
        }
        assert!(terminal.stdout.len() < 20_000, "{verb} is bounded");
    }
}

#[test]
fn closed_pull_requests_still_list_their_findings() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.person_comment("@codex review", at("10:00"));
    pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P2", "Keep the lock"),
        at("10:06"),
    );
    pull.close(at("11:00"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let run = product.run(&["classify", "42", "--json"]).expect(13);
    let document = run.json();
    assert_eq!(document["reasons"][0]["code"], "pull-closed");
    assert_eq!(document["next"]["action"], "stop");
    assert_eq!(document["findings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_surface_that_breaks_off_is_named_and_never_clean() {
    for (label, break_off) in [
        (
            "bad gateway",
            (|github: &Github| {
                github.on(Match::get("*/pulls/42/reviews")).bad_gateway();
            }) as fn(&Github),
        ),
        ("html", |github| {
            github
                .on(Match::get("*/issues/42/comments"))
                .answer(crate::github::Response::html(200));
        }),
        ("truncated", |github| {
            github.on(Match::get("*/pulls/42/comments")).truncate();
        }),
    ] {
        let github = Github::start(quiet_with_short_commit());
        break_off(&github);
        let product = Product::new(&github);
        let run = product.run(&["classify", "42", "--json"]).expect(13);
        assert_eq!(
            run.json()["reasons"][0]["code"],
            "incomplete-surface",
            "{label}: {run}"
        );
        assert_eq!(run.json()["next"]["action"], "recollect", "{label}");
    }
}

#[test]
fn a_filter_cannot_speak_in_the_verdicts_place_nor_read_the_environment() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    for filter in [
        "halt",
        "halt(0)",
        "halt_error",
        "halt_error(0)",
        "env",
        "env.GH_TOKEN",
        "$ENV",
    ] {
        let run = product
            .run(&["classify", "--demo", "failed", "--jq", filter])
            .expect(2);
        assert_eq!(run.stdout, "", "{filter}");
        assert!(!run.stderr.contains("loopback-token"), "{filter}");
    }
    let run = product
        .run(&["classify", "--demo", "failed", "--jq", "empty"])
        .expect(11);
    assert_eq!(run.stdout, "");
}

#[test]
fn a_saved_bundle_of_another_repository_is_refused() {
    let github = Github::start(quiet_with_short_commit());
    let product = Product::new(&github);
    let file = product.path("tmp/f.json").to_string_lossy().into_owned();
    product.run(&["collect", "42", "-o", &file]).expect(0);
    product
        .run(&["classify", "--from", &file, "-R", "octo/widgets"])
        .expect(0);
    let run = product
        .run(&["classify", "--from", &file, "-R", "other/one"])
        .expect(2);
    assert!(run.stderr.contains("octo/widgets"), "{run}");
}

#[test]
fn a_bundle_follows_a_link_and_never_replaces_a_device() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let (target, link) = (product.path("tmp/target.json"), product.path("tmp/link.json"));
    std::fs::write(&target, "old").expect("a file");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    product
        .run(&["collect", "--demo", "clean", "-o", &link.to_string_lossy()])
        .expect(0);
    assert!(link.is_symlink());
    assert!(
        std::fs::read_to_string(&target)
            .expect("written")
            .starts_with('{')
    );
    let run = product
        .run(&["collect", "--demo", "clean", "-o", "/dev/full"])
        .expect(1);
    assert!(run.stderr.contains("/dev/full"), "{run}");
    let device = std::fs::metadata("/dev/full").expect("the device");
    assert!(!device.is_file());
}

#[test]
fn a_surface_without_its_items_is_no_empty_surface() {
    let github = Github::start(quiet_with_short_commit());
    let product = Product::new(&github);
    let bundle = product.run(&["collect", "42"]).expect(0).json();
    for surface in ["threads", "reviews", "issueComments", "edits", "commits"] {
        let mut damaged = bundle.clone();
        let members = damaged["surfaces"][surface].as_object_mut().expect("a surface");
        members.remove("items");
        let run = product
            .command(&["classify", "--from", "-"])
            .stdin(damaged.to_string())
            .run()
            .expect(2);
        assert!(run.stderr.contains("damaged"), "{surface}: {run}");
    }
    for other in ["null", "[]", "\"x\""] {
        let run = product
            .command(&["classify", "--from", "-"])
            .stdin(other.to_owned())
            .run()
            .expect(2);
        assert!(run.stderr.contains("codex-loop.evidence/1"), "{run}");
        assert!(!run.stderr.contains("struct"), "{run}");
    }
}
