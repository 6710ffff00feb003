//! A typed confirmation on a terminal. Nowhere else is anything ever asked.

use std::io::{BufRead, IsTerminal, Write};

use codex_loop::authorization::{Authorization, AuthorizationKind};
use codex_loop::evidence::observed::rfc3339;
use codex_loop::report::sanitise::one_line;

use crate::clock;
use crate::error::{Error, ErrorKind};

/// Whether somebody sits at a terminal and may be asked.
pub fn is_possible() -> bool {
    let forbidden = std::env::var_os("GH_PROMPT_DISABLED").is_some_and(|value| !value.is_empty());
    !forbidden && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Shows exactly what would be sent and asks for `yes`. Anything else is no authorization.
pub fn ask(what: &str, text: &str, login: &str) -> Result<Option<Authorization>, Error> {
    let failed = |error: std::io::Error| {
        Error::new(
            ErrorKind::Internal,
            format!("The terminal could not be asked: {error}."),
            "Give --authorization instead.",
        )
    };
    let mut question = String::new();
    for line in text.lines() {
        question.push_str(&format!("  | {}\n", one_line(line, 300)));
    }
    question.push_str(&format!("Type yes to {what}: "));
    let mut stderr = std::io::stderr().lock();
    stderr
        .write_all(question.as_bytes())
        .and_then(|()| stderr.flush())
        .map_err(failed)?;
    drop(stderr);
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(failed)?;
    if answer.trim() != "yes" {
        return Ok(None);
    }
    let reference = format!("confirmed on a terminal by {login} at {}", rfc3339(clock::now()));
    Ok(reference.parse().ok().map(|reference| Authorization {
        kind: AuthorizationKind::Confirmed,
        reference,
    }))
}
