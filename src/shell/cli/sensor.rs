//! The commands of the stable sensor: the snapshot, the recorded dispositions, the next tick of the loop.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use codex_loop::authorization::Reference;
use codex_loop::evidence::handled;
use codex_loop::evidence::observed::{Scalar, Timestamp};
use codex_loop::sensor::Settings;

use super::PullArgument;
use super::deciding::Ending;

/// One stable observation of review and CI, bound to the head: the sensor document, version 2.
///
/// Everything is read twice. If anything differs between the two readings, nothing is printed and the command ends
/// with 1. The document is always JSON; it tells what was observed and decides nothing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop snapshot 42 --jq .latest_strong
  gh codex-loop snapshot 42 --required-check 'edge / verify' --jq .ci.state
  gh codex-loop snapshot 42 --json open_comments,ci")]
pub struct Snapshot {
    #[command(flatten)]
    pub pull: PullArgument,

    #[command(flatten)]
    pub sensor: SensorOptions,

    #[command(flatten)]
    pub ending: Ending,
}

/// What the sensor is told, apart from the evidence.
#[derive(Clone, Debug, Args)]
pub struct SensorOptions {
    /// Evidence before this time does not count
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub not_before: Option<Timestamp>,

    /// A check that is required; may be repeated [default: what the rules of the base branch require, else all seen]
    #[arg(
        long = "required-check",
        value_name = "NAME",
        env = "CODEX_REVIEW_REQUIRED_CHECKS",
        hide_env_values = true,
        value_delimiter = '\n'
    )]
    pub required_checks: Vec<String>,
}

impl SensorOptions {
    /// The same for the core; an empty line names no check.
    pub fn settings(&self) -> Settings {
        let names = self.required_checks.iter().map(|name| name.trim().to_owned());
        Settings {
            not_before: self.not_before,
            required_checks: names.filter(|name| !name.is_empty()).collect(),
        }
    }
}

/// Reads an RFC 3339 time such as `2026-09-16T10:00:00Z`.
fn time(text: &str) -> Result<Timestamp, String> {
    Timestamp::from_text(text).ok_or_else(|| "a time is written as 2026-09-16T10:00:00Z".to_owned())
}

/// Record what becomes of the bot's findings, and list it: dispositions, problem families, rounds, checkpoints.
///
/// The record is a file of this machine, in the git directory of a checkout of the repository, else beside the
/// journal. An item is handled only with a complete disposition; a handled item whose text changes is open again.
#[derive(Debug, Args)]
#[command(
    subcommand_precedence_over_arg = true,
    after_help = "\
Exit codes:
  0   listed, recorded or answered
  1   could not find out or could not record it
  14  refused: the disposition is not complete, or the reply may not be posted; nothing was written
  15  whether a reply was posted is not known; run the command again

Files:
  codex-review-loop-PR.handled.json in the git directory, or in $GH_CODEX_LOOP_STATE_DIR/HOST/OWNER/REPO

Examples:
  gh codex-loop handled 42
  gh codex-loop handled 42 plan review-comment:7 \\
      --outcome fixed --family session-race
  gh codex-loop handled 42 add review-comment:7 \\
      --outcome fixed --family session-race \\
      --commit 58d4bceaec --evidence 'test keeps_the_lock'
  gh codex-loop handled 42 reply review-body:9 --outcome rebutted \\
      --body-file answer.md --authorization 'ada'
  gh codex-loop handled 42 add review-comment:8 --outcome rebutted \\
      --evidence 'the caller holds the lock'"
)]
pub struct Handled {
    #[command(flatten)]
    pub pull: PullArgument,

    #[command(subcommand)]
    pub action: Option<HandledAction>,
}

/// What to record.
#[derive(Debug, Subcommand)]
pub enum HandledAction {
    Plan(Plan),
    Add(Add),
    Reply(ReplyArguments),
    Checkpoint(CheckpointAnswers),
    Direction(DirectionText),
}

/// Record what is to be done about an item; it ends triage and handles nothing yet.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop handled 42 plan review-comment:7 \\
      --outcome fixed --family session-race
  gh codex-loop handled 42 plan review-comment:8 --outcome rebutted")]
pub struct Plan {
    /// The item, as `snapshot` and `findings` name it: review-comment:ID, review-body:ID or issue-comment:ID
    #[arg(value_name = "KEY")]
    pub key: String,

    /// What is to be done
    #[arg(long, value_name = "OUTCOME")]
    pub outcome: OutcomeWord,

    /// The problem family; a rebuttal needs none
    #[arg(long, value_name = "LABEL")]
    pub family: Option<String>,
}

/// Record that an item is handled: fixed by a pushed commit, or rebutted by a reply on GitHub.
///
/// From the second occurrence of a family a fix has to show its premise and how it covers the whole family.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop handled 42 add review-comment:7 \\
      --outcome fixed --family session-race \\
      --commit 58d4bceaec --evidence 'test keeps_the_lock'
  gh codex-loop handled 42 add review-comment:8 --outcome rebutted \\
      --evidence 'the caller holds the lock'")]
pub struct Add {
    /// The item: review-comment:ID, review-body:ID or issue-comment:ID
    #[arg(value_name = "KEY")]
    pub key: String,

    /// What became of it: fixed or rebutted
    #[arg(long, value_name = "OUTCOME")]
    pub outcome: OutcomeWord,

    /// The problem family, for a fix
    #[arg(long, value_name = "LABEL")]
    pub family: Option<String>,

    /// The commit that fixes it, on the hosted branch
    #[arg(long, value_name = "SHA")]
    pub commit: Option<String>,

    /// What shows it: a test, a measurement, a path through the code
    #[arg(long, value_name = "TEXT")]
    pub evidence: Option<String>,

    /// The premise that makes the claim right; from the second occurrence of a family
    #[arg(long, value_name = "TEXT")]
    pub premise: Option<String>,

    /// How the repair covers the whole family; from its second occurrence
    #[arg(long, value_name = "TEXT")]
    pub covers: Option<String>,
}

/// Answer an item that has no thread by one top-level comment that links it: posted exactly once or not at all.
///
/// The comment carries a hidden marker, so that CI and colleagues see the outcome; it is no handled key, which only
/// `add` records. Inline items are answered in their threads, by `resolve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop handled 42 reply review-body:9 --outcome rebutted \\
      --body-file answer.md --authorization 'ada'
  gh codex-loop handled 42 reply review-body:9 --outcome fixed \\
      --body-file answer.md --dry-run")]
pub struct ReplyArguments {
    /// The item: review-body:ID or issue-comment:ID
    #[arg(value_name = "KEY")]
    pub key: String,

    /// What became of it: fixed or rebutted
    #[arg(long, value_name = "OUTCOME")]
    pub outcome: OutcomeWord,

    /// The text; - reads stdin
    #[arg(long, value_name = "FILE")]
    pub body_file: PathBuf,

    /// The user's message, ticket or grant that authorizes exactly this
    #[arg(long, value_name = "REF")]
    pub authorization: Option<Reference>,

    /// Show exactly what would be posted, and post and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Record the answers of a published convergence checkpoint.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop handled 42 checkpoint \\
      --url https://github.com/octo/widgets/pull/42#issuecomment-77 \\
      --recurrence no --caused-by-prior-repair no \\
      --aligned yes --scope-growth no --decreasing yes")]
pub struct CheckpointAnswers {
    /// Where the checkpoint is published
    #[arg(long, value_name = "URL", value_parser = url)]
    pub url: String,

    /// Which problem families came back; no when none did
    #[arg(long, value_name = "FAMILIES")]
    pub recurrence: String,

    /// Whether an earlier repair caused the new findings
    #[arg(long, value_name = "yes|no")]
    pub caused_by_prior_repair: YesNo,

    /// Whether the work still fits what the pull request is about
    #[arg(long, value_name = "yes|no")]
    pub aligned: YesNo,

    /// Whether the pull request grew materially
    #[arg(long, value_name = "yes|no")]
    pub scope_growth: YesNo,

    /// Whether there are fewer open problems than before
    #[arg(long, value_name = "yes|no")]
    pub decreasing: YesNo,
}

/// Record the user's direction; it clears every limit until the next checkpoint.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop handled 42 direction --text 'Go on; keep the scope.'")]
pub struct DirectionText {
    /// The user's words
    #[arg(long, value_name = "TEXT", value_parser = words)]
    pub text: String,
}

/// What is done about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutcomeWord {
    Fixed,
    Rebutted,
    UserDecision,
}

impl From<OutcomeWord> for handled::Outcome {
    fn from(word: OutcomeWord) -> Self {
        match word {
            OutcomeWord::Fixed => Self::Fixed,
            OutcomeWord::Rebutted => Self::Rebutted,
            OutcomeWord::UserDecision => Self::UserDecision,
        }
    }
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    Yes,
    No,
}

impl YesNo {
    /// The same as a truth value.
    pub fn is_yes(self) -> bool {
        self == Self::Yes
    }
}

/// Name the one next tick of the review loop, within its convergence limits, and the condition that decides it.
///
/// Reads one snapshot and what `handled` recorded. It performs nothing and never merges; `ready-to-merge` takes two
/// readings that agree on the head: pass the document of the reading before with --previous.
#[derive(Debug, Args)]
#[command(after_help = "\
Actions, in this order:
  stop, recollect, triage, ask-user, checkpoint, strategy-reset, family-repair, address, fix-ci, verify-ci,
  verify-no-ci, wait-ci, request-review, wait-review, mark-ready, confirm, ready-to-merge

Exit codes:
  0   ready-to-merge, stop
  1   could not find out
  8   wait-ci, wait-review, confirm
  10  every other action: there is work to do
  13  ask-user, verify-ci, verify-no-ci, recollect

Examples:
  gh codex-loop converge 42 --json > tick.json
  gh codex-loop converge 42 --previous tick.json --jq .action
  gh codex-loop converge 42 --ci-none-ok 'only documentation changed'")]
pub struct Converge {
    #[command(flatten)]
    pub pull: PullArgument,

    #[command(flatten)]
    pub sensor: SensorOptions,

    /// The whole document that an earlier `converge --json` printed
    #[arg(long, value_name = "FILE")]
    pub previous: Option<PathBuf>,

    /// A neutral or skipped required check that is meant to be so; may be repeated
    #[arg(long, value_name = "NAME=REASON")]
    pub ci_neutral_ok: Vec<Acknowledged>,

    /// Why it is meant that there is no check
    #[arg(long, value_name = "REASON", value_parser = words)]
    pub ci_none_ok: Option<String>,
}

/// A check and why its end is meant to be so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    pub name: String,
    pub reason: String,
}

impl FromStr for Acknowledged {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, reason)) if !name.trim().is_empty() && !reason.trim().is_empty() => Ok(Self {
                name: name.trim().to_owned(),
                reason: reason.trim().to_owned(),
            }),
            Some(_) | None => Err("give the check's name and the reason: NAME=REASON".to_owned()),
        }
    }
}

/// A text with words in it.
fn words(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        Err("it cannot be empty".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// The address of a page.
fn url(text: &str) -> Result<String, String> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !text.contains(|c: char| c.is_control() || c.is_whitespace()) => {
            Ok(text.to_owned())
        }
        Some(_) | None => Err("a page is given as https://…".to_owned()),
    }
}
