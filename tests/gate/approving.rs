//! What approves, on every surface, and what makes it wait.

use crate::github::{at, clean_text, connector, impostor};

use super::{Case, summary};

#[test]
fn a_thumbs_up_on_the_body_approves_and_the_four_lines_say_so() {
    let case = Case::new(|pull| {
        pull.react_body(connector(), "+1", at("09:06"));
    });
    let head = case.then(|pull| pull.head());
    let run = case.product.run(&["gate", "42"]).expect(0);
    assert_eq!(
        run.stdout,
        format!(
            "Codex gate: approved\nHead: {head}\nTests: passing\n\
             Evidence: https://github.com/octo/widgets/pull/42\n\
             gh pr merge 42 --match-head-commit {head}\n"
        )
    );
    let (_, document) = case.gate(&[]);
    assert_eq!(document["approval"]["createdAt"], "2026-09-16T09:06:00Z");
    assert_eq!(document["notBefore"], "2026-09-16T09:01:00Z");
    assert_eq!(document["mergeAllowed"], true);
    assert_eq!(
        document["mergeCommand"],
        format!("gh pr merge 42 --match-head-commit {head}")
    );
    assert_eq!(document["schema"], "codex-loop.gate/1");
    case.product.assert_fits_schema(&document);
    assert!(case.github.log().writes().is_empty());
}

#[test]
fn each_surface_approves_and_is_stale_after_a_later_check_or_edit() {
    let body = Case::new(|pull| {
        pull.react_body(connector(), "+1", at("09:06"));
    });
    let trigger = Case::new(|pull| {
        let trigger = pull.person_comment("@codex review", at("09:02"));
        pull.react(trigger, connector(), "+1", at("09:06"));
    });
    let comment = Case::new(|pull| {
        let head = pull.head();
        let comment = pull.connector_comment(&clean_text(&head), at("09:05"));
        pull.react(comment, connector(), "+1", at("09:06"));
    });
    for (case, surface) in [(body, "body"), (trigger, "trigger"), (comment, "comment")] {
        assert_eq!(case.says(&[]), format!("0 approved {surface}"));
        case.then(|pull| pull.edit_body(crate::github::ada(), "Another description.", at("09:06:01")));
        assert_eq!(case.says(&[]), "8 waiting approval-stale", "{surface}");
        let arguments = ["--edit-immaterial", "only a typing error"];
        let (code, document) = case.gate(&arguments);
        let expected = if surface == "comment" { "09:05" } else { "09:06" };
        assert_eq!(code, 0, "{surface} of {expected}: {document:#}");
        assert_eq!(document["editImmaterial"], "only a typing error");
        assert_eq!(document["notBefore"], "2026-09-16T09:01:00Z");
        // The first check of the head starts later than the thumbs-up.
        case.then(|pull| {
            pull.pull().last_edited_at = None;
            for suite in &mut pull.repository().suites {
                for run in &mut suite.runs {
                    run.started_at = Some(at("09:07"));
                }
            }
        });
        assert_eq!(case.says(&[]), "8 waiting approval-stale", "{surface}");
    }
}

#[test]
fn eyes_newer_than_the_thumbs_up_wait_and_a_newer_thumbs_up_approves() {
    let case = Case::new(|pull| {
        pull.react_body(connector(), "eyes", at("09:02"));
    });
    assert_eq!(case.says(&[]), "8 waiting reviewing");
    let thumb = case.then(|pull| pull.react_body(connector(), "+1", at("09:06")));
    assert_eq!(case.says(&[]), "0 approved body");
    case.then(|pull| {
        pull.unreact(crate::github::Target::Body, thumb);
        pull.react_body(connector(), "+1", at("09:02"));
    });
    assert_eq!(case.says(&[]), "8 waiting reviewing");
}

#[test]
fn re_running_all_checks_does_not_move_the_lower_bound() {
    let case = Case::new(|pull| {
        pull.react_body(connector(), "+1", at("09:06"));
        let head = pull.head();
        let suite = pull.suite(&head, at("09:01"));
        pull.check_in(suite, "build", Some("success"), at("09:30"), at("09:31"));
        // The re-run belongs to the suite of the first attempt.
        let run = pull.suite_mut(suite).runs.remove(0);
        pull.repository().suites.retain(|known| known.id != suite.0);
        let first = pull
            .repository()
            .suites
            .iter_mut()
            .find(|known| known.sha == head);
        first.expect("a suite").runs.push(run);
    });
    let (code, document) = case.gate(&[]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(document["notBefore"], "2026-09-16T09:01:00Z");
}

#[test]
fn without_timestamped_checks_only_what_names_the_head_approves() {
    let case = Case::new(|pull| {
        pull.no_checks();
        pull.react_body(connector(), "+1", at("09:06"));
    });
    assert_eq!(case.says(&[]), "8 waiting no-timestamped-checks");
    let comment = case.then(|pull| {
        let head = pull.head();
        let comment = pull.connector_comment(&clean_text(&head), at("09:05"));
        pull.react(comment, connector(), "+1", at("09:06"));
        comment
    });
    // Approved, and without any test it waits unless that is allowed.
    assert_eq!(case.says(&[]), "8 approved comment");
    assert_eq!(case.says(&["--allow-no-checks"]), "0 approved comment");
    let (_, document) = case.gate(&[]);
    assert_eq!(document["tests"], "none");
    assert_eq!(document["mergeAllowed"], false);
    // The comment has to be later than the edit.
    case.then(|pull| pull.edit_body(crate::github::ada(), "Another description.", at("09:05")));
    assert_eq!(case.says(&[]), "8 waiting approval-stale");
    case.then(|pull| pull.comment_mut(comment).created_at = at("09:05:01"));
    case.then(|pull| pull.comment_mut(comment).updated_at = at("09:05:01"));
    assert_eq!(case.says(&[]), "8 approved comment");
}

#[test]
fn silence_strangers_and_green_checks_approve_nothing() {
    let case = Case::new(|pull| {
        pull.pull().review_decision = Some("APPROVED".to_owned());
        pull.react_body(crate::github::ada(), "+1", at("09:06"));
        pull.react_body(impostor(), "+1", at("09:06"));
        let head = pull.head();
        pull.review(crate::github::grace(), "APPROVED", "Fine.", &head, at("09:07"));
    });
    assert_eq!(case.says(&[]), "8 waiting no-approval");
    case.then(|pull| {
        let head = pull.head();
        pull.connector_comment(&clean_text(&head), at("09:05"));
    });
    assert_eq!(case.says(&[]), "8 waiting no-approval");
}

#[test]
fn a_request_after_the_approval_waits_and_the_headline_is_not_clean() {
    let case = Case::new(|pull| {
        pull.react_body(connector(), "+1", at("09:06"));
    });
    assert_eq!(case.headline(), "clean by gate: clean-reaction, then none");
    case.then(|pull| pull.person_comment("@codex review", at("09:20")));
    assert_eq!(case.says(&[]), "8 waiting reviewing");
    assert_eq!(case.headline(), "in-progress by gate: acknowledged, then poll");
}

#[test]
fn the_newest_comment_or_row_for_another_commit_waits() {
    let case = Case::new(|pull| {
        pull.react_body(connector(), "+1", at("09:40"));
        pull.connector_comment(&clean_text(&crate::github::sha("elsewhere")), at("09:30"));
    });
    assert_eq!(case.says(&[]), "8 waiting reviewed-commit-mismatch");
    // A row for this head is newer.
    let comment = case.then(|pull| {
        let head = pull.head();
        pull.connector_comment(
            &summary("✅ **Completed**", &head, "2026-09-16T09:39:58Z"),
            at("09:00:18"),
        )
    });
    assert_eq!(case.says(&[]), "0 approved body");
    case.then(|pull| {
        let other = summary(
            "✅ **Completed**",
            &crate::github::sha("other"),
            "2026-09-16T09:41:00Z",
        );
        pull.edit(comment, connector(), &other, at("09:41"));
    });
    assert_eq!(case.says(&[]), "8 waiting reviewed-commit-mismatch");
}

#[test]
fn a_thumbs_up_soon_after_a_push_is_unbound_until_something_names_the_head() {
    let case = Case::new(|pull| {
        pull.push("second", at("10:00"));
        pull.react_body(connector(), "+1", at("10:05"));
    });
    assert_eq!(case.says(&[]), "8 waiting approval-unbound");
    assert_eq!(
        case.headline(),
        "indeterminate by run: no-trigger, then request-review"
    );
    case.then(|pull| {
        let head = pull.head();
        pull.connector_comment(
            &summary("✅ **Completed**", &head, "2026-09-16T10:04:58Z"),
            at("09:00:18"),
        );
    });
    assert_eq!(case.says(&[]), "0 approved body");

    let case = Case::new(|pull| {
        pull.push("second", at("10:00"));
        pull.react_body(connector(), "+1", at("10:05"));
        let head = pull.head();
        pull.connector_comment(&clean_text(&head), at("10:04:58"));
    });
    assert_eq!(case.says(&[]), "0 approved body");
}
