//! Figures beside their limits.

use std::process::ExitCode;
use std::time::Duration;

/// What was measured so far.
#[derive(Default)]
pub struct Report {
    kept: usize,
    broken: Vec<String>,
}

impl Report {
    /// A figure that may be at most this; both in the same unit, which the shown texts bear.
    pub fn at_most(&mut self, name: &str, (figure, shown): (f64, String), (limit, allowed): (f64, String)) {
        self.judge(name, figure <= limit, &format!("{shown:>12}   at most {allowed}"));
    }

    /// A figure that must be at least this.
    pub fn at_least(&mut self, name: &str, figure: f64, limit: f64) {
        self.judge(
            name,
            figure >= limit,
            &format!("{:>12}   at least {limit} ×", times(figure)),
        );
    }

    /// A figure without a limit of its own.
    pub fn note(&self, name: &str, shown: &str) {
        println!("        {name:<58} {shown:>12}");
    }

    /// A line of explanation.
    pub fn say(&self, line: &str) {
        println!("        {line}");
    }

    fn judge(&mut self, name: &str, kept: bool, line: &str) {
        let word = if kept { "ok" } else { "BROKEN" };
        println!("{word:<7} {name:<58} {line}");
        if kept {
            self.kept += 1;
        } else {
            self.broken.push(name.to_owned());
        }
    }

    /// The verdict over all figures.
    pub fn end(self) -> ExitCode {
        if self.broken.is_empty() {
            println!("\nAll {} limits are kept.", self.kept);
            return ExitCode::SUCCESS;
        }
        println!(
            "\n{} limits are kept, {} are broken:",
            self.kept,
            self.broken.len()
        );
        for name in &self.broken {
            println!("  {name}");
        }
        ExitCode::FAILURE
    }
}

/// A ratio as it is shown.
pub fn times(ratio: f64) -> String {
    format!("{ratio:.2} ×")
}

/// A ratio with its text.
pub fn ratio(value: f64) -> (f64, String) {
    (value, times(value))
}

/// Milliseconds with their text.
pub fn milliseconds(time: Duration) -> (f64, String) {
    let value = time.as_secs_f64() * 1000.0;
    (value, format!("{value:.1} ms"))
}

/// Bytes with their text.
pub fn megabytes(bytes: u64) -> (f64, String) {
    let value = bytes as f64;
    (value, format!("{:.1} MB", value / 1e6))
}
