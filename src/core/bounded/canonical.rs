//! Strict JSON in, canonical JSON and its SHA-256 out.
//!
//! "Construct plan hashes from UTF-8 canonical JSON with sorted keys and compact separators": the canonical form equals Python's
//! `json.dumps(x, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`. Reading refuses what two readers could
//! take differently: duplicated keys, floats, integers beyond 64 bits, lone surrogates, deep nesting, very large input.

use super::error::{EvaluatorError, shown};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// Bytes of one document; a plan with thousands of paths stays far below it.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Objects and arrays within each other; the deepest v1 document needs fewer than half of these.
pub const MAX_DEPTH: usize = 24;

/// A JSON value without floats. Keys sort by code point, because UTF-8 byte order is code point order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// An integer between −2⁶³ and 2⁶⁴−1.
    Integer(i128),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Reads one document.
    ///
    /// # Errors
    /// [`EvaluatorError::TooLarge`] and [`EvaluatorError::NotStrictJson`].
    pub fn parse(bytes: &[u8]) -> Result<Self, EvaluatorError> {
        if bytes.len() > MAX_BYTES {
            return Err(EvaluatorError::TooLarge {
                found: bytes.len(),
                limit: MAX_BYTES,
            });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            EvaluatorError::NotStrictJson(format!("no UTF-8 after byte {}", error.valid_up_to()))
        })?;
        let mut reader = serde_json::Deserializer::from_str(text);
        Strict { depth: 0 }
            .deserialize(&mut reader)
            .and_then(|value| reader.end().map(|()| value))
            .map_err(|error| {
                let words = match error.classify() {
                    Category::Eof => format!("it ends too early, in line {}", error.line()),
                    Category::Syntax | Category::Data | Category::Io => error.to_string(),
                };
                EvaluatorError::NotStrictJson(shown(&words))
            })
    }

    /// An object from its members.
    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Json)>) -> Self {
        Self::Object(
            members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    /// A string value.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The JSON type, with its article, for a sentence.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members.get(name),
            Self::Null | Self::Boolean(_) | Self::Integer(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// Compact text with sorted keys: the form that is hashed and embedded.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Boolean(true) => out.push_str("true"),
            Self::Boolean(false) => out.push_str("false"),
            Self::Integer(number) => out.push_str(&number.to_string()),
            Self::Text(text) => quote(text, out),
            Self::List(items) => {
                out.push('[');
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (place, (name, value)) in members.iter().enumerate() {
                    if place > 0 {
                        out.push(',');
                    }
                    quote(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

impl serde::Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => out.serialize_unit(),
            Self::Boolean(value) => out.serialize_bool(*value),
            Self::Integer(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => out.serialize_i64(number),
                (Err(_), Ok(number)) => out.serialize_u64(number),
                (Err(_), Err(_)) => out.serialize_i128(*number),
            },
            Self::Text(text) => out.serialize_str(text),
            Self::List(items) => out.collect_seq(items),
            Self::Object(members) => out.collect_map(members),
        }
    }
}

/// Python's escapes with `ensure_ascii=False`: quote, backslash, the five short ones, `\u00xx` for other controls below space.
fn quote(text: &str, out: &mut String) {
    out.push('"');
    let special = |c: char| c < ' ' || c == '"' || c == '\\';
    let mut rest = text;
    while let Some(at) = rest.find(special) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = from.chars();
        match chars.next().unwrap_or_default() {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Lower-hex SHA-256 of bytes.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

/// The canonical digest of a value: SHA-256 over its canonical form in UTF-8, lower hex.
pub fn digest(value: &Json) -> String {
    sha256_hex(value.canonical().as_bytes())
}

/// Reads any value, refusing what [`Json`] does not hold.
struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: serde::de::Error>(&self) -> Result<usize, E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom(format!("more than {MAX_DEPTH} levels of nesting")));
        }
        Ok(self.depth + 1)
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Json;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value without floats")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Json, E> {
        Err(E::custom("a number that is no integer of 64 bits"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let depth = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Strict { depth })? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let depth = self.deeper()?;
        let mut object = BTreeMap::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(Strict { depth })?;
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!(
                    "the key `{}` stands twice in one object",
                    shown(&name)
                )));
            }
            object.insert(name, value);
        }
        Ok(Json::Object(object))
    }
}
