//! The commands that read the run and the merge gate together.

use std::time::Duration;

use chrono::TimeDelta;
use clap::{Args, ValueEnum};
use codex_loop::gate::GateOptions;
use codex_loop::watch::{Until, WatchOptions};

use super::deciding::Ending;
use super::{PullArgument, duration, whole};

/// Show everything at a glance: headline, run, gate, findings, checks, and the one thing to do next.
///
/// The headline joins the review run and the merge gate: it is never clean while either shows a finding, and it knows
/// automatic reviews, which have no trigger.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop status 42
  gh codex-loop status 42 --json verdict,next
  gh codex-loop status --demo")]
pub struct Status {
    #[command(flatten)]
    pub pull: PullArgument,

    #[command(flatten)]
    pub ending: Ending,
}

/// Say whether the pull request may be merged: approved, waiting, blocking or overridden.
///
/// Approved means that the bot's newest fresh thumbs-up stands on exactly this head and this description, and that
/// nothing it wrote is open. Everything is read twice and has to be equal. When it may be merged, the command that
/// merges exactly this head is printed, and never run.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0   may be merged
  1   could not find out
  8   waiting, tests pending or missing, draft
  10  blocking, tests failing, conflicting

Examples:
  gh codex-loop gate 42
  gh codex-loop gate 42 --ignore-check codex-gate --json mergeAllowed,blockers
  gh codex-loop gate 42 --override 'urgent fix, agreed with the team'")]
pub struct Gate {
    #[command(flatten)]
    pub pull: PullArgument,

    /// Merge without the bot's approval, for this reason; it is kept in the document
    #[arg(long = "override", value_name = "REASON", value_parser = reason)]
    pub override_reason: Option<String>,

    #[command(flatten)]
    pub choices: Choices,
}

/// What the caller chose for the gate.
#[derive(Clone, Debug, Args)]
pub struct Choices {
    /// The last edit of the description does not matter, for this reason; it is kept in the document
    #[arg(long, value_name = "REASON", value_parser = reason)]
    pub edit_immaterial: Option<String>,

    /// Do not wait for this check; may be repeated
    #[arg(long, value_name = "NAME")]
    pub ignore_check: Vec<String>,

    /// A head without any check may be merged
    #[arg(long)]
    pub allow_no_checks: bool,

    /// How young an approval is while a second review may follow; 0 for never
    #[arg(long, value_name = "DURATION", default_value = "90s", value_parser = grace)]
    pub grace: Duration,
}

impl Choices {
    /// As the core takes them.
    pub fn options(&self, override_reason: Option<String>) -> GateOptions {
        GateOptions {
            override_reason,
            edit_immaterial: self.edit_immaterial.clone(),
            ignored_checks: self.ignore_check.iter().cloned().collect(),
            allow_no_checks: self.allow_no_checks,
            grace: TimeDelta::from_std(self.grace).unwrap_or(TimeDelta::MAX),
        }
    }
}

/// A reason is what somebody else will read later: it may not be empty.
fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        Err("a reason is some text".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// A duration, or 0.
pub fn grace(text: &str) -> Result<Duration, String> {
    if matches!(text, "0" | "0s") {
        Ok(Duration::ZERO)
    } else {
        duration(text)
    }
}

/// Poll until the verdict is terminal: clean, findings, failed, stale, or something that only a person can change.
///
/// Never posts. Before it reports clean it waits out a grace in which a second review of the same head may still bring
/// a finding. A rate limit is waited out; three failed readings in a row end it.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0   clean; with --until gate: may be merged
  1   three failures in a row
  8   timeout; with --until gate also waiting, tests pending or missing, draft
  10  findings; with --until gate: blocking, tests failing, conflicting
  11  failed
  12  stale
  13  indeterminate

Examples:
  gh codex-loop watch 42
  gh codex-loop watch 42 --until gate --timeout 1h && gh codex-loop gate 42
  gh codex-loop watch 42 --wait-automatic --json verdict,next")]
pub struct Watch {
    #[command(flatten)]
    pub pull: PullArgument,

    /// What to wait for
    #[arg(long, value_name = "WHAT", default_value = "terminal")]
    pub until: UntilWord,

    /// Keep waiting through stale and no-trigger, for a review that starts by itself
    #[arg(long)]
    pub wait_automatic: bool,

    /// First delay between two readings; it grows to a minute while nothing changes
    #[arg(long, value_name = "DURATION", default_value = "20s", value_parser = duration)]
    pub interval: Duration,

    /// How long to watch
    #[arg(long, value_name = "DURATION", default_value = "35m", value_parser = duration)]
    pub timeout: Duration,

    #[command(flatten)]
    pub choices: Choices,
}

/// What a watch waits for, as it is written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UntilWord {
    /// A verdict that does not change by itself
    Terminal,
    /// A gate that waits no longer
    Gate,
    /// Any change
    Change,
}

impl Watch {
    /// As the core takes them.
    pub fn options(&self) -> WatchOptions {
        let delta = |duration: Duration| TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX);
        WatchOptions {
            until: match self.until {
                UntilWord::Terminal => Until::Terminal,
                UntilWord::Gate => Until::Gate,
                UntilWord::Change => Until::Change,
            },
            wait_automatic: self.wait_automatic,
            interval: delta(self.interval),
            timeout: delta(self.timeout),
            grace: delta(self.choices.grace),
        }
    }
}

/// List the open pull requests, one row each: what needs you comes first.
///
/// Number, verdict, open findings, gate, tests, age, next action and title. Pull requests on which Codex never was cost
/// no further call; one that cannot be read is a row that says so.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop list
  gh codex-loop list --author octocat --limit 10
  gh codex-loop list -q '.pullRequests[] | select(.mergeAllowed) | .number'")]
pub struct List {
    /// Only those that this user opened
    #[arg(long, value_name = "LOGIN")]
    pub author: Option<String>,

    /// Only those that bear one of these labels; may be repeated
    #[arg(short, long, value_name = "NAME")]
    pub label: Vec<String>,

    /// How many at most, the newest first
    #[arg(short = 'L', long, value_name = "NUMBER", default_value = "30", value_parser = whole(1..=100))]
    pub limit: u32,

    #[command(flatten)]
    pub ending: Ending,
}
