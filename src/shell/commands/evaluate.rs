//! `evaluate`: the bounded-loop evaluator over files and stdin.

use std::io::Read;
use std::path::Path;

use codex_loop::bounded::{self, EvaluatorError, Json, MAX_BYTES, PAUSE_ONLY_QUARANTINE};

use crate::cli::Global;
use crate::cli::evaluate::{Evaluate, State, Subject};
use crate::error::{Error, ErrorKind, named_file};
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::output::Output;
use crate::source;
use crate::suggestion;

pub fn run(global: &Global, arguments: &Evaluate) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    if let Some(path) = &arguments.policy {
        bounded::accept_policy(&read(Some(path))?).map_err(refused)?;
    }
    let document = match &arguments.subject {
        None => recurring(arguments.file.as_deref())?,
        Some(Subject::Recurring(document)) => recurring(document.file.as_deref())?,
        Some(Subject::Initial(document)) => {
            let bytes = read(document.file.as_deref())?;
            bounded::evaluate_initial(&bytes).map_err(refused)?.to_json()
        }
        Some(Subject::Prompt(document)) => {
            let bytes = read(document.file.as_deref())?;
            bounded::evaluate_prompt(&bytes).map_err(refused)?.to_json()
        }
        Some(Subject::State(arguments)) => state(global, arguments)?,
        Some(Subject::Policy) => bounded::policy(),
        Some(Subject::Hash(document)) => {
            let digest = bounded::hash(&read(document.file.as_deref())?).map_err(refused)?;
            return plain(&output, &digest);
        }
        Some(Subject::Example(example)) => match &example.name {
            None => return plain(&output, &list(bounded::EXAMPLES)),
            Some(name) => named(name, "example", bounded::EXAMPLES, bounded::example)?,
        },
        Some(Subject::Schema(schema)) => match &schema.name {
            None => return plain(&output, &list(bounded::SCHEMAS)),
            Some(name) => named(name, "schema", bounded::SCHEMAS, bounded::schema)?,
        },
    };
    print(&output, &document)
}

fn recurring(file: Option<&Path>) -> Result<Json, Error> {
    Ok(bounded::evaluate_recurring(&read(file)?)
        .map_err(refused)?
        .to_json())
}

/// The checkpoint is read and judged first: a wrong one costs no call to GitHub.
fn state(global: &Global, arguments: &State) -> Result<Json, Error> {
    let checkpoint = bounded::read_checkpoint(&read(Some(&arguments.checkpoint))?).map_err(refused)?;
    let need = Need {
        twice: true,
        ..Need::ALL
    };
    let evidence = source::evidence(global, arguments.pull.pull.as_ref(), need)?;
    let hosted = bounded::hosted(&evidence, &checkpoint, &global.options())
        .map_err(|error| no_decision(format!("No state: {error}.")))?;
    Ok(bounded::merge(checkpoint, hosted).to_json())
}

fn print(output: &Output, document: &Json) -> Result<ExitCode, Error> {
    let Json::Object(members) = document else {
        return plain(output, &document.canonical());
    };
    output.check_known(&members.keys().cloned().collect::<Vec<_>>())?;
    output.json(document)?;
    Ok(ExitCode::Holds)
}

/// A text of its own; with `--json` the same as a JSON string.
fn plain(output: &Output, text: &str) -> Result<ExitCode, Error> {
    output.check_known(&[])?;
    output.document(&Json::text(text), |_| text.to_owned())?;
    Ok(ExitCode::Holds)
}

fn list(names: &[(&str, &str)]) -> String {
    names
        .iter()
        .map(|(name, about)| format!("{name}\t{about}\n"))
        .collect()
}

fn named(
    name: &str,
    kind: &str,
    known: &[(&str, &str)],
    find: impl Fn(&str) -> Option<Json>,
) -> Result<Json, Error> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        suggestion::unknown(kind, name, "The names", &names)
    })
}

/// What may stand behind `evaluate`, for who mistypes it.
const SUBJECTS: [&str; 8] = [
    "initial",
    "prompt",
    "recurring",
    "policy",
    "hash",
    "example",
    "schema",
    "state",
];

/// Reads at most what the evaluator accepts, and one byte more, so that it sees that there is more.
fn read(file: Option<&Path>) -> Result<Vec<u8>, Error> {
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let outcome = match file {
        Some(path) if path != Path::new("-") => {
            std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
        }
        Some(_) | None => std::io::stdin().lock().take(limit).read_to_end(&mut bytes),
    };
    let shown = file.map_or_else(|| "stdin".to_owned(), named_file);
    match outcome {
        Ok(_) => Ok(bytes),
        Err(error) => {
            let meant = suggestion::closest(&shown, SUBJECTS)
                .filter(|_| error.kind() == std::io::ErrorKind::NotFound)
                .map_or_else(String::new, |name| format!(" Did you mean `evaluate {name}`?"));
            let message = format!("The document {shown} cannot be read: {error}.{meant}");
            Err(no_decision(message))
        }
    }
}

/// "On evaluator error, the sole possible mutation is the exact pause-only quarantine."
fn refused(error: EvaluatorError) -> Error {
    no_decision(format!("Invalid input: {error}."))
}

fn no_decision(message: String) -> Error {
    Error::new(ErrorKind::Incomplete, message, PAUSE_ONLY_QUARANTINE)
}
