//! The durable state of one pull request on one machine, as a value: attempts, replies, standing grants.
//!
//! The version gate is here: a file of a newer version can be read, never written. Reading and writing files is the
//! shell's.

use serde::{Deserialize, Serialize};

use crate::authorization::{Authorization, Grant};
use crate::document;
use crate::evidence::name::Repository;
use crate::evidence::observed::Timestamp;
use crate::evidence::{JournalAttempt, JournalTrigger, LocalJournal};
use crate::lineage::{Attempt, AttemptState, Nonce};

/// The version this program writes.
pub const VERSION: u32 = 1;

/// The schema word, up to its version.
const SCHEMA: &str = "codex-loop.journal/";

/// Everything this machine has to remember about one pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Journal {
    /// `codex-loop.journal/1`.
    pub schema: String,
    /// The GitHub host.
    pub host: String,
    /// The repository.
    pub repository: Repository,
    /// The pull request's number.
    pub pull_request: u64,
    /// Standing authorizations, the newest last; ended ones are kept.
    #[serde(default)]
    pub authorizations: Vec<Grant>,
    /// Attempts to post a trigger, the newest last.
    #[serde(default)]
    pub attempts: Vec<Attempt>,
    /// Replies in threads, the newest last.
    #[serde(default)]
    pub replies: Vec<Reply>,
    /// Earlier journals that could not be read and were kept aside.
    #[serde(default)]
    pub damaged: Vec<Damage>,
}

/// A reply in a review thread, or to an item that has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    /// The nonce in the posted marker.
    pub id: Nonce,
    /// What it answers.
    #[serde(flatten)]
    pub to: ReplyTo,
    /// What the reader sees, without the marker.
    pub text: String,
    /// When the intent was recorded, on this machine's clock.
    pub started_at: Timestamp,
    /// What it rests on.
    pub authorization: Authorization,
    /// Where it stands.
    #[serde(flatten)]
    pub state: ReplyState,
}

/// What a reply answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum ReplyTo {
    /// A thread, by its node id.
    Thread {
        /// The node id.
        thread_id: String,
    },
    /// An item without a thread, by its key: `review-body:ID` or `issue-comment:ID`.
    Item {
        /// The key.
        item_key: String,
    },
}

/// Where a reply stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[serde(try_from = "WireState")]
pub enum ReplyState {
    /// The intent is recorded; whether the reply exists is not known.
    Creating,
    /// The reply stands in the thread.
    Created {
        /// Its comment id.
        comment_id: u64,
    },
    /// It was not posted.
    CreationFailed {
        /// Why.
        because: String,
    },
}

/// A state as a journal has it: read through this, since a tag by itself may also be the number of a variant.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireState {
    state: String,
    comment_id: Option<u64>,
    because: Option<String>,
}

impl TryFrom<WireState> for ReplyState {
    type Error = &'static str;
    fn try_from(wire: WireState) -> Result<Self, &'static str> {
        match wire.state.as_str() {
            "creating" => Ok(Self::Creating),
            "created" => Ok(Self::Created {
                comment_id: wire.comment_id.ok_or("a posted reply has its comment's id")?,
            }),
            "creation-failed" => Ok(Self::CreationFailed {
                because: wire.because.ok_or("a reply that was not posted says why")?,
            }),
            _ => Err("the state of a reply is creating, created or creation-failed"),
        }
    }
}

/// A journal that could not be read. It may have held an open intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Damage {
    /// The name under which the file was kept aside.
    pub kept_as: String,
    /// When it was found.
    pub found_at: Timestamp,
    /// When the user's word settled it; null while it blocks.
    #[serde(default)]
    pub settled_at: Option<Timestamp>,
}

/// Why a journal's text is not usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is no journal, or a damaged one.
    Damaged(String),
    /// It was written by a newer version, in a form this one cannot read.
    Newer(u32),
}

/// A journal that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readable {
    /// It may be written.
    Current(Journal),
    /// A newer version wrote it: it may be read only.
    Newer(u32, Journal),
}

impl Journal {
    /// An empty journal of a pull request.
    pub fn new(host: &str, repository: &Repository, pull_request: u64) -> Self {
        Self {
            schema: format!("{SCHEMA}{VERSION}"),
            host: host.to_owned(),
            repository: repository.clone(),
            pull_request,
            authorizations: Vec::new(),
            attempts: Vec::new(),
            replies: Vec::new(),
            damaged: Vec::new(),
        }
    }

    /// Reads a journal's text.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn read(text: &[u8]) -> Result<Readable, Unreadable> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let head: Head = document::read(text).map_err(Unreadable::Damaged)?;
        let version: u32 = head
            .schema
            .strip_prefix(SCHEMA)
            .and_then(|version| version.parse().ok())
            .filter(|version| *version > 0)
            .ok_or_else(|| Unreadable::Damaged(format!("its schema is not {SCHEMA}{VERSION}")))?;
        match (document::read::<Self>(text), version > VERSION) {
            (Ok(journal), false) => Ok(Readable::Current(journal)),
            (Ok(journal), true) => Ok(Readable::Newer(version, journal)),
            (Err(reason), false) => Err(Unreadable::Damaged(reason)),
            (Err(_), true) => Err(Unreadable::Newer(version)),
        }
    }

    /// Whether it is the journal of this pull request.
    pub fn is_about(&self, host: &str, repository: &Repository, pull_request: u64) -> bool {
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        same(&self.host, host)
            && same(&self.repository.to_string(), &repository.to_string())
            && self.pull_request == pull_request
    }

    /// The attempt that must be settled before anything else is posted.
    pub fn open_attempt(&self) -> Option<&Attempt> {
        self.attempts.iter().rev().find(|attempt| attempt.state.is_open())
    }

    /// A damaged journal that nobody settled.
    pub fn open_damage(&self) -> Option<&Damage> {
        self.damaged
            .iter()
            .rev()
            .find(|damage| damage.settled_at.is_none())
    }

    /// Records an attempt in its state now: a new one at the end, a known one in its place.
    pub fn put_attempt(&mut self, attempt: Attempt) {
        match self.attempts.iter_mut().find(|known| known.id == attempt.id) {
            Some(known) => *known = attempt,
            None => self.attempts.push(attempt),
        }
    }

    /// Records a reply in its state now.
    pub fn put_reply(&mut self, reply: Reply) {
        match self.replies.iter_mut().find(|known| known.id == reply.id) {
            Some(known) => *known = reply,
            None => self.replies.push(reply),
        }
    }

    /// The part that decisions read.
    pub fn local(&self) -> LocalJournal {
        LocalJournal {
            created: self
                .attempts
                .iter()
                .filter_map(|attempt| match &attempt.state {
                    AttemptState::Created { comment_id, .. } => Some(JournalTrigger {
                        comment_id: *comment_id,
                        head: attempt.head.clone(),
                        nonce: attempt.id.to_string(),
                    }),
                    AttemptState::NotRequested { .. }
                    | AttemptState::Creating
                    | AttemptState::CreationFailed { .. }
                    | AttemptState::ReconciliationRequired { .. } => None,
                })
                .collect(),
            attempts: self
                .attempts
                .iter()
                .map(|attempt| JournalAttempt {
                    id: attempt.id.to_string(),
                    kind: attempt.kind,
                    head: attempt.head.clone(),
                    started_at: attempt.started_at,
                    authorization_reference: attempt.authorization.reference.as_str().to_owned(),
                    failed_trigger_comment_id: attempt.failed_run.map(|failed| failed.trigger_comment_id),
                    state: attempt.state.clone(),
                })
                .collect(),
            doubt: self.open_damage().map(|damage| {
                format!(
                    "An earlier journal of this pull request was damaged and kept as {}; it may have held an \
                     unsettled attempt.",
                    damage.kept_as
                )
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::sample::at;

    fn empty() -> Journal {
        Journal::new("github.com", &"o/r".parse().expect("a repository"), 42)
    }

    #[test]
    fn a_journal_survives_the_round_trip() {
        let mut journal = empty();
        journal.damaged.push(Damage {
            kept_as: "42.json.damaged-1".into(),
            found_at: at(1, 0),
            settled_at: None,
        });
        let text = serde_json::to_vec(&journal).expect("written");
        assert_eq!(Journal::read(&text), Ok(Readable::Current(journal.clone())));
        assert!(
            journal
                .local()
                .doubt
                .is_some_and(|doubt| doubt.contains("42.json.damaged-1"))
        );
        assert!(journal.is_about("GitHub.com", &"O/R".parse().expect("a repository"), 42));
        assert!(!journal.is_about("github.com", &"o/r".parse().expect("a repository"), 43));
    }

    #[test]
    fn a_journal_is_of_one_pull_request_of_one_repository_on_one_host() {
        let journal = empty();
        let repository = |name: &str| name.parse().expect("a repository");
        assert!(journal.is_about("github.com", &repository("o/r"), 42));
        assert!(!journal.is_about("ghe.example", &repository("o/r"), 42));
        assert!(!journal.is_about("github.com", &repository("o/other"), 42));
    }

    #[test]
    fn what_is_recorded_again_stands_in_its_place_and_an_open_attempt_is_found() {
        use crate::authorization::{Authorization, AuthorizationKind};
        use crate::evidence::sample::{HEAD, sha};
        use crate::lineage::{AttemptKind, Before, Nonce, Poster};
        let nonce = |last: &str| -> Nonce {
            let text = format!("0a1b2c3d-0000-4000-8000-00000000000{last}");
            text.parse().expect("a nonce")
        };
        let authorization = Authorization {
            kind: AuthorizationKind::Fresh,
            reference: "ticket 7".parse().expect("a reference"),
        };
        let attempt = |last: &str, state| Attempt {
            id: nonce(last),
            kind: AttemptKind::Request,
            head: sha(HEAD),
            started_at: at(1, 0),
            authorization: authorization.clone(),
            failed_run: None,
            again: None,
            body: "@codex review".into(),
            poster: Poster {
                login: "ada".into(),
                id: 7,
            },
            before: Before::default(),
            state,
        };
        let mut journal = empty();
        assert_eq!(journal.open_attempt(), None);
        journal.put_attempt(attempt("1", AttemptState::Creating));
        assert_eq!(journal.open_attempt().map(|open| &open.id), Some(&nonce("1")));
        journal.put_attempt(attempt(
            "1",
            AttemptState::Created {
                at: at(2, 0),
                comment_id: 5,
                created_at: at(2, 0),
            },
        ));
        assert_eq!(journal.open_attempt(), None);
        journal.put_attempt(attempt("2", AttemptState::Creating));
        let recorded: Vec<_> = journal
            .attempts
            .iter()
            .map(|one| (&one.id, one.state.is_open()))
            .collect();
        assert_eq!(recorded, [(&nonce("1"), false), (&nonce("2"), true)]);

        let reply = |last: &str, text: &str| Reply {
            id: nonce(last),
            to: ReplyTo::Thread {
                thread_id: "PRRT_1".into(),
            },
            text: text.to_owned(),
            started_at: at(1, 0),
            authorization: authorization.clone(),
            state: ReplyState::Creating,
        };
        journal.put_reply(reply("3", "One."));
        journal.put_reply(reply("4", "Two."));
        journal.put_reply(reply("3", "Three."));
        let texts: Vec<_> = journal.replies.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["Three.", "Two."]);
    }

    #[test]
    fn the_version_gate_tells_newer_from_damaged() {
        let text = |schema: &str, rest: &str| {
            format!(
                r#"{{"schema":"{schema}","host":"github.com","repository":"o/r","pullRequest":42{rest}}}"#
            )
        };
        let newer = text("codex-loop.journal/2", r#","somethingNew":1"#);
        assert!(matches!(
            Journal::read(newer.as_bytes()),
            Ok(Readable::Newer(2, journal)) if journal.pull_request == 42
        ));
        let unknown = text("codex-loop.journal/2", r#","attempts":[{"state":"resting"}]"#);
        assert_eq!(Journal::read(unknown.as_bytes()), Err(Unreadable::Newer(2)));
        for damaged in [
            String::new(),
            "{".to_owned(),
            "[]".to_owned(),
            text("codex-loop.journal/0", ""),
            text("codex-loop.evidence/1", ""),
            text("codex-loop.journal/1", r#","attempts":[{"state":"resting"}]"#),
        ] {
            assert!(
                matches!(Journal::read(damaged.as_bytes()), Err(Unreadable::Damaged(_))),
                "{damaged}"
            );
        }
    }
}
