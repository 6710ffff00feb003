//! The end of the loop: verification, merge readiness, the terminal sentence, the report.

use super::{branch, changed, findings, halt, id, no_findings, sha, state, time};
use crate::bounded::example::{self, set_request_state};
use crate::bounded::recurring::{Action, AutomationAction, ReasonCode};
use crate::bounded::state::{
    ExecutedValidation, PullRequestState, RecurringState, RequestState, ResponseOutcome,
};
use crate::bounded::terms::{ClaimPurpose, Command, Count, GateState, Hash, Mode};
use crate::bounded::tests::{decision, outcome};

#[test]
fn finishing_needs_the_fully_verified_checkpoint() {
    for mode in [Mode::Autonomous, Mode::ApprovalGated] {
        let base = example::post_finalization(mode).expect("a state");
        let finished = decision(&base);
        assert_eq!(
            (finished.action, finished.automation_action),
            (Action::FinishFinalization, AutomationAction::DeleteOwned)
        );
        let claim = base.persisted.claim.as_ref().expect("a claim");
        assert_eq!(finished.claim_request_key.as_ref(), Some(&claim.request_key));
        assert_eq!(finished.claim_plan_hash.as_ref(), Some(&claim.plan_hash));
        assert_eq!(finished.claim_purpose, Some(ClaimPurpose::Finalization));
        assert_ne!(
            finished.claim_plan_hash, base.persisted.finalization_plan_hash,
            "the original hash, not the later plan's"
        );
        let sentence = finished.terminal_sentence.expect("the sentence");
        assert_eq!(
            sentence.as_str(),
            "No remaining actionable Codex findings for SHA `dddddddddddddddddddddddddddddddddddddddd`."
        );
        assert!(finished.merge_ready);
        let stopped = |change: &dyn Fn(&mut RecurringState), reason| {
            let state = changed(base.clone(), |one| change(one));
            let decision = decision(&state);
            assert_eq!(
                (decision.action, decision.automation_action),
                (Action::Halt, AutomationAction::None)
            );
            assert!(
                decision.reasons.iter().any(|one| one.code == reason),
                "{reason:?}: {:?}",
                decision.reasons
            );
            assert_eq!((decision.terminal_sentence, decision.merge_ready), (None, false));
        };
        stopped(
            &|one| one.hosted.pull_request.is_draft = true,
            ReasonCode::StillDraft,
        );
        stopped(
            &|one| {
                one.hosted.finalization_eligible_threads = vec![example::thread("PRRT_z").expect("a thread")]
            },
            ReasonCode::EligibleThreadsRemain,
        );
        stopped(
            &|one| one.hosted.actionable_threads = vec![example::thread("PRRT_z").expect("a thread")],
            ReasonCode::Feedback,
        );
        stopped(
            &|one| one.hosted.responses[0].outcome = ResponseOutcome::Findings,
            ReasonCode::Feedback,
        );
        stopped(&|one| one.hosted.responses.clear(), ReasonCode::ResultWithdrawn);
        stopped(
            &|one| one.hosted.responses[0].body_hash = Hash::of_text("edited"),
            ReasonCode::FinalizationPlanStale,
        );
        stopped(
            &|one| one.hosted.pull_request.current_head_sha = sha('e'),
            ReasonCode::HeadDrift,
        );
        stopped(
            &|one| one.hosted.pull_request.current_base_sha = sha('e'),
            ReasonCode::BaseTipDrift,
        );
        stopped(
            &|one| one.hosted.pull_request.current_base_branch = branch("release"),
            ReasonCode::BaseBranchDrift,
        );
        stopped(&|one| one.persisted.claim = None, ReasonCode::ClaimMissing);
        stopped(
            &|one| one.persisted.claimed_finalization_plan_hash = None,
            ReasonCode::ClaimMalformed,
        );
        stopped(
            &|one| one.persisted.claimed_finalization_request_key = None,
            ReasonCode::ClaimMalformed,
        );
        stopped(
            &|one| {
                one.persisted.claimed_finalization_plan_hash = one.persisted.finalization_plan_hash.clone()
            },
            ReasonCode::ClaimMalformed,
        );
        stopped(
            &|one| one.persisted.claim.as_mut().expect("a claim").purpose = ClaimPurpose::Remediation,
            ReasonCode::ClaimMalformed,
        );
        stopped(
            &|one| {
                one.persisted.finalization_manifest = None;
                one.persisted.finalization_plan_hash = None;
            },
            ReasonCode::ClaimMalformed,
        );
        stopped(
            &|one| set_request_state(one, RequestState::Pending),
            ReasonCode::ClaimUnexpected,
        );
        stopped(
            &|one| one.hosted.pull_request.state = PullRequestState::Closed,
            ReasonCode::PullRequestClosed,
        );
        let later = changed(base.clone(), |one| {
            one.hosted.observed_at = time("2026-03-01T15:00:00Z")
        });
        assert_eq!(
            decision(&later).action,
            Action::FinishFinalization,
            "the verification itself writes nothing and has no deadline"
        );
    }
    let unapproved = changed(
        example::post_finalization(Mode::ApprovalGated).expect("a state"),
        |one| {
            one.persisted.approved_finalization_plan_hash = one.persisted.finalization_plan_hash.clone();
        },
    );
    assert_eq!(
        outcome(&unapproved),
        halt(AutomationAction::None, &[ReasonCode::ClaimMalformed])
    );
}

#[test]
fn merge_readiness_needs_four_passing_gates_and_no_foreign_thread() {
    let base = example::post_finalization(Mode::Autonomous).expect("a state");
    let mut ready = 0;
    for checks in GateState::ALL {
        for approvals in GateState::ALL {
            for mergeability in GateState::ALL {
                for protection in GateState::ALL {
                    for threads in [0, 1] {
                        let mut state = base.clone();
                        let gates = &mut state.hosted.gates;
                        gates.required_checks = *checks;
                        gates.approvals = *approvals;
                        gates.mergeability = *mergeability;
                        gates.branch_protection = *protection;
                        state.hosted.non_codex_unresolved_threads = Count::new(threads).expect("a count");
                        let decision = decision(&state);
                        assert_eq!(
                            decision.action,
                            Action::FinishFinalization,
                            "the Codex result stands by itself"
                        );
                        assert_eq!(decision.gates, state.hosted.gates);
                        let all = [checks, approvals, mergeability, protection]
                            .iter()
                            .all(|gate| **gate == GateState::Pass);
                        assert_eq!(decision.merge_ready, all && threads == 0);
                        ready += usize::from(decision.merge_ready);
                    }
                }
            }
        }
    }
    assert_eq!(ready, 1);
    let report = decision(&example::report_only().expect("a state"));
    assert_eq!(
        (report.action, report.merge_ready),
        (Action::CompleteNoFindings, false),
        "never from complete-no-findings"
    );
}

#[test]
fn the_terminal_sentence_stands_only_with_the_two_final_actions() {
    let report = decision(&example::report_only().expect("a state"));
    let expected = format!(
        "No remaining actionable Codex findings for SHA `{}`.",
        "d".repeat(40)
    );
    assert_eq!(
        report.terminal_sentence.as_ref().map(ToString::to_string),
        Some(expected.clone())
    );
    assert_eq!(
        report.report.terminal_sentence.as_ref().map(ToString::to_string),
        Some(expected)
    );
    for state in [
        state(Mode::Autonomous),
        findings(Mode::Autonomous),
        no_findings(Mode::Autonomous),
        no_findings(Mode::ApprovalGated),
        state(Mode::ReportOnly),
    ] {
        let decision = decision(&state);
        assert_eq!(decision.terminal_sentence, None);
        assert!(!decision.to_json().canonical().contains("No remaining actionable"));
    }
}

#[test]
fn the_report_says_what_every_pass_reports_and_no_token() {
    let mut state = findings(Mode::ApprovalGated);
    let user = id(583_231);
    let commands = state
        .persisted
        .remediation_manifest
        .as_ref()
        .expect("a plan")
        .validation_commands
        .clone();
    state.persisted.execution_boundary = Some(example::risky_boundary(&commands, user).expect("a boundary"));
    example::plan_remediation(&mut state).expect("a plan");
    state.hosted.gates.approvals = GateState::Pending;
    state.hosted.non_codex_unresolved_threads = Count::new(2).expect("a count");
    let report = decision(&state).report;
    assert_eq!(
        report.pull_request_url.as_str(),
        "https://github.com/Octo-Org/widgets/pull/42"
    );
    assert_eq!(
        report.remote_name.as_ref().map(ToString::to_string),
        Some("origin".to_owned())
    );
    assert_eq!(report.request_state, Some(RequestState::Pending));
    assert_eq!(
        report.automation.id.as_ref().map(ToString::to_string),
        Some("automation-7".to_owned())
    );
    assert_eq!(report.automation.action, AutomationAction::Pause);
    assert_eq!(report.feedback.actionable_threads.len(), 1);
    let proposal = report.proposal.expect("a proposal");
    assert_eq!(
        proposal.paths.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["src/parser.rs"]
    );
    assert_eq!((proposal.validation_commands.len(), proposal.risks.len()), (2, 4));
    assert_eq!(report.residual_risks.len(), 3, "a gate, foreign threads, a draft");

    let claimed = example::post_finalization(Mode::Autonomous).expect("a state");
    let text = decision(&claimed).to_json().canonical();
    let token = claimed
        .persisted
        .claim
        .as_ref()
        .expect("a claim")
        .token
        .to_string();
    assert!(!text.contains(&token));
    assert!(text.contains(r#""validation_executed":[{"command":"cargo test --locked","passed":true}]"#));
}

#[test]
fn a_report_names_every_blocker_and_every_risk_that_is_left() {
    let reasons = |state: &RecurringState| {
        let decided = decision(state);
        let blockers = decided
            .report
            .blockers
            .iter()
            .map(|one| one.code)
            .collect::<Vec<_>>();
        (decided.action, blockers)
    };
    for (state, expected) in [
        (
            state(Mode::Autonomous),
            (Action::Wait, vec![ReasonCode::ResponsePending]),
        ),
        (
            changed(state(Mode::Autonomous), |one| {
                one.hosted.pull_request.state = PullRequestState::Closed
            }),
            (Action::Halt, vec![ReasonCode::PullRequestClosed]),
        ),
        (findings(Mode::Autonomous), (Action::ApplyFix, Vec::new())),
        (no_findings(Mode::Autonomous), (Action::Finalize, Vec::new())),
    ] {
        assert_eq!(reasons(&state), expected);
    }

    // Nothing is left of this one: ready for review, received, every gate passes.
    let without = changed(state(Mode::Autonomous), |one| {
        one.hosted.pull_request.is_draft = false
    });
    let executed = |passed| ExecutedValidation {
        command: Command::new("cargo test --locked").expect("a command"),
        passed,
    };
    type Change = Box<dyn Fn(&mut RecurringState)>;
    let changes: [(Change, &[&str]); 7] = [
        (Box::new(|_| {}), &[]),
        (
            Box::new(move |one| one.local.validation_executed = vec![executed(true)]),
            &[],
        ),
        (
            Box::new(move |one| one.local.validation_executed = vec![executed(true), executed(false)]),
            &["A validation command failed."],
        ),
        (
            Box::new(|one| one.hosted.gates.approvals = GateState::Pending),
            &["At least one merge gate does not pass; merge readiness stays false."],
        ),
        (
            Box::new(|one| one.hosted.non_codex_unresolved_threads = Count::new(1).expect("a count")),
            &["Unresolved threads that Codex did not begin block merge readiness."],
        ),
        (
            Box::new(|one| one.hosted.pull_request.is_draft = true),
            &["The pull request is a draft."],
        ),
        (
            Box::new(|one| one.hosted.receipt = None),
            &["The trusted bot has not confirmed receipt of the request."],
        ),
    ];
    for (change, expected) in changes {
        let report = decision(&changed(without.clone(), change)).report;
        let risks: Vec<&str> = report.residual_risks.iter().map(|risk| risk.as_str()).collect();
        assert_eq!(risks, expected);
    }
}
