//! Report values and how they are shown: human text and JSON documents.

pub mod sanitise;
