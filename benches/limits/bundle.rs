//! Evidence bundles of any size, written piece by piece: a long-lived pull request with remarks, old reviews and bots.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

/// A reviewed pull request without anything unusual.
pub const CLEAN: &str = include_str!("../../src/shell/demo/clean.json");
/// One with findings on every surface.
pub const FINDINGS: &str = include_str!("../../src/shell/demo/findings.json");

/// The bundle as a value.
pub fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("the built-in bundle is none: {error}"))
}

/// Writes a clean bundle with this many older comments; gives its size in bytes.
pub fn write(path: &Path, comments: usize) -> u64 {
    let file = File::create(path).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    let mut writer = BufWriter::new(file);
    write_to(&mut writer, comments)
        .and_then(|()| writer.flush())
        .and_then(|()| path.metadata())
        .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()))
        .len()
}

/// The same bundle in memory.
pub fn bytes(comments: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, comments).unwrap_or_else(|error| panic!("cannot write to memory: {error}"));
    bytes
}

fn write_to(writer: &mut impl Write, comments: usize) -> io::Result<()> {
    let mut bundle = value(CLEAN);
    let surfaces = &mut bundle["surfaces"];
    let newest = surfaces["issueComments"]["items"].take();
    let newest = newest.as_array().map(Vec::as_slice).unwrap_or_default();
    let total = comments + newest.len();
    surfaces["pull"]["items"][0]["counts"]["comments"] = total.into();
    surfaces["issueComments"]["pages"] = total.div_ceil(100).into();
    surfaces["issueComments"]["items"] = json!(["here"]);
    let text = bundle.to_string();
    let (before, after) = text.split_once("\"here\"").unwrap_or((&text, ""));
    writer.write_all(before.as_bytes())?;
    for number in 0..comments {
        serde_json::to_writer(&mut *writer, &comment(number))?;
        writer.write_all(b",")?;
    }
    for (place, comment) in newest.iter().enumerate() {
        if place > 0 {
            writer.write_all(b",")?;
        }
        serde_json::to_writer(&mut *writer, comment)?;
    }
    writer.write_all(after.as_bytes())
}

/// One comment in twenty asks for a review, one answers, one is another bot's; the others are people's.
fn comment(number: usize) -> Value {
    let person = [("ada", 1001), ("grace", 1002), ("linus", 1003)][number % 3];
    let (login, id, kind) = (person.0, person.1, "User");
    let (login, id, kind, body) = match number % 20 {
        3 => ("ada", 1001, "User", "@codex review".to_owned()),
        4 => (
            "chatgpt-codex-connector[bot]",
            199_175_422,
            "Bot",
            crate::github::clean_text(&format!("{:040x}", 0xabc_0000_0000_usize + number)),
        ),
        9 => (
            "dependabot[bot]",
            49_699_333,
            "Bot",
            format!(
                "Bumps [serde](https://github.com/serde-rs/serde) to 1.0.{number}.\n\n| crate | from | to |\n|---|---|---|\n\
                 | serde | 1.0.0 | 1.0.{number} |\n"
            ),
        ),
        _ => (
            login,
            id,
            kind,
            format!(
                "Remark {number}: the eviction path holds `lock` while it calls back.\n\n> quoted {number}\n\n```rust\nlet \
                 guard = cache.lock();\n```\nI would move the call out of the lock, see src/cache.rs:{}.",
                number % 900
            ),
        ),
    };
    // Twelve seconds apart, all of them before the head arrived.
    posted(
        1_000_000_000 + number,
        (login, id, kind),
        &body,
        &moment("2026-09", number * 12),
    )
}

/// A time so many seconds after the beginning of a month.
fn moment(month: &str, seconds: usize) -> String {
    format!(
        "{month}-{:02}T{:02}:{:02}:{:02}Z",
        1 + seconds / 86_400,
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// A comment by an account, given as login, id and type.
fn posted(number: usize, (login, id, kind): (&str, u64, &str), body: &str, time: &str) -> Value {
    json!({
        "authorAssociation": "MEMBER",
        "body": body,
        "createdAt": time,
        "htmlUrl": format!("https://github.com/octo/widgets/pull/42#issuecomment-{number}"),
        "id": number,
        "nodeId": format!("IC_kwDO{number}"),
        "updatedAt": time,
        "user": { "id": id, "login": login, "type": kind },
    })
}

/// What stands on this head, again and again.
#[derive(Clone, Copy, Debug)]
pub enum Crowd {
    /// Requests that nobody answers.
    Requests,
    /// Clean results that nobody asked for.
    Results,
    /// A request and its clean result, in turns.
    Turns,
}

/// A pull request with so many requests or results after its head arrived, as a bundle.
pub fn crowded(crowd: Crowd, comments: usize) -> Vec<u8> {
    let mut bundle = value(CLEAN);
    let surfaces = &mut bundle["surfaces"];
    let head = surfaces["pull"]["items"][0]["headRefOid"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let all: Vec<Value> = (0..comments)
        .map(|number| {
            let asks = match crowd {
                Crowd::Requests => true,
                Crowd::Results => false,
                Crowd::Turns => number % 2 == 0,
            };
            let (account, body) = if asks {
                (("ada", 1001, "User"), "@codex review".to_owned())
            } else {
                let account = ("chatgpt-codex-connector[bot]", 199_175_422, "Bot");
                (account, crate::github::clean_text(&head))
            };
            posted(9_000_000_000 + number, account, &body, &moment("2027-01", number))
        })
        .collect();
    let whole = |items: Vec<Value>| json!({ "status": "complete", "pages": 1, "items": items });
    let of_each = |make: &dyn Fn(&Value) -> Value| all.iter().map(make).collect::<Vec<_>>();
    surfaces["edits"] = whole(of_each(
        &|comment| json!({ "nodeId": comment["nodeId"], "lastEditedAt": null, "editor": null }),
    ));
    surfaces["commentReactions"] = all
        .iter()
        .map(|comment| (comment["id"].to_string(), whole(Vec::new())))
        .collect::<serde_json::Map<_, _>>()
        .into();
    surfaces["pull"]["items"][0]["counts"]["comments"] = comments.into();
    surfaces["issueComments"] = whole(all);
    bundle["collectedAt"] = "2027-02-01T00:00:00Z".into();
    bundle.to_string().into_bytes()
}
