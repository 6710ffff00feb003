//! The journal: the version gate, the round trip, and what an unreadable one never says.

use codex_loop::journal::{Journal, Readable, Unreadable, VERSION};

/// Reads the bytes as a journal.
pub fn check(data: &[u8]) {
    let journal = match Journal::read(data) {
        Ok(Readable::Current(journal)) => journal,
        Ok(Readable::Newer(version, journal)) => {
            assert!(version > VERSION);
            let _ = journal.local();
            return;
        }
        Err(Unreadable::Newer(version)) => {
            assert!(version > VERSION);
            return;
        }
        Err(Unreadable::Damaged(reason)) => {
            assert!(!reason.is_empty());
            return;
        }
    };
    let text = serde_json::to_vec(&journal).expect("a journal is JSON");
    assert_eq!(Journal::read(&text), Ok(Readable::Current(journal.clone())));
    let local = journal.local();
    // Nothing that is open is ever lost on the way to the decision.
    let open = local
        .attempts
        .iter()
        .filter(|attempt| attempt.state.is_open())
        .count();
    assert_eq!(open > 0, journal.open_attempt().is_some());
    assert_eq!(local.attempts.len(), journal.attempts.len());
    assert_eq!(local.doubt.is_some(), journal.open_damage().is_some());
    // Recording what is recorded changes nothing.
    let mut same = journal.clone();
    if let Some(attempt) = journal.open_attempt() {
        same.put_attempt(attempt.clone());
        assert_eq!(same.open_attempt().map(|one| &one.id), Some(&attempt.id));
    }
}
