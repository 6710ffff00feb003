//! What each outcome has to show before it may be recorded.

use serde_json::json;

use super::{Proposal, RefusalCode, add, item, plan};
use crate::evidence::handled::{Disposition, Outcome, Planned};
use crate::evidence::observed::Timestamp;
use crate::options::Options;
use crate::run::Run;
use crate::sensor::items;
use crate::sensor::world::{HEAD, OLD, World, frame};

fn now() -> Timestamp {
    "2026-09-16T12:00:00Z".parse().expect("a time")
}

fn added(
    world: &World,
    key: &str,
    outcome: Outcome,
    proposal: &Proposal,
) -> Result<Disposition, Vec<RefusalCode>> {
    let (evidence, options) = (world.evidence(), Options::default());
    let run = Run::of(&evidence, &options).expect("a run");
    let items = items::all(&run);
    let placed = item(&items, key).map_err(|refusal| vec![refusal.code])?;
    add(&run.reading, placed, outcome, proposal, now())
        .map_err(|refusals| refusals.into_iter().map(|refusal| refusal.code).collect())
}

fn planned(
    world: &World,
    key: &str,
    outcome: Outcome,
    family: Option<&str>,
) -> Result<Planned, Vec<RefusalCode>> {
    let (evidence, options) = (world.evidence(), Options::default());
    let run = Run::of(&evidence, &options).expect("a run");
    let items = items::all(&run);
    let placed = item(&items, key).map_err(|refusal| vec![refusal.code])?;
    plan(placed, outcome, family, now())
        .map_err(|refusals| refusals.into_iter().map(|refusal| refusal.code).collect())
}

fn fixed() -> Proposal {
    Proposal {
        family: Some("race".to_owned()),
        commit: Some(HEAD[..10].to_owned()),
        evidence: Some("the test `keeps_the_lock`".to_owned()),
        ..Proposal::default()
    }
}

#[test]
fn a_first_repair_shows_family_commit_and_evidence() {
    let mut world = World::new();
    let (review, key) = world.round(HEAD, HEAD, "10:00");
    let disposition = added(&world, &key, Outcome::Fixed, &fixed()).expect("complete");
    assert_eq!(disposition.commit.as_deref(), Some(HEAD));
    assert_eq!(disposition.review_id, Some(review));
    let refused = |change: fn(&mut Proposal)| {
        let mut proposal = fixed();
        change(&mut proposal);
        added(&world, &key, Outcome::Fixed, &proposal).expect_err("incomplete")
    };
    assert_eq!(refused(|p| p.family = None), [RefusalCode::NoFamily]);
    assert_eq!(refused(|p| p.family = Some("  ".into())), [RefusalCode::NoFamily]);
    assert_eq!(refused(|p| p.commit = None), [RefusalCode::NoCommit]);
    assert_eq!(
        refused(|p| p.commit = Some("c".repeat(40))),
        [RefusalCode::CommitNotOnBranch]
    );
    assert_eq!(
        refused(|p| p.commit = Some("aaaaaa".into())),
        [RefusalCode::CommitNotOnBranch]
    );
    assert_eq!(
        refused(|p| p.commit = Some("HEAD".into())),
        [RefusalCode::CommitNotOnBranch]
    );
    assert_eq!(refused(|p| p.evidence = None), [RefusalCode::NoEvidence]);
    assert_eq!(
        refused(|p| *p = Proposal::default()),
        [
            RefusalCode::NoEvidence,
            RefusalCode::NoFamily,
            RefusalCode::NoCommit
        ]
    );
    assert_eq!(
        added(&world, "review-comment:1", Outcome::Fixed, &fixed()),
        Err(vec![RefusalCode::UnknownItem])
    );
    let mut shared = world.clone();
    shared.put(
        "commits",
        json!({ "oid": format!("{}{}", &HEAD[..10], "c".repeat(30)) }),
    );
    assert_eq!(
        added(&shared, &key, Outcome::Fixed, &fixed()),
        Err(vec![RefusalCode::CommitNotOnBranch])
    );
}

#[test]
fn from_the_second_occurrence_a_repair_shows_premise_and_coverage() {
    let mut world = World::new();
    let (_, key) = world.round(HEAD, HEAD, "10:00");
    world.json["local"] = json!({ "handled": { "record": { "families": { "race": { "count": 1 } } } } });
    assert_eq!(
        added(&world, &key, Outcome::Fixed, &fixed()),
        Err(vec![RefusalCode::NoPremise, RefusalCode::NoCovers])
    );
    let general = Proposal {
        premise: Some("two writers reach `save`".to_owned()),
        covers: Some("every caller takes the lock".to_owned()),
        ..fixed()
    };
    let disposition = added(&world, &key, Outcome::Fixed, &general).expect("complete");
    assert_eq!(disposition.covers.as_deref(), Some("every caller takes the lock"));
    let other = Proposal {
        family: Some("other".to_owned()),
        ..fixed()
    };
    added(&world, &key, Outcome::Fixed, &other).expect("the first occurrence of another family");
    world.json["local"]["handled"]["record"]["dispositions"][&key] = json!({
        "outcome": "fixed", "family": "race", "evidence": "x", "recordedAt": "2026-09-16T11:00:00Z",
    });
    assert!(
        added(&world, &key, Outcome::Fixed, &fixed()).is_err(),
        "recorded for another text"
    );
    world.json["local"]["handled"]["items"] = json!({ &key: null });
    added(&world, &key, Outcome::Fixed, &fixed()).expect("the one occurrence is this item itself");
}

#[test]
fn a_rebuttal_needs_an_answer_on_github() {
    let rebuttal = Proposal {
        evidence: Some("the lock is held by the caller".to_owned()),
        ..Proposal::default()
    };
    let mut world = World::new();
    let (_, key) = world.round(HEAD, HEAD, "10:00");
    let (_, other) = world.round(HEAD, HEAD, "10:01");
    assert_eq!(
        added(&world, &key, Outcome::Rebutted, &rebuttal),
        Err(vec![RefusalCode::NoReply])
    );
    world.reply(&other, "Not so.", "10:05");
    assert_eq!(
        added(&world, &key, Outcome::Rebutted, &rebuttal),
        Err(vec![RefusalCode::NoReply]),
        "another thread"
    );
    world.reply(&key, "Not so: the caller holds the lock.", "10:05");
    let disposition = added(&world, &key, Outcome::Rebutted, &rebuttal).expect("answered");
    assert!(
        disposition
            .reply
            .is_some_and(|reply| reply.starts_with("review-comment:"))
    );
    assert_eq!(
        added(&world, &key, Outcome::Rebutted, &Proposal::default()),
        Err(vec![RefusalCode::NoEvidence])
    );
    let mut bot = world.clone();
    let replies = bot.json["surfaces"]["reviewComments"]["items"]
        .as_array_mut()
        .expect("comments");
    replies.retain(|comment| comment["in_reply_to_id"].is_null());
    bot.reply(&key, "I agree.", "10:05");
    let last = bot.json["surfaces"]["reviewComments"]["items"]
        .as_array_mut()
        .and_then(|all| all.last_mut());
    last.expect("a reply")["user"]["type"] = "Bot".into();
    assert_eq!(
        added(&bot, &key, Outcome::Rebutted, &rebuttal),
        Err(vec![RefusalCode::NoReply]),
        "another bot"
    );
}

#[test]
fn a_finding_in_a_body_is_answered_by_a_comment_that_links_it() {
    let rebuttal = Proposal {
        evidence: Some("shown".to_owned()),
        ..Proposal::default()
    };
    let mut world = World::new();
    let review = world.review(HEAD, "The lock is dropped too early.", "10:00");
    let key = format!("review-body:{review}");
    let link = format!("https://github.com/octo/widgets/pull/42#pullrequestreview-{review}");
    world.person(&format!("{link}0 is another one."), "10:05");
    world.connector(&link, "10:05");
    world.person(&format!("Too early: {link}"), "09:59");
    assert_eq!(
        added(&world, &key, Outcome::Rebutted, &rebuttal),
        Err(vec![RefusalCode::NoReply])
    );
    let mut linked = world.clone();
    let answer = linked.person(&format!("{link}: the caller holds it."), "10:06");
    let disposition = added(&linked, &key, Outcome::Rebutted, &rebuttal).expect("answered");
    assert!(
        disposition
            .reply
            .is_some_and(|reply| reply.ends_with(&format!("#issuecomment-{answer}")))
    );
    let mut marked = world.clone();
    marked.person(
        &format!("No.\n\n<!-- codex-loop: handled {key} outcome=rebutted id=01234567-89ab-4def-8123-456789abcdef -->"),
        "10:06",
    );
    let refused = added(&marked, &key, Outcome::UserDecision, &rebuttal).expect_err("a decision");
    assert_eq!(refused, [RefusalCode::UserDecisionOpen]);
    assert!(
        added(&marked, &key, Outcome::Rebutted, &rebuttal).is_ok(),
        "the marker answers it"
    );
}

#[test]
fn a_plan_names_the_family_of_what_is_valid() {
    let mut world = World::new();
    let (review, key) = world.round(OLD, OLD, "09:30");
    world.review(HEAD, &frame(HEAD), "10:00");
    let plan = planned(&world, &key, Outcome::Fixed, Some(" race ")).expect("an item of an older head too");
    assert_eq!(
        (plan.family.as_deref(), plan.review_id),
        (Some("race"), Some(review))
    );
    assert!(plan.body_sha256.is_some_and(|digest| digest.len() == 64));
    assert_eq!(
        planned(&world, &key, Outcome::Fixed, None),
        Err(vec![RefusalCode::NoFamily])
    );
    assert_eq!(
        planned(&world, &key, Outcome::UserDecision, Some("")),
        Err(vec![RefusalCode::NoFamily])
    );
    assert!(planned(&world, &key, Outcome::Rebutted, None).is_ok());
    world.json["local"] = json!({ "handled": { "items": { &key: null } } });
    assert_eq!(
        planned(&world, &key, Outcome::Rebutted, None),
        Err(vec![RefusalCode::AlreadyHandled])
    );
}

#[test]
fn only_this_item_fixed_in_this_family_is_no_occurrence_of_its_own() {
    for (outcome, family, asks) in [
        ("fixed", "race", false),
        ("rebutted", "race", true),
        ("fixed", "leak", true),
    ] {
        let mut world = World::new();
        let (_, key) = world.round(HEAD, HEAD, "10:00");
        world.json["local"]["handled"] = json!({
            "items": { &key: null },
            "record": {
                "families": { "race": { "count": 1 } },
                "dispositions": { &key: {
                    "outcome": outcome, "family": family, "evidence": "x", "recordedAt": "2026-09-16T11:00:00Z",
                } },
            },
        });
        let refused = added(&world, &key, Outcome::Fixed, &fixed()).is_err();
        assert_eq!(refused, asks, "{outcome} {family}");
    }
}

#[test]
fn what_is_missing_is_said_in_the_words_that_help() {
    let mut world = World::new();
    let (_, inline) = world.round(HEAD, HEAD, "10:00");
    let review = world.review(HEAD, "The lock is dropped too early.", "10:00");
    let (evidence, options) = (world.evidence(), Options::default());
    let run = Run::of(&evidence, &options).expect("a run");
    let items = items::all(&run);
    let refused = |key: &str, outcome, proposal: &Proposal| {
        let placed = item(&items, key).expect("an item");
        let refusals = add(&run.reading, placed, outcome, proposal, now()).expect_err("incomplete");
        refusals
            .into_iter()
            .map(|refusal| refusal.message)
            .collect::<Vec<_>>()
    };
    let rebuttal = Proposal {
        evidence: Some("shown".to_owned()),
        ..Proposal::default()
    };
    for (key, words) in [
        (inline.as_str(), "in its thread on GitHub"),
        (&format!("review-body:{review}"), "answer it with `reply` first"),
    ] {
        let told = refused(key, Outcome::Rebutted, &rebuttal);
        assert!(told.len() == 1 && told[0].contains(words), "{told:?}");
    }
    let elsewhere = Proposal {
        commit: Some("c".repeat(40)),
        ..fixed()
    };
    let told = refused(&inline, Outcome::Fixed, &elsewhere);
    assert!(told.len() == 1 && told[0].contains("push it first"), "{told:?}");
}
