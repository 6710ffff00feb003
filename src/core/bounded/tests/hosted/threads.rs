//! The unresolved threads: what is to be answered, what may be resolved, and what is somebody else's.

use super::{World, other_bot, time, world};
use crate::bot::identity::CONNECTOR_ID;
use crate::bounded::hosted::HostedError;
use crate::bounded::state::{Hosted, ThreadSnapshot};
use crate::evidence::account::Account;
use crate::evidence::observed::Observed;
use crate::evidence::sample::{HEAD, at, connector, person};
use crate::evidence::thread::{Thread, ThreadComment};

fn reply(account: Account) -> ThreadComment {
    ThreadComment {
        id: Observed::Known(7001),
        author: Some(account),
        created_at: Observed::Known(at(40, 0)),
        body: Observed::Known("Done.".into()),
        ..ThreadComment::default()
    }
}

/// A world with one thread of the connector, changed.
fn with(change: impl FnOnce(&mut Thread)) -> World {
    let mut world = world();
    world.sample.thread(at(30, 0), HEAD);
    let threads = world.sample.evidence.surfaces.threads.items_mut();
    change(threads.first_mut().expect("a thread"));
    world
}

/// How many threads are actionable, may be resolved, and are foreign.
fn counts(hosted: &Hosted) -> (usize, usize, u64) {
    (
        hosted.actionable_threads.len(),
        hosted.finalization_eligible_threads.len(),
        hosted.non_codex_unresolved_threads.get(),
    )
}

#[test]
fn an_unresolved_thread_is_actionable_until_it_is_answered_or_outdated() {
    type Change = fn(&mut Thread);
    let changes: [(&str, Change, (usize, usize, u64)); 11] = [
        ("as the connector opened it", |_| {}, (1, 0, 0)),
        (
            "resolved",
            |one| one.is_resolved = Observed::Known(true),
            (0, 0, 0),
        ),
        (
            "not known whether resolved",
            |one| one.is_resolved = Observed::Missing,
            (1, 0, 0),
        ),
        (
            "outdated",
            |one| one.is_outdated = Observed::Known(true),
            (0, 1, 0),
        ),
        (
            "not known whether outdated",
            |one| one.is_outdated = Observed::Missing,
            (1, 0, 0),
        ),
        (
            "answered by the request's author",
            |one| one.comments.push(reply(person())),
            (0, 1, 0),
        ),
        (
            "answered by another one",
            |one| one.comments.push(reply(other_bot())),
            (1, 0, 0),
        ),
        (
            "answered by somebody without an account",
            |one| {
                one.comments.push(ThreadComment {
                    author: None,
                    ..reply(person())
                })
            },
            (1, 0, 0),
        ),
        (
            "answered, and the connector came back",
            |one| one.comments.extend([reply(person()), reply(connector())]),
            (1, 0, 0),
        ),
        (
            "opened by another bot",
            |one| one.comments[0].author = Some(other_bot()),
            (0, 0, 1),
        ),
        (
            "opened under the connector's name by another account",
            |one| one.comments[0].author.as_mut().expect("it").id = Observed::Known(9),
            (0, 0, 1),
        ),
    ];
    for (what, change, expected) in changes {
        assert_eq!(counts(&with(change).hosted()), expected, "{what}");
    }
    // Nobody answers for a run without a request and without a user.
    let mut nobody = with(|one| {
        one.comments.push(ThreadComment {
            author: None,
            ..reply(person())
        })
    });
    nobody.checkpoint.persisted.request = None;
    nobody.sample.evidence.surfaces.viewer = Default::default();
    assert_eq!(counts(&nobody.hosted()), (1, 0, 0));
    // Without a request the user of the token answers.
    let mut report = with(|one| one.comments.push(reply(person())));
    report.checkpoint.persisted.request = None;
    assert_eq!(counts(&report.hosted()), (0, 1, 0));
}

#[test]
fn a_root_without_an_id_is_known_by_the_same_comment_on_rest() {
    let unnamed = || {
        with(|one| {
            one.comments[0].author.as_mut().expect("it").id = Observed::Missing;
        })
    };
    assert_eq!(counts(&unnamed().hosted()), (1, 0, 0));
    let mut other = unnamed();
    let comments = other.sample.evidence.surfaces.review_comments.items_mut();
    comments[0].id = Observed::Known(5);
    assert_eq!(counts(&other.hosted()), (0, 0, 1), "another comment's author");
}

fn snapshot(change: impl FnOnce(&mut Thread)) -> ThreadSnapshot {
    let mut hosted = with(change).hosted();
    hosted
        .actionable_threads
        .append(&mut hosted.finalization_eligible_threads);
    assert_eq!(hosted.actionable_threads.len(), 1);
    hosted.actionable_threads.remove(0)
}

#[test]
fn a_snapshot_changes_with_every_text_and_with_the_place() {
    let plain = snapshot(|_| {});
    assert_eq!(plain.root_author_database_id.get(), CONNECTOR_ID);
    assert_eq!(plain.id.as_str(), format!("PRRT_{}", plain.root_comment_id.get()));
    assert_eq!(plain.content_version_at, time(at(30, 0)));
    assert_eq!(snapshot(|_| {}), plain, "the same twice");

    type Change = fn(&mut Thread);
    // Whether the texts and whether the place are still the same.
    let changes: [(&str, Change, (bool, bool)); 6] = [
        (
            "text",
            |one| one.comments[0].body = Observed::Known("x".into()),
            (false, true),
        ),
        (
            "reply",
            |one| one.comments.push(reply(other_bot())),
            (false, true),
        ),
        (
            "path",
            |one| one.path = Observed::Known("src/b.rs".into()),
            (true, false),
        ),
        ("line", |one| one.line = Observed::Missing, (true, false)),
        (
            "first line",
            |one| one.original_line = Observed::Known(8),
            (true, false),
        ),
        (
            "outdated",
            |one| one.is_outdated = Observed::Known(true),
            (true, false),
        ),
    ];
    for (what, change, same) in changes {
        let changed = snapshot(change);
        assert_eq!(
            (
                changed.body_hash == plain.body_hash,
                changed.position_hash == plain.position_hash
            ),
            same,
            "{what}"
        );
    }

    let edited = snapshot(|one| {
        one.comments.push(reply(other_bot()));
        one.comments[0].last_edited_at = Observed::Known(at(45, 0));
    });
    assert_eq!(
        edited.content_version_at,
        time(at(45, 0)),
        "the newest change of any comment"
    );
    let replied = snapshot(|one| one.comments.push(reply(other_bot())));
    assert_eq!(replied.content_version_at, time(at(40, 0)));
}

#[test]
fn threads_come_by_their_ids_and_one_without_a_usable_field_gives_no_state() {
    let mut two = world();
    two.sample.thread(at(30, 0), HEAD);
    two.sample.thread(at(31, 0), HEAD);
    for thread in two.sample.evidence.surfaces.threads.items_mut() {
        let first = thread.comments[0].created_at.get() == Some(at(30, 0));
        thread.id = Observed::Known(if first { "PRRT_b" } else { "PRRT_a" }.into());
    }
    let hosted = two.hosted();
    let ids = |threads: &[ThreadSnapshot]| -> Vec<String> {
        threads
            .iter()
            .map(|thread| thread.id.as_str().to_owned())
            .collect()
    };
    assert_eq!(ids(&hosted.actionable_threads), ["PRRT_a", "PRRT_b"]);
    for thread in two.sample.evidence.surfaces.threads.items_mut() {
        thread.is_outdated = Observed::Known(true);
    }
    assert_eq!(
        ids(&two.hosted().finalization_eligible_threads),
        ["PRRT_a", "PRRT_b"]
    );

    type Change = fn(&mut Thread);
    let changes: [(&str, Change); 3] = [
        ("the time of a comment", |one| {
            one.comments[0].created_at = Observed::Missing
        }),
        ("the root comment's ID", |one| {
            one.comments[0].id = Observed::Missing
        }),
        ("the ID", |one| one.id = Observed::Missing),
    ];
    for (expected, change) in changes {
        match with(change).read() {
            Err(HostedError::Unusable { what, .. }) => assert_eq!(what, expected),
            other => panic!("{other:?}"),
        }
    }
}
