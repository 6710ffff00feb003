//! The bounded-loop evaluator: a pure function from one JSON document to one decision.
//!
//! "The evaluator performs no Git, GitHub, network, or Automation operations itself." Documents are exact: an unknown,
//! missing, duplicated or wrongly typed field is an error, and after an error nothing may be done but
//! [`PAUSE_ONLY_QUARANTINE`]. Documents are snake_case, version 1; hashes are lower-hex SHA-256 over canonical JSON, or
//! over the UTF-8 bytes of a text.

pub mod boundary;
mod canonical;
mod error;
mod example;
mod gates;
mod hosted;
mod initial;
pub mod manifest;
pub mod path;
pub mod plan;
pub mod policy;
pub mod prompt;
pub mod recurring;
pub mod state;
mod template;
pub mod terms;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use canonical::{Json, MAX_BYTES, MAX_DEPTH, digest, sha256_hex};
pub use error::EvaluatorError;
pub use example::{EXAMPLES, example};
pub use hosted::{HostedError, hosted};
pub use initial::{InitialAction, InitialDecision, evaluate_initial};
pub use policy::{accept_policy, policy};
pub use prompt::{PromptAction, PromptDecision, evaluate_prompt};
pub use recurring::{Action, AutomationAction, ReasonCode, RecurringDecision, evaluate_recurring};
pub use state::{Checkpoint, Hosted, RecurringState, merge, read_checkpoint};

use vocabulary::{Shape, Term, json_schema};

/// What may still be done after an evaluator error, and its conditions.
pub const PAUSE_ONLY_QUARANTINE: &str = "pause-only-quarantine: no decision was made; in a write-capable mode, rediscover and view the automations again and \
pause only when there is exactly one non-deleted automation whose canonical key and ID exactly equal the recorded owned key and ID and whose viewed status is ACTIVE; \
otherwise change nothing. Never update a prompt, activate or delete an automation, or touch Git or GitHub. In report-only, do not inspect the Automation registry.";

/// The canonical digest of any strict JSON document.
///
/// # Errors
/// No strict JSON.
pub fn hash(bytes: &[u8]) -> Result<String, EvaluatorError> {
    Json::parse(bytes).map(|json| digest(&json))
}

/// The canonical form of any strict JSON document.
///
/// # Errors
/// No strict JSON.
pub fn canonical(bytes: &[u8]) -> Result<String, EvaluatorError> {
    Json::parse(bytes).map(|json| json.canonical())
}

/// The names that [`schema`] knows, each with what it describes.
pub const SCHEMAS: &[(&str, &str)] = &[
    ("policy", "the pinned policy"),
    ("initial", "the plan before the first write"),
    ("prompt", "the bootstrap of the paused stub"),
    ("recurring", "the complete state of one wakeup"),
    ("checkpoint", "the part of a state that GitHub does not show"),
    ("initial-decision", "what `evaluate initial` prints"),
    ("prompt-decision", "what `evaluate prompt` prints"),
    ("recurring-decision", "what `evaluate recurring` prints"),
];

/// The JSON Schema of a document or decision; none for another name.
pub fn schema(name: &str) -> Option<Json> {
    shape(name).map(|shape| json_schema(name, &shape))
}

fn shape(name: &str) -> Option<Shape> {
    match name {
        "policy" => Some(policy::Policy::shape()),
        "initial" => Some(manifest::InitialDocument::shape()),
        "prompt" => Some(prompt::PromptDocument::shape()),
        "recurring" => Some(RecurringState::shape()),
        "checkpoint" => Some(Checkpoint::shape()),
        "initial-decision" => Some(InitialDecision::shape()),
        "prompt-decision" => Some(PromptDecision::shape()),
        "recurring-decision" => Some(RecurringDecision::shape()),
        _ => None,
    }
}
