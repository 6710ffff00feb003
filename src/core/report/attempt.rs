//! `codex-loop.request/1` and `codex-loop.retry/1`: what was posted, what was not, and where the attempt stands.

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::answer::{self, headline};
use super::classification::Next;
use super::look::{Look, Tone};
use super::preflight::blockers;
use super::sanitise;
use crate::authorization::Authorization;
use crate::evidence::name::{EvidenceName, Id};
use crate::evidence::observed::rfc3339;
use crate::lineage::{Attempt, AttemptKind, AttemptState, Landed};
use crate::preflight::{Blocker, Verdict};
use crate::reason::{NextAction, words};
use crate::run::failure::{FailureRecord, RetryTransitionState, TerminalFields};

/// `codex-loop.request/1`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// What was done.
    #[serde(flatten)]
    pub post: PostRow,
}

/// `codex-loop.retry/1`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// What was done.
    #[serde(flatten)]
    pub post: PostRow,
    /// The record of the head's retry lineage; null when no run of the head failed.
    pub terminal: Option<TerminalFields>,
}

/// What a `request` or `retry` came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostRow {
    /// Where the attempt stands.
    pub state: RetryTransitionState,
    /// Why it stands there; null where the state says it all.
    pub because: Option<String>,
    /// Whether this command sent anything.
    pub posted: bool,
    /// Whether the round's own request stood there already and was taken.
    pub reused: bool,
    /// Whether this was only to show what would be sent.
    pub dry_run: bool,
    /// Everything that stands in the way.
    pub blockers: Vec<Blocker>,
    /// The exact text that was, or would be, posted; the random id is drawn anew for each post.
    pub body: Option<String>,
    /// What it rests on.
    pub authorization: Option<Authorization>,
    /// The recorded attempt; null when there is none.
    pub attempt: Option<AttemptRow>,
    /// The trigger that it came to.
    pub trigger: Option<TriggerRow>,
    /// Other triggers that appeared since the attempt began.
    #[schemars(with = "Vec<String>")]
    pub overlaps: Vec<EvidenceName>,
    /// What is worth knowing.
    pub warnings: Vec<PostWarning>,
    /// The one thing to do next.
    pub next: Next,
}

/// A recorded attempt.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttemptRow {
    /// The nonce in its marker.
    pub id: String,
    /// A request or a retry.
    pub kind: AttemptKind,
    /// The head it is for.
    pub head_ref_oid: String,
    /// When the intent was recorded.
    pub started_at: String,
}

/// A trigger on GitHub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriggerRow {
    /// Its comment id.
    pub comment_id: u64,
    /// When it was posted.
    pub created_at: String,
    /// The head it is for.
    pub head_ref_oid: String,
    /// Its page.
    pub url: Option<String>,
}

words! {
    /// Something worth knowing about a post.
    PostWarningCode {
        /// The head moved since; the trigger counts for the old one only.
        HeadMoved = "head-moved",
        /// Another trigger stands beside ours.
        OverlappingTriggers = "overlapping-triggers",
        /// The journal could not record the outcome.
        NotRecorded = "not-recorded",
    }
}

/// Something worth knowing about a post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PostWarning {
    /// The code.
    pub code: PostWarningCode,
    /// One sentence.
    pub message: String,
}

impl PostRow {
    /// Nothing was posted, because of these blockers (or, when there are none, because it was not asked for).
    pub fn refused(kind: AttemptKind, number: u64, blockers: Vec<Blocker>) -> Self {
        let next = if blockers.is_empty() {
            ask(kind, number)
        } else {
            next(
                NextAction::AskUser,
                "Nothing was posted; clear what stands in the way first.",
                Some(format!("preflight {number} --for {}", kind.as_str())),
            )
        };
        Self {
            state: RetryTransitionState::NotRequested,
            because: None,
            posted: false,
            reused: false,
            dry_run: false,
            blockers,
            body: None,
            authorization: None,
            attempt: None,
            trigger: None,
            overlaps: Vec::new(),
            warnings: Vec::new(),
            next,
        }
    }

    /// The record of a lineage, for showing it.
    pub fn shown(record: Option<&FailureRecord>, number: u64) -> Self {
        let mut row = Self::refused(AttemptKind::Retry, number, Vec::new());
        row.next = match record {
            None => next(
                NextAction::None,
                "No run of this head failed; there is nothing to retry.",
                None,
            ),
            Some(record) if record.is_open() => reconcile(AttemptKind::Retry, number),
            Some(record) if record.may_retry() => ask(AttemptKind::Retry, number),
            Some(_) => next(
                NextAction::AskUser,
                "This lineage allows no retry; tell the user what failed.",
                None,
            ),
        };
        if let Some(record) = record {
            row.state = record.fields.retry_transition_state;
        }
        row
    }

    /// A request of this loop round stands there already.
    pub fn reused(number: u64, trigger: TriggerRow) -> Self {
        Self {
            state: RetryTransitionState::Created,
            reused: true,
            trigger: Some(trigger),
            next: poll(number),
            ..Self::refused(AttemptKind::Request, number, Vec::new())
        }
    }

    /// An attempt in its state now.
    pub fn of(attempt: &Attempt, number: u64, url: Option<String>) -> Self {
        let kind = attempt.kind;
        let (trigger, next) = match &attempt.state {
            AttemptState::Created {
                comment_id,
                created_at,
                ..
            } => (
                Some(TriggerRow {
                    comment_id: *comment_id,
                    created_at: rfc3339(*created_at),
                    head_ref_oid: attempt.head.to_string(),
                    url,
                }),
                poll(number),
            ),
            AttemptState::NotRequested { .. } => (None, ask(kind, number)),
            AttemptState::CreationFailed { .. } => (
                None,
                next(
                    NextAction::AskUser,
                    "Ask the user; another attempt needs their fresh word.",
                    Some(format!("{} {number} --authorization REF", kind.as_str())),
                ),
            ),
            AttemptState::Creating | AttemptState::ReconciliationRequired { .. } => {
                (None, reconcile(kind, number))
            }
        };
        Self {
            state: attempt.state.word(),
            because: attempt.state.because().map(str::to_owned),
            body: Some(attempt.body.clone()),
            authorization: Some(attempt.authorization.clone()),
            attempt: Some(AttemptRow {
                id: attempt.id.to_string(),
                kind,
                head_ref_oid: attempt.head.to_string(),
                started_at: rfc3339(attempt.started_at),
            }),
            trigger,
            next,
            ..Self::refused(kind, number, Vec::new())
        }
    }

    /// Adds triggers that stand beside ours.
    pub fn with_overlaps(mut self, overlaps: &[Landed]) -> Self {
        self.overlaps = overlaps
            .iter()
            .map(|landed| EvidenceName::IssueComment(Id::Number(landed.comment_id)))
            .collect();
        if !self.overlaps.is_empty() {
            let names: Vec<String> = self.overlaps.iter().map(ToString::to_string).collect();
            let message = format!(
                "Another trigger appeared since the attempt began: {}. No result can be given to either.",
                names.join(", ")
            );
            self.warnings.push(PostWarning {
                code: PostWarningCode::OverlappingTriggers,
                message,
            });
        }
        self
    }

    /// Adds that the head moved.
    pub fn with_head_moved(mut self, moved: bool, now: &str) -> Self {
        if moved {
            let message = format!(
                "The head is {now} now; the trigger was for an earlier one and never counts as a run of the new one."
            );
            self.warnings.push(PostWarning {
                code: PostWarningCode::HeadMoved,
                message,
            });
        }
        self
    }
}

fn next(action: NextAction, message: &str, command: Option<String>) -> Next {
    Next {
        action,
        message: message.to_owned(),
        command: command.map(|command| format!("gh codex-loop {command}")),
    }
}

fn reconcile(kind: AttemptKind, number: u64) -> Next {
    next(
        NextAction::Reconcile,
        "Nothing more is posted until this attempt is settled.",
        Some(format!("{} {number} --reconcile", kind.as_str())),
    )
}

fn poll(number: u64) -> Next {
    next(
        NextAction::Poll,
        "Read again later; never post another trigger meanwhile.",
        Some(format!("watch {number}")),
    )
}

fn ask(kind: AttemptKind, number: u64) -> Next {
    let action = match kind {
        AttemptKind::Request => NextAction::RequestReview,
        AttemptKind::Retry => NextAction::Retry,
    };
    next(
        action,
        "Post it when the user authorized it.",
        Some(format!("{} {number} --authorization REF", kind.as_str())),
    )
}

/// The text for people: what was done, why, what to do next, and what stands on GitHub now.
pub fn text(
    kind: AttemptKind,
    header: &Header,
    post: &PostRow,
    terminal: Option<&TerminalFields>,
    look: &Look,
) -> String {
    let (tone, word) = outcome(kind, post);
    let mut lines = if look.terminal {
        headline(look, tone, &word, header, None)
    } else {
        vec![word]
    };
    match &post.because {
        Some(because) if look.terminal => lines.extend(look.labelled("why", because, 4)),
        Some(because) => lines.push(format!("  {}", sanitise::one_line(because, 400))),
        None => {}
    }
    lines.extend(blockers(&post.blockers, look));
    if look.terminal {
        lines.extend(answer::next(look, &post.next));
    }
    if let Some(trigger) = &post.trigger {
        let short: String = trigger.head_ref_oid.chars().take(10).collect();
        let place = sanitise::one_line(trigger.url.as_deref().unwrap_or_default(), 200);
        let line = format!("  trigger {} for {short} {place}", trigger.comment_id);
        lines.push(look.link(trigger.url.as_deref(), line.trim_end()));
    }
    if post.dry_run
        && let Some(body) = &post.body
    {
        // Exactly what would be posted: never folded.
        lines.extend(
            body.lines()
                .map(|part| format!("  | {}", sanitise::one_line(part, 300))),
        );
    }
    if let Some(authorization) = &post.authorization {
        let reference = sanitise::one_line(authorization.reference.as_str(), 200);
        let line = format!("authorization {}: {reference}", authorization.kind.as_str());
        lines.extend(look.folded(&line, 2, 4));
    }
    for warning in &post.warnings {
        let message = format!("warning {}: {}", warning.code.as_str(), warning.message);
        lines.extend(look.noted(Tone::Doubtful, &message, 4));
    }
    if let Some(terminal) = terminal {
        lines.extend(look.folded(&lineage(terminal), 2, 4));
    }
    if !look.terminal {
        lines.extend(answer::next(look, &post.next));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn outcome(kind: AttemptKind, post: &PostRow) -> (Tone, String) {
    let word = post.state.as_str();
    match (post.state, Verdict::of(&post.blockers)) {
        (_, Verdict::Refused) => (Tone::Bad, format!("refused: nothing was posted ({word})")),
        (_, Verdict::Unknown) => (
            Tone::Doubtful,
            format!("not posted: the evidence has gaps ({word})"),
        ),
        (RetryTransitionState::NotRequested, Verdict::Allowed) if post.dry_run => (
            Tone::Quiet,
            format!("dry run: this {} would be posted", kind.as_str()),
        ),
        (RetryTransitionState::NotRequested, Verdict::Allowed) => (Tone::Quiet, word.to_owned()),
        (RetryTransitionState::Created, Verdict::Allowed) => (Tone::Good, word.to_owned()),
        (RetryTransitionState::CreationFailed, Verdict::Allowed) => (Tone::Bad, word.to_owned()),
        (RetryTransitionState::Creating | RetryTransitionState::ReconciliationRequired, Verdict::Allowed) => {
            (Tone::Doubtful, word.to_owned())
        }
    }
}

/// The lineage in one line.
fn lineage(fields: &TerminalFields) -> String {
    let successor = match fields.successor_trigger_comment_id {
        Some(id) => format!(", successor {id}"),
        None => String::new(),
    };
    format!(
        "lineage: trigger {} failed by {} ({}), retries {}, {}{successor}",
        fields.trigger_comment_id,
        fields.terminal_comment_id,
        fields.terminal_signature_id,
        fields.retry_attempt_count,
        fields.retry_transition_state.as_str(),
    )
}
