//! What is listed as a finding, of which commit, and which are told to repeat an earlier one.

use super::*;
use crate::evidence::observed::Observed;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector};
use crate::evidence::surface::Surface;
use crate::options::Options;

const BADGED: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.";

fn found(sample: &Sample) -> Vec<Finding> {
    let options = Options::default();
    all(&Reading::of(&sample.evidence, &options).expect("the pull request was read"))
}

/// A finding's text with the link that gives it an anchor.
fn anchored(path: &str, line: u64) -> String {
    format!(
        "https://github.com/o/r/blob/{HEAD}/{path}#L{line}-L{}\n{BADGED}",
        line + 1
    )
}

#[test]
fn a_finding_repeats_the_first_one_of_its_place_and_title_and_never_its_own_text() {
    let thread = |sample: &mut Sample, path: &str, line: u64, title: &str| {
        sample.thread(at(12, 0), HEAD);
        let last = sample.evidence.surfaces.threads.items_mut().last_mut();
        let last = last.expect("a thread was added");
        last.path = Observed::Known(path.into());
        last.line = Observed::Known(line);
        if let Some(root) = last.comments.first_mut() {
            root.body = Observed::Known(BADGED.replace("Wrong bound", title));
        }
    };
    for (path, line, title, repeats) in [
        ("src/a.rs", 7, "Wrong bound", true),
        ("src/b.rs", 7, "Wrong bound", false),
        ("src/a.rs", 8, "Wrong bound", false),
        ("src/a.rs", 7, "Another one", false),
    ] {
        let mut sample = Sample::new();
        thread(&mut sample, "src/a.rs", 7, "Wrong bound");
        thread(&mut sample, path, line, title);
        let found = found(&sample);
        let [first, second] = found.as_slice() else {
            panic!("two findings: {found:?}")
        };
        assert_eq!(first.duplicate_of, None);
        let expected = repeats.then(|| first.key.clone());
        assert_eq!(second.duplicate_of, expected, "{path} {line} {title}");
    }
    // One comment that says the same thing twice is one thing to answer.
    let mut sample = Sample::new();
    let twice = format!("{0}\n\n{0}", anchored("src/a.rs", 7));
    sample.comment(connector(), at(12, 0), &twice);
    let own: Vec<_> = found(&sample)
        .into_iter()
        .map(|one| (one.line, one.duplicate_of))
        .collect();
    assert_eq!(own, [(Some(7), None), (Some(7), None)]);
}

#[test]
fn the_commit_of_a_finding_is_shown_as_far_as_it_is_known() {
    let label = |commit: &str| format!("{BADGED}\n\n**Reviewed commit:** `{commit}`");
    let short: String = HEAD.chars().take(8).collect();
    for (body, commit, shown) in [
        (label(HEAD), NamedCommit::Head, Some(HEAD)),
        (label(OTHER), NamedCommit::Other(OTHER.into()), Some(OTHER)),
        // GitHub was not asked for this prefix.
        (
            label(&short),
            NamedCommit::Unresolved(short.clone()),
            Some(short.as_str()),
        ),
        (BADGED.to_owned(), NamedCommit::None, None),
        (
            format!("{}\n\n**Reviewed commit:** `{OTHER}`", label(HEAD)),
            NamedCommit::Ambiguous(format!("{HEAD}, {OTHER}")),
            None,
        ),
    ] {
        let mut sample = Sample::new();
        sample.comment(connector(), at(12, 0), &body);
        let found: Vec<_> = found(&sample)
            .into_iter()
            .map(|one| (one.commit, one.commit_text))
            .collect();
        assert_eq!(found, [(commit, shown.map(str::to_owned))], "{body:?}");
    }
}

#[test]
fn an_inline_comment_without_its_thread_is_an_open_finding_of_its_commit() {
    for (commit, on_head) in [(Some(HEAD), true), (Some(OTHER), false), (None, false)] {
        let mut sample = Sample::new();
        let node = sample.thread(at(12, 0), commit.unwrap_or(HEAD));
        sample.resolve(&node);
        sample.evidence.surfaces.threads = Surface::complete(Vec::new());
        let id = sample.evidence.surfaces.review_comments.items_mut().first_mut();
        let id = id.map(|comment| {
            if commit.is_none() {
                comment.original_commit_id = Observed::Missing;
            }
            comment.id.get().expect("an id")
        });
        let found = found(&sample);
        let [one] = found.as_slice() else {
            panic!("one finding: {found:?}")
        };
        assert_eq!(Some(one.key.clone()), id.map(|id| format!("review-comment:{id}")));
        assert!(one.is_unthreaded());
        assert_eq!(
            one.state,
            FindingState::Open,
            "nobody can say that it is resolved"
        );
        assert_eq!(
            (one.on_head(), one.is_current()),
            (on_head, on_head),
            "{commit:?}"
        );
        assert_eq!(one.commit_text.as_deref(), commit);
        assert_eq!(one.title, "Wrong bound");
    }
}

#[test]
fn a_recorded_disposition_covers_its_own_text_and_is_known_for_any() {
    let digest = sha256_hex(b"the text");
    for (recorded, covers, knows) in [
        (None, false, false),
        (Some(None), true, true),
        (Some(Some(digest.clone())), true, true),
        (Some(Some(sha256_hex(b"another text"))), false, true),
    ] {
        let mut sample = Sample::new();
        if let Some(digest) = recorded.clone() {
            let items = &mut sample.evidence.local.handled.items;
            items.insert("issue-comment:7".into(), digest);
        }
        let options = Options::default();
        let reading = Reading::of(&sample.evidence, &options).expect("the pull request was read");
        let handled = Handled::of(&reading);
        let told = (
            handled.covers("issue-comment:7", "the text"),
            handled.knows("issue-comment:7"),
        );
        assert_eq!(told, (covers, knows), "{recorded:?}");
        assert!(!handled.knows("issue-comment:8") && !handled.covers("issue-comment:8", "the text"));
    }
}
