//! Whose token it is: only a person's triggers are answered by the connector.

use crate::lineage::Poster;
use crate::run::Run;

/// Whose token it is.
pub(super) enum PosterReading {
    /// A person's.
    User(Poster),
    /// An app's or an organisation's, in words.
    NoUser(String),
    /// Nobody knows, in words.
    Unknown(String),
}

/// GitHub's words to a token that belongs to an app and asks who it is.
const APP_TOKEN: &str = "resource not accessible by integration";

/// Reads the user of the token.
pub(super) fn poster(run: &Run<'_>) -> PosterReading {
    let surface = &run.reading.evidence.surfaces.viewer;
    let Some(account) = surface.items().first() else {
        let error = surface.summary().error.unwrap_or_default();
        if error.to_lowercase().contains(APP_TOKEN) {
            return PosterReading::NoUser("The token belongs to an app".to_owned());
        }
        return PosterReading::Unknown(if error.is_empty() {
            "The user of the token was not read.".to_owned()
        } else {
            format!("The user of the token could not be read: {error}")
        });
    };
    match (
        account.kind.known().map(String::as_str),
        account.login.known(),
        account.id.get(),
    ) {
        (Some("User"), Some(login), Some(id)) => PosterReading::User(Poster {
            login: login.clone(),
            id,
        }),
        (Some("User") | None, _, _) => {
            PosterReading::Unknown("GitHub did not say whose token it is.".to_owned())
        }
        (Some(kind), login, _) => PosterReading::NoUser(format!(
            "The token belongs to {} of type {kind}",
            login.map_or("an account", String::as_str)
        )),
    }
}
