//! How text is shown: colour and symbols by meaning, never colour alone; plain and stable in a pipe.

use chrono::DateTime;

use super::sanitise;

pub mod columns;
mod command;
mod hyperlink;

pub use columns::{shorten, shorten_start, width};

/// Where text goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether stdout is a terminal: aligned columns and symbols; else plain and stable, tab-separated rows.
    pub terminal: bool,
    /// Whether to use colour.
    pub color: bool,
    /// Whether to put pages behind texts, for a terminal that opens them.
    pub links: bool,
    /// Columns to fill.
    pub width: usize,
    /// `[HOST/]OWNER/REPO` to name in commands that are copied; none where the current directory's repository is meant.
    pub repository: Option<String>,
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

    /// The sixteen colours of the user's own theme, and of them only those that are readable on light and on dark: no
    /// white, black or yellow.
    fn style(self) -> anstyle::Style {
        let base = anstyle::Style::new();
        match self {
            Self::Good => base.fg_color(Some(anstyle::AnsiColor::Green.into())),
            Self::Bad => base.fg_color(Some(anstyle::AnsiColor::Red.into())),
            Self::Waiting => base.fg_color(Some(anstyle::AnsiColor::BrightBlue.into())),
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

    /// A text, already painted, with a page behind it where the terminal opens pages.
    pub fn link(&self, url: Option<&str>, text: &str) -> String {
        match url.filter(|_| self.links) {
            Some(url) => hyperlink::linked(url, text),
            None => text.to_owned(),
        }
    }

    /// A text from anywhere, indented: on a terminal folded into at most `limit` lines of 80
    /// columns, in a pipe one line.
    pub fn folded(&self, text: &str, indent: usize, limit: usize) -> Vec<String> {
        let text = sanitise::one_line(text, CELL_LIMIT.saturating_mul(2));
        let margin = " ".repeat(indent);
        if !self.terminal {
            return vec![format!("{margin}{text}")];
        }
        let room = self.columns().saturating_sub(indent);
        let mut lines = columns::fold(&text, room);
        // `limit` is meant for 80 columns; a narrower terminal needs more lines for the same words.
        let limit = limit
            .max(1)
            .saturating_mul(80_usize.div_ceil(self.columns().min(80)));
        if lines.len() > limit {
            let rest = lines.split_off(limit.saturating_sub(1)).join(" ");
            lines.push(shorten(&rest, room));
        }
        lines.iter().map(|line| format!("{margin}{line}")).collect()
    }

    /// A text from anywhere behind a word of ours: on a terminal `  why   text`, folded under itself; in a pipe the two
    /// separated by a tab.
    pub fn labelled(&self, label: &str, text: &str, limit: usize) -> Vec<String> {
        if !self.terminal {
            return vec![format!(
                "{label}\t{}",
                sanitise::one_line(text, CELL_LIMIT.saturating_mul(2))
            )];
        }
        let mut lines = self.folded(text, LABEL_INDENT, limit);
        if let Some(first) = lines.first_mut() {
            let gap = LABEL_INDENT.saturating_sub(2).saturating_sub(width(label)).max(1);
            let label = self.paint(Tone::Strong, label);
            *first = format!("  {label}{:gap$}{}", "", first.trim_start());
        }
        lines
    }

    /// A sentence from anywhere: on a terminal behind its symbol and folded under itself, in a pipe one line.
    pub fn noted(&self, tone: Tone, sentence: &str, limit: usize) -> Vec<String> {
        if !self.terminal {
            return self.folded(sentence, 0, limit);
        }
        let mut lines = self.folded(sentence, 2, limit);
        if let Some(first) = lines.first_mut() {
            *first = format!("{} {}", self.paint(tone, tone.symbol()), first.trim_start());
        }
        lines
    }

    /// A command of ours to copy: never cut; on a terminal that is too narrow it goes on after a backslash.
    pub fn command(&self, command: &str, indent: usize) -> Vec<String> {
        let command = sanitise::one_line(&self.placed(command), COMMAND_LIMIT);
        if self.terminal {
            command::wrapped(&command, indent, self.columns())
        } else {
            vec![format!("{:indent$}{command}", "")]
        }
    }

    /// A command of ours as it does the same from where the user is.
    pub fn placed(&self, command: &str) -> String {
        match &self.repository {
            Some(repository) => super::command::placed(command, repository),
            None => command.to_owned(),
        }
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
        let fixed: usize = widths
            .iter()
            .rev()
            .skip(1)
            .map(|width| width.saturating_add(2))
            .sum();
        if self.terminal && fixed.saturating_add(LAST_COLUMN) > self.columns() {
            return rows.iter().map(|row| self.stacked(row)).collect();
        }
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
                text.push_str(&self.link(cell.url.as_deref(), &self.paint(cell.tone, &shown)));
                if !last {
                    let gap = width.saturating_sub(self::width(&shown)).saturating_add(2);
                    text.push_str(&" ".repeat(gap));
                    used = used.saturating_add(width).saturating_add(2);
                }
            }
            text.push('\n');
        }
        text
    }

    /// The cells of one row where a terminal is too narrow for columns: one after another, then below, indented.
    fn stacked(&self, row: &[Cell]) -> String {
        let mut text = String::new();
        let mut used = 0_usize;
        for cell in row {
            let gap = if used == 0 { 0 } else { 2 };
            if used > 0 && used.saturating_add(gap).saturating_add(cell.width()) > self.columns() {
                text.push_str("\n  ");
                used = 2;
            } else {
                text.push_str(&" ".repeat(gap));
                used = used.saturating_add(gap);
            }
            let shown = shorten(&cell.text, self.columns().saturating_sub(used));
            used = used.saturating_add(width(&shown));
            text.push_str(&self.link(cell.url.as_deref(), &self.paint(cell.tone, &shown)));
        }
        text.push('\n');
        text
    }
}

/// The least columns that the last cell of a row may have; else the cells are stacked.
const LAST_COLUMN: usize = 8;

/// One cell of a row. Its text is one line and sanitised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    text: String,
    tone: Tone,
    url: Option<String>,
}

/// The longest cell, in characters.
const CELL_LIMIT: usize = 300;

/// The longest command, in characters: it holds a digest and names, and is never cut before that.
const COMMAND_LIMIT: usize = 2_000;

/// Where the text behind a label begins on a terminal.
pub const LABEL_INDENT: usize = 8;

impl Cell {
    /// A cell with text from anywhere.
    pub fn new(tone: Tone, text: &str) -> Self {
        Self {
            text: sanitise::one_line(text, CELL_LIMIT),
            tone,
            url: None,
        }
    }

    /// The same with a page behind it.
    pub fn to(mut self, url: Option<&str>) -> Self {
        self.url = url.map(str::to_owned);
        self
    }

    /// How many columns it fills.
    pub fn width(&self) -> usize {
        width(&self.text)
    }
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

/// A time of GitHub as a person reads it, as seen at `now`: how long ago, and the time, with the day when it is another.
pub fn moment(at: &str, now: &str) -> String {
    let read = |text: &str| DateTime::parse_from_rfc3339(text).map(|time| time.to_utc());
    match (read(at), read(now)) {
        (Ok(at), Ok(now)) => {
            let form = if at.date_naive() == now.date_naive() {
                "%H:%M UTC"
            } else {
                "%Y-%m-%d %H:%M UTC"
            };
            format!("{} ({})", ago((now - at).num_seconds()), at.format(form))
        }
        (_, _) => at.to_owned(),
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
            links: false,
            width: 40,
            repository: None,
        };
        assert_eq!(terminal.rows(&rows), "a     one\n漢字  two tabs\n");
        let pipe = Look {
            terminal: false,
            color: false,
            links: false,
            width: 40,
            repository: None,
        };
        assert_eq!(pipe.rows(&rows), "a\tone\n漢字\ttwo tabs\n");
    }

    #[test]
    fn a_long_sentence_is_folded_on_a_terminal_and_one_line_in_a_pipe() {
        let mut look = Look {
            terminal: true,
            color: false,
            links: false,
            width: 40,
            repository: None,
        };
        let text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
        assert_eq!(
            look.folded(text, 2, 1),
            [
                "  one two three four five six seven",
                "  eight nine ten eleven twelve thirteen…"
            ],
            "what fills one line of 80 columns may fill two of 40"
        );
        look.terminal = false;
        assert_eq!(look.folded(text, 2, 2), [format!("  {text}")]);
    }

    #[test]
    fn a_label_stands_once_and_its_text_under_itself() {
        let look = Look {
            terminal: true,
            color: false,
            links: false,
            width: 40,
            repository: None,
        };
        assert_eq!(
            look.labelled("why", "one two three four five six seven eight", 3),
            ["  why   one two three four five six", "        seven eight"]
        );
        let pipe = Look {
            terminal: false,
            ..look
        };
        assert_eq!(pipe.labelled("why", "one\ttwo", 3), ["why\tone two"]);
    }

    #[test]
    fn links_are_written_only_where_the_terminal_opens_them() {
        let mut look = Look {
            terminal: true,
            color: false,
            links: true,
            width: 40,
            repository: None,
        };
        let rows = [vec![
            Cell::new(Tone::Plain, "漢字").to(Some("https://x/1")),
            Cell::new(Tone::Plain, "end"),
        ]];
        assert_eq!(
            look.rows(&rows),
            "\u{1b}]8;;https://x/1\u{1b}\\漢字\u{1b}]8;;\u{1b}\\  end\n"
        );
        look.links = false;
        assert_eq!(look.rows(&rows), "漢字  end\n");
    }

    #[test]
    fn colours_are_readable_on_light_and_on_dark() {
        let look = Look {
            terminal: true,
            color: true,
            links: false,
            width: 40,
            repository: None,
        };
        let tones = [
            (Tone::Good, "32"),
            (Tone::Bad, "31"),
            (Tone::Waiting, "94"),
            (Tone::Doubtful, "35"),
            (Tone::Quiet, "2"),
            (Tone::Strong, "1"),
        ];
        for (tone, code) in tones {
            assert_eq!(look.paint(tone, "x"), format!("\u{1b}[{code}mx\u{1b}[0m"));
        }
        assert_eq!(look.paint(Tone::Plain, "x"), "x");
    }

    #[test]
    fn times_are_told_both_ways() {
        let now = "2026-09-16T10:45:00Z";
        for (at, shown) in [
            ("2026-09-16T10:00:00Z", "45m ago (10:00 UTC)"),
            ("2026-09-14T09:00:00Z", "2d ago (2026-09-14 09:00 UTC)"),
            ("2026-09-16T10:45:00Z", "now (10:45 UTC)"),
            ("soon", "soon"),
        ] {
            assert_eq!(moment(at, now), shown);
        }
    }
}
