//! The subcommands, a file each.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod correlate;
pub(crate) mod experiment;
pub(crate) mod experiment_new;
pub(crate) mod explain;
pub(crate) mod gpu;
pub(crate) mod hazards;
pub(crate) mod isa;
pub(crate) mod lab;
pub(crate) mod listing;
pub(crate) mod occupancy;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod slurm;
pub(crate) mod stalls;
#[cfg(feature = "step")]
pub(crate) mod step;
