//! Repositories, branches and the rules that apply to a branch.

use serde_json::{Value, json};

use super::{Answer, Place, accounts, commits, not_found, paged};
use crate::github::http::{Request, Response};
use crate::github::time::iso;

/// Names of the `…_url` fields and what follows the repository's address in them.
const URLS: [(&str, &str); 37] = [
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    ("notifications_url", "/notifications{?since,all,participating}"),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
    ("url", ""),
];

/// The `minimal-repository` object.
pub fn minimal(place: Place<'_>) -> Value {
    let Place { world, repository } = place;
    let mut rendered = json!({
        "id": repository.id,
        "node_id": format!("R_kwDO{}", repository.id),
        "name": repository.name,
        "full_name": repository.full_name(),
        "private": repository.private,
        "owner": accounts::user(world, Some(&repository.owner)),
        "html_url": place.web(),
        "description": null,
        "fork": false,
    });
    for (name, tail) in URLS {
        rendered[name] = json!(format!("{}{tail}", place.api()));
    }
    rendered
}

/// The `repository` object, as it stands inside a pull request.
pub fn whole(place: Place<'_>) -> Value {
    let repository = place.repository;
    let mut rendered = minimal(place);
    let name = repository.full_name();
    let open = repository
        .pulls
        .iter()
        .filter(|pull| pull.closed_at.is_none())
        .count();
    for (field, value) in [
        ("clone_url", json!(format!("{}.git", place.web()))),
        ("git_url", json!(format!("git://{}/{name}.git", place.world.host))),
        ("ssh_url", json!(format!("git@{}:{name}.git", place.world.host))),
        ("svn_url", json!(place.web())),
        ("mirror_url", json!(null)),
        ("homepage", json!(null)),
        ("language", json!("Rust")),
        ("license", json!(null)),
        ("default_branch", json!(repository.default_branch)),
        (
            "visibility",
            json!(if repository.private { "private" } else { "public" }),
        ),
        ("archived", json!(false)),
        ("disabled", json!(false)),
        ("has_downloads", json!(true)),
        ("has_issues", json!(true)),
        ("has_projects", json!(true)),
        ("has_wiki", json!(false)),
        ("has_pages", json!(false)),
        ("has_discussions", json!(false)),
        ("forks", json!(0)),
        ("forks_count", json!(0)),
        ("stargazers_count", json!(0)),
        ("watchers", json!(0)),
        ("watchers_count", json!(0)),
        ("open_issues", json!(open)),
        ("open_issues_count", json!(open)),
        ("size", json!(100)),
        ("created_at", json!(iso(repository.created_at))),
        ("updated_at", json!(iso(repository.created_at))),
        ("pushed_at", json!(iso(repository.created_at))),
    ] {
        rendered[field] = value;
    }
    rendered
}

/// The answer of `repos/OWNER/NAME`.
pub fn full(place: Place<'_>) -> Value {
    let mut rendered = whole(place);
    rendered["network_count"] = json!(0);
    rendered["subscribers_count"] = json!(1);
    rendered["permissions"] =
        json!({ "admin": false, "maintain": false, "push": true, "triage": true, "pull": true });
    place.repository.overrides.apply(rendered)
}

/// The answer of `branches/BRANCH`.
pub fn branch(place: Place<'_>, name: &str) -> Answer {
    let tip = place
        .repository
        .branch_tip(name)
        .ok_or_else(|| Response::message(404, "Branch not found"))?;
    let commit = place.repository.commit(tip).ok_or_else(not_found)?;
    let address = format!("{}/branches/{name}", place.api());
    Ok(Response::json(
        200,
        &json!({
            "name": name,
            "commit": commits::commit(place, commit),
            "_links": { "self": address, "html": format!("{}/tree/{name}", place.web()) },
            "protected": false,
            "protection": {
                "enabled": false,
                "required_status_checks": { "enforcement_level": "off", "contexts": [], "checks": [] },
            },
            "protection_url": format!("{address}/protection"),
        }),
    ))
}

/// The answer of `rules/branches/BRANCH`.
pub fn rules(place: Place<'_>, request: &Request, branch: &str) -> Answer {
    let rules: Vec<&Value> = place
        .repository
        .rules
        .iter()
        .filter(|(name, _)| name == branch)
        .map(|(_, rule)| rule)
        .collect();
    Ok(paged(place, request, rules.len(), |index| {
        let mut rule = rules[index].clone();
        rule["ruleset_source_type"] = json!("Repository");
        rule["ruleset_source"] = json!(place.repository.full_name());
        rule["ruleset_id"] = json!(1);
        rule
    }))
}
