//! The history of the loop: rounds, problem families, checkpoints, and the limits that want the user's word.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::handled::{is_actionable, outcomes_by_review};
use crate::evidence::handled::{Family, HandledRecord, Outcome};
use crate::reason::words;
use crate::sensor::items::{Placed, Standing};
use crate::sensor::{FindingRound, Sensor};

/// The first checkpoint is due at so many actionable rounds.
const FIRST_CHECKPOINT: u64 = 3;
/// And one more after each further so many.
const NEXT_CHECKPOINT: u64 = 2;

/// The finding rounds, told apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rounds {
    /// All of them.
    pub total: usize,
    /// Those with an item that is fixed or waits for the user.
    pub actionable: usize,
    /// Those with an item that has no outcome yet, by review.
    pub unclassified: Vec<u64>,
}

/// Rounds with the reviews that are actionable.
pub fn rounds(sensor: &Sensor<'_, '_>, record: &HandledRecord) -> (Rounds, BTreeSet<u64>) {
    let outcomes = outcomes_by_review(record);
    let derived = outcomes
        .into_iter()
        .filter(|(_, all)| all.iter().any(is_actionable))
        .map(|(review, _)| review);
    let actionable: BTreeSet<u64> = record.actionable_rounds.iter().copied().chain(derived).collect();
    let all: &[FindingRound] = &sensor.snapshot.finding_rounds;
    let unclassified = all
        .iter()
        .map(|round| round.review_id)
        .filter(|review| !actionable.contains(review))
        .filter(|review| {
            let mut of_round = sensor
                .items
                .iter()
                .filter(|placed| placed.item.review_id == Some(*review));
            of_round.any(|placed| !has_outcome(placed, record))
        })
        .collect();
    let rounds = Rounds {
        total: all.len(),
        actionable: actionable.len(),
        unclassified,
    };
    (rounds, actionable)
}

/// Whether somebody decided what becomes of this very text.
pub fn has_outcome(placed: &Placed, record: &HandledRecord) -> bool {
    placed.standing == Standing::Handled
        || record
            .planned_for(&placed.item.item_key, &placed.item.digest())
            .is_some()
}

/// Whether a checkpoint is due, and for how many actionable rounds.
pub fn checkpoint_due(actionable: usize, record: &HandledRecord) -> Option<u64> {
    let rounds = u64::try_from(actionable).unwrap_or(u64::MAX);
    let beyond = rounds.checked_sub(FIRST_CHECKPOINT)?;
    let step = beyond.checked_rem(NEXT_CHECKPOINT).unwrap_or(0);
    let due = rounds.saturating_sub(step);
    let covered = record
        .checkpoints
        .iter()
        .map(|checkpoint| checkpoint.actionable_rounds)
        .max()
        .unwrap_or(0);
    (covered < due).then_some(due)
}

/// A problem family, with what is open of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FamilyRow {
    /// Fixed occurrences.
    pub count: u64,
    /// How the last one ended.
    pub outcome: Option<String>,
    /// Open items that are planned to be fixed.
    pub open: Vec<String>,
    /// Which occurrence the newest of them is; the same as `count` when none is open.
    pub occurrence: u64,
}

/// Every family by its label.
pub fn families(open: &[&Placed], record: &HandledRecord) -> BTreeMap<String, FamilyRow> {
    let mut rows: BTreeMap<String, FamilyRow> = BTreeMap::new();
    let row = |family: &Family| FamilyRow {
        count: family.count,
        outcome: family.outcome.clone(),
        open: Vec::new(),
        occurrence: family.count,
    };
    for (label, family) in &record.families {
        rows.insert(label.clone(), row(family));
    }
    for placed in open {
        let planned = record.planned_for(&placed.item.item_key, &placed.item.digest());
        let Some(planned) = planned.filter(|planned| planned.outcome == Outcome::Fixed) else {
            continue;
        };
        if let Some(label) = &planned.family {
            let row = rows
                .entry(label.clone())
                .or_insert_with(|| row(&Family::default()));
            row.open.push(placed.item.item_key.clone());
            row.occurrence = row.occurrence.saturating_add(1);
        }
    }
    rows
}

words! {
    /// The five reasons to ask the user for a direction.
    LimitCode {
        /// A repair would expand the product, security, data or public-API contract.
        ContractExpands = "contract-expands",
        /// The pull request would grow materially or turn elsewhere.
        ScopeGrows = "scope-grows",
        /// A family came back after its general repair.
        RepeatsAfterGeneralRepair = "repeats-after-general-repair",
        /// The work mainly repairs what the loop itself caused.
        RepairsOwnRepair = "repairs-own-repair",
        /// Two checkpoints in a row without fewer open problems.
        NoProgress = "no-progress",
    }
}

/// One limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limit {
    /// Which.
    pub code: LimitCode,
    /// Whether it is reached.
    pub holds: bool,
    /// Whether the user gave a direction since the last checkpoint, which clears it.
    pub cleared: bool,
    /// One sentence on what it rests on.
    pub message: String,
    /// Items, families or checkpoints it rests on.
    pub evidence: Vec<String>,
}

impl Limit {
    /// Reached, and nobody gave a direction.
    pub fn stops(&self) -> bool {
        self.holds && !self.cleared
    }
}

/// A family that comes back this often came back after its general repair (the second) and its reset (the third).
const AFTER_RESET: u64 = 4;

/// All five limits, from the answers of the last checkpoints and from what is recorded.
pub fn limits(record: &HandledRecord, families: &BTreeMap<String, FamilyRow>) -> Vec<Limit> {
    let checkpoints = u64::try_from(record.checkpoints.len()).unwrap_or(u64::MAX);
    let cleared = record
        .directions
        .last()
        .is_some_and(|direction| direction.checkpoints == checkpoints);
    let last = record.checkpoints.last();
    let answered = |yes: bool| -> Vec<String> {
        let asked = last.filter(|_| yes);
        asked
            .map(|checkpoint| checkpoint.url.clone())
            .into_iter()
            .collect()
    };
    let mut contract: Vec<String> = record
        .planned
        .iter()
        .filter(|planned| planned.outcome == Outcome::UserDecision)
        .map(|planned| planned.key.clone())
        .collect();
    contract.extend(answered(last.is_some_and(|checkpoint| !checkpoint.aligned)));
    let mut repeated: Vec<String> = families
        .iter()
        .filter(|(_, row)| !row.open.is_empty() && row.occurrence >= AFTER_RESET)
        .map(|(label, _)| label.clone())
        .collect();
    repeated.extend(answered(last.is_some_and(|checkpoint| {
        recurs_after_general_repair(&checkpoint.recurrence, record)
    })));
    let stuck: Vec<String> = match record.checkpoints.as_slice() {
        [.., before, last] if !before.decreasing && !last.decreasing => {
            vec![before.url.clone(), last.url.clone()]
        }
        _ => Vec::new(),
    };
    [
        (
            LimitCode::ContractExpands,
            contract,
            "Acting on the findings would expand the contract of the pull request.",
        ),
        (
            LimitCode::ScopeGrows,
            answered(last.is_some_and(|checkpoint| checkpoint.scope_growth)),
            "The pull request grows materially, says the last checkpoint.",
        ),
        (
            LimitCode::RepeatsAfterGeneralRepair,
            repeated,
            "A family came back after it was repaired as a whole.",
        ),
        (
            LimitCode::RepairsOwnRepair,
            answered(last.is_some_and(|checkpoint| checkpoint.caused_by_prior_repair)),
            "The new findings come from an earlier repair, says the last checkpoint.",
        ),
        (
            LimitCode::NoProgress,
            stuck,
            "Two checkpoints in a row say that open problems do not decrease.",
        ),
    ]
    .into_iter()
    .map(|(code, evidence, reached)| {
        let holds = !evidence.is_empty();
        Limit {
            code,
            holds,
            cleared: holds && cleared,
            message: if holds { reached } else { "It is not reached." }.to_owned(),
            evidence,
        }
    })
    .collect()
}

/// Whether a checkpoint's answer names a family that was repaired as a whole before. A bare yes is about any of them.
fn recurs_after_general_repair(answer: &str, record: &HandledRecord) -> bool {
    let answer = answer.trim().to_lowercase();
    let word = answer.trim_end_matches('.');
    if matches!(word, "" | "no" | "none" | "0") {
        return false;
    }
    let mut repaired = record
        .dispositions
        .values()
        .filter(|known| known.outcome == Outcome::Fixed && known.covers.is_some())
        .filter_map(|known| known.family.as_deref());
    repaired.any(|label| word == "yes" || answer.contains(&label.to_lowercase()))
}
