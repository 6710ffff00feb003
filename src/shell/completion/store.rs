//! Answers kept between one TAB and the next, in the user's cache folder. Losing or spoiling them costs nothing but a
//! new question.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use codex_loop::run::signature::sha256_hex;

use super::Offer;

/// An answer is used this long.
const FRESH: Duration = Duration::from_secs(60);
/// After a question that failed none is asked this long, so that a shell without network stays quick.
const PAUSE: Duration = Duration::from_secs(20);
/// More than a hundred offers of the greatest length.
const MAX_BYTES: u64 = 1 << 20;

/// The kept answer to this question, or the one that `ask` finds now.
pub fn kept(question: &[&str], ask: impl FnOnce() -> Option<Vec<Offer>>) -> Vec<Offer> {
    let Some(file) = file(question) else {
        return ask().unwrap_or_default();
    };
    if let Some(offers) = read(&file) {
        return offers;
    }
    let answer = ask();
    write(&file, answer.as_deref());
    answer.unwrap_or_default()
}

/// The file of a question: what is asked, from where, and as whom gh is set up.
fn file(question: &[&str]) -> Option<PathBuf> {
    let folder = folder()?.join("gh-codex-loop");
    let mut key: Vec<String> = question.iter().map(|part| (*part).to_owned()).collect();
    if question.get(1).is_none_or(|repository| repository.is_empty()) {
        key.push(std::env::current_dir().ok()?.display().to_string());
    }
    for name in ["GH_REPO", "GH_HOST", "GH_CONFIG_DIR"] {
        key.push(std::env::var(name).unwrap_or_default());
    }
    let digest = sha256_hex(key.join("\0").as_bytes());
    Some(folder.join(format!("complete-{}", digest.get(..32)?)))
}

fn folder() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if cfg!(windows) {
        return set("LOCALAPPDATA");
    }
    set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))
}

/// One line says whether the question was answered; each further one is an offer.
fn read(file: &PathBuf) -> Option<Vec<Offer>> {
    let about = fs::metadata(file).ok()?;
    let age = SystemTime::now().duration_since(about.modified().ok()?).ok()?;
    if about.len() > MAX_BYTES {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let mut lines = text.lines();
    let lasts = match lines.next()? {
        "answered" => FRESH,
        "failed" => PAUSE,
        _ => return None,
    };
    if age >= lasts {
        return None;
    }
    lines
        .map(|line| {
            let (value, about) = line.split_once('\t')?;
            Some(Offer {
                value: value.to_owned(),
                about: about.to_owned(),
            })
        })
        .collect()
}

/// Writes beside and renames, so that another TAB never reads half a file. Nothing is said when it cannot.
fn write(file: &PathBuf, answer: Option<&[Offer]>) {
    let mut text = String::from(if answer.is_some() {
        "answered\n"
    } else {
        "failed\n"
    });
    for offer in answer.unwrap_or_default() {
        let about = codex_loop::report::sanitise::one_line(&offer.about, super::ABOUT_LIMIT);
        text.push_str(&format!("{}\t{about}\n", offer.value));
    }
    let Some(folder) = file.parent() else { return };
    let _ = fs::create_dir_all(folder);
    let Ok(mut beside) = tempfile::NamedTempFile::new_in(folder) else {
        return;
    };
    if beside.write_all(text.as_bytes()).is_ok() {
        let _ = beside.persist(file);
    }
}
