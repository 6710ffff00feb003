//! The arguments of `evaluate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::PullArgument;

/// Evaluate the bounded review loop: one exact JSON document in, one decision out.
///
/// A pure function: it runs no Git, writes nothing, and reads GitHub only for `state`. Without a subcommand FILE is
/// a recurring state. Documents are snake_case and exact: an unknown, missing, duplicated or wrongly typed field is an
/// error. Then there is no decision, and the only change still allowed is the pause-only quarantine that stderr
/// describes.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Exit codes:
  0    a valid decision
  1    invalid input: no decision; stderr names the pause-only quarantine and its conditions

Examples:
  gh codex-loop evaluate example recurring | gh codex-loop evaluate
  gh codex-loop evaluate state 42 --checkpoint checkpoint.json | \\
      gh codex-loop evaluate -q .action
  gh codex-loop evaluate example initial >plan.json
  gh codex-loop evaluate initial plan.json -q .initial_plan_hash
  gh codex-loop evaluate schema checkpoint"
)]
pub struct Evaluate {
    /// The recurring state; - or none reads stdin
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// A policy file; accepted only when it is exactly the pinned policy
    #[arg(long, global = true, value_name = "FILE")]
    pub policy: Option<PathBuf>,

    #[command(subcommand)]
    pub subject: Option<Subject>,
}

/// What to evaluate or to print.
#[derive(Debug, Subcommand)]
pub enum Subject {
    /// May the plan be shown, approved and begun: {snapshot, manifest, plan_hash}
    #[command(after_help = "\
Examples:
  gh codex-loop evaluate initial plan.json
  gh codex-loop evaluate initial plan.json -q .initial_plan_hash")]
    Initial(Document),
    /// May the paused stub be given its prompt: the bootstrap snapshot with its digest and rendering
    #[command(after_help = "\
Examples:
  gh codex-loop evaluate prompt bootstrap.json")]
    Prompt(Document),
    /// What this wakeup does: the complete state; the default
    #[command(after_help = "\
Examples:
  gh codex-loop evaluate recurring state.json -q .action
  gh codex-loop evaluate example recurring | gh codex-loop evaluate")]
    Recurring(Document),
    /// Print the pinned policy
    #[command(after_help = "\
Examples:
  gh codex-loop evaluate policy >policy.json")]
    Policy,
    /// Print the canonical digest of any document
    #[command(after_help = "\
Examples:
  gh codex-loop evaluate hash plan.json")]
    Hash(Document),
    /// Print a valid document
    #[command(after_help = "\
Examples:
  gh codex-loop evaluate example
  gh codex-loop evaluate example recurring >state.json")]
    Example(Example),
    /// Print the JSON Schema of a document or decision
    #[command(after_help = "\
Examples:
  gh codex-loop evaluate schema
  gh codex-loop evaluate schema checkpoint")]
    Schema(Schema),
    /// Print the recurring state: a checkpoint, and what GitHub shows now
    #[command(after_help = "\
Examples:
  gh codex-loop evaluate state 42 --checkpoint checkpoint.json")]
    State(State),
}

/// A document.
#[derive(Debug, Args)]
pub struct Document {
    /// The document; - or none reads stdin
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// An example.
#[derive(Debug, Args)]
pub struct Example {
    /// Which one [default: list them]
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// A schema.
#[derive(Debug, Args)]
pub struct Schema {
    /// Which one [default: list them]
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// The hosted half of a state.
#[derive(Debug, Args)]
pub struct State {
    #[command(flatten)]
    pub pull: PullArgument,

    /// What the automation prompt persists and what is seen on this machine; - reads stdin
    #[arg(long, value_name = "FILE")]
    pub checkpoint: PathBuf,
}
