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
