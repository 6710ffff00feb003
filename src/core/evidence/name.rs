//! Names of things on GitHub: repositories, commits, and the name of a piece of evidence in every document.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A full commit id: 40 lower-case hexadecimal digits (64 in a SHA-256 repository).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Sha(String);

impl Sha {
    /// The hexadecimal text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first ten digits, as the bot shortens a commit.
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }

    /// Whether `prefix` (any case) is how this commit begins.
    pub fn starts_with(&self, prefix: &str) -> bool {
        self.0.starts_with(&prefix.to_ascii_lowercase())
    }
}

impl FromStr for Sha {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        if (lower.len() == 40 || lower.len() == 64) && lower.bytes().all(|b| b.is_ascii_hexdigit()) {
            Ok(Self(lower))
        } else {
            Err(format!(
                "`{}` is no full commit id",
                text.chars()
                    .filter(|c| !c.is_control())
                    .take(80)
                    .collect::<String>()
            ))
        }
    }
}

impl TryFrom<String> for Sha {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Sha> for String {
    fn from(sha: Sha) -> Self {
        sha.0
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl super::observed::Scalar for Sha {
    const EXPECTED: &'static str = "a full commit id";
    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
    fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// `OWNER/REPO`, each part of the characters GitHub allows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Repository {
    owner: String,
    name: String,
}

impl Repository {
    /// The account that owns the repository.
    pub fn owner(&self) -> &str {
        &self.owner
    }
    /// The repository's own name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for Repository {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let valid = |part: &str| {
            !part.is_empty()
                && part.len() <= 100
                && part != "."
                && part != ".."
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        match text.split_once('/') {
            Some((owner, name)) if valid(owner) && valid(name) => Ok(Self {
                owner: owner.to_owned(),
                name: name.to_owned(),
            }),
            Some(_) | None => Err(format!(
                "`{}` is no OWNER/REPO",
                text.chars()
                    .filter(|c| !c.is_control())
                    .take(80)
                    .collect::<String>()
            )),
        }
    }
}

impl TryFrom<String> for Repository {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Repository> for String {
    fn from(repository: Repository) -> Self {
        repository.to_string()
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.owner, self.name)
    }
}

/// The name of one piece of evidence, as documents spell it: `issue-comment:ID`, `review:ID`,
/// `review-comment:ID`, `thread:NODEID`, `reaction:ID`, `check-run:ID`, `status:ID`, `event:ID`, `pull`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceName {
    /// A top-level comment, by its numeric REST id.
    IssueComment(Id),
    /// A submitted review.
    Review(Id),
    /// An inline review comment.
    ReviewComment(Id),
    /// A review thread, by its node id.
    Thread(String),
    /// A reaction.
    Reaction(Id),
    /// A check run.
    CheckRun(Id),
    /// A check suite.
    CheckSuite(Id),
    /// A commit status.
    Status(Id),
    /// A timeline or activity event.
    Event(String),
    /// The pull request itself.
    Pull,
}

/// A numeric id, or a stand-in for an item whose id GitHub did not give as a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// GitHub's number.
    Number(u64),
    /// The item had no usable id: its place in the collection, from 0.
    Place(usize),
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Place(place) => write!(formatter, "without-id-{place}"),
        }
    }
}

impl fmt::Display for EvidenceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IssueComment(id) => write!(formatter, "issue-comment:{id}"),
            Self::Review(id) => write!(formatter, "review:{id}"),
            Self::ReviewComment(id) => write!(formatter, "review-comment:{id}"),
            Self::Thread(id) => write!(formatter, "thread:{id}"),
            Self::Reaction(id) => write!(formatter, "reaction:{id}"),
            Self::CheckRun(id) => write!(formatter, "check-run:{id}"),
            Self::CheckSuite(id) => write!(formatter, "check-suite:{id}"),
            Self::Status(id) => write!(formatter, "status:{id}"),
            Self::Event(id) => write!(formatter, "event:{id}"),
            Self::Pull => formatter.write_str("pull"),
        }
    }
}

impl Serialize for EvidenceName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
