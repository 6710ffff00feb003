//! The corpus of every fuzz target, replayed: what was found once does not come back.
//!
//! The target for gh's output is part of the binary and replays its corpus in its own tests.

use std::path::Path;

#[path = "../../fuzz/src/lib.rs"]
mod entries;

#[test]
fn the_corpus_is_read_without_a_complaint() {
    for (target, check) in entries::ENTRIES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fuzz/corpus")
            .join(target);
        let mut read = 0;
        for entry in
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = entry.expect("an entry").path();
            // The name of the input stands above the complaint.
            eprintln!("{target}: {}", path.display());
            check(&std::fs::read(&path).expect("a file"));
            read += 1;
        }
        assert!(read >= 4, "{target} has too few examples");
    }
}
