//! May a trigger be posted now? Every blocker is named, not the first (review-run protocol, "Finding lifecycle").
//!
//! Only a preflight without blockers gives the [`Permit`] that a post needs.

use crate::authorization::Unauthorized;
use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::bot::triggers::{Marker, Superseded};
use crate::evidence::event::EventKind;
use crate::evidence::name::{EvidenceName, Id};
use crate::evidence::observed::Timestamp;
use crate::evidence::pull::PullState;
use crate::evidence::surface::Surface;
use crate::lineage::{AttemptKind, AttemptState, Before, ExtraMarker, FailedRun, Permit, Poster};
use crate::reading::{Role, is_candidate_form};
use crate::reason::words;
use crate::run::attribution::{Outcome, refuses};
use crate::run::candidate::{Candidate, Reactions, ResolutionKind};
use crate::run::failure::{RetryTransitionState, follows_failed_run, lineage};
use crate::run::warnings::automatic_run_possible;
use crate::run::{Run, RunState};

words! {
    /// Why a trigger may not be posted. The codes of a missing authorization stand in the same list.
    BlockerCode {
        /// The pull request is closed or merged.
        PullClosed = "pull-closed",
        /// A trigger on the head is unanswered.
        UnresolvedTrigger = "unresolved-trigger",
        /// Nothing proves for which head a trigger was posted.
        TriggerHeadUnproven = "trigger-head-unproven",
        /// Two or more triggers on the head are unanswered.
        OverlappingTriggers = "overlapping-triggers",
        /// The connector is at work on the head.
        BotRunActive = "bot-run-active",
        /// The head is so young that an automatic review may start.
        AutomaticRunPossible = "automatic-run-possible",
        /// The head is clean already.
        AlreadyReviewed = "already-reviewed",
        /// Findings on the head are open.
        OpenFindings = "open-findings",
        /// The connector said that it will not review.
        Refused = "refused",
        /// The head's run failed: only its one retry may be posted.
        UseRetry = "use-retry",
        /// The one retry was used.
        LineageExhausted = "lineage-exhausted",
        /// A comment was deleted that may have been a trigger.
        CommentDeleted = "comment-deleted",
        /// The token belongs to no person.
        PosterNotAUser = "poster-not-a-user",
        /// An earlier attempt of this machine is not settled.
        OpenIntent = "open-intent",
        /// The evidence has gaps.
        IncompleteEvidence = "incomplete-evidence",
        /// A review is visible before its inline comments.
        InlineCommentsLagging = "inline-comments-lagging",
        /// The run has not failed.
        NotFailed = "not-failed",
        /// The failure allows no retry.
        NotRetryable = "not-retryable",
        /// A newer trigger stands on the head.
        NotNewest = "not-newest",
        /// What is to be superseded is not the one unanswered trigger or stuck reaction.
        NotSuperseded = "supersede-mismatch",
        /// The canonical request of this loop round stands there more than once.
        DuplicateRequest = "duplicate-request",
        /// The head moved before anything was posted.
        HeadChanged = "head-changed",
        /// Nobody authorized it.
        NoAuthorization = "no-authorization",
        /// The standing authorization ended.
        AuthorizationExpired = "authorization-expired",
        /// No standing authorization covers it.
        AuthorizationOutOfScope = "authorization-out-of-scope",
        /// A fresh authorization is needed.
        StandingNotEnough = "standing-not-enough",
    }
}

impl From<Unauthorized> for BlockerCode {
    fn from(code: Unauthorized) -> Self {
        match code {
            Unauthorized::NoAuthorization => Self::NoAuthorization,
            Unauthorized::Expired => Self::AuthorizationExpired,
            Unauthorized::OutOfScope => Self::AuthorizationOutOfScope,
            Unauthorized::StandingNotEnough => Self::StandingNotEnough,
        }
    }
}

impl BlockerCode {
    /// Whether it says only that something cannot be known.
    pub fn is_doubt(self) -> bool {
        matches!(self, Self::IncompleteEvidence | Self::InlineCommentsLagging)
    }
}

/// One blocker.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Blocker {
    /// The code.
    pub code: BlockerCode,
    /// One sentence.
    pub message: String,
    /// What it rests on.
    #[schemars(with = "Vec<String>")]
    pub evidence: Vec<EvidenceName>,
}

impl Blocker {
    /// A blocker with its evidence.
    pub fn new(code: BlockerCode, message: impl Into<String>, evidence: Vec<EvidenceName>) -> Self {
        Self {
            code,
            message: message.into(),
            evidence,
        }
    }
}

/// What is to be posted, and what the user waives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// Review a clean head again, for this reason.
    pub again: Option<String>,
    /// Ask although the connector refused.
    pub after_notice: bool,
    /// Abandon this unanswered trigger or stuck reaction.
    pub supersedes: Option<Superseded>,
}

/// Whether it may be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Allowed,
    /// A blocker is proven.
    Refused,
    /// Nothing is proven, and something cannot be known.
    Unknown,
}

impl Verdict {
    /// What a list of blockers comes to.
    pub fn of(blockers: &[Blocker]) -> Self {
        if blockers.is_empty() {
            Self::Allowed
        } else if blockers.iter().all(|blocker| blocker.code.is_doubt()) {
            Self::Unknown
        } else {
            Self::Refused
        }
    }
}

/// The preflight of one post.
#[derive(Clone, Debug)]
pub struct Preflight {
    /// Everything in the way.
    pub blockers: Vec<Blocker>,
    /// Why only the user's fresh word authorizes it, when that is so.
    pub fresh_only: Option<&'static str>,
    permit: Option<Permit>,
}

impl Preflight {
    /// Whether it may be posted.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(&self.blockers)
    }

    /// The permission for one post, when nothing is in the way.
    pub fn permit(self) -> Option<Permit> {
        self.permit
    }
}

/// Looks for everything that stands in the way of a post.
pub fn preflight(run: &Run<'_>, kind: AttemptKind, ask: &Ask) -> Preflight {
    let mut found = Found {
        run,
        kind,
        ask,
        blockers: Vec::new(),
    };
    found.all();
    let blockers = found.blockers;
    let permit = match (blockers.is_empty(), poster(run)) {
        (true, PosterReading::User(poster)) => Some(Permit {
            kind,
            head: run.reading.pull.head_ref_oid.clone(),
            failed_run: failed_run(run, kind),
            supersedes: ask.supersedes,
            again: ask.again.clone(),
            poster,
            before: Before::of(run),
        }),
        (true | false, PosterReading::User(_) | PosterReading::NoUser(_) | PosterReading::Unknown(_)) => None,
    };
    Preflight {
        fresh_only: fresh_only(run, ask),
        blockers,
        permit,
    }
}

fn failed_run(run: &Run<'_>, kind: AttemptKind) -> Option<FailedRun> {
    match (kind, &run.state) {
        (AttemptKind::Retry, RunState::Failed(record)) => Some(FailedRun {
            trigger_comment_id: record.fields.trigger_comment_id,
            terminal_comment_id: record.fields.terminal_comment_id,
        }),
        (AttemptKind::Request | AttemptKind::Retry, _) => None,
    }
}

fn fresh_only(run: &Run<'_>, ask: &Ask) -> Option<&'static str> {
    let head = &run.reading.pull.head_ref_oid;
    let last = run
        .reading
        .evidence
        .local
        .journal
        .attempts
        .iter()
        .rev()
        .find(|attempt| attempt.head == *head && !matches!(attempt.state, AttemptState::NotRequested { .. }));
    let newest_failed = run.candidates.newest_on_head().is_some_and(|newest| {
        !newest.has_lineage()
            && newest
                .resolution
                .as_ref()
                .is_some_and(|resolution| resolution.kind == ResolutionKind::Failure)
    });
    if ask.supersedes.is_some() {
        Some("abandoning a trigger needs the user's word for exactly this post")
    } else if ask.after_notice {
        Some("asking again after a refusal of the connector needs the user's word for exactly this post")
    } else if last.is_some_and(|attempt| attempt.state.word() == RetryTransitionState::CreationFailed) {
        Some(
            "the last post for this head failed, and another one needs the user's word for exactly this post",
        )
    } else if newest_failed {
        Some(
            "the last run failed without a retry, and another one needs the user's word for exactly this post",
        )
    } else {
        None
    }
}

/// Whose token it is.
enum PosterReading {
    User(Poster),
    NoUser(String),
    Unknown(String),
}

/// GitHub's words to a token that belongs to an app and asks who it is.
const APP_TOKEN: &str = "resource not accessible by integration";

fn poster(run: &Run<'_>) -> PosterReading {
    let surface = &run.reading.evidence.surfaces.viewer;
    let Some(account) = surface.items().first() else {
        let error = surface.summary().error.unwrap_or_default();
        if error.to_lowercase().contains(APP_TOKEN) {
            return PosterReading::NoUser("The token belongs to an app".to_owned());
        }
        return PosterReading::Unknown(if error.is_empty() {
            "The user of the token was not read.".to_owned()
        } else {
            format!("The user of the token could not be read: {error}")
        });
    };
    match (
        account.kind.known().map(String::as_str),
        account.login.known(),
        account.id.get(),
    ) {
        (Some("User"), Some(login), Some(id)) => PosterReading::User(Poster {
            login: login.clone(),
            id,
        }),
        (Some("User") | None, _, _) => {
            PosterReading::Unknown("GitHub did not say whose token it is.".to_owned())
        }
        (Some(kind), login, _) => PosterReading::NoUser(format!(
            "The token belongs to {} of type {kind}",
            login.map_or("an account", String::as_str)
        )),
    }
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
        let left: Vec<EvidenceName> = unresolved
            .iter()
            .filter(|candidate| Some(&candidate.name) != superseded.as_ref())
            .map(|candidate| candidate.name.clone())
            .collect();
        if !left.is_empty() {
            let who: Vec<String> = unresolved
                .iter()
                .filter(|candidate| left.contains(&candidate.name))
                .map(|candidate| candidate.order.id.to_string())
                .collect();
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
        let evidence = match &self.run.state {
            RunState::Clean { .. } => self.run.reasons.first().map(|reason| reason.evidence.clone()),
            RunState::Stale
            | RunState::Findings
            | RunState::Failed(_)
            | RunState::InProgress { .. }
            | RunState::Indeterminate => self.clean_without_trigger().map(|name| vec![name]),
        };
        if let Some(evidence) = evidence {
            let message = "This head is clean already; --again REASON asks once more.";
            self.block(BlockerCode::AlreadyReviewed, message, evidence);
        }
    }

    /// A no-findings result of an automatic review for the head, later than every finding for it.
    fn clean_without_trigger(&self) -> Option<EvidenceName> {
        let clean = self
            .run
            .results
            .iter()
            .rfind(|result| result.outcome == Outcome::NoFindings)?;
        let later = self.run.findings.iter().any(|finding| {
            finding.on_head() && finding.lane == Lane::Code && finding.at.is_none_or(|at| at >= clean.at)
        });
        (!later).then(|| clean.name.clone())
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
        let successor = run
            .candidates
            .all
            .iter()
            .filter(on_head)
            .find(|candidate| follows_failed_run(run, candidate));
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
        if let Some(lagging) = run.lagging() {
            self.block(
                BlockerCode::InlineCommentsLagging,
                lagging.message,
                lagging.evidence,
            );
        }
    }
}

/// The triggers that are the canonical request of a loop's round on this head: posted by the user of the token, with
/// exactly that marker (bounded-loop evaluator, "Canonical review request").
pub fn canonical_requests<'a, 'e>(run: &'a Run<'e>, extra: &[ExtraMarker]) -> Vec<&'a Candidate<'e>> {
    let wanted = extra.iter().find_map(|marker| match marker {
        ExtraMarker::Dsh => None,
        ExtraMarker::Loop { run, round } => Some((run, *round)),
    });
    let (Some((loop_run, loop_round)), PosterReading::User(poster)) = (wanted, poster(run)) else {
        return Vec::new();
    };
    let head = &run.reading.pull.head_ref_oid;
    let matches = |comment: &crate::reading::CommentReading<'_>| {
        let by_poster = comment.comment.user.as_ref().and_then(|user| user.id.get()) == Some(poster.id);
        let marked = match &comment.role {
            Role::Addressed { form, markers, .. } => {
                is_candidate_form(*form)
                    && markers.iter().any(|marker| match marker {
                        Marker::Loop { run, round, sha } => {
                            run == loop_run.as_str() && *round == loop_round && sha == head
                        }
                        Marker::CodexLoop { .. } | Marker::Dsh { .. } => false,
                    })
            }
            Role::Connector { .. } | Role::Bystander => false,
        };
        by_poster && marked
    };
    let names: Vec<&EvidenceName> = run
        .reading
        .comments
        .iter()
        .filter(|comment| matches(comment))
        .map(|comment| &comment.name)
        .collect();
    run.candidates
        .all
        .iter()
        .filter(|candidate| names.contains(&&candidate.name))
        .collect()
}

#[cfg(test)]
mod tests;
