//! How text is shown: colour and symbols by meaning, never colour alone; plain and stable in a pipe.

use unicode_width::UnicodeWidthStr;

use super::sanitise;

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether stdout is a terminal: aligned columns and symbols; else plain and stable, tab-separated rows.
    pub terminal: bool,
    /// Whether to use colour.
    pub color: bool,
    /// Columns to fill.
    pub width: usize,
}

/// What a piece of text means; it decides symbol and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It holds.
    Good,
    /// Work to do.
    Bad,
    /// Wait.
    Waiting,
    /// Nobody can say; look.
    Doubtful,
    /// Of less interest.
    Quiet,
    /// A heading.
    Strong,
    /// As it is.
    Plain,
}

impl Tone {
    /// The symbol that carries the meaning without colour, as gh uses them.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Bad => "X",
            Self::Waiting => "*",
            Self::Doubtful => "!",
            Self::Quiet | Self::Plain | Self::Strong => "-",
        }
    }

    /// Four-bit colours only: they follow the user's own light or dark theme.
    fn style(self) -> anstyle::Style {
        let base = anstyle::Style::new();
        match self {
            Self::Good => base.fg_color(Some(anstyle::AnsiColor::Green.into())),
            Self::Bad => base.fg_color(Some(anstyle::AnsiColor::Red.into())),
            Self::Waiting => base.fg_color(Some(anstyle::AnsiColor::Yellow.into())),
            Self::Doubtful => base.fg_color(Some(anstyle::AnsiColor::Magenta.into())),
            Self::Quiet => base.dimmed(),
            Self::Strong => base.bold(),
            Self::Plain => base,
        }
    }
}

impl Look {
    /// Paints a text that is ours or already sanitised.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        if self.color && tone != Tone::Plain {
            let style = tone.style();
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Symbol and text on a terminal, the text alone in a pipe.
    pub fn mark(&self, tone: Tone, text: &str) -> String {
        if self.terminal {
            format!("{} {}", self.paint(tone, tone.symbol()), self.paint(tone, text))
        } else {
            text.to_owned()
        }
    }

    /// Columns that text may fill, at least 40.
    pub fn columns(&self) -> usize {
        self.width.max(40)
    }

    /// A text from anywhere, indented: on a terminal folded at spaces into at most `limit` lines, in a pipe one line.
    pub fn folded(&self, text: &str, indent: usize, limit: usize) -> Vec<String> {
        let text = sanitise::one_line(text, CELL_LIMIT.saturating_mul(2));
        let margin = " ".repeat(indent);
        if !self.terminal {
            return vec![format!("{margin}{text}")];
        }
        let room = self.columns().saturating_sub(indent);
        let mut lines: Vec<String> = vec![String::new()];
        for word in text.split(' ') {
            let count = lines.len();
            let Some(line) = lines.last_mut() else { break };
            let space = usize::from(!line.is_empty());
            if count < limit && space == 1 && line.width().saturating_add(word.width()) >= room {
                lines.push(word.to_owned());
            } else {
                line.push_str(if space == 1 { " " } else { "" });
                line.push_str(word);
            }
        }
        let cut = |line: &String| format!("{margin}{}", shorten(line, room));
        lines.iter().map(cut).collect()
    }

    /// Rows: on a terminal aligned columns of which the last is shortened to fit, in a pipe separated by tabs.
    pub fn rows(&self, rows: &[Vec<Cell>]) -> String {
        let mut text = String::new();
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                rows.iter()
                    .filter_map(|row| row.get(column))
                    .map(Cell::width)
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for row in rows {
            let mut used = 0_usize;
            for (column, cell) in row.iter().enumerate() {
                let last = column.saturating_add(1) == row.len();
                if !self.terminal {
                    text.push_str(&cell.text);
                    text.push_str(if last { "" } else { "\t" });
                    continue;
                }
                let width = widths.get(column).copied().unwrap_or(0);
                let shown = if last {
                    shorten(&cell.text, self.columns().saturating_sub(used))
                } else {
                    cell.text.clone()
                };
                text.push_str(&self.paint(cell.tone, &shown));
                if !last {
                    let gap = width.saturating_sub(shown.width()).saturating_add(2);
                    text.push_str(&" ".repeat(gap));
                    used = used.saturating_add(width).saturating_add(2);
                }
            }
            text.push('\n');
        }
        text
    }
}

/// One cell of a row. Its text is one line and sanitised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    text: String,
    tone: Tone,
}

/// The longest cell, in characters.
const CELL_LIMIT: usize = 300;

impl Cell {
    /// A cell with text from anywhere.
    pub fn new(tone: Tone, text: &str) -> Self {
        Self {
            text: sanitise::one_line(text, CELL_LIMIT),
            tone,
        }
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

/// Shortens one line to so many columns, with an ellipsis where something is left out.
pub fn shorten(text: &str, columns: usize) -> String {
    use unicode_width::UnicodeWidthChar;
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 0_usize;
    for c in text.chars() {
        let width = c.width().unwrap_or(0);
        if used.saturating_add(width).saturating_add(1) > columns {
            break;
        }
        used = used.saturating_add(width);
        shown.push(c);
    }
    shown.push('…');
    shown
}

/// How long ago, in the largest unit that fits, as gh says it.
pub fn ago(seconds: i64) -> String {
    match seconds {
        ..=0 => "now".to_owned(),
        1..=59 => format!("{seconds}s ago"),
        60..=3_599 => format!("{}m ago", seconds / 60),
        3_600..=86_399 => format!("{}h ago", seconds / 3_600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_align_wide_characters_on_a_terminal_and_use_tabs_in_a_pipe() {
        let rows = vec![
            vec![Cell::new(Tone::Plain, "a"), Cell::new(Tone::Plain, "one")],
            vec![
                Cell::new(Tone::Plain, "漢字"),
                Cell::new(Tone::Plain, "two\ttabs"),
            ],
        ];
        let terminal = Look {
            terminal: true,
            color: false,
            width: 40,
        };
        assert_eq!(terminal.rows(&rows), "a     one\n漢字  two tabs\n");
        let pipe = Look {
            terminal: false,
            color: false,
            width: 40,
        };
        assert_eq!(pipe.rows(&rows), "a\tone\n漢字\ttwo tabs\n");
    }

    #[test]
    fn a_long_sentence_is_folded_on_a_terminal_and_one_line_in_a_pipe() {
        let mut look = Look {
            terminal: true,
            color: false,
            width: 40,
        };
        let text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
        assert_eq!(
            look.folded(text, 2, 2),
            [
                "  one two three four five six seven",
                "  eight nine ten eleven twelve thirteen…"
            ]
        );
        look.terminal = false;
        assert_eq!(look.folded(text, 2, 2), [format!("  {text}")]);
    }

    #[test]
    fn shortening_counts_columns_not_characters() {
        assert_eq!(shorten("漢字漢字", 5), "漢字…");
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("abcd", 3), "ab…");
    }
}
