//! The manual: one page for the program and one for each command, made of the command line's own help.
//!
//! The text behind the options (`Exit codes:`, `Examples:`, …) becomes sections. What no help says, environment and
//! files, stands here.

mod fold;
mod surroundings;
mod text;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};

use crate::cli::Cli;
use crate::exit_code::ExitCode;
use surroundings::{ENVIRONMENT, FILES, Surrounding};
use text::Block;

/// The day of this version, as the pages show it.
pub const RELEASED: &str = "2026-11-30";

/// One page of the manual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// `gh-codex-loop` or `gh-codex-loop-COMMAND`.
    pub name: String,
    /// Its source.
    pub roff: String,
    /// The same as plain text, for where no manual reader is installed.
    pub plain: String,
}

impl Page {
    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("{}.1", self.name)
    }
}

/// Every page, the program's own first.
pub fn pages() -> Vec<Page> {
    // What the short help leaves out for its length has its words here.
    let mut root = Cli::command().mut_args(|argument| argument.hide_short_help(false));
    root.build();
    let mut pages = vec![page(&root, &root)];
    let commands = root.get_subcommands().filter(|command| !command.is_hide_set());
    pages.extend(commands.map(|command| page(&root, command)));
    pages
}

/// The page of that name; a command's name stands for its page.
pub fn find(name: &str) -> Option<Page> {
    let name = name.trim_end_matches(".1");
    let long = format!("gh-codex-loop-{name}");
    pages()
        .into_iter()
        .find(|page| page.name == name || page.name == long)
}

fn page(root: &Command, command: &Command) -> Page {
    let is_root = command.get_name() == root.get_name();
    let name = if is_root {
        root.get_name().to_owned()
    } else {
        format!("{}-{}", root.get_name(), command.get_name())
    };
    let mut roff = Roff::new();
    let version = format!("gh-codex-loop {}", env!("CARGO_PKG_VERSION"));
    roff.control(
        "TH",
        [
            name.to_uppercase().as_str(),
            "1",
            RELEASED,
            &version,
            "GitHub CLI extension",
        ],
    );
    section(&mut roff, "NAME");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    roff.text([roman(format!("{name} - {}", about.trim_end_matches('.')))]);
    synopsis(&mut roff, command);
    description(&mut roff, command);
    commands(&mut roff, command);
    let before = roff.render();
    let mut roff = Roff::new();
    let blocks = text::blocks(
        &command
            .get_after_long_help()
            .or_else(|| command.get_after_help())
            .map(ToString::to_string)
            .unwrap_or_default(),
    );
    for block in &blocks {
        if !matches!(block.heading.as_str(), "Exit codes" | "Examples" | "Files") {
            section(&mut roff, &block.heading.to_uppercase());
            block.render(&mut roff);
        }
    }
    let named = |heading: &str| blocks.iter().find(|block| block.heading == heading);
    exit_status(&mut roff, command, is_root, named("Exit codes"));
    surroundings(&mut roff, "ENVIRONMENT", ENVIRONMENT, command, is_root, None);
    surroundings(&mut roff, "FILES", FILES, command, is_root, named("Files"));
    if let Some(examples) = named("Examples") {
        section(&mut roff, "EXAMPLES");
        examples.render_examples(&mut roff);
    }
    see_also(&mut roff, root, &name);
    let mut plain = command.clone();
    Page {
        name,
        roff: fold::folded(&format!(
            "{before}{}{}",
            options(command),
            without_preamble(&roff.render())
        )),
        plain: plain.render_long_help().to_string(),
    }
}

fn section(roff: &mut Roff, heading: &str) {
    roff.control("SH", [heading]);
}

fn synopsis(roff: &mut Roff, command: &Command) {
    section(roff, "SYNOPSIS");
    let usage = command.clone().render_usage().to_string();
    let program = command.get_bin_name().unwrap_or_default();
    for (number, form) in usage.trim_start_matches("Usage: ").lines().enumerate() {
        if number > 0 {
            roff.control("br", []);
        }
        match form.trim().strip_prefix(program) {
            Some(rest) => roff.text([bold(program), roman(rest)]),
            None => roff.text([roman(form.trim())]),
        };
    }
}

fn description(roff: &mut Roff, command: &Command) {
    section(roff, "DESCRIPTION");
    let about = command
        .get_long_about()
        .or_else(|| command.get_about())
        .map(ToString::to_string)
        .unwrap_or_default();
    for (number, paragraph) in about.split("\n\n").enumerate() {
        if number > 0 {
            roff.control("PP", []);
        }
        roff.text([roman(paragraph.replace('\n', " "))]);
    }
}

fn commands(roff: &mut Roff, command: &Command) {
    let inner: Vec<&Command> = command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
        .collect();
    if inner.is_empty() {
        return;
    }
    section(roff, "COMMANDS");
    for inner in inner {
        roff.control("TP", []);
        let mut head = vec![bold(inner.get_name())];
        for argument in inner.get_positionals() {
            let name = argument.get_value_names().and_then(|names| names.first());
            let name = name.map(ToString::to_string).unwrap_or_default();
            head.push(roman(" "));
            head.push(italic(if argument.is_required_set() {
                name
            } else {
                format!("[{name}]")
            }));
        }
        roff.text(head);
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        roff.text([roman(about)]);
    }
}

/// The options as clap_mangen writes them.
fn options(command: &Command) -> String {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = Man::new(command.clone()).render_options_section(&mut bytes);
    without_preamble(&String::from_utf8_lossy(&bytes)).to_owned()
}

/// roff's definition of a plain apostrophe stands at the head of a page once.
fn without_preamble(text: &str) -> &str {
    let preamble = Roff::new().render();
    text.strip_prefix(&preamble).unwrap_or(text)
}

/// What the command's help says, and what every command may end with.
fn exit_status(roff: &mut Roff, command: &Command, is_root: bool, block: Option<&Block>) {
    section(roff, "EXIT STATUS");
    let mut codes: Vec<(u8, String)> = block
        .iter()
        .flat_map(|block| block.pairs())
        .filter_map(|(code, meaning)| Some((code.parse().ok()?, meaning)))
        .collect();
    let on_github = is_root || reads_github(command);
    let verdicts = command
        .get_arguments()
        .any(|argument| argument.get_long() == Some("exit-code"));
    for code in ExitCode::ALL {
        let applies = match code {
            ExitCode::Holds | ExitCode::Usage | ExitCode::Interrupted => true,
            ExitCode::Unknown | ExitCode::NoToken => on_github,
            ExitCode::Pending
            | ExitCode::Work
            | ExitCode::Failed
            | ExitCode::Stale
            | ExitCode::Indeterminate => verdicts && block.is_none(),
            ExitCode::Refused | ExitCode::Reconcile => false,
        };
        if applies && !codes.iter().any(|(known, _)| *known == code.number()) {
            let meaning = match code {
                ExitCode::Holds if !is_root && !verdicts => "done",
                _ => code.meaning(),
            };
            codes.push((code.number(), meaning.to_owned()));
        }
    }
    codes.sort_by_key(|(code, _)| *code);
    if verdicts && block.is_none() {
        roff.text([
            roman("The codes of a verdict are used with "),
            bold("--exit-code"),
            roman(" only; without it the command ends with 0."),
        ]);
    }
    for (code, meaning) in codes {
        roff.control("TP", []);
        roff.text([bold(code.to_string())]);
        roff.text([roman(meaning)]);
    }
}

/// Whether a command asks GitHub: it is about a pull request, or about all of them.
fn reads_github(command: &Command) -> bool {
    let about_a_pull = command
        .get_positionals()
        .filter_map(|argument| argument.get_value_names())
        .any(|names| names.iter().any(|name| name.as_str() == "PR"));
    about_a_pull || command.get_name() == "list"
}

fn surroundings(
    roff: &mut Roff,
    heading: &str,
    all: &[Surrounding],
    command: &Command,
    is_root: bool,
    own: Option<&Block>,
) {
    let mut entries: Vec<(String, String)> = own.iter().flat_map(|block| block.pairs()).collect();
    let common = all
        .iter()
        .filter(|entry| is_root || entry.concerns(command.get_name(), reads_github(command)));
    entries.extend(common.map(|entry| (entry.name.to_owned(), entry.about.to_owned())));
    if entries.is_empty() {
        return;
    }
    section(roff, heading);
    for (name, about) in entries {
        roff.control("TP", []);
        roff.text([bold(name)]);
        roff.text([roman(about)]);
    }
}

fn see_also(roff: &mut Roff, root: &Command, name: &str) {
    section(roff, "SEE ALSO");
    let mut others = vec!["gh".to_owned()];
    if name == root.get_name() {
        let commands = root.get_subcommands().filter(|command| !command.is_hide_set());
        others.extend(commands.map(|command| format!("{name}-{}", command.get_name())));
    } else {
        others.push(root.get_name().to_owned());
    }
    let mut line = Vec::new();
    for (number, other) in others.iter().enumerate() {
        if number > 0 {
            line.push(roman(", "));
        }
        line.push(bold(other.as_str()));
        line.push(roman("(1)"));
    }
    roff.text(line);
}
