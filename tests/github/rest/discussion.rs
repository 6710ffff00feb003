//! Issue comments, reviews, review comments and reactions: reading them, and the two POSTs of the review loop.

use serde_json::{Value, json};

use super::{Answer, Place, accounts, not_found, paged, unprocessable};
use crate::github::http::{Request, Response};
use crate::github::time::{iso, now};
use crate::github::world::{IssueComment, Overrides, Pull, Reaction, Review, ReviewComment, Thread, World};

/// GitHub accepts no longer body.
const LONGEST_BODY: usize = 65_536;

/// The answer of `issues/NUMBER/comments`.
pub fn issue_comments(place: Place<'_>, request: &Request, pull: Option<&Pull>) -> Answer {
    let pull = pull.ok_or_else(not_found)?;
    let mut comments: Vec<&IssueComment> = pull.comments.iter().collect();
    comments.sort_by_key(|comment| (comment.created_at, comment.id));
    Ok(paged(place, request, comments.len(), |index| {
        issue_comment(place, pull, comments[index])
    }))
}

/// The answer of `issues/comments/ID`.
pub fn issue_comment_by_id(place: Place<'_>, id: &str) -> Answer {
    let (pull, comment) = find_comment(place, id).ok_or_else(not_found)?;
    Ok(Response::json(200, &issue_comment(place, pull, comment)))
}

/// The answer of `issues/comments/ID/reactions`.
pub fn issue_comment_reactions(place: Place<'_>, request: &Request, id: &str) -> Answer {
    let (_, comment) = find_comment(place, id).ok_or_else(not_found)?;
    Ok(reactions(place, request, &comment.reactions))
}

/// The answer of `issues/NUMBER/reactions`.
pub fn body_reactions(place: Place<'_>, request: &Request, pull: Option<&Pull>) -> Answer {
    Ok(reactions(place, request, &pull.ok_or_else(not_found)?.reactions))
}

/// The answer of `pulls/NUMBER/reviews`.
pub fn reviews(place: Place<'_>, request: &Request, pull: Option<&Pull>) -> Answer {
    let pull = pull.ok_or_else(not_found)?;
    Ok(paged(place, request, pull.reviews.len(), |index| {
        review(place, pull, &pull.reviews[index])
    }))
}

/// The answer of `pulls/NUMBER/reviews/ID/comments`.
pub fn comments_of_review(place: Place<'_>, request: &Request, pull: Option<&Pull>, id: &str) -> Answer {
    let pull = pull.ok_or_else(not_found)?;
    let id: u64 = id.parse().map_err(|_| not_found())?;
    if !pull.reviews.iter().any(|review| review.id == id) {
        return Err(not_found());
    }
    let mut comments = all_comments(pull);
    comments.retain(|(_, comment)| comment.review == Some(id) && !comment.lags_in_review);
    Ok(paged(place, request, comments.len(), |index| {
        let (thread, comment) = comments[index];
        review_comment(place, pull, thread, comment, false)
    }))
}

/// The answer of `pulls/NUMBER/comments`.
pub fn review_comments(place: Place<'_>, request: &Request, pull: Option<&Pull>) -> Answer {
    let pull = pull.ok_or_else(not_found)?;
    let comments = visible_comments(pull);
    Ok(paged(place, request, comments.len(), |index| {
        let (thread, comment) = comments[index];
        review_comment(place, pull, thread, comment, true)
    }))
}

/// The answer of `pulls/comments/ID`.
pub fn review_comment_by_id(place: Place<'_>, id: &str) -> Answer {
    let (pull, thread, comment) = find_review_comment(place, id).ok_or_else(not_found)?;
    Ok(Response::json(
        200,
        &review_comment(place, pull, thread, comment, true),
    ))
}

/// The answer of `pulls/comments/ID/reactions`.
pub fn review_comment_reactions(place: Place<'_>, request: &Request, id: &str) -> Answer {
    let (_, _, comment) = find_review_comment(place, id).ok_or_else(not_found)?;
    Ok(reactions(place, request, &comment.reactions))
}

/// `POST issues/NUMBER/comments`.
pub fn post_issue_comment(world: &mut World, repository: usize, number: &str, text: Option<&str>) -> Answer {
    let pull = number
        .parse()
        .ok()
        .and_then(|number| world.repositories[repository].pull_index(number));
    let pull = pull.ok_or_else(not_found)?;
    let text = acceptable(text)?;
    let id = add_issue_comment(world, repository, pull, text);
    let place = Place {
        world,
        repository: &world.repositories[repository],
    };
    let pull = &place.repository.pulls[pull];
    let comment = pull
        .comments
        .iter()
        .find(|comment| comment.id == id)
        .ok_or_else(not_found)?;
    let rendered = issue_comment(place, pull, comment);
    let address = rendered["url"].as_str().unwrap_or_default().to_owned();
    Ok(Response::json(201, &rendered).with("Location", address))
}

/// Puts a comment by the viewer into the world, as both APIs do.
pub fn add_issue_comment(world: &mut World, repository: usize, pull: usize, text: &str) -> u64 {
    let id = world.next_id();
    let (author, at) = (world.viewer.clone(), now());
    let pull = &mut world.repositories[repository].pulls[pull];
    pull.updated_at = at;
    pull.comments.push(IssueComment {
        id,
        author: Some(author),
        association: "MEMBER".to_owned(),
        body: text.to_owned(),
        created_at: at,
        updated_at: at,
        last_edited_at: None,
        editor: None,
        via_app: None,
        minimized: None,
        reactions: Vec::new(),
        overrides: Overrides::default(),
    });
    id
}

/// `POST pulls/NUMBER/comments/ID/replies`; GitHub answers 404 for a reply's own id.
pub fn post_reply(
    world: &mut World,
    repository: usize,
    number: &str,
    id: &str,
    text: Option<&str>,
) -> Answer {
    let pull = number
        .parse()
        .ok()
        .and_then(|number| world.repositories[repository].pull_index(number));
    let pull = pull.ok_or_else(not_found)?;
    let root: u64 = id.parse().map_err(|_| not_found())?;
    let threads = &world.repositories[repository].pulls[pull].threads;
    let thread = threads
        .iter()
        .position(|thread| thread.comments.first().is_some_and(|first| first.id == root));
    let thread = thread.ok_or_else(not_found)?;
    let text = acceptable(text)?;
    add_reply(world, repository, pull, thread, text);
    let place = Place {
        world,
        repository: &world.repositories[repository],
    };
    let pull = &place.repository.pulls[pull];
    let thread = &pull.threads[thread];
    let comment = thread.comments.last().ok_or_else(not_found)?;
    Ok(Response::json(
        201,
        &review_comment(place, pull, thread, comment, true),
    ))
}

/// Puts a reply by the viewer into a thread, with the review of its own that GitHub makes.
pub fn add_reply(world: &mut World, repository: usize, pull: usize, thread: usize, text: &str) -> u64 {
    let (review, id) = (world.next_id(), world.next_id());
    let (author, at) = (world.viewer.clone(), now());
    let pull = &mut world.repositories[repository].pulls[pull];
    let root = pull.threads[thread].comments[0].clone();
    pull.updated_at = at;
    pull.reviews.push(Review {
        id: review,
        author: Some(author.clone()),
        association: "MEMBER".to_owned(),
        state: "COMMENTED".to_owned(),
        body: String::new(),
        commit: pull.head_oid.clone(),
        submitted_at: at,
        last_edited_at: None,
        editor: None,
        overrides: Overrides::default(),
    });
    pull.threads[thread].comments.push(ReviewComment {
        id,
        review: Some(review),
        author: Some(author),
        association: "MEMBER".to_owned(),
        body: text.to_owned(),
        created_at: at,
        updated_at: at,
        last_edited_at: None,
        editor: None,
        reactions: Vec::new(),
        lags_in_rest: false,
        lags_in_review: false,
        overrides: Overrides::default(),
        ..root
    });
    id
}

fn acceptable(text: Option<&str>) -> Result<&str, Response> {
    match text {
        None => Err(unprocessable("Invalid request.\n\n\"body\" wasn't supplied.")),
        Some(text) if text.trim().is_empty() => Err(unprocessable("Validation Failed: Body can't be blank")),
        Some(text) if text.chars().count() > LONGEST_BODY => Err(unprocessable(
            "Validation Failed: Body is too long (maximum is 65536 characters)",
        )),
        Some(text) => Ok(text),
    }
}

fn find_comment<'w>(place: Place<'w>, id: &str) -> Option<(&'w Pull, &'w IssueComment)> {
    let id: u64 = id.parse().ok()?;
    let pulls = place.repository.pulls.iter();
    pulls
        .flat_map(|pull| pull.comments.iter().map(move |comment| (pull, comment)))
        .find(|(_, c)| c.id == id)
}

fn find_review_comment<'w>(place: Place<'w>, id: &str) -> Option<(&'w Pull, &'w Thread, &'w ReviewComment)> {
    let id: u64 = id.parse().ok()?;
    let pulls = place.repository.pulls.iter();
    pulls
        .flat_map(|pull| {
            visible_comments(pull)
                .into_iter()
                .map(move |(thread, comment)| (pull, thread, comment))
        })
        .find(|(_, _, comment)| comment.id == id)
}

fn visible_comments(pull: &Pull) -> Vec<(&Thread, &ReviewComment)> {
    let mut comments = all_comments(pull);
    comments.retain(|(_, comment)| !comment.lags_in_rest);
    comments
}

fn all_comments(pull: &Pull) -> Vec<(&Thread, &ReviewComment)> {
    let mut comments: Vec<_> = pull
        .threads
        .iter()
        .flat_map(|thread| thread.comments.iter().map(move |comment| (thread, comment)))
        .collect();
    comments.sort_by_key(|(_, comment)| (comment.created_at, comment.id));
    comments
}

fn reactions(place: Place<'_>, request: &Request, reactions: &[Reaction]) -> Response {
    let wanted = request.parameter("content");
    let shown: Vec<&Reaction> = reactions
        .iter()
        .filter(|reaction| wanted.is_none_or(|content| content == reaction.content))
        .collect();
    paged(place, request, shown.len(), |index| {
        let reaction = shown[index];
        reaction.overrides.apply(json!({
            "id": reaction.id,
            "node_id": format!("REA_kwDO{}", reaction.id),
            "user": accounts::reaction_user(place.world, reaction.user.as_ref()),
            "content": reaction.content,
            "created_at": iso(reaction.created_at),
        }))
    })
}

/// The `reactions` counters inside a comment.
fn rollup(address: &str, reactions: &[Reaction]) -> Value {
    let mut counters = json!({ "url": format!("{address}/reactions"), "total_count": reactions.len() });
    for content in [
        "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes",
    ] {
        counters[content] = json!(
            reactions
                .iter()
                .filter(|reaction| reaction.content == content)
                .count()
        );
    }
    counters
}

/// The `issue-comment` object.
pub fn issue_comment(place: Place<'_>, pull: &Pull, comment: &IssueComment) -> Value {
    let address = format!("{}/issues/comments/{}", place.api(), comment.id);
    comment.overrides.apply(json!({
        "id": comment.id,
        "node_id": format!("IC_kwDO{}", comment.id),
        "url": address,
        "html_url": format!("{}/pull/{}#issuecomment-{}", place.web(), pull.number, comment.id),
        "issue_url": format!("{}/issues/{}", place.api(), pull.number),
        "body": comment.body,
        "user": accounts::user(place.world, comment.author.as_ref()),
        "created_at": iso(comment.created_at),
        "updated_at": iso(comment.updated_at),
        "author_association": comment.association,
        "performed_via_github_app": accounts::app(place.world, comment.via_app.as_ref()),
        "reactions": rollup(&address, &comment.reactions),
    }))
}

/// The `pull-request-review` object.
pub fn review(place: Place<'_>, pull: &Pull, review: &Review) -> Value {
    let address = format!("{}/pulls/{}", place.api(), pull.number);
    let page = format!(
        "{}/pull/{}#pullrequestreview-{}",
        place.web(),
        pull.number,
        review.id
    );
    review.overrides.apply(json!({
        "id": review.id,
        "node_id": format!("PRR_kwDO{}", review.id),
        "user": accounts::user(place.world, review.author.as_ref()),
        "body": review.body,
        "state": review.state,
        "html_url": page,
        "pull_request_url": address,
        "_links": { "html": { "href": page }, "pull_request": { "href": address } },
        "submitted_at": iso(review.submitted_at),
        "commit_id": review.commit,
        "author_association": review.association,
    }))
}

/// A review comment; the list of one review carries no line numbers.
fn review_comment(
    place: Place<'_>,
    pull: &Pull,
    thread: &Thread,
    comment: &ReviewComment,
    lines: bool,
) -> Value {
    let address = format!("{}/pulls/comments/{}", place.api(), comment.id);
    let pull_address = format!("{}/pulls/{}", place.api(), pull.number);
    let page = format!("{}/pull/{}#discussion_r{}", place.web(), pull.number, comment.id);
    let current = if thread.outdated {
        Value::Null
    } else {
        json!(thread.line)
    };
    let mut rendered = json!({
        "url": address,
        "pull_request_review_id": comment.review,
        "id": comment.id,
        "node_id": format!("PRRC_kwDO{}", comment.id),
        "diff_hunk": "@@ -1,3 +1,4 @@\n fn main() {}",
        "path": thread.path,
        "position": if thread.outdated { Value::Null } else { json!(1) },
        "original_position": 1,
        "commit_id": comment.commit,
        "original_commit_id": comment.original_commit,
        "user": accounts::user(place.world, comment.author.as_ref()),
        "body": comment.body,
        "created_at": iso(comment.created_at),
        "updated_at": iso(comment.updated_at),
        "html_url": page,
        "pull_request_url": pull_address,
        "author_association": comment.association,
        "_links": {
            "self": { "href": address },
            "html": { "href": page },
            "pull_request": { "href": pull_address },
        },
        "reactions": rollup(&address, &comment.reactions),
    });
    if lines {
        for (field, value) in [
            ("line", current),
            ("original_line", json!(thread.line)),
            ("start_line", Value::Null),
            ("original_start_line", Value::Null),
            ("start_side", Value::Null),
            ("side", json!("RIGHT")),
            (
                "subject_type",
                json!(if thread.line.is_some() { "line" } else { "file" }),
            ),
        ] {
            rendered[field] = value;
        }
    }
    if let Some(root) = thread.comments.first().filter(|root| root.id != comment.id) {
        rendered["in_reply_to_id"] = json!(root.id);
    }
    comment.overrides.apply(rendered)
}
