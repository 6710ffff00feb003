//! What one item of the evidence is read as, with the nearest item that is read as something else.

use super::*;
use crate::evidence::account::Account;
use crate::evidence::pull::ResolvedCommit;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, connector_graphql, person, sha};
use crate::evidence::surface::Surface;
use crate::evidence::thread::ThreadComment;

const CLEAN_REVIEW: &str = "### 💡 Codex Review\n\nDidn't find any major issues.";

fn read<T>(sample: &Sample, look: impl FnOnce(&Reading<'_>) -> T) -> T {
    let options = Options::default();
    look(&Reading::of(&sample.evidence, &options).expect("the pull request was read"))
}

fn short() -> &'static str {
    HEAD.get(..10).expect("ten digits")
}

fn of_kind(kind: &str) -> Account {
    Account {
        kind: Observed::Known(kind.into()),
        ..person()
    }
}

#[test]
fn only_a_person_who_belongs_to_the_repository_records_a_disposition() {
    let marker = "Rebutted.\n\n<!-- codex-loop: handled review-body:9 outcome=rebutted id=01234567-89ab-4def-8123-456789abcdef -->";
    for (author, association, records) in [
        (Some(person()), "OWNER", true),
        (Some(person()), "MEMBER", true),
        (Some(person()), "COLLABORATOR", true),
        (Some(person()), "CONTRIBUTOR", false),
        (Some(person()), "NONE", false),
        (Some(of_kind("Bot")), "OWNER", false),
        (Some(connector()), "OWNER", false),
        (None, "OWNER", false),
    ] {
        let mut sample = Sample::new();
        sample.comment(person(), at(12, 0), marker);
        for comment in sample.evidence.surfaces.issue_comments.items_mut() {
            comment.user = author.clone();
            comment.author_association = Observed::Known(association.into());
        }
        let keys = read(&sample, |reading| {
            let handled = reading.comments.iter().flat_map(|one| &one.handled);
            handled.map(|marker| marker.key.clone()).collect::<Vec<_>>()
        });
        let expected: &[&str] = if records { &["review-body:9"] } else { &[] };
        assert_eq!(keys, expected, "{author:?} {association}");
    }
}

#[test]
fn a_reply_without_an_author_is_doubtful_unless_rest_says_that_another_one_wrote_it() {
    for (graphql, rest, doubtful) in [
        (Some(person()), Some(person()), false),
        (Some(connector_graphql()), Some(connector()), false),
        (None, Some(person()), false),
        (None, Some(connector()), true),
        (None, None, true),
    ] {
        let mut sample = Sample::new();
        sample.thread(at(12, 0), HEAD);
        for thread in sample.evidence.surfaces.threads.items_mut() {
            thread.comments.push(ThreadComment {
                id: Observed::Known(901),
                author: graphql.clone(),
                ..ThreadComment::default()
            });
        }
        let mut comments = sample.evidence.surfaces.review_comments.items().to_vec();
        let mut reply = comments.first().expect("the root").clone();
        reply.id = Observed::Known(901);
        reply.in_reply_to_id = Observed::Known(1);
        reply.user = rest.clone();
        comments.push(reply);
        sample.evidence.surfaces.review_comments = Surface::complete(comments);
        let found = read(&sample, |reading| {
            reading.threads.first().map(|thread| thread.any_doubtful)
        });
        assert_eq!(found, Some(doubtful), "{graphql:?} {rest:?}");
    }
}

#[test]
fn only_the_connectors_threads_and_reviews_must_have_their_time_and_id() {
    type Damage = fn(&mut Sample);
    let intact: Damage = |_| {};
    let threads: [(Damage, bool); 3] = [
        (intact, false),
        (
            |sample| {
                for thread in sample.evidence.surfaces.threads.items_mut() {
                    thread.id = Observed::Missing;
                }
            },
            true,
        ),
        (
            |sample| {
                let threads = sample.evidence.surfaces.threads.items_mut();
                for root in threads.iter_mut().flat_map(|one| &mut one.comments) {
                    root.created_at = Observed::Missing;
                }
            },
            true,
        ),
    ];
    for (case, (damage, broken)) in threads.into_iter().enumerate() {
        for (author, connectors) in [(connector_graphql(), true), (person(), false)] {
            let mut sample = Sample::new();
            sample.thread(at(12, 0), HEAD);
            damage(&mut sample);
            let threads = sample.evidence.surfaces.threads.items_mut();
            for root in threads.iter_mut().flat_map(|one| &mut one.comments) {
                root.author = Some(author.clone());
            }
            let told = read(&sample, |reading| !reading.malformed.is_empty());
            assert_eq!(told, broken && connectors, "{case} {author:?}");
        }
    }
    let reviews: [(Damage, bool); 4] = [
        (intact, false),
        (
            |sample| {
                for review in sample.evidence.surfaces.reviews.items_mut() {
                    review.submitted_at = Observed::Missing;
                }
            },
            true,
        ),
        (
            |sample| {
                for review in sample.evidence.surfaces.reviews.items_mut() {
                    review.id = Observed::Missing;
                }
            },
            true,
        ),
        (
            |sample| {
                for review in sample.evidence.surfaces.reviews.items_mut() {
                    review.body = Observed::Malformed("7".into());
                }
            },
            true,
        ),
    ];
    for (case, (damage, broken)) in reviews.into_iter().enumerate() {
        for (author, connectors) in [(Some(connector()), true), (None, false)] {
            let mut sample = Sample::new();
            sample.review(at(12, 0), HEAD, CLEAN_REVIEW);
            damage(&mut sample);
            for review in sample.evidence.surfaces.reviews.items_mut() {
                review.user = author.clone();
            }
            let told = read(&sample, |reading| !reading.malformed.is_empty());
            assert_eq!(told, broken && connectors, "{case} {author:?}");
        }
    }
}

#[test]
fn a_review_counts_its_inline_comments_and_of_them_the_connectors_own_roots() {
    // The author of the thread's first comment, whether a reply by the connector follows, and whether REST shows them.
    for (root, reply, rest, expected) in [
        (connector_graphql(), false, true, (1, 1)),
        (connector_graphql(), false, false, (1, 1)),
        (connector_graphql(), true, false, (1, 2)),
        (person(), false, false, (0, 1)),
        (person(), true, false, (0, 2)),
    ] {
        let mut sample = Sample::new();
        let review = sample.review(at(12, 0), HEAD, "");
        sample.thread_of(review, at(12, 0), HEAD);
        for thread in sample.evidence.surfaces.threads.items_mut() {
            for comment in &mut thread.comments {
                comment.author = Some(root.clone());
            }
            if reply {
                thread.comments.push(ThreadComment {
                    id: Observed::Known(901),
                    author: Some(connector_graphql()),
                    review_id: Observed::Known(review),
                    ..ThreadComment::default()
                });
            }
        }
        if !rest {
            sample.evidence.surfaces.review_comments = Surface::complete(Vec::new());
        }
        let found = read(&sample, |reading| {
            reading.reviews.first().map(|one| (one.roots, one.inline))
        });
        assert_eq!(found, Some(expected), "{root:?} {reply} {rest}");
    }
}

#[test]
fn a_review_is_for_the_commit_that_it_and_its_label_agree_on() {
    let short_other: String = OTHER.chars().take(10).collect();
    for (commit, label, expected) in [
        (HEAD, None, NamedCommit::Head),
        (OTHER, None, NamedCommit::Other(OTHER.into())),
        (HEAD, Some(short()), NamedCommit::Head),
        (
            HEAD,
            Some(short_other.as_str()),
            NamedCommit::Ambiguous(short_other.clone()),
        ),
        (OTHER, Some(short()), NamedCommit::Ambiguous(short().into())),
        (
            OTHER,
            Some(short_other.as_str()),
            NamedCommit::Other(OTHER.into()),
        ),
    ] {
        let label = label.map_or(String::new(), |label| {
            format!("\n\n**Reviewed commit:** `{label}`")
        });
        let mut sample = Sample::new();
        sample.review(at(12, 0), commit, &format!("{CLEAN_REVIEW}{label}"));
        let found = read(&sample, |reading| {
            reading.reviews.first().map(|one| one.commit.clone())
        });
        assert_eq!(found, Some(expected), "{commit} {label:?}");
    }
}

#[test]
fn a_short_commit_is_the_heads_only_when_github_says_so() {
    for (answer, expected) in [
        (Some(Some(HEAD)), NamedCommit::Head),
        (Some(Some(OTHER)), NamedCommit::Other(OTHER.into())),
        (Some(None), NamedCommit::Unresolved(short().into())),
        (None, NamedCommit::Unresolved(short().into())),
    ] {
        let mut sample = Sample::new();
        let answer = answer.map(|oid| ResolvedCommit {
            prefix: short().into(),
            oid: oid.map(sha),
        });
        sample.evidence.surfaces.resolved_commits = Surface::complete(answer.clone().into_iter().collect());
        let found = read(&sample, |reading| reading.resolve(short()));
        assert_eq!(found, expected, "{answer:?}");
    }
}

#[test]
fn an_edit_is_told_by_its_time_or_by_its_editor() {
    let when = Observed::Known(at(50, 0));
    for (edited, editor, expected) in [
        (Observed::Missing, None, EditState::Unedited),
        (Observed::Missing, Some(person()), EditState::ByOther),
        (
            Observed::Missing,
            Some(connector_graphql()),
            EditState::ByConnector,
        ),
        (when.clone(), None, EditState::ByOther),
        (when.clone(), Some(person()), EditState::ByOther),
        (when, Some(connector_graphql()), EditState::ByConnector),
    ] {
        let mut sample = Sample::new();
        sample.clean_comment(at(12, 0), short());
        for edit in sample.evidence.surfaces.edits.items_mut() {
            edit.last_edited_at = edited.clone();
            edit.editor = editor.clone();
        }
        let found = read(&sample, |reading| {
            reading
                .comments
                .first()
                .map(|one| reading.comment_edited(one.comment))
        });
        assert_eq!(found, Some(expected), "{edited:?} {editor:?}");
    }
}

#[test]
fn a_trigger_whose_edits_were_not_looked_up_is_unedited_when_its_last_change_is_its_creation() {
    let created = Observed::Known(at(10, 0));
    for (looked_up, updated, expected) in [
        (false, created.clone(), EditState::Unedited),
        (false, Observed::Known(at(10, 1)), EditState::Unknown),
        (false, Observed::Missing, EditState::Unknown),
        // What was looked up counts, whatever REST's time says.
        (true, created, EditState::ByOther),
    ] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.edited(trigger, person());
        if !looked_up {
            sample.evidence.surfaces.edits = Surface::complete(Vec::new());
        }
        for comment in sample.evidence.surfaces.issue_comments.items_mut() {
            comment.updated_at = updated.clone();
        }
        let found = read(&sample, |reading| {
            reading
                .comments
                .first()
                .map(|one| reading.trigger_edited(one.comment))
        });
        assert_eq!(found, Some(expected), "{looked_up} {updated:?}");
    }
}

#[test]
fn a_judgement_that_decides_nothing_is_told() {
    let unclear = "Codex Review: I went through the diff twice.";
    let mut sample = Sample::new();
    let comment = sample.comment(connector(), at(12, 0), unclear);
    let judgement = |key: String, body: &str| Judgement {
        key,
        verdict: JudgedAs::NoFindings,
        body_sha256: sha256_hex(body.as_bytes()),
    };
    for (key, body, used) in [
        (format!("issue-comment:{comment}"), unclear, true),
        (format!("issue-comment:{comment}"), "Another body.", false),
        ("issue-comment:1".to_owned(), unclear, false),
    ] {
        let options = Options {
            judgements: vec![judgement(key.clone(), body)],
            ..Options::default()
        };
        let reading = Reading::of(&sample.evidence, &options).expect("the pull request was read");
        let unused: Vec<_> = reading.unused_judgements().map(|one| &one.key).collect();
        let expected: &[&String] = if used { &[] } else { &[&key] };
        assert_eq!(unused, expected, "{key} {body:?}");
    }
}
