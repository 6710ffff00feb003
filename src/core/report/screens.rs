//! What people see on terminals of every width: nothing beyond the edge, the answer first, commands whole.

use super::look::{Look, width};
use super::{classification, explain, findings, gate, preflight, status};
use crate::evidence::Evidence;
use crate::evidence::observed::Observed;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, person};
use crate::evidence::surface::Surface;
use crate::evidence::thread::Thread;
use crate::gate::{Gate, GateOptions};
use crate::lineage::AttemptKind;
use crate::options::Options;
use crate::preflight::{Ask, preflight as decide};
use crate::run::Run;
use crate::verdict::Verdict;

const WIDTHS: [usize; 4] = [40, 60, 80, 140];

/// Wide characters without spaces, an accent apart, a joined emoji and an escape sequence.
const HOSTILE: &str = "缓存锁在条目被逐出之前一直保持锁定状态以避免竞争条件 cafe\u{301} 👩‍💻👩‍💻👩‍💻 \u{1b}[2J\u{202e}x and more words than any line holds";

fn terminal(width: usize) -> Look {
    Look {
        terminal: true,
        color: false,
        links: false,
        width,
        repository: None,
    }
}

/// Everything at once: many findings with hostile titles, failing checks, a hostile title.
fn crowded() -> Evidence {
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.pull().title = HOSTILE.into();
    for place in 0..30 {
        sample.thread(at(20, place), HEAD);
        sample.check_run(&format!("{HOSTILE} {place}"), Some("failure"), at(1, 0));
    }
    let badge = "<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>";
    let hostile = format!("**{badge}  {HOSTILE}**\n\nBody.");
    for thread in threads(&mut sample.evidence) {
        for comment in &mut thread.comments {
            comment.body = Observed::Known(hostile.clone());
        }
    }
    sample.evidence
}

fn threads(evidence: &mut Evidence) -> &mut [Thread] {
    match &mut evidence.surfaces.threads {
        Surface::Complete { items, .. } | Surface::Incomplete { items, .. } => items,
        Surface::NotCollected => &mut [],
    }
}

/// A text of the connector that nobody can read.
fn unclear() -> Evidence {
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.comment(
        connector(),
        at(20, 0),
        "Codex Review: perhaps, perhaps not; who can say.",
    );
    sample.evidence
}

/// Long: sixty comments of people.
fn long() -> Evidence {
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    for second in 0..60 {
        sample.comment(person(), at(11, second), "Looks fine to me.");
    }
    sample.clean_comment(at(20, 0), HEAD);
    sample.evidence
}

/// The head moved on.
fn stale() -> Evidence {
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.clean_comment(at(20, 0), OTHER);
    sample.evidence
}

/// Every text of one pull request that is made of evidence alone, by name.
fn texts(evidence: &Evidence, look: &Look) -> Vec<(&'static str, String)> {
    let options = Options::default();
    let run = Run::of(evidence, &options).expect("the pull request was read");
    let choices = GateOptions::default();
    let gate = Gate::of(&run, &choices);
    let verdict = Verdict::of(&run, &gate);
    let all = findings::Selection {
        all: true,
        ..findings::Selection::default()
    };
    let gate_document = gate::document(&run, &gate, &choices);
    let allowed = decide(&run, AttemptKind::Request, &Ask::default());
    vec![
        (
            "status",
            status::text(&status::document(&run, &gate, &verdict), look),
        ),
        (
            "classify",
            classification::text(&classification::document(&run), look),
        ),
        ("findings", findings::text(&findings::document(&run, &all), look)),
        ("explain", explain::text(&explain::document(&run), look)),
        ("gate notes", gate::notes(&gate_document, look).join("\n")),
        (
            "preflight",
            preflight::text(&preflight::document(&run, AttemptKind::Request, &allowed), look),
        ),
    ]
}

/// A repository whose name is as long as GitHub allows.
fn long_named() -> Evidence {
    let mut evidence = crowded();
    let name = format!("{}/{}", "o".repeat(39), "r".repeat(100));
    evidence.repository = name.parse().expect("a repository");
    evidence
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for evidence in [crowded(), unclear(), long(), stale(), long_named()] {
        for columns in WIDTHS {
            for (name, text) in texts(&evidence, &terminal(columns)) {
                for line in text.lines() {
                    assert!(
                        width(line) <= columns,
                        "{name} at {columns}: {} in {line:?}",
                        width(line)
                    );
                    assert!(!line.contains(['\u{1b}', '\u{202e}', '\t']), "{name}: {line:?}");
                    assert_eq!(line.trim_end(), line, "{name} at {columns}");
                }
            }
        }
    }
}

#[test]
fn status_fits_one_screen_and_says_the_answer_then_why_then_what_next() {
    for evidence in [crowded(), unclear(), long(), stale()] {
        for columns in [80, 140] {
            let (_, text) = texts(&evidence, &terminal(columns)).swap_remove(0);
            assert!(text.lines().count() <= 23, "{columns}:\n{text}");
        }
    }
    let (_, text) = texts(&crowded(), &terminal(80)).swap_remove(0);
    let lines: Vec<&str> = text.lines().collect();
    let start = |place: usize, start: &str| {
        let line = lines.get(place).copied().unwrap_or_default();
        assert!(line.starts_with(start), "{start:?} in line {place} of\n{text}");
    };
    start(0, "X findings  o/r#42  缓存锁在条目");
    start(1, "  why   The connector left 30 open threads");
    start(3, "  next  Verify each finding");
    start(5, "        gh codex-loop findings 42");
    start(
        7,
        "head        aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd  read 2026-10-01 10:59 UTC",
    );
    for part in [
        "gate      X blocking       finding-thread",
        "checks    X failing        30 failed",
        "findings  X 30 open",
        "more: gh codex-loop findings 42",
        "more: gh pr checks 42",
    ] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
}

#[test]
fn columns_stand_below_each_other_whatever_stands_in_them() {
    let (_, text) = texts(&crowded(), &terminal(80)).swap_remove(0);
    let places: Vec<usize> = text
        .lines()
        .filter(|line| line.contains("P1  "))
        .filter_map(|line| line.split_once("缓存").map(|(before, _)| width(before)))
        .collect();
    assert!(
        places.len() > 2 && places.iter().all(|place| Some(place) == places.first()),
        "{places:?} in\n{text}"
    );
}

#[test]
fn a_command_to_copy_is_whole_at_every_width() {
    let evidence = unclear();
    let (_, wide) = texts(&evidence, &terminal(500)).swap_remove(0);
    let command = wide
        .lines()
        .find(|line| line.contains("--judge issue-comment:"))
        .unwrap_or_else(|| panic!("no judgement in\n{wide}"))
        .trim();
    assert_eq!(command.rsplit('@').next().map(str::len), Some(64), "{command}");
    for columns in WIDTHS {
        for (name, verb) in [
            ("status", "status"),
            ("classify", "classify"),
            ("explain", "classify"),
            ("gate notes", "gate"),
        ] {
            let expected = command.replacen("status", verb, 1);
            let texts = texts(&evidence, &terminal(columns));
            let text = texts
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, text)| text.as_str())
                .unwrap_or_default();
            // What a shell makes of the copied lines.
            let joined = text.replace("\\\n", "");
            let copied = joined
                .lines()
                .find(|line| line.contains("--judge ") && line.contains('@'))
                .unwrap_or_default();
            let words: Vec<&str> = copied.split_whitespace().collect();
            assert_eq!(words.join(" "), expected, "{name} at {columns}:\n{text}");
        }
    }
}

#[test]
fn every_command_names_the_repository_that_the_user_had_to_name() {
    let mut seen = 0;
    for evidence in [crowded(), unclear(), long(), stale()] {
        for (terminal_or_pipe, width) in [(true, 500), (true, 60), (false, 200)] {
            let look = Look {
                terminal: terminal_or_pipe,
                repository: Some("ghe.example/o/r".to_owned()),
                ..terminal(width)
            };
            let plain = Look {
                repository: None,
                ..look.clone()
            };
            for ((name, text), (_, unplaced)) in
                texts(&evidence, &look).into_iter().zip(texts(&evidence, &plain))
            {
                // What a shell makes of folded lines.
                let joined = text
                    .replace(" \\\n", " ")
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ");
                let mut commands = 0;
                for start in ["gh codex-loop ", "gh pr "] {
                    for (_, command) in joined.match_indices(start).map(|(at, _)| joined.split_at(at)) {
                        commands += 1;
                        let words: Vec<&str> = command.split(' ').take(6).collect();
                        assert_eq!(
                            words.get(4..),
                            Some(&["-R", "ghe.example/o/r"][..]),
                            "{name}: {text}"
                        );
                    }
                }
                assert!(!unplaced.contains(" -R "), "{name}: {unplaced}");
                seen += commands;
            }
        }
    }
    assert!(seen > 30, "{seen} commands were looked at");
}

#[test]
fn a_long_explanation_repeats_its_answer_at_the_end() {
    let texts = texts(&long(), &terminal(80));
    let (_, text) = texts
        .into_iter()
        .find(|(name, _)| *name == "explain")
        .expect("an explanation");
    assert!(text.starts_with("✓ clean  o/r#42\n  why   "), "{text}");
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("✓ clean, by ") && last.contains("at the top"),
        "{last}"
    );
}

#[test]
fn a_page_lies_behind_pull_request_finding_and_check() {
    let mut sample = Sample::new();
    sample.trigger(at(10, 0));
    sample.thread(at(20, 0), HEAD);
    sample.check_run("build", Some("failure"), at(1, 0));
    for comment in threads(&mut sample.evidence)
        .iter_mut()
        .flat_map(|thread| &mut thread.comments)
    {
        comment.url = Observed::Known("https://github.com/o/r/pull/42#discussion_r7".into());
    }
    let look = Look {
        links: true,
        ..terminal(80)
    };
    let (_, text) = texts(&sample.evidence, &look).swap_remove(0);
    let plain = texts(&sample.evidence, &terminal(80)).swap_remove(0).1;
    assert!(
        text.contains("\u{1b}]8;;https://github.com/o/r/pull/42\u{1b}\\o/r#42\u{1b}]8;;\u{1b}\\"),
        "{text:?}"
    );
    let linked = text.matches("\u{1b}]8;;http").count();
    assert_eq!(
        linked,
        text.matches("\u{1b}]8;;\u{1b}\\").count(),
        "every link ends on its line"
    );
    assert!(linked >= 3, "{text:?}");
    // Links change nothing that is seen.
    let mut seen = String::new();
    for (place, part) in text.split("\u{1b}]8;;").enumerate() {
        seen.push_str(if place == 0 {
            part
        } else {
            part.split_once("\u{1b}\\").map_or("", |(_, after)| after)
        });
    }
    assert_eq!(seen, plain);
}

#[test]
fn colour_is_never_the_only_sign() {
    let evidence = crowded();
    let colored = Look {
        color: true,
        ..terminal(80)
    };
    let strip = |text: &str| {
        let mut plain = String::new();
        for (place, part) in text.split("\u{1b}[").enumerate() {
            plain.push_str(if place == 0 {
                part
            } else {
                part.split_once('m').map_or("", |(_, after)| after)
            });
        }
        plain
    };
    for ((name, painted), (_, plain)) in texts(&evidence, &colored)
        .into_iter()
        .zip(texts(&evidence, &terminal(80)))
    {
        assert_eq!(strip(&painted), plain, "{name}");
    }
}

#[test]
fn a_pipe_gets_one_row_a_line_with_tabs() {
    let pipe = Look {
        terminal: false,
        width: 200,
        ..terminal(200)
    };
    let (_, text) = texts(&crowded(), &pipe).swap_remove(0);
    let first = |name: &str| -> Vec<&str> {
        let row = text.lines().find(|line| line.split('\t').next() == Some(name));
        row.map(|row| row.split('\t').collect()).unwrap_or_default()
    };
    assert_eq!(first("verdict"), ["verdict", "findings", "run, gate"]);
    assert_eq!(first("command"), ["command", "gh codex-loop findings 42"]);
    assert_eq!(first("head"), ["head", HEAD, "2026-10-01T10:59:00Z"]);
    assert_eq!(first("checks"), ["checks", "failing", "30 failed"]);
    assert_eq!(
        text.lines().filter(|line| line.starts_with("finding\t")).count(),
        30,
        "nothing is left out"
    );
    assert!(text.starts_with("verdict\t") && !text.contains('✓'), "{text}");
}
