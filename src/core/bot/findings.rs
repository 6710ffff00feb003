//! Findings as the connector words them: a badge with the priority, a title, prose.
//!
//! A finding is a claim to verify, never a fact. One without a badge is still a finding, of unknown priority.

use std::sync::LazyLock;

use regex::Regex;

use super::sections::{Details, Line, Sections};

/// The priority a finding's badge names, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Red.
    P0,
    /// Orange.
    P1,
    /// Yellow.
    P2,
    /// Grey.
    P3,
    /// No badge, or one this version does not know.
    Unknown,
}

impl Priority {
    /// Every priority.
    pub const ALL: [Self; 5] = [Self::P0, Self::P1, Self::P2, Self::P3, Self::Unknown];

    /// The word documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
            Self::Unknown => "unknown",
        }
    }
}

/// A finding as its text gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFinding {
    /// What the badge says.
    pub priority: Priority,
    /// One line without markup.
    pub title: String,
    /// The prose below the title, as Markdown, without hidden comments and the request for feedback.
    pub body: String,
    /// The file, when the text names it by a link of its own.
    pub path: Option<String>,
    /// The full commit in that link.
    pub commit: Option<String>,
    /// The first line of the range in that link.
    pub line: Option<u64>,
    /// That link.
    pub url: Option<String>,
}

static BADGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)!\[P(?P<digit>[0-9])[ _-]?(?:Badge)?\]\([^()\s]*\)|!\[[^\]\n]*\]\([^()\s]*/badge/P(?P<url>[0-9])-[^()\s]*\)")
        .expect("a literal pattern")
});
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)https?://[^\s/()<>]+/[^\s/()<>]+/[^\s/()<>]+/blob/(?P<commit>[0-9a-f]{40})/(?P<path>[^\s#?<>]+)(?:\?[^\s#<>]*)?(?:#L(?P<line>[0-9]{1,9})(?:C[0-9]+)?(?:-L?[0-9]{1,9}(?:C[0-9]+)?)?)?")
        .expect("a literal pattern")
});
static TAG: LazyLock<Regex> = LazyLock::new(|| Regex::new("</?[A-Za-z][^<>]*>").expect("a literal pattern"));
static MD_LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"!?\[([^\[\]]*)\]\([^()\s]*\)").expect("a literal pattern"));
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[^a-z0-9]*codex (?:security )?(?:code )?review[*_:]*(?:\s*·.*)?\s*$")
        .expect("a literal pattern")
});
static INTRO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[*_]*(?:codex (?:security )?review: *)?here are (?:some|a few|my) (?:[a-z]+ ){0,4}suggestions?(?: for this (?:pull request|pr))?[.:!]?[*_]*$")
        .expect("a literal pattern")
});
static COMMIT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[-*_\s]*reviewed commit[*_]*\s*:[*_\s]*[\[`*_]*[0-9a-f]{7,40}[`*_]*(?:\]\([^()\s]*\))?[.*_\s]*$").expect("a literal pattern")
});
static FEEDBACK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^[*_]*useful\?\s*react with\b.*$").expect("a literal pattern"));

/// Whether an inline text bears a badge, as only findings of the connector do.
pub fn bears_badge(body: &str) -> bool {
    inline(body).priority != Priority::Unknown
}

/// The finding that the root comment of a thread is.
pub fn inline(body: &str) -> TextFinding {
    let sections = Sections::of(body);
    let lines = sections.lines();
    // The badge line is the title; without a badge the first line with words is.
    let badge = lines
        .iter()
        .position(|line| line.own && badge_line(&line.markdown).is_some());
    let start = badge.or_else(|| lines.iter().position(|line| !cleaned(&line.markdown).is_empty()));
    let mut lines = lines
        .iter()
        .skip(start.unwrap_or(0))
        .map(|line| line.markdown.as_str());
    let first = lines.next().unwrap_or("");
    let priority = badge_line(first).filter(|_| badge.is_some());
    let mut finding = Location::finding(None, priority.unwrap_or(Priority::Unknown), cleaned(first));
    finish(&mut finding, lines);
    finding
}

/// The findings that stand in a review's or an issue comment's own text, in order.
///
/// Each is a badge line or a link to lines of a file alone on a line, or the link and then the badge line; prose
/// follows. What comes before the first is no part of any.
pub fn in_body(body: &str) -> Vec<TextFinding> {
    in_sections(&Sections::of(body))
}

pub(crate) fn in_sections(sections: &Sections) -> Vec<TextFinding> {
    let lines = sections.lines();
    let mut findings: Vec<(TextFinding, Vec<&str>)> = Vec::new();
    let mut location: Option<Location> = None;
    for (place, Line { markdown, own }) in lines.iter().enumerate() {
        let (line, own) = (markdown.as_str(), *own);
        if own && let Some(found) = Location::alone_on(line) {
            let next = lines.get(place.saturating_add(1)..).unwrap_or(&[]);
            let next = next.iter().find(|line| !line.markdown.trim().is_empty());
            let badge_follows = next.is_some_and(|line| line.own && badge_line(&line.markdown).is_some());
            // Within a finding's prose a link may also point at other code.
            if badge_follows || findings.is_empty() && next.is_some() {
                location = Some(found);
                continue;
            }
        }
        if own && let Some(priority) = badge_line(line) {
            findings.push((
                Location::finding(location.take(), priority, cleaned(line)),
                Vec::new(),
            ));
        } else if location.is_some() && !line.trim().is_empty() {
            let title = cleaned(line);
            findings.push((
                Location::finding(location.take(), Priority::Unknown, title),
                Vec::new(),
            ));
        } else if let Some((_, prose)) = findings.last_mut() {
            prose.push(line);
        }
    }
    findings
        .into_iter()
        .map(|(mut finding, lines)| {
            finish(&mut finding, lines.into_iter());
            finding
        })
        .collect()
}

/// Whether anything is left of a review's text after heading, intro lines, commit line, footer, hidden comments and
/// the request for feedback. Words that say there is nothing to report are substantive too: ask
/// [`super::meaning::of`] first.
pub fn is_substantive(body: &str) -> bool {
    is_substantive_in(&Sections::of(body))
}

pub(crate) fn is_substantive_in(sections: &Sections) -> bool {
    let folded = sections.details().iter().any(|details| !is_footer(details));
    folded
        || !sections.quoted().trim().is_empty()
        || !sections.code().trim().is_empty()
        || own_lines(sections).next().is_some()
}

/// A text without heading, intro lines, commit line, footer, hidden comments, request for feedback and empty lines.
pub fn without_frame(body: &str) -> String {
    let sections = Sections::of(body);
    let kept: Vec<&str> = sections
        .lines()
        .iter()
        .map(|line| line.markdown.trim_end())
        .filter(|line| !line.trim().is_empty() && !is_wrapper(line))
        .collect();
    kept.join("\n")
}

/// Whether a text says that suggestions were made, wherever they stand.
pub fn announces_suggestions(body: &str) -> bool {
    announces_in(&Sections::of(body))
}

pub(crate) fn announces_in(sections: &Sections) -> bool {
    sections
        .text()
        .lines()
        .any(|line| line.contains("uggestion") && INTRO.is_match(line.trim()))
}

/// The visible lines that are neither empty nor heading, intro, commit line or request for feedback.
pub(crate) fn own_lines(sections: &Sections) -> impl Iterator<Item = &str> {
    sections
        .text()
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !is_wrapper(line) && !TAG.replace_all(line, "").trim().is_empty())
}

/// Whether a line belongs to the frame that every review of the connector has.
pub(crate) fn is_wrapper(line: &str) -> bool {
    let line = line.trim();
    // The first letter tells which of them a line could be; most lines are none.
    match line
        .bytes()
        .find(u8::is_ascii_alphabetic)
        .map(|b| b.to_ascii_lowercase())
    {
        Some(b'c') => HEADING.is_match(line) || INTRO.is_match(line),
        Some(b'h') => INTRO.is_match(line),
        Some(b'r') => COMMIT_LINE.is_match(line),
        Some(b'u') => FEEDBACK.is_match(line),
        Some(_) | None => false,
    }
}

/// Whether a `<details>` block is the footer: the last thing in the text, holding no badge and no link to lines.
pub(crate) fn is_footer(details: &Details) -> bool {
    details.trailing && !has_finding_marks(&details.raw)
}

/// Whether a text shows a priority badge or a link to a file at a commit anywhere.
pub(crate) fn has_finding_marks(text: &str) -> bool {
    text.contains("![") && BADGE.is_match(text) || text.contains("/blob/") && LINK.is_match(text)
}

fn badge(line: &str) -> Option<Priority> {
    let found = BADGE.captures(line)?;
    let digit = found.name("digit").or_else(|| found.name("url"))?;
    Some(match digit.as_str() {
        "0" => Priority::P0,
        "1" => Priority::P1,
        "2" => Priority::P2,
        "3" => Priority::P3,
        _ => Priority::Unknown,
    })
}

/// The priority of a line that begins with a badge, whatever emphasis, tags, heading or list marks stand before it.
fn badge_line(line: &str) -> Option<Priority> {
    // Few lines hold an image at all.
    if !line.contains("![") {
        return None;
    }
    let start = BADGE.find(line)?.start();
    let before = TAG.replace_all(line.get(..start)?, "");
    let marks = before.trim_start_matches(|c: char| c.is_ascii_digit());
    let framing = marks
        .chars()
        .all(|c| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '-' | '+' | '.' | ')'));
    framing.then(|| badge(line)).flatten()
}

struct Location {
    url: String,
    commit: String,
    path: String,
    line: Option<u64>,
}

impl Location {
    /// The link to a file at a commit that is all a line holds.
    fn alone_on(line: &str) -> Option<Self> {
        if !line.contains("/blob/") {
            return None;
        }
        let found = LINK.captures(line)?;
        let whole = found.get(0)?;
        let around = [line.get(..whole.start())?, line.get(whole.end()..)?];
        let alone = around.iter().all(|part| {
            part.chars()
                .all(|c| c.is_whitespace() || matches!(c, '<' | '>' | '*' | '_' | '-' | ':'))
        });
        alone.then(|| Self {
            url: whole.as_str().to_owned(),
            commit: found["commit"].to_ascii_lowercase(),
            path: percent_decoded(&found["path"]),
            line: found.name("line").and_then(|line| line.as_str().parse().ok()),
        })
    }

    fn finding(location: Option<Self>, priority: Priority, title: String) -> TextFinding {
        let (path, commit, line, url) = match location {
            Some(l) => (Some(l.path), Some(l.commit), l.line, Some(l.url)),
            None => (None, None, None, None),
        };
        TextFinding {
            priority,
            title,
            body: String::new(),
            path,
            commit,
            line,
            url,
        }
    }
}

/// A URL path with its `%xx` decoded; left as it is when that gives no text.
fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let decoded = hex
            .filter(|_| *first == b'%')
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match decoded {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or(&[]);
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

/// A line's words as one plain line: no badge, tags, emphasis, ticks, link targets or heading marks.
fn cleaned(line: &str) -> String {
    if line.trim().is_empty() {
        return String::new();
    }
    let line = BADGE.replace_all(line, " ");
    let line = TAG.replace_all(&line, " ");
    let line = MD_LINK.replace_all(&line, "$1");
    let line = line.trim().trim_start_matches(['#', '-', '+', '>', ' ']);
    let plain = line.replace("**", "").replace("__", "").replace('`', "");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Gives a finding its prose, and a title from it when the badge line held none.
fn finish<'l>(finding: &mut TextFinding, mut lines: impl Iterator<Item = &'l str>) {
    if finding.title.is_empty() {
        finding.title = lines
            .by_ref()
            .map(cleaned)
            .find(|title| !title.is_empty())
            .unwrap_or_default();
    }
    let kept: Vec<&str> = lines
        .map(str::trim_end)
        .filter(|line| !is_wrapper(line))
        .collect();
    kept.join("\n").trim_matches('\n').clone_into(&mut finding.body);
}

#[cfg(test)]
mod tests;
