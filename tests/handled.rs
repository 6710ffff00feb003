//! `handled` over the real gh: what may be recorded, where it stands, and what is kept of an older file.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::github::{Github, Match, ReviewId, ThreadId, World, ada, announcement, at, connector, finding};
use crate::product::{Product, Run};

/// A pull request with one inline finding on its head.
struct Case {
    github: Github,
    product: Product,
    head: String,
    thread: ThreadId,
    key: String,
}

impl Case {
    fn new() -> Self {
        let mut world = World::new();
        let mut pull = world.pull(42);
        let head = pull.head();
        let text = finding("P1", "Keep the lock");
        let thread = pull.thread(connector(), &head, "src/lib.rs", 3, &text, at("10:00"));
        let key = format!("review-comment:{}", pull.root_comment(thread));
        let github = Github::start(world);
        let product = Product::new(&github);
        Self {
            github,
            product,
            head,
            thread,
            key,
        }
    }

    fn file(&self) -> PathBuf {
        self.product
            .path("work")
            .join(".git/codex-review-loop-42.handled.json")
    }

    fn recorded(&self) -> Value {
        let text = fs::read_to_string(self.file()).expect("a handled file");
        serde_json::from_str(&text).expect("JSON")
    }

    fn handled(&self, arguments: &[&str]) -> Run {
        let mut all = vec!["handled", "42"];
        all.extend(arguments);
        self.product.run(&all)
    }

    /// Another finding on the head.
    fn another(&self, time: &str) -> String {
        let head = self.head.clone();
        self.github.change(|world| {
            let mut pull = world.pull(42);
            let thread = pull.thread(
                connector(),
                &head,
                "src/a.rs",
                5,
                &finding("P2", "Free it"),
                at(time),
            );
            format!("review-comment:{}", pull.root_comment(thread))
        })
    }

    fn fixed<'a>(&'a self, key: &'a str, family: &'a str) -> Vec<&'a str> {
        vec![
            "add",
            key,
            "--outcome",
            "fixed",
            "--family",
            family,
            "--commit",
            &self.head,
            "--evidence",
            "a test",
        ]
    }

    /// Keys of the open comments of a snapshot.
    fn open(&self) -> Vec<String> {
        let snapshot = self.product.run(&["snapshot", "42"]).expect(0).json();
        let open = snapshot["open_comments"].as_array().expect("a list");
        open.iter()
            .filter_map(|item| item["itemKey"].as_str().map(str::to_owned))
            .collect()
    }
}

/// Refused with 14 for exactly these reasons.
#[track_caller]
fn refused(run: Run, codes: &[&str]) {
    let run = run.expect(14);
    assert_eq!(run.stdout, "", "{run}");
    for code in [
        "unknown-item",
        "no-family",
        "no-commit",
        "commit-not-on-branch",
        "no-evidence",
        "no-reply",
        "no-premise",
        "no-covers",
        "user-decision-open",
        "already-handled",
    ] {
        let told = run.stderr.contains(&format!("{code}:"));
        assert_eq!(told, codes.contains(&code), "{code}: {run}");
    }
}

#[test]
fn a_fix_is_recorded_with_everything_it_shows() {
    let case = Case::new();
    let mut arguments = case.fixed(&case.key, "race");
    arguments.push("--json");
    let document = case.handled(&arguments).expect(0).json();
    assert_eq!(document["schema"], "codex-loop.handled/1");
    case.product.assert_fits_schema(&document);
    assert_eq!(document["changed"], "add");
    assert_eq!(document["items"][0]["state"], "handled");
    assert_eq!(document["file"], case.file().display().to_string());
    let recorded = case.recorded();
    assert_eq!(recorded["handledItemKeys"], json!([case.key]));
    assert_eq!(
        recorded["families"],
        json!({ "race": { "count": 1, "outcome": "fixed" } })
    );
    assert_eq!(recorded["dispositions"][&case.key]["commit"], case.head);
    let digest = recorded["itemDigests"][&case.key].as_str().expect("a digest");
    assert_eq!(digest, sha256(&finding("P1", "Keep the lock")));
    let review = case
        .github
        .change(|world| world.pull(42).thread_mut(case.thread).comments[0].review);
    assert_eq!(recorded["actionableFindingRounds"], json!([review]));
    assert_eq!(case.open(), Vec::<String>::new());
}

fn sha256(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn an_incomplete_disposition_is_refused_and_nothing_is_recorded() {
    let case = Case::new();
    let key = case.key.as_str();
    let other = "0123456789abcdef0123456789abcdef01234567";
    for (arguments, codes) in [
        (
            vec!["add", key, "--outcome", "fixed"],
            vec!["no-family", "no-commit", "no-evidence"],
        ),
        (
            vec![
                "add",
                key,
                "--outcome",
                "fixed",
                "--family",
                "race",
                "--commit",
                &case.head,
            ],
            vec!["no-evidence"],
        ),
        (
            vec![
                "add",
                key,
                "--outcome",
                "fixed",
                "--family",
                "race",
                "--evidence",
                "x",
            ],
            vec!["no-commit"],
        ),
        (
            vec![
                "add",
                key,
                "--outcome",
                "fixed",
                "--family",
                "race",
                "--commit",
                other,
                "--evidence",
                "x",
            ],
            vec!["commit-not-on-branch"],
        ),
        (
            vec![
                "add",
                key,
                "--outcome",
                "fixed",
                "--commit",
                &case.head,
                "--evidence",
                " ",
            ],
            vec!["no-family", "no-evidence"],
        ),
        (
            vec!["add", key, "--outcome", "rebutted"],
            vec!["no-evidence", "no-reply"],
        ),
        (
            vec!["add", key, "--outcome", "rebutted", "--evidence", "x"],
            vec!["no-reply"],
        ),
        (
            vec!["add", key, "--outcome", "user-decision", "--evidence", "x"],
            vec!["user-decision-open"],
        ),
        (
            vec![
                "add",
                "review-comment:1",
                "--outcome",
                "rebutted",
                "--evidence",
                "x",
            ],
            vec!["unknown-item"],
        ),
        (
            vec!["plan", "review-body:1", "--outcome", "rebutted"],
            vec!["unknown-item"],
        ),
        (vec!["plan", key, "--outcome", "fixed"], vec!["no-family"]),
    ] {
        refused(case.handled(&arguments), &codes);
        assert!(!case.file().exists(), "{arguments:?}");
    }
}

#[test]
fn a_rebuttal_needs_a_reply_on_github() {
    let case = Case::new();
    let arguments = [
        "add",
        &case.key,
        "--outcome",
        "rebutted",
        "--evidence",
        "the caller holds the lock",
    ];
    refused(case.handled(&arguments), &["no-reply"]);
    case.github.change(|world| {
        world
            .pull(42)
            .reply(case.thread, ada(), "The caller holds the lock.", at("10:10"));
    });
    let _ = case.handled(&arguments).expect(0);
    let recorded = case.recorded();
    assert_eq!(recorded["dispositions"][&case.key]["outcome"], "rebutted");
    assert!(
        recorded["dispositions"][&case.key]["reply"]
            .as_str()
            .is_some_and(|url| url.contains("#discussion_r"))
    );
    assert_eq!(
        recorded.get("actionableFindingRounds"),
        None,
        "a rebuttal is no actionable round"
    );
    assert_eq!(recorded.get("families"), None);
}

#[test]
fn from_the_second_occurrence_a_fix_shows_premise_and_coverage() {
    let case = Case::new();
    let second = case.another("10:01");
    let _ = case.handled(&case.fixed(&case.key, "race")).expect(0);
    refused(
        case.handled(&case.fixed(&second, "race")),
        &["no-premise", "no-covers"],
    );
    let mut premise = case.fixed(&second, "race");
    premise.extend(["--premise", "two writers reach it"]);
    refused(case.handled(&premise), &["no-covers"]);
    premise.extend(["--covers", "every caller takes the lock"]);
    let _ = case.handled(&premise).expect(0);
    assert_eq!(
        case.recorded()["families"]["race"],
        json!({ "count": 2, "outcome": "fixed" })
    );
    let third = case.another("10:02");
    let _ = case.handled(&case.fixed(&third, "another family")).expect(0);
}

#[test]
fn a_plan_ends_triage_and_handles_nothing() {
    let case = Case::new();
    let plan = [
        "plan",
        &case.key,
        "--outcome",
        "user-decision",
        "--family",
        "api",
        "--json",
        "items,rounds",
    ];
    let document = case.handled(&plan).expect(0).json();
    assert_eq!(document["items"][0]["state"], "planned");
    assert_eq!(document["items"][0]["outcome"], "user-decision");
    assert_eq!(document["rounds"]["actionable"], 1, "it waits for the user");
    assert_eq!(case.recorded().get("handledItemKeys"), None);
    assert_eq!(case.open(), std::slice::from_ref(&case.key));
    let document = case
        .handled(&["plan", &case.key, "--outcome", "rebutted", "--json"])
        .expect(0)
        .json();
    assert_eq!(document["rounds"]["actionable"], 0);
    let _ = case.handled(&case.fixed(&case.key, "race")).expect(0);
    assert_eq!(case.recorded()["planned"], json!([]));
    refused(case.handled(&plan[..6]), &["already-handled"]);
}

#[test]
fn both_shapes_of_an_older_file_are_read_and_kept() {
    let case = Case::new();
    let second = case.another("10:01");
    let id = case.key.rsplit(':').next().expect("an id").to_owned();
    fs::write(
        case.file(),
        format!("[{id}, \"review-body:7\", {{\"note\": \"mine\"}}]"),
    )
    .expect("written");
    assert_eq!(case.open(), std::slice::from_ref(&second));
    let _ = case.handled(&case.fixed(&second, "race")).expect(0);
    assert_eq!(
        case.recorded()["handledItemKeys"],
        json!([case.key, "review-body:7", { "note": "mine" }, second])
    );

    let object = format!(
        "{{\n  \"zeta\": [1.50, 1e3],\n  \"handledItemKeys\": [\"review-body:7\"],\n  \"ids\": [{id}],\n  \"families\": \
         {{\"old\": {{\"count\":  4, \"note\": \"a  b\"}}}}\n}}\n"
    );
    fs::write(case.file(), &object).expect("written");
    assert_eq!(case.open(), std::slice::from_ref(&second));
    let _ = case
        .handled(&["plan", &second, "--outcome", "rebutted"])
        .expect(0);
    let after = fs::read_to_string(case.file()).expect("read");
    let kept = object.trim_end().trim_end_matches('}').trim_end();
    assert!(after.starts_with(kept), "not kept byte for byte:\n{after}");
}

#[test]
fn a_file_that_is_none_is_left_alone() {
    let case = Case::new();
    for text in ["{\"handledItemKeys\": 7}", "not JSON", "3"] {
        fs::write(case.file(), text).expect("written");
        for arguments in [&["plan", &case.key, "--outcome", "rebutted"][..], &[]] {
            let run = case.handled(arguments).expect(1);
            assert!(run.stderr.contains("codex-review-loop-42.handled.json"), "{run}");
        }
        let _ = case.product.run(&["converge", "42"]).expect(1);
        assert_eq!(fs::read_to_string(case.file()).expect("read"), text);
    }
    let run = case.product.run(&["classify", "42"]);
    assert!(run.stderr.contains("Nothing counts as handled"), "{run}");
}

#[test]
fn a_handled_item_whose_text_changed_is_open_again_and_says_so() {
    let case = Case::new();
    let _ = case.handled(&case.fixed(&case.key, "race")).expect(0);
    assert_eq!(case.open(), Vec::<String>::new());
    case.github.change(|world| {
        world.pull(42).thread_mut(case.thread).comments[0]
            .body
            .push_str("\n\nAnd more.");
    });
    let snapshot = case.product.run(&["snapshot", "42"]).expect(0).json();
    assert_eq!(snapshot["open_comments"][0]["itemKey"], case.key);
    assert_eq!(snapshot["warnings"][0]["code"], "handled-body-changed");
    assert_eq!(snapshot["warnings"][0]["evidence"], json!([case.key]));
    let listed = case.handled(&["--json"]).expect(0).json();
    assert_eq!(listed["items"][0]["state"], "reopened");
    let tick = case.product.run(&["converge", "42", "--json"]).expect(10).json();
    assert_eq!(
        (&tick["action"], &tick["openItems"][0]["reopened"]),
        (&json!("triage"), &json!(true))
    );
}

#[test]
fn outside_a_checkout_it_stands_beside_the_journal() {
    let case = Case::new();
    let home = case.product.path("home");
    let plan = [
        "handled",
        "42",
        "-R",
        "octo/widgets",
        "plan",
        &case.key,
        "--outcome",
        "rebutted",
    ];
    let _ = case.product.command(&plan).cwd(&home).run().expect(0);
    let name = "codex-review-loop-42.handled.json";
    let beside = case
        .product
        .path("state")
        .join("gh-codex-loop/github.com/octo/widgets")
        .join(name);
    assert!(beside.is_file(), "{}", beside.display());
    assert!(!case.file().exists());
    let other = case.product.path("tmp/mine");
    let run = case
        .product
        .command(&plan)
        .cwd(&home)
        .env("GH_CODEX_LOOP_STATE_DIR", &other)
        .run();
    let _ = run.expect(0);
    assert!(other.join("github.com/octo/widgets").join(name).is_file());
    // A checkout of another repository is none of this one.
    let elsewhere = case
        .product
        .clone_of("elsewhere", "https://github.com/octo/other.git");
    let _ = case.product.command(&plan).cwd(&elsewhere).run().expect(0);
    assert!(!elsewhere.join(".git").join(name).exists());
}

#[test]
fn a_recorded_disposition_addresses_the_finding_of_a_body() {
    let mut world = World::new();
    let mut pull = world.pull(42);
    let head = pull.head();
    let own = format!(
        "https://github.com/octo/widgets/blob/{head}/src/lib.rs#L7-L9\n{}",
        finding("P0", "Keep the lock")
    );
    let body = announcement(&head).replace("**Reviewed", &format!("{own}\n\n**Reviewed"));
    let trigger = pull.person_comment("@codex review", at("10:00"));
    pull.react(trigger, connector(), "eyes", at("10:00:09"));
    let review: ReviewId = pull.review(connector(), "COMMENTED", &body, &head, at("10:05"));
    let github = Github::start(world);
    let product = Product::new(&github);
    let key = format!("review-body:{review}");
    assert_eq!(
        product
            .run(&["findings", "42", "--jq", ".findings[].state"])
            .expect(0)
            .stdout,
        "open\n"
    );
    let rebut = [
        "handled",
        "42",
        "add",
        &key,
        "--outcome",
        "rebutted",
        "--evidence",
        "the caller holds the lock",
    ];
    refused(product.run(&rebut), &["no-reply"]);
    github.change(|world| {
        let link = format!("https://github.com/octo/widgets/pull/42#pullrequestreview-{review}");
        world
            .pull(42)
            .person_comment(&format!("{link}: the caller holds the lock."), at("10:10"));
    });
    let _ = product.run(&rebut).expect(0);
    let states = product
        .run(&["findings", "42", "--all", "--jq", ".findings[].state"])
        .expect(0);
    assert_eq!(states.stdout, "addressed\n");
    let bundle = product.run(&["collect", "42", "--json"]).expect(0).json();
    assert!(
        bundle["local"]["handled"]["items"][&key].is_string(),
        "{}",
        bundle["local"]
    );
}

#[test]
fn checkpoints_and_directions_are_recorded_with_their_answers() {
    let case = Case::new();
    let _ = case.handled(&case.fixed(&case.key, "race")).expect(0);
    let url = "https://github.com/octo/widgets/pull/42#issuecomment-9";
    let checkpoint = [
        "checkpoint",
        "--url",
        url,
        "--recurrence",
        "none",
        "--caused-by-prior-repair",
        "no",
        "--aligned",
        "yes",
        "--scope-growth",
        "no",
        "--decreasing",
        "yes",
    ];
    let _ = case.handled(&checkpoint).expect(0);
    let recorded = case.recorded()["checkpoints"][0].clone();
    assert_eq!(
        (&recorded["url"], &recorded["actionableRounds"]),
        (&json!(url), &json!(1))
    );
    assert_eq!(
        (&recorded["aligned"], &recorded["scopeGrowth"]),
        (&json!(true), &json!(false))
    );
    let _ = case.handled(&checkpoint[..11]).expect(2);
    let _ = case
        .handled(&["direction", "--text", "Go on, in this scope."])
        .expect(0);
    assert_eq!(case.recorded()["directions"][0]["checkpoints"], 1);
    let _ = case.handled(&["direction", "--text", " "]).expect(2);
    assert_eq!(
        case.github.log().writes().len(),
        0,
        "nothing is written on GitHub"
    );
}

#[test]
fn two_at_the_same_time_both_stay() {
    let case = Case::new();
    let keys: Vec<String> = (1..5)
        .map(|minute| case.another(&format!("10:0{minute}")))
        .collect();
    let running: Vec<_> = keys
        .iter()
        .map(|key| {
            let plan = ["handled", "42", "plan", key, "--outcome", "rebutted"];
            case.product.command(&plan).start()
        })
        .collect();
    for one in running {
        let _ = one.finish().expect(0);
    }
    assert_eq!(
        case.recorded()["planned"].as_array().map(Vec::len),
        Some(keys.len())
    );
}

mod reply {
    use super::{
        Github, Match, Product, ReviewId, Run, Value, World, announcement, at, connector, finding, json,
        refused,
    };

    const WORDS: &str = "The caller holds the lock, as `save` shows.";

    /// A pull request whose review holds a finding in its own body.
    struct Case {
        github: Github,
        product: Product,
        review: ReviewId,
        key: String,
    }

    impl Case {
        fn new() -> Self {
            let mut world = World::new();
            let mut pull = world.pull(42);
            let head = pull.head();
            let own = format!(
                "https://github.com/octo/widgets/blob/{head}/src/lib.rs#L7-L9\n{}",
                finding("P0", "Keep the lock")
            );
            let body = announcement(&head).replace("**Reviewed", &format!("{own}\n\n**Reviewed"));
            let review = pull.review(connector(), "COMMENTED", &body, &head, at("10:05"));
            let github = Github::start(world);
            let product = Product::new(&github);
            let key = format!("review-body:{review}");
            Self {
                github,
                product,
                review,
                key,
            }
        }

        fn reply(&self, words: &str, options: &[&str]) -> Run {
            let mut arguments = vec![
                "handled",
                "42",
                "reply",
                &self.key,
                "--outcome",
                "rebutted",
                "--body-file",
                "-",
            ];
            arguments.extend(options);
            self.product.command(&arguments).stdin(words).run()
        }

        fn posted(&self, code: i32) -> Value {
            let run = self.reply(WORDS, &["--authorization", "ada, ticket 7", "--json"]);
            let document = run.expect(code).json();
            self.product.assert_fits_schema(&document);
            document["reply"].clone()
        }

        fn comments(&self) -> Vec<String> {
            self.github.change(|world| {
                let mut pull = world.pull(42);
                pull.pull()
                    .comments
                    .iter()
                    .map(|comment| comment.body.clone())
                    .collect()
            })
        }
    }

    #[test]
    fn one_comment_links_the_review_and_carries_the_marker() {
        let case = Case::new();
        let reply = case.posted(0);
        assert_eq!(
            (&reply["state"], &reply["outcome"]),
            (&json!("posted"), &json!("rebutted"))
        );
        let comments = case.comments();
        assert_eq!(comments.len(), 1);
        assert_eq!(reply["body"], comments[0]);
        let marker = format!("<!-- codex-loop: handled {} outcome=rebutted id=", case.key);
        assert!(
            comments[0].starts_with(&marker) && comments[0].ends_with(WORDS),
            "{}",
            comments[0]
        );
        assert!(
            comments[0].contains(&format!("/pull/42#pullrequestreview-{}", case.review)),
            "{}",
            comments[0]
        );
        let again = case.posted(0);
        assert_eq!(
            (&again["state"], &again["commentId"]),
            (&json!("already-posted"), &reply["commentId"])
        );
        assert_eq!(case.github.log().writes().len(), 1);
        // The finding is answered for everybody; only `add` makes it a handled key here.
        let states = case
            .product
            .run(&["findings", "42", "--all", "--jq", ".findings[].state"])
            .expect(0);
        assert_eq!(states.stdout, "addressed\n");
        let open = ["snapshot", "42", "--jq", ".counts.open_review_items"];
        assert_eq!(case.product.run(&open).expect(0).stdout, "1\n");
        let add = [
            "handled",
            "42",
            "add",
            &case.key,
            "--outcome",
            "rebutted",
            "--evidence",
            "save holds it",
        ];
        let _ = case.product.run(&add).expect(0);
        assert_eq!(case.product.run(&open).expect(0).stdout, "0\n");
    }

    #[test]
    fn it_needs_an_authorization_and_something_to_say() {
        let case = Case::new();
        let run = case.reply(WORDS, &[]).expect(14);
        assert!(run.stderr.contains("no-authorization:"), "{run}");
        for (words, code) in [
            ("Fixed.", "bare-reply:"),
            ("", "bare-reply:"),
            ("@codex review it again", "mentions-codex:"),
        ] {
            let run = case.reply(words, &["--authorization", "ada"]).expect(14);
            assert!(run.stderr.contains(code), "{words}: {run}");
        }
        let inline = super::Case::new();
        let arguments = [
            "handled",
            "42",
            "reply",
            &inline.key,
            "--outcome",
            "rebutted",
            "--body-file",
            "-",
        ];
        let run = inline.product.command(&arguments).stdin(WORDS).run().expect(14);
        assert!(
            run.stderr.contains("inline-item:") && run.stderr.contains("resolve"),
            "{run}"
        );
        let unknown = [
            "handled",
            "42",
            "reply",
            "review-body:1",
            "--outcome",
            "fixed",
            "--body-file",
            "-",
        ];
        refused(
            case.product.command(&unknown).stdin(WORDS).run(),
            &["unknown-item"],
        );
        let shown = case.reply(WORDS, &["--dry-run", "--json"]).expect(0).json()["reply"].clone();
        assert_eq!(
            (&shown["state"], &shown["authorization"]),
            (&json!("dry-run"), &Value::Null)
        );
        assert!(
            shown["body"].as_str().is_some_and(|body| body.ends_with(WORDS)),
            "{shown}"
        );
        assert_eq!(case.comments(), Vec::<String>::new());
        let grant = [
            "authorize",
            "42",
            "--scope",
            "reply",
            "--reference",
            "ada, ticket 7",
        ];
        let _ = case.product.run(&grant).expect(0);
        let _ = case.reply(WORDS, &[]).expect(0);
        assert_eq!(case.comments().len(), 1);
    }

    #[test]
    fn whatever_happens_to_the_answer_it_is_posted_at_most_once() {
        let post = || Match::post("*/issues/42/comments");
        let case = Case::new();
        case.github.on(post()).apply_then_drop();
        assert_eq!(
            case.posted(0)["state"],
            "posted",
            "it stands, whatever the answer was"
        );
        assert_eq!(
            (case.posted(0)["state"].as_str(), case.comments().len()),
            (Some("already-posted"), 1)
        );

        let case = Case::new();
        case.github.on(post()).drop_connection();
        assert_eq!(case.posted(15)["state"], "unknown");
        case.github.heal();
        let again = case.posted(15);
        assert!(
            again["because"]
                .as_str()
                .is_some_and(|why| why.contains("may still arrive")),
            "{again}"
        );
        assert_eq!(case.comments(), Vec::<String>::new());

        let case = Case::new();
        case.github.on(post()).status(403, "Resource not accessible");
        let run = case.reply(WORDS, &["--authorization", "ada"]).expect(14);
        assert!(run.stderr.contains("github-refused:"), "{run}");
        case.github.heal();
        assert_eq!(case.posted(0)["state"], "posted");

        let case = Case::new();
        let hold = case.github.on(post()).hold_answer();
        let arguments = [
            "handled",
            "42",
            "reply",
            &case.key,
            "--outcome",
            "rebutted",
            "--body-file",
            "-",
            "--authorization",
            "ada",
        ];
        let running = case.product.command(&arguments).stdin(WORDS).start();
        hold.wait();
        running.kill();
        let _ = running.finish();
        hold.release();
        assert_eq!(case.posted(0)["state"], "already-posted", "found by its id");
        assert_eq!(case.comments().len(), 1);
    }
}
