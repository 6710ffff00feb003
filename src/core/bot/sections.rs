//! One linear pass that takes a Markdown body apart: what a reader sees as the author's own words, and what is
//! hidden, quoted, code or folded away.
//!
//! It follows GitHub's Markdown closely enough for the questions asked of it and is no renderer. Whatever its
//! size or shape, a body costs time linear in its length.

use std::borrow::Cow;

mod scanner;

/// Stands in [`Sections::prose`] for a piece of inline code.
pub const CODE_MARK: char = '\u{FFFC}';

/// A body taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    text: String,
    prose: String,
    hidden: Vec<String>,
    spans: Vec<String>,
    quoted: String,
    lazy: String,
    code: String,
    details: Vec<Details>,
    lines: Vec<Line>,
    unclosed: bool,
}

/// A line of the body without hidden comments and `<details>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its Markdown.
    pub markdown: String,
    /// Whether it is the author's own text and neither quoted nor in a code block.
    pub own: bool,
}

/// A `<details>` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Everything from `<details` to `</details>`, nested blocks included.
    pub raw: String,
    /// Whether its end tag was there; without one it reaches to the end of the body.
    pub closed: bool,
    /// Whether nothing visible follows it.
    pub trailing: bool,
}

impl Details {
    /// What stands between the first `<summary>` and its end tag.
    pub fn summary(&self) -> Option<&str> {
        let lower = self.raw.to_ascii_lowercase();
        let tag = lower.find("<summary")?;
        let start = tag.checked_add(lower.get(tag..)?.find('>')?)?.checked_add(1)?;
        let length = lower.get(start..)?.find("</summary")?;
        self.raw.get(start..start.checked_add(length)?)
    }
}

impl Sections {
    /// Takes `body` apart.
    pub fn of(body: &str) -> Self {
        let text = unix_lines(body);
        scanner::scan(&text)
    }

    /// The visible words: no hidden comments, `<details>`, quoted lines, fenced or indented code. Inline code stays.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// [`Self::text`] with every piece of inline code replaced by [`CODE_MARK`]; a commit id alone stays, without ticks.
    pub fn prose(&self) -> &str {
        &self.prose
    }

    /// The inside of every complete `<!-- … -->` outside code, quotes and `<details>`.
    pub fn hidden(&self) -> &[String] {
        &self.hidden
    }

    /// The inside of every piece of inline code in [`Self::text`], in order.
    pub fn spans(&self) -> &[String] {
        &self.spans
    }

    /// The quoted lines without their `>`, and the lines that continue a quoted paragraph.
    pub fn quoted(&self) -> &str {
        &self.quoted
    }

    /// Lines without a `>` of their own that Markdown still counts to the quote above them.
    pub fn lazily_quoted(&self) -> &str {
        &self.lazy
    }

    /// The lines of fenced and indented code.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The outermost `<details>` blocks.
    pub fn details(&self) -> &[Details] {
        &self.details
    }

    /// All lines in order, quotes and code blocks with their marks included.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Whether a comment, a fence or a `<details>` was left open.
    pub fn unclosed(&self) -> bool {
        self.unclosed
    }
}

/// `body` with every line ending as a line feed.
pub fn unix_lines(body: &str) -> Cow<'_, str> {
    if body.contains('\r') {
        Cow::Owned(body.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(body)
    }
}

#[cfg(test)]
mod tests;
