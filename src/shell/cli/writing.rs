//! The commands that may write, and the one that says whether they may.

use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use codex_loop::authorization::{Reference, Scope};
use codex_loop::bot::triggers::Superseded;
use codex_loop::lineage::{AttemptKind, LoopRun};
use codex_loop::thread::ThreadName;

use super::{PullArgument, duration, whole};
use crate::selector::{Place, Selector};
use crate::suggestion::did_you_mean;

/// Say whether a trigger may be posted now, and name everything that stands in the way.
///
/// Reads everything twice and posts nothing. The same check runs again, inside one lock, before every post.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0   it may be posted
  1   could not find out
  13  nothing is proven to stand in the way, but the evidence has gaps
  14  at least one blocker is proven

Examples:
  gh codex-loop preflight 42
  gh codex-loop preflight 42 --for retry --json blockers")]
pub struct Preflight {
    #[command(flatten)]
    pub pull: PullArgument,

    /// What is to be posted
    #[arg(long = "for", value_name = "WHAT", default_value = "request")]
    pub purpose: Purpose,
}

/// What is to be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Purpose {
    Request,
    Retry,
}

impl From<Purpose> for AttemptKind {
    fn from(purpose: Purpose) -> Self {
        match purpose {
            Purpose::Request => Self::Request,
            Purpose::Retry => Self::Retry,
        }
    }
}

/// Post one `@codex review`, bound to the head by a hidden marker: exactly once or not at all.
///
/// The intent is on disk before anything leaves, the head is read again right before the one POST, and GitHub is read
/// completely after it. What cannot be settled then is never posted again; --reconcile settles it.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0   posted, or taken over, or (--dry-run) may be posted
  1   could not do it; with state creation-failed for certain
  14  refused: nothing was posted
  15  whether it was posted is not known; run it with --reconcile

Examples:
  gh codex-loop request 42 --authorization 'ada, ticket 7'
  gh codex-loop request 42 --dry-run
  gh codex-loop request 42 --reconcile
  gh codex-loop request 42 --supersede 5000000001 \\
      --authorization 'ada: it will never answer'")]
pub struct Request {
    #[command(flatten)]
    pub pull: PullArgument,

    #[command(flatten)]
    pub post: PostArguments,

    /// Review a head that is clean already, for this reason
    #[arg(long, value_name = "REASON", value_parser = reason)]
    pub again: Option<String>,

    /// Abandon the one unanswered trigger, or the stuck eyes on the pull request, with this post
    #[arg(long, value_name = "COMMENT_ID|reaction:ID", value_parser = superseded)]
    pub supersede: Option<Superseded>,

    /// Add another tool's marker; may be given twice
    #[arg(long, value_name = "TOOL")]
    pub marker: Vec<MarkerWord>,

    /// The bounded loop's run, 32 hexadecimal digits; for --marker loop
    #[arg(long, value_name = "HEX", requires = "round")]
    pub run: Option<LoopRun>,

    /// The round within that run, from 0; for --marker loop
    #[arg(long, value_name = "N", requires = "run", value_parser = whole(0..=u32::MAX))]
    pub round: Option<u32>,
}

/// Whose marker to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MarkerWord {
    /// The stable sensor's
    Dsh,
    /// The bounded loop's canonical request
    Loop,
}

/// Post the one retry of a failed run: exactly once or not at all, and never a second one.
///
/// Only a run that ended with a listed, retryable failure and was never retried may be retried, also when the retry
/// came from another machine or another tool.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0   posted, or (--show) shown, or (--dry-run) may be posted
  1   could not do it; with state creation-failed for certain
  14  refused: nothing was posted
  15  whether it was posted is not known; run it with --reconcile

Examples:
  gh codex-loop retry 42 --authorization 'ada, ticket 7'
  gh codex-loop retry 42 --show --json terminal
  gh codex-loop retry 42 --reconcile")]
pub struct Retry {
    #[command(flatten)]
    pub pull: PullArgument,

    #[command(flatten)]
    pub post: PostArguments,

    /// Print the record of the lineage and do nothing
    #[arg(long, conflicts_with_all = ["reconcile", "dry_run"])]
    pub show: bool,
}

/// What every post takes.
#[derive(Clone, Debug, Args)]
pub struct PostArguments {
    /// The user's message, ticket or grant that authorizes exactly this
    #[arg(long, value_name = "REF")]
    pub authorization: Option<Reference>,

    /// Show exactly what would be posted, and post and write nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Settle an earlier attempt by reading GitHub; posts nothing
    #[arg(long, conflicts_with = "dry_run")]
    pub reconcile: bool,

    /// Ask although the connector said that it will not review; needs --authorization
    #[arg(long)]
    pub after_notice: bool,
}

/// Resolve exactly the named review threads of the connector, each with a proven fix or with an answer.
///
/// A thread is named by its node id (PRRT_…), its page (…#discussion_r123) or the id of one of its comments. Threads of
/// people and of other bots are never touched, and neither is any thread that was not named.
#[derive(Debug, Args)]
#[command(
    override_usage = "gh codex-loop resolve [OPTIONS] [PR] <THREAD>...",
    after_help = "\
Exit codes:
  0   every named thread is resolved
  1   could not find out; nothing was done
  14  at least one was refused
  15  what became of at least one is not known; run the command again

Examples:
  gh codex-loop resolve 42 PRRT_kwDOA1 PRRT_kwDOA2 \\
      --fixed-in 58d4bceaec --authorization 'ada, ticket 7'
  gh codex-loop resolve 42 123456789 \\
      --rebutted 'The caller checks the bound.' --authorization 'ada'
  gh codex-loop resolve 42 PRRT_kwDOA1 --fixed-in HEAD_SHA \\
      --fixed-elsewhere 'The check moved to the caller.'"
)]
pub struct Resolve {
    /// The pull request [default: that of the page or of the current branch], then the threads
    #[arg(value_name = "[PR] THREAD", required = true)]
    pub arguments: Vec<String>,

    /// The commit that holds the fix: the hosted head or an ancestor of it
    #[arg(long, value_name = "SHA", value_parser = commit, conflicts_with = "rebutted")]
    pub fixed_in: Option<String>,

    /// Why that commit counts although the comparison does not show it; posted as a reply first
    #[arg(long, value_name = "REASON", requires = "fixed_in")]
    pub fixed_elsewhere: Option<String>,

    /// Why the finding is wrong; posted as a reply first
    #[arg(long, value_name = "REASON")]
    pub rebutted: Option<String>,

    /// Post this reply first
    #[arg(long, value_name = "TEXT")]
    pub reply: Option<String>,

    /// The user's message, ticket or grant that authorizes exactly this
    #[arg(long, value_name = "REF")]
    pub authorization: Option<Reference>,

    /// Show exactly what would be done, and do and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// The pull request and the threads among the arguments of `resolve`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub pull: Option<Selector>,
    /// As given, each with what it names.
    pub threads: Vec<(String, ThreadName)>,
}

impl Named {
    /// Tells them apart: a first argument that is no thread, or is a number before others, is the pull request.
    ///
    /// # Errors
    /// One sentence when a thread is missing or none.
    pub fn of(arguments: &[String]) -> Result<Self, String> {
        let (first, rest) = arguments.split_first().ok_or("name at least one thread")?;
        let first_is_pull = match thread(first) {
            Some((ThreadName::Node(_), _)) => false,
            Some((ThreadName::Comment(_), page)) => page.is_none() && !rest.is_empty(),
            None => true,
        };
        let (mut pull, named) = if first_is_pull {
            (Some(first.parse::<Selector>()?), rest)
        } else {
            (None, arguments)
        };
        if named.is_empty() {
            return Err(
                "name at least one thread: a node id (PRRT_…), a page (…#discussion_r123) or a comment id"
                    .into(),
            );
        }
        let mut threads: Vec<(String, ThreadName)> = Vec::new();
        for text in named {
            let (name, page) = thread(text).ok_or_else(|| {
                format!(
                    "`{}` names no thread: give a node id (PRRT_…), a page (…#discussion_r123) or a comment id",
                    text.chars().filter(|c| !c.is_control()).take(80).collect::<String>()
                )
            })?;
            if let (None, Some(place)) = (&pull, page) {
                pull = Some(Selector::Url(place));
            }
            if !threads.iter().any(|(_, known)| *known == name) {
                threads.push((text.clone(), name));
            }
        }
        Ok(Self { pull, threads })
    }
}

/// A thread's name, and the pull request whose page it stands on.
fn thread(text: &str) -> Option<(ThreadName, Option<Place>)> {
    let digits = |text: &str| -> Option<u64> {
        let number = text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty();
        number.then(|| text.parse().ok()).flatten()
    };
    if let Some((page, fragment)) = text.split_once('#')
        && page.contains("://")
    {
        let id = fragment
            .strip_prefix("discussion_r")
            .or_else(|| fragment.strip_prefix('r'))?;
        return Some((ThreadName::Comment(digits(id)?), Place::from_url(page).ok()));
    }
    if text.starts_with("PRRT_")
        && text.len() <= 200
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    {
        return Some((ThreadName::Node(text.to_owned()), None));
    }
    digits(text).map(|id| (ThreadName::Comment(id), None))
}

/// Record, list or revoke a standing authorization for one pull request, its head branch and some writes.
///
/// It is a note on this machine that saves --authorization; it gives nobody any right on GitHub.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gh codex-loop authorize 42 --scope request,resolve,reply \\
      --reference 'ada, ticket 7' --expires 8h
  gh codex-loop authorize 42 --list
  gh codex-loop authorize 42 --revoke")]
pub struct Authorize {
    #[command(flatten)]
    pub pull: PullArgument,

    /// What is authorized, separated by commas: request, retry, resolve, reply
    #[arg(
        long,
        value_name = "SCOPES",
        value_delimiter = ',',
        value_parser = scope,
        required_unless_present_any = ["list", "revoke"]
    )]
    pub scope: Vec<Scope>,

    /// The user's message, ticket or grant; with --revoke, only the authorizations of this reference
    #[arg(long, value_name = "REF", required_unless_present_any = ["list", "revoke"])]
    pub reference: Option<Reference>,

    /// How long it stands: 90, 90s, 35m, 24h, 2d
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = duration)]
    pub expires: Duration,

    /// List what is recorded
    #[arg(long, conflicts_with_all = ["scope", "reference", "revoke"])]
    pub list: bool,

    /// Revoke every authorization that still stands
    #[arg(long, conflicts_with = "scope")]
    pub revoke: bool,
}

fn scope(text: &str) -> Result<Scope, String> {
    Scope::ALL
        .iter()
        .copied()
        .find(|scope| scope.as_str() == text)
        .ok_or_else(|| {
            let meant = did_you_mean(text, Scope::ALL.iter().map(|scope| scope.as_str()));
            format!("{meant}the scopes are request, retry, resolve and reply")
        })
}

fn superseded(text: &str) -> Result<Superseded, String> {
    let wrong = || "name a trigger's comment id, or reaction:ID".to_owned();
    match text.strip_prefix("reaction:") {
        Some(id) => u64::from_str(id).map(Superseded::Reaction).map_err(|_| wrong()),
        None => u64::from_str(text).map(Superseded::Comment).map_err(|_| wrong()),
    }
}

fn reason(text: &str) -> Result<String, String> {
    // The same bounds as a reference: it is recorded the same way.
    Reference::from_str(text)
        .map(String::from)
        .map_err(|_| "a reason is one line of at most 500 characters, and not empty".to_owned())
}

fn commit(text: &str) -> Result<String, String> {
    let lower = text.to_ascii_lowercase();
    if (7..=40).contains(&lower.len()) && lower.bytes().all(|b| b.is_ascii_hexdigit()) {
        Ok(lower)
    } else {
        Err("a commit is 7 to 40 hexadecimal digits".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(arguments: &[&str]) -> Result<Named, String> {
        Named::of(
            &arguments
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn the_pull_request_and_the_threads_are_told_apart() {
        let node = |id: &str| (id.to_owned(), ThreadName::Node(id.to_owned()));
        let comment = |text: &str, id| (text.to_owned(), ThreadName::Comment(id));
        for (arguments, pull, threads) in [
            (vec!["42", "PRRT_a1"], Some("42"), vec![node("PRRT_a1")]),
            (
                vec!["PRRT_a1", "PRRT_b2"],
                None,
                vec![node("PRRT_a1"), node("PRRT_b2")],
            ),
            (vec!["#42", "77"], Some("42"), vec![comment("77", 77)]),
            (vec!["77"], None, vec![comment("77", 77)]),
            (vec!["topic", "77", "77"], Some("topic"), vec![comment("77", 77)]),
            (
                vec!["https://github.com/o/r/pull/42#discussion_r77"],
                Some("https://github.com/o/r/pull/42"),
                vec![comment("https://github.com/o/r/pull/42#discussion_r77", 77)],
            ),
            (
                vec!["https://github.com/o/r/pull/42", "PRRT_a1"],
                Some("https://github.com/o/r/pull/42"),
                vec![node("PRRT_a1")],
            ),
        ] {
            let expected = Named {
                pull: pull.map(|text| text.parse().expect("a pull request")),
                threads,
            };
            assert_eq!(named(&arguments), Ok(expected), "{arguments:?}");
        }
        for wrong in [
            vec!["42", "topic"],
            vec!["topic"],
            vec!["42", "PRRT_a;b"],
            vec!["https://github.com/o/r/pull/42"],
            vec!["42", "https://github.com/o/r/pull/42#issuecomment-7"],
        ] {
            assert!(named(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_superseded_is_a_comment_or_a_reaction() {
        assert_eq!(superseded("77"), Ok(Superseded::Comment(77)));
        assert_eq!(superseded("reaction:9"), Ok(Superseded::Reaction(9)));
        assert!(superseded("comment:9").is_err() && superseded("-1").is_err());
    }
}
