//! The open pull requests of a repository in one GraphQL page, each with enough to see whether Codex was ever there.

use codex_loop::bot::identity::{Identity, IdentitySurface, identify};
use codex_loop::bot::triggers;
use codex_loop::checks::TestsState;
use codex_loop::evidence::account::Account;
use codex_loop::evidence::name::Repository;
use codex_loop::evidence::observed::Observed;
use serde::Deserialize;
use serde_json::Value;

use super::Gh;
use super::failure::Failure;
use super::pull::{self, Reading, WirePull};
use super::query::{self, Query};
use super::wire::{self, Connection, Total};

/// One page of open pull requests, the newest first.
pub struct Page {
    /// Those that could be read.
    pub pulls: Vec<OpenPull>,
    /// Those that could not: number where known, and what is wrong.
    pub unread: Vec<(Option<u64>, String)>,
    /// How many there are on GitHub.
    pub total: Option<u64>,
}

/// One open pull request of the page.
pub struct OpenPull {
    /// Its first reading.
    pub reading: Reading,
    /// Whether anything on it may be the connector's, or addresses it.
    pub has_activity: bool,
    /// GitHub's own sum of the head's checks.
    pub tests: TestsState,
}

/// Reads the page. `labels` narrows it, when there are any.
pub fn read(
    gh: &Gh,
    host: &str,
    repository: &Repository,
    first: u64,
    labels: &[String],
) -> Result<Page, Failure> {
    let variables = serde_json::json!({
        "owner": repository.owner(),
        "name": repository.name(),
        "first": first,
        "labels": if labels.is_empty() { Value::Null } else { labels.into() },
    });
    let answer = query::ask(gh, host, Query::OpenPulls, &variables)?;
    let data: Data = wire::answer(&answer).map_err(|message| Failure::Unusable { message })?;
    let unusable = || Failure::Unusable {
        message: "GitHub's answer holds no list of pull requests".to_owned(),
    };
    let list = data
        .repository
        .and_then(|known| known.pull_requests)
        .ok_or_else(unusable)?;
    let mut page = Page {
        pulls: Vec::new(),
        unread: Vec::new(),
        total: list.total_count,
    };
    for node in list.nodes.into_iter().flatten() {
        let number = node.get("number").and_then(Value::as_u64);
        let lacking = pull::lacking(&node);
        match serde_json::from_value::<WireOpenPull>(node) {
            Ok(wire) => page.pulls.push(OpenPull::from(wire)),
            Err(error) => {
                let fact =
                    lacking.unwrap_or_else(|| format!("GitHub's answer about it cannot be read: {error}"));
                page.unread.push((number, format!("{fact}.")));
            }
        }
    }
    Ok(page)
}

#[derive(Deserialize)]
struct Data {
    repository: Option<OfRepository>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfRepository {
    pull_requests: Option<Connection<Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireOpenPull {
    #[serde(flatten)]
    pull: WirePull,
    eyes: Option<Total>,
    thumbs_up: Option<Total>,
    last_comments: Option<Connection<WireComment>>,
    last_reviews: Option<Connection<WireReview>>,
    checks: Option<Connection<WireChecks>>,
}

#[derive(Deserialize)]
struct WireComment {
    author: Option<Account>,
    #[serde(default)]
    body: Observed<String>,
}

#[derive(Deserialize)]
struct WireReview {
    author: Option<Account>,
}

#[derive(Deserialize)]
struct WireChecks {
    commit: Option<WireCommit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireCommit {
    status_check_rollup: Option<WireRollup>,
}

#[derive(Deserialize)]
struct WireRollup {
    state: String,
}

impl From<WireOpenPull> for OpenPull {
    fn from(wire: WireOpenPull) -> Self {
        let none =
            |total: &Option<Total>| total.as_ref().and_then(|total| total.total_count.get()) == Some(0);
        let quiet = none(&wire.eyes)
            && none(&wire.thumbs_up)
            && all_quiet(wire.last_comments, |comment| {
                is_strange(comment.author.as_ref()) && triggers::form(comment.body.text()).is_none()
            })
            && all_quiet(wire.last_reviews, |review| is_strange(review.author.as_ref()));
        let rollup = wire.checks.and_then(|checks| {
            let node = checks.nodes.into_iter().next().flatten()?;
            node.commit?.status_check_rollup
        });
        Self {
            reading: pull::reading(wire.pull),
            has_activity: !quiet,
            tests: rollup.map_or(TestsState::None, |rollup| tests(&rollup.state)),
        }
    }
}

/// Whether every item is there and none of them matters; what was not shown may matter.
fn all_quiet<T>(connection: Option<Connection<T>>, is_quiet: impl Fn(&T) -> bool) -> bool {
    connection.is_some_and(|connection| {
        connection.total_count == Some(connection.nodes.len() as u64)
            && connection
                .nodes
                .iter()
                .all(|node| node.as_ref().is_some_and(&is_quiet))
    })
}

/// Somebody who is certainly not the connector.
fn is_strange(author: Option<&Account>) -> bool {
    identify(author, IdentitySurface::GraphQl, false).identity == Identity::Other
}

fn tests(state: &str) -> TestsState {
    match state {
        "SUCCESS" => TestsState::Passing,
        "FAILURE" | "ERROR" => TestsState::Failing,
        _ => TestsState::Pending,
    }
}
