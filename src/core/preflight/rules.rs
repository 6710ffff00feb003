//! The blockers themselves: one method a rule, in the order in which they are named.

use super::poster::{PosterReading, poster};
use super::{Ask, Blocker, BlockerCode};
use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::triggers::Superseded;
use crate::evidence::event::EventKind;
use crate::evidence::name::{EvidenceName, Id};
use crate::evidence::observed::Timestamp;
use crate::evidence::pull::PullState;
use crate::evidence::review::ReviewState;
use crate::evidence::surface::Surface;
use crate::finding::FindingState;
use crate::gate::approval::may_be_for_head;
use crate::lineage::AttemptKind;
use crate::reading::{EditState, NamedCommit, Role};
use crate::run::attribution::{Outcome, refuses};
use crate::run::candidate::{Candidate, Reactions, ResolutionKind};
use crate::run::failure::{FailedRuns, lineage};
use crate::run::warnings::automatic_run_possible;
use crate::run::{Run, RunState, indeterminate};
use crate::verdict::signals::newest_possible_clean_result;

/// Everything that stands in the way.
pub(super) fn blockers(run: &Run<'_>, kind: AttemptKind, ask: &Ask) -> Vec<Blocker> {
    let mut found = Found {
        run,
        kind,
        ask,
        blockers: Vec::new(),
    };
    found.all();
    found.blockers
}

struct Found<'a, 'e> {
    run: &'a Run<'e>,
    kind: AttemptKind,
    ask: &'a Ask,
    blockers: Vec<Blocker>,
}

impl<'e> Found<'_, 'e> {
    fn all(&mut self) {
        self.pull_closed();
        self.triggers();
        self.bot_run();
        self.automatic_run();
        self.already_reviewed();
        self.open_findings();
        self.refused();
        self.lineage();
        self.comment_deleted();
        self.poster();
        self.open_intent();
        self.doubts();
    }

    fn block(&mut self, code: BlockerCode, message: impl Into<String>, evidence: Vec<EvidenceName>) {
        self.blockers.push(Blocker::new(code, message, evidence));
    }

    fn pull_closed(&mut self) {
        let message = match &self.run.reading.pull.state {
            PullState::Open | PullState::Unrecognized(_) => return,
            PullState::Closed => "The pull request is closed.",
            PullState::Merged => "The pull request is merged.",
        };
        self.block(BlockerCode::PullClosed, message, vec![EvidenceName::Pull]);
    }

    /// What stands unanswered on the head, apart from the one trigger that is to be abandoned.
    fn triggers(&mut self) {
        let run = self.run;
        let unresolved: Vec<&Candidate<'e>> = run.candidates.unresolved().collect();
        let superseded = self.superseded(&unresolved);
        let left = unresolved
            .iter()
            .filter(|candidate| Some(&candidate.name) != superseded.as_ref());
        let (who, left): (Vec<String>, Vec<EvidenceName>) = left
            .map(|candidate| (candidate.order.id.to_string(), candidate.name.clone()))
            .unzip();
        if !left.is_empty() {
            let message = format!(
                "A trigger on this head is unanswered: comment {}. Wait for its result.",
                who.join(", ")
            );
            self.block(BlockerCode::UnresolvedTrigger, message, left);
        }
        if let Some(unproven) = run.unproven() {
            let left: Vec<EvidenceName> = unproven
                .evidence
                .into_iter()
                .filter(|name| Some(name) != superseded.as_ref())
                .collect();
            if !left.is_empty() {
                self.block(BlockerCode::TriggerHeadUnproven, unproven.message, left);
            }
        }
        if unresolved.len() > 1 {
            let names = unresolved
                .iter()
                .map(|candidate| candidate.name.clone())
                .collect();
            let message =
                "Two or more triggers on this head are unanswered; no result can be given to either.";
            self.block(BlockerCode::OverlappingTriggers, message, names);
        }
    }

    /// The one unanswered trigger that is to be abandoned. Naming anything else is a blocker of its own.
    fn superseded(&mut self, unresolved: &[&Candidate<'e>]) -> Option<EvidenceName> {
        let message = match self.ask.supersedes {
            None => return None,
            Some(Superseded::Comment(id)) => match unresolved {
                [only] if only.order.id == id => return Some(only.name.clone()),
                [] => format!("Comment {id} cannot be superseded: no trigger on this head is unanswered."),
                [_] => format!("Comment {id} is not the unanswered trigger on this head."),
                [..] => "Only a single unanswered trigger can be superseded.".to_owned(),
            },
            Some(Superseded::Reaction(id)) => match self.body_eyes() {
                Some((_, name)) if name == EvidenceName::Reaction(Id::Number(id)) => {
                    return None;
                }
                Some(_) | None => {
                    format!("Reaction {id} is not the connector's newest eyes on the pull request.")
                }
            },
        };
        self.block(BlockerCode::NotSuperseded, message, Vec::new());
        None
    }

    fn body_reactions(&self) -> Reactions {
        let items = self.run.reading.evidence.surfaces.body_reactions.items();
        Reactions::of(&self.run.reading.reactions(items))
    }

    /// The connector's newest eyes on the body.
    fn body_eyes(&self) -> Option<(Timestamp, EvidenceName)> {
        self.body_reactions().eyes
    }

    fn bot_run(&mut self) {
        if let Some(name) = self.run.running_row() {
            let message = "The connector's summary says that a review of this head is running.";
            self.block(BlockerCode::BotRunActive, message, vec![name]);
        }
        if let Some(name) = self.active_body_eyes() {
            let message = "The connector's eyes on the pull request are newer than everything it said: a review is \
                           running.";
            self.block(BlockerCode::BotRunActive, message, vec![name]);
        }
        // An unanswered trigger is a blocker already; eyes newer than a +1 mean that it is at work once more.
        if let RunState::InProgress { eyes } = &self.run.state
            && let Some(newest) = self.run.candidates.newest_on_head()
            && newest.resolution.is_some()
        {
            let (eyes, newest) = (eyes.clone(), newest.name.clone());
            let message = "The connector acknowledged the newest trigger once more and has not answered.";
            self.block(BlockerCode::BotRunActive, message, vec![eyes, newest]);
        }
    }

    /// Older eyes than any +1 or any result naming the head are spent; abandoned ones do not count.
    fn active_body_eyes(&self) -> Option<EvidenceName> {
        let body = self.body_reactions();
        let (at, name) = body.eyes?;
        let abandoned = |superseded: Superseded| match superseded {
            Superseded::Reaction(id) => name == EvidenceName::Reaction(Id::Number(id)),
            Superseded::Comment(_) => false,
        };
        let candidates = &self.run.candidates.all;
        if self.ask.supersedes.is_some_and(abandoned)
            || candidates
                .iter()
                .any(|candidate| candidate.supersedes.is_some_and(abandoned))
        {
            return None;
        }
        let thumbs = candidates
            .iter()
            .filter_map(|candidate| candidate.reactions.plus_one.as_ref())
            .chain(body.plus_one.as_ref())
            .map(|(at, _)| *at);
        let results = self
            .run
            .results
            .iter()
            .filter(|result| match result.outcome {
                Outcome::NoFindings | Outcome::Findings => true,
                Outcome::Failure | Outcome::Refused => false,
            })
            .map(|result| result.at);
        thumbs.chain(results).all(|spoken| at > spoken).then_some(name)
    }

    fn automatic_run(&mut self) {
        if automatic_run_possible(self.run) {
            let message = "The head is younger than 90 seconds; an automatic review may start by itself.";
            self.block(
                BlockerCode::AutomaticRunPossible,
                message,
                vec![EvidenceName::Pull],
            );
        }
    }

    fn already_reviewed(&mut self) {
        if self.ask.again.is_some() {
            return;
        }
        let (message, evidence) = match &self.run.state {
            RunState::Clean { .. } => {
                let Some(reason) = self.run.reasons.first() else {
                    return;
                };
                (
                    "This head is clean already; --again REASON asks once more.",
                    reason.evidence.clone(),
                )
            }
            RunState::Stale
            | RunState::Findings
            | RunState::Failed(_)
            | RunState::InProgress { .. }
            | RunState::Indeterminate => {
                let Some(name) = self.clean_without_trigger() else {
                    return;
                };
                (
                    "The connector reported no findings for this head already; --again REASON asks once more.",
                    vec![name],
                )
            }
        };
        self.block(BlockerCode::AlreadyReviewed, message, evidence);
    }

    /// A no-findings result for the head, not known to be older than its arrival and later than every finding for it,
    /// whoever asked for it.
    fn clean_without_trigger(&self) -> Option<EvidenceName> {
        let (at, name) = newest_possible_clean_result(self.run)?;
        let later = self.run.findings.iter().any(|finding| {
            finding.on_head() && finding.lane == Lane::Code && finding.at.is_none_or(|found| found >= at)
        });
        (!later).then_some(name)
    }

    /// No-findings texts of the code lane that would count for this head, and failures that would count at all, if what
    /// was not read said so.
    fn possibly_decisive(&self) -> Vec<EvidenceName> {
        let reading = &self.run.reading;
        let unknown = |commit: &NamedCommit, edit: EditState| match commit {
            NamedCommit::Unresolved(_) => true,
            NamedCommit::Head => edit == EditState::Unknown,
            NamedCommit::None | NamedCommit::Other(_) | NamedCommit::Ambiguous(_) => false,
        };
        let comments = reading.comments.iter().filter_map(|one| match &one.role {
            Role::Connector {
                meaning: Meaning::NoFindings { lane: Lane::Code },
                commit,
            } if unknown(commit, reading.comment_edited(one.comment)) => Some(one.name.clone()),
            Role::Connector {
                meaning: Meaning::Failure { .. },
                ..
            } if reading.comment_edited(one.comment) == EditState::Unknown => Some(one.name.clone()),
            Role::Connector { .. } | Role::Addressed { .. } | Role::Bystander => None,
        });
        let reviews = reading.reviews.iter().filter(|one| {
            one.identity == Identity::Connector
                && matches!(one.meaning, Meaning::NoFindings { lane: Lane::Code })
                && (unknown(&one.commit, reading.review_edited(one.review))
                    || one.review.state == ReviewState::Missing)
        });
        comments.chain(reviews.map(|one| one.name.clone())).collect()
    }

    fn open_findings(&mut self) {
        let names: Vec<EvidenceName> = self
            .run
            .findings
            .iter()
            .filter(|finding| finding.is_current())
            .map(|finding| finding.name.clone())
            .collect();
        if !names.is_empty() {
            let message =
                "Findings for this head are open; fix or answer them and resolve their threads first.";
            self.block(BlockerCode::OpenFindings, message, names);
        }
    }

    fn refused(&mut self) {
        if self.ask.after_notice {
            return;
        }
        let comments = &self.run.reading.comments;
        let notice = comments.iter().rev().find_map(|comment| match &comment.role {
            Role::Connector {
                meaning:
                    Meaning::Notice {
                        kind,
                        lane: Lane::Code,
                    },
                ..
            } if refuses(*kind) => Some((comment.comment.created_at.get(), *kind, comment.name.clone())),
            Role::Connector { .. } | Role::Addressed { .. } | Role::Bystander => None,
        });
        let Some((at, kind, name)) = notice else { return };
        if self
            .last_verdict()
            .zip(at)
            .is_some_and(|(verdict, notice)| verdict > notice)
        {
            return;
        }
        let message = format!(
            "The connector said that it will not review ({}) and has said nothing better since; --after-notice asks \
             all the same.",
            kind.as_str()
        );
        self.block(BlockerCode::Refused, message, vec![name]);
    }

    /// When the connector last gave a verdict in the code lane, for whatever head.
    fn last_verdict(&self) -> Option<Timestamp> {
        let is_verdict = |meaning: &Meaning| match meaning {
            Meaning::NoFindings { lane } | Meaning::Findings { lane, .. } => *lane == Lane::Code,
            Meaning::Boilerplate { .. }
            | Meaning::Failure { .. }
            | Meaning::Notice { .. }
            | Meaning::TaskReply
            | Meaning::Summary { .. }
            | Meaning::Unclear { .. } => false,
        };
        let reading = &self.run.reading;
        let comments = reading.comments.iter().filter_map(|comment| match &comment.role {
            Role::Connector { meaning, .. } if is_verdict(meaning) => comment.comment.created_at.get(),
            Role::Connector { .. } | Role::Addressed { .. } | Role::Bystander => None,
        });
        let reviews = reading
            .reviews
            .iter()
            .filter(|review| review.identity == Identity::Connector)
            .filter(|review| is_verdict(&review.meaning) || review.roots > 0)
            .filter_map(|review| review.at);
        let thumbs = self
            .run
            .candidates
            .all
            .iter()
            .filter_map(|candidate| candidate.reactions.plus_one.as_ref().map(|(at, _)| *at));
        let body = self.body_reactions().plus_one.map(|(at, _)| at);
        comments.chain(reviews).chain(thumbs).chain(body).max()
    }

    fn lineage(&mut self) {
        let run = self.run;
        let on_head = |candidate: &&Candidate<'e>| candidate.on_head() && candidate.has_lineage();
        let failures = FailedRuns::of(run);
        let mut here = run.candidates.all.iter().filter(on_head);
        let successor = here.find(|candidate| failures.precede(candidate));
        let record = lineage(run);
        let journaled = record
            .as_ref()
            .is_some_and(|record| record.fields.retryable && record.fields.retry_attempt_count > 0);
        let failed = |candidate: &Candidate<'e>| {
            candidate
                .resolution
                .as_ref()
                .is_some_and(|resolution| resolution.kind == ResolutionKind::Failure)
        };
        if successor.is_some() || journaled {
            let evidence = successor.map(|one| one.name.clone()).into_iter().collect();
            let message =
                "The one retry of this head's failed run was used; nothing more may be posted for this head.";
            self.block(BlockerCode::LineageExhausted, message, evidence);
        }
        match self.kind {
            AttemptKind::Request => {
                let newest = run.candidates.all.iter().rev().find(on_head);
                if let Some(newest) = newest
                    && failed(newest)
                    && successor.is_none()
                    && !journaled
                {
                    let message = "The run of the newest trigger failed; only `retry` may post now.";
                    self.block(BlockerCode::UseRetry, message, vec![newest.name.clone()]);
                }
            }
            AttemptKind::Retry => self.retry(record.is_some()),
        }
    }

    fn retry(&mut self, some_failed: bool) {
        let run = self.run;
        let newest = run.candidates.newest_on_head();
        match &run.state {
            RunState::Failed(record) if !record.fields.retryable => {
                let message = "The failure allows no retry: its trigger carries no lineage.";
                self.block(BlockerCode::NotRetryable, message, vec![record.terminal.clone()]);
            }
            RunState::Failed(_) => {}
            RunState::Stale
            | RunState::Findings
            | RunState::InProgress { .. }
            | RunState::Clean { .. }
            | RunState::Indeterminate => {
                let message = format!("The run is {}, not failed.", run.state.word().as_str());
                let evidence = newest.map(|one| one.name.clone()).into_iter().collect();
                self.block(BlockerCode::NotFailed, message, evidence);
                let newest_failed = newest.is_some_and(|newest| {
                    newest
                        .resolution
                        .as_ref()
                        .is_some_and(|resolution| resolution.kind == ResolutionKind::Failure)
                });
                if some_failed
                    && !newest_failed
                    && let Some(newest) = newest
                {
                    let message = "A newer trigger than that of the failed run stands on this head.";
                    self.block(BlockerCode::NotNewest, message, vec![newest.name.clone()]);
                }
            }
        }
    }

    /// A deleted comment may have been a trigger whose run goes on.
    fn comment_deleted(&mut self) {
        let run = self.run;
        let since = run
            .candidates
            .all
            .last()
            .map(|newest| newest.order.at)
            .max(run.history.arrival());
        let intent = run
            .reading
            .evidence
            .local
            .journal
            .attempts
            .iter()
            .rev()
            .find(|attempt| attempt.state.is_open())
            .map(|attempt| attempt.started_at);
        let names: Vec<EvidenceName> = run
            .reading
            .evidence
            .surfaces
            .timeline
            .items()
            .iter()
            .filter(|event| matches!(event.kind, EventKind::CommentDeleted { .. }))
            .filter(|event| match (event.created_at.get(), since) {
                (Some(at), Some(since)) => at >= since || intent.is_some_and(|intent| at >= intent),
                (None, _) | (_, None) => true,
            })
            .map(|event| EvidenceName::Event(event.id.clone()))
            .collect();
        if !names.is_empty() {
            let message = "A comment was deleted since the newest trigger or the head's arrival; it may have been a \
                           trigger, and GitHub does not say which one it was.";
            self.block(BlockerCode::CommentDeleted, message, names);
        }
    }

    fn poster(&mut self) {
        match poster(self.run) {
            PosterReading::User(_) => {}
            PosterReading::NoUser(fact) => self.block(
                BlockerCode::PosterNotAUser,
                format!("{fact}; the connector ignores triggers that no person posts."),
                Vec::new(),
            ),
            PosterReading::Unknown(message) => {
                self.block(BlockerCode::IncompleteEvidence, message, Vec::new());
            }
        }
    }

    fn open_intent(&mut self) {
        let journal = &self.run.reading.evidence.local.journal;
        let open: Vec<String> = journal
            .attempts
            .iter()
            .filter(|attempt| attempt.state.is_open())
            .map(|attempt| {
                format!(
                    "An earlier {} of this machine ({}) is {}; settle it with `{} --reconcile`.",
                    attempt.kind.as_str(),
                    attempt.id,
                    attempt.state.word().as_str(),
                    attempt.kind.as_str(),
                )
            })
            .collect();
        let doubt = journal.doubt.clone();
        for message in open {
            self.block(BlockerCode::OpenIntent, message, Vec::new());
        }
        if let Some(doubt) = doubt {
            self.block(BlockerCode::IncompleteEvidence, doubt, Vec::new());
        }
    }

    fn doubts(&mut self) {
        let run = self.run;
        let body = &run.reading.evidence.surfaces.body_reactions;
        match body {
            Surface::Complete { .. } => {
                let reactions = self.body_reactions();
                let mut names = reactions.doubtful;
                names.extend(reactions.malformed);
                if !names.is_empty() {
                    let message =
                        "A reaction on the pull request may be the connector's, and is not proven to be.";
                    self.block(BlockerCode::IncompleteEvidence, message, names);
                }
            }
            Surface::Incomplete { error, .. } => {
                let message = format!(
                    "The surface bodyReactions was not read to its end: {}",
                    error.message
                );
                self.block(BlockerCode::IncompleteEvidence, message, Vec::new());
            }
            Surface::NotCollected => {
                let message = "The surface bodyReactions was not collected.";
                self.block(BlockerCode::IncompleteEvidence, message, Vec::new());
            }
        }
        for doubt in run.doubts() {
            self.block(BlockerCode::IncompleteEvidence, doubt.message, doubt.evidence);
        }
        let speakers = indeterminate::unproven_speakers(&run.reading, None);
        if !speakers.is_empty() {
            let message = "A text says what only the connector says, and its author is unknown.";
            self.block(BlockerCode::IncompleteEvidence, message, speakers);
        }
        let unbound = run
            .findings
            .iter()
            .filter(|one| one.state == FindingState::Open && !one.on_head() && may_be_for_head(run, one));
        let unbound: Vec<EvidenceName> = unbound.map(|finding| finding.name.clone()).collect();
        if !unbound.is_empty() {
            let message = "A finding names no certain commit, and may be this head's.";
            self.block(BlockerCode::IncompleteEvidence, message, unbound);
        }
        if let Some(unbound) = run.unbound_reviews() {
            self.block(BlockerCode::IncompleteEvidence, unbound.message, unbound.evidence);
        }
        let unknown = self.possibly_decisive();
        if !unknown.is_empty() {
            let message = "A text may have ended a run of this head, and its commit, its state or its edits are not known.";
            self.block(BlockerCode::IncompleteEvidence, message, unknown);
        }
        if let Some(lagging) = run.lagging() {
            self.block(
                BlockerCode::InlineCommentsLagging,
                lagging.message,
                lagging.evidence,
            );
        }
    }
}
