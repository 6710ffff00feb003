//! Checks and statuses of the head, as far as they belong to the current CI phase.
//!
//! A phase begins when the pull request was opened, made ready or reopened, whichever was last. What completed counts
//! when it started after that; what is pending counts by the creation of its suite.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use super::Settings;
use crate::checks::newest_runs;
use crate::evidence::check::{CheckRun, CheckSuite, CommitStatus};
use crate::evidence::event::EventKind;
use crate::evidence::observed::{Timestamp, rfc3339};
use crate::evidence::pull::Pull;
use crate::evidence::{Evidence, RequiredCheck};
use crate::reason::words;

words! {
    /// What the checks come to.
    CiState {
        /// No check in the phase.
        None = "none",
        /// At least one failed.
        Failure = "failure",
        /// None failed, and something is unfinished or missing.
        Pending = "pending",
        /// All that is required passed.
        Success = "success",
    }
}

words! {
    /// What says which checks are required.
    RequiredSource {
        /// The caller named them.
        Explicit = "explicit",
        /// The rules of the base branch.
        Rules = "rules",
        /// Nothing does: every check that was seen.
        Seen = "seen",
    }
}

words! {
    /// What opens a CI phase.
    CiPhaseSourceKind {
        /// The pull request was opened.
        Created = "pr-created",
        /// The draft became ready.
        ReadyForReview = "ready_for_review",
        /// It was reopened.
        Reopened = "reopened",
    }
}

words! {
    /// Which of GitHub's two kinds of check an entry is.
    CheckSource {
        /// A check run, or a suite that has none yet.
        CheckRun = "check-run",
        /// A commit status.
        CommitStatus = "commit-status",
    }
}

words! {
    /// Who runs it.
    CheckType {
        /// GitHub Actions, by its page.
        Actions = "actions",
        /// Anybody else.
        External = "external",
    }
}

/// One event that opens a CI phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CiPhaseSource {
    /// When.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// What it is.
    pub source: CiPhaseSourceKind,
    /// Its key.
    pub event_key: String,
}

/// The checks of the head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ci {
    /// What they come to.
    pub state: CiState,
    /// Checks count from here on.
    #[schemars(with = "Option<String>")]
    pub not_before: Option<Timestamp>,
    /// The events at that time.
    pub not_before_sources: Vec<CiPhaseSource>,
    /// The required checks, or all that were seen, in this phase.
    pub checks: Vec<Check>,
    /// Required names without a check in this phase.
    pub missing_required: Vec<String>,
    /// Checks from before this phase.
    pub discarded_before_not_before: Vec<Check>,
    /// Those that failed, skipped required ones included.
    pub failed: Vec<Check>,
    /// Those that are not finished.
    pub pending: Vec<Check>,
    /// What says which are required.
    pub required_source: RequiredSource,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Check run or commit status.
    pub source: CheckSource,
    /// `check-run:ID`, `check-suite:ID` or `commit-status:ID`.
    pub key: String,
    /// The same for every run of the check: `check-run:APP:NAME` or `commit-status:NAME`.
    #[serde(rename = "logicalKey")]
    pub logical_key: String,
    /// The name.
    pub name: String,
    /// Who runs it.
    #[serde(rename = "type")]
    pub kind: CheckType,
    /// The GitHub Actions run, for `gh run view`.
    pub run_id: Option<String>,
    /// What belongs to a run or a status alone.
    #[serde(flatten)]
    pub detail: CheckDetail,
    /// Its page.
    pub url: Option<String>,
    /// By which a pending check counts.
    #[schemars(with = "Option<String>")]
    pub evidence_at: Option<Timestamp>,
    /// By which a completed check counts: its start.
    #[schemars(with = "Option<String>")]
    pub phase_proof_at: Option<Timestamp>,
    /// Its end, which decides when it started in the boundary's second.
    #[schemars(with = "Option<String>")]
    pub completion_proof_at: Option<Timestamp>,
    /// Who reported it.
    #[serde(skip)]
    pub reporter: Reporter,
    /// What it came to.
    #[serde(skip)]
    pub outcome: Outcome,
}

/// The fields that a check run and a commit status do not share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CheckDetail {
    /// Of a check run.
    Run {
        /// `queued`, `in_progress`, `completed`, …
        status: String,
        /// The outcome, once completed.
        conclusion: Option<String>,
        /// Its suite.
        suite_id: Option<u64>,
        /// When that suite was created.
        #[schemars(with = "Option<String>")]
        suite_created_at: Option<Timestamp>,
        /// When it started.
        #[schemars(with = "Option<String>")]
        started_at: Option<Timestamp>,
        /// When it completed.
        #[schemars(with = "Option<String>")]
        completed_at: Option<Timestamp>,
    },
    /// Of a commit status.
    Status {
        /// `success`, `failure`, `error` or `pending`.
        state: String,
        /// When it was reported.
        #[schemars(with = "Option<String>")]
        created_at: Option<Timestamp>,
        /// When it last changed.
        #[schemars(with = "Option<String>")]
        updated_at: Option<Timestamp>,
    },
}

/// Who reported a check, as far as GitHub says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporter {
    /// This app.
    App(u64),
    /// Some app: a status names the bot and not the app.
    Bot,
    /// A person, or nobody knows.
    Other,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It ended neutral, which passes.
    Neutral,
    /// It was skipped: a failure where the check is required.
    Skipped,
    /// It failed.
    Failed,
    /// It is not finished.
    Running,
    /// It is finished with a word that this version does not know; it counts as pending.
    Unknown,
}

impl Outcome {
    fn of_run(status: &str, conclusion: Option<&str>) -> Self {
        match (status, conclusion) {
            ("completed", Some("success")) => Self::Passed,
            ("completed", Some("neutral")) => Self::Neutral,
            ("completed", Some("skipped")) => Self::Skipped,
            (
                "completed",
                Some("failure" | "timed_out" | "cancelled" | "action_required" | "startup_failure" | "stale"),
            ) => Self::Failed,
            ("completed", _) => Self::Unknown,
            (_, _) => Self::Running,
        }
    }

    fn of_status(state: &str) -> Self {
        match state {
            "success" => Self::Passed,
            "failure" | "error" => Self::Failed,
            "pending" => Self::Running,
            _ => Self::Unknown,
        }
    }

    /// Whether it is waited for.
    pub fn is_pending(self) -> bool {
        match self {
            Self::Running | Self::Unknown => true,
            Self::Passed | Self::Neutral | Self::Skipped | Self::Failed => false,
        }
    }
}

/// The newest of every check of the head, before anybody asks which are required.
#[derive(Clone, Debug)]
pub struct Observed {
    checks: Vec<Check>,
    /// Suites that are not finished and have no run yet.
    waiting: Vec<Check>,
    /// How many check runs, the latest of each name, app and workflow.
    pub runs: usize,
    /// How many statuses, the latest of each context.
    pub statuses: usize,
}

impl Observed {
    /// Takes the latest run of each name, app and workflow, and the latest status of each context.
    pub fn of(evidence: &Evidence, pull: &Pull) -> Self {
        let surfaces = &evidence.surfaces;
        let head = &pull.head_ref_oid;
        let suites: Vec<&CheckSuite> = surfaces
            .check_suites
            .items()
            .iter()
            .filter(|suite| suite.head_sha.known().is_none_or(|sha| sha == head))
            .collect();
        let latest = newest_runs(evidence, head);
        let mut newest: BTreeMap<&str, &CommitStatus> = BTreeMap::new();
        for status in surfaces.statuses.items() {
            newest
                .entry(status.context.text())
                .and_modify(|known| {
                    if status_order(status) > status_order(known) {
                        *known = status;
                    }
                })
                .or_insert(status);
        }
        let with_runs: BTreeSet<u64> = surfaces
            .check_runs
            .items()
            .iter()
            .filter_map(|run| run.check_suite.as_ref()?.id.get())
            .collect();
        let waiting = suites
            .iter()
            .filter(|suite| suite.status.text() != "completed")
            .filter(|suite| suite.id.get().is_none_or(|id| !with_runs.contains(&id)))
            .map(|suite| waiting_suite(suite))
            .collect();
        let (runs, statuses) = (latest.len(), newest.len());
        let mut checks: Vec<Check> = latest
            .into_iter()
            .map(|(_, run)| check_of_run(run, &suites))
            .chain(newest.into_values().map(check_of_status))
            .collect();
        checks.sort_by(|a, b| (&a.logical_key, &a.key).cmp(&(&b.logical_key, &b.key)));
        Self {
            checks,
            waiting,
            runs,
            statuses,
        }
    }
}

/// Which checks are required, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Required<'a> {
    Explicit(&'a [String]),
    Rules(&'a [RequiredCheck]),
    Seen,
}

impl<'a> Required<'a> {
    fn of(settings: &'a Settings, evidence: &'a Evidence) -> Self {
        let rules = evidence.surfaces.merge_gates.items();
        if !settings.required_checks.is_empty() {
            Self::Explicit(&settings.required_checks)
        } else if !rules.is_empty() {
            Self::Rules(rules)
        } else {
            Self::Seen
        }
    }

    fn source(&self) -> RequiredSource {
        match self {
            Self::Explicit(_) => RequiredSource::Explicit,
            Self::Rules(_) => RequiredSource::Rules,
            Self::Seen => RequiredSource::Seen,
        }
    }

    fn takes(&self, check: &Check) -> bool {
        match self {
            Self::Explicit(names) => names.contains(&check.name),
            Self::Rules(rules) => rules.iter().any(|rule| satisfies(check, rule)),
            Self::Seen => true,
        }
    }

    fn missing(&self, checks: &[Check]) -> Vec<String> {
        let mut names: Vec<String> = match self {
            Self::Explicit(names) => names
                .iter()
                .filter(|name| !checks.iter().any(|check| check.name == **name))
                .cloned()
                .collect(),
            Self::Rules(rules) => rules
                .iter()
                .filter(|rule| !checks.iter().any(|check| satisfies(check, rule)))
                .map(|rule| rule.context.clone())
                .collect(),
            Self::Seen => Vec::new(),
        };
        names.sort();
        names.dedup();
        names
    }
}

/// Whether a check is what a rule asks for. A status of a bot may be the app's that the rule names; a person's is not.
fn satisfies(check: &Check, rule: &RequiredCheck) -> bool {
    let by_app = match (rule.integration_id, check.reporter) {
        (None, _) | (Some(_), Reporter::Bot) => true,
        (Some(wanted), Reporter::App(app)) => wanted == app,
        (Some(_), Reporter::Other) => false,
    };
    by_app && check.name == rule.context
}

/// Judges the checks of the phase.
pub fn judge(observed: &Observed, settings: &Settings, evidence: &Evidence, pull: &Pull) -> Ci {
    let required = Required::of(settings, evidence);
    let (not_before, not_before_sources) = phase(evidence, pull);
    let mut asked: Vec<Check> = observed
        .checks
        .iter()
        .filter(|check| required.takes(check))
        .cloned()
        .collect();
    if required == Required::Seen {
        asked.extend(observed.waiting.iter().cloned());
        asked.sort_by(|a, b| (&a.logical_key, &a.key).cmp(&(&b.logical_key, &b.key)));
    }
    let (checks, discarded): (Vec<Check>, Vec<Check>) =
        asked.into_iter().partition(|check| counts(check, not_before));
    let missing_required = required.missing(&checks);
    let is_failure = |check: &&Check| match check.outcome {
        Outcome::Failed => true,
        Outcome::Skipped => required != Required::Seen,
        Outcome::Passed | Outcome::Neutral | Outcome::Running | Outcome::Unknown => false,
    };
    let failed: Vec<Check> = checks.iter().filter(is_failure).cloned().collect();
    let pending: Vec<Check> = checks
        .iter()
        .filter(|check| check.outcome.is_pending())
        .cloned()
        .collect();
    let state = if checks.is_empty() {
        CiState::None
    } else if !failed.is_empty() {
        CiState::Failure
    } else if !pending.is_empty() || !missing_required.is_empty() {
        CiState::Pending
    } else {
        CiState::Success
    };
    Ci {
        state,
        not_before,
        not_before_sources,
        checks,
        missing_required,
        discarded_before_not_before: discarded,
        failed,
        pending,
        required_source: required.source(),
    }
}

/// Whether a check belongs to the phase.
fn counts(check: &Check, not_before: Option<Timestamp>) -> bool {
    let Some(boundary) = not_before else {
        return true;
    };
    if check.outcome == Outcome::Running {
        return check.evidence_at.is_none_or(|at| at >= boundary);
    }
    check.phase_proof_at.is_some_and(|start| {
        start > boundary || (start == boundary && check.completion_proof_at.is_some_and(|end| end > boundary))
    })
}

fn phase(evidence: &Evidence, pull: &Pull) -> (Option<Timestamp>, Vec<CiPhaseSource>) {
    let mut events: Vec<CiPhaseSource> = Vec::new();
    if let Some(at) = pull.created_at.get() {
        events.push(CiPhaseSource {
            at,
            source: CiPhaseSourceKind::Created,
            event_key: format!("pr-created:{}", rfc3339(at)),
        });
    }
    for event in evidence.surfaces.timeline.items() {
        let source = match event.kind {
            EventKind::ReadyForReview => CiPhaseSourceKind::ReadyForReview,
            EventKind::Reopened => CiPhaseSourceKind::Reopened,
            EventKind::HeadForcePushed { .. }
            | EventKind::ConvertedToDraft
            | EventKind::Closed
            | EventKind::Merged
            | EventKind::CommentDeleted { .. }
            | EventKind::BaseChanged
            | EventKind::BaseForcePushed
            | EventKind::HeadDeleted
            | EventKind::HeadRestored
            | EventKind::Unrecognized { .. } => continue,
        };
        if let Some(at) = event.created_at.get() {
            events.push(CiPhaseSource {
                at,
                source,
                event_key: format!("timeline:{}", event.id),
            });
        }
    }
    let not_before = events.iter().map(|event| event.at).max();
    events.retain(|event| Some(event.at) == not_before);
    events.sort_by(|a, b| a.event_key.cmp(&b.event_key));
    (not_before, events)
}

fn app_word(run: &CheckRun) -> String {
    let app = run.app.as_ref();
    app.and_then(|app| app.slug.known().cloned())
        .or_else(|| app.and_then(|app| app.id.get()).map(|id| id.to_string()))
        .unwrap_or_else(|| "unknown".to_owned())
}

fn run_logical_key(run: &CheckRun) -> String {
    format!("check-run:{}:{}", app_word(run), run.name.text())
}

fn status_order(status: &CommitStatus) -> (Option<Timestamp>, Option<u64>) {
    let at = status.updated_at.get().or(status.created_at.get());
    (at, status.id.get())
}

fn check_of_run(run: &CheckRun, suites: &[&CheckSuite]) -> Check {
    let suite_id = run.check_suite.as_ref().and_then(|suite| suite.id.get());
    let suite_created_at = suites
        .iter()
        .find(|suite| suite_id.is_some() && suite.id.get() == suite_id)
        .and_then(|suite| suite.created_at.get());
    let url = run.details_url.known().or_else(|| run.html_url.known()).cloned();
    let run_id = [&run.details_url, &run.html_url]
        .into_iter()
        .find_map(|url| actions_run(url.text()));
    let (status, conclusion) = (run.status.text().to_owned(), run.conclusion.known().cloned());
    let (started_at, completed_at) = (run.started_at.get(), run.completed_at.get());
    Check {
        source: CheckSource::CheckRun,
        key: format!("check-run:{}", run.id.get().unwrap_or_default()),
        logical_key: run_logical_key(run),
        name: run.name.text().to_owned(),
        kind: kind_of(run_id.as_deref()),
        run_id,
        url,
        evidence_at: suite_created_at.or(started_at).or(completed_at),
        phase_proof_at: started_at,
        completion_proof_at: completed_at,
        reporter: run
            .app
            .as_ref()
            .and_then(|app| app.id.get())
            .map_or(Reporter::Other, Reporter::App),
        outcome: Outcome::of_run(&status, conclusion.as_deref()),
        detail: CheckDetail::Run {
            status,
            conclusion,
            suite_id,
            suite_created_at,
            started_at,
            completed_at,
        },
    }
}

fn check_of_status(status: &CommitStatus) -> Check {
    let url = status.target_url.known().cloned();
    let run_id = url.as_deref().and_then(actions_run);
    let (created_at, updated_at) = (status.created_at.get(), status.updated_at.get());
    Check {
        source: CheckSource::CommitStatus,
        key: format!("commit-status:{}", status.id.get().unwrap_or_default()),
        logical_key: format!("commit-status:{}", status.context.text()),
        name: status.context.text().to_owned(),
        kind: kind_of(run_id.as_deref()),
        run_id,
        url,
        evidence_at: created_at,
        phase_proof_at: created_at,
        completion_proof_at: updated_at,
        reporter: match &status.creator {
            Some(creator) if creator.kind.text() == "Bot" => Reporter::Bot,
            Some(_) | None => Reporter::Other,
        },
        outcome: Outcome::of_status(status.state.text()),
        detail: CheckDetail::Status {
            state: status.state.text().to_owned(),
            created_at,
            updated_at,
        },
    }
}

/// A suite that has no run yet, under the name of its app.
fn waiting_suite(suite: &CheckSuite) -> Check {
    let app = suite.app.known().cloned().unwrap_or_else(|| "unknown".to_owned());
    let created_at = suite.created_at.get();
    Check {
        source: CheckSource::CheckRun,
        key: format!("check-suite:{}", suite.id.get().unwrap_or_default()),
        logical_key: format!("check-suite:{app}"),
        name: app,
        kind: CheckType::External,
        run_id: None,
        url: None,
        evidence_at: created_at,
        phase_proof_at: None,
        completion_proof_at: None,
        reporter: Reporter::Other,
        outcome: Outcome::Running,
        detail: CheckDetail::Run {
            status: suite.status.text().to_owned(),
            conclusion: None,
            suite_id: suite.id.get(),
            suite_created_at: created_at,
            started_at: None,
            completed_at: None,
        },
    }
}

static ACTIONS_RUN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("/actions/runs/([0-9]{1,20})").expect("a literal pattern"));

/// The GitHub Actions run in a page's address.
fn actions_run(url: &str) -> Option<String> {
    let captures = ACTIONS_RUN.captures(url)?;
    captures.get(1).map(|id| id.as_str().to_owned())
}

fn kind_of(run_id: Option<&str>) -> CheckType {
    if run_id.is_some() {
        CheckType::Actions
    } else {
        CheckType::External
    }
}
