//! The execution boundary: the sanitized Git profile, the resolved directories, the isolation, and an accepted risk.

use super::error::{EvaluatorError, Place, require};
use super::path::{AbsolutePath, within};
use super::terms::{Command, DatabaseId, Hash, Statement};
use super::vocabulary::{record, words};
use std::collections::BTreeSet;

words! {
    /// "Push the explicit validated HTTPS GitHub URL through only the trusted gh credential helper."
    Transport {
        /// HTTPS to github.com with gh as the only credential helper.
        HttpsWithGhCredentials = "https-gh-credential-helper",
    }
}

record! {
    /// "All Git reads and writes must use the sanitized profile."
    GitProfile {
        /// "Bind its config … state into the batch."
        config_hash: Hash,
        /// "Bind its … attributes … state into the batch."
        attributes_hash: Hash,
        /// "Bind its … invocation … state into the batch."
        invocation_hash: Hash,
        /// "Bind its … transport … state into the batch."
        transport: Transport,
        /// "Bind its … protectHFS … state into the batch."
        protect_hfs: bool,
        /// "Bind its … protectNTFS state into the batch."
        protect_ntfs: bool,
        /// "Commit with disabled hooks/signing."
        hooks_disabled: bool,
        /// "Commit with disabled hooks/signing."
        signing_disabled: bool,
        /// "Run the safe diff with --no-ext-diff --no-textconv --check."
        external_diff_disabled: bool,
    }
}

record! {
    /// "Resolved worktree/Git-directory/common-directory metadata."
    ResolvedDirectory {
        /// "Writes only inside the canonical worktree": the resolved, absolute path.
        path: AbsolutePath,
        /// "A changed … resolved metadata identity invalidates approval."
        identity_hash: Hash,
    }
}

record! {
    /// "Execute other untrusted repository code only with network disabled, a minimal environment, no unrelated credentials, and exact read/write allowlists."
    Isolation {
        /// "Only with network disabled."
        network_disabled: bool,
        /// "A minimal environment."
        minimal_environment: bool,
        /// "No unrelated credentials."
        unrelated_credentials_absent: bool,
        /// "Deny home-directory access."
        home_directory_denied: bool,
        /// "Deny … credential stores."
        credential_stores_denied: bool,
        /// "Deny … agent sockets, and unrelated local data."
        agent_sockets_denied: bool,
        /// "Bind both allowlist digests into the execution boundary."
        read_allowlist_hash: Hash,
        /// "Bind both allowlist digests into the execution boundary."
        write_allowlist_hash: Hash,
    }
}

record! {
    /// "Obtain explicit risk acceptance for the exact commands, Git surfaces, filesystem reach, credentials, and limitations; include that acceptance in the batch manifest."
    RiskAcceptance {
        /// "Explicit risk acceptance": the GitHub user who gave it.
        accepted_by_user_id: DatabaseId,
        /// "For the exact commands": the digest of the plan's list of validation commands.
        commands_hash: Hash,
        /// "Git surfaces."
        git_surfaces: Statement,
        /// "Filesystem reach."
        filesystem_reach: Statement,
        /// "Credentials."
        credentials: Statement,
        /// "And limitations."
        limitations: Statement,
    }
}

record! {
    /// "The full execution boundary."
    ExecutionBoundary {
        /// "All Git reads and writes must use the sanitized profile."
        git: GitProfile,
        /// "Resolved worktree … metadata."
        worktree: ResolvedDirectory,
        /// "Resolved … Git-directory … metadata."
        git_directory: ResolvedDirectory,
        /// "Resolved … common-directory metadata."
        common_directory: ResolvedDirectory,
        /// "Execute other untrusted repository code only with network disabled, …"
        isolation: Isolation,
        /// "If either boundary is unavailable, stop and obtain explicit risk acceptance"; null when both are available.
        risk_acceptance: Option<RiskAcceptance>,
    }
}

record! {
    /// "Literal validation commands and definition hashes."
    ValidationCommand {
        /// "Literal commands."
        command: Command,
        /// "Command-definition hashes": "A changed command, … invocation definition … invalidates approval."
        definition_hash: Hash,
    }
}

impl ExecutionBoundary {
    /// Whether both the Git profile and the isolation are available as the text asks for.
    pub(crate) fn available(&self) -> bool {
        let git = &self.git;
        let isolation = &self.isolation;
        git.protect_hfs
            && git.protect_ntfs
            && git.hooks_disabled
            && git.signing_disabled
            && git.external_diff_disabled
            && isolation.network_disabled
            && isolation.minimal_environment
            && isolation.unrelated_credentials_absent
            && isolation.home_directory_denied
            && isolation.credential_stores_denied
            && isolation.agent_sockets_denied
    }

    /// An unavailable boundary needs the risk acceptance for exactly these commands; an available one has none.
    pub(crate) fn check(
        &self,
        commands: &[ValidationCommand],
        user: Option<DatabaseId>,
        place: &Place<'_>,
    ) -> Result<(), EvaluatorError> {
        let acceptance = place.field("risk_acceptance");
        match (&self.risk_acceptance, self.available()) {
            (None, true) => {}
            (None, false) => {
                return Err(EvaluatorError::unsound(
                    acceptance,
                    "a boundary that is not available needs the user's explicit risk acceptance",
                ));
            }
            (Some(_), true) => {
                return Err(EvaluatorError::unsound(
                    acceptance,
                    "an available boundary leaves no risk to accept",
                ));
            }
            (Some(given), false) => {
                let commands_hash = Hash::of(&commands.to_vec());
                require(
                    given.commands_hash == commands_hash,
                    acceptance,
                    "the risk was accepted for other commands",
                )?;
                let by_user = user.is_none_or(|user| user == given.accepted_by_user_id);
                require(by_user, acceptance, "the risk was accepted by another user")?;
            }
        }
        let worktree = place.field("worktree");
        let inside_git = within(&self.worktree.path, &self.git_directory.path)
            || within(&self.worktree.path, &self.common_directory.path);
        require(
            !inside_git,
            worktree,
            "the worktree stands inside a Git directory",
        )
    }
}

/// Commands are distinct; their order is the order in which they run.
pub(crate) fn check_commands(
    commands: &[ValidationCommand],
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let distinct: BTreeSet<_> = commands.iter().map(|one| &one.command).collect();
    require(
        distinct.len() == commands.len(),
        place,
        "a validation command stands twice",
    )
}
