//! README.md and the skill of coding agents: every command in them runs, in the order in which a reader meets them, on a
//! pull request whose review goes on meanwhile.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::{checkout, file, install};
use crate::github::{Github, ReviewId, ThreadId, World, ago, announcement, clean_text, connector, finding};
use crate::product::{Product, Run};

/// One fenced block of a Markdown text.
struct Block {
    /// The newest heading of the second level.
    section: String,
    language: String,
    commands: Vec<String>,
}

/// The blocks of commands, in order. In a console only the lines behind `$` are commands.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut section, mut inside) = (String::new(), false);
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                blocks.push(Block {
                    section: section.clone(),
                    language: language.to_owned(),
                    commands: Vec::new(),
                });
            }
        } else if !inside {
            if let Some(heading) = line.strip_prefix("## ") {
                heading.clone_into(&mut section);
            }
        } else if let Some(block) = blocks.last_mut() {
            match block.language.as_str() {
                "sh" => block.commands.push(line.to_owned()),
                "console" => block.commands.extend(line.strip_prefix("$ ").map(str::to_owned)),
                _ => {}
            }
        }
    }
    blocks.retain(|block| !block.commands.is_empty());
    blocks
}

fn read(name: &str) -> String {
    fs::read_to_string(checkout().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A pull request without a review, and what the bot and the author do when their turn comes.
struct Story {
    github: Github,
    product: Product,
    threads: Vec<ThreadId>,
    review: Option<ReviewId>,
    fix: Option<String>,
    /// How many of the threads were named so far.
    named: usize,
}

impl Story {
    fn begin() -> Self {
        let mut world = World::opened(ago("3h"));
        world.pull(42);
        Self::of(world)
    }

    /// The bot found nothing, then somebody pushed.
    fn stale() -> Self {
        let mut world = World::opened(ago("3h"));
        let mut pull = world.pull(42);
        let head = pull.head();
        pull.person_comment("@codex review", ago("2h"));
        pull.connector_comment(&clean_text(&head), ago("110m"));
        pull.push("more", ago("1h"));
        Self::of(world)
    }

    fn of(world: World) -> Self {
        let github = Github::start(world);
        let product = Product::new(&github);
        install(&product);
        file(&product, "work/answer.md", "The caller holds the lock.");
        Self {
            github,
            product,
            threads: Vec::new(),
            review: None,
            fix: None,
            named: 0,
        }
    }

    /// The bot answers the request with two threads and a finding in the review's body.
    fn review(&mut self) {
        let (review, threads) = self.github.change(|world| {
            let mut pull = world.pull(42);
            let head = pull.head();
            for comment in &mut pull.pull().comments {
                comment.created_at = ago("40m");
                comment.updated_at = comment.created_at;
            }
            let body = format!(
                "{}\n\nhttps://github.com/octo/widgets/blob/{head}/src/lib.rs#L1-L2\n{}",
                announcement(&head),
                finding("P2", "Say who holds the lock")
            );
            let review = pull.review(connector(), "COMMENTED", &body, &head, ago("35m"));
            let threads = vec![
                pull.thread_in(review, "src/lib.rs", 3, &finding("P1", "Hold the lock")),
                pull.thread_in(review, "src/lib.rs", 9, &finding("P2", "Count once")),
            ];
            (review, threads)
        });
        self.review = Some(review);
        self.threads = threads;
    }

    /// The author pushes a fix, once.
    fn push(&mut self) -> String {
        let github = &self.github;
        self.fix
            .get_or_insert_with(|| github.change(|world| world.pull(42).push("fix", ago("20m"))))
            .clone()
    }

    /// A command with what only its reader can fill in.
    fn filled(&mut self, command: &str) -> String {
        let mut command = command.replace("SHA256", &"0".repeat(64));
        if command.contains("HEAD_SHA") {
            command = command.replace("HEAD_SHA", &self.push());
        }
        if let Some(review) = self.review {
            command = command.replace("BODY_KEY", &format!("review-body:{}", review.0));
        }
        if let Some(thread) = self.threads.first().copied() {
            let root = self.github.change(|world| world.pull(42).root_comment(thread));
            command = command.replace("KEY", &format!("review-comment:{}", root.0));
        }
        for word in ["THREAD", "PRRT_kwDOA1", "PRRT_kwDOA2"] {
            if command.contains(word) {
                command = command.replace(word, &self.threads[self.named].node());
                self.named += 1;
            }
        }
        command
    }

    /// Runs one command as it stands in the text.
    #[track_caller]
    fn run(&mut self, command: &str) -> Run {
        let command = self.filled(command);
        let run = self
            .product
            .program(Path::new("bash"), &["-o", "pipefail", "-c", &command])
            .within(Duration::from_secs(60))
            .run();
        let code = run.code.unwrap_or(-1);
        let verb = command.split_whitespace().nth(2).unwrap_or_default();
        // 1 and 2 say that nothing was found out; a write of this story always succeeds.
        let expected: &[i32] = match verb {
            "request" | "resolve" | "handled" | "authorize" | "preflight" | "findings" | "list"
            | "explain" | "collect" => &[0],
            _ => &[0, 8, 10, 11, 12, 13],
        };
        assert!(expected.contains(&code), "{command}: {run}");
        if verb == "request" && self.review.is_none() {
            self.review();
        }
        run
    }

    /// What a command before wrote to a file.
    fn kept(&self, file: &str) -> String {
        self.product.program(Path::new("cat"), &[file]).run().stdout
    }

    /// Ids of the threads that are open.
    fn open(&self) -> usize {
        let world = self.github.world();
        let threads = &world.repositories[0].pulls[0].threads;
        threads.iter().filter(|thread| !thread.resolved).count()
    }

    /// How many triggers stand on the pull request.
    fn triggers(&self) -> usize {
        let world = self.github.world();
        let comments = &world.repositories[0].pulls[0].comments;
        comments
            .iter()
            .filter(|comment| comment.body.starts_with("@codex review"))
            .count()
    }
}

/// Commands of the README that other tests run: an installed release, an installed checkout, and the tests themselves.
const ELSEWHERE: [&str; 3] = [
    "gh extension install OWNER/gh-codex-loop",
    "gh-extension/install",
    "tests/run",
];

#[test]
fn every_command_of_the_readme_runs() {
    let mut story = Story::begin();
    let mut stale = Story::stale();
    let mut count = 0;
    for block in blocks(&read("README.md")) {
        for line in block.commands {
            let command = line.split(" # ").next().unwrap_or_default().trim();
            if ELSEWHERE.contains(&command) {
                continue;
            }
            count += 1;
            if let Some(words) = command.strip_prefix("cargo run --release -- ") {
                let words: Vec<&str> = words.split(' ').collect();
                let _ = story.product.run(&words).expect(0);
            } else if block.section.starts_with("Compared with") {
                // What a script believes, and what is true.
                let run = stale.run(command);
                if command.starts_with("gh codex-loop") {
                    assert_eq!(
                        (run.code, run.stdout.lines().next()),
                        (Some(12), Some("stale")),
                        "{run}"
                    );
                } else {
                    assert_eq!(run.clone().expect(0).stdout, "true\n", "{run}");
                }
            } else {
                assert!(command.starts_with("gh codex-loop "), "what runs this? {command}");
                let _ = story.run(command);
            }
        }
    }
    assert!(count > 12, "{count}");
    assert_eq!((story.open(), story.triggers()), (0, 1));
}

#[test]
fn every_command_of_the_skill_runs_and_brings_the_loop_to_an_open_gate() {
    let skill = read("gh-extension/skill/SKILL.md");
    let mut story = Story::begin();
    for block in blocks(&skill) {
        for command in block.commands {
            assert!(command.starts_with("gh codex-loop "), "{command}");
            assert!(!command.contains('|'), "only this program: {command}");
            // The review of the fixed head found nothing.
            if command.starts_with("gh codex-loop gate") {
                let head = story.push();
                story.github.change(|world| {
                    let mut pull = world.pull(42);
                    assert_eq!(pull.head(), head);
                    pull.person_comment("@codex review", ago("15m"));
                    pull.connector_comment(&clean_text(&head), ago("10m"));
                    pull.react_body(connector(), "+1", ago("9m"));
                });
                let run = story.run(&command);
                assert_eq!(
                    (run.code, &run.json()["mergeAllowed"]),
                    (Some(0), &true.into()),
                    "{run}"
                );
            } else {
                let run = story.run(&command);
                // What goes to a file is a document there.
                let kept = command.split_once(" >").map(|(_, file)| story.kept(file));
                let document: Option<serde_json::Value> = kept
                    .as_ref()
                    .unwrap_or(&run.stdout)
                    .lines()
                    .last()
                    .and_then(|line| serde_json::from_str(line).ok());
                assert!(document.is_some(), "{command}: {run}");
            }
        }
    }
    assert_eq!(story.open(), 0);
}

/// The fields of the front matter, as agents' tools read it.
#[test]
fn the_skill_says_what_it_is_and_gh_installs_it() {
    let skill = read("gh-extension/skill/SKILL.md");
    let front = skill
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map(|(front, _)| front)
        .unwrap_or_else(|| panic!("no front matter"));
    assert!(front.lines().any(|line| line == "name: codex-loop"), "{front}");
    let description = front
        .split_once("description: >-\n")
        .map(|(_, rest)| {
            rest.lines()
                .take_while(|line| line.starts_with("  "))
                .map(str::trim)
        })
        .map(|lines| lines.collect::<Vec<_>>().join(" "))
        .unwrap_or_default();
    assert!((100..1024).contains(&description.len()), "{description}");
    // A gh before 2026 has no skills; one that has reads the front matter as YAML, and the name is the folder's.
    let github = Github::start(World::new());
    let product = Product::new(&github);
    if product.gh(&["skill", "install", "--help"]).run().code == Some(0) {
        let folder = checkout().join("gh-extension");
        let to = product.path("tmp/skills");
        let (folder, to) = (folder.to_string_lossy(), to.to_string_lossy());
        let words = [
            "skill",
            "install",
            &folder,
            "codex-loop",
            "--from-local",
            "--dir",
            &to,
        ];
        let run = product.gh(&words).run().expect(0);
        assert!(product.path("tmp/skills/codex-loop/SKILL.md").is_file(), "{run}");
    }
    // Whatever a document may name as the next thing to do.
    for (document, list) in [("status", "NextAction"), ("convergence", "Action")] {
        let schema = product.run(&["schema", document]).expect(0).json();
        let words = schema["$defs"][list]["enum"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        assert!(words.len() > 10, "{schema}");
        for word in words.iter().filter_map(serde_json::Value::as_str) {
            let row = skill.lines().any(|line| {
                let left = line.strip_prefix("| `").and_then(|line| line.split(" | ").next());
                left.is_some_and(|words| format!("`{words}").contains(&format!("`{word}`")))
            });
            assert!(row, "{document}: {word} is not explained");
        }
    }
}

#[test]
fn the_picture_is_what_a_terminal_shows() {
    let github = Github::start(World::new());
    let product = Product::new(&github);
    let run = product
        .command(&["status", "--demo"])
        .env("NO_COLOR", "1")
        .terminal(80, 40);
    let picture = read("docs/status.svg");
    // Without its elements and with its entities read, the picture is text.
    let mut text = String::new();
    for piece in picture.split('<').skip(1) {
        text.push_str(piece.split_once('>').map_or("", |(_, rest)| rest));
    }
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    for line in run
        .stdout
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
    {
        assert!(
            text.lines().any(|shown| shown.strip_prefix("    ") == Some(line)),
            "not in the picture: {line}\n{text}"
        );
    }
}
