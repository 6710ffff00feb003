//! Issue comments, reviews, review threads and reactions.

use std::sync::Arc;

use serde_json::{Value, json};

use super::node::{Arguments, Connection, Field, Node};
use super::pull::{self, Position};
use super::{accounts, commits, repository};
use crate::github::time::Time;
use crate::github::world::{Account, Reaction, World};

/// The contents of reactions: REST word and GraphQL word.
const CONTENTS: [(&str, &str); 8] = [
    ("+1", "THUMBS_UP"),
    ("-1", "THUMBS_DOWN"),
    ("laugh", "LAUGH"),
    ("hooray", "HOORAY"),
    ("confused", "CONFUSED"),
    ("heart", "HEART"),
    ("rocket", "ROCKET"),
    ("eyes", "EYES"),
];

fn content_word(content: &str) -> &str {
    CONTENTS
        .iter()
        .find(|(rest, _)| *rest == content)
        .map_or(content, |(_, word)| word)
}

/// The `comments` connection of a pull request.
pub fn comments(at: &Position) -> Field {
    let known = &at.get().comments;
    let mut order: Vec<usize> = (0..known.len()).collect();
    order.sort_by_key(|&index| (known[index].created_at, known[index].id));
    let at = at.clone();
    Connection::of(order.len(), move |index| comment(&at, order[index]).into())
}

/// Fields that every kind of comment has.
struct Said<'a> {
    author: Option<&'a Account>,
    association: &'a str,
    body: &'a str,
    created_at: Time,
    updated_at: Time,
    last_edited_at: Option<Time>,
    editor: Option<&'a Account>,
    minimized: Option<&'a String>,
    reactions: Vec<Reaction>,
    fragment: String,
}

fn said(node: Node, at: &Position, said: Said<'_>) -> Node {
    let world = &at.world;
    let shared = || at.clone();
    let reacted = said.reactions.clone();
    let grouped = said.reactions;
    let (edited, editor, created) = (said.last_edited_at, said.editor.cloned(), said.created_at);
    node.leaf("authorAssociation", said.association)
        .leaf("body", said.body)
        .leaf("bodyText", said.body)
        .leaf("url", format!("{}#{}", at.url(), said.fragment))
        .leaf("resourcePath", format!("{}#{}", at.path(), said.fragment))
        .leaf("isMinimized", said.minimized.is_some())
        .leaf("minimizedReason", json!(said.minimized))
        .leaf("includesCreatedEdit", said.last_edited_at.is_some())
        .leaf("createdViaEmail", false)
        .leaf("viewerDidAuthor", said.author == Some(&world.viewer))
        .leaf("viewerCanUpdate", true)
        .leaf("viewerCanDelete", true)
        .leaf("viewerCanReact", true)
        .leaf("viewerCanMinimize", true)
        .time("createdAt", said.created_at)
        .time("publishedAt", said.created_at)
        .time("updatedAt", said.updated_at)
        .maybe_time("lastEditedAt", said.last_edited_at)
        .field("author", accounts::actor(world, said.author))
        .field("editor", accounts::actor(world, said.editor))
        .lazy("reactions", {
            let world = Arc::clone(world);
            move |arguments| reactions(&world, &reacted, arguments)
        })
        .lazy("reactionGroups", {
            let world = Arc::clone(world);
            move |_| reaction_groups(&world, &grouped)
        })
        .lazy("userContentEdits", {
            let world = Arc::clone(world);
            move |_| edits(&world, edited, editor.as_ref(), created)
        })
        .lazy("pullRequest", {
            let at = shared();
            move |_| pull::pull(&at).into()
        })
        .lazy("repository", {
            let at = shared();
            move |_| repository::repository(&at.world, at.repository).into()
        })
}

/// The `IssueComment` object.
pub fn comment(at: &Position, index: usize) -> Node {
    let known = &at.get().comments[index];
    let node = Node::new("IssueComment")
        .leaf("id", format!("IC_kwDO{}", known.id))
        .leaf("databaseId", known.id)
        .leaf("fullDatabaseId", known.id.to_string());
    said(
        node,
        at,
        Said {
            author: known.author.as_ref(),
            association: &known.association,
            body: &known.body,
            created_at: known.created_at,
            updated_at: known.updated_at,
            last_edited_at: known.last_edited_at,
            editor: known.editor.as_ref(),
            minimized: known.minimized.as_ref(),
            reactions: known.reactions.clone(),
            fragment: format!("issuecomment-{}", known.id),
        },
    )
    .overridden(&known.overrides)
}

/// The `reviews` connection, filtered by `states` and `author`.
pub fn reviews(at: &Position, arguments: &Arguments<'_>) -> Field {
    let states = arguments.words("states");
    let author = arguments.text("author");
    let known = &at.get().reviews;
    let found: Vec<usize> = (0..known.len())
        .filter(|&index| {
            let review = &known[index];
            let login = review.author.as_ref().map(|account| account.login.as_str());
            states
                .as_ref()
                .is_none_or(|states| states.contains(&review.state))
                && author.as_deref().is_none_or(|author| login == Some(author))
        })
        .collect();
    let at = at.clone();
    Connection::of(found.len(), move |index| review(&at, found[index]).into())
}

/// The newest review of each author.
pub fn latest_reviews(at: &Position) -> Field {
    let known = &at.get().reviews;
    let found: Vec<usize> = (0..known.len())
        .filter(|&index| {
            !known[index + 1..]
                .iter()
                .any(|later| later.author == known[index].author)
        })
        .collect();
    let at = at.clone();
    Connection::of(found.len(), move |index| review(&at, found[index]).into())
}

/// The `PullRequestReview` object.
pub fn review(at: &Position, index: usize) -> Node {
    let known = &at.get().reviews[index];
    let id = known.id;
    let node = Node::new("PullRequestReview")
        .leaf("id", format!("PRR_kwDO{id}"))
        .leaf("databaseId", id)
        .leaf("fullDatabaseId", id.to_string())
        .leaf("state", known.state.as_str())
        .leaf("authorCanPushToRepository", true)
        .time("submittedAt", known.submitted_at)
        .lazy("commit", {
            let at = at.clone();
            let sha = known.commit.clone();
            move |_| Field::maybe(commits::commit(&at.world, at.repository, &sha))
        })
        .lazy("comments", {
            let at = at.clone();
            move |_| {
                let mut found: Vec<(usize, usize)> = Vec::new();
                for (thread, known) in at.get().threads.iter().enumerate() {
                    for (item, comment) in known.comments.iter().enumerate() {
                        if comment.review == Some(id) && !comment.lags_in_review {
                            found.push((thread, item));
                        }
                    }
                }
                let at = at.clone();
                Connection::of(found.len(), move |item| {
                    review_comment(&at, found[item].0, found[item].1).into()
                })
            }
        });
    said(
        node,
        at,
        Said {
            author: known.author.as_ref(),
            association: &known.association,
            body: &known.body,
            created_at: known.submitted_at,
            updated_at: known.last_edited_at.unwrap_or(known.submitted_at),
            last_edited_at: known.last_edited_at,
            editor: known.editor.as_ref(),
            minimized: None,
            reactions: Vec::new(),
            fragment: format!("pullrequestreview-{id}"),
        },
    )
    .overridden(&known.overrides)
}

/// The `reviewThreads` connection, oldest first.
pub fn threads(at: &Position) -> Field {
    let known = &at.get().threads;
    let found: Vec<usize> = (0..known.len())
        .filter(|&index| !known[index].lags_in_graphql)
        .collect();
    let at = at.clone();
    Connection::of(found.len(), move |index| thread(&at, found[index]).into())
}

/// The `PullRequestReviewThread` object.
pub fn thread(at: &Position, index: usize) -> Node {
    let known = &at.get().threads[index];
    let line = if known.outdated {
        Value::Null
    } else {
        json!(known.line)
    };
    Node::new("PullRequestReviewThread")
        .leaf("id", format!("PRRT_kwDO{}", known.id))
        .leaf("path", known.path.as_str())
        .leaf("line", line)
        .leaf("startLine", Value::Null)
        .leaf("originalLine", json!(known.line))
        .leaf("originalStartLine", Value::Null)
        .leaf("diffSide", "RIGHT")
        .leaf("startDiffSide", Value::Null)
        .leaf("subjectType", if known.line.is_some() { "LINE" } else { "FILE" })
        .leaf("isResolved", known.resolved)
        .leaf("isOutdated", known.outdated)
        .leaf("isCollapsed", known.resolved)
        .leaf("viewerCanReply", true)
        .leaf("viewerCanResolve", !known.resolved)
        .leaf("viewerCanUnresolve", known.resolved)
        .field(
            "resolvedBy",
            accounts::user(&at.world, known.resolved_by.as_ref()),
        )
        .lazy("comments", {
            let at = at.clone();
            move |_| {
                let (total, at) = (at.get().threads[index].comments.len(), at.clone());
                Connection::of(total, move |item| review_comment(&at, index, item).into())
            }
        })
        .lazy("pullRequest", {
            let at = at.clone();
            move |_| pull::pull(&at).into()
        })
        .lazy("repository", {
            let at = at.clone();
            move |_| repository::repository(&at.world, at.repository).into()
        })
        .overridden(&known.overrides)
}

/// The `PullRequestReviewComment` object.
pub fn review_comment(at: &Position, thread: usize, item: usize) -> Node {
    let of = &at.get().threads[thread];
    let known = &of.comments[item];
    let line = if of.outdated { Value::Null } else { json!(of.line) };
    let commit = |sha: &str| {
        let (at, sha) = (at.clone(), sha.to_owned());
        move |_: &Arguments<'_>| Field::maybe(commits::commit(&at.world, at.repository, &sha))
    };
    let node = Node::new("PullRequestReviewComment")
        .leaf("id", format!("PRRC_kwDO{}", known.id))
        .leaf("databaseId", known.id)
        .leaf("fullDatabaseId", known.id.to_string())
        .leaf("path", of.path.as_str())
        .leaf("line", line)
        .leaf("startLine", Value::Null)
        .leaf("originalLine", json!(of.line))
        .leaf("originalStartLine", Value::Null)
        .leaf("position", if of.outdated { Value::Null } else { json!(1) })
        .leaf("originalPosition", 1)
        .leaf("outdated", of.outdated)
        .leaf("diffHunk", "@@ -1,3 +1,4 @@\n fn main() {}")
        .leaf("state", "SUBMITTED")
        .leaf("subjectType", if of.line.is_some() { "LINE" } else { "FILE" })
        .time("draftedAt", known.created_at)
        .lazy("commit", commit(&known.commit))
        .lazy("originalCommit", commit(&known.original_commit))
        .lazy("replyTo", {
            let at = at.clone();
            move |_| Field::maybe((item > 0).then(|| review_comment(&at, thread, 0)))
        })
        .lazy("pullRequestReview", {
            let at = at.clone();
            let id = known.review;
            move |_| {
                let found = at.get().reviews.iter().position(|review| Some(review.id) == id);
                Field::maybe(found.map(|index| review(&at, index)))
            }
        });
    said(
        node,
        at,
        Said {
            author: known.author.as_ref(),
            association: &known.association,
            body: &known.body,
            created_at: known.created_at,
            updated_at: known.updated_at,
            last_edited_at: known.last_edited_at,
            editor: known.editor.as_ref(),
            minimized: None,
            reactions: known.reactions.clone(),
            fragment: format!("discussion_r{}", known.id),
        },
    )
    .overridden(&known.overrides)
}

/// A `reactions` connection, filtered by `content`; an app's user is null, as GitHub answers.
pub fn reactions(world: &Arc<World>, known: &[Reaction], arguments: &Arguments<'_>) -> Field {
    let content = arguments.text("content");
    let found: Vec<Reaction> = known
        .iter()
        .filter(|reaction| {
            content
                .as_deref()
                .is_none_or(|content| content == content_word(&reaction.content))
        })
        .cloned()
        .collect();
    let world = Arc::clone(world);
    Connection::of(found.len(), move |index| {
        let reaction = &found[index];
        Node::new("Reaction")
            .leaf("id", format!("REA_kwDO{}", reaction.id))
            .leaf("databaseId", reaction.id)
            .leaf("content", content_word(&reaction.content))
            .time("createdAt", reaction.created_at)
            .field("user", accounts::user(&world, reaction.user.as_ref()))
            .overridden(&reaction.overrides)
            .into()
    })
}

/// The reactions grouped by content.
pub fn reaction_groups(world: &Arc<World>, known: &[Reaction]) -> Field {
    let group = |(rest, word): &(&str, &str)| {
        let found: Vec<Reaction> = known
            .iter()
            .filter(|reaction| reaction.content == *rest)
            .cloned()
            .collect();
        let mine = found
            .iter()
            .any(|reaction| reaction.user.as_ref() == Some(&world.viewer));
        let users = |found: Vec<Reaction>| {
            let world = Arc::clone(world);
            Connection::of(found.len(), move |index| {
                accounts::actor(&world, found[index].user.as_ref())
            })
        };
        Node::new("ReactionGroup")
            .leaf("content", *word)
            .maybe_time("createdAt", found.first().map(|reaction| reaction.created_at))
            .leaf("viewerHasReacted", mine)
            .field("users", users(found.clone()))
            .field("reactors", users(found))
            .into()
    };
    Field::List(CONTENTS.iter().map(group).collect())
}

/// The edits of a text: the writing of it and the last edit.
pub fn edits(world: &Arc<World>, edited: Option<Time>, editor: Option<&Account>, created: Time) -> Field {
    let Some(edited) = edited else {
        return Connection::empty();
    };
    let (world, editor) = (Arc::clone(world), editor.cloned());
    Connection::of(1, move |_| {
        Node::new("UserContentEdit")
            .leaf("id", "UCE_kwDO1")
            .time("createdAt", created)
            .time("editedAt", edited)
            .time("updatedAt", edited)
            .leaf("deletedAt", Value::Null)
            .leaf("diff", Value::Null)
            .field("editor", accounts::actor(&world, editor.as_ref()))
            .into()
    })
}

/// A comment, review, thread or review comment by node id.
pub fn by_id(at: &Position, prefix: &str, number: u64) -> Option<Node> {
    let known = at.get();
    match prefix {
        "IC" => known
            .comments
            .iter()
            .position(|comment| comment.id == number)
            .map(|index| comment(at, index)),
        "PRR" => known
            .reviews
            .iter()
            .position(|review| review.id == number)
            .map(|index| review(at, index)),
        "PRRT" => known
            .threads
            .iter()
            .position(|thread| thread.id == number && !thread.lags_in_graphql)
            .map(|index| thread(at, index)),
        "PRRC" => known.threads.iter().enumerate().find_map(|(index, thread)| {
            let item = thread.comments.iter().position(|comment| comment.id == number)?;
            Some(review_comment(at, index, item))
        }),
        _ => None,
    }
}
