//! Links that a terminal opens (OSC 8): the text stays what it is, the page lies behind it.

/// Longer addresses are not linked: terminals refuse them.
const LONGEST: usize = 2_000;

/// A text with a page behind it; without a usable page the text alone.
pub fn linked(url: &str, text: &str) -> String {
    match target(url) {
        Some(target) => format!("\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"),
        None => text.to_owned(),
    }
}

/// An address from GitHub, made safe inside an escape sequence: only the web, every other byte than visible ASCII
/// percent-encoded, so that nothing in it can end the sequence.
fn target(url: &str) -> Option<String> {
    let web = url.starts_with("https://") || url.starts_with("http://");
    if !web || url.len() > LONGEST {
        return None;
    }
    let mut target = String::with_capacity(url.len());
    for byte in url.bytes() {
        if byte.is_ascii_graphic() {
            target.push(char::from(byte));
        } else {
            target.push_str(&format!("%{byte:02X}"));
        }
    }
    (target.len() <= LONGEST).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_lies_behind_the_text() {
        assert_eq!(
            linked("https://github.com/o/r/pull/42", "o/r#42"),
            "\u{1b}]8;;https://github.com/o/r/pull/42\u{1b}\\o/r#42\u{1b}]8;;\u{1b}\\"
        );
    }

    #[test]
    fn nothing_in_an_address_ends_the_sequence() {
        for (url, safe) in [
            ("https://x/\u{1b}]0;owned\u{7}", "https://x/%1B]0;owned%07"),
            ("https://x/\u{9c}a b\n", "https://x/%C2%9Ca%20b%0A"),
            ("https://x/漢", "https://x/%E6%BC%A2"),
        ] {
            assert_eq!(target(url).as_deref(), Some(safe));
        }
    }

    #[test]
    fn only_pages_of_the_web_are_linked() {
        let long = format!("https://x/{}", "a".repeat(LONGEST));
        for url in [
            "",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "//x",
            "HTTPS//x",
            long.as_str(),
        ] {
            assert_eq!(linked(url, "text"), "text", "{url}");
        }
    }
}
