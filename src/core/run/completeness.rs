//! Which gaps in the reading keep a state from being proven.

use super::Run;
use super::candidate::Candidate;
use crate::evidence::event::Activity;
use crate::evidence::name::EvidenceName;
use crate::evidence::surface::{Surface, SurfaceSummary};
use crate::head::BoundBy;
use crate::reason::{Reason, ReasonCode};

/// One reason for every surface that classification reads and that was not read to its end. Activity is read only to
/// prove a head binding; what it did not prove is told as that, unless it broke off.
pub(super) fn reasons(run: &Run<'_>) -> Vec<Reason> {
    let surfaces = &run.reading.evidence.surfaces;
    let mut gaps = Vec::new();
    for (name, complete, error) in [
        (
            "issueComments",
            surfaces.issue_comments.is_complete(),
            surfaces.issue_comments.summary().error,
        ),
        (
            "reviews",
            surfaces.reviews.is_complete(),
            surfaces.reviews.summary().error,
        ),
        (
            "reviewComments",
            surfaces.review_comments.is_complete(),
            surfaces.review_comments.summary().error,
        ),
        (
            "threads",
            surfaces.threads.is_complete(),
            surfaces.threads.summary().error,
        ),
        (
            "timeline",
            surfaces.timeline.is_complete(),
            surfaces.timeline.summary().error,
        ),
        (
            "checkSuites",
            surfaces.check_suites.is_complete(),
            surfaces.check_suites.summary().error,
        ),
        (
            "headCommit",
            surfaces.head_commit.is_complete(),
            surfaces.head_commit.summary().error,
        ),
    ] {
        if !complete {
            gaps.push(gap(name, error));
        }
    }
    for candidate in run.candidates.all.iter().filter(|candidate| candidate.on_head()) {
        if !candidate.reactions_complete {
            let surface = surfaces.comment_reactions.get(&candidate.order.id);
            let mut reason = gap(
                "commentReactions",
                surface.and_then(|surface| surface.summary().error),
            );
            reason.evidence.push(candidate.name.clone());
            gaps.push(reason);
        }
    }
    for (name, id) in &run.candidates.undecided {
        let surface = surfaces.comment_reactions.get(id);
        let error = surface.and_then(|surface| surface.summary().error);
        let mut reason = gap("commentReactions", error);
        reason.evidence.push(name.clone());
        gaps.push(reason);
    }
    // Edit states and short commits matter only where a text decides; the text's own reading says so. Here a call
    // that was made and failed is told.
    for (name, summary) in [
        ("edits", surfaces.edits.summary()),
        ("resolvedCommits", surfaces.resolved_commits.summary()),
        ("activity", broken_off(&surfaces.activity)),
    ] {
        if let Some(error) = summary.error {
            gaps.push(gap(name, Some(error)));
        }
    }
    gaps
}

/// The gaps that keep `stale` from being proven for a trigger that was superseded by `BoundBy`.
pub(super) fn head_reasons(run: &Run<'_>, superseded: &Candidate<'_>) -> Vec<Reason> {
    let surfaces = &run.reading.evidence.surfaces;
    let mut gaps = Vec::new();
    let needs_first_sighting = match superseded.binding.by {
        BoundBy::CommitterDate => true,
        BoundBy::Marker
        | BoundBy::Journal
        | BoundBy::CheckSuite
        | BoundBy::CheckRun
        | BoundBy::Review
        | BoundBy::Movement
        | BoundBy::Activity
        | BoundBy::Opened
        | BoundBy::None => false,
    };
    if needs_first_sighting {
        for (name, summary) in [
            ("timeline", surfaces.timeline.summary()),
            ("checkSuites", surfaces.check_suites.summary()),
            ("reviews", surfaces.reviews.summary()),
        ] {
            if summary.status != "complete" {
                gaps.push(gap(name, summary.error));
            }
        }
    }
    gaps
}

/// The pushes, when some of them were read and others not: what is missing may be the one that moved the head away.
/// Pushes that could not be read at all tell nothing, as when nobody asked for them.
pub(crate) fn broken_off(activity: &Surface<Activity>) -> SurfaceSummary {
    let summary = activity.summary();
    SurfaceSummary {
        error: summary.error.filter(|_| summary.pages > 0),
        ..summary
    }
}

fn gap(surface: &str, error: Option<String>) -> Reason {
    let message = match error {
        Some(error) => format!("The surface {surface} was not read to its end: {error}"),
        None => format!("The surface {surface} was not collected."),
    };
    Reason::new(ReasonCode::IncompleteSurface, message, Vec::<EvidenceName>::new())
}
