//! Cuts prose into clauses of plain lower-case words, or finds that it is more than prose.

use std::sync::LazyLock;

use regex::Regex;

use crate::bot::findings;
use crate::bot::sections::CODE_MARK;

/// A clause: words with single spaces between them, commas as words of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    /// The words.
    pub(super) text: String,
    /// The mark that ended it: a line feed when the line did, a colon when it names what follows.
    pub(super) end: char,
}

impl Clause {
    pub(super) fn ends_with(&self, mark: char) -> bool {
        self.end == mark
    }
}

/// The longest prose that a clean text can be.
const MAX_BYTES: usize = 4000;

static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)</?(?:b|strong|i|em|sub|sup|br|p|hr)\s*/?>"));
static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[([^\[\]]*)\]\(([^()\s]*)\)"));
static SHORTCODE: LazyLock<Regex> = LazyLock::new(|| pattern(r":([a-z0-9_+-]+):"));
/// Praise in figures and signs.
static FULL_MARKS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(^|\s)(?:10/10|100%|a\+|\+1|\\o/|<3|:-?[)d])([\s.!,]|$)"));
/// A list mark or heading marks at the beginning of a line.
static LEAD: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:#{1,6}\s+|[-*+]\s+|[0-9]{1,3}[.)]\s+)+"));
/// A link that is more than the connector's own pages.
static FOREIGN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^https?://(?:[a-z0-9-]+\.)*(?:chatgpt|openai)\.com(?:[/?#]|$)"));

/// Emoji and shortcodes that say the opposite of "nothing to report", or that it is not decided.
const GRAVE: &str =
    "❌⚠🚨🐛🐞⛔🛑👎🔴🟠🟡❗‼⁉❓❔❕🚫💥🚧🤔😬😕🙁☹😞😟😢😭😡😱💣🧨⏳⌛🔄👀❎✖✗✘☐🔲⬜💔🩹🕒🕐⏱🔧🛠🔨📝✏🔍🔎";
const GRAVE_CODES: [&str; 26] = [
    "x",
    "warning",
    "rotating_light",
    "bug",
    "beetle",
    "no_entry",
    "no_entry_sign",
    "octagonal_sign",
    "stop_sign",
    "-1",
    "thumbsdown",
    "red_circle",
    "orange_circle",
    "yellow_circle",
    "exclamation",
    "heavy_exclamation_mark",
    "bangbang",
    "interrobang",
    "question",
    "eyes",
    "construction",
    "hourglass",
    "hourglass_flowing_sand",
    "boom",
    "thinking",
    "memo",
];

/// The clauses of `prose`; `None` when something in it is not prose.
pub(super) fn clauses(prose: &str) -> Option<Vec<Clause>> {
    if prose.trim().len() > MAX_BYTES {
        return None;
    }
    let mut clauses = Vec::new();
    for line in joined_lines(prose) {
        let mark = if is_heading(&line) { ':' } else { '\n' };
        let line = plain(&line)?;
        cut(&line, mark, &mut clauses)?;
    }
    Some(clauses)
}

/// The lines without the frame of a review; a line that only wraps the one before is joined to it.
fn joined_lines(prose: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in prose.lines() {
        let line = line.trim();
        if line.is_empty() || findings::is_wrapper(line) {
            open = false;
            continue;
        }
        match lines.last_mut() {
            Some(last) if open && line.starts_with(|c: char| c.is_lowercase()) => {
                last.push(' ');
                last.push_str(line);
            }
            Some(_) | None => lines.push(line.to_owned()),
        }
        open = !line.starts_with('#') && !line.ends_with(['.', '!', '?', ':', ';', '…']);
    }
    lines
}

/// Whether a line names what stands below it: a heading, an item of a list, a line in bold without a full stop.
fn is_heading(line: &str) -> bool {
    LEAD.is_match(line) || line.starts_with("**") && line.ends_with("**")
}

/// A line without tags, list marks, emphasis, link targets and harmless emoji codes.
fn plain(line: &str) -> Option<String> {
    let task = line.contains("[ ]") || line.contains("[x]") || line.contains("[X]");
    if task || line.contains("~~") || line.contains("![") || line.contains(CODE_MARK) {
        return None;
    }
    let line = LEAD.replace(line, "");
    let line = TAG.replace_all(&line, " ");
    if LINK.captures_iter(&line).any(|link| !FOREIGN.is_match(&link[2])) {
        return None;
    }
    let line = LINK.replace_all(&line, "$1");
    let line = line.to_lowercase().replace(['’', '‘', 'ʼ'], "'").replace('*', "");
    if SHORTCODE
        .captures_iter(&line)
        .any(|code| GRAVE_CODES.contains(&&code[1]))
    {
        return None;
    }
    let line = SHORTCODE.replace_all(&line, " ");
    Some(
        FULL_MARKS
            .replace_all(&line, "$1$2")
            .into_owned()
            .replace(" 'em", " them"),
    )
}

/// Cuts one line at its marks; `last` ends its last clause. Any character that neither ends a clause nor belongs to a word or an emoji makes the
/// line more than prose.
fn cut(line: &str, last: char, clauses: &mut Vec<Clause>) -> Option<()> {
    let mut text = String::new();
    let mut before = ' ';
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or('\n');
        let in_word = before.is_alphanumeric() && next.is_alphanumeric();
        match c {
            c if c.is_alphanumeric() => text.push(c),
            '\'' if in_word => text.push(c),
            // "prs'" and the like
            '\'' if before.is_alphanumeric() && !next.is_alphanumeric() => {}
            '-' if in_word => text.push(c),
            '-' if before == '-' || !next.is_alphanumeric() => end(&mut text, '-', clauses),
            '.' | '!' | '?' if !in_word => {
                // Of "!?" and the like the doubt counts; what follows "?!" ends nothing more.
                if let Some(last) = clauses.last_mut().filter(|_| text.trim().is_empty())
                    && c == '?'
                {
                    last.end = '?';
                }
                end(&mut text, c, clauses);
            }
            ',' if !in_word => text.push_str(" , "),
            ':' | ';' if !in_word => end(&mut text, c, clauses),
            '(' | ')' => end(&mut text, c, clauses),
            '—' | '–' | '…' | '·' => end(&mut text, '-', clauses),
            '_' if !in_word => {}
            '&' if next == ' ' => text.push_str(" and "),
            '@' if !before.is_alphanumeric() && next.is_alphanumeric() => {}
            c if c.is_whitespace() => text.push(' '),
            c if GRAVE.contains(c) && !is_selector(c) => return None,
            c if is_selector(c) => {}
            c if c.is_ascii() || c.is_control() || is_invisible(c) || is_quotation(c) => return None,
            // An emoji or another symbol stands between words.
            _ => text.push(' '),
        }
        before = c;
    }
    end(&mut text, last, clauses);
    Some(())
}

fn end(text: &mut String, mark: char, clauses: &mut Vec<Clause>) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let clause = words.join(" ");
    text.clear();
    let clause = clause.trim_matches([' ', ',']).to_owned();
    if !clause.is_empty() {
        clauses.push(Clause {
            text: clause,
            end: mark,
        });
    }
}

/// Joiners and selectors that emoji are made of.
fn is_selector(c: char) -> bool {
    matches!(
        c,
        '\u{200D}' | '\u{FE0E}' | '\u{FE0F}' | '\u{20E3}' | '\u{1F3FB}'..='\u{1F3FF}'
    )
}

/// Characters that hide or turn round what stands beside them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

fn is_quotation(c: char) -> bool {
    matches!(
        c,
        '“' | '”'
            | '„'
            | '‟'
            | '«'
            | '»'
            | '‹'
            | '›'
            | '‚'
            | '「'
            | '」'
            | '『'
            | '』'
            | '｢'
            | '｣'
            | '〝'
            | '〞'
            | '＂'
    )
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a literal pattern")
}

#[cfg(test)]
mod tests;
