//! `man`: a page of the manual, shown by the system's own reader.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::reference::Man;
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::manual::{self, Page};
use crate::output;
use crate::suggestion;

pub fn run(arguments: &Man) -> Result<ExitCode, Error> {
    if let Some(folder) = &arguments.install {
        return install(folder.as_deref());
    }
    let name = arguments.page.as_deref().unwrap_or("gh-codex-loop");
    let page = manual::find(name).ok_or_else(|| {
        let pages = manual::pages();
        // A page is named by its command, too, and that is what people type.
        let short = |page: &'_ str| page.strip_prefix("gh-codex-loop-").map(str::to_owned);
        let whole = name.starts_with("gh-");
        let names: Vec<String> = pages
            .iter()
            .map(|page| {
                short(&page.name)
                    .filter(|_| !whole)
                    .unwrap_or_else(|| page.name.clone())
            })
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        suggestion::unknown("page", name, "The pages", &names)
    })?;
    if arguments.roff {
        output::write(page.roff.as_bytes())?;
    } else if !shown(&page)? {
        output::write(page.plain.as_bytes())?;
    }
    Ok(ExitCode::Holds)
}

/// Shows the page with `man`; false when there is none that can.
fn shown(page: &Page) -> Result<bool, Error> {
    let failed = |error: std::io::Error| {
        Error::new(
            ErrorKind::Internal,
            format!("The page could not be written to a temporary file: {error}."),
            "Print its source with `--roff`.",
        )
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join(page.file_name());
    std::fs::write(&file, &page.roff).map_err(failed)?;
    // A path with a slash is read as a file by man-db, mandoc and the man of macOS.
    Ok(Command::new("man")
        .arg(&file)
        .status()
        .is_ok_and(|status| status.success()))
}

/// Writes every page, and says where.
fn install(folder: Option<&Path>) -> Result<ExitCode, Error> {
    let folder = folder
        .map(Path::to_owned)
        .or_else(default_folder)
        .ok_or_else(|| {
            Error::usage(
                "There is no home folder for the pages.",
                "Name a folder: --install FOLDER.",
            )
        })?;
    write_pages(&folder).map_err(|error| {
        Error::new(
            ErrorKind::Internal,
            format!("The pages could not be written to {}: {error}.", folder.display()),
            "Name a folder that you may write to: --install FOLDER.",
        )
    })?;
    // A closed stderr leaves nobody to tell.
    let _ = writeln!(
        std::io::stderr(),
        "The pages are in {}; try: man gh-codex-loop",
        folder.display()
    );
    Ok(ExitCode::Holds)
}

fn write_pages(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for page in manual::pages() {
        std::fs::write(folder.join(page.file_name()), &page.roff)?;
    }
    Ok(())
}

/// Where man looks for a user's own pages.
fn default_folder() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let data = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")))?;
    Some(data.join("man/man1"))
}
