//! What a reply or a resolved thread rests on: the word that came with the command, else a standing grant, else on a
//! terminal a typed confirmation of exactly what would be sent.

use codex_loop::authorization::{
    Authorization, AuthorizationKind, Demand, Reference, Refusal, Scope, authorize,
};
use codex_loop::evidence::Evidence;
use codex_loop::lineage::Poster;

use crate::error::Error;
use crate::journal::{self, Session};
use crate::selector::Place;
use crate::{clock, confirm};

/// What a person at a terminal is asked.
pub struct Question {
    /// What is to be done, after "Type yes to".
    pub what: String,
    /// Exactly what would be sent.
    pub text: String,
}

/// The user's word that came with the command.
pub fn given(reference: Option<&Reference>) -> Option<Authorization> {
    reference.map(|reference| Authorization {
        kind: AuthorizationKind::Fresh,
        reference: reference.clone(),
    })
}

/// Finds what covers these scopes, or says why nothing does. Without a session, in a dry run, nobody is asked.
pub fn obtain(
    place: &Place,
    session: Option<&Session>,
    evidence: &Evidence,
    reference: Option<&Reference>,
    scopes: &[Scope],
    question: impl FnOnce() -> Question,
) -> Result<Result<Authorization, Refusal>, Error> {
    let grants = match session {
        Some(session) => session.journal().authorizations.clone(),
        None => journal::shown(place)?.authorizations,
    };
    let demand = Demand {
        scopes,
        head_ref_name: evidence.pull().map_or("", |pull| pull.head_ref_name.as_str()),
        fresh_only: None,
    };
    let refusal = match authorize(given(reference).as_ref(), &grants, demand, clock::now()) {
        Ok(authorization) => return Ok(Ok(authorization)),
        Err(refusal) => refusal,
    };
    if session.is_some() && confirm::is_possible() {
        let Question { what, text } = question();
        let login = poster(evidence).map_or_else(|| "a person".to_owned(), |poster| poster.login);
        if let Some(confirmed) = confirm::ask(&what, &text, &login)? {
            return Ok(Ok(confirmed));
        }
    }
    Ok(Err(refusal))
}

/// Who writes.
pub fn poster(evidence: &Evidence) -> Option<Poster> {
    let account = evidence.surfaces.viewer.items().first()?;
    Some(Poster {
        login: account.login.known()?.clone(),
        id: account.id.get()?,
    })
}
