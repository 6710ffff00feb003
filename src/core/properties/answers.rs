//! What the program says of a bundle: every document, and the few words that let somebody go on.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::convergence::{Acknowledgements, Action, Inputs, Previous, Tick, tick};
use crate::evidence::Evidence;
use crate::gate::{Gate, GateOptions, GateWord};
use crate::lineage::AttemptKind;
use crate::options::Options;
use crate::preflight::{Ask, Verdict as Permission, preflight};
use crate::reason::NextAction;
use crate::report;
use crate::run::{Run, StateWord};
use crate::sensor::{self, Sensor, Settings};
use crate::verdict::Verdict;

/// The answers that let somebody go on, as far as they are given.
pub(super) type Good = BTreeSet<&'static str>;

/// Which good answers a bundle gets.
pub(super) fn good(evidence: &Evidence) -> Good {
    let options = Options::default();
    let Some(run) = Run::of(evidence, &options) else {
        return Good::new();
    };
    let gate = Gate::of(&run, &GateOptions::default());
    let verdict = Verdict::of(&run, &gate);
    let may_post = |kind| preflight(&run, kind, &Ask::default()).verdict() == Permission::Allowed;
    let ready = converging(&run, &gate, |_, tick| tick.decided.action) == Some(Action::ReadyToMerge);
    [
        ("the run is clean", run.state.word() == StateWord::Clean),
        ("the headline is clean", verdict.state == StateWord::Clean),
        ("the gate is approved", gate.word() == GateWord::Approved),
        ("it may be merged", gate.merge_allowed),
        ("it is ready to merge", ready),
        ("a request may be posted", may_post(AttemptKind::Request)),
        ("a retry may be posted", may_post(AttemptKind::Retry)),
    ]
    .into_iter()
    .filter_map(|(word, holds)| holds.then_some(word))
    .collect()
}

/// Looks at the second tick of a head that was ready at the first; none where there is no snapshot or all is read again.
fn converging<T>(
    run: &Run<'_>,
    gate: &Gate,
    look: impl Fn(&Inputs<'_, '_, '_>, &Tick<'_>) -> T,
) -> Option<T> {
    let settings = Settings::default();
    if sensor::surfaces::gap(&run.reading, &settings).is_some() || run.next() == NextAction::Recollect {
        return None;
    }
    let sensor = Sensor::of(run, &settings);
    let previous = Previous {
        action: Action::Confirm.as_str().to_owned(),
        head: Some(run.reading.pull.head_ref_oid.clone()),
    };
    let inputs = Inputs {
        sensor: &sensor,
        record: &run.reading.evidence.local.handled.record,
        gate,
        acknowledged: &Acknowledgements::default(),
        previous: Some(&previous),
    };
    Some(look(&inputs, &tick(&inputs)))
}

/// Every document about a bundle, by name; those that rest on a snapshot only where there is one.
pub(super) fn documents(evidence: &Evidence, options: &Options) -> BTreeMap<&'static str, Value> {
    let run = Run::of(evidence, options).expect("the pull request was read");
    let choices = GateOptions::default();
    let gate = Gate::of(&run, &choices);
    let verdict = Verdict::of(&run, &gate);
    let now = evidence.collected_at;
    let asked = |kind| {
        let found = preflight(&run, kind, &Ask::default());
        value(&report::preflight::document(&run, kind, &found))
    };
    let selection = report::findings::Selection::default();
    let row = report::list::ListRow::decided(&run, &gate, &verdict, now);
    let list = report::list::document(&evidence.host, &evidence.repository, vec![row], Some(0), now);
    let watched = report::watch::Reading::of(&run, &gate, &verdict);
    let mut all = BTreeMap::from([
        ("classification", value(&report::classification::document(&run))),
        ("gate", value(&report::gate::document(&run, &gate, &choices))),
        ("status", value(&report::status::document(&run, &gate, &verdict))),
        ("findings", value(&report::findings::document(&run, &selection))),
        ("explain", value(&report::explain::document(&run))),
        ("preflight request", asked(AttemptKind::Request)),
        ("preflight retry", asked(AttemptKind::Retry)),
        ("list", value(&list)),
        (
            "watch",
            value(&report::watch::of_reading(&watched, 7, None, Some(20), None)),
        ),
    ]);
    let of_sensor = converging(&run, &gate, |inputs, tick| {
        let record = inputs.record;
        [
            ("snapshot", value(&inputs.sensor.snapshot)),
            (
                "convergence",
                value(&report::convergence::document(inputs, tick, Vec::new())),
            ),
            (
                "handled",
                value(&report::handled::document(inputs.sensor, record, None, None)),
            ),
        ]
    });
    all.extend(of_sensor.into_iter().flatten());
    all
}

fn value(document: &impl serde::Serialize) -> Value {
    serde_json::to_value(document).expect("a document is JSON")
}

/// The validator of a document's published schema.
pub(super) fn validator(name: &str) -> jsonschema::Validator {
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
        "preflight request" | "preflight retry" => schema::<report::preflight::Document>(),
        "list" => schema::<report::list::List>(),
        "watch" => schema::<report::watch::WatchDocument>(),
        "snapshot" => schema::<sensor::Snapshot>(),
        "convergence" => schema::<report::convergence::Convergence>(),
        "handled" => schema::<report::handled::HandledDocument>(),
        other => panic!("{other} is no document"),
    };
    jsonschema::validator_for(&schema).expect("a valid schema")
}
