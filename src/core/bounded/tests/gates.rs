//! The four merge gates, one by one: what passes, and everything that is missing or unknown.

use crate::bounded::gates::of;
use crate::bounded::terms::GateState::{self, Fail, Pass, Pending, Unknown};
use crate::evidence::RequiredCheck;
use crate::evidence::observed::Observed;
use crate::evidence::sample::{Sample, at};
use crate::evidence::surface::Surface;

/// A head with one passing check by GitHub Actions and rules that name `required`.
fn sample(required: &[(&str, Option<u64>)]) -> Sample {
    let mut sample = Sample::new();
    sample.check_run("build", Some("success"), at(1, 0));
    let required = required.iter().map(|(context, app)| RequiredCheck {
        context: (*context).to_owned(),
        integration_id: *app,
    });
    sample.evidence.surfaces.merge_gates = Surface::complete(required.collect());
    sample
}

fn checks(sample: &Sample) -> GateState {
    of(&sample.evidence).required_checks
}

#[test]
fn a_required_check_passes_when_the_app_of_the_rule_reported_it_and_nothing_of_it_fails() {
    // The app id of GitHub Actions, and another one.
    let (actions, other) = (Some(15_368), Some(7));
    for (required, expected) in [
        (vec![("build", None)], Pass),
        (vec![("build", actions)], Pass),
        (vec![("build", other)], Pending),
        (vec![("deploy", None)], Pending),
        (vec![("build", None), ("deploy", None)], Pending),
        (vec![("lint", None)], Fail),
        (vec![("lint", actions)], Fail),
        (vec![("build", None), ("lint", None)], Fail),
        (vec![("lint", None), ("deploy", None)], Fail),
        (vec![("slow", None)], Pending),
        (vec![("build", None), ("slow", None)], Pending),
        (vec![("ci/status", None)], Pass),
        // A status names no app.
        (vec![("ci/status", actions)], Pending),
    ] {
        let mut sample = sample(&required);
        sample.check_run("lint", Some("failure"), at(1, 0));
        sample.check_run("slow", None, at(1, 0));
        sample.status("ci/status", "success", at(1, 0));
        assert_eq!(checks(&sample), expected, "{required:?}");
    }
}

#[test]
fn each_run_is_the_one_of_its_own_app() {
    for (required, expected) in [
        (("build", Some(15_368)), Pass),
        (("build", Some(7)), Pending),
        (("lint", Some(7)), Pass),
        (("lint", Some(15_368)), Pending),
    ] {
        let mut sample = sample(&[required]);
        sample.check_run("lint", Some("success"), at(1, 0));
        let runs = sample.evidence.surfaces.check_runs.items_mut();
        let app = runs[1].app.as_mut().expect("an app");
        app.id = Observed::Known(7);
        assert_eq!(checks(&sample), expected, "{required:?}");
    }
}

#[test]
fn without_a_required_check_every_check_of_the_head_counts() {
    assert_eq!(checks(&sample(&[])), Pass);
    let mut failing = sample(&[]);
    failing.check_run("lint", Some("failure"), at(1, 0));
    assert_eq!(checks(&failing), Fail);
    let mut pending = sample(&[]);
    pending.check_run("lint", None, at(1, 0));
    assert_eq!(checks(&pending), Pending);
    let mut none = sample(&[]);
    none.evidence.surfaces.check_runs = Surface::complete(Vec::new());
    assert_eq!(checks(&none), Unknown);
}

#[test]
fn what_was_not_read_is_unknown() {
    for required in [vec![], vec![("build", None)]] {
        let mut unread = sample(&required);
        unread.evidence.surfaces.merge_gates = Surface::NotCollected;
        assert_eq!(checks(&unread), Unknown);
        let mut unread = sample(&required);
        unread.evidence.surfaces.check_runs = Surface::NotCollected;
        assert_eq!(checks(&unread), Unknown);
        let mut unread = sample(&required);
        unread.evidence.surfaces.statuses = Surface::NotCollected;
        assert_eq!(checks(&unread), Unknown);
    }
}

#[test]
fn githubs_words_give_the_other_three_gates() {
    for (word, known, unread) in [
        (Some("APPROVED"), Pass, Pass),
        (Some("CHANGES_REQUESTED"), Fail, Fail),
        (Some("REVIEW_REQUIRED"), Pending, Pending),
        (Some("SOMETHING_NEW"), Unknown, Unknown),
        // No review is required, where the rules could be read.
        (None, Pass, Unknown),
    ] {
        let mut sample = sample(&[]);
        sample.pull().review_decision = word.map(str::to_owned);
        assert_eq!(of(&sample.evidence).approvals, known, "{word:?}");
        sample.evidence.surfaces.merge_gates = Surface::NotCollected;
        assert_eq!(of(&sample.evidence).approvals, unread, "{word:?}");
    }
    for (word, expected) in [
        (Some("MERGEABLE"), Pass),
        (Some("CONFLICTING"), Fail),
        (Some("UNKNOWN"), Unknown),
        (None, Unknown),
    ] {
        let mut sample = sample(&[]);
        sample.pull().mergeable = word.map(str::to_owned);
        assert_eq!(of(&sample.evidence).mergeability, expected, "{word:?}");
    }
    for (word, known, unread) in [
        (Some("CLEAN"), Pass, Unknown),
        (Some("HAS_HOOKS"), Pass, Unknown),
        (Some("UNSTABLE"), Pass, Unknown),
        (Some("BLOCKED"), Fail, Fail),
        (Some("BEHIND"), Fail, Fail),
        (Some("DIRTY"), Fail, Fail),
        (Some("DRAFT"), Pending, Pending),
        (Some("UNKNOWN"), Unknown, Unknown),
        (None, Unknown, Unknown),
    ] {
        let mut sample = sample(&[]);
        sample.pull().merge_state_status = word.map(str::to_owned);
        assert_eq!(of(&sample.evidence).branch_protection, known, "{word:?}");
        sample.evidence.surfaces.merge_gates = Surface::NotCollected;
        assert_eq!(of(&sample.evidence).branch_protection, unread, "{word:?}");
    }
    // Without the pull request nothing is known.
    let mut sample = sample(&[]);
    sample.evidence.surfaces.pull = Surface::complete(Vec::new());
    let gates = of(&sample.evidence);
    assert_eq!(
        (
            gates.approvals,
            gates.mergeability,
            gates.branch_protection,
            gates.required_checks
        ),
        (Unknown, Unknown, Unknown, Unknown)
    );
}
