//! What gh reads from the loopback GitHub: pages, pull requests, repositories, threads.

use serde_json::Value;

use crate::github::{Github, World, at, connector, finding};
use crate::product::Product;

#[test]
fn slurp_gives_every_page_of_issue_comments() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    for index in 0..250 {
        pull.person_comment(&format!("comment {index}"), at("10:00"));
    }
    let github = Github::start(world);
    let run = Product::new(&github)
        .gh(&[
            "api",
            "--paginate",
            "--slurp",
            "repos/octo/widgets/issues/42/comments",
        ])
        .run()
        .expect(0);
    let pages = run.json();
    let sizes: Vec<usize> = pages
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page.as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [100, 100, 50]);
    assert_eq!(pages[2][49]["body"], "comment 249");
    assert_eq!(github.log().requests.len(), 3);
    assert_eq!(github.log().gh_calls(), 1);
}

#[test]
fn slurp_gives_every_page_of_check_runs_with_the_total() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let suite = pull.suite(&head, at("09:10"));
    for index in 0..149 {
        pull.check_in(
            suite,
            &format!("job {index}"),
            Some("success"),
            at("09:11"),
            at("09:12"),
        );
    }
    let github = Github::start(world);
    let path = format!("repos/octo/widgets/commits/{head}/check-runs?filter=all");
    let run = Product::new(&github)
        .gh(&["api", "--paginate", "--slurp", &path])
        .run()
        .expect(0);
    let pages = run.json();
    let counts: Vec<(u64, usize)> = pages
        .as_array()
        .unwrap()
        .iter()
        .map(|page| {
            (
                page["total_count"].as_u64().unwrap(),
                page["check_runs"].as_array().unwrap().len(),
            )
        })
        .collect();
    assert_eq!(counts, [(150, 100), (150, 50)]);
}

#[test]
fn graphql_pages_threads_to_the_end() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let review = pull.review(connector(), "COMMENTED", "", &head, at("10:05"));
    for line in 1..=120 {
        pull.thread_in(review, "src/lib.rs", line, &finding("P1", "Keep the lock"));
    }
    let github = Github::start(world);
    let query = "query Threads($number: Int!, $endCursor: String) {
        repository(owner: \"octo\", name: \"widgets\") { pullRequest(number: $number) {
            reviewThreads(first: 100, after: $endCursor) {
                totalCount pageInfo { hasNextPage endCursor }
                nodes { id isResolved isOutdated line
                    comments(first: 50) { totalCount pageInfo { hasNextPage endCursor }
                        nodes { fullDatabaseId author { __typename login ... on Bot { databaseId } } } } }
            } } } }";
    let run = Product::new(&github)
        .gh(&[
            "api",
            "graphql",
            "--paginate",
            "--slurp",
            "-F",
            "number=42",
            "-f",
            &format!("query={query}"),
        ])
        .run()
        .expect(0);
    let pages = run.json();
    let threads: Vec<Value> = pages
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|page| {
            page["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"]
                .as_array()
                .unwrap()
        })
        .cloned()
        .collect();
    assert_eq!(threads.len(), 120);
    assert_eq!(threads[119]["line"], 120);
    let author = &threads[0]["comments"]["nodes"][0]["author"];
    assert_eq!(author["login"], "chatgpt-codex-connector");
    assert_eq!(author["__typename"], "Bot");
    assert_eq!(author["databaseId"], 199_175_422);
    assert_eq!(github.log().gh_calls(), 1);
}

#[test]
fn pr_view_and_repo_view_are_answered() {
    let mut world = World::new();
    let head = world.pull(42).head();
    let github = Github::start(world);
    let product = Product::new(&github);
    let fields = "number,url,headRefOid,headRefName,baseRefName,isDraft,state,author,title";
    for selector in ["42", "https://github.com/octo/widgets/pull/42", "topic-42"] {
        let view = product
            .gh(&["pr", "view", selector, "--json", fields])
            .run()
            .expect(0)
            .json();
        assert_eq!(view["number"], 42);
        assert_eq!(view["headRefOid"], head.as_str());
        assert_eq!(view["author"]["login"], "ada");
    }
    product.check_out("topic-42");
    let view = product
        .gh(&["pr", "view", "--json", "number"])
        .run()
        .expect(0)
        .json();
    assert_eq!(view["number"], 42);
    let view = product
        .gh(&["repo", "view", "--json", "nameWithOwner,url"])
        .run()
        .expect(0)
        .json();
    assert_eq!(view["nameWithOwner"], "octo/widgets");
    assert_eq!(view["url"], "https://github.com/octo/widgets");
}

#[test]
fn reactions_call_an_app_a_user_unless_told_otherwise() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "+1", at("10:04"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let path = format!("repos/octo/widgets/issues/comments/{trigger}/reactions");
    let user = |product: &Product| product.gh(&["api", &path]).run().expect(0).json()[0]["user"].clone();
    assert_eq!(user(&product)["login"], "chatgpt-codex-connector[bot]");
    assert_eq!(user(&product)["type"], "User");
    github.change(|world| world.reactions_say_user = false);
    assert_eq!(user(&product)["type"], "Bot");
}

#[test]
fn an_unknown_id_among_nodes_costs_one_null_and_one_error() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let comment = pull.person_comment("here", at("10:00"));
    let github = Github::start(world);
    let query = format!(
        "query={{ nodes(ids: [\"{}\", \"IC_kwDO1\"]) {{ ... on IssueComment {{ body }} }} }}",
        comment.node()
    );
    let run = Product::new(&github)
        .gh(&["api", "graphql", "-f", &query])
        .run()
        .expect(1);
    let answer = run.json();
    assert_eq!(answer["data"]["nodes"][0]["body"], "here");
    assert!(answer["data"]["nodes"][1].is_null());
    assert_eq!(answer["errors"][0]["type"], "NOT_FOUND");
    assert_eq!(answer["errors"][0]["path"], serde_json::json!(["nodes", 1]));
}

#[test]
fn unknown_repositories_and_pull_requests_are_not_found() {
    let mut world = World::new();
    world.pull(42);
    let github = Github::start(world);
    let product = Product::new(&github);
    let view = product
        .gh(&["pr", "view", "43", "--json", "number"])
        .run()
        .expect(1);
    assert!(
        view.stderr
            .contains("Could not resolve to a PullRequest with the number of 43."),
        "{view}"
    );
    let view = product
        .gh(&["repo", "view", "octo/nothing", "--json", "url"])
        .run()
        .expect(1);
    assert!(
        view.stderr
            .contains("Could not resolve to a Repository with the name 'octo/nothing'."),
        "{view}"
    );
    let run = product
        .gh(&["api", "repos/octo/widgets/pulls/43"])
        .run()
        .expect(1);
    assert_eq!(run.stderr.trim(), "gh: Not Found (HTTP 404)");
}

#[test]
fn a_connection_needs_a_size_unless_only_counted() {
    let mut world = World::new();
    world.pull(42).person_comment("one", at("10:00"));
    let github = Github::start(world);
    github.expect_problems();
    let product = Product::new(&github);
    let ask = |selection: &str| {
        let query = format!(
            "query={{ repository(owner: \"octo\", name: \"widgets\") {{ pullRequest(number: 42) {{ {selection} }} }} }}"
        );
        product.gh(&["api", "graphql", "-f", &query]).run()
    };
    let counted = ask("comments { totalCount }").expect(0).json();
    assert_eq!(
        counted["data"]["repository"]["pullRequest"]["comments"]["totalCount"],
        1
    );
    for wrong in [
        "comments { nodes { id } }",
        "comments(first: 101) { nodes { id } }",
    ] {
        assert_eq!(ask(wrong).code, Some(1), "{wrong}");
    }
}
