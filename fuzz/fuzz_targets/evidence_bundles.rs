//! Feeds `entries::evidence_bundles`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| entries::evidence_bundles::check(data));
