//! Every conclusion the product draws from one bundle, and what must hold between them whatever the bundle says.

use codex_loop::convergence::{Acknowledgements, Action, Inputs, Previous, tick};
use codex_loop::evidence::Evidence;
use codex_loop::finding::FindingState;
use codex_loop::gate::{Gate, GateOptions, GateState, GateWord};
use codex_loop::lineage::AttemptKind;
use codex_loop::options::Options;
use codex_loop::preflight::{Ask, preflight};
use codex_loop::report::look::Look;
use codex_loop::report::{self, classification, explain, findings, gate, list, status};
use codex_loop::run::{Run, RunState, StateWord};
use codex_loop::sensor::{self, Sensor, Settings};
use codex_loop::verdict::Verdict;
use codex_loop::wanted::{Purpose, wanted};

/// What a bundle was concluded to say, as far as two bundles are compared by it.
#[derive(Debug, PartialEq, Eq)]
pub struct Concluded {
    pub run: StateWord,
    pub headline: StateWord,
    pub gate: GateWord,
    pub merge_allowed: bool,
    pub reasons: Vec<String>,
}

/// Draws every conclusion, writes every document and text, and holds the invariants; none without a pull request.
pub fn draw(evidence: &Evidence) -> Option<Concluded> {
    let options = Options::default();
    let run = Run::of(evidence, &options)?;
    for purpose in [Purpose::Run, Purpose::Gate, Purpose::Sensor, Purpose::Convergence] {
        let _ = wanted(evidence, &options, purpose);
    }
    let choices = GateOptions::default();
    let decided = Gate::of(&run, &choices);
    let verdict = Verdict::of(&run, &decided);
    hold(&run, &decided, &verdict);
    for kind in [AttemptKind::Request, AttemptKind::Retry] {
        let found = preflight(&run, kind, &Ask::default());
        write(
            &report::preflight::document(&run, kind, &found),
            report::preflight::text,
        );
    }
    write(&classification::document(&run), classification::text);
    write(&gate::document(&run, &decided, &choices), gate::text);
    write(&status::document(&run, &decided, &verdict), status::text);
    write(
        &findings::document(&run, &findings::Selection::default()),
        findings::text,
    );
    write(&explain::document(&run), explain::text);
    let now = evidence.collected_at;
    let row = list::ListRow::decided(&run, &decided, &verdict, now);
    write(
        &list::document(&evidence.host, &evidence.repository, vec![row], None, now),
        list::text,
    );
    converge(&run, &decided);
    Some(Concluded {
        run: run.state.word(),
        headline: verdict.state,
        gate: decided.word(),
        merge_allowed: decided.merge_allowed,
        reasons: run
            .reasons
            .iter()
            .chain(&verdict.reasons)
            .map(|reason| reason.code.as_str().to_owned())
            .collect(),
    })
}

/// What proves clean or approved proves it for the whole evidence.
fn hold(run: &Run<'_>, gate: &Gate, verdict: &Verdict) {
    let surfaces = &run.reading.evidence.surfaces;
    assert!(!run.reasons.is_empty() && !verdict.reasons.is_empty());
    if let RunState::Clean { by } = &run.state {
        assert!(surfaces.issue_comments.is_complete());
        assert!(surfaces.reviews.is_complete() && surfaces.review_comments.is_complete());
        assert!(surfaces.threads.is_complete());
        assert!(run.reading.evidence.unstable.is_none());
        assert!(run.reading.malformed.is_empty());
        let newest = run.candidates.newest_on_head().expect("a trigger on the head");
        assert!(by.at() >= newest.order.at);
        let open = |finding: &codex_loop::finding::Finding| {
            finding.on_head()
                && finding.state == FindingState::Open
                && finding.at.is_none_or(|at| at > newest.order.at)
        };
        assert!(!run.findings.iter().any(open), "clean with an open finding");
        assert!(run.candidates.unresolved().all(|one| one.name == newest.name));
    }
    if let GateState::Approved(approval) = &gate.state {
        assert!(gate.blockers.is_empty());
        assert!(gate.bound.is_fresh(approval.at));
        assert!(surfaces.body_reactions.is_complete() && surfaces.threads.is_complete());
    }
    if verdict.state == StateWord::Clean {
        assert!(gate.blockers.is_empty(), "clean although the gate is blocked");
        assert!(run.state.word() != StateWord::Findings);
    }
    if gate.merge_allowed {
        assert!(matches!(gate.state, GateState::Approved(_)));
        assert!(!run.reading.pull.is_draft);
    }
}

fn converge(run: &Run<'_>, gate: &Gate) {
    let settings = Settings::default();
    let sensor = Sensor::of(run, &settings);
    let whole = sensor::surfaces::gap(&run.reading, &settings).is_none();
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
    let next = tick(&inputs);
    if whole && next.decided.action == Action::ReadyToMerge {
        assert!(sensor.snapshot.open_comments.is_empty());
        assert!(sensor.snapshot.ci.failed.is_empty() && sensor.snapshot.ci.pending.is_empty());
        assert!(!run.reading.pull.is_draft);
    }
    let document = report::convergence::document(&inputs, &next, Vec::new());
    write(&document, report::convergence::text);
    let record = inputs.record;
    write(
        &report::handled::document(&sensor, record, None, None),
        report::handled::text,
    );
    serde_json::to_vec(&sensor.snapshot).expect("a snapshot is JSON");
}

/// Writes a document as JSON and for a terminal: what came from GitHub moves no cursor there.
fn write<D: serde::Serialize>(document: &D, text: impl Fn(&D, &Look) -> String) {
    serde_json::to_vec(document).expect("a document is JSON");
    let look = Look {
        terminal: true,
        color: false,
        width: 80,
        links: false,
        repository: None,
    };
    let text = text(document, &look);
    let moves = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(moves), "{text:?}");
}
