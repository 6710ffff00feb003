//! The small words of the bounded loop: SHAs, digests, ids, names, times, texts.

use super::error::{EvaluatorError, printable};
use super::vocabulary::{number, text, words};
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};

fn any(_: &str) -> bool {
    true
}

text! {
    /// a full commit SHA of 40 lower-case hexadecimal digits
    Sha: "^[0-9a-f]{40}$", 40..=40, any
}

text! {
    /// a SHA-256 digest of 64 lower-case hexadecimal digits
    Hash: "^[0-9a-f]{64}$", 64..=64, any
}

impl Hash {
    /// The digest of a text's UTF-8 bytes.
    pub(crate) fn of_text(text: &str) -> Self {
        Self(super::canonical::sha256_hex(text.as_bytes()))
    }

    /// The digest of a value's canonical JSON.
    pub(crate) fn of(value: &impl super::vocabulary::Term) -> Self {
        Self(super::canonical::digest(&value.write()))
    }
}

text! {
    /// a random run ID of 128 bits as 32 lower-case hexadecimal digits
    RunId: "^[0-9a-f]{32}$", 32..=32, any
}

text! {
    /// a processing claim token of at most 128 printable ASCII characters
    ClaimToken: "^[!-~]+$", 1..=128, any
}

impl ClaimToken {
    /// A token is 128 random bits in lower-case hexadecimal, like the run ID; any other is malformed.
    pub(crate) fn well_formed(&self) -> bool {
        RunId::new(self.as_str()).is_ok()
    }
}

text! {
    /// a request key `<comment-id>:<full-head-sha>`
    RequestKey: "^[1-9][0-9]{0,15}:[0-9a-f]{40}$", 42..=57, any
}

impl RequestKey {
    /// The key of a request comment and the SHA that it asks to review.
    pub(crate) fn of(comment: DatabaseId, sha: &Sha) -> Self {
        Self(format!("{comment}:{sha}"))
    }
}

text! {
    /// a GitHub login, with `[bot]` for apps
    Login: "^[A-Za-z0-9][A-Za-z0-9-]{0,99}(\\[bot\\])?$", 1..=105, any
}

text! {
    /// a repository owner's login
    Owner: "^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$", 1..=100, any
}

text! {
    /// a repository name that is not `.` or `..`
    RepositoryName: "^[A-Za-z0-9._-]+$", 1..=100, |name| name != "." && name != ".."
}

text! {
    /// a repository as `<owner>/<name>`
    FullName: "^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}$", 3..=201, any
}

impl FullName {
    pub(crate) fn of(owner: &Owner, name: &RepositoryName) -> Self {
        Self(format!("{owner}/{name}"))
    }
}

text! {
    /// a Git remote's name, never its URL
    RemoteName: "^[A-Za-z0-9][A-Za-z0-9._-]*$", 1..=100, any
}

text! {
    /// a branch name without `refs/heads/` that Git accepts
    BranchName: "^[^\\x00-\\x20\\x7f~^:?*\\[\\\\]+$", 1..=244, well_formed_branch
}

/// The rules of `git check-ref-format --branch` that a character class cannot say.
fn well_formed_branch(name: &str) -> bool {
    !name.starts_with(['-', '/'])
        && !name.ends_with(['/', '.'])
        && !name.contains("..")
        && !name.contains("@{")
        && !name.starts_with("refs/")
        && !matches!(name, "@" | "HEAD")
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
        && name.chars().all(printable)
}

text! {
    /// an Automation ID as the Automation tool shows it
    AutomationId: "^[A-Za-z0-9][A-Za-z0-9._:-]*$", 1..=200, any
}

text! {
    /// a Loop key as it stands in an automation prompt, printable and without line breaks
    LoopKey: "^[^\\x00-\\x1f\\x7f]+$", 1..=300, |key| key.chars().all(printable)
}

impl LoopKey {
    /// The canonical key: owner and repository in lower case.
    pub(crate) fn canonical(repository: &FullName, pull_request: PullRequestNumber) -> Self {
        Self(format!(
            "github-codex-pr-loop:{}#{pull_request}",
            repository.as_str().to_lowercase()
        ))
    }
}

text! {
    /// a schedule as the Automation tool shows it, printable
    ViewedSchedule: "^[^\\x00-\\x1f\\x7f]*$", 0..=200, |text| text.chars().all(printable)
}

text! {
    /// a pull request's canonical address `https://github.com/<owner>/<name>/pull/<number>`
    PullRequestUrl: "^https://github\\.com/[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+/pull/[1-9][0-9]*$", 28..=300, any
}

impl PullRequestUrl {
    pub(crate) fn of(repository: &FullName, number: PullRequestNumber) -> Self {
        Self(format!("https://github.com/{repository}/pull/{number}"))
    }
}

text! {
    /// a GitHub author type as the API spells it, such as `Bot` or `User`
    AuthorType: "^[A-Za-z]+$", 1..=40, any
}

text! {
    /// the identity of a response, such as `review:123` or `issue-comment:456`
    ResponseId: "^(review|review-comment|issue-comment):[1-9][0-9]{0,15}$", 8..=31, any
}

text! {
    /// a review thread's GraphQL node ID
    ThreadId: "^[A-Za-z0-9_=-]+$", 1..=200, any
}

text! {
    /// a literal command without line breaks and without credentials
    Command: "^[^\\x00-\\x1f\\x7f]+$", 1..=4000, |text| text.chars().all(printable) && free_of_credentials(text)
}

text! {
    /// printable text of one line without credentials
    Statement: "^[^\\x00-\\x1f\\x7f]+$", 1..=1000, |text| text.chars().all(printable) && free_of_credentials(text)
}

impl Statement {
    /// One of this program's own sentences or words.
    pub(crate) fn fixed(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

text! {
    /// a pull request title of one line
    Title: "^[^\\x00-\\x1f\\x7f]+$", 1..=256, |text| text.chars().all(printable) && free_of_credentials(text)
}

text! {
    /// text without NUL and without credentials
    Body: "^[^\\x00]*$", 0..=65536, free_of_credentials
}

text! {
    /// a prompt, large enough for a whole checkpoint
    Prompt: "^[^\\x00]+$", 1..=2000000, any
}

impl Prompt {
    pub(crate) fn rendered(text: String) -> Self {
        Self(text)
    }
}

/// "Never report raw remote URLs or secrets": no URL userinfo, no GitHub token, no private key.
pub(crate) fn free_of_credentials(text: &str) -> bool {
    const TOKENS: [&str; 7] = [
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "PRIVATE KEY-----",
    ];
    let userinfo = text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ', '"', '\'']).next().unwrap_or(rest);
        authority.contains('@')
    });
    !userinfo && !TOKENS.iter().any(|token| text.contains(token))
}

text! {
    /// a UTC time in GitHub's form, such as `2026-01-31T23:59:59Z`, that exists
    Timestamp: "^2[0-9]{3}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z$", 20..=20, |text| parse_time(text).is_some()
}

fn parse_time(text: &str) -> Option<DateTime<Utc>> {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%SZ")
        .ok()
        .map(|time| time.and_utc())
}

impl Timestamp {
    /// GitHub's form of an instant, whole seconds.
    ///
    /// # Errors
    /// An instant outside the years 2000 to 2999.
    pub fn from_instant(instant: DateTime<Utc>) -> Result<Self, EvaluatorError> {
        Self::new(instant.format("%Y-%m-%dT%H:%M:%SZ").to_string())
    }

    /// The instant; ordering of the text and of the instants agree, since the form is fixed.
    pub fn instant(&self) -> DateTime<Utc> {
        parse_time(&self.0).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    pub(crate) fn plus_minutes(&self, minutes: i64) -> Self {
        Self(
            (self.instant() + TimeDelta::minutes(minutes))
                .format("%Y-%m-%dT%H:%M:%SZ")
                .to_string(),
        )
    }
}

number! {
    /// The only version of every document.
    SchemaVersion: 1..=1
}

number! {
    /// A GitHub database ID, below 2⁵³ so that every JSON reader keeps it.
    DatabaseId: 1..=9007199254740991
}

number! {
    /// The numeric identity of the trusted Codex bot.
    TrustedBotId: 199175422..=199175422
}

impl TrustedBotId {
    pub(crate) fn is(self, author: DatabaseId) -> bool {
        self.0 == author.0
    }
}

number! {
    /// A pull request's number.
    PullRequestNumber: 1..=2147483647
}

number! {
    /// "Successfully pushed fix rounds from zero through five."
    FixRounds: 0..=5
}

impl FixRounds {
    /// The bound.
    pub const MAXIMUM: Self = Self(5);

    /// The following round, none after the fifth.
    pub(crate) fn next(self) -> Option<Self> {
        (self < Self::MAXIMUM).then(|| Self(self.0 + 1))
    }
}

number! {
    /// A count of things on GitHub.
    Count: 0..=1000000
}

impl Count {
    /// A length, capped at the largest count.
    pub(crate) fn of_length(length: usize) -> Self {
        Self(u64::try_from(length).unwrap_or(u64::MAX).min(1_000_000))
    }
}

words! {
    /// "Host is GitHub.com."
    Host {
        /// "Support v0.1.0 only when … Host is GitHub.com."
        GithubCom = "github.com",
    }
}

words! {
    /// "The v1 heartbeat schedule is exactly FREQ=MINUTELY;INTERVAL=2."
    HeartbeatRrule {
        /// The one schedule of version 1.
        EveryTwoMinutes = "FREQ=MINUTELY;INTERVAL=2",
    }
}

words! {
    /// "Resolve one mode before acting."
    Mode {
        /// "autonomous: backward-compatible default when the user names no mode."
        Autonomous = "autonomous",
        /// "approval-gated: … Require separate approval bound to the exact initial manifest hash, each remediation request key plus plan hash, and each finalization request key plus plan hash."
        ApprovalGated = "approval-gated",
        /// "report-only: require an existing PR and perform one strictly read-only pass through GitHub read APIs."
        ReportOnly = "report-only",
    }
}

words! {
    /// "Normalize required checks, approvals, mergeability, and branch protection independently as pass, fail, pending, or unknown."
    GateState {
        /// The gate holds.
        Pass = "pass",
        /// The gate is refused.
        Fail = "fail",
        /// The gate is not decided yet.
        Pending = "pending",
        /// "Missing or unknown evidence blocks merge readiness."
        Unknown = "unknown",
    }
}

words! {
    /// What a claim is for.
    ClaimPurpose {
        /// The claim precedes the writes of a remediation plan.
        Remediation = "remediation",
        /// "A finalization claim preserves the evaluator's claim_request_key and claim_plan_hash."
        Finalization = "finalization",
    }
}
