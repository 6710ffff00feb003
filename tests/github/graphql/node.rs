//! Objects, lists and connections of GraphQL answers.

use std::collections::HashMap;
use std::rc::Rc;

use apollo_compiler::resolvers::{FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::JsonMap;
use serde_json::{Value, json};

use super::UNANSWERED;
use crate::github::time::{Time, iso};
use crate::github::world::Overrides;

/// Coerced arguments of a field.
pub struct Arguments<'a>(pub &'a JsonMap);

impl Arguments<'_> {
    /// The argument as JSON, null when absent.
    pub fn get(&self, name: &str) -> Value {
        self.0
            .get(name)
            .and_then(|value| serde_json::to_value(value).ok())
            .unwrap_or(Value::Null)
    }

    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).as_str().map(str::to_owned)
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name).as_u64()
    }

    /// A list of words, for example enum values; none when absent or null.
    pub fn words(&self, name: &str) -> Option<Vec<String>> {
        let list = self.get(name);
        Some(
            list.as_array()?
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        )
    }
}

type Lazy = Rc<dyn Fn(&Arguments<'_>) -> Result<Field, String>>;

/// What a field holds.
#[derive(Clone)]
pub enum Field {
    Value(Value),
    Node(Rc<Node>),
    List(Vec<Field>),
    Connection(Rc<Connection>),
    Lazy(Lazy),
}

impl Field {
    /// An item of a list that could not be found: null, with this error. The execution gives up the whole list when an
    /// item is an error, but only the item when its type is none; [`super::rendered`] takes the message out again.
    pub fn unresolved(message: String) -> Self {
        Node::new(&message).into()
    }

    /// An object or null.
    pub fn maybe(node: Option<Node>) -> Self {
        node.map_or(Self::Value(Value::Null), Self::from)
    }
}

impl From<Node> for Field {
    fn from(node: Node) -> Self {
        Self::Node(Rc::new(node))
    }
}

/// A list that is paged with `first`, `after`, `last` and `before`.
pub struct Connection {
    total: usize,
    item: Box<dyn Fn(usize) -> Field>,
}

impl Connection {
    /// A connection over `total` items, made on demand.
    pub fn of(total: usize, item: impl Fn(usize) -> Field + 'static) -> Field {
        Field::Connection(Rc::new(Self {
            total,
            item: Box::new(item),
        }))
    }

    /// A connection without items.
    pub fn empty() -> Field {
        Self::of(0, |_| Field::Value(Value::Null))
    }
}

/// One GraphQL object.
pub struct Node {
    type_name: String,
    fields: HashMap<&'static str, Field>,
    replaced: Vec<(String, Value)>,
}

impl Node {
    pub fn new(type_name: &str) -> Self {
        Self {
            type_name: type_name.to_owned(),
            fields: HashMap::new(),
            replaced: Vec::new(),
        }
    }

    /// A scalar or an enum word.
    pub fn leaf(self, name: &'static str, value: impl Into<Value>) -> Self {
        self.field(name, Field::Value(value.into()))
    }

    pub fn time(self, name: &'static str, time: Time) -> Self {
        self.leaf(name, iso(time))
    }

    pub fn maybe_time(self, name: &'static str, time: Option<Time>) -> Self {
        self.leaf(name, time.map_or(Value::Null, |time| json!(iso(time))))
    }

    pub fn field(mut self, name: &'static str, field: impl Into<Field>) -> Self {
        self.fields.insert(name, field.into());
        self
    }

    /// A field that is worked out only when asked for.
    pub fn lazy(self, name: &'static str, make: impl Fn(&Arguments<'_>) -> Field + 'static) -> Self {
        self.field(name, Field::Lazy(Rc::new(move |arguments| Ok(make(arguments)))))
    }

    /// A field that may be an error.
    pub fn fallible(
        self,
        name: &'static str,
        make: impl Fn(&Arguments<'_>) -> Result<Field, String> + 'static,
    ) -> Self {
        self.field(name, Field::Lazy(Rc::new(make)))
    }

    /// Answers the overridden fields as the test wants them.
    pub fn overridden(mut self, overrides: &Overrides) -> Self {
        self.replaced = overrides
            .graphql
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        self
    }
}

impl ObjectValue for Node {
    fn type_name(&self) -> &str {
        &self.type_name
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let name = info.field_name();
        if let Some((_, value)) = self.replaced.iter().find(|(replaced, _)| replaced == name) {
            return Ok(ResolvedValue::leaf(value.clone()));
        }
        match self.fields.get(name) {
            Some(field) => resolve(field.clone(), info),
            None => Err(FieldError {
                message: format!("{UNANSWERED} {}.{name}", self.type_name),
            }),
        }
    }
}

/// A shared node as apollo wants it.
struct SharedNode(Rc<Node>);

impl ObjectValue for SharedNode {
    fn type_name(&self) -> &str {
        self.0.type_name()
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        self.0.resolve_field(info)
    }
}

fn resolve<'a>(field: Field, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
    match field {
        Field::Value(value) => Ok(ResolvedValue::leaf(value)),
        Field::Node(node) => Ok(ResolvedValue::object(SharedNode(node))),
        Field::List(items) => Ok(ResolvedValue::List(Box::new(
            items.into_iter().map(|item| resolve(item, info)),
        ))),
        Field::Lazy(make) => {
            let made = make(&Arguments(info.arguments())).map_err(|message| FieldError { message })?;
            resolve(made, info)
        }
        Field::Connection(connection) => page(&connection, info).map(ResolvedValue::object),
    }
}

/// Cursors are opaque to callers; these hold the item's position.
fn cursor(index: usize) -> String {
    format!("Y3Vyc29yOnYyO{index:06}==")
}

fn position(cursor: &str) -> Option<usize> {
    cursor
        .strip_prefix("Y3Vyc29yOnYyO")?
        .strip_suffix("==")?
        .parse()
        .ok()
}

fn page(connection: &Rc<Connection>, info: &ResolveInfo<'_>) -> Result<Node, FieldError> {
    let arguments = Arguments(info.arguments());
    let (name, total) = (info.field_name(), connection.total);
    let (first, last) = (arguments.number("first"), arguments.number("last"));
    if let Some(size) = first.or(last).filter(|size| *size > 100) {
        return Err(FieldError {
            message: format!(
                "Requesting {size} records on the `{name}` connection exceeds the `first` limit of 100 records."
            ),
        });
    }
    let at = |argument: &str| match arguments.text(argument) {
        None => Ok(None),
        Some(text) => position(&text).map(Some).ok_or_else(|| FieldError {
            message: format!("`{text}` does not appear to be a valid cursor."),
        }),
    };
    let mut start = at("after")?.map_or(0, |index| index + 1).min(total);
    let mut end = at("before")?.unwrap_or(total).clamp(start, total);
    if let Some(first) = first {
        end = end.min(start.saturating_add(first as usize));
    }
    if let Some(last) = last {
        start = start.max(end.saturating_sub(last as usize));
    }
    let type_name = info.field_definition().ty.inner_named_type().as_str();
    let edge_type = info
        .schema()
        .get_object(type_name)
        .and_then(|object| object.fields.get("edges"))
        .map_or_else(String::new, |edges| edges.ty.inner_named_type().to_string());
    let mark = |present: bool, index: usize| {
        if present {
            json!(cursor(index))
        } else {
            Value::Null
        }
    };
    let page_info = Node::new("PageInfo")
        .leaf("hasNextPage", end < total)
        .leaf("hasPreviousPage", start > 0)
        .leaf("startCursor", mark(start < end, start))
        .leaf("endCursor", mark(start < end, end.saturating_sub(1)));
    // Only the count may be asked for without saying how many.
    if first.or(last).is_none() {
        let message = format!(
            "You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        );
        return Ok(["nodes", "edges", "pageInfo"].into_iter().fold(
            Node::new(type_name)
                .leaf("totalCount", total)
                .leaf("filteredCount", total),
            |node, field| {
                let message = message.clone();
                node.fallible(field, move |_| Err(message.clone()))
            },
        ));
    }
    let nodes = {
        let connection = Rc::clone(connection);
        move |_: &Arguments<'_>| Field::List((start..end).map(|index| (connection.item)(index)).collect())
    };
    let edges = {
        let connection = Rc::clone(connection);
        move |_: &Arguments<'_>| {
            let edge = |index| {
                Node::new(&edge_type)
                    .leaf("cursor", cursor(index))
                    .field("node", (connection.item)(index))
                    .into()
            };
            Field::List((start..end).map(edge).collect())
        }
    };
    Ok(Node::new(type_name)
        .leaf("totalCount", total)
        .leaf("filteredCount", total)
        .leaf("pageCount", end - start)
        .field("pageInfo", page_info)
        .lazy("nodes", nodes)
        .lazy("edges", edges))
}
