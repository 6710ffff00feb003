//! The pull request in one GraphQL query: meta, counters, commits, check suites of the head, timeline, edits.

use codex_loop::evidence::account::Account;
use codex_loop::evidence::check::CheckSuite;
use codex_loop::evidence::edit::Edit;
use codex_loop::evidence::event::Event;
use codex_loop::evidence::name::Sha;
use codex_loop::evidence::observed::{Observed, Timestamp, not_given};
use codex_loop::evidence::pull::{Commit, Counts, Pull, PullState};
use codex_loop::evidence::surface::Surface;
use serde::Deserialize;
use serde_json::Value;

use crate::selector::Place;

use super::Gh;
use super::failure::Failure;
use super::query::{self, Query, Variable};
use super::read::{self, Counted, broken, take_nodes};
use super::wire::{self, Connection, InPull, PullCommit, Suite, TimelineItem, Total};

/// Nodes that one query may ask for.
const NODES: usize = 100;

/// One reading of the pull request.
#[derive(Clone, Debug)]
pub struct Reading {
    pub pull: Pull,
    pub commits: Surface<Commit>,
    pub head_commit: Surface<Commit>,
    pub check_suites: Surface<CheckSuite>,
    pub timeline: Surface<Event>,
    /// Only when edits were asked for.
    pub edits: Surface<Edit>,
}

/// What must be equal before and after everything else was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    head: Sha,
    state: PullState,
    draft: bool,
    base: String,
}

impl Reading {
    /// What must not move while everything else is read.
    pub fn anchor(&self) -> Anchor {
        Anchor {
            head: self.pull.head_ref_oid.clone(),
            state: self.pull.state.clone(),
            draft: self.pull.is_draft,
            base: self.pull.base_ref_name.clone(),
        }
    }
}

impl Reading {
    /// What changed of the pull request itself, the time of its last change included.
    pub fn changed(&self, now: &Self) -> Option<String> {
        self.anchor().moved(&now.anchor()).or_else(|| {
            let touched = self.pull.updated_at != now.pull.updated_at;
            touched.then(|| "the time of its last change (updatedAt) moved".to_owned())
        })
    }
}

impl Anchor {
    /// What moved, as a sentence.
    pub fn moved(&self, now: &Self) -> Option<String> {
        let change = if self.head != now.head {
            format!(
                "the head moved from {} to {}",
                self.head.short(),
                now.head.short()
            )
        } else if self.state != now.state {
            "the pull request was opened, closed or merged".to_owned()
        } else if self.draft != now.draft {
            "the draft state changed".to_owned()
        } else if self.base != now.base {
            "the base branch changed".to_owned()
        } else {
            return None;
        };
        Some(format!("While it was read, {change}"))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    #[serde(flatten)]
    place: InPull<WirePull>,
    #[serde(default)]
    nodes: Option<Vec<Option<WireEdit>>>,
}

#[derive(Deserialize)]
struct EditsOnly {
    #[serde(default)]
    nodes: Option<Vec<Option<WireEdit>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireEdit {
    id: String,
    #[serde(default = "not_given")]
    last_edited_at: Observed<Timestamp>,
    #[serde(default)]
    editor: Option<Account>,
}

/// The pull request as the fragment `pull` asks for it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WirePull {
    number: u64,
    url: String,
    title: String,
    state: PullState,
    is_draft: bool,
    head_ref_oid: Sha,
    head_ref_name: String,
    head_repository: Option<NameWithOwner>,
    is_cross_repository: bool,
    base_ref_name: String,
    base_ref_oid: Option<Sha>,
    base_ref: Option<WireReference>,
    #[serde(default)]
    created_at: Observed<Timestamp>,
    #[serde(default)]
    updated_at: Observed<Timestamp>,
    #[serde(default = "not_given")]
    last_edited_at: Observed<Timestamp>,
    author: Option<Account>,
    review_decision: Option<String>,
    mergeable: Option<String>,
    merge_state_status: Option<String>,
    comments: Option<Total>,
    reviews: Option<Total>,
    review_threads: Option<Total>,
    commits: Option<Connection<PullCommit>>,
    head: Option<Connection<WireHead>>,
    timeline_items: Option<Connection<TimelineItem>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NameWithOwner {
    name_with_owner: String,
}

#[derive(Deserialize)]
struct WireReference {
    target: Option<WireTarget>,
}

#[derive(Deserialize)]
struct WireTarget {
    oid: Sha,
}

#[derive(Deserialize)]
struct WireHead {
    commit: Option<WireHeadCommit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireHeadCommit {
    oid: Sha,
    #[serde(default)]
    committed_date: Observed<Timestamp>,
    check_suites: Option<Connection<Suite>>,
}

/// Reads the pull request, and the edit state of up to 100 nodes with it.
pub fn read(gh: &Gh, place: &Place, edits_of: &[String]) -> Result<Reading, Failure> {
    let (with, later) = edits_of.split_at(edits_of.len().min(NODES));
    let variables = serde_json::json!({
        "owner": place.repository.owner(),
        "name": place.repository.name(),
        "number": place.number,
        "ids": with,
        "withEdits": !with.is_empty(),
    });
    let answer = query::ask(gh, &place.host, Query::Pull, &variables);
    let answer = match answer {
        // One node that is gone fails the whole query: read the rest without the nodes, and keep the reason.
        Err(failure @ (Failure::NotFound { .. } | Failure::GraphQl { .. })) if !with.is_empty() => {
            let mut reading = read(gh, place, &[])?;
            reading.edits = Surface::NotCollected.into_incomplete(failure.surface_error());
            return Ok(reading);
        }
        other => other?,
    };
    let mut reading = parse(&answer, with).map_err(|message| Failure::Unusable { message })?;
    for more in later.chunks(NODES) {
        reading.edits = join(reading.edits, edits(gh, place, more)?);
    }
    Ok(reading)
}

/// Reads the edit state of nodes alone.
pub fn edits(gh: &Gh, place: &Place, ids: &[String]) -> Result<Surface<Edit>, Failure> {
    let mut all = Surface::NotCollected;
    for some in ids.chunks(NODES) {
        let answer = query::ask(gh, &place.host, Query::Edits, &serde_json::json!({ "ids": some }));
        let read = match answer.map(|bytes| wire::answer::<EditsOnly>(&bytes)) {
            Ok(Ok(data)) => edits_surface(data.nodes, some),
            Ok(Err(fact)) => Surface::NotCollected.into_incomplete(broken(&fact)),
            Err(failure) if failure.is_fatal() => return Err(failure),
            Err(failure) => Surface::NotCollected.into_incomplete(failure.surface_error()),
        };
        all = join(all, read);
    }
    Ok(all)
}

/// Both parts as one surface, complete only when both are.
pub fn join(first: Surface<Edit>, second: Surface<Edit>) -> Surface<Edit> {
    match (first, second) {
        (Surface::NotCollected, other) | (other, Surface::NotCollected) => other,
        (
            Surface::Complete { pages, mut items },
            Surface::Complete {
                pages: more,
                items: rest,
            },
        ) => {
            items.extend(rest);
            Surface::Complete {
                pages: pages + more,
                items,
            }
        }
        (first, second) => {
            let error = [&first, &second].iter().find_map(|surface| match surface {
                Surface::Incomplete { error, .. } => Some(error.clone()),
                Surface::Complete { .. } | Surface::NotCollected => None,
            });
            let summary = (first.summary().pages, second.summary().pages);
            let items = first.items().iter().chain(second.items()).cloned().collect();
            Surface::Incomplete {
                pages: summary.0 + summary.1,
                items,
                error: error.unwrap_or_else(|| broken("the edits could not be read")),
            }
        }
    }
}

/// Reads one answer to [`Query::Pull`].
pub fn parse(answer: &[u8], edits_of: &[String]) -> Result<Reading, String> {
    let data: Data = wire::answer(answer).map_err(|fact| {
        let whole = serde_json::from_slice::<Value>(answer).unwrap_or_default();
        let pull = whole.pointer("/data/repository/pullRequest");
        pull.and_then(lacking).unwrap_or(fact)
    })?;
    let wire = data.place.pull().ok_or("GitHub's answer holds no pull request")?;
    let mut reading = reading(wire);
    if !edits_of.is_empty() {
        reading.edits = edits_surface(data.nodes, edits_of);
    }
    Ok(reading)
}

/// The first field that GitHub did not give and without which nothing can be said about a pull request, as a fact.
pub fn lacking(pull: &Value) -> Option<String> {
    const NEEDED: [&str; 9] = [
        "number",
        "url",
        "title",
        "state",
        "isDraft",
        "headRefOid",
        "headRefName",
        "isCrossRepository",
        "baseRefName",
    ];
    let missing = NEEDED
        .iter()
        .find(|name| pull.is_object() && pull.get(**name).is_none_or(Value::is_null))?;
    Some(format!(
        "GitHub's answer does not hold the pull request's {missing}"
    ))
}

/// Puts GitHub's answer in its places; edits are read elsewhere.
pub fn reading(wire: WirePull) -> Reading {
    let count = |total: Option<Total>| total.and_then(|total| total.total_count.get());
    let counts = Counts {
        comments: count(wire.comments),
        reviews: count(wire.reviews),
        threads: count(wire.review_threads),
        commits: wire.commits.as_ref().and_then(|commits| commits.total_count),
    };
    let head = wire
        .head
        .and_then(|head| head.nodes.into_iter().next().flatten()?.commit);
    let head = head.filter(|head| head.oid == wire.head_ref_oid);
    let commits = commits(wire.commits);
    let head_commit = head
        .as_ref()
        .map(|head| Commit {
            oid: head.oid.clone(),
            committed_date: head.committed_date.clone(),
        })
        .or_else(|| {
            commits
                .items()
                .iter()
                .find(|commit| commit.oid == wire.head_ref_oid)
                .cloned()
        });
    Reading {
        check_suites: suites(head.and_then(|head| head.check_suites)),
        head_commit: head_commit.map_or_else(
            || Surface::NotCollected.into_incomplete(broken("GitHub did not give the head commit")),
            |commit| Surface::complete(vec![commit]),
        ),
        commits,
        timeline: timeline(wire.timeline_items),
        edits: Surface::NotCollected,
        pull: Pull {
            number: wire.number,
            url: wire.url,
            title: wire.title,
            state: wire.state,
            is_draft: wire.is_draft,
            head_ref_oid: wire.head_ref_oid,
            head_ref_name: wire.head_ref_name,
            head_repository: wire.head_repository.map(|repository| repository.name_with_owner),
            is_cross_repository: wire.is_cross_repository,
            base_ref_name: wire.base_ref_name,
            base_ref_oid: wire.base_ref_oid,
            base_tip_oid: wire
                .base_ref
                .and_then(|branch| branch.target)
                .map(|target| target.oid),
            created_at: wire.created_at,
            updated_at: wire.updated_at,
            last_edited_at: wire.last_edited_at,
            author: wire.author,
            counts,
            review_decision: wire.review_decision,
            mergeable: wire.mergeable,
            merge_state_status: wire.merge_state_status,
        },
    }
}

fn edits_surface(nodes: Option<Vec<Option<WireEdit>>>, asked: &[String]) -> Surface<Edit> {
    let mut items = Vec::new();
    let mut fault = take_nodes(&mut items, nodes.unwrap_or_default());
    if items.len() != asked.len() {
        fault.get_or_insert_with(|| format!("GitHub gave {} of {} nodes", items.len(), asked.len()));
    }
    let items = items
        .into_iter()
        .map(|edit: WireEdit| Edit {
            node_id: edit.id,
            last_edited_at: edit.last_edited_at,
            editor: edit.editor,
        })
        .collect();
    complete_unless(items, fault)
}

fn complete_unless<T>(items: Vec<T>, fault: Option<String>) -> Surface<T> {
    let surface = Surface::complete(items);
    match fault {
        None => surface,
        Some(fault) => surface.into_incomplete(broken(&fault)),
    }
}

fn commits(connection: Option<Connection<PullCommit>>) -> Surface<Commit> {
    let Some(connection) = connection else {
        return Surface::NotCollected.into_incomplete(broken("GitHub did not give the commits"));
    };
    let mut nodes = Vec::new();
    let fault = take_nodes(&mut nodes, connection.nodes);
    let items: Vec<Commit> = nodes.into_iter().filter_map(|node| node.commit).collect();
    let fault = fault.or_else(|| disagreement(connection.total_count, items.len()));
    complete_unless(items, fault)
}

fn suites(connection: Option<Connection<Suite>>) -> Surface<CheckSuite> {
    let Some(connection) = connection else {
        return Surface::NotCollected.into_incomplete(broken("GitHub did not give the head's check suites"));
    };
    let mut nodes = Vec::new();
    let fault = take_nodes(&mut nodes, connection.nodes);
    let fault = fault.or_else(|| disagreement(connection.total_count, nodes.len()));
    complete_unless(nodes.into_iter().map(CheckSuite::from).collect(), fault)
}

fn timeline(connection: Option<Connection<TimelineItem>>) -> Surface<Event> {
    let Some(connection) = connection else {
        return Surface::NotCollected.into_incomplete(broken("GitHub did not give the timeline"));
    };
    let mut nodes = Vec::new();
    let fault = take_nodes(&mut nodes, connection.nodes);
    let ended = connection.page_info.and_then(|info| info.has_next_page) == Some(false);
    let fault = fault.or_else(|| (!ended).then(|| "the timeline has more than one page".to_owned()));
    complete_unless(nodes.into_iter().map(Event::from).collect(), fault)
}

fn disagreement(total: Option<u64>, read: usize) -> Option<String> {
    match total {
        Some(total) if total == read as u64 => None,
        Some(total) => Some(format!("GitHub counts {total} items and gave {read}")),
        None => Some("GitHub did not say how many items there are".to_owned()),
    }
}

fn variables(place: &Place) -> [(&'static str, Variable<'_>); 3] {
    [
        ("owner", Variable::Text(place.repository.owner())),
        ("name", Variable::Text(place.repository.name())),
        ("number", Variable::Number(place.number)),
    ]
}

/// Walks the whole timeline.
pub fn whole_timeline(gh: &Gh, place: &Place) -> Result<Surface<Event>, Failure> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct In {
        timeline_items: Option<Connection<TimelineItem>>,
    }
    let open = |data: InPull<In>| data.pull()?.timeline_items;
    let (listed, failure) = query::walk(gh, &place.host, Query::Timeline, &variables(place), |pages| {
        let listed = read::connection(pages.iter(), Counted::No, open);
        listed.map(Event::from)
    })?;
    Ok(listed.surface(failure))
}

/// Walks all commits of the pull request.
pub fn whole_commits(gh: &Gh, place: &Place) -> Result<Surface<Commit>, Failure> {
    #[derive(Deserialize)]
    struct In {
        commits: Option<Connection<PullCommit>>,
    }
    let open = |data: InPull<In>| data.pull()?.commits;
    let (listed, failure) = query::walk(gh, &place.host, Query::Commits, &variables(place), |pages| {
        let mut listed = read::connection(pages.iter(), Counted::Yes, open).map(|node| node.commit);
        let all = listed.items.len();
        listed.items.retain(Option::is_some);
        if listed.items.len() != all {
            listed
                .fault
                .get_or_insert_with(|| "GitHub left out a commit".to_owned());
        }
        listed
    })?;
    Ok(match listed.surface(failure) {
        Surface::Complete { pages, items } => Surface::Complete {
            pages,
            items: items.into_iter().flatten().collect(),
        },
        Surface::Incomplete { pages, items, error } => Surface::Incomplete {
            pages,
            items: items.into_iter().flatten().collect(),
            error,
        },
        Surface::NotCollected => Surface::NotCollected,
    })
}

/// Walks all check suites of the head.
pub fn whole_suites(gh: &Gh, place: &Place, head: &Sha) -> Result<Surface<CheckSuite>, Failure> {
    #[derive(Deserialize)]
    struct Root {
        repository: Option<Object>,
    }
    #[derive(Deserialize)]
    struct Object {
        object: Option<In>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct In {
        check_suites: Option<Connection<Suite>>,
    }
    let open = |data: Root| data.repository?.object?.check_suites;
    let variables = [
        ("owner", Variable::Text(place.repository.owner())),
        ("name", Variable::Text(place.repository.name())),
        ("oid", Variable::Text(head.as_str())),
    ];
    let (listed, failure) = query::walk(gh, &place.host, Query::Suites, &variables, |pages| {
        read::connection(pages.iter(), Counted::Yes, open).map(CheckSuite::from)
    })?;
    Ok(listed.surface(failure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_github_does_not_give_is_named() {
        let whole = serde_json::json!({
            "number": 42, "url": "https://github.com/o/r/pull/42", "title": "t", "state": "OPEN", "isDraft": false,
            "headRefOid": "1111111111111111111111111111111111111111", "headRefName": "topic",
            "isCrossRepository": false, "baseRefName": "main",
        });
        let read = |pull: &Value| {
            let answer = serde_json::json!({"data": {"repository": {"pullRequest": pull}}});
            parse(answer.to_string().as_bytes(), &[]).map(|reading| reading.pull.number)
        };
        assert_eq!(read(&whole), Ok(42));
        for name in [
            "url",
            "title",
            "state",
            "isDraft",
            "headRefOid",
            "headRefName",
            "baseRefName",
        ] {
            for gap in [None, Some(Value::Null)] {
                let mut pull = whole.clone();
                let members = pull.as_object_mut().expect("an object");
                members.remove(name);
                members.extend(gap.map(|null| (name.to_owned(), null)));
                let expected = format!("GitHub's answer does not hold the pull request's {name}");
                assert_eq!(read(&pull), Err(expected));
            }
        }
    }
}
