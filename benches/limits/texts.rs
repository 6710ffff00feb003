//! Texts made to be slow: a megabyte of any of them is read in linear time on every surface.

use std::time::Duration;

use codex_loop::redact::redact;
use serde_json::Value;

use super::bundle;
use super::evaluation::{decide, explain_all, least, parse};
use super::figure::{Report, milliseconds, ratio};

/// Four times the text takes at most this many times as long.
const FOURFOLD: f64 = 7.0;
/// Below this, a ratio says more about the clock than about the text.
const NOTICEABLE: Duration = Duration::from_millis(2);

/// What a text is repeated from.
const UNITS: [&str; 52] = [
    "<",
    ">",
    "*",
    "**a",
    "_",
    "`",
    "` ``",
    "```\n",
    "~~~\n",
    "[",
    "]",
    "![",
    "](",
    "[a](",
    "![P1 Badge](",
    "<!--",
    "x <!-- ",
    "<!-- -->",
    "-->",
    "<details",
    "<details>",
    "</details>",
    "<details><summary>",
    "<a ",
    "<sub>",
    "> ",
    ">\n",
    "> > ",
    "- ",
    "- > ",
    "1. ",
    "#",
    "# a\n",
    "|",
    "| a ",
    "|---",
    "\\",
    "\r",
    "\r\n",
    "\n",
    " ",
    "\t\n",
    "&amp;",
    "\u{301}",
    "é\u{301}",
    "\u{202e}",
    "👍🏽",
    "@codex ",
    "@codex review\n",
    "No issues found. ",
    "Reviewed commit: abcdef0\n",
    "Something went wrong. ",
];

/// Whole texts that no repetition gives.
fn composed(length: usize) -> Vec<(String, String)> {
    let ticks = (1..).map(|count| "`".repeat(count));
    let mut runs = String::new();
    for run in ticks {
        if runs.len() > length {
            break;
        }
        runs.push_str(&run);
        runs.push(' ');
    }
    let half = length / 2;
    let nested = |open: &str, close: &str| {
        let times = length / (open.len() + close.len());
        format!("{}x{}", open.repeat(times), close.repeat(times))
    };
    let quotes: String = (0..)
        .map(|depth: usize| format!("{}x\n", "> ".repeat(depth % 200)))
        .take(length / 200)
        .collect();
    vec![
        ("runs of ticks of every length".into(), runs),
        ("details in details".into(), nested("<details>", "</details>")),
        ("brackets in brackets".into(), nested("[", "]")),
        ("stars around stars".into(), nested("**", "**")),
        (
            "comments opened, one closed".into(),
            format!("{}-->", "x <!-- ".repeat(length / 7)),
        ),
        ("quotes of changing depth".into(), quotes),
        ("one word".into(), "a".repeat(length)),
        (
            "one address".into(),
            format!("https://github.com/{}", "a/".repeat(half)),
        ),
        (
            "hexadecimal digits".into(),
            "0123456789abcdef".repeat(length / 16),
        ),
        (
            "finding after finding".into(),
            format!("{}\n\n", crate::github::finding("P1", "Keep the lock")).repeat(length / 200),
        ),
        (
            "summary rows".into(),
            "| [P1] Keep the lock | `src/lib.rs:3` | abcdef0 |\n".repeat(length / 50),
        ),
        (
            "permanent links".into(),
            "https://github.com/o/r/blob/0123456789abcdef0123456789abcdef01234567/a#L1-L2\n\n"
                .repeat(length / 80),
        ),
    ]
}

/// Every text at a quarter, a half and a whole megabyte, as every body of a reviewed pull request.
pub fn measure(report: &mut Report) {
    let of_length = |length: usize| {
        let mut all: Vec<(String, String)> = UNITS
            .iter()
            .map(|unit| (format!("{unit:?} repeated"), unit.repeat(length / unit.len())))
            .collect();
        all.extend(composed(length));
        all
    };
    let [quarters, halves, wholes] = [250_000, 500_000, 1_000_000].map(of_length);
    let mut worst: [Option<(f64, String)>; 3] = Default::default();
    let mut slowest = (Duration::ZERO, String::new());
    for ((quarter, half), whole) in quarters.iter().zip(&halves).zip(&wholes) {
        let work: [fn(&codex_loop::evidence::Evidence); 3] = [decide, explain_all, |evidence| {
            // A text that cannot be redacted is refused, which takes as long.
            drop(redact(evidence.clone(), &[]));
        }];
        for (worst, work) in worst.iter_mut().zip(work) {
            let time = |text: &str| {
                let evidence = parse(&everywhere(text));
                least(2, || work(&evidence))
            };
            let times = [&quarter.1, &half.1, &whole.1].map(|text| time(text));
            let [first, middle, last] = times.map(|time| time.max(NOTICEABLE).as_secs_f64());
            let growth = (last / first).max((last / middle) * (last / middle));
            if worst.as_ref().is_none_or(|(known, _)| growth > *known) {
                let shown = times.map(|time| milliseconds(time).1).join(", ");
                *worst = Some((growth, format!("{}: {shown}", whole.0)));
            }
            if times[2] > slowest.0 {
                slowest = (times[2], whole.0.clone());
            }
        }
    }
    let count = wholes.len();
    for (name, worst) in ["evaluate", "findings and explain", "redact"]
        .into_iter()
        .zip(worst)
    {
        let (growth, text) = worst.unwrap_or_default();
        report.at_most(
            &format!("{name}: {count} texts of 1 MB against 250 kB, the worst"),
            ratio(growth),
            ratio(FOURFOLD),
        );
        report.say(&text);
    }
    report.note(
        &format!("the slowest of all: {}", slowest.1),
        &milliseconds(slowest.0).1,
    );
}

/// The bundle with findings, one body of each surface being this text.
fn everywhere(text: &str) -> Vec<u8> {
    let mut bundle = bundle::value(bundle::FINDINGS);
    let surfaces = &mut bundle["surfaces"];
    surfaces["issueComments"]["items"][0]["body"] = text.into();
    surfaces["issueComments"]["items"][0]["user"] = json_connector();
    surfaces["reviews"]["items"][0]["body"] = text.into();
    surfaces["threads"]["items"][0]["comments"][0]["body"] = text.into();
    bundle.to_string().into_bytes()
}

fn json_connector() -> Value {
    serde_json::json!({ "id": 199_175_422, "login": "chatgpt-codex-connector[bot]", "type": "Bot" })
}
