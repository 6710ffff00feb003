//! The pass itself: line by line for what takes whole lines, piece by piece within the others.
//!
//! Every look ahead is remembered, so that no byte is searched again and again.

use std::collections::{HashMap, VecDeque};

use super::{CODE_MARK, Details, Line, Sections};

/// An open code fence.
struct Fence {
    mark: u8,
    length: usize,
}

/// Takes a text with unix line endings apart.
pub(super) fn scan(text: &str) -> Sections {
    let mut scanner = Scanner::new(text);
    scanner.run();
    scanner.finish()
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    out: Sections,
    fence: Option<Fence>,
    /// Nesting of `<details>`, and where the outermost began.
    depth: usize,
    details_start: usize,
    /// How much stood in each output when a `<details>` block ended, to tell whether it is the last thing.
    details_marks: Vec<(usize, usize, usize)>,
    in_paragraph: bool,
    in_list: bool,
    after_quote: bool,
    paragraph: Paragraph,
    /// Where the next `-->` is, once looked for: `None` when there is none.
    next_close: Option<Option<usize>>,
    no_more_tag_ends: bool,
    /// The own line that is being gathered.
    line: String,
}

/// How far inline code may reach from here, and the backtick runs up to there by length.
#[derive(Default)]
struct Paragraph {
    end: usize,
    runs: HashMap<usize, VecDeque<usize>>,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        // Most bodies are visible text for the most part.
        let out = Sections {
            text: String::with_capacity(text.len()),
            prose: String::with_capacity(text.len()),
            ..Sections::default()
        };
        Self {
            text,
            at: 0,
            out,
            fence: None,
            depth: 0,
            details_start: 0,
            details_marks: Vec::new(),
            in_paragraph: false,
            in_list: false,
            after_quote: false,
            paragraph: Paragraph::default(),
            next_close: None,
            no_more_tag_ends: false,
            line: String::new(),
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn run(&mut self) {
        let mut line_start = true;
        while self.at < self.text.len() {
            if line_start && self.block_line() {
                continue;
            }
            line_start = self.inline();
        }
    }

    /// Takes a whole line when it is blank, a fence, fenced or indented code, or a quote.
    fn block_line(&mut self) -> bool {
        let rest = self.rest();
        let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
        let next = self.at.saturating_add(line.len()).saturating_add(1);
        if let Some(fence) = &self.fence {
            if closes(line, fence) {
                self.fence = None;
            } else {
                self.push_code(line);
            }
            self.push_foreign(line);
            self.at = next;
            return true;
        }
        if line.trim().is_empty() {
            self.in_paragraph = false;
            self.after_quote = false;
            self.push("\n");
            self.at = next;
            return true;
        }
        if let Some(fence) = opens(line) {
            self.fence = Some(fence);
            self.push_foreign(line);
            self.in_paragraph = false;
            self.after_quote = false;
            self.at = next;
            return true;
        }
        if let Some(quote) = quoted(line) {
            if self.depth == 0 {
                self.out.quoted.push_str(quote);
                self.out.quoted.push('\n');
            }
            self.push_foreign(line);
            self.in_paragraph = false;
            self.after_quote = !quote.trim().is_empty();
            self.at = next;
            return true;
        }
        let indented = is_indented(line);
        let item = list_item(line).is_some();
        if self.after_quote && !item && !begins_block(line) {
            if self.depth == 0 {
                self.out.lazy.push_str(line);
                self.out.lazy.push('\n');
                self.out.quoted.push_str(line);
                self.out.quoted.push('\n');
            }
            self.push_foreign(line);
            self.at = next;
            return true;
        }
        self.after_quote = false;
        if item && (!indented || self.in_list) {
            self.in_list = true;
        } else if indented && !self.in_paragraph && !self.in_list {
            self.push_code(line);
            self.push_foreign(line);
            self.at = next;
            return true;
        } else if !indented && !self.in_paragraph {
            self.in_list = false;
        }
        self.in_paragraph = true;
        false
    }

    /// Takes one piece of a line; says whether a new line begins after it.
    fn inline(&mut self) -> bool {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        match bytes.first() {
            None => false,
            Some(b'\n') => {
                self.take(1);
                true
            }
            Some(b'\\') => {
                // An escaped tick or bracket opens nothing.
                let escaped = matches!(bytes.get(1), Some(b'`' | b'<' | b'\\'));
                self.take(if escaped { 2 } else { 1 });
                false
            }
            Some(b'`') => {
                self.backticks();
                false
            }
            Some(b'<') => {
                self.angle();
                false
            }
            Some(_) => {
                let length = bytes
                    .iter()
                    .position(|b| matches!(b, b'\n' | b'\\' | b'`' | b'<'))
                    .unwrap_or(bytes.len());
                self.take(length);
                false
            }
        }
    }

    /// Moves on by `length` bytes, keeping them as visible text.
    fn take(&mut self, length: usize) {
        let piece = self.rest().get(..length).unwrap_or("");
        self.push(piece);
        self.at = self.at.saturating_add(length);
    }

    fn push(&mut self, piece: &str) {
        if self.depth == 0 {
            self.out.text.push_str(piece);
            self.out.prose.push_str(piece);
            self.gather(piece);
        }
    }

    /// Adds visible text to the line being gathered and ends the line at each line feed.
    fn gather(&mut self, piece: &str) {
        let mut parts = piece.split('\n');
        self.line.push_str(parts.next().unwrap_or(""));
        for part in parts {
            let markdown = std::mem::replace(&mut self.line, part.to_owned());
            self.out.lines.push(Line { markdown, own: true });
        }
    }

    /// Keeps a quoted line or one of a code block in its place.
    fn push_foreign(&mut self, line: &str) {
        if self.depth == 0 {
            self.end_line();
            self.out.lines.push(Line {
                markdown: line.to_owned(),
                own: false,
            });
        }
    }

    fn end_line(&mut self) {
        if !self.line.is_empty() {
            let markdown = std::mem::take(&mut self.line);
            self.out.lines.push(Line { markdown, own: true });
        }
    }

    fn push_code(&mut self, line: &str) {
        if self.depth == 0 {
            self.out.code.push_str(line);
            self.out.code.push('\n');
        }
    }

    /// Inline code when the run of ticks is closed by one of the same length in this paragraph, else plain ticks.
    fn backticks(&mut self) {
        let length = self.rest().bytes().take_while(|b| *b == b'`').count();
        let open_end = self.at.saturating_add(length);
        match self.closing_run(open_end, length) {
            Some(close) => {
                let end = close.saturating_add(length);
                if self.depth == 0 {
                    let code = self.text.get(open_end..close).unwrap_or("");
                    self.out.spans.push(code.trim().to_owned());
                    let whole = self.text.get(self.at..end).unwrap_or("");
                    self.out.text.push_str(whole);
                    if is_commit(code.trim()) {
                        self.out.prose.push_str(code.trim());
                    } else {
                        self.out.prose.push(CODE_MARK);
                    }
                    self.gather(whole);
                }
                self.at = end;
            }
            None => self.take(length),
        }
    }

    fn closing_run(&mut self, from: usize, length: usize) -> Option<usize> {
        self.enter_paragraph();
        let runs = self.paragraph.runs.get_mut(&length)?;
        while runs.front().is_some_and(|run| *run < from) {
            runs.pop_front();
        }
        runs.front().copied()
    }

    /// Makes sure that `paragraph` describes the one that `at` stands in.
    fn enter_paragraph(&mut self) {
        if self.at < self.paragraph.end {
            return;
        }
        let mut end = self.at;
        let mut first = true;
        let mut runs: HashMap<usize, VecDeque<usize>> = HashMap::new();
        for line in self.rest().split_inclusive('\n') {
            if !first && (line.trim().is_empty() || opens(line).is_some() || quoted(line).is_some()) {
                break;
            }
            first = false;
            let mut run = 0_usize;
            for (offset, byte) in line.bytes().chain(std::iter::once(b'\n')).enumerate() {
                if byte == b'`' {
                    run = run.saturating_add(1);
                } else if run > 0 {
                    let start = end.saturating_add(offset).saturating_sub(run);
                    runs.entry(run).or_default().push_back(start);
                    run = 0;
                }
            }
            end = end.saturating_add(line.len());
        }
        self.paragraph = Paragraph { end, runs };
    }

    /// A hidden comment, a `<details>` tag, or a plain `<`.
    fn angle(&mut self) {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            self.comment();
        } else if let Some(length) = self.tag(rest, "<details") {
            if self.depth == 0 {
                self.details_start = self.at;
            }
            self.depth = self.depth.saturating_add(1);
            self.at = self.at.saturating_add(length);
        } else if let Some(length) = self.tag(rest, "</details") {
            self.at = self.at.saturating_add(length);
            if self.depth == 1 {
                self.end_details(true);
            }
            self.depth = self.depth.saturating_sub(1);
        } else {
            self.take(1);
        }
    }

    /// The length of the tag that begins here, when it is `name` in any case.
    fn tag(&mut self, rest: &str, name: &str) -> Option<usize> {
        let begins = rest
            .as_bytes()
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
        let follows = rest.as_bytes().get(name.len());
        if !begins || !follows.is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/')) {
            return None;
        }
        if self.no_more_tag_ends {
            return None;
        }
        match rest.find('>') {
            Some(end) => Some(end.saturating_add(1)),
            None => {
                self.no_more_tag_ends = true;
                None
            }
        }
    }

    /// A comment that begins a line may hide any number of lines, one inside a line ends within its paragraph.
    fn comment(&mut self) {
        // `<!-->` and `<!--->` are complete comments.
        let from = self.at.saturating_add(2);
        let known = self.next_close.filter(|close| close.is_none_or(|c| c >= from));
        let close = known.unwrap_or_else(|| {
            let found = self.text.get(from..).and_then(|rest| rest.find("-->"));
            found.map(|offset| from.saturating_add(offset))
        });
        self.next_close = Some(close);
        let before = self.text.get(..self.at).unwrap_or("");
        let margin = before.bytes().rev().take(4).take_while(|b| *b == b' ').count();
        let above = before.get(..before.len().saturating_sub(margin)).unwrap_or("");
        let begins_line = margin < 4 && (above.is_empty() || above.ends_with('\n'));
        if !begins_line {
            self.enter_paragraph();
        }
        match close {
            Some(close) if begins_line || close < self.paragraph.end => {
                let inside = self.text.get(self.at.saturating_add(4)..close).unwrap_or("");
                if self.depth == 0 {
                    self.out.hidden.push(inside.to_owned());
                }
                self.at = close.saturating_add(3);
            }
            None if begins_line => {
                self.out.unclosed = true;
                self.at = self.text.len();
            }
            Some(_) | None => self.take(4),
        }
    }

    fn end_details(&mut self, closed: bool) {
        let raw = self.text.get(self.details_start..self.at).unwrap_or("");
        self.out.details.push(Details {
            raw: raw.to_owned(),
            closed,
            trailing: false,
        });
        self.details_marks
            .push((self.out.text.len(), self.out.quoted.len(), self.out.code.len()));
    }

    fn finish(mut self) -> Sections {
        if self.depth > 0 {
            self.out.unclosed = true;
            self.end_details(false);
        }
        if self.fence.is_some() {
            self.out.unclosed = true;
        }
        self.end_line();
        let mut out = self.out;
        for (details, (text, quoted, code)) in out.details.iter_mut().zip(self.details_marks) {
            let nothing_after =
                |kept: &str, from: usize| kept.get(from..).is_none_or(|t| t.trim().is_empty());
            details.trailing = nothing_after(&out.text, text)
                && nothing_after(&out.quoted, quoted)
                && nothing_after(&out.code, code);
        }
        out
    }
}

fn is_commit(code: &str) -> bool {
    (7..=40).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether a line stands in from its margin by four columns or more; a tab reaches to the next multiple of four.
fn is_indented(line: &str) -> bool {
    line.starts_with("    ") || line.trim_start_matches(' ').starts_with('\t')
}

fn opens(line: &str) -> Option<Fence> {
    if is_indented(line) {
        return None;
    }
    let line = line.trim();
    let mark = line.bytes().next().filter(|b| matches!(b, b'`' | b'~'))?;
    let length = line.bytes().take_while(|b| *b == mark).count();
    let info = line.get(length..).unwrap_or("");
    (length >= 3 && (mark == b'~' || !info.contains('`'))).then_some(Fence { mark, length })
}

fn closes(line: &str, fence: &Fence) -> bool {
    let bare = line.trim();
    !is_indented(line) && bare.len() >= fence.length && bare.bytes().all(|b| b == fence.mark)
}

/// The quoted text of a line that is a quote, also inside a list item.
fn quoted(line: &str) -> Option<&str> {
    if is_indented(line) {
        return None;
    }
    let mut rest = line.trim_start();
    while let Some(item) = list_item(rest) {
        rest = item.trim_start();
    }
    rest.strip_prefix('>')
        .map(|quote| quote.trim_start_matches(['>', ' ']).trim_end())
}

/// What follows the marker of a list item.
fn list_item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let after = match line.strip_prefix(['-', '*', '+']) {
        Some(after) => after,
        None => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 || digits > 9 {
                return None;
            }
            line.get(digits..)?.strip_prefix(['.', ')'])?
        }
    };
    after.strip_prefix([' ', '\t'])
}

/// Whether a line begins a block of its own instead of continuing the paragraph above it.
fn begins_block(line: &str) -> bool {
    let start = line.trim_start();
    start.starts_with('#') || start.starts_with('<') || start.starts_with("---") || start.starts_with("***")
}
