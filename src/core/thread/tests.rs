//! One row a refusal code, and everything that is allowed.

use super::*;
use crate::evidence::account::Account;
use crate::evidence::observed::Observed;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector_graphql, person, sha};

fn thread() -> Thread {
    let mut sample = Sample::new();
    sample.thread(at(12, 0), OTHER);
    sample
        .evidence
        .surfaces
        .threads
        .items()
        .first()
        .expect("one")
        .clone()
}

fn here(change: impl FnOnce(&mut Thread)) -> Found {
    let mut thread = thread();
    change(&mut thread);
    Found::Here(Box::new(thread))
}

fn comparison(relation: Relation, paths: &[&str]) -> Comparison {
    Comparison {
        relation,
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        files: paths.len(),
    }
}

fn fix() -> Fix {
    Fix {
        sha: sha(HEAD),
        to_head: comparison(Relation::Identical, &[]),
        from_thread: Some(comparison(Relation::Ahead, &["src/a.rs"])),
        hosted_at: Some(at(20, 0)),
    }
}

fn fixed(fix: Fix) -> Justification {
    Justification::Fixed {
        fix: Box::new(fix),
        elsewhere: None,
    }
}

fn reply(author: Account, when: Option<Timestamp>) -> ThreadComment {
    ThreadComment {
        author: Some(author),
        created_at: when.into(),
        body: Observed::Known("I do not agree.".into()),
        ..ThreadComment::default()
    }
}

fn code(found: &Found, justification: &Justification, reply: Option<&str>) -> Option<&'static str> {
    match decide(found, justification, reply, false) {
        Decision::AlreadyResolved => Some("already-resolved"),
        Decision::Refused(code, message) => {
            assert!(!message.is_empty());
            Some(code.as_str())
        }
        Decision::Resolve(permit) => {
            assert_eq!(permit.thread_id(), thread().id.text());
            None
        }
    }
}

#[test]
fn whose_thread_it_is() {
    let good = fixed(fix());
    assert_eq!(code(&here(|_| {}), &good, None), None);
    assert_eq!(code(&Found::Nowhere, &good, None), Some("not-found"));
    assert_eq!(code(&Found::Elsewhere, &good, None), Some("not-this-pull"));
    let by = |author: Option<Account>| {
        here(|thread| {
            if let Some(root) = thread.comments.first_mut() {
                root.author = author;
            }
        })
    };
    let other_bot = Account {
        login: Observed::Known("another-reviewer".into()),
        ..connector_graphql()
    };
    let impostor = Account {
        kind: Observed::Known("User".into()),
        ..connector_graphql()
    };
    for author in [Some(person()), Some(other_bot), Some(impostor), None] {
        assert_eq!(code(&by(author), &good, None), Some("not-connector"));
    }
    let resolved = here(|thread| thread.is_resolved = Observed::Known(true));
    assert_eq!(
        code(&resolved, &Justification::None, None),
        Some("already-resolved")
    );
    let unknown = here(|thread| thread.is_resolved = Observed::Missing);
    assert_eq!(code(&unknown, &good, None), Some("not-found"));
}

#[test]
fn where_the_fix_stands() {
    let outdated = here(|thread| thread.is_outdated = Observed::Known(true));
    assert_eq!(code(&outdated, &Justification::None, None), Some("no-reason"));
    for (relation, expected) in [
        (Relation::Identical, None),
        (Relation::Ahead, None),
        (Relation::Behind, Some("fix-not-on-head")),
        (Relation::Diverged, Some("fix-not-on-head")),
        (Relation::Unknown("HTTP 404".into()), Some("fix-not-on-head")),
    ] {
        let fix = Fix {
            to_head: comparison(relation.clone(), &[]),
            ..fix()
        };
        assert_eq!(
            code(&outdated, &fixed(fix.clone()), None),
            expected,
            "{relation:?}"
        );
        // No reason makes up for a fix that is not there.
        let elsewhere = Justification::Fixed {
            fix: Box::new(fix),
            elsewhere: Some("The check moved to the caller.".into()),
        };
        assert_eq!(code(&outdated, &elsewhere, None), expected, "{relation:?}");
    }
    let cut: Vec<String> = (0..FILES_SHOWN).map(|n| format!("src/{n}.rs")).collect();
    let mut cut: Vec<&str> = cut.iter().map(String::as_str).collect();
    cut.pop();
    cut.push("src/a.rs");
    for (from_thread, expected) in [
        (Some(comparison(Relation::Ahead, &["src/a.rs"])), None),
        (
            Some(comparison(Relation::Ahead, &["src/b.rs"])),
            Some("fix-misses-path"),
        ),
        (Some(comparison(Relation::Ahead, &cut)), Some("fix-unproven")),
        (
            Some(comparison(Relation::Identical, &["src/a.rs"])),
            Some("fix-unproven"),
        ),
        (
            Some(comparison(Relation::Behind, &["src/a.rs"])),
            Some("fix-unproven"),
        ),
        (
            Some(comparison(Relation::Diverged, &["src/a.rs"])),
            Some("fix-unproven"),
        ),
        (
            Some(comparison(Relation::Unknown("HTTP 404".into()), &["src/a.rs"])),
            Some("fix-unproven"),
        ),
        (None, Some("fix-unproven")),
    ] {
        let fix = Fix { from_thread, ..fix() };
        assert_eq!(code(&outdated, &fixed(fix.clone()), None), expected);
        let elsewhere = Justification::Fixed {
            fix: Box::new(fix),
            elsewhere: Some("The check moved to the caller.".into()),
        };
        assert_eq!(code(&outdated, &elsewhere, None), None);
    }
}

#[test]
fn a_later_word_of_the_connector() {
    let with = |reply: ThreadComment| here(|thread| thread.comments.push(reply));
    for (author, when, hosted, expected) in [
        (
            connector_graphql(),
            Some(at(20, 1)),
            Some(at(20, 0)),
            Some("newer-reply"),
        ),
        (connector_graphql(), Some(at(20, 0)), Some(at(20, 0)), None),
        (connector_graphql(), Some(at(15, 0)), Some(at(20, 0)), None),
        (connector_graphql(), None, Some(at(20, 0)), Some("newer-reply")),
        (connector_graphql(), Some(at(15, 0)), None, Some("newer-reply")),
        (person(), Some(at(21, 0)), Some(at(20, 0)), None),
    ] {
        let fix = Fix {
            hosted_at: hosted,
            ..fix()
        };
        assert_eq!(code(&with(reply(author, when)), &fixed(fix), None), expected);
    }
}

#[test]
fn what_may_be_said() {
    let rebutted = |reason: &str| Justification::Rebutted {
        reason: reason.into(),
    };
    let thread = here(|_| {});
    for (reason, expected) in [
        ("The caller checks the bound.", None),
        ("Fixed.", Some("bare-reply")),
        ("fixed it, thanks!", Some("bare-reply")),
        ("", Some("bare-reply")),
        ("See what @codex review says", Some("mentions-codex")),
        ("`@Codex fix this`", Some("mentions-codex")),
        ("ask @codexed or codex", None),
    ] {
        assert_eq!(code(&thread, &rebutted(reason), None), expected, "{reason}");
        assert_eq!(code(&thread, &fixed(fix()), Some(reason)), expected, "{reason}");
    }
}

#[test]
fn the_first_hosted_evidence_of_a_commit() {
    let mut sample = Sample::new();
    assert_eq!(
        hosted_at(&sample.evidence, &sha(HEAD), &[]),
        Some(at(0, 0)),
        "its committer date, where nothing else is known"
    );
    assert_eq!(
        hosted_at(&sample.evidence, &sha(HEAD), &[at(5, 0)]),
        Some(at(5, 0))
    );
    sample.review(at(9, 0), HEAD, "");
    sample.force_push(at(3, 0), OTHER, HEAD);
    assert_eq!(
        hosted_at(&sample.evidence, &sha(HEAD), &[at(5, 0)]),
        Some(at(3, 0))
    );
    assert_eq!(hosted_at(&sample.evidence, &sha(OTHER), &[]), None);
}

#[test]
fn pushes_and_reviews_are_evidence_of_their_own_commit_only() {
    let mut sample = Sample::new();
    sample.push(at(4, 0), OTHER, HEAD);
    assert_eq!(hosted_at(&sample.evidence, &sha(HEAD), &[]), Some(at(4, 0)));
    assert_eq!(hosted_at(&sample.evidence, &sha(OTHER), &[]), None);
}

#[test]
fn a_thread_is_for_its_reviews_commit_else_the_one_it_was_placed_on() {
    let mut thread = thread();
    assert_eq!(commit_of(&thread), Some(&sha(OTHER)));
    for comment in &mut thread.comments {
        comment.review_commit = Observed::Known(sha(HEAD));
    }
    assert_eq!(commit_of(&thread), Some(&sha(HEAD)));
    for comment in &mut thread.comments {
        comment.review_commit = Observed::Missing;
    }
    assert_eq!(commit_of(&thread), Some(&sha(OTHER)));
    thread.comments.clear();
    assert_eq!(commit_of(&thread), None);
}

#[test]
fn a_reply_may_arrive_for_five_minutes() {
    assert!(may_still_arrive(at(10, 0), at(10, 0)));
    assert!(may_still_arrive(at(10, 0), at(14, 59)));
    assert!(!may_still_arrive(at(10, 0), at(15, 0)));
    assert!(!may_still_arrive(at(10, 0), at(30, 0)));
}

#[test]
fn a_reply_is_found_again_by_its_id_or_its_words() {
    let id: Nonce = "0a1b2c3d-0000-4000-8000-00000000000f".parse().expect("an id");
    let poster = Poster {
        login: "Ada".into(),
        id: 7,
    };
    let text = "The caller checks.\n\n<!-- unfinished ```";
    let mut thread = thread();
    assert!(find_reply(&thread, &id).is_none());
    thread.comments.push(ThreadComment {
        body: Observed::Known(reply_body(&id, text)),
        ..reply(person(), Some(at(20, 0)))
    });
    assert!(find_reply(&thread, &id).is_some());
    assert!(same_reply(&thread, &poster, text).is_some());
    assert!(same_reply(&thread, &poster, "Something else.").is_none());
    let stranger = Poster {
        login: "grace".into(),
        id: 8,
    };
    assert!(same_reply(&thread, &stranger, text).is_none());
    let both = reply_text(
        &Justification::Rebutted {
            reason: "One.".into(),
        },
        Some(" Two. "),
    );
    assert_eq!(both.as_deref(), Some("One.\n\nTwo."));
}
