//! Runs a command on a pseudo terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::Run;

/// Input, output and errors are one terminal of this size; `stdin` is typed on it.
pub fn run(mut command: Command, stdin: Option<Vec<u8>>, columns: u16, rows: u16, deadline: Duration) -> Run {
    let (master, slave) =
        open(columns, rows).unwrap_or_else(|error| panic!("cannot open a pseudo terminal: {error}"));
    let end = |name: &str| {
        Stdio::from(
            slave
                .try_clone()
                .unwrap_or_else(|error| panic!("cannot share the terminal as {name}: {error}")),
        )
    };
    command
        .stdin(end("input"))
        .stdout(end("output"))
        .stderr(end("errors"))
        .process_group(0);
    let started = Instant::now();
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    // The command holds ends of the terminal too, and reading sees the end only once all are closed.
    drop(command);
    drop(slave);
    let mut screen = File::from(master);
    if let Some(text) = stdin {
        screen
            .write_all(&text)
            .unwrap_or_else(|error| panic!("cannot type: {error}"));
    }
    let shown = thread::spawn(move || {
        let mut bytes = Vec::new();
        // Linux reports the closed other end as an error.
        let _ = screen.read_to_end(&mut bytes);
        bytes
    });
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if started.elapsed() > deadline => {
                let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
                let _ = child.wait();
                panic!("still running on the terminal after {deadline:?}, killed");
            }
            Ok(None) => thread::sleep(Duration::from_millis(2)),
            Err(error) => panic!("cannot wait for the process: {error}"),
        }
    };
    Run {
        code: status.code(),
        signal: status.signal(),
        stdout: String::from_utf8_lossy(&shown.join().unwrap_or_default()).replace("\r\n", "\n"),
        stderr: String::new(),
        elapsed: started.elapsed(),
    }
}

fn open(columns: u16, rows: u16) -> std::io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let slave = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name.to_string_lossy().as_ref())?;
    tcsetwinsize(
        &slave,
        Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        },
    )?;
    Ok((master, slave.into()))
}
