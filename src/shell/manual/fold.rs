//! The layout of a page's source: lines of at most 80 bytes, as the checkers of manual pages want them.

/// The longest line.
const LIMIT: usize = 78;

/// Folds the text of a page; what is shown stays the same.
pub fn folded(page: &str) -> String {
    let mut folded = String::with_capacity(page.len());
    let mut filled = true;
    // clap_mangen parts help and possible values by an empty line, which is none in a filled text.
    for line in page.replace(".br\n\n.br\n", ".br\n").lines() {
        if line.starts_with('.') {
            filled = match line {
                ".nf" => false,
                ".fi" => true,
                _ => filled,
            };
            folded.push_str(line);
        } else if filled {
            fold(line, "\n", &mut folded);
        } else {
            // The end of the line is hidden by the backslash; the space stays.
            fold(line, " \\\n", &mut folded);
        }
        folded.push('\n');
    }
    folded
}

/// Writes the words of a line with `end` where it is folded.
fn fold(line: &str, end: &str, folded: &mut String) {
    let mut words = line.split(' ').peekable();
    let mut length = 0;
    let mut first = true;
    while let Some(word) = words.next() {
        // A line that began with one of these would be an instruction: such a word stays with the one before.
        let mut piece = word.to_owned();
        while let Some(next) = words.next_if(|next| next.starts_with(['.', '\''])) {
            piece.push(' ');
            piece.push_str(next);
        }
        if !first && length + 1 + width(&piece) > LIMIT {
            folded.push_str(end);
            length = 0;
        } else if !first {
            folded.push(' ');
            length += 1;
        }
        first = false;
        length += width(&piece);
        folded.push_str(&piece);
    }
}

/// How long a checker of pages takes a text for: it writes every other character as an escape, up to eight bytes long.
fn width(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 8 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_folded_between_words_and_examples_by_continuation() {
        let words = "word ".repeat(30);
        let page = format!(".PP\n{}\n.nf\n{}\n.fi\n", words.trim(), words.trim());
        let folded = folded(&page);
        assert!(folded.lines().all(|line| line.len() <= 80));
        let (text, example) = folded.split_once(".nf\n").expect("an example");
        assert_eq!(text.replace('\n', " "), format!(".PP {} ", words.trim()));
        assert_eq!(example.replace("\\\n", ""), format!("{}\n.fi\n", words.trim()));
    }

    #[test]
    fn no_folded_line_becomes_an_instruction() {
        let text = format!("{} .hidden 'quoted", "a".repeat(76));
        assert_eq!(folded(&text), format!("{text}\n"));
    }
}
