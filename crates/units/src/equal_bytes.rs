//! Bytes that are looked through together.

use std::array;

/// Bytes that are compared at once.
pub const EQUAL_BYTES: usize = 32;

/// A bit for each byte that equals another, the first in the lowest one.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn equal_bytes(bytes: &[u8; EQUAL_BYTES], byte: u8) -> u32 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};

    #[target_feature(enable = "sse2")]
    #[inline]
    fn of_half(low: u64, high: u64, byte: u8) -> u32 {
        let half = _mm_set_epi64x(high.cast_signed(), low.cast_signed());
        _mm_movemask_epi8(_mm_cmpeq_epi8(half, _mm_set1_epi8(byte.cast_signed()))).cast_unsigned()
    }

    let [first, second, third, fourth] = words(bytes);
    #[expect(unsafe_code, reason = "the compiler does not see a mask in anything that is written without it")]
    // SAFETY: every processor of this architecture has SSE2.
    unsafe {
        of_half(first, second, byte) | of_half(third, fourth, byte) << 16
    }
}

/// A bit for each byte that equals another, the first in the lowest one.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
#[must_use]
pub fn equal_bytes(bytes: &[u8; EQUAL_BYTES], byte: u8) -> u32 {
    equal_bytes_of_words(bytes, byte)
}

/// The same on any processor, eight bytes at once.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn equal_bytes_of_words(bytes: &[u8; EQUAL_BYTES], byte: u8) -> u32 {
    /// A bit in each byte of a word.
    const LOWEST: u64 = u64::MAX / 0xff;
    const HIGHEST: u64 = LOWEST << 7;
    let of_word = |word: u64| {
        let other = word ^ (u64::from(byte) * LOWEST);
        let equal = !(((other & !HIGHEST) + !HIGHEST) | other) & HIGHEST;
        // The bit of each byte moves behind that of the byte before it.
        ((equal >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    };
    words(bytes).iter().rev().fold(0, |all, &word| all << 8 | of_word(word))
}

#[inline(always)]
fn words(bytes: &[u8; EQUAL_BYTES]) -> [u64; EQUAL_BYTES / 8] {
    let (words, _) = bytes.as_chunks::<8>();
    array::from_fn(|number| u64::from_le_bytes(words[number]))
}

#[cfg(test)]
mod tests {
    use super::{equal_bytes, equal_bytes_of_words};

    #[test]
    fn every_processor_finds_the_same_bytes() {
        let bytes = std::array::from_fn(|way| [0, 1, 0x7f, 0x80, 0xff, 0x81][way * way % 6]);
        for byte in 0..=u8::MAX {
            let expected = (0..32).filter(|&way| bytes[way] == byte).fold(0, |all, way| all | 1u32 << way);
            assert_eq!([equal_bytes(&bytes, byte), equal_bytes_of_words(&bytes, byte)], [expected; 2]);
        }
    }
}
