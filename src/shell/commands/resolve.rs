//! `resolve`: exactly the named threads, one by one, each read again before and after.
//!
//! A reply goes through the journal first, as a trigger does: its intent is on disk before it leaves, and a restart
//! finds it by its id. Resolving needs no intent, since the thread itself says whether it was done.

mod reply;

use std::collections::BTreeMap;

use codex_loop::authorization::{Authorization, Scope};
use codex_loop::evidence::name::Sha;
use codex_loop::evidence::observed::Timestamp;
use codex_loop::evidence::thread::Thread;
use codex_loop::evidence::{Evidence, Local};
use codex_loop::options::Options;
use codex_loop::report::Header;
use codex_loop::report::look::Look;
use codex_loop::report::resolve::{self as report, Document, ThreadRow};
use codex_loop::report::written::Written;
use codex_loop::thread::{
    Comparison, Decision, Fix, Found, Justification, Outcome, Permit, RefusalCode, Relation, ThreadName,
    commit_of, decide, hosted_at, reply_body, reply_text,
};
use codex_loop::wanted::{Purpose, wanted};

use crate::cli::Global;
use crate::cli::writing::{Named, Resolve};
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::gh::Gh;
use crate::gh::actions::{self, Located};
use crate::gh::collect::{Known, Need, collect};
use crate::gh::failure::Failure;
use crate::interrupt;
use crate::journal::{self, Session};
use crate::output::Output;
use crate::selector::Place;
use crate::source::{self, DryRun};
use crate::{handled_file, target};

use super::granted::{self, Question};
use super::trigger::nonce;

pub fn run(global: &Global, arguments: &Resolve) -> Result<ExitCode, Error> {
    let output = Output::new(global)?;
    output.check_fields::<Document>()?;
    source::only_github(global, DryRun::Offered)?;
    let named = Named::of(&arguments.arguments).map_err(|reason| {
        Error::usage(
            format!("The arguments are wrong: {reason}."),
            "Example: gh codex-loop resolve 42 PRRT_kwDOA1 --fixed-in SHA.",
        )
    })?;
    let gh = Gh::find(global).map_err(|failure| failure.into_error("gh could not be used"))?;
    let place = target::place(&gh, global, named.pull.as_ref())?;
    let mut session = if arguments.dry_run {
        None
    } else {
        Some(Session::open(&place, gh.timeout())?)
    };
    let mut work = Work::begin(&gh, &place, global.options(), arguments, session.as_ref())?;
    let mut rows: Vec<ThreadRow> = Vec::new();
    for (text, name) in &named.threads {
        let row = work.look(text, name).map_err(|failure| work.failed(failure))?;
        rows.push(row);
    }
    let pending: Vec<usize> = (0..rows.len())
        .filter(|place| {
            rows.get(*place)
                .is_some_and(|row| row.outcome == Outcome::Resolved)
        })
        .collect();
    let mut authorization = None;
    if !pending.is_empty() {
        let names: Vec<String> = pending
            .iter()
            .filter_map(|place| rows.get(*place))
            .map(|row| {
                format!(
                    "{} {}",
                    row.thread_id.as_deref().unwrap_or(&row.named),
                    row.path.as_deref().unwrap_or_default()
                )
            })
            .collect();
        match work.authorization(session.as_ref(), &names)? {
            Ok(granted) => authorization = Some(granted),
            Err((code, message)) if !arguments.dry_run => {
                for place in &pending {
                    if let Some(row) = rows.get_mut(*place) {
                        refuse(row, code, message.clone());
                    }
                }
            }
            Err(_) => {}
        }
    }
    if let (Some(authorization), Some(session)) = (&authorization, session.as_mut()) {
        for place in &pending {
            if let Some(row) = rows.get_mut(*place) {
                work.carry_out(session, authorization, row)?;
            }
        }
    }
    if interrupt::requested() {
        return Err(Error::interrupted());
    }
    let document = Document {
        header: Header::new("resolve", &work.evidence),
        dry_run: arguments.dry_run,
        authorization,
        threads: rows,
    };
    let text = |look: &Look| report::text(&document, look);
    output.after_write(&document, text, Written::threads(&document))?;
    ending(&document)
}

/// 15 when anything is unknown, else 14 when anything was refused, else 0.
fn ending(document: &Document) -> Result<ExitCode, Error> {
    let count = |outcome| {
        document
            .threads
            .iter()
            .filter(|row| row.outcome == outcome)
            .count()
    };
    if count(Outcome::Unknown) > 0 {
        return Ok(ExitCode::Reconcile);
    }
    let refused = document
        .threads
        .iter()
        .find(|row| row.outcome == Outcome::Refused);
    match refused {
        None => Ok(ExitCode::Holds),
        Some(first) => Err(Error::new(
            ErrorKind::Refused,
            format!(
                "{} of {} threads were refused ({}): {}",
                count(Outcome::Refused),
                document.threads.len(),
                first.code.map_or("", RefusalCode::as_str),
                first.message
            ),
            "A refused thread was left as it is.",
        )),
    }
}

fn refuse(row: &mut ThreadRow, code: RefusalCode, message: String) {
    row.outcome = Outcome::Refused;
    row.code = Some(code);
    row.message = message;
}

fn unknown(row: &mut ThreadRow, message: String) {
    row.outcome = Outcome::Unknown;
    row.code = None;
    row.message = message;
}

/// Everything that deciding about the threads needs.
struct Work<'a> {
    gh: &'a Gh,
    place: &'a Place,
    arguments: &'a Resolve,
    options: Options,
    evidence: Evidence,
    fix: Option<NamedFix>,
    comparisons: BTreeMap<(Sha, Sha), Comparison>,
}

/// What authorizes it, or why nothing does.
type Granted = Result<Authorization, (RefusalCode, String)>;

/// A thread that may be resolved as it stands now.
struct Ready {
    thread: Thread,
    permit: Permit,
    /// What is to be said in it first.
    reply: Option<String>,
}

/// The commit of `--fixed-in`.
struct NamedFix {
    /// None when GitHub does not know it.
    sha: Option<Sha>,
    hosted_at: Option<Timestamp>,
}

impl<'a> Work<'a> {
    fn begin(
        gh: &'a Gh,
        place: &'a Place,
        options: Options,
        arguments: &'a Resolve,
        session: Option<&Session>,
    ) -> Result<Self, Error> {
        let local = Local {
            journal: session.map_or_else(|| journal::local(place), |session| session.journal().local()),
            handled: handled_file::local(place),
        };
        let need = Need {
            body: false,
            ..Need::WRITE
        };
        let asks = |evidence: &Evidence| wanted(evidence, &options, Purpose::Run);
        let evidence = collect(gh, place, need, local, &asks, Known::Nothing)
            .map_err(|failure| target::reading_failed(failure, place))?;
        super::stable(&evidence)?;
        let mut work = Self {
            gh,
            place,
            arguments,
            options,
            evidence,
            fix: None,
            comparisons: BTreeMap::new(),
        };
        if let Some(text) = &arguments.fixed_in {
            let fix = work.named_fix(text).map_err(|failure| work.failed(failure))?;
            work.fix = Some(fix);
        }
        Ok(work)
    }

    fn failed(&self, failure: Failure) -> Error {
        target::reading_failed(failure, self.place)
    }

    fn named_fix(&self, text: &str) -> Result<NamedFix, Failure> {
        let sha = match text.parse::<Sha>() {
            Ok(sha) => Some(sha),
            Err(_) => actions::commit(self.gh, self.place, text)?,
        };
        let branch = self
            .evidence
            .pull()
            .map(|pull| pull.head_ref_name.clone())
            .unwrap_or_default();
        let hosted_at = match &sha {
            None => None,
            // Without the list the first evidence of the commit is not known.
            Some(sha) => actions::suites(self.gh, self.place, sha, &branch)?
                .and_then(|suites| hosted_at(&self.evidence, sha, &suites)),
        };
        Ok(NamedFix { sha, hosted_at })
    }

    fn comparison(&mut self, base: &Sha, head: &Sha) -> Result<Comparison, Failure> {
        let key = (base.clone(), head.clone());
        if let Some(known) = self.comparisons.get(&key) {
            return Ok(known.clone());
        }
        let compared = actions::compare(self.gh, self.place, base, head)?;
        self.comparisons.insert(key, compared.clone());
        Ok(compared)
    }

    fn justification(&mut self, thread: Option<&Thread>, head: &Sha) -> Result<Justification, Failure> {
        if let Some(reason) = &self.arguments.rebutted {
            return Ok(Justification::Rebutted {
                reason: reason.clone(),
            });
        }
        let (sha, hosted_at) = match &self.fix {
            None => return Ok(Justification::None),
            Some(fix) => (fix.sha.clone(), fix.hosted_at),
        };
        let nowhere = |fact: &str| Comparison {
            relation: Relation::Unknown(fact.to_owned()),
            paths: Vec::new(),
            files: 0,
        };
        let fix = match sha {
            // Any commit will do where GitHub knows none: the decision reads the relation alone.
            None => Fix {
                sha: head.clone(),
                to_head: nowhere("GitHub knows no such commit"),
                from_thread: None,
                hosted_at,
            },
            Some(sha) => Fix {
                to_head: self.comparison(&sha, head)?,
                from_thread: match thread.and_then(commit_of).cloned() {
                    Some(commit) => Some(self.comparison(&commit, &sha)?),
                    None => None,
                },
                sha,
                hosted_at,
            },
        };
        Ok(Justification::Fixed {
            fix: Box::new(fix),
            elsewhere: self.arguments.fixed_elsewhere.clone(),
        })
    }

    /// Finds a named thread; its node id, where there is one, and everything GitHub says of it now.
    fn locate(&self, name: &ThreadName) -> Result<(Found, Option<Located>), Failure> {
        let node = match name {
            ThreadName::Node(id) => id.clone(),
            ThreadName::Comment(id) => {
                let threads = self.evidence.surfaces.threads.items().iter();
                let holds = |thread: &&Thread| thread.comments.iter().any(|c| c.id.get() == Some(*id));
                match threads.clone().find(holds).and_then(|thread| thread.id.known()) {
                    Some(node) => node.clone(),
                    None if !self.evidence.surfaces.threads.is_complete() => {
                        return Err(Failure::Unusable {
                            message: "the list of its threads was not read to its end".to_owned(),
                        });
                    }
                    None if actions::comment_exists(self.gh, self.place, *id)? => {
                        return Ok((Found::Elsewhere, None));
                    }
                    None => return Ok((Found::Nowhere, None)),
                }
            }
        };
        let Some(located) = actions::thread(self.gh, self.place, &node)? else {
            return Ok((Found::Nowhere, None));
        };
        let same_repository = located
            .repository
            .eq_ignore_ascii_case(&self.place.repository.to_string());
        if same_repository && located.number == self.place.number {
            Ok((Found::Here(Box::new(located.thread.clone())), Some(located)))
        } else {
            Ok((Found::Elsewhere, None))
        }
    }

    /// Decides about one named thread. `resolved` in the row means that it may be.
    fn look(&mut self, text: &str, name: &ThreadName) -> Result<ThreadRow, Failure> {
        let (found, located) = self.locate(name)?;
        let head = match &located {
            Some(located) => located.head.clone(),
            None => match self.evidence.pull() {
                Some(pull) => pull.head_ref_oid.clone(),
                None => actions::head(self.gh, self.place)?,
            },
        };
        let thread = located.as_ref().map(|located| &located.thread);
        let justification = self.justification(thread, &head)?;
        let reply = self.arguments.reply.as_deref();
        let decision = decide(&found, &justification, reply, self.options.strict_identity);
        let root = thread.and_then(|thread| thread.comments.first());
        let mut row = ThreadRow {
            named: text.to_owned(),
            thread_id: thread.and_then(|thread| thread.id.known().cloned()),
            path: thread.and_then(|thread| thread.path.known().cloned()),
            url: root.and_then(|root| root.url.known().cloned()),
            outcome: Outcome::Resolved,
            code: None,
            message: String::new(),
            reply_body: None,
            reply_comment_id: None,
        };
        match decision {
            Decision::AlreadyResolved => row.outcome = Outcome::AlreadyResolved,
            Decision::Refused(code, message) => refuse(&mut row, code, message),
            Decision::Resolve(_) => {
                if let Some(text) = reply_text(&justification, reply) {
                    row.reply_body = Some(reply_body(&some_nonce()?, &text));
                }
            }
        }
        Ok(row)
    }

    fn demand_scopes(&self) -> &'static [Scope] {
        let replies = self.arguments.rebutted.is_some()
            || self.arguments.fixed_elsewhere.is_some()
            || self.arguments.reply.is_some();
        if replies {
            &[Scope::Resolve, Scope::Reply]
        } else {
            &[Scope::Resolve]
        }
    }

    /// The authorization for all of it, or why there is none.
    fn authorization(&self, session: Option<&Session>, names: &[String]) -> Result<Granted, Error> {
        let asked = self.arguments.authorization.as_ref();
        let scopes = self.demand_scopes();
        let obtained = granted::obtain(self.place, session, &self.evidence, asked, scopes, || {
            let threads = if names.len() == 1 {
                "this thread"
            } else {
                "these threads"
            };
            let reply = self.arguments.reply.iter().chain(&self.arguments.rebutted);
            let text: Vec<&str> = names
                .iter()
                .chain(reply)
                .chain(&self.arguments.fixed_elsewhere)
                .map(String::as_str)
                .collect();
            Question {
                what: format!(
                    "resolve {threads} of pull request {} of {}",
                    self.place.number, self.place.repository
                ),
                text: text.join("\n"),
            }
        })?;
        Ok(obtained.map_err(|refusal| (refusal.code.into(), refusal.message)))
    }

    /// Replies where that is wanted, then resolves one thread; both are read again. Only the journal ends the command.
    fn carry_out(
        &mut self,
        session: &mut Session,
        authorization: &Authorization,
        row: &mut ThreadRow,
    ) -> Result<(), Error> {
        let Some(id) = row.thread_id.clone() else {
            return Ok(());
        };
        let name = ThreadName::Node(id);
        row.reply_body = None;
        let ready = match self.permitted(&name) {
            Err(failure) => {
                unknown(
                    row,
                    format!("The thread could not be read again: {}.", failure.fact()),
                );
                return Ok(());
            }
            Ok(Err(Decision::AlreadyResolved)) => {
                row.outcome = Outcome::AlreadyResolved;
                return Ok(());
            }
            Ok(Err(Decision::Refused(code, message))) => {
                refuse(row, code, message);
                return Ok(());
            }
            Ok(Err(Decision::Resolve(_))) => return Ok(()),
            Ok(Ok(ready)) => ready,
        };
        if let Some(text) = &ready.reply
            && !self.replied(session, authorization, row, &ready.thread, text)?
        {
            return Ok(());
        }
        let sent = actions::resolve_thread(self.gh, self.place, &ready.permit);
        match self.locate(&name) {
            Ok((_, Some(located))) => match (located.thread.is_resolved.get(), sent) {
                (Some(true), _) => {
                    row.outcome = Outcome::Resolved;
                    row.message = String::new();
                }
                (Some(false), Err(failure)) if definite(&failure) => refuse(
                    row,
                    RefusalCode::GitHubRefused,
                    format!("GitHub did not resolve it: {}.", failure.fact()),
                ),
                (_, sent) => unknown(
                    row,
                    format!(
                        "It is not resolved yet, and may still be{}. Run the command again.",
                        sent.err()
                            .map_or_else(String::new, |f| format!(" ({})", f.fact()))
                    ),
                ),
            },
            Ok((_, None)) => unknown(row, "The thread is gone.".to_owned()),
            Err(failure) => unknown(
                row,
                format!("The thread could not be read again: {}.", failure.fact()),
            ),
        }
        Ok(())
    }

    /// Reads the thread and the head once more right before anything is sent, and decides again.
    fn permitted(&mut self, name: &ThreadName) -> Result<Result<Ready, Decision>, Failure> {
        let (found, located) = self.locate(name)?;
        let Some(located) = located else {
            return Ok(Err(decide(
                &found,
                &Justification::None,
                None,
                self.options.strict_identity,
            )));
        };
        let justification = self.justification(Some(&located.thread), &located.head)?;
        let reply = self.arguments.reply.as_deref();
        Ok(
            match decide(&found, &justification, reply, self.options.strict_identity) {
                Decision::Resolve(permit) => Ok(Ready {
                    thread: located.thread,
                    permit,
                    reply: reply_text(&justification, reply),
                }),
                other => Err(other),
            },
        )
    }
}

/// Whether GitHub refused a mutation for certain.
fn definite(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Forbidden { .. }
            | Failure::NotFound { .. }
            | Failure::BadCredentials { .. }
            | Failure::RateLimited { .. }
            | Failure::GraphQl { .. }
    )
}

/// The id of a reply that is only shown; the real one is drawn when it is posted.
fn some_nonce() -> Result<codex_loop::lineage::Nonce, Failure> {
    nonce().map_err(|error| Failure::Other {
        message: error.message,
    })
}
