//! Reading the Codex connector: who wrote a text, what it means, and which comments ask it for a review.
//!
//! Text in, value out. Nothing here knows when a text was written or which head is current; what a rule cannot
//! decide is a value of its own ([`meaning::Meaning::Unclear`]), never a guess.

pub mod commits;
pub mod findings;
pub mod identity;
pub mod lane;
pub mod meaning;
pub mod notices;
pub mod sections;
pub mod summary;
pub mod triggers;

#[cfg(test)]
mod tests;
