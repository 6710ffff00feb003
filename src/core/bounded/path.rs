//! Path records: what a plan may touch, and the proof that it stays inside the worktree.
//!
//! "Its resolved target/parent must remain inside the canonical worktree and outside the resolved Git metadata/common
//! directories, with colons/ADS forms, trailing dots/spaces, Windows device aliases, and symlink escapes rejected."
//! The evaluator judges the recorded facts; whoever records them reads the file system.

use super::boundary::ExecutionBoundary;
use super::error::{EvaluatorError, Place, printable, require};
use super::vocabulary::{record, text, words};
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization as _;

text! {
    /// a relative path with `/` between its parts, without `.`, `..`, backslash, colon, control character, trailing dot or space, Windows device name or Git directory
    RelativePath: "^[^\\x00-\\x1f\\x7f\\\\:]+$", 1..=4096, |path| path_problem(path).is_none()
}

text! {
    /// an absolute, resolved path, `/…` or `C:/…`, without empty, `.` or `..` parts
    AbsolutePath: "^(/|[A-Za-z]:/)[^\\x00-\\x1f\\x7f\\\\]*$", 1..=4096, resolved_form
}

text! {
    /// the literal target of a symbolic link
    LinkTarget: "^[^\\x00-\\x1f\\x7f]+$", 1..=4096, |target| target.chars().all(printable)
}

words! {
    /// What `lstat` says a part of a path is.
    PathKind {
        /// A directory.
        Directory = "directory",
        /// A regular file, only as the last part.
        File = "file",
        /// A symbolic link.
        Symlink = "symlink",
        /// Nothing yet.
        Absent = "absent",
    }
}

record! {
    /// "Any changed lstat chain, resolved target, or containment value invalidates the batch."
    PathStep {
        /// The path from the worktree to this part.
        path: RelativePath,
        /// What stands there.
        kind: PathKind,
        /// "Symlink escapes rejected": the target of a symbolic link, null for everything else.
        link_target: Option<LinkTarget>,
    }
}

record! {
    /// "Intended canonical paths and their exact containment records."
    PathRecord {
        /// "Require every proposed path to pass the canonical-path … checks."
        path: RelativePath,
        /// "Any changed lstat chain … invalidates the batch."
        lstat_chain: Vec<PathStep>,
        /// "Its resolved target/parent must remain inside the canonical worktree."
        resolved_target: AbsolutePath,
        /// "Must remain inside the canonical worktree."
        inside_worktree: bool,
        /// "And outside the resolved Git metadata/common directories."
        outside_git_directories: bool,
    }
}

/// Why a relative path is refused, or nothing.
pub(crate) fn path_problem(path: &str) -> Option<&'static str> {
    if path.starts_with('/') {
        return Some("it is absolute");
    }
    if path.contains('\\') {
        return Some("it has a backslash");
    }
    if path.contains(':') {
        return Some("it has a colon, which is a drive or an alternate data stream");
    }
    if !path.chars().all(printable) {
        return Some("it has a control or invisible character");
    }
    path.split('/').find_map(part_problem)
}

fn part_problem(part: &str) -> Option<&'static str> {
    if part.is_empty() {
        return Some("it has an empty part");
    }
    if part == "." || part == ".." {
        return Some("it has a `.` or `..` part");
    }
    if part.ends_with(['.', ' ']) {
        return Some("a part ends with a dot or a space");
    }
    if windows_device(part) {
        return Some("a part is a Windows device name");
    }
    if git_directory_name(part) {
        return Some("a part is the Git directory");
    }
    None
}

/// Device names hold with any extension, in any case, with spaces before the dot, and with superscript digits.
fn windows_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_lowercase();
    if matches!(
        stem.as_str(),
        "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" | "clock$"
    ) {
        return true;
    }
    ["com", "lpt"].iter().any(|device| {
        stem.strip_prefix(device).is_some_and(|rest| {
            let mut digits = rest.chars();
            matches!(
                (digits.next(), digits.next()),
                (Some('0'..='9' | '¹' | '²' | '³'), None)
            )
        })
    })
}

/// `.git` as case-insensitive file systems see it, and its NTFS short name. The characters that HFS+ leaves out of a name
/// are invisible ones, which no path may have.
fn git_directory_name(part: &str) -> bool {
    let seen = folded(part);
    seen == ".git" || seen == "git~1"
}

/// The form in which two names meet on a case-insensitive, normalising file system.
pub(crate) fn folded(name: &str) -> String {
    let decomposed: String = name.nfd().collect();
    // Upper case first, so that letters without a one-to-one lower case (ß and SS) meet.
    decomposed.to_uppercase().to_lowercase().nfd().collect()
}

fn resolved_form(path: &str) -> bool {
    let rest = path.split_once('/').map_or("", |(_, rest)| rest);
    rest.is_empty()
        || rest
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != "..")
            && path.chars().all(printable)
}

/// Whether `path` is `directory` or stands below it, as a case-insensitive file system sees them.
pub(crate) fn within(path: &AbsolutePath, directory: &AbsolutePath) -> bool {
    let (path, directory) = (folded(path.as_str()), folded(directory.as_str()));
    let directory = directory.trim_end_matches('/');
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Judges a plan's sorted records against the boundary's resolved directories.
pub(crate) fn check_paths(
    records: &[PathRecord],
    boundary: &ExecutionBoundary,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    let mut seen = BTreeSet::new();
    for (index, record) in records.iter().enumerate() {
        let place = place.item(index);
        require(
            seen.insert(folded(record.path.as_str())),
            place,
            "two paths are the same on a case-insensitive file system",
        )?;
        check_record(record, boundary, &place)?;
    }
    let sorted = records.is_sorted_by_key(|record| &record.path);
    require(sorted, place, "path records are sorted by path")
}

fn check_record(
    record: &PathRecord,
    boundary: &ExecutionBoundary,
    place: &Place<'_>,
) -> Result<(), EvaluatorError> {
    require(
        record.inside_worktree,
        place.field("inside_worktree"),
        "the resolved target must be inside the worktree",
    )?;
    require(
        record.outside_git_directories,
        place.field("outside_git_directories"),
        "the resolved target must be outside the Git directories",
    )?;
    let target = &record.resolved_target;
    let resolved = place.field("resolved_target");
    let worktree = &boundary.worktree.path;
    require(
        within(target, worktree) && target != worktree,
        resolved,
        "the resolved target is not inside the worktree",
    )?;
    let in_git =
        within(target, &boundary.git_directory.path) || within(target, &boundary.common_directory.path);
    require(!in_git, resolved, "the resolved target is inside a Git directory")?;

    let chain = place.field("lstat_chain");
    let parts = record
        .path
        .as_str()
        .match_indices('/')
        .map(|(at, _)| at)
        .chain([record.path.as_str().len()]);
    let expected: Vec<&str> = parts.filter_map(|end| record.path.as_str().get(..end)).collect();
    let found: Vec<&str> = record.lstat_chain.iter().map(|step| step.path.as_str()).collect();
    require(
        expected == found,
        chain,
        "the chain has one step for each part of the path, from the worktree down",
    )?;

    let last = record.lstat_chain.len().saturating_sub(1);
    let mut linked = false;
    let mut absent = false;
    for (index, step) in record.lstat_chain.iter().enumerate() {
        let at = chain.item(index);
        require(
            !absent || step.kind == PathKind::Absent,
            at,
            "nothing can exist below an absent part",
        )?;
        match step.kind {
            PathKind::Directory => require(
                index < last,
                at,
                "the last part is a file, a symbolic link or absent",
            )?,
            PathKind::File => require(index == last, at, "only the last part can be a file")?,
            PathKind::Absent => absent = true,
            PathKind::Symlink => {
                linked = true;
                let contained = step
                    .link_target
                    .as_ref()
                    .is_some_and(|to| link_stays(&step.path, to, boundary));
                require(
                    contained,
                    at.field("link_target"),
                    "a symbolic link must stay inside the worktree and outside the Git directories",
                )?;
            }
        }
        require(
            step.kind == PathKind::Symlink || step.link_target.is_none(),
            at.field("link_target"),
            "only a symbolic link has a target",
        )?;
    }
    let direct = format!("{}/{}", worktree.as_str().trim_end_matches('/'), record.path);
    require(
        linked || direct == target.as_str(),
        resolved,
        "without symbolic links the path resolves to itself in the worktree",
    )
}

/// Whether the link's literal target, taken from the link's folder, stays inside. A link through another link is caught
/// by the resolved target of the whole record.
fn link_stays(link: &RelativePath, to: &LinkTarget, boundary: &ExecutionBoundary) -> bool {
    let worktree = boundary.worktree.path.as_str().trim_end_matches('/');
    let target = to.as_str();
    if target.contains('\\') {
        return false;
    }
    let base = match link.as_str().rsplit_once('/') {
        Some((folder, _)) => format!("{worktree}/{folder}"),
        None => worktree.to_owned(),
    };
    let whole = if AbsolutePath::new(target).is_ok() || target.starts_with('/') {
        target.to_owned()
    } else {
        format!("{base}/{target}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return false;
                }
            }
            name => parts.push(name),
        }
    }
    let root = if whole.starts_with('/') { "/" } else { "" };
    AbsolutePath::new(format!("{root}{}", parts.join("/"))).is_ok_and(|resolved| {
        within(&resolved, &boundary.worktree.path)
            && !within(&resolved, &boundary.git_directory.path)
            && !within(&resolved, &boundary.common_directory.path)
    })
}
