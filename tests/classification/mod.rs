//! Classification over the real gh: the state, the first reason, the exit code and the next action of each situation.

mod answers;
mod documents;
mod failures;
mod heads;
mod malformed;

use crate::github::{Github, World};
use crate::product::{Product, Run};

/// Classifies pull request 42 of a world.
#[track_caller]
fn classify(world: World) -> Run {
    classify_with(world, &[])
}

/// The same with more arguments.
#[track_caller]
fn classify_with(world: World, more: &[&str]) -> Run {
    let github = Github::start(world);
    let product = Product::new(&github);
    let mut arguments = vec!["classify", "42", "--json"];
    arguments.extend(more);
    product.run(&arguments)
}

/// Asserts state, first reason and exit code, as a script sees them.
#[track_caller]
fn expect(run: &Run, state: &str, reason: &str, code: i32) {
    let document = run.json();
    assert_eq!(
        (
            document["state"].as_str(),
            document["reasons"][0]["code"].as_str(),
            run.code
        ),
        (Some(state), Some(reason), Some(code)),
        "{run}"
    );
}

/// Asserts that a run is indeterminate for this reason.
#[track_caller]
fn indeterminate(run: &Run, reason: &str) {
    expect(run, "indeterminate", reason, 13);
}
