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
    /// The number.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl From<ExitCode> for Code {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}
