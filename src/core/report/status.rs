//! `codex-loop.status/1`: everything about a pull request at a glance.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::answer::{self, Answer};
use super::classification::{self, Classification, Next, next_of_headline};
use super::findings::{FindingRow, is_listed};
use super::gate::{self, CheckRow, GateDocument, check_rows};
use super::look::{Look, Tone, moment, shorten, shorten_start, width};
use super::sanitise::one_line;
use crate::checks::{Bucket, TestsState};
use crate::finding::Finding;
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
        next: next_of_headline(run, verdict),
    }
}

/// The text for people: one screen on a terminal, rows of tab-separated cells in a pipe.
pub fn text(document: &Status, look: &Look) -> String {
    let lines = if look.terminal {
        screen(document, look)
    } else {
        plain(document, look)
    };
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// How many lines a screen has, without the one for the prompt.
const SCREEN: usize = 23;

/// How many findings and checks a screen shows.
const ROWS: usize = 6;

/// The answer, why and what next; then head, run, gate, checks and findings.
fn screen(document: &Status, look: &Look) -> Vec<String> {
    let answer = Answer {
        verb: "status",
        tone: classification::tone(document.verdict.state),
        word: document.verdict.state.as_str(),
        header: &document.header,
        title: Some(&document.title),
        reasons: &document.verdict.reasons,
        shows_evidence: false,
        next: &document.next,
        otherwise: document.gate.merge_command.as_deref(),
        judgements: &document.gate.judgement_needed,
    };
    let mut lines = answer.lines(look);
    lines.push(String::new());
    lines.push(head_row(document, look));
    lines.push(run_row(document, look));
    lines.push(row(
        look,
        "gate",
        gate::tone(document.gate.gate),
        document.gate.gate.as_str(),
        &gate_detail(&document.gate),
    ));
    let checks = row(
        look,
        "checks",
        gate::tests_tone(document.checks.state),
        document.checks.state.as_str(),
        &checks_detail(&document.checks),
    );
    let (tone, word) = findings_word(document);
    let findings = row(look, "findings", tone, &word, "");
    let warnings: Vec<String> = document
        .gate
        .warnings
        .iter()
        .flat_map(|warning| answer::warning(look, warning))
        .collect();
    let number = document.header.pull_request;
    let check_items = check_items(document, look);
    let finding_items = finding_items(document, look);
    // What is above is always said; the lists share what is left of the screen.
    let fixed = lines.len().saturating_add(2).saturating_add(warnings.len());
    let room = SCREEN.saturating_sub(fixed);
    let wanted = |items: &[String]| items.len().min(ROWS + 1);
    let half = (room / 2).max(room.saturating_sub(wanted(&finding_items)));
    let for_checks = wanted(&check_items).min(half);
    let for_findings = room.saturating_sub(for_checks);
    lines.push(checks);
    lines.extend(listed(
        look,
        check_items,
        for_checks,
        &format!("gh pr checks {number}"),
    ));
    lines.push(findings);
    lines.extend(listed(
        look,
        finding_items,
        for_findings,
        &format!("gh codex-loop findings {number}"),
    ));
    lines.extend(warnings);
    lines
}

/// As many items as there is room for, and how many more there are.
fn listed(look: &Look, mut items: Vec<String>, room: usize, command: &str) -> Vec<String> {
    let all = items.len();
    if all > room.min(ROWS) {
        items.truncate(room.saturating_sub(1).min(ROWS));
        let more = format!("and {} more", all.saturating_sub(items.len()));
        let whole = format!("{more}: {}", look.placed(command));
        let fits = WORD_COLUMN.saturating_add(width(&whole)) <= look.columns();
        if room > 0 {
            items.push(format!("{:WORD_COLUMN$}{}", "", if fits { whole } else { more }));
        }
    }
    items
}

fn head_row(document: &Status, look: &Look) -> String {
    let header = &document.header;
    let head = header.head_ref_oid.as_deref().unwrap_or("unknown");
    let read = header.observed_at.get(..16).unwrap_or_default().replace('T', " ");
    let draft = if document.is_draft { "draft, " } else { "" };
    let page = format!("{}/commits/{head}", header.url);
    let room = look.columns().saturating_sub(WORD_COLUMN);
    // Enough of it to tell commits apart is better than a cut line.
    let shown = if head.len() > room {
        head.get(..10).unwrap_or(head)
    } else {
        head
    };
    let room = room.saturating_sub(width(shown)).saturating_sub(2);
    let detail = shorten(&format!("{draft}read {read} UTC"), room);
    let detail = if room < DETAIL_COLUMNS {
        String::new()
    } else {
        format!("  {}", look.paint(Tone::Quiet, &detail))
    };
    let page = header.head_ref_oid.as_ref().map(|_| page.as_str());
    format!(
        "{}   {}{detail}",
        look.paint(Tone::Quiet, &format!("{:<9}", "head")),
        look.link(page, shown)
    )
}

fn run_row(document: &Status, look: &Look) -> String {
    let run = &document.run;
    let reason = run.reasons.first().map_or("", |reason| reason.code.as_str());
    let asked = run.trigger.as_ref().map(|trigger| {
        let at = moment(&trigger.created_at, &document.header.observed_at);
        format!(", asked {at}")
    });
    row(
        look,
        "run",
        classification::tone(run.state),
        run.state.as_str(),
        &format!("{reason}{}", asked.unwrap_or_default()),
    )
}

fn gate_detail(gate: &GateDocument) -> String {
    match &gate.approval {
        Some(approval) => {
            let at = moment(&approval.created_at, &gate.header.observed_at);
            format!("+1 on the {} {at}", approval.surface.as_str())
        }
        None => gate_reason(gate),
    }
}

/// Failing and pending checks, each with its page.
fn check_items(document: &Status, look: &Look) -> Vec<String> {
    let room = look.columns().saturating_sub(WORD_COLUMN);
    let open = open_checks(&document.checks);
    open.map(|(tone, check)| {
        let name = one_line(&check.name, 120);
        let conclusion = one_line(&check.conclusion, 40);
        let name = shorten(&name, room.saturating_sub(width(&conclusion) + 2));
        let line = look.paint(tone, &format!("{conclusion}  {name}"));
        format!("{:WORD_COLUMN$}{}", "", look.link(check.url.as_deref(), &line))
    })
    .collect()
}

/// Open findings, each with its page: priority, place and title in columns.
fn finding_items(document: &Status, look: &Look) -> Vec<String> {
    let room = look.columns().saturating_sub(WORD_COLUMN);
    // A narrow terminal has no room for both; the page behind the title leads to the place.
    let place_room = if room < 48 { 0 } else { room * 2 / 5 };
    let places: Vec<String> = document
        .findings
        .iter()
        .map(|finding| shorten_start(&place(finding), place_room))
        .collect();
    let place_width = places.iter().map(|place| width(place)).max().unwrap_or(0);
    let rows = document.findings.iter().zip(places);
    rows.map(|(finding, place)| {
        let priority = look.paint(Tone::Bad, &finding.priority);
        let gap = " ".repeat(place_width.saturating_sub(width(&place)).saturating_add(2));
        let place = if place_width == 0 {
            String::new()
        } else {
            format!("{}{gap}", look.paint(Tone::Quiet, &place))
        };
        let used = width(&finding.priority).saturating_add(2);
        let used = used.saturating_add(if place_width == 0 { 0 } else { place_width + 2 });
        let title = shorten(&one_line(&finding.title, 160), room.saturating_sub(used));
        let title = look.link(finding.url.as_deref(), &title);
        format!("{:WORD_COLUMN$}{priority}  {place}{title}", "")
    })
    .collect()
}

/// In a pipe: one row each, its name first, its cells separated by tabs.
fn plain(document: &Status, look: &Look) -> Vec<String> {
    let mut lines = Vec::new();
    let mut push = |cells: &[&str]| {
        let cells: Vec<String> = cells.iter().map(|cell| one_line(cell, 600)).collect();
        lines.push(cells.join("\t").trim_end().to_owned());
    };
    let header = &document.header;
    let by: Vec<&str> = document.verdict.by.iter().map(|by| by.as_str()).collect();
    push(&["verdict", document.verdict.state.as_str(), &by.join(", ")]);
    for reason in &document.verdict.reasons {
        push(&["why", reason.code.as_str(), &reason.message]);
    }
    let next = &document.next;
    push(&["next", next.action.as_str(), &next.message]);
    if let Some(command) = next.command.as_ref().or(document.gate.merge_command.as_ref()) {
        push(&["command", &look.placed(command)]);
    }
    for needed in &document.gate.judgement_needed {
        for command in answer::judging("status", header.pull_request, needed) {
            push(&["judge", &look.placed(&command)]);
        }
    }
    let name = format!("{}#{}", header.repository, header.pull_request);
    let draft = if document.is_draft { "draft" } else { "" };
    push(&["pull-request", &name, &document.title, draft]);
    push(&[
        "head",
        header.head_ref_oid.as_deref().unwrap_or("unknown"),
        &header.observed_at,
    ]);
    let run = &document.run;
    let reason = run.reasons.first().map_or("", |reason| reason.code.as_str());
    push(&["run", run.state.as_str(), reason]);
    let gate = &document.gate;
    let detail = match &gate.approval {
        Some(approval) => format!(
            "+1 on the {} at {}",
            approval.surface.as_str(),
            approval.created_at
        ),
        None => gate_reason(gate),
    };
    push(&["gate", gate.gate.as_str(), &detail]);
    push(&[
        "checks",
        document.checks.state.as_str(),
        &checks_detail(&document.checks),
    ]);
    for (_, check) in open_checks(&document.checks) {
        push(&["check", &check.conclusion, &check.name]);
    }
    push(&["findings", &findings_word(document).1]);
    for finding in &document.findings {
        push(&[
            "finding",
            &finding.priority,
            &finding.title,
            &place(finding),
            &finding.key,
        ]);
    }
    for warning in &gate.warnings {
        push(&["warning", warning.code.as_str(), &warning.message]);
    }
    lines
}

/// The checks that do not pass, with their colour.
fn open_checks(checks: &ChecksRow) -> impl Iterator<Item = (Tone, &CheckRow)> {
    checks.items.iter().filter_map(|check| match check.bucket {
        Bucket::Fail => Some((Tone::Bad, check)),
        Bucket::Pending => Some((Tone::Waiting, check)),
        Bucket::Pass | Bucket::Ignored => None,
    })
}

fn place(finding: &FindingRow) -> String {
    let place = match (&finding.path, finding.line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.clone(),
        (None, _) => finding.key.clone(),
    };
    one_line(&place, 200)
}

/// How many findings are open; not known when a surface that may hold one was not read.
fn findings_word(document: &Status) -> (Tone, String) {
    let unread = ["issueComments", "reviews", "reviewComments", "threads"]
        .into_iter()
        .any(|name| {
            document
                .run
                .surfaces
                .get(name)
                .is_none_or(|one| one.status != "complete")
        });
    match document.findings.len() {
        0 if unread => (Tone::Doubtful, "unknown".to_owned()),
        0 => (Tone::Good, "none open".to_owned()),
        count => (Tone::Bad, format!("{count} open")),
    }
}

/// Why a gate that is not approved is not.
fn gate_reason(gate: &GateDocument) -> String {
    match gate.gate {
        GateWord::Approved => String::new(),
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

/// Less room than this says nothing.
const DETAIL_COLUMNS: usize = 8;

/// A named row: symbol, word, and as much of the detail as fits.
fn row(look: &Look, name: &str, tone: Tone, word: &str, detail: &str) -> String {
    let detail = one_line(detail, 300);
    let used = WORD_COLUMN
        .saturating_add(width(word).max(WORD_WIDTH))
        .saturating_add(2);
    let room = look.columns().saturating_sub(used);
    let tail = if detail.is_empty() || room < DETAIL_COLUMNS {
        String::new()
    } else {
        let gap = WORD_WIDTH.saturating_sub(width(word)).saturating_add(2);
        format!("{:gap$}{}", "", look.paint(Tone::Quiet, &shorten(&detail, room)))
    };
    format!(
        "{} {} {}{tail}",
        look.paint(Tone::Quiet, &format!("{name:<9}")),
        look.paint(tone, tone.symbol()),
        look.paint(tone, word),
    )
}
