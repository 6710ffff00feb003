//! The pinned policy, version 1: "Every schema-v1 policy field, value, and type is pinned in the evaluator."

use super::canonical::{Json, digest};
use super::error::{EvaluatorError, Place};
use super::terms::{HeartbeatRrule, Host, Mode, SchemaVersion, TrustedBotId};
use super::vocabulary::{Term, number, record, words};

/// Minutes from a request's creation to its expiry.
pub(crate) const REQUEST_EXPIRY_MINUTES: i64 = 60;

number! {
    /// "Each request expires exactly 60 minutes after its GitHub created_at."
    ExpiryMinutes: 60..=60
}

number! {
    /// "At five successfully pushed feedback-fix rounds, stop even if feedback remains."
    MaximumFixRounds: 5..=5
}

words! {
    /// "Require REST user.type == \"Bot\" plus exact user.id, or GraphQL __typename == \"Bot\" plus exact databaseId."
    BotType {
        /// An app's account.
        Bot = "Bot",
    }
}

words! {
    /// How GitHub serialises the author of a reaction. REST reactions show app accounts as `User`; the exact ID decides.
    ReactionAuthorType {
        /// As everywhere else.
        Bot = "Bot",
        /// As REST reactions show an app account.
        User = "User",
    }
}

words! {
    /// The sentence with its placeholder.
    TerminalSentence {
        /// "Use exactly: …"
        Exact = "No remaining actionable Codex findings for SHA `<full-sha>`.",
    }
}

record! {
    /// The numeric bot identity in the policy.
    TrustedBot {
        /// "A response qualifies only when its author type is Bot, numeric ID matches the policy."
        database_id: TrustedBotId,
        /// "Require REST user.type == \"Bot\" plus exact user.id, or GraphQL __typename == \"Bot\" plus exact databaseId."
        r#type: BotType,
        /// "Confirm receipt by an eyes reaction from the numeric bot identity in the policy." REST serialises an app's reaction as `User`.
        reaction_types: Vec<ReactionAuthorType>,
    }
}

record! {
    /// "--policy accepts only an exact v1 policy; never use it as an override or extension mechanism."
    Policy {
        /// "Persist … policy schema version and selected mode."
        schema_version: SchemaVersion,
        /// "Host is GitHub.com."
        host: Host,
        /// "Trusted Codex bot database ID."
        trusted_bot: TrustedBot,
        /// "The v1 heartbeat schedule is exactly FREQ=MINUTELY;INTERVAL=2; require the policy, initial snapshot, created/reused Automation, prompt checkpoint, and every wakeup to agree."
        heartbeat_rrule: HeartbeatRrule,
        /// "Each request expires exactly 60 minutes after its GitHub created_at."
        request_expiry_minutes: ExpiryMinutes,
        /// "At five successfully pushed feedback-fix rounds, stop even if feedback remains."
        max_fix_rounds: MaximumFixRounds,
        /// "Resolve one mode before acting."
        modes: Vec<Mode>,
        /// "autonomous: backward-compatible default when the user names no mode."
        default_mode: Mode,
        /// "Use exactly: No remaining actionable Codex findings for SHA `<full-sha>`."
        terminal_sentence: TerminalSentence,
    }
}

/// The one policy of version 1.
pub fn policy() -> Json {
    Policy {
        schema_version: SchemaVersion::MINIMUM,
        host: Host::GithubCom,
        trusted_bot: TrustedBot {
            database_id: TrustedBotId::MINIMUM,
            r#type: BotType::Bot,
            reaction_types: ReactionAuthorType::ALL.to_vec(),
        },
        heartbeat_rrule: HeartbeatRrule::EveryTwoMinutes,
        request_expiry_minutes: ExpiryMinutes::MINIMUM,
        max_fix_rounds: MaximumFixRounds::MINIMUM,
        modes: Mode::ALL.to_vec(),
        default_mode: Mode::Autonomous,
        terminal_sentence: TerminalSentence::Exact,
    }
    .write()
}

/// Accepts only the exact version 1 policy, in any key order and whitespace.
///
/// # Errors
/// Any other document.
pub fn accept_policy(bytes: &[u8]) -> Result<(), EvaluatorError> {
    let given = Json::parse(bytes)?;
    let place = Place::root("policy");
    Policy::read(&given, &place)?;
    if digest(&given) == digest(&policy()) {
        Ok(())
    } else {
        Err(EvaluatorError::unsound(
            place,
            "only the exact version 1 policy is accepted, as `evaluate policy` prints it",
        ))
    }
}

/// The exact terminal sentence for a full SHA.
pub(crate) fn terminal_sentence(sha: &super::terms::Sha) -> String {
    TerminalSentence::Exact
        .as_str()
        .replace("<full-sha>", sha.as_str())
}

/// The one schedule.
pub(crate) fn policy_heartbeat() -> &'static str {
    HeartbeatRrule::EveryTwoMinutes.as_str()
}
