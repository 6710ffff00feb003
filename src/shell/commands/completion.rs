//! `completion`: a shell's script, and the hidden `__complete` that it asks.

use crate::cli::reference::{Complete, Completion};
use crate::completion;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::output;

pub fn run(arguments: &Completion) -> Result<ExitCode, Error> {
    output::write(completion::script(arguments.shell).as_bytes())?;
    Ok(ExitCode::Holds)
}

/// One offer a line: value, tab, description.
pub fn answer(arguments: &Complete) -> Result<ExitCode, Error> {
    let text: String = completion::offers(&arguments.words)
        .iter()
        .map(|offer| match offer.about.as_str() {
            "" => format!("{}\n", offer.value),
            about => format!("{}\t{about}\n", offer.value),
        })
        .collect();
    output::write(text.as_bytes())?;
    Ok(ExitCode::Holds)
}
