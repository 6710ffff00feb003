//! The merge gate and the headline, on the real binary over the real gh.

mod approving;

use serde_json::Value;

use crate::github::{Github, PullHandle, World};
use crate::product::{Product, Run};

/// A pull request as the builder opens it at 09:00, its check started at 09:01, with whatever happened on it since.
pub fn github(happened: impl FnOnce(&mut PullHandle<'_>)) -> Github {
    let mut world = World::new();
    happened(&mut world.pull(42));
    Github::start(world)
}

/// `gate 42 --json` with further arguments.
pub fn gate(github: &Github, arguments: &[&str]) -> (Run, Value) {
    document(github, "gate", arguments)
}

/// `status 42 --json` with further arguments.
pub fn status(github: &Github, arguments: &[&str]) -> (Run, Value) {
    document(github, "status", arguments)
}

fn document(github: &Github, verb: &str, arguments: &[&str]) -> (Run, Value) {
    let product = Product::new(github);
    let run = product.run(&[&[verb, "42", "--json"], arguments].concat());
    product.assert_no_child_left();
    let json = run.json();
    (run, json)
}
