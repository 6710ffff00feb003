//! The unresolved threads, by what may be done about them.

use super::{HostedError, database_id, known_time, time, unusable};
use crate::bot::identity::Identity;
use crate::bounded::canonical::{Json, digest};
use crate::bounded::state::ThreadSnapshot;
use crate::bounded::terms::{Count, DatabaseId, Hash, ThreadId, Timestamp, TrustedBotId};
use crate::evidence::observed::Observed;
use crate::evidence::thread::{Thread, ThreadComment};
use crate::reading::Reading;

/// Unresolved threads, by what may be done about them.
pub(super) struct Threads {
    pub(super) actionable: Vec<ThreadSnapshot>,
    pub(super) eligible: Vec<ThreadSnapshot>,
    pub(super) foreign: Count,
}

impl Threads {
    pub(super) fn of(reading: &Reading<'_>, author: Option<DatabaseId>) -> Result<Self, HostedError> {
        let (mut actionable, mut eligible, mut foreign) = (Vec::new(), Vec::new(), 0_usize);
        for thread in &reading.threads {
            if thread.thread.is_resolved.get() == Some(true) {
                continue;
            }
            let trusted = thread.root == Identity::Connector
                && thread
                    .thread
                    .comments
                    .first()
                    .and_then(|root| root_author(reading, root))
                    .is_some_and(|id| TrustedBotId::MINIMUM.is(id));
            if !trusted {
                foreign = foreign.saturating_add(1);
                continue;
            }
            let snapshot = snapshot(thread.thread, &thread.name.to_string())?;
            if thread.thread.is_outdated.get() == Some(true) || answered(thread.thread, author) {
                eligible.push(snapshot);
            } else {
                actionable.push(snapshot);
            }
        }
        actionable.sort_by(|a, b| a.id.cmp(&b.id));
        eligible.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Self {
            actionable,
            eligible,
            foreign: Count::of_length(foreign),
        })
    }
}

/// The root author's ID: GraphQL's, else REST's for the same comment.
fn root_author(reading: &Reading<'_>, root: &ThreadComment) -> Option<DatabaseId> {
    root.author.as_ref().and_then(database_id).or_else(|| {
        let id = root.id.get()?;
        let mut comments = reading.evidence.surfaces.review_comments.items().iter();
        comments
            .find(|comment| comment.id.get() == Some(id))?
            .user
            .as_ref()
            .and_then(database_id)
    })
}

/// "Reply under addressed trusted-Codex-rooted inline threads": the newest comment is the request author's.
fn answered(thread: &Thread, author: Option<DatabaseId>) -> bool {
    let newest = thread.comments.iter().skip(1).last();
    newest.is_some_and(|comment| author.is_some() && comment.author.as_ref().and_then(database_id) == author)
}

fn snapshot(thread: &Thread, name: &str) -> Result<ThreadSnapshot, HostedError> {
    let root = thread.comments.first();
    let root_id = root.and_then(|root| root.id.get());
    let missing = |what| HostedError::Unusable {
        what,
        evidence: name.to_owned(),
    };
    let mut newest: Option<Timestamp> = None;
    for comment in &thread.comments {
        let written = known_time(&comment.created_at, "the time of a comment", name)?;
        let edited = comment
            .last_edited_at
            .get()
            .map(|at| time(at, "the time of a change", name))
            .transpose()?;
        newest = newest.into_iter().chain([written]).chain(edited).max();
    }
    let bodies = Json::List(
        thread
            .comments
            .iter()
            .map(|comment| Json::text(comment.body.text()))
            .collect(),
    );
    let line = |line: &Observed<u64>| line.get().map_or(Json::Null, |line| Json::Integer(line.into()));
    let position = Json::object([
        ("path", Json::text(thread.path.text())),
        ("line", line(&thread.line)),
        ("original_line", line(&thread.original_line)),
        (
            "outdated",
            thread.is_outdated.get().map_or(Json::Null, Json::Boolean),
        ),
    ]);
    let hash = |json: &Json| Hash::new(digest(json)).map_err(unusable("the digest", name));
    Ok(ThreadSnapshot {
        id: ThreadId::new(thread.id.text()).map_err(unusable("the ID", name))?,
        root_comment_id: DatabaseId::new(root_id.unwrap_or(0))
            .map_err(unusable("the root comment's ID", name))?,
        root_author_database_id: TrustedBotId::MINIMUM,
        content_version_at: newest.ok_or_else(|| missing("the time"))?,
        body_hash: hash(&bodies)?,
        position_hash: hash(&position)?,
    })
}
