//! A bundle that can be shown to others: names, titles, paths and free text become stable pseudonyms, while what the
//! evidence proves stays the same.
//!
//! Kept are times, ids, commit ids, states, the connector's own account, badges, markers and the words of the
//! connector's known texts. Every text is read before and after; one that would say something else is replaced by a
//! plain text of the same meaning, and where none is known the redaction is refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::evidence::account::Account;
use crate::evidence::event::EventKind;
use crate::evidence::handled::HandledRecord;
use crate::evidence::name::Repository;
use crate::evidence::observed::Observed;
use crate::evidence::surface::Surface;
use crate::evidence::{Evidence, LocalHandled};

mod reading;
mod words;

use reading::Reading;
use words::{Vocabulary, Words};

/// Redacts a bundle. Texts named in `keep` (`issue-comment:ID`, `review:ID`, `review-comment:ID`) stay as they are.
///
/// # Errors
/// One sentence when a text cannot be redacted without changing what it says, or `keep` names no text.
pub fn redact(mut evidence: Evidence, keep: &[String]) -> Result<Evidence, String> {
    let mut redaction = Redaction::new(&evidence, keep);
    redaction.everything(&mut evidence)?;
    match keep.iter().find(|key| !redaction.kept.contains(key)) {
        Some(unknown) => Err(format!(
            "`{}` names no text of this bundle",
            crate::report::sanitise::one_line(unknown, 80)
        )),
        None => Ok(evidence),
    }
}

/// The accounts whose names mean something to the decision; spelled exactly as they were.
const KNOWN_LOGINS: [&str; 4] = [
    "chatgpt-codex-connector[bot]",
    "chatgpt-codex-connector",
    "github-actions[bot]",
    "github-actions",
];
/// In place of a person's own words.
const WITHHELD: &str = "(withheld)";
const KNOWN_APPS: [&str; 3] = ["chatgpt-codex-connector", "github-actions", "dependabot"];

struct Redaction<'a> {
    names: Names,
    words: Words,
    keep: &'a [String],
    kept: Vec<String>,
    /// SHA-256 of each text that the handled file names, before → after.
    digests: BTreeMap<String, Option<String>>,
}

/// Pseudonyms by kind, numbered in order of appearance.
#[derive(Default)]
struct Names {
    known: BTreeMap<(&'static str, String), usize>,
    counts: BTreeMap<&'static str, usize>,
}

impl Names {
    fn number(&mut self, kind: &'static str, name: &str) -> usize {
        if let Some(number) = self.known.get(&(kind, name.to_owned())) {
            return *number;
        }
        let count = self.counts.entry(kind).or_default();
        *count = count.saturating_add(1);
        self.known.insert((kind, name.to_owned()), *count);
        *count
    }

    fn name(&mut self, kind: &'static str, name: &str) -> String {
        format!("{kind}-{}", self.number(kind, name))
    }

    fn login(&mut self, login: &str) -> String {
        if KNOWN_LOGINS.contains(&login) {
            return login.to_owned();
        }
        let (bare, suffix) = match login.strip_suffix("[bot]") {
            Some(bare) => (bare, "[bot]"),
            None => (login, ""),
        };
        format!("{}{suffix}", self.name("account", &bare.to_ascii_lowercase()))
    }

    fn repository(&mut self, repository: &str) -> String {
        let (owner, name) = repository.split_once('/').unwrap_or((repository, ""));
        format!("{}/{}", self.login(owner), self.name("repository", name))
    }
}

/// An answer as it is compared: small letters, no full stop.
fn plain(answer: &str) -> String {
    answer.trim().trim_end_matches('.').to_lowercase()
}

impl<'a> Redaction<'a> {
    fn new(evidence: &Evidence, keep: &'a [String]) -> Self {
        let mut names = Names::default();
        let repository = names.repository(&evidence.repository.to_string());
        Self {
            words: Words::new(
                &evidence.host,
                &evidence.repository,
                &redacted_host(&evidence.host),
                &repository,
            ),
            names,
            keep,
            kept: Vec::new(),
            digests: handled_digests(&evidence.local.handled),
        }
    }

    fn everything(&mut self, evidence: &mut Evidence) -> Result<(), String> {
        let surfaces = &mut evidence.surfaces;
        for pull in surfaces.pull.items_mut() {
            pull.title = self.words.text(&pull.title, Vocabulary::Addresses);
            pull.url = self.words.url(&pull.url);
            pull.head_ref_name = self.names.name("branch", &pull.head_ref_name);
            pull.base_ref_name = self.names.name("branch", &pull.base_ref_name);
            pull.head_repository = pull
                .head_repository
                .as_deref()
                .map(|name| self.names.repository(name));
            self.account(pull.author.as_mut());
        }
        for suite in surfaces.check_suites.items_mut() {
            self.known(&mut suite.head_branch, |names, branch| {
                names.name("branch", branch)
            });
            self.known(&mut suite.app, app);
            self.known(&mut suite.workflow, |names, workflow| {
                names.name("workflow", workflow)
            });
            self.known(&mut suite.event, |names, event| names.name("event", event));
        }
        for event in surfaces.timeline.items_mut() {
            self.account(event.actor.as_mut());
            if let EventKind::CommentDeleted { author: Some(author) } = &mut event.kind {
                *author = self.names.login(author);
            }
        }
        for comment in surfaces.issue_comments.items_mut() {
            let connector = self.account(comment.user.as_mut());
            self.url(&mut comment.html_url);
            self.body(&mut comment.body, &key("issue-comment", &comment.id), connector)?;
        }
        for review in surfaces.reviews.items_mut() {
            let connector = self.account(review.user.as_mut());
            self.url(&mut review.html_url);
            self.body(&mut review.body, &key("review", &review.id), connector)?;
        }
        for comment in surfaces.review_comments.items_mut() {
            let connector = self.account(comment.user.as_mut());
            self.url(&mut comment.html_url);
            self.path(&mut comment.path);
            self.body(&mut comment.body, &key("review-comment", &comment.id), connector)?;
        }
        for thread in surfaces.threads.items_mut() {
            self.path(&mut thread.path);
            for comment in &mut thread.comments {
                let connector = self.account(comment.author.as_mut());
                self.url(&mut comment.url);
                self.body(&mut comment.body, &key("review-comment", &comment.id), connector)?;
            }
        }
        for reaction in surfaces.body_reactions.items_mut() {
            self.account(reaction.user.as_mut());
        }
        for reaction in surfaces
            .comment_reactions
            .values_mut()
            .flat_map(Surface::items_mut)
        {
            self.account(reaction.user.as_mut());
        }
        for run in surfaces.check_runs.items_mut() {
            self.known(&mut run.name, |names, name| names.name("check", name));
            self.url(&mut run.html_url);
            self.url(&mut run.details_url);
            if let Some(each) = &mut run.app {
                self.known(&mut each.slug, app);
            }
        }
        for status in surfaces.statuses.items_mut() {
            self.known(&mut status.context, |names, name| names.name("check", name));
            self.url(&mut status.target_url);
            self.account(status.creator.as_mut());
        }
        for check in surfaces.merge_gates.items_mut() {
            check.context = self.names.name("check", &check.context);
        }
        for edit in surfaces.edits.items_mut() {
            self.account(edit.editor.as_mut());
        }
        for viewer in surfaces.viewer.items_mut() {
            self.account(Some(viewer));
        }
        self.errors(evidence);
        for digest in evidence.local.handled.items.values_mut().flatten() {
            if let Some(Some(after)) = self.digests.get(digest) {
                digest.clone_from(after);
            }
        }
        self.record(&mut evidence.local.handled.record);
        let journal = &mut evidence.local.journal;
        for attempt in &mut journal.attempts {
            attempt.authorization_reference =
                self.names.name("authorization", &attempt.authorization_reference);
            attempt.state.forget_why();
        }
        if let Some(doubt) = &mut journal.doubt {
            *doubt = "The journal of this pull request cannot be relied on.".to_owned();
        }
        evidence.host = redacted_host(&evidence.host);
        let repository = self.names.repository(&evidence.repository.to_string());
        evidence.repository = repository.parse::<Repository>()?;
        Ok(())
    }

    /// What the handled file records: families keep telling themselves apart, everybody's own words go.
    fn record(&mut self, record: &mut HandledRecord) {
        let families = std::mem::take(&mut record.families);
        let mut named = |label: &str| self.names.name("family", label);
        for checkpoint in &mut record.checkpoints {
            let recurring: Vec<String> = families
                .keys()
                .filter(|label| {
                    checkpoint
                        .recurrence
                        .to_lowercase()
                        .contains(&label.to_lowercase())
                })
                .map(|label| named(label))
                .collect();
            if !recurring.is_empty() {
                checkpoint.recurrence = recurring.join(", ");
            } else if !["", "no", "none", "0", "yes"].contains(&plain(&checkpoint.recurrence).as_str()) {
                checkpoint.recurrence = "other".to_owned();
            }
        }
        record.families = families
            .into_iter()
            .map(|(label, family)| (named(&label), family))
            .collect();
        let withheld = |text: &mut Option<String>| {
            if let Some(text) = text {
                *text = WITHHELD.to_owned();
            }
        };
        for planned in &mut record.planned {
            planned.family = planned.family.as_deref().map(&mut named);
            if let Some(Some(after)) = planned
                .body_sha256
                .as_ref()
                .and_then(|known| self.digests.get(known))
            {
                planned.body_sha256 = Some(after.clone());
            }
        }
        for disposition in record.dispositions.values_mut() {
            disposition.family = disposition.family.as_deref().map(&mut named);
            WITHHELD.clone_into(&mut disposition.evidence);
            withheld(&mut disposition.premise);
            withheld(&mut disposition.covers);
            disposition.reply = disposition.reply.as_deref().map(|url| self.words.url(url));
        }
        for checkpoint in &mut record.checkpoints {
            checkpoint.url = self.words.url(&checkpoint.url);
        }
        for direction in &mut record.directions {
            WITHHELD.clone_into(&mut direction.text);
        }
    }

    /// Pseudonyms for an account; says whether it has the connector's login.
    fn account(&mut self, account: Option<&mut Account>) -> bool {
        let Some(account) = account else { return false };
        let login = account.login.text().to_owned();
        if KNOWN_LOGINS.contains(&login.as_str()) {
            return login.starts_with("chatgpt-codex-connector");
        }
        if account.login.known().is_some() {
            account.login = Observed::Known(self.names.login(&login));
        }
        if account.id.known().is_some() {
            let number = self
                .names
                .number("account", &login.trim_end_matches("[bot]").to_ascii_lowercase());
            account.id = Observed::Known(number as u64);
        }
        false
    }

    fn known(&mut self, field: &mut Observed<String>, name: impl FnOnce(&mut Names, &str) -> String) {
        if let Observed::Known(text) = field {
            *text = name(&mut self.names, text);
        } else if let Observed::Malformed(found) = field {
            // What stood there instead is not needed to see that it was wrong.
            found.clear();
        }
    }

    fn path(&mut self, field: &mut Observed<String>) {
        if let Observed::Known(path) = field {
            *path = self.words.path(path);
        }
    }

    fn url(&mut self, field: &mut Observed<String>) {
        if let Observed::Known(url) = field {
            *url = self.words.url(url);
        }
    }

    /// The first rendering that says the same: strictly, with the connector's words, as a plain text.
    fn body(&mut self, field: &mut Observed<String>, key: &str, connector: bool) -> Result<(), String> {
        let Observed::Known(body) = field else {
            return Ok(());
        };
        if self.keep.iter().any(|kept| kept == key) {
            self.kept.push(key.to_owned());
            return Ok(());
        }
        let before = Reading::of(body);
        let order = if connector {
            [Vocabulary::Connector, Vocabulary::Addresses]
        } else {
            [Vocabulary::Addresses, Vocabulary::Connector]
        };
        let mut after = None;
        for vocabulary in order {
            let text = self.words.text(body, vocabulary);
            if Reading::of(&text) == before {
                after = Some(text);
                break;
            }
        }
        let plain = || before.plain_text().filter(|text| Reading::of(text) == before);
        let Some(after) = after.or_else(plain) else {
            return Err(format!(
                "the text {key} cannot be redacted without changing what it says; read it, then use --keep {key}"
            ));
        };
        if !self.digests.is_empty()
            && let Some(renamed) = self.digests.get_mut(&sha256(body))
        {
            *renamed = Some(sha256(&after));
        }
        *body = after;
        Ok(())
    }

    /// GitHub's own words in errors can hold names.
    fn errors(&self, evidence: &mut Evidence) {
        fn clear<T>(surface: &mut Surface<T>) {
            if let Surface::Incomplete { error, .. } = surface {
                error.message = "The reason is redacted.".to_owned();
            }
        }
        let s = &mut evidence.surfaces;
        clear(&mut s.pull);
        clear(&mut s.commits);
        clear(&mut s.head_commit);
        clear(&mut s.check_suites);
        clear(&mut s.timeline);
        clear(&mut s.issue_comments);
        clear(&mut s.reviews);
        clear(&mut s.review_comments);
        clear(&mut s.threads);
        clear(&mut s.body_reactions);
        s.comment_reactions.values_mut().for_each(clear);
        clear(&mut s.check_runs);
        clear(&mut s.statuses);
        clear(&mut s.resolved_commits);
        clear(&mut s.activity);
        clear(&mut s.edits);
        clear(&mut s.merge_gates);
        clear(&mut s.viewer);
    }
}

/// The digests that the handled file records, none of them renamed yet.
fn handled_digests(handled: &LocalHandled) -> BTreeMap<String, Option<String>> {
    let planned = handled.record.planned.iter();
    let planned = planned.filter_map(|planned| planned.body_sha256.clone());
    let items = handled.items.values().flatten().cloned();
    items.chain(planned).map(|digest| (digest, None)).collect()
}

fn app(names: &mut Names, slug: &str) -> String {
    if KNOWN_APPS.contains(&slug) {
        slug.to_owned()
    } else {
        names.name("app", slug)
    }
}

fn redacted_host(host: &str) -> String {
    if host == "github.com" {
        host.to_owned()
    } else {
        "github.example.com".to_owned()
    }
}

fn key(kind: &str, id: &Observed<u64>) -> String {
    id.get()
        .map_or_else(|| format!("{kind}:without-id"), |id| format!("{kind}:{id}"))
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .fold(String::new(), |mut hex, byte| {
            // Writing to a string does not fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

#[cfg(test)]
mod tests;
