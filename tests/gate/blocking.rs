//! What blocks, whatever approves.

use crate::github::{Account, actions_bot, ada, announcement, at, connector, finding, grace, sha};

use super::{Case, codes};

fn approved() -> Case {
    Case::new(|pull| {
        pull.react_body(connector(), "+1", at("09:40"));
    })
}

/// A review whose body holds a finding that could not be anchored.
fn unanchored(head: &str) -> String {
    format!(
        "### 💡 Codex Review\n\nhttps://github.com/octo/widgets/blob/{head}/src/lib.rs#L1-L3\n{}",
        finding("P1", "Keep the lock")
    )
}

#[test]
fn open_threads_of_any_push_block_and_resolved_or_outdated_ones_do_not() {
    let case = Case::new(|pull| {
        let first = pull.head();
        pull.thread(
            connector(),
            &first,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("09:10"),
        );
        pull.push("second", at("10:00"));
        pull.react_body(connector(), "+1", at("10:40"));
    });
    let run = case.product.run(&["gate", "42"]).expect(10);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{run}");
    assert_eq!(lines[0], "Codex gate: blocking");
    assert!(
        lines[3].starts_with("Evidence: finding-thread: https://github.com/octo/widgets/pull/42#"),
        "{run}"
    );
    assert_eq!(case.says(&[]), "10 blocking finding-thread");
    assert_eq!(
        case.headline(),
        "findings by gate: finding-thread, then address-findings"
    );
    let thread = case.then(|pull| {
        pull.pull().threads[0].outdated = true;
        pull.pull().threads[0].id
    });
    assert_eq!(case.says(&[]), "0 approved body");
    case.then(|pull| {
        pull.pull().threads[0].outdated = false;
        pull.resolve(crate::github::ThreadId(thread));
    });
    assert_eq!(case.says(&[]), "0 approved body");
}

#[test]
fn the_newest_review_of_the_head_blocks_by_its_body_and_supersedes_older_ones() {
    let case = approved();
    let review = case.then(|pull| {
        let head = pull.head();
        pull.review(connector(), "COMMENTED", &unanchored(&head), &head, at("09:10"))
    });
    assert_eq!(case.says(&[]), "10 blocking finding-review-body");
    case.then(|pull| pull.review_mut(review).state = "DISMISSED".to_owned());
    assert_eq!(case.says(&[]), "0 approved body");
    case.then(|pull| pull.review_mut(review).state = "CHANGES_REQUESTED".to_owned());
    assert_eq!(
        case.says(&[]),
        "10 blocking changes-requested finding-review-body"
    );
    // Boilerplate with resolved findings neither blocks nor approves; it supersedes what is older.
    case.then(|pull| {
        let head = pull.head();
        let newer = pull.review(connector(), "COMMENTED", &announcement(&head), &head, at("09:20"));
        let thread = pull.thread_in(newer, "src/lib.rs", 3, &finding("P2", "Name it"));
        pull.resolve(thread);
    });
    assert_eq!(case.says(&[]), "0 approved body");
    case.then(|pull| pull.pull().reactions.clear());
    assert_eq!(case.says(&[]), "8 waiting no-approval");
}

#[test]
fn a_finding_comment_for_the_head_blocks_until_a_member_records_what_became_of_it() {
    let case = approved();
    let comment = case.then(|pull| {
        let head = pull.head();
        pull.connector_comment(&unanchored(&head), at("09:10"))
    });
    assert_eq!(case.says(&[]), "10 blocking finding-comment");
    case.then(|pull| {
        let reply = format!(
            "Fixed in the last push.\n\n<!-- codex-loop: handled issue-comment:{comment} outcome=fixed \
             id=5f0c1c4e-8d51-4c1c-9d7f-0f4a4a6f0001 -->"
        );
        pull.comment(grace(), &reply, at("09:20"));
    });
    assert_eq!(case.says(&[]), "0 approved body");
}

#[test]
fn an_answer_of_the_connector_in_somebodys_thread_blocks_and_is_no_finding() {
    let case = approved();
    let thread = case.then(|pull| {
        let head = pull.head();
        pull.thread(grace(), &head, "src/lib.rs", 3, "Why?", at("09:10"))
    });
    assert_eq!(case.says(&[]), "0 approved body");
    case.then(|pull| pull.reply(thread, connector(), "Because the lock is held here.", at("09:12")));
    assert_eq!(case.says(&[]), "10 blocking codex-thread");
    assert_eq!(
        case.headline(),
        "indeterminate by gate+run: earlier-thread-unresolved, then verify-threads"
    );
    assert_eq!(case.status(&[])["findings"], serde_json::json!([]));
}

#[test]
fn an_unclear_text_for_the_head_blocks_and_a_judgement_answers_it() {
    let case = approved();
    let comment = case.then(|pull| {
        let short: String = pull.head().chars().take(10).collect();
        let body =
            format!("Codex Review: The moon is in the seventh house.\n\n**Reviewed commit:** `{short}`");
        pull.connector_comment(&body, at("09:10"))
    });
    let (code, document) = case.gate(&[]);
    assert_eq!((code, codes(&document)), (10, vec!["unclear-result".to_owned()]));
    case.product.assert_fits_schema(&document);
    let needed = &document["judgementNeeded"][0];
    assert_eq!(needed["evidence"], format!("issue-comment:{comment}"));
    let digest = needed["bodySha256"].as_str().expect("a digest");
    let judge = |word: &str| format!("issue-comment:{comment}={word}@{digest}");
    assert_eq!(case.says(&["--judge", &judge("no-findings")]), "0 approved body");
    assert_eq!(
        case.says(&["--judge", &judge("findings")]),
        "10 blocking finding-comment"
    );
}

#[test]
fn a_review_that_is_visible_before_its_comments_blocks() {
    let github = crate::github::Github::start({
        let mut world = crate::github::World::opened(crate::github::ago("20m"));
        let mut pull = world.pull(42);
        let head = pull.head();
        pull.review(
            connector(),
            "COMMENTED",
            &announcement(&head),
            &head,
            crate::github::ago("5m"),
        );
        world
    });
    let case = Case {
        product: crate::product::Product::new(&github),
        github,
    };
    assert_eq!(case.says(&[]), "10 blocking inline-comments-lagging");
    // After half an hour nobody waits for them; somebody has to read it.
    let case = Case::new(|pull| {
        let head = pull.head();
        pull.review(connector(), "COMMENTED", &announcement(&head), &head, at("09:10"));
    });
    assert_eq!(case.says(&[]), "10 blocking unclear-result");
}

#[test]
fn a_closed_or_merged_pull_request_blocks() {
    let case = approved();
    case.then(|pull| pull.close(at("10:00")));
    assert_eq!(case.says(&[]), "10 blocking pull-closed");
    assert_eq!(case.headline(), "indeterminate by run: pull-closed, then stop");
    let case = approved();
    case.then(|pull| pull.merge(at("10:00")));
    assert_eq!(case.says(&["--override", "anyway"]), "10 overridden");
}

#[test]
fn another_bot_that_imitates_the_connector_changes_nothing() {
    let imitator = Account::bot("claude-review", 5);
    let case = approved();
    case.then(|pull| {
        let head = pull.head();
        pull.review(
            imitator.clone(),
            "CHANGES_REQUESTED",
            &unanchored(&head),
            &head,
            at("09:50"),
        );
        pull.thread(
            imitator.clone(),
            &head,
            "src/lib.rs",
            3,
            &finding("P0", "All is lost"),
            at("09:51"),
        );
        pull.comment(imitator.clone(), &unanchored(&head), at("09:52"));
        pull.comment(
            actions_bot(),
            &crate::github::clean_text(&sha("other")),
            at("09:53"),
        );
        pull.react_body(imitator.clone(), "eyes", at("09:54"));
    });
    assert_eq!(case.says(&[]), "0 approved body");
    // Nor does it approve.
    case.then(|pull| {
        pull.pull().reactions.clear();
        pull.react_body(imitator, "+1", at("09:55"));
        pull.react_body(ada(), "+1", at("09:55"));
    });
    assert_eq!(case.says(&[]), "8 waiting no-approval");
}
