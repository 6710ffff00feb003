//! What a connector's text means: exactly one of a closed set, decided by the text alone.
//!
//! A finding outweighs everything else the text says. What is not understood is [`Meaning::Unclear`], which a reader
//! may judge; it never decides anything by itself.

use super::findings::{self, TextFinding};
use super::lane::Lane;
use super::notices::{self, NoticeKind};
use super::sections::Sections;
use super::summary::{self, SummaryRow};
use crate::run::signature::{self, Signature};

mod clauses;
mod no_findings;
mod task_reply;
mod words;

use no_findings::NothingOf;

/// What a text of the connector says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The review found nothing to report.
    NoFindings {
        /// The lane it speaks for.
        lane: Lane,
    },
    /// The text itself holds findings.
    Findings {
        /// The lane they belong to.
        lane: Lane,
        /// At least one.
        findings: Vec<TextFinding>,
    },
    /// A review's frame without a statement of its own: its findings, if any, are inline comments.
    Boilerplate {
        /// The lane it speaks for.
        lane: Lane,
    },
    /// A listed terminal failure.
    Failure {
        /// Which one.
        signature: Signature,
    },
    /// Something said instead of a review.
    Notice {
        /// What.
        kind: NoticeKind,
        /// The lane it speaks of.
        lane: Lane,
    },
    /// The reply of a coding task.
    TaskReply,
    /// The summary comment.
    Summary {
        /// Its rows.
        rows: Vec<SummaryRow>,
    },
    /// None of these for certain: a reader has to judge.
    Unclear {
        /// The lane it speaks for.
        lane: Lane,
    },
}

/// Where a text stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// A top-level comment.
    IssueComment,
    /// The body of a submitted review.
    Review,
}

/// What `body`, written by the connector, means.
pub fn of(body: &str, kind: BodyKind) -> Meaning {
    of_sections(body, &Sections::of(body), kind)
}

/// What `body` means, which was taken apart before.
pub(crate) fn of_sections(body: &str, sections: &Sections, kind: BodyKind) -> Meaning {
    if let Some(found) = signature::recognise(body) {
        return Meaning::Failure {
            signature: found.signature,
        };
    }
    let lane = Lane::of_sections(sections);
    let findings = findings::in_sections(sections);
    if !findings.is_empty() {
        return Meaning::Findings { lane, findings };
    }
    if let Some(rows) = summary::rows_in(sections) {
        return Meaning::Summary { rows };
    }
    if let Some((kind, lane)) = notices::notice_in(sections) {
        return Meaning::Notice { kind, lane };
    }
    // Whatever a task's reply says about the code, it is no review.
    if kind == BodyKind::IssueComment && task_reply::is_task_reply(sections) {
        return Meaning::TaskReply;
    }
    match (kind, no_findings::says_nothing_found(sections)) {
        (_, Some(NothingOf::Any)) => Meaning::NoFindings { lane },
        // Nothing but security was spoken of, whatever the heading.
        (_, Some(NothingOf::Security)) => Meaning::NoFindings { lane: Lane::Security },
        (BodyKind::Review, None) if !findings::is_substantive_in(sections) => Meaning::Boilerplate { lane },
        (BodyKind::IssueComment | BodyKind::Review, None) => Meaning::Unclear { lane },
    }
}

/// Whether a review says that suggestions were made, so that inline comments are to be expected.
pub fn announces_suggestions(body: &str) -> bool {
    findings::announces_suggestions(body)
}

#[cfg(test)]
mod tests;
