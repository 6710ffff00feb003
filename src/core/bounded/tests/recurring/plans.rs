//! Plans, approvals and claims.

use super::{changed, findings, halt, id, no_findings, sha, time};
use crate::bounded::example::{self, approve, claim, set_automation_status, set_request_state};
use crate::bounded::recurring::{Action, AutomationAction, ReasonCode};
use crate::bounded::state::{
    AutomationStatus, PullRequestState, RecurringState, RequestState, ResponseOutcome,
};
use crate::bounded::terms::{
    ClaimPurpose, ClaimToken, Count, FixRounds, GateState, Hash, Mode, RequestKey, ResponseId,
};
use crate::bounded::tests::{decision, outcome, refusal};

#[test]
fn an_approval_names_this_key_and_this_hash() {
    for (purpose, base, waits, goes) in [
        (
            ClaimPurpose::Remediation,
            findings(Mode::ApprovalGated),
            Action::AwaitRemediationApproval,
            Action::ApplyFix,
        ),
        (
            ClaimPurpose::Finalization,
            no_findings(Mode::ApprovalGated),
            Action::AwaitFinalizationApproval,
            Action::Finalize,
        ),
    ] {
        let waiting = |state: &RecurringState, reason| {
            let decision = decision(state);
            assert_eq!(
                (decision.action, decision.automation_action),
                (waits, AutomationAction::Pause)
            );
            assert_eq!(decision.reasons[1].code, reason);
            assert_eq!(
                (
                    decision.claim_request_key,
                    decision.claim_plan_hash,
                    decision.claim_purpose
                ),
                (None, None, None)
            );
            let proposal = decision.report.proposal.expect("what to approve");
            assert_eq!(Some(proposal.request_key), decision.request_key);
        };
        waiting(&base, ReasonCode::ApprovalMissing);
        let approved = changed(base.clone(), |one| approve(one, purpose));
        let decided = decision(&approved);
        assert_eq!(
            (decided.action, decided.automation_action),
            (goes, AutomationAction::PauseAndClaim)
        );
        let persisted = &approved.persisted;
        let hash = match purpose {
            ClaimPurpose::Remediation => &persisted.remediation_plan_hash,
            ClaimPurpose::Finalization => &persisted.finalization_plan_hash,
        };
        assert_eq!(
            (&decided.claim_plan_hash, decided.claim_purpose),
            (hash, Some(purpose))
        );
        assert_eq!(decided.claim_request_key, decided.request_key);

        let other_key = RequestKey::of(id(9), &sha('d'));
        let other_hash = Hash::of_text("another plan");
        let misnamed = |key: Option<RequestKey>, hash: Option<Hash>| {
            changed(approved.clone(), |one| {
                let persisted = &mut one.persisted;
                let (to_key, to_hash) = match purpose {
                    ClaimPurpose::Remediation => (
                        &mut persisted.approved_remediation_request_key,
                        &mut persisted.approved_remediation_plan_hash,
                    ),
                    ClaimPurpose::Finalization => (
                        &mut persisted.approved_finalization_request_key,
                        &mut persisted.approved_finalization_plan_hash,
                    ),
                };
                *to_key = key.or_else(|| to_key.clone());
                *to_hash = hash.or_else(|| to_hash.clone());
            })
        };
        waiting(&misnamed(Some(other_key), None), ReasonCode::ApprovalOfOtherKey);
        waiting(&misnamed(None, Some(other_hash)), ReasonCode::ApprovalOfOtherHash);
        let half = changed(approved, |one| {
            one.persisted.approved_remediation_plan_hash = None;
            one.persisted.approved_finalization_plan_hash = None;
        });
        refusal(&half);
    }
    let crossed = changed(findings(Mode::ApprovalGated), |one| {
        one.persisted.approved_finalization_request_key = one
            .persisted
            .request
            .as_ref()
            .map(|request| request.request_key.clone());
        one.persisted.approved_finalization_plan_hash = one.persisted.remediation_plan_hash.clone();
    });
    assert_eq!(
        decision(&crossed).action,
        Action::AwaitRemediationApproval,
        "the other plan's approval"
    );
    let ungated = changed(findings(Mode::Autonomous), |one| {
        approve(one, ClaimPurpose::Remediation)
    });
    assert!(refusal(&ungated).to_string().contains("approval-gated"));
}

#[test]
fn a_plan_stands_for_exactly_the_present_state() {
    let stale = |state: RecurringState, change: &dyn Fn(&mut RecurringState), reason| {
        let state = changed(state, |one| change(one));
        assert_eq!(
            outcome(&state),
            (Action::Report, AutomationAction::None, vec![reason])
        );
    };
    let remediation = |change: &dyn Fn(&mut RecurringState)| {
        stale(
            findings(Mode::Autonomous),
            change,
            ReasonCode::RemediationPlanStale,
        );
    };
    remediation(&|one| one.hosted.responses[0].body_hash = Hash::of_text("edited"));
    remediation(&|one| {
        let mut more = example::response(ResponseOutcome::Findings).expect("a response");
        more.id = ResponseId::new("review:9002").expect("an id");
        one.hosted.responses.push(more);
    });
    remediation(&|one| one.hosted.actionable_threads[0].position_hash = Hash::of_text("moved"));
    remediation(&|one| one.hosted.actionable_threads.clear());
    remediation(&|one| {
        one.hosted
            .actionable_threads
            .push(example::thread("PRRT_z").expect("a thread"))
    });
    remediation(&|one| {
        one.persisted.run_id = crate::bounded::terms::RunId::new("f".repeat(32)).expect("a run")
    });

    let finalization = |change: &dyn Fn(&mut RecurringState)| {
        stale(
            no_findings(Mode::Autonomous),
            change,
            ReasonCode::FinalizationPlanStale,
        );
    };
    finalization(&|one| one.hosted.responses[0].body_hash = Hash::of_text("edited"));
    finalization(&|one| one.hosted.gates.required_checks = GateState::Pending);
    finalization(&|one| one.hosted.non_codex_unresolved_threads = Count::new(1).expect("a count"));
    finalization(&|one| one.hosted.pull_request.is_draft = false);
    finalization(&|one| one.hosted.finalization_eligible_threads.clear());
    finalization(&|one| one.hosted.finalization_eligible_threads[0].body_hash = Hash::of_text("a reply"));

    let wrong = |state: RecurringState, change: &dyn Fn(&mut RecurringState)| {
        refusal(&changed(state, |one| change(one)))
    };
    wrong(findings(Mode::Autonomous), &|one| {
        one.persisted.remediation_plan_hash = Some(Hash::of_text("x"))
    });
    wrong(findings(Mode::Autonomous), &|one| {
        one.persisted.remediation_plan_hash = None
    });
    wrong(findings(Mode::Autonomous), &|one| {
        one.persisted.execution_boundary = None
    });
    wrong(no_findings(Mode::Autonomous), &|one| {
        one.persisted.finalization_manifest = None
    });
    let replanned = |change: &dyn Fn(&mut crate::bounded::plan::RemediationManifest)| {
        wrong(findings(Mode::Autonomous), &|one| {
            let manifest = one.persisted.remediation_manifest.as_mut().expect("a plan");
            change(manifest);
            one.persisted.remediation_plan_hash = Some(Hash::of(manifest));
        })
    };
    replanned(&|one| one.operations.reverse());
    replanned(&|one| one.operations.truncate(3));
    replanned(&|one| one.paths.clear());
    replanned(&|one| one.paths[0].inside_worktree = false);
    replanned(&|one| one.next_round = FixRounds::new(2).expect("a round"));
    replanned(&|one| one.isolation_decision = crate::bounded::plan::IsolationDecision::RiskAccepted);
    replanned(&|one| one.execution_boundary_hash = Hash::of_text("x"));
    replanned(&|one| one.review_request_template_hash = Hash::of_text("x"));
    replanned(&|one| one.validation_commands.push(one.validation_commands[0].clone()));
}

#[test]
fn claims_present_absent_and_malformed() {
    let claimed = |purpose| {
        let mut state = match purpose {
            ClaimPurpose::Remediation => findings(Mode::Autonomous),
            ClaimPurpose::Finalization => no_findings(Mode::Autonomous),
        };
        claim(&mut state, purpose).expect("a claim");
        state
    };
    for purpose in [ClaimPurpose::Remediation, ClaimPurpose::Finalization] {
        let base = claimed(purpose);
        let stopped = |change: &dyn Fn(&mut RecurringState), action, reasons: &[ReasonCode]| {
            let state = changed(base.clone(), |one| change(one));
            assert_eq!(outcome(&state), halt(action, reasons));
            assert_eq!(decision(&state).claim_plan_hash, None, "no new claim");
        };
        let none = AutomationAction::None;
        stopped(&|_| {}, none, &[ReasonCode::PausedProcessingClaim]);
        stopped(
            &|one| one.persisted.claim = None,
            none,
            &[ReasonCode::ClaimMissing],
        );
        let malformed = [ReasonCode::ClaimMalformed];
        stopped(
            &|one| {
                one.persisted.claim.as_mut().expect("a claim").token =
                    ClaimToken::new("short").expect("a token")
            },
            none,
            &malformed,
        );
        stopped(
            &|one| {
                one.persisted.claim.as_mut().expect("a claim").request_key = RequestKey::of(id(9), &sha('d'))
            },
            none,
            &malformed,
        );
        stopped(
            &|one| one.persisted.claim.as_mut().expect("a claim").plan_hash = Hash::of_text("x"),
            none,
            &malformed,
        );
        let other = match purpose {
            ClaimPurpose::Remediation => ClaimPurpose::Finalization,
            ClaimPurpose::Finalization => ClaimPurpose::Remediation,
        };
        stopped(
            &|one| one.persisted.claim.as_mut().expect("a claim").purpose = other,
            none,
            &malformed,
        );
        stopped(
            &|one| one.persisted.claimed_finalization_plan_hash = Some(Hash::of_text("x")),
            none,
            &malformed,
        );
        stopped(
            &|one| set_automation_status(one, AutomationStatus::Active),
            AutomationAction::Pause,
            &[ReasonCode::StatusInconsistent],
        );
        for status in [RequestState::Pending, RequestState::AwaitingRemediationApproval] {
            let left_over = changed(base.clone(), |one| set_request_state(one, status));
            assert!(
                outcome(&left_over).2.contains(&ReasonCode::ClaimUnexpected),
                "{status:?}"
            );
        }
        let expired = changed(base.clone(), |one| {
            one.hosted.observed_at = time("2026-03-01T13:00:00Z")
        });
        assert_eq!(
            outcome(&expired),
            (
                Action::Expired,
                none,
                vec![ReasonCode::RequestExpired, ReasonCode::PausedProcessingClaim]
            ),
            "never deleted"
        );
        let closed = changed(base.clone(), |one| {
            one.hosted.pull_request.state = PullRequestState::Closed
        });
        assert_eq!(
            outcome(&closed),
            halt(none, &[ReasonCode::PullRequestClosed]),
            "never deleted"
        );
    }
}

#[test]
fn a_checkpoint_that_awaits_an_approval_has_an_answer_to_decide_on() {
    use RequestState::{AwaitingFinalizationApproval, AwaitingRemediationApproval, Pending};
    let silent = (
        Action::Wait,
        AutomationAction::None,
        vec![ReasonCode::ResponsePending],
    );
    let unclear = |action| (action, AutomationAction::None, vec![ReasonCode::ResponseUnclear]);
    let halted = halt(AutomationAction::Pause, &[ReasonCode::StateInconsistent]);
    for (request, without, with_unclear) in [
        (Pending, &silent, unclear(Action::Wait)),
        // The automation is paused: nobody looks again by itself.
        (AwaitingRemediationApproval, &halted, unclear(Action::Report)),
        (AwaitingFinalizationApproval, &halted, unclear(Action::Report)),
    ] {
        let mut state = example::state(Mode::ApprovalGated).expect("a state");
        set_request_state(&mut state, request);
        assert_eq!(outcome(&state), *without, "{request:?}");
        state.hosted.responses = vec![example::response(ResponseOutcome::Unclear).expect("a response")];
        assert_eq!(outcome(&state), with_unclear, "{request:?}");
    }
}

#[test]
fn a_plan_lists_its_responses_and_threads_in_order() {
    fn other_first<T: Clone>(items: &mut Vec<T>, rename: impl Fn(&mut T)) {
        let mut later = items[0].clone();
        rename(&mut later);
        items.insert(0, later);
    }
    let response = || ResponseId::new("review:9002").expect("an id");
    let thread = || example::thread("PRRT_zzz").expect("a thread").id;
    for (what, refused) in [
        (
            "responses of a remediation",
            changed(findings(Mode::Autonomous), |one| {
                let manifest = one.persisted.remediation_manifest.as_mut().expect("a plan");
                other_first(&mut manifest.responses, |one| one.id = response());
            }),
        ),
        (
            "threads of a remediation",
            changed(findings(Mode::Autonomous), |one| {
                let manifest = one.persisted.remediation_manifest.as_mut().expect("a plan");
                other_first(&mut manifest.actionable_threads, |one| one.id = thread());
            }),
        ),
        (
            "responses of a finalization",
            changed(no_findings(Mode::Autonomous), |one| {
                let manifest = one.persisted.finalization_manifest.as_mut().expect("a plan");
                other_first(&mut manifest.responses, |one| one.id = response());
            }),
        ),
        (
            "threads of a finalization",
            changed(no_findings(Mode::Autonomous), |one| {
                let manifest = one.persisted.finalization_manifest.as_mut().expect("a plan");
                other_first(&mut manifest.finalization_eligible_threads, |one| {
                    one.id = thread()
                });
            }),
        ),
    ] {
        let refused = changed(refused, |one| {
            one.persisted.remediation_plan_hash = one.persisted.remediation_manifest.as_ref().map(Hash::of);
            one.persisted.finalization_plan_hash = one.persisted.finalization_manifest.as_ref().map(Hash::of);
        });
        assert!(
            refusal(&refused)
                .to_string()
                .contains("sorted by ID and distinct"),
            "{what}"
        );
    }
}

#[test]
fn a_finalization_plan_has_exactly_the_operations_that_its_condition_calls_for() {
    use crate::bounded::error::Place;
    use crate::bounded::plan::FinalizationOperation::{MarkReady, ResolveThreads, VerifyPostFinalization};
    use crate::bounded::plan::{check_finalization, finalization_operations};
    let eligible = vec![example::thread("PRRT_z").expect("a thread")];
    for (is_draft, threads, expected) in [
        (false, Vec::new(), vec![VerifyPostFinalization]),
        (true, Vec::new(), vec![MarkReady, VerifyPostFinalization]),
        (
            false,
            eligible.clone(),
            vec![ResolveThreads, VerifyPostFinalization],
        ),
        (
            true,
            eligible,
            vec![MarkReady, ResolveThreads, VerifyPostFinalization],
        ),
    ] {
        assert_eq!(finalization_operations(is_draft, &threads), expected);
        let state = example::no_findings(Mode::Autonomous).expect("a state");
        let mut manifest = state.persisted.finalization_manifest.expect("a plan");
        manifest.is_draft = is_draft;
        manifest.finalization_eligible_threads = threads;
        manifest.operations = expected;
        let place = Place::root("plan");
        assert_eq!(check_finalization(&manifest, &place), Ok(()));
        manifest.operations.pop();
        assert!(check_finalization(&manifest, &place).is_err(), "one is missing");
        manifest.operations = vec![VerifyPostFinalization, MarkReady, ResolveThreads];
        assert!(check_finalization(&manifest, &place).is_err(), "out of order");
    }
}
