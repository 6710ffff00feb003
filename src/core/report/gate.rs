//! `codex-loop.gate/1`: the merge gate.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::answer;
use super::classification::JudgementNeeded;
use super::command;
use super::look::{Look, Tone};
use super::sanitise;
use crate::checks::{Bucket, Check, Checks, TestsState};
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::rfc3339;
use crate::evidence::pull::PullState;
use crate::gate::approval::{Approval, ApprovalSurface};
use crate::gate::blockers::{BlockedBy, Blocker, BlockerCode};
use crate::gate::{Gate, GateOptions, GateState, GateWord, WaitingReason, is_conflicting};
use crate::reason::{Warning, words};
use crate::run::Run;
use crate::run::signature::sha256_hex;

words! {
    /// What keeps a pull request from being merged now.
    MergeHold {
        /// The gate is neither approved nor overridden.
        Gate = "gate",
        /// The tests are not passing.
        Tests = "tests",
        /// It is a draft.
        Draft = "draft",
        /// The head conflicts with its base.
        Conflicting = "conflicting",
        /// It is not open.
        Closed = "closed",
    }
}

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateDocument {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// The gate's word.
    pub gate: GateWord,
    /// What a waiting gate waits for; null otherwise.
    pub waiting_reason: Option<WaitingReason>,
    /// The checks of the head together.
    pub tests: TestsState,
    /// Whether it may be merged now.
    pub merge_allowed: bool,
    /// What keeps it from being merged; empty when it may be.
    pub merge_held_by: Vec<MergeHold>,
    /// The +1 that approves; null without one.
    pub approval: Option<ApprovalRow>,
    /// From when on a reaction counts; null when neither a check nor an edit is known.
    pub not_before: Option<String>,
    /// Everything that blocks, findings first.
    pub blockers: Vec<BlockerRow>,
    /// What GitHub itself says; it approves nothing.
    pub context: Context,
    /// The reason of an override; null without one.
    #[serde(rename = "override")]
    pub override_reason: Option<String>,
    /// Why the last edit of the description was left out; null when it was not.
    pub edit_immaterial: Option<String>,
    /// Texts for this head whose meaning is not certain; answer one with `--judge`.
    pub judgement_needed: Vec<JudgementNeeded>,
    /// The checks one by one.
    pub checks: Vec<CheckRow>,
    /// The page of what approves, or why it does not.
    pub evidence: String,
    /// The command that merges exactly this head; null when it may not be merged. It is never run here.
    pub merge_command: Option<String>,
    /// What is worth knowing and changes nothing.
    pub warnings: Vec<Warning>,
}

/// The +1 that approves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRow {
    /// Where it stands.
    pub surface: ApprovalSurface,
    /// The reaction.
    pub reaction: String,
    /// When it was given.
    pub created_at: String,
    /// What binds it to this head.
    pub bound_by: String,
}

/// One thing that blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlockerRow {
    /// The code.
    pub code: BlockerCode,
    /// What it rests on: a piece of evidence, or a surface's name.
    pub evidence: String,
    /// One sentence.
    pub message: String,
    /// Its page.
    pub url: Option<String>,
}

/// What GitHub itself says of the pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// `APPROVED`, `CHANGES_REQUESTED`, `REVIEW_REQUIRED` or null.
    pub review_decision: Option<String>,
    /// `MERGEABLE`, `CONFLICTING` or `UNKNOWN`.
    pub mergeable: Option<String>,
    /// `CLEAN`, `BLOCKED`, …
    pub merge_state_status: Option<String>,
    /// Whether it is a draft.
    pub is_draft: bool,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckRow {
    /// `check-run:ID` or `status:ID`.
    pub evidence: String,
    /// Its name.
    pub name: String,
    /// The app that reports it; null for a status.
    pub app: Option<String>,
    /// GitHub's own word.
    pub conclusion: String,
    /// What it counts as.
    pub bucket: Bucket,
    /// Why, where the word alone does not say it.
    pub note: Option<String>,
    /// Its page.
    pub url: Option<String>,
}

impl CheckRow {
    fn of(check: &Check) -> Self {
        Self {
            evidence: check.evidence.to_string(),
            name: check.name.clone(),
            app: check.app.clone(),
            conclusion: check.word.clone(),
            bucket: check.bucket,
            note: check.note.map(str::to_owned),
            url: check.url.clone(),
        }
    }
}

/// The rows of all checks.
pub fn check_rows(checks: &Checks) -> Vec<CheckRow> {
    checks.all.iter().map(CheckRow::of).collect()
}

/// Fills the document.
pub fn document(run: &Run<'_>, gate: &Gate, options: &GateOptions) -> GateDocument {
    let pull = run.reading.pull;
    GateDocument {
        header: Header::new("gate", run.reading.evidence),
        gate: gate.word(),
        waiting_reason: match &gate.state {
            GateState::Waiting(waiting) => Some(waiting.reason),
            GateState::Approved(_) | GateState::Blocking | GateState::Overridden(_) => None,
        },
        tests: gate.checks.state,
        merge_allowed: gate.merge_allowed,
        merge_held_by: holds(run, gate, options),
        approval: gate.approval().map(approval_row),
        not_before: gate.bound.not_before().map(rfc3339),
        blockers: gate.blockers.iter().map(blocker_row).collect(),
        context: Context {
            review_decision: pull.review_decision.clone(),
            mergeable: pull.mergeable.clone(),
            merge_state_status: pull.merge_state_status.clone(),
            is_draft: pull.is_draft,
        },
        override_reason: options.override_reason.clone(),
        edit_immaterial: options.edit_immaterial.clone(),
        judgement_needed: judgement_needed(run, gate),
        checks: check_rows(&gate.checks),
        evidence: evidence(gate),
        merge_command: gate.merge_allowed.then(|| {
            let number = run.reading.evidence.pull_request.to_string();
            let head = pull.head_ref_oid.to_string();
            command::command(["gh", "pr", "merge", &number, "--match-head-commit", &head])
        }),
        warnings: gate.warnings.clone(),
    }
}

fn holds(run: &Run<'_>, gate: &Gate, options: &GateOptions) -> Vec<MergeHold> {
    let pull = run.reading.pull;
    let stands = match &gate.state {
        GateState::Approved(_) | GateState::Overridden(_) => true,
        GateState::Waiting(_) | GateState::Blocking => false,
    };
    let tests = match gate.checks.state {
        TestsState::Passing => true,
        TestsState::None => options.allow_no_checks,
        TestsState::Pending | TestsState::Failing => false,
    };
    [
        (MergeHold::Gate, !stands),
        (MergeHold::Tests, !tests),
        (MergeHold::Draft, pull.is_draft),
        (MergeHold::Conflicting, is_conflicting(pull.mergeable.as_deref())),
        (MergeHold::Closed, pull.state != PullState::Open),
    ]
    .into_iter()
    .filter_map(|(hold, holds)| holds.then_some(hold))
    .collect()
}

fn approval_row(approval: &Approval) -> ApprovalRow {
    ApprovalRow {
        surface: approval.surface,
        reaction: approval.reaction.to_string(),
        created_at: rfc3339(approval.at),
        bound_by: approval.bound_by.to_owned(),
    }
}

fn blocker_row(blocker: &Blocker) -> BlockerRow {
    BlockerRow {
        code: blocker.code,
        evidence: blocker.by.to_string(),
        message: blocker.message.clone(),
        url: blocker.url.clone(),
    }
}

/// The texts behind `unclear-result`, with the digests that a judgement names.
fn judgement_needed(run: &Run<'_>, gate: &Gate) -> Vec<JudgementNeeded> {
    let comments = run
        .reading
        .comments
        .iter()
        .map(|one| (&one.name, one.comment.body.text()));
    let reviews = run
        .reading
        .reviews
        .iter()
        .map(|one| (&one.name, one.review.body.text()));
    let unclear: BTreeSet<&EvidenceName> = gate
        .blockers
        .iter()
        .filter(|blocker| blocker.code == BlockerCode::UnclearResult)
        .filter_map(|blocker| match &blocker.by {
            BlockedBy::Item(name) => Some(name),
            BlockedBy::Surface(_) => None,
        })
        .collect();
    comments
        .chain(reviews)
        .filter(|(name, _)| unclear.contains(name))
        .map(|(name, body)| JudgementNeeded {
            evidence: name.clone(),
            body_sha256: sha256_hex(body.as_bytes()),
        })
        .collect()
}

fn evidence(gate: &Gate) -> String {
    match &gate.state {
        GateState::Approved(approval) => approval.url.clone(),
        GateState::Overridden(reason) => format!("overridden: {reason}"),
        GateState::Waiting(waiting) => format!("{}: {}", waiting.reason.as_str(), waiting.message),
        GateState::Blocking => match gate.blockers.split_first() {
            None => "blocked".to_owned(),
            Some((first, rest)) => {
                let place = first.url.clone().unwrap_or_else(|| first.by.to_string());
                let more = match rest.len() {
                    0 => String::new(),
                    count => format!(" and {count} more"),
                };
                format!("{}: {place}{more}", first.code.as_str())
            }
        },
    }
}

/// Colour of the gate's word.
pub fn tone(gate: GateWord) -> Tone {
    match gate {
        GateWord::Approved => Tone::Good,
        GateWord::Overridden => Tone::Doubtful,
        GateWord::Waiting => Tone::Waiting,
        GateWord::Blocking => Tone::Bad,
    }
}

/// Colour of the checks' word.
pub fn tests_tone(tests: TestsState) -> Tone {
    match tests {
        TestsState::Passing => Tone::Good,
        TestsState::Pending => Tone::Waiting,
        TestsState::Failing => Tone::Bad,
        TestsState::None => Tone::Doubtful,
    }
}

/// Exactly four lines, then, when it may be merged, the command that merges exactly this head.
pub fn text(document: &GateDocument, look: &Look) -> String {
    let gate = look.paint(tone(document.gate), document.gate.as_str());
    let head = document.header.head_ref_oid.as_deref().unwrap_or("unknown");
    let tests = look.paint(tests_tone(document.tests), document.tests.as_str());
    // Never cut and never folded: a page in it is opened and copied.
    let evidence = sanitise::one_line(&document.evidence, 400);
    let mut text = format!("Codex gate: {gate}\nHead: {head}\nTests: {tests}\nEvidence: {evidence}\n");
    if let Some(command) = &document.merge_command {
        for line in look.command(command, 0) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

/// What a person should know beside the four lines: what holds the merge, warnings, texts to judge, what to do next.
pub fn notes(document: &GateDocument, look: &Look) -> Vec<String> {
    let mut notes = Vec::new();
    let number = document.header.pull_request;
    let held: Vec<&str> = document
        .merge_held_by
        .iter()
        .filter(|hold| **hold != MergeHold::Gate)
        .map(|hold| hold.as_str())
        .collect();
    if !held.is_empty() {
        notes.push(format!("not to be merged yet: {}", held.join(", ")));
    }
    for warning in &document.warnings {
        let note = format!("warning {}: {}", warning.code.as_str(), warning.message);
        notes.extend(look.folded(&note, 0, 4));
    }
    for needed in &document.judgement_needed {
        let note = format!(
            "{} is not understood; read it, then run the one that is true:",
            needed.evidence
        );
        notes.extend(look.folded(&note, 0, 4));
        let answers = answer::judging("gate", number, needed);
        notes.extend(answers.iter().flat_map(|one| look.command(one, 2)));
    }
    if !document.merge_allowed {
        let command = look.placed(&format!("gh codex-loop status {number}"));
        notes.push(format!("next: {command}"));
    }
    notes
}
