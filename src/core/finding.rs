//! Every finding of the connector on the pull request: threads, review bodies, top-level comments.
//!
//! A finding is addressed when its thread is resolved or outdated, or, for one without a thread, when a trusted
//! person's handled marker or the local handled file says so for exactly that text.

use std::collections::{BTreeMap, BTreeSet};

use crate::bot::findings::{self, Priority, TextFinding};
use crate::bot::identity::{Identity, IdentitySurface, identify};
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::evidence::name::EvidenceName;
use crate::evidence::observed::Timestamp;
use crate::evidence::review::{ReviewComment, ReviewState};
use crate::reading::{CommentOrder, NamedCommit, Reading, Role};
use crate::reason::words;
use crate::run::signature::sha256_hex;

words! {
    /// What became of a finding.
    FindingState {
        /// Nothing yet.
        Open = "open",
        /// Its thread is resolved, or a disposition is recorded.
        Addressed = "addressed",
        /// Its lines moved. That proves no fix.
        Outdated = "outdated",
    }
}

words! {
    /// Where a finding stands.
    FindingSurface {
        /// The root comment of a thread.
        Thread = "thread",
        /// The body of a review.
        ReviewBody = "review-body",
        /// A top-level comment.
        Comment = "issue-comment",
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `review-comment:ID`, `review-body:ID` or `issue-comment:ID`.
    pub key: String,
    /// Where it stands.
    pub surface: FindingSurface,
    /// The evidence it is.
    pub name: EvidenceName,
    /// The thread's node id, for a thread.
    pub thread_id: Option<String>,
    /// What its badge says.
    pub priority: Priority,
    /// The lane it belongs to.
    pub lane: Lane,
    /// One line.
    pub title: String,
    /// The text below the title.
    pub body: String,
    /// The file.
    pub path: Option<String>,
    /// The line.
    pub line: Option<u64>,
    /// The page on GitHub.
    pub url: Option<String>,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// Its order, when it is a top-level comment.
    pub order: Option<CommentOrder>,
    /// The commit it was written for, as far as it says.
    pub commit: NamedCommit,
    /// The same commit as a document shows it.
    pub commit_text: Option<String>,
    /// What became of it.
    pub state: FindingState,
    /// The key of an earlier finding with the same anchor and title.
    pub duplicate_of: Option<String>,
}

impl Finding {
    /// Bound to the head.
    pub fn on_head(&self) -> bool {
        self.commit == NamedCommit::Head
    }

    /// An inline comment whose thread GitHub does not show yet: nobody can say whether it is resolved.
    pub fn is_unthreaded(&self) -> bool {
        matches!(self.name, EvidenceName::ReviewComment(_))
    }

    /// Bound to the head and not addressed.
    pub fn is_current(&self) -> bool {
        self.on_head() && self.state == FindingState::Open
    }
}

/// Every finding, oldest first; those without a time come last.
pub fn all(reading: &Reading<'_>) -> Vec<Finding> {
    let handled = Handled::of(reading);
    let mut found = Vec::new();
    threads(reading, &mut found);
    unthreaded(reading, &mut found);
    review_bodies(reading, &handled, &mut found);
    comments(reading, &handled, &mut found);
    found.sort_by(|a, b| (a.at.is_none(), a.at, &a.key).cmp(&(b.at.is_none(), b.at, &b.key)));
    let mut anchors: BTreeMap<(String, u64, String), String> = BTreeMap::new();
    for finding in &mut found {
        let (Some(path), Some(line)) = (&finding.path, finding.line) else {
            continue;
        };
        let anchor = (path.clone(), line, finding.title.clone());
        match anchors.get(&anchor) {
            Some(first) if *first != finding.key => finding.duplicate_of = Some(first.clone()),
            Some(_) => {}
            None => {
                anchors.insert(anchor, finding.key.clone());
            }
        }
    }
    found
}

/// Dispositions on GitHub and on this machine.
pub(crate) struct Handled<'e> {
    marked: BTreeSet<&'e str>,
    local: &'e BTreeMap<String, Option<String>>,
}

impl<'e> Handled<'e> {
    /// Gathers the markers of trusted people and the local handled file.
    pub(crate) fn of(reading: &'e Reading<'_>) -> Self {
        let marked = reading
            .comments
            .iter()
            .flat_map(|c| &c.handled)
            .map(|marker| marker.key.as_str())
            .collect();
        Self {
            marked,
            local: &reading.evidence.local.handled.items,
        }
    }

    /// A local entry counts only for the text it was recorded for; entries of older files carry no digest.
    pub(crate) fn covers(&self, key: &str, body: &str) -> bool {
        self.marked.contains(key) || self.records(key, body)
    }

    /// Whether the local file records the key for this text.
    pub(crate) fn records(&self, key: &str, body: &str) -> bool {
        self.local.get(key).is_some_and(|digest| {
            digest
                .as_ref()
                .is_none_or(|digest| *digest == sha256_hex(body.as_bytes()))
        })
    }

    /// Whether the local file holds the key, for whatever text.
    pub(crate) fn knows(&self, key: &str) -> bool {
        self.local.contains_key(key)
    }
}

fn threads(reading: &Reading<'_>, found: &mut Vec<Finding>) {
    for one in &reading.threads {
        let (Identity::Connector, Some(root)) = (one.root, one.thread.comments.first()) else {
            continue;
        };
        let text = findings::inline(root.body.text());
        let key = match root.id.get() {
            Some(id) => format!("review-comment:{id}"),
            None => one.name.to_string(),
        };
        let state = if one.thread.is_resolved.get() == Some(true) {
            FindingState::Addressed
        } else if one.thread.is_outdated.get() == Some(true) {
            FindingState::Outdated
        } else {
            FindingState::Open
        };
        let commit = match (&one.commit, one.on_head) {
            (_, true) => NamedCommit::Head,
            (Some(sha), false) => NamedCommit::Other(sha.to_string()),
            (None, false) => NamedCommit::None,
        };
        found.push(Finding {
            key,
            surface: FindingSurface::Thread,
            name: one.name.clone(),
            thread_id: one.thread.id.known().cloned(),
            priority: text.priority,
            lane: Lane::of(root.body.text()),
            title: text.title,
            body: text.body,
            path: one.thread.path.known().cloned(),
            line: one.thread.line.get().or(one.thread.original_line.get()),
            url: root.url.known().cloned(),
            at: one.at,
            order: None,
            commit_text: commit_text(reading, &commit),
            commit,
            state,
            duplicate_of: None,
        });
    }
}

/// Inline comments of the connector whose thread is not visible yet: GraphQL lags behind REST.
fn unthreaded(reading: &Reading<'_>, found: &mut Vec<Finding>) {
    for root in lagging_roots(reading).into_iter().filter(|root| root.proven) {
        let (comment, name) = (root.comment, root.name());
        let text = findings::inline(comment.body.text());
        let commit = match comment.original_commit_id.known() {
            Some(sha) if *sha == reading.pull.head_ref_oid => NamedCommit::Head,
            Some(sha) => NamedCommit::Other(sha.to_string()),
            None => NamedCommit::None,
        };
        found.push(Finding {
            key: name.to_string(),
            surface: FindingSurface::Thread,
            name,
            thread_id: None,
            priority: text.priority,
            lane: Lane::of(comment.body.text()),
            title: text.title,
            body: text.body,
            path: comment.path.known().cloned(),
            line: comment.line.get().or(comment.original_line.get()),
            url: comment.html_url.known().cloned(),
            at: comment.created_at.get(),
            order: None,
            commit_text: commit_text(reading, &commit),
            commit,
            state: FindingState::Open,
            duplicate_of: None,
        });
    }
}

/// An inline comment that opens a thread, while GitHub shows no thread for it.
#[derive(Clone, Copy, Debug)]
pub struct LaggingRoot<'e> {
    /// The comment.
    pub comment: &'e ReviewComment,
    /// Whether it is proven to be the connector's. Without its thread nothing else shows whose it is.
    pub proven: bool,
    place: usize,
}

impl LaggingRoot<'_> {
    /// Its name in documents.
    pub fn name(&self) -> EvidenceName {
        self.comment.name(self.place)
    }

    /// When it was written.
    pub fn at(&self) -> Option<Timestamp> {
        self.comment.created_at.get()
    }
}

/// Whether the text of an inline comment may be a finding of the connector: it bears a badge, or cannot be read.
fn may_be_finding(comment: &ReviewComment) -> bool {
    let text = comment.body.known();
    text.is_none_or(|text| findings::bears_badge(text))
}

/// REST root comments without a thread that are the connector's, or may be for all that is known of their author.
pub fn lagging_roots<'e>(reading: &Reading<'e>) -> Vec<LaggingRoot<'e>> {
    let threaded: BTreeSet<u64> = reading
        .threads
        .iter()
        .flat_map(|one| one.thread.comments.iter().filter_map(|comment| comment.id.get()))
        .collect();
    let strict = reading.options.strict_identity;
    let comments = reading.evidence.surfaces.review_comments.items();
    let roots = comments
        .iter()
        .enumerate()
        .filter(|(_, comment)| comment.in_reply_to_id.known().is_none())
        .filter(|(_, comment)| comment.id.get().is_none_or(|id| !threaded.contains(&id)));
    let mut found: Vec<LaggingRoot<'e>> = roots
        .filter_map(|(place, comment)| {
            let proven = match identify(comment.user.as_ref(), IdentitySurface::Rest, strict).identity {
                Identity::Connector => true,
                Identity::Mismatched => false,
                Identity::Missing if may_be_finding(comment) => false,
                Identity::Missing | Identity::Other => return None,
            };
            Some(LaggingRoot {
                comment,
                proven,
                place,
            })
        })
        .collect();
    // The same whatever order GitHub lists them in.
    found.sort_by_key(|root| (root.at().is_none(), root.at(), root.name()));
    found
}

fn review_bodies(reading: &Reading<'_>, handled: &Handled<'_>, found: &mut Vec<Finding>) {
    for one in &reading.reviews {
        let Meaning::Findings { lane, findings } = &one.meaning else {
            continue;
        };
        if one.identity != Identity::Connector || one.review.state == ReviewState::Dismissed {
            continue;
        }
        // A review without a usable id is told apart from others by its place, as in its name.
        let name = one.name.to_string();
        let id = name.trim_start_matches("review:");
        let text = FindingText {
            key: format!("review-body:{id}"),
            surface: FindingSurface::ReviewBody,
            name: &one.name,
            body: one.review.body.text(),
            lane: *lane,
            commit: &one.commit,
            url: one.review.html_url.known(),
            at: one.at,
            order: None,
        };
        text.add_to(found, findings, reading, handled);
    }
}

fn comments(reading: &Reading<'_>, handled: &Handled<'_>, found: &mut Vec<Finding>) {
    for one in &reading.comments {
        let Role::Connector {
            meaning: Meaning::Findings { lane, findings },
            commit,
        } = &one.role
        else {
            continue;
        };
        let text = FindingText {
            key: one.name.to_string(),
            surface: FindingSurface::Comment,
            name: &one.name,
            body: one.comment.body.text(),
            lane: *lane,
            commit,
            url: one.comment.html_url.known(),
            at: one.comment.created_at.get(),
            order: one.order,
        };
        text.add_to(found, findings, reading, handled);
    }
}

/// One text of the connector that holds findings of its own, without a thread.
struct FindingText<'t> {
    key: String,
    surface: FindingSurface,
    name: &'t EvidenceName,
    body: &'t str,
    lane: Lane,
    commit: &'t NamedCommit,
    url: Option<&'t String>,
    at: Option<Timestamp>,
    order: Option<CommentOrder>,
}

impl FindingText<'_> {
    /// A disposition answers the whole text, so all its findings share one state.
    fn add_to(
        &self,
        found: &mut Vec<Finding>,
        findings: &[TextFinding],
        reading: &Reading<'_>,
        handled: &Handled<'_>,
    ) {
        let state = if handled.covers(&self.key, self.body) {
            FindingState::Addressed
        } else {
            FindingState::Open
        };
        found.extend(findings.iter().map(|one| Finding {
            key: self.key.clone(),
            surface: self.surface,
            name: self.name.clone(),
            thread_id: None,
            priority: one.priority,
            lane: self.lane,
            title: one.title.clone(),
            body: one.body.clone(),
            path: one.path.clone(),
            line: one.line,
            url: one.url.as_ref().or(self.url).cloned(),
            at: self.at,
            order: self.order,
            commit_text: commit_text(reading, self.commit),
            commit: self.commit.clone(),
            state,
            duplicate_of: None,
        }));
    }
}

fn commit_text(reading: &Reading<'_>, commit: &NamedCommit) -> Option<String> {
    match commit {
        NamedCommit::Head => Some(reading.pull.head_ref_oid.to_string()),
        NamedCommit::Other(text) | NamedCommit::Unresolved(text) => Some(text.clone()),
        NamedCommit::None | NamedCommit::Ambiguous(_) => None,
    }
}

#[cfg(test)]
mod tests;
