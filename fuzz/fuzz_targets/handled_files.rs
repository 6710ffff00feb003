//! Feeds `entries::handled_files`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| entries::handled_files::check(data));
