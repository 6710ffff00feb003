//! The picture of the README: what `status` shows on a terminal, as SVG.
//!
//! Made of the same text that the command prints, so that it cannot show what the program does not say. It has a
//! background of its own and is readable on a light page and on a dark one.

use anstyle::{AnsiColor, Color, Reset, RgbColor, Style};
use anstyle_svg::{Palette, Term};
use codex_loop::options::Options;
use codex_loop::report::look::Look;
use codex_loop::report::status;

use crate::commands;
use crate::error::Error;
use crate::source;

/// Columns of the terminal in the picture.
const COLUMNS: usize = 80;

/// Black to white, then the same brighter; each stands out from the background by 4.5 : 1 or more.
const PALETTE: Palette = Palette([
    RgbColor(13, 17, 23),
    RgbColor(255, 123, 114),
    RgbColor(86, 211, 100),
    RgbColor(227, 179, 65),
    RgbColor(121, 192, 255),
    RgbColor(210, 168, 255),
    RgbColor(86, 212, 221),
    RgbColor(230, 237, 243),
    RgbColor(139, 148, 158),
    RgbColor(255, 161, 152),
    RgbColor(126, 231, 135),
    RgbColor(242, 204, 96),
    RgbColor(165, 214, 255),
    RgbColor(226, 197, 255),
    RgbColor(112, 226, 236),
    RgbColor(255, 255, 255),
]);

/// How the renderer shows what is dimmed, and how it is readable.
const FAINT: &str = ".dimmed { opacity: 0.4; }";
const READABLE: &str = ".dimmed { opacity: 0.65; }";

/// `gh codex-loop status --demo` in a terminal of 80 columns.
pub fn status() -> Result<String, Error> {
    let look = Look {
        terminal: true,
        color: true,
        links: false,
        width: COLUMNS,
        repository: None,
    };
    let evidence = source::demo("findings")?;
    let options = Options::default();
    let (document, _) = commands::status::document(&evidence, &options)?;
    let (prompt, typed) = (Style::new().dimmed(), Style::new().bold());
    let shown = format!(
        "{prompt}${Reset} {typed}gh codex-loop status --demo{Reset}\n\n{}",
        status::text(&document, &look)
    );
    Ok(Term::new()
        .palette(PALETTE)
        .fg_color(Color::Ansi(AnsiColor::White))
        .bg_color(Color::Ansi(AnsiColor::Black))
        .min_width_px(680)
        .render_svg(shown.trim_end())
        .replace(FAINT, READABLE))
}
