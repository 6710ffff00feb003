//! `--jq`: a jq expression over a JSON document, run in this process.

use codex_loop::report::sanitise;
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
use jaq_json::write::Pp;
use jaq_json::{Val, read};

use crate::error::{Error, ErrorKind, named};

/// A jq expression that compiles.
#[derive(Clone, Debug)]
pub struct Filter(String);

type Program = jaq_core::compile::Filter<jaq_core::Native<data::JustLut<Val>>>;

impl Filter {
    /// Checks the expression before anything is collected.
    pub fn new(expression: &str) -> Result<Self, Error> {
        compile(expression)?;
        Ok(Self(expression.to_owned()))
    }

    /// Runs over one JSON text. Strings print raw, everything else as JSON, each result on a line of its own;
    /// for a terminal JSON is indented, and strings lose what a terminal would obey.
    pub fn run(&self, json: &[u8], terminal: bool) -> Result<Vec<u8>, Error> {
        let program = compile(&self.0)?;
        let input = read::parse_single(json).map_err(|error| {
            Error::new(
                ErrorKind::Internal,
                format!("The document cannot be filtered: {error}."),
                "This is a fault of this program; please report it.",
            )
        })?;
        let context = Ctx::<data::JustLut<Val>>::new(&program.lut, Vars::new([]));
        let printer = Pp {
            indent: terminal.then(|| "  ".to_owned()),
            sep_space: terminal,
            ..Pp::default()
        };
        let mut shown = Vec::new();
        for result in program.id.run((context, input)).map(unwrap_valr) {
            let value = result.map_err(|error| {
                Error::usage(
                    format!("The --jq expression fails on this document: {error}."),
                    "Look at the whole document with --json.",
                )
            })?;
            match &value {
                // Raw on a terminal, a text of GitHub's could write escape sequences.
                Val::TStr(text) if terminal => {
                    let text = String::from_utf8_lossy(text);
                    shown.extend_from_slice(sanitise::text(&text).as_bytes());
                }
                Val::TStr(text) => shown.extend_from_slice(text),
                other => {
                    // Writing to memory does not fail.
                    let _ = jaq_json::write::write(&mut shown, &printer, 0, other);
                }
            }
            shown.push(b'\n');
        }
        Ok(shown)
    }
}

/// Functions of jq that do more than filter.
const BARRED: [&str; 5] = ["halt", "halt_error", "env", "input_filename", "stderr"];

fn compile(expression: &str) -> Result<Program, Error> {
    let wrong = |what: String| {
        Error::usage(
            format!("The --jq expression is no jq filter: {what}."),
            "Example: --jq .state",
        )
    };
    // A filter only filters: one that ends the process would speak in the verdict's place, and one that reads the
    // environment could print a token.
    let standard = jaq_std::defs().filter(|definition| !BARRED.contains(&definition.name));
    let definitions = jaq_core::defs().chain(standard).chain(jaq_json::defs());
    let standard = jaq_std::funs().filter(|(name, _, _)| !BARRED.contains(name));
    let functions = jaq_core::funs().chain(standard).chain(jaq_json::funs());
    let arena = Arena::default();
    let modules = Loader::new(definitions)
        .load(
            &arena,
            File {
                code: expression,
                path: (),
            },
        )
        .map_err(|errors| wrong(load_error(expression, &errors)))?;
    Compiler::default()
        .with_funs(functions)
        .compile(modules)
        .map_err(|errors| {
            let unknown = errors.iter().flat_map(|(_, each)| each).next();
            wrong(unknown.map_or_else(
                || "something in it is not defined".to_owned(),
                |(name, kind)| format!("it uses the unknown {} `{}`", kind.as_str(), named(name)),
            ))
        })
}

fn load_error(expression: &str, errors: &jaq_core::load::Errors<&str, ()>) -> String {
    use jaq_core::load::Error as Load;
    let at = |rest: &str| {
        let found: String = rest.chars().take(20).collect();
        if found.is_empty() {
            "it ends too early".to_owned()
        } else {
            format!(
                "unexpected `{found}` at character {}",
                expression.chars().count().saturating_sub(rest.chars().count()) + 1
            )
        }
    };
    for (_, error) in errors {
        match error {
            Load::Lex(each) => {
                if let Some((_, rest)) = each.first() {
                    return at(rest);
                }
            }
            Load::Parse(each) => {
                if let Some((_, found)) = each.first() {
                    return if found.is_empty() {
                        "it ends too early".to_owned()
                    } else {
                        format!("unexpected `{}`", found.chars().take(20).collect::<String>())
                    };
                }
            }
            Load::Io(_) => return "it cannot read modules".to_owned(),
        }
    }
    "it cannot be read".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(expression: &str) -> String {
        let json =
            br#"{"state":"clean","reasons":[{"code":"clean-reaction"}],"n":null,"id":12345678901234567890}"#;
        let shown = Filter::new(expression)
            .and_then(|filter| filter.run(json, false))
            .expect("runs");
        String::from_utf8(shown).expect("text")
    }

    #[test]
    fn strings_print_raw_and_values_as_json() {
        assert_eq!(run(".state"), "clean\n");
        assert_eq!(
            run(".reasons[].code, .n, .id"),
            "clean-reaction\nnull\n12345678901234567890\n"
        );
        assert_eq!(run("{state}"), "{\"state\":\"clean\"}\n");
        assert_eq!(run("empty"), "");
    }

    #[test]
    fn a_terminal_gets_no_string_that_it_would_obey() {
        let json = "{\"title\":\"a\\u001b[31mred\\u001b]0;x\\u0007\\u202eb\\nc\"}";
        let filter = Filter::new(".title").expect("compiles");
        let shown = |terminal| {
            let bytes = filter.run(json.as_bytes(), terminal).expect("runs");
            String::from_utf8(bytes).expect("text")
        };
        assert_eq!(shown(true), "aredb\nc\n");
        assert_eq!(shown(false), "a\u{1b}[31mred\u{1b}]0;x\u{7}\u{202e}b\nc\n");
    }

    #[test]
    fn wrong_expressions_are_usage_errors() {
        for expression in [".a |", "nosuch(.)", "{", "$x", "\"\\q\"", ". as"] {
            let error = Filter::new(expression).expect_err(expression);
            assert_eq!(error.kind, ErrorKind::Usage, "{expression}");
            assert!(error.message.contains("jq"), "{}", error.message);
        }
        let error = Filter::new(".state.x")
            .expect("compiles")
            .run(b"{\"state\":\"clean\"}", false)
            .expect_err("fails");
        assert_eq!(error.kind, ErrorKind::Usage);
    }
}
