//! A loopback GitHub for the real gh: HTTP on a unix socket, REST and GraphQL answers rendered from one typed world.
//!
//! ```ignore
//! let mut world = World::new();                       // octo/widgets on github.com, viewer ada
//! let mut pull = world.pull(42);                      // opened at 09:00 with one checked commit
//! let head = pull.head();
//! let trigger = pull.person_comment("@codex review", at("10:00"));
//! pull.react(trigger, connector(), "+1", at("10:04"));
//! let thread = pull.thread(connector(), &head, "src/lib.rs", 3, &finding("P1", "Keep the lock"), at("10:05"));
//! pull.comment_mut(trigger).overrides.rest(|json| json["id"] = "x".into());   // what GitHub should never answer
//! let github = Github::start(world);
//! github.on(Match::get("*/issues/42/comments").page(2)).bad_gateway();
//! let hold = github.on(Match::post("*/issues/42/comments")).hold();           // hold.wait(); …; hold.release();
//! github.on(Match::get("*/pulls/42").nth(2)).before(|world| { world.pull(42).push("new", now()); });
//! github.change(|world| world.pull(42).resolve(thread));
//! assert_eq!(github.log().gh_calls(), 7);
//! ```
//!
//! | where | what |
//! |---|---|
//! | [`world`] | the typed state; every field public; `Overrides` per item for answers no schema allows |
//! | [`builder`] | `world.pull(42)` and the sentences on it; `finding`, `announcement`, `clean_text`: the bot's texts |
//! | [`time`] | `at("10:00")` on a fixed day, `ago("5m")` before now, `World::opened(ago("3h"))` for a world of today |
//! | [`fault`] | `github.on(Match…)` and then one of `status`, `answer`, `rate_limited`, `hang`, `apply_then_drop`, `hold`, … |
//! | [`log`] | `github.log()`: requests, `gh_calls()`, `writes()`, `count(&Match…)` |
//! | [`http`] | `Response::json`, `message`, `html`, `empty` for prepared answers; `Request` in the log |
//!
//! A `Github` that is dropped fails the test when an unknown route, an unknown GraphQL field or an invalid query was
//! asked for, unless `expect_problems()` was called. `tests/loopback` proves the double itself against the real gh and
//! GitHub's OpenAPI description.
#![allow(
    dead_code,
    unused_imports,
    reason = "the benchmarks include this module too, and no binary uses all of it"
)]

pub mod builder;
pub mod fault;
mod graphql;
pub mod http;
pub mod log;
mod rest;
mod server;
pub mod time;
pub mod tools;
pub mod world;

pub use builder::{
    CommentId, PullHandle, ReactionId, ReviewCommentId, ReviewId, SuiteId, Target, ThreadId, announcement,
    clean_text, finding,
};
pub use fault::{Hold, Match, PATIENCE};
pub use http::{Request, Response};
pub use log::Log;
pub use server::Github;
pub use time::{Time, ago, at, iso, now, span};
pub use world::{
    Account, App, EventKind, PullState, World, actions_bot, ada, connector, grace, impostor, sha,
};
