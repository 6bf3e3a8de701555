//! The chip: block dispatcher, epochs, threads. One call runs a launch.
//!
//! Multiprocessors and memory partitions speak only through the crossbar, which takes at least W cycles each way. So
//! the chip advances in epochs of W cycles: all multiprocessors and all partitions at once, each alone; then their
//! messages are exchanged in the order of (cycle, unit, sequence). No locks and no approximation: W is a true latency.
//! The output is the same byte for byte for any number of threads.

mod chip;
mod dispatch;
mod exchange;
mod launch;
pub mod limits;
mod parallel;
mod printed;
mod timeline;

pub use chip::{Progress, RunFault, RunOptions, RunOutcome, run};
pub use launch::{Launch, PreparedLaunch, machine_fault, prepare};
pub use timeline::{Timeline, TimelineOptions, TimelineWarp};
