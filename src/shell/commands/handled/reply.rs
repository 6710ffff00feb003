//! `handled PR reply`: one top-level comment that answers an item without a thread, posted exactly once or not at all.
//!
//! The intent is in the journal before anything leaves, and a restart finds the comment by its id.

use std::io::Read;
use std::path::Path;

use codex_loop::authorization::{Authorization, Scope};
use codex_loop::convergence::disposition;
use codex_loop::convergence::reply::{self, Draft, TEXT_LIMIT};
use codex_loop::evidence::{Evidence, Local};
use codex_loop::journal::{Reply, ReplyState, ReplyTo};
use codex_loop::lineage::Answer;
use codex_loop::options::Options;
use codex_loop::report::handled::{HandledDocument, ReplyOutcome, ReplyRow};
use codex_loop::run::Run;
use codex_loop::sensor::items;
use codex_loop::thread::may_still_arrive;
use codex_loop::wanted::{Purpose, Wanted, wanted};

use super::{listed, refused, refused_one, whole};
use crate::cli::Global;
use crate::cli::sensor::ReplyArguments;
use crate::commands::granted::{self, Question, poster};
use crate::commands::trigger::nonce;
use crate::error::{Error, named_file};
use crate::exit_code::ExitCode;
use crate::gh::collect::{Known, Need, collect};
use crate::gh::failure::Failure;
use crate::gh::{Gh, actions};
use crate::journal::{self, Session};
use crate::selector::{Place, Selector};
use crate::{clock, handled_file, target};

/// What is printed, and how the command ends.
pub type Done = (HandledDocument, ExitCode);

pub fn run(global: &Global, pull: Option<&Selector>, arguments: &ReplyArguments) -> Result<Done, Error> {
    let words = words(&arguments.body_file)?;
    let gh = Gh::find(global).map_err(|failure| failure.into_error("gh could not be used"))?;
    let place = target::place(&gh, global, pull)?;
    let mut session = if arguments.dry_run {
        None
    } else {
        Some(Session::open(&place, gh.timeout())?)
    };
    let command = Command {
        gh: &gh,
        place: &place,
        options: global.options(),
        arguments,
    };
    let mut evidence = command.read(session.as_ref())?;
    let draft = command.draft(&evidence, &words)?;
    let authorization = command.authorization(session.as_ref(), &evidence, &draft)?;
    let row = match (authorization, session.as_mut()) {
        (authorization, None) => {
            ReplyRow::of(&draft, ReplyOutcome::DryRun, authorization.ok()).with_body(&draft, &nonce()?)
        }
        (Ok(authorization), Some(session)) => {
            command.answer(session, &mut evidence, &draft, authorization)?
        }
        (Err(error), Some(_)) => return Err(error),
    };
    let code = match row.state {
        ReplyOutcome::Posted | ReplyOutcome::AlreadyPosted | ReplyOutcome::DryRun => ExitCode::Holds,
        ReplyOutcome::Unknown => ExitCode::Reconcile,
    };
    let path = handled_file::path(&place)?;
    let changed = (row.state == ReplyOutcome::Posted).then_some("reply");
    let mut document = listed(global, &evidence, Some(path), changed)?;
    document.reply = Some(row);
    Ok((document, code))
}

/// The words, from a file or from stdin.
fn words(path: &Path) -> Result<String, Error> {
    let limit = u64::try_from(TEXT_LIMIT)
        .unwrap_or(u64::MAX)
        .saturating_mul(4)
        .saturating_add(1);
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_string(&mut text))
    };
    read.map(|_| text).map_err(|error| {
        Error::usage(
            format!("The reply {} cannot be read: {error}.", named_file(path)),
            "Give a text file, or - and the text on stdin.",
        )
    })
}

struct Command<'a> {
    gh: &'a Gh,
    place: &'a Place,
    options: Options,
    arguments: &'a ReplyArguments,
}

impl Command<'_> {
    fn read(&self, session: Option<&Session>) -> Result<Evidence, Error> {
        let local = Local {
            journal: session.map_or_else(|| journal::local(self.place), |session| session.journal().local()),
            handled: handled_file::local(self.place),
        };
        let need = Need {
            body: false,
            ..Need::WRITE
        };
        let asks = |evidence: &Evidence| wanted(evidence, &self.options, Purpose::Run);
        let evidence = collect(self.gh, self.place, need, local, &asks, Known::Nothing)
            .map_err(|failure| target::reading_failed(failure, self.place))?;
        super::super::stable(&evidence)?;
        whole(&evidence)?;
        Ok(evidence)
    }

    fn draft(&self, evidence: &Evidence, words: &str) -> Result<Draft, Error> {
        let run = super::super::classified(evidence, &self.options)?;
        let items = items::all(&run);
        let key = &self.arguments.key;
        let placed = disposition::item(&items, key).map_err(|refusal| refused(key, &[refusal]))?;
        Draft::of(&placed.item, self.arguments.outcome.into(), words)
            .map_err(|refusals| refused(key, &refusals))
    }

    /// What the reply rests on, or why it may not be posted.
    fn authorization(
        &self,
        session: Option<&Session>,
        evidence: &Evidence,
        draft: &Draft,
    ) -> Result<Result<Authorization, Error>, Error> {
        let asked = self.arguments.authorization.as_ref();
        let obtained = granted::obtain(self.place, session, evidence, asked, &[Scope::Reply], || {
            Question {
                what: format!(
                    "post this on pull request {} of {}",
                    self.place.number, self.place.repository
                ),
                text: draft.text.clone(),
            }
        })?;
        Ok(obtained.map_err(|refusal| refused_one(&draft.key, refusal.code.as_str(), &refusal.message)))
    }

    /// Makes sure that the reply stands on the pull request exactly once.
    fn answer(
        &self,
        session: &mut Session,
        evidence: &mut Evidence,
        draft: &Draft,
        authorization: Authorization,
    ) -> Result<ReplyRow, Error> {
        let row = |state| ReplyRow::of(draft, state, Some(authorization.clone()));
        let to = ReplyTo::Item {
            item_key: draft.key.clone(),
        };
        let known: Vec<Reply> = session
            .journal()
            .replies
            .iter()
            .filter(|reply| reply.to == to)
            .cloned()
            .collect();
        {
            let run = super::super::classified(evidence, &self.options)?;
            if let Some(waiting) = settle(session, &run, &known)? {
                return Ok(row(ReplyOutcome::Unknown).because(waiting));
            }
            let ours = known.iter().filter(|reply| reply.text == draft.text);
            let standing = ours
                .filter_map(|reply| reply::find(&run.reading, &reply.id))
                .next()
                .or_else(|| reply::same(&run.reading, &poster(evidence)?, draft));
            if let Some(standing) = standing {
                return Ok(row(ReplyOutcome::AlreadyPosted).standing(standing.comment));
            }
        }
        let mut intent = Reply {
            id: nonce()?,
            to,
            text: draft.text.clone(),
            started_at: clock::now(),
            authorization: authorization.clone(),
            state: ReplyState::Creating,
        };
        session.change(|journal| journal.put_reply(intent.clone()))?;
        let answer = actions::post_comment(self.gh, self.place, &draft.body(&intent.id));
        let unknown = |why: &str| {
            row(ReplyOutcome::Unknown)
                .with_body(draft, &intent.id)
                .because(format!(
                    "Whether the reply was posted is not known: {why} Run the command again."
                ))
        };
        if let Err(failure) = self.refresh(evidence) {
            return Ok(unknown(&format!(
                "GitHub could not be read again: {}.",
                failure.fact()
            )));
        }
        let run = super::super::classified(evidence, &self.options)?;
        let found = reply::find(&run.reading, &intent.id).map(|found| found.comment);
        let complete = evidence.surfaces.issue_comments.is_complete();
        let (state, outcome) = match (found, answer) {
            (Some(comment), _) => (
                ReplyState::Created {
                    comment_id: comment.id.get().unwrap_or_default(),
                },
                Ok(row(ReplyOutcome::Posted)
                    .with_body(draft, &intent.id)
                    .standing(comment)),
            ),
            (None, Answer::Rejected { message }) if complete => {
                let error = refused_one(
                    &draft.key,
                    "github-refused",
                    &format!("GitHub refused the reply: {message}."),
                );
                (ReplyState::CreationFailed { because: message }, Err(error))
            }
            (None, Answer::Rejected { .. } | Answer::Accepted) => {
                return Ok(unknown("it does not stand on the pull request yet."));
            }
            (None, Answer::Unknown { message }) => return Ok(unknown(&format!("{message}."))),
        };
        intent.state = state;
        session.change(|journal| journal.put_reply(intent.clone()))?;
        outcome
    }

    /// Reads the comments again; everything else stays as it was read.
    fn refresh(&self, evidence: &mut Evidence) -> Result<(), Failure> {
        let nothing = |_: &Evidence| Wanted::default();
        let now = collect(
            self.gh,
            self.place,
            Need::COMMENTS,
            Local::default(),
            &nothing,
            Known::Nothing,
        )?;
        evidence.collected_at = now.collected_at;
        evidence.surfaces.issue_comments = now.surfaces.issue_comments;
        Ok(())
    }
}

/// Settles by reading what earlier calls left open; says why when one of them may still arrive.
fn settle(session: &mut Session, run: &Run<'_>, known: &[Reply]) -> Result<Option<String>, Error> {
    for open in known.iter().filter(|reply| reply.state == ReplyState::Creating) {
        let mut settled = open.clone();
        settled.state = match reply::find(&run.reading, &open.id) {
            Some(found) => ReplyState::Created {
                comment_id: found.comment.id.get().unwrap_or_default(),
            },
            None if may_still_arrive(open.started_at, clock::now()) => {
                let why = "An earlier reply may still arrive; nothing was posted. Run the command again in 5 minutes.";
                return Ok(Some(why.to_owned()));
            }
            None => ReplyState::CreationFailed {
                because: "It never arrived.".to_owned(),
            },
        };
        session.change(|journal| journal.put_reply(settled))?;
    }
    Ok(None)
}
