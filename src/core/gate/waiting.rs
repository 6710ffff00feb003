//! What the gate waits for, when nothing blocks.

use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::reading::{NamedCommit, Role};
use crate::run::Run;

use super::approval::Signals;
use super::earlier_head;
use super::lower_bound::LowerBound;
use super::{Waiting, WaitingReason};

fn waiting(reason: WaitingReason, message: &str, evidence: Option<EvidenceName>) -> Waiting {
    Waiting {
        reason,
        message: message.to_owned(),
        evidence,
    }
}

/// What keeps the gate waiting even when there is an approval.
pub(super) fn first(run: &Run<'_>, signals: &Signals) -> Option<Waiting> {
    if let Some(eyes) = &signals.eyes {
        let message = "The connector is reviewing: its eyes are not older than every thumbs-up and result.";
        return Some(waiting(
            WaitingReason::Reviewing,
            message,
            Some(eyes.reaction.clone()),
        ));
    }
    let open = signals.approval.as_ref().and_then(|approval| {
        run.candidates
            .unresolved()
            .find(|one| one.order.at >= approval.at)
    });
    if let Some(candidate) = open {
        let message = "A review of this head was requested after the approval and is not answered yet.";
        return Some(waiting(
            WaitingReason::Reviewing,
            message,
            Some(candidate.name.clone()),
        ));
    }
    mismatch(run).map(|name| {
        let message =
            "The connector's newest comment or summary row since this head arrived names another commit.";
        waiting(WaitingReason::ReviewedCommitMismatch, message, Some(name))
    })
}

/// What the gate waits for when nothing approves.
pub(super) fn rest(signals: &Signals, bound: &LowerBound) -> Waiting {
    if let Some(reaction) = &signals.unbound {
        let message =
            "The thumbs-up on the description came soon after a push and may be for the previous head.";
        return waiting(WaitingReason::ApprovalUnbound, message, Some(reaction.clone()));
    }
    if bound.start_unknown {
        let message = "Checks of this head began and none says when, so no thumbs-up is proven to be later.";
        return waiting(WaitingReason::NoTimestampedChecks, message, None);
    }
    if let Some(reaction) = &signals.stale {
        let message =
            "The thumbs-up is older than this head, its description, the text it stands on, or a finding.";
        return waiting(WaitingReason::ApprovalStale, message, Some(reaction.clone()));
    }
    if bound.checks_started.is_none() {
        let message = "No check of this head has a time, so reactions on the description prove nothing.";
        return waiting(WaitingReason::NoTimestampedChecks, message, None);
    }
    let message = "The connector has not given this head a thumbs-up.";
    waiting(WaitingReason::NoApproval, message, None)
}

/// The newest comment or code-lane row of the connector that labels a commit, when that is another one and it is
/// later than this head's arrival. Older ones are history.
fn mismatch(run: &Run<'_>) -> Option<EvidenceName> {
    let head = &run.reading.pull.head_ref_oid;
    let mut newest: Option<(Option<Timestamp>, bool, EvidenceName)> = None;
    let mut consider = |at: Option<Timestamp>, other: bool, name: &EvidenceName| {
        // What has no time counts as later; of two at one time the one for another commit decides.
        let rank = |at: Option<Timestamp>, other: bool| (at.is_none(), at, other);
        let newer = newest
            .as_ref()
            .is_none_or(|(known, was_other, _)| rank(at, other) >= rank(*known, *was_other));
        if newer {
            newest = Some((at, other, name.clone()));
        }
    };
    for comment in &run.reading.comments {
        let Role::Connector { meaning, commit } = &comment.role else {
            continue;
        };
        match meaning {
            Meaning::NoFindings { lane: Lane::Code }
            | Meaning::Findings { lane: Lane::Code, .. }
            | Meaning::Boilerplate { lane: Lane::Code }
            | Meaning::Unclear { lane: Lane::Code } => {
                let other = match commit {
                    NamedCommit::None => continue,
                    NamedCommit::Head | NamedCommit::Unresolved(_) => false,
                    NamedCommit::Other(_) | NamedCommit::Ambiguous(_) => true,
                };
                consider(comment.comment.created_at.get(), other, &comment.name);
            }
            Meaning::Summary { rows } => {
                for row in rows.iter().filter(|row| row.lane == Lane::Code) {
                    if let Some(prefix) = &row.commit {
                        consider(row.at, !head.starts_with(prefix), &comment.name);
                    }
                }
            }
            Meaning::NoFindings { .. }
            | Meaning::Findings { .. }
            | Meaning::Boilerplate { .. }
            | Meaning::Unclear { .. }
            | Meaning::Failure { .. }
            | Meaning::Notice { .. }
            | Meaning::TaskReply => {}
        }
    }
    let (at, other, name) = newest?;
    let since_arrival = match (at, earlier_head::arrival(run)) {
        (Some(at), Some(arrival)) => at > arrival,
        (Some(_) | None, Some(_) | None) => true,
    };
    (other && since_arrival).then_some(name)
}
