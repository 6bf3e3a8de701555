//! The laboratory in the browser: the simulator asked and answered in JSON.
//!
//! [`Desk`] has the files of `configs`, a person's changes of them, and the device that is stepped; it answers a
//! [`Request`] with a value or says what is wrong, with places in texts. It knows no browser: `Laboratory`, which is built
//! for the web only, is all that JavaScript sees of it, and runs in a worker. The page beside it
//! (`crates/web/page/src/laboratory`) draws.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod answer;
mod check;
mod desk;
mod document;
mod files;
mod job;
mod labs;
mod request;
mod steps;
#[cfg(target_arch = "wasm32")]
mod worker;

pub use answer::{Refusal, TextFault};
pub use desk::Desk;
pub use request::{Look, Request, SetUp, To};
#[cfg(target_arch = "wasm32")]
pub use worker::Laboratory;
