//! The reply that comes before a resolution: its intent is on disk before it leaves, and it is posted once.

use codex_loop::authorization::Authorization;
use codex_loop::evidence::thread::Thread;
use codex_loop::journal::{Reply, ReplyState, ReplyTo};
use codex_loop::lineage::Answer;
use codex_loop::report::resolve::ThreadRow;
use codex_loop::thread::{RefusalCode, ThreadName, find_reply, may_still_arrive, reply_body, same_reply};

use super::super::trigger::nonce;
use super::{Work, refuse, unknown};
use crate::clock;
use crate::commands::granted;
use crate::error::Error;
use crate::gh::actions;
use crate::journal::Session;

impl Work<'_> {
    /// Makes sure that the reply stands in the thread exactly once; false when that is not so, and the row says why.
    pub(super) fn replied(
        &self,
        session: &mut Session,
        authorization: &Authorization,
        row: &mut ThreadRow,
        thread: &Thread,
        text: &str,
    ) -> Result<bool, Error> {
        let thread_id = thread.id.text().to_owned();
        let to = ReplyTo::Thread {
            thread_id: thread_id.clone(),
        };
        let known: Vec<Reply> = session
            .journal()
            .replies
            .iter()
            .filter(|reply| reply.to == to)
            .cloned()
            .collect();
        // What an earlier call left open is settled by reading.
        for mut reply in known
            .iter()
            .filter(|reply| reply.state == ReplyState::Creating)
            .cloned()
        {
            reply.state = match find_reply(thread, &reply.id) {
                Some(found) => ReplyState::Created {
                    comment_id: found.id.get().unwrap_or_default(),
                },
                None if may_still_arrive(reply.started_at, clock::now()) => {
                    unknown(
                        row,
                        "An earlier reply may still arrive; nothing was posted. Run the command again in 5 minutes."
                            .to_owned(),
                    );
                    return Ok(false);
                }
                None => ReplyState::CreationFailed {
                    because: "It never arrived.".to_owned(),
                },
            };
            session.change(|journal| journal.put_reply(reply))?;
        }
        let poster = granted::poster(&self.evidence);
        let standing = known
            .iter()
            .filter(|reply| reply.text == text)
            .find_map(|reply| find_reply(thread, &reply.id))
            .or_else(|| poster.and_then(|poster| same_reply(thread, &poster, text)));
        if let Some(standing) = standing {
            row.reply_comment_id = standing.id.get();
            return Ok(true);
        }
        let Some(root) = thread.comments.first().and_then(|root| root.id.get()) else {
            refuse(
                row,
                RefusalCode::NotFound,
                "GitHub did not give the id of the thread's first comment.".to_owned(),
            );
            return Ok(false);
        };
        let mut reply = Reply {
            id: nonce()?,
            to,
            text: text.to_owned(),
            started_at: clock::now(),
            authorization: authorization.clone(),
            state: ReplyState::Creating,
        };
        let body = reply_body(&reply.id, text);
        row.reply_body = Some(body.clone());
        session.change(|journal| journal.put_reply(reply.clone()))?;
        let answer = actions::post_reply(self.gh, self.place, root, &body);
        let found = match self.locate(&ThreadName::Node(thread_id)) {
            Ok((_, Some(located))) => find_reply(&located.thread, &reply.id)
                .map(|found| found.id.get().unwrap_or_default())
                .ok_or(None),
            Ok((_, None)) => Err(None),
            Err(failure) => Err(Some(failure)),
        };
        reply.state = match (found, answer) {
            (Ok(comment_id), _) => {
                row.reply_comment_id = Some(comment_id);
                ReplyState::Created { comment_id }
            }
            (Err(None), Answer::Rejected { message }) => {
                refuse(
                    row,
                    RefusalCode::GitHubRefused,
                    format!("GitHub refused the reply: {message}."),
                );
                ReplyState::CreationFailed { because: message }
            }
            (Err(_), _) => {
                unknown(
                    row,
                    "Whether the reply was posted is not known; run the command again.".to_owned(),
                );
                return Ok(false);
            }
        };
        let posted = matches!(reply.state, ReplyState::Created { .. });
        session.change(|journal| journal.put_reply(reply))?;
        Ok(posted)
    }
}
