//! Whether a clause is a pleasantry: small talk beside a statement, never a statement about the code.
//!
//! Pleasantries are an open set and problems are too, so neither can be listed. What is listed: words that no
//! harmless small talk needs ([`GRAVE`]), words of praise and celebration ([`PRAISE`]), and the everyday words that
//! hold them together ([`EVERYDAY`]). A pleasantry has none of the first, one of the second and mostly the third; or
//! it is an idiom, speaks of the next pull request, or is a single exclamation.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

/// The longest pleasantry, in words.
const MAX_WORDS: usize = 12;

/// Whether `clause` (plain lower-case words), ended by `mark`, is a pleasantry.
pub(super) fn is_pleasantry(clause: &str, mark: char) -> bool {
    let words: Vec<&str> = clause.split(' ').filter(|word| !word.is_empty()).collect();
    let Some(first) = words.first() else {
        return true;
    };
    // Idioms may hold a word that would be grave elsewhere ("can't wait").
    let after_idiom = IDIOMS.iter().find_map(|idiom| {
        let rest = clause.strip_prefix(idiom)?;
        (rest.is_empty() || rest.starts_with(' ')).then_some(rest)
    });
    if let Some(rest) = after_idiom {
        return words.len() <= MAX_WORDS && rest.split_whitespace().all(is_everyday);
    }
    let twisted = words
        .windows(2)
        .any(|pair| TWISTED.iter().any(|twist| pair == twist.as_slice()));
    if words.len() > MAX_WORDS || twisted || words.iter().any(|word| is_grave(word)) {
        return false;
    }
    if words.len() == 1 {
        return mark != '?'
            && (POLITE.contains(first) || PRAISE.contains(first) || is_exclamation(first, mark));
    }
    let everyday = words.iter().filter(|word| is_everyday(word)).count();
    let all_everyday = everyday == words.len();
    if all_everyday && ONWARD.is_match(clause) {
        return true;
    }
    // "What a ride!": nobody reports a problem that way without a grave word.
    if mark == '!' && words.len() <= 5 && clause.starts_with("what a ") {
        return true;
    }
    let praised = words.iter().any(|word| PRAISE.contains(word));
    if mark == '?' || !praised || REQUEST_STARTS.contains(first) {
        return false;
    }
    if STATEMENT_STARTS.contains(first) {
        return all_everyday;
    }
    words.len() == 2 || everyday.saturating_mul(3) >= words.len().saturating_mul(2)
}

/// Whether a word that is in no list may stand alone: one word in Latin letters, closed as a sentence. Another script
/// may say a whole sentence without a space. Stated flatly, participles, adverbs and plurals may not: "Interrupted.",
/// "Officially.", "Widgets." say something.
fn is_exclamation(word: &str, mark: char) -> bool {
    let plain = word
        .bytes()
        .all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'\''));
    let says_something = ["ed", "ly", "ing", "s"]
        .iter()
        .any(|suffix| word.ends_with(suffix));
    let closed = mark == '!' || (mark == '.' && !says_something);
    plain && closed && !is_everyday(word)
}

fn is_everyday(word: &str) -> bool {
    EVERYDAY.contains(word) || PRAISE.contains(word)
}

/// Whether a word, or the word it is a form of, is grave.
fn is_grave(word: &str) -> bool {
    if is_everyday(word) {
        return false;
    }
    if word.chars().any(|c| c.is_numeric()) || word.ends_with("n't") || word.ends_with("nt'") {
        return true;
    }
    let word = word.strip_suffix("'s").unwrap_or(word);
    if GRAVE.contains(word) {
        return true;
    }
    // Compounds such as "use-after-free" are as grave as what they are made of.
    if word.contains('-') {
        return word.split('-').any(is_grave);
    }
    let negated = ["un", "non", "mis"]
        .iter()
        .any(|prefix| word.strip_prefix(prefix).is_some_and(|stem| stem.len() > 4));
    let lessened = word.ends_with("less") || word.ends_with("free");
    negated || lessened || stems(word).any(|stem| GRAVE.contains(stem.as_str()))
}

/// What a word may be a form of.
fn stems(word: &str) -> impl Iterator<Item = String> + '_ {
    [
        "s", "es", "ed", "d", "ing", "er", "ers", "ly", "able", "ation", "tion", "ion", "ment", "al",
    ]
    .into_iter()
    .filter_map(move |suffix| word.strip_suffix(suffix))
    .filter(|stem| stem.len() > 2)
    .flat_map(|stem| {
        let bytes = stem.as_bytes();
        let doubled = bytes.last() == bytes.get(bytes.len().saturating_sub(2));
        let single = (doubled && bytes.len() > 4).then(|| {
            stem.get(..stem.len().saturating_sub(1))
                .unwrap_or(stem)
                .to_owned()
        });
        let y = stem.strip_suffix('i').map(|stem| format!("{stem}y"));
        [Some(stem.to_owned()), Some(format!("{stem}e")), single, y]
            .into_iter()
            .flatten()
    })
}

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

/// Beginnings that are small talk although they hold a negation or look like a request.
const IDIOMS: [&str; 51] = [
    "can't wait",
    "cannot wait",
    "can not wait",
    "couldn't be happier",
    "couldn't be prouder",
    "don't stop now",
    "don't ever change",
    "don't change a thing",
    "why stop there",
    "not bad",
    "never change",
    "no doubt about it",
    "nothing to see here",
    "you can't go wrong",
    "mic drop",
    "keep them coming",
    "keep it coming",
    "keep it up",
    "keep going",
    "keep up the",
    "keep rolling",
    "keep shipping",
    "let's go",
    "let's ship it",
    "take a bow",
    "go team",
    "go get them",
    "bring it on",
    "carry on",
    "game on",
    "high five",
    "easy peasy",
    "off we go",
    "here we go",
    "until next time",
    "till next time",
    "see you next time",
    "time to celebrate",
    "time to ship",
    "time to party",
    "keep on",
    "consider it done",
    "all set",
    "off to the races",
    "looking sharp",
    "it's a beautiful day",
    "what a beautiful day",
    "reviewing this was a",
    "can we do another",
    "got another",
    "kudos to",
];

/// Pairs of words that turn praise into a request or a reserve.
const TWISTED: [[&str; 2]; 14] = [
    ["for", "review"],
    ["for", "changes"],
    ["clean", "it"],
    ["clean", "this"],
    ["clean", "that"],
    ["clean", "up"],
    ["clean", "the"],
    ["clean", "these"],
    ["clean", "those"],
    ["clean", "your"],
    ["to", "have"],
    ["if", "only"],
    ["way", "off"],
    ["good", "one"],
];

/// Small talk about the next pull request; everything else in such a clause must be everyday.
static ONWARD: LazyLock<Regex> = LazyLock::new(|| {
    let work =
        "(?:one|pr|pull request|diff|change|patch|round|adventure|challenge|chapter|quest|time|review)";
    Regex::new(&format!(
        "^(?:\
         (?:(?:already |really |so |very )*(?:looking forward|eager|excited|ready|on|onto|onward|onwards|off|bring on|roll on|see you|what|what's|who's|where|to)(?: [a-z']+){{0,6}} )?next(?: {work})?\
         |another (?:[a-z']+ ){{0,2}}(?:soon|please|round|win|winner|beauty|gem)\
         |(?:(?:send|bring|give) (?:me |us )?)more(?: please| soon)*\
         |more (?:of|like) (?:this|these|those|your)(?: [a-z']+){{0,4}}|more(?: prs| pull requests| diffs)? please\
         )$"
    ))
    .expect("a literal pattern")
});

/// Words that may stand alone beside other small talk.
static POLITE: LazyLock<HashSet<&str>> =
    LazyLock::new(|| set("please pls team folks friend friends captain boss mate pal buddy soon"));

/// First words of a request.
static REQUEST_STARTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("please make change do take see look wait come give put get use let keep go read say tell show bring run merge ship
         land commit review move turn set dig dive delve roll help call")
});

/// First words of a clause that says something about something.
static STATEMENT_STARTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("the this that that's these those it it's its he she they they're their there there's here's each every all any both most
         such in on at for from with within of by as to into onto over under when where while which who whose because since
         after before once during per via through across behind inside outside is are was were be has have had do does did can
         everyone everybody everything anyone anybody anything someone somebody something people users i i've i'm we we've
         we're one my our you your you're you've you'll and also now then here another more what how")
});

/// Words of approval and celebration.
static PRAISE: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("words/praise.txt")));

/// The words that small talk is made of.
static EVERYDAY: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("words/everyday.txt")));

/// Words that no harmless small talk needs: contrast, hedge, reserve, obligation, negation, quantity, trouble, and
/// the things that software is made of.
static GRAVE: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("words/grave.txt")));

#[cfg(test)]
mod tests;
