//! A valid document of each kind, and one recurring state for each situation of the loop.
//!
//! They are built from the same types that read documents, so that an example can never lag behind its schema.

mod plan;
mod prompt;
mod state;

pub(crate) use plan::{boundary, initial, initial_reused, path_record, risky_boundary};
pub(crate) use prompt::prompt;
use state::approved_remediation;
pub(crate) use state::{
    claim, findings, no_findings, post_finalization, report_only, set_automation_status, set_request_state,
    state,
};

// What only the evaluator's own tests build on.
#[cfg(test)]
pub(crate) use {
    plan::{document_of, linked_record, snapshot},
    prompt::rendered,
    state::{approve, plan_finalization, plan_remediation, response, thread},
};

use super::boundary::ValidationCommand;
use super::canonical::Json;
use super::error::EvaluatorError;
use super::manifest::Repository;
use super::policy::policy;
use super::state::{Checkpoint, RecurringState, RequestState};
use super::template::marker;
use super::terms::{
    Body, ClaimPurpose, Command, FixRounds, FullName, Hash, Host, Mode, Owner, RepositoryName, RunId, Sha,
};
use super::vocabulary::Term;

type Built<T> = Result<T, EvaluatorError>;

/// The names that [`example`] knows, each with what it shows.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("policy", "the pinned policy"),
    ("initial", "a plan for a new branch and a new pull request"),
    (
        "initial-reused",
        "a plan that reuses a pull request, with a risk acceptance",
    ),
    ("prompt", "the bootstrap of the paused stub"),
    ("checkpoint", "what `evaluate state --checkpoint` reads"),
    ("recurring", "a pending request without a response: wait"),
    ("recurring-findings", "findings and a remediation plan: apply-fix"),
    (
        "recurring-awaiting-remediation-approval",
        "the same, approval-gated, not approved",
    ),
    ("recurring-approved-remediation", "the same, approved: apply-fix"),
    (
        "recurring-no-findings",
        "no findings and a finalization plan: finalize",
    ),
    (
        "recurring-awaiting-finalization-approval",
        "the same, approval-gated, not approved",
    ),
    ("recurring-processing", "an open claim: halt for manual audit"),
    (
        "recurring-post-finalization",
        "the verified finalization: finish-finalization",
    ),
    (
        "recurring-report-only",
        "the read-only pass with a proven result: complete-no-findings",
    ),
];

/// A valid document; none for another name.
pub fn example(name: &str) -> Option<Json> {
    build(name).ok().flatten()
}

fn build(name: &str) -> Built<Option<Json>> {
    let json = match name {
        "policy" => policy(),
        "initial" => initial()?.write(),
        "initial-reused" => initial_reused()?.write(),
        "prompt" => prompt()?.write(),
        "checkpoint" => {
            let RecurringState {
                schema_version,
                persisted,
                local,
                ..
            } = state(Mode::Autonomous)?;
            Checkpoint {
                schema_version,
                persisted,
                local,
            }
            .write()
        }
        "recurring" => state(Mode::Autonomous)?.write(),
        "recurring-findings" => findings(Mode::Autonomous)?.write(),
        "recurring-awaiting-remediation-approval" => {
            let mut state = findings(Mode::ApprovalGated)?;
            set_request_state(&mut state, RequestState::AwaitingRemediationApproval);
            state.write()
        }
        "recurring-approved-remediation" => approved_remediation()?.write(),
        "recurring-no-findings" => no_findings(Mode::Autonomous)?.write(),
        "recurring-awaiting-finalization-approval" => {
            let mut state = no_findings(Mode::ApprovalGated)?;
            set_request_state(&mut state, RequestState::AwaitingFinalizationApproval);
            state.write()
        }
        "recurring-processing" => {
            let mut state = findings(Mode::Autonomous)?;
            claim(&mut state, ClaimPurpose::Remediation)?;
            state.write()
        }
        "recurring-post-finalization" => post_finalization(Mode::Autonomous)?.write(),
        "recurring-report-only" => report_only()?.write(),
        _ => return Ok(None),
    };
    Ok(Some(json))
}

fn hash_of(label: &str) -> Hash {
    Hash::of_text(label)
}

fn sha(digit: char) -> Built<Sha> {
    Sha::new(String::from(digit).repeat(40))
}

fn run_id() -> Built<RunId> {
    RunId::new("0123456789abcdef0123456789abcdef")
}

fn repository() -> Built<Repository> {
    Ok(Repository {
        host: Host::GithubCom,
        owner: Owner::new("Octo-Org")?,
        name: RepositoryName::new("widgets")?,
    })
}

fn full_name() -> Built<FullName> {
    repository().map(|repository| repository.full_name())
}

fn commands() -> Built<Vec<ValidationCommand>> {
    let command = |text: &str| {
        Ok(ValidationCommand {
            command: Command::new(text)?,
            definition_hash: hash_of(text),
        })
    };
    ["cargo test --locked", "cargo clippy --locked"]
        .into_iter()
        .map(command)
        .collect()
}

fn template(round: FixRounds) -> Built<Body> {
    Body::new(format!("@codex review\n\n{}", marker(&run_id()?, round)))
}
