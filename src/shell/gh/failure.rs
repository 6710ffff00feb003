//! What can go wrong with a gh call, told apart by exit code, the answer on stdout and the words on stderr.
//!
//! gh prints GitHub's error answer on stdout, also as the last page of a list, and one line a problem on stderr.

use std::time::Duration;

use chrono::{DateTime, Utc};
use codex_loop::evidence::observed::{Timestamp, rfc3339};
use codex_loop::evidence::surface::{SurfaceError, SurfaceErrorKind};
use codex_loop::report::sanitise::one_line;
use serde::Deserialize;
use serde_json::Value;

use crate::error::{Error, ErrorKind};

/// Why a gh call gave no usable answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no gh.
    Missing { tried: String },
    /// The operating system could not start it.
    Unstartable { reason: String },
    /// It is older than `--slurp`.
    TooOld { found: String },
    /// It has no token for the host.
    NoToken { host: String },
    /// GitHub refuses the token.
    BadCredentials { host: String },
    /// GitHub refuses this request to this token.
    Forbidden { message: String },
    /// GitHub does not know the resource, or does not show it to this token.
    NotFound { message: String },
    /// GitHub limits the rate.
    RateLimited {
        secondary: bool,
        reset: Option<Timestamp>,
    },
    /// GitHub could not be reached, or the connection broke.
    Network { message: String },
    /// The call took longer than allowed and was killed.
    Timeout { after: Duration },
    /// gh itself crashed.
    Crashed { message: String },
    /// Any other status.
    Http { status: u16, message: String },
    /// GraphQL answered with errors.
    GraphQl { message: String },
    /// gh failed and gave no reason that is known.
    Other { message: String },
    /// The answer was short, broken or endless.
    Unusable { message: String },
    /// The process was told to end.
    Interrupted,
}

impl Failure {
    /// Whether nothing else can succeed either, so that the command ends with it.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::Missing { .. }
            | Self::Unstartable { .. }
            | Self::TooOld { .. }
            | Self::NoToken { .. }
            | Self::BadCredentials { .. }
            | Self::RateLimited { .. }
            | Self::Interrupted => true,
            Self::Forbidden { .. }
            | Self::NotFound { .. }
            | Self::Network { .. }
            | Self::Timeout { .. }
            | Self::Crashed { .. }
            | Self::Http { .. }
            | Self::GraphQl { .. }
            | Self::Other { .. }
            | Self::Unusable { .. } => false,
        }
    }

    /// The fact, without a full stop, for use in a sentence.
    pub fn fact(&self) -> String {
        match self {
            Self::Missing { tried } => format!("gh, the GitHub CLI, was not found ({tried})"),
            Self::Unstartable { reason } => format!("gh could not be started: {reason}"),
            Self::TooOld { found } => format!("gh {found} is too old: version 2.48 or newer is needed"),
            Self::NoToken { host } => format!("gh is not logged in to {host}"),
            Self::BadCredentials { host } => format!("{host} refuses gh's token (HTTP 401)"),
            Self::Forbidden { message } => format!("GitHub refuses access (HTTP 403): {message}"),
            Self::NotFound { message } => format!("GitHub does not know it: {message}"),
            Self::RateLimited {
                secondary: true,
                reset: None,
            } => "GitHub limits the rate of requests (secondary limit)".into(),
            Self::RateLimited { reset: None, .. } => "GitHub limits the rate of requests".into(),
            Self::RateLimited { reset: Some(at), .. } => {
                format!("GitHub limits the rate of requests until {}", rfc3339(*at))
            }
            Self::Network { message } => format!("GitHub could not be reached: {message}"),
            Self::Timeout { after } => {
                format!("gh did not answer within {} s and was stopped", after.as_secs())
            }
            Self::Crashed { message } => format!("gh crashed: {message}"),
            Self::Http { status, message } if message.is_empty() => format!("GitHub answered HTTP {status}"),
            Self::Http { status, message } => format!("GitHub answered HTTP {status}: {message}"),
            Self::GraphQl { message } => format!("GitHub's GraphQL answered with an error: {message}"),
            Self::Other { message } => format!("gh failed: {message}"),
            Self::Unusable { message } => message.clone(),
            Self::Interrupted => "it was interrupted".into(),
        }
    }

    /// The failure of a whole command; `what` names what it was reading or doing.
    pub fn into_error(self, what: &str) -> Error {
        let (kind, hint) = self.advice();
        match self {
            Self::Interrupted => Error::interrupted(),
            failure @ (Self::Missing { .. } | Self::Unstartable { .. } | Self::TooOld { .. }) => {
                Error::new(kind, sentence(&failure.fact()), hint)
            }
            failure => Error::new(kind, sentence(&format!("{what}: {}", failure.fact())), hint),
        }
    }

    fn advice(&self) -> (ErrorKind, String) {
        match self {
            Self::Missing { .. } | Self::Unstartable { .. } => (
                ErrorKind::GhMissing,
                "Install it from https://cli.github.com, or set GH_PATH to it.".into(),
            ),
            Self::TooOld { .. } => (
                ErrorKind::GhTooOld,
                "Update gh; see https://cli.github.com.".into(),
            ),
            Self::NoToken { host } => (ErrorKind::AuthMissing, login(host)),
            Self::BadCredentials { host } => (
                ErrorKind::AuthRefused,
                format!("Log in again: gh auth login --hostname {host}; or correct GH_TOKEN."),
            ),
            Self::Forbidden { .. } => (
                ErrorKind::AuthRefused,
                "Check what the token may do: gh auth status; gh auth refresh --scopes repo.".into(),
            ),
            Self::NotFound { .. } => (
                ErrorKind::NotFound,
                "Check the number and the repository (-R OWNER/REPO), and that the token may see it.".into(),
            ),
            Self::RateLimited { reset: Some(at), .. } => (
                ErrorKind::RateLimited,
                format!("Try again after {}.", rfc3339(*at)),
            ),
            // gh does not show GitHub's retry-after; without one GitHub asks for at least a minute.
            Self::RateLimited { secondary: true, .. } => (
                ErrorKind::RateLimited,
                "Wait at least one minute, then run the command again, and no other beside it.".into(),
            ),
            Self::RateLimited { .. } => (
                ErrorKind::RateLimited,
                "Wait a few minutes; gh api rate_limit shows when the limit ends.".into(),
            ),
            Self::Network { .. } => (
                ErrorKind::Network,
                "Check your connection and https://githubstatus.com, then try again.".into(),
            ),
            Self::Timeout { .. } => (
                ErrorKind::Timeout,
                "Try again, or allow more with --gh-timeout SECONDS.".into(),
            ),
            Self::Crashed { .. } | Self::Http { .. } | Self::GraphQl { .. } | Self::Other { .. } => {
                (ErrorKind::GhFailed, "Try again; -v shows the gh calls.".into())
            }
            Self::Unusable { .. } => (ErrorKind::Incomplete, "Try again; -v shows the gh calls.".into()),
            Self::Interrupted => (ErrorKind::Interrupted, String::new()),
        }
    }

    /// The failure of one surface.
    pub fn surface_error(&self) -> SurfaceError {
        let kind = match self {
            Self::NoToken { .. } | Self::BadCredentials { .. } | Self::Forbidden { .. } => {
                SurfaceErrorKind::Auth
            }
            Self::NotFound { .. } => SurfaceErrorKind::NotFound,
            Self::RateLimited { .. } => SurfaceErrorKind::RateLimited,
            Self::Network { .. } => SurfaceErrorKind::Network,
            Self::Timeout { .. } => SurfaceErrorKind::Timeout,
            Self::Missing { .. }
            | Self::Unstartable { .. }
            | Self::TooOld { .. }
            | Self::Crashed { .. }
            | Self::Http { .. }
            | Self::GraphQl { .. }
            | Self::Other { .. }
            | Self::Interrupted => SurfaceErrorKind::GhFailed,
            Self::Unusable { .. } => SurfaceErrorKind::Incomplete,
        };
        SurfaceError {
            kind,
            message: sentence(&self.fact()),
        }
    }
}

fn login(host: &str) -> String {
    format!("Log in: gh auth login --hostname {host}; or set GH_TOKEN.")
}

fn sentence(fact: &str) -> String {
    if fact.ends_with(['.', '!', '?']) {
        fact.to_owned()
    } else {
        format!("{fact}.")
    }
}

/// GitHub's own words are shown, but not at any length.
const WORDS: usize = 200;

/// What GitHub put into an error answer.
#[derive(Default, Deserialize)]
struct Trouble {
    #[serde(default)]
    message: Option<Value>,
    #[serde(default)]
    errors: Option<Value>,
}

/// Reads a failed call. `answer` is what stdout held, or its last page.
pub fn classify(exit: Option<i32>, answer: &[u8], stderr: &str, host: &str) -> Failure {
    let Some(exit) = exit else {
        return Failure::Crashed {
            message: "it was ended by a signal".into(),
        };
    };
    if stderr.contains("panic:") || stderr.contains("goroutine ") {
        return Failure::Crashed {
            message: first_line(stderr),
        };
    }
    if exit == 4 || stderr.contains("gh auth login") && http_status(stderr).is_none() {
        return Failure::NoToken {
            host: host.to_owned(),
        };
    }
    let trouble: Trouble = serde_json::from_slice(answer).unwrap_or_default();
    let types = error_types(trouble.errors.as_ref());
    let has = |word: &str| types.iter().any(|each| each == word);
    let message = words(&trouble, stderr);
    let lower = format!("{message} {stderr}").to_lowercase();
    let status = http_status(stderr);
    let limited = lower.contains("rate limit") || lower.contains("abuse detection");
    if has("RATE_LIMITED") || status == Some(429) || (limited && matches!(status, Some(403) | None)) {
        return Failure::RateLimited {
            secondary: lower.contains("secondary") || lower.contains("abuse"),
            reset: None,
        };
    }
    match status {
        Some(401) => {
            return Failure::BadCredentials {
                host: host.to_owned(),
            };
        }
        Some(403) => return Failure::Forbidden { message },
        Some(404 | 410) => return Failure::NotFound { message },
        Some(status) => return Failure::Http { status, message },
        None => {}
    }
    if has("NOT_FOUND") || lower.contains("could not resolve to a") {
        return Failure::NotFound { message };
    }
    if has("FORBIDDEN") || has("INSUFFICIENT_SCOPES") {
        return Failure::Forbidden { message };
    }
    if trouble.errors.is_some() {
        return Failure::GraphQl { message };
    }
    if NETWORK_WORDS.iter().any(|word| lower.contains(word)) {
        return Failure::Network {
            message: first_line(stderr),
        };
    }
    Failure::Other {
        message: if stderr.trim().is_empty() {
            format!("it ended with exit code {exit} and said nothing")
        } else {
            first_line(stderr)
        },
    }
}

/// How Go's network errors read, in lower case.
const NETWORK_WORDS: [&str; 16] = [
    "error connecting to",
    "dial tcp",
    "dial unix",
    "connection refused",
    "connection reset",
    "no such host",
    "network is unreachable",
    "no route to host",
    "i/o timeout",
    "tls handshake",
    "x509:",
    "proxyconnect",
    "broken pipe",
    "unexpected eof",
    "\": eof",
    "context deadline exceeded",
];

fn error_types(errors: Option<&Value>) -> Vec<String> {
    let each = errors.and_then(Value::as_array).into_iter().flatten();
    each.filter_map(|error| error.get("type").and_then(Value::as_str).map(str::to_owned))
        .collect()
}

/// GitHub's message, else gh's first line without its prefix and status.
fn words(trouble: &Trouble, stderr: &str) -> String {
    let from_errors = || {
        let first = trouble.errors.as_ref()?.as_array()?.first()?;
        first.get("message")?.as_str().map(str::to_owned)
    };
    let message = trouble
        .message
        .as_ref()
        .and_then(Value::as_str)
        .map(str::to_owned);
    message.or_else(from_errors).map_or_else(
        || {
            let line = first_line(stderr);
            let line = line.split(" (HTTP ").next().unwrap_or_default();
            if line.starts_with("HTTP ") {
                String::new()
            } else {
                line.to_owned()
            }
        },
        |text| one_line(&text, WORDS),
    )
}

fn first_line(stderr: &str) -> String {
    let line = stderr
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    one_line(line.strip_prefix("gh: ").unwrap_or(line), WORDS)
}

/// The status in `gh: MESSAGE (HTTP 404)`, `gh: HTTP 502` or `HTTP 401: …`.
fn http_status(stderr: &str) -> Option<u16> {
    stderr.lines().find_map(|line| {
        let after = match line.rfind("(HTTP ") {
            Some(at) => line.get(at + 6..)?,
            None => {
                let line = line.strip_prefix("gh: ").unwrap_or(line);
                line.strip_prefix("HTTP ")?
            }
        };
        let digits = after.get(..3)?;
        let ends = !after
            .get(3..4)
            .is_some_and(|next| next.chars().all(|c| c.is_ascii_digit()));
        digits
            .parse()
            .ok()
            .filter(|status| ends && (300..600).contains(status))
    })
}

/// When the used-up limits of a `rate_limit` answer are renewed.
pub fn reset_time(answer: &[u8]) -> Option<Timestamp> {
    let limits: Value = serde_json::from_slice(answer).ok()?;
    let resources = limits.get("resources")?;
    ["core", "graphql"]
        .iter()
        .filter_map(|name| resources.get(name))
        .filter(|limit| limit.get("remaining").and_then(Value::as_i64) == Some(0))
        .filter_map(|limit| limit.get("reset").and_then(Value::as_i64))
        .max()
        .and_then(|seconds| DateTime::<Utc>::from_timestamp(seconds, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(exit: i32, answer: &str, stderr: &str) -> Failure {
        classify(Some(exit), answer.as_bytes(), stderr, "github.com")
    }

    #[test]
    fn every_known_form_has_its_kind() {
        let host = || "github.com".to_owned();
        assert_eq!(
            read(
                4,
                "",
                "To get started with GitHub CLI, please run:  gh auth login\n"
            ),
            Failure::NoToken { host: host() }
        );
        assert_eq!(
            read(
                1,
                r#"{"message":"Bad credentials"}"#,
                "gh: Bad credentials (HTTP 401)\n"
            ),
            Failure::BadCredentials { host: host() }
        );
        assert_eq!(
            read(
                1,
                "",
                "HTTP 401: Bad credentials (https://api.github.com/graphql)\nTry authenticating with:  gh auth login -h github.com\n"
            ),
            Failure::BadCredentials { host: host() }
        );
        assert_eq!(
            read(1, r#"{"message":"Not Found"}"#, "gh: Not Found (HTTP 404)"),
            Failure::NotFound {
                message: "Not Found".into()
            }
        );
        let unresolved = r#"{"data":{"repository":{"pullRequest":null}},"errors":[{"type":"NOT_FOUND","message":"Could not resolve to a PullRequest with the number of 9."}]}"#;
        assert!(matches!(
            read(1, unresolved, "gh: Could not resolve to a PullRequest with the number of 9."),
            Failure::NotFound { message } if message.contains("number of 9")
        ));
        assert_eq!(
            read(1, "<html>", "gh: HTTP 502\n"),
            Failure::Http {
                status: 502,
                message: String::new()
            }
        );
        assert!(matches!(
            read(
                1,
                r#"{"message":"Resource not accessible"}"#,
                "gh: Resource not accessible (HTTP 403)"
            ),
            Failure::Forbidden { .. }
        ));
        assert!(matches!(
            read(
                1,
                r#"{"errors":[{"message":"Something went wrong"}]}"#,
                "gh: Something went wrong"
            ),
            Failure::GraphQl { .. }
        ));
    }

    #[test]
    fn rate_limits_are_told_from_refusals() {
        let primary = Failure::RateLimited {
            secondary: false,
            reset: None,
        };
        let secondary = Failure::RateLimited {
            secondary: true,
            reset: None,
        };
        for status in [403, 429] {
            let stderr = format!("gh: API rate limit exceeded for user ID 1. (HTTP {status})");
            assert_eq!(read(1, "", &stderr), primary);
        }
        let stderr = "gh: You have exceeded a secondary rate limit. (HTTP 403)";
        assert_eq!(read(1, "", stderr), secondary);
        let graphql = r#"{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}"#;
        assert_eq!(read(1, graphql, "gh: API rate limit exceeded"), primary);
    }

    #[test]
    fn the_network_and_crashes_are_told_apart() {
        for stderr in [
            "error connecting to api.github.com\ncheck your internet connection or https://githubstatus.com",
            "Get \"https://api.github.com/x\": dial tcp 127.0.0.1:1: connect: connection refused",
            "Get \"https://api.github.com/x&page=2\": EOF",
            "unexpected EOF",
        ] {
            assert!(matches!(read(1, "", stderr), Failure::Network { .. }), "{stderr}");
        }
        assert!(matches!(
            read(2, "", "panic: runtime error\ngoroutine 1 [running]"),
            Failure::Crashed { .. }
        ));
        assert!(matches!(
            classify(None, b"", "", "github.com"),
            Failure::Crashed { .. }
        ));
        assert!(matches!(read(1, "", ""), Failure::Other { .. }));
    }

    #[test]
    fn the_reset_time_is_that_of_a_used_up_limit() {
        let answer = br#"{"resources":{"core":{"remaining":0,"reset":1790000000},"graphql":{"remaining":9,"reset":1890000000}}}"#;
        assert_eq!(
            reset_time(answer).map(rfc3339),
            Some("2026-09-21T14:13:20Z".into())
        );
        assert_eq!(reset_time(b"{}"), None);
    }

    #[test]
    fn words_from_github_are_cleaned_and_bounded() {
        let hostile = format!(r#"{{"message":"\u001b[31m{}"}}"#, "x".repeat(5_000));
        let error = read(1, &hostile, "gh: x (HTTP 500)").into_error("Reading");
        assert!(error.message.len() < 400 && !error.message.contains('\u{1b}'));
    }
}
