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
    for body in [
        "No problems were found in this change. Nice work!",
        "I reviewed the diff and have no suggestions.",
        "Looks good — nothing to flag.",
        "Everything checks out; no issues identified.",
        "### 💡 Codex Review\n\nDidn't find any major issues.",
        "No issues found.",
        "no issues found",
        "No issues, nice!",
        "0 issues found.",
        "Zero findings. Great work!",
        "I found no problems in this pull request.",
        "I have found no issues with these changes.",
        "I've found no issues.",
        "Codex found no bugs in this PR.",
        "There are no issues to report.",
        "There is nothing to report.",
        "There's nothing to report here.",
        "Nothing to report.",
        "Nothing worth flagging.",
        "Found nothing to flag in this diff.",
        "I didn't find anything worth raising.",
        "I could not find any bugs.",
        "We did not identify any problems in these changes.",
        "I don't see any issues.",
        "I do not have any suggestions for this pull request.",
        "I have no comments.",
        "No comments from my side.",
        "No concerns from me.",
        "No bugs, issues, or concerns were found.",
        "No issues or suggestions.",
        "I don't have any suggestions or concerns.",
        "No actionable findings.",
        "No findings that need attention.",
        "I looked through all changed files, and nothing stood out.",
        "I went through every file and found nothing to change.",
        "Reviewed 14 files and found no issues.",
        "LGTM, no issues found 🎉",
        "All clear: nothing to report.",
        "Review complete. No problems detected.",
        "The review is complete and no issues were detected.",
        "Codex review completed with no findings.",
        "**Result:** no issues found",
        "Findings: none",
        "Issues found: 0",
        "This pull request is free of issues.",
        "The changes look good and I have no suggestions.",
        "The code is clean. I found no issues.",
        "- Reviewed the diff\n- No issues found",
        "Thanks for the PR! I have no suggestions.",
        "Great work! No issues found in `abcdef0123`.",
        "I carefully reviewed this pull request and\ndid not find any issues.",
        "No changes needed. No problems found.",
        "> @codex review\n\nDidn't find any major issues.",
        "Everything looks great to me, and I did not spot any problems.",
    ] {
        let whole = format!("{body}\n\n{COMMIT}\n\n{FOOTER}");
        if comment(body) != CODE_CLEAN || comment(&whole) != CODE_CLEAN {
            wrong.push(body);
        }
    }
    assert_eq!(wrong, Vec::<&str>::new());
}

#[test]
fn a_clean_sentence_with_anything_against_it_is_not_clean() {
    let mut wrong = Vec::new();
    for body in [
        // Contrast and reserve.
        "Didn't find any major issues, but the retry loop never ends.",
        "Codex Review: Didn't find any major issues. However, the cache is never cleared.",
        "Didn't find any major issues except one.",
        "Didn't find any major issues, although I would rename the flag.",
        "Didn't find any major issues, though the naming is odd.",
        "Aside from the naming, no issues found.",
        "Other than that, no issues found.",
        "Otherwise no issues found.",
        "Apart from two nits, no issues.",
        "No issues unless the token expires.",
        "Only minor issues found.",
        "No major issues, only minor ones.",
        "Didn't find any major issues. Minor: rename foo.",
        "No major issues; a few nits below.",
        "No issues found besides the typo.",
        "No other issues found.",
        "No further issues found.",
        "No new issues found.",
        "No additional issues.",
        "No blocking issues found.",
        "No critical issues found.",
        "No issues in the tests.",
        "No issues found in src/main.rs",
        "No issues found in the new files.",
        "No issues found in the first three files.",
        "No issues with the approach, the rest is broken.",
        "No issues found. The diff was truncated.",
        "While there are no major issues, the handler leaks.",
        "Nothing else to report.",
        "Yet another issue. No problems found.",
        // Not final.
        "no issues yet, still reviewing",
        "No issues so far.",
        "No issues found so far",
        "No issues for now.",
        "No issues at the moment.",
        "Still reviewing. No issues found.",
        "No issues found, review in progress.",
        "Reviewing… no issues found",
        "I will report no issues if the tests pass.",
        "There would be no issues if the lock were held.",
        "If CI is green, no issues.",
        "No issues found? I found two.",
        "no issues? I found two",
        "No issues found?",
        "No issues found, right?",
        "Are there no issues?",
        "No issues found 👀",
        "No issues found :eyes:",
        "No issues found ⏳",
        // Hedges.
        "I think there are no issues.",
        "There are probably no issues.",
        "No obvious issues found.",
        "It seems there are no issues.",
        "No issues found, I guess.",
        "Hopefully no issues.",
        "At first glance, no issues.",
        "No issues found on a quick skim.",
        "No issues as far as I can tell.",
        "No issues that I can see in the part I read.",
        "Mostly no issues.",
        "Hardly any issues.",
        // No review.
        "I could not review: no issues found",
        "I could not review the diff. No issues found.",
        "Not all files were reviewed, no issues found.",
        "Reviewed 3 of 14 files and found no issues.",
        "Skipped the large files. No issues found.",
        "The review failed and found no issues.",
        "Failed to find any issues because the diff was empty.",
        "No issues found because nothing was reviewed.",
        "No tests were found.",
        "No files were found. No issues.",
        "No pull request was found.",
        "Nothing was reviewed.",
        // Negation of another kind.
        "No major issues were fixed.",
        "No issues were resolved.",
        "No issues were addressed in this change.",
        "None of the issues were fixed.",
        "not without issues",
        "This is not without issues.",
        "I can't say there are no issues.",
        "It is not true that no issues were found.",
        "I don't believe there are no issues.",
        "I never said no issues were found.",
        "Not no issues.",
        "No, issues were found.",
        "No. Issues were found.",
        "No - issues found.",
        "No! Problems.",
        "There is no way this has no issues.",
        "No shortage of issues.",
        "No issues, problems remain.",
        "No suggestions were applied.",
        "No review was done and there are no comments.",
        "There are no comments in the code.",
        "No feedback is shown to the user.",
        "No errors are handled.",
        "No issue is too small.",
        // Problems beside it.
        "Codex Review: Didn't find any major issues. The retry loop never ends.",
        "Didn't find any major issues. Retries run forever.",
        "Didn't find any major issues. Memory leak!",
        "Didn't find any major issues. Two things to fix.",
        "Didn't find any major issues. Please fix the typo.",
        "Didn't find any major issues. Consider renaming it.",
        "Didn't find any major issues. You should rename it.",
        "Didn't find any major issues. Sessions outlive logout.",
        "Didn't find any major issues. foo_bar is unused.",
        "Didn't find any major issues. See main.rs:12.",
        "Didn't find any major issues. `foo` is never called.",
        "Didn't find any major issues.\n\nThe handler drops every second request.",
        "Didn't find any major issues.\n\n- [ ] rename it",
        "Didn't find any major issues.\n\n| a | b |\n| - | - |",
        "Didn't find any major issues.\n\n```rust\nlet x = 1;\n```",
        "Didn't find any major issues.\n\n![screenshot](https://example.com/a.png)",
        "Didn't find any major issues. See https://example.com/report",
        "Didn't find any major issues. See [this](https://example.com/report).",
        "Didn't find any major issues. 🐛",
        "Didn't find any major issues ⚠️",
        "Didn't find any major issues :warning:",
        "Didn't find any major issues. ❌",
        "One issue found. No other problems.",
        "I found issues. No suggestions.",
        "I found 3 issues and no suggestions.",
        "Issues found: 3",
        "Issues: none fixed",
        "Findings: 1. Suggestions: none",
        "~~Didn't find any major issues.~~",
        "<del>No issues found.</del>",
        "<code>No issues found.</code>",
        "No issues\u{200B} found.",
        "No issues found.\u{202E} tub",
        // Somebody else's words.
        "> Didn't find any major issues.",
        "> Codex Review:\nDidn't find any major issues.",
        "> The retry loop never ends.\n\nNo issues found.",
        "- > No issues found.",
        "`Didn't find any major issues.`",
        "```\nDidn't find any major issues.\n```",
        "~~~\nDidn't find any major issues.\n",
        "    Didn't find any major issues.",
        "<!-- Didn't find any major issues. -->",
        "<!-- Didn't find any major issues.",
        "<details><summary>About</summary>Didn't find any major issues.</details>",
        "The log says \"no issues found\".",
        "You wrote: “no issues found”",
        "You wrote: no issues found",
        "The linter said: no issues found.",
        "As you said, no issues found.",
        "Expected: no issues found.",
        "The old bot says no issues found.",
        "'No issues found.'",
        // Folds that announce something.
        "No issues found.\n<details><summary>2 suggestions</summary>x</details>",
        "No issues found.\n<details>x</details>",
        "No issues found.\n<details><summary>Open problems</summary>x",
        // Other texts.
        "",
        "LGTM",
        "Looks good to me!",
        "All clear.",
        "Hello.",
        "Swish!",
        "Done.",
        "Keine Probleme gefunden.",
        "Codex Review:",
        "I reviewed the diff.",
    ] {
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
