//! The command line. The doc comments here are the manual: help, completions and man pages are made of them.

pub mod deciding;
pub mod evaluate;
pub mod gating;
pub mod reference;
mod refusal;
pub mod sensor;
pub mod writing;

use std::ffi::OsString;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use codex_loop::options::{Judgement, Options};

use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::selector::{RepositoryArgument, Selector};

/// Where the Codex review of a pull request stands, and why.
///
/// Collects everything the Codex review bot left on a pull request through your own authenticated gh, decides what
/// it proves, and explains the decision. It never says clean when the evidence does not prove it. It never merges,
/// never starts CI and never edits code.
#[derive(Debug, Parser)]
#[command(
    name = "gh-codex-loop",
    bin_name = "gh codex-loop",
    version,
    propagate_version = true,
    disable_help_subcommand = true,
    max_term_width = 110,
    after_help = EXAMPLES,
    after_long_help = manual()
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  gh codex-loop status 42                everything at a glance
  gh codex-loop classify --json state    for a script, which reads the exit code
  gh codex-loop status --demo            try it without GitHub";

/// What `--help` says after the options.
fn manual() -> String {
    let codes: String = ExitCode::ALL
        .iter()
        .map(|code| format!("  {:<5}{}\n", code.number(), code.meaning()))
        .collect();
    format!(
        "Pull request argument:\n  42, #42, a URL, a branch, owner:branch, or none for the pull request of the current \
         branch\n\nExit codes:\n{codes}\n{EXAMPLES}"
    )
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Repository, as gh takes it [default: the current directory's, or GH_REPO]
    #[arg(short = 'R', long, global = true, value_name = "[HOST/]OWNER/REPO")]
    pub repo: Option<RepositoryArgument>,

    /// Evaluate a saved evidence bundle instead of GitHub; - reads stdin
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "demo")]
    pub from: Option<PathBuf>,

    /// Evaluate a built-in bundle instead of GitHub
    #[arg(long, global = true, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub demo: Option<String>,

    /// Print JSON: the whole document, or only these top-level fields, separated by commas
    #[arg(long, global = true, value_name = "FIELDS", num_args = 0..=1, default_missing_value = "")]
    pub json: Option<String>,

    /// Filter the JSON with a jq expression; implies --json, strings print raw
    #[arg(short = 'q', long, global = true, value_name = "EXPR")]
    pub jq: Option<String>,

    /// Seconds that one gh call may take
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        value_name = "SECONDS",
        env = "CODEX_REVIEW_GH_TIMEOUT_SECONDS",
        default_value = "90",
        value_parser = duration
    )]
    pub gh_timeout: Duration,

    /// Accept a reaction only when GitHub serialises its author as Bot
    #[arg(long, global = true, hide_short_help = true)]
    pub strict_identity: bool,

    /// Your reading of one bot text that the tool could not read, valid for exactly that body
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        value_name = "KEY=no-findings|findings@SHA256"
    )]
    pub judge: Vec<Judgement>,

    /// When to use colour
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub color: Color,

    /// Print each gh call with its duration to stderr
    #[arg(short, long, global = true, hide_short_help = true)]
    pub verbose: bool,
}

impl Global {
    /// The choices that every decision takes.
    pub fn options(&self) -> Options {
        Options {
            strict_identity: self.strict_identity,
            judgements: self.judge.clone(),
        }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Status(gating::Status),
    List(gating::List),
    Classify(deciding::Classify),
    Findings(deciding::Findings),
    Explain(deciding::Explain),
    Gate(gating::Gate),
    Watch(gating::Watch),
    Snapshot(sensor::Snapshot),
    Handled(sensor::Handled),
    Converge(sensor::Converge),
    Preflight(writing::Preflight),
    Request(writing::Request),
    Retry(writing::Retry),
    Resolve(writing::Resolve),
    Authorize(writing::Authorize),
    Collect(Collect),
    Evaluate(evaluate::Evaluate),
    Schema(reference::Schema),
    Completion(reference::Completion),
    Man(reference::Man),
    #[command(hide = true)]
    Generate(reference::Generate),
    #[command(name = "__complete", hide = true)]
    Complete(reference::Complete),
}

/// The pull request.
#[derive(Clone, Debug, Args)]
pub struct PullArgument {
    /// Number, #number, URL, branch or owner:branch [default: the pull request of the current branch]
    #[arg(value_name = "PR")]
    pub pull: Option<Selector>,
}

/// Write everything that was read about a pull request as one evidence bundle.
///
/// The bundle is the only input of every decision: `classify --from FILE` gives what `classify` gave live. With
/// `--redact` it can be shown to others: names, paths and free text become stable pseudonyms, the decision stays.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop collect 42 -o evidence.json
  gh codex-loop classify --from evidence.json
  gh codex-loop collect 42 --redact --keep issue-comment:123 -o report.json")]
pub struct Collect {
    #[command(flatten)]
    pub pull: PullArgument,

    /// File to write [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace names, titles, paths and all text that is not the bot's own wording by pseudonyms
    #[arg(long)]
    pub redact: bool,

    /// With --redact, leave this text as it is; may be repeated
    #[arg(long, value_name = "KEY", requires = "redact")]
    pub keep: Vec<String>,

    #[command(flatten)]
    pub ending: deciding::Ending,
}

/// Whether errors are to be JSON documents too; asked before the arguments are known to be right.
pub fn wants_json(arguments: impl Iterator<Item = OsString>) -> bool {
    arguments
        .skip(1)
        .take_while(|argument| argument != "--")
        .any(|argument| {
            let text = argument.to_string_lossy();
            ["--json", "--jq", "-q"].iter().any(|option| *option == text)
                || text.starts_with("--json=")
                || text.starts_with("--jq=")
                || (text.starts_with("-q") && !text.starts_with("--"))
        })
}

/// Reads the arguments. Help, version, and the words about a wrong command line are printed here and end the process.
pub fn parse(json: bool) -> Result<Cli, Error> {
    let colored = Cli::command().color(match color_asked() {
        Color::Auto => clap::ColorChoice::Auto,
        Color::Always => clap::ColorChoice::Always,
        Color::Never => clap::ColorChoice::Never,
    });
    let arguments = help_as_an_option(std::env::args_os());
    let read = colored
        .try_get_matches_from(&arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let error = match read {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    if !error.use_stderr() {
        crate::output::refuse_closed()?;
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        crate::output::written(printed)?;
        std::process::exit(i32::from(ExitCode::Holds.number()));
    }
    let refusal = refusal::Refusal::of(error, &arguments);
    if json {
        return Err(refusal.document());
    }
    // A closed stderr leaves nobody to tell; the exit code still says it.
    let painted = crate::output::colors_stderr(color_asked());
    let _ = writeln!(std::io::stderr(), "{}", refusal.text(painted));
    std::process::exit(i32::from(ExitCode::Usage.number()));
}

/// `help status` is what gh's users type for `status --help`.
fn help_as_an_option(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments.get(1).is_some_and(|word| word == "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    arguments
}

/// What `--color` says, for texts that are printed before the arguments are known to be right.
pub fn color_asked() -> Color {
    let arguments: Vec<String> = std::env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let joined = arguments
        .iter()
        .filter_map(|argument| argument.strip_prefix("--color="));
    let apart = arguments.windows(2).filter_map(|pair| match pair {
        [option, value] if option == "--color" => Some(value.as_str()),
        _ => None,
    });
    joined
        .chain(apart)
        .find_map(|word| Color::from_str(word, true).ok())
        .unwrap_or(Color::Auto)
}

/// Reads a whole number of this range.
pub fn whole(range: RangeInclusive<u32>) -> impl Fn(&str) -> Result<u32, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("give a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Reads `90`, `90s`, `35m`, `24h`, `2d`; a bare number is seconds.
///
/// # Errors
/// One sentence when the text is no positive duration.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (digits, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let scale = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err("a duration is a number with s, m, h or d, such as 90, 35m or 24h".into()),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(scale))
        .filter(|seconds| (1..=MAX_SECONDS).contains(seconds))
        .map(Duration::from_secs)
        .ok_or_else(|| "a duration is a number from 1 second to 10 years, such as 90, 35m or 24h".into())
}

/// Ten years: longer is a typing error, and sums of times stay far from overflow.
const MAX_SECONDS: u64 = 315_360_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command that people see, those below others too, with its words.
    fn commands(of: &clap::Command, words: &str) -> Vec<(String, clap::Command)> {
        let below = of.get_subcommands().filter(|command| !command.is_hide_set());
        let mut found = vec![(words.to_owned(), of.clone())];
        for command in below {
            found.extend(commands(command, &format!("{words} {}", command.get_name())));
        }
        found
    }

    #[test]
    fn every_help_begins_with_what_it_is_for_and_ends_with_examples_of_short_lines() {
        let mut root = Cli::command();
        root.build();
        let all = commands(&root, "gh codex-loop");
        assert!(
            all.len() > 30,
            "the commands below `handled` and `evaluate` are among them"
        );
        for (words, mut command) in all {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            for help in [
                command.render_help().to_string(),
                command.render_long_help().to_string(),
            ] {
                assert!(
                    !about.is_empty() && help.starts_with(about.get(..20).unwrap_or_default()),
                    "{words}: {help}"
                );
                let (_, examples) = help
                    .rsplit_once("\nExamples:\n")
                    .unwrap_or_else(|| panic!("{words}: {help}"));
                assert!(
                    examples.lines().all(|line| line.starts_with("  ")),
                    "{words} ends with {examples}"
                );
                let shows = |line: &str| words.split(' ').all(|word| line.contains(word));
                assert!(examples.lines().any(shows), "{words}: {examples}");
                for line in examples.lines() {
                    assert!(line.len() <= 80, "{words}: {line}");
                }
            }
        }
    }

    #[test]
    fn the_short_help_leaves_out_what_is_rarely_used_and_the_long_one_nothing() {
        let mut root = Cli::command();
        root.build();
        let status = root.find_subcommand_mut("status").expect("a command");
        let (short, long) = (
            status.render_help().to_string(),
            status.render_long_help().to_string(),
        );
        for option in [
            "--judge",
            "--gh-timeout",
            "--strict-identity",
            "--color",
            "--verbose",
        ] {
            assert!(!short.contains(option) && long.contains(option), "{option}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn durations_have_units_and_bounds() {
        for (text, seconds) in [
            ("90", 90),
            ("90s", 90),
            ("35m", 2_100),
            ("24h", 86_400),
            ("2d", 172_800),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in [
            "",
            "0",
            "0m",
            "m",
            "1w",
            "-1",
            "1.5",
            "1 h",
            "99999999999999999999",
            "3651d",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
