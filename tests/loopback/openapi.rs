//! Every REST answer against GitHub's OpenAPI description, so that the double cannot drift from GitHub.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::github::{
    App, EventKind, Github, World, actions_bot, ada, announcement, at, clean_text, connector, finding, grace,
    sha, tools,
};
use crate::product::Product;

static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| {
    let text = tools::read("github/openapi.json");
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("GitHub's OpenAPI description is no JSON: {error}"))
});

/// The schema of an operation's answer with everything that it refers to, as JSON Schema.
fn schema(method: &str, route: &str, status: &str) -> Validator {
    let operation = &DESCRIPTION["paths"][route][method];
    let answer = &operation["responses"][status]["content"]["application/json"]["schema"];
    assert!(
        answer.is_object(),
        "the description has no JSON answer for {method} {route} {status}"
    );
    let mut root = converted(answer);
    let mut wanted = references(&root);
    let mut definitions = Map::new();
    while let Some(name) = wanted.pop_first() {
        let definition = converted(&DESCRIPTION["components"]["schemas"][&name]);
        wanted.extend(
            references(&definition)
                .into_iter()
                .filter(|found| !definitions.contains_key(found)),
        );
        definitions.insert(name, definition);
    }
    root["components"] = json!({ "schemas": definitions });
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&root)
        .unwrap_or_else(|error| panic!("cannot read the schema of {route}: {error}"))
}

/// OpenAPI 3.0 says `nullable` where JSON Schema has a null type; examples are left out.
fn converted(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => {
            let nullable = object.get("nullable") == Some(&Value::Bool(true));
            let inner: Map<String, Value> = object
                .iter()
                .filter(|(name, _)| {
                    !matches!(
                        name.as_str(),
                        "nullable" | "example" | "examples" | "discriminator"
                    )
                })
                .map(|(name, value)| (name.clone(), converted(value)))
                .collect();
            if nullable {
                json!({ "anyOf": [{ "type": "null" }, inner] })
            } else {
                Value::Object(inner)
            }
        }
        Value::Array(items) => Value::Array(items.iter().map(converted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

fn references(schema: &Value) -> BTreeSet<String> {
    match schema {
        Value::Object(object) => {
            let own = object
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|target| target.rsplit('/').next());
            object
                .values()
                .flat_map(references)
                .chain(own.map(str::to_owned))
                .collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => BTreeSet::new(),
    }
}

/// A world in which every kind of item occurs.
fn rich_world() -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let first = pull.head();
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "eyes", at("10:01"));
    pull.react_body(connector(), "+1", at("10:02"));
    let clean = pull.connector_comment(&clean_text(&first), at("10:04"));
    pull.edit(clean, grace(), "edited", at("10:05"));
    pull.comment(actions_bot(), "mirrored", at("10:06"));
    let review = pull.review(
        connector(),
        "COMMENTED",
        &announcement(&first),
        &first,
        at("10:10"),
    );
    let thread = pull.thread_in(review, "src/lib.rs", 3, &finding("P1", "Keep the lock"));
    let reply = pull.reply(thread, ada(), "Done.", at("10:20"));
    pull.react(reply, grace(), "heart", at("10:21"));
    let root = pull.root_comment(thread);
    pull.react(root, grace(), "rocket", at("10:22"));
    let outdated = pull.thread_in(review, "src/main.rs", 7, &finding("P2", "Name it"));
    pull.outdate(outdated);
    let second = pull.push("second", at("11:00"));
    pull.force_push(&sha("third"), ada(), at("11:30"));
    pull.draft(at("11:31"));
    pull.ready(at("11:32"));
    pull.close(at("11:33"));
    pull.reopen(at("11:34"));
    pull.event(
        EventKind::BaseRefChanged {
            from: "old".to_owned(),
            to: "main".to_owned(),
        },
        ada(),
        at("11:35"),
    );
    pull.event(EventKind::HeadRefDeleted, ada(), at("11:36"));
    pull.event(EventKind::HeadRefRestored, ada(), at("11:37"));
    pull.event(
        EventKind::Renamed {
            from: "a".to_owned(),
            to: "b".to_owned(),
        },
        ada(),
        at("11:38"),
    );
    let dismissed = EventKind::ReviewDismissed {
        review: review.0,
        message: "old".to_owned(),
    };
    pull.event(dismissed, ada(), at("11:39"));
    let gone = pull.person_comment("gone", at("11:40"));
    pull.delete_comment(gone, ada(), at("11:41"));
    let head = pull.head();
    let suite = pull.suite(&head, at("11:42"));
    pull.check_in(suite, "build", Some("failure"), at("11:42"), at("11:43"));
    pull.check_in(suite, "build", None, at("11:44"), at("11:44"));
    pull.suite_of(App::named("circle", 77), &second, None, at("11:45"));
    pull.status("deploy", "pending", at("11:46"));
    pull.status("deploy", "success", at("11:47"));
    pull.require_checks(&["build", "deploy"]);
    pull.pull().labels.push("bug".to_owned());
    world.release(
        "octo",
        "widgets",
        "v1.0.0",
        &[("widgets_v1.0.0_linux-amd64", b"#!/bin/sh\n")],
    );
    world
}

#[test]
fn every_route_answers_as_github_describes() {
    let world = rich_world();
    let pull = &world.repositories[0].pulls[0];
    let (head, comment) = (pull.head_oid.clone(), pull.comments[0].id);
    let review = pull.reviews[0].id;
    let inline = pull.threads[0].comments[0].id;
    let release = &world.repositories[0].releases[0];
    let (asset, base) = (release.assets[0].id, pull.base_oid.clone());
    let github = Github::start(world);
    let product = Product::new(&github);
    let in_repository = "/repos/{owner}/{repo}";
    let routes = [
        ("/user", "user".to_owned()),
        ("/rate_limit", "rate_limit".to_owned()),
        ("", String::new()),
        (
            "/issues/{issue_number}/comments",
            "/issues/42/comments".to_owned(),
        ),
        (
            "/issues/{issue_number}/reactions",
            "/issues/42/reactions".to_owned(),
        ),
        (
            "/issues/{issue_number}/timeline",
            "/issues/42/timeline?per_page=100".to_owned(),
        ),
        ("/issues/{issue_number}/events", "/issues/42/events".to_owned()),
        (
            "/issues/comments/{comment_id}",
            format!("/issues/comments/{comment}"),
        ),
        (
            "/issues/comments/{comment_id}/reactions",
            format!("/issues/comments/{comment}/reactions"),
        ),
        ("/pulls", "/pulls?state=open".to_owned()),
        ("/pulls/{pull_number}", "/pulls/42".to_owned()),
        ("/pulls/{pull_number}/commits", "/pulls/42/commits".to_owned()),
        ("/pulls/{pull_number}/files", "/pulls/42/files".to_owned()),
        ("/pulls/{pull_number}/reviews", "/pulls/42/reviews".to_owned()),
        (
            "/pulls/{pull_number}/reviews/{review_id}/comments",
            format!("/pulls/42/reviews/{review}/comments"),
        ),
        ("/pulls/{pull_number}/comments", "/pulls/42/comments".to_owned()),
        (
            "/pulls/comments/{comment_id}",
            format!("/pulls/comments/{inline}"),
        ),
        (
            "/pulls/comments/{comment_id}/reactions",
            format!("/pulls/comments/{inline}/reactions"),
        ),
        ("/commits/{ref}", format!("/commits/{}", &head[..7])),
        (
            "/commits/{ref}/check-runs",
            format!("/commits/{head}/check-runs?filter=all"),
        ),
        (
            "/commits/{ref}/check-suites",
            format!("/commits/{head}/check-suites"),
        ),
        ("/commits/{ref}/statuses", format!("/commits/{head}/statuses")),
        ("/commits/{ref}/status", format!("/commits/{head}/status")),
        ("/compare/{basehead}", format!("/compare/{base}...{head}")),
        ("/activity", "/activity?ref=refs/heads/topic-42".to_owned()),
        ("/rules/branches/{branch}", "/rules/branches/main".to_owned()),
        ("/branches/{branch}", "/branches/main".to_owned()),
        ("/releases/latest", "/releases/latest".to_owned()),
        ("/releases/assets/{asset_id}", format!("/releases/assets/{asset}")),
    ];
    let mut wrong = Vec::new();
    for (route, path) in routes {
        let (route, path) = if route == "/user" || route == "/rate_limit" {
            (route.to_owned(), path)
        } else {
            (
                format!("{in_repository}{route}"),
                format!("repos/octo/widgets{path}"),
            )
        };
        let answer = product.gh(&["api", &path]).run().expect(0).json();
        let is_empty = answer.as_array().is_some_and(Vec::is_empty);
        assert!(!is_empty, "{path} answered nothing, so nothing was checked");
        wrong.extend(deviations(&schema("get", &route, "200"), &answer, &route));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn posts_answer_as_github_describes() {
    let world = rich_world();
    let inline = world.repositories[0].pulls[0].threads[0].comments[0].id;
    let github = Github::start(world);
    let product = Product::new(&github);
    let mut wrong = Vec::new();
    for (route, path) in [
        (
            "/repos/{owner}/{repo}/issues/{issue_number}/comments",
            "repos/octo/widgets/issues/42/comments".to_owned(),
        ),
        (
            "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies",
            format!("repos/octo/widgets/pulls/42/comments/{inline}/replies"),
        ),
    ] {
        let run = product
            .gh(&["api", &path, "--input", "-"])
            .stdin(r#"{"body":"Hello."}"#)
            .run()
            .expect(0);
        let answer = run.json();
        assert_eq!(answer["body"], "Hello.");
        assert_eq!(answer["user"]["login"], "ada");
        wrong.extend(deviations(&schema("post", route, "201"), &answer, route));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with an answer. GitHub answers null for the line of an outdated comment, which its description forgets.
fn deviations(schema: &Validator, answer: &Value, route: &str) -> Vec<String> {
    schema
        .iter_errors(answer)
        .map(|error| {
            let place = error.instance_path().to_string();
            let found: String = answer
                .pointer(&place)
                .map(Value::to_string)
                .unwrap_or_default()
                .chars()
                .take(300)
                .collect();
            format!("{route} {place}: {} found {found}", error.kind().keyword())
        })
        .filter(|line| {
            !line.ends_with("/line: type found null") && !line.ends_with("/position: type found null")
        })
        .collect()
}

#[test]
fn a_wrong_answer_is_noticed() {
    let schema = schema("get", "/repos/{owner}/{repo}/issues/comments/{comment_id}", "200");
    let answer = json!({ "id": "a word where a number belongs" });
    let wrong = deviations(&schema, &answer, "comment");
    assert!(wrong.iter().any(|line| line.contains("/id: type")), "{wrong:?}");
    assert!(wrong.iter().any(|line| line.contains("required")), "{wrong:?}");
}
