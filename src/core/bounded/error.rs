//! Why the evaluator refused a document: one sentence each, never a Debug print, and safe to show on a terminal.

use std::fmt;

/// Where in a document a value stands, as a chain that costs nothing until it is printed.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root(&'a str),
    Field(&'a str),
    Item(usize),
}

impl<'a> Place<'a> {
    /// The document itself, by the name the command line gives it.
    pub(crate) fn root(name: &'a str) -> Self {
        Self {
            parent: None,
            step: Step::Root(name),
        }
    }

    pub(crate) fn field(&'a self, name: &'a str) -> Self {
        Self {
            parent: Some(self),
            step: Step::Field(name),
        }
    }

    pub(crate) fn item(&'a self, index: usize) -> Self {
        Self {
            parent: Some(self),
            step: Step::Item(index),
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(out)?;
        }
        match self.step {
            Step::Root(name) => out.write_str(name),
            Step::Field(name) => write!(out, ".{name}"),
            Step::Item(index) => write!(out, "[{index}]"),
        }
    }
}

/// A refused document. The evaluator gives no decision then; the only mutation still allowed is
/// [`PAUSE_ONLY_QUARANTINE`](super::PAUSE_ONLY_QUARANTINE).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluatorError {
    /// The bytes are no strict JSON: syntax, encoding, a duplicated key, a float, or too deep.
    #[error(
        "the document is not the strict JSON the evaluator reads ({0}); write it again as canonical JSON"
    )]
    NotStrictJson(String),
    /// The document is larger than the evaluator reads.
    #[error(
        "the document has {found} bytes and the evaluator reads at most {limit}; leave out what its schema does not ask for"
    )]
    TooLarge {
        /// Bytes found.
        found: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// A field of the schema is absent.
    #[error("`{place}` lacks the field `{field}`; add it as the schema describes it")]
    Missing {
        /// The record.
        place: String,
        /// The absent field.
        field: &'static str,
    },
    /// A field that the schema does not have, which covers other spellings and other case.
    #[error(
        "`{place}` has the field `{field}`, which its schema does not have; remove it or spell it as the schema does"
    )]
    Unknown {
        /// The record.
        place: String,
        /// The field as written, made printable and cut.
        field: String,
    },
    /// A value of another JSON type.
    #[error("`{place}` is {found} and must be {expected}; give a value of that type")]
    WrongType {
        /// The value's place.
        place: String,
        /// What the schema asks for.
        expected: String,
        /// The JSON type found.
        found: &'static str,
    },
    /// A value of the right type that the schema does not allow.
    #[error("`{place}` must be {expected}; correct the value")]
    OutOfRange {
        /// The value's place.
        place: String,
        /// What the schema allows.
        expected: String,
    },
    /// Two values of the document contradict each other or a rule of the bounded loop.
    #[error("`{place}` breaks a rule of the bounded loop: {rule}; rebuild the document from fresh reads")]
    Unsound {
        /// The value's place.
        place: String,
        /// The rule, as a clause.
        rule: String,
    },
}

impl EvaluatorError {
    pub(crate) fn unsound(place: impl fmt::Display, rule: impl Into<String>) -> Self {
        Self::Unsound {
            place: place.to_string(),
            rule: rule.into(),
        }
    }
}

/// Fails with `rule` at `place` unless `holds`.
pub(crate) fn require(holds: bool, place: impl fmt::Display, rule: &str) -> Result<(), EvaluatorError> {
    if holds {
        Ok(())
    } else {
        Err(EvaluatorError::unsound(place, rule))
    }
}

/// Foreign text fit for an error message: at most 80 characters, controls and format characters replaced.
pub(crate) fn shown(text: &str) -> String {
    let mut kept: String = text
        .chars()
        .take(80)
        .map(|c| if printable(c) { c } else { '\u{fffd}' })
        .collect();
    if text.chars().nth(80).is_some() {
        kept.push('…');
    }
    kept
}

/// No control, bidirectional or zero-width character.
pub(crate) fn printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{061c}')
}
