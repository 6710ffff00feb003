//! `codex-loop.preflight/1`: may a trigger be posted now, and everything that stands in the way.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::look::{Look, Tone};
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

/// The text for people.
pub fn text(document: &Document, look: &Look) -> String {
    let kind = document.purpose.as_str();
    let mut text = match Verdict::of(&document.blockers) {
        Verdict::Allowed => look.mark(Tone::Good, &format!("a {kind} may be posted")),
        Verdict::Refused => look.mark(Tone::Bad, &format!("no {kind} may be posted")),
        Verdict::Unknown => look.mark(
            Tone::Doubtful,
            &format!("whether a {kind} may be posted cannot be known"),
        ),
    };
    text.push('\n');
    text.push_str(&blockers(&document.blockers, look));
    text
}

/// One line a blocker, and one for its evidence.
pub(super) fn blockers(blockers: &[Blocker], look: &Look) -> String {
    let mut text = String::new();
    for blocker in blockers {
        let line = sanitise::one_line(&format!("{}: {}", blocker.code.as_str(), blocker.message), 400);
        text.push_str(&format!("  {line}\n"));
        if !blocker.evidence.is_empty() {
            let names: Vec<String> = blocker.evidence.iter().take(6).map(ToString::to_string).collect();
            let more = blocker.evidence.len().saturating_sub(names.len());
            let mut names = sanitise::one_line(&names.join(", "), 300);
            if more > 0 {
                names.push_str(&format!(" and {more} more"));
            }
            text.push_str(&format!("    {}\n", look.paint(Tone::Quiet, &names)));
        }
    }
    text
}
