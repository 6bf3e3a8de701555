//! Descriptions as a person writes them. One test binary: linking is most of what a small one costs.

mod experiment_faults;
mod faults;
mod occupancy;
mod shipped;
