//! What people see: colour and links by option, environment and terminal; closed outputs; and errors that say what was
//! meant, to what it happened and what to do next, in bounds.

use std::process::{Command, Stdio};

use apollo_compiler::response::{JsonMap, JsonValue};

use crate::github::{Github, Match, World, at, connector, finding};
use crate::product::{Product, Run};

const PAGE: &str = "\u{1b}]8;;https://github.com/octo/widgets/pull/42\u{1b}\\";

/// A pull request with wide, joined and combining characters wherever a person can put them.
fn wide() -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    pull.pull().title = "缓存锁 cafe\u{301} 👩‍💻 一直保持到条目被逐出缓存为止以避免竞争条件和更多".to_owned();
    let head = pull.head();
    pull.person_comment("@codex review", at("10:00"));
    for line in 1..=2 {
        let title = "在条目被逐出之前保持锁定 👩‍💻👩‍💻 否则另一个线程会看到半个条目并且崩溃";
        pull.thread(
            connector(),
            &head,
            "src/缓存.rs",
            line,
            &finding("P1", title),
            at("10:05"),
        );
    }
    world
}

#[test]
fn colour_and_links_follow_the_option_the_environment_and_the_terminal() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let shown = |arguments: &[&str], variables: &[(&str, &str)]| -> (bool, bool, bool) {
        let mut command = product.command(arguments);
        for (name, value) in variables {
            command = command.env(name, value);
        }
        let text = command.terminal(80, 24).stdout;
        assert!(
            text.contains("X findings") || text.contains("\u{1b}[31mfindings"),
            "{text}"
        );
        (
            text.contains("\u{1b}[31m"),
            text.contains(PAGE),
            text.contains('\u{1b}'),
        )
    };
    let status = ["status", "--demo"];
    let (plain, colored, linked) = ((false, false, false), (true, false, true), (true, true, true));
    for (variables, expected) in [
        (&[][..], colored),
        (&[("VTE_VERSION", "7600")], linked),
        (&[("TERM_PROGRAM", "WezTerm")], linked),
        (&[("VTE_VERSION", "7600"), ("FORCE_HYPERLINK", "0")], colored),
        (&[("FORCE_HYPERLINK", "1")], linked),
        (&[("FORCE_HYPERLINK", "1"), ("NO_COLOR", "1")], plain),
        (&[("FORCE_HYPERLINK", "1"), ("TERM", "dumb")], plain),
        (&[("CLICOLOR", "0")], plain),
        (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], plain),
    ] {
        assert_eq!(shown(&status, variables), expected, "{variables:?}");
    }
    let never = ["status", "--demo", "--color", "never"];
    assert_eq!(
        shown(&never, &[("FORCE_HYPERLINK", "1"), ("CLICOLOR_FORCE", "1")]),
        plain
    );
    assert_eq!(
        shown(&["status", "--demo", "--color", "always"], &[("NO_COLOR", "1")]),
        colored
    );
    // In a pipe nothing but text, unless it is forced.
    let pipe = product
        .command(&["gate", "--demo"])
        .env("VTE_VERSION", "7600")
        .run();
    assert!(!pipe.stdout.contains('\u{1b}'), "{pipe}");
    let forced = product
        .command(&["gate", "--demo"])
        .env("CLICOLOR_FORCE", "1")
        .run();
    assert!(
        forced
            .stdout
            .starts_with("Codex gate: \u{1b}[31mblocking\u{1b}[0m\n"),
        "{forced}"
    );
}

#[test]
fn wide_characters_break_no_line_of_a_real_terminal() {
    let github = Github::start(wide());
    let product = Product::new(&github);
    let bundle = product.path("tmp/evidence.json");
    product
        .run(&["collect", "42", "-o", &bundle.display().to_string()])
        .expect(0);
    for verb in [
        "status",
        "findings",
        "explain",
        "classify",
        "preflight",
        "handled",
        "converge",
    ] {
        for columns in [40_u16, 60, 80, 140] {
            let run = product
                .command(&[verb, "--from", &bundle.display().to_string()])
                .env("NO_COLOR", "1")
                .terminal(columns, 24);
            assert!(run.stdout.contains("octo/widgets#42"), "{run}");
            for line in run.stdout.lines() {
                let width = codex_loop::report::look::width(line);
                // A page on a line of its own stays whole, so that it can be followed and copied.
                let page = line.trim().starts_with("https://") && !line.trim().contains(' ');
                assert!(
                    page || width <= usize::from(columns),
                    "{verb} at {columns}: {width} in {line:?}"
                );
                let half = line.contains("\u{200d}…") || line.contains("…\u{301}");
                assert!(!half, "{verb} at {columns} cuts a character: {line:?}");
            }
        }
    }
}

#[test]
fn a_result_that_nobody_can_get_is_an_error_and_a_reader_that_went_away_is_none() {
    let program = env!("CARGO_BIN_EXE_gh-codex-loop");
    for arguments in [
        "status --demo",
        "--version",
        "status --help",
        "schema status --json",
        "man --roff",
    ] {
        let script = format!("'{program}' {arguments} >&-");
        let output = Command::new("/bin/sh")
            .args(["-c", &script])
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        assert!(
            said.contains("could not be written to stdout: stdout is closed."),
            "{arguments}: {said}"
        );
    }
    for arguments in [
        "status --demo",
        "--help",
        "status --help",
        "help list",
        "--version",
    ] {
        let script = format!("'{program}' {arguments} >/dev/full");
        let output = Command::new("/bin/sh")
            .args(["-c", &script])
            .output()
            .expect("a shell");
        assert_eq!(output.status.code(), Some(1), "{arguments}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            said.contains("could not be written to stdout"),
            "{arguments}: {said}"
        );
    }
    // As gh does: the program behind the pipe has seen enough.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = Command::new(program)
        .args(["classify", "--demo"])
        .stdout(Stdio::from(writer))
        .stderr(Stdio::piped())
        .output()
        .expect("the program");
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(10), &b""[..])
    );
    let null = Command::new(program)
        .args(["classify", "--demo"])
        .stdout(Stdio::null())
        .status()
        .expect("the program");
    assert_eq!(null.code(), Some(10), "/dev/null is no closed stdout");
}

/// The whole error: what happened, then what to do.
fn error(run: Run, code: i32) -> String {
    let run = run.expect(code);
    assert!(
        !run.stderr.contains("panicked") && !run.stderr.is_empty(),
        "{run}"
    );
    assert!(run.stderr.len() < 2_500, "{} bytes: {run}", run.stderr.len());
    run.stderr
}

#[test]
fn a_typing_error_is_told_what_was_meant() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    for (arguments, meant) in [
        (&["statsu"][..], "status"),
        (&["status", "--exitcode"], "--exit-code"),
        (&["status", "--color", "alwas"], "always"),
        (&["status", "--demo", "fnidings"], "`findings`"),
        (&["status", "--demo", "--json", "verdct"], "`verdict`"),
        (&["schema", "statu"], "`status`"),
        (&["man", "clasify"], "`classify`"),
        (&["evaluate", "example", "recuring"], "`recurring`"),
        (&["completion", "-s", "bsh"], "bash"),
        (&["preflight", "--for", "retri"], "retry"),
        (&["findings", "--priority", "unknwn"], "`unknown`"),
        (
            &["authorize", "42", "--scope", "requst", "--reference", "x"],
            "`request`",
        ),
        (&["handled", "42", "plan", "k", "--outcome", "fixd"], "fixed"),
    ] {
        let text = error(product.run(arguments), 2);
        let names = text
            .lines()
            .any(|line| line.contains(meant) && (line.contains("similar") || line.contains("Did you mean")));
        assert!(names, "{arguments:?} means {meant}: {text}");
        // A program is told the same.
        let mut arguments = arguments.to_vec();
        arguments.push("--jq=.");
        let run = product.run(&arguments).expect(2);
        let document = run.error_json();
        assert_eq!(document["kind"], "usage", "{run}");
        assert!(
            document["hint"].as_str().is_some_and(|hint| hint.len() > 10),
            "{run}"
        );
    }
}

#[test]
fn no_argument_is_repeated_at_any_length() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let long = "x".repeat(5_000);
    let page = format!("https://github.com/octo/{long}/pull/1");
    for (arguments, code) in [
        (&[long.as_str()][..], 2),
        (&["status", &long], 1),
        (&["status", &page], 2),
        (&["status", "--demo", &long], 2),
        (&["status", "42", "--json", &long], 2),
        (&["status", "42", "-q", &long], 2),
        (&["status", "--from", &long], 2),
        (&["status", "42", "--repo", &long], 2),
        (&["status", "42", "--judge", &long], 2),
        (&["schema", &long], 2),
        (&["man", &long], 2),
        (&["evaluate", "example", &long], 2),
        (&["resolve", "42", &long], 2),
        (&["findings", "--demo", "--priority", &long], 2),
    ] {
        error(product.run(arguments), code);
        let mut arguments = arguments.to_vec();
        arguments.push("--jq=.");
        error(product.run(&arguments), code);
    }
}

#[test]
fn a_mistyped_evaluation_is_no_file_and_says_so() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let text = error(product.run(&["evaluate", "recuring"]), 1);
    assert!(text.contains("Did you mean `evaluate recurring`?"), "{text}");
    assert!(text.contains("\npause-only-quarantine: "), "{text}");
}

/// The object at a path of an answer.
fn inside<'a>(body: &'a mut JsonValue, path: &[&str]) -> &'a mut JsonMap {
    let mut object = body.as_object_mut();
    for name in path {
        object = object.and_then(|object| object.get_mut(*name)?.as_object_mut());
    }
    object.unwrap_or_else(|| panic!("the answer holds no {path:?}"))
}

#[test]
fn what_github_leaves_out_and_whom_it_asks_is_named() {
    let mut world = World::new();
    world.pull(42);
    let github = Github::start(world);
    let product = Product::new(&github);
    // A field that is null, against GitHub's own schema.
    github.on(Match::graphql("query Pull(")).edit(|body| {
        let pull = inside(body, &["data", "repository", "pullRequest"]);
        pull.insert("headRefName", JsonValue::Null);
    });
    let text = error(product.run(&["status", "42"]), 1);
    assert!(
        text.starts_with("gh codex-loop: Pull request 42 of octo/widgets could not be read: GitHub's answer does not hold the pull request's headRefName."),
        "{text}"
    );
    // A list that does not say how long it is proves no absence.
    github.heal();
    github.on(Match::graphql("Threads")).edit(|body| {
        let threads = inside(body, &["data", "repository", "pullRequest", "reviewThreads"]);
        assert!(threads.remove("totalCount").is_some());
    });
    let run = product.run(&["collect", "42"]).expect(0);
    let threads = &run.json()["surfaces"]["threads"];
    assert_eq!(threads["status"], "incomplete", "{threads}");
    // A secondary limit without a time.
    github.heal();
    github.on(Match::get("*/reviews")).secondary_limited(403, None);
    let text = error(product.run(&["status", "42"]), 1);
    assert!(
        text.contains("(secondary limit)") && text.contains("Wait at least one minute"),
        "{text}"
    );
    // A page of another host, which does not know it.
    github.heal();
    github.on(Match::any()).status(404, "Not Found");
    let text = error(
        product.run(&["status", "https://gitlab.com/octo/widgets/pull/42"]),
        1,
    );
    assert!(text.contains("gitlab.com/octo/widgets"), "{text}");
}

/// A built-in bundle is no pull request to write to; what the hint offers is an option of that very command.
#[test]
fn a_writer_refuses_a_built_in_bundle_and_offers_a_dry_run_only_where_there_is_one() {
    let said = |arguments: &[&str]| {
        let program = env!("CARGO_BIN_EXE_gh-codex-loop");
        let output = Command::new(program)
            .args(arguments)
            .output()
            .expect("the program");
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let key = "review-comment:1";
    for (verb, rest) in [
        (&["request"][..], &["--demo"][..]),
        (&["retry"], &["--demo"]),
        (&["resolve"], &["PRRT_1", "--fixed-in", "0123456789", "--demo"]),
        (&["authorize"], &["--list", "--demo"]),
        (&["handled", "plan"], &[key, "--outcome", "fixed", "--demo"]),
        (
            &["handled", "reply"],
            &[key, "--outcome", "rebutted", "--body-file", "-", "--demo"],
        ),
        (&["handled", "direction"], &["--text", "Go on.", "--demo"]),
    ] {
        let (code, _, hint) = said(&[verb, rest].concat());
        assert_eq!(code, Some(2), "{verb:?}: {hint}");
        assert!(hint.contains("Leave out --from and --demo"), "{verb:?}: {hint}");
        let (_, help, _) = said(&[verb, &["--help"]].concat());
        assert_eq!(
            hint.contains("--dry-run"),
            help.contains("--dry-run"),
            "{verb:?}: {hint}"
        );
    }
}
