//! The query root and the look-up of objects by node id.

use std::sync::Arc;

use serde_json::Value;

use super::node::{Field, Node};
use super::{accounts, checks, commits, discussion, pull, repository};
use crate::github::rest::accounts::node as account_id;
use crate::github::time::iso;
use crate::github::world::World;

/// The root of every query.
pub fn root(world: &Arc<World>) -> Node {
    let shared = || Arc::clone(world);
    Node::new("Query")
        .fallible("repository", {
            let world = shared();
            move |arguments| {
                let (owner, name) = (
                    arguments.text("owner").unwrap_or_default(),
                    arguments.text("name").unwrap_or_default(),
                );
                match world.repository_index(&owner, &name) {
                    Some(index) => Ok(repository::repository(&world, index).into()),
                    None => Err(format!(
                        "Could not resolve to a Repository with the name '{owner}/{name}'."
                    )),
                }
            }
        })
        .lazy("viewer", {
            let world = shared();
            move |_| accounts::account_node(&world, &world.viewer).into()
        })
        .lazy("rateLimit", {
            let world = shared();
            move |_| rate_limit(&world).into()
        })
        .fallible("node", {
            let world = shared();
            move |arguments| by_id(&world, &arguments.text("id").unwrap_or_default()).map(Field::from)
        })
        .fallible("nodes", {
            let world = shared();
            move |arguments| {
                let ids = arguments.words("ids").unwrap_or_default();
                // One unknown id costs one null and one error; the others are answered.
                let node = |id: &String| by_id(&world, id).map_or_else(Field::unresolved, Field::from);
                Ok(Field::List(ids.iter().map(node).collect()))
            }
        })
        .fallible("resource", {
            let world = shared();
            move |arguments| {
                let url = arguments.text("url").unwrap_or_default();
                by_address(&world, &url)
                    .map(Field::from)
                    .ok_or_else(|| format!("Could not resolve to a resource with the URL of '{url}'."))
            }
        })
        .fallible("user", {
            let world = shared();
            move |arguments| {
                let login = arguments.text("login").unwrap_or_default();
                if world.viewer.login == login {
                    return Ok(accounts::account_node(&world, &world.viewer).into());
                }
                Err(format!(
                    "Could not resolve to a User with the login of '{login}'."
                ))
            }
        })
}

fn rate_limit(world: &World) -> Node {
    let rate = &world.rate;
    let reset =
        chrono::DateTime::from_timestamp(rate.reset, 0).map_or(Value::Null, |at| Value::String(iso(at)));
    Node::new("RateLimit")
        .leaf("cost", 1)
        .leaf("limit", rate.limit)
        .leaf("nodeCount", 1)
        .leaf("remaining", rate.remaining)
        .leaf("used", rate.limit.saturating_sub(rate.remaining))
        .leaf("resetAt", reset)
}

fn by_address(world: &Arc<World>, url: &str) -> Option<Node> {
    let path = url.strip_prefix(&world.web())?.trim_start_matches('/');
    let words: Vec<&str> = path.split('/').collect();
    let [owner, name, rest @ ..] = words.as_slice() else {
        return None;
    };
    let index = world.repository_index(owner, name)?;
    match rest {
        [] => Some(repository::repository(world, index)),
        ["pull", number, ..] => {
            let found = world.repositories[index].pull_index(number.parse().ok()?)?;
            Some(pull::pull(&pull::Position {
                world: Arc::clone(world),
                repository: index,
                pull: found,
            }))
        }
        _ => None,
    }
}

/// The object with that global id.
pub fn by_id(world: &Arc<World>, id: &str) -> Result<Node, String> {
    find(world, id).ok_or_else(|| format!("Could not resolve to a node with the global id of '{id}'"))
}

fn find(world: &Arc<World>, id: &str) -> Option<Node> {
    let (prefix, number) = id.split_once("_kwDO")?;
    if prefix == "C" {
        let repository = world
            .repositories
            .iter()
            .position(|repository| repository.commit(number).is_some())?;
        return commits::commit(world, repository, number);
    }
    let number: u64 = number.parse().ok()?;
    for (index, known) in world.repositories.iter().enumerate() {
        if prefix == "R" && known.id == number {
            return Some(repository::repository(world, index));
        }
        if let Some(found) = checks::by_id(world, index, prefix, number) {
            return Some(found);
        }
        for pull in 0..known.pulls.len() {
            let position = pull::Position {
                world: Arc::clone(world),
                repository: index,
                pull,
            };
            if prefix == "PR" && position.get().id == number {
                return Some(pull::pull(&position));
            }
            if let Some(found) = discussion::by_id(&position, prefix, number) {
                return Some(found);
            }
        }
    }
    (account_id(&world.viewer) == id).then(|| accounts::account_node(world, &world.viewer))
}
