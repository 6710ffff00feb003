//! Texts that somebody edited where several triggers may have been answered by them, and what else a clean signal is
//! held against: each with the row next to it that changes nothing.

use super::*;
use crate::evidence::sample::connector_graphql;

const CLEAN_REVIEW: &str = "### 💡 Codex Review\n\nDidn't find any major issues.";
const SECURITY: &str = "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.";
const SECOND_TEXT: &str = "Codex couldn't complete this request. Try again later.";

fn codes(sample: &Sample) -> Vec<ReasonCode> {
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
    run.reasons.iter().map(|reason| reason.code).collect()
}

fn labelled(text: &str, commit: &str) -> String {
    format!("{text}\n\n**Reviewed commit:** `{commit}`")
}

fn edit_review(sample: &mut Sample, review: u64, editor: &Account) {
    let node_id = format!("PRR_{review}");
    for edit in sample.evidence.surfaces.edits.items_mut() {
        if edit.node_id == node_id {
            edit.last_edited_at = Observed::Known(at(50, 0));
            edit.editor = Some(editor.clone());
        }
    }
}

/// Triggers at the ninth and tenth minute that got their own +1, and between them whatever `add` adds.
fn two_answered(before: impl FnOnce(&mut Sample), between: impl FnOnce(&mut Sample)) -> Sample {
    let mut sample = Sample::new();
    before(&mut sample);
    let first = sample.trigger(at(9, 0));
    between(&mut sample);
    let newest = sample.trigger(at(10, 0));
    sample.plus_one(first, at(9, 30));
    sample.plus_one(newest, at(14, 0));
    sample
}

#[test]
fn an_edited_clean_comment_may_have_answered_one_of_several_triggers() {
    let clean = labelled("Codex Review: Didn't find any major issues.", short());
    let other = labelled("Codex Review: Didn't find any major issues.", OTHER);
    let security = labelled(SECURITY, short());
    for (body, when, author, editor, doubtful) in [
        (&clean, at(9, 10), connector(), Some(person()), true),
        (&clean, at(9, 10), connector(), None, false),
        (&clean, at(9, 10), connector(), Some(connector_graphql()), false),
        (&clean, at(9, 0), connector(), Some(person()), true),
        (&clean, at(8, 59), connector(), Some(person()), false),
        (&clean, at(9, 10), person(), Some(person()), false),
        (&other, at(9, 10), connector(), Some(person()), false),
        (&security, at(9, 10), connector(), Some(person()), false),
        (
            &SECOND_TEXT.to_owned(),
            at(9, 10),
            connector(),
            Some(person()),
            false,
        ),
    ] {
        let add = |sample: &mut Sample| {
            let comment = sample.comment(author.clone(), when, body);
            if let Some(editor) = &editor {
                sample.edited(comment, editor.clone());
            }
        };
        // Ids grow with time, as GitHub gives them.
        let sample = if when < at(9, 0) {
            two_answered(add, |_| {})
        } else {
            two_answered(|_| {}, add)
        };
        let expected = if doubtful {
            indeterminate(ReasonCode::EvidenceEdited)
        } else {
            (StateWord::Clean, ReasonCode::CleanReaction, NextAction::None)
        };
        assert_eq!(
            outcome(&sample),
            expected,
            "{body:?} {when} {author:?} {editor:?}"
        );
    }
    // A single trigger was answered by its own +1, whatever the text said.
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(9, 0));
    let comment = sample.comment(connector(), at(9, 10), &clean);
    sample.edited(comment, person());
    sample.plus_one(trigger, at(14, 0));
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    // One of two is of an earlier head.
    let mut sample = Sample::new();
    sample.trigger(at(9, 0));
    sample.force_push(at(9, 5), OTHER, HEAD);
    let comment = sample.comment(connector(), at(9, 10), &clean);
    sample.edited(comment, person());
    let newest = sample.trigger(at(10, 0));
    sample.plus_one(newest, at(14, 0));
    assert_eq!(outcome(&sample).0, StateWord::Clean);
}

#[test]
fn an_edited_clean_review_may_have_answered_one_of_several_triggers() {
    for (body, when, commit, author, inline, editor, doubtful) in [
        (
            CLEAN_REVIEW,
            at(9, 10),
            HEAD,
            Some(connector()),
            false,
            Some(person()),
            true,
        ),
        (
            CLEAN_REVIEW,
            at(9, 0),
            HEAD,
            Some(connector()),
            false,
            Some(person()),
            true,
        ),
        (
            CLEAN_REVIEW,
            at(8, 59),
            HEAD,
            Some(connector()),
            false,
            Some(person()),
            false,
        ),
        (
            CLEAN_REVIEW,
            at(9, 10),
            OTHER,
            Some(connector()),
            false,
            Some(person()),
            false,
        ),
        // Of an unknown author, from before the newest trigger.
        (CLEAN_REVIEW, at(9, 10), HEAD, None, false, Some(person()), false),
        // Its inline comments are its result.
        (
            CLEAN_REVIEW,
            at(9, 10),
            HEAD,
            Some(connector()),
            true,
            Some(person()),
            false,
        ),
        (
            CLEAN_REVIEW,
            at(9, 10),
            HEAD,
            Some(connector()),
            false,
            None,
            false,
        ),
        (
            CLEAN_REVIEW,
            at(9, 10),
            HEAD,
            Some(connector()),
            false,
            Some(connector_graphql()),
            false,
        ),
        (
            SECURITY,
            at(9, 10),
            HEAD,
            Some(connector()),
            false,
            Some(person()),
            false,
        ),
    ] {
        let sample = two_answered(
            |_| {},
            |sample| {
                let review = sample.review(when, commit, body);
                if let Some(editor) = &editor {
                    edit_review(sample, review, editor);
                }
                if inline {
                    let node = sample.thread_of(review, when, commit);
                    sample.resolve(&node);
                }
                for review in sample.evidence.surfaces.reviews.items_mut() {
                    review.user = author.clone();
                }
            },
        );
        let found = codes(&sample).contains(&ReasonCode::EvidenceEdited);
        assert_eq!(
            found, doubtful,
            "{body:?} {when} {commit} {author:?} {inline} {editor:?}"
        );
    }
}

#[test]
fn an_inline_comment_without_its_thread_never_becomes_clean() {
    use ReasonCode::{CleanReaction, EarlierThreadUnresolved, InlineCommentsLagging, UnclearResult};
    // The trigger is of 10:10:00, its +1 of 10:14:00; inline comments are waited for for thirty minutes.
    for (collected, comment, commit, expected) in [
        (at(16, 0), at(12, 0), HEAD, InlineCommentsLagging),
        (at(16, 0), at(10, 0), HEAD, InlineCommentsLagging),
        (at(16, 0), at(9, 59), HEAD, EarlierThreadUnresolved),
        (at(16, 0), at(12, 0), OTHER, InlineCommentsLagging),
        (at(41, 59), at(12, 0), HEAD, InlineCommentsLagging),
        (at(42, 0), at(12, 0), HEAD, UnclearResult),
        (at(42, 0), at(10, 0), HEAD, UnclearResult),
        (at(42, 0), at(9, 59), HEAD, EarlierThreadUnresolved),
        (at(42, 0), at(12, 0), OTHER, UnclearResult),
    ] {
        let mut sample = Sample::new();
        sample.thread(comment, commit);
        let trigger = sample.trigger(at(10, 0));
        // The comment alone decides: its review ended before the trigger.
        for review in sample.evidence.surfaces.reviews.items_mut() {
            review.submitted_at = Observed::Known(at(9, 58));
        }
        sample.evidence.collected_at = collected;
        sample.evidence.surfaces.threads = Surface::complete(Vec::new());
        // What is older than the trigger is no answer to it.
        let unanswered = if comment < at(10, 0) {
            ReasonCode::NoTerminalOutput
        } else {
            expected
        };
        assert_eq!(
            outcome(&sample),
            indeterminate(unanswered),
            "{collected} {comment} {commit}"
        );
        sample.plus_one(trigger, at(14, 0));
        assert_eq!(codes(&sample), [expected], "{collected} {comment} {commit}");
    }
    // Its thread is there and resolved.
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    let node = sample.thread(at(12, 0), HEAD);
    sample.resolve(&node);
    sample.plus_one(trigger, at(14, 0));
    assert_eq!(codes(&sample), [CleanReaction]);
}
