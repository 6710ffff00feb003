//! Whether a text says, finally and without reserve, that the review found nothing to report.
//!
//! The meaning decides, no list of whole phrases. The visible text is cut into clauses and every clause must be one
//! of four things:
//!
//! 1. **a statement that nothing was found**: a negator over a finding noun (`no problems were found`, `didn't find
//!    any major issues`, `have no suggestions`, `nothing to flag`), as a whole clause, closed by nothing but the
//!    scope of the review itself (`in this pull request`, `from my side`);
//! 2. **support**: what was looked at, that it is done, that it looks good;
//! 3. **a label** before a colon (`Codex Review:`);
//! 4. **a tail**: a short pleasantry. Tails are an open set, so they are judged by what they must not hold: a
//!    contrast, a hedge, a negation, an obligation, a word for a problem or for a piece of software, a number, a
//!    path, code (see [`super::words`]).
//!
//! There must be at least one of the first kind and nothing else whatsoever. A badge, a link to lines, a quotation,
//! code, a table, an open task, struck-out text, a fold that announces findings: none of these texts is clean.
//! A clean text that is not understood costs a look; a finding that is overlooked costs the product its promise.

use std::sync::LazyLock;

use regex::Regex;

use super::clauses::{Clause, clauses};
use super::words;
use crate::bot::findings;
use crate::bot::sections::Sections;
use crate::bot::triggers::mentions_codex;

/// What a clean text says there is nothing of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NothingOf {
    /// Findings of any kind.
    Any,
    /// Security findings alone.
    Security,
}

/// At most so many pleasantries, and so many words in all of them, belong to a clean text.
const MAX_TAILS: usize = 6;
const MAX_TAIL_WORDS: usize = 30;

/// What there is nothing of, when the text says that and nothing against it.
pub(crate) fn says_nothing_found(sections: &Sections) -> Option<NothingOf> {
    if !is_plain(sections) {
        return None;
    }
    let mut statements: Vec<NothingOf> = Vec::new();
    let mut tails = 0_usize;
    let mut tail_words = 0_usize;
    let clauses = clauses(sections.prose())?;
    let mut clauses = clauses.iter().peekable();
    while let Some(clause) = clauses.next() {
        if (clause.ends_with(':') || clause.ends_with('-')) && is_label(&clause.text) {
            continue;
        }
        if clause.ends_with(':') {
            // "Issues found: none"
            if COUNTED.is_match(&clause.text)
                && clauses
                    .next_if(|next| !next.ends_with('?') && NONE.is_match(&next.text))
                    .is_some()
            {
                statements.push(of_what(&clause.text));
                continue;
            }
        }
        for part in parts(clause) {
            if let Some(of) = statement(&part) {
                if clause.ends_with('?') {
                    return None;
                }
                statements.push(of);
            } else if !is_support(&part) {
                tails = tails.saturating_add(1);
                tail_words = tail_words.saturating_add(part.split(' ').count());
                // What introduces a statement with a colon must be understood: it may be somebody else's words.
                if clause.ends_with(':') || !words::is_pleasantry(&part, clause.end) {
                    return None;
                }
            }
        }
    }
    if statements.is_empty() || tails > MAX_TAILS || tail_words > MAX_TAIL_WORDS {
        return None;
    }
    let security = statements.iter().all(|of| *of == NothingOf::Security);
    Some(if security {
        NothingOf::Security
    } else {
        NothingOf::Any
    })
}

/// Whether nothing but prose stands in the text: no mark of a finding, no code, no quotation but of a request.
fn is_plain(sections: &Sections) -> bool {
    let folds = sections.details();
    let marks = [sections.text(), sections.quoted(), sections.code()]
        .into_iter()
        .chain(folds.iter().map(|fold| fold.raw.as_str()))
        .any(findings::has_finding_marks);
    let quotes = sections
        .quoted()
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with('@') && mentions_codex(line));
    // A footer is folded away under a summary that announces nothing.
    let footers = folds.iter().all(|fold| {
        fold.summary()
            .is_some_and(|summary| !ANNOUNCEMENT.is_match(summary))
    });
    let unclosed = sections.unclosed() && folds.iter().all(|fold| fold.closed);
    !marks
        && !unclosed
        && quotes
        && footers
        && sections.code().trim().is_empty()
        && !findings::announces_in(sections)
}

/// The parts of a clause between commas and "and", after lists of nouns were drawn together.
fn parts(clause: &Clause) -> Vec<String> {
    let listed = LIST.replace_all(&clause.text, "$first");
    listed
        .split(" , ")
        .flat_map(|part| part.split(" and "))
        .map(|part| {
            let part = part.trim_matches([' ', ',']);
            part.strip_prefix("and ").unwrap_or(part).to_owned()
        })
        .filter(|part| !part.is_empty())
        .collect()
}

/// What a part of a clause says there is nothing of, when it says that as a whole.
fn statement(part: &str) -> Option<NothingOf> {
    let mut rest = part;
    for _ in 0..4 {
        if STATEMENT.is_match(rest) {
            return Some(of_what(rest));
        }
        rest = SCOPE.captures(rest).and_then(|scope| scope.get(1))?.as_str();
    }
    None
}

fn of_what(statement: &str) -> NothingOf {
    let security = statement
        .split(' ')
        .any(|word| word == "security" || word.starts_with("vulnerabilit"));
    if security {
        NothingOf::Security
    } else {
        NothingOf::Any
    }
}

fn is_support(part: &str) -> bool {
    let mut rest = part;
    for _ in 0..3 {
        if SUPPORT.is_match(rest) {
            return true;
        }
        match SCOPE.captures(rest).and_then(|scope| scope.get(1)) {
            Some(shorter) => rest = shorter.as_str(),
            None => return false,
        }
    }
    false
}

fn is_label(text: &str) -> bool {
    LABEL.is_match(text) || is_support(text)
}

/// Words that qualify a finding without narrowing what was looked for. Narrower ones (`new`, `blocking`,
/// `style`) are absent on purpose: "no new issues" leaves the old ones.
const QUALIFIER: &str = "(?:(?:major|significant|actionable|notable|noteworthy|substantive|reportable|codex|code|review|outstanding|remaining|security) )*";
const NOUN: &str = "(?:issues?|problems?|bugs?|findings?|suggestions?|concerns?|defects?|flaws?|vulnerabilit(?:y|ies)|red flags?)";
/// "No problem" and "no issue" are also said for "you are welcome".
const NOUNS: &str =
    "(?:issues|problems|bugs|findings|suggestions|concerns|defects|flaws|vulnerabilities|red flags)";
/// Nouns that also have another meaning in code: "there are no comments" may be a complaint.
const REMARK: &str = "(?:comments?|feedback|remarks?|recommendations?|objections?)";
const FOUND: &str = "(?:found|identified|detected|spotted|discovered|noticed|seen|noted|flagged|raised|reported|surfaced|uncovered|observed|encountered|introduced)";
const FIND: &str =
    "(?:find|see|spot|identify|detect|notice|discover|uncover|encounter|observe|have|come across|turn up)";
const REVIEWER: &str =
    "(?:i|we|codex|it|(?:the|this|my|our|your)? ?(?:security |code |codex )*(?:review|reviewer|bot))";
const OBJECT: &str = "(?:(?:this|the|these|your|all|all the|all of the|all of these|all your) )?(?:(?:current|entire|whole|full|complete|proposed|submitted) )*(?:pull requests?|prs?|changes?|changeset|change set|code changes?|diffs?|pr diff|code|patch|patches|commits?|revision|branch|head|head commit|changed files|changed code|submission|work|everything)(?: [0-9a-f]{7,40})?";
const TO_DO: &str = "to (?:report|flag|raise|mention|note|address|fix|change|share|highlight|call out|point out|discuss|surface|offer|make|complain about|comment on|worry about)";
const WORTH: &str = "worth (?:flagging|raising|reporting|mentioning|noting|calling out|pointing out|commenting on|fixing|addressing|changing|a comment|a mention)";
const IN_NEED: &str = "(?:that (?:needs?|requires?|warrants?)|needing|requiring|warranting) (?:attention|fixing|changes?|a change|action|addressing|to be (?:fixed|changed|addressed)|to change|a fix|comment)";
const BAD: &str = "(?:wrong|amiss|concerning|problematic|alarming|suspicious|worrying|actionable|noteworthy|major|significant|of concern|of note|out of place)";

/// A whole part of a clause that says there is nothing to report; its scope is cut off by [`SCOPE`].
static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
    let none = format!("(?:(?:no|zero|0) {QUALIFIER}{NOUNS}|not a single {QUALIFIER}{NOUN})");
    let one = format!("no {QUALIFIER}{NOUN}");
    let not = "(?:did not|didn't|didnt|do not|don't|does not|doesn't|could not|couldn't|cannot|can not|can't|was not able to|wasn't able to|were not able to|weren't able to|was unable to|were unable to)";
    let have = "(?:'ve|'s| have| has| had)?";
    let saw = "(?:found|find|finds|see|sees|saw|have|has|had|spotted|identified|detected|noticed|discovered|uncovered|raised|flagged|reported|reports|surfaced|turned up|came back with|came up with|observed)";
    let there = "(?:there (?:are|is|were|was)|there's)";
    let anything = format!("(?:{TO_DO}|{WORTH}|{IN_NEED}|{BAD})");
    let changes = "(?:changes?|code changes?|fixes|modifications?|revisions?|edits?)";
    pattern(&format!(
        "^(?:\
         {none}(?: (?:were|are|have been))?(?: {FOUND})?|{one} (?:was |is |has been )?{FOUND}\
         |(?:{REVIEWER} )?{not} (?:{FIND}) (?:any|a|a single|one) {QUALIFIER}{NOUN}\
         |(?:{REVIEWER} )?{not} (?:{FIND}) anything {anything}\
         |(?:i|we) (?:do not|don't) have any {QUALIFIER}{REMARK}\
         |(?:(?:i|we)(?:'ve)? (?:have )?|have |has )no {QUALIFIER}{REMARK}\
         |no {QUALIFIER}{REMARK} (?:from me|from my side|from our side|on my end|to (?:make|share|offer|report))\
         |(?:{REVIEWER}{have} )?{saw} (?:absolutely )?{none}\
         |(?:i|we)'ve {none}\
         |{there} {none}(?: {FOUND})?\
         |there (?:are not|aren't|were not|weren't|is not|isn't|was not|wasn't) (?:any|a|a single) {QUALIFIER}{NOUN}(?: {FOUND})?\
         |{OBJECT} (?:has|have|had|contains?|shows?|introduces?) {none}\
         |(?:{OBJECT}|it|this|everything) (?:is|are|looks?) (?:free of|free from|clear of) (?:any )?{QUALIFIER}{NOUN}\
         |(?:{OBJECT}|it|this|everything) (?:is|are|looks?) (?:issue|bug|problem)-free\
         |(?:{REVIEWER}|reviewed)(?: is| was| has)? ?(?:complete|completed|finished|done|ended|concluded)? (?:with no|without(?: any)?) {QUALIFIER}(?:findings?|suggestions?|concerns?)\
         |(?:{REVIEWER}{have} (?:found|have|had|see|saw|spotted|identified|detected|noticed) |found |have |saw |see |{there} |there is )?(?:absolutely )?nothing (?:{anything}|{BAD} (?:was )?{FOUND}|stood out|stands out|jumped out|needs? (?:attention|changing|fixing|addressing|to change|to be (?:changed|fixed|addressed)))\
         |(?:i|we) (?:can|could) (?:find|see|spot) nothing {anything}\
         |nothing (?:in|about|with) {OBJECT} (?:stood out|stands out|needs? (?:attention|changing|fixing|addressing))\
         |(?:(?:i|we) (?:see|have) |{there} )?no (?:reason|need) (?:for {changes}|to change anything|to request changes)\
         |no {changes} (?:are |is |were )?(?:needed|required|requested|necessary|suggested|recommended)\
         )$"
    ))
});

/// What may close a statement without narrowing it: the object of the review, the reviewer's side, the kind of
/// finding that matters.
static SCOPE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        "^(.*[^ ]) (?:\
         (?:in|with|on|for|within|across|throughout|about|against|after|while|from|at|by) (?:reviewing |(?:my|the|a|our|this) (?:full |complete |code |security )*review of )?{OBJECT}\
         |(?:in|on|at|for) [0-9a-f]{{7,40}}\
         |(?:on|from|at) (?:my|our) (?:end|side|part)\
         |from me|this time|here|at all|whatsoever|anywhere|overall\
         |(?:during|in|after|from) (?:this|my|the|our) (?:full |complete |code |security |codex )*(?:review|analysis|inspection)\
         |{TO_DO}|{WORTH}|{IN_NEED}\
         )$"
    ))
});

/// What may stand beside a statement and says nothing against it.
static SUPPORT: LazyLock<Regex> = LazyLock::new(|| {
    let files = "(?:(?:all|the|all the|all of the|every|each|each of the|[0-9]{1,5}) )*(?:changed )?(?:files?|lines?)";
    pattern(&format!(
        "^(?:\
         (?:{REVIEWER}(?:'ve|'s| have| has)? )?(?:just |carefully |thoroughly |fully )*(?:reviewed|checked|examined|inspected|analy[sz]ed|read|read through|audited|looked (?:at|over|through)|went (?:over|through)|gone (?:over|through)|walked through|finished reviewing|completed (?:a|the|my|our) review of|took a look at) (?:{OBJECT}|{files})(?: (?:carefully|thoroughly|closely|with care|in full|line by line|end to end))*\
         |after (?:reviewing {OBJECT}|(?:a|my|the|this) (?:full |complete |careful |thorough |code )*review)(?: of {OBJECT})?\
         |{REVIEWER}(?: is| has| was| has been| is now)? (?:complete|completed|finished|done)\
         |(?:(?:everything|all|it|this|that|things|all of it|all of this|{OBJECT}) )?(?:all )?(?:looks?|is|are|reads?|works?) (?:very |really |all |so )*(?:good|great|fine|clean|solid|correct|nice|excellent|perfect|right|sound|well|ready|tidy|neat|awesome|amazing|clear|ok|okay|in (?:good|great|excellent) shape)(?: to (?:me|us|go|merge|ship|land))?\
         |(?:(?:everything|all|it|this|that|things|{OBJECT}) )?check(?:s|ed)? out(?: fine| well| ok| okay)?\
         |(?:all|looking) (?:good|clear|clean|great)|lgtm|ship it|(?:i )?approved?|reviewed(?: carefully| with care| end to end| in full)*|(?:good|ready|safe|clear) to (?:go|merge|ship|land)\
         |no (?:notes|sweat|worries|complaints|nits|blockers|regressions|warnings|errors|questions|(?:further )?action)(?: needed| required| found| either)?\
         |couldn't be better|couldn't ask for (?:more|better)|can't complain|nothing but net\
         )$"
    ))
});

/// What may stand before a colon.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "^(?:(?:the |my |our |overall |final |codex |code |security |automated |pr |clean )*(?:review|reviewed|reviews|result|results|summary|conclusion|verdict|status|outcome|assessment|codex|tl dr|tldr)(?: result| results| summary| status| complete| completed)?|overall|(?:good|great) news|in short|all clear)$",
    )
});

/// A noun that a colon gives a number to.
static COUNTED: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("^(?:total )?{QUALIFIER}{NOUN}(?: {FOUND})?$")));
static NONE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("^(?:none|0|zero|nothing)(?: {FOUND})?$")));

/// A list of finding nouns: one "no" reaches over all of it only when "or" or "nor" closes the list.
static LIST: LazyLock<Regex> = LazyLock::new(|| {
    let item = format!("{QUALIFIER}(?:{NOUN}|{REMARK})");
    pattern(&format!(
        "(?P<first>(?:no|any|zero) {item})(?: , (?:no |any )?{item})*(?: ,)? (?:or|nor) (?:no |any )?{item}\\b"
    ))
});

/// What the summary of a fold says when the fold is more than a footer. Word boundaries are those of ASCII: they only
/// see more words than those of Unicode, and a summary begins with an emoji, which those are slow to pass.
static ANNOUNCEMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?-u:\b)(?:issue|problem|bug|finding|suggestion|concern|defect|comment|warning|error|nit|vulnerabilit|recommend|caveat|note|limitation|fail|skip|todo|improve|fix|P[0-9](?-u:\b))",
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern made of literals")
}
