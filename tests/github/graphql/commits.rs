//! Commits.

use std::sync::Arc;

use serde_json::Value;

use super::node::{Connection, Field, Node};
use super::pull::{self, Position};
use super::{accounts, checks, repository};
use crate::github::world::{Commit, World};

/// The `Commit` object of a full SHA.
pub fn commit(world: &Arc<World>, index: usize, sha: &str) -> Option<Node> {
    let known = world.repositories[index].commit(sha)?;
    let shared = || (Arc::clone(world), known.sha.clone());
    let path = format!("/{}/commit/{}", world.repositories[index].full_name(), known.sha);
    let node = Node::new("Commit")
        .leaf("id", format!("C_kwDO{}", known.sha))
        .leaf("oid", known.sha.as_str())
        .leaf("abbreviatedOid", &known.sha[..7])
        .leaf("message", known.message.as_str())
        .leaf(
            "messageHeadline",
            known.message.lines().next().unwrap_or_default(),
        )
        .leaf("messageBody", "")
        .leaf("url", format!("{}{path}", world.web()))
        .leaf("commitUrl", format!("{}{path}", world.web()))
        .leaf("resourcePath", path)
        .leaf("additions", 1)
        .leaf("deletions", 1)
        .leaf("changedFilesIfAvailable", known.files.len())
        .leaf("pushedDate", Value::Null)
        .leaf("authoredByCommitter", true)
        .leaf("committedViaWeb", false)
        .time("authoredDate", known.authored_at)
        .time("committedDate", known.committed_at)
        .field("author", git_actor(world, known, known.authored_at))
        .field("committer", git_actor(world, known, known.committed_at))
        .lazy("authors", {
            let (world, sha) = shared();
            move |_| {
                let world = Arc::clone(&world);
                let sha = sha.clone();
                Connection::of(1, move |_| {
                    let known = world.repositories[index].commit(&sha);
                    Field::maybe(known.map(|known| git_actor(&world, known, known.authored_at)))
                })
            }
        })
        .lazy("parents", {
            let (world, sha) = shared();
            move |_| {
                let parents = world.repositories[index]
                    .commit(&sha)
                    .map(|known| known.parents.clone())
                    .unwrap_or_default();
                let world = Arc::clone(&world);
                Connection::of(parents.len(), move |item| {
                    Field::maybe(commit(&world, index, &parents[item]))
                })
            }
        })
        .lazy("repository", {
            let (world, _) = shared();
            move |_| repository::repository(&world, index).into()
        })
        .lazy("associatedPullRequests", {
            let (world, sha) = shared();
            move |_| {
                let pulls = &world.repositories[index].pulls;
                let found: Vec<usize> = (0..pulls.len())
                    .filter(|&item| pulls[item].commits.contains(&sha))
                    .collect();
                let world = Arc::clone(&world);
                Connection::of(found.len(), move |item| {
                    let at = Position {
                        world: Arc::clone(&world),
                        repository: index,
                        pull: found[item],
                    };
                    pull::pull(&at).into()
                })
            }
        });
    Some(checks::commit_fields(node, world, index, &known.sha))
}

fn git_actor(world: &World, commit: &Commit, at: crate::github::time::Time) -> Node {
    let name = commit
        .author
        .as_ref()
        .map_or("unknown", |author| author.login.as_str());
    Node::new("GitActor")
        .leaf("name", name)
        .leaf("email", format!("{name}@example.com"))
        .time("date", at)
        .field("user", accounts::user(world, commit.author.as_ref()))
}

/// A commit by branch name, full or short SHA; none when unknown or ambiguous.
pub fn by_expression(world: &Arc<World>, index: usize, expression: &str) -> Option<Node> {
    let repository = &world.repositories[index];
    let branch = expression.trim_start_matches("refs/heads/");
    if let Some(tip) = repository.branch_tip(branch) {
        return commit(world, index, tip);
    }
    let mut found = repository
        .commits
        .iter()
        .filter(|known| known.sha.starts_with(expression));
    match (found.next(), found.next()) {
        (Some(known), None) if expression.len() >= 4 => commit(world, index, &known.sha),
        _ => None,
    }
}

/// The `commits` connection of a pull request.
pub fn of_pull(at: &Position) -> Field {
    let shas = at.get().commits.clone();
    let at = at.clone();
    Connection::of(shas.len(), move |item| pull_commit(&at, &shas[item]).into())
}

/// The `PullRequestCommit` object.
pub fn pull_commit(at: &Position, sha: &str) -> Node {
    let (position, sha) = (at.clone(), sha.to_owned());
    let path = format!("{}/commits/{sha}", at.path());
    Node::new("PullRequestCommit")
        .leaf("id", format!("PURC_kwDO{sha}"))
        .leaf("resourcePath", path.as_str())
        .leaf("url", format!("{}{path}", at.world.web()))
        .lazy("pullRequest", {
            let at = at.clone();
            move |_| pull::pull(&at).into()
        })
        .lazy("commit", move |_| {
            Field::maybe(commit(&position.world, position.repository, &sha))
        })
}

/// The `files` connection of a pull request.
pub fn files(at: &Position) -> Field {
    let mut paths: Vec<String> = Vec::new();
    for sha in &at.get().commits {
        for path in at.place().commit(sha).into_iter().flat_map(|known| &known.files) {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
    }
    Connection::of(paths.len(), move |item| {
        Node::new("PullRequestChangedFile")
            .leaf("path", paths[item].as_str())
            .leaf("additions", 1)
            .leaf("deletions", 1)
            .leaf("changeType", "MODIFIED")
            .leaf("viewerViewedState", "UNVIEWED")
            .into()
    })
}
