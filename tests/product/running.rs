//! A process under way: it can be signalled, and it is killed with its group when the test is over.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::Run;

/// A process in a group of its own.
pub struct Running {
    child: Child,
    started: Instant,
    deadline: Duration,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    /// Copies of what arrived on standard output, in pieces.
    pieces: mpsc::Receiver<Vec<u8>>,
    /// What arrived after the last line that was taken.
    rest: Vec<u8>,
}

impl Running {
    pub(super) fn start(mut command: Command, stdin: Option<Vec<u8>>, deadline: Duration) -> Self {
        command.process_group(0);
        let started = Instant::now();
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        if let (Some(text), Some(mut pipe)) = (stdin, child.stdin.take()) {
            // A program that does not read its input closes the pipe: no fault of the test.
            thread::spawn(move || pipe.write_all(&text));
        }
        let (sender, pieces) = mpsc::channel();
        let stdout = child.stdout.take().map(|pipe| collect(pipe, Some(sender)));
        let stderr = child.stderr.take().map(|pipe| collect(pipe, None));
        Self {
            child,
            started,
            deadline,
            stdout,
            stderr,
            pieces,
            rest: Vec::new(),
        }
    }

    /// Ctrl-C on a terminal: SIGINT to the whole foreground group.
    pub fn interrupt(&self) {
        // The group may have ended by itself.
        let _ = kill_process_group(self.pid(), Signal::INT);
    }

    /// SIGINT or SIGTERM to the process alone.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process(self.pid(), signal);
    }

    /// SIGKILL to the process alone, as a crash: its children are left to themselves.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
    }

    /// Waits for the next whole line on standard output; panics at the deadline or at the end of the output.
    #[track_caller]
    pub fn line(&mut self) -> String {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let rest = self.rest.split_off(end + 1);
                let line = std::mem::replace(&mut self.rest, rest);
                return String::from_utf8_lossy(&line[..end]).into_owned();
            }
            let left = self.deadline.saturating_sub(self.started.elapsed());
            match self.pieces.recv_timeout(left) {
                Ok(piece) => self.rest.extend(piece),
                Err(error) => panic!(
                    "no further line ({error}) after {:?}",
                    String::from_utf8_lossy(&self.rest)
                ),
            }
        }
    }

    /// Waits for the end; kills the group and fails the test at the deadline.
    #[track_caller]
    pub fn finish(mut self) -> Run {
        let mut overdue = false;
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if self.started.elapsed() > self.deadline && !overdue => {
                    overdue = true;
                    let _ = kill_process_group(self.pid(), Signal::KILL);
                }
                Ok(None) => thread::sleep(Duration::from_millis(2)),
                Err(error) => panic!("cannot wait for the process: {error}"),
            }
        };
        let elapsed = self.started.elapsed();
        let text = |reader: Option<JoinHandle<Vec<u8>>>| {
            let bytes = reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        // A child that was left behind would hold the pipes open for ever.
        if status.signal().is_some() {
            let _ = kill_process_group(self.pid(), Signal::KILL);
        }
        let run = Run {
            code: status.code(),
            signal: status.signal(),
            stdout: text(self.stdout.take()),
            stderr: text(self.stderr.take()),
            elapsed,
        };
        assert!(
            !overdue,
            "still running after {:?}, killed:\n{run}",
            self.deadline
        );
        run
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_running() {
            let _ = kill_process_group(self.pid(), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

fn collect(mut pipe: impl Read + Send + 'static, copy: Option<mpsc::Sender<Vec<u8>>>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut buffer = [0_u8; 8192];
        while let Ok(count) = pipe.read(&mut buffer) {
            if count == 0 {
                break;
            }
            bytes.extend_from_slice(&buffer[..count]);
            if let Some(copy) = &copy {
                // Nobody may be waiting for lines.
                let _ = copy.send(buffer[..count].to_vec());
            }
        }
        bytes
    })
}
