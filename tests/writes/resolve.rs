//! `resolve`: exactly the named threads, each with a proven fix or an answer, each read again.

use super::*;
use crate::github::{
    Account, Match, PullHandle, Response, ReviewCommentId, ThreadId, actions_bot, finding, grace, impostor,
    now,
};

/// A finding on the first head, then a push that fixes it. Gives the thread and the two heads.
fn fixed() -> (World, ThreadId, String, String) {
    let mut world = fresh();
    let mut pull = world.pull(42);
    let first = pull.head();
    let thread = pull.thread(
        connector(),
        &first,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        ago("2h"),
    );
    let fix = pull.push("fix", ago("1h"));
    (world, thread, first, fix)
}

fn resolve(product: &Product, more: &[&str]) -> Run {
    authorized(product, "resolve", more)
}

/// Outcome and code of each thread of a document.
#[track_caller]
fn rows(run: &Run) -> Vec<(String, String)> {
    let document = run.json();
    let list = document["threads"].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|row| {
            let word = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            (word("outcome"), word("code"))
        })
        .collect()
}

fn one(outcome: &str, code: &str) -> Vec<(String, String)> {
    vec![(outcome.to_owned(), code.to_owned())]
}

fn is_resolved(github: &Github, thread: ThreadId) -> bool {
    github.change(|world| world.pull(42).thread_mut(thread).resolved)
}

/// Bodies of the comments after the first one.
fn replies(github: &Github, thread: ThreadId) -> Vec<String> {
    github.change(|world| {
        let mut pull = world.pull(42);
        let comments = &pull.thread_mut(thread).comments;
        comments
            .iter()
            .skip(1)
            .map(|comment| comment.body.clone())
            .collect()
    })
}

#[test]
fn a_named_thread_with_its_fix_is_resolved_and_no_other() {
    let (mut world, thread, first, fix) = fixed();
    let other = world.pull(42).thread(
        connector(),
        &first,
        "src/lib.rs",
        9,
        &finding("P2", "Name it"),
        ago("2h"),
    );
    let github = Github::start(world);
    let product = Product::new(&github);
    let done = resolve(&product, &[&thread.node(), "--fixed-in", &fix]).expect(0);
    assert_eq!(rows(&done), one("resolved", ""));
    let row = done.json()["threads"][0].clone();
    assert_eq!(
        (&row["threadId"], &row["path"]),
        (&thread.node().into(), &"src/lib.rs".into())
    );
    assert!(is_resolved(&github, thread) && !is_resolved(&github, other));
    // One mutation, no comment.
    assert_eq!(
        github
            .log()
            .writes()
            .iter()
            .filter(|w| w.graphql_text().contains("mutation"))
            .count(),
        1
    );
    assert_eq!(replies(&github, thread), [""; 0]);
    let again = resolve(&product, &[&thread.node(), "--fixed-in", &fix]).expect(0);
    assert_eq!(rows(&again), one("already-resolved", ""));
    let document = again.json();
    assert_eq!(document["schema"], "codex-loop.resolve/1");
}

#[test]
fn a_thread_is_named_by_its_node_its_page_or_a_comment_and_only_once() {
    let (mut world, thread, _, fix) = fixed();
    let root = world.pull(42).root_comment(thread);
    let github = Github::start(world);
    let product = Product::new(&github);
    let page = format!("https://github.com/octo/widgets/pull/42#discussion_r{root}");
    let shown = resolve(
        &product,
        &[&page, &root.to_string(), "--fixed-in", &fix[..10], "--dry-run"],
    )
    .expect(0);
    // A page and the bare id of its comment name one thing.
    assert_eq!(rows(&shown), one("resolved", ""));
    assert!(!is_resolved(&github, thread));
    let by_page = product
        .run(&[
            "resolve",
            &page,
            "--fixed-in",
            &fix,
            "--authorization",
            "x",
            "--json",
        ])
        .expect(0);
    assert_eq!(rows(&by_page), one("resolved", ""));
}

#[test]
fn what_is_not_the_connectors_on_this_pull_request_is_refused() {
    let (mut world, thread, first, fix) = fixed();
    let mut by = |author: Account| {
        let mut pull = world.pull(42);
        pull.thread(author, &first, "src/lib.rs", 5, &finding("P1", "Mine"), ago("2h"))
    };
    let (person, bot, stranger) = (by(grace()), by(actions_bot()), by(impostor()));
    let head_of_other = world.pull(43).head();
    let elsewhere = world.pull(43).thread(
        connector(),
        &head_of_other,
        "src/lib.rs",
        3,
        &finding("P1", "Elsewhere"),
        ago("2h"),
    );
    let comment_elsewhere: ReviewCommentId = world.pull(43).root_comment(elsewhere);
    let github = Github::start(world);
    let product = Product::new(&github);
    let names: Vec<String> = vec![
        person.node(),
        bot.node(),
        stranger.node(),
        elsewhere.node(),
        comment_elsewhere.to_string(),
        "PRRT_kwDO999".to_owned(),
        "999".to_owned(),
        thread.node(),
    ];
    let mut arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    arguments.extend(["--fixed-in", &fix]);
    let refused = resolve(&product, &arguments).expect(14);
    let codes: Vec<String> = rows(&refused).into_iter().map(|(_, code)| code).collect();
    assert_eq!(
        codes,
        [
            "not-connector",
            "not-connector",
            "not-connector",
            "not-this-pull",
            "not-this-pull",
            "not-found",
            "not-found",
            ""
        ]
    );
    // The one that may be resolved was.
    assert!(is_resolved(&github, thread));
    for thread in [person, bot, stranger] {
        assert!(!is_resolved(&github, thread));
    }
    assert!(!github.change(|world| world.pull(43).thread_mut(elsewhere).resolved));
}

#[test]
fn a_fix_that_is_not_proven_is_refused_and_a_reason_makes_up_for_some_of_it() {
    let (mut world, thread, first, fix) = fixed();
    let mut pull = world.pull(42);
    let misses = pull.push("elsewhere", ago("50m"));
    pull.repository().commit_mut(&misses).files = vec!["README.md".to_owned()];
    // A commit that is in the repository and not on the head.
    let loose = crate::github::sha("loose");
    let parents = pull
        .repository()
        .commit(&first)
        .expect("the first head")
        .parents
        .clone();
    let mut commit = pull.repository().commit(&first).expect("the first head").clone();
    commit.sha.clone_from(&loose);
    commit.parents = parents;
    pull.repository().commits.push(commit);
    let late = pull.thread(
        connector(),
        &misses,
        "src/lib.rs",
        7,
        &finding("P1", "Later"),
        ago("40m"),
    );
    pull.outdate(thread);
    let github = Github::start(world);
    let product = Product::new(&github);
    let outcome = |thread: ThreadId, more: &[&str]| {
        let node = thread.node();
        let mut all = vec![node.as_str()];
        all.extend(more);
        let finished = resolve(&product, &all);
        rows(&finished)
    };
    assert_eq!(outcome(thread, &[]), one("refused", "no-reason"));
    assert_eq!(
        outcome(thread, &["--fixed-in", &loose]),
        one("refused", "fix-not-on-head")
    );
    assert_eq!(
        outcome(thread, &["--fixed-in", &"0".repeat(40)]),
        one("refused", "fix-not-on-head")
    );
    assert_eq!(
        outcome(thread, &["--fixed-in", "0123456"]),
        one("refused", "fix-not-on-head")
    );
    assert_eq!(
        outcome(thread, &["--fixed-in", &first]),
        one("refused", "fix-unproven")
    );
    assert_eq!(
        outcome(late, &["--fixed-in", &fix]),
        one("refused", "fix-unproven")
    );
    assert_eq!(
        outcome(
            thread,
            &["--fixed-in", &loose, "--fixed-elsewhere", "The check moved."]
        ),
        one("refused", "fix-not-on-head")
    );
    // The head's own change does not touch the file, as the thread that was opened on its parent sees it.
    let on_fix = github.change(|world| {
        world.pull(42).thread(
            connector(),
            &fix,
            "src/lib.rs",
            8,
            &finding("P1", "Again"),
            ago("55m"),
        )
    });
    assert_eq!(
        outcome(on_fix, &["--fixed-in", &misses]),
        one("refused", "fix-misses-path")
    );
    assert_eq!(
        github
            .log()
            .writes()
            .iter()
            .filter(|w| w.graphql_text().contains("mutation"))
            .count(),
        0
    );
    assert_eq!(
        outcome(
            on_fix,
            &[
                "--fixed-in",
                &misses,
                "--fixed-elsewhere",
                "The check moved to the caller."
            ]
        ),
        one("resolved", "")
    );
    let said = replies(&github, on_fix);
    assert_eq!(said.len(), 1);
    assert!(
        said[0].ends_with("\n\nThe check moved to the caller."),
        "{}",
        said[0]
    );
}

#[test]
fn a_comparison_that_is_cut_proves_nothing() {
    let (mut world, thread, _, fix) = fixed();
    let mut pull = world.pull(42);
    let files = (0..299)
        .map(|n| format!("src/{n}.rs"))
        .chain(["src/lib.rs".to_owned(), "src/z.rs".to_owned()]);
    pull.repository().commit_mut(&fix).files = files.collect();
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = resolve(&product, &[&thread.node(), "--fixed-in", &fix]).expect(14);
    assert_eq!(rows(&refused), one("refused", "fix-unproven"));
    assert!(!is_resolved(&github, thread));
}

#[test]
fn a_force_pushed_away_commit_proves_nothing() {
    let (mut world, thread, ..) = fixed();
    let mut pull = world.pull(42);
    let rebased = crate::github::sha("rebased");
    let base = pull.pull().base_oid.clone();
    pull.force_push(&rebased, crate::github::ada(), ago("30m"));
    pull.repository().commit_mut(&rebased).parents = vec![base];
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = resolve(&product, &[&thread.node(), "--fixed-in", &rebased]).expect(14);
    assert_eq!(rows(&refused), one("refused", "fix-unproven"));
}

#[test]
fn a_reply_of_the_connector_after_the_fix_comes_first() {
    let (mut world, thread, _, fix) = fixed();
    world
        .pull(42)
        .reply(thread, connector(), "This is still wrong.", ago("30m"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let refused = resolve(&product, &[&thread.node(), "--fixed-in", &fix]).expect(14);
    assert_eq!(rows(&refused), one("refused", "newer-reply"));
    // An earlier one, before the fix was pushed, is answered by it.
    github.change(|world| {
        let mut pull = world.pull(42);
        pull.thread_mut(thread).comments[1].created_at = ago("90m");
    });
    resolve(&product, &[&thread.node(), "--fixed-in", &fix]).expect(0);
}

#[test]
fn a_rebuttal_is_posted_once_and_then_resolves() {
    let (world, thread, ..) = fixed();
    let github = Github::start(world);
    let product = Product::new(&github);
    for (reason, code) in [
        ("Fixed.", "bare-reply"),
        ("done, thanks", "bare-reply"),
        ("I asked @codex about it", "mentions-codex"),
    ] {
        let refused = resolve(&product, &[&thread.node(), "--rebutted", reason]).expect(14);
        assert_eq!(rows(&refused), one("refused", code), "{reason}");
    }
    let reason = "The caller checks the bound.";
    let shown = resolve(&product, &[&thread.node(), "--rebutted", reason, "--dry-run"])
        .expect(0)
        .json();
    let body = shown["threads"][0]["replyBody"]
        .as_str()
        .expect("a reply")
        .to_owned();
    assert!(body.starts_with("<!-- codex-loop: reply id=") && body.ends_with(&format!(" -->\n\n{reason}")));
    assert_eq!(replies(&github, thread), [""; 0]);
    let done = resolve(&product, &[&thread.node(), "--rebutted", reason]).expect(0);
    assert_eq!(rows(&done), one("resolved", ""));
    let said = replies(&github, thread);
    assert_eq!(said.len(), 1);
    assert!(said[0].ends_with(&format!("\n\n{reason}")));
    let reply = journal(&product)["replies"][0].clone();
    assert_eq!(reply["state"], "created");
    assert_eq!(done.json()["threads"][0]["replyCommentId"], reply["commentId"]);
}

#[test]
fn it_needs_an_authorization_for_every_part_of_it() {
    let (world, thread, _, fix) = fixed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let node = thread.node();
    let refused = run(&product, "resolve", &[&node, "--fixed-in", &fix]).expect(14);
    assert_eq!(rows(&refused), one("refused", "no-authorization"));
    run(
        &product,
        "authorize",
        &["--scope", "resolve", "--reference", "ticket 1"],
    )
    .expect(0);
    let refused = run(
        &product,
        "resolve",
        &[&node, "--fixed-in", &fix, "--reply", "It holds the lock now."],
    )
    .expect(14);
    assert_eq!(rows(&refused), one("refused", "authorization-out-of-scope"));
    assert_eq!(
        github
            .log()
            .writes()
            .iter()
            .filter(|w| w.method == "POST" && !w.is_graphql())
            .count(),
        0
    );
    let done = run(&product, "resolve", &[&node, "--fixed-in", &fix]).expect(0);
    assert_eq!(done.json()["authorization"]["reference"], "ticket 1");
}

#[test]
fn an_interrupted_reply_is_found_again_and_not_posted_twice() {
    let (world, thread, ..) = fixed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let reason = "The caller checks the bound.";
    let node = thread.node();
    let arguments = [
        "resolve",
        "42",
        &node,
        "--rebutted",
        reason,
        "--authorization",
        "x",
    ];
    let hold = github.on(Match::post("*/replies").nth(1)).hold_answer();
    let running = product.command(&arguments).start();
    hold.wait();
    assert_eq!(journal(&product)["replies"][0]["state"], "creating");
    running.kill();
    assert_eq!(running.finish().signal, Some(9));
    hold.release();
    product.assert_no_child_left();
    assert_eq!(replies(&github, thread).len(), 1);
    // An open reply is no open trigger.
    let request = authorized(&product, "request", &["--dry-run"]);
    assert!(!request.stdout.contains("open-intent"), "{request}");
    let done = resolve(&product, &[&node, "--rebutted", reason]).expect(0);
    assert_eq!(rows(&done), one("resolved", ""));
    assert_eq!(replies(&github, thread).len(), 1);
    assert_eq!(journal(&product)["replies"][0]["state"], "created");
}

#[test]
fn a_reply_that_may_still_arrive_is_waited_for() {
    let (world, thread, ..) = fixed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let reason = "The caller checks the bound.";
    let node = thread.node();
    github.on(Match::post("*/replies").nth(1)).bad_gateway();
    let unknown = resolve(&product, &[&node, "--rebutted", reason]).expect(15);
    assert_eq!(rows(&unknown), one("unknown", ""));
    assert!(!is_resolved(&github, thread));
    let still = resolve(&product, &[&node, "--rebutted", reason]).expect(15);
    assert_eq!(rows(&still), one("unknown", ""));
    assert_eq!(github.log().count(&Match::post("*/replies")), 1);
    age(&product, "6m");
    resolve(&product, &[&node, "--rebutted", reason]).expect(0);
    assert_eq!(replies(&github, thread).len(), 1);
    // A refused one is refused, and nothing is resolved without it.
    let second = github.change(|world| {
        let head = world.pull(42).head();
        world.pull(42).thread(
            connector(),
            &head,
            "src/lib.rs",
            7,
            &finding("P1", "More"),
            ago("30m"),
        )
    });
    github
        .on(Match::post("*/replies"))
        .status(422, "Validation Failed");
    let refused = resolve(&product, &[&second.node(), "--rebutted", "No: see the caller."]).expect(14);
    assert_eq!(rows(&refused), one("refused", "github-refused"));
    assert!(!is_resolved(&github, second));
}

#[test]
fn a_reply_from_another_machine_is_not_repeated() {
    let (world, thread, ..) = fixed();
    let github = Github::start(world);
    let (one_machine, other) = (Product::new(&github), Product::new(&github));
    let reason = "The caller checks the bound.";
    github
        .on(Match::graphql("ResolveThread").nth(1))
        .drop_connection();
    let unknown = resolve(&one_machine, &[&thread.node(), "--rebutted", reason]).expect(15);
    assert_eq!(rows(&unknown), one("unknown", ""));
    resolve(&other, &[&thread.node(), "--rebutted", reason]).expect(0);
    assert_eq!(replies(&github, thread).len(), 1);
}

#[test]
fn an_interrupted_mutation_is_unknown_and_settled_by_reading() {
    for (applied, fault) in [
        (true, "dropped"),
        (false, "dropped"),
        (true, "502"),
        (false, "502"),
    ] {
        let (world, thread, _, fix) = fixed();
        let github = Github::start(world);
        let product = Product::new(&github);
        let on = github.on(Match::graphql("ResolveThread").nth(1));
        match (applied, fault) {
            (true, "dropped") => on.apply_then_drop(),
            (false, "dropped") => on.drop_connection(),
            (true, _) => on.apply_then(Response::html(502)),
            (false, _) => on.bad_gateway(),
        }
        let (code, outcome) = if applied { (0, "resolved") } else { (15, "unknown") };
        let first = resolve(&product, &[&thread.node(), "--fixed-in", &fix]).expect(code);
        assert_eq!(rows(&first), one(outcome, ""), "{applied} {fault}");
        let expected = if applied { "already-resolved" } else { "resolved" };
        let again = resolve(&product, &[&thread.node(), "--fixed-in", &fix]).expect(0);
        assert_eq!(rows(&again), one(expected, ""), "{applied} {fault}");
    }
    let (world, thread, _, fix) = fixed();
    let github = Github::start(world);
    let product = Product::new(&github);
    github
        .on(Match::graphql("ResolveThread"))
        .graphql_error("FORBIDDEN", "Resource not accessible by personal access token");
    let refused = resolve(&product, &[&thread.node(), "--fixed-in", &fix]).expect(14);
    assert_eq!(rows(&refused), one("refused", "github-refused"));
}

#[test]
fn a_crash_between_two_threads_leaves_the_second_for_the_next_call() {
    let (mut world, first, head, fix) = fixed();
    let second = world.pull(42).thread(
        connector(),
        &head,
        "src/lib.rs",
        9,
        &finding("P2", "Name it"),
        ago("2h"),
    );
    let github = Github::start(world);
    let product = Product::new(&github);
    let (a, b) = (first.node(), second.node());
    let arguments = [
        "resolve",
        "42",
        &a,
        &b,
        "--fixed-in",
        &fix,
        "--authorization",
        "x",
    ];
    let hold = github.on(Match::graphql("ResolveThread").nth(2)).hold();
    let running = product.command(&arguments).start();
    hold.wait();
    running.kill();
    assert_eq!(running.finish().signal, Some(9));
    assert!(is_resolved(&github, first) && !is_resolved(&github, second));
    // The request of the killed process never arrives.
    github
        .on(Match::graphql("ResolveThread").nth(1))
        .drop_connection();
    hold.release();
    product.assert_no_child_left();
    github.heal();
    let done = resolve(&product, &[&a, &b, "--fixed-in", &fix]).expect(0);
    let outcomes: Vec<String> = rows(&done).into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes[0], "already-resolved");
    assert!(is_resolved(&github, second));
}

#[test]
fn a_head_that_moves_meanwhile_is_looked_at_again() {
    let (world, thread, _, fix) = fixed();
    let github = Github::start(world);
    let product = Product::new(&github);
    // Between the first look at the thread and the mutation somebody force-pushes the fix away.
    github.on(Match::graphql("LocatedThread").nth(2)).before(|world| {
        let mut pull: PullHandle<'_> = world.pull(42);
        let gone = crate::github::sha("gone");
        let base = pull.pull().base_oid.clone();
        pull.force_push(&gone, crate::github::ada(), now());
        pull.repository().commit_mut(&gone).parents = vec![base];
    });
    let refused = resolve(&product, &[&thread.node(), "--fixed-in", &fix]).expect(14);
    assert_eq!(rows(&refused), one("refused", "fix-not-on-head"));
    assert!(!is_resolved(&github, thread));
}

#[test]
fn a_terminal_shows_the_threads_and_asks() {
    let (world, thread, _, fix) = fixed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let node = thread.node();
    let arguments = ["resolve", "42", &node, "--fixed-in", &fix];
    let refused = product.command(&arguments).stdin("\n").terminal(100, 30);
    assert_eq!(refused.code, Some(14), "{refused}");
    assert!(
        refused.stdout.contains(&format!("| {node} src/lib.rs")),
        "{refused}"
    );
    assert!(!is_resolved(&github, thread));
    let done = product.command(&arguments).stdin("yes\n").terminal(100, 30);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(is_resolved(&github, thread));
}
