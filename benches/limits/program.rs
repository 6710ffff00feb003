//! The program as a whole: its size, how it starts, and its memory on a large bundle.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use super::bundle;
use super::figure::{Report, megabytes, milliseconds};
use super::measured::{self, Measured};

const PROGRAM: &str = env!("CARGO_BIN_EXE_gh-codex-loop");
const LARGEST: u64 = 10_000_000;
const STARTS: usize = 60;
const SLOWEST_START: Duration = Duration::from_millis(5);
const COMMENTS: usize = 100_000;

pub fn measure(report: &mut Report) {
    let size = Path::new(PROGRAM)
        .metadata()
        .map(|data| data.len())
        .unwrap_or(u64::MAX);
    report.at_most("size of the program", megabytes(size), megabytes(LARGEST));
    start(report);
    memory(report);
}

/// In turn with an empty process, so that both meet the same machine.
fn start(report: &mut Report) {
    let (mut own, mut empty) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        own.push(measured::run(PROGRAM.as_ref(), &["--version".as_ref()]).wall);
        empty.push(measured::run("true".as_ref(), &[]).wall);
    }
    own.sort();
    empty.sort();
    let middle = STARTS / 2;
    for (name, place) in [("least", 0), ("median", middle)] {
        let (own, empty) = (own[place], empty[place]);
        report.note(
            &format!(
                "--version, {name} of {STARTS}; an empty process {}",
                milliseconds(empty).1
            ),
            &milliseconds(own).1,
        );
    }
    report.at_most(
        "--version beyond an empty process",
        milliseconds(own[0].saturating_sub(empty[0])),
        milliseconds(SLOWEST_START),
    );
}

/// Every command that reads a bundle of 100,000 comments, those that print most of it included.
fn memory(report: &mut Report) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("cannot make a folder: {error}"));
    let path = folder.path().join("bundle.json");
    let read = bundle::write(&path, COMMENTS);
    report.note(&format!("bundle of {COMMENTS} comments"), &megabytes(read).1);
    for command in [
        "status",
        "classify",
        "gate",
        "snapshot",
        "findings",
        "explain",
        "explain --json",
        "collect",
        "collect --redact",
    ] {
        let mut arguments: Vec<&OsStr> = command.split(' ').map(OsStr::new).collect();
        arguments.extend([OsStr::new("--from"), path.as_os_str()]);
        let Measured { processor, peak, .. } = measured::run(PROGRAM.as_ref(), &arguments);
        report.note(
            &format!("{command} --from it: processor time"),
            &milliseconds(processor).1,
        );
        report.at_most(
            &format!("{command} --from it: peak memory"),
            megabytes(peak),
            megabytes(3 * read),
        );
    }
}
