//! Check suites, check runs and commit statuses of the head commit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::name::Sha;
use super::observed::{Observed, Timestamp, not_given};

/// A check suite of the head commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckSuite {
    /// The numeric id.
    #[serde(default)]
    pub id: Observed<u64>,
    /// The commit it belongs to.
    #[serde(default, alias = "head_sha")]
    pub head_sha: Observed<Sha>,
    /// The branch it was created for; null for a fork's.
    #[serde(default = "not_given::<String>", alias = "head_branch")]
    pub head_branch: Observed<String>,
    /// When GitHub created it: evidence that the commit had arrived.
    #[serde(default, alias = "created_at")]
    pub created_at: Observed<Timestamp>,
    /// `queued`, `in_progress`, `completed`, … in lower case.
    #[serde(default)]
    pub status: Observed<String>,
    /// The outcome in lower case.
    #[serde(default)]
    pub conclusion: Observed<String>,
    /// The app that owns it, by slug.
    #[serde(default)]
    pub app: Observed<String>,
    /// The name of the workflow that it is a run of; none of other apps.
    #[serde(default, skip_serializing_if = "Observed::is_missing")]
    pub workflow: Observed<String>,
    /// The event that started that workflow, `pull_request`, `push`, …
    #[serde(default, skip_serializing_if = "Observed::is_missing")]
    pub event: Observed<String>,
    /// How many runs it has, where known.
    #[serde(default, alias = "latest_check_runs_count")]
    pub runs: Observed<u64>,
}

/// The app of a check run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct App {
    /// The numeric id.
    #[serde(default)]
    pub id: Observed<u64>,
    /// The slug.
    #[serde(default)]
    pub slug: Observed<String>,
}

/// The suite a check run belongs to, as the run names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuiteReference {
    /// The numeric id.
    #[serde(default)]
    pub id: Observed<u64>,
}

/// One check run; re-runs are items of their own (`filter=all`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckRun {
    /// The numeric id.
    #[serde(default)]
    pub id: Observed<u64>,
    /// The name.
    #[serde(default)]
    pub name: Observed<String>,
    /// The commit it ran on.
    #[serde(default, alias = "head_sha")]
    pub head_sha: Observed<Sha>,
    /// `queued`, `in_progress`, `completed`, …
    #[serde(default)]
    pub status: Observed<String>,
    /// `success`, `failure`, … once completed.
    #[serde(default)]
    pub conclusion: Observed<String>,
    /// When it started.
    #[serde(default, alias = "started_at")]
    pub started_at: Observed<Timestamp>,
    /// When it completed.
    #[serde(default, alias = "completed_at")]
    pub completed_at: Observed<Timestamp>,
    /// Its app.
    #[serde(default)]
    pub app: Option<App>,
    /// Its suite.
    #[serde(default, alias = "check_suite")]
    pub check_suite: Option<SuiteReference>,
    /// The page on GitHub.
    #[serde(default, alias = "html_url")]
    pub html_url: Observed<String>,
    /// The page of whoever runs it; names the Actions run.
    #[serde(default, alias = "details_url")]
    pub details_url: Observed<String>,
}

/// One commit status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitStatus {
    /// The numeric id.
    #[serde(default)]
    pub id: Observed<u64>,
    /// The name of the check.
    #[serde(default)]
    pub context: Observed<String>,
    /// `success`, `failure`, `error`, `pending`.
    #[serde(default)]
    pub state: Observed<String>,
    /// When it was reported.
    #[serde(default, alias = "created_at")]
    pub created_at: Observed<Timestamp>,
    /// When it last changed.
    #[serde(default, alias = "updated_at")]
    pub updated_at: Observed<Timestamp>,
    /// Where the reporter points.
    #[serde(default, alias = "target_url")]
    pub target_url: Observed<String>,
    /// Who reported it.
    #[serde(default)]
    pub creator: Option<Account>,
}
