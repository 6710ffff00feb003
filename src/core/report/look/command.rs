//! Command lines that people copy: never cut, and still one command when they are too wide for the terminal.

use super::columns::{split, width};

/// The lines of a command. One that does not fit goes on after a backslash, as POSIX shells and fish read it; a word that is
/// too wide for a line goes on at the first column, where the shell joins it again.
pub fn wrapped(command: &str, indent: usize, columns: usize) -> Vec<String> {
    let needed = width(command);
    // A smaller margin is better than a broken line.
    let fitting = [indent, 2, 0]
        .into_iter()
        .find(|margin| *margin <= indent && needed + margin <= columns);
    if let Some(margin) = fitting {
        return vec![format!("{:margin$}{command}", "")];
    }
    let margin = indent.min(2);
    let mut lines = Vec::new();
    let mut line = " ".repeat(margin);
    let mut begun = false;
    for word in words(command) {
        // The last two columns hold the space and the backslash.
        if begun && width(&line) + 1 + width(word) + 2 > columns {
            lines.push(format!("{line} \\"));
            line = " ".repeat(margin + 2);
        } else if begun {
            line.push(' ');
        }
        begun = true;
        let mut rest = word;
        // Between quotes a backslash is one of the characters; such a word is left whole, and the terminal breaks it.
        while !word.contains('\'') && width(&line) + width(rest) + 2 > columns {
            let (part, _) = split(rest, columns.saturating_sub(width(&line)).saturating_sub(1));
            let part = at_a_seam(part);
            if part.is_empty() {
                break;
            }
            lines.push(format!("{line}{part}\\"));
            rest = rest.strip_prefix(part).unwrap_or_default();
            line.clear();
        }
        line.push_str(rest);
    }
    lines.push(line);
    lines
}

/// The part of a word up to its last `@`, where a digest begins; all of it when there is none.
fn at_a_seam(part: &str) -> &str {
    match part.rfind('@') {
        Some(at) => part.get(..=at).unwrap_or(part),
        None => part,
    }
}

/// The words of a command; what stands between single quotes stays together, and so does what follows a backslash.
fn words(command: &str) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    command
        .split(move |c: char| {
            let literal = escaped;
            escaped = c == '\\' && !quoted && !literal;
            quoted ^= c == '\'' && !literal;
            c == ' ' && !quoted && !literal
        })
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a POSIX shell reads, with every run of spaces outside quotes as one.
    fn read_by_a_shell(lines: &[String]) -> String {
        let joined = lines.join("\n").replace("\\\n", "");
        words(&joined).join(" ")
    }

    const JUDGE: &str = "gh codex-loop status 42 --judge issue-comment:5000000012=no-findings@\
        0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn a_command_that_fits_is_one_line() {
        assert_eq!(
            wrapped("gh codex-loop findings 42", 8, 40),
            ["        gh codex-loop findings 42"]
        );
        assert_eq!(
            wrapped("gh codex-loop findings 42", 8, 28),
            ["  gh codex-loop findings 42"]
        );
        assert_eq!(
            wrapped("gh codex-loop findings 42", 8, 25),
            ["gh codex-loop findings 42"]
        );
    }

    #[test]
    fn a_wide_command_goes_on_after_a_backslash() {
        assert_eq!(
            wrapped(JUDGE, 2, 80),
            [
                "  gh codex-loop status 42 --judge \\",
                "    issue-comment:5000000012=no-findings@\\",
                "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            ]
        );
        let quoted = "gh codex-loop resolve 42 PRRT_a --rebutted 'The caller checks the bound'";
        assert_eq!(
            wrapped(quoted, 0, 50),
            [
                "gh codex-loop resolve 42 PRRT_a --rebutted \\",
                "  'The caller checks the bound'"
            ]
        );
    }

    #[test]
    fn a_quoted_word_is_never_broken() {
        let long = "x y".repeat(40);
        let command = format!(r"gh codex-loop resolve 42 'it'\''s {long}' --fixed-in SHA");
        for columns in 20..160 {
            let lines = wrapped(&command, 8, columns);
            assert_eq!(read_by_a_shell(&lines), command, "{columns}: {lines:#?}");
            let whole = format!(r"'it'\''s {long}'");
            assert!(
                lines.iter().any(|line| line.contains(&whole)),
                "{columns}: {lines:#?}"
            );
        }
    }

    #[test]
    fn a_shell_reads_the_same_command_at_every_width() {
        for columns in 20..160 {
            let lines = wrapped(JUDGE, 8, columns);
            assert_eq!(read_by_a_shell(&lines), JUDGE, "{columns}: {lines:#?}");
            assert!(
                lines.iter().all(|line| width(line) <= columns),
                "{columns}: {lines:#?}"
            );
        }
    }
}
