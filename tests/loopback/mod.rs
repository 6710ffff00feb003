//! Proofs of the loopback GitHub itself, through the real gh and against GitHub's published descriptions.

mod builder;
mod environment;
mod faults;
mod openapi;
mod reads;
mod writes;
