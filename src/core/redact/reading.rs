//! Everything a decision takes from one text, for comparing it before and after.

use crate::bot::commits::{self, LabelledCommit};
use crate::bot::findings;
use crate::bot::lane::Lane;
use crate::bot::meaning::{self, BodyKind, Meaning};
use crate::bot::notices::NoticeKind;
use crate::bot::summary::RowStatus;
use crate::bot::triggers::{self, Form};
use crate::run::indeterminate::reads_as_result;

/// What one text says, whoever wrote it and wherever it stood.
#[derive(Debug, PartialEq)]
pub(super) struct Reading {
    form: Option<Form>,
    markers: String,
    as_comment: Said,
    as_review: Said,
    commits: LabelledCommit,
    announces: bool,
    lane: Lane,
    priority: &'static str,
    /// Whether it looks like a review: an unclear text that does is a result, another one is drift.
    as_result: bool,
}

/// A meaning without the words it is made of.
#[derive(Debug, PartialEq)]
enum Said {
    NoFindings(Lane),
    /// Lane, and of each finding its priority, commit, line, and whether it names a file.
    Findings(Lane, Vec<(&'static str, Option<String>, Option<u64>, bool)>),
    Boilerplate(Lane),
    Failure(&'static str),
    Notice(NoticeKind, Lane),
    TaskReply,
    Summary(Vec<String>),
    Unclear(Lane),
}

impl Reading {
    pub(super) fn of(body: &str) -> Self {
        Self {
            form: triggers::form(body),
            markers: format!(
                "{:?} {:?} {:?}",
                triggers::markers(body),
                triggers::handled_markers(body),
                triggers::reply_marker(body)
            ),
            as_comment: said(body, BodyKind::IssueComment),
            as_review: said(body, BodyKind::Review),
            commits: commits::labelled(body),
            announces: findings::announces_suggestions(body),
            lane: Lane::of(body),
            priority: findings::inline(body).priority.as_str(),
            as_result: reads_as_result(body),
        }
    }

    /// A text of nothing but known words that says the same, where the meaning alone suffices to write one.
    pub(super) fn plain_text(&self) -> Option<String> {
        let mut text = match &self.as_comment {
            Said::NoFindings(Lane::Code) => "Codex Review: Didn't find any major issues.".to_owned(),
            Said::NoFindings(Lane::Security) => "### 🛡️ Codex Security Review\n\nSecurity review completed. \
                 No security issues were found in this pull request."
                .to_owned(),
            Said::Notice(kind, lane) => notice(*kind, *lane),
            Said::TaskReply => {
                "**Summary**\n* xba\n\n**Testing**\n* xba\n\n[View task →](https://chatgpt.com/s/cd_1)"
                    .to_owned()
            }
            Said::Unclear(Lane::Code) if self.form.is_none() && self.as_result => {
                "Codex Review: xba xbe xbi.".to_owned()
            }
            Said::Unclear(Lane::Code) if self.form.is_none() => "Xba xbe xbi.".to_owned(),
            Said::Unclear(Lane::Security) if self.form.is_none() => {
                "### 🛡️ Codex Security Review\n\nXba xbe xbi.".to_owned()
            }
            Said::Unclear(_)
            | Said::Findings(..)
            | Said::Boilerplate(_)
            | Said::Failure(_)
            | Said::Summary(_) => return None,
        };
        let commits = match &self.commits {
            LabelledCommit::None => Vec::new(),
            LabelledCommit::One(commit) => vec![commit],
            LabelledCommit::Conflicting(commits) => commits.iter().collect(),
        };
        for commit in commits {
            text.push_str("\n\n**Reviewed commit:** `");
            text.push_str(commit);
            text.push('`');
        }
        Some(text)
    }
}

fn notice(kind: NoticeKind, lane: Lane) -> String {
    let text = match kind {
        NoticeKind::UsageLimit => "You have reached your Codex usage limits.",
        NoticeKind::Environment => "To use Codex here, create an environment for this repo.",
        NoticeKind::Account => "To use Codex here, create a Codex account and connect to github.",
        NoticeKind::Workspace => "This workspace is deactivated.",
        NoticeKind::RequestFailed => "Codex couldn't complete this request. Try again later.",
        NoticeKind::ErrorUnlisted => "Codex Review: Something went wrong.",
    };
    match lane {
        Lane::Code => text.to_owned(),
        Lane::Security => format!("{text} This is for security reviews."),
    }
}

fn said(body: &str, kind: BodyKind) -> Said {
    match meaning::of(body, kind) {
        Meaning::NoFindings { lane } => Said::NoFindings(lane),
        Meaning::Findings { lane, findings } => Said::Findings(
            lane,
            findings
                .into_iter()
                .map(|finding| {
                    (
                        finding.priority.as_str(),
                        finding.commit,
                        finding.line,
                        finding.path.is_some(),
                    )
                })
                .collect(),
        ),
        Meaning::Boilerplate { lane } => Said::Boilerplate(lane),
        Meaning::Failure { signature } => Said::Failure(signature.id()),
        Meaning::Notice { kind, lane } => Said::Notice(kind, lane),
        Meaning::TaskReply => Said::TaskReply,
        Meaning::Summary { rows } => Said::Summary(
            rows.into_iter()
                .map(|row| {
                    let status = match row.status {
                        RowStatus::Running => "running",
                        RowStatus::Completed => "completed",
                        RowStatus::Failed => "failed",
                        RowStatus::Unrecognized(_) => "unrecognized",
                    };
                    format!("{:?} {status} {:?} {:?}", row.lane, row.at, row.commit)
                })
                .collect(),
        ),
        Meaning::Unclear { lane } => Said::Unclear(lane),
    }
}
