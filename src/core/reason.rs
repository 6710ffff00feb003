//! The closed lists of words that documents give as reasons, warnings and next actions.

use serde::Serialize;

use crate::bot::notices::NoticeKind;
use crate::evidence::name::EvidenceName;

/// Makes a closed list: an enum, all its members, and its words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$item:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$item])* $variant),+ }

        impl $name {
            /// Every member.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word documents use.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::ALL
                    .iter()
                    .copied()
                    .find(|known| known.as_str() == word)
                    .ok_or_else(|| serde::de::Error::unknown_variant(&word, &[$($word),+]))
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }
    };
}
pub(crate) use words;

words! {
    /// Why a run is in its state.
    ReasonCode {
        /// The connector's +1 on the newest trigger.
        CleanReaction = "clean-reaction",
        /// An attributable no-findings result for the head.
        CleanReviewResult = "clean-review-result",
        /// A current thread.
        FindingThread = "finding-thread",
        /// A finding in a top-level comment.
        FindingComment = "finding-comment",
        /// A finding in the body of a review.
        FindingReviewBody = "finding-review-body",
        /// The connector's eyes on the newest trigger.
        Acknowledged = "acknowledged",
        /// A listed failure.
        TerminalSignature = "terminal-signature",
        /// The head moved after the newest trigger.
        HeadChanged = "head-changed",
        /// Nobody asked for a review.
        NoTrigger = "no-trigger",
        /// Nothing proves which head the trigger was for.
        TriggerHeadUnproven = "trigger-head-unproven",
        /// More than one unanswered trigger: no result can be attributed.
        OverlappingTriggers = "overlapping-triggers",
        /// A collection was not read to its end.
        IncompleteSurface = "incomplete-surface",
        /// The pull request kept changing while it was read.
        UnstableCollection = "unstable-collection",
        /// An item without a usable id, time or text.
        MalformedEvidence = "malformed-evidence",
        /// An author that is neither proven to be the connector nor proven not to be.
        IdentityMismatch = "identity-mismatch",
        /// Two surfaces in the same second: no order.
        SameTimeEvidence = "same-time-evidence",
        /// A thread from before the trigger is still open.
        EarlierThreadUnresolved = "earlier-thread-unresolved",
        /// The findings are addressed, and nothing new was said.
        FindingsResolved = "findings-resolved",
        /// A review is visible before its inline comments.
        InlineCommentsLagging = "inline-comments-lagging",
        /// Nothing decisive yet.
        NoTerminalOutput = "no-terminal-output",
        /// Only the summary comment speaks.
        SummaryOnly = "summary-only",
        /// The summary comment says the review is running.
        SummaryRunning = "summary-running",
        /// The summary comment says the review failed.
        SummaryFailed = "summary-failed",
        /// A result whose meaning is not certain.
        UnclearResult = "unclear-result",
        /// A result that names two commits.
        CommitAmbiguous = "commit-ambiguous",
        /// A result whose commit is missing or unknown.
        CommitUnresolved = "commit-unresolved",
        /// A result for another commit.
        ResultForOtherHead = "result-for-other-head",
        /// A decisive text was edited by somebody else.
        EvidenceEdited = "evidence-edited",
        /// A quota is used up.
        NoticeUsageLimit = "notice-usage-limit",
        /// The repository has no environment.
        NoticeEnvironment = "notice-environment",
        /// The commenter has no connected account.
        NoticeAccount = "notice-account",
        /// The workspace is deactivated.
        NoticeWorkspace = "notice-workspace",
        /// The request failed.
        NoticeRequestFailed = "notice-request-failed",
        /// An error text that is not listed.
        NoticeErrorUnlisted = "notice-error-unlisted",
        /// The reply of a coding task.
        TaskReply = "task-reply",
        /// A text of the connector that this version does not know.
        UnrecognizedBotText = "unrecognized-bot-text",
        /// The pull request is closed or merged.
        PullClosed = "pull-closed",
    }
}

words! {
    /// Something worth knowing that never changes a state.
    WarningCode {
        /// The head is so young that an automatic review may start.
        AutomaticRunPossible = "automatic-run-possible",
        /// The base branch was changed or rewritten.
        BaseChanged = "base-changed",
        /// A stranger bears the connector's name in another surface's spelling.
        ImpostorAccount = "impostor-account",
        /// The connector's login and type under another id.
        ConnectorIdUnexpected = "connector-id-unexpected",
        /// A comment was deleted.
        CommentDeleted = "comment-deleted",
        /// A bot asked for a review and the connector did not react.
        TriggerByBot = "trigger-by-bot",
        /// The trigger was edited.
        TriggerEdited = "trigger-edited",
        /// The verdict is so young that a second review may follow.
        LateReviewPossible = "late-review-possible",
        /// A text of the connector that this version does not know.
        UnrecognizedBotText = "unrecognized-bot-text",
    }
}

words! {
    /// The one thing to do next.
    NextAction {
        /// Nothing: the run is clean.
        None = "none",
        /// Verify and fix the findings.
        AddressFindings = "address-findings",
        /// Read again later.
        Poll = "poll",
        /// Ask for the one authorized retry.
        Retry = "retry",
        /// Ask the user.
        AskUser = "ask-user",
        /// Ask for one review of the head.
        RequestReview = "request-review",
        /// Verify the open threads and resolve those that are fixed.
        VerifyThreads = "verify-threads",
        /// Find out which trigger owns which result.
        Reconcile = "reconcile",
        /// Collect again.
        Recollect = "recollect",
        /// Read a text and say what it means.
        Judge = "judge",
        /// Stop: the pull request is closed.
        Stop = "stop",
    }
}

impl From<NoticeKind> for ReasonCode {
    fn from(kind: NoticeKind) -> Self {
        match kind {
            NoticeKind::UsageLimit => Self::NoticeUsageLimit,
            NoticeKind::Environment => Self::NoticeEnvironment,
            NoticeKind::Account => Self::NoticeAccount,
            NoticeKind::Workspace => Self::NoticeWorkspace,
            NoticeKind::RequestFailed => Self::NoticeRequestFailed,
            NoticeKind::ErrorUnlisted => Self::NoticeErrorUnlisted,
        }
    }
}

impl ReasonCode {
    /// What to do next when this is the first reason. A terminal signature is answered by `retry` only when its
    /// record allows one; the caller decides that.
    pub fn next(self) -> NextAction {
        match self {
            Self::CleanReaction | Self::CleanReviewResult => NextAction::None,
            Self::FindingThread | Self::FindingComment | Self::FindingReviewBody => {
                NextAction::AddressFindings
            }
            Self::Acknowledged
            | Self::NoTerminalOutput
            | Self::SummaryOnly
            | Self::SummaryRunning
            | Self::InlineCommentsLagging
            | Self::ResultForOtherHead
            | Self::TaskReply => NextAction::Poll,
            Self::TerminalSignature => NextAction::Retry,
            Self::HeadChanged | Self::NoTrigger | Self::FindingsResolved => NextAction::RequestReview,
            Self::EarlierThreadUnresolved => NextAction::VerifyThreads,
            Self::OverlappingTriggers => NextAction::Reconcile,
            Self::IncompleteSurface | Self::UnstableCollection => NextAction::Recollect,
            Self::UnclearResult | Self::UnrecognizedBotText => NextAction::Judge,
            Self::PullClosed => NextAction::Stop,
            Self::TriggerHeadUnproven
            | Self::MalformedEvidence
            | Self::IdentityMismatch
            | Self::SameTimeEvidence
            | Self::SummaryFailed
            | Self::CommitAmbiguous
            | Self::CommitUnresolved
            | Self::EvidenceEdited
            | Self::NoticeUsageLimit
            | Self::NoticeEnvironment
            | Self::NoticeAccount
            | Self::NoticeWorkspace
            | Self::NoticeRequestFailed
            | Self::NoticeErrorUnlisted => NextAction::AskUser,
        }
    }
}

/// One reason: a code, a sentence, and the evidence it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Reason {
    /// The code.
    pub code: ReasonCode,
    /// One sentence.
    pub message: String,
    /// What it rests on.
    #[schemars(with = "Vec<String>")]
    pub evidence: Vec<EvidenceName>,
}

impl Reason {
    /// A reason with its evidence.
    pub fn new(code: ReasonCode, message: impl Into<String>, evidence: Vec<EvidenceName>) -> Self {
        Self {
            code,
            message: message.into(),
            evidence,
        }
    }
}

/// One warning: a code, a sentence, and the evidence it rests on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Warning {
    /// The code.
    pub code: WarningCode,
    /// One sentence.
    pub message: String,
    /// What it rests on.
    #[schemars(with = "Vec<String>")]
    pub evidence: Vec<EvidenceName>,
}
