use super::*;

const SHA: &str = "0123456789abcdef0123456789abcdef01234567";
const FOOTER: &str = "<details> <summary>ℹ️ About Codex in GitHub</summary>\n<br/>\n\nAny words.\n</details>";

fn badge_of(priority: &str, colour: &str) -> String {
    format!(
        "<sub><sub>![{priority} Badge](https://img.shields.io/badge/{priority}-{colour}?style=flat)</sub></sub>"
    )
}

fn title_line(priority: &str, title: &str) -> String {
    format!("**{}  {title}**", badge_of(priority, "orange"))
}

#[test]
fn an_inline_finding_has_priority_title_and_prose() {
    let body = format!(
        "{}\n\nThe `retry` loop never ends.\n\n```suggestion\nbreak;\n```\n\nAGENTS.md reference: [AGENTS.md:L3](https://github.com/o/r/blob/{SHA}/AGENTS.md#L3)\n\nUseful? React with 👍 / 👎.",
        title_line("P1", "Stop the `retry` loop")
    );
    assert_eq!(
        inline(&body.replace('\n', "\r\n")),
        TextFinding {
            priority: Priority::P1,
            title: "Stop the retry loop".into(),
            body: format!(
                "The `retry` loop never ends.\n\n```suggestion\nbreak;\n```\n\nAGENTS.md reference: [AGENTS.md:L3](https://github.com/o/r/blob/{SHA}/AGENTS.md#L3)"
            ),
            path: None,
            commit: None,
            line: None,
            url: None,
        }
    );
}

#[test]
fn a_badge_or_a_link_to_a_file_at_a_commit_marks_a_finding_and_other_images_and_links_do_not() {
    for (text, marked) in [
        (badge_of("P2", "yellow"), true),
        (format!("https://github.com/o/r/blob/{SHA}/src/a.rs#L1-L2"), true),
        ("![Codex](https://chatgpt.com/logo.png)".to_owned(), false),
        ("https://github.com/o/r/blob/main/README.md".to_owned(), false),
        ("Any words.".to_owned(), false),
    ] {
        assert_eq!(has_finding_marks(&text), marked, "{text}");
    }
}

#[test]
fn every_badge_names_its_priority_and_no_badge_is_an_unknown_one() {
    for (line, expected) in [
        (title_line("P0", "t"), Priority::P0),
        (title_line("P1", "t"), Priority::P1),
        (title_line("P2", "t"), Priority::P2),
        (title_line("P3", "t"), Priority::P3),
        (title_line("P7", "t"), Priority::Unknown),
        (
            "**![P2 Badge](https://img.shields.io/badge/P2-yellow) t**".into(),
            Priority::P2,
        ),
        (
            "![important](https://img.shields.io/badge/P0-red?style=flat) t".into(),
            Priority::P0,
        ),
        (
            format!(
                "<!-- codex-security-review-finding:v1 -->\n{}",
                title_line("P1", "t")
            ),
            Priority::P1,
        ),
        (format!("{}\n\nt", badge_of("P3", "lightgrey")), Priority::P3),
        ("t".into(), Priority::Unknown),
        ("**t**\n\nprose".into(), Priority::Unknown),
        ("`![P1 Badge](x)`\nt".into(), Priority::Unknown),
    ] {
        assert_eq!(inline(&line).priority, expected, "{line}");
    }
    for line in [
        title_line("P2", "t"),
        format!("{}\n\nt", badge_of("P3", "grey")),
        "## t\n\nx".into(),
        "**t**".into(),
    ] {
        assert_eq!(inline(&line).title, "t", "{line}");
    }
    assert_eq!(inline("").title, "");
    assert_eq!(
        Priority::ALL.map(Priority::as_str),
        ["P0", "P1", "P2", "P3", "unknown"]
    );
}

#[test]
fn findings_in_a_body_are_told_apart() {
    let first = format!("https://github.com/o/r/blob/{SHA}/src/a%20b.rs#L3-L9");
    let second = format!("https://git.example.com/o/r/blob/{SHA}/src/c.rs");
    let body = format!(
        "\n### 💡 Codex Review\n\n{first}  \n{}\n\nFirst prose.\n\nSee also\n{second}\n\nand so on.\n\n{second}\n\n{}\nSecond prose.\n> {}\n\n{}\n\nThird prose.\n\n**Reviewed commit:** `0123456789`\n\n{FOOTER}",
        title_line("P1", "First"),
        title_line("P2", "Second"),
        title_line("P0", "Quoted"),
        title_line("P3", "Third, without a place"),
    );
    let found = in_body(&body);
    let places: Vec<_> = found
        .iter()
        .map(|f| {
            (
                f.priority,
                f.title.as_str(),
                f.path.as_deref(),
                f.line,
                f.commit.as_deref(),
                f.url.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            (
                Priority::P1,
                "First",
                Some("src/a b.rs"),
                Some(3),
                Some(SHA),
                Some(first.as_str())
            ),
            (
                Priority::P2,
                "Second",
                Some("src/c.rs"),
                None,
                Some(SHA),
                Some(second.as_str())
            ),
            (Priority::P3, "Third, without a place", None, None, None, None),
        ]
    );
    let prose: Vec<_> = found.iter().map(|f| f.body.as_str()).collect();
    assert_eq!(
        prose,
        [
            format!("First prose.\n\nSee also\n{second}\n\nand so on.").as_str(),
            format!("Second prose.\n> {}", title_line("P0", "Quoted")).as_str(),
            "Third prose.",
        ]
    );
}

#[test]
fn a_link_to_lines_without_a_badge_is_a_finding_of_unknown_priority() {
    let url = format!("https://github.com/o/r/blob/{SHA}/src/a.rs#L12");
    let found = in_body(&format!(
        "### 💡 Codex Review\n\n{url}\n\nThe loop never ends.\n\nIt should."
    ));
    let read: Vec<_> = found
        .iter()
        .map(|f| (f.priority, f.title.as_str(), f.body.as_str(), f.line))
        .collect();
    assert_eq!(
        read,
        [(Priority::Unknown, "The loop never ends.", "It should.", Some(12))]
    );
}

#[test]
fn what_only_quotes_a_finding_is_none() {
    let line = title_line("P1", "Title");
    for body in [
        String::new(),
        "### 💡 Codex Review\n\nProse.".into(),
        format!("> {line}"),
        format!("```\n{line}\n```"),
        format!("<!-- {line} -->"),
        format!("<details><summary>x</summary>\n\n{line}\n</details>"),
        format!("as in {line}"),
        format!("see https://github.com/o/r/blob/{SHA}/a.rs#L1 for more"),
        "https://github.com/o/r/blob/main/a.rs#L1\n\nprose".into(),
        "https://github.com/o/r/pull/1\n\nprose".into(),
    ] {
        assert_eq!(in_body(&body), Vec::new(), "{body}");
    }
}

#[test]
fn substance_is_what_is_left_without_the_frame() {
    let frame = format!(
        "\n### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.\n\n**Reviewed commit:** `58d4bceaec`\n    \n\n{FOOTER}\n<!-- hidden -->\n"
    );
    for body in [
        String::new(),
        " \r\n\t".into(),
        frame.clone(),
        frame.replace('\n', "\r\n"),
        FOOTER.into(),
        "Codex Review: Here are some suggestions.".into(),
        "### 🛡️ Codex Security Review · _Automatically triggered_\n\n**Reviewed commit:** `58d4bceaec`"
            .into(),
        "<!-- hidden -->".into(),
        "Useful? React with 👍 / 👎.".into(),
    ] {
        assert!(!is_substantive(&body), "{body}");
    }
    for more in [
        "The loop never ends.",
        "> quoted",
        "```\ncode\n```",
        "`code`",
        "- item",
        "<details><summary>Findings</summary>a</details>\n\nafter",
        "🐛",
    ] {
        assert!(is_substantive(more), "{more}");
        let body = format!("{more}\n{frame}");
        assert!(is_substantive(&body), "{body}");
    }
    let folded = format!(
        "<details><summary>More</summary>\n\n{}\n</details>",
        title_line("P1", "Title")
    );
    assert!(is_substantive(&folded));
}
