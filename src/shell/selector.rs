//! Which pull request is meant: the forms gh knows, and the repository they belong to.

use std::str::FromStr;

use codex_loop::evidence::name::Repository;

/// The pull request argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// `42` or `#42`.
    Number(u64),
    /// A pull request's page; it carries its own host and repository.
    Url(Place),
    /// A branch, or `owner:branch`; gh finds its pull request.
    Branch(String),
}

/// One pull request on one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub host: String,
    pub repository: Repository,
    pub number: u64,
}

/// `-R [HOST/]OWNER/REPO`, or the repository's page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryArgument {
    /// None: gh's default host.
    pub host: Option<String>,
    pub repository: Repository,
}

impl FromStr for Selector {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            return match digits.parse() {
                Ok(0) | Err(_) => Err("a pull request number is a positive number".into()),
                Ok(number) => Ok(Self::Number(number)),
            };
        }
        if text.starts_with('#') {
            return Err("after # stands a pull request number".into());
        }
        if text.contains("://") {
            return Place::from_url(text).map(Self::Url);
        }
        if text.is_empty() || text.starts_with('-') || text.contains(|c: char| c.is_control() || c == ' ') {
            return Err("give a number, #number, URL, branch or owner:branch".into());
        }
        Ok(Self::Branch(text.to_owned()))
    }
}

impl Place {
    /// The page on GitHub.
    pub fn url(&self) -> String {
        format!("https://{}/{}/pull/{}", self.host, self.repository, self.number)
    }

    /// Reads `https://HOST/OWNER/REPO/pull/N`, with anything behind it.
    pub fn from_url(text: &str) -> Result<Self, String> {
        let wrong = || "a pull request URL is https://HOST/OWNER/REPO/pull/NUMBER".to_owned();
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        if scheme != "https" && scheme != "http" {
            return Err(wrong());
        }
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        let mut parts = path.split('/');
        let mut part = || parts.next().unwrap_or_default();
        let (host, owner, name, word, number) = (part(), part(), part(), part(), part());
        let number = number.parse().ok().filter(|number| *number > 0);
        match (valid_host(host), number) {
            (true, Some(number)) if word == "pull" => Ok(Self {
                host: host.to_ascii_lowercase(),
                repository: format!("{owner}/{name}").parse()?,
                number,
            }),
            _ => Err(wrong()),
        }
    }
}

impl FromStr for RepositoryArgument {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let plain = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .unwrap_or(text)
            .trim_end_matches('/');
        let plain = plain.strip_suffix(".git").unwrap_or(plain);
        let parts: Vec<&str> = plain.split('/').collect();
        match parts.as_slice() {
            [owner, name] if plain == text => Ok(Self {
                host: None,
                repository: format!("{owner}/{name}").parse()?,
            }),
            [host, owner, name] if valid_host(host) => Ok(Self {
                host: Some(host.to_ascii_lowercase()),
                repository: format!("{owner}/{name}").parse()?,
            }),
            _ => Err("a repository is [HOST/]OWNER/REPO".into()),
        }
    }
}

/// Whether gh can be given this host; nothing that a command line or a URL could mistake for something else.
pub fn valid_host(host: &str) -> bool {
    !host.is_empty()
        && host.len() <= 255
        && !host.starts_with(['-', '.'])
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(host: &str, number: u64) -> Selector {
        Selector::Url(Place {
            host: host.into(),
            repository: "o/r".parse().expect("a repository"),
            number,
        })
    }

    #[test]
    fn every_form_of_the_argument_is_read() {
        for (text, selector) in [
            ("42", Selector::Number(42)),
            ("#42", Selector::Number(42)),
            ("https://github.com/o/r/pull/42", place("github.com", 42)),
            (
                "https://GHE.example.com/o/r/pull/7/files#diff-1",
                place("ghe.example.com", 7),
            ),
            (
                "http://github.com/o/r/pull/7?x=1#issuecomment-3",
                place("github.com", 7),
            ),
            ("topic", Selector::Branch("topic".into())),
            ("ada:topic/x", Selector::Branch("ada:topic/x".into())),
        ] {
            assert_eq!(text.parse(), Ok(selector), "{text}");
        }
    }

    #[test]
    fn what_is_no_pull_request_is_refused() {
        for text in [
            "0",
            "#",
            "#x",
            "",
            "-x",
            "two words",
            "99999999999999999999999",
            "https://github.com/o/r/issues/1",
            "https://github.com/o/r",
            "ssh://github.com/o/r/pull/1",
            "https:///o/r/pull/1",
            "https://github.com/o/../pull/1",
        ] {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }

    #[test]
    fn repositories_have_an_optional_host() {
        let read = |text: &str| text.parse::<RepositoryArgument>();
        assert_eq!(
            read("o/r").map(|r| (r.host, r.repository.to_string())),
            Ok((None, "o/r".into()))
        );
        for text in [
            "ghe.example.com/o/r",
            "https://ghe.example.com/o/r",
            "https://ghe.example.com/o/r.git/",
        ] {
            assert_eq!(
                read(text).map(|r| r.host),
                Ok(Some("ghe.example.com".into())),
                "{text}"
            );
        }
        for text in ["r", "", "a/b/c/d", "-x/o/r", "https://o/r", "o/r r"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
