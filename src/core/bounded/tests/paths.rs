//! Path records: what a plan may name, and where it may lead.

use crate::bounded::boundary::ExecutionBoundary;
use crate::bounded::error::Place;
use crate::bounded::example;
use crate::bounded::path::{
    AbsolutePath, LinkTarget, PathKind, PathRecord, PathStep, RelativePath, check_paths, path_problem,
};

#[test]
fn ordinary_paths_are_accepted() {
    for path in [
        "a",
        "src/parser.rs",
        ".github/workflows/ci.yml",
        ".gitignore",
        ".gitattributes",
        "docs/日本語 text.md",
        "a b/c d",
        "console.rs",
        "com10",
        "com",
        "comx.txt",
        "null.rs",
        "auxiliary/x",
        "lpt/a",
        "git/x",
        "x.git/y",
        "git~2",
        "...a/b",
        " leading",
    ] {
        assert_eq!(path_problem(path), None, "{path}");
        assert!(RelativePath::new(path).is_ok(), "{path}");
    }
}

#[test]
fn paths_that_another_system_reads_differently_are_refused() {
    for path in [
        "",
        "/etc/passwd",
        "/",
        "//x",
        "a//b",
        "a/",
        ".",
        "..",
        "./a",
        "a/./b",
        "../a",
        "a/../b",
        "a/..",
        "a\\b",
        "..\\a",
        "C:\\x",
        "C:/x",
        "c:x",
        "a:b",
        "file.txt:stream",
        "file.txt::$DATA",
        "a/b:c/d",
        "a.",
        "a./b",
        "a ",
        "a /b",
        "dir./x",
        "x...",
        "CON",
        "con",
        "Con",
        "PRN",
        "AUX",
        "NUL",
        "nul",
        "nul.txt",
        "NUL.tar.gz",
        "a/nul",
        "nul/a",
        "con .txt",
        "COM1",
        "com1",
        "com9.log",
        "COM0",
        "LPT1",
        "lpt9",
        "com¹",
        "COM².txt",
        "lpt³",
        "CONIN$",
        "conout$.x",
        "CLOCK$",
        ".git",
        ".git/config",
        ".GIT/config",
        ".Git",
        "a/.git/hooks/x",
        "git~1",
        "GIT~1/config",
        "sub/.git",
        ".g\u{200c}it/config",
        ".gi\u{200d}t",
        "\u{feff}.git",
        "\u{202e}txt",
        "a\u{0}b",
        "a\nb",
        "a\u{7f}",
        "a\u{200b}b",
    ] {
        assert!(
            path_problem(path).is_some() || path.is_empty(),
            "{path:?} was accepted"
        );
        assert!(RelativePath::new(path).is_err(), "{path:?} was accepted");
    }
    assert!(
        RelativePath::new("x/".repeat(2048) + "y").is_err(),
        "4097 characters"
    );
}

#[test]
fn a_refused_path_is_told_why() {
    for (path, why) in [
        ("/etc/passwd", "it is absolute"),
        ("a\\b", "it has a backslash"),
        (
            "a:b",
            "it has a colon, which is a drive or an alternate data stream",
        ),
        ("a\u{200b}b", "it has a control or invisible character"),
        ("a//b", "it has an empty part"),
        ("a/./b", "it has a `.` or `..` part"),
        ("../a", "it has a `.` or `..` part"),
        ("a./b", "a part ends with a dot or a space"),
        ("nul.txt", "a part is a Windows device name"),
        ("a/.GIT", "a part is the Git directory"),
    ] {
        assert_eq!(path_problem(path), Some(why), "{path:?}");
    }
}

#[test]
fn resolved_paths_are_absolute_and_plain() {
    for path in ["/", "/a", "/a/b c", "C:/", "C:/work/x", "d:/x"] {
        assert!(AbsolutePath::new(path).is_ok(), "{path}");
    }
    for path in [
        "",
        "a",
        "C:",
        "C:x",
        "C:\\x",
        "/a/../b",
        "/a/./b",
        "/a//b",
        "/a/",
        "\\\\server\\share",
        "/a\nb",
    ] {
        assert!(AbsolutePath::new(path).is_err(), "{path}");
    }
}

fn boundary() -> ExecutionBoundary {
    example::boundary().expect("a boundary")
}

fn judged(records: &[PathRecord]) -> Result<(), String> {
    check_paths(records, &boundary(), &Place::root("paths")).map_err(|error| error.to_string())
}

fn record() -> PathRecord {
    example::path_record("src", "parser.rs").expect("a record")
}

fn absolute(path: &str) -> AbsolutePath {
    AbsolutePath::new(path).expect("an absolute path")
}

fn step(path: &str, kind: PathKind, target: Option<&str>) -> PathStep {
    PathStep {
        path: RelativePath::new(path).expect("a path"),
        kind,
        link_target: target.map(|target| LinkTarget::new(target).expect("a target")),
    }
}

#[test]
fn a_record_proves_its_own_containment() {
    assert_eq!(judged(&[]), Ok(()));
    assert_eq!(judged(&[record()]), Ok(()));
    let refused = |change: &dyn Fn(&mut PathRecord), why: &str| {
        let mut record = record();
        change(&mut record);
        let error = judged(&[record]).expect_err(why);
        assert!(error.contains(why), "{error} does not say {why}");
    };
    refused(&|one| one.inside_worktree = false, "must be inside the worktree");
    refused(
        &|one| one.outside_git_directories = false,
        "outside the Git directories",
    );
    refused(
        &|one| one.resolved_target = absolute("/etc/passwd"),
        "not inside the worktree",
    );
    refused(
        &|one| one.resolved_target = absolute("/srv/work/widgets"),
        "not inside the worktree",
    );
    refused(
        &|one| one.resolved_target = absolute("/srv/work/widgets-other/src/parser.rs"),
        "not inside the worktree",
    );
    refused(
        &|one| one.resolved_target = absolute("/srv/work/widgets/.git/config"),
        "inside a Git directory",
    );
    refused(
        &|one| one.resolved_target = absolute("/srv/work/widgets/.GIT/config"),
        "inside a Git directory",
    );
    for elsewhere in ["git_directory", "common_directory"] {
        let mut boundary = boundary();
        let at = |boundary: &mut ExecutionBoundary, path: &str| match elsewhere {
            "git_directory" => boundary.git_directory.path = absolute(path),
            _ => boundary.common_directory.path = absolute(path),
        };
        at(&mut boundary, "/srv/work/widgets/src");
        let judged = check_paths(&[record()], &boundary, &Place::root("paths"));
        let error = judged.expect_err(elsewhere).to_string();
        assert!(error.contains("inside a Git directory"), "{elsewhere}: {error}");
        at(&mut boundary, "/srv/work");
        let inside = boundary.check(&[], None, &Place::root("boundary"));
        let error = inside.expect_err(elsewhere).to_string();
        assert!(
            error.contains("stands inside a Git directory"),
            "{elsewhere}: {error}"
        );
    }
    refused(
        &|one| one.resolved_target = absolute("/srv/work/widgets/src/other.rs"),
        "resolves to itself",
    );
    refused(&|one| drop(one.lstat_chain.pop()), "one step for each part");
    refused(&|one| one.lstat_chain.reverse(), "one step for each part");
    refused(
        &|one| one.lstat_chain[1].kind = PathKind::Directory,
        "the last part",
    );
    refused(
        &|one| one.lstat_chain[0].kind = PathKind::File,
        "only the last part",
    );
    refused(
        &|one| one.lstat_chain[0].kind = PathKind::Absent,
        "below an absent part",
    );
    refused(
        &|one| one.lstat_chain[1].link_target = Some(LinkTarget::new("x").expect("a target")),
        "only a symbolic link has a target",
    );
    let mut new_file = record();
    new_file.lstat_chain[0].kind = PathKind::Absent;
    new_file.lstat_chain[1].kind = PathKind::Absent;
    assert_eq!(judged(&[new_file]), Ok(()), "a new file in a new folder");
}

#[test]
fn symbolic_links_stay_inside() {
    let linked = |target: &str, resolved: &str| PathRecord {
        path: RelativePath::new("src/link").expect("a path"),
        lstat_chain: vec![
            step("src", PathKind::Directory, None),
            step("src/link", PathKind::Symlink, Some(target)),
        ],
        resolved_target: absolute(resolved),
        inside_worktree: true,
        outside_git_directories: true,
    };
    let inside = "/srv/work/widgets/docs/a.md";
    for target in ["../docs/a.md", "/srv/work/widgets/docs/a.md", "./../docs/./a.md"] {
        assert_eq!(judged(&[linked(target, inside)]), Ok(()), "{target}");
    }
    for (target, resolved) in [
        ("../../other/x", inside),
        ("../../../../../../etc/passwd", inside),
        ("/etc/passwd", inside),
        ("/srv/work/widgets-other/x", inside),
        ("../.git/config", inside),
        ("/srv/work/widgets/.git", inside),
        ("../.GIT/hooks", inside),
        ("..\\..\\x", inside),
        ("C:/windows", inside),
        ("../docs/a.md", "/etc/passwd"),
        ("../docs/a.md", "/srv/work/widgets/.git/config"),
    ] {
        assert!(
            judged(&[linked(target, resolved)]).is_err(),
            "{target} → {resolved} was accepted"
        );
    }
    let mut without = linked("../docs/a.md", inside);
    without.lstat_chain[1].link_target = None;
    assert!(judged(&[without]).is_err(), "a link without its target");
}

#[test]
fn records_are_sorted_and_distinct_on_every_file_system() {
    let named = |file: &str| example::path_record("src", file).expect("a record");
    assert_eq!(judged(&[named("a.rs"), named("b.rs")]), Ok(()));
    assert!(judged(&[named("b.rs"), named("a.rs")]).is_err(), "unsorted");
    for (one, other) in [
        ("a.rs", "a.rs"),
        ("A.rs", "a.rs"),
        ("STRASSE", "straße"),
        ("\u{e9}", "e\u{301}"),
        ("\u{c9}", "\u{e9}"),
        ("\u{3a3}", "\u{3c2}"),
    ] {
        let mut pair = [named(one), named(other)];
        pair.sort_by(|a, b| a.path.cmp(&b.path));
        let error = judged(&pair).expect_err("the same file");
        assert!(error.contains("case-insensitive"), "{one} {other}: {error}");
    }
}
