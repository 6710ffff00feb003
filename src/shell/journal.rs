//! The journal files: one per pull request, behind a lock, replaced whole or not at all.
//!
//! A reader never makes a folder and never waits. A writer holds the lock from before its first look at GitHub until
//! the outcome is recorded. A file that cannot be read is kept aside, never overwritten.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use codex_loop::evidence::LocalJournal;
use codex_loop::journal::{Damage, Journal, Readable, Unreadable, VERSION};

use crate::clock;
use crate::error::{Error, ErrorKind};
use crate::interrupt;
use crate::output::to_json;
use crate::selector::Place;

/// No journal is as large as this.
const MAX_BYTES: u64 = 16 << 20;

/// Between two looks at a lock that somebody else holds.
const PAUSE: Duration = Duration::from_millis(25);

/// Where the files of one pull request stand.
#[derive(Clone, Debug)]
struct Files {
    folder: PathBuf,
    number: u64,
}

impl Files {
    fn of(place: &Place) -> Result<Self, Error> {
        let root = root().ok_or_else(|| {
            Error::new(
                ErrorKind::Journal,
                "No folder for this machine's journal is known: neither GH_CODEX_LOOP_STATE_DIR nor a home is set.",
                "Set GH_CODEX_LOOP_STATE_DIR to a folder that you may write to.",
            )
        })?;
        // GitHub's names do not tell cases apart, and one pull request has one lock.
        let lower = |text: &str| text.to_ascii_lowercase().replace(':', "_");
        Ok(Self {
            folder: root
                .join(lower(&place.host))
                .join(lower(place.repository.owner()))
                .join(lower(place.repository.name())),
            number: place.number,
        })
    }

    fn journal(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.number))
    }

    fn lock(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.number))
    }

    /// The first unused name for a damaged file.
    fn aside(&self) -> PathBuf {
        let mut count = 1_u32;
        loop {
            let path = self.folder.join(format!("{}.json.damaged-{count}", self.number));
            if path.symlink_metadata().is_err() {
                return path;
            }
            count = count.saturating_add(1);
        }
    }
}

/// `GH_CODEX_LOOP_STATE_DIR`, else the folder for state that the platform gives a user.
fn root() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(own) = set("GH_CODEX_LOOP_STATE_DIR") {
        return Some(own);
    }
    let state = set("XDG_STATE_HOME").filter(|path| path.is_absolute());
    let platform = || {
        if cfg!(windows) {
            set("LOCALAPPDATA")
        } else {
            set("HOME").map(|home| home.join(".local").join("state"))
        }
    };
    state.or_else(platform).map(|state| state.join("gh-codex-loop"))
}

/// The folder for everything this machine remembers about the pull requests of one repository.
///
/// # Errors
/// When no folder for state is known.
pub fn folder(place: &Place) -> Result<PathBuf, Error> {
    Files::of(place).map(|files| files.folder)
}

/// What a file holds.
enum Content {
    Nothing,
    Readable(Readable),
    Newer(u32),
    Damaged(String),
}

fn content(files: &Files, place: &Place) -> io::Result<Content> {
    let mut text = Vec::new();
    match File::open(files.journal()) {
        Ok(file) => file.take(MAX_BYTES + 1).read_to_end(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Content::Nothing),
        Err(error) => return Err(error),
    };
    if text.len() as u64 > MAX_BYTES {
        return Ok(Content::Damaged("it is larger than any journal".to_owned()));
    }
    Ok(match Journal::read(&text) {
        Ok(Readable::Current(journal) | Readable::Newer(_, journal))
            if !journal.is_about(&place.host, &place.repository, place.number) =>
        {
            Content::Damaged("it is about another pull request".to_owned())
        }
        Ok(readable) => Content::Readable(readable),
        Err(Unreadable::Newer(version)) => Content::Newer(version),
        Err(Unreadable::Damaged(reason)) => Content::Damaged(reason),
    })
}

/// The journal as decisions read it. Whatever is wrong with it becomes a doubt in the evidence and a note on stderr.
pub fn local(place: &Place) -> LocalJournal {
    let doubtful = |journal: LocalJournal, doubt: String| {
        eprintln!("gh codex-loop: {doubt}");
        LocalJournal {
            doubt: Some(doubt),
            ..journal
        }
    };
    let Ok(files) = Files::of(place) else {
        return LocalJournal::default();
    };
    let shown = files.journal().display().to_string();
    match content(&files, place) {
        Ok(Content::Nothing) => LocalJournal::default(),
        Ok(Content::Readable(Readable::Current(journal))) => journal.local(),
        Ok(Content::Readable(Readable::Newer(version, journal))) => doubtful(
            journal.local(),
            format!("The journal {shown} is of version {version}; this program knows version {VERSION}."),
        ),
        Ok(Content::Newer(version)) => doubtful(
            LocalJournal::default(),
            format!(
                "The journal {shown} is of version {version} and cannot be read; this program knows {VERSION}."
            ),
        ),
        Ok(Content::Damaged(reason)) => doubtful(
            LocalJournal::default(),
            format!("The journal {shown} is damaged: {reason}."),
        ),
        Err(error) => doubtful(
            LocalJournal::default(),
            format!("The journal {shown} cannot be read: {error}."),
        ),
    }
}

/// The journal for showing it: nothing is made and nothing is waited for.
///
/// # Errors
/// When there is a journal that cannot be read.
pub fn shown(place: &Place) -> Result<Journal, Error> {
    let files = Files::of(place)?;
    let path = files.journal();
    match content(&files, place).map_err(|error| failed("read", &path, &error))? {
        Content::Nothing => Ok(Journal::new(&place.host, &place.repository, place.number)),
        Content::Readable(Readable::Current(journal) | Readable::Newer(_, journal)) => Ok(journal),
        Content::Newer(version) => Err(newer(&path, version)),
        Content::Damaged(reason) => Err(Error::new(
            ErrorKind::Journal,
            format!("The journal {} is damaged: {reason}.", path.display()),
            "The next command that posts keeps it aside.",
        )),
    }
}

/// The journal of one pull request, held by this process alone until it is dropped.
#[derive(Debug)]
pub struct Session {
    files: Files,
    /// The lock goes with the open file.
    _lock: File,
    journal: Journal,
}

impl Session {
    /// Takes the lock, waiting at most so long, and reads the journal.
    ///
    /// # Errors
    /// When the folder cannot be made or written, another process keeps the lock, or the file is damaged or newer.
    pub fn open(place: &Place, wait: Duration) -> Result<Self, Error> {
        let files = Files::of(place)?;
        make_folder(&files.folder).map_err(|error| failed("made", &files.folder, &error))?;
        let lock = lock(&files.lock(), place, wait)?;
        let path = files.journal();
        let journal = match content(&files, place).map_err(|error| failed("read", &path, &error))? {
            Content::Nothing => Journal::new(&place.host, &place.repository, place.number),
            Content::Readable(Readable::Current(journal)) => journal,
            Content::Readable(Readable::Newer(version, _)) | Content::Newer(version) => {
                return Err(newer(&path, version));
            }
            Content::Damaged(reason) => return Err(keep_aside(&files, place, &reason)),
        };
        Ok(Self {
            files,
            _lock: lock,
            journal,
        })
    }

    /// The journal as it stands on disk.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Changes the journal, on disk first: when that fails, nothing has changed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn change(&mut self, change: impl FnOnce(&mut Journal)) -> Result<(), Error> {
        let mut next = self.journal.clone();
        change(&mut next);
        let path = self.files.journal();
        replace(&path, &next).map_err(|error| failed("written", &path, &error))?;
        self.journal = next;
        Ok(())
    }
}

/// Makes a folder that only this user reads.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }
    #[cfg(not(unix))]
    {
        fs::create_dir_all(folder)
    }
}

/// The lock file stays for ever: deleting it would let two processes lock two files of one name.
pub fn lock(path: &Path, place: &Place, wait: Duration) -> Result<File, Error> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
        .map_err(|error| failed("opened", path, &error))?;
    let deadline = Instant::now() + wait;
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed("locked", path, &error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if interrupt::requested() {
            return Err(Error::interrupted());
        }
        let what = format!("pull request {} of {}", place.number, place.repository);
        if Instant::now() >= deadline {
            return Err(Error::new(
                ErrorKind::Journal,
                format!(
                    "Another gh codex-loop has been writing to {what} for more than {} s; nothing was written by this one.",
                    wait.as_secs()
                ),
                format!("It holds {}; wait for it to end.", path.display()),
            ));
        }
        if !told {
            eprintln!("Waiting for another gh codex-loop that is writing to {what}.");
            told = true;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Keeps a damaged file under another name and begins a journal that remembers it. The damaged one may have held an
/// open intent: nothing is posted until that is settled.
fn keep_aside(files: &Files, place: &Place, reason: &str) -> Error {
    let (path, aside) = (files.journal(), files.aside());
    let kept_as = aside
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut journal = Journal::new(&place.host, &place.repository, place.number);
    journal.damaged.push(Damage {
        kept_as,
        found_at: clock::now(),
        settled_at: None,
    });
    let outcome = fs::hard_link(&path, &aside).and_then(|()| replace(&path, &journal));
    match outcome {
        Ok(()) => Error::new(
            ErrorKind::Journal,
            format!(
                "The journal {} is damaged ({reason}); it was kept as {}, and nothing was posted.",
                path.display(),
                aside.display()
            ),
            "It may have held an unsettled attempt: settle that with --reconcile and the user's --authorization.",
        ),
        Err(error) => Error::new(
            ErrorKind::Journal,
            format!(
                "The journal {} is damaged ({reason}), and it could not be kept aside: {error}.",
                path.display()
            ),
            "Nothing was changed or posted; look at the file.",
        ),
    }
}

/// Writes the whole file beside it, then puts it in its place; both the file and its name are on disk afterwards.
fn replace(path: &Path, journal: &Journal) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".journal-").tempfile_in(folder)?;
    let mut text = Vec::new();
    to_json(journal, true, &mut text)?;
    text.push(b'\n');
    file.write_all(&text)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Brings a new name in a folder to disk.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Elsewhere a folder cannot be opened as a file; the system orders its own metadata.
#[cfg(not(unix))]
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::new(
        ErrorKind::Journal,
        format!(
            "{} could not be {what} for this machine's journal: {error}.",
            path.display()
        ),
        "Without its journal nothing is posted. GH_CODEX_LOOP_STATE_DIR names another folder.",
    )
}

fn newer(path: &Path, version: u32) -> Error {
    Error::new(
        ErrorKind::Journal,
        format!(
            "The journal {} is of version {version}, and this program writes version {VERSION}; it was left as it is.",
            path.display()
        ),
        "Update the extension: gh extension upgrade codex-loop.",
    )
}
