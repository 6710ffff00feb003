//! Every document of these commands fits the schema that the product publishes for it.

use super::*;
use crate::github::{Match, finding};

#[test]
fn every_document_fits_its_schema() {
    let (mut world, ..) = failed();
    let head = world.pull(43).head();
    let thread = world.pull(43).thread(
        connector(),
        &head,
        "src/lib.rs",
        3,
        &finding("P1", "Keep the lock"),
        ago("2h"),
    );
    let github = Github::start(world);
    let product = Product::new(&github);
    let fits = |run: Run| product.assert_fits_schema(&run.json());
    fits(run(&product, "preflight", &[]).expect(14));
    fits(run(&product, "preflight", &["--for", "retry"]).expect(0));
    fits(
        run(
            &product,
            "authorize",
            &["--scope", "retry", "--reference", "ticket 1"],
        )
        .expect(0),
    );
    fits(run(&product, "request", &[]).expect(14));
    fits(run(&product, "retry", &["--dry-run"]).expect(0));
    github
        .on(Match::post("*/issues/42/comments").nth(1))
        .bad_gateway();
    fits(run(&product, "retry", &[]).expect(15));
    fits(run(&product, "retry", &[]).expect(15));
    fits(run(&product, "retry", &["--reconcile"]).expect(15));
    age(&product, "6m");
    fits(run(&product, "retry", &["--reconcile"]).expect(1));
    fits(authorized(&product, "retry", &[]).expect(0));
    fits(run(&product, "retry", &["--show"]).expect(0));
    let node = thread.node();
    let other = |more: &[&str]| {
        let mut arguments = vec!["resolve", "43", &node, "PRRT_kwDO9", "--json", "--color", "never"];
        arguments.extend(more);
        product.run(&arguments)
    };
    fits(other(&["--rebutted", "The caller checks.", "--dry-run"]).expect(14));
    fits(other(&["--rebutted", "The caller checks.", "--authorization", "x"]).expect(14));
    // Text for people says the same things.
    let text = product.run(&["retry", "42", "--show"]).expect(0).stdout;
    assert!(
        text.starts_with("created\n") && text.contains("retries 1, created, successor "),
        "{text}"
    );
    let text = product.run(&["preflight", "42"]).expect(14).stdout;
    assert!(
        text.starts_with("no request may be posted\n  unresolved-trigger: "),
        "{text}"
    );
    let text = product.run(&["authorize", "42", "--list"]).expect(0).stdout;
    assert!(text.starts_with("active\tretry\ttopic-42\tuntil "), "{text}");
}
