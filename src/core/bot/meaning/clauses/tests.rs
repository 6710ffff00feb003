use super::*;

/// The clauses with the marks that ended them, one after the other; none when it is more than prose.
fn cuts(prose: &str) -> Option<String> {
    let clauses = clauses(prose)?;
    let shown = clauses.iter().map(|clause| {
        let end = if clause.end == '\n' { '/' } else { clause.end };
        format!("{}{end}", clause.text)
    });
    Some(shown.collect::<Vec<_>>().join(" "))
}

#[test]
fn prose_is_cut_at_its_marks_into_plain_words() {
    for (prose, expected) in [
        ("Didn’t find any. Swish!", "didn't find any. swish!"),
        ("All good", "all good/"),
        ("What next?! Fine!? Good", "what next? fine? good/"),
        ("Fine, good; done: ok", "fine , good; done: ok/"),
        ("Fine (really) good", "fine( really) good/"),
        ("Fine — good … ok · yes", "fine- good- ok- yes/"),
        ("well-known -- good - ok- fine", "well-known- good- ok- fine/"),
        ("a--b", "a- b/"),
        ("the prs' code", "the prs code/"),
        ("_fine_ work", "fine work/"),
        ("This & that", "this and that/"),
        ("@codex did", "codex did/"),
        ("Fine 🛡️🎉 work", "fine work/"),
        ("Keep 'em coming", "keep them coming/"),
        ("Fine :tada: work", "fine work/"),
        ("10/10! Fine, 100%.", "fine."),
        ("<b>Fine</b><br/>work", "fine work/"),
        ("[All good](https://chatgpt.com/codex) here", "all good here/"),
        // Headings, list items and lines in bold name what stands below them.
        ("# Review\ndone", "review: done/"),
        ("- one\n2. two", "one: two:"),
        ("**Review**\n\ndone", "review: done/"),
        ("**Fine** so far", "fine so far/"),
        ("so **fine**", "so fine/"),
        // A line that goes on in lower case belongs to the one above, but not across a gap.
        ("All is\ngood", "all is good/"),
        ("All is\nGood", "all is/ good/"),
        ("All is\n\ngood", "all is/ good/"),
        ("# All is\ngood", "all is: good/"),
        ("**All is.**\ngood", "all is. good/"),
    ] {
        assert_eq!(cuts(prose).as_deref(), Some(expected), "{prose}");
    }
}

#[test]
fn what_is_more_than_prose_is_none() {
    for prose in [
        "src.rs",
        "a:b",
        "a;b",
        "a,b",
        "a!b",
        "a_b",
        "a&b",
        "a@b",
        "a @ b",
        "'quoted'",
        "it ' is",
        "x -done",
        "a/b",
        "“fine”",
        "\"fine\"",
        "«fine»",
        "fi\u{200b}ne",
        "fine ⚠️",
        "fine 🐛",
        "fine :warning:",
        "fine :-1: work",
        "~~fine~~",
        "![fine](https://chatgpt.com/codex)",
        "[fine](https://example.com/codex)",
        "[x](https://chatgpt.com/codex) fine",
        "[X](https://chatgpt.com/codex) fine",
        "[ ](https://chatgpt.com/codex) fine",
        "see \u{FFFC}",
        "[fine]",
        "fine *",
    ] {
        // Emphasis may stand anywhere and is no word.
        let expected = (prose == "fine *").then(|| "fine/".to_owned());
        assert_eq!(cuts(prose), expected, "{prose}");
    }
}

#[test]
fn prose_has_a_longest_length() {
    let words = |bytes: usize| "fine ".repeat(bytes / 5 + 1)[..bytes].to_owned();
    assert!(cuts(&format!("  {}  ", words(4000).replace(' ', "e"))).is_some());
    assert!(cuts(&format!("  {}  ", words(4001).replace(' ', "e"))).is_none());
    assert!(cuts(&words(6000)).is_none());
}
