//! The summary comment: one comment, edited in place across heads, with a row per lane.
//!
//! Its time of creation means nothing, the newest time in a row does. `Completed` does not mean clean.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use regex::Regex;

use super::lane::Lane;
use super::sections::Sections;
use crate::evidence::observed::Timestamp;

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRow {
    /// The lane the row speaks of. Rows of any other kind of review are left out.
    pub lane: Lane,
    /// What it says of the review.
    pub status: RowStatus,
    /// Since when, where the cell has a time.
    pub at: Option<Timestamp>,
    /// The commit, 7 to 40 lower-case hexadecimal digits, where the cell has one.
    pub commit: Option<String>,
    /// What started the review, as the cell words it.
    pub trigger: String,
}

/// The status word of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowStatus {
    /// The review is going on.
    Running,
    /// The review ended; with or without findings.
    Completed,
    /// The review failed.
    Failed,
    /// Any other wording.
    Unrecognized(String),
}

static MARKER: &str = "codex-pull-request-review-summary";
static TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?i)datetime=[\"']([^\"'<>]{1,64})[\"']").expect("a literal pattern"));
static COMMIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("(?i)(?:^|[^0-9a-z])([0-9a-f]{7,40})(?:[^0-9a-z]|$)").expect("a literal pattern")
});
static TAG: LazyLock<Regex> = LazyLock::new(|| Regex::new("<[^<>]*>").expect("a literal pattern"));

/// The rows of a summary comment; `None` when the text is none.
pub fn rows(body: &str) -> Option<Vec<SummaryRow>> {
    rows_in(&Sections::of(body))
}

pub(crate) fn rows_in(sections: &Sections) -> Option<Vec<SummaryRow>> {
    let mut lines = sections
        .text()
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let marked = sections.hidden().iter().any(|comment| comment.trim() == MARKER);
    let headed = lines.next().is_some_and(|line| {
        line.starts_with('#')
            && line
                .trim_start_matches(|c: char| !c.is_alphanumeric())
                .trim_end()
                .eq_ignore_ascii_case("codex review summary")
    });
    if !marked && !headed {
        return None;
    }
    let mut columns = Columns::USUAL;
    let mut rows = Vec::new();
    for line in sections.text().lines() {
        let Some(cells) = cells(line) else { continue };
        if let Some(header) = Columns::of(&cells) {
            columns = header;
        } else {
            rows.extend(row(&cells, &columns));
        }
    }
    Some(rows)
}

/// Where each column stands.
struct Columns {
    review: usize,
    status: usize,
    commit: usize,
    trigger: usize,
}

impl Columns {
    const USUAL: Self = Self {
        review: 0,
        status: 1,
        commit: 2,
        trigger: 3,
    };

    /// The columns, when `cells` is the header.
    fn of(cells: &[&str]) -> Option<Self> {
        let place = |name: &str| {
            cells
                .iter()
                .position(|cell| words(cell).eq_ignore_ascii_case(name))
        };
        Some(Self {
            review: place("review")?,
            status: place("status")?,
            commit: place("commit")?,
            trigger: place("review trigger").or_else(|| place("trigger"))?,
        })
    }
}

/// The cells of a table row.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inside = line.trim().strip_prefix('|')?;
    let inside = inside.strip_suffix('|').unwrap_or(inside);
    Some(inside.split('|').map(str::trim).collect())
}

fn row(cells: &[&str], columns: &Columns) -> Option<SummaryRow> {
    let cell = |place: usize| cells.get(place).copied().unwrap_or("");
    let lane = match words(cell(columns.review)).to_ascii_lowercase().as_str() {
        "code review" => Lane::Code,
        "security review" => Lane::Security,
        _ => return None,
    };
    let status = cell(columns.status);
    let word = words(&TAG.replace_all(status, " "));
    let at = TIME
        .captures(status)
        .and_then(|time| time.get(1))
        .and_then(|time| {
            let parsed = DateTime::parse_from_rfc3339(time.as_str()).ok()?;
            Some(parsed.with_timezone(&Utc))
        });
    let commit = COMMIT
        .captures(cell(columns.commit))
        .and_then(|commit| commit.get(1))
        .map(|commit| commit.as_str().to_ascii_lowercase());
    Some(SummaryRow {
        lane,
        status: status_of(&word),
        at,
        commit,
        trigger: words(&TAG.replace_all(cell(columns.trigger), " ")),
    })
}

/// The status that the cell's first word names.
fn status_of(words: &str) -> RowStatus {
    let first = words.split(' ').next().unwrap_or("").to_ascii_lowercase();
    match first.as_str() {
        "running" => RowStatus::Running,
        "completed" => RowStatus::Completed,
        "failed" => RowStatus::Failed,
        _ => RowStatus::Unrecognized(words.chars().take(80).collect()),
    }
}

/// A cell's words with single spaces, without emphasis, emoji and links' brackets.
fn words(cell: &str) -> String {
    cell.split(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '[' | ']'))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &str) -> String {
        format!(
            "<!-- codex-pull-request-review-summary -->\n## Codex Review Summary\n\n\
             | Review | Status | Commit | Review trigger |\n| --- | --- | --- | --- |\n{rows}\n"
        )
    }

    const TIME: &str = "2026-09-16T05:11:26.960863Z";

    fn expected(lane: Lane, status: RowStatus, commit: &str, trigger: &str) -> SummaryRow {
        SummaryRow {
            lane,
            status,
            at: TIME.parse().ok(),
            commit: Some(commit.into()),
            trigger: trigger.into(),
        }
    }

    #[test]
    fn rows_are_read_per_lane() {
        let time = format!("<relative-time datetime=\"{TIME}\">{TIME}</relative-time>");
        let body = table(&format!(
            "| 📝 **Code Review** | ✅ **Completed** {time} | `8777ef4` | PR opened |\n\
             | 🛡️ **Security Review** | 🔄 **Running** since {time} | `0123456` | Draft marked ready |\n\
             | 📝 **Code Review** | ⚠️ **Failed** {time} | [`abcdef0`](https://github.com/o/r/commit/abcdef0) | New commits |\n\
             | 📝 **Code Review** | ⏸️ **Queued** {time} | `abcdef0` | Manual request |\n\
             | 🎨 **Design Review** | ✅ **Completed** {time} | `abcdef0` | PR opened |"
        ));
        assert_eq!(
            rows(&body),
            Some(vec![
                expected(Lane::Code, RowStatus::Completed, "8777ef4", "PR opened"),
                expected(
                    Lane::Security,
                    RowStatus::Running,
                    "0123456",
                    "Draft marked ready"
                ),
                expected(Lane::Code, RowStatus::Failed, "abcdef0", "New commits"),
                expected(
                    Lane::Code,
                    RowStatus::Unrecognized(format!("Queued {TIME}")),
                    "abcdef0",
                    "Manual request"
                ),
            ])
        );
    }

    #[test]
    fn the_hidden_security_line_is_no_row_and_does_not_name_the_code_head() {
        let hidden = "<!-- codex-security-review:v1 {\"headSha\":\"0123456789abcdef0123456789abcdef01234567\",\"status\":\"completed\"} -->";
        let body = table("| 📝 **Code Review** | 🔄 **Running** | `8777ef4` | PR opened |")
            .replacen('\n', &format!("\n{hidden}\n"), 1)
            .replace('\n', "\r\n");
        let found = rows(&body).expect("a summary");
        let read: Vec<_> = found
            .iter()
            .map(|r| (r.lane, r.commit.as_deref(), r.at))
            .collect();
        assert_eq!(read, [(Lane::Code, Some("8777ef4"), None)]);
    }

    #[test]
    fn a_summary_is_known_by_its_marker_or_its_heading() {
        assert_eq!(
            rows("<!-- codex-pull-request-review-summary -->\n"),
            Some(Vec::new())
        );
        assert_eq!(rows("## Codex Review Summary\n"), Some(Vec::new()));
        for body in [
            "",
            "### 💡 Codex Review",
            "> ## Codex Review Summary",
            "`<!-- codex-pull-request-review-summary -->`",
            "Codex Review: Didn't find any major issues.",
            "| 📝 **Code Review** | ✅ **Completed** | `8777ef4` | PR opened |",
        ] {
            assert_eq!(rows(body), None, "{body}");
        }
    }

    #[test]
    fn the_header_says_where_each_column_stands() {
        let body = table(&format!(
            "| PR opened | `8777ef4` | x | ✅ **Completed** <relative-time datetime=\"{TIME}\">{TIME}</relative-time> | 📝 **Code Review** |"
        ))
        .replace(
            "| Review | Status | Commit | Review trigger |",
            "| Trigger | Commit | Model | **Status** | Review |",
        );
        assert_eq!(
            rows(&body),
            Some(vec![expected(
                Lane::Code,
                RowStatus::Completed,
                "8777ef4",
                "PR opened"
            )])
        );
    }

    #[test]
    fn a_torn_row_keeps_what_it_has() {
        let found = rows(&table(
            "| Code Review | **Running** since <relative-time datetime=\"soon\">x |",
        ))
        .expect("a summary");
        assert_eq!(
            found,
            [SummaryRow {
                lane: Lane::Code,
                status: RowStatus::Running,
                at: None,
                commit: None,
                trigger: String::new(),
            }]
        );
    }
}
