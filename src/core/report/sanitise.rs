//! Making text from GitHub fit for a terminal: no escape sequence, no control, no invisible character, bounded.
//!
//! It changes what is shown, never what is decided on.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

/// Whether a character must not reach a terminal: controls, bidirectional marks, invisible and tag characters.
///
/// U+200D joins emoji and some scripts and U+FE0F chooses the emoji form; both are harmless to a terminal.
fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// JSON with every dangerous character written as an escape: the same JSON, fit for a terminal.
///
/// Control characters below U+0020 are escaped in any JSON already; what stands raw are line breaks between members.
pub fn json(source: &str) -> Cow<'_, str> {
    let escaped = |c: char| is_dangerous(c) && c != '\n' && c != '\t';
    if !source.contains(escaped) {
        return Cow::Borrowed(source);
    }
    let mut shown = String::with_capacity(source.len());
    for c in source.chars() {
        if escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The text with whole escape sequences and every dangerous character taken out; line breaks and tabs stay.
///
/// gh writes control characters of a JSON answer in caret notation (`^[`); what follows is then plain text.
pub fn text(source: &str) -> Cow<'_, str> {
    if !source.contains(|c| is_dangerous(c) && c != '\n' && c != '\t') {
        return Cow::Borrowed(source);
    }
    let mut kept = String::with_capacity(source.len());
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\t' => kept.push(c),
            '\u{1b}' => match rest.peek() {
                Some('[') => {
                    rest.next();
                    skip_control_sequence(&mut rest);
                }
                Some(']' | 'P' | 'X' | '^' | '_') => {
                    rest.next();
                    skip_string_sequence(&mut rest);
                }
                Some(next) if next.is_ascii() && !next.is_ascii_control() => {
                    rest.next();
                }
                Some(_) | None => {}
            },
            '\u{9b}' => skip_control_sequence(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string_sequence(&mut rest),
            c if is_dangerous(c) => {}
            c => kept.push(c),
        }
    }
    Cow::Owned(kept)
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Parameters and the final letter of `ESC [ …`; anything else ends the sequence unread.
fn skip_control_sequence(rest: &mut Rest<'_>) {
    while rest.next_if(|c| matches!(c, '\u{20}'..='\u{3f}')).is_some() {}
    rest.next_if(|c| matches!(c, '\u{40}'..='\u{7e}'));
}

/// A string such as a title or a link target, up to its terminator, at most to the end of the line.
fn skip_string_sequence(rest: &mut Rest<'_>) {
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if(|c| *c == '\\');
                return;
            }
            _ => {}
        }
    }
}

/// One line of at most `limit` characters: white space runs become one space, a cut is marked with `…`.
pub fn one_line(source: &str, limit: usize) -> String {
    // Twelve bytes a character is more than any text here needs; a megabyte body is cut before it is cleaned.
    let budget = limit.saturating_mul(12).saturating_add(64);
    let mut end = source.len().min(budget);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let (head, cut) = (source.get(..end).unwrap_or_default(), end < source.len());
    let clean = text(head);
    let mut line = String::new();
    for word in clean.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    bounded(line, limit, cut)
}

/// At most `lines` lines of at most `width` characters each, cleaned; a cut is marked with `…`.
pub fn block(source: &str, lines: usize, width: usize) -> String {
    let mut shown = String::new();
    for (place, line) in source.lines().enumerate() {
        if place > 0 {
            shown.push('\n');
        }
        if place == lines {
            shown.push('…');
            break;
        }
        let indent: String = line.chars().take_while(|c| *c == ' ').take(width / 2).collect();
        shown.push_str(&indent);
        shown.push_str(&one_line(line, width.saturating_sub(indent.len())));
    }
    shown
}

fn bounded(mut line: String, limit: usize, cut: bool) -> String {
    let room = limit.saturating_sub(usize::from(cut));
    if line.chars().nth(room).is_none() {
        line.push_str(if cut { "…" } else { "" });
        return line;
    }
    // The cut never leaves half of what a reader takes for one character, and leaves room for its mark.
    let mut kept = 0_usize;
    let end = line.grapheme_indices(true).find_map(|(at, cluster)| {
        kept = kept.saturating_add(cluster.chars().count());
        (kept >= limit).then_some(at)
    });
    line.truncate(end.unwrap_or(0));
    line.push('…');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_its_limit_when_what_was_cut_off_shows_nothing() {
        for shown in 38..=42_usize {
            let source = format!("{}{}x", "a".repeat(shown), "\u{200b}".repeat(400));
            let line = one_line(&source, 40);
            assert_eq!(line.chars().count(), 40.min(shown + 1), "{shown}: {line}");
            assert!(line.ends_with("a…"), "{line}");
        }
    }

    #[test]
    fn harmless_text_is_not_touched() {
        for plain in ["Add a parser", "größer 👩‍👩‍👧 ⚠️\tx\ny", "日本語"] {
            assert!(
                matches!(text(plain), Cow::Borrowed(same) if same == plain),
                "{plain}"
            );
        }
    }

    #[test]
    fn json_stays_the_same_json_without_a_dangerous_character() {
        let value = "a\u{9b}2J\u{202e}b\u{7f}\u{e0001}\u{200d}\u{1b}[2J日本";
        let raw = serde_json::to_string(value).expect("a string");
        let shown = json(&raw);
        assert!(!shown.chars().any(is_dangerous), "{shown:?}");
        assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), value);
        assert!(
            shown.contains("\\u009b2J\\u202eb\\u007f\\udb40\\udc01"),
            "{shown}"
        );
        assert!(matches!(json("{\n  \"a\": \"größer\"\n}"), Cow::Borrowed(_)));
    }

    #[test]
    fn escape_sequences_go_as_a_whole() {
        for (hostile, shown) in [
            ("a\u{1b}[31mred\u{1b}[0m", "ared"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            ("a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "alink"),
            ("\u{9b}2Jx", "x"),
            ("\u{90}q\u{9c}x", "x"),
            ("\u{1b}cx", "x"),
            ("x\u{1b}", "x"),
            ("\u{1b}[\u{1b}[2Jx", "x"),
            ("\u{1b}]never ended\nnext", "\nnext"),
        ] {
            assert_eq!(text(hostile), shown, "{hostile:?}");
        }
    }

    #[test]
    fn controls_and_invisible_characters_go() {
        assert_eq!(
            text("a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{0}f\u{8}g\rh\u{e0041}i"),
            "abcdefghi"
        );
    }

    #[test]
    fn lines_and_blocks_are_bounded() {
        assert_eq!(one_line("  a \n\t b  ", 10), "a b");
        assert_eq!(one_line("abcdef", 4), "abc…");
        assert_eq!(one_line("ab👩‍💻", 4), "ab…");
        let megabyte = "x ".repeat(500_000);
        assert_eq!(one_line(&megabyte, 20).chars().count(), 20);
        assert_eq!(block("a\nb\nc\nd", 2, 80), "a\nb\n…");
        assert_eq!(block(&format!("  {megabyte}"), 3, 20).chars().count(), 20);
    }
}
