//! From the pull request argument to one pull request on one host.

use std::sync::OnceLock;

use codex_loop::document;
use codex_loop::evidence::name::Repository;
use codex_loop::report::command;
use serde::Deserialize;

use crate::cli::Global;
use crate::error::{Error, ErrorKind, named};
use crate::gh::Gh;
use crate::gh::failure::Failure;
use crate::git::{self, Current};
use crate::selector::{Place, RepositoryArgument, Selector};

/// gh's default host, where nothing names another one.
const DEFAULT_HOST: &str = "github.com";

/// Finds the pull request that is meant. Only a branch, or none at all, costs a gh call.
pub fn place(gh: &Gh, global: &Global, selector: Option<&Selector>) -> Result<Place, Error> {
    let place = found(gh, global, selector)?;
    let named = match selector {
        Some(Selector::Url(place)) => !is_here(place),
        Some(Selector::Number(_) | Selector::Branch(_)) | None => {
            global.repo.is_some() || variable().is_some()
        }
    };
    if named {
        name_in_commands(&place.host, &place.repository);
    }
    Ok(place)
}

/// From here on commands to copy name this repository: the user had to.
pub fn name_in_commands(host: &str, repository: &Repository) {
    NAMED.get_or_init(|| format!("{}{repository}", unusual(host)));
}

/// What the user named, of the one pull request that a process is about.
static NAMED: OnceLock<String> = OnceLock::new();

/// The repository, `[HOST/]OWNER/REPO`, when the user had to name it: a command to copy names it too.
pub fn named_repository() -> Option<String> {
    NAMED.get().cloned()
}

/// A command of ours for people to copy, with the repository in it where the user had to name it.
pub fn placed(command: &str) -> String {
    match NAMED.get() {
        Some(repository) => command::placed(command, repository),
        None => command.to_owned(),
    }
}

/// Whether the current directory's repository is this pull request's.
fn is_here(place: &Place) -> bool {
    let Ok(Current::Known(here)) = git::current_repository() else {
        return false;
    };
    let lower = |repository: &Repository| repository.to_string().to_ascii_lowercase();
    lower(&here.repository) == lower(&place.repository)
        && here
            .host
            .unwrap_or_else(default_host)
            .eq_ignore_ascii_case(&place.host)
}

/// `GH_REPO`, where it says anything.
fn variable() -> Option<String> {
    std::env::var("GH_REPO").ok().filter(|text| !text.is_empty())
}

/// A page of another host is easily pasted by mistake: the host is said wherever it is not the usual one.
fn unusual(host: &str) -> String {
    if host == DEFAULT_HOST {
        String::new()
    } else {
        format!("{host}/")
    }
}

fn found(gh: &Gh, global: &Global, selector: Option<&Selector>) -> Result<Place, Error> {
    match selector {
        Some(Selector::Url(place)) => Ok(place.clone()),
        Some(Selector::Number(number)) => {
            let repository = repository(gh, global)?;
            Ok(Place {
                host: repository.host.unwrap_or_else(default_host),
                repository: repository.repository,
                number: *number,
            })
        }
        Some(Selector::Branch(branch)) => by_branch(gh, global, Some(branch)),
        None if global.repo.is_some() => Err(Error::usage(
            "With -R the pull request must be named.",
            "Example: gh codex-loop status 42 -R OWNER/REPO.",
        )),
        None => by_branch(gh, global, None),
    }
}

/// The repository that is meant, with its host.
pub fn repository_place(gh: &Gh, global: &Global) -> Result<(String, Repository), Error> {
    let found = repository(gh, global)?;
    Ok((found.host.unwrap_or_else(default_host), found.repository))
}

fn repository(gh: &Gh, global: &Global) -> Result<RepositoryArgument, Error> {
    if let Some(repository) = &global.repo {
        return Ok(repository.clone());
    }
    if let Some(text) = variable() {
        return text.parse().map_err(|reason| {
            Error::usage(
                format!("GH_REPO is `{}`, and {reason}.", named(&text)),
                "Example: GH_REPO=OWNER/REPO.",
            )
        });
    }
    match git::current_repository()? {
        Current::Known(repository) => Ok(repository),
        Current::AskGh => ask_for_repository(gh),
    }
}

fn default_host() -> String {
    std::env::var("GH_HOST")
        .ok()
        .filter(|host| !host.is_empty())
        .unwrap_or_else(|| DEFAULT_HOST.to_owned())
}

fn ask_for_repository(gh: &Gh) -> Result<RepositoryArgument, Error> {
    #[derive(Deserialize)]
    struct View {
        url: String,
    }
    let what = "The repository of the current directory could not be found";
    let answer = gh
        .command(&default_host(), &["repo", "view", "--json", "url"])
        .map_err(|failure| located(failure, what))?;
    let parsed = document::read::<View>(&answer);
    parsed.and_then(|view| view.url.parse()).map_err(|reason| {
        Error::new(
            ErrorKind::GhFailed,
            format!("{what}: {reason}."),
            "Name it: -R OWNER/REPO.",
        )
    })
}

/// The pull request of a branch, as gh finds it.
fn by_branch(gh: &Gh, global: &Global, branch: Option<&str>) -> Result<Place, Error> {
    #[derive(Deserialize)]
    struct View {
        url: String,
    }
    let mut arguments = vec!["pr", "view"];
    arguments.extend(branch);
    arguments.extend(["--json", "url"]);
    let repository = global.repo.as_ref().map(|repository| {
        let host = repository.host.clone().unwrap_or_else(default_host);
        format!("{host}/{}", repository.repository)
    });
    if let Some(repository) = &repository {
        arguments.extend(["--repo", repository]);
    }
    let what = match branch {
        Some(branch) => format!(
            "The pull request of branch `{}` could not be found",
            named(branch)
        ),
        None => "The pull request of the current branch could not be found".to_owned(),
    };
    let answer = gh
        .command(&default_host(), &arguments)
        .map_err(|failure| located(failure, &what))?;
    let parsed = document::read::<View>(&answer);
    parsed
        .and_then(|view| Place::from_url(&view.url))
        .map_err(|reason| {
            Error::new(
                ErrorKind::GhFailed,
                format!("{what}: {reason}."),
                "Name the pull request by its number.",
            )
        })
}

/// gh's own words about repositories and branches, told apart by what to do next.
fn located(failure: Failure, what: &str) -> Error {
    let words = match &failure {
        Failure::Other { message } => message.to_lowercase(),
        _ => return failure.into_error(what),
    };
    let not_found = |message: String, hint: &str| Error::new(ErrorKind::NotFound, message, hint);
    if words.contains("not a git repository")
        || words.contains("not on any branch")
        || words.contains("git remotes")
    {
        let hint = "Run it inside a clone on a branch, or name both: gh codex-loop status 42 -R OWNER/REPO.";
        if words.contains("not a git repository") {
            return Error::usage("The current directory is in no git repository.", hint);
        }
        return not_found(format!("{what}: {}.", failure.fact()), hint);
    }
    if words.contains("no pull requests found") || words.contains("no open pull requests") {
        return not_found(
            format!("{what}: there is none."),
            "Name the pull request by its number, or open one.",
        );
    }
    failure.into_error(what)
}

/// What reading this pull request failed at.
pub fn reading_failed(failure: Failure, place: &Place) -> Error {
    let mut error = failure.into_error(&format!(
        "Pull request {} of {}{} could not be read",
        place.number,
        unusual(&place.host),
        place.repository
    ));
    if error.kind == ErrorKind::NotFound {
        let list = placed("gh codex-loop list");
        error.hint = format!(
            "{}; {list} names the open ones.",
            error.hint.trim_end_matches('.')
        );
    }
    error
}
