//! What must hold for every text, whatever it says.

use proptest::prelude::*;

use super::findings::{in_body, inline, is_substantive};
use super::meaning::{BodyKind, Meaning, announces_suggestions, of};
use super::sections::Sections;
use super::triggers::{form, handled_markers, marked_head, mentions_codex, reply_marker};
use super::{commits, notices, summary};
use crate::run::signature;

const CLEAN: &str = include_str!("meaning/tests/clean.txt");
const NOT_CLEAN: &str = include_str!("meaning/tests/not_clean.txt");

fn bodies(table: &'static str) -> Vec<String> {
    let lines = table.lines().filter(|line| !line.starts_with("# "));
    lines.map(|line| line.replace("\\n", "\n")).collect()
}

fn is_clean(body: &str) -> bool {
    [BodyKind::IssueComment, BodyKind::Review]
        .into_iter()
        .any(|kind| matches!(of(body, kind), Meaning::NoFindings { .. }))
}

/// Reads a text in every way there is.
fn read(body: &str) {
    let sections = Sections::of(body);
    assert_eq!(
        sections.lines().iter().filter(|line| line.own).count() > 0,
        !sections.text().is_empty()
    );
    for kind in [BodyKind::IssueComment, BodyKind::Review] {
        if let Meaning::Findings { findings, .. } = of(body, kind) {
            assert!(!findings.is_empty());
        }
    }
    inline(body);
    in_body(body);
    is_substantive(body);
    announces_suggestions(body);
    commits::labelled(body);
    notices::notice(body);
    summary::rows(body);
    handled_markers(body);
    reply_marker(body);
    marked_head(body);
    signature::recognise(body);
    assert!(form(body).is_none() || mentions_codex(body));
}

/// Pieces that mean something to one of the readers.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "<!--",
        "-->",
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
        "`",
        "``",
        "```",
        "~~~",
        "\n",
        "\r\n",
        "\n\n",
        "> ",
        "    ",
        "- ",
        "| ",
        "\\",
        "<",
        ">",
        "**",
        "@codex review",
        "@codex",
        "![P1 Badge](x)",
        "https://github.com/o/r/blob/0123456789abcdef0123456789abcdef01234567/a#L1",
        "**Reviewed commit:** `abcdef0`",
        "Codex Review: ",
        "Didn't find any major issues.",
        "No issues found",
        ", but ",
        "Something went wrong.",
        "| Review | Status | Commit | Review trigger |",
        "codex-pull-request-review-summary",
        "## Codex Review Summary",
        "é",
        "\u{FFFC}",
        "\u{0}",
        "🛡️",
        "…",
        "’",
    ];
    prop_oneof![
        3 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
        1 => "[a-z ,.:?!'-]{0,12}",
    ]
}

/// What makes a clean text unclean, as a sentence or line of its own.
const AGAINST: [&str; 16] = [
    "But the retry loop never ends.",
    "However, one thing stands out.",
    "The cache is never cleared.",
    "Except for the parser.",
    "Minor: rename it.",
    "Please fix the loop.",
    "You should rename the flag.",
    "No issues so far.",
    "Still reviewing.",
    "I could not read every file.",
    "See `src/a.rs`.",
    "See src/a.rs:12.",
    "- [ ] rename it",
    "![P2 Badge](https://img.shields.io/badge/P2-yellow?style=flat) Rename it",
    "https://github.com/o/r/blob/0123456789abcdef0123456789abcdef01234567/src/a.rs#L1",
    "> The loop never ends.",
];

proptest! {
    #[test]
    fn no_text_makes_a_reader_fail(pieces in proptest::collection::vec(piece(), 0..40)) {
        read(&pieces.concat());
    }

    #[test]
    fn line_endings_never_matter(pieces in proptest::collection::vec(piece(), 0..30)) {
        let unix = pieces.concat().replace('\r', "");
        let dos = unix.replace('\n', "\r\n");
        prop_assert_eq!(of(&unix, BodyKind::IssueComment), of(&dos, BodyKind::IssueComment));
        prop_assert_eq!(form(&unix), form(&dos));
        prop_assert_eq!(commits::labelled(&unix), commits::labelled(&dos));
    }

    #[test]
    fn a_clean_text_with_something_against_it_is_not_clean(
        body in proptest::sample::select(bodies(CLEAN)),
        against in proptest::sample::select(AGAINST.to_vec()),
        before in any::<bool>(),
        gap in proptest::sample::select(vec!["\n\n", "\n"]),
    ) {
        let text = if before { format!("{against}\n\n{body}") } else { format!("{body}{gap}{against}") };
        prop_assert!(!is_clean(&text), "{}", text);
    }

    #[test]
    fn a_clean_text_that_goes_on_with_a_contrast_is_not_clean(
        body in proptest::sample::select(bodies(CLEAN)),
        contrast in proptest::sample::select(vec![
            ", but", ", however", " except", ", although", ", though", " aside from", " other than", " unless",
            "; only", " besides", " yet", " so far", ", apart from", ", otherwise", " until", " while", " if",
        ]),
        rest in "( [a-z]{1,9}){0,4}",
    ) {
        let text = format!("{}{contrast}{rest}.", body.trim_end_matches(['.', '!', '?']));
        prop_assert!(!is_clean(&text), "{}", text);
    }

    #[test]
    fn a_clean_text_that_is_not_the_authors_own_is_not_clean(body in proptest::sample::select(bodies(CLEAN))) {
        for text in [
            format!("> {}", body.replace('\n', "\n> ")),
            format!("```\n{body}\n```"),
            format!("<!-- {body} -->"),
            format!("<details><summary>Log</summary>\n\n{body}\n</details>"),
            format!("\"{body}\""),
            format!("The log says: {body}"),
            format!("~~{body}~~"),
            format!("Is it true? {body}?"),
        ] {
            prop_assert!(!is_clean(&text), "{}", text);
        }
    }
}

#[test]
fn what_is_not_clean_is_not_made_clean_by_a_clean_sentence() {
    for body in bodies(NOT_CLEAN) {
        let sections = Sections::of(&body);
        // A sentence that was somebody else's, or hidden, says nothing against one that is the author's.
        let own = !sections.text().trim().is_empty() && sections.details().is_empty();
        if own && !SILENT.contains(&body.as_str()) {
            for clean in ["No issues found.", "Didn't find any major issues. Swish!"] {
                for text in [format!("{body}\n\n{clean}"), format!("{clean}\n\n{body}")] {
                    assert!(!is_clean(&text), "{text}");
                }
            }
        }
    }
}

/// Texts of the table that say nothing at all about findings.
const SILENT: [&str; 7] = [
    "LGTM",
    "Looks good to me!",
    "All clear.",
    "Swish!",
    "Codex Review:",
    "I reviewed the diff.",
    "Nothing to see here.",
];

/// A pass that looks again at what it has seen would not come to an end here.
#[test]
fn long_texts_of_any_shape_are_read_in_linear_time() {
    let unit = [
        "<details",
        "<details>",
        "</details>",
        "<!--",
        "<!-- -->",
        "x <!-- ",
        "`",
        "` ``",
        "```\n",
        "> ",
        ">\n",
        "- ",
        "- > ",
        "\\",
        "<",
        "[",
        "![",
        "](",
        "![P1 Badge](",
        "@codex ",
        "@codex review ",
        "@codex review\n",
        " ",
        "\n",
        "\t\n",
        "|",
        "| a ",
        "*",
        "No issues found. ",
        "no issues, ",
        "Reviewed commit: abcdef0\n",
        "https://github.com/o/r/blob/0123456789abcdef0123456789abcdef01234567/a\n\n",
        "codex review:",
        "<a",
        "details",
        "é",
    ];
    for unit in unit {
        read(&unit.repeat(120_000 / unit.len()));
    }
    read(&"x <!-- `a` <details ".repeat(50_000));
    // Runs of ticks of every length, none of them closed.
    let ticks: Vec<String> = (1..1400).map(|length| "`".repeat(length)).collect();
    read(&ticks.join(" "));
    read(&format!("{}-->", "x <!-- ".repeat(140_000)));
    read(&format!(
        "Something went wrong.{}",
        "</details><details>".repeat(50_000)
    ));
}
