//! Instructions across the lanes of a warp.

use super::AtomicOp;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Warp {
    Shuffle(ShuffleMode),
    Vote(VoteMode),
    Match {
        all: bool,
        wide: bool,
    },
    Reduce {
        op: AtomicOp,
        signed: bool,
    },
    Elect,
    /// p = the value of the lane is another one than that of the lowest; `or`: or p.
    ToUniform {
        or: bool,
    },
    /// d = the transpose of an 8x8 matrix of 16-bit elements.
    Transpose,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ShuffleMode {
    Index,
    Up,
    Down,
    Butterfly,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Equal,
}
