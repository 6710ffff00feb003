//! One recurring state after another: what changes the decision, and what it becomes.

use super::{decision, outcome, refusal};
use crate::bounded::example::{self, approve, claim, set_automation_status, set_request_state};
use crate::bounded::recurring::{Action, AutomationAction, ReasonCode, Rejection};
use crate::bounded::state::{
    AutomationStatus, ObservedStop, PullRequestState, RecurringState, RequestState, Response, ResponseOutcome,
};
use crate::bounded::terms::{
    AuthorType, AutomationId, BranchName, ClaimPurpose, ClaimToken, Count, DatabaseId, FixRounds, FullName,
    GateState, Hash, LoopKey, Mode, RemoteName, RequestKey, ResponseId, Sha, ThreadId, Timestamp,
    ViewedSchedule,
};

fn state(mode: Mode) -> RecurringState {
    example::state(mode).expect("a state")
}

fn findings(mode: Mode) -> RecurringState {
    example::findings(mode).expect("a state")
}

fn no_findings(mode: Mode) -> RecurringState {
    example::no_findings(mode).expect("a state")
}

fn changed(mut state: RecurringState, change: impl FnOnce(&mut RecurringState)) -> RecurringState {
    change(&mut state);
    state
}

fn time(text: &str) -> Timestamp {
    Timestamp::new(text).expect("a time")
}

fn sha(digit: char) -> Sha {
    Sha::new(String::from(digit).repeat(40)).expect("a SHA")
}

fn id(number: u64) -> DatabaseId {
    DatabaseId::new(number).expect("an id")
}

fn branch(name: &str) -> BranchName {
    BranchName::new(name).expect("a name")
}

fn halt(action: AutomationAction, reasons: &[ReasonCode]) -> (Action, AutomationAction, Vec<ReasonCode>) {
    (Action::Halt, action, reasons.to_vec())
}

#[test]
fn a_request_expires_exactly_sixty_minutes_after_its_creation() {
    for mode in [Mode::Autonomous, Mode::ApprovalGated] {
        for (base, before) in [
            (state(mode), Action::Wait),
            (
                findings(mode),
                if mode == Mode::Autonomous {
                    Action::ApplyFix
                } else {
                    Action::AwaitRemediationApproval
                },
            ),
            (
                no_findings(mode),
                if mode == Mode::Autonomous {
                    Action::Finalize
                } else {
                    Action::AwaitFinalizationApproval
                },
            ),
        ] {
            let at = |moment: &str| {
                decision(&changed(base.clone(), |one| {
                    one.hosted.observed_at = time(moment)
                }))
            };
            assert_eq!(at("2026-03-01T12:59:59Z").action, before);
            for moment in [
                "2026-03-01T13:00:00Z",
                "2026-03-01T13:00:01Z",
                "2026-03-02T12:00:00Z",
            ] {
                let decision = at(moment);
                assert_eq!(
                    (decision.action, decision.automation_action),
                    (Action::Expired, AutomationAction::DeleteOwned)
                );
                assert_eq!(decision.reasons[0].code, ReasonCode::RequestExpired);
                assert_eq!(decision.claim_plan_hash, None);
            }
        }
    }
    let wrong_deadline = changed(state(Mode::Autonomous), |one| {
        one.persisted.request.as_mut().expect("a request").deadline = time("2026-03-01T13:00:01Z");
    });
    assert!(refusal(&wrong_deadline).to_string().contains("60 minutes"));
    let report = example::report_only().expect("a state");
    let late = changed(report, |one| {
        one.hosted.observed_at = time("2026-03-05T00:00:00Z")
    });
    assert_eq!(
        decision(&late).action,
        Action::CompleteNoFindings,
        "a read-only pass may look back"
    );
    let silent = changed(late, |one| one.hosted.responses.clear());
    assert_eq!(
        outcome(&silent),
        (
            Action::Report,
            AutomationAction::None,
            vec![ReasonCode::RequestExpired]
        )
    );
}

/// The rejection of one response that was changed.
fn rejection(change: impl FnOnce(&mut Response)) -> Option<Rejection> {
    let mut state = state(Mode::Autonomous);
    let mut response = example::response(ResponseOutcome::NoFindings).expect("a response");
    change(&mut response);
    state.hosted.responses = vec![response];
    let decision = decision(&state);
    let rejected: Vec<Rejection> = decision
        .report
        .feedback
        .rejected_responses
        .iter()
        .map(|one| one.rejection)
        .collect();
    match rejected.as_slice() {
        [] => {
            assert_eq!(
                decision.reasons[0].code,
                ReasonCode::FinalizationPlanMissing,
                "it counts"
            );
            None
        }
        [one] => {
            assert_eq!(decision.action, Action::Wait, "it does not count");
            Some(*one)
        }
        more => panic!("{more:?}"),
    }
}

#[test]
fn a_response_qualifies_only_under_every_condition() {
    let versioned = |one: &mut Response, created: &str, version: &str| {
        one.created_at = time(created);
        one.content_version_at = time(version);
    };
    assert_eq!(rejection(|_| {}), None);
    for (what, found, expected) in [
        (
            "another id",
            rejection(|one| one.author_database_id = Some(id(199_175_423))),
            Rejection::AuthorNotTrusted,
        ),
        (
            "no id",
            rejection(|one| one.author_database_id = None),
            Rejection::AuthorNotTrusted,
        ),
        (
            "a user",
            rejection(|one| one.author_type = AuthorType::new("User").expect("a type")),
            Rejection::AuthorNotTrusted,
        ),
        (
            "another case",
            rejection(|one| one.author_type = AuthorType::new("bot").expect("a type")),
            Rejection::AuthorNotTrusted,
        ),
        (
            "before the request",
            rejection(|one| one.created_at = time("2026-03-01T11:59:59Z")),
            Rejection::CreatedBeforeRequest,
        ),
        (
            "with the request",
            rejection(|one| one.created_at = time("2026-03-01T12:00:00Z")),
            Rejection::CreatedBeforeRequest,
        ),
        (
            "after the snapshot",
            rejection(|one| one.content_version_at = time("2026-03-01T12:10:01Z")),
            Rejection::AfterSnapshot,
        ),
        (
            "another commit",
            rejection(|one| one.commit_sha = Some(sha('e'))),
            Rejection::OtherCommit,
        ),
        (
            "no commit, no request",
            rejection(|one| one.commit_sha = None),
            Rejection::Uncorrelated,
        ),
        (
            "one request between",
            rejection(|one| one.intervening_requests = Count::new(1).expect("a count")),
            Rejection::InterveningRequest,
        ),
        (
            "another request",
            rejection(|one| one.trigger_request_id = Some(id(9))),
            Rejection::OtherRequest,
        ),
        (
            "this request, another commit",
            rejection(|one| {
                one.trigger_request_id = Some(id(3_700_000_001));
                one.commit_sha = Some(sha('e'));
            }),
            Rejection::OtherCommit,
        ),
    ] {
        assert_eq!(found, Some(expected), "{what}");
    }
    let exact = |one: &mut Response| one.trigger_request_id = Some(id(3_700_000_001));
    assert_eq!(rejection(exact), None);
    let without_commit = rejection(|one| {
        exact(one);
        one.commit_sha = None;
        one.intervening_requests = Count::new(3).expect("a count");
    });
    assert_eq!(
        without_commit, None,
        "the exact request needs no commit and no silence between"
    );
    assert_eq!(
        rejection(|one| versioned(one, "2026-03-01T12:00:01Z", "2026-03-01T12:10:00Z")),
        None,
        "both bounds"
    );
}

#[test]
fn an_edit_after_the_deadline_counts_no_more() {
    let mut state = example::report_only().expect("a state");
    state.hosted.observed_at = time("2026-03-01T14:00:00Z");
    state.hosted.responses[0].content_version_at = time("2026-03-01T13:00:00Z");
    assert_eq!(
        decision(&state).action,
        Action::CompleteNoFindings,
        "no later than the deadline"
    );
    state.hosted.responses[0].content_version_at = time("2026-03-01T13:00:01Z");
    let decision = decision(&state);
    assert_eq!(decision.action, Action::Report);
    assert_eq!(
        decision.report.feedback.rejected_responses[0].rejection,
        Rejection::AfterDeadline
    );
}

#[test]
fn the_latest_content_version_speaks() {
    let with = |responses: &[(&str, &str, ResponseOutcome)]| {
        changed(state(Mode::Autonomous), |one| {
            one.hosted.responses = responses
                .iter()
                .map(|(name, version, outcome)| {
                    let mut response = example::response(*outcome).expect("a response");
                    response.id = ResponseId::new(*name).expect("an id");
                    response.created_at = time("2026-03-01T12:01:00Z");
                    response.content_version_at = time(version);
                    response
                })
                .collect();
        })
    };
    use ResponseOutcome::{Findings, NoFindings, Unclear};
    let (early, late) = ("2026-03-01T12:05:00Z", "2026-03-01T12:06:00Z");
    let reason = |responses: &[(&str, &str, ResponseOutcome)]| {
        let (action, automation_action, reasons) = outcome(&with(responses));
        let paused = if action == Action::Halt {
            AutomationAction::Pause
        } else {
            AutomationAction::None
        };
        assert_eq!(automation_action, paused);
        reasons[0]
    };
    let (a, b) = ("review:1", "review:2");
    assert_eq!(
        reason(&[(a, early, NoFindings), (b, late, Findings)]),
        ReasonCode::RemediationPlanMissing,
        "later contradiction"
    );
    assert_eq!(
        reason(&[(a, late, NoFindings), (b, early, Findings)]),
        ReasonCode::FinalizationPlanMissing
    );
    assert_eq!(
        reason(&[(a, late, NoFindings), (b, late, Findings)]),
        ReasonCode::AmbiguousFeedback,
        "equal time"
    );
    assert_eq!(
        reason(&[(a, late, NoFindings), (b, late, NoFindings)]),
        ReasonCode::FinalizationPlanMissing
    );
    assert_eq!(
        reason(&[(a, late, Findings), (b, late, Findings)]),
        ReasonCode::RemediationPlanMissing
    );
    assert_eq!(
        reason(&[(a, early, NoFindings), (b, late, Unclear)]),
        ReasonCode::ResponseUnclear
    );
    assert_eq!(
        reason(&[(a, late, NoFindings), (b, late, Unclear)]),
        ReasonCode::ResponseUnclear
    );
    assert_eq!(
        reason(&[
            (a, late, Findings),
            (b, late, Unclear),
            ("review:3", late, NoFindings)
        ]),
        ReasonCode::AmbiguousFeedback
    );
    let threads = changed(with(&[(a, late, NoFindings)]), |one| {
        one.hosted.actionable_threads = vec![example::thread("PRRT_a").expect("a thread")];
    });
    assert_eq!(
        outcome(&threads).2,
        [ReasonCode::RemediationPlanMissing],
        "an actionable thread is feedback"
    );
    let unsorted = with(&[(b, late, NoFindings), (a, late, NoFindings)]);
    assert!(refusal(&unsorted).to_string().contains("sorted"));
}

#[test]
fn a_completed_request_key_is_a_replay() {
    let replayed = changed(findings(Mode::Autonomous), |one| {
        let key = one
            .persisted
            .request
            .as_ref()
            .expect("a request")
            .request_key
            .clone();
        one.persisted.completed_request_keys = vec![key];
    });
    assert_eq!(
        outcome(&replayed),
        halt(AutomationAction::Pause, &[ReasonCode::ReplayedRequest])
    );
}

/// A state in a later round.
fn in_round(mut state: RecurringState, round: u64) -> RecurringState {
    let rounds = FixRounds::new(round).expect("a round");
    state.persisted.fix_rounds = rounds;
    state.persisted.request.as_mut().expect("a request").round = rounds;
    state.persisted.completed_request_keys = (1..=round)
        .map(|number| RequestKey::of(id(number), &sha('e')))
        .collect();
    state
}

#[test]
fn after_five_rounds_feedback_ends_the_loop() {
    for round in 0..=4 {
        let mut state = in_round(findings(Mode::Autonomous), round);
        example::plan_remediation(&mut state).expect("a plan");
        assert_eq!(decision(&state).action, Action::ApplyFix, "round {round}");
    }
    for mode in [Mode::Autonomous, Mode::ApprovalGated] {
        let state = in_round(findings(mode), 5);
        assert_eq!(
            outcome(&state),
            (
                Action::MaxRounds,
                AutomationAction::DeleteOwned,
                vec![ReasonCode::RoundsExhausted]
            )
        );
    }
    assert_eq!(
        decision(&in_round(state(Mode::Autonomous), 5)).action,
        Action::Wait,
        "the fifth fix is still reviewed"
    );
    let finished = in_round(no_findings(Mode::Autonomous), 5);
    assert_eq!(
        decision(&finished).action,
        Action::Finalize,
        "and may find nothing"
    );
    let miscounted = changed(in_round(findings(Mode::Autonomous), 2), |one| {
        drop(one.persisted.completed_request_keys.pop())
    });
    assert_eq!(outcome(&miscounted).2, [ReasonCode::StateInconsistent]);
    let other_round = changed(in_round(state(Mode::Autonomous), 2), |one| {
        one.persisted.request.as_mut().expect("a request").round = FixRounds::new(1).expect("a round");
    });
    assert_eq!(outcome(&other_round).2, [ReasonCode::StateInconsistent]);
}

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

/// What happens to a pending state when its automations are these.
fn with_automations(change: impl FnOnce(&mut RecurringState)) -> (Action, AutomationAction, Vec<ReasonCode>) {
    outcome(&changed(findings(Mode::Autonomous), change))
}

#[test]
fn whatever_leaves_the_owner_in_doubt_touches_no_automation() {
    let another = |one: &mut RecurringState| {
        let mut automation = one.local.automations[0].clone();
        automation.id = AutomationId::new("automation-8").expect("an id");
        automation
    };
    let none = AutomationAction::None;
    let missing = with_automations(|one| one.local.automations.clear());
    assert_eq!(missing, halt(none, &[ReasonCode::AutomationMissing]));
    let two = with_automations(|one| {
        let more = another(one);
        one.local.automations.push(more);
    });
    assert_eq!(
        two,
        halt(
            none,
            &[ReasonCode::AutomationDuplicate, ReasonCode::OwnershipMismatch]
        )
    );
    let variant = with_automations(|one| {
        one.local.automations[0].loop_key =
            LoopKey::new("github-codex-pr-loop:Octo-Org/widgets#42").expect("a key");
    });
    assert_eq!(variant, halt(none, &[ReasonCode::AutomationKeyVariant]));
    let paused_variant = with_automations(|one| {
        let mut more = another(one);
        more.loop_key = LoopKey::new("GITHUB-CODEX-PR-LOOP:octo-org/widgets#42").expect("a key");
        more.status = AutomationStatus::Paused;
        one.local.automations.push(more);
    });
    assert_eq!(
        paused_variant,
        halt(
            none,
            &[
                ReasonCode::AutomationDuplicate,
                ReasonCode::AutomationKeyVariant,
                ReasonCode::OwnershipMismatch
            ]
        )
    );
    let other_owner = with_automations(|one| {
        one.local.automations[0].id = AutomationId::new("automation-8").expect("an id")
    });
    assert_eq!(other_owner, halt(none, &[ReasonCode::OwnershipMismatch]));
    let rekeyed = with_automations(|one| {
        one.local.automations[0].loop_key =
            LoopKey::new("github-codex-pr-loop:octo-org/widgets#43").expect("a key");
    });
    assert_eq!(rekeyed, halt(none, &[ReasonCode::OwnershipMismatch]));
    let unowned = with_automations(|one| {
        one.persisted.owned_automation_id = None;
        one.persisted.owned_automation_status = None;
    });
    assert_eq!(unowned, halt(none, &[ReasonCode::OwnershipMismatch]));
    let other_user = with_automations(|one| one.hosted.current_user_database_id = Some(id(5)));
    assert_eq!(other_user, halt(none, &[ReasonCode::AuthenticationChanged]));
    let no_user = with_automations(|one| one.hosted.current_user_database_id = None);
    assert_eq!(no_user, halt(none, &[ReasonCode::AuthenticationFailure]));
    let unauthenticated = with_automations(|one| one.local.stops = vec![ObservedStop::AuthenticationFailure]);
    assert_eq!(unauthenticated, halt(none, &[ReasonCode::AuthenticationFailure]));
    let stranger = with_automations(|one| {
        let mut more = another(one);
        more.loop_key = LoopKey::new("github-codex-pr-loop:octo-org/widgets#43").expect("a key");
        one.local.automations.push(more);
    });
    assert_eq!(
        stranger.0,
        Action::ApplyFix,
        "another pull request's automation is nobody's doubt"
    );
    let twice = changed(findings(Mode::Autonomous), |one| {
        one.local.automations.push(one.local.automations[0].clone())
    });
    refusal(&twice);
}

#[test]
fn every_other_stop_pauses_an_active_automation_and_leaves_a_paused_one() {
    type Change = Box<dyn Fn(&mut RecurringState)>;
    let stops: Vec<(ReasonCode, Change)> = vec![
        (
            ReasonCode::ScheduleMismatch,
            Box::new(|one| {
                one.local.automations[0].heartbeat_rrule =
                    ViewedSchedule::new("FREQ=MINUTELY;INTERVAL=5").expect("a schedule");
            }),
        ),
        (
            ReasonCode::ScheduleMismatch,
            Box::new(|one| {
                one.local.automations[0].heartbeat_rrule =
                    ViewedSchedule::new("freq=minutely;interval=2").expect("a schedule");
            }),
        ),
        (
            ReasonCode::RemoteDrift,
            Box::new(|one| one.local.remote_name = Some(RemoteName::new("upstream").expect("a name"))),
        ),
        (
            ReasonCode::RemoteDrift,
            Box::new(|one| one.local.remote_name = None),
        ),
        (
            ReasonCode::BaseTipDrift,
            Box::new(|one| one.hosted.pull_request.current_base_sha = sha('e')),
        ),
        (
            ReasonCode::HeadDrift,
            Box::new(|one| one.hosted.pull_request.current_head_sha = sha('e')),
        ),
        (
            ReasonCode::BaseBranchDrift,
            Box::new(|one| one.hosted.pull_request.current_base_branch = branch("release")),
        ),
        (
            ReasonCode::HeadBranchDrift,
            Box::new(|one| one.hosted.pull_request.current_head_branch = branch("renamed")),
        ),
        (
            ReasonCode::TopologyMismatch,
            Box::new(|one| {
                one.hosted.pull_request.head_repository =
                    Some(FullName::new("fork/widgets").expect("a name"));
            }),
        ),
        (
            ReasonCode::TopologyMismatch,
            Box::new(|one| one.hosted.pull_request.head_repository = None),
        ),
        (
            ReasonCode::UnsafeDrift,
            Box::new(|one| one.local.stops = vec![ObservedStop::UnsafeDrift]),
        ),
        (
            ReasonCode::AmbiguousFeedback,
            Box::new(|one| one.local.stops = vec![ObservedStop::AmbiguousFeedback]),
        ),
        (
            ReasonCode::FailedValidation,
            Box::new(|one| one.local.stops = vec![ObservedStop::FailedValidation]),
        ),
        (
            ReasonCode::FailedPush,
            Box::new(|one| one.local.stops = vec![ObservedStop::FailedPush]),
        ),
        (
            ReasonCode::RefusedReadyTransition,
            Box::new(|one| one.local.stops = vec![ObservedStop::RefusedReadyTransition]),
        ),
        (
            ReasonCode::DestructiveGitNeed,
            Box::new(|one| one.local.stops = vec![ObservedStop::DestructiveGitNeed]),
        ),
    ];
    for (reason, stop) in stops {
        for mode in [Mode::Autonomous, Mode::ApprovalGated] {
            for base in [state(mode), findings(mode), no_findings(mode)] {
                let active = changed(base, |one| stop(one));
                assert_eq!(outcome(&active), halt(AutomationAction::Pause, &[reason]));
                let paused = changed(active.clone(), |one| {
                    set_automation_status(one, AutomationStatus::Paused)
                });
                assert_eq!(outcome(&paused), halt(AutomationAction::None, &[reason]));
                let expired = changed(active.clone(), |one| {
                    one.hosted.observed_at = time("2026-03-01T13:00:00Z")
                });
                assert_eq!(
                    outcome(&expired),
                    halt(AutomationAction::Pause, &[reason]),
                    "no cleanup"
                );
                let closed = changed(active, |one| {
                    one.hosted.pull_request.state = PullRequestState::Merged
                });
                let (action, automation_action, reasons) = outcome(&closed);
                assert_eq!(
                    (action, automation_action),
                    (Action::Halt, AutomationAction::Pause),
                    "no cleanup"
                );
                assert!(reasons.contains(&reason) && reasons.contains(&ReasonCode::PullRequestMerged));
            }
        }
    }
}

#[test]
fn a_closed_pull_request_is_cleaned_up_only_with_every_binding_proven() {
    type Change = fn(&mut RecurringState);
    let closings: [(ReasonCode, Change); 3] = [
        (ReasonCode::PullRequestClosed, |one| {
            one.hosted.pull_request.state = PullRequestState::Closed
        }),
        (ReasonCode::PullRequestMerged, |one| {
            one.hosted.pull_request.state = PullRequestState::Merged
        }),
        (ReasonCode::HeadBranchDeleted, |one| {
            one.hosted.pull_request.head_branch_exists = false
        }),
    ];
    for (reason, close) in closings {
        for status in [AutomationStatus::Active, AutomationStatus::Paused] {
            let closed = changed(findings(Mode::Autonomous), |one| {
                close(one);
                set_automation_status(one, status);
            });
            assert_eq!(outcome(&closed), halt(AutomationAction::DeleteOwned, &[reason]));
        }
        let report = changed(example::report_only().expect("a state"), close);
        assert_eq!(outcome(&report), halt(AutomationAction::None, &[reason]));
    }
}

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
fn report_only_has_nothing_that_writes() {
    let base = example::report_only().expect("a state");
    let refused = |change: &dyn Fn(&mut RecurringState)| refusal(&changed(base.clone(), |one| change(one)));
    let writing = findings(Mode::Autonomous);
    refused(&|one| one.local.automations = writing.local.automations.clone());
    refused(&|one| {
        one.persisted.owned_automation_id = writing.persisted.owned_automation_id.clone();
        one.persisted.owned_automation_status = writing.persisted.owned_automation_status;
    });
    refused(&|one| one.persisted.remote_name = writing.persisted.remote_name.clone());
    refused(&|one| one.local.remote_name = writing.local.remote_name.clone());
    refused(&|one| one.persisted.execution_boundary = writing.persisted.execution_boundary.clone());
    refused(&|one| one.local.stops = vec![ObservedStop::UnsafeDrift]);
    refused(&|one| set_request_state(one, RequestState::AwaitingRemediationApproval));
    refused(&|one| set_request_state(one, RequestState::Processing));
    refused(&|one| one.persisted.post_finalization = true);
    refused(&|one| {
        let plans = no_findings(Mode::Autonomous).persisted;
        one.persisted.finalization_manifest = plans.finalization_manifest;
        one.persisted.finalization_plan_hash = plans.finalization_plan_hash;
    });
    let found = changed(base.clone(), |one| {
        one.hosted.responses[0].outcome = ResponseOutcome::Findings
    });
    assert_eq!(
        outcome(&found),
        (Action::Report, AutomationAction::None, vec![ReasonCode::Feedback])
    );
    let unasked = changed(base.clone(), |one| one.persisted.request = None);
    assert_eq!(
        outcome(&unasked),
        (
            Action::Report,
            AutomationAction::None,
            vec![ReasonCode::NoRequest]
        )
    );
    assert_eq!(decision(&unasked).request_key, None);
    let moved = changed(base, |one| one.hosted.pull_request.current_head_sha = sha('e'));
    assert_eq!(
        outcome(&moved),
        halt(AutomationAction::None, &[ReasonCode::HeadDrift])
    );
    let without_request = changed(state(Mode::Autonomous), |one| one.persisted.request = None);
    assert!(
        refusal(&without_request)
            .to_string()
            .contains("canonical request")
    );
    let without_remote = changed(state(Mode::Autonomous), |one| one.persisted.remote_name = None);
    assert!(refusal(&without_remote).to_string().contains("remote name"));
}

#[test]
fn a_state_that_contradicts_itself_is_no_state() {
    let refused =
        |change: &dyn Fn(&mut RecurringState)| refusal(&changed(state(Mode::Autonomous), |one| change(one)));
    refused(&|one| {
        one.persisted.automation_key =
            LoopKey::new("github-codex-pr-loop:Octo-Org/widgets#42").expect("a key")
    });
    refused(&|one| {
        one.persisted.pull_request_number =
            crate::bounded::terms::PullRequestNumber::new(43).expect("a number")
    });
    refused(&|one| {
        one.hosted.pull_request.number = crate::bounded::terms::PullRequestNumber::new(43).expect("a number")
    });
    refused(&|one| one.persisted.request.as_mut().expect("a request").comment_id = id(9));
    refused(&|one| one.persisted.request.as_mut().expect("a request").head_sha = sha('e'));
    refused(&|one| one.persisted.configured_base_branch = one.persisted.configured_head_branch.clone());
    refused(&|one| one.persisted.owned_automation_status = None);
    refused(&|one| one.hosted.observed_at = time("2026-03-01T11:59:59Z"));
    refused(&|one| one.local.stops = vec![ObservedStop::FailedPush, ObservedStop::UnsafeDrift]);
    refused(&|one| one.local.stops = vec![ObservedStop::FailedPush, ObservedStop::FailedPush]);
    refused(&|one| {
        one.persisted.completed_request_keys =
            vec![RequestKey::of(id(2), &sha('e')), RequestKey::of(id(1), &sha('e'))];
    });
    refused(&|one| {
        let mut response = example::response(ResponseOutcome::Findings).expect("a response");
        response.content_version_at = time("2026-03-01T12:05:59Z");
        one.hosted.responses = vec![response];
    });
    refused(&|one| {
        one.hosted.actionable_threads = vec![example::thread("PRRT_a").expect("a thread")];
        one.hosted.finalization_eligible_threads = vec![example::thread("PRRT_a").expect("a thread")];
    });
    refused(&|one| {
        let mut other = example::thread("PRRT_a").expect("a thread");
        other.id = ThreadId::new("PRRT_0").expect("an id");
        one.hosted.actionable_threads = vec![example::thread("PRRT_a").expect("a thread"), other];
    });
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
