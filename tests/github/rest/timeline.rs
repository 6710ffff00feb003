//! `issues/N/timeline` and `issues/N/events`.

use serde_json::{Value, json};

use super::{Answer, Place, accounts, commits, discussion, not_found, paged};
use crate::github::http::Request;
use crate::github::time::{Time, iso};
use crate::github::world::{Commit, Event, EventKind, IssueComment, Pull, Review};

enum Entry<'w> {
    Commit(&'w Commit),
    Comment(&'w IssueComment),
    Review(&'w Review),
    Event(&'w Event),
}

impl Entry<'_> {
    fn order(&self) -> (Time, u64) {
        match self {
            Self::Commit(commit) => (commit.committed_at, 0),
            Self::Comment(comment) => (comment.created_at, comment.id),
            Self::Review(review) => (review.submitted_at, review.id),
            Self::Event(event) => (event.at, event.id),
        }
    }
}

/// Commits, comments, reviews and events in the order of their times.
pub fn timeline(place: Place<'_>, request: &Request, pull: Option<&Pull>) -> Answer {
    let pull = pull.ok_or_else(not_found)?;
    let commits = pull.commits.iter().filter_map(|sha| place.repository.commit(sha));
    let mut entries: Vec<Entry<'_>> = commits
        .map(Entry::Commit)
        .chain(pull.comments.iter().map(Entry::Comment))
        .chain(pull.reviews.iter().map(Entry::Review))
        .chain(pull.events.iter().map(Entry::Event))
        .collect();
    entries.sort_by_key(Entry::order);
    Ok(paged(place, request, entries.len(), |index| {
        render(place, pull, &entries[index])
    }))
}

/// The events alone.
pub fn events(place: Place<'_>, request: &Request, pull: Option<&Pull>) -> Answer {
    let pull = pull.ok_or_else(not_found)?;
    Ok(paged(place, request, pull.events.len(), |index| {
        event(place, &pull.events[index])
    }))
}

fn render(place: Place<'_>, pull: &Pull, entry: &Entry<'_>) -> Value {
    match entry {
        Entry::Commit(commit) => committed(place, commit),
        Entry::Comment(comment) => {
            let mut rendered = discussion::issue_comment(place, pull, comment);
            rendered["event"] = json!("commented");
            rendered["actor"] = rendered["user"].clone();
            rendered
        }
        Entry::Review(review) => {
            let mut rendered = discussion::review(place, pull, review);
            rendered["event"] = json!("reviewed");
            rendered["state"] = json!(review.state.to_ascii_lowercase());
            rendered
        }
        Entry::Event(entry) => event(place, entry),
    }
}

fn committed(place: Place<'_>, commit: &Commit) -> Value {
    let api = place.api();
    let parents: Vec<Value> = commit
        .parents
        .iter()
        .map(|sha| {
            json!({
                "sha": sha,
                "url": format!("{api}/git/commits/{sha}"),
                "html_url": format!("{}/commit/{sha}", place.web()),
            })
        })
        .collect();
    json!({
        "event": "committed",
        "sha": commit.sha,
        "node_id": format!("C_kwDO{}", commit.sha),
        "url": format!("{api}/git/commits/{}", commit.sha),
        "html_url": format!("{}/commit/{}", place.web(), commit.sha),
        "author": commits::signature(commit, iso(commit.authored_at)),
        "committer": commits::signature(commit, iso(commit.committed_at)),
        "tree": { "sha": commit.sha, "url": format!("{api}/git/trees/{}", commit.sha) },
        "message": commit.message,
        "parents": parents,
        "verification": commits::verification(),
    })
}

/// REST name of an event.
fn name(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::HeadForcePushed { .. } => "head_ref_force_pushed",
        EventKind::ReadyForReview => "ready_for_review",
        EventKind::ConvertToDraft => "convert_to_draft",
        EventKind::Closed => "closed",
        EventKind::Reopened => "reopened",
        EventKind::Merged { .. } => "merged",
        EventKind::CommentDeleted { .. } => "comment_deleted",
        EventKind::BaseRefChanged { .. } => "base_ref_changed",
        EventKind::BaseRefForcePushed { .. } => "base_ref_force_pushed",
        EventKind::HeadRefDeleted => "head_ref_deleted",
        EventKind::HeadRefRestored => "head_ref_restored",
        EventKind::ReviewDismissed { .. } => "review_dismissed",
        EventKind::Renamed { .. } => "renamed",
        EventKind::Labeled { .. } => "labeled",
    }
}

fn event(place: Place<'_>, event: &Event) -> Value {
    // REST gives the new head of a force-push and not the old one.
    let commit = match &event.kind {
        EventKind::HeadForcePushed { after, .. } | EventKind::BaseRefForcePushed { after, .. } => Some(after),
        EventKind::Merged { commit } => Some(commit),
        EventKind::ReadyForReview
        | EventKind::ConvertToDraft
        | EventKind::Closed
        | EventKind::Reopened
        | EventKind::CommentDeleted { .. }
        | EventKind::BaseRefChanged { .. }
        | EventKind::HeadRefDeleted
        | EventKind::HeadRefRestored
        | EventKind::ReviewDismissed { .. }
        | EventKind::Renamed { .. }
        | EventKind::Labeled { .. } => None,
    };
    let mut rendered = json!({
        "id": event.id,
        "node_id": format!("EV_kwDO{}", event.id),
        "url": format!("{}/issues/events/{}", place.api(), event.id),
        "actor": accounts::user(place.world, event.actor.as_ref()),
        "event": name(&event.kind),
        "commit_id": commit,
        "commit_url": commit.map(|sha| format!("{}/commits/{sha}", place.api())),
        "created_at": iso(event.at),
        "performed_via_github_app": null,
    });
    match &event.kind {
        EventKind::Closed | EventKind::Reopened => rendered["state_reason"] = Value::Null,
        EventKind::ReviewDismissed { review, message } => {
            rendered["dismissed_review"] =
                json!({ "state": "commented", "review_id": review, "dismissal_message": message });
        }
        EventKind::Renamed { from, to } => rendered["rename"] = json!({ "from": from, "to": to }),
        EventKind::Labeled { name } => rendered["label"] = json!({ "name": name, "color": "ededed" }),
        EventKind::HeadForcePushed { .. }
        | EventKind::ReadyForReview
        | EventKind::ConvertToDraft
        | EventKind::Merged { .. }
        | EventKind::CommentDeleted { .. }
        | EventKind::BaseRefChanged { .. }
        | EventKind::BaseRefForcePushed { .. }
        | EventKind::HeadRefDeleted
        | EventKind::HeadRefRestored => {}
    }
    event.overrides.apply(rendered)
}
