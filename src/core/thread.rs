//! May this thread be resolved? Only a connector's thread of this very pull request, and only with a fix that the
//! hosted head is proven to hold or with an answer to the finding (review-run protocol, "Finding lifecycle").
//!
//! Only [`decide`] gives the [`Permit`] that the mutation needs.

use crate::authorization::Unauthorized;
use crate::bot::identity::{Identity, IdentitySurface, identify};
use crate::bot::triggers::{mentions_codex, reply_marker};
use crate::evidence::Evidence;
use crate::evidence::event::EventKind;
use crate::evidence::name::Sha;
use crate::evidence::observed::{Timestamp, rfc3339};
use crate::evidence::thread::{Thread, ThreadComment};
use crate::lineage::{IN_FLIGHT_MINUTES, Nonce, Poster};
use crate::reason::words;

/// GitHub cuts the file list of a comparison here.
pub const FILES_SHOWN: usize = 300;

words! {
    /// Why a thread is not resolved.
    RefusalCode {
        /// GitHub knows no such thread.
        NotFound = "not-found",
        /// It belongs to another pull request.
        NotThisPull = "not-this-pull",
        /// The connector did not open it.
        NotConnector = "not-connector",
        /// The fix is not on the hosted head.
        FixNotOnHead = "fix-not-on-head",
        /// The fix does not touch the thread's file.
        FixMissesPath = "fix-misses-path",
        /// Nothing proves that the fix came after the thread, or which files it touches.
        FixUnproven = "fix-unproven",
        /// The connector replied after the fix.
        NewerReply = "newer-reply",
        /// Neither a fix nor an answer was given.
        NoReason = "no-reason",
        /// The reply says nothing.
        BareReply = "bare-reply",
        /// The reply would start a task of the connector.
        MentionsCodex = "mentions-codex",
        /// Nobody authorized it.
        NoAuthorization = "no-authorization",
        /// The standing authorization ended.
        AuthorizationExpired = "authorization-expired",
        /// No standing authorization covers it.
        AuthorizationOutOfScope = "authorization-out-of-scope",
        /// A fresh authorization is needed.
        StandingNotEnough = "standing-not-enough",
        /// GitHub refused the change, and the thread is as it was.
        GitHubRefused = "github-refused",
    }
}

impl From<Unauthorized> for RefusalCode {
    fn from(code: Unauthorized) -> Self {
        match code {
            Unauthorized::NoAuthorization => Self::NoAuthorization,
            Unauthorized::Expired => Self::AuthorizationExpired,
            Unauthorized::OutOfScope => Self::AuthorizationOutOfScope,
            Unauthorized::StandingNotEnough => Self::StandingNotEnough,
        }
    }
}

words! {
    /// What became of a named thread.
    Outcome {
        /// It is resolved now, by this command.
        Resolved = "resolved",
        /// It was resolved before.
        AlreadyResolved = "already-resolved",
        /// It was left as it is.
        Refused = "refused",
        /// Nobody can say yet.
        Unknown = "unknown",
    }
}

/// How a named thread was given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadName {
    /// A node id, `PRRT_…`.
    Node(String),
    /// The id of one of its comments, alone or in a page's `#discussion_r…`.
    Comment(u64),
}

/// Where a named thread was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// GitHub knows none of that name.
    Nowhere,
    /// On another pull request.
    Elsewhere,
    /// On this one.
    Here(Box<Thread>),
}

/// How two commits stand to one another in a hosted comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The same commit.
    Identical,
    /// The second one is a descendant of the first.
    Ahead,
    /// The second one is an ancestor of the first.
    Behind,
    /// Neither is the other's ancestor.
    Diverged,
    /// GitHub does not know one of them, or gave a word this version does not know.
    Unknown(String),
}

/// A hosted comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How the commits stand to one another.
    pub relation: Relation,
    /// Every path the second one touches, old names of renamed files included.
    pub paths: Vec<String>,
    /// How many files GitHub listed.
    pub files: usize,
}

/// The fix that the user names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The commit.
    pub sha: Sha,
    /// From the fix to the head.
    pub to_head: Comparison,
    /// From the thread's commit to the fix; none when the thread names no commit.
    pub from_thread: Option<Comparison>,
    /// The first hosted evidence of the fix.
    pub hosted_at: Option<Timestamp>,
}

/// Why a thread is to be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Justification {
    /// No reason was given.
    None,
    /// It is fixed.
    Fixed {
        /// By this commit.
        fix: Box<Fix>,
        /// Why it counts although the comparison does not show it.
        elsewhere: Option<String>,
    },
    /// It was answered.
    Rebutted {
        /// How.
        reason: String,
    },
}

/// The permission to resolve one thread. Only [`decide`] gives one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    thread_id: String,
}

impl Permit {
    /// The thread's node id.
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }
}

/// What may be done with a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is resolved already.
    AlreadyResolved,
    /// It stays as it is.
    Refused(RefusalCode, String),
    /// It may be resolved.
    Resolve(Permit),
}

/// Decides about one thread. `reply` is what is to be posted in it first.
pub fn decide(found: &Found, justification: &Justification, reply: Option<&str>, strict: bool) -> Decision {
    let refuse = |code, message: String| Decision::Refused(code, message);
    let thread = match found {
        Found::Nowhere => {
            return refuse(
                RefusalCode::NotFound,
                "GitHub knows no such review thread.".into(),
            );
        }
        Found::Elsewhere => {
            return refuse(
                RefusalCode::NotThisPull,
                "The thread belongs to another pull request.".into(),
            );
        }
        Found::Here(thread) => thread,
    };
    let (Some(id), Some(root)) = (thread.id.known(), thread.comments.first()) else {
        return refuse(
            RefusalCode::NotFound,
            "GitHub did not give the thread's id or its first comment.".into(),
        );
    };
    if !is_connector(root, strict) {
        return refuse(
            RefusalCode::NotConnector,
            "The connector did not open the thread; threads of people and of other bots are theirs.".into(),
        );
    }
    match thread.is_resolved.get() {
        Some(true) => return Decision::AlreadyResolved,
        Some(false) => {}
        None => {
            return refuse(
                RefusalCode::NotFound,
                "GitHub did not say whether the thread is resolved.".into(),
            );
        }
    }
    if let Some((code, message)) = reply.and_then(unfit) {
        return refuse(code, message);
    }
    let refusal = match justification {
        Justification::None => Some((
            RefusalCode::NoReason,
            "A thread is resolved only with --fixed-in SHA or --rebutted REASON.".to_owned(),
        )),
        Justification::Rebutted { reason } => unfit(reason),
        Justification::Fixed { fix, elsewhere } => elsewhere
            .as_deref()
            .and_then(unfit)
            .or_else(|| unproven(thread, fix, elsewhere.is_some()))
            .or_else(|| newer_reply(thread, fix, strict)),
    };
    match refusal {
        Some((code, message)) => Decision::Refused(code, message),
        None => Decision::Resolve(Permit {
            thread_id: id.clone(),
        }),
    }
}

fn is_connector(comment: &ThreadComment, strict: bool) -> bool {
    let judged = identify(comment.author.as_ref(), IdentitySurface::GraphQl, strict);
    judged.identity == Identity::Connector
}

/// Words that say only that something was done.
const BARE: [&str; 22] = [
    "fixed",
    "fix",
    "done",
    "resolved",
    "addressed",
    "ok",
    "okay",
    "ack",
    "thanks",
    "thank",
    "you",
    "it",
    "this",
    "now",
    "already",
    "has",
    "been",
    "is",
    "all",
    "was",
    "yes",
    "no",
];

/// Why a text may not be posted as a reply.
pub fn unfit(text: &str) -> Option<(RefusalCode, String)> {
    if mentions_codex(text) {
        return Some((
            RefusalCode::MentionsCodex,
            "The reply mentions @codex, which would start a task.".into(),
        ));
    }
    let lower = text.to_lowercase();
    let bare = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| BARE.contains(&word));
    bare.then(|| {
        (
            RefusalCode::BareReply,
            "The reply says only that something was done; say what, or why.".into(),
        )
    })
}

/// The commit a thread was opened for.
pub fn commit_of(thread: &Thread) -> Option<&Sha> {
    let root = thread.comments.first()?;
    root.review_commit
        .known()
        .or_else(|| root.original_commit.known())
}

fn unproven(thread: &Thread, fix: &Fix, elsewhere: bool) -> Option<(RefusalCode, String)> {
    let short = fix.sha.short();
    match &fix.to_head.relation {
        Relation::Identical | Relation::Ahead => {}
        Relation::Behind | Relation::Diverged => {
            return Some((
                RefusalCode::FixNotOnHead,
                format!("Commit {short} is neither the hosted head nor an ancestor of it; push it first."),
            ));
        }
        Relation::Unknown(fact) => {
            return Some((
                RefusalCode::FixNotOnHead,
                format!("Nothing proves that commit {short} is on the hosted head: {fact}."),
            ));
        }
    }
    if elsewhere {
        return None;
    }
    let unproven = |message: String| {
        Some((
            RefusalCode::FixUnproven,
            format!("{message} --fixed-elsewhere REASON resolves it all the same."),
        ))
    };
    let Some(comparison) = &fix.from_thread else {
        return unproven("The thread names no commit, so nothing proves that the fix came after it.".into());
    };
    match &comparison.relation {
        Relation::Ahead => {}
        Relation::Identical | Relation::Behind => {
            return unproven(format!(
                "Commit {short} is not later than the commit the thread was opened for."
            ));
        }
        Relation::Diverged => {
            return unproven(format!(
                "Commit {short} does not descend from the commit the thread was opened for, as after a rebase."
            ));
        }
        Relation::Unknown(fact) => {
            return unproven(format!(
                "Commit {short} cannot be compared with the commit the thread was opened for: {fact}."
            ));
        }
    }
    if comparison.files >= FILES_SHOWN {
        return unproven(format!(
            "GitHub lists only {FILES_SHOWN} files of a comparison, so what the fix touches is not known."
        ));
    }
    let path = thread.path.text();
    if path.is_empty() || !comparison.paths.iter().any(|touched| touched == path) {
        return Some((
            RefusalCode::FixMissesPath,
            format!(
                "Between the thread's commit and {short} the thread's file is not touched. --fixed-elsewhere REASON \
                 resolves it all the same."
            ),
        ));
    }
    None
}

/// A reply of the connector that came after the fix may say that it is none.
fn newer_reply(thread: &Thread, fix: &Fix, strict: bool) -> Option<(RefusalCode, String)> {
    let mut replies = thread
        .comments
        .iter()
        .skip(1)
        .filter(|comment| is_connector(comment, strict));
    let newest = replies.rfind(|reply| match (reply.created_at.get(), fix.hosted_at) {
        (Some(at), Some(hosted)) => at > hosted,
        // Without both times it cannot be shown to be older.
        (None, _) | (_, None) => true,
    })?;
    let when = newest.created_at.get().map_or_else(
        || "at an unknown time".to_owned(),
        |at| format!("at {}", rfc3339(at)),
    );
    Some((
        RefusalCode::NewerReply,
        format!("The connector replied in the thread {when}, after the fix was there; read that first."),
    ))
}

/// The first hosted evidence of a commit that the evidence holds: reviews and recorded movements. Where there is none
/// its committer date, which is never later than the push.
pub fn hosted_at(evidence: &Evidence, sha: &Sha, suites: &[Timestamp]) -> Option<Timestamp> {
    let surfaces = &evidence.surfaces;
    let reviews = surfaces
        .reviews
        .items()
        .iter()
        .filter(|review| review.commit_id.known() == Some(sha))
        .filter_map(|review| review.submitted_at.get());
    let movements = surfaces
        .timeline
        .items()
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::HeadForcePushed {
                after: Some(after), ..
            } if after == sha => event.created_at.get(),
            EventKind::HeadForcePushed { .. }
            | EventKind::ReadyForReview
            | EventKind::ConvertedToDraft
            | EventKind::Reopened
            | EventKind::Closed
            | EventKind::Merged
            | EventKind::CommentDeleted { .. }
            | EventKind::BaseChanged
            | EventKind::BaseForcePushed
            | EventKind::HeadDeleted
            | EventKind::HeadRestored
            | EventKind::Unrecognized { .. } => None,
        });
    let pushes = surfaces
        .activity
        .items()
        .iter()
        .filter(|push| push.after.known() == Some(sha))
        .filter_map(|push| push.timestamp.get());
    let seen = reviews
        .chain(movements)
        .chain(pushes)
        .chain(suites.iter().copied());
    let committed = || {
        let commits = surfaces
            .head_commit
            .items()
            .iter()
            .chain(surfaces.commits.items());
        commits
            .filter(|commit| commit.oid == *sha)
            .find_map(|commit| commit.committed_date.get())
    };
    seen.min().or_else(committed)
}

/// The reply text that a justification and `--reply` come to; none when nothing is to be posted.
pub fn reply_text(justification: &Justification, reply: Option<&str>) -> Option<String> {
    let reason = match justification {
        Justification::None => None,
        Justification::Fixed { elsewhere, .. } => elsewhere.as_deref(),
        Justification::Rebutted { reason } => Some(reason.as_str()),
    };
    let parts: Vec<&str> = reason.into_iter().chain(reply).map(str::trim).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The exact text of a reply. The marker comes first: nothing that the text leaves open can swallow it.
pub fn reply_body(id: &Nonce, text: &str) -> String {
    format!("<!-- codex-loop: reply id={id} -->\n\n{text}")
}

/// A reply with this nonce in a thread.
pub fn find_reply<'t>(thread: &'t Thread, id: &Nonce) -> Option<&'t ThreadComment> {
    thread
        .comments
        .iter()
        .find(|comment| reply_marker(comment.body.text()).as_deref() == Some(id.as_str()))
}

/// A reply of this program by the same person with the same words, from whichever machine.
pub fn same_reply<'t>(thread: &'t Thread, poster: &Poster, text: &str) -> Option<&'t ThreadComment> {
    thread.comments.iter().find(|comment| {
        let by_poster = comment
            .author
            .as_ref()
            .and_then(|author| author.login.known())
            .is_some_and(|login| login.eq_ignore_ascii_case(&poster.login));
        let body = comment.body.text();
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        by_poster
            && reply_marker(body)
                .and_then(|id| id.parse::<Nonce>().ok())
                .is_some_and(|id| words(body) == words(&reply_body(&id, text)))
    })
}

/// Whether a reply that does not stand in its thread may still arrive.
pub fn may_still_arrive(started_at: Timestamp, now: Timestamp) -> bool {
    (now - started_at).num_minutes() < IN_FLIGHT_MINUTES
}

#[cfg(test)]
mod tests;
