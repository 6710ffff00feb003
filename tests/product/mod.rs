//! Runs the real binary, or the real gh, in an environment that holds nothing but the test.
//!
//! ```ignore
//! let product = Product::new(&github);                          // own HOME, state, config; cwd: a clone of octo/widgets
//! let run = product.run(&["classify", "42", "--json"]);         // ends within PATIENCE or the test fails
//! assert_eq!(run.code, Some(0), "{run}");
//! assert_eq!(run.json()["state"], "clean");
//! product.command(&["status", "42"]).env("NO_COLOR", "1").stdin("…").cwd(&dir).run();
//! let running = product.command(&["watch", "42"]).start();      // running.interrupt(); running.kill(); running.finish();
//! product.command(&["status", "42"]).terminal(100, 30);         // runs on a pseudo terminal of 100 columns
//! product.assert_no_child_left();
//! ```
#![allow(
    dead_code,
    reason = "the benchmarks include this module too, and no binary uses all of it"
)]

mod running;
mod terminal;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::github::{Github, PATIENCE, tools};

pub use running::Running;

/// The environment of one user on one machine.
pub struct Product {
    root: TempDir,
    gh: PathBuf,
    token: Option<String>,
}

impl Product {
    /// A fresh user whose gh talks to this GitHub, in a clone of `octo/widgets`.
    pub fn new(github: &Github) -> Self {
        Self::on_host(github, "github.com", "octo/widgets")
    }

    /// As [`Product::new`], in a clone of a repository on another host.
    pub fn on_host(github: &Github, host: &str, repository: &str) -> Self {
        let root = tempfile::Builder::new()
            .prefix("codex-home-")
            .tempdir_in("/tmp")
            .unwrap_or_else(|error| panic!("cannot make a home: {error}"));
        let product = Self {
            root,
            gh: tools::gh(),
            token: Some("loopback-token".to_owned()),
        };
        for folder in ["home", "config", "cache", "state", "data", "tmp"] {
            write_folder(&product.path(folder));
        }
        let config = format!("http_unix_socket: {}\n", github.socket().display());
        write(&product.path("config/config.yml"), &config);
        if host != "github.com" {
            // gh takes a host for GitHub's only when the user has logged in there.
            let hosts = format!("{host}:\n    oauth_token: loopback-token\n    user: ada\n");
            write(&product.path("config/hosts.yml"), &hosts);
        }
        product.clone_of("work", &format!("https://{host}/{repository}.git"));
        product
    }

    /// No token: gh asks to log in.
    pub fn logged_out(mut self) -> Self {
        self.token = None;
        self
    }

    /// Uses another gh, or a path where none is.
    pub fn with_gh(mut self, gh: &Path) -> Self {
        self.gh = gh.to_owned();
        self
    }

    /// A path in the private folder of this user: `home`, `config`, `cache`, `state`, `data`, `tmp`, `work`.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// An empty clone with that `origin`, made without git.
    pub fn clone_of(&self, name: &str, origin: &str) -> PathBuf {
        let clone = self.path(name);
        for folder in [".git/objects", ".git/refs/heads"] {
            write_folder(&clone.join(folder));
        }
        write(&clone.join(".git/HEAD"), "ref: refs/heads/main\n");
        let config = format!(
            "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = {origin}\n\tfetch = \
             +refs/heads/*:refs/remotes/origin/*\n"
        );
        write(&clone.join(".git/config"), &config);
        clone
    }

    /// Checks a branch out in the clone, as far as gh looks.
    pub fn check_out(&self, branch: &str) {
        write(
            &self.path("work/.git/HEAD"),
            &format!("ref: refs/heads/{branch}\n"),
        );
    }

    /// A command of the product.
    pub fn command(&self, arguments: &[&str]) -> Command<'_> {
        self.program(Path::new(env!("CARGO_BIN_EXE_gh-codex-loop")), arguments)
    }

    /// A command of the real gh, in the same environment.
    pub fn gh(&self, arguments: &[&str]) -> Command<'_> {
        self.program(&self.gh, arguments)
    }

    /// Any program, in the same environment.
    pub fn program(&self, program: &Path, arguments: &[&str]) -> Command<'_> {
        Command {
            product: self,
            program: program.to_owned(),
            arguments: arguments.iter().map(OsString::from).collect(),
            cwd: self.path("work"),
            stdin: None,
            changes: Vec::new(),
            deadline: PATIENCE,
        }
    }

    /// Runs a command of the product to its end.
    #[must_use = "a run says nothing until its outcome is looked at"]
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.command(arguments).run()
    }

    /// Fails unless a document fits the schema that the product publishes for its kind.
    #[track_caller]
    pub fn assert_fits_schema(&self, document: &Value) {
        let name = document["schema"]
            .as_str()
            .unwrap_or_else(|| panic!("no schema named in {document}"));
        let schema = self.run(&["schema", name]).expect(0).json();
        let validator = jsonschema::validator_for(&schema)
            .unwrap_or_else(|error| panic!("the schema {name} is none: {error}"));
        let faults: Vec<String> = validator
            .iter_errors(document)
            .map(|fault| format!("{} at {}", fault, fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{faults:#?} in {document:#}");
    }

    /// Processes that still run in this environment, the caller's own children included, as `PID command line`.
    pub fn processes(&self) -> Vec<String> {
        let mark = self.path("config").into_os_string().into_encoded_bytes();
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        entries
            .flatten()
            .filter(|entry| {
                entry
                    .file_name()
                    .to_string_lossy()
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
            })
            .filter(|entry| {
                let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
                environment.windows(mark.len()).any(|window| window == mark)
            })
            .map(|entry| {
                let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                format!(
                    "{} {}",
                    entry.file_name().to_string_lossy(),
                    String::from_utf8_lossy(&line).replace('\0', " ")
                )
            })
            .collect()
    }

    /// Fails when a process of this environment outlives the command that started it.
    pub fn assert_no_child_left(&self) {
        // A killed process stays visible until the kernel has taken it down.
        let deadline = std::time::Instant::now() + Duration::from_secs(5);
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            assert!(std::time::Instant::now() < deadline, "left behind: {left:?}");
            std::thread::yield_now();
        }
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        let gh_folder = self.gh.parent().unwrap_or(Path::new("/nonexistent"));
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", gh_folder.display());
        let mut environment: Vec<(OsString, OsString)> = [
            ("HOME", self.path("home")),
            ("GH_CONFIG_DIR", self.path("config")),
            ("XDG_CONFIG_HOME", self.path("config")),
            ("XDG_CACHE_HOME", self.path("cache")),
            ("XDG_STATE_HOME", self.path("state")),
            ("XDG_DATA_HOME", self.path("data")),
            ("TMPDIR", self.path("tmp")),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value.into_os_string()))
        .collect();
        for (name, value) in [
            ("PATH", path.as_str()),
            ("LANG", "C.UTF-8"),
            ("TERM", "xterm-256color"),
            ("TZ", "UTC"),
            ("GH_TELEMETRY", "false"),
            ("DO_NOT_TRACK", "1"),
            ("GH_NO_UPDATE_NOTIFIER", "1"),
            ("GH_NO_EXTENSION_UPDATE_NOTIFIER", "1"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CEILING_DIRECTORIES", "/tmp"),
        ] {
            environment.push((name.into(), value.into()));
        }
        if let Some(token) = &self.token {
            environment.push(("GH_TOKEN".into(), token.into()));
            environment.push(("GH_ENTERPRISE_TOKEN".into(), token.into()));
        }
        environment
    }
}

/// One command before it runs.
pub struct Command<'p> {
    product: &'p Product,
    program: PathBuf,
    arguments: Vec<OsString>,
    cwd: PathBuf,
    stdin: Option<Vec<u8>>,
    changes: Vec<(OsString, Option<OsString>)>,
    deadline: Duration,
}

impl Command<'_> {
    /// Sets a variable on top of the private environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.changes.push((name.into(), Some(value.as_ref().to_owned())));
        self
    }

    /// Takes a variable away.
    pub fn without_env(mut self, name: &str) -> Self {
        self.changes.push((name.into(), None));
        self
    }

    /// Runs in this folder instead of the clone.
    pub fn cwd(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.cwd);
        self
    }

    /// Text on standard input, which is empty otherwise.
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(text.into());
        self
    }

    /// Fails the test when the command runs longer than this.
    pub fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Runs to the end.
    #[must_use = "a run says nothing until its outcome is looked at"]
    pub fn run(self) -> Run {
        self.start().finish()
    }

    /// Starts in a process group of its own, as a shell does.
    pub fn start(self) -> Running {
        let mut command = self.prepared();
        command.stdin(if self.stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::start(command, self.stdin, self.deadline)
    }

    /// Runs on a pseudo terminal of this size; what it shows is `stdout`.
    pub fn terminal(self, columns: u16, rows: u16) -> Run {
        terminal::run(self.prepared(), self.stdin, columns, rows, self.deadline)
    }

    fn prepared(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.cwd)
            .env_clear()
            .envs(self.product.environment());
        for (name, value) in &self.changes {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}

/// What a command came to.
#[derive(Clone, Debug)]
pub struct Run {
    /// None when a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub elapsed: Duration,
}

impl Run {
    /// Standard output as one JSON document.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is no JSON ({error}):\n{self}"))
    }

    /// Standard error as one JSON document, as errors are written in JSON mode.
    #[track_caller]
    pub fn error_json(&self) -> Value {
        serde_json::from_str(&self.stderr)
            .unwrap_or_else(|error| panic!("stderr is no JSON ({error}):\n{self}"))
    }

    /// Fails unless the command ended with this code.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }
}

impl fmt::Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "code {:?}, signal {:?}, {:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.code,
            self.signal,
            self.elapsed,
            shortened(&self.stdout),
            shortened(&self.stderr)
        )
    }
}

/// The start and the end of a long text: enough to see what went wrong.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 2000;
    let length = text.chars().count();
    if length <= 2 * SHOWN {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHOWN).collect();
    let end: String = text.chars().skip(length - SHOWN).collect();
    format!("{start}\n… {} characters …\n{end}", length - 2 * SHOWN)
}

fn write_folder(path: &Path) {
    fs::create_dir_all(path).unwrap_or_else(|error| panic!("cannot make {}: {error}", path.display()));
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}
