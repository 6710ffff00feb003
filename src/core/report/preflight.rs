//! `codex-loop.preflight/1`: may a trigger be posted now, and everything that stands in the way.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::answer::{headline, names};
use super::look::{LABEL_INDENT, Look, Tone};
use super::sanitise;
use crate::lineage::AttemptKind;
use crate::preflight::{Blocker, Preflight, Verdict};
use crate::run::Run;

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// Whether a trigger may be posted.
    pub allowed: bool,
    /// What is to be posted.
    #[serde(rename = "for")]
    pub purpose: AttemptKind,
    /// Everything in the way; empty exactly when it is allowed.
    pub blockers: Vec<Blocker>,
}

/// Fills the document.
pub fn document(run: &Run<'_>, kind: AttemptKind, preflight: &Preflight) -> Document {
    Document {
        header: Header::new("preflight", run.reading.evidence),
        allowed: preflight.verdict() == Verdict::Allowed,
        purpose: kind,
        blockers: preflight.blockers.clone(),
    }
}

/// The text for people: whether it may be posted, what stands in the way, and what to do next.
pub fn text(document: &Document, look: &Look) -> String {
    let kind = document.purpose.as_str();
    let number = document.header.pull_request;
    let (tone, word, sentence, command) = match Verdict::of(&document.blockers) {
        Verdict::Allowed => (
            Tone::Good,
            format!("a {kind} may be posted"),
            "Post it when the user authorized it.",
            format!("gh codex-loop {kind} {number} --authorization REF"),
        ),
        Verdict::Refused => (
            Tone::Bad,
            format!("no {kind} may be posted"),
            "Clear what stands in the way, then ask again.",
            format!("gh codex-loop status {number}"),
        ),
        Verdict::Unknown => (
            Tone::Doubtful,
            format!("whether a {kind} may be posted cannot be known"),
            "Ask again: nothing is proven to stand in the way, but the evidence has gaps.",
            format!("gh codex-loop preflight {number} --for {kind}"),
        ),
    };
    let mut lines = if look.terminal {
        headline(look, tone, &word, &document.header, None)
    } else {
        vec![word]
    };
    lines.extend(blockers(&document.blockers, look));
    if look.terminal {
        lines.extend(look.labelled("next", sentence, 3));
        lines.extend(look.command(&command, LABEL_INDENT));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Each blocker and its evidence.
pub(super) fn blockers(blockers: &[Blocker], look: &Look) -> Vec<String> {
    let mut lines = Vec::new();
    for (place, blocker) in blockers.iter().enumerate() {
        let (code, message) = (blocker.code.as_str(), &blocker.message);
        let indent = if look.terminal {
            let label = if place == 0 { "why" } else { "" };
            lines.extend(look.labelled(label, &format!("{message} ({code})"), 4));
            LABEL_INDENT
        } else {
            lines.push(format!(
                "  {}",
                sanitise::one_line(&format!("{code}: {message}"), 400)
            ));
            4
        };
        if !blocker.evidence.is_empty() {
            let folded = look.folded(&names(&blocker.evidence), indent, 3);
            lines.extend(folded.iter().map(|line| look.paint(Tone::Quiet, line)));
        }
    }
    lines
}
