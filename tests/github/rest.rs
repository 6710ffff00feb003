//! REST answers rendered from the [`World`](super::world::World): routing, pagination and GitHub's error objects.

pub(super) mod accounts;
pub(super) mod checks;
pub(super) mod commits;
pub(super) mod discussion;
mod pulls;
mod releases;
mod repositories;
mod timeline;

use std::sync::Arc;

use serde_json::{Value, json};

use super::http::{Request, Response};
use super::time::iso;
use super::world::{Pull, Repository, World};

/// What a route answers: an answer, or GitHub's error.
pub(super) type Answer = Result<Response, Response>;

/// One repository and the world around it, which rendering needs for hosts and links.
#[derive(Clone, Copy)]
pub(super) struct Place<'w> {
    world: &'w World,
    repository: &'w Repository,
}

impl Place<'_> {
    /// Address of the repository in the API.
    fn api(&self) -> String {
        format!("{}/repos/{}", self.world.api(), self.repository.full_name())
    }

    /// Address of the repository for people.
    fn web(&self) -> String {
        format!("{}/{}", self.world.web(), self.repository.full_name())
    }
}

/// Answers a request; none when the loopback has no such route.
pub fn answer(world: &mut Arc<World>, request: &Request) -> Option<Response> {
    let segments: Vec<&str> = request
        .path
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    let answer = match (request.method.as_str(), segments.as_slice()) {
        ("POST", ["repos", owner, name, rest @ ..]) => write(world, request, (owner, name), rest)?,
        ("GET" | "HEAD", rest) => read(world, request, rest)?,
        _ => return None,
    };
    let response = answer.unwrap_or_else(|error| error);
    Some(with_common_headers(response, world))
}

/// The headers that GitHub sends with every answer.
pub fn with_common_headers(response: Response, world: &World) -> Response {
    let rate = &world.rate;
    response
        .with("X-GitHub-Media-Type", "github.v3; format=json")
        .with("X-RateLimit-Limit", rate.limit)
        .with("X-RateLimit-Remaining", rate.remaining)
        .with("X-RateLimit-Reset", rate.reset)
        .with("X-RateLimit-Used", rate.limit.saturating_sub(rate.remaining))
        .with("X-RateLimit-Resource", "core")
        .with("X-OAuth-Scopes", "gist, read:org, repo, workflow")
}

fn read(world: &World, request: &Request, segments: &[&str]) -> Option<Answer> {
    match segments {
        ["user"] => Some(Ok(Response::json(200, &accounts::viewer(world)))),
        ["rate_limit"] => Some(Ok(Response::json(200, &accounts::rate_limit(world)))),
        ["repos", owner, name, rest @ ..] => {
            let Some(index) = world.repository_index(owner, name) else {
                return Some(Err(not_found()));
            };
            read_repository(
                Place {
                    world,
                    repository: &world.repositories[index],
                },
                request,
                rest,
            )
        }
        _ => None,
    }
}

fn read_repository(place: Place<'_>, request: &Request, segments: &[&str]) -> Option<Answer> {
    let repository = place.repository;
    Some(match segments {
        [] => Ok(Response::json(200, &repositories::full(place))),
        ["issues", "comments", id] => discussion::issue_comment_by_id(place, id),
        ["issues", "comments", id, "reactions"] => discussion::issue_comment_reactions(place, request, id),
        ["pulls", "comments", id] => discussion::review_comment_by_id(place, id),
        ["pulls", "comments", id, "reactions"] => discussion::review_comment_reactions(place, request, id),
        ["issues", number, "comments"] => {
            discussion::issue_comments(place, request, pull(repository, number))
        }
        ["issues", number, "reactions"] => {
            discussion::body_reactions(place, request, pull(repository, number))
        }
        ["issues", number, "timeline"] => timeline::timeline(place, request, pull(repository, number)),
        ["issues", number, "events"] => timeline::events(place, request, pull(repository, number)),
        ["pulls"] => pulls::list(place, request),
        ["pulls", number] => pulls::one(place, pull(repository, number)),
        ["pulls", number, "commits"] => pulls::commits(place, request, pull(repository, number)),
        ["pulls", number, "files"] => pulls::files(place, request, pull(repository, number)),
        ["pulls", number, "reviews"] => discussion::reviews(place, request, pull(repository, number)),
        ["pulls", number, "reviews", id, "comments"] => {
            discussion::comments_of_review(place, request, pull(repository, number), id)
        }
        ["pulls", number, "comments"] => {
            discussion::review_comments(place, request, pull(repository, number))
        }
        ["commits", reference, "check-runs"] => checks::runs(place, request, reference),
        ["commits", reference, "check-suites"] => checks::suites(place, request, reference),
        ["commits", reference, "statuses"] => checks::statuses(place, request, reference),
        ["commits", reference, "status"] => checks::combined_status(place, request, reference),
        ["commits", reference @ ..] if !reference.is_empty() => commits::one(place, &reference.join("/")),
        ["compare", range @ ..] if !range.is_empty() => commits::compare(place, request, &range.join("/")),
        ["activity"] => commits::activity(place, request),
        ["rules", "branches", branch @ ..] if !branch.is_empty() => {
            repositories::rules(place, request, &branch.join("/"))
        }
        ["branches", branch @ .., "protection"] if !branch.is_empty() => {
            Err(Response::message(404, "Branch not protected"))
        }
        ["branches", branch @ ..] if !branch.is_empty() => repositories::branch(place, &branch.join("/")),
        ["releases", "latest"] => releases::latest(place),
        ["releases", "tags", tag] => releases::tagged(place, tag),
        ["releases", "assets", id] => releases::asset(place, request, id),
        ["contents", ..] => Err(not_found()),
        _ => return None,
    })
}

fn write(
    world: &mut Arc<World>,
    request: &Request,
    (owner, name): (&str, &str),
    segments: &[&str],
) -> Option<Answer> {
    let Some(index) = world.repository_index(owner, name) else {
        return Some(Err(not_found()));
    };
    let text = request.body.get("body").and_then(Value::as_str);
    match segments {
        ["issues", number, "comments"] => Some(discussion::post_issue_comment(
            Arc::make_mut(world),
            index,
            number,
            text,
        )),
        ["pulls", number, "comments", id, "replies"] => Some(discussion::post_reply(
            Arc::make_mut(world),
            index,
            number,
            id,
            text,
        )),
        ["statuses", sha] => Some(checks::post_status(
            Arc::make_mut(world),
            index,
            sha,
            &request.body,
        )),
        _ => None,
    }
}

/// GitHub's answer for whatever it does not have or does not show.
pub fn not_found() -> Response {
    Response::message(404, "Not Found")
}

fn unprocessable(message: &str) -> Response {
    Response::message(422, message)
}

fn pull<'r>(repository: &'r Repository, number: &str) -> Option<&'r Pull> {
    let number: u64 = number.parse().ok()?;
    repository
        .pull_index(number)
        .map(|index| &repository.pulls[index])
}

/// One page of an array answer, with GitHub's `Link` header.
fn paged(place: Place<'_>, request: &Request, total: usize, item: impl Fn(usize) -> Value) -> Response {
    let page = Page::of(request);
    let items: Vec<Value> = page.range(total).map(item).collect();
    page.linked(
        place.world,
        request,
        total,
        Response::json(200, &Value::Array(items)),
    )
}

/// One page of an object answer, such as `{"total_count": …, "check_runs": […]}`.
fn paged_object(
    place: Place<'_>,
    request: &Request,
    name: &str,
    total: usize,
    item: impl Fn(usize) -> Value,
) -> Response {
    let page = Page::of(request);
    let items: Vec<Value> = page.range(total).map(item).collect();
    let body = json!({ "total_count": total, name: items });
    page.linked(place.world, request, total, Response::json(200, &body))
}

struct Page {
    number: usize,
    size: usize,
}

impl Page {
    fn of(request: &Request) -> Self {
        let parameter = |name| {
            request
                .parameter(name)
                .and_then(|value| value.parse::<usize>().ok())
        };
        Self {
            number: parameter("page").unwrap_or(1).max(1),
            size: parameter("per_page").unwrap_or(30).clamp(1, 100),
        }
    }

    fn range(&self, total: usize) -> std::ops::Range<usize> {
        let start = ((self.number - 1) * self.size).min(total);
        start..(start + self.size).min(total)
    }

    fn linked(&self, world: &World, request: &Request, total: usize, response: Response) -> Response {
        let last = total.div_ceil(self.size).max(1);
        let address = |page: usize| {
            let mut address = format!("{}{}?", world.api(), request.path);
            for (name, value) in request.query.iter().filter(|(name, _)| name != "page") {
                address.push_str(&format!("{name}={}&", encode(value)));
            }
            format!("<{address}page={page}>")
        };
        let mut links = Vec::new();
        if self.number > 1 {
            links.push(format!("{}; rel=\"prev\"", address(self.number - 1)));
        }
        if self.number < last {
            links.push(format!("{}; rel=\"next\"", address(self.number + 1)));
            links.push(format!("{}; rel=\"last\"", address(last)));
        }
        if self.number > 1 {
            links.push(format!("{}; rel=\"first\"", address(1)));
        }
        if links.is_empty() {
            response
        } else {
            response.with("Link", links.join(", "))
        }
    }
}

/// Percent-encodes what may not stand in a query value.
fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

fn optional_time(time: Option<super::time::Time>) -> Value {
    time.map_or(Value::Null, |time| Value::String(iso(time)))
}
