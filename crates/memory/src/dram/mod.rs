//! DRAM: pseudo-channels with banks, rows and timing constraints, scheduled first-ready, first-come-first-served.

mod bank;
mod channel;
mod constraints;
mod map;
mod refresh;
mod standard;
#[cfg(test)]
mod tests;

pub use channel::{Access, ChannelSpec, PseudoChannel};
pub use map::{DramMap, DramPlace};
