//! Terminal failure signatures: exact normalised bodies, and nothing that merely resembles them.
//!
//! Version 1 is the review-run protocol's body to the letter. Version 2 is the form the connector is seen to
//! write: curly quotes, the error in a code fence, a folded footer. Neither infers anything from prose.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The one terminal body that is listed.
const UNKNOWN_ERROR: &str = "Codex Review: Something went wrong. Try again later by commenting \"@codex review\".\n\
                             An unknown error occurred";

/// A listed way to say that a run failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signature {
    /// The body as the review-run protocol lists it.
    V1,
    /// The same words in the form the connector writes them.
    V2,
}

impl Signature {
    /// Every listed signature.
    pub const ALL: [Self; 2] = [Self::V1, Self::V2];

    /// The value of `terminalSignatureId`.
    pub fn id(self) -> &'static str {
        match self {
            Self::V1 => "codex-review-unknown-error-retry-v1",
            Self::V2 => "codex-review-unknown-error-retry-v2",
        }
    }

    /// Whether a run that failed this way may be retried once, when a user authorizes it.
    pub fn retryable(self) -> bool {
        match self {
            Self::V1 | Self::V2 => true,
        }
    }
}

/// A body that is a listed signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureMatch {
    /// Which one.
    pub signature: Signature,
    /// SHA-256 of the body after that signature's own normalisation, in lower-case hexadecimal.
    pub normalized_body_sha256: String,
    /// [`Signature::retryable`].
    pub retryable: bool,
}

/// Recognises a listed terminal body.
pub fn recognise(body: &str) -> Option<SignatureMatch> {
    // Every listed body, in every form, holds these words; almost no other comment does.
    if !body.contains("Something went wrong.") {
        return None;
    }
    let matched = |signature: Signature, normalized: &str| {
        (normalized == UNKNOWN_ERROR).then(|| SignatureMatch {
            signature,
            normalized_body_sha256: sha256_hex(normalized.as_bytes()),
            retryable: signature.retryable(),
        })
    };
    matched(Signature::V1, &normalized_v1(body)).or_else(|| matched(Signature::V2, &normalized_v2(body)))
}

/// CRLF to LF, then white space trimmed from the end of the whole body, and nothing else.
fn normalized_v1(body: &str) -> String {
    let mut text = body.replace("\r\n", "\n");
    text.truncate(text.trim_end().len());
    text
}

/// Version 1, then: the folded footer at the end dropped, curly quotes straight, fence lines and blank lines removed.
/// The prefix `Codex Review: ` and the error line stay required.
fn normalized_v2(body: &str) -> String {
    let text = normalized_v1(body)
        .replace(['“', '”'], "\"")
        .replace(['‘', '’'], "'");
    let lines = without_footer(&text)
        .lines()
        .filter(|line| !line.trim().is_empty() && !is_fence(line));
    let joined = lines.collect::<Vec<_>>().join("\n");
    joined.trim_end().to_owned()
}

/// `text` without the `<details>` block that ends it, when that block begins a line.
fn without_footer(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    if !lower.trim_end().ends_with("</details>") {
        return text;
    }
    let mut depth = 0_usize;
    for (at, _) in lower.rmatch_indices("details") {
        let before = lower.get(..at).unwrap_or("");
        if before.ends_with("</") {
            depth = depth.saturating_add(1);
        } else if let Some(start) = before.strip_suffix('<') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                let begins_line = start.is_empty() || start.trim_end_matches([' ', '\t']).ends_with('\n');
                return if begins_line {
                    text.get(..start.len()).unwrap_or(text).trim_end()
                } else {
                    text
                };
            }
        }
    }
    text
}

/// A line that only opens or closes a code fence.
fn is_fence(line: &str) -> bool {
    let line = line.trim();
    let mark = match line.bytes().next() {
        Some(mark @ (b'`' | b'~')) => mark,
        Some(_) | None => return false,
    };
    let info = line.trim_start_matches(char::from(mark));
    line.len().saturating_sub(info.len()) >= 3 && info.chars().all(|c| c.is_ascii_alphanumeric())
}

/// SHA-256 of `bytes` in lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURLY: &str = "Codex Review: Something went wrong. Try again later by commenting “@codex review”.";
    const FOOTER: &str =
        "<details> <summary>ℹ️ About Codex in GitHub</summary>\n<br/>\n\nAny words.\n\n</details>";

    fn of(body: &str) -> Option<Signature> {
        recognise(body).map(|found| found.signature)
    }

    #[test]
    fn the_listed_body_is_version_1_and_its_digest_is_of_the_normalised_body() {
        // Computed with coreutils' sha256sum.
        let digest = "88da0cbc874c107f48b29f77d3c3c5fb079ad904064e46a7da5dd1172313e7c9";
        for body in [
            UNKNOWN_ERROR.to_owned(),
            UNKNOWN_ERROR.replace('\n', "\r\n"),
            format!("{UNKNOWN_ERROR}\n"),
            format!("{UNKNOWN_ERROR}\r\n\r\n \t\n"),
        ] {
            let found = recognise(&body).expect("listed");
            assert_eq!(found.signature, Signature::V1, "{body:?}");
            assert_eq!(found.normalized_body_sha256, digest, "{body:?}");
            assert!(found.retryable);
        }
        assert_eq!(Signature::V1.id(), "codex-review-unknown-error-retry-v1");
        assert_eq!(Signature::V2.id(), "codex-review-unknown-error-retry-v2");
    }

    #[test]
    fn the_form_the_connector_writes_is_version_2() {
        for body in [
            format!("{CURLY}\nAn unknown error occurred"),
            format!("{CURLY}\n```\nAn unknown error occurred\n```"),
            format!("{CURLY}\n\n```\nAn unknown error occurred\n```\n\n{FOOTER}\n"),
            format!("{CURLY}\r\n\r\n~~~text\r\nAn unknown error occurred\r\n~~~\r\n\r\n{FOOTER}"),
            UNKNOWN_ERROR.replace('\n', "\n\n"),
            format!("{UNKNOWN_ERROR}\n\n{FOOTER}"),
        ] {
            let found = recognise(&body).expect("listed");
            assert_eq!(found.signature, Signature::V2, "{body:?}");
            assert_eq!(found.normalized_body_sha256, sha256_hex(UNKNOWN_ERROR.as_bytes()));
            assert!(found.retryable);
        }
    }

    #[test]
    fn nothing_that_merely_resembles_a_listed_body_matches() {
        for body in [
            String::new(),
            UNKNOWN_ERROR.replace("wrong", "wrung"),
            format!(" {UNKNOWN_ERROR}"),
            UNKNOWN_ERROR.to_lowercase(),
            UNKNOWN_ERROR.replace("An unknown error occurred", "an unknown error occurred"),
            UNKNOWN_ERROR.replace(".\n", ". \n"),
            format!("{UNKNOWN_ERROR}\nAnd more."),
            format!("> {UNKNOWN_ERROR}"),
            format!("<!-- h -->\n{UNKNOWN_ERROR}"),
            UNKNOWN_ERROR.replace("Codex Review: ", ""),
            CURLY.to_owned(),
            format!("{CURLY}\n```\nUnknown error\n```"),
            format!("{CURLY}\n```\nProvided git ref 58d4bceaec does not exist\n```"),
            format!("{CURLY} {FOOTER} An unknown error occurred"),
            format!("{FOOTER}\n{CURLY}\nAn unknown error occurred"),
            format!("{CURLY}\n`An unknown error occurred`"),
            format!("{UNKNOWN_ERROR}\n``x"),
            format!("{UNKNOWN_ERROR}\n``` and more"),
            UNKNOWN_ERROR.replace('\n', "\r"),
        ] {
            assert_eq!(of(&body), None, "{body:?}");
        }
    }
}
