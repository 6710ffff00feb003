//! The timeline of a pull request.

use serde_json::{Value, json};

use super::node::{Arguments, Connection, Field, Node};
use super::pull::{self, Position};
use super::{accounts, commits, discussion, repository};
use crate::github::time::Time;
use crate::github::world::{Event, EventKind};

#[derive(Clone, Copy)]
enum Item {
    Commit(usize),
    Comment(usize),
    Review(usize),
    Thread(usize),
    Event(usize),
}

/// The `timelineItems` connection, filtered by `itemTypes` and `since`.
pub fn items(at: &Position, arguments: &Arguments<'_>) -> Field {
    let wanted = arguments.words("itemTypes");
    let since: Option<Time> = arguments.text("since").and_then(|text| text.parse().ok());
    let known = at.get();
    let mut found: Vec<(Time, u64, Item)> = Vec::new();
    let mut add = |word: &str, time: Time, id: u64, item: Item| {
        let asked = wanted
            .as_ref()
            .is_none_or(|words| words.iter().any(|known| known == word));
        if asked && since.is_none_or(|since| time >= since) {
            found.push((time, id, item));
        }
    };
    for (index, sha) in known.commits.iter().enumerate() {
        if let Some(commit) = at.place().commit(sha) {
            add("PULL_REQUEST_COMMIT", commit.committed_at, 0, Item::Commit(index));
        }
    }
    for (index, comment) in known.comments.iter().enumerate() {
        add(
            "ISSUE_COMMENT",
            comment.created_at,
            comment.id,
            Item::Comment(index),
        );
    }
    for (index, review) in known.reviews.iter().enumerate() {
        add(
            "PULL_REQUEST_REVIEW",
            review.submitted_at,
            review.id,
            Item::Review(index),
        );
    }
    for (index, thread) in known
        .threads
        .iter()
        .enumerate()
        .filter(|(_, thread)| !thread.lags_in_graphql)
    {
        if let Some(root) = thread.comments.first() {
            add(
                "PULL_REQUEST_REVIEW_THREAD",
                root.created_at,
                thread.id,
                Item::Thread(index),
            );
        }
    }
    for (index, event) in known.events.iter().enumerate() {
        add(words(&event.kind).0, event.at, event.id, Item::Event(index));
    }
    found.sort_by_key(|(time, id, _)| (*time, *id));
    let at = at.clone();
    Connection::of(found.len(), move |index| match found[index].2 {
        Item::Commit(item) => commits::pull_commit(&at, &at.get().commits[item]).into(),
        Item::Comment(item) => discussion::comment(&at, item).into(),
        Item::Review(item) => discussion::review(&at, item).into(),
        Item::Thread(item) => discussion::thread(&at, item).into(),
        Item::Event(item) => event(&at, &at.get().events[item]).into(),
    })
}

/// The word of an event in `itemTypes`, its type and the start of its node id.
fn words(kind: &EventKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        EventKind::HeadForcePushed { .. } => {
            ("HEAD_REF_FORCE_PUSHED_EVENT", "HeadRefForcePushedEvent", "HRFPE")
        }
        EventKind::ReadyForReview => ("READY_FOR_REVIEW_EVENT", "ReadyForReviewEvent", "RFRE"),
        EventKind::ConvertToDraft => ("CONVERT_TO_DRAFT_EVENT", "ConvertToDraftEvent", "CTDE"),
        EventKind::Closed => ("CLOSED_EVENT", "ClosedEvent", "CE"),
        EventKind::Reopened => ("REOPENED_EVENT", "ReopenedEvent", "REE"),
        EventKind::Merged { .. } => ("MERGED_EVENT", "MergedEvent", "ME"),
        EventKind::CommentDeleted { .. } => ("COMMENT_DELETED_EVENT", "CommentDeletedEvent", "CDE"),
        EventKind::BaseRefChanged { .. } => ("BASE_REF_CHANGED_EVENT", "BaseRefChangedEvent", "BRCE"),
        EventKind::BaseRefForcePushed { .. } => {
            ("BASE_REF_FORCE_PUSHED_EVENT", "BaseRefForcePushedEvent", "BFPE")
        }
        EventKind::HeadRefDeleted => ("HEAD_REF_DELETED_EVENT", "HeadRefDeletedEvent", "HRDE"),
        EventKind::HeadRefRestored => ("HEAD_REF_RESTORED_EVENT", "HeadRefRestoredEvent", "HRRE"),
        EventKind::ReviewDismissed { .. } => ("REVIEW_DISMISSED_EVENT", "ReviewDismissedEvent", "RDE"),
        EventKind::Renamed { .. } => ("RENAMED_TITLE_EVENT", "RenamedTitleEvent", "RTE"),
        EventKind::Labeled { .. } => ("LABELED_EVENT", "LabeledEvent", "LE"),
    }
}

fn event(at: &Position, event: &Event) -> Node {
    let (_, type_name, prefix) = words(&event.kind);
    let shared = || at.clone();
    let commit = |sha: &str| {
        let (at, sha) = (at.clone(), sha.to_owned());
        move |_: &Arguments<'_>| Field::maybe(commits::commit(&at.world, at.repository, &sha))
    };
    let node = Node::new(type_name)
        .leaf("id", format!("{prefix}_kwDO{}", event.id))
        .leaf("resourcePath", format!("{}#event-{}", at.path(), event.id))
        .leaf("url", format!("{}#event-{}", at.url(), event.id))
        .time("createdAt", event.at)
        .field("actor", accounts::actor(&at.world, event.actor.as_ref()))
        .lazy("pullRequest", {
            let at = shared();
            move |_| pull::pull(&at).into()
        });
    let node = match &event.kind {
        EventKind::HeadForcePushed { before, after } => {
            let branch = at.get().head_ref.clone();
            node.lazy("beforeCommit", commit(before))
                .lazy("afterCommit", commit(after))
                .lazy("ref", {
                    let at = shared();
                    move |_| {
                        repository::reference_to(&at.world, at.repository, &branch, &at.get().head_oid).into()
                    }
                })
        }
        EventKind::BaseRefForcePushed { before, after } => node
            .lazy("beforeCommit", commit(before))
            .lazy("afterCommit", commit(after)),
        EventKind::Merged { commit: sha } => node
            .lazy("commit", commit(sha))
            .leaf("mergeRefName", at.get().base_ref.as_str()),
        EventKind::CommentDeleted { author } => node.leaf("databaseId", event.id).field(
            "deletedCommentAuthor",
            accounts::actor(&at.world, author.as_ref()),
        ),
        EventKind::BaseRefChanged { from, to } => node
            .leaf("databaseId", event.id)
            .leaf("previousRefName", from.as_str())
            .leaf("currentRefName", to.as_str()),
        EventKind::HeadRefDeleted => node
            .leaf("headRefName", at.get().head_ref.as_str())
            .leaf("headRef", Value::Null),
        EventKind::ReviewDismissed { review, message } => {
            let review = at.get().reviews.iter().position(|known| known.id == *review);
            node.leaf("databaseId", event.id)
                .leaf("dismissalMessage", message.as_str())
                .leaf("previousReviewState", "COMMENTED")
                .lazy("review", {
                    let at = shared();
                    move |_| Field::maybe(review.map(|index| discussion::review(&at, index)))
                })
        }
        EventKind::Renamed { from, to } => node
            .leaf("previousTitle", from.as_str())
            .leaf("currentTitle", to.as_str()),
        EventKind::Closed | EventKind::Reopened => node
            .leaf("stateReason", Value::Null)
            .field("closer", Field::Value(json!(null))),
        EventKind::Labeled { name } => {
            let label = Node::new("Label")
                .leaf("id", format!("LA_kwDO{name}"))
                .leaf("name", name.as_str());
            node.field("label", label)
        }
        EventKind::ReadyForReview | EventKind::ConvertToDraft | EventKind::HeadRefRestored => node,
    };
    node.overridden(&event.overrides)
}
