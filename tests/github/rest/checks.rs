//! Check runs, check suites and commit statuses.

use serde_json::{Value, json};

use super::{
    Answer, Place, accounts, commits, optional_time, paged, paged_object, repositories, unprocessable,
};
use crate::github::http::{Request, Response};
use crate::github::time::{iso, now};
use crate::github::world::{CheckRun, CheckSuite, Overrides, Status, World};

/// The answer of `commits/REF/check-runs`; `filter=latest`, the default, leaves earlier attempts out.
pub fn runs(place: Place<'_>, request: &Request, reference: &str) -> Answer {
    let commit = commits::resolve(place.repository, reference)?;
    let all = request.parameter("filter") == Some("all");
    let mut shown: Vec<(&CheckSuite, &CheckRun)> = place
        .repository
        .suites
        .iter()
        .filter(|suite| suite.sha == commit.sha)
        .filter(|suite| {
            request
                .parameter("app_id")
                .is_none_or(|id| id == suite.app.id.to_string())
        })
        .flat_map(|suite| suite.runs.iter().map(move |run| (suite, run)))
        .filter(|(suite, run)| all || is_latest(suite, run))
        .filter(|(_, run)| {
            request
                .parameter("check_name")
                .is_none_or(|name| name == run.name)
        })
        .filter(|(_, run)| {
            request
                .parameter("status")
                .is_none_or(|status| status == run.status)
        })
        .collect();
    shown.sort_by_key(|(_, run)| std::cmp::Reverse(run.id));
    Ok(paged_object(place, request, "check_runs", shown.len(), |index| {
        check_run(place, shown[index].0, shown[index].1)
    }))
}

/// Whether no later run of the suite has this run's name.
pub fn is_latest(suite: &CheckSuite, run: &CheckRun) -> bool {
    suite
        .runs
        .iter()
        .rfind(|other| other.name == run.name)
        .is_some_and(|last| last.id == run.id)
}

/// The answer of `commits/REF/check-suites`.
pub fn suites(place: Place<'_>, request: &Request, reference: &str) -> Answer {
    let commit = commits::resolve(place.repository, reference)?;
    let shown: Vec<&CheckSuite> = place
        .repository
        .suites
        .iter()
        .filter(|suite| suite.sha == commit.sha)
        .filter(|suite| {
            request
                .parameter("app_id")
                .is_none_or(|id| id == suite.app.id.to_string())
        })
        .collect();
    Ok(paged_object(
        place,
        request,
        "check_suites",
        shown.len(),
        |index| check_suite(place, shown[index]),
    ))
}

/// The answer of `commits/REF/statuses`, newest first, every status ever set.
pub fn statuses(place: Place<'_>, request: &Request, reference: &str) -> Answer {
    let commit = commits::resolve(place.repository, reference)?;
    let shown = statuses_of(place, &commit.sha);
    Ok(paged(place, request, shown.len(), |index| {
        let mut rendered = status(place, shown[index]);
        rendered["creator"] = accounts::user(place.world, shown[index].creator.as_ref());
        shown[index].overrides.apply(rendered)
    }))
}

/// Sets a commit status, as the viewer.
pub fn post_status(world: &mut World, repository: usize, sha: &str, body: &Value) -> Answer {
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    if !["error", "failure", "pending", "success"].contains(&text("state").as_str()) {
        return Err(unprocessable("state is not included in the list"));
    }
    let status = Status {
        id: world.next_id(),
        sha: sha.to_owned(),
        context: text("context"),
        state: text("state"),
        created_at: now(),
        creator: Some(world.viewer.clone()),
        overrides: Overrides::default(),
    };
    world.repositories[repository].statuses.push(status.clone());
    let place = Place {
        world,
        repository: &world.repositories[repository],
    };
    let mut rendered = self::status(place, &status);
    rendered["creator"] = accounts::user(place.world, status.creator.as_ref());
    Ok(Response::json(201, &rendered))
}

/// The answer of `commits/REF/status`: the newest status per context.
pub fn combined_status(place: Place<'_>, request: &Request, reference: &str) -> Answer {
    let commit = commits::resolve(place.repository, reference)?;
    let mut latest: Vec<&Status> = Vec::new();
    for status in statuses_of(place, &commit.sha) {
        if !latest.iter().any(|known| known.context == status.context) {
            latest.push(status);
        }
    }
    let has = |state: &str| latest.iter().any(|status| status.state == state);
    let state = if has("failure") || has("error") {
        "failure"
    } else if latest.is_empty() || has("pending") {
        "pending"
    } else {
        "success"
    };
    let page = super::Page::of(request);
    let items: Vec<Value> = page
        .range(latest.len())
        .map(|index| latest[index].overrides.apply(status(place, latest[index])))
        .collect();
    let body = json!({
        "state": state,
        "statuses": items,
        "sha": commit.sha,
        "total_count": latest.len(),
        "repository": repositories::minimal(place),
        "commit_url": format!("{}/commits/{}", place.api(), commit.sha),
        "url": format!("{}/commits/{}/status", place.api(), commit.sha),
    });
    Ok(page.linked(place.world, request, latest.len(), Response::json(200, &body)))
}

fn statuses_of<'w>(place: Place<'w>, sha: &str) -> Vec<&'w Status> {
    let mut found: Vec<&Status> = place
        .repository
        .statuses
        .iter()
        .filter(|status| status.sha == sha)
        .collect();
    found.sort_by_key(|status| std::cmp::Reverse((status.created_at, status.id)));
    found
}

fn status(place: Place<'_>, status: &Status) -> Value {
    json!({
        "url": format!("{}/statuses/{}", place.api(), status.sha),
        "avatar_url": "https://avatars.githubusercontent.com/u/1?v=4",
        "id": status.id,
        "node_id": format!("SC_kwDO{}", status.id),
        "state": status.state,
        "description": null,
        "target_url": format!("https://ci.example.com/{}", status.id),
        "context": status.context,
        "created_at": iso(status.created_at),
        "updated_at": iso(status.created_at),
    })
}

fn check_run(place: Place<'_>, suite: &CheckSuite, run: &CheckRun) -> Value {
    let address = format!("{}/check-runs/{}", place.api(), run.id);
    let page = run_page(&place.web(), suite, run);
    run.overrides.apply(json!({
        "id": run.id,
        "head_sha": suite.sha,
        "node_id": format!("CR_kwDO{}", run.id),
        "external_id": run.id.to_string(),
        "url": address,
        "html_url": page,
        "details_url": page,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": optional_time(run.started_at),
        "completed_at": optional_time(run.completed_at),
        "output": {
            "title": null,
            "summary": null,
            "text": null,
            "annotations_count": 0,
            "annotations_url": format!("{address}/annotations"),
        },
        "name": run.name,
        "check_suite": { "id": suite.id },
        "app": accounts::app(place.world, Some(&suite.app)),
        "pull_requests": [],
    }))
}

/// Page of a run for people: a workflow job for GitHub Actions, the app's own page for others.
pub fn run_page(web: &str, suite: &CheckSuite, run: &CheckRun) -> String {
    if suite.app.slug == "github-actions" {
        format!("{web}/actions/runs/{}/job/{}", suite.id, run.id)
    } else {
        format!("https://{}.example.com/runs/{}", suite.app.slug, run.id)
    }
}

fn check_suite(place: Place<'_>, suite: &CheckSuite) -> Value {
    let head_commit = place.repository.commit(&suite.sha).map_or(Value::Null, |commit| {
        json!({
            "id": commit.sha,
            "tree_id": commit.sha,
            "message": commit.message,
            "timestamp": iso(commit.committed_at),
            "author": commits::signature(commit, iso(commit.authored_at)),
            "committer": commits::signature(commit, iso(commit.committed_at)),
        })
    });
    let address = format!("{}/check-suites/{}", place.api(), suite.id);
    suite.overrides.apply(json!({
        "id": suite.id,
        "node_id": format!("CS_kwDO{}", suite.id),
        "head_branch": suite.branch,
        "head_sha": suite.sha,
        "status": suite.status,
        "conclusion": suite.conclusion,
        "url": address,
        "before": suite.sha,
        "after": suite.sha,
        "pull_requests": [],
        "app": accounts::app(place.world, Some(&suite.app)),
        "repository": repositories::minimal(place),
        "created_at": iso(suite.created_at),
        "updated_at": iso(suite.updated_at),
        "head_commit": head_commit,
        "latest_check_runs_count": suite.runs.len(),
        "check_runs_url": format!("{address}/check-runs"),
        "rerequestable": true,
        "runs_rerequestable": true,
    }))
}
