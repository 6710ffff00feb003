//! One attempt to post a trigger: its states, its allowed transitions, and how a restart settles it (review-run
//! protocol, "Finding lifecycle": the retry lineage).
//!
//! The types are the protocol: a [`Permit`] comes only from a preflight that allows it, a [`Planned`] attempt only from
//! a permit and an authorization, a [`Post`] only from a planned attempt whose head was read again, and it is consumed
//! by being sent. Nothing here posts; the shell does, once a [`Post`].

use serde::{Deserialize, Serialize};

use crate::authorization::Authorization;
use crate::bot::triggers::{self, Form, Superseded};
use crate::evidence::event::EventKind;
use crate::evidence::name::{EvidenceName, Sha};
use crate::evidence::observed::{Timestamp, rfc3339};
use crate::reading::{Role, is_candidate_form};
use crate::reason::words;
use crate::run::Run;
use crate::run::failure::RetryTransitionState;

mod body;
mod settle;

pub use body::{ExtraMarker, LoopRun, Nonce};
pub use settle::{Answer, IN_FLIGHT_MINUTES, Reconciled};

words! {
    /// What an attempt posts.
    AttemptKind {
        /// A request for a review.
        Request = "request",
        /// The one retry of a failed run.
        Retry = "retry",
    }
}

/// Where an attempt stands. The states are exactly the five of the review-run protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[serde(try_from = "WireState")]
pub enum AttemptState {
    /// Nothing has left the machine, and nothing will for this attempt.
    NotRequested {
        /// When that was settled.
        at: Timestamp,
        /// Why.
        because: String,
    },
    /// The intent is recorded. After a crash nobody knows whether the comment exists.
    Creating,
    /// The trigger is bound.
    Created {
        /// When that was settled.
        at: Timestamp,
        /// The trigger's comment id.
        comment_id: u64,
        /// When it was posted.
        created_at: Timestamp,
    },
    /// The post failed for certain and no trigger exists.
    CreationFailed {
        /// When that was settled.
        at: Timestamp,
        /// Why.
        because: String,
    },
    /// Nobody can say yet whether the comment exists.
    ReconciliationRequired {
        /// When that was settled.
        at: Timestamp,
        /// Why.
        because: String,
    },
}

/// A state as a journal has it: read through this, since a tag by itself may also be the number of a variant.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WireState {
    state: RetryTransitionState,
    at: Option<Timestamp>,
    because: Option<String>,
    comment_id: Option<u64>,
    created_at: Option<Timestamp>,
}

impl TryFrom<WireState> for AttemptState {
    type Error = &'static str;
    fn try_from(wire: WireState) -> Result<Self, &'static str> {
        let at = wire.at.ok_or("a settled attempt says when that was settled");
        let because = wire.because.ok_or("an attempt that posted nothing says why");
        Ok(match wire.state {
            RetryTransitionState::Creating => Self::Creating,
            RetryTransitionState::NotRequested => Self::NotRequested {
                at: at?,
                because: because?,
            },
            RetryTransitionState::Created => Self::Created {
                at: at?,
                comment_id: wire.comment_id.ok_or("a posted trigger has its comment's id")?,
                created_at: wire.created_at.ok_or("a posted trigger has its time")?,
            },
            RetryTransitionState::CreationFailed => Self::CreationFailed {
                at: at?,
                because: because?,
            },
            RetryTransitionState::ReconciliationRequired => Self::ReconciliationRequired {
                at: at?,
                because: because?,
            },
        })
    }
}

impl AttemptState {
    /// The word documents use.
    pub fn word(&self) -> RetryTransitionState {
        match self {
            Self::NotRequested { .. } => RetryTransitionState::NotRequested,
            Self::Creating => RetryTransitionState::Creating,
            Self::Created { .. } => RetryTransitionState::Created,
            Self::CreationFailed { .. } => RetryTransitionState::CreationFailed,
            Self::ReconciliationRequired { .. } => RetryTransitionState::ReconciliationRequired,
        }
    }

    /// Whether nothing more may be posted until it is settled.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Creating | Self::ReconciliationRequired { .. } => true,
            Self::NotRequested { .. } | Self::Created { .. } | Self::CreationFailed { .. } => false,
        }
    }

    /// Drops the recorded words, which can quote GitHub's; the state stays.
    pub(crate) fn forget_why(&mut self) {
        match self {
            Self::NotRequested { because, .. }
            | Self::CreationFailed { because, .. }
            | Self::ReconciliationRequired { because, .. } => because.clear(),
            Self::Creating | Self::Created { .. } => {}
        }
    }

    /// Why it is so, where that is recorded.
    pub fn because(&self) -> Option<&str> {
        match self {
            Self::NotRequested { because, .. }
            | Self::CreationFailed { because, .. }
            | Self::ReconciliationRequired { because, .. } => Some(because),
            Self::Creating | Self::Created { .. } => None,
        }
    }
}

/// The pairs of states that may follow one another in one attempt. A new attempt begins at `creating`.
pub const TRANSITIONS: [(RetryTransitionState, RetryTransitionState); 8] = {
    use RetryTransitionState::{Created, Creating, CreationFailed, NotRequested, ReconciliationRequired};
    [
        (NotRequested, Creating),
        (Creating, NotRequested),
        (Creating, Created),
        (Creating, CreationFailed),
        (Creating, ReconciliationRequired),
        (ReconciliationRequired, Created),
        (ReconciliationRequired, CreationFailed),
        (ReconciliationRequired, ReconciliationRequired),
    ]
};

/// The failed run that a retry answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedRun {
    /// The trigger of the failed run.
    pub trigger_comment_id: u64,
    /// The failure comment.
    pub terminal_comment_id: u64,
}

/// Who posts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Poster {
    /// The login as REST gives it.
    pub login: String,
    /// The numeric id.
    pub id: u64,
}

/// What stood on GitHub before anything was sent: whatever is not in here is new since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// Ids of every comment in trigger form.
    pub triggers: Vec<u64>,
    /// Ids of every deletion event.
    pub deletions: Vec<String>,
}

impl Before {
    /// What stands in this evidence.
    pub fn of(run: &Run<'_>) -> Self {
        Self {
            triggers: run
                .reading
                .comments
                .iter()
                .filter(|comment| match &comment.role {
                    Role::Addressed { form, .. } => is_candidate_form(*form),
                    Role::Connector { .. } | Role::Bystander => false,
                })
                .filter_map(|comment| comment.comment.id.get())
                .collect(),
            deletions: deletions(run).collect(),
        }
    }
}

fn deletions(run: &Run<'_>) -> impl Iterator<Item = String> {
    let events = run.reading.evidence.surfaces.timeline.items().iter();
    events
        .filter(|event| matches!(event.kind, EventKind::CommentDeleted { .. }))
        .map(|event| event.id.clone())
}

/// One attempt as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// The nonce in the posted marker.
    pub id: Nonce,
    /// What it posts.
    pub kind: AttemptKind,
    /// The head it is for.
    pub head: Sha,
    /// When the intent was recorded, on this machine's clock.
    pub started_at: Timestamp,
    /// What it rests on.
    pub authorization: Authorization,
    /// The failed run, for a retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_run: Option<FailedRun>,
    /// Why the head is reviewed again although it is clean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
    /// The exact text.
    pub body: String,
    /// Who posts it.
    pub poster: Poster,
    /// What stood on GitHub before.
    pub before: Before,
    /// Where it stands.
    #[serde(flatten)]
    pub state: AttemptState,
}

/// A preflight's permission for one post. Only [`crate::preflight`] gives one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    pub(crate) kind: AttemptKind,
    pub(crate) head: Sha,
    pub(crate) failed_run: Option<FailedRun>,
    pub(crate) supersedes: Option<Superseded>,
    pub(crate) again: Option<String>,
    pub(crate) poster: Poster,
    pub(crate) before: Before,
}

impl Permit {
    /// The head the post is for.
    pub fn head(&self) -> &Sha {
        &self.head
    }

    /// Who posts.
    pub fn poster(&self) -> &Poster {
        &self.poster
    }

    /// The exact text that would be posted.
    pub fn body(&self, nonce: &Nonce, extra: &[ExtraMarker]) -> String {
        body::text(&self.head, nonce, self.supersedes, extra)
    }
}

/// An attempt in state `creating`, to be recorded before anything leaves.
#[derive(Debug)]
pub struct Planned(Attempt);

impl Planned {
    /// Plans the one post of a permit.
    ///
    /// # Errors
    /// One sentence when the text could not be recognised on GitHub afterwards.
    pub fn of(
        permit: Permit,
        authorization: Authorization,
        nonce: Nonce,
        extra: &[ExtraMarker],
        at: Timestamp,
    ) -> Result<Self, String> {
        let body = permit.body(&nonce, extra);
        if triggers::form(&body) != Some(Form::Marked) || !body::bears(&body, &nonce) {
            return Err("the text of the trigger would not be recognised as ours".to_owned());
        }
        Ok(Self(Attempt {
            id: nonce,
            kind: permit.kind,
            head: permit.head,
            started_at: at,
            authorization,
            failed_run: permit.failed_run,
            again: permit.again,
            body,
            poster: permit.poster,
            before: permit.before,
            state: AttemptState::Creating,
        }))
    }

    /// What to record.
    pub fn attempt(&self) -> &Attempt {
        &self.0
    }

    /// The head was read again. Only an unchanged one lets the post go out; otherwise the attempt goes back.
    ///
    /// # Errors
    /// The attempt as `not-requested`: nothing has left the machine.
    pub fn with_head(self, now: &Sha, at: Timestamp) -> Result<Post, Box<Attempt>> {
        if *now == self.0.head {
            return Ok(Post(self.0));
        }
        let because = format!(
            "The head moved from {} to {} before the trigger was posted.",
            self.0.head.short(),
            now.short()
        );
        Err(Box::new(self.withdraw(because, at)))
    }

    /// Gives the attempt up before anything has left the machine.
    pub fn withdraw(self, because: String, at: Timestamp) -> Attempt {
        Attempt {
            state: AttemptState::NotRequested { at, because },
            ..self.0
        }
    }
}

/// A recorded attempt whose head stands: it may be sent once.
#[derive(Debug)]
#[must_use = "a post is sent exactly once or withdrawn"]
pub struct Post(Attempt);

impl Post {
    /// The exact text.
    pub fn body(&self) -> &str {
        &self.0.body
    }

    /// It was sent, and this came back.
    pub fn sent(self, answer: Answer) -> Posted {
        Posted {
            attempt: self.0,
            answer,
        }
    }
}

/// A post that was sent, before GitHub was read again.
#[derive(Debug)]
pub struct Posted {
    attempt: Attempt,
    answer: Answer,
}

impl Posted {
    /// What was sent.
    pub fn attempt(&self) -> &Attempt {
        &self.attempt
    }
}

/// A recorded attempt that a restart finds unsettled.
#[derive(Debug)]
pub struct Open(Attempt);

impl Open {
    /// An attempt that must be settled before anything else is posted.
    pub fn of(attempt: &Attempt) -> Option<Self> {
        attempt.state.is_open().then(|| Self(attempt.clone()))
    }

    /// The attempt.
    pub fn attempt(&self) -> &Attempt {
        &self.0
    }
}

/// A trigger found on GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landed {
    /// Its comment id.
    pub comment_id: u64,
    /// When it was posted.
    pub created_at: Timestamp,
    /// Its name in documents.
    pub name: EvidenceName,
    /// Its page.
    pub url: Option<String>,
}

/// What a complete reading after an attempt shows, as far as settling it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refresh {
    /// Why the reading proves no absence.
    pub gap: Option<String>,
    /// The head now.
    pub head: Sha,
    /// Triggers with this attempt's nonce, by its poster.
    pub ours: Vec<Landed>,
    /// Other triggers that are new since the attempt began.
    pub foreign: Vec<Landed>,
    /// Comments by other accounts that bear this attempt's nonce.
    pub copies: Vec<EvidenceName>,
    /// A comment was deleted since the attempt began.
    pub deleted: bool,
}

impl Refresh {
    /// Reads what the evidence says about an attempt.
    pub fn of(run: &Run<'_>, attempt: &Attempt) -> Self {
        let mut refresh = Self {
            gap: gap(run),
            head: run.reading.pull.head_ref_oid.clone(),
            ours: Vec::new(),
            foreign: Vec::new(),
            copies: Vec::new(),
            deleted: deletions(run).any(|id| !attempt.before.deletions.contains(&id)),
        };
        for candidate in &run.candidates.all {
            let landed = Landed {
                comment_id: candidate.order.id,
                created_at: candidate.order.at,
                name: candidate.name.clone(),
                url: candidate.url.map(str::to_owned),
            };
            let by_poster = candidate
                .author
                .is_some_and(|login| login.eq_ignore_ascii_case(&attempt.poster.login));
            let bears_nonce = candidate.nonce.as_deref() == Some(attempt.id.as_str());
            if bears_nonce && by_poster {
                refresh.ours.push(landed);
                continue;
            }
            if bears_nonce {
                refresh.copies.push(candidate.name.clone());
            }
            let asks = candidate.has_lineage() || candidate.form == Form::Directed;
            if asks && !attempt.before.triggers.contains(&candidate.order.id) {
                refresh.foreign.push(landed);
            }
        }
        refresh
    }
}

/// What keeps a reading from proving that a trigger is not there.
fn gap(run: &Run<'_>) -> Option<String> {
    let surfaces = &run.reading.evidence.surfaces;
    if let Some(moved) = &run.reading.evidence.unstable {
        return Some(format!(
            "The pull request kept changing while it was read: {moved}"
        ));
    }
    for (name, summary) in [
        ("issueComments", surfaces.issue_comments.summary()),
        ("timeline", surfaces.timeline.summary()),
    ] {
        if summary.status != "complete" {
            return Some(format!(
                "The surface {name} was not read to its end{}",
                summary.error.map_or_else(|| ".".to_owned(), |e| format!(": {e}"))
            ));
        }
    }
    let (name, cause) = run
        .reading
        .malformed
        .iter()
        .find(|(name, _)| matches!(name, EvidenceName::IssueComment(_)))?;
    Some(format!("{name} cannot be read: {cause}."))
}

/// When an attempt began and for which head, for messages.
pub fn describe(attempt: &Attempt) -> String {
    format!(
        "the {} of {} for {}",
        attempt.kind.as_str(),
        rfc3339(attempt.started_at),
        attempt.head.short()
    )
}

#[cfg(test)]
mod tests;
