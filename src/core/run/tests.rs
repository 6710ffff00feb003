//! The state machine, row by row, with the value that the review-run protocol gives.

use super::*;
use crate::evidence::account::Account;
use crate::evidence::observed::Observed;
use crate::evidence::reaction::ReactionContent;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, person};
use crate::evidence::surface::{Surface, SurfaceError, SurfaceErrorKind};
use crate::options::{JudgedAs, Judgement};
use crate::run::signature::sha256_hex;

mod doubts;
mod edits;
mod retries;

const FAILURE: &str = "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\nAn unknown error occurred";

fn short() -> &'static str {
    HEAD.get(..10).expect("ten digits")
}

/// State word, first reason and next action.
fn outcome(sample: &Sample) -> (StateWord, ReasonCode, NextAction) {
    outcome_with(sample, &Options::default())
}

fn outcome_with(sample: &Sample, options: &Options) -> (StateWord, ReasonCode, NextAction) {
    let run = Run::of(&sample.evidence, options).expect("the pull request was read");
    let first = run.reasons.first().expect("reasons are never empty");
    (run.state.word(), first.code, run.next())
}

fn indeterminate(code: ReasonCode) -> (StateWord, ReasonCode, NextAction) {
    (StateWord::Indeterminate, code, code.next())
}

#[test]
fn nobody_asked() {
    assert_eq!(outcome(&Sample::new()), indeterminate(ReasonCode::NoTrigger));
}

#[test]
fn a_plus_one_on_the_newest_trigger_is_clean() {
    for kind in ["Bot", "User"] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        let user = Account {
            kind: Observed::Known(kind.into()),
            ..connector()
        };
        sample.react(trigger, user, ReactionContent::PlusOne, at(14, 0));
        assert_eq!(
            outcome(&sample),
            (StateWord::Clean, ReasonCode::CleanReaction, NextAction::None),
            "{kind}"
        );
        let strict = Options {
            strict_identity: true,
            judgements: Vec::new(),
        };
        let expected = if kind == "Bot" {
            (StateWord::Clean, ReasonCode::CleanReaction, NextAction::None)
        } else {
            indeterminate(ReasonCode::IdentityMismatch)
        };
        assert_eq!(outcome_with(&sample, &strict), expected, "{kind}");
    }
}

#[test]
fn a_persons_plus_one_is_nothing() {
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.react(trigger, person(), ReactionContent::PlusOne, at(14, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::NoTerminalOutput));
}

#[test]
fn a_second_unanswered_trigger_overlaps() {
    // The older one is unanswered.
    let mut sample = Sample::new();
    sample.trigger(at(9, 0));
    let newest = sample.trigger(at(10, 0));
    sample.plus_one(newest, at(14, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::OverlappingTriggers));
    // The newest one is unanswered and was open when the older one was answered.
    let mut sample = Sample::new();
    let first = sample.trigger(at(9, 0));
    sample.trigger(at(10, 0));
    sample.plus_one(first, at(14, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::OverlappingTriggers));
    // Both are unanswered and a clean comment comes.
    let mut sample = Sample::new();
    sample.trigger(at(9, 0));
    sample.trigger(at(10, 0));
    sample.clean_comment(at(14, 0), short());
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::OverlappingTriggers));
    // Both were answered by their own reaction.
    let mut sample = Sample::new();
    let first = sample.trigger(at(9, 0));
    let newest = sample.trigger(at(10, 0));
    sample.plus_one(first, at(13, 0));
    sample.plus_one(newest, at(14, 0));
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    // One after the other.
    let mut sample = Sample::new();
    let first = sample.trigger(at(9, 0));
    sample.plus_one(first, at(9, 30));
    sample.trigger(at(10, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::NoTerminalOutput));
}

#[test]
fn threads_later_than_the_trigger_are_findings_and_earlier_ones_block_clean() {
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.thread(at(12, 0), HEAD);
    assert_eq!(
        outcome(&sample),
        (
            StateWord::Findings,
            ReasonCode::FindingThread,
            NextAction::AddressFindings
        )
    );
    let mut sample = Sample::new();
    sample.thread(at(8, 0), HEAD);
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    assert_eq!(
        outcome(&sample),
        indeterminate(ReasonCode::EarlierThreadUnresolved)
    );
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.thread(at(12, 0), OTHER);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::ResultForOtherHead));
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.thread(at(10, 0), HEAD);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::SameTimeEvidence));
}

#[test]
fn resolved_threads_leave_nothing_new() {
    // +1, then a finding 59 seconds later, then resolved without a push.
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    let thread = sample.thread(at(14, 59), HEAD);
    sample.resolve(&thread);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::FindingsResolved));
    // A finding that was resolved, then the +1.
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    let thread = sample.thread(at(13, 0), HEAD);
    sample.resolve(&thread);
    sample.plus_one(trigger, at(14, 0));
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    // No +1 at all.
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    let thread = sample.thread(at(13, 0), HEAD);
    sample.resolve(&thread);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::FindingsResolved));
}

#[test]
fn eyes_are_in_progress_until_something_later_ends_the_run() {
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.eyes(trigger, at(10, 9));
    assert_eq!(
        outcome(&sample),
        (StateWord::InProgress, ReasonCode::Acknowledged, NextAction::Poll)
    );
    sample.plus_one(trigger, at(14, 0));
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    for eyes in [at(14, 0), at(15, 0)] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        sample.eyes(trigger, eyes);
        assert_eq!(outcome(&sample).0, StateWord::InProgress);
    }
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.eyes(trigger, at(10, 9));
    sample.clean_comment(at(14, 0), short());
    assert_eq!(
        outcome(&sample),
        (StateWord::Clean, ReasonCode::CleanReviewResult, NextAction::None)
    );
}

#[test]
fn a_head_that_moved_makes_the_run_stale() {
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.force_push(at(20, 0), OTHER, HEAD);
    assert_eq!(
        outcome(&sample),
        (
            StateWord::Stale,
            ReasonCode::HeadChanged,
            NextAction::RequestReview
        )
    );
    let mut sample = Sample::new();
    sample.without_suites();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::TriggerHeadUnproven));
}

#[test]
fn each_known_marker_binds() {
    let uuid = "01234567-89ab-4def-8123-456789abcdef";
    for marker in [
        format!("<!-- codex-loop: head={HEAD} id={uuid} -->"),
        format!("<!-- dsh-review-head: {HEAD} -->"),
        format!(
            "<!-- github-codex-pr-loop-request run={} round=0 sha={HEAD} -->",
            "ab".repeat(16)
        ),
    ] {
        let mut sample = Sample::new();
        sample.without_suites();
        let trigger = sample.comment(person(), at(10, 0), &format!("@codex review\n\n{marker}"));
        sample.plus_one(trigger, at(14, 0));
        assert_eq!(outcome(&sample).0, StateWord::Clean, "{marker}");
        sample.edited(trigger, person());
        assert_eq!(
            outcome(&sample),
            indeterminate(ReasonCode::TriggerHeadUnproven),
            "{marker}"
        );
    }
}

#[test]
fn the_listed_failure_is_failed_with_all_its_fields() {
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    let terminal = sample.comment(
        connector(),
        at(14, 0),
        &format!("{}\r\n\r\n", FAILURE.replace('\n', "\r\n")),
    );
    assert_eq!(
        outcome(&sample),
        (
            StateWord::Failed,
            ReasonCode::TerminalSignature,
            NextAction::Retry
        )
    );
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("read");
    let RunState::Failed(record) = &run.state else {
        panic!("failed")
    };
    let fields = serde_json::to_value(&record.fields).expect("written");
    assert_eq!(
        fields,
        serde_json::json!({
            "headRefOid": HEAD,
            "triggerCommentId": trigger,
            "triggerCreatedAt": "2026-10-01T10:10:00Z",
            "terminalCommentId": terminal,
            "terminalCreatedAt": "2026-10-01T10:14:00Z",
            "terminalAuthorId": 199_175_422,
            "terminalAuthorLogin": "chatgpt-codex-connector[bot]",
            "terminalAuthorType": "Bot",
            "normalizedBodySha256": sha256_hex(FAILURE.as_bytes()),
            "terminalSignatureId": "codex-review-unknown-error-retry-v1",
            "retryable": true,
            "retryAttemptCount": 0,
            "retryTransitionState": "not-requested",
            "retryAuthorizationReference": null,
            "successorTriggerCommentId": null,
            "successorTriggerCreatedAt": null,
            "successorHeadRefOid": null,
        })
    );
}

#[test]
fn what_only_resembles_the_failure_is_not_failed() {
    for (body, code) in [
        (format!(" {FAILURE}"), None),
        (FAILURE.replace("wrong", "wr0ng"), None),
        (FAILURE.to_lowercase(), None),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        sample.comment(connector(), at(14, 0), &body);
        let found = outcome(&sample);
        assert_eq!(found.0, StateWord::Indeterminate, "{body}");
        assert_ne!(found.1, ReasonCode::TerminalSignature, "{body}");
        assert!(code.is_none_or(|code: ReasonCode| found.1 == code));
    }
    let impostor = Account {
        login: Observed::Known("chatgpt-codex-connector".into()),
        kind: Observed::Known("User".into()),
        id: Observed::Known(261_883_814),
    };
    for author in [person(), impostor] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        sample.comment(author, at(14, 0), FAILURE);
        assert_eq!(outcome(&sample), indeterminate(ReasonCode::NoTerminalOutput));
    }
    let mut sample = Sample::new();
    sample.comment(connector(), at(9, 0), FAILURE);
    sample.trigger(at(10, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::NoTerminalOutput));
    let mut sample = Sample::new();
    sample.trigger(at(9, 0));
    sample.trigger(at(10, 0));
    sample.comment(connector(), at(14, 0), FAILURE);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::OverlappingTriggers));
}

#[test]
fn a_successor_that_fails_allows_no_retry() {
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.comment(connector(), at(14, 0), FAILURE);
    sample.trigger(at(20, 0));
    sample.comment(connector(), at(24, 0), FAILURE);
    assert_eq!(
        outcome(&sample),
        (
            StateWord::Failed,
            ReasonCode::TerminalSignature,
            NextAction::AskUser
        )
    );
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("read");
    let RunState::Failed(record) = &run.state else {
        panic!("failed")
    };
    assert_eq!(record.fields.retry_attempt_count, 1);
    // A directed trigger carries no lineage.
    let mut sample = Sample::new();
    sample.comment(person(), at(10, 0), "@codex review the parser");
    sample.comment(connector(), at(14, 0), FAILURE);
    assert_eq!(outcome(&sample).2, NextAction::AskUser);
}

#[test]
fn clean_comments_count_only_for_this_head() {
    for (commit, expected) in [
        (
            short(),
            (StateWord::Clean, ReasonCode::CleanReviewResult, NextAction::None),
        ),
        (
            HEAD,
            (StateWord::Clean, ReasonCode::CleanReviewResult, NextAction::None),
        ),
        ("1111111111", indeterminate(ReasonCode::ResultForOtherHead)),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        sample.clean_comment(at(14, 0), commit);
        assert_eq!(outcome(&sample), expected, "{commit}");
    }
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.comment(
        connector(),
        at(14, 0),
        "Codex Review: Didn't find any major issues. 🚀",
    );
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::CommitUnresolved));
    // GitHub does not know the prefix.
    let mut sample = Sample::new();
    sample.evidence.surfaces.resolved_commits = Surface::complete(Vec::new());
    sample.trigger(at(10, 0));
    sample.clean_comment(at(14, 0), short());
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::CommitUnresolved));
    // Edited by a person; edited by the connector itself.
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    let clean = sample.clean_comment(at(14, 0), short());
    sample.edited(clean, person());
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::EvidenceEdited));
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    let clean = sample.clean_comment(at(14, 0), short());
    sample.edited(clean, crate::evidence::sample::connector_graphql());
    assert_eq!(outcome(&sample).0, StateWord::Clean);
}

#[test]
fn clean_reviews_and_body_findings() {
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.review(
        at(14, 0),
        HEAD,
        "### 💡 Codex Review\n\nDidn't find any major issues.",
    );
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    let finding = format!(
        "### 💡 Codex Review\n\nhttps://github.com/o/r/blob/{HEAD}/src/a.rs#L1-L2\n**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows."
    );
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(15, 0));
    let review = sample.review(at(14, 0), HEAD, &finding);
    assert_eq!(outcome(&sample).1, ReasonCode::FindingReviewBody);
    // Answered by a trusted person's marker.
    let marker = format!(
        "Rebutted.\n\n<!-- codex-loop: handled review-body:{review} outcome=rebutted id=01234567-89ab-4def-8123-456789abcdef -->"
    );
    sample.comment(person(), at(20, 0), &marker);
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(15, 0));
    sample.comment(connector(), at(14, 0), &finding);
    assert_eq!(outcome(&sample).1, ReasonCode::FindingComment);
}

#[test]
fn notices_never_fail_and_refuse_their_trigger() {
    for (body, code) in [
        (
            "You have reached your Codex usage limits for code reviews. You can see your limits in the dashboard.",
            ReasonCode::NoticeUsageLimit,
        ),
        (
            "To use Codex here, [create an environment for this repo](https://chatgpt.com/codex/settings/environments).",
            ReasonCode::NoticeEnvironment,
        ),
        (
            "To use Codex here, [create a Codex account and connect to github](https://chatgpt.com/codex).",
            ReasonCode::NoticeAccount,
        ),
        (
            "This workspace is deactivated. Select an active workspace and try again.",
            ReasonCode::NoticeWorkspace,
        ),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        sample.comment(connector(), at(10, 8), body);
        assert_eq!(outcome(&sample), indeterminate(code), "{body}");
        let second = sample.trigger(at(20, 0));
        assert_eq!(
            outcome(&sample),
            indeterminate(ReasonCode::NoTerminalOutput),
            "{body}"
        );
        sample.plus_one(second, at(24, 0));
        assert_eq!(outcome(&sample).0, StateWord::Clean, "{body}");
    }
}

#[test]
fn an_abandoned_trigger_no_longer_blocks_clean_but_owns_failures() {
    let uuid = "01234567-89ab-4def-8123-456789abcdef";
    let build = || {
        let mut sample = Sample::new();
        let dead = sample.trigger(at(9, 0));
        let body = format!("@codex review\n\n<!-- codex-loop: head={HEAD} id={uuid} supersedes={dead} -->");
        let newest = sample.comment(person(), at(10, 0), &body);
        (sample, newest)
    };
    let (mut sample, newest) = build();
    sample.plus_one(newest, at(14, 0));
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    let (mut sample, _) = build();
    sample.comment(connector(), at(14, 0), FAILURE);
    assert_ne!(outcome(&sample).0, StateWord::Failed);
}

#[test]
fn a_bots_trigger_counts_only_once_the_connector_reacted() {
    let bot = Account {
        login: Observed::Known("github-actions[bot]".into()),
        kind: Observed::Known("Bot".into()),
        id: Observed::Known(41_898_282),
    };
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    let ignored = sample.comment(bot, at(11, 0), "@codex review");
    sample.plus_one(trigger, at(14, 0));
    assert_eq!(outcome(&sample).0, StateWord::Clean);
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("read");
    assert!(
        run.warnings
            .iter()
            .any(|warning| warning.code == crate::reason::WarningCode::TriggerByBot)
    );
    sample.eyes(ignored, at(11, 9));
    assert_eq!(outcome(&sample).0, StateWord::InProgress);
}

#[test]
fn a_head_that_went_away_and_back_is_never_clean() {
    let mut sample = Sample::new();
    sample.force_push(at(5, 0), HEAD, OTHER);
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.force_push(at(20, 0), OTHER, HEAD);
    assert_ne!(outcome(&sample).0, StateWord::Clean);
}

#[test]
fn malformed_items_are_told_and_never_dropped() {
    type Damage = fn(&mut crate::evidence::comment::IssueComment);
    let damages: [(Damage, ReasonCode); 4] = [
        (
            |c| c.created_at = Observed::Missing,
            ReasonCode::MalformedEvidence,
        ),
        (
            |c| c.id = Observed::Malformed("x".into()),
            ReasonCode::MalformedEvidence,
        ),
        (|c| c.id = Observed::Missing, ReasonCode::MalformedEvidence),
        (|c| c.user = None, ReasonCode::IdentityMismatch),
    ];
    for (damage, code) in damages {
        // The trigger.
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        for comment in sample.evidence.surfaces.issue_comments.items_mut() {
            damage(comment);
        }
        assert_eq!(outcome(&sample), indeterminate(code));
        // The connector's answer.
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(15, 0));
        let clean = sample.clean_comment(at(14, 0), short());
        for comment in sample.evidence.surfaces.issue_comments.items_mut() {
            if comment.id.get() == Some(clean) {
                damage(comment);
            }
        }
        assert_eq!(outcome(&sample), indeterminate(code));
    }
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.trigger(at(9, 0));
    for comment in sample.evidence.surfaces.issue_comments.items_mut() {
        comment.id = Observed::Known(trigger);
    }
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::MalformedEvidence));
}

#[test]
fn closed_and_unstable_pull_requests_decide_nothing() {
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.evidence.unstable = Some("the head moved".into());
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::UnstableCollection));
    sample.thread(at(15, 0), HEAD);
    for pull in sample.evidence.surfaces.pull.items_mut() {
        pull.state = PullState::Merged;
    }
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::PullClosed));
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("read");
    assert_eq!(run.findings.len(), 1, "findings are still listed");
}

#[test]
fn no_gap_is_ever_clean_and_a_proven_finding_survives_a_gap_elsewhere() {
    let error = || SurfaceError {
        kind: SurfaceErrorKind::Incomplete,
        message: "page 2 is missing".into(),
    };
    type Gap = fn(&mut crate::evidence::Surfaces, SurfaceError);
    let gaps: [Gap; 7] = [
        |s, e| s.issue_comments = std::mem::take(&mut s.issue_comments).into_incomplete(e),
        |s, e| s.reviews = std::mem::take(&mut s.reviews).into_incomplete(e),
        |s, e| s.review_comments = std::mem::take(&mut s.review_comments).into_incomplete(e),
        |s, e| s.threads = std::mem::take(&mut s.threads).into_incomplete(e),
        |s, e| s.timeline = std::mem::take(&mut s.timeline).into_incomplete(e),
        |s, e| s.check_suites = std::mem::take(&mut s.check_suites).into_incomplete(e),
        |s, e| {
            for surface in s.comment_reactions.values_mut() {
                *surface = std::mem::take(surface).into_incomplete(e.clone());
            }
        },
    ];
    for (index, gap) in gaps.into_iter().enumerate() {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        gap(&mut sample.evidence.surfaces, error());
        assert_eq!(
            outcome(&sample),
            indeterminate(ReasonCode::IncompleteSurface),
            "gap {index}"
        );
    }
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.thread(at(14, 0), HEAD);
    let surfaces = &mut sample.evidence.surfaces;
    surfaces.reviews = std::mem::take(&mut surfaces.reviews).into_incomplete(error());
    assert_eq!(outcome(&sample).0, StateWord::Findings);
}

#[test]
fn a_judgement_decides_exactly_one_body() {
    let body = format!(
        "Codex Review: I went through the diff twice.\n\n**Reviewed commit:** `{}`",
        short()
    );
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    let comment = sample.comment(connector(), at(14, 0), &body);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::UnclearResult));
    let judge = |verdict, digest: String| Options {
        strict_identity: false,
        judgements: vec![Judgement {
            key: format!("issue-comment:{comment}"),
            verdict,
            body_sha256: digest,
        }],
    };
    let digest = sha256_hex(body.as_bytes());
    assert_eq!(
        outcome_with(&sample, &judge(JudgedAs::NoFindings, digest.clone())).0,
        StateWord::Clean
    );
    assert_eq!(
        outcome_with(&sample, &judge(JudgedAs::Findings, digest)).0,
        StateWord::Findings
    );
    let other = sha256_hex(b"another body");
    assert_eq!(
        outcome_with(&sample, &judge(JudgedAs::NoFindings, other)),
        indeterminate(ReasonCode::UnclearResult)
    );
}

#[test]
fn reviews_ahead_of_their_inline_comments_are_waited_for_and_then_judged() {
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(15, 0));
    sample.review(
        at(14, 0),
        HEAD,
        "### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.",
    );
    sample.evidence.collected_at = at(16, 0);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::InlineCommentsLagging));
    sample.evidence.collected_at = at(44, 0);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::UnclearResult));
    // A root comment without its thread.
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(15, 0));
    sample.thread(at(14, 0), HEAD);
    sample.evidence.surfaces.threads = Surface::complete(Vec::new());
    sample.evidence.collected_at = at(16, 0);
    assert_ne!(outcome(&sample).0, StateWord::Clean);
}

#[test]
fn the_summary_proves_nothing() {
    let row = |status: &str, commit: &str| {
        format!(
            "<!-- codex-pull-request-review-summary -->\n## Codex Review Summary\n\n| Review | Status | Commit | Review trigger |\n| --- | --- | --- | --- |\n| 📝 **Code Review** | {status} <relative-time datetime=\"2026-10-01T10:14:00.5Z\">2026-10-01T10:14:00.5Z</relative-time> | `{commit}` | Manual request |"
        )
    };
    let head = HEAD.get(..7).expect("seven digits");
    for (status, commit, code) in [
        ("✅ **Completed**", head, ReasonCode::SummaryOnly),
        ("🔄 **Running** since", head, ReasonCode::SummaryRunning),
        ("⚠️ **Failed**", head, ReasonCode::SummaryFailed),
        ("✅ **Completed**", "1111111", ReasonCode::NoTerminalOutput),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        sample.comment(connector(), at(1, 0), &row(status, commit));
        assert_eq!(outcome(&sample), indeterminate(code), "{status} {commit}");
    }
}

#[test]
fn the_security_lane_and_task_replies_decide_no_code_review() {
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    let body = format!(
        "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.\n\n**Reviewed commit:** `{}`",
        short()
    );
    sample.comment(connector(), at(14, 0), &body);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::NoTerminalOutput));
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    let body =
        "**Summary**\n- did it\n\n**Testing**\n- cargo test\n\n[View task →](https://chatgpt.com/s/cd_123)";
    sample.comment(connector(), at(14, 0), body);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::TaskReply));
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.comment(
        connector(),
        at(14, 0),
        "A wholly new kind of text about the weather.",
    );
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::UnrecognizedBotText));
}

#[test]
fn eyes_left_behind_an_undecided_answer_are_no_progress() {
    for (body, code) in [
        (
            "Codex couldn't complete this request. Try again later.",
            ReasonCode::NoticeRequestFailed,
        ),
        (
            "Codex Review: Didn't find any major issues. Swish!",
            ReasonCode::CommitUnresolved,
        ),
    ] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.eyes(trigger, at(10, 9));
        sample.comment(connector(), at(14, 0), body);
        assert_eq!(outcome(&sample), indeterminate(code), "{body}");
    }
}

#[test]
fn a_trigger_that_is_being_answered_again_is_unresolved() {
    let mut sample = Sample::new();
    let first = sample.trigger(at(9, 0));
    sample.plus_one(first, at(9, 30));
    let newest = sample.trigger(at(10, 0));
    sample.plus_one(newest, at(14, 0));
    sample.eyes(first, at(15, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::OverlappingTriggers));
}

#[test]
fn a_dismissed_review_approves_nothing_and_its_threads_still_count() {
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.review(
        at(14, 0),
        HEAD,
        "### 💡 Codex Review\n\nDidn't find any major issues.",
    );
    for review in sample.evidence.surfaces.reviews.items_mut() {
        review.state = crate::evidence::review::ReviewState::Dismissed;
    }
    assert_ne!(outcome(&sample).0, StateWord::Clean);
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.thread(at(14, 0), HEAD);
    for review in sample.evidence.surfaces.reviews.items_mut() {
        review.state = crate::evidence::review::ReviewState::Dismissed;
    }
    assert_eq!(outcome(&sample).0, StateWord::Findings);
}

#[test]
fn equal_seconds_on_two_surfaces_end_no_run() {
    // A +1 in the second of the failure may have come first: then the failure is nobody's.
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.comment(connector(), at(14, 0), FAILURE);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::SameTimeEvidence));
    // The review may answer either trigger, by what the +1 of its second left open: the clean comment may be nobody's.
    let mut sample = Sample::new();
    let first = sample.trigger(at(9, 0));
    sample.trigger(at(10, 0));
    sample.plus_one(first, at(12, 0));
    let node = sample.thread(at(12, 0), HEAD);
    sample.resolve(&node);
    sample.clean_comment(at(14, 0), short());
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::SameTimeEvidence));
}

#[test]
fn a_look_that_broke_off_leaves_the_clean_signal_before_it_unproven() {
    let quota = "You have reached your Codex usage limits for code reviews.";
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.eyes(trigger, at(15, 0));
    assert_eq!(outcome(&sample).0, StateWord::InProgress);
    sample.comment(connector(), at(15, 9), quota);
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::NoticeUsageLimit));
    // The newer look ended as the first one did.
    sample.clean_comment(at(16, 0), short());
    assert_eq!(outcome(&sample).0, StateWord::Indeterminate);
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.eyes(trigger, at(15, 0));
    sample.clean_comment(at(16, 0), short());
    assert_eq!(
        outcome(&sample),
        (StateWord::Clean, ReasonCode::CleanReviewResult, NextAction::None)
    );
}

#[test]
fn a_failure_that_two_runs_may_own_decides_nothing_though_eyes_follow() {
    let mut sample = Sample::new();
    sample.trigger(at(9, 0));
    let newest = sample.trigger(at(10, 0));
    sample.comment(connector(), at(12, 0), FAILURE);
    sample.eyes(newest, at(13, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::OverlappingTriggers));
}

#[test]
fn a_thread_that_may_be_the_connectors_blocks_clean() {
    type Damage = fn(&mut crate::evidence::thread::Thread);
    let damages: [(&str, Damage); 4] = [
        ("no author", |thread| {
            for comment in &mut thread.comments {
                comment.author = None;
            }
        }),
        ("no type", |thread| {
            for comment in &mut thread.comments {
                if let Some(author) = &mut comment.author {
                    author.kind = Observed::Missing;
                }
            }
        }),
        ("no comments", |thread| thread.comments.clear()),
        ("no state", |thread| thread.is_resolved = Observed::Missing),
    ];
    for (name, damage) in damages {
        let mut sample = Sample::new();
        sample.thread(at(8, 0), HEAD);
        let trigger = sample.trigger(at(10, 0));
        sample.plus_one(trigger, at(14, 0));
        for thread in sample.evidence.surfaces.threads.items_mut() {
            damage(thread);
        }
        assert_ne!(outcome(&sample).0, StateWord::Clean, "{name}");
    }
    // The thread is not visible at all, its REST comment is.
    let mut sample = Sample::new();
    sample.thread(at(8, 0), HEAD);
    let trigger = sample.trigger(at(10, 0));
    sample.plus_one(trigger, at(14, 0));
    sample.evidence.surfaces.threads = Surface::complete(Vec::new());
    assert_eq!(
        outcome(&sample),
        indeterminate(ReasonCode::EarlierThreadUnresolved)
    );
}

#[test]
fn an_edit_state_that_was_not_given_proves_nothing() {
    let build = || {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        sample.clean_comment(at(14, 0), short());
        sample
    };
    assert_eq!(outcome(&build()).0, StateWord::Clean);
    let mut sample = build();
    sample.evidence.surfaces.edits = Surface::complete(Vec::new());
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::EvidenceEdited));
    let json = serde_json::json!({ "nodeId": "IC_1" });
    let edit: crate::evidence::edit::Edit = serde_json::from_value(json).expect("read");
    assert!(matches!(edit.last_edited_at, Observed::Malformed(_)));
    let json = serde_json::json!({ "nodeId": "IC_1", "lastEditedAt": null });
    let edit: crate::evidence::edit::Edit = serde_json::from_value(json).expect("read");
    assert!(edit.last_edited_at.is_missing());
    // Without the pull request's other commits nobody can say that a prefix is not shared.
    let mut sample = build();
    sample.evidence.surfaces.commits = Surface::NotCollected;
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::CommitUnresolved));
}

#[test]
fn a_review_in_an_unknown_state_and_markers_that_disagree_prove_nothing() {
    use crate::evidence::review::ReviewState;
    for state in [
        ReviewState::Missing,
        ReviewState::Pending,
        ReviewState::Unrecognized("WEIRD".into()),
    ] {
        let mut sample = Sample::new();
        sample.trigger(at(10, 0));
        sample.review(
            at(14, 0),
            HEAD,
            "### 💡 Codex Review\n\nDidn't find any major issues.",
        );
        for review in sample.evidence.surfaces.reviews.items_mut() {
            review.state = state.clone();
        }
        assert_ne!(outcome(&sample).0, StateWord::Clean, "{state:?}");
    }
    let mut sample = Sample::new();
    let uuid = "01234567-89ab-4def-8123-456789abcdef";
    let body = format!(
        "@codex review\n\n<!-- dsh-review-head: {OTHER} -->\n<!-- codex-loop: head={HEAD} id={uuid} -->"
    );
    let trigger = sample.comment(person(), at(10, 0), &body);
    sample.plus_one(trigger, at(14, 0));
    assert_eq!(outcome(&sample), indeterminate(ReasonCode::TriggerHeadUnproven));
}

#[test]
fn of_two_judgements_for_one_text_the_finding_counts() {
    let body = format!(
        "Codex Review: I went through the diff twice.\n\n**Reviewed commit:** `{}`",
        short()
    );
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    let comment = sample.comment(connector(), at(14, 0), &body);
    let judgement = |verdict| Judgement {
        key: format!("issue-comment:{comment}"),
        verdict,
        body_sha256: sha256_hex(body.as_bytes()),
    };
    for order in [
        [JudgedAs::NoFindings, JudgedAs::Findings],
        [JudgedAs::Findings, JudgedAs::NoFindings],
    ] {
        let options = Options {
            strict_identity: false,
            judgements: order.map(judgement).to_vec(),
        };
        assert_eq!(outcome_with(&sample, &options).0, StateWord::Findings);
    }
}

#[test]
fn a_reaction_that_claims_to_be_older_than_its_trigger_proves_nothing() {
    for eyes in [false, true] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        if eyes {
            sample.eyes(trigger, at(9, 0));
        } else {
            sample.plus_one(trigger, at(9, 0));
        }
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
        assert_eq!(run.state, RunState::Indeterminate);
        let code = run.reasons.first().map(|reason| reason.code);
        assert_eq!(code, Some(ReasonCode::MalformedEvidence));
    }
}
