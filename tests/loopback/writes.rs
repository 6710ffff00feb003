//! The mutations of the review loop, through the real gh.

use serde_json::json;

use crate::github::{Github, World, ada, at, connector, finding};
use crate::product::{Product, Run};

fn send(github: &Github, query: &str, variables: serde_json::Value) -> Run {
    let body = json!({ "query": query, "variables": variables }).to_string();
    Product::new(github)
        .gh(&["api", "graphql", "--input", "-"])
        .stdin(body)
        .run()
}

#[test]
fn a_thread_is_resolved_and_reopened() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let thread = pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        at("10:05"),
    );
    let other = pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        9,
        &finding("P2", "Name it"),
        at("10:05"),
    );
    let github = Github::start(world);
    let mutation = "mutation Resolve($id: ID!) {
        resolveReviewThread(input: { threadId: $id }) { thread { id isResolved resolvedBy { login } } } }";
    let made = send(&github, mutation, json!({ "id": thread.node() }))
        .expect(0)
        .json();
    let made = &made["data"]["resolveReviewThread"]["thread"];
    assert_eq!(made["isResolved"], true);
    assert_eq!(made["resolvedBy"]["login"], "ada");
    let resolved = |github: &Github| -> Vec<bool> {
        github.world().repositories[0].pulls[0]
            .threads
            .iter()
            .map(|thread| thread.resolved)
            .collect()
    };
    assert_eq!(resolved(&github), [true, false]);
    let mutation =
        "mutation { unresolveReviewThread(input: { threadId: \"ID\" }) { thread { isResolved } } }";
    send(&github, &mutation.replace("ID", &thread.node()), json!({})).expect(0);
    assert_eq!(resolved(&github), [false, false]);
    assert_ne!(thread, other);
}

#[test]
fn a_reply_and_a_comment_are_visible_over_rest() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let thread = pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        at("10:05"),
    );
    let root = pull.root_comment(thread);
    let id = pull.pull().id;
    let github = Github::start(world);
    let reply = "mutation Reply($thread: ID!, $body: String!) {
        addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $thread, body: $body }) {
            comment { fullDatabaseId body } } }";
    let made = send(
        &github,
        reply,
        json!({ "thread": thread.node(), "body": "Fixed in 1234567." }),
    )
    .expect(0)
    .json();
    let made = &made["data"]["addPullRequestReviewThreadReply"]["comment"];
    let product = Product::new(&github);
    let comments = product
        .gh(&["api", "repos/octo/widgets/pulls/42/comments"])
        .run()
        .expect(0)
        .json();
    assert_eq!(
        comments[1]["id"].to_string(),
        made["fullDatabaseId"].as_str().unwrap()
    );
    assert_eq!(comments[1]["in_reply_to_id"], root.0);
    assert_eq!(comments[1]["body"], "Fixed in 1234567.");

    product
        .gh(&["pr", "comment", "42", "--body", "Thank you."])
        .run()
        .expect(0);
    let world = github.world();
    let comment = &world.repositories[0].pulls[0].comments[0];
    assert_eq!(
        (comment.body.as_str(), comment.author.as_ref()),
        ("Thank you.", Some(&ada()))
    );
    assert_eq!(world.repositories[0].pulls[0].id, id);
}

#[test]
fn an_unknown_thread_is_not_found() {
    let mut world = World::new();
    world.pull(42);
    let github = Github::start(world);
    let mutation = "mutation { resolveReviewThread(input: { threadId: \"PRRT_kwDO1\" }) { thread { id } } }";
    let run = send(&github, mutation, json!({})).expect(1);
    assert_eq!(run.json()["errors"][0]["type"], "NOT_FOUND");
    assert_eq!(
        run.stderr.trim(),
        "gh: Could not resolve to a node with the global id of 'PRRT_kwDO1'"
    );
}

#[test]
fn a_post_without_a_body_is_refused_and_changes_nothing() {
    let mut world = World::new();
    world.pull(42);
    let github = Github::start(world);
    let post = [
        "api",
        "-X",
        "POST",
        "repos/octo/widgets/issues/42/comments",
        "--input",
        "-",
    ];
    let run = Product::new(&github).gh(&post).stdin("{}").run().expect(1);
    assert!(run.stderr.contains("(HTTP 422)"), "{run}");
    assert!(github.world().repositories[0].pulls[0].comments.is_empty());
}
