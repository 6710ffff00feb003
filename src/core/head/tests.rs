//! Head binding, one case per sentence of the rule.

use super::*;
use crate::bot::triggers::MarkedHead;
use crate::evidence::observed::Observed;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, sha};

fn bind(sample: &Sample, marked: &MarkedHead) -> (BindingStatus, BoundBy) {
    let pull = sample.evidence.pull().expect("a pull request");
    let history = HeadHistory::of(&sample.evidence, pull);
    let binding = history.bind(&TriggerClaim {
        at: at(10, 0),
        marked,
        journal: None,
    });
    (binding.status, binding.by)
}

#[test]
fn evidence_strictly_before_the_trigger_binds() {
    let mut sample = Sample::new();
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Bound, BoundBy::CheckSuite)
    );
    for suite in sample.evidence.surfaces.check_suites.items_mut() {
        suite.created_at = Observed::Known(at(10, 0));
    }
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Unproven, BoundBy::None)
    );
}

#[test]
fn a_suite_of_another_branch_or_commit_is_no_evidence() {
    let mut sample = Sample::new();
    for suite in sample.evidence.surfaces.check_suites.items_mut() {
        suite.head_branch = Observed::Known("main".into());
    }
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Unproven, BoundBy::None)
    );
    let mut sample = Sample::new();
    for suite in sample.evidence.surfaces.check_suites.items_mut() {
        suite.head_sha = Observed::Known(sha(OTHER));
    }
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Unproven, BoundBy::None)
    );
}

#[test]
fn a_review_of_the_head_binds_and_one_of_another_commit_does_not() {
    let mut sample = Sample::new();
    sample.without_suites();
    sample.review(at(5, 0), OTHER, "");
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Unproven, BoundBy::None)
    );
    sample.review(at(6, 0), HEAD, "");
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Bound, BoundBy::Review)
    );
}

#[test]
fn movements_bind_or_supersede() {
    let mut sample = Sample::new();
    sample.without_suites();
    sample.force_push(at(5, 0), OTHER, HEAD);
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Bound, BoundBy::Movement)
    );

    let mut sample = Sample::new();
    sample.without_suites();
    sample.push(at(5, 0), OTHER, HEAD);
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Bound, BoundBy::Activity)
    );

    let mut sample = Sample::new();
    sample.force_push(at(20, 0), OTHER, HEAD);
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Superseded, BoundBy::Movement)
    );

    let mut sample = Sample::new();
    sample.push(at(20, 0), OTHER, HEAD);
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Superseded, BoundBy::Activity)
    );
}

#[test]
fn a_head_that_left_and_came_back_is_never_bound_by_its_first_visit() {
    // A at 10:00, B at 10:05, trigger at 10:10, A again at 10:15.
    let mut sample = Sample::new();
    sample.force_push(at(5, 0), HEAD, OTHER);
    sample.force_push(at(15, 0), OTHER, HEAD);
    assert_eq!(bind(&sample, &MarkedHead::None).0, BindingStatus::Superseded);
    assert_ne!(bind(&sample, &MarkedHead::One(sha(HEAD))).0, BindingStatus::Bound);
    // The last movement before the trigger landed on B, and the way back is not recorded.
    let mut sample = Sample::new();
    sample.force_push(at(5, 0), HEAD, OTHER);
    assert_eq!(bind(&sample, &MarkedHead::None).0, BindingStatus::Unproven);
}

#[test]
fn markers_and_the_journal_bind_and_supersede() {
    let mut sample = Sample::new();
    sample.without_suites();
    assert_eq!(
        bind(&sample, &MarkedHead::One(sha(HEAD))),
        (BindingStatus::Bound, BoundBy::Marker)
    );
    assert_eq!(
        bind(&sample, &MarkedHead::One(sha(OTHER))),
        (BindingStatus::Superseded, BoundBy::Marker)
    );
    assert_eq!(
        bind(&sample, &MarkedHead::Conflicting),
        (BindingStatus::Unproven, BoundBy::None)
    );
    sample.force_push(at(12, 0), HEAD, OTHER);
    assert_eq!(
        bind(&sample, &MarkedHead::One(sha(HEAD))).0,
        BindingStatus::Unproven
    );
    let pull = sample.evidence.pull().expect("a pull request");
    let history = HeadHistory::of(&sample.evidence, pull);
    let journal = sha(OTHER);
    let claim = TriggerClaim {
        at: at(10, 0),
        marked: &MarkedHead::None,
        journal: Some(&journal),
    };
    assert_eq!(history.bind(&claim).status, BindingStatus::Superseded);
}

#[test]
fn a_newer_commit_supersedes_only_with_later_evidence() {
    let mut sample = Sample::new();
    for commit in sample.evidence.surfaces.head_commit.items_mut() {
        commit.committed_date = Observed::Known(at(15, 0));
    }
    // The date is a lie: the head was there before the trigger.
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Bound, BoundBy::CheckSuite)
    );
    for suite in sample.evidence.surfaces.check_suites.items_mut() {
        suite.created_at = Observed::Known(at(16, 0));
    }
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Superseded, BoundBy::CommitterDate)
    );
    sample.without_suites();
    assert_eq!(
        bind(&sample, &MarkedHead::None),
        (BindingStatus::Unproven, BoundBy::None)
    );
}

#[test]
fn a_movement_without_a_time_or_target_proves_nothing() {
    let mut sample = Sample::new();
    sample.force_push(at(5, 0), OTHER, HEAD);
    for event in sample.evidence.surfaces.timeline.items_mut() {
        event.created_at = Observed::Missing;
    }
    assert_eq!(bind(&sample, &MarkedHead::None).0, BindingStatus::Unproven);
    let mut sample = Sample::new();
    sample.force_push(at(5, 0), OTHER, HEAD);
    for event in sample.evidence.surfaces.timeline.items_mut() {
        event.kind = EventKind::HeadForcePushed {
            before: None,
            after: None,
        };
    }
    assert_eq!(bind(&sample, &MarkedHead::None).0, BindingStatus::Unproven);
}

fn history(sample: &Sample) -> HeadHistory {
    HeadHistory::of(&sample.evidence, sample.evidence.pull().expect("a pull request"))
}

#[test]
fn the_arrival_is_the_last_return_of_the_head_else_its_first_evidence() {
    assert_eq!(history(&Sample::new()).arrival(), Some(at(0, 5)));
    // It was seen before it was pushed; without a recorded departure it had arrived then.
    let mut sample = Sample::new();
    sample.push(at(3, 0), OTHER, HEAD);
    assert_eq!(history(&sample).arrival(), Some(at(0, 5)));
    assert_eq!(history(&sample).sightings().len(), 2);
    sample.push(at(2, 0), HEAD, OTHER);
    assert_eq!(history(&sample).arrival(), Some(at(3, 0)));
    // A departure after the return changes nothing about when it came.
    let mut sample = Sample::new();
    sample.push(at(3, 0), OTHER, HEAD);
    sample.push(at(4, 0), HEAD, OTHER);
    assert_eq!(history(&sample).arrival(), Some(at(0, 5)));
    let mut sample = Sample::new();
    sample.push(at(1, 0), OTHER, "cccccccccccccccccccccccccccccccccccccccc");
    sample.push(at(3, 0), OTHER, HEAD);
    assert_eq!(history(&sample).arrival(), Some(at(0, 5)));
}

#[test]
fn a_suite_of_the_branch_without_a_time_or_commit_may_be_older_evidence() {
    assert!(!history(&Sample::new()).may_be_older());
    type Change = fn(&mut crate::evidence::check::CheckSuite);
    let rows: [(&str, Change, bool); 5] = [
        ("no time", |suite| suite.created_at = Observed::Missing, true),
        ("no commit", |suite| suite.head_sha = Observed::Missing, true),
        (
            "another commit",
            |suite| {
                suite.head_sha = Observed::Known(sha(OTHER));
                suite.created_at = Observed::Missing;
            },
            false,
        ),
        (
            "another branch",
            |suite| {
                suite.head_branch = Observed::Known("main".into());
                suite.created_at = Observed::Missing;
            },
            false,
        ),
        (
            "another branch and no commit",
            |suite| {
                suite.head_branch = Observed::Known("main".into());
                suite.head_sha = Observed::Missing;
            },
            false,
        ),
    ];
    for (name, change, expected) in rows {
        let mut sample = Sample::new();
        for suite in sample.evidence.surfaces.check_suites.items_mut() {
            change(suite);
        }
        assert_eq!(history(&sample).may_be_older(), expected, "{name}");
    }
}

#[test]
fn a_movement_whose_time_cannot_be_read_is_told() {
    let mut sample = Sample::new();
    sample.force_push(at(3, 0), OTHER, HEAD);
    assert!(!history(&sample).has_undated_movement());
    for event in sample.evidence.surfaces.timeline.items_mut() {
        event.created_at = Observed::Missing;
    }
    assert!(history(&sample).has_undated_movement());
}

#[test]
fn the_opening_and_a_run_of_an_own_suite_are_evidence_only_of_this_head() {
    let kinds = |sample: &Sample| {
        let history = history(sample);
        history.sightings().iter().map(|one| one.by).collect::<Vec<_>>()
    };
    for (from, to, opened_here) in [(OTHER, HEAD, true), (HEAD, OTHER, false)] {
        let mut sample = Sample::new();
        sample.without_suites();
        sample.push(at(4, 0), from, to);
        sample.pull().created_at = Observed::Known(at(5, 0));
        let expected: &[BoundBy] = if opened_here {
            &[BoundBy::Activity, BoundBy::Opened]
        } else {
            &[]
        };
        assert_eq!(kinds(&sample), expected);
    }
    for (suite, commit, counts) in [(900, HEAD, true), (900, OTHER, false), (901, HEAD, false)] {
        let mut sample = Sample::new();
        sample.check_run("build", Some("success"), at(1, 0));
        for run in sample.evidence.surfaces.check_runs.items_mut() {
            run.check_suite = Some(crate::evidence::check::SuiteReference {
                id: Observed::Known(suite),
            });
            run.head_sha = Observed::Known(sha(commit));
        }
        assert_eq!(
            kinds(&sample).contains(&BoundBy::CheckRun),
            counts,
            "{suite} {commit}"
        );
    }
}

/// The start is the app's word, the suite's time GitHub's: a trigger for the head before must not be taken for this one's.
#[test]
fn a_run_that_claims_to_be_older_than_its_suite_proves_the_head_no_earlier_than_the_suite() {
    for (suite_at, started, expected) in [
        (at(9, 0), at(9, 30), BindingStatus::Bound),
        (at(9, 0), at(1, 0), BindingStatus::Bound),
        (at(12, 0), at(1, 0), BindingStatus::Unproven),
        (at(10, 0), at(9, 59), BindingStatus::Unproven),
    ] {
        let mut sample = Sample::new();
        sample.check_run("build", Some("success"), started);
        let suites = sample.evidence.surfaces.check_suites.items_mut();
        let id = suites.first().and_then(|suite| suite.id.get()).expect("a suite");
        for suite in suites {
            suite.created_at = Observed::Known(suite_at);
        }
        for run in sample.evidence.surfaces.check_runs.items_mut() {
            run.check_suite = Some(crate::evidence::check::SuiteReference {
                id: Observed::Known(id),
            });
        }
        assert_eq!(
            bind(&sample, &MarkedHead::None).0,
            expected,
            "{suite_at} {started}"
        );
    }
}

#[test]
fn a_commit_of_the_second_of_the_trigger_is_not_newer_than_it() {
    for (committed, first, expected) in [
        (
            at(10, 1),
            at(10, 1),
            (BindingStatus::Superseded, BoundBy::CommitterDate),
        ),
        (at(10, 0), at(10, 1), (BindingStatus::Unproven, BoundBy::None)),
        (at(10, 1), at(10, 0), (BindingStatus::Unproven, BoundBy::None)),
    ] {
        let mut sample = Sample::new();
        for suite in sample.evidence.surfaces.check_suites.items_mut() {
            suite.created_at = Observed::Known(first);
        }
        for commit in sample.evidence.surfaces.head_commit.items_mut() {
            commit.committed_date = Observed::Known(committed);
        }
        assert_eq!(bind(&sample, &MarkedHead::None), expected);
    }
}

#[test]
fn a_movement_in_the_second_of_the_trigger_counts_as_older_than_it() {
    for (when, from, to, expected) in [
        (
            at(10, 0),
            OTHER,
            HEAD,
            (BindingStatus::Bound, BoundBy::CheckSuite),
        ),
        (
            at(10, 1),
            OTHER,
            HEAD,
            (BindingStatus::Superseded, BoundBy::Movement),
        ),
        (at(10, 0), HEAD, OTHER, (BindingStatus::Unproven, BoundBy::None)),
        (at(10, 1), HEAD, OTHER, (BindingStatus::Unproven, BoundBy::None)),
    ] {
        let mut sample = Sample::new();
        sample.force_push(when, from, to);
        assert_eq!(bind(&sample, &MarkedHead::None), expected, "{when} {from} {to}");
    }
    // A marker binds unless something moved later.
    let marked = MarkedHead::One(sha(HEAD));
    for (when, status) in [
        (at(10, 0), BindingStatus::Bound),
        (at(10, 1), BindingStatus::Unproven),
    ] {
        let mut sample = Sample::new();
        sample.force_push(when, OTHER, HEAD);
        assert_eq!(bind(&sample, &marked).0, status, "{when}");
    }
}

#[test]
fn a_binding_is_explained_by_the_evidence_that_decided_it_and_by_nothing_else() {
    let away_and_back = [
        (at(5, 0), OTHER, HEAD),
        (at(12, 0), HEAD, OTHER),
        (at(20, 0), OTHER, HEAD),
    ];
    let twice_here = [(at(10, 0), OTHER, HEAD), (at(20, 0), OTHER, HEAD)];
    let marked = |head: &str| MarkedHead::One(sha(head));
    for (moves, marked, expected) in [
        (&away_and_back[..], MarkedHead::None, Some(Some(at(20, 0)))),
        (&twice_here[..], MarkedHead::None, Some(Some(at(20, 0)))),
        // The marker decided, not the movement.
        (&away_and_back[..], marked(OTHER), None),
        (&[], marked(HEAD), None),
        // The check suite at 10:00:05, which is no movement.
        (&[], MarkedHead::None, Some(None)),
        // Nothing is proven.
        (&[(at(5, 0), HEAD, OTHER)], MarkedHead::None, None),
    ] {
        let mut sample = Sample::new();
        for (when, from, to) in moves {
            sample.force_push(*when, from, to);
        }
        let history = history(&sample);
        let binding = history.bind(&TriggerClaim {
            at: at(10, 0),
            marked: &marked,
            journal: None,
        });
        let proof = history.proof(at(10, 0), &binding).map(|name| {
            let movement = history.movements().iter().find(|movement| movement.name == *name);
            movement.map(|movement| movement.at)
        });
        assert_eq!(proof, expected, "{moves:?} {marked:?}");
    }
}
