//! Check suites, check runs, statuses and the rollup.

use std::sync::Arc;

use serde_json::{Value, json};

use super::node::{Arguments, Connection, Field, Node};
use super::{accounts, commits, repository};
use crate::github::rest::checks::{is_latest, run_page};
use crate::github::world::{CheckRun, CheckSuite, Status, World};

/// Adds what checks say about a commit.
pub fn commit_fields(node: Node, world: &Arc<World>, index: usize, sha: &str) -> Node {
    let shared = || (Arc::clone(world), sha.to_owned());
    node.lazy("checkSuites", {
        let (world, sha) = shared();
        move |arguments| suites(&world, index, &sha, arguments)
    })
    .lazy("statusCheckRollup", {
        let (world, sha) = shared();
        move |_| Field::maybe(rollup(&world, index, &sha))
    })
    .lazy("status", {
        let (world, sha) = shared();
        move |_| Field::maybe(status(&world, index, &sha))
    })
}

fn suites(world: &Arc<World>, index: usize, sha: &str, arguments: &Arguments<'_>) -> Field {
    let app = arguments.get("filterBy").get("appId").and_then(Value::as_u64);
    let all = &world.repositories[index].suites;
    let found: Vec<usize> = (0..all.len())
        .filter(|&item| all[item].sha == sha && app.is_none_or(|app| app == all[item].app.id))
        .collect();
    let world = Arc::clone(world);
    Connection::of(found.len(), move |item| suite(&world, index, found[item]).into())
}

fn word(text: Option<&String>) -> Value {
    text.map_or(Value::Null, |text| json!(text.to_ascii_uppercase()))
}

/// The `CheckSuite` object.
fn suite(world: &Arc<World>, index: usize, item: usize) -> Node {
    let known = &world.repositories[index].suites[item];
    let shared = || Arc::clone(world);
    let path = format!(
        "/{}/commit/{}/checks?check_suite_id={}",
        place(world, index),
        known.sha,
        known.id
    );
    Node::new("CheckSuite")
        .leaf("id", format!("CS_kwDO{}", known.id))
        .leaf("databaseId", known.id)
        .leaf("status", word(Some(&known.status)))
        .leaf("conclusion", word(known.conclusion.as_ref()))
        .leaf("url", format!("{}{path}", world.web()))
        .leaf("resourcePath", path)
        .leaf("push", Value::Null)
        .leaf("creator", Value::Null)
        .leaf("workflowRun", Value::Null)
        .time("createdAt", known.created_at)
        .time("updatedAt", known.updated_at)
        .field("app", accounts::app(&known.app))
        .lazy("workflowRun", {
            let world = shared();
            move |_| workflow_run(&world, index, item)
        })
        .lazy("branch", {
            let world = shared();
            move |_| {
                let known = &world.repositories[index].suites[item];
                Field::maybe(
                    known
                        .branch
                        .as_ref()
                        .map(|branch| repository::reference_to(&world, index, branch, &known.sha)),
                )
            }
        })
        .lazy("commit", {
            let world = shared();
            move |_| {
                Field::maybe(commits::commit(
                    &world,
                    index,
                    &world.repositories[index].suites[item].sha,
                ))
            }
        })
        .lazy("repository", {
            let world = shared();
            move |_| repository::repository(&world, index).into()
        })
        .lazy("checkRuns", {
            let world = shared();
            move |arguments| runs(&world, index, item, arguments)
        })
        .overridden(&known.overrides)
}

/// A suite of GitHub Actions belongs to a workflow run; others have none.
fn workflow_run(world: &Arc<World>, index: usize, item: usize) -> Field {
    let known = &world.repositories[index].suites[item];
    if known.app.slug != "github-actions" {
        return Field::Value(Value::Null);
    }
    let url = format!(
        "{}/{}/actions/runs/{}",
        world.web(),
        place(world, index),
        known.id
    );
    let workflow = Node::new("Workflow")
        .leaf("id", format!("W_kwDO{}", known.id))
        .leaf("name", known.workflow.as_str());
    Node::new("WorkflowRun")
        .leaf("id", format!("WFR_kwDO{}", known.id))
        .leaf("databaseId", known.id)
        .leaf("runNumber", 1)
        .leaf("event", "pull_request")
        .leaf("url", url)
        .time("createdAt", known.created_at)
        .time("updatedAt", known.updated_at)
        .field("workflow", workflow)
        .into()
}

fn place(world: &World, index: usize) -> String {
    world.repositories[index].full_name()
}

/// Runs of a suite; GitHub gives the latest attempt of each unless `checkType: ALL` is asked for.
fn runs(world: &Arc<World>, index: usize, item: usize, arguments: &Arguments<'_>) -> Field {
    let known = &world.repositories[index].suites[item];
    let filter = arguments.get("filterBy");
    let all = filter.get("checkType").and_then(Value::as_str) == Some("ALL");
    let name = filter.get("checkName").and_then(Value::as_str);
    let found: Vec<usize> = (0..known.runs.len())
        .filter(|&run| {
            let run = &known.runs[run];
            (all || is_latest(known, run)) && name.is_none_or(|name| name == run.name)
        })
        .collect();
    let world = Arc::clone(world);
    Connection::of(found.len(), move |run| {
        check_run(&world, index, item, found[run]).into()
    })
}

/// The `CheckRun` object.
fn check_run(world: &Arc<World>, index: usize, item: usize, run: usize) -> Node {
    let known = &world.repositories[index].suites[item];
    let page = run_page(
        &format!("{}/{}", world.web(), place(world, index)),
        known,
        &known.runs[run],
    );
    let run: &CheckRun = &known.runs[run];
    Node::new("CheckRun")
        .leaf("id", format!("CR_kwDO{}", run.id))
        .leaf("databaseId", run.id)
        .leaf("name", run.name.as_str())
        .leaf("status", word(Some(&run.status)))
        .leaf("conclusion", word(run.conclusion.as_ref()))
        .leaf("detailsUrl", page.as_str())
        .leaf("permalink", page.as_str())
        .leaf("url", page)
        .leaf("externalId", run.id.to_string())
        .leaf("title", Value::Null)
        .leaf("summary", Value::Null)
        .leaf("text", Value::Null)
        .maybe_time("startedAt", run.started_at)
        .maybe_time("completedAt", run.completed_at)
        .leaf("isRequired", is_required(world, index, &run.name))
        .lazy("checkSuite", {
            let world = Arc::clone(world);
            move |_| suite(&world, index, item).into()
        })
        .lazy("repository", {
            let world = Arc::clone(world);
            move |_| repository::repository(&world, index).into()
        })
        .overridden(&run.overrides)
}

fn is_required(world: &World, index: usize, name: &str) -> bool {
    world.repositories[index].rules.iter().any(|(_, rule)| {
        let checks = rule["parameters"]["required_status_checks"].as_array();
        checks.is_some_and(|checks| checks.iter().any(|check| check["context"] == name))
    })
}

/// Newest status per context, oldest context first.
fn latest_statuses<'w>(world: &'w World, index: usize, sha: &str) -> Vec<&'w Status> {
    let mut latest: Vec<&Status> = Vec::new();
    for status in world.repositories[index]
        .statuses
        .iter()
        .filter(|status| status.sha == sha)
    {
        match latest.iter_mut().find(|known| known.context == status.context) {
            Some(known) if (known.created_at, known.id) < (status.created_at, status.id) => *known = status,
            Some(_) => {}
            None => latest.push(status),
        }
    }
    latest
}

/// The `StatusContext` object.
fn status_context(world: &Arc<World>, index: usize, status: &Status) -> Node {
    let sha = status.sha.clone();
    Node::new("StatusContext")
        .leaf("id", format!("SC_kwDO{}", status.id))
        .leaf("context", status.context.as_str())
        .leaf("state", status.state.to_ascii_uppercase())
        .leaf("description", Value::Null)
        .leaf("targetUrl", format!("https://ci.example.com/{}", status.id))
        .leaf("isRequired", is_required(world, index, &status.context))
        .time("createdAt", status.created_at)
        .field("creator", accounts::actor(world, status.creator.as_ref()))
        .lazy("commit", {
            let world = Arc::clone(world);
            move |_| Field::maybe(commits::commit(&world, index, &sha))
        })
        .overridden(&status.overrides)
}

/// The `Status` object of a commit; none without statuses.
fn status(world: &Arc<World>, index: usize, sha: &str) -> Option<Node> {
    let latest = latest_statuses(world, index, sha);
    if latest.is_empty() {
        return None;
    }
    let state = combined(latest.iter().map(|status| status.state.to_ascii_uppercase()));
    let contexts: Vec<Field> = latest
        .iter()
        .map(|status| status_context(world, index, status).into())
        .collect();
    Some(
        Node::new("Status")
            .leaf("id", format!("ST_kwDO{sha}"))
            .leaf("state", state)
            .field("contexts", Field::List(contexts)),
    )
}

/// The `StatusCheckRollup` object of a commit; none without checks and statuses.
pub fn rollup(world: &Arc<World>, index: usize, sha: &str) -> Option<Node> {
    let suites: Vec<&CheckSuite> = world.repositories[index]
        .suites
        .iter()
        .filter(|suite| suite.sha == sha)
        .collect();
    let mut words: Vec<String> = latest_statuses(world, index, sha)
        .iter()
        .map(|status| status.state.to_ascii_uppercase())
        .collect();
    for suite in &suites {
        for run in suite.runs.iter().filter(|run| is_latest(suite, run)) {
            words.push(match run.conclusion.as_deref() {
                None => "PENDING".to_owned(),
                Some("success" | "neutral" | "skipped") => "SUCCESS".to_owned(),
                Some(_) => "FAILURE".to_owned(),
            });
        }
    }
    if words.is_empty() {
        return None;
    }
    let (shared, sha_of_commit) = (Arc::clone(world), sha.to_owned());
    let contexts = {
        let (world, sha) = (Arc::clone(world), sha.to_owned());
        move |_: &Arguments<'_>| rollup_contexts(&world, index, &sha)
    };
    Some(
        Node::new("StatusCheckRollup")
            .leaf("id", format!("SCR_kwDO{sha}"))
            .leaf("state", combined(words.into_iter()))
            .lazy("contexts", contexts)
            .lazy("commit", move |_| {
                Field::maybe(commits::commit(&shared, index, &sha_of_commit))
            }),
    )
}

fn rollup_contexts(world: &Arc<World>, index: usize, sha: &str) -> Field {
    let repository = &world.repositories[index];
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (item, suite) in repository
        .suites
        .iter()
        .enumerate()
        .filter(|(_, suite)| suite.sha == sha)
    {
        for (run, known) in suite.runs.iter().enumerate() {
            if is_latest(suite, known) {
                runs.push((item, run));
            }
        }
    }
    let statuses: Vec<Status> = latest_statuses(world, index, sha).into_iter().cloned().collect();
    let world = Arc::clone(world);
    Connection::of(runs.len() + statuses.len(), move |item| match runs.get(item) {
        Some(&(suite, run)) => check_run(&world, index, suite, run).into(),
        None => status_context(&world, index, &statuses[item - runs.len()]).into(),
    })
}

fn combined(words: impl Iterator<Item = String>) -> &'static str {
    let words: Vec<String> = words.collect();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    if has("ERROR") {
        "ERROR"
    } else if has("FAILURE") {
        "FAILURE"
    } else if has("PENDING") || has("EXPECTED") {
        "PENDING"
    } else {
        "SUCCESS"
    }
}

/// A suite, run or status by node id.
pub fn by_id(world: &Arc<World>, index: usize, prefix: &str, number: u64) -> Option<Node> {
    let repository = &world.repositories[index];
    match prefix {
        "CS" => repository
            .suites
            .iter()
            .position(|known| known.id == number)
            .map(|item| suite(world, index, item)),
        "CR" => repository.suites.iter().enumerate().find_map(|(item, known)| {
            let run = known.runs.iter().position(|run| run.id == number)?;
            Some(check_run(world, index, item, run))
        }),
        "SC" => repository
            .statuses
            .iter()
            .find(|known| known.id == number)
            .map(|known| status_context(world, index, known)),
        _ => None,
    }
}
