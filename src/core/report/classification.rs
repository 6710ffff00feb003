//! `codex-loop.classification/1`: the state of the review run.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::answer::{self, Answer};
use super::command;
use super::findings::{FindingRow, is_listed};
use super::look::{Look, Tone};
use super::sanitise;
use crate::bot::meaning::Meaning;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::rfc3339;
use crate::evidence::surface::SurfaceSummary;
use crate::finding::FindingState;
use crate::head::HeadBinding;
use crate::options::JudgedAs;
use crate::reading::Role;
use crate::reason::{NextAction, Reason, Warning};
use crate::run::candidate::{Candidate, ResolutionKind};
use crate::run::failure::TerminalFields;
use crate::run::signature::sha256_hex;
use crate::run::{Run, RunState, StateWord};
use crate::verdict::Verdict;

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Classification {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// The state of the run.
    pub state: StateWord,
    /// Why; never empty, the decisive reason first.
    pub reasons: Vec<Reason>,
    /// The newest trigger; null when there is none.
    pub trigger: Option<CandidateRow>,
    /// Every trigger candidate, in order.
    pub candidates: Vec<CandidateRow>,
    /// Findings for the head, and open threads of other heads.
    pub findings: Vec<FindingRow>,
    /// The review threads.
    pub threads: ThreadsRow,
    /// The record of a failed run; null in every other state.
    pub terminal: Option<TerminalFields>,
    /// What the connector said instead of a review.
    pub notices: Vec<NoticeRow>,
    /// Texts whose meaning is not certain; answer one with `--judge`.
    pub judgement_needed: Vec<JudgementNeeded>,
    /// The judgements that were given.
    pub judgements: Vec<JudgementRow>,
    /// What is worth knowing and changes nothing.
    pub warnings: Vec<Warning>,
    /// How completely each surface was read.
    pub surfaces: BTreeMap<String, SurfaceSummary>,
    /// The one thing to do next.
    pub next: Next,
}

/// A trigger candidate.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CandidateRow {
    /// The comment's id.
    pub comment_id: u64,
    /// Who posted it; null when unknown.
    pub author: Option<String>,
    /// When it was posted.
    pub created_at: String,
    /// Its page.
    pub url: Option<String>,
    /// `exact`, `marked`, `directed` or `mention`.
    pub form: String,
    /// For which head it was posted.
    pub head_binding: HeadBinding,
    /// What became of it; null while nothing did.
    pub resolution: Option<ResolutionRow>,
}

/// What became of a candidate.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResolutionRow {
    /// How.
    pub kind: ResolutionKind,
    /// By which evidence.
    #[schemars(with = "String")]
    pub evidence: EvidenceName,
}

/// The review threads in short.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadsRow {
    /// The cursor at the end of the walk over all threads; null without threads, or when the end was not reached.
    pub terminal_cursor: Option<String>,
    /// Connector threads that are unresolved and not outdated.
    pub unresolved_count: usize,
    /// Their node ids.
    pub unresolved_ids: Vec<String>,
}

/// A notice of the connector.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NoticeRow {
    /// `usage-limit`, `environment`, `account`, `workspace`, `request-failed` or `error-unlisted`.
    pub kind: String,
    /// `code` or `security`.
    pub lane: String,
    /// Where it stands.
    #[schemars(with = "String")]
    pub evidence: EvidenceName,
}

/// A text to judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JudgementNeeded {
    /// Where it stands: the KEY of `--judge`.
    #[schemars(with = "String")]
    pub evidence: EvidenceName,
    /// SHA-256 of its body.
    pub body_sha256: String,
}

/// A judgement that the caller gave.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JudgementRow {
    /// Which text.
    pub evidence: String,
    /// What the caller read in it.
    pub verdict: JudgedAs,
    /// SHA-256 of the body that was read.
    pub body_sha256: String,
    /// Whether it decided an unclear text with exactly that body.
    pub applied: bool,
}

/// The next action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Next {
    /// The action's word.
    pub action: NextAction,
    /// One sentence.
    pub message: String,
    /// The command that does it, for the current directory's repository (the text for people adds `-R` where it was named); null
    /// when there is none.
    pub command: Option<String>,
}

/// Fills the document.
pub fn document(run: &Run<'_>) -> Classification {
    let evidence = run.reading.evidence;
    let open: Vec<_> = run
        .reading
        .threads
        .iter()
        .filter(|thread| thread.root == crate::bot::identity::Identity::Connector && thread.open)
        .collect();
    Classification {
        header: Header::new("classification", evidence),
        state: run.state.word(),
        reasons: run.reasons.clone(),
        trigger: run.trigger().map(candidate_row),
        candidates: run.candidates.all.iter().map(candidate_row).collect(),
        findings: run
            .findings
            .iter()
            .filter(|finding| finding.on_head() || finding.state == FindingState::Open)
            .map(FindingRow::of)
            .collect(),
        threads: ThreadsRow {
            terminal_cursor: evidence.surfaces.threads_cursor.clone(),
            unresolved_count: open.len(),
            unresolved_ids: open
                .iter()
                .filter_map(|thread| thread.thread.id.known().cloned())
                .collect(),
        },
        terminal: match &run.state {
            RunState::Failed(record) => Some(record.fields.clone()),
            RunState::Stale
            | RunState::Findings
            | RunState::InProgress { .. }
            | RunState::Clean { .. }
            | RunState::Indeterminate => None,
        },
        notices: notices(run),
        judgement_needed: judgement_needed(run),
        judgements: judgements(run),
        warnings: run.warnings.clone(),
        surfaces: surfaces(run),
        next: next(run),
    }
}

/// The surfaces that classification reads; a bundle may hold more, and the document does not change with it.
fn surfaces(run: &Run<'_>) -> BTreeMap<String, SurfaceSummary> {
    const READ: [&str; 12] = [
        "pull",
        "commits",
        "headCommit",
        "checkSuites",
        "timeline",
        "issueComments",
        "reviews",
        "reviewComments",
        "threads",
        "resolvedCommits",
        "activity",
        "edits",
    ];
    let evidence = run.reading.evidence;
    let mut summaries = evidence.surface_summaries();
    summaries.retain(|name, _| READ.contains(&name.as_str()));
    let candidates: BTreeSet<u64> = run.candidates.all.iter().map(|one| one.order.id).collect();
    let reactions = evidence.comment_reactions_summary(|id| candidates.contains(&id));
    summaries.insert("commentReactions".to_owned(), reactions);
    summaries
}

fn candidate_row(candidate: &Candidate<'_>) -> CandidateRow {
    CandidateRow {
        comment_id: candidate.order.id,
        author: candidate.author.map(str::to_owned),
        created_at: rfc3339(candidate.order.at),
        url: candidate.url.map(str::to_owned),
        form: candidate.form.as_str().to_owned(),
        head_binding: candidate.binding,
        resolution: candidate.resolution.as_ref().map(|resolution| ResolutionRow {
            kind: resolution.kind,
            evidence: resolution.evidence.clone(),
        }),
    }
}

fn notices(run: &Run<'_>) -> Vec<NoticeRow> {
    run.reading
        .comments
        .iter()
        .filter_map(|comment| match &comment.role {
            Role::Connector {
                meaning: Meaning::Notice { kind, lane },
                ..
            } => Some(NoticeRow {
                kind: kind.as_str().to_owned(),
                lane: lane.as_str().to_owned(),
                evidence: comment.name.clone(),
            }),
            Role::Connector { .. } | Role::Addressed { .. } | Role::Bystander => None,
        })
        .collect()
}

/// Unclear texts of the code lane since the newest trigger, or all of them when there is none.
pub fn judgement_needed(run: &Run<'_>) -> Vec<JudgementNeeded> {
    run.unclear_texts()
        .into_iter()
        .map(|(evidence, body)| JudgementNeeded {
            evidence,
            body_sha256: sha256_hex(body.as_bytes()),
        })
        .collect()
}

fn judgements(run: &Run<'_>) -> Vec<JudgementRow> {
    run.reading
        .options
        .judgements
        .iter()
        .map(|judgement| JudgementRow {
            evidence: judgement.key.clone(),
            verdict: judgement.verdict,
            body_sha256: judgement.body_sha256.clone(),
            applied: run.reading.applied.contains(&judgement.key),
        })
        .collect()
}

/// The next action of the run in words.
pub fn next(run: &Run<'_>) -> Next {
    next_for(run.next(), run.reading.evidence.pull_request, run.reasons.first())
}

/// The next action of the headline: what blocks without being listed as a finding is shown by the gate.
pub fn next_of_headline(run: &Run<'_>, verdict: &Verdict) -> Next {
    let number = run.reading.evidence.pull_request;
    let mut next = next_for(verdict.next, number, verdict.reasons.first());
    if verdict.next == NextAction::AddressFindings && !run.findings.iter().any(is_listed) {
        next.command = Some(command::own(["gate", &number.to_string()]));
    }
    next
}

/// The sentence and command of an action, for the pull request `number`.
pub fn next_for(action: NextAction, number: u64, reason: Option<&Reason>) -> Next {
    let command = |verb: &str| Some(format!("gh codex-loop {verb} {number}"));
    let (message, command) = match action {
        NextAction::None => (
            "Nothing to do here; human review and merge gates go on separately.",
            None,
        ),
        NextAction::AddressFindings => (
            "Verify each finding, fix it, push, resolve its thread, then request one review of the new head.",
            command("findings"),
        ),
        NextAction::Poll => (
            "Read again later; never post another trigger meanwhile.",
            command("watch"),
        ),
        NextAction::Retry => ("Ask the user to authorize the one retry.", command("retry")),
        NextAction::AskUser => (
            "Tell the user what stands in the way; nothing here may be decided for them.",
            None,
        ),
        NextAction::RequestReview => (
            "Request one review of this head, when the user authorized it.",
            command("request"),
        ),
        NextAction::VerifyThreads => (
            "Verify the open threads and resolve exactly those that are fixed.",
            command("findings"),
        ),
        NextAction::Reconcile => (
            "Find out which trigger owns which answer before anything is posted.",
            command("explain"),
        ),
        NextAction::Recollect => (
            "Collect again; nothing is known for certain yet.",
            command("classify"),
        ),
        NextAction::Judge => (
            "Read the text that the program could not, and say what it means with --judge.",
            command("explain"),
        ),
        NextAction::Stop => ("The pull request is not open; stop.", None),
    };
    let message = match reason {
        Some(reason) if action == NextAction::AskUser => format!("{message} {}", reason.message),
        Some(_) | None => message.to_owned(),
    };
    Next {
        action,
        message,
        command,
    }
}

/// Symbol and colour of a state.
pub fn tone(state: StateWord) -> Tone {
    match state {
        StateWord::Clean => Tone::Good,
        StateWord::Findings | StateWord::Failed => Tone::Bad,
        StateWord::InProgress => Tone::Waiting,
        StateWord::Stale | StateWord::Indeterminate => Tone::Doubtful,
    }
}

/// The text for people: the state, why, and what to do next.
pub fn text(document: &Classification, look: &Look) -> String {
    let mut lines = if look.terminal {
        let answer = Answer {
            verb: "classify",
            tone: tone(document.state),
            word: document.state.as_str(),
            header: &document.header,
            title: None,
            reasons: &document.reasons,
            shows_evidence: true,
            next: &document.next,
            otherwise: None,
            judgements: &document.judgement_needed,
        };
        answer.lines(look)
    } else {
        plain(document, look)
    };
    let warnings = document.warnings.iter();
    lines.extend(warnings.flat_map(|warning| answer::warning(look, warning)));
    lines.push(String::new());
    lines.join("\n")
}

/// In a pipe: the state alone on the first line.
fn plain(document: &Classification, look: &Look) -> Vec<String> {
    let mut lines = vec![document.state.as_str().to_owned()];
    for reason in &document.reasons {
        let message = sanitise::one_line(&format!("{}: {}", reason.code.as_str(), reason.message), 300);
        lines.push(format!("  {message}"));
        if !reason.evidence.is_empty() {
            lines.push(format!("    {}", answer::names(&reason.evidence)));
        }
    }
    lines.extend(answer::next(look, &document.next));
    let number = document.header.pull_request;
    let judgements = document.judgement_needed.iter();
    let answers = judgements.flat_map(|needed| answer::judging("classify", number, needed));
    lines.extend(answers.flat_map(|command| look.command(&command, 2)));
    lines
}
