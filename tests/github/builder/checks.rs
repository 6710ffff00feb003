//! Check suites, check runs, statuses and required checks.

use super::{PullHandle, SuiteId};
use crate::github::time::Time;
use crate::github::world::{App, CheckRun, CheckSuite, Overrides, Status, ada};

impl PullHandle<'_> {
    /// A check suite of GitHub Actions on the head branch.
    pub fn suite(&mut self, sha: &str, created_at: Time) -> SuiteId {
        let branch = self.pull().head_ref.clone();
        self.suite_of(App::actions(), sha, Some(&branch), created_at)
    }

    /// A check suite of any app and branch; it has completed successfully until a run says otherwise.
    pub fn suite_of(&mut self, app: App, sha: &str, branch: Option<&str>, created_at: Time) -> SuiteId {
        let id = self.world.next_id();
        self.repository().suites.push(CheckSuite {
            id,
            app,
            workflow: "ci".to_owned(),
            sha: sha.to_owned(),
            branch: branch.map(str::to_owned),
            status: "completed".to_owned(),
            conclusion: Some("success".to_owned()),
            created_at,
            updated_at: created_at,
            runs: Vec::new(),
            overrides: Overrides::default(),
        });
        SuiteId(id)
    }

    /// A check run in a suite: `Some(conclusion)` completed at `completed`; `None` still in progress.
    pub fn check_in(
        &mut self,
        suite: SuiteId,
        name: &str,
        conclusion: Option<&str>,
        started: Time,
        completed: Time,
    ) -> u64 {
        let id = self.world.next_id();
        let run = CheckRun {
            id,
            name: name.to_owned(),
            status: if conclusion.is_some() {
                "completed"
            } else {
                "in_progress"
            }
            .to_owned(),
            conclusion: conclusion.map(str::to_owned),
            started_at: Some(started),
            completed_at: conclusion.map(|_| completed),
            overrides: Overrides::default(),
        };
        let suite = self.suite_mut(suite);
        suite.status.clone_from(&run.status);
        suite.conclusion.clone_from(&run.conclusion);
        suite.updated_at = if conclusion.is_some() { completed } else { started };
        suite.runs.push(run);
        id
    }

    /// The typed suite.
    pub fn suite_mut(&mut self, id: SuiteId) -> &mut CheckSuite {
        let suites = &mut self.repository().suites;
        suites
            .iter_mut()
            .find(|suite| suite.id == id.0)
            .unwrap_or_else(|| panic!("no check suite {id}"))
    }

    /// Takes away every check suite and status of the head.
    pub fn no_checks(&mut self) {
        let head = self.head();
        self.repository().suites.retain(|suite| suite.sha != head);
        self.repository().statuses.retain(|status| status.sha != head);
    }

    /// A commit status on the head; `state` is `success`, `pending`, `failure` or `error`.
    pub fn status(&mut self, context: &str, state: &str, at: Time) -> u64 {
        let (id, sha) = (self.world.next_id(), self.head());
        self.repository().statuses.push(Status {
            id,
            sha,
            context: context.to_owned(),
            state: state.to_owned(),
            created_at: at,
            creator: Some(ada()),
            overrides: Overrides::default(),
        });
        id
    }

    /// The base branch's rules require these checks.
    pub fn require_checks(&mut self, names: &[&str]) {
        let branch = self.pull().base_ref.clone();
        let checks: Vec<_> = names
            .iter()
            .map(|name| serde_json::json!({ "context": name }))
            .collect();
        let rule = serde_json::json!({
            "type": "required_status_checks",
            "parameters": {
                "required_status_checks": checks,
                "strict_required_status_checks_policy": false,
                "do_not_enforce_on_create": false,
            },
        });
        self.repository().rules.push((branch, rule));
    }
}
