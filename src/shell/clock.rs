//! The one place that reads the clock.

use chrono::{SubsecRound, Utc};
use codex_loop::evidence::observed::Timestamp;

/// The present time, in whole seconds as GitHub writes times.
pub fn now() -> Timestamp {
    Utc::now().trunc_subsecs(0)
}

/// The present time with its fraction, for measuring how long something lasts.
pub fn exact() -> Timestamp {
    Utc::now()
}
