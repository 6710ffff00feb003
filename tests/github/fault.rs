//! Faults on demand: which request ([`Match`]) and what happens to it ([`Rule`]).
//!
//! Rules are looked at in the order in which they were added. Delays, hooks and holds add up; the first rule that decides
//! the answer wins. A rule counts the requests that fit it: `.nth(2)` acts on the second one only, `.from(2)` on the
//! second and all later ones, without either it acts on all.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use apollo_compiler::response::JsonValue;

use super::http::{Request, Response};
use super::world::World;

/// Longest wait for anything in a test: far longer than it takes, so that only a fault of the product ends it.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Which requests a rule is about.
#[derive(Clone, Debug, Default)]
pub struct Match {
    method: Option<&'static str>,
    path: Option<String>,
    graphql: Option<String>,
    write: Option<bool>,
    page: Option<usize>,
    from: usize,
    upto: usize,
}

impl Match {
    fn new() -> Self {
        Self {
            from: 1,
            upto: usize::MAX,
            ..Self::default()
        }
    }

    /// Every request.
    pub fn any() -> Self {
        Self::new()
    }

    /// A REST read; `*` in the path stands for one or more characters: `Match::get("*/issues/42/comments")`.
    pub fn get(path: &str) -> Self {
        Self {
            method: Some("GET"),
            path: Some(path.to_owned()),
            ..Self::new()
        }
    }

    /// A REST write.
    pub fn post(path: &str) -> Self {
        Self {
            method: Some("POST"),
            path: Some(path.to_owned()),
            ..Self::new()
        }
    }

    /// A GraphQL request whose operation has this name or whose document contains this text.
    pub fn graphql(text: &str) -> Self {
        Self {
            graphql: Some(text.to_owned()),
            ..Self::new()
        }
    }

    /// Every write: a REST POST or a GraphQL mutation.
    pub fn write() -> Self {
        Self {
            write: Some(true),
            ..Self::new()
        }
    }

    /// Every read, REST or GraphQL.
    pub fn read() -> Self {
        Self {
            write: Some(false),
            ..Self::new()
        }
    }

    /// Only this page. GraphQL: 1 without a cursor variable, 2 with one.
    pub fn page(mut self, page: usize) -> Self {
        self.page = Some(page);
        self
    }

    /// Only the nth request that fits, counted from 1.
    pub fn nth(mut self, nth: usize) -> Self {
        (self.from, self.upto) = (nth, nth);
        self
    }

    /// The nth request that fits and all later ones.
    pub fn from(mut self, nth: usize) -> Self {
        (self.from, self.upto) = (nth, usize::MAX);
        self
    }

    /// Only the first so many requests that fit.
    pub fn times(mut self, times: usize) -> Self {
        self.upto = self.from + times - 1;
        self
    }

    /// Whether the request fits, whatever number it has.
    pub fn accepts(&self, request: &Request) -> bool {
        let path = self
            .path
            .as_ref()
            .is_none_or(|pattern| glob(pattern, &request.path));
        let method = self.method.is_none_or(|method| method == request.method);
        let graphql = self.graphql.as_ref().is_none_or(|text| {
            request.is_graphql()
                && (request.operation().as_ref() == Some(text)
                    || request.graphql_text().contains(text.as_str()))
        });
        path && method
            && graphql
            && self.write.is_none_or(|write| write == request.is_write())
            && self.page.is_none_or(|page| page == request.page())
    }
}

fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let tail: Vec<&str> = parts.collect();
    let Some((last, middle)) = tail.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some(found) = rest.find(part) else {
            return false;
        };
        rest = &rest[found + part.len()..];
    }
    rest.ends_with(last)
}

type Hook = Box<dyn Fn(&mut World) + Send + Sync>;
type Edit = Box<dyn Fn(&mut JsonValue) + Send + Sync>;
type Rewrite = Box<dyn Fn(Response) -> Response + Send + Sync>;

/// What a rule does.
pub(super) enum Action {
    Delay(Duration),
    Before(Hook),
    After(Hook),
    Hold(Hold),
    HoldAfter(Hold),
    Answer(Response),
    Rewrite(Rewrite),
    Hang,
    Drop,
    DropMidBody,
    ApplyThenDrop,
    ApplyThen(Response),
    ApplyLate(Duration, Option<Response>),
}

/// One rule with its counter.
pub(super) struct Rule {
    when: Match,
    pub(super) action: Action,
    seen: AtomicUsize,
}

impl Rule {
    pub(super) fn new(when: Match, action: Action) -> Self {
        Self {
            when,
            action,
            seen: AtomicUsize::new(0),
        }
    }

    /// Counts the request when it fits and says whether to act on it.
    pub(super) fn takes(&self, request: &Request) -> bool {
        if !self.when.accepts(request) {
            return false;
        }
        let seen = self.seen.fetch_add(1, Ordering::SeqCst) + 1;
        (self.when.from..=self.when.upto).contains(&seen)
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:?}, seen {}",
            self.when,
            self.seen.load(Ordering::SeqCst)
        )
    }
}

/// A request held by the server until the test lets it go.
#[derive(Clone, Default)]
pub struct Hold(Arc<(Mutex<Held>, Condvar)>);

#[derive(Default)]
struct Held {
    arrived: usize,
    released: bool,
}

impl Hold {
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn arrive(&self) {
        let mut held = self.lock();
        held.arrived += 1;
        self.0.1.notify_all();
        while !held.released {
            held = self.0.1.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until a request stands here; panics when none comes.
    pub fn wait(&self) {
        self.wait_for(1);
    }

    /// Waits until so many requests stand here.
    pub fn wait_for(&self, count: usize) {
        let deadline = Instant::now() + PATIENCE;
        let mut held = self.lock();
        while held.arrived < count {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "only {} of {count} awaited requests arrived",
                held.arrived
            );
            held = self
                .0
                .1
                .wait_timeout(held, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Whether a request has arrived.
    pub fn has_arrived(&self) -> bool {
        self.lock().arrived > 0
    }

    /// Lets every request that stands here, and every later one, go on.
    pub fn release(&self) {
        self.lock().released = true;
        self.0.1.notify_all();
    }
}

/// Says what happens to the requests that fit; made by [`Github::on`](super::Github::on).
#[must_use = "a fault does nothing until one of its methods is called"]
pub struct Fault<'g> {
    pub(super) add: Box<dyn Fn(Rule) + 'g>,
    pub(super) when: Match,
}

impl Fault<'_> {
    fn act(self, action: Action) {
        (self.add)(Rule::new(self.when, action));
    }

    /// Answers with this and does not touch the world.
    pub fn answer(self, response: Response) {
        self.act(Action::Answer(response));
    }

    /// Answers with GitHub's error object.
    pub fn status(self, status: u16, message: &str) {
        self.answer(Response::message(status, message));
    }

    /// Answers 502 with an HTML page.
    pub fn bad_gateway(self) {
        self.answer(Response::html(502));
    }

    /// A primary rate limit: 403 with the headers and the reset time, Unix seconds.
    pub fn rate_limited(self, reset: i64) {
        let message = "API rate limit exceeded for user ID 1001.";
        self.answer(
            Response::message(403, message)
                .with("X-RateLimit-Limit", 5000)
                .with("X-RateLimit-Remaining", 0)
                .with("X-RateLimit-Used", 5000)
                .with("X-RateLimit-Reset", reset)
                .with("X-RateLimit-Resource", "core"),
        );
    }

    /// A secondary rate limit, with or without `Retry-After` in seconds.
    pub fn secondary_limited(self, status: u16, retry_after: Option<u64>) {
        let message =
            "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
        let response = Response::message(status, message);
        self.answer(match retry_after {
            Some(seconds) => response.with("Retry-After", seconds),
            None => response,
        });
    }

    /// GraphQL 200 with `errors` of this type and no data.
    pub fn graphql_error(self, kind: &str, message: &str) {
        let body = serde_json::json!({ "errors": [{ "type": kind, "message": message }] });
        self.answer(Response::json(200, &body));
    }

    /// GraphQL 200 with the data and, beside it, an error of this type.
    pub fn graphql_partial(self, kind: &str, message: &str) {
        let error = serde_json::json!([{ "type": kind, "message": message, "path": [] }]);
        self.edit(move |body| {
            if let Some(object) = body.as_object_mut() {
                object.insert("errors", JsonValue::from(error.clone()));
            }
        });
    }

    /// Changes the JSON of the true answer; the order of fields stays.
    pub fn edit(self, edit: impl Fn(&mut JsonValue) + Send + Sync + 'static) {
        let edit: Edit = Box::new(edit);
        self.rewrite(move |mut response| {
            let mut body: JsonValue = serde_json::from_slice(&response.body).unwrap_or_default();
            edit(&mut body);
            response.body = serde_json::to_vec(&body).unwrap_or_default();
            response
        });
    }

    /// Changes the text of the true answer.
    pub fn edit_text(self, edit: impl Fn(String) -> String + Send + Sync + 'static) {
        self.rewrite(move |mut response| {
            response.body = edit(String::from_utf8_lossy(&response.body).into_owned()).into_bytes();
            response
        });
    }

    /// Changes the true answer in any way.
    pub fn rewrite(self, rewrite: impl Fn(Response) -> Response + Send + Sync + 'static) {
        self.act(Action::Rewrite(Box::new(rewrite)));
    }

    /// 200 with the first two thirds of the true body, as if it were whole.
    pub fn truncate(self) {
        self.rewrite(|mut response| {
            response.body.truncate(response.body.len() * 2 / 3);
            response
        });
    }

    /// The true answer without a `Link` header.
    pub fn without_link(self) {
        self.rewrite(|response| response.without("Link"));
    }

    /// The true answer with a `Link` that names the page itself as the next one, for ever.
    pub fn self_link(self, address: &str) {
        let link = format!("<{address}>; rel=\"next\"");
        self.rewrite(move |response| response.without("Link").with("Link", &link));
    }

    /// The true answer with every `pageInfo` gone.
    pub fn without_page_info(self) {
        self.edit(|body| walk(body, &|object| drop(object.remove("pageInfo"))));
    }

    /// The true answer with every `pageInfo` saying that there is more, after this same cursor, for ever.
    pub fn repeat_cursor(self, cursor: &str) {
        let cursor = cursor.to_owned();
        self.edit(move |body| {
            walk(body, &|object| {
                if let Some(info) = object.get_mut("pageInfo").and_then(JsonValue::as_object_mut) {
                    info.insert("hasNextPage", JsonValue::Bool(true));
                    info.insert("endCursor", JsonValue::from(cursor.as_str()));
                }
            });
        });
    }

    /// Waits before answering.
    pub fn delay(self, delay: Duration) {
        self.act(Action::Delay(delay));
    }

    /// Never answers, until the test ends.
    pub fn hang(self) {
        self.act(Action::Hang);
    }

    /// Closes the connection without answering and without doing anything.
    pub fn drop_connection(self) {
        self.act(Action::Drop);
    }

    /// Sends the head and half of the body of the true answer, then closes.
    pub fn drop_mid_body(self) {
        self.act(Action::DropMidBody);
    }

    /// Does what was asked, then closes without answering.
    pub fn apply_then_drop(self) {
        self.act(Action::ApplyThenDrop);
    }

    /// Does what was asked, then answers with this instead.
    pub fn apply_then(self, response: Response) {
        self.act(Action::ApplyThen(response));
    }

    /// Answers with this, or closes without answering, and does what was asked only after a while.
    pub fn apply_late(self, after: Duration, answer: Option<Response>) {
        self.act(Action::ApplyLate(after, answer));
    }

    /// Changes the world just before the request is answered.
    pub fn before(self, change: impl Fn(&mut World) + Send + Sync + 'static) {
        self.act(Action::Before(Box::new(change)));
    }

    /// Changes the world just after the request was answered from it.
    pub fn after(self, change: impl Fn(&mut World) + Send + Sync + 'static) {
        self.act(Action::After(Box::new(change)));
    }

    /// Holds the request before anything is done, until [`Hold::release`].
    pub fn hold(self) -> Hold {
        let hold = Hold::default();
        self.act(Action::Hold(hold.clone()));
        hold
    }

    /// Does what was asked and holds the answer back, until [`Hold::release`].
    pub fn hold_answer(self) -> Hold {
        let hold = Hold::default();
        self.act(Action::HoldAfter(hold.clone()));
        hold
    }
}

fn walk(value: &mut JsonValue, change: &dyn Fn(&mut apollo_compiler::response::JsonMap)) {
    match value {
        JsonValue::Object(object) => {
            change(object);
            for (_, inner) in object.iter_mut() {
                walk(inner, change);
            }
        }
        JsonValue::Array(items) => {
            for item in items {
                walk(item, change);
            }
        }
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::String(_) => {}
    }
}
