//! The commit that a text says it reviewed.

use std::sync::LazyLock;

use regex::Regex;

use super::sections::Sections;

/// What a text says about the commit it reviewed, each id 7 to 40 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelledCommit {
    /// No labelled commit.
    None,
    /// One, shortened or full. A shorter spelling of the same commit counts as the same.
    One(String),
    /// Several that cannot be one commit.
    Conflicting(Vec<String>),
}

/// `**Reviewed commit:** ` and the id, alone on a line: emphasis, ticks and a link around it may be there or not.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?im)^[ \t]*(?:[-*+][ \t]+)?[*_]*reviewed[ \t]+commit[*_]*[ \t]*:[*_]*[ \t]*[\[`*_]*([0-9a-f]{7,40})(?:[^0-9a-z]|$)",
    )
    .expect("a literal pattern")
});

/// The labelled commit of a connector's text, never from a quote, code block, hidden comment or `<details>`.
pub fn labelled(body: &str) -> LabelledCommit {
    labelled_in(&Sections::of(body))
}

pub(crate) fn labelled_in(sections: &Sections) -> LabelledCommit {
    let mut found: Vec<String> = Vec::new();
    for captures in LABEL.captures_iter(sections.text()) {
        let Some(hex) = captures.get(1).map(|hex| hex.as_str().to_ascii_lowercase()) else {
            continue;
        };
        match found
            .iter_mut()
            .find(|known| known.starts_with(&hex) || hex.starts_with(known.as_str()))
        {
            Some(known) if known.len() < hex.len() => *known = hex,
            Some(_) => {}
            None => found.push(hex),
        }
    }
    match found.len() {
        0 => LabelledCommit::None,
        1 => found.pop().map_or(LabelledCommit::None, LabelledCommit::One),
        _ => LabelledCommit::Conflicting(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(hex: &str) -> LabelledCommit {
        LabelledCommit::One(hex.into())
    }

    #[test]
    fn the_label_may_be_written_in_several_ways() {
        let full = "0123456789abcdef0123456789abcdef01234567";
        for (body, expected) in [
            ("**Reviewed commit:** `58d4bceaec`", "58d4bceaec"),
            ("x\r\n\r\n**Reviewed commit:** `58D4BCEAEC`\r\n", "58d4bceaec"),
            ("Reviewed commit: 58d4bce", "58d4bce"),
            ("reviewed COMMIT: `58d4bce`.", "58d4bce"),
            ("**Reviewed commit**: `58d4bce`", "58d4bce"),
            (
                "__Reviewed commit:__ [`58d4bce`](https://github.com/o/r/commit/58d4bce)",
                "58d4bce",
            ),
            ("- **Reviewed commit:** `58d4bce`", "58d4bce"),
            (&format!("**Reviewed commit:** `{full}`"), full),
        ] {
            assert_eq!(labelled(body), one(expected), "{body}");
        }
    }

    #[test]
    fn what_is_no_label_or_no_commit_is_nothing() {
        for body in [
            "",
            "58d4bceaec",
            "**Reviewed commit:**",
            "**Reviewed commit:** `58d4bc`",
            "**Reviewed commit:** `zzzzzzzzzz`",
            "**Reviewed commit:** `58d4bceaecg`",
            "**Reviewed commit:** `0123456789abcdef0123456789abcdef0123456789`",
            "The bot writes **Reviewed commit:** `58d4bceaec` here",
            "> **Reviewed commit:** `58d4bceaec`",
            "```\n**Reviewed commit:** `58d4bceaec`\n```",
            "`Reviewed commit: 58d4bceaec`",
            "<!-- **Reviewed commit:** `58d4bceaec` -->",
            "<details><summary>x</summary>\n\n**Reviewed commit:** `58d4bceaec`\n</details>",
        ] {
            assert_eq!(labelled(body), LabelledCommit::None, "{body}");
        }
    }

    #[test]
    fn two_spellings_of_one_commit_agree_and_two_commits_conflict() {
        let twice = "**Reviewed commit:** `58d4bce`\n**Reviewed commit:** `58d4bceaec`\n**Reviewed commit:** `58d4bce`";
        assert_eq!(labelled(twice), one("58d4bceaec"));
        let two = "**Reviewed commit:** `58d4bce`\n**Reviewed commit:** `58d4bcf`";
        assert_eq!(
            labelled(two),
            LabelledCommit::Conflicting(vec!["58d4bce".into(), "58d4bcf".into()])
        );
    }
}
