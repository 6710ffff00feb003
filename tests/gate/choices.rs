//! Override, grace and wrong uses.

use crate::github::{Github, World, ago, at, connector, finding};
use crate::product::Product;

use super::Case;

#[test]
fn an_override_needs_a_reason_and_keeps_it() {
    let case = Case::new(|pull| {
        let head = pull.head();
        pull.thread(
            connector(),
            &head,
            "src/lib.rs",
            3,
            &finding("P1", "Keep the lock"),
            at("09:10"),
        );
    });
    let head = case.then(|pull| pull.head());
    let run = case
        .product
        .run(&["gate", "42", "--override", "agreed with the team"])
        .expect(0);
    assert_eq!(
        run.stdout,
        format!(
            "Codex gate: overridden\nHead: {head}\nTests: passing\nEvidence: overridden: agreed with the team\n\
             gh pr merge 42 --match-head-commit {head}\n"
        )
    );
    let (_, document) = case.gate(&["--override", "agreed with the team"]);
    assert_eq!(document["override"], "agreed with the team");
    assert_eq!(document["blockers"][0]["code"], "finding-thread");
    for reason in ["", "  "] {
        let run = case.product.run(&["gate", "42", "--override", reason]);
        assert_eq!(run.code, Some(2), "{run}");
    }
}

#[test]
fn a_young_approval_warns_of_a_late_review() {
    let mut world = World::opened(ago("1h"));
    world.pull(42).react_body(connector(), "+1", ago("20s"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let warned = |arguments: &[&str]| {
        let run = product
            .run(&[&["gate", "42", "--json"], arguments].concat())
            .expect(0);
        let warnings = run.json()["warnings"].as_array().expect("a list").clone();
        warnings
            .iter()
            .any(|warning| warning["code"] == "late-review-possible")
    };
    assert!(warned(&[]));
    assert!(!warned(&["--grace", "5s"]));
    assert!(!warned(&["--grace", "0"]));
}
