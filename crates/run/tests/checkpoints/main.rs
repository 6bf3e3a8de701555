//! What is stored and read back goes on as if it had never stopped: one SM, one memory partition, a whole device. The code
//! that stores them is generated here, unoptimised, and not once more in every crate that simulates.
#![allow(missing_docs)]

#[path = "../../../gpu/tests/common/mod.rs"]
mod device;
mod files;
mod partition;
mod sm;
#[path = "../../../sm/tests/common/mod.rs"]
mod sm_bench;
