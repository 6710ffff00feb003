//! A JSON object that keeps what it does not understand: members in their order, values as they were written.

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::document;

/// The members of an object, in order.
#[derive(Clone, Debug, Default)]
pub struct Members(Vec<(String, Box<RawValue>)>);

/// The elements of an array, as they were written.
pub type Elements = Vec<Box<RawValue>>;

impl Members {
    /// Reads the text of one object.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("it {}", document::words(&error)))
    }

    /// A member's text.
    pub fn raw(&self, name: &str) -> Option<&RawValue> {
        // The last one speaks, as with every reader of JSON.
        let found = self.0.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_ref())
    }

    /// A member as a value of this type; nothing when it is absent.
    ///
    /// # Errors
    /// When it is there and of another type.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, String> {
        self.raw(name)
            .map(|raw| document::member(name, raw.get().as_bytes()))
            .transpose()
    }

    /// A member that is an array.
    ///
    /// # Errors
    /// When it is there and no array.
    pub fn elements(&self, name: &str) -> Result<Elements, String> {
        Ok(self.get(name)?.unwrap_or_default())
    }

    /// Puts a value in the place of a member, or after the last one.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn set(&mut self, name: &str, value: &impl Serialize) -> Result<(), String> {
        let raw = raw(value)?;
        match self.0.iter_mut().rev().find(|(known, _)| known == name) {
            Some((_, old)) => *old = raw,
            None => self.0.push((name.to_owned(), raw)),
        }
        Ok(())
    }

    /// The whole as text: one member a line, values as they were written.
    pub fn text(&self) -> String {
        let members: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("  {}: {}", serde_json::Value::from(name.as_str()), value.get()))
            .collect();
        if members.is_empty() {
            "{}\n".to_owned()
        } else {
            format!("{{\n{}\n}}\n", members.join(",\n"))
        }
    }
}

/// A value as JSON text.
///
/// # Errors
/// When it cannot be written.
pub fn raw(value: &impl Serialize) -> Result<Box<RawValue>, String> {
    serde_json::value::to_raw_value(value).map_err(|error| error.to_string())
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Members;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Read)
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_that_is_no_object_is_refused_in_words() {
        let members = Members::read("{\"families\": [1]}").expect("an object");
        let refused = members.get::<Members>("families").expect_err("an array");
        assert!(
            refused == "`families` is a list, and should be an object",
            "{refused}"
        );
        assert!(members.get::<Members>("none").expect("absent").is_none());
    }
}
