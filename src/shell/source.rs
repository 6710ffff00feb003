//! Where the evidence comes from: GitHub, a saved bundle, or a built-in one.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use codex_loop::evidence::{Evidence, Local};
use codex_loop::options::Options;
use codex_loop::wanted::wanted;

use crate::cli::Global;
use crate::error::{Error, ErrorKind, named_file};
use crate::gh::Gh;
use crate::gh::collect::{Known, Need, collect};
use crate::gh::failure::Failure;
use crate::selector::{Place, Selector};
use crate::suggestion;
use crate::target;
use crate::{handled_file, journal};

/// The built-in bundles, the first one being the default.
const DEMOS: &[(&str, &str)] = &[
    ("findings", include_str!("demo/findings.json")),
    ("clean", include_str!("demo/clean.json")),
    ("failed", include_str!("demo/failed.json")),
    ("in-progress", include_str!("demo/in-progress.json")),
    ("stale", include_str!("demo/stale.json")),
    ("indeterminate", include_str!("demo/indeterminate.json")),
];

/// The names of the built-in bundles.
pub fn demos() -> impl Iterator<Item = &'static str> {
    DEMOS.iter().map(|(name, _)| *name)
}

/// A saved bundle larger than this is a mistake.
const MAX_BUNDLE: u64 = 1 << 30;

/// The evidence that the options ask for.
pub fn evidence(global: &Global, pull: Option<&Selector>, need: Need) -> Result<Evidence, Error> {
    let evidence = match (&global.from, &global.demo) {
        (Some(path), _) => saved(path)?,
        (None, Some(name)) => demo(name)?,
        (None, None) => return from_github(global, pull, need),
    };
    if let Some(repository) = &global.repo
        && repository.repository != evidence.repository
    {
        return Err(Error::usage(
            format!(
                "The bundle is about {}, not {}.",
                evidence.repository, repository.repository
            ),
            "Leave out -R, or name that repository.",
        ));
    }
    match pull {
        Some(pull) if !is_about(&evidence, pull) => Err(Error::usage(
            format!(
                "The bundle is about pull request {} of {}, and another one was named.",
                evidence.pull_request, evidence.repository
            ),
            "Leave out the pull request, or name that one.",
        )),
        Some(_) | None => {
            if global.repo.is_some() || matches!(pull, Some(Selector::Url(_))) {
                target::name_in_commands(&evidence.host, &evidence.repository);
            }
            Ok(evidence)
        }
    }
}

/// Whether a command that writes can also show what it would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DryRun {
    Offered,
    None,
}

/// Refuses a saved or built-in bundle for a command that writes.
pub fn only_github(global: &Global, dry_run: DryRun) -> Result<(), Error> {
    if global.from.is_none() && global.demo.is_none() {
        return Ok(());
    }
    Err(Error::usage(
        "A command that writes works on GitHub itself, not on a saved or built-in bundle.",
        match dry_run {
            DryRun::Offered => {
                "Leave out --from and --demo; --dry-run shows on GitHub itself what would be sent."
            }
            DryRun::None => "Leave out --from and --demo.",
        },
    ))
}

fn is_about(evidence: &Evidence, pull: &Selector) -> bool {
    match pull {
        Selector::Number(number) => *number == evidence.pull_request,
        Selector::Url(place) => {
            place.number == evidence.pull_request
                && place.repository == evidence.repository
                && place.host == evidence.host
        }
        Selector::Branch(branch) => {
            let bare = branch.rsplit_once(':').map_or(branch.as_str(), |(_, bare)| bare);
            evidence.pull().is_some_and(|pull| pull.head_ref_name == bare)
        }
    }
}

fn from_github(global: &Global, pull: Option<&Selector>, need: Need) -> Result<Evidence, Error> {
    let live = Live::find(global, pull, need)?;
    live.read(Known::Nothing)
        .map_err(|failure| target::reading_failed(failure, &live.place))
}

/// One pull request on GitHub, to be read once or again and again.
pub struct Live {
    gh: Arc<Gh>,
    pub place: Place,
    need: Need,
    options: Options,
}

impl Live {
    /// Finds gh and the pull request that is meant.
    pub fn find(global: &Global, pull: Option<&Selector>, need: Need) -> Result<Self, Error> {
        let gh = Gh::find(global).map_err(|failure| failure.into_error("gh could not be used"))?;
        let place = target::place(&gh, global, pull)?;
        Ok(Self::at(gh, place, need, global.options()))
    }

    /// The pull request at a known place.
    pub fn at(gh: Arc<Gh>, place: Place, need: Need, options: Options) -> Self {
        Self {
            gh,
            place,
            need,
            options,
        }
    }

    /// Reads everything that the command's decision needs.
    pub fn read(&self, known: Known<'_>) -> Result<Evidence, Failure> {
        let asks = |evidence: &Evidence| wanted(evidence, &self.options, self.need.purpose);
        let local = Local {
            journal: journal::local(&self.place),
            handled: handled_file::local(&self.place),
        };
        collect(&self.gh, &self.place, self.need, local, &asks, known)
    }
}

fn saved(path: &Path) -> Result<Evidence, Error> {
    let shown = named_file(path);
    let hint = "Write a bundle with `gh codex-loop collect PR -o FILE`.";
    let stdin = path == Path::new("-");
    let mut text = Vec::new();
    let read = if stdin {
        std::io::stdin()
            .lock()
            .take(MAX_BUNDLE + 1)
            .read_to_end(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_BUNDLE + 1).read_to_end(&mut text))
    };
    read.map_err(|error| Error::usage(format!("The bundle {shown} cannot be read: {error}."), hint))?;
    if text.len() as u64 > MAX_BUNDLE {
        return Err(Error::usage(
            format!("The bundle {shown} is larger than 1 GiB."),
            hint,
        ));
    }
    Evidence::from_json(&text)
        .map_err(|reason| Error::usage(format!("The bundle {shown} cannot be used: {reason}."), hint))
}

/// A built-in bundle; the first one without a name.
pub fn demo(name: &str) -> Result<Evidence, Error> {
    let found = if name.is_empty() {
        DEMOS.first()
    } else {
        DEMOS.iter().find(|(known, _)| *known == name)
    };
    let Some((_, text)) = found else {
        let names: Vec<&str> = demos().collect();
        return Err(suggestion::unknown(
            "built-in bundle",
            name,
            "The built-in bundles",
            &names,
        ));
    };
    Evidence::from_json(text.as_bytes()).map_err(|reason| {
        Error::new(
            ErrorKind::Internal,
            format!("The built-in bundle cannot be used: {reason}."),
            "This is a fault of this program; please report it.",
        )
    })
}

#[cfg(test)]
mod tests {
    use codex_loop::redact::redact;
    use codex_loop::run::Run;

    use super::*;

    /// State, reason codes and next action.
    fn decided(evidence: &Evidence) -> (String, Vec<String>, String) {
        let options = Options::default();
        let run = Run::of(evidence, &options).expect("the pull request was read");
        let codes = run
            .reasons
            .iter()
            .map(|reason| reason.code.as_str().to_owned())
            .collect();
        (
            run.state.word().as_str().to_owned(),
            codes,
            run.next().as_str().to_owned(),
        )
    }

    #[test]
    fn every_built_in_bundle_is_named_by_its_state() {
        for (name, _) in DEMOS {
            assert_eq!(decided(&demo(name).expect("a bundle")).0, *name);
        }
        assert_eq!(
            demo("").map(|bundle| decided(&bundle).0),
            Ok("findings".to_owned())
        );
        assert!(demo("nothing").is_err_and(|error| error.hint.contains("findings, clean")));
    }

    #[test]
    fn redaction_changes_no_decision() {
        for (name, _) in DEMOS {
            let bundle = demo(name).expect("a bundle");
            let redacted = redact(bundle.clone(), &[]).expect("redacts");
            assert_eq!(decided(&redacted), decided(&bundle), "{name}");
        }
    }
}
