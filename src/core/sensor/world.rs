//! A small pull request for tests of the core: GitHub's REST objects as JSON, read into evidence.

use serde_json::{Value, json};

use super::{Sensor, Settings};
use crate::evidence::Evidence;
use crate::options::Options;
use crate::run::Run;

pub(crate) const HEAD: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
pub(crate) const OLD: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// `10:00:30` on the fixed day, as GitHub writes it.
pub(crate) fn at(time: &str) -> String {
    let seconds = if time.len() == 5 { ":00" } else { "" };
    format!("2026-09-16T{time}{seconds}Z")
}

/// A marked request for a head.
pub(crate) fn request(head: &str) -> String {
    format!("@codex review\n\n<!-- dsh-review-head: {head} -->")
}

/// The connector's clean comment for a commit.
pub(crate) fn pass(commit: &str) -> String {
    format!(
        "Codex Review: Didn't find any major issues. Swish!\n\n**Reviewed commit:** `{}`",
        &commit[..10]
    )
}

/// An inline finding.
pub(crate) fn finding(priority: &str) -> String {
    format!(
        "**![{priority} Badge](https://img.shields.io/badge/{priority}-orange?style=flat)  Keep the lock**\n\nThe value may change."
    )
}

/// The frame of a review that holds nothing itself.
pub(crate) fn frame(commit: &str) -> String {
    format!(
        "\n### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.\n\n**Reviewed commit:** `{}`\n\n<details> <summary>ℹ️ About Codex in GitHub</summary>\nwords\n</details>",
        &commit[..10]
    )
}

/// One pull request: opened at 09:00, its head committed at 09:58 and first seen by a check suite at 09:59.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) json: Value,
    next: u64,
}

impl World {
    pub(crate) fn new() -> Self {
        let complete = || json!({ "status": "complete", "pages": 1, "items": [] });
        let mut world = Self {
            json: json!({
                "schema": "codex-loop.evidence/1",
                "collectedAt": at("12:00"),
                "versions": { "codexLoop": "0", "gh": "0" },
                "host": "github.com",
                "repository": "octo/widgets",
                "pullRequest": 42,
                "surfaces": {},
            }),
            next: 100,
        };
        for name in [
            "pull",
            "commits",
            "headCommit",
            "checkSuites",
            "timeline",
            "issueComments",
            "reviews",
            "reviewComments",
            "threads",
            "bodyReactions",
            "checkRuns",
            "statuses",
            "resolvedCommits",
            "edits",
            "mergeGates",
        ] {
            world.json["surfaces"][name] = complete();
        }
        world.json["surfaces"]["commentReactions"] = json!({});
        world.put(
            "pull",
            json!({
                "number": 42, "url": "https://github.com/octo/widgets/pull/42", "state": "OPEN", "isDraft": false,
                "headRefOid": HEAD, "headRefName": "topic", "baseRefName": "main", "createdAt": at("09:00"), "lastEditedAt": null,
            }),
        );
        world.put("headCommit", json!({ "oid": HEAD, "committedDate": at("09:58") }));
        for oid in [OLD, HEAD] {
            world.put("commits", json!({ "oid": oid }));
        }
        world.put("resolvedCommits", json!({ "prefix": &HEAD[..10], "oid": HEAD }));
        world.suite(1, "completed", "09:59");
        world
    }

    pub(crate) fn put(&mut self, surface: &str, item: Value) {
        if let Some(items) = self.json["surfaces"][surface]["items"].as_array_mut() {
            items.push(item);
        }
    }

    fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(crate) fn pull(&mut self) -> &mut Value {
        &mut self.json["surfaces"]["pull"]["items"][0]
    }

    pub(crate) fn committed(&mut self, time: &str) {
        self.json["surfaces"]["headCommit"]["items"][0]["committedDate"] = at(time).into();
    }

    pub(crate) fn person(&mut self, body: &str, time: &str) -> u64 {
        let id = self.id();
        let user = json!({ "login": "ada", "type": "User", "id": 1 });
        self.comment(id, user, body, time);
        id
    }

    pub(crate) fn connector(&mut self, body: &str, time: &str) -> u64 {
        let id = self.id();
        self.connector_as(id, body, time);
        id
    }

    pub(crate) fn connector_as(&mut self, id: u64, body: &str, time: &str) {
        self.comment(id, bot(), body, time);
    }

    fn comment(&mut self, id: u64, user: Value, body: &str, time: &str) {
        self.put(
            "edits",
            json!({ "nodeId": format!("IC_{id}"), "lastEditedAt": null, "editor": null }),
        );
        self.json["surfaces"]["commentReactions"][id.to_string()] =
            json!({ "status": "complete", "pages": 1, "items": [] });
        self.put(
            "issueComments",
            json!({
                "id": id, "node_id": format!("IC_{id}"), "user": user, "body": body, "created_at": at(time),
                "updated_at": at(time), "author_association": "MEMBER",
                "html_url": format!("https://github.com/octo/widgets/pull/42#issuecomment-{id}"),
            }),
        );
    }

    pub(crate) fn react(&mut self, comment: u64, content: &str, time: &str) -> u64 {
        let reaction = self.reaction(content, time);
        let id = reaction["id"].as_u64().unwrap_or_default();
        if let Some(items) =
            self.json["surfaces"]["commentReactions"][comment.to_string()]["items"].as_array_mut()
        {
            items.push(reaction);
        }
        id
    }

    pub(crate) fn react_body(&mut self, content: &str, time: &str) -> u64 {
        let reaction = self.reaction(content, time);
        let id = reaction["id"].as_u64().unwrap_or_default();
        self.put("bodyReactions", reaction);
        id
    }

    fn reaction(&mut self, content: &str, time: &str) -> Value {
        let user = json!({ "login": "chatgpt-codex-connector[bot]", "type": "User", "id": 199_175_422 });
        json!({ "id": self.id(), "user": user, "content": content, "created_at": at(time) })
    }

    pub(crate) fn review(&mut self, commit: &str, body: &str, time: &str) -> u64 {
        let id = self.id();
        self.put(
            "edits",
            json!({ "nodeId": format!("PRR_{id}"), "lastEditedAt": null, "editor": null }),
        );
        self.put(
            "reviews",
            json!({
                "id": id, "node_id": format!("PRR_{id}"), "user": bot(), "state": "COMMENTED", "body": body,
                "commit_id": commit, "submitted_at": at(time),
                "html_url": format!("https://github.com/octo/widgets/pull/42#pullrequestreview-{id}"),
            }),
        );
        id
    }

    /// An inline finding of a review, shown on `commit`.
    pub(crate) fn inline(
        &mut self,
        review: u64,
        commit: &str,
        original: &str,
        priority: &str,
        time: &str,
    ) -> u64 {
        let id = self.id();
        self.put(
            "reviewComments",
            json!({
                "id": id, "user": bot(), "body": finding(priority), "commit_id": commit,
                "original_commit_id": original, "path": "src/lib.rs", "line": 3, "side": "RIGHT",
                "created_at": at(time), "pull_request_review_id": review,
                "html_url": format!("https://github.com/octo/widgets/pull/42#discussion_r{id}"),
            }),
        );
        id
    }

    /// A review of the head with one inline finding: review id and key.
    pub(crate) fn round(&mut self, commit: &str, shown_on: &str, time: &str) -> (u64, String) {
        let review = self.review(commit, &frame(commit), time);
        let inline = self.inline(review, shown_on, commit, "P1", time);
        (review, format!("review-comment:{inline}"))
    }

    /// A reply of a person to an inline item.
    pub(crate) fn reply(&mut self, key: &str, body: &str, time: &str) {
        let id = self.id();
        let root: u64 = key
            .rsplit(':')
            .next()
            .and_then(|id| id.parse().ok())
            .unwrap_or_default();
        self.put(
            "reviewComments",
            json!({
                "id": id, "user": { "login": "ada", "type": "User", "id": 1 }, "body": body, "commit_id": HEAD,
                "in_reply_to_id": root, "created_at": at(time),
            }),
        );
    }

    pub(crate) fn event(&mut self, kind: &str, time: &str) -> String {
        let id = format!("EV_{}", self.id());
        let mut event = json!({ "id": id, "kind": kind, "createdAt": at(time) });
        if kind == "head-force-pushed" {
            event["before"] = Value::Null;
            event["after"] = Value::Null;
        }
        self.put("timeline", event);
        id
    }

    pub(crate) fn suite(&mut self, id: u64, status: &str, time: &str) {
        self.put(
            "checkSuites",
            json!({
                "id": id, "head_sha": HEAD, "head_branch": "topic", "status": status, "created_at": at(time),
                "app": "github-actions",
            }),
        );
    }

    /// A check run of GitHub Actions; without a conclusion it is in progress.
    pub(crate) fn check(
        &mut self,
        suite: u64,
        name: &str,
        conclusion: Option<&str>,
        started: &str,
        completed: &str,
    ) {
        self.check_of(
            "github-actions",
            15_368,
            suite,
            name,
            conclusion,
            started,
            completed,
        );
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn check_of(
        &mut self,
        app: &str,
        app_id: u64,
        suite: u64,
        name: &str,
        conclusion: Option<&str>,
        started: &str,
        completed: &str,
    ) {
        let id = self.id();
        self.put(
            "checkRuns",
            json!({
                "id": id, "name": name, "head_sha": HEAD,
                "status": if conclusion.is_some() { "completed" } else { "in_progress" },
                "conclusion": conclusion, "started_at": at(started),
                "completed_at": conclusion.map(|_| at(completed)), "app": { "id": app_id, "slug": app },
                "check_suite": { "id": suite },
                "html_url": format!("https://github.com/octo/widgets/actions/runs/77/job/{id}"),
            }),
        );
    }

    pub(crate) fn status(&mut self, context: &str, state: &str, time: &str) {
        let id = self.id();
        self.put(
            "statuses",
            json!({ "id": id, "context": context, "state": state, "created_at": at(time), "updated_at": at(time) }),
        );
    }

    pub(crate) fn evidence(&self) -> Evidence {
        Evidence::from_json(self.json.to_string().as_bytes()).expect("a bundle")
    }

    /// The snapshot document as JSON.
    pub(crate) fn snapshot(&self, settings: &Settings) -> Value {
        let (evidence, options) = (self.evidence(), Options::default());
        let run = Run::of(&evidence, &options).expect("a run");
        serde_json::to_value(Sensor::of(&run, settings).snapshot).expect("a document")
    }

    /// The snapshot document with nothing set.
    pub(crate) fn observed(&self) -> Value {
        self.snapshot(&Settings::default())
    }
}

fn bot() -> Value {
    json!({ "login": "chatgpt-codex-connector[bot]", "type": "Bot", "id": 199_175_422 })
}
