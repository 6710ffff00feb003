//! The two templates: the review request with its one placeholder, and the evaluator-owned automation prompt.

use super::error::{EvaluatorError, Place, require};
use super::terms::{Body, FixRounds, LoopKey, Prompt, RunId, Sha};

/// The placeholder of a review-request template.
pub(crate) const FINAL_HEAD_SHA: &str = "{{FINAL_HEAD_SHA}}";

/// "The initial manifest must contain exactly this evaluator-owned template and its UTF-8 SHA-256."
pub(crate) const AUTOMATION_PROMPT_TEMPLATE: &str = "Continue $github-codex-pr-loop from the exact checkpoint below. Re-fetch all external state and follow only the installed evaluator's emitted action.\n\
Loop key: {{AUTOMATION_KEY}}\n\
Bootstrap checkpoint JSON: {{BOOTSTRAP_CHECKPOINT_JSON}}";

const MARKER_NAME: &str = "github-codex-pr-loop-request";

/// The marker that a template of this run and round carries.
pub(crate) fn marker(run: &RunId, round: FixRounds) -> String {
    format!("<!-- {MARKER_NAME} run={run} round={round} sha={FINAL_HEAD_SHA} -->")
}

/// "Approve a template that mentions @codex, asks for review, contains exactly one {{FINAL_HEAD_SHA}}, and includes this
/// non-secret marker."
pub(crate) fn check_request_template(
    template: &Body,
    run: &RunId,
    round: FixRounds,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let text = template.as_str();
    require(
        text.matches(FINAL_HEAD_SHA).count() == 1,
        place,
        "a review-request template contains exactly one {{FINAL_HEAD_SHA}}",
    )?;
    let marker = marker(run, round);
    require(
        text.matches(&marker).count() == 1 && text.matches(MARKER_NAME).count() == 1,
        place,
        "a review-request template carries exactly one marker, of this run and of this round",
    )?;
    let visible = text.replace(&marker, "").to_lowercase();
    require(
        visible.matches("@codex").count() == 1,
        place,
        "a review-request template mentions @codex once",
    )?;
    require(
        visible.contains("review"),
        place,
        "a review-request template asks for review",
    )
}

/// "Substitute only that final SHA": the body that is posted.
pub(crate) fn render_request(template: &Body, sha: &Sha) -> String {
    template.as_str().replacen(FINAL_HEAD_SHA, sha.as_str(), 1)
}

/// Renders the automation prompt in one pass, so that no placeholder inside the checkpoint is ever filled in.
pub(crate) fn render_prompt(key: &LoopKey, checkpoint: &str) -> Prompt {
    let mut rendered =
        String::with_capacity(AUTOMATION_PROMPT_TEMPLATE.len() + checkpoint.len() + key.as_str().len());
    let mut rest = AUTOMATION_PROMPT_TEMPLATE;
    for (placeholder, value) in [
        ("{{AUTOMATION_KEY}}", key.as_str()),
        ("{{BOOTSTRAP_CHECKPOINT_JSON}}", checkpoint),
    ] {
        if let Some((before, after)) = rest.split_once(placeholder) {
            rendered.push_str(before);
            rendered.push_str(value);
            rest = after;
        }
    }
    rendered.push_str(rest);
    Prompt::rendered(rendered)
}
