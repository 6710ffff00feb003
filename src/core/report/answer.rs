//! The first lines of an answer on a terminal: what holds, why, and what to do next, in this order.

use super::Header;
use super::classification::{JudgementNeeded, Next};
use super::command;
use super::look::{LABEL_INDENT, Look, Tone, shorten, shorten_start, width};
use super::sanitise::one_line;
use crate::reason::{NextAction, Reason, Warning};

/// What the first lines say.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The command that gives the answer.
    pub verb: &'a str,
    /// Symbol and colour of the word.
    pub tone: Tone,
    /// The answer in a word.
    pub word: &'a str,
    /// What it is about.
    pub header: &'a Header,
    /// The pull request's title, where the document holds it.
    pub title: Option<&'a str>,
    /// Why, the decisive reason first.
    pub reasons: &'a [Reason],
    /// Whether to name the evidence below each reason.
    pub shows_evidence: bool,
    /// What to do next.
    pub next: &'a Next,
    /// A command to show where the next action has none.
    pub otherwise: Option<&'a str>,
    /// Texts that only a person can read.
    pub judgements: &'a [JudgementNeeded],
}

/// How many lines of a terminal one sentence may fill.
const SENTENCE: usize = 3;

/// How many reasons, and how many texts to judge, are shown.
const MOST: usize = 3;

/// The least columns of a title beside the name of its pull request.
const TITLE_COLUMNS: usize = 16;

impl Answer<'_> {
    /// The lines for a terminal.
    pub fn lines(&self, look: &Look) -> Vec<String> {
        let mut lines = headline(look, self.tone, self.word, self.header, self.title);
        for (place, reason) in self.reasons.iter().take(MOST).enumerate() {
            let sentence = format!("{} ({})", reason.message, reason.code.as_str());
            lines.extend(look.labelled(if place == 0 { "why" } else { "" }, &sentence, SENTENCE));
            if self.shows_evidence && !reason.evidence.is_empty() {
                let names = names(&reason.evidence);
                let folded = look.folded(&names, LABEL_INDENT, SENTENCE);
                lines.extend(folded.iter().map(|line| look.paint(Tone::Quiet, line)));
            }
        }
        let number = self.header.pull_request;
        if self.reasons.len() > MOST {
            let more = self.reasons.len().saturating_sub(MOST);
            let command = look.placed(&format!("gh codex-loop explain {number}"));
            let sentence = format!("and {more} more: {command}");
            lines.extend(look.folded(&sentence, LABEL_INDENT, 2));
        }
        // The command that was just given helps nobody.
        let own = format!("gh codex-loop {} {number}", self.verb);
        let mut what = self.next.clone();
        what.command = what.command.filter(|command| *command != own);
        lines.extend(next(look, &what));
        if self.next.command.is_none()
            && let Some(command) = self.otherwise
        {
            lines.extend(look.command(command, LABEL_INDENT));
        }
        for needed in self.judgements.iter().take(MOST) {
            let about = format!(
                "{} is not understood; read it, then run the one that is true:",
                needed.evidence
            );
            lines.extend(look.labelled("judge", &about, SENTENCE));
            let answers = judging(self.verb, number, needed);
            lines.extend(answers.iter().flat_map(|one| look.command(one, LABEL_INDENT)));
        }
        lines
    }
}

/// The answer in a word, the pull request, and as much of its title as fits.
pub fn headline(look: &Look, tone: Tone, word: &str, header: &Header, title: Option<&str>) -> Vec<String> {
    let place = format!("{}#{}", header.repository, header.pull_request);
    let place = shorten_start(&place, look.columns().saturating_sub(2));
    let used = width(word).saturating_add(width(&place)).saturating_add(6);
    let room = look.columns().saturating_sub(used);
    let gap = if used.saturating_sub(2) > look.columns() {
        "\n  "
    } else {
        "  "
    };
    let first = format!(
        "{}{gap}{}",
        look.mark(tone, word),
        look.link(Some(&header.url), &look.paint(Tone::Quiet, &place))
    );
    let title = title
        .map(|title| one_line(title, 300))
        .filter(|title| !title.is_empty());
    let painted = |title: &str, room| look.paint(Tone::Strong, &shorten(title, room));
    match title {
        None => vec![first],
        Some(title) if width(&title) <= room || room >= TITLE_COLUMNS => {
            vec![format!("{first}  {}", painted(&title, room))]
        }
        Some(title) => vec![
            first,
            format!("  {}", painted(&title, look.columns().saturating_sub(2))),
        ],
    }
}

/// What to do next, and the command for it.
pub fn next(look: &Look, next: &Next) -> Vec<String> {
    if !look.terminal {
        let mut lines = vec![format!("next {}: {}", next.action.as_str(), next.message)];
        lines.extend(next.command.iter().flat_map(|command| look.command(command, 2)));
        return lines;
    }
    let sentence = match next.action {
        NextAction::None => next.message.clone(),
        NextAction::AddressFindings
        | NextAction::Poll
        | NextAction::Retry
        | NextAction::AskUser
        | NextAction::RequestReview
        | NextAction::VerifyThreads
        | NextAction::Reconcile
        | NextAction::Recollect
        | NextAction::Judge
        | NextAction::Stop => format!("{} ({})", next.message, next.action.as_str()),
    };
    let mut lines = look.labelled("next", &sentence, SENTENCE);
    if let Some(command) = &next.command {
        lines.extend(look.command(command, LABEL_INDENT));
    }
    lines
}

/// The first few names, and how many more there are.
pub fn names<Name: ToString>(all: &[Name]) -> String {
    const SHOWN: usize = 6;
    let names: Vec<String> = all.iter().take(SHOWN).map(Name::to_string).collect();
    let more = all.len().saturating_sub(SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", one_line(&names.join(", "), 300))
}

/// The commands that tell what a text means, one for each answer: which of them holds is for its reader to say.
pub fn judging(verb: &str, number: u64, needed: &JudgementNeeded) -> [String; 2] {
    ["no-findings", "findings"].map(|answer| {
        let judgement = format!("{}={answer}@{}", needed.evidence, needed.body_sha256);
        command::own([verb, &number.to_string(), "--judge", &judgement])
    })
}

/// One warning.
pub fn warning(look: &Look, warning: &Warning) -> Vec<String> {
    let (code, message) = (warning.code.as_str(), &warning.message);
    let sentence = if look.terminal {
        format!("{message} ({code})")
    } else {
        format!("warning {code}: {message}")
    };
    look.noted(Tone::Doubtful, &sentence, SENTENCE)
}
