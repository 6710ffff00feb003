//! The little HTTP/1.1 that gh speaks over a unix socket: one request per connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::Instant;

use serde_json::Value;

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// Path without query and without the `/api/v3` of an enterprise server; GraphQL is `/graphql`.
    pub path: String,
    /// Decoded query parameters, in order.
    pub query: Vec<(String, String)>,
    pub host: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// JSON null when there was no body or it is no JSON.
    pub body: Value,
    pub at: Instant,
}

impl Request {
    /// Reads one request; none when the client closed without sending any.
    pub fn read(stream: &mut impl Read) -> io::Result<Option<Self>> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("no request line: {line:?}"),
            ));
        };
        let (method, target) = (method.to_owned(), target.to_owned());
        let mut headers = Vec::new();
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let header = |wanted: &str| {
            headers
                .iter()
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| value.as_str())
        };
        let chunked = header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
        let length: usize = header("content-length")
            .and_then(|value| value.parse().ok())
            .unwrap_or(0);
        let host = header("host").unwrap_or_default().to_owned();
        let bytes = if chunked {
            read_chunks(&mut reader)?
        } else {
            let mut bytes = vec![0; length];
            reader.read_exact(&mut bytes)?;
            bytes
        };
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let path = path.strip_prefix("/api/v3").unwrap_or(path);
        let path = if path == "/api/graphql" { "/graphql" } else { path };
        Ok(Some(Self {
            method,
            path: decode(path, false),
            query: parse_query(query),
            host,
            headers,
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            at: Instant::now(),
        }))
    }

    pub fn header(&self, wanted: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.as_str())
    }

    pub fn parameter(&self, wanted: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.as_str())
    }

    pub fn is_graphql(&self) -> bool {
        self.path == "/graphql"
    }

    /// The GraphQL document, empty for REST.
    pub fn graphql_text(&self) -> &str {
        self.body.get("query").and_then(Value::as_str).unwrap_or_default()
    }

    /// Name of the GraphQL operation: `operationName`, else the first name in the document.
    pub fn operation(&self) -> Option<String> {
        if !self.is_graphql() {
            return None;
        }
        if let Some(name) = self.body.get("operationName").and_then(Value::as_str) {
            return Some(name.to_owned());
        }
        let text = self.graphql_text().trim_start();
        let rest = text
            .strip_prefix("query")
            .or_else(|| text.strip_prefix("mutation"))?;
        let name: String = rest
            .trim_start()
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        (!name.is_empty()).then_some(name)
    }

    /// A GraphQL variable.
    pub fn variable(&self, name: &str) -> Option<&Value> {
        self.body.get("variables")?.get(name)
    }

    pub fn is_mutation(&self) -> bool {
        self.graphql_text().trim_start().starts_with("mutation")
    }

    /// Whether the request may change something on GitHub.
    pub fn is_write(&self) -> bool {
        if self.is_graphql() {
            self.is_mutation()
        } else {
            self.method != "GET" && self.method != "HEAD"
        }
    }

    /// Page number for REST; for GraphQL 1 without a cursor variable, 2 with one.
    pub fn page(&self) -> usize {
        if self.is_graphql() {
            let cursor = ["endCursor", "after", "cursor"]
                .into_iter()
                .any(|name| self.variable(name).is_some_and(|value| !value.is_null()));
            return if cursor { 2 } else { 1 };
        }
        self.parameter("page")
            .and_then(|page| page.parse().ok())
            .unwrap_or(1)
    }
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut line = String::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, format!("no chunk size: {line:?}")))?;
        let start = bytes.len();
        bytes.resize(start + size, 0);
        reader.read_exact(&mut bytes[start..])?;
        line.clear();
        reader.read_line(&mut line)?;
        if size == 0 {
            return Ok(bytes);
        }
    }
}

fn parse_query(query: &str) -> Vec<(String, String)> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name, true), decode(value, true))
        })
        .collect()
}

/// Percent-decodes; `+` is a space in a query only.
fn decode(text: &str, in_query: bool) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let hex = (bytes[index] == b'%')
            .then(|| text.get(index + 1..index + 3))
            .flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                index += 3;
            }
            None => {
                decoded.push(if in_query && bytes[index] == b'+' {
                    b' '
                } else {
                    bytes[index]
                });
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// A JSON answer with GitHub's content type.
    pub fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![(
                "Content-Type".to_owned(),
                "application/json; charset=utf-8".to_owned(),
            )],
            body: body.to_string().into_bytes(),
        }
    }

    /// GitHub's error object: `{"message": …}`.
    pub fn message(status: u16, message: &str) -> Self {
        let link = "https://docs.github.com/rest";
        Self::json(
            status,
            &serde_json::json!({ "message": message, "documentation_url": link, "status": status.to_string() }),
        )
    }

    /// An HTML page, as a proxy or GitHub's front answers.
    pub fn html(status: u16) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".to_owned(), "text/html".to_owned())],
            body: b"<html><body><h1>Unicorn!</h1></body></html>".to_vec(),
        }
    }

    /// No body at all; with the JSON content type unless it is a 204.
    pub fn empty(status: u16) -> Self {
        let headers = if status == 204 {
            Vec::new()
        } else {
            Self::json(status, &Value::Null).headers
        };
        Self {
            status,
            headers,
            body: Vec::new(),
        }
    }

    /// Bytes of any kind.
    pub fn bytes(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".to_owned(), content_type.to_owned())],
            body,
        }
    }

    /// Adds a header.
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    /// Takes a header away.
    pub fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// The body as JSON, null when it is none.
    pub fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// Writes the whole answer, or only the head and the first half of the body.
    pub fn write(&self, stream: &mut impl Write, whole: bool) -> io::Result<()> {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nConnection: close\r\n",
            self.status,
            reason(self.status)
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if self.status != 204 {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str("\r\n");
        let sent = if whole {
            self.body.len()
        } else {
            self.body.len() / 2
        };
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body[..sent]);
        stream.write_all(&bytes)?;
        stream.flush()
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        302 => "Found",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        410 => "Gone",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}
