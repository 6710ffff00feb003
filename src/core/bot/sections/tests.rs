use super::*;

fn text(body: &str) -> String {
    Sections::of(body)
        .text()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn only_the_authors_own_visible_words_are_text() {
    for (body, expected) in [
        ("plain", "plain"),
        ("a\r\nb\rc", "a b c"),
        ("a <!-- hidden --> b", "a b"),
        ("<!-- one\n\ntwo -->\nafter", "after"),
        ("<!-- never closed\nall hidden", ""),
        ("a <!-- not a comment\n\nb -->", "a <!-- not a comment b -->"),
        ("a    <!-- not a comment\n\nb -->", "a <!-- not a comment b -->"),
        ("a\n   <!-- hidden\n\nb -->c", "a c"),
        ("<!-->seen", "seen"),
        ("> quoted\n\nown", "own"),
        ("> quoted\nlazily quoted\n\nown", "own"),
        ("> quoted\n# heading", "# heading"),
        ("- > quoted in a list\n\nown", "own"),
        ("```\nfenced\n```\nown", "own"),
        ("~~~~ text\nfenced\n~~~\nstill\n~~~~\nown", "own"),
        ("```\nnever closed", ""),
        ("    indented code\n\nown", "own"),
        ("own\n    still the paragraph", "own still the paragraph"),
        (
            "- item\n\n    its second paragraph",
            "- item its second paragraph",
        ),
        ("a <details><summary>s</summary>x</details> b", "a b"),
        ("a <DETAILS open>x<details>y</details>z</details> b", "a b"),
        ("a <details>never closed", "a"),
        ("a </details> b", "a b"),
        ("a <detailsx> b", "a <detailsx> b"),
        ("<details>\n```\n</details>\n```\nin</details>out", "out"),
        ("`<!-- code -->` b", "`<!-- code -->` b"),
        ("`<details>` b", "`<details>` b"),
        ("`` a ` b `` c", "`` a ` b `` c"),
        ("a\n    <!-- not a comment\n\nb -->", "a <!-- not a comment b -->"),
        ("a <!-- never closed\n\nb", "a <!-- never closed b"),
        // Indented code, and what only looks like it below a list.
        ("own\n\n    code", "own"),
        ("own\n\n   \tcode", "own"),
        ("\tcode\n\nown", "own"),
        ("    - code\n\nown", "own"),
        ("own\n\n   not code", "own not code"),
        ("- item\n\n    second\n\n    third", "- item second third"),
        ("- item\nlazy\n\n    second", "- item lazy second"),
        ("- item\n\nown\n\n    code", "- item own"),
        // Fences: three marks or more, no tick after ticks, closed in the margin.
        ("``\nb\n``", "`` b ``"),
        ("```a``` b", "```a``` b"),
        ("~~~ `x`\ncode\n~~~\nown", "own"),
        ("```\n    ```\nstill\n   ```\nown", "own"),
        ("    ```\n\nown", "own"),
        // A list item begins with a bullet or one to nine digits.
        ("1. > quoted\n\nown", "own"),
        ("2) > quoted\n\nown", "own"),
        ("123456789. > quoted\n\nown", "own"),
        ("1234567890. > own", "1234567890. > own"),
        (". > own", ". > own"),
        ("1 > own", "1 > own"),
    ] {
        assert_eq!(text(body), expected, "{body:?}");
    }
}

#[test]
fn inline_code_is_listed_and_marked() {
    let sections = Sections::of("a `b` and ``c ` d`` and `open\n\n`e`");
    assert_eq!(sections.spans(), ["b", "c ` d", "e"]);
    let prose = sections.prose();
    assert!(!prose.contains('b') && !prose.contains('c'), "{prose}");
    assert!(prose.contains("`open"), "{prose}");
    assert_eq!(prose.matches(CODE_MARK).count(), 3);
    assert_eq!(Sections::of("\\`not code`").spans(), Vec::<String>::new());
    assert_eq!(Sections::of("`two\nlines`").spans(), ["two\nlines"]);
}

#[test]
fn hidden_comments_in_code_quotes_and_details_are_not_comments_of_the_author() {
    let body = "<!-- a -->\n`<!-- b -->`\n\n> <!-- c -->\n\n<details><!-- d --></details>\n\n```\n<!-- e -->\n```\nx <!-- f -->";
    assert_eq!(Sections::of(body).hidden(), [" a ", " f "]);
}

#[test]
fn details_know_their_summary_and_whether_anything_follows() {
    let body = "x\n<details> <summary>First</summary>a</details>\ny\n<details><summary>ℹ️ About</summary>b</details>\n<!-- h -->\n";
    let sections = Sections::of(body);
    let found: Vec<_> = sections
        .details()
        .iter()
        .map(|d| (d.summary(), d.closed, d.trailing))
        .collect();
    assert_eq!(
        found,
        [(Some("First"), true, false), (Some("ℹ️ About"), true, true)]
    );
    let open = Sections::of("x <details>y");
    assert!(open.unclosed());
    assert!(
        open.details()
            .iter()
            .all(|d| !d.closed && d.trailing && d.summary().is_none())
    );
}

#[test]
fn quotes_and_code_are_kept_apart() {
    let sections = Sections::of("> > twice\nlazy\n\n```rust\nfn a() {}\n```\n");
    assert_eq!(sections.quoted(), "twice\nlazy\n");
    assert_eq!(sections.lazily_quoted(), "lazy\n");
    assert_eq!(sections.code(), "fn a() {}\n");
}
