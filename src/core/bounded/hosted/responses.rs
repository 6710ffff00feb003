//! The candidate responses: every text that could answer a review request, in the evaluator's words.

use super::{HostedError, database_id, known_time, time, unusable};
use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::triggers::Form;
use crate::bounded::state::{Request, Response, ResponseOutcome};
use crate::bounded::terms::{AuthorType, Count, Hash, ResponseId, Sha, Timestamp};
use crate::evidence::account::Account;
use crate::evidence::review::ReviewState;
use crate::reading::{CommentReading, EditState, NamedCommit, Reading, ReviewReading, Role};

/// "Include every candidate response": every code-lane text of the connector, or of somebody who may be it, that could
/// answer a review request. The summary comment, task replies and the security lane answer none.
pub(super) fn of(reading: &Reading<'_>, request: Option<&Request>) -> Result<Vec<Response>, HostedError> {
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
    let trustworthy = edited.is_intact();
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
