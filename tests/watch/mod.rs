//! `watch`: it reads until the verdict is terminal, says what it sees, and never posts.

use std::time::Duration;

use serde_json::Value;

use crate::github::{CommentId, Github, Match, PullHandle, World, ago, connector, finding, now};
use crate::product::{Command, Product, Run, Running};

/// A pull request that was opened an hour ago, with a trigger that the connector acknowledged.
struct Case {
    github: Github,
    product: Product,
}

impl Case {
    fn new(happened: impl FnOnce(&mut PullHandle<'_>)) -> Self {
        let mut world = World::opened(ago("1h"));
        happened(&mut world.pull(42));
        let github = Github::start(world);
        Self {
            product: Product::new(&github),
            github,
        }
    }

    fn acknowledged() -> (Self, CommentId) {
        let mut trigger = CommentId(0);
        let case = Self::new(|pull| {
            trigger = pull.person_comment("@codex review", ago("5m"));
            pull.react(trigger, connector(), "eyes", ago("291s"));
        });
        (case, trigger)
    }

    /// A watch that reads every second and waits no grace, unless told otherwise.
    fn watch(&self, arguments: &[&str]) -> Command<'_> {
        let mut all = vec!["watch", "42"];
        for usual in [["--interval", "1s"], ["--grace", "0"]] {
            if !arguments.contains(&usual[0]) {
                all.extend(usual);
            }
        }
        all.extend(arguments);
        self.product.command(&all)
    }

    fn then<T>(&self, happens: impl FnOnce(&mut PullHandle<'_>) -> T) -> T {
        self.github.change(|world| happens(&mut world.pull(42)))
    }

    /// Nothing was posted and nothing still runs.
    fn assert_only_read(&self) {
        let log = self.github.log();
        assert!(log.writes().is_empty(), "{}", log.lines());
        self.product.assert_no_child_left();
    }
}

fn late_finding(pull: &mut PullHandle<'_>) {
    let head = pull.head();
    pull.thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        now(),
    );
}

/// The JSON documents of a watch, one a line.
#[track_caller]
fn documents(run: &Run) -> Vec<Value> {
    let parse = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("`{line}` is no JSON ({error}):\n{run}"))
    };
    run.stdout.lines().map(parse).collect()
}

fn next(running: &mut Running) -> Value {
    let line = running.line();
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("`{line}` is no JSON ({error})"))
}

#[test]
fn acknowledged_then_findings() {
    let (case, _) = Case::acknowledged();
    let mut running = case.watch(&[]).start();
    let first = running.line();
    let parts: Vec<&str> = first.split('\t').collect();
    assert_eq!(parts[1], "in-progress", "{first}");
    case.then(late_finding);
    let run = running.finish().expect(10);
    let last = run.stdout.lines().last().expect("a line");
    assert!(last.contains("\tfindings\tgate blocking\t"), "{run}");
    assert_eq!(run.stdout.lines().count(), 2, "one line a change:\n{run}");
    case.assert_only_read();
}

#[test]
fn json_lines_have_the_schema_and_the_last_one_says_why_it_ended() {
    let (case, trigger) = Case::acknowledged();
    let mut running = case.watch(&["--json"]).start();
    let first = next(&mut running);
    assert_eq!(first["schema"], "codex-loop.watch/1");
    assert_eq!(first["event"], "change");
    assert_eq!(first["verdict"]["state"], "in-progress");
    assert_eq!(first["acknowledgedAfterSeconds"], 9);
    assert_eq!(first["pollAfterSeconds"], 1);
    assert!(first["ended"].is_null());
    case.then(|pull| pull.react(trigger, connector(), "+1", now()));
    let run = running.finish().expect(0);
    let all = documents(&run);
    let last = all.last().expect("a document");
    assert_eq!(last["ended"], "terminal");
    assert_eq!(last["verdict"]["state"], "clean");
    assert_eq!(last["next"]["action"], "none");
    all.iter()
        .for_each(|document| case.product.assert_fits_schema(document));
    case.assert_only_read();
}

#[test]
fn clean_waits_the_grace_in_which_a_late_finding_flips_it() {
    let (case, trigger) = Case::acknowledged();
    let mut running = case
        .product
        .command(&["watch", "42", "--json", "--interval", "1s", "--grace", "20s"])
        .within(Duration::from_secs(90))
        .start();
    next(&mut running);
    case.then(|pull| pull.react(trigger, connector(), "+1", now()));
    let settling = next(&mut running);
    assert_eq!(settling["event"], "settling", "{settling}");
    assert!(
        settling["verdict"].is_null() && settling["gate"].is_null(),
        "{settling}"
    );
    case.then(late_finding);
    let run = running.finish().expect(10);
    assert!(!run.stdout.contains("\"clean\""), "{run}");
    case.assert_only_read();

    let (case, trigger) = Case::acknowledged();
    let mut running = case.watch(&["--json", "--grace", "3s"]).start();
    next(&mut running);
    case.then(|pull| pull.react(trigger, connector(), "+1", now()));
    let settling = next(&mut running);
    assert_eq!(settling["event"], "settling", "{settling}");
    let run = running.finish().expect(0);
    let all = documents(&run);
    let seconds = |document: &Value| document["elapsedSeconds"].as_i64().expect("a number");
    let last = all.last().expect("a document");
    assert!(seconds(last) - seconds(&settling) >= 2, "{run}");
}

#[test]
fn a_push_meanwhile_is_stale_unless_an_automatic_review_is_awaited() {
    let (case, _) = Case::acknowledged();
    let mut running = case.watch(&[]).start();
    running.line();
    case.then(|pull| pull.push("second", now()));
    let run = running.finish().expect(12);
    assert!(run.stdout.contains("\tstale\t"), "{run}");

    let (case, _) = Case::acknowledged();
    let mut running = case.watch(&["--wait-automatic", "--json"]).start();
    next(&mut running);
    case.then(|pull| pull.push("second", now()));
    let stale = next(&mut running);
    assert_eq!(stale["verdict"]["state"], "stale");
    assert!(stale["ended"].is_null());
    case.then(late_finding);
    running.finish().expect(10);

    // Nobody asked, and an automatic review comes.
    let case = Case::new(|_| {});
    case.watch(&[]).run().expect(13);
    let mut running = case.watch(&["--wait-automatic", "--json"]).start();
    assert_eq!(next(&mut running)["verdict"]["reasons"][0]["code"], "no-trigger");
    case.then(|pull| pull.react_body(connector(), "+1", now()));
    running.finish().expect(0);
    case.assert_only_read();
}

#[test]
fn until_gate_ends_with_the_gates_exit_code_and_until_change_at_the_first_change() {
    let (case, trigger) = Case::acknowledged();
    let mut running = case.watch(&["--until", "gate", "--json"]).start();
    next(&mut running);
    case.then(|pull| {
        let head = pull.head();
        let suite = pull.suite(&head, ago("50m"));
        pull.check_in(suite, "slow", None, ago("50m"), now());
        pull.react(trigger, connector(), "+1", now());
    });
    let run = running.finish().expect(8);
    let last = documents(&run).pop().expect("a document");
    assert_eq!(
        (&last["ended"], &last["gate"]),
        (&"gate".into(), &"approved".into()),
        "{run}"
    );
    assert_eq!(last["verdict"]["state"], "clean");

    let (case, _) = Case::acknowledged();
    let mut running = case.watch(&["--until", "change", "--json"]).start();
    next(&mut running);
    case.then(|pull| pull.status("deploy", "pending", now()));
    let run = running.finish().expect(8);
    let last = documents(&run).pop().expect("a document");
    assert_eq!(
        (&last["ended"], &last["tests"]),
        (&"change".into(), &"pending".into()),
        "{run}"
    );
    case.assert_only_read();
}

#[test]
fn a_rate_limit_is_waited_out_and_said() {
    let (case, trigger) = Case::acknowledged();
    case.then(|pull| pull.react(trigger, connector(), "+1", now()));
    let reset = now().timestamp() + 6;
    case.github.change(|world| {
        world.rate.reset = reset;
        world.rate.remaining = 0;
    });
    case.github
        .on(Match::get("*/issues/42/comments").times(1))
        .rate_limited(reset);
    let run = case.watch(&["--json"]).run().expect(0);
    let all = documents(&run);
    assert_eq!(all[0]["event"], "rate-limited", "{run}");
    case.product.assert_fits_schema(&all[0]);
    let until = chrono::DateTime::from_timestamp(reset, 0).expect("a time");
    let message = all[0]["message"].as_str().expect("a sentence");
    assert!(message.contains(&crate::github::iso(until)), "{run}");
    assert!(
        all[0]["pollAfterSeconds"].as_i64().expect("a number") >= 1,
        "{run}"
    );
    assert!(now() > until, "it came back before the reset");
    assert_eq!(all.last().expect("a document")["verdict"]["state"], "clean");
    case.assert_only_read();
}

#[test]
fn three_failures_in_a_row_end_it_and_fewer_do_not() {
    let (case, _) = Case::acknowledged();
    case.github.on(Match::graphql("Pull")).bad_gateway();
    let run = case.watch(&["--json"]).run().expect(1);
    let all = documents(&run);
    assert_eq!(all.len(), 2, "{run}");
    assert!(all.iter().all(|document| document["event"] == "error"), "{run}");
    assert_eq!(run.error_json()["kind"], "gh-failed", "{run}");
    case.assert_only_read();

    // A surface that cannot be read decides nothing either.
    let (case, _) = Case::acknowledged();
    case.github.on(Match::get("*/issues/42/comments")).bad_gateway();
    let run = case.watch(&["--json"]).run().expect(1);
    assert_eq!(run.error_json()["kind"], "incomplete", "{run}");

    let (case, trigger) = Case::acknowledged();
    case.github.on(Match::graphql("Pull").times(2)).bad_gateway();
    case.then(|pull| pull.react(trigger, connector(), "+1", now()));
    case.watch(&[]).run().expect(0);

    // What no later reading mends ends it at once.
    let run = case.product.run(&["watch", "77", "--json"]).expect(1);
    assert_eq!(run.error_json()["kind"], "not-found", "{run}");
}

#[test]
fn the_timeout_is_8_and_says_so() {
    let (case, _) = Case::acknowledged();
    let run = case.watch(&["--timeout", "3s"]).run().expect(8);
    let last = run.stdout.lines().last().expect("a line");
    assert!(
        last.contains("in-progress") && last.contains("timeout: "),
        "{run}"
    );
    let run = case.watch(&["--timeout", "3s", "--json"]).run().expect(8);
    let last = documents(&run).pop().expect("a document");
    assert_eq!(
        (&last["event"], &last["ended"]),
        (&"ended".into(), &"timeout".into()),
        "{run}"
    );
    case.assert_only_read();
}

#[test]
fn ctrl_c_is_130_and_leaves_no_child() {
    // While it sleeps.
    let (case, _) = Case::acknowledged();
    let mut running = case.watch(&["--interval", "60s"]).start();
    running.line();
    running.interrupt();
    let run = running.finish().expect(130);
    assert!(run.elapsed < Duration::from_secs(20), "{run}");
    case.assert_only_read();
    // While gh is waiting for GitHub.
    let (case, _) = Case::acknowledged();
    let hold = case.github.on(Match::get("*/issues/42/comments")).hold();
    let running = case.watch(&["--json"]).start();
    hold.wait();
    running.interrupt();
    let run = running.finish().expect(130);
    assert_eq!(run.error_json()["kind"], "interrupted", "{run}");
    case.product.assert_no_child_left();
    hold.release();
}

#[test]
fn a_terminal_shows_one_live_line_and_at_the_end_the_whole_status() {
    let (case, trigger) = Case::acknowledged();
    // The answer comes with the third reading.
    case.github
        .on(Match::get(&format!("*/issues/comments/{trigger}/reactions")).nth(3))
        .before(move |world| {
            world.pull(42).react(trigger, connector(), "+1", now());
        });
    let run = case.watch(&[]).terminal(100, 30).expect(0);
    assert!(run.stdout.contains("acknowledged after 9 s"), "{run}");
    assert!(
        run.stdout.contains("half of reviews take 3m37, 99 % 10m30"),
        "{run}"
    );
    let drawn: Vec<&str> = run.stdout.split("\r\u{1b}[2K").collect();
    assert!(drawn.len() > 3, "{run}");
    let (end, live) = drawn.split_last().expect("something was drawn");
    assert!(live.iter().all(|line| !line.contains('\n')), "{run}");
    assert!(end.contains("clean") && end.contains("octo/widgets#42"), "{run}");
    case.assert_only_read();
}

#[test]
fn a_dumb_terminal_gets_a_line_a_change_and_no_control_character() {
    let (case, _) = Case::acknowledged();
    let run = case
        .watch(&["--timeout", "4s"])
        .env("TERM", "dumb")
        .terminal(80, 24)
        .expect(8);
    let first = run.stdout.lines().next().unwrap_or_default();
    assert!(first.contains("\tin-progress\tgate waiting\t"), "{run}");
    assert!(!run.stdout.contains(['\u{1b}', '\r']), "{run}");
    assert!(
        run.stdout.contains("The time is up; the verdict is still open."),
        "{run}"
    );
}

#[test]
fn a_saved_bundle_is_looked_at_once() {
    let (case, _) = Case::acknowledged();
    let run = case.product.run(&["watch", "--demo=findings"]).expect(10);
    assert!(run.stdout.contains("\tfindings\t"), "{run}");
    case.product.run(&["watch", "--demo=clean"]).expect(0);
    case.product.run(&["watch", "--demo=in-progress"]).expect(8);
    case.product.run(&["watch", "42", "--interval", "0"]).expect(2);
}
