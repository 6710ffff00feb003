//! Which trigger is the retry of a failed run, and which results may have been whose: each with the row next to it.

use super::failure::lineage;
use super::*;
use crate::evidence::JournalAttempt;
use crate::evidence::sample::sha;
use crate::lineage::{AttemptKind, AttemptState};

const CLEAN_REVIEW: &str = "### 💡 Codex Review\n\nDidn't find any major issues.";
const QUOTA: &str = "You have reached your Codex usage limits for code reviews.";
const NONCE: &str = "01234567-89ab-4def-8123-456789abcdef";
const ANOTHER_NONCE: &str = "0a1b2c3d-0000-4000-8000-00000000000f";

fn clean() -> (StateWord, ReasonCode, NextAction) {
    (StateWord::Clean, ReasonCode::CleanReaction, NextAction::None)
}

fn marked(head: &str) -> String {
    format!("@codex review\n\n<!-- codex-loop: head={head} id={NONCE} -->")
}

/// The evidence of the first reason, as documents name it.
fn evidence(sample: &Sample) -> Vec<String> {
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
    let first = run.reasons.first().expect("reasons are never empty");
    first.evidence.iter().map(ToString::to_string).collect()
}

#[test]
fn only_an_earlier_failed_run_of_a_trigger_with_lineage_leaves_no_retry() {
    type Before = fn(&mut Sample);
    let ambiguous = |sample: &mut Sample, said: &str| {
        let first = sample.trigger(at(8, 0));
        let second = sample.trigger(at(8, 1));
        sample.comment(connector(), at(8, 30), said);
        sample.plus_one(first, at(8, 40));
        sample.plus_one(second, at(8, 41));
    };
    let failed = |sample: &mut Sample, body: &str| {
        sample.comment(person(), at(8, 0), body);
        sample.comment(connector(), at(8, 30), FAILURE);
    };
    let nothing: Before = |_| {};
    for (case, before, used) in [
        ("nothing before", &nothing as &dyn Fn(&mut Sample), false),
        ("a failed run", &|sample| failed(sample, "@codex review"), true),
        (
            "a failed run without lineage",
            &|sample| failed(sample, "@codex review the parser"),
            false,
        ),
        (
            "a failed run of another head",
            &|sample| failed(sample, &marked(OTHER)),
            false,
        ),
        // Nobody could be given it, and it is an earlier trigger's all the same.
        (
            "a failure of one of two",
            &|sample| ambiguous(sample, FAILURE),
            true,
        ),
        (
            "a clean comment for one of two",
            &|sample| {
                let clean =
                    format!("Codex Review: Didn't find any major issues.\n\n**Reviewed commit:** `{HEAD}`");
                ambiguous(sample, &clean);
            },
            false,
        ),
    ] {
        // Of one second only the id tells that the failure came after its trigger.
        for failed_at in [at(10, 0), at(10, 30)] {
            let mut sample = Sample::new();
            before(&mut sample);
            sample.trigger(at(10, 0));
            sample.comment(connector(), failed_at, FAILURE);
            let next = if used {
                NextAction::AskUser
            } else {
                NextAction::Retry
            };
            let expected = (StateWord::Failed, ReasonCode::TerminalSignature, next);
            assert_eq!(outcome(&sample), expected, "{case} {failed_at}");
        }
    }
}

#[test]
fn the_retry_of_a_failed_run_is_a_later_trigger_of_this_head_with_lineage() {
    for (body, successor) in [
        (None, false),
        (Some("@codex review".to_owned()), true),
        (Some(marked(HEAD)), true),
        (Some("@codex review the parser".to_owned()), false),
        (Some(marked(OTHER)), false),
    ] {
        let mut sample = Sample::new();
        // An answered trigger from before the failure is no retry of it.
        let answered = sample.trigger(at(8, 0));
        sample.plus_one(answered, at(8, 30));
        let failed = sample.trigger(at(9, 0));
        sample.comment(connector(), at(9, 30), FAILURE);
        let later = body
            .as_ref()
            .map(|body| sample.comment(person(), at(10, 0), body));
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        let fields = lineage(&run).expect("a failed run").fields;
        assert_eq!(fields.trigger_comment_id, failed);
        let expected = if successor { (1, later) } else { (0, None) };
        let found = (fields.retry_attempt_count, fields.successor_trigger_comment_id);
        assert_eq!(found, expected, "{body:?}");
    }
}

#[test]
fn the_authorization_of_a_retry_is_that_of_the_attempt_whose_id_it_bears() {
    for (ids, told) in [
        ([NONCE, ANOTHER_NONCE], Some("ticket 1")),
        ([ANOTHER_NONCE, NONCE], Some("ticket 2")),
        ([ANOTHER_NONCE, ANOTHER_NONCE], None),
    ] {
        let mut sample = Sample::new();
        let failed = sample.trigger(at(9, 0));
        sample.comment(connector(), at(9, 30), FAILURE);
        let successor = sample.comment(person(), at(10, 0), &marked(HEAD));
        sample.evidence.local.journal.attempts = ids
            .iter()
            .zip(1..)
            .map(|(id, number)| JournalAttempt {
                id: (*id).into(),
                kind: AttemptKind::Retry,
                head: sha(HEAD),
                started_at: at(9, 50),
                authorization_reference: format!("ticket {number}"),
                failed_trigger_comment_id: Some(failed),
                state: AttemptState::Created {
                    at: at(10, 1),
                    comment_id: successor,
                    created_at: at(10, 0),
                },
            })
            .collect();
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        let fields = lineage(&run).expect("a failed run").fields;
        assert_eq!(fields.retry_authorization_reference.as_deref(), told, "{ids:?}");
    }
}

#[test]
fn a_trigger_is_abandoned_only_by_the_unedited_word_of_a_trusted_person() {
    for (association, edited, abandoned) in [
        ("MEMBER", false, true),
        ("MEMBER", true, false),
        ("NONE", false, false),
        ("NONE", true, false),
    ] {
        let mut sample = Sample::new();
        let dead = sample.trigger(at(9, 0));
        let body = format!("@codex review\n\n<!-- codex-loop: head={HEAD} id={NONCE} supersedes={dead} -->");
        let newest = sample.comment(person(), at(10, 0), &body);
        sample.plus_one(newest, at(14, 0));
        if edited {
            sample.edited(newest, person());
        }
        for comment in sample.evidence.surfaces.issue_comments.items_mut() {
            comment.author_association = Observed::Known(association.into());
        }
        let expected = if abandoned {
            clean()
        } else {
            indeterminate(ReasonCode::OverlappingTriggers)
        };
        assert_eq!(outcome(&sample), expected, "{association} {edited}");
    }
}

#[test]
fn a_result_in_the_second_of_a_plus_one_matters_only_when_a_trigger_has_no_other_answer_or_may_have_failed() {
    for (body, own, expected) in [
        (None, true, clean()),
        (Some(FAILURE), true, indeterminate(ReasonCode::SameTimeEvidence)),
        (Some(QUOTA), true, clean()),
        (Some(QUOTA), false, indeterminate(ReasonCode::SameTimeEvidence)),
    ] {
        let mut sample = Sample::new();
        let first = sample.trigger(at(9, 0));
        let second = sample.trigger(at(9, 10));
        if let Some(body) = body {
            sample.comment(connector(), at(9, 20), body);
        }
        let newest = sample.trigger(at(10, 0));
        sample.plus_one(first, at(9, 20));
        if own {
            sample.plus_one(second, at(9, 30));
        } else {
            sample.clean_comment(at(9, 40), short());
        }
        sample.plus_one(newest, at(14, 0));
        assert_eq!(outcome(&sample), expected, "{body:?} {own}");
    }
}

#[test]
fn an_overlap_names_the_triggers_and_the_result_that_none_of_them_can_be_given() {
    let mut sample = Sample::new();
    let first = sample.trigger(at(9, 0));
    let newest = sample.trigger(at(10, 0));
    let said = sample.clean_comment(at(12, 0), short());
    let overlap = indeterminate(ReasonCode::OverlappingTriggers);
    let named = |sample: &Sample| {
        let mut names = evidence(sample);
        names.sort();
        names
    };
    assert_eq!(outcome(&sample), overlap);
    assert_eq!(
        named(&sample),
        [first, newest].map(|id| format!("issue-comment:{id}"))
    );
    // Only the newest is left unanswered: what it may have been answered by is named too.
    sample.plus_one(first, at(13, 0));
    assert_eq!(outcome(&sample), overlap);
    assert_eq!(
        named(&sample),
        [first, newest, said].map(|id| format!("issue-comment:{id}"))
    );
    // Both got their own answer after it.
    sample.plus_one(newest, at(14, 0));
    assert_eq!(outcome(&sample), clean());
    // The older one was answered in the very second of the newest: nothing shows that both were open together.
    for (when, code) in [
        (at(10, 0), ReasonCode::NoTerminalOutput),
        (at(10, 1), ReasonCode::OverlappingTriggers),
    ] {
        let mut sample = Sample::new();
        let first = sample.trigger(at(9, 0));
        sample.trigger(at(10, 0));
        sample.plus_one(first, when);
        assert_eq!(outcome(&sample), indeterminate(code), "{when}");
    }
}

#[test]
fn a_review_of_no_known_commit_since_the_first_trigger_may_have_answered_one() {
    let security = "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.";
    for (when, body, author, blocks) in [
        (at(8, 59), CLEAN_REVIEW, Some(connector()), None),
        (
            at(9, 0),
            CLEAN_REVIEW,
            Some(connector()),
            Some(ReasonCode::CommitUnresolved),
        ),
        (
            at(9, 10),
            CLEAN_REVIEW,
            Some(connector()),
            Some(ReasonCode::CommitUnresolved),
        ),
        (at(9, 10), security, Some(connector()), None),
        (at(9, 10), CLEAN_REVIEW, None, Some(ReasonCode::IdentityMismatch)),
    ] {
        let mut sample = Sample::new();
        let first = sample.trigger(at(9, 0));
        sample.plus_one(first, at(9, 30));
        let newest = sample.trigger(at(10, 0));
        sample.plus_one(newest, at(14, 0));
        sample.review(when, HEAD, body);
        for review in sample.evidence.surfaces.reviews.items_mut() {
            review.commit_id = Observed::Missing;
            review.user = author.clone();
        }
        let expected = blocks.map_or_else(clean, indeterminate);
        assert_eq!(outcome(&sample), expected, "{when} {body:?} {author:?}");
    }
}

#[test]
fn a_resolved_finding_of_this_head_leaves_only_a_strictly_later_plus_one_clean() {
    let resolved = indeterminate(ReasonCode::FindingsResolved);
    for (when, commit, expected) in [
        (at(13, 59), HEAD, clean()),
        (at(14, 0), HEAD, resolved),
        (at(15, 0), HEAD, resolved),
        (at(15, 0), OTHER, clean()),
    ] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        let node = sample.thread(when, commit);
        sample.resolve(&node);
        assert_eq!(outcome(&sample), expected, "{when} {commit}");
    }
}

#[test]
fn an_open_thread_of_an_unnamed_author_is_earlier_up_to_the_second_of_the_trigger() {
    for (when, code) in [
        (at(10, 0), ReasonCode::EarlierThreadUnresolved),
        (at(10, 1), ReasonCode::ResultForOtherHead),
    ] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        sample.thread(when, OTHER);
        for review in sample.evidence.surfaces.reviews.items_mut() {
            review.submitted_at = Observed::Known(at(9, 0));
        }
        // REST says that it is the connector's; its text does not.
        for thread in sample.evidence.surfaces.threads.items_mut() {
            for comment in &mut thread.comments {
                comment.author = None;
                comment.body = Observed::Known("Is this bound right?".into());
            }
        }
        assert_eq!(outcome(&sample), indeterminate(code), "{when}");
    }
}

#[test]
fn a_gap_keeps_a_moved_head_from_being_stale_only_where_it_may_hide_the_first_evidence() {
    let error = || SurfaceError {
        kind: SurfaceErrorKind::Incomplete,
        message: "page 2 is missing".into(),
    };
    let stale = (
        StateWord::Stale,
        ReasonCode::HeadChanged,
        NextAction::RequestReview,
    );
    type Gap = fn(&mut crate::evidence::Surfaces, SurfaceError);
    let gaps: [(Gap, bool); 5] = [
        (|_, _| {}, false),
        (
            |s, e| s.timeline = std::mem::take(&mut s.timeline).into_incomplete(e),
            true,
        ),
        (
            |s, e| s.check_suites = std::mem::take(&mut s.check_suites).into_incomplete(e),
            true,
        ),
        (
            |s, e| s.reviews = std::mem::take(&mut s.reviews).into_incomplete(e),
            true,
        ),
        (
            |s, e| s.threads = std::mem::take(&mut s.threads).into_incomplete(e),
            false,
        ),
    ];
    for (case, (gap, hides)) in gaps.into_iter().enumerate() {
        // The head's commit and everything that shows it are later than the trigger.
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        for commit in sample.evidence.surfaces.head_commit.items_mut() {
            commit.committed_date = Observed::Known(at(15, 0));
        }
        for suite in sample.evidence.surfaces.check_suites.items_mut() {
            suite.created_at = Observed::Known(at(16, 0));
        }
        gap(&mut sample.evidence.surfaces, error());
        let expected = if hides {
            indeterminate(ReasonCode::IncompleteSurface)
        } else {
            stale
        };
        assert_eq!(outcome(&sample), expected, "{case}");
        // A recorded movement to the head needs no first sighting.
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        sample.force_push(at(20, 0), OTHER, HEAD);
        gap(&mut sample.evidence.surfaces, error());
        assert_eq!(outcome(&sample), stale, "{case}");
    }
}

#[test]
fn pushes_that_were_read_in_part_are_a_gap_and_unreadable_ones_are_none() {
    for (pages, gap) in [(None, false), (Some(0), false), (Some(1), true), (Some(2), true)] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        if let Some(pages) = pages {
            sample.evidence.surfaces.activity = Surface::Incomplete {
                pages,
                items: Vec::new(),
                error: SurfaceError {
                    kind: SurfaceErrorKind::Incomplete,
                    message: "page 2 is missing".into(),
                },
            };
        }
        let expected = if gap {
            indeterminate(ReasonCode::IncompleteSurface)
        } else {
            clean()
        };
        assert_eq!(outcome(&sample), expected, "{pages:?}");
    }
}

#[test]
fn what_a_doubtful_author_says_matters_only_where_it_may_be_the_connectors() {
    use crate::evidence::review::ReviewState::{Approved, ChangesRequested, Commented, Dismissed};
    const BADGED: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.";
    let odd = Some(Account {
        kind: Observed::Known("User".into()),
        ..connector()
    });
    for (author, state, body, inline, matters) in [
        (&None, Commented, BADGED, false, true),
        (&None, Commented, "", false, true),
        (&None, ChangesRequested, "", false, true),
        // A person's approval, or a person's inline comments.
        (&None, Approved, "", false, false),
        (&None, Dismissed, "", false, false),
        (&None, Commented, "", true, false),
        (&None, Commented, "I looked at it.", false, false),
        // Only the connector's own login is spelled like that.
        (&odd, Approved, "", false, true),
        (&odd, Commented, "", true, true),
        (&odd, Commented, "I looked at it.", false, false),
    ] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        let review = sample.review(at(15, 0), HEAD, body);
        for one in sample.evidence.surfaces.reviews.items_mut() {
            one.user = author.clone();
            one.state = state.clone();
        }
        if inline {
            sample.thread_of(review, at(15, 0), HEAD);
            for thread in sample.evidence.surfaces.threads.items_mut() {
                for comment in &mut thread.comments {
                    comment.author = Some(person());
                }
            }
            for comment in sample.evidence.surfaces.review_comments.items_mut() {
                comment.user = Some(person());
            }
        }
        let expected = if matters {
            indeterminate(ReasonCode::IdentityMismatch)
        } else {
            clean()
        };
        assert_eq!(
            outcome(&sample),
            expected,
            "{author:?} {state:?} {body:?} {inline}"
        );
    }
    // A trigger in the connector's name is none, and nobody knows what it is.
    for body in [
        "@codex review",
        "@codex review the parser",
        "Please @codex review",
    ] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        sample.comment(odd.clone().expect("an account"), at(15, 0), body);
        assert_eq!(
            outcome(&sample),
            indeterminate(ReasonCode::IdentityMismatch),
            "{body:?}"
        );
    }
}
