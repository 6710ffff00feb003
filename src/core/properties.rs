//! What must hold for any evidence: gaps never prove anything, order of items never matters, nothing that speaks
//! against a clean head is ever outweighed by taking something away, and documents keep their form.

use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use proptest::test_runner::RngSeed;
use serde_json::Value;

use crate::evidence::Evidence;
use crate::evidence::observed::{Observed, Timestamp};
use crate::evidence::reaction::ReactionContent;
use crate::evidence::review::ReviewState;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, person};
use crate::evidence::surface::{SurfaceError, SurfaceErrorKind};
use crate::gate::{Gate, GateOptions, GateWord};
use crate::options::Options;
use crate::report;
use crate::run::{Run, StateWord};
use crate::verdict::Verdict;

const BADGE: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Keep the bound**\n\nIt overflows.";

/// One thing on the pull request.
#[derive(Clone, Copy, Debug)]
enum Piece {
    Trigger,
    Directed,
    BotTrigger,
    Stranger,
    Impostor,
    CleanHead,
    CleanOther,
    CleanWithoutCommit,
    CleanReview,
    DismissedCleanReview,
    Failure,
    Quota,
    TaskReply,
    Unclear,
    SecurityClean,
    FindingComment,
    FindingBody,
    OpenThread,
    ResolvedThread,
    OutdatedThread,
    OtherThread,
    LaggingReview,
    Running,
    Completed,
    PlusOne(usize),
    Eyes(usize),
    BodyPlusOne,
    BodyEyes,
    Check,
    EditedClean,
    HandledByPerson,
    HandledByBot,
    MoveHere,
    MoveAway,
}

fn pieces() -> impl Strategy<Value = Vec<(u32, Piece)>> {
    let any = prop_oneof![
        4 => Just(Piece::Trigger),
        6 => (0_usize..2).prop_map(Piece::PlusOne),
        3 => (0_usize..2).prop_map(Piece::Eyes),
        4 => Just(Piece::CleanHead),
        4 => Just(Piece::BodyPlusOne),
        2 => Just(Piece::Check),
        24 => prop::sample::select(vec![
            Piece::Directed,
            Piece::BotTrigger,
            Piece::Stranger,
            Piece::Impostor,
            Piece::CleanOther,
            Piece::CleanWithoutCommit,
            Piece::CleanReview,
            Piece::DismissedCleanReview,
            Piece::Failure,
            Piece::Quota,
            Piece::TaskReply,
            Piece::Unclear,
            Piece::SecurityClean,
            Piece::FindingComment,
            Piece::FindingBody,
            Piece::OpenThread,
            Piece::ResolvedThread,
            Piece::OutdatedThread,
            Piece::OtherThread,
            Piece::LaggingReview,
            Piece::Running,
            Piece::Completed,
            Piece::BodyEyes,
            Piece::EditedClean,
            Piece::HandledByPerson,
            Piece::HandledByBot,
            Piece::MoveHere,
            Piece::MoveAway,
        ]),
    ];
    // Most worlds begin with an answered trigger, so that one thing decides whether they are clean.
    let begun = prop_oneof![
        1 => Just(Vec::new()),
        3 => Just(vec![(1, Piece::Check), (2, Piece::Trigger), (5, Piece::PlusOne(0)), (5, Piece::BodyPlusOne)]),
        2 => Just(vec![(1, Piece::Check), (2, Piece::Trigger), (5, Piece::CleanHead)]),
    ];
    (begun, prop::collection::vec((0_u32..9, any), 0..5))
        .prop_map(|(begun, more)| begun.into_iter().chain(more).collect())
}

fn build(pieces: &[(u32, Piece)]) -> Sample {
    let mut sample = Sample::new();
    let mut triggers = Vec::new();
    let mut last_finding = None;
    let short = HEAD.get(..10).expect("ten digits");
    let mut ordered = pieces.to_vec();
    ordered.sort_by_key(|(second, _)| *second);
    for (second, piece) in ordered {
        let when = at(10, second);
        add(&mut sample, piece, when, short, &mut triggers, &mut last_finding);
    }
    sample
}

fn bot() -> crate::evidence::account::Account {
    crate::evidence::account::Account {
        login: Observed::Known("ci[bot]".into()),
        kind: Observed::Known("Bot".into()),
        id: Observed::Known(99),
    }
}

fn add(
    sample: &mut Sample,
    piece: Piece,
    when: Timestamp,
    short: &str,
    triggers: &mut Vec<u64>,
    last_finding: &mut Option<String>,
) {
    let code = "Codex Review: Didn't find any major issues. Swish!";
    match piece {
        Piece::Trigger => triggers.push(sample.trigger(when)),
        Piece::Directed => triggers.push(sample.comment(person(), when, "@codex review the parser, please")),
        Piece::BotTrigger => triggers.push(sample.comment(bot(), when, "@codex review")),
        Piece::Stranger => {
            sample.comment(person(), when, "Looks good to me, thank you!");
        }
        Piece::Impostor => {
            let mut user = person();
            user.login = Observed::Known("chatgpt-codex-connector".into());
            sample.comment(user, when, code);
        }
        Piece::CleanHead => {
            sample.clean_comment(when, short);
        }
        Piece::CleanOther => {
            sample.clean_comment(when, OTHER.get(..10).expect("ten digits"));
        }
        Piece::CleanWithoutCommit => {
            sample.comment(connector(), when, code);
        }
        Piece::CleanReview => {
            sample.review(when, HEAD, code);
        }
        Piece::DismissedCleanReview => {
            sample.review(when, HEAD, code);
            if let Some(review) = sample.evidence.surfaces.reviews.items_mut().last_mut() {
                review.state = ReviewState::Dismissed;
            }
        }
        Piece::Failure => {
            let body = "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\nAn unknown error occurred";
            sample.comment(connector(), when, body);
        }
        Piece::Quota => {
            sample.comment(
                connector(),
                when,
                "You have reached your Codex usage limits for code reviews.",
            );
        }
        Piece::TaskReply => {
            let body =
                " **Summary**\n* Did it.\n\n**Testing**\n* ok\n\n[View task →](https://chatgpt.com/s/cd_1)";
            sample.comment(connector(), when, body);
        }
        Piece::Unclear => {
            let body =
                format!("Codex Review: The parser deserves a deeper look.\n\n**Reviewed commit:** `{short}`");
            sample.comment(connector(), when, &body);
        }
        Piece::SecurityClean => {
            let body = format!(
                "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.\n\n**Reviewed commit:** `{short}`"
            );
            sample.comment(connector(), when, &body);
        }
        Piece::FindingComment => {
            let body = format!("https://github.com/o/r/blob/{HEAD}/src/a.rs#L1-L2\n{BADGE}");
            let id = sample.comment(connector(), when, &body);
            *last_finding = Some(format!("issue-comment:{id}"));
        }
        Piece::FindingBody => {
            let body = format!(
                "\n### 💡 Codex Review\n\nhttps://github.com/o/r/blob/{HEAD}/src/a.rs#L1-L2\n{BADGE}"
            );
            let id = sample.review(when, HEAD, &body);
            *last_finding = Some(format!("review-body:{id}"));
        }
        Piece::OpenThread => {
            sample.thread(when, HEAD);
        }
        Piece::ResolvedThread => {
            let node = sample.thread(when, HEAD);
            sample.resolve(&node);
        }
        Piece::OutdatedThread => {
            sample.thread(when, HEAD);
            if let Some(thread) = sample.evidence.surfaces.threads.items_mut().last_mut() {
                thread.is_outdated = Observed::Known(true);
            }
        }
        Piece::OtherThread => {
            sample.thread(when, OTHER);
        }
        Piece::LaggingReview => {
            let body =
                "\n### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.";
            sample.review(when, HEAD, body);
        }
        Piece::Running => {
            sample.summary("🔄 **Running** since", short, when);
        }
        Piece::Completed => {
            sample.summary("✅ **Completed**", short, when);
        }
        Piece::PlusOne(number) => {
            if let Some(trigger) = triggers.get(number) {
                sample.plus_one(*trigger, when);
            }
        }
        Piece::Eyes(number) => {
            if let Some(trigger) = triggers.get(number) {
                sample.eyes(*trigger, when);
            }
        }
        Piece::BodyPlusOne => {
            sample.react_body(ReactionContent::PlusOne, when);
        }
        Piece::BodyEyes => {
            sample.react_body(ReactionContent::Eyes, when);
        }
        Piece::Check => {
            sample.check_run("build", Some("success"), when);
        }
        Piece::EditedClean => {
            let id = sample.clean_comment(when, short);
            sample.edited(id, person());
        }
        Piece::HandledByPerson | Piece::HandledByBot => {
            let by = if matches!(piece, Piece::HandledByBot) {
                bot()
            } else {
                person()
            };
            if let Some(key) = last_finding {
                let body = format!(
                    "Fixed.\n<!-- codex-loop: handled {key} outcome=fixed id=11111111-2222-3333-4444-555555555555 -->"
                );
                sample.comment(by, when, &body);
            }
        }
        Piece::MoveHere => sample.force_push(when, OTHER, HEAD),
        Piece::MoveAway => sample.force_push(when, HEAD, OTHER),
    }
}

/// The three answers that let somebody go on, as far as they are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Good {
    run: bool,
    headline: bool,
    gate: bool,
}

impl Good {
    fn of(evidence: &Evidence) -> Self {
        let options = Options::default();
        let Some(run) = Run::of(evidence, &options) else {
            return Self {
                run: false,
                headline: false,
                gate: false,
            };
        };
        let gate = Gate::of(&run, &GateOptions::default());
        let verdict = Verdict::of(&run, &gate);
        Self {
            run: run.state.word() == StateWord::Clean,
            headline: verdict.state == StateWord::Clean,
            gate: gate.word() == GateWord::Approved,
        }
    }

    /// Nothing is good that was not before.
    fn is_no_better_than(self, before: Self) -> bool {
        (before.run || !self.run) && (before.headline || !self.headline) && (before.gate || !self.gate)
    }
}

/// Every document about a bundle, by name.
fn documents(evidence: &Evidence, options: &Options) -> Vec<(&'static str, Value)> {
    let run = Run::of(evidence, options).expect("the pull request was read");
    let choices = GateOptions::default();
    let gate = Gate::of(&run, &choices);
    let verdict = Verdict::of(&run, &gate);
    let selection = report::findings::Selection::default();
    let value = |document: serde_json::Result<Value>| document.expect("a document is JSON");
    vec![
        (
            "classification",
            value(serde_json::to_value(report::classification::document(&run))),
        ),
        (
            "gate",
            value(serde_json::to_value(report::gate::document(
                &run, &gate, &choices,
            ))),
        ),
        (
            "status",
            value(serde_json::to_value(report::status::document(
                &run, &gate, &verdict,
            ))),
        ),
        (
            "findings",
            value(serde_json::to_value(report::findings::document(&run, &selection))),
        ),
        (
            "explain",
            value(serde_json::to_value(report::explain::document(&run))),
        ),
    ]
}

fn to_value(evidence: &Evidence) -> Value {
    serde_json::to_value(evidence).expect("evidence is JSON")
}

fn from_value(value: Value) -> Option<Evidence> {
    serde_json::from_value(value).ok()
}

/// JSON pointers to every field of every item of every surface.
fn fields(value: &Value) -> Vec<String> {
    fn walk(value: &Value, pointer: &str, inside: bool, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let pointer = format!("{pointer}/{key}");
                    if inside && !value.is_null() {
                        found.push(pointer.clone());
                    }
                    walk(value, &pointer, inside || key == "items", found);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{pointer}/{index}"), inside, found);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    if let Some(surfaces) = value.get("surfaces") {
        walk(surfaces, "/surfaces", false, &mut found);
    }
    found
}

fn without(value: &Value, pointer: &str) -> Value {
    let mut value = value.clone();
    if let Some((parent, key)) = pointer.rsplit_once('/')
        && let Some(map) = value.pointer_mut(parent).and_then(Value::as_object_mut)
    {
        map.remove(key);
    }
    value
}

/// Pointers to every surface, those of single comments too.
fn surfaces(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let Some(all) = value.get("surfaces").and_then(Value::as_object) else {
        return found;
    };
    for (name, surface) in all {
        if name == "commentReactions" {
            let ids = surface.as_object().into_iter().flat_map(|map| map.keys());
            found.extend(ids.map(|id| format!("/surfaces/{name}/{id}")));
        } else if surface.get("status").is_some() {
            found.push(format!("/surfaces/{name}"));
        }
    }
    found
}

fn incomplete(surface: &mut Value) {
    let error = SurfaceError {
        kind: SurfaceErrorKind::Incomplete,
        message: "it broke off".into(),
    };
    if let Some(map) = surface.as_object_mut() {
        map.insert("status".into(), "incomplete".into());
        map.insert(
            "error".into(),
            serde_json::to_value(error).expect("an error is JSON"),
        );
    }
}

/// Fields that GitHub leaves empty where there is nothing to tell: without them the evidence says something else.
fn may_be_empty(pointer: &str) -> bool {
    // The description was never edited; a run is queued; a commit is not known any more; a fork's suite has no branch.
    pointer == "/surfaces/pull/items/0/lastEditedAt"
        || pointer.starts_with("/surfaces/checkRuns/")
            && (pointer.ends_with("/startedAt") || pointer.ends_with("/headSha"))
        || pointer.starts_with("/surfaces/timeline/")
            && (pointer.ends_with("/after") || pointer.ends_with("/before"))
        || pointer.starts_with("/surfaces/checkSuites/") && pointer.ends_with("/headBranch")
}

/// Nothing tells whose a review without text and author is; its inline comments are told by their own.
fn is_author_of_nothing(value: &Value, pointer: &str) -> bool {
    let Some(review) = pointer
        .strip_suffix("/user")
        .filter(|review| review.starts_with("/surfaces/reviews/"))
    else {
        return false;
    };
    value
        .pointer(review)
        .and_then(|review| review.get("body"))
        .and_then(Value::as_str)
        == Some("")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, rng_seed: RngSeed::Fixed(8), ..ProptestConfig::default() })]

    #[test]
    fn a_missing_field_proves_nothing(pieces in pieces()) {
        let evidence = build(&pieces).evidence;
        let before = Good::of(&evidence);
        let value = to_value(&evidence);
        for pointer in fields(&value) {
            if may_be_empty(&pointer) || is_author_of_nothing(&value, &pointer) {
                continue;
            }
            if let Some(evidence) = from_value(without(&value, &pointer)) {
                let after = Good::of(&evidence);
                prop_assert!(after.is_no_better_than(before), "without {pointer}: {after:?}, was {before:?}");
            }
        }
    }

    #[test]
    fn a_surface_that_broke_off_proves_nothing(pieces in pieces()) {
        let evidence = build(&pieces).evidence;
        let before = Good::of(&evidence);
        let value = to_value(&evidence);
        for pointer in surfaces(&value) {
            let items = value.pointer(&format!("{pointer}/items")).and_then(Value::as_array).map_or(0, Vec::len);
            for gone in 0..=items {
                let mut value = value.clone();
                let surface = value.pointer_mut(&pointer).expect("the surface is there");
                if gone == items {
                    *surface = serde_json::json!({ "status": "not-collected" });
                } else {
                    incomplete(surface);
                    if let Some(items) = surface.get_mut("items").and_then(Value::as_array_mut) {
                        items.remove(gone);
                    }
                }
                if let Some(evidence) = from_value(value) {
                    let after = Good::of(&evidence);
                    prop_assert!(
                        after.is_no_better_than(before),
                        "{pointer} without {gone} of {items}: {after:?}, was {before:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_order_of_items_changes_no_document(pieces in pieces(), seed in any::<u64>()) {
        let options = Options::default();
        let evidence = build(&pieces).evidence;
        let mut value = to_value(&evidence);
        for pointer in surfaces(&value) {
            // The newest commit comes last: their order is the branch's.
            if pointer == "/surfaces/commits" {
                continue;
            }
            if let Some(items) = value.pointer_mut(&format!("{pointer}/items")).and_then(Value::as_array_mut) {
                shuffle(items, seed);
            }
        }
        let shuffled = from_value(value).expect("still a bundle");
        for ((name, before), (_, after)) in documents(&evidence, &options).into_iter().zip(documents(&shuffled, &options)) {
            prop_assert_eq!(before, after, "{}", name);
        }
    }

    #[test]
    fn one_more_unanswered_trigger_is_never_clean(pieces in pieces(), second in 0_u32..20) {
        let mut sample = build(&pieces);
        let before = Good::of(&sample.evidence);
        let id = sample.trigger(at(10, second));
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
        let unanswered = run.candidates.unresolved().any(|candidate| candidate.order.id == id);
        let good = Good::of(&sample.evidence);
        if unanswered {
            prop_assert!(!good.run && good.is_no_better_than(before), "{good:?}, was {before:?}");
        }
        // One that is later than everything is answered by nothing.
        if second >= 9 {
            prop_assert_eq!(good, Good { run: false, headline: false, gate: false });
        }
    }

    #[test]
    fn a_strangers_remark_changes_nothing_but_the_explanation(pieces in pieces(), second in 0_u32..9) {
        let options = Options::default();
        let mut sample = build(&pieces);
        let before = documents(&sample.evidence, &options);
        sample.comment(person(), at(10, second), "I read this again, and it is fine.");
        for ((name, mut before), (_, mut after)) in before.into_iter().zip(documents(&sample.evidence, &options)) {
            if name == "explain" {
                continue;
            }
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
        let bytes = |documents: Vec<(&'static str, Value)>| {
            documents.into_iter().map(|(_, document)| document.to_string()).collect::<Vec<_>>()
        };
        prop_assert_eq!(bytes(documents(&evidence, &options)), bytes(documents(&again, &options)));
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
        let redacted = crate::redact::redact(&evidence, &[]).expect("every text here can be redacted");
        let said = |evidence: &Evidence| {
            let mut said = Vec::new();
            for (_, document) in documents(evidence, &options) {
                for pointer in ["/state", "/verdict/state", "/run/state", "/gate", "/gate/gate", "/waitingReason", "/next/action"] {
                    said.push(document.pointer(pointer).and_then(Value::as_str).map(Value::from));
                }
                let codes = |key: &str| {
                    let rows = document.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
                    rows.iter().map(|row| row.get("code").cloned()).collect::<Vec<_>>()
                };
                said.extend(["reasons", "warnings", "blockers"].into_iter().flat_map(codes));
            }
            said
        };
        prop_assert_eq!(said(&evidence), said(&redacted));
    }
}

fn shuffle(items: &mut [Value], seed: u64) {
    let mut state = seed | 1;
    for index in (1..items.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(state >> 33).unwrap_or(0) % (index + 1);
        items.swap(index, other);
    }
}

fn validator(name: &str) -> jsonschema::Validator {
    fn schema<D: schemars::JsonSchema>() -> Value {
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        settings.into_generator().into_root_schema_for::<D>().to_value()
    }
    let schema = match name {
        "classification" => schema::<report::classification::Classification>(),
        "gate" => schema::<report::gate::GateDocument>(),
        "status" => schema::<report::status::Status>(),
        "findings" => schema::<report::findings::Findings>(),
        "explain" => schema::<report::explain::Explanation>(),
        other => panic!("{other} is no document"),
    };
    jsonschema::validator_for(&schema).expect("a valid schema")
}

#[test]
fn the_worlds_are_no_foregone_conclusion() {
    // Clean, approved and neither occur among the beginnings of the generated worlds.
    let answered = build(&[
        (1, Piece::Check),
        (2, Piece::Trigger),
        (5, Piece::PlusOne(0)),
        (5, Piece::BodyPlusOne),
    ]);
    assert_eq!(
        Good::of(&answered.evidence),
        Good {
            run: true,
            headline: true,
            gate: true
        }
    );
    let asked = build(&[(1, Piece::Check), (2, Piece::Trigger)]);
    assert_eq!(
        Good::of(&asked.evidence),
        Good {
            run: false,
            headline: false,
            gate: false
        }
    );
}
