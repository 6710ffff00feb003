//! The evaluator against the text that it implements.

mod canonical;
mod documents;
mod fail_closed;
mod gates;
mod hosted;
mod initial;
mod mutated;
mod paths;
mod prompt;
mod recurring;
mod terms;
mod worlds;

use super::canonical::Json;
use super::error::{EvaluatorError, Place};
use super::recurring::{Action, AutomationAction, ReasonCode, RecurringDecision, decide};
use super::state::RecurringState;
use super::vocabulary::Term;

/// Evaluates a document by its kind; the outcome as JSON, or the refusal.
fn evaluate(kind: &str, bytes: &[u8]) -> Result<Json, EvaluatorError> {
    match kind {
        "policy" => super::accept_policy(bytes).map(|()| Json::Null),
        "initial" => super::evaluate_initial(bytes).map(|decision| decision.to_json()),
        "prompt" => super::evaluate_prompt(bytes).map(|decision| decision.to_json()),
        "checkpoint" => super::read_checkpoint(bytes).map(|checkpoint| checkpoint.to_json()),
        "recurring" => super::evaluate_recurring(bytes).map(|decision| decision.to_json()),
        other => panic!("no such kind: {other}"),
    }
}

/// The kind of an example by its name.
fn kind(name: &str) -> &str {
    name.split('-').next().expect("a name")
}

fn decision(state: &RecurringState) -> RecurringDecision {
    decide(state, &Place::root("recurring")).expect("a consistent state")
}

fn refusal(state: &RecurringState) -> EvaluatorError {
    // Through the text, so that a refusal by the reader counts as well.
    super::evaluate_recurring(state.write().canonical().as_bytes()).expect_err("an inconsistent state")
}

fn outcome(state: &RecurringState) -> (Action, AutomationAction, Vec<ReasonCode>) {
    let decision = decision(state);
    let codes = decision.reasons.iter().map(|reason| reason.code).collect();
    (decision.action, decision.automation_action, codes)
}
