//! The completion scripts in the real shells, typed at or asked as those shells offer it.

use std::path::Path;
use std::time::Duration;

use super::{checkout, file, install, program, reviewed};
use crate::github::{Github, ThreadId};
use crate::product::{Product, Run};

/// Shells start slowly on a busy machine.
const SHELL_PATIENCE: Duration = Duration::from_secs(60);

/// Asks bash as readline does, in a shell with what stands in `before`.
fn bash(product: &Product, before: &str, lines: &[&str]) -> Vec<String> {
    let mut script = format!(
        r#"{before}
source "{}/completions/gh-codex-loop.bash"
# As readline fills them: split at blanks, = and :, which are words of their own.
tab() {{
    COMP_LINE=$1 COMP_POINT=${{#1}} COMP_TYPE=63 COMP_WORDS=() COMP_CWORD=0
    local rest=$1 function
    while [[ $rest =~ ^\ *([=:]+|[^=:\ ]+)(.*)$ ]]; do
        COMP_WORDS+=("${{BASH_REMATCH[1]}}") rest=${{BASH_REMATCH[2]}}
    done
    [[ $1 == *\  ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) COMPREPLY=()
    function=$(complete -p "${{COMP_WORDS[0]}}")
    function=${{function##*-F }}
    ${{function%% *}} "${{COMP_WORDS[0]}}" "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
    local IFS='|'
    echo "${{COMPREPLY[*]}}"
}}
"#,
        checkout().display()
    );
    for line in lines {
        script.push_str(&format!("tab '{line}'\n"));
    }
    let run = product
        .program(Path::new("bash"), &["--norc", "-c", &script])
        .within(SHELL_PATIENCE)
        .run()
        .expect(0);
    assert_eq!(run.stderr, "", "{run}");
    let answers: Vec<String> = run.stdout.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), lines.len(), "{run}");
    answers
}

/// Asks fish with its own `complete -C`.
fn fish(product: &Product, line: &str) -> Vec<String> {
    let script = format!(
        "gh completion -s fish | source\nsource {}/completions/gh-codex-loop.fish\ncomplete -C '{line}'\n",
        checkout().display()
    );
    let run = product
        .program(Path::new("fish"), &["--no-config", "-c", &script])
        .within(SHELL_PATIENCE)
        .run()
        .expect(0);
    assert_eq!(run.stderr, "", "{run}");
    run.stdout.lines().map(str::to_owned).collect()
}

/// Types a line and keys into an interactive zsh, in which another extension completes too, and gives the screen.
fn zsh(product: &Product, keys: &str) -> Run {
    file(
        product,
        "home/.zshrc",
        &format!(
            "PS1='ready> '\nLISTMAX=1000\nautoload -U compinit\ncompinit -u -D\nsource <(gh completion -s zsh)\n\
             theirs() {{ if [[ $words[2] == other ]]; then compadd of-another-extension; else _gh \"$@\"; fi }}\n\
             compdef theirs gh\nsource {}/completions/_gh-codex-loop\n",
            checkout().display()
        ),
    );
    product
        .program(Path::new("zsh"), &["-i"])
        .within(SHELL_PATIENCE)
        .stdin(format!("{keys}\nexit\n"))
        .terminal(120, 60)
}

/// Types into an interactive bash.
fn typed_in_bash(product: &Product, keys: &str) -> Run {
    let rc = file(
        product,
        "home/bashrc",
        &format!(
            "PS1='ready> '\nbind 'set enable-bracketed-paste off'\nsource {}/completions/gh-codex-loop.bash\n",
            checkout().display()
        ),
    );
    product
        .program(
            Path::new("bash"),
            &["--noprofile", "--rcfile", &rc.to_string_lossy(), "-i"],
        )
        .within(SHELL_PATIENCE)
        .stdin(format!("{keys}\nexit\n"))
        .terminal(120, 60)
}

#[test]
fn bash_completes_commands_options_and_values() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    install(&product);
    let answers = bash(
        &product,
        "",
        &[
            "gh codex-loop clas",
            "gh codex-loop findings --pri",
            "gh codex-loop classify --json st",
            "gh codex-loop classify --json=next,st",
            "gh codex-loop schema recurring-",
            "gh codex-loop findings --priority P0,u",
            "gh codex-loop gen",
            "gh codex-loop status ",
        ],
    );
    assert_eq!(
        answers[..7],
        [
            "classify",
            "--priority",
            "state",
            "next,state",
            "recurring-decision",
            "P0,unknown",
            ""
        ]
    );
    let mut pulls: Vec<&str> = answers[7].split('|').collect();
    pulls.sort_unstable();
    assert_eq!(
        pulls,
        ["42  (Keep the cache lock)", "7   (Rename widgets)"],
        "without the bidi mark"
    );
}

#[test]
fn bash_completes_the_program_itself_and_what_stands_before_the_cursor() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    let folder = program().parent().map(Path::display);
    let before = folder
        .map(|folder| format!("PATH={folder}:$PATH"))
        .unwrap_or_default();
    let answers = bash(
        &product,
        &before,
        &[
            "gh-codex-loop cla",
            "gh-codex-loop collect 42 --keep issue-comment:",
            "gh-codex-loop collect 42 --keep review-comment:",
        ],
    );
    assert_eq!(answers[0], "classify");
    assert_eq!(answers[1], "", "a person's comment has no key");
    // bash replaces what follows the colon.
    let key = answers[2].split(' ').next().unwrap_or_default();
    assert!(
        key.bytes().all(|byte| byte.is_ascii_digit()) && !key.is_empty(),
        "{answers:?}"
    );
}

#[test]
fn bash_leaves_everything_else_to_those_who_completed_gh_before() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    install(&product);
    // gh's own completion, wrapped by another extension, and this script loaded twice.
    let before = format!(
        r#"source /usr/share/bash-completion/bash_completion
# bash refuses it outside of a real TAB.
compopt() {{ :; }}
source <(gh completion -s bash)
other() {{ if [[ ${{COMP_WORDS[1]}} == other ]]; then COMPREPLY=(theirs); else __start_gh "$@"; fi; }}
complete -F other gh
source "{}/completions/gh-codex-loop.bash""#,
        checkout().display()
    );
    let answers = bash(
        &product,
        &before,
        &["gh other x", "gh codex-loop clas", "gh repo set-d"],
    );
    assert_eq!(answers, ["theirs", "classify", "set-default"]);
    // Nothing loaded before: gh's own is loaded when it is needed.
    let bare =
        "source /usr/share/bash-completion/bash_completion; complete -r gh 2>/dev/null; compopt() { :; }";
    let answers = bash(&product, bare, &["gh repo set-d", "gh codex-loop clas"]);
    assert_eq!(answers, ["set-default", "classify"]);
}

#[test]
fn bash_still_knows_the_commands_when_the_program_cannot_be_asked() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    let answers = bash(
        &product,
        "",
        &["gh codex-loop clas", "gh codex-loop classify --js"],
    );
    assert_eq!(answers[0].split('\t').next(), Some("classify"));
    assert_eq!(answers[1], "");
}

#[test]
fn keys_typed_in_bash_and_zsh_complete_the_line_that_runs() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    install(&product);
    for run in [
        typed_in_bash(&product, "gh codex-loop sch\tclassifi\t -q '.title'"),
        zsh(&product, "gh codex-loop sch\tclassifi\t -q '.title'"),
    ] {
        assert!(run.stdout.contains("\ncodex-loop.classification/1\n"), "{run}");
    }
    let run = zsh(&product, "gh codex-loop findings \t");
    for shown in ["42", "Keep the cache lock", "Rename widgets"] {
        assert!(run.stdout.contains(shown), "{shown}: {run}");
    }
    let run = zsh(&product, "gh repo set-d\t --help");
    assert!(run.stdout.contains("gh repo set-default"), "{run}");
    let run = zsh(&product, "gh other of\t");
    assert!(run.stdout.contains("gh other of-another-extension"), "{run}");
}

#[test]
fn fish_completes_beside_ghs_own() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    install(&product);
    let values = |line: &str| -> Vec<String> {
        fish(&product, line)
            .iter()
            .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(values("gh codex-loop clas"), ["classify"]);
    assert_eq!(values("gh codex-loop classify --json next,st"), ["next,state"]);
    assert_eq!(values("gh repo set-d"), ["set-default"]);
    let mut pulls = fish(&product, "gh codex-loop findings ");
    pulls.sort_unstable();
    assert_eq!(pulls, ["42\tKeep the cache lock", "7\tRename widgets"]);
    let folder = program().parent().map(Path::display);
    let direct = folder
        .map(|folder| format!("{folder}/gh-codex-loop cla"))
        .unwrap_or_default();
    assert_eq!(values(&direct), ["classify"]);
}

/// What a reader has to fill in is offered by every shell alike, for the extension.
#[test]
fn every_shell_offers_the_values_that_are_known() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    install(&product);
    let (thread, key) = github.change(|world| {
        let mut pull = world.pull(42);
        let thread = &pull.pull().threads[0];
        (
            ThreadId(thread.id).node(),
            format!("review-comment:{}", thread.comments[0].id),
        )
    });
    let cases: [(&str, &[&str]); 9] = [
        ("status ", &["42", "Keep the cache lock", "7", "Rename widgets"]),
        ("resolve 42 ", &[&thread]),
        ("handled 42 plan ", &[&key]),
        ("collect 42 --redact --keep review-c", &[&key]),
        ("gate --json ", &["mergeAllowed", "blockers", "waitingReason"]),
        ("schema ", &["evidence", "convergence", "recurring-decision"]),
        ("findings --priority ", &["P0", "P3", "unknown"]),
        (
            "authorize 42 --scope request,re",
            &["request,retry", "request,resolve"],
        ),
        ("status --demo ", &["clean", "in-progress"]),
    ];
    let lines: Vec<String> = cases
        .iter()
        .map(|(line, _)| format!("gh codex-loop {line}"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for (answer, (line, values)) in bash(&product, "", &lines).iter().zip(cases) {
        for value in values {
            // bash replaces only what follows the colon.
            let shown = value.rsplit(':').next().unwrap_or_default();
            assert!(answer.contains(shown), "bash: {line}: {value}: {answer}");
        }
    }
    for (line, (_, values)) in lines.iter().zip(cases) {
        let answer = fish(&product, line).join("\n");
        for value in values {
            assert!(answer.contains(value), "fish: {line}: {value}: {answer}");
        }
    }
    // Back to the start of the line, and wiped, after each list.
    let keys: String = lines.iter().map(|line| format!("{line}\t\u{1}\u{b}")).collect();
    let run = zsh(&product, &keys);
    for (line, values) in cases {
        for value in values {
            // zsh quotes the colon where it inserts a single value.
            let found = run.stdout.contains(value) || run.stdout.contains(&value.replace(':', "\\:"));
            assert!(found, "zsh: {line}: {value}: {run}");
        }
    }
}

#[test]
fn what_github_knows_is_asked_once_and_kept() {
    let github = Github::start(reviewed());
    let product = Product::new(&github);
    let offers = |words: &[&str]| -> Vec<String> {
        let mut arguments = vec!["__complete", "--"];
        arguments.extend(words);
        let run = product.run(&arguments).expect(0);
        assert_eq!(run.stderr, "", "{run}");
        run.stdout
            .lines()
            .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
            .collect()
    };
    for _ in 0..3 {
        let mut pulls = offers(&["status", ""]);
        pulls.sort_unstable();
        assert_eq!(pulls, ["42", "7"]);
        assert_eq!(offers(&["status", "4"]), ["42"]);
    }
    assert_eq!(github.log().requests.len(), 1, "{}", github.log().lines());
    assert_eq!(offers(&["findings", "--repo", "octo/widgets", "7"]), ["7"]);
    assert_eq!(github.log().requests.len(), 2, "another question");
}

#[test]
fn a_failure_is_silent_and_not_repeated_at_every_key() {
    let github = Github::start(reviewed());
    let product = Product::new(&github).logged_out();
    for _ in 0..2 {
        let run = product.run(&["__complete", "--", "status", ""]).expect(0);
        assert_eq!(run.stderr, "");
        assert!(
            run.stdout.lines().all(|line| line.starts_with('-')),
            "only options: {run}"
        );
    }
    assert!(github.log().requests.is_empty());
    let product = Product::new(&github).with_gh(Path::new("/nonexistent/gh"));
    let run = product.run(&["__complete", "--", "status", ""]).expect(0);
    assert_eq!(run.stderr, "");
}
