//! What the builder's sentences mean on GitHub.

use crate::github::{Github, Match, World, ada, at, connector, sha};
use crate::product::Product;

#[test]
fn a_force_push_back_brings_the_old_history_back() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let first = pull.head();
    pull.force_push(&sha("amended"), ada(), at("11:00"));
    assert_eq!(pull.pull().commits, [sha("amended")]);
    let second = pull.push("on top", at("11:10"));
    assert_eq!(pull.pull().commits, [sha("amended"), second.clone()]);
    pull.force_push(&first, ada(), at("11:20"));
    assert_eq!(pull.pull().commits, std::slice::from_ref(&first));
    let github = Github::start(world);
    let product = Product::new(&github);
    let compare = |range: String| {
        let path = format!("repos/octo/widgets/compare/{range}");
        product
            .gh(&["api", &path, "--jq", "[.status, .ahead_by, .behind_by] | @csv"])
            .run()
            .expect(0)
            .stdout
    };
    assert_eq!(compare(format!("{first}...{second}")).trim(), "\"diverged\",2,1");
    assert_eq!(
        compare(format!("{}...{second}", sha("amended"))).trim(),
        "\"ahead\",1,0"
    );
    assert_eq!(
        compare(format!("{second}...{}", sha("amended"))).trim(),
        "\"behind\",0,1"
    );
    assert_eq!(compare(format!("{first}...{first}")).trim(), "\"identical\",0,0");
    let path = "repos/octo/widgets/activity?ref=refs/heads/topic-42";
    let kinds = product
        .gh(&["api", path, "--jq", "map(.activity_type) | join(\" \")"])
        .run()
        .expect(0)
        .stdout;
    assert_eq!(kinds.trim(), "force_push push force_push branch_creation");
}

#[test]
fn a_short_sha_resolves_once_and_an_unknown_one_never() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    // A second commit that shares the first seven digits makes those ambiguous.
    let twin = format!("{}{}", &head[..7], &sha("twin")[7..]);
    pull.add_commit(&twin, at("10:00"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let commit = |reference: &str| {
        product
            .gh(&["api", &format!("repos/octo/widgets/commits/{reference}")])
            .run()
    };
    assert_eq!(commit(&head[..12]).expect(0).json()["sha"], head.as_str());
    for reference in [&head[..7], "fffffff"] {
        let run = commit(reference).expect(1);
        assert_eq!(
            run.stderr.trim(),
            format!("gh: No commit found for SHA: {reference} (HTTP 422)")
        );
    }
}

#[test]
fn overrides_change_one_item_only() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let odd = pull.connector_comment("odd", at("10:00"));
    pull.connector_comment("even", at("10:01"));
    pull.comment_mut(odd).author = None;
    pull.comment_mut(odd).overrides.rest(|json| {
        json["id"] = "a word".into();
        json.as_object_mut().unwrap().remove("created_at");
    });
    let github = Github::start(world);
    let run = Product::new(&github)
        .gh(&["api", "repos/octo/widgets/issues/42/comments"])
        .run()
        .expect(0);
    let comments = run.json();
    assert_eq!(comments[0]["id"], "a word");
    assert!(comments[0].get("created_at").is_none());
    assert!(comments[0]["user"].is_null());
    assert_eq!(comments[1]["user"]["login"], "chatgpt-codex-connector[bot]");
    assert_eq!(
        comments[1]["performed_via_github_app"]["slug"],
        "chatgpt-codex-connector"
    );
}

#[test]
fn what_the_loopback_cannot_answer_is_noted() {
    let mut world = World::new();
    world.pull(42);
    let github = Github::start(world);
    github.expect_problems();
    let product = Product::new(&github);
    product
        .gh(&["api", "repos/octo/widgets/issues/42/labels"])
        .run()
        .expect(1);
    let query = "query={ repository(owner: \"octo\", name: \"widgets\") { stargazerCount noSuchField } }";
    product.gh(&["api", "graphql", "-f", query]).run().expect(1);
    let query = "query={ repository(owner: \"octo\", name: \"widgets\") { stargazerCount } }";
    product.gh(&["api", "graphql", "-f", query]).run().expect(1);
    let problems = github.log().problems;
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(
        problems[0].contains("no route for GET /repos/octo/widgets/issues/42/labels"),
        "{problems:?}"
    );
    assert!(problems[1].contains("noSuchField"), "{problems:?}");
    assert!(problems[2].contains("Repository.stargazerCount"), "{problems:?}");
    assert_eq!(github.log().count(&Match::graphql("stargazerCount")), 2);
}

#[test]
fn rest_and_graphql_tell_the_same_about_comments_threads_and_edits() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let trigger = pull.person_comment("@codex review", at("10:00"));
    let clean = pull.connector_comment("Clean.", at("10:04"));
    pull.edit(clean, ada(), "Clean!", at("10:09"));
    pull.thread(connector(), &head, "src/lib.rs", 3, "Keep the lock", at("10:05"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let query = "query={ repository(owner: \"octo\", name: \"widgets\") { pullRequest(number: 42) {
        comments(first: 10) { nodes { fullDatabaseId body createdAt updatedAt lastEditedAt editor { login } url } }
        reviewThreads(first: 10) { nodes { path line comments(first: 10) { nodes { fullDatabaseId body
            originalCommit { oid } pullRequestReview { fullDatabaseId commit { oid } } } } } } } } }";
    let answer = product
        .gh(&["api", "graphql", "-f", query])
        .run()
        .expect(0)
        .json();
    let graphql = &answer["data"]["repository"]["pullRequest"];
    let rest = product
        .gh(&["api", "repos/octo/widgets/issues/42/comments"])
        .run()
        .expect(0)
        .json();
    for index in 0..2 {
        let (over_graphql, over_rest) = (&graphql["comments"]["nodes"][index], &rest[index]);
        assert_eq!(over_graphql["fullDatabaseId"], over_rest["id"].to_string());
        assert_eq!(over_graphql["body"], over_rest["body"]);
        assert_eq!(over_graphql["createdAt"], over_rest["created_at"]);
        assert_eq!(over_graphql["updatedAt"], over_rest["updated_at"]);
        assert_eq!(over_graphql["url"], over_rest["html_url"]);
    }
    assert_eq!(rest[0]["id"], trigger.0);
    assert_eq!(graphql["comments"]["nodes"][1]["editor"]["login"], "ada");
    assert_eq!(
        graphql["comments"]["nodes"][1]["lastEditedAt"],
        "2026-09-16T10:09:00Z"
    );
    let rest = product
        .gh(&["api", "repos/octo/widgets/pulls/42/comments"])
        .run()
        .expect(0)
        .json();
    let thread = &graphql["reviewThreads"]["nodes"][0];
    let comment = &thread["comments"]["nodes"][0];
    assert_eq!(thread["path"], rest[0]["path"]);
    assert_eq!(thread["line"], rest[0]["line"]);
    assert_eq!(comment["fullDatabaseId"], rest[0]["id"].to_string());
    assert_eq!(comment["originalCommit"]["oid"], rest[0]["original_commit_id"]);
    let review = &comment["pullRequestReview"];
    assert_eq!(
        review["fullDatabaseId"],
        rest[0]["pull_request_review_id"].to_string()
    );
    assert_eq!(review["commit"]["oid"], head.as_str());
}

#[test]
fn a_comparison_shows_at_most_300_files() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let first = pull.head();
    let second = pull.push("wide", at("11:00"));
    pull.repository().commit_mut(&second).files = (0..320).map(|number| format!("src/{number}.rs")).collect();
    let github = Github::start(world);
    let path = format!("repos/octo/widgets/compare/{first}...{second}");
    let run = Product::new(&github).gh(&["api", &path]).run().expect(0).json();
    assert_eq!(run["files"].as_array().unwrap().len(), 300);
    assert_eq!(run["merge_base_commit"]["sha"], first.as_str());
    assert_eq!(run["status"], "ahead");
}
