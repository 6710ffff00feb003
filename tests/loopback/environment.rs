//! The private environment: hosts, tokens, terminals, extensions, processes that are left behind.

use std::path::Path;

use crate::github::{Github, World, at};
use crate::product::Product;

#[test]
fn an_enterprise_host_is_answered_under_its_own_prefix() {
    let mut world = World::new();
    world.host = "ghe.example.com".to_owned();
    let mut pull = world.pull(42);
    for index in 0..101 {
        pull.person_comment(&format!("comment {index}"), at("10:00"));
    }
    let github = Github::start(world);
    let product = Product::on_host(&github, "ghe.example.com", "octo/widgets");
    let path = "repos/octo/widgets/issues/42/comments";
    let run = product
        .gh(&[
            "api",
            "--hostname",
            "ghe.example.com",
            "--paginate",
            "--slurp",
            path,
        ])
        .run()
        .expect(0)
        .json();
    assert_eq!(run[1][0]["body"], "comment 100");
    assert_eq!(
        run[0][0]["url"]
            .as_str()
            .unwrap()
            .split("/issues")
            .next()
            .unwrap(),
        "https://ghe.example.com/api/v3/repos/octo/widgets"
    );
    let view = product
        .gh(&["repo", "view", "--json", "url"])
        .run()
        .expect(0)
        .json();
    assert_eq!(view["url"], "https://ghe.example.com/octo/widgets");
    assert!(
        github
            .log()
            .requests
            .iter()
            .all(|request| request.host == "ghe.example.com")
    );
}

#[test]
fn without_a_token_gh_exits_4_and_asks_nothing() {
    let github = Github::start(World::new());
    let run = Product::new(&github)
        .logged_out()
        .gh(&["api", "user"])
        .run()
        .expect(4);
    assert!(run.stderr.contains("gh auth login"), "{run}");
    assert!(github.log().requests.is_empty());
}

#[test]
fn a_release_installs_as_an_extension_and_runs() {
    let mut world = World::new();
    let script = b"#!/bin/sh\necho \"installed $1\"\n";
    let name = format!(
        "gh-codex-loop_v1.0.0_linux-{}",
        if cfg!(target_arch = "aarch64") {
            "arm64"
        } else {
            "amd64"
        }
    );
    world.release("octo", "gh-codex-loop", "v1.0.0", &[(&name, script)]);
    let github = Github::start(world);
    let product = Product::new(&github);
    product
        .gh(&["extension", "install", "octo/gh-codex-loop"])
        .run()
        .expect(0);
    let run = product.gh(&["codex-loop", "well"]).run().expect(0);
    assert_eq!(run.stdout, "installed well\n");
}

#[test]
fn a_terminal_has_the_size_that_was_asked_for() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let run = product
        .program(Path::new("/bin/stty"), &["size"])
        .terminal(93, 31)
        .expect(0);
    assert_eq!(run.stdout, "31 93\n");
    let script = "test -t 0 && test -t 1 && test -t 2 && echo terminal";
    assert_eq!(
        product
            .program(Path::new("/bin/sh"), &["-c", script])
            .terminal(80, 24)
            .expect(0)
            .stdout,
        "terminal\n"
    );
    assert_eq!(
        product.program(Path::new("/bin/sh"), &["-c", script]).run().code,
        Some(1)
    );
}

#[test]
fn a_child_that_outlives_its_parent_is_seen() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let script = "sleep 60 >/dev/null 2>&1 & echo started";
    let run = product
        .program(Path::new("/bin/sh"), &["-c", script])
        .run()
        .expect(0);
    assert_eq!(run.stdout, "started\n");
    let left = product.processes();
    assert!(left.iter().any(|line| line.contains("sleep 60")), "{left:?}");
    for line in left {
        let pid = line.split(' ').next().unwrap().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    product.assert_no_child_left();
}

#[test]
fn lines_arrive_while_the_program_runs_and_an_interrupt_ends_it() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    // `tail` leaves the interrupt as it found it. A shell catches it, and loses one that comes between its last word and `exec`.
    let file = product.path("ready");
    std::fs::write(&file, "ready\n").expect("written");
    let mut running = product
        .program(
            Path::new("/usr/bin/tail"),
            &["-f", file.to_str().expect("a path of text")],
        )
        .start();
    assert_eq!(running.line(), "ready");
    running.interrupt();
    assert_eq!(running.finish().signal, Some(2));
    product.assert_no_child_left();
}
