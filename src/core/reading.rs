//! The evidence read once: who wrote what, what it means, which commit it names. Decisions read this value only.
//!
//! Nothing is dropped: an item that cannot be ordered or whose author is unknown stands here as just that.

use std::collections::{BTreeMap, BTreeSet};

use crate::bot::commits::{self, LabelledCommit};
use crate::bot::findings::TextFinding;
use crate::bot::identity::{Identity, IdentitySurface, IdentityWarning, identify};
use crate::bot::lane::Lane;
use crate::bot::meaning::{self, BodyKind, Meaning};
use crate::bot::sections::Sections;
use crate::bot::triggers::{self, Form, HandledMarker, MarkedHead, Marker};
use crate::evidence::Evidence;
use crate::evidence::comment::IssueComment;
use crate::evidence::edit::Edit;
use crate::evidence::name::{EvidenceName, Sha};
use crate::evidence::observed::{Observed, Timestamp};
use crate::evidence::pull::Pull;
use crate::evidence::reaction::{Reaction, ReactionContent};
use crate::evidence::review::Review;
use crate::evidence::thread::Thread;
use crate::options::{JudgedAs, Judgement, Options};
use crate::run::signature::sha256_hex;

/// IssueCommentOrder of the review-run protocol: UTC time of creation, then the numeric REST id. It orders REST
/// issue comments among themselves and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommentOrder {
    /// When the comment was created.
    pub at: Timestamp,
    /// Its numeric id.
    pub id: u64,
}

/// Which commit a connector's text speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedCommit {
    /// The text names none.
    None,
    /// The current head.
    Head,
    /// Another commit, as the text has it.
    Other(String),
    /// Two different commits, or a prefix that several commits share.
    Ambiguous(String),
    /// A prefix that GitHub does not resolve, or that was not looked up.
    Unresolved(String),
}

/// What is known of later changes to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditState {
    /// It stands as it was written.
    Unedited,
    /// The connector changed it itself.
    ByConnector,
    /// Somebody else changed it, or nobody knows who did.
    ByOther,
    /// It was not looked up.
    Unknown,
}

impl EditState {
    /// Whether the text is still the connector's own words: a decisive text that somebody else edited, or that nobody
    /// looked up, proves nothing.
    pub fn is_intact(self) -> bool {
        match self {
            Self::Unedited | Self::ByConnector => true,
            Self::ByOther | Self::Unknown => false,
        }
    }
}

/// What a top-level comment is, as far as the review is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A text of the connector.
    Connector {
        /// What it says.
        meaning: Meaning,
        /// Which commit it names.
        commit: NamedCommit,
    },
    /// Somebody else's text that addresses the connector.
    Addressed {
        /// How.
        form: Form,
        /// The head its markers name.
        marked: MarkedHead,
        /// Its markers.
        markers: Vec<Marker>,
    },
    /// Anything else.
    Bystander,
}

/// One top-level comment.
#[derive(Clone, Debug)]
pub struct CommentReading<'e> {
    /// Its name in documents.
    pub name: EvidenceName,
    /// The comment.
    pub comment: &'e IssueComment,
    /// Who wrote it.
    pub identity: Identity,
    /// Its order; `None` when time or id is missing, malformed or shared with another comment.
    pub order: Option<CommentOrder>,
    /// What it is.
    pub role: Role,
    /// Replies that record what became of a finding.
    pub handled: Vec<HandledMarker>,
}

/// One submitted review by the connector, or by an author that may be the connector.
#[derive(Clone, Debug)]
pub struct ReviewReading<'e> {
    /// Its name in documents.
    pub name: EvidenceName,
    /// The review.
    pub review: &'e Review,
    /// Who wrote it.
    pub identity: Identity,
    /// What its body says.
    pub meaning: Meaning,
    /// Which commit it is for: its `commit_id`, and the text must not contradict it.
    pub commit: NamedCommit,
    /// When it was submitted.
    pub at: Option<Timestamp>,
    /// Inline comments of the connector that open a thread and belong to this review.
    pub roots: usize,
    /// Any inline comments that belong to this review.
    pub inline: usize,
}

/// One review thread.
#[derive(Clone, Debug)]
pub struct ThreadReading<'e> {
    /// Its name in documents.
    pub name: EvidenceName,
    /// The thread.
    pub thread: &'e Thread,
    /// Who opened it.
    pub root: Identity,
    /// Whether any of its comments is the connector's.
    pub any_connector: bool,
    /// Whether any of its comments bears no author, or not all of one, and REST does not say that it is another one's.
    pub any_doubtful: bool,
    /// When it was opened.
    pub at: Option<Timestamp>,
    /// The commit it was opened for: its review's commit, else the comment's original commit.
    pub commit: Option<Sha>,
    /// Whether it was opened for the current head.
    pub on_head: bool,
    /// Unresolved and not outdated; an unknown state counts as that.
    pub open: bool,
}

/// A reaction of the connector, or by an author that may be the connector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReactionReading {
    /// Its name in documents.
    pub name: EvidenceName,
    /// Whose it is.
    pub identity: Identity,
    /// What it says.
    pub content: ReactionContent,
    /// When it was given.
    pub at: Option<Timestamp>,
}

/// The evidence, read.
#[derive(Clone, Debug)]
pub struct Reading<'e> {
    /// What was read.
    pub evidence: &'e Evidence,
    /// How it is to be evaluated.
    pub options: &'e Options,
    /// The pull request.
    pub pull: &'e Pull,
    /// Top-level comments in IssueCommentOrder; those without order come last, in the order GitHub gave.
    pub comments: Vec<CommentReading<'e>>,
    /// Reviews by the connector or by an unknown author, by time.
    pub reviews: Vec<ReviewReading<'e>>,
    /// Every thread, oldest first, whatever the order of the answer; those without a time come last.
    pub threads: Vec<ThreadReading<'e>>,
    /// Names of connector comments and addressed comments whose order is unusable, with the cause.
    pub malformed: Vec<(EvidenceName, &'static str)>,
    /// Impostors and unexpected ids.
    pub identity_warnings: BTreeSet<(IdentityWarning, EvidenceName)>,
    /// REST ids of inline comments that the connector opened a thread with.
    pub connector_roots: BTreeSet<u64>,
    /// Keys of the judgements that decided a text.
    pub applied: BTreeSet<String>,
    edits: BTreeMap<&'e str, &'e Edit>,
}

impl<'e> Reading<'e> {
    /// Reads the evidence; `None` when the pull request itself was not read.
    pub fn of(evidence: &'e Evidence, options: &'e Options) -> Option<Self> {
        let pull = evidence.pull()?;
        let edits = evidence
            .surfaces
            .edits
            .items()
            .iter()
            .map(|edit| (edit.node_id.as_str(), edit))
            .collect();
        let mut reading = Self {
            evidence,
            options,
            pull,
            comments: Vec::new(),
            reviews: Vec::new(),
            threads: Vec::new(),
            malformed: Vec::new(),
            identity_warnings: BTreeSet::new(),
            connector_roots: BTreeSet::new(),
            applied: BTreeSet::new(),
            edits,
        };
        reading.read_comments();
        reading.read_threads();
        reading.read_reviews();
        Some(reading)
    }

    fn read_comments(&mut self) {
        let items = self.evidence.surfaces.issue_comments.items();
        let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
        for id in items.iter().filter_map(|comment| comment.id.get()) {
            let count = seen.entry(id).or_default();
            *count = count.saturating_add(1);
        }
        for (place, comment) in items.iter().enumerate() {
            let name = comment.name(place);
            let identity = self.identify(comment.user.as_ref(), IdentitySurface::Rest, &name);
            let duplicate = comment
                .id
                .get()
                .is_some_and(|id| seen.get(&id).is_some_and(|count| *count > 1));
            let order = match (comment.created_at.get(), comment.id.get()) {
                (Some(at), Some(id)) if !duplicate => Some(CommentOrder { at, id }),
                (Some(_) | None, Some(_) | None) => None,
            };
            let body = comment.body.text();
            let role = match identity {
                Identity::Connector => self.connector_role(&name, body),
                Identity::Other | Identity::Mismatched | Identity::Missing => match triggers::form(body) {
                    Some(form) => Role::Addressed {
                        form,
                        marked: triggers::marked_head(body),
                        markers: triggers::markers(body),
                    },
                    None => Role::Bystander,
                },
            };
            let matters = match &role {
                Role::Connector { .. } => true,
                Role::Addressed { form, .. } => is_candidate_form(*form),
                Role::Bystander => false,
            };
            if matters && order.is_none() {
                let cause = if duplicate {
                    "its id is used twice"
                } else if comment.id.get().is_none() {
                    "its id is missing or no number"
                } else {
                    "its time of creation is missing or malformed"
                };
                self.malformed.push((name.clone(), cause));
            }
            // Whoever wrote it, a text that was not read may be a trigger or an answer.
            if comment.body.known().is_none() {
                self.malformed
                    .push((name.clone(), "its text is missing or malformed"));
            }
            let handled = match identity {
                Identity::Other if is_trusted_person(comment) => triggers::handled_markers(body),
                Identity::Other | Identity::Connector | Identity::Mismatched | Identity::Missing => {
                    Vec::new()
                }
            };
            self.comments.push(CommentReading {
                name,
                comment,
                identity,
                order,
                role,
                handled,
            });
        }
        // A stable sort: what has no order counts as later than everything and keeps GitHub's order.
        self.comments
            .sort_by_key(|reading| (reading.order.is_none(), reading.order));
    }

    fn connector_role(&mut self, name: &EvidenceName, body: &str) -> Role {
        let sections = Sections::of(body);
        let meaning = meaning::of_sections(body, &sections, BodyKind::IssueComment);
        let meaning = self.judged(name, body, meaning);
        let commit = match &meaning {
            Meaning::Findings { findings, .. } => self.finding_commit(&sections, findings),
            Meaning::NoFindings { .. } | Meaning::Unclear { .. } | Meaning::Boilerplate { .. } => {
                self.named(commits::labelled_in(&sections))
            }
            Meaning::Failure { .. }
            | Meaning::Notice { .. }
            | Meaning::TaskReply
            | Meaning::Summary { .. } => NamedCommit::None,
        };
        Role::Connector { meaning, commit }
    }

    fn read_threads(&mut self) {
        let inline = self.evidence.surfaces.review_comments.items();
        let others: BTreeSet<u64> = inline
            .iter()
            .filter(|comment| {
                let strict = self.options.strict_identity;
                let author = identify(comment.user.as_ref(), IdentitySurface::Rest, strict);
                author.identity == Identity::Other
            })
            .filter_map(|comment| comment.id.get())
            .collect();
        for (place, thread) in self.evidence.surfaces.threads.items().iter().enumerate() {
            let id = thread
                .id
                .known()
                .cloned()
                .unwrap_or_else(|| format!("without-id-{place}"));
            let name = EvidenceName::Thread(id);
            let root_comment = thread.comments.first();
            let root = match root_comment {
                Some(comment) => self.identify(comment.author.as_ref(), IdentitySurface::GraphQl, &name),
                None => Identity::Missing,
            };
            let strict = self.options.strict_identity;
            let any_connector = thread.comments.iter().any(|comment| {
                identify(comment.author.as_ref(), IdentitySurface::GraphQl, strict).identity
                    == Identity::Connector
            });
            let any_doubtful = thread.comments.iter().any(|comment| {
                let author = identify(comment.author.as_ref(), IdentitySurface::GraphQl, strict);
                let unproven = match author.identity {
                    Identity::Missing | Identity::Mismatched => true,
                    Identity::Connector | Identity::Other => false,
                };
                unproven && comment.id.get().is_none_or(|id| !others.contains(&id))
            });
            let commit = root_comment
                .and_then(|c| c.review_commit.known().or_else(|| c.original_commit.known()))
                .cloned();
            let on_head = commit.as_ref() == Some(&self.pull.head_ref_oid);
            let open = thread.is_resolved.get() != Some(true) && thread.is_outdated.get() != Some(true);
            let at = root_comment.and_then(|comment| comment.created_at.get());
            if root_comment.is_none() {
                self.malformed
                    .push((name.clone(), "none of its comments was read"));
            } else if root == Identity::Connector && (at.is_none() || thread.id.known().is_none()) {
                self.malformed
                    .push((name.clone(), "its time of creation or id is missing or malformed"));
            }
            self.threads.push(ThreadReading {
                name,
                thread,
                root,
                any_connector,
                any_doubtful,
                at,
                commit,
                on_head,
                open,
            });
        }
        self.threads.sort_by(|one, other| {
            let place = |thread: &ThreadReading<'_>| (thread.at.is_none(), thread.at);
            let by_time = place(one).cmp(&place(other));
            by_time.then_with(|| one.name.cmp(&other.name))
        });
    }

    fn read_reviews(&mut self) {
        let mut roots: BTreeMap<u64, usize> = BTreeMap::new();
        let mut inline: BTreeMap<u64, usize> = BTreeMap::new();
        let count = |map: &mut BTreeMap<u64, usize>, id: u64| {
            let entry = map.entry(id).or_default();
            *entry = entry.saturating_add(1);
        };
        let mut known_roots: BTreeSet<u64> = BTreeSet::new();
        let mut known_inline: BTreeSet<u64> = BTreeSet::new();
        for thread in &self.threads {
            for (place, comment) in thread.thread.comments.iter().enumerate() {
                let (Some(review), Some(id)) = (comment.review_id.get(), comment.id.get()) else {
                    continue;
                };
                if known_inline.insert(id) {
                    count(&mut inline, review);
                }
                if place == 0 && thread.root == Identity::Connector && known_roots.insert(id) {
                    count(&mut roots, review);
                }
            }
        }
        let strict = self.options.strict_identity;
        for comment in self.evidence.surfaces.review_comments.items() {
            let (Some(review), Some(id)) = (comment.pull_request_review_id.get(), comment.id.get()) else {
                continue;
            };
            if known_inline.insert(id) {
                count(&mut inline, review);
            }
            let connector = identify(comment.user.as_ref(), IdentitySurface::Rest, strict).identity
                == Identity::Connector;
            if connector && comment.in_reply_to_id.is_missing() {
                self.connector_roots.insert(id);
                if known_roots.insert(id) {
                    count(&mut roots, review);
                }
            }
        }
        for (place, review) in self.evidence.surfaces.reviews.items().iter().enumerate() {
            let name = review.name(place);
            let identity = self.identify(review.user.as_ref(), IdentitySurface::Rest, &name);
            if identity == Identity::Other {
                continue;
            }
            let body = review.body.text();
            let sections = Sections::of(body);
            let meaning = meaning::of_sections(body, &sections, BodyKind::Review);
            let meaning = self.judged(&name, body, meaning);
            let label = commits::labelled_in(&sections);
            let commit = match (review.commit_id.known(), self.named(label.clone())) {
                (Some(_), NamedCommit::Ambiguous(text)) => NamedCommit::Ambiguous(text),
                (Some(full), NamedCommit::None) => self.full(full),
                // The label and the review must mean the same commit.
                (Some(full), NamedCommit::Head | NamedCommit::Other(_) | NamedCommit::Unresolved(_)) => {
                    match label {
                        LabelledCommit::One(prefix) if full.starts_with(&prefix) => self.full(full),
                        LabelledCommit::One(prefix) => NamedCommit::Ambiguous(prefix),
                        LabelledCommit::None | LabelledCommit::Conflicting(_) => self.full(full),
                    }
                }
                (None, label) => label,
            };
            let id = review.id.get();
            let at = review.submitted_at.get();
            if identity == Identity::Connector
                && (at.is_none() || id.is_none() || review.body.known().is_none())
            {
                self.malformed
                    .push((name.clone(), "its time, id or text is missing or malformed"));
            }
            let of = |map: &BTreeMap<u64, usize>| id.and_then(|id| map.get(&id).copied()).unwrap_or(0);
            let (root_count, inline_count) = (of(&roots), of(&inline));
            self.reviews.push(ReviewReading {
                name,
                review,
                identity,
                meaning,
                commit,
                at,
                roots: root_count,
                inline: inline_count,
            });
        }
        self.reviews
            .sort_by_key(|reading| (reading.at.is_none(), reading.at, reading.review.id.get()));
    }

    fn full(&self, sha: &Sha) -> NamedCommit {
        if *sha == self.pull.head_ref_oid {
            NamedCommit::Head
        } else {
            NamedCommit::Other(sha.to_string())
        }
    }

    /// Judges an account and keeps what is odd about it.
    pub(crate) fn identify(
        &mut self,
        account: Option<&crate::evidence::account::Account>,
        surface: IdentitySurface,
        name: &EvidenceName,
    ) -> Identity {
        let judged = identify(account, surface, self.options.strict_identity);
        for warning in judged.warnings {
            self.identity_warnings.insert((warning, name.clone()));
        }
        judged.identity
    }

    /// The caller's judgements that decided nothing: of no unclear text, or of another body than it has now.
    pub fn unused_judgements(&self) -> impl Iterator<Item = &Judgement> {
        self.options
            .judgements
            .iter()
            .filter(|judgement| !self.applied.contains(&judgement.key))
    }

    /// Applies a caller's judgement, which only ever decides an unclear text with exactly the body it names.
    fn judged(&mut self, name: &EvidenceName, body: &str, meaning: Meaning) -> Meaning {
        let Meaning::Unclear { lane } = meaning else {
            return meaning;
        };
        let key = name.to_string();
        let digest = sha256_hex(body.as_bytes());
        // Of two answers for one text the finding counts, whatever their order.
        let Some(judgement) = self
            .options
            .judgements
            .iter()
            .filter(|judgement| judgement.key == key && judgement.body_sha256 == digest)
            .max_by_key(|judgement| judgement.verdict == JudgedAs::Findings)
        else {
            return Meaning::Unclear { lane };
        };
        self.applied.insert(key);
        match judgement.verdict {
            JudgedAs::NoFindings => Meaning::NoFindings { lane },
            JudgedAs::Findings => Meaning::Findings {
                lane,
                findings: vec![crate::bot::findings::inline(body)],
            },
        }
    }

    /// The commit that a text's label names.
    fn named(&self, label: LabelledCommit) -> NamedCommit {
        match label {
            LabelledCommit::None => NamedCommit::None,
            LabelledCommit::Conflicting(all) => NamedCommit::Ambiguous(all.join(", ")),
            LabelledCommit::One(prefix) => self.resolve(&prefix),
        }
    }

    /// The commit of a text that holds findings: its label, else the one commit its links name.
    fn finding_commit(&self, sections: &Sections, findings: &[TextFinding]) -> NamedCommit {
        match self.named(commits::labelled_in(sections)) {
            NamedCommit::None => {
                let linked: BTreeSet<&str> = findings
                    .iter()
                    .filter_map(|finding| finding.commit.as_deref())
                    .collect();
                let mut linked = linked.into_iter();
                match (linked.next(), linked.next()) {
                    (None, _) => NamedCommit::None,
                    (Some(one), None) => self.resolve(one),
                    (Some(one), Some(other)) => NamedCommit::Ambiguous(format!("{one}, {other}")),
                }
            }
            named @ (NamedCommit::Head
            | NamedCommit::Other(_)
            | NamedCommit::Ambiguous(_)
            | NamedCommit::Unresolved(_)) => named,
        }
    }

    /// What a commit id of 7 to 40 digits stands for. A prefix must be the head's, must be no other commit's of this
    /// pull request, and GitHub must resolve it to the head.
    pub fn resolve(&self, prefix: &str) -> NamedCommit {
        let head = &self.pull.head_ref_oid;
        if !head.starts_with(prefix) {
            return NamedCommit::Other(prefix.to_owned());
        }
        if prefix.len() == head.as_str().len() {
            return NamedCommit::Head;
        }
        let shared = self
            .evidence
            .surfaces
            .commits
            .items()
            .iter()
            .any(|commit| commit.oid != *head && commit.oid.starts_with(prefix));
        if shared {
            return NamedCommit::Ambiguous(prefix.to_owned());
        }
        if !self.evidence.surfaces.commits.is_complete() {
            return NamedCommit::Unresolved(prefix.to_owned());
        }
        let resolved = self.evidence.surfaces.resolved_commits.items();
        match resolved
            .iter()
            .find(|one| one.prefix.eq_ignore_ascii_case(prefix))
            .map(|one| one.oid.as_ref())
        {
            Some(Some(oid)) if oid == head => NamedCommit::Head,
            Some(Some(oid)) => NamedCommit::Other(oid.to_string()),
            Some(None) | None => NamedCommit::Unresolved(prefix.to_owned()),
        }
    }

    /// Whether a decisive text was changed after it was written, and by whom; unknown when that was not looked up.
    fn edited(&self, node_id: &Observed<String>) -> EditState {
        let found = node_id.known().and_then(|id| self.edits.get(id.as_str()));
        match found {
            Some(edit) => match &edit.last_edited_at {
                // Who edited it tells that somebody did.
                Observed::Missing if edit.editor.is_none() => EditState::Unedited,
                Observed::Malformed(_) if edit.editor.is_none() => EditState::Unknown,
                Observed::Missing | Observed::Known(_) | Observed::Malformed(_) => {
                    let editor = identify(
                        edit.editor.as_ref(),
                        IdentitySurface::GraphQl,
                        self.options.strict_identity,
                    );
                    match editor.identity {
                        Identity::Connector => EditState::ByConnector,
                        Identity::Other | Identity::Mismatched | Identity::Missing => EditState::ByOther,
                    }
                }
            },
            None => EditState::Unknown,
        }
    }

    /// Whether a trigger was changed after it was written. Its edit state is looked up only where it bears a marker;
    /// REST's time of the last change tells for the others.
    pub fn trigger_edited(&self, comment: &IssueComment) -> EditState {
        match (
            self.edited(&comment.node_id),
            comment.created_at.get(),
            comment.updated_at.get(),
        ) {
            (EditState::Unknown, Some(created), Some(updated)) if created == updated => EditState::Unedited,
            (state, _, _) => state,
        }
    }

    /// The edit state of a top-level comment.
    pub fn comment_edited(&self, comment: &IssueComment) -> EditState {
        self.edited(&comment.node_id)
    }

    /// The edit state of a review.
    pub fn review_edited(&self, review: &Review) -> EditState {
        self.edited(&review.node_id)
    }

    /// Reactions that are the connector's or may be, newest last; those without a time come last.
    pub fn reactions(&self, items: &[Reaction]) -> Vec<ReactionReading> {
        let mut all: Vec<ReactionReading> = items
            .iter()
            .enumerate()
            .map(|(place, reaction)| ReactionReading {
                name: reaction.name(place),
                identity: identify(
                    reaction.user.as_ref(),
                    IdentitySurface::Reaction,
                    self.options.strict_identity,
                )
                .identity,
                content: reaction.content.clone(),
                at: reaction.created_at.get(),
            })
            .filter(|reaction| reaction.identity != Identity::Other)
            .collect();
        all.sort_by(|a, b| (a.at.is_none(), a.at, &a.name).cmp(&(b.at.is_none(), b.at, &b.name)));
        all
    }
}

/// Whether a text of this form may have started a run of the code lane.
pub fn is_candidate_form(form: Form) -> bool {
    match form {
        Form::Exact | Form::Marked | Form::Directed | Form::Mention => true,
        Form::Security | Form::Task | Form::Quoted => false,
    }
}

/// Whether a comment is by a person who belongs to the repository: only such a person's markers record dispositions
/// or abandon triggers.
pub fn is_trusted_person(comment: &IssueComment) -> bool {
    let kind = comment.user.as_ref().and_then(|user| user.kind.known());
    let person = kind.is_some_and(|kind| kind != "Bot");
    person
        && matches!(
            comment.author_association.text(),
            "OWNER" | "MEMBER" | "COLLABORATOR"
        )
}

/// The lane of a meaning; a text that belongs to none speaks of the code lane.
pub fn lane_of(meaning: &Meaning) -> Lane {
    match meaning {
        Meaning::NoFindings { lane }
        | Meaning::Findings { lane, .. }
        | Meaning::Boilerplate { lane }
        | Meaning::Notice { lane, .. }
        | Meaning::Unclear { lane } => *lane,
        Meaning::Failure { .. } | Meaning::TaskReply | Meaning::Summary { .. } => Lane::Code,
    }
}

#[cfg(test)]
mod tests;
