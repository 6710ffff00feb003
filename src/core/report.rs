//! Report values and how they are shown: JSON documents for programs, text for people.
//!
//! Each document is one struct with a `document` function that fills it from a decision and a `text` function that
//! renders the same value, so that the two can never disagree. Rendering gives a `String`; nothing here prints.

use schemars::JsonSchema;
use serde::Serialize;

use crate::evidence::Evidence;
use crate::evidence::observed::rfc3339;

pub mod answer;
pub mod attempt;
pub mod authorization;
pub mod classification;
pub mod command;
pub mod convergence;
pub mod explain;
pub mod findings;
pub mod gate;
pub mod handled;
pub mod list;
pub mod look;
pub mod preflight;
pub mod resolve;
pub mod sanitise;
#[cfg(test)]
mod screens;
pub mod status;
pub mod watch;
pub mod written;

/// The fields that every document begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// `codex-loop.<name>/<version>`.
    pub schema: String,
    /// `OWNER/REPO`.
    pub repository: String,
    /// The pull request's number.
    pub pull_request: u64,
    /// The pull request's page.
    pub url: String,
    /// The head commit that everything is bound to; null when the pull request was not read.
    pub head_ref_oid: Option<String>,
    /// When the evidence was read.
    pub observed_at: String,
}

impl Header {
    /// The header of the document `codex-loop.<name>/1` about this evidence.
    pub fn new(name: &str, evidence: &Evidence) -> Self {
        Self {
            schema: format!("codex-loop.{name}/1"),
            repository: evidence.repository.to_string(),
            pull_request: evidence.pull_request,
            url: evidence.url(),
            head_ref_oid: evidence.pull().map(|pull| pull.head_ref_oid.to_string()),
            observed_at: rfc3339(evidence.collected_at),
        }
    }
}
