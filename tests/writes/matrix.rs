//! Every way in which the POST can end, times a crash at every step of the protocol, times what follows: a restart,
//! `--reconcile`, and one more `retry`. Never more than one trigger, never a lost intent, always the right state.
//!
//! The process is killed while the loopback GitHub holds one of its requests; its gh lives on, as after a real crash.

use std::time::{Duration, Instant};

use super::*;
use crate::github::{Hold, Match, PATIENCE, Response};

const POST: &str = "*/issues/42/comments";

/// What becomes of the one POST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Created,
    CreatedThenDropped,
    BadGatewayBefore,
    BadGatewayAfter,
    Forbidden,
    Unprocessable,
    Hang,
    Late,
}

impl Mode {
    /// Prepares it for the first POST only.
    fn prepare(self, github: &Github) {
        let fault = github.on(Match::post(POST).nth(1));
        match self {
            Self::Created => {}
            Self::CreatedThenDropped => fault.apply_then_drop(),
            Self::BadGatewayBefore => fault.bad_gateway(),
            Self::BadGatewayAfter => fault.apply_then(Response::html(502)),
            Self::Forbidden => fault.status(403, "Resource protected by organization SAML enforcement."),
            Self::Unprocessable => fault.status(422, "Validation Failed"),
            Self::Hang => fault.hang(),
            // Long enough that the first reading cannot see it, short enough for a test.
            Self::Late => fault.apply_late(Duration::from_secs(8), None),
        }
    }

    /// Whether the comment exists once the request has ended.
    fn creates(self) -> bool {
        match self {
            Self::Created | Self::CreatedThenDropped | Self::BadGatewayAfter | Self::Late => true,
            Self::BadGatewayBefore | Self::Forbidden | Self::Unprocessable | Self::Hang => false,
        }
    }

    /// Exit code and state of a command that nobody kills.
    fn outcome(self) -> (i32, &'static str) {
        match self {
            Self::Created | Self::CreatedThenDropped | Self::BadGatewayAfter => (0, "created"),
            Self::Forbidden | Self::Unprocessable => (1, "creation-failed"),
            Self::BadGatewayBefore | Self::Hang | Self::Late => (15, "reconciliation-required"),
        }
    }
}

/// Where the process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kill {
    /// Nowhere.
    Never,
    /// While it reads for the preflight: no intent yet.
    Preflight,
    /// At the reading of the head right before the POST: the intent stands, nothing was sent.
    Head,
    /// The POST stands at GitHub and nothing was done.
    BeforeEffect,
    /// The comment exists and the answer is held back.
    AfterEffect,
    /// At the first reading after the answer.
    FirstReading,
    /// At the last reading, before the outcome is recorded.
    LastReading,
}

impl Kill {
    /// The request at which the process stands when it is killed.
    fn hold(self, github: &Github, pull_reads: usize) -> Option<Hold> {
        let comments = Match::get(POST);
        Some(match self {
            Self::Never => return None,
            Self::Preflight => github.on(comments.nth(1)).hold(),
            Self::Head => github.on(Match::graphql("Pull").nth(pull_reads + 1)).hold(),
            Self::BeforeEffect => github.on(Match::post(POST).nth(1)).hold(),
            Self::AfterEffect => github.on(Match::post(POST).nth(1)).hold_answer(),
            // The preflight reads the comments twice, and so does the reading after the post.
            Self::FirstReading => github.on(comments.nth(3)).hold(),
            Self::LastReading => github.on(comments.nth(4)).hold(),
        })
    }
}

/// Waits until something holds; fails when it never does.
#[track_caller]
fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Reads of the pull request that the preflight of this world makes.
fn reads_of_a_preflight() -> usize {
    let (world, ..) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    authorized(&product, "retry", &["--dry-run"]).expect(0);
    github.log().count(&Match::graphql("Pull"))
}

fn cell(mode: Mode, kill: Kill) {
    let name = format!("{mode:?}, killed {kill:?}");
    let pull_reads = if kill == Kill::Head {
        reads_of_a_preflight()
    } else {
        0
    };
    let (world, ..) = failed();
    let github = Github::start(world);
    let product = Product::new(&github);
    let hold = kill.hold(&github, pull_reads);
    mode.prepare(&github);
    let mut arguments = vec![
        "retry",
        "42",
        "--json",
        "--color",
        "never",
        "--authorization",
        "first word",
    ];
    if mode == Mode::Hang {
        arguments.extend(["--gh-timeout", "6"]);
    }
    let running = product.command(&arguments).start();
    match hold {
        None => {
            let (code, state) = mode.outcome();
            let finished = running.finish().expect(code);
            assert_eq!(finished.json()["state"], state, "{name}");
            assert_eq!(attempts(&product), [state], "{name}");
        }
        Some(hold) => {
            hold.wait();
            running.kill();
            let killed = running.finish();
            assert_eq!(killed.signal, Some(9), "{name}: {killed}");
            let expected: &[&str] = if kill == Kill::Preflight {
                &[]
            } else {
                &["creating"]
            };
            assert_eq!(attempts(&product), expected, "{name}");
            hold.release();
        }
    }
    // What the crash left behind at GitHub comes to its end.
    if mode != Mode::Hang {
        product.assert_no_child_left();
    }
    assert!(ours(&github).len() <= 1, "{name}");

    if kill == Kill::Preflight {
        // Nothing was begun: the next call simply posts.
        authorized(&product, "retry", &[]).expect(0);
        return finish(&github, &product, &name, &["created"]);
    }
    let open = |product: &Product| {
        let last = attempts(product).pop().unwrap_or_default();
        last == "creating" || last == "reconciliation-required"
    };
    if open(&product) {
        // A restart posts nothing, whatever it is authorized for.
        let again = authorized(&product, "retry", &[]).expect(15).json();
        assert!(
            again["next"]["command"]
                .as_str()
                .is_some_and(|c| c.ends_with("retry 42 --reconcile")),
            "{name}: {again}"
        );
        let sent = !matches!(kill, Kill::Head);
        let appears = sent && mode.creates();
        if mode == Mode::Late && appears && ours(&github).is_empty() {
            let early = run(&product, "retry", &["--reconcile"]);
            // Between this reading and the check above it may have appeared.
            assert!(matches!(early.code, Some(0 | 15)), "{name}: {early}");
            wait_until("the late comment", || !ours(&github).is_empty());
        }
        if open(&product) {
            let (code, state) = if appears {
                (0, "created")
            } else {
                (15, "reconciliation-required")
            };
            let settled = run(&product, "retry", &["--reconcile"]).expect(code).json();
            assert_eq!(settled["state"], state, "{name}");
        }
        if !appears {
            assert!(open(&product), "{name}");
            age(&product, "6m");
            let settled = run(&product, "retry", &["--reconcile"]).expect(1);
            assert_eq!(settled.json()["state"], "creation-failed", "{name}");
        }
    }
    let last = attempts(&product).pop().unwrap_or_default();
    assert_eq!(last == "created", ours(&github).len() == 1, "{name}: {last}");
    if last == "created" {
        finish(&github, &product, &name, &["created"]);
    } else {
        assert_eq!(last, "creation-failed", "{name}");
        authorized(&product, "retry", &[]).expect(0);
        finish(&github, &product, &name, &["creation-failed", "created"]);
    }
}

/// The retry is bound and used up: nothing more is ever posted.
#[track_caller]
fn finish(github: &Github, product: &Product, name: &str, states: &[&str]) {
    assert_eq!(attempts(product), states, "{name}");
    let refused = authorized(product, "retry", &[]).expect(14);
    assert!(
        blockers(&refused).contains(&"lineage-exhausted".to_owned()),
        "{name}: {refused}"
    );
    let posted = ours(github);
    assert_eq!(posted.len(), 1, "{name}");
    let recorded = journal(product);
    let last = recorded["attempts"]
        .as_array()
        .and_then(|all| all.last())
        .cloned()
        .unwrap_or_default();
    assert_eq!(last["commentId"], posted[0].0, "{name}");
    assert!(
        posted[0].1.contains(last["id"].as_str().unwrap_or("no id")),
        "{name}"
    );
}

fn row(mode: Mode, kills: &[Kill]) {
    for kill in kills {
        cell(mode, *kill);
    }
}

/// Steps at which what GitHub does with the POST matters.
const AROUND_THE_POST: [Kill; 4] = [
    Kill::Never,
    Kill::BeforeEffect,
    Kill::FirstReading,
    Kill::LastReading,
];

#[test]
fn nothing_sent() {
    row(Mode::Created, &[Kill::Preflight, Kill::Head]);
}

#[test]
fn created_201() {
    row(Mode::Created, &AROUND_THE_POST);
    row(Mode::Created, &[Kill::AfterEffect]);
}

#[test]
fn created_and_the_connection_dropped() {
    row(Mode::CreatedThenDropped, &AROUND_THE_POST);
    row(Mode::CreatedThenDropped, &[Kill::AfterEffect]);
}

#[test]
fn bad_gateway_before_the_comment_exists() {
    row(Mode::BadGatewayBefore, &AROUND_THE_POST);
}

#[test]
fn bad_gateway_after_the_comment_exists() {
    row(Mode::BadGatewayAfter, &AROUND_THE_POST);
    row(Mode::BadGatewayAfter, &[Kill::AfterEffect]);
}

#[test]
fn forbidden_403() {
    row(Mode::Forbidden, &AROUND_THE_POST);
}

#[test]
fn unprocessable_422() {
    row(Mode::Unprocessable, &AROUND_THE_POST);
}

#[test]
fn no_answer_ever() {
    row(Mode::Hang, &AROUND_THE_POST);
}

#[test]
fn the_answer_is_lost_and_the_comment_appears_later() {
    row(Mode::Late, &AROUND_THE_POST);
}
