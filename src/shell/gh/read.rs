//! Reading collections to their end, and knowing when that was not reached.
//!
//! A collection is complete only if gh exited 0, printed one JSON text, every page has the expected form and carries
//! no error, and the end of the list is proven. Whatever arrived whole is kept all the same.

use std::collections::HashSet;

use codex_loop::document;
use codex_loop::evidence::surface::{Surface, SurfaceError, SurfaceErrorKind};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::failure::Failure;
use super::pages::Pages;
use super::wire::{self, Connection};
use super::{Gh, Walk};

/// Items on one full page.
const PAGE: usize = 100;

/// What proves that a full last page is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A counter elsewhere, compared by whoever asks.
    Counter,
    /// The page after it is asked for.
    Probe,
    /// Nothing: the list has cursors of its own and its beginning is what matters.
    Newest,
}

/// Items that were read, and what was wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct Listed<T> {
    pub items: Vec<T>,
    pub pages: u32,
    /// The last page was as full as a page can be.
    pub full: bool,
    pub fault: Option<String>,
    /// Of a connection: the cursor of the page that said it is the last.
    pub cursor: Option<String>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            pages: 0,
            full: false,
            fault: None,
            cursor: None,
        }
    }
}

impl<T> Listed<T> {
    fn fail(&mut self, fact: String) {
        self.fault.get_or_insert(fact);
    }

    /// The same list with every item changed.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Listed<U> {
        Listed {
            items: self.items.into_iter().map(change).collect(),
            pages: self.pages,
            full: self.full,
            fault: self.fault,
            cursor: self.cursor,
        }
    }

    /// The surface; gh's own failure explains more than what it did to the pages.
    pub fn surface(self, failure: Option<Failure>) -> Surface<T> {
        let error = failure
            .map(|failure| failure.surface_error())
            .or_else(|| self.fault.map(|fault| broken(&fault)));
        match error {
            None => Surface::Complete {
                pages: self.pages,
                items: self.items,
            },
            Some(error) => Surface::Incomplete {
                pages: self.pages,
                items: self.items,
                error,
            },
        }
    }
}

/// A collection that GitHub did not give as it should.
pub fn broken(fact: &str) -> SurfaceError {
    SurfaceError {
        kind: SurfaceErrorKind::Incomplete,
        message: if fact.ends_with('.') {
            fact.to_owned()
        } else {
            format!("{fact}.")
        },
    }
}

/// Reads the pages of a REST list.
pub fn list<'a, T: DeserializeOwned>(pages: impl Iterator<Item = &'a [u8]>) -> Listed<T> {
    let mut listed = Listed::default();
    for page in pages {
        let number = listed.pages + 1;
        if page.first() != Some(&b'[') {
            listed.fail(format!(
                "page {number} of GitHub's answer is no list{}",
                error_words(page)
            ));
            break;
        }
        let items: Vec<T> = match document::read(page) {
            Ok(items) => items,
            Err(reason) => {
                listed.fail(format!(
                    "page {number} of GitHub's answer cannot be read: {reason}"
                ));
                break;
            }
        };
        if items.is_empty() && number > 1 {
            listed.fail(format!(
                "page {number} of GitHub's answer is empty, though page {} announced it",
                number - 1
            ));
            break;
        }
        listed.pages = number;
        listed.full = items.len() >= PAGE;
        listed.items.extend(items);
    }
    if listed.pages == 0 {
        listed.fail("GitHub's answer holds no page".to_owned());
    }
    listed
}

/// Reads the pages of a REST list inside objects that say how many items there are.
pub fn counted_list<'a, P: DeserializeOwned, T>(
    pages: impl Iterator<Item = &'a [u8]>,
    open: impl Fn(P) -> Option<(u64, Vec<T>)>,
) -> Listed<T> {
    let mut listed = Listed::default();
    let mut total = None;
    for page in pages {
        let number = listed.pages + 1;
        let opened = serde_json::from_slice(page).ok().and_then(&open);
        let Some((said, items)) = opened else {
            listed.fail(format!(
                "page {number} of GitHub's answer has not the expected form{}",
                error_words(page)
            ));
            break;
        };
        listed.pages = number;
        total = Some(said);
        listed.items.extend(items);
    }
    match total {
        Some(total) if total == listed.items.len() as u64 => {}
        Some(total) => {
            let read = listed.items.len();
            listed.fail(format!("GitHub counts {total} items and gave {read}"));
        }
        None => listed.fail("GitHub's answer holds no page".to_owned()),
    }
    listed
}

/// Whether a query asks a connection how many items it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Yes,
    /// Only the timeline: its count includes events of kinds that were not asked for.
    No,
}

/// Reads the pages of a GraphQL connection up to the page that says it is the last.
pub fn connection<'a, D: DeserializeOwned, T>(
    pages: impl Iterator<Item = &'a [u8]>,
    counted: Counted,
    open: impl Fn(D) -> Option<Connection<T>>,
) -> Listed<T> {
    let mut listed = Listed::default();
    let mut cursors = HashSet::new();
    let mut total = None;
    let mut ended = false;
    for page in pages {
        let number = listed.pages + 1;
        if ended {
            listed.fail(format!(
                "page {} said it is the last and another followed",
                number - 1
            ));
            break;
        }
        let connection = match wire::answer(page) {
            Ok(data) => open(data),
            Err(fact) => {
                listed.fail(format!("page {number}: {fact}"));
                break;
            }
        };
        let Some(connection) = connection else {
            listed.fail(format!(
                "page {number} of GitHub's answer has not the expected form"
            ));
            break;
        };
        if let Some(fault) = take_nodes(&mut listed.items, connection.nodes) {
            listed.fail(format!("page {number}: {fault}"));
        }
        listed.pages = number;
        total = connection.total_count;
        match connection
            .page_info
            .map(|info| (info.has_next_page, info.end_cursor))
        {
            Some((Some(false), cursor)) => {
                ended = true;
                listed.cursor = cursor;
            }
            Some((Some(true), Some(cursor))) if cursors.insert(cursor.clone()) => {}
            Some((Some(true), Some(_))) => listed.fail(format!("page {number} repeats a cursor")),
            _ => listed.fail(format!("page {number} does not say whether another follows")),
        }
    }
    if !ended {
        listed.fail("GitHub's answer broke off before its last page".to_owned());
    }
    match total {
        Some(total) if total != listed.items.len() as u64 => {
            let read = listed.items.len();
            listed.fail(format!("GitHub counts {total} items and gave {read}"));
        }
        None if counted == Counted::Yes => {
            listed.fail("GitHub did not say how many items there are".to_owned());
        }
        Some(_) | None => {}
    }
    listed
}

/// Moves the nodes over; a null among them is an item that was not given.
pub fn take_nodes<T>(items: &mut Vec<T>, nodes: Vec<Option<T>>) -> Option<String> {
    let all = nodes.len();
    let before = items.len();
    items.extend(nodes.into_iter().flatten());
    let given = items.len() - before;
    (given != all).then(|| format!("GitHub left out {} of {all} items", all - given))
}

fn error_words(page: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Message {
        message: String,
    }
    serde_json::from_slice::<Message>(page).map_or_else(
        |_| String::new(),
        |error| {
            format!(
                ": {}",
                codex_loop::report::sanitise::one_line(&error.message, 200)
            )
        },
    )
}

/// Walks a REST list and proves its end.
///
/// # Errors
/// A failure that ends the command. Every other one makes the surface incomplete.
pub fn rest<T: DeserializeOwned>(gh: &Gh, host: &str, path: &str, end: End) -> Result<Surface<T>, Failure> {
    let joint = if path.contains('?') { '&' } else { '?' };
    let first = format!("{path}{joint}per_page={PAGE}");
    let (listed, failure) = walk(gh, host, &[first.as_str()], |pages| list(pages.iter()))?;
    if end == End::Probe && failure.is_none() && listed.fault.is_none() && listed.full {
        let next = format!("{first}&page={}", listed.pages + 1);
        let probe = gh.api(host, &[next.as_str()]);
        let fault = match probe {
            Ok(bytes) => match serde_json::from_slice::<Vec<serde::de::IgnoredAny>>(&bytes) {
                Ok(items) if items.is_empty() => None,
                Ok(_) | Err(_) => Some(broken("GitHub's answer broke off after a full page")),
            },
            Err(failure) if failure.is_fatal() => return Err(failure),
            Err(failure) => Some(failure.surface_error()),
        };
        let surface = listed.surface(None);
        return Ok(match fault {
            None => surface,
            Some(error) => surface.into_incomplete(error),
        });
    }
    Ok(listed.surface(failure))
}

/// Walks one list; a failure that ends the command is returned, any other stands beside what was read.
pub fn walk<T>(
    gh: &Gh,
    host: &str,
    arguments: &[&str],
    read: impl Fn(&Pages) -> Listed<T>,
) -> Result<(Listed<T>, Option<Failure>), Failure> {
    match gh.walk(host, arguments) {
        Ok(Walk {
            failure: Some(failure),
            ..
        })
        | Err(failure)
            if failure.is_fatal() =>
        {
            Err(failure)
        }
        Ok(Walk { pages, failure }) => Ok((read(&pages), failure)),
        Err(failure) => Ok((Listed::default(), Some(failure))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(pages: &[&str]) -> (usize, Option<String>) {
        let listed: Listed<u64> = list(pages.iter().map(|page| page.as_bytes()));
        (listed.items.len(), listed.fault)
    }

    #[test]
    fn a_list_is_whole_or_says_why_not() {
        assert_eq!(numbers(&["[1,2]", "[3]"]), (3, None));
        assert_eq!(numbers(&["[]"]), (0, None));
        for (pages, read, fault) in [
            (vec!["[1]", "[]"], 1, "page 2 of GitHub's answer is empty"),
            (
                vec!["[1]", "{\"message\":\"Server Error\"}"],
                1,
                "page 2 of GitHub's answer is no list: Server Error",
            ),
            (
                vec!["[1]", "[\"x\"]"],
                1,
                "page 2 of GitHub's answer cannot be read",
            ),
            (vec![], 0, "GitHub's answer holds no page"),
        ] {
            let (items, found) = numbers(&pages);
            assert_eq!(items, read);
            assert!(
                found.as_deref().is_some_and(|found| found.starts_with(fault)),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_counted_list_agrees_with_its_counter() {
        #[derive(Deserialize)]
        struct Runs {
            total_count: Option<u64>,
            check_runs: Option<Vec<u64>>,
        }
        let read = |pages: &[&str]| {
            let open = |page: Runs| page.total_count.zip(page.check_runs);
            counted_list(pages.iter().map(|page| page.as_bytes()), open)
        };
        assert_eq!(
            read(&[
                r#"{"total_count":2,"check_runs":[1]}"#,
                r#"{"total_count":2,"check_runs":[2]}"#
            ])
            .fault,
            None
        );
        assert_eq!(
            read(&[r#"{"total_count":2,"check_runs":[1]}"#]).fault,
            Some("GitHub counts 2 items and gave 1".into())
        );
        assert!(
            read(&[r#"{"message":"no"}"#])
                .fault
                .is_some_and(|fault| fault.contains("no"))
        );
    }

    fn page(nodes: &str, info: &str, total: u64) -> String {
        format!(r#"{{"data":{{"pageInfo":{info},"totalCount":{total},"nodes":{nodes}}}}}"#)
    }

    #[test]
    fn a_connection_ends_where_it_says_so() {
        let read = |pages: &[String]| {
            let pages = pages.iter().map(String::as_bytes);
            let listed: Listed<u64> = connection(pages, Counted::Yes, Some::<Connection<u64>>);
            (listed.items.len(), listed.fault)
        };
        let more = |cursor: &str| format!(r#"{{"hasNextPage":true,"endCursor":"{cursor}"}}"#);
        let last = r#"{"hasNextPage":false,"endCursor":null}"#;
        assert_eq!(
            read(&[page("[1,2]", &more("a"), 3), page("[3]", last, 3)]),
            (3, None)
        );
        for (pages, fault) in [
            (
                vec![page("[1,2]", &more("a"), 3)],
                "GitHub's answer broke off before its last page",
            ),
            (vec![page("[1]", last, 3)], "GitHub counts 3 items and gave 1"),
            (
                vec![page("[1]", &more("a"), 2), page("[2]", &more("a"), 2)],
                "page 2 repeats a cursor",
            ),
            (
                vec![page("[1]", "null", 1)],
                "page 1 does not say whether another follows",
            ),
            (
                vec![page("[1,null]", last, 2)],
                "page 1: GitHub left out 1 of 2 items",
            ),
            (
                vec![page("[1]", last, 1), page("[1]", last, 1)],
                "page 1 said it is the last",
            ),
            (
                vec![r#"{"data":null,"errors":[{"message":"timeout"}]}"#.into()],
                "page 1: GitHub's GraphQL answered",
            ),
        ] {
            let (_, found) = read(&pages);
            assert!(
                found.as_deref().is_some_and(|found| found.starts_with(fault)),
                "{found:?} is not {fault}"
            );
        }
    }
}
