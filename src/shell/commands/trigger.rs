//! What `request` and `retry` share: preflight, intent, one POST, complete reading, outcome; and settling later.
//!
//! The lock is held from before the first look at GitHub until the outcome is recorded, and the intent is on disk
//! before anything leaves. Whatever ends this process in between leaves the intent, which a restart must settle.

mod reconcile;

use codex_loop::authorization::{Authorization, Demand, Scope, authorize};
use codex_loop::evidence::observed::rfc3339;
use codex_loop::evidence::{Evidence, Local};
use codex_loop::lineage::{Attempt, AttemptKind, ExtraMarker, Landed, Nonce, Permit, Planned, Refresh};
use codex_loop::options::Options;
use codex_loop::preflight::{Ask, Blocker, BlockerCode, Verdict, canonical_requests, preflight};
use codex_loop::report::Header;
use codex_loop::report::attempt::{PostRow, PostWarning, PostWarningCode, TriggerRow};
use codex_loop::run::failure::{RetryTransitionState, TerminalFields, lineage};
use codex_loop::run::{Run, failure};
use codex_loop::wanted::{Purpose, Wanted, wanted};

use super::granted;
use crate::cli::Global;
use crate::cli::writing::PostArguments;
use crate::clock;
use crate::confirm;
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::gh::collect::{Known, Need, collect};
use crate::gh::failure::Failure;
use crate::gh::{Gh, actions};
use crate::interrupt;
use crate::journal::{self, Session};
use crate::selector::{Place, Selector};
use crate::{handled_file, source, target};

/// Readings after a post until two agree.
const READINGS: usize = 4;

/// What is to be posted and what the user said about it.
pub struct Plan {
    pub kind: AttemptKind,
    pub arguments: PostArguments,
    pub ask: Ask,
    pub extra: Vec<ExtraMarker>,
}

/// What a command prints, and how it ends after that.
pub struct Done {
    pub header: Header,
    pub post: PostRow,
    pub terminal: Option<TerminalFields>,
    pub ending: Result<ExitCode, Error>,
}

/// One command on one pull request.
struct Command<'a> {
    gh: &'a Gh,
    place: &'a Place,
    plan: &'a Plan,
    options: Options,
}

/// Posts, shows what would be posted, or settles.
pub fn run(global: &Global, pull: Option<&Selector>, plan: &Plan) -> Result<Done, Error> {
    source::only_github(global, source::DryRun::Offered)?;
    let gh = Gh::find(global).map_err(|failure| failure.into_error("gh could not be used"))?;
    let place = target::place(&gh, global, pull)?;
    let command = Command {
        gh: &gh,
        place: &place,
        plan,
        options: global.options(),
    };
    if plan.arguments.reconcile {
        command.reconcile()
    } else if plan.arguments.dry_run {
        command.dry_run()
    } else {
        command.post()
    }
}

/// The record of the head's lineage; reads once and writes nothing.
pub fn show(global: &Global, pull: Option<&Selector>) -> Result<Done, Error> {
    let evidence = source::evidence(global, pull, Need::RUN)?;
    let options = global.options();
    let run = super::classified(&evidence, &options)?;
    let record = failure::lineage(&run);
    let post = PostRow::shown(record.as_ref(), evidence.pull_request);
    let terminal = record.map(|record| record.fields);
    Ok(Done {
        header: Header::new("retry", &evidence),
        post,
        terminal,
        ending: Ok(ExitCode::Holds),
    })
}

impl Command<'_> {
    fn kind(&self) -> AttemptKind {
        self.plan.kind
    }

    fn collect(&self, need: Need, local: &Local) -> Result<Evidence, Failure> {
        let asks = |evidence: &Evidence| wanted(evidence, &self.options, Purpose::Run);
        collect(self.gh, self.place, need, local.clone(), &asks, Known::Nothing)
    }

    fn reading_failed(&self, failure: Failure) -> Error {
        target::reading_failed(failure, self.place)
    }

    /// What a post needs: the user's word that came with the command, or nothing yet.
    fn given(&self) -> Option<Authorization> {
        granted::given(self.plan.arguments.authorization.as_ref())
    }

    fn done(
        &self,
        evidence: &Evidence,
        post: PostRow,
        terminal: Option<TerminalFields>,
        ending: Result<ExitCode, Error>,
    ) -> Done {
        Done {
            header: Header::new(self.kind().as_str(), evidence),
            post,
            terminal,
            ending,
        }
    }

    fn dry_run(&self) -> Result<Done, Error> {
        let local = Local {
            journal: journal::local(self.place),
            handled: handled_file::local(self.place),
        };
        let grants = journal::shown(self.place)
            .map(|journal| journal.authorizations)
            .unwrap_or_default();
        let evidence = self
            .collect(Need::WRITE, &local)
            .map_err(|failure| self.reading_failed(failure))?;
        super::stable(&evidence)?;
        let run = super::classified(&evidence, &self.options)?;
        let terminal = lineage(&run).map(|record| record.fields);
        if let Some(done) = self.canonical(&run, &terminal) {
            return Ok(done);
        }
        let found = preflight(&run, self.kind(), &self.plan.ask);
        let (blockers, fresh_only) = (found.blockers.clone(), found.fresh_only);
        let mut post = PostRow::refused(self.kind(), self.place.number, blockers);
        post.dry_run = true;
        if let Some(permit) = found.permit() {
            post.body = Some(permit.body(&nonce()?, &self.plan.extra));
            match self.authorization(&run, self.given().as_ref(), &grants, fresh_only) {
                Ok(authorization) => post.authorization = Some(authorization),
                Err(blocker) => post.because = Some(blocker.message),
            }
        }
        let ending = self.refusal(&post.blockers);
        Ok(self.done(&evidence, post, terminal, ending))
    }

    fn post(&self) -> Result<Done, Error> {
        let mut given = self.given();
        if given.is_none() && confirm::is_possible() {
            given = self.confirmed()?;
        }
        let mut session = Session::open(self.place, self.gh.timeout())?;
        if let Some(done) = self.unsettled(&session) {
            return Ok(done);
        }
        let local = Local {
            journal: session.journal().local(),
            handled: handled_file::local(self.place),
        };
        let evidence = self
            .collect(Need::WRITE, &local)
            .map_err(|failure| self.reading_failed(failure))?;
        super::stable(&evidence)?;
        let run = super::classified(&evidence, &self.options)?;
        let terminal = lineage(&run).map(|record| record.fields);
        if let Some(done) = self.canonical(&run, &terminal) {
            return Ok(done);
        }
        let found = preflight(&run, self.kind(), &self.plan.ask);
        let mut blockers = found.blockers.clone();
        let grants = &session.journal().authorizations;
        let authorization = self.authorization(&run, given.as_ref(), grants, found.fresh_only);
        let (permit, authorization) = match (found.permit(), authorization) {
            (Some(permit), Ok(authorization)) => (permit, authorization),
            (_, authorization) => {
                blockers.extend(authorization.err());
                let ending = self.refusal(&blockers);
                let post = PostRow::refused(self.kind(), self.place.number, blockers);
                return Ok(self.done(&evidence, post, terminal, ending));
            }
        };
        self.send(&mut session, &evidence, terminal, permit, authorization)
    }

    /// Steps 2 to 5: the intent, the head, the one POST, the reading, the outcome.
    fn send(
        &self,
        session: &mut Session,
        evidence: &Evidence,
        terminal: Option<TerminalFields>,
        permit: Permit,
        authorization: Authorization,
    ) -> Result<Done, Error> {
        let planned = Planned::of(permit, authorization, nonce()?, &self.plan.extra, clock::now()).map_err(
            |reason| {
                Error::new(
                    ErrorKind::Internal,
                    format!("Nothing was posted: {reason}."),
                    "This is a fault of this program; please report it.",
                )
            },
        )?;
        let intent = planned.attempt().clone();
        session.change(|journal| journal.put_attempt(intent))?;

        let head = match actions::head(self.gh, self.place) {
            Ok(head) => head,
            Err(failure) => {
                let because = format!("The head could not be read again: {}.", failure.fact());
                let attempt = planned.withdraw(because, clock::now());
                session.change(|journal| journal.put_attempt(attempt))?;
                return Err(self.reading_failed(failure));
            }
        };
        let post = match planned.with_head(&head, clock::now()) {
            Ok(post) => post,
            Err(withdrawn) => {
                let because = withdrawn.state.because().unwrap_or_default().to_owned();
                session.change(|journal| journal.put_attempt(*withdrawn))?;
                let blockers = vec![Blocker::new(
                    BlockerCode::HeadChanged,
                    because,
                    vec![codex_loop::evidence::name::EvidenceName::Pull],
                )];
                let ending = self.refusal(&blockers);
                let row = PostRow::refused(self.kind(), self.place.number, blockers);
                return Ok(self.done(evidence, row, terminal, ending));
            }
        };

        let posted = actions::post_trigger(self.gh, self.place, post);
        let refreshed = self.refresh(posted.attempt(), evidence.clone());
        let (attempt, evidence, refresh) = match refreshed {
            Ok((evidence, refresh)) => (posted.settle(&refresh, clock::now()), evidence, Some(refresh)),
            Err(failure) => {
                let why = format!("GitHub could not be read again: {}.", failure.fact());
                (posted.unsettled(&why, clock::now()), evidence.clone(), None)
            }
        };
        let done = self.record(session, attempt, evidence, refresh, true)?;
        if interrupt::requested() {
            return Err(Error::interrupted());
        }
        Ok(done)
    }

    /// Records a settled attempt and says what it came to.
    fn record(
        &self,
        session: &mut Session,
        attempt: Attempt,
        mut evidence: Evidence,
        refresh: Option<Refresh>,
        posted: bool,
    ) -> Result<Done, Error> {
        let recorded = session.change(|journal| journal.put_attempt(attempt.clone()));
        evidence.local.journal = session.journal().local();
        let run = super::classified(&evidence, &self.options)?;
        let terminal = lineage(&run).map(|record| record.fields);
        let url = refresh
            .as_ref()
            .and_then(|refresh| refresh.ours.first())
            .and_then(|ours| ours.url.clone());
        let foreign: &[Landed] = refresh.as_ref().map_or(&[], |refresh| &refresh.foreign);
        let head = run.reading.pull.head_ref_oid.clone();
        let mut row = PostRow::of(&attempt, self.place.number, url)
            .with_overlaps(foreign)
            .with_head_moved(refresh.is_some() && head != attempt.head, head.short());
        row.posted = posted;
        let mut ending = ending(&attempt);
        if let Err(error) = recorded {
            // On disk the attempt is still open, and so it is for whoever comes next.
            row.state = RetryTransitionState::ReconciliationRequired;
            row.because = Some(format!(
                "{} The outcome could not be recorded, so the attempt must be settled once more.",
                error.message
            ));
            row.warnings.push(PostWarning {
                code: PostWarningCode::NotRecorded,
                message: error.message,
            });
            ending = Ok(ExitCode::Reconcile);
        }
        Ok(self.done(&evidence, row, terminal, ending))
    }

    /// Reads the pull request and all its comments again and again until two readings agree in what settles the
    /// attempt. Everything else in the evidence stays as it was read before.
    fn refresh(&self, attempt: &Attempt, mut evidence: Evidence) -> Result<(Evidence, Refresh), Failure> {
        let mut before: Option<Refresh> = None;
        for _ in 0..READINGS {
            let reading = self.read_comments()?;
            let refresh = match Run::of(&reading, &self.options) {
                Some(run) => Refresh::of(&run, attempt),
                None => {
                    return Err(Failure::Unusable {
                        message: "the pull request itself is not in GitHub's answer".to_owned(),
                    });
                }
            };
            evidence.collected_at = reading.collected_at;
            evidence.unstable = reading.unstable;
            let (known, now) = (&mut evidence.surfaces, reading.surfaces);
            known.pull = now.pull;
            known.issue_comments = now.issue_comments;
            known.timeline = now.timeline;
            if before.as_ref() == Some(&refresh) {
                return Ok((evidence, refresh));
            }
            before = Some(refresh);
        }
        let mut last = before.ok_or_else(|| Failure::Unusable {
            message: "the pull request was not read".to_owned(),
        })?;
        last.gap
            .get_or_insert_with(|| "No two readings of the pull request agree.".to_owned());
        Ok((evidence, last))
    }

    fn read_comments(&self) -> Result<Evidence, Failure> {
        let nothing = |_: &Evidence| Wanted::default();
        collect(
            self.gh,
            self.place,
            Need::COMMENTS,
            Local::default(),
            &nothing,
            Known::Nothing,
        )
    }

    /// The loop round's own request, when it stands there already: one is taken, more than one halts.
    fn canonical(&self, run: &Run<'_>, terminal: &Option<TerminalFields>) -> Option<Done> {
        let found = canonical_requests(run, &self.plan.extra);
        let number = self.place.number;
        let (post, ending) = match found.as_slice() {
            [] => return None,
            [one] => {
                let trigger = TriggerRow {
                    comment_id: one.order.id,
                    created_at: rfc3339(one.order.at),
                    head_ref_oid: run.reading.pull.head_ref_oid.to_string(),
                    url: one.url.map(str::to_owned),
                };
                (PostRow::reused(number, trigger), Ok(ExitCode::Holds))
            }
            several => {
                let names = several.iter().map(|one| one.name.clone()).collect();
                let blockers = vec![Blocker::new(
                    BlockerCode::DuplicateRequest,
                    "The request of this run and round stands there more than once.",
                    names,
                )];
                let ending = self.refusal(&blockers);
                (PostRow::refused(self.kind(), number, blockers), ending)
            }
        };
        Some(self.done(run.reading.evidence, post, terminal.clone(), ending))
    }

    fn authorization(
        &self,
        run: &Run<'_>,
        given: Option<&Authorization>,
        grants: &[codex_loop::authorization::Grant],
        fresh_only: Option<&str>,
    ) -> Result<Authorization, Blocker> {
        let scope = match self.kind() {
            AttemptKind::Request => Scope::Request,
            AttemptKind::Retry => Scope::Retry,
        };
        let demand = Demand {
            scopes: &[scope],
            head_ref_name: &run.reading.pull.head_ref_name,
            fresh_only,
        };
        authorize(given, grants, demand, clock::now())
            .map_err(|refusal| Blocker::new(refusal.code.into(), refusal.message, Vec::new()))
    }

    /// On a terminal: when nothing but an authorization is missing, shows what would be posted and asks for it.
    fn confirmed(&self) -> Result<Option<Authorization>, Error> {
        let journal = journal::shown(self.place)?;
        if journal.open_attempt().is_some() || journal.open_damage().is_some() {
            return Ok(None);
        }
        let local = Local {
            journal: journal.local(),
            handled: handled_file::local(self.place),
        };
        let once = Need {
            twice: false,
            ..Need::WRITE
        };
        let evidence = self
            .collect(once, &local)
            .map_err(|failure| self.reading_failed(failure))?;
        let run = super::classified(&evidence, &self.options)?;
        let found = preflight(&run, self.kind(), &self.plan.ask);
        let standing = self.authorization(&run, None, &journal.authorizations, found.fresh_only);
        let taken = canonical_requests(&run, &self.plan.extra);
        let (Some(permit), true, true) = (found.permit(), standing.is_err(), taken.is_empty()) else {
            return Ok(None);
        };
        let body = permit.body(&nonce()?, &self.plan.extra);
        let what = format!(
            "post this {} on pull request {} of {} for head {}",
            self.kind().as_str(),
            self.place.number,
            self.place.repository,
            permit.head().short()
        );
        confirm::ask(&what, &body, &permit.poster().login)
    }

    /// How a command ends that posted nothing because of these blockers.
    fn refusal(&self, blockers: &[Blocker]) -> Result<ExitCode, Error> {
        let codes: Vec<&str> = blockers.iter().map(|blocker| blocker.code.as_str()).collect();
        let first = blockers.first().map_or("", |blocker| blocker.message.as_str());
        let (number, kind) = (self.place.number, self.kind().as_str());
        let preflight = format!("gh codex-loop preflight {number} --for {kind}");
        match Verdict::of(blockers) {
            Verdict::Allowed => Ok(ExitCode::Holds),
            Verdict::Refused => Err(Error::new(
                ErrorKind::Refused,
                format!("Refused, nothing was posted ({}): {first}", codes.join(", ")),
                format!(
                    "Clear what stands in the way; `{}` names everything.",
                    target::placed(&preflight)
                ),
            )),
            Verdict::Unknown
                if blockers
                    .iter()
                    .all(|b| b.code == BlockerCode::InlineCommentsLagging) =>
            {
                Ok(ExitCode::Indeterminate)
            }
            Verdict::Unknown => Err(Error::new(
                ErrorKind::Incomplete,
                format!("Nothing was posted, since the evidence has gaps: {first}"),
                "Run the command again.",
            )),
        }
    }
}

/// The random id of one post.
pub(super) fn nonce() -> Result<Nonce, Error> {
    uuid::Uuid::new_v4().to_string().parse().map_err(|reason| {
        Error::new(
            ErrorKind::Internal,
            format!("No random id could be made: {reason}."),
            "This is a fault of this program; please report it.",
        )
    })
}

/// How a command ends with an attempt in this state.
fn ending(attempt: &Attempt) -> Result<ExitCode, Error> {
    match attempt.state.word() {
        RetryTransitionState::NotRequested | RetryTransitionState::Created => Ok(ExitCode::Holds),
        RetryTransitionState::CreationFailed => Err(Error::new(
            ErrorKind::GhFailed,
            attempt.state.because().unwrap_or_default().to_owned(),
            "Another attempt needs the user's fresh --authorization.",
        )),
        RetryTransitionState::Creating | RetryTransitionState::ReconciliationRequired => {
            Ok(ExitCode::Reconcile)
        }
    }
}
