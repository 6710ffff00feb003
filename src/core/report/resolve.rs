//! `codex-loop.resolve/1`: what became of each named thread.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::look::{Look, Tone, shorten};
use super::sanitise;
use crate::authorization::Authorization;
use crate::thread::{Outcome, RefusalCode};

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// Whether this was only to show what would be done.
    pub dry_run: bool,
    /// What it rests on; null when nothing was to be done.
    pub authorization: Option<Authorization>,
    /// The named threads, in the order given, each once.
    pub threads: Vec<ThreadRow>,
}

/// One named thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadRow {
    /// As it was named.
    pub named: String,
    /// Its node id; null when it was not found.
    pub thread_id: Option<String>,
    /// The file it is about.
    pub path: Option<String>,
    /// Its page.
    pub url: Option<String>,
    /// What became of it. In a dry run `resolved` means that it would be.
    pub outcome: Outcome,
    /// Why it was refused; null otherwise.
    pub code: Option<RefusalCode>,
    /// One sentence.
    pub message: String,
    /// The exact reply that was, or would be, posted first.
    pub reply_body: Option<String>,
    /// The comment id of that reply, once it stands there.
    pub reply_comment_id: Option<u64>,
}

/// The text for people.
pub fn text(document: &Document, look: &Look) -> String {
    let mut text = String::new();
    for row in &document.threads {
        let (tone, word) = match (row.outcome, document.dry_run) {
            (Outcome::Resolved, true) => (Tone::Quiet, "would be resolved"),
            (Outcome::Resolved, false) => (Tone::Good, Outcome::Resolved.as_str()),
            (Outcome::AlreadyResolved, _) => (Tone::Good, Outcome::AlreadyResolved.as_str()),
            (Outcome::Refused, _) => (Tone::Bad, Outcome::Refused.as_str()),
            (Outcome::Unknown, _) => (Tone::Doubtful, Outcome::Unknown.as_str()),
        };
        let code = row
            .code
            .map_or_else(String::new, |code| format!("({})", code.as_str()));
        let name = row.thread_id.as_deref().unwrap_or(&row.named);
        let path = row.path.as_deref().unwrap_or_default();
        let line = format!("{word}{code} {name} {path}");
        let room = look.columns().saturating_sub(2);
        let mut line = sanitise::one_line(&line, 300);
        if look.terminal {
            line = shorten(&line, room);
        }
        text.push_str(&look.link(row.url.as_deref(), &look.mark(tone, &line)));
        text.push('\n');
        if !row.message.is_empty() {
            text.push_str(&look.folded(&row.message, 2, 4).join("\n"));
            text.push('\n');
        }
        if document.dry_run
            && let Some(body) = &row.reply_body
        {
            for part in body.lines() {
                text.push_str(&format!("  | {}\n", sanitise::one_line(part, 300)));
            }
        }
    }
    text
}
