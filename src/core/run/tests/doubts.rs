//! Who may have spoken, in which second, for which commit, and who edited it: each doubt with the row next to it that
//! leaves no doubt.

use super::*;
use crate::evidence::reaction::ReactionContent::Eyes;
use crate::evidence::thread::Thread;

const CLEAN: &str = "Codex Review: Didn't find any major issues.";
const BADGED: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.";
const TASK_REPLY: &str =
    " **Summary**\n* Changed it.\n\n**Testing**\n* cargo test\n\n[View task →](https://chatgpt.com/s/cd_1)";
const CLEAN_REVIEW: &str = "### 💡 Codex Review\n\nDidn't find any major issues.";

/// Every reason code, the decisive one first.
fn codes(sample: &Sample) -> Vec<ReasonCode> {
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
    run.reasons.iter().map(|reason| reason.code).collect()
}

/// The evidence of the first reason, as documents name it.
fn evidence(sample: &Sample) -> Vec<String> {
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
    let first = run.reasons.first().expect("reasons are never empty");
    first.evidence.iter().map(ToString::to_string).collect()
}

fn labelled(text: &str) -> String {
    format!("{text}\n\n**Reviewed commit:** `{}`", short())
}

/// The connector's login with a person's type.
fn mismatched() -> Account {
    Account {
        kind: Observed::Known("User".into()),
        ..connector()
    }
}

/// A trigger that the connector gave its +1.
fn answered() -> Sample {
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample
}

#[test]
fn a_doubtful_comment_matters_when_it_has_a_meaning_and_is_not_older_than_the_trigger() {
    let clean = (StateWord::Clean, ReasonCode::CleanReaction, NextAction::None);
    for (author, body, matters) in [
        (None, "@codex review".to_owned(), true),
        (None, CLEAN.to_owned(), true),
        (None, FAILURE.to_owned(), true),
        (
            None,
            "You have reached your Codex usage limits for code reviews.".to_owned(),
            true,
        ),
        // Of no known meaning, but it names a reviewed commit or begins as a result does.
        (None, labelled("Nice work."), true),
        (None, "Codex Review: I looked at it.".to_owned(), true),
        (None, "Thanks, I looked at it.".to_owned(), false),
        (Some(mismatched()), "@codex review".to_owned(), true),
        (Some(mismatched()), CLEAN.to_owned(), true),
        (Some(mismatched()), FAILURE.to_owned(), true),
        (Some(mismatched()), "Thanks, I looked at it.".to_owned(), false),
        (Some(person()), CLEAN.to_owned(), false),
        (Some(person()), FAILURE.to_owned(), false),
    ] {
        for (when, later) in [(at(9, 0), false), (at(15, 0), true)] {
            let mut sample = Sample::new();
            let says = |sample: &mut Sample| {
                let comment = sample.comment(person(), when, &body);
                for one in sample.evidence.surfaces.issue_comments.items_mut() {
                    if one.id.get() == Some(comment) {
                        one.user = author.clone();
                    }
                }
            };
            // Ids grow with time, as GitHub gives them.
            if !later {
                says(&mut sample);
            }
            let trigger = sample.trigger(at(10, 0));
            sample.plus_one(trigger, at(14, 0));
            if later {
                says(&mut sample);
            }
            // An older trigger of an unknown author is a trigger all the same: it is unanswered.
            let expected = match (matters, later, author.is_none() && body == "@codex review") {
                (true, true, _) => indeterminate(ReasonCode::IdentityMismatch),
                (true, false, true) => indeterminate(ReasonCode::OverlappingTriggers),
                (true, false, false) | (false, _, _) => clean,
            };
            assert_eq!(outcome(&sample), expected, "{author:?} {body:?} later: {later}");
        }
    }
}

#[test]
fn a_doubtful_review_or_thread_matters_when_it_may_be_the_connectors_and_is_not_older() {
    let set_author = |sample: &mut Sample, author: Option<&Account>| {
        for review in sample.evidence.surfaces.reviews.items_mut() {
            review.user = author.cloned();
        }
    };
    let findings = format!("### 💡 Codex Review\n\nhttps://github.com/o/r/blob/{HEAD}/a.rs#L1-L2\n{BADGED}");
    let anonymous: Option<Account> = None;
    let odd = Some(mismatched());
    for (author, body, matters) in [
        (&anonymous, findings.as_str(), true),
        (&anonymous, CLEAN_REVIEW, true),
        (&anonymous, "Codex Review: I looked at it.", true),
        (&anonymous, "I looked at it.", false),
        // Without text and inline comments it is no person's remark; the connector's comments may not be visible yet.
        (&anonymous, "", true),
        (&odd, "", true),
        (&odd, findings.as_str(), true),
        (&odd, "I looked at it.", false),
    ] {
        for (when, later) in [(at(9, 59), false), (at(10, 0), true), (at(15, 0), true)] {
            let mut sample = answered();
            sample.review(when, HEAD, body);
            set_author(&mut sample, author.as_ref());
            let found = codes(&sample).contains(&ReasonCode::IdentityMismatch);
            assert_eq!(found, matters && later, "{author:?} {body:?} {when}");
        }
    }
    for (author, text, matters) in [
        (None, BADGED, true),
        (None, "Is this bound right?", false),
        (Some("User"), "Is this bound right?", true),
    ] {
        for (when, later) in [(at(9, 59), false), (at(10, 0), true), (at(15, 0), true)] {
            let mut sample = answered();
            sample.thread(when, HEAD);
            let odd = |mut account: Account| {
                author.map(|kind: &str| {
                    account.kind = Observed::Known(kind.into());
                    account
                })
            };
            for thread in sample.evidence.surfaces.threads.items_mut() {
                for comment in &mut thread.comments {
                    comment.author = odd(crate::evidence::sample::connector_graphql());
                    comment.body = Observed::Known(text.into());
                }
            }
            for comment in sample.evidence.surfaces.review_comments.items_mut() {
                comment.user = odd(connector());
                comment.body = Observed::Known(text.into());
            }
            set_author(&mut sample, Some(&person()));
            let found = codes(&sample).contains(&ReasonCode::IdentityMismatch);
            assert_eq!(found, matters && later, "{author:?} {text:?} {when}");
        }
    }
}

#[test]
fn the_second_of_the_trigger_is_no_order_for_what_may_answer_it() {
    let clean = (StateWord::Clean, ReasonCode::CleanReaction, NextAction::None);
    let same = indeterminate(ReasonCode::SameTimeEvidence);
    let security = "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.";
    for (commit, body, expected) in [
        (HEAD, CLEAN_REVIEW, same),
        (OTHER, CLEAN_REVIEW, clean),
        (HEAD, security, clean),
    ] {
        let mut sample = answered();
        sample.review(at(10, 0), commit, body);
        assert_eq!(outcome(&sample), expected, "{commit} {body:?}");
    }
    // A thread by the connector; one by a person is nothing.
    for (commit, resolved, by, expected) in [
        (HEAD, true, crate::evidence::sample::connector_graphql(), same),
        (OTHER, false, crate::evidence::sample::connector_graphql(), same),
        (OTHER, true, crate::evidence::sample::connector_graphql(), clean),
        (HEAD, true, person(), clean),
    ] {
        let mut sample = answered();
        let node = sample.thread(at(10, 0), commit);
        if resolved {
            sample.resolve(&node);
        }
        // The review itself is older, so that the thread alone stands in that second.
        for review in sample.evidence.surfaces.reviews.items_mut() {
            review.submitted_at = Observed::Known(at(9, 50));
        }
        for thread in sample.evidence.surfaces.threads.items_mut() {
            for comment in &mut thread.comments {
                comment.author = Some(by.clone());
            }
        }
        assert_eq!(outcome(&sample), expected, "{commit} {resolved} {by:?}");
    }
}

#[test]
fn a_result_in_the_second_of_the_eyes_ends_the_run_only_with_something_later() {
    let build = |eyes| {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.eyes(trigger, eyes);
        (sample, trigger)
    };
    let (mut sample, _) = build(at(12, 0));
    sample.review(at(12, 0), HEAD, CLEAN_REVIEW);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::SameTimeEvidence));
    let (mut sample, trigger) = build(at(12, 0));
    sample.review(at(12, 0), HEAD, CLEAN_REVIEW);
    sample.plus_one(trigger, at(12, 1));
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    let (mut sample, _) = build(at(12, 0));
    sample.review(at(12, 1), HEAD, CLEAN_REVIEW);
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    // A comment of the trigger's own second: IssueCommentOrder tells on which side of the trigger it stands.
    let (mut sample, _) = build(at(10, 0));
    sample.clean_comment(at(10, 0), short());
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::SameTimeEvidence));
    let mut sample = Sample::new();
    sample.clean_comment(at(10, 0), short());
    let trigger = sample.trigger(at(10, 0));
    sample.eyes(trigger, at(10, 0));
    assert_eq!(outcome(&sample).0, StateWord::InProgress);
    // A refusal is no answer of a review: its own code stands.
    let (mut sample, _) = build(at(12, 0));
    sample.comment(
        connector(),
        at(12, 0),
        "You have reached your Codex usage limits for code reviews.",
    );
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::NoticeUsageLimit));
}

#[test]
fn only_what_belongs_to_this_head_and_lane_ends_what_the_eyes_began() {
    let progress = (StateWord::InProgress, ReasonCode::Acknowledged, NextAction::Poll);
    let security = labelled(
        "### 🛡️ Codex Security Review\nSecurity review completed. No security issues were found in this pull request.",
    );
    let unclear = labelled("Codex Review: I went through the diff twice.");
    for (when, body, expected) in [
        (at(12, 30), security.as_str(), progress),
        (at(12, 30), TASK_REPLY, progress),
        (
            at(12, 30),
            unclear.as_str(),
            indeterminate(ReasonCode::UnclearResult),
        ),
        // In the second of the eyes nothing is shown to be later than they are.
        (at(12, 0), unclear.as_str(), progress),
        (at(11, 59), unclear.as_str(), progress),
        (
            at(12, 30),
            "Codex couldn't complete this request. Try again later.",
            indeterminate(ReasonCode::NoticeRequestFailed),
        ),
    ] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.eyes(trigger, at(12, 0));
        sample.comment(connector(), when, body);
        assert_eq!(outcome(&sample), expected, "{when} {body:?}");
    }
}

#[test]
fn a_failure_that_somebody_else_edited_leaves_a_later_plus_one_unproven() {
    for (editor, expected) in [
        (person(), indeterminate(ReasonCode::EvidenceEdited)),
        (
            crate::evidence::sample::connector_graphql(),
            (
                StateWord::Failed,
                ReasonCode::TerminalSignature,
                NextAction::Retry,
            ),
        ),
    ] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        let failure = sample.comment(connector(), at(12, 0), FAILURE);
        sample.edited(failure, editor.clone());
        if editor == person() {
            sample.plus_one(trigger, at(14, 0));
        }
        assert_eq!(outcome(&sample), expected, "{editor:?}");
    }
    // Another text that somebody edited ended no run.
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    let reply = sample.comment(connector(), at(12, 0), TASK_REPLY);
    sample.edited(reply, person());
    sample.plus_one(trigger, at(14, 0));
    assert_eq!(outcome(&sample).0, StateWord::Clean);
}

#[test]
fn an_edited_clean_review_is_told_only_where_it_would_have_decided() {
    use ReasonCode::{EvidenceEdited, NoTerminalOutput, ResultForOtherHead};
    for (when, commit, body, by, expected) in [
        (at(14, 0), HEAD, CLEAN_REVIEW, connector(), EvidenceEdited),
        (at(10, 0), HEAD, CLEAN_REVIEW, person(), NoTerminalOutput),
        (at(9, 59), HEAD, CLEAN_REVIEW, connector(), NoTerminalOutput),
        (at(14, 0), HEAD, CLEAN_REVIEW, person(), NoTerminalOutput),
        (at(14, 0), OTHER, CLEAN_REVIEW, connector(), ResultForOtherHead),
        (at(14, 0), OTHER, CLEAN_REVIEW, person(), NoTerminalOutput),
        (at(9, 59), OTHER, CLEAN_REVIEW, connector(), NoTerminalOutput),
        // The security lane names another head than the code lane without meaning anything by it.
        (
            at(14, 0),
            OTHER,
            "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.",
            connector(),
            NoTerminalOutput,
        ),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        let review = sample.review(when, commit, body);
        for one in sample.evidence.surfaces.reviews.items_mut() {
            one.user = Some(by.clone());
        }
        let node_id = format!("PRR_{review}");
        for edit in sample.evidence.surfaces.edits.items_mut() {
            if edit.node_id == node_id {
                edit.last_edited_at = Observed::Known(at(50, 0));
                edit.editor = Some(person());
            }
        }
        assert_eq!(codes(&sample), vec![expected], "{when} {commit} {body:?} {by:?}");
    }
}

#[test]
fn inline_comments_are_waited_for_for_half_an_hour_and_only_since_the_trigger() {
    // Everything was read at 10:59:00.
    let lags = |trigger, comment| {
        let mut sample = Sample::new();
        sample.thread(comment, HEAD);
        sample.trigger(trigger);
        sample.evidence.surfaces.threads = Surface::complete(Vec::new());
        codes(&sample).contains(&ReasonCode::InlineCommentsLagging)
    };
    assert!(lags(at(20, 0), at(29, 1)));
    assert!(!lags(at(20, 0), at(29, 0)), "older than thirty minutes");
    assert!(!lags(at(50, 0), at(49, 59)), "before the trigger");
    // A wrapper whose inline comments are visible lags behind nothing, and decides nothing either.
    let mut sample = Sample::new();
    sample.trigger(at(40, 0));
    let node = sample.thread(at(45, 0), HEAD);
    sample.resolve(&node);
    assert_eq!(codes(&sample), vec![ReasonCode::FindingsResolved]);
    // So does one of another head.
    let mut sample = Sample::new();
    sample.trigger(at(40, 0));
    sample.review(at(45, 0), OTHER, "");
    assert_eq!(codes(&sample), vec![ReasonCode::ResultForOtherHead]);
}

#[test]
fn findings_of_another_head_or_another_run_are_not_this_runs_resolved_ones() {
    for (when, commit, expected) in [
        (at(12, 0), HEAD, ReasonCode::FindingsResolved),
        (at(12, 0), OTHER, ReasonCode::ResultForOtherHead),
        (at(9, 0), HEAD, ReasonCode::NoTerminalOutput),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        let node = sample.thread(when, commit);
        sample.resolve(&node);
        assert_eq!(codes(&sample), vec![expected], "{when} {commit}");
    }
}

#[test]
fn unclear_texts_are_results_when_they_begin_as_one_for_this_head_since_the_trigger() {
    use ReasonCode::{NoTerminalOutput, ResultForOtherHead, UnclearResult, UnrecognizedBotText};
    for (when, body, expected) in [
        (
            at(14, 0),
            "Codex Review: I went through the diff twice.",
            UnclearResult,
        ),
        (
            at(14, 0),
            "### 💡 Codex Review\n\nI went through it.",
            UnclearResult,
        ),
        (at(14, 0), "I went through the diff twice.", UnrecognizedBotText),
        (
            at(9, 0),
            "Codex Review: I went through the diff twice.",
            NoTerminalOutput,
        ),
    ] {
        let mut sample = Sample::new();
        if when < at(10, 0) {
            sample.comment(connector(), when, body);
            sample.trigger(at(10, 0));
        } else {
            sample.trigger(at(10, 0));
            sample.comment(connector(), when, body);
        }
        assert_eq!(codes(&sample), vec![expected], "{body:?}");
    }
    let security = "### 🛡️ Codex Security Review\n\nI went through the diff twice.";
    let code = "### 💡 Codex Review\n\nI went through the diff twice.";
    for (when, commit, body, expected) in [
        (at(14, 0), HEAD, code, UnclearResult),
        (at(14, 0), OTHER, code, ResultForOtherHead),
        (at(9, 0), HEAD, code, NoTerminalOutput),
        (at(14, 0), HEAD, security, NoTerminalOutput),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        sample.review(when, commit, body);
        assert_eq!(codes(&sample), vec![expected], "{when} {commit} {body:?}");
    }
}

#[test]
fn a_finding_of_no_certain_commit_keeps_a_plus_one_from_being_clean() {
    for (label, expected) in [
        (String::new(), ReasonCode::CommitUnresolved),
        (
            format!(
                "\n\n**Reviewed commit:** `{}`\n\n**Reviewed commit:** `{OTHER}`",
                short()
            ),
            ReasonCode::CommitAmbiguous,
        ),
    ] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.comment(connector(), at(12, 0), &format!("{BADGED}{label}"));
        sample.plus_one(trigger, at(14, 0));
        assert_eq!(outcome(&sample), indeterminate(expected), "{label:?}");
    }
}

#[test]
fn the_summary_row_with_the_newest_time_speaks_in_whichever_comment_it_stands() {
    for (first, second, expected) in [
        (
            ("🔄 **Running** since", 13),
            ("✅ **Completed**", 12),
            ReasonCode::SummaryRunning,
        ),
        (
            ("🔄 **Running** since", 12),
            ("✅ **Completed**", 13),
            ReasonCode::SummaryOnly,
        ),
    ] {
        let mut sample = Sample::new();
        sample.summary(first.0, short(), at(first.1, 0));
        sample.summary(second.0, short(), at(second.1, 0));
        sample.trigger(at(10, 0));
        assert_eq!(codes(&sample), vec![expected]);
    }
}

#[test]
fn triggers_of_an_unproven_head_are_named() {
    let mut sample = Sample::new();
    sample.without_suites();
    let first = sample.trigger(at(9, 0));
    let newest = sample.trigger(at(10, 0));
    assert_eq!(
        evidence(&sample),
        [
            format!("issue-comment:{first}"),
            format!("issue-comment:{newest}")
        ]
    );
    // One that was answered is told of only when it is the newest.
    sample.plus_one(first, at(9, 30));
    assert_eq!(evidence(&sample), [format!("issue-comment:{newest}")]);
    sample.plus_one(newest, at(14, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::TriggerHeadUnproven));
    assert_eq!(evidence(&sample), [format!("issue-comment:{newest}")]);
}

#[test]
fn only_a_result_or_a_refusal_for_this_head_leaves_an_earlier_trigger_answered() {
    let quota = "You have reached your Codex usage limits for code reviews.";
    let findings = |commit: &str| {
        let commit: String = commit.chars().take(10).collect();
        format!("{BADGED}\n\n**Reviewed commit:** `{commit}`")
    };
    for (body, answered) in [
        (findings(HEAD), true),
        (findings(OTHER), false),
        (quota.to_owned(), true),
        (
            "Codex couldn't complete this request. Try again later.".to_owned(),
            false,
        ),
        ("Codex Review: Unable to complete the review.".to_owned(), false),
        (TASK_REPLY.to_owned(), false),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(9, 0));
        let said = sample.comment(connector(), at(9, 30), &body);
        let handled = &mut sample.evidence.local.handled.items;
        handled.insert(format!("issue-comment:{said}"), None);
        let newest = sample.trigger(at(10, 0));
        sample.plus_one(newest, at(14, 0));
        let expected = if answered {
            (StateWord::Clean, ReasonCode::CleanReaction, NextAction::None)
        } else {
            indeterminate(ReasonCode::OverlappingTriggers)
        };
        assert_eq!(outcome(&sample), expected, "{body:?}");
    }
}

#[test]
fn a_review_with_inline_comments_is_a_findings_result_and_a_bare_wrapper_is_none() {
    use attribution::Outcome;
    let wrapper = "### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.";
    for (body, inline, expected) in [
        (wrapper, true, Some(Outcome::Findings)),
        (wrapper, false, None),
        (CLEAN_REVIEW, true, Some(Outcome::Findings)),
        (CLEAN_REVIEW, false, Some(Outcome::NoFindings)),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        let review = sample.review(at(12, 0), HEAD, body);
        if inline {
            sample.thread_of(review, at(12, 0), HEAD);
        }
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        let found = run.results.first().map(|result| result.outcome);
        assert_eq!(found, expected, "{body:?} {inline}");
    }
}

#[test]
fn counts_are_written_in_words_that_fit() {
    for (count, words) in [(1, "left 1 open thread for"), (2, "left 2 open threads for")] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        for minute in 0..count {
            sample.thread(at(12 + minute, 0), HEAD);
        }
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        let message = &run.reasons.first().expect("a reason").message;
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_thread_without_a_known_author_blocks_clean_only_with_a_sign_of_the_connector() {
    type Damage = fn(&mut Thread);
    let badged: Damage = |_| {};
    let plain: Damage = |thread| {
        for comment in &mut thread.comments {
            comment.body = Observed::Known("Is this bound right?".into());
        }
    };
    for (damage, rest_author, blocked) in [
        (badged, None, true),
        (plain, Some(connector()), true),
        (plain, Some(person()), false),
        (plain, None, false),
    ] {
        let mut sample = Sample::new();
        sample.thread(at(8, 0), HEAD);
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        for thread in sample.evidence.surfaces.threads.items_mut() {
            for comment in &mut thread.comments {
                comment.author = None;
            }
            damage(thread);
        }
        for comment in sample.evidence.surfaces.review_comments.items_mut() {
            comment.user = rest_author.clone();
            if let Some(Observed::Known(body)) = sample
                .evidence
                .surfaces
                .threads
                .items()
                .first()
                .and_then(|thread| thread.comments.first())
                .map(|root| &root.body)
            {
                comment.body = Observed::Known(body.clone());
            }
        }
        let expected = if blocked {
            StateWord::Indeterminate
        } else {
            StateWord::Clean
        };
        assert_eq!(outcome(&sample).0, expected, "{rest_author:?}");
    }
}

#[test]
fn warnings_tell_of_what_happened_since_the_trigger_and_of_young_verdicts() {
    use crate::reason::WarningCode;
    let warnings = |sample: &Sample| {
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        let codes: Vec<_> = run.warnings.iter().map(|warning| warning.code).collect();
        codes
    };
    for (when, told) in [(at(9, 59), false), (at(10, 0), true), (at(12, 0), true)] {
        let mut sample = answered();
        sample.evidence.surfaces.timeline = Surface::complete(vec![crate::evidence::event::Event {
            id: "BRC_1".into(),
            kind: crate::evidence::event::EventKind::BaseChanged,
            created_at: Observed::Known(when),
            actor: Some(person()),
        }]);
        assert_eq!(
            warnings(&sample).contains(&WarningCode::BaseChanged),
            told,
            "{when}"
        );
    }
    // Everything was read at 10:59:00; a verdict counts as young for 90 seconds.
    for (when, young) in [(at(57, 30), false), (at(57, 31), true)] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, when);
        assert_eq!(
            warnings(&sample).contains(&WarningCode::LateReviewPossible),
            young
        );
    }
    let mut sample = answered();
    assert!(!warnings(&sample).contains(&WarningCode::TriggerEdited));
    let edited = sample.trigger(at(20, 0));
    sample.edited(edited, person());
    assert!(warnings(&sample).contains(&WarningCode::TriggerEdited));
    sample.force_push(at(30, 0), OTHER, HEAD);
    assert!(
        !warnings(&sample).contains(&WarningCode::TriggerEdited),
        "of another head"
    );
    // A stranger's name and an unknown id are two things.
    let accounts = [
        (
            "chatgpt-codex-connector",
            "User",
            261_883_814,
            WarningCode::ImpostorAccount,
        ),
        (
            "chatgpt-codex-connector[bot]",
            "Bot",
            5,
            WarningCode::ConnectorIdUnexpected,
        ),
    ];
    for (login, kind, id, expected) in accounts {
        let mut sample = answered();
        let account = Account {
            login: Observed::Known(login.into()),
            kind: Observed::Known(kind.into()),
            id: Observed::Known(id),
        };
        sample.comment(account, at(15, 0), "Hello.");
        let told = warnings(&sample);
        for (_, _, _, code) in accounts {
            assert_eq!(told.contains(&code), code == expected, "{login}");
        }
    }
}

#[test]
fn reactions_that_cannot_be_read_count_as_the_connectors_on_a_bots_trigger() {
    let bot = Account {
        login: Observed::Known("renovate[bot]".into()),
        kind: Observed::Known("Bot".into()),
        id: Observed::Known(9),
    };
    for (author, trigger) in [(mismatched(), true), (person(), false)] {
        let mut sample = Sample::new();
        let comment = sample.comment(bot.clone(), at(10, 0), "@codex review");
        let strict = Options {
            strict_identity: true,
            judgements: Vec::new(),
        };
        sample.react(comment, author, Eyes, at(11, 0));
        let run = Run::of(&sample.evidence, &strict).expect("read");
        assert_eq!(run.candidates.all.len(), usize::from(trigger));
    }
}

#[test]
fn texts_that_the_grammar_cannot_decide_are_told_since_the_trigger_and_of_all_time() {
    let mut sample = Sample::new();
    let older = sample.comment(
        connector(),
        at(9, 0),
        "Codex Review: I went through the diff twice.",
    );
    sample.trigger(at(10, 0));
    let newer = sample.comment(connector(), at(14, 0), "I went through the diff.");
    sample.comment(connector(), at(15, 0), TASK_REPLY);
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("read");
    let names = |texts: Vec<(EvidenceName, &str)>| {
        let names: Vec<String> = texts.iter().map(|(name, _)| name.to_string()).collect();
        names
    };
    let named = |id: u64| format!("issue-comment:{id}");
    assert_eq!(names(run.unclear_texts()), [named(newer)]);
    assert_eq!(names(run.unknown_texts()), [named(older), named(newer)]);
}
