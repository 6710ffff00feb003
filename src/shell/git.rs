//! The questions for git: which repository the current directory belongs to, and what of a pull request stands in it.
//!
//! The choice is gh's own: a remote chosen with `gh repo set-default`, else the first of upstream, github, origin.
//! A remote whose host is only known to gh or ssh is left to gh, by [`Current::AskGh`].

use std::path::PathBuf;
use std::sync::OnceLock;

use codex_loop::evidence::name::Repository;
use codex_loop::report::convergence::{Retained, RetainedKind};

use crate::error::{Error, ErrorKind};
use crate::selector::{Place, RepositoryArgument, valid_host};

/// What git knows about the current repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Current {
    Known(RepositoryArgument),
    /// A remote's host is an alias or unknown here.
    AskGh,
}

/// The git directory of the current checkout, when one of its remotes is this pull request's repository.
pub fn directory_of(place: &Place) -> Option<PathBuf> {
    // The current directory and its remotes stay the same for the life of the process.
    static CHECKOUT: OnceLock<Option<(String, PathBuf)>> = OnceLock::new();
    let (remotes, directory) = CHECKOUT
        .get_or_init(|| {
            let directory = git(&["rev-parse", "--absolute-git-dir"]).ok()?;
            let remotes = git(&["remote", "-v"]).ok()?;
            Some((remotes, PathBuf::from(directory.trim_end_matches(['\n', '\r']))))
        })
        .as_ref()?;
    has_remote(remotes, place).then(|| directory.clone())
}

/// Whether a remote is the repository; a host without a dot is an alias of ssh.
fn has_remote(remotes: &str, place: &Place) -> bool {
    remotes
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .filter_map(remote)
        .any(|found| {
            let same = found
                .repository
                .to_string()
                .eq_ignore_ascii_case(&place.repository.to_string());
            let host = found.host.unwrap_or_default();
            same && (host == place.host || !host.contains('.'))
        })
}

/// Local branches of this name, and the worktrees that have it checked out, in the checkout of this repository.
pub fn retained(place: &Place, branch: &str) -> Vec<Retained> {
    if directory_of(place).is_none() {
        return Vec::new();
    }
    let reference = format!("refs/heads/{branch}");
    let exists = git(&["for-each-ref", "--format=%(refname)", &reference]).unwrap_or_default();
    let mut retained = Vec::new();
    if exists.lines().any(|line| line == reference) {
        retained.push(Retained {
            kind: RetainedKind::Branch,
            name: branch.to_owned(),
        });
    }
    let mut worktree = "";
    let list = git(&["worktree", "list", "--porcelain"]).unwrap_or_default();
    for line in list.lines() {
        match line.split_once(' ') {
            Some(("worktree", path)) => worktree = path,
            Some(("branch", checked_out)) if checked_out == reference => retained.push(Retained {
                kind: RetainedKind::Worktree,
                name: worktree.to_owned(),
            }),
            Some(_) | None => {}
        }
    }
    retained
}

/// The current directory's repository.
pub fn current_repository() -> Result<Current, Error> {
    let remotes = git(&["remote", "-v"])?;
    let resolved = git(&["config", "--get-regexp", r"^remote\..*\.gh-resolved$"]).unwrap_or_default();
    let enterprise = std::env::var("GH_HOST").ok();
    choose(&remotes, &resolved, enterprise.as_deref())
}

fn git(arguments: &[&str]) -> Result<String, Error> {
    let hint = "Run it inside a clone, or name the repository: -R OWNER/REPO.";
    let output = duct::cmd("git", arguments)
        .stdin_null()
        .stdout_capture()
        .stderr_null()
        .unchecked()
        .run()
        .map_err(|error| {
            Error::new(
                ErrorKind::NotFound,
                format!("git could not be run: {error}."),
                hint,
            )
        })?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Error::usage(
            "The current directory is in no git repository.",
            hint,
        ))
    }
}

fn choose(remotes: &str, resolved: &str, enterprise: Option<&str>) -> Result<Current, Error> {
    let mut found: Vec<(&str, Option<RepositoryArgument>)> = remotes
        .lines()
        .filter_map(|line| {
            line.strip_suffix(" (fetch)")
                .and_then(|line| line.split_once('\t'))
        })
        .map(|(name, url)| (name, remote(url)))
        .collect();
    if found.is_empty() {
        return Err(Error::usage(
            "The git repository of the current directory has no remote.",
            "Add one, or name the repository: -R OWNER/REPO.",
        ));
    }
    let known = |host: &str| host == "github.com" || host.ends_with(".ghe.com") || Some(host) == enterprise;
    let all_known = found.iter().all(|(_, place)| {
        place
            .as_ref()
            .and_then(|place| place.host.as_deref())
            .is_some_and(known)
    });
    if !all_known {
        return Ok(Current::AskGh);
    }
    for line in resolved.lines() {
        let Some((key, value)) = line.split_once(' ') else {
            continue;
        };
        let name = key
            .strip_prefix("remote.")
            .and_then(|key| key.strip_suffix(".gh-resolved"));
        let Some((_, Some(place))) = found.iter().find(|(each, _)| Some(*each) == name) else {
            continue;
        };
        if value == "base" {
            return Ok(Current::Known(place.clone()));
        }
        return match value.parse::<RepositoryArgument>() {
            Ok(other) => Ok(Current::Known(RepositoryArgument {
                host: other.host.or_else(|| place.host.clone()),
                repository: other.repository,
            })),
            Err(_) => Ok(Current::AskGh),
        };
    }
    let rank = |name: &str| {
        ["upstream", "github", "origin"]
            .iter()
            .position(|each| *each == name)
            .unwrap_or(3)
    };
    found.sort_by_key(|(name, _)| rank(name));
    match found.into_iter().next() {
        Some((_, Some(place))) => Ok(Current::Known(place)),
        Some((_, None)) | None => Ok(Current::AskGh),
    }
}

/// Reads `https://HOST/O/R.git`, `ssh://git@HOST:22/O/R`, `git@HOST:O/R.git`.
fn remote(url: &str) -> Option<RepositoryArgument> {
    let (host, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => url.split_once(':')?,
    };
    let host = host.rsplit('@').next()?.split(':').next()?.to_ascii_lowercase();
    let path = path.trim_matches('/');
    let repository: Repository = path.strip_suffix(".git").unwrap_or(path).parse().ok()?;
    let host = host.strip_prefix("www.").unwrap_or(&host).to_owned();
    let host = if host == "ssh.github.com" {
        "github.com".to_owned()
    } else {
        host
    };
    valid_host(&host).then_some(RepositoryArgument {
        host: Some(host),
        repository,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(remotes: &str, resolved: &str) -> String {
        match choose(remotes, resolved, None) {
            Ok(Current::Known(place)) => format!("{}/{}", place.host.unwrap_or_default(), place.repository),
            Ok(Current::AskGh) => "ask".into(),
            Err(error) => error.message,
        }
    }

    #[test]
    fn every_form_of_a_remote_is_read() {
        for url in [
            "https://github.com/o/r.git",
            "https://token@github.com/o/r",
            "git@github.com:o/r.git",
            "ssh://git@github.com/o/r.git",
            "ssh://git@ssh.github.com:443/o/r.git",
            "git://github.com/o/r/",
        ] {
            assert_eq!(
                chosen(&format!("origin\t{url} (fetch)\norigin\t{url} (push)\n"), ""),
                "github.com/o/r",
                "{url}"
            );
        }
    }

    #[test]
    fn a_checkout_belongs_to_a_repository_by_any_of_its_remotes() {
        let place: Place = Place::from_url("https://github.com/o/r/pull/7").expect("a place");
        for (remotes, belongs) in [
            ("origin\tgit@github.com:o/r.git (fetch)\n", true),
            (
                "fork\thttps://github.com/me/r (fetch)\nupstream\thttps://github.com/O/R (fetch)\n",
                true,
            ),
            ("origin\tgit@work-alias:o/r.git (fetch)\n", true),
            ("origin\tgit@ghe.example.com:o/r.git (fetch)\n", false),
            ("origin\thttps://github.com/me/r (fetch)\n", false),
            ("origin\t/srv/r.git (fetch)\n", false),
            ("", false),
        ] {
            assert_eq!(has_remote(remotes, &place), belongs, "{remotes}");
        }
    }

    #[test]
    fn the_choice_is_that_of_gh() {
        let two = "origin\tgit@github.com:me/r.git (fetch)\nupstream\tgit@github.com:o/r.git (fetch)\n";
        assert_eq!(chosen(two, ""), "github.com/o/r");
        assert_eq!(chosen(two, "remote.origin.gh-resolved base\n"), "github.com/me/r");
        assert_eq!(chosen(two, "remote.origin.gh-resolved x/y\n"), "github.com/x/y");
        assert_eq!(chosen("origin\tgit@work-alias:o/r.git (fetch)\n", ""), "ask");
        assert_eq!(chosen("origin\t/srv/r.git (fetch)\n", ""), "ask");
        assert!(chosen("", "").contains("no remote"));
    }
}
