//! Feeds `entries::journals`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| entries::journals::check(data));
