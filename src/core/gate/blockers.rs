//! What blocks a merge, whatever approves it (merge gate, "Signals" and what follows them).

use std::collections::{BTreeMap, BTreeSet};

use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::pull::PullState;
use crate::evidence::review::ReviewState;
use crate::finding::{FindingState, FindingSurface, lagging_roots};
use crate::reading::{NamedCommit, ReviewReading, lane_of};
use crate::reason::{ReasonCode, words};
use crate::run::{Run, indeterminate};

use super::approval::may_be_for_head;
use super::{completeness, earlier_head};

words! {
    /// What blocks.
    BlockerCode {
        /// A thread of the connector that is unresolved and not outdated, of whatever head.
        FindingThread = "finding-thread",
        /// A finding in a top-level comment.
        FindingComment = "finding-comment",
        /// The newest review of this head has findings in its body.
        FindingReviewBody = "finding-review-body",
        /// The newest review of this head requests changes.
        ChangesRequested = "changes-requested",
        /// An open thread that another one opened and the connector answered in.
        CodexThread = "codex-thread",
        /// A text for this head whose meaning is not certain.
        UnclearResult = "unclear-result",
        /// A review whose inline comments or threads are not visible yet.
        InlineCommentsLagging = "inline-comments-lagging",
        /// A surface that was not read to its end.
        IncompleteSurface = "incomplete-surface",
        /// The pull request is closed or merged.
        PullClosed = "pull-closed",
    }
}

impl BlockerCode {
    /// Whether it is a finding of the connector.
    pub fn is_finding(self) -> bool {
        match self {
            Self::FindingThread | Self::FindingComment | Self::FindingReviewBody | Self::ChangesRequested => {
                true
            }
            Self::CodexThread
            | Self::UnclearResult
            | Self::InlineCommentsLagging
            | Self::IncompleteSurface
            | Self::PullClosed => false,
        }
    }

    /// The reason that the headline gives for it.
    pub fn reason(self) -> ReasonCode {
        match self {
            Self::FindingThread => ReasonCode::FindingThread,
            Self::FindingComment => ReasonCode::FindingComment,
            Self::FindingReviewBody | Self::ChangesRequested => ReasonCode::FindingReviewBody,
            Self::CodexThread => ReasonCode::EarlierThreadUnresolved,
            Self::UnclearResult => ReasonCode::UnclearResult,
            Self::InlineCommentsLagging => ReasonCode::InlineCommentsLagging,
            Self::IncompleteSurface => ReasonCode::IncompleteSurface,
            Self::PullClosed => ReasonCode::PullClosed,
        }
    }
}

/// What one blocker rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockedBy {
    /// A piece of evidence.
    Item(EvidenceName),
    /// A surface, by its name in documents.
    Surface(&'static str),
}

impl std::fmt::Display for BlockedBy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Item(name) => write!(formatter, "{name}"),
            Self::Surface(name) => formatter.write_str(name),
        }
    }
}

/// One thing that blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocker {
    /// The code.
    pub code: BlockerCode,
    /// What it rests on.
    pub by: BlockedBy,
    /// One sentence.
    pub message: String,
    /// Its page.
    pub url: Option<String>,
}

impl Blocker {
    fn new(code: BlockerCode, name: EvidenceName, message: impl Into<String>, url: Option<String>) -> Self {
        Self {
            code,
            by: BlockedBy::Item(name),
            message: message.into(),
            url,
        }
    }
}

/// Everything that blocks, findings first.
pub fn of(run: &Run<'_>) -> Vec<Blocker> {
    let mut blockers = Vec::new();
    findings(run, &mut blockers);
    reviews(run, &mut blockers);
    answered_threads(run, &mut blockers);
    unclear_comments(run, &mut blockers);
    unusable(run, &mut blockers);
    lagging(run, &mut blockers);
    for (surface, error) in completeness::gaps(run) {
        blockers.push(Blocker {
            code: BlockerCode::IncompleteSurface,
            by: BlockedBy::Surface(surface),
            message: match error {
                Some(error) => format!("The surface {surface} was not read to its end: {error}"),
                None => format!("The surface {surface} was not collected."),
            },
            url: None,
        });
    }
    closed(run, &mut blockers);
    blockers
}

/// Threads of any head and comments of this one. Bodies of reviews are looked at per reviewer, below.
fn findings(run: &Run<'_>, blockers: &mut Vec<Blocker>) {
    let mut known = BTreeSet::new();
    for finding in run.findings.iter().filter(|one| one.state == FindingState::Open) {
        let code = match finding.surface {
            FindingSurface::Thread if finding.thread_id.is_some() || finding.on_head() => {
                BlockerCode::FindingThread
            }
            FindingSurface::Comment if may_be_for_head(run, finding) => BlockerCode::FindingComment,
            FindingSurface::Thread | FindingSurface::Comment | FindingSurface::ReviewBody => continue,
        };
        // A comment with several findings is one thing to address.
        if known.insert((code, &finding.name)) {
            let message = format!("{}: {}", finding.priority.as_str(), finding.title);
            blockers.push(Blocker::new(
                code,
                finding.name.clone(),
                message,
                finding.url.clone(),
            ));
        }
    }
}

/// The newest review of each lane for this head; older ones of the same author are superseded. One whose state is not
/// known supersedes none: it may be dismissed.
fn reviews(run: &Run<'_>, blockers: &mut Vec<Blocker>) {
    let mut newest: BTreeMap<Lane, &ReviewReading<'_>> = BTreeMap::new();
    let mut uncertain: Vec<&ReviewReading<'_>> = Vec::new();
    // Reviews stand in order of time and id.
    for review in &run.reading.reviews {
        if review.identity == Identity::Connector
            && review.review.state != ReviewState::Dismissed
            && may_be_of_head(run, &review.commit, review.at)
        {
            match review.review.state {
                ReviewState::Commented | ReviewState::Approved | ReviewState::ChangesRequested => {
                    newest.insert(lane_of(&review.meaning), review);
                }
                ReviewState::Pending
                | ReviewState::Missing
                | ReviewState::Unrecognized(_)
                | ReviewState::Dismissed => uncertain.push(review),
            }
        }
    }
    for review in newest.into_values().chain(uncertain) {
        let url = review.review.html_url.known().cloned();
        let blocker = |code, message: &str| Blocker::new(code, review.name.clone(), message, url.clone());
        if review.review.state == ReviewState::ChangesRequested {
            let message = "The connector's newest review of this head requests changes.";
            blockers.push(blocker(BlockerCode::ChangesRequested, message));
        }
        let open_body = run.findings.iter().find(|finding| {
            finding.surface == FindingSurface::ReviewBody
                && finding.name == review.name
                && finding.state == FindingState::Open
        });
        if let Some(finding) = open_body {
            let message = format!("{}: {}", finding.priority.as_str(), finding.title);
            blockers.push(blocker(BlockerCode::FindingReviewBody, &message));
        }
        let unclear = match &review.meaning {
            // A text beside inline comments decides nothing: they are the findings.
            Meaning::Unclear { .. } => review.roots == 0,
            Meaning::Boilerplate { .. }
            | Meaning::NoFindings { .. }
            | Meaning::Findings { .. }
            | Meaning::Failure { .. }
            | Meaning::Notice { .. }
            | Meaning::TaskReply
            | Meaning::Summary { .. } => false,
        };
        if unclear {
            let message =
                "The newest review of this head is not certain to be clean or a finding; read it and judge.";
            blockers.push(blocker(BlockerCode::UnclearResult, message));
        }
    }
}

/// Items that may be the connector's findings for all that can be read of them.
fn unusable(run: &Run<'_>, blockers: &mut Vec<Blocker>) {
    for (name, cause) in &run.reading.malformed {
        let message = format!("An item that may be the connector's cannot be ordered or read: {cause}.");
        blockers.push(Blocker::new(
            BlockerCode::UnclearResult,
            name.clone(),
            message,
            None,
        ));
    }
    for name in indeterminate::unproven_speakers(&run.reading, None) {
        let message = "A text says what only the connector says, and its author is unknown.";
        blockers.push(Blocker::new(BlockerCode::UnclearResult, name, message, None));
    }
}

/// Threads that somebody else opened and the connector wrote in, or may have written in.
fn answered_threads(run: &Run<'_>, blockers: &mut Vec<Blocker>) {
    for one in &run.reading.threads {
        if one.open && (one.any_connector || one.any_doubtful) && one.root != Identity::Connector {
            let url = one
                .thread
                .comments
                .first()
                .and_then(|root| root.url.known().cloned());
            let message = if one.any_connector {
                "The connector wrote in this open thread, which somebody else began."
            } else {
                "Somebody whose account is not known wrote in this open thread, and it may be the connector."
            };
            blockers.push(Blocker::new(
                BlockerCode::CodexThread,
                one.name.clone(),
                message,
                url,
            ));
        }
    }
}

/// Comments whose meaning is not certain and that may be about this head.
fn unclear_comments(run: &Run<'_>, blockers: &mut Vec<Blocker>) {
    for comment in &run.reading.comments {
        if !indeterminate::is_unclear_result(comment) {
            continue;
        }
        let names_head = match &comment.role {
            crate::reading::Role::Connector { commit, .. } => {
                may_be_of_head(run, commit, comment.comment.created_at.get())
            }
            crate::reading::Role::Addressed { .. } | crate::reading::Role::Bystander => false,
        };
        if names_head {
            let message = "A comment of the connector for this head is not certain to be clean or a finding; read it and judge.";
            blockers.push(Blocker::new(
                BlockerCode::UnclearResult,
                comment.name.clone(),
                message,
                comment.comment.html_url.known().cloned(),
            ));
        }
    }
}

/// Reviews before their inline comments, and inline comments before their threads. After half an hour nobody waits:
/// such a review is to be read and judged.
fn lagging(run: &Run<'_>, blockers: &mut Vec<Blocker>) {
    for review in indeterminate::lagging_reviews(run) {
        if review.review.state == ReviewState::Dismissed || !may_be_of_head(run, &review.commit, review.at) {
            continue;
        }
        let (code, message) = if indeterminate::overdue(run, review.at) {
            let message = "A review announces suggestions, and none became visible; read it and judge.";
            (BlockerCode::UnclearResult, message)
        } else {
            let message = "A review is visible before its inline comments; read again.";
            (BlockerCode::InlineCommentsLagging, message)
        };
        let url = review.review.html_url.known().cloned();
        blockers.push(Blocker::new(code, review.name.clone(), message, url));
    }
    for root in lagging_roots(&run.reading) {
        let on_head = root.comment.original_commit_id.known() == Some(&run.reading.pull.head_ref_oid);
        if on_head && root.proven {
            // It already blocks as a finding.
            continue;
        }
        blockers.push(Blocker::new(
            BlockerCode::InlineCommentsLagging,
            root.name(),
            "An inline comment is visible before its thread; read again.",
            root.comment.html_url.known().cloned(),
        ));
    }
}

fn closed(run: &Run<'_>, blockers: &mut Vec<Blocker>) {
    let message = match &run.reading.pull.state {
        PullState::Open => return,
        PullState::Closed => "The pull request is closed.",
        PullState::Merged => "The pull request is merged.",
        PullState::Unrecognized(_) => {
            "GitHub gives the pull request a state that this version does not know."
        }
    };
    blockers.push(Blocker::new(
        BlockerCode::PullClosed,
        EvidenceName::Pull,
        message,
        Some(run.reading.evidence.url()),
    ));
}

/// Whether a text that names this commit, or none for certain, may be about this head.
fn may_be_of_head(run: &Run<'_>, commit: &NamedCommit, at: Option<Timestamp>) -> bool {
    match commit {
        NamedCommit::Head => true,
        NamedCommit::Other(_) => false,
        NamedCommit::None | NamedCommit::Ambiguous(_) | NamedCommit::Unresolved(_) => {
            match (at, earlier_head::arrival(run)) {
                (Some(at), Some(arrival)) => at >= arrival,
                (Some(_) | None, Some(_) | None) => true,
            }
        }
    }
}
