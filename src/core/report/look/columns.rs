//! How many columns a text fills on a terminal, and how it is cut or folded to fewer.
//!
//! Everything counts grapheme clusters, what a reader takes for one character: a cut never leaves half an emoji or a
//! letter without its accent.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// How many columns one line fills.
pub fn width(text: &str) -> usize {
    // Most texts; finding the clusters of the others is dear.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Shortens one line to so many columns, with an ellipsis where something is left out.
pub fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let (kept, _) = split(text, columns.saturating_sub(1));
    let ellipsis = if columns == 0 { "" } else { "…" };
    format!("{}{ellipsis}", kept.trim_end())
}

/// Shortens one line from its start, for paths, whose end says more.
pub fn shorten_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    if columns == 0 {
        return String::new();
    }
    let mut used = 1_usize;
    let mut kept = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        used = used.saturating_add(cluster.width());
        if used > columns {
            break;
        }
        kept = at;
    }
    format!("…{}", text.get(kept..).unwrap_or_default())
}

/// The longest start of a text that fits, and the rest.
pub fn split(text: &str, columns: usize) -> (&str, &str) {
    let mut used = 0_usize;
    for (at, cluster) in text.grapheme_indices(true) {
        used = used.saturating_add(cluster.width());
        if used > columns {
            return text.split_at_checked(at).unwrap_or((text, ""));
        }
    }
    (text, "")
}

/// Lines of at most so many columns, broken at spaces; what is too wide for a line, between two characters.
pub fn fold(text: &str, columns: usize) -> Vec<String> {
    // Less would not hold one wide character.
    let columns = columns.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let space = usize::from(!line.is_empty());
        let used = width(&line).saturating_add(space);
        if used.saturating_add(width(word)) <= columns {
            line.push_str(if space == 1 { " " } else { "" });
            line.push_str(word);
            continue;
        }
        let mut rest = word;
        // Text without spaces, as Chinese or Japanese, goes on where it stands; a long path begins a line.
        let flows = width(word) > columns && !word.is_ascii();
        if flows && used.saturating_add(2) <= columns {
            let (part, after) = split(word, columns.saturating_sub(used));
            line.push_str(if space == 1 { " " } else { "" });
            line.push_str(part);
            rest = after;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        while width(rest) > columns {
            let (part, after) = split(rest, columns);
            lines.push(part.to_owned());
            rest = after;
        }
        line.push_str(rest);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
    use proptest::test_runner::RngSeed;

    use super::*;

    /// A woman, a joiner and a laptop, drawn as one character two columns wide; a letter with its accent apart.
    const CODER: &str = "👩‍💻";
    const ACCENTED: &str = "e\u{301}";

    #[test]
    fn columns_are_counted_as_a_terminal_draws_them() {
        for (text, columns) in [
            ("abc", 3),
            ("漢字", 4),
            (CODER, 2),
            (ACCENTED, 1),
            (" !~", 3),
            ("🇩🇪", 2),
            ("", 0),
        ] {
            assert_eq!(width(text), columns, "{text}");
        }
    }

    #[test]
    fn a_cut_is_marked_and_never_inside_a_character() {
        assert_eq!(shorten("漢字漢字", 5), "漢字…");
        assert_eq!(shorten("漢字漢字", 4), "漢…");
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("abcd", 3), "ab…");
        assert_eq!(shorten("ab cd", 4), "ab…");
        assert_eq!(shorten(&CODER.repeat(3), 5), format!("{CODER}{CODER}…"));
        assert_eq!(shorten(&ACCENTED.repeat(4), 3), format!("{ACCENTED}{ACCENTED}…"));
        assert_eq!(shorten_start("src/cache/evict.rs:88", 12), "…evict.rs:88");
        assert_eq!(shorten_start(&format!("a{CODER}{CODER}"), 4), format!("…{CODER}"));
        assert_eq!(
            (shorten_start("abc", 3).as_str(), shorten_start("abc", 0).as_str()),
            ("abc", "")
        );
        assert_eq!(
            (shorten("abc", 1).as_str(), shorten("abc", 0).as_str()),
            ("…", "")
        );
    }

    #[test]
    fn text_is_folded_at_spaces_and_wide_words_between_characters() {
        assert_eq!(fold("one two three", 7), ["one two", "three"]);
        assert_eq!(
            fold("see src/a/long/path.rs", 8),
            ["see", "src/a/lo", "ng/path.", "rs"]
        );
        assert_eq!(fold("修正 漢字漢字漢字", 8), ["修正 漢", "字漢字漢", "字"]);
        assert_eq!(fold("", 8), [""]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(8), ..ProptestConfig::default() })]

        #[test]
        fn folding_loses_nothing_and_fits(text in "([a-z漢👩\u{301}]{1,12} ){0,8}[a-z]{1,30}", columns in 2_usize..30) {
            let lines = fold(&text, columns);
            let bare = |text: &str| text.replace(' ', "");
            prop_assert_eq!(bare(&lines.concat()), bare(&text));
            for line in &lines {
                prop_assert!(width(line) <= columns, "{:?}", line);
            }
        }
    }
}
