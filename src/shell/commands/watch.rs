//! `watch`: read again and again until the verdict is terminal. It only reads.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use codex_loop::evidence::Evidence;
use codex_loop::gate::{Gate, GateOptions};
use codex_loop::report::look::Look;
use codex_loop::report::watch::{self as report, WatchDocument, WatchEvent};
use codex_loop::report::{Header, status};
use codex_loop::verdict::Verdict;
use codex_loop::watch::{Delay, Ended, NextStep, Observation, Seen, Watch};

use crate::cli::{self, Global};
use crate::clock;
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::gh::collect::{Known, Need};
use crate::gh::failure::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::source::{self, Live};
use crate::target;

pub fn run(global: &Global, arguments: &cli::gating::Watch) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<WatchDocument>()?;
    let mut watching = Watching {
        global,
        output: &output,
        choices: arguments.choices.options(None),
        line: LiveLine::new(output.look(), output.is_text()),
        until_gate: arguments.until == cli::gating::UntilWord::Gate,
    };
    if global.from.is_some() || global.demo.is_some() {
        return watching.saved(arguments);
    }
    let live = Live::find(global, arguments.pull.pull.as_ref(), Need::STATUS)?;
    watching.live(arguments, &live)
}

struct Watching<'a> {
    global: &'a Global,
    output: &'a Output,
    choices: GateOptions,
    line: LiveLine,
    until_gate: bool,
}

/// One reading, decided.
struct Decided {
    reading: report::Reading,
    observation: Observation,
    /// The text of `status`, for the end on a terminal.
    text: String,
}

impl Watching<'_> {
    /// A saved bundle does not change: it is looked at once.
    fn saved(&mut self, arguments: &cli::gating::Watch) -> Result<ExitCode, Error> {
        let evidence = source::evidence(self.global, arguments.pull.pull.as_ref(), Need::STATUS)?;
        let decided = self.decide(&evidence)?;
        let options = arguments.options();
        let mut watch = Watch::new(options, evidence.collected_at);
        let step = watch.step(evidence.collected_at, &Seen::Reading(&decided.observation));
        let ended = match step {
            NextStep::Done { ended, .. } => ended,
            NextStep::PollAfter { .. } => Ended::Timeout,
        };
        self.finish(&decided, 0, ended)
    }

    fn live(&mut self, arguments: &cli::gating::Watch, live: &Live) -> Result<ExitCode, Error> {
        let began = clock::exact();
        let mut watch = Watch::new(arguments.options(), began);
        let mut earlier: Option<Evidence> = None;
        let mut settling = false;
        self.line
            .announce(&format!("reading pull request {}", live.place.number));
        loop {
            let read = live.read(earlier.as_ref().map_or(Known::Nothing, Known::Earlier));
            interrupted()?;
            let now = clock::exact();
            let elapsed = watch.elapsed(now).num_seconds();
            let (seen, error) = match read {
                Ok(evidence) => {
                    let decided = self.decide(&evidence)?;
                    earlier = Some(evidence);
                    (Ok(decided), None)
                }
                Err(Failure::RateLimited { secondary, reset }) => {
                    let limited = Failure::RateLimited { secondary, reset };
                    (
                        Err(Some(reset)),
                        Some(target::reading_failed(limited, &live.place)),
                    )
                }
                Err(failure) => (Err(None), Some(target::reading_failed(failure, &live.place))),
            };
            if let Some(error) = error.as_ref().filter(|error| is_final(error, watch.has_read())) {
                return Err(error.clone());
            }
            let step = match &seen {
                Ok(decided) => watch.step(now, &Seen::Reading(&decided.observation)),
                Err(Some(reset)) => watch.step(now, &Seen::RateLimited(*reset)),
                Err(None) => watch.step(now, &Seen::Failed),
            };
            match (step, seen) {
                (
                    NextStep::Done {
                        ended: Ended::Errors, ..
                    },
                    seen,
                ) => {
                    return Err(error.unwrap_or_else(|| incomplete(seen.ok().as_ref())));
                }
                (NextStep::Done { ended, .. }, Ok(decided)) => return self.finish(&decided, elapsed, ended),
                (NextStep::Done { ended, .. }, Err(_)) => {
                    let header = self.header(live, earlier.as_ref());
                    let message = error.map(|error| error.message).unwrap_or_default();
                    let message = format!("The time is up. {message}");
                    let event = WatchEvent::Ended;
                    let document = report::of_failure(header, event, elapsed, None, Some(ended), &message);
                    self.tell(&document)?;
                    return Ok(ExitCode::Pending);
                }
                (NextStep::PollAfter { delay, why, changed }, Ok(decided)) => {
                    let wait = seconds(delay);
                    let incomplete = why == Delay::Error;
                    let grace = (why == Delay::Grace).then_some(wait);
                    let document = if incomplete {
                        let message = self::incomplete(Some(&decided)).message;
                        let header = self.header(live, earlier.as_ref());
                        report::of_failure(header, WatchEvent::Error, elapsed, Some(wait), None, &message)
                    } else {
                        report::of_reading(&decided.reading, elapsed, grace, Some(wait), None)
                    };
                    let news = changed || incomplete || (grace.is_some() && !settling);
                    settling = grace.is_some();
                    self.wait(&document, news, delay, &watch)?;
                }
                (NextStep::PollAfter { delay, why, .. }, Err(_)) => {
                    let wait = seconds(delay);
                    let event = match why {
                        Delay::RateLimit => WatchEvent::RateLimited,
                        Delay::Interval | Delay::Grace | Delay::Error => WatchEvent::Error,
                    };
                    let fact = error.map(|error| error.message).unwrap_or_default();
                    let message = format!("{fact} Reading again in {wait} s.");
                    let header = self.header(live, earlier.as_ref());
                    let document = report::of_failure(header, event, elapsed, Some(wait), None, &message);
                    self.wait(&document, true, delay, &watch)?;
                }
            }
        }
    }

    fn decide(&self, evidence: &Evidence) -> Result<Decided, Error> {
        let options = self.global.options();
        let run = super::classified(evidence, &options)?;
        let gate = Gate::of(&run, &self.choices);
        let verdict = Verdict::of(&run, &gate);
        let reading = report::Reading::of(&run, &gate, &verdict);
        let observation = Observation::of(&run, &gate, &verdict, reading.shown());
        let text = if self.line.look.terminal && self.output.is_text() {
            status::text(&status::document(&run, &gate, &verdict), &self.output.look())
        } else {
            String::new()
        };
        Ok(Decided {
            reading,
            observation,
            text,
        })
    }

    /// The last line, and on a terminal the whole status.
    fn finish(&mut self, decided: &Decided, elapsed: i64, ended: Ended) -> Result<ExitCode, Error> {
        self.line.clear();
        if decided.text.is_empty() {
            let document = report::of_reading(&decided.reading, elapsed, None, None, Some(ended));
            self.tell(&document)?;
        } else {
            crate::output::write(decided.text.as_bytes())?;
            if ended == Ended::Timeout {
                eprintln!("The time is up; the verdict is still open.");
            }
        }
        Ok(match ended {
            Ended::Timeout => ExitCode::Pending,
            Ended::Errors => ExitCode::Unknown,
            Ended::Terminal | Ended::Gate | Ended::Change if self.until_gate => {
                decided.observation.gate_end.into()
            }
            Ended::Terminal | Ended::Gate | Ended::Change => decided.observation.state.into(),
        })
    }

    /// A line of JSON, or a line for a pipe.
    fn tell(&self, document: &WatchDocument) -> Result<(), Error> {
        self.output.line(document, |_| report::line(document))
    }

    /// Tells what is new and waits. On a terminal the live line stands meanwhile.
    fn wait(
        &mut self,
        document: &WatchDocument,
        news: bool,
        delay: TimeDelta,
        watch: &Watch,
    ) -> Result<(), Error> {
        if news && !self.line.is_shown() {
            self.tell(document)?;
        }
        self.line.document = Some(document.clone());
        let until = Instant::now() + delay.to_std().unwrap_or_default();
        loop {
            interrupted()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.line.show(watch.elapsed(clock::exact()).num_seconds());
            std::thread::sleep(left.min(TICK));
        }
    }

    fn header(&self, live: &Live, earlier: Option<&Evidence>) -> Header {
        let repository = live.place.repository.to_string();
        let place = (live.place.host.as_str(), repository.as_str(), live.place.number);
        report::header(place, earlier, clock::now())
    }
}

/// How often an interruption is looked for and the live line is drawn.
const TICK: Duration = Duration::from_millis(100);

fn seconds(delay: TimeDelta) -> i64 {
    // A wait that is said to be 0 s long would look like none at all.
    delay.num_milliseconds().saturating_add(999) / 1_000
}

fn interrupted() -> Result<(), Error> {
    if interrupt::requested() {
        Err(Error::interrupted())
    } else {
        Ok(())
    }
}

/// Failures that no later reading mends; the last two only as long as nothing could be read at all.
fn is_final(error: &Error, has_read: bool) -> bool {
    match error.kind {
        ErrorKind::Usage
        | ErrorKind::AuthMissing
        | ErrorKind::GhMissing
        | ErrorKind::GhTooOld
        | ErrorKind::Interrupted
        | ErrorKind::Internal
        | ErrorKind::Journal
        | ErrorKind::Refused => true,
        ErrorKind::AuthRefused | ErrorKind::NotFound => !has_read,
        ErrorKind::RateLimited
        | ErrorKind::Network
        | ErrorKind::Timeout
        | ErrorKind::GhFailed
        | ErrorKind::Unstable
        | ErrorKind::Incomplete => false,
    }
}

/// A reading that decided nothing because something of it is missing.
fn incomplete(decided: Option<&Decided>) -> Error {
    let reasons = decided.map_or_else(String::new, |decided| decided.reading.first_message());
    Error::new(
        ErrorKind::Incomplete,
        format!("Nothing could be decided: {reasons}"),
        "Run the command again; nothing is asserted about the pull request.",
    )
}

/// The one line that is redrawn in place on a terminal.
struct LiveLine {
    look: Look,
    on: bool,
    spins: bool,
    frame: usize,
    drawn: bool,
    document: Option<WatchDocument>,
}

impl LiveLine {
    fn new(look: Look, text: bool) -> Self {
        // A dumb terminal cannot draw a line again: it gets a line for each change, as a pipe does.
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let disabled = std::env::var_os("GH_SPINNER_DISABLED").is_some_and(|value| !value.is_empty());
        Self {
            on: text && look.terminal && std::io::stderr().is_terminal() && !dumb,
            look,
            spins: !disabled,
            frame: 0,
            drawn: false,
            document: None,
        }
    }

    fn is_shown(&self) -> bool {
        self.on
    }

    /// Says what is done before there is anything to show.
    fn announce(&mut self, text: &str) {
        if self.on {
            self.drawn = true;
            // A closed stderr only loses the line.
            let _ = write!(std::io::stderr(), "\r\x1b[2K{text} …");
        }
    }

    fn show(&mut self, elapsed: i64) {
        const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
        let Some(document) = self.document.as_ref().filter(|_| self.on) else {
            return;
        };
        let spinner = if self.spins {
            FRAMES[self.frame % FRAMES.len()]
        } else {
            "*"
        };
        let line = report::live(document, elapsed, spinner, &self.look);
        self.frame += 1;
        self.drawn = true;
        // A closed stderr only loses the line.
        let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
    }

    fn clear(&mut self) {
        if self.drawn {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
            self.drawn = false;
        }
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        self.clear();
    }
}
