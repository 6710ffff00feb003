//! A quiet pull request, and walls of the product on it.

use std::time::Duration;

use super::github::{Github, World, at, clean_text, connector};
use super::product::{Product, Run};

/// One trigger that the connector answered with a thumb and a clean text.
pub fn quiet() -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "+1", at("10:04"));
    pull.react_body(connector(), "+1", at("10:04"));
    pull.connector_comment(&clean_text(&head), at("10:05"));
    world
}

/// The quickest of several runs of the product, with the requests of one run.
pub fn quickest(github: &Github, product: &Product, arguments: &[&str], runs: usize) -> Run {
    let mut best: Option<Run> = None;
    for _ in 0..runs {
        github.forget();
        let run = product.command(arguments).within(Duration::from_secs(120)).run();
        if best.as_ref().is_none_or(|best| run.elapsed < best.elapsed) {
            best = Some(run);
        }
    }
    best.unwrap_or_else(|| panic!("no run was asked for"))
}
