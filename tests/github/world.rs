//! The state of the loopback GitHub: plain typed values from which REST and GraphQL answers are both rendered.
//!
//! Every field is public, so that a test can express what no builder method covers. `Overrides` on an item changes its
//! rendered answer only: a missing field, a string where a number belongs, a duplicate id.

mod items;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::time::{Time, at};

pub use items::{
    Activity, App, Asset, CheckRun, CheckSuite, Commit, Event, EventKind, IssueComment, Reaction, Release,
    Review, ReviewComment, Status, Thread,
};

/// Everything one GitHub host knows.
#[derive(Clone, Debug)]
pub struct World {
    /// Host name as users write it, `github.com` unless a test is about an enterprise server.
    pub host: String,
    /// The account whose token gh carries.
    pub viewer: Account,
    pub repositories: Vec<Repository>,
    /// GitHub serialises apps that react as `User` over REST; false gives the `Bot` form.
    pub reactions_say_user: bool,
    /// Time from which the builder counts its defaults: a pull request opens at this moment.
    pub epoch: Time,
    /// Requests left in the hour and when they are renewed, as `rate_limit` and the headers tell.
    pub rate: Rate,
    pub(super) last_id: u64,
}

#[derive(Clone, Debug)]
pub struct Rate {
    pub limit: u64,
    pub remaining: u64,
    /// Unix seconds.
    pub reset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountKind {
    User,
    Bot,
    Organization,
}

/// An account; the login is the bare one, REST adds `[bot]` to a bot's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub login: String,
    pub id: u64,
    pub kind: AccountKind,
}

impl Account {
    pub fn person(login: &str, id: u64) -> Self {
        Self {
            login: login.to_owned(),
            id,
            kind: AccountKind::User,
        }
    }

    pub fn bot(login: &str, id: u64) -> Self {
        Self {
            login: login.to_owned(),
            id,
            kind: AccountKind::Bot,
        }
    }

    pub fn organization(login: &str, id: u64) -> Self {
        Self {
            login: login.to_owned(),
            id,
            kind: AccountKind::Organization,
        }
    }
}

/// The Codex connector as GitHub knows it.
pub fn connector() -> Account {
    Account::bot("chatgpt-codex-connector", 199_175_422)
}

/// A real, separate account whose REST login lacks the suffix.
pub fn impostor() -> Account {
    Account::person("chatgpt-codex-connector", 261_883_814)
}

/// The person whose token gh carries, unless a test chooses another.
pub fn ada() -> Account {
    Account::person("ada", 1_001)
}

/// A second person.
pub fn grace() -> Account {
    Account::person("grace", 1_002)
}

/// The account of GitHub Actions.
pub fn actions_bot() -> Account {
    Account::bot("github-actions", 41_898_282)
}

/// Changes to one rendered item. Items with a REST override are exempt from the OpenAPI check.
#[derive(Clone, Default)]
pub struct Overrides {
    /// Applied to the finished REST object.
    pub rest: Option<RestPatch>,
    /// GraphQL fields answered with these values instead.
    pub graphql: BTreeMap<String, Value>,
}

/// A change to one rendered REST object.
pub type RestPatch = Arc<dyn Fn(&mut Value) + Send + Sync>;

impl Overrides {
    /// Changes the finished REST object.
    pub fn rest(&mut self, patch: impl Fn(&mut Value) + Send + Sync + 'static) {
        self.rest = Some(Arc::new(patch));
    }

    /// Answers one GraphQL field with this value.
    pub fn graphql(&mut self, field: &str, value: impl Into<Value>) {
        self.graphql.insert(field.to_owned(), value.into());
    }

    pub(super) fn apply(&self, mut rendered: Value) -> Value {
        if let Some(patch) = &self.rest {
            patch(&mut rendered);
        }
        rendered
    }
}

impl fmt::Debug for Overrides {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Overrides {{ rest: {}, graphql: {:?} }}",
            self.rest.is_some(),
            self.graphql
        )
    }
}

#[derive(Clone, Debug)]
pub struct Repository {
    pub id: u64,
    pub owner: Account,
    pub name: String,
    pub default_branch: String,
    pub private: bool,
    pub created_at: Time,
    /// GraphQL `viewerPermission`.
    pub viewer_permission: String,
    pub pulls: Vec<Pull>,
    pub commits: Vec<Commit>,
    pub suites: Vec<CheckSuite>,
    pub statuses: Vec<Status>,
    /// Newest last; the activity list answers newest first.
    pub activity: Vec<Activity>,
    /// (branch, rule) as `rules/branches/BRANCH` gives it, without the ruleset fields.
    pub rules: Vec<(String, Value)>,
    pub releases: Vec<Release>,
    /// Changes every compare answer.
    pub compare: Overrides,
    pub overrides: Overrides,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    Open,
    Closed,
    Merged,
}

#[derive(Clone, Debug)]
pub struct Pull {
    pub id: u64,
    pub number: u64,
    pub title: String,
    pub body: String,
    pub author: Option<Account>,
    pub association: String,
    pub state: PullState,
    pub draft: bool,
    pub created_at: Time,
    pub updated_at: Time,
    pub closed_at: Option<Time>,
    pub merged_at: Option<Time>,
    pub last_edited_at: Option<Time>,
    pub editor: Option<Account>,
    pub base_ref: String,
    pub base_oid: String,
    pub head_ref: String,
    pub head_oid: String,
    /// Owner of a fork; none when the head branch is in the same repository.
    pub head_owner: Option<Account>,
    /// SHAs, oldest first.
    pub commits: Vec<String>,
    pub labels: Vec<String>,
    /// GraphQL words, for example `APPROVED`.
    pub review_decision: Option<String>,
    pub mergeable: String,
    pub merge_state: String,
    pub changed_files: u64,
    pub comments: Vec<IssueComment>,
    pub reviews: Vec<Review>,
    pub threads: Vec<Thread>,
    pub reactions: Vec<Reaction>,
    pub events: Vec<Event>,
    pub overrides: Overrides,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// A host with the empty repository `octo/widgets`; pull requests open at 09:00 on the fixed day of [`at`].
    pub fn new() -> Self {
        Self::opened(at("09:00"))
    }

    /// As [`World::new`], with pull requests that open at the given moment, for tests that need the present.
    pub fn opened(epoch: Time) -> Self {
        let mut world = Self {
            host: "github.com".to_owned(),
            viewer: ada(),
            repositories: Vec::new(),
            reactions_say_user: true,
            epoch,
            rate: Rate {
                limit: 5000,
                remaining: 4990,
                reset: epoch.timestamp() + 4 * 3600,
            },
            // Beyond 32 bits, as GitHub's ids are.
            last_id: 5_000_000_000,
        };
        world.add_repository("octo", "widgets");
        world
    }

    /// The next unused id, larger than every id before it.
    pub fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub fn add_repository(&mut self, owner: &str, name: &str) -> &mut Repository {
        let id = self.next_id();
        let created_at = self.epoch - chrono::Duration::days(30);
        let base = Commit {
            sha: sha(&format!("{owner}/{name} base")),
            message: "Start".to_owned(),
            authored_at: created_at,
            committed_at: created_at,
            author: Some(ada()),
            parents: Vec::new(),
            files: vec!["README.md".to_owned()],
        };
        self.repositories.push(Repository {
            id,
            owner: Account::organization(owner, 2_001),
            name: name.to_owned(),
            default_branch: "main".to_owned(),
            private: false,
            created_at,
            viewer_permission: "WRITE".to_owned(),
            pulls: Vec::new(),
            commits: vec![base],
            suites: Vec::new(),
            statuses: Vec::new(),
            activity: Vec::new(),
            rules: Vec::new(),
            releases: Vec::new(),
            compare: Overrides::default(),
            overrides: Overrides::default(),
        });
        let last = self.repositories.len() - 1;
        &mut self.repositories[last]
    }

    /// Index of a repository; GitHub ignores case.
    pub fn repository_index(&self, owner: &str, name: &str) -> Option<usize> {
        self.repositories
            .iter()
            .position(|r| r.owner.login.eq_ignore_ascii_case(owner) && r.name.eq_ignore_ascii_case(name))
    }

    /// API root for links inside REST answers, for example `https://api.github.com`.
    pub fn api(&self) -> String {
        if self.host == "github.com" {
            "https://api.github.com".to_owned()
        } else {
            format!("https://{}/api/v3", self.host)
        }
    }

    /// Root of pages for people, for example `https://github.com`.
    pub fn web(&self) -> String {
        format!("https://{}", self.host)
    }
}

impl Repository {
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.owner.login, self.name)
    }

    pub fn pull_index(&self, number: u64) -> Option<usize> {
        self.pulls.iter().position(|pull| pull.number == number)
    }

    pub fn commit(&self, sha: &str) -> Option<&Commit> {
        self.commits.iter().find(|commit| commit.sha == sha)
    }

    pub fn commit_mut(&mut self, sha: &str) -> &mut Commit {
        self.commits
            .iter_mut()
            .find(|commit| commit.sha == sha)
            .unwrap_or_else(|| panic!("no commit {sha}"))
    }

    /// The branch's tip: the default branch's first commit, or the head of the pull request of that branch.
    pub fn branch_tip(&self, branch: &str) -> Option<&str> {
        self.pulls
            .iter()
            .rev()
            .find(|pull| pull.head_ref == branch && pull.head_owner.is_none())
            .map(|pull| pull.head_oid.as_str())
            .or_else(|| {
                self.pulls
                    .iter()
                    .rev()
                    .find(|pull| pull.base_ref == branch)
                    .map(|pull| pull.base_oid.as_str())
            })
            .or_else(|| {
                (branch == self.default_branch)
                    .then(|| self.commits.first().map(|commit| commit.sha.as_str()))
                    .flatten()
            })
    }
}

impl Pull {
    pub fn comment_mut(&mut self, id: u64) -> &mut IssueComment {
        self.comments
            .iter_mut()
            .find(|comment| comment.id == id)
            .unwrap_or_else(|| panic!("no comment {id}"))
    }

    pub fn review_mut(&mut self, id: u64) -> &mut Review {
        self.reviews
            .iter_mut()
            .find(|review| review.id == id)
            .unwrap_or_else(|| panic!("no review {id}"))
    }

    pub fn thread_mut(&mut self, id: u64) -> &mut Thread {
        self.threads
            .iter_mut()
            .find(|thread| thread.id == id)
            .unwrap_or_else(|| panic!("no thread {id}"))
    }
}

/// A commit id made from a label, the same for the same label.
pub fn sha(label: &str) -> String {
    let digest = Sha256::digest(label.as_bytes());
    digest.iter().take(20).map(|byte| format!("{byte:02x}")).collect()
}
