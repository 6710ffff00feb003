//! `schema`: the JSON Schema of a document.

use crate::cli::Global;
use crate::cli::reference::Schema;
use crate::documents;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::output::Output;
use crate::suggestion;

pub fn run(global: &Global, arguments: &Schema) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    let Some(name) = &arguments.name else {
        output.check_known(&[])?;
        let names: Vec<&str> = documents::names().map(|(name, _)| name).collect();
        output.document(&names, |_| list())?;
        return Ok(ExitCode::Holds);
    };
    let schema = documents::schema(name).ok_or_else(|| {
        let names: Vec<&str> = documents::names().map(|(name, _)| name).collect();
        suggestion::unknown("document", name, "The documents", &names)
    })?;
    let fields: Vec<String> = schema
        .as_object()
        .map(|members| members.keys().cloned().collect())
        .unwrap_or_default();
    output.check_known(&fields)?;
    output.json(&schema)?;
    Ok(ExitCode::Holds)
}

fn list() -> String {
    documents::names()
        .map(|(name, about)| format!("{name}\t{about}\n"))
        .collect()
}
