//! Which responses qualify, and what the latest of them says.

use crate::bounded::state::{RecurringState, Request, Response, ResponseOutcome};
use crate::bounded::terms::{ResponseId, TrustedBotId};
use crate::bounded::vocabulary::{record, words};

words! {
    /// The first condition that a response fails.
    Rejection {
        /// "Its author type is Bot, numeric ID matches the policy."
        AuthorNotTrusted = "author-not-trusted",
        /// "Creation is after the request."
        CreatedBeforeRequest = "created-before-request",
        /// "Content version is no later than … deadline."
        AfterDeadline = "after-deadline",
        /// "Content version is no later than … snapshot time."
        AfterSnapshot = "after-snapshot",
        /// "Current PR head equals the requested SHA."
        HeadMoved = "head-moved",
        /// "The exact triggering request ID": it names another request.
        OtherRequest = "other-request",
        /// "An exact commit SHA": it names another commit.
        OtherCommit = "other-commit",
        /// It names neither a request nor a commit.
        Uncorrelated = "uncorrelated",
        /// "With zero intervening @codex requests."
        InterveningRequest = "intervening-request",
    }
}

record! {
    /// A response that does not count, and why.
    RejectedResponse {
        /// "Normalized response IDs."
        id: ResponseId,
        /// The first condition that it fails.
        rejection: Rejection,
    }
}

/// What the latest qualifying content version says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No qualifying response.
    Silent,
    /// Findings, or actionable threads beside a no-findings response.
    Findings,
    /// Explicitly none, and no actionable thread.
    NoFindings,
    /// "Equal-time contradictions are ambiguous."
    Ambiguous,
    /// Neither can be told.
    Unclear,
}

/// The responses, weighed.
pub(super) struct Assessment {
    pub(super) qualifying: Vec<Response>,
    pub(super) rejected: Vec<RejectedResponse>,
    pub(super) verdict: Verdict,
}

pub(super) fn assess(state: &RecurringState) -> Assessment {
    let mut qualifying = Vec::new();
    let mut rejected = Vec::new();
    for response in &state.hosted.responses {
        let rejection = match &state.persisted.request {
            Some(request) => rejection(response, request, state),
            None => Some(Rejection::Uncorrelated),
        };
        match rejection {
            Some(rejection) => rejected.push(RejectedResponse {
                id: response.id.clone(),
                rejection,
            }),
            None => qualifying.push(response.clone()),
        }
    }
    let verdict = latest(&qualifying, !state.hosted.actionable_threads.is_empty());
    Assessment {
        qualifying,
        rejected,
        verdict,
    }
}

fn rejection(response: &Response, request: &Request, state: &RecurringState) -> Option<Rejection> {
    let trusted = TrustedBotId::MINIMUM;
    if response.author_type.as_str() != "Bot"
        || !response
            .author_database_id
            .is_some_and(|author| trusted.is(author))
    {
        return Some(Rejection::AuthorNotTrusted);
    }
    if response.created_at <= request.created_at {
        return Some(Rejection::CreatedBeforeRequest);
    }
    if response.content_version_at > request.deadline {
        return Some(Rejection::AfterDeadline);
    }
    if response.content_version_at > state.hosted.observed_at {
        return Some(Rejection::AfterSnapshot);
    }
    if state.hosted.pull_request.current_head_sha != request.head_sha {
        return Some(Rejection::HeadMoved);
    }
    if response
        .trigger_request_id
        .is_some_and(|trigger| trigger != request.comment_id)
    {
        return Some(Rejection::OtherRequest);
    }
    if response
        .commit_sha
        .as_ref()
        .is_some_and(|sha| *sha != request.head_sha)
    {
        return Some(Rejection::OtherCommit);
    }
    if response.trigger_request_id.is_some() {
        return None;
    }
    if response.commit_sha.is_none() {
        return Some(Rejection::Uncorrelated);
    }
    (response.intervening_requests.get() > 0).then_some(Rejection::InterveningRequest)
}

/// "Use the latest content version; equal-time contradictions are ambiguous, and a later contradiction defeats an older
/// no-findings response."
fn latest(qualifying: &[Response], actionable_threads: bool) -> Verdict {
    let Some(newest) = qualifying
        .iter()
        .map(|response| &response.content_version_at)
        .max()
    else {
        return Verdict::Silent;
    };
    let says = |outcome| {
        qualifying
            .iter()
            .any(|response| response.content_version_at == *newest && response.outcome == outcome)
    };
    match (
        says(ResponseOutcome::Findings),
        says(ResponseOutcome::NoFindings),
        says(ResponseOutcome::Unclear),
    ) {
        (true, true, _) => Verdict::Ambiguous,
        (_, _, true) | (false, false, false) => Verdict::Unclear,
        (true, false, false) => Verdict::Findings,
        (false, true, false) if actionable_threads => Verdict::Findings,
        (false, true, false) => Verdict::NoFindings,
    }
}
