//! The initial snapshot and the initial manifest: what a run intends before its first write, and the rules they obey.

use super::boundary::{ExecutionBoundary, ValidationCommand, check_commands};
use super::error::{EvaluatorError, Place, require};
use super::path::{PathRecord, RelativePath, check_paths};
use super::template::{AUTOMATION_PROMPT_TEMPLATE, check_request_template};
use super::terms::{
    Body, BranchName, Count, DatabaseId, FixRounds, FullName, Hash, HeartbeatRrule, Host, Login, Mode, Owner,
    PullRequestNumber, PullRequestUrl, RemoteName, RepositoryName, RunId, SchemaVersion, Sha, Title,
};
use super::vocabulary::{record, words};

record! {
    /// "Repository … identity."
    Repository {
        /// "Host is GitHub.com."
        host: Host,
        /// "PR head and base are in the same repository": its owner.
        owner: Owner,
        /// "PR head and base are in the same repository": its name.
        name: RepositoryName,
    }
}

impl Repository {
    pub(crate) fn full_name(&self) -> FullName {
        FullName::of(&self.owner, &self.name)
    }
}

record! {
    /// "User … identity."
    User {
        /// "Halt if the authenticated GitHub numeric user ID changed."
        database_id: DatabaseId,
        /// "User … identity": the login of that ID.
        login: Login,
    }
}

record! {
    /// "Reuse only the revalidated matching PR."
    ReusedPullRequest {
        /// "PR identity."
        number: PullRequestNumber,
        /// "PR identity": its canonical address.
        url: PullRequestUrl,
        /// "Halt on … a different repository": the repository of the base branch.
        base_repository: FullName,
        /// "Fork-to-upstream PRs are unsupported": the repository of the head branch.
        head_repository: FullName,
        /// "Revalidate any existing PR's repository, base, and head branches."
        base_branch: BranchName,
        /// "Revalidate any existing PR's repository, base, and head branches."
        head_branch: BranchName,
        /// "Reused-PR head/topology state."
        head_sha: Sha,
    }
}

record! {
    /// "Reused-PR head/topology state", and the candidate branch's emptiness.
    Topology {
        /// "Query every open PR for the final head. Halt on multiple matches."
        open_pull_requests: Count,
        /// "No … PR in any state": closed and merged ones of the final head.
        historical_pull_requests: Count,
        /// "A candidate that has no local ref."
        local_ref_exists: bool,
        /// "A candidate that has no … remote ref."
        remote_ref_exists: bool,
    }
}

record! {
    /// "Required-operation booleans."
    RequiredOperations {
        /// "Create the prevalidated branch if needed."
        create_branch: bool,
        /// "Stage only intended safe files …, commit with disabled hooks/signing": true exactly when there are paths.
        commit: bool,
        /// "Push the explicit validated HTTPS GitHub URL": true when there is a commit to make or the remote head differs.
        push: bool,
        /// "If none existed, create a same-repository PR."
        create_pull_request: bool,
        /// "Zero: … Create a PAUSED inert stub"; false when exactly one automation is reused.
        create_automation: bool,
    }
}

record! {
    /// "Complete state digests."
    StateDigests {
        /// "The complete staged … scope."
        staged_hash: Hash,
        /// "The complete … unstaged … scope."
        unstaged_hash: Hash,
        /// "The complete … untracked scope."
        untracked_hash: Hash,
        /// "Re-inspect the full base-to-head diff": the diff from the base to the intended final tree, which the receipt's "pushed diff digest" must equal.
        intended_diff_hash: Hash,
    }
}

record! {
    /// "Build its exact v1 initial_snapshot."
    InitialSnapshot {
        /// "Exact v1."
        schema_version: SchemaVersion,
        /// "Resolve one mode before acting"; report-only has no initial pass with writes.
        mode: Mode,
        /// "Generate a random 128-bit lowercase hexadecimal run ID once per explicit run."
        run_id: RunId,
        /// "Exact policy heartbeat RRULE."
        heartbeat_rrule: HeartbeatRrule,
        /// "Repository … identity."
        repository: Repository,
        /// "User … identity."
        user: User,
        /// "Identify exactly one remote that maps to the GitHub nameWithOwner, and persist/report only the remote name."
        remote_name: RemoteName,
        /// "The user names the base branch."
        base_branch: BranchName,
        /// "Resolve the final head branch before approval."
        head_branch: BranchName,
        /// "Inspect current refs": the branch checked out now.
        current_branch: BranchName,
        /// "Current base and head SHAs": the base tip.
        base_sha: Sha,
        /// "Current base and head SHAs": the local head.
        head_sha: Sha,
        /// "Remote ref": the head branch's tip on the remote, null when it does not exist there.
        remote_head_sha: Option<Sha>,
        /// "PR identity": the one open PR of the final head, null when there is none.
        pull_request: Option<ReusedPullRequest>,
        /// "Reused-PR head/topology state."
        topology: Topology,
        /// "Required-operation booleans."
        operations: RequiredOperations,
        /// "Intended canonical paths and their exact containment records."
        paths: Vec<PathRecord>,
        /// "Complete state digests."
        state_digests: StateDigests,
        /// "Literal validation commands and definition hashes."
        validation_commands: Vec<ValidationCommand>,
        /// "The full execution boundary."
        execution_boundary: ExecutionBoundary,
    }
}

words! {
    /// "The conditional ordered operation list." The order here is the order in a manifest.
    InitialOperation {
        /// "Fetch the explicit base": always.
        FetchBase = "fetch-base",
        /// "Create the prevalidated branch if needed": when `create_branch`.
        CreateBranch = "create-branch",
        /// "Run authorized validation inside the execution boundary": when there are validation commands.
        RunValidation = "run-validation",
        /// "Stage only intended safe files under the sanitized profile": when `commit`.
        StagePaths = "stage-paths",
        /// "Commit with disabled hooks/signing": when `commit`.
        Commit = "commit",
        /// "Push the explicit validated HTTPS GitHub URL": when `push`.
        Push = "push",
        /// "If none existed, create a same-repository PR": when `create_pull_request`.
        CreatePullRequest = "create-pull-request",
        /// "Reuse only the revalidated matching PR": when not `create_pull_request`.
        ReusePullRequest = "reuse-pull-request",
        /// "Post it once": always.
        PostReviewRequest = "post-review-request",
        /// "Create a PAUSED inert stub": when `create_automation`.
        CreateAutomation = "create-automation",
        /// "One: reuse that exact automation ID": when not `create_automation`.
        ReuseAutomation = "reuse-automation",
        /// "View and verify the exact rendered prompt and schedule before setting it ACTIVE": always.
        ActivateAutomation = "activate-automation",
    }
}

record! {
    /// "Build the exact v1 initial_manifest."
    InitialManifest {
        /// "Exact v1."
        schema_version: SchemaVersion,
        /// "Hash both with canonical JSON": the snapshot's digest, which binds every value of it.
        snapshot_hash: Hash,
        /// "Resolve one mode before acting"; as in the snapshot.
        mode: Mode,
        /// "Round zero uses the initial manifest": the run its marker names.
        run_id: RunId,
        /// "Repository … identity", as in the snapshot.
        repository: Repository,
        /// "Persist/report only the remote name", as in the snapshot.
        remote_name: RemoteName,
        /// "The user names the base branch", as in the snapshot.
        base_branch: BranchName,
        /// "Resolve the final head branch before approval", as in the snapshot.
        head_branch: BranchName,
        /// "The PR title/body": the title.
        pull_request_title: Title,
        /// "Non-null hashes of … the PR title/body": the title's.
        pull_request_title_hash: Hash,
        /// "The PR title/body": "a concise summary and validation record".
        pull_request_body: Body,
        /// "Non-null hashes of … the PR title/body": the body's.
        pull_request_body_hash: Hash,
        /// "A round-zero review-request body template containing exactly one {{FINAL_HEAD_SHA}}."
        review_request_template: Body,
        /// "Non-null hashes of both templates": the review request's.
        review_request_template_hash: Hash,
        /// "The evaluator-owned Automation prompt template."
        automation_prompt_template: Body,
        /// "Non-null hashes of both templates": the automation prompt's.
        automation_prompt_template_hash: Hash,
        /// "Intended canonical paths", sorted, one for each path record of the snapshot.
        paths: Vec<RelativePath>,
        /// "List side-effecting commands in the approved batch."
        validation_commands: Vec<ValidationCommand>,
        /// "Bind … into the batch": the digest of the snapshot's execution boundary.
        execution_boundary_hash: Hash,
        /// "The conditional ordered operation list."
        operations: Vec<InitialOperation>,
    }
}

record! {
    /// "Run scripts/evaluate_state.py --initial with the complete snapshot, manifest, and plan hash."
    InitialDocument {
        /// "The complete snapshot."
        snapshot: InitialSnapshot,
        /// "The complete … manifest."
        manifest: InitialManifest,
        /// "The manifest digest is initial_plan_hash"; before the first side effect the approved one.
        plan_hash: Hash,
    }
}

/// The operations that a snapshot calls for, in order.
pub(crate) fn required_operations(snapshot: &InitialSnapshot) -> Vec<InitialOperation> {
    let wanted = &snapshot.operations;
    InitialOperation::ALL
        .iter()
        .copied()
        .filter(|operation| match operation {
            InitialOperation::FetchBase
            | InitialOperation::PostReviewRequest
            | InitialOperation::ActivateAutomation => true,
            InitialOperation::CreateBranch => wanted.create_branch,
            InitialOperation::RunValidation => !snapshot.validation_commands.is_empty(),
            InitialOperation::StagePaths | InitialOperation::Commit => wanted.commit,
            InitialOperation::Push => wanted.push,
            InitialOperation::CreatePullRequest => wanted.create_pull_request,
            InitialOperation::ReusePullRequest => !wanted.create_pull_request,
            InitialOperation::CreateAutomation => wanted.create_automation,
            InitialOperation::ReuseAutomation => !wanted.create_automation,
        })
        .collect()
}

/// The rules between the fields of a snapshot.
pub(crate) fn check_snapshot(snapshot: &InitialSnapshot, place: &Place<'_>) -> Result<(), EvaluatorError> {
    let rule = |holds, field, text| require(holds, place.field(field), text);
    rule(
        snapshot.mode != Mode::ReportOnly,
        "mode",
        "report-only never writes and has no initial plan",
    )?;
    rule(
        snapshot.base_branch != snapshot.head_branch,
        "head_branch",
        "head and base are different branches",
    )?;

    let topology = &snapshot.topology;
    rule(
        topology.open_pull_requests.get() <= 1,
        "topology",
        "the final head has more than one open pull request",
    )?;
    rule(
        (topology.open_pull_requests.get() == 1) == snapshot.pull_request.is_some(),
        "topology",
        "the one open pull request of the final head is the reused one",
    )?;
    rule(
        topology.remote_ref_exists == snapshot.remote_head_sha.is_some(),
        "remote_head_sha",
        "a remote ref has a SHA exactly when it exists",
    )?;

    let wanted = &snapshot.operations;
    rule(
        wanted.commit != snapshot.paths.is_empty(),
        "operations",
        "a commit is required exactly when paths are intended",
    )?;
    let remote_differs = snapshot.remote_head_sha.as_ref() != Some(&snapshot.head_sha);
    rule(
        wanted.push == (wanted.commit || remote_differs),
        "operations",
        "a push is required exactly when there is a commit to make or the remote head differs",
    )?;
    rule(
        wanted.create_pull_request == snapshot.pull_request.is_none(),
        "operations",
        "a pull request is created exactly when none exists",
    )?;
    rule(
        !wanted.create_pull_request || wanted.commit || snapshot.head_sha != snapshot.base_sha,
        "operations",
        "a pull request without any change cannot be created",
    )?;
    if wanted.create_branch {
        let fresh = !topology.local_ref_exists
            && !topology.remote_ref_exists
            && topology.open_pull_requests.get() == 0
            && topology.historical_pull_requests.get() == 0;
        rule(
            fresh,
            "topology",
            "a generated head branch has no local ref, remote ref, or pull request in any state",
        )?;
        rule(
            snapshot.current_branch == snapshot.base_branch,
            "current_branch",
            "a branch is created only when on the base",
        )?;
        let named = snapshot
            .head_branch
            .as_str()
            .strip_prefix("codex/")
            .is_some_and(|slug| !slug.is_empty());
        rule(
            named,
            "head_branch",
            "a generated head branch is named `codex/<short-purpose-slug>`",
        )?;
    } else {
        rule(
            topology.local_ref_exists,
            "topology",
            "a head branch that is not created exists locally",
        )?;
        rule(
            snapshot.current_branch == snapshot.head_branch,
            "current_branch",
            "the current branch is the head branch",
        )?;
    }
    if let Some(pull) = &snapshot.pull_request {
        check_reused(pull, snapshot, &place.field("pull_request"))?;
    }
    check_commands(&snapshot.validation_commands, &place.field("validation_commands"))?;
    let boundary = &snapshot.execution_boundary;
    boundary.check(
        &snapshot.validation_commands,
        Some(snapshot.user.database_id),
        &place.field("execution_boundary"),
    )?;
    check_paths(&snapshot.paths, boundary, &place.field("paths"))
}

fn check_reused(
    pull: &ReusedPullRequest,
    snapshot: &InitialSnapshot,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let full_name = snapshot.repository.full_name();
    let same = pull.base_repository == full_name && pull.head_repository == full_name;
    require(
        same,
        place,
        "head and base of the pull request are in this repository",
    )?;
    require(
        pull.base_branch == snapshot.base_branch,
        place.field("base_branch"),
        "the base differs from the user's base branch",
    )?;
    require(
        pull.head_branch == snapshot.head_branch,
        place.field("head_branch"),
        "the pull request has another head branch",
    )?;
    let at_remote = snapshot.remote_head_sha.as_ref() == Some(&pull.head_sha);
    require(
        at_remote,
        place.field("head_sha"),
        "the pull request's head is the remote head",
    )?;
    let canonical = pull.url == PullRequestUrl::of(&full_name, pull.number);
    require(
        canonical,
        place.field("url"),
        "the address is the canonical one of this repository and number",
    )
}

/// The rules between a manifest and its snapshot.
pub(crate) fn check_manifest(
    manifest: &InitialManifest,
    snapshot: &InitialSnapshot,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let rule = |holds, field, text| require(holds, place.field(field), text);
    let same = "it differs from the snapshot";
    rule(manifest.mode == snapshot.mode, "mode", same)?;
    rule(manifest.run_id == snapshot.run_id, "run_id", same)?;
    rule(manifest.repository == snapshot.repository, "repository", same)?;
    rule(manifest.remote_name == snapshot.remote_name, "remote_name", same)?;
    rule(manifest.base_branch == snapshot.base_branch, "base_branch", same)?;
    rule(manifest.head_branch == snapshot.head_branch, "head_branch", same)?;
    rule(
        manifest.validation_commands == snapshot.validation_commands,
        "validation_commands",
        same,
    )?;
    rule(
        manifest
            .paths
            .iter()
            .eq(snapshot.paths.iter().map(|record| &record.path)),
        "paths",
        same,
    )?;
    let boundary_hash = Hash::of(&snapshot.execution_boundary);
    rule(
        manifest.execution_boundary_hash == boundary_hash,
        "execution_boundary_hash",
        "it is not the digest of the snapshot's execution boundary",
    )?;
    rule(
        manifest.snapshot_hash == Hash::of(snapshot),
        "snapshot_hash",
        "it is not the digest of the snapshot",
    )?;

    rule(
        manifest.automation_prompt_template.as_str() == AUTOMATION_PROMPT_TEMPLATE,
        "automation_prompt_template",
        "the template is exactly the evaluator's own",
    )?;
    check_request_template(
        &manifest.review_request_template,
        &manifest.run_id,
        FixRounds::MINIMUM,
        &place.field("review_request_template"),
    )?;
    for (text, hash, field) in [
        (
            manifest.pull_request_title.as_str(),
            &manifest.pull_request_title_hash,
            "pull_request_title_hash",
        ),
        (
            manifest.pull_request_body.as_str(),
            &manifest.pull_request_body_hash,
            "pull_request_body_hash",
        ),
        (
            manifest.review_request_template.as_str(),
            &manifest.review_request_template_hash,
            "review_request_template_hash",
        ),
        (
            manifest.automation_prompt_template.as_str(),
            &manifest.automation_prompt_template_hash,
            "automation_prompt_template_hash",
        ),
    ] {
        rule(
            Hash::of_text(text) == *hash,
            field,
            "it is not the SHA-256 of the text in UTF-8",
        )?;
    }
    rule(
        manifest.operations == required_operations(snapshot),
        "operations",
        "the operations are exactly those that the snapshot calls for, in order",
    )
}
