//! The stable sensor: one observation of review and CI bound to the head, as the version-2 snapshot document.
//!
//! It reports what was observed and since when evidence counts. It decides nothing about what to do: that is
//! [`crate::convergence`]. The format has names of its own, part snake_case, part camelCase (stable sensor).

use schemars::JsonSchema;
use serde::Serialize;

use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::reason::words;
use crate::run::Run;

pub mod ci;
pub mod items;
pub mod phase;
pub mod requests;
pub mod surfaces;
pub mod timeline;

use ci::Ci;
use items::{Item, Placed, Standing};
use phase::{Phase, PhaseSource};
use timeline::{PassComment, Timeline, TimelineEvent, UnboundApproval};

/// What the caller sets, apart from the evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Evidence before this time does not count.
    pub not_before: Option<Timestamp>,
    /// The checks that are required, by name; empty leaves it to the rules of the base branch.
    pub required_checks: Vec<String>,
}

words! {
    /// What is doubtful about a snapshot.
    SensorWarningCode {
        /// The head's committer date cannot be when it arrived.
        HeadTimeUncertain = "head-time-uncertain",
        /// An item that was handled has another text now and is open again.
        HandledBodyChanged = "handled-body-changed",
    }
}

/// One doubt: a code, a sentence, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SensorWarning {
    /// The code.
    pub code: SensorWarningCode,
    /// One sentence.
    pub message: String,
    /// Names of evidence, or keys of items.
    pub evidence: Vec<String>,
}

/// A review in which the connector reported something, of whatever commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingRound {
    /// The review.
    pub review_id: u64,
    /// The commit it was made for.
    pub commit_id: Option<String>,
    /// When.
    #[schemars(with = "String")]
    pub submitted_at: Timestamp,
    /// Its page.
    pub url: Option<String>,
}

/// How many of each there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Finding rounds on all heads.
    pub finding_rounds: usize,
    /// Reviews of the connector on this head.
    pub reviews: usize,
    /// Items on this head.
    pub review_items: usize,
    /// Those of them that are not handled.
    pub open_review_items: usize,
    /// Pass comments that name this head.
    pub pass_comments: usize,
    /// Check runs on this head, the latest of each name and app.
    pub check_runs: usize,
    /// Commit statuses on this head, the latest of each context.
    pub commit_statuses: usize,
}

/// The document, version 2.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Snapshot {
    /// Always 2.
    pub version: u8,
    /// When the evidence was read.
    #[schemars(with = "String")]
    pub sampled_at: Timestamp,
    /// The pull request's number.
    pub pr: u64,
    /// `OWNER/REPO`.
    pub repo: String,
    /// `OPEN`, `CLOSED` or `MERGED`.
    pub pr_state: String,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// The head commit everything is bound to.
    pub head_sha: String,
    /// The head's committer date; whoever made the commit chose it.
    #[schemars(with = "Option<String>")]
    pub head_committed_at: Option<Timestamp>,
    /// The first hosted evidence that the head had arrived; null when there is none.
    #[schemars(with = "Option<String>")]
    pub head_first_seen_at: Option<Timestamp>,
    /// What is doubtful.
    pub warnings: Vec<SensorWarning>,
    /// Evidence counts from here on.
    #[schemars(with = "Option<String>")]
    pub phase_not_before: Option<Timestamp>,
    /// Whether an event stands at that time, and not the commit alone.
    pub phase_boundary_active: bool,
    /// The events at that time.
    pub phase_sources: Vec<PhaseSource>,
    /// What happened in the phase, in order.
    pub timeline: Vec<TimelineEvent>,
    /// The same as `latest_strong`.
    pub latest: Option<TimelineEvent>,
    /// The last event that is not an approval signal alone.
    pub latest_strong: Option<TimelineEvent>,
    /// The last event.
    pub latest_observed: Option<TimelineEvent>,
    /// Every review with findings, on all heads.
    pub finding_rounds: Vec<FindingRound>,
    /// Findings that stand on this head.
    pub review_items: Vec<Item>,
    /// Those of them that are not handled.
    pub open_comments: Vec<Item>,
    /// Comments by which the connector passed this head.
    pub current_head_pass_comments: Vec<PassComment>,
    /// Every +1 of the connector; a reaction names no commit.
    pub unbound_approval_signals: Vec<UnboundApproval>,
    /// Checks and statuses of the head.
    pub ci: Ci,
    /// How many of each.
    pub counts: Counts,
}

/// A snapshot with what it was made of.
#[derive(Clone, Debug)]
pub struct Sensor<'r, 'e> {
    /// The run, whose reading the snapshot shares.
    pub run: &'r Run<'e>,
    /// The document.
    pub snapshot: Snapshot,
    /// Every item on any head, with where it stands.
    pub items: Vec<Placed>,
}

impl<'r, 'e> Sensor<'r, 'e> {
    /// Observes. Ask [`surfaces::gap`] first: an incomplete reading gives an incomplete observation.
    pub fn of(run: &'r Run<'e>, settings: &Settings) -> Self {
        let reading = &run.reading;
        let (evidence, pull) = (reading.evidence, reading.pull);
        let requests = requests::for_head(reading);
        let phase = Phase::of(run, &requests, settings.not_before);
        let items = items::all(run);
        let current: Vec<&Placed> = items.iter().filter(|placed| placed.on_head).collect();
        let timeline = Timeline::of(run, &phase, &requests, &current);
        let finding_rounds = finding_rounds(run, &items);
        let observed = ci::Observed::of(evidence, pull);
        let ci = ci::judge(&observed, settings, evidence, pull);
        let review_items: Vec<Item> = current.iter().map(|placed| placed.item.clone()).collect();
        let open_comments: Vec<Item> = current
            .iter()
            .filter(|placed| placed.standing != Standing::Handled)
            .map(|placed| placed.item.clone())
            .collect();
        let counts = Counts {
            finding_rounds: finding_rounds.len(),
            reviews: items::reviews_of_head(reading).count(),
            review_items: review_items.len(),
            open_review_items: open_comments.len(),
            pass_comments: timeline.passes.len(),
            check_runs: observed.runs,
            commit_statuses: observed.statuses,
        };
        let latest_strong = timeline.events.iter().rev().find(|event| event.is_strong());
        let latest_strong = latest_strong.cloned();
        let snapshot = Snapshot {
            version: 2,
            sampled_at: evidence.collected_at,
            pr: evidence.pull_request,
            repo: evidence.repository.to_string(),
            pr_state: pull.state.clone().into(),
            is_draft: pull.is_draft,
            head_sha: pull.head_ref_oid.to_string(),
            head_committed_at: run.history.committed_at(),
            head_first_seen_at: run.history.first_sighting().map(|sighting| sighting.at),
            warnings: warnings(run, &current),
            phase_not_before: phase.not_before,
            phase_boundary_active: phase.is_active(),
            phase_sources: phase.sources,
            latest: latest_strong.clone(),
            latest_strong,
            latest_observed: timeline.events.last().cloned(),
            timeline: timeline.events,
            finding_rounds,
            review_items,
            open_comments,
            current_head_pass_comments: timeline.passes,
            unbound_approval_signals: timeline.unbound,
            ci,
            counts,
        };
        Self { run, snapshot, items }
    }
}

/// Reviews of the connector, on all heads, that hold an item. Inline items count by the review they belong to.
fn finding_rounds(run: &Run<'_>, items: &[Placed]) -> Vec<FindingRound> {
    let reading = &run.reading;
    let with_items: std::collections::BTreeSet<u64> =
        items.iter().filter_map(|placed| placed.item.review_id).collect();
    let mut rounds: Vec<FindingRound> = items::connector_reviews(reading)
        .filter_map(|review| {
            let id = review.review.id.get()?;
            Some(FindingRound {
                review_id: id,
                commit_id: review.review.commit_id.known().map(ToString::to_string),
                submitted_at: review.at?,
                url: review.review.html_url.known().cloned(),
            })
        })
        .filter(|round| with_items.contains(&round.review_id))
        .collect();
    rounds.sort_by_key(|round| (round.submitted_at, round.review_id));
    rounds
}

/// A committer date earlier than the first hosted evidence by more than this is doubtful, in seconds.
const UNCERTAIN_SECONDS: i64 = 3_600;

fn warnings(run: &Run<'_>, current: &[&Placed]) -> Vec<SensorWarning> {
    let mut warnings = Vec::new();
    let sampled_at = run.reading.evidence.collected_at;
    let first_seen = run.history.first_sighting();
    if let Some(committed_at) = run.history.committed_at() {
        let early = first_seen
            .filter(|first| first.at - committed_at > chrono::TimeDelta::seconds(UNCERTAIN_SECONDS));
        let message = match early {
            _ if committed_at > sampled_at => "The head's committer date lies in the future.",
            Some(_) => {
                "The head's committer date is more than an hour older than the first evidence that it had arrived."
            }
            None => "",
        };
        if !message.is_empty() {
            let evidence = early.map_or(EvidenceName::Pull, |first| first.name.clone());
            warnings.push(SensorWarning {
                code: SensorWarningCode::HeadTimeUncertain,
                message: message.to_owned(),
                evidence: vec![evidence.to_string()],
            });
        }
    }
    let reopened: Vec<String> = current
        .iter()
        .filter(|placed| placed.standing == Standing::Reopened)
        .map(|placed| placed.item.item_key.clone())
        .collect();
    if !reopened.is_empty() {
        warnings.push(SensorWarning {
            code: SensorWarningCode::HandledBodyChanged,
            message: "Items that were handled have another text now and are open again.".to_owned(),
            evidence: reopened,
        });
    }
    warnings
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod world;
