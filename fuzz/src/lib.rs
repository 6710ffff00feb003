//! What each fuzz target does with its bytes: read them as the product does, and hold what must hold for any bytes.
//!
//! An ordinary test replays `corpus/` through the same functions, so that no crash that was found comes back.

pub mod bot_texts;
mod conclusions;
pub mod evaluator_documents;
pub mod evidence_bundles;
pub mod handled_files;
pub mod journals;

/// Takes any bytes, and panics where something does not hold.
pub type Check = fn(&[u8]);

/// Every entry with the name of its target and of its folder in `corpus/`.
pub const ENTRIES: [(&str, Check); 5] = [
    ("bot_texts", bot_texts::check),
    ("evidence_bundles", evidence_bundles::check),
    ("handled_files", handled_files::check),
    ("journals", journals::check),
    ("evaluator_documents", evaluator_documents::check),
];
