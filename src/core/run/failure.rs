//! The `failed` row of the state machine and its record of 17 fields (review-run protocol, "Terminal failure
//! classifier").

use schemars::JsonSchema;
use serde::Serialize;

use super::Run;
use super::attribution::{Attributed, Outcome, Owner};
use super::candidate::{Candidate, ResolutionKind};
use super::clean::overlap;
use super::indeterminate::follows;
use super::signature::{Signature, recognise};
use crate::evidence::JournalAttempt;
use crate::evidence::name::{EvidenceName, Sha};
use crate::evidence::observed::{Timestamp, rfc3339};
use crate::lineage::AttemptState;
use crate::reading::CommentOrder;
use crate::reason::{Reason, words};

words! {
    /// Where the one retry of a failed run stands.
    RetryTransitionState {
        /// Nobody asked for a retry.
        NotRequested = "not-requested",
        /// The intent is recorded; whether the comment exists is not known yet.
        Creating = "creating",
        /// The successor is bound.
        Created = "created",
        /// The post failed for certain and no successor exists.
        CreationFailed = "creation-failed",
        /// Nobody can say yet whether the comment exists.
        ReconciliationRequired = "reconciliation-required",
    }
}

/// A run that ended with a listed failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureRecord {
    /// The failure comment.
    pub terminal: EvidenceName,
    /// Which listed failure it is.
    pub signature: Signature,
    /// The 17 fields.
    pub fields: TerminalFields,
}

/// The 17 fields, named as the review-run protocol names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalFields {
    /// The head of the failed run.
    #[schemars(with = "String")]
    pub head_ref_oid: Sha,
    /// The trigger's comment id.
    pub trigger_comment_id: u64,
    /// When the trigger was posted.
    #[schemars(with = "String")]
    pub trigger_created_at: String,
    /// The failure comment's id.
    pub terminal_comment_id: u64,
    /// When the failure was reported.
    pub terminal_created_at: String,
    /// The numeric id of its author as REST gave it.
    pub terminal_author_id: Option<u64>,
    /// The login of its author as REST gave it.
    pub terminal_author_login: String,
    /// The type of its author as REST gave it.
    pub terminal_author_type: String,
    /// SHA-256 of the normalised body.
    pub normalized_body_sha256: String,
    /// The listed signature.
    pub terminal_signature_id: String,
    /// Whether the signature and the trigger's form allow a retry at all.
    pub retryable: bool,
    /// How many retries this lineage has had: 0 or 1.
    pub retry_attempt_count: u8,
    /// Where the retry stands.
    pub retry_transition_state: RetryTransitionState,
    /// The authorization it rests on.
    pub retry_authorization_reference: Option<String>,
    /// The successor's comment id.
    pub successor_trigger_comment_id: Option<u64>,
    /// When the successor was posted.
    pub successor_trigger_created_at: Option<String>,
    /// The head the successor was posted for.
    #[schemars(with = "Option<String>")]
    pub successor_head_ref_oid: Option<Sha>,
}

impl FailureRecord {
    /// Whether the protocol allows one authorized retry.
    pub fn may_retry(&self) -> bool {
        self.fields.retryable && self.fields.retry_attempt_count == 0 && !self.is_open()
    }

    /// Whether an attempt at the retry must be settled first.
    pub fn is_open(&self) -> bool {
        match self.fields.retry_transition_state {
            RetryTransitionState::Creating | RetryTransitionState::ReconciliationRequired => true,
            RetryTransitionState::NotRequested
            | RetryTransitionState::Created
            | RetryTransitionState::CreationFailed => false,
        }
    }
}

/// The record of the head's retry lineage: that of its first failed run, with the retry that followed. Without one
/// that of the newest failed run, which carries no lineage.
pub fn lineage(run: &Run<'_>) -> Option<FailureRecord> {
    // Only a trigger of this head is ever given a result.
    let failed = |candidate: &&Candidate<'_>| failed_at(candidate).is_some();
    let all = &run.candidates.all;
    let first = all
        .iter()
        .filter(failed)
        .find(|candidate| candidate.has_lineage());
    let candidate = match first {
        Some(first) => first,
        None => all.iter().rev().find(failed)?,
    };
    record(run, candidate)
}

/// Adds what is known of the retry of a failed run: its successor on GitHub, else what this machine's journal says.
fn with_retry(run: &Run<'_>, trigger: &Candidate<'_>, terminal: CommentOrder, fields: &mut TerminalFields) {
    let attempts = &run.reading.evidence.local.journal.attempts;
    let of_this_run = |attempt: &&JournalAttempt| attempt.failed_trigger_comment_id == Some(trigger.order.id);
    // Until our own attempt is settled the record keeps count 0 and names no successor.
    let unsettled = attempts
        .iter()
        .rev()
        .filter(of_this_run)
        .find(|a| a.state.is_open());
    if let Some(attempt) = unsettled {
        fields.retry_attempt_count = 0;
        fields.retry_transition_state = attempt.state.word();
        fields.retry_authorization_reference = Some(attempt.authorization_reference.clone());
        return;
    }
    let successor = run.candidates.all.iter().find(|candidate| {
        candidate.on_head() && candidate.has_lineage() && !candidate.precedes(Some(terminal))
    });
    if let Some(successor) = successor.filter(|_| trigger.has_lineage()) {
        fields.retry_attempt_count = 1;
        fields.retry_transition_state = RetryTransitionState::Created;
        fields.retry_authorization_reference = attempts
            .iter()
            .rev()
            .filter(of_this_run)
            .find(|attempt| successor.nonce.as_deref() == Some(attempt.id.as_str()))
            .map(|attempt| attempt.authorization_reference.clone());
        fields.successor_trigger_comment_id = Some(successor.order.id);
        fields.successor_trigger_created_at = Some(rfc3339(successor.order.at));
        fields.successor_head_ref_oid = Some(run.reading.pull.head_ref_oid.clone());
        return;
    }
    let Some(attempt) = attempts.iter().rev().find(of_this_run) else {
        return;
    };
    match &attempt.state {
        AttemptState::NotRequested { .. } => return,
        AttemptState::Creating
        | AttemptState::CreationFailed { .. }
        | AttemptState::ReconciliationRequired { .. } => {}
        // The successor was there; that somebody deleted it gives no second retry.
        AttemptState::Created {
            comment_id,
            created_at,
            ..
        } => {
            fields.retry_attempt_count = 1;
            fields.successor_trigger_comment_id = Some(*comment_id);
            fields.successor_trigger_created_at = Some(rfc3339(*created_at));
            fields.successor_head_ref_oid = Some(attempt.head.clone());
        }
    }
    fields.retry_transition_state = attempt.state.word();
    fields.retry_authorization_reference = Some(attempt.authorization_reference.clone());
}

/// The record of a failure that is bound to `trigger`, when its run failed.
pub(super) fn record(run: &Run<'_>, trigger: &Candidate<'_>) -> Option<FailureRecord> {
    let resolution = trigger.resolution.as_ref()?;
    if resolution.kind != ResolutionKind::Failure {
        return None;
    }
    let comment = run
        .reading
        .comments
        .iter()
        .find(|comment| comment.name == resolution.evidence)?;
    let matched = recognise(comment.comment.body.text())?;
    let order = comment.order?;
    let author = comment.comment.user.as_ref()?;
    let retried = FailedRuns::of(run).precede(trigger);
    let mut fields = TerminalFields {
        head_ref_oid: run.reading.pull.head_ref_oid.clone(),
        trigger_comment_id: trigger.order.id,
        trigger_created_at: rfc3339(trigger.order.at),
        terminal_comment_id: order.id,
        terminal_created_at: rfc3339(order.at),
        terminal_author_id: author.id.get(),
        terminal_author_login: author.login.text().to_owned(),
        terminal_author_type: author.kind.text().to_owned(),
        normalized_body_sha256: matched.normalized_body_sha256,
        terminal_signature_id: matched.signature.id().to_owned(),
        retryable: matched.retryable && trigger.has_lineage(),
        retry_attempt_count: u8::from(retried),
        retry_transition_state: RetryTransitionState::NotRequested,
        retry_authorization_reference: None,
        successor_trigger_comment_id: None,
        successor_trigger_created_at: None,
        successor_head_ref_oid: None,
    };
    with_retry(run, trigger, order, &mut fields);
    Some(FailureRecord {
        terminal: comment.name.clone(),
        signature: matched.signature,
        fields,
    })
}

/// A listed failure that the newest trigger or another one may own: the runs it may have ended are undecided, whatever
/// the connector's reactions say after it.
pub(super) fn disputed(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    run.results.iter().find_map(|result| match &result.owner {
        Owner::Ambiguous(owners) if result.outcome == Outcome::Failure && owners.contains(&newest.name) => {
            Some(overlap(owners.iter().chain([&result.name]).cloned().collect()))
        }
        Owner::Ambiguous(_) | Owner::Candidate(_) | Owner::Nobody | Owner::SameTime(_) => None,
    })
}

/// The failed runs of a pull request, gathered once for asking about many triggers.
pub struct FailedRuns<'r> {
    /// Triggers that carry a lineage and failed, with the time of that.
    triggers: Vec<(CommentOrder, Timestamp)>,
    /// Failures of this head that nobody could be given: each still belongs to an earlier trigger.
    unowned: Vec<&'r Attributed>,
}

impl<'r> FailedRuns<'r> {
    /// Gathers them.
    pub fn of(run: &'r Run<'_>) -> Self {
        let candidates = run.candidates.all.iter().filter(|one| one.has_lineage());
        let unowned = run.results.iter().filter(|result| {
            result.outcome == Outcome::Failure
                && matches!(result.owner, Owner::Ambiguous(_) | Owner::SameTime(_))
        });
        Self {
            triggers: candidates
                .filter_map(|one| Some((one.order, failed_at(one)?)))
                .collect(),
            unowned: unowned.collect(),
        }
    }

    /// Whether `trigger` is the successor of a failed run: a trigger that follows one on the same head is, whoever posted
    /// it and whatever the journal says.
    pub fn precede(&self, trigger: &Candidate<'_>) -> bool {
        let mut failed = self.triggers.iter();
        let mut unowned = self.unowned.iter();
        failed.any(|(order, at)| *order < trigger.order && *at <= trigger.order.at)
            || unowned.any(|result| !follows(result, trigger))
    }
}

fn failed_at(candidate: &Candidate<'_>) -> Option<Timestamp> {
    let resolution = candidate.resolution.as_ref()?;
    (resolution.kind == ResolutionKind::Failure).then_some(resolution.at)
}
