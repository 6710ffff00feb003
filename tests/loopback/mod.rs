//! Proofs of the loopback GitHub itself, through the real gh and against GitHub's published descriptions.

mod openapi;
mod reads;
