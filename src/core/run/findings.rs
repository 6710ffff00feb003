//! The `findings` row of the state machine. It takes precedence over everything below it.

use super::Run;
use super::candidate::Candidate;
use crate::finding::{Finding, FindingSurface};
use crate::reason::{Reason, ReasonCode};

/// Findings for the head that are not addressed and strictly later than the newest trigger, in documents' words.
/// A finding counts only from a surface that was read to its end.
pub(super) fn current(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Vec<Reason>> {
    let surfaces = &run.reading.evidence.surfaces;
    let of = |surface: FindingSurface| {
        run.findings
            .iter()
            .filter(|finding| finding.surface == surface && finding.is_current())
            .filter(|finding| later(finding, newest) && !finding.is_unthreaded())
            .map(|finding| finding.name.clone())
            .collect::<Vec<_>>()
    };
    let mut reasons = Vec::new();
    let threads = if surfaces.threads.is_complete() {
        of(FindingSurface::Thread)
    } else {
        Vec::new()
    };
    let bodies = if surfaces.reviews.is_complete() {
        of(FindingSurface::ReviewBody)
    } else {
        Vec::new()
    };
    let comments = of(FindingSurface::Comment);
    for (code, one, many, names) in [
        (ReasonCode::FindingThread, "open thread", "open threads", threads),
        (
            ReasonCode::FindingReviewBody,
            "finding in a review body",
            "findings in review bodies",
            bodies,
        ),
        (
            ReasonCode::FindingComment,
            "finding in a comment",
            "findings in comments",
            comments,
        ),
    ] {
        if !names.is_empty() {
            let count = names.len();
            let noun = if count == 1 { one } else { many };
            let message =
                format!("The connector left {count} {noun} for this head after the newest trigger.");
            reasons.push(Reason::new(code, message, names));
        }
    }
    (!reasons.is_empty()).then_some(reasons)
}

/// Whether a finding is strictly later than a trigger: by IssueCommentOrder for a comment, by time for the rest.
pub(super) fn later(finding: &Finding, trigger: &Candidate<'_>) -> bool {
    match (finding.surface, finding.order, finding.at) {
        (FindingSurface::Comment, order, _) => trigger.precedes(order),
        (FindingSurface::Thread | FindingSurface::ReviewBody, _, Some(at)) => at > trigger.order.at,
        // Without a time it cannot be shown to be earlier.
        (FindingSurface::Thread | FindingSurface::ReviewBody, _, None) => true,
    }
}
