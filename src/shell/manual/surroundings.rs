//! Environment variables and files that the commands use; help texts do not list them.

/// Something outside the command line that a command depends on.
pub struct Surrounding {
    pub name: &'static str,
    pub about: &'static str,
    commands: Commands,
}

/// Which commands.
enum Commands {
    All,
    /// Those that ask GitHub.
    OnGithub,
    Only(&'static [&'static str]),
}

impl Surrounding {
    const fn new(name: &'static str, commands: Commands, about: &'static str) -> Self {
        Self {
            name,
            about,
            commands,
        }
    }

    /// Whether this command depends on it.
    pub fn concerns(&self, command: &str, on_github: bool) -> bool {
        match self.commands {
            Commands::All => true,
            Commands::OnGithub => on_github,
            Commands::Only(names) => names.contains(&command),
        }
    }
}

/// The commands that keep or read what was written on GitHub.
const JOURNALED: Commands = Commands::Only(&[
    "status",
    "list",
    "classify",
    "gate",
    "watch",
    "preflight",
    "request",
    "retry",
    "resolve",
    "authorize",
    "handled",
    "converge",
]);

pub const ENVIRONMENT: &[Surrounding] = &[
    Surrounding::new(
        "GH_REPO",
        Commands::OnGithub,
        "The repository, [HOST/]OWNER/REPO, where none is named by --repo.",
    ),
    Surrounding::new(
        "GH_HOST",
        Commands::OnGithub,
        "The GitHub host where neither a URL, --repo nor a remote names one; github.com by default.",
    ),
    Surrounding::new(
        "GH_PATH",
        Commands::OnGithub,
        "The gh to use; gh sets it for its extensions. Otherwise the first gh in PATH.",
    ),
    Surrounding::new(
        "GH_TOKEN, GH_ENTERPRISE_TOKEN",
        Commands::OnGithub,
        "Left to gh, like everything else that gh reads: this program never sees a stored token.",
    ),
    Surrounding::new(
        "CODEX_REVIEW_GH_TIMEOUT_SECONDS",
        Commands::OnGithub,
        "How long one gh call may take, where --gh-timeout is not given.",
    ),
    Surrounding::new(
        "CODEX_REVIEW_REQUIRED_CHECKS",
        Commands::Only(&["snapshot", "converge"]),
        "Names of required checks, one a line, where --required-check is not given.",
    ),
    Surrounding::new(
        "GH_CODEX_LOOP_STATE_DIR",
        JOURNALED,
        "The folder of the journal; by default gh-codex-loop in XDG_STATE_HOME.",
    ),
    Surrounding::new(
        "NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM",
        Commands::All,
        "Whether to use colour, where --color is auto.",
    ),
    Surrounding::new(
        "FORCE_HYPERLINK",
        Commands::All,
        "Whether to put pages behind texts (OSC 8): 0 for never, anything else for always; otherwise where the \
         terminal is known to open them. Never where colour is off.",
    ),
    Surrounding::new(
        "COLUMNS",
        Commands::All,
        "The columns to fill on a terminal, where its own size is not meant.",
    ),
    Surrounding::new(
        "GH_SPINNER_DISABLED",
        Commands::Only(&["watch"]),
        "Set for a line that does not move while a watch waits.",
    ),
];

pub const FILES: &[Surrounding] = &[
    Surrounding::new(
        "~/.local/state/gh-codex-loop/HOST/OWNER/REPO/PR.json",
        JOURNALED,
        "The journal of a pull request: what was asked for on GitHub, what came of it, and standing authorizations. \
         PR.lock beside it keeps two runs apart.",
    ),
    Surrounding::new(
        ".git/codex-review-loop-PR.handled.json",
        Commands::Only(&["handled", "converge", "snapshot"]),
        "What was done about each finding, in the checkout; beside the journal where there is none.",
    ),
];
