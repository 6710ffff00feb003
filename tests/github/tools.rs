//! Where the real gh and GitHub's published schemas are; `tests/run` puts them there.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder that `tests/run` fills.
pub fn folder() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("target"),
        PathBuf::from,
    );
    target.join("tools")
}

/// Text of a file in that folder.
pub fn read(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "cannot read {} ({error}): run tests/run, which fetches it",
            path.display()
        )
    })
}

/// The real gh: `CODEX_LOOP_TEST_GH`, else the one that `tests/run` installed, else the one on the path.
pub fn gh() -> PathBuf {
    if let Some(chosen) = env::var_os("CODEX_LOOP_TEST_GH") {
        return PathBuf::from(chosen);
    }
    let installed = folder().join("bin/gh");
    if installed.exists() {
        return installed;
    }
    which::which("gh").unwrap_or_else(|_| panic!("there is no gh: run tests/run, which installs one"))
}
