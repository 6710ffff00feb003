//! Replies to items that have no thread: one top-level comment that links the item and carries the handled marker.

use super::disposition::{Refusal, RefusalCode};
use crate::bot::triggers::{HandledOutcome, handled_markers};
use crate::evidence::handled::Outcome;
use crate::lineage::{Nonce, Poster};
use crate::reading::{CommentReading, Reading};
use crate::sensor::items::{Item, ItemKind};
use crate::thread;

/// A reply that may be posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The item it answers.
    pub key: String,
    /// What it says became of the item.
    pub outcome: HandledOutcome,
    /// What the reader sees: the link and the words.
    pub text: String,
}

/// The longest reply, in characters; GitHub takes some more.
pub const TEXT_LIMIT: usize = 60_000;

impl Draft {
    /// Checks what is to be said about an item.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn of(item: &Item, outcome: Outcome, words: &str) -> Result<Self, Vec<Refusal>> {
        let mut refusals = Vec::new();
        let mut refuse = |code, message: &str| {
            refusals.push(Refusal {
                code,
                message: message.to_owned(),
            });
        };
        if item.kind == ItemKind::InlineComment {
            refuse(
                RefusalCode::InlineItem,
                "The item has a thread; answer it there: `resolve PR THREAD --reply TEXT`.",
            );
        }
        let handled = match outcome {
            Outcome::Fixed => Some(HandledOutcome::Fixed),
            Outcome::Rebutted => Some(HandledOutcome::Rebutted),
            Outcome::UserDecision => None,
        };
        if handled.is_none() {
            refuse(
                RefusalCode::UserDecisionOpen,
                "A user's decision stays open until it became fixed or rebutted; there is nothing to answer yet.",
            );
        }
        let words = words.trim();
        if words.chars().count() > TEXT_LIMIT {
            refuse(RefusalCode::TooLong, "The reply is longer than 60000 characters.");
        }
        if let Some((code, message)) = thread::unfit(words) {
            let code = if code == thread::RefusalCode::MentionsCodex {
                RefusalCode::MentionsCodex
            } else {
                RefusalCode::BareReply
            };
            refuse(code, &message);
        }
        match handled {
            Some(outcome) if refusals.is_empty() => Ok(Self {
                key: item.item_key.clone(),
                outcome,
                text: match &item.url {
                    Some(url) if !words.contains(url.as_str()) => format!("In answer to {url}\n\n{words}"),
                    Some(_) | None => words.to_owned(),
                },
            }),
            Some(_) | None => Err(refusals),
        }
    }

    /// The exact body. The marker comes first: nothing that the text leaves open can swallow it.
    pub fn body(&self, id: &Nonce) -> String {
        format!(
            "<!-- codex-loop: handled {} outcome={} id={id} -->\n\n{}",
            self.key,
            self.outcome.as_str(),
            self.text
        )
    }
}

/// The comment with this nonce in its handled marker.
pub fn find<'a, 'e>(reading: &'a Reading<'e>, id: &Nonce) -> Option<&'a CommentReading<'e>> {
    reading.comments.iter().find(|comment| {
        let markers = handled_markers(comment.comment.body.text());
        markers.iter().any(|marker| marker.id == id.as_str())
    })
}

/// The same reply by the same person, from whichever machine.
pub fn same<'a, 'e>(
    reading: &'a Reading<'e>,
    poster: &Poster,
    draft: &Draft,
) -> Option<&'a CommentReading<'e>> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    reading.comments.iter().find(|comment| {
        let user = comment.comment.user.as_ref();
        let by_poster = user
            .and_then(|user| user.login.known())
            .is_some_and(|login| login.eq_ignore_ascii_case(&poster.login));
        let body = comment.comment.body.text();
        by_poster
            && handled_markers(body)
                .into_iter()
                .filter_map(|marker| marker.id.parse::<Nonce>().ok())
                .any(|id| words(body) == words(&draft.body(&id)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::run::Run;
    use crate::sensor::items;
    use crate::sensor::world::{HEAD, World};

    fn id() -> Nonce {
        "01234567-89ab-4def-8123-456789abcdef".parse().expect("a nonce")
    }

    fn drafted(world: &World, key: &str, outcome: Outcome, words: &str) -> Result<Draft, Vec<RefusalCode>> {
        let (evidence, options) = (world.evidence(), Options::default());
        let run = Run::of(&evidence, &options).expect("a run");
        let items = items::all(&run);
        let item = items
            .iter()
            .find(|placed| placed.item.item_key == key)
            .expect("an item");
        Draft::of(&item.item, outcome, words)
            .map_err(|refusals| refusals.into_iter().map(|refusal| refusal.code).collect())
    }

    #[test]
    fn a_reply_links_the_item_and_carries_the_marker_first() {
        let mut world = World::new();
        let review = world.review(HEAD, "The lock is dropped too early.", "10:00");
        let key = format!("review-body:{review}");
        let draft = drafted(&world, &key, Outcome::Rebutted, " The caller holds it. ").expect("fit");
        let body = draft.body(&id());
        assert_eq!(
            body,
            format!(
                "<!-- codex-loop: handled {key} outcome=rebutted id={} -->\n\nIn answer to \
                 https://github.com/octo/widgets/pull/42#pullrequestreview-{review}\n\nThe caller holds it.",
                id()
            )
        );
        let markers = handled_markers(&body);
        assert_eq!(
            (markers[0].key.as_str(), markers[0].outcome),
            (key.as_str(), HandledOutcome::Rebutted)
        );
        let linked = format!(
            "https://github.com/octo/widgets/pull/42#pullrequestreview-{review} is wrong: see `save`."
        );
        assert_eq!(
            drafted(&world, &key, Outcome::Rebutted, &linked)
                .expect("fit")
                .text,
            linked
        );
    }

    #[test]
    fn what_may_not_be_said_is_refused() {
        let mut world = World::new();
        let review = world.review(HEAD, "The lock is dropped too early.", "10:00");
        let key = format!("review-body:{review}");
        let (_, inline) = world.round(HEAD, HEAD, "10:01");
        for (key, outcome, words, codes) in [
            (&key, Outcome::Fixed, "Fixed.", vec![RefusalCode::BareReply]),
            (&key, Outcome::Fixed, " ", vec![RefusalCode::BareReply]),
            (
                &key,
                Outcome::Fixed,
                "@codex review this again",
                vec![RefusalCode::MentionsCodex],
            ),
            (
                &key,
                Outcome::UserDecision,
                "The user decides about the API.",
                vec![RefusalCode::UserDecisionOpen],
            ),
            (
                &inline,
                Outcome::Rebutted,
                "The caller holds the lock.",
                vec![RefusalCode::InlineItem],
            ),
        ] {
            assert_eq!(drafted(&world, key, outcome, words), Err(codes), "{words}");
        }
        let words = |characters: usize| {
            "a word "
                .chars()
                .cycle()
                .take(characters.saturating_sub(1))
                .chain(['.'])
                .collect::<String>()
        };
        assert!(drafted(&world, &key, Outcome::Rebutted, &words(TEXT_LIMIT)).is_ok());
        assert_eq!(
            drafted(&world, &key, Outcome::Rebutted, &words(TEXT_LIMIT + 1)),
            Err(vec![RefusalCode::TooLong])
        );
    }

    #[test]
    fn a_reply_that_stands_is_found_by_its_id_or_by_its_words_and_author() {
        let mut world = World::new();
        let review = world.review(HEAD, "The lock is dropped too early.", "10:00");
        let key = format!("review-body:{review}");
        let draft = drafted(&world, &key, Outcome::Rebutted, "The caller holds it.").expect("fit");
        let posted = world.person(&draft.body(&id()), "10:05");
        let (evidence, options) = (world.evidence(), Options::default());
        let run = Run::of(&evidence, &options).expect("a run");
        let by = |login: &str| Poster {
            login: login.to_owned(),
            id: 1,
        };
        let number = |found: Option<&CommentReading<'_>>| found.and_then(|found| found.comment.id.get());
        assert_eq!(number(find(&run.reading, &id())), Some(posted));
        assert_eq!(number(same(&run.reading, &by("ADA"), &draft)), Some(posted));
        assert_eq!(number(same(&run.reading, &by("grace"), &draft)), None);
        for other in [
            Draft {
                text: "Something else.".to_owned(),
                ..draft.clone()
            },
            Draft {
                outcome: HandledOutcome::Fixed,
                ..draft.clone()
            },
            Draft {
                key: "review-body:1".to_owned(),
                ..draft
            },
        ] {
            assert_eq!(number(same(&run.reading, &by("ada"), &other)), None, "{other:?}");
        }
    }
}
