//! What goes to stdout: text for people, JSON documents for programs. A closed pipe ends it quietly.

use std::io::{ErrorKind as IoKind, IsTerminal, Write};

use codex_loop::report::look::Look;
use codex_loop::report::sanitise;
use codex_loop::report::written::Written;
use erased_serde::Serialize;

use crate::cli::{Color, Global};
use crate::error::{Error, ErrorKind, named};
use crate::filter::Filter;
use crate::selector::Selector;
use crate::{suggestion, target};

/// Where results go, in the form that was asked for.
#[derive(Clone, Debug)]
pub struct Output {
    look: Look,
    format: Format,
}

#[derive(Clone, Debug)]
enum Format {
    Text,
    Json {
        /// Empty: the whole document.
        fields: Vec<String>,
        filter: Option<Filter>,
    },
}

impl Output {
    /// Reads the form from the options; a `--jq` that does not compile is refused here, before anything is collected.
    pub fn new(global: &Global) -> Result<Self, Error> {
        let filter = global.jq.as_deref().map(Filter::new).transpose()?;
        let format = match (&global.json, filter) {
            (None, None) => Format::Text,
            (fields, filter) => Format::Json {
                fields: fields
                    .as_deref()
                    .unwrap_or_default()
                    .split(',')
                    .map(str::trim)
                    .filter(|field| !field.is_empty())
                    .map(str::to_owned)
                    .collect(),
                filter,
            },
        };
        Ok(Self {
            look: look(global.color),
            format,
        })
    }

    /// Refuses `--json` values that are no top-level field of the document this command prints.
    pub fn check_fields<D: schemars::JsonSchema>(&self) -> Result<(), Error> {
        self.check_known(&fields_of::<D>())
    }

    /// The same for a document whose fields are already known.
    pub fn check_known(&self, known: &[String]) -> Result<(), Error> {
        let Format::Json { fields, .. } = &self.format else {
            return Ok(());
        };
        match fields.iter().find(|field| !known.contains(field)) {
            None => Ok(()),
            Some(unknown) => Err(unknown_field(unknown, known)),
        }
    }

    /// How text is shown, once it is known which pull request it is about.
    pub fn look(&self) -> Look {
        Look {
            repository: target::named_repository(),
            ..self.look.clone()
        }
    }

    /// Whether text for people is printed.
    pub fn is_text(&self) -> bool {
        matches!(self.format, Format::Text)
    }

    /// Prints a document that exists as JSON only.
    pub fn json(&self, document: &dyn Serialize) -> Result<(), Error> {
        let whole = Self {
            look: self.look.clone(),
            format: match &self.format {
                Format::Text => Format::Json {
                    fields: Vec::new(),
                    filter: None,
                },
                Format::Json { .. } => self.format.clone(),
            },
        };
        whole.document(document, |_| String::new())
    }

    /// Prints one of many documents, each a line of its own, or a line for people.
    pub fn line(&self, document: &dyn Serialize, text: impl FnOnce(&Look) -> String) -> Result<(), Error> {
        let compact = Self {
            look: Look {
                terminal: self.look.terminal && self.is_text(),
                ..self.look.clone()
            },
            format: self.format.clone(),
        };
        compact.document(document, text)
    }

    /// Prints what a command has changed. When that fails, the error says what stands all the same, and that it must not
    /// be repeated: an error without it would be read as "nothing was done".
    pub fn after_write(
        &self,
        document: &impl Serialize,
        text: impl FnOnce(&Look) -> String,
        written: Option<Written>,
    ) -> Result<(), Error> {
        self.document(document, text).map_err(|error| match written {
            None => error,
            Some(Written { what, next }) => Error::new(
                ErrorKind::Internal,
                format!("{} {what}", error.message),
                format!("Do not repeat it; go on with `{}`.", target::placed(&next)),
            ),
        })
    }

    /// Prints a document, or the text for people.
    pub fn document(
        &self,
        document: &dyn Serialize,
        text: impl FnOnce(&Look) -> String,
    ) -> Result<(), Error> {
        let (fields, filter) = match &self.format {
            Format::Text => {
                let mut text = text(&self.look());
                if !text.ends_with('\n') && !text.is_empty() {
                    text.push('\n');
                }
                return write(text.as_bytes());
            }
            Format::Json { fields, filter } => (fields, filter),
        };
        if fields.is_empty() && filter.is_none() && !std::io::stdout().is_terminal() {
            return write_whole(document, self.look.terminal);
        }
        let indented = self.look.terminal && filter.is_none();
        let mut json = Vec::new();
        if fields.is_empty() {
            to_json(document, indented, &mut json)
        } else {
            serde_json::to_value(document).and_then(|mut whole| {
                if let Some(members) = whole.as_object_mut() {
                    members.retain(|name, _| fields.contains(name));
                }
                to_json(&whole, indented, &mut json)
            })
        }
        .map_err(|error| internal(&error))?;
        match filter {
            Some(filter) => write_json(&filter.run(&json, self.look.terminal)?),
            None => {
                json.push(b'\n');
                write_json(&json)
            }
        }
    }
}

/// A terminal would obey some characters of texts from GitHub; a program gets them as they are.
fn write_json(json: &[u8]) -> Result<(), Error> {
    match std::str::from_utf8(json) {
        Ok(text) if std::io::stdout().is_terminal() => write(sanitise::json(text).as_bytes()),
        Ok(_) | Err(_) => write(json),
    }
}

/// The top-level fields of a document.
pub fn fields_of<D: schemars::JsonSchema>() -> Vec<String> {
    let schema = schemars::schema_for!(D).to_value();
    schema
        .get("properties")
        .and_then(|properties| properties.as_object())
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default()
}

fn unknown_field(unknown: &str, known: &[String]) -> Error {
    let list = known.join(", ");
    let meant = suggestion::did_you_mean(unknown, known.iter().map(String::as_str));
    let pull = matches!(unknown.parse(), Ok(Selector::Number(_) | Selector::Url(_)));
    let hint = if pull {
        format!(
            "A pull request is put first, before --json: {} --json. The fields are: {list}.",
            named(unknown)
        )
    } else {
        format!("{meant}The fields are: {list}.")
    };
    Error::usage(format!("--json knows no field `{}`.", named(unknown)), hint)
}

/// Writes a document as it is made: beside the evidence there need be no room for all of its text.
fn write_whole(document: &dyn Serialize, indented: bool) -> Result<(), Error> {
    refuse_closed()?;
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    match to_json(document, indented, &mut stdout) {
        Ok(()) => written(stdout.write_all(b"\n").and_then(|()| stdout.flush())),
        Err(error) if error.is_io() => written(Err(error.into())),
        Err(error) => Err(internal(&error)),
    }
}

/// The one place where a document becomes JSON: what is generic here would be compiled for each document.
pub fn to_json(document: &dyn Serialize, indented: bool, out: &mut dyn Write) -> serde_json::Result<()> {
    if indented {
        serde_json::to_writer_pretty(out, document)
    } else {
        serde_json::to_writer(out, document)
    }
}

fn internal(error: &serde_json::Error) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("The document could not be written as JSON: {error}."),
        "This is a fault of this program; please report it.",
    )
}

/// Writes to stdout. When nobody reads any more there is nothing to complain about; when nobody ever could, there is.
pub fn write(bytes: &[u8]) -> Result<(), Error> {
    refuse_closed()?;
    let mut stdout = std::io::stdout().lock();
    written(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// What came of writing to stdout.
pub fn written(outcome: std::io::Result<()>) -> Result<(), Error> {
    match outcome {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == IoKind::BrokenPipe => Ok(()),
        Err(error) => Err(unwritten(&error.to_string())),
    }
}

/// Refuses a stdout that was closed before this program began: nobody could ever read the result.
pub fn refuse_closed() -> Result<(), Error> {
    if crate::closed::stdout_was_closed() {
        return Err(unwritten("stdout is closed"));
    }
    Ok(())
}

fn unwritten(why: &str) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("The result could not be written to stdout: {why}."),
        "Send stdout to a terminal, a pipe or a file on a disk with room, then run the command again.",
    )
}

/// How text is shown on this stdout, in this environment.
pub fn look(choice: Color) -> Look {
    let terminal = std::io::stdout().is_terminal();
    let variable = |name: &str| std::env::var(name).ok();
    let color = color(choice, terminal, &variable);
    Look {
        terminal,
        color,
        // As cargo: no escape sequence at all where colour is off; else FORCE_HYPERLINK, else what the terminal is.
        links: color && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout),
        width: if terminal {
            width(&variable)
        } else {
            WIDTH_OF_A_PIPE
        },
        repository: None,
    }
}

/// Whether errors are coloured.
pub fn colors_stderr(choice: Color) -> bool {
    color(choice, std::io::stderr().is_terminal(), &|name| {
        std::env::var(name).ok()
    })
}

/// Lines that go to a file or program are not folded to a terminal's width.
const WIDTH_OF_A_PIPE: usize = 200;

fn width(variable: &dyn Fn(&str) -> Option<String>) -> usize {
    let forced = variable("COLUMNS").and_then(|columns| columns.parse().ok());
    forced
        .or_else(|| terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0)))
        .unwrap_or(80)
        .clamp(40, 500)
}

/// `--color` speaks first, then `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, and last what stdout is.
fn color(choice: Color, terminal: bool, variable: &dyn Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if set("NO_COLOR").is_some() => false,
        Color::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        Color::Auto if set("CLICOLOR").is_some_and(|value| value == "0") => false,
        Color::Auto if set("TERM").is_some_and(|value| value == "dumb") => false,
        Color::Auto => terminal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(choice: Color, terminal: bool, variables: &[(&str, &str)]) -> bool {
        color(choice, terminal, &|name| {
            variables
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn colour_follows_the_option_then_the_environment_then_the_terminal() {
        assert!(decided(Color::Auto, true, &[]));
        assert!(!decided(Color::Auto, false, &[]));
        assert!(decided(Color::Always, false, &[("NO_COLOR", "1")]));
        assert!(!decided(Color::Never, true, &[("CLICOLOR_FORCE", "1")]));
        assert!(!decided(
            Color::Auto,
            true,
            &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]
        ));
        assert!(decided(Color::Auto, true, &[("NO_COLOR", "")]));
        assert!(decided(Color::Auto, false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!decided(Color::Auto, false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!decided(Color::Auto, true, &[("CLICOLOR", "0")]));
        assert!(!decided(Color::Auto, true, &[("TERM", "dumb")]));
    }

    #[test]
    fn an_unknown_field_lists_the_fields_and_spots_a_pull_request() {
        let known = ["reasons".to_owned(), "state".to_owned()];
        for pull in ["42", "#42", "https://github.com/o/r/pull/42"] {
            let error = unknown_field(pull, &known);
            assert!(error.hint.contains("first, before --json") && error.hint.contains("reasons, state"));
        }
        let typo = unknown_field("reason", &known);
        assert_eq!(
            typo.hint,
            "Did you mean `reasons`? The fields are: reasons, state."
        );
        assert!(unknown_field(&"x".repeat(5_000), &known).message.len() < 150);
    }
}
