//! Ctrl-C and termination: children die first, then this process ends with 130, and nothing is left behind.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::error::{self, Error};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static CHILDREN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// How long the ordinary way out may take before the process is ended.
const GRACE: Duration = Duration::from_millis(700);

/// Starts to listen. Without a handler (very restricted systems) the default action still ends the process.
pub fn listen(json: bool) {
    let _ = ctrlc::set_handler(move || {
        INTERRUPTED.store(true, Ordering::SeqCst);
        for group in children().iter() {
            kill_group(*group);
        }
        std::thread::sleep(GRACE);
        let code = error::report(&Error::interrupted(), json);
        std::process::exit(i32::from(code.number()));
    });
}

/// Whether the process was told to end.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// A child that must not outlive this process; forgotten when dropped.
pub struct Guarded(u32);

impl Guarded {
    /// Remembers a child that leads its own process group.
    pub fn new(pid: u32) -> Self {
        children().insert(pid);
        // The signal may have come between the start of the child and this line.
        if requested() {
            kill_group(pid);
        }
        Self(pid)
    }

    /// Kills the child and everything it started.
    pub fn kill(&self) {
        kill_group(self.0);
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        children().remove(&self.0);
    }
}

fn children() -> std::sync::MutexGuard<'static, BTreeSet<u32>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
fn kill_group(pid: u32) {
    if let Ok(pid) = i32::try_from(pid) {
        // The group may be gone already: that is what is wanted.
        let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL);
    }
}

/// Elsewhere the console sends the interruption to every process itself; a timeout is handled by the caller's kill.
#[cfg(not(unix))]
fn kill_group(_pid: u32) {}
