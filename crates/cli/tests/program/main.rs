//! The `warplab` program, called as a person calls it. One test binary: linking is most of what a small one costs.

mod book;
mod book_machine;
mod checkpoints;
mod common;
mod compare;
mod contraction;
mod correlate;
#[cfg(unix)]
mod course_tables;
mod documents;
mod experiments;
mod exports;
mod faults;
mod figures;
mod hazards;
mod instructions_page;
mod kernels;
mod lab_commands;
mod lab_hints;
mod labs;
mod launch_clusters;
mod launches;
mod links;
#[cfg(unix)]
mod output;
mod page;
mod reference;
mod reports;
mod runtime;
mod sampling;
mod scheduler_formula;
mod serve;
mod several_launches;
#[cfg(unix)]
mod slurm;
#[cfg(unix)]
mod tools;
mod usage;
