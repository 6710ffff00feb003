//! A field as GitHub gave it: known, missing or malformed. A missing field is seen, never invented.

use std::borrow::Cow;
use std::fmt;

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A point in time on GitHub's clock, in UTC.
pub type Timestamp = DateTime<Utc>;

/// Writes a time as every document writes it: RFC 3339, UTC, `Z`, fractions only when there are some.
pub fn rfc3339(at: Timestamp) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// One field of one item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Observed<T> {
    /// The field was there and of the expected type.
    Known(T),
    /// The field was absent or null.
    #[default]
    Missing,
    /// The field was there but not of the expected type; the text says what was there, shortened.
    Malformed(String),
}

impl<T> Observed<T> {
    /// The value, when it is known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Missing | Self::Malformed(_) => None,
        }
    }

    /// Whether nothing was given.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

/// A field that GitHub always gives, if only as null, and that is not there at all: that proves nothing. For
/// `#[serde(default = "not_given")]`.
pub fn not_given<T>() -> Observed<T> {
    Observed::Malformed("not given".to_owned())
}

impl<T: Copy> Observed<T> {
    /// The value by copy, when it is known.
    pub fn get(&self) -> Option<T> {
        self.known().copied()
    }
}

impl Observed<String> {
    /// The text, or the empty text when none is known.
    pub fn text(&self) -> &str {
        self.known().map_or("", String::as_str)
    }
}

impl<T> From<Option<T>> for Observed<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Self::Known)
    }
}

/// A type that one JSON scalar can hold.
pub trait Scalar: Sized {
    /// What a value of this type looks like, for messages.
    const EXPECTED: &'static str;
    /// Reads a JSON string.
    fn from_text(_text: &str) -> Option<Self> {
        None
    }
    /// Reads an owned JSON string without copying it where the type allows that.
    fn from_string(text: String) -> Result<Self, String> {
        Self::from_text(&text).ok_or(text)
    }
    /// Reads a JSON number without sign or fraction.
    fn from_number(_number: u64) -> Option<Self> {
        None
    }
    /// Reads a JSON boolean.
    fn from_bool(_value: bool) -> Option<Self> {
        None
    }
    /// Writes the value back.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

impl Scalar for u64 {
    const EXPECTED: &'static str = "a number";
    fn from_number(number: u64) -> Option<Self> {
        Some(number)
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(*self)
    }
}

impl Scalar for bool {
    const EXPECTED: &'static str = "true or false";
    fn from_bool(value: bool) -> Option<Self> {
        Some(value)
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(*self)
    }
}

impl Scalar for String {
    const EXPECTED: &'static str = "a text";
    fn from_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
    fn from_string(text: String) -> Result<Self, String> {
        Ok(text)
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl Scalar for Timestamp {
    const EXPECTED: &'static str = "an RFC 3339 time";
    fn from_text(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text)
            .ok()
            .map(|at| at.with_timezone(&Utc))
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&rfc3339(*self))
    }
}

impl<T: Scalar> Serialize for Observed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(value) => value.write(serializer),
            Self::Missing => serializer.serialize_none(),
            Self::Malformed(found) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("malformed", found)?;
                map.end()
            }
        }
    }
}

impl<T: JsonSchema> JsonSchema for Observed<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Observed_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let known = generator.subschema_for::<T>();
        json_schema!({
            "anyOf": [
                known,
                { "type": "null", "description": "GitHub gave none." },
                {
                    "type": "object",
                    "description": "GitHub gave something of another type: its text, shortened.",
                    "properties": { "malformed": { "type": "string" } },
                    "required": ["malformed"],
                },
            ],
        })
    }
}

impl<'de, T: Scalar> Deserialize<'de> for Observed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObservedVisitor(std::marker::PhantomData))
    }
}

struct ObservedVisitor<T>(std::marker::PhantomData<T>);

impl<T> ObservedVisitor<T> {
    fn malformed<E>(found: &str) -> Result<Observed<T>, E> {
        Ok(Observed::Malformed(found.chars().take(80).collect()))
    }
}

impl<'de, T: Scalar> Visitor<'de> for ObservedVisitor<T> {
    type Value = Observed<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(T::EXPECTED)
    }
    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        T::from_bool(value).map_or_else(
            || Self::malformed(if value { "true" } else { "false" }),
            |v| Ok(Observed::Known(v)),
        )
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        T::from_number(value).map_or_else(|| Self::malformed(&value.to_string()), |v| Ok(Observed::Known(v)))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        match u64::try_from(value) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Self::malformed(&value.to_string()),
        }
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        Self::malformed(&value.to_string())
    }
    fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
        T::from_text(value).map_or_else(|| Self::malformed(value), |v| Ok(Observed::Known(v)))
    }
    fn visit_string<E: de::Error>(self, value: String) -> Result<Self::Value, E> {
        T::from_string(value).map_or_else(|text| Self::malformed(&text), |v| Ok(Observed::Known(v)))
    }
    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Observed::Missing)
    }
    fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Observed::Missing)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<de::IgnoredAny>()?.is_some() {}
        Self::malformed("a list")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == "malformed" {
                found = map.next_value::<serde_json::Value>()?.as_str().map(str::to_owned);
            } else {
                map.next_value::<de::IgnoredAny>()?;
            }
        }
        Self::malformed(found.as_deref().unwrap_or("an object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_json_value_becomes_a_value_and_survives_the_round_trip() {
        for json in [
            "7",
            "\"7\"",
            "-3",
            "1.5",
            "true",
            "null",
            "[1]",
            "{\"a\":1}",
            "{\"malformed\":\"x\"}",
        ] {
            let number: Observed<u64> = serde_json::from_str(json).expect("any value is taken");
            let again: Observed<u64> =
                serde_json::from_str(&serde_json::to_string(&number).expect("written")).expect("read");
            assert_eq!(number, again, "{json}");
            assert_eq!(number.known().is_some(), json == "7", "{json}");
        }
        let text: Observed<String> = serde_json::from_str("5").expect("taken");
        assert_eq!(text, Observed::Malformed("5".into()));
        let again: Observed<String> =
            serde_json::from_str(&serde_json::to_string(&text).expect("written")).expect("read");
        assert_eq!(again, text);
    }

    #[test]
    fn times_are_utc_and_keep_their_fraction() {
        let at: Observed<Timestamp> =
            serde_json::from_str("\"2026-09-16T07:11:26.960863+02:00\"").expect("read");
        assert_eq!(rfc3339(at.get().expect("known")), "2026-09-16T05:11:26.960863Z");
        let bad: Observed<Timestamp> = serde_json::from_str("\"yesterday\"").expect("read");
        assert_eq!(bad, Observed::Malformed("yesterday".into()));
    }
}
