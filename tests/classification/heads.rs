//! For which head a trigger was posted, over the real gh.

use super::{classify, expect, indeterminate};
use crate::github::{World, ada, at, connector, sha};

#[test]
fn a_head_that_moved_after_the_trigger_makes_the_run_stale() {
    // A force-push event.
    let mut world = World::new();
    let mut pull = world.pull(42);
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "+1", at("10:04"));
    pull.force_push(&sha("amended"), ada(), at("10:30"));
    let run = classify(world);
    expect(&run, "stale", "head-changed", 12);
    assert_eq!(run.json()["next"]["action"], "request-review");
    // An ordinary push: a newer commit with a later check suite.
    let mut world = World::new();
    let mut pull = world.pull(42);
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "+1", at("10:04"));
    pull.push("second", at("10:30"));
    expect(&classify(world), "stale", "head-changed", 12);
    // An ordinary push that only the activity list shows.
    let mut world = World::new();
    let mut pull = world.pull(42);
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "+1", at("10:04"));
    pull.push_silently("second", at("10:30"));
    expect(&classify(world), "stale", "head-changed", 12);
}

#[test]
fn no_evidence_either_way_is_unproven_and_a_marker_binds() {
    let bare = |body: &str| {
        let mut world = World::new();
        let mut pull = world.pull(42);
        pull.no_checks();
        pull.repository().activity.clear();
        let head = pull.head();
        let body = body.replace("HEAD", &head);
        let trigger = pull.person_comment(&body, at("10:00"));
        pull.react(trigger, connector(), "+1", at("10:04"));
        world
    };
    indeterminate(&classify(bare("@codex review")), "trigger-head-unproven");
    for marker in [
        "<!-- codex-loop: head=HEAD id=01234567-89ab-4def-8123-456789abcdef -->",
        "<!-- dsh-review-head: HEAD -->",
        "<!-- github-codex-pr-loop-request run=0123456789abcdef0123456789abcdef round=0 sha=HEAD -->",
    ] {
        let run = classify(bare(&format!("@codex review\n\n{marker}")));
        expect(&run, "clean", "clean-reaction", 0);
        let document = run.json();
        assert_eq!(document["trigger"]["headBinding"]["status"], "bound");
        assert_eq!(document["trigger"]["headBinding"]["by"], "marker");
        assert_eq!(document["trigger"]["form"], "marked");
    }
}

#[test]
fn a_head_that_came_back_is_never_clean_by_what_happened_on_the_other() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let first = pull.head();
    pull.force_push(&sha("other"), ada(), at("09:50"));
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "+1", at("10:04"));
    pull.force_push(&first, ada(), at("10:30"));
    let run = classify(world);
    assert_ne!(run.json()["state"], "clean", "{run}");
    assert_ne!(run.code, Some(0));
}
