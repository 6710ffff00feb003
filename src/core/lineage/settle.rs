//! Settling an attempt: from what GitHub answered and what it shows, to one of the five states.
//!
//! Only two things settle it for good: our trigger bound by its nonce, or its absence proven. Everything else stays
//! `reconciliation-required`, and nothing more is posted.

use super::{Attempt, AttemptKind, AttemptState, Landed, Open, Posted, Refresh};
use crate::authorization::Authorization;
use crate::evidence::observed::Timestamp;

/// How long a request may still be in flight, in minutes; only an older attempt can be proven absent.
pub const IN_FLIGHT_MINUTES: i64 = 5;

/// What came back from the one POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// GitHub said that it created the comment. That alone confirms nothing.
    Accepted,
    /// GitHub refused it for certain (a 4xx status).
    Rejected {
        /// GitHub's words.
        message: String,
    },
    /// Nobody can say whether it arrived.
    Unknown {
        /// What happened instead of an answer.
        message: String,
    },
}

impl Posted {
    /// Settles the attempt by a complete reading (step 5).
    pub fn settle(self, refresh: &Refresh, at: Timestamp) -> Attempt {
        let Self { attempt, answer } = self;
        let state = after_post(&attempt, &answer, refresh, at);
        Attempt { state, ..attempt }
    }

    /// Leaves the attempt to `--reconcile`, when GitHub could not be read again.
    pub fn unsettled(self, why: &str, at: Timestamp) -> Attempt {
        let Self { attempt, answer } = self;
        let because = format!("{} {why}", answered(&answer));
        Attempt {
            state: AttemptState::ReconciliationRequired { at, because },
            ..attempt
        }
    }
}

fn answered(answer: &Answer) -> String {
    match answer {
        Answer::Accepted => "GitHub accepted the comment.".to_owned(),
        Answer::Rejected { message } => format!("GitHub refused the comment ({message})."),
        Answer::Unknown { message } => {
            format!("Whether GitHub took the comment is not known ({message}).")
        }
    }
}

fn after_post(attempt: &Attempt, answer: &Answer, refresh: &Refresh, at: Timestamp) -> AttemptState {
    let open = |why: String| AttemptState::ReconciliationRequired {
        at,
        because: format!("{} {why}", answered(answer)),
    };
    if let Some(gap) = &refresh.gap {
        return open(gap.clone());
    }
    match refresh.ours.as_slice() {
        [] => {}
        [ours] if refresh.foreign.is_empty() && refresh.head == attempt.head => return bound(ours, at),
        [_] if refresh.foreign.is_empty() => {
            return open(format!(
                "The head moved to {} after the trigger was posted.",
                refresh.head.short()
            ));
        }
        [_] => {
            return open(format!(
                "Another trigger appeared beside it: {}.",
                names(&refresh.foreign)
            ));
        }
        several => return open(format!("It stands there {} times.", several.len())),
    }
    if !refresh.foreign.is_empty() || !refresh.copies.is_empty() {
        return open(format!(
            "Another trigger appeared, and ours is not there: {}.",
            names(&refresh.foreign)
        ));
    }
    if refresh.deleted {
        return open("A comment was deleted meanwhile, and GitHub does not say which.".to_owned());
    }
    match answer {
        Answer::Rejected { message } => AttemptState::CreationFailed {
            at,
            because: format!("GitHub refused the comment ({message}), and it does not exist."),
        },
        Answer::Accepted | Answer::Unknown { .. } => {
            open("It is not there yet, and may still appear.".to_owned())
        }
    }
}

fn bound(ours: &Landed, at: Timestamp) -> AttemptState {
    AttemptState::Created {
        at,
        comment_id: ours.comment_id,
        created_at: ours.created_at,
    }
}

fn names(landed: &[Landed]) -> String {
    let names: Vec<String> = landed.iter().map(|one| one.name.to_string()).collect();
    names.join(", ")
}

/// An attempt after `--reconcile`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconciled {
    /// The attempt in its state now.
    pub attempt: Attempt,
    /// Other triggers that are new since it began.
    pub overlaps: Vec<Landed>,
    /// The head has moved since: the trigger counts for the old one only.
    pub head_moved: bool,
}

impl Open {
    /// Settles an attempt by a complete reading alone. `fresh` is the user's word for this very command.
    pub fn reconcile(self, refresh: &Refresh, fresh: Option<&Authorization>, at: Timestamp) -> Reconciled {
        let attempt = self.0;
        let state = reconciled(&attempt, refresh, fresh, at);
        Reconciled {
            overlaps: refresh.foreign.clone(),
            head_moved: refresh.head != attempt.head,
            attempt: Attempt { state, ..attempt },
        }
    }
}

fn reconciled(
    attempt: &Attempt,
    refresh: &Refresh,
    fresh: Option<&Authorization>,
    at: Timestamp,
) -> AttemptState {
    let open = |because: String| AttemptState::ReconciliationRequired { at, because };
    if let Some(gap) = &refresh.gap {
        return open(gap.clone());
    }
    match refresh.ours.as_slice() {
        [ours] => return bound(ours, at),
        [] => {}
        several => {
            return open(format!(
                "The trigger stands there {} times: {}.",
                several.len(),
                names(several)
            ));
        }
    }
    if !refresh.copies.is_empty() {
        return open(
            "A comment by another account bears this attempt's id, and ours is not there.".to_owned(),
        );
    }
    let age = at - attempt.started_at;
    if age.num_minutes() < IN_FLIGHT_MINUTES {
        return open(format!(
            "The trigger is not there, and the request may still be in flight: wait until {IN_FLIGHT_MINUTES} \
             minutes have passed since it began ({} s so far).",
            age.num_seconds()
        ));
    }
    if refresh.deleted && !fresh.is_some_and(Authorization::is_fresh) {
        return open(
            "The trigger is not there, and a comment was deleted since it was posted, so it may have existed: only \
             the user's fresh --authorization can settle this."
                .to_owned(),
        );
    }
    AttemptState::CreationFailed {
        at,
        because: format!(
            "The {} was sent {} minutes ago or more and does not exist.",
            match attempt.kind {
                AttemptKind::Request => "request",
                AttemptKind::Retry => "retry",
            },
            age.num_minutes()
        ),
    }
}
