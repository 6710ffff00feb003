//! What must hold for any evidence: gaps never prove anything, order of items never matters, nothing that speaks
//! against a clean head is ever outweighed by taking something away, and documents keep their form.
//!
//! `cargo test` runs a few fixed cases of each. `PROPTEST_CASES=20000 cargo test --lib properties::` runs as many
//! random ones; what they found stands below as tests of their own.

mod answers;
mod bundle;
mod world;

use proptest::prelude::{ProptestConfig, any, prop, prop_assert, prop_assert_eq, proptest};
use proptest::test_runner::RngSeed;
use serde_json::Value;

use crate::evidence::Evidence;
use crate::evidence::sample::{at, person};
use crate::options::Options;
use crate::run::Run;

use answers::{Good, documents, good, validator};
use bundle::{fields, from_value, incomplete, nulled, shuffled, surfaces, to_value, without};
use world::{Piece, bot, build, pieces};

/// Fields that GitHub leaves empty where there is nothing to tell: null in their place says something else.
fn null_tells(pointer: &str) -> bool {
    // The description was never edited; a run is queued; a commit is not known any more; a fork's suite has no branch.
    pointer == "/surfaces/pull/items/0/lastEditedAt"
        || pointer.starts_with("/surfaces/edits/")
        || pointer.starts_with("/surfaces/checkRuns/")
            && (pointer.ends_with("/startedAt") || pointer.ends_with("/headSha"))
        || pointer.starts_with("/surfaces/timeline/")
            && (pointer.ends_with("/after") || pointer.ends_with("/before"))
        || pointer.starts_with("/surfaces/checkSuites/") && pointer.ends_with("/headBranch")
}

/// What GitHub has not worked out yet stands in no way: only a conflict that it found does.
fn is_context(pointer: &str) -> bool {
    pointer == "/surfaces/pull/items/0/mergeable"
}

/// A few fixed cases, or as many random ones as the tester asks for.
fn cases() -> ProptestConfig {
    #[expect(
        clippy::disallowed_methods,
        reason = "the number of cases is the tester's choice"
    )]
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if asked {
        config
    } else {
        ProptestConfig {
            cases: 48,
            rng_seed: RngSeed::Fixed(8),
            ..config
        }
    }
}

/// Good answers that were not given before.
fn better(evidence: &Evidence, before: &Good) -> Vec<&'static str> {
    let mut after = good(evidence);
    forget_ready_by_the_gate(before, &mut after);
    after.difference(before).copied().collect()
}

/// A head that the gate approves is ready, unless its run asks the user for a word. A run that no longer asks is no proof
/// for the head, and needs none: the gate approved it before.
fn forget_ready_by_the_gate(before: &Good, after: &mut Good) {
    if [before, after]
        .iter()
        .all(|answers| answers.contains("the gate is approved"))
    {
        after.remove("it is ready to merge");
    }
}

/// Takes every field of every item away, and puts null in its place; tells the first good answer that this gives.
fn poorer_by_a_field(pieces: &[(u32, Piece)]) -> Option<String> {
    let evidence = build(pieces).evidence;
    let before = good(&evidence);
    let value = to_value(&evidence);
    let mut fields = fields(&value).into_iter().filter(|pointer| !is_context(pointer));
    fields.find_map(|pointer| {
        let absent = [("without", without(&value, &pointer))];
        let null = (!null_tells(&pointer)).then(|| ("with null in", nulled(&value, &pointer)));
        absent.into_iter().chain(null).find_map(|(how, value)| {
            let better = better(&from_value(value)?, &before);
            (!better.is_empty()).then(|| format!("{how} {pointer}: {better:?}"))
        })
    })
}

/// Breaks every surface off, with each item and each page gone, or takes it away; tells the first good answer that this
/// gives.
fn poorer_by_items(pieces: &[(u32, Piece)]) -> Option<String> {
    let evidence = build(pieces).evidence;
    let before = good(&evidence);
    let value = to_value(&evidence);
    surfaces(&value).into_iter().find_map(|pointer| {
        let items = value
            .pointer(&format!("{pointer}/items"))
            .and_then(Value::as_array);
        let items = items.map_or(0, Vec::len);
        let broken = |left: &dyn Fn(usize) -> bool| {
            let mut surface = value.pointer(&pointer).cloned().unwrap_or_default();
            incomplete(&mut surface);
            if let Some(items) = surface.get_mut("items").and_then(Value::as_array_mut) {
                let mut place = 0_usize;
                items.retain(|_| {
                    place = place.saturating_add(1);
                    left(place.saturating_sub(1))
                });
            }
            surface
        };
        let mut poorer = Vec::new();
        // Pushes are asked for only where nothing else tells when the head came.
        if pointer != "/surfaces/activity" {
            poorer.push((
                "not collected".to_owned(),
                serde_json::json!({ "status": "not-collected" }),
            ));
        }
        for gone in 0..items {
            poorer.push((format!("without item {gone}"), broken(&|place| place != gone)));
            poorer.push((
                format!("without the page from item {gone}"),
                broken(&|place| place < gone),
            ));
            poorer.push((
                format!("without the page to item {gone}"),
                broken(&|place| place > gone),
            ));
        }
        poorer.into_iter().find_map(|(how, surface)| {
            let mut value = value.clone();
            if let Some(place) = value.pointer_mut(&pointer) {
                *place = surface;
            }
            let better = better(&from_value(value)?, &before);
            (!better.is_empty()).then(|| format!("{pointer} {how}: {better:?}"))
        })
    })
}

/// Words that a redacted bundle keeps, wherever they stand in a document.
const KEPT: [&str; 18] = [
    "state",
    "code",
    "action",
    "gate",
    "waitingReason",
    "tests",
    "mergeAllowed",
    "allowed",
    "reason",
    "form",
    "status",
    "holds",
    "verdict",
    "outcome",
    "priority",
    "lane",
    "bucket",
    "event",
];

/// The kept words of a document, without their places: pseudonyms sort in another order.
fn kept(document: &Value) -> Vec<String> {
    fn walk(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    if KEPT.contains(&key.as_str()) && !(value.is_object() || value.is_array()) {
                        found.push(format!("{key}={value}"));
                    }
                    walk(value, found);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    walk(document, &mut found);
    found.sort();
    found
}

/// What people write who ask for nothing.
const REMARKS: [&str; 6] = [
    "I read this again, and it is fine.",
    "> @codex review\n\nWhy did you ask for that?",
    "Write `@codex review` to ask for one.",
    "Codex Review: Didn't find any major issues. Swish!",
    "### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.",
    "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Keep the bound**",
];

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_missing_field_proves_nothing(pieces in pieces()) {
        let found = poorer_by_a_field(&pieces);
        prop_assert!(found.is_none(), "{found:?}");
    }

    #[test]
    fn a_surface_that_broke_off_proves_nothing(pieces in pieces()) {
        let found = poorer_by_items(&pieces);
        prop_assert!(found.is_none(), "{found:?}");
    }

    #[test]
    fn the_order_of_items_changes_no_document(pieces in pieces(), seed in any::<u64>()) {
        let options = Options::default();
        let evidence = build(&pieces).evidence;
        let other = from_value(shuffled(&to_value(&evidence), seed)).expect("still a bundle");
        let after = documents(&other, &options);
        for (name, before) in documents(&evidence, &options) {
            prop_assert_eq!(Some(&before), after.get(name), "{}", name);
        }
    }

    #[test]
    fn one_more_unanswered_trigger_is_never_clean(pieces in pieces(), second in 0_u32..20) {
        let mut sample = build(&pieces);
        let before = good(&sample.evidence);
        let id = sample.trigger(at(10, second));
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
        let unanswered = run.candidates.unresolved().any(|candidate| candidate.order.id == id);
        let mut after = good(&sample.evidence);
        forget_ready_by_the_gate(&before, &mut after);
        // The findings of the run before are history then, and what the gate approved since is the headline.
        if before.contains("the gate is approved") {
            after.remove("the headline is clean");
        }
        if unanswered {
            prop_assert!(!after.contains("the run is clean") && after.is_subset(&before), "{after:?}, was {before:?}");
        }
        // One that is later than everything is answered by nothing.
        if second >= 9 {
            prop_assert_eq!(after, Good::new());
        }
    }

    #[test]
    fn a_strangers_remark_changes_nothing_but_the_explanation(
        pieces in pieces(),
        second in 0_u32..9,
        remark in prop::sample::select(REMARKS.to_vec()),
        by_bot in any::<bool>(),
    ) {
        let options = Options::default();
        let mut sample = build(&pieces);
        let before = documents(&sample.evidence, &options);
        sample.comment(if by_bot { bot() } else { person() }, at(10, second), remark);
        let mut after = documents(&sample.evidence, &options);
        for (name, mut before) in before {
            if name == "explain" {
                continue;
            }
            let mut after = after.remove(name).expect("the same documents");
            for document in [&mut before, &mut after] {
                // The number of items that were read.
                if let Some(map) = document.as_object_mut() {
                    map.remove("surfaces");
                }
                if let Some(run) = document.get_mut("run").and_then(Value::as_object_mut) {
                    run.remove("surfaces");
                }
            }
            prop_assert_eq!(before, after, "{}", name);
        }
    }

    #[test]
    fn a_bundle_says_the_same_when_it_is_read_again(pieces in pieces()) {
        let options = Options::default();
        let evidence = build(&pieces).evidence;
        let text = serde_json::to_vec(&evidence).expect("evidence is JSON");
        let again = Evidence::from_json(&text).expect("a bundle");
        prop_assert_eq!(&again, &evidence);
        prop_assert_eq!(serde_json::to_vec(&again).expect("evidence is JSON"), text);
        let bytes = |evidence: &Evidence| {
            let all = documents(evidence, &options);
            all.into_values().map(|document| document.to_string()).collect::<Vec<_>>()
        };
        prop_assert_eq!(bytes(&evidence), bytes(&again));
    }

    #[test]
    fn every_document_is_what_its_schema_says(pieces in pieces()) {
        let evidence = build(&pieces).evidence;
        for (name, document) in documents(&evidence, &Options::default()) {
            let errors: Vec<String> = validator(name).iter_errors(&document).map(|error| error.to_string()).collect();
            prop_assert!(errors.is_empty(), "{name}: {errors:?}");
        }
    }

    #[test]
    fn a_redacted_bundle_says_the_same(pieces in pieces()) {
        let options = Options::default();
        let evidence = build(&pieces).evidence;
        let redacted = crate::redact::redact(evidence.clone(), &[]).expect("every text here can be redacted");
        prop_assert_eq!(good(&evidence), good(&redacted));
        let after = documents(&redacted, &options);
        for (name, before) in documents(&evidence, &options) {
            let after = after.get(name).expect("the same documents");
            prop_assert_eq!(kept(&before), kept(after), "{}", name);
        }
    }
}

#[test]
fn the_worlds_are_no_foregone_conclusion() {
    // Every good answer, and none, occurs among the beginnings of the generated worlds.
    let answered = build(&[
        (1, Piece::Check),
        (2, Piece::Trigger),
        (5, Piece::PlusOne(0)),
        (5, Piece::BodyPlusOne),
    ]);
    let all = [
        "it is ready to merge",
        "it may be merged",
        "the gate is approved",
        "the headline is clean",
        "the run is clean",
    ];
    assert_eq!(good(&answered.evidence), Good::from(all));
    let asked = build(&[(1, Piece::Check), (2, Piece::Trigger)]);
    assert_eq!(good(&asked.evidence), Good::new());
    let failed = build(&[(1, Piece::Check), (2, Piece::Trigger), (4, Piece::Failure)]);
    assert_eq!(good(&failed.evidence), Good::from(["a retry may be posted"]));
    let silent = build(&[(1, Piece::Check)]);
    assert_eq!(good(&silent.evidence), Good::from(["a request may be posted"]));
}

#[test]
fn threads_of_one_second_are_told_in_one_order() {
    use Piece as P;
    let worlds: [&[(u32, Piece)]; 3] = [
        &[
            (5, P::ChangesRequested),
            (5, P::SecurityThread),
            (0, P::OpenThread),
        ],
        &[
            (1, P::Check),
            (2, P::Trigger),
            (3, P::OtherThread),
            (3, P::OtherThread),
        ],
        &[
            (1, P::Check),
            (2, P::Trigger),
            (3, P::Unthreaded),
            (3, P::Unthreaded),
        ],
    ];
    let told = |evidence: &Evidence| documents(evidence, &Options::default());
    for pieces in worlds {
        let evidence = build(pieces).evidence;
        for seed in 0..8 {
            let other = from_value(shuffled(&to_value(&evidence), seed)).expect("still a bundle");
            assert_eq!(told(&other), told(&evidence), "{pieces:?}, seed {seed}");
        }
    }
}

/// Worlds in which something that was taken away once proved something.
#[test]
fn what_proved_something_once_proves_nothing_any_more() {
    use Piece as P;
    let answered = [
        (1, P::Check),
        (2, P::Trigger),
        (5, P::PlusOne(0)),
        (5, P::BodyPlusOne),
    ];
    let passed = [(1, P::Check), (2, P::Trigger), (5, P::CleanHead)];
    let marked = [
        (1, P::Check),
        (2, P::Marked),
        (5, P::CleanHead),
        (6, P::PlusOneOnClean),
    ];
    let failed = [(1, P::Check), (2, P::Trigger), (4, P::Failure)];
    type Pieces<'a> = &'a [(u32, Piece)];
    let found: [(Pieces<'_>, Pieces<'_>); 45] = [
        // A reaction without its word no longer hid that the head was reviewed.
        (&answered, &[(2, P::Eyes(0))]),
        // A clean text whose commit or edits were not looked up.
        (&failed, &[(0, P::CleanHead)]),
        (&failed, &[(8, P::PlusOne(0))]),
        (&passed, &[(4, P::Trigger), (8, P::CleanHead), (5, P::PlusOne(1))]),
        // Authors that were not given: of a summary, a review without words, inline comments, thread comments.
        (&failed, &[(5, P::Running), (3, P::PlusOne(1))]),
        (&passed, &[(0, P::FindingComment), (7, P::Eyes(0))]),
        (&passed, &[(4, P::ResolvedThread)]),
        (&passed, &[(5, P::OpenThread)]),
        (&answered, &[(0, P::SecurityThread)]),
        (&answered, &[(3, P::Unthreaded)]),
        (&answered, &[(3, P::Unlisted)]),
        (&passed, &[(6, P::Unlisted)]),
        (&passed, &[(8, P::Eyes(0)), (2, P::CleanHead), (8, P::CleanHead)]),
        (&answered, &[(3, P::AnsweredThread)]),
        (
            &answered,
            &[(4, P::Marked), (2, P::EditedClean), (4, P::PlusOne(1))],
        ),
        (&failed, &[(1, P::OpenThread), (0, P::HandledByPerson)]),
        // Commits that were not given.
        (&failed, &[(0, P::CleanReview)]),
        (&passed, &[(7, P::OtherThread), (0, P::SecurityClean)]),
        (
            &passed,
            &[(6, P::PlusOne(0)), (0, P::UnclearReview), (6, P::Eyes(0))],
        ),
        (&[], &[(7, P::FindingBody)]),
        (&[], &[(2, P::FindingBody), (3, P::CleanReview), (0, P::Trigger)]),
        (&answered, &[(3, P::FindingBody), (3, P::CleanReview)]),
        (
            &passed,
            &[
                (0, P::Trigger),
                (5, P::PlusOne(0)),
                (6, P::PlusOne(1)),
                (6, P::CleanHead),
            ],
        ),
        (
            &answered,
            &[(2, P::EditedClean), (3, P::PlusOne(1)), (0, P::Directed)],
        ),
        // Whether a bot asked.
        (&failed, &[(2, P::BotTrigger), (2, P::PlusOne(0))]),
        (&failed, &[(3, P::OutdatedThread), (5, P::TaskReply)]),
        // States that were not given.
        (
            &answered,
            &[(2, P::CleanReview), (6, P::OtherThread), (0, P::BodyEyes)],
        ),
        (
            &answered,
            &[(7, P::DismissedCleanReview), (2, P::FindingBody), (4, P::Status)],
        ),
        // Times and ids that were not given: of an event, of reactions, of a check.
        (&passed, &[(5, P::Ready)]),
        (
            &passed,
            &[(5, P::BodyEyes), (4, P::CleanOther), (6, P::CleanOther)],
        ),
        (
            &marked,
            &[
                (5, P::CleanHead),
                (8, P::Eyes(0)),
                (2, P::BodyPlusOne),
                (6, P::BodyPlusOne),
            ],
        ),
        (&answered, &[(6, P::FailingCheck)]),
        (
            &answered,
            &[(6, P::PlusOne(0)), (6, P::CleanHead), (0, P::Trigger)],
        ),
        (&[], &[(0, P::Directed), (7, P::Check), (0, P::PlusOne(0))]),
        (&[], &[(0, P::MoveAway), (0, P::CleanHead)]),
        (&answered, &[(0, P::Marked), (5, P::Eyes(0)), (6, P::CleanHead)]),
        // Pushes and reactions on a bot's request that broke off.
        (&answered, &[(8, P::Push)]),
        (&answered, &[(0, P::CleanReview), (6, P::Push)]),
        (
            &[(4, P::CleanOther), (0, P::BotTrigger)],
            &[(1, P::PlusOne(0)), (4, P::PlusOne(1))],
        ),
        // The branch of the suite, which said that a clean text for another commit is older than this head.
        (&answered, &[(0, P::CleanOther), (0, P::MoveHere)]),
        // The pushes, which said that a marker stood there before its head.
        (&marked, &[(3, P::Push)]),
        (&passed, &[(0, P::Push), (2, P::CleanReview)]),
        // The time of a movement, which said that the head was reviewed since.
        (&[(2, P::CleanHead)], &[(0, P::MoveHere)]),
        // The time of the suite, which said that the head was there before its result.
        (&marked, &[(5, P::LaggingReview)]),
        // The start of the only check, which said that the eyes on the body were for this head.
        (&marked, &[(6, P::BodyEyes)]),
    ];
    for (begun, more) in found {
        let pieces: Vec<(u32, Piece)> = begun.iter().chain(more).copied().collect();
        assert_eq!(poorer_by_a_field(&pieces), None, "{pieces:?}");
        assert_eq!(poorer_by_items(&pieces), None, "{pieces:?}");
    }
}
