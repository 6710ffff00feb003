//! The arguments of the commands about this program: documents, completions, manual.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Print the JSON Schema of a document that a command prints.
///
/// Without NAME the documents are listed. Programs may rely on everything a schema says; fields are only ever added.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0    printed
  2    there is no document of that name

Examples:
  gh codex-loop schema
  gh codex-loop schema classification
  gh codex-loop schema classification -q '.required'")]
pub struct Schema {
    /// The document, as in codex-loop.NAME/1 [default: list them]
    #[arg(value_name = "DOCUMENT")]
    pub name: Option<String>,
}

/// Print the completion script of a shell.
///
/// It completes both `gh-codex-loop` and `gh codex-loop`, and leaves the rest of gh to gh's own completion and to
/// other extensions: load it after those. Pull requests, threads, findings and fields complete too; they are asked of
/// GitHub at most once a minute, within three seconds, and silently left out when that fails.
#[derive(Debug, Args)]
#[command(after_help = "\
Set up:
  bash          in ~/.bashrc: source <(gh codex-loop completion -s bash)
  zsh           in ~/.zshrc, after compinit: source <(gh codex-loop completion -s zsh)
  fish          in ~/.config/fish/config.fish: gh codex-loop completion -s fish | source
  PowerShell    in $PROFILE: gh codex-loop completion -s powershell | Out-String | Invoke-Expression

Examples:
  gh codex-loop completion -s bash
  gh codex-loop completion -s fish")]
pub struct Completion {
    /// The shell
    #[arg(short, long, value_name = "SHELL")]
    pub shell: Shell,
}

/// A shell with completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(alias = "pwsh")]
    Powershell,
}

/// Answer a shell: candidates for the last of these words, one a line, each with a tab and what it is.
#[derive(Debug, Args)]
pub struct Complete {
    /// The words behind the program's name up to the cursor; the last one is being completed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORD")]
    pub words: Vec<OsString>,
}

/// Show a page of the manual.
///
/// Each command has a page with everything its `--help` says, and with exit codes, files and environment. gh installs
/// no manual for its extensions; with --install `man gh-codex-loop-status` works too.
#[derive(Debug, Args)]
#[command(after_help = "\
Files:
  ~/.local/share/man/man1    where --install puts the pages; $XDG_DATA_HOME is honoured

Examples:
  gh codex-loop man
  gh codex-loop man classify
  gh codex-loop man classify --roff
  gh codex-loop man --install")]
pub struct Man {
    /// A command, or the name of a page [default: gh-codex-loop]
    #[arg(value_name = "PAGE")]
    pub page: Option<String>,

    /// Print the page's source instead of showing it
    #[arg(long)]
    pub roff: bool,

    /// Write every page to a folder of manual pages
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, conflicts_with_all = ["page", "roff"])]
    pub install: Option<Option<PathBuf>>,
}

/// Rewrite what is made from the command line: `completions/`, `man/` and the tables in README.md.
#[derive(Debug, Args)]
pub struct Generate {
    /// Change nothing; fail and name what is not up to date
    #[arg(long)]
    pub check: bool,

    /// The checkout
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
}
