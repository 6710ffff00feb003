//! `codex-loop.findings/1`: the connector's findings as rows.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::look::{Cell, Look, Tone};
use crate::bot::findings::Priority;
use crate::evidence::observed::rfc3339;
use crate::finding::{Finding, FindingState};
use crate::reading::NamedCommit;
use crate::run::Run;

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Findings {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// The findings, the most severe first.
    pub findings: Vec<FindingRow>,
    /// Surfaces that were not read to their end: there may be more findings.
    pub incomplete: Vec<String>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingRow {
    /// `review-comment:ID`, `review-body:ID` or `issue-comment:ID`.
    pub key: String,
    /// The thread to resolve, `PRRT_…`; null without a thread.
    pub thread_id: Option<String>,
    /// `P0`, `P1`, `P2`, `P3` or `unknown`.
    pub priority: String,
    /// `code` or `security`.
    pub lane: String,
    /// One line.
    pub title: String,
    /// The text below the title.
    pub body: String,
    /// The file.
    pub path: Option<String>,
    /// The line.
    pub line: Option<u64>,
    /// Its page.
    pub url: Option<String>,
    /// When it was written.
    pub created_at: Option<String>,
    /// The commit it was written for, as far as it says.
    pub commit: Option<String>,
    /// `open`, `addressed` or `outdated`.
    pub state: FindingState,
    /// The key of an earlier finding with the same anchor and title.
    pub duplicate_of: Option<String>,
}

impl FindingRow {
    /// The row of a finding; `head` stands for a finding bound to the head.
    pub fn of(finding: &Finding) -> Self {
        Self {
            key: finding.key.clone(),
            thread_id: finding.thread_id.clone(),
            priority: finding.priority.as_str().to_owned(),
            lane: finding.lane.as_str().to_owned(),
            title: finding.title.clone(),
            body: finding.body.clone(),
            path: finding.path.clone(),
            line: finding.line,
            url: finding.url.clone(),
            created_at: finding.at.map(rfc3339),
            commit: finding.commit_text.clone(),
            state: finding.state,
            duplicate_of: finding.duplicate_of.clone(),
        }
    }
}

/// Which findings to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Addressed and outdated ones, and those of other heads, too.
    pub all: bool,
    /// Only these priorities; empty means every one.
    pub priorities: Vec<Priority>,
}

/// Fills the document.
pub fn document(run: &Run<'_>, selection: &Selection) -> Findings {
    let mut chosen: Vec<&Finding> = run
        .findings
        .iter()
        .filter(|finding| selection.all || is_listed(finding))
        .filter(|finding| selection.priorities.is_empty() || selection.priorities.contains(&finding.priority))
        .collect();
    chosen.sort_by(|a, b| (a.priority, a.at, &a.key).cmp(&(b.priority, b.at, &b.key)));
    let surfaces = &run.reading.evidence.surfaces;
    let incomplete = [
        ("issueComments", surfaces.issue_comments.is_complete()),
        ("reviews", surfaces.reviews.is_complete()),
        ("reviewComments", surfaces.review_comments.is_complete()),
        ("threads", surfaces.threads.is_complete()),
    ];
    Findings {
        header: Header::new("findings", run.reading.evidence),
        findings: chosen.into_iter().map(FindingRow::of).collect(),
        incomplete: incomplete
            .into_iter()
            .filter(|(_, complete)| !complete)
            .map(|(name, _)| name.to_owned())
            .collect(),
    }
}

/// Without `--all`: what is open, for this head or as a thread of any head.
pub fn is_listed(finding: &Finding) -> bool {
    let of_head = match finding.commit {
        NamedCommit::Other(_) => finding.thread_id.is_some(),
        NamedCommit::Head | NamedCommit::None | NamedCommit::Ambiguous(_) | NamedCommit::Unresolved(_) => {
            true
        }
    };
    finding.state == FindingState::Open && of_head
}

/// One row per finding: priority, title, place, state, key, thread and page.
pub fn text(document: &Findings, look: &Look) -> String {
    let mut text = String::new();
    if document.findings.is_empty() && look.terminal {
        text.push_str(&look.mark(Tone::Quiet, "no open findings of the connector"));
        text.push('\n');
    }
    let rows: Vec<Vec<Cell>> = document.findings.iter().map(|row| cells(row, look)).collect();
    text.push_str(&look.rows(&rows));
    if !document.incomplete.is_empty() {
        let names = document.incomplete.join(", ");
        let message = format!("not read to the end: {names}; there may be more findings");
        text.push_str(&look.mark(Tone::Doubtful, &message));
        text.push('\n');
    }
    text
}

fn cells(row: &FindingRow, look: &Look) -> Vec<Cell> {
    let place = match (&row.path, row.line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.clone(),
        (None, _) => "-".to_owned(),
    };
    let tone = match row.state {
        FindingState::Open => Tone::Bad,
        FindingState::Addressed => Tone::Good,
        FindingState::Outdated => Tone::Quiet,
    };
    let mut cells = vec![
        Cell::new(tone, &row.priority),
        Cell::new(tone, row.state.as_str()),
        Cell::new(Tone::Plain, &row.key),
    ];
    if look.terminal {
        cells.push(Cell::new(Tone::Quiet, &place));
        cells.push(Cell::new(Tone::Strong, &row.title));
    } else {
        cells.push(Cell::new(Tone::Plain, row.thread_id.as_deref().unwrap_or("-")));
        cells.push(Cell::new(Tone::Plain, &place));
        cells.push(Cell::new(Tone::Plain, &row.title));
        cells.push(Cell::new(Tone::Plain, row.url.as_deref().unwrap_or("-")));
    }
    cells
}
