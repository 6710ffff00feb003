//! Which values complete an argument, told by what the command line calls it.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use codex_loop::authorization::Scope;
use codex_loop::bot::findings::Priority;
use codex_loop::bounded;

use super::{Offer, hosted};
use crate::selector::Selector;
use crate::{documents, source};

/// The words before the one that is completed, as far as they decide what it may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The commands, outermost first.
    pub commands: Vec<String>,
    /// The value of `-R`.
    pub repository: Option<String>,
    /// The pull request, when it was given by number or URL.
    pub pull: Option<String>,
    /// The word just before, when it is an option.
    option: Option<String>,
}

impl Line {
    /// Reads the words.
    pub fn read(root: &Command, words: &[OsString]) -> Self {
        let mut line = Self::default();
        let mut command = root;
        let mut words = words.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            line.option = word.starts_with('-').then(|| word.to_string());
            if word == "-R" || word == "--repo" {
                line.repository = words.next().map(Into::into);
                line.option = None;
            } else if let Some(value) = word.strip_prefix("--repo=").or_else(|| word.strip_prefix("-R")) {
                line.repository = Some(value.to_owned());
            } else if let Some(inner) = command.find_subcommand(word.as_ref()) {
                line.commands.push(inner.get_name().to_owned());
                command = inner;
            } else if line.pull.is_none()
                && !line.commands.is_empty()
                && matches!(word.parse(), Ok(Selector::Number(_) | Selector::Url(_)))
            {
                line.pull = Some(word.into_owned());
            }
        }
        line
    }

    fn command(&self) -> &str {
        self.commands.first().map_or("", String::as_str)
    }
}

/// The command line with a completer at every argument whose values are known.
pub fn filled(command: Command, line: &Line, last: &OsStr) -> Command {
    let root = command.clone();
    fill(command, &Arc::new((line.clone(), root)), last)
}

fn fill(command: Command, known: &Arc<(Line, Command)>, last: &OsStr) -> Command {
    let name = command.get_name().to_owned();
    let after_optional = !last.to_string_lossy().starts_with('-');
    command
        .mut_args(|arg| {
            let arg = match kind(&name, &arg) {
                Some(kind) => {
                    let known = Arc::clone(known);
                    arg.add(ArgValueCompleter::new(move |word: &OsStr| {
                        listed(kind, &known.0, &known.1, word)
                    }))
                }
                None => arg,
            };
            // What follows such an option is its value; without this the engine offers pull requests there too.
            let optional = arg
                .get_num_args()
                .is_some_and(|count| count.takes_values() && count.min_values() == 0);
            if optional && after_optional && known.0.option.is_some() && arg.get_long().is_some() {
                arg.num_args(1)
            } else {
                arg
            }
        })
        .mut_subcommands(|inner| fill(inner, known, last))
}

/// What an argument's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pull,
    Thread,
    Key,
    Field,
    Demo,
    Priority,
    Scope,
    Document,
    EvaluatorSchema,
    EvaluatorExample,
    Page,
}

/// The value names of the command line are its vocabulary: the same name has the same values everywhere.
fn kind(command: &str, arg: &Arg) -> Option<Kind> {
    let name = arg.get_value_names()?.first()?.as_str();
    match (name, command) {
        ("PR", _) => Some(Kind::Pull),
        ("[PR] THREAD", _) => Some(Kind::Thread),
        ("KEY", _) => Some(Kind::Key),
        ("FIELDS", _) => Some(Kind::Field),
        ("PRIORITIES", _) => Some(Kind::Priority),
        ("SCOPES", _) => Some(Kind::Scope),
        ("DOCUMENT", _) => Some(Kind::Document),
        ("PAGE", _) => Some(Kind::Page),
        ("NAME", "schema") => Some(Kind::EvaluatorSchema),
        ("NAME", "example") => Some(Kind::EvaluatorExample),
        ("NAME", _) if arg.get_long() == Some("demo") => Some(Kind::Demo),
        _ => None,
    }
}

fn listed(kind: Kind, line: &Line, root: &Command, word: &OsStr) -> Vec<CompletionCandidate> {
    let word = word.to_string_lossy();
    if kind == Kind::Field {
        return fields(line, &word);
    }
    let offers = match kind {
        Kind::Pull => hosted::pulls(line),
        // The pull request comes first; a number behind it would be a comment's.
        Kind::Thread if line.pull.is_none() => hosted::pulls(line),
        Kind::Thread => hosted::threads(line),
        Kind::Key => hosted::keys(line),
        Kind::Field => Vec::new(),
        Kind::Demo => source::demos().map(|name| offer(name, "")).collect(),
        Kind::Priority => Priority::ALL
            .iter()
            .map(|priority| offer(priority.as_str(), ""))
            .collect(),
        Kind::Scope => Scope::ALL.iter().map(|scope| offer(scope.as_str(), "")).collect(),
        Kind::Document => documents::names()
            .map(|(name, about)| offer(name, about))
            .collect(),
        Kind::EvaluatorSchema => pairs(bounded::SCHEMAS),
        Kind::EvaluatorExample => pairs(bounded::EXAMPLES),
        Kind::Page => root
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(|command| {
                let about = command.get_about().map(ToString::to_string).unwrap_or_default();
                offer(command.get_name(), &about)
            })
            .collect(),
    };
    offers
        .into_iter()
        .filter(|offer| offer.value.starts_with(word.as_ref()))
        .map(candidate)
        .collect()
}

/// The fields of the command's document, behind those that are there already.
fn fields(line: &Line, word: &str) -> Vec<CompletionCandidate> {
    let (done, begun) = match word.rfind(',') {
        Some(at) => word.split_at(at.saturating_add(1)),
        None => ("", word),
    };
    let Some(document) = documents::printed_by(line.command()) else {
        return Vec::new();
    };
    document
        .fields()
        .into_iter()
        .filter(|(name, _)| name.starts_with(begun))
        .map(|(name, about)| candidate(offer(&format!("{done}{name}"), &about)))
        .collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<Offer> {
    list.iter().map(|(name, about)| offer(name, about)).collect()
}

fn offer(value: &str, about: &str) -> Offer {
    Offer {
        value: value.to_owned(),
        about: about.to_owned(),
    }
}

fn candidate(offer: Offer) -> CompletionCandidate {
    let about = Some(offer.about).filter(|about| !about.is_empty());
    CompletionCandidate::new(offer.value).help(about.map(Into::into))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    fn line(words: &[&str]) -> Line {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Line::read(&Cli::command(), &words)
    }

    #[test]
    fn the_repository_and_the_pull_request_are_read_wherever_they_stand() {
        for words in [
            ["-R", "o/r", "findings", "42"].as_slice(),
            &["findings", "-Ro/r", "42"],
            &["findings", "42", "--repo=o/r"],
        ] {
            let line = line(words);
            assert_eq!(line.repository.as_deref(), Some("o/r"), "{words:?}");
            assert_eq!(line.pull.as_deref(), Some("42"), "{words:?}");
            assert_eq!(line.commands, ["findings"], "{words:?}");
        }
    }
}
