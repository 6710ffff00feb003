//! `codex-loop.findings/1`: the connector's findings as rows.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::answer::headline;
use super::command;
use super::look::{Cell, LABEL_INDENT, Look, Tone, shorten, shorten_start, width};
use super::sanitise;
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

/// The text for people: on a terminal how many, then each with its place and thread; in a pipe one row each:
/// priority, state, key, thread, place, title, page.
pub fn text(document: &Findings, look: &Look) -> String {
    if !look.terminal {
        let rows: Vec<Vec<Cell>> = document.findings.iter().map(cells).collect();
        let mut text = look.rows(&rows);
        if !document.incomplete.is_empty() {
            text.push_str(&gap(&document.incomplete));
            text.push('\n');
        }
        return text;
    }
    let (tone, word) = counted(document);
    let mut lines = headline(look, tone, &word, &document.header, None);
    if !document.incomplete.is_empty() {
        let folded = look.folded(&gap(&document.incomplete), 2, 3);
        lines.extend(folded.iter().map(|line| look.paint(Tone::Doubtful, line)));
    }
    let number = document.header.pull_request;
    let open = document
        .findings
        .iter()
        .filter(|row| row.state == FindingState::Open);
    if open.clone().count() > 0 {
        let sentence =
            "Verify each and fix it or answer it; then, when the fix is pushed, resolve exactly its thread.";
        lines.extend(look.labelled("next", sentence, 3));
        // An id that would not be shown as it is, or would be read as an option, names no thread of GitHub.
        let thread = open
            .filter_map(|row| row.thread_id.as_deref())
            .find(|thread| !thread.starts_with('-') && sanitise::one_line(thread, 200) == *thread)
            .unwrap_or("THREAD");
        let command = command::own(["resolve", &number.to_string(), thread, "--fixed-in", "SHA"]);
        lines.extend(look.command(&command, LABEL_INDENT));
    }
    for row in &document.findings {
        lines.push(String::new());
        lines.extend(item(row, look));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn gap(incomplete: &[String]) -> String {
    format!(
        "not read to the end: {}; there may be more findings",
        incomplete.join(", ")
    )
}

fn counted(document: &Findings) -> (Tone, String) {
    let open = document
        .findings
        .iter()
        .filter(|row| row.state == FindingState::Open)
        .count();
    let others = document.findings.len().saturating_sub(open);
    let word = match (open, others) {
        (0, 0) => "no open findings".to_owned(),
        (1, 0) => "1 open finding".to_owned(),
        (count, 0) => format!("{count} open findings"),
        (count, others) => format!("{count} open findings, {others} not open"),
    };
    let tone = match open {
        0 if document.incomplete.is_empty() => Tone::Good,
        0 => Tone::Doubtful,
        _ => Tone::Bad,
    };
    (tone, word)
}

/// Priority and title; below it the place, then what names it to `resolve`, each with its page.
fn item(row: &FindingRow, look: &Look) -> Vec<String> {
    let tone = match row.state {
        FindingState::Open => Tone::Bad,
        FindingState::Addressed => Tone::Good,
        FindingState::Outdated => Tone::Quiet,
    };
    let state = match row.state {
        FindingState::Open => String::new(),
        FindingState::Addressed | FindingState::Outdated => format!(" ({})", row.state.as_str()),
    };
    let indent = width(&row.priority).saturating_add(2).max(4);
    let mut lines = look.folded(&format!("{}{state}", row.title), indent, 3);
    if let Some(first) = lines.first_mut() {
        let gap = indent.saturating_sub(width(&row.priority));
        let title = look.link(row.url.as_deref(), &look.paint(Tone::Strong, first.trim_start()));
        *first = format!("{}{:gap$}{title}", look.paint(tone, &row.priority), "");
    }
    let margin = " ".repeat(indent);
    let room = look.columns().saturating_sub(indent);
    if let Some(place) = place(row) {
        lines.push(format!(
            "{margin}{}",
            shorten_start(&sanitise::one_line(&place, 300), room)
        ));
    }
    let name = row.thread_id.as_deref().unwrap_or(&row.key);
    let name = shorten(&sanitise::one_line(name, 200), room);
    lines.push(format!("{margin}{}", look.paint(Tone::Quiet, &name)));
    // Where no page stands behind the title it stands below it, never cut: it is opened and copied.
    if let Some(url) = row.url.as_deref().filter(|_| !look.links) {
        lines.push(format!("{margin}{}", sanitise::one_line(url, 400)));
    }
    lines
}

fn place(row: &FindingRow) -> Option<String> {
    match (&row.path, row.line) {
        (Some(path), Some(line)) => Some(format!("{path}:{line}")),
        (Some(path), None) => Some(path.clone()),
        (None, _) => None,
    }
}

fn cells(row: &FindingRow) -> Vec<Cell> {
    let place = place(row);
    [
        row.priority.as_str(),
        row.state.as_str(),
        &row.key,
        row.thread_id.as_deref().unwrap_or("-"),
        place.as_deref().unwrap_or("-"),
        &row.title,
        row.url.as_deref().unwrap_or("-"),
    ]
    .map(|text| Cell::new(Tone::Plain, text))
    .to_vec()
}
