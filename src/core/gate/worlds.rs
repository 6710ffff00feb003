//! Every small world against an oracle that says what the merge gate demands of it.
//!
//! The oracle knows neither surfaces nor readings: a world is a few numbers (when something happened, in minutes),
//! and each row of the gate is stated once over these numbers. Four families are enumerated: what approves (45,000
//! worlds, of which an ordinary run takes every seventh, `cargo test --lib gate::worlds -- --ignored` all), what blocks
//! (5,376), how the head came (2,880), and what else a merge needs (1,280); and every surface is taken away (80).
//!
//! Where the program and the oracle disagreed at first, or the text of the gate leaves room, it was decided:
//!
//! * A request in the second of the approving thumbs-up counts as later: across surfaces only strict order counts.
//! * A +1 on a comment that is older than the last edit of the description is `approval-stale`, as is any other that
//!   is not fresh; it is not as if there were none.
//! * A `Running` row names the head and says that its verdict is still to come, so it binds no thumbs-up on the body.
//! * A verdict for some other commit ends the previous head's review only where the movement from exactly that
//!   commit is recorded; after an ordinary push the previous head is unknown, and its review counts as in flight.
//! * A review whose state GitHub does not give supersedes no older one: it may be dismissed.

use std::collections::BTreeSet;

use super::*;
use crate::evidence::event::{Event, EventKind};
use crate::evidence::observed::Observed;
use crate::evidence::reaction::ReactionContent::{Eyes, PlusOne};
use crate::evidence::review::ReviewState;
use crate::evidence::sample::{HEAD, OTHER, Sample, at, connector_graphql, person, sha};
use crate::evidence::surface::{Surface, SurfaceError, SurfaceErrorKind};
use crate::evidence::thread::ThreadComment;
use crate::options::Options;

const BADGE: &str = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange?style=flat)</sub></sub>  Wrong bound**\n\nIt overflows.";

fn short(commit: &str) -> &str {
    commit.get(..10).expect("ten digits")
}

/// What the oracle says of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    gate: GateWord,
    waiting: Option<WaitingReason>,
    blockers: BTreeSet<BlockerCode>,
}

impl Answer {
    fn waits(reason: WaitingReason) -> Self {
        Self {
            gate: GateWord::Waiting,
            waiting: Some(reason),
            blockers: BTreeSet::new(),
        }
    }

    fn approved() -> Self {
        Self {
            gate: GateWord::Approved,
            waiting: None,
            blockers: BTreeSet::new(),
        }
    }

    fn of(gate: &Gate) -> Self {
        Self {
            gate: gate.word(),
            waiting: match &gate.state {
                GateState::Waiting(waiting) => Some(waiting.reason),
                GateState::Approved(_) | GateState::Blocking | GateState::Overridden(_) => None,
            },
            blockers: gate.blockers.iter().map(|blocker| blocker.code).collect(),
        }
    }
}

/// The gate of a world; a stranger's thumbs-up and eyes stand in every one of them and change none.
fn decide(mut sample: Sample, options: &GateOptions) -> Gate {
    let mut body = sample.evidence.surfaces.body_reactions.items().to_vec();
    for (id, content) in [(7_001, PlusOne), (7_002, Eyes)] {
        body.push(crate::evidence::reaction::Reaction {
            id: Observed::Known(id),
            user: Some(person()),
            content,
            created_at: Observed::Known(at(55, 0)),
        });
    }
    if sample.evidence.surfaces.body_reactions.is_complete() {
        sample.evidence.surfaces.body_reactions = Surface::complete(body);
    }
    let choices = Options::default();
    let run = Run::of(&sample.evidence, &choices).expect("the pull request was read");
    Gate::of(&run, options)
}

/// Compares every world of a family; gives how many there were.
fn compare<W: std::fmt::Debug>(
    worlds: impl IntoIterator<Item = W>,
    said: impl Fn(&W) -> (Answer, Answer),
) -> usize {
    let mut compared = 0_usize;
    let mut kinds = BTreeSet::new();
    let mut disagreements = Vec::new();
    for world in worlds {
        compared = compared.saturating_add(1);
        let (program, oracle) = said(&world);
        kinds.insert(format!("{:?}{:?}", oracle.gate, oracle.waiting));
        if program != oracle {
            disagreements.push(format!(
                "{world:?}:\n  the program {program:?}\n  the oracle  {oracle:?}"
            ));
        }
    }
    assert!(kinds.len() > 2, "no foregone conclusion: {kinds:?}");
    let shown: Vec<&String> = disagreements.iter().take(12).collect();
    assert!(
        disagreements.is_empty(),
        "{} of {compared} disagree, such as {shown:#?}",
        disagreements.len()
    );
    compared
}

#[expect(clippy::print_stdout, reason = "the number of worlds is part of the proof")]
fn tell(compared: usize, of_what: &str) {
    println!("{compared} worlds of the gate ({of_what}) compared with the oracle");
}

/// The connector's reactions on one thing, in minutes.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    plus: Option<u32>,
    eyes: Option<u32>,
}

impl Marks {
    fn all(plus: &[u32], eyes: &[u32]) -> Vec<Self> {
        let or_none = |times: &[u32]| {
            let some = times.iter().copied().map(Some);
            some.chain([None]).collect::<Vec<_>>()
        };
        let (plus, eyes) = (or_none(plus), or_none(eyes));
        plus.iter()
            .flat_map(|plus| {
                eyes.iter().map(|eyes| Self {
                    plus: *plus,
                    eyes: *eyes,
                })
            })
            .collect()
    }

    fn put(self, sample: &mut Sample, on: Option<u64>) {
        for (time, content) in [(self.plus, PlusOne), (self.eyes, Eyes)] {
            let Some(minute) = time else { continue };
            match on {
                Some(comment) => {
                    sample.react(
                        comment,
                        crate::evidence::sample::connector(),
                        content,
                        at(minute, 0),
                    );
                }
                None => {
                    sample.react_body(content, at(minute, 0));
                }
            }
        }
    }
}

/// What approves: the first check, the edit, and the reactions on the three surfaces.
#[derive(Clone, Copy, Debug)]
struct Approving {
    checked: Option<u32>,
    edited: Option<u32>,
    immaterial: bool,
    body: Marks,
    trigger: Option<(u32, Marks)>,
    /// A comment that found nothing: when, whether for this head, and the reactions on it.
    comment: Option<(u32, bool, Marks)>,
}

impl Approving {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        let triggers = [3, 6].into_iter().flat_map(|asked| {
            let marks = Marks::all(&[asked + 1, asked + 3], &[asked + 1, asked + 2, asked + 4]);
            marks.into_iter().map(move |marks| Some((asked, marks)))
        });
        let triggers: Vec<_> = triggers.chain([None]).collect();
        let comments = [4, 6].into_iter().flat_map(|said| {
            let marks = Marks::all(&[7], &[7, 8]);
            marks.into_iter().map(move |marks| Some((said, true, marks)))
        });
        let elsewhere = [4, 6].map(|said| Some((said, false, Marks::default())));
        let comments: Vec<_> = comments.chain(elsewhere).chain([None]).collect();
        for checked in [None, Some(2)] {
            for (edited, immaterial) in [(None, false), (Some(5), false), (Some(5), true)] {
                for body in Marks::all(&[1, 4, 6], &[1, 4, 5, 7]) {
                    for trigger in &triggers {
                        for comment in &comments {
                            all.push(Self {
                                checked,
                                edited,
                                immaterial,
                                body,
                                trigger: *trigger,
                                comment: *comment,
                            });
                        }
                    }
                }
            }
        }
        all
    }

    fn build(&self) -> Sample {
        let mut sample = Sample::new();
        if let Some(minute) = self.checked {
            sample.check_run("build", Some("success"), at(minute, 0));
        }
        if let Some(minute) = self.edited {
            sample.pull().last_edited_at = Observed::Known(at(minute, 0));
        }
        self.body.put(&mut sample, None);
        if let Some((minute, marks)) = self.trigger {
            let trigger = sample.trigger(at(minute, 0));
            marks.put(&mut sample, Some(trigger));
        }
        if let Some((minute, here, marks)) = self.comment {
            let commit = if here { HEAD } else { OTHER };
            let comment = sample.clean_comment(at(minute, 0), short(commit));
            marks.put(&mut sample, Some(comment));
        }
        sample
    }

    fn options(&self) -> GateOptions {
        GateOptions {
            edit_immaterial: self.immaterial.then(|| "a typo".to_owned()),
            ..GateOptions::default()
        }
    }

    fn expected(&self) -> Answer {
        let edited = self.edited.filter(|_| !self.immaterial);
        let bound = self.checked.max(edited).unwrap_or(0);
        let said_here = self.comment.filter(|(_, here, _)| *here);
        let elsewhere = self.comment.is_some_and(|(_, here, _)| !here);
        // The surfaces whose reactions can approve, the body first.
        let body = self.checked.map(|_| self.body);
        let trigger = self.trigger.map(|(_, marks)| marks);
        let comment = said_here
            .filter(|(said, _, _)| edited.is_none_or(|edited| *said > edited))
            .map(|(_, _, marks)| marks);
        let surfaces: Vec<Marks> = [body, trigger, comment].into_iter().flatten().collect();
        let thumbs: Vec<u32> = surfaces.iter().filter_map(|marks| marks.plus).collect();
        let fresh: Vec<u32> = thumbs.iter().copied().filter(|plus| *plus >= bound).collect();
        let answers: Vec<u32> = fresh
            .iter()
            .copied()
            .chain(said_here.map(|(said, _, _)| said))
            .collect();
        let looking = surfaces
            .iter()
            .filter_map(|marks| marks.eyes)
            .filter(|eyes| *eyes >= bound)
            .any(|eyes| answers.iter().all(|answer| *answer <= eyes));
        // The body's +1 may be an earlier head's where there was one and nothing speaks of this one.
        let bound_body = body.filter(|_| !elsewhere);
        let approval = [bound_body, trigger, comment]
            .into_iter()
            .flatten()
            .filter_map(|marks| marks.plus)
            .filter(|plus| *plus >= bound)
            .max();
        let open = self.trigger.filter(|(asked, marks)| {
            let thumbed = marks
                .plus
                .is_some_and(|plus| marks.eyes.is_none_or(|eyes| eyes < plus));
            !thumbed && said_here.is_none_or(|(said, _, _)| said < *asked)
        });
        let asked_since = approval.is_some_and(|approval| open.is_some_and(|(asked, _)| asked >= approval));
        if looking || asked_since {
            return Answer::waits(WaitingReason::Reviewing);
        }
        if elsewhere {
            return Answer::waits(WaitingReason::ReviewedCommitMismatch);
        }
        if approval.is_some() {
            return Answer::approved();
        }
        let unused = said_here.and_then(|(_, _, marks)| marks.plus);
        Answer::waits(if !thumbs.is_empty() || unused.is_some() {
            WaitingReason::ApprovalStale
        } else if self.checked.is_none() {
            WaitingReason::NoTimestampedChecks
        } else {
            WaitingReason::NoApproval
        })
    }
}

/// Compares every `stride`-th world of what approves.
fn compare_approving(stride: usize) {
    let compared = compare(Approving::all().into_iter().step_by(stride), |world| {
        let gate = decide(world.build(), &world.options());
        (Answer::of(&gate), world.expected())
    });
    tell(compared, "approval");
}

#[test]
fn every_small_world_of_reactions_is_approved_or_waits_as_the_gate_says() {
    // Seven has no factor in common with the sizes of the family.
    compare_approving(7);
}

#[test]
#[ignore = "takes a quarter of a minute; run it when the reading of reactions changes"]
fn all_worlds_of_reactions_are_approved_or_wait_as_the_gate_says() {
    compare_approving(1);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThreadOf {
    Nobody,
    Open,
    OpenElsewhere,
    Resolved,
    Outdated,
    Answered,
    AnsweredResolved,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReviewSays {
    Nothing,
    Changes,
    ChangesElsewhere,
    ChangesDismissed,
    Body,
    BodyHandled,
    /// A body finding, and a newer review whose one thread is resolved.
    BodySuperseded,
    /// The same, and GitHub does not give the newer one's state.
    BodyBeforeUnknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommentSays {
    Nothing,
    Finding,
    FindingHandled,
    FindingElsewhere,
    Unclear,
    UnclearElsewhere,
}

/// What blocks, and what is told of it when the user overrides.
#[derive(Clone, Copy, Debug)]
struct Blocking {
    thread: ThreadOf,
    review: ReviewSays,
    comment: CommentSays,
    closed: bool,
    broken: bool,
    overridden: bool,
    /// The thumbs-up on the body: before or after everything else.
    thumb: u32,
}

impl Blocking {
    fn all() -> Vec<Self> {
        use CommentSays as C;
        use ReviewSays as R;
        use ThreadOf as T;
        let mut all = Vec::new();
        for thread in [
            T::Nobody,
            T::Open,
            T::OpenElsewhere,
            T::Resolved,
            T::Outdated,
            T::Answered,
            T::AnsweredResolved,
        ] {
            for review in [
                R::Nothing,
                R::Changes,
                R::ChangesElsewhere,
                R::ChangesDismissed,
                R::Body,
                R::BodyHandled,
                R::BodySuperseded,
                R::BodyBeforeUnknown,
            ] {
                for comment in [
                    C::Nothing,
                    C::Finding,
                    C::FindingHandled,
                    C::FindingElsewhere,
                    C::Unclear,
                    C::UnclearElsewhere,
                ] {
                    for number in 0..16_u32 {
                        all.push(Self {
                            thread,
                            review,
                            comment,
                            closed: number & 1 != 0,
                            broken: number & 2 != 0,
                            overridden: number & 4 != 0,
                            thumb: if number & 8 == 0 { 2 } else { 30 },
                        });
                    }
                }
            }
        }
        all
    }

    fn build(&self) -> Sample {
        let mut sample = Sample::new();
        sample.check_run("build", Some("success"), at(1, 0));
        sample.react_body(PlusOne, at(self.thumb, 0));
        self.put_thread(&mut sample);
        self.put_review(&mut sample);
        self.put_comment(&mut sample);
        if self.closed {
            sample.pull().state = PullState::Closed;
        }
        if self.broken {
            let error = SurfaceError {
                kind: SurfaceErrorKind::Timeout,
                message: "it broke off.".into(),
            };
            let statuses = std::mem::take(&mut sample.evidence.surfaces.statuses);
            sample.evidence.surfaces.statuses = statuses.into_incomplete(error);
        }
        sample
    }

    fn put_thread(&self, sample: &mut Sample) {
        let commit = match self.thread {
            ThreadOf::Nobody => return,
            ThreadOf::OpenElsewhere => OTHER,
            ThreadOf::Open
            | ThreadOf::Resolved
            | ThreadOf::Outdated
            | ThreadOf::Answered
            | ThreadOf::AnsweredResolved => HEAD,
        };
        let node = sample.thread(at(3, 0), commit);
        let surfaces = &mut sample.evidence.surfaces;
        if matches!(self.thread, ThreadOf::Answered | ThreadOf::AnsweredResolved) {
            for review in surfaces.reviews.items_mut() {
                review.user = Some(person());
            }
            for comment in surfaces.review_comments.items_mut() {
                comment.user = Some(person());
            }
            for thread in surfaces.threads.items_mut() {
                for comment in &mut thread.comments {
                    comment.author = Some(person());
                }
                thread.comments.push(ThreadComment {
                    id: Observed::Known(70_000),
                    author: Some(connector_graphql()),
                    created_at: Observed::Known(at(3, 30)),
                    body: Observed::Known("It does overflow.".into()),
                    ..ThreadComment::default()
                });
            }
        }
        match self.thread {
            ThreadOf::Resolved | ThreadOf::AnsweredResolved => sample.resolve(&node),
            ThreadOf::Outdated => {
                for thread in sample.evidence.surfaces.threads.items_mut() {
                    thread.is_outdated = Observed::Known(true);
                }
            }
            ThreadOf::Nobody | ThreadOf::Open | ThreadOf::OpenElsewhere | ThreadOf::Answered => {}
        }
    }

    fn put_review(&self, sample: &mut Sample) {
        let body =
            format!("\n### 💡 Codex Review\n\nhttps://github.com/o/r/blob/{HEAD}/src/a.rs#L1-L2\n{BADGE}");
        let settled = |sample: &mut Sample, minute: u32, commit: &str, state: ReviewState| {
            let node = sample.thread(at(minute, 0), commit);
            sample.resolve(&node);
            if let Some(review) = sample.evidence.surfaces.reviews.items_mut().last_mut() {
                review.state = state;
            }
        };
        match self.review {
            ReviewSays::Nothing => {}
            ReviewSays::Changes => settled(sample, 5, HEAD, ReviewState::ChangesRequested),
            ReviewSays::ChangesElsewhere => settled(sample, 5, OTHER, ReviewState::ChangesRequested),
            ReviewSays::ChangesDismissed => settled(sample, 5, HEAD, ReviewState::Dismissed),
            ReviewSays::Body => {
                sample.review(at(5, 0), HEAD, &body);
            }
            ReviewSays::BodyHandled => {
                let id = sample.review(at(5, 0), HEAD, &body);
                handled(sample, &format!("review-body:{id}"));
            }
            ReviewSays::BodySuperseded => {
                sample.review(at(5, 0), HEAD, &body);
                settled(sample, 6, HEAD, ReviewState::Commented);
            }
            ReviewSays::BodyBeforeUnknown => {
                sample.review(at(5, 0), HEAD, &body);
                settled(sample, 6, HEAD, ReviewState::Missing);
            }
        }
    }

    fn put_comment(&self, sample: &mut Sample) {
        let say = |sample: &mut Sample, what: &str, commit: &str| {
            let body = format!("{what}\n\n**Reviewed commit:** `{}`", short(commit));
            sample.comment(crate::evidence::sample::connector(), at(7, 0), &body)
        };
        let unclear = "Codex Review: The parser deserves a deeper look.";
        match self.comment {
            CommentSays::Nothing => {}
            CommentSays::Finding => {
                say(sample, BADGE, HEAD);
            }
            CommentSays::FindingHandled => {
                let id = say(sample, BADGE, HEAD);
                handled(sample, &format!("issue-comment:{id}"));
            }
            CommentSays::FindingElsewhere => {
                say(sample, BADGE, OTHER);
            }
            CommentSays::Unclear => {
                say(sample, unclear, HEAD);
            }
            CommentSays::UnclearElsewhere => {
                say(sample, unclear, OTHER);
            }
        }
        resolve_other(sample);
    }

    fn options(&self) -> GateOptions {
        GateOptions {
            override_reason: self.overridden.then(|| "the user said so".to_owned()),
            ..GateOptions::default()
        }
    }

    fn expected(&self) -> Answer {
        use BlockerCode as B;
        let mut blockers = BTreeSet::new();
        blockers.extend(match self.thread {
            ThreadOf::Open | ThreadOf::OpenElsewhere => Some(B::FindingThread),
            ThreadOf::Answered => Some(B::CodexThread),
            ThreadOf::Nobody | ThreadOf::Resolved | ThreadOf::Outdated | ThreadOf::AnsweredResolved => None,
        });
        blockers.extend(match self.review {
            ReviewSays::Changes => Some(B::ChangesRequested),
            ReviewSays::Body | ReviewSays::BodyBeforeUnknown => Some(B::FindingReviewBody),
            ReviewSays::Nothing
            | ReviewSays::ChangesElsewhere
            | ReviewSays::ChangesDismissed
            | ReviewSays::BodyHandled
            | ReviewSays::BodySuperseded => None,
        });
        blockers.extend(match self.comment {
            CommentSays::Finding => Some(B::FindingComment),
            CommentSays::Unclear => Some(B::UnclearResult),
            CommentSays::Nothing
            | CommentSays::FindingHandled
            | CommentSays::FindingElsewhere
            | CommentSays::UnclearElsewhere => None,
        });
        blockers.extend(self.closed.then_some(B::PullClosed));
        blockers.extend(self.broken.then_some(B::IncompleteSurface));
        let word = |gate| Answer {
            gate,
            waiting: None,
            blockers: blockers.clone(),
        };
        if self.overridden && !self.broken {
            return word(GateWord::Overridden);
        }
        if !blockers.is_empty() {
            return word(GateWord::Blocking);
        }
        // Nothing blocks: what is left is addressed, superseded, or another head's.
        let thread_here = match self.thread {
            ThreadOf::Resolved | ThreadOf::Outdated | ThreadOf::Open => true,
            ThreadOf::Nobody | ThreadOf::OpenElsewhere | ThreadOf::Answered | ThreadOf::AnsweredResolved => {
                false
            }
        };
        let review_here = !matches!(self.review, ReviewSays::Nothing | ReviewSays::ChangesElsewhere);
        let comment_here = self.comment == CommentSays::FindingHandled;
        let comment_elsewhere = matches!(
            self.comment,
            CommentSays::FindingElsewhere | CommentSays::UnclearElsewhere
        );
        if comment_elsewhere {
            return Answer::waits(WaitingReason::ReviewedCommitMismatch);
        }
        let earlier_head = self.review == ReviewSays::ChangesElsewhere;
        let named = thread_here || review_here || comment_here;
        if earlier_head && !named {
            return Answer::waits(WaitingReason::ApprovalUnbound);
        }
        // Every finding for this head came at minute 3 or later, addressed or not.
        if named && self.thumb == 2 {
            return Answer::waits(WaitingReason::ApprovalStale);
        }
        Answer::approved()
    }
}

/// A trusted person's marker.
fn handled(sample: &mut Sample, key: &str) {
    let body = format!(
        "Fixed.\n<!-- codex-loop: handled {key} outcome=fixed id=11111111-2222-3333-4444-555555555555 -->"
    );
    sample.comment(person(), at(9, 0), &body);
}

/// GitHub knows the other commit by its prefix, too.
fn resolve_other(sample: &mut Sample) {
    let mut known = sample.evidence.surfaces.resolved_commits.items().to_vec();
    known.push(crate::evidence::pull::ResolvedCommit {
        prefix: short(OTHER).into(),
        oid: Some(sha(OTHER)),
    });
    sample.evidence.surfaces.resolved_commits = Surface::complete(known);
}

#[test]
fn every_small_world_of_findings_blocks_or_does_not_as_the_gate_says() {
    let compared = compare(Blocking::all(), |world| {
        let gate = decide(world.build(), &world.options());
        (Answer::of(&gate), world.expected())
    });
    tell(compared, "blocking");
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    /// Opened at the head: one commit, nothing moved.
    Opened,
    /// By an ordinary push: two commits, nothing recorded.
    Pushed,
    /// By a recorded movement from the other commit.
    Forced,
    /// By a recorded movement from a commit that GitHub does not know any more.
    ForcedFromUnknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Nothing,
    Review,
    Clean,
    CompletedRow,
    RunningRow,
}

/// How the head came at minute 10, and for which head a thumbs-up on the body is.
#[derive(Clone, Copy, Debug)]
struct Arriving {
    came: Came,
    /// When the connector reviewed the other commit.
    reviewed: Option<u32>,
    names: Names,
    thumb: u32,
    eyes: Option<u32>,
}

const ARRIVAL: u32 = 10;

impl Arriving {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for came in [Came::Opened, Came::Pushed, Came::Forced, Came::ForcedFromUnknown] {
            for reviewed in [None, Some(4), Some(ARRIVAL), Some(12)] {
                for names in [
                    Names::Nothing,
                    Names::Review,
                    Names::Clean,
                    Names::CompletedRow,
                    Names::RunningRow,
                ] {
                    for thumb in [9, 10, 11, 14, 45, 46] {
                        for eyes in [None, Some(9), Some(11), Some(14), Some(46), Some(47)] {
                            all.push(Self {
                                came,
                                reviewed,
                                names,
                                thumb,
                                eyes,
                            });
                        }
                    }
                }
            }
        }
        all
    }

    fn build(&self) -> Sample {
        let mut sample = Sample::new();
        for suite in sample.evidence.surfaces.check_suites.items_mut() {
            suite.created_at = Observed::Known(at(ARRIVAL, 0));
        }
        sample.check_run("build", Some("success"), at(ARRIVAL, 0));
        match self.came {
            Came::Opened => sample.pull().created_at = Observed::Known(at(ARRIVAL, 0)),
            Came::Pushed => {
                let here = sample.evidence.surfaces.commits.items().to_vec();
                let before = crate::evidence::pull::Commit {
                    oid: sha(OTHER),
                    committed_date: Observed::Known(at(0, 0)),
                };
                sample.evidence.surfaces.commits =
                    Surface::complete(std::iter::once(before).chain(here).collect());
            }
            Came::Forced => sample.force_push(at(ARRIVAL, 0), OTHER, HEAD),
            Came::ForcedFromUnknown => {
                let event = Event {
                    id: "HRFP_1".into(),
                    kind: EventKind::HeadForcePushed {
                        before: None,
                        after: Some(sha(HEAD)),
                    },
                    created_at: Observed::Known(at(ARRIVAL, 0)),
                    actor: Some(person()),
                };
                sample.evidence.surfaces.timeline = Surface::complete(vec![event]);
            }
        }
        if let Some(minute) = self.reviewed {
            let node = sample.thread(at(minute, 0), OTHER);
            sample.resolve(&node);
        }
        match self.names {
            Names::Nothing => {}
            Names::Review => {
                let node = sample.thread(at(13, 0), HEAD);
                sample.resolve(&node);
            }
            Names::Clean => {
                sample.clean_comment(at(13, 0), short(HEAD));
            }
            Names::CompletedRow => {
                sample.summary("✅ **Completed**", short(HEAD), at(13, 0));
            }
            Names::RunningRow => {
                sample.summary("🔄 **Running** since", short(HEAD), at(13, 0));
            }
        }
        Marks {
            plus: Some(self.thumb),
            eyes: self.eyes,
        }
        .put(&mut sample, None);
        sample
    }

    fn expected(&self) -> Answer {
        let fresh = |minute: u32| minute >= ARRIVAL;
        let thumb = Some(self.thumb).filter(|minute| fresh(*minute));
        let result = match self.names {
            Names::Review | Names::Clean => Some(13),
            Names::Nothing | Names::CompletedRow | Names::RunningRow => None,
        };
        if let Some(eyes) = self.eyes.filter(|minute| fresh(*minute))
            && thumb.into_iter().chain(result).all(|answer| answer <= eyes)
        {
            return Answer::waits(WaitingReason::Reviewing);
        }
        let Some(thumb) = thumb else {
            return Answer::waits(WaitingReason::ApprovalStale);
        };
        let another = self.came != Came::Opened || self.reviewed.is_some();
        let ended = self.came == Came::Forced && self.reviewed.is_some_and(|minute| minute < ARRIVAL);
        let named = matches!(self.names, Names::Review | Names::Clean | Names::CompletedRow);
        if another && !ended && !named && thumb - ARRIVAL <= 35 {
            return Answer::waits(WaitingReason::ApprovalUnbound);
        }
        // The finding of the review is addressed, and has to be older than the thumbs-up.
        if self.names == Names::Review && thumb <= 13 {
            return Answer::waits(WaitingReason::ApprovalStale);
        }
        Answer::approved()
    }
}

#[test]
fn every_small_way_of_a_head_binds_a_thumbs_up_or_not_as_the_gate_says() {
    let compared = compare(Arriving::all(), |world| {
        let gate = decide(world.build(), &GateOptions::default());
        (Answer::of(&gate), world.expected())
    });
    tell(compared, "the previous head");
}

/// Names and conclusions, what they come to, and what without the one called `lint`.
type Checked = (
    &'static [(&'static str, Option<&'static str>)],
    TestsState,
    TestsState,
);

/// Checks with what they come to, with and without the one called `lint`.
const CHECKS: [Checked; 10] = [
    (&[], TestsState::None, TestsState::None),
    (
        &[("build", Some("success"))],
        TestsState::Passing,
        TestsState::Passing,
    ),
    (
        &[("lint", Some("success"))],
        TestsState::Passing,
        TestsState::None,
    ),
    (
        &[("build", Some("neutral")), ("lint", Some("skipped"))],
        TestsState::Passing,
        TestsState::Passing,
    ),
    (
        &[("build", Some("success")), ("lint", None)],
        TestsState::Pending,
        TestsState::Passing,
    ),
    (
        &[("build", Some("success")), ("lint", Some("failure"))],
        TestsState::Failing,
        TestsState::Passing,
    ),
    (
        &[("build", Some("cancelled")), ("lint", Some("success"))],
        TestsState::Failing,
        TestsState::Failing,
    ),
    (
        &[("build", Some("surprise")), ("lint", Some("success"))],
        TestsState::Pending,
        TestsState::Pending,
    ),
    (
        &[("build", Some("failure")), ("build", Some("success"))],
        TestsState::Passing,
        TestsState::Passing,
    ),
    (
        &[("build", Some("success")), ("build", Some("timed_out"))],
        TestsState::Failing,
        TestsState::Failing,
    ),
];

#[test]
fn a_merge_is_allowed_exactly_when_everything_it_needs_is_there() {
    let mut compared = 0_usize;
    for (checks, all, without_lint) in CHECKS {
        for number in 0..128_u32 {
            let has = |bit: u32| number & (1 << bit) != 0;
            let (approved, overridden, draft) = (has(0), has(1), has(2));
            let (allow_none, ignore, closed, conflicting) = (has(3), has(4), has(5), has(6));
            let mut sample = Sample::new();
            let trigger = sample.trigger(at(2, 0));
            for (place, (name, conclusion)) in checks.iter().enumerate() {
                let second = u32::try_from(place).unwrap_or(0);
                sample.check_run(name, *conclusion, at(1, second));
            }
            if approved {
                sample.plus_one(trigger, at(5, 0));
            }
            let pull = sample.pull();
            pull.is_draft = draft;
            pull.state = if closed {
                PullState::Merged
            } else {
                PullState::Open
            };
            pull.mergeable = Some(if conflicting { "CONFLICTING" } else { "UNKNOWN" }.into());
            let options = GateOptions {
                override_reason: overridden.then(|| "the user said so".to_owned()),
                allow_no_checks: allow_none,
                ignored_checks: ignore.then(|| "lint".to_owned()).into_iter().collect(),
                ..GateOptions::default()
            };
            let mergeable = sample.pull().mergeable.clone();
            let gate = decide(sample, &options);
            let tests = if ignore { without_lint } else { all };
            let tested = tests == TestsState::Passing || tests == TestsState::None && allow_none;
            let stands = overridden || approved && !closed;
            let allowed = stands && tested && !draft && !closed && !conflicting;
            let end = if allowed {
                GateEnd::Allowed
            } else if closed || conflicting || tests == TestsState::Failing {
                GateEnd::Work
            } else {
                GateEnd::Pending
            };
            assert_eq!(
                (
                    gate.checks.state,
                    gate.merge_allowed,
                    gate.end(mergeable.as_deref())
                ),
                (tests, allowed, end),
                "{checks:?} approved {approved} overridden {overridden} draft {draft} none allowed {allow_none} \
                 ignored {ignore} closed {closed} conflicting {conflicting}"
            );
            compared = compared.saturating_add(1);
        }
    }
    tell(compared, "merging");
}

#[test]
fn a_surface_that_was_not_read_approves_nothing_and_overrides_nothing() {
    type Take = fn(&mut crate::evidence::Surfaces);
    let mut compared = 0_usize;
    macro_rules! take {
        ($($surface:ident),+) => {
            [$((stringify!($surface), (|surfaces| surfaces.$surface = Surface::NotCollected) as Take,
                (|surfaces| {
                    let whole = std::mem::take(&mut surfaces.$surface);
                    surfaces.$surface = whole.into_incomplete(SurfaceError {
                        kind: SurfaceErrorKind::Network,
                        message: "it broke off.".into(),
                    });
                }) as Take)),+]
        };
    }
    let surfaces = take!(
        commits,
        check_suites,
        timeline,
        issue_comments,
        reviews,
        review_comments,
        threads,
        body_reactions,
        check_runs,
        statuses
    );
    for (name, gone, broken) in surfaces {
        for take in [gone, broken] {
            for overridden in [false, true] {
                for finding in [false, true] {
                    let mut sample = Sample::new();
                    sample.check_run("build", Some("success"), at(1, 0));
                    sample.react_body(PlusOne, at(20, 0));
                    if finding {
                        sample.thread(at(5, 0), HEAD);
                    }
                    take(&mut sample.evidence.surfaces);
                    let options = GateOptions {
                        override_reason: overridden.then(|| "the user said so".to_owned()),
                        ..GateOptions::default()
                    };
                    let gate = decide(sample, &options);
                    let told = gate
                        .blockers
                        .iter()
                        .any(|blocker| blocker.code == BlockerCode::IncompleteSurface);
                    assert!(told, "{name}");
                    assert_eq!(gate.word(), GateWord::Blocking, "{name}");
                    assert!(!gate.merge_allowed, "{name}");
                    // Without a proven blocker nothing is known.
                    if !finding {
                        assert!(gate.undecided().is_some(), "{name}");
                    }
                    compared = compared.saturating_add(1);
                }
            }
        }
    }
    tell(compared, "surfaces");
}
