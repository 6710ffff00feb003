//! Whether an account is the connector: one predicate for success, failure, findings and progress.
//!
//! The pair of login and type is judged as one surface returned it and never carried to another surface
//! (review-run protocol, "Connector author identity").

use crate::evidence::account::Account;

/// The connector's login on REST.
pub const CONNECTOR_REST_LOGIN: &str = "chatgpt-codex-connector[bot]";
/// The connector's login in GraphQL. On REST the same spelling is a stranger's account.
pub const CONNECTOR_GRAPHQL_LOGIN: &str = "chatgpt-codex-connector";
/// The connector's numeric id, recorded as evidence and never a condition.
pub const CONNECTOR_ID: u64 = 199_175_422;

/// What an author is, as far as the review is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// The connector, proven.
    Connector,
    /// Somebody else, proven.
    Other,
    /// Exactly the connector's login for the surface, but a wrong or missing type.
    Mismatched,
    /// No usable login at all.
    Missing,
}

impl Identity {
    /// Every identity.
    pub const ALL: [Self; 4] = [Self::Connector, Self::Other, Self::Mismatched, Self::Missing];

    /// The word documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connector => "connector",
            Self::Other => "other",
            Self::Mismatched => "mismatched",
            Self::Missing => "missing",
        }
    }
}

/// Where an account was read; each surface serialises the connector in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdentitySurface {
    /// REST comments, reviews and review comments.
    Rest,
    /// REST reactions, which give app accounts the type `User`.
    Reaction,
    /// GraphQL.
    GraphQl,
}

/// Something about an account worth telling that changes no decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdentityWarning {
    /// Another surface's spelling of the connector's login.
    ImpostorAccount,
    /// The connector's login and type under an id that is not the one known.
    ConnectorIdUnexpected,
}

impl IdentityWarning {
    /// The warning's code in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ImpostorAccount => "impostor-account",
            Self::ConnectorIdUnexpected => "connector-id-unexpected",
        }
    }
}

/// An account judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identified {
    /// Who it is.
    pub identity: Identity,
    /// What is odd about it.
    pub warnings: Vec<IdentityWarning>,
}

/// Judges an account as `surface` returned it. `strict` refuses the type `User` on reactions.
pub fn identify(account: Option<&Account>, surface: IdentitySurface, strict: bool) -> Identified {
    let login = account.and_then(|account| account.login.known());
    let (Some(account), Some(login)) = (account, login.filter(|login| !login.is_empty())) else {
        return Identified {
            identity: Identity::Missing,
            warnings: Vec::new(),
        };
    };
    let (own, foreign) = match surface {
        IdentitySurface::Rest | IdentitySurface::Reaction => (CONNECTOR_REST_LOGIN, CONNECTOR_GRAPHQL_LOGIN),
        IdentitySurface::GraphQl => (CONNECTOR_GRAPHQL_LOGIN, CONNECTOR_REST_LOGIN),
    };
    if login != own {
        let impostor = login == foreign;
        return Identified {
            identity: Identity::Other,
            warnings: impostor
                .then_some(IdentityWarning::ImpostorAccount)
                .into_iter()
                .collect(),
        };
    }
    let kind = account.kind.text();
    let as_reaction = surface == IdentitySurface::Reaction && !strict && kind == "User";
    if kind != "Bot" && !as_reaction {
        return Identified {
            identity: Identity::Mismatched,
            warnings: Vec::new(),
        };
    }
    // A missing id is usual in bundles; one that is there and is not the known number is worth a word.
    let unexpected = !account.id.is_missing() && account.id.get() != Some(CONNECTOR_ID);
    Identified {
        identity: Identity::Connector,
        warnings: unexpected
            .then_some(IdentityWarning::ConnectorIdUnexpected)
            .into_iter()
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::observed::Observed;

    fn account(login: &str, kind: &str, id: u64) -> Account {
        Account {
            login: Observed::Known(login.into()),
            kind: Observed::Known(kind.into()),
            id: Observed::Known(id),
        }
    }

    fn judged(account: &Account, surface: IdentitySurface) -> (Identity, Vec<IdentityWarning>) {
        let Identified { identity, warnings } = identify(Some(account), surface, false);
        (identity, warnings)
    }

    #[test]
    fn each_surface_has_its_own_pair_of_login_and_type() {
        use Identity::{Connector, Mismatched, Other};
        use IdentitySurface::{GraphQl, Reaction, Rest};
        let suffixed = CONNECTOR_REST_LOGIN;
        let plain = CONNECTOR_GRAPHQL_LOGIN;
        for (surface, login, kind, expected) in [
            (Rest, suffixed, "Bot", Connector),
            (Rest, suffixed, "User", Mismatched),
            (Rest, suffixed, "Organization", Mismatched),
            (Rest, suffixed, "bot", Mismatched),
            (Rest, plain, "Bot", Other),
            (Rest, plain, "User", Other),
            (Rest, "octocat", "User", Other),
            (Rest, "github-actions[bot]", "Bot", Other),
            (Rest, "Chatgpt-Codex-Connector[bot]", "Bot", Other),
            (Reaction, suffixed, "Bot", Connector),
            (Reaction, suffixed, "User", Connector),
            (Reaction, suffixed, "Organization", Mismatched),
            (Reaction, plain, "User", Other),
            (GraphQl, plain, "Bot", Connector),
            (GraphQl, plain, "User", Mismatched),
            (GraphQl, plain, "Organization", Mismatched),
            (GraphQl, suffixed, "Bot", Other),
            (GraphQl, "octocat", "User", Other),
        ] {
            let (identity, _) = judged(&account(login, kind, CONNECTOR_ID), surface);
            assert_eq!(identity, expected, "{surface:?} {login} {kind}");
        }
    }

    #[test]
    fn the_words_are_those_of_the_documents() {
        let words = Identity::ALL.map(Identity::as_str);
        assert_eq!(words, ["connector", "other", "mismatched", "missing"]);
        let warnings = [
            IdentityWarning::ImpostorAccount,
            IdentityWarning::ConnectorIdUnexpected,
        ];
        assert_eq!(
            warnings.map(IdentityWarning::as_str),
            ["impostor-account", "connector-id-unexpected"]
        );
    }

    #[test]
    fn strict_identity_refuses_the_user_type_on_reactions_only() {
        let user = account(CONNECTOR_REST_LOGIN, "User", CONNECTOR_ID);
        let bot = account(CONNECTOR_REST_LOGIN, "Bot", CONNECTOR_ID);
        let strict = |a: &Account| identify(Some(a), IdentitySurface::Reaction, true).identity;
        assert_eq!(strict(&user), Identity::Mismatched);
        assert_eq!(strict(&bot), Identity::Connector);
    }

    #[test]
    fn without_a_login_the_author_is_missing_and_without_a_type_it_is_mismatched() {
        let surface = IdentitySurface::Rest;
        assert_eq!(identify(None, surface, false).identity, Identity::Missing);
        let mut nobody = account("", "Bot", CONNECTOR_ID);
        assert_eq!(judged(&nobody, surface).0, Identity::Missing);
        nobody.login = Observed::Malformed("7".into());
        assert_eq!(judged(&nobody, surface).0, Identity::Missing);
        nobody.login = Observed::Missing;
        assert_eq!(judged(&nobody, surface).0, Identity::Missing);

        let mut untyped = account(CONNECTOR_REST_LOGIN, "Bot", CONNECTOR_ID);
        for kind in [Observed::Missing, Observed::Malformed("{}".into())] {
            untyped.kind = kind;
            assert_eq!(judged(&untyped, surface).0, Identity::Mismatched);
            assert_eq!(
                judged(&untyped, IdentitySurface::Reaction).0,
                Identity::Mismatched
            );
        }
    }

    #[test]
    fn an_impostor_and_an_unexpected_id_are_warnings_only() {
        use IdentitySurface::{GraphQl, Reaction, Rest};
        for (surface, login) in [
            (Rest, CONNECTOR_GRAPHQL_LOGIN),
            (Reaction, CONNECTOR_GRAPHQL_LOGIN),
            (GraphQl, CONNECTOR_REST_LOGIN),
        ] {
            let found = judged(&account(login, "User", 261_883_814), surface);
            assert_eq!(found, (Identity::Other, vec![IdentityWarning::ImpostorAccount]));
        }
        let found = judged(&account(CONNECTOR_REST_LOGIN, "Bot", 5), Rest);
        let unexpected = vec![IdentityWarning::ConnectorIdUnexpected];
        assert_eq!(found, (Identity::Connector, unexpected.clone()));
        let mut odd = account(CONNECTOR_REST_LOGIN, "Bot", 5);
        odd.id = Observed::Malformed("\"5\"".into());
        assert_eq!(judged(&odd, Rest), (Identity::Connector, unexpected));
        odd.id = Observed::Missing;
        assert_eq!(judged(&odd, Rest), (Identity::Connector, Vec::new()));
        assert_eq!(
            judged(&account(CONNECTOR_REST_LOGIN, "User", 5), Rest).1,
            Vec::new()
        );
    }
}
