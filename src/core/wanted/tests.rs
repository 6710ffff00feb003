//! What each kind of text asks to have read next: everything that may decide, and nothing else.

use super::*;
use crate::evidence::JournalTrigger;
use crate::evidence::account::Account;
use crate::evidence::comment::ReactionCount;
use crate::evidence::observed::Observed;
use crate::evidence::pull::Commit;
use crate::evidence::reaction::ReactionContent::PlusOne;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, person, sha};
use crate::evidence::surface::Surface;
use crate::run::RunState;

const PURPOSES: [Purpose; 4] = [Purpose::Run, Purpose::Gate, Purpose::Sensor, Purpose::Convergence];
const CLEAN: &str = "Codex Review: Didn't find any major issues.";
const SECURITY: &str = "### 🛡️ Codex Security Review\n\nSecurity review completed. No security issues were found in this pull request.";
const BADGED: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.";
const FAILURE: &str = "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\nAn unknown error occurred";

fn short(commit: &str) -> String {
    commit.chars().take(10).collect()
}

fn labelled(text: &str, commit: &str) -> String {
    format!("{text}\n\n**Reviewed commit:** `{commit}`")
}

fn marked(head: &str) -> String {
    format!("@codex review\n\n<!-- codex-loop: head={head} id=0a1b2c3d-0000-4000-8000-00000000000f -->")
}

fn ask(sample: &Sample, purpose: Purpose) -> Wanted {
    wanted(&sample.evidence, &Options::default(), purpose)
}

/// Whether the reactions of a comment are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reactions {
    Never,
    ForTheGate,
    Always,
}

#[test]
fn a_comment_asks_for_its_reactions_its_commit_and_its_edits_only_where_they_decide() {
    let mismatched = Account {
        kind: Observed::Known("User".into()),
        ..connector()
    };
    let here = short(HEAD);
    for (author, body, reactions, resolve, edits) in [
        (
            person(),
            "@codex review".to_owned(),
            Reactions::Always,
            false,
            false,
        ),
        (
            person(),
            "Please @codex review this".to_owned(),
            Reactions::Always,
            false,
            false,
        ),
        (person(), marked(HEAD), Reactions::Always, false, true),
        (person(), marked(OTHER), Reactions::Never, false, true),
        (
            person(),
            "@codex security".to_owned(),
            Reactions::Never,
            false,
            false,
        ),
        (person(), "Thanks.".to_owned(), Reactions::Never, false, false),
        (person(), labelled(CLEAN, &here), Reactions::Never, false, false),
        (
            mismatched,
            "@codex review".to_owned(),
            Reactions::Never,
            false,
            false,
        ),
        (
            connector(),
            labelled(CLEAN, &here),
            Reactions::ForTheGate,
            true,
            true,
        ),
        (
            connector(),
            labelled(CLEAN, HEAD),
            Reactions::ForTheGate,
            false,
            true,
        ),
        (connector(), labelled(CLEAN, OTHER), Reactions::Never, false, true),
        (
            connector(),
            labelled(CLEAN, &short(OTHER)),
            Reactions::Never,
            false,
            true,
        ),
        (
            connector(),
            labelled("Codex Review: I looked at it.", &here),
            Reactions::ForTheGate,
            true,
            true,
        ),
        (
            connector(),
            labelled(SECURITY, &here),
            Reactions::Never,
            true,
            true,
        ),
        (
            connector(),
            labelled(BADGED, &here),
            Reactions::Never,
            true,
            false,
        ),
        (connector(), FAILURE.to_owned(), Reactions::Never, false, true),
        (
            connector(),
            "You have reached your Codex usage limits for code reviews.".to_owned(),
            Reactions::Never,
            false,
            false,
        ),
    ] {
        let mut sample = Sample::new();
        let comment = sample.comment(author.clone(), at(10, 0), &body);
        for purpose in PURPOSES {
            let wanted = ask(&sample, purpose);
            let for_gate = matches!(purpose, Purpose::Gate | Purpose::Convergence);
            let asked = match reactions {
                Reactions::Never => false,
                Reactions::ForTheGate => for_gate,
                Reactions::Always => true,
            };
            let expected = Wanted {
                reactions_of: asked.then_some(comment).into_iter().collect(),
                resolve: resolve.then(|| here.clone()).into_iter().collect(),
                edits_of: edits.then(|| format!("IC_{comment}")).into_iter().collect(),
                activity: false,
                lagging_reviews: Vec::new(),
            };
            assert_eq!(wanted, expected, "{purpose:?} {author:?} {body:?}");
        }
    }
}

#[test]
fn a_comment_that_the_list_gives_no_reactions_is_not_asked_for_them() {
    for (count, asked) in [(None, true), (Some(0), false), (Some(1), true)] {
        let mut sample = Sample::new();
        let comment = sample.clean_comment(at(10, 0), &short(HEAD));
        for one in sample.evidence.surfaces.issue_comments.items_mut() {
            one.reactions = count.map(|count| ReactionCount {
                total_count: Observed::Known(count),
            });
        }
        let expected: &[u64] = if asked { &[comment] } else { &[] };
        assert_eq!(ask(&sample, Purpose::Gate).reactions_of, expected, "{count:?}");
    }
}

#[test]
fn a_trigger_that_the_journal_knows_to_be_of_another_head_is_not_asked_for_reactions() {
    for (of_this, head, asked) in [(true, OTHER, false), (true, HEAD, true), (false, OTHER, true)] {
        let mut sample = Sample::new();
        let trigger = sample.trigger(at(10, 0));
        sample.evidence.local.journal.created.push(JournalTrigger {
            comment_id: if of_this { trigger } else { 1 },
            head: sha(head),
            nonce: "0a1b2c3d-0000-4000-8000-00000000000f".into(),
        });
        let expected: &[u64] = if asked { &[trigger] } else { &[] };
        assert_eq!(
            ask(&sample, Purpose::Run).reactions_of,
            expected,
            "{of_this} {head}"
        );
        // The run reads the journal in the same way.
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        let stale = run.state == RunState::Stale;
        assert_eq!(stale, !asked, "{of_this} {head}");
    }
}

#[test]
fn the_edits_of_a_clean_review_of_this_head_by_the_connector_matter() {
    let review = "### 💡 Codex Review\n\nDidn't find any major issues.";
    for (author, commit, body, matters) in [
        (Some(connector()), HEAD, review, true),
        (Some(connector()), OTHER, review, false),
        (Some(connector()), HEAD, "I went through it.", false),
        (None, HEAD, review, false),
    ] {
        let mut sample = Sample::new();
        let id = sample.review(at(10, 0), commit, body);
        for one in sample.evidence.surfaces.reviews.items_mut() {
            one.user = author.clone();
        }
        let expected: Vec<String> = matters.then(|| format!("PRR_{id}")).into_iter().collect();
        assert_eq!(
            ask(&sample, Purpose::Run).edits_of,
            expected,
            "{author:?} {commit} {body:?}"
        );
    }
}

#[test]
fn reviews_whose_inline_comments_are_not_visible_are_named() {
    let mut sample = Sample::new();
    let review = sample.review(at(10, 0), HEAD, "");
    assert_eq!(ask(&sample, Purpose::Run).lagging_reviews, [review]);
    sample.thread_of(review, at(10, 0), HEAD);
    assert_eq!(ask(&sample, Purpose::Run).lagging_reviews, [0; 0]);
}

#[test]
fn the_pushes_are_read_for_the_arrival_a_trigger_or_a_thumbs_up_that_nothing_else_binds() {
    type Build = fn(&mut Sample);
    let suite: Build = |_| {};
    let nothing: Build = Sample::without_suites;
    let review: Build = |sample| {
        sample.without_suites();
        sample.review(
            at(1, 0),
            HEAD,
            "### 💡 Codex Review\n\nDidn't find any major issues.",
        );
    };
    let unproven: Build = |sample| {
        sample.without_suites();
        sample.trigger(at(10, 0));
    };
    // A +1 on the body of a pull request that had another head before.
    let unbound: Build = |sample| {
        sample.check_run("build", Some("success"), at(1, 0));
        sample.pull().created_at = Observed::Known(at(0, 0) - chrono::TimeDelta::hours(1));
        sample.react_body(PlusOne, at(3, 0));
        let mut commits = sample.evidence.surfaces.commits.items().to_vec();
        commits.insert(
            0,
            Commit {
                oid: sha(OTHER),
                committed_date: Observed::Known(at(0, 0) - chrono::TimeDelta::hours(2)),
            },
        );
        sample.evidence.surfaces.commits = Surface::complete(commits);
    };
    // The same with a single commit, which only a force-push could have replaced.
    let single: Build = |sample| {
        sample.check_run("build", Some("success"), at(1, 0));
        sample.pull().created_at = Observed::Known(at(0, 0) - chrono::TimeDelta::hours(1));
        sample.react_body(PlusOne, at(3, 0));
    };
    let single_unread: Build = |sample| {
        sample.check_run("build", Some("success"), at(1, 0));
        sample.pull().created_at = Observed::Known(at(0, 0) - chrono::TimeDelta::hours(1));
        sample.react_body(PlusOne, at(3, 0));
        sample.evidence.surfaces.timeline = Surface::NotCollected;
    };
    for (case, build, expected) in [
        ("a single commit", single, [false, false, false, false]),
        (
            "a single commit, and no force-push was read",
            single_unread,
            [false, true, false, true],
        ),
        ("a suite", suite, [false, false, false, false]),
        ("nothing", nothing, [false, false, true, true]),
        // A review comes long after the push.
        ("a review", review, [false, false, true, true]),
        ("an unproven trigger", unproven, [true, true, true, true]),
        ("an unbound thumbs-up", unbound, [false, true, false, true]),
    ] {
        let mut sample = Sample::new();
        build(&mut sample);
        let asked = PURPOSES.map(|purpose| ask(&sample, purpose).activity);
        assert_eq!(asked, expected, "{case}");
    }
}

#[test]
fn the_pushes_are_read_when_a_marker_names_a_head_that_was_seen_only_later() {
    for (seen, expected) in [(at(5, 0), false), (at(10, 0), false), (at(30, 0), true)] {
        let mut sample = Sample::new();
        for suite in sample.evidence.surfaces.check_suites.items_mut() {
            suite.created_at = Observed::Known(seen);
        }
        let trigger = sample.comment(person(), at(10, 0), &marked(HEAD));
        sample.plus_one(trigger, at(35, 0));
        assert_eq!(ask(&sample, Purpose::Run).activity, expected, "{seen}");
        // A push to the head after the marked trigger was for another head, whatever the marker says.
        sample.push(at(29, 0), OTHER, HEAD);
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        assert_eq!(run.state, RunState::Indeterminate);
    }
}
