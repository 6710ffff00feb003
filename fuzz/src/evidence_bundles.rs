//! An evidence bundle: reading it, writing it back, and everything that is concluded from it.

use codex_loop::evidence::Evidence;
use codex_loop::redact::redact;

use super::conclusions;

/// Reads the bytes as a bundle.
pub fn check(data: &[u8]) {
    let Ok(evidence) = Evidence::from_json(data) else {
        return;
    };
    let text = serde_json::to_vec(&evidence).expect("evidence is JSON");
    let again = Evidence::from_json(&text).expect("what was written is read");
    assert_eq!(again, evidence);
    assert_eq!(serde_json::to_vec(&again).expect("evidence is JSON"), text);
    let concluded = conclusions::draw(&evidence);
    assert_eq!(conclusions::draw(&again), concluded);
    if let Ok(redacted) = redact(evidence, &[]) {
        let text = serde_json::to_vec(&redacted).expect("evidence is JSON");
        assert_eq!(Evidence::from_json(&text).as_ref(), Ok(&redacted));
        assert_eq!(conclusions::draw(&redacted), concluded);
    }
}
