//! Which gaps in the reading forbid any approval.

use crate::evidence::surface::Surface;
use crate::run::Run;
use crate::run::completeness::broken_off;

use super::lower_bound;

/// Surfaces that the gate reads and that were not read to their end, each with the reason where there is one.
pub fn gaps(run: &Run<'_>) -> Vec<(&'static str, Option<String>)> {
    let reading = &run.reading;
    let surfaces = &reading.evidence.surfaces;
    let mut gaps = Vec::new();
    if let Some(what) = &reading.evidence.unstable {
        gaps.push(("pull", Some(what.clone())));
    }
    if lower_bound::edit_is_unreadable(reading) {
        let message = "the time of the description's last edit cannot be read.";
        gaps.push(("pull", Some(message.to_owned())));
    }
    if run.history.has_undated_movement() {
        let message = "the time of a movement of the head cannot be read.";
        gaps.push(("timeline", Some(message.to_owned())));
    }
    for (name, summary) in [
        ("issueComments", surfaces.issue_comments.summary()),
        ("reviews", surfaces.reviews.summary()),
        ("reviewComments", surfaces.review_comments.summary()),
        ("threads", surfaces.threads.summary()),
        ("bodyReactions", surfaces.body_reactions.summary()),
        ("checkRuns", surfaces.check_runs.summary()),
        ("statuses", surfaces.statuses.summary()),
        ("checkSuites", surfaces.check_suites.summary()),
        ("timeline", surfaces.timeline.summary()),
        ("commits", surfaces.commits.summary()),
    ] {
        if summary.status != "complete" {
            gaps.push((name, summary.error));
        }
    }
    let unread = run
        .candidates
        .all
        .iter()
        .find(|candidate| candidate.on_head() && !candidate.reactions_complete)
        .map(|candidate| surfaces.comment_reactions.get(&candidate.order.id));
    let broken = surfaces
        .comment_reactions
        .values()
        .find(|surface| !surface.is_complete());
    if let Some(surface) = unread.or(broken.map(Some)) {
        let error = surface.and_then(|surface| Surface::summary(surface).error);
        gaps.push(("commentReactions", error));
    }
    // Edit states and short commits matter where a text decides; a call that was made and failed is told.
    for (name, summary) in [
        ("edits", surfaces.edits.summary()),
        ("resolvedCommits", surfaces.resolved_commits.summary()),
        ("activity", broken_off(&surfaces.activity)),
    ] {
        if let Some(error) = summary.error {
            gaps.push((name, Some(error)));
        }
    }
    gaps
}
