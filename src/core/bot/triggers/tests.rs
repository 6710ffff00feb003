use super::*;
use crate::evidence::name::Sha;

const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "89abcdef0123456789abcdef0123456789abcdef";
const ID: &str = "123e4567-e89b-42d3-a456-426614174000";

#[test]
fn forms_are_judged_on_the_visible_text() {
    use Form::{Directed, Exact, Marked, Mention, Quoted, Security, Task};
    let marked = format!("@codex review\n\n<!-- dsh-review-head: {HEAD} -->");
    let malformed = "@codex review\n\n<!-- dsh-review-head: 0123 -->";
    for (body, expected) in [
        ("@codex review", Some(Exact)),
        ("  @Codex Review \r\n", Some(Exact)),
        ("@CODEX  review\n\n<!-- a note -->", Some(Exact)),
        ("<!-- first -->@codex review<!-- last -->", Some(Exact)),
        (malformed, Some(Exact)),
        (marked.as_str(), Some(Marked)),
        ("@codex review.", Some(Directed)),
        ("@codex review for security regressions", Some(Directed)),
        ("@codex review\n\nLook at the retry loop.", Some(Directed)),
        ("Fixed, thanks.\n\n@codex review", Some(Directed)),
        ("> fixed?\n\n@codex review", Some(Directed)),
        ("> fixed?\n@codex review", Some(Directed)),
        ("@codex review\n```\nlog\n```", Some(Directed)),
        ("@codex review `src/a.rs`", Some(Directed)),
        ("@codex review\n<details>x</details>", Some(Directed)),
        ("@codex review\n@codex review", Some(Directed)),
        ("@codex security review", Some(Security)),
        ("@Codex Security Review please", Some(Security)),
        ("please run @codex security review", Some(Security)),
        ("@codex fix the failing test", Some(Task)),
        ("@codex", Some(Task)),
        ("@codex address that feedback", Some(Task)),
        ("@codex reviewing is slow", Some(Task)),
        ("@codex reviews", Some(Task)),
        ("hey @codex, what is this?", Some(Task)),
        ("@codex\nreview", Some(Task)),
        ("please @codex review this", Some(Mention)),
        ("- @codex review", Some(Mention)),
        ("(@codex review)", Some(Mention)),
        ("**@codex review**", Some(Mention)),
        ("> @codex review", Some(Quoted)),
        ("`@codex review`", Some(Quoted)),
        ("    @codex review", Some(Quoted)),
        ("```\n@codex review\n```", Some(Quoted)),
        ("Write `@codex review` to ask for one.", Some(Quoted)),
        (
            "<details><summary>how</summary>@codex review</details>",
            Some(Quoted),
        ),
        ("<!-- @codex review -->", None),
        ("", None),
        ("codex review", None),
        ("@codexfoo review", None),
        ("@codex-bot review", None),
        ("@codex_bot review", None),
        ("@codex/team review", None),
        ("me@codex.com review", None),
        ("a@codex review", None),
        ("@@codex review", None),
        ("https://example.com/@codex review", None),
    ] {
        assert_eq!(form(body), expected, "{body:?}");
    }
}

#[test]
fn head_markers_are_read_strictly() {
    let sha: Sha = HEAD.parse().expect("a commit");
    let ours = |supersedes| Marker::CodexLoop {
        head: sha.clone(),
        id: ID.into(),
        supersedes,
    };
    let run = "0123456789abcdef0123456789abcdef";
    for (comment, expected) in [
        (
            format!("<!-- codex-loop: head={HEAD} id={ID} -->"),
            Some(ours(None)),
        ),
        (
            format!("<!-- codex-loop: head={HEAD} id={ID} supersedes=4294967296 -->"),
            Some(ours(Some(Superseded::Comment(4_294_967_296)))),
        ),
        (
            format!("<!-- codex-loop: head={HEAD} id={ID} supersedes=reaction:7 -->"),
            Some(ours(Some(Superseded::Reaction(7)))),
        ),
        (
            format!("<!-- dsh-review-head: {HEAD} -->"),
            Some(Marker::Dsh { head: sha.clone() }),
        ),
        (
            format!("<!-- github-codex-pr-loop-request run={run} round=3 sha={HEAD} -->"),
            Some(Marker::Loop {
                run: run.into(),
                round: 3,
                sha: sha.clone(),
            }),
        ),
        (format!("<!-- codex-loop: head={HEAD} -->"), None),
        (format!("<!-- codex-loop: head={HEAD} id=x -->"), None),
        (
            format!("<!-- codex-loop: head={HEAD} id={ID} supersedes= -->"),
            None,
        ),
        (
            format!("<!-- codex-loop: head={HEAD} id={ID} supersedes=99999999999999999999 -->"),
            None,
        ),
        (format!("<!-- codex-loop: head={HEAD} id={ID} more -->"), None),
        (format!("<!-- dsh-review-head: {} -->", &HEAD[..39]), None),
        (format!("<!-- dsh-review-head: {HEAD}0 -->"), None),
        (format!("<!-- dsh-review-head: {} -->", HEAD.to_uppercase()), None),
        (format!("<!--dsh-review-head: {HEAD}-->"), None),
        (
            format!("<!-- github-codex-pr-loop-request run={run} round=99999999999 sha={HEAD} -->"),
            None,
        ),
        (
            format!("<!-- github-codex-pr-loop-request run={run} round=4294967296 sha={HEAD} -->"),
            None,
        ),
        (
            format!("<!-- github-codex-pr-loop-request run={run} sha={HEAD} -->"),
            None,
        ),
        (format!("`<!-- dsh-review-head: {HEAD} -->`"), None),
        (format!("> <!-- dsh-review-head: {HEAD} -->"), None),
        (format!("```\n<!-- dsh-review-head: {HEAD} -->\n```"), None),
        (format!("dsh-review-head: {HEAD}"), None),
    ] {
        let body = format!("@codex review\n\n{comment}");
        assert_eq!(
            markers(&body),
            expected.into_iter().collect::<Vec<_>>(),
            "{comment}"
        );
    }
}

#[test]
fn markers_that_disagree_bind_to_no_head() {
    let dsh = |head: &str| format!("<!-- dsh-review-head: {head} -->");
    let one = MarkedHead::One(HEAD.parse().expect("a commit"));
    assert_eq!(marked_head("@codex review"), MarkedHead::None);
    assert_eq!(marked_head(&dsh(HEAD)), one);
    let ours = format!("<!-- codex-loop: head={HEAD} id={ID} -->");
    assert_eq!(marked_head(&format!("{ours}\n{}", dsh(HEAD))), one);
    let disagreeing = format!("@codex review\n\n{ours}\n{}\n{}", dsh(OTHER), dsh(HEAD));
    assert_eq!(marked_head(&disagreeing), MarkedHead::Conflicting);
    assert_eq!(form(&disagreeing), Some(Form::Marked));
}

#[test]
fn replies_carry_their_own_markers() {
    let handled =
        |key: &str, outcome: &str| format!("<!-- codex-loop: handled {key} outcome={outcome} id={ID} -->");
    let body = format!(
        "Done in abc.\n\n{}\n{}",
        handled("review-body:12", "fixed"),
        handled("issue-comment:5000000000", "rebutted")
    );
    let read: Vec<_> = handled_markers(&body)
        .into_iter()
        .map(|m| (m.key, m.outcome, m.id))
        .collect();
    assert_eq!(
        read,
        [
            ("review-body:12".to_owned(), HandledOutcome::Fixed, ID.to_owned()),
            (
                "issue-comment:5000000000".to_owned(),
                HandledOutcome::Rebutted,
                ID.to_owned()
            ),
        ]
    );
    for bad in [
        handled("thread:12", "fixed"),
        handled("review-body:x", "fixed"),
        handled("review-body:12", "done"),
        handled("review-body:12", "fixed").replace(ID, ""),
        format!("> {}", handled("review-body:12", "fixed")),
    ] {
        assert_eq!(handled_markers(&bad), Vec::new(), "{bad}");
    }
    assert_eq!(
        reply_marker(&format!("ok\n<!-- codex-loop: reply id={ID} -->")),
        Some(ID.to_owned())
    );
    assert_eq!(reply_marker(&body), None);
    assert_eq!(
        reply_marker(&format!("<!-- codex-loop: reply id={ID}x -->")),
        None
    );
    assert_eq!(markers(&body), Vec::new());
}

#[test]
fn a_reply_must_not_mention_the_connector_anywhere() {
    for text in [
        "@codex",
        "thanks @Codex!",
        "`@codex review`",
        "<!-- @codex -->",
        "> @codex",
        "a\n@codex",
        "(@codex)",
    ] {
        assert!(mentions_codex(text), "{text}");
    }
    for text in ["codex", "me@codex.com", "@codexer", "@codex-team", ""] {
        assert!(!mentions_codex(text), "{text}");
    }
}
