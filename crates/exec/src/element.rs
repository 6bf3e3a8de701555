//! Elements of buffers: bits to numbers and back.

use crate::op::Round;
use crate::semantics::half;
use warplab_units::{ElementType, Number};

/// The number that the bits of an element mean; bits above the element's are ignored.
#[must_use]
pub fn decode(element: ElementType, bits: u64) -> Number {
    let [a, b, c, d, ..] = bits.to_le_bytes();
    let (half, word) = (u16::from_le_bytes([a, b]), u32::from_le_bytes([a, b, c, d]));
    match element {
        ElementType::I8 => Number::Whole(i128::from(a.cast_signed())),
        ElementType::U8 => Number::Whole(i128::from(a)),
        ElementType::I16 => Number::Whole(i128::from(half.cast_signed())),
        ElementType::U16 => Number::Whole(i128::from(half)),
        ElementType::I32 => Number::Whole(i128::from(word.cast_signed())),
        ElementType::U32 => Number::Whole(i128::from(word)),
        ElementType::I64 => Number::Whole(i128::from(bits.cast_signed())),
        ElementType::U64 => Number::Whole(i128::from(bits)),
        ElementType::F16 => Number::Real(half::value(half, false)),
        ElementType::Bf16 => Number::Real(half::value(half, true)),
        ElementType::F32 => Number::Real(f64::from(f32::from_bits(word))),
        ElementType::F64 => Number::Real(f64::from_bits(bits)),
    }
}

/// The bits of a number as an element: a floating-point type rounds to nearest, an integer type takes the low bits of
/// a whole number and rounds any other down.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounding and low bits are meant"
)]
pub fn encode(element: ElementType, number: Number) -> u64 {
    if !element.is_float() {
        let whole = match number {
            Number::Whole(whole) => whole,
            Number::Real(real) => real.floor() as i128,
        };
        let bits = 8 * element.bytes();
        return whole as u64 & (u64::MAX >> (64 - bits));
    }
    let real = number.to_f64();
    match element {
        ElementType::F16 => u64::from(half::round_to(real, false, Round::Nearest)),
        ElementType::Bf16 => u64::from(half::round_to(real, true, Round::Nearest)),
        ElementType::F32 => u64::from((real as f32).to_bits()),
        _ => real.to_bits(),
    }
}

/// The bits of element `index` of words that `word` gives by index.
pub(crate) fn bits_of(element: ElementType, index: u64, word: impl Fn(u64) -> u32) -> u64 {
    let bytes = u64::from(element.bytes());
    if bytes == 8 {
        return u64::from(word(2 * index)) | u64::from(word(2 * index + 1)) << 32;
    }
    let byte = index * bytes;
    let shifted = u64::from(word(byte / 4)) >> (byte % 4 * 8);
    shifted & (u64::MAX >> (64 - 8 * bytes))
}

#[cfg(test)]
mod tests {
    use super::{bits_of, decode, encode};
    use warplab_units::{ElementType, Number};

    #[test]
    fn every_element_type_keeps_its_numbers() {
        for element in ElementType::ALL {
            for whole in [-3, 0, 7, 100] {
                if element.range().is_some_and(|(low, _)| whole < low) {
                    continue;
                }
                let expected = match element.is_float() {
                    true => Number::Real(whole as f64),
                    false => Number::Whole(whole),
                };
                assert_eq!(decode(element, encode(element, Number::Whole(whole))), expected, "{element}");
            }
        }
        assert_eq!(decode(ElementType::U64, u64::MAX), Number::Whole(i128::from(u64::MAX)));
        assert_eq!(encode(ElementType::F16, Number::Real(1.5)), 0x3e00);
        assert_eq!(encode(ElementType::Bf16, Number::Real(1.5)), 0x3fc0);
        assert_eq!(encode(ElementType::I32, Number::Real(-0.5)), 0xffff_ffff);
    }

    #[test]
    fn elements_lie_in_words_from_the_low_end() {
        let word = |index: u64| [0x0403_0201, 0x0807_0605][index as usize];
        assert_eq!(bits_of(ElementType::U8, 5, word), 6);
        assert_eq!(bits_of(ElementType::U16, 1, word), 0x0403);
        assert_eq!(bits_of(ElementType::U32, 1, word), 0x0807_0605);
        assert_eq!(bits_of(ElementType::U64, 0, word), 0x0807_0605_0403_0201);
    }
}
