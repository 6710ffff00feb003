//! An explanation as text: the answer first, then everything in time order.

use super::super::answer::{self, Answer};
use super::super::classification::{JudgementNeeded, tone};
use super::super::look::{Cell, Look, Tone, shorten, width};
use super::super::sanitise;
use super::{Drift, ExplainedItem, Explanation};
use crate::evidence::observed::rfc3339;

/// The text for people: on a terminal the answer, then the texts that nobody could read, then every piece of evidence
/// in time order; in a pipe one row per piece of evidence, then the rest.
pub fn text(document: &Explanation<'_>, look: &Look) -> String {
    if !look.terminal {
        return plain(document, look);
    }
    let answer = Answer {
        verb: "explain",
        tone: tone(document.state),
        word: document.state.as_str(),
        header: &document.header,
        title: None,
        reasons: &document.reasons,
        shows_evidence: false,
        next: &document.next,
        otherwise: None,
        judgements: &[],
    };
    let mut lines = answer.lines(look);
    for drift in &document.drift {
        lines.push(String::new());
        lines.extend(drift_lines(drift, document, look));
    }
    let mut day = String::new();
    for item in &document.items {
        let this = item.at.map_or_else(
            || "no time".to_owned(),
            |at| at.format("%Y-%m-%d UTC").to_string(),
        );
        if this != day {
            lines.push(String::new());
            lines.push(look.paint(Tone::Strong, &this));
            day = this;
        }
        lines.extend(item_lines(item, look));
    }
    if document.items.len() > SCREENFUL {
        let used = document.items.iter().filter(|item| item.used).count();
        lines.push(String::new());
        let (state, all) = (document.state, document.items.len());
        let sentence = format!(
            "{}, by {used} of {all} pieces of evidence; why is said at the top",
            state.as_str()
        );
        lines.extend(look.noted(tone(state), &sentence, 2));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// So many items push the answer off a terminal, and the end repeats it.
const SCREENFUL: usize = 12;

/// Where the text of an item begins: `  10:00:00  used  `.
const ITEM_COLUMN: usize = 18;

/// Time, whether it is used, what it is and where; below it why.
fn item_lines(item: &ExplainedItem<'_>, look: &Look) -> Vec<String> {
    let time = item
        .at
        .map_or_else(|| "-".to_owned(), |at| at.format("%H:%M:%S").to_string());
    let (tone, used) = if item.used {
        (Tone::Strong, "used")
    } else {
        (Tone::Quiet, "-")
    };
    let evidence = item.evidence.to_string();
    let author = item.author.map(|login| format!(" by {login}"));
    // A name that begins with its kind says it once.
    let known = evidence.split(':').next() == Some(item.kind);
    let kind = if known { "" } else { item.kind };
    let kind = sanitise::one_line(kind, 40);
    let room = look.columns().saturating_sub(ITEM_COLUMN);
    // Where both do not fit beside each other, the name stands below its kind, whole.
    let beside = width(&kind).saturating_add(if known { 0 } else { 1 });
    let below = beside.saturating_add(width(&evidence)) > room;
    let left = if below { room } else { room.saturating_sub(beside) };
    let name = shorten(&evidence, left);
    let left = left.saturating_sub(width(&name)).saturating_sub(1);
    let author = shorten(&sanitise::one_line(&author.unwrap_or_default(), 60), left);
    let space = if author.is_empty() { "" } else { " " };
    let gap = match (known, below) {
        (true, _) => String::new(),
        (false, true) => format!("\n{:ITEM_COLUMN$}", ""),
        (false, false) => " ".to_owned(),
    };
    let what = format!(
        "{}{gap}{}{}",
        look.paint(tone, &kind),
        look.link(item.url, &look.paint(tone, &name)),
        look.paint(Tone::Quiet, &format!("{space}{author}"))
    );
    let used = look.paint(tone, &format!("{used:<4}"));
    let mut lines = vec![format!(
        "  {}  {used}  {what}",
        look.paint(Tone::Quiet, &format!("{time:<8}"))
    )];
    let why = look.folded(&item.why, ITEM_COLUMN, 3);
    lines.extend(
        why.iter()
            .map(|line| look.paint(if item.used { Tone::Plain } else { Tone::Quiet }, line)),
    );
    lines
}

/// How a text begins that this version does not know, and how to say what it means.
fn drift_lines(drift: &Drift, document: &Explanation<'_>, look: &Look) -> Vec<String> {
    let needed = JudgementNeeded {
        evidence: drift.evidence.clone(),
        body_sha256: drift.body_sha256.clone(),
    };
    let about = format!("{} is not understood:", drift.evidence);
    let mut lines = look.noted(Tone::Doubtful, &about, 2);
    lines.extend(look.folded(&format!("\"{}\"", drift.text), 4, 6));
    lines.extend(look.folded("Read it, then run the one that is true:", 2, 2));
    let number = document.header.pull_request;
    let answers = answer::judging("classify", number, &needed);
    lines.extend(answers.iter().flat_map(|one| look.command(one, 4)));
    lines
}

fn plain(document: &Explanation<'_>, look: &Look) -> String {
    let mut text = String::new();
    // Row by row: there may be very many, and in a pipe no row depends on another.
    for item in &document.items {
        let at = item.at.map_or_else(|| "no time".to_owned(), rfc3339);
        text.push_str(&look.rows(&[vec![
            Cell::new(Tone::Plain, &at),
            Cell::new(Tone::Plain, if item.used { "used" } else { "not used" }),
            Cell::new(Tone::Plain, item.kind),
            Cell::new(Tone::Plain, &item.evidence.to_string()),
            Cell::new(Tone::Plain, &item.why),
        ]]));
    }
    for drift in &document.drift {
        text.push_str(&drift_lines(drift, document, look).join("\n"));
        text.push('\n');
    }
    text.push_str(document.state.as_str());
    text.push('\n');
    for reason in &document.reasons {
        let line = format!("{}: {}", reason.code.as_str(), reason.message);
        text.push_str(&format!("  {}\n", sanitise::one_line(&line, 300)));
    }
    let next = &document.next;
    text.push_str(&format!("next {}: {}\n", next.action.as_str(), next.message));
    text
}
