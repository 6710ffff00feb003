//! The commands that read and decide, and write nothing.

use std::str::FromStr;

use clap::Args;
use codex_loop::bot::findings::Priority;

use super::PullArgument;
use crate::suggestion::did_you_mean;

/// Say where the review run stands: clean, findings, failed, in-progress, stale or indeterminate.
///
/// The review-run protocol over everything the bot left on the pull request, bound to the head commit and to the
/// comment that asked for the review. Clean is said only when the evidence proves it; every other answer says why,
/// and an indeterminate one names what would decide it.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0   clean
  1   could not find out
  8   in progress
  10  findings
  11  failed
  12  stale
  13  indeterminate

Examples:
  gh codex-loop classify 42
  gh codex-loop classify 42 --json state,reasons,next
  gh codex-loop classify 42 --jq '.reasons[].code'
  gh codex-loop classify 42 --judge issue-comment:7=no-findings@SHA256")]
pub struct Classify {
    #[command(flatten)]
    pub pull: PullArgument,
}

/// List the review's findings: key, thread, priority, title, place, page and whether they are open.
///
/// Findings are claims to verify, from review threads, review bodies and comments of the bot. Without --all only the
/// open ones are listed, for this head or as a thread of any head.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop findings 42
  gh codex-loop findings 42 --priority P0,P1
  gh codex-loop findings 42 --all --json findings")]
pub struct Findings {
    #[command(flatten)]
    pub pull: PullArgument,

    /// Addressed and outdated ones, and those of other heads, too
    #[arg(long)]
    pub all: bool,

    /// Only these priorities, separated by commas: P0, P1, P2, P3, unknown
    #[arg(long, value_name = "PRIORITIES", value_delimiter = ',')]
    pub priority: Vec<PriorityWord>,

    #[command(flatten)]
    pub ending: Ending,
}

/// Explain the decision: every piece of evidence in time order, used or rejected, and why.
///
/// Texts of the bot that this version does not know are quoted as drift; report them with
/// `collect --redact --keep KEY`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop explain 42
  gh codex-loop explain 42 --jq '.items[] | select(.used)'
  gh codex-loop explain --from evidence.json")]
pub struct Explain {
    #[command(flatten)]
    pub pull: PullArgument,

    #[command(flatten)]
    pub ending: Ending,
}

/// How a command that informs ends.
#[derive(Clone, Copy, Debug, Args)]
pub struct Ending {
    /// End with the exit code of the verdict instead of 0
    #[arg(long)]
    pub exit_code: bool,
}

/// A priority as it is written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriorityWord(pub Priority);

impl FromStr for PriorityWord {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Priority::ALL
            .iter()
            .find(|priority| priority.as_str().eq_ignore_ascii_case(text));
        found.map(|priority| Self(*priority)).ok_or_else(|| {
            let words: Vec<&str> = Priority::ALL.iter().map(|priority| priority.as_str()).collect();
            let meant = did_you_mean(text, words.iter().copied());
            format!("{meant}a priority is one of {}", words.join(", "))
        })
    }
}
