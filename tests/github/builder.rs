//! Short sentences that put a pull request and what happened on it into a [`World`].
//!
//! `world.pull(42)` opens the pull request at `world.epoch` with one pushed commit, a check suite a minute later and one
//! successful check run; every method returns the id that GitHub would show.

mod checks;
mod discussion;
mod head;
mod texts;

use std::fmt;

use chrono::Duration;

use super::world::{Asset, Overrides, Pull, PullState, Release, Repository, World, ada, sha};

pub use texts::{announcement, clean_text, finding};

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl $name {
            /// GraphQL node id.
            pub fn node(self) -> String {
                format!(concat!($prefix, "_kwDO{}"), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}", self.0)
            }
        }
    };
}

identifier!(
    /// Numeric id of an issue comment.
    CommentId, "IC"
);
identifier!(
    /// Numeric id of a review.
    ReviewId, "PRR"
);
identifier!(
    /// Number inside a thread's node id; threads have no REST id.
    ThreadId, "PRRT"
);
identifier!(
    /// Numeric id of a review comment.
    ReviewCommentId, "PRRC"
);
identifier!(
    /// Numeric id of a reaction.
    ReactionId, "REA"
);
identifier!(
    /// Numeric id of a check suite.
    SuiteId, "CS"
);

/// What a reaction stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Body,
    Comment(CommentId),
    ReviewComment(ReviewCommentId),
}

impl From<CommentId> for Target {
    fn from(id: CommentId) -> Self {
        Self::Comment(id)
    }
}

impl From<ReviewCommentId> for Target {
    fn from(id: ReviewCommentId) -> Self {
        Self::ReviewComment(id)
    }
}

/// A pull request under construction; see the module's description.
pub struct PullHandle<'w> {
    world: &'w mut World,
    repository: usize,
    pull: usize,
}

impl World {
    /// The pull request of `octo/widgets` with that number, opened with the defaults when it does not exist.
    pub fn pull(&mut self, number: u64) -> PullHandle<'_> {
        self.pull_in("octo", "widgets", number)
    }

    /// As [`World::pull`], in another repository.
    pub fn pull_in(&mut self, owner: &str, name: &str, number: u64) -> PullHandle<'_> {
        let repository = match self.repository_index(owner, name) {
            Some(index) => index,
            None => {
                self.add_repository(owner, name);
                self.repositories.len() - 1
            }
        };
        let pull = match self.repositories[repository].pull_index(number) {
            Some(index) => index,
            None => self.open(repository, number),
        };
        PullHandle {
            world: self,
            repository,
            pull,
        }
    }

    /// The default repository, `octo/widgets`.
    pub fn widgets(&mut self) -> &mut Repository {
        &mut self.repositories[0]
    }

    /// Publishes a release with assets of these names and contents.
    pub fn release(&mut self, owner: &str, name: &str, tag: &str, assets: &[(&str, &[u8])]) {
        let id = self.next_id();
        let assets = assets
            .iter()
            .map(|(name, bytes)| Asset {
                id: self.next_id(),
                name: (*name).to_owned(),
                bytes: bytes.to_vec(),
            })
            .collect();
        let created_at = self.epoch;
        let index = self.repository_index(owner, name).unwrap_or_else(|| {
            self.add_repository(owner, name);
            self.repositories.len() - 1
        });
        self.repositories[index].releases.push(Release {
            id,
            tag: tag.to_owned(),
            created_at,
            assets,
        });
    }

    fn open(&mut self, repository: usize, number: u64) -> usize {
        let id = self.next_id();
        let opened = self.epoch;
        let place = &mut self.repositories[repository];
        let base_oid = place.commits[0].sha.clone();
        let base_ref = place.default_branch.clone();
        place.pulls.push(Pull {
            id,
            number,
            title: format!("Change {number}"),
            body: "What this changes and why.".to_owned(),
            author: Some(ada()),
            association: "MEMBER".to_owned(),
            state: PullState::Open,
            draft: false,
            created_at: opened,
            updated_at: opened,
            closed_at: None,
            merged_at: None,
            last_edited_at: None,
            editor: None,
            base_ref,
            base_oid,
            head_ref: format!("topic-{number}"),
            head_oid: String::new(),
            head_owner: None,
            commits: Vec::new(),
            labels: Vec::new(),
            review_decision: None,
            mergeable: "MERGEABLE".to_owned(),
            merge_state: "CLEAN".to_owned(),
            changed_files: 1,
            comments: Vec::new(),
            reviews: Vec::new(),
            threads: Vec::new(),
            reactions: Vec::new(),
            events: Vec::new(),
            overrides: Overrides::default(),
        });
        let pull = place.pulls.len() - 1;
        let mut handle = PullHandle {
            world: self,
            repository,
            pull,
        };
        let first = sha(&format!("{repository}/{number} first"));
        handle.add_commit(&first, opened - Duration::minutes(2));
        handle.move_head(&first);
        handle.activity(
            "branch_creation",
            &"0".repeat(40),
            &first,
            opened - Duration::minutes(1),
        );
        let suite = handle.suite(&first, opened + Duration::minutes(1));
        handle.check_in(
            suite,
            "build",
            Some("success"),
            opened + Duration::minutes(1),
            opened + Duration::minutes(3),
        );
        pull
    }
}

impl PullHandle<'_> {
    /// The typed pull request, for whatever no method here says.
    pub fn pull(&mut self) -> &mut Pull {
        &mut self.world.repositories[self.repository].pulls[self.pull]
    }

    /// The repository of the pull request.
    pub fn repository(&mut self) -> &mut Repository {
        &mut self.world.repositories[self.repository]
    }

    pub fn world(&mut self) -> &mut World {
        self.world
    }

    /// Full SHA of the head.
    pub fn head(&mut self) -> String {
        self.pull().head_oid.clone()
    }
}
