//! The bounded loop between the connector's findings and a pull request that is ready to merge: one next tick.
//!
//! [`tick`] looks at one snapshot and what is recorded, and names the one action that comes next, in a fixed order.
//! It performs nothing and never merges; the same input gives the same answer (stable sensor, "Advance one tick").

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::evidence::handled::{HandledRecord, Outcome, Planned};
use crate::evidence::name::Sha;
use crate::evidence::pull::PullState;
use crate::gate::{Gate, is_conflicting};
use crate::reason::{NextAction, words};
use crate::sensor::Sensor;
use crate::sensor::items::{Placed, Standing};

pub mod ci;
pub mod disposition;
pub mod handled;
pub mod history;
pub mod members;
pub mod reply;
pub mod review;

use ci::CiStanding;
use history::{FamilyRow, Limit, Rounds};
use review::Pass;

words! {
    /// The next action, in the order in which they are considered.
    Action {
        /// The pull request is merged or closed.
        Stop = "stop",
        /// It could not be read.
        Recollect = "recollect",
        /// Decide what becomes of every open item.
        Triage = "triage",
        /// Ask the user.
        AskUser = "ask-user",
        /// Publish a convergence checkpoint.
        Checkpoint = "checkpoint",
        /// Stop the approach to a family and choose another one.
        StrategyReset = "strategy-reset",
        /// Repair a family as a whole.
        FamilyRepair = "family-repair",
        /// Carry out the planned dispositions.
        Address = "address",
        /// Repair what CI found.
        FixCi = "fix-ci",
        /// Look at neutral or skipped required checks.
        VerifyCi = "verify-ci",
        /// Find out whether it is meant that there is no check.
        VerifyNoCi = "verify-no-ci",
        /// Wait for CI.
        WaitCi = "wait-ci",
        /// Request a review.
        RequestReview = "request-review",
        /// Wait for the review.
        WaitReview = "wait-review",
        /// Mark the draft ready.
        MarkReady = "mark-ready",
        /// Look once more.
        Confirm = "confirm",
        /// Two readings agree: it may be merged, by the user.
        ReadyToMerge = "ready-to-merge",
    }
}

/// What the caller states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acknowledgements {
    /// Neutral or skipped required checks that are meant to be so, by name, with the reason.
    pub neutral_ok: BTreeMap<String, String>,
    /// Why it is meant that there is no check.
    pub none_ok: Option<String>,
}

/// The reading before, as its convergence document tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Previous {
    /// What came next then.
    pub action: String,
    /// The head then.
    pub head: Option<Sha>,
}

/// What one tick looks at.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'s, 'r, 'e> {
    /// The snapshot.
    pub sensor: &'s Sensor<'r, 'e>,
    /// What is recorded.
    pub record: &'s HandledRecord,
    /// The merge gate.
    pub gate: &'s Gate,
    /// What the caller states.
    pub acknowledged: &'s Acknowledgements,
    /// The reading before.
    pub previous: Option<&'s Previous>,
}

impl<'s> Inputs<'s, '_, '_> {
    /// Items on the head.
    pub fn current(&self) -> impl Iterator<Item = &'s Placed> {
        self.sensor.items.iter().filter(|placed| placed.on_head)
    }

    /// Those of them that are not handled.
    pub fn open(&self) -> impl Iterator<Item = &'s Placed> {
        self.current()
            .filter(|placed| placed.standing != Standing::Handled)
    }

    /// The pending disposition of an item.
    pub fn planned(&self, placed: &Placed) -> Option<&'s Planned> {
        self.record
            .planned_for(&placed.item.item_key, &placed.item.digest())
    }
}

/// One condition of the completion contract, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Condition {
    /// Its number in the contract, from 1.
    pub number: u8,
    /// Whether it holds.
    pub holds: bool,
    /// One sentence.
    pub message: String,
    /// What it rests on.
    pub evidence: Vec<String>,
}

/// The next action, and the condition that decides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The action.
    pub action: Action,
    /// Why: the condition that decides it, and what to do.
    pub message: String,
    /// What that rests on.
    pub evidence: Vec<String>,
}

impl Decided {
    fn new(action: Action, message: impl Into<String>, evidence: Vec<String>) -> Self {
        Self {
            action,
            message: message.into(),
            evidence,
        }
    }
}

/// One tick, with everything it weighed.
#[derive(Clone, Debug)]
pub struct Tick<'s> {
    /// What comes next.
    pub decided: Decided,
    /// The four conditions.
    pub conditions: Vec<Condition>,
    /// The five limits.
    pub limits: Vec<Limit>,
    /// The families by label.
    pub families: BTreeMap<String, FamilyRow>,
    /// The rounds.
    pub rounds: Rounds,
    /// What CI comes to.
    pub ci: CiStanding<'s>,
    /// What passes the review.
    pub pass: Option<Pass>,
}

/// Names the next action.
pub fn tick<'s>(inputs: &Inputs<'s, '_, '_>) -> Tick<'s> {
    let open: Vec<&Placed> = inputs.open().collect();
    let families = history::families(&open, inputs.record);
    let limits = history::limits(inputs.record, &families);
    let (rounds, _) = history::rounds(inputs.sensor, inputs.record);
    let ci = ci::standing(
        &inputs.sensor.snapshot.ci,
        &inputs.acknowledged.neutral_ok,
        inputs.acknowledged.none_ok.as_deref(),
    );
    let pass = review::pass(inputs);
    let conditions = conditions(inputs, &open, &ci, pass.as_ref());
    let weighed = Weighed {
        inputs,
        open: &open,
        families: &families,
        limits: &limits,
        rounds: &rounds,
        ci: &ci,
        pass: pass.as_ref(),
        conditions: &conditions,
    };
    Tick {
        decided: weighed.decide(),
        conditions,
        limits,
        families,
        rounds,
        ci,
        pass,
    }
}

struct Weighed<'w, 's, 'r, 'e> {
    inputs: &'w Inputs<'s, 'r, 'e>,
    open: &'w [&'s Placed],
    families: &'w BTreeMap<String, FamilyRow>,
    limits: &'w [Limit],
    rounds: &'w Rounds,
    ci: &'w CiStanding<'s>,
    pass: Option<&'w Pass>,
    conditions: &'w [Condition],
}

impl Weighed<'_, '_, '_, '_> {
    /// The first that applies. `recollect` stands before all of them and is the shell's to say.
    fn decide(&self) -> Decided {
        self.stop()
            .or_else(|| self.triage())
            .or_else(|| self.ask_user())
            .or_else(|| self.checkpoint())
            .or_else(|| self.family())
            .or_else(|| self.address())
            .or_else(|| self.checks())
            .or_else(|| self.review())
            .unwrap_or_else(|| self.ready())
    }

    fn stop(&self) -> Option<Decided> {
        let message = match &self.inputs.sensor.run.reading.pull.state {
            PullState::Open => return None,
            PullState::Closed => "The pull request is closed.",
            PullState::Merged => "The pull request is merged.",
            PullState::Unrecognized(_) => {
                let message = "GitHub gives the pull request a state that this version does not know.";
                return Some(Decided::new(Action::AskUser, message, vec!["pull".to_owned()]));
            }
        };
        Some(Decided::new(Action::Stop, message, vec!["pull".to_owned()]))
    }

    fn triage(&self) -> Option<Decided> {
        let undecided: Vec<String> = self
            .open
            .iter()
            .filter(|placed| self.inputs.planned(placed).is_none())
            .map(|placed| placed.item.item_key.clone())
            .collect();
        (!undecided.is_empty()).then(|| {
            let message = format!(
                "{} no disposition: verify the premise of each, then record fixed, rebutted or user-decision for it \
                 before anything is changed.",
                items_have(undecided.len())
            );
            Decided::new(Action::Triage, message, undecided)
        })
    }

    fn ask_user(&self) -> Option<Decided> {
        let pending: Vec<String> = self
            .inputs
            .record
            .planned
            .iter()
            .filter(|planned| planned.outcome == Outcome::UserDecision)
            .map(|planned| planned.key.clone())
            .collect();
        if !pending.is_empty() {
            let message = "The user's decision is pending; ask for it, and change nothing until it is fixed or rebutted.";
            return Some(Decided::new(Action::AskUser, message, pending));
        }
        if let Some(limit) = self.limits.iter().find(|limit| limit.stops()) {
            let message = format!(
                "The limit {} is reached: {} Ask the user for a direction.",
                limit.code.as_str(),
                limit.message
            );
            return Some(Decided::new(Action::AskUser, message, limit.evidence.clone()));
        }
        let run = self.inputs.sensor.run;
        match run.next() {
            NextAction::Retry | NextAction::AskUser | NextAction::Reconcile => {}
            NextAction::None
            | NextAction::AddressFindings
            | NextAction::Poll
            | NextAction::RequestReview
            | NextAction::VerifyThreads
            | NextAction::Recollect
            | NextAction::Judge
            | NextAction::Stop => return None,
        }
        let reason = run.reasons.first();
        let message = reason.map_or_else(
            || "The review run wants the user's word.".to_owned(),
            |reason| {
                format!(
                    "The review run wants the user's word ({}): {}",
                    reason.code.as_str(),
                    reason.message
                )
            },
        );
        let evidence = reason.map(|reason| reason.evidence.iter().map(ToString::to_string).collect());
        Some(Decided::new(
            Action::AskUser,
            message,
            evidence.unwrap_or_default(),
        ))
    }

    fn checkpoint(&self) -> Option<Decided> {
        let due = history::checkpoint_due(self.rounds.actionable, self.inputs.record)?;
        let message = format!(
            "There are {} actionable rounds and no checkpoint for round {due}: publish one and record its answers.",
            self.rounds.actionable
        );
        Some(Decided::new(Action::Checkpoint, message, Vec::new()))
    }

    /// The third or later occurrence of a family comes before the second of another.
    fn family(&self) -> Option<Decided> {
        let open = self.families.iter().filter(|(_, row)| !row.open.is_empty());
        let (label, row) = open.max_by(|(a, x), (b, y)| x.occurrence.cmp(&y.occurrence).then(b.cmp(a)))?;
        let number = row.occurrence;
        let (action, what) = match number {
            0 | 1 => return None,
            2 => (
                Action::FamilyRepair,
                "State one invariant, audit every caller and lifecycle, and repair the family as a whole.",
            ),
            3.. => (
                Action::StrategyReset,
                "Stop this approach: replace, roll back, split, reduce or rebut, with tests for the family.",
            ),
        };
        let message = format!("This is occurrence {number} of the family `{label}`. {what}");
        Some(Decided::new(action, message, row.open.clone()))
    }

    fn address(&self) -> Option<Decided> {
        let keys: Vec<String> = self
            .open
            .iter()
            .map(|placed| placed.item.item_key.clone())
            .collect();
        (!keys.is_empty()).then(|| {
            let message =
                "Every open item has a planned disposition: carry them out in one batch, then record them.";
            Decided::new(Action::Address, message, keys)
        })
    }

    fn checks(&self) -> Option<Decided> {
        let keys =
            |checks: &[&crate::sensor::ci::Check]| checks.iter().map(|check| check.key.clone()).collect();
        let ci = &self.inputs.sensor.snapshot.ci;
        match self.ci {
            CiStanding::Failing(checks) => Some(Decided::new(
                Action::FixCi,
                "CI fails: read every failure once, tell defects from infrastructure, and fix their cause.",
                keys(checks),
            )),
            CiStanding::Unverified(checks) => Some(Decided::new(
                Action::VerifyCi,
                "Required checks ended neutral or skipped: find out why, then say so with --ci-neutral-ok NAME=REASON.",
                keys(checks),
            )),
            CiStanding::NoneUnverified => {
                let discarded = ci
                    .discarded_before_not_before
                    .iter()
                    .map(|check| check.key.clone());
                Some(Decided::new(
                    Action::VerifyNoCi,
                    "No check ran in this phase: verify triggers, draft state, rules and paths, then say so with \
                     --ci-none-ok REASON.",
                    discarded.collect(),
                ))
            }
            CiStanding::Pending => {
                let waiting = ci.pending.iter().map(|check| check.key.clone());
                let missing = ci.missing_required.iter().map(|name| format!("missing:{name}"));
                Some(Decided::new(
                    Action::WaitCi,
                    "CI is not finished; wait, and neither cancel nor repeat anything.",
                    waiting.chain(missing).collect(),
                ))
            }
            CiStanding::NoneVerified(_) | CiStanding::Passed => None,
        }
    }

    fn review(&self) -> Option<Decided> {
        let unseen = review::unseen(self.inputs);
        if !unseen.is_empty() {
            let message = "GitHub shows an open thread of the connector and does not list its comment yet: read again later.";
            return Some(Decided::new(Action::WaitReview, message, unseen));
        }
        if self.pass.is_some() {
            return None;
        }
        if let Some((why, evidence)) = review::request(self.inputs) {
            return Some(Decided::new(
                Action::RequestReview,
                format!("{why} Request one, as a comment of its own."),
                evidence,
            ));
        }
        let latest = self.inputs.sensor.snapshot.latest_observed.as_ref();
        let evidence = latest.map(|event| event.event_key.clone());
        Some(Decided::new(
            Action::WaitReview,
            "Nothing passes this head's review yet; wait for the connector and request nothing.",
            evidence.into_iter().collect(),
        ))
    }

    fn ready(&self) -> Decided {
        let evidence: Vec<String> = self
            .conditions
            .iter()
            .flat_map(|condition| condition.evidence.iter().cloned())
            .collect();
        let unmet = self.conditions.iter().find(|condition| !condition.holds);
        if self.inputs.sensor.run.reading.pull.is_draft {
            let message = "The draft passed: mark it ready, and go on with the review and CI of that phase.";
            return Decided::new(Action::MarkReady, message, evidence);
        }
        if let Some(unmet) = unmet {
            return Decided::new(Action::WaitReview, unmet.message.clone(), unmet.evidence.clone());
        }
        let pull = self.inputs.sensor.run.reading.pull;
        if is_conflicting(pull.mergeable.as_deref()) {
            let message = "All four conditions hold, and the head conflicts with its base: ask who resolves that. A push \
                           brings a new head, which wants its own review.";
            return Decided::new(Action::AskUser, message, vec!["pull".to_owned()]);
        }
        let head = &pull.head_ref_oid;
        let confirmed = self.inputs.previous.is_some_and(|previous| {
            let was_final = [Action::Confirm.as_str(), Action::ReadyToMerge.as_str()];
            was_final.contains(&previous.action.as_str()) && previous.head.as_ref() == Some(head)
        });
        if confirmed {
            let message =
                "Two readings agree on this head and all four conditions hold. Merging is the user's.";
            Decided::new(Action::ReadyToMerge, message, evidence)
        } else {
            let message = "All four conditions hold; read once more, with --previous and the file of this whole document, to confirm it on \
                 the same head.";
            Decided::new(Action::Confirm, message, evidence)
        }
    }
}

fn items_have(count: usize) -> String {
    match count {
        1 => "One open item has".to_owned(),
        _ => format!("{count} open items have"),
    }
}

fn conditions(
    inputs: &Inputs<'_, '_, '_>,
    open: &[&Placed],
    ci: &CiStanding<'_>,
    pass: Option<&Pass>,
) -> Vec<Condition> {
    let undecided = inputs
        .record
        .planned
        .iter()
        .filter(|planned| planned.outcome == Outcome::UserDecision);
    let mut unhandled: Vec<String> = open.iter().map(|placed| placed.item.item_key.clone()).collect();
    unhandled.extend(undecided.map(|planned| planned.key.clone()));
    unhandled.extend(review::unseen(inputs));
    unhandled.sort();
    unhandled.dedup();
    let handled = unhandled.is_empty();
    let all: Vec<String> = inputs
        .current()
        .map(|placed| placed.item.item_key.clone())
        .collect();
    let is_draft = inputs.sensor.run.reading.pull.is_draft;
    let passed: Vec<String> = pass.map(|pass| pass.name.clone()).into_iter().collect();
    let snapshot = &inputs.sensor.snapshot;
    let phase: Vec<String> = snapshot
        .phase_sources
        .iter()
        .map(|source| source.event_key.clone())
        .collect();
    let (ci_holds, ci_message) = match ci {
        CiStanding::Passed => (true, "CI passed.".to_owned()),
        CiStanding::NoneVerified(reason) => (true, format!("It is meant that there is no CI: {reason}")),
        CiStanding::Failing(_) => (false, "CI fails.".to_owned()),
        CiStanding::Unverified(_) => (false, "Required checks ended neutral or skipped.".to_owned()),
        CiStanding::NoneUnverified => (false, "No check ran in this phase.".to_owned()),
        CiStanding::Pending => (false, "CI is not finished.".to_owned()),
    };
    vec![
        Condition {
            number: 1,
            holds: handled,
            message: if handled {
                "Every item on this head is fixed or rebutted.".to_owned()
            } else {
                "Items on this head, or decisions of the user, are open, or cannot be seen yet.".to_owned()
            },
            evidence: if handled { all } else { unhandled },
        },
        Condition {
            number: 2,
            holds: pass.is_some(),
            message: pass.map_or_else(
                || "Nothing passes the review of this phase.".to_owned(),
                |pass| format!("The review of this phase is passed by {}.", pass.how),
            ),
            evidence: passed.clone(),
        },
        Condition {
            number: 3,
            holds: !is_draft && pass.is_some(),
            message: match (is_draft, pass.is_some()) {
                (true, _) => "It is a draft.".to_owned(),
                (false, false) => "The phase since it is ready has not passed.".to_owned(),
                (false, true) => "It is no draft, and the phase since it is ready passed.".to_owned(),
            },
            evidence: phase.into_iter().chain(passed).collect(),
        },
        Condition {
            number: 4,
            holds: ci_holds,
            message: ci_message,
            evidence: snapshot.ci.checks.iter().map(|check| check.key.clone()).collect(),
        },
    ]
}

#[cfg(test)]
mod tests;
