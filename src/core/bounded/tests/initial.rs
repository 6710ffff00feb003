//! The initial document: each rule between its fields, and drift between two runs.

use crate::bounded::error::EvaluatorError;
use crate::bounded::evaluate_initial;
use crate::bounded::example::{document_of, initial, initial_reused, risky_boundary, snapshot};
use crate::bounded::manifest::{InitialDocument, InitialManifest, InitialOperation, InitialSnapshot};
use crate::bounded::terms::{
    Body, BranchName, Command, Count, DatabaseId, FullName, Hash, Mode, PullRequestNumber, RunId, Sha,
};
use crate::bounded::vocabulary::Term;

fn judged(document: &InitialDocument) -> Result<Vec<InitialOperation>, EvaluatorError> {
    evaluate_initial(document.write().canonical().as_bytes()).map(|decision| decision.operations)
}

/// A change of the snapshot with everything that follows from it built anew.
fn rebuilt(
    base: InitialSnapshot,
    change: impl Fn(&mut InitialSnapshot),
) -> Result<Vec<InitialOperation>, EvaluatorError> {
    let mut snapshot = base;
    change(&mut snapshot);
    judged(&document_of(snapshot).expect("a document"))
}

/// A change of the manifest with the plan hash that fits it: only the rule itself can refuse it.
fn replanned(change: impl Fn(&mut InitialManifest)) -> Result<Vec<InitialOperation>, EvaluatorError> {
    let mut document = initial().expect("a document");
    change(&mut document.manifest);
    document.plan_hash = Hash::of(&document.manifest);
    judged(&document)
}

fn fresh(change: impl Fn(&mut InitialSnapshot)) -> Result<Vec<InitialOperation>, EvaluatorError> {
    rebuilt(snapshot().expect("a snapshot"), change)
}

fn reused(change: impl Fn(&mut InitialSnapshot)) -> Result<Vec<InitialOperation>, EvaluatorError> {
    rebuilt(initial_reused().expect("a document").snapshot, change)
}

fn sha(digit: char) -> Sha {
    Sha::new(String::from(digit).repeat(40)).expect("a SHA")
}

#[test]
fn the_digest_of_the_manifest_is_the_plan_hash() {
    let document = initial().expect("a document");
    let decision = evaluate_initial(document.write().canonical().as_bytes()).expect("valid");
    assert_eq!(decision.action.as_str(), "initial-valid");
    let manifest = document.manifest.write().canonical();
    assert_eq!(
        decision.initial_plan_hash.as_str(),
        super::canonical::second::digest(&manifest)
    );
    let snapshot = document.snapshot.write().canonical();
    assert_eq!(
        decision.snapshot_hash.as_str(),
        super::canonical::second::digest(&snapshot)
    );
}

#[test]
fn operations_come_in_their_order_and_under_their_conditions() {
    use InitialOperation as Do;
    let all = fresh(|_| {}).expect("valid");
    assert_eq!(
        all,
        [
            Do::FetchBase,
            Do::CreateBranch,
            Do::RunValidation,
            Do::StagePaths,
            Do::Commit,
            Do::Push,
            Do::CreatePullRequest,
            Do::PostReviewRequest,
            Do::CreateAutomation,
            Do::ActivateAutomation,
        ]
    );
    let nothing_to_commit = reused(|one| {
        one.paths.clear();
        one.operations.commit = false;
        one.operations.push = false;
        one.validation_commands.clear();
        let user = one.user.database_id;
        one.execution_boundary = risky_boundary(&[], user).expect("a boundary");
    });
    assert_eq!(
        nothing_to_commit.expect("valid"),
        [
            Do::FetchBase,
            Do::ReusePullRequest,
            Do::PostReviewRequest,
            Do::ReuseAutomation,
            Do::ActivateAutomation
        ]
    );
    let unpushed_commits = reused(|one| {
        one.paths.clear();
        one.operations.commit = false;
        one.head_sha = sha('e');
    });
    assert_eq!(
        unpushed_commits.expect("valid"),
        [
            Do::FetchBase,
            Do::RunValidation,
            Do::Push,
            Do::ReusePullRequest,
            Do::PostReviewRequest,
            Do::ReuseAutomation,
            Do::ActivateAutomation,
        ]
    );
    assert!(
        replanned(|one| one.operations.swap(3, 4)).is_err(),
        "another order"
    );
    assert!(
        replanned(|one| one.operations.retain(|operation| *operation != Do::Push)).is_err(),
        "one left out"
    );
    assert!(
        replanned(|one| one.operations.push(Do::ReuseAutomation)).is_err(),
        "one too many"
    );
    assert!(
        replanned(|one| one.operations.insert(1, Do::FetchBase)).is_err(),
        "one twice"
    );
}

#[test]
fn each_boolean_follows_from_the_refs() {
    for (what, outcome) in [
        ("commit without paths", fresh(|one| one.paths.clear())),
        ("paths without commit", fresh(|one| one.operations.commit = false)),
        ("commit without push", fresh(|one| one.operations.push = false)),
        (
            "no pull request created where none exists",
            fresh(|one| one.operations.create_pull_request = false),
        ),
        (
            "a second pull request",
            reused(|one| one.operations.create_pull_request = true),
        ),
        (
            "a branch that exists",
            reused(|one| one.operations.create_branch = true),
        ),
        ("no branch", fresh(|one| one.operations.create_branch = false)),
        (
            "a push of nothing",
            reused(|one| {
                one.paths.clear();
                one.operations.commit = false;
            }),
        ),
        (
            "a pull request without a change",
            fresh(|one| {
                one.paths.clear();
                one.operations.commit = false;
            }),
        ),
    ] {
        assert!(outcome.is_err(), "{what}");
    }
}

#[test]
fn topology_is_refused_where_the_text_halts() {
    let count = |number| Count::new(number).expect("a count");
    for (what, outcome) in [
        ("report-only", fresh(|one| one.mode = Mode::ReportOnly)),
        (
            "head is base",
            fresh(|one| one.head_branch = one.base_branch.clone()),
        ),
        ("local ref", fresh(|one| one.topology.local_ref_exists = true)),
        (
            "remote ref",
            fresh(|one| {
                one.topology.remote_ref_exists = true;
                one.remote_head_sha = Some(sha('e'));
            }),
        ),
        (
            "remote ref without SHA",
            fresh(|one| one.topology.remote_ref_exists = true),
        ),
        (
            "historical pull request",
            fresh(|one| one.topology.historical_pull_requests = count(1)),
        ),
        (
            "open pull request of a new head",
            fresh(|one| one.topology.open_pull_requests = count(1)),
        ),
        (
            "not on the base",
            fresh(|one| one.current_branch = BranchName::new("other").expect("a name")),
        ),
        (
            "not named codex/…",
            fresh(|one| one.head_branch = BranchName::new("feature").expect("a name")),
        ),
        (
            "two open pull requests",
            reused(|one| one.topology.open_pull_requests = count(2)),
        ),
        (
            "no open pull request",
            reused(|one| one.topology.open_pull_requests = count(0)),
        ),
        (
            "on another branch",
            reused(|one| one.current_branch = one.base_branch.clone()),
        ),
        (
            "fork",
            reused(|one| {
                let pull = one.pull_request.as_mut().expect("a pull request");
                pull.head_repository = FullName::new("fork/widgets").expect("a name");
            }),
        ),
        (
            "other repository",
            reused(|one| {
                let pull = one.pull_request.as_mut().expect("a pull request");
                pull.base_repository = FullName::new("other/widgets").expect("a name");
            }),
        ),
        (
            "wrong base",
            reused(|one| {
                one.pull_request.as_mut().expect("a pull request").base_branch =
                    BranchName::new("release").expect("a name");
            }),
        ),
        (
            "wrong head",
            reused(|one| {
                one.pull_request.as_mut().expect("a pull request").head_branch =
                    BranchName::new("release").expect("a name");
            }),
        ),
        (
            "head moved",
            reused(|one| one.pull_request.as_mut().expect("a pull request").head_sha = sha('e')),
        ),
        (
            "other number in the address",
            reused(|one| {
                one.pull_request.as_mut().expect("a pull request").number =
                    PullRequestNumber::new(43).expect("a number");
            }),
        ),
    ] {
        assert!(outcome.is_err(), "{what}");
    }
    let historical = reused(|one| one.topology.historical_pull_requests = count(3));
    assert!(
        historical.is_ok(),
        "an existing branch may have had pull requests before"
    );
}

#[test]
fn templates_have_one_placeholder_and_this_runs_round_zero_marker() {
    let run = "0123456789abcdef0123456789abcdef";
    let marker = |run: &str, round: &str, sha: &str| {
        format!("<!-- github-codex-pr-loop-request run={run} round={round} sha={sha} -->")
    };
    let ours = marker(run, "0", "{{FINAL_HEAD_SHA}}");
    let judge = |template: &str| {
        replanned(|one| {
            one.review_request_template = Body::new(template).expect("a body");
            one.review_request_template_hash = Hash::of_text(template);
        })
    };
    assert!(judge(&format!("@codex review\n\n{ours}")).is_ok());
    assert!(judge(&format!("{ours}\n@codex please review this change.")).is_ok());
    for (what, template) in [
        (
            "no placeholder",
            format!("@codex review\n\n{}", marker(run, "0", &"d".repeat(40))),
        ),
        (
            "two placeholders",
            format!("@codex review {{{{FINAL_HEAD_SHA}}}}\n\n{ours}"),
        ),
        (
            "placeholder outside the marker",
            format!("@codex review {{{{FINAL_HEAD_SHA}}}}\n{}", marker(run, "0", "x")),
        ),
        (
            "wrong round",
            format!("@codex review\n\n{}", marker(run, "1", "{{FINAL_HEAD_SHA}}")),
        ),
        (
            "padded round",
            format!("@codex review\n\n{}", marker(run, "00", "{{FINAL_HEAD_SHA}}")),
        ),
        (
            "wrong run",
            format!(
                "@codex review\n\n{}",
                marker(&"f".repeat(32), "0", "{{FINAL_HEAD_SHA}}")
            ),
        ),
        (
            "two markers",
            format!("@codex review\n\n{ours}\n{}", marker(run, "0", "x")),
        ),
        ("no marker", "@codex review {{FINAL_HEAD_SHA}}".to_owned()),
        ("no mention", format!("please review\n\n{ours}")),
        ("two mentions", format!("@codex review, @codex\n\n{ours}")),
        ("no request", format!("@codex hello\n\n{ours}")),
        (
            "other case of the placeholder",
            format!("@codex review\n\n{}", marker(run, "0", "{{final_head_sha}}")),
        ),
    ] {
        assert!(judge(&template).is_err(), "{what}");
    }
    let other_prompt = replanned(|one| {
        let text = format!("{} ", one.automation_prompt_template);
        one.automation_prompt_template_hash = Hash::of_text(&text);
        one.automation_prompt_template = Body::new(text).expect("a body");
    });
    assert!(other_prompt.is_err(), "only the evaluator's own prompt template");
}

#[test]
fn every_digest_is_checked() {
    let other = Hash::of_text("something else");
    for (what, outcome) in [
        ("snapshot", replanned(|one| one.snapshot_hash = other.clone())),
        (
            "title",
            replanned(|one| one.pull_request_title_hash = other.clone()),
        ),
        (
            "body",
            replanned(|one| one.pull_request_body_hash = other.clone()),
        ),
        (
            "review template",
            replanned(|one| one.review_request_template_hash = other.clone()),
        ),
        (
            "prompt template",
            replanned(|one| one.automation_prompt_template_hash = other.clone()),
        ),
        (
            "boundary",
            replanned(|one| one.execution_boundary_hash = other.clone()),
        ),
    ] {
        assert!(outcome.is_err(), "{what}");
    }
    let mut document = initial().expect("a document");
    document.plan_hash = other.clone();
    assert!(judged(&document).is_err(), "plan hash");
}

#[test]
fn drift_between_two_runs_is_refused_under_the_approved_hash() {
    let approved = initial().expect("a document").plan_hash;
    let again = |change: &dyn Fn(&mut InitialSnapshot)| {
        let mut snapshot = snapshot().expect("a snapshot");
        change(&mut snapshot);
        let mut document = document_of(snapshot).expect("a document");
        assert!(judged(&document).is_ok(), "the rebuilt plan is valid in itself");
        document.plan_hash = approved.clone();
        judged(&document)
    };
    assert!(again(&|_| {}).is_ok(), "nothing changed");
    let commanded = |one: &mut InitialSnapshot| {
        one.validation_commands[0].command = Command::new("cargo test --locked --all").expect("a command");
    };
    for (what, outcome) in [
        (
            "base tip",
            again(&|one| {
                one.base_sha = sha('e');
            }),
        ),
        ("head", again(&|one| one.head_sha = sha('e'))),
        ("command", again(&commanded)),
        (
            "definition",
            again(&|one| one.validation_commands[0].definition_hash = Hash::of_text("x")),
        ),
        (
            "Git config",
            again(&|one| one.execution_boundary.git.config_hash = Hash::of_text("x")),
        ),
        (
            "allowlist",
            again(&|one| one.execution_boundary.isolation.read_allowlist_hash = Hash::of_text("x")),
        ),
        (
            "worktree identity",
            again(&|one| one.execution_boundary.worktree.identity_hash = Hash::of_text("x")),
        ),
        (
            "staged state",
            again(&|one| one.state_digests.staged_hash = Hash::of_text("x")),
        ),
        ("path", again(&|one| drop(one.paths.remove(0)))),
        ("mode", again(&|one| one.mode = Mode::ApprovalGated)),
        (
            "user",
            again(&|one| one.user.database_id = DatabaseId::new(5).expect("an id")),
        ),
        (
            "remote",
            again(&|one| {
                one.remote_name = crate::bounded::terms::RemoteName::new("upstream").expect("a name")
            }),
        ),
    ] {
        let error = outcome.expect_err(what);
        assert!(error.to_string().contains("plan_hash"), "{what}: {error}");
    }
}

#[test]
fn the_manifest_says_what_the_snapshot_says() {
    for (what, outcome) in [
        ("mode", replanned(|one| one.mode = Mode::ApprovalGated)),
        (
            "run",
            replanned(|one| one.run_id = RunId::new("f".repeat(32)).expect("a run")),
        ),
        (
            "base",
            replanned(|one| one.base_branch = BranchName::new("release").expect("a name")),
        ),
        (
            "head",
            replanned(|one| one.head_branch = BranchName::new("codex/other").expect("a name")),
        ),
        ("commands", replanned(|one| drop(one.validation_commands.pop()))),
        (
            "command order",
            replanned(|one| one.validation_commands.reverse()),
        ),
        ("paths", replanned(|one| drop(one.paths.pop()))),
        ("path order", replanned(|one| one.paths.reverse())),
    ] {
        assert!(outcome.is_err(), "{what}");
    }
}

#[test]
fn an_unavailable_boundary_needs_the_users_acceptance_of_exactly_these_commands() {
    let user = DatabaseId::new(583_231).expect("an id");
    let stranger = DatabaseId::new(5).expect("an id");
    for (what, outcome) in [
        (
            "no acceptance",
            fresh(|one| one.execution_boundary.isolation.network_disabled = false),
        ),
        (
            "no acceptance of the Git profile",
            fresh(|one| one.execution_boundary.git.protect_ntfs = false),
        ),
        (
            "hooks on",
            fresh(|one| one.execution_boundary.git.hooks_disabled = false),
        ),
        (
            "an acceptance without a risk",
            fresh(|one| {
                let mut boundary = risky_boundary(&one.validation_commands, user).expect("a boundary");
                boundary.isolation.network_disabled = true;
                one.execution_boundary = boundary;
            }),
        ),
        (
            "other commands",
            fresh(|one| {
                one.execution_boundary =
                    risky_boundary(&one.validation_commands[..1], user).expect("a boundary");
            }),
        ),
        (
            "another user",
            fresh(|one| {
                one.execution_boundary =
                    risky_boundary(&one.validation_commands, stranger).expect("a boundary");
            }),
        ),
        (
            "a worktree inside its Git directory",
            fresh(|one| {
                one.execution_boundary.git_directory.path =
                    crate::bounded::path::AbsolutePath::new("/srv/work").expect("a path");
            }),
        ),
    ] {
        assert!(outcome.is_err(), "{what}");
    }
    let accepted = fresh(|one| {
        one.execution_boundary = risky_boundary(&one.validation_commands, user).expect("a boundary");
    });
    assert!(accepted.is_ok());
}

#[test]
fn commands_and_texts_carry_no_credentials() {
    for text in [
        "git push https://user:secret@github.com/o/r",
        "git fetch https://token@github.com/o/r",
        "curl -H ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "GH_TOKEN=github_pat_11AAAA gh api user",
        "echo '-----BEGIN OPENSSH PRIVATE KEY-----'",
        "two\nlines",
    ] {
        assert!(Command::new(text).is_err(), "{text}");
    }
    for text in [
        "npm i @scope/package",
        "curl https://example.org/a@b",
        "git log --author=a@b.c",
    ] {
        assert!(Command::new(text).is_ok(), "{text}");
    }
}
