//! This product against the plain way: the source documents' `gh … | jq` snippets, run one after another.
//!
//! `plain.sh` is the plain way. It needs jq, which nothing else here does; without it this group is left out and says so.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::figure::{Report, milliseconds, times};
use super::github::{Github, Log, Match, Request, World, at, clean_text, connector, finding};
use super::product::{Product, Run};
use super::scene::quiet;

const RUNS: usize = 3;
const PLAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/limits/plain.sh");
/// The one command of the product that answers what all the snippets together ask.
const STATUS: [&str; 5] = ["status", "42", "-R", "octo/widgets", "--json"];
/// The same with every reading taken twice.
const GATE: [&str; 5] = ["gate", "42", "-R", "octo/widgets", "--json"];

pub fn measure(report: &mut Report) {
    if which::which("jq").is_err() {
        report.say("left out: the plain way needs jq, which is not installed");
        return;
    }
    let github = Github::start(quiet());
    let product = Product::new(&github);
    for latency in [50, 200] {
        github.latency(Duration::from_millis(latency));
        let (slow, plain_log) = least(&github, || plain(&product));
        report.note(
            &format!("{latency} ms: the plain way, {}", counts(&plain_log)),
            &milliseconds(slow.elapsed).1,
        );
        for (name, arguments) in [("status", STATUS), ("gate", GATE)] {
            let (quick, log) = least(&github, || product.run(&arguments));
            report.note(
                &format!("{latency} ms: {name}, {}", counts(&log)),
                &milliseconds(quick.elapsed).1,
            );
            report.note(
                &format!("{latency} ms: the plain way against {name}"),
                &times(slow.elapsed.as_secs_f64() / quick.elapsed.as_secs_f64()),
            );
            if latency == 50 {
                let known = asked(&plain_log);
                let unasked: Vec<String> = asked(&log).difference(&known).cloned().collect();
                report.say(&format!(
                    "what {name} reads and the plain way does not: {}",
                    unasked.join(", ")
                ));
            }
        }
    }
    github.latency(Duration::ZERO);
    for scene in scenes() {
        missed(report, &scene);
    }
}

/// The quickest of some runs, and what it asked.
fn least(github: &Github, run: impl Fn() -> Run) -> (Run, Log) {
    let runs = (0..RUNS).map(|_| {
        github.forget();
        let run = run();
        (run, github.log())
    });
    runs.min_by_key(|(run, _)| run.elapsed)
        .unwrap_or_else(|| panic!("no run was asked for"))
}

fn plain(product: &Product) -> Run {
    let run = product
        .program(Path::new(PLAIN), &["octo", "widgets", "42"])
        .within(Duration::from_secs(120))
        .run();
    assert_eq!(run.code, Some(0), "{run}");
    run
}

fn counts(log: &Log) -> String {
    format!("{} requests", log.requests.len())
}

/// What a request is about, ids left out: GraphQL by the fields that matter here.
fn subjects(request: &Request) -> Vec<String> {
    if request.is_graphql() {
        let text = request.graphql_text();
        return [
            "reviewThreads",
            "lastEditedAt",
            "userContentEdits",
            "statusCheckRollup",
            "headRefOid",
        ]
        .into_iter()
        .filter(|field| text.contains(field))
        .map(|field| format!("GraphQL {field}"))
        .collect();
    }
    let words: Vec<&str> = request
        .path
        .split('/')
        .skip(4)
        .map(|word| {
            let number = word.bytes().all(|byte| byte.is_ascii_hexdigit()) && word.len() > 1;
            if number { "…" } else { word }
        })
        .collect();
    vec![words.join("/")]
}

/// Everything that was asked about.
fn asked(log: &Log) -> BTreeSet<String> {
    log.requests.iter().flat_map(subjects).collect()
}

/// A situation in which the snippets show an approval that does not hold.
struct Scene {
    name: &'static str,
    world: World,
    /// Prepares what happens between two requests.
    prepare: fn(&Github),
}

fn scenes() -> Vec<Scene> {
    let nothing: fn(&Github) = |_| {};
    let mut pushed = Scene {
        name: "a push after the head was looked at",
        world: quiet(),
        prepare: |github| {
            github
                .on(Match::get("*/issues/42/reactions").nth(1))
                .before(|world| {
                    world.pull(42).push("later", at("10:30"));
                });
        },
    };
    pushed.world.pull(42);
    let mut running = quiet();
    running.pull(42).person_comment("@codex review", at("10:20"));
    let mut found = quiet();
    {
        let mut pull = found.pull(42);
        let head = pull.head();
        pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("10:06"),
        );
    }
    let mut edited = World::new();
    {
        let mut pull = edited.pull(42);
        let head = pull.head();
        pull.person_comment("@codex review", at("10:00"));
        let answer = pull.connector_comment("Codex Review: Something went wrong.", at("10:05"));
        let person = super::github::grace();
        pull.edit(answer, person, &clean_text(&head), at("10:10"));
    }
    vec![
        pushed,
        Scene {
            name: "a second review is under way on the same head",
            world: running,
            prepare: nothing,
        },
        Scene {
            name: "a finding came after the thumb",
            world: found,
            prepare: nothing,
        },
        Scene {
            name: "a person made the connector's text a clean one",
            world: edited,
            prepare: nothing,
        },
    ]
}

/// What both ways say of a situation.
fn missed(report: &Report, scene: &Scene) {
    let ask = |of: &dyn Fn(&Product) -> String| {
        let github = Github::start(scene.world.clone());
        (scene.prepare)(&github);
        let product = Product::new(&github);
        of(&product)
    };
    let shown = ask(&|product| {
        let run = plain(product);
        let reaction = run
            .stdout
            .lines()
            .find_map(|line| line.trim().strip_prefix("\"state\": \""))
            .map_or("none", |state| state.trim_end_matches('"'));
        let clean = if run.stdout.contains("find any major issues") {
            "a clean text"
        } else {
            "no clean text"
        };
        format!("reaction {reaction}, {clean}")
    });
    let own = ask(&|product| {
        let document = product.run(&STATUS).json();
        let code = document["verdict"]["reasons"][0]["code"]
            .as_str()
            .unwrap_or_default();
        let state = document["verdict"]["state"].as_str().unwrap_or_default();
        format!("{state} ({code})")
    });
    report.say(&format!(
        "{}: the plain way shows {shown}; status says {own}",
        scene.name
    ));
}
