//! Stands in for the core's own plan until it is there.

use codex_loop::evidence::Evidence;

/// What to read next.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub reactions_of: Vec<u64>,
    pub resolve: Vec<String>,
    pub edits_of: Vec<String>,
    pub activity: bool,
    pub lagging_reviews: Vec<u64>,
}

/// Reactions and edits of every comment that names the bot.
pub fn wanted(evidence: &Evidence) -> Wanted {
    let named = |body: &str| {
        body.trim_start()
            .to_ascii_lowercase()
            .starts_with("@codex review")
    };
    let comments = evidence.surfaces.issue_comments.items();
    let triggers = comments.iter().filter(|comment| named(comment.body.text()));
    Wanted {
        reactions_of: triggers.filter_map(|comment| comment.id.get()).collect(),
        ..Wanted::default()
    }
}
