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
}

impl From<ExitCode> for Code {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}
