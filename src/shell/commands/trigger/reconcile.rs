//! Settling what an earlier command left open: an attempt by reading GitHub, a damaged journal by the user's word.

use chrono::TimeDelta;
use codex_loop::evidence::Local;
use codex_loop::evidence::observed::{Timestamp, rfc3339};
use codex_loop::lineage::{IN_FLIGHT_MINUTES, Open};
use codex_loop::reason::NextAction;
use codex_loop::report::Header;
use codex_loop::report::attempt::PostRow;
use codex_loop::run::failure::RetryTransitionState;

use super::{Command, Done, ending};
use crate::clock;
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::gh::collect::Need;
use crate::handled_file;
use crate::journal::Session;

impl Command<'_> {
    /// An attempt, or a damaged journal, that must be settled first: nothing is posted and nothing is read.
    pub(super) fn unsettled(&self, session: &Session) -> Option<Done> {
        let post = match session.journal().open_attempt() {
            Some(attempt) => PostRow::of(attempt, self.place.number, None),
            None => self.damage_row(session)?,
        };
        Some(Done {
            header: self.bare_header(),
            post,
            terminal: None,
            ending: Ok(ExitCode::Reconcile),
        })
    }

    fn damage_row(&self, session: &Session) -> Option<PostRow> {
        session.journal().open_damage()?;
        let mut row = PostRow::refused(self.kind(), self.place.number, Vec::new());
        row.state = RetryTransitionState::ReconciliationRequired;
        row.because = session.journal().local().doubt;
        row.next.action = NextAction::Reconcile;
        row.next.message = "Nothing is posted until the user says that no attempt is under way.".to_owned();
        row.next.command = Some(format!(
            "gh codex-loop {} {} --reconcile --authorization REF",
            self.kind().as_str(),
            self.place.number
        ));
        Some(row)
    }

    fn bare_header(&self) -> Header {
        Header {
            schema: format!("codex-loop.{}/1", self.kind().as_str()),
            repository: self.place.repository.to_string(),
            pull_request: self.place.number,
            url: self.place.url(),
            head_ref_oid: None,
            observed_at: rfc3339(clock::now()),
        }
    }

    /// Settles an open attempt by reading GitHub alone.
    pub(super) fn reconcile(&self) -> Result<Done, Error> {
        let mut session = Session::open(self.place, self.gh.timeout())?;
        let Some(open) = session.journal().open_attempt().and_then(Open::of) else {
            return self.reconcile_damage(&mut session);
        };
        let local = Local {
            journal: session.journal().local(),
            handled: handled_file::local(self.place),
        };
        let (evidence, refresh) = self
            .collect(Need::RUN, &local)
            .and_then(|evidence| self.refresh(open.attempt(), evidence))
            .map_err(|failure| self.reading_failed(failure))?;
        let reconciled = open.reconcile(&refresh, self.given().as_ref(), clock::now());
        self.record(&mut session, reconciled.attempt, evidence, Some(refresh), false)
    }

    /// No attempt is open. A damaged journal may have held one: only time and the user's word settle that.
    fn reconcile_damage(&self, session: &mut Session) -> Result<Done, Error> {
        let now = clock::now();
        let settles = |found: Timestamp| now - found >= TimeDelta::minutes(IN_FLIGHT_MINUTES);
        if let Some(damage) = session.journal().open_damage() {
            let old = settles(damage.found_at);
            if !old || self.given().is_none() {
                let mut done = self.unsettled(session).ok_or_else(|| {
                    Error::new(
                        ErrorKind::Internal,
                        "The damaged journal is gone.",
                        "This is a fault of this program; please report it.",
                    )
                })?;
                if !old {
                    let because = done.post.because.take().unwrap_or_default();
                    done.post.because = Some(format!(
                        "{because} Its request may still be in flight: wait until {IN_FLIGHT_MINUTES} minutes have \
                         passed since the damage was found."
                    ));
                }
                return Ok(done);
            }
            session.change(|journal| {
                for damage in &mut journal.damaged {
                    damage.settled_at.get_or_insert(now);
                }
            })?;
        }
        let last = session
            .journal()
            .attempts
            .iter()
            .rev()
            .find(|attempt| attempt.kind == self.kind());
        let (post, ending) = match last {
            Some(attempt) => (PostRow::of(attempt, self.place.number, None), ending(attempt)),
            None => (
                PostRow::refused(self.kind(), self.place.number, Vec::new()),
                Ok(ExitCode::Holds),
            ),
        };
        Ok(Done {
            header: self.bare_header(),
            post,
            terminal: None,
            ending,
        })
    }
}
