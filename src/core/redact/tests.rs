use crate::evidence::comment::IssueComment;
use crate::evidence::{EVIDENCE_SCHEMA, Local, Surfaces, Versions};

use super::*;
use crate::run::indeterminate::reads_as_result;

fn bundle(bodies: &[(&str, &str)]) -> Evidence {
    let comments = bodies
        .iter()
        .zip(1_u64..)
        .map(|((login, body), id)| IssueComment {
            id: Observed::Known(id),
            user: Some(Account {
                login: Observed::Known((*login).to_owned()),
                kind: Observed::Known("User".into()),
                id: Observed::Known(if login.ends_with("[bot]") {
                    199_175_422
                } else {
                    1_000_000
                }),
            }),
            body: Observed::Known((*body).to_owned()),
            html_url: Observed::Known(format!("https://github.com/octo/secret/pull/7#issuecomment-{id}")),
            ..IssueComment::default()
        })
        .collect();
    Evidence {
        schema: EVIDENCE_SCHEMA.into(),
        collected_at: "2026-09-16T05:11:26Z".parse().expect("a time"),
        versions: Versions::default(),
        host: "github.com".into(),
        repository: "octo/secret".parse().expect("a repository"),
        pull_request: 7,
        unstable: None,
        surfaces: Surfaces {
            issue_comments: Surface::complete(comments),
            ..Surfaces::default()
        },
        local: Local::default(),
    }
}

const CONNECTOR: &str = "chatgpt-codex-connector[bot]";
const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";

fn texts() -> Vec<(&'static str, String)> {
    vec![
        ("ada-lovelace", "@codex review".into()),
        ("ada-lovelace", format!("@codex review\n\n<!-- codex-loop: head={HEAD} id=11111111-2222-3333-4444-555555555555 -->")),
        ("ada-lovelace", format!("@codex review\n<!-- dsh-review-head: {HEAD} -->")),
        ("ada-lovelace", "Mind the Zanzibar launch, hunter2! cc @grace-hopper `secret()`".into()),
        ("ada-lovelace", "@codex review the Zanzibar parser".into()),
        ("ada-lovelace", "@codex fix Zanzibar".into()),
        ("ada-lovelace", "> @codex review\n\nas I said about Zanzibar".into()),
        ("ada-lovelace", "Fixed it.\n<!-- codex-loop: handled review-body:12 outcome=fixed id=11111111-2222-3333-4444-555555555555 -->".into()),
        (CONNECTOR, "Codex Review: Didn't find any major issues. Swish!\n\n**Reviewed commit:** `58d4bceaec`\n\n<details> <summary>ℹ️ About Codex in GitHub</summary>\n<br/>\nYour team Zanzibar has set up Codex.\n</details>".into()),
        (CONNECTOR, "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\nAn unknown error occurred".into()),
        (CONNECTOR, "Codex Review: Something went wrong. Try again later by commenting “@codex review”.\n```\nProvided git ref 58d4bceaec does not exist\n```".into()),
        (CONNECTOR, "You have reached your Codex usage limits for code reviews. You can see your limits in the [Codex usage dashboard](https://chatgpt.com/codex/settings/usage).".into()),
        (CONNECTOR, "To use Codex here, [create an environment for this repo](https://chatgpt.com/codex/settings/environments).".into()),
        (CONNECTOR, format!("https://github.com/octo/secret/blob/{HEAD}/src/zanzibar.rs#L1-L2\n**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Keep Zanzibar locked**\n\nThe lock of Zanzibar is lost.")),
        (CONNECTOR, "<!-- codex-pull-request-review-summary -->\n<!-- codex-security-review:v1 {\"headSha\":\"0123456789abcdef0123456789abcdef01234567\",\"repository\":\"octo/secret\",\"status\":\"running\"} -->\n## Codex Review Summary\n\n| Review | Status | Commit | Review trigger |\n| --- | --- | --- | --- |\n| 📝 **Code Review** | ✅ **Completed** <relative-time datetime=\"2026-09-16T05:11:26.960863Z\">2026-09-16T05:11:26.960863Z</relative-time> | `8777ef4` | PR opened |".into()),
        (CONNECTOR, "The Zanzibar module needs a deeper look before anybody merges it.".into()),
        (CONNECTOR, "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.".into()),
    ]
}

#[test]
fn every_text_says_the_same_and_no_secret_is_left() {
    let texts = texts();
    let borrowed: Vec<(&str, &str)> = texts
        .iter()
        .map(|(login, body)| (*login, body.as_str()))
        .collect();
    let before = bundle(&borrowed);
    let after = redact(before.clone(), &[]).expect("redacts");
    let pairs = before
        .surfaces
        .issue_comments
        .items()
        .iter()
        .zip(after.surfaces.issue_comments.items());
    for (one, other) in pairs {
        assert_eq!(
            Reading::of(one.body.text()),
            Reading::of(other.body.text()),
            "{}",
            one.body.text()
        );
    }
    let json = serde_json::to_string(&after).expect("written").to_lowercase();
    for secret in [
        "zanzibar",
        "hunter2",
        "ada-lovelace",
        "grace",
        "octo",
        "secret",
        "1000000",
        "parser",
    ] {
        assert!(!json.contains(secret), "{secret} is left in {json}");
    }
    assert!(json.contains("chatgpt-codex-connector[bot]") && json.contains(HEAD));
}

/// An unclear text that looks like a review is a result of the head; one that does not is drift.
#[test]
fn an_unclear_text_looks_like_a_result_or_does_not_as_before() {
    for (body, begins) in [
        ("Codex Reviewer Zanzibar: the parser deserves a look.", true),
        (
            "### Codex Review\n\nThe parser of Zanzibar deserves a look.",
            true,
        ),
        (
            "> **![Q1 Badge](https://img.shields.io/badge/P1-orange?style=flat)  Zanzibar**\n\nI read it.",
            true,
        ),
        ("Zanzibar Codex Review: the parser deserves a look.", false),
    ] {
        let redacted = redact(bundle(&[(CONNECTOR, body)]), &[]).expect("redacted");
        let after = redacted
            .surfaces
            .issue_comments
            .items()
            .first()
            .expect("one comment");
        assert_eq!(reads_as_result(after.body.text()), begins, "{body}");
        assert!(!after.body.text().contains("Zanzibar"), "{body}");
    }
}

#[test]
fn the_same_bundle_gives_the_same_pseudonyms() {
    let bundle = bundle(&[("ada", "one two one"), ("grace", "two"), ("Ada", "three")]);
    let once = redact(bundle.clone(), &[]).expect("redacts");
    assert_eq!(once, redact(bundle.clone(), &[]).expect("redacts"));
    let items = once.surfaces.issue_comments.items();
    let login = |place: usize| {
        items
            .get(place)
            .and_then(|c| c.user.as_ref())
            .map(|user| user.login.text().to_owned())
    };
    assert_eq!(login(0), login(2));
    assert_ne!(login(0), login(1));
}

#[test]
fn a_kept_text_stays_and_an_unknown_key_is_refused() {
    let bundle = bundle(&[(CONNECTOR, "Strange words about Zanzibar"), ("ada", "Zebra")]);
    let after = redact(bundle.clone(), &["issue-comment:1".into()]).expect("redacts");
    let body = |place: usize| {
        after
            .surfaces
            .issue_comments
            .items()
            .get(place)
            .map(|comment| comment.body.text().to_owned())
    };
    assert_eq!(body(0).as_deref(), Some("Strange words about Zanzibar"));
    assert!(body(1).is_some_and(|body| !body.contains("Zebra")));
    assert!(redact(bundle.clone(), &["issue-comment:9".into()]).is_err());
}

#[test]
fn handled_digests_follow_their_texts() {
    let mut bundle = bundle(&[(CONNECTOR, "Strange words about Zanzibar")]);
    let items = &mut bundle.local.handled.items;
    items.insert(
        "issue-comment:1".into(),
        Some(sha256("Strange words about Zanzibar")),
    );
    items.insert("review-body:2".into(), Some(sha256("another text")));
    let after = redact(bundle.clone(), &[]).expect("redacts");
    let body = after
        .surfaces
        .issue_comments
        .items()
        .first()
        .map(|comment| sha256(comment.body.text()));
    assert_eq!(after.local.handled.items.get("issue-comment:1"), Some(&body));
    assert_eq!(
        after.local.handled.items.get("review-body:2"),
        Some(&Some(sha256("another text")))
    );
}

#[test]
fn what_the_handled_file_records_keeps_its_families_and_loses_its_words() {
    let mut bundle = bundle(&[(CONNECTOR, "Strange words about Zanzibar")]);
    bundle.local.handled.record = serde_json::from_value(serde_json::json!({
        "families": { "zebra-race": { "count": 2, "outcome": "fixed" } },
        "planned": [{ "key": "issue-comment:1", "outcome": "fixed", "family": "zebra-race",
                      "bodySha256": sha256("Strange words about Zanzibar"), "recordedAt": "2026-10-01T10:00:00Z" }],
        "dispositions": { "review-body:2": { "outcome": "fixed", "family": "zebra-race", "evidence": "zebra words",
                          "premise": "zebra", "covers": "zebra", "recordedAt": "2026-10-01T10:00:00Z" } },
        "checkpoints": [{ "url": "https://zebra.example/1", "recurrence": "Zebra-race, twice", "causedByPriorRepair": false,
                          "aligned": true, "scopeGrowth": false, "decreasing": true, "actionableRounds": 3,
                          "recordedAt": "2026-10-01T10:00:00Z" }],
        "directions": [{ "text": "zebra", "checkpoints": 1, "recordedAt": "2026-10-01T10:00:00Z" }],
    }))
    .expect("a record");
    let after = redact(bundle.clone(), &[]).expect("redacts");
    let record = &after.local.handled.record;
    let text = serde_json::to_string(record).expect("JSON").to_lowercase();
    assert!(!text.contains("zebra"), "{text}");
    let label = record.families.keys().next().expect("a family").clone();
    assert_eq!(record.planned[0].family.as_ref(), Some(&label));
    assert_eq!(record.dispositions["review-body:2"].family.as_ref(), Some(&label));
    assert_eq!(record.checkpoints[0].recurrence, label);
    let body = after.surfaces.issue_comments.items()[0].body.text();
    assert_eq!(
        record.planned[0].body_sha256.as_deref(),
        Some(sha256(body).as_str())
    );
}
