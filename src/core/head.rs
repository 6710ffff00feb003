//! When the head arrived on GitHub, and for which head a trigger was posted.
//!
//! An ordinary push has no time on the timeline and commit dates can be forged, so arrival is proven by hosted
//! evidence only: check suites and runs of the pull request's branch, reviews, recorded movements, the opening.

use std::collections::BTreeMap;

use crate::bot::triggers::MarkedHead;
use crate::evidence::Evidence;
use crate::evidence::event::{Event, EventKind};
use crate::evidence::name::{EvidenceName, Id, Sha};
use crate::evidence::observed::{Observed, Timestamp};
use crate::evidence::pull::Pull;
use crate::reason::words;

words! {
    /// What a head binding rests on.
    BoundBy {
        /// An unedited marker in the trigger.
        Marker = "marker",
        /// This machine's journal.
        Journal = "journal",
        /// A check suite of the head on the pull request's branch.
        CheckSuite = "check-suite",
        /// A check run of such a suite.
        CheckRun = "check-run",
        /// A review of the head.
        Review = "review",
        /// A force-push on the timeline.
        Movement = "movement",
        /// A push in the repository's activity list.
        Activity = "activity",
        /// The pull request was opened at the head.
        Opened = "opened",
        /// The head's committer date together with its first hosted evidence.
        CommitterDate = "committer-date",
        /// Nothing.
        None = "none",
    }
}

words! {
    /// Whether a trigger was posted for the current head.
    BindingStatus {
        /// It was.
        Bound = "bound",
        /// It was posted for an earlier head.
        Superseded = "superseded",
        /// Nothing proves either.
        Unproven = "unproven",
    }
}

/// A head binding with what it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct HeadBinding {
    /// Bound, superseded or unproven.
    pub status: BindingStatus,
    /// What that rests on.
    pub by: BoundBy,
}

/// The head moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    /// When.
    pub at: Timestamp,
    /// Away from here; unknown when GitHub no longer knows the commit.
    pub from: Option<Sha>,
    /// To here; unknown when GitHub no longer knows the commit or the branch was deleted.
    pub to: Option<Sha>,
    /// Where it was read.
    pub by: BoundBy,
    /// Its name in documents.
    pub name: EvidenceName,
}

/// Hosted evidence that a commit was the head at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// When.
    pub at: Timestamp,
    /// What proves it.
    pub by: BoundBy,
    /// Its name in documents.
    pub name: EvidenceName,
}

/// Everything known about the head's way to GitHub.
#[derive(Clone, Debug)]
pub struct HeadHistory {
    head: Sha,
    committed_at: Option<Timestamp>,
    movements: Vec<Movement>,
    sightings: Vec<Sighting>,
    /// A movement without a usable time: no order of movements can be relied on.
    unordered_movement: bool,
    /// A check suite that may be the head's on the pull request's branch, without its time, its commit or its branch: the
    /// head may have arrived before everything else says so.
    undated_suite: bool,
}

/// What a trigger says of itself, for binding it.
#[derive(Clone, Debug)]
pub struct TriggerClaim<'a> {
    /// When it was posted.
    pub at: Timestamp,
    /// The head its markers name, when nobody edited them.
    pub marked: &'a MarkedHead,
    /// The head this machine's journal recorded for it.
    pub journal: Option<&'a Sha>,
}

impl HeadHistory {
    /// Gathers what the evidence says about the head.
    pub fn of(evidence: &Evidence, pull: &Pull) -> Self {
        let head = pull.head_ref_oid.clone();
        let surfaces = &evidence.surfaces;
        let committed_at = surfaces
            .head_commit
            .items()
            .iter()
            .chain(surfaces.commits.items())
            .find(|commit| commit.oid == head)
            .and_then(|commit| commit.committed_date.get());
        let mut history = Self {
            head,
            committed_at,
            movements: Vec::new(),
            sightings: Vec::new(),
            unordered_movement: false,
            undated_suite: false,
        };
        for event in surfaces.timeline.items() {
            history.read_event(event);
        }
        history.read_activity(evidence);
        history
            .movements
            .sort_by(|a, b| (a.at, &a.name).cmp(&(b.at, &b.name)));
        history.read_checks(evidence, pull);
        for (place, review) in surfaces.reviews.items().iter().enumerate() {
            if let (Some(commit), Some(at)) = (review.commit_id.known(), review.submitted_at.get())
                && *commit == history.head
            {
                history.sightings.push(Sighting {
                    at,
                    by: BoundBy::Review,
                    name: review.name(place),
                });
            }
        }
        for movement in &history.movements {
            if movement.to.as_ref() == Some(&history.head) {
                history.sightings.push(Sighting {
                    at: movement.at,
                    by: movement.by,
                    name: movement.name.clone(),
                });
            }
        }
        if let Some(opened) = pull.created_at.get() {
            let last = history
                .movements
                .iter()
                .rev()
                .find(|movement| movement.at <= opened);
            if last.is_some_and(|movement| movement.to.as_ref() == Some(&history.head)) {
                history.sightings.push(Sighting {
                    at: opened,
                    by: BoundBy::Opened,
                    name: EvidenceName::Pull,
                });
            }
        }
        history
            .sightings
            .sort_by(|a, b| (a.at, a.by, &a.name).cmp(&(b.at, b.by, &b.name)));
        history
    }

    fn read_event(&mut self, event: &Event) {
        let EventKind::HeadForcePushed { before, after } = &event.kind else {
            return;
        };
        match event.created_at.get() {
            Some(at) => self.movements.push(Movement {
                at,
                from: before.clone(),
                to: after.clone(),
                by: BoundBy::Movement,
                name: EvidenceName::Event(event.id.clone()),
            }),
            None => self.unordered_movement = true,
        }
    }

    fn read_activity(&mut self, evidence: &Evidence) {
        for (place, activity) in evidence.surfaces.activity.items().iter().enumerate() {
            let name = EvidenceName::Event(match activity.id.get() {
                Some(id) => id.to_string(),
                None => format!("activity-{place}"),
            });
            match activity.timestamp.get() {
                Some(at) => self.movements.push(Movement {
                    at,
                    from: activity.before.known().cloned(),
                    to: activity.after.known().cloned(),
                    by: BoundBy::Activity,
                    name,
                }),
                None => self.unordered_movement = true,
            }
        }
    }

    /// Suites and runs count only for the pull request's own branch; a bare status or another branch's suite is none.
    fn read_checks(&mut self, evidence: &Evidence, pull: &Pull) {
        let mut own_suites: BTreeMap<u64, Option<Timestamp>> = BTreeMap::new();
        for suite in evidence.surfaces.check_suites.items() {
            let of_head = suite.head_sha.known() == Some(&self.head);
            let of_branch = suite.head_branch.known() == Some(&pull.head_ref_name);
            let may_be_of_head = of_head || suite.head_sha.known().is_none();
            let may_be_of_branch = of_branch || matches!(suite.head_branch, Observed::Malformed(_));
            if !(of_head && of_branch && suite.created_at.get().is_some()) {
                self.undated_suite |= may_be_of_head && may_be_of_branch;
            }
            if !(of_head && of_branch) {
                continue;
            }
            if let Some(id) = suite.id.get() {
                own_suites.insert(id, suite.created_at.get());
            }
            if let Some(at) = suite.created_at.get() {
                let name = EvidenceName::CheckSuite(suite.id.get().map_or(Id::Place(0), Id::Number));
                self.sightings.push(Sighting {
                    at,
                    by: BoundBy::CheckSuite,
                    name,
                });
            }
        }
        for (place, run) in evidence.surfaces.check_runs.items().iter().enumerate() {
            let suite = run.check_suite.as_ref().and_then(|suite| suite.id.get());
            let own = suite.and_then(|id| own_suites.get(&id));
            if let (Some(created), Some(started), Some(sha)) =
                (own, run.started_at.get(), run.head_sha.known())
                && *sha == self.head
            {
                // An app may set any start; GitHub itself dated the suite, and no run is older than its suite.
                let at = created.map_or(started, |created| created.max(started));
                let name = EvidenceName::CheckRun(run.id.get().map_or(Id::Place(place), Id::Number));
                self.sightings.push(Sighting {
                    at,
                    by: BoundBy::CheckRun,
                    name,
                });
            }
        }
    }

    /// The first hosted evidence of the head.
    pub fn first_sighting(&self) -> Option<&Sighting> {
        self.sightings.first()
    }

    /// When the head arrived for the last time, as far as it is recorded: the last movement to it, else the first
    /// evidence of it.
    pub fn arrival(&self) -> Option<Timestamp> {
        let back = self
            .movements
            .iter()
            .rev()
            .find(|movement| movement.to.as_ref() == Some(&self.head));
        match (back, self.first_sighting()) {
            (Some(movement), _) if self.moved_away_before(movement.at) => Some(movement.at),
            (_, first) => first.map(|sighting| sighting.at),
        }
    }

    fn moved_away_before(&self, at: Timestamp) -> bool {
        self.movements
            .iter()
            .any(|movement| movement.at <= at && movement.from.as_ref() == Some(&self.head))
    }

    /// Whether the head may have arrived earlier than anything with a time says.
    pub fn may_be_older(&self) -> bool {
        self.undated_suite
    }

    /// The head's committer date, which whoever made the commit chose.
    pub fn committed_at(&self) -> Option<Timestamp> {
        self.committed_at
    }

    /// Every recorded movement, by time.
    pub fn movements(&self) -> &[Movement] {
        &self.movements
    }

    /// When the last recorded movement to this head was, or to one that the record does not say.
    pub fn last_movement_here(&self) -> Option<Timestamp> {
        let mut newest_first = self.movements.iter().rev();
        let here = newest_first.find(|movement| movement.to.as_ref().is_none_or(|to| *to == self.head));
        here.map(|movement| movement.at)
    }

    /// Whether a movement is known to have happened, but not when.
    pub fn has_undated_movement(&self) -> bool {
        self.unordered_movement
    }

    /// Every sighting of the head, by time.
    pub fn sightings(&self) -> &[Sighting] {
        &self.sightings
    }

    /// For which head a trigger was posted.
    pub fn bind(&self, claim: &TriggerClaim<'_>) -> HeadBinding {
        let lands_on_head = |movement: &Movement| movement.to.as_ref() == Some(&self.head);
        let moved_to_head_later = self
            .movements
            .iter()
            .find(|movement| movement.at > claim.at && lands_on_head(movement));
        let moved_later = self.movements.iter().any(|movement| movement.at > claim.at);
        let superseded = |by| HeadBinding {
            status: BindingStatus::Superseded,
            by,
        };
        let unproven = HeadBinding {
            status: BindingStatus::Unproven,
            by: BoundBy::None,
        };
        let said = match (claim.journal, claim.marked) {
            (Some(head), _) => Some((head, BoundBy::Journal)),
            (None, MarkedHead::One(head)) => Some((head, BoundBy::Marker)),
            (None, MarkedHead::None | MarkedHead::Conflicting) => None,
        };
        if let Some((head, by)) = said {
            if *head != self.head {
                return superseded(by);
            }
            // A later movement away from the head means the run may have been another head's; a later movement to it
            // means that the head GitHub knew when the trigger was posted was another one, whatever the marker says.
            return if moved_later || self.unordered_movement {
                unproven
            } else {
                HeadBinding {
                    status: BindingStatus::Bound,
                    by,
                }
            };
        }
        if let Some(movement) = moved_to_head_later {
            return superseded(movement.by);
        }
        // Two markers that disagree: one of them says another head.
        if *claim.marked == MarkedHead::Conflicting {
            return unproven;
        }
        let first = self.first_sighting().map(|sighting| sighting.at);
        if self.committed_at.is_some_and(|at| at > claim.at) && first.is_some_and(|at| at > claim.at) {
            return superseded(BoundBy::CommitterDate);
        }
        if self.unordered_movement || moved_later {
            return unproven;
        }
        // Several movements in one second have no order; all of them must land on the head.
        let last_at = self
            .movements
            .iter()
            .rev()
            .find(|movement| movement.at <= claim.at)
            .map(|last| last.at);
        let last_lands = last_at.is_none_or(|at| {
            self.movements
                .iter()
                .filter(|movement| movement.at == at)
                .all(lands_on_head)
        });
        match self.sightings.iter().find(|sighting| sighting.at < claim.at) {
            Some(sighting) if last_lands => HeadBinding {
                status: BindingStatus::Bound,
                by: sighting.by,
            },
            Some(_) | None => unproven,
        }
    }

    /// The evidence that a binding of a trigger posted at `at` rests on; markers, the journal and the committer's
    /// date are no evidence of their own. `at` and `binding` belong together: the first sighting binds only when it is
    /// older than the trigger.
    pub fn proof(&self, at: Timestamp, binding: &HeadBinding) -> Option<&EvidenceName> {
        match binding.status {
            BindingStatus::Bound => {
                let first = self.first_sighting()?;
                (first.by == binding.by).then_some(&first.name)
            }
            BindingStatus::Superseded => {
                let to_head = |movement: &&Movement| {
                    movement.at > at && movement.by == binding.by && movement.to.as_ref() == Some(&self.head)
                };
                self.movements.iter().find(to_head).map(|movement| &movement.name)
            }
            BindingStatus::Unproven => None,
        }
    }
}

#[cfg(test)]
mod tests;
