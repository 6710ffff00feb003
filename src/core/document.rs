//! Reading a JSON document that was saved: what is wrong with it is said by its place and in its reader's words, never in
//! those of the library that reads it.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;

/// Longest found text that is repeated, in characters.
const FOUND_LIMIT: usize = 80;

/// Reads a document.
///
/// # Errors
/// Half a sentence: the place and what should stand there, or where the text stops being JSON.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    read_at("", text)
}

/// Reads an object with members of any name, each of which stands in it once: of two, nobody can say which is meant.
/// For `#[serde(deserialize_with = "unique")]`.
///
/// # Errors
/// As the reader, and when a member stands there twice.
pub fn unique<'de, D, K, V>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de> + Ord + Display,
    V: Deserialize<'de>,
{
    struct Members<K, V>(PhantomData<(K, V)>);
    impl<'de, K, V> Visitor<'de> for Members<K, V>
    where
        K: Deserialize<'de> + Ord + Display,
        V: Deserialize<'de>,
    {
        type Value = BTreeMap<K, V>;
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a map")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = BTreeMap::new();
            while let Some(name) = map.next_key::<K>()? {
                if members.contains_key(&name) {
                    return Err(A::Error::custom(format!("duplicate field `{name}`")));
                }
                members.insert(name, map.next_value()?);
            }
            Ok(members)
        }
    }
    deserializer.deserialize_map(Members(PhantomData))
}

fn read_at<T: DeserializeOwned>(name: &str, text: &[u8]) -> Result<T, String> {
    let error = match serde_json::from_slice(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    if let Some(words) = no_json(text) {
        return Err(words);
    }
    let place = place(text, &error);
    let place = match (name, place.as_str()) {
        ("", "") => "the document".to_owned(),
        ("", path) => format!("`{path}`"),
        (name, "") => format!("`{name}`"),
        (name, path) if path.starts_with('[') => format!("`{name}{path}`"),
        (name, path) => format!("`{name}.{path}`"),
    };
    Err(format!("{} {}", one_line(&place), words(&error)))
}

/// Where in a JSON text an error stands, as `member.list[3].member`; nothing for the whole of it.
///
/// The error tells how much had been read. A reader that follows the place of every value would be compiled for each
/// document a second time.
fn place(text: &[u8], error: &serde_json::Error) -> String {
    /// What is open: a list at an index, or an object in a member once its colon was read.
    enum Open {
        List(usize),
        Object(Option<String>),
    }
    let lines = text
        .split_inclusive(|byte| *byte == b'\n')
        .take(error.line().saturating_sub(1));
    let offset = lines
        .map(<[u8]>::len)
        .sum::<usize>()
        .saturating_add(error.column());
    let mut read = text.get(..offset).unwrap_or(text).iter().copied().peekable();
    let mut open: Vec<Open> = Vec::new();
    let mut string: Vec<u8> = Vec::new();
    while let Some(byte) = read.next() {
        match (byte, open.last_mut()) {
            (b'"', _) => {
                string = vec![byte];
                while let Some(byte) = read.next() {
                    string.push(byte);
                    match byte {
                        b'"' => break,
                        b'\\' => string.extend(read.next()),
                        _ => {}
                    }
                }
            }
            (b'[', _) => open.push(Open::List(0)),
            (b'{', _) => open.push(Open::Object(None)),
            (b']' | b'}', _) => drop(open.pop()),
            (b',', Some(Open::List(index))) => *index = index.saturating_add(1),
            (b',', Some(Open::Object(member))) => *member = None,
            (b':', Some(Open::Object(member))) => *member = serde_json::from_slice(&string).ok(),
            (_, _) => {}
        }
    }
    let mut place = String::new();
    for one in open {
        match one {
            Open::List(index) => place.push_str(&format!("[{index}]")),
            Open::Object(Some(member)) => {
                place.push_str(if place.is_empty() { "" } else { "." });
                place.push_str(&member);
            }
            Open::Object(None) => {}
        }
    }
    place
}

/// Reads a member of a document, which was found by its name.
///
/// # Errors
/// As [`read`], the place beginning with the member's name.
pub fn member<T: DeserializeOwned>(name: &str, text: &[u8]) -> Result<T, String> {
    read_at(name, text)
}

/// Where a text stops being JSON; nothing when it is JSON, of whatever shape.
pub fn no_json(text: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<IgnoredAny>(text).err()?;
    let (line, column) = (error.line(), error.column());
    Some(match error.classify() {
        Category::Eof => format!("it is no JSON: it ends too early, in line {line}"),
        Category::Syntax | Category::Data | Category::Io => {
            format!("it is no JSON: the error is in line {line}, column {column}")
        }
    })
}

/// What is wrong at a place, as the end of a sentence that begins with the place.
pub fn words(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let said = whole.strip_suffix(&position).unwrap_or(&whole);
    for kind in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some((found, expected)) = said
            .strip_prefix(kind)
            .and_then(|rest| rest.rsplit_once(", expected "))
        {
            let length = kind == "invalid length ";
            let found = if length {
                format!("of {found} parts")
            } else {
                self::found(found)
            };
            return format!("is {found}, and should be {}", self::expected(expected));
        }
    }
    if let Some(field) = said.strip_prefix("missing field ") {
        return format!("lacks {field}");
    }
    if let Some(field) = said.strip_prefix("duplicate field ") {
        return format!("holds {field} twice");
    }
    if let Some((field, known)) = parted(said, "unknown field ") {
        return format!("holds {field}, which is unknown there; known are {known}");
    }
    if let Some((word, known)) = parted(said, "unknown variant ") {
        return format!("is {word}, and should be {known}");
    }
    if said.starts_with("expected ") {
        return "is of another kind than it should be".to_owned();
    }
    if said.starts_with("data did not match any variant") {
        return "has none of the forms that it may have".to_owned();
    }
    format!("cannot be used: {}", one_line(said))
}

/// The name and the list of known ones.
fn parted(said: &str, kind: &str) -> Option<(String, String)> {
    let (name, known) = said.strip_prefix(kind)?.split_once(", ")?;
    let known = known
        .strip_prefix("expected ")
        .unwrap_or("nothing")
        .replace("one of ", "one of the words ");
    Some((one_line(name), known))
}

/// What stands there, as JSON calls it.
fn found(found: &str) -> String {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    match (kind, value) {
        ("map", _) => "an object".to_owned(),
        ("sequence", _) => "a list".to_owned(),
        ("string", value) => format!("the text {}", one_line(value)),
        ("integer", value) => format!("the number {}", value.trim_matches('`')),
        ("floating", value) => {
            let number = value.strip_prefix("point ").unwrap_or(value);
            format!("the number {}", number.trim_matches('`'))
        }
        ("boolean", value) => value.trim_matches('`').to_owned(),
        ("null", _) | ("unit", _) => "null".to_owned(),
        (_, _) => one_line(found),
    }
}

/// What should stand there. Types of the library and of this program become what they are in JSON.
fn expected(expected: &str) -> String {
    let number = |bits: &str| bits.chars().all(|c| c.is_ascii_digit()) || bits == "size";
    match expected {
        "f32" | "f64" => "a number".to_owned(),
        "a string" | "string" | "a borrowed string" | "a character" => "a text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "unit" | "null" => "null".to_owned(),
        "a map" | "map" => "an object".to_owned(),
        "a sequence" | "sequence" => "a list".to_owned(),
        "string or map" | "variant identifier" | "field identifier" | "variant of enum" => {
            "one of the known words".to_owned()
        }
        whole if whole.strip_prefix(['u', 'i']).is_some_and(number) => "a whole number".to_owned(),
        record if record.starts_with("struct ") || record.starts_with("internally tagged enum ") => {
            "an object".to_owned()
        }
        choice if choice.starts_with("enum ") || choice.contains(" enum ") => {
            "one of the known forms".to_owned()
        }
        tuple if tuple.starts_with("a tuple") || tuple.starts_with("tuple ") => "a list".to_owned(),
        ours => one_line(ours),
    }
}

/// A part of a message, bounded and on one line; a quotation that is cut stays one.
fn one_line(text: &str) -> String {
    let short: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(FOUND_LIMIT)
        .collect();
    if short.len() < text.len() {
        format!("{short}…")
    } else {
        short
    }
}

#[cfg(test)]
mod tests;
