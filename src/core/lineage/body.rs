//! The exact text of a trigger: the line that asks, a blank line, and the hidden markers that bind it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::bot::triggers::{Marker, Superseded, markers};
use crate::evidence::name::Sha;

/// The random id of one post: a UUID in lower case with hyphens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Nonce(String);

impl Nonce {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Nonce {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let groups: Vec<&str> = text.split('-').collect();
        let shape: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let digits = |group: &&str| {
            group
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        if shape == [8, 4, 4, 4, 12] && groups.iter().all(digits) {
            Ok(Self(text.to_owned()))
        } else {
            Err("an id of a post is a UUID in lower case".to_owned())
        }
    }
}

impl TryFrom<String> for Nonce {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Nonce> for String {
    fn from(nonce: Nonce) -> Self {
        nonce.0
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A run of the bounded loop: 32 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRun(String);

impl LoopRun {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LoopRun {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let valid = text.len() == 32
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if valid {
            Ok(Self(text.to_owned()))
        } else {
            Err("a run id has 32 lower-case hexadecimal digits".to_owned())
        }
    }
}

/// A marker of another tool that is posted beside ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtraMarker {
    /// The stable sensor's.
    Dsh,
    /// The bounded loop's canonical request.
    Loop {
        /// The loop's run.
        run: LoopRun,
        /// The round within it.
        round: u32,
    },
}

/// The text of a trigger.
pub(super) fn text(
    head: &Sha,
    nonce: &Nonce,
    supersedes: Option<Superseded>,
    extra: &[ExtraMarker],
) -> String {
    let supersedes = match supersedes {
        None => String::new(),
        Some(Superseded::Comment(id)) => format!(" supersedes={id}"),
        Some(Superseded::Reaction(id)) => format!(" supersedes=reaction:{id}"),
    };
    let mut text = format!("@codex review\n\n<!-- codex-loop: head={head} id={nonce}{supersedes} -->");
    for marker in extra {
        text.push('\n');
        text.push_str(&match marker {
            ExtraMarker::Dsh => format!("<!-- dsh-review-head: {head} -->"),
            ExtraMarker::Loop { run, round } => format!(
                "<!-- github-codex-pr-loop-request run={} round={round} sha={head} -->",
                run.as_str()
            ),
        });
    }
    text
}

/// Whether a text bears our marker with this nonce.
pub(super) fn bears(text: &str, nonce: &Nonce) -> bool {
    markers(text).iter().any(|marker| match marker {
        Marker::CodexLoop { id, .. } => id == nonce.as_str(),
        Marker::Dsh { .. } | Marker::Loop { .. } => false,
    })
}
