//! Everything that leaves a run indeterminate, each with its code.

use super::Run;
use super::attribution::{Attributed, Outcome, Owner, refuses};
use super::candidate::{Candidate, ResolutionKind};
use super::clean::overlap;
use super::findings::later;
use crate::bot::commits::{self, LabelledCommit};
use crate::bot::findings as texts;
use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::summary::RowStatus;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::review::ReviewState;
use crate::finding::{Finding, lagging_roots};
use crate::reading::{
    CommentOrder, CommentReading, EditState, NamedCommit, Reading, ReviewReading, Role, ThreadReading,
    is_candidate_form, lane_of,
};
use crate::reason::{Reason, ReasonCode};

/// How long inline comments may lag behind their review before nobody waits for them, in minutes.
const LAG_MINUTES: i64 = 30;

/// What forbids any decision about the newest trigger: unusable items, unknown authors, no order, no head.
pub(super) fn untrusted(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    if let Some(reason) = malformed(run) {
        return Some(reason);
    }
    if let Some(reason) = malformed_reaction(newest) {
        return Some(reason);
    }
    identity_mismatch(run, Some(newest))
        .or_else(|| unproven_head(run))
        .or_else(|| same_time(run, newest))
}

/// Items of the connector or in trigger form without a usable time, id or text.
pub(super) fn malformed(run: &Run<'_>) -> Option<Reason> {
    let (_, cause) = run.reading.malformed.first()?;
    let names = run
        .reading
        .malformed
        .iter()
        .map(|(name, _)| name.clone())
        .collect();
    let message = format!("An item of the connector cannot be ordered or read: {cause}.");
    Some(Reason::new(ReasonCode::MalformedEvidence, message, names))
}

/// Reactions of the connector on a trigger that cannot be read or ordered.
pub(super) fn malformed_reaction(newest: &Candidate<'_>) -> Option<Reason> {
    let names = newest.reactions.malformed.clone();
    if names.is_empty() {
        return None;
    }
    let message = "A reaction of the connector on the newest trigger cannot be ordered or says nothing.";
    Some(Reason::new(ReasonCode::MalformedEvidence, message, names))
}

/// Candidates of which nothing proves for which head they were posted.
pub(super) fn unproven_head(run: &Run<'_>) -> Option<Reason> {
    use crate::head::BindingStatus;
    let names: Vec<_> = run
        .candidates
        .all
        .iter()
        .filter(|one| one.binding.status == BindingStatus::Unproven && one.resolution.is_none())
        .map(|one| one.name.clone())
        .collect();
    let newest_unproven = run
        .candidates
        .newest_on_head()
        .filter(|newest| newest.binding.status == BindingStatus::Unproven)
        .map(|newest| newest.name.clone());
    let names = match newest_unproven {
        Some(newest) if !names.contains(&newest) => vec![newest],
        Some(_) => names,
        None => return None,
    };
    Some(Reason::new(
        ReasonCode::TriggerHeadUnproven,
        "Nothing on GitHub proves which head the newest trigger was posted for.",
        names,
    ))
}

/// An author that is missing, or bears exactly the connector's login with another type, on a signal that could
/// matter: later than the newest trigger or without order, or attached to it.
pub(super) fn identity_mismatch(run: &Run<'_>, newest: Option<&Candidate<'_>>) -> Option<Reason> {
    let mut names = Vec::new();
    if let Some(newest) = newest {
        names.extend(newest.reactions.doubtful.iter().cloned());
        names.extend(
            Some(newest)
                .filter(|one| one.may_be_bot)
                .map(|one| one.name.clone()),
        );
    }
    let since = newest.map(|newest| newest.order);
    let later = |comment: &&CommentReading<'_>| match (comment.order, since) {
        (Some(order), Some(since)) => order >= since,
        (None, _) | (_, None) => true,
    };
    let comments = run.reading.comments.iter().filter(|one| doubtful(one.identity));
    names.extend(
        comments
            .filter(later)
            .filter(|one| asks(one) || speaks(one) || looks_like_result(one.comment.body.text()))
            .map(|one| one.name.clone()),
    );
    names.extend(doubtful_reviews(&run.reading, since.map(|order| order.at)));
    if names.is_empty() {
        return None;
    }
    Some(Reason::new(
        ReasonCode::IdentityMismatch,
        "The author of a signal that could matter is unknown, or bears the connector's login without its type.",
        names,
    ))
}

/// Texts that say what only the connector says or look like a result of it, and inline comments that no thread shows,
/// since a trigger or however old, by an author that is not proven to be another one.
pub(crate) fn unproven_speakers(reading: &Reading<'_>, since: Option<CommentOrder>) -> Vec<EvidenceName> {
    let comments = reading.comments.iter().filter(|one| doubtful(one.identity));
    let mut names: Vec<_> = comments
        .filter(|one| since.is_none_or(|since| one.order.is_none_or(|order| order > since)))
        .filter(|one| speaks(one) || looks_like_result(one.comment.body.text()))
        .map(|one| one.name.clone())
        .collect();
    let since = since.map(|order| order.at);
    names.extend(doubtful_reviews(reading, since));
    let roots = lagging_roots(reading).into_iter();
    let roots = roots.filter(|root| !root.proven && after(root.at(), since));
    names.extend(roots.map(|root| root.name()));
    names
}

fn doubtful_reviews(reading: &Reading<'_>, since: Option<Timestamp>) -> Vec<EvidenceName> {
    let mut names = Vec::new();
    for review in reading.reviews.iter().filter(|one| doubtful(one.identity)) {
        let speaks = !matches!(
            review.meaning,
            Meaning::Unclear { .. } | Meaning::Boilerplate { .. }
        ) || (review.identity == Identity::Mismatched
            && matches!(review.meaning, Meaning::Boilerplate { .. }))
            || looks_like_result(review.review.body.text())
            || is_wordless(review);
        if speaks && after(review.at, since) {
            names.push(review.name.clone());
        }
    }
    for thread in reading.threads.iter().filter(|one| doubtful(one.root)) {
        if may_be_finding(thread) && after(thread.at, since) {
            names.push(thread.name.clone());
        }
    }
    names
}

/// Whether a review says nothing itself and may be the connector's all the same: its inline comments are the
/// connector's, or it has none and so is neither a person's remark nor a person's approval.
fn is_wordless(review: &ReviewReading<'_>) -> bool {
    let nothing = matches!(review.meaning, Meaning::Boilerplate { .. });
    let verdict = match review.review.state {
        ReviewState::Approved | ReviewState::Dismissed | ReviewState::Pending => true,
        ReviewState::Commented
        | ReviewState::ChangesRequested
        | ReviewState::Missing
        | ReviewState::Unrecognized(_) => false,
    };
    review.roots > 0 || nothing && review.inline == 0 && !verdict
}

fn doubtful(identity: Identity) -> bool {
    match identity {
        Identity::Missing | Identity::Mismatched => true,
        Identity::Connector | Identity::Other => false,
    }
}

fn after(at: Option<Timestamp>, since: Option<Timestamp>) -> bool {
    match (at, since) {
        (Some(at), Some(since)) => at >= since,
        (None, _) | (_, None) => true,
    }
}

/// Whether a thread whose root is not proven to be another one's looks like the connector's.
pub(super) fn may_be_finding(thread: &ThreadReading<'_>) -> bool {
    let root = thread.thread.comments.first();
    match thread.root {
        Identity::Connector | Identity::Mismatched => true,
        Identity::Missing => root.is_some_and(|root| texts::bears_badge(root.body.text())),
        Identity::Other => false,
    }
}

/// Whether a thread is the connector's, or may be, and is not shown to be resolved or outdated. One whose author the
/// answer leaves out counts when its text or REST says that it is the connector's.
pub(crate) fn may_be_open(run: &Run<'_>, thread: &ThreadReading<'_>) -> bool {
    thread.open
        && match thread.root {
            Identity::Connector | Identity::Mismatched => true,
            Identity::Other => false,
            Identity::Missing => thread.thread.comments.first().is_none_or(|root| {
                texts::bears_badge(root.body.text())
                    || root
                        .id
                        .get()
                        .is_some_and(|id| run.reading.connector_roots.contains(&id))
            }),
        }
}

/// Whether a comment has the form of a trigger.
fn asks(comment: &CommentReading<'_>) -> bool {
    match &comment.role {
        Role::Addressed { form, .. } => is_candidate_form(*form),
        Role::Connector { .. } | Role::Bystander => false,
    }
}

/// Whether a comment of a doubtful author has a meaning that only the connector's texts have.
fn speaks(comment: &CommentReading<'_>) -> bool {
    let meaning = crate::bot::meaning::of(
        comment.comment.body.text(),
        crate::bot::meaning::BodyKind::IssueComment,
    );
    !matches!(meaning, Meaning::Unclear { .. })
}

/// Evidence of another surface in the second of the newest trigger: IssueCommentOrder does not reach there.
fn same_time(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let second = newest.order.at;
    let mut names = Vec::new();
    for review in run
        .reading
        .reviews
        .iter()
        .filter(|one| one.identity == Identity::Connector)
    {
        let other = matches!(review.commit, NamedCommit::Other(_));
        if review.at == Some(second) && !other && lane_of(&review.meaning) == Lane::Code {
            names.push(review.name.clone());
        }
    }
    for thread in run
        .reading
        .threads
        .iter()
        .filter(|one| one.root == Identity::Connector)
    {
        if thread.at == Some(second) && (thread.on_head || thread.open) {
            names.push(thread.name.clone());
        }
    }
    names.extend(same_time_as_failure(run, newest));
    names.extend(failed_within_a_second(run, newest));
    one_second(names, newest)
}

/// Whether the connector gave the newest trigger an answer, or a +1, after a time.
fn spoke_after(run: &Run<'_>, newest: &Candidate<'_>, time: Timestamp) -> bool {
    let plus_one = newest.reactions.plus_one.as_ref();
    plus_one.is_some_and(|(at, _)| *at > time) || run.results.iter().any(|result| result.at > time)
}

/// A result in the second of the newest trigger's eyes, or of an earlier trigger or a +1: which came first, and so which
/// triggers were answered, is not proven. Triggers that got their own +1 are answered all the same, but may have
/// failed before it. What is in progress or failed anyhow stands.
pub(super) fn same_time_as_others(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let mut names = Vec::new();
    if let Some((eyes, name)) = &newest.reactions.eyes
        && !spoke_after(run, newest, *eyes)
        && run
            .results
            .iter()
            .any(|one| one.at == *eyes && is_answer(one) && follows(one, newest))
    {
        names.push(name.clone());
    }
    let mut here = run.candidates.all.iter().filter(|one| one.on_head());
    let by_reactions = here.all(|one| {
        let resolution = one.resolution.as_ref();
        resolution.is_some_and(|resolution| resolution.kind == ResolutionKind::Reaction)
    });
    let tied = tied(run).filter(|result| !by_reactions || result.outcome == Outcome::Failure);
    names.extend(tied.map(|result| result.name.clone()));
    one_second(names, newest)
}

/// A failure of the newest trigger, or one that may be its, that rests on the order within one second.
fn failed_within_a_second(run: &Run<'_>, newest: &Candidate<'_>) -> Vec<EvidenceName> {
    let resolution = newest.resolution.as_ref();
    let failed = resolution.is_some_and(|resolution| resolution.kind == ResolutionKind::Failure);
    tied(run)
        .filter(|result| failed || result.outcome == Outcome::Failure && follows(result, newest))
        .map(|result| result.name.clone())
        .collect()
}

/// Results whose owner depends on the order within one second.
fn tied<'a>(run: &'a Run<'_>) -> impl Iterator<Item = &'a Attributed> {
    run.results.iter().filter(|result| match &result.owner {
        Owner::SameTime(_) => true,
        Owner::Candidate(_) | Owner::Nobody | Owner::Ambiguous(_) => false,
    })
}

/// Whether a result is what a review says: something was found, or nothing.
fn is_answer(result: &Attributed) -> bool {
    match result.outcome {
        Outcome::NoFindings | Outcome::Findings => true,
        Outcome::Failure | Outcome::Refused => false,
    }
}

/// Whether a result does not stand before a trigger in IssueCommentOrder.
pub(super) fn follows(result: &Attributed, trigger: &Candidate<'_>) -> bool {
    trigger.precedes(result.order)
}

fn one_second(mut names: Vec<EvidenceName>, newest: &Candidate<'_>) -> Option<Reason> {
    if names.is_empty() {
        return None;
    }
    names.push(newest.name.clone());
    Some(Reason::new(
        ReasonCode::SameTimeEvidence,
        "Evidence on two surfaces bears the same second, so neither is proven to be later.",
        names,
    ))
}

/// What would have answered the newest trigger before its failure did, had it come within the second: a +1 on it or a
/// review. Then the failure is not proven to be this run's.
fn same_time_as_failure(run: &Run<'_>, newest: &Candidate<'_>) -> Vec<EvidenceName> {
    let failure = newest.resolution.as_ref();
    let Some(failure) = failure.filter(|one| one.kind == ResolutionKind::Failure) else {
        return Vec::new();
    };
    let plus_one = newest.reactions.plus_one.iter();
    let plus_one = plus_one.filter(|(at, _)| *at == failure.at).map(|(_, name)| name);
    let reviews = run.results.iter();
    let reviews = reviews.filter(|one| one.order.is_none() && one.at == failure.at);
    let rivals: Vec<EvidenceName> = plus_one.chain(reviews.map(|one| &one.name)).cloned().collect();
    match rivals.is_empty() {
        true => rivals,
        false => std::iter::once(failure.evidence.clone()).chain(rivals).collect(),
    }
}

/// A review whose inline comments are not visible yet, or an inline comment whose thread is not.
pub(super) fn lagging(run: &Run<'_>, since: Option<&Candidate<'_>>) -> Option<Reason> {
    let since = since.map(|newest| newest.order.at);
    let mut names: Vec<EvidenceName> = lagging_reviews(run)
        .filter(|review| after(review.at, since))
        .filter(|review| !overdue(run, review.at))
        .map(|review| review.name.clone())
        .collect();
    let roots = lagging_roots(&run.reading).into_iter();
    let roots = roots.filter(|root| after(root.at(), since) && !overdue(run, root.at()));
    names.extend(roots.map(|root| root.name()));
    if names.is_empty() {
        return None;
    }
    Some(Reason::new(
        ReasonCode::InlineCommentsLagging,
        "The connector submitted a review whose inline comments or threads GitHub does not show yet.",
        names,
    ))
}

/// Inline comments of the connector since the newest trigger whose thread did not become visible in half an hour, for
/// whatever head: nobody can say that they are resolved.
pub(super) fn unthreaded(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let names: Vec<EvidenceName> = lagging_roots(&run.reading)
        .into_iter()
        .filter(|root| after(root.at(), Some(newest.order.at)) && overdue(run, root.at()))
        .map(|root| root.name())
        .collect();
    if names.is_empty() {
        return None;
    }
    let message = "GitHub shows no thread for an inline comment of the connector, so nobody can say that it is resolved; read it.";
    Some(Reason::new(ReasonCode::UnclearResult, message, names))
}

/// Whether something is so old that its inline comments are not waited for any more.
pub(crate) fn overdue(run: &Run<'_>, at: Option<Timestamp>) -> bool {
    at.is_some_and(|at| (run.reading.evidence.collected_at - at).num_minutes() >= LAG_MINUTES)
}

/// Reviews of the connector for this head that announce suggestions or say nothing, without any inline comment.
pub(crate) fn lagging_reviews<'a, 'e>(
    run: &'a Run<'e>,
) -> impl Iterator<Item = &'a ReviewReading<'e>> + use<'a, 'e> {
    run.reading.reviews.iter().filter(|review| {
        review.identity == Identity::Connector
            && !matches!(review.commit, NamedCommit::Other(_))
            && review.inline == 0
            && matches!(review.meaning, Meaning::Boilerplate { .. })
    })
}

/// Results for the head, or for no commit at all, whose meaning is not certain. A judgement can decide them.
pub(super) fn unclear(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let names = unclear_results(run, Some(newest));
    if names.is_empty() {
        return None;
    }
    Some(Reason::new(
        ReasonCode::UnclearResult,
        "What the connector wrote after the newest trigger is not certain to be clean or a finding; read it and judge.",
        names,
    ))
}

/// Names of unclear results since a trigger, or of all when there is none.
pub(crate) fn unclear_results(run: &Run<'_>, since: Option<&Candidate<'_>>) -> Vec<EvidenceName> {
    let mut names = Vec::new();
    for comment in &run.reading.comments {
        if since.is_none_or(|since| since.precedes(comment.order)) && is_unclear_result(comment) {
            names.push(comment.name.clone());
        }
    }
    for review in run
        .reading
        .reviews
        .iter()
        .filter(|one| one.identity == Identity::Connector)
    {
        let since_trigger = since.is_none_or(|since| review.at.is_none_or(|at| at >= since.order.at));
        let for_head = !matches!(review.commit, NamedCommit::Other(_));
        let unclear = match &review.meaning {
            // Inline comments are findings of their own; a text beside them decides nothing.
            Meaning::Unclear { lane: Lane::Code } => review.roots == 0,
            Meaning::Boilerplate { .. } => review.inline == 0 && overdue(run, review.at),
            Meaning::Unclear { lane: Lane::Security }
            | Meaning::NoFindings { .. }
            | Meaning::Findings { .. }
            | Meaning::Failure { .. }
            | Meaning::Notice { .. }
            | Meaning::TaskReply
            | Meaning::Summary { .. } => false,
        };
        if since_trigger && for_head && unclear {
            names.push(review.name.clone());
        }
    }
    names
}

/// An unclear comment that looks like a review's result: it names the head, begins as the connector's reviews do, or
/// shows a finding's badge or place where it is not read as one: in a quote, code, a folded part or a hidden comment.
pub(crate) fn is_unclear_result(comment: &CommentReading<'_>) -> bool {
    let Role::Connector {
        meaning: Meaning::Unclear { lane: Lane::Code },
        commit,
    } = &comment.role
    else {
        return false;
    };
    match commit {
        NamedCommit::Head | NamedCommit::Ambiguous(_) | NamedCommit::Unresolved(_) => true,
        NamedCommit::Other(_) => false,
        NamedCommit::None => reads_as_result(comment.comment.body.text()),
    }
}

fn looks_like_result(body: &str) -> bool {
    begins_as_review(body) || commits::labelled(body) != LabelledCommit::None
}

/// Whether an unclear text that names no commit looks like a result all the same. A redaction keeps this.
pub(crate) fn reads_as_result(body: &str) -> bool {
    begins_as_review(body) || texts::has_finding_marks(body)
}

/// Whether a text begins as the connector's reviews do, and does not address the connector.
fn begins_as_review(body: &str) -> bool {
    let start: String = body
        .chars()
        .filter(|c| c.is_alphanumeric() || c.is_whitespace() || *c == '@')
        .take(64)
        .collect::<String>()
        .to_lowercase();
    start.trim_start().starts_with("codex review")
}

/// Findings that name no commit or several, or one that GitHub does not resolve.
pub(super) fn unbound<'f>(findings: impl Iterator<Item = &'f Finding>) -> Option<Reason> {
    let mut names = Vec::new();
    let mut ambiguous = false;
    for finding in findings {
        match finding.commit {
            NamedCommit::None | NamedCommit::Unresolved(_) => names.push(finding.name.clone()),
            NamedCommit::Ambiguous(_) => {
                ambiguous = true;
                names.push(finding.name.clone());
            }
            NamedCommit::Head | NamedCommit::Other(_) => {}
        }
    }
    if names.is_empty() {
        return None;
    }
    Some(if ambiguous {
        Reason::new(
            ReasonCode::CommitAmbiguous,
            "A result of the connector names more than one commit.",
            names,
        )
    } else {
        let message = "A result of the connector names no commit, or one that GitHub does not resolve.";
        Reason::new(ReasonCode::CommitUnresolved, message, names)
    })
}

/// Why a run with a newest trigger on the head and without any clean signal is indeterminate.
pub(super) fn reasons(run: &Run<'_>, newest: &Candidate<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let unresolved: Vec<_> = run.candidates.unresolved().map(|one| one.name.clone()).collect();
    if unresolved.len() > 1 {
        reasons.push(overlap(unresolved));
    }
    reasons.extend(edited(run, newest));
    reasons.extend(notices(run, newest));
    reasons.extend(lagging(run, Some(newest)));
    reasons.extend(unthreaded(run, newest));
    reasons.extend(unclear(run, newest));
    reasons.extend(misplaced(run, newest));
    reasons.extend(findings_resolved(run, newest));
    reasons.extend(task_reply(run, newest));
    if reasons.is_empty() {
        reasons.extend(summary(run, newest));
    }
    if reasons.is_empty() {
        reasons.extend(unrecognised(run, newest));
    }
    if reasons.is_empty() {
        reasons.push(Reason::new(
            ReasonCode::NoTerminalOutput,
            "The connector has not answered the newest trigger yet.",
            vec![newest.name.clone()],
        ));
    }
    reasons
}

/// Connector comments after the newest trigger.
fn since<'a, 'e>(
    run: &'a Run<'e>,
    newest: &'a Candidate<'_>,
) -> impl Iterator<Item = (&'a CommentReading<'e>, &'a Meaning, &'a NamedCommit)> {
    run.reading
        .comments
        .iter()
        .filter(|one| newest.precedes(one.order))
        .filter_map(|one| match &one.role {
            Role::Connector { meaning, commit } => Some((one, meaning, commit)),
            Role::Addressed { .. } | Role::Bystander => None,
        })
}

/// Whether the connector said something since `at` that ends a run without deciding it: eyes often stay behind such
/// a text for hours, and waiting for more would be waiting for ever.
pub(super) fn answered_since(run: &Run<'_>, at: Timestamp) -> bool {
    run.reading.comments.iter().any(|one| {
        let Role::Connector { meaning, commit } = &one.role else {
            return false;
        };
        let later = one.order.is_none_or(|order| order.at > at);
        let elsewhere = matches!(commit, NamedCommit::Other(_));
        later
            && match meaning {
                Meaning::Notice { lane, .. } => *lane == Lane::Code,
                Meaning::NoFindings { lane } | Meaning::Findings { lane, .. } => {
                    *lane == Lane::Code && !elsewhere
                }
                Meaning::Failure { .. } => true,
                Meaning::Unclear { .. } => is_unclear_result(one),
                Meaning::Boilerplate { .. } | Meaning::TaskReply | Meaning::Summary { .. } => false,
            }
    })
}

/// Whether a text may say what somebody other than the connector made of it.
fn tampered(state: EditState) -> bool {
    !state.is_intact()
}

/// A failure after the newest trigger that somebody else edited: it makes no run failed, but what it said before may
/// have ended this one, so that nothing after it proves clean.
pub(super) fn edited_failure(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let names: Vec<EvidenceName> = since(run, newest)
        .filter(|(one, meaning, _)| {
            matches!(meaning, Meaning::Failure { .. }) && tampered(run.reading.comment_edited(one.comment))
        })
        .map(|(one, _, _)| one.name.clone())
        .collect();
    if names.is_empty() {
        return None;
    }
    let message = "A failure that the connector reported was edited by somebody else, or its edits could not be looked up.";
    Some(Reason::new(ReasonCode::EvidenceEdited, message, names))
}

/// A decisive text that somebody other than the connector edited.
fn edited(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let mut names: Vec<EvidenceName> = since(run, newest)
        .filter(|(_, meaning, commit)| match meaning {
            Meaning::NoFindings { lane: Lane::Code } => **commit == NamedCommit::Head,
            Meaning::Failure { .. } => true,
            Meaning::NoFindings { .. }
            | Meaning::Findings { .. }
            | Meaning::Boilerplate { .. }
            | Meaning::Notice { .. }
            | Meaning::TaskReply
            | Meaning::Summary { .. }
            | Meaning::Unclear { .. } => false,
        })
        .filter(|(one, _, _)| tampered(run.reading.comment_edited(one.comment)))
        .map(|(one, _, _)| one.name.clone())
        .collect();
    for review in run
        .reading
        .reviews
        .iter()
        .filter(|one| one.identity == Identity::Connector)
    {
        let clean = matches!(review.meaning, Meaning::NoFindings { lane: Lane::Code })
            && review.commit == NamedCommit::Head
            && review.roots == 0;
        if clean
            && review.at.is_none_or(|at| at >= newest.order.at)
            && tampered(run.reading.review_edited(review.review))
        {
            names.push(review.name.clone());
        }
    }
    if names.is_empty() {
        return None;
    }
    let message =
        "A decisive text of the connector was edited by somebody else, or its edits could not be looked up.";
    Some(Reason::new(ReasonCode::EvidenceEdited, message, names))
}

/// The newest code-lane notice after the newest trigger.
fn notices(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let mut found = None;
    for (one, meaning, _) in since(run, newest) {
        if let Meaning::Notice {
            kind,
            lane: Lane::Code,
        } = meaning
        {
            found = Some((one.name.clone(), *kind));
        }
    }
    let (name, kind) = found?;
    let what = if refuses(kind) {
        "The connector said that it cannot review this now"
    } else {
        "The connector reported an error that is not listed"
    };
    let message = format!("{what} ({}).", kind.as_str());
    Some(Reason::new(
        ReasonCode::from(kind),
        message,
        vec![name, newest.name.clone()],
    ))
}

/// Clean and findings texts that name no commit, several, or another one.
fn misplaced(run: &Run<'_>, newest: &Candidate<'_>) -> Vec<Reason> {
    let mut ambiguous = Vec::new();
    let mut unresolved = Vec::new();
    let mut elsewhere = Vec::new();
    let mut sort = |name: &EvidenceName, commit: &NamedCommit| match commit {
        NamedCommit::Head => {}
        NamedCommit::Ambiguous(_) => ambiguous.push(name.clone()),
        NamedCommit::None | NamedCommit::Unresolved(_) => unresolved.push(name.clone()),
        NamedCommit::Other(_) => elsewhere.push(name.clone()),
    };
    for (one, meaning, commit) in since(run, newest) {
        match meaning {
            Meaning::NoFindings { lane: Lane::Code } | Meaning::Findings { lane: Lane::Code, .. } => {
                sort(&one.name, commit);
            }
            Meaning::NoFindings { .. }
            | Meaning::Findings { .. }
            | Meaning::Boilerplate { .. }
            | Meaning::Failure { .. }
            | Meaning::Notice { .. }
            | Meaning::TaskReply
            | Meaning::Summary { .. }
            | Meaning::Unclear { .. } => {}
        }
    }
    for review in run
        .reading
        .reviews
        .iter()
        .filter(|one| one.identity == Identity::Connector)
    {
        if review.at.is_none_or(|at| at >= newest.order.at) && lane_of(&review.meaning) == Lane::Code {
            sort(&review.name, &review.commit);
        }
    }
    let mut reasons = Vec::new();
    for (code, message, names) in [
        (
            ReasonCode::CommitAmbiguous,
            "A result of the connector names more than one commit.",
            ambiguous,
        ),
        (
            ReasonCode::CommitUnresolved,
            "A result of the connector names no commit, or one that GitHub does not resolve.",
            unresolved,
        ),
        (
            ReasonCode::ResultForOtherHead,
            "A result of the connector after the newest trigger is for another commit.",
            elsewhere,
        ),
    ] {
        if !names.is_empty() {
            reasons.push(Reason::new(code, message, names));
        }
    }
    reasons
}

/// Findings of this run, all of them addressed.
fn findings_resolved(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let names: Vec<_> = run
        .findings
        .iter()
        .filter(|finding| finding.on_head() && later(finding, newest))
        .map(|finding| finding.name.clone())
        .collect();
    if names.is_empty() {
        return None;
    }
    let message = "The findings of this run are addressed, and the connector has said nothing new since.";
    Some(Reason::new(ReasonCode::FindingsResolved, message, names))
}

fn task_reply(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let (one, _, _) = since(run, newest)
        .filter(|(_, meaning, _)| matches!(meaning, Meaning::TaskReply))
        .last()?;
    let message = "The connector answered with a coding task's reply, which is no review.";
    Some(Reason::new(
        ReasonCode::TaskReply,
        message,
        vec![one.name.clone()],
    ))
}

/// The newest code row for this head in the summary comments, when it is later than the newest trigger.
fn summary(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let (name, status, at) = newest_row(run)?;
    if at.is_some_and(|at| at <= newest.order.at) {
        return None;
    }
    let (code, message) = match status {
        RowStatus::Running => (
            ReasonCode::SummaryRunning,
            "The summary comment says that the review is running.",
        ),
        RowStatus::Failed => (
            ReasonCode::SummaryFailed,
            "The summary comment says that the review failed.",
        ),
        RowStatus::Completed => (
            ReasonCode::SummaryOnly,
            "Only the summary comment says that the review completed; that does not mean clean.",
        ),
        RowStatus::Unrecognized(_) => (
            ReasonCode::UnrecognizedBotText,
            "The summary comment gives the review a status that this version does not know.",
        ),
    };
    Some(Reason::new(code, message, vec![name]))
}

/// The newest code-lane row for the head in any summary comment of the connector.
pub(crate) fn newest_row(run: &Run<'_>) -> Option<(EvidenceName, RowStatus, Option<Timestamp>)> {
    let mut newest: Option<(EvidenceName, RowStatus, Option<Timestamp>)> = None;
    for comment in &run.reading.comments {
        let Role::Connector {
            meaning: Meaning::Summary { rows },
            ..
        } = &comment.role
        else {
            continue;
        };
        for row in rows.iter().filter(|row| row.lane == Lane::Code) {
            let names_head = row
                .commit
                .as_deref()
                .is_some_and(|prefix| run.reading.pull.head_ref_oid.starts_with(prefix));
            let is_newer = newest.as_ref().is_none_or(|(_, _, at)| row.at >= *at);
            if names_head && is_newer {
                newest = Some((comment.name.clone(), row.status.clone(), row.at));
            }
        }
    }
    newest
}

/// A text of the connector after the newest trigger that this version does not know, when nothing else decides.
fn unrecognised(run: &Run<'_>, newest: &Candidate<'_>) -> Option<Reason> {
    let names = drift_since(run, Some(newest));
    if names.is_empty() {
        return None;
    }
    let message = "The connector wrote something after the newest trigger that this version does not know.";
    Some(Reason::new(ReasonCode::UnrecognizedBotText, message, names))
}

/// Connector comments of no known kind since a trigger, or all of them when there is none.
pub(crate) fn drift_since(run: &Run<'_>, trigger: Option<&Candidate<'_>>) -> Vec<EvidenceName> {
    let comments = run.reading.comments.iter();
    comments
        .filter(|one| trigger.is_none_or(|since| since.precedes(one.order)))
        .filter(|one| match &one.role {
            Role::Connector { meaning, .. } => is_drift(one, meaning),
            Role::Addressed { .. } | Role::Bystander => false,
        })
        .map(|one| one.name.clone())
        .collect()
}

/// Whether a connector comment is of no known kind.
pub(crate) fn is_drift(one: &CommentReading<'_>, meaning: &Meaning) -> bool {
    matches!(meaning, Meaning::Unclear { lane: Lane::Code }) && !is_unclear_result(one)
}
