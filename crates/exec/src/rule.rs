//! How a buffer starts: rules that give any word alone, so that nothing need be stored until it is written.

use crate::element::encode;
use crate::{LANES, Row};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use warplab_units::{ElementType, Number};

/// What a buffer holds before the kernel writes to it: a pure function of the word's index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Init {
    /// Zeros.
    Zero,
    /// Word `i` is `i`.
    IndexU32,
    /// Floats spread over -50 to 50 by a hash of index and seed.
    HashF32 {
        /// Another seed gives other numbers.
        seed: u32,
    },
    /// 24-bit integers by a hash of index and seed.
    HashI32 {
        /// Another seed gives other numbers.
        seed: u32,
    },
    /// Words by a hash of index and seed, of which some bits are kept and others set.
    HashBits {
        /// Another seed gives other numbers.
        seed: u32,
        /// The bits that are kept.
        keep: u32,
        /// The bits that are set.
        set: u32,
    },
    /// Word `i` is `(i + stride) % words`: a chain of indices to chase.
    Chain {
        /// In words.
        stride: u32,
    },
    /// Floats spread evenly over a range.
    Uniform {
        /// The smallest.
        low: f32,
        /// The bound that is not reached.
        high: f32,
        /// Another seed gives other numbers.
        seed: u32,
    },
    /// Floats of the normal distribution.
    Normal {
        /// The mean.
        mean: f32,
        /// The standard deviation.
        deviation: f32,
        /// Another seed gives other numbers.
        seed: u32,
    },
    /// These bytes; zeros after their end.
    Bytes(#[serde(with = "shared_bytes")] Arc<[u8]>),
    /// Elements of a type, each by a rule.
    Elements {
        /// Their type.
        element: ElementType,
        /// What element `i` holds.
        rule: ElementRule,
    },
}

/// Shared bytes in a checkpoint.
mod shared_bytes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub(super) fn serialize<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        bytes.as_ref().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        Vec::deserialize(deserializer).map(Arc::from)
    }
}

/// What element `i` of a buffer with a type holds; an integer type takes the low bits of whole numbers and rounds
/// others down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ElementRule {
    /// `i`.
    Index,
    /// `(i + stride) % elements`.
    Chain {
        /// In elements.
        stride: u32,
    },
    /// The float that [`Init::HashF32`] gives.
    HashF32 {
        /// Another seed gives other numbers.
        seed: u32,
    },
    /// The whole number that [`Init::HashI32`] gives.
    HashI32 {
        /// Another seed gives other numbers.
        seed: u32,
    },
    /// Numbers spread evenly from `low` up to, not including, `high`.
    Uniform {
        /// The smallest.
        low: f32,
        /// The bound that is not reached.
        high: f32,
        /// Another seed gives other numbers.
        seed: u32,
    },
    /// Numbers of the normal distribution.
    Normal {
        /// The mean.
        mean: f32,
        /// The standard deviation.
        deviation: f32,
        /// Another seed gives other numbers.
        seed: u32,
    },
}

impl ElementRule {
    /// Element `index` of a buffer of so many.
    fn number(self, index: u64, elements: u64) -> Number {
        let float = |init: Init| Number::Real(f64::from(f32::from_bits(init.word(index, 0))));
        match self {
            ElementRule::Index => Number::Whole(i128::from(index)),
            ElementRule::Chain { stride } => {
                Number::Whole((i128::from(index) + i128::from(stride)) % i128::from(elements.max(1)))
            }
            ElementRule::HashF32 { seed } => float(Init::HashF32 { seed }),
            ElementRule::HashI32 { seed } => Number::Whole(i128::from(Init::HashI32 { seed }.word(index, 0))),
            ElementRule::Uniform { low, high, seed } => {
                let unit = f64::from(hash(index, seed) >> 8) / f64::from(1 << 24);
                Number::Real(f64::from(low) + unit * (f64::from(high) - f64::from(low)))
            }
            ElementRule::Normal { mean, deviation, seed } => {
                Number::Real(f64::from(mean) + f64::from(deviation) * normal(index, seed))
            }
        }
    }
}

/// Word `index` of elements that start one after the other.
fn elements_word(element: ElementType, rule: ElementRule, index: u64, words: u64) -> u32 {
    let bytes = u64::from(element.bytes());
    let elements = words * 4 / bytes;
    let bits = |at: u64| encode(element, rule.number(at, elements));
    if bytes == 8 {
        let [a, b, c, d, e, f, g, h] = bits(index / 2).to_le_bytes();
        return u32::from_le_bytes(if index.is_multiple_of(2) { [a, b, c, d] } else { [e, f, g, h] });
    }
    let first = index * 4 / bytes;
    let mut word = [0; 4];
    for (number, part) in word.chunks_exact_mut(element.bytes() as usize).enumerate() {
        let value = bits(first + number as u64).to_le_bytes();
        part.copy_from_slice(&value[..part.len()]);
    }
    u32::from_le_bytes(word)
}

#[inline(always)]
pub(crate) fn mix32(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

pub(crate) fn mix64(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[inline(always)]
fn hash(index: u64, seed: u32) -> u32 {
    mix32((index as u32).wrapping_add(seed.wrapping_mul(0x9e37_79b9)))
}

impl Init {
    /// Word `index` of a buffer of `words` words.
    #[inline]
    #[must_use]
    pub fn word(&self, index: u64, words: u64) -> u32 {
        match *self {
            Init::Zero => 0,
            Init::IndexU32 => index as u32,
            Init::HashF32 { seed } => {
                ((hash(index, seed) >> 8) as f32 * 5.960_464_5e-8 * 100.0 - 50.0).to_bits()
            }
            Init::HashI32 { seed } => hash(index, seed) >> 8,
            Init::HashBits { seed, keep, set } => hash(index, seed) & keep | set,
            Init::Chain { stride } => ((index + u64::from(stride)) % words.max(1)) as u32,
            Init::Uniform { low, high, seed } => {
                let unit = f64::from(hash(index, seed) >> 8) / f64::from(1 << 24);
                ((f64::from(low) + unit * (f64::from(high) - f64::from(low))) as f32).to_bits()
            }
            Init::Normal { mean, deviation, seed } => {
                (f64::from(mean) + f64::from(deviation) * normal(index, seed)).to_f32_bits()
            }
            Init::Bytes(ref bytes) => {
                let start = index as usize * 4;
                let mut word = [0; 4];
                for (offset, byte) in word.iter_mut().enumerate() {
                    *byte = bytes.get(start + offset).copied().unwrap_or(0);
                }
                u32::from_le_bytes(word)
            }
            Init::Elements { element, rule } => elements_word(element, rule, index, words),
        }
    }
}

impl Init {
    /// Words `first + index` of a buffer of `words` words, for all lanes.
    #[inline(always)]
    pub(crate) fn row(&self, first: u64, index: &Row, words: u64, out: &mut Row) {
        match self {
            Init::Zero => *out = [0; LANES],
            Init::IndexU32 => {
                for lane in 0..LANES {
                    out[lane] = (first as u32).wrapping_add(index[lane]);
                }
            }
            Init::HashF32 { seed } => {
                for lane in 0..LANES {
                    let hash = hash(u64::from((first as u32).wrapping_add(index[lane])), *seed);
                    out[lane] = ((hash >> 8) as i32 as f32 * 5.960_464_5e-8 * 100.0 - 50.0).to_bits();
                }
            }
            Init::HashI32 { seed } => {
                for lane in 0..LANES {
                    out[lane] = hash(u64::from((first as u32).wrapping_add(index[lane])), *seed) >> 8;
                }
            }
            Init::HashBits { seed, keep, set } => {
                for lane in 0..LANES {
                    let hash = hash(u64::from((first as u32).wrapping_add(index[lane])), *seed);
                    out[lane] = hash & keep | set;
                }
            }
            rule => (0..LANES).for_each(|lane| out[lane] = rule.word(first + u64::from(index[lane]), words)),
        }
    }
}

trait ToF32Bits {
    fn to_f32_bits(self) -> u32;
}

impl ToF32Bits for f64 {
    fn to_f32_bits(self) -> u32 {
        (self as f32).to_bits()
    }
}

/// A standard normal number by Box and Muller, from functions that are the same on every host.
fn normal(index: u64, seed: u32) -> f64 {
    let bits = mix64(index ^ u64::from(seed) << 40 ^ 0x5eed_0000_0000_0000);
    let unit = ((bits >> 32) as f64 + 0.5) / 4_294_967_296.0;
    let turn = (bits as u32) as f64 / 4_294_967_296.0;
    let radius = (-2.0 * crate::semantics::mufu::log2(unit) * std::f64::consts::LN_2).sqrt();
    radius * crate::semantics::mufu::sin_turns(turn + 0.25)
}

/// The checksum of words, as the reference harness takes it: sum and exclusive or of a hash of index and value.
/// The checksums of two ranges combine by sum and exclusive or.
#[must_use]
pub(crate) fn checksum(first_index: u64, words: impl Iterator<Item = u32>) -> (u64, u64) {
    let mut index = first_index;
    words.fold((0, 0), |(sum, xor): (u64, u64), word| {
        let hash = mix64(index << 32 ^ u64::from(word));
        index += 1;
        (sum.wrapping_add(hash), xor ^ hash)
    })
}
