//! PTX text to a tree with places, and back.

pub mod tree;
