//! Whether a thumbs-up on the body may still belong to the previous head.
//!
//! Reactions name no commit, and a review of the previous head can end after a push. Such a +1 is not bound to this
//! head until something of the connector names the head, or the previous head's review is known to have ended.

use chrono::TimeDelta;

use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::summary::{RowStatus, SummaryRow};
use crate::checks;
use crate::evidence::name::Sha;
use crate::evidence::observed::Timestamp;
use crate::evidence::surface::Surface;
use crate::head::{BoundBy, Movement};
use crate::reading::{NamedCommit, Role, lane_of};
use crate::run::Run;

/// How long after a push a review of the previous head may still end, in minutes: 99 % of automatic reviews answer
/// within 33.
const IN_FLIGHT_MINUTES: i64 = 35;

/// Whether a +1 on the body that was given at `at` may be for an earlier head.
pub fn may_be_for_earlier_head(run: &Run<'_>, at: Timestamp) -> bool {
    within_flight(run, at) && earlier_head_existed(run) && !names_head(run) && !previous_review_ended(run)
}

/// Whether the pushes to the head branch would decide it: nothing recorded says how this head came.
pub fn activity_would_decide(run: &Run<'_>, at: Timestamp) -> bool {
    run.reading.evidence.surfaces.activity == Surface::NotCollected
        && within_flight(run, at)
        && !names_head(run)
        && earlier_head_existed(run)
        && movement_here(run).is_none()
}

/// When the head arrived: as recorded, else its first check. None when it may have been earlier than that.
pub fn arrival(run: &Run<'_>) -> Option<Timestamp> {
    if run.history.may_be_older() {
        return None;
    }
    run.history
        .arrival()
        .or_else(|| checks::first_start(run.reading.evidence, &run.reading.pull.head_ref_oid))
}

fn within_flight(run: &Run<'_>, at: Timestamp) -> bool {
    arrival(run).is_none_or(|arrival| at - arrival <= TimeDelta::minutes(IN_FLIGHT_MINUTES))
}

/// Whether the pull request had another head before. What cannot be excluded counts as true.
fn earlier_head_existed(run: &Run<'_>) -> bool {
    let pull = run.reading.pull;
    let head = &pull.head_ref_oid;
    let opened = pull.created_at.get();
    let since_opening = |movement: &&Movement| opened.is_none_or(|opened| movement.at > opened);
    if run.history.has_undated_movement() || run.history.movements().iter().any(|one| since_opening(&one)) {
        return true;
    }
    let surfaces = &run.reading.evidence.surfaces;
    let of_other = |sha: Option<&Sha>| sha.is_some_and(|sha| sha != head);
    if surfaces
        .reviews
        .items()
        .iter()
        .any(|one| of_other(one.commit_id.known()))
        || names_another(run)
    {
        return true;
    }
    // Only a force-push, which is recorded, replaces a single commit.
    if surfaces.commits.is_complete()
        && surfaces.timeline.is_complete()
        && surfaces.commits.items().len() == 1
    {
        return false;
    }
    let opened_here = run.history.sightings().iter().any(|sighting| match sighting.by {
        BoundBy::CheckSuite | BoundBy::CheckRun | BoundBy::Movement | BoundBy::Activity | BoundBy::Opened => {
            opened.is_some_and(|opened| sighting.at <= opened)
        }
        BoundBy::Review | BoundBy::Marker | BoundBy::Journal | BoundBy::CommitterDate | BoundBy::None => {
            false
        }
    });
    !opened_here
}

fn names_another(run: &Run<'_>) -> bool {
    let comments = run.reading.comments.iter().any(|one| match &one.role {
        Role::Connector {
            commit: NamedCommit::Other(_),
            ..
        } => true,
        Role::Connector { .. } | Role::Addressed { .. } | Role::Bystander => false,
    });
    let head = &run.reading.pull.head_ref_oid;
    comments
        || code_rows(run).any(|row| {
            row.commit
                .as_deref()
                .is_some_and(|prefix| !head.starts_with(prefix))
        })
}

/// Whether the connector has said something about this head: a review, a thread, a comment, or a row that says it
/// completed. A row that says `Running` shows that the +1 is not this head's verdict.
pub fn names_head(run: &Run<'_>) -> bool {
    let reading = &run.reading;
    let head = &reading.pull.head_ref_oid;
    let review = reading.reviews.iter().any(|one| {
        one.identity == Identity::Connector
            && one.commit == NamedCommit::Head
            && lane_of(&one.meaning) == Lane::Code
    });
    let thread = run
        .findings
        .iter()
        .any(|finding| finding.on_head() && finding.lane == Lane::Code);
    let comment = reading.comments.iter().any(|one| match &one.role {
        Role::Connector { meaning, commit } => {
            *commit == NamedCommit::Head
                && lane_of(meaning) == Lane::Code
                && reading.comment_edited(one.comment).is_intact()
        }
        Role::Addressed { .. } | Role::Bystander => false,
    });
    let completed = code_rows(run).any(|row| {
        row.status == RowStatus::Completed
            && row
                .commit
                .as_deref()
                .is_some_and(|prefix| head.starts_with(prefix))
    });
    review || thread || comment || completed
}

/// The recorded movement that brought this head.
fn movement_here<'r>(run: &'r Run<'_>) -> Option<&'r Movement> {
    let head = &run.reading.pull.head_ref_oid;
    let movements = run.history.movements().iter().rev();
    movements
        .filter(|movement| movement.to.as_ref() == Some(head))
        .find(|movement| movement.from.is_some())
}

/// Whether a verdict for the previous head is dated before this head arrived. An unknown previous head counts as one
/// whose review is under way.
fn previous_review_ended(run: &Run<'_>) -> bool {
    let Some(movement) = movement_here(run) else {
        return false;
    };
    let Some(previous) = &movement.from else {
        return false;
    };
    let before = |at: Option<Timestamp>| at.is_some_and(|at| at < movement.at);
    let reviewed = run.reading.reviews.iter().any(|one| {
        one.identity == Identity::Connector
            && lane_of(&one.meaning) == Lane::Code
            && one.review.commit_id.known() == Some(previous)
            && before(one.at)
    });
    let said = run.reading.comments.iter().any(|one| match &one.role {
        Role::Connector {
            meaning: Meaning::NoFindings { lane: Lane::Code } | Meaning::Findings { lane: Lane::Code, .. },
            commit: NamedCommit::Other(text),
        } => previous.starts_with(text) && before(one.comment.created_at.get()),
        Role::Connector { .. } | Role::Addressed { .. } | Role::Bystander => false,
    });
    let ended = code_rows(run).any(|row| {
        let of_previous = row
            .commit
            .as_deref()
            .is_some_and(|prefix| previous.starts_with(prefix));
        match row.status {
            RowStatus::Completed | RowStatus::Failed => of_previous && before(row.at),
            RowStatus::Running | RowStatus::Unrecognized(_) => false,
        }
    });
    reviewed || said || ended
}

/// Every code-lane row of every summary comment.
pub fn code_rows<'r>(run: &'r Run<'_>) -> impl Iterator<Item = &'r SummaryRow> {
    run.reading
        .comments
        .iter()
        .flat_map(|one| match &one.role {
            Role::Connector {
                meaning: Meaning::Summary { rows },
                ..
            } => rows.as_slice(),
            Role::Connector { .. } | Role::Addressed { .. } | Role::Bystander => &[],
        })
        .filter(|row| row.lane == Lane::Code)
}
