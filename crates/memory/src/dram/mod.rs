//! DRAM: pseudo-channels with banks, rows and timing constraints, scheduled first-ready, first-come-first-served.

mod channel;
mod constraints;
mod map;
mod pending;
mod queues;
mod refresh;
mod standard;
#[cfg(test)]
mod tests;

pub use channel::{Access, ChannelSpec, ChannelView, DramAccessView, PseudoChannel};
pub use map::{DramMap, DramPlace};
