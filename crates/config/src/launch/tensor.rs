//! Tensor maps as arguments: which tensor a kernel copies boxes of (`cp.async.bulk.tensor`).

use super::{Size, parse_size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use warplab_diagnostics::nearest_name;

/// What `cuTensorMapEncodeTiled` takes: a tensor in a buffer and the boxes of it that are copied. The first dimension is
/// the one in which elements lie one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TensorMapSpec {
    /// The buffer in which the tensor lies.
    pub buffer: String,
    /// Bytes from its start.
    #[serde(default)]
    pub offset: Size,
    /// What the elements are.
    pub element: TensorElementName,
    /// Elements in each dimension, one to five.
    pub sizes: Vec<u64>,
    /// Bytes from one element to the next in each dimension but the first; if not given, the tensor has no gaps.
    #[serde(default)]
    pub strides: Vec<u64>,
    /// Elements of a box in each dimension.
    pub box_sizes: Vec<u32>,
    /// Of the elements of a box one in so many is copied, in each dimension; if not given, all are. That of the first
    /// dimension does not count.
    #[serde(default)]
    pub steps: Vec<u32>,
    /// Bytes of shared memory within which chunks of 16 bytes change places: 32, 64 or 128; 0 for none.
    #[serde(default)]
    pub swizzle: u32,
    /// Bytes that L2 brings at least: 64, 128 or 256; 0 for what is asked for. It does not change the time here.
    #[serde(default)]
    pub promotion: u32,
    /// Whether what lies outside of the tensor is NaN rather than zero.
    #[serde(default)]
    pub fills_with_nan: bool,
}

/// What the elements of a tensor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // As CUDA names them.
pub enum TensorElementName {
    U8,
    U16,
    U32,
    I32,
    U64,
    I64,
    F16,
    Bf16,
    F32,
    F32Ftz,
    Tf32,
    Tf32Ftz,
    F64,
}

impl TensorElementName {
    /// Every type with its name.
    const ALL: [(&str, TensorElementName); 13] = [
        ("u8", TensorElementName::U8),
        ("u16", TensorElementName::U16),
        ("u32", TensorElementName::U32),
        ("i32", TensorElementName::I32),
        ("u64", TensorElementName::U64),
        ("i64", TensorElementName::I64),
        ("f16", TensorElementName::F16),
        ("bf16", TensorElementName::Bf16),
        ("f32", TensorElementName::F32),
        ("f32_ftz", TensorElementName::F32Ftz),
        ("tf32", TensorElementName::Tf32),
        ("tf32_ftz", TensorElementName::Tf32Ftz),
        ("f64", TensorElementName::F64),
    ];
}

/// Reads `NAME:TYPE:SIZES:BOX[:KEY=VALUE]`, for example `a:f16:1024x512:64x64:swizzle=128`.
pub(super) fn tensor_map(text: &str, rest: &str) -> Result<TensorMapSpec, String> {
    let mut parts = rest.split(':');
    let form = "write tensor:NAME:TYPE:SIZES:BOX, for example tensor:a:f16:1024x512:64x64:swizzle=128";
    let mut part = |what: &str| match parts.next() {
        Some(part) if !part.is_empty() => Ok(part),
        _ => Err(format!("'{text}' does not say {what}; {form}")),
    };
    let buffer = part("in which buffer the tensor lies")?.to_owned();
    let element = element(text, part("what its elements are")?)?;
    let sizes = list(text, part("how many elements it has in each dimension")?)?;
    let box_sizes = list(text, part("how many elements a box has in each dimension")?)?;
    let mut map = TensorMapSpec {
        buffer,
        offset: Size(0),
        element,
        sizes,
        strides: Vec::new(),
        box_sizes,
        steps: Vec::new(),
        swizzle: 0,
        promotion: 0,
        fills_with_nan: false,
    };
    for part in parts {
        let known = ["offset", "strides", "steps", "swizzle", "promotion", "fill"];
        match part.split_once('=') {
            Some(("offset", value)) => {
                map.offset = parse_size(value).map_err(|message| format!("{message}, in '{text}'"))?;
            }
            Some(("strides", value)) => map.strides = list(text, value)?,
            Some(("steps", value)) => map.steps = list(text, value)?,
            Some(("swizzle", value)) => map.swizzle = number(text, value)?,
            Some(("promotion", value)) => map.promotion = number(text, value)?,
            Some(("fill", "nan")) => map.fills_with_nan = true,
            Some(("fill", "zero")) => map.fills_with_nan = false,
            Some(("fill", other)) => return Err(format!("'{other}' in '{text}' is neither zero nor nan")),
            other => {
                let key = other.map_or(part, |(key, _)| key);
                let near =
                    nearest_name(key, known).map_or(String::new(), |near| format!(" did you mean '{near}'?"));
                return Err(format!("unknown '{key}' in '{text}';{near} known: {}", known.join(", ")));
            }
        }
    }
    Ok(map)
}

fn element(text: &str, name: &str) -> Result<TensorElementName, String> {
    let known = TensorElementName::ALL;
    known.into_iter().find(|&(other, _)| other == name).map(|(_, element)| element).ok_or_else(|| {
        let names = known.map(|(name, _)| name);
        let near = nearest_name(name, names).map_or(String::new(), |near| format!(" did you mean '{near}'?"));
        format!("unknown type of elements '{name}' in '{text}';{near} known: {}", names.join(", "))
    })
}

/// Numbers with an x between them.
fn list<T: FromStr>(text: &str, list: &str) -> Result<Vec<T>, String> {
    list.split('x').map(|value| number(text, value)).collect()
}

fn number<T: FromStr>(text: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{value}' in '{text}' is not a whole number"))
}

#[cfg(test)]
mod tests {
    use super::{TensorElementName, TensorMapSpec};
    use crate::launch::{Argument, Size, parse_argument};

    #[test]
    fn a_tensor_is_a_buffer_a_type_sizes_and_a_box() {
        let plain = TensorMapSpec {
            buffer: "a".to_owned(),
            offset: Size(0),
            element: TensorElementName::Bf16,
            sizes: vec![1024, 512],
            strides: Vec::new(),
            box_sizes: vec![64, 32],
            steps: Vec::new(),
            swizzle: 0,
            promotion: 0,
            fills_with_nan: false,
        };
        assert_eq!(parse_argument("tensor:a:bf16:1024x512:64x32"), Ok(Argument::Tensor(plain.clone())));
        let all = TensorMapSpec {
            offset: Size(4096),
            strides: vec![4096],
            steps: vec![1, 2],
            swizzle: 128,
            promotion: 256,
            fills_with_nan: true,
            ..plain
        };
        let text = "tensor:a:bf16:1024x512:64x32:offset=4KiB:strides=4096:steps=1x2:swizzle=128:promotion=256:fill=nan";
        assert_eq!(parse_argument(text), Ok(Argument::Tensor(all)));
    }

    #[test]
    fn what_is_wrong_with_a_tensor_is_said() {
        let wrong = |text: &str| parse_argument(text).unwrap_err();
        assert_eq!(
            wrong("tensor:a:f16"),
            "'tensor:a:f16' does not say how many elements it has in each dimension; write \
             tensor:NAME:TYPE:SIZES:BOX, for example tensor:a:f16:1024x512:64x64:swizzle=128"
        );
        assert_eq!(
            wrong("tensor:a:f61:8:8"),
            "unknown type of elements 'f61' in 'tensor:a:f61:8:8'; did you mean 'f64'? known: u8, u16, u32, i32, \
             u64, i64, f16, bf16, f32, f32_ftz, tf32, tf32_ftz, f64"
        );
        assert_eq!(
            wrong("tensor:a:f16:8:8:swizle=128"),
            "unknown 'swizle' in 'tensor:a:f16:8:8:swizle=128'; did you mean 'swizzle'? known: offset, strides, \
             steps, swizzle, promotion, fill"
        );
    }
}
