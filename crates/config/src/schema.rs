//! What a description may hold, as JSON schema: for editors, and for the checks.

use crate::check::TextCheck;
use crate::{GpuConfig, Lab, Launch};
use schemars::schema_for;
use serde_json::Value;

/// A kind of description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A machine: `configs/gpus/*.ron`.
    Gpu,
    /// A launch: `configs/launches/*.ron`.
    Launch,
    /// A lab: `configs/labs/*/lab.ron`.
    Lab,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 3] = [Kind::Gpu, Kind::Launch, Kind::Lab];

    /// The name that a person types.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Gpu => "gpu",
            Kind::Launch => "launch",
            Kind::Lab => "lab",
        }
    }
}

/// The JSON schema of a kind of description.
#[must_use]
pub fn schema(kind: Kind) -> Value {
    match kind {
        Kind::Gpu => schema_for!(GpuConfig),
        Kind::Launch => schema_for!(Launch),
        Kind::Lab => schema_for!(Lab),
    }
    .to_value()
}

/// Texts with a grammar of their own.
pub(crate) const FORMATS: &[(&str, TextCheck)] = &[
    ("size", |text| crate::launch::parse_size(text).map(|_| ()).map_err(|message| (0..text.len(), message))),
    ("formula", |text| {
        text.parse::<crate::launch::Formula>()
            .map(|_| ())
            .map_err(|fault| (fault.span.range(), fault.message))
    }),
];
