//! Notices: what the connector says instead of a review. Only a text that begins with one is one; a finding that
//! quotes such words is a finding.

use std::sync::LazyLock;

use regex::Regex;

use super::lane::Lane;
use super::sections::Sections;

/// A kind of notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoticeKind {
    /// The quota of a lane is used up; it never says until when.
    UsageLimit,
    /// The repository has no Codex environment.
    Environment,
    /// The commenter has no connected account.
    Account,
    /// The workspace is deactivated.
    Workspace,
    /// The request could not be completed.
    RequestFailed,
    /// Error prose that no signature lists.
    ErrorUnlisted,
}

impl NoticeKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::UsageLimit,
        Self::Environment,
        Self::Account,
        Self::Workspace,
        Self::RequestFailed,
        Self::ErrorUnlisted,
    ];

    /// The word documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UsageLimit => "usage-limit",
            Self::Environment => "environment",
            Self::Account => "account",
            Self::Workspace => "workspace",
            Self::RequestFailed => "request-failed",
            Self::ErrorUnlisted => "error-unlisted",
        }
    }
}

/// How each notice begins, once the text is [`plain`]. The first that fits names the kind; error prose comes last.
static BEGINNINGS: LazyLock<Vec<(Regex, NoticeKind)>> = LazyLock::new(|| {
    [
        (
            r"^(?:you have reached your codex usage limits\b|codex usage limits have been reached\b)",
            NoticeKind::UsageLimit,
        ),
        (r"^to use codex here, create an environment\b", NoticeKind::Environment),
        (r"^to use codex here, (?:create|connect) (?:a |an |your )?codex account\b", NoticeKind::Account),
        (r"^this workspace is deactivated\b", NoticeKind::Workspace),
        (r"^codex (?:couldn't|could not) complete this request\b", NoticeKind::RequestFailed),
        (
            r"^(?:something went wrong|an? (?:unknown|unexpected|internal) error|unknown error|provided git ref\b|error:|(?:the |this |codex )*(?:security )?(?:review|request|run) (?:has )?(?:failed|timed out|was (?:cancelled|canceled|interrupted))|(?:codex |i |we )?(?:couldn't|could not|cannot|can't|can not|was unable to|were unable to|unable to|failed to) (?:complete|finish|start|run|perform|review|process|access|fetch|clone|check out|load|connect|reach)\b)",
            NoticeKind::ErrorUnlisted,
        ),
    ]
    .into_iter()
    .map(|(pattern, kind)| (Regex::new(pattern).expect("a literal pattern"), kind))
    .collect()
});

/// The notice that a text is, with the lane it speaks of.
pub fn notice(body: &str) -> Option<(NoticeKind, Lane)> {
    notice_in(&Sections::of(body))
}

pub(crate) fn notice_in(sections: &Sections) -> Option<(NoticeKind, Lane)> {
    let plain = plain(sections.text());
    let start = ["codex review:", "codex security review:", "codex:"]
        .into_iter()
        .find_map(|prefix| plain.strip_prefix(prefix))
        .map_or(plain.as_str(), str::trim_start);
    let (_, kind) = BEGINNINGS
        .iter()
        .find(|(beginning, _)| beginning.is_match(start))?;
    let security = plain.contains("for security reviews") || Lane::of_sections(sections) == Lane::Security;
    Some((*kind, if security { Lane::Security } else { Lane::Code }))
}

/// The first words of a text in one line: lower case, straight quotes, single spaces, headings, emphasis and link
/// targets dropped.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut in_target = false;
    for c in text.trim_start().chars().take(400) {
        match c {
            '(' if plain.ends_with(']') => in_target = true,
            ')' if in_target => in_target = false,
            _ if in_target => {}
            '’' | '‘' => plain.push('\''),
            '*' | '_' | '#' => {}
            c if c.is_whitespace() => {
                if !plain.ends_with(' ') && !plain.is_empty() {
                    plain.push(' ');
                }
            }
            c => plain.extend(c.to_lowercase()),
        }
    }
    plain.retain(|c| !matches!(c, '[' | ']'));
    let words = plain.trim_start_matches(|c: char| !c.is_alphanumeric());
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notice_is_known_by_how_it_begins() {
        use Lane::{Code, Security};
        use NoticeKind::{Account, Environment, ErrorUnlisted, RequestFailed, UsageLimit, Workspace};
        for (body, expected) in [
            (
                "You have reached your Codex usage limits for code reviews. You can see your limits in the [Codex usage dashboard](https://chatgpt.com/codex/settings/usage).",
                (UsageLimit, Code),
            ),
            (
                "Codex usage limits have been reached for code reviews. Please check with the admins of this repo to increase the limits by adding credits.",
                (UsageLimit, Code),
            ),
            (
                "You have reached your Codex usage limits for security reviews. See your limits.",
                (UsageLimit, Security),
            ),
            (
                "Codex usage limits have been reached for security reviews. Please check with the admins of this repo …",
                (UsageLimit, Security),
            ),
            ("You have reached your Codex usage limits.", (UsageLimit, Code)),
            (
                "To use Codex here, [create an environment for this repo](https://chatgpt.com/codex/settings/environments).",
                (Environment, Code),
            ),
            (
                "To use Codex here, [create a Codex account and connect to github](https://chatgpt.com/codex).",
                (Account, Code),
            ),
            (
                "This workspace is deactivated. Select an active workspace and try again.",
                (Workspace, Code),
            ),
            (
                "Codex couldn't complete this request. Try again later.",
                (RequestFailed, Code),
            ),
            (
                "Codex couldn’t complete this request. Try again later.",
                (RequestFailed, Code),
            ),
            (
                "Codex Review: Something went wrong. Try again later by commenting “@codex review”.",
                (ErrorUnlisted, Code),
            ),
            (
                "Something went wrong. Try again later by commenting “@codex review”.\n```\nProvided git ref 58d4bceaec does not exist\n```",
                (ErrorUnlisted, Code),
            ),
            ("codex review: SOMETHING went wrong.", (ErrorUnlisted, Code)),
            (
                "### 💡 Codex Review: An unexpected error happened.",
                (ErrorUnlisted, Code),
            ),
            (
                "Codex Review: Unable to complete the review.",
                (ErrorUnlisted, Code),
            ),
            (
                "### 🛡️ Codex Security Review: Something went wrong.",
                (ErrorUnlisted, Security),
            ),
            // Emphasis, links and line breaks among the first words change nothing.
            (
                "**You** have\n  reached _your_ Codex usage limits.",
                (UsageLimit, Code),
            ),
            (
                "[Codex usage limits](https://chatgpt.com/a (b) have been reached.",
                (UsageLimit, Code),
            ),
            (
                "You have reached your Codex usage limits (those for security reviews).",
                (UsageLimit, Security),
            ),
        ] {
            assert_eq!(notice(body), Some(expected), "{body}");
        }
    }

    #[test]
    fn the_words_are_those_of_the_documents() {
        assert_eq!(
            NoticeKind::ALL.map(NoticeKind::as_str),
            [
                "usage-limit",
                "environment",
                "account",
                "workspace",
                "request-failed",
                "error-unlisted"
            ]
        );
        assert_eq!(Lane::ALL.map(Lane::as_str), ["code", "security"]);
        let forms = crate::bot::triggers::Form::ALL.map(crate::bot::triggers::Form::as_str);
        assert_eq!(
            forms,
            [
                "exact", "marked", "directed", "security", "task", "mention", "quoted"
            ]
        );
    }

    #[test]
    fn a_text_that_only_quotes_a_notice_is_none() {
        for body in [
            "",
            "The handler prints You have reached your Codex usage limits for code reviews.",
            "> You have reached your Codex usage limits for code reviews.",
            "```\nSomething went wrong.\n```",
            "**![P1 Badge](https://img.shields.io/badge/P1-orange)  Handle the limit**\n\nYou have reached your Codex usage limits.",
            "<details><summary>x</summary>This workspace is deactivated.</details>",
            "Codex Review: Didn't find any major issues.",
        ] {
            assert_eq!(notice(body), None, "{body}");
        }
    }

    #[test]
    fn the_first_words_are_plain() {
        for (text, expected) in [
            (
                "  ## **You’ve** _Reached_\nyour\t limit",
                "you've reached your limit",
            ),
            (
                "🚧 To use [Codex](https://x.example/(a)) (now), go",
                "to use codex) (now), go",
            ),
            (
                "See [one](https://a) and (two) [three] (four)",
                "see one and (two) three (four)",
            ),
        ] {
            assert_eq!(plain(text), expected);
        }
        assert_eq!(plain(&"a".repeat(500)).len(), 400, "no more than the beginning");
    }
}
