//! What the first reading leaves to be read: everything keyed by a comment id, a short commit id or a node id.

use std::collections::BTreeSet;

use crate::bot::commits::{self, LabelledCommit};
use crate::bot::identity::Identity;
use crate::bot::lane::Lane;
use crate::bot::meaning::Meaning;
use crate::evidence::Evidence;
use crate::evidence::observed::Observed;
use crate::gate;
use crate::head::{BindingStatus, BoundBy, TriggerClaim};
use crate::options::Options;
use crate::reading::{NamedCommit, Role, is_candidate_form};
use crate::run::{Run, lagging_review_ids};

/// Which decision the reading is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The run protocol alone.
    #[default]
    Run,
    /// The run and the merge gate: reactions on the connector's own comments count too.
    Gate,
    /// The run and the snapshot: when the head was first seen counts too.
    Sensor,
    /// The run, the gate and the snapshot.
    Convergence,
}

impl Purpose {
    /// Whether the merge gate is decided too.
    fn decides_gate(self) -> bool {
        match self {
            Self::Gate | Self::Convergence => true,
            Self::Run | Self::Sensor => false,
        }
    }

    /// Whether the arrival of the head is told for its own sake.
    fn tells_arrival(self) -> bool {
        match self {
            Self::Sensor | Self::Convergence => true,
            Self::Run | Self::Gate => false,
        }
    }
}

/// What to read next. Every list is sorted and without repetition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Comment ids whose reactions decide something.
    pub reactions_of: Vec<u64>,
    /// Short commit ids to resolve: those that the head begins with.
    pub resolve: Vec<String>,
    /// Node ids of comments and reviews whose edits matter.
    pub edits_of: Vec<String>,
    /// Whether the head branch's pushes are needed to bind a trigger or a thumbs-up.
    pub activity: bool,
    /// Reviews whose inline comments are not visible yet.
    pub lagging_reviews: Vec<u64>,
}

/// Works out what to read next from what was read so far.
pub fn wanted(evidence: &Evidence, options: &Options, purpose: Purpose) -> Wanted {
    let Some(run) = Run::of(evidence, options) else {
        return Wanted::default();
    };
    let (reading, history) = (&run.reading, &run.history);
    let mut reactions = BTreeSet::new();
    let mut resolve = BTreeSet::new();
    let mut edits = BTreeSet::new();
    // A review comes long after the push it is evidence of.
    let arrived = history
        .first_sighting()
        .is_some_and(|first| first.by != BoundBy::Review);
    let mut activity = purpose.tells_arrival() && !arrived;
    let mut note_edit = |node_id: &Observed<String>| {
        if let Some(id) = node_id.known() {
            edits.insert(id.clone());
        }
    };
    let mut note_commit = |body: &str| {
        if let LabelledCommit::One(prefix) = commits::labelled(body) {
            let head = &reading.pull.head_ref_oid;
            if head.starts_with(&prefix) && prefix.len() < head.as_str().len() {
                resolve.insert(prefix);
            }
        }
    };
    for comment in &reading.comments {
        match &comment.role {
            Role::Addressed {
                form,
                marked,
                markers,
            } => {
                let Some(order) = comment.order else { continue };
                if !is_candidate_form(*form) || comment.identity == Identity::Mismatched {
                    continue;
                }
                let journal = evidence.local.journal.created.iter();
                let journal = journal
                    .filter(|one| one.comment_id == order.id)
                    .map(|one| &one.head)
                    .next();
                let binding = history.bind(&TriggerClaim {
                    at: order.at,
                    marked,
                    journal,
                });
                if !markers.is_empty() {
                    note_edit(&comment.comment.node_id);
                }
                match binding.status {
                    BindingStatus::Bound => {
                        reactions.insert(order.id);
                        // A marker for a head that GitHub first shows later may have been written before the push.
                        activity |= binding.by == BoundBy::Marker
                            && history.first_sighting().is_some_and(|first| first.at > order.at);
                    }
                    BindingStatus::Unproven => {
                        reactions.insert(order.id);
                        activity = true;
                    }
                    BindingStatus::Superseded => {}
                }
            }
            Role::Connector { meaning, commit } => {
                let body = comment.comment.body.text();
                match meaning {
                    Meaning::NoFindings { .. } | Meaning::Unclear { .. } => {
                        note_commit(body);
                        note_edit(&comment.comment.node_id);
                    }
                    Meaning::Findings { .. } => note_commit(body),
                    Meaning::Failure { .. } => note_edit(&comment.comment.node_id),
                    Meaning::Boilerplate { .. }
                    | Meaning::Notice { .. }
                    | Meaning::TaskReply
                    | Meaning::Summary { .. } => {}
                }
                let names_head = match (meaning, commit) {
                    (
                        Meaning::NoFindings { lane: Lane::Code } | Meaning::Unclear { lane: Lane::Code },
                        NamedCommit::Head | NamedCommit::Unresolved(_),
                    ) => true,
                    (_, _) => false,
                };
                // The list of comments counts their reactions: none need not be asked for.
                let none = comment
                    .comment
                    .reactions
                    .as_ref()
                    .is_some_and(|count| count.total_count.get() == Some(0));
                if purpose.decides_gate()
                    && names_head
                    && !none
                    && let Some(order) = comment.order
                {
                    reactions.insert(order.id);
                }
            }
            Role::Bystander => {}
        }
    }
    for review in reading
        .reviews
        .iter()
        .filter(|review| review.identity == Identity::Connector)
    {
        if review.commit == NamedCommit::Head && matches!(review.meaning, Meaning::NoFindings { .. }) {
            note_edit(&review.review.node_id);
        }
    }
    if purpose.decides_gate() && gate::approval::pushes_would_bind(&run) {
        activity = true;
    }
    Wanted {
        reactions_of: reactions.into_iter().collect(),
        resolve: resolve.into_iter().collect(),
        edits_of: edits.into_iter().collect(),
        activity,
        lagging_reviews: lagging_review_ids(&run),
    }
}

#[cfg(test)]
mod tests;
