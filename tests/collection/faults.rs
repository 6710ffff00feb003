//! Answers that are short, broken or endless although gh may call them a success: never a complete surface.

use crate::github::{Github, Match, Response, World, at, connector, finding};
use crate::product::Product;

use super::{count, status};

/// Two pages of comments, reviews, inline comments and threads.
fn two_pages() -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.person_comment("@codex review", at("10:00"));
    for place in 0..120 {
        pull.person_comment(&format!("Remark {place}"), at("10:01"));
        let review = pull.review(connector(), "COMMENTED", "", &head, at("10:05"));
        pull.thread_in(review, "src/lib.rs", place, &finding("P2", "Another"));
    }
    world
}

type Fault = fn(crate::github::fault::Fault<'_>);

#[test]
fn a_faulty_second_page_of_a_list() {
    let github = Github::start(two_pages());
    let product = Product::new(&github);
    let faults: [(&str, Fault, usize); 9] = [
        ("502 HTML", |fault| fault.bad_gateway(), 100),
        ("500 JSON", |fault| fault.status(500, "Server Error"), 100),
        ("404", |fault| fault.status(404, "Not Found"), 100),
        ("truncated", |fault| fault.truncate(), 100),
        ("HTML with 200", |fault| fault.answer(Response::html(200)), 100),
        ("empty with 200", |fault| fault.answer(Response::empty(200)), 100),
        (
            "[] without Link",
            |fault| fault.answer(Response::json(200, &serde_json::json!([]))),
            100,
        ),
        (
            "an object",
            |fault| fault.answer(Response::json(200, &serde_json::json!({"total": 1}))),
            100,
        ),
        ("dropped", |fault| fault.drop_mid_body(), 100),
    ];
    for (surface, path) in [
        ("issueComments", "*/issues/42/comments"),
        ("reviews", "*/pulls/42/reviews"),
        ("reviewComments", "*/pulls/42/comments"),
    ] {
        for (name, fault, kept) in faults {
            github.heal();
            fault(github.on(Match::get(path).page(2)));
            let bundle = product.run(&["collect", "42"]).expect(0).json();
            let status = status(&bundle, surface);
            assert!(status.starts_with("incomplete"), "{surface}, {name}: {status}");
            assert_eq!(count(&bundle, surface), kept, "{surface}, {name}: {status}");
        }
    }
}

#[test]
fn a_list_whose_next_page_is_not_announced() {
    let github = Github::start(two_pages());
    let product = Product::new(&github);
    for (surface, path) in [
        ("issueComments", "*/issues/42/comments"),
        ("reviews", "*/pulls/42/reviews"),
        ("reviewComments", "*/pulls/42/comments"),
    ] {
        github.heal();
        github.on(Match::get(path).page(1)).without_link();
        let bundle = product.run(&["collect", "42"]).expect(0).json();
        assert!(status(&bundle, surface).starts_with("incomplete"), "{surface}");
    }
}

#[test]
fn a_faulty_second_page_of_threads() {
    let github = Github::start(two_pages());
    let product = Product::new(&github);
    let faults: [(&str, Fault); 9] = [
        ("502 HTML", |fault| fault.bad_gateway()),
        ("errors", |fault| {
            fault.graphql_error("SERVICE_UNAVAILABLE", "Something went wrong")
        }),
        ("errors with data", |fault| {
            fault.graphql_partial("SERVICE_UNAVAILABLE", "Something went wrong")
        }),
        ("no pageInfo", |fault| fault.without_page_info()),
        ("truncated", |fault| fault.truncate()),
        ("HTML with 200", |fault| fault.answer(Response::html(200))),
        ("data null", |fault| {
            fault.answer(Response::json(200, &serde_json::json!({"data": null})))
        }),
        ("a null node", |fault| {
            fault.edit_text(|text| text.replacen("{\"id\":\"PRRT_", "null,{\"id\":\"PRRT_", 1))
        }),
        ("dropped", |fault| fault.drop_connection()),
    ];
    for (name, fault) in faults {
        github.heal();
        fault(github.on(Match::graphql("Threads").page(2)));
        let bundle = product.run(&["collect", "42"]).expect(0).json();
        let status = status(&bundle, "threads");
        assert!(status.starts_with("incomplete"), "{name}: {status}");
        assert!(count(&bundle, "threads") >= 100, "{name}: {status}");
    }
}

#[test]
fn a_walk_without_end_is_stopped() {
    let github = Github::start(two_pages());
    let product = Product::new(&github);
    github
        .on(Match::graphql("Threads"))
        .repeat_cursor("Y3Vyc29yOnYyO000099==");
    github
        .on(Match::get("*/issues/42/comments"))
        .self_link("https://api.github.com/repos/octo/widgets/issues/42/comments?per_page=100&page=2");
    let run = product.run(&["collect", "42"]).expect(0);
    let bundle = run.json();
    for surface in ["threads", "issueComments"] {
        assert!(
            status(&bundle, surface).contains("same page twice"),
            "{}",
            status(&bundle, surface)
        );
    }
    product.assert_no_child_left();
}

#[test]
fn a_counter_that_disagrees_is_read_again_once() {
    let github = Github::start(two_pages());
    let product = Product::new(&github);
    let lie = |body: &mut apollo_compiler::response::JsonValue| {
        if let Some(pull) = body
            .get_mut("data")
            .and_then(|data| data.get_mut("repository")?.get_mut("pullRequest"))
        {
            pull["comments"]["totalCount"] = 122.into();
        }
    };
    github.on(Match::graphql("query Pull(")).edit(lie);
    let bundle = product.run(&["collect", "42"]).expect(0).json();
    assert_eq!(
        status(&bundle, "issueComments"),
        "incomplete \"incomplete\": the pull request counts 122 items and the list holds 121."
    );
    assert_eq!(github.log().count(&Match::get("*/issues/42/comments").page(1)), 2);
}

#[test]
fn a_pull_request_that_cannot_be_read_is_an_error() {
    let github = Github::start(two_pages());
    let product = Product::new(&github);
    let faults: [(&str, Fault, &str); 5] = [
        ("502", |fault| fault.bad_gateway(), "gh-failed"),
        (
            "errors",
            |fault| fault.graphql_partial("INTERNAL", "Something went wrong"),
            "gh-failed",
        ),
        (
            "HTML with 200",
            |fault| fault.answer(Response::html(200)),
            "incomplete",
        ),
        ("truncated", |fault| fault.truncate(), "gh-failed"),
        ("dropped", |fault| fault.drop_connection(), "network"),
    ];
    for (name, fault, kind) in faults {
        github.heal();
        fault(github.on(Match::graphql("query Pull(")));
        let run = product.run(&["collect", "42", "--json"]).expect(1);
        assert_eq!(run.error_json()["kind"], kind, "{name}: {run}");
    }
}
