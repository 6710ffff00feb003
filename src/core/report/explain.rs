//! `codex-loop.explain/1`: every piece of evidence in time order, whether the decision rests on it, and why.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::classification::{Next, next};
use super::sanitise;
use crate::bot::identity::{Identity, IdentitySurface, identify};
use crate::bot::meaning::Meaning;
use crate::bot::triggers::Form;
use crate::evidence::event::EventKind;
use crate::evidence::name::{EvidenceName, Id};
use crate::evidence::observed::Timestamp;
use crate::evidence::reaction::{Reaction, ReactionContent};
use crate::finding::{FindingState, lagging_roots};
use crate::head::BindingStatus;
use crate::reading::{CommentReading, NamedCommit, ReviewReading, Role};
use crate::reason::Reason;
use crate::run::attribution::Owner;
use crate::run::candidate::Candidate;
use crate::run::{Run, StateWord};

mod text;

pub use text::text;

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation<'e> {
    /// What it is about.
    #[serde(flatten)]
    pub header: Header,
    /// The state of the run.
    pub state: StateWord,
    /// Why.
    pub reasons: Vec<Reason>,
    /// Every piece of evidence, oldest first; those without a time come last.
    pub items: Vec<ExplainedItem<'e>>,
    /// Texts of the connector that this version does not know.
    pub drift: Vec<Drift>,
    /// The one thing to do next.
    pub next: Next,
}

/// One piece of evidence. There may be very many: what the evidence says of it is borrowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedItem<'e> {
    /// When it stood; null when GitHub gave no usable time.
    #[schemars(with = "Option<String>")]
    pub at: Option<Timestamp>,
    /// Its name.
    #[schemars(with = "String")]
    pub evidence: EvidenceName,
    /// What it is, in a few words.
    pub kind: &'static str,
    /// The login that GitHub gave for its author.
    pub author: Option<&'e str>,
    /// Whether the state rests on it.
    pub used: bool,
    /// Why, or why not.
    pub why: Cow<'static, str>,
    /// Its page.
    pub url: Option<&'e str>,
}

/// A text of the connector that this version does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// Where it stands.
    #[schemars(with = "String")]
    pub evidence: EvidenceName,
    /// How it begins.
    pub text: String,
    /// SHA-256 of the whole body, for `--judge`.
    pub body_sha256: String,
}

/// Longest quotation of an unknown text, in characters.
const QUOTE_LIMIT: usize = 400;

/// Fills the document.
pub fn document<'e>(run: &Run<'e>) -> Explanation<'e> {
    let explainer = Explainer::of(run);
    let comments = run.reading.comments.iter();
    let mut items: Vec<ExplainedItem<'e>> = comments.map(|comment| explainer.comment(comment)).collect();
    items.extend(explainer.reviews());
    items.extend(explainer.threads());
    items.extend(explainer.lagging_roots());
    items.extend(explainer.reactions());
    items.extend(explainer.events());
    items.extend(explainer.sightings());
    items.sort_by(|one, other| {
        let place = |item: &ExplainedItem<'e>| (item.at.is_none(), item.at);
        let by_time = place(one).cmp(&place(other));
        by_time.then_with(|| (&one.evidence, one.kind).cmp(&(&other.evidence, other.kind)))
    });
    Explanation {
        header: Header::new("explain", run.reading.evidence),
        state: run.state.word(),
        reasons: run.reasons.clone(),
        items,
        drift: run
            .unknown_texts()
            .into_iter()
            .map(|(evidence, body)| Drift {
                evidence,
                text: sanitise::one_line(body, QUOTE_LIMIT),
                body_sha256: crate::run::signature::sha256_hex(body.as_bytes()),
            })
            .collect(),
        next: next(run),
    }
}

struct Explainer<'r, 'e> {
    run: &'r Run<'e>,
    used: BTreeSet<&'r EvidenceName>,
    candidates: BTreeMap<&'r EvidenceName, &'r Candidate<'e>>,
    results: BTreeMap<&'r EvidenceName, &'r Owner>,
    reviews: BTreeMap<&'r EvidenceName, &'r ReviewReading<'e>>,
    findings: BTreeMap<&'r EvidenceName, FindingState>,
}

impl<'r, 'e> Explainer<'r, 'e> {
    fn of(run: &'r Run<'e>) -> Self {
        let mut used: BTreeSet<&EvidenceName> =
            run.reasons.iter().flat_map(|reason| &reason.evidence).collect();
        if let Some(trigger) = run.trigger() {
            used.insert(&trigger.name);
            used.extend(trigger.resolution.as_ref().map(|resolution| &resolution.evidence));
            used.extend(run.history.proof(trigger.order.at, &trigger.binding));
        }
        Self {
            run,
            used,
            candidates: run.candidates.all.iter().map(|one| (&one.name, one)).collect(),
            results: run.results.iter().map(|one| (&one.name, &one.owner)).collect(),
            reviews: run.reading.reviews.iter().map(|one| (&one.name, one)).collect(),
            findings: run.findings.iter().map(|one| (&one.name, one.state)).collect(),
        }
    }

    fn item(
        &self,
        evidence: EvidenceName,
        at: Option<Timestamp>,
        kind: &'static str,
        why: impl Into<Cow<'static, str>>,
    ) -> ExplainedItem<'e> {
        ExplainedItem {
            at,
            used: self.used.contains(&evidence),
            evidence,
            kind,
            author: None,
            why: why.into(),
            url: None,
        }
    }

    fn comment(&self, comment: &CommentReading<'e>) -> ExplainedItem<'e> {
        let (kind, why) = match &comment.role {
            Role::Connector { meaning, commit } => (
                meaning_word(meaning),
                self.connector_why(&comment.name, meaning, commit),
            ),
            Role::Addressed { form, .. } => ("trigger", self.trigger_why(comment, *form)),
            Role::Bystander if !comment.handled.is_empty() => (
                "disposition",
                "a trusted person records what became of findings".into(),
            ),
            Role::Bystander => ("comment", bystander_why(comment.identity).into()),
        };
        let mut item = self.item(comment.name.clone(), comment.comment.created_at.get(), kind, why);
        item.author = comment
            .comment
            .user
            .as_ref()
            .and_then(|user| user.login.known().map(String::as_str));
        item.url = comment.comment.html_url.known().map(String::as_str);
        item
    }

    fn trigger_why(&self, comment: &CommentReading<'_>, form: Form) -> Cow<'static, str> {
        if comment.order.is_none() {
            return "it asks for a review, but has no usable time or id".into();
        }
        if let Some(candidate) = self.candidates.get(&comment.name) {
            let binding = match candidate.binding.status {
                BindingStatus::Bound => "posted for this head",
                BindingStatus::Superseded => "posted for an earlier head",
                BindingStatus::Unproven => "its head is not proven",
            };
            let outcome = match &candidate.resolution {
                Some(resolution) => format!("{} by {}", resolution.kind.as_str(), resolution.evidence),
                None => "unanswered".to_owned(),
            };
            let (form, by) = (form.as_str(), candidate.binding.by.as_str());
            return format!("{form} trigger, {binding} ({by}), {outcome}").into();
        }
        if self.run.candidates.ignored_bots.contains(&comment.name) {
            return "a bot asked, and the connector did not react: no trigger".into();
        }
        match form {
            Form::Security => "asks for the security lane, which decides no code review".into(),
            Form::Task => "starts a coding task, no review".into(),
            Form::Quoted => "mentions the connector only in code or a quote".into(),
            Form::Mention => "mentions the connector inside a line, and it did not react".into(),
            Form::Exact | Form::Marked | Form::Directed => "its author bears the connector's login".into(),
        }
    }

    fn connector_why(
        &self,
        name: &EvidenceName,
        meaning: &Meaning,
        commit: &NamedCommit,
    ) -> Cow<'static, str> {
        if let Some(owner) = self.results.get(name) {
            return owner_why(owner);
        }
        match meaning {
            Meaning::Summary { .. } => "a summary proves nothing by itself".into(),
            Meaning::TaskReply => "the reply of a coding task is no review".into(),
            Meaning::Notice { .. } => "a notice is no review".into(),
            Meaning::Failure { .. } => "edited by somebody else, so it proves nothing".into(),
            Meaning::Boilerplate { .. } => "the frame of a review says nothing by itself".into(),
            Meaning::Unclear { .. } => "its meaning is not certain; it can be judged".into(),
            Meaning::NoFindings { lane } | Meaning::Findings { lane, .. } => match commit {
                NamedCommit::Head if lane.as_str() == "security" => {
                    "of the security lane, which makes no code review clean".into()
                }
                NamedCommit::Head => "for this head, but it could not be used".into(),
                NamedCommit::Other(_) => "for another commit".into(),
                NamedCommit::None => "names no commit".into(),
                NamedCommit::Ambiguous(_) => "names more than one commit".into(),
                NamedCommit::Unresolved(_) => "names a commit that GitHub does not resolve".into(),
            },
        }
    }

    fn reviews(&self) -> Vec<ExplainedItem<'e>> {
        let all = self
            .run
            .reading
            .evidence
            .surfaces
            .reviews
            .items()
            .iter()
            .enumerate();
        all.map(|(place, review)| {
            let name = review.name(place);
            let read = self.reviews.get(&name);
            let (kind, why) = match read {
                None => ("review", "not by the connector".into()),
                Some(read) if read.identity != Identity::Connector => {
                    ("review", bystander_why(read.identity).into())
                }
                Some(read) => (
                    meaning_word(&read.meaning),
                    self.connector_why(&name, &read.meaning, &read.commit),
                ),
            };
            let at = review.submitted_at.get();
            let mut item = self.item(name, at, kind, why);
            item.author = review
                .user
                .as_ref()
                .and_then(|user| user.login.known().map(String::as_str));
            item.url = review.html_url.known().map(String::as_str);
            item
        })
        .collect()
    }

    fn threads(&self) -> Vec<ExplainedItem<'e>> {
        self.run
            .reading
            .threads
            .iter()
            .map(|thread| {
                let state = self.findings.get(&thread.name).copied();
                let why = match (thread.root, state) {
                    (Identity::Connector, Some(FindingState::Addressed)) => "resolved",
                    (Identity::Connector, Some(FindingState::Outdated)) => {
                        "outdated: its lines moved, which proves no fix"
                    }
                    (Identity::Connector, _) if thread.on_head => "open, for this head",
                    (Identity::Connector, _) => "open, for another commit",
                    (Identity::Other, _) => "not opened by the connector",
                    (Identity::Mismatched | Identity::Missing, _) => bystander_why(thread.root),
                };
                let mut item = self.item(thread.name.clone(), thread.at, "thread", why);
                let root = thread.thread.comments.first();
                item.author = root
                    .and_then(|root| root.author.as_ref())
                    .and_then(|author| author.login.known().map(String::as_str));
                item.url = root.and_then(|root| root.url.known().map(String::as_str));
                item
            })
            .collect()
    }

    fn lagging_roots(&self) -> Vec<ExplainedItem<'e>> {
        let roots = lagging_roots(&self.run.reading).into_iter();
        roots
            .map(|root| {
                let why = match root.proven {
                    true => "GitHub shows no thread for it, so nobody can say that it is resolved",
                    false => "GitHub shows neither its author nor its thread",
                };
                let mut item = self.item(root.name(), root.at(), "inline comment", why);
                let user = root.comment.user.as_ref();
                item.author = user.and_then(|user| user.login.known().map(String::as_str));
                item.url = root.comment.html_url.known().map(String::as_str);
                item
            })
            .collect()
    }

    fn reactions(&self) -> Vec<ExplainedItem<'e>> {
        let surfaces = &self.run.reading.evidence.surfaces;
        let body = surfaces.body_reactions.items().iter().enumerate();
        let mut items: Vec<_> = body
            .map(|(place, reaction)| self.reaction(place, reaction, "the description"))
            .collect();
        for (comment, surface) in &surfaces.comment_reactions {
            let target = EvidenceName::IssueComment(Id::Number(*comment)).to_string();
            let all = surface.items().iter().enumerate();
            items.extend(all.map(|(place, reaction)| self.reaction(place, reaction, &target)));
        }
        items
    }

    fn reaction(&self, place: usize, reaction: &'e Reaction, target: &str) -> ExplainedItem<'e> {
        let strict = self.run.reading.options.strict_identity;
        let identity = identify(reaction.user.as_ref(), IdentitySurface::Reaction, strict).identity;
        let word = match &reaction.content {
            ReactionContent::PlusOne => "+1",
            ReactionContent::Eyes => "eyes",
            ReactionContent::Other(_) | ReactionContent::Unrecognized(_) | ReactionContent::Missing => {
                "reaction"
            }
        };
        let why = match identity {
            Identity::Connector => format!("the connector's, on {target}"),
            Identity::Other => format!("not the connector's, on {target}"),
            Identity::Mismatched | Identity::Missing => format!("{}, on {target}", bystander_why(identity)),
        };
        let at = reaction.created_at.get();
        let mut item = self.item(reaction.name(place), at, word, why);
        item.author = reaction
            .user
            .as_ref()
            .and_then(|user| user.login.known().map(String::as_str));
        item
    }

    fn events(&self) -> Vec<ExplainedItem<'e>> {
        let all = self.run.reading.evidence.surfaces.timeline.items().iter();
        let events = all.map(|event| {
            let (kind, why): (_, Cow<'static, str>) = match &event.kind {
                EventKind::HeadForcePushed { after, .. } => (
                    "force-push",
                    match after {
                        Some(after) if *after == self.run.reading.pull.head_ref_oid => {
                            "the head moved to this head".into()
                        }
                        Some(after) => format!("the head moved to {}", after.short()).into(),
                        None => "the head moved to a commit that GitHub no longer knows".into(),
                    },
                ),
                EventKind::ReadyForReview => ("ready", "marked ready; moves no head".into()),
                EventKind::ConvertedToDraft => ("draft", "made a draft; moves no head".into()),
                EventKind::Reopened => ("reopened", "moves no head".into()),
                EventKind::Closed => ("closed", "moves no head".into()),
                EventKind::Merged => ("merged", "moves no head".into()),
                EventKind::CommentDeleted { .. } => {
                    ("comment-deleted", "GitHub does not say which comment".into())
                }
                EventKind::BaseChanged => ("base-changed", "starts no review".into()),
                EventKind::BaseForcePushed => ("base-force-push", "starts no review".into()),
                EventKind::HeadDeleted => ("head-deleted", "the head branch was deleted".into()),
                EventKind::HeadRestored => ("head-restored", "the head branch was restored".into()),
                EventKind::Unrecognized { .. } => ("event", "not known to this version".into()),
            };
            let at = event.created_at.get();
            let mut item = self.item(EvidenceName::Event(event.id.clone()), at, kind, why);
            item.author = event
                .actor
                .as_ref()
                .and_then(|actor| actor.login.known().map(String::as_str));
            item
        });
        events.collect()
    }

    fn sightings(&self) -> Vec<ExplainedItem<'e>> {
        let own_line = |name: &EvidenceName| {
            matches!(
                name,
                EvidenceName::CheckSuite(_) | EvidenceName::CheckRun(_) | EvidenceName::Event(_)
            )
        };
        let timeline = &self.run.reading.evidence.surfaces.timeline;
        let listed = |name: &EvidenceName| {
            timeline
                .items()
                .iter()
                .any(|event| EvidenceName::Event(event.id.clone()) == *name)
        };
        let all = self.run.history.sightings().iter();
        all.filter(|sighting| own_line(&sighting.name) && !listed(&sighting.name))
            .map(|sighting| {
                let why = "proves that this head had arrived";

                self.item(
                    sighting.name.clone(),
                    Some(sighting.at),
                    sighting.by.as_str(),
                    why,
                )
            })
            .collect()
    }
}

fn bystander_why(identity: Identity) -> &'static str {
    match identity {
        Identity::Connector => "the connector's",
        Identity::Other => "not by the connector, and no trigger",
        Identity::Mismatched => "bears the connector's login without its type",
        Identity::Missing => "its author is unknown",
    }
}

fn owner_why(owner: &Owner) -> Cow<'static, str> {
    match owner {
        Owner::Candidate(name) => format!("answers {name}, the only trigger that was unanswered").into(),
        Owner::Nobody => "no trigger was unanswered then: an automatic or a second review".into(),
        Owner::Ambiguous(names) => format!(
            "{} triggers were unanswered: it can be given to none",
            names.len()
        )
        .into(),
        Owner::SameTime(name) => format!("in the same second as {name}: no order").into(),
    }
}

fn meaning_word(meaning: &Meaning) -> &'static str {
    match meaning {
        Meaning::NoFindings { .. } => "no-findings",
        Meaning::Findings { .. } => "findings",
        Meaning::Boilerplate { .. } => "boilerplate",
        Meaning::Failure { .. } => "failure",
        Meaning::Notice { .. } => "notice",
        Meaning::TaskReply => "task-reply",
        Meaning::Summary { .. } => "summary",
        Meaning::Unclear { .. } => "unclear",
    }
}

#[cfg(test)]
mod tests {
    use super::document;
    use crate::evidence::sample::{HEAD, OTHER, Sample, at, person};
    use crate::options::Options;
    use crate::run::Run;

    fn used(sample: &Sample) -> Vec<String> {
        let options = Options::default();
        let run = Run::of(&sample.evidence, &options).expect("a run");
        let items = document(&run).items;
        let used = items.iter().filter(|item| item.used);
        used.map(|item| item.evidence.to_string()).collect()
    }

    #[test]
    fn what_binds_the_trigger_is_used() {
        let mut sample = Sample::new();
        assert!(used(&sample).is_empty(), "nothing was asked for");
        let trigger = sample.comment(person(), at(10, 0), "@codex review");
        let names = used(&sample);
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(names[0].starts_with("check-suite:"), "{names:?}");
        assert_eq!(names[1], format!("issue-comment:{trigger}"));
    }

    #[test]
    fn what_supersedes_the_trigger_is_used_and_the_older_sighting_is_not() {
        let mut sample = Sample::new();
        let trigger = sample.comment(person(), at(10, 0), "@codex review");
        sample.force_push(at(20, 0), OTHER, HEAD);
        let names = used(&sample);
        assert_eq!(names.len(), 2, "{names:?}");
        assert_eq!(names[0], format!("issue-comment:{trigger}"));
        assert!(names[1].starts_with("event:"), "{names:?}");
    }
}
