//! Which of the connector's two kinds of review a text belongs to.

use super::sections::Sections;

/// A kind of review. A security result is never a code-review result, nor the reverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// The ordinary code review.
    Code,
    /// The security review.
    Security,
}

impl Lane {
    /// Every lane.
    pub const ALL: [Self; 2] = [Self::Code, Self::Security];

    /// The word documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Security => "security",
        }
    }

    /// The lane a connector's text declares by its hidden marker or by how its visible text begins.
    pub fn of(body: &str) -> Self {
        Self::of_sections(&Sections::of(body))
    }

    pub(crate) fn of_sections(sections: &Sections) -> Self {
        let marked = sections
            .hidden()
            .iter()
            .any(|comment| comment.trim().starts_with("codex-security-review"));
        if marked || begins_as_security_review(sections.text()) {
            Self::Security
        } else {
            Self::Code
        }
    }
}

/// Whether the first visible line names the security review: its heading, or the same words as a prefix.
fn begins_as_security_review(text: &str) -> bool {
    let Some(line) = text.lines().find(|line| !line.trim().is_empty()) else {
        return false;
    };
    let words = line
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|word| word.contains(|c: char| c.is_ascii_alphanumeric()));
    let mut words = words.map(str::to_ascii_lowercase);
    let first = match words.next() {
        Some(word) if word == "codex" => words.next(),
        other => other,
    };
    first.as_deref() == Some("security") && words.next().as_deref() == Some("review")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_or_the_hidden_marker_makes_a_text_a_security_review() {
        for body in [
            "### 🛡️ Codex Security Review\n\nSecurity review completed.",
            "### 🛡️ Codex Security Review · _Automatically triggered_",
            "<!-- codex-security-review-finding:v1 -->\nA title",
            "Security review completed. No security issues were found in this pull request.",
            "\r\n### Codex Security Review\r\n",
        ] {
            assert_eq!(Lane::of(body), Lane::Security, "{body}");
        }
        for body in [
            "",
            "### 💡 Codex Review",
            "Codex Review: Didn't find any major issues.",
            "### 💡 Codex Review\n\nThe Codex Security Review heading is quoted here.",
            "> ### 🛡️ Codex Security Review\n\nCodex Review: x",
            "`<!-- codex-security-review-finding:v1 -->`",
        ] {
            assert_eq!(Lane::of(body), Lane::Code, "{body}");
        }
    }
}
