//! Pseudonyms for the words, paths and links of a text. Marks, line breaks and emoji stay, so that its shape does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::evidence::name::Repository;

/// Which words may stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// Only how the connector is addressed.
    Addresses,
    /// The words of the connector's known texts.
    Connector,
}

/// One pass finds, in this order: markers, hidden comments, badges, links, times, tags, requests to the connector,
/// commit ids, words.
static PIECES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        (?P<marker><!--\x20(?:codex-loop:\x20[a-z0-9=:\x20-]+|dsh-review-head:\x20[0-9a-f]{40}
            |github-codex-pr-loop-request\x20[a-z0-9=\x20]+|codex-pull-request-review-summary
            |codex-security-review-finding:v1)\x20-->)
        |(?P<lane><!--\s*codex-security-review:v1[^>]*-->)
        |(?P<badge>!\[P[0-9]\x20Badge\]\(https://img\.shields\.io/badge/P[0-9]-[a-z]+(?:\?style=[a-z]+)?\))
        |(?P<url>https?://[^\s<>()\[\]`]+)
        |(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,20}(?:Z|[+-][0-9:]{4,5})?)
        |(?P<tag></?(?:details|summary|sub|sup|relative-time|b|i|br|p|strong|em)\b)
        |(?P<attribute>\bdatetime=)
        |(?P<handle>@codex\b)
        |(?P<commit>\b[0-9a-f]{7,40}\b)
        |(?P<word>[\p{L}\p{N}]+(?:['’][\p{L}]+)*)",
    )
    .expect("a literal pattern")
});

/// The words of the connector's known texts, in lower case and with straight apostrophes.
static CONNECTOR_WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    "a about able account add admins again agents all already also an and any approved are as at automated \
     automatically badge be been bug bugs but by can can't check chef's clean code codex comment commenting commit \
     commits complete completed concern concerns connect could couldn't create credits critical dashboard deactivated \
     delve did didn't do does doesn't don't draft else environment error errors exist failed far find finding findings \
     fine fix fixed flag flagged for found from general git github good great had has have haven't here however i if in \
     increase into is issue issues it its kiss later like limit limits link look looks made major manual marked me \
     minor more my new next nice nit nits no none not nothing now occurred of on one only open opened or other our out \
     p0 p1 p2 p3 please posted pr previous problem problems provided pull reached react ready ref reference repo \
     report repository request requests resolved review reviewed reviewing reviews running see security select \
     settings shall should since so some something still style suggestion suggestions summary swish tada task testing \
     thanks that the there these this to triggered try unable unknown up update us usage use useful view was we well \
     went were what when will with workspace wrong yet you your status trigger ℹ"
        .split_whitespace()
        .collect()
});

/// Pseudonyms of one bundle.
pub(super) struct Words {
    known: BTreeMap<String, usize>,
    paths: BTreeMap<String, usize>,
    links: BTreeMap<String, usize>,
    /// `HOST/OWNER/REPO/` before and after.
    place: (String, String),
    repository: (String, String),
}

impl Words {
    pub(super) fn new(host: &str, repository: &Repository, new_host: &str, new_repository: &str) -> Self {
        let old = repository.to_string().to_ascii_lowercase();
        Self {
            known: BTreeMap::new(),
            paths: BTreeMap::new(),
            links: BTreeMap::new(),
            place: (format!("{host}/{old}/"), format!("{new_host}/{new_repository}/")),
            repository: (old, new_repository.to_owned()),
        }
    }

    /// A text of the same shape.
    pub(super) fn text(&mut self, source: &str, vocabulary: Vocabulary) -> String {
        let mut text = String::with_capacity(source.len());
        let mut at = 0;
        let mut addressed = false;
        for captures in PIECES.captures_iter(source) {
            let Some(piece) = captures.get(0) else { continue };
            let between = source.get(at..piece.start()).unwrap_or_default();
            addressed &= between.chars().all(|c| c == ' ' || c == '\t');
            text.push_str(between);
            at = piece.end();
            text.push_str(&self.piece(&captures, vocabulary, addressed));
            // "review" and "security review" belong to the address before them.
            let word = piece.as_str().to_ascii_lowercase();
            addressed = captures.name("handle").is_some() || addressed && word == "security";
        }
        text.push_str(source.get(at..).unwrap_or_default());
        text
    }

    fn piece(&mut self, captures: &Captures<'_>, vocabulary: Vocabulary, addressed: bool) -> String {
        let piece = captures.get(0).map_or("", |whole| whole.as_str());
        let is = |name: &str| captures.name(name).is_some();
        if is("lane") {
            return piece.to_ascii_lowercase().find(&self.repository.0).map_or_else(
                || piece.to_owned(),
                |start| {
                    let end = start.saturating_add(self.repository.0.len());
                    let (before, after) = (
                        piece.get(..start).unwrap_or_default(),
                        piece.get(end..).unwrap_or_default(),
                    );
                    format!("{before}{}{after}", self.repository.1)
                },
            );
        }
        if is("url") {
            // Marks that end a sentence belong to the sentence.
            let link = piece.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '"', '\'']);
            let tail = piece.get(link.len()..).unwrap_or_default();
            return format!("{}{tail}", self.url(link));
        }
        if is("word") {
            let plain = piece.to_lowercase().replace('’', "'");
            let kept = match vocabulary {
                Vocabulary::Addresses => addressed && (plain == "review" || plain == "security"),
                Vocabulary::Connector => CONNECTOR_WORDS.contains(plain.as_str()),
            };
            let number = piece.len() <= 2 && piece.bytes().all(|b| b.is_ascii_digit());
            return if kept || number {
                piece.to_owned()
            } else {
                self.word(&plain)
            };
        }
        piece.to_owned()
    }

    fn word(&mut self, plain: &str) -> String {
        let next = self.known.len();
        pseudonym(*self.known.entry(plain.to_owned()).or_insert(next))
    }

    pub(super) fn path(&mut self, path: &str) -> String {
        let next = self.paths.len();
        let number = *self.paths.entry(path.to_owned()).or_insert(next);
        format!("path-{}", number.saturating_add(1))
    }

    /// A link of the same kind: into the repository, to lines of a file, to the connector's pages, or elsewhere.
    pub(super) fn url(&mut self, url: &str) -> String {
        let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
        let inside = rest
            .get(..self.place.0.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(&self.place.0));
        if inside {
            let tail = rest.get(self.place.0.len()..).unwrap_or_default();
            return format!("{scheme}://{}{}", self.place.1.clone(), self.tail(tail));
        }
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let next = self.links.len();
        let number = self.links.entry(url.to_owned()).or_insert(next).saturating_add(1);
        // Links to a file of another repository are findings too; the commit in them binds.
        if let Some((_, blob)) = rest.split_once("/blob/") {
            return format!(
                "{scheme}://github.example.com/account/{number}/{}",
                self.tail(&format!("blob/{blob}"))
            );
        }
        match host {
            "chatgpt.com" if rest.starts_with("chatgpt.com/s/") => format!("{scheme}://{host}/s/cd_{number}"),
            "chatgpt.com" | "openai.com" | "developers.openai.com" | "docs.github.com" => {
                format!("{scheme}://{host}/{number}")
            }
            _ => format!("{scheme}://example.com/{number}"),
        }
    }

    /// What follows `OWNER/REPO/`: the forms that carry ids or commits are kept, a file's path is replaced.
    fn tail(&mut self, tail: &str) -> String {
        static BLOB: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"^blob/([0-9a-fA-F]{40})/([^?#]+)(?:\?[^#]*)?(#L[0-9CL-]+)?")
                .expect("a literal pattern")
        });
        static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"^(?:pull|issues|commit|actions/runs|runs)/[0-9a-fA-F]+(?:/[a-z]+(?:/[0-9]+)?)?(?:#[a-z_-]+-?r?[0-9]+)?$")
                .expect("a literal pattern")
        });
        if let Some(blob) = BLOB.captures(tail) {
            let group = |place: usize| blob.get(place).map_or("", |group| group.as_str());
            let path = self.path(group(2));
            return format!("blob/{}/{path}{}", group(1), group(3));
        }
        if PLAIN.is_match(tail) || tail.is_empty() {
            return tail.to_owned();
        }
        let next = self.links.len();
        let number = self
            .links
            .entry(tail.to_owned())
            .or_insert(next)
            .saturating_add(1);
        format!("tree/{number}")
    }
}

/// Syllables that no language, commit id or known text is made of.
fn pseudonym(number: usize) -> String {
    const FIRST: [char; 8] = ['b', 'd', 'k', 'm', 'r', 's', 't', 'v'];
    const SECOND: [char; 4] = ['a', 'i', 'o', 'u'];
    let mut word = String::from("x");
    let mut rest = number;
    loop {
        let syllable = rest % 32;
        word.extend(FIRST.get(syllable / 4));
        word.extend(SECOND.get(syllable % 4));
        rest /= 32;
        if rest == 0 {
            return word;
        }
        // Keeps numbers with more syllables apart from shorter ones.
        rest -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        Words::new(
            "github.com",
            &"octo/secret".parse().expect("a repository"),
            "github.com",
            "account-1/repository-1",
        )
    }

    #[test]
    fn pseudonyms_are_all_different() {
        let all: BTreeSet<String> = (0..40_000).map(pseudonym).collect();
        assert_eq!(all.len(), 40_000);
    }

    #[test]
    fn only_addresses_stay_in_a_persons_text() {
        let text = words().text(
            "@codex review please look at Parser.rs, @ada! review @codex security review",
            Vocabulary::Addresses,
        );
        assert!(
            text.starts_with("@codex review x") && text.ends_with("@codex security review"),
            "{text}"
        );
        assert!(
            !text.contains("Parser") && !text.contains("ada") && !text.contains("please"),
            "{text}"
        );
        assert_eq!(text.matches("review").count(), 2, "{text}");
    }

    #[test]
    fn the_connectors_words_commits_and_links_to_lines_stay() {
        let text = words().text(
            "Codex Review: Didn’t find any major issues. Hooray Zanzibar!\n**Reviewed commit:** `58d4bceaec`\n\
             https://github.com/octo/secret/blob/0123456789abcdef0123456789abcdef01234567/src/key.rs#L3-L9",
            Vocabulary::Connector,
        );
        assert!(
            text.contains("Codex Review: Didn’t find any major issues."),
            "{text}"
        );
        assert!(text.contains("**Reviewed commit:** `58d4bceaec`"), "{text}");
        assert!(
            text.contains(
                "account-1/repository-1/blob/0123456789abcdef0123456789abcdef01234567/path-1#L3-L9"
            ),
            "{text}"
        );
        assert!(
            !text.contains("Zanzibar") && !text.contains("secret") && !text.contains("key.rs"),
            "{text}"
        );
    }
}
