//! `evaluate` as a process: documents in and out, and the whole bounded loop of one pull request over the real gh.

mod files;
mod looping;
mod state;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::github::{CommentId, Github, PullHandle, Time, World, ago, connector, iso};
use crate::product::{Product, Run};

const RUN_ID: &str = "0123456789abcdef0123456789abcdef";

/// A valid document, by its name.
fn example(product: &Product, name: &str) -> Value {
    product.run(&["evaluate", "example", name]).expect(0).json()
}

/// Evaluates a document from standard input.
#[track_caller]
fn evaluate(product: &Product, subject: &[&str], document: &Value) -> Run {
    let mut arguments = vec!["evaluate"];
    arguments.extend(subject);
    product.command(&arguments).stdin(document.to_string()).run()
}

/// The canonical digest of a document, as the product computes it.
fn digest(product: &Product, document: &Value) -> Value {
    json!(evaluate(product, &["hash"], document).expect(0).stdout.trim())
}

/// The canonical review request of a round.
fn request_body(round: u64, head: &str) -> String {
    format!("@codex review\n\n<!-- github-codex-pr-loop-request run={RUN_ID} round={round} sha={head} -->")
}

/// A pull request opened three hours ago, and the canonical request on it, twenty minutes old, with the bot's eyes.
pub fn requested() -> (World, CommentId) {
    let mut world = World::opened(ago("3h"));
    let mut pull = world.pull(42);
    let request = request(&mut pull, 0, ago("20m"));
    (world, request)
}

/// Posts the canonical request of a round on the head; the bot has seen it.
fn request(pull: &mut PullHandle<'_>, round: u64, at: Time) -> CommentId {
    let head = pull.head();
    let comment = pull.person_comment(&request_body(round, &head), at);
    pull.react(comment, connector(), "eyes", at + chrono::Duration::seconds(9));
    comment
}

/// The request as a checkpoint records it.
pub fn recorded(github: &Github, comment: CommentId, round: u64) -> Value {
    let (mut head, mut base, mut created) = (String::new(), String::new(), String::new());
    github.change(|world| {
        let mut pull = world.pull(42);
        head = pull.head();
        base = pull.pull().base_oid.clone();
        created = iso(pull.comment_mut(comment).created_at);
    });
    let deadline = iso(created.parse::<Time>().expect("a time") + chrono::Duration::minutes(60));
    json!({
        "comment_id": comment.to_string().parse::<u64>().expect("an id"),
        "author_database_id": 1001,
        "round": round,
        "created_at": created,
        "deadline": deadline,
        "head_sha": head,
        "base_sha": base,
        "request_key": format!("{comment}:{head}"),
        "state": "pending",
    })
}

/// A checkpoint of pull request 42 in `octo/widgets`, in this mode, with this request.
pub fn checkpoint(product: &Product, mode: &str, request: &Value) -> Value {
    let mut checkpoint = example(product, "checkpoint");
    let persisted = &mut checkpoint["persisted"];
    persisted["mode"] = json!(mode);
    persisted["run_id"] = json!(RUN_ID);
    persisted["repository"] = json!({"host": "github.com", "owner": "octo", "name": "widgets"});
    persisted["pull_request_url"] = json!("https://github.com/octo/widgets/pull/42");
    persisted["automation_key"] = json!("github-codex-pr-loop:octo/widgets#42");
    persisted["configured_head_branch"] = json!("topic-42");
    persisted["request"] = request.clone();
    checkpoint["local"]["automations"][0]["loop_key"] = json!("github-codex-pr-loop:octo/widgets#42");
    if mode == "report-only" {
        let persisted = &mut checkpoint["persisted"];
        for name in ["remote_name", "owned_automation_id", "owned_automation_status"] {
            persisted[name] = Value::Null;
        }
        checkpoint["local"]["remote_name"] = Value::Null;
        checkpoint["local"]["automations"] = json!([]);
    }
    checkpoint
}

/// Writes a checkpoint where `evaluate state` reads it.
fn write(product: &Product, checkpoint: &Value) -> PathBuf {
    let path = product.path("checkpoint.json");
    std::fs::write(&path, checkpoint.to_string()).expect("the checkpoint is written");
    path
}

/// Builds the state of a checkpoint through the real gh.
#[track_caller]
fn state_of(product: &Product, checkpoint: &Value) -> Run {
    let path = write(product, checkpoint);
    product.run(&["evaluate", "state", "42", "--checkpoint", &path.to_string_lossy()])
}
