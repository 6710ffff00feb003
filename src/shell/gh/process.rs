//! One gh process: started without a shell, its output bounded, its time bounded, never left behind.

use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::interrupt::{self, Guarded};

use super::failure::Failure;
use super::pages::{MAX_BYTES, Pages, Stop};

/// What gh printed and how it ended.
#[derive(Debug)]
pub struct Ended {
    /// None: a signal ended it.
    pub exit: Option<i32>,
    pub stdout: Stdout,
    pub stderr: String,
}

/// What gh printed, in the form that was expected.
#[derive(Debug)]
pub enum Stdout {
    /// One answer.
    Whole(Vec<u8>),
    /// A list of pages, and why reading it was stopped if it was.
    Pages(Pages, Option<Stop>),
}

/// Which form to expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Whole,
    Pages,
}

/// More than gh ever says on stderr.
const MAX_STDERR: u64 = 64 << 10;

/// Variables that would make gh colour, page, ask or log; whatever else the user set is the user's.
const REMOVED: [&str; 4] = ["GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG", "DEBUG"];
const SET: [(&str, &str); 6] = [
    ("NO_COLOR", "1"),
    ("GH_PAGER", "cat"),
    ("GH_PROMPT_DISABLED", "1"),
    ("GH_SPINNER_DISABLED", "1"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("GH_NO_EXTENSION_UPDATE_NOTIFIER", "1"),
];

/// gh is short-lived: at Go's default its collector runs several times while gh starts, a quarter of its processor time.
const COLLECTOR: (&str, &str) = ("GOGC", "400");

/// Runs gh to its end, or to the end of its time.
pub fn run(
    program: &Path,
    arguments: &[String],
    input: Option<Vec<u8>>,
    form: Form,
    timeout: Duration,
) -> Result<Ended, Failure> {
    let deadline = Instant::now() + timeout;
    let unstartable = |error: io::Error| Failure::Unstartable {
        reason: format!("{} ({error})", program.display()),
    };
    let (stdout_reader, stdout_writer) = io::pipe().map_err(unstartable)?;
    let (stderr_reader, stderr_writer) = io::pipe().map_err(unstartable)?;
    let handle = {
        let mut command = duct::cmd(program, arguments)
            .stdout_file(stdout_writer)
            .stderr_file(stderr_writer)
            .unchecked()
            .before_spawn(own_group);
        for name in REMOVED {
            command = command.env_remove(name);
        }
        for (name, value) in SET {
            command = command.env(name, value);
        }
        if std::env::var_os(COLLECTOR.0).is_none() {
            command = command.env(COLLECTOR.0, COLLECTOR.1);
        }
        command = match input {
            Some(bytes) => command.stdin_bytes(bytes),
            None => command.stdin_null(),
        };
        // The expression holds the writing ends; it must be gone before the end of the stream can be seen.
        command.start().map_err(unstartable)?
    };
    let guards: Vec<Guarded> = handle.pids().into_iter().map(Guarded::new).collect();
    let kill = || {
        guards.iter().for_each(Guarded::kill);
        // It may have ended by itself meanwhile.
        let _ = handle.kill();
        let _ = handle.wait_timeout(Duration::from_secs(1));
    };

    let (stdout_sender, stdout_arrived) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = stdout_sender.send(read_stdout(stdout_reader, form));
    });
    let (stderr_sender, stderr_arrived) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = stderr_sender.send(read_bounded(stderr_reader));
    });

    let late = || {
        kill();
        if interrupt::requested() {
            Failure::Interrupted
        } else {
            Failure::Timeout { after: timeout }
        }
    };
    let left = || deadline.saturating_duration_since(Instant::now());
    let stdout = match stdout_arrived.recv_timeout(left()) {
        Err(_) => return Err(late()),
        Ok(Err(error)) => {
            kill();
            return Err(Failure::Other {
                message: format!("its output could not be read ({error})"),
            });
        }
        Ok(Ok(stdout)) => stdout,
    };
    if matches!(stdout, Stdout::Pages(_, Some(_))) {
        kill();
    }
    let exit = match handle.wait_timeout(left()) {
        Ok(Some(output)) => output.status.code(),
        Ok(None) => return Err(late()),
        Err(error) => {
            kill();
            return Err(Failure::Other {
                message: format!("its end could not be awaited ({error})"),
            });
        }
    };
    if interrupt::requested() {
        return Err(Failure::Interrupted);
    }
    let stderr = stderr_arrived
        .recv_timeout(left().min(Duration::from_secs(1)))
        .unwrap_or_default();
    Ok(Ended { exit, stdout, stderr })
}

/// A group of its own, so that killing it reaches whatever it started.
#[cfg(unix)]
fn own_group(command: &mut std::process::Command) -> io::Result<()> {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    Ok(())
}

#[cfg(not(unix))]
fn own_group(_command: &mut std::process::Command) -> io::Result<()> {
    Ok(())
}

fn read_stdout(source: impl Read, form: Form) -> io::Result<Stdout> {
    match form {
        Form::Pages => Pages::read(source).map(|(pages, stop)| Stdout::Pages(pages, stop)),
        Form::Whole => {
            let mut bytes = Vec::new();
            source.take(MAX_BYTES as u64).read_to_end(&mut bytes)?;
            Ok(Stdout::Whole(bytes))
        }
    }
}

/// Keeps the beginning and reads on to the end, so that gh never waits for us.
fn read_bounded(mut source: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = source.by_ref().take(MAX_STDERR).read_to_end(&mut bytes);
    let _ = io::copy(&mut source, &mut io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}
