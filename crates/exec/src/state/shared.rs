//! The shared memory of a block.

use crate::LANES;
use crate::Row;
use crate::fault::{ExecFault, FaultKind, MemoryFault};
use crate::memory::{AtomicRequest, Lanes, Pattern};
use crate::op::Space;
use crate::semantics::atomics::apply;
use crate::state::mbarrier::{Arrival, Mbarrier};
use crate::state::register_pool::RegisterPool;
use serde::{Deserialize, Serialize};
use warplab_units::Address;

/// Bytes at the start of a block's shared memory that belong to the system on compute capability 9.0: a kernel's own
/// static shared memory starts here, and its dynamic shared memory after that.
pub const RESERVED_SHARED_BYTES: u32 = 1024;

/// The shared memory of a block: system bytes, static, dynamic. Starts as zeros. Beside it, the registers that its warps share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SharedMemory {
    words: Vec<u32>,
    bytes: u32,
    pub(crate) registers: RegisterPool,
}

impl SharedMemory {
    /// Memory for this many bytes of the kernel's own (static and dynamic); the system's come on top.
    #[must_use]
    pub fn new(own_bytes: u32) -> SharedMemory {
        let bytes = RESERVED_SHARED_BYTES + own_bytes;
        let registers = RegisterPool::default();
        // Whole accesses of the widest load that begins inside.
        SharedMemory { words: vec![0; bytes.next_multiple_of(16) as usize / 4], bytes, registers }
    }

    /// For the next block: all zeros.
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.registers.clear();
    }

    /// All bytes, the system's included.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words[..self.bytes.div_ceil(4) as usize]
    }

    /// Checks bounds and alignment of every lane.
    ///
    /// # Errors
    /// The lowest lane that fails.
    #[inline]
    pub fn check(&self, lanes: &Lanes<'_>) -> Result<(), MemoryFault> {
        within(lanes, self.bytes)
    }

    /// Checks a load, which need only begin inside: ptxas makes one of several, and of the last one's rest nothing is used.
    #[inline]
    fn check_load(&self, lanes: &Lanes<'_>) -> Result<(), MemoryFault> {
        within(lanes, self.bytes.next_multiple_of(lanes.bytes))
    }

    /// Reads a value a lane.
    ///
    /// # Errors
    /// The lowest lane whose access is out of bounds or misaligned.
    #[inline(always)]
    pub fn load(&self, lanes: Lanes<'_>, out: &mut [Row; 4]) -> Result<(), MemoryFault> {
        self.check_load(&lanes)?;
        match (lanes.pattern, lanes.mask.lowest()) {
            (Pattern::Contiguous, _) if lanes.bytes >= 4 => {
                let words =
                    &self.words[lanes.addresses[0] as usize / 4..][..LANES * lanes.bytes as usize / 4];
                lanes.read_in_order(|at| words[at], out);
            }
            (Pattern::Uniform, Some(lane)) => {
                let words = &self.words[lanes.addresses[lane] as usize / 4..];
                let rows = out.iter_mut().take(lanes.bytes.div_ceil(4) as usize);
                rows.zip(words).for_each(|(row, &word)| *row = [word; LANES]);
            }
            _ => self.load_scattered(&lanes, out),
        }
        if lanes.bytes < 4 {
            crate::state::image::narrow(&lanes, &mut out[0]);
        }
        Ok(())
    }

    /// Reads a word a lane.
    ///
    /// # Errors
    /// The lowest lane whose access is out of bounds or misaligned.
    #[inline(always)]
    pub(crate) fn load_word(&self, lanes: Lanes<'_>) -> Result<Row, MemoryFault> {
        self.check_load(&lanes)?;
        let word = |lane: usize| lanes.addresses[lane] as usize / 4;
        Ok(match (lanes.pattern, lanes.mask.lowest()) {
            (Pattern::Contiguous, _) => {
                let words = &self.words[word(0)..][..LANES];
                std::array::from_fn(|lane| words[lane])
            }
            (Pattern::Uniform, Some(lane)) => [self.words[word(lane)]; LANES],
            _ => {
                let mut out = [[0; LANES]; 4];
                self.load_scattered(&lanes, &mut out);
                out[0]
            }
        })
    }

    fn load_scattered(&self, lanes: &Lanes<'_>, out: &mut [Row; 4]) {
        for (word, row) in out.iter_mut().enumerate().take(lanes.bytes.div_ceil(4) as usize) {
            for (lane, value) in row.iter_mut().enumerate() {
                let address = if lanes.mask.has(lane) { lanes.addresses[lane] } else { 0 };
                *value = self.words[address as usize / 4 + word];
            }
        }
    }

    /// Writes a value a lane, in the order of [`Lanes::in_store_order`].
    ///
    /// # Errors
    /// The lowest lane whose access is out of bounds or misaligned; nothing is written then.
    #[inline]
    pub fn store(&mut self, lanes: Lanes<'_>, data: &[Row; 4]) -> Result<(), MemoryFault> {
        self.check(&lanes)?;
        if lanes.are_contiguous() && lanes.bytes >= 4 {
            let words =
                &mut self.words[lanes.addresses[0] as usize / 4..][..LANES * lanes.bytes as usize / 4];
            lanes.write_in_order(data, |at, value| words[at] = value);
            return Ok(());
        }
        for lane in lanes.in_store_order() {
            let address = lanes.addresses[lane];
            let at = address as usize / 4;
            if lanes.bytes < 4 {
                let shift = address % 4 * 8;
                let keep = if lanes.bytes == 1 { 0xffu32 } else { 0xffff };
                self.words[at] = self.words[at] & !(keep << shift) | (data[0][lane] & keep) << shift;
            } else {
                (0..lanes.bytes as usize / 4).for_each(|word| self.words[at + word] = data[word][lane]);
            }
        }
        Ok(())
    }

    /// The barrier at an address that has been checked; beyond the end all its bits are zero.
    #[must_use]
    pub fn mbarrier(&self, address: u32) -> Mbarrier {
        let word = |at: usize| u64::from(self.words.get(at).copied().unwrap_or(0));
        let at = address as usize / 4;
        Mbarrier::of_word(word(at) | word(at + 1) << 32)
    }

    /// Sets the word of a barrier.
    pub(crate) fn set_mbarrier(&mut self, address: u32, word: u64) {
        let at = address as usize / 4;
        if let Some([low, high]) = self.words.get_mut(at..at + 2) {
            (*low, *high) = (word as u32, (word >> 32) as u32);
        }
    }

    /// An arrival at the barrier at an address.
    ///
    /// # Errors
    /// When more arrive than it waits for; it stays as it is.
    pub fn arrive(&mut self, address: u32, arrival: Arrival) -> Result<(), ExecFault> {
        let changed = self.mbarrier(address).arrive(arrival);
        let changed = changed.map_err(|fault| ExecFault::Mbarrier { fault, address, lane: 0 })?;
        self.set_mbarrier(address, changed.word());
        Ok(())
    }

    /// An atomic operation, lane after lane in ascending order.
    ///
    /// # Errors
    /// The lowest lane whose access is out of bounds or misaligned; nothing is changed then.
    pub fn atomic(&mut self, request: AtomicRequest<'_>, out: &mut [Row; 4]) -> Result<(), MemoryFault> {
        let AtomicRequest { op, ty, lanes, operands, .. } = request;
        self.check(&lanes)?;
        for lane in lanes.mask.lanes() {
            let at = lanes.addresses[lane] as usize / 4;
            let words = &mut self.words[at..at + lanes.bytes as usize / 4];
            words.iter().zip(out.iter_mut()).for_each(|(word, row)| row[lane] = *word);
            apply(op, ty, words, |word| operands[word][lane]);
        }
        Ok(())
    }
}

/// Checks bounds and alignment of every lane against so many bytes.
#[inline]
fn within(lanes: &Lanes<'_>, bytes: u32) -> Result<(), MemoryFault> {
    let (low, high, bits) = lanes.extent();
    let end = u64::from(bytes).checked_sub(u64::from(lanes.bytes));
    if bits & u64::from(lanes.bytes - 1) == 0 && low <= high && end.is_some_and(|end| high <= end) {
        return Ok(());
    }
    check_each(lanes, Space::Shared, u64::from(bytes))
}

/// The fault of the lowest lane that is misaligned or beyond `limit`.
#[cold]
pub(crate) fn check_each(lanes: &Lanes<'_>, space: Space, limit: u64) -> Result<(), MemoryFault> {
    for lane in lanes.mask.lanes() {
        let address = lanes.addresses[lane];
        let kind = if address & u64::from(lanes.bytes - 1) != 0 {
            FaultKind::Misaligned
        } else if address.saturating_add(u64::from(lanes.bytes)) > limit {
            FaultKind::OutOfBounds
        } else {
            continue;
        };
        let address = Address(address);
        return Err(MemoryFault {
            kind,
            space,
            address,
            bytes: lanes.bytes,
            lane: lane as u8,
            nearest: None,
        });
    }
    Ok(())
}
