//! `collect`: the evidence bundle, to a file or to stdout.

use std::io::Write;
use std::path::Path;

use codex_loop::evidence::Evidence;
use codex_loop::redact::redact;

use crate::cli::{Collect, Global};
use crate::error::{Error, ErrorKind, named_file};
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::output::{Output, to_json};
use crate::source;

pub fn run(global: &Global, arguments: &Collect) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Evidence>()?;
    let evidence = source::evidence(global, arguments.pull.pull.as_ref(), Need::ALL)?;
    let evidence = if arguments.redact {
        redact(evidence, &arguments.keep).map_err(|reason| {
            Error::usage(
                format!("The bundle cannot be redacted: {reason}."),
                "Without --redact the bundle holds names, paths and texts as they are.",
            )
        })?
    } else {
        evidence
    };
    match &arguments.output {
        None => output.json(&evidence)?,
        Some(path) => replace(path, &evidence)?,
    }
    if !arguments.ending.exit_code {
        return Ok(ExitCode::Holds);
    }
    let options = global.options();
    Ok(arguments.ending.of(&super::classified(&evidence, &options)?))
}

/// Writes the whole bundle beside the file, then puts it in its place: the file is never half a bundle.
fn replace(path: &Path, evidence: &Evidence) -> Result<(), Error> {
    let failed = |error: std::io::Error| {
        Error::new(
            ErrorKind::Internal,
            format!(
                "The bundle could not be written to {}: {error}.",
                named_file(path)
            ),
            "Name a file in a folder that you may write to.",
        )
    };
    // A link is followed, and what is no regular file (a pipe, a device) is written to, never replaced.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if std::fs::metadata(path).is_ok_and(|known| !known.is_file()) {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(failed)?;
        return write_to(file, evidence).map(drop).map_err(failed);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    // The name of the file beside it would say nothing to anybody.
    std::fs::metadata(folder).map_err(failed)?;
    let file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(error.kind().into()))?;
    let file = write_to(file, evidence).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

fn write_to<W: Write>(file: W, evidence: &Evidence) -> std::io::Result<W> {
    let mut buffered = std::io::BufWriter::new(file);
    to_json(evidence, false, &mut buffered)?;
    buffered.write_all(b"\n")?;
    buffered.into_inner().map_err(std::io::IntoInnerError::into_error)
}
