//! PTX through the compiler, run by the interpreter. One test binary: linking is most of what a small one costs.

mod calls;
mod chains;
mod common;
mod compile_time;
mod constant_offsets;
mod contraction;
mod copies;
mod declared_sizes;
mod fewer;
mod filetests;
mod forms;
mod four_words;
mod fragments;
mod instructions;
mod matrices;
mod mbarriers;
mod narrow_atomics;
mod nibbles;
mod operations;
mod precise;
mod programs;
mod suite;
mod turns;
mod unrolling;
mod warpgroups;
mod yields;
