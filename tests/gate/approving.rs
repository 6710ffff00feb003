//! What approves, on every surface, and what makes it stale.

use crate::github::{at, connector};
use crate::product::Product;

use super::{gate, github, status};

#[test]
fn a_thumbs_up_on_the_body_approves_and_the_four_lines_say_so() {
    let github = github(|pull| {
        pull.react_body(connector(), "+1", at("09:06"));
    });
    let head = github.change(|world| world.pull(42).head());
    let product = Product::new(&github);
    let run = product.run(&["gate", "42"]).expect(0);
    assert_eq!(
        run.stdout,
        format!(
            "Codex gate: approved\nHead: {head}\nTests: passing\n\
             Evidence: https://github.com/octo/widgets/pull/42\n\
             gh pr merge 42 --match-head-commit {head}\n"
        )
    );
    let (_, document) = gate(&github, &[]);
    assert_eq!(document["approval"]["surface"], "body");
    assert_eq!(document["notBefore"], "2026-09-16T09:01:00Z");
    let (_, document) = status(&github, &[]);
    assert_eq!(document["verdict"]["state"], "clean", "{document:#}");
    assert_eq!(document["verdict"]["by"], serde_json::json!(["gate"]));
    assert_eq!(document["run"]["state"], "indeterminate");
    assert_eq!(document["run"]["reasons"][0]["code"], "no-trigger");
    assert_eq!(document["next"]["action"], "none");
}
