//! Feeds `entries::bot_texts`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| entries::bot_texts::check(data));
