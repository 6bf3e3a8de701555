//! The word of a barrier in shared memory (`mbarrier`): what is missing until its phase is over. Where each count is, is what
//! an H200 keeps (measured: traces/h200/asynchronous/words.txt).

use serde::{Deserialize, Serialize};
use std::fmt;

/// Threads that a barrier can wait for in a phase.
pub const MOST_ARRIVALS: u32 = (1 << COUNT_BITS) - 1;

const COUNT_BITS: u32 = 20;
const BYTE_BITS: u32 = 21;
const EXPECTED: u32 = 1;
const BYTES: u32 = 21;
const MISSING: u32 = 43;
const PARITY: u32 = 63;

/// What a barrier in shared memory knows. Its word counts down to zero: all counts are kept as their negatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbarrier(u64);

/// Why a barrier cannot do what it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierFault {
    /// So many threads arrive, but the phase waits for fewer.
    TooManyArrivals {
        /// Threads that arrive.
        arrivals: u32,
        /// Threads that the phase waits for.
        missing: u32,
    },
    /// More bytes than it can count are to come, or have come that were not announced.
    TooManyBytes,
}

impl fmt::Display for MbarrierFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MbarrierFault::TooManyArrivals { arrivals, missing: 0 } => {
                write!(f, "{arrivals} arrive, but it waits for none: has 'mbarrier.init' been seen here?")
            }
            MbarrierFault::TooManyArrivals { arrivals, missing } => {
                write!(f, "{arrivals} arrive, but its phase waits for {missing} only")
            }
            MbarrierFault::TooManyBytes => {
                write!(f, "a barrier counts {} bytes at most, to come or come", (1_u32 << COUNT_BITS) - 1)
            }
        }
    }
}

/// What one instruction does to a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// Threads that arrive.
    pub arrivals: u32,
    /// Whether they take no part in later phases.
    pub drops: bool,
    /// Bytes that are to come; negative: that have come.
    pub bytes: i64,
}

impl Mbarrier {
    /// The barrier of a word of shared memory.
    #[must_use]
    pub fn of_word(word: u64) -> Mbarrier {
        Mbarrier(word)
    }

    /// Its word.
    #[must_use]
    pub fn word(self) -> u64 {
        self.0
    }

    /// The parity of the phase that it is in.
    #[must_use]
    pub fn parity(self) -> bool {
        self.0 >> PARITY != 0
    }

    /// Threads that each phase waits for.
    #[must_use]
    pub fn expected(self) -> u32 {
        negative(self.0 >> EXPECTED, COUNT_BITS)
    }

    /// Threads that this phase still waits for.
    #[must_use]
    pub fn missing(self) -> u32 {
        negative(self.0 >> MISSING, COUNT_BITS)
    }

    /// Bytes that this phase still waits for; negative where more have come than were announced.
    #[must_use]
    pub fn bytes(self) -> i32 {
        let unused = 32 - BYTE_BITS;
        ((negative(self.0 >> BYTES, BYTE_BITS) << unused) as i32) >> unused
    }

    /// After an arrival. When nothing is missing any more the next phase begins.
    ///
    /// # Errors
    /// When more arrive than are missing, or the bytes are too many; the barrier stays as it is.
    pub fn arrive(self, arrival: Arrival) -> Result<Mbarrier, MbarrierFault> {
        let Arrival { arrivals, drops, bytes } = arrival;
        let missing = self.missing();
        let Some(rest) = missing.checked_sub(arrivals) else {
            return Err(MbarrierFault::TooManyArrivals { arrivals, missing });
        };
        let bytes = i64::from(self.bytes()) + bytes;
        if bytes.unsigned_abs() >= 1 << COUNT_BITS {
            return Err(MbarrierFault::TooManyBytes);
        }
        let expected = if drops { self.expected().saturating_sub(arrivals) } else { self.expected() };
        let over = rest == 0 && bytes == 0;
        let missing = if over { expected } else { rest };
        let field = |value: u32, bits: u32, at: u32| u64::from(negative(u64::from(value), bits)) << at;
        Ok(Mbarrier(
            u64::from(self.parity() != over) << PARITY
                | field(missing, COUNT_BITS, MISSING)
                | field(bytes as u32, BYTE_BITS, BYTES)
                | field(expected, COUNT_BITS, EXPECTED),
        ))
    }
}

impl fmt::Display for Mbarrier {
    /// What it waits for, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "phase {}: {} of {} arrivals", u8::from(self.parity()), self.missing(), self.expected())?;
        match self.bytes() {
            0 => f.write_str(" missing"),
            bytes => write!(f, " and {bytes} bytes missing"),
        }
    }
}

/// The negative of the lowest bits of a number, as so many bits.
fn negative(value: u64, bits: u32) -> u32 {
    let mask = (1 << bits) - 1;
    (value as u32 & mask).wrapping_neg() & mask
}

#[cfg(test)]
mod tests {
    use super::{Arrival, Mbarrier, MbarrierFault};

    /// As `mbarrier.init` with 5 writes it.
    const FIVE: Mbarrier = Mbarrier(0x7fff_d800_001f_fff6);

    fn arrivals(arrivals: u32) -> Arrival {
        Arrival { arrivals, ..Arrival::default() }
    }

    fn bytes(bytes: i64) -> Arrival {
        Arrival { bytes, ..Arrival::default() }
    }

    fn after(barrier: Mbarrier, arrival: Arrival) -> Mbarrier {
        barrier.arrive(arrival).unwrap_or_else(|fault| panic!("{fault}"))
    }

    #[test]
    fn the_words_are_those_of_an_h200() {
        assert_eq!(after(FIVE, bytes(4096)).word(), 0x7fff_dbfe_001f_fff6);
        assert_eq!(
            after(FIVE, Arrival { arrivals: 1, drops: false, bytes: 3 }).word(),
            0x7fff_e3ff_ffbf_fff6
        );
        assert_eq!(after(FIVE, bytes(-3)).word(), 0x7fff_d800_007f_fff6);
        assert_eq!(after(FIVE, Arrival { arrivals: 2, drops: true, bytes: 0 }).word(), 0x7fff_e800_001f_fffa);
        assert_eq!(after(FIVE, arrivals(5)).word(), 0xffff_d800_001f_fff6);
    }

    #[test]
    fn a_phase_is_over_when_neither_arrivals_nor_bytes_are_missing() {
        let waits = after(after(FIVE, bytes(64)), arrivals(5));
        assert_eq!((waits.parity(), waits.missing(), waits.bytes()), (false, 0, 64));
        let next = after(waits, bytes(-64));
        assert_eq!((next.parity(), next.missing(), next.bytes()), (true, 5, 0));
    }

    #[test]
    fn more_arrivals_than_are_missing_are_a_fault() {
        let fault = MbarrierFault::TooManyArrivals { arrivals: 6, missing: 5 };
        assert_eq!(FIVE.arrive(arrivals(6)), Err(fault));
        assert_eq!(FIVE.arrive(bytes(1 << 20)), Err(MbarrierFault::TooManyBytes));
    }
}
