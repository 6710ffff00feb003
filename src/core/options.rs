//! What the caller chose for an evaluation, apart from the evidence.

use std::str::FromStr;

use serde::Serialize;

/// Choices that every deciding command takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Accept only the type `Bot` on reactions, where GitHub usually says `User`.
    pub strict_identity: bool,
    /// What the caller says of texts that the grammar cannot decide.
    pub judgements: Vec<Judgement>,
}

/// A caller's reading of one unclear text: valid for exactly that body and never stronger than other evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The evidence name of the text, such as `issue-comment:123` or `review:456`.
    pub key: String,
    /// What the caller read in it.
    pub verdict: JudgedAs,
    /// SHA-256 of the body that was read, in lower-case hexadecimal.
    pub body_sha256: String,
}

/// The two answers a judgement can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedAs {
    /// The text says that nothing was found.
    NoFindings,
    /// The text reports at least one finding.
    Findings,
}

impl FromStr for Judgement {
    type Err = String;

    /// Reads `KEY=no-findings@SHA256` or `KEY=findings@SHA256`.
    fn from_str(text: &str) -> Result<Self, String> {
        let form = "a judgement is `KEY=no-findings@SHA256` or `KEY=findings@SHA256`, as `judgementNeeded` gives them";
        let (key, rest) = text.split_once('=').ok_or(form)?;
        let (word, digest) = rest.split_once('@').ok_or(form)?;
        let verdict = match word {
            "no-findings" => JudgedAs::NoFindings,
            "findings" => JudgedAs::Findings,
            _ => return Err(form.to_owned()),
        };
        let valid_key = key
            .split_once(':')
            .is_some_and(|(kind, id)| matches!(kind, "issue-comment" | "review") && !id.is_empty());
        if !valid_key {
            return Err(format!(
                "{form}; the key names an `issue-comment:ID` or a `review:ID`"
            ));
        }
        let body_sha256 = digest.to_ascii_lowercase();
        if body_sha256.len() != 64 || !body_sha256.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(format!("{form}; the digest has 64 hexadecimal digits"));
        }
        Ok(Self {
            key: key.to_owned(),
            verdict,
            body_sha256,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judgement_names_a_text_an_answer_and_a_digest() {
        let digest = "0123456789abcdef".repeat(4);
        let judgement: Judgement = format!("issue-comment:7=no-findings@{digest}")
            .parse()
            .expect("valid");
        assert_eq!(judgement.key, "issue-comment:7");
        assert_eq!(judgement.verdict, JudgedAs::NoFindings);
        for wrong in [
            "issue-comment:7".to_owned(),
            format!("issue-comment:7=clean@{digest}"),
            "issue-comment:7=findings@abc".to_owned(),
            format!("thread:7=findings@{digest}"),
            format!("issue-comment:=findings@{digest}"),
        ] {
            assert!(wrong.parse::<Judgement>().is_err(), "{wrong}");
        }
    }
}
