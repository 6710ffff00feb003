//! May a trigger be posted now? Every blocker is named, not the first (review-run protocol, "Finding lifecycle").
//!
//! Only a preflight without blockers gives the [`Permit`] that a post needs.

mod canonical;
mod poster;
mod rules;

use crate::authorization::Unauthorized;
use crate::bot::triggers::Superseded;
use crate::evidence::name::EvidenceName;
use crate::lineage::{AttemptKind, AttemptState, Before, FailedRun, Permit};
use crate::reason::words;
use crate::run::candidate::ResolutionKind;
use crate::run::failure::RetryTransitionState;
use crate::run::{Run, RunState};

pub use canonical::canonical_requests;
use poster::{PosterReading, poster};

words! {
    /// Why a trigger may not be posted. The codes of a missing authorization stand in the same list.
    BlockerCode {
        /// The pull request is closed or merged.
        PullClosed = "pull-closed",
        /// A trigger on the head is unanswered.
        UnresolvedTrigger = "unresolved-trigger",
        /// Nothing proves for which head a trigger was posted.
        TriggerHeadUnproven = "trigger-head-unproven",
        /// Two or more triggers on the head are unanswered.
        OverlappingTriggers = "overlapping-triggers",
        /// The connector is at work on the head.
        BotRunActive = "bot-run-active",
        /// The head is so young that an automatic review may start.
        AutomaticRunPossible = "automatic-run-possible",
        /// The head is clean already.
        AlreadyReviewed = "already-reviewed",
        /// Findings on the head are open.
        OpenFindings = "open-findings",
        /// The connector said that it will not review.
        Refused = "refused",
        /// The head's run failed: only its one retry may be posted.
        UseRetry = "use-retry",
        /// The one retry was used.
        LineageExhausted = "lineage-exhausted",
        /// A comment was deleted that may have been a trigger.
        CommentDeleted = "comment-deleted",
        /// The token belongs to no person.
        PosterNotAUser = "poster-not-a-user",
        /// An earlier attempt of this machine is not settled.
        OpenIntent = "open-intent",
        /// The evidence has gaps.
        IncompleteEvidence = "incomplete-evidence",
        /// A review is visible before its inline comments.
        InlineCommentsLagging = "inline-comments-lagging",
        /// The run has not failed.
        NotFailed = "not-failed",
        /// The failure allows no retry.
        NotRetryable = "not-retryable",
        /// A newer trigger stands on the head.
        NotNewest = "not-newest",
        /// What is to be superseded is not the one unanswered trigger or stuck reaction.
        NotSuperseded = "supersede-mismatch",
        /// The canonical request of this loop round stands there more than once.
        DuplicateRequest = "duplicate-request",
        /// The head moved before anything was posted.
        HeadChanged = "head-changed",
        /// Nobody authorized it.
        NoAuthorization = "no-authorization",
        /// The standing authorization ended.
        AuthorizationExpired = "authorization-expired",
        /// No standing authorization covers it.
        AuthorizationOutOfScope = "authorization-out-of-scope",
        /// A fresh authorization is needed.
        StandingNotEnough = "standing-not-enough",
    }
}

impl From<Unauthorized> for BlockerCode {
    fn from(code: Unauthorized) -> Self {
        match code {
            Unauthorized::NoAuthorization => Self::NoAuthorization,
            Unauthorized::Expired => Self::AuthorizationExpired,
            Unauthorized::OutOfScope => Self::AuthorizationOutOfScope,
            Unauthorized::StandingNotEnough => Self::StandingNotEnough,
        }
    }
}

impl BlockerCode {
    /// Whether it says only that something cannot be known.
    pub fn is_doubt(self) -> bool {
        matches!(self, Self::IncompleteEvidence | Self::InlineCommentsLagging)
    }
}

/// One blocker.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Blocker {
    /// The code.
    pub code: BlockerCode,
    /// One sentence.
    pub message: String,
    /// What it rests on.
    #[schemars(with = "Vec<String>")]
    pub evidence: Vec<EvidenceName>,
}

impl Blocker {
    /// A blocker with its evidence.
    pub fn new(code: BlockerCode, message: impl Into<String>, evidence: Vec<EvidenceName>) -> Self {
        Self {
            code,
            message: message.into(),
            evidence,
        }
    }
}

/// What is to be posted, and what the user waives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// Review a clean head again, for this reason.
    pub again: Option<String>,
    /// Ask although the connector refused.
    pub after_notice: bool,
    /// Abandon this unanswered trigger or stuck reaction.
    pub supersedes: Option<Superseded>,
}

/// Whether it may be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Allowed,
    /// A blocker is proven.
    Refused,
    /// Nothing is proven, and something cannot be known.
    Unknown,
}

impl Verdict {
    /// What a list of blockers comes to.
    pub fn of(blockers: &[Blocker]) -> Self {
        if blockers.is_empty() {
            Self::Allowed
        } else if blockers.iter().all(|blocker| blocker.code.is_doubt()) {
            Self::Unknown
        } else {
            Self::Refused
        }
    }
}

/// The preflight of one post.
#[derive(Clone, Debug)]
pub struct Preflight {
    /// Everything in the way.
    pub blockers: Vec<Blocker>,
    /// Why only the user's fresh word authorizes it, when that is so.
    pub fresh_only: Option<&'static str>,
    permit: Option<Permit>,
}

impl Preflight {
    /// Whether it may be posted.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(&self.blockers)
    }

    /// The permission for one post, when nothing is in the way.
    pub fn permit(self) -> Option<Permit> {
        self.permit
    }
}

/// Looks for everything that stands in the way of a post.
pub fn preflight(run: &Run<'_>, kind: AttemptKind, ask: &Ask) -> Preflight {
    let blockers = rules::blockers(run, kind, ask);
    let permit = match (blockers.is_empty(), poster(run)) {
        (true, PosterReading::User(poster)) => Some(Permit {
            kind,
            head: run.reading.pull.head_ref_oid.clone(),
            failed_run: failed_run(run, kind),
            supersedes: ask.supersedes,
            again: ask.again.clone(),
            poster,
            before: Before::of(run),
        }),
        (true | false, PosterReading::User(_) | PosterReading::NoUser(_) | PosterReading::Unknown(_)) => None,
    };
    Preflight {
        fresh_only: fresh_only(run, ask),
        blockers,
        permit,
    }
}

fn failed_run(run: &Run<'_>, kind: AttemptKind) -> Option<FailedRun> {
    match (kind, &run.state) {
        (AttemptKind::Retry, RunState::Failed(record)) => Some(FailedRun {
            trigger_comment_id: record.fields.trigger_comment_id,
            terminal_comment_id: record.fields.terminal_comment_id,
        }),
        (AttemptKind::Request | AttemptKind::Retry, _) => None,
    }
}

fn fresh_only(run: &Run<'_>, ask: &Ask) -> Option<&'static str> {
    let head = &run.reading.pull.head_ref_oid;
    let last = run
        .reading
        .evidence
        .local
        .journal
        .attempts
        .iter()
        .rev()
        .find(|attempt| attempt.head == *head && !matches!(attempt.state, AttemptState::NotRequested { .. }));
    let newest_failed = run.candidates.newest_on_head().is_some_and(|newest| {
        !newest.has_lineage()
            && newest
                .resolution
                .as_ref()
                .is_some_and(|resolution| resolution.kind == ResolutionKind::Failure)
    });
    if ask.supersedes.is_some() {
        Some("abandoning a trigger needs the user's word for exactly this post")
    } else if ask.after_notice {
        Some("asking again after a refusal of the connector needs the user's word for exactly this post")
    } else if last.is_some_and(|attempt| attempt.state.word() == RetryTransitionState::CreationFailed) {
        Some(
            "the last post for this head failed, and another one needs the user's word for exactly this post",
        )
    } else if newest_failed {
        Some(
            "the last run failed without a retry, and another one needs the user's word for exactly this post",
        )
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
