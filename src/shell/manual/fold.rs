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
    let mut length = 0;
    for (number, word) in line.split(' ').enumerate() {
        // A line that began with one of these would be an instruction.
        let may_begin = !word.starts_with(['.', '\'']);
        if number > 0 && may_begin && length + 1 + word.len() > LIMIT {
            folded.push_str(end);
            length = 0;
        } else if number > 0 {
            folded.push(' ');
            length += 1;
        }
        folded.push_str(word);
        length += word.len();
    }
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
