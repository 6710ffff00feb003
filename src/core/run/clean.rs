//! The `clean` rows of the state machine: a signal, and everything that may stand against it.

use super::attribution::{Outcome, Owner};
use super::candidate::{Candidate, ResolutionKind};
use super::findings::later;
use super::{CleanProof, Run, indeterminate};
use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::evidence::observed::Timestamp;
use crate::finding::{FindingSurface, lagging_roots};
use crate::reading::{CommentReading, NamedCommit, Role, lane_of};
use crate::reason::{Reason, ReasonCode};

/// Whether the run is clean, and if a clean signal does not suffice, why.
pub(super) enum Signal {
    /// Nothing says clean.
    None,
    /// Something does, but it proves nothing.
    Blocked(Vec<Reason>),
    /// Clean.
    Proven {
        /// By what.
        by: CleanProof,
        /// In words.
        reason: Reason,
    },
}

/// Looks for a clean signal of the newest trigger and holds everything else against it.
pub(super) fn proof(run: &Run<'_>, newest: &Candidate<'_>) -> Signal {
    let eyes = newest.reactions.eyes.as_ref().map(|(at, _)| *at);
    let after_eyes = |at: Timestamp| eyes.is_none_or(|eyes| at > eyes);
    let mut signals = Vec::new();
    // eyes that are not older say that the connector looks again; what it saw before proves nothing then, also when a
    // notice or a failure broke the new look off.
    if let Some((at, name)) = newest
        .reactions
        .plus_one
        .as_ref()
        .filter(|(at, _)| after_eyes(*at))
    {
        signals.push(CleanProof::Reaction {
            name: name.clone(),
            at: *at,
        });
    }
    let mut no_findings = run
        .results
        .iter()
        .filter(|result| result.outcome == Outcome::NoFindings);
    if let Some(resolution) = &newest.resolution
        && resolution.kind == ResolutionKind::Result
        && no_findings
            .clone()
            .any(|result| result.name == resolution.evidence)
        && no_findings.any(|result| after_eyes(result.at))
    {
        signals.push(CleanProof::Result {
            name: resolution.evidence.clone(),
            at: resolution.at,
        });
    }
    let overlapped = overlapping_signal(run, newest);
    if signals.is_empty() && overlapped.is_none() {
        return Signal::None;
    }
    let mut against = Vec::new();
    against.extend(others_unresolved(run, newest).or(overlapped));
    against.extend(indeterminate::edited_failure(run, newest));
    against.extend(edited_answers(run));
    against.extend(unproven_answers(run));
    against.extend(indeterminate::lagging(run, Some(newest)));
    against.extend(indeterminate::unthreaded(run, newest));
    against.extend(indeterminate::unclear(run, newest));
    against.extend(unbound_findings(run, newest));
    against.extend(unbound_reviews(run));
    against.extend(unresolved_answers(run, newest));
    against.extend(open_threads(run, newest));
    if !against.is_empty() {
        return Signal::Blocked(against);
    }
    let last_finding = last_finding(run, newest);
    let proven = signals.into_iter().find(|signal| {
        last_finding
            .as_ref()
            .is_none_or(|(finding, _)| signal.at() > *finding)
    });
    match (proven, last_finding) {
        (Some(by), _) => {
            let reason = match &by {
                CleanProof::Reaction { name, .. } => Reason::new(
                    ReasonCode::CleanReaction,
                    "The connector gave the newest trigger a +1, and nothing stands against it.",
                    vec![name.clone(), newest.name.clone()],
                ),
                CleanProof::Result { name, .. } => Reason::new(
                    ReasonCode::CleanReviewResult,
                    "The connector reported no findings for this head in answer to the newest trigger.",
                    vec![name.clone(), newest.name.clone()],
                ),
            };
            Signal::Proven { by, reason }
        }
        (None, Some((_, names))) => Signal::Blocked(vec![Reason::new(
            ReasonCode::FindingsResolved,
            "The findings of this run are addressed, and the connector has said nothing new since.",
            names,
        )]),
        (None, None) => Signal::None,
    }
}

/// Two or more triggers were unanswered when a clean result came, or a +1 answered another one of two triggers that
/// were open together.
fn overlapping_signal(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let ambiguous = run.results.iter().find_map(|result| match &result.owner {
        Owner::Ambiguous(owners) if owners.contains(&newest.name) && newest.resolution.is_none() => {
            Some((result.name.clone(), owners.clone()))
        }
        Owner::Ambiguous(_) | Owner::Candidate(_) | Owner::Nobody | Owner::SameTime(_) => None,
    });
    if let Some((name, mut owners)) = ambiguous {
        owners.push(name);
        return Some(overlap(owners));
    }
    let other = run.candidates.all.iter().find(|other| {
        other.on_head()
            && other.name != newest.name
            && newest.resolution.is_none()
            && other
                .reactions
                .plus_one
                .as_ref()
                .is_some_and(|(at, _)| *at > newest.order.at)
    })?;
    Some(overlap(vec![other.name.clone(), newest.name.clone()]))
}

fn others_unresolved(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let mut names: Vec<_> = run
        .candidates
        .unresolved()
        .filter(|one| one.name != newest.name)
        .map(|one| one.name.clone())
        .collect();
    if names.is_empty() {
        return None;
    }
    names.push(newest.name.clone());
    Some(overlap(names))
}

pub(super) fn overlap(names: Vec<crate::evidence::name::EvidenceName>) -> Reason {
    let message =
        "More than one trigger of this head is unanswered, so no answer can be attributed to one of them.";
    Reason::new(ReasonCode::OverlappingTriggers, message, names)
}

/// The first trigger of this head, where there are several.
fn several_on_head<'r, 'e>(run: &'r Run<'e>) -> Option<&'r Candidate<'e>> {
    let mut here = run.candidates.all.iter().filter(|one| one.on_head());
    here.next().zip(here.next()).map(|(first, _)| first)
}

/// Texts of nobody known that may have answered the first of several triggers.
fn unproven_answers(run: &Run<'_>) -> Option<Reason> {
    let first = several_on_head(run)?;
    let names = indeterminate::unproven_speakers(&run.reading, Some(first.order));
    let message = "The author of a text that may have answered one of several triggers is unknown.";
    (!names.is_empty()).then(|| Reason::new(ReasonCode::IdentityMismatch, message, names))
}

/// No-findings texts that prove nothing since somebody else edited them, or may have: where several triggers were
/// posted each may have answered one, and then what came later answered another one.
fn edited_answers(run: &Run<'_>) -> Option<Reason> {
    let first = several_on_head(run)?;
    let says_clean = |meaning: &Meaning| matches!(meaning, Meaning::NoFindings { lane: Lane::Code });
    let reading = &run.reading;
    let comments = reading.comments.iter().filter_map(|one| {
        let Role::Connector { meaning, commit } = &one.role else {
            return None;
        };
        let later = first.precedes(one.order);
        let intact = reading.comment_edited(one.comment).is_intact();
        (says_clean(meaning) && *commit == NamedCommit::Head && later && !intact).then(|| one.name.clone())
    });
    let reviews = reading.reviews.iter().filter_map(|one| {
        let later = one.at.is_none_or(|at| at >= first.order.at);
        let answers = one.identity == Identity::Connector && says_clean(&one.meaning) && one.roots == 0;
        let intact = reading.review_edited(one.review).is_intact();
        (answers && one.commit == NamedCommit::Head && later && !intact).then(|| one.name.clone())
    });
    let names: Vec<_> = comments.chain(reviews).collect();
    if names.is_empty() {
        return None;
    }
    let message = "A text that may have answered one of several triggers was edited by somebody else, or its edits could not be looked up.";
    Some(Reason::new(ReasonCode::EvidenceEdited, message, names))
}

/// Findings that name no commit, or more than one: they may be this head's.
pub(super) fn unbound_findings(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let unbound = run
        .findings
        .iter()
        .filter(|finding| finding.surface != FindingSurface::Thread);
    indeterminate::unbound(unbound.filter(|finding| later(finding, newest)))
}

/// Reviews of no known commit since the first trigger of this head: each may have answered one of them.
pub(super) fn unbound_reviews(run: &Run<'_>) -> Option<Reason> {
    let first = run.candidates.all.iter().find(|one| one.on_head())?.order.at;
    let names: Vec<_> = run
        .reading
        .reviews
        .iter()
        .filter(|one| one.identity == Identity::Connector && lane_of(&one.meaning) == Lane::Code)
        .filter(|one| one.at.is_none_or(|at| at >= first))
        .filter(|one| match one.commit {
            NamedCommit::None | NamedCommit::Unresolved(_) => true,
            NamedCommit::Head | NamedCommit::Other(_) | NamedCommit::Ambiguous(_) => false,
        })
        .map(|one| one.name.clone())
        .collect();
    if names.is_empty() {
        return None;
    }
    let message = "A review of the connector names no commit, or one that GitHub does not resolve.";
    Some(Reason::new(ReasonCode::CommitUnresolved, message, names))
}

/// Comments that begin their commit as the head does, while nothing resolves it: where several triggers were posted
/// each may have answered one, and then what came later answered another one. A finding after the newest trigger is
/// told with the unbound findings.
fn unresolved_answers(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let first = several_on_head(run)?;
    let answers = |one: &&CommentReading<'_>| match &one.role {
        Role::Connector {
            meaning: Meaning::NoFindings { lane: Lane::Code },
            commit: NamedCommit::Unresolved(_),
        } => true,
        Role::Connector {
            meaning: Meaning::Findings { lane: Lane::Code, .. },
            commit: NamedCommit::Unresolved(_),
        } => !newest.precedes(one.order),
        Role::Connector { .. } | Role::Addressed { .. } | Role::Bystander => false,
    };
    let comments = run.reading.comments.iter().filter(answers);
    let names: Vec<_> = comments
        .filter(|one| first.precedes(one.order))
        .map(|one| one.name.clone())
        .collect();
    if names.is_empty() {
        return None;
    }
    let message =
        "A text that may have answered one of several triggers names a commit that GitHub does not resolve.";
    Some(Reason::new(ReasonCode::CommitUnresolved, message, names))
}

/// Threads of the connector that are unresolved and not outdated, of whatever head: they block clean.
fn open_threads(run: &Run<'_>, newest: &Candidate<'_>) -> Vec<Reason> {
    let mut earlier = Vec::new();
    let mut elsewhere = Vec::new();
    for thread in run
        .reading
        .threads
        .iter()
        .filter(|one| indeterminate::may_be_open(run, one))
    {
        match thread.at {
            Some(at) if at > newest.order.at => elsewhere.push(thread.name.clone()),
            Some(_) | None => earlier.push(thread.name.clone()),
        }
    }
    // An inline comment of the connector whose thread is not visible: nobody can say that it is resolved.
    let roots = lagging_roots(&run.reading).into_iter();
    let roots = roots.filter(|root| root.at().is_none_or(|at| at < newest.order.at));
    earlier.extend(roots.map(|root| root.name()));
    let mut reasons = Vec::new();
    if !earlier.is_empty() {
        reasons.push(Reason::new(
            ReasonCode::EarlierThreadUnresolved,
            "Threads of the connector from before the newest trigger are still unresolved.",
            earlier,
        ));
    }
    if !elsewhere.is_empty() {
        reasons.push(Reason::new(
            ReasonCode::ResultForOtherHead,
            "An unresolved thread that is later than the newest trigger was opened for another commit.",
            elsewhere,
        ));
    }
    reasons
}

/// The newest finding of this run, addressed or not: a clean signal counts only when it is strictly later.
fn last_finding(
    run: &Run<'_>,
    newest: &Candidate<'_>,
) -> Option<(Timestamp, Vec<crate::evidence::name::EvidenceName>)> {
    let of_run: Vec<_> = run
        .findings
        .iter()
        .filter(|finding| finding.on_head() && later(finding, newest))
        .filter_map(|finding| finding.at.map(|at| (at, finding.name.clone())))
        .collect();
    let last = of_run.iter().map(|(at, _)| *at).max()?;
    Some((last, of_run.into_iter().map(|(_, name)| name).collect()))
}
