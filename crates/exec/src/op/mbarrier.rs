//! Instructions on barriers in shared memory.

use super::AddressForm;

/// One instruction on barriers in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MbarrierOp {
    pub(crate) address: AddressForm,
    pub(crate) kind: MbarrierKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MbarrierKind {
    /// The word becomes source 0.
    Exchange,
    /// Source 0 is a count of threads or bytes.
    Arrive {
        arrivals: Amount,
        bytes: Amount,
        /// What is counted as bytes has come; else it is to come.
        come: bool,
        drops: bool,
        /// The lower register of the answer is the lanes that name the same barrier.
        lanes: bool,
    },
    /// The phase whose parity is the highest bit of source 0 is over.
    Test {
        /// It waits a while for that.
        waits: bool,
    },
    Invalidate,
    /// An arrival of each lane, or a byte that has come, when its copies so far have ended.
    CopiesArrive {
        bytes: bool,
    },
}

/// How many threads arrive, or bytes are counted, for each lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    Number(u32),
    /// Source 0 of the lane.
    Source,
}
