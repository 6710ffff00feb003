//! Feeds `entries::evaluator_documents`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| entries::evaluator_documents::check(data));
