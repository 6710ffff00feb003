//! The handled file as a value: both shapes read, changes applied, everything unknown kept as it was written.
//!
//! An object `{handledItemKeys, actionableFindingRounds, families}` with what this program adds to it, or the older
//! array of keys, in which a number N is `review-comment:N`. Reading and writing the file is the shell's.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::members::{Elements, Members, raw};
use crate::document;
use crate::evidence::LocalHandled;
use crate::evidence::handled::{Checkpoint, Direction, Disposition, Family, HandledRecord, Outcome, Planned};

const KEYS: &str = "handledItemKeys";
const IDS: &str = "ids";
const ROUNDS: &str = "actionableFindingRounds";
const FAMILIES: &str = "families";
const DIGESTS: &str = "itemDigests";
const DISPOSITIONS: &str = "dispositions";
const PLANNED: &str = "planned";
const CHECKPOINTS: &str = "checkpoints";
const DIRECTIONS: &str = "directions";

/// The handled file of one pull request.
#[derive(Clone, Debug, Default)]
pub struct HandledFile {
    members: Members,
}

impl HandledFile {
    /// Reads a file of either shape. What an element of a list does not say clearly counts for nothing, and stays.
    ///
    /// # Errors
    /// One sentence when it is no JSON, or a known member has the wrong type.
    pub fn read(text: &str) -> Result<Self, String> {
        if let Some(reason) = document::no_json(text.as_bytes()) {
            return Err(reason);
        }
        let value: &RawValue = serde_json::from_str(text).map_err(|error| document::words(&error))?;
        let members = if value.get().starts_with('[') {
            let elements: Elements =
                serde_json::from_str(value.get()).map_err(|error| document::words(&error))?;
            let mut members = Members::default();
            members.set(KEYS, &named(elements)?)?;
            members
        } else if value.get().starts_with('{') {
            Members::read(value.get())?
        } else {
            return Err("it is neither an object nor an array".to_owned());
        };
        let file = Self { members };
        file.local()?;
        Ok(file)
    }

    /// What decisions read of it.
    ///
    /// # Errors
    /// One sentence when a known member has the wrong type.
    pub fn local(&self) -> Result<LocalHandled, String> {
        let digests: BTreeMap<String, Value> = self.members.get(DIGESTS)?.unwrap_or_default();
        let items = self
            .keys()?
            .into_iter()
            .map(|key| {
                let digest = digests.get(&key).and_then(Value::as_str).map(str::to_owned);
                (key, digest)
            })
            .collect();
        Ok(LocalHandled {
            items,
            record: self.record()?,
        })
    }

    /// What it records beside the keys.
    ///
    /// # Errors
    /// One sentence when a known member has the wrong type.
    pub fn record(&self) -> Result<HandledRecord, String> {
        let dispositions: BTreeMap<String, Value> = self.members.get(DISPOSITIONS)?.unwrap_or_default();
        Ok(HandledRecord {
            dispositions: dispositions
                .into_iter()
                .filter_map(|(key, value)| Some((key, serde_json::from_value::<Disposition>(value).ok()?)))
                .collect(),
            planned: self.list(PLANNED)?,
            families: self
                .members
                .get::<BTreeMap<String, Family>>(FAMILIES)?
                .unwrap_or_default(),
            actionable_rounds: self.list(ROUNDS)?,
            checkpoints: self.list(CHECKPOINTS)?,
            directions: self.list(DIRECTIONS)?,
        })
    }

    /// The whole file.
    pub fn text(&self) -> String {
        self.members.text()
    }

    /// Records a pending disposition in place of an earlier one.
    ///
    /// # Errors
    /// When the file cannot hold it.
    pub fn plan(&mut self, planned: &Planned) -> Result<(), String> {
        let mut elements = self.without_plan(&planned.key)?;
        let decided = self.pending_decision(&planned.key)?;
        elements.push(raw(planned)?);
        self.members.set(PLANNED, &elements)?;
        self.derive_rounds(decided)
    }

    /// Records a final disposition of an item with this text. A family counts an item once for each text.
    ///
    /// # Errors
    /// When the file cannot hold it.
    pub fn add(&mut self, key: &str, digest: &str, disposition: &Disposition) -> Result<(), String> {
        let before = self.local()?;
        if !before.items.contains_key(key) {
            let mut keys = self.members.elements(KEYS)?;
            keys.push(raw(&key)?);
            self.members.set(KEYS, &keys)?;
        }
        if let Some(label) = &disposition.family {
            let same_text = before
                .items
                .get(key)
                .is_some_and(|known| known.as_deref() == Some(digest));
            let counted = same_text
                && before.record.dispositions.get(key).is_some_and(|known| {
                    known.outcome == Outcome::Fixed && known.family.as_ref() == Some(label)
                });
            let occurred = disposition.outcome == Outcome::Fixed && !counted;
            self.count(label, occurred, disposition.outcome)?;
        }
        self.member(DIGESTS, key, &digest)?;
        self.member(DISPOSITIONS, key, disposition)?;
        let decided = self.pending_decision(key)?;
        if self.members.raw(PLANNED).is_some() {
            self.members.set(PLANNED, &self.without_plan(key)?)?;
        }
        self.derive_rounds(decided)
    }

    /// Records a checkpoint.
    ///
    /// # Errors
    /// When the file cannot hold it.
    pub fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), String> {
        self.push(CHECKPOINTS, checkpoint)
    }

    /// Records a direction of the user.
    ///
    /// # Errors
    /// When the file cannot hold it.
    pub fn direction(&mut self, direction: &Direction) -> Result<(), String> {
        self.push(DIRECTIONS, direction)
    }

    fn push(&mut self, name: &str, value: &impl serde::Serialize) -> Result<(), String> {
        let mut elements = self.members.elements(name)?;
        elements.push(raw(value)?);
        self.members.set(name, &elements)
    }

    /// Sets one member of a member that is an object; its other members stay as they are.
    fn member(&mut self, name: &str, key: &str, value: &impl serde::Serialize) -> Result<(), String> {
        let mut inner: Members = self.members.get(name)?.unwrap_or_default();
        inner.set(key, value)?;
        self.members.set(name, &inner)
    }

    fn count(&mut self, label: &str, occurred: bool, outcome: Outcome) -> Result<(), String> {
        let mut families: Members = self.members.get(FAMILIES)?.unwrap_or_default();
        let mut family: Members = families.get(label)?.unwrap_or_default();
        let count: u64 = family.get("count")?.unwrap_or_default();
        family.set("count", &count.saturating_add(u64::from(occurred)))?;
        family.set("outcome", &outcome.as_str())?;
        families.set(label, &family)?;
        self.members.set(FAMILIES, &families)
    }

    /// Every handled key that is understood: strings as they are, numbers as inline comments.
    fn keys(&self) -> Result<BTreeSet<String>, String> {
        let keys = self.members.elements(KEYS)?;
        let ids = self.members.elements(IDS)?;
        let keys = keys.iter().filter_map(|element| key(element));
        // An id is an inline comment's, also when it is written as a text.
        let ids = ids.iter().filter_map(|element| {
            let digits = element.get().trim_matches('"');
            digits
                .parse::<u64>()
                .ok()
                .map(|id| format!("review-comment:{id}"))
        });
        Ok(keys.chain(ids).collect())
    }

    fn list<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, String> {
        let elements = self.members.elements(name)?;
        Ok(elements
            .iter()
            .filter_map(|element| serde_json::from_str(element.get()).ok())
            .collect())
    }

    /// The planned elements without those of one item.
    fn without_plan(&self, key: &str) -> Result<Elements, String> {
        let mut elements = self.members.elements(PLANNED)?;
        elements.retain(|element| {
            serde_json::from_str::<Planned>(element.get()).map_or(true, |planned| planned.key != key)
        });
        Ok(elements)
    }

    /// The review of an item that waits for the user.
    fn pending_decision(&self, key: &str) -> Result<Option<u64>, String> {
        let planned: Vec<Planned> = self.list(PLANNED)?;
        let pending = planned
            .iter()
            .find(|planned| planned.key == key && planned.outcome == Outcome::UserDecision);
        Ok(pending.and_then(|planned| planned.review_id))
    }

    /// Adds the rounds that are actionable: one of their items is fixed or waits for the user. Other entries stay, but
    /// for the round of a user's decision that was `decided` and left nothing actionable behind.
    fn derive_rounds(&mut self, decided: Option<u64>) -> Result<(), String> {
        let record = self.record()?;
        let outcomes = outcomes_by_review(&record);
        let actionable: BTreeSet<u64> = outcomes
            .into_iter()
            .filter(|(_, all)| all.iter().any(is_actionable))
            .map(|(review, _)| review)
            .collect();
        let mut elements = self.members.elements(ROUNDS)?;
        elements.retain(|element| {
            let review = element.get().parse::<u64>().ok();
            review.is_none() || review != decided || review.is_some_and(|id| actionable.contains(&id))
        });
        let known: BTreeSet<u64> = record.actionable_rounds.into_iter().collect();
        for review in &actionable {
            if !known.contains(review) {
                elements.push(raw(review)?);
            }
        }
        if elements.is_empty() && self.members.raw(ROUNDS).is_none() {
            return Ok(());
        }
        self.members.set(ROUNDS, &elements)
    }
}

/// Fixed, or a user's decision that is pending.
pub fn is_actionable(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Fixed | Outcome::UserDecision => true,
        Outcome::Rebutted => false,
    }
}

/// The known outcomes of each review's items: final ones, and pending user decisions. A planned repair is none yet.
pub fn outcomes_by_review(record: &HandledRecord) -> BTreeMap<u64, Vec<Outcome>> {
    let mut outcomes: BTreeMap<u64, Vec<Outcome>> = BTreeMap::new();
    for disposition in record.dispositions.values() {
        if let Some(review) = disposition.review_id {
            outcomes.entry(review).or_default().push(disposition.outcome);
        }
    }
    for planned in &record.planned {
        if let (Outcome::UserDecision, Some(review)) = (planned.outcome, planned.review_id) {
            outcomes.entry(review).or_default().push(planned.outcome);
        }
    }
    outcomes
}

/// The elements of an older array as keys; what is none stays as it is.
fn named(elements: Elements) -> Result<Elements, String> {
    elements
        .into_iter()
        .map(|element| match key(&element) {
            Some(key) => raw(&key),
            None => Ok(element),
        })
        .collect()
}

/// A handled key: a text, or a number, which is an inline comment.
fn key(element: &RawValue) -> Option<String> {
    match serde_json::from_str(element.get()).ok()? {
        Value::String(key) => Some(key),
        Value::Number(id) => id.as_u64().map(|id| format!("review-comment:{id}")),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests;
