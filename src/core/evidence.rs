//! Everything that was read about one pull request at one time, frozen: the only input of every decision.
//!
//! The bundle `codex-loop.evidence/1` is this value as JSON. Items read GitHub's own REST spelling as well as the
//! bundle's camelCase, so that one set of types serves both. Only the modules below turn GitHub's words into enums.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod account;
pub mod check;
pub mod comment;
pub mod edit;
pub mod event;
pub mod handled;
pub mod name;
pub mod observed;
pub mod pull;
pub mod reaction;
pub mod review;
#[cfg(test)]
pub(crate) mod sample;
pub mod surface;
pub mod thread;

use account::Account;
use check::{CheckRun, CheckSuite, CommitStatus};
use comment::IssueComment;
use edit::Edit;
use event::{Activity, Event};
use handled::HandledRecord;
use name::Repository;
use observed::Timestamp;
use pull::{Commit, Pull, ResolvedCommit};
use reaction::Reaction;
use review::{Review, ReviewComment};
use surface::{Surface, SurfaceError, SurfaceErrorKind, SurfaceSummary};
use thread::Thread;

use crate::document::{self, unique};
use crate::lineage::{AttemptKind, AttemptState};

/// The schema word of a bundle.
pub const EVIDENCE_SCHEMA: &str = "codex-loop.evidence/1";

/// One pull request as it was seen at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Always [`EVIDENCE_SCHEMA`].
    pub schema: String,
    /// When the collection ended; every age is measured from here.
    pub collected_at: Timestamp,
    /// Versions of what collected it.
    pub versions: Versions,
    /// The GitHub host.
    pub host: String,
    /// The repository of the pull request.
    pub repository: Repository,
    /// The pull request's number.
    pub pull_request: u64,
    /// What moved while it was read, when three tries did not give a stable reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unstable: Option<String>,
    /// The collections.
    pub surfaces: Surfaces,
    /// What this machine knows of the pull request.
    #[serde(default = "Local::not_given")]
    pub local: Local,
}

/// Versions of the programs that collected a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Versions {
    /// This program.
    pub codex_loop: String,
    /// gh, as `gh --version` names it.
    #[serde(default)]
    pub gh: String,
}

/// Every collection on GitHub where state of the review can stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Surfaces {
    /// The pull request itself: one item.
    pub pull: Surface<Pull>,
    /// Its commits, the newest last. Complete only when all of them are here.
    pub commits: Surface<Commit>,
    /// The head commit: one item.
    pub head_commit: Surface<Commit>,
    /// Check suites of the head commit.
    pub check_suites: Surface<CheckSuite>,
    /// Head movements and lifecycle events.
    pub timeline: Surface<Event>,
    /// Top-level comments.
    pub issue_comments: Surface<IssueComment>,
    /// Submitted reviews.
    pub reviews: Surface<Review>,
    /// Inline comments.
    pub review_comments: Surface<ReviewComment>,
    /// Review threads with all their comments.
    pub threads: Surface<Thread>,
    /// Where the walk over the threads ended: the cursor of the page that said it is the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads_cursor: Option<String>,
    /// Reactions on the pull request's body.
    pub body_reactions: Surface<Reaction>,
    /// Reactions on comments, by comment id. A comment that is not here was not asked for.
    #[serde(deserialize_with = "unique")]
    pub comment_reactions: BTreeMap<u64, Surface<Reaction>>,
    /// Check runs of the head commit, re-runs included.
    pub check_runs: Surface<CheckRun>,
    /// Commit statuses of the head commit.
    pub statuses: Surface<CommitStatus>,
    /// What short commit ids stand for.
    pub resolved_commits: Surface<ResolvedCommit>,
    /// Pushes to the head branch, read only when the binding of a trigger needs them.
    pub activity: Surface<Activity>,
    /// Edit state of decisive comments and reviews.
    pub edits: Surface<Edit>,
    /// Contexts that the rules of the base branch require.
    pub merge_gates: Surface<RequiredCheck>,
    /// The user of the gh token: one item.
    pub viewer: Surface<Account>,
}

/// A status check that the rules of the base branch require.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredCheck {
    /// The context's name.
    pub context: String,
    /// The app that must report it, when the rule names one.
    #[serde(default, alias = "integration_id")]
    pub integration_id: Option<u64>,
}

/// What this machine knows: it never outweighs GitHub.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Local {
    /// Triggers that this machine's journal recorded as created.
    #[serde(default = "LocalJournal::not_given")]
    pub journal: LocalJournal,
    /// Dispositions of findings recorded in the handled file.
    #[serde(default)]
    pub handled: LocalHandled,
}

impl Local {
    /// Of a bundle that does not say what this machine knows.
    fn not_given() -> Self {
        Self {
            journal: LocalJournal::not_given(),
            handled: LocalHandled::default(),
        }
    }
}

/// The part of the journal that decisions read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalJournal {
    /// Every trigger the journal knows to be on GitHub.
    #[serde(default)]
    pub created: Vec<JournalTrigger>,
    /// Every attempt to post one, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<JournalAttempt>,
    /// Why the journal cannot be relied on for knowing that nothing is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

impl LocalJournal {
    /// Of a bundle that does not say what the journal holds: it may hold an intent.
    fn not_given() -> Self {
        Self {
            doubt: Some("The bundle does not say what this machine's journal holds.".to_owned()),
            ..Self::default()
        }
    }
}

/// An attempt of this machine to post a trigger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalAttempt {
    /// Our nonce.
    pub id: String,
    /// A request or a retry.
    pub kind: AttemptKind,
    /// The head it was for.
    pub head: name::Sha,
    /// When the intent was recorded.
    pub started_at: Timestamp,
    /// What it rests on.
    pub authorization_reference: String,
    /// The trigger of the failed run, for a retry.
    #[serde(default)]
    pub failed_trigger_comment_id: Option<u64>,
    /// Where it stands.
    #[serde(flatten)]
    pub state: AttemptState,
}

/// A trigger this machine posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalTrigger {
    /// The comment's id.
    pub comment_id: u64,
    /// The head it was posted for.
    pub head: name::Sha,
    /// Our own nonce in it.
    pub nonce: String,
}

/// The part of the handled file that decisions read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalHandled {
    /// Item key → SHA-256 of the body it was handled for; null when the file recorded none (older files).
    #[serde(default, deserialize_with = "unique")]
    pub items: BTreeMap<String, Option<String>>,
    /// What else it records: dispositions, families, checkpoints.
    #[serde(default, skip_serializing_if = "HandledRecord::is_empty")]
    pub record: HandledRecord,
}

impl Evidence {
    /// The pull request, when it was read.
    pub fn pull(&self) -> Option<&Pull> {
        self.surfaces.pull.items().first()
    }

    /// The pull request's page: as GitHub gave it, else built from what was asked for.
    pub fn url(&self) -> String {
        self.pull().map_or_else(
            || {
                format!(
                    "https://{}/{}/pull/{}",
                    self.host, self.repository, self.pull_request
                )
            },
            |pull| pull.url.clone(),
        )
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// One sentence when the text is no bundle of this version.
    pub fn from_json(text: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            schema: Option<String>,
        }
        match document::read::<Self>(text) {
            Ok(evidence) if evidence.schema == EVIDENCE_SCHEMA => Ok(evidence.held_against_counters()),
            Ok(evidence) => Err(format!(
                "this is a `{}` document, not `{EVIDENCE_SCHEMA}`; write one with `collect`",
                evidence
                    .schema
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(60)
                    .collect::<String>()
            )),
            Err(reason) => match serde_json::from_slice::<Head>(text) {
                Ok(Head { schema: Some(schema) }) if schema == EVIDENCE_SCHEMA => {
                    Err(format!("the evidence bundle is damaged: {reason}"))
                }
                Ok(_) | Err(_) if document::no_json(text).is_none() => Err(format!(
                    "this is no `{EVIDENCE_SCHEMA}` document; write one with `collect`"
                )),
                Ok(_) | Err(_) => Err(reason),
            },
        }
    }

    /// The same bundle, with every collection that holds less than the pull request counts known to be incomplete,
    /// whatever it says of itself.
    fn held_against_counters(mut self) -> Self {
        fn hold<T>(surface: &mut Surface<T>, counter: Option<u64>) {
            if let Some(counter) = counter
                && surface.is_complete()
                && counter > surface.items().len() as u64
            {
                let message = surface.disagreement(counter);
                let kind = SurfaceErrorKind::Incomplete;
                *surface = std::mem::take(surface).into_incomplete(SurfaceError { kind, message });
            }
        }
        if let Some(counts) = self.pull().map(|pull| pull.counts) {
            hold(&mut self.surfaces.issue_comments, counts.comments);
            hold(&mut self.surfaces.reviews, counts.reviews);
            hold(&mut self.surfaces.threads, counts.threads);
            hold(&mut self.surfaces.commits, counts.commits);
        }
        self
    }

    /// How completely each surface was read, by its name in documents.
    pub fn surface_summaries(&self) -> BTreeMap<String, SurfaceSummary> {
        let s = &self.surfaces;
        let mut all: BTreeMap<String, SurfaceSummary> = BTreeMap::new();
        for (name, summary) in [
            ("pull", s.pull.summary()),
            ("commits", s.commits.summary()),
            ("headCommit", s.head_commit.summary()),
            ("checkSuites", s.check_suites.summary()),
            ("timeline", s.timeline.summary()),
            ("issueComments", s.issue_comments.summary()),
            ("reviews", s.reviews.summary()),
            ("reviewComments", s.review_comments.summary()),
            ("threads", s.threads.summary()),
            ("bodyReactions", s.body_reactions.summary()),
            ("checkRuns", s.check_runs.summary()),
            ("statuses", s.statuses.summary()),
            ("resolvedCommits", s.resolved_commits.summary()),
            ("activity", s.activity.summary()),
            ("edits", s.edits.summary()),
            ("mergeGates", s.merge_gates.summary()),
            ("viewer", s.viewer.summary()),
        ] {
            all.insert(name.to_owned(), summary);
        }
        all.insert(
            "commentReactions".to_owned(),
            self.comment_reactions_summary(|_| true),
        );
        all
    }

    /// How completely the reactions of the chosen comments were read, all of them together.
    pub fn comment_reactions_summary(&self, chosen: impl Fn(u64) -> bool) -> SurfaceSummary {
        let all = self.surfaces.comment_reactions.iter();
        let each = all
            .filter(|(id, _)| chosen(**id))
            .map(|(_, surface)| surface.summary());
        each.fold(
            SurfaceSummary {
                status: "complete".into(),
                items: 0,
                pages: 0,
                error: None,
            },
            |sum, one| SurfaceSummary {
                status: if one.status == "complete" {
                    sum.status
                } else {
                    one.status
                },
                items: sum.items.saturating_add(one.items),
                pages: sum.pages.saturating_add(one.pages),
                error: sum.error.or(one.error),
            },
        )
    }
}

#[cfg(test)]
mod tests;
