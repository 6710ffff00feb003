//! Review threads: a cursor walk over threads, and one more for every thread with more than 100 comments.

use codex_loop::evidence::name::Sha;
use codex_loop::evidence::surface::Surface;
use codex_loop::evidence::thread::{Thread, ThreadComment};
use serde::Deserialize;

use crate::selector::Place;

use super::Gh;
use super::actions::Located;
use super::failure::Failure;
use super::query::{self, Query, Variable};
use super::read::{self, Counted, Listed, take_nodes};
use super::wire::{self, Connection, InPull, WireThread, WireThreadComment};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InPullThreads {
    review_threads: Option<Connection<WireThread>>,
}

/// A thread whose first page holds all its comments, or one that must be walked.
#[derive(Debug)]
pub(super) struct Read {
    thread: Thread,
    /// Node id of a thread with more comments than were given.
    more: Option<String>,
    fault: Option<String>,
}

/// Walks all threads with all their comments; gives the cursor at the end of the walk as well.
pub fn read(gh: &Gh, place: &Place) -> Result<(Surface<Thread>, Option<String>), Failure> {
    let variables = [
        ("owner", Variable::Text(place.repository.owner())),
        ("name", Variable::Text(place.repository.name())),
        ("number", Variable::Number(place.number)),
    ];
    let (mut listed, failure) = query::walk(gh, &place.host, Query::Threads, &variables, |pages| {
        parse(pages.iter())
    })?;
    for read in &mut listed.items {
        complete(gh, place, read)?;
    }
    if let Some(fault) = listed.items.iter().find_map(|read| read.fault.clone()) {
        listed.fault.get_or_insert(fault);
    }
    let cursor = listed.cursor.clone();
    Ok((listed.map(|read| read.thread).surface(failure), cursor))
}

/// Reads the answer about one thread and the rest of its comments; none when the node is no review thread.
pub fn located(gh: &Gh, place: &Place, answer: &[u8]) -> Result<Option<Located>, Failure> {
    let unusable = |message: String| Failure::Unusable { message };
    let data: LocatedData = wire::answer(answer).map_err(unusable)?;
    let Some(node) = data.node else { return Ok(None) };
    let Some(pull) = node.pull_request else {
        return Ok(None);
    };
    let mut read = first_page(node.thread);
    complete(gh, place, &mut read)?;
    match read.fault {
        Some(fault) => Err(unusable(fault)),
        None => Ok(Some(Located {
            thread: read.thread,
            number: pull.number,
            repository: pull.repository.name_with_owner,
            head: pull.head_ref_oid,
        })),
    }
}

#[derive(Deserialize)]
struct LocatedData {
    node: Option<LocatedNode>,
}

/// A node of another kind answers with an empty object.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LocatedNode {
    #[serde(flatten)]
    thread: WireThread,
    pull_request: Option<LocatedPull>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LocatedPull {
    number: u64,
    head_ref_oid: Sha,
    repository: LocatedRepository,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LocatedRepository {
    name_with_owner: String,
}

/// Walks the comments of a thread that has more than were given.
fn complete(gh: &Gh, place: &Place, read: &mut Read) -> Result<(), Failure> {
    let Some(id) = &read.more else { return Ok(()) };
    let variables = [("id", Variable::Text(id))];
    let (comments, failure) = query::walk(gh, &place.host, Query::Thread, &variables, |pages| {
        comments(pages.iter())
    })?;
    if let Surface::Incomplete { error, .. } = comments_surface(&comments, failure) {
        read.fault = Some(format!(
            "the comments of thread {id} are incomplete: {}",
            error.message
        ));
    }
    if comments.items.len() >= read.thread.comments.len() {
        read.thread.comments = comments.items;
    }
    Ok(())
}

fn comments_surface(comments: &Listed<ThreadComment>, failure: Option<Failure>) -> Surface<()> {
    Listed {
        items: Vec::new(),
        pages: comments.pages,
        full: comments.full,
        fault: comments.fault.clone(),
        cursor: None,
    }
    .surface(failure)
}

pub(super) fn parse<'a>(pages: impl Iterator<Item = &'a [u8]>) -> Listed<Read> {
    let open = |data: InPull<InPullThreads>| data.pull()?.review_threads;
    read::connection(pages, Counted::Yes, open).map(first_page)
}

fn first_page(mut thread: WireThread) -> Read {
    let id = thread.id().to_owned();
    let Some(connection) = thread.comments.take() else {
        return Read {
            thread: thread.with(Vec::new()),
            more: None,
            fault: Some(format!("GitHub did not give the comments of thread {id}")),
        };
    };
    let mut nodes = Vec::new();
    let mut fault = take_nodes(&mut nodes, connection.nodes);
    let ended = connection.page_info.and_then(|info| info.has_next_page);
    let whole = ended == Some(false) && connection.total_count == Some(nodes.len() as u64);
    if !whole && id.is_empty() {
        fault.get_or_insert_with(|| "a thread without an id has more comments".to_owned());
    }
    Read {
        thread: thread.with(nodes.into_iter().map(ThreadComment::from).collect()),
        more: (!whole && !id.is_empty()).then_some(id),
        fault,
    }
}

fn comments<'a>(pages: impl Iterator<Item = &'a [u8]>) -> Listed<ThreadComment> {
    #[derive(Deserialize)]
    struct Root {
        node: Option<In>,
    }
    #[derive(Deserialize)]
    struct In {
        comments: Option<Connection<WireThreadComment>>,
    }
    let open = |data: Root| data.node?.comments;
    read::connection(pages, Counted::Yes, open).map(ThreadComment::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads(comments: &str) -> Listed<Read> {
        let page = format!(
            r#"{{"data":{{"repository":{{"pullRequest":{{"reviewThreads":{{
            "pageInfo":{{"hasNextPage":false,"endCursor":"x"}},"totalCount":1,
            "nodes":[{{"id":"PRRT_1","isResolved":false,"isOutdated":true,"path":"a.rs","line":null,"comments":{comments}}}]}}}}}}}}}}"#
        );
        parse(std::iter::once(page.as_bytes()))
    }

    #[test]
    fn a_thread_is_read_with_its_comments() {
        let listed = threads(
            r#"{"pageInfo":{"hasNextPage":false},"totalCount":1,"nodes":[{"fullDatabaseId":"3000000001",
            "author":{"__typename":"Bot","login":"chatgpt-codex-connector","databaseId":199175422},
            "authorAssociation":"NONE","createdAt":"2026-09-16T05:11:26Z","lastEditedAt":null,"body":"b","url":"u",
            "originalCommit":{"oid":"1111111111111111111111111111111111111111"},
            "pullRequestReview":{"fullDatabaseId":"7","commit":null}}]}"#,
        );
        assert_eq!(listed.fault, None);
        let read = listed.items.first().expect("one thread");
        assert_eq!((&read.more, &read.fault), (&None, &None));
        let comment = read.thread.comments.first().expect("one comment");
        assert_eq!(
            (comment.id.get(), comment.review_id.get()),
            (Some(3_000_000_001), Some(7))
        );
        assert!(comment.review_commit.is_missing() && comment.last_edited_at.is_missing());
        assert_eq!(
            comment.author.as_ref().map(|author| author.kind.text()),
            Some("Bot")
        );
    }

    #[test]
    fn a_long_thread_is_walked_and_a_broken_one_is_a_fault() {
        let long = threads(r#"{"pageInfo":{"hasNextPage":true},"totalCount":200,"nodes":[]}"#);
        assert_eq!(
            long.items.first().and_then(|read| read.more.as_deref()),
            Some("PRRT_1")
        );
        let short = threads(r#"{"pageInfo":{"hasNextPage":false},"totalCount":2,"nodes":[]}"#);
        assert!(short.items.first().is_some_and(|read| read.more.is_some()));
        let uncounted = r#"{"data":{"repository":{"pullRequest":{"reviewThreads":{
            "pageInfo":{"hasNextPage":false,"endCursor":"x"},"nodes":[]}}}}}"#;
        assert_eq!(
            parse(std::iter::once(uncounted.as_bytes())).fault.as_deref(),
            Some("GitHub did not say how many items there are"),
            "an empty list that is not counted proves nothing"
        );
        let none = threads("null");
        assert!(none.items.first().is_some_and(|read| read.fault.is_some()));
    }
}
