//! `codex-loop.convergence/1`: the one next tick of the loop, the condition that decides it, and what was weighed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Header;
use super::answer::{headline, names};
use super::command;
use super::look::{LABEL_INDENT, Look, Tone};
use super::sanitise;
use crate::convergence::history::{FamilyRow, Limit, Rounds, checkpoint_due};
use crate::convergence::{Action, Condition, Inputs, Previous, Tick};
use crate::document;
use crate::evidence::name::Sha;
use crate::reason::NextAction;
use crate::sensor::ci::{Check, CheckType};
use crate::sensor::items::{ItemKind, Standing};

/// The schema word.
pub const CONVERGENCE_SCHEMA: &str = "codex-loop.convergence/1";

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Convergence {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// What comes next.
    pub action: Action,
    /// The condition that decides it, and what to do.
    pub message: String,
    /// What that rests on: items, checks, events.
    pub evidence: Vec<String>,
    /// The command that helps with it, for the current directory's repository (the text for people adds `-R` where it was named);
    /// null when there is none.
    pub command: Option<String>,
    /// The four conditions of the completion contract; empty when nothing could be read.
    pub conditions: Vec<Condition>,
    /// The five reasons to ask the user; empty when nothing could be read.
    pub limits: Vec<Limit>,
    /// Items on this head without a final disposition.
    pub open_items: Vec<OpenItem>,
    /// Failed checks, and where to read why.
    pub ci_failures: Vec<CiFailure>,
    /// Problem families by label.
    pub families: BTreeMap<String, FamilyRow>,
    /// Finding rounds; null when nothing could be read.
    pub rounds: Option<Rounds>,
    /// Checkpoints; null when nothing could be read.
    pub checkpoints: Option<Checkpoints>,
    /// Branches and worktrees of this pull request in the current checkout.
    pub retained: Vec<Retained>,
    /// The last document that was made of a whole reading; null unless this one could not be.
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    pub last_successful: Option<Value>,
}

/// An item without a final disposition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenItem {
    /// Its key.
    pub item_key: String,
    /// Where it stands.
    pub kind: ItemKind,
    /// `P0` … `P3` or `P?`.
    pub priority: String,
    /// The file.
    pub path: Option<String>,
    /// The line.
    pub line: Option<u64>,
    /// Its page.
    pub url: Option<String>,
    /// The review it belongs to.
    pub review_id: Option<u64>,
    /// What is planned; null until it is triaged.
    pub planned: Option<String>,
    /// Its family, once planned.
    pub family: Option<String>,
    /// It was handled, and its text changed since.
    pub reopened: bool,
}

/// A failed check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CiFailure {
    /// The check.
    pub key: String,
    /// Its name.
    pub name: String,
    /// Its page.
    pub url: Option<String>,
    /// The GitHub Actions run; null for another provider.
    pub run_id: Option<String>,
    /// What shows its log; null for another provider.
    pub command: Option<String>,
}

/// Convergence checkpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Checkpoints {
    /// How many are recorded.
    pub recorded: usize,
    /// The number of actionable rounds that one is due for; null when none is.
    pub due: Option<u64>,
}

/// Something that stays behind after a merge, for the user to decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Retained {
    /// Branch or worktree.
    pub kind: RetainedKind,
    /// The branch's name or the worktree's folder.
    pub name: String,
}

/// Branch or worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetainedKind {
    /// A local branch.
    Branch,
    /// A worktree that has the branch checked out.
    Worktree,
}

/// Fills the document.
pub fn document(inputs: &Inputs<'_, '_, '_>, tick: &Tick<'_>, retained: Vec<Retained>) -> Convergence {
    let evidence = inputs.sensor.run.reading.evidence;
    let repository = format!("{}/{}", evidence.host, evidence.repository);
    let failures = inputs.sensor.snapshot.ci.failed.iter();
    let ci_failures: Vec<CiFailure> = failures.map(|check| failure(check, &repository)).collect();
    let header = Header::new("convergence", evidence);
    let command = command(tick.decided.action, &header, &ci_failures).map(|command| {
        // A watch that does not wait for an automatic review ends at once where nobody asked for this head.
        let unasked = inputs.sensor.run.next() == NextAction::RequestReview;
        if unasked && tick.decided.action == Action::WaitReview {
            format!("{command} --wait-automatic")
        } else {
            command
        }
    });
    Convergence {
        action: tick.decided.action,
        message: tick.decided.message.clone(),
        evidence: tick.decided.evidence.clone(),
        command,
        conditions: tick.conditions.clone(),
        limits: tick.limits.clone(),
        open_items: open_items(inputs),
        ci_failures,
        families: tick.families.clone(),
        checkpoints: Some(Checkpoints {
            recorded: inputs.record.checkpoints.len(),
            due: checkpoint_due(tick.rounds.actionable, inputs.record),
        }),
        rounds: Some(tick.rounds.clone()),
        retained,
        last_successful: None,
        header,
    }
}

/// The document of a reading that failed, with the facts of the last one that did not.
pub fn recollect(header: Header, why: &str, previous: Option<&PreviousDocument>) -> Convergence {
    let command = command(Action::Recollect, &header, &[]);
    Convergence {
        header,
        action: Action::Recollect,
        message: format!("The pull request could not be read as a whole, so nothing new is asserted: {why}"),
        evidence: Vec::new(),
        command,
        conditions: Vec::new(),
        limits: Vec::new(),
        open_items: Vec::new(),
        ci_failures: Vec::new(),
        families: BTreeMap::new(),
        rounds: None,
        checkpoints: None,
        retained: Vec::new(),
        last_successful: previous.and_then(PreviousDocument::successful),
    }
}

/// A convergence document that was written before.
#[derive(Clone, Debug)]
pub struct PreviousDocument {
    repository: String,
    pull_request: u64,
    previous: Previous,
    whole: Value,
}

impl PreviousDocument {
    /// Reads it.
    ///
    /// # Errors
    /// One sentence when the text is no such document.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            schema: String,
            repository: String,
            pull_request: u64,
            action: String,
            #[serde(default)]
            head_ref_oid: Option<Sha>,
        }
        let wrong = |reason: String| format!("it is no {CONVERGENCE_SCHEMA} document: {reason}");
        let whole: Value = document::read(text).map_err(wrong)?;
        let wire: Wire = document::read(text).map_err(wrong)?;
        if wire.schema != CONVERGENCE_SCHEMA {
            return Err(format!(
                "it is a `{}` document, not `{CONVERGENCE_SCHEMA}`",
                sanitise::one_line(&wire.schema, 60)
            ));
        }
        Ok(Self {
            repository: wire.repository,
            pull_request: wire.pull_request,
            previous: Previous {
                action: wire.action,
                head: wire.head_ref_oid,
            },
            whole,
        })
    }

    /// Whether it is about this pull request.
    pub fn is_about(&self, repository: &str, pull_request: u64) -> bool {
        self.repository.eq_ignore_ascii_case(repository) && self.pull_request == pull_request
    }

    /// What the next tick asks of it.
    pub fn previous(&self) -> &Previous {
        &self.previous
    }

    /// The last document that was made of a whole reading: this one, or the one it carries.
    fn successful(&self) -> Option<Value> {
        if self.previous.action == Action::Recollect.as_str() {
            let carried = self.whole.get("lastSuccessful").cloned();
            carried.filter(|value| !value.is_null())
        } else {
            Some(self.whole.clone())
        }
    }
}

fn failure(check: &Check, repository: &str) -> CiFailure {
    let run_id = check.run_id.clone().filter(|_| check.kind == CheckType::Actions);
    CiFailure {
        key: check.key.clone(),
        name: check.name.clone(),
        url: check.url.clone(),
        command: run_id
            .as_ref()
            .map(|run| command::command(["gh", "run", "view", run, "--log-failed", "--repo", repository])),
        run_id,
    }
}

fn open_items(inputs: &Inputs<'_, '_, '_>) -> Vec<OpenItem> {
    inputs
        .open()
        .map(|placed| {
            let (item, planned) = (&placed.item, inputs.planned(placed));
            OpenItem {
                item_key: item.item_key.clone(),
                kind: item.kind,
                priority: item.priority.clone(),
                path: item.path.clone(),
                line: item.line,
                url: item.url.clone(),
                review_id: item.review_id,
                planned: planned.map(|planned| planned.outcome.as_str().to_owned()),
                family: planned.and_then(|planned| planned.family.clone()),
                reopened: placed.standing == Standing::Reopened,
            }
        })
        .collect()
}

fn command(action: Action, header: &Header, failures: &[CiFailure]) -> Option<String> {
    let number = header.pull_request;
    let own = |rest: &str| Some(format!("gh codex-loop {rest}"));
    match action {
        Action::Stop | Action::AskUser | Action::VerifyCi | Action::ReadyToMerge => None,
        Action::Recollect => own(&format!("converge {number}")),
        Action::Triage => own(&format!(
            "handled {number} plan KEY --outcome 'fixed|rebutted|user-decision' --family LABEL"
        )),
        Action::Checkpoint => own(&format!("handled {number} checkpoint --url URL …")),
        Action::StrategyReset | Action::FamilyRepair | Action::Address => {
            own(&format!("handled {number} add KEY --outcome 'fixed|rebutted' …"))
        }
        Action::FixCi => failures.iter().find_map(|failure| failure.command.clone()),
        Action::VerifyNoCi => own(&format!("converge {number} --ci-none-ok REASON")),
        Action::WaitCi => Some(command::command(["gh", "pr", "checks", &header.url, "--watch"])),
        Action::RequestReview => own(&format!("request {number}")),
        Action::WaitReview => own(&format!("watch {number}")),
        Action::MarkReady => Some(command::command(["gh", "pr", "ready", &header.url])),
        Action::Confirm => own(&format!("converge {number} --previous FILE")),
    }
}

fn tone(action: Action) -> Tone {
    match action {
        Action::ReadyToMerge | Action::Stop => Tone::Good,
        Action::WaitCi | Action::WaitReview | Action::Confirm => Tone::Waiting,
        Action::AskUser | Action::VerifyCi | Action::VerifyNoCi | Action::Recollect => Tone::Doubtful,
        Action::Triage
        | Action::Checkpoint
        | Action::StrategyReset
        | Action::FamilyRepair
        | Action::Address
        | Action::FixCi
        | Action::RequestReview
        | Action::MarkReady => Tone::Bad,
    }
}

/// The text for people: the action, why, what to do, then the conditions and what stands in the way.
pub fn text(document: &Convergence, look: &Look) -> String {
    let word = document.action.as_str();
    let mut lines = if look.terminal {
        headline(look, tone(document.action), word, &document.header, None)
    } else {
        vec![word.to_owned()]
    };
    let indent = if look.terminal { LABEL_INDENT } else { 4 };
    if look.terminal {
        lines.extend(look.labelled("why", &document.message, 4));
    } else {
        lines.push(format!("  {}", sanitise::one_line(&document.message, 400)));
    }
    if !document.evidence.is_empty() {
        let folded = look.folded(&names(&document.evidence), indent, 3);
        lines.extend(folded.iter().map(|line| look.paint(Tone::Quiet, line)));
    }
    if look.terminal
        && let Some(command) = &document.command
    {
        let mut command = look.command(command, LABEL_INDENT);
        let label = format!("  {}", look.paint(Tone::Strong, "next"));
        match command.as_mut_slice() {
            [line] if line.starts_with("        ") => *line = format!("{label}  {}", line.trim_start()),
            _ => command.insert(0, label),
        }
        lines.extend(command);
        lines.push(String::new());
    }
    if let Some(head) = &document.header.head_ref_oid {
        lines.extend(look.folded(&format!("head {head}"), 0, 2));
    }
    for condition in &document.conditions {
        let tone = if condition.holds { Tone::Good } else { Tone::Bad };
        let word = if condition.holds { "holds" } else { "open" };
        let line = format!("condition {} {word}: {}", condition.number, condition.message);
        lines.extend(look.noted(tone, &line, 3));
    }
    for limit in document.limits.iter().filter(|limit| limit.holds) {
        let state = if limit.cleared { "cleared" } else { "reached" };
        let line = format!("limit {} {state}: {}", limit.code.as_str(), limit.message);
        lines.extend(look.noted(Tone::Doubtful, &line, 3));
    }
    if let Some(rounds) = &document.rounds {
        let unclassified = rounds.unclassified.len();
        let line = format!(
            "rounds {} total, {} actionable, {unclassified} unclassified",
            rounds.total, rounds.actionable
        );
        lines.extend(look.folded(&line, 0, 2));
    }
    for failure in &document.ci_failures {
        let shown = failure.command.as_ref().or(failure.url.as_ref());
        let place = shown.map_or("", String::as_str);
        let line = sanitise::one_line(&format!("failed {}: {place}", failure.name), 400);
        lines.push(look.link(failure.url.as_deref(), &line));
    }
    for kept in &document.retained {
        let kind = match kept.kind {
            RetainedKind::Branch => "branch",
            RetainedKind::Worktree => "worktree",
        };
        lines.push(sanitise::one_line(&format!("retained {kind} {}", kept.name), 400));
    }
    if !look.terminal
        && let Some(command) = &document.command
    {
        lines.extend(look.command(&format!("next {}", look.placed(command)), 0));
    }
    lines.push(String::new());
    lines.join("\n")
}
