//! The hosted half of a recurring state, from collected evidence: what GitHub shows now, in the evaluator's words.
//!
//! Nothing is invented here. A surface that was not read to its end gives no state; a gate that cannot be known is
//! `unknown`; a response that cannot be correlated is listed as such, and the evaluator rejects it.

mod responses;
mod threads;

use super::error::EvaluatorError;
use super::gates;
use super::policy::ReactionAuthorType;
use super::state::{Checkpoint, Hosted, HostedPullRequest, PullRequestState, Receipt, Request};
use super::terms::{
    BranchName, DatabaseId, FullName, PullRequestNumber, PullRequestUrl, Sha, Timestamp, TrustedBotId,
};
use crate::bot::triggers::Marker;
use crate::evidence::Evidence;
use crate::evidence::account::Account;
use crate::evidence::event::EventKind;
use crate::evidence::observed::{Observed, Timestamp as Instant};
use crate::evidence::pull::PullState;
use crate::evidence::reaction::ReactionContent;
use crate::evidence::surface::Surface;
use crate::options::Options;
use crate::reading::{CommentReading, Reading, Role};

/// Why no state can be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostedError {
    /// A collection is not complete.
    #[error(
        "the surface {surface} was not read to its end ({why}), so there is no complete state; collect it again"
    )]
    Incomplete {
        /// Its name in documents.
        surface: &'static str,
        /// What is missing.
        why: String,
    },
    /// The pull request moved during every reading.
    #[error(
        "the pull request kept moving while it was read ({0}), so there is no complete state; try again later"
    )]
    Unstable(String),
    /// The evidence is about something else than the checkpoint.
    #[error(
        "the checkpoint is about {checkpoint} and the evidence about {evidence}; name the checkpoint's pull request"
    )]
    OtherPull {
        /// The checkpoint's address.
        checkpoint: String,
        /// The evidence's address.
        evidence: String,
    },
    /// The canonical request is not there as the checkpoint records it.
    #[error("the canonical request {comment} {fault}; audit the checkpoint by hand")]
    Request {
        /// The comment's ID.
        comment: DatabaseId,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// A field of GitHub's answer that the state needs is missing or has an impossible value.
    #[error(
        "{what} of {evidence} is missing or unusable, so there is no complete state; look at it on GitHub"
    )]
    Unusable {
        /// The field.
        what: &'static str,
        /// The evidence's name.
        evidence: String,
    },
}

/// What GitHub shows now, for this checkpoint.
///
/// # Errors
/// [`HostedError`] when the evidence is incomplete, unusable, or does not fit the checkpoint.
pub fn hosted(
    evidence: &Evidence,
    checkpoint: &Checkpoint,
    options: &Options,
) -> Result<Hosted, HostedError> {
    if let Some(moved) = &evidence.unstable {
        return Err(HostedError::Unstable(moved.trim_end_matches('.').to_owned()));
    }
    check_complete(evidence)?;
    let reading = Reading::of(evidence, options).ok_or_else(|| HostedError::Incomplete {
        surface: "pull",
        why: "the pull request is not in it".to_owned(),
    })?;
    let persisted = &checkpoint.persisted;
    let pull_request = pull_request(&reading)?;
    if pull_request.url != persisted.pull_request_url {
        return Err(HostedError::OtherPull {
            checkpoint: persisted.pull_request_url.to_string(),
            evidence: pull_request.url.to_string(),
        });
    }
    let request = persisted.request.as_ref();
    if let Some(request) = request {
        check_request(&reading, request, checkpoint)?;
    }
    let viewer = evidence.surfaces.viewer.items().first().and_then(database_id);
    let threads = threads::Threads::of(
        &reading,
        request.map(|request| request.author_database_id).or(viewer),
    )?;
    Ok(Hosted {
        observed_at: time(evidence.collected_at, "the time", "the collection")?,
        current_user_database_id: viewer,
        pull_request,
        receipt: request.and_then(|request| receipt(evidence, request, options)),
        responses: responses::of(&reading, request)?,
        actionable_threads: threads.actionable,
        finalization_eligible_threads: threads.eligible,
        non_codex_unresolved_threads: threads.foreign,
        gates: gates::of(evidence),
    })
}

fn check_complete(evidence: &Evidence) -> Result<(), HostedError> {
    fn complete<T>(surface: &'static str, read: &Surface<T>) -> Result<(), HostedError> {
        match read {
            Surface::Complete { .. } => Ok(()),
            Surface::Incomplete { error, .. } => Err(HostedError::Incomplete {
                surface,
                why: super::error::shown(error.message.trim_end_matches('.')),
            }),
            Surface::NotCollected => Err(HostedError::Incomplete {
                surface,
                why: "it was not collected".to_owned(),
            }),
        }
    }
    let surfaces = &evidence.surfaces;
    complete("pull", &surfaces.pull)?;
    complete("issueComments", &surfaces.issue_comments)?;
    complete("reviews", &surfaces.reviews)?;
    complete("reviewComments", &surfaces.review_comments)?;
    complete("threads", &surfaces.threads)?;
    complete("timeline", &surfaces.timeline)?;
    complete("resolvedCommits", &surfaces.resolved_commits)?;
    complete("edits", &surfaces.edits)?;
    surfaces
        .comment_reactions
        .values()
        .try_for_each(|read| complete("commentReactions", read))
}

fn unusable<E>(what: &'static str, evidence: impl ToString) -> impl FnOnce(E) -> HostedError {
    let evidence = evidence.to_string();
    move |_| HostedError::Unusable { what, evidence }
}

fn time(at: Instant, what: &'static str, evidence: impl ToString) -> Result<Timestamp, HostedError> {
    Timestamp::from_instant(at).map_err(unusable(what, evidence))
}

fn known_time(
    at: &Observed<Instant>,
    what: &'static str,
    evidence: impl ToString,
) -> Result<Timestamp, HostedError> {
    match at.get() {
        Some(at) => time(at, what, evidence),
        None => Err(HostedError::Unusable {
            what,
            evidence: evidence.to_string(),
        }),
    }
}

fn database_id(account: &Account) -> Option<DatabaseId> {
    account.id.get().and_then(|id| DatabaseId::new(id).ok())
}

fn pull_request(reading: &Reading<'_>) -> Result<HostedPullRequest, HostedError> {
    let pull = reading.pull;
    let bad = |what| {
        move |_: EvaluatorError| HostedError::Unusable {
            what,
            evidence: "the pull request".to_owned(),
        }
    };
    let missing = |what| HostedError::Unusable {
        what,
        evidence: "the pull request".to_owned(),
    };
    let number = PullRequestNumber::new(pull.number).map_err(bad("the number"))?;
    let url = PullRequestUrl::new(pull.url.clone()).map_err(bad("the address"))?;
    // GitHub's own address carries the repository in its canonical spelling.
    let mut parts = url
        .as_str()
        .trim_start_matches("https://github.com/")
        .splitn(3, '/');
    let base_repository = match (parts.next(), parts.next()) {
        (Some(owner), Some(name)) => FullName::new(format!("{owner}/{name}")).map_err(bad("the address"))?,
        (_, _) => return Err(missing("the address")),
    };
    if url != PullRequestUrl::of(&base_repository, number) {
        return Err(missing("the address"));
    }
    let state = match &pull.state {
        PullState::Open => PullRequestState::Open,
        PullState::Closed => PullRequestState::Closed,
        PullState::Merged => PullRequestState::Merged,
        PullState::Unrecognized(_) => return Err(missing("the state")),
    };
    let base_tip = pull
        .base_tip_oid
        .as_ref()
        .ok_or_else(|| missing("the base branch's tip"))?;
    let head_repository = pull
        .head_repository
        .clone()
        .map(FullName::new)
        .transpose()
        .map_err(bad("the head repository"))?;
    Ok(HostedPullRequest {
        number,
        url,
        state,
        is_draft: pull.is_draft,
        base_repository,
        head_repository,
        current_base_branch: BranchName::new(pull.base_ref_name.clone()).map_err(bad("the base branch"))?,
        current_head_branch: BranchName::new(pull.head_ref_name.clone()).map_err(bad("the head branch"))?,
        head_branch_exists: head_branch_exists(reading.evidence),
        current_base_sha: Sha::new(base_tip.as_str()).map_err(bad("the base branch's tip"))?,
        current_head_sha: Sha::new(pull.head_ref_oid.as_str()).map_err(bad("the head"))?,
    })
}

/// The newest deletion or restoration of the head branch decides; at equal times it counts as deleted.
fn head_branch_exists(evidence: &Evidence) -> bool {
    let events = evidence.surfaces.timeline.items().iter();
    let newest = events
        .filter_map(|event| {
            let deleted = match event.kind {
                EventKind::HeadDeleted => true,
                EventKind::HeadRestored => false,
                EventKind::HeadForcePushed { .. }
                | EventKind::ReadyForReview
                | EventKind::ConvertedToDraft
                | EventKind::Reopened
                | EventKind::Closed
                | EventKind::Merged
                | EventKind::CommentDeleted { .. }
                | EventKind::BaseChanged
                | EventKind::BaseForcePushed
                | EventKind::Unrecognized { .. } => return None,
            };
            Some((event.created_at.get(), deleted))
        })
        .max();
    newest.is_none_or(|(_, deleted)| !deleted)
}

/// "Record the canonical comment ID, GitHub created_at, and full SHA": the comment still says what was recorded.
fn check_request(
    reading: &Reading<'_>,
    request: &Request,
    checkpoint: &Checkpoint,
) -> Result<(), HostedError> {
    let fault = |fault| HostedError::Request {
        comment: request.comment_id,
        fault,
    };
    let carries = |comment: &&CommentReading<'_>| match &comment.role {
        Role::Addressed { markers, .. } => markers.iter().any(|marker| match marker {
            Marker::Loop { run, round, sha } => {
                run == checkpoint.persisted.run_id.as_str()
                    && u64::from(*round) == request.round.get()
                    && sha.as_str() == request.head_sha.as_str()
            }
            Marker::CodexLoop { .. } | Marker::Dsh { .. } => false,
        }),
        Role::Connector { .. } | Role::Bystander => false,
    };
    let is_ours = |comment: &&CommentReading<'_>| comment.comment.id.get() == Some(request.comment_id.get());
    let by_author = |comment: &&CommentReading<'_>| {
        comment.comment.user.as_ref().and_then(database_id) == Some(request.author_database_id)
    };
    let Some(found) = reading.comments.iter().find(is_ours) else {
        return Err(fault("is not on the pull request"));
    };
    if !by_author(&found) {
        return Err(fault("has another author than the checkpoint records"));
    }
    let created = found
        .comment
        .created_at
        .get()
        .and_then(|at| Timestamp::from_instant(at).ok());
    if created.as_ref() != Some(&request.created_at) {
        return Err(fault("has another time of creation than the checkpoint records"));
    }
    if !carries(&found) {
        return Err(fault("does not carry the marker of this run, round and SHA"));
    }
    // "Each review round has exactly one top-level request comment."
    if reading.comments.iter().filter(carries).filter(by_author).count() > 1 {
        return Err(fault("stands there more than once for this run, round and SHA"));
    }
    Ok(())
}

/// The first eyes reaction of the trusted bot; nobody else's confirms receipt.
fn receipt(evidence: &Evidence, request: &Request, options: &Options) -> Option<Receipt> {
    let reactions = evidence
        .surfaces
        .comment_reactions
        .get(&request.comment_id.get())?;
    let mut eyes: Vec<Receipt> = reactions
        .items()
        .iter()
        .filter(|reaction| reaction.content == ReactionContent::Eyes)
        .filter_map(|reaction| {
            let user = reaction.user.as_ref()?;
            let author_type = match user.kind.text() {
                "Bot" => ReactionAuthorType::Bot,
                "User" if !options.strict_identity => ReactionAuthorType::User,
                _ => return None,
            };
            let created_at = Timestamp::from_instant(reaction.created_at.get()?).ok()?;
            Some(Receipt {
                author_database_id: database_id(user)?,
                author_type,
                created_at,
            })
        })
        .filter(|receipt| TrustedBotId::MINIMUM.is(receipt.author_database_id))
        .collect();
    eyes.sort_by(|a, b| a.created_at.cmp(&b.created_at));
    eyes.into_iter().next()
}
