//! Review requests that say for themselves that they are for the current head.
//!
//! A request without a marker opens no phase: nothing ties it, or a reaction on it, to a commit (stable sensor,
//! "Advance one tick").

use crate::bot::identity::Identity;
use crate::bot::triggers::{Form, MarkedHead};
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
    let head = &reading.pull.head_ref_oid;
    reading
        .comments
        .iter()
        .filter(|comment| match (&comment.role, comment.identity) {
            (_, Identity::Connector | Identity::Mismatched) => false,
            (Role::Addressed { form, marked, .. }, Identity::Other | Identity::Missing) => {
                asks_for_review(*form) && *marked == MarkedHead::One(head.clone())
            }
            (Role::Connector { .. } | Role::Bystander, Identity::Other | Identity::Missing) => false,
        })
        .filter(|comment| reading.comment_edited(comment.comment) == EditState::Unedited)
        .filter_map(|comment| comment.order.map(|order| Request { order, comment }))
        .collect()
}

fn asks_for_review(form: Form) -> bool {
    match form {
        Form::Exact | Form::Marked | Form::Directed => true,
        Form::Security | Form::Task | Form::Mention | Form::Quoted => false,
    }
}
