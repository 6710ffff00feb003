//! Which automation is ours: exactly one, with the recorded ID and the canonical key, or none at all.

use super::reason::ReasonCode;
use crate::bounded::state::{RecurringState, ViewedAutomation};
use crate::bounded::terms::Mode;

/// What the viewed automations prove.
pub(super) enum Ownership<'a> {
    /// "report-only: skip registry discovery and Automation view."
    NotInspected,
    /// Exactly one with this Loop key, and it is the recorded one in ID and spelling.
    Owned(&'a ViewedAutomation),
    /// None, several, or another one.
    Doubtful {
        shown: Option<&'a ViewedAutomation>,
        reasons: Vec<ReasonCode>,
    },
}

impl<'a> Ownership<'a> {
    pub(super) fn doubts(&self) -> Vec<ReasonCode> {
        match self {
            Self::NotInspected | Self::Owned(_) => Vec::new(),
            Self::Doubtful { reasons, .. } => reasons.clone(),
        }
    }

    /// The one automation to report, owned or not.
    pub(super) fn single(&self) -> Option<&'a ViewedAutomation> {
        match self {
            Self::NotInspected => None,
            Self::Owned(automation) => Some(automation),
            Self::Doubtful { shown, .. } => *shown,
        }
    }
}

/// Automations of other pull requests are nobody's doubt; the recorded ID counts whatever key it carries.
pub(super) fn of(state: &RecurringState) -> Ownership<'_> {
    let persisted = &state.persisted;
    if persisted.mode == Mode::ReportOnly {
        return Ownership::NotInspected;
    }
    let canonical = persisted.automation_key.as_str();
    let ours = |automation: &&ViewedAutomation| {
        automation.loop_key.as_str().to_lowercase() == canonical
            || Some(&automation.id) == persisted.owned_automation_id.as_ref()
    };
    let candidates: Vec<&ViewedAutomation> = state.local.automations.iter().filter(ours).collect();
    let mut reasons = Vec::new();
    if candidates.is_empty() {
        reasons.push(ReasonCode::AutomationMissing);
    }
    if candidates.len() > 1 {
        reasons.push(ReasonCode::AutomationDuplicate);
    }
    for automation in &candidates {
        let key = automation.loop_key.as_str();
        if key != canonical {
            let variant = key.to_lowercase() == canonical;
            reasons.push(if variant {
                ReasonCode::AutomationKeyVariant
            } else {
                ReasonCode::OwnershipMismatch
            });
        }
        if Some(&automation.id) != persisted.owned_automation_id.as_ref() {
            reasons.push(ReasonCode::OwnershipMismatch);
        }
    }
    match (candidates.as_slice(), reasons.is_empty()) {
        ([automation], true) => Ownership::Owned(automation),
        ([automation], false) => Ownership::Doubtful {
            shown: Some(automation),
            reasons,
        },
        (_, _) => Ownership::Doubtful { shown: None, reasons },
    }
}
