//! The connector's reply to a coding task: never a review, whatever it says.

use std::sync::LazyLock;

use regex::Regex;

use crate::bot::sections::Sections;

static TASK_LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*\[View task[^\[\]]*\]\(https://chatgpt\.com/[^()\s]*\)\s*$")
        .expect("a literal pattern")
});
static SECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?im)^[ \t]*(?:#{1,6}[ \t]*)?[*_]*(summary|testing)[*_]*:?[*_]*[ \t]*$")
        .expect("a literal pattern")
});

/// Whether the text has a task reply's link on a line of its own, or begins with its summary and tells of testing.
pub(super) fn is_task_reply(sections: &Sections) -> bool {
    let text = sections.text();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let named = |name: &str| {
        SECTION
            .captures_iter(text)
            .any(|section| section[1].eq_ignore_ascii_case(name))
    };
    let reported = SECTION
        .captures(first)
        .is_some_and(|section| section[1].eq_ignore_ascii_case("summary"));
    TASK_LINK.is_match(text) || reported && named("testing")
}
