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
