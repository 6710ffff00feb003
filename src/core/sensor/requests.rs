//! Review requests that say for themselves that they are for the current head.
//!
//! A request without a marker opens no phase: nothing ties it, or a reaction on it, to a commit (stable sensor,
//! "Advance one tick").

use crate::bot::identity::Identity;
use crate::bot::triggers::{Form, MarkedHead};
use crate::evidence::name::EvidenceName;
use crate::reading::{CommentOrder, CommentReading, EditState, Reading, Role};

/// A request with a marker for the head.
#[derive(Clone, Debug)]
pub struct Request<'a, 'e> {
    /// Its order among the comments.
    pub order: CommentOrder,
    /// The comment.
    pub comment: &'a CommentReading<'e>,
}

/// The requests marked for the head, oldest first. A marker in an edited comment binds nothing.
pub fn for_head<'a, 'e>(reading: &'a Reading<'e>) -> Vec<Request<'a, 'e>> {
    marked(reading)
        .filter(|comment| reading.comment_edited(comment.comment) == EditState::Unedited)
        .filter_map(|comment| comment.order.map(|order| Request { order, comment }))
        .collect()
}

/// Those of which nobody can say whether they were edited.
pub(super) fn with_unknown_edits<'a>(reading: &'a Reading<'_>) -> impl Iterator<Item = EvidenceName> + 'a {
    marked(reading)
        .filter(|comment| reading.comment_edited(comment.comment) == EditState::Unknown)
        .map(|comment| comment.name.clone())
}

fn marked<'a, 'e>(reading: &'a Reading<'e>) -> impl Iterator<Item = &'a CommentReading<'e>> {
    let head = &reading.pull.head_ref_oid;
    reading
        .comments
        .iter()
        .filter(move |comment| match (&comment.role, comment.identity) {
            (_, Identity::Connector | Identity::Mismatched) => false,
            (Role::Addressed { form, marked, .. }, Identity::Other | Identity::Missing) => {
                asks_for_review(*form) && *marked == MarkedHead::One(head.clone())
            }
            (Role::Connector { .. } | Role::Bystander, Identity::Other | Identity::Missing) => false,
        })
}

fn asks_for_review(form: Form) -> bool {
    match form {
        Form::Exact | Form::Marked | Form::Directed => true,
        Form::Security | Form::Task | Form::Mention | Form::Quoted => false,
    }
}
