//! Commits, comparison of two commits, and the repository's activity list.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Answer, Place, accounts, not_found, unprocessable};
use crate::github::http::{Request, Response};
use crate::github::time::iso;
use crate::github::world::{Commit, Repository};

/// GitHub cuts the file list of a comparison here.
const FILES_SHOWN: usize = 300;

/// The full SHA for a full or short SHA or a branch name; GitHub answers 422 for none and for more than one.
pub fn resolve<'r>(repository: &'r Repository, reference: &str) -> Result<&'r Commit, Response> {
    let missing = || unprocessable(&format!("No commit found for SHA: {reference}"));
    if let Some(tip) = repository.branch_tip(reference) {
        return repository.commit(tip).ok_or_else(missing);
    }
    let hex = reference.len() >= 4 && reference.bytes().all(|byte| byte.is_ascii_hexdigit());
    let wanted = reference.to_ascii_lowercase();
    let mut found = repository
        .commits
        .iter()
        .filter(|commit| hex && commit.sha.starts_with(&wanted));
    match (found.next(), found.next()) {
        (Some(commit), None) => Ok(commit),
        _ => Err(missing()),
    }
}

/// The answer of `commits/REF`.
pub fn one(place: Place<'_>, reference: &str) -> Answer {
    let found = resolve(place.repository, reference)?;
    let mut rendered = commit(place, found);
    rendered["stats"] = json!({ "total": 2 * found.files.len(), "additions": found.files.len(), "deletions": found.files.len() });
    rendered["files"] = found
        .files
        .iter()
        .map(|path| file(place, &found.sha, path))
        .collect();
    Ok(Response::json(200, &rendered))
}

/// The `commit` object.
pub fn commit(place: Place<'_>, commit: &Commit) -> Value {
    let (api, web) = (place.api(), place.web());
    let parents: Vec<Value> = commit
        .parents
        .iter()
        .map(|sha| {
            json!({ "sha": sha, "url": format!("{api}/commits/{sha}"), "html_url": format!("{web}/commit/{sha}") })
        })
        .collect();
    let author = accounts::user(place.world, commit.author.as_ref());
    json!({
        "sha": commit.sha,
        "node_id": format!("C_kwDO{}", commit.sha),
        "url": format!("{api}/commits/{}", commit.sha),
        "html_url": format!("{web}/commit/{}", commit.sha),
        "comments_url": format!("{api}/commits/{}/comments", commit.sha),
        "commit": {
            "url": format!("{api}/git/commits/{}", commit.sha),
            "author": signature(commit, iso(commit.authored_at)),
            "committer": signature(commit, iso(commit.committed_at)),
            "message": commit.message,
            "comment_count": 0,
            "tree": { "sha": commit.sha, "url": format!("{api}/git/trees/{}", commit.sha) },
            "verification": verification(),
        },
        "author": author,
        "committer": author,
        "parents": parents,
    })
}

pub fn signature(commit: &Commit, date: String) -> Value {
    let name = commit
        .author
        .as_ref()
        .map_or("unknown", |author| author.login.as_str());
    json!({ "name": name, "email": format!("{name}@example.com"), "date": date })
}

pub fn verification() -> Value {
    json!({ "verified": false, "reason": "unsigned", "signature": null, "payload": null, "verified_at": null })
}

pub fn file(place: Place<'_>, sha: &str, path: &str) -> Value {
    json!({
        "sha": crate::github::world::sha(path),
        "filename": path,
        "status": "modified",
        "additions": 1,
        "deletions": 1,
        "changes": 2,
        "blob_url": format!("{}/blob/{sha}/{path}", place.web()),
        "raw_url": format!("{}/raw/{sha}/{path}", place.web()),
        "contents_url": format!("{}/contents/{path}?ref={sha}", place.api()),
        "patch": "@@ -1 +1 @@\n-old\n+new",
    })
}

/// The answer of `compare/BASE...HEAD`, worked out from the commits' parents.
pub fn compare(place: Place<'_>, request: &Request, range: &str) -> Answer {
    let repository = place.repository;
    let (base, head) = range.split_once("...").ok_or_else(not_found)?;
    let known = |reference| resolve(repository, reference).map_err(|_| not_found());
    let (base, head) = (known(base)?, known(head)?);
    let (of_base, of_head) = (ancestors(repository, &base.sha), ancestors(repository, &head.sha));
    let (in_base, in_head): (HashSet<&str>, HashSet<&str>) = (
        of_base.iter().copied().collect(),
        of_head.iter().copied().collect(),
    );
    let ahead: Vec<&str> = of_head
        .iter()
        .rev()
        .copied()
        .filter(|sha| !in_base.contains(sha))
        .collect();
    let behind = of_base.iter().filter(|sha| !in_head.contains(*sha)).count();
    let merge_base = of_head
        .iter()
        .find(|sha| in_base.contains(*sha))
        .ok_or_else(not_found)?;
    let status = match (ahead.is_empty(), behind == 0) {
        (true, true) => "identical",
        (false, true) => "ahead",
        (true, false) => "behind",
        (false, false) => "diverged",
    };
    let commits: Vec<&Commit> = ahead.iter().filter_map(|sha| repository.commit(sha)).collect();
    let mut paths: Vec<&str> = Vec::new();
    for path in commits.iter().flat_map(|commit| &commit.files) {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    let page = super::Page::of(request);
    let shown: Vec<Value> = page
        .range(commits.len())
        .map(|index| commit(place, commits[index]))
        .collect();
    // Only the first page carries the files.
    let files: Vec<Value> = if page.number == 1 {
        paths
            .iter()
            .take(FILES_SHOWN)
            .map(|path| file(place, &head.sha, path))
            .collect()
    } else {
        Vec::new()
    };
    let merge_base = repository.commit(merge_base).ok_or_else(not_found)?;
    let (web, address) = (
        format!("{}/compare/{range}", place.web()),
        format!("{}/compare/{range}", place.api()),
    );
    let body = json!({
        "url": address,
        "html_url": web,
        "permalink_url": web,
        "diff_url": format!("{web}.diff"),
        "patch_url": format!("{web}.patch"),
        "base_commit": commit(place, base),
        "merge_base_commit": commit(place, merge_base),
        "status": status,
        "ahead_by": ahead.len(),
        "behind_by": behind,
        "total_commits": ahead.len(),
        "commits": shown,
        "files": files,
    });
    let response = Response::json(200, &repository.compare.apply(body));
    Ok(page.linked(place.world, request, commits.len(), response))
}

/// A commit and all its ancestors, nearest first.
pub fn ancestors<'r>(repository: &'r Repository, sha: &'r str) -> Vec<&'r str> {
    let mut seen: Vec<&str> = vec![sha];
    let mut index = 0;
    while let Some(&next) = seen.get(index) {
        for parent in repository
            .commit(next)
            .into_iter()
            .flat_map(|commit| &commit.parents)
        {
            if !seen.contains(&parent.as_str()) {
                seen.push(parent);
            }
        }
        index += 1;
    }
    seen
}

/// The answer of `activity`, newest first, cursor-paged as GitHub does it.
pub fn activity(place: Place<'_>, request: &Request) -> Answer {
    let wanted = request.parameter("ref").map(|name| {
        if name.starts_with("refs/") {
            name.to_owned()
        } else {
            format!("refs/heads/{name}")
        }
    });
    let kind = request.parameter("activity_type");
    let mut entries: Vec<_> = place
        .repository
        .activity
        .iter()
        .filter(|entry| wanted.as_ref().is_none_or(|name| *name == entry.reference))
        .filter(|entry| kind.is_none_or(|kind| kind == entry.kind))
        .collect();
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.at, entry.id)));
    let size = request
        .parameter("per_page")
        .and_then(|size| size.parse().ok())
        .unwrap_or(30_usize)
        .clamp(1, 100);
    let start = request
        .parameter("after")
        .and_then(|cursor| cursor.parse().ok())
        .unwrap_or(0_usize);
    let shown: Vec<Value> = entries
        .iter()
        .skip(start)
        .take(size)
        .map(|entry| {
            entry.overrides.apply(json!({
                "id": entry.id,
                "node_id": format!("PSH_kwDO{}", entry.id),
                "before": entry.before,
                "after": entry.after,
                "ref": entry.reference,
                "timestamp": iso(entry.at),
                "activity_type": entry.kind,
                "actor": accounts::user(place.world, entry.actor.as_ref()),
            }))
        })
        .collect();
    let next = start + shown.len();
    let response = Response::json(200, &Value::Array(shown));
    if next >= entries.len() {
        return Ok(response);
    }
    let mut address = format!("{}{}?", place.world.api(), request.path);
    for (name, value) in request
        .query
        .iter()
        .filter(|(name, _)| name != "after" && name != "before")
    {
        address.push_str(&format!("{name}={}&", super::encode(value)));
    }
    Ok(response.with("Link", format!("<{address}after={next}>; rel=\"next\"")))
}
