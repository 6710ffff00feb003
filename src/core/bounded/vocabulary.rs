//! The one table of fields: what `record!`, `words!`, `text!` and `number!` declare drives strict parsing, writing, the
//! published JSON Schema and the generated fail-closed tests.
//!
//! The doc comment of each field is the sentence of the bounded-loop evaluator that the field comes from, and it is
//! the field's `description` in the schema. Rules between fields are not here; they stand beside their document.

mod schema;

pub(crate) use schema::json_schema;

use super::canonical::Json;
use super::error::{EvaluatorError, Place, shown};
use std::collections::BTreeMap;

/// Items of one list; the largest, a plan's paths, stays far below it.
pub(crate) const MAX_ITEMS: usize = 2000;

/// The allowed values of a field, without their meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `true` or `false`.
    Boolean,
    /// An integer, both bounds allowed.
    Integer { minimum: i128, maximum: i128 },
    /// A string by pattern and length in characters.
    Text {
        pattern: &'static str,
        shortest: usize,
        longest: usize,
        about: &'static str,
    },
    /// One of these words, exactly.
    Words(Vec<&'static str>),
    /// The inner shape or `null`.
    Nullable(Box<Shape>),
    /// At most [`MAX_ITEMS`] of the inner shape.
    List(Box<Shape>),
    /// An object with exactly these fields.
    Record(RecordShape),
}

/// An object's name, sentence and fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordShape {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) fields: Vec<FieldShape>,
}

/// One field: its name, the sentence it comes from, its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldShape {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    pub(crate) shape: Shape,
}

/// A value that stands in an evaluator document.
pub(crate) trait Term: Sized {
    /// What is allowed.
    fn shape() -> Shape;
    /// Reads it strictly.
    fn read(json: &Json, place: &Place<'_>) -> Result<Self, EvaluatorError>;
    /// Writes it back; `read(write(x)) == x`.
    fn write(&self) -> Json;
}

pub(crate) fn wrong_type(place: &Place<'_>, expected: impl Into<String>, found: &Json) -> EvaluatorError {
    EvaluatorError::WrongType {
        place: place.to_string(),
        expected: expected.into(),
        found: found.type_name(),
    }
}

pub(crate) fn out_of_range(place: &Place<'_>, expected: impl Into<String>) -> EvaluatorError {
    EvaluatorError::OutOfRange {
        place: place.to_string(),
        expected: expected.into(),
    }
}

impl Term for bool {
    fn shape() -> Shape {
        Shape::Boolean
    }

    fn read(json: &Json, place: &Place<'_>) -> Result<Self, EvaluatorError> {
        match json {
            Json::Boolean(value) => Ok(*value),
            Json::Null | Json::Integer(_) | Json::Text(_) | Json::List(_) | Json::Object(_) => {
                Err(wrong_type(place, "a boolean", json))
            }
        }
    }

    fn write(&self) -> Json {
        Json::Boolean(*self)
    }
}

impl<T: Term> Term for Option<T> {
    fn shape() -> Shape {
        Shape::Nullable(Box::new(T::shape()))
    }

    fn read(json: &Json, place: &Place<'_>) -> Result<Self, EvaluatorError> {
        match json {
            Json::Null => Ok(None),
            Json::Boolean(_) | Json::Integer(_) | Json::Text(_) | Json::List(_) | Json::Object(_) => {
                T::read(json, place).map(Some)
            }
        }
    }

    fn write(&self) -> Json {
        self.as_ref().map_or(Json::Null, Term::write)
    }
}

impl<T: Term> Term for Vec<T> {
    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()))
    }

    fn read(json: &Json, place: &Place<'_>) -> Result<Self, EvaluatorError> {
        match json {
            Json::List(items) if items.len() > MAX_ITEMS => Err(out_of_range(
                place,
                format!("a list of at most {MAX_ITEMS} items"),
            )),
            Json::List(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| T::read(item, &place.item(index)))
                .collect(),
            Json::Null | Json::Boolean(_) | Json::Integer(_) | Json::Text(_) | Json::Object(_) => {
                Err(wrong_type(place, "an array", json))
            }
        }
    }

    fn write(&self) -> Json {
        Json::List(self.iter().map(Term::write).collect())
    }
}

/// The members of a record whose names have been checked: no unknown one, none missing.
pub(crate) struct Members<'a> {
    object: &'a BTreeMap<String, Json>,
    place: &'a Place<'a>,
}

impl<'a> Members<'a> {
    pub(crate) fn open(
        json: &'a Json,
        place: &'a Place<'a>,
        names: &[&'static str],
    ) -> Result<Self, EvaluatorError> {
        let object = match json {
            Json::Object(object) => object,
            Json::Null | Json::Boolean(_) | Json::Integer(_) | Json::Text(_) | Json::List(_) => {
                return Err(wrong_type(place, "an object", json));
            }
        };
        if let Some(field) = object.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(EvaluatorError::Unknown {
                place: place.to_string(),
                field: shown(field),
            });
        }
        Ok(Self { object, place })
    }

    pub(crate) fn take<T: Term>(&self, field: &'static str) -> Result<T, EvaluatorError> {
        let value = self.object.get(field).ok_or_else(|| EvaluatorError::Missing {
            place: self.place.to_string(),
            field,
        })?;
        T::read(value, &self.place.field(field))
    }
}

/// Declares an exact object: a struct whose doc comments are the sentences its fields come from.
macro_rules! record {
    (
        $(#[doc = $about:literal])+
        $name:ident { $( $(#[doc = $source:literal])+ $field:ident : $kind:ty, )+ }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $( $(#[doc = $source])+ pub $field: $kind, )+ }

        impl $name {
            /// The value as JSON, ready to be written canonically or for people.
            pub fn to_json(&self) -> $crate::bounded::canonical::Json {
                $crate::bounded::vocabulary::Term::write(self)
            }
        }

        impl $crate::bounded::vocabulary::Term for $name {
            fn shape() -> $crate::bounded::vocabulary::Shape {
                use $crate::bounded::vocabulary::{FieldShape, RecordShape, Shape, Term};
                Shape::Record(RecordShape {
                    name: stringify!($name),
                    about: concat!($($about),+).trim_ascii(),
                    fields: vec![$(FieldShape {
                        name: stringify!($field).trim_start_matches("r#"),
                        source: concat!($($source),+).trim_ascii(),
                        shape: <$kind as Term>::shape(),
                    }),+],
                })
            }

            fn read(
                json: &$crate::bounded::canonical::Json,
                place: &$crate::bounded::error::Place<'_>,
            ) -> Result<Self, $crate::bounded::error::EvaluatorError> {
                let members = $crate::bounded::vocabulary::Members::open(json, place, &[$(stringify!($field).trim_start_matches("r#")),+])?;
                Ok(Self { $( $field: members.take(stringify!($field).trim_start_matches("r#"))?, )+ })
            }

            fn write(&self) -> $crate::bounded::canonical::Json {
                use $crate::bounded::vocabulary::Term;
                $crate::bounded::canonical::Json::object([$((stringify!($field).trim_start_matches("r#"), Term::write(&self.$field))),+])
            }
        }
    };
}

/// Declares a closed list of words.
macro_rules! words {
    (
        $(#[doc = $about:literal])+
        $name:ident { $( $(#[doc = $source:literal])+ $variant:ident = $word:literal, )+ }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $( $(#[doc = $source])+ $variant, )+ }

        impl $name {
            /// Every word, in the order of the document.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as documents spell it.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl $crate::bounded::vocabulary::Term for $name {
            fn shape() -> $crate::bounded::vocabulary::Shape {
                $crate::bounded::vocabulary::Shape::Words(vec![$($word),+])
            }

            fn read(
                json: &$crate::bounded::canonical::Json,
                place: &$crate::bounded::error::Place<'_>,
            ) -> Result<Self, $crate::bounded::error::EvaluatorError> {
                let word = $crate::bounded::vocabulary::read_text(json, place)?;
                Self::ALL.iter().copied().find(|one| one.as_str() == word).ok_or_else(|| {
                    $crate::bounded::vocabulary::out_of_range(
                        place,
                        format!("exactly one of {}", [$(concat!("`", $word, "`")),+].join(", ")),
                    )
                })
            }

            fn write(&self) -> $crate::bounded::canonical::Json {
                $crate::bounded::canonical::Json::text(self.as_str())
            }
        }
    };
}

/// Declares a checked string: pattern and length for the schema, and a further check for what a pattern cannot say.
macro_rules! text {
    (
        $(#[doc = $about:literal])+
        $name:ident: $pattern:literal, $shortest:literal ..= $longest:literal, $check:expr
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Checks a string; the error names the rule it breaks.
            ///
            /// # Errors
            /// [`EvaluatorError::OutOfRange`]($crate::bounded::EvaluatorError::OutOfRange).
            pub fn new(text: impl Into<String>) -> Result<Self, $crate::bounded::error::EvaluatorError> {
                Self::checked(text.into(), &$crate::bounded::error::Place::root(stringify!($name)))
            }

            fn checked(
                text: String,
                place: &$crate::bounded::error::Place<'_>,
            ) -> Result<Self, $crate::bounded::error::EvaluatorError> {
                static PATTERN: std::sync::LazyLock<Option<regex::Regex>> =
                    std::sync::LazyLock::new(|| regex::Regex::new($pattern).ok());
                let check: fn(&str) -> bool = $check;
                let length = text.chars().take($longest + 1).count();
                let matches = PATTERN.as_ref().is_some_and(|pattern| pattern.is_match(&text));
                if ($shortest..=$longest).contains(&length) && matches && check(&text) {
                    Ok(Self(text))
                } else {
                    Err($crate::bounded::vocabulary::out_of_range(place, Self::about()))
                }
            }

            fn about() -> &'static str {
                concat!($($about),+).trim_ascii().trim_end_matches('.')
            }

            /// The string.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl $crate::bounded::vocabulary::Term for $name {
            fn shape() -> $crate::bounded::vocabulary::Shape {
                $crate::bounded::vocabulary::Shape::Text {
                    pattern: $pattern,
                    shortest: $shortest,
                    longest: $longest,
                    about: Self::about(),
                }
            }

            fn read(
                json: &$crate::bounded::canonical::Json,
                place: &$crate::bounded::error::Place<'_>,
            ) -> Result<Self, $crate::bounded::error::EvaluatorError> {
                Self::checked($crate::bounded::vocabulary::read_text(json, place)?.to_owned(), place)
            }

            fn write(&self) -> $crate::bounded::canonical::Json {
                $crate::bounded::canonical::Json::text(self.0.clone())
            }
        }
    };
}

/// Declares a bounded integer.
macro_rules! number {
    ( $(#[doc = $about:literal])+ $name:ident: $minimum:literal ..= $maximum:literal ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// The smallest one allowed.
            pub const MINIMUM: Self = Self($minimum);

            /// Checks a number.
            ///
            /// # Errors
            /// [`EvaluatorError::OutOfRange`]($crate::bounded::EvaluatorError::OutOfRange).
            pub fn new(number: u64) -> Result<Self, $crate::bounded::error::EvaluatorError> {
                use $crate::bounded::vocabulary::Term;
                Self::read(
                    &$crate::bounded::canonical::Json::Integer(number.into()),
                    &$crate::bounded::error::Place::root(stringify!($name)),
                )
            }

            /// The number.
            pub fn get(self) -> u64 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(out)
            }
        }

        impl $crate::bounded::vocabulary::Term for $name {
            fn shape() -> $crate::bounded::vocabulary::Shape {
                $crate::bounded::vocabulary::Shape::Integer { minimum: $minimum, maximum: $maximum }
            }

            fn read(
                json: &$crate::bounded::canonical::Json,
                place: &$crate::bounded::error::Place<'_>,
            ) -> Result<Self, $crate::bounded::error::EvaluatorError> {
                let (minimum, maximum): (u64, u64) = ($minimum, $maximum);
                let number = $crate::bounded::vocabulary::read_integer(json, place)?;
                u64::try_from(number)
                    .ok()
                    .filter(|number| (minimum..=maximum).contains(number))
                    .map(Self)
                    .ok_or_else(|| $crate::bounded::vocabulary::out_of_range(
                        place,
                        if minimum == maximum {
                            format!("exactly {minimum}")
                        } else {
                            format!("an integer from {minimum} to {maximum}")
                        },
                    ))
            }

            fn write(&self) -> $crate::bounded::canonical::Json {
                $crate::bounded::canonical::Json::Integer(self.0.into())
            }
        }
    };
}

pub(crate) use {number, record, text, words};

pub(crate) fn read_text<'a>(json: &'a Json, place: &Place<'_>) -> Result<&'a str, EvaluatorError> {
    match json {
        Json::Text(text) => Ok(text),
        Json::Null | Json::Boolean(_) | Json::Integer(_) | Json::List(_) | Json::Object(_) => {
            Err(wrong_type(place, "a string", json))
        }
    }
}

pub(crate) fn read_integer(json: &Json, place: &Place<'_>) -> Result<i128, EvaluatorError> {
    match json {
        Json::Integer(number) => Ok(*number),
        Json::Null | Json::Boolean(_) | Json::Text(_) | Json::List(_) | Json::Object(_) => {
            Err(wrong_type(place, "an integer", json))
        }
    }
}
