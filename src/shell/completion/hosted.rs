//! Candidates that GitHub knows: open pull requests, threads to resolve, findings. One short query each, kept for a
//! minute; on any failure there are none, and nothing is said.

use std::time::Duration;

use clap::Parser;
use codex_loop::bot::findings::inline;
use codex_loop::bot::identity::CONNECTOR_GRAPHQL_LOGIN;
use serde_json::{Value, json};

use super::values::Line;
use super::{Offer, store};
use crate::cli::Global;
use crate::gh::Gh;
use crate::selector::{Place, Selector};
use crate::target;

/// A shell waits this long for one TAB.
const PATIENCE: Duration = Duration::from_secs(3);

const PULLS: &str = include_str!("../gh/queries/complete_pulls.graphql");
const FINDINGS: &str = include_str!("../gh/queries/complete_findings.graphql");

/// Open pull requests, the most recently changed first.
pub fn pulls(line: &Line) -> Vec<Offer> {
    store::kept(&["pulls", line.repository.as_deref().unwrap_or_default()], || {
        // The number is not used: any one finds the repository.
        let data = ask(line, PULLS, &Selector::Number(1))?;
        let nodes = list(&data, "/repository/pullRequests/nodes");
        Some(nodes.filter_map(pull).collect())
    })
}

fn pull(node: &Value) -> Option<Offer> {
    Some(Offer {
        value: node.get("number")?.as_u64()?.to_string(),
        about: node.get("title")?.as_str()?.to_owned(),
    })
}

/// The connector's threads that can be resolved.
pub fn threads(line: &Line) -> Vec<Offer> {
    found(line)
        .into_iter()
        .filter(|offer| offer.value.starts_with("PRRT_"))
        .collect()
}

/// The keys of texts by the connector.
pub fn keys(line: &Line) -> Vec<Offer> {
    found(line)
        .into_iter()
        .filter(|offer| !offer.value.starts_with("PRRT_"))
        .collect()
}

/// Thread ids and keys of one pull request, which must have been named.
fn found(line: &Line) -> Vec<Offer> {
    let Some(pull) = &line.pull else {
        return Vec::new();
    };
    let Ok(selector) = pull.parse::<Selector>() else {
        return Vec::new();
    };
    let repository = line.repository.as_deref().unwrap_or_default();
    store::kept(&["findings", repository, pull], || {
        let data = ask(line, FINDINGS, &selector)?;
        let at = |rest: &str| format!("/repository/pullRequest/{rest}/nodes");
        let mut offers = Vec::new();
        for thread in list(&data, &at("reviewThreads")) {
            offers.extend(open_thread(thread));
        }
        for (connection, kind) in [("reviews", "review-body"), ("comments", "issue-comment")] {
            for node in list(&data, &at(connection)).filter(|node| is_connectors(node)) {
                offers.extend(key(node, kind));
            }
        }
        Some(offers)
    })
}

/// A thread's id and the key of its finding.
fn open_thread(thread: &Value) -> Vec<Offer> {
    let Some(root) = list(thread, "/comments/nodes").next() else {
        return Vec::new();
    };
    if thread.get("isResolved") != Some(&Value::Bool(false)) || !is_connectors(root) {
        return Vec::new();
    }
    let path = thread.get("path").and_then(Value::as_str).unwrap_or_default();
    let finding = inline(root.get("body").and_then(Value::as_str).unwrap_or_default());
    let about = format!("{} {} ({path})", finding.priority.as_str(), finding.title);
    let id = thread.get("id").and_then(Value::as_str).map(|id| Offer {
        value: id.to_owned(),
        about: about.clone(),
    });
    let key = root
        .get("fullDatabaseId")
        .and_then(Value::as_str)
        .map(|id| Offer {
            value: format!("review-comment:{id}"),
            about,
        });
    id.into_iter().chain(key).collect()
}

fn key(node: &Value, kind: &str) -> Option<Offer> {
    let text = node.get("bodyText")?.as_str()?;
    Some(Offer {
        value: format!("{kind}:{}", node.get("fullDatabaseId")?.as_str()?),
        about: text.lines().find(|line| !line.trim().is_empty())?.to_owned(),
    })
}

fn is_connectors(node: &Value) -> bool {
    node.pointer("/author/login").and_then(Value::as_str) == Some(CONNECTOR_GRAPHQL_LOGIN)
}

fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// The options of every command, as their defaults make them.
#[derive(Parser)]
struct Defaults {
    #[command(flatten)]
    global: Global,
}

/// One query about the repository or pull request of the line.
fn ask(line: &Line, query: &str, selector: &Selector) -> Option<Value> {
    let repository = line.repository.iter().flat_map(|name| ["--repo", name]);
    let mut global = Defaults::try_parse_from(std::iter::once("complete").chain(repository))
        .ok()?
        .global;
    global.gh_timeout = PATIENCE;
    let gh = Gh::find(&global).ok()?;
    let Place {
        host,
        repository,
        number,
    } = target::place(&gh, &global, Some(selector)).ok()?;
    let variables = json!({
        "owner": repository.owner(),
        "name": repository.name(),
        "number": number,
    });
    let body = json!({ "query": query, "variables": variables });
    let answer = gh
        .api_with_input(&host, &["graphql"], body.to_string().into_bytes())
        .ok()?;
    let mut answer: Value = serde_json::from_slice(&answer).ok()?;
    Some(answer.get_mut("data")?.take())
}
