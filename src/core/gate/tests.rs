//! The gate, rule by rule, with the value that the merge gate's document gives.

use super::*;
use crate::evidence::account::Account;
use crate::evidence::observed::Observed;
use crate::evidence::reaction::ReactionContent::{Eyes, PlusOne};
use crate::evidence::review::ReviewState;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, connector_graphql, person, sha};
use crate::evidence::surface::{Surface, SurfaceError, SurfaceErrorKind};
use crate::evidence::thread::ThreadComment;
use crate::gate::approval::ApprovalSurface;
use crate::options::Options;

mod edges;

const SUBSTANTIVE: &str = "### 💡 Codex Review\n\nhttps://github.com/o/r/blob/aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd/src/a.rs#L1-L2\n**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.";
const BOILERPLATE: &str =
    "### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.";

fn short() -> &'static str {
    HEAD.get(..10).expect("ten digits")
}

/// A head with one passing check that started at 10:01.
fn checked() -> Sample {
    let mut sample = Sample::new();
    sample.check_run("build", Some("success"), at(1, 0));
    sample
}

fn gate_with(sample: &Sample, options: &GateOptions) -> Gate {
    let choices = Options::default();
    let run = Run::of(&sample.evidence, &choices).expect("the pull request was read");
    Gate::of(&run, options)
}

fn gate(sample: &Sample) -> Gate {
    gate_with(sample, &GateOptions::default())
}

#[track_caller]
fn assert_approved(sample: &Sample, surface: ApprovalSurface) {
    let gate = gate(sample);
    match &gate.state {
        GateState::Approved(approval) => assert_eq!(approval.surface, surface),
        GateState::Waiting(_) | GateState::Blocking | GateState::Overridden(_) => {
            panic!("{:?} {:?}", gate.state, gate.blockers)
        }
    }
    assert!(gate.merge_allowed);
    assert_eq!(gate.end(Some("MERGEABLE")), GateEnd::Allowed);
}

#[track_caller]
fn assert_waiting(sample: &Sample, reason: WaitingReason) {
    let gate = gate(sample);
    match &gate.state {
        GateState::Waiting(waiting) => assert_eq!(waiting.reason, reason),
        GateState::Approved(_) | GateState::Blocking | GateState::Overridden(_) => {
            panic!("{:?} {:?}", gate.state, gate.blockers)
        }
    }
    assert!(!gate.merge_allowed);
    assert_eq!(gate.end(Some("MERGEABLE")), GateEnd::Pending);
}

#[track_caller]
fn assert_blocked(sample: &Sample, codes: &[BlockerCode]) {
    let gate = gate(sample);
    let found: Vec<BlockerCode> = gate.blockers.iter().map(|blocker| blocker.code).collect();
    assert_eq!(found, codes);
    assert_eq!(gate.word(), GateWord::Blocking);
    assert!(!gate.merge_allowed);
    assert_eq!(gate.end(Some("MERGEABLE")), GateEnd::Work);
}

#[test]
fn a_plus_one_on_the_body_a_trigger_or_a_comment_that_names_the_head_approves() {
    let mut sample = checked();
    sample.react_body(PlusOne, at(5, 0));
    assert_approved(&sample, ApprovalSurface::Body);

    let mut sample = checked();
    let trigger = sample.trigger(at(2, 0));
    sample.plus_one(trigger, at(5, 0));
    assert_approved(&sample, ApprovalSurface::Trigger);

    let mut sample = checked();
    let comment = sample.clean_comment(at(4, 0), short());
    sample.plus_one(comment, at(5, 0));
    assert_approved(&sample, ApprovalSurface::Comment);
}

#[test]
fn a_clean_comment_alone_and_another_ones_thumbs_up_approve_nothing() {
    let mut sample = checked();
    let comment = sample.clean_comment(at(4, 0), short());
    assert_waiting(&sample, WaitingReason::NoApproval);
    sample.react(comment, person(), PlusOne, at(5, 0));
    assert_waiting(&sample, WaitingReason::NoApproval);
    let mut sample = checked();
    let trigger = sample.trigger(at(2, 0));
    sample.react(trigger, person(), PlusOne, at(5, 0));
    assert_waiting(&sample, WaitingReason::NoApproval);
}

#[test]
fn an_approval_on_every_surface_is_stale_when_older_than_the_first_check_or_the_last_edit() {
    type Put = fn(&mut Sample);
    let body: Put = |sample| {
        sample.react_body(PlusOne, at(5, 0));
    };
    let trigger: Put = |sample| {
        let trigger = sample.trigger(at(2, 0));
        sample.plus_one(trigger, at(5, 0));
    };
    let comment: Put = |sample| {
        let comment = sample.clean_comment(at(4, 0), short());
        sample.plus_one(comment, at(5, 0));
    };
    for put in [body, trigger, comment] {
        for (checks, edited, fresh) in [
            (at(1, 0), None, true),
            (at(5, 0), None, true),
            (at(5, 1), None, false),
            (at(1, 0), Some(at(3, 0)), true),
            (at(1, 0), Some(at(5, 1)), false),
        ] {
            let mut sample = Sample::new();
            sample.check_run("build", Some("success"), checks);
            put(&mut sample);
            sample.pull().last_edited_at = edited.into();
            if fresh {
                assert_eq!(gate(&sample).word(), GateWord::Approved, "{checks} {edited:?}");
            } else {
                assert_waiting(&sample, WaitingReason::ApprovalStale);
            }
        }
    }
}

#[test]
fn a_comment_written_before_the_edit_is_not_used_even_when_its_thumbs_up_is_later() {
    let mut sample = checked();
    let comment = sample.clean_comment(at(4, 0), short());
    sample.plus_one(comment, at(10, 0));
    sample.pull().last_edited_at = Observed::Known(at(6, 0));
    assert_waiting(&sample, WaitingReason::ApprovalStale);
}

#[test]
fn re_running_the_checks_does_not_move_the_lower_bound_and_an_immaterial_edit_is_left_out() {
    let mut sample = checked();
    sample.react_body(PlusOne, at(5, 0));
    sample.check_run("build", Some("success"), at(30, 0));
    assert_approved(&sample, ApprovalSurface::Body);
    sample.pull().last_edited_at = Observed::Known(at(6, 0));
    assert_waiting(&sample, WaitingReason::ApprovalStale);
    let options = GateOptions {
        edit_immaterial: Some("a typing error".into()),
        ..GateOptions::default()
    };
    let gate = gate_with(&sample, &options);
    assert_eq!(gate.word(), GateWord::Approved);
    assert_eq!(gate.bound.not_before(), Some(at(1, 0)));
}

#[test]
fn eyes_newer_than_the_thumbs_up_wait_and_older_ones_are_spent() {
    for (eyes, approved) in [(at(4, 59), true), (at(5, 0), false), (at(5, 1), false)] {
        // On the same surface.
        let mut sample = checked();
        sample.react_body(PlusOne, at(5, 0));
        sample.react_body(Eyes, eyes);
        // On another one.
        let mut other = checked();
        let trigger = other.trigger(at(2, 0));
        other.eyes(trigger, eyes);
        other.react_body(PlusOne, at(5, 0));
        for sample in [sample, other] {
            if approved {
                assert_eq!(gate(&sample).word(), GateWord::Approved, "{eyes}");
            } else {
                assert_waiting(&sample, WaitingReason::Reviewing);
            }
        }
    }
    // Without any thumbs-up; older than a result that names the head; from before the head.
    let mut sample = checked();
    sample.react_body(Eyes, at(2, 0));
    assert_waiting(&sample, WaitingReason::Reviewing);
    sample.clean_comment(at(4, 0), short());
    assert_waiting(&sample, WaitingReason::NoApproval);
    let mut sample = checked();
    sample.react_body(Eyes, at(0, 59));
    assert_waiting(&sample, WaitingReason::NoApproval);
}

#[test]
fn a_trigger_after_the_approval_waits_and_one_before_it_does_not() {
    for (second, approved) in [(at(4, 0), true), (at(5, 0), false), (at(6, 0), false)] {
        let mut sample = checked();
        sample.react_body(PlusOne, at(5, 0));
        sample.trigger(second);
        if approved {
            assert_approved(&sample, ApprovalSurface::Body);
        } else {
            assert_waiting(&sample, WaitingReason::Reviewing);
        }
    }
}

#[test]
fn without_a_timestamped_check_the_body_is_not_used_and_a_comment_that_names_the_head_is() {
    let mut sample = Sample::new();
    sample.react_body(PlusOne, at(5, 0));
    assert_waiting(&sample, WaitingReason::NoTimestampedChecks);
    let comment = sample.clean_comment(at(4, 0), short());
    sample.plus_one(comment, at(5, 0));
    let options = GateOptions {
        allow_no_checks: true,
        ..GateOptions::default()
    };
    let gate = gate_with(&sample, &options);
    assert_eq!(gate.word(), GateWord::Approved);
    assert!(gate.merge_allowed);
    // Its comment has to be later than the edit.
    sample.pull().last_edited_at = Observed::Known(at(4, 0));
    assert_waiting(&sample, WaitingReason::ApprovalStale);
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(2, 0));
    sample.plus_one(trigger, at(5, 0));
    assert_eq!(super::tests::gate(&sample).word(), GateWord::Approved);
}

#[test]
fn the_newest_comment_or_row_for_another_commit_waits_and_older_ones_are_history() {
    let other = OTHER.get(..10).expect("ten digits");
    for (when, mismatch) in [
        (at(0, 4), false),
        (at(0, 5), false),
        (at(0, 6), true),
        (at(6, 0), true),
    ] {
        let mut sample = checked();
        sample.react_body(PlusOne, at(40, 0));
        sample.clean_comment(when, other);
        let mut row = checked();
        row.react_body(PlusOne, at(40, 0));
        row.summary("✅ **Completed**", other, when);
        for sample in [sample, row] {
            if mismatch {
                assert_waiting(&sample, WaitingReason::ReviewedCommitMismatch);
            } else {
                assert_approved(&sample, ApprovalSurface::Body);
            }
        }
    }
    // A newer one for the head outdates it.
    let mut sample = checked();
    sample.react_body(PlusOne, at(40, 0));
    sample.clean_comment(at(6, 0), other);
    sample.clean_comment(at(7, 0), short());
    assert_approved(&sample, ApprovalSurface::Body);
}

/// A second head that was pushed at 10:00 on top of another one.
fn second_head() -> Sample {
    let mut sample = checked();
    sample.pull().created_at = Observed::Known(at(0, 0) - TimeDelta::hours(1));
    sample.push(at(0, 0), OTHER, HEAD);
    sample.react_body(PlusOne, at(3, 0));
    sample
}

#[test]
fn a_thumbs_up_soon_after_a_push_may_be_for_the_previous_head() {
    assert_waiting(&second_head(), WaitingReason::ApprovalUnbound);
    // It names the head: a row that completed, a clean comment, a review.
    let mut sample = second_head();
    sample.summary("✅ **Completed**", short(), at(2, 58));
    assert_approved(&sample, ApprovalSurface::Body);
    let mut sample = second_head();
    sample.clean_comment(at(2, 58), short());
    assert_approved(&sample, ApprovalSurface::Body);
    // A row that is still running shows that the thumbs-up is not this head's.
    let mut sample = second_head();
    sample.summary("🔄 **Running**", short(), at(0, 30));
    assert_waiting(&sample, WaitingReason::ApprovalUnbound);
    // The previous head's verdict is dated before the push; after it, it proves nothing.
    let mut sample = second_head();
    sample.review(at(0, 0) - TimeDelta::minutes(5), OTHER, "");
    assert_approved(&sample, ApprovalSurface::Body);
    let mut sample = second_head();
    sample.review(at(0, 1), OTHER, BOILERPLATE);
    assert_waiting(&sample, WaitingReason::ApprovalUnbound);
    // No earlier head: it was pushed before the pull request was opened.
    let mut sample = second_head();
    sample.pull().created_at = Observed::Known(at(0, 10));
    assert_approved(&sample, ApprovalSurface::Body);
}

#[test]
fn thirty_five_minutes_after_the_push_a_thumbs_up_is_this_heads() {
    for (when, approved) in [(at(35, 0), false), (at(35, 1), true)] {
        let mut sample = second_head();
        sample.evidence.surfaces.body_reactions = Surface::complete(Vec::new());
        sample.react_body(PlusOne, when);
        if approved {
            assert_approved(&sample, ApprovalSurface::Body);
        } else {
            assert_waiting(&sample, WaitingReason::ApprovalUnbound);
        }
    }
}

#[test]
fn an_unknown_way_to_the_head_counts_as_a_review_in_flight_and_asks_for_the_pushes() {
    let mut sample = second_head();
    sample.evidence.surfaces.activity = Surface::NotCollected;
    let earlier = crate::evidence::pull::Commit {
        oid: sha(OTHER),
        committed_date: Observed::Known(at(0, 0) - TimeDelta::hours(2)),
    };
    match &mut sample.evidence.surfaces.commits {
        Surface::Complete { items, .. } => items.insert(0, earlier),
        Surface::Incomplete { .. } | Surface::NotCollected => panic!("the sample has commits"),
    }
    assert_waiting(&sample, WaitingReason::ApprovalUnbound);
    let wanted = crate::wanted::wanted(
        &sample.evidence,
        &Options::default(),
        crate::wanted::Purpose::Gate,
    );
    assert!(wanted.activity);
    // A single commit cannot have replaced another one without a recorded force-push.
    let mut sample = checked();
    sample.react_body(PlusOne, at(3, 0));
    assert_approved(&sample, ApprovalSurface::Body);
}

#[test]
fn an_approval_on_another_surface_does_not_need_the_body() {
    let mut sample = second_head();
    let trigger = sample.trigger(at(2, 0));
    sample.plus_one(trigger, at(3, 0));
    assert_approved(&sample, ApprovalSurface::Trigger);
}

#[test]
fn a_force_push_back_to_an_old_head_makes_older_thumbs_up_on_the_body_stale() {
    let mut sample = checked();
    sample.react_body(PlusOne, at(5, 0));
    sample.force_push(at(6, 0), HEAD, OTHER);
    sample.force_push(at(7, 0), OTHER, HEAD);
    assert_waiting(&sample, WaitingReason::ApprovalStale);
}

#[test]
fn an_approval_has_to_be_later_than_every_finding_addressed_or_not() {
    for (thread_at, approved) in [(at(4, 59), true), (at(5, 0), false), (at(5, 59), false)] {
        let mut sample = checked();
        sample.react_body(PlusOne, at(5, 0));
        let thread = sample.thread(thread_at, HEAD);
        sample.resolve(&thread);
        if approved {
            assert_approved(&sample, ApprovalSurface::Body);
        } else {
            assert_waiting(&sample, WaitingReason::ApprovalStale);
        }
    }
}

#[test]
fn open_threads_of_any_head_block_and_resolved_or_outdated_ones_do_not() {
    for commit in [HEAD, OTHER] {
        let mut sample = checked();
        let thread = sample.thread(at(0, 2), commit);
        sample.react_body(PlusOne, at(40, 0));
        assert_blocked(&sample, &[BlockerCode::FindingThread]);
        sample.resolve(&thread);
        assert_approved(&sample, ApprovalSurface::Body);
        for one in sample.evidence.surfaces.threads.items_mut() {
            one.is_resolved = Observed::Known(false);
            one.is_outdated = Observed::Known(true);
        }
        assert_approved(&sample, ApprovalSurface::Body);
        // An unknown state counts as open.
        for one in sample.evidence.surfaces.threads.items_mut() {
            one.is_outdated = Observed::Missing;
        }
        assert_blocked(&sample, &[BlockerCode::FindingThread]);
    }
}

#[test]
fn the_newest_review_of_the_head_blocks_by_its_body_and_older_ones_are_superseded() {
    let mut sample = checked();
    sample.react_body(PlusOne, at(40, 0));
    sample.review(at(3, 0), HEAD, SUBSTANTIVE);
    assert_blocked(&sample, &[BlockerCode::FindingReviewBody]);
    let thread_review = sample.review(at(4, 0), HEAD, BOILERPLATE);
    let thread = sample.thread_of(thread_review, at(4, 0), HEAD);
    sample.resolve(&thread);
    assert_approved(&sample, ApprovalSurface::Body);
    // For another commit it does not count at all.
    let mut sample = checked();
    sample.react_body(PlusOne, at(40, 0));
    sample.review(at(0, 1), OTHER, SUBSTANTIVE);
    assert_approved(&sample, ApprovalSurface::Body);
}

#[test]
fn changes_requested_blocks_and_a_dismissed_review_does_not() {
    for (state, blocks) in [
        (ReviewState::ChangesRequested, true),
        (ReviewState::Dismissed, false),
    ] {
        let mut sample = checked();
        sample.react_body(PlusOne, at(40, 0));
        sample.review(at(3, 0), HEAD, "Didn't find any major issues.");
        for review in sample.evidence.surfaces.reviews.items_mut() {
            review.state = state.clone();
        }
        if blocks {
            assert_blocked(&sample, &[BlockerCode::ChangesRequested]);
        } else {
            assert_approved(&sample, ApprovalSurface::Body);
        }
    }
}

#[test]
fn a_finding_comment_blocks_until_it_is_handled() {
    let body = format!(
        "Codex Review: Here are some suggestions.\n\nhttps://github.com/o/r/blob/{HEAD}/src/a.rs#L1-L2\n**<sub><sub>![P2 Badge](https://img.shields.io/badge/P2-yellow?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows."
    );
    let mut sample = checked();
    sample.react_body(PlusOne, at(40, 0));
    let comment = sample.comment(connector(), at(3, 0), &body);
    assert_blocked(&sample, &[BlockerCode::FindingComment]);
    sample.comment(
        person(),
        at(4, 0),
        &format!(
            "Fixed.\n<!-- codex-loop: handled issue-comment:{comment} outcome=fixed id=0b7f4a53-55d4-4a0e-9d2a-000000000001 -->"
        ),
    );
    assert_approved(&sample, ApprovalSurface::Body);
}

#[test]
fn a_thread_that_the_connector_only_answered_in_blocks_and_is_no_finding() {
    let mut sample = checked();
    sample.react_body(PlusOne, at(40, 0));
    sample.thread(at(3, 0), HEAD);
    for thread in sample.evidence.surfaces.threads.items_mut() {
        for comment in &mut thread.comments {
            comment.author = Some(person());
        }
    }
    sample.evidence.surfaces.review_comments = Surface::complete(Vec::new());
    sample.evidence.surfaces.reviews = Surface::complete(Vec::new());
    assert_approved(&sample, ApprovalSurface::Body);
    for thread in sample.evidence.surfaces.threads.items_mut() {
        thread.comments.push(ThreadComment {
            author: Some(connector_graphql()),
            created_at: Observed::Known(at(4, 0)),
            ..ThreadComment::default()
        });
    }
    assert_blocked(&sample, &[BlockerCode::CodexThread]);
    assert!(!BlockerCode::CodexThread.is_finding());
}

#[test]
fn an_unclear_text_for_the_head_blocks_and_offers_a_judgement() {
    let mut sample = checked();
    sample.react_body(PlusOne, at(40, 0));
    sample.comment(
        connector(),
        at(3, 0),
        &format!(
            "Codex Review: Hmm, hard to say what this does.\n\n**Reviewed commit:** `{}`",
            short()
        ),
    );
    assert_blocked(&sample, &[BlockerCode::UnclearResult]);
    let choices = Options::default();
    let run = Run::of(&sample.evidence, &choices).expect("read");
    let options = GateOptions::default();
    let document = crate::report::gate::document(&run, &Gate::of(&run, &options), &options);
    assert_eq!(document.judgement_needed.len(), 1);
}

#[test]
fn a_review_before_its_comments_lags_and_after_half_an_hour_is_to_be_judged() {
    for (when, code) in [
        (at(40, 0), BlockerCode::InlineCommentsLagging),
        (at(3, 0), BlockerCode::UnclearResult),
    ] {
        let mut sample = checked();
        sample.review(when, HEAD, BOILERPLATE);
        assert_blocked(&sample, &[code]);
    }
    // An inline comment of an earlier head before its thread.
    let mut sample = checked();
    sample.thread(at(40, 0), OTHER);
    sample.evidence.surfaces.threads = Surface::complete(Vec::new());
    assert_blocked(&sample, &[BlockerCode::InlineCommentsLagging]);
}

#[test]
fn a_closed_pull_request_blocks_even_when_overridden() {
    for state in [
        PullState::Closed,
        PullState::Merged,
        PullState::Unrecognized("ODD".into()),
    ] {
        let mut sample = checked();
        sample.react_body(PlusOne, at(5, 0));
        sample.pull().state = state;
        assert_blocked(&sample, &[BlockerCode::PullClosed]);
        let options = GateOptions {
            override_reason: Some("go".into()),
            ..GateOptions::default()
        };
        let gate = gate_with(&sample, &options);
        assert_eq!(gate.word(), GateWord::Overridden);
        assert!(!gate.merge_allowed);
        assert_eq!(gate.end(None), GateEnd::Work);
    }
}

#[test]
fn an_override_beats_waiting_and_blocking_and_never_an_incomplete_reading() {
    let options = GateOptions {
        override_reason: Some("agreed with the team".into()),
        ..GateOptions::default()
    };
    let mut sample = checked();
    assert_eq!(gate_with(&sample, &options).word(), GateWord::Overridden);
    sample.thread(at(3, 0), HEAD);
    let gate = gate_with(&sample, &options);
    assert_eq!(gate.word(), GateWord::Overridden);
    assert!(gate.merge_allowed);
    break_off(&mut sample.evidence.surfaces.body_reactions);
    let gate = gate_with(&sample, &options);
    assert_eq!(gate.word(), GateWord::Blocking);
    assert!(!gate.merge_allowed);
}

#[test]
fn tests_draft_and_conflicts_hold_an_approved_head() {
    let approved = || {
        let mut sample = Sample::new();
        sample.react_body(PlusOne, at(5, 0));
        sample
    };
    for (conclusion, end) in [
        (Some("success"), GateEnd::Allowed),
        (None, GateEnd::Pending),
        (Some("failure"), GateEnd::Work),
    ] {
        let mut sample = approved();
        sample.check_run("build", conclusion, at(1, 0));
        let gate = gate(&sample);
        assert_eq!(gate.word(), GateWord::Approved);
        assert_eq!(gate.end(Some("MERGEABLE")), end, "{conclusion:?}");
    }
    let mut sample = approved();
    sample.check_run("build", Some("success"), at(1, 0));
    sample.pull().is_draft = true;
    assert_eq!(gate(&sample).end(Some("MERGEABLE")), GateEnd::Pending);
    sample.pull().is_draft = false;
    sample.pull().mergeable = Some("CONFLICTING".into());
    assert!(!gate(&sample).merge_allowed);
    assert_eq!(gate(&sample).end(Some("CONFLICTING")), GateEnd::Work);
    sample.pull().mergeable = Some("UNKNOWN".into());
    sample.pull().review_decision = Some("CHANGES_REQUESTED".into());
    sample.pull().merge_state_status = Some("BLOCKED".into());
    assert!(gate(&sample).merge_allowed);
}

#[test]
fn a_young_approval_warns_of_a_late_review() {
    for (grace, warns) in [(90, true), (60, false), (0, false)] {
        let mut sample = checked();
        sample.react_body(PlusOne, at(58, 0));
        let options = GateOptions {
            grace: TimeDelta::seconds(grace),
            ..GateOptions::default()
        };
        let gate = gate_with(&sample, &options);
        assert_eq!(gate.word(), GateWord::Approved);
        let warned = gate
            .warnings
            .iter()
            .any(|warning| warning.code == WarningCode::LateReviewPossible);
        assert_eq!(warned, warns, "{grace}");
    }
}

#[test]
fn another_bot_that_imitates_the_connector_changes_nothing() {
    let imitator = Account {
        login: Observed::Known("claude-review[bot]".into()),
        kind: Observed::Known("Bot".into()),
        id: Observed::Known(5),
    };
    let mut sample = checked();
    sample.react_body(PlusOne, at(5, 0));
    sample.review(at(6, 0), HEAD, SUBSTANTIVE);
    for review in sample.evidence.surfaces.reviews.items_mut() {
        review.user = Some(imitator.clone());
        review.state = ReviewState::ChangesRequested;
    }
    sample.comment(
        imitator,
        at(7, 0),
        &format!(
            "Codex Review: Didn't find any major issues.\n\n**Reviewed commit:** `{}`",
            "1111111111"
        ),
    );
    assert_approved(&sample, ApprovalSurface::Body);
}

/// Takes a collection's end away.
fn break_off<T: Clone>(surface: &mut Surface<T>) {
    *surface = std::mem::take(surface).into_incomplete(SurfaceError {
        kind: SurfaceErrorKind::Incomplete,
        message: "page 2 of 2 is missing.".into(),
    });
}

#[test]
fn dropping_or_breaking_off_any_surface_never_approves() {
    type Drop = fn(&mut crate::evidence::Surfaces);
    let drops: [(&str, Drop); 24] = [
        ("issueComments", |s| s.issue_comments = Surface::NotCollected),
        ("issueComments", |s| break_off(&mut s.issue_comments)),
        ("reviews", |s| s.reviews = Surface::NotCollected),
        ("reviews", |s| break_off(&mut s.reviews)),
        ("reviewComments", |s| s.review_comments = Surface::NotCollected),
        ("reviewComments", |s| break_off(&mut s.review_comments)),
        ("threads", |s| s.threads = Surface::NotCollected),
        ("threads", |s| break_off(&mut s.threads)),
        ("bodyReactions", |s| s.body_reactions = Surface::NotCollected),
        ("bodyReactions", |s| break_off(&mut s.body_reactions)),
        ("checkRuns", |s| s.check_runs = Surface::NotCollected),
        ("checkRuns", |s| break_off(&mut s.check_runs)),
        ("statuses", |s| s.statuses = Surface::NotCollected),
        ("statuses", |s| break_off(&mut s.statuses)),
        ("checkSuites", |s| s.check_suites = Surface::NotCollected),
        ("checkSuites", |s| break_off(&mut s.check_suites)),
        ("timeline", |s| s.timeline = Surface::NotCollected),
        ("timeline", |s| break_off(&mut s.timeline)),
        ("commits", |s| s.commits = Surface::NotCollected),
        ("commits", |s| break_off(&mut s.commits)),
        ("commentReactions", |s| s.comment_reactions.clear()),
        ("commentReactions", |s| {
            s.comment_reactions.values_mut().for_each(break_off);
        }),
        ("edits", |s| break_off(&mut s.edits)),
        ("resolvedCommits", |s| break_off(&mut s.resolved_commits)),
    ];
    for base in worlds() {
        for (name, drop) in drops {
            let mut sample = Sample::new();
            sample.evidence = base.clone();
            drop(&mut sample.evidence.surfaces);
            // A world without any candidate has no reactions on comments to lose.
            if sample.evidence == base
                || (name == "commentReactions" && base.surfaces.comment_reactions.is_empty())
            {
                continue;
            }
            let gate = gate(&sample);
            if name == "commentReactions" && sample.evidence.surfaces.comment_reactions.is_empty() {
                let was = gate_of(&base).word();
                assert!(
                    was == GateWord::Approved || gate.word() != GateWord::Approved,
                    "{name}"
                );
                continue;
            }
            assert_eq!(gate.word(), GateWord::Blocking, "{name}");
            assert!(!gate.merge_allowed, "{name}");
        }
    }
}

fn gate_of(evidence: &crate::evidence::Evidence) -> Gate {
    let choices = Options::default();
    let run = Run::of(evidence, &choices).expect("the pull request was read");
    Gate::of(&run, &GateOptions::default())
}

/// Approved, waiting and blocked pull requests.
fn worlds() -> Vec<crate::evidence::Evidence> {
    let mut all = Vec::new();
    for body in [None, Some(PlusOne), Some(Eyes)] {
        for trigger in [None, Some(PlusOne), Some(Eyes)] {
            for thread in [None, Some(false), Some(true)] {
                let mut sample = checked();
                if let Some(content) = &body {
                    sample.react_body(content.clone(), at(40, 0));
                }
                if let Some(content) = &trigger {
                    let id = sample.trigger(at(2, 0));
                    sample.react(id, connector(), content.clone(), at(39, 0));
                }
                if let Some(resolved) = thread {
                    let id = sample.thread(at(3, 0), HEAD);
                    if resolved {
                        sample.resolve(&id);
                    }
                }
                all.push(sample.evidence);
            }
        }
    }
    all
}

#[test]
fn a_thumbs_up_that_claims_to_be_older_than_what_it_stands_on_approves_nothing() {
    let mut sample = checked();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(9, 0));
    assert_waiting(&sample, WaitingReason::Reviewing);
    let mut sample = checked();
    let comment = sample.clean_comment(at(10, 0), short());
    sample.plus_one(comment, at(9, 0));
    assert_waiting(&sample, WaitingReason::Reviewing);
}
