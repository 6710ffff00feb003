//! The mutations of the review loop.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::node::{Arguments, Node};
use super::pull::{self, Position};
use super::{accounts, discussion};
use crate::github::rest::discussion::{add_issue_comment, add_reply};
use crate::github::world::World;

/// The world while a mutation runs.
pub struct Shared(Rc<RefCell<Arc<World>>>);

impl Shared {
    pub fn new(world: &Arc<World>) -> Self {
        Self(Rc::new(RefCell::new(Arc::clone(world))))
    }

    /// The world after the mutation.
    pub fn take(&self) -> Arc<World> {
        self.0.borrow().clone()
    }
}

type Change = fn(&mut World, &Value) -> Result<Made, String>;

/// Where the thing that a mutation made or changed stands.
enum Made {
    Thread {
        repository: usize,
        pull: usize,
        thread: usize,
    },
    Reply {
        repository: usize,
        pull: usize,
        thread: usize,
    },
    Comment {
        repository: usize,
        pull: usize,
    },
}

/// The root of every mutation.
pub fn root(shared: &Shared) -> Node {
    let resolve: Change = |world, input| set_resolved(world, input, true);
    let unresolve: Change = |world, input| set_resolved(world, input, false);
    let root = Node::new("Mutation");
    [
        ("resolveReviewThread", "ResolveReviewThreadPayload", resolve),
        ("unresolveReviewThread", "UnresolveReviewThreadPayload", unresolve),
        (
            "addPullRequestReviewThreadReply",
            "AddPullRequestReviewThreadReplyPayload",
            reply as Change,
        ),
        ("addComment", "AddCommentPayload", comment as Change),
    ]
    .into_iter()
    .fold(root, |root, (name, payload, change)| {
        let world = Rc::clone(&shared.0);
        root.fallible(name, move |arguments: &Arguments<'_>| {
            let input = arguments.get("input");
            let made = change(Arc::make_mut(&mut world.borrow_mut()), &input)?;
            let world = world.borrow().clone();
            let id = input.get("clientMutationId").cloned().unwrap_or(Value::Null);
            Ok(payload_of(&world, payload, &made)
                .leaf("clientMutationId", id)
                .into())
        })
    })
}

fn payload_of(world: &Arc<World>, payload: &str, made: &Made) -> Node {
    let node = Node::new(payload);
    let actor = accounts::actor(world, Some(&world.viewer));
    let at = |repository: usize, pull: usize| Position {
        world: Arc::clone(world),
        repository,
        pull,
    };
    match *made {
        Made::Thread {
            repository,
            pull,
            thread,
        } => node.field("thread", discussion::thread(&at(repository, pull), thread)),
        Made::Reply {
            repository,
            pull,
            thread,
        } => {
            let at = at(repository, pull);
            let last = at.get().threads[thread].comments.len() - 1;
            node.field("comment", discussion::review_comment(&at, thread, last))
        }
        Made::Comment { repository, pull } => {
            let at = at(repository, pull);
            let last = at.get().comments.len() - 1;
            let edge = Node::new("IssueCommentEdge")
                .leaf("cursor", "")
                .field("node", discussion::comment(&at, last));
            node.field("commentEdge", edge).field("subject", pull::pull(&at))
        }
    }
    .field("actor", actor)
}

fn text<'v>(input: &'v Value, name: &str) -> &'v str {
    input.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn find_thread(world: &World, id: &str) -> Result<(usize, usize, usize), String> {
    let number = id
        .strip_prefix("PRRT_kwDO")
        .and_then(|number| number.parse::<u64>().ok());
    for (repository, known) in world.repositories.iter().enumerate() {
        for (pull, known) in known.pulls.iter().enumerate() {
            if let Some(thread) = known.threads.iter().position(|thread| Some(thread.id) == number) {
                return Ok((repository, pull, thread));
            }
        }
    }
    Err(format!(
        "Could not resolve to a node with the global id of '{id}'"
    ))
}

fn set_resolved(world: &mut World, input: &Value, resolved: bool) -> Result<Made, String> {
    let (repository, pull, thread) = find_thread(world, text(input, "threadId"))?;
    let viewer = world.viewer.clone();
    let known = &mut world.repositories[repository].pulls[pull].threads[thread];
    known.resolved = resolved;
    known.resolved_by = resolved.then_some(viewer);
    Ok(Made::Thread {
        repository,
        pull,
        thread,
    })
}

fn reply(world: &mut World, input: &Value) -> Result<Made, String> {
    let (repository, pull, thread) = find_thread(world, text(input, "pullRequestReviewThreadId"))?;
    add_reply(world, repository, pull, thread, nonblank(text(input, "body"))?);
    Ok(Made::Reply {
        repository,
        pull,
        thread,
    })
}

fn comment(world: &mut World, input: &Value) -> Result<Made, String> {
    let id = text(input, "subjectId");
    let number = id
        .strip_prefix("PR_kwDO")
        .and_then(|number| number.parse::<u64>().ok());
    for repository in 0..world.repositories.len() {
        let pulls = &world.repositories[repository].pulls;
        if let Some(pull) = pulls.iter().position(|known| Some(known.id) == number) {
            add_issue_comment(world, repository, pull, nonblank(text(input, "body"))?);
            return Ok(Made::Comment { repository, pull });
        }
    }
    Err(format!(
        "Could not resolve to a node with the global id of '{id}'"
    ))
}

fn nonblank(text: &str) -> Result<&str, String> {
    if text.trim().is_empty() {
        Err("Body can't be blank".to_owned())
    } else {
        Ok(text)
    }
}
