//! `codex-loop.status/1`: everything about a pull request at a glance.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::classification::{self, Classification, Next, next_for};
use super::findings::{FindingRow, is_listed};
use super::gate::{self, CheckRow, GateDocument, check_rows};
use super::look::{Look, Tone, shorten};
use super::sanitise::one_line;
use crate::checks::{Bucket, TestsState};
use crate::finding::{Finding, FindingState};
use crate::gate::{Gate, GateOptions, GateWord};
use crate::reason::Reason;
use crate::run::{Run, StateWord};
use crate::verdict::{Verdict, VerdictBy};

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// The pull request's title.
    pub title: String,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// The headline.
    pub verdict: VerdictRow,
    /// The review run.
    pub run: Classification,
    /// The merge gate.
    pub gate: GateDocument,
    /// The checks of the head.
    pub checks: ChecksRow,
    /// The connector's open findings, the most severe first.
    pub findings: Vec<FindingRow>,
    /// The one thing to do next.
    pub next: Next,
}

/// The headline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerdictRow {
    /// One of the six words.
    pub state: StateWord,
    /// What it rests on.
    pub by: Vec<VerdictBy>,
    /// Why; never empty, the decisive one first.
    pub reasons: Vec<Reason>,
}

impl VerdictRow {
    /// The row of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        Self {
            state: verdict.state,
            by: verdict.by.clone(),
            reasons: verdict.reasons.clone(),
        }
    }
}

/// The checks of the head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChecksRow {
    /// All together.
    pub state: TestsState,
    /// How many passed.
    pub passed: usize,
    /// How many are pending.
    pub pending: usize,
    /// How many failed.
    pub failed: usize,
    /// One row each.
    pub items: Vec<CheckRow>,
}

/// Fills the document.
pub fn document(run: &Run<'_>, gate: &Gate, verdict: &Verdict) -> Status {
    let mut findings: Vec<&Finding> = run.findings.iter().filter(|one| is_listed(one)).collect();
    findings.sort_by(|a, b| (a.priority, a.at, &a.key).cmp(&(b.priority, b.at, &b.key)));
    Status {
        header: Header::new("status", run.reading.evidence),
        title: run.reading.pull.title.clone(),
        is_draft: run.reading.pull.is_draft,
        verdict: VerdictRow::of(verdict),
        run: classification::document(run),
        gate: gate::document(run, gate, &GateOptions::default()),
        checks: ChecksRow {
            state: gate.checks.state,
            passed: gate.checks.count(Bucket::Pass),
            pending: gate.checks.count(Bucket::Pending),
            failed: gate.checks.count(Bucket::Fail),
            items: check_rows(&gate.checks),
        },
        findings: findings.into_iter().map(FindingRow::of).collect(),
        next: next_for(
            verdict.next,
            run.reading.evidence.pull_request,
            verdict.reasons.first(),
        ),
    }
}

/// How many findings and checks a screen shows.
const ROWS: usize = 6;

/// How many lines of a terminal one sentence may fill.
const REASON_LINES: usize = 3;

/// One screen: headline, then run, gate, checks and findings, and what to do next.
pub fn text(document: &Status, look: &Look) -> String {
    let mut lines = Vec::new();
    let place = format!("{}#{}", document.header.repository, document.header.pull_request);
    let head = document.header.head_ref_oid.as_deref().unwrap_or("unknown");
    let draft = if document.is_draft { " (draft)" } else { "" };
    let title = one_line(&document.title, 200);
    let room = look.columns().saturating_sub(place.len() + 1 + draft.len());
    lines.push(format!(
        "{} {}{draft}",
        look.paint(Tone::Quiet, &place),
        look.paint(Tone::Strong, &fit(look, &title, room))
    ));
    let by: Vec<&str> = document.verdict.by.iter().map(|by| by.as_str()).collect();
    lines.push(format!(
        "{} {}",
        look.mark(
            classification::tone(document.verdict.state),
            document.verdict.state.as_str()
        ),
        look.paint(Tone::Quiet, &format!("by {}", by.join(", ")))
    ));
    for reason in &document.verdict.reasons {
        let message = format!("{}: {}", reason.code.as_str(), reason.message);
        lines.extend(look.folded(&message, 2, REASON_LINES));
    }
    lines.push(String::new());
    lines.push(row(look, "head", Tone::Plain, head, ""));
    let run = &document.run;
    let run_reason = run.reasons.first().map_or("", |reason| reason.code.as_str());
    lines.push(row(
        look,
        "run",
        classification::tone(run.state),
        run.state.as_str(),
        run_reason,
    ));
    lines.push(row(
        look,
        "gate",
        gate::tone(document.gate.gate),
        document.gate.gate.as_str(),
        &gate_detail(&document.gate),
    ));
    lines.push(row(
        look,
        "checks",
        gate::tests_tone(document.checks.state),
        document.checks.state.as_str(),
        &checks_detail(&document.checks),
    ));
    let bad = document
        .checks
        .items
        .iter()
        .filter(|check| matches!(check.bucket, Bucket::Fail | Bucket::Pending));
    for check in bad.take(ROWS) {
        let tone = match check.bucket {
            Bucket::Fail => Tone::Bad,
            Bucket::Pending => Tone::Waiting,
            Bucket::Pass | Bucket::Ignored => Tone::Quiet,
        };
        let detail = format!("{}  {}", check.conclusion, one_line(&check.name, 120));
        lines.push(item(look, tone, &detail));
    }
    findings_lines(document, look, &mut lines);
    lines.push(String::new());
    for warning in &document.gate.warnings {
        let message = format!("{}: {}", warning.code.as_str(), warning.message);
        let room = look.columns().saturating_sub(10);
        lines.push(look.mark(
            Tone::Doubtful,
            &format!("warning {}", fit(look, &one_line(&message, 300), room)),
        ));
    }
    for needed in &document.gate.judgement_needed {
        lines.push(format!(
            "  judge {}=no-findings@{} (or findings@…)",
            needed.evidence, needed.body_sha256
        ));
    }
    let next = format!("{}: {}", document.next.action.as_str(), document.next.message);
    let mut next = look.folded(&next, 5, REASON_LINES);
    if let Some(first) = next.first_mut() {
        *first = format!("{} {}", look.paint(Tone::Strong, "next"), first.trim_start());
    }
    lines.extend(next);
    let command = match (&document.next.command, &document.gate.merge_command) {
        (None, Some(merge)) => Some(merge),
        (command, _) => command.as_ref(),
    };
    if let Some(command) = command {
        lines.push(format!("     {command}"));
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn findings_lines(document: &Status, look: &Look, lines: &mut Vec<String>) {
    let open = document.findings.len();
    let unread = ["issueComments", "reviews", "reviewComments", "threads"]
        .into_iter()
        .any(|name| {
            document
                .run
                .surfaces
                .get(name)
                .is_none_or(|one| one.status != "complete")
        });
    let (tone, word) = match open {
        0 if unread => (Tone::Doubtful, "unknown".to_owned()),
        0 => (Tone::Good, "none open".to_owned()),
        1 => (Tone::Bad, "1 open".to_owned()),
        count => (Tone::Bad, format!("{count} open")),
    };
    lines.push(row(look, "findings", tone, &word, ""));
    for finding in document.findings.iter().take(ROWS) {
        let place = match (&finding.path, finding.line) {
            (Some(path), Some(line)) => format!("{path}:{line}"),
            (Some(path), None) => path.clone(),
            (None, _) => finding.key.clone(),
        };
        let tone = match finding.state {
            FindingState::Open => Tone::Bad,
            FindingState::Addressed | FindingState::Outdated => Tone::Quiet,
        };
        let detail = format!(
            "{}  {}  {}",
            finding.priority,
            one_line(&finding.title, 160),
            one_line(&place, 120)
        );
        lines.push(item(look, tone, &detail));
    }
    if open > ROWS {
        lines.push(item(
            look,
            Tone::Quiet,
            &format!(
                "and {} more: gh codex-loop findings {}",
                open - ROWS,
                document.header.pull_request
            ),
        ));
    }
}

fn gate_detail(gate: &GateDocument) -> String {
    match gate.gate {
        GateWord::Approved => gate.approval.as_ref().map_or_else(String::new, |approval| {
            format!(
                "+1 on the {} at {}",
                approval.surface.as_str(),
                approval.created_at
            )
        }),
        GateWord::Waiting => gate
            .waiting_reason
            .map_or("", |reason| reason.as_str())
            .to_owned(),
        GateWord::Blocking => {
            let mut codes: Vec<&str> = gate
                .blockers
                .iter()
                .map(|blocker| blocker.code.as_str())
                .collect();
            codes.dedup();
            codes.join(", ")
        }
        GateWord::Overridden => gate.override_reason.clone().unwrap_or_default(),
    }
}

fn checks_detail(checks: &ChecksRow) -> String {
    let parts: Vec<String> = [
        (checks.passed, "passed"),
        (checks.failed, "failed"),
        (checks.pending, "pending"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    parts.join(", ")
}

/// Where the word of a row begins on a terminal, and how wide the longest usual one is.
const WORD_COLUMN: usize = 12;
const WORD_WIDTH: usize = 13;

/// A named row: on a terminal aligned with a symbol, in a pipe separated by tabs.
fn row(look: &Look, name: &str, tone: Tone, word: &str, detail: &str) -> String {
    let detail = one_line(detail, 300);
    if !look.terminal {
        let tail = if detail.is_empty() {
            String::new()
        } else {
            format!("\t{detail}")
        };
        return format!("{name}\t{}{tail}", one_line(word, 80));
    }
    let symbol = match tone {
        Tone::Plain => " ".to_owned(),
        Tone::Good | Tone::Bad | Tone::Waiting | Tone::Doubtful | Tone::Quiet | Tone::Strong => {
            look.paint(tone, tone.symbol())
        }
    };
    let used = WORD_COLUMN
        .saturating_add(word.len().max(WORD_WIDTH))
        .saturating_add(2);
    let (gap, detail) = if detail.is_empty() {
        (0, String::new())
    } else {
        let room = look.columns().saturating_sub(used);
        let gap = WORD_WIDTH.saturating_sub(word.len()).saturating_add(2);
        (gap, look.paint(Tone::Quiet, &shorten(&detail, room)))
    };
    format!(
        "{} {symbol} {}{:gap$}{detail}",
        look.paint(Tone::Quiet, &format!("{name:<9}")),
        look.paint(tone, word),
        ""
    )
}

/// A line that belongs to the row above it.
fn item(look: &Look, tone: Tone, text: &str) -> String {
    if look.terminal {
        let room = look.columns().saturating_sub(WORD_COLUMN);
        format!("{:WORD_COLUMN$}{}", "", look.paint(tone, &shorten(text, room)))
    } else {
        format!("\t{}", text.replace("  ", "\t"))
    }
}

/// Shortened to the room on a terminal; whole in a pipe.
fn fit(look: &Look, text: &str, room: usize) -> String {
    if look.terminal {
        shorten(text, room)
    } else {
        text.to_owned()
    }
}
