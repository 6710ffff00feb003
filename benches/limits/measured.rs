//! Figures of one whole process, by the operating system's own account.
//!
//! Linux hands the peak memory of a process on to what it starts, so that a large benchmark would be taken for its
//! child: this program starts itself once more, small, and that one starts and measures the command.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// First argument of the small process in between.
pub const WORD: &str = "measured-child";

/// One finished process.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub wall: Duration,
    /// Processor time, the system's share included.
    pub processor: Duration,
    /// Peak of the memory that it held, in bytes.
    pub peak: u64,
}

/// Runs a command to its end, its output thrown away; it must end well.
pub fn run(program: &OsStr, arguments: &[&OsStr]) -> Measured {
    let this = std::env::current_exe().unwrap_or_else(|error| panic!("where is this program? {error}"));
    let output = Command::new(this)
        .arg(WORD)
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text.split_whitespace().flat_map(str::parse).collect();
    let ([wall, processor, peak], true) = (numbers.as_slice(), output.status.success()) else {
        panic!(
            "{} {arguments:?} did not end well: {}",
            program.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    };
    Measured {
        wall: Duration::from_micros(*wall),
        processor: Duration::from_micros(*processor),
        peak: *peak,
    }
}

/// The process in between: prints microseconds of wall and processor time, and bytes.
pub fn child(command: &[OsString]) -> ExitCode {
    let Some((program, arguments)) = command.split_first() else {
        return ExitCode::from(2);
    };
    let started = Instant::now();
    let ended = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .status();
    let wall = started.elapsed();
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return ExitCode::FAILURE;
    };
    // Kilobytes on Linux, bytes on macOS.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    println!(
        "{} {} {}",
        wall.as_micros(),
        usage.user_time().num_microseconds() + usage.system_time().num_microseconds(),
        usage.max_rss() * unit
    );
    match ended {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) | Err(_) => ExitCode::FAILURE,
    }
}
