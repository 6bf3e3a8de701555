//! Cubins and what a disassembler says of them. One test binary: linking is most of what a small one costs.

mod lines;
mod listings;
mod runtime;
mod small;
