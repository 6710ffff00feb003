//! `retry`: the one retry of a failed run, and its record.

use codex_loop::lineage::AttemptKind;
use codex_loop::preflight::Ask;
use codex_loop::report::attempt::{self, Retry};
use codex_loop::report::look::Look;
use codex_loop::report::written::Written;

use super::trigger::{self, Done, Plan};
use crate::cli::{Global, writing};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::output::Output;

pub fn run(global: &Global, arguments: &writing::Retry) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Retry>()?;
    let plan = Plan {
        kind: AttemptKind::Retry,
        arguments: arguments.post.clone(),
        ask: Ask {
            after_notice: arguments.post.after_notice,
            ..Ask::default()
        },
        extra: Vec::new(),
    };
    let pull = arguments.pull.pull.as_ref();
    let Done {
        header,
        post,
        terminal,
        ending,
    } = if arguments.show {
        trigger::show(global, pull)?
    } else {
        trigger::run(global, pull, &plan)?
    };
    let written = Written::post(AttemptKind::Retry, &post, header.pull_request);
    let document = Retry {
        header,
        post,
        terminal,
    };
    let text = |look: &Look| {
        attempt::text(
            AttemptKind::Retry,
            &document.header,
            &document.post,
            document.terminal.as_ref(),
            look,
        )
    };
    output.after_write(&document, text, written)?;
    ending
}
