//! Command lines that are printed to be copied into a shell: what comes from a pull request or a bundle is one word of it.

/// The command of the words.
pub fn command<Word: AsRef<str>>(words: impl IntoIterator<Item = Word>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| quoted(word.as_ref())).collect();
    quoted.join(" ")
}

/// A command of this program.
pub fn own<Word: AsRef<str>>(words: impl IntoIterator<Item = Word>) -> String {
    format!("gh codex-loop {}", command(words))
}

/// The command with the repository in it, so that it does the same from anywhere. What names none (the pull request's page stands
/// in it) or is not ours to spell (the merge command of the gate) stays as it is.
pub fn placed(command: &str, repository: &str) -> String {
    let mut words = command.splitn(5, ' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some("gh"), Some(tool @ ("codex-loop" | "pr")), Some(verb), Some(number))
            if (tool, verb) != ("pr", "merge") && number.parse::<u64>().is_ok() =>
        {
            let rest = words.next().map(|rest| format!(" {rest}")).unwrap_or_default();
            format!("gh {tool} {verb} {number} -R {}{rest}", quoted(repository))
        }
        (Some("gh"), Some("codex-loop"), Some("list"), None) => {
            format!("{command} -R {}", quoted(repository))
        }
        (_, _, _, _) => command.to_owned(),
    }
}

/// The word as a POSIX shell reads it back unchanged: as it is, or between single quotes.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:@=+,-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placed_command_names_its_repository_once_and_is_else_the_same() {
        for (command, placed_command) in [
            (
                "gh codex-loop findings 42",
                "gh codex-loop findings 42 -R ghe.example/o/r",
            ),
            (
                "gh codex-loop handled 42 plan KEY --outcome 'fixed|rebutted'",
                "gh codex-loop handled 42 -R ghe.example/o/r plan KEY --outcome 'fixed|rebutted'",
            ),
            ("gh codex-loop list", "gh codex-loop list -R ghe.example/o/r"),
            ("gh pr checks 42", "gh pr checks 42 -R ghe.example/o/r"),
        ] {
            assert_eq!(placed(command, "ghe.example/o/r"), placed_command);
        }
        for spelled in [
            "gh pr merge 42 --match-head-commit 0123",
            "gh pr checks https://ghe.example/o/r/pull/42 --watch",
            "gh run view 7 --log-failed --repo o/r",
            "gh codex-loop gate --help",
            "",
        ] {
            assert_eq!(placed(spelled, "ghe.example/o/r"), spelled);
        }
    }

    #[test]
    fn a_word_is_quoted_unless_a_shell_takes_it_as_it_is() {
        for plain in ["PRRT_kwDOA1", "42", "issue-comment:7=findings@0a", "a/b.rs,+x"] {
            assert_eq!(quoted(plain), plain);
        }
        for (word, shown) in [
            ("", "''"),
            ("two words", "'two words'"),
            ("$(id)", "'$(id)'"),
            ("`id`", "'`id`'"),
            ("a;b|c&d>e<f", "'a;b|c&d>e<f'"),
            ("it's", r"'it'\''s'"),
            ("a\nb", "'a\nb'"),
            ("~", "'~'"),
            ("!!", "'!!'"),
            ("a\\b\"*?[", "'a\\b\"*?['"),
            ("ü", "'ü'"),
        ] {
            assert_eq!(quoted(word), shown);
        }
        assert_eq!(
            own(["resolve", "42", "a b", "--fixed-in", "SHA"]),
            "gh codex-loop resolve 42 'a b' --fixed-in SHA"
        );
    }
}
