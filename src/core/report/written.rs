//! What a command changed, for a user to whom its result cannot be shown: it is done, and must not be done again.

use super::attempt::PostRow;
use super::handled::{ReplyOutcome, ReplyRow};
use super::resolve;
use crate::lineage::AttemptKind;
use crate::run::failure::RetryTransitionState;
use crate::thread::Outcome;

/// A change that stands although nobody was told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// One sentence: what was done, and where it stands.
    pub what: String,
    /// The command that shows or settles it.
    pub next: String,
}

impl Written {
    /// What a request or a retry sent; nothing when it sent nothing.
    pub fn post(kind: AttemptKind, row: &PostRow, number: u64) -> Option<Self> {
        let word = kind.as_str();
        let (what, verb) = match row.state {
            _ if !row.posted => return None,
            RetryTransitionState::NotRequested | RetryTransitionState::CreationFailed => return None,
            RetryTransitionState::Created => {
                let place = row.trigger.as_ref().map(|trigger| {
                    let url = trigger.url.as_deref().unwrap_or_default();
                    format!(" as comment {} {url}", trigger.comment_id)
                });
                let place = place.unwrap_or_default();
                (
                    format!("The {word} was posted all the same{}.", place.trim_end()),
                    "status",
                )
            }
            RetryTransitionState::Creating | RetryTransitionState::ReconciliationRequired => {
                let next = format!("gh codex-loop {word} {number} --reconcile");
                let what = format!("Something was sent, and whether the {word} was posted is not known.");
                return Some(Self { what, next });
            }
        };
        let next = format!("gh codex-loop {verb} {number}");
        Some(Self { what, next })
    }

    /// What became of threads; nothing when nothing was sent.
    pub fn threads(document: &resolve::Document) -> Option<Self> {
        let sent =
            |row: &&resolve::ThreadRow| row.outcome == Outcome::Resolved || row.reply_comment_id.is_some();
        let done: Vec<String> = document
            .threads
            .iter()
            .filter(sent)
            .map(|row| {
                let name = row.thread_id.as_deref().unwrap_or(&row.named);
                let word = if row.outcome == Outcome::Resolved {
                    "resolved"
                } else {
                    "answered"
                };
                format!("{name} {word} {}", row.url.as_deref().unwrap_or_default())
                    .trim_end()
                    .to_owned()
            })
            .collect();
        (!document.dry_run && !done.is_empty()).then(|| Self {
            what: format!("All the same this was done: {}.", done.join(", ")),
            next: format!("gh codex-loop findings {}", document.header.pull_request),
        })
    }

    /// What became of a reply, or of a record on this machine; nothing when nothing changed.
    pub fn handled(changed: bool, reply: Option<&ReplyRow>, number: u64) -> Option<Self> {
        let what = match reply.map(|row| (row.state, row)) {
            Some((ReplyOutcome::Posted, row)) => {
                let url = row.url.as_deref().unwrap_or_default();
                format!("The reply to {} was posted all the same {url}", row.item_key)
                    .trim_end()
                    .to_owned()
                    + "."
            }
            Some((ReplyOutcome::Unknown | ReplyOutcome::AlreadyPosted | ReplyOutcome::DryRun, _)) => {
                return None;
            }
            None if changed => "It was recorded all the same.".to_owned(),
            None => return None,
        };
        let next = format!("gh codex-loop handled {number}");
        Some(Self { what, next })
    }

    /// That standing authorizations were changed on this machine.
    pub fn authorization(number: u64) -> Self {
        Self {
            what: "The standing authorizations were changed all the same.".to_owned(),
            next: format!("gh codex-loop authorize {number} --list"),
        }
    }
}
