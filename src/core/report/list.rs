//! `codex-loop.list/1`: one row per open pull request, in the order of what needs the user first.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::names;
use super::classification::{Next, next_for, next_of_headline, tone};
use super::findings::is_listed;
use super::gate::{tests_tone, tone as gate_tone};
use super::look::{Cell, Look, Tone, ago};
use crate::checks::TestsState;
use crate::evidence::name::Repository;
use crate::evidence::observed::{Timestamp, rfc3339};
use crate::evidence::pull::Pull;
use crate::gate::{Gate, GateState, GateWord, WaitingReason};
use crate::reason::{NextAction, Reason, ReasonCode};
use crate::run::{Run, StateWord};
use crate::verdict::{Verdict, VerdictBy};

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct List {
    /// `codex-loop.list/1`.
    pub schema: String,
    /// `OWNER/REPO`.
    pub repository: String,
    /// Always null: it is about all of them.
    pub pull_request: Option<u64>,
    /// The page of the open pull requests.
    pub url: String,
    /// Always null, as above.
    pub head_ref_oid: Option<String>,
    /// When it was read.
    pub observed_at: String,
    /// One row each, what needs the user first.
    pub pull_requests: Vec<ListRow>,
    /// How many open pull requests are not listed; null when GitHub did not say how many there are.
    pub not_listed: Option<u64>,
}

/// One open pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListRow {
    /// The number.
    pub number: u64,
    /// The title; null when it could not be read.
    pub title: Option<String>,
    /// Its page.
    pub url: Option<String>,
    /// Who opened it.
    pub author: Option<String>,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// Its head.
    pub head_ref_oid: Option<String>,
    /// The headline; null when it could not be read.
    pub verdict: Option<StateWord>,
    /// What the headline rests on.
    pub by: Vec<VerdictBy>,
    /// The first reason.
    pub reason: Option<ReasonCode>,
    /// Open findings; null when it could not be read.
    pub open_findings: Option<usize>,
    /// The gate's word.
    pub gate: Option<GateWord>,
    /// What a waiting gate waits for.
    pub waiting_reason: Option<WaitingReason>,
    /// Whether it may be merged now.
    pub merge_allowed: bool,
    /// The checks of the head.
    pub tests: Option<TestsState>,
    /// When it was opened.
    pub created_at: Option<String>,
    /// How old it is, in seconds.
    pub age_seconds: Option<i64>,
    /// What to do next; null when it could not be read.
    pub next: Option<Next>,
    /// Why it could not be read; null when it was.
    pub error: Option<String>,
}

/// The last urgency that asks something of the user.
const NEEDS_THE_USER: u8 = 3;

impl ListRow {
    /// The row of a pull request that was read and decided.
    pub fn decided(run: &Run<'_>, gate: &Gate, verdict: &Verdict, now: Timestamp) -> Self {
        let reading = &run.reading;
        Self {
            verdict: Some(verdict.state),
            by: verdict.by.clone(),
            reason: verdict.reasons.first().map(|reason| reason.code),
            open_findings: Some(run.findings.iter().filter(|one| is_listed(one)).count()),
            gate: Some(gate.word()),
            waiting_reason: match &gate.state {
                GateState::Waiting(waiting) => Some(waiting.reason),
                GateState::Approved(_) | GateState::Blocking | GateState::Overridden(_) => None,
            },
            merge_allowed: gate.merge_allowed,
            tests: Some(gate.checks.state),
            next: Some(next_of_headline(run, verdict)),
            ..Self::known(reading.pull, now)
        }
    }

    /// The row of a pull request on which the connector never was, as the list itself shows.
    pub fn untouched(pull: &Pull, tests: TestsState, now: Timestamp) -> Self {
        let reason = Reason::new(ReasonCode::NoTrigger, "Nobody asked for a review.", Vec::new());
        Self {
            verdict: Some(StateWord::Indeterminate),
            by: vec![VerdictBy::Run],
            reason: Some(reason.code),
            open_findings: Some(0),
            gate: Some(GateWord::Waiting),
            waiting_reason: Some(if tests == TestsState::None {
                WaitingReason::NoTimestampedChecks
            } else {
                WaitingReason::NoApproval
            }),
            tests: Some(tests),
            next: Some(next_for(reason.code.next(), pull.number, Some(&reason))),
            ..Self::known(pull, now)
        }
    }

    /// The row of a pull request that could not be read, and why.
    pub fn unread(number: u64, pull: Option<&Pull>, error: &str, now: Timestamp) -> Self {
        let known = pull.map(|pull| Self::known(pull, now));
        Self {
            error: Some(error.to_owned()),
            ..known.unwrap_or_else(|| Self::empty(number))
        }
    }

    fn known(pull: &Pull, now: Timestamp) -> Self {
        let created = pull.created_at.get();
        Self {
            title: Some(pull.title.clone()),
            url: Some(pull.url.clone()),
            author: pull
                .author
                .as_ref()
                .and_then(|author| author.login.known().cloned()),
            is_draft: pull.is_draft,
            head_ref_oid: Some(pull.head_ref_oid.to_string()),
            created_at: created.map(rfc3339),
            age_seconds: created.map(|at| (now - at).num_seconds()),
            ..Self::empty(pull.number)
        }
    }

    fn empty(number: u64) -> Self {
        Self {
            number,
            title: None,
            url: None,
            author: None,
            is_draft: false,
            head_ref_oid: None,
            verdict: None,
            by: Vec::new(),
            reason: None,
            open_findings: None,
            gate: None,
            waiting_reason: None,
            merge_allowed: false,
            tests: None,
            created_at: None,
            age_seconds: None,
            next: None,
            error: None,
        }
    }

    /// What needs the user first: findings, failures, questions, what could not be read, what may be merged, what
    /// nobody asked about, and last what only takes time.
    fn urgency(&self) -> u8 {
        let Some(verdict) = self.verdict else { return 3 };
        let action = self.next.as_ref().map(|next| next.action);
        match verdict {
            StateWord::Findings => 0,
            StateWord::Failed => 1,
            StateWord::Clean => 4,
            StateWord::Stale => 5,
            StateWord::InProgress => 7,
            StateWord::Indeterminate => match action {
                Some(
                    NextAction::AskUser
                    | NextAction::Judge
                    | NextAction::Reconcile
                    | NextAction::VerifyThreads
                    | NextAction::AddressFindings
                    | NextAction::Retry,
                ) => 2,
                Some(NextAction::Recollect) => 3,
                Some(NextAction::Poll) => 7,
                Some(NextAction::RequestReview | NextAction::None | NextAction::Stop) | None => {
                    if self.reason == Some(ReasonCode::NoTrigger) {
                        6
                    } else {
                        5
                    }
                }
            },
        }
    }
}

/// Fills the document; `total` is how many GitHub counts.
pub fn document(
    host: &str,
    repository: &Repository,
    mut rows: Vec<ListRow>,
    not_listed: Option<u64>,
    now: Timestamp,
) -> List {
    rows.sort_by_key(|row| (row.urgency(), std::cmp::Reverse(row.age_seconds), row.number));
    List {
        schema: "codex-loop.list/1".to_owned(),
        repository: repository.to_string(),
        pull_request: None,
        url: format!("https://{host}/{repository}/pulls"),
        head_ref_oid: None,
        observed_at: rfc3339(now),
        pull_requests: rows,
        not_listed,
    }
}

/// One row each: number, verdict, open findings, gate, tests, age, next action, title.
pub fn text(document: &List, look: &Look) -> String {
    if !look.terminal {
        let rows: Vec<Vec<Cell>> = document
            .pull_requests
            .iter()
            .map(|row| cells(row, look))
            .collect();
        return look.rows(&rows);
    }
    let mut lines = Vec::new();
    if document.pull_requests.is_empty() {
        let message = format!("no open pull requests in {}", document.repository);
        lines.push(look.mark(Tone::Quiet, &message));
    } else {
        let mut rows: Vec<Vec<Cell>> =
            vec![HEADINGS.iter().map(|name| Cell::new(Tone::Quiet, name)).collect()];
        rows.extend(document.pull_requests.iter().map(|row| cells(row, look)));
        narrow(&mut rows, look.columns());
        lines.push(look.rows(&rows).trim_end().to_owned());
    }
    if document.pull_requests.len() > SCREENFUL {
        lines.extend(summary(document, look));
    }
    if let Some(more) = document.not_listed.filter(|more| *more > 0) {
        let listed = u64::try_from(document.pull_requests.len()).unwrap_or(u64::MAX);
        let all = listed.saturating_add(more).min(MOST_LISTED);
        let message = format!("{more} more open pull requests are not listed; raise --limit to {all}");
        lines.extend(look.folded(&message, 0, 2));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What stands above the columns of a terminal.
const HEADINGS: [&str; 8] = ["PR", "VERDICT", "OPEN", "GATE", "CI", "AGE", "NEXT", "TITLE"];

/// The columns that a narrow terminal does without, the first one first; the rest follows from the verdict.
const DISPENSABLE: [&str; 4] = ["GATE", "AGE", "NEXT", "CI"];

/// The least that is left for titles before a column goes.
const TITLE_COLUMNS: usize = 14;

/// The largest `--limit`.
const MOST_LISTED: u64 = 100;

/// So many rows push the first ones, which need the user, off a terminal.
const SCREENFUL: usize = 20;

/// Takes columns out until titles have room.
fn narrow(rows: &mut [Vec<Cell>], columns: usize) {
    let mut names: Vec<&str> = HEADINGS.to_vec();
    for goes in DISPENSABLE {
        let widest = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(Cell::width).max().unwrap_or(0)
        };
        let used: usize = (0..names.len().saturating_sub(1))
            .map(|column| widest(column) + 2)
            .sum();
        if used + TITLE_COLUMNS <= columns {
            return;
        }
        if let Some(at) = names.iter().position(|name| *name == goes) {
            names.remove(at);
            for row in rows.iter_mut() {
                row.remove(at);
            }
        }
    }
}

/// The last line of a long list: what is at its top.
fn summary(document: &List, look: &Look) -> Vec<String> {
    let needing: Vec<String> = document
        .pull_requests
        .iter()
        .filter(|row| row.urgency() <= NEEDS_THE_USER)
        .map(|row| format!("#{}", row.number))
        .collect();
    let all = document.pull_requests.len();
    let message = match needing.len() {
        0 => format!("{all} listed; none of them needs you now."),
        1 => format!("{all} listed; the first one needs you: {}.", names(&needing)),
        count => format!("{all} listed; the first {count} need you: {}.", names(&needing)),
    };
    look.folded(&message, 0, 2)
}

fn cells(row: &ListRow, look: &Look) -> Vec<Cell> {
    let url = row.url.as_deref();
    let number = Cell::new(Tone::Strong, &format!("#{}", row.number)).to(url);
    let title = row.title.as_deref().unwrap_or("-");
    let age = row.age_seconds.map_or_else(|| "-".to_owned(), ago);
    // The heading says what a terminal's column is: the title needs the room.
    let age = if look.terminal {
        age.trim_end_matches(" ago").to_owned()
    } else {
        age
    };
    if let Some(error) = &row.error {
        let mut cells = vec![number, Cell::new(Tone::Doubtful, "unreadable")];
        cells.extend(["-", "-", "-"].map(|text| Cell::new(Tone::Quiet, text)));
        cells.push(Cell::new(Tone::Quiet, &age));
        cells.push(Cell::new(Tone::Quiet, "-"));
        cells.push(Cell::new(Tone::Doubtful, error));
        return cells;
    }
    let verdict = row.verdict.unwrap_or(StateWord::Indeterminate);
    let findings = row.open_findings.unwrap_or(0);
    let findings_tone = if findings > 0 { Tone::Bad } else { Tone::Quiet };
    let gate = row.gate.unwrap_or(GateWord::Waiting);
    let tests = row.tests.unwrap_or(TestsState::None);
    let next = row.next.as_ref().map_or("-", |next| next.action.as_str());
    let tests_word = if look.terminal {
        tests_tone(tests).symbol()
    } else {
        tests.as_str()
    };
    let draft = if row.is_draft && look.terminal {
        "draft: "
    } else {
        ""
    };
    vec![
        number,
        Cell::new(tone(verdict), verdict.as_str()),
        Cell::new(findings_tone, &findings.to_string()),
        Cell::new(gate_tone(gate), gate.as_str()),
        Cell::new(tests_tone(tests), tests_word),
        Cell::new(Tone::Quiet, &age),
        Cell::new(Tone::Plain, next),
        Cell::new(Tone::Plain, &format!("{draft}{title}")).to(url),
    ]
}

/// The headline that needs the user first; none when there is no row.
pub fn most_urgent(document: &List) -> Option<StateWord> {
    document.pull_requests.iter().find_map(|row| row.verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::sample::at;
    use crate::report::look::width;

    /// So many open pull requests, the first two of which have findings.
    fn listed(count: u64) -> List {
        let rows = (1..=count).map(|number| {
            let (verdict, action) = if number <= 2 {
                (StateWord::Findings, NextAction::AddressFindings)
            } else {
                (StateWord::Clean, NextAction::None)
            };
            ListRow {
                title: Some("缓存锁 👩‍💻 keep the cache lock while entries are evicted".to_owned()),
                url: Some(format!("https://github.com/o/r/pull/{number}")),
                verdict: Some(verdict),
                open_findings: Some(usize::from(number <= 2)),
                gate: Some(GateWord::Blocking),
                tests: Some(TestsState::Passing),
                age_seconds: Some(7_200),
                next: Some(next_for(action, number, None)),
                ..ListRow::empty(number)
            }
        });
        let repository = "o/r".parse().expect("a repository");
        document("github.com", &repository, rows.collect(), Some(5), at(59, 0))
    }

    fn terminal(width: usize) -> Look {
        Look {
            terminal: true,
            color: false,
            links: false,
            width,
            repository: None,
        }
    }

    #[test]
    fn a_narrow_terminal_keeps_number_verdict_and_title() {
        for (columns, headings) in [
            (140, "PR VERDICT OPEN GATE CI AGE NEXT TITLE"),
            (80, "PR VERDICT OPEN GATE CI AGE NEXT TITLE"),
            (60, "PR VERDICT OPEN CI NEXT TITLE"),
            (40, "PR VERDICT OPEN CI TITLE"),
        ] {
            let text = text(&listed(3), &terminal(columns));
            let first: Vec<&str> = text
                .lines()
                .next()
                .unwrap_or_default()
                .split_whitespace()
                .collect();
            assert_eq!(first.join(" "), headings, "{columns}");
            for line in text.lines() {
                assert!(width(line) <= columns, "{columns}: {line}");
            }
            let at: Vec<usize> = text
                .lines()
                .filter_map(|line| line.split_once("缓存").map(|(before, _)| width(before)))
                .collect();
            assert!(
                at.len() == 3 && at.iter().all(|column| Some(column) == at.first()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_list_that_fills_the_screen_says_at_its_end_who_needs_the_user() {
        let short = text(&listed(3), &terminal(80));
        assert!(!short.contains("need you"), "{short}");
        let long = text(&listed(30), &terminal(80));
        let end: Vec<&str> = long.lines().rev().take(2).collect();
        assert_eq!(
            end,
            [
                "5 more open pull requests are not listed; raise --limit to 35",
                "30 listed; the first 2 need you: #1, #2."
            ]
        );
        let pipe = Look {
            terminal: false,
            ..terminal(200)
        };
        assert_eq!(
            text(&listed(30), &pipe).lines().count(),
            30,
            "a pipe gets rows and nothing else"
        );
    }
}
