//! Every answer with every reading, held against the protocol's five steps written out once more.

mod model;

use chrono::TimeDelta;

use super::*;
use crate::authorization::{AuthorizationKind, Reference};
use crate::bot::triggers::{MarkedHead, form, marked_head};
use crate::evidence::name::Id;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, person, sha};
use crate::options::Options;
use crate::preflight::{Ask, preflight};

const NONCE: &str = "0a1b2c3d-0000-4000-8000-00000000000f";

fn nonce() -> Nonce {
    NONCE.parse().expect("a nonce")
}

fn authorization(kind: AuthorizationKind) -> Authorization {
    let reference: Reference = "ticket 7".parse().expect("a reference");
    Authorization { kind, reference }
}

fn permit() -> Permit {
    Permit {
        kind: AttemptKind::Retry,
        head: sha(HEAD),
        failed_run: Some(FailedRun {
            trigger_comment_id: 1,
            terminal_comment_id: 2,
        }),
        supersedes: None,
        again: None,
        poster: Poster {
            login: "ada".into(),
            id: 7,
        },
        before: Before::default(),
    }
}

fn planned() -> Planned {
    Planned::of(
        permit(),
        authorization(AuthorizationKind::Fresh),
        nonce(),
        &[],
        at(10, 0),
    )
    .expect("a recognised text")
}

fn landed(id: u64) -> Landed {
    Landed {
        comment_id: id,
        created_at: at(10, 5),
        name: EvidenceName::IssueComment(Id::Number(id)),
        url: None,
    }
}

/// Every combination of what a reading can show.
fn refreshes() -> Vec<Refresh> {
    let mut all = Vec::new();
    for gap in [None, Some("a page failed".to_owned())] {
        for head in [sha(HEAD), sha(OTHER)] {
            for ours in 0..3 {
                for foreign in 0..2 {
                    for copied in [false, true] {
                        for deleted in [false, true] {
                            all.push(Refresh {
                                gap: gap.clone(),
                                head: head.clone(),
                                ours: (0..ours).map(|n| landed(10 + n)).collect(),
                                foreign: (0..foreign).map(|n| landed(20 + n)).collect(),
                                copies: landed_names(copied),
                                deleted,
                            });
                        }
                    }
                }
            }
        }
    }
    all
}

fn landed_names(copied: bool) -> Vec<EvidenceName> {
    if copied { vec![landed(30).name] } else { Vec::new() }
}

fn answers() -> [Answer; 3] {
    [
        Answer::Accepted,
        Answer::Rejected {
            message: "HTTP 422".into(),
        },
        Answer::Unknown {
            message: "HTTP 502".into(),
        },
    ]
}

fn post() -> Post {
    planned()
        .with_head(&sha(HEAD), at(10, 1))
        .expect("the head stands")
}

fn assert_allowed(from: RetryTransitionState, to: RetryTransitionState) {
    assert!(TRANSITIONS.contains(&(from, to)), "{from:?} -> {to:?}");
}

#[test]
fn every_answer_with_every_reading_gives_the_state_of_step_five() {
    for answer in answers() {
        for refresh in refreshes() {
            let settled = post().sent(answer.clone()).settle(&refresh, at(10, 9));
            let whole = refresh.gap.is_none();
            let alone = refresh.foreign.is_empty();
            let expected = if whole && refresh.ours.len() == 1 && alone && refresh.head == sha(HEAD) {
                RetryTransitionState::Created
            } else if whole
                && refresh.ours.is_empty()
                && alone
                && refresh.copies.is_empty()
                && !refresh.deleted
                && matches!(answer, Answer::Rejected { .. })
            {
                RetryTransitionState::CreationFailed
            } else {
                RetryTransitionState::ReconciliationRequired
            };
            assert_eq!(settled.state.word(), expected, "{answer:?} {refresh:?}");
            assert_allowed(RetryTransitionState::Creating, expected);
            if let AttemptState::Created { comment_id, .. } = settled.state {
                assert_eq!(comment_id, 10);
            }
        }
    }
}

#[test]
fn every_reconciliation_binds_by_nonce_or_proves_absence_or_stays() {
    let fresh = authorization(AuthorizationKind::Fresh);
    let standing = authorization(AuthorizationKind::Standing);
    let creating = planned().attempt().clone();
    let required = Attempt {
        state: AttemptState::ReconciliationRequired {
            at: at(10, 9),
            because: "x".into(),
        },
        ..creating.clone()
    };
    for attempt in [creating, required] {
        for word in [None, Some(&fresh), Some(&standing)] {
            for minutes in [-1, 0, 4, 5, 600] {
                for refresh in refreshes() {
                    let now = attempt.started_at + TimeDelta::minutes(minutes);
                    let open = Open::of(&attempt).expect("open");
                    let reconciled = open.reconcile(&refresh, word, now);
                    let whole = refresh.gap.is_none();
                    let absent = whole && refresh.ours.is_empty() && refresh.copies.is_empty();
                    let deletion_settled = !refresh.deleted || word == Some(&fresh);
                    let expected = if whole && refresh.ours.len() == 1 {
                        RetryTransitionState::Created
                    } else if absent && minutes >= 5 && deletion_settled {
                        RetryTransitionState::CreationFailed
                    } else {
                        RetryTransitionState::ReconciliationRequired
                    };
                    assert_eq!(
                        reconciled.attempt.state.word(),
                        expected,
                        "{minutes} {word:?} {refresh:?}"
                    );
                    assert_eq!(reconciled.overlaps, refresh.foreign);
                    assert_eq!(reconciled.head_moved, refresh.head == sha(OTHER));
                    if attempt.state.word() != RetryTransitionState::Creating
                        || expected != RetryTransitionState::Creating
                    {
                        assert_allowed(attempt.state.word(), expected);
                    }
                }
            }
        }
    }
}

#[test]
fn a_settled_attempt_is_never_opened_again() {
    let attempt = planned().attempt().clone();
    for (state, open) in [
        (AttemptState::Creating, true),
        (
            AttemptState::ReconciliationRequired {
                at: at(1, 0),
                because: String::new(),
            },
            true,
        ),
        (
            AttemptState::Created {
                at: at(1, 0),
                comment_id: 1,
                created_at: at(1, 0),
            },
            false,
        ),
        (
            AttemptState::CreationFailed {
                at: at(1, 0),
                because: String::new(),
            },
            false,
        ),
        (
            AttemptState::NotRequested {
                at: at(1, 0),
                because: String::new(),
            },
            false,
        ),
    ] {
        let attempt = Attempt {
            state,
            ..attempt.clone()
        };
        assert_eq!(Open::of(&attempt).is_some(), open, "{:?}", attempt.state);
    }
}

#[test]
fn a_moved_head_takes_the_intent_back_before_anything_is_sent() {
    let withdrawn = planned()
        .with_head(&sha(OTHER), at(10, 1))
        .expect_err("another head gives no post");
    assert_eq!(withdrawn.state.word(), RetryTransitionState::NotRequested);
    assert_allowed(RetryTransitionState::Creating, RetryTransitionState::NotRequested);
}

#[test]
fn the_text_is_exactly_the_line_and_its_markers() {
    let run: LoopRun = "0123456789abcdef0123456789abcdef".parse().expect("a run");
    let extra = [ExtraMarker::Dsh, ExtraMarker::Loop { run, round: 3 }];
    let permit = Permit {
        supersedes: Some(Superseded::Comment(77)),
        ..permit()
    };
    assert_eq!(
        permit.body(&nonce(), &extra),
        format!(
            "@codex review\n\n<!-- codex-loop: head={HEAD} id={NONCE} supersedes=77 -->\n<!-- dsh-review-head: {HEAD} \
             -->\n<!-- github-codex-pr-loop-request run=0123456789abcdef0123456789abcdef round=3 sha={HEAD} -->"
        )
    );
    let body = permit.body(&nonce(), &extra);
    assert_eq!(form(&body), Some(Form::Marked));
    assert_eq!(marked_head(&body), MarkedHead::One(sha(HEAD)));
    let reaction = Permit {
        supersedes: Some(Superseded::Reaction(9)),
        ..permit
    };
    assert!(
        reaction
            .body(&nonce(), &[])
            .contains(" supersedes=reaction:9 -->")
    );
    for bad in [
        "",
        "0A1B2C3D-0000-4000-8000-00000000000F",
        "0a1b2c3d00004000800000000000000f",
    ] {
        assert!(bad.parse::<Nonce>().is_err(), "{bad}");
    }
    for bad in ["0123456789ABCDEF0123456789abcdef", "0123"] {
        assert!(bad.parse::<LoopRun>().is_err(), "{bad}");
    }
}

#[test]
fn an_attempt_keeps_its_state_through_the_journal_text() {
    for state in [
        AttemptState::Creating,
        AttemptState::Created {
            at: at(1, 0),
            comment_id: 5_000_000_001,
            created_at: at(1, 0),
        },
        AttemptState::ReconciliationRequired {
            at: at(1, 0),
            because: "x".into(),
        },
    ] {
        let attempt = Attempt {
            state,
            ..planned().attempt().clone()
        };
        let text = serde_json::to_value(&attempt).expect("written");
        assert_eq!(text["state"], attempt.state.word().as_str());
        assert_eq!(serde_json::from_value::<Attempt>(text).expect("read"), attempt);
    }
}

#[test]
fn a_state_tells_why_where_that_is_recorded_and_can_forget_it() {
    let because = "GitHub refused it.".to_owned();
    let created = AttemptState::Created {
        at: at(1, 0),
        comment_id: 5,
        created_at: at(1, 0),
    };
    for (mut state, why) in [
        (AttemptState::Creating, None),
        (created, None),
        (
            AttemptState::NotRequested {
                at: at(1, 0),
                because: because.clone(),
            },
            Some(because.as_str()),
        ),
        (
            AttemptState::CreationFailed {
                at: at(1, 0),
                because: because.clone(),
            },
            Some(because.as_str()),
        ),
        (
            AttemptState::ReconciliationRequired {
                at: at(1, 0),
                because: because.clone(),
            },
            Some(because.as_str()),
        ),
    ] {
        let word = state.word();
        assert_eq!(state.because(), why);
        state.forget_why();
        assert_eq!(state.because().unwrap_or(""), "");
        assert_eq!(state.word(), word);
    }
}

#[test]
fn an_unsettled_post_says_what_github_answered_and_what_stands_there() {
    let words = |answer: &Answer| match answer {
        Answer::Accepted => "GitHub accepted the comment.",
        Answer::Rejected { .. } => "GitHub refused the comment (HTTP 422).",
        Answer::Unknown { .. } => "Whether GitHub took the comment is not known (HTTP 502).",
    };
    let shown = |ours: u64, foreign: u64, head: &str| Refresh {
        gap: None,
        head: sha(head),
        ours: (0..ours).map(|n| landed(10 + n)).collect(),
        foreign: (0..foreign).map(|n| landed(20 + n)).collect(),
        copies: Vec::new(),
        deleted: false,
    };
    let moved = format!(
        "The head moved to {} after the trigger was posted.",
        sha(OTHER).short()
    );
    for answer in answers() {
        let unsettled = post()
            .sent(answer.clone())
            .unsettled("The timeline could not be read.", at(10, 9));
        assert_eq!(
            unsettled.state.word(),
            RetryTransitionState::ReconciliationRequired
        );
        assert_eq!(
            unsettled.state.because(),
            Some(format!("{} The timeline could not be read.", words(&answer)).as_str())
        );
        for (refresh, why) in [
            (shown(1, 0, OTHER), moved.as_str()),
            (
                shown(1, 2, HEAD),
                "Another trigger appeared beside it: issue-comment:20, issue-comment:21.",
            ),
            (shown(2, 0, HEAD), "It stands there 2 times."),
            (
                shown(0, 1, HEAD),
                "Another trigger appeared, and ours is not there: issue-comment:20.",
            ),
        ] {
            let settled = post().sent(answer.clone()).settle(&refresh, at(10, 9));
            assert_eq!(
                settled.state.because(),
                Some(format!("{} {why}", words(&answer)).as_str())
            );
        }
    }
}

#[test]
fn what_is_sent_is_the_recorded_text_and_is_described_by_kind_time_and_head() {
    let attempt = planned().attempt().clone();
    assert_eq!(post().body(), attempt.body);
    assert_eq!(
        describe(&attempt),
        format!("the retry of 2026-10-01T10:10:00Z for {}", sha(HEAD).short())
    );
}

#[test]
fn what_stood_before_is_every_trigger_and_every_deletion() {
    use crate::evidence::event::{Event, EventKind};
    use crate::evidence::observed::Observed;
    use crate::evidence::surface::Surface;
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(5, 0));
    sample.comment(person(), at(6, 0), "Thanks.");
    let event = |id: &str, kind| Event {
        id: id.to_owned(),
        kind,
        created_at: Observed::Known(at(7, 0)),
        actor: Some(person()),
    };
    sample.evidence.surfaces.timeline = Surface::complete(vec![
        event("CDE_1", EventKind::CommentDeleted { author: None }),
        event("BRC_1", EventKind::BaseChanged),
    ]);
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
    let before = Before::of(&run);
    assert_eq!(before.triggers, [trigger]);
    assert_eq!(before.deletions, ["CDE_1"]);
    // Only a deletion that is not among them happened since.
    assert!(!shown(&sample, before).deleted);
    assert!(shown(&sample, Before::default()).deleted);
}

/// Evidence after an attempt that began at minute 10.
fn shown(sample: &Sample, before: Before) -> Refresh {
    let options = Options::default();
    let run = Run::of(&sample.evidence, &options).expect("the pull request was read");
    let attempt = Attempt {
        before,
        ..planned().attempt().clone()
    };
    Refresh::of(&run, &attempt)
}

#[test]
fn ours_is_the_posters_comment_with_the_nonce_and_everything_else_new_is_foreign() {
    let mut sample = Sample::new();
    let old = sample.trigger(at(5, 0));
    let before = Before {
        triggers: vec![old],
        deletions: Vec::new(),
    };
    let absent = shown(&sample, before.clone());
    assert_eq!(
        (absent.ours.len(), absent.foreign.len(), absent.gap),
        (0, 0, None)
    );
    let body = planned().attempt().body.clone();
    let ours = sample.comment(person(), at(10, 5), &body);
    let seen = shown(&sample, before.clone());
    assert_eq!(seen.ours.first().map(|one| one.comment_id), Some(ours));
    assert!(seen.foreign.is_empty());
    // Another account copies the marker; another asks in its own words.
    let mut stranger = person();
    stranger.login = crate::evidence::observed::Observed::Known("mallory".into());
    let copy = sample.comment(stranger.clone(), at(11, 0), &body);
    let other = sample.comment(stranger, at(12, 0), "@codex review please");
    let seen = shown(&sample, before.clone());
    assert_eq!((seen.ours.len(), seen.copies.len()), (1, 1));
    let foreign: Vec<u64> = seen.foreign.iter().map(|one| one.comment_id).collect();
    assert_eq!(foreign, [copy, other]);
    // A list that was not read to its end proves no absence.
    let surface = std::mem::take(&mut sample.evidence.surfaces.issue_comments);
    sample.evidence.surfaces.issue_comments =
        surface.into_incomplete(crate::evidence::surface::SurfaceError {
            kind: crate::evidence::surface::SurfaceErrorKind::Incomplete,
            message: "page 2 is missing.".into(),
        });
    assert!(
        shown(&sample, before)
            .gap
            .is_some_and(|gap| gap.contains("page 2"))
    );
}

#[test]
fn only_a_preflight_without_blockers_gives_a_permit() {
    let options = Options::default();
    let mut sample = Sample::new();
    sample.evidence.surfaces.viewer = crate::evidence::surface::Surface::complete(vec![person()]);
    let run = Run::of(&sample.evidence, &options).expect("read");
    let allowed = preflight(&run, AttemptKind::Request, &Ask::default());
    assert_eq!(allowed.blockers, []);
    assert_eq!(allowed.permit().map(|permit| permit.head), Some(sha(HEAD)));
    sample.trigger(at(10, 0));
    let run = Run::of(&sample.evidence, &options).expect("read");
    assert!(
        preflight(&run, AttemptKind::Request, &Ask::default())
            .permit()
            .is_none()
    );
}
