//! What studies: experiments, the hardware reference and its correlation, labs, queues as simulations, and many pieces of
//! such work on many threads. Launches are run by `warplab-run`.
//!
//! Nothing here prints, reads the environment or opens a file: the caller gives the texts, or a
//! [`ReadFile`](warplab_run::ReadFile).

pub mod correlate;
pub mod experiment;
pub mod labs;
pub mod pool;
pub mod queueing;
pub mod reference;
