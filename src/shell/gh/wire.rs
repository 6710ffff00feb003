//! GitHub's GraphQL answers as they come, and how they become evidence. Fields that are missing stay missing.

use codex_loop::document;
use codex_loop::evidence::account::Account;
use codex_loop::evidence::check::CheckSuite;
use codex_loop::evidence::event::{Event, EventKind};
use codex_loop::evidence::name::Sha;
use codex_loop::evidence::observed::{Observed, Timestamp};
use codex_loop::evidence::pull::Commit;
use codex_loop::evidence::thread::{Thread, ThreadComment};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A GraphQL answer. Partial data beside errors is not used.
#[derive(Deserialize)]
pub struct Answer<D> {
    #[serde(default = "none")]
    data: Option<D>,
    #[serde(default)]
    errors: Option<Vec<Value>>,
}

fn none<D>() -> Option<D> {
    None
}

/// Reads one GraphQL answer.
///
/// # Errors
/// The fact, when it is no answer or carries errors.
pub fn answer<D: DeserializeOwned>(bytes: &[u8]) -> Result<D, String> {
    let answer: Answer<D> = document::read(bytes)
        .map_err(|reason| format!("GitHub's GraphQL answer cannot be read: {reason}"))?;
    if let Some(error) = answer.errors.as_deref().and_then(<[Value]>::first) {
        let words = error
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or("without a message");
        return Err(format!(
            "GitHub's GraphQL answered with an error: {}",
            codex_loop::report::sanitise::one_line(words, 200)
        ));
    }
    answer
        .data
        .ok_or_else(|| "GitHub's GraphQL answer holds no data".to_owned())
}

/// A connection, or one page of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection<T> {
    #[serde(default)]
    pub page_info: Option<PageInfo>,
    #[serde(default)]
    pub total_count: Option<u64>,
    #[serde(default = "Vec::new")]
    pub nodes: Vec<Option<T>>,
}

/// Where a page ends.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageInfo {
    #[serde(default)]
    pub has_next_page: Option<bool>,
    #[serde(default)]
    pub end_cursor: Option<String>,
}

/// `{ repository { pullRequest { … } } }`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InPull<P> {
    pub repository: Option<RepositoryOf<P>>,
}

/// The repository in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepositoryOf<P> {
    pub pull_request: Option<P>,
}

impl<P> InPull<P> {
    /// The pull request in it.
    pub fn pull(self) -> Option<P> {
        self.repository?.pull_request
    }
}

/// An object that names a commit.
#[derive(Debug, Deserialize)]
pub struct Oid {
    #[serde(default)]
    pub oid: Observed<Sha>,
}

pub fn oid(commit: Option<Oid>) -> Observed<Sha> {
    commit.map_or(Observed::Missing, |commit| commit.oid)
}

/// GraphQL's BigInt: digits in a string. A plain number is as good.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Value")]
pub struct BigInt(pub Observed<u64>);

impl From<Value> for BigInt {
    fn from(value: Value) -> Self {
        Self(match &value {
            Value::Null => Observed::Missing,
            Value::Number(number) => number.as_u64().map_or_else(|| malformed(&value), Observed::Known),
            Value::String(text) => text.parse().map_or_else(|_| malformed(&value), Observed::Known),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => malformed(&value),
        })
    }
}

fn malformed<T>(value: &Value) -> Observed<T> {
    Observed::Malformed(value.to_string().chars().take(80).collect())
}

/// GraphQL's enum words in the lower case of REST.
fn lower(word: Observed<String>) -> Observed<String> {
    match word {
        Observed::Known(word) => Observed::Known(word.to_ascii_lowercase()),
        other => other,
    }
}

/// `{ commit { oid committedDate } }`
#[derive(Debug, Deserialize)]
pub struct PullCommit {
    pub commit: Option<Commit>,
}

/// A check suite.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Suite {
    #[serde(default)]
    database_id: BigInt,
    #[serde(default)]
    created_at: Observed<Timestamp>,
    #[serde(default)]
    status: Observed<String>,
    #[serde(default)]
    conclusion: Observed<String>,
    #[serde(default)]
    branch: Option<Branch>,
    #[serde(default)]
    commit: Option<Oid>,
    #[serde(default)]
    app: Option<Slug>,
    #[serde(default)]
    workflow_run: Option<WorkflowRun>,
    #[serde(default)]
    check_runs: Option<Total>,
}

#[derive(Debug, Deserialize)]
struct WorkflowRun {
    #[serde(default)]
    event: Observed<String>,
    #[serde(default)]
    workflow: Option<Workflow>,
}

#[derive(Debug, Deserialize)]
struct Workflow {
    #[serde(default)]
    name: Observed<String>,
}

#[derive(Debug, Deserialize)]
struct Branch {
    #[serde(default)]
    name: Observed<String>,
}

#[derive(Debug, Deserialize)]
struct Slug {
    #[serde(default)]
    slug: Observed<String>,
}

/// A counter of a connection.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Total {
    #[serde(default)]
    pub total_count: Observed<u64>,
}

impl From<Suite> for CheckSuite {
    fn from(suite: Suite) -> Self {
        let (workflow, event) = suite
            .workflow_run
            .map_or((None, Observed::Missing), |run| (run.workflow, run.event));
        Self {
            workflow: workflow.map_or(Observed::Missing, |workflow| workflow.name),
            event,
            id: suite.database_id.0,
            head_sha: oid(suite.commit),
            head_branch: suite.branch.map_or(Observed::Missing, |branch| branch.name),
            created_at: suite.created_at,
            status: lower(suite.status),
            conclusion: lower(suite.conclusion),
            app: suite.app.map_or(Observed::Missing, |app| app.slug),
            runs: suite
                .check_runs
                .map_or(Observed::Missing, |runs| runs.total_count),
        }
    }
}

/// A timeline event.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimelineItem {
    #[serde(rename = "__typename")]
    word: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    created_at: Observed<Timestamp>,
    #[serde(default)]
    actor: Option<Account>,
    #[serde(default)]
    before_commit: Option<Oid>,
    #[serde(default)]
    after_commit: Option<Oid>,
    #[serde(default)]
    deleted_comment_author: Option<Account>,
}

impl From<TimelineItem> for Event {
    fn from(item: TimelineItem) -> Self {
        let sha = |commit: Option<Oid>| oid(commit).known().cloned();
        let kind = match item.word.as_str() {
            "HeadRefForcePushedEvent" => EventKind::HeadForcePushed {
                before: sha(item.before_commit),
                after: sha(item.after_commit),
            },
            "ReadyForReviewEvent" => EventKind::ReadyForReview,
            "ConvertToDraftEvent" => EventKind::ConvertedToDraft,
            "ReopenedEvent" => EventKind::Reopened,
            "ClosedEvent" => EventKind::Closed,
            "MergedEvent" => EventKind::Merged,
            "CommentDeletedEvent" => EventKind::CommentDeleted {
                author: item
                    .deleted_comment_author
                    .and_then(|account| account.login.known().cloned()),
            },
            "BaseRefChangedEvent" => EventKind::BaseChanged,
            "BaseRefForcePushedEvent" => EventKind::BaseForcePushed,
            "HeadRefDeletedEvent" => EventKind::HeadDeleted,
            "HeadRefRestoredEvent" => EventKind::HeadRestored,
            _ => EventKind::Unrecognized { word: item.word },
        };
        Self {
            id: item.id,
            kind,
            created_at: item.created_at,
            actor: item.actor,
        }
    }
}

/// A review thread with the first page of its comments.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireThread {
    #[serde(default)]
    id: Observed<String>,
    #[serde(default)]
    is_resolved: Observed<bool>,
    #[serde(default)]
    is_outdated: Observed<bool>,
    #[serde(default)]
    path: Observed<String>,
    #[serde(default)]
    line: Observed<u64>,
    #[serde(default)]
    original_line: Observed<u64>,
    #[serde(default = "none")]
    pub comments: Option<Connection<WireThreadComment>>,
}

impl WireThread {
    /// The thread with these comments.
    pub fn with(self, comments: Vec<ThreadComment>) -> Thread {
        Thread {
            id: self.id,
            is_resolved: self.is_resolved,
            is_outdated: self.is_outdated,
            path: self.path,
            line: self.line,
            original_line: self.original_line,
            comments,
        }
    }

    /// The node id.
    pub fn id(&self) -> &str {
        self.id.text()
    }
}

/// A comment in a thread.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireThreadComment {
    #[serde(default)]
    full_database_id: BigInt,
    #[serde(default)]
    author: Option<Account>,
    #[serde(default)]
    author_association: Observed<String>,
    #[serde(default)]
    created_at: Observed<Timestamp>,
    #[serde(default)]
    last_edited_at: Observed<Timestamp>,
    #[serde(default)]
    body: Observed<String>,
    #[serde(default)]
    url: Observed<String>,
    #[serde(default)]
    original_commit: Option<Oid>,
    #[serde(default)]
    pull_request_review: Option<WireReview>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireReview {
    #[serde(default)]
    full_database_id: BigInt,
    #[serde(default)]
    commit: Option<Oid>,
}

impl From<WireThreadComment> for ThreadComment {
    fn from(comment: WireThreadComment) -> Self {
        let (review_id, review_commit) = match comment.pull_request_review {
            Some(review) => (review.full_database_id.0, oid(review.commit)),
            None => (Observed::Missing, Observed::Missing),
        };
        Self {
            id: comment.full_database_id.0,
            author: comment.author,
            author_association: comment.author_association,
            created_at: comment.created_at,
            last_edited_at: comment.last_edited_at,
            body: comment.body,
            url: comment.url,
            original_commit: oid(comment.original_commit),
            review_id,
            review_commit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn big_numbers_come_as_text() {
        for (json, known) in [
            ("\"3000000000\"", Some(3_000_000_000)),
            ("7", Some(7)),
            ("null", None),
            ("\"x\"", None),
        ] {
            let number: BigInt = serde_json::from_str(json).expect("any value is taken");
            assert_eq!(number.0.get(), known, "{json}");
        }
        let odd: BigInt = serde_json::from_str("\"x\"").expect("taken");
        assert!(matches!(odd.0, Observed::Malformed(_)));
    }

    #[test]
    fn an_answer_with_errors_is_no_answer() {
        let partial =
            br#"{"data":{"repository":null},"errors":[{"message":"Something \u001b[31mwent wrong"}]}"#;
        let reason = answer::<InPull<Total>>(partial).map(|_| ()).expect_err("errors");
        assert!(
            reason.contains("went wrong") && !reason.contains('\u{1b}'),
            "{reason}"
        );
        assert!(answer::<InPull<Total>>(b"{\"data\":null}").is_err());
        assert!(answer::<InPull<Total>>(b"{\"data\":{\"repos").is_err());
    }

    #[test]
    fn an_unknown_event_is_kept_by_its_word() {
        let item: TimelineItem =
            serde_json::from_str(r#"{"__typename":"SurpriseEvent","id":"X"}"#).expect("read");
        assert_eq!(
            Event::from(item).kind,
            EventKind::Unrecognized {
                word: "SurpriseEvent".into()
            }
        );
    }
}
