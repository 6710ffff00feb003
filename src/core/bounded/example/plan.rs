//! Plans before the first write.

use super::{Built, commands, full_name, hash_of, repository, run_id, sha, template};
use crate::bounded::boundary::{
    ExecutionBoundary, GitProfile, Isolation, ResolvedDirectory, RiskAcceptance, Transport, ValidationCommand,
};
use crate::bounded::manifest::{
    InitialDocument, InitialManifest, InitialSnapshot, RequiredOperations, ReusedPullRequest, StateDigests,
    Topology, User, required_operations,
};
use crate::bounded::path::{AbsolutePath, LinkTarget, PathKind, PathRecord, PathStep, RelativePath};
use crate::bounded::template::AUTOMATION_PROMPT_TEMPLATE;
use crate::bounded::terms::{
    Body, BranchName, Count, DatabaseId, FixRounds, Hash, HeartbeatRrule, Login, Mode, PullRequestNumber,
    PullRequestUrl, RemoteName, SchemaVersion, Statement, Title,
};

fn directory(path: &str) -> Built<ResolvedDirectory> {
    Ok(ResolvedDirectory {
        path: AbsolutePath::new(path)?,
        identity_hash: hash_of(path),
    })
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
