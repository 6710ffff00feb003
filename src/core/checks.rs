//! The checks of the head in one word: passing, pending, failing or none (merge gate, "Tests").
//!
//! A word that GitHub does not document never passes: it is pending until somebody looks.

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::Evidence;
use crate::evidence::check::{CheckRun, CheckSuite, CommitStatus};
use crate::evidence::name::{EvidenceName, Id, Sha};
use crate::evidence::observed::{Observed, Timestamp};
use crate::reason::words;

words! {
    /// All checks together.
    TestsState {
        /// Every check passed, and there is at least one.
        Passing = "passing",
        /// At least one has not ended, and none failed.
        Pending = "pending",
        /// At least one failed.
        Failing = "failing",
        /// There is no check at all.
        None = "none",
    }
}

words! {
    /// What one check counts as.
    Bucket {
        /// It passed, or was not meant to run.
        Pass = "pass",
        /// It has not ended, or its word is unknown.
        Pending = "pending",
        /// It failed.
        Fail = "fail",
        /// The caller does not wait for it.
        Ignored = "ignored",
    }
}

/// One check: the newest run of its name, app and workflow, or the newest status of its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name in documents.
    pub evidence: EvidenceName,
    /// The run's name or the status's context.
    pub name: String,
    /// The app's slug; none for a status.
    pub app: Option<String>,
    /// GitHub's word that decides: the conclusion, else the status.
    pub word: String,
    /// What it counts as.
    pub bucket: Bucket,
    /// Why it counts as that, where the word alone does not say it.
    pub note: Option<&'static str>,
    /// Its page.
    pub url: Option<String>,
}

/// The checks of the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checks {
    /// All together, without the ignored ones.
    pub state: TestsState,
    /// One each, sorted by name.
    pub all: Vec<Check>,
}

impl Checks {
    /// Reads the checks of `head`, leaving out of the sum those that are `ignored` by name.
    pub fn of(evidence: &Evidence, head: &Sha, ignored: &BTreeSet<String>) -> Self {
        let mut all = runs(evidence, head);
        all.extend(statuses(evidence));
        for check in &mut all {
            if ignored.contains(&check.name) {
                check.bucket = Bucket::Ignored;
                check.note = Some("ignored on request");
            }
        }
        all.sort_by(|a, b| (&a.name, &a.app, &a.evidence).cmp(&(&b.name, &b.app, &b.evidence)));
        Self {
            state: sum(&all),
            all,
        }
    }

    /// How many checks count as this.
    pub fn count(&self, bucket: Bucket) -> usize {
        self.all.iter().filter(|check| check.bucket == bucket).count()
    }
}

fn sum(all: &[Check]) -> TestsState {
    let any = |bucket| all.iter().any(|check| check.bucket == bucket);
    if any(Bucket::Fail) {
        TestsState::Failing
    } else if any(Bucket::Pending) {
        TestsState::Pending
    } else if any(Bucket::Pass) {
        TestsState::Passing
    } else {
        TestsState::None
    }
}

/// What tells checks of one name and app apart: the workflow and the event that the suite of a run belongs to, here by the
/// suite's id. Two workflows may have a job of one name, and neither is a re-run of the other.
fn streams(suites: &[CheckSuite]) -> BTreeMap<u64, Option<(&str, &str)>> {
    // Of two suites with one id the first counts.
    let known = suites.iter().rev().filter_map(|suite| {
        let workflow = suite.workflow.known();
        let stream = workflow.map(|workflow| (workflow.as_str(), suite.event.text()));
        Some((suite.id.get()?, stream))
    });
    known.collect()
}

/// The newest run of the head of each name, app and workflow, with its place. A re-run is a run of its own with a greater
/// id; one without an id, or whose id another one bears too, cannot be shown to be older or newer, and counts for itself.
pub fn newest_runs<'e>(evidence: &'e Evidence, head: &Sha) -> Vec<(usize, &'e CheckRun)> {
    type Key<'a> = (
        &'a str,
        Option<u64>,
        &'a str,
        Option<(&'a str, &'a str)>,
        Option<usize>,
    );
    let streams = streams(evidence.surfaces.check_suites.items());
    let runs = evidence.surfaces.check_runs.items();
    let mut borne: BTreeMap<u64, usize> = BTreeMap::new();
    for id in runs.iter().filter_map(|run| run.id.get()) {
        let count = borne.entry(id).or_default();
        *count = count.saturating_add(1);
    }
    let mut newest: BTreeMap<Key<'_>, (usize, &CheckRun)> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        if run.head_sha.known().is_some_and(|sha| sha != head) {
            continue;
        }
        let app = run.app.as_ref();
        let id = run.id.get();
        let suite = run.check_suite.as_ref().and_then(|suite| suite.id.get());
        let key = (
            run.name.text(),
            app.and_then(|app| app.id.get()),
            app.map_or("", |app| app.slug.text()),
            suite.and_then(|id| streams.get(&id).copied().flatten()),
            id.is_none_or(|id| borne.get(&id).is_some_and(|count| *count > 1))
                .then_some(place),
        );
        if newest.get(&key).is_none_or(|(_, known)| id > known.id.get()) {
            newest.insert(key, (place, run));
        }
    }
    newest.into_values().collect()
}

fn runs(evidence: &Evidence, head: &Sha) -> Vec<Check> {
    newest_runs(evidence, head)
        .into_iter()
        .map(|(place, run)| {
            let (word, bucket, note) = run_bucket(run);
            Check {
                evidence: EvidenceName::CheckRun(run.id.get().map_or(Id::Place(place), Id::Number)),
                name: run.name.text().to_owned(),
                app: run.app.as_ref().and_then(|app| app.slug.known().cloned()),
                word,
                bucket,
                note,
                url: run.html_url.known().or(run.details_url.known()).cloned(),
            }
        })
        .collect()
}

fn run_bucket(run: &CheckRun) -> (String, Bucket, Option<&'static str>) {
    if run.status.text() != "completed" {
        let word = run.status.text();
        let word = if word.is_empty() { "unknown" } else { word };
        return (word.to_owned(), Bucket::Pending, None);
    }
    let word = run.conclusion.text();
    let (bucket, note) = match word {
        "success" => (Bucket::Pass, None),
        "neutral" => (
            Bucket::Pass,
            Some("neutral: it neither passed nor failed, and blocks nothing"),
        ),
        "skipped" => (
            Bucket::Pass,
            Some("skipped: it was not meant to run for this change"),
        ),
        "failure" | "timed_out" | "cancelled" | "action_required" | "startup_failure" | "stale" | "error" => {
            (Bucket::Fail, None)
        }
        "" => (Bucket::Pending, Some("completed without a conclusion")),
        _ => (
            Bucket::Pending,
            Some("a conclusion that this version does not know"),
        ),
    };
    let word = if word.is_empty() { "completed" } else { word };
    (word.to_owned(), bucket, note)
}

/// The newest status of each context; one without time or id counts for itself.
fn statuses(evidence: &Evidence) -> Vec<Check> {
    let mut newest: BTreeMap<(&str, Option<usize>), (usize, &CommitStatus)> = BTreeMap::new();
    for (place, status) in evidence.surfaces.statuses.items().iter().enumerate() {
        let age = |status: &CommitStatus| (status.created_at.get(), status.id.get());
        let undated = status.created_at.get().is_none() || status.id.get().is_none();
        let key = (status.context.text(), undated.then_some(place));
        let known = newest.get(&key).map(|(_, known)| age(known));
        if known.is_none_or(|known| age(status) > known) {
            newest.insert(key, (place, status));
        }
    }
    newest
        .into_values()
        .map(|(place, status)| {
            let word = status.state.text();
            let (bucket, note) = match word {
                "success" => (Bucket::Pass, None),
                "failure" | "error" => (Bucket::Fail, None),
                "pending" => (Bucket::Pending, None),
                _ => (Bucket::Pending, Some("a state that this version does not know")),
            };
            Check {
                evidence: EvidenceName::Status(status.id.get().map_or(Id::Place(place), Id::Number)),
                name: status.context.text().to_owned(),
                app: None,
                word: if word.is_empty() { "unknown" } else { word }.to_owned(),
                bucket,
                note,
                url: status.target_url.known().cloned(),
            }
        })
        .collect()
}

/// When the first check of the head started: first attempts count, so a re-run does not move it.
pub fn first_start(evidence: &Evidence, head: &Sha) -> Option<Timestamp> {
    let runs = evidence.surfaces.check_runs.items().iter();
    let runs = runs
        .filter(|run| run.head_sha.known().is_none_or(|sha| sha == head))
        .map(|run| &run.started_at);
    let statuses = evidence.surfaces.statuses.items().iter();
    let statuses = statuses.map(|status| &status.created_at);
    runs.chain(statuses).filter_map(Observed::get).min()
}

/// Whether a check of the head began and nothing tells when: a queued one has no start.
pub fn start_is_unknown(evidence: &Evidence, head: &Sha) -> bool {
    const NOT_BEGUN: [&str; 4] = ["queued", "requested", "waiting", "pending"];
    let mut begun = evidence.surfaces.check_runs.items().iter().filter(|run| {
        run.head_sha.known().is_none_or(|sha| sha == head)
            && run
                .status
                .known()
                .is_none_or(|status| !NOT_BEGUN.contains(&status.as_str()))
    });
    let mut statuses = evidence.surfaces.statuses.items().iter();
    first_start(evidence, head).is_none() && (begun.next().is_some() || statuses.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::check::SuiteReference;
    use crate::evidence::sample::{HEAD, Sample, at, sha};
    use crate::evidence::surface::Surface;

    fn checks(sample: &Sample, ignored: &[&str]) -> Checks {
        let ignored = ignored.iter().map(|name| (*name).to_owned()).collect();
        Checks::of(&sample.evidence, &sha(HEAD), &ignored)
    }

    #[test]
    fn every_conclusion_that_github_documents_has_its_bucket_and_any_other_word_is_pending() {
        for (conclusion, expected) in [
            ("success", TestsState::Passing),
            ("neutral", TestsState::Passing),
            ("skipped", TestsState::Passing),
            ("failure", TestsState::Failing),
            ("timed_out", TestsState::Failing),
            ("cancelled", TestsState::Failing),
            ("action_required", TestsState::Failing),
            ("startup_failure", TestsState::Failing),
            ("stale", TestsState::Failing),
            ("error", TestsState::Failing),
            ("waved_through", TestsState::Pending),
            ("SUCCESS", TestsState::Pending),
            ("", TestsState::Pending),
        ] {
            let mut sample = Sample::new();
            sample.check_run("build", Some(conclusion), at(1, 0));
            assert_eq!(checks(&sample, &[]).state, expected, "{conclusion}");
        }
        for (state, expected) in [
            ("success", TestsState::Passing),
            ("failure", TestsState::Failing),
            ("error", TestsState::Failing),
            ("pending", TestsState::Pending),
            ("expected", TestsState::Pending),
            ("fine", TestsState::Pending),
        ] {
            let mut sample = Sample::new();
            sample.status("ci", state, at(1, 0));
            assert_eq!(checks(&sample, &[]).state, expected, "{state}");
        }
    }

    #[test]
    fn a_run_that_has_not_completed_is_pending_whatever_its_conclusion_says() {
        for status in [
            "queued",
            "in_progress",
            "waiting",
            "requested",
            "pending",
            "",
            "odd",
        ] {
            let mut sample = Sample::new();
            sample.check_run("build", Some("success"), at(1, 0));
            for run in sample.evidence.surfaces.check_runs.items_mut() {
                run.status = Observed::Known(status.into());
            }
            assert_eq!(checks(&sample, &[]).state, TestsState::Pending, "{status}");
        }
    }

    #[test]
    fn a_failure_outweighs_a_pending_check_and_that_a_passing_one() {
        let mut sample = Sample::new();
        assert_eq!(checks(&sample, &[]).state, TestsState::None);
        sample.check_run("a", Some("success"), at(1, 0));
        assert_eq!(checks(&sample, &[]).state, TestsState::Passing);
        sample.check_run("b", None, at(1, 0));
        assert_eq!(checks(&sample, &[]).state, TestsState::Pending);
        sample.status("c", "failure", at(1, 0));
        assert_eq!(checks(&sample, &[]).state, TestsState::Failing);
        assert_eq!(checks(&sample, &["c"]).state, TestsState::Pending);
        assert_eq!(checks(&sample, &["b", "c"]).state, TestsState::Passing);
        let none = checks(&sample, &["a", "b", "c"]);
        assert_eq!(none.state, TestsState::None);
        assert_eq!(none.count(Bucket::Ignored), 3);
    }

    #[test]
    fn the_newest_run_of_a_name_and_app_and_the_newest_status_of_a_context_count() {
        let mut sample = Sample::new();
        sample.check_run("build", Some("failure"), at(1, 0));
        sample.check_run("build", Some("success"), at(5, 0));
        sample.status("ci", "error", at(1, 0));
        sample.status("ci", "success", at(5, 0));
        assert_eq!(checks(&sample, &[]).state, TestsState::Passing);
        // The same name from another app is another check.
        sample.check_run("build", Some("failure"), at(0, 30));
        let runs = sample.evidence.surfaces.check_runs.items_mut();
        if let Some(app) = runs.last_mut().and_then(|run| run.app.as_mut()) {
            app.id = Observed::Known(1);
            app.slug = Observed::Known("other".into());
        }
        assert_eq!(checks(&sample, &[]).state, TestsState::Failing);
    }

    #[test]
    fn a_job_of_another_workflow_or_event_is_another_check_and_a_rerun_is_none() {
        let two = |first: (&str, &str), second: (&str, &str)| {
            let mut sample = Sample::new();
            sample.check_run("build", Some("failure"), at(1, 0));
            sample.check_run("build", Some("success"), at(5, 0));
            let runs = sample.evidence.surfaces.check_runs.items_mut();
            for (run, id) in runs.iter_mut().zip([1, 2]) {
                run.check_suite = Some(SuiteReference {
                    id: Observed::Known(id),
                });
            }
            let suite = |id, (workflow, event): (&str, &str)| CheckSuite {
                id: Observed::Known(id),
                workflow: Observed::Known(workflow.into()),
                event: Observed::Known(event.into()),
                ..CheckSuite::default()
            };
            sample.evidence.surfaces.check_suites =
                Surface::complete(vec![suite(1, first), suite(2, second)]);
            checks(&sample, &[]).state
        };
        let ci = ("ci", "pull_request");
        assert_eq!(two(ci, ci), TestsState::Passing);
        assert_eq!(two(ci, ("release", "pull_request")), TestsState::Failing);
        assert_eq!(two(ci, ("ci", "push")), TestsState::Failing);
    }

    #[test]
    fn of_two_runs_with_one_id_both_count_in_any_order() {
        for conclusions in [["failure", "success"], ["success", "failure"]] {
            let mut sample = Sample::new();
            for conclusion in conclusions {
                sample.check_run("build", Some(conclusion), at(1, 0));
            }
            for run in sample.evidence.surfaces.check_runs.items_mut() {
                run.id = Observed::Known(7);
            }
            let found = checks(&sample, &[]);
            assert_eq!(
                (found.all.len(), found.state),
                (2, TestsState::Failing),
                "{conclusions:?}"
            );
        }
    }

    #[test]
    fn skipped_and_neutral_say_why_they_pass() {
        let mut sample = Sample::new();
        sample.check_run("docs", Some("skipped"), at(1, 0));
        sample.check_run("lint", Some("neutral"), at(1, 0));
        assert!(checks(&sample, &[]).all.iter().all(|check| check.note.is_some()));
    }

    #[test]
    fn a_pending_check_says_why_when_its_word_alone_does_not() {
        let unknown = "a conclusion that this version does not know";
        for (conclusion, word, note) in [
            ("", "completed", "completed without a conclusion"),
            ("waved_through", "waved_through", unknown),
        ] {
            let mut sample = Sample::new();
            sample.check_run("build", Some(conclusion), at(1, 0));
            let all = checks(&sample, &[]).all;
            let told: Vec<_> = all.iter().map(|one| (one.word.as_str(), one.note)).collect();
            assert_eq!(told, [(word, Some(note))]);
        }
        for (state, note) in [
            ("pending", None),
            ("expected", Some("a state that this version does not know")),
        ] {
            let mut sample = Sample::new();
            sample.status("ci", state, at(1, 0));
            let all = checks(&sample, &[]).all;
            let told: Vec<_> = all.iter().map(|one| (one.word.as_str(), one.note)).collect();
            assert_eq!(told, [(state, note)]);
        }
    }

    #[test]
    fn a_status_without_time_or_id_supersedes_none_and_is_superseded_by_none() {
        type Damage = fn(&mut CommitStatus);
        let damages: [Damage; 2] = [
            |status| status.created_at = Observed::Missing,
            |status| status.id = Observed::Missing,
        ];
        for damage in damages {
            for damaged in [0, 1] {
                let mut sample = Sample::new();
                sample.status("ci", "failure", at(1, 0));
                sample.status("ci", "success", at(5, 0));
                let statuses = sample.evidence.surfaces.statuses.items_mut();
                damage(statuses.get_mut(damaged).expect("two statuses"));
                let found = checks(&sample, &[]);
                assert_eq!((found.all.len(), found.state), (2, TestsState::Failing));
            }
        }
    }

    #[test]
    fn the_first_start_is_that_of_the_first_attempt() {
        let mut sample = Sample::new();
        assert_eq!(first_start(&sample.evidence, &sha(HEAD)), None);
        sample.check_run("build", Some("failure"), at(2, 0));
        sample.status("ci", "success", at(3, 0));
        sample.check_run("build", Some("success"), at(40, 0));
        assert_eq!(first_start(&sample.evidence, &sha(HEAD)), Some(at(2, 0)));
    }
}
