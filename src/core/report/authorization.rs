//! `codex-loop.authorization/1`: the standing authorizations of a pull request on this machine.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::look::{Cell, LABEL_INDENT, Look, Tone};
use crate::authorization::{Grant, GrantState};
use crate::evidence::observed::{Timestamp, rfc3339};

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// Every recorded authorization, the newest last; ended ones are kept.
    pub authorizations: Vec<GrantRow>,
}

/// One authorization.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantRow {
    /// Whether it counts now.
    pub state: GrantState,
    /// The recorded grant.
    #[serde(flatten)]
    pub grant: Grant,
}

/// Fills the document.
pub fn document(header: Header, grants: &[Grant], now: Timestamp) -> Document {
    Document {
        header,
        authorizations: grants
            .iter()
            .map(|grant| GrantRow {
                state: grant.state(now),
                grant: grant.clone(),
            })
            .collect(),
    }
}

/// The text for people: state, scopes, branch, end, reference.
pub fn text(document: &Document, look: &Look) -> String {
    if document.authorizations.is_empty() {
        let mut lines = vec!["no standing authorization".to_owned()];
        if look.terminal {
            let number = document.header.pull_request;
            lines.extend(look.labelled(
                "next",
                "Name the user's word at each write, or record it once:",
                2,
            ));
            lines.extend(look.command(
                &format!("gh codex-loop authorize {number} --scope request --reference REF"),
                LABEL_INDENT,
            ));
        }
        lines.push(String::new());
        return lines.join("\n");
    }
    let rows: Vec<Vec<Cell>> = document
        .authorizations
        .iter()
        .map(|row| {
            let scopes: Vec<&str> = row.grant.scopes.iter().map(|scope| scope.as_str()).collect();
            let tone = match row.state {
                GrantState::Active => Tone::Good,
                GrantState::Expired | GrantState::Revoked => Tone::Quiet,
            };
            vec![
                Cell::new(tone, row.state.as_str()),
                Cell::new(Tone::Plain, &scopes.join(",")),
                Cell::new(Tone::Plain, &row.grant.head_ref_name),
                Cell::new(Tone::Plain, &format!("until {}", rfc3339(row.grant.expires_at))),
                Cell::new(Tone::Plain, row.grant.reference.as_str()),
            ]
        })
        .collect();
    look.rows(&rows)
}
