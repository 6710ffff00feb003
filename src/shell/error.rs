//! What went wrong, in one sentence and one hint, for people and as the document `codex-loop.error/1`.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use codex_loop::report::sanitise::one_line;
use serde::Serialize;

use crate::exit_code::ExitCode;
use crate::{cli, output};

/// Something the user or GitHub named, for use in a sentence: one line, without control characters, and not at any
/// length.
pub fn named(text: &str) -> String {
    one_line(text, NAME_LIMIT)
}

/// A file the user named, for use in a sentence.
pub fn named_file(path: &Path) -> String {
    one_line(&path.display().to_string(), FILE_LIMIT)
}

/// The longest path in a sentence, in characters: real ones are shorter.
const FILE_LIMIT: usize = 300;

/// The longest name in a sentence, in characters.
const NAME_LIMIT: usize = 80;

/// The kinds of failure. Two of them are spelled `auth`: a missing token and a refused one end differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    Usage,
    AuthMissing,
    AuthRefused,
    NotFound,
    RateLimited,
    Network,
    Timeout,
    GhMissing,
    GhTooOld,
    GhFailed,
    Unstable,
    Incomplete,
    Journal,
    Refused,
    Interrupted,
    Internal,
}

impl ErrorKind {
    /// The word in the error document.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::AuthMissing | Self::AuthRefused => "auth",
            Self::NotFound => "not-found",
            Self::RateLimited => "rate-limited",
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::GhMissing => "gh-missing",
            Self::GhTooOld => "gh-too-old",
            Self::GhFailed => "gh-failed",
            Self::Unstable => "unstable",
            Self::Incomplete => "incomplete",
            Self::Journal => "journal",
            Self::Refused => "refused",
            Self::Interrupted => "interrupted",
            Self::Internal => "internal",
        }
    }

    /// The exit code of a command that ends with this failure.
    pub const fn exit_code(self) -> ExitCode {
        match self {
            Self::Usage => ExitCode::Usage,
            Self::AuthMissing => ExitCode::NoToken,
            Self::Refused => ExitCode::Refused,
            Self::Interrupted => ExitCode::Interrupted,
            Self::AuthRefused
            | Self::NotFound
            | Self::RateLimited
            | Self::Network
            | Self::Timeout
            | Self::GhMissing
            | Self::GhTooOld
            | Self::GhFailed
            | Self::Unstable
            | Self::Incomplete
            | Self::Journal
            | Self::Internal => ExitCode::Unknown,
        }
    }
}

/// One failure: what happened to what, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub hint: String,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// A wrong command line.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message, hint)
    }

    /// The process was told to end.
    pub fn interrupted() -> Self {
        Self::new(
            ErrorKind::Interrupted,
            "Interrupted; nothing is asserted about the pull request.",
            "Run the command again.",
        )
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// The document.
#[derive(Serialize, schemars::JsonSchema)]
pub struct ErrorDocument<'a> {
    /// `codex-loop.error/1`.
    schema: &'static str,
    /// What kind of failure; a closed list.
    kind: &'static str,
    /// What happened, to what.
    message: &'a str,
    /// What to do next.
    hint: &'a str,
}

/// Writes the failure to stderr, at most one per process, and gives the exit code.
pub fn report(error: &Error, json: bool) -> ExitCode {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if !REPORTED.swap(true, Ordering::SeqCst) {
        let text = if json {
            serde_json::to_string(&ErrorDocument {
                schema: "codex-loop.error/1",
                kind: error.kind.word(),
                message: &bounded(&error.message),
                hint: &bounded(&error.hint),
            })
            .unwrap_or_default()
        } else {
            let prefix = anstyle::Style::new()
                .fg_color(Some(anstyle::AnsiColor::Red.into()))
                .bold();
            let prefix = if output::colors_stderr(cli::color_asked()) {
                format!("{prefix}gh codex-loop:{prefix:#}")
            } else {
                "gh codex-loop:".to_owned()
            };
            // Not folded: a command in it is copied as it stands, and the terminal breaks the line by itself.
            let mut text = format!("{prefix} {}", one_line(&error.message, MESSAGE_LIMIT));
            if !error.hint.is_empty() {
                text.push('\n');
                text.push_str(&one_line(&error.hint, MESSAGE_LIMIT));
            }
            text
        };
        // A closed stderr leaves nobody to tell; the exit code still says it.
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }
    error.kind.exit_code()
}

/// Longest message shown, in characters; GitHub's own words may be part of it.
const MESSAGE_LIMIT: usize = 600;

/// Longest message in the document, whose lines stay lines.
const DOCUMENT_LIMIT: usize = 4_000;

fn bounded(text: &str) -> String {
    match text.char_indices().nth(DOCUMENT_LIMIT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
