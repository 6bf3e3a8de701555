//! Products of matrices that the lanes of a row hold together.

/// d = a * b + c for matrices of `rows` by `depth` and `depth` by eight elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix {
    pub(crate) rows: u8,
    pub(crate) depth: u8,
    pub(crate) kind: MatrixKind,
    /// Which half of the first factor there is, if it is sparse.
    pub(crate) sparse: Option<Sparse>,
}

/// Where it says which of its columns there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sparse {
    /// The register of the metadata.
    pub(crate) metadata: u16,
    /// Which lanes hold it.
    pub(crate) selector: u8,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum MatrixKind {
    /// Short floats; sums in single precision, or in half.
    Floats { format: FactorFormat, half_sums: bool },
    /// Bytes, with a sign or without in either factor; sums of 32 bits, which wrap around unless they saturate.
    Bytes { signed: [bool; 2], saturate: bool },
    /// Double precision.
    Doubles,
}

/// What the elements of both factors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FactorFormat {
    F16,
    Bf16,
    /// The upper 19 bits of single precision.
    Tf32,
}
