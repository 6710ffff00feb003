//! The stream that gh prints: a list of pages, cut up as it arrives, so that a walk without end is stopped early.
//!
//! Only the frame is read here: `[page,page,…]`, every page an object or a list. What stands in a page is parsed by
//! whoever asked for it, page by page from these bytes, so that nothing is copied.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::ops::Range;

/// More pages than any real collection has; gh itself never stops on a repeated cursor.
pub const MAX_PAGES: usize = 2_000;
/// More bytes than any real collection has.
pub const MAX_BYTES: usize = 512 << 20;

/// Why reading stopped before the end of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    TooManyPages,
    TooManyBytes,
    RepeatedPage,
}

impl Stop {
    /// The fact, for a message.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::TooManyPages => "it has more than 2000 pages, so the walk was stopped",
            Self::TooManyBytes => "it is larger than 512 MiB, so the walk was stopped",
            Self::RepeatedPage => "GitHub gave the same page twice, so the walk was stopped",
        }
    }
}

/// The bytes that gh printed and where the pages in them stand.
#[derive(Debug, Default)]
pub struct Pages {
    bytes: Vec<u8>,
    spans: Vec<Range<usize>>,
    seen: HashSet<u64>,
    /// Position up to which the bytes were scanned.
    scanned: usize,
    place: Place,
    /// Start of the page being scanned.
    start: usize,
    depth: u32,
    in_string: bool,
    escaped: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    BeforeList,
    BeforeFirst,
    BeforeNext,
    InPage,
    AfterPage,
    AfterList,
    Broken,
}

impl Pages {
    /// Reads a stream to its end, or until it proves to have none.
    pub fn read(mut source: impl Read) -> io::Result<(Self, Option<Stop>)> {
        let mut pages = Self::default();
        let mut chunk = vec![0; 1 << 16];
        loop {
            let count = source.read(&mut chunk)?;
            if count == 0 {
                return Ok((pages, None));
            }
            pages
                .bytes
                .extend_from_slice(chunk.get(..count).unwrap_or_default());
            if let Some(stop) = pages.scan() {
                return Ok((pages, Some(stop)));
            }
        }
    }

    /// The pages, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.spans
            .iter()
            .map(|span| self.bytes.get(span.clone()).unwrap_or_default())
    }

    /// Whether the stream is one whole list of pages and nothing else.
    pub fn is_whole(&self) -> bool {
        self.place == Place::AfterList
    }

    fn scan(&mut self) -> Option<Stop> {
        while let Some(&byte) = self.bytes.get(self.scanned) {
            let at = self.scanned;
            self.scanned += 1;
            if self.place == Place::InPage {
                if self.in_string {
                    if self.escaped {
                        self.escaped = false;
                    } else if byte == b'\\' {
                        self.escaped = true;
                    } else if byte == b'"' {
                        self.in_string = false;
                    }
                    continue;
                }
                match byte {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => {
                        self.depth -= 1;
                        if self.depth == 0
                            && let Some(stop) = self.end_page(at)
                        {
                            return Some(stop);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            self.place = match (self.place, byte) {
                (place, b' ' | b'\n' | b'\r' | b'\t') => place,
                (Place::BeforeList, b'[') => Place::BeforeFirst,
                (Place::BeforeFirst | Place::BeforeNext, b'[' | b'{') => {
                    self.start = at;
                    self.depth = 1;
                    Place::InPage
                }
                (Place::BeforeFirst | Place::AfterPage, b']') => Place::AfterList,
                (Place::AfterPage, b',') => Place::BeforeNext,
                _ => Place::Broken,
            };
        }
        (self.bytes.len() > MAX_BYTES).then_some(Stop::TooManyBytes)
    }

    fn end_page(&mut self, at: usize) -> Option<Stop> {
        let span = self.start..at + 1;
        self.place = Place::AfterPage;
        let mut hasher = DefaultHasher::new();
        self.bytes.get(span.clone()).hash(&mut hasher);
        if !self.seen.insert(hasher.finish()) {
            return Some(Stop::RepeatedPage);
        }
        self.spans.push(span);
        (self.spans.len() > MAX_PAGES).then_some(Stop::TooManyPages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, bool, Option<Stop>) {
        let (pages, stop) = Pages::read(text.as_bytes()).expect("memory reads");
        let texts = pages
            .iter()
            .map(|page| String::from_utf8_lossy(page).into_owned())
            .collect();
        (texts, pages.is_whole(), stop)
    }

    #[test]
    fn a_whole_list_is_cut_into_its_pages() {
        let (pages, whole, stop) = read(" [[1,{\"a\":\"]\\\"[,\"}],\n{\"b\":[]}]\n");
        assert_eq!(pages, ["[1,{\"a\":\"]\\\"[,\"}]", "{\"b\":[]}"]);
        assert!(whole && stop.is_none());
        assert_eq!(read("[]"), (vec![], true, None));
    }

    #[test]
    fn everything_else_is_not_whole_and_keeps_the_pages_before() {
        for broken in [
            "",
            "[[1]",
            "[[1],<html>x</html>]",
            "[[1],,[2]]",
            "[[1],]",
            "[[1],[2",
            "[[1]][[2]]",
            "[[1],2]",
            "[[1] [2]]",
            "[[1],\"[\"]",
        ] {
            let (pages, whole, stop) = read(broken);
            assert!(!whole && stop.is_none(), "{broken}");
            assert!(
                pages.len() <= 2 && pages.first().is_none_or(|page| page == "[1]"),
                "{broken}"
            );
        }
    }

    #[test]
    fn a_walk_without_end_is_stopped() {
        assert_eq!(read("[[1],[2],[1],[2]").2, Some(Stop::RepeatedPage));
        let endless: String = (0..3_000).map(|n| format!("[{n}],")).collect();
        assert_eq!(read(&format!("[{endless}")).2, Some(Stop::TooManyPages));
    }
}
