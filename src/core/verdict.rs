//! The headline verdict of `status`, `list` and `watch`: run, gate, result and summary in one word.
//!
//! The run protocol accepts only what is bound to a trigger; an automatic review has none. The headline joins both
//! protocols, first row first, so that whoever reads only it is never told clean while either shows a finding.

use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::summary::RowStatus;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::reaction::ReactionContent;
use crate::gate::approval::{NewestFinding, later_than, newest_finding};
use crate::gate::blockers::{Blocker, BlockerCode};
use crate::gate::{Gate, GateState, WaitingReason, earlier_head};
use crate::reading::{EditState, NamedCommit, Role};
use crate::reason::{NextAction, Reason, ReasonCode, words};
use crate::run::attribution::review_outcome;
use crate::run::candidate::{Reactions, ResolutionKind};
use crate::run::{CleanProof, Run, RunState, StateWord, attribution, indeterminate};

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

/// Something that says clean.
struct CleanSignal {
    by: VerdictBy,
    at: Timestamp,
    reason: Reason,
}

/// Something that says that a review is going on.
struct Progress {
    by: VerdictBy,
    /// None when GitHub gave no usable time: then it counts as later than everything.
    at: Option<Timestamp>,
    reason: Reason,
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
                    reasons_of(&[closed]),
                )
            };
        }
        if let Some(findings) = findings(run, gate) {
            return findings;
        }
        let clean = clean_signals(run, gate);
        let progress = progress(run, gate);
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
        if let Some(reason) = failed_row(run) {
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

    /// Clean by whatever signal holds: later than every finding, no later unanswered trigger, no blocker.
    fn clean(run: &Run<'_>, gate: &Gate, signals: &[CleanSignal]) -> Option<Self> {
        if !gate.blockers.is_empty() {
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
        for reason in reasons_of(&blockers) {
            if !of_run.iter().any(|known| known.code == reason.code) {
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
        for reason in reasons_of(&blocking) {
            let told = |name: &EvidenceName| {
                reasons
                    .iter()
                    .any(|known: &Reason| known.code == reason.code && known.evidence.contains(name))
            };
            if !reason.evidence.iter().all(told) {
                reasons.push(reason);
            }
        }
    }
    Some(Verdict::new(StateWord::Findings, by, reasons))
}

/// One reason a code, with the evidence of all its blockers.
fn reasons_of(blockers: &[&Blocker]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    let mut counts: Vec<usize> = Vec::new();
    for blocker in blockers {
        let code = blocker.code.reason();
        let name = match &blocker.by {
            crate::gate::blockers::BlockedBy::Item(name) => Some(name.clone()),
            crate::gate::blockers::BlockedBy::Surface(_) => None,
        };
        match reasons
            .iter_mut()
            .zip(&mut counts)
            .find(|(known, _)| known.code == code)
        {
            Some((known, count)) => {
                known.evidence.extend(name);
                *count = count.saturating_add(1);
                known.message = several(blocker.code, *count);
            }
            None => {
                let message = if blocker.code.is_finding() {
                    several(blocker.code, 1)
                } else {
                    blocker.message.clone()
                };
                reasons.push(Reason::new(code, message, name.into_iter().collect()));
                counts.push(1);
            }
        }
    }
    reasons
}

fn several(code: BlockerCode, count: usize) -> String {
    let plural = |one: &str, many: &str| {
        let noun = if count == 1 { one } else { many };
        format!("{count} {noun}")
    };
    match code {
        BlockerCode::FindingThread => {
            format!("The connector has {}.", plural("open thread", "open threads"))
        }
        BlockerCode::FindingComment => format!(
            "The connector left {}.",
            plural("finding comment", "finding comments")
        ),
        BlockerCode::FindingReviewBody | BlockerCode::ChangesRequested => {
            "The connector's newest review of this head is not addressed.".to_owned()
        }
        BlockerCode::CodexThread => format!(
            "The connector wrote in {} that somebody else began.",
            plural("open thread", "open threads")
        ),
        BlockerCode::UnclearResult => format!(
            "{} not certain to be clean or a finding; read and judge.",
            plural("text of the connector is", "texts of the connector are")
        ),
        BlockerCode::InlineCommentsLagging => {
            "GitHub does not show every inline comment or thread yet; read again.".to_owned()
        }
        BlockerCode::IncompleteSurface => format!("{count} surfaces were not read to their end."),
        BlockerCode::PullClosed => "The pull request is not open.".to_owned(),
    }
}

fn clean_signals(run: &Run<'_>, gate: &Gate) -> Vec<CleanSignal> {
    let mut signals = Vec::new();
    if let RunState::Clean { by } = &run.state {
        let (CleanProof::Reaction { at, .. } | CleanProof::Result { at, .. }) = by;
        if let Some(reason) = run.reasons.first() {
            signals.push(CleanSignal {
                by: VerdictBy::Run,
                at: *at,
                reason: reason.clone(),
            });
        }
    }
    if let GateState::Approved(approval) = &gate.state {
        let message = "The connector gave this head a thumbs-up, and nothing stands against it.";
        signals.push(CleanSignal {
            by: VerdictBy::Gate,
            at: approval.at,
            reason: Reason::new(
                ReasonCode::CleanReaction,
                message,
                vec![approval.reaction.clone(), approval.on.clone()],
            ),
        });
    }
    if run.candidates.unresolved().next().is_none()
        && let Some((at, name)) = newest_clean_result(run)
    {
        let message = "The connector reported no findings for exactly this head.";
        signals.push(CleanSignal {
            by: VerdictBy::Result,
            at,
            reason: Reason::new(ReasonCode::CleanReviewResult, message, vec![name]),
        });
    }
    signals
}

/// The newest code-lane no-findings text that names this head and is later than its arrival.
fn newest_clean_result(run: &Run<'_>) -> Option<(Timestamp, EvidenceName)> {
    let reading = &run.reading;
    let comments = reading.comments.iter().filter_map(|one| {
        let Role::Connector {
            meaning: Meaning::NoFindings { lane: Lane::Code },
            commit: NamedCommit::Head,
        } = &one.role
        else {
            return None;
        };
        let intact = match reading.comment_edited(one.comment) {
            EditState::Unedited | EditState::ByConnector => true,
            EditState::ByOther | EditState::Unknown => false,
        };
        let order = one.order.filter(|_| intact)?;
        Some((order.at, one.name.clone()))
    });
    let reviews = reading.reviews.iter().filter_map(|one| {
        let says_clean = one.identity == Identity::Connector
            && one.review.state != crate::evidence::review::ReviewState::Dismissed
            && review_outcome(reading, one) == Some(attribution::Outcome::NoFindings);
        one.at.filter(|_| says_clean).map(|at| (at, one.name.clone()))
    });
    comments
        .chain(reviews)
        .filter(|(at, name)| is_after_arrival(run, *at, name))
        .max()
}

/// Later than every recorded movement to this head, and than its first sighting, unless that is the text itself.
fn is_after_arrival(run: &Run<'_>, at: Timestamp, name: &EvidenceName) -> bool {
    let head = &run.reading.pull.head_ref_oid;
    let moved = run
        .history
        .movements()
        .iter()
        .filter(|movement| movement.to.as_ref() == Some(head))
        .all(|movement| at > movement.at);
    let sighted = run
        .history
        .first_sighting()
        .is_none_or(|first| first.name == *name || at > first.at);
    moved && sighted
}

/// Every sign that a review of this head is going on.
fn progress(run: &Run<'_>, gate: &Gate) -> Vec<Progress> {
    let mut signs = Vec::new();
    let surfaces = &run.reading.evidence.surfaces;
    let body = Reactions::of(&run.reading.reactions(surfaces.body_reactions.items()));
    if let Some((at, name)) = body.eyes
        && body_eyes_are_fresh(run, gate, at)
    {
        let message = "The connector's eyes on the description say that it is reviewing.";
        signs.push(Progress {
            by: VerdictBy::Gate,
            at: Some(at),
            reason: Reason::new(ReasonCode::Acknowledged, message, vec![name, EvidenceName::Pull]),
        });
    }
    if let Some(newest) = run.candidates.newest_on_head()
        && let Some((at, name)) = &newest.reactions.eyes
    {
        let message = "The connector acknowledged the newest trigger and has not answered since.";
        signs.push(Progress {
            by: VerdictBy::Run,
            at: Some(*at),
            reason: Reason::new(
                ReasonCode::Acknowledged,
                message,
                vec![name.clone(), newest.name.clone()],
            ),
        });
    }
    if let Some((name, RowStatus::Running, at)) = indeterminate::newest_row(run) {
        let message = "The summary comment says that the review of this head is running.";
        signs.push(Progress {
            by: VerdictBy::Summary,
            at,
            reason: Reason::new(ReasonCode::SummaryRunning, message, vec![name]),
        });
    }
    signs
}

/// Without a timestamped check the head's arrival stands in for the lower bound: eyes only ever delay.
fn body_eyes_are_fresh(run: &Run<'_>, gate: &Gate, at: Timestamp) -> bool {
    let arrived =
        gate.bound.checks_started.is_some() || earlier_head::arrival(run).is_none_or(|arrival| at >= arrival);
    gate.bound.is_fresh_on_body(at) && arrived
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
        for sign in signs.iter().filter(|sign| !is_spent(run, gate, sign)) {
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

/// Whether the review that a sign announces has ended since: by a +1, a result, a failure or a refusal.
fn is_spent(run: &Run<'_>, gate: &Gate, sign: &Progress) -> bool {
    let Some(at) = sign.at else { return false };
    let result = run.results.iter().any(|result| result.at > at);
    let plus_one = gate.signals.approval.as_ref().is_some_and(|one| one.at > at);
    let body = Reactions::of(
        &run.reading
            .reactions(run.reading.evidence.surfaces.body_reactions.items()),
    );
    let body_plus_one = body
        .plus_one
        .is_some_and(|(plus_one, _)| plus_one > at && gate.bound.is_fresh_on_body(plus_one));
    let answered = run.candidates.newest_on_head().is_some_and(|newest| {
        newest
            .resolution
            .as_ref()
            .is_some_and(|resolution| match resolution.kind {
                ResolutionKind::Reaction
                | ResolutionKind::Result
                | ResolutionKind::Failure
                | ResolutionKind::Refused
                | ResolutionKind::Abandoned => resolution.at > at,
            })
    });
    result || plus_one || body_plus_one || answered
}

/// The newest code-lane row for this head when it says that the review failed and the connector has been silent since.
fn failed_row(run: &Run<'_>) -> Option<Reason> {
    let (name, RowStatus::Failed, Some(at)) = indeterminate::newest_row(run)? else {
        return None;
    };
    if connector_spoke_after(run, at, &name) {
        return None;
    }
    Some(Reason::new(
        ReasonCode::SummaryFailed,
        "The summary comment says that the review of this head failed, and the connector has been silent since.",
        vec![name],
    ))
}

fn connector_spoke_after(run: &Run<'_>, at: Timestamp, summary: &EvidenceName) -> bool {
    let reading = &run.reading;
    let later = |time: Option<Timestamp>| time.is_none_or(|time| time > at);
    let comments = reading.comments.iter().any(|one| match &one.role {
        Role::Connector { meaning, .. } => {
            one.name != *summary
                && !matches!(meaning, Meaning::Summary { .. })
                && later(one.comment.created_at.get())
        }
        Role::Addressed { .. } | Role::Bystander => false,
    });
    let reviews = reading
        .reviews
        .iter()
        .any(|one| one.identity == Identity::Connector && later(one.at));
    let threads = reading.threads.iter().any(|one| {
        let strict = reading.options.strict_identity;
        one.thread.comments.iter().any(|comment| {
            let identity = crate::bot::identity::identify(
                comment.author.as_ref(),
                crate::bot::identity::IdentitySurface::GraphQl,
                strict,
            );
            identity.identity == Identity::Connector && later(comment.created_at.get())
        })
    });
    let surfaces = &reading.evidence.surfaces;
    let reactions = std::iter::once(&surfaces.body_reactions)
        .chain(surfaces.comment_reactions.values())
        .any(|surface| {
            reading.reactions(surface.items()).iter().any(|reaction| {
                let speaks = match reaction.content {
                    ReactionContent::PlusOne | ReactionContent::Eyes => true,
                    ReactionContent::Other(_) | ReactionContent::Missing => false,
                };
                speaks && reaction.identity == Identity::Connector && later(reaction.at)
            })
        });
    comments || reviews || threads || reactions
}

#[cfg(test)]
mod tests;
