//! Tensor maps: what `cuTensorMapEncodeTiled` makes of a tensor in global memory and of the boxes of it that are copied.
//! The 128 bytes are those that the driver makes (`traces/h200/tensor`).

use thiserror::Error;

/// Bytes of a tensor map.
pub const TENSOR_MAP_BYTES: u64 = 128;

/// Dimensions of a tensor at most.
pub const MOST_DIMENSIONS: usize = 5;

/// Elements of a box in a dimension at most.
const MOST_BOX: u32 = 256;
/// Elements from one that is copied to the next at most.
const MOST_STEP: u32 = 8;
/// Bytes of a box at most: shared memory has no room for more.
const MOST_BYTES: u64 = 256 << 10;
/// What strides, places and rows of boxes are multiples of.
pub(crate) const GRAIN: u64 = 16;

/// What the elements of a tensor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // As CUDA names them.
pub enum TensorElement {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F32Ftz,
    F64,
    Bf16,
    Tf32,
    Tf32Ftz,
}

use TensorElement as E;

/// Every type of elements: its number in a map, and its bytes.
const ELEMENTS: [(TensorElement, u64, u32); 13] = [
    (E::U8, 0, 1),
    (E::U16, 1, 2),
    (E::U32, 2, 4),
    (E::S32, 3, 4),
    (E::U64, 4, 8),
    (E::S64, 5, 8),
    (E::F16, 6, 2),
    (E::F32, 7, 4),
    (E::F32Ftz, 8, 4),
    (E::F64, 9, 8),
    (E::Bf16, 10, 2),
    (E::Tf32, TF32 | 7, 4),
    (E::Tf32Ftz, TF32 | 8, 4),
];

/// The bit of the number that makes it TF32; it lies apart from the others.
const TF32: u64 = 1 << 9;

impl TensorElement {
    fn entry(self) -> (TensorElement, u64, u32) {
        ELEMENTS.into_iter().find(|&(element, ..)| element == self).unwrap_or(ELEMENTS[0])
    }

    /// Bytes of an element.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.entry().2
    }

    /// Whether what lies outside of a tensor can be NaN.
    #[must_use]
    pub fn is_float(self) -> bool {
        !matches!(self, E::U8 | E::U16 | E::U32 | E::S32 | E::U64 | E::S64)
    }
}

/// A tensor in global memory, and the boxes of it that are copied. The first dimension is the one in which elements lie
/// one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Where its first element is.
    pub base: u64,
    /// What its elements are.
    pub element: TensorElement,
    /// Its dimensions, 1 to 5.
    pub dimensions: usize,
    /// Elements in each dimension.
    pub sizes: [u64; MOST_DIMENSIONS],
    /// Bytes from one element to the next in each dimension but the first.
    pub strides: [u64; MOST_DIMENSIONS - 1],
    /// Elements of a box in each dimension.
    pub box_sizes: [u32; MOST_DIMENSIONS],
    /// Of the elements of a box one in so many is copied, in each dimension but the first.
    pub steps: [u32; MOST_DIMENSIONS],
    /// Bytes of a row of shared memory within which chunks of 16 bytes change places: 32, 64, 128, or 0 for none.
    pub swizzle: u32,
    /// Bytes that L2 brings at least: 64, 128, 256, or 0 as many as are asked for.
    pub promotion: u32,
    /// Whether what lies outside of the tensor is NaN rather than zero.
    pub fills_with_nan: bool,
}

/// What is wrong with a tensor map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TensorMapFault {
    /// A size, a stride or a box that the copies do not take.
    #[error("{what}: {found}; {expected}")]
    Value {
        /// Of what.
        what: String,
        /// Its value.
        found: u64,
        /// What it may be.
        expected: &'static str,
    },
    /// 128 bytes that are none.
    #[error("these 128 bytes are no tensor map that this simulator reads ({0})")]
    Bytes(&'static str),
}

impl TensorMap {
    /// Elements of a box that are copied in a dimension.
    #[must_use]
    pub fn copied(&self, dimension: usize) -> u32 {
        match dimension {
            0 => self.box_sizes[0],
            _ => self.box_sizes[dimension].div_ceil(self.steps[dimension]),
        }
    }

    /// Bytes of a row of a box.
    #[must_use]
    pub fn row_bytes(&self) -> u32 {
        self.box_sizes[0] * self.element.bytes()
    }

    /// Rows of a box that are copied.
    #[must_use]
    pub fn rows(&self) -> u32 {
        (1..self.dimensions).map(|dimension| self.copied(dimension)).product()
    }

    /// Checks what the driver checks when it makes a map.
    ///
    /// # Errors
    /// The first value that is wrong.
    pub fn check(&self) -> Result<(), TensorMapFault> {
        let wrong = |what: String, found: u64, expected| Err(TensorMapFault::Value { what, found, expected });
        let bytes = u64::from(self.element.bytes());
        if !self.base.is_multiple_of(GRAIN) {
            return wrong("the place of the tensor".to_owned(), self.base, "it is a multiple of 16 bytes");
        }
        for dimension in 0..self.dimensions {
            let of = |what: &str| format!("the {what} of dimension {dimension}");
            let (size, side) = (self.sizes[dimension], self.box_sizes[dimension]);
            if !(1..=1 << 32).contains(&size) {
                return wrong(of("size"), size, "it is 1 to 2^32 elements");
            }
            if !(1..=MOST_BOX).contains(&side) {
                return wrong(of("box"), side.into(), "it is 1 to 256 elements");
            }
            let step = self.steps[dimension];
            if !(1..=MOST_STEP).contains(&step) {
                return wrong(of("step"), step.into(), "it is 1 to 8 elements");
            }
            if dimension > 0 {
                let stride = self.strides[dimension - 1];
                if !stride.is_multiple_of(GRAIN) || stride >= 1 << 36 {
                    return wrong(of("stride"), stride, "it is a multiple of 16 bytes below 2^36");
                }
            }
        }
        let copied = (0..self.dimensions).map(|at| u64::from(self.copied(at)));
        let all = copied.fold(bytes, u64::saturating_mul);
        if all > MOST_BYTES {
            return wrong(
                "the bytes of a box".to_owned(),
                all,
                "shared memory has no room for more than 256 KiB",
            );
        }
        let row = u64::from(self.box_sizes[0]) * bytes;
        if !row.is_multiple_of(GRAIN) {
            return wrong("bytes of a row of the box".to_owned(), row, "they are a multiple of 16");
        }
        if self.swizzle > 0 && row > u64::from(self.swizzle) {
            return wrong(
                "bytes of a row of the box".to_owned(),
                row,
                "with a swizzle they are at most its bytes",
            );
        }
        Ok(())
    }

    /// The 128 bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; TENSOR_MAP_BYTES as usize] {
        let mut words = [0_u64; 16];
        let (_, code, _) = self.element.entry();
        let swizzle = match self.swizzle {
            0 => 0,
            bytes => u64::from(bytes.ilog2() - 4),
        };
        let promotion = match self.promotion {
            0 => 0,
            bytes => u64::from(bytes.ilog2() - 5),
        };
        words[0] = self.base;
        words[1] = (self.dimensions as u64 - 1) << 4
            | code << 7
            | swizzle << 13
            | u64::from(self.fills_with_nan) << 15
            | promotion << 17;
        let unused = |dimension: usize| dimension >= self.dimensions;
        let mut half = |number: usize, value: u64| words[number / 2] |= value << (number % 2 * 32);
        for dimension in (0..MOST_DIMENSIONS).filter(|&dimension| !unused(dimension)) {
            if dimension > 0 {
                half(2 + dimension, self.strides[dimension - 1] / GRAIN);
            }
            half(8 + dimension, self.sizes[dimension] - 1);
            half(13, u64::from(self.steps[dimension] - 1) << (3 * dimension));
            let side = u64::from(self.box_sizes[dimension] - 1);
            match dimension {
                0 => half(13, side << 24),
                _ => half(14, side << (8 * (dimension - 1))),
            }
        }
        let elements = (0..self.dimensions).map(|at| u64::from(self.box_sizes[at] / self.steps[at]));
        words[8] = elements.product::<u64>() * u64::from(self.element.bytes());
        words[9] = if self.swizzle > 0 { u64::from(self.swizzle) * 8 } else { GRAIN };
        let mut bytes = [0; TENSOR_MAP_BYTES as usize];
        for (place, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    /// The map of these words of 32 bits.
    ///
    /// # Errors
    /// When they are none, or one of a kind that is not copied here.
    pub fn decode(words: &[u32; 32]) -> Result<TensorMap, TensorMapFault> {
        let wide = |number: usize| u64::from(words[2 * number]) | u64::from(words[2 * number + 1]) << 32;
        let (base, form) = (wide(0), words[2]);
        let bits = |low: u32, count: u32| u64::from(form >> low & ((1 << count) - 1));
        if bits(11, 2) > 0 {
            return Err(TensorMapFault::Bytes("interleaved layouts are not supported"));
        }
        let code = bits(7, 4) | bits(16, 1) * TF32;
        let known = ELEMENTS.into_iter().find(|&(_, number, _)| number == code);
        let Some((element, ..)) = known else {
            return Err(TensorMapFault::Bytes("unknown type of elements"));
        };
        let dimensions = bits(4, 3) as usize + 1;
        if dimensions > MOST_DIMENSIONS || base == 0 {
            return Err(TensorMapFault::Bytes("no tensor of one to five dimensions"));
        }
        let in_use = |dimension: usize| dimension < dimensions;
        let map = TensorMap {
            base,
            element,
            dimensions,
            sizes: std::array::from_fn(|at| if in_use(at) { u64::from(words[8 + at]) + 1 } else { 1 }),
            strides: std::array::from_fn(|at| u64::from(words[3 + at]) * GRAIN),
            box_sizes: std::array::from_fn(|at| match at {
                0 => (words[13] >> 24) + 1,
                _ => (words[14] >> (8 * (at - 1)) & 0xff) + 1,
            }),
            steps: std::array::from_fn(|at| (words[13] >> (3 * at) & 7) + 1),
            swizzle: [0, 32, 64, 128][bits(13, 2) as usize],
            promotion: [0, 64, 128, 256][bits(17, 2) as usize],
            fills_with_nan: bits(15, 1) > 0,
        };
        map.check().map(|()| map)
    }
}
