//! What became of the connector's items, as the handled file records it: dispositions, families, checkpoints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observed::Timestamp;
use crate::document::unique;

/// What is, or is to be, done about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The claim is right; its cause is repaired.
    Fixed,
    /// The claim is answered with evidence.
    Rebutted,
    /// The claim is right and acting on it is the user's choice.
    UserDecision,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::Fixed, Self::Rebutted, Self::UserDecision];

    /// The word files and documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Rebutted => "rebutted",
            Self::UserDecision => "user-decision",
        }
    }
}

/// A final disposition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Disposition {
    /// Fixed or rebutted.
    pub outcome: Outcome,
    /// The problem family.
    #[serde(default)]
    pub family: Option<String>,
    /// The commit that fixes it, on the hosted branch.
    #[serde(default)]
    pub commit: Option<String>,
    /// What shows it.
    pub evidence: String,
    /// The premise that makes the claim right, from the second occurrence of a family.
    #[serde(default)]
    pub premise: Option<String>,
    /// How the repair covers the whole family, from its second occurrence.
    #[serde(default)]
    pub covers: Option<String>,
    /// The reply on GitHub, for a rebuttal.
    #[serde(default)]
    pub reply: Option<String>,
    /// The review the item belongs to.
    #[serde(default)]
    pub review_id: Option<u64>,
    /// When it was recorded.
    #[schemars(with = "String")]
    pub recorded_at: Timestamp,
}

/// A disposition that is decided on and not carried out yet. It ends triage and handles nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Planned {
    /// The item.
    pub key: String,
    /// What is to be done.
    pub outcome: Outcome,
    /// The problem family.
    #[serde(default)]
    pub family: Option<String>,
    /// The review the item belongs to.
    #[serde(default)]
    pub review_id: Option<u64>,
    /// SHA-256 of the text it was decided for.
    #[serde(default)]
    pub body_sha256: Option<String>,
    /// When it was recorded.
    #[schemars(with = "String")]
    pub recorded_at: Timestamp,
}

/// A problem family: how often a valid finding of it was fixed, and how the last one ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Family {
    /// Occurrences.
    pub count: u64,
    /// How the last one ended.
    #[serde(default)]
    pub outcome: Option<String>,
}

/// A published convergence checkpoint, with its answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Where it is published.
    pub url: String,
    /// Which families came back; `no` or `none` when none did.
    pub recurrence: String,
    /// Whether an earlier repair caused the new findings.
    pub caused_by_prior_repair: bool,
    /// Whether the work still fits what the pull request is about.
    pub aligned: bool,
    /// Whether the pull request grew materially.
    pub scope_growth: bool,
    /// Whether there are fewer open problems than before.
    pub decreasing: bool,
    /// Actionable rounds at that time.
    pub actionable_rounds: u64,
    /// Open problems at that time.
    #[serde(default)]
    pub open_problems: u64,
    /// When it was recorded.
    #[schemars(with = "String")]
    pub recorded_at: Timestamp,
}

/// A direction of the user. It clears every limit until the next checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Direction {
    /// The user's words.
    pub text: String,
    /// Checkpoints that were recorded before it.
    pub checkpoints: u64,
    /// When it was recorded.
    #[schemars(with = "String")]
    pub recorded_at: Timestamp,
}

/// Everything the handled file records beside the handled keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HandledRecord {
    /// Final dispositions by item key; handled keys of older files have none.
    #[serde(deserialize_with = "unique")]
    pub dispositions: BTreeMap<String, Disposition>,
    /// Pending dispositions, the newest last.
    pub planned: Vec<Planned>,
    /// Problem families by label.
    #[serde(deserialize_with = "unique")]
    pub families: BTreeMap<String, Family>,
    /// Reviews that are recorded as actionable rounds.
    pub actionable_rounds: Vec<u64>,
    /// Checkpoints, the newest last.
    pub checkpoints: Vec<Checkpoint>,
    /// Directions of the user, the newest last.
    pub directions: Vec<Direction>,
}

impl HandledRecord {
    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The pending disposition of an item with this text.
    pub fn planned_for(&self, key: &str, digest: &str) -> Option<&Planned> {
        self.planned
            .iter()
            .rev()
            .find(|planned| planned.key == key)
            .filter(|planned| planned.body_sha256.as_deref().is_none_or(|known| known == digest))
    }
}
