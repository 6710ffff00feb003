//! The commands of the stable sensor: the snapshot, the recorded dispositions, the next tick of the loop.

use clap::Args;
use codex_loop::evidence::observed::{Scalar, Timestamp};
use codex_loop::sensor::Settings;

use super::PullArgument;

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
