//! Whose word a write rests on: a reference given with the command, a typed confirmation, or a standing grant.
//!
//! A standing grant is for one pull request, one head branch, some scopes and a limited time. Some writes need a fresh
//! word; a standing one is then not enough.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::observed::{Timestamp, rfc3339};
use crate::reason::words;

/// The longest reference, in characters.
pub const REFERENCE_LIMIT: usize = 500;

words! {
    /// What a standing grant may cover.
    Scope {
        /// Ask for a review.
        Request = "request",
        /// Post the one retry of a failed run.
        Retry = "retry",
        /// Resolve a named thread.
        Resolve = "resolve",
        /// Reply in a thread.
        Reply = "reply",
    }
}

words! {
    /// How a write was authorized.
    AuthorizationKind {
        /// The user's word came with this command.
        Fresh = "fresh",
        /// The user typed a confirmation on the terminal.
        Confirmed = "confirmed",
        /// A standing grant covers it.
        Standing = "standing",
    }
}

/// Free text that names the user's message, ticket or grant: one line, not empty, bounded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Reference(String);

impl Reference {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Reference {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(
                "an authorization names the user's message, ticket or grant; it cannot be empty".into(),
            );
        }
        if text.chars().any(char::is_control) {
            return Err("an authorization is one line without control characters".into());
        }
        if text.chars().count() > REFERENCE_LIMIT {
            return Err(format!(
                "an authorization has at most {REFERENCE_LIMIT} characters"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for Reference {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Reference> for String {
    fn from(reference: Reference) -> Self {
        reference.0
    }
}

/// What one write rests on; recorded before anything leaves the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Authorization {
    /// How it was given.
    pub kind: AuthorizationKind,
    /// The reference that names it.
    pub reference: Reference,
}

impl Authorization {
    /// Whether the user spoke for exactly this write.
    pub fn is_fresh(&self) -> bool {
        match self.kind {
            AuthorizationKind::Fresh | AuthorizationKind::Confirmed => true,
            AuthorizationKind::Standing => false,
        }
    }
}

/// A standing grant for one pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// The reference that names it.
    pub reference: Reference,
    /// What it covers.
    pub scopes: Vec<Scope>,
    /// The head branch it is for.
    pub head_ref_name: String,
    /// When it was recorded.
    #[schemars(with = "String")]
    pub granted_at: Timestamp,
    /// When it ends.
    #[schemars(with = "String")]
    pub expires_at: Timestamp,
    /// When it was revoked; null while it was not.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub revoked_at: Option<Timestamp>,
}

words! {
    /// Whether a grant counts now.
    GrantState {
        /// It counts.
        Active = "active",
        /// Its time is over.
        Expired = "expired",
        /// It was taken back.
        Revoked = "revoked",
    }
}

impl Grant {
    /// Whether it counts at `now`.
    pub fn state(&self, now: Timestamp) -> GrantState {
        if self.revoked_at.is_some() {
            GrantState::Revoked
        } else if now >= self.expires_at {
            GrantState::Expired
        } else {
            GrantState::Active
        }
    }
}

/// What a write asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand<'a> {
    /// Every scope it needs.
    pub scopes: &'a [Scope],
    /// The head branch now.
    pub head_ref_name: &'a str,
    /// Why a standing grant is not enough, when it is not.
    pub fresh_only: Option<&'a str>,
}

words! {
    /// Why a write is not authorized.
    Unauthorized {
        /// Nothing was given and nothing stands.
        NoAuthorization = "no-authorization",
        /// The grant's time is over.
        Expired = "authorization-expired",
        /// Grants stand, for other scopes or another branch.
        OutOfScope = "authorization-out-of-scope",
        /// A fresh word is needed.
        StandingNotEnough = "standing-not-enough",
    }
}

/// Why a write is not authorized, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code.
    pub code: Unauthorized,
    /// One sentence.
    pub message: String,
}

/// What a write rests on: the word that came with it, else a standing grant that covers all of it.
///
/// # Errors
/// When nothing covers it.
pub fn authorize(
    given: Option<&Authorization>,
    grants: &[Grant],
    demand: Demand<'_>,
    now: Timestamp,
) -> Result<Authorization, Refusal> {
    if let Some(given) = given {
        return Ok(given.clone());
    }
    let branch = || {
        grants
            .iter()
            .rev()
            .filter(|grant| grant.head_ref_name == demand.head_ref_name)
    };
    let covers = |grant: &&Grant| demand.scopes.iter().all(|scope| grant.scopes.contains(scope));
    let refuse = |code, message: String| Err(Refusal { code, message });
    let active = |grant: &&Grant| grant.state(now) == GrantState::Active;
    if let Some(grant) = branch().filter(active).find(covers) {
        return match demand.fresh_only {
            None => Ok(Authorization {
                kind: AuthorizationKind::Standing,
                reference: grant.reference.clone(),
            }),
            Some(why) => refuse(
                Unauthorized::StandingNotEnough,
                format!("The standing authorization is not enough here: {why}."),
            ),
        };
    }
    let wanted = words_of(demand.scopes);
    if let Some(grant) = branch()
        .filter(|grant| grant.state(now) == GrantState::Expired)
        .find(covers)
    {
        return refuse(
            Unauthorized::Expired,
            format!(
                "The standing authorization for {wanted} ended at {}.",
                rfc3339(grant.expires_at)
            ),
        );
    }
    if grants.iter().any(|grant| active(&grant)) {
        return refuse(
            Unauthorized::OutOfScope,
            format!(
                "No standing authorization covers {wanted} on branch {}.",
                demand.head_ref_name
            ),
        );
    }
    refuse(
        Unauthorized::NoAuthorization,
        format!("Nobody authorized {wanted} on this pull request."),
    )
}

fn words_of(scopes: &[Scope]) -> String {
    let words: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    words.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::sample::at;

    fn reference(text: &str) -> Reference {
        text.parse().expect("a reference")
    }

    fn grant(scopes: &[Scope]) -> Grant {
        Grant {
            reference: reference("ticket 7"),
            scopes: scopes.to_vec(),
            head_ref_name: "topic".into(),
            granted_at: at(0, 0),
            expires_at: at(30, 0),
            revoked_at: None,
        }
    }

    fn demand(scopes: &[Scope]) -> Demand<'_> {
        Demand {
            scopes,
            head_ref_name: "topic",
            fresh_only: None,
        }
    }

    fn code(grants: &[Grant], demand: Demand<'_>, now: Timestamp) -> Result<AuthorizationKind, Unauthorized> {
        authorize(None, grants, demand, now)
            .map(|given| given.kind)
            .map_err(|refusal| refusal.code)
    }

    #[test]
    fn every_refusal_has_its_code() {
        use Scope::{Reply, Request, Resolve, Retry};
        let standing = [grant(&[Request, Resolve])];
        let now = at(10, 0);
        assert_eq!(
            code(&[], demand(&[Request]), now),
            Err(Unauthorized::NoAuthorization)
        );
        assert_eq!(
            code(&standing, demand(&[Request]), now),
            Ok(AuthorizationKind::Standing)
        );
        assert_eq!(
            code(&standing, demand(&[Retry]), now),
            Err(Unauthorized::OutOfScope)
        );
        assert_eq!(
            code(&standing, demand(&[Resolve, Reply]), now),
            Err(Unauthorized::OutOfScope)
        );
        let uncovered = authorize(None, &standing, demand(&[Resolve, Reply]), now).expect_err("refused");
        assert_eq!(
            uncovered.message,
            "No standing authorization covers resolve and reply on branch topic."
        );
        let other_branch = Demand {
            head_ref_name: "other",
            ..demand(&[Request])
        };
        assert_eq!(code(&standing, other_branch, now), Err(Unauthorized::OutOfScope));
        let fresh = Demand {
            fresh_only: Some("the last post failed"),
            ..demand(&[Request])
        };
        assert_eq!(code(&standing, fresh, now), Err(Unauthorized::StandingNotEnough));
        // It ends at its last second, not after it.
        assert_eq!(
            code(&standing, demand(&[Request]), at(29, 59)),
            Ok(AuthorizationKind::Standing)
        );
        assert_eq!(
            code(&standing, demand(&[Request]), at(30, 0)),
            Err(Unauthorized::Expired)
        );
        let revoked = [Grant {
            revoked_at: Some(at(5, 0)),
            ..grant(&[Request])
        }];
        assert_eq!(
            code(&revoked, demand(&[Request]), now),
            Err(Unauthorized::NoAuthorization)
        );
        let given = Authorization {
            kind: AuthorizationKind::Fresh,
            reference: reference("chat 12"),
        };
        assert_eq!(authorize(Some(&given), &standing, fresh, now), Ok(given));
    }

    #[test]
    fn a_reference_is_one_bounded_line() {
        for bad in ["", "  ", "a\nb", "a\u{1b}[0m"] {
            assert!(bad.parse::<Reference>().is_err(), "{bad:?}");
        }
        assert!("x".repeat(REFERENCE_LIMIT).parse::<Reference>().is_ok());
        assert!("x".repeat(REFERENCE_LIMIT + 1).parse::<Reference>().is_err());
        assert_eq!(reference(" ticket 7 ").as_str(), "ticket 7");
        assert!(serde_json::from_str::<Reference>("\"\"").is_err());
    }
}
