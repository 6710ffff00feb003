//! The candidate responses: which texts are one, what each says, and what else the evaluator has to know of it.

use super::{World, id, marked, time, world};
use crate::bot::identity::CONNECTOR_ID;
use crate::bounded::hosted::HostedError;
use crate::bounded::state::{Response, ResponseOutcome};
use crate::bounded::terms::Hash;
use crate::evidence::account::Account;
use crate::evidence::observed::Observed;
use crate::evidence::pull::Commit;
use crate::evidence::review::{Review, ReviewComment, ReviewState};
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, connector_graphql, person, sha};
use crate::evidence::surface::Surface;

const CLEAN: &str = "Codex Review: Didn't find any major issues. Swish!\n\n**Reviewed commit:** `aaaaaaaaaa`";
const FINDING: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.";
const SECURITY: &str = "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.";
const UNKNOWN: &str = "The weather is fine today.";

/// Somebody with the connector's login that is no bot.
fn lookalike() -> Account {
    Account {
        kind: Observed::Known("User".into()),
        ..connector()
    }
}

fn inline(review: u64, user: Account, reply_to: Option<u64>) -> ReviewComment {
    ReviewComment {
        id: Observed::Known(8000 + review),
        user: Some(user),
        created_at: Observed::Known(at(30, 0)),
        body: Observed::Known("Text.".into()),
        in_reply_to_id: reply_to.into(),
        pull_request_review_id: Observed::Known(review),
        ..ReviewComment::default()
    }
}

fn responses(build: impl FnOnce(&mut Sample)) -> Vec<Response> {
    let mut world = world();
    build(&mut world.sample);
    world.hosted().responses
}

fn last_review(sample: &mut Sample) -> &mut Review {
    let reviews = sample.evidence.surfaces.reviews.items_mut();
    reviews.last_mut().expect("a review")
}

#[test]
fn every_text_that_could_answer_is_a_response_and_says_what_it_says() {
    use ResponseOutcome::{Findings, NoFindings, Unclear};
    type Build = fn(&mut Sample);
    fn review(sample: &mut Sample, body: &str, inline_comment: Option<(Account, Option<u64>)>) {
        let review = sample.review(at(30, 0), HEAD, body);
        let comments = inline_comment.map(|(user, reply_to)| inline(review, user, reply_to));
        sample.evidence.surfaces.review_comments = Surface::complete(comments.into_iter().collect());
    }
    fn comment(sample: &mut Sample, user: Account, body: &str) {
        sample.comment(user, at(30, 0), body);
    }
    let texts: [(&str, Build, Option<ResponseOutcome>); 22] = [
        ("clean", |one| comment(one, connector(), CLEAN), Some(NoFindings)),
        (
            "clean, changed by somebody else",
            |one| {
                let comment = one.comment(connector(), at(30, 0), CLEAN);
                one.edited(comment, person());
            },
            Some(Unclear),
        ),
        (
            "clean, changed by the connector",
            |one| {
                let comment = one.comment(connector(), at(30, 0), CLEAN);
                one.edited(comment, connector_graphql());
            },
            Some(NoFindings),
        ),
        (
            "finding",
            |one| comment(one, connector(), FINDING),
            Some(Findings),
        ),
        (
            "unknown text",
            |one| comment(one, connector(), UNKNOWN),
            Some(Unclear),
        ),
        ("security", |one| comment(one, connector(), SECURITY), None),
        (
            "summary",
            |one| {
                one.summary("✅ Completed", "aaaaaaaaaa", at(30, 0));
            },
            None,
        ),
        ("a person", |one| comment(one, person(), CLEAN), None),
        (
            "a person who asks",
            |one| comment(one, person(), "@codex review"),
            None,
        ),
        (
            "a lookalike",
            |one| comment(one, lookalike(), CLEAN),
            Some(Unclear),
        ),
        (
            "a lookalike who asks",
            |one| comment(one, lookalike(), "@codex review"),
            Some(Unclear),
        ),
        ("clean review", |one| review(one, CLEAN, None), Some(NoFindings)),
        (
            "dismissed clean review",
            |one| {
                review(one, CLEAN, None);
                last_review(one).state = ReviewState::Dismissed;
            },
            Some(Unclear),
        ),
        (
            "clean review that nobody looked up",
            |one| {
                review(one, CLEAN, None);
                one.evidence.surfaces.edits = Surface::complete(Vec::new());
            },
            Some(Unclear),
        ),
        (
            "clean review with an inline comment",
            |one| review(one, CLEAN, Some((connector(), None))),
            Some(Findings),
        ),
        (
            "review with a finding",
            |one| review(one, FINDING, None),
            Some(Findings),
        ),
        ("empty review", |one| review(one, " \n", None), Some(Unclear)),
        (
            "empty review with an inline comment",
            |one| review(one, "", Some((connector(), None))),
            Some(Findings),
        ),
        (
            "empty review around a reply",
            |one| review(one, " \n", Some((connector(), Some(5)))),
            None,
        ),
        (
            "review that says something around a reply",
            |one| review(one, UNKNOWN, Some((connector(), Some(5)))),
            Some(Unclear),
        ),
        (
            "a person's review",
            |one| {
                review(one, CLEAN, None);
                last_review(one).user = Some(person());
            },
            None,
        ),
        (
            "a lookalike's review",
            |one| {
                review(one, CLEAN, None);
                last_review(one).user = Some(lookalike());
            },
            Some(Unclear),
        ),
    ];
    for (what, build, expected) in texts {
        let found = responses(build);
        let outcomes: Vec<ResponseOutcome> = found.iter().map(|one| one.outcome).collect();
        assert_eq!(outcomes, expected.into_iter().collect::<Vec<_>>(), "{what}");
    }
}

#[test]
fn a_response_carries_its_author_its_times_and_the_digest_of_its_text() {
    let mut comment_id = 0;
    let found = responses(|one| comment_id = one.clean_comment(at(30, 0), "aaaaaaaaaa"));
    let [one] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(one.id.as_str(), format!("issue-comment:{comment_id}"));
    assert_eq!(one.author_database_id, Some(id(CONNECTOR_ID)));
    assert_eq!(one.author_type.as_str(), "Bot");
    assert_eq!(one.created_at, time(at(30, 0)));
    assert_eq!(one.content_version_at, time(at(30, 0)));
    assert_eq!(one.body_hash, Hash::of_text(CLEAN));
    assert_eq!(one.trigger_request_id, None, "GitHub names none");
    assert_eq!(one.commit_sha.as_ref().map(|sha| sha.as_str()), Some(HEAD));

    // The newest change counts, and an impossible one before the creation does not.
    for (updated, expected) in [(at(35, 0), at(35, 0)), (at(25, 0), at(30, 0))] {
        let found = responses(|one| {
            one.clean_comment(at(30, 0), "aaaaaaaaaa");
            let comments = one.evidence.surfaces.issue_comments.items_mut();
            comments.last_mut().expect("it").updated_at = Observed::Known(updated);
        });
        assert_eq!(found[0].content_version_at, time(expected));
    }
    // A review has no time of a change of its own: what was looked up gives it, for this review alone.
    for (edited, expected) in [(0, at(35, 0)), (1, at(30, 0))] {
        let found = responses(|one| {
            one.review(at(30, 0), HEAD, CLEAN);
            one.review(at(31, 0), HEAD, UNKNOWN);
            let reviews = one.evidence.surfaces.reviews.items();
            let node = reviews[edited].node_id.text().to_owned();
            for edit in one.evidence.surfaces.edits.items_mut() {
                if edit.node_id == node {
                    edit.last_edited_at = Observed::Known(at(35, 0));
                }
            }
        });
        assert_eq!(found[0].created_at, time(at(30, 0)));
        assert_eq!(found[0].content_version_at, time(expected), "{edited}");
    }
    // By their IDs, comments before reviews, whatever their times.
    let found = responses(|one| {
        one.review(at(29, 0), HEAD, UNKNOWN);
        one.clean_comment(at(30, 0), "aaaaaaaaaa");
    });
    let kinds: Vec<&str> = found
        .iter()
        .filter_map(|one| one.id.as_str().split(':').next())
        .collect();
    assert_eq!(kinds, ["issue-comment", "review"]);
    // A time that cannot be used gives no state.
    let mut world = world();
    world.sample.review(at(30, 0), HEAD, CLEAN);
    last_review(&mut world.sample).submitted_at = Observed::Missing;
    assert!(matches!(
        world.read(),
        Err(HostedError::Unusable {
            what: "the time of submission",
            ..
        })
    ));
}

#[test]
fn a_response_names_one_commit_in_full_or_none() {
    let unique = "2222222222".repeat(4);
    let shared = [
        "33333333334".repeat(3) + "3333333",
        "33333333335".repeat(3) + "3333333",
    ];
    for (prefix, expected) in [
        ("aaaaaaaaaa", Some(HEAD)),
        (OTHER, Some(OTHER)),
        ("2222222222", Some(unique.as_str())),
        ("3333333333", None),
        ("4444444444", None),
    ] {
        let found = responses(|one| {
            let oids = [HEAD, unique.as_str(), shared[0].as_str(), shared[1].as_str()];
            let commits = oids.map(|oid| Commit {
                oid: sha(oid),
                committed_date: Observed::Known(at(0, 0)),
            });
            one.evidence.surfaces.commits = Surface::complete(commits.into());
            one.clean_comment(at(30, 0), prefix);
        });
        assert_eq!(
            found[0].commit_sha.as_ref().map(|sha| sha.as_str()),
            expected,
            "{prefix}"
        );
    }
    let found = responses(|one| {
        one.comment(connector(), at(30, 0), UNKNOWN);
    });
    assert_eq!(found[0].commit_sha, None);
}

#[test]
fn what_else_asked_the_connector_between_the_request_and_a_response_is_counted() {
    type Change = fn(&mut World);
    fn ask(world: &mut World, minute: u32, body: &str) {
        world.sample.comment(person(), at(minute, 0), body);
    }
    let changes: [(&str, Change, u64); 11] = [
        ("nothing", |_| {}, 0),
        ("before the request", |one| ask(one, 19, "@codex review"), 0),
        // The same second: the later ID is the later comment.
        ("at the request's time", |one| ask(one, 20, "@codex review"), 1),
        ("between", |one| ask(one, 25, "@codex review"), 1),
        ("another wish", |one| ask(one, 25, "@codex fix the typo"), 1),
        ("at the response's time", |one| ask(one, 30, "@codex review"), 1),
        ("after the response", |one| ask(one, 31, "@codex review"), 0),
        ("only quoted", |one| ask(one, 25, "> @codex review"), 0),
        ("a remark", |one| ask(one, 25, "Looks good."), 0),
        (
            "two of them",
            |one| {
                ask(one, 25, "@codex review");
                ask(one, 26, "@codex review");
            },
            2,
        ),
        (
            "without a usable time",
            |one| {
                ask(one, 25, "@codex review");
                let comments = one.sample.evidence.surfaces.issue_comments.items_mut();
                comments.last_mut().expect("it").created_at = Observed::Missing;
            },
            1,
        ),
    ];
    for (what, change, expected) in changes {
        let mut world = world();
        change(&mut world);
        world.sample.clean_comment(at(30, 0), "aaaaaaaaaa");
        let found = world.hosted().responses;
        assert_eq!(
            found
                .iter()
                .map(|one| one.intervening_requests.get())
                .collect::<Vec<_>>(),
            [expected],
            "{what}"
        );
    }
    // The request itself is none, also when another comment claims its ID so that neither has a certain order.
    let mut doubled = world();
    let copy = doubled
        .sample
        .comment(person(), at(25, 0), &marked(super::RUN, 3, OTHER));
    for comment in doubled.sample.evidence.surfaces.issue_comments.items_mut() {
        if comment.id.get() == Some(copy) {
            comment.id = Observed::Known(doubled.request);
        }
    }
    doubled.sample.clean_comment(at(30, 0), "aaaaaaaaaa");
    assert_eq!(doubled.hosted().responses[0].intervening_requests.get(), 0);
    // Without a canonical request nothing can come between.
    let mut without = world();
    without.checkpoint.persisted.request = None;
    without.sample.trigger(at(25, 0));
    without.sample.clean_comment(at(30, 0), "aaaaaaaaaa");
    assert_eq!(without.hosted().responses[0].intervening_requests.get(), 0);
}
