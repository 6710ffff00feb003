//! What is said about a wrong command line: clap's own words, but no word of a hidden command, and the help of the command
//! that was meant.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue};

use super::Cli;
use crate::error::{Error, named};

/// A wrong command line.
pub struct Refusal {
    error: clap::Error,
    arguments: Vec<OsString>,
}

impl Refusal {
    /// A suggestion of a command that people do not see helps nobody.
    pub fn of(mut error: clap::Error, arguments: &[OsString]) -> Self {
        let root = Cli::command();
        let seen = |word: &String| {
            root.find_subcommand(word)
                .is_none_or(|found| !found.is_hide_set())
        };
        if let Some(suggested) = error.remove(ContextKind::SuggestedSubcommand) {
            let kept: Vec<String> = words(&suggested).into_iter().filter(seen).collect();
            if !kept.is_empty() {
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(kept));
            }
        }
        Self {
            error,
            arguments: arguments.to_owned(),
        }
    }

    /// clap's own words, with its usage line and its suggestions.
    pub fn text(&self, painted: bool) -> String {
        let styled = self.error.render();
        let whole = if painted {
            styled.ansi().to_string()
        } else {
            styled.to_string()
        };
        let whole = bounded(&whole, &self.arguments);
        let lines: Vec<String> = whole
            .trim_end()
            .lines()
            .map(|line| {
                if line.starts_with("For more information") {
                    format!("For more information, try '{}'.", self.help())
                } else {
                    line.to_owned()
                }
            })
            .collect();
        lines.join("\n")
    }

    /// The same as one sentence, and what to do.
    pub fn document(&self) -> Error {
        let text = bounded(&self.error.render().to_string(), &self.arguments);
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default().trim_start_matches("error: ");
        // Names of arguments stand below a colon, a line each.
        let below: Vec<&str> = lines
            .take_while(|line| line.starts_with("  ") && first.ends_with(':'))
            .map(str::trim)
            .collect();
        let message = format!("{first} {}", below.join(", "));
        Error::usage(format!("{}.", message.trim().trim_end_matches('.')), self.hint())
    }

    /// What to do about it: the word that was probably meant, the words there are, the help.
    fn hint(&self) -> String {
        let words = |kind: ContextKind| self.error.get(kind).map(words).unwrap_or_default();
        let kinds = [
            ContextKind::SuggestedSubcommand,
            ContextKind::SuggestedArg,
            ContextKind::SuggestedValue,
        ];
        let mut parts = Vec::new();
        // The most likely one is the last.
        if let Some(meant) = kinds.into_iter().find_map(|kind| words(kind).pop()) {
            parts.push(format!("Did you mean {meant}?"));
        }
        let valid = words(ContextKind::ValidValue);
        if !valid.is_empty() {
            parts.push(format!("The values are: {}.", valid.join(", ")));
        }
        parts.push(format!("See `{}`.", self.help()));
        parts.join(" ")
    }

    /// The help of the command that the arguments lead to.
    fn help(&self) -> String {
        let root = Cli::command();
        let (mut command, mut words) = (&root, vec!["gh codex-loop"]);
        for argument in self.arguments.iter().skip(1).take_while(|word| *word != "--") {
            if let Some(below) = command.find_subcommand(argument)
                && !below.is_hide_set()
            {
                command = below;
                words.push(below.get_name());
            }
        }
        words.push("--help");
        words.join(" ")
    }
}

fn words(value: &ContextValue) -> Vec<String> {
    match value {
        ContextValue::String(word) => vec![word.clone()],
        ContextValue::Strings(words) => words.clone(),
        _ => Vec::new(),
    }
}

/// The text with every long or unprintable argument in it shortened and cleaned: nobody reads 5000 characters again.
fn bounded(text: &str, arguments: &[OsString]) -> String {
    let mut shown = text.to_owned();
    for argument in arguments.iter().skip(1) {
        let argument = argument.to_string_lossy();
        let value = argument.split_once('=').map(|(_, value)| value);
        for part in [Some(argument.as_ref()), value].into_iter().flatten() {
            let short = named(part);
            if !part.is_empty() && short != part {
                shown = shown.replace(part, &short);
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_argument_is_shortened_wherever_it_is_repeated() {
        let long = "x".repeat(5_000);
        let arguments = [
            "gh-codex-loop",
            "status",
            &format!("--color={long}"),
            "a\u{1b}[2Jb",
        ]
        .map(Into::into);
        let shown = bounded(
            &format!("invalid value '{long}', 'a\u{1b}[2Jb' for 'status'"),
            &arguments,
        );
        assert!(
            shown.len() < 200 && shown.contains("xxx…") && shown.contains("'status'"),
            "{shown}"
        );
        assert!(shown.contains("'ab'"), "{shown:?}");
    }

    fn refused(line: &str) -> Refusal {
        let words: Vec<OsString> = std::iter::once("gh-codex-loop")
            .chain(line.split(' '))
            .map(Into::into)
            .collect();
        let arguments = super::super::help_as_an_option(words.into_iter());
        let error = Cli::command()
            .try_get_matches_from(&arguments)
            .err()
            .unwrap_or_else(|| panic!("{line} is right"));
        Refusal::of(error, &arguments)
    }

    #[test]
    fn a_wrong_command_line_is_told_in_plain_words_what_is_wrong_and_which_help_tells_more() {
        for (line, says, help) in [
            ("list --limit x", "give a whole number from 1 to 100", "list"),
            ("list --limit 101", "give a whole number from 1 to 100", "list"),
            ("request 42 --round=-1", "give a whole number from 0", "request"),
            (
                "request 42 --round 99999999999",
                "give a whole number from 0",
                "request",
            ),
            ("completion", "--shell <SHELL>", "completion"),
            ("handled 42 plan", "--outcome <OUTCOME>, <KEY>", "handled plan"),
            ("handled 42 add KEY", "--outcome <OUTCOME>", "handled add"),
            ("resolve 42 --frm x", "--frm", "resolve"),
            ("status --color pink", "pink", "status"),
            ("evaluate prompt --nothing", "--nothing", "evaluate prompt"),
            ("help nothing", "nothing", ""),
            ("-R xx list", "[HOST/]OWNER/REPO", "list"),
            ("--nothing", "--nothing", ""),
        ] {
            let refusal = refused(line);
            let help = format!("gh codex-loop {help} --help").replace("  ", " ");
            let error = refusal.document();
            assert!(error.message.contains(says), "{line}: {}", error.message);
            assert!(
                error.hint.ends_with(&format!("See `{help}`.")),
                "{line}: {}",
                error.hint
            );
            let text = refusal.text(false);
            let last = format!("For more information, try '{help}'.");
            assert_eq!(text.lines().last(), Some(last.as_str()), "{line}");
            for said in [&text, &error.message] {
                assert!(
                    !said.contains("digit found") && !said.contains(":."),
                    "{line}: {said}"
                );
            }
        }
    }

    #[test]
    fn a_hidden_command_is_never_suggested_and_the_likeliest_of_the_others_is() {
        for line in ["generat", "generates", "__complet"] {
            let refusal = refused(line);
            let said = format!("{}{}", refusal.text(false), refusal.document().hint);
            assert!(
                !said.contains("generate'") && !said.contains("__complete"),
                "{said}"
            );
        }
        assert!(refused("lsit").document().hint.starts_with("Did you mean list?"));
        assert!(refused("statsu").text(false).contains("'status'"));
    }

    #[test]
    fn help_before_a_command_is_its_help() {
        for line in ["help", "help status", "help handled plan", "help evaluate"] {
            assert!(!refused(line).error.use_stderr(), "{line}");
        }
        let (asked, option) = (refused("help handled plan"), refused("handled plan --help"));
        assert_eq!(asked.error.to_string(), option.error.to_string());
    }
}
