//! The canonical request of a bounded loop's round (bounded-loop evaluator, "Canonical review request").

use super::poster::{PosterReading, poster};
use crate::bot::triggers::Marker;
use crate::evidence::name::EvidenceName;
use crate::lineage::ExtraMarker;
use crate::reading::{CommentReading, Role, is_candidate_form};
use crate::run::Run;
use crate::run::candidate::Candidate;

/// The triggers that are the canonical request of a loop's round on this head: posted by the user of the token, with
/// exactly that marker (bounded-loop evaluator, "Canonical review request").
pub fn canonical_requests<'a, 'e>(run: &'a Run<'e>, extra: &[ExtraMarker]) -> Vec<&'a Candidate<'e>> {
    let wanted = extra.iter().find_map(|marker| match marker {
        ExtraMarker::Dsh => None,
        ExtraMarker::Loop { run, round } => Some((run, *round)),
    });
    let (Some((loop_run, loop_round)), PosterReading::User(poster)) = (wanted, poster(run)) else {
        return Vec::new();
    };
    let head = &run.reading.pull.head_ref_oid;
    let matches = |comment: &CommentReading<'_>| {
        let by_poster = comment.comment.user.as_ref().and_then(|user| user.id.get()) == Some(poster.id);
        let marked = match &comment.role {
            Role::Addressed { form, markers, .. } => {
                is_candidate_form(*form)
                    && markers.iter().any(|marker| match marker {
                        Marker::Loop { run, round, sha } => {
                            run == loop_run.as_str() && *round == loop_round && sha == head
                        }
                        Marker::CodexLoop { .. } | Marker::Dsh { .. } => false,
                    })
            }
            Role::Connector { .. } | Role::Bystander => false,
        };
        by_poster && marked
    };
    let names: Vec<&EvidenceName> = run
        .reading
        .comments
        .iter()
        .filter(|comment| matches(comment))
        .map(|comment| &comment.name)
        .collect();
    run.candidates
        .all
        .iter()
        .filter(|candidate| names.contains(&&candidate.name))
        .collect()
}
