//! One row a blocker, and the waivers.

use super::*;
use crate::evidence::JournalAttempt;
use crate::evidence::account::Account;
use crate::evidence::event::Event;
use crate::evidence::event::EventKind;
use crate::evidence::observed::Observed;
use crate::evidence::observed::Timestamp;
use crate::evidence::pull::PullState;
use crate::evidence::reaction::{Reaction, ReactionContent};
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, person, sha};
use crate::evidence::surface::Surface;
use crate::evidence::surface::{SurfaceError, SurfaceErrorKind};
use crate::lineage::ExtraMarker;
use crate::options::Options;
use crate::reason::NextAction;
use crate::run::failure::lineage;

const FAILURE: &str = "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\nAn unknown error occurred";
const QUOTA: &str =
    "You have reached your Codex usage limits for code reviews. You can see your limits in the dashboard.";

/// A pull request on which a request may be posted.
fn sample() -> Sample {
    let mut sample = Sample::new();
    sample.evidence.surfaces.viewer = Surface::complete(vec![person()]);
    sample
}

fn codes_of(sample: &Sample, kind: AttemptKind, ask: &Ask) -> Vec<&'static str> {
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
    let found = preflight(&run, kind, ask);
    found
        .blockers
        .iter()
        .map(|blocker| blocker.code.as_str())
        .collect()
}

fn codes(sample: &Sample) -> Vec<&'static str> {
    codes_of(sample, AttemptKind::Request, &Ask::default())
}

fn retry_codes(sample: &Sample) -> Vec<&'static str> {
    codes_of(sample, AttemptKind::Retry, &Ask::default())
}

fn body_reaction(sample: &mut Sample, user: Account, content: ReactionContent, when: Timestamp) -> u64 {
    let id = 7_000 + u64::try_from(sample.evidence.surfaces.body_reactions.items().len()).unwrap_or(0);
    let mut items = sample.evidence.surfaces.body_reactions.items().to_vec();
    items.push(Reaction {
        id: Observed::Known(id),
        user: Some(user),
        content,
        created_at: Observed::Known(when),
    });
    sample.evidence.surfaces.body_reactions = Surface::complete(items);
    id
}

fn deleted(sample: &mut Sample, when: Timestamp) {
    let mut items = sample.evidence.surfaces.timeline.items().to_vec();
    items.push(Event {
        id: format!("CDE_{}", items.len()),
        kind: EventKind::CommentDeleted { author: None },
        created_at: Observed::Known(when),
        actor: Some(person()),
    });
    sample.evidence.surfaces.timeline = Surface::complete(items);
}

fn attempt(kind: AttemptKind, failed: Option<u64>, state: AttemptState) -> JournalAttempt {
    JournalAttempt {
        id: "0a1b2c3d-0000-4000-8000-00000000000f".into(),
        kind,
        head: sha(HEAD),
        started_at: at(30, 0),
        authorization_reference: "ticket 7".into(),
        failed_trigger_comment_id: failed,
        state,
    }
}

#[test]
fn nothing_in_the_way() {
    assert_eq!(codes(&sample()), [""; 0]);
    // A reviewed earlier head, an answered trigger with addressed findings.
    let mut addressed = sample();
    let trigger = addressed.trigger(at(10, 0));
    let thread = addressed.thread(at(12, 0), HEAD);
    addressed.plus_one(trigger, at(11, 0));
    addressed.resolve(&thread);
    assert_eq!(codes(&addressed), [""; 0]);
}

#[test]
fn a_closed_pull_request() {
    for (state, expected) in [
        (PullState::Closed, 1),
        (PullState::Merged, 1),
        (PullState::Open, 0),
    ] {
        let mut sample = sample();
        if let Some(pull) = sample.evidence.surfaces.pull.items_mut().first_mut() {
            pull.state = state;
        }
        let blockers = codes(&sample);
        assert_eq!(blockers.len(), expected);
        assert!(blockers.iter().all(|code| *code == "pull-closed"));
    }
}

#[test]
fn unanswered_triggers() {
    let mut one = sample();
    one.trigger(at(10, 0));
    assert_eq!(codes(&one), ["unresolved-trigger"]);
    let mut two = sample();
    two.trigger(at(10, 0));
    two.comment(person(), at(11, 0), "@codex review with care");
    assert_eq!(codes(&two), ["unresolved-trigger", "overlapping-triggers"]);
    let mut eyes = sample();
    let trigger = eyes.trigger(at(10, 0));
    eyes.eyes(trigger, at(10, 9));
    assert_eq!(codes(&eyes), ["unresolved-trigger"]);
    let mut unproven = sample();
    unproven.without_suites();
    unproven.trigger(at(10, 0));
    assert_eq!(codes(&unproven), ["unresolved-trigger", "trigger-head-unproven"]);
    let mut earlier_head = sample();
    earlier_head.comment(
        person(),
        at(10, 0),
        &format!("@codex review\n<!-- dsh-review-head: {OTHER} -->"),
    );
    assert_eq!(codes(&earlier_head), [""; 0]);
}

#[test]
fn a_run_of_the_connector() {
    let mut eyes = sample();
    body_reaction(&mut eyes, connector(), ReactionContent::Eyes, at(10, 0));
    assert_eq!(codes(&eyes), ["bot-run-active"]);
    // A later +1, or a later result that names the head, ends them; an equal second does too.
    let mut spent = sample();
    body_reaction(&mut spent, connector(), ReactionContent::Eyes, at(10, 0));
    body_reaction(&mut spent, connector(), ReactionContent::PlusOne, at(14, 0));
    assert_eq!(codes(&spent), [""; 0]);
    let mut answered = sample();
    body_reaction(&mut answered, connector(), ReactionContent::Eyes, at(10, 0));
    let thread = answered.thread(at(12, 0), HEAD);
    answered.resolve(&thread);
    assert_eq!(codes(&answered), [""; 0]);
    let mut persons = sample();
    body_reaction(&mut persons, person(), ReactionContent::Eyes, at(10, 0));
    assert_eq!(codes(&persons), [""; 0]);
    let mut unknown = sample();
    let nobody = Account {
        kind: Observed::Known("Organization".into()),
        ..connector()
    };
    body_reaction(&mut unknown, nobody, ReactionContent::Eyes, at(10, 0));
    assert_eq!(codes(&unknown), ["incomplete-evidence"]);
    let mut again = sample();
    let trigger = again.trigger(at(10, 0));
    again.plus_one(trigger, at(14, 0));
    again.eyes(trigger, at(15, 0));
    assert_eq!(codes(&again), ["unresolved-trigger"]);
    // Refused at first, then taken up all the same.
    let mut taken_up = sample();
    let trigger = taken_up.trigger(at(10, 0));
    taken_up.comment(connector(), at(10, 9), QUOTA);
    taken_up.eyes(trigger, at(15, 0));
    assert_eq!(codes(&taken_up), ["bot-run-active", "refused"]);
}

#[test]
fn a_running_row_names_the_head() {
    let row = |commit: &str, status: &str| {
        format!(
            "<!-- codex-pull-request-review-summary -->\n## Codex Review Summary\n\n| Review | Status | Commit | Review \
             trigger |\n| --- | --- | --- | --- |\n| 📝 **Code Review** | {status} <relative-time \
             datetime=\"2026-10-01T10:10:00Z\">2026-10-01T10:10:00Z</relative-time> | `{commit}` | PR opened |\n"
        )
    };
    for (commit, status, blocked) in [
        ("aaaaaaa", "🔄 **Running** since", true),
        ("1111111", "🔄 **Running** since", false),
        ("aaaaaaa", "✅ **Completed**", false),
    ] {
        let mut sample = sample();
        sample.comment(connector(), at(5, 0), &row(commit, status));
        let found = codes(&sample);
        assert_eq!(
            found.contains(&"bot-run-active"),
            blocked,
            "{commit} {status}: {found:?}"
        );
    }
}

#[test]
fn a_young_head_that_is_no_draft() {
    let mut young = sample();
    young.evidence.collected_at = at(1, 30);
    assert_eq!(codes(&young), ["automatic-run-possible"]);
    young.evidence.collected_at = at(1, 35);
    assert_eq!(codes(&young), [""; 0]);
    let mut draft = sample();
    draft.evidence.collected_at = at(1, 0);
    if let Some(pull) = draft.evidence.surfaces.pull.items_mut().first_mut() {
        pull.is_draft = true;
    }
    assert_eq!(codes(&draft), [""; 0]);
}

#[test]
fn a_clean_head_and_open_findings() {
    let mut clean = sample();
    let trigger = clean.trigger(at(10, 0));
    clean.plus_one(trigger, at(14, 0));
    assert_eq!(codes(&clean), ["already-reviewed"]);
    let again = Ask {
        again: Some("the base moved".into()),
        ..Ask::default()
    };
    assert_eq!(codes_of(&clean, AttemptKind::Request, &again), [""; 0]);
    let mut automatic = sample();
    automatic.clean_comment(at(14, 0), "aaaaaaaaaa");
    assert_eq!(codes(&automatic), ["already-reviewed"]);
    // What is not later than the head's arrival says nothing about it, as in the headline.
    let mut arrived = sample();
    arrived.force_push(at(14, 0), OTHER, HEAD);
    arrived.clean_comment(at(14, 0), "aaaaaaaaaa");
    assert_eq!(codes(&arrived), [""; 0]);
    let mut findings = sample();
    findings.thread(at(12, 0), HEAD);
    assert_eq!(codes(&findings), ["open-findings"]);
    assert_eq!(
        codes_of(&findings, AttemptKind::Request, &again),
        ["open-findings"]
    );
}

#[test]
fn a_refusal_of_the_connector() {
    let mut refused = sample();
    refused.trigger(at(10, 0));
    refused.comment(connector(), at(10, 9), QUOTA);
    assert_eq!(codes(&refused), ["refused"]);
    let waived = Ask {
        after_notice: true,
        ..Ask::default()
    };
    assert_eq!(codes_of(&refused, AttemptKind::Request, &waived), [""; 0]);
    let options = Options::default();
    let run = Run::of(&refused.evidence, &options).expect("read");
    assert!(
        preflight(&run, AttemptKind::Request, &waived)
            .fresh_only
            .is_some()
    );
    // A verdict since, even of another head, says that it reviews again.
    let thread = refused.thread(at(20, 0), OTHER);
    refused.resolve(&thread);
    assert_eq!(codes(&refused), [""; 0]);
    let mut security = sample();
    security.comment(
        connector(),
        at(10, 9),
        "You have reached your Codex usage limits for security reviews.",
    );
    assert_eq!(codes(&security), [""; 0]);
}

#[test]
fn eyes_on_the_body_are_active_only_while_newer_than_every_thumbs_up() {
    for (eyes, active) in [(at(13, 59), false), (at(14, 0), false), (at(14, 1), true)] {
        let mut sample = sample();
        body_reaction(&mut sample, connector(), ReactionContent::PlusOne, at(14, 0));
        body_reaction(&mut sample, connector(), ReactionContent::Eyes, eyes);
        assert_eq!(codes(&sample).contains(&"bot-run-active"), active, "{eyes}");
    }
}

#[test]
fn a_refusal_stands_until_a_strictly_later_verdict_of_the_code_lane() {
    const CLEAN: &str = "Codex Review: Didn't find any major issues.\n\n**Reviewed commit:** `1111111111`";
    const SECURITY: &str = "### 🛡️ Codex Security Review\nSecurity review completed. No security issues were found in this pull request.";
    for (when, body, stands) in [
        (at(20, 0), CLEAN, false),
        (at(10, 9), CLEAN, true),
        (at(9, 0), CLEAN, true),
        (at(20, 0), SECURITY, true),
        (
            at(20, 0),
            "Codex couldn't complete this request. Try again later.",
            true,
        ),
        (at(20, 0), "I went through the diff.", true),
    ] {
        let mut sample = sample();
        sample.comment(connector(), at(10, 9), QUOTA);
        sample.comment(connector(), when, body);
        assert_eq!(codes(&sample).contains(&"refused"), stands, "{when} {body:?}");
    }
    // A request that failed refuses nothing by itself.
    let mut failed = sample();
    failed.comment(
        connector(),
        at(10, 9),
        "Codex couldn't complete this request. Try again later.",
    );
    assert!(!codes(&failed).contains(&"refused"));
}

#[test]
fn an_automatic_clean_result_counts_until_a_code_finding_of_this_head_that_is_not_older() {
    for (when, commit, reviewed) in [
        (at(13, 59), HEAD, true),
        (at(14, 0), HEAD, false),
        (at(15, 0), HEAD, false),
        (at(15, 0), OTHER, true),
    ] {
        let mut sample = sample();
        sample.clean_comment(at(14, 0), "aaaaaaaaaa");
        let thread = sample.thread(when, commit);
        sample.resolve(&thread);
        assert_eq!(
            codes(&sample).contains(&"already-reviewed"),
            reviewed,
            "{when} {commit}"
        );
    }
}

/// A trigger at minute 10 that failed at minute 11.
fn failed() -> (Sample, u64) {
    let mut sample = sample();
    let trigger = sample.trigger(at(10, 0));
    sample.comment(connector(), at(11, 0), FAILURE);
    (sample, trigger)
}

#[test]
fn the_retry_lineage() {
    let (mut sample, trigger) = failed();
    assert_eq!(codes(&sample), ["use-retry"]);
    assert_eq!(retry_codes(&sample), [""; 0]);
    // The successor stands, whoever posted it.
    sample.trigger(at(20, 0));
    assert_eq!(codes(&sample), ["unresolved-trigger", "lineage-exhausted"]);
    assert_eq!(
        retry_codes(&sample),
        [
            "unresolved-trigger",
            "lineage-exhausted",
            "not-failed",
            "not-newest"
        ]
    );
    // It fails too: nothing more, not even with every waiver.
    sample.comment(connector(), at(21, 0), FAILURE);
    assert_eq!(codes(&sample), ["lineage-exhausted"]);
    assert_eq!(retry_codes(&sample), ["lineage-exhausted"]);
    let everything = Ask {
        again: Some("x".into()),
        after_notice: true,
        supersedes: None,
    };
    assert_eq!(
        codes_of(&sample, AttemptKind::Retry, &everything),
        ["lineage-exhausted"]
    );
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("read");
    let record = lineage(&run).expect("a lineage");
    assert_eq!(record.fields.trigger_comment_id, trigger);
    assert_eq!(record.fields.retry_attempt_count, 1);
    assert_eq!(
        record.fields.retry_transition_state,
        RetryTransitionState::Created
    );
    // A successor that is clean used the retry all the same.
    let (mut clean, _) = failed();
    let successor = clean.trigger(at(20, 0));
    clean.plus_one(successor, at(24, 0));
    assert_eq!(codes(&clean), ["already-reviewed", "lineage-exhausted"]);
}

#[test]
fn a_failed_run_is_not_the_newest_once_a_later_trigger_was_answered() {
    let (mut with_findings, _) = failed();
    with_findings.thread(at(12, 0), HEAD);
    assert_eq!(retry_codes(&with_findings), ["open-findings", "not-failed"]);
    let (mut answered, _) = failed();
    let newer = answered.trigger(at(20, 0));
    answered.plus_one(newer, at(24, 0));
    assert_eq!(
        retry_codes(&answered),
        [
            "already-reviewed",
            "lineage-exhausted",
            "not-failed",
            "not-newest"
        ]
    );
}

#[test]
fn a_permit_for_a_retry_names_the_failed_run_and_one_for_a_request_none() {
    let (sample, trigger) = failed();
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
    let permit = preflight(&run, AttemptKind::Retry, &Ask::default()).permit;
    let named = permit.and_then(|permit| permit.failed_run).expect("a retry");
    assert_eq!(named.trigger_comment_id, trigger);
    assert!(named.terminal_comment_id > trigger);
    let sample = super::tests::sample();
    let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
    let permit = preflight(&run, AttemptKind::Request, &Ask::default()).permit;
    assert_eq!(permit.expect("allowed").failed_run, None);
}

#[test]
fn a_failed_post_for_this_head_asks_for_a_fresh_word_and_one_for_another_does_not() {
    let failed = |head: &str| JournalAttempt {
        head: sha(head),
        ..attempt(
            AttemptKind::Request,
            None,
            AttemptState::CreationFailed {
                at: at(30, 0),
                because: "HTTP 422".into(),
            },
        )
    };
    let withdrawn = attempt(
        AttemptKind::Request,
        None,
        AttemptState::NotRequested {
            at: at(31, 0),
            because: "The head moved.".into(),
        },
    );
    for (attempts, asks) in [
        (vec![failed(HEAD)], true),
        // An attempt that was taken back says nothing about the one before it.
        (vec![failed(HEAD), withdrawn.clone()], true),
        (vec![failed(OTHER)], false),
        (vec![withdrawn], false),
    ] {
        let mut sample = sample();
        sample.evidence.local.journal.attempts = attempts;
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
        let found = preflight(&run, AttemptKind::Request, &Ask::default());
        assert_eq!(found.fresh_only.is_some(), asks);
    }
}

#[test]
fn what_is_no_failed_run_cannot_be_retried() {
    assert_eq!(retry_codes(&sample()), ["not-failed"]);
    let mut directed = sample();
    directed.comment(person(), at(10, 0), "@codex review the parser");
    directed.comment(connector(), at(11, 0), FAILURE);
    assert_eq!(retry_codes(&directed), ["not-retryable"]);
    // No lineage: another request is allowed, with the user's fresh word.
    assert_eq!(codes(&directed), [""; 0]);
    let options = Options::default();
    let run = Run::of(&directed.evidence, &options).expect("read");
    assert!(
        preflight(&run, AttemptKind::Request, &Ask::default())
            .fresh_only
            .is_some()
    );
}

#[test]
fn what_this_machine_remembers() {
    let because = || "x".to_owned();
    for (state, request, retry) in [
        (
            AttemptState::Creating,
            vec!["use-retry", "open-intent"],
            vec!["open-intent"],
        ),
        (
            AttemptState::ReconciliationRequired {
                at: at(31, 0),
                because: because(),
            },
            vec!["use-retry", "open-intent"],
            vec!["open-intent"],
        ),
        (
            AttemptState::CreationFailed {
                at: at(31, 0),
                because: because(),
            },
            vec!["use-retry"],
            vec![],
        ),
        (
            AttemptState::NotRequested {
                at: at(31, 0),
                because: because(),
            },
            vec!["use-retry"],
            vec![],
        ),
        // Created, and then deleted on GitHub: the retry was used.
        (
            AttemptState::Created {
                at: at(31, 0),
                comment_id: 9,
                created_at: at(30, 0),
            },
            vec!["lineage-exhausted"],
            vec!["lineage-exhausted"],
        ),
    ] {
        let (mut sample, trigger) = failed();
        let failed_post = matches!(state, AttemptState::CreationFailed { .. });
        let word = state.word();
        sample
            .evidence
            .local
            .journal
            .attempts
            .push(attempt(AttemptKind::Retry, Some(trigger), state));
        assert_eq!(codes(&sample), request, "{word:?}");
        assert_eq!(retry_codes(&sample), retry, "{word:?}");
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        let fresh = preflight(&run, AttemptKind::Retry, &Ask::default())
            .fresh_only
            .is_some();
        assert_eq!(fresh, failed_post, "{word:?}");
        let RunState::Failed(record) = &run.state else {
            panic!("the run failed")
        };
        let expected = match word {
            RetryTransitionState::NotRequested => (None, 0),
            RetryTransitionState::Created => (Some("ticket 7"), 1),
            RetryTransitionState::Creating
            | RetryTransitionState::CreationFailed
            | RetryTransitionState::ReconciliationRequired => (Some("ticket 7"), 0),
        };
        assert_eq!(
            (
                record.fields.retry_authorization_reference.as_deref(),
                record.fields.retry_attempt_count
            ),
            expected
        );
        assert_eq!(record.fields.retry_transition_state, word);
        let next = match word {
            RetryTransitionState::Creating | RetryTransitionState::ReconciliationRequired => {
                NextAction::Reconcile
            }
            RetryTransitionState::NotRequested | RetryTransitionState::CreationFailed => NextAction::Retry,
            RetryTransitionState::Created => NextAction::AskUser,
        };
        assert_eq!(run.next(), next, "{word:?}");
    }
}

#[test]
fn a_deleted_comment() {
    let mut on_head = sample();
    deleted(&mut on_head, at(5, 0));
    assert_eq!(codes(&on_head), ["comment-deleted"]);
    let mut before_trigger = sample();
    deleted(&mut before_trigger, at(5, 0));
    let trigger = before_trigger.trigger(at(10, 0));
    let thread = before_trigger.thread(at(12, 0), HEAD);
    before_trigger.resolve(&thread);
    before_trigger.plus_one(trigger, at(11, 0));
    assert_eq!(codes(&before_trigger), [""; 0]);
    deleted(&mut before_trigger, at(13, 0));
    assert_eq!(codes(&before_trigger), ["comment-deleted"]);
    // One that was deleted since an open intent may have been that one's, also before a newer trigger.
    for (when, state, blocks) in [
        (at(29, 59), AttemptState::Creating, false),
        (at(30, 0), AttemptState::Creating, true),
        (
            at(35, 0),
            AttemptState::NotRequested {
                at: at(31, 0),
                because: "The head moved.".into(),
            },
            false,
        ),
    ] {
        let mut sample = sample();
        deleted(&mut sample, when);
        sample.trigger(at(40, 0));
        let attempts = &mut sample.evidence.local.journal.attempts;
        attempts.push(attempt(AttemptKind::Request, None, state));
        assert_eq!(codes(&sample).contains(&"comment-deleted"), blocks, "{when}");
    }
}

#[test]
fn a_review_of_another_meaning_or_lane_neither_lifts_a_refusal_nor_counts_as_a_possible_verdict() {
    const CLEAN: &str = "### 💡 Codex Review\n\nDidn't find any major issues.";
    const SECURITY: &str = "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.";
    const UNCLEAR: &str = "### 💡 Codex Review\n\nI went through it.";
    for (body, inline, lifts) in [
        (CLEAN, false, true),
        (SECURITY, false, false),
        (UNCLEAR, false, false),
        (UNCLEAR, true, true),
    ] {
        let mut sample = sample();
        sample.comment(connector(), at(10, 9), QUOTA);
        let review = sample.review(at(20, 0), HEAD, body);
        if inline {
            let node = sample.thread_of(review, at(20, 0), HEAD);
            sample.resolve(&node);
        }
        assert_eq!(codes(&sample).contains(&"refused"), !lifts, "{body:?} {inline}");
    }
    for (body, commit, possible) in [
        (CLEAN, HEAD, true),
        (CLEAN, OTHER, false),
        (SECURITY, HEAD, false),
        (UNCLEAR, HEAD, false),
    ] {
        let mut sample = sample();
        sample.review(at(20, 0), commit, body);
        sample.evidence.surfaces.edits = Surface::complete(Vec::new());
        let found = codes(&sample).contains(&"incomplete-evidence");
        assert_eq!(found, possible, "{body:?} {commit}");
    }
}

#[test]
fn who_posts() {
    let with = |kind: Option<&str>| {
        let mut sample = sample();
        sample.evidence.surfaces.viewer = Surface::complete(vec![Account {
            kind: kind.map_or(Observed::Missing, |kind| Observed::Known(kind.into())),
            ..person()
        }]);
        codes(&sample)
    };
    assert_eq!(with(Some("User")), [""; 0]);
    assert_eq!(with(Some("Bot")), ["poster-not-a-user"]);
    assert_eq!(with(None), ["incomplete-evidence"]);
    let failing = |message: &str| {
        let mut sample = sample();
        sample.evidence.surfaces.viewer = Surface::NotCollected.into_incomplete(SurfaceError {
            kind: SurfaceErrorKind::GhFailed,
            message: message.into(),
        });
        codes(&sample)
    };
    assert_eq!(
        failing("Resource not accessible by integration."),
        ["poster-not-a-user"]
    );
    assert_eq!(failing("GitHub answered HTTP 502."), ["incomplete-evidence"]);
}

#[test]
fn gaps_are_doubts_and_a_proven_blocker_outweighs_them() {
    let break_reviews = |sample: &mut Sample| {
        let surface = std::mem::take(&mut sample.evidence.surfaces.reviews);
        sample.evidence.surfaces.reviews = surface.into_incomplete(SurfaceError {
            kind: SurfaceErrorKind::Incomplete,
            message: "page 2 is missing.".into(),
        });
    };
    let verdict = |sample: &Sample| {
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        preflight(&run, AttemptKind::Request, &Ask::default()).verdict()
    };
    let mut gap = sample();
    break_reviews(&mut gap);
    assert_eq!(codes(&gap), ["incomplete-evidence"]);
    assert_eq!(verdict(&gap), Verdict::Unknown);
    gap.trigger(at(10, 0));
    assert_eq!(verdict(&gap), Verdict::Refused);
    let mut moving = sample();
    moving.evidence.unstable = Some("the head moved".into());
    assert_eq!(codes(&moving), ["incomplete-evidence"]);
    let mut doubtful = sample();
    doubtful.evidence.local.journal.doubt = Some("It is damaged.".into());
    assert_eq!(codes(&doubtful), ["incomplete-evidence"]);
    let mut lagging = sample();
    lagging.review(
        at(58, 0),
        HEAD,
        "### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.\n\n**Reviewed commit:** `aaaaaaaaaa`",
    );
    assert_eq!(codes(&lagging), ["inline-comments-lagging"]);
    assert_eq!(verdict(&lagging), Verdict::Unknown);
}

#[test]
fn superseding_takes_exactly_one_unanswered_trigger_or_the_stuck_eyes() {
    let abandon = |superseded: Superseded| Ask {
        supersedes: Some(superseded),
        ..Ask::default()
    };
    let mut one = sample();
    let trigger = one.trigger(at(10, 0));
    let found = |sample: &Sample, superseded| codes_of(sample, AttemptKind::Request, &abandon(superseded));
    assert_eq!(found(&one, Superseded::Comment(trigger)), [""; 0]);
    assert_eq!(
        found(&one, Superseded::Comment(1)),
        ["supersede-mismatch", "unresolved-trigger"]
    );
    one.trigger(at(11, 0));
    assert_eq!(
        found(&one, Superseded::Comment(trigger)),
        ["supersede-mismatch", "unresolved-trigger", "overlapping-triggers"]
    );
    assert_eq!(
        found(&sample(), Superseded::Comment(trigger)),
        ["supersede-mismatch"]
    );
    let mut stuck = sample();
    let eyes = body_reaction(&mut stuck, connector(), ReactionContent::Eyes, at(10, 0));
    assert_eq!(found(&stuck, Superseded::Reaction(eyes)), [""; 0]);
    assert_eq!(
        found(&stuck, Superseded::Reaction(1)),
        ["supersede-mismatch", "bot-run-active"]
    );
    let options = Options::default();
    let run = Run::of(&stuck.evidence, &options).expect("read");
    let asked = preflight(&run, AttemptKind::Request, &abandon(Superseded::Reaction(eyes)));
    assert!(asked.fresh_only.is_some());
    // What was abandoned once stays abandoned.
    let body = format!(
        "@codex review\n\n<!-- codex-loop: head={HEAD} id=0a1b2c3d-0000-4000-8000-00000000000f supersedes=reaction:{eyes} -->"
    );
    let trigger = stuck.comment(person(), at(20, 0), &body);
    stuck.react(trigger, connector(), ReactionContent::PlusOne, at(21, 0));
    assert_eq!(codes(&stuck), ["already-reviewed"]);
}

#[test]
fn the_canonical_request_of_a_round_is_the_posters_own() {
    let run_id = "0123456789abcdef0123456789abcdef";
    let marked = |sha: &str, round: u32| {
        format!("@codex review\n\n<!-- github-codex-pr-loop-request run={run_id} round={round} sha={sha} -->")
    };
    let mut sample = sample();
    let ours = sample.comment(person(), at(10, 0), &marked(HEAD, 2));
    sample.comment(person(), at(11, 0), &marked(HEAD, 1));
    sample.comment(person(), at(12, 0), &marked(OTHER, 2));
    let stranger = Account {
        id: Observed::Known(99),
        ..person()
    };
    sample.comment(stranger, at(13, 0), &marked(HEAD, 2));
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("read");
    let extra = [ExtraMarker::Loop {
        run: run_id.parse().expect("a run"),
        round: 2,
    }];
    let found: Vec<u64> = canonical_requests(&run, &extra)
        .iter()
        .map(|candidate| candidate.order.id)
        .collect();
    assert_eq!(found, [ours]);
    assert!(canonical_requests(&run, &[ExtraMarker::Dsh]).is_empty());
}

/// Every surface that the decision reads, taken away in one way or another.
fn without(sample: &Sample, surface: usize, collected: bool) -> Option<Sample> {
    fn broken<T>(surface: &mut Surface<T>, collected: bool) {
        let whole = std::mem::take(surface);
        if collected {
            *surface = whole.into_incomplete(SurfaceError {
                kind: SurfaceErrorKind::Incomplete,
                message: "page 2 is missing.".into(),
            });
        }
    }
    let mut evidence = sample.evidence.clone();
    let all = &mut evidence.surfaces;
    match surface {
        0 => broken(&mut all.issue_comments, collected),
        1 => broken(&mut all.reviews, collected),
        2 => broken(&mut all.review_comments, collected),
        3 => broken(&mut all.threads, collected),
        4 => broken(&mut all.timeline, collected),
        5 => broken(&mut all.check_suites, collected),
        6 => broken(&mut all.head_commit, collected),
        7 => broken(&mut all.body_reactions, collected),
        // Whose token it is was read, or it was not: there is no half of one account.
        8 => broken(&mut all.viewer, false),
        9 => all.comment_reactions.clear(),
        _ => return None,
    }
    let mut sample = Sample::new();
    sample.evidence = evidence;
    Some(sample)
}

#[test]
fn no_missing_surface_ever_allows_a_post_and_no_order_changes_the_answer() {
    let mut answered = sample();
    let trigger = answered.trigger(at(10, 0));
    let thread = answered.thread(at(12, 0), HEAD);
    answered.resolve(&thread);
    answered.plus_one(trigger, at(11, 0));
    let (failed, _) = failed();
    for (sample, kind) in [(answered, AttemptKind::Request), (failed, AttemptKind::Retry)] {
        assert_eq!(codes_of(&sample, kind, &Ask::default()), [""; 0]);
        for collected in [true, false] {
            for surface in 0.. {
                let Some(less) = without(&sample, surface, collected) else {
                    break;
                };
                let found = codes_of(&less, kind, &Ask::default());
                assert!(!found.is_empty(), "surface {surface}, {collected}");
            }
        }
    }
    let mut crowded = sample();
    crowded.trigger(at(10, 0));
    crowded.comment(connector(), at(11, 0), QUOTA);
    crowded.trigger(at(12, 0));
    crowded.trigger(at(13, 0));
    crowded.thread(at(14, 0), OTHER);
    deleted(&mut crowded, at(15, 0));
    deleted(&mut crowded, at(16, 0));
    let expected = codes(&crowded);
    crowded.evidence.surfaces.issue_comments.items_mut().reverse();
    crowded.evidence.surfaces.timeline.items_mut().reverse();
    assert_eq!(codes(&crowded), expected);
    assert_eq!(
        expected,
        ["unresolved-trigger", "overlapping-triggers", "comment-deleted"]
    );
}
