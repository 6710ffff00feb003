//! The steps of the GitHub action as action.yml has them, with what a runner gives them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{checkout, install, program, reviewed};
use crate::github::{Github, Match, World, connector, now, span};
use crate::product::{Product, Run};

/// One step of the action.
#[derive(Default)]
struct Step {
    env: Vec<(String, String)>,
    run: String,
}

/// The inputs' defaults and the steps of action.yml, which is written in the plainest YAML.
fn action() -> (BTreeMap<String, String>, Vec<Step>) {
    let text = fs::read_to_string(checkout().join("gh-extension/action/action.yml")).expect("action.yml");
    let (mut inputs, mut steps) = (BTreeMap::new(), Vec::<Step>::new());
    let (mut section, mut input, mut part) = ("", String::new(), "");
    for line in text.lines() {
        let trimmed = line.trim();
        let (key, value) = trimmed.split_once(':').unwrap_or((trimmed, ""));
        let value = value.trim().trim_matches(['"', '\'']);
        match (line.len() - line.trim_start().len(), section) {
            (0, _) => section = key,
            (2, "inputs") => key.clone_into(&mut input),
            (4, "inputs") if key == "default" => {
                inputs.insert(input.clone(), value.to_owned());
            }
            (4, "runs") if trimmed.starts_with("- ") => steps.push(Step::default()),
            (6, "runs") => {
                part = key;
                if key == "run" && value != "|" {
                    value.clone_into(&mut steps.last_mut().expect("a step").run);
                }
            }
            (_, "runs") if part == "env" => {
                let step = steps.last_mut().expect("a step");
                step.env.push((key.to_owned(), value.to_owned()));
            }
            (_, "runs") if part == "run" => {
                let step = steps.last_mut().expect("a step");
                step.run.push_str(line.strip_prefix("        ").unwrap_or(line));
                step.run.push('\n');
            }
            _ => {}
        }
    }
    (inputs, steps)
}

/// A value of action.yml with its expressions filled in.
fn filled(value: &str, inputs: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    let mut rest = value;
    while let Some((before, (expression, after))) = rest
        .split_once("${{")
        .and_then(|(before, rest)| Some((before, rest.split_once("}}")?)))
    {
        let known = match expression.trim() {
            "github.token" => "loopback-token",
            "github.repository" => "octo/widgets",
            "github.action_repository" => "octo/gh-codex-loop",
            "github.server_url" => "https://github.com",
            "github.run_id" => "1",
            "github.action_ref" => "v0.1.0",
            other => other
                .strip_prefix("inputs.")
                .and_then(|name| inputs.get(name))
                .unwrap_or_else(|| panic!("{other} is not known")),
        };
        text.push_str(before);
        // A default is an expression itself.
        text.push_str(&if known.contains("${{") {
            filled(known, inputs)
        } else {
            known.to_owned()
        });
        rest = after;
    }
    text + rest
}

/// Runs the steps for pull request 42 as a runner does, to the first that fails.
fn step(product: &Product, with: &[(&str, &str)]) -> Run {
    let (mut inputs, steps) = action();
    inputs.insert("pull-request".to_owned(), "42".to_owned());
    for (name, value) in with {
        assert!(
            inputs.insert((*name).to_owned(), (*value).to_owned()).is_some(),
            "{name} is no input"
        );
    }
    let mut last = None;
    for step in steps {
        let mut command = product
            .program(
                Path::new("bash"),
                &["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &step.run],
            )
            .env("GITHUB_ACTION_PATH", checkout().join("gh-extension/action"))
            .env("GITHUB_OUTPUT", product.path("tmp/output"))
            .env("GITHUB_STEP_SUMMARY", product.path("tmp/summary"));
        for (name, value) in &step.env {
            command = command.env(name, filled(value, &inputs));
        }
        let run = command.run();
        let failed = run.code != Some(0);
        last = Some(run);
        if failed {
            break;
        }
    }
    last.expect("steps")
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
    step(&product, &[("status", "")]).expect(10);
    let (_approved, product) = ready(approved());
    step(&product, &[("status", "")]).expect(0);
    assert_eq!(github.log().writes().len(), 0);
}

#[test]
fn what_could_not_be_read_fails_the_step_and_sets_nothing() {
    let (github, product) = ready(reviewed());
    let run = step(&product, &[("pull-request", "404")]).expect(1);
    assert!(run.stderr.contains("an earlier one may stand"), "{run}");
    assert_eq!(github.log().writes().len(), 0);
}

#[test]
fn what_an_earlier_run_said_does_not_stand_when_the_gate_cannot_be_read() {
    let (github, product) = ready(approved());
    step(&product, &[]).expect(0);
    github
        .on(Match::get("*/issues/42/comments"))
        .status(500, "Server Error");
    let run = step(&product, &[]).expect(1);
    assert_eq!(set(&github), ["success", "error"]);
    assert!(run.stderr.contains("could not be read"), "{run}");
    // Who only asks, without a status, changes nothing.
    step(&product, &[("status", "")]).expect(1);
    assert_eq!(set(&github), ["success", "error"]);
    github
        .on(Match::post("*/statuses/*"))
        .status(403, "Resource not accessible");
    let run = step(&product, &[]).expect(1);
    assert!(run.stderr.contains("an earlier one may stand"), "{run}");
}

#[test]
fn it_waits_as_long_as_it_is_told_and_looks_again() {
    let (github, product) = ready(silent());
    step(&product, &[("wait", "1s")]).expect(0);
    assert_eq!(set(&github), ["pending", "pending"]);
}

/// On a fresh runner the first step installs the release that was asked for, or else the one that the action is used at.
#[test]
fn a_runner_without_the_extension_installs_it() {
    let mut world = approved();
    let bytes = fs::read(program()).expect("the program");
    let name = if cfg!(target_arch = "aarch64") {
        "linux-arm64"
    } else {
        "linux-amd64"
    };
    let asset = format!("gh-codex-loop_v0.1.0_{name}");
    world.release("octo", "gh-codex-loop", "v0.1.0", &[(&asset, &bytes)]);
    let github = Github::start(world);
    let product = Product::new(&github);
    step(&product, &[("status", "")]).expect(0);
    let manifest = product.path("data/gh/extensions/gh-codex-loop/manifest.yml");
    let manifest = fs::read_to_string(manifest).unwrap_or_default();
    assert!(
        manifest.contains("v0.1.0") && manifest.contains("ispinned: true"),
        "{manifest}"
    );
    // What is installed is kept when it is what was asked for, and nothing else is run in its place.
    github.forget();
    step(&product, &[("version", "v0.1.0"), ("status", "")]).expect(0);
    assert_eq!(github.log().count(&Match::get("*/releases/*")), 0);
    let run = step(&product, &[("version", "v9.9.9"), ("status", "")]);
    assert_ne!(run.code, Some(0), "{run}");
}
