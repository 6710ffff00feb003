//! The hidden comments that programs leave in triggers and replies. A marker is exactly its form or it is none.

use std::sync::LazyLock;

use regex::Regex;

use super::Sections;
use crate::evidence::name::Sha;

/// A hidden comment that binds a trigger to a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marker {
    /// Ours.
    CodexLoop {
        /// The head the trigger was posted for.
        head: Sha,
        /// The nonce of the post.
        id: String,
        /// The trigger that this one abandons.
        supersedes: Option<Superseded>,
    },
    /// The stable sensor's.
    Dsh {
        /// The head the trigger was posted for.
        head: Sha,
    },
    /// The bounded loop's.
    Loop {
        /// The run's id, 32 hexadecimal digits.
        run: String,
        /// The round within the run, from 0.
        round: u32,
        /// The head the trigger was posted for.
        sha: Sha,
    },
}

impl Marker {
    /// The head it names.
    pub fn head(&self) -> &Sha {
        match self {
            Self::CodexLoop { head, .. } | Self::Dsh { head } => head,
            Self::Loop { sha, .. } => sha,
        }
    }
}

/// What a trigger abandons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Superseded {
    /// A trigger comment, by its id.
    Comment(u64),
    /// An eyes reaction, by its id.
    Reaction(u64),
}

/// The head that the markers of one text agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkedHead {
    /// No marker.
    None,
    /// One head.
    One(Sha),
    /// Markers for different heads: it binds to none of them.
    Conflicting,
}

/// A reply that records what became of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandledMarker {
    /// The finding's key, for example `review-body:123`.
    pub key: String,
    /// What became of it.
    pub outcome: HandledOutcome,
    /// The nonce of the post.
    pub id: String,
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandledOutcome {
    /// It was right and is repaired.
    Fixed,
    /// It was answered with evidence.
    Rebutted,
}

impl HandledOutcome {
    /// Every outcome.
    pub const ALL: [Self; 2] = [Self::Fixed, Self::Rebutted];

    /// The word markers and documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Rebutted => "rebutted",
        }
    }
}

/// All marker forms; the named groups of one alternative say which it is.
static FORMS: LazyLock<Regex> = LazyLock::new(|| {
    const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    Regex::new(&format!(
        "^ (?:codex-loop: head=(?P<ours>[0-9a-f]{{40}}) id=(?P<id>{UUID})\
         (?: supersedes=(?P<reaction>reaction:)?(?P<superseded>[0-9]{{1,20}}))?\
         |dsh-review-head: (?P<dsh>[0-9a-f]{{40}})\
         |github-codex-pr-loop-request run=(?P<run>[0-9a-f]{{32}}) round=(?P<round>[0-9]{{1,10}}) sha=(?P<sha>[0-9a-f]{{40}})\
         |codex-loop: handled (?P<key>(?:review-comment|review-body|issue-comment):[0-9]{{1,20}}) \
         outcome=(?P<outcome>fixed|rebutted) id=(?P<handled>{UUID})\
         |codex-loop: reply id=(?P<reply>{UUID})) $"
    ))
    .expect("a literal pattern")
});

/// One hidden comment that is a marker.
enum Hidden {
    Head(Marker),
    Handled(HandledMarker),
    Reply(String),
}

fn hidden(comment: &str) -> Option<Hidden> {
    let captures = FORMS.captures(comment)?;
    let text = |name: &str| captures.name(name).map(|found| found.as_str());
    let sha = |name: &str| text(name).and_then(|hex| hex.parse::<Sha>().ok());
    if let (Some(head), Some(id)) = (sha("ours"), text("id")) {
        let supersedes = match text("superseded") {
            None => None,
            // A number beyond 64 bits names nothing: the whole marker is malformed.
            Some(number) => {
                let number = number.parse().ok()?;
                Some(match text("reaction") {
                    Some(_) => Superseded::Reaction(number),
                    None => Superseded::Comment(number),
                })
            }
        };
        let id = id.to_owned();
        return Some(Hidden::Head(Marker::CodexLoop { head, id, supersedes }));
    }
    if let Some(head) = sha("dsh") {
        return Some(Hidden::Head(Marker::Dsh { head }));
    }
    if let (Some(run), Some(round), Some(sha)) = (text("run"), text("round"), sha("sha")) {
        let (run, round) = (run.to_owned(), round.parse().ok()?);
        return Some(Hidden::Head(Marker::Loop { run, round, sha }));
    }
    if let (Some(key), Some(outcome), Some(id)) = (text("key"), text("outcome"), text("handled")) {
        let outcome = HandledOutcome::ALL.into_iter().find(|o| o.as_str() == outcome)?;
        return Some(Hidden::Handled(HandledMarker {
            key: key.to_owned(),
            outcome,
            id: id.to_owned(),
        }));
    }
    text("reply").map(|id| Hidden::Reply(id.to_owned()))
}

fn all(body: &str) -> Vec<Hidden> {
    // Most comments hold no hidden text; they need not be taken apart.
    if !body.contains("<!--") {
        return Vec::new();
    }
    let sections = Sections::of(body);
    sections
        .hidden()
        .iter()
        .filter_map(|comment| hidden(comment))
        .collect()
}

/// The head markers of a text.
pub fn markers(body: &str) -> Vec<Marker> {
    all(body)
        .into_iter()
        .filter_map(|found| match found {
            Hidden::Head(marker) => Some(marker),
            Hidden::Handled(_) | Hidden::Reply(_) => None,
        })
        .collect()
}

/// The head that all head markers of a text name.
pub fn marked_head(body: &str) -> MarkedHead {
    let mut head = MarkedHead::None;
    for marker in markers(body) {
        head = match head {
            MarkedHead::None => MarkedHead::One(marker.head().clone()),
            MarkedHead::One(known) if known == *marker.head() => MarkedHead::One(known),
            MarkedHead::One(_) | MarkedHead::Conflicting => MarkedHead::Conflicting,
        };
    }
    head
}

/// The dispositions that a reply records.
pub fn handled_markers(body: &str) -> Vec<HandledMarker> {
    all(body)
        .into_iter()
        .filter_map(|found| match found {
            Hidden::Handled(marker) => Some(marker),
            Hidden::Head(_) | Hidden::Reply(_) => None,
        })
        .collect()
}

/// The nonce of a reply that this program posted.
pub fn reply_marker(body: &str) -> Option<String> {
    all(body).into_iter().find_map(|found| match found {
        Hidden::Reply(id) => Some(id),
        Hidden::Head(_) | Hidden::Handled(_) => None,
    })
}
