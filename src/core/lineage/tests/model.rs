//! Every course of events of a small world, walked to a fixed depth with the real states and transitions.
//!
//! One pull request, one machine, requests that reach GitHub at once, late or never, crashes at every step, time in
//! steps of three minutes. The one assumption is the protocol's own: no request is in flight for five minutes.

use chrono::TimeDelta;

use super::*;

/// How a request fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Applied,
    AppliedUnanswered,
    Refused,
    Lost,
    Late,
}

const FATES: [Fate; 5] = [
    Fate::Applied,
    Fate::AppliedUnanswered,
    Fate::Refused,
    Fate::Lost,
    Fate::Late,
];

/// One thing that may happen.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A whole attempt.
    Attempt(Fate),
    /// An attempt whose process dies before anything is sent.
    CrashBefore,
    /// An attempt whose process dies after sending, before it reads again.
    CrashAfter(Fate),
    /// `--reconcile`.
    Reconcile,
    /// Three minutes pass.
    Wait,
    /// A late request arrives.
    Deliver,
}

fn steps() -> Vec<Step> {
    let mut all = vec![Step::CrashBefore, Step::Reconcile, Step::Wait, Step::Deliver];
    all.extend(FATES.map(Step::Attempt));
    // A process that dies sees no answer.
    all.extend([Fate::Applied, Fate::Lost, Fate::Late].map(Step::CrashAfter));
    all
}

#[derive(Clone)]
struct Small {
    now: Timestamp,
    next: u64,
    /// Nonces of the triggers on GitHub.
    posted: Vec<String>,
    in_flight: Option<(String, Timestamp)>,
    journal: Vec<Attempt>,
}

impl Small {
    fn new() -> Self {
        Self {
            now: at(0, 0),
            next: 0,
            posted: Vec::new(),
            in_flight: None,
            journal: Vec::new(),
        }
    }

    fn open(&self) -> Option<Open> {
        self.journal.iter().rev().find_map(Open::of)
    }

    fn refresh(&self, attempt: &Attempt) -> Refresh {
        let (ours, foreign): (Vec<&String>, Vec<&String>) = self
            .posted
            .iter()
            .partition(|nonce| **nonce == attempt.id.as_str());
        let all = |nonces: Vec<&String>| nonces.iter().map(|_| landed(10)).collect();
        Refresh {
            gap: None,
            head: sha(HEAD),
            ours: all(ours),
            foreign: all(foreign),
            copies: Vec::new(),
            deleted: false,
        }
    }

    fn put(&mut self, attempt: Attempt) {
        match self.journal.iter_mut().find(|known| known.id == attempt.id) {
            Some(known) => {
                assert_allowed(known.state.word(), attempt.state.word());
                *known = attempt;
            }
            None => self.journal.push(attempt),
        }
    }

    /// What a preflight lets through: nothing open here, nothing unanswered there.
    fn begin(&mut self) -> Option<Planned> {
        if self.open().is_some() || !self.posted.is_empty() {
            return None;
        }
        self.next = self.next.saturating_add(1);
        let nonce: Nonce = format!("0a1b2c3d-0000-4000-8000-{:012x}", self.next)
            .parse()
            .expect("a nonce");
        let planned = Planned::of(
            permit(),
            authorization(AuthorizationKind::Fresh),
            nonce,
            &[],
            self.now,
        )
        .expect("a recognised text");
        self.put(planned.attempt().clone());
        Some(planned)
    }

    fn send(&mut self, fate: Fate) -> Option<Posted> {
        let planned = self.begin()?;
        let nonce = planned.attempt().id.to_string();
        let post = planned.with_head(&sha(HEAD), self.now).expect("the head stands");
        let unknown = Answer::Unknown {
            message: "HTTP 502".into(),
        };
        Some(post.sent(match fate {
            Fate::Applied => {
                self.posted.push(nonce);
                Answer::Accepted
            }
            Fate::AppliedUnanswered => {
                self.posted.push(nonce);
                unknown
            }
            Fate::Refused => Answer::Rejected {
                message: "HTTP 422".into(),
            },
            Fate::Lost => unknown,
            Fate::Late => {
                self.in_flight = Some((nonce, self.now));
                unknown
            }
        }))
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::CrashBefore => drop(self.begin()),
            Step::CrashAfter(fate) => drop(self.send(fate)),
            Step::Attempt(fate) => {
                if let Some(posted) = self.send(fate) {
                    let refresh = self.refresh(posted.attempt());
                    let settled = posted.settle(&refresh, self.now);
                    self.put(settled);
                }
            }
            Step::Reconcile => {
                if let Some(open) = self.open() {
                    let refresh = self.refresh(open.attempt());
                    let reconciled = open.reconcile(&refresh, None, self.now);
                    // An attempt that stays open may be told the same again.
                    if reconciled.attempt.state.word() != RetryTransitionState::Creating {
                        self.put(reconciled.attempt);
                    }
                }
            }
            Step::Wait => {
                self.now += TimeDelta::minutes(3);
                let over = |since: Timestamp| self.now - since >= TimeDelta::minutes(5);
                if self.in_flight.as_ref().is_some_and(|(_, since)| over(*since)) {
                    self.in_flight = None;
                }
            }
            Step::Deliver => {
                if let Some((nonce, _)) = self.in_flight.take() {
                    self.posted.push(nonce);
                }
            }
        }
    }

    fn check(&self, course: &[Step]) {
        assert!(self.posted.len() <= 1, "two triggers: {course:?}");
        for nonce in &self.posted {
            let known = self.journal.iter().find(|attempt| attempt.id.as_str() == nonce);
            let word = known.map(|attempt| attempt.state.word());
            // What stands on GitHub is known here, as bound or as not settled yet.
            assert!(
                matches!(
                    word,
                    Some(
                        RetryTransitionState::Created
                            | RetryTransitionState::Creating
                            | RetryTransitionState::ReconciliationRequired
                    )
                ),
                "{word:?}: {course:?}"
            );
        }
        for attempt in &self.journal {
            if let AttemptState::Created { .. } = attempt.state {
                assert!(self.posted.contains(&attempt.id.to_string()), "{course:?}");
            }
        }
    }
}

fn walk(small: &Small, course: &mut Vec<Step>, depth: usize, seen: &mut usize) {
    small.check(course);
    *seen = seen.saturating_add(1);
    if depth == 0 {
        return;
    }
    for step in steps() {
        let mut next = small.clone();
        next.take(step);
        course.push(step);
        walk(&next, course, depth.saturating_sub(1), seen);
        course.pop();
    }
}

#[test]
fn no_course_of_events_posts_twice_or_forgets_an_intent() {
    let mut seen = 0;
    walk(&Small::new(), &mut Vec::new(), 5, &mut seen);
    assert_eq!(seen, 1 + 12 + 144 + 1_728 + 20_736 + 248_832);
}
