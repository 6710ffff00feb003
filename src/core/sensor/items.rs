//! Items: findings of the connector that want a disposition, each under a stable key, on any head.
//!
//! An inline item stands on the head when GitHub shows it there, even if its review was for an older commit.

use schemars::JsonSchema;
use serde::Serialize;

use crate::bot::findings::{self, Priority, TextFinding};
use crate::bot::identity::{Identity, IdentitySurface, identify};
use crate::bot::meaning::Meaning;
use crate::evidence::name::Id;
use crate::evidence::observed::Timestamp;
use crate::evidence::review::{ReviewComment, ReviewState};
use crate::finding::Handled;
use crate::reading::{NamedCommit, Reading, ReviewReading, Role};
use crate::reason::words;
use crate::run::Run;
use crate::run::signature::sha256_hex;

words! {
    /// Where an item stands.
    ItemKind {
        /// The body of a review.
        ReviewBody = "review-body",
        /// An inline comment that opens a thread.
        InlineComment = "inline-comment",
        /// A top-level comment.
        IssueComment = "issue-comment",
    }
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// `review-body:ID`, `review-comment:ID` or `issue-comment:ID`.
    pub item_key: String,
    /// Where it stands.
    pub kind: ItemKind,
    /// The numeric id in that key.
    pub id: u64,
    /// The review it belongs to.
    pub review_id: Option<u64>,
    /// The commit it is shown on.
    pub commit_id: Option<String>,
    /// The commit it was written for, for an inline comment.
    pub original_commit_id: Option<String>,
    /// The file.
    pub path: Option<String>,
    /// The line.
    pub line: Option<u64>,
    /// `LEFT` or `RIGHT`, for an inline comment.
    pub side: Option<String>,
    /// `P0` … `P3`, or `P?` without a badge.
    pub priority: String,
    /// When it was written.
    #[schemars(with = "Option<String>")]
    pub created_at: Option<Timestamp>,
    /// Its page.
    pub url: Option<String>,
    /// The text; of a review without its frame.
    pub body: String,
    /// The text as GitHub has it.
    pub raw_body: String,
}

impl Item {
    /// SHA-256 of the text as GitHub has it: what a disposition was recorded for.
    pub fn digest(&self) -> String {
        sha256_hex(self.raw_body.as_bytes())
    }
}

/// Whether an item is handled. Only the handled file says so: a reply on GitHub answers an item, and records neither its
/// family nor what shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing is recorded.
    Open,
    /// A disposition is recorded for this text.
    Handled,
    /// A disposition is recorded for another text: it is open again.
    Reopened,
}

/// An item with whether it stands on the head and whether it is handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The item.
    pub item: Item,
    /// Whether it stands on the current head.
    pub on_head: bool,
    /// Whether it is handled.
    pub standing: Standing,
}

/// Every item on any head, by time and key.
pub fn all(run: &Run<'_>) -> Vec<Placed> {
    let reading = &run.reading;
    let handled = Handled::of(reading);
    let mut items: Vec<(Item, bool)> = Vec::new();
    items.extend(connector_reviews(reading).filter_map(|review| review_body(reading, review)));
    items.extend(inline_comments(reading));
    items.extend(issue_comments(reading));
    items.sort_by(|(a, _), (b, _)| (a.created_at, &a.item_key).cmp(&(b.created_at, &b.item_key)));
    items
        .into_iter()
        .map(|(item, on_head)| {
            let standing = if handled.records(&item.item_key, &item.raw_body) {
                Standing::Handled
            } else if handled.knows(&item.item_key) {
                Standing::Reopened
            } else {
                Standing::Open
            };
            Placed {
                item,
                on_head,
                standing,
            }
        })
        .collect()
}

/// Submitted reviews of the connector, of any commit, by time.
pub fn connector_reviews<'a, 'e>(reading: &'a Reading<'e>) -> impl Iterator<Item = &'a ReviewReading<'e>> {
    reading
        .reviews
        .iter()
        .filter(|review| review.identity == Identity::Connector)
}

/// Those of them that were made for the current head.
pub fn reviews_of_head<'a, 'e>(reading: &'a Reading<'e>) -> impl Iterator<Item = &'a ReviewReading<'e>> {
    connector_reviews(reading).filter(|review| is_for_head(reading, review))
}

fn is_for_head(reading: &Reading<'_>, review: &ReviewReading<'_>) -> bool {
    review.review.commit_id.known() == Some(&reading.pull.head_ref_oid)
}

/// What a review says in its own body. A text that nobody can read for certain wants a look, so it is an item too.
fn review_body(reading: &Reading<'_>, review: &ReviewReading<'_>) -> Option<(Item, bool)> {
    if review.review.state == ReviewState::Dismissed {
        return None;
    }
    let found: &[TextFinding] = match &review.meaning {
        Meaning::Findings { findings, .. } => findings,
        Meaning::Unclear { .. } => &[],
        Meaning::NoFindings { .. }
        | Meaning::Boilerplate { .. }
        | Meaning::Failure { .. }
        | Meaning::Notice { .. }
        | Meaning::TaskReply
        | Meaning::Summary { .. } => return None,
    };
    let id = review.review.id.get()?;
    let raw = review.review.body.text();
    let place = found.first();
    let item = Item {
        item_key: format!("review-body:{id}"),
        kind: ItemKind::ReviewBody,
        id,
        review_id: Some(id),
        commit_id: review.review.commit_id.known().map(ToString::to_string),
        original_commit_id: None,
        path: place.and_then(|finding| finding.path.clone()),
        line: place.and_then(|finding| finding.line),
        side: None,
        priority: most_severe(found),
        created_at: review.at,
        url: review.review.html_url.known().cloned(),
        body: own_text(raw),
        raw_body: raw.to_owned(),
    };
    let on_head = review.review.commit_id.known().is_none() || is_for_head(reading, review);
    Some((item, on_head))
}

/// Inline comments of the connector that open a thread.
fn inline_comments<'a>(reading: &'a Reading<'_>) -> impl Iterator<Item = (Item, bool)> + 'a {
    let head = &reading.pull.head_ref_oid;
    let of_head: Vec<u64> = reviews_of_head(reading)
        .filter_map(|review| review.review.id.get())
        .collect();
    roots(reading).filter_map(move |comment| {
        let id = comment.id.get()?;
        let review_id = comment.pull_request_review_id.get();
        // What is shown on no certain commit cannot be shown to stand elsewhere.
        let shown_on_head = comment.commit_id.known().is_none_or(|commit| commit == head);
        let on_head = shown_on_head || review_id.is_some_and(|id| of_head.contains(&id));
        let raw = comment.body.text();
        let item = Item {
            item_key: format!("review-comment:{id}"),
            kind: ItemKind::InlineComment,
            id,
            review_id,
            commit_id: comment.commit_id.known().map(ToString::to_string),
            original_commit_id: comment.original_commit_id.known().map(ToString::to_string),
            path: comment.path.known().cloned(),
            line: comment.line.get().or(comment.original_line.get()),
            side: comment.side.known().cloned(),
            priority: word(findings::inline(raw).priority),
            created_at: comment.created_at.get(),
            url: comment.html_url.known().cloned(),
            body: raw.to_owned(),
            raw_body: raw.to_owned(),
        };
        Some((item, on_head))
    })
}

fn roots<'a, 'e>(reading: &'a Reading<'e>) -> impl Iterator<Item = &'e ReviewComment> + 'a {
    let strict = reading.options.strict_identity;
    reading
        .evidence
        .surfaces
        .review_comments
        .items()
        .iter()
        .filter(|comment| comment.in_reply_to_id.is_missing())
        .filter(move |comment| {
            identify(comment.user.as_ref(), IdentitySurface::Rest, strict).identity == Identity::Connector
        })
}

/// Findings in top-level comments. One that names no commit cannot be shown to be another head's.
fn issue_comments<'a>(reading: &'a Reading<'_>) -> impl Iterator<Item = (Item, bool)> + 'a {
    reading.comments.iter().filter_map(|comment| {
        let Role::Connector {
            meaning: Meaning::Findings { findings, .. },
            commit,
        } = &comment.role
        else {
            return None;
        };
        let id = comment.comment.id.get()?;
        let (on_head, commit_id) = match commit {
            NamedCommit::Head => (true, Some(reading.pull.head_ref_oid.to_string())),
            NamedCommit::Other(text) => (false, Some(text.clone())),
            NamedCommit::Unresolved(text) => (true, Some(text.clone())),
            NamedCommit::None | NamedCommit::Ambiguous(_) => (true, None),
        };
        let raw = comment.comment.body.text();
        let place = findings.first();
        let item = Item {
            item_key: format!("issue-comment:{}", Id::Number(id)),
            kind: ItemKind::IssueComment,
            id,
            review_id: None,
            commit_id,
            original_commit_id: None,
            path: place.and_then(|finding| finding.path.clone()),
            line: place.and_then(|finding| finding.line),
            side: None,
            priority: most_severe(findings),
            created_at: comment.comment.created_at.get(),
            url: comment.comment.html_url.known().cloned(),
            body: own_text(raw),
            raw_body: raw.to_owned(),
        };
        Some((item, on_head))
    })
}

/// The text without its frame; whole where nothing else stands in it, such as a folded finding.
fn own_text(raw: &str) -> String {
    let text = findings::without_frame(raw);
    if text.is_empty() {
        raw.trim().to_owned()
    } else {
        text
    }
}

fn most_severe(found: &[TextFinding]) -> String {
    let worst = found.iter().map(|finding| finding.priority).min();
    word(worst.unwrap_or(Priority::Unknown))
}

fn word(priority: Priority) -> String {
    match priority {
        Priority::P0 | Priority::P1 | Priority::P2 | Priority::P3 => priority.as_str().to_owned(),
        Priority::Unknown => "P?".to_owned(),
    }
}
