//! Integration tests: the real binary over the real gh against a loopback GitHub, and proofs of that loopback.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests start processes and read files"
)]

mod classification;
mod collection;
mod converge;
mod delivery;
mod evaluation;
mod fuzzed;
mod gate;
mod github;
mod handled;
mod list;
mod look;
mod loopback;
mod product;
mod snapshot;
mod watch;
mod writes;
