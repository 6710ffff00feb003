use super::*;

#[test]
fn small_talk_is_a_pleasantry() {
    for (clause, mark) in [
        ("swish", '!'),
        ("chef's kiss", '.'),
        ("what shall we delve into next", '?'),
        ("you're on a roll", '.'),
        ("keep them coming", '!'),
        ("bravo", '.'),
        ("hooray", '!'),
        ("delightful", '!'),
        ("another round soon", '!'),
        ("more of your lovely prs please", '.'),
        ("can't wait for the next one", '!'),
        ("nice work", '!'),
        ("already looking forward to the next diff", '.'),
        ("keep it up", '!'),
        ("xyzzy", '.'),
        ("onwards captain", '!'),
        ("that's a wrap", '.'),
        ("this is a lovely piece of work", '.'),
        ("the crowd goes wild", '!'),
        ("high five", '!'),
        ("see you at the next pr", '!'),
        ("thanks for the great work", '.'),
        ("a joy to read", '.'),
        ("top notch", '.'),
        ("on to the next one", '!'),
    ] {
        assert!(is_pleasantry(clause, mark), "{clause}{mark}");
    }
}

#[test]
fn a_statement_about_the_code_is_none() {
    for (clause, mark) in [
        ("the retry loop never ends", '.'),
        ("the retry loop never ends", '!'),
        ("retries run forever", '.'),
        ("memory leak", '!'),
        ("stale cache", '.'),
        ("sessions outlive logout", '.'),
        ("tokens get logged", '.'),
        ("users see old prices", '.'),
        ("this doubles every charge", '.'),
        ("it returns early", '.'),
        ("anyone can read it", '.'),
        ("is the lock held here", '?'),
        ("who holds it", '?'),
        ("one more thing", '.'),
        ("mostly", '.'),
        ("unfinished", '!'),
        ("use-after-free", '!'),
        ("two more", '.'),
        ("i think", '.'),
        ("good enough for now but watch it", '.'),
        ("this is great except for the parser", '.'),
        ("aber die schleife endet nie", '.'),
        ("not everything was read", '.'),
        ("please fix it", '!'),
        ("deadlocks", '!'),
        ("overflowing", '.'),
    ] {
        assert!(!is_pleasantry(clause, mark), "{clause}{mark}");
    }
}

#[test]
fn no_word_is_both_harmless_and_grave() {
    let harmless = EVERYDAY.iter().chain(PRAISE.iter());
    let both: Vec<_> = harmless.filter(|word| GRAVE.contains(*word)).collect();
    assert_eq!(both, Vec::<&&str>::new());
}

#[test]
fn a_pleasantry_is_short_and_mostly_praise_or_everyday() {
    let lovely = |count: usize| vec!["lovely"; count].join(" ");
    for (clause, mark, expected) in [
        (lovely(12), '.', true),
        (lovely(13), '.', false),
        (format!("keep it up {}", lovely(9)), '!', true),
        (format!("keep it up {}", lovely(10)), '!', false),
        // An exclamation may be about anything that is not grave, in few words.
        ("what a plugh".to_owned(), '!', true),
        ("what a plugh wiggly xyzzy".to_owned(), '!', true),
        ("what a plugh wiggly foggy xyzzy".to_owned(), '!', false),
        ("what a plugh".to_owned(), '.', false),
        ("plugh wiggly xyzzy".to_owned(), '!', false),
        ("lovely plugh".to_owned(), '.', true),
        ("lovely plugh xyzzy".to_owned(), '.', false),
        ("lovely lovely xyzzy".to_owned(), '.', true),
        ("plugh xyzzy".to_owned(), '.', false),
    ] {
        assert_eq!(is_pleasantry(&clause, mark), expected, "{clause}{mark}");
    }
}

#[test]
fn a_word_is_grave_by_what_it_is_made_of() {
    for (word, grave) in [
        ("plugh", false),
        ("plugh7", true),
        ("plughn't", true),
        ("plughnt'", true),
        ("bug", true),
        ("bug's", true),
        ("plugh-xyzzy", false),
        ("plugh-bug", true),
        // A prefix negates what is long enough to be a word.
        ("unplugha", true),
        ("nonplugha", true),
        ("misplugha", true),
        ("unplug", false),
        ("unplugh", true),
        ("plughless", true),
        ("plughfree", true),
        ("crashed", true),
        ("fixable", true),
        ("lovely", false),
    ] {
        assert_eq!(is_grave(word), grave, "{word}");
    }
}

#[test]
fn a_stem_has_three_letters_and_undoes_what_a_suffix_did() {
    for (word, expected) in [
        ("stopping", vec!["stopp", "stoppe", "stop"]),
        ("passing", vec!["pass", "passe"]),
        ("printing", vec!["print", "printe"]),
        ("tried", vec!["tri", "trie", "try", "trie", "triee"]),
        ("abcs", vec!["abc", "abce"]),
        ("abs", vec![]),
        ("plugh", vec![]),
    ] {
        assert_eq!(stems(word).collect::<Vec<_>>(), expected, "{word}");
    }
}
