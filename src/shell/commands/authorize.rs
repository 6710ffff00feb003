//! `authorize`: the standing authorizations of a pull request on this machine.

use chrono::TimeDelta;
use codex_loop::authorization::{Grant, GrantState, Scope};
use codex_loop::evidence::observed::rfc3339;
use codex_loop::report::Header;
use codex_loop::report::authorization::{self, Document};
use codex_loop::report::look::Look;
use codex_loop::report::written::Written;

use crate::cli::Global;
use crate::cli::writing::Authorize;
use crate::clock;
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::gh::{Gh, pull};
use crate::journal::{self, Session};
use crate::output::Output;
use crate::selector::Place;
use crate::{source, target};

pub fn run(global: &Global, arguments: &Authorize) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Document>()?;
    source::only_github(global, source::DryRun::None)?;
    let gh = Gh::find(global).map_err(|failure| failure.into_error("gh could not be used"))?;
    let place = target::place(&gh, global, arguments.pull.pull.as_ref())?;
    let now = clock::now();
    let (grants, head) = if arguments.list {
        (journal::shown(&place)?.authorizations, None)
    } else if arguments.revoke {
        let mut session = Session::open(&place, gh.timeout())?;
        session.change(|journal| {
            for grant in &mut journal.authorizations {
                let named = arguments
                    .reference
                    .as_ref()
                    .is_none_or(|reference| *reference == grant.reference);
                if named && grant.state(now) == GrantState::Active {
                    grant.revoked_at = Some(now);
                }
            }
        })?;
        (session.journal().authorizations.clone(), None)
    } else {
        let reading =
            pull::read(&gh, &place, &[]).map_err(|failure| target::reading_failed(failure, &place))?;
        let grant = granted(arguments, &reading.pull.head_ref_name)?;
        let mut session = Session::open(&place, gh.timeout())?;
        session.change(|journal| journal.authorizations.push(grant))?;
        (
            session.journal().authorizations.clone(),
            Some(reading.pull.head_ref_oid.to_string()),
        )
    };
    let document = authorization::document(header(&place, head), &grants, now);
    let written = (!arguments.list).then(|| Written::authorization(place.number));
    let text = |look: &Look| authorization::text(&document, look);
    output.after_write(&document, text, written)?;
    Ok(ExitCode::Holds)
}

fn granted(arguments: &Authorize, branch: &str) -> Result<Grant, Error> {
    let now = clock::now();
    let ends = TimeDelta::from_std(arguments.expires)
        .ok()
        .and_then(|length| now.checked_add_signed(length));
    let (Some(reference), Some(expires_at)) = (arguments.reference.clone(), ends) else {
        return Err(Error::new(
            ErrorKind::Internal,
            "The authorization could not be recorded: its reference or end is missing.",
            "This is a fault of this program; please report it.",
        ));
    };
    let mut scopes: Vec<Scope> = arguments.scope.clone();
    scopes.sort();
    scopes.dedup();
    Ok(Grant {
        reference,
        scopes,
        head_ref_name: branch.to_owned(),
        granted_at: now,
        expires_at,
        revoked_at: None,
    })
}

fn header(place: &Place, head: Option<String>) -> Header {
    Header {
        schema: "codex-loop.authorization/1".to_owned(),
        repository: place.repository.to_string(),
        pull_request: place.number,
        url: place.url(),
        head_ref_oid: head,
        observed_at: rfc3339(clock::now()),
    }
}
