//! The handled file: both shapes, changes to it, and everything in it that is not ours.

use codex_loop::convergence::handled::HandledFile;
use codex_loop::evidence::handled::{Disposition, Outcome, Planned};
use serde_json::Value;

const KEY: &str = "review-comment:9007199254740993";
const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Reads the bytes as a handled file, changes it and reads it again.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(mut file) = HandledFile::read(text) else {
        return;
    };
    let before = file.local().expect("what was read is usable");
    let again = HandledFile::read(&file.text()).expect("what was written is read");
    assert_eq!(again.text(), file.text());
    assert_eq!(again.local().as_ref(), Ok(&before));
    let at = "2026-10-01T10:00:00Z".parse().expect("a time");
    let planned = Planned {
        key: KEY.into(),
        outcome: Outcome::UserDecision,
        family: Some("bounds".into()),
        review_id: Some(7),
        body_sha256: Some(DIGEST.into()),
        recorded_at: at,
    };
    if file.plan(&planned).is_err() {
        return;
    }
    let local = file.local().expect("still usable");
    assert!(local.record.planned.contains(&planned));
    assert_eq!(local.items, before.items, "a plan handles nothing");
    let disposition = Disposition {
        outcome: Outcome::Fixed,
        family: Some("bounds".into()),
        commit: None,
        evidence: "a test".into(),
        premise: None,
        covers: None,
        reply: None,
        review_id: Some(7),
        recorded_at: at,
    };
    if file.add(KEY, DIGEST, &disposition).is_err() {
        return;
    }
    let local = HandledFile::read(&file.text()).and_then(|file| file.local());
    let local = local.expect("still usable");
    assert_eq!(local.items.get(KEY), Some(&Some(DIGEST.to_owned())));
    assert_eq!(local.record.dispositions.get(KEY), Some(&disposition));
    for key in before.items.keys() {
        assert!(local.items.contains_key(key), "{key} was lost");
    }
    strangers_stay(text, &file.text());
}

/// Members that this program does not know stay in the file.
fn strangers_stay(before: &str, after: &str) {
    let (Ok(Value::Object(before)), Ok(Value::Object(after))) =
        (serde_json::from_str(before), serde_json::from_str(after))
    else {
        return;
    };
    for name in before.keys() {
        assert!(after.contains_key(name), "{name} was lost");
    }
}
