//! Which comments ask the connector for a review, and the hidden markers that bind a comment to a head.
//!
//! A form says what a text asks for; whether it started a run is decided from who wrote it and what followed.

use std::sync::LazyLock;

use regex::Regex;

use super::sections::Sections;

pub mod markers;

pub use markers::{
    HandledMarker, HandledOutcome, MarkedHead, Marker, Superseded, handled_markers, marked_head, markers,
    reply_marker,
};

/// How a comment addresses the connector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The visible text is only `@codex review`.
    Exact,
    /// The same with a recognised head marker.
    Marked,
    /// A line begins with `@codex review` and there is more visible text.
    Directed,
    /// `@codex security review`.
    Security,
    /// Any other request to the connector: it starts a coding task.
    Task,
    /// `@codex review` inside a line.
    Mention,
    /// A mention only in code or in a quote.
    Quoted,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 7] = [
        Self::Exact,
        Self::Marked,
        Self::Directed,
        Self::Security,
        Self::Task,
        Self::Mention,
        Self::Quoted,
    ];

    /// The word documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Marked => "marked",
            Self::Directed => "directed",
            Self::Security => "security",
            Self::Task => "task",
            Self::Mention => "mention",
            Self::Quoted => "quoted",
        }
    }
}

/// `@codex` as a handle of its own: not within an e-mail address, a team or a longer handle; then what is asked for.
static HANDLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?im)(?P<before>^|[^0-9a-z_@/])@codex(?:(?P<ask>[ \t\u{a0}]+(?:(?P<security>security[ \t\u{a0}]+review)|review))?(?:[^0-9a-z_/@-]|-?$|-[^0-9a-z]))",
    )
    .expect("a literal pattern")
});

/// The form of `body`, or `None` when it does not mention the connector.
pub fn form(body: &str) -> Option<Form> {
    if !mentions_codex(body) {
        return None;
    }
    let sections = Sections::of(body);
    if is_exact(&sections) {
        return Some(match marked_head(body) {
            MarkedHead::None => Form::Exact,
            MarkedHead::One(_) | MarkedHead::Conflicting => Form::Marked,
        });
    }
    // Markdown counts a line below a quoted one to the quote; whether the connector does is not known, and a
    // request that is overlooked is worse than one too many.
    let requests: Vec<Request> = requests(sections.prose())
        .chain(requests(sections.lazily_quoted()))
        .collect();
    if requests.iter().any(|r| r.begins_line && r.asks == Asks::Review) {
        return Some(Form::Directed);
    }
    Some(match requests.first() {
        Some(Request {
            asks: Asks::Review, ..
        }) => Form::Mention,
        Some(Request {
            asks: Asks::SecurityReview,
            ..
        }) => Form::Security,
        Some(Request {
            asks: Asks::Other, ..
        }) => Form::Task,
        None if mentions_codex(sections.quoted())
            || mentions_codex(sections.code())
            || sections.spans().iter().any(|span| mentions_codex(span))
            || sections
                .details()
                .iter()
                .any(|details| mentions_codex(&details.raw)) =>
        {
            Form::Quoted
        }
        None => return None,
    })
}

/// Whether `text` mentions the connector anywhere, code and hidden comments included: the connector does not read
/// Markdown, and any mention may start a task.
pub fn mentions_codex(text: &str) -> bool {
    text.contains('@') && HANDLE.is_match(text)
}

/// Whether all that a reader sees is `@codex review`.
fn is_exact(sections: &Sections) -> bool {
    let nothing_else = sections.quoted().trim().is_empty()
        && sections.code().trim().is_empty()
        && sections.details().is_empty()
        && sections.spans().is_empty();
    let line = sections.text().trim();
    let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
    let handle = words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("@codex"));
    let review = words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("review"));
    nothing_else && handle && review && words.next().is_none()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    Review,
    SecurityReview,
    Other,
}

struct Request {
    asks: Asks,
    begins_line: bool,
}

fn requests(text: &str) -> impl Iterator<Item = Request> + '_ {
    let mut at = 0_usize;
    std::iter::from_fn(move || {
        let captures = HANDLE.captures_at(text, at)?;
        let start = captures.name("before").map_or(at, |before| before.end());
        let ask = captures.name("ask");
        // The next handle may begin with the very character that ended this one.
        at = ask.map_or(start.saturating_add("@codex".len()), |ask| ask.end());
        let before = text.get(..start).unwrap_or("").trim_end_matches([' ', '\t']);
        Some(Request {
            asks: match (captures.name("security"), ask) {
                (Some(_), _) => Asks::SecurityReview,
                (None, Some(_)) => Asks::Review,
                (None, None) => Asks::Other,
            },
            begins_line: before.is_empty() || before.ends_with('\n'),
        })
    })
}

#[cfg(test)]
mod tests;
