//! The parts of a help text: headings with a colon, and indented lines below them.

use clap_mangen::roff::{Roff, bold, roman};

/// One heading and its lines, without their indentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub heading: String,
    lines: Vec<String>,
}

/// Reads the text behind the options.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines() {
        match line.strip_suffix(':') {
            Some(heading) if !line.starts_with(' ') => blocks.push(Block {
                heading: heading.to_owned(),
                lines: Vec::new(),
            }),
            _ => {
                if let Some(block) = blocks.last_mut() {
                    block
                        .lines
                        .push(line.strip_prefix("  ").unwrap_or(line).to_owned());
                }
            }
        }
    }
    for block in &mut blocks {
        while block.lines.last().is_some_and(String::is_empty) {
            block.lines.pop();
        }
    }
    blocks
}

impl Block {
    /// Lines of a name, at least two spaces and an explanation, which indented lines continue.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for line in &self.lines {
            match (line.split_once("  "), pairs.last_mut()) {
                (Some(("", rest)), Some((_, meaning))) => {
                    meaning.push(' ');
                    meaning.push_str(rest.trim());
                }
                (Some((name, rest)), _) => pairs.push((name.to_owned(), rest.trim().to_owned())),
                (None, _) => {}
            }
        }
        pairs
    }

    /// As a list where it is one, else as text.
    pub fn render(&self, roff: &mut Roff) {
        let pairs = self.pairs();
        if pairs.is_empty() {
            for line in &self.lines {
                if line.is_empty() {
                    roff.control("PP", []);
                } else {
                    roff.text([roman(line.as_str())]);
                }
            }
        }
        for (name, meaning) in pairs {
            roff.control("TP", []);
            roff.text([bold(name)]);
            roff.text([roman(meaning)]);
        }
    }

    /// The commands, each below what it is for where the help says so.
    pub fn render_examples(&self, roff: &mut Roff) {
        let mut lines = self.lines.iter().enumerate();
        while let Some((number, line)) = lines.next() {
            let (command, about) = match line.split_once("   ") {
                Some((command, about)) if !command.is_empty() => (command, about.trim()),
                _ => (line.as_str(), ""),
            };
            if !about.is_empty() {
                if number > 0 {
                    roff.control("PP", []);
                }
                roff.text([roman(sentence(about))]);
            }
            roff.control("RS", ["4"]);
            roff.control("nf", []);
            roff.text([roman(command)]);
            let mut last = command;
            // A command that the shell reads over several lines stays together.
            while last.ends_with('\\') {
                let Some((_, more)) = lines.next() else { break };
                roff.text([roman(more.as_str())]);
                last = more;
            }
            roff.control("fi", []);
            roff.control("RE", []);
        }
    }
}

/// The words before an example, as the sentence that leads to it.
fn sentence(about: &str) -> String {
    let mut letters = about.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}:", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_help_text_falls_into_blocks_of_pairs() {
        let blocks = blocks(
            "Exit codes:\n  0    done\n  13   indeterminate, or\n       undecided\n\nExamples:\n  gh codex-loop list\n",
        );
        let headings: Vec<&str> = blocks.iter().map(|block| block.heading.as_str()).collect();
        assert_eq!(headings, ["Exit codes", "Examples"]);
        let pairs = blocks.first().map(Block::pairs);
        let pair = |name: &str, meaning: &str| (name.to_owned(), meaning.to_owned());
        assert_eq!(
            pairs,
            Some(vec![pair("0", "done"), pair("13", "indeterminate, or undecided")])
        );
    }
}
