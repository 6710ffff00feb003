//! The GraphQL queries and how their variables are handed to gh.

use super::Gh;
use super::failure::Failure;
use super::pages::Pages;
use super::read::{self, Listed};

const ACCOUNT: &str = include_str!("queries/account.graphql");
const SUITE: &str = include_str!("queries/suite.graphql");
const EVENT: &str = include_str!("queries/event.graphql");
const THREAD_COMMENT: &str = include_str!("queries/thread_comment.graphql");
const PULL: &str = include_str!("queries/pull_fields.graphql");
const EDIT: &str = include_str!("queries/edit.graphql");

/// The queries of this program, put together from the files in `queries/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    Pull,
    OpenPulls,
    Edits,
    Timeline,
    Commits,
    Suites,
    Threads,
    Thread,
    LocatedThread,
    ResolveThread,
}

impl Query {
    /// The text with the fragments it uses.
    pub fn text(self) -> String {
        match self {
            Self::Pull => [
                include_str!("queries/pull.graphql"),
                PULL,
                ACCOUNT,
                SUITE,
                EVENT,
                EDIT,
            ]
            .concat(),
            Self::OpenPulls => [
                include_str!("queries/open_pulls.graphql"),
                PULL,
                ACCOUNT,
                SUITE,
                EVENT,
            ]
            .concat(),
            Self::Edits => [include_str!("queries/edits.graphql"), ACCOUNT, EDIT].concat(),
            Self::Timeline => [include_str!("queries/timeline.graphql"), ACCOUNT, EVENT].concat(),
            Self::Commits => include_str!("queries/commits.graphql").to_owned(),
            Self::Suites => [include_str!("queries/suites.graphql"), SUITE].concat(),
            Self::Threads => [include_str!("queries/threads.graphql"), ACCOUNT, THREAD_COMMENT].concat(),
            Self::Thread => [include_str!("queries/thread.graphql"), ACCOUNT, THREAD_COMMENT].concat(),
            Self::LocatedThread => [
                include_str!("queries/located_thread.graphql"),
                ACCOUNT,
                THREAD_COMMENT,
            ]
            .concat(),
            Self::ResolveThread => include_str!("queries/resolve_thread.graphql").to_owned(),
        }
    }
}

/// A query variable on gh's command line, which a paged query needs.
#[derive(Clone, Copy, Debug)]
pub enum Variable<'a> {
    Text(&'a str),
    Number(u64),
}

/// One query whose variables go in as JSON.
pub fn ask(gh: &Gh, host: &str, query: Query, variables: &serde_json::Value) -> Result<Vec<u8>, Failure> {
    let body = serde_json::json!({ "query": query.text(), "variables": variables });
    gh.api_with_input(host, &["graphql"], body.to_string().into_bytes())
}

/// Walks the one paged connection of a query.
pub fn walk<T>(
    gh: &Gh,
    host: &str,
    query: Query,
    variables: &[(&str, Variable<'_>)],
    read: impl Fn(&Pages) -> Listed<T>,
) -> Result<(Listed<T>, Option<Failure>), Failure> {
    let mut arguments = vec![
        "graphql".to_owned(),
        "-f".to_owned(),
        format!("query={}", query.text()),
    ];
    for (name, value) in variables {
        // -f never interprets its value; -F is what makes a number a number.
        let (option, text) = match value {
            Variable::Text(text) => ("-f", (*text).to_owned()),
            Variable::Number(number) => ("-F", number.to_string()),
        };
        arguments.extend([option.to_owned(), format!("{name}={text}")]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    read::walk(gh, host, &arguments, read)
}
