//! The prompt document: deterministic rendering, the receipt, the bootstrap state.

use crate::bounded::error::EvaluatorError;
use crate::bounded::example::{self, rendered, set_automation_status, set_request_state};
use crate::bounded::manifest::InitialDocument;
use crate::bounded::prompt::{BootstrapSnapshot, PromptAction, PromptDecision, PromptDocument};
use crate::bounded::state::{AutomationStatus, PullRequestState, RequestState, ResponseOutcome};
use crate::bounded::terms::{
    Body, Count, DatabaseId, FixRounds, Hash, Mode, PullRequestNumber, PullRequestUrl, RequestKey, Sha,
    Timestamp,
};
use crate::bounded::vocabulary::Term;
use crate::bounded::{evaluate_prompt, hash};

fn judged(document: &PromptDocument) -> Result<PromptDecision, EvaluatorError> {
    evaluate_prompt(document.write().canonical().as_bytes())
}

fn document() -> PromptDocument {
    example::prompt().expect("a document")
}

/// A change of the snapshot with digest and rendering built anew: only the rule itself can refuse it.
fn rebuilt(change: impl Fn(&mut BootstrapSnapshot)) -> Result<PromptDecision, EvaluatorError> {
    let PromptDocument {
        initial,
        mut bootstrap_snapshot,
        ..
    } = document();
    change(&mut bootstrap_snapshot);
    judged(&rendered(initial, bootstrap_snapshot).expect("a document"))
}

fn sha(digit: char) -> Sha {
    Sha::new(String::from(digit).repeat(40)).expect("a SHA")
}

#[test]
fn the_rendering_is_the_template_with_the_key_and_the_canonical_checkpoint() {
    let document = document();
    let checkpoint = document.bootstrap_snapshot.write().canonical();
    let expected = format!(
        "Continue $github-codex-pr-loop from the exact checkpoint below. Re-fetch all external state and follow only the installed evaluator's emitted action.\nLoop key: github-codex-pr-loop:octo-org/widgets#42\nBootstrap checkpoint JSON: {checkpoint}"
    );
    let decision = judged(&document).expect("valid");
    assert_eq!(decision.action, PromptAction::PromptReady);
    assert_eq!(decision.rendered_prompt.as_str(), expected);
    assert_eq!(
        decision.rendered_prompt_hash.as_str(),
        super::canonical::second::sha256(expected.as_bytes())
    );
    assert_eq!(
        decision.bootstrap_snapshot_hash.as_str(),
        hash(checkpoint.as_bytes()).expect("JSON")
    );
    assert_eq!(judged(&document), Ok(decision), "the same twice");
    assert_eq!(
        expected
            .lines()
            .filter(|line| line.to_lowercase().starts_with("loop key:"))
            .count(),
        1
    );
}

#[test]
fn without_a_rendering_the_document_gets_one_and_is_not_ready() {
    let mut asked = document();
    let ready = judged(&asked).expect("valid");
    asked.rendered_prompt = None;
    asked.rendered_prompt_hash = None;
    let given = judged(&asked).expect("valid");
    assert_eq!(given.action, PromptAction::PromptRendered);
    assert_eq!(given.rendered_prompt, ready.rendered_prompt);
    asked.rendered_prompt = Some(given.rendered_prompt);
    assert!(judged(&asked).is_err(), "a prompt without its hash");
    asked.rendered_prompt_hash = Some(given.rendered_prompt_hash);
    assert_eq!(judged(&asked).expect("valid").action, PromptAction::PromptReady);
    asked.rendered_prompt = None;
    assert!(judged(&asked).is_err(), "a hash without its prompt");
}

#[test]
fn a_placeholder_inside_the_checkpoint_is_never_filled_in() {
    let PromptDocument {
        mut initial,
        mut bootstrap_snapshot,
        ..
    } = document();
    let template = format!(
        "{} {{{{BOOTSTRAP_CHECKPOINT_JSON}}}} {{{{AUTOMATION_KEY}}}}",
        initial.manifest.review_request_template
    );
    initial.manifest.review_request_template_hash = Hash::of_text(&template);
    initial.manifest.review_request_template = Body::new(template.clone()).expect("a body");
    initial.plan_hash = Hash::of(&initial.manifest);
    bootstrap_snapshot.initial_plan_hash = initial.plan_hash.clone();
    let body = template.replace("{{FINAL_HEAD_SHA}}", &"d".repeat(40));
    bootstrap_snapshot.receipt.review_request_body_hash = Hash::of_text(&body);
    bootstrap_snapshot.receipt.review_request_body = Body::new(body).expect("a body");
    let checkpoint = bootstrap_snapshot.write().canonical();
    let decision = judged(&rendered(initial, bootstrap_snapshot).expect("a document")).expect("valid");
    assert!(decision.rendered_prompt.as_str().ends_with(&checkpoint));
}

#[test]
fn any_other_rendering_or_digest_is_refused() {
    let other = Hash::of_text("x");
    let refused = |change: &dyn Fn(&mut PromptDocument), what: &str| {
        let mut document = document();
        change(&mut document);
        assert!(judged(&document).is_err(), "{what}");
    };
    refused(
        &|one| one.bootstrap_snapshot_hash = other.clone(),
        "snapshot digest",
    );
    refused(
        &|one| one.rendered_prompt_hash = Some(other.clone()),
        "prompt hash",
    );
    refused(&|one| one.initial.plan_hash = other.clone(), "plan hash");
    refused(
        &|one| one.initial.manifest.snapshot_hash = other.clone(),
        "initial document",
    );
    refused(
        &|one| {
            let text = format!("{}\n", one.rendered_prompt.as_ref().expect("a prompt"));
            one.rendered_prompt_hash = Some(Hash::of_text(&text));
            one.rendered_prompt = Some(crate::bounded::terms::Prompt::new(text).expect("a prompt"));
        },
        "one byte more",
    );
    assert!(
        rebuilt(|one| one.initial_plan_hash = other.clone()).is_err(),
        "another plan"
    );
}

#[test]
fn every_binding_of_the_receipt_is_checked() {
    assert!(rebuilt(|_| {}).is_ok());
    let other = Hash::of_text("x");
    for (what, outcome) in [
        (
            "approved base",
            rebuilt(|one| one.receipt.approved_base_sha = sha('e')),
        ),
        (
            "approved diff",
            rebuilt(|one| one.receipt.approved_diff_hash = other.clone()),
        ),
        (
            "pushed diff",
            rebuilt(|one| one.receipt.pushed_diff_hash = other.clone()),
        ),
        ("paths", rebuilt(|one| drop(one.receipt.approved_paths.pop()))),
        ("path order", rebuilt(|one| one.receipt.approved_paths.reverse())),
        (
            "initial head",
            rebuilt(|one| one.receipt.initial_head_sha = sha('e')),
        ),
        (
            "local head",
            rebuilt(|one| one.receipt.final_local_head_sha = sha('e')),
        ),
        (
            "remote head",
            rebuilt(|one| one.receipt.final_remote_head_sha = sha('e')),
        ),
        (
            "pull request head",
            rebuilt(|one| one.receipt.final_pull_request_head_sha = sha('e')),
        ),
        (
            "state head",
            rebuilt(|one| one.receipt.final_state_head_sha = sha('e')),
        ),
        ("worktree", rebuilt(|one| one.receipt.worktree_clean = false)),
        (
            "ancestry",
            rebuilt(|one| one.receipt.descends_from_initial_head = false),
        ),
        (
            "body",
            rebuilt(|one| {
                let body = format!("{} ", one.receipt.review_request_body);
                one.receipt.review_request_body_hash = Hash::of_text(&body);
                one.receipt.review_request_body = Body::new(body).expect("a body");
            }),
        ),
        (
            "body hash",
            rebuilt(|one| one.receipt.review_request_body_hash = other.clone()),
        ),
        (
            "head unchanged although a commit was required",
            rebuilt(|one| {
                let request = one.state.persisted.request.as_mut().expect("a request");
                request.head_sha = sha('b');
                request.request_key = RequestKey::of(request.comment_id, &sha('b'));
                one.state.hosted.pull_request.current_head_sha = sha('b');
                one.receipt.final_local_head_sha = sha('b');
                one.receipt.final_remote_head_sha = sha('b');
                one.receipt.final_pull_request_head_sha = sha('b');
                one.receipt.final_state_head_sha = sha('b');
                let body = one
                    .receipt
                    .review_request_body
                    .as_str()
                    .replace(&"d".repeat(40), &"b".repeat(40));
                one.receipt.review_request_body_hash = Hash::of_text(&body);
                one.receipt.review_request_body = Body::new(body).expect("a body");
            }),
        ),
    ] {
        assert!(outcome.is_err(), "{what}");
    }
}

#[test]
fn only_a_fresh_paused_confirmed_state_is_bootstrapped() {
    let id = |number| DatabaseId::new(number).expect("an id");
    for (what, outcome) in [
        (
            "another address",
            rebuilt(|one| {
                one.pull_request_url =
                    PullRequestUrl::new("https://github.com/Octo-Org/widgets/pull/43").expect("a URL");
            }),
        ),
        (
            "another deadline",
            rebuilt(|one| one.deadline = Timestamp::new("2026-03-01T13:00:01Z").expect("a time")),
        ),
        (
            "active stub",
            rebuilt(|one| set_automation_status(&mut one.state, AutomationStatus::Active)),
        ),
        ("no stub", rebuilt(|one| one.state.local.automations.clear())),
        ("no receipt", rebuilt(|one| one.state.hosted.receipt = None)),
        (
            "receipt by another bot",
            rebuilt(|one| {
                one.state
                    .hosted
                    .receipt
                    .as_mut()
                    .expect("a receipt")
                    .author_database_id = id(5);
            }),
        ),
        (
            "expired",
            rebuilt(|one| one.state.hosted.observed_at = one.deadline.clone()),
        ),
        (
            "closed",
            rebuilt(|one| one.state.hosted.pull_request.state = PullRequestState::Closed),
        ),
        (
            "processing",
            rebuilt(|one| set_request_state(&mut one.state, RequestState::Processing)),
        ),
        (
            "later round",
            rebuilt(|one| {
                let round = FixRounds::new(1).expect("a round");
                one.state.persisted.fix_rounds = round;
                one.state.persisted.request.as_mut().expect("a request").round = round;
                one.state.persisted.completed_request_keys = vec![RequestKey::of(id(9), &sha('e'))];
            }),
        ),
        (
            "another mode",
            rebuilt(|one| one.state.persisted.mode = Mode::ApprovalGated),
        ),
        (
            "another author",
            rebuilt(|one| {
                one.state
                    .persisted
                    .request
                    .as_mut()
                    .expect("a request")
                    .author_database_id = id(5);
                one.state.hosted.current_user_database_id = Some(id(5));
            }),
        ),
        (
            "base moved",
            rebuilt(|one| {
                one.state.persisted.request.as_mut().expect("a request").base_sha = sha('e');
                one.state.hosted.pull_request.current_base_sha = sha('e');
            }),
        ),
    ] {
        assert!(outcome.is_err(), "{what}");
    }
    let answered = rebuilt(|one| {
        let mut response = example::response(ResponseOutcome::Findings).expect("a response");
        response.created_at = Timestamp::new("2026-03-01T12:00:30Z").expect("a time");
        response.content_version_at = response.created_at.clone();
        one.state.hosted.responses = vec![response];
        one.state.hosted.non_codex_unresolved_threads = Count::new(2).expect("a count");
    });
    assert!(
        answered.is_ok(),
        "a response may already be there: the first wakeup plans for it"
    );
}

/// The bootstrap of an approval-gated run after `initial`.
fn gated(
    initial: InitialDocument,
    change: impl Fn(&mut BootstrapSnapshot),
) -> Result<PromptDecision, EvaluatorError> {
    let mut snapshot = document().bootstrap_snapshot;
    snapshot.initial_plan_hash = initial.plan_hash.clone();
    snapshot.receipt.initial_head_sha = initial.snapshot.head_sha.clone();
    snapshot.receipt.approved_paths = initial.manifest.paths.clone();
    snapshot.state.persisted.mode = Mode::ApprovalGated;
    change(&mut snapshot);
    judged(&rendered(initial, snapshot).expect("a document"))
}

#[test]
fn a_run_that_already_awaits_an_approval_is_not_bootstrapped() {
    let initial = || {
        let mut snapshot = example::snapshot().expect("a snapshot");
        snapshot.mode = Mode::ApprovalGated;
        example::document_of(snapshot).expect("a document")
    };
    let unclear = |one: &mut BootstrapSnapshot| {
        let mut response = example::response(ResponseOutcome::Unclear).expect("a response");
        response.created_at = Timestamp::new("2026-03-01T12:00:30Z").expect("a time");
        response.content_version_at = response.created_at.clone();
        one.state.hosted.responses = vec![response];
    };
    assert_eq!(
        gated(initial(), unclear).map(|decided| decided.action),
        Ok(PromptAction::PromptReady)
    );
    let awaiting = gated(initial(), |one| {
        unclear(one);
        set_request_state(&mut one.state, RequestState::AwaitingRemediationApproval);
    });
    let error = awaiting.expect_err("a run that is under way").to_string();
    assert!(error.contains("pending in round zero"), "{error}");
}

#[test]
fn a_reused_pull_request_is_the_one_that_goes_on() {
    let initial = |number: u64| {
        let mut snapshot = example::initial_reused().expect("a document").snapshot;
        let reused = snapshot.pull_request.as_mut().expect("a pull request");
        reused.number = PullRequestNumber::new(number).expect("a number");
        reused.url =
            PullRequestUrl::new(format!("https://github.com/Octo-Org/widgets/pull/{number}")).expect("a URL");
        example::document_of(snapshot).expect("a document")
    };
    assert_eq!(
        gated(initial(42), |_| {}).map(|decided| decided.action),
        Ok(PromptAction::PromptReady)
    );
    let error = gated(initial(43), |_| {})
        .expect_err("another pull request")
        .to_string();
    assert!(error.contains("it is not the reused pull request"), "{error}");
}
