//! One surface each: where it stands on GitHub and how it is read.

use codex_loop::document;
use codex_loop::evidence::RequiredCheck;
use codex_loop::evidence::account::Account;
use codex_loop::evidence::check::CheckRun;
use codex_loop::evidence::event::Activity;
use codex_loop::evidence::name::{Repository, Sha};
use codex_loop::evidence::pull::Pull;
use codex_loop::evidence::reaction::Reaction;
use codex_loop::evidence::review::ReviewComment;
use codex_loop::evidence::surface::Surface;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Collector;
use crate::gh::failure::Failure;
use crate::gh::read::{self, End, broken};

impl Collector<'_> {
    pub(super) fn repository(&self, rest: &str) -> String {
        format!("repos/{}/{rest}", self.place.repository)
    }

    pub(super) fn rest<T: DeserializeOwned>(&self, path: &str, end: End) -> Result<Surface<T>, Failure> {
        read::rest(self.gh, &self.place.host, path, end)
    }

    pub(super) fn reactions(&self, comment: u64) -> Result<Surface<Reaction>, Failure> {
        self.rest(
            &self.repository(&format!("issues/comments/{comment}/reactions")),
            End::Probe,
        )
    }

    pub(super) fn comments_of_review(&self, review: u64) -> Result<Surface<ReviewComment>, Failure> {
        let number = self.place.number;
        self.rest(
            &self.repository(&format!("pulls/{number}/reviews/{review}/comments")),
            End::Probe,
        )
    }

    pub(super) fn activity(&self, pull: Option<&Pull>) -> Result<Surface<Activity>, Failure> {
        let Some((repository, branch)) = pull.and_then(|pull| {
            pull.head_repository
                .as_ref()
                .map(|head| (head, &pull.head_ref_name))
        }) else {
            return Ok(Surface::NotCollected.into_incomplete(broken("the head's repository is gone")));
        };
        if repository.parse::<Repository>().is_err() {
            return Ok(
                Surface::NotCollected.into_incomplete(broken("the head's repository has no usable name"))
            );
        }
        let reference = in_url(&format!("refs/heads/{branch}"));
        self.rest(
            &format!("repos/{repository}/activity?ref={reference}"),
            End::Newest,
        )
    }

    /// What a short commit id stands for: nothing when GitHub knows none, or more than one.
    pub(super) fn commit(&self, prefix: &str) -> Result<Result<Option<Sha>, Failure>, Failure> {
        #[derive(Deserialize)]
        struct Found {
            sha: Sha,
        }
        match self.gh.api(
            &self.place.host,
            &[&self.repository(&format!("commits/{prefix}"))],
        ) {
            Ok(answer) => Ok(match document::read::<Found>(&answer) {
                Ok(found) => Ok(Some(found.sha).filter(|sha| sha.starts_with(prefix))),
                Err(reason) => Err(Failure::Unusable {
                    message: format!("GitHub's answer about commit {prefix} cannot be read: {reason}"),
                }),
            }),
            Err(Failure::NotFound { .. } | Failure::Http { status: 422, .. }) => Ok(Ok(None)),
            Err(failure) if failure.is_fatal() => Err(failure),
            Err(failure) => Ok(Err(failure)),
        }
    }

    pub(super) fn check_runs(&self, head: &Sha) -> Result<Surface<CheckRun>, Failure> {
        #[derive(Deserialize)]
        struct Page {
            total_count: Option<u64>,
            check_runs: Option<Vec<CheckRun>>,
        }
        let path = self.repository(&format!("commits/{head}/check-runs?filter=all&per_page=100"));
        let mut last = Surface::NotCollected;
        // Runs start while the list is walked; the counter then disagrees once.
        for _ in 0..2 {
            let (listed, failure) = read::walk(self.gh, &self.place.host, &[&path], |pages| {
                read::counted_list(pages.iter(), |page: Page| page.total_count.zip(page.check_runs))
            })?;
            let settled = listed.fault.is_none() || failure.is_some();
            last = listed.surface(failure);
            if settled {
                break;
            }
        }
        Ok(last)
    }

    /// The status checks that the rules of the base branch require.
    pub(super) fn required_checks(&self, base: &str) -> Result<Surface<RequiredCheck>, Failure> {
        let path = self.repository(&format!("rules/branches/{}", in_url(base)));
        Ok(match self.rest::<Rule>(&path, End::Probe)? {
            Surface::Complete { pages, items } => Surface::Complete {
                pages,
                items: items.into_iter().flat_map(Rule::checks).collect(),
            },
            Surface::Incomplete { pages, items, error } => Surface::Incomplete {
                pages,
                items: items.into_iter().flat_map(Rule::checks).collect(),
                error,
            },
            Surface::NotCollected => Surface::NotCollected,
        })
    }

    pub(super) fn viewer(&self) -> Result<Surface<Account>, Failure> {
        match self.gh.api(&self.place.host, &["user"]) {
            Ok(answer) => Ok(match document::read(&answer) {
                Ok(account) => Surface::complete(vec![account]),
                Err(reason) => Surface::NotCollected
                    .into_incomplete(broken(&format!("the user cannot be read: {reason}"))),
            }),
            Err(failure) if failure.is_fatal() => Err(failure),
            Err(failure) => Ok(Surface::NotCollected.into_incomplete(failure.surface_error())),
        }
    }
}

/// A rule of a branch; only required status checks matter here.
#[derive(Deserialize)]
struct Rule {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    parameters: Option<RuleParameters>,
}

#[derive(Deserialize)]
struct RuleParameters {
    #[serde(default)]
    required_status_checks: Vec<RequiredCheck>,
}

impl Rule {
    fn checks(self) -> Vec<RequiredCheck> {
        if self.kind == "required_status_checks" {
            self.parameters
                .map(|parameters| parameters.required_status_checks)
                .unwrap_or_default()
        } else {
            Vec::new()
        }
    }
}

/// Whether a text from a comment may stand in a path as a commit id.
pub(super) fn is_short(prefix: &str) -> bool {
    (7..=40).contains(&prefix.len()) && prefix.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A name as part of a path or query: everything but letters, digits and `-._~/` is escaped.
pub(super) fn in_url(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_for_a_url() {
        assert_eq!(
            in_url("refs/heads/a b#c?d&é"),
            "refs/heads/a%20b%23c%3Fd%26%C3%A9"
        );
    }

    #[test]
    fn only_hexadecimal_text_becomes_part_of_a_path() {
        assert!(
            is_short("58d4bceaec")
                && !is_short("58d4bc")
                && !is_short("../../../x")
                && !is_short("58d4bceaeg")
        );
    }
}
