//! `generate`: rewrites what is made from the command line and kept in the repository, or checks that it is up to date.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::reference::{Generate, Shell};
use crate::completion;
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::manual;
use crate::output;

/// Folders that hold nothing but generated files.
const FOLDERS: [&str; 2] = ["completions", "man"];

/// Where README.md has the table of exit codes.
const TABLE: (&str, &str) = ("<!-- exit codes: generated -->\n", "<!-- end of exit codes -->");

pub fn run(arguments: &Generate) -> Result<ExitCode, Error> {
    let root = &arguments.folder;
    let failed = |error: io::Error| {
        Error::new(
            ErrorKind::Internal,
            format!(
                "The generated files of {} cannot be made: {error}.",
                root.display()
            ),
            "Name a checkout of this program.",
        )
    };
    let wanted = wanted(root).map_err(failed)?;
    let stale = stale(root, &wanted).map_err(failed)?;
    if arguments.check {
        return match stale.as_slice() {
            [] => Ok(ExitCode::Holds),
            stale => Err(Error::new(
                ErrorKind::Incomplete,
                format!("Not up to date: {}.", shown(stale)),
                "Rewrite them: cargo run -- generate.",
            )),
        };
    }
    for path in &stale {
        let place = root.join(path);
        match wanted.get(path) {
            Some(text) => {
                let folder = place.parent().unwrap_or(root);
                fs::create_dir_all(folder)
                    .and_then(|()| fs::write(&place, text))
                    .map_err(failed)?;
            }
            None => fs::remove_file(&place).map_err(failed)?,
        }
    }
    let text: String = stale.iter().map(|path| format!("{}\n", path.display())).collect();
    output::write(text.as_bytes())?;
    Ok(ExitCode::Holds)
}

/// Every generated file with its text.
fn wanted(root: &Path) -> io::Result<BTreeMap<PathBuf, String>> {
    let mut files = BTreeMap::new();
    for shell in Shell::value_variants() {
        let path = Path::new("completions").join(completion::file_name(*shell));
        files.insert(path, completion::script(*shell));
    }
    for page in manual::pages() {
        files.insert(Path::new("man").join(page.file_name()), page.roff);
    }
    let readme = fs::read_to_string(root.join("README.md"))?;
    files.insert(PathBuf::from("README.md"), with_exit_codes(&readme)?);
    Ok(files)
}

/// The files that differ, are missing, or should not be there.
fn stale(root: &Path, wanted: &BTreeMap<PathBuf, String>) -> io::Result<Vec<PathBuf>> {
    let mut stale = Vec::new();
    for (path, text) in wanted {
        // A checkout on Windows may have its own line ends.
        let same = fs::read_to_string(root.join(path)).is_ok_and(|old| old.replace("\r\n", "\n") == *text);
        if !same {
            stale.push(path.clone());
        }
    }
    for folder in FOLDERS {
        let Ok(entries) = fs::read_dir(root.join(folder)) else {
            continue;
        };
        for entry in entries {
            let path = Path::new(folder).join(entry?.file_name());
            if !wanted.contains_key(&path) && path.file_name() != Some(OsStr::new(".DS_Store")) {
                stale.push(path);
            }
        }
    }
    stale.sort();
    Ok(stale)
}

fn shown(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
}

/// README.md with its table as the program has it now.
fn with_exit_codes(readme: &str) -> io::Result<String> {
    let readme = readme.replace("\r\n", "\n");
    let parts = readme.split_once(TABLE.0).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(TABLE.1)?;
        Some((before, after))
    });
    let Some((before, after)) = parts else {
        return Err(io::Error::other(
            "README.md has no place for the table of exit codes",
        ));
    };
    let rows: String = ExitCode::ALL
        .iter()
        .map(|code| format!("| {} | {} |\n", code.number(), code.meaning()))
        .collect();
    Ok(format!(
        "{before}{}| code | meaning |\n|---|---|\n{rows}{}{after}",
        TABLE.0, TABLE.1
    ))
}
