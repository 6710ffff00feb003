//! Generated pull requests: what can stand on one, piece by piece, and how often.

use proptest::prelude::{Just, Strategy, prop, prop_oneof};

use crate::evidence::account::Account;
use crate::evidence::event::{Event, EventKind};
use crate::evidence::handled::{Disposition, Outcome};
use crate::evidence::observed::{Observed, Timestamp};
use crate::evidence::reaction::ReactionContent;
use crate::evidence::review::ReviewState;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, connector_graphql, person};
use crate::evidence::surface::Surface;
use crate::evidence::thread::ThreadComment;
use crate::run::signature::sha256_hex;

const BADGE: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Keep the bound**\n\nIt overflows.";

/// One thing on the pull request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    Trigger,
    Directed,
    BotTrigger,
    Stranger,
    Impostor,
    CleanHead,
    CleanOther,
    CleanWithoutCommit,
    CleanReview,
    DismissedCleanReview,
    Failure,
    Quota,
    TaskReply,
    Unclear,
    SecurityClean,
    FindingComment,
    FindingBody,
    OpenThread,
    ResolvedThread,
    OutdatedThread,
    OtherThread,
    /// An inline comment whose thread is not shown.
    Unthreaded,
    /// A thread whose inline comment is not listed.
    Unlisted,
    LaggingReview,
    Running,
    Completed,
    PlusOne(usize),
    Eyes(usize),
    BodyPlusOne,
    BodyEyes,
    Check,
    EditedClean,
    HandledByPerson,
    HandledByBot,
    MoveHere,
    MoveAway,
    /// A request that bears a marker for the head.
    Marked,
    /// One that abandons the trigger with this number.
    Superseding(usize),
    EditedTrigger,
    /// A review with a thread that requests changes.
    ChangesRequested,
    /// A review with a body that nobody can read.
    UnclearReview,
    /// A thread of somebody else in which the connector wrote.
    AnsweredThread,
    SecurityThread,
    PendingCheck,
    FailingCheck,
    Status,
    /// The description was edited.
    DescriptionEdited,
    /// Marked ready for review.
    Ready,
    /// The newest finding is recorded in the local handled file.
    HandledLocally,
    /// The connector's +1 on the newest clean comment.
    PlusOneOnClean,
    /// A push in the activity list.
    Push,
    Draft,
    Conflicting,
}

/// Pieces with their seconds.
pub(super) fn pieces() -> impl Strategy<Value = Vec<(u32, Piece)>> {
    let any = prop_oneof![
        4 => Just(Piece::Trigger),
        6 => (0_usize..2).prop_map(Piece::PlusOne),
        3 => (0_usize..2).prop_map(Piece::Eyes),
        4 => Just(Piece::CleanHead),
        4 => Just(Piece::BodyPlusOne),
        2 => Just(Piece::Check),
        24 => prop::sample::select(vec![
            Piece::Directed,
            Piece::BotTrigger,
            Piece::Stranger,
            Piece::Impostor,
            Piece::CleanOther,
            Piece::CleanWithoutCommit,
            Piece::CleanReview,
            Piece::DismissedCleanReview,
            Piece::Failure,
            Piece::Quota,
            Piece::TaskReply,
            Piece::Unclear,
            Piece::SecurityClean,
            Piece::FindingComment,
            Piece::FindingBody,
            Piece::OpenThread,
            Piece::ResolvedThread,
            Piece::OutdatedThread,
            Piece::OtherThread,
            Piece::Unthreaded,
            Piece::Unlisted,
            Piece::LaggingReview,
            Piece::Running,
            Piece::Completed,
            Piece::BodyEyes,
            Piece::EditedClean,
            Piece::HandledByPerson,
            Piece::HandledByBot,
            Piece::MoveHere,
            Piece::MoveAway,
            Piece::Marked,
            Piece::Superseding(0),
            Piece::Superseding(1),
            Piece::EditedTrigger,
            Piece::ChangesRequested,
            Piece::UnclearReview,
            Piece::AnsweredThread,
            Piece::SecurityThread,
            Piece::PendingCheck,
            Piece::FailingCheck,
            Piece::Status,
            Piece::DescriptionEdited,
            Piece::Ready,
            Piece::HandledLocally,
            Piece::PlusOneOnClean,
            Piece::Push,
            Piece::Draft,
            Piece::Conflicting,
        ]),
    ];
    // Most worlds begin with an answered trigger, so that one thing decides whether they are clean.
    let begun = prop_oneof![
        1 => Just(Vec::new()),
        3 => Just(vec![(1, Piece::Check), (2, Piece::Trigger), (5, Piece::PlusOne(0)), (5, Piece::BodyPlusOne)]),
        2 => Just(vec![(1, Piece::Check), (2, Piece::Trigger), (5, Piece::CleanHead)]),
        1 => Just(vec![(1, Piece::Check), (2, Piece::Marked), (5, Piece::CleanHead), (6, Piece::PlusOneOnClean)]),
        1 => Just(vec![(1, Piece::Check), (2, Piece::Trigger), (4, Piece::Failure)]),
    ];
    (begun, prop::collection::vec((0_u32..9, any), 0..5))
        .prop_map(|(begun, more)| begun.into_iter().chain(more).collect())
}

/// The pull request with these pieces, in order of time.
pub(super) fn build(pieces: &[(u32, Piece)]) -> Sample {
    let mut sample = Sample::new();
    sample.evidence.surfaces.viewer = Surface::complete(vec![person()]);
    sample.evidence.surfaces.merge_gates = Surface::complete(Vec::new());
    let mut known = Known::default();
    let mut ordered = pieces.to_vec();
    ordered.sort_by_key(|(second, _)| *second);
    for (second, piece) in ordered {
        add(&mut sample, piece, at(10, second), &mut known);
    }
    sample
}

/// What later pieces refer to.
#[derive(Default)]
struct Known {
    triggers: Vec<u64>,
    /// Key and text of the newest finding.
    finding: Option<(String, String)>,
    clean: Option<u64>,
}

/// A bot that is not the connector.
pub(super) fn bot() -> Account {
    Account {
        login: Observed::Known("ci[bot]".into()),
        kind: Observed::Known("Bot".into()),
        id: Observed::Known(99),
    }
}

fn add(sample: &mut Sample, piece: Piece, when: Timestamp, known: &mut Known) {
    let short = HEAD.get(..10).expect("ten digits");
    let marker = |rest: &str| {
        format!("@codex review\n\n<!-- codex-loop: head={HEAD} id=11111111-2222-3333-4444-{rest} -->")
    };
    let code = "Codex Review: Didn't find any major issues. Swish!";
    match piece {
        Piece::Trigger => known.triggers.push(sample.trigger(when)),
        Piece::Directed => {
            known
                .triggers
                .push(sample.comment(person(), when, "@codex review the parser, please"))
        }
        Piece::BotTrigger => known.triggers.push(sample.comment(bot(), when, "@codex review")),
        Piece::Stranger => {
            sample.comment(person(), when, "Looks good to me, thank you!");
        }
        Piece::Impostor => {
            let mut user = person();
            user.login = Observed::Known("chatgpt-codex-connector".into());
            sample.comment(user, when, code);
        }
        Piece::CleanHead => known.clean = Some(sample.clean_comment(when, short)),
        Piece::CleanOther => {
            sample.clean_comment(when, OTHER.get(..10).expect("ten digits"));
        }
        Piece::CleanWithoutCommit => {
            sample.comment(connector(), when, code);
        }
        Piece::CleanReview => {
            sample.review(when, HEAD, code);
        }
        Piece::DismissedCleanReview => {
            sample.review(when, HEAD, code);
            if let Some(review) = sample.evidence.surfaces.reviews.items_mut().last_mut() {
                review.state = ReviewState::Dismissed;
            }
        }
        Piece::Failure => {
            let body = "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\nAn unknown error occurred";
            sample.comment(connector(), when, body);
        }
        Piece::Quota => {
            sample.comment(
                connector(),
                when,
                "You have reached your Codex usage limits for code reviews.",
            );
        }
        Piece::TaskReply => {
            let body =
                " **Summary**\n* Did it.\n\n**Testing**\n* ok\n\n[View task →](https://chatgpt.com/s/cd_1)";
            sample.comment(connector(), when, body);
        }
        Piece::Unclear => {
            let body =
                format!("Codex Review: The parser deserves a deeper look.\n\n**Reviewed commit:** `{short}`");
            sample.comment(connector(), when, &body);
        }
        Piece::SecurityClean => {
            let body = format!(
                "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.\n\n**Reviewed commit:** `{short}`"
            );
            sample.comment(connector(), when, &body);
        }
        Piece::FindingComment => {
            let body = format!("https://github.com/o/r/blob/{HEAD}/src/a.rs#L1-L2\n{BADGE}");
            let id = sample.comment(connector(), when, &body);
            known.finding = Some((format!("issue-comment:{id}"), body));
        }
        Piece::FindingBody => {
            let body = format!(
                "\n### 💡 Codex Review\n\nhttps://github.com/o/r/blob/{HEAD}/src/a.rs#L1-L2\n{BADGE}"
            );
            let id = sample.review(when, HEAD, &body);
            known.finding = Some((format!("review-body:{id}"), body));
        }
        Piece::OpenThread => {
            let node = sample.thread(when, HEAD);
            let id = node.trim_start_matches("PRRT_");
            let comments = sample.evidence.surfaces.review_comments.items();
            let body = comments.last().map_or("", |comment| comment.body.text());
            known.finding = Some((format!("review-comment:{id}"), body.to_owned()));
        }
        Piece::ResolvedThread => {
            let node = sample.thread(when, HEAD);
            sample.resolve(&node);
        }
        Piece::OutdatedThread => {
            sample.thread(when, HEAD);
            if let Some(thread) = sample.evidence.surfaces.threads.items_mut().last_mut() {
                thread.is_outdated = Observed::Known(true);
            }
        }
        Piece::OtherThread => {
            sample.thread(when, OTHER);
        }
        Piece::Unthreaded => {
            sample.thread(when, HEAD);
            drop_last(&mut sample.evidence.surfaces.threads);
        }
        Piece::Unlisted => {
            sample.thread(when, HEAD);
            drop_last(&mut sample.evidence.surfaces.review_comments);
        }
        Piece::LaggingReview => {
            let body =
                "\n### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.";
            sample.review(when, HEAD, body);
        }
        Piece::Running => {
            sample.summary("🔄 **Running** since", short, when);
        }
        Piece::Completed => {
            sample.summary("✅ **Completed**", short, when);
        }
        Piece::PlusOne(number) => {
            if let Some(trigger) = known.triggers.get(number) {
                sample.plus_one(*trigger, when);
            }
        }
        Piece::Eyes(number) => {
            if let Some(trigger) = known.triggers.get(number) {
                sample.eyes(*trigger, when);
            }
        }
        Piece::BodyPlusOne => {
            sample.react_body(ReactionContent::PlusOne, when);
        }
        Piece::BodyEyes => {
            sample.react_body(ReactionContent::Eyes, when);
        }
        Piece::Check => {
            sample.check_run("build", Some("success"), when);
        }
        Piece::EditedClean => {
            let id = sample.clean_comment(when, short);
            sample.edited(id, person());
        }
        Piece::HandledByPerson | Piece::HandledByBot => {
            let by = if matches!(piece, Piece::HandledByBot) {
                bot()
            } else {
                person()
            };
            if let Some((key, _)) = &known.finding {
                let body = format!(
                    "Fixed.\n<!-- codex-loop: handled {key} outcome=fixed id=11111111-2222-3333-4444-555555555555 -->"
                );
                sample.comment(by, when, &body);
            }
        }
        Piece::MoveHere => sample.force_push(when, OTHER, HEAD),
        Piece::MoveAway => sample.force_push(when, HEAD, OTHER),
        Piece::Marked => known
            .triggers
            .push(sample.comment(person(), when, &marker("555555555555"))),
        Piece::Superseding(number) => {
            if let Some(old) = known.triggers.get(number) {
                let body = marker(&format!("666666666666 supersedes={old}"));
                known.triggers.push(sample.comment(person(), when, &body));
            }
        }
        Piece::EditedTrigger => {
            let id = sample.comment(person(), when, &marker("777777777777"));
            sample.edited(id, person());
            known.triggers.push(id);
        }
        Piece::ChangesRequested => {
            sample.thread(when, HEAD);
            if let Some(review) = sample.evidence.surfaces.reviews.items_mut().last_mut() {
                review.state = ReviewState::ChangesRequested;
            }
        }
        Piece::UnclearReview => {
            sample.review(
                when,
                HEAD,
                "### 💡 Codex Review\n\nThe parser deserves a deeper look.",
            );
        }
        Piece::AnsweredThread => {
            let review = sample.review(when, HEAD, "");
            sample.thread_of(review, when, HEAD);
            answered(sample, when);
        }
        Piece::SecurityThread => {
            sample.thread(when, HEAD);
            let body = format!("<!-- codex-security-review-finding:v1 -->\n{BADGE}");
            if let Some(comment) = sample.evidence.surfaces.review_comments.items_mut().last_mut() {
                comment.body = Observed::Known(body.clone());
            }
            if let Some(thread) = sample.evidence.surfaces.threads.items_mut().last_mut() {
                for comment in &mut thread.comments {
                    comment.body = Observed::Known(body.clone());
                }
            }
        }
        Piece::PendingCheck => {
            sample.check_run("slow", None, when);
        }
        Piece::FailingCheck => {
            sample.check_run("build", Some("failure"), when);
        }
        Piece::Status => {
            sample.status("ci", "success", when);
        }
        Piece::DescriptionEdited => sample.pull().last_edited_at = Observed::Known(when),
        Piece::Ready => {
            let event = Event {
                id: format!("RFR_{}", when.timestamp()),
                kind: EventKind::ReadyForReview,
                created_at: Observed::Known(when),
                actor: Some(person()),
            };
            let timeline = &mut sample.evidence.surfaces.timeline;
            let known = timeline.items().iter().cloned();
            *timeline = Surface::complete(known.chain([event]).collect());
        }
        Piece::HandledLocally => {
            if let Some((key, body)) = &known.finding {
                let handled = &mut sample.evidence.local.handled;
                let digest = sha256_hex(body.as_bytes());
                handled.items.insert(key.clone(), Some(digest));
                let disposition = Disposition {
                    outcome: Outcome::Rebutted,
                    family: None,
                    commit: None,
                    evidence: "read the code".into(),
                    premise: None,
                    covers: None,
                    reply: None,
                    review_id: None,
                    recorded_at: when,
                };
                handled.record.dispositions.insert(key.clone(), disposition);
            }
        }
        Piece::PlusOneOnClean => {
            if let Some(comment) = known.clean {
                sample.plus_one(comment, when);
            }
        }
        Piece::Push => sample.push(when, OTHER, HEAD),
        Piece::Draft => sample.pull().is_draft = true,
        Piece::Conflicting => sample.pull().mergeable = Some("CONFLICTING".into()),
    }
}

fn drop_last<T>(surface: &mut Surface<T>) {
    match surface {
        Surface::Complete { items, .. } | Surface::Incomplete { items, .. } => {
            items.truncate(items.len().saturating_sub(1))
        }
        Surface::NotCollected => {}
    }
}

/// Makes the newest thread a person's, with an answer of the connector.
fn answered(sample: &mut Sample, when: Timestamp) {
    if let Some(review) = sample.evidence.surfaces.reviews.items_mut().last_mut() {
        review.user = Some(person());
    }
    if let Some(comment) = sample.evidence.surfaces.review_comments.items_mut().last_mut() {
        comment.user = Some(person());
        comment.body = Observed::Known("Why not?".into());
    }
    if let Some(thread) = sample.evidence.surfaces.threads.items_mut().last_mut() {
        for comment in &mut thread.comments {
            comment.author = Some(person());
            comment.body = Observed::Known("Why not?".into());
        }
        thread.comments.push(ThreadComment {
            id: Observed::Known(90_000_u64.saturating_add(u64::try_from(thread.comments.len()).unwrap_or(0))),
            author: Some(connector_graphql()),
            created_at: Observed::Known(when),
            body: Observed::Known("Because it overflows.".into()),
            ..ThreadComment::default()
        });
    }
}
