//! The evaluator's documents: the first byte chooses which, the rest is the document.

use codex_loop::bounded::{
    self, Action, Json, accept_policy, evaluate_initial, evaluate_prompt, evaluate_recurring, read_checkpoint,
};

/// Evaluates the document, as it is and in canonical form.
pub fn check(data: &[u8]) {
    let Some((which, document)) = data.split_first() else {
        return;
    };
    canonical(document);
    match which % 5 {
        0 => same(document, |bytes| {
            evaluate_initial(bytes).map(|decision| decision.to_json())
        }),
        1 => same(document, |bytes| {
            evaluate_prompt(bytes).map(|decision| decision.to_json())
        }),
        2 => {
            same(document, |bytes| {
                evaluate_recurring(bytes).map(|decision| decision.to_json())
            });
            if let Ok(decision) = evaluate_recurring(document) {
                assert!(!decision.reasons.is_empty());
                assert!(!decision.merge_ready || decision.action == Action::FinishFinalization);
                let claimed = decision.claim_request_key.is_some();
                assert_eq!(claimed, decision.claim_plan_hash.is_some());
                assert_eq!(claimed, decision.claim_purpose.is_some());
            }
        }
        3 => same(document, |bytes| accept_policy(bytes).map(|()| Json::Null)),
        _ => {
            let _ = read_checkpoint(document);
        }
    }
}

/// The canonical form is its own canonical form, and the digest is of it.
fn canonical(document: &[u8]) {
    let Ok(text) = bounded::canonical(document) else {
        assert!(bounded::hash(document).is_err());
        return;
    };
    assert_eq!(bounded::canonical(text.as_bytes()).as_ref(), Ok(&text));
    assert_eq!(bounded::hash(document), Ok(bounded::sha256_hex(text.as_bytes())));
    assert_eq!(Json::parse(text.as_bytes()), Json::parse(document));
}

/// A document and its canonical form are decided alike, and a decision is strict JSON itself.
fn same(document: &[u8], evaluate: impl Fn(&[u8]) -> Result<Json, bounded::EvaluatorError>) {
    let decided = evaluate(document);
    assert_eq!(evaluate(document), decided);
    if let Ok(text) = bounded::canonical(document) {
        assert_eq!(evaluate(text.as_bytes()).is_ok(), decided.is_ok());
    }
    if let Ok(decision) = decided {
        let text = decision.canonical();
        assert_eq!(Json::parse(text.as_bytes()), Ok(decision));
    }
}
