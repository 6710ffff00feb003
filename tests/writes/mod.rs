//! The writes of the review loop: the real binary over the real gh, held against what stands on the loopback GitHub.

mod documents;
mod journal;
mod matrix;
mod preflight;
mod request;
mod resolve;
mod retry;

use std::path::PathBuf;

use serde_json::Value;

use crate::github::{CommentId, Github, World, ago, connector, span};
use crate::product::{Product, Run};

/// The listed failure in the form the connector gives it.
const FAILURE: &str = "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\nAn unknown error occurred";

/// A pull request that was opened three hours ago and that nobody asked anything of.
fn fresh() -> World {
    let mut world = World::opened(ago("3h"));
    world.pull(42);
    world
}

/// The same with a trigger two hours ago whose run failed.
fn failed() -> (World, CommentId, CommentId) {
    let mut world = fresh();
    let mut pull = world.pull(42);
    let trigger = pull.person_comment("@codex review", ago("2h"));
    let failure = pull.connector_comment(FAILURE, ago("2h") + span("3m"));
    (world, trigger, failure)
}

/// Ids and texts of every comment that begins with the trigger line, in the order of posting.
fn triggers(github: &Github) -> Vec<(u64, String)> {
    let world = github.world();
    let comments = &world.repositories[0].pulls[0].comments;
    comments
        .iter()
        .filter(|comment| comment.body.starts_with("@codex review"))
        .map(|comment| (comment.id, comment.body.clone()))
        .collect()
}

/// Those of them that this program posted.
fn ours(github: &Github) -> Vec<(u64, String)> {
    let mut all = triggers(github);
    all.retain(|(_, body)| body.contains("<!-- codex-loop: head="));
    all
}

fn head(github: &Github) -> String {
    github.world().repositories[0].pulls[0].head_oid.clone()
}

fn journal_path(product: &Product) -> PathBuf {
    product.path("state/gh-codex-loop/github.com/octo/widgets/42.json")
}

/// The journal on disk.
#[track_caller]
fn journal(product: &Product) -> Value {
    let path = journal_path(product);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("no journal at {}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("the journal is no JSON ({error}):\n{text}"))
}

/// State words of the recorded attempts, the newest last.
fn attempts(product: &Product) -> Vec<String> {
    if !journal_path(product).exists() {
        return Vec::new();
    }
    let states = journal(product)["attempts"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    states
        .iter()
        .map(|attempt| attempt["state"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Makes every recorded attempt, reply and damage as old as that.
fn age(product: &Product, how_long: &str) {
    let path = journal_path(product);
    let mut journal = journal(product);
    let then = crate::github::iso(ago(how_long));
    for list in ["attempts", "replies"] {
        for entry in journal[list].as_array_mut().into_iter().flatten() {
            entry["startedAt"] = then.as_str().into();
        }
    }
    for damage in journal["damaged"].as_array_mut().into_iter().flatten() {
        damage["foundAt"] = then.as_str().into();
    }
    std::fs::write(&path, journal.to_string())
        .unwrap_or_else(|error| panic!("cannot age the journal: {error}"));
}

/// Codes of the blockers in a document.
#[track_caller]
fn blockers(run: &Run) -> Vec<String> {
    let document = run.json();
    let list = document["blockers"].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|blocker| blocker["code"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Lets the newest trigger of this program fail as the connector says it.
fn fail_newest(github: &Github, when: &str) {
    let at = ago(when);
    github.change(|world| {
        let mut pull = world.pull(42);
        for comment in &mut pull.pull().comments {
            if comment.body.contains("codex-loop: head=") {
                comment.created_at = at - span("1m");
                comment.updated_at = comment.created_at;
            }
        }
        pull.comment(connector(), FAILURE, at);
    });
}

const AUTHORIZED: [&str; 2] = ["--authorization", "ada, ticket 7"];

/// A command on pull request 42 with JSON output.
fn run(product: &Product, verb: &str, more: &[&str]) -> Run {
    let mut arguments = vec![verb, "42", "--json"];
    // An option of its own keeps the value of --json apart.
    arguments.extend(["--color", "never"]);
    arguments.extend(more);
    product.run(&arguments)
}

fn authorized(product: &Product, verb: &str, more: &[&str]) -> Run {
    let mut all = AUTHORIZED.to_vec();
    all.extend(more);
    run(product, verb, &all)
}
