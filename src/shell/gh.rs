//! The only place that starts gh. Every call names its host, has a deadline and a typed failure.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use codex_loop::report::sanitise::one_line;

use crate::cli::Global;

pub mod actions;
pub mod collect;
pub mod failure;
#[cfg(any(test, fuzzing))]
pub mod fuzzed;
pub mod open;
mod pages;
mod process;
pub mod pull;
mod query;
mod read;
mod threads;
mod wire;

use failure::Failure;
use pages::{Pages, Stop};
use process::{Ended, Form, Stdout};

/// The first gh with `api --slurp`.
const OLDEST: (u32, u32) = (2, 48);

/// gh processes that run at the same time: more of them only wait for the processor, and GitHub asks for modesty.
const AT_ONCE: usize = 8;

/// The user's gh.
#[derive(Debug)]
pub struct Gh {
    program: PathBuf,
    timeout: Duration,
    verbose: bool,
    slots: Slots,
    version: OnceLock<Result<String, Failure>>,
}

/// A list of pages that gh printed, and whether gh said it failed.
#[derive(Debug)]
pub struct Walk {
    pub pages: Pages,
    /// Why it is not the whole list, when gh or the bounds say so.
    pub failure: Option<Failure>,
}

impl Gh {
    /// Finds gh, and starts to ask for its version while the first calls are prepared.
    pub fn find(global: &Global) -> Result<Arc<Self>, Failure> {
        let gh = Arc::new(Self {
            program: program()?,
            timeout: global.gh_timeout,
            verbose: global.verbose,
            slots: Slots::default(),
            version: OnceLock::new(),
        });
        let asking = Arc::clone(&gh);
        std::thread::spawn(move || {
            // Whoever needs the answer reads it from the same place.
            let _ = asking.version();
        });
        Ok(gh)
    }

    /// How long one call may take.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// gh's version, once it is known to be new enough.
    pub fn version(&self) -> Result<&str, Failure> {
        let version = self.version.get_or_init(|| {
            let arguments = ["--version".to_owned()];
            let ended = process::run(&self.program, &arguments, None, Form::Whole, self.timeout)?;
            let Stdout::Whole(text) = ended.stdout else {
                return Ok(String::new());
            };
            accept_version(&String::from_utf8_lossy(&text))
        });
        version.as_deref().map_err(Clone::clone)
    }

    /// One `gh api` call with one JSON answer.
    pub fn api(&self, host: &str, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        self.answer(host, api(host, arguments), None)
    }

    /// One `gh api` call whose request body goes in as JSON.
    pub fn api_with_input(&self, host: &str, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let mut all = api(host, arguments);
        all.extend(["--input".to_owned(), "-".to_owned()]);
        self.answer(host, all, Some(input))
    }

    /// One write, which is never repeated and waits no longer than an attempt may last.
    pub fn write(&self, host: &str, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let mut all = api(host, arguments);
        all.extend(["--input".to_owned(), "-".to_owned()]);
        let ended = self.run_within(
            self.timeout.min(actions::LONGEST_WRITE),
            &all,
            Some(input),
            Form::Whole,
        )?;
        self.answered(ended, host)
    }

    /// Any other gh command that prints one JSON answer.
    pub fn command(&self, host: &str, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        let all = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        self.answer(host, all, None)
    }

    /// One walk over all pages of a list.
    pub fn walk(&self, host: &str, arguments: &[&str]) -> Result<Walk, Failure> {
        let mut all = api(host, arguments);
        all.extend(["--paginate".to_owned(), "--slurp".to_owned()]);
        let ended = self.run(&all, None, Form::Pages)?;
        let (pages, stop) = match ended.stdout {
            Stdout::Pages(pages, stop) => (pages, stop),
            Stdout::Whole(_) => (Pages::default(), None),
        };
        let failure = match (stop, ended.exit) {
            (Some(stop), _) => Some(unusable(stop)),
            (None, Some(0)) if pages.is_whole() => None,
            (None, Some(0)) => Some(Failure::Unusable {
                message: "gh's answer is not one whole JSON text".into(),
            }),
            (None, exit) => {
                let last = pages.iter().last().unwrap_or_default();
                Some(self.failed(exit, last, &ended.stderr, host)?)
            }
        };
        Ok(Walk { pages, failure })
    }

    fn answer(&self, host: &str, arguments: Vec<String>, input: Option<Vec<u8>>) -> Result<Vec<u8>, Failure> {
        let ended = self.run(&arguments, input, Form::Whole)?;
        self.answered(ended, host)
    }

    fn answered(&self, ended: Ended, host: &str) -> Result<Vec<u8>, Failure> {
        let Stdout::Whole(bytes) = ended.stdout else {
            return Ok(Vec::new());
        };
        match ended.exit {
            Some(0) => Ok(bytes),
            exit => Err(self.failed(exit, &bytes, &ended.stderr, host)?),
        }
    }

    /// The failure of a call; a gh that is too old explains every other one.
    fn failed(&self, exit: Option<i32>, answer: &[u8], stderr: &str, host: &str) -> Result<Failure, Failure> {
        self.version()?;
        Ok(failure::classify(exit, answer, stderr, host))
    }

    fn run(&self, arguments: &[String], input: Option<Vec<u8>>, form: Form) -> Result<Ended, Failure> {
        self.run_within(self.timeout, arguments, input, form)
    }

    fn run_within(
        &self,
        timeout: Duration,
        arguments: &[String],
        input: Option<Vec<u8>>,
        form: Form,
    ) -> Result<Ended, Failure> {
        let _slot = self.slots.take();
        let started = Instant::now();
        let ended = process::run(&self.program, arguments, input, form, timeout);
        if self.verbose {
            self.tell(arguments, started.elapsed(), &ended);
        }
        ended
    }

    /// One line a call on stderr: the arguments, never the environment.
    fn tell(&self, arguments: &[String], took: Duration, ended: &Result<Ended, Failure>) {
        let outcome = match ended {
            Ok(Ended { exit: Some(0), .. }) => String::new(),
            Ok(Ended { exit: Some(code), .. }) => format!(", exit {code}"),
            Ok(Ended { exit: None, .. }) => ", killed".to_owned(),
            Err(failure) => format!(", {}", failure.fact()),
        };
        let shown = one_line(&arguments.join(" "), 160);
        eprintln!("gh {shown} ({} ms{outcome})", took.as_millis());
    }
}

fn unusable(stop: Stop) -> Failure {
    Failure::Unusable {
        message: stop.sentence().to_owned(),
    }
}

fn api(host: &str, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["api".to_owned()];
    all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    all.extend(["--hostname".to_owned(), host.to_owned()]);
    all
}

/// `GH_PATH`, which gh sets for its extensions, else the first gh in `PATH`.
fn program() -> Result<PathBuf, Failure> {
    if let Some(path) = std::env::var_os("GH_PATH").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(Failure::Missing {
                tried: format!("GH_PATH names {}", Path::display(&path)),
            })
        };
    }
    which::which("gh").map_err(|_| Failure::Missing {
        tried: "looked in PATH".to_owned(),
    })
}

/// Reads `gh version 2.103.3 (2026-10-26)`. A version without numbers is a development build and taken as new.
fn accept_version(text: &str) -> Result<String, Failure> {
    let line = text.lines().next().unwrap_or_default();
    let version = line.split_whitespace().nth(2).unwrap_or_default();
    let mut numbers = version.split('.').map_while(|part| part.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) if (major, minor) < OLDEST => Err(Failure::TooOld {
            found: one_line(version, 40),
        }),
        _ => Ok(one_line(version, 40)),
    }
}

/// Counts the processes that may still be started.
#[derive(Debug)]
struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            free: Mutex::new(AT_ONCE),
            freed: Condvar::new(),
        }
    }
}

struct Slot<'a>(&'a Slots);

impl Slots {
    fn take(&self) -> Slot<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self
            .freed
            .wait_while(free, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Slot(self)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_gate_is_2_48() {
        for (line, accepted) in [
            ("gh version 2.103.3 (2026-10-26)\nhttps://github.com", true),
            ("gh version 2.48.0 (2024-04-17)", true),
            ("gh version 3.0.0", true),
            ("gh version DEV", true),
            ("gh version 2.47.9 (2024-04-01)", false),
            ("gh version 2.23.0 (2023-02-27 Debian 2.23.0+dfsg1-1)", false),
            ("gh version 1.99.0", false),
        ] {
            assert_eq!(accept_version(line).is_ok(), accepted, "{line}");
        }
    }
}
