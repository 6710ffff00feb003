//! Collection over a loopback GitHub that takes its time: waiting overlaps as far as one answer does not need another.

use std::time::{Duration, Instant};

use super::figure::{Report, milliseconds, ratio, times};
use super::github::{Github, Request};
use super::product::Product;
use super::scene::{quickest, quiet};

const LATENCY: Duration = Duration::from_millis(200);
const RUNS: usize = 3;

/// A command and its longest chain of dependent round trips: the pull request first and last, between them what is
/// keyed by it, then what that names; for two readings, the last of the first is the first of the second, which reads at
/// once what the first one named.
const COMMANDS: [(&str, u32, usize); 4] = [
    ("classify", 4, 8),
    ("status", 4, 12),
    ("gate", 6, 22),
    ("snapshot", 6, 22),
];

pub fn measure(report: &mut Report) {
    let github = Github::start(quiet());
    let product = Product::new(&github);
    let start = quickest(&github, &product, &["--version"], 1).elapsed;
    let one = (0..7)
        .map(|_| product.gh(&["api", "user"]).run().elapsed)
        .min()
        .unwrap_or_default();
    report.note("one gh start with an answer at once", &milliseconds(one).1);
    report.note("the product's own start", &milliseconds(start).1);
    github.latency(LATENCY);
    for (command, chain, calls) in COMMANDS {
        let run = quickest(&github, &product, &[command, "42", "-R", "octo/widgets"], RUNS);
        let log = github.log();
        let limit = (LATENCY + one) * chain * 3 / 2;
        report.at_most(
            &format!("{command} at 200 ms, a chain of {chain}"),
            milliseconds(run.elapsed),
            milliseconds(limit),
        );
        let made = log.gh_calls();
        report.at_most(
            &format!("{command}: gh calls"),
            (made as f64, made.to_string()),
            (calls as f64, calls.to_string()),
        );
        if command == "snapshot" {
            let one_by_one = sequential(&product, &log.requests);
            report.note(
                "snapshot's requests one after another",
                &milliseconds(one_by_one).1,
            );
            report.at_least(
                "snapshot against its requests one after another",
                one_by_one.as_secs_f64() / run.elapsed.as_secs_f64(),
                3.0,
            );
        }
        let (value, _) = ratio(run.elapsed.as_secs_f64() / (LATENCY + one).as_secs_f64());
        report.note(&format!("{command}: round trips that it took"), &times(value));
    }
}

/// Makes the same requests again, each by its own gh when the one before has ended.
fn sequential(product: &Product, requests: &[Request]) -> Duration {
    let started = Instant::now();
    for request in requests {
        let run = if request.is_graphql() {
            product
                .gh(&["api", "graphql", "--input", "-"])
                .stdin(request.body.to_string())
                .run()
        } else {
            let query: Vec<String> = request
                .query
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let path = format!("{}?{}", request.path.trim_start_matches('/'), query.join("&"));
            product.gh(&["api", &path]).run()
        };
        assert_eq!(run.code, Some(0), "{run}");
    }
    started.elapsed()
}
