//! The three writes of the review loop and the readings that belong to each. Each is sent once and never repeated.

use std::time::Duration;

use codex_loop::document;
use codex_loop::evidence::name::Sha;
use codex_loop::evidence::observed::{Observed, Timestamp};
use codex_loop::evidence::thread::Thread;
use codex_loop::lineage::{Answer, Post, Posted};
use codex_loop::thread::{Comparison, Permit, Relation};
use serde::Deserialize;
use serde_json::json;

use crate::selector::Place;

use super::Gh;
use super::failure::Failure;
use super::pull;
use super::query::{self, Query};

/// A write waits at most so long, well below the time after which an attempt counts as over.
pub const LONGEST_WRITE: Duration = Duration::from_secs(240);

/// The head right now.
pub fn head(gh: &Gh, place: &Place) -> Result<Sha, Failure> {
    Ok(pull::read(gh, place, &[])?.pull.head_ref_oid)
}

/// Posts the trigger, once.
pub fn post_trigger(gh: &Gh, place: &Place, post: Post) -> Posted {
    let answer = post_comment(gh, place, post.body());
    post.sent(answer)
}

/// Posts a top-level comment, once.
pub fn post_comment(gh: &Gh, place: &Place, body: &str) -> Answer {
    let path = format!("repos/{}/issues/{}/comments", place.repository, place.number);
    send(gh, place, &path, body)
}

/// Posts a reply to the comment that opened a thread, once.
pub fn post_reply(gh: &Gh, place: &Place, root: u64, body: &str) -> Answer {
    let path = format!(
        "repos/{}/pulls/{}/comments/{root}/replies",
        place.repository, place.number
    );
    send(gh, place, &path, body)
}

fn send(gh: &Gh, place: &Place, path: &str, body: &str) -> Answer {
    let input = json!({ "body": body }).to_string().into_bytes();
    match gh.write(&place.host, &["--method", "POST", path], input) {
        Ok(_) => Answer::Accepted,
        Err(failure) if refused(&failure) => Answer::Rejected {
            message: failure.fact(),
        },
        Err(failure) => Answer::Unknown {
            message: failure.fact(),
        },
    }
}

/// Whether GitHub refused for certain: a 4xx status, but for 408, where nobody knows what arrived.
fn refused(failure: &Failure) -> bool {
    match failure {
        Failure::BadCredentials { .. }
        | Failure::Forbidden { .. }
        | Failure::NotFound { .. }
        | Failure::RateLimited { .. } => true,
        Failure::Http { status, .. } => (400..500).contains(status) && *status != 408,
        Failure::Missing { .. }
        | Failure::Unstartable { .. }
        | Failure::TooOld { .. }
        | Failure::NoToken { .. }
        | Failure::Network { .. }
        | Failure::Timeout { .. }
        | Failure::Crashed { .. }
        | Failure::GraphQl { .. }
        | Failure::Other { .. }
        | Failure::Unusable { .. }
        | Failure::Interrupted => false,
    }
}

/// Resolves one thread, once. What came of it is read afterwards.
pub fn resolve_thread(gh: &Gh, place: &Place, permit: &Permit) -> Result<(), Failure> {
    let body = json!({
        "query": Query::ResolveThread.text(),
        "variables": { "id": permit.thread_id() },
    });
    gh.write(&place.host, &["graphql"], body.to_string().into_bytes())
        .map(|_| ())
}

/// A review thread and the pull request it belongs to.
#[derive(Clone, Debug)]
pub struct Located {
    pub thread: Thread,
    pub number: u64,
    /// `OWNER/REPO`.
    pub repository: String,
    /// The head of that pull request right now.
    pub head: Sha,
}

/// Reads one thread by its node id; none when GitHub knows no thread of that id.
pub fn thread(gh: &Gh, place: &Place, id: &str) -> Result<Option<Located>, Failure> {
    match query::ask(gh, &place.host, Query::LocatedThread, &json!({ "id": id })) {
        Ok(answer) => super::threads::located(gh, place, &answer),
        Err(Failure::NotFound { .. }) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Whether GitHub knows a review comment of that id anywhere in the repository.
pub fn comment_exists(gh: &Gh, place: &Place, id: u64) -> Result<bool, Failure> {
    let path = format!("repos/{}/pulls/comments/{id}", place.repository);
    match gh.api(&place.host, &[&path]) {
        Ok(_) => Ok(true),
        Err(Failure::NotFound { .. }) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// The full id of a commit; none when GitHub knows none, or more than one.
pub fn commit(gh: &Gh, place: &Place, prefix: &str) -> Result<Option<Sha>, Failure> {
    #[derive(Deserialize)]
    struct Found {
        sha: Sha,
    }
    let path = format!("repos/{}/commits/{prefix}", place.repository);
    match gh.api(&place.host, &[&path]) {
        Ok(answer) => match document::read::<Found>(&answer) {
            Ok(found) => Ok(Some(found.sha).filter(|sha| sha.starts_with(prefix))),
            Err(reason) => Err(Failure::Unusable {
                message: format!("GitHub's answer about commit {prefix} cannot be read: {reason}"),
            }),
        },
        Err(Failure::NotFound { .. } | Failure::Http { status: 422, .. }) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// A hosted comparison. What cannot be read is a relation of its own, which proves nothing.
pub fn compare(gh: &Gh, place: &Place, base: &Sha, head: &Sha) -> Result<Comparison, Failure> {
    #[derive(Deserialize)]
    struct Compared {
        #[serde(default)]
        status: Observed<String>,
        #[serde(default)]
        files: Vec<Changed>,
    }
    #[derive(Deserialize)]
    struct Changed {
        filename: String,
        #[serde(default)]
        previous_filename: Option<String>,
    }
    let unknown = |fact: String| Comparison {
        relation: Relation::Unknown(fact),
        paths: Vec::new(),
        files: 0,
    };
    // The files stand on the first page, whatever its size; the commits are of no interest.
    let path = format!("repos/{}/compare/{base}...{head}?per_page=1", place.repository);
    let answer = match gh.api(&place.host, &[&path]) {
        Ok(answer) => answer,
        Err(failure) if failure.is_fatal() => return Err(failure),
        Err(failure) => return Ok(unknown(failure.fact())),
    };
    let compared: Compared = match document::read(&answer) {
        Ok(compared) => compared,
        Err(reason) => return Ok(unknown(format!("GitHub's comparison cannot be read: {reason}"))),
    };
    let relation = match compared.status.text() {
        "identical" => Relation::Identical,
        "ahead" => Relation::Ahead,
        "behind" => Relation::Behind,
        "diverged" => Relation::Diverged,
        other => Relation::Unknown(format!("GitHub calls them `{other}`")),
    };
    Ok(Comparison {
        relation,
        files: compared.files.len(),
        paths: compared
            .files
            .into_iter()
            .flat_map(|file| std::iter::once(file.filename).chain(file.previous_filename))
            .collect(),
    })
}

/// When check suites of a commit were made on that branch; none when the list could not be read.
pub fn suites(gh: &Gh, place: &Place, sha: &Sha, branch: &str) -> Result<Option<Vec<Timestamp>>, Failure> {
    #[derive(Deserialize)]
    struct Page {
        check_suites: Vec<Suite>,
    }
    #[derive(Deserialize)]
    struct Suite {
        #[serde(default)]
        head_branch: Observed<String>,
        #[serde(default)]
        created_at: Observed<Timestamp>,
    }
    let path = format!(
        "repos/{}/commits/{sha}/check-suites?per_page=100",
        place.repository
    );
    let answer = match gh.api(&place.host, &[&path]) {
        Ok(answer) => answer,
        Err(failure) if failure.is_fatal() => return Err(failure),
        Err(_) => return Ok(None),
    };
    Ok(serde_json::from_slice::<Page>(&answer).ok().map(|page| {
        page.check_suites
            .into_iter()
            .filter(|suite| suite.head_branch.text() == branch)
            .filter_map(|suite| suite.created_at.get())
            .collect()
    }))
}
