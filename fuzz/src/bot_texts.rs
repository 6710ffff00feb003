//! A text of the connector, or of anybody: what it means, asks and marks, and what a pull request says with it.
//!
//! The first byte chooses where the text stands, and whether a pull request is made of a text that is not clean: that
//! takes a hundred times as long as reading it. The rest is the text.

use std::collections::BTreeSet;

use codex_loop::bot::lane::Lane;
use codex_loop::bot::meaning::{self, BodyKind, Meaning};
use codex_loop::bot::{commits, findings, notices, summary, triggers};
use codex_loop::evidence::Evidence;
use codex_loop::options::Options;
use codex_loop::redact::redact;
use codex_loop::report::sanitise;
use codex_loop::run::{Run, StateWord};
use serde_json::{Value, json};

use super::conclusions;

const HEAD: &str = "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd";

/// A finding in the forms that the connector gives one without an inline comment.
const FINDING: &str = "https://github.com/o/r/blob/aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd/src/a.rs#L1-L2\n\
                       **<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\n\
                       It overflows.";

/// Reads the text in every way and holds what must hold for any text.
pub fn check(data: &[u8]) {
    let Some((place, text)) = data.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    let kind = if place % 2 == 0 {
        BodyKind::IssueComment
    } else {
        BodyKind::Review
    };
    let meaning = meaning::of(&text, kind);
    read(&text);
    shown(&text);
    if matches!(meaning, Meaning::NoFindings { .. }) {
        // Garbage is never clean: there is a word that denies, and no mark of a finding.
        let lower = text.to_lowercase();
        let denies = [
            "no", "n't", "n’t", "zero", "0", "nil", "without", "free", "clear", "clean",
        ];
        assert!(denies.iter().any(|word| lower.contains(word)), "{text:?}");
        assert!(!text.contains("Badge]("), "{text:?}");
    }
    // Whatever stands before it, a finding in plain sight is never overlooked.
    if !["<", "`", "~", ">", "|", "\\", "\t", "    ", "\r", "["]
        .iter()
        .any(|mark| text.contains(mark))
    {
        let with = format!("{text}\n\n{FINDING}");
        assert!(
            !matches!(meaning::of(&with, kind), Meaning::NoFindings { .. }),
            "{with:?}"
        );
    }
    // Line ends of Windows change no meaning, and neither does what trails.
    if !text.contains('\r') {
        let windows = meaning::of(&text.replace('\n', "\r\n"), kind);
        assert_eq!(is_clean(&windows), is_clean(&meaning), "{text:?}");
    }
    if text.len() <= 20_000 && (is_clean(&meaning) || place % 16 < 2) {
        in_a_pull_request(&text, kind);
    }
}

fn is_clean(meaning: &Meaning) -> bool {
    matches!(meaning, Meaning::NoFindings { lane: Lane::Code })
}

fn read(text: &str) {
    let _ = (
        commits::labelled(text),
        notices::notice(text),
        summary::rows(text),
    );
    let _ = (
        findings::inline(text),
        findings::in_body(text),
        findings::without_frame(text),
    );
    let _ = (
        findings::is_substantive(text),
        meaning::announces_suggestions(text),
    );
    let form = triggers::form(text);
    let _ = (triggers::markers(text), triggers::marked_head(text));
    let _ = (triggers::handled_markers(text), triggers::reply_marker(text));
    // Nothing addresses the connector without its handle.
    assert!(
        form.is_none() || text.to_lowercase().contains("codex"),
        "{text:?}"
    );
}

/// What is shown moves no cursor, stays within its bounds, and is the same when it is cleaned again.
fn shown(text: &str) {
    let clean = sanitise::text(text).into_owned();
    assert!(!clean.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
    assert_eq!(sanitise::text(&clean), clean);
    let line = sanitise::one_line(text, 40);
    assert!(!line.contains(char::is_control), "{line:?}");
    assert!(line.chars().count() <= 40, "{line:?}");
    assert!(sanitise::block(text, 3, 40).lines().count() <= 4);
}

/// The text as the connector's answer to a trigger.
fn in_a_pull_request(text: &str, kind: BodyKind) {
    let Some(evidence) = answered_by(text, kind) else {
        return;
    };
    let concluded = conclusions::draw(&evidence);
    let said = concluded.as_ref().map(|concluded| concluded.run);
    if said == Some(StateWord::Clean) {
        assert!(is_clean(&meaning::of(text, kind)), "{text:?}");
        // The same text by anybody else is clean of nothing.
        let mut stranger = evidence.clone();
        for comment in stranger.surfaces.issue_comments.items_mut() {
            if let Some(user) = &mut comment.user {
                user.login = codex_loop::evidence::observed::Observed::Known("mallory".into());
            }
        }
        for review in stranger.surfaces.reviews.items_mut() {
            review.user = None;
        }
        let options = Options::default();
        let run = Run::of(&stranger, &options).expect("the pull request was read");
        assert!(run.state.word() != StateWord::Clean, "{text:?}");
    }
    // Redaction keeps what it says, or is refused.
    if let Ok(redacted) = redact(evidence, &[]) {
        assert_eq!(conclusions::draw(&redacted), concluded, "{text:?}");
    }
}

fn answered_by(text: &str, kind: BodyKind) -> Option<Evidence> {
    let bot = json!({ "login": "chatgpt-codex-connector[bot]", "type": "Bot", "id": 199_175_422 });
    let complete = |items: Value| json!({ "status": "complete", "pages": 1, "items": items });
    let prefixes: BTreeSet<String> = match commits::labelled(text) {
        commits::LabelledCommit::One(prefix) => [prefix].into(),
        commits::LabelledCommit::None | commits::LabelledCommit::Conflicting(_) => BTreeSet::new(),
    };
    let resolved: Vec<Value> = prefixes
        .iter()
        .filter(|prefix| HEAD.starts_with(prefix.as_str()))
        .map(|prefix| json!({ "prefix": prefix, "oid": HEAD }))
        .collect();
    let mut comments = vec![json!({
        "id": 1, "node_id": "C1", "user": { "login": "ada", "type": "User", "id": 7 }, "body": "@codex review",
        "created_at": "2026-10-01T10:02:00Z", "updated_at": "2026-10-01T10:02:00Z", "author_association": "MEMBER",
    })];
    let mut reviews = Vec::new();
    match kind {
        BodyKind::IssueComment => comments.push(json!({
            "id": 2, "node_id": "N2", "user": bot, "body": text, "created_at": "2026-10-01T10:05:00Z",
            "updated_at": "2026-10-01T10:05:00Z", "author_association": "NONE",
        })),
        BodyKind::Review => reviews.push(json!({
            "id": 2, "node_id": "N2", "user": bot, "body": text, "submitted_at": "2026-10-01T10:05:00Z",
            "state": "COMMENTED", "commit_id": HEAD,
        })),
    }
    let bundle = json!({
        "schema": "codex-loop.evidence/1", "collectedAt": "2026-10-01T11:00:00Z", "versions": { "codexLoop": "0" },
        "host": "github.com", "repository": "o/r", "pullRequest": 42,
        "surfaces": {
            "pull": complete(json!([{
                "number": 42, "url": "https://github.com/o/r/pull/42", "state": "OPEN", "isDraft": false,
                "headRefOid": HEAD, "headRefName": "topic", "baseRefName": "main",
                "createdAt": "2026-10-01T10:00:00Z", "lastEditedAt": null,
            }])),
            "commits": complete(json!([{ "oid": HEAD }])),
            "headCommit": complete(json!([{ "oid": HEAD, "committedDate": "2026-10-01T10:00:00Z" }])),
            "checkSuites": complete(json!([{
                "id": 900, "head_sha": HEAD, "head_branch": "topic", "created_at": "2026-10-01T10:00:05Z",
            }])),
            "checkRuns": complete(json!([{
                "id": 901, "name": "build", "head_sha": HEAD, "status": "completed", "conclusion": "success",
                "started_at": "2026-10-01T10:00:10Z", "completed_at": "2026-10-01T10:01:00Z",
            }])),
            "timeline": complete(json!([])), "reviewComments": complete(json!([])), "threads": complete(json!([])),
            "bodyReactions": complete(json!([])), "statuses": complete(json!([])), "mergeGates": complete(json!([])),
            "issueComments": complete(Value::from(comments)), "reviews": complete(Value::from(reviews)),
            "commentReactions": { "1": complete(json!([])), "2": complete(json!([])) },
            "resolvedCommits": complete(Value::from(resolved)),
            "edits": complete(json!([
                { "nodeId": "C1", "lastEditedAt": null, "editor": null },
                { "nodeId": "N2", "lastEditedAt": null, "editor": null },
            ])),
        },
    });
    serde_json::from_value(bundle).ok()
}
