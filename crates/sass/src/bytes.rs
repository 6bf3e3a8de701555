//! Little-endian numbers out of bytes, for what no ELF or DWARF reader knows: the records of `.nv.info` and encodings.

/// Bytes that are read by offset; `None` past their end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    fn array<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    pub(crate) fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub(crate) fn u16(self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(self, at: usize) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }
}
