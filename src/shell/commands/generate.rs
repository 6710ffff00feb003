//! `generate`: rewrites what is made from the program itself and kept in the repository, or checks that it is up to date:
//! completions, manual, picture, the tables of exit codes, and the output that README.md shows of built-in bundles.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use clap::ValueEnum;

use crate::cli::reference::{Generate, Shell};
use crate::completion;
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::manual;
use crate::output;
use crate::picture;

/// Folders that hold nothing but generated files.
const FOLDERS: [&str; 2] = ["completions", "man"];

/// The picture that README.md shows.
const PICTURE: &str = "docs/status.svg";

/// The skill of coding agents.
const SKILL: &str = "gh-extension/skill/SKILL.md";

/// Between which lines a text has its table of exit codes.
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
    files.insert(
        PathBuf::from(PICTURE),
        picture::status().map_err(|error| io::Error::other(error.to_string()))?,
    );
    let rows: String = ExitCode::ALL
        .iter()
        .map(|code| format!("| {} | {} |\n", code.number(), code.meaning()))
        .collect();
    let readme = with_table(
        root,
        "README.md",
        &format!("| code | meaning |\n|---|---|\n{rows}"),
    )?;
    files.insert(PathBuf::from("README.md"), with_output(&readme)?);
    let rows: String = ExitCode::ALL
        .iter()
        .map(|code| {
            format!(
                "| {} | {} | {} |\n",
                code.number(),
                code.meaning(),
                code.recovery()
            )
        })
        .collect();
    let table = format!("| code | meaning | what to do |\n|---|---|---|\n{rows}");
    files.insert(PathBuf::from(SKILL), with_table(root, SKILL, &table)?);
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

/// A text with its table of exit codes as the program has it now.
fn with_table(root: &Path, name: &str, table: &str) -> io::Result<String> {
    let text = fs::read_to_string(root.join(name))?.replace("\r\n", "\n");
    let parts = text.split_once(TABLE.0).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(TABLE.1)?;
        Some((before, after))
    });
    let Some((before, after)) = parts else {
        return Err(io::Error::other(format!(
            "{name} has no place for the table of exit codes"
        )));
    };
    Ok(format!("{before}{}{table}{}{after}", TABLE.0, TABLE.1))
}

/// A text with every block of console lines as the commands in it print them, where all of them read built-in bundles.
fn with_output(text: &str) -> io::Result<String> {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, block)) = rest.split_once("```console\n") {
        let Some((block, after)) = block.split_once("```") else {
            break;
        };
        whole.push_str(before);
        whole.push_str("```console\n");
        let commands: Vec<&str> = block.lines().filter(|line| line.starts_with("$ ")).collect();
        if commands.iter().all(|command| command.contains(" --demo")) {
            for command in commands {
                whole.push_str(command);
                whole.push('\n');
                whole.push_str(&printed(command)?);
            }
        } else {
            whole.push_str(block);
        }
        whole.push_str("```");
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

/// What this program prints in a pipe for `$ gh codex-loop …`; the words of such a line hold no quotes.
fn printed(line: &str) -> io::Result<String> {
    let words = line.trim_start_matches("$ gh codex-loop").split_whitespace();
    let run = process::Command::new(env::current_exe()?)
        .args(words)
        .args(["--color", "never"])
        .stdin(process::Stdio::null())
        .output()?;
    if !run.stderr.is_empty() {
        return Err(io::Error::other(format!(
            "`{line}` fails: {}",
            String::from_utf8_lossy(&run.stderr)
        )));
    }
    String::from_utf8(run.stdout).map_err(io::Error::other)
}
