//! The review run: what its evidence proves (review-run protocol).

pub mod signature;
