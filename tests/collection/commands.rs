//! The deciding commands end to end: what they print, how they end, how many calls they take.

use crate::github::{Github, Match, World, at, clean_text, connector, finding};
use crate::product::Product;

use super::quiet;

/// Everything that a quiet pull request can have: one candidate with a thumb, and a clean comment with a short SHA.
fn busy_but_quiet() -> World {
    let mut world = quiet();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.connector_comment(&clean_text(&head), at("10:05"));
    world
}

#[test]
fn a_quiet_pull_request_takes_few_calls() {
    let github = Github::start(busy_but_quiet());
    let product = Product::new(&github);
    let run = product.run(&["classify", "42", "--json"]).expect(0);
    assert_eq!(run.json()["state"], "clean");
    assert!(github.log().gh_calls() <= 8, "{}", github.log().lines());
    github.forget();
    let run = product.run(&["status", "42", "--json"]).expect(0);
    assert_eq!(run.json()["verdict"]["state"], "clean");
    assert!(github.log().gh_calls() <= 12, "{}", github.log().lines());
    assert_eq!(github.log().writes().len(), 0);
}

#[test]
fn a_saved_bundle_gives_the_live_document() {
    let github = Github::start(busy_but_quiet());
    let product = Product::new(&github);
    for command in ["classify", "findings", "explain"] {
        let live = product.run(&[command, "42", "--json"]).json();
        for redact in [false, true] {
            let file = product.path("tmp/bundle.json").to_string_lossy().into_owned();
            let mut arguments = vec!["collect", "42", "-o", &file];
            arguments.extend(redact.then_some("--redact"));
            let _ = product.run(&arguments).expect(0);
            let mut saved = product.run(&[command, "--from", &file, "--json"]).json();
            if redact {
                let decided = |document: &serde_json::Value| {
                    let codes: Vec<_> = document["reasons"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .map(|reason| reason["code"].clone())
                        .collect();
                    (
                        document["state"].clone(),
                        codes,
                        document["next"]["action"].clone(),
                    )
                };
                assert_eq!(decided(&saved), decided(&live), "{command}");
            } else {
                saved["observedAt"] = live["observedAt"].clone();
                assert_eq!(saved, live, "{command}");
            }
        }
    }
}

#[test]
fn json_fields_filters_and_exit_codes() {
    let mut world = quiet();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        at("10:05"),
    );
    let github = Github::start(world);
    let product = Product::new(&github);
    let run = product
        .run(&["classify", "42", "--json", "state,next"])
        .expect(10);
    assert_eq!(run.stdout.lines().count(), 1, "compact in a pipe: {run}");
    let document = run.json();
    assert_eq!(
        document
            .as_object()
            .map(|fields| fields.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["next".into(), "state".into()])
    );
    let run = product
        .run(&["classify", "42", "--jq", ".state, .next"])
        .expect(10);
    assert!(
        run.stdout
            .starts_with("findings\n{\"action\":\"address-findings\","),
        "{run}"
    );
    assert_eq!(
        product
            .run(&["findings", "42", "-q", ".findings[].priority"])
            .expect(0)
            .stdout,
        "P1\n"
    );
    assert_eq!(
        product
            .run(&["findings", "42", "--priority", "p0,P2"])
            .expect(0)
            .stdout,
        ""
    );
    let _ = product.run(&["findings", "42", "--exit-code"]).expect(10);
    let _ = product.run(&["explain", "42"]).expect(0);

    github.forget();
    for value in ["42", "#42", "https://github.com/octo/widgets/pull/42"] {
        let run = product.run(&["classify", "--json", value]).expect(2);
        let hint = run.error_json()["hint"].as_str().unwrap_or_default().to_owned();
        assert!(
            hint.contains("first, before --json") && hint.contains("judgementNeeded, judgements"),
            "{hint}"
        );
    }
    for arguments in [
        &["classify", "42", "--json", "nosuch"][..],
        &["classify", "42", "--jq", ".a |"],
        &["classify", "42", "--judge", "issue-comment:7=clean@00", "--json"],
        &["classify", "42", "--json", "--demo", "nosuch"],
        &[
            "classify",
            "--json",
            "--",
            "https://github.com/octo/widgets/issues/42",
        ],
        &["nosuch", "--json"],
    ] {
        let run = product.run(arguments).expect(2);
        assert_eq!(run.error_json()["kind"], "usage", "{run}");
    }
    assert_eq!(
        github.log().requests.len(),
        0,
        "usage is checked before anything is read"
    );
}

#[test]
fn an_incomplete_surface_is_never_clean() {
    let github = Github::start(busy_but_quiet());
    let product = Product::new(&github);
    for when in [
        Match::get("*/issues/42/comments"),
        Match::get("*/pulls/42/reviews"),
        Match::get("*/pulls/42/comments"),
        Match::get("*/issues/comments/*/reactions"),
        Match::graphql("query Threads("),
    ] {
        github.heal();
        github.on(when).bad_gateway();
        let run = product.run(&["classify", "42", "--json"]).expect(13);
        let document = run.json();
        assert_eq!(document["state"], "indeterminate");
        assert_eq!(document["reasons"][0]["code"], "incomplete-surface", "{run}");
        assert_eq!(document["next"]["action"], "recollect");
    }
}

#[test]
fn a_moving_head_is_indeterminate() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let pushes = std::sync::atomic::AtomicUsize::new(0);
    github
        .on(Match::get("*/issues/42/comments"))
        .before(move |world| {
            let number = pushes.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            world.pull(42).push(&format!("push {number}"), at("10:30"));
        });
    let run = product.run(&["classify", "42", "--json"]).expect(13);
    assert_eq!(run.json()["reasons"][0]["code"], "unstable-collection", "{run}");
}

#[test]
fn a_closed_pipe_is_quiet() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let program = env!("CARGO_BIN_EXE_gh-codex-loop");
    let script = format!(
        "{program} explain --demo --json | true; {program} classify --demo | true; {program} --help | true"
    );
    let run = product
        .program("/bin/sh".as_ref(), &["-c", &script])
        .run()
        .expect(0);
    assert_eq!(run.stderr, "", "{run}");
}

#[test]
fn a_terminal_gets_colour_and_hostile_text_is_tamed() {
    let mut world = quiet();
    let mut pull = world.pull(42);
    let head = pull.head();
    let title = format!("\u{202e}Reverse \u{200b}me {}", "long ".repeat(200_000));
    pull.thread(
        connector(),
        &head,
        "src/\u{2066}lib.rs",
        3,
        &finding("P1", &title),
        at("10:05"),
    );
    let github = Github::start(world);
    let product = Product::new(&github);
    let run = product.command(&["findings", "42"]).terminal(100, 30);
    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.contains("\u{1b}["), "{run}");
    assert!(
        !run.stdout.contains(['\u{202e}', '\u{2066}', '\u{200b}']),
        "{run}"
    );
    let run = product
        .command(&["findings", "42"])
        .env("NO_COLOR", "1")
        .terminal(100, 30);
    assert!(!run.stdout.contains('\u{1b}'), "{run}");
    assert!(
        run.stdout.lines().all(|line| line.chars().count() <= 100),
        "{run}"
    );
    let run = product.run(&["findings", "42"]).expect(0);
    assert!(
        !run.stdout.contains(['\u{1b}', '\u{202e}']) && run.stdout.len() < 2_000,
        "{run}"
    );
}

#[test]
fn an_enterprise_server_is_asked_by_its_own_name() {
    let mut world = quiet();
    world.host = "ghe.example.com".into();
    let github = Github::start(world);
    let product = Product::on_host(&github, "ghe.example.com", "octo/widgets");
    for arguments in [
        &[
            "classify",
            "https://ghe.example.com/octo/widgets/pull/42",
            "--json",
        ][..],
        &["classify", "42", "-R", "ghe.example.com/octo/widgets", "--json"],
    ] {
        let run = product.run(arguments).expect(0);
        assert_eq!(run.json()["url"], "https://ghe.example.com/octo/widgets/pull/42");
    }
    let run = product
        .command(&["classify", "42", "--json"])
        .env("GH_HOST", "ghe.example.com")
        .run()
        .expect(0);
    assert_eq!(run.json()["state"], "clean");
    let run = product
        .command(&["collect", "42"])
        .env("GH_REPO", "ghe.example.com/octo/widgets")
        .run()
        .expect(0);
    assert_eq!(run.json()["host"], "ghe.example.com");
}

#[test]
fn a_command_to_copy_names_the_repository_where_the_user_had_to() {
    let mut world = World::new();
    let _ = world.pull(42);
    let github = Github::start(world);
    let product = Product::new(&github);
    let elsewhere = product.clone_of("other", "https://github.com/octo/gadgets.git");
    let here = product.path("work");
    let url = "https://github.com/octo/widgets/pull/42";
    for (arguments, variable, folder, follows) in [
        (&["gate", "42"][..], "", &here, ""),
        (&["gate", url], "", &here, ""),
        (&["gate", url], "", &elsewhere, " -R octo/widgets"),
        (
            &["gate", "42", "-R", "octo/widgets"],
            "",
            &here,
            " -R octo/widgets",
        ),
        (&["gate", "42"], "octo/widgets", &elsewhere, " -R octo/widgets"),
    ] {
        let run = product
            .command(arguments)
            .env("GH_REPO", variable)
            .cwd(folder)
            .run()
            .expect(8);
        let next = format!("next: gh codex-loop status 42{follows}");
        assert!(run.stderr.lines().any(|line| line == next), "{next}\n{run}");
    }
    // Documents are for programs, which know what they asked for.
    let arguments = ["status", "42", "-R", "octo/widgets", "--json"];
    let document = product.command(&arguments).cwd(&elsewhere).run().expect(0).json();
    assert!(!document.to_string().contains(" -R "), "{document}");
}
