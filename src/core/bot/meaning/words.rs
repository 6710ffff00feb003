//! Whether a clause is a pleasantry: small talk beside a statement, never a statement about the code.
//!
//! Pleasantries are an open set and problems are too, so neither can be listed. What is listed: words that no
//! harmless small talk needs ([`GRAVE`]), and the everyday words that small talk is made of ([`EVERYDAY`]). A
//! clause must hold none of the first and consist mostly of the second; one that begins like a statement about
//! something must praise it.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The longest pleasantry, in words.
const MAX_WORDS: usize = 12;

/// Whether `clause` (plain lower-case words), ended by `mark`, is a pleasantry.
pub(super) fn is_pleasantry(clause: &str, mark: char) -> bool {
    let idiom = IDIOMS.iter().find_map(|idiom| clause.strip_prefix(idiom));
    let clause = idiom.map_or(clause, str::trim_start);
    let words: Vec<&str> = clause
        .split(' ')
        .filter(|word| !word.is_empty() && *word != ",")
        .collect();
    let Some(first) = words.first() else {
        return true;
    };
    if words.len() > MAX_WORDS || words.iter().any(|word| is_grave(word)) {
        return false;
    }
    let everyday = words.iter().filter(|word| is_everyday(word)).count();
    let praised = words.iter().any(|word| PRAISE.contains(word));
    if mark == '?' && !words.iter().any(|word| ONWARD.contains(word)) {
        return false;
    }
    if idiom.is_none() && STATEMENT_STARTS.contains(first) {
        let onward = words.iter().any(|word| ONWARD.contains(word));
        return praised && everyday.saturating_mul(3) >= words.len().saturating_mul(2)
            || onward && everyday == words.len();
    }
    match words.len() {
        1 => true,
        2 if mark == '!' => true,
        length => everyday.saturating_mul(2) >= length,
    }
}

fn is_everyday(word: &str) -> bool {
    EVERYDAY.contains(word) || PRAISE.contains(word) || ONWARD.contains(word)
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
        let doubled = bytes.len() > 3 && bytes.last() == bytes.get(bytes.len().saturating_sub(2));
        let single = doubled.then(|| {
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

/// Beginnings that are small talk although they hold a negation or a modal verb.
const IDIOMS: [&str; 14] = [
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
    "no doubt",
    "nothing to see here",
    "you can't go wrong",
];

/// Words that point to the next pull request; a question that holds none asks about this one.
static ONWARD: LazyLock<HashSet<&str>> = LazyLock::new(|| set("next more another again encore"));

/// First words of a clause that says something about something.
static STATEMENT_STARTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("the this that that's these those it it's its he she they they're their there there's here's each every all any both most
         such in on at for from with within of by as to into onto over under when where while which who whose because since
         after before once during per via through across behind inside outside is are was were be has have had do does did can
         everyone everybody everything anyone anybody anything someone somebody something people users i i've i'm we we've
         we're one my our")
});

/// Words of approval.
static PRAISE: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "good great fine clean solid nice excellent perfect lovely beautiful beautifully fantastic
         wonderful awesome amazing superb brilliant stellar splendid delightful delight pleasure joy neat
         tidy crisp elegant elegantly smooth smoothly sweet cool magnificent marvelous marvellous terrific
         outstanding impressive impressively fabulous gorgeous stunning love loved loving like liked enjoy
         enjoyed thanks thank grateful appreciated appreciate congrats congratulations bravo kudos cheers
         hooray hurray yay woohoo wow win winner winning best better happy proud ready shipshape
         masterpiece gem treat wrap roll fire thoughtful careful well-done well kiss applause crowd wild
         champ champion legend hero star stars rockstar moon colors colours fun glad impressed rock rocks
         shines shine sparkle sparkles tasty delicious chef chef's art poetry music magic breeze breezy
         unstoppable unbelievable incredible inspiring glorious classy legendary epic flawless flawlessly
         immaculate spotless pristine polished textbook",
    )
});

/// The words that small talk is made of.
static EVERYDAY: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "a an the this that these those my your you're you've you'll our we i i'm i'd i'll it it's is are
         was be been am me us you he she they them and or of to in on at for from with by as so up out off
         into onto over here there now what what's how how's who's let let's lets shall get got give go
         going gone come comes coming came keep keeping kept make making made take taking took see seeing
         seen look looking looked forward wait waiting onward onwards round one ones soon please pls very
         really quite too also always ever already all everyone team folks friend friends captain boss pal
         buddy mate dear day week today tonight time times way work works stuff craft
         crafted craftsmanship pr prs pull request requests diff diffs change changes patch patches code
         commit commits review reviews reviewed read merge merged merging ship shipped
         shipping sail sailing land landed delve dive dig explore adventure journey quest story chapter
         page world life coffee cake cookie cookies tea pizza party dance high five fives hats hat bow
         take-a-bow top notch topnotch second seconds place simply just pure absolute absolutely such truly
         much many lot lots big huge done said bring rolling flow flowing stay stays golden tune rest easy
         peasy lemon squeezy piece back home run ahead along around do did has have had feel feels felt say
         saying hear hearing heard hello hi hey bye goodbye later then when where than meet again's up's
         yours ours mine hands down thumbs pat shoulder tip cap slam dunk beauty sight behold sing sings
         singing song songs smile smiles smiling effort job can",
    )
});

/// Words that no harmless small talk needs: contrast, hedge, reserve, obligation, negation, quantity, trouble, and
/// the that software is made of.
static GRAVE: LazyLock<HashSet<&str>> =
    LazyLock::new(|| {
        set("reviewing reading thing things working analyzing analysing processing start begin continue resume
         but however except excepting excluding save although though albeit aside apart other others
         otherwise besides beyond else despite notwithstanding while whereas nevertheless nonetheless
         instead unless until till barring bar only yet still far currently presently temporarily meanwhile
         moment pending progress ongoing underway unfinished may might maybe perhaps possibly probably
         likely presumably apparently seemingly seem appear suspect guess think believe suppose assume hope
         doubt unsure uncertain unclear confident confidence sure if whether would could should ought must
         will gonna need needs require recommend suggest advise consider ensure verify check double-check
         confirm validate mostly largely mainly partly partially partial half almost nearly approximately
         roughly hardly barely scarcely seldom rarely somewhat slightly minor small trivial nit nits
         nitpick tiny few several some couple numerous various certain two three four six seven eight nine
         ten eleven twelve dozen hundred thousand not no non none never nothing nobody nowhere neither nor
         without cannot lack missing absent omit absence minus quick quickly brief briefly skim glance
         cursory superficial initial initially preliminary tentative tentatively limited unfortunately
         sadly regrettably sorry apologies alas caveat caution careless beware warning warn watch note
         notice attention concern concerned worry worried worrying risk risky danger dangerous hazard
         alarming issue problem bug finding suggestion defect flaw fault mistake error fail failure failing
         broken break breaks broke crash panic abort hang freeze stall block blocker blocked deadlock
         livelock race leak corrupt lose loses lost loss drop wrong incorrect invalid inaccurate
         inconsistent bad worse worst poor awful terrible horrible ugly messy weird odd strange fix fixed
         repair revert rollback undo rework rewrite refactor rename remove delete add reject refuse deny
         disallow stop avoid prevent forbid regress vulnerability vulnerable exploit attack attacker inject
         malicious unsafe insecure security secure bypass escalate privilege admin root sudo permission
         auth authenticate authorize authorization login logout log password credential secret token key
         session csrf xss sql ssrf rce injection sanitize escape infinite endless forever unbounded
         unlimited overflow underflow exceed exhaust recursive recursion loop retry retries timeout timed
         slow slowly latency delay late expire expired stale outdated obsolete deprecated legacy memory cpu
         disk cache heap stack buffer pointer null nil undefined nan void dangling free thread threads
         mutex lock concurrent concurrency parallel async await atomic function method class struct enum
         trait interface type types generic variable constant field property parameter argument value
         values array list map dict hash string strings char byte bytes bit integer float number numbers
         boolean index indexes indices offset length size count counter sum total zero negative duplicate
         duplicates double doubled twice file files path paths folder directory module package library
         dependency dependencies import export version build builds compile compiler lint linter test tests
         testing tested untested coverage ci pipeline workflow deploy deployment release database db table
         tables row rows column columns query queries transaction migration schema record records server
         client host port socket network http https url urls api endpoint endpoints response responses
         header headers payload message messages event events queue queues worker callback handler handlers
         listener hook hooks promise future exception exceptions catch throw throws raise raises return
         returns returned call calls called input inputs output outputs user users customer customers data
         datum state states status config configuration setting settings option options flag flags default
         defaults env environment parse parser parsing serialize deserialize encode decode encoding format
         render rendering ui css html js json xml yaml regex pattern condition conditional branch branches
         case cases switch statement expression operator syntax logic algorithm assertion assert guard
         guards charge charges billing payment payments invoice price money refund email emails skip
         skipped skips ignore ignored ignores swallow swallowed silently silent unnoticed unexpected
         unexpectedly unreachable unhandled uncaught uninitialized dead redundant unnecessary unused
         useless confusing confused complicated complex violate violates violation mismatch conflict
         conflicts collide collision contradict differ differs different unable incapable impossible
         incomplete insufficient inadequate forget forgets forgot forgotten overlook overlooked miss misses
         missed trigger triggers triggered overwrite overwrites overwritten clobber truncate truncates
         unordered todo fixme hack workaround followup addressed resolve resolved unresolved open remaining
         remain remains left leftover cleanup leave leaves blockers disable disabled enable regardless
         unlike versus vs contrary opposite slower faster performance scale scaling scalability throughput
         increase decrease grow grows growing shrink supposed intended expect expected expects difficult
         hard trouble troubling troublesome painful pain nightmare disaster catastrophe mess smell smells
         smelly flaky intermittent nondeterministic unreviewed unread unopened truncated excerpt sample
         sampled portion subset discard discards disagree disconnect inefficient inaccessible inadvertent
         indefinite indefinitely inoperative incompatible improper imprecise")
    });

#[cfg(test)]
mod tests;
