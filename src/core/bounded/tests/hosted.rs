//! The hosted half of a state: what GitHub shows, in the evaluator's words, and everything that gives no state at all.

mod responses;
mod threads;

use crate::bot::identity::CONNECTOR_ID;
use crate::bounded::hosted::{HostedError, hosted};
use crate::bounded::policy::ReactionAuthorType;
use crate::bounded::state::{Checkpoint, Hosted, PullRequestState, RecurringState};
use crate::bounded::terms::{
    BranchName, DatabaseId, FixRounds, FullName, Mode, PullRequestUrl, Sha, Timestamp,
};
use crate::bounded::{HostedError as PublicError, example};
use crate::evidence::Evidence;
use crate::evidence::account::Account;
use crate::evidence::event::{Event, EventKind};
use crate::evidence::observed::{Observed, Timestamp as Instant};
use crate::evidence::pull::PullState;
use crate::evidence::reaction::ReactionContent;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, person, sha};
use crate::evidence::surface::{Surface, SurfaceError, SurfaceErrorKind};
use crate::options::Options;

/// The run of the example's checkpoint.
const RUN: &str = "0123456789abcdef0123456789abcdef";

/// A canonical request at 10:20 by the sample's person, and the checkpoint that records it.
struct World {
    sample: Sample,
    checkpoint: Checkpoint,
    request: u64,
}

fn marked(run: &str, round: u32, head: &str) -> String {
    format!("@codex review\n\n<!-- github-codex-pr-loop-request run={run} round={round} sha={head} -->")
}

fn time(at: Instant) -> Timestamp {
    Timestamp::from_instant(at).expect("a time")
}

fn id(number: u64) -> DatabaseId {
    DatabaseId::new(number).expect("an id")
}

fn world() -> World {
    let mut sample = Sample::new();
    sample.pull().base_tip_oid = Some(sha(OTHER));
    sample.evidence.surfaces.viewer = Surface::complete(vec![person()]);
    let request = sample.comment(person(), at(20, 0), &marked(RUN, 0, HEAD));
    let RecurringState {
        schema_version,
        mut persisted,
        local,
        ..
    } = example::state(Mode::Autonomous).expect("a state");
    persisted.pull_request_url = PullRequestUrl::new("https://github.com/o/r/pull/42").expect("a URL");
    let recorded = persisted.request.as_mut().expect("a request");
    recorded.comment_id = id(request);
    recorded.author_database_id = id(7);
    recorded.created_at = time(at(20, 0));
    recorded.head_sha = Sha::new(HEAD).expect("a SHA");
    World {
        sample,
        checkpoint: Checkpoint {
            schema_version,
            persisted,
            local,
        },
        request,
    }
}

impl World {
    fn read(&self) -> Result<Hosted, HostedError> {
        hosted(&self.sample.evidence, &self.checkpoint, &Options::default())
    }

    fn hosted(&self) -> Hosted {
        self.read().expect("a state")
    }
}

/// An account of another bot than the policy's.
fn other_bot() -> Account {
    Account {
        login: Observed::Known("renovate[bot]".into()),
        kind: Observed::Known("Bot".into()),
        id: Observed::Known(29_139_614),
    }
}

#[test]
fn a_surface_that_was_not_read_to_its_end_gives_no_state() {
    fn cut<T>(surface: &mut Surface<T>) {
        *surface = std::mem::take(surface).into_incomplete(SurfaceError {
            kind: SurfaceErrorKind::Network,
            message: "the third page broke off.".to_owned(),
        });
    }
    type Cut = fn(&mut Evidence);
    let cuts: [(&str, Cut); 8] = [
        ("pull", |one| cut(&mut one.surfaces.pull)),
        ("issueComments", |one| cut(&mut one.surfaces.issue_comments)),
        ("reviews", |one| cut(&mut one.surfaces.reviews)),
        ("reviewComments", |one| cut(&mut one.surfaces.review_comments)),
        ("threads", |one| cut(&mut one.surfaces.threads)),
        ("timeline", |one| cut(&mut one.surfaces.timeline)),
        ("resolvedCommits", |one| cut(&mut one.surfaces.resolved_commits)),
        ("edits", |one| cut(&mut one.surfaces.edits)),
    ];
    let incomplete = |surface, why: &str| {
        Err(HostedError::Incomplete {
            surface,
            why: why.to_owned(),
        })
    };
    for (surface, cut) in cuts {
        let mut world = world();
        cut(&mut world.sample.evidence);
        assert_eq!(world.read(), incomplete(surface, "the third page broke off"));
    }
    let mut reactions = world();
    let read = &mut reactions.sample.evidence.surfaces.comment_reactions;
    read.insert(5, Surface::NotCollected);
    assert_eq!(
        reactions.read(),
        incomplete("commentReactions", "it was not collected")
    );
    let mut without = world();
    without.sample.evidence.surfaces.pull = Surface::complete(Vec::new());
    assert_eq!(
        without.read(),
        incomplete("pull", "the pull request is not in it")
    );
    let mut moving = world();
    moving.sample.evidence.unstable = Some("the head moved.".to_owned());
    assert_eq!(
        moving.read(),
        Err(PublicError::Unstable("the head moved".to_owned()))
    );
}

#[test]
fn the_pull_request_stands_there_as_github_shows_it() {
    let mut world = world();
    let hosted = world.hosted();
    assert_eq!(hosted.observed_at, time(at(59, 0)));
    assert_eq!(hosted.current_user_database_id, Some(id(7)));
    let pull = hosted.pull_request;
    assert_eq!(
        (pull.number.get(), pull.url.as_str(), pull.state, pull.is_draft),
        (
            42,
            "https://github.com/o/r/pull/42",
            PullRequestState::Open,
            false
        )
    );
    let repository = FullName::new("o/r").expect("a name");
    assert_eq!(
        (pull.base_repository, pull.head_repository),
        (repository.clone(), Some(repository))
    );
    let branch = |name: &str| BranchName::new(name).expect("a branch");
    assert_eq!(
        (pull.current_base_branch, pull.current_head_branch),
        (branch("main"), branch("topic"))
    );
    assert_eq!(
        (pull.current_base_sha.as_str(), pull.current_head_sha.as_str()),
        (OTHER, HEAD)
    );

    for (state, expected) in [
        (PullState::Closed, PullRequestState::Closed),
        (PullState::Merged, PullRequestState::Merged),
    ] {
        world.sample.pull().state = state;
        assert_eq!(world.hosted().pull_request.state, expected);
    }
    world.sample.evidence.surfaces.viewer = Surface::NotCollected;
    assert_eq!(
        world.hosted().current_user_database_id,
        None,
        "nobody is signed in"
    );
}

#[test]
fn a_pull_request_that_cannot_be_told_gives_no_state() {
    let unusable = |what| HostedError::Unusable {
        what,
        evidence: "the pull request".to_owned(),
    };
    type Change = fn(&mut Sample);
    let changes: [(&str, Change); 7] = [
        ("the state", |one| {
            one.pull().state = PullState::Unrecognized("LOCKED".into())
        }),
        ("the base branch's tip", |one| one.pull().base_tip_oid = None),
        ("the base branch", |one| one.pull().base_ref_name = "a b".into()),
        ("the head branch", |one| one.pull().head_ref_name = "-x".into()),
        ("the head repository", |one| {
            one.pull().head_repository = Some("o".into())
        }),
        ("the number", |one| one.pull().number = 0),
        // The address of another pull request than its number says.
        ("the address", |one| one.pull().number = 43),
    ];
    for (what, change) in changes {
        let mut world = world();
        change(&mut world.sample);
        assert_eq!(world.read(), Err(unusable(what)));
    }
    let mut other = world();
    other.checkpoint.persisted.pull_request_url =
        PullRequestUrl::new("https://github.com/o/r/pull/43").expect("a URL");
    assert_eq!(
        other.read(),
        Err(HostedError::OtherPull {
            checkpoint: "https://github.com/o/r/pull/43".to_owned(),
            evidence: "https://github.com/o/r/pull/42".to_owned(),
        })
    );
}

#[test]
fn the_newest_deletion_or_restoration_tells_whether_the_head_branch_exists() {
    let event = |kind, minute: Option<u32>| Event {
        id: "1".to_owned(),
        kind,
        created_at: minute.map(|minute| at(minute, 0)).into(),
        actor: None,
    };
    let deleted = |minute| event(EventKind::HeadDeleted, Some(minute));
    let restored = |minute| event(EventKind::HeadRestored, Some(minute));
    for (events, exists) in [
        (vec![], true),
        (vec![event(EventKind::Closed, Some(30))], true),
        (vec![deleted(30)], false),
        (vec![deleted(30), restored(31)], true),
        (vec![restored(31), deleted(30)], true),
        (vec![deleted(30), restored(31), deleted(32)], false),
        (vec![restored(30), deleted(30)], false),
        (vec![event(EventKind::HeadDeleted, None)], false),
    ] {
        let mut world = world();
        world.sample.evidence.surfaces.timeline = Surface::complete(events.clone());
        assert_eq!(
            world.hosted().pull_request.head_branch_exists,
            exists,
            "{events:?}"
        );
    }
}

#[test]
fn the_canonical_request_is_there_once_and_as_recorded() {
    let fault = |world: &World| match world.read() {
        Err(HostedError::Request { comment, fault }) => {
            let recorded = world.checkpoint.persisted.request.as_ref();
            assert_eq!(Some(comment), recorded.map(|request| request.comment_id));
            Some(fault)
        }
        Ok(_) => None,
        Err(other) => panic!("{other}"),
    };
    type Change = fn(&mut World);
    fn body(world: &mut World, text: String) {
        for comment in world.sample.evidence.surfaces.issue_comments.items_mut() {
            comment.body = Observed::Known(text.clone());
        }
    }
    const ABSENT: Option<&str> = Some("is not on the pull request");
    const AUTHOR: Option<&str> = Some("has another author than the checkpoint records");
    const TIME: Option<&str> = Some("has another time of creation than the checkpoint records");
    const MARKER: Option<&str> = Some("does not carry the marker of this run, round and SHA");
    const TWICE: Option<&str> = Some("stands there more than once for this run, round and SHA");
    let changes: [(&str, Change, Option<&str>); 13] = [
        ("nothing", |_| {}, None),
        (
            "another comment",
            |one| one.checkpoint.persisted.request.as_mut().expect("it").comment_id = id(9),
            ABSENT,
        ),
        (
            "another author",
            |one| {
                let recorded = one.checkpoint.persisted.request.as_mut();
                recorded.expect("it").author_database_id = id(8);
            },
            AUTHOR,
        ),
        (
            "no author",
            |one| {
                let comments = one.sample.evidence.surfaces.issue_comments.items_mut();
                comments.first_mut().expect("it").user = None;
            },
            AUTHOR,
        ),
        (
            "another time",
            |one| {
                one.checkpoint.persisted.request.as_mut().expect("it").created_at = time(at(20, 1));
            },
            TIME,
        ),
        ("no marker", |one| body(one, "@codex review".to_owned()), MARKER),
        (
            "another run",
            |one| body(one, marked(&"f".repeat(32), 0, HEAD)),
            MARKER,
        ),
        ("another round", |one| body(one, marked(RUN, 1, HEAD)), MARKER),
        ("another SHA", |one| body(one, marked(RUN, 0, OTHER)), MARKER),
        (
            "the stable sensor's marker",
            |one| {
                body(
                    one,
                    format!("@codex review\n\n<!-- dsh-codex-pass head={HEAD} -->"),
                )
            },
            MARKER,
        ),
        (
            "posted twice",
            |one| {
                one.sample.comment(person(), at(21, 0), &marked(RUN, 0, HEAD));
            },
            TWICE,
        ),
        (
            "copied by somebody else",
            |one| {
                one.sample.comment(other_bot(), at(21, 0), &marked(RUN, 0, HEAD));
            },
            None,
        ),
        (
            "followed by the next round's",
            |one| {
                one.sample.comment(person(), at(21, 0), &marked(RUN, 1, OTHER));
            },
            None,
        ),
    ];
    for (what, change, expected) in changes {
        let mut world = world();
        change(&mut world);
        assert_eq!(fault(&world), expected, "{what}");
    }
    let mut later = world();
    body(&mut later, marked(RUN, 1, HEAD));
    later.checkpoint.persisted.request.as_mut().expect("it").round = FixRounds::new(1).expect("a round");
    assert_eq!(fault(&later), None, "the request of a later round");
}

#[test]
fn only_the_trusted_bots_eyes_are_a_receipt_and_the_first_of_them() {
    let as_user = || Account {
        kind: Observed::Known("User".into()),
        ..connector()
    };
    let as_kind = |kind: &str| Account {
        kind: Observed::Known(kind.into()),
        ..connector()
    };
    let eyes = ReactionContent::Eyes;
    let (bot, user) = (ReactionAuthorType::Bot, ReactionAuthorType::User);
    // The reactions, and the receipt's type and minute as a rule and under a strict identity.
    for (reactions, usual, strict) in [
        (vec![], None, None),
        (
            vec![(connector(), eyes.clone(), 21)],
            Some((bot, 21)),
            Some((bot, 21)),
        ),
        (vec![(as_user(), eyes.clone(), 21)], Some((user, 21)), None),
        (vec![(as_kind("Organization"), eyes.clone(), 21)], None, None),
        (vec![(connector(), ReactionContent::PlusOne, 21)], None, None),
        (
            vec![(connector(), ReactionContent::Other("heart".into()), 21)],
            None,
            None,
        ),
        (
            vec![(other_bot(), eyes.clone(), 21), (person(), eyes.clone(), 21)],
            None,
            None,
        ),
        (
            vec![
                (other_bot(), eyes.clone(), 21),
                (connector(), eyes.clone(), 24),
                (as_user(), eyes.clone(), 23),
            ],
            Some((user, 23)),
            Some((bot, 24)),
        ),
    ] {
        let mut world = world();
        for (account, content, minute) in &reactions {
            world
                .sample
                .react(world.request, account.clone(), content.clone(), at(*minute, 0));
        }
        for (strict_identity, expected) in [(false, usual), (true, strict)] {
            let options = Options {
                strict_identity,
                ..Options::default()
            };
            let read = hosted(&world.sample.evidence, &world.checkpoint, &options).expect("a state");
            let found = read
                .receipt
                .map(|one| (one.author_database_id.get(), one.author_type, one.created_at));
            let expected = expected.map(|(kind, minute)| (CONNECTOR_ID, kind, time(at(minute, 0))));
            assert_eq!(found, expected, "{reactions:?} {strict_identity}");
        }
    }
    // Without a canonical request there is nothing to confirm.
    let mut without = world();
    without.sample.eyes(without.request, at(21, 0));
    without.checkpoint.persisted.request = None;
    assert_eq!(without.hosted().receipt, None);
}
