//! What the real gh prints when page 2 of 3 goes wrong: the facts that the product's reader is built on.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::github::{Github, Hold, Match, Response, World, at};
use crate::product::{Product, Run};

/// 250 comments are three pages of 100.
fn three_pages() -> Github {
    let mut world = World::new();
    let mut pull = world.pull(42);
    for index in 0..250 {
        pull.person_comment(&format!("comment {index}"), at("10:00"));
    }
    Github::start(world)
}

fn page_two() -> Match {
    Match::get("*/issues/42/comments").page(2)
}

fn slurp(github: &Github) -> Run {
    Product::new(github)
        .gh(&[
            "api",
            "--paginate",
            "--slurp",
            "repos/octo/widgets/issues/42/comments",
        ])
        .run()
}

fn parses(run: &Run) -> bool {
    serde_json::from_str::<Value>(&run.stdout).is_ok()
}

/// Number of items per page; 0 for a page that is no array.
fn sizes(run: &Run) -> Vec<usize> {
    let pages = run.json();
    pages
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page.as_array().map_or(0, Vec::len))
        .collect()
}

#[test]
fn an_html_502_leaves_invalid_json_and_exit_1() {
    let github = three_pages();
    github.on(page_two()).bad_gateway();
    let run = slurp(&github).expect(1);
    assert!(!parses(&run), "{run}");
    assert_eq!(run.stderr.trim(), "gh: HTTP 502");
}

#[test]
fn a_json_error_leaves_valid_json_with_the_error_as_last_page() {
    for (status, message) in [
        (502, "Server Error"),
        (404, "Not Found"),
        (401, "Bad credentials"),
        (403, "API rate limit exceeded for user ID 1001."),
        (422, "Validation Failed"),
        (429, "You have exceeded a secondary rate limit."),
    ] {
        let github = three_pages();
        github.on(page_two()).status(status, message);
        let run = slurp(&github).expect(1);
        let pages = run.json();
        assert_eq!(pages[0].as_array().unwrap().len(), 100, "{status}");
        assert_eq!(pages[1]["message"], message);
        assert_eq!(pages.as_array().unwrap().len(), 2);
        assert!(
            run.stderr.contains(&format!("gh: {message} (HTTP {status})")),
            "{run}"
        );
    }
}

#[test]
fn a_connection_dropped_before_the_answer_leaves_valid_short_json() {
    let github = three_pages();
    github.on(page_two()).drop_connection();
    let run = slurp(&github).expect(1);
    assert_eq!(sizes(&run), [100]);
    assert!(run.stderr.contains("EOF"), "{run}");
}

#[test]
fn a_connection_dropped_in_the_body_leaves_invalid_json() {
    let github = three_pages();
    github.on(page_two()).drop_mid_body();
    let run = slurp(&github).expect(1);
    assert!(!parses(&run), "{run}");
    assert_eq!(run.stderr.trim(), "unexpected EOF");
}

#[test]
fn a_truncated_an_html_and_an_empty_200_exit_0_with_invalid_json() {
    let github = three_pages();
    github.on(page_two()).truncate();
    let run = slurp(&github).expect(0);
    assert!(!parses(&run) && run.stderr.is_empty(), "{run}");

    for broken in [Response::html(200), Response::empty(200), Response::empty(204)] {
        let github = three_pages();
        github.on(page_two()).answer(broken);
        let run = slurp(&github).expect(0);
        assert!(!parses(&run) && run.stderr.is_empty(), "{run}");
    }
}

#[test]
fn an_empty_page_without_a_link_exits_0_and_is_short() {
    let github = three_pages();
    github
        .on(page_two())
        .answer(Response::json(200, &serde_json::json!([])));
    let run = slurp(&github).expect(0);
    assert_eq!(sizes(&run), [100, 0]);
}

#[test]
fn a_missing_link_exits_0_and_is_short() {
    let github = three_pages();
    github.on(page_two()).without_link();
    let run = slurp(&github).expect(0);
    assert_eq!(sizes(&run), [100, 100]);
}

#[test]
fn an_object_in_place_of_a_page_exits_0() {
    let github = three_pages();
    github.on(page_two()).rewrite(|response| Response {
        body: b"{\"note\":\"no array\"}".to_vec(),
        ..response
    });
    let run = slurp(&github).expect(0);
    assert_eq!(sizes(&run), [100, 0, 50]);
}

#[test]
fn a_link_to_the_page_itself_is_followed_for_ever() {
    let github = three_pages();
    let address = "https://api.github.com/repos/octo/widgets/issues/42/comments?per_page=100&page=2";
    github.on(page_two()).self_link(address);
    // Ends the walk that gh would not end.
    github.on(page_two().from(20)).drop_connection();
    slurp(&github).expect(1);
    assert_eq!(github.log().count(&page_two()), 20);
}

fn thread_walk(github: &Github) -> Run {
    let query = "query Comments($endCursor: String) { repository(owner: \"octo\", name: \"widgets\") {
        pullRequest(number: 42) { comments(first: 100, after: $endCursor) {
            pageInfo { hasNextPage endCursor } totalCount nodes { body } } } } }";
    let query = format!("query={query}");
    Product::new(github)
        .gh(&["api", "graphql", "--paginate", "--slurp", "-f", &query])
        .run()
}

fn comment_counts(run: &Run) -> Vec<usize> {
    let pages = run.json();
    let nodes = |page: &Value| {
        page["data"]["repository"]["pullRequest"]["comments"]["nodes"]
            .as_array()
            .map(Vec::len)
    };
    pages
        .as_array()
        .unwrap()
        .iter()
        .map(|page| nodes(page).unwrap_or(0))
        .collect()
}

#[test]
fn graphql_errors_with_and_without_data_exit_1_with_valid_json() {
    let github = three_pages();
    github
        .on(Match::graphql("Comments").page(2).nth(1))
        .graphql_error("RATE_LIMITED", "API rate limit exceeded");
    let run = thread_walk(&github).expect(1);
    assert_eq!(comment_counts(&run), [100, 0]);
    assert_eq!(run.stderr.trim(), "gh: API rate limit exceeded");

    let github = three_pages();
    github
        .on(Match::graphql("Comments").page(2).nth(1))
        .graphql_partial("SERVICE_UNAVAILABLE", "Timed out");
    let run = thread_walk(&github).expect(1);
    assert_eq!(comment_counts(&run), [100, 100]);
    assert_eq!(run.json()[1]["errors"][0]["type"], "SERVICE_UNAVAILABLE");
}

#[test]
fn a_graphql_page_without_page_info_exits_0_and_is_short() {
    let github = three_pages();
    github
        .on(Match::graphql("Comments").page(2).nth(1))
        .without_page_info();
    let run = thread_walk(&github).expect(0);
    assert_eq!(comment_counts(&run), [100, 100]);
}

#[test]
fn a_repeated_cursor_is_followed_for_ever() {
    let github = three_pages();
    github
        .on(Match::graphql("Comments").page(2))
        .repeat_cursor("Y3Vyc29yOnYyO000099==");
    github
        .on(Match::graphql("Comments").page(2).from(20))
        .drop_connection();
    thread_walk(&github).expect(1);
    assert_eq!(github.log().count(&Match::graphql("Comments").page(2)), 20);
}

#[test]
fn rate_limits_carry_their_headers() {
    let github = three_pages();
    github
        .on(Match::get("*/issues/42/comments"))
        .rate_limited(1_790_000_000);
    let product = Product::new(&github);
    let run = product
        .gh(&["api", "-i", "repos/octo/widgets/issues/42/comments"])
        .run()
        .expect(1);
    assert!(run.stdout.contains("X-Ratelimit-Reset: 1790000000"), "{run}");
    assert!(run.stdout.contains("X-Ratelimit-Remaining: 0"), "{run}");
    github.heal();
    github.on(Match::any()).secondary_limited(429, Some(60));
    let run = product.gh(&["api", "-i", "user"]).run().expect(1);
    assert!(run.stdout.contains("Retry-After: 60"), "{run}");
}

#[test]
fn a_hanging_server_is_survived_by_killing_gh() {
    let github = three_pages();
    github.on(Match::any()).hang();
    let product = Product::new(&github);
    let mut running = product.gh(&["api", "user"]).start();
    wait_until(|| github.log().requests.len() == 1);
    assert!(running.is_running());
    running.kill();
    let run = running.finish();
    assert_eq!(run.signal, Some(9));
    product.assert_no_child_left();
}

#[test]
fn a_held_write_changes_nothing_until_it_is_released() {
    let github = three_pages();
    let hold: Hold = github.on(Match::post("*/issues/42/comments")).hold();
    let product = Product::new(&github);
    let post = ["api", "repos/octo/widgets/issues/42/comments", "--input", "-"];
    let running = product.gh(&post).stdin(r#"{"body":"held"}"#).start();
    hold.wait();
    assert_eq!(comments(&github), 250);
    hold.release();
    running.finish().expect(0);
    assert_eq!(comments(&github), 251);
    assert_eq!(github.log().writes().len(), 1);
}

#[test]
fn a_write_can_be_applied_and_its_answer_lost() {
    let post = ["api", "repos/octo/widgets/issues/42/comments", "--input", "-"];
    let send = |github: &Github| Product::new(github).gh(&post).stdin(r#"{"body":"lost"}"#).run();

    let github = three_pages();
    github.on(Match::write()).apply_then_drop();
    send(&github).expect(1);
    assert_eq!(comments(&github), 251);

    let github = three_pages();
    github.on(Match::write()).apply_then(Response::html(502));
    assert_eq!(send(&github).expect(1).stderr.trim(), "gh: HTTP 502");
    assert_eq!(comments(&github), 251);

    let github = three_pages();
    github.on(Match::write()).drop_connection();
    send(&github).expect(1);
    assert_eq!(comments(&github), 250);

    let github = three_pages();
    github
        .on(Match::write())
        .apply_late(Duration::from_millis(300), Some(Response::html(502)));
    send(&github).expect(1);
    assert_eq!(comments(&github), 250);
    wait_until(|| comments(&github) == 251);
}

#[test]
fn the_world_can_change_between_two_requests() {
    let mut world = World::new();
    let before = world.pull(42).head();
    let github = Github::start(world);
    github.on(Match::get("*/pulls/42").nth(2)).before(|world| {
        world.pull(42).push("while reading", at("12:00"));
    });
    let product = Product::new(&github);
    let head = || {
        product
            .gh(&["api", "repos/octo/widgets/pulls/42", "--jq", ".head.sha"])
            .run()
            .expect(0)
            .stdout
    };
    assert_eq!(head().trim(), before);
    assert_ne!(head().trim(), before);
}

fn comments(github: &Github) -> usize {
    github.world().repositories[0].pulls[0].comments.len()
}

fn wait_until(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(
            started.elapsed() < crate::github::PATIENCE,
            "the awaited condition did not come"
        );
        std::thread::yield_now();
    }
}
