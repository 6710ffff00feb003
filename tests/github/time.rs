//! Times of the loopback world: whole seconds, as GitHub writes them.

use chrono::{DateTime, Duration, SecondsFormat, SubsecRound, Utc};

/// A moment as GitHub gives it.
pub type Time = DateTime<Utc>;

/// A fixed moment: `at("10:00")` or `at("10:00:30")` on 16 September 2026, or a whole RFC 3339 time.
pub fn at(text: &str) -> Time {
    let full = match text.len() {
        5 => format!("2026-09-16T{text}:00Z"),
        8 => format!("2026-09-16T{text}Z"),
        _ => text.to_owned(),
    };
    full.parse()
        .unwrap_or_else(|_| panic!("`{text}` is no time such as 10:00, 10:00:30 or 2026-09-16T10:00:00Z"))
}

/// A moment before the present: `ago("90s")`, `ago("5m")`, `ago("2h")`, `ago("3d")`.
pub fn ago(text: &str) -> Time {
    Utc::now().trunc_subsecs(0) - span(text)
}

/// A length of time written as for [`ago`].
pub fn span(text: &str) -> Duration {
    let (number, unit) = text.split_at(text.len() - 1);
    let number: i64 = number
        .parse()
        .unwrap_or_else(|_| panic!("`{text}` is no span such as 90s, 5m, 2h or 3d"));
    match unit {
        "s" => Duration::seconds(number),
        "m" => Duration::minutes(number),
        "h" => Duration::hours(number),
        "d" => Duration::days(number),
        _ => panic!("`{text}` has no unit among s, m, h, d"),
    }
}

/// The present, in whole seconds.
pub fn now() -> Time {
    Utc::now().trunc_subsecs(0)
}

/// GitHub's spelling of a time.
pub fn iso(time: Time) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}
