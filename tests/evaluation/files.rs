//! Documents from files and standard input: decisions, refusals, hashes, exit codes.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{digest, evaluate, example};
use crate::github::{Github, World};
use crate::product::Product;

/// A product for which GitHub is never asked.
fn offline(test: impl FnOnce(&Product)) {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    test(&product);
    assert_eq!(github.log().gh_calls(), 0, "the evaluator asks nobody");
    product.assert_no_child_left();
}

#[test]
fn every_example_is_decided_from_a_file_and_from_standard_input() {
    offline(|product| {
        for (name, action, automation_action) in [
            ("recurring", "wait", "none"),
            ("recurring-findings", "apply-fix", "pause-and-claim"),
            (
                "recurring-awaiting-remediation-approval",
                "await-remediation-approval",
                "pause",
            ),
            ("recurring-approved-remediation", "apply-fix", "pause-and-claim"),
            ("recurring-no-findings", "finalize", "pause-and-claim"),
            (
                "recurring-awaiting-finalization-approval",
                "await-finalization-approval",
                "pause",
            ),
            ("recurring-processing", "halt", "none"),
            (
                "recurring-post-finalization",
                "finish-finalization",
                "delete-owned",
            ),
            ("recurring-report-only", "complete-no-findings", "none"),
        ] {
            let document = example(product, name);
            let decision = evaluate(product, &[], &document).expect(0).json();
            assert_eq!(
                (&decision["action"], &decision["automation_action"]),
                (&json!(action), &json!(automation_action)),
                "{name}"
            );
            let keys: Vec<&String> = decision.as_object().expect("an object").keys().collect();
            assert_eq!(keys.len(), 11, "{keys:?}");
            let path = product.path("state.json");
            std::fs::write(&path, serde_json::to_string_pretty(&document).expect("JSON")).expect("written");
            let path = path.to_string_lossy().into_owned();
            assert_eq!(product.run(&["evaluate", &path]).expect(0).json(), decision);
            assert_eq!(
                product.run(&["evaluate", "recurring", &path]).expect(0).json(),
                decision
            );
        }
        let initial = evaluate(product, &["initial", "-"], &example(product, "initial"))
            .expect(0)
            .json();
        assert_eq!(initial["action"], "initial-valid");
        let prompt = evaluate(product, &["prompt"], &example(product, "prompt"))
            .expect(0)
            .json();
        assert_eq!(prompt["action"], "prompt-ready");
        assert_eq!(prompt["initial_plan_hash"], initial["initial_plan_hash"]);
    });
}

#[test]
fn invalid_input_gives_no_decision_and_names_the_quarantine() {
    offline(|product| {
        let mut unknown = example(product, "recurring");
        unknown["extra"] = Value::Null;
        let mut missing = example(product, "recurring");
        missing["hosted"]["gates"]
            .as_object_mut()
            .expect("gates")
            .remove("approvals");
        let whole = example(product, "recurring").to_string();
        let twice = whole.replacen("\"schema_version\"", "\"schema_version\":1,\"schema_version\"", 1);
        assert_ne!(twice, whole);
        for (what, text) in [
            ("unknown", unknown.to_string()),
            ("missing", missing.to_string()),
            ("twice", twice),
            ("empty", String::new()),
            ("another document", example(product, "policy").to_string()),
            ("not JSON", "state\u{1b}[31m".to_owned()),
            ("too large", " ".repeat(4 * 1024 * 1024 + 1)),
            ("too deep", "[".repeat(100_000)),
        ] {
            for subject in ["recurring", "initial", "prompt"] {
                let run = product
                    .command(&["evaluate", subject])
                    .stdin(text.clone())
                    .run()
                    .expect(1);
                assert_eq!(run.stdout, "", "{what}");
                let mut lines = run.stderr.lines();
                let sentence = lines.next().expect("a sentence");
                assert!(
                    sentence.starts_with("gh codex-loop: Invalid input: "),
                    "{sentence}"
                );
                let remedy = lines.next().expect("a remedy");
                assert!(
                    remedy.starts_with("pause-only-quarantine: no decision was made"),
                    "{remedy}"
                );
                assert!(remedy.contains("exactly one non-deleted automation"), "{remedy}");
                assert!(
                    remedy.ends_with("do not inspect the Automation registry."),
                    "{remedy}"
                );
                assert_eq!(lines.next(), None);
                assert!(!run.stderr.contains('\u{1b}'), "{what}");
            }
        }
        let absent = product.run(&["evaluate", "/nonexistent/state.json"]).expect(1);
        assert!(absent.stdout.is_empty() && absent.stderr.contains("pause-only-quarantine"));
        let error = product
            .command(&["evaluate", "--json"])
            .stdin("{}")
            .run()
            .expect(1)
            .error_json();
        assert_eq!(error["schema"], "codex-loop.error/1");
        assert!(
            error["hint"]
                .as_str()
                .is_some_and(|hint| hint.starts_with("pause-only-quarantine"))
        );
    });
}

#[test]
fn only_the_pinned_policy_is_accepted() {
    offline(|product| {
        let policy = product.run(&["evaluate", "policy"]).expect(0).json();
        assert_eq!(policy, example(product, "policy"));
        let path = product.path("policy.json");
        let state = example(product, "recurring");
        let with = |policy: &Value| {
            std::fs::write(&path, policy.to_string()).expect("written");
            evaluate(
                product,
                &["recurring", "--policy", &path.to_string_lossy()],
                &state,
            )
        };
        assert_eq!(with(&policy).expect(0).json()["action"], "wait");
        for (field, value) in [
            ("max_fix_rounds", json!(50)),
            ("schema_version", json!(2)),
            ("extra", json!(1)),
        ] {
            let mut other = policy.clone();
            other[field] = value;
            let refused = with(&other).expect(1);
            assert!(
                refused.stdout.is_empty() && refused.stderr.contains("pause-only-quarantine"),
                "{field}"
            );
        }
    });
}

#[test]
fn the_digest_of_any_document_is_pythons() {
    offline(|product| {
        let documents: Vec<String> = include_str!("../canonical/corpus.txt")
            .split('\n')
            .filter(|line| !line.is_empty())
            .map(|line| line.split_once('\t').expect("a tab"))
            .map(|(python, document)| {
                let hash = product
                    .command(&["evaluate", "hash"])
                    .stdin(document)
                    .run()
                    .expect(0);
                assert_eq!(hash.stdout.trim_end(), python, "{document}");
                document.to_owned()
            })
            .collect();
        assert!(documents.len() > 80);
        let script = "import sys, json, hashlib\n\
                      for line in sys.stdin.buffer.read().decode().split('\\n')[:-1]:\n\
                      \x20 value = json.loads(line)\n\
                      \x20 text = json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)\n\
                      \x20 print(hashlib.sha256(text.encode()).hexdigest())\n";
        let python = Command::new("python3")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut python) = python else {
            eprintln!("there is no python3 here: the recorded digests were compared alone");
            return;
        };
        let input = documents
            .iter()
            .map(|document| format!("{document}\n"))
            .collect::<String>();
        std::io::Write::write_all(&mut python.stdin.take().expect("stdin"), input.as_bytes())
            .expect("python reads");
        let answer = python.wait_with_output().expect("python ends");
        let live = String::from_utf8(answer.stdout).expect("text");
        let recorded: Vec<&str> = include_str!("../canonical/corpus.txt")
            .split('\n')
            .filter_map(|line| line.split_once('\t').map(|(digest, _)| digest))
            .collect();
        assert_eq!(live.lines().collect::<Vec<_>>(), recorded);
    });
}

#[test]
fn names_fields_and_filters_are_checked() {
    offline(|product| {
        let examples = product.run(&["evaluate", "example"]).expect(0).stdout;
        assert!(examples.lines().count() >= 14 && examples.starts_with("policy\t"));
        for (kind, name) in [("example", "nothing"), ("schema", "nothing")] {
            let run = product.run(&["evaluate", kind, name]).expect(2);
            assert!(run.stderr.contains("recurring"), "{}", run.stderr);
        }
        for name in [
            "policy",
            "initial",
            "prompt",
            "recurring",
            "checkpoint",
            "recurring-decision",
        ] {
            let schema = product.run(&["evaluate", "schema", name]).expect(0).json();
            jsonschema::validator_for(&schema).expect("a valid schema");
        }
        let state = example(product, "recurring-findings");
        let fields = evaluate(product, &["recurring", "--json", "action,claim_purpose"], &state)
            .expect(0)
            .json();
        assert_eq!(
            fields,
            json!({"action": "apply-fix", "claim_purpose": "remediation"})
        );
        let action = evaluate(product, &["recurring", "-q", ".action"], &state).expect(0);
        assert_eq!(action.stdout, "apply-fix\n");
        evaluate(product, &["recurring", "--json", "actoin"], &state).expect(2);
    });
}

#[test]
fn the_rendering_comes_from_the_evaluator_and_only_then_is_the_prompt_ready() {
    offline(|product| {
        let mut document = example(product, "prompt");
        document["rendered_prompt"] = Value::Null;
        document["rendered_prompt_hash"] = Value::Null;
        let rendered = evaluate(product, &["prompt"], &document).expect(0).json();
        assert_eq!(rendered["action"], "prompt-rendered");
        document["rendered_prompt"] = rendered["rendered_prompt"].clone();
        document["rendered_prompt_hash"] = rendered["rendered_prompt_hash"].clone();
        let ready = evaluate(product, &["prompt"], &document).expect(0).json();
        assert_eq!(ready["action"], "prompt-ready");
        assert_eq!(
            ready["bootstrap_snapshot_hash"],
            digest(product, &document["bootstrap_snapshot"])
        );
        document["bootstrap_snapshot"]["receipt"]["worktree_clean"] = json!(false);
        evaluate(product, &["prompt"], &document).expect(1);
    });
}
