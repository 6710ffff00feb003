//! Collection over the real gh: whole surfaces, calls, stability, bundles, and what every failure looks like.

mod basics;
mod commands;
mod errors;
mod faults;
mod stability;

use serde_json::Value;

use crate::github::{World, at, connector};

/// A reviewed pull request with nothing unusual: one trigger that the connector answered with a thumb.
fn quiet() -> World {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "+1", at("10:04"));
    world
}

/// The surface of that name in a bundle.
#[track_caller]
fn surface<'v>(bundle: &'v Value, name: &str) -> &'v Value {
    let surface = &bundle["surfaces"][name];
    assert!(surface.is_object(), "no surface {name} in {bundle}");
    surface
}

/// `complete`, or the status with the reason.
#[track_caller]
fn status(bundle: &Value, name: &str) -> String {
    let surface = surface(bundle, name);
    match surface["error"]["message"].as_str() {
        None => surface["status"].as_str().unwrap_or_default().to_owned(),
        Some(message) => format!(
            "{} {}: {message}",
            surface["status"].as_str().unwrap_or_default(),
            surface["error"]["kind"]
        ),
    }
}

fn count(bundle: &Value, name: &str) -> usize {
    surface(bundle, name)["items"].as_array().map_or(0, Vec::len)
}
