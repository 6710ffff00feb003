//! The lower bound of an approval: later of the first check of the head and the last edit of the description.

use crate::checks;
use crate::evidence::observed::{Observed, Timestamp};
use crate::head::HeadHistory;
use crate::reading::Reading;

/// From when on a reaction can mean this head and this description (merge gate, "Signals").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerBound {
    /// The earliest first attempt of a check of the head; without one the body's reactions are not used.
    pub checks_started: Option<Timestamp>,
    /// Whether checks of the head began and nothing tells when: then no +1 is proven to be later.
    pub start_unknown: bool,
    /// The last edit of the description, unless the caller called it immaterial.
    pub edited: Option<Timestamp>,
    /// The last recorded movement to this head, or to one that the record does not say: reactions on the body from
    /// before were for another one.
    pub moved: Option<Timestamp>,
}

impl LowerBound {
    /// Reads the bound; `edit_immaterial` leaves the edit out.
    pub fn of(reading: &Reading<'_>, history: &HeadHistory, edit_immaterial: bool) -> Self {
        let head = &reading.pull.head_ref_oid;
        Self {
            checks_started: checks::first_start(reading.evidence, head),
            start_unknown: checks::start_is_unknown(reading.evidence, head),
            edited: reading.pull.last_edited_at.get().filter(|_| !edit_immaterial),
            moved: history.last_movement_here(),
        }
    }

    /// The bound; `None` when neither a check nor an edit is known.
    pub fn not_before(&self) -> Option<Timestamp> {
        self.checks_started.max(self.edited)
    }

    /// Whether a time is not before the bound.
    pub fn is_fresh(&self, at: Timestamp) -> bool {
        self.not_before().is_none_or(|bound| at >= bound)
    }

    /// The same for a reaction on the body, which names no head and so has to be later than every movement to it.
    pub fn is_fresh_on_body(&self, at: Timestamp) -> bool {
        self.is_fresh(at) && self.moved.is_none_or(|moved| at >= moved)
    }
}

/// Whether the description was edited at a time that cannot be read.
pub fn edit_is_unreadable(reading: &Reading<'_>) -> bool {
    matches!(reading.pull.last_edited_at, Observed::Malformed(_))
}
