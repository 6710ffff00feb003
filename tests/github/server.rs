//! The server: a unix socket, one thread per connection, the world behind a lock.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::fault::{Action, Fault, Match, Rule};
use super::http::{Request, Response};
use super::log::Log;
use super::world::World;
use super::{graphql, rest};

/// A running loopback GitHub; it ends when dropped, and then fails the test on any problem that it noted.
pub struct Github {
    shared: Arc<Shared>,
    folder: TempDir,
    problems_expected: AtomicBool,
}

struct Shared {
    world: Mutex<Arc<World>>,
    rules: Mutex<Vec<Arc<Rule>>>,
    log: Mutex<Log>,
    latency: Mutex<Duration>,
    closed: Mutex<bool>,
    closing: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Github {
    /// Starts serving the world.
    pub fn start(world: World) -> Self {
        // Directly under /tmp, since the path of a socket has at most 107 bytes.
        let folder = tempfile::Builder::new()
            .prefix("codex-")
            .tempdir_in("/tmp")
            .unwrap_or_else(|error| panic!("cannot make a folder for the socket: {error}"));
        let listener = UnixListener::bind(folder.path().join("gh.sock"))
            .unwrap_or_else(|error| panic!("cannot listen on the socket: {error}"));
        let shared = Arc::new(Shared {
            world: Mutex::new(Arc::new(world)),
            rules: Mutex::default(),
            log: Mutex::default(),
            latency: Mutex::default(),
            closed: Mutex::new(false),
            closing: Condvar::new(),
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if *lock(&serving.closed) {
                    return;
                }
                let Ok(stream) = stream else { return };
                let serving = Arc::clone(&serving);
                // A client that went away is no concern of the server's.
                thread::spawn(move || serving.serve(stream));
            }
        });
        Self {
            shared,
            folder,
            problems_expected: AtomicBool::new(false),
        }
    }

    /// The socket for gh's `http_unix_socket`.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("gh.sock")
    }

    /// A private folder with a short path.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Changes the world between two requests.
    pub fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        change(Arc::make_mut(&mut lock(&self.shared.world)))
    }

    /// The world as it is now.
    pub fn world(&self) -> Arc<World> {
        lock(&self.shared.world).clone()
    }

    /// Prepares a fault for the requests that fit.
    pub fn on(&self, when: Match) -> Fault<'_> {
        Fault {
            add: Box::new(|rule| lock(&self.shared.rules).push(Arc::new(rule))),
            when,
        }
    }

    /// Takes all faults away.
    pub fn heal(&self) {
        lock(&self.shared.rules).clear();
    }

    /// Makes every request take this long.
    pub fn latency(&self, latency: Duration) {
        *lock(&self.shared.latency) = latency;
    }

    /// Everything asked so far.
    pub fn log(&self) -> Log {
        lock(&self.shared.log).clone()
    }

    /// Forgets what was asked so far.
    pub fn forget(&self) {
        lock(&self.shared.log).requests.clear();
    }

    /// Lets the test pass although unknown routes, unknown fields or invalid queries were asked for.
    pub fn expect_problems(&self) {
        self.problems_expected.store(true, Ordering::SeqCst);
    }
}

impl Drop for Github {
    fn drop(&mut self) {
        *lock(&self.shared.closed) = true;
        self.shared.closing.notify_all();
        for rule in lock(&self.shared.rules).iter() {
            if let Action::Hold(hold) | Action::HoldAfter(hold) = &rule.action {
                hold.release();
            }
        }
        // Wakes the thread that accepts, which then ends; it may have ended already.
        drop(UnixStream::connect(self.socket()));
        let problems = std::mem::take(&mut lock(&self.shared.log).problems);
        if !thread::panicking() && !problems.is_empty() && !self.problems_expected.load(Ordering::SeqCst) {
            panic!(
                "the loopback GitHub was asked what it cannot answer:\n{}",
                problems.join("\n")
            );
        }
    }
}

/// What is left to do with a request once its rules were looked at.
enum Decision<'r> {
    True,
    Give(&'r Response),
    Late(Duration, Option<&'r Response>),
    Instead(&'r Response),
    Drop { apply: bool },
    Half,
    Hang,
}

impl Shared {
    fn serve(&self, mut stream: UnixStream) -> io::Result<()> {
        let Some(request) = Request::read(&mut stream)? else {
            return Ok(());
        };
        lock(&self.log).requests.push(request.clone());
        let latency = *lock(&self.latency);
        if !latency.is_zero() {
            self.pause(latency);
        }
        let rules: Vec<Arc<Rule>> = lock(&self.rules)
            .iter()
            .filter(|rule| rule.takes(&request))
            .cloned()
            .collect();
        let mut decision = Decision::True;
        let mut held = Vec::new();
        for rule in &rules {
            let undecided = matches!(decision, Decision::True);
            match &rule.action {
                Action::Delay(delay) => self.pause(*delay),
                Action::Before(change) => change(Arc::make_mut(&mut lock(&self.world))),
                Action::Hold(hold) => hold.arrive(),
                Action::HoldAfter(hold) => held.push(hold),
                Action::After(_) | Action::Rewrite(_) => {}
                Action::Answer(response) if undecided => decision = Decision::Give(response),
                Action::Hang if undecided => decision = Decision::Hang,
                Action::Drop if undecided => decision = Decision::Drop { apply: false },
                Action::DropMidBody if undecided => decision = Decision::Half,
                Action::ApplyThenDrop if undecided => decision = Decision::Drop { apply: true },
                Action::ApplyThen(response) if undecided => decision = Decision::Instead(response),
                Action::ApplyLate(after, response) if undecided => {
                    decision = Decision::Late(*after, response.as_ref());
                }
                Action::Answer(_)
                | Action::Hang
                | Action::Drop
                | Action::DropMidBody
                | Action::ApplyThenDrop
                | Action::ApplyThen(_)
                | Action::ApplyLate(..) => {}
            }
        }
        if *lock(&self.closed) {
            return Ok(());
        }
        let truth = |shared: &Self| {
            let response = shared.answer(&request);
            for rule in &rules {
                if let Action::After(change) = &rule.action {
                    change(Arc::make_mut(&mut lock(&shared.world)));
                }
            }
            for hold in &held {
                hold.arrive();
            }
            rules.iter().fold(response, |response, rule| match &rule.action {
                Action::Rewrite(rewrite) => rewrite(response),
                Action::Delay(_)
                | Action::Before(_)
                | Action::After(_)
                | Action::Hold(_)
                | Action::HoldAfter(_)
                | Action::Answer(_)
                | Action::Hang
                | Action::Drop
                | Action::DropMidBody
                | Action::ApplyThenDrop
                | Action::ApplyThen(_)
                | Action::ApplyLate(..) => response,
            })
        };
        match decision {
            Decision::True => truth(self).write(&mut stream, true),
            Decision::Half => truth(self).write(&mut stream, false),
            Decision::Give(response) => self.dressed(response).write(&mut stream, true),
            Decision::Instead(response) => {
                drop(truth(self));
                self.dressed(response).write(&mut stream, true)
            }
            Decision::Drop { apply } => {
                if apply {
                    drop(truth(self));
                }
                Ok(())
            }
            Decision::Late(after, response) => {
                if let Some(response) = response {
                    self.dressed(response).write(&mut stream, true)?;
                }
                drop(stream);
                self.pause(after);
                drop(truth(self));
                Ok(())
            }
            Decision::Hang => {
                let mut closed = lock(&self.closed);
                while !*closed {
                    closed = self.closing.wait(closed).unwrap_or_else(PoisonError::into_inner);
                }
                Ok(())
            }
        }
    }

    /// A prepared answer gets GitHub's rate limit headers, unless it brings its own.
    fn dressed(&self, response: &Response) -> Response {
        let own = response
            .headers
            .iter()
            .any(|(name, _)| name.starts_with("X-RateLimit"));
        if own {
            response.clone()
        } else {
            rest::with_common_headers(response.clone(), &lock(&self.world))
        }
    }

    /// Waits, but not beyond the end of the test.
    fn pause(&self, delay: Duration) {
        let closed = lock(&self.closed);
        drop(
            self.closing
                .wait_timeout_while(closed, delay, |closed| !*closed)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    fn answer(&self, request: &Request) -> Response {
        if request.is_graphql() {
            let outcome = graphql::answer(&self.world, request);
            let noted = outcome
                .problems
                .into_iter()
                .map(|problem| format!("GraphQL: {problem}"));
            lock(&self.log).problems.extend(noted);
            return rest::with_common_headers(outcome.response, &lock(&self.world));
        }
        let answer = if request.is_write() {
            rest::answer(&mut lock(&self.world), request)
        } else {
            let mut snapshot = lock(&self.world).clone();
            rest::answer(&mut snapshot, request)
        };
        answer.unwrap_or_else(|| {
            lock(&self.log)
                .problems
                .push(format!("no route for {} {}", request.method, request.path));
            rest::not_found()
        })
    }
}
