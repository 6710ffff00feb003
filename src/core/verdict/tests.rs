//! The headline: one case a row, then every world of a small model against an oracle written from the table.

use super::*;
use crate::evidence::observed::Observed;
use crate::evidence::pull::PullState;
use crate::evidence::reaction::ReactionContent::{Eyes, PlusOne};
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector, person};
use crate::evidence::surface::Surface;
use crate::gate::GateOptions;
use crate::options::Options;

mod edges;

fn short() -> &'static str {
    HEAD.get(..10).expect("ten digits")
}

/// A head with one passing check that started at 10:01.
fn checked() -> Sample {
    let mut sample = Sample::new();
    sample.check_run("build", Some("success"), at(1, 0));
    sample
}

fn verdict(sample: &Sample) -> Verdict {
    let choices = Options::default();
    let run = Run::of(&sample.evidence, &choices).expect("the pull request was read");
    let gate = Gate::of(&run, &GateOptions::default());
    Verdict::of(&run, &gate)
}

#[track_caller]
fn assert_verdict(sample: &Sample, state: StateWord, by: &[VerdictBy], code: ReasonCode, next: NextAction) {
    let verdict = verdict(sample);
    let first = verdict.reasons.first().map(|reason| reason.code);
    assert_eq!(
        (verdict.state, verdict.by.as_slice(), first, verdict.next),
        (state, by, Some(code), next),
        "{:?}",
        verdict.reasons
    );
}

#[test]
fn row_1_findings_by_either_protocol() {
    use VerdictBy::{Gate, Run};
    // The run says so, and the gate blocks.
    let mut sample = checked();
    let trigger = sample.trigger(at(2, 0));
    sample.thread(at(5, 0), HEAD);
    sample.plus_one(trigger, at(6, 0));
    let next = NextAction::AddressFindings;
    assert_verdict(
        &sample,
        StateWord::Findings,
        &[Run, Gate],
        ReasonCode::FindingThread,
        next,
    );
    // Only the gate: an automatic review without a trigger, and an open thread of an earlier head.
    for commit in [HEAD, OTHER] {
        let mut sample = checked();
        sample.thread(at(5, 0), commit);
        sample.react_body(PlusOne, at(40, 0));
        assert_verdict(
            &sample,
            StateWord::Findings,
            &[Gate],
            ReasonCode::FindingThread,
            next,
        );
    }
    // Only the run: an older body finding that the gate calls superseded.
    let mut sample = checked();
    sample.trigger(at(2, 0));
    let body = format!(
        "### 💡 Codex Review\n\nhttps://github.com/o/r/blob/{HEAD}/src/a.rs#L1-L2\n**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows."
    );
    sample.review(at(5, 0), HEAD, &body);
    let review = sample.review(at(6, 0), HEAD, "### 💡 Codex Review");
    let thread = sample.thread_of(review, at(6, 0), HEAD);
    sample.resolve(&thread);
    assert_verdict(
        &sample,
        StateWord::Findings,
        &[Run],
        ReasonCode::FindingReviewBody,
        next,
    );
}

#[test]
fn row_2_progress_that_is_newer_than_what_says_clean() {
    use VerdictBy::{Gate, Summary};
    let clean = || {
        let mut sample = checked();
        sample.clean_comment(at(10, 0), short());
        sample
    };
    let mut sample = clean();
    sample.react_body(Eyes, at(11, 0));
    assert_verdict(
        &sample,
        StateWord::InProgress,
        &[Gate],
        ReasonCode::Acknowledged,
        NextAction::Poll,
    );
    let mut sample = clean();
    sample.summary("🔄 **Running** since", short(), at(11, 0));
    assert_verdict(
        &sample,
        StateWord::InProgress,
        &[Summary],
        ReasonCode::SummaryRunning,
        NextAction::Poll,
    );
    let mut sample = clean();
    let trigger = sample.trigger(at(11, 0));
    sample.eyes(trigger, at(12, 0));
    assert_eq!(verdict(&sample).state, StateWord::InProgress);
    // A sign that is not newer changes nothing.
    for sign in [at(9, 0), at(10, 0)] {
        let mut sample = clean();
        sample.react_body(Eyes, sign);
        sample.summary("🔄 **Running** since", short(), sign);
        assert_eq!(verdict(&sample).state, StateWord::Clean, "{sign}");
    }
}

#[test]
fn row_3_clean_by_run_gate_or_result() {
    use VerdictBy::{Gate, Result, Run};
    let none = NextAction::None;
    let mut sample = Sample::new();
    let trigger = sample.trigger(at(2, 0));
    sample.plus_one(trigger, at(6, 0));
    assert_verdict(
        &sample,
        StateWord::Clean,
        &[Run, Gate],
        ReasonCode::CleanReaction,
        none,
    );
    // An automatic review that is answered by a thumbs-up on the body alone.
    let mut sample = checked();
    sample.react_body(PlusOne, at(6, 0));
    assert_verdict(
        &sample,
        StateWord::Clean,
        &[Gate],
        ReasonCode::CleanReaction,
        none,
    );
    // A clean comment without a trigger.
    let mut sample = checked();
    sample.clean_comment(at(6, 0), short());
    assert_verdict(
        &sample,
        StateWord::Clean,
        &[Result],
        ReasonCode::CleanReviewResult,
        none,
    );
    assert_eq!(verdict(&sample).clean_since, Some(at(6, 0)));
    // A manual review that is answered by a thumbs-up on the body alone: the run alone cannot say it.
    let mut sample = checked();
    sample.trigger(at(2, 0));
    sample.react_body(PlusOne, at(6, 0));
    assert_verdict(
        &sample,
        StateWord::Clean,
        &[Gate],
        ReasonCode::CleanReaction,
        none,
    );
}

#[test]
fn row_3_what_keeps_a_clean_signal_from_counting() {
    // A finding that is not older than it, though it was resolved since.
    for thread_at in [at(6, 0), at(7, 0)] {
        let mut sample = checked();
        sample.react_body(PlusOne, at(6, 0));
        let thread = sample.thread(thread_at, HEAD);
        sample.resolve(&thread);
        assert_ne!(verdict(&sample).state, StateWord::Clean);
    }
    // A trigger after it that nobody answered.
    let mut sample = checked();
    sample.react_body(PlusOne, at(6, 0));
    sample.trigger(at(8, 0));
    assert_verdict(
        &sample,
        StateWord::InProgress,
        &[VerdictBy::Gate],
        ReasonCode::Acknowledged,
        NextAction::Poll,
    );
    let mut sample = checked();
    sample.clean_comment(at(6, 0), short());
    sample.trigger(at(8, 0));
    assert_eq!(verdict(&sample).state, StateWord::Indeterminate);
    // A clean result for another head, without a commit, or from before the head came back.
    for commit in [OTHER.get(..10).expect("ten digits"), "nothing"] {
        let mut sample = checked();
        sample.clean_comment(at(6, 0), commit);
        assert_eq!(verdict(&sample).state, StateWord::Indeterminate, "{commit}");
    }
    let mut sample = checked();
    sample.clean_comment(at(6, 0), short());
    sample.force_push(at(7, 0), HEAD, OTHER);
    sample.force_push(at(8, 0), OTHER, HEAD);
    assert_eq!(verdict(&sample).state, StateWord::Indeterminate);
    // Somebody else edited it.
    let mut sample = checked();
    let comment = sample.clean_comment(at(6, 0), short());
    sample.edited(comment, person());
    assert_eq!(verdict(&sample).state, StateWord::Indeterminate);
    // Only the summary says that it completed.
    let mut sample = checked();
    sample.summary("✅ **Completed**", short(), at(6, 0));
    assert_eq!(verdict(&sample).state, StateWord::Indeterminate);
}

#[test]
fn a_blocked_gate_is_never_clean_and_its_blocker_leads_the_reasons() {
    use VerdictBy::Gate;
    let clean = || {
        let mut sample = checked();
        let trigger = sample.trigger(at(2, 0));
        sample.plus_one(trigger, at(6, 0));
        sample
    };
    // The body's reactions decide the gate and not the run.
    let mut sample = clean();
    sample.evidence.surfaces.body_reactions = Surface::NotCollected;
    assert_verdict(
        &sample,
        StateWord::Indeterminate,
        &[Gate],
        ReasonCode::IncompleteSurface,
        NextAction::Recollect,
    );
    let mut sample = checked();
    sample.comment(
        connector(),
        at(3, 0),
        &format!(
            "Codex Review: Hmm, hard to say.\n\n**Reviewed commit:** `{}`",
            short()
        ),
    );
    assert_verdict(
        &sample,
        StateWord::Indeterminate,
        &[Gate, VerdictBy::Run],
        ReasonCode::UnclearResult,
        NextAction::Judge,
    );
}

#[test]
fn row_4_failed_by_the_run_or_by_the_summary() {
    use VerdictBy::{Run, Summary};
    let failure = "Codex Review: Something went wrong. Try again later by commenting “@codex review”.\n\n```\nAn unknown error occurred\n```";
    let mut sample = checked();
    sample.trigger(at(2, 0));
    sample.comment(connector(), at(3, 0), failure);
    assert_verdict(
        &sample,
        StateWord::Failed,
        &[Run],
        ReasonCode::TerminalSignature,
        NextAction::Retry,
    );
    let mut sample = checked();
    sample.summary("⚠️ **Failed**", short(), at(6, 0));
    assert_verdict(
        &sample,
        StateWord::Failed,
        &[Summary],
        ReasonCode::SummaryFailed,
        NextAction::AskUser,
    );
    // Something of the connector is later.
    sample.react_body(Eyes, at(7, 0));
    assert_eq!(verdict(&sample).state, StateWord::InProgress);
    // For another head it says nothing.
    let mut sample = checked();
    sample.summary("⚠️ **Failed**", OTHER.get(..10).expect("ten digits"), at(6, 0));
    assert_eq!(verdict(&sample).state, StateWord::Indeterminate);
}

#[test]
fn row_5_in_progress_by_run_gate_or_summary() {
    use VerdictBy::{Gate, Run, Summary};
    let poll = NextAction::Poll;
    let mut sample = checked();
    let trigger = sample.trigger(at(2, 0));
    sample.eyes(trigger, at(3, 0));
    assert_verdict(
        &sample,
        StateWord::InProgress,
        &[Run, Gate],
        ReasonCode::Acknowledged,
        poll,
    );
    let mut sample = checked();
    sample.react_body(Eyes, at(3, 0));
    assert_verdict(
        &sample,
        StateWord::InProgress,
        &[Gate],
        ReasonCode::Acknowledged,
        poll,
    );
    let mut sample = checked();
    sample.summary("🔄 **Running** since", short(), at(3, 0));
    assert_verdict(
        &sample,
        StateWord::InProgress,
        &[Summary],
        ReasonCode::SummaryRunning,
        poll,
    );
    // A repository without any check: the eyes on the body still say it.
    let mut sample = Sample::new();
    sample.react_body(Eyes, at(3, 0));
    assert_verdict(
        &sample,
        StateWord::InProgress,
        &[Gate],
        ReasonCode::Acknowledged,
        poll,
    );
    // eyes from before the head came are the previous head's.
    let mut sample = checked();
    sample.react_body(Eyes, at(0, 30));
    assert_eq!(verdict(&sample).state, StateWord::Indeterminate);
}

#[test]
fn rows_6_and_7_stale_and_the_rest() {
    let mut sample = checked();
    sample.comment(
        person(),
        at(2, 0),
        &format!("@codex review\n\n<!-- dsh-review-head: {OTHER} -->"),
    );
    assert_verdict(
        &sample,
        StateWord::Stale,
        &[VerdictBy::Run],
        ReasonCode::HeadChanged,
        NextAction::RequestReview,
    );
    assert_verdict(
        &checked(),
        StateWord::Indeterminate,
        &[VerdictBy::Run],
        ReasonCode::NoTrigger,
        NextAction::RequestReview,
    );
    // An automatic review of the new head still makes a stale run clean.
    sample.react_body(PlusOne, at(40, 0));
    assert_eq!(verdict(&sample).state, StateWord::Clean);
}

#[test]
fn a_closed_pull_request_is_always_indeterminate() {
    for state in [PullState::Closed, PullState::Merged] {
        let mut sample = checked();
        sample.react_body(PlusOne, at(6, 0));
        sample.thread(at(5, 0), HEAD);
        sample.pull().state = state;
        assert_verdict(
            &sample,
            StateWord::Indeterminate,
            &[VerdictBy::Run],
            ReasonCode::PullClosed,
            NextAction::Stop,
        );
    }
}

/// One world of the small model; times are minutes after ten. The head arrived and its checks started before 02.
#[derive(Clone, Copy, Debug)]
struct World {
    /// A trigger at 10.
    trigger: bool,
    /// eyes on the trigger.
    trigger_eyes: Option<u32>,
    /// +1 on the trigger.
    trigger_plus: Option<u32>,
    body_eyes: Option<u32>,
    body_plus: Option<u32>,
    /// A clean comment that names the head, at 22.
    comment: bool,
    /// An inline finding with its time, and whether it is still open.
    thread: Option<(u32, bool)>,
    row: Row,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    None,
    Running(u32),
    Completed,
    Failed(u32),
}

impl World {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (trigger, trigger_eyes, trigger_plus) in [
            (false, None, None),
            (true, None, None),
            (true, Some(11), None),
            (true, None, Some(20)),
            (true, Some(11), Some(20)),
            (true, Some(31), Some(20)),
        ] {
            for (body_eyes, body_plus) in [
                (None, None),
                (Some(11), None),
                (Some(31), None),
                (None, Some(21)),
                (Some(11), Some(21)),
                (Some(31), Some(21)),
            ] {
                for comment in [false, true] {
                    for thread in [
                        None,
                        Some((15, true)),
                        Some((15, false)),
                        Some((25, true)),
                        Some((25, false)),
                    ] {
                        for row in [
                            Row::None,
                            Row::Running(12),
                            Row::Running(32),
                            Row::Completed,
                            Row::Failed(13),
                            Row::Failed(33),
                        ] {
                            all.push(Self {
                                trigger,
                                trigger_eyes,
                                trigger_plus,
                                body_eyes,
                                body_plus,
                                comment,
                                thread,
                                row,
                            });
                        }
                    }
                }
            }
        }
        all
    }

    fn build(&self) -> Sample {
        let mut sample = checked();
        if self.trigger {
            let trigger = sample.trigger(at(10, 0));
            if let Some(minute) = self.trigger_eyes {
                sample.eyes(trigger, at(minute, 0));
            }
            if let Some(minute) = self.trigger_plus {
                sample.plus_one(trigger, at(minute, 0));
            }
        }
        if let Some(minute) = self.body_eyes {
            sample.react_body(Eyes, at(minute, 0));
        }
        if let Some(minute) = self.body_plus {
            sample.react_body(PlusOne, at(minute, 0));
        }
        if self.comment {
            sample.clean_comment(at(22, 0), short());
        }
        if let Some((minute, open)) = self.thread {
            let thread = sample.thread(at(minute, 0), HEAD);
            if !open {
                sample.resolve(&thread);
            }
        }
        match self.row {
            Row::None => {}
            Row::Running(minute) => {
                sample.summary("🔄 **Running** since", short(), at(minute, 0));
            }
            Row::Completed => {
                sample.summary("✅ **Completed**", short(), at(23, 0));
            }
            Row::Failed(minute) => {
                sample.summary("⚠️ **Failed**", short(), at(minute, 0));
            }
        }
        sample
    }

    /// The headline as the table gives it, from the world and not from what the program read.
    fn expected(&self) -> StateWord {
        // Row 1.
        if self.thread.is_some_and(|(_, open)| open) {
            return StateWord::Findings;
        }
        let finding = self.thread.map_or(0, |(minute, _)| minute);
        let signals: Vec<u32> = self
            .trigger_plus
            .into_iter()
            .chain(self.body_plus)
            .chain(self.comment.then_some(22))
            .collect();
        let plus_ones: Vec<u32> = self.trigger_plus.into_iter().chain(self.body_plus).collect();
        let results: Vec<u32> = self
            .comment
            .then_some(22)
            .into_iter()
            .chain(self.thread.map(|(minute, _)| minute))
            .collect();
        let eyes: Vec<u32> = self.trigger_eyes.into_iter().chain(self.body_eyes).collect();
        let running = match self.row {
            Row::Running(minute) => Some(minute),
            Row::None | Row::Completed | Row::Failed(_) => None,
        };
        let reviewing = eyes
            .iter()
            .any(|eyes| plus_ones.iter().chain(&results).all(|later| later <= eyes));
        // The trigger stays unanswered until a +1 of its own or a result that only it can own.
        let answered = !self.trigger || self.trigger_plus.is_some() || !results.is_empty();
        // The signals that prove something: the approval needs silence after it, the run its own trigger's answer.
        let approved = !reviewing && plus_ones.iter().any(|plus_one| *plus_one > finding);
        let run_acknowledged = self.trigger_eyes.is_some_and(|eyes| {
            self.trigger_plus.is_none_or(|plus_one| plus_one <= eyes)
                && results.iter().all(|result| *result < eyes)
        });
        let run_answer: Vec<u32> = if !self.trigger || run_acknowledged {
            Vec::new()
        } else {
            // A result belongs to the trigger only while the trigger was unanswered; the first one answers it.
            let first = results.iter().min().copied();
            let owned = self
                .comment
                .then_some(22)
                .filter(|at| first == Some(*at) && self.trigger_plus.is_none_or(|plus_one| plus_one > 22));
            self.trigger_plus.into_iter().chain(owned).collect()
        };
        let run_clean = run_answer.iter().any(|at| *at > finding);
        let result = self.comment && answered;
        let clean: Vec<u32> = [
            (
                run_clean,
                run_answer.iter().copied().filter(|at| *at > finding).max(),
            ),
            (
                approved,
                plus_ones.iter().copied().filter(|at| *at > finding).max(),
            ),
            (result, Some(22)),
        ]
        .into_iter()
        .filter_map(|(holds, at)| at.filter(|_| holds))
        .collect();
        // Row 2.
        if let Some(newest) = clean.iter().max()
            && eyes.iter().chain(&running).any(|sign| sign > newest)
        {
            return StateWord::InProgress;
        }
        // Row 3.
        if clean.iter().any(|at| *at > finding) {
            return StateWord::Clean;
        }
        // Row 4: nothing of the connector is later than the row.
        let last = signals
            .iter()
            .chain(&eyes)
            .chain(&results)
            .max()
            .copied()
            .unwrap_or(0);
        if let Row::Failed(minute) = self.row
            && last <= minute
        {
            return StateWord::Failed;
        }
        // Row 5: the gate is reviewing, the run acknowledged, or a sign that nothing has answered.
        let running_unanswered = running.is_some_and(|sign| {
            clean.is_empty() && plus_ones.iter().chain(&results).all(|later| *later <= sign)
        });
        if reviewing || run_acknowledged || running_unanswered {
            return StateWord::InProgress;
        }
        StateWord::Indeterminate
    }
}

#[test]
fn every_world_of_the_small_model_has_the_headline_of_the_table() {
    let worlds = World::all();
    assert_eq!(worlds.len(), 6 * 6 * 2 * 5 * 6);
    let mut seen = std::collections::BTreeMap::new();
    for world in worlds {
        let verdict = verdict(&world.build());
        assert_eq!(
            verdict.state,
            world.expected(),
            "{world:?}\n{:?}",
            verdict.reasons
        );
        let count: &mut usize = seen.entry(verdict.state).or_default();
        *count = count.saturating_add(1);
    }
    let states: Vec<StateWord> = seen.keys().copied().collect();
    assert_eq!(
        states,
        [
            StateWord::Clean,
            StateWord::Findings,
            StateWord::Failed,
            StateWord::InProgress,
            StateWord::Indeterminate
        ]
    );
}

#[test]
fn dropping_a_surface_or_a_time_never_makes_a_world_clean() {
    type Drop = fn(&mut crate::evidence::Surfaces);
    let drops: [Drop; 9] = [
        |s| s.issue_comments = Surface::NotCollected,
        |s| s.reviews = Surface::NotCollected,
        |s| s.review_comments = Surface::NotCollected,
        |s| s.threads = Surface::NotCollected,
        |s| s.body_reactions = Surface::NotCollected,
        |s| s.check_runs = Surface::NotCollected,
        |s| s.statuses = Surface::NotCollected,
        |s| s.timeline = Surface::NotCollected,
        |s| {
            for thread in s.threads.items_mut() {
                for comment in &mut thread.comments {
                    comment.created_at = Observed::Missing;
                }
            }
        },
    ];
    // Every seventh world: seven has no factor in common with the sizes of the model.
    for world in World::all().into_iter().step_by(7) {
        let whole = world.build();
        let was = verdict(&whole).state;
        for drop in drops {
            let mut sample = world.build();
            drop(&mut sample.evidence.surfaces);
            let state = verdict(&sample).state;
            assert!(was == StateWord::Clean || state != StateWord::Clean, "{world:?}");
        }
    }
}

#[test]
fn the_order_of_items_never_matters() {
    let reversed = |evidence: &crate::evidence::Evidence| {
        let mut evidence = evidence.clone();
        let surfaces = &mut evidence.surfaces;
        surfaces.issue_comments.items_mut().reverse();
        surfaces.reviews.items_mut().reverse();
        surfaces.review_comments.items_mut().reverse();
        surfaces.threads.items_mut().reverse();
        surfaces.body_reactions.items_mut().reverse();
        surfaces
            .comment_reactions
            .values_mut()
            .for_each(|one| one.items_mut().reverse());
        surfaces.check_runs.items_mut().reverse();
        surfaces.statuses.items_mut().reverse();
        surfaces.edits.items_mut().reverse();
        evidence
    };
    let choices = Options::default();
    let decide = |evidence: &crate::evidence::Evidence| {
        let run = Run::of(evidence, &choices).expect("the pull request was read");
        let gate = Gate::of(&run, &GateOptions::default());
        (Verdict::of(&run, &gate), gate.state)
    };
    for world in World::all().into_iter().step_by(11) {
        let mut sample = world.build();
        sample.check_run("build", Some("failure"), at(2, 0));
        sample.status("ci", "success", at(3, 0));
        let (verdict, gate) = decide(&sample.evidence);
        let (other, other_gate) = decide(&reversed(&sample.evidence));
        assert_eq!(
            (verdict.state, verdict.by, gate),
            (other.state, other.by, other_gate),
            "{world:?}"
        );
    }
}

#[test]
fn a_badge_that_is_not_read_as_a_finding_leaves_nothing_clean() {
    let badge = "![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)  Wrong bound";
    for body in [
        format!("See below.\n\n<details>\n\n{badge}\n\n</details>\n\nThat is all."),
        format!("As I said:\n\n> {badge}\n\nIt stands."),
        format!("It reads:\n\n```\n{badge}\n```\n\nSo much for that."),
        format!("Done.\n\n<!-- {badge} -->"),
    ] {
        let mut sample = checked();
        let trigger = sample.trigger(at(2, 0));
        sample.plus_one(trigger, at(5, 0));
        assert_eq!(verdict(&sample).state, StateWord::Clean);
        sample.comment(connector(), at(20, 0), &body);
        let found = verdict(&sample);
        assert_eq!(found.state, StateWord::Indeterminate, "{body}");
        assert_eq!(
            found.reasons.first().map(|one| one.code),
            Some(ReasonCode::UnclearResult),
            "{body}"
        );
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("read");
        assert_eq!(run.state, RunState::Indeterminate, "{body}");
    }
}
