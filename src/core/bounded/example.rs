//! A valid document of each kind, and one recurring state for each situation of the loop.
//!
//! They are built from the same types that read documents, so that an example can never lag behind its schema.

use super::boundary::{
    ExecutionBoundary, GitProfile, Isolation, ResolvedDirectory, RiskAcceptance, Transport, ValidationCommand,
};
use super::canonical::Json;
use super::error::EvaluatorError;
use super::manifest::{
    InitialDocument, InitialManifest, InitialSnapshot, Repository, RequiredOperations, ReusedPullRequest,
    StateDigests, Topology, User, required_operations,
};
use super::path::{AbsolutePath, LinkTarget, PathKind, PathRecord, PathStep, RelativePath};
use super::plan::{
    FinalizationManifest, IsolationDecision, RemediationManifest, RemediationOperation, current_bindings,
    finalization_operations,
};
use super::policy::{ReactionAuthorType, policy};
use super::prompt::{BootstrapSnapshot, PostWriteReceipt, PromptDocument};
use super::state::{
    AutomationStatus, Checkpoint, Claim, ExecutedValidation, Gates, Hosted, HostedPullRequest, Local,
    Persisted, PullRequestState, Receipt, RecurringState, Request, RequestState, Response, ResponseOutcome,
    ThreadSnapshot, ViewedAutomation,
};
use super::template::{AUTOMATION_PROMPT_TEMPLATE, marker, render_prompt, render_request};
use super::terms::{
    AuthorType, AutomationId, Body, BranchName, ClaimPurpose, ClaimToken, Command, Count, DatabaseId,
    FixRounds, FullName, GateState, Hash, HeartbeatRrule, Host, Login, LoopKey, Mode, Owner,
    PullRequestNumber, PullRequestUrl, RemoteName, RepositoryName, RequestKey, ResponseId, RunId,
    SchemaVersion, Sha, Statement, ThreadId, Timestamp, Title, TrustedBotId, ViewedSchedule,
};
use super::vocabulary::Term;

type Built<T> = Result<T, EvaluatorError>;

/// The names that [`example`] knows, each with what it shows.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("policy", "the pinned policy"),
    ("initial", "a plan for a new branch and a new pull request"),
    (
        "initial-reused",
        "a plan that reuses a pull request, with a risk acceptance",
    ),
    ("prompt", "the bootstrap of the paused stub"),
    ("checkpoint", "what `evaluate state --checkpoint` reads"),
    ("recurring", "a pending request without a response: wait"),
    ("recurring-findings", "findings and a remediation plan: apply-fix"),
    (
        "recurring-awaiting-remediation-approval",
        "the same, approval-gated, not approved",
    ),
    ("recurring-approved-remediation", "the same, approved: apply-fix"),
    (
        "recurring-no-findings",
        "no findings and a finalization plan: finalize",
    ),
    (
        "recurring-awaiting-finalization-approval",
        "the same, approval-gated, not approved",
    ),
    ("recurring-processing", "an open claim: halt for manual audit"),
    (
        "recurring-post-finalization",
        "the verified finalization: finish-finalization",
    ),
    (
        "recurring-report-only",
        "the read-only pass with a proven result: complete-no-findings",
    ),
];

/// A valid document; none for another name.
pub fn example(name: &str) -> Option<Json> {
    build(name).ok().flatten()
}

fn build(name: &str) -> Built<Option<Json>> {
    let json = match name {
        "policy" => policy(),
        "initial" => initial()?.write(),
        "initial-reused" => initial_reused()?.write(),
        "prompt" => prompt()?.write(),
        "checkpoint" => {
            let RecurringState {
                schema_version,
                persisted,
                local,
                ..
            } = state(Mode::Autonomous)?;
            Checkpoint {
                schema_version,
                persisted,
                local,
            }
            .write()
        }
        "recurring" => state(Mode::Autonomous)?.write(),
        "recurring-findings" => findings(Mode::Autonomous)?.write(),
        "recurring-awaiting-remediation-approval" => {
            let mut state = findings(Mode::ApprovalGated)?;
            set_request_state(&mut state, RequestState::AwaitingRemediationApproval);
            state.write()
        }
        "recurring-approved-remediation" => approved_remediation()?.write(),
        "recurring-no-findings" => no_findings(Mode::Autonomous)?.write(),
        "recurring-awaiting-finalization-approval" => {
            let mut state = no_findings(Mode::ApprovalGated)?;
            set_request_state(&mut state, RequestState::AwaitingFinalizationApproval);
            state.write()
        }
        "recurring-processing" => {
            let mut state = findings(Mode::Autonomous)?;
            claim(&mut state, ClaimPurpose::Remediation)?;
            state.write()
        }
        "recurring-post-finalization" => post_finalization(Mode::Autonomous)?.write(),
        "recurring-report-only" => report_only()?.write(),
        _ => return Ok(None),
    };
    Ok(Some(json))
}

fn hash_of(label: &str) -> Hash {
    Hash::of_text(label)
}

fn sha(digit: char) -> Built<Sha> {
    Sha::new(String::from(digit).repeat(40))
}

fn run_id() -> Built<RunId> {
    RunId::new("0123456789abcdef0123456789abcdef")
}

fn repository() -> Built<Repository> {
    Ok(Repository {
        host: Host::GithubCom,
        owner: Owner::new("Octo-Org")?,
        name: RepositoryName::new("widgets")?,
    })
}

fn full_name() -> Built<FullName> {
    repository().map(|repository| repository.full_name())
}

fn directory(path: &str) -> Built<ResolvedDirectory> {
    Ok(ResolvedDirectory {
        path: AbsolutePath::new(path)?,
        identity_hash: hash_of(path),
    })
}

fn commands() -> Built<Vec<ValidationCommand>> {
    let command = |text: &str| {
        Ok(ValidationCommand {
            command: Command::new(text)?,
            definition_hash: hash_of(text),
        })
    };
    ["cargo test --locked", "cargo clippy --locked"]
        .into_iter()
        .map(command)
        .collect()
}

pub(crate) fn boundary() -> Built<ExecutionBoundary> {
    Ok(ExecutionBoundary {
        git: GitProfile {
            config_hash: hash_of("config"),
            attributes_hash: hash_of("attributes"),
            invocation_hash: hash_of("invocation"),
            transport: Transport::HttpsWithGhCredentials,
            protect_hfs: true,
            protect_ntfs: true,
            hooks_disabled: true,
            signing_disabled: true,
            external_diff_disabled: true,
        },
        worktree: directory("/srv/work/widgets")?,
        git_directory: directory("/srv/work/widgets/.git")?,
        common_directory: directory("/srv/work/widgets/.git")?,
        isolation: Isolation {
            network_disabled: true,
            minimal_environment: true,
            unrelated_credentials_absent: true,
            home_directory_denied: true,
            credential_stores_denied: true,
            agent_sockets_denied: true,
            read_allowlist_hash: hash_of("read allowlist"),
            write_allowlist_hash: hash_of("write allowlist"),
        },
        risk_acceptance: None,
    })
}

/// A regular file two levels down.
pub(crate) fn path_record(folder: &str, file: &str) -> Built<PathRecord> {
    let path = format!("{folder}/{file}");
    Ok(PathRecord {
        path: RelativePath::new(path.clone())?,
        lstat_chain: vec![
            PathStep {
                path: RelativePath::new(folder)?,
                kind: PathKind::Directory,
                link_target: None,
            },
            PathStep {
                path: RelativePath::new(path.clone())?,
                kind: PathKind::File,
                link_target: None,
            },
        ],
        resolved_target: AbsolutePath::new(format!("/srv/work/widgets/{path}"))?,
        inside_worktree: true,
        outside_git_directories: true,
    })
}

/// A symbolic link in the root that points to a file inside the worktree.
pub(crate) fn linked_record() -> Built<PathRecord> {
    let path = RelativePath::new("latest.md")?;
    Ok(PathRecord {
        path: path.clone(),
        lstat_chain: vec![PathStep {
            path,
            kind: PathKind::Symlink,
            link_target: Some(LinkTarget::new("docs/v2.md")?),
        }],
        resolved_target: AbsolutePath::new("/srv/work/widgets/docs/v2.md")?,
        inside_worktree: true,
        outside_git_directories: true,
    })
}

fn template(round: FixRounds) -> Built<Body> {
    Body::new(format!("@codex review\n\n{}", marker(&run_id()?, round)))
}

pub(crate) fn snapshot() -> Built<InitialSnapshot> {
    Ok(InitialSnapshot {
        schema_version: SchemaVersion::MINIMUM,
        mode: Mode::Autonomous,
        run_id: run_id()?,
        heartbeat_rrule: HeartbeatRrule::EveryTwoMinutes,
        repository: repository()?,
        user: User {
            database_id: DatabaseId::new(583_231)?,
            login: Login::new("octocat")?,
        },
        remote_name: RemoteName::new("origin")?,
        base_branch: BranchName::new("main")?,
        head_branch: BranchName::new("codex/faster-parser")?,
        current_branch: BranchName::new("main")?,
        base_sha: sha('b')?,
        head_sha: sha('b')?,
        remote_head_sha: None,
        pull_request: None,
        topology: Topology {
            open_pull_requests: Count::MINIMUM,
            historical_pull_requests: Count::MINIMUM,
            local_ref_exists: false,
            remote_ref_exists: false,
        },
        operations: RequiredOperations {
            create_branch: true,
            commit: true,
            push: true,
            create_pull_request: true,
            create_automation: true,
        },
        paths: vec![path_record("src", "lexer.rs")?, path_record("src", "parser.rs")?],
        state_digests: StateDigests {
            staged_hash: hash_of(""),
            unstaged_hash: hash_of("unstaged"),
            untracked_hash: hash_of(""),
            intended_diff_hash: hash_of("diff"),
        },
        validation_commands: commands()?,
        execution_boundary: boundary()?,
    })
}

/// The document that a snapshot leads to; its digests are right by construction.
pub(crate) fn document_of(snapshot: InitialSnapshot) -> Built<InitialDocument> {
    let title = "Parse without copying";
    let body = "Borrow from the input.\n\nValidated by the test suite.";
    let review = template(FixRounds::MINIMUM)?;
    let manifest = InitialManifest {
        schema_version: SchemaVersion::MINIMUM,
        snapshot_hash: Hash::of(&snapshot),
        mode: snapshot.mode,
        run_id: snapshot.run_id.clone(),
        repository: snapshot.repository.clone(),
        remote_name: snapshot.remote_name.clone(),
        base_branch: snapshot.base_branch.clone(),
        head_branch: snapshot.head_branch.clone(),
        pull_request_title: Title::new(title)?,
        pull_request_title_hash: hash_of(title),
        pull_request_body: Body::new(body)?,
        pull_request_body_hash: hash_of(body),
        review_request_template_hash: hash_of(review.as_str()),
        review_request_template: review,
        automation_prompt_template: Body::new(AUTOMATION_PROMPT_TEMPLATE)?,
        automation_prompt_template_hash: hash_of(AUTOMATION_PROMPT_TEMPLATE),
        paths: snapshot.paths.iter().map(|record| record.path.clone()).collect(),
        validation_commands: snapshot.validation_commands.clone(),
        execution_boundary_hash: Hash::of(&snapshot.execution_boundary),
        operations: required_operations(&snapshot),
    };
    let plan_hash = Hash::of(&manifest);
    Ok(InitialDocument {
        snapshot,
        manifest,
        plan_hash,
    })
}

pub(crate) fn initial() -> Built<InitialDocument> {
    document_of(snapshot()?)
}

pub(crate) fn initial_reused() -> Built<InitialDocument> {
    let mut snapshot = snapshot()?;
    let number = PullRequestNumber::new(42)?;
    snapshot.mode = Mode::ApprovalGated;
    snapshot.current_branch = snapshot.head_branch.clone();
    snapshot.head_sha = sha('c')?;
    snapshot.remote_head_sha = Some(sha('c')?);
    snapshot.pull_request = Some(ReusedPullRequest {
        number,
        url: PullRequestUrl::of(&full_name()?, number),
        base_repository: full_name()?,
        head_repository: full_name()?,
        base_branch: snapshot.base_branch.clone(),
        head_branch: snapshot.head_branch.clone(),
        head_sha: sha('c')?,
    });
    snapshot.topology = Topology {
        open_pull_requests: Count::new(1)?,
        historical_pull_requests: Count::MINIMUM,
        local_ref_exists: true,
        remote_ref_exists: true,
    };
    snapshot.paths.insert(0, linked_record()?);
    snapshot.operations.create_branch = false;
    snapshot.operations.create_pull_request = false;
    snapshot.operations.create_automation = false;
    snapshot.execution_boundary = risky_boundary(&snapshot.validation_commands, snapshot.user.database_id)?;
    document_of(snapshot)
}

/// A boundary without network isolation, and the user's acceptance for exactly these commands.
pub(crate) fn risky_boundary(commands: &[ValidationCommand], user: DatabaseId) -> Built<ExecutionBoundary> {
    let mut boundary = boundary()?;
    boundary.isolation.network_disabled = false;
    boundary.risk_acceptance = Some(RiskAcceptance {
        accepted_by_user_id: user,
        commands_hash: Hash::of(&commands.to_vec()),
        git_surfaces: Statement::new("The sanitized profile without exceptions")?,
        filesystem_reach: Statement::new("The worktree and one disposable root")?,
        credentials: Statement::new("None")?,
        limitations: Statement::new("The network cannot be disabled on this machine")?,
    });
    Ok(boundary)
}

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

fn approved_remediation() -> Built<RecurringState> {
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

/// The bootstrap that follows the example plan.
pub(crate) fn prompt() -> Built<PromptDocument> {
    let initial = initial()?;
    let mut state = state(Mode::Autonomous)?;
    set_automation_status(&mut state, AutomationStatus::Paused);
    state.hosted.observed_at = Timestamp::new("2026-03-01T12:01:00Z")?;
    let head = sha('d')?;
    let body = render_request(&initial.manifest.review_request_template, &head);
    let receipt = PostWriteReceipt {
        approved_base_sha: initial.snapshot.base_sha.clone(),
        approved_diff_hash: initial.snapshot.state_digests.intended_diff_hash.clone(),
        approved_paths: initial.manifest.paths.clone(),
        initial_head_sha: initial.snapshot.head_sha.clone(),
        final_local_head_sha: head.clone(),
        final_remote_head_sha: head.clone(),
        final_pull_request_head_sha: head.clone(),
        final_state_head_sha: head,
        descends_from_initial_head: true,
        worktree_clean: true,
        pushed_diff_hash: initial.snapshot.state_digests.intended_diff_hash.clone(),
        review_request_body_hash: hash_of(&body),
        review_request_body: Body::new(body)?,
    };
    let bootstrap_snapshot = BootstrapSnapshot {
        schema_version: SchemaVersion::MINIMUM,
        initial_plan_hash: initial.plan_hash.clone(),
        pull_request_url: state.persisted.pull_request_url.clone(),
        deadline: Timestamp::new("2026-03-01T13:00:00Z")?,
        state,
        receipt,
    };
    rendered(initial, bootstrap_snapshot)
}

/// The document with the digest and the rendering that belong to a snapshot.
pub(crate) fn rendered(
    initial: InitialDocument,
    bootstrap_snapshot: BootstrapSnapshot,
) -> Built<PromptDocument> {
    let key = bootstrap_snapshot.state.persisted.automation_key.clone();
    let prompt = render_prompt(&key, &bootstrap_snapshot.write().canonical());
    Ok(PromptDocument {
        initial,
        bootstrap_snapshot_hash: Hash::of(&bootstrap_snapshot),
        bootstrap_snapshot,
        rendered_prompt_hash: Some(hash_of(prompt.as_str())),
        rendered_prompt: Some(prompt),
    })
}
