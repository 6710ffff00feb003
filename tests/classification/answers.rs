//! What the connector's answers make of a run.

use super::{classify, classify_with, expect, indeterminate};
use crate::github::{World, actions_bot, ada, announcement, at, clean_text, connector, finding};

/// A world with one trigger at 10:00; `more` adds what follows.
fn asked(more: impl FnOnce(&mut crate::github::PullHandle<'_>, crate::github::CommentId)) -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let trigger = pull.person_comment("@codex review", at("10:00"));
    more(&mut pull, trigger);
    world
}

#[test]
fn a_plus_one_on_the_trigger_is_clean_in_both_serialisations() {
    let user = asked(|pull, trigger| {
        pull.react(trigger, connector(), "+1", at("10:04"));
    });
    let run = classify(user);
    expect(&run, "clean", "clean-reaction", 0);
    assert_eq!(run.json()["next"]["action"], "none");
    let bot = asked(|pull, trigger| {
        pull.react(trigger, connector(), "+1", at("10:04"));
        for reaction in pull.reactions_of(trigger.into()) {
            reaction
                .overrides
                .rest(|json| json["user"]["type"] = "Bot".into());
        }
    });
    expect(&classify(bot), "clean", "clean-reaction", 0);
    let strict = asked(|pull, trigger| {
        pull.react(trigger, connector(), "+1", at("10:04"));
    });
    indeterminate(
        &classify_with(strict, &["--strict-identity"]),
        "identity-mismatch",
    );
}

#[test]
fn a_second_unanswered_trigger_overlaps() {
    let run = classify(asked(|pull, _| {
        let newest = pull.person_comment("@codex review", at("10:01"));
        pull.react(newest, connector(), "+1", at("10:04"));
    }));
    indeterminate(&run, "overlapping-triggers");
    assert_eq!(run.json()["next"]["action"], "reconcile");
    assert_eq!(run.json()["candidates"].as_array().map(Vec::len), Some(2));
}

#[test]
fn an_open_thread_is_a_finding_when_later_and_blocks_clean_when_earlier() {
    let run = classify(asked(|pull, trigger| {
        let head = pull.head();
        pull.react(trigger, connector(), "+1", at("10:04"));
        pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("10:03"),
        );
    }));
    expect(&run, "findings", "finding-thread", 10);
    let document = run.json();
    let row = &document["findings"][0];
    assert_eq!(row["priority"], "P1");
    assert_eq!(row["title"], "Keep the lock");
    assert_eq!(row["path"], "src/lib.rs");
    assert_eq!(row["state"], "open");
    assert_eq!(row["threadId"], document["threads"]["unresolvedIds"][0]);
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        at("09:50"),
    );
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "+1", at("10:04"));
    let run = classify(world);
    indeterminate(&run, "earlier-thread-unresolved");
    assert_eq!(run.json()["next"]["action"], "verify-threads");
}

#[test]
fn a_thread_in_the_second_of_the_trigger_has_no_order() {
    let run = classify(asked(|pull, trigger| {
        let head = pull.head();
        pull.react(trigger, connector(), "+1", at("10:04"));
        pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("10:00"),
        );
    }));
    indeterminate(&run, "same-time-evidence");
}

#[test]
fn findings_after_the_thumb_and_resolved_without_a_push_are_not_clean() {
    let run = classify(asked(|pull, trigger| {
        let head = pull.head();
        pull.react(trigger, connector(), "+1", at("10:04:00"));
        let thread = pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("10:04:59"),
        );
        pull.resolve(thread);
    }));
    indeterminate(&run, "findings-resolved");
    assert_eq!(run.json()["next"]["action"], "request-review");
}

#[test]
fn a_thread_of_another_head_blocks_clean() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let old = pull.head();
    pull.push("second", at("09:40"));
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "+1", at("10:04"));
    pull.thread(
        connector(),
        &old,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        at("10:03"),
    );
    indeterminate(&classify(world), "result-for-other-head");
}

#[test]
fn eyes_are_in_progress_also_when_newer_than_the_thumb() {
    let run = classify(asked(|pull, trigger| {
        pull.react(trigger, connector(), "eyes", at("10:00:09"));
    }));
    expect(&run, "in-progress", "acknowledged", 8);
    assert_eq!(run.json()["next"]["action"], "poll");
    let run = classify(asked(|pull, trigger| {
        pull.react(trigger, connector(), "+1", at("10:04"));
        pull.react(trigger, connector(), "eyes", at("10:05"));
    }));
    expect(&run, "in-progress", "acknowledged", 8);
}

#[test]
fn clean_comments_with_any_tail_and_either_apostrophe() {
    for sentence in [
        "Codex Review: Didn't find any major issues. Swish!",
        "Codex Review: Didn\u{2019}t find any major issues. :tada:",
        "Codex Review: Didn't find any major issues. 🚀",
        "Codex Review: Didn't find any major issues. What shall we delve into next?",
        "Codex Review: Didn't find any major issues.",
        "Codex Review: I reviewed the whole diff and there is nothing to report.",
        "Codex Review: No problems were found in this change. Nice work!",
    ] {
        let run = classify(asked(|pull, _| {
            let head = pull.head();
            pull.connector_comment(
                &format!("{sentence}\n\n**Reviewed commit:** `{}`", &head[..10]),
                at("10:04"),
            );
        }));
        expect(&run, "clean", "clean-review-result", 0);
    }
}

#[test]
fn a_clean_comment_without_this_commit_is_not_clean() {
    let run = classify(asked(|pull, _| {
        pull.connector_comment(
            &clean_text("1234567890123456789012345678901234567890"),
            at("10:04"),
        );
    }));
    indeterminate(&run, "result-for-other-head");
    let run = classify(asked(|pull, _| {
        pull.connector_comment("Codex Review: Didn't find any major issues. Swish!", at("10:04"));
    }));
    indeterminate(&run, "commit-unresolved");
}

#[test]
fn what_only_sounds_clean_is_not_clean() {
    for body in [
        "Codex Review: Didn't find any major issues, but the retry loop never ends.",
        "Codex Review: No issues yet, still reviewing.",
        "Codex Review: Didn't find any major issues so far.",
        "Codex Review: Didn't find any major issues.\n\n![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat) Wrong bound",
        "Codex Review: Didn't find any major issues.\n\nhttps://github.com/octo/widgets/blob/0123456789012345678901234567890123456789/src/lib.rs#L1-L2",
        "Codex Review: the last answer was\n> Didn't find any major issues.",
        "Codex Review:\n```\nDidn't find any major issues.\n```",
    ] {
        let run = classify(asked(|pull, _| {
            let head = pull.head();
            pull.connector_comment(
                &format!("{body}\n\n**Reviewed commit:** `{}`", &head[..10]),
                at("10:04"),
            );
        }));
        assert_ne!(run.json()["state"], "clean", "{body}");
        assert_ne!(run.code, Some(0), "{body}");
    }
}

#[test]
fn the_security_lane_makes_no_code_review_clean() {
    let run = classify(asked(|pull, _| {
        let head = pull.head();
        pull.connector_comment(
            &format!(
                "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.\n\n**Reviewed commit:** `{}`",
                &head[..10]
            ),
            at("10:04"),
        );
    }));
    indeterminate(&run, "no-terminal-output");
}

#[test]
fn an_unclear_result_is_decided_by_a_judgement_of_exactly_that_body() {
    let unclear = |pull: &mut crate::github::PullHandle<'_>| {
        let head = pull.head();
        let body = format!(
            "Codex Review: I went through the diff twice.\n\n**Reviewed commit:** `{}`",
            &head[..10]
        );
        pull.connector_comment(&body, at("10:04"))
    };
    let run = classify(asked(|pull, _| {
        unclear(pull);
    }));
    indeterminate(&run, "unclear-result");
    let document = run.json();
    assert_eq!(document["next"]["action"], "judge");
    let needed = &document["judgementNeeded"][0];
    let key = needed["evidence"].as_str().expect("a name").to_owned();
    let digest = needed["bodySha256"].as_str().expect("a digest").to_owned();
    for (answer, state, code) in [("no-findings", "clean", 0), ("findings", "findings", 10)] {
        let judge = format!("{key}={answer}@{digest}");
        let run = classify_with(
            asked(|pull, _| {
                unclear(pull);
            }),
            &["--judge", &judge],
        );
        assert_eq!(
            (run.json()["state"].as_str(), run.code),
            (Some(state), Some(code)),
            "{run}"
        );
        assert_eq!(run.json()["judgements"][0]["applied"], true);
    }
    let judge = format!("{key}=no-findings@{}", "0".repeat(64));
    let run = classify_with(
        asked(|pull, _| {
            unclear(pull);
        }),
        &["--judge", &judge],
    );
    indeterminate(&run, "unclear-result");
    assert!(
        run.stderr.contains(&format!("--judge {key} decides nothing")),
        "{run}"
    );
}

#[test]
fn notices_and_replies_have_their_own_codes() {
    for (body, reason) in [
        (
            "You have reached your Codex usage limits for code reviews. You can see your limits in the [Codex usage dashboard](https://chatgpt.com/codex/settings/usage).",
            "notice-usage-limit",
        ),
        (
            "To use Codex here, [create an environment for this repo](https://chatgpt.com/codex/settings/environments).",
            "notice-environment",
        ),
        (
            "To use Codex here, [create a Codex account and connect to github](https://chatgpt.com/codex).",
            "notice-account",
        ),
        (
            "This workspace is deactivated. Select an active workspace and try again.",
            "notice-workspace",
        ),
        (
            "Codex couldn't complete this request. Try again later.",
            "notice-request-failed",
        ),
        (
            "Codex Review: Something went wrong. Try again later by commenting “@codex review”.\n\n```\nProvided git ref abc does not exist\n```",
            "notice-error-unlisted",
        ),
        (
            " **Summary**\n* Added a test\n\n**Testing**\n* cargo test\n\n[View task →](https://chatgpt.com/s/cd_6868)",
            "task-reply",
        ),
    ] {
        let run = classify(asked(|pull, _| {
            pull.connector_comment(body, at("10:00:08"));
        }));
        indeterminate(&run, reason);
    }
}

#[test]
fn the_summary_rows_have_their_own_codes() {
    for (status, reason) in [
        ("✅ **Completed**", "summary-only"),
        ("🔄 **Running** since", "summary-running"),
        ("⚠️ **Failed**", "summary-failed"),
    ] {
        let run = classify(asked(|pull, _| {
            let head = pull.head();
            let when = format!("{}T10:04:00.960863Z", &at("10:04").to_rfc3339()[..10]);
            pull.connector_comment(
                &format!(
                    "<!-- codex-pull-request-review-summary -->\n## Codex Review Summary\n\n| Review | Status | Commit | Review trigger |\n| --- | --- | --- | --- |\n| 📝 **Code Review** | {status} <relative-time datetime=\"{when}\">{when}</relative-time> | `{}` | Manual request |",
                    &head[..7]
                ),
                at("09:30"),
            );
        }));
        indeterminate(&run, reason);
    }
}

#[test]
fn a_refusal_leaves_room_for_the_next_trigger() {
    let limit = "You have reached your Codex usage limits for code reviews.";
    let run = classify(asked(|pull, _| {
        pull.connector_comment(limit, at("10:00:08"));
        let second = pull.person_comment("@codex review", at("11:00"));
        pull.react(second, connector(), "+1", at("11:04"));
    }));
    expect(&run, "clean", "clean-reaction", 0);
    assert_eq!(run.json()["candidates"][0]["resolution"]["kind"], "refused");
}

#[test]
fn a_clean_comment_that_a_person_edited_proves_nothing() {
    let run = classify(asked(|pull, _| {
        let head = pull.head();
        let clean = pull.connector_comment("Codex Review: one finding", at("10:04"));
        pull.edit(clean, ada(), &clean_text(&head), at("10:30"));
    }));
    indeterminate(&run, "evidence-edited");
    let run = classify(asked(|pull, _| {
        let head = pull.head();
        let clean = pull.connector_comment("Codex Review: reviewing", at("10:04"));
        pull.edit(clean, connector(), &clean_text(&head), at("10:30"));
    }));
    expect(&run, "clean", "clean-review-result", 0);
}

#[test]
fn a_bots_trigger_without_a_reaction_is_a_warning() {
    let run = classify(asked(|pull, trigger| {
        pull.react(trigger, connector(), "+1", at("10:04"));
        pull.comment(actions_bot(), "@codex review", at("10:05"));
    }));
    expect(&run, "clean", "clean-reaction", 0);
    let document = run.json();
    let codes: Vec<_> = document["warnings"]
        .as_array()
        .expect("warnings")
        .iter()
        .filter_map(|warning| warning["code"].as_str())
        .collect();
    assert!(codes.contains(&"trigger-by-bot"), "{run}");
}

#[test]
fn a_review_without_its_inline_comments_is_waited_for() {
    use crate::github::{World, ago};
    let mut world = World::opened(ago("3h"));
    let mut pull = world.pull(42);
    let head = pull.head();
    let trigger = pull.person_comment("@codex review", ago("10m"));
    pull.react(trigger, connector(), "+1", ago("4m"));
    pull.review(connector(), "COMMENTED", &announcement(&head), &head, ago("5m"));
    let run = classify(world);
    indeterminate(&run, "inline-comments-lagging");
    assert_eq!(run.json()["next"]["action"], "poll");
}
