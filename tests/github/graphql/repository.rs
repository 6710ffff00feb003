//! Repositories and refs.

use std::sync::Arc;

use serde_json::{Value, json};

use super::node::{Arguments, Connection, Field, Node};
use super::pull::{self, Position};
use super::{accounts, commits, rules};
use crate::github::world::{Pull, PullState, World};

/// The `Repository` object.
pub fn repository(world: &Arc<World>, index: usize) -> Node {
    let known = &world.repositories[index];
    let address = format!("{}/{}", world.web(), known.full_name());
    let shared = || Arc::clone(world);
    let at = move |world: &Arc<World>, pull| Position {
        world: Arc::clone(world),
        repository: index,
        pull,
    };
    Node::new("Repository")
        .leaf("id", format!("R_kwDO{}", known.id))
        .leaf("databaseId", known.id)
        .leaf("name", known.name.as_str())
        .leaf("nameWithOwner", known.full_name())
        .leaf("url", address.as_str())
        .leaf("resourcePath", format!("/{}", known.full_name()))
        .leaf("sshUrl", format!("git@{}:{}.git", world.host, known.full_name()))
        .leaf("description", Value::Null)
        .leaf("isPrivate", known.private)
        .leaf("isFork", false)
        .leaf("isArchived", false)
        .leaf("isEmpty", false)
        .leaf("isInOrganization", true)
        .leaf("hasIssuesEnabled", true)
        .leaf("hasWikiEnabled", false)
        .leaf("mergeCommitAllowed", true)
        .leaf("rebaseMergeAllowed", true)
        .leaf("squashMergeAllowed", true)
        .leaf("visibility", if known.private { "PRIVATE" } else { "PUBLIC" })
        .leaf("viewerPermission", known.viewer_permission.as_str())
        .leaf("viewerCanAdminister", false)
        .leaf("parent", Value::Null)
        .time("createdAt", known.created_at)
        .time("updatedAt", known.created_at)
        .time("pushedAt", known.created_at)
        .field("owner", accounts::account_node(world, &known.owner))
        .lazy("defaultBranchRef", {
            let world = shared();
            move |_| {
                Field::maybe(reference(
                    &world,
                    index,
                    &world.repositories[index].default_branch,
                ))
            }
        })
        .lazy("ref", {
            let world = shared();
            move |arguments| {
                let name = arguments.text("qualifiedName").unwrap_or_default();
                Field::maybe(reference(&world, index, name.trim_start_matches("refs/heads/")))
            }
        })
        .lazy("object", {
            let world = shared();
            move |arguments| {
                let wanted = arguments
                    .text("oid")
                    .or_else(|| arguments.text("expression"))
                    .unwrap_or_default();
                Field::maybe(commits::by_expression(&world, index, &wanted))
            }
        })
        .fallible("pullRequest", {
            let world = shared();
            move |arguments| {
                let number = arguments.number("number").unwrap_or_default();
                match world.repositories[index].pull_index(number) {
                    Some(found) => Ok(pull::pull(&at(&world, found)).into()),
                    None => Err(format!(
                        "Could not resolve to a PullRequest with the number of {number}."
                    )),
                }
            }
        })
        .fallible("issueOrPullRequest", {
            let world = shared();
            move |arguments| {
                let number = arguments.number("number").unwrap_or_default();
                match world.repositories[index].pull_index(number) {
                    Some(found) => Ok(pull::pull(&at(&world, found)).into()),
                    None => Err(format!(
                        "Could not resolve to an issue or pull request with the number of {number}."
                    )),
                }
            }
        })
        .lazy("pullRequests", {
            let world = shared();
            move |arguments| {
                let found = matching(&world, index, arguments);
                let world = Arc::clone(&world);
                Connection::of(found.len(), move |item| {
                    pull::pull(&at(&world, found[item])).into()
                })
            }
        })
        .overridden(&known.overrides)
}

/// Pull requests that fit the arguments, in the order asked for.
fn matching(world: &World, index: usize, arguments: &Arguments<'_>) -> Vec<usize> {
    let pulls = &world.repositories[index].pulls;
    let states = arguments.words("states");
    let labels = arguments.words("labels");
    let (head, base) = (arguments.text("headRefName"), arguments.text("baseRefName"));
    let mut found: Vec<usize> = (0..pulls.len())
        .filter(|&item| {
            let pull = &pulls[item];
            states
                .as_ref()
                .is_none_or(|states| states.iter().any(|state| state == state_word(pull)))
                && labels
                    .as_ref()
                    .is_none_or(|labels| labels.iter().any(|label| pull.labels.contains(label)))
                && head.as_ref().is_none_or(|head| *head == pull.head_ref)
                && base.as_ref().is_none_or(|base| *base == pull.base_ref)
        })
        .collect();
    let order = arguments.get("orderBy");
    let by_update = order.get("field").and_then(Value::as_str) == Some("UPDATED_AT");
    found.sort_by_key(|&item| {
        let pull = &pulls[item];
        (
            if by_update {
                pull.updated_at
            } else {
                pull.created_at
            },
            pull.number,
        )
    });
    if order.get("direction").and_then(Value::as_str) == Some("DESC") {
        found.reverse();
    }
    found
}

/// GraphQL word for the state.
pub fn state_word(pull: &Pull) -> &'static str {
    match pull.state {
        PullState::Open => "OPEN",
        PullState::Closed => "CLOSED",
        PullState::Merged => "MERGED",
    }
}

/// The `Ref` object of a branch; none when nothing is known on it.
pub fn reference(world: &Arc<World>, index: usize, branch: &str) -> Option<Node> {
    let tip = world.repositories[index].branch_tip(branch)?.to_owned();
    Some(reference_to(world, index, branch, &tip))
}

/// A `Ref` object with a known tip.
pub fn reference_to(world: &Arc<World>, index: usize, branch: &str, tip: &str) -> Node {
    let (owned, tip) = (Arc::clone(world), tip.to_owned());
    let branch = branch.to_owned();
    Node::new("Ref")
        .leaf("id", format!("REF_kwDO{branch}"))
        .leaf("name", branch.as_str())
        .leaf("prefix", "refs/heads/")
        .field("branchProtectionRule", Field::Value(json!(null)))
        .lazy("target", {
            let world = Arc::clone(world);
            move |_| Field::maybe(commits::commit(&world, index, &tip))
        })
        .lazy("repository", move |_| repository(&owned, index).into())
        .lazy("rules", {
            let (world, branch) = (Arc::clone(world), branch.clone());
            move |_| rules::of_branch(&world, index, &branch)
        })
}
