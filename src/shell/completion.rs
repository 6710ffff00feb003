//! What a shell offers at TAB: the scripts that ask, and the answer to them.
//!
//! The scripts are thin: they hand the words to `gh-codex-loop __complete`, so that what is offered is always what the
//! installed version accepts. Only the list of commands stands in them too, for when the program cannot be asked.

mod hosted;
mod store;
mod values;

use std::ffi::{OsStr, OsString};

use clap::{Command, CommandFactory};
use clap_complete::engine::complete;
use codex_loop::report::sanitise::one_line;

use crate::cli::Cli;
use crate::cli::reference::Shell;
use values::Line;

/// Something to offer, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub value: String,
    pub about: String,
}

/// Longest description, in characters.
const ABOUT_LIMIT: usize = 80;

/// What may stand in place of the last word.
pub fn offers(words: &[OsString]) -> Vec<Offer> {
    let Some((last, before)) = words.split_last() else {
        return Vec::new();
    };
    let line = Line::read(&Cli::command(), before);
    let mut command = values::filled(Cli::command(), &line, last);
    let mut all = vec![OsString::from("gh-codex-loop")];
    all.extend(words.iter().cloned());
    let Ok(candidates) = complete(&mut command, all, words.len(), None) else {
        return Vec::new();
    };
    let offers: Vec<Offer> = candidates
        .iter()
        .filter(|candidate| !candidate.is_hide_set())
        .map(|candidate| Offer {
            value: candidate.get_value().to_string_lossy().into_owned(),
            about: candidate
                .get_help()
                .map(|help| one_line(help.to_string().lines().next().unwrap_or_default(), ABOUT_LIMIT))
                .unwrap_or_default(),
        })
        .filter(|offer| !offer.value.contains(['\n', '\t']) && !repeats(&offer.value))
        .collect();
    without_unasked_options(offers, last)
}

/// Whether the last item of a list stands in it before.
fn repeats(value: &str) -> bool {
    let list = value.rsplit_once('=').map_or(value, |(_, list)| list);
    list.rsplit_once(',')
        .is_some_and(|(before, last)| before.split(',').any(|item| item == last))
}

/// Options are offered where a dash was typed, or where there is nothing else.
fn without_unasked_options(offers: Vec<Offer>, word: &OsStr) -> Vec<Offer> {
    let is_option = |offer: &Offer| offer.value.starts_with('-');
    if word.to_string_lossy().starts_with('-') || offers.iter().all(is_option) {
        return offers;
    }
    offers.into_iter().filter(|offer| !is_option(offer)).collect()
}

/// The script of a shell.
pub fn script(shell: Shell) -> String {
    let template = match shell {
        Shell::Bash => include_str!("completion/gh-codex-loop.bash"),
        Shell::Zsh => include_str!("completion/gh-codex-loop.zsh"),
        Shell::Fish => include_str!("completion/gh-codex-loop.fish"),
        Shell::Powershell => include_str!("completion/gh-codex-loop.ps1"),
    };
    template.replace("@COMMANDS@", &commands(&Cli::command(), shell))
}

/// The file name of a shell's script, as that shell's own folders want it.
pub fn file_name(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => "gh-codex-loop.bash",
        Shell::Zsh => "_gh-codex-loop",
        Shell::Fish => "gh-codex-loop.fish",
        Shell::Powershell => "_gh-codex-loop.ps1",
    }
}

/// The commands, one a line: name, tab, description.
fn commands(root: &Command, shell: Shell) -> String {
    let lines: Vec<String> = root
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(|command| {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            format!("{}\t{}", command.get_name(), one_line(&about, ABOUT_LIMIT))
        })
        .collect();
    match shell {
        // In a quoted here-document and in a here-string nothing is special.
        Shell::Bash | Shell::Zsh | Shell::Powershell => lines.join("\n"),
        Shell::Fish => lines
            .iter()
            .map(|line| format!("        '{}'", line.replace('\\', "\\\\").replace('\'', "\\'")))
            .collect::<Vec<_>>()
            .join(" \\\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(words: &[&str]) -> Vec<String> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        offers(&words).into_iter().map(|offer| offer.value).collect()
    }

    #[test]
    fn commands_complete_and_hidden_ones_do_not() {
        let commands = offered(&[""]);
        assert!(commands.contains(&"classify".to_owned()));
        assert!(
            !commands
                .iter()
                .any(|name| name == "generate" || name.starts_with('_'))
        );
        assert_eq!(offered(&["clas"]), ["classify"]);
    }

    #[test]
    fn options_are_offered_after_a_dash() {
        assert!(offered(&["findings", "--pri"]).contains(&"--priority".to_owned()));
        assert!(offered(&["findings", "-"]).contains(&"--all".to_owned()));
    }

    #[test]
    fn fields_complete_one_after_another_and_never_twice() {
        let fields = offered(&["classify", "--json", ""]);
        assert!(fields.contains(&"state".to_owned()) && fields.contains(&"reasons".to_owned()));
        assert_eq!(offered(&["classify", "--json", "stat"]), ["state"]);
        assert_eq!(offered(&["classify", "--json", "next,stat"]), ["next,state"]);
        assert_eq!(offered(&["classify", "--json=next,stat"]), ["--json=next,state"]);
        assert!(!offered(&["classify", "--json", "next,"]).contains(&"next,next".to_owned()));
        assert!(!offered(&["findings", "--json", ""]).contains(&"reasons".to_owned()));
    }

    #[test]
    fn closed_lists_complete() {
        assert_eq!(offered(&["classify", "--color", "al"]), ["always"]);
        assert_eq!(offered(&["findings", "--priority", "P0,P1"]), ["P0,P1"]);
        assert_eq!(offered(&["findings", "--priority", "P0,u"]), ["P0,unknown"]);
        assert!(!offered(&["findings", "--priority", "P0,"]).contains(&"P0,P0".to_owned()));
        assert_eq!(offered(&["schema", "classi"]), ["classification"]);
        assert_eq!(offered(&["evaluate", "schema", "check"]), ["checkpoint"]);
        assert_eq!(offered(&["classify", "--demo", "fail"]), ["failed"]);
        assert_eq!(offered(&["man", "clas"]), ["classify"]);
        assert_eq!(offered(&["completion", "-s", "z"]), ["zsh"]);
    }
}
