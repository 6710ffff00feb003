//! The initial evaluation: may the plan be shown, approved and begun.

use super::canonical::Json;
use super::error::{EvaluatorError, Place, require};
use super::manifest::{InitialDocument, InitialOperation, check_manifest, check_snapshot};
use super::terms::{Hash, Mode};
use super::vocabulary::{Term, record, words};

words! {
    /// The only word of a valid initial document.
    InitialAction {
        /// The plan is valid; it may be shown for approval or, when it was approved, begun.
        InitialValid = "initial-valid",
    }
}

record! {
    /// The initial evaluation's answer.
    InitialDecision {
        /// "Follow only its emitted action."
        action: InitialAction,
        /// "Resolve one mode before acting."
        mode: Mode,
        /// "The manifest digest is initial_plan_hash": what an approval names.
        initial_plan_hash: Hash,
        /// "Hash both with canonical JSON": the snapshot's digest.
        snapshot_hash: Hash,
        /// "The conditional ordered operation list."
        operations: Vec<InitialOperation>,
    }
}

/// Evaluates `{snapshot, manifest, plan_hash}`. Run it again right before the first side effect with the approved
/// `plan_hash`: any drift since then changes a digest and is an error.
///
/// # Errors
/// Anything that is not an exact, consistent version 1 document.
pub fn evaluate_initial(bytes: &[u8]) -> Result<InitialDecision, EvaluatorError> {
    let json = Json::parse(bytes)?;
    let place = Place::root("initial");
    let document = InitialDocument::read(&json, &place)?;
    check_initial(&document, &place)
}

pub(crate) fn check_initial(
    document: &InitialDocument,
    place: &Place<'_>,
) -> Result<InitialDecision, EvaluatorError> {
    check_snapshot(&document.snapshot, &place.field("snapshot"))?;
    check_manifest(&document.manifest, &document.snapshot, &place.field("manifest"))?;
    let initial_plan_hash = Hash::of(&document.manifest);
    require(
        document.plan_hash == initial_plan_hash,
        place.field("plan_hash"),
        "it is not the digest of the manifest, so the plan has changed since that hash was taken",
    )?;
    Ok(InitialDecision {
        action: InitialAction::InitialValid,
        mode: document.snapshot.mode,
        initial_plan_hash,
        snapshot_hash: document.manifest.snapshot_hash.clone(),
        operations: document.manifest.operations.clone(),
    })
}
