//! The commands that read the run and the merge gate together.

use std::time::Duration;

use clap::Args;
use codex_loop::gate::GateOptions;

use super::deciding::Ending;
use super::{PullArgument, duration};

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
  0 may be merged   8 waiting, tests pending or missing, draft   10 blocking, tests failing, conflicting
  1 could not find out

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
            grace: chrono::TimeDelta::from_std(self.grace).unwrap_or(chrono::TimeDelta::MAX),
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
