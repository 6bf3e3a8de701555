//! PTX as people and nvcc write it. One test binary: linking is most of what a small one costs.

mod accepted;
mod faults;
mod real_files;
mod robustness;
