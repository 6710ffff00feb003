//! The step of the GitHub action, with the environment that a runner gives it.

use std::fs;

use super::{checkout, install, reviewed};
use crate::github::{Github, World, connector, now, span};
use crate::product::{Product, Run};

/// Runs the step for pull request 42; the outputs and what it set are read by the caller.
fn step(product: &Product, changes: &[(&str, &str)]) -> Run {
    let mut command = product
        .program(&checkout().join("gh-extension/action/gate"), &[])
        .env("PULL", "42")
        .env("REPOSITORY", "octo/widgets")
        .env("STATUS", "codex-gate")
        .env("WAIT", "")
        .env("IGNORE", "")
        .env("ALLOW_NO_CHECKS", "false")
        .env("PAGE", "https://github.com/octo/widgets/actions/runs/1")
        .env("GITHUB_OUTPUT", product.path("tmp/output"))
        .env("GITHUB_STEP_SUMMARY", product.path("tmp/summary"));
    for (name, value) in changes {
        command = command.env(name, value);
    }
    command.run()
}

/// The states that the step set on the head, oldest first.
fn set(github: &Github) -> Vec<String> {
    let world = github.world();
    let statuses = &world.repositories[0].statuses;
    let ours = statuses.iter().filter(|status| status.context == "codex-gate");
    ours.map(|status| status.state.clone()).collect()
}

/// The bot gave its thumbs-up a while ago, after the checks began.
fn approved() -> World {
    let mut world = World::opened(now() - span("2h"));
    world.pull(42).react_body(connector(), "+1", now() - span("30m"));
    world
}

/// Opened long ago; the bot has said nothing.
fn silent() -> World {
    let mut world = World::opened(now() - span("2h"));
    world.pull(42);
    world
}

fn ready(world: World) -> (Github, Product) {
    let github = Github::start(world);
    let product = Product::new(&github);
    install(&product);
    (github, product)
}

#[test]
fn an_approved_head_gets_a_success_and_the_outputs_say_so() {
    let (github, product) = ready(approved());
    step(&product, &[]).expect(0);
    assert_eq!(set(&github), ["success"]);
    let output = fs::read_to_string(product.path("tmp/output")).unwrap_or_default();
    for line in ["gate=approved", "tests=passing", "merge-allowed=true"] {
        assert!(output.lines().any(|shown| shown == line), "{output}");
    }
    // The status that it set itself does not hold it up the next time.
    step(&product, &[]).expect(0);
    assert_eq!(set(&github), ["success", "success"]);
}

#[test]
fn findings_are_a_failure_and_silence_is_pending() {
    let (github, product) = ready(reviewed());
    step(&product, &[]).expect(0);
    assert_eq!(set(&github), ["failure"]);
    let (github, product) = ready(silent());
    step(&product, &[]).expect(0);
    assert_eq!(set(&github), ["pending"]);
}

#[test]
fn without_a_status_the_step_is_the_check() {
    let (github, product) = ready(reviewed());
    step(&product, &[("STATUS", "")]).expect(10);
    let (_approved, product) = ready(approved());
    step(&product, &[("STATUS", "")]).expect(0);
    assert_eq!(github.log().writes().len(), 0);
}

#[test]
fn what_could_not_be_read_fails_the_step_and_sets_nothing() {
    let (github, product) = ready(reviewed());
    step(&product, &[("PULL", "404")]).expect(1);
    assert_eq!(github.log().writes().len(), 0);
}

#[test]
fn it_waits_as_long_as_it_is_told_and_looks_again() {
    let (github, product) = ready(silent());
    step(&product, &[("WAIT", "1s")]).expect(0);
    assert_eq!(set(&github), ["pending", "pending"]);
}
