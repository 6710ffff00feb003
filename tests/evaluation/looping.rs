//! The whole loop of one pull request in each mode: pending, finding, fix, no findings, finished.

use serde_json::{Value, json};

use super::{RUN_ID, checkpoint, digest, evaluate, example, recorded, request, requested, state_of};
use crate::github::{CommentId, Github, ThreadId, ada, ago, announcement, clean_text, connector, finding};
use crate::product::Product;

/// Whoever drives the loop: holds the checkpoint and does what each decision says.
struct Driver {
    github: Github,
    product: Product,
    checkpoint: Value,
}

impl Driver {
    fn start(mode: &str) -> Self {
        let (world, comment) = requested();
        let github = Github::start(world);
        let product = Product::new(&github);
        let checkpoint = checkpoint(&product, mode, &recorded(&github, comment, 0));
        Self {
            github,
            product,
            checkpoint,
        }
    }

    fn persisted(&mut self) -> &mut Value {
        &mut self.checkpoint["persisted"]
    }

    /// A wakeup: the state from GitHub, and its decision.
    #[track_caller]
    fn wake(&self) -> (Value, Value) {
        let state = state_of(&self.product, &self.checkpoint).expect(0).json();
        let decision = evaluate(&self.product, &[], &state).expect(0).json();
        (state, decision)
    }

    /// A wakeup that must come to this.
    #[track_caller]
    fn expect(&self, action: &str, automation_action: &str, reason: &str) -> Value {
        let (state, decision) = self.wake();
        assert_eq!(
            (
                &decision["action"],
                &decision["automation_action"],
                &decision["reasons"][0]["code"]
            ),
            (&json!(action), &json!(automation_action), &json!(reason)),
            "{decision:#}"
        );
        let last = matches!(action, "finish-finalization" | "complete-no-findings");
        assert_eq!(decision["terminal_sentence"].is_string(), last);
        state
    }

    /// The bot reviews the head: one finding.
    fn find(&self) -> ThreadId {
        let mut thread = None;
        self.github.change(|world| {
            let mut pull = world.pull(42);
            let head = pull.head();
            let review = pull.review(connector(), "COMMENTED", &announcement(&head), &head, ago("15m"));
            thread = Some(pull.thread_in(review, "src/lib.rs", 3, &finding("P1", "Keep the lock")));
        });
        thread.expect("a thread")
    }

    /// The bot finds nothing on the head.
    fn find_nothing(&self) {
        self.github.change(|world| {
            let mut pull = world.pull(42);
            let head = pull.head();
            pull.connector_comment(&clean_text(&head), ago("2m"));
        });
    }

    /// The bindings of both plans.
    fn bindings(state: &Value) -> Value {
        let (persisted, request) = (&state["persisted"], &state["persisted"]["request"]);
        json!({
            "trusted_bot_database_id": 199_175_422,
            "run_id": RUN_ID,
            "request_key": request["request_key"],
            "repository": "octo/widgets",
            "pull_request_number": 42,
            "pull_request_url": persisted["pull_request_url"],
            "remote_name": persisted["remote_name"],
            "base_branch": persisted["configured_base_branch"],
            "head_branch": persisted["configured_head_branch"],
            "request_base_sha": request["base_sha"],
            "head_sha": request["head_sha"],
        })
    }

    /// Builds the remediation plan for a state and records it.
    fn plan_remediation(&mut self, state: &Value) {
        let sample = example(&self.product, "recurring-findings");
        let boundary = sample["persisted"]["execution_boundary"].clone();
        let mut plan = sample["persisted"]["remediation_manifest"].clone();
        let round = state["persisted"]["fix_rounds"].as_u64().expect("a number") + 1;
        let template = format!(
            "@codex review\n\n<!-- github-codex-pr-loop-request run={RUN_ID} round={round} sha={{{{FINAL_HEAD_SHA}}}} -->"
        );
        plan["bindings"] = Self::bindings(state);
        plan["responses"] = state["hosted"]["responses"].clone();
        plan["actionable_threads"] = state["hosted"]["actionable_threads"].clone();
        plan["next_round"] = json!(round);
        plan["review_request_template_hash"] = json!(sha256(&self.product, &template));
        plan["review_request_template"] = json!(template);
        plan["execution_boundary_hash"] = digest(&self.product, &boundary);
        let hash = digest(&self.product, &plan);
        let persisted = self.persisted();
        persisted["execution_boundary"] = boundary;
        persisted["remediation_manifest"] = plan;
        persisted["remediation_plan_hash"] = hash;
    }

    /// Builds the finalization plan for a state and records it.
    fn plan_finalization(&mut self, state: &Value) {
        let hosted = &state["hosted"];
        let draft = hosted["pull_request"]["is_draft"] == true;
        let eligible = &hosted["finalization_eligible_threads"];
        let operations = [
            (draft, "mark-ready"),
            (
                eligible.as_array().is_some_and(|threads| !threads.is_empty()),
                "resolve-threads",
            ),
            (true, "verify-post-finalization"),
        ];
        let operations: Vec<&str> = operations
            .iter()
            .filter(|(wanted, _)| *wanted)
            .map(|(_, name)| *name)
            .collect();
        let plan = json!({
            "schema_version": 1,
            "bindings": Self::bindings(state),
            "responses": qualifying(state),
            "is_draft": draft,
            "finalization_eligible_threads": eligible,
            "non_codex_unresolved_threads": hosted["non_codex_unresolved_threads"],
            "gates": hosted["gates"],
            "operations": operations,
        });
        let hash = digest(&self.product, &plan);
        let persisted = self.persisted();
        persisted["finalization_manifest"] = plan;
        persisted["finalization_plan_hash"] = hash;
    }

    /// The user approves the recorded plan by key and hash.
    fn approve(&mut self, plan: &str) {
        let persisted = self.persisted();
        persisted[format!("approved_{plan}_request_key")] = persisted["request"]["request_key"].clone();
        persisted[format!("approved_{plan}_plan_hash")] = persisted[format!("{plan}_plan_hash")].clone();
    }

    fn set_status(&mut self, status: &str) {
        self.persisted()["owned_automation_status"] = json!(status);
        self.checkpoint["local"]["automations"][0]["status"] = json!(status);
    }

    /// Takes the claim that a decision allows.
    fn claim(&mut self) {
        let (_, decision) = self.wake();
        assert_eq!(decision["automation_action"], "pause-and-claim");
        self.set_status("PAUSED");
        let persisted = self.persisted();
        persisted["request"]["state"] = json!("processing");
        persisted["claim"] = json!({
            "token": "00112233445566778899aabbccddeeff",
            "request_key": decision["claim_request_key"],
            "plan_hash": decision["claim_plan_hash"],
            "purpose": decision["claim_purpose"],
        });
    }

    /// Pushes the fix, answers the thread, posts the next canonical request, and starts a fresh window.
    fn fix(&mut self, thread: ThreadId) -> CommentId {
        let old = self.persisted()["request"]["request_key"].clone();
        let mut comment = None;
        self.github.change(|world| {
            let mut pull = world.pull(42);
            pull.push("the fix", ago("8m"));
            pull.reply(
                thread,
                ada(),
                "The lock is held until the value is used.",
                ago("7m"),
            );
            comment = Some(request(&mut pull, 1, ago("5m")));
        });
        let comment = comment.expect("a comment");
        let next = recorded(&self.github, comment, 1);
        let persisted = self.persisted();
        persisted["request"] = next;
        persisted["fix_rounds"] = json!(1);
        persisted["completed_request_keys"] = json!([old]);
        for name in [
            "claim",
            "remediation_manifest",
            "remediation_plan_hash",
            "approved_remediation_request_key",
            "approved_remediation_plan_hash",
            "execution_boundary",
        ] {
            persisted[name] = Value::Null;
        }
        self.set_status("ACTIVE");
        comment
    }

    /// Carries the finalization out and records the post-finalization checkpoint.
    fn finalize(&mut self, thread: ThreadId) {
        self.github.change(|world| {
            let mut pull = world.pull(42);
            pull.ready(ago("1m"));
            pull.resolve(thread);
        });
        let (state, _) = self.wake();
        self.plan_finalization(&state);
        let persisted = self.persisted();
        persisted["post_finalization"] = json!(true);
        persisted["claimed_finalization_request_key"] = persisted["claim"]["request_key"].clone();
        persisted["claimed_finalization_plan_hash"] = persisted["claim"]["plan_hash"].clone();
    }
}

/// The responses to the request itself: the older review is of the older request.
fn qualifying(state: &Value) -> Vec<Value> {
    let request = &state["persisted"]["request"];
    let responses = state["hosted"]["responses"].as_array().expect("responses").iter();
    responses
        .filter(|one| one["created_at"].as_str() > request["created_at"].as_str())
        .cloned()
        .collect()
}

/// SHA-256 of a text: the digest of the JSON string is another one, so `sha256sum` says it.
fn sha256(product: &Product, text: &str) -> String {
    let run = product
        .program(std::path::Path::new("/usr/bin/sha256sum"), &[])
        .stdin(text)
        .run()
        .expect(0);
    run.stdout.split(' ').next().expect("a digest").to_owned()
}

#[test]
fn autonomous_from_pending_to_finished() {
    let mut driver = Driver::start("autonomous");
    driver.github.change(|world| world.pull(42).draft(ago("2h")));
    driver.expect("wait", "none", "response-pending");

    let thread = driver.find();
    let state = driver.expect("report", "none", "remediation-plan-missing");
    driver.plan_remediation(&state);
    driver.expect("apply-fix", "pause-and-claim", "feedback");
    driver.claim();
    driver.expect("halt", "none", "paused-processing-claim");

    let next = driver.fix(thread);
    let state = driver.expect("wait", "none", "response-pending");
    assert_eq!(
        state["hosted"]["finalization_eligible_threads"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    assert_eq!(
        state["persisted"]["request"]["comment_id"].to_string(),
        next.to_string()
    );

    driver.find_nothing();
    let state = driver.expect("report", "none", "finalization-plan-missing");
    driver.plan_finalization(&state);
    driver.expect("finalize", "pause-and-claim", "no-findings");
    driver.claim();
    driver.expect("halt", "none", "paused-processing-claim");

    driver.finalize(thread);
    driver.expect("finish-finalization", "delete-owned", "no-findings");
    let (_, decision) = driver.wake();
    let head = driver.persisted()["request"]["head_sha"]
        .as_str()
        .expect("a SHA")
        .to_owned();
    assert_eq!(
        decision["terminal_sentence"],
        format!("No remaining actionable Codex findings for SHA `{head}`.")
    );
    assert_eq!(decision["merge_ready"], true);
    assert_eq!(decision["claim_purpose"], "finalization");
    driver
        .github
        .change(|world| world.pull(42).pull().mergeable = "CONFLICTING".to_owned());
    let (_, decision) = driver.wake();
    assert_eq!(
        (&decision["action"], &decision["merge_ready"]),
        (&json!("finish-finalization"), &json!(false))
    );
    assert!(
        driver.github.log().writes().is_empty(),
        "the evaluator writes nothing"
    );
    driver.product.assert_no_child_left();
}

#[test]
fn approval_gated_waits_for_the_exact_key_and_hash_twice() {
    let mut driver = Driver::start("approval-gated");
    driver.expect("wait", "none", "response-pending");

    let thread = driver.find();
    let state = driver.expect("report", "none", "remediation-plan-missing");
    driver.plan_remediation(&state);
    driver.expect("await-remediation-approval", "pause", "feedback");
    driver.persisted()["request"]["state"] = json!("awaiting-remediation-approval");
    driver.set_status("PAUSED");
    let (_, decision) = driver.wake();
    let proposal = &decision["report"]["proposal"];
    let recorded_hash = driver.persisted()["remediation_plan_hash"].clone();
    assert_eq!(
        (&proposal["request_key"], &proposal["plan_hash"]),
        (&decision["request_key"], &recorded_hash)
    );
    driver.persisted()["approved_remediation_request_key"] = decision["request_key"].clone();
    driver.persisted()["approved_remediation_plan_hash"] = json!("0".repeat(64));
    let (_, decision) = driver.wake();
    assert_eq!(decision["reasons"][1]["code"], "approval-of-other-hash");
    driver.approve("remediation");
    driver.expect("apply-fix", "pause-and-claim", "feedback");
    // A reply in the thread after the approval changes what was approved.
    driver.github.change(|world| {
        world.pull(42).reply(thread, connector(), "Also here.", ago("9m"));
    });
    driver.expect("report", "none", "remediation-plan-stale");
    let (state, _) = driver.wake();
    driver.plan_remediation(&state);
    let (_, decision) = driver.wake();
    assert_eq!(
        decision["action"], "await-remediation-approval",
        "the approval names the former hash"
    );
    driver.approve("remediation");
    driver.claim();

    driver.fix(thread);
    driver.expect("wait", "none", "response-pending");
    driver.find_nothing();
    let state = driver.expect("report", "none", "finalization-plan-missing");
    driver.plan_finalization(&state);
    driver.expect("await-finalization-approval", "pause", "no-findings");
    driver.persisted()["request"]["state"] = json!("awaiting-finalization-approval");
    driver.set_status("PAUSED");
    driver.expect("await-finalization-approval", "pause", "no-findings");
    driver.approve("finalization");
    driver.expect("finalize", "pause-and-claim", "no-findings");
    driver.claim();
    driver.finalize(thread);
    driver.expect("finish-finalization", "delete-owned", "no-findings");
    assert!(driver.github.log().writes().is_empty());
}

#[test]
fn report_only_reports_and_completes_and_touches_nothing() {
    let mut driver = Driver::start("report-only");
    driver.expect("report", "none", "response-pending");
    let thread = driver.find();
    driver.expect("report", "none", "feedback");
    driver.github.change(|world| world.pull(42).resolve(thread));
    driver.find_nothing();
    driver.expect("complete-no-findings", "none", "no-findings");
    let (_, decision) = driver.wake();
    assert_eq!(decision["merge_ready"], false);
    assert_eq!(decision["gates"]["required_checks"], "pass");
    driver.persisted()["request"] = Value::Null;
    driver.expect("report", "none", "no-request");
    assert!(driver.github.log().writes().is_empty());
}
