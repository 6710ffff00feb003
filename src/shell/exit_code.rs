//! Exit codes: the one list of what the number at the end means. Scripts rely on it.

use std::process::ExitCode as Code;

/// What the process says at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// It holds: clean, approved with passing tests, allowed, done, ready.
    Holds = 0,
    /// Could not find out or could not do it; nothing is asserted about the pull request.
    Unknown = 1,
    /// The command line is wrong.
    Usage = 2,
    /// gh has no token.
    NoToken = 4,
    /// Review in progress, gate waiting, tests pending.
    Pending = 8,
    /// Findings, gate blocking, tests failing, work to do.
    Work = 10,
    /// The run failed.
    Failed = 11,
    /// The head changed after the newest trigger.
    Stale = 12,
    /// Indeterminate, or a user's decision is needed.
    Indeterminate = 13,
    /// A precondition of the write does not hold; nothing was written.
    Refused = 14,
    /// A write's outcome is unknown; nothing more is written until `--reconcile`.
    Reconcile = 15,
    /// Interrupted.
    Interrupted = 130,
}

impl ExitCode {
    /// Every code, in order.
    pub const ALL: [Self; 12] = [
        Self::Holds,
        Self::Unknown,
        Self::Usage,
        Self::NoToken,
        Self::Pending,
        Self::Work,
        Self::Failed,
        Self::Stale,
        Self::Indeterminate,
        Self::Refused,
        Self::Reconcile,
        Self::Interrupted,
    ];

    /// The number.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// What help, manual and README say about it.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Holds => "it holds: clean, approved with passing tests, allowed, done, ready",
            Self::Unknown => {
                "could not find out or could not do it; nothing is asserted about the pull request"
            }
            Self::Usage => "usage",
            Self::NoToken => "gh has no token",
            Self::Pending => "pending: review in progress, gate waiting, tests pending",
            Self::Work => "findings, gate blocking, tests failing, work to do",
            Self::Failed => "failed run",
            Self::Stale => "stale: the head changed after the newest trigger",
            Self::Indeterminate => "indeterminate, or a user's decision is needed",
            Self::Refused => "refused: a precondition of the write does not hold, nothing was written",
            Self::Reconcile => {
                "reconciliation required: a write's outcome is unknown, nothing more will be written until \
                 `--reconcile`"
            }
            Self::Interrupted => "interrupted",
        }
    }

    /// What a coding agent does about it, as the skill says; Markdown.
    pub const fn recovery(self) -> &'static str {
        match self {
            Self::Holds => "Go on with the next step; after `gate`: it may be merged, by whoever may merge.",
            Self::Unknown => {
                "Read `kind` and `hint` of the error document on stderr. `rate-limited`: wait until the time it names, \
                 then run the same command again. `network`, `timeout`, `unstable`, `incomplete`: run it again, three \
                 times at most. A document with `state` `creation-failed`: certainly not posted, ask for a new \
                 authorization. Anything else: tell the user the hint. Conclude nothing about the review."
            }
            Self::Usage => "Correct the command line by the message, or by `--help`.",
            Self::NoToken => "Ask the user to run `gh auth login`.",
            Self::Pending => "Wait with `watch`, after `gate` with `watch --until gate`; request nothing.",
            Self::Work => "Work through `findings`; after `gate` also fix failing checks and conflicts.",
            Self::Failed => {
                "Run `retry`, once and only with an authorization; exit 14 then means: ask the user."
            }
            Self::Stale => {
                "The answer is for an older head. Request one review of this head, or `watch --wait-automatic` where \
                 reviews start by themselves."
            }
            Self::Indeterminate => {
                "Do what `next` in the document says. `judge`: read the quoted text and answer with `--judge`. \
                 `reconcile`: run `explain`. `recollect`: run it again. `ask-user`: ask the user. Never take it for clean."
            }
            Self::Refused => {
                "Nothing was written. Every blocker is named with what would lift it; lift it, or ask the user. Never \
                 work around it with `gh api` or by hand."
            }
            Self::Reconcile => {
                "It may have been posted: never post again. `request` and `retry`: run the same command with \
                 `--reconcile`, again after five minutes while it stays 15. `resolve` and `handled reply`: run the same \
                 command again."
            }
            Self::Interrupted => "Run it again; after a write first with `--reconcile`.",
        }
    }
}

impl From<ExitCode> for Code {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}
