//! The device: block dispatcher, epochs, threads. It runs launches one after another, as a stream does.
//!
//! SMs and memory partitions speak only through the crossbar, which takes at least W cycles each way. What an SM sends can
//! be answered 2 W cycles later, no sooner. So the device advances in epochs of 2 W cycles: all SMs at once, each alone; then
//! all partitions, which thereby are W cycles ahead. Messages are handed over in the order of (cycle, unit, sequence). No locks
//! and no approximation: W is a true latency. The output is the same byte for byte for any number of threads.
//!
//! Where a device is to stand at one cycle, all of it, or loads wait for what other SMs store, epochs last W cycles.

mod device;
mod dispatch;
mod epoch;
mod exchange;
mod fault;
mod inspect;
mod launch;
mod limits;
mod memory_side;
mod next_events;
mod order;
mod outcome;
mod parallel;
mod partition_port;
mod peers;
mod placement;
mod printed;
mod run;
mod running;
mod sampling;
mod so_far;
mod stores;
mod timeline;

pub use device::{Device, DeviceState, Status, Watch};
pub use fault::RunFault;
pub use inspect::{Probe, ShownSets};
pub use launch::{LaunchOptions, LaunchRequest, PreparedLaunch, launch_occupancy, machine_fault, prepare};
pub use limits::DEFAULT_MAX_INSTRUCTIONS;
pub use outcome::{Progress, RunOutcome};
pub use run::{RunOptions, run};
pub use timeline::{Timeline, TimelineRecording, TimelineWarp};
