//! What a description may hold, as JSON schema: for editors, and for the checks.

use crate::check::TextCheck;
use crate::{Course, Experiment, GpuConfig, Lab, Launch};
use schemars::schema_for;
use serde_json::Value;
use std::ops::Range;
use std::str::FromStr;
use std::sync::OnceLock;
use warplab_diagnostics::Diagnostic;
use warplab_units::ElementType;

/// A kind of description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptionKind {
    /// A machine: `configs/gpus/*.ron`.
    Gpu,
    /// A launch: `configs/launches/*.ron`.
    Launch,
    /// An experiment: `configs/experiments/*.ron`.
    Experiment,
    /// The rows of the course: `configs/course/rows.ron`.
    Course,
    /// A lab: `configs/labs/*/lab.ron`.
    Lab,
}

impl DescriptionKind {
    /// Every kind.
    pub const ALL: [DescriptionKind; 5] = [
        DescriptionKind::Gpu,
        DescriptionKind::Launch,
        DescriptionKind::Experiment,
        DescriptionKind::Course,
        DescriptionKind::Lab,
    ];

    /// The name that a person types.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DescriptionKind::Gpu => "gpu",
            DescriptionKind::Launch => "launch",
            DescriptionKind::Experiment => "experiment",
            DescriptionKind::Course => "course",
            DescriptionKind::Lab => "lab",
        }
    }

    /// What a text describes: only labs have runs, only experiments columns, only courses rows, only launches a kernel.
    #[must_use]
    pub fn of(text: &str) -> DescriptionKind {
        let (tree, _) = crate::ron_tree::parse(text);
        let has = |name: &str| tree.find(&[name]).is_some();
        match () {
            () if has("runs") => DescriptionKind::Lab,
            () if has("columns") || has("axes") => DescriptionKind::Experiment,
            () if has("rows") => DescriptionKind::Course,
            () if has("kernel") || has("program") || has("grid") => DescriptionKind::Launch,
            () => DescriptionKind::Gpu,
        }
    }
}

/// The JSON schema of a kind of description, made once.
#[must_use]
pub fn schema(kind: DescriptionKind) -> &'static Value {
    static SCHEMAS: [OnceLock<Value>; DescriptionKind::ALL.len()] =
        [const { OnceLock::new() }; DescriptionKind::ALL.len()];
    SCHEMAS[kind as usize].get_or_init(|| {
        match kind {
            DescriptionKind::Gpu => schema_for!(GpuConfig),
            DescriptionKind::Launch => schema_for!(Launch),
            DescriptionKind::Experiment => schema_for!(Experiment),
            DescriptionKind::Course => schema_for!(Course),
            DescriptionKind::Lab => schema_for!(Lab),
        }
        .to_value()
    })
}

/// Texts with a grammar of their own.
pub(crate) const FORMATS: &[(&str, TextCheck)] = &[
    ("size", |text| crate::launch::parse_size(text).map(|_| ()).map_err(|message| (0..text.len(), message))),
    ("extent", |text| {
        crate::launch::parse_extent(text).map(|_| ()).map_err(|message| (0..text.len(), message))
    }),
    ("element", |text| {
        let known = ElementType::ALL.map(ElementType::name).join(", ");
        let wrong = || (0..text.len(), format!("'{text}' is no type of elements; known: {known}"));
        ElementType::from_name(text).map(|_| ()).ok_or_else(wrong)
    }),
    ("hex", |text| {
        text.parse::<crate::launch::HexBytes>().map(|_| ()).map_err(|message| (0..text.len(), message))
    }),
    ("formula", parses::<crate::launch::Formula>),
    ("expression", parses::<crate::experiment::Expression>),
    ("rank", parses::<crate::gpu::RankFormula>),
    ("template", parses::<crate::experiment::Template>),
];

fn parses<T: FromStr<Err = Diagnostic>>(text: &str) -> Result<(), (Range<usize>, String)> {
    text.parse::<T>().map(|_| ()).map_err(|fault| (fault.span.range(), fault.message))
}
