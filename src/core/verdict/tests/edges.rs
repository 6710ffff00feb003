//! The edges of the headline's rows: from which second on, and from whom, a sign counts.

use super::*;
use crate::evidence::account::Account;
use crate::evidence::observed::{Timestamp, rfc3339};
use crate::evidence::review::ReviewState;
use crate::evidence::sample::connector_graphql;

const CLEAN_REVIEW: &str = "### 💡 Codex Review\n\nDidn't find any major issues.";
const SECURITY_REVIEW: &str = "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.";
const TASK_REPLY: &str =
    " **Summary**\n* Changed it.\n\n**Testing**\n* cargo test\n\n[View task →](https://chatgpt.com/s/cd_1)";

fn state(sample: &Sample) -> StateWord {
    verdict(sample).state
}

fn reviews_by(sample: &mut Sample, account: &Account) {
    for review in sample.evidence.surfaces.reviews.items_mut() {
        review.user = Some(account.clone());
    }
}

#[test]
fn a_result_for_the_head_is_clean_only_from_the_connector_and_after_the_arrival() {
    type Change = fn(&mut Sample);
    let rows: [(&str, Change, bool); 6] = [
        ("as it is", |_| {}, true),
        ("by a person", |sample| reviews_by(sample, &person()), false),
        (
            "dismissed",
            |sample| {
                for review in sample.evidence.surfaces.reviews.items_mut() {
                    review.state = ReviewState::Dismissed;
                }
            },
            false,
        ),
        (
            "of the security lane",
            |sample| {
                for review in sample.evidence.surfaces.reviews.items_mut() {
                    review.body = Observed::Known(SECURITY_REVIEW.into());
                }
            },
            false,
        ),
        (
            "pushed in its second",
            |sample| sample.force_push(at(5, 0), OTHER, HEAD),
            false,
        ),
        (
            "pushed just before",
            |sample| sample.force_push(at(4, 59), OTHER, HEAD),
            true,
        ),
    ];
    for (name, change, clean) in rows {
        let mut sample = checked();
        sample.review(at(5, 0), HEAD, CLEAN_REVIEW);
        change(&mut sample);
        let verdict = verdict(&sample);
        assert_eq!(
            verdict.state == StateWord::Clean,
            clean,
            "{name} {:?}",
            verdict.reasons
        );
        if clean {
            assert_eq!(verdict.by, [VerdictBy::Result], "{name}");
        }
    }
    // The head was first seen at 10:00:05; a review may be the first evidence itself.
    for (when, clean) in [(at(0, 5), false), (at(0, 6), true)] {
        let mut sample = checked();
        sample.clean_comment(when, short());
        assert_eq!(state(&sample) == StateWord::Clean, clean, "{when}");
    }
    let mut sample = checked();
    sample.without_suites();
    sample.review(at(5, 0), HEAD, CLEAN_REVIEW);
    assert_eq!(state(&sample), StateWord::Clean);
}

#[test]
fn a_running_row_is_spent_by_anything_strictly_later_that_ends_a_review() {
    type End = fn(&mut Sample, Timestamp);
    let ends: [(&str, End); 4] = [
        ("findings that were resolved", |sample, when| {
            let node = sample.thread(when, HEAD);
            sample.resolve(&node);
        }),
        (
            "a thumbs-up on a comment whose text is unclear",
            |sample, when| {
                let body = format!(
                    "Codex Review: I went through the diff twice.\n\n**Reviewed commit:** `{}`",
                    short()
                );
                let comment = sample.comment(connector(), at(4, 0), &body);
                sample.plus_one(comment, when);
            },
        ),
        (
            "a thumbs-up on the body that may be for an earlier head",
            |sample, when| {
                sample.force_push(at(0, 30), OTHER, HEAD);
                sample.react_body(PlusOne, when);
            },
        ),
        (
            "a stale thumbs-up on the newest of two triggers",
            |sample, when| {
                sample.trigger(at(1, 30));
                let newest = sample.trigger(at(2, 0));
                sample.plus_one(newest, when);
                sample.pull().last_edited_at = Observed::Known(at(8, 0));
            },
        ),
    ];
    for (name, end) in ends {
        for (when, spent) in [(at(4, 59), false), (at(5, 0), false), (at(5, 1), true)] {
            let mut sample = checked();
            sample.summary("🔄 **Running** since", short(), at(5, 0));
            end(&mut sample, when);
            let expected = if spent {
                StateWord::Indeterminate
            } else {
                StateWord::InProgress
            };
            let verdict = verdict(&sample);
            assert_eq!(verdict.state, expected, "{name} {when} {:?}", verdict.reasons);
        }
    }
}

#[test]
fn a_failed_row_speaks_until_the_connector_says_anything_later() {
    type Say = fn(&mut Sample, Timestamp);
    let rows: [(&str, Say, bool); 9] = [
        (
            "a comment",
            |sample, when| {
                sample.comment(connector(), when, TASK_REPLY);
            },
            true,
        ),
        (
            "a person's comment",
            |sample, when| {
                sample.comment(person(), when, "Hm.");
            },
            false,
        ),
        (
            "another summary comment",
            |sample, when| {
                let time = rfc3339(at(0, 40));
                let body = format!(
                    "<!-- codex-pull-request-review-summary -->\n## Codex Review Summary\n\n\
                     | Review | Status | Commit | Review trigger |\n| --- | --- | --- | --- |\n\
                     | 📝 **Code Review** | ✅ **Completed** <relative-time datetime=\"{time}\">{time}</relative-time> | `{OTHER}` | PR opened |\n"
                );
                sample.comment(connector(), when, &body);
            },
            false,
        ),
        (
            "a review",
            |sample, when| {
                sample.review(when, HEAD, SECURITY_REVIEW);
            },
            true,
        ),
        (
            "a person's review",
            |sample, when| {
                sample.review(when, HEAD, "Hm.");
                reviews_by(sample, &person());
            },
            false,
        ),
        (
            "an answer in a thread",
            |sample, when| answer(sample, when, &connector_graphql()),
            true,
        ),
        (
            "a person's answer in a thread",
            |sample, when| answer(sample, when, &person()),
            false,
        ),
        (
            "a thumbs-up",
            |sample, when| {
                let comment = sample.comment(person(), at(0, 20), "Hm.");
                sample.plus_one(comment, when);
            },
            true,
        ),
        (
            "a person's eyes",
            |sample, when| {
                let comment = sample.comment(person(), at(0, 20), "Hm.");
                sample.react(comment, person(), Eyes, when);
            },
            false,
        ),
    ];
    for (name, say, ends) in rows {
        for (when, later) in [(at(4, 59), false), (at(5, 0), false), (at(5, 1), true)] {
            let mut sample = checked();
            sample.summary("⚠️ **Failed**", short(), at(5, 0));
            say(&mut sample, when);
            assert_eq!(
                state(&sample) != StateWord::Failed,
                ends && later,
                "{name} {when}"
            );
        }
    }
    // Another reaction of the connector says nothing of a review.
    let mut sample = checked();
    sample.summary("⚠️ **Failed**", short(), at(5, 0));
    let comment = sample.comment(person(), at(0, 20), "Hm.");
    let rocket = crate::evidence::reaction::ReactionContent::Other("rocket".into());
    sample.react(comment, connector(), rocket, at(6, 0));
    assert_eq!(state(&sample), StateWord::Failed);
}

/// A resolved thread that a person began and `account` wrote in.
fn answer(sample: &mut Sample, when: Timestamp, account: &Account) {
    let node = sample.thread(at(0, 20), OTHER);
    sample.resolve(&node);
    reviews_by(sample, &person());
    for comment in sample.evidence.surfaces.review_comments.items_mut() {
        comment.user = Some(person());
    }
    for thread in sample.evidence.surfaces.threads.items_mut() {
        let mut answers = thread.comments.clone();
        for root in &mut thread.comments {
            root.author = Some(person());
            root.body = Observed::Known("Is this bound right?".into());
        }
        for (number, one) in (7_000..).zip(&mut answers) {
            one.id = Observed::Known(number);
            one.author = Some(account.clone());
            one.body = Observed::Known("It is.".into());
            one.created_at = Observed::Known(when);
        }
        thread.comments.append(&mut answers);
    }
}

#[test]
fn what_run_and_gate_say_of_the_same_evidence_is_told_once() {
    let mut sample = checked();
    sample.trigger(at(2, 0));
    sample.clean_comment(at(5, 0), short());
    for comment in sample.evidence.surfaces.issue_comments.items_mut() {
        if comment.created_at.get() == Some(at(5, 0)) {
            comment.user = None;
        }
    }
    let verdict = verdict(&sample);
    let codes: Vec<_> = verdict.reasons.iter().map(|reason| reason.code).collect();
    assert_eq!(codes, [ReasonCode::IdentityMismatch]);
    assert_eq!(verdict.by, [VerdictBy::Run]);
}

#[test]
fn several_blockers_of_a_kind_are_one_counted_reason() {
    for (count, expected) in [
        (1, "The connector has 1 open thread."),
        (2, "The connector has 2 open threads."),
    ] {
        let mut sample = checked();
        for minute in 0..count {
            sample.thread(at(3 + minute, 0), OTHER);
        }
        let verdict = verdict(&sample);
        let told: Vec<_> = verdict
            .reasons
            .iter()
            .map(|reason| (reason.code, reason.message.as_str(), reason.evidence.len()))
            .collect();
        assert_eq!(
            told,
            [(
                ReasonCode::FindingThread,
                expected,
                usize::try_from(count).expect("small")
            )]
        );
    }
    // A kind of its own stays a reason of its own.
    let mut sample = checked();
    sample.thread(at(3, 0), OTHER);
    sample.comment(
        connector(),
        at(4, 0),
        "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.",
    );
    let codes: Vec<_> = verdict(&sample)
        .reasons
        .iter()
        .map(|reason| reason.code)
        .collect();
    assert_eq!(codes, [ReasonCode::FindingThread, ReasonCode::FindingComment]);
}
