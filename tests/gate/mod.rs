//! The merge gate and the headline, on the real binary over the real gh.

mod approving;
mod blocking;
mod checks;
mod choices;
mod headline;
mod reading;

use serde_json::Value;

use crate::github::{Github, PullHandle, World};
use crate::product::Product;

/// A pull request as the builder opens it at 09:00, its check started at 09:01, with whatever happened on it since.
struct Case {
    github: Github,
    product: Product,
}

impl Case {
    fn new(happened: impl FnOnce(&mut PullHandle<'_>)) -> Self {
        let mut world = World::new();
        happened(&mut world.pull(42));
        let github = Github::start(world);
        Self {
            product: Product::new(&github),
            github,
        }
    }

    /// Something more happens.
    fn then<T>(&self, happens: impl FnOnce(&mut PullHandle<'_>) -> T) -> T {
        self.github.change(|world| happens(&mut world.pull(42)))
    }

    /// The gate's document, and the exit code it came with.
    #[track_caller]
    fn gate(&self, arguments: &[&str]) -> (i32, Value) {
        self.document("gate", arguments)
    }

    /// The headline's document.
    #[track_caller]
    fn status(&self, arguments: &[&str]) -> Value {
        self.document("status", arguments).1
    }

    #[track_caller]
    fn document(&self, verb: &str, arguments: &[&str]) -> (i32, Value) {
        let run = self.product.run(&[&[verb, "42", "--json"], arguments].concat());
        let json = run.json();
        (run.code.unwrap_or(-1), json)
    }

    /// Exit code, gate and what it waits for or what blocks it, in short.
    #[track_caller]
    fn says(&self, arguments: &[&str]) -> String {
        let (code, document) = self.gate(arguments);
        let gate = word(&document["gate"]);
        let more = match gate.as_str() {
            "waiting" => word(&document["waitingReason"]),
            "blocking" => codes(&document).join(" "),
            "approved" => word(&document["approval"]["surface"]),
            _ => String::new(),
        };
        format!("{code} {gate} {more}").trim_end().to_owned()
    }

    /// State, what it rests on, first reason and next action of the headline.
    #[track_caller]
    fn headline(&self) -> String {
        let document = self.status(&[]);
        let verdict = &document["verdict"];
        let by = verdict["by"].as_array().into_iter().flatten().map(word);
        format!(
            "{} by {}: {}, then {}",
            word(&verdict["state"]),
            by.collect::<Vec<_>>().join("+"),
            word(&verdict["reasons"][0]["code"]),
            word(&document["next"]["action"])
        )
    }
}

#[track_caller]
fn word(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("no word: {value}"))
        .to_owned()
}

/// The codes of the blockers, in order.
#[track_caller]
fn codes(document: &Value) -> Vec<String> {
    let blockers = document["blockers"].as_array().expect("a list of blockers");
    blockers.iter().map(|blocker| word(&blocker["code"])).collect()
}

/// A summary comment of the connector with one code row.
fn summary(status: &str, commit: &str, at: &str) -> String {
    let short: String = commit.chars().take(7).collect();
    format!(
        "<!-- codex-pull-request-review-summary -->\n## Codex Review Summary\n\n\
         | Review | Status | Commit | Review trigger |\n| --- | --- | --- | --- |\n\
         | 📝 **Code Review** | {status} <relative-time datetime=\"{at}\">{at}</relative-time> | `{short}` | PR opened |\n"
    )
}
