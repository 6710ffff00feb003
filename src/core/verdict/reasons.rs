//! The gate's blockers as the headline's reasons.

use crate::gate::blockers::{BlockedBy, Blocker, BlockerCode};
use crate::reason::Reason;

/// One reason a code, with the evidence of all its blockers.
pub fn of(blockers: &[&Blocker]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    let mut counts: Vec<usize> = Vec::new();
    for blocker in blockers {
        let code = blocker.code.reason();
        let name = match &blocker.by {
            BlockedBy::Item(name) => Some(name.clone()),
            BlockedBy::Surface(_) => None,
        };
        match reasons
            .iter_mut()
            .zip(&mut counts)
            .find(|(known, _)| known.code == code)
        {
            Some((known, count)) => {
                known.evidence.extend(name);
                *count = count.saturating_add(1);
                known.message = several(blocker.code, *count);
            }
            None => {
                let message = if blocker.code.is_finding() {
                    several(blocker.code, 1)
                } else {
                    blocker.message.clone()
                };
                reasons.push(Reason::new(code, message, name.into_iter().collect()));
                counts.push(1);
            }
        }
    }
    reasons
}

fn several(code: BlockerCode, count: usize) -> String {
    let plural = |one: &str, many: &str| {
        let noun = if count == 1 { one } else { many };
        format!("{count} {noun}")
    };
    match code {
        BlockerCode::FindingThread => {
            format!("The connector has {}.", plural("open thread", "open threads"))
        }
        BlockerCode::FindingComment => format!(
            "The connector left {}.",
            plural("finding comment", "finding comments")
        ),
        BlockerCode::FindingReviewBody | BlockerCode::ChangesRequested => {
            "The connector's newest review of this head is not addressed.".to_owned()
        }
        BlockerCode::CodexThread => format!(
            "The connector wrote in {} that somebody else began.",
            plural("open thread", "open threads")
        ),
        BlockerCode::UnclearResult => format!(
            "{} not certain to be clean or a finding; read and judge.",
            plural("text of the connector is", "texts of the connector are")
        ),
        BlockerCode::InlineCommentsLagging => {
            "GitHub does not show every inline comment or thread yet; read again.".to_owned()
        }
        BlockerCode::IncompleteSurface => format!("{count} surfaces were not read to their end."),
        BlockerCode::PullClosed => "The pull request is not open.".to_owned(),
    }
}
