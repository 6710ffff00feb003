//! Terms whose rule a pattern alone cannot say.

use crate::bounded::terms::{BranchName, FixRounds};

#[test]
fn a_branch_name_is_one_that_git_accepts() {
    for name in [
        "main",
        "codex/fix-parser",
        "a.b/c",
        "a-",
        "v1.0",
        "feature/日本語",
        "x@y",
        "head",
        "locks",
        "a.lock.b",
    ] {
        assert!(BranchName::new(name).is_ok(), "{name:?}");
    }
    // Each of them is refused by `git check-ref-format --branch`, or names another ref than a branch.
    for name in [
        "",
        "-x",
        "/x",
        "x/",
        "x.",
        "a..b",
        "a@{1}",
        "refs/heads/main",
        "@",
        "HEAD",
        "a//b",
        ".x",
        "a/.b",
        "x.lock",
        "a.lock/b",
        "a b",
        "a~1",
        "a^",
        "a:b",
        "a?",
        "a*",
        "a[b",
        "a\\b",
        "a\u{7f}",
        "a\u{202e}b",
        "a\u{200b}",
    ] {
        assert!(BranchName::new(name).is_err(), "{name:?}");
    }
}

#[test]
fn rounds_go_from_zero_through_five() {
    let mut round = FixRounds::MINIMUM;
    for expected in 1..=5 {
        round = round.next().expect("a following round");
        assert_eq!(round.get(), expected);
    }
    assert_eq!(round, FixRounds::MAXIMUM);
    assert_eq!(round.next(), None);
}
