//! The edges of the gate's rules: each signal in the second and for the commit, lane and author where it begins or ends
//! to count.

use super::*;
use crate::evidence::event::{Event, EventKind};
use crate::evidence::pull::Commit;
use crate::gate::approval::pushes_would_bind;
use crate::gate::blockers::BlockedBy;
use crate::reason::WarningCode;

const CLEAN_REVIEW: &str = "### 💡 Codex Review\n\nDidn't find any major issues.";
const SECURITY_REVIEW: &str = "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.";
const BADGED: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.";
const THIRD: &str = "cccccccccccccccccccccccccccccccccccccccc";

fn labelled(text: &str, commit: &str) -> String {
    let commit: String = commit.chars().take(10).collect();
    format!("{text}\n\n**Reviewed commit:** `{commit}`")
}

/// A +1 on the body of a checked head whose pull request never had another one.
fn approved() -> Sample {
    let mut sample = checked();
    sample.react_body(PlusOne, at(5, 0));
    sample
}

/// The same after a force-push that replaced [`OTHER`] at 10:00:30.
fn pushed() -> Sample {
    let mut sample = approved();
    sample.force_push(at(0, 30), OTHER, HEAD);
    sample
}

fn by_person(sample: &mut Sample) {
    for review in sample.evidence.surfaces.reviews.items_mut() {
        review.user = Some(person());
    }
}

#[test]
fn an_incomplete_reading_is_undecided_only_while_nothing_proven_blocks() {
    let undecided = |sample: &Sample| {
        let gate = gate(sample);
        gate.undecided()
            .map(|gaps| gaps.iter().map(|gap| gap.by.to_string()).collect::<Vec<_>>())
    };
    let mut sample = approved();
    assert_eq!(undecided(&sample), None);
    sample.evidence.surfaces.statuses = Surface::NotCollected;
    assert_eq!(undecided(&sample), Some(vec!["statuses".to_owned()]));
    let node = sample.thread(at(4, 0), HEAD);
    assert_eq!(undecided(&sample), None);
    let gate = gate(&sample);
    let names: Vec<String> = gate.blockers.iter().map(|one| one.by.to_string()).collect();
    assert_eq!(names, [format!("thread:{node}"), "statuses".to_owned()]);
    assert_eq!(
        gate.blockers.last().map(|one| &one.by),
        Some(&BlockedBy::Surface("statuses"))
    );
    // An edit of the description whose time cannot be read leaves the lower bound open.
    let mut sample = approved();
    sample.pull().last_edited_at = Observed::Malformed("7".into());
    assert_blocked(&sample, &[BlockerCode::IncompleteSurface]);
}

#[test]
fn the_warnings_of_the_run_stay_and_the_late_review_is_the_gates_own() {
    // Everything was read at 10:59:00; the run is clean by the same +1.
    let mut sample = checked();
    let trigger = sample.trigger(at(2, 0));
    sample.plus_one(trigger, at(58, 0));
    sample.evidence.surfaces.timeline = Surface::complete(vec![Event {
        id: "BRC_1".into(),
        kind: EventKind::BaseChanged,
        created_at: Observed::Known(at(3, 0)),
        actor: Some(person()),
    }]);
    let codes = |seconds| {
        let options = GateOptions {
            grace: TimeDelta::seconds(seconds),
            ..GateOptions::default()
        };
        let gate = gate_with(&sample, &options);
        gate.warnings
            .iter()
            .map(|warning| warning.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        codes(90),
        [WarningCode::BaseChanged, WarningCode::LateReviewPossible]
    );
    assert_eq!(
        codes(61),
        [WarningCode::BaseChanged, WarningCode::LateReviewPossible]
    );
    assert_eq!(codes(60), [WarningCode::BaseChanged]);
    assert_eq!(codes(0), [WarningCode::BaseChanged]);
}

#[test]
fn the_newest_approval_is_the_one_that_is_named() {
    for (body, trigger, expected) in [
        (at(5, 0), at(6, 0), ApprovalSurface::Trigger),
        (at(6, 0), at(5, 0), ApprovalSurface::Body),
        (at(5, 0), at(5, 0), ApprovalSurface::Body),
    ] {
        let mut sample = checked();
        let comment = sample.trigger(at(2, 0));
        sample.plus_one(comment, trigger);
        sample.react_body(PlusOne, body);
        assert_approved(&sample, expected);
    }
}

#[test]
fn eyes_that_may_be_for_this_head_wait_until_something_strictly_later() {
    // On a trigger of no proven head: its markers disagree.
    let uuid = "01234567-89ab-4def-8123-456789abcdef";
    let body = format!(
        "@codex review\n\n<!-- dsh-review-head: {OTHER} -->\n<!-- codex-loop: head={HEAD} id={uuid} -->"
    );
    for (eyes, waits) in [(at(4, 59), false), (at(5, 0), true), (at(7, 0), true)] {
        let mut sample = approved();
        let trigger = sample.comment(person(), at(2, 0), &body);
        sample.eyes(trigger, eyes);
        if waits {
            assert_waiting(&sample, WaitingReason::Reviewing);
        } else {
            assert_approved(&sample, ApprovalSurface::Body);
        }
    }
    // Without a time they count as later than everything.
    let mut sample = approved();
    sample.react_body(Eyes, at(2, 0));
    assert_approved(&sample, ApprovalSurface::Body);
    for reaction in sample.evidence.surfaces.body_reactions.items_mut() {
        if reaction.content == Eyes {
            reaction.created_at = Observed::Missing;
        }
    }
    assert_waiting(&sample, WaitingReason::Reviewing);
    // A result that names the head spends older eyes, and none of its own second.
    for (result, waits) in [(at(6, 0), true), (at(6, 1), false)] {
        let mut sample = approved();
        sample.react_body(Eyes, at(6, 0));
        sample.clean_comment(result, short());
        if waits {
            assert_waiting(&sample, WaitingReason::Reviewing);
        } else {
            assert_approved(&sample, ApprovalSurface::Body);
        }
    }
}

#[test]
fn only_a_review_comment_of_the_code_lane_for_this_head_carries_an_approval() {
    let security = labelled(SECURITY_REVIEW, HEAD);
    let elsewhere = labelled("Codex Review: Didn't find any major issues.", OTHER);
    for body in [
        security.as_str(),
        elsewhere.as_str(),
        "Codex Review: Didn't find any major issues.",
        "You have reached your Codex usage limits for code reviews.",
    ] {
        let mut sample = checked();
        let comment = sample.comment(connector(), at(0, 4), body);
        sample.plus_one(comment, at(5, 0));
        assert_waiting(&sample, WaitingReason::NoApproval);
    }
}

#[test]
fn only_code_findings_for_this_head_make_an_older_approval_stale() {
    for (commit, lane, expected) in [
        (HEAD, "", Some(WaitingReason::ApprovalStale)),
        (OTHER, "", None),
        (HEAD, "<!-- codex-security-review-finding:v1 -->\n", None),
    ] {
        let mut sample = approved();
        let trigger = sample.trigger(at(2, 0));
        sample.plus_one(trigger, at(5, 0));
        let node = sample.thread(at(6, 0), commit);
        sample.resolve(&node);
        for thread in sample.evidence.surfaces.threads.items_mut() {
            for comment in &mut thread.comments {
                comment.body = Observed::Known(format!("{lane}{BADGED}"));
            }
        }
        let gate = gate(&sample);
        let found = match &gate.state {
            GateState::Waiting(waiting) => Some(waiting.reason),
            GateState::Approved(_) | GateState::Blocking | GateState::Overridden(_) => None,
        };
        assert_eq!(found, expected, "{commit} {lane:?} {:?}", gate.blockers);
    }
}

#[test]
fn a_text_of_no_certain_commit_blocks_from_the_arrival_of_the_head_on() {
    // The head arrived at 10:00:05.
    let unclear = "Codex Review: I went through the diff twice.";
    for (body, code) in [
        (BADGED, BlockerCode::FindingComment),
        (unclear, BlockerCode::UnclearResult),
    ] {
        let mut sample = approved();
        sample.comment(connector(), at(0, 4), body);
        assert_approved(&sample, ApprovalSurface::Body);
        let mut sample = approved();
        sample.comment(connector(), at(0, 5), body);
        assert_blocked(&sample, &[code]);
    }
    // What names another commit is another head's.
    let mut sample = approved();
    sample.comment(connector(), at(0, 5), &labelled(unclear, OTHER));
    assert_eq!(gate(&sample).blockers, []);
}

#[test]
fn only_the_connectors_reviews_of_this_head_that_stand_and_are_open_block_by_themselves() {
    type Change = fn(&mut Sample, u64);
    let rows: [(&str, Change, &[BlockerCode]); 5] = [
        (
            "as it is",
            |_, _| {},
            &[BlockerCode::ChangesRequested, BlockerCode::FindingReviewBody],
        ),
        ("by a person", |sample, _| by_person(sample), &[]),
        (
            "dismissed",
            |sample, _| {
                for review in sample.evidence.surfaces.reviews.items_mut() {
                    review.state = ReviewState::Dismissed;
                }
            },
            &[],
        ),
        (
            "of another head",
            |sample, _| {
                for review in sample.evidence.surfaces.reviews.items_mut() {
                    review.commit_id = Observed::Known(sha(OTHER));
                }
            },
            &[],
        ),
        (
            "handled",
            |sample, id| {
                let items = &mut sample.evidence.local.handled.items;
                items.insert(format!("review-body:{id}"), None);
            },
            &[BlockerCode::ChangesRequested],
        ),
    ];
    for (name, change, expected) in rows {
        let mut sample = checked();
        let review = sample.review(at(3, 0), HEAD, SUBSTANTIVE);
        for one in sample.evidence.surfaces.reviews.items_mut() {
            one.state = ReviewState::ChangesRequested;
        }
        change(&mut sample, review);
        let found: Vec<BlockerCode> = gate(&sample).blockers.iter().map(|one| one.code).collect();
        assert_eq!(found, expected, "{name}");
    }
    // A text beside inline comments decides nothing, nor does a person's remark whose name is not given.
    for (author, inline, expected) in [
        (Some(connector()), false, &[BlockerCode::UnclearResult][..]),
        (Some(connector()), true, &[]),
        (None, false, &[]),
    ] {
        let mut sample = checked();
        let review = sample.review(at(3, 0), HEAD, "I looked at it.");
        if inline {
            let node = sample.thread_of(review, at(3, 0), HEAD);
            sample.resolve(&node);
        }
        for one in sample.evidence.surfaces.reviews.items_mut() {
            one.user = author.clone();
        }
        let found: Vec<BlockerCode> = gate(&sample).blockers.iter().map(|one| one.code).collect();
        assert_eq!(found, expected, "{author:?} {inline}");
    }
    // A dismissed wrapper lags behind nothing.
    let mut sample = approved();
    sample.review(at(3, 0), HEAD, BOILERPLATE);
    assert_blocked(&sample, &[BlockerCode::UnclearResult]);
    for review in sample.evidence.surfaces.reviews.items_mut() {
        review.state = ReviewState::Dismissed;
    }
    assert_approved(&sample, ApprovalSurface::Body);
}

#[test]
fn a_thumbs_up_soon_after_the_head_is_unbound_once_anything_shows_an_earlier_head() {
    type Show = fn(&mut Sample);
    let shows: [(&str, Show, bool); 5] = [
        ("nothing", |_| {}, false),
        (
            "a person's review",
            |sample| {
                sample.review(at(0, 2), OTHER, "Hm.");
                by_person(sample);
            },
            true,
        ),
        (
            "a comment",
            |sample| {
                sample.clean_comment(at(0, 2), OTHER.get(..10).unwrap_or(""));
            },
            true,
        ),
        (
            "a row",
            |sample| {
                sample.summary("✅ **Completed**", OTHER.get(..10).unwrap_or(""), at(0, 2));
            },
            true,
        ),
        (
            "two commits",
            |sample| {
                let earlier = Commit {
                    oid: sha(OTHER),
                    committed_date: Observed::Missing,
                };
                match &mut sample.evidence.surfaces.commits {
                    Surface::Complete { items, .. } => items.insert(0, earlier),
                    Surface::Incomplete { .. } | Surface::NotCollected => panic!("the sample has commits"),
                }
            },
            true,
        ),
    ];
    for (name, show, unbound) in shows {
        let mut sample = approved();
        show(&mut sample);
        let gate = gate(&sample);
        assert_eq!(gate.signals.unbound.is_some(), unbound, "{name}");
        assert_eq!(gate.word() == GateWord::Approved, !unbound, "{name}");
    }
    // A push in the second of the opening is no push since.
    let mut sample = approved();
    sample.push(at(0, 0), THIRD, HEAD);
    sample.pull().created_at = Observed::Known(at(0, 0));
    assert_approved(&sample, ApprovalSurface::Body);
}

#[test]
fn what_the_connector_says_of_this_head_binds_the_thumbs_up_on_the_body() {
    type Say = fn(&mut Sample);
    // A thread of the head whose review is not shown: its own text tells the lane.
    fn thread(sample: &mut Sample, body: &str) {
        let node = sample.thread(at(4, 0), HEAD);
        sample.resolve(&node);
        sample.evidence.surfaces.reviews = Surface::complete(Vec::new());
        for root in sample
            .evidence
            .surfaces
            .threads
            .items_mut()
            .iter_mut()
            .flat_map(|one| &mut one.comments)
        {
            root.body = Observed::Known(body.into());
        }
    }
    let rows: [(&str, Say, bool); 11] = [
        ("nothing", |_| {}, false),
        ("a thread", |sample| thread(sample, BADGED), true),
        (
            "a thread of the security lane",
            |sample| thread(sample, SECURITY_REVIEW),
            false,
        ),
        (
            "a clean comment",
            |sample| {
                sample.clean_comment(at(4, 0), short());
            },
            true,
        ),
        (
            "one that somebody edited",
            |sample| {
                let comment = sample.clean_comment(at(4, 0), short());
                sample.edited(comment, person());
            },
            false,
        ),
        (
            "of the security lane",
            |sample| {
                sample.comment(connector(), at(4, 0), &labelled(SECURITY_REVIEW, HEAD));
            },
            false,
        ),
        (
            "a clean review",
            |sample| {
                sample.review(at(4, 0), HEAD, CLEAN_REVIEW);
            },
            true,
        ),
        (
            "a review of the security lane",
            |sample| {
                sample.review(at(4, 0), HEAD, SECURITY_REVIEW);
            },
            false,
        ),
        (
            "a person's review",
            |sample| {
                sample.review(at(4, 0), HEAD, CLEAN_REVIEW);
                by_person(sample);
            },
            false,
        ),
        (
            "a completed row",
            |sample| {
                sample.summary("✅ **Completed**", short(), at(4, 0));
            },
            true,
        ),
        (
            "a running row",
            |sample| {
                sample.summary("🔄 **Running** since", short(), at(4, 0));
            },
            false,
        ),
    ];
    for (name, say, bound) in rows {
        let mut sample = pushed();
        say(&mut sample);
        assert_eq!(gate(&sample).signals.unbound.is_none(), bound, "{name}");
    }
}

#[test]
fn a_verdict_for_the_previous_head_binds_only_when_it_is_strictly_older_than_the_push() {
    type Say = fn(&mut Sample);
    fn other() -> &'static str {
        OTHER.get(..10).unwrap_or("")
    }
    let rows: [(&str, Say, bool); 13] = [
        (
            "a review",
            |sample| {
                sample.review(at(0, 29), OTHER, BOILERPLATE);
            },
            true,
        ),
        (
            "a review in the second of the push",
            |sample| {
                sample.review(at(0, 30), OTHER, BOILERPLATE);
            },
            false,
        ),
        (
            "a review of a third commit",
            |sample| {
                sample.review(at(0, 29), THIRD, BOILERPLATE);
            },
            false,
        ),
        (
            "a review of the security lane",
            |sample| {
                sample.review(at(0, 29), OTHER, SECURITY_REVIEW);
            },
            false,
        ),
        (
            "a person's review",
            |sample| {
                sample.review(at(0, 29), OTHER, BOILERPLATE);
                by_person(sample);
            },
            false,
        ),
        (
            "a comment",
            |sample| {
                sample.clean_comment(at(0, 29), other());
            },
            true,
        ),
        (
            "a comment in the second of the push",
            |sample| {
                sample.clean_comment(at(0, 30), other());
            },
            false,
        ),
        (
            "a comment on a third commit",
            |sample| {
                sample.clean_comment(at(0, 29), THIRD.get(..10).unwrap_or(""));
            },
            false,
        ),
        (
            "a completed row",
            |sample| {
                sample.summary("✅ **Completed**", other(), at(0, 29));
            },
            true,
        ),
        (
            "a failed row",
            |sample| {
                sample.summary("⚠️ **Failed**", other(), at(0, 29));
            },
            true,
        ),
        (
            "a running row",
            |sample| {
                sample.summary("🔄 **Running** since", other(), at(0, 29));
            },
            false,
        ),
        (
            "a row in the second of the push",
            |sample| {
                sample.summary("✅ **Completed**", other(), at(0, 30));
            },
            false,
        ),
        (
            "a row for a third commit",
            |sample| {
                sample.summary("✅ **Completed**", THIRD.get(..10).unwrap_or(""), at(0, 29));
            },
            false,
        ),
    ];
    for (name, say, bound) in rows {
        let mut sample = pushed();
        say(&mut sample);
        assert_eq!(gate(&sample).signals.unbound.is_none(), bound, "{name}");
    }
}

#[test]
fn the_pushes_are_read_only_where_they_would_tell_whose_thumbs_up_it_is() {
    type Change = fn(&mut Sample);
    let rows: [(&str, Change, bool); 9] = [
        ("as it is", |_| {}, true),
        (
            "they were read",
            |sample| sample.evidence.surfaces.activity = Surface::complete(Vec::new()),
            false,
        ),
        (
            "no thumbs-up",
            |sample| sample.evidence.surfaces.body_reactions = Surface::complete(Vec::new()),
            false,
        ),
        (
            "a stale thumbs-up",
            |sample| {
                for run in sample.evidence.surfaces.check_runs.items_mut() {
                    run.started_at = Observed::Known(at(5, 1));
                }
            },
            false,
        ),
        (
            "no check with a time",
            |sample| sample.evidence.surfaces.check_runs = Surface::complete(Vec::new()),
            false,
        ),
        (
            "long after the arrival",
            |sample| {
                for reaction in sample.evidence.surfaces.body_reactions.items_mut() {
                    reaction.created_at = Observed::Known(at(35, 6));
                }
            },
            false,
        ),
        (
            "the connector names the head",
            |sample| {
                sample.clean_comment(at(4, 0), short());
            },
            false,
        ),
        (
            "how the head came is recorded",
            |sample| sample.force_push(at(0, 30), OTHER, HEAD),
            false,
        ),
        (
            "no earlier head",
            |sample| sample.evidence.surfaces.reviews = Surface::complete(Vec::new()),
            false,
        ),
    ];
    for (name, change, expected) in rows {
        let mut sample = approved();
        sample.review(at(0, 2), OTHER, "Hm.");
        by_person(&mut sample);
        change(&mut sample);
        let choices = Options::default();
        let run = Run::of(&sample.evidence, &choices).expect("the pull request was read");
        assert_eq!(pushes_would_bind(&run), expected, "{name}");
    }
}

#[test]
fn a_thumbs_up_on_the_body_from_before_the_head_came_back_is_stale() {
    for (plus_one, stale) in [(at(2, 30), true), (at(2, 59), true), (at(3, 0), false)] {
        let mut sample = checked();
        sample.react_body(PlusOne, plus_one);
        sample.force_push(at(2, 0), HEAD, OTHER);
        sample.force_push(at(3, 0), OTHER, HEAD);
        assert_eq!(gate(&sample).signals.stale.is_some(), stale, "{plus_one}");
    }
}

#[test]
fn a_text_without_an_author_blocks_when_it_says_what_only_the_connector_says_or_looks_like_a_result() {
    for (body, blocks) in [
        (
            "You have reached your Codex usage limits for code reviews.".to_owned(),
            true,
        ),
        (labelled("Nice work.", HEAD), true),
        ("Codex Review: I looked at it.".to_owned(), true),
        ("Thanks, I looked at it.".to_owned(), false),
        // What asks the connector is nothing that it says.
        ("@codex review".to_owned(), false),
        ("**@codex review** the parser".to_owned(), false),
    ] {
        let mut sample = approved();
        sample.comment(person(), at(2, 0), &body);
        for comment in sample.evidence.surfaces.issue_comments.items_mut() {
            comment.user = None;
        }
        let found: Vec<BlockerCode> = gate(&sample).blockers.iter().map(|one| one.code).collect();
        let expected: &[BlockerCode] = if blocks {
            &[BlockerCode::UnclearResult]
        } else {
            &[]
        };
        assert_eq!(found, expected, "{body:?}");
    }
}
