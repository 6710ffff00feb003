//! What is worth knowing about a run and never changes its state.

use chrono::TimeDelta;

use super::{CleanProof, Run, RunState, indeterminate};
use crate::bot::identity::IdentityWarning;
use crate::evidence::event::EventKind;
use crate::evidence::name::EvidenceName;
use crate::evidence::pull::PullState;
use crate::reason::{Warning, WarningCode};

/// How young a head is while an automatic review may still start, and a verdict while a second review may follow, in
/// seconds.
pub const YOUNG_SECONDS: i64 = 90;

/// Every warning, in a fixed order.
pub(super) fn of(run: &Run<'_>) -> Vec<Warning> {
    let mut all = Vec::new();
    let mut warn = |code, message: &str, evidence: Vec<EvidenceName>| {
        if !evidence.is_empty() {
            all.push(Warning {
                code,
                message: message.to_owned(),
                evidence,
            });
        }
    };
    if automatic_run_possible(run) {
        let message = "The head is younger than 90 seconds; an automatic review may start.";
        warn(
            WarningCode::AutomaticRunPossible,
            message,
            vec![EvidenceName::Pull],
        );
    }
    let since = run.trigger().map(|trigger| trigger.order.at);
    let events = |wanted: fn(&EventKind) -> bool| -> Vec<EvidenceName> {
        run.reading
            .evidence
            .surfaces
            .timeline
            .items()
            .iter()
            .filter(|event| wanted(&event.kind))
            .filter(|event| match (event.created_at.get(), since) {
                (Some(at), Some(since)) => at >= since,
                (None, _) | (_, None) => true,
            })
            .map(|event| EvidenceName::Event(event.id.clone()))
            .collect()
    };
    warn(
        WarningCode::BaseChanged,
        "The base branch was changed or rewritten since the newest trigger; that starts no review.",
        events(|kind| matches!(kind, EventKind::BaseChanged | EventKind::BaseForcePushed)),
    );
    warn(
        WarningCode::CommentDeleted,
        "A comment was deleted since the newest trigger; GitHub does not say which.",
        events(|kind| matches!(kind, EventKind::CommentDeleted { .. })),
    );
    let identity = |wanted: IdentityWarning| -> Vec<EvidenceName> {
        let all = run.reading.identity_warnings.iter();
        all.filter(|(warning, _)| *warning == wanted)
            .map(|(_, name)| name.clone())
            .collect()
    };
    warn(
        WarningCode::ImpostorAccount,
        "An account bears the connector's name in another surface's spelling; it is a stranger.",
        identity(IdentityWarning::ImpostorAccount),
    );
    warn(
        WarningCode::ConnectorIdUnexpected,
        "The connector's login and type stand under an account id that is not the one known.",
        identity(IdentityWarning::ConnectorIdUnexpected),
    );
    warn(
        WarningCode::TriggerByBot,
        "A bot asked for a review and the connector did not react; it counts as no trigger.",
        run.candidates.ignored_bots.clone(),
    );
    let edited = run
        .candidates
        .all
        .iter()
        .filter(|one| one.on_head() && one.edited);
    warn(
        WarningCode::TriggerEdited,
        "A trigger of this head was edited; its marker binds nothing.",
        edited.map(|one| one.name.clone()).collect(),
    );
    if let RunState::Clean { by } = &run.state {
        let (CleanProof::Reaction { name, at } | CleanProof::Result { name, at }) = by;
        if run.reading.evidence.collected_at - *at < TimeDelta::seconds(YOUNG_SECONDS) {
            let message =
                "The verdict is younger than 90 seconds; a second review of the same head may follow.";
            warn(WarningCode::LateReviewPossible, message, vec![name.clone()]);
        }
    }
    warn(
        WarningCode::UnrecognizedBotText,
        "The connector wrote something that this version does not know.",
        indeterminate::drift_since(run, None),
    );
    all
}

/// A ready pull request whose head arrived less than 90 seconds ago.
pub fn automatic_run_possible(run: &Run<'_>) -> bool {
    run.reading.pull.state == PullState::Open
        && !run.reading.pull.is_draft
        && run
            .history
            .arrival()
            .is_some_and(|at| run.reading.evidence.collected_at - at < TimeDelta::seconds(YOUNG_SECONDS))
}
