//! The page that shows what a launch did.
//!
//! [`PageDocument`] is everything that the page shows, as plain data with a version; `page/src/document.ts` is the same
//! as a TypeScript type. The views of `page/` draw such a document and know nothing of where it comes from. [`html`]
//! puts a document and the built views into one file that needs nothing else. Who runs the simulator is not known here.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod code;
mod comparison;
mod document;
mod html;
mod occupancy;
mod queues;
mod sections;
mod timeline;

pub use code::{Code, CodeCounts, Text};
pub use comparison::{comparison_html, document_of};
pub use document::{PageDocument, VERSION, page_document};
pub use html::html;
pub use timeline::{Record, ResidentWarp, TimelineDocument, timeline_document};

use warplab_metrics::{Context, SectionValues};

/// What is known of one launch.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The counters, the machine and the launch.
    pub context: Context<'a>,
    /// The sections, as the report prints them.
    pub sections: &'a [SectionValues],
    /// What was recorded of one multiprocessor, if anything.
    pub record: Option<&'a Record<'a>>,
    /// The code of the kernel, if it is at hand.
    pub code: Option<&'a Code<'a>>,
}
