//! The headline verdict of `status`, `list` and `watch`: run, gate, result and summary in one word.
//!
//! The run protocol accepts only what is bound to a trigger; an automatic review has none. The headline joins both
//! protocols, first row first, so that whoever reads only it is never told clean while either shows a finding.

use std::collections::BTreeSet;

use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::gate::approval::{NewestFinding, later_than, newest_finding};
use crate::gate::blockers::{Blocker, BlockerCode};
use crate::gate::{Gate, GateState, WaitingReason};
use crate::reason::{NextAction, Reason, ReasonCode, words};
use crate::run::{Run, RunState, StateWord};

mod reasons;
pub(crate) mod signals;

use signals::{CleanSignal, Progress};

words! {
    /// What a headline rests on.
    VerdictBy {
        /// The review run.
        Run = "run",
        /// The merge gate.
        Gate = "gate",
        /// A no-findings result that names this head, without a trigger.
        Result = "result",
        /// The connector's summary comment.
        Summary = "summary",
    }
}

/// The headline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// One of the six words.
    pub state: StateWord,
    /// What it rests on.
    pub by: Vec<VerdictBy>,
    /// Why; never empty, the decisive one first.
    pub reasons: Vec<Reason>,
    /// What to do next: it follows the first reason.
    pub next: NextAction,
    /// When the newest clean signal was given, of a clean headline.
    pub clean_since: Option<Timestamp>,
}

impl Verdict {
    /// Joins the run and the gate of the same evidence.
    pub fn of(run: &Run<'_>, gate: &Gate) -> Self {
        if let Some(closed) = gate
            .blockers
            .iter()
            .find(|blocker| blocker.code == BlockerCode::PullClosed)
        {
            let of_run = run.reasons.first().map(|reason| reason.code) == Some(ReasonCode::PullClosed);
            return if of_run {
                Self::new(
                    StateWord::Indeterminate,
                    vec![VerdictBy::Run],
                    run.reasons.clone(),
                )
            } else {
                Self::new(
                    StateWord::Indeterminate,
                    vec![VerdictBy::Gate],
                    reasons::of(&[closed]),
                )
            };
        }
        if let Some(findings) = findings(run, gate) {
            return findings;
        }
        let clean = signals::clean(run, gate);
        let progress = signals::progress(run, gate);
        if let Some(newest) = clean.iter().map(|signal| signal.at).max()
            && let Some(later) = progress.iter().find(|sign| sign.at.is_none_or(|at| at > newest))
        {
            return Self::new(StateWord::InProgress, vec![later.by], vec![later.reason.clone()]);
        }
        if let Some(clean) = Self::clean(run, gate, &clean) {
            return clean;
        }
        if let RunState::Failed(_) = run.state {
            let mut failed = Self::new(StateWord::Failed, vec![VerdictBy::Run], run.reasons.clone());
            failed.next = run.next();
            return failed;
        }
        if let Some(reason) = signals::failed_row(run) {
            return Self::new(StateWord::Failed, vec![VerdictBy::Summary], vec![reason]);
        }
        if let Some(in_progress) = in_progress(run, gate, &progress, clean.is_empty()) {
            return in_progress;
        }
        if run.state == RunState::Stale {
            return Self::new(StateWord::Stale, vec![VerdictBy::Run], run.reasons.clone());
        }
        Self::indeterminate(run, gate)
    }

    fn new(state: StateWord, by: Vec<VerdictBy>, reasons: Vec<Reason>) -> Self {
        let next = reasons
            .first()
            .map_or(NextAction::AskUser, |reason| reason.code.next());
        Self {
            state,
            by,
            reasons,
            next,
            clean_since: None,
        }
    }

    /// Clean by whatever signal holds: later than every finding, no later unanswered trigger, no blocker, and no finding
    /// that the run would tell if its commit were known.
    fn clean(run: &Run<'_>, gate: &Gate, signals: &[CleanSignal]) -> Option<Self> {
        if !gate.blockers.is_empty() || run.unbound_findings().is_some() {
            return None;
        }
        let finding: NewestFinding = newest_finding(run);
        let holding: Vec<&CleanSignal> = signals
            .iter()
            .filter(|signal| later_than(signal.at, finding))
            .filter(|signal| {
                let mut open = run.candidates.unresolved();
                !open.any(|candidate| candidate.order.at >= signal.at)
            })
            .collect();
        let newest = holding.iter().map(|signal| signal.at).max()?;
        let mut by: Vec<VerdictBy> = holding.iter().map(|signal| signal.by).collect();
        by.sort();
        by.dedup();
        let reasons = holding.iter().map(|signal| signal.reason.clone()).collect();
        let mut verdict = Self::new(StateWord::Clean, by, reasons);
        verdict.clean_since = Some(newest);
        Some(verdict)
    }

    /// The run's reasons, led by what blocks the gate: an answer there would decide it.
    fn indeterminate(run: &Run<'_>, gate: &Gate) -> Self {
        let blockers: Vec<&Blocker> = gate.blockers.iter().collect();
        let mut by = Vec::new();
        let mut reasons = Vec::new();
        let of_run = match &run.state {
            RunState::Indeterminate => run.reasons.clone(),
            // A clean run that the gate blocks, or a clean signal that an older finding outlives.
            RunState::Clean { .. }
            | RunState::InProgress { .. }
            | RunState::Failed(_)
            | RunState::Stale
            | RunState::Findings => Vec::new(),
        };
        for reason in reasons::of(&blockers) {
            let told = |known: &Reason| {
                let evidence = &reason.evidence;
                known.code == reason.code
                    || !evidence.is_empty() && evidence.iter().all(|name| known.evidence.contains(name))
            };
            if !of_run.iter().any(told) {
                reasons.push(reason);
            }
        }
        if !reasons.is_empty() {
            by.push(VerdictBy::Gate);
        }
        if !of_run.is_empty() {
            by.push(VerdictBy::Run);
        }
        reasons.extend(of_run);
        if reasons.is_empty() {
            let message =
                "Nothing the connector said since its last finding or the newest trigger says clean.";
            reasons.push(Reason::new(ReasonCode::NoTerminalOutput, message, Vec::new()));
            by.push(VerdictBy::Run);
        }
        Self::new(StateWord::Indeterminate, by, reasons)
    }
}

fn findings(run: &Run<'_>, gate: &Gate) -> Option<Verdict> {
    let by_run = run.state == RunState::Findings;
    let blocking: Vec<&Blocker> = gate
        .blockers
        .iter()
        .filter(|blocker| blocker.code.is_finding())
        .collect();
    if !by_run && blocking.is_empty() {
        return None;
    }
    let mut by = Vec::new();
    let mut reasons = Vec::new();
    if by_run {
        by.push(VerdictBy::Run);
        reasons.extend(run.reasons.iter().cloned());
    }
    if !blocking.is_empty() {
        by.push(VerdictBy::Gate);
        let told: BTreeSet<(ReasonCode, EvidenceName)> = reasons
            .iter()
            .flat_map(|known: &Reason| known.evidence.iter().map(|name| (known.code, name.clone())))
            .collect();
        reasons.extend(reasons::of(&blocking).into_iter().filter(|reason| {
            let mut names = reason.evidence.iter();
            !names.all(|name| told.contains(&(reason.code, name.clone())))
        }));
    }
    Some(Verdict::new(StateWord::Findings, by, reasons))
}

fn in_progress(run: &Run<'_>, gate: &Gate, signs: &[Progress], nothing_clean: bool) -> Option<Verdict> {
    let mut by = Vec::new();
    let mut reasons = Vec::new();
    if let RunState::InProgress { .. } = run.state {
        by.push(VerdictBy::Run);
        reasons.extend(run.reasons.iter().cloned());
    }
    if let GateState::Waiting(waiting) = &gate.state
        && waiting.reason == WaitingReason::Reviewing
    {
        by.push(VerdictBy::Gate);
        if reasons.is_empty() {
            reasons.push(Reason::new(
                ReasonCode::Acknowledged,
                waiting.message.clone(),
                waiting.evidence.iter().cloned().collect(),
            ));
        }
    }
    if nothing_clean {
        for sign in signs.iter().filter(|sign| !signals::is_spent(run, gate, sign)) {
            if !by.contains(&sign.by) {
                by.push(sign.by);
                reasons.push(sign.reason.clone());
            }
        }
    }
    if by.is_empty() {
        return None;
    }
    by.sort();
    by.dedup();
    Some(Verdict::new(StateWord::InProgress, by, reasons))
}

#[cfg(test)]
mod tests;
