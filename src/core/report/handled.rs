//! `codex-loop.handled/1`: what is recorded about the connector's items, and what is not.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::answer::headline;
use super::look::{Cell, LABEL_INDENT, Look, Tone};
use crate::authorization::Authorization;
use crate::convergence::history::{self, FamilyRow, Rounds};
use crate::convergence::reply::Draft;
use crate::evidence::comment::IssueComment;
use crate::evidence::handled::{Checkpoint, Direction, Disposition, HandledRecord, Outcome};
use crate::lineage::Nonce;
use crate::reason::words;
use crate::sensor::Sensor;
use crate::sensor::items::{Placed, Standing};

words! {
    /// What is recorded about an item.
    ItemState {
        /// Nothing.
        Open = "open",
        /// A pending disposition.
        Planned = "planned",
        /// A final disposition.
        Handled = "handled",
        /// A final disposition for another text.
        Reopened = "reopened",
    }
}

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HandledDocument {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// Where it is recorded on this machine.
    pub file: Option<String>,
    /// What this command changed: `plan`, `add`, `reply`, `checkpoint` or `direction`; null when it only lists.
    pub changed: Option<String>,
    /// Every item of the pull request, and every handled key.
    pub items: Vec<ItemRow>,
    /// Problem families by label.
    pub families: BTreeMap<String, FamilyRow>,
    /// Finding rounds.
    pub rounds: Rounds,
    /// Recorded checkpoints.
    pub checkpoints: Vec<Checkpoint>,
    /// Recorded directions of the user.
    pub directions: Vec<Direction>,
    /// What became of a reply; null for every other command.
    pub reply: Option<ReplyRow>,
}

words! {
    /// What became of a reply.
    ReplyOutcome {
        /// It was posted.
        Posted = "posted",
        /// It stood on the pull request already.
        AlreadyPosted = "already-posted",
        /// It was only shown.
        DryRun = "dry-run",
        /// Whether it was posted is not known.
        Unknown = "unknown",
    }
}

/// A reply to an item without a thread.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplyRow {
    /// The item.
    pub item_key: String,
    /// What it says became of the item: `fixed` or `rebutted`.
    pub outcome: String,
    /// What became of the reply.
    pub state: ReplyOutcome,
    /// Why that is not known.
    pub because: Option<String>,
    /// The exact text that was, or would be, posted.
    pub body: Option<String>,
    /// The comment.
    pub comment_id: Option<u64>,
    /// Its page.
    pub url: Option<String>,
    /// What it rests on; null when a dry run found nothing.
    pub authorization: Option<Authorization>,
}

impl ReplyRow {
    /// A reply in this state.
    pub fn of(draft: &Draft, state: ReplyOutcome, authorization: Option<Authorization>) -> Self {
        Self {
            item_key: draft.key.clone(),
            outcome: draft.outcome.as_str().to_owned(),
            state,
            because: None,
            body: None,
            comment_id: None,
            url: None,
            authorization,
        }
    }

    /// With the exact text.
    pub fn with_body(mut self, draft: &Draft, id: &Nonce) -> Self {
        self.body = Some(draft.body(id));
        self
    }

    /// With the reason.
    pub fn because(mut self, why: String) -> Self {
        self.because = Some(why);
        self
    }

    /// With the comment that stands on the pull request.
    pub fn standing(mut self, comment: &IssueComment) -> Self {
        self.comment_id = comment.id.get();
        self.url = comment.html_url.known().cloned();
        self
    }
}

/// One item.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemRow {
    /// Its key.
    pub item_key: String,
    /// What is recorded.
    pub state: ItemState,
    /// Whether it stands on the current head; null for a handled key that the pull request does not show any more.
    pub on_head: Option<bool>,
    /// The outcome, planned or final; null when none is recorded.
    pub outcome: Option<Outcome>,
    /// Its family.
    pub family: Option<String>,
    /// `P0` … `P3` or `P?`.
    pub priority: Option<String>,
    /// The file.
    pub path: Option<String>,
    /// The line.
    pub line: Option<u64>,
    /// Its page.
    pub url: Option<String>,
    /// The review it belongs to.
    pub review_id: Option<u64>,
    /// The final disposition; null while there is none.
    pub disposition: Option<Disposition>,
}

/// Fills the document. `file` is where the shell found or wrote the record.
pub fn document(
    sensor: &Sensor<'_, '_>,
    record: &HandledRecord,
    file: Option<String>,
    changed: Option<&str>,
) -> HandledDocument {
    let evidence = sensor.run.reading.evidence;
    let open: Vec<&Placed> = sensor
        .items
        .iter()
        .filter(|placed| placed.on_head && placed.standing != Standing::Handled)
        .collect();
    let (rounds, _) = history::rounds(sensor, record);
    let mut items: Vec<ItemRow> = sensor.items.iter().map(|placed| row(placed, record)).collect();
    let known: BTreeSet<String> = items.iter().map(|row| row.item_key.clone()).collect();
    let gone = evidence
        .local
        .handled
        .items
        .keys()
        .filter(|key| !known.contains(*key));
    items.extend(gone.map(|key| gone_row(key, record)));
    HandledDocument {
        header: Header::new("handled", evidence),
        file,
        changed: changed.map(str::to_owned),
        items,
        families: history::families(&open, record),
        rounds,
        checkpoints: record.checkpoints.clone(),
        directions: record.directions.clone(),
        reply: None,
    }
}

fn row(placed: &Placed, record: &HandledRecord) -> ItemRow {
    let item = &placed.item;
    let planned = record.planned_for(&item.item_key, &item.digest());
    let disposition = record.dispositions.get(&item.item_key);
    let state = match (placed.standing, planned) {
        (Standing::Handled, _) => ItemState::Handled,
        (Standing::Open | Standing::Reopened, Some(_)) => ItemState::Planned,
        (Standing::Reopened, None) => ItemState::Reopened,
        (Standing::Open, None) => ItemState::Open,
    };
    let (outcome, family) = match (state, planned, disposition) {
        (ItemState::Planned, Some(planned), _) => (Some(planned.outcome), planned.family.clone()),
        (ItemState::Handled | ItemState::Reopened, _, Some(known)) => {
            (Some(known.outcome), known.family.clone())
        }
        (ItemState::Planned | ItemState::Handled | ItemState::Reopened | ItemState::Open, _, _) => {
            (None, None)
        }
    };
    ItemRow {
        item_key: item.item_key.clone(),
        state,
        on_head: Some(placed.on_head),
        outcome,
        family,
        priority: Some(item.priority.clone()),
        path: item.path.clone(),
        line: item.line,
        url: item.url.clone(),
        review_id: item.review_id,
        disposition: disposition.filter(|_| state != ItemState::Open).cloned(),
    }
}

/// A handled key that the pull request does not show any more.
fn gone_row(key: &str, record: &HandledRecord) -> ItemRow {
    let disposition = record.dispositions.get(key);
    ItemRow {
        item_key: key.to_owned(),
        state: ItemState::Handled,
        on_head: None,
        outcome: disposition.map(|known| known.outcome),
        family: disposition.and_then(|known| known.family.clone()),
        priority: None,
        path: None,
        line: None,
        url: None,
        review_id: disposition.and_then(|known| known.review_id),
        disposition: disposition.cloned(),
    }
}

/// One row an item: state, outcome, family, priority, key, place.
pub fn text(document: &HandledDocument, look: &Look) -> String {
    let mut text = String::new();
    if look.terminal {
        for line in summary(document, look) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    let mut rows: Vec<Vec<Cell>> = document.items.iter().map(cells).collect();
    if look.terminal && !rows.is_empty() {
        let headings = ["STATE", "OUTCOME", "FAMILY", "PRIO", "KEY", "PLACE"];
        rows.insert(
            0,
            headings.iter().map(|name| Cell::new(Tone::Quiet, name)).collect(),
        );
    }
    text.push_str(&look.rows(&rows));
    if let Some(reply) = &document.reply {
        let tone = match reply.state {
            ReplyOutcome::Posted | ReplyOutcome::AlreadyPosted => Tone::Good,
            ReplyOutcome::DryRun => Tone::Waiting,
            ReplyOutcome::Unknown => Tone::Doubtful,
        };
        let shown = reply
            .because
            .as_ref()
            .or(reply.url.as_ref())
            .map_or("", String::as_str);
        let line = super::sanitise::one_line(&format!("reply {}: {shown}", reply.state.as_str()), 400);
        text.push_str(&format!(
            "{}\n",
            look.mark(tone, line.trim_end_matches([' ', ':']))
        ));
        if let Some(body) = reply
            .body
            .as_ref()
            .filter(|_| reply.state == ReplyOutcome::DryRun)
        {
            text.push_str(&format!("{}\n", super::sanitise::block(body, 200, 300)));
        }
    }
    text
}

/// How many items have no final disposition, where the record lies, and what to do next.
fn summary(document: &HandledDocument, look: &Look) -> Vec<String> {
    let handled = document
        .items
        .iter()
        .filter(|row| row.state == ItemState::Handled)
        .count();
    let open = document.items.len().saturating_sub(handled);
    let (tone, word) = match (open, handled) {
        (0, 0) => (Tone::Good, "no items".to_owned()),
        (0, count) => (Tone::Good, format!("all {count} items handled")),
        (open, count) => (Tone::Bad, format!("{open} open, {count} handled")),
    };
    let mut lines = headline(look, tone, &word, &document.header, None);
    if let Some(file) = &document.file {
        lines.extend(look.labelled("file", file, 3));
    }
    let number = document.header.pull_request;
    if open > 0 {
        lines.extend(look.labelled("next", "Verify each item, then record what becomes of it:", 2));
        let command = format!("gh codex-loop handled {number} plan KEY --outcome fixed --family LABEL");
        lines.extend(look.command(&command, LABEL_INDENT));
    }
    lines.push(String::new());
    lines
}

fn cells(row: &ItemRow) -> Vec<Cell> {
    let tone = match row.state {
        ItemState::Open | ItemState::Reopened => Tone::Bad,
        ItemState::Planned => Tone::Waiting,
        ItemState::Handled => Tone::Good,
    };
    let or_dash = |text: Option<&str>| text.unwrap_or("-").to_owned();
    let place = match (&row.path, row.line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.clone(),
        (None, _) => "-".to_owned(),
    };
    vec![
        Cell::new(tone, row.state.as_str()),
        Cell::new(Tone::Plain, &or_dash(row.outcome.map(Outcome::as_str))),
        Cell::new(Tone::Plain, &or_dash(row.family.as_deref())),
        Cell::new(Tone::Plain, &or_dash(row.priority.as_deref())),
        Cell::new(Tone::Strong, &row.item_key).to(row.url.as_deref()),
        Cell::new(Tone::Quiet, &place),
    ]
}
