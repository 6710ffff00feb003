//! Any bytes as what gh printed: every reader takes them, and calls complete only what is whole.
//!
//! The entry of the fuzz target for gh's output; `cargo test` replays its corpus. The first byte chooses the reader.

use codex_loop::evidence::check::CheckRun;
use codex_loop::evidence::comment::IssueComment;
use codex_loop::evidence::reaction::Reaction;
use codex_loop::evidence::review::{Review, ReviewComment};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::failure;
use super::pages::Pages;
use super::pull;
use super::read::{self, Listed};
use super::threads;

/// Reads the bytes and holds what must hold for any bytes.
pub fn check(data: &[u8]) {
    let Some((which, stdout)) = data.split_first() else {
        return;
    };
    match which % 8 {
        0 => list::<IssueComment>(stdout),
        1 => list::<Review>(stdout),
        2 => list::<ReviewComment>(stdout),
        3 => list::<Reaction>(stdout),
        4 => counted(stdout),
        5 => walked(stdout),
        6 => queried(stdout),
        _ => failed(i32::from(which / 8), stdout),
    }
}

/// The pages, which are the same however the stream arrives; none when it is not whole.
fn whole(stdout: &[u8]) -> Option<Pages> {
    let (pages, stop) = Pages::read(stdout).expect("memory reads");
    let (slowly, stopped) = Pages::read(Dripping(stdout)).expect("memory reads");
    assert!(pages.iter().eq(slowly.iter()));
    assert_eq!((stop, pages.is_whole()), (stopped, slowly.is_whole()));
    (stop.is_none() && pages.is_whole()).then_some(pages)
}

/// A stream that gives three bytes at a time.
struct Dripping<'a>(&'a [u8]);

impl std::io::Read for Dripping<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(3).min(into.len());
        let (now, later) = self.0.split_at(count);
        into.iter_mut().zip(now).for_each(|(to, from)| *to = *from);
        self.0 = later;
        Ok(count)
    }
}

fn list<T: DeserializeOwned>(stdout: &[u8]) {
    let Some(pages) = whole(stdout) else { return };
    let listed: Listed<T> = read::list(pages.iter());
    if listed.fault.is_some() {
        return;
    }
    let given: Vec<Vec<IgnoredAny>> =
        serde_json::from_slice(stdout).expect("a complete list is one JSON text of pages");
    let count: usize = given.iter().map(Vec::len).sum();
    assert_eq!(listed.items.len(), count, "nothing was left out");
}

fn counted(stdout: &[u8]) {
    #[derive(Deserialize)]
    struct Page {
        total_count: Option<u64>,
        check_runs: Option<Vec<CheckRun>>,
    }
    let Some(pages) = whole(stdout) else { return };
    let open = |page: Page| page.total_count.zip(page.check_runs);
    let listed = read::counted_list(pages.iter(), open);
    if listed.fault.is_none() {
        let last = pages.iter().last().unwrap_or_default();
        let last: Page = serde_json::from_slice(last).expect("it was read before");
        assert_eq!(last.total_count, Some(listed.items.len() as u64));
    }
}

fn walked(stdout: &[u8]) {
    let Some(pages) = whole(stdout) else { return };
    let listed = threads::parse(pages.iter());
    if listed.fault.is_none() {
        // Only a page that says that no other follows ends a walk.
        let last = pages.iter().last().unwrap_or_default();
        assert!(String::from_utf8_lossy(last).contains("false"));
    }
}

fn queried(stdout: &[u8]) {
    let asked = ["IC_1".to_owned(), "IC_2".to_owned()];
    let Ok(reading) = pull::parse(stdout, &asked) else {
        return;
    };
    let commits = reading.commits.items().len() as u64;
    assert!(!reading.commits.is_complete() || reading.pull.counts.commits == Some(commits));
    assert!(!reading.edits.is_complete() || reading.edits.items().len() == asked.len());
    let head = reading.head_commit.items().first();
    assert!(
        !reading.head_commit.is_complete() || head.is_some_and(|one| one.oid == reading.pull.head_ref_oid)
    );
}

/// Answer and stderr, cut at the first NUL: some failure, told in one clean line.
fn failed(exit: i32, data: &[u8]) {
    let cut = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (answer, stderr) = data.split_at(cut);
    let stderr = String::from_utf8_lossy(stderr.get(1..).unwrap_or_default());
    let failure = failure::classify((exit != 31).then_some(exit), answer, &stderr, "github.com");
    let message = failure.surface_error().message;
    assert!(!message.contains(char::is_control), "{message:?}");
    assert!(message.chars().count() < 400, "{message:?}");
    let _ = failure::reset_time(answer);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn the_corpus_is_read_without_a_complaint() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/gh_stdout");
        let mut read = 0;
        for entry in std::fs::read_dir(folder).expect("the corpus is there") {
            let path = entry.expect("an entry").path();
            super::check(&std::fs::read(&path).expect("a file"));
            read += 1;
        }
        assert!(read >= 8, "every reader has an example");
    }
}
