//! What was probably meant by a name that nobody knows.

use crate::error::{Error, named};

/// Two names are taken for the same from this likeness on, as clap does for its own words.
const ALIKE: f64 = 0.7;

/// The known name that is most like the given one; none when none is.
pub fn closest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = named(given).to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::jaro(&given, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// The beginning of a hint: the name that was probably meant, or nothing.
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(given, known).map_or_else(String::new, |name| format!("Did you mean `{name}`? "))
}

/// The error for an unknown name: `what` is what it should name, `all` how they are called together.
pub fn unknown(what: &str, given: &str, all: &str, known: &[&str]) -> Error {
    Error::usage(
        format!("There is no {what} `{}`.", named(given)),
        format!(
            "{}{all} are: {}.",
            did_you_mean(given, known.iter().copied()),
            known.join(", ")
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEMOS: [&str; 3] = ["findings", "clean", "in-progress"];

    #[test]
    fn a_typing_error_finds_its_name_and_another_word_finds_none() {
        for (given, meant) in [
            ("fnidings", Some("findings")),
            ("Clean", Some("clean")),
            ("inprogress", Some("in-progress")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(closest(given, DEMOS), meant, "{given}");
        }
    }

    #[test]
    fn the_error_names_what_was_given_in_bounds_and_what_there_is() {
        let error = unknown("built-in bundle", "claen", "The built-in bundles", &DEMOS);
        assert_eq!(error.message, "There is no built-in bundle `claen`.");
        assert_eq!(
            error.hint,
            "Did you mean `clean`? The built-in bundles are: findings, clean, in-progress."
        );
        let long = unknown("page", &"x".repeat(5_000), "The pages", &DEMOS);
        assert!(long.message.chars().count() < 120, "{}", long.message);
    }
}
