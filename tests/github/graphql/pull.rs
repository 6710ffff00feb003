//! Pull requests.

use std::sync::Arc;

use serde_json::{Value, json};

use super::node::{Connection, Field, Node};
use super::{accounts, checks, commits, discussion, repository, timeline};
use crate::github::world::{Account, Pull, PullState, Repository, World};

/// A pull request in a frozen world.
#[derive(Clone)]
pub struct Position {
    pub world: Arc<World>,
    pub repository: usize,
    pub pull: usize,
}

impl Position {
    pub fn place(&self) -> &Repository {
        &self.world.repositories[self.repository]
    }

    pub fn get(&self) -> &Pull {
        &self.place().pulls[self.pull]
    }

    /// Page of the pull request.
    pub fn url(&self) -> String {
        format!("{}{}", self.world.web(), self.path())
    }

    pub fn path(&self) -> String {
        format!("/{}/pull/{}", self.place().full_name(), self.get().number)
    }

    fn head_owner(&self) -> &Account {
        self.get().head_owner.as_ref().unwrap_or(&self.place().owner)
    }
}

/// The `PullRequest` object.
pub fn pull(at: &Position) -> Node {
    let known = at.get();
    let world = &at.world;
    let review_comments: usize = known.threads.iter().map(|thread| thread.comments.len()).sum();
    let node = Node::new("PullRequest")
        .leaf("id", format!("PR_kwDO{}", known.id))
        .leaf("databaseId", known.id)
        .leaf("fullDatabaseId", known.id.to_string())
        .leaf("number", known.number)
        .leaf("title", known.title.as_str())
        .leaf("body", known.body.as_str())
        .leaf("bodyText", known.body.as_str())
        .leaf("url", at.url())
        .leaf("permalink", at.url())
        .leaf("resourcePath", at.path())
        .leaf("state", repository::state_word(known))
        .leaf("closed", known.state != PullState::Open)
        .leaf("merged", known.state == PullState::Merged)
        .leaf("isDraft", known.draft)
        .leaf("locked", false)
        .leaf("isCrossRepository", known.head_owner.is_some())
        .leaf("isInMergeQueue", false)
        .leaf("isMergeQueueEnabled", false)
        .leaf("maintainerCanModify", false)
        .leaf("additions", 1)
        .leaf("deletions", 1)
        .leaf("changedFiles", known.changed_files)
        .leaf("authorAssociation", known.association.as_str())
        .leaf("baseRefName", known.base_ref.as_str())
        .leaf("baseRefOid", known.base_oid.as_str())
        .leaf("headRefName", known.head_ref.as_str())
        .leaf("headRefOid", known.head_oid.as_str())
        .leaf("mergeable", known.mergeable.as_str())
        .leaf("mergeStateStatus", known.merge_state.as_str())
        .leaf("reviewDecision", json!(known.review_decision))
        .leaf("totalCommentsCount", known.comments.len() + review_comments)
        .leaf("includesCreatedEdit", known.last_edited_at.is_some())
        .leaf("viewerDidAuthor", known.author.as_ref() == Some(&world.viewer))
        .leaf("viewerCanUpdate", true)
        .leaf("viewerCanReact", true)
        .time("createdAt", known.created_at)
        .time("updatedAt", known.updated_at)
        .time("publishedAt", known.created_at)
        .maybe_time("closedAt", known.closed_at)
        .maybe_time("mergedAt", known.merged_at)
        .maybe_time("lastEditedAt", known.last_edited_at)
        .field("author", accounts::actor(world, known.author.as_ref()))
        .field("editor", accounts::actor(world, known.editor.as_ref()))
        .field(
            "headRepositoryOwner",
            accounts::account_node(world, at.head_owner()),
        );
    let node = [
        "autoMergeRequest",
        "mergeCommit",
        "potentialMergeCommit",
        "mergedBy",
        "milestone",
        "mergeQueueEntry",
    ]
    .into_iter()
    .fold(node, |node, name| node.leaf(name, Value::Null));
    let node = [
        "assignees",
        "reviewRequests",
        "closingIssuesReferences",
        "projectCards",
        "projectItems",
        "participants",
    ]
    .into_iter()
    .fold(node, |node, name| node.field(name, Connection::empty()));
    discussion_fields(branch_fields(node, at), at).overridden(&known.overrides)
}

fn branch_fields(node: Node, at: &Position) -> Node {
    let shared = || at.clone();
    node.lazy("repository", {
        let at = shared();
        move |_| repository::repository(&at.world, at.repository).into()
    })
    .lazy("baseRepository", {
        let at = shared();
        move |_| repository::repository(&at.world, at.repository).into()
    })
    .lazy("headRepository", {
        let at = shared();
        // A fork's repository is not in the world: GitHub answers null for one that was deleted.
        move |_| {
            let own = at.get().head_owner.is_none();
            Field::maybe(own.then(|| repository::repository(&at.world, at.repository)))
        }
    })
    .lazy("baseRef", {
        let at = shared();
        move |_| {
            let known = at.get();
            repository::reference_to(&at.world, at.repository, &known.base_ref, &known.base_oid).into()
        }
    })
    .lazy("headRef", {
        let at = shared();
        move |_| {
            let known = at.get();
            repository::reference_to(&at.world, at.repository, &known.head_ref, &known.head_oid).into()
        }
    })
    .lazy("commits", {
        let at = shared();
        move |_| commits::of_pull(&at)
    })
    .lazy("statusCheckRollup", {
        let at = shared();
        move |_| Field::maybe(checks::rollup(&at.world, at.repository, &at.get().head_oid))
    })
    .lazy("files", {
        let at = shared();
        move |_| commits::files(&at)
    })
    .lazy("labels", {
        let at = shared();
        move |_| {
            let names = at.get().labels.clone();
            Connection::of(names.len(), move |index| {
                Node::new("Label")
                    .leaf("id", format!("LA_kwDO{index}"))
                    .leaf("name", names[index].as_str())
                    .leaf("description", Value::Null)
                    .leaf("color", "ededed")
                    .into()
            })
        }
    })
}

fn discussion_fields(node: Node, at: &Position) -> Node {
    let shared = || at.clone();
    node.lazy("comments", {
        let at = shared();
        move |_| discussion::comments(&at)
    })
    .lazy("reviews", {
        let at = shared();
        move |arguments| discussion::reviews(&at, arguments)
    })
    .lazy("latestReviews", {
        let at = shared();
        move |_| discussion::latest_reviews(&at)
    })
    .lazy("reviewThreads", {
        let at = shared();
        move |_| discussion::threads(&at)
    })
    .lazy("reactions", {
        let at = shared();
        move |arguments| discussion::reactions(&at.world, &at.get().reactions, arguments)
    })
    .lazy("reactionGroups", {
        let at = shared();
        move |_| discussion::reaction_groups(&at.world, &at.get().reactions)
    })
    .lazy("timelineItems", {
        let at = shared();
        move |arguments| timeline::items(&at, arguments)
    })
    .lazy("userContentEdits", {
        let at = shared();
        move |_| {
            let known = at.get();
            discussion::edits(
                &at.world,
                known.last_edited_at,
                known.editor.as_ref(),
                known.created_at,
            )
        }
    })
}
