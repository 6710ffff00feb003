use super::*;

const FOOTER: &str = "<details> <summary>ℹ️ About Codex in GitHub</summary>\n<br/>\n\n[Your team has set up Codex to review pull requests in this repo](https://chatgpt.com/codex/settings/general). Reviews are triggered when you\n- Open a pull request for review\n- Mark a draft as ready\n- Comment \"@codex review\".\n\nIf Codex has suggestions, it will comment; otherwise it will react with 👍.\n\nCodex can also answer questions or update the PR. Try commenting \"@codex address that feedback\".\n            \n</details>";
const COMMIT: &str = "**Reviewed commit:** `abcdef0123`";
const BADGE: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Stop the retry loop**";
const BLOB: &str = "https://github.com/o/r/blob/0123456789abcdef0123456789abcdef01234567/src/a.rs#L3-L9";

fn comment(body: &str) -> Meaning {
    of(body, BodyKind::IssueComment)
}

const CODE_CLEAN: Meaning = Meaning::NoFindings { lane: Lane::Code };
const SECURITY_CLEAN: Meaning = Meaning::NoFindings { lane: Lane::Security };
const UNCLEAR: Meaning = Meaning::Unclear { lane: Lane::Code };

/// The bodies of a table: one a line, `\n` for a line feed, `#` before a remark.
fn bodies(table: &str) -> Vec<String> {
    let lines = table.lines().filter(|line| !line.starts_with("# "));
    lines.map(|line| line.replace("\\n", "\n")).collect()
}

/// Tails that were seen, and some that were not.
const TAILS: [&str; 34] = [
    "",
    "Swish!",
    ":tada:",
    "🚀",
    "Chef's kiss.",
    "What shall we delve into next?",
    "You're on a roll.",
    "Keep them coming!",
    "Bravo.",
    "Hooray!",
    "Delightful!",
    "Another round soon, please!",
    "More of your lovely PRs please.",
    "Can't wait for the next one!",
    "Nice work!",
    "Reviewed and ready.",
    "Breezy!",
    ":+1:",
    "👍",
    "🎉🎉",
    "Keep it up!",
    "Already looking forward to the next diff.",
    "Chef’s kiss.",
    "Onwards!",
    "Zounds!",
    "High five!",
    "Ship it!",
    "Smooth sailing.",
    "That's a wrap.",
    "Top notch.",
    "Well done, team.",
    "Great job!",
    "Fantastic work 🎉",
    "What's next?",
];

#[test]
fn the_clean_comment_is_clean_with_any_tail_and_apostrophe() {
    for tail in TAILS {
        for apostrophe in ["'", "’"] {
            let first = format!("Codex Review: Didn{apostrophe}t find any major issues. {tail}");
            for body in [
                first.clone(),
                format!("{first}\n\n{COMMIT}"),
                format!("{first}\n\n{COMMIT}\n\n{FOOTER}"),
                format!("{first}\n\n{FOOTER}\n").replace('\n', "\r\n"),
                format!("<!-- hidden -->\n{first}\n\n{COMMIT}\n<!-- more -->"),
            ] {
                assert_eq!(comment(&body), CODE_CLEAN, "{body}");
                assert_eq!(of(&body, BodyKind::Review), CODE_CLEAN, "{body}");
            }
        }
    }
}

#[test]
fn words_never_seen_before_that_say_it_clearly_are_clean() {
    let mut wrong = Vec::new();
    for body in &bodies(include_str!("tests/clean.txt")) {
        let whole = format!("{body}\n\n{COMMIT}\n\n{FOOTER}");
        if comment(body) != CODE_CLEAN || comment(&whole) != CODE_CLEAN {
            wrong.push(body.clone());
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_clean_sentence_with_anything_against_it_is_not_clean() {
    let mut wrong = Vec::new();
    for body in &bodies(include_str!("tests/not_clean.txt")) {
        let whole = format!("{body}\n\n{COMMIT}\n\n{FOOTER}");
        for text in [body, &whole] {
            if matches!(comment(text), Meaning::NoFindings { .. }) {
                wrong.push(text.to_owned());
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_mark_of_a_finding_anywhere_keeps_a_text_from_being_clean() {
    let clean = "Codex Review: Didn't find any major issues. Swish!";
    for mark in [BADGE, BLOB] {
        for body in [
            format!("{clean}\n\n{mark}"),
            format!("{mark}\n\n{clean}"),
            format!("{clean} {mark}"),
            format!("{clean}\n> {mark}"),
            format!("{clean}\n<details><summary>About Codex</summary>\n{mark}\n</details>"),
            format!("{clean}\n[see]({BLOB})"),
        ] {
            assert!(!matches!(comment(&body), Meaning::NoFindings { .. }), "{body}");
        }
    }
}

#[test]
fn the_security_lane_speaks_for_itself_alone() {
    let heading = "### 🛡️ Codex Security Review";
    for body in [
        format!(
            "{heading}\n\nSecurity review completed. No security issues were found in this pull request.\n\n{COMMIT}\n\n{FOOTER}"
        ),
        format!("{heading}\nDidn't find any major issues."),
        "Security review completed. No security issues were found in this pull request.".to_owned(),
        "No security issues were found in this pull request.".to_owned(),
        "Codex Review: No vulnerabilities were found.".to_owned(),
    ] {
        assert_eq!(comment(&body), SECURITY_CLEAN, "{body}");
    }
    let both = "Codex Review: Didn't find any major issues. No security issues were found.";
    assert_eq!(comment(both), CODE_CLEAN);
    let automatic = format!("{heading} · _Automatically triggered_\n\n{COMMIT}\n\n{FOOTER}");
    assert_eq!(
        of(&automatic, BodyKind::Review),
        Meaning::Boilerplate { lane: Lane::Security }
    );
    let finding = format!("{heading}\n\n{BADGE}\nProse.");
    assert!(matches!(
        comment(&finding),
        Meaning::Findings {
            lane: Lane::Security,
            ..
        }
    ));
}

#[test]
fn a_review_that_only_frames_its_inline_comments_is_boilerplate() {
    let intro = "Here are some automated review suggestions for this pull request.";
    for body in [
        format!("\n### 💡 Codex Review\n\n{intro}\n\n{COMMIT}\n    \n{FOOTER}"),
        format!("\n### 💡 Codex Review\n\n{intro}\n\n{FOOTER}"),
        format!("Codex Review: Here are some suggestions.\n\n{FOOTER}"),
        "Codex Review: Here are some suggestions.".to_owned(),
        String::new(),
        " \r\n".to_owned(),
        "### 💡 Codex Review".to_owned(),
    ] {
        assert_eq!(
            of(&body, BodyKind::Review),
            Meaning::Boilerplate { lane: Lane::Code },
            "{body}"
        );
        assert_eq!(comment(&body), UNCLEAR, "{body}");
    }
    assert!(announces_suggestions(intro));
    assert!(announces_suggestions("Codex Review: Here are some suggestions."));
    assert!(!announces_suggestions(""));
    assert!(!announces_suggestions(&format!("> {intro}")));
    let contradictory = format!("### 💡 Codex Review\n\n{intro}\n\nDidn't find any major issues.");
    assert_eq!(of(&contradictory, BodyKind::Review), UNCLEAR);
    let prose = "### 💡 Codex Review\n\nThe retry loop never ends.";
    assert_eq!(of(prose, BodyKind::Review), UNCLEAR);
}

#[test]
fn each_other_text_of_the_connector_has_its_own_meaning() {
    let notice = |kind, lane| Meaning::Notice { kind, lane };
    let wrong = "Codex Review: Something went wrong. Try again later by commenting “@codex review”.";
    for (body, expected) in [
        (
            format!("{wrong}\n```\nAn unknown error occurred\n```\n\n{FOOTER}"),
            Meaning::Failure { signature: Signature::V2 },
        ),
        (
            "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\r\nAn unknown error occurred\r\n".to_owned(),
            Meaning::Failure { signature: Signature::V1 },
        ),
        (format!("{wrong}\n```\nUnknown error\n```\n{FOOTER}"), notice(NoticeKind::ErrorUnlisted, Lane::Code)),
        (wrong.to_owned(), notice(NoticeKind::ErrorUnlisted, Lane::Code)),
        (
            "You have reached your Codex usage limits for security reviews.".to_owned(),
            notice(NoticeKind::UsageLimit, Lane::Security),
        ),
        (
            format!("Codex couldn't complete this request. Try again later.\n\n{FOOTER}"),
            notice(NoticeKind::RequestFailed, Lane::Code),
        ),
        (
            " **Summary**\n* Fixed the loop.\n\n**Testing**\n* ✅ `cargo test`\n\n[View task →](https://chatgpt.com/s/cd_0123)".to_owned(),
            Meaning::TaskReply,
        ),
        (
            "Nothing to change.\n\nI looked.\n\n[View task →](https://chatgpt.com/s/cd_0123)".to_owned(),
            Meaning::TaskReply,
        ),
        ("I found no issues.\n\n[View task →](https://chatgpt.com/s/cd_0123)".to_owned(), Meaning::TaskReply),
        ("### Summary\n\nNo issues.\n\n### Testing\n\nNone.".to_owned(), Meaning::TaskReply),
        (
            "<!-- codex-pull-request-review-summary -->\n## Codex Review Summary\n".to_owned(),
            Meaning::Summary { rows: Vec::new() },
        ),
    ] {
        assert_eq!(comment(&body), expected, "{body}");
    }
    let quoting = format!(
        "{BADGE}\n\nIt answers `You have reached your Codex usage limits for code reviews.`\n\n{wrong}"
    );
    assert!(matches!(comment(&quoting), Meaning::Findings { .. }));
}

#[test]
fn a_summary_or_a_completed_row_is_never_clean() {
    let row = "| 📝 **Code Review** | ✅ **Completed** | `8777ef4` | PR opened |";
    let body = format!(
        "<!-- codex-pull-request-review-summary -->\n## Codex Review Summary\n\n{row}\n\nNo issues found."
    );
    assert!(matches!(comment(&body), Meaning::Summary { .. }));
}

#[test]
fn a_statement_takes_only_so_much_small_talk() {
    let clean = |tails: &[String]| comment(&format!("No issues found. {}", tails.join(" ")));
    let sentence = |words: usize| format!("{}.", vec!["lovely"; words].join(" "));
    let six = vec![sentence(1); 6];
    let seven = vec![sentence(1); 7];
    assert_eq!((clean(&six), clean(&seven)), (CODE_CLEAN, UNCLEAR));
    let thirty = [sentence(10), sentence(10), sentence(10)];
    let more = [sentence(10), sentence(10), sentence(11)];
    assert_eq!((clean(&thirty), clean(&more)), (CODE_CLEAN, UNCLEAR));
}

#[test]
fn only_the_quotation_of_a_request_may_stand_beside_a_clean_statement() {
    for (quoted, expected) in [
        ("@codex review", CODE_CLEAN),
        ("@codex", CODE_CLEAN),
        ("@ada look", UNCLEAR),
        ("please @codex review", UNCLEAR),
        ("fine", UNCLEAR),
    ] {
        assert_eq!(
            comment(&format!("> {quoted}\n\nNo issues found.")),
            expected,
            "{quoted}"
        );
    }
}

#[test]
fn a_summary_alone_or_a_test_alone_is_no_task_reply() {
    for body in [
        "### Summary\n\nThe loop ends now.",
        "The loop ends now.\n\n### Testing\n\nNone.",
        "The loop ends now.\n\n### Summary\n\nFine.\n\n### Testing\n\nNone.",
    ] {
        assert_eq!(comment(body), UNCLEAR, "{body}");
    }
}
