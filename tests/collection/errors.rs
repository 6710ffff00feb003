//! What each failure looks like: one sentence, a hint, the right kind and the right exit code.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use rustix::process::Signal;

use crate::github::{Github, Match, World};
use crate::product::{Product, Run};

use super::quiet;

/// The failure as the error document tells it: kind and message.
#[track_caller]
fn failed(run: Run, code: i32) -> (String, String) {
    let run = run.expect(code);
    assert_eq!(run.stdout, "", "{run}");
    let error = run.error_json();
    assert_eq!(error["schema"], "codex-loop.error/1");
    let field = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    assert!(!field("hint").is_empty(), "{run}");
    assert_eq!(field("message").lines().count(), 1, "{run}");
    (field("kind"), field("message"))
}

#[test]
fn a_pull_request_that_is_not_there() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let (kind, message) = failed(product.run(&["collect", "7", "--json"]), 1);
    assert_eq!(kind, "not-found");
    assert!(
        message.starts_with("Pull request 7 of octo/widgets could not be read"),
        "{message}"
    );
    let (kind, _) = failed(product.run(&["collect", "7", "-R", "octo/nowhere", "--json"]), 1);
    assert_eq!(kind, "not-found");
    let (kind, message) = failed(product.run(&["collect", "no-such-branch", "--json"]), 1);
    assert_eq!(kind, "not-found");
    assert!(message.contains("`no-such-branch`"), "{message}");
    let run = product.run(&["collect", "7"]).expect(1);
    assert_eq!(run.stderr.lines().count(), 2, "a sentence and a hint: {run}");
    assert!(run.stderr.starts_with("gh codex-loop: Pull request 7"), "{run}");
}

#[test]
fn outside_a_repository() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let home = product.path("home");
    for arguments in [
        &["collect", "42", "--json"][..],
        &["collect", "--json"],
        &["collect", "topic", "--json"],
    ] {
        let (kind, message) = failed(product.command(arguments).cwd(&home).run(), 2);
        assert_eq!(
            (kind.as_str(), message.as_str()),
            ("usage", "The current directory is in no git repository.")
        );
    }
    let run = product
        .command(&["collect", "42", "-R", "octo/widgets"])
        .cwd(&home)
        .run()
        .expect(0);
    assert_eq!(run.json()["repository"], "octo/widgets");
    let run = product
        .command(&["collect", "https://github.com/octo/widgets/pull/42/files"])
        .cwd(&home)
        .run()
        .expect(0);
    assert_eq!(run.json()["pullRequest"], 42);
    let run = product
        .command(&["collect", "#42"])
        .env("GH_REPO", "octo/widgets")
        .cwd(&home)
        .run()
        .expect(0);
    assert_eq!(run.json()["pullRequest"], 42);
    let (kind, _) = failed(product.run(&["collect", "-R", "octo/widgets", "--json"]), 2);
    assert_eq!(kind, "usage");
}

#[test]
fn branches_are_found_by_gh() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    assert_eq!(
        product.run(&["collect", "topic-42"]).expect(0).json()["pullRequest"],
        42
    );
    let run = product
        .run(&["collect", "topic-42", "-R", "octo/widgets"])
        .expect(0);
    assert_eq!(run.json()["pullRequest"], 42);
}

#[test]
fn gh_is_missing_or_too_old() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let nowhere = product.path("tmp/nowhere/gh");
    let (kind, message) = failed(
        product
            .command(&["collect", "42", "--json"])
            .env("GH_PATH", &nowhere)
            .run(),
        1,
    );
    assert_eq!(kind, "gh-missing");
    assert!(
        message.starts_with("gh, the GitHub CLI, was not found"),
        "{message}"
    );
    let (kind, _) = failed(
        product
            .command(&["collect", "42", "--json"])
            .env("PATH", "/nonexistent")
            .env("GH_REPO", "octo/widgets")
            .run(),
        1,
    );
    assert_eq!(kind, "gh-missing");

    // An old gh cannot be had here; the gate reads nothing but this line.
    let old = product.path("tmp/gh");
    std::fs::write(&old, "#!/bin/sh\n[ \"$1\" = --version ] && echo 'gh version 2.23.0 (2023-02-27)' && exit 0\necho 'unknown flag: --slurp' >&2\nexit 1\n").expect("written");
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let (kind, message) = failed(
        product
            .command(&["collect", "42", "--json"])
            .env("GH_PATH", &old)
            .run(),
        1,
    );
    assert_eq!(kind, "gh-too-old");
    assert_eq!(message, "gh 2.23.0 is too old: version 2.48 or newer is needed.");
}

#[test]
fn no_token_and_a_wrong_token() {
    let github = Github::start(quiet());
    let product = Product::new(&github).logged_out();
    let (kind, message) = failed(product.run(&["collect", "42", "--json"]), 4);
    assert_eq!(kind, "auth");
    assert!(
        message.ends_with("gh is not logged in to github.com."),
        "{message}"
    );
    let (kind, _) = failed(product.run(&["collect", "--json"]), 4);
    assert_eq!(kind, "auth");

    let product = Product::new(&github);
    github.on(Match::any()).status(401, "Bad credentials");
    let run = product.run(&["collect", "42", "--json"]);
    let hint = run.error_json()["hint"].as_str().unwrap_or_default().to_owned();
    let (kind, message) = failed(run, 1);
    assert_eq!(kind, "auth");
    assert!(
        message.contains("HTTP 401") && hint.contains("gh auth login"),
        "{message} {hint}"
    );
}

#[test]
fn rate_limits_name_the_time_of_renewal() {
    let mut world = quiet();
    world.rate.remaining = 0;
    world.rate.reset = 1_790_000_000;
    let github = Github::start(world);
    let product = Product::new(&github);
    github
        .on(Match::get("*/issues/42/comments"))
        .rate_limited(1_790_000_000);
    let (kind, message) = failed(product.run(&["collect", "42", "--json"]), 1);
    assert_eq!(kind, "rate-limited");
    assert!(message.ends_with("until 2026-09-21T14:13:20Z."), "{message}");
    assert_eq!(github.log().count(&Match::get("/rate_limit")), 1);

    github.heal();
    github
        .on(Match::graphql("Threads"))
        .graphql_error("RATE_LIMITED", "API rate limit exceeded for user ID 1001.");
    assert_eq!(
        failed(product.run(&["collect", "42", "--json"]), 1).0,
        "rate-limited"
    );
    github.heal();
    github
        .on(Match::get("*/reviews"))
        .secondary_limited(429, Some(60));
    assert_eq!(
        failed(product.run(&["collect", "42", "--json"]), 1).0,
        "rate-limited"
    );
}

#[test]
fn the_network_is_down() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let config = product.path("config/config.yml");
    std::fs::write(
        &config,
        format!("http_unix_socket: {}\n", product.path("tmp/no.sock").display()),
    )
    .expect("written");
    let (kind, message) = failed(product.run(&["collect", "42", "--json"]), 1);
    assert_eq!(kind, "network");
    assert!(message.contains("GitHub could not be reached"), "{message}");
}

#[test]
fn a_hanging_server_ends_at_the_timeout() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    github.on(Match::graphql("query Pull(")).hang();
    let run = product.run(&["collect", "42", "--json", "--gh-timeout", "1"]);
    assert!(run.elapsed < Duration::from_secs(10), "{run}");
    let (kind, message) = failed(run, 1);
    assert_eq!(kind, "timeout");
    assert!(message.contains("within 1 s"), "{message}");
    product.assert_no_child_left();

    github.heal();
    github.on(Match::get("*/reviews")).hang();
    let run = product
        .command(&["collect", "42"])
        .env("CODEX_REVIEW_GH_TIMEOUT_SECONDS", "1")
        .run()
        .expect(0);
    assert_eq!(
        run.json()["surfaces"]["reviews"]["error"]["kind"],
        "timeout",
        "{run}"
    );
    product.assert_no_child_left();
}

#[test]
fn an_interruption_ends_everything_with_130() {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    for signal in [Signal::INT, Signal::TERM] {
        let hold = github.on(Match::get("*/issues/42/comments")).hold();
        let running = product.command(&["collect", "42", "--json"]).start();
        hold.wait();
        running.signal(signal);
        let run = running.finish();
        let (kind, _) = failed(run, 130);
        assert_eq!(kind, "interrupted");
        product.assert_no_child_left();
        hold.release();
        github.heal();
    }
}

#[test]
fn words_from_github_never_reach_the_terminal_raw() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    github
        .on(Match::any())
        .status(500, "\u{202e}oops \u{9b}31m\u{200b}");
    let run = product.run(&["collect", "42"]).expect(1);
    assert!(
        run.stderr.contains("oops") && !run.stderr.contains(['\u{202e}', '\u{9b}', '\u{200b}', '\u{1b}']),
        "{run}"
    );
}
