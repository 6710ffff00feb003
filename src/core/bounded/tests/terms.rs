//! Terms whose rule a pattern alone cannot say.

use crate::bounded::canonical::Json;
use crate::bounded::error::{EvaluatorError, Place, shown};
use crate::bounded::terms::{BranchName, FixRounds};
use crate::bounded::vocabulary::{MAX_ITEMS, Term};

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

#[test]
fn a_list_has_its_bound_and_a_refusal_names_what_it_found() {
    let place = Place::root("list");
    let list = |length: usize| Json::List(vec![Json::Boolean(true); length]);
    assert_eq!(
        Vec::<bool>::read(&list(MAX_ITEMS), &place),
        Ok(vec![true; MAX_ITEMS])
    );
    assert!(matches!(
        Vec::<bool>::read(&list(MAX_ITEMS + 1), &place),
        Err(EvaluatorError::OutOfRange { .. })
    ));
    for (json, name) in [
        (Json::Null, "null"),
        (Json::Integer(1), "an integer"),
        (Json::text("x"), "a string"),
        (Json::List(Vec::new()), "an array"),
        (Json::object([]), "an object"),
    ] {
        match bool::read(&json, &place) {
            Err(EvaluatorError::WrongType { expected, found, .. }) => {
                assert_eq!((expected.as_str(), found), ("a boolean", name));
            }
            other => panic!("{other:?}"),
        }
    }
    match Vec::<bool>::read(&Json::Boolean(true), &place) {
        Err(EvaluatorError::WrongType { found, .. }) => assert_eq!(found, "a boolean"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn foreign_text_in_a_refusal_is_short_and_printable() {
    for (text, expected) in [
        ("plain", "plain".to_owned()),
        ("a\u{1b}[31m\u{202e}b", "a\u{fffd}[31m\u{fffd}b".to_owned()),
        (&"é".repeat(80), "é".repeat(80)),
        (&"é".repeat(81), format!("{}…", "é".repeat(80))),
    ] {
        assert_eq!(shown(text), expected);
    }
}
