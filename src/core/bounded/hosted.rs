//! The hosted half of a recurring state, from collected evidence: what GitHub shows now, in the evaluator's words.
//!
//! Nothing is invented here. A surface that was not read to its end gives no state; a gate that cannot be known is
//! `unknown`; a response that cannot be correlated is listed as such, and the evaluator rejects it.

use super::canonical::{Json, digest};
use super::error::EvaluatorError;
use super::gates;
use super::policy::ReactionAuthorType;
use super::state::{
    Checkpoint, Hosted, HostedPullRequest, PullRequestState, Receipt, Request, Response, ResponseOutcome,
    ThreadSnapshot,
};
use super::terms::{
    AuthorType, BranchName, Count, DatabaseId, FullName, Hash, PullRequestNumber, PullRequestUrl, ResponseId,
    Sha, ThreadId, Timestamp, TrustedBotId,
};
use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::triggers::{Form, Marker};
use crate::evidence::Evidence;
use crate::evidence::account::Account;
use crate::evidence::event::EventKind;
use crate::evidence::observed::{Observed, Timestamp as Instant};
use crate::evidence::pull::PullState;
use crate::evidence::reaction::ReactionContent;
use crate::evidence::review::ReviewState;
use crate::evidence::surface::Surface;
use crate::evidence::thread::{Thread, ThreadComment};
use crate::options::Options;
use crate::reading::{CommentReading, EditState, NamedCommit, Reading, ReviewReading, Role};

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
    let threads = Threads::of(
        &reading,
        request.map(|request| request.author_database_id).or(viewer),
    )?;
    Ok(Hosted {
        observed_at: time(evidence.collected_at, "the time", "the collection")?,
        current_user_database_id: viewer,
        pull_request,
        receipt: request.and_then(|request| receipt(evidence, request, options)),
        responses: responses(&reading, request)?,
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

/// The first eyes reaction of the trusted bot; another bot's is kept only when there is none of the trusted one.
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

/// "Include every candidate response": every code-lane text of the connector, or of somebody who may be it, that could
/// answer a review request. The summary comment, task replies and the security lane answer none.
fn responses(reading: &Reading<'_>, request: Option<&Request>) -> Result<Vec<Response>, HostedError> {
    let mut found = Vec::new();
    for comment in &reading.comments {
        let outcome = match (&comment.role, comment.identity) {
            (Role::Connector { meaning, .. }, _) => {
                outcome(meaning, 0, reading.comment_edited(comment.comment), false)
            }
            (Role::Addressed { .. } | Role::Bystander, Identity::Mismatched) => {
                Some(ResponseOutcome::Unclear)
            }
            (
                Role::Addressed { .. } | Role::Bystander,
                Identity::Connector | Identity::Other | Identity::Missing,
            ) => None,
        };
        let Some(outcome) = outcome else { continue };
        let commit = match &comment.role {
            Role::Connector { commit, .. } => Some(commit),
            Role::Addressed { .. } | Role::Bystander => None,
        };
        let name = comment.name.to_string();
        let created = known_time(&comment.comment.created_at, "the time of creation", &name)?;
        let changed = known_time(&comment.comment.updated_at, "the time of the last change", &name)?;
        let text = Text {
            name,
            author: comment.comment.user.as_ref(),
            changed: changed.max(created.clone()),
            created,
            body: comment.comment.body.text(),
            commit: commit.and_then(|commit| named(reading, commit)),
        };
        found.push(text.response(outcome, reading, request)?);
    }
    for review in &reading.reviews {
        let dismissed = review.review.state == ReviewState::Dismissed;
        let outcome = match review.identity {
            // GitHub wraps every reply inside a thread in a review of its own, with nothing to say.
            Identity::Connector if is_wrapped_reply(review) => None,
            Identity::Connector => outcome(
                &review.meaning,
                review.roots,
                reading.review_edited(review.review),
                dismissed,
            ),
            Identity::Mismatched => Some(ResponseOutcome::Unclear),
            Identity::Missing | Identity::Other => None,
        };
        let Some(outcome) = outcome else { continue };
        found.push(review_text(reading, review)?.response(outcome, reading, request)?);
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

fn is_wrapped_reply(review: &ReviewReading<'_>) -> bool {
    review.review.body.text().trim().is_empty() && review.roots == 0 && review.inline > 0
}

fn review_text<'a>(reading: &Reading<'_>, review: &'a ReviewReading<'_>) -> Result<Text<'a>, HostedError> {
    let name = review.name.to_string();
    let created = known_time(&review.review.submitted_at, "the time of submission", &name)?;
    let edits = reading.evidence.surfaces.edits.items().iter();
    let edited = edits
        .filter(|edit| {
            review
                .review
                .node_id
                .known()
                .is_some_and(|id| *id == edit.node_id)
        })
        .find_map(|edit| edit.last_edited_at.get())
        .map(|at| time(at, "the time of the last change", &name))
        .transpose()?;
    Ok(Text {
        author: review.review.user.as_ref(),
        changed: edited.unwrap_or_else(|| created.clone()).max(created.clone()),
        created,
        body: review.review.body.text(),
        commit: named(reading, &review.commit),
        name,
    })
}

/// What a meaning is as a response; none for a text that answers no review request.
fn outcome(meaning: &Meaning, roots: usize, edited: EditState, dismissed: bool) -> Option<ResponseOutcome> {
    let or_inline = if roots > 0 {
        ResponseOutcome::Findings
    } else {
        ResponseOutcome::Unclear
    };
    let trustworthy = match edited {
        EditState::Unedited | EditState::ByConnector => true,
        EditState::ByOther | EditState::Unknown => false,
    };
    match meaning {
        Meaning::Findings { lane: Lane::Code, .. } => Some(ResponseOutcome::Findings),
        Meaning::NoFindings { lane: Lane::Code } if roots == 0 && trustworthy && !dismissed => {
            Some(ResponseOutcome::NoFindings)
        }
        Meaning::NoFindings { lane: Lane::Code }
        | Meaning::Boilerplate { lane: Lane::Code }
        | Meaning::Unclear { lane: Lane::Code }
        | Meaning::Notice { lane: Lane::Code, .. }
        | Meaning::Failure { .. } => Some(or_inline),
        Meaning::Findings {
            lane: Lane::Security, ..
        }
        | Meaning::NoFindings { lane: Lane::Security }
        | Meaning::Boilerplate { lane: Lane::Security }
        | Meaning::Unclear { lane: Lane::Security }
        | Meaning::Notice {
            lane: Lane::Security, ..
        }
        | Meaning::TaskReply
        | Meaning::Summary { .. } => None,
    }
}

/// The full SHA that a text names; none when it names none, several, or one that GitHub does not resolve.
fn named(reading: &Reading<'_>, commit: &NamedCommit) -> Option<Sha> {
    let known = |prefix: &str| {
        let commits = reading.evidence.surfaces.commits.items().iter();
        let mut found = commits
            .filter(|commit| commit.oid.starts_with(prefix))
            .map(|commit| commit.oid.as_str());
        match (found.next(), found.next()) {
            (Some(one), None) => Sha::new(one).ok(),
            (_, _) => None,
        }
    };
    match commit {
        NamedCommit::Head => Sha::new(reading.pull.head_ref_oid.as_str()).ok(),
        NamedCommit::Other(text) => Sha::new(text.as_str()).ok().or_else(|| known(text)),
        NamedCommit::None | NamedCommit::Ambiguous(_) | NamedCommit::Unresolved(_) => None,
    }
}

/// One text of GitHub that becomes a response.
struct Text<'a> {
    name: String,
    author: Option<&'a Account>,
    created: Timestamp,
    changed: Timestamp,
    body: &'a str,
    commit: Option<Sha>,
}

impl Text<'_> {
    fn response(
        self,
        outcome: ResponseOutcome,
        reading: &Reading<'_>,
        request: Option<&Request>,
    ) -> Result<Response, HostedError> {
        let Self {
            name,
            author,
            created,
            changed,
            body,
            commit,
        } = self;
        let kind = author.map_or("", |author| author.kind.text());
        Ok(Response {
            id: ResponseId::new(name.clone()).map_err(unusable("the ID", &name))?,
            author_database_id: author.and_then(database_id),
            author_type: AuthorType::new(kind).map_err(unusable("the author's type", &name))?,
            intervening_requests: intervening(reading, request, &created),
            created_at: created,
            content_version_at: changed,
            body_hash: Hash::of_text(body),
            // GitHub names no triggering comment on anything that the connector writes.
            trigger_request_id: None,
            commit_sha: commit,
            outcome,
        })
    }
}

/// `@codex` comments between the request and a response; those without a usable time count too.
fn intervening(reading: &Reading<'_>, request: Option<&Request>, response: &Timestamp) -> Count {
    let Some(request) = request else {
        return Count::MINIMUM;
    };
    let between = |comment: &&CommentReading<'_>| {
        let addresses = match &comment.role {
            Role::Addressed { form, .. } => *form != Form::Quoted,
            Role::Connector { .. } | Role::Bystander => false,
        };
        let after = |order: crate::reading::CommentOrder| {
            let at = Timestamp::from_instant(order.at).ok();
            (at.as_ref(), order.id) > (Some(&request.created_at), request.comment_id.get())
                && at.as_ref().is_none_or(|at| at <= response)
        };
        addresses
            && comment.comment.id.get() != Some(request.comment_id.get())
            && comment.order.is_none_or(after)
    };
    Count::of_length(reading.comments.iter().filter(between).count())
}

/// Unresolved threads, by what may be done about them.
struct Threads {
    actionable: Vec<ThreadSnapshot>,
    eligible: Vec<ThreadSnapshot>,
    foreign: Count,
}

impl Threads {
    fn of(reading: &Reading<'_>, author: Option<DatabaseId>) -> Result<Self, HostedError> {
        let (mut actionable, mut eligible, mut foreign) = (Vec::new(), Vec::new(), 0_usize);
        for thread in &reading.threads {
            if thread.thread.is_resolved.get() == Some(true) {
                continue;
            }
            let trusted = thread.root == Identity::Connector
                && thread
                    .thread
                    .comments
                    .first()
                    .and_then(|root| root_author(reading, root))
                    .is_some_and(|id| TrustedBotId::MINIMUM.is(id));
            if !trusted {
                foreign = foreign.saturating_add(1);
                continue;
            }
            let snapshot = snapshot(thread.thread, &thread.name.to_string())?;
            if thread.thread.is_outdated.get() == Some(true) || answered(thread.thread, author) {
                eligible.push(snapshot);
            } else {
                actionable.push(snapshot);
            }
        }
        actionable.sort_by(|a, b| a.id.cmp(&b.id));
        eligible.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Self {
            actionable,
            eligible,
            foreign: Count::of_length(foreign),
        })
    }
}

/// The root author's ID: GraphQL's, else REST's for the same comment.
fn root_author(reading: &Reading<'_>, root: &ThreadComment) -> Option<DatabaseId> {
    root.author.as_ref().and_then(database_id).or_else(|| {
        let id = root.id.get()?;
        let mut comments = reading.evidence.surfaces.review_comments.items().iter();
        comments
            .find(|comment| comment.id.get() == Some(id))?
            .user
            .as_ref()
            .and_then(database_id)
    })
}

/// "Reply under addressed trusted-Codex-rooted inline threads": the newest comment is the request author's.
fn answered(thread: &Thread, author: Option<DatabaseId>) -> bool {
    let newest = thread.comments.iter().skip(1).last();
    newest.is_some_and(|comment| author.is_some() && comment.author.as_ref().and_then(database_id) == author)
}

fn snapshot(thread: &Thread, name: &str) -> Result<ThreadSnapshot, HostedError> {
    let root = thread.comments.first();
    let root_id = root.and_then(|root| root.id.get());
    let missing = |what| HostedError::Unusable {
        what,
        evidence: name.to_owned(),
    };
    let mut newest: Option<Timestamp> = None;
    for comment in &thread.comments {
        let written = known_time(&comment.created_at, "the time of a comment", name)?;
        let edited = comment
            .last_edited_at
            .get()
            .map(|at| time(at, "the time of a change", name))
            .transpose()?;
        newest = newest.into_iter().chain([written]).chain(edited).max();
    }
    let bodies = Json::List(
        thread
            .comments
            .iter()
            .map(|comment| Json::text(comment.body.text()))
            .collect(),
    );
    let line = |line: &Observed<u64>| line.get().map_or(Json::Null, |line| Json::Integer(line.into()));
    let position = Json::object([
        ("path", Json::text(thread.path.text())),
        ("line", line(&thread.line)),
        ("original_line", line(&thread.original_line)),
        (
            "outdated",
            thread.is_outdated.get().map_or(Json::Null, Json::Boolean),
        ),
    ]);
    let hash = |json: &Json| Hash::new(digest(json)).map_err(unusable("the digest", name));
    Ok(ThreadSnapshot {
        id: ThreadId::new(thread.id.text()).map_err(unusable("the ID", name))?,
        root_comment_id: DatabaseId::new(root_id.unwrap_or(0))
            .map_err(unusable("the root comment's ID", name))?,
        root_author_database_id: TrustedBotId::MINIMUM,
        content_version_at: newest.ok_or_else(|| missing("the time"))?,
        body_hash: hash(&bodies)?,
        position_hash: hash(&position)?,
    })
}
