//! The collection plan: what each command reads, in which order, and when a reading counts as stable.
//!
//! `pull` is read first and last; between them everything keyed by number or head in parallel, then what is keyed by
//! comment id or short commit id. When the head, the state, the draft or the base moved meanwhile it starts over.

use std::collections::BTreeSet;
use std::thread::{Scope, ScopedJoinHandle, scope};

use codex_loop::evidence::pull::Pull;
use codex_loop::evidence::surface::Surface;
use codex_loop::evidence::{EVIDENCE_SCHEMA, Evidence, Local, Surfaces, Versions};
use codex_loop::wanted::{Purpose, Wanted};

use crate::clock;
use crate::selector::Place;

mod agreement;
mod follow_up;
mod surfaces;

use agreement::{broken_surface, differing_surface, differs, mark};
use follow_up::{Ahead, each};

use super::Gh;
use super::failure::{Failure, reset_time};
use super::pull::{self, Reading};
use super::read::End;
use super::threads;

/// Readings before a pull request that keeps moving is called unstable.
const TRIES: usize = 3;

/// What a command's decision reads beyond the surfaces of the review run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// Reviews, inline comments and threads.
    pub reviews: bool,
    /// Reactions on the body.
    pub body: bool,
    /// Check runs and statuses.
    pub checks: bool,
    /// The rules of the base branch.
    pub rules: bool,
    /// The user of the token.
    pub viewer: bool,
    /// Every mutable surface a second time, and both readings equal.
    pub twice: bool,
    /// The same, and the first difference ends it.
    pub unchanged: bool,
    /// A head that changes meanwhile ends it, where other commands start over.
    pub one_head: bool,
    /// The decision that says what to read next.
    pub purpose: Purpose,
}

impl Need {
    /// The review run alone.
    pub const RUN: Self = Self {
        reviews: true,
        body: false,
        checks: false,
        rules: false,
        viewer: false,
        twice: false,
        unchanged: false,
        one_head: false,
        purpose: Purpose::Run,
    };
    /// The run, the gate and the checks at a glance.
    pub const STATUS: Self = Self {
        body: true,
        checks: true,
        purpose: Purpose::Gate,
        ..Self::RUN
    };
    /// Whether something may be posted: what runs on the head and who posts, twice.
    pub const WRITE: Self = Self {
        body: true,
        viewer: true,
        twice: true,
        ..Self::RUN
    };
    /// What became of a post: the pull request and its comments.
    pub const COMMENTS: Self = Self {
        reviews: false,
        ..Self::RUN
    };
    /// The merge gate: as [`Need::STATUS`], twice, and all of it for one head.
    pub const GATE: Self = Self {
        twice: true,
        one_head: true,
        ..Self::STATUS
    };
    /// The snapshot; the rules only where nobody names the required checks.
    pub const fn snapshot(rules: bool) -> Self {
        Self {
            body: true,
            checks: true,
            rules,
            unchanged: true,
            purpose: Purpose::Sensor,
            ..Self::RUN
        }
    }
    /// The snapshot with the gate beside it.
    pub const fn convergence(rules: bool) -> Self {
        Self {
            purpose: Purpose::Convergence,
            ..Self::snapshot(rules)
        }
    }
    /// Whatever any command reads.
    pub const ALL: Self = Self {
        rules: true,
        viewer: true,
        ..Self::STATUS
    };
}

/// What the decision asks for next, from what is known so far.
pub type Asks<'a> = &'a (dyn Fn(&Evidence) -> Wanted + Sync);

/// What is known before a pull request is read.
pub enum Known<'a> {
    /// Nothing.
    Nothing,
    /// The pull request itself, from a list: that counts as its first reading.
    Pull(Box<Reading>),
    /// An earlier reading of everything: what a commit id stands for does not change.
    Earlier(&'a Evidence),
}

/// Reads one pull request.
///
/// # Errors
/// When the pull request itself cannot be read, GitHub limits the rate, or gh cannot be used at all.
pub fn collect(
    gh: &Gh,
    place: &Place,
    need: Need,
    local: Local,
    asks: Asks<'_>,
    known: Known<'_>,
) -> Result<Evidence, Failure> {
    let (first, earlier) = match known {
        Known::Nothing => (None, None),
        Known::Pull(first) => (Some(*first), None),
        Known::Earlier(earlier) => (None, Some(earlier)),
    };
    let collector = Collector {
        gh,
        place,
        need,
        asks,
        earlier,
    };
    let collected = if need.unchanged {
        collector.unchanged(local)
    } else {
        collector.stable(first, local)
    };
    let collected = collected.map_err(|failure| match failure {
        Failure::RateLimited {
            secondary: false,
            reset: None,
        } => Failure::RateLimited {
            secondary: false,
            reset: gh
                .api(&place.host, &["rate_limit"])
                .ok()
                .and_then(|answer| reset_time(&answer)),
        },
        other => other,
    });
    // A gh that is too old, or none at all, is the better explanation of whatever happened.
    let version = gh.version()?;
    let mut evidence = collected?;
    evidence.versions = Versions {
        codex_loop: env!("CARGO_PKG_VERSION").to_owned(),
        gh: version.to_owned(),
    };
    evidence.collected_at = clock::now();
    Ok(evidence)
}

struct Collector<'a> {
    gh: &'a Gh,
    place: &'a Place,
    need: Need,
    asks: Asks<'a>,
    /// An earlier reading of the same pull request: what cannot change is taken from there.
    earlier: Option<&'a Evidence>,
}

type Task<'scope, T> = ScopedJoinHandle<'scope, Result<T, Failure>>;

impl Collector<'_> {
    /// Reads until nothing moved meanwhile, at most [`TRIES`] times.
    fn stable(&self, first: Option<Reading>, local: Local) -> Result<Evidence, Failure> {
        let mut first = match first {
            Some(first) => first,
            None => pull::read(self.gh, self.place, &[])?,
        };
        let mut before: Option<Evidence> = None;
        let mut tries = 0;
        loop {
            let anchor = first.anchor();
            let (mut evidence, last) = self.once(&first, local.clone(), before.as_ref())?;
            let mut moved = anchor.moved(&last.anchor());
            if self.need.one_head && first.pull.head_ref_oid != last.pull.head_ref_oid {
                evidence.unstable = moved;
                return Ok(evidence);
            }
            if moved.is_none() && self.need.twice {
                match before.as_ref().map(|before| differing_surface(before, &evidence)) {
                    Some(None) => {}
                    Some(Some(surface)) => moved = Some(format!("Two readings of {surface} differ")),
                    // The second reading is part of the plan and no try.
                    None => {
                        before = Some(evidence);
                        first = last;
                        continue;
                    }
                }
            }
            tries += 1;
            match moved {
                None => return Ok(evidence),
                Some(what) if tries == TRIES => {
                    evidence.unstable = Some(format!("{what}, in each of {TRIES} readings."));
                    return Ok(evidence);
                }
                Some(_) => {
                    before = (anchor == last.anchor()).then_some(evidence);
                    first = last;
                }
            }
        }
    }

    /// Reads everything twice. A surface that differs ends it at once; while only the pull request itself moves, its
    /// `updatedAt` included, it starts over, at most [`TRIES`] times.
    fn unchanged(&self, local: Local) -> Result<Evidence, Failure> {
        let mut first = pull::read(self.gh, self.place, &[])?;
        let mut tries = 0;
        loop {
            tries += 1;
            let (mut evidence, mut last) = self.once(&first, local.clone(), None)?;
            let mut moved = first.changed(&last);
            // What could not be read is not read again: its own failure says more than that two readings differ.
            if moved.is_none() && broken_surface(&evidence) {
                return Ok(evidence);
            }
            if moved.is_none() {
                let (again, end) = self.once(&last, local.clone(), Some(&evidence))?;
                if let Some(surface) = differing_surface(&evidence, &again) {
                    evidence.unstable = Some(format!("the two readings of {surface} differ"));
                    return Ok(evidence);
                }
                moved = last.changed(&end);
                (evidence, last) = (again, end);
            }
            match moved {
                None => return Ok(evidence),
                Some(what) if tries == TRIES => {
                    evidence.unstable = Some(format!("{what}, in each of {TRIES} tries"));
                    return Ok(evidence);
                }
                Some(_) => first = last,
            }
        }
    }

    /// One reading of everything, up to and with the last `pull`.
    fn once(
        &self,
        first: &Reading,
        local: Local,
        before: Option<&Evidence>,
    ) -> Result<(Evidence, Reading), Failure> {
        let (surfaces, ahead) = self.keyed_by_pull(first, before)?;
        let mut evidence = Evidence {
            schema: EVIDENCE_SCHEMA.to_owned(),
            collected_at: clock::now(),
            versions: Versions::default(),
            host: self.place.host.clone(),
            repository: self.place.repository.clone(),
            pull_request: first.pull.number,
            unstable: None,
            surfaces,
            local,
        };
        self.follow_up(&mut evidence, ahead)?;
        let edits_of = (self.asks)(&evidence).edits_of;
        let (last, merge_gates) = scope(|s| {
            // With what is read ahead a second reading would make more calls in its first wave than may run at once.
            let merge_gates = when(s, self.need.rules && before.is_some(), || {
                self.required_checks(&first.pull.base_ref_name)
            });
            let last = pull::read(self.gh, self.place, &edits_of);
            (last, merge_gates.map(joined).transpose())
        });
        let last = last?;
        if let Some(merge_gates) = merge_gates? {
            evidence.surfaces.merge_gates = merge_gates;
        }
        put_pull(&mut evidence.surfaces, &last);
        evidence.surfaces.edits = if edits_of.is_empty() {
            Surface::complete(Vec::new())
        } else {
            last.edits.clone()
        };
        if first.anchor() == last.anchor() && self.counters(&mut evidence, &last.pull)? {
            // A surface that was read again can name more to read.
            self.follow_up(&mut evidence, Ahead::default())?;
            let known: BTreeSet<&String> = edits_of.iter().collect();
            let later: Vec<String> = (self.asks)(&evidence)
                .edits_of
                .into_iter()
                .filter(|id| !known.contains(id))
                .collect();
            if !later.is_empty() {
                let more = pull::edits(self.gh, self.place, &later)?;
                evidence.surfaces.edits = pull::join(std::mem::take(&mut evidence.surfaces.edits), more);
            }
        }
        Ok((evidence, last))
    }

    /// Everything keyed by number, head or base, in parallel; with an earlier reading also what that one named.
    fn keyed_by_pull(
        &self,
        first: &Reading,
        before: Option<&Evidence>,
    ) -> Result<(Surfaces, Ahead), Failure> {
        let number = self.place.number;
        let head = &first.pull.head_ref_oid;
        let Need {
            reviews: with_reviews,
            body,
            checks,
            rules,
            viewer,
            ..
        } = self.need;
        scope(|s| {
            let issue_comments = s.spawn(|| {
                self.rest(
                    &self.repository(&format!("issues/{number}/comments")),
                    End::Counter,
                )
            });
            let reviews = when(s, with_reviews, || {
                self.rest(&self.repository(&format!("pulls/{number}/reviews")), End::Counter)
            });
            let review_comments = when(s, with_reviews, || {
                self.rest(&self.repository(&format!("pulls/{number}/comments")), End::Probe)
            });
            let threads = when(s, with_reviews, || threads::read(self.gh, self.place));
            let timeline = when(s, !first.timeline.is_complete(), || {
                pull::whole_timeline(self.gh, self.place)
            });
            let commits = when(s, !first.commits.is_complete(), || {
                pull::whole_commits(self.gh, self.place)
            });
            let suites = when(s, !first.check_suites.is_complete(), || {
                pull::whole_suites(self.gh, self.place, head)
            });
            let body_reactions = when(s, body, || {
                self.rest(
                    &self.repository(&format!("issues/{number}/reactions")),
                    End::Probe,
                )
            });
            let check_runs = when(s, checks, || self.check_runs(head));
            let statuses = when(s, checks, || {
                self.rest(&self.repository(&format!("commits/{head}/statuses")), End::Probe)
            });
            let merge_gates = when(s, rules && before.is_none(), || {
                self.required_checks(&first.pull.base_ref_name)
            });
            let viewer = when(s, viewer && before.is_none(), || self.viewer());
            let named = before.map(|before| &before.surfaces.comment_reactions);
            let reactions: Vec<_> = named
                .into_iter()
                .flatten()
                .map(|(id, _)| (*id, s.spawn(|| self.reactions(*id))))
                .collect();
            let pushes = before.is_some_and(|before| before.surfaces.activity != Surface::NotCollected);
            let activity = when(s, pushes, || self.activity(Some(&first.pull)));

            let mut surfaces = Surfaces::default();
            put_pull(&mut surfaces, first);
            surfaces.issue_comments = joined(issue_comments)?;
            put(&mut surfaces.reviews, reviews)?;
            put(&mut surfaces.review_comments, review_comments)?;
            if let Some(threads) = threads {
                (surfaces.threads, surfaces.threads_cursor) = joined(threads)?;
            }
            put(&mut surfaces.timeline, timeline)?;
            put(&mut surfaces.commits, commits)?;
            put(&mut surfaces.check_suites, suites)?;
            put(&mut surfaces.body_reactions, body_reactions)?;
            put(&mut surfaces.check_runs, check_runs)?;
            put(&mut surfaces.statuses, statuses)?;
            put(&mut surfaces.merge_gates, merge_gates)?;
            put(&mut surfaces.viewer, viewer)?;
            surfaces.resolved_commits = match self.earlier.map(|earlier| &earlier.surfaces.resolved_commits) {
                Some(known) if known.is_complete() => known.clone(),
                Some(_) | None => Surface::complete(Vec::new()),
            };
            if let Some(before) = before {
                // Neither can change: who asks, and what a commit id stands for.
                surfaces.viewer = before.surfaces.viewer.clone();
                surfaces.resolved_commits = before.surfaces.resolved_commits.clone();
            }
            let ahead = Ahead {
                reactions: each(reactions)?,
                activity: activity.map(joined).transpose()?,
            };
            Ok((surfaces, ahead))
        })
    }

    /// Holds the collections against the pull request's own counters; a disagreeing one is read once more.
    ///
    /// Gives whether anything was read again.
    fn counters(&self, evidence: &mut Evidence, pull: &Pull) -> Result<bool, Failure> {
        let number = self.place.number;
        let surfaces = &mut evidence.surfaces;
        let mut again = false;
        if differs(&surfaces.issue_comments, pull.counts.comments) {
            again = true;
            surfaces.issue_comments = self.rest(
                &self.repository(&format!("issues/{number}/comments")),
                End::Counter,
            )?;
            mark(&mut surfaces.issue_comments, pull.counts.comments);
        }
        if differs(&surfaces.reviews, pull.counts.reviews) {
            again = true;
            surfaces.reviews =
                self.rest(&self.repository(&format!("pulls/{number}/reviews")), End::Counter)?;
            mark(&mut surfaces.reviews, pull.counts.reviews);
        }
        if differs(&surfaces.threads, pull.counts.threads) {
            again = true;
            (surfaces.threads, surfaces.threads_cursor) = threads::read(self.gh, self.place)?;
            mark(&mut surfaces.threads, pull.counts.threads);
        }
        Ok(again)
    }
}

fn when<'scope, T: Send + 'scope>(
    s: &'scope Scope<'scope, '_>,
    condition: bool,
    task: impl FnOnce() -> Result<T, Failure> + Send + 'scope,
) -> Option<Task<'scope, T>> {
    condition.then(|| s.spawn(task))
}

fn joined<T>(task: Task<'_, T>) -> Result<T, Failure> {
    task.join().unwrap_or_else(|_| {
        Err(Failure::Other {
            message: "a reading thread of this program ended unexpectedly".to_owned(),
        })
    })
}

fn put<T>(surface: &mut Surface<T>, task: Option<Task<'_, Surface<T>>>) -> Result<(), Failure> {
    if let Some(task) = task {
        *surface = joined(task)?;
    }
    Ok(())
}

/// Puts a reading in its place; a surface that had to be walked page by page is kept.
fn put_pull(surfaces: &mut Surfaces, reading: &Reading) {
    surfaces.pull = Surface::complete(vec![reading.pull.clone()]);
    surfaces.head_commit = reading.head_commit.clone();
    newer(&mut surfaces.commits, &reading.commits);
    newer(&mut surfaces.check_suites, &reading.check_suites);
    newer(&mut surfaces.timeline, &reading.timeline);
}

fn newer<T: Clone>(kept: &mut Surface<T>, reading: &Surface<T>) {
    if reading.is_complete() || !kept.is_complete() {
        *kept = reading.clone();
    }
}
