//! Tensor maps of a launch: 128 bytes of what its description says.

use crate::parameters::Wrong;
use warplab_config::launch::{TensorElementName as Name, TensorMapSpec};
use warplab_exec::MemoryImage;
use warplab_exec::tensor_map::{MOST_DIMENSIONS, TensorElement as E, TensorMap};

/// The bytes of a tensor map; its buffer is looked up in the image by name.
pub(crate) fn bytes(spec: &TensorMapSpec, image: &MemoryImage) -> Result<Vec<u8>, Wrong> {
    let Some(buffer) = image.buffer(&spec.buffer) else {
        return Err(Wrong::Value(format!("is a tensor in '{}', which is no buffer", spec.buffer)));
    };
    let map = map(spec, buffer.base.0).map_err(Wrong::Value)?;
    let last = (1..map.dimensions)
        .map(|at| map.strides[at - 1].saturating_mul(map.sizes[at] - 1))
        .fold(0, u64::saturating_add);
    let row = map.sizes[0] * u64::from(map.element.bytes());
    let end = spec.offset.0.saturating_add(last).saturating_add(row);
    if end > buffer.bytes {
        let (name, bytes) = (&spec.buffer, buffer.bytes);
        return Err(Wrong::Value(format!(
            "is a tensor that ends at byte {end} of '{name}', which has {bytes}"
        )));
    }
    Ok(map.encode().to_vec())
}

fn map(spec: &TensorMapSpec, base: u64) -> Result<TensorMap, String> {
    let dimensions = spec.sizes.len();
    if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
        return Err(format!("is a tensor of {dimensions} dimensions; it has one to five"));
    }
    let lists = [
        ("a box", "box_sizes", spec.box_sizes.len(), dimensions, false),
        ("strides", "strides", spec.strides.len(), dimensions - 1, true),
        ("steps", "steps", spec.steps.len(), dimensions, true),
    ];
    for (what, field, given, wanted, may_lack) in lists {
        if given != wanted && !(may_lack && given == 0) {
            return Err(format!(
                "is a tensor of {dimensions} dimensions with {given} numbers for {what}; '{field}' has {wanted}"
            ));
        }
    }
    for (what, value, known) in
        [("swizzle", spec.swizzle, [0, 32, 64, 128]), ("promotion", spec.promotion, [0, 64, 128, 256])]
    {
        if !known.contains(&value) {
            return Err(format!("is a tensor with a {what} of {value} bytes; known: {known:?}"));
        }
    }
    let element = element(spec.element);
    let mut strides = [0; MOST_DIMENSIONS - 1];
    let mut without_gaps = u64::from(element.bytes());
    for dimension in 1..dimensions {
        without_gaps = without_gaps.saturating_mul(spec.sizes[dimension - 1]);
        strides[dimension - 1] = spec.strides.get(dimension - 1).copied().unwrap_or(without_gaps);
    }
    let of = |list: &[u32], at: usize| list.get(at).copied().unwrap_or(1);
    let map = TensorMap {
        base: base + spec.offset.0,
        element,
        dimensions,
        sizes: std::array::from_fn(|at| spec.sizes.get(at).copied().unwrap_or(1)),
        strides,
        box_sizes: std::array::from_fn(|at| of(&spec.box_sizes, at)),
        steps: std::array::from_fn(|at| of(&spec.steps, at)),
        swizzle: spec.swizzle,
        promotion: spec.promotion,
        fills_with_nan: spec.fills_with_nan,
    };
    map.check().map_err(|fault| format!("is a tensor that cannot be copied: {fault}"))?;
    if map.fills_with_nan && !element.is_float() {
        return Err("is a tensor of whole numbers, which cannot be filled with NaN".to_owned());
    }
    Ok(map)
}

fn element(name: Name) -> E {
    match name {
        Name::U8 => E::U8,
        Name::U16 => E::U16,
        Name::U32 => E::U32,
        Name::I32 => E::S32,
        Name::U64 => E::U64,
        Name::I64 => E::S64,
        Name::F16 => E::F16,
        Name::Bf16 => E::Bf16,
        Name::F32 => E::F32,
        Name::F32Ftz => E::F32Ftz,
        Name::Tf32 => E::Tf32,
        Name::Tf32Ftz => E::Tf32Ftz,
        Name::F64 => E::F64,
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;
    use crate::parameters::Wrong;
    use warplab_config::launch::{Argument, parse_argument};
    use warplab_exec::{Init, MemoryImage};

    fn fault(text: &str) -> String {
        let Ok(Argument::Tensor(spec)) = parse_argument(text) else { panic!("{text}") };
        let mut image = MemoryImage::new();
        image.allocate("t", 1 << 20, Init::Zero);
        match bytes(&spec, &image) {
            Err(Wrong::Value(message)) => message,
            _ => String::new(),
        }
    }

    #[test]
    fn what_is_wrong_with_a_tensor_map_is_said() {
        assert_eq!(fault("tensor:t:f32:64x40:16x8"), "");
        assert_eq!(fault("tensor:q:f32:64x40:16x8"), "is a tensor in 'q', which is no buffer");
        assert_eq!(
            fault("tensor:t:f32:6400x4000:16x8"),
            "is a tensor that ends at byte 102400000 of 't', which has 1048576"
        );
        assert_eq!(
            fault("tensor:t:f32:64:16x8"),
            "is a tensor of 1 dimensions with 2 numbers for a box; 'box_sizes' has 1"
        );
        assert_eq!(
            fault("tensor:t:f32:64x40x40:64x40x40"),
            "is a tensor that cannot be copied: the bytes of a box: 409600; shared memory has no room for more than 256 KiB"
        );
        assert_eq!(
            fault("tensor:t:f32:64x40:32x8:swizzle=64"),
            "is a tensor that cannot be copied: bytes of a row of the box: 128; with a swizzle they are at most its bytes"
        );
    }
}
