//! The handled file: where it stands, reading it, and replacing it whole.
//!
//! In a checkout of the pull request's repository it is in the git directory, outside every commit; elsewhere it is
//! beside this machine's journal.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use codex_loop::convergence::handled::HandledFile;
use codex_loop::evidence::LocalHandled;

use crate::error::{Error, ErrorKind};
use crate::git;
use crate::journal;
use crate::selector::Place;

/// How long another process may be changing the file.
const WAIT: Duration = Duration::from_secs(10);

/// A handled file larger than this is a mistake.
const MAX_BYTES: u64 = 16 << 20;

/// Where the handled file of a pull request stands, whether it is there or not.
///
/// # Errors
/// When neither a checkout nor a folder for state is known.
pub fn path(place: &Place) -> Result<PathBuf, Error> {
    let name = format!("codex-review-loop-{}.handled.json", place.number);
    let folder = match git::directory_of(place) {
        Some(folder) => folder,
        None => journal::folder(place)?,
    };
    Ok(folder.join(name))
}

/// The file as decisions read it. One that cannot be read handles nothing, and a note on stderr says so.
pub fn local(place: &Place) -> LocalHandled {
    let read = path(place).and_then(|path| read(&path));
    let local = read.and_then(|file| file.local().map_err(|reason| unusable(&path(place), &reason)));
    local.unwrap_or_else(|error| {
        eprintln!("gh codex-loop: {} Nothing counts as handled.", error.message);
        LocalHandled::default()
    })
}

/// Reads the file; one that is not there is empty.
///
/// # Errors
/// When it is there and no handled file.
pub fn read(path: &Path) -> Result<HandledFile, Error> {
    let text = match fs::metadata(path) {
        Ok(found) if found.len() > MAX_BYTES => {
            return Err(unusable(&Ok(path.to_owned()), "it is larger than 16 MiB"));
        }
        Ok(_) => fs::read_to_string(path),
        Err(error) => Err(error),
    };
    match text {
        Ok(text) => HandledFile::read(&text).map_err(|reason| unusable(&Ok(path.to_owned()), &reason)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HandledFile::default()),
        Err(error) => Err(unusable(&Ok(path.to_owned()), &error.to_string())),
    }
}

/// Changes the file as it stands now: it is written beside the old one and put in its place, or nothing happens.
///
/// # Errors
/// When it cannot be read, changed or written, or another process keeps it.
pub fn change(
    place: &Place,
    path: &Path,
    change: impl FnOnce(&mut HandledFile) -> Result<(), String>,
) -> Result<(), Error> {
    let failed = |error: io::Error| {
        Error::new(
            ErrorKind::Journal,
            format!(
                "The handled file {} could not be written: {error}.",
                path.display()
            ),
            "Nothing was recorded. Check that you may write to its folder.",
        )
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    journal::make_folder(folder).map_err(failed)?;
    let _lock = journal::lock(&path.with_extension("lock"), place, WAIT)?;
    let mut file = read(path)?;
    change(&mut file).map_err(|reason| unusable(&Ok(path.to_owned()), &reason))?;
    let mut beside = tempfile::Builder::new()
        .prefix(".handled-")
        .tempfile_in(folder)
        .map_err(failed)?;
    beside
        .write_all(file.text().as_bytes())
        .and_then(|()| beside.as_file().sync_all())
        .map_err(failed)?;
    beside.persist(path).map_err(|error| failed(error.error))?;
    journal::sync_folder(folder).map_err(failed)
}

fn unusable(path: &Result<PathBuf, Error>, reason: &str) -> Error {
    let shown = path.as_ref().map_or_else(
        |_| "of this pull request".to_owned(),
        |path| path.display().to_string(),
    );
    Error::new(
        ErrorKind::Journal,
        format!("The handled file {shown} cannot be used: {reason}."),
        "It was left as it is; correct it, or move it away.",
    )
}
