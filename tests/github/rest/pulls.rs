//! Pull requests, their commits and files.

use serde_json::{Value, json};

use super::{
    Answer, Place, accounts, commits as commit_answers, not_found, optional_time, paged, repositories,
};
use crate::github::http::{Request, Response};
use crate::github::time::iso;
use crate::github::world::{Account, Commit, Pull, PullState};

/// The answer of `pulls/NUMBER`.
pub fn one(place: Place<'_>, pull: Option<&Pull>) -> Answer {
    let pull = pull.ok_or_else(not_found)?;
    let mut rendered = simple(place, pull);
    let mergeable = match pull.mergeable.as_str() {
        "MERGEABLE" => json!(true),
        "CONFLICTING" => json!(false),
        _ => json!(null),
    };
    let review_comments: usize = pull.threads.iter().map(|thread| thread.comments.len()).sum();
    for (field, value) in [
        ("merged", json!(pull.state == PullState::Merged)),
        ("mergeable", mergeable),
        ("mergeable_state", json!(pull.merge_state.to_ascii_lowercase())),
        ("merged_by", json!(null)),
        ("comments", json!(pull.comments.len())),
        ("review_comments", json!(review_comments)),
        ("maintainer_can_modify", json!(false)),
        ("commits", json!(pull.commits.len())),
        ("additions", json!(1)),
        ("deletions", json!(1)),
        ("changed_files", json!(pull.changed_files)),
    ] {
        rendered[field] = value;
    }
    Ok(Response::json(200, &pull.overrides.apply(rendered)))
}

/// The answer of `pulls`, with the filters `state`, `head` and `base`.
pub fn list(place: Place<'_>, request: &Request) -> Answer {
    let state = request.parameter("state").unwrap_or("open");
    let mut found: Vec<&Pull> = place
        .repository
        .pulls
        .iter()
        .filter(|pull| state == "all" || (state == "open") == (pull.state == PullState::Open))
        .filter(|pull| request.parameter("base").is_none_or(|base| base == pull.base_ref))
        .filter(|pull| {
            request
                .parameter("head")
                .is_none_or(|head| head == label(place, pull))
        })
        .collect();
    found.sort_by_key(|pull| std::cmp::Reverse((pull.created_at, pull.number)));
    Ok(paged(place, request, found.len(), |index| {
        found[index].overrides.apply(simple(place, found[index]))
    }))
}

/// The answer of `pulls/NUMBER/commits`; GitHub shows at most 250.
pub fn commits(place: Place<'_>, request: &Request, pull: Option<&Pull>) -> Answer {
    let pull = pull.ok_or_else(not_found)?;
    let shown: Vec<&Commit> = pull
        .commits
        .iter()
        .filter_map(|sha| place.repository.commit(sha))
        .take(250)
        .collect();
    Ok(paged(place, request, shown.len(), |index| {
        commit_answers::commit(place, shown[index])
    }))
}

/// The answer of `pulls/NUMBER/files`.
pub fn files(place: Place<'_>, request: &Request, pull: Option<&Pull>) -> Answer {
    let pull = pull.ok_or_else(not_found)?;
    let mut paths: Vec<&str> = Vec::new();
    for path in pull
        .commits
        .iter()
        .filter_map(|sha| place.repository.commit(sha))
        .flat_map(|commit| &commit.files)
    {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    Ok(paged(place, request, paths.len(), |index| {
        commit_answers::file(place, &pull.head_oid, paths[index])
    }))
}

/// The `pull-request-simple` object.
fn simple(place: Place<'_>, pull: &Pull) -> Value {
    let Place { world, repository } = place;
    let (number, api, web) = (pull.number, place.api(), place.web());
    let address = format!("{api}/pulls/{number}");
    let issue = format!("{api}/issues/{number}");
    let labels: Vec<Value> = pull
        .labels
        .iter()
        .zip(1_u64..)
        .map(|(name, id)| {
            json!({
                "id": id,
                "node_id": format!("LA_kwDO{id}"),
                "url": format!("{api}/labels/{name}"),
                "name": name,
                "description": "",
                "color": "ededed",
                "default": false,
            })
        })
        .collect();
    let side = |owner: &Account, reference: &str, sha: &str| {
        json!({
            "label": format!("{}:{reference}", owner.login),
            "ref": reference,
            "sha": sha,
            "user": accounts::user(world, Some(owner)),
            "repo": repositories::whole(place),
        })
    };
    let statuses = format!("{api}/statuses/{}", pull.head_oid);
    let review_comment = format!("{api}/pulls/comments{{/number}}");
    let mut rendered = json!({
        "url": address,
        "id": pull.id,
        "node_id": format!("PR_kwDO{}", pull.id),
        "html_url": format!("{web}/pull/{number}"),
        "diff_url": format!("{web}/pull/{number}.diff"),
        "patch_url": format!("{web}/pull/{number}.patch"),
        "issue_url": issue,
        "commits_url": format!("{address}/commits"),
        "review_comments_url": format!("{address}/comments"),
        "review_comment_url": review_comment,
        "comments_url": format!("{issue}/comments"),
        "statuses_url": statuses,
    });
    let rest = json!({
        "number": number,
        "state": if pull.state == PullState::Open { "open" } else { "closed" },
        "locked": false,
        "title": pull.title,
        "user": accounts::user(world, pull.author.as_ref()),
        "body": pull.body,
        "labels": labels,
        "milestone": null,
        "active_lock_reason": null,
        "created_at": iso(pull.created_at),
        "updated_at": iso(pull.updated_at),
        "closed_at": optional_time(pull.closed_at),
        "merged_at": optional_time(pull.merged_at),
        "merge_commit_sha": null,
        "assignee": null,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "draft": pull.draft,
        "head": side(head_owner(place, pull), &pull.head_ref, &pull.head_oid),
        "base": side(&repository.owner, &pull.base_ref, &pull.base_oid),
        "_links": {
            "self": { "href": address },
            "html": { "href": format!("{web}/pull/{number}") },
            "issue": { "href": issue },
            "comments": { "href": format!("{issue}/comments") },
            "review_comments": { "href": format!("{address}/comments") },
            "review_comment": { "href": review_comment },
            "commits": { "href": format!("{address}/commits") },
            "statuses": { "href": statuses },
        },
        "author_association": pull.association,
        "auto_merge": null,
    });
    if let (Value::Object(rendered), Value::Object(rest)) = (&mut rendered, rest) {
        rendered.extend(rest);
    }
    rendered
}

fn head_owner<'w>(place: Place<'w>, pull: &'w Pull) -> &'w Account {
    pull.head_owner.as_ref().unwrap_or(&place.repository.owner)
}

fn label(place: Place<'_>, pull: &Pull) -> String {
    format!("{}:{}", head_owner(place, pull).login, pull.head_ref)
}
