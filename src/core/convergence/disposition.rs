//! Whether a disposition may be recorded: what each outcome has to show (stable sensor, "Triage findings" and
//! "Enforce convergence"). An incomplete one is refused, with everything that is missing.

use serde::Serialize;

use crate::bot::identity::{Identity, IdentitySurface, identify};
use crate::evidence::handled::{Disposition, HandledRecord, Outcome, Planned};
use crate::evidence::observed::Timestamp;
use crate::reading::Reading;
use crate::reason::words;
use crate::sensor::items::{Item, ItemKind, Placed, Standing};

words! {
    /// Why a disposition is refused.
    RefusalCode {
        /// The pull request has no such item.
        UnknownItem = "unknown-item",
        /// No family is named.
        NoFamily = "no-family",
        /// No commit is named.
        NoCommit = "no-commit",
        /// The commit is not on the hosted branch.
        CommitNotOnBranch = "commit-not-on-branch",
        /// Nothing says what shows it.
        NoEvidence = "no-evidence",
        /// Nobody answered the item on GitHub.
        NoReply = "no-reply",
        /// From the second occurrence of a family, the premise that makes the claim right.
        NoPremise = "no-premise",
        /// From the second occurrence of a family, how the repair covers the family.
        NoCovers = "no-covers",
        /// A user's decision is open until it became a repair or a rebuttal.
        UserDecisionOpen = "user-decision-open",
        /// The item is handled already, for this very text.
        AlreadyHandled = "already-handled",
        /// The item has a thread, and is answered there.
        InlineItem = "inline-item",
        /// The reply says nothing but that something was done.
        BareReply = "bare-reply",
        /// The reply would start a task.
        MentionsCodex = "mentions-codex",
        /// The reply is longer than GitHub takes.
        TooLong = "too-long",
    }
}

/// One thing that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The code.
    pub code: RefusalCode,
    /// One sentence.
    pub message: String,
}

impl Refusal {
    fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

/// What somebody wants to record; empty texts count as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The family's label.
    pub family: Option<String>,
    /// A commit, at least seven digits.
    pub commit: Option<String>,
    /// What shows it.
    pub evidence: Option<String>,
    /// The premise.
    pub premise: Option<String>,
    /// How the family is covered.
    pub covers: Option<String>,
}

/// The item with this key, on any head.
///
/// # Errors
/// The refusal, when there is none.
pub fn item<'a>(items: &'a [Placed], key: &str) -> Result<&'a Placed, Refusal> {
    items
        .iter()
        .find(|placed| placed.item.item_key == key)
        .ok_or_else(|| {
            Refusal::new(
                RefusalCode::UnknownItem,
                "The pull request has no such item; `snapshot` lists their keys under `review_items`.",
            )
        })
}

/// A pending disposition.
///
/// # Errors
/// Everything that is missing.
pub fn plan(
    placed: &Placed,
    outcome: Outcome,
    family: Option<&str>,
    at: Timestamp,
) -> Result<Planned, Vec<Refusal>> {
    let mut refusals = Vec::new();
    if placed.standing == Standing::Handled {
        refusals.push(Refusal::new(
            RefusalCode::AlreadyHandled,
            "The item is handled already, for this very text.",
        ));
    }
    let family = present(family);
    match outcome {
        Outcome::Fixed | Outcome::UserDecision if family.is_none() => refusals.push(no_family()),
        Outcome::Fixed | Outcome::UserDecision | Outcome::Rebutted => {}
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    Ok(Planned {
        key: placed.item.item_key.clone(),
        outcome,
        family,
        review_id: placed.item.review_id,
        body_sha256: Some(placed.item.digest()),
        recorded_at: at,
    })
}

/// A final disposition.
///
/// # Errors
/// Everything that is missing.
pub fn add(
    reading: &Reading<'_>,
    placed: &Placed,
    outcome: Outcome,
    proposal: &Proposal,
    at: Timestamp,
) -> Result<Disposition, Vec<Refusal>> {
    let record = &reading.evidence.local.handled.record;
    let item = &placed.item;
    let mut refusals = Vec::new();
    let evidence = present(proposal.evidence.as_deref());
    if evidence.is_none() {
        refusals.push(Refusal::new(
            RefusalCode::NoEvidence,
            "Nothing says what shows it: --evidence TEXT.",
        ));
    }
    let mut disposition = Disposition {
        outcome,
        family: present(proposal.family.as_deref()),
        commit: None,
        evidence: evidence.unwrap_or_default(),
        premise: present(proposal.premise.as_deref()),
        covers: present(proposal.covers.as_deref()),
        reply: None,
        review_id: item.review_id,
        recorded_at: at,
    };
    match outcome {
        Outcome::Fixed => {
            match &disposition.family {
                None => refusals.push(no_family()),
                Some(label) => refusals.extend(general(record, placed, label, &disposition)),
            }
            match commit(reading, proposal.commit.as_deref()) {
                Ok(commit) => disposition.commit = Some(commit),
                Err(refusal) => refusals.push(refusal),
            }
        }
        Outcome::Rebutted => match reply(reading, item) {
            Some(reply) => disposition.reply = Some(reply),
            None => refusals.push(Refusal::new(RefusalCode::NoReply, no_reply(item))),
        },
        Outcome::UserDecision => refusals.push(Refusal::new(
            RefusalCode::UserDecisionOpen,
            "A user's decision stays open until it became fixed or rebutted; record it with `plan`.",
        )),
    }
    if refusals.is_empty() {
        Ok(disposition)
    } else {
        Err(refusals)
    }
}

fn no_family() -> Refusal {
    Refusal::new(
        RefusalCode::NoFamily,
        "No problem family is named: --family LABEL.",
    )
}

/// From the second occurrence of its family a repair carries the burden of a rebuttal.
fn general(record: &HandledRecord, placed: &Placed, label: &str, disposition: &Disposition) -> Vec<Refusal> {
    // An item that is recorded once more for the same text is no occurrence of its own.
    let counted = placed.standing == Standing::Handled
        && record
            .dispositions
            .get(&placed.item.item_key)
            .is_some_and(|known| known.outcome == Outcome::Fixed && known.family.as_deref() == Some(label));
    let earlier = record.families.get(label).map_or(0, |family| family.count);
    let earlier = if counted {
        earlier.saturating_sub(1)
    } else {
        earlier
    };
    if earlier == 0 {
        return Vec::new();
    }
    let number = earlier.saturating_add(1);
    let mut refusals = Vec::new();
    if disposition.premise.is_none() {
        refusals.push(Refusal::new(
            RefusalCode::NoPremise,
            format!("This is occurrence {number} of the family: state the premise that makes the claim right, --premise TEXT."),
        ));
    }
    if disposition.covers.is_none() {
        refusals.push(Refusal::new(
            RefusalCode::NoCovers,
            format!("This is occurrence {number} of the family: say how the repair covers all of it, --covers TEXT."),
        ));
    }
    refusals
}

/// The full id of a commit of the pull request as GitHub has it.
fn commit(reading: &Reading<'_>, text: Option<&str>) -> Result<String, Refusal> {
    let Some(text) = present(text) else {
        return Err(Refusal::new(
            RefusalCode::NoCommit,
            "No commit is named: --commit SHA.",
        ));
    };
    let prefix = text.to_ascii_lowercase();
    let usable = (7..=64).contains(&prefix.len()) && prefix.bytes().all(|b| b.is_ascii_hexdigit());
    let commits = reading
        .evidence
        .surfaces
        .commits
        .items()
        .iter()
        .map(|commit| &commit.oid);
    let mut found: Vec<&crate::evidence::name::Sha> = commits
        .chain([&reading.pull.head_ref_oid])
        .filter(|oid| usable && oid.starts_with(&prefix))
        .collect();
    found.sort();
    found.dedup();
    match found.as_slice() {
        [one] => Ok(one.to_string()),
        [] => Err(Refusal::new(
            RefusalCode::CommitNotOnBranch,
            "GitHub has no such commit on the pull request's branch; push it first.",
        )),
        _ => Err(Refusal::new(
            RefusalCode::CommitNotOnBranch,
            "Several commits of the pull request begin like that; give more digits.",
        )),
    }
}

/// A person's answer to the item on GitHub, by its page or its name.
fn reply(reading: &Reading<'_>, item: &Item) -> Option<String> {
    let marked = reading
        .comments
        .iter()
        .find(|comment| comment.handled.iter().any(|marker| marker.key == item.item_key));
    if let Some(comment) = marked {
        return Some(page(comment.comment.html_url.known(), &comment.name.to_string()));
    }
    let later = |at: Option<Timestamp>| at >= item.created_at;
    match item.kind {
        ItemKind::InlineComment => {
            let strict = reading.options.strict_identity;
            let comments = reading.evidence.surfaces.review_comments.items();
            comments
                .iter()
                .enumerate()
                .find(|(_, comment)| {
                    let user = comment.user.as_ref();
                    comment.in_reply_to_id.get() == Some(item.id)
                        && identify(user, IdentitySurface::Rest, strict).identity == Identity::Other
                        && user.is_some_and(|user| user.kind.text() != "Bot")
                        && later(comment.created_at.get())
                })
                .map(|(place, comment)| page(comment.html_url.known(), &comment.name(place).to_string()))
        }
        ItemKind::ReviewBody | ItemKind::IssueComment => {
            let anchor = match item.kind {
                ItemKind::ReviewBody => format!("#pullrequestreview-{}", item.id),
                ItemKind::IssueComment | ItemKind::InlineComment => format!("#issuecomment-{}", item.id),
            };
            reading
                .comments
                .iter()
                .find(|comment| {
                    let user = comment.comment.user.as_ref();
                    comment.identity == Identity::Other
                        && user.is_some_and(|user| user.kind.text() != "Bot")
                        && links(comment.comment.body.text(), &anchor)
                        && later(comment.comment.created_at.get())
                })
                .map(|comment| page(comment.comment.html_url.known(), &comment.name.to_string()))
        }
    }
}

/// Whether a text holds the anchor, and not only the beginning of a longer one.
fn links(text: &str, anchor: &str) -> bool {
    text.match_indices(anchor).any(|(start, _)| {
        let rest = text.get(start.saturating_add(anchor.len())..).unwrap_or_default();
        !rest.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn page(url: Option<&String>, name: &str) -> String {
    url.cloned().unwrap_or_else(|| name.to_owned())
}

fn no_reply(item: &Item) -> &'static str {
    match item.kind {
        ItemKind::InlineComment => "Nobody answered the item in its thread on GitHub; reply there first.",
        ItemKind::ReviewBody | ItemKind::IssueComment => {
            "No top-level comment of a person links the item; answer it with `reply` first."
        }
    }
}

fn present(text: Option<&str>) -> Option<String> {
    text.map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests;
