//! Recurring states in each situation, and the plans and claims that belong to them.

use super::{
    Built, boundary, commands, full_name, hash_of, path_record, repository, risky_boundary, run_id, sha,
    template,
};
use crate::bounded::plan::{
    FinalizationManifest, IsolationDecision, RemediationManifest, RemediationOperation, current_bindings,
    finalization_operations,
};
use crate::bounded::policy::ReactionAuthorType;
use crate::bounded::state::{
    AutomationStatus, Claim, ExecutedValidation, Gates, Hosted, HostedPullRequest, Local, Persisted,
    PullRequestState, Receipt, RecurringState, Request, RequestState, Response, ResponseOutcome,
    ThreadSnapshot, ViewedAutomation,
};
use crate::bounded::terms::{
    AuthorType, AutomationId, BranchName, ClaimPurpose, ClaimToken, Command, Count, DatabaseId, FixRounds,
    GateState, Hash, HeartbeatRrule, LoopKey, Mode, PullRequestNumber, PullRequestUrl, RemoteName,
    RequestKey, ResponseId, SchemaVersion, ThreadId, Timestamp, TrustedBotId, ViewedSchedule,
};

/// A pending request at its tenth minute, without a response. Report-only has no automation, remote or boundary.
pub(crate) fn state(mode: Mode) -> Built<RecurringState> {
    let writes = mode != Mode::ReportOnly;
    let number = PullRequestNumber::new(42)?;
    let url = PullRequestUrl::of(&full_name()?, number);
    let key = LoopKey::canonical(&full_name()?, number);
    let comment_id = DatabaseId::new(3_700_000_001)?;
    let author = DatabaseId::new(583_231)?;
    let created_at = Timestamp::new("2026-03-01T12:00:00Z")?;
    let remote = if writes {
        Some(RemoteName::new("origin")?)
    } else {
        None
    };
    let automation = AutomationId::new("automation-7")?;
    let persisted = Persisted {
        mode,
        run_id: run_id()?,
        heartbeat_rrule: HeartbeatRrule::EveryTwoMinutes,
        trusted_bot_database_id: TrustedBotId::MINIMUM,
        repository: repository()?,
        pull_request_number: number,
        pull_request_url: url.clone(),
        remote_name: remote.clone(),
        configured_base_branch: BranchName::new("main")?,
        configured_head_branch: BranchName::new("codex/faster-parser")?,
        owned_automation_id: writes.then(|| automation.clone()),
        owned_automation_status: writes.then_some(AutomationStatus::Active),
        automation_key: key.clone(),
        request: Some(Request {
            comment_id,
            author_database_id: author,
            round: FixRounds::MINIMUM,
            deadline: created_at.plus_minutes(60),
            created_at,
            head_sha: sha('d')?,
            base_sha: sha('b')?,
            request_key: RequestKey::of(comment_id, &sha('d')?),
            state: RequestState::Pending,
        }),
        fix_rounds: FixRounds::MINIMUM,
        completed_request_keys: Vec::new(),
        claim: None,
        post_finalization: false,
        claimed_finalization_request_key: None,
        claimed_finalization_plan_hash: None,
        remediation_manifest: None,
        remediation_plan_hash: None,
        approved_remediation_request_key: None,
        approved_remediation_plan_hash: None,
        execution_boundary: None,
        finalization_manifest: None,
        finalization_plan_hash: None,
        approved_finalization_request_key: None,
        approved_finalization_plan_hash: None,
    };
    let viewed = ViewedAutomation {
        id: automation,
        loop_key: key,
        status: AutomationStatus::Active,
        heartbeat_rrule: ViewedSchedule::new(HeartbeatRrule::EveryTwoMinutes.as_str())?,
    };
    let local = Local {
        remote_name: remote,
        automations: if writes { vec![viewed] } else { Vec::new() },
        stops: Vec::new(),
        validation_executed: Vec::new(),
    };
    let hosted = Hosted {
        observed_at: Timestamp::new("2026-03-01T12:10:00Z")?,
        current_user_database_id: Some(author),
        pull_request: HostedPullRequest {
            number,
            url,
            state: PullRequestState::Open,
            is_draft: true,
            base_repository: full_name()?,
            head_repository: Some(full_name()?),
            current_base_branch: BranchName::new("main")?,
            current_head_branch: BranchName::new("codex/faster-parser")?,
            head_branch_exists: true,
            current_base_sha: sha('b')?,
            current_head_sha: sha('d')?,
        },
        receipt: Some(Receipt {
            author_database_id: DatabaseId::new(TrustedBotId::MINIMUM.get())?,
            author_type: ReactionAuthorType::User,
            created_at: Timestamp::new("2026-03-01T12:00:09Z")?,
        }),
        responses: Vec::new(),
        actionable_threads: Vec::new(),
        finalization_eligible_threads: Vec::new(),
        non_codex_unresolved_threads: Count::MINIMUM,
        gates: Gates {
            required_checks: GateState::Pass,
            approvals: GateState::Pass,
            mergeability: GateState::Pass,
            branch_protection: GateState::Pass,
        },
    };
    Ok(RecurringState {
        schema_version: SchemaVersion::MINIMUM,
        persisted,
        local,
        hosted,
    })
}

/// A qualifying review at the sixth minute.
pub(crate) fn response(outcome: ResponseOutcome) -> Built<Response> {
    Ok(Response {
        id: ResponseId::new("review:9001")?,
        author_database_id: Some(DatabaseId::new(TrustedBotId::MINIMUM.get())?),
        author_type: AuthorType::new("Bot")?,
        created_at: Timestamp::new("2026-03-01T12:06:00Z")?,
        content_version_at: Timestamp::new("2026-03-01T12:06:00Z")?,
        body_hash: hash_of("review body"),
        trigger_request_id: None,
        commit_sha: Some(sha('d')?),
        intervening_requests: Count::MINIMUM,
        outcome,
    })
}

pub(crate) fn thread(id: &str) -> Built<ThreadSnapshot> {
    Ok(ThreadSnapshot {
        id: ThreadId::new(id)?,
        root_comment_id: DatabaseId::new(7_000_001)?,
        root_author_database_id: TrustedBotId::MINIMUM,
        content_version_at: Timestamp::new("2026-03-01T12:06:00Z")?,
        body_hash: hash_of(id),
        position_hash: hash_of("src/parser.rs:12"),
    })
}

/// Findings with one actionable thread, and the remediation plan for them.
pub(crate) fn findings(mode: Mode) -> Built<RecurringState> {
    let mut state = state(mode)?;
    state.hosted.responses = vec![response(ResponseOutcome::Findings)?];
    state.hosted.actionable_threads = vec![thread("PRRT_kwDOA1")?];
    state.persisted.execution_boundary = Some(boundary()?);
    plan_remediation(&mut state)?;
    Ok(state)
}

/// Records the remediation plan that the present state calls for.
pub(crate) fn plan_remediation(state: &mut RecurringState) -> Built<()> {
    let (Some(request), Some(boundary)) = (&state.persisted.request, &state.persisted.execution_boundary)
    else {
        return Ok(());
    };
    let next_round = state.persisted.fix_rounds.next().unwrap_or(FixRounds::MAXIMUM);
    let Some(bindings) = current_bindings(state, request) else {
        return Ok(());
    };
    let review = template(next_round)?;
    let threads = state.hosted.actionable_threads.clone();
    let operations = RemediationOperation::ALL.iter().copied();
    let manifest = RemediationManifest {
        schema_version: SchemaVersion::MINIMUM,
        bindings,
        responses: state.hosted.responses.clone(),
        operations: operations
            .filter(|one| !threads.is_empty() || *one != RemediationOperation::ReplyThreads)
            .collect(),
        actionable_threads: threads,
        paths: vec![path_record("src", "parser.rs")?],
        validation_commands: commands()?,
        review_request_template_hash: hash_of(review.as_str()),
        review_request_template: review,
        next_round,
        isolation_decision: match boundary.risk_acceptance {
            None => IsolationDecision::Isolated,
            Some(_) => IsolationDecision::RiskAccepted,
        },
        execution_boundary_hash: Hash::of(boundary),
    };
    state.persisted.remediation_plan_hash = Some(Hash::of(&manifest));
    state.persisted.remediation_manifest = Some(manifest);
    Ok(())
}

pub(super) fn approved_remediation() -> Built<RecurringState> {
    let mut state = findings(Mode::ApprovalGated)?;
    set_request_state(&mut state, RequestState::AwaitingRemediationApproval);
    set_automation_status(&mut state, AutomationStatus::Paused);
    let commands = commands()?;
    let author = DatabaseId::new(583_231)?;
    state.persisted.execution_boundary = Some(risky_boundary(&commands, author)?);
    plan_remediation(&mut state)?;
    approve(&mut state, ClaimPurpose::Remediation);
    Ok(state)
}

/// Approves the recorded plan by its key and hash.
pub(crate) fn approve(state: &mut RecurringState, purpose: ClaimPurpose) {
    let persisted = &mut state.persisted;
    let key = persisted
        .request
        .as_ref()
        .map(|request| request.request_key.clone());
    match purpose {
        ClaimPurpose::Remediation => {
            persisted.approved_remediation_request_key = key;
            persisted.approved_remediation_plan_hash = persisted.remediation_plan_hash.clone();
        }
        ClaimPurpose::Finalization => {
            persisted.approved_finalization_request_key = key;
            persisted.approved_finalization_plan_hash = persisted.finalization_plan_hash.clone();
        }
    }
}

/// No findings with one addressed thread on a draft, and the finalization plan.
pub(crate) fn no_findings(mode: Mode) -> Built<RecurringState> {
    let mut state = state(mode)?;
    state.hosted.responses = vec![response(ResponseOutcome::NoFindings)?];
    state.hosted.finalization_eligible_threads = vec![thread("PRRT_kwDOA1")?];
    plan_finalization(&mut state);
    Ok(state)
}

/// Records the finalization plan that the present state calls for.
pub(crate) fn plan_finalization(state: &mut RecurringState) {
    let bindings = state
        .persisted
        .request
        .as_ref()
        .and_then(|request| current_bindings(state, request));
    let Some(bindings) = bindings else {
        return;
    };
    let hosted = &state.hosted;
    let manifest = FinalizationManifest {
        schema_version: SchemaVersion::MINIMUM,
        bindings,
        responses: hosted.responses.clone(),
        is_draft: hosted.pull_request.is_draft,
        finalization_eligible_threads: hosted.finalization_eligible_threads.clone(),
        non_codex_unresolved_threads: hosted.non_codex_unresolved_threads,
        gates: hosted.gates.clone(),
        operations: finalization_operations(
            hosted.pull_request.is_draft,
            &hosted.finalization_eligible_threads,
        ),
    };
    state.persisted.finalization_plan_hash = Some(Hash::of(&manifest));
    state.persisted.finalization_manifest = Some(manifest);
}

pub(crate) fn set_request_state(state: &mut RecurringState, to: RequestState) {
    if let Some(request) = &mut state.persisted.request {
        request.state = to;
    }
}

pub(crate) fn set_automation_status(state: &mut RecurringState, status: AutomationStatus) {
    state.persisted.owned_automation_status = Some(status);
    for automation in &mut state.local.automations {
        automation.status = status;
    }
}

/// Takes the claim for the recorded plan: PAUSED plus processing.
pub(crate) fn claim(state: &mut RecurringState, purpose: ClaimPurpose) -> Built<()> {
    set_request_state(state, RequestState::Processing);
    set_automation_status(state, AutomationStatus::Paused);
    let persisted = &mut state.persisted;
    let hash = match purpose {
        ClaimPurpose::Remediation => persisted.remediation_plan_hash.clone(),
        ClaimPurpose::Finalization => persisted.finalization_plan_hash.clone(),
    };
    if let (Some(request), Some(plan_hash)) = (&persisted.request, hash) {
        let token = ClaimToken::new("00112233445566778899aabbccddeeff")?;
        persisted.claim = Some(Claim {
            token,
            request_key: request.request_key.clone(),
            plan_hash,
            purpose,
        });
    }
    Ok(())
}

/// The finalization is done and verified: ready for review, its thread resolved, the original claim kept.
pub(crate) fn post_finalization(mode: Mode) -> Built<RecurringState> {
    let mut state = no_findings(mode)?;
    if mode == Mode::ApprovalGated {
        approve(&mut state, ClaimPurpose::Finalization);
    }
    claim(&mut state, ClaimPurpose::Finalization)?;
    state.persisted.post_finalization = true;
    state.persisted.claimed_finalization_request_key = state
        .persisted
        .claim
        .as_ref()
        .map(|claim| claim.request_key.clone());
    state.persisted.claimed_finalization_plan_hash = state
        .persisted
        .claim
        .as_ref()
        .map(|claim| claim.plan_hash.clone());
    state.hosted.pull_request.is_draft = false;
    state.hosted.finalization_eligible_threads = Vec::new();
    state.local.validation_executed = vec![ExecutedValidation {
        command: Command::new("cargo test --locked")?,
        passed: true,
    }];
    plan_finalization(&mut state);
    Ok(state)
}

pub(crate) fn report_only() -> Built<RecurringState> {
    let mut state = state(Mode::ReportOnly)?;
    let mut answer = response(ResponseOutcome::NoFindings)?;
    answer.trigger_request_id = state.persisted.request.as_ref().map(|request| request.comment_id);
    state.hosted.responses = vec![answer];
    Ok(state)
}
