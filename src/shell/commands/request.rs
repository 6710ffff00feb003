//! `request`: one `@codex review` for the head.

use codex_loop::lineage::{AttemptKind, ExtraMarker};
use codex_loop::preflight::Ask;
use codex_loop::report::attempt::{self, Request};
use codex_loop::report::look::Look;
use codex_loop::report::written::Written;

use super::trigger::{self, Done, Plan};
use crate::cli::Global;
use crate::cli::writing::{self, MarkerWord};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::output::Output;

pub fn run(global: &Global, arguments: &writing::Request) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Request>()?;
    let plan = Plan {
        kind: AttemptKind::Request,
        arguments: arguments.post.clone(),
        ask: Ask {
            again: arguments.again.clone(),
            after_notice: arguments.post.after_notice,
            supersedes: arguments.supersede,
        },
        extra: extra(arguments)?,
    };
    let Done {
        header, post, ending, ..
    } = trigger::run(global, arguments.pull.pull.as_ref(), &plan)?;
    let written = Written::post(AttemptKind::Request, &post, header.pull_request);
    let document = Request { header, post };
    let text =
        |look: &Look| attempt::text(AttemptKind::Request, &document.header, &document.post, None, look);
    output.after_write(&document, text, written)?;
    ending
}

/// The markers of other tools, each once.
fn extra(arguments: &writing::Request) -> Result<Vec<ExtraMarker>, Error> {
    let mut extra = Vec::new();
    if arguments.marker.contains(&MarkerWord::Dsh) {
        extra.push(ExtraMarker::Dsh);
    }
    match (
        arguments.marker.contains(&MarkerWord::Loop),
        &arguments.run,
        arguments.round,
    ) {
        (true, Some(run), Some(round)) => extra.push(ExtraMarker::Loop {
            run: run.clone(),
            round,
        }),
        (true, _, _) => {
            return Err(Error::usage(
                "--marker loop needs the run and the round.",
                "Give both: --marker loop --run HEX --round N.",
            ));
        }
        (false, None, _) => {}
        (false, Some(_), _) => {
            return Err(Error::usage(
                "--run and --round belong to the bounded loop's marker.",
                "Give it too: --marker loop --run HEX --round N.",
            ));
        }
    }
    Ok(extra)
}
