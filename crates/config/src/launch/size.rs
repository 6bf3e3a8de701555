//! Sizes such as "4MiB" or "2^20 x f32", and the three dimensions of grids and blocks.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use warplab_units::ElementType;

/// A number of bytes: written as a number, or as a text such as "4MiB" or "2^20 x f32".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Size(pub u64);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        struct SizeVisitor;
        impl Visitor<'_> for SizeVisitor {
            type Value = Size;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of bytes or a size such as \"4MiB\"")
            }
            fn visit_u64<E: Error>(self, bytes: u64) -> Result<Size, E> {
                Ok(Size(bytes))
            }
            fn visit_i64<E: Error>(self, bytes: i64) -> Result<Size, E> {
                u64::try_from(bytes).map(Size).map_err(|_| E::custom("a size is not negative"))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Size, E> {
                parse_size(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(SizeVisitor)
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number of bytes, or a size such as \"4MiB\" or \"2^20 x f32\".",
            "anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "format": "size"}],
        })
    }
}

/// The size of a buffer, and what its elements are where that is said: `2^20 x i32`, `4MiB as f16`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Extent {
    /// Bytes.
    pub bytes: u64,
    /// The type of the elements.
    pub element: Option<ElementType>,
}

impl From<Size> for Extent {
    fn from(size: Size) -> Extent {
        Extent { bytes: size.0, element: None }
    }
}

impl From<Extent> for String {
    fn from(extent: Extent) -> String {
        match extent.element {
            Some(element) => format!("{} as {element}", extent.bytes),
            None => extent.bytes.to_string(),
        }
    }
}

impl<'de> Deserialize<'de> for Extent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Extent, D::Error> {
        struct ExtentVisitor;
        impl Visitor<'_> for ExtentVisitor {
            type Value = Extent;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of bytes or a size such as \"1000 x i32\"")
            }
            fn visit_u64<E: Error>(self, bytes: u64) -> Result<Extent, E> {
                Ok(Extent { bytes, element: None })
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Extent, E> {
                parse_extent(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(ExtentVisitor)
    }
}

impl JsonSchema for Extent {
    fn schema_name() -> Cow<'static, str> {
        "Extent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Bytes, or a size such as \"4MiB\"; with the type of the elements: \"2^20 x i32\", \"4MiB as f16\".",
            "anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "format": "extent"}],
        })
    }
}

/// Reads the size of a buffer: as [`parse_size`], and `4MiB as i32`.
///
/// # Errors
/// What is wrong with the text, in one sentence.
pub fn parse_extent(text: &str) -> Result<Extent, String> {
    let Some((size, name)) = text.split_once(" as ") else {
        let (size, element) = size_and_element(text)?;
        return Ok(Extent { bytes: size.0, element });
    };
    let name = name.trim();
    let element = ElementType::from_name(name).ok_or_else(|| {
        let known = ElementType::ALL.map(ElementType::name).join(", ");
        format!("unknown type '{name}' of elements in '{text}'; known: {known}")
    })?;
    match size_and_element(size)? {
        (_, Some(other)) => Err(format!("'{text}' says twice what its elements are: {other} and {element}")),
        (size, None) => Ok(Extent { bytes: size.0, element: Some(element) }),
    }
}

/// Reads a size: `4096`, `4KiB`, `1.5MiB`, `2^20`, `1000 x f32`.
///
/// # Errors
/// What is wrong with the text, in one sentence.
pub fn parse_size(text: &str) -> Result<Size, String> {
    size_and_element(text).map(|(size, _)| size)
}

fn size_and_element(text: &str) -> Result<(Size, Option<ElementType>), String> {
    let trimmed = text.trim();
    let split = trimmed.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '^' | '_')));
    let (number, unit) = trimmed.split_at(split.unwrap_or(trimmed.len()));
    let unit = unit.trim();
    let (scale, element) = match unit {
        "" | "B" => (1_u64, None),
        "KiB" => (1 << 10, None),
        "MiB" => (1 << 20, None),
        "GiB" => (1 << 30, None),
        _ => match unit.strip_prefix('x').and_then(|name| ElementType::from_name(name.trim())) {
            Some(element) => (u64::from(element.bytes()), Some(element)),
            None => {
                let known = "B, KiB, MiB, GiB, or elements such as x f32";
                return Err(format!("unknown unit '{unit}' of the size '{text}'; known: {known}"));
            }
        },
    };
    let bad_number = || format!("'{text}' is not a size; sizes are written 4096, 4MiB, 2^20 or 1000 x f32");
    let number = number.replace('_', "");
    let too_large = || format!("the size '{text}' is too large");
    if number.contains('.') && element.is_none() {
        let bytes = number.parse::<f64>().map_err(|_| bad_number())? * scale as f64;
        if bytes.fract() != 0.0 {
            return Err(format!("the size '{text}' is not a whole number of bytes"));
        }
        return whole(bytes).map(|bytes| (Size(bytes), None)).ok_or_else(too_large);
    }
    let count = match number.split_once('^') {
        Some((base, exponent)) => {
            let base: u64 = base.parse().map_err(|_| bad_number())?;
            let exponent: u32 = exponent.parse().map_err(|_| bad_number())?;
            base.checked_pow(exponent).ok_or_else(too_large)?
        }
        None => number.parse::<u64>().map_err(|_| bad_number())?,
    };
    count.checked_mul(scale).map(|bytes| (Size(bytes), element)).ok_or_else(too_large)
}

/// A number of bytes that a double holds exactly.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
fn whole(bytes: f64) -> Option<u64> {
    (0.0..9e15).contains(&bytes).then_some(bytes as u64)
}

/// The three dimensions of a grid or a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimensions(pub u32, pub u32, pub u32);

impl Dimensions {
    /// x, y and z.
    #[must_use]
    pub fn array(self) -> [u32; 3] {
        [self.0, self.1, self.2]
    }

    /// The product of the three.
    #[must_use]
    pub fn count(self) -> u64 {
        u64::from(self.0).saturating_mul(u64::from(self.1)).saturating_mul(u64::from(self.2))
    }
}

impl JsonSchema for Dimensions {
    fn schema_name() -> Cow<'static, str> {
        "Dimensions".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let item = serde_json::json!({"type": "integer", "format": "uint32", "minimum": 1});
        json_schema!({
            "description": "Three numbers: (x, y, z).",
            "type": "array",
            "prefixItems": [item, item, item],
            "minItems": 3,
            "maxItems": 3,
        })
    }
}

/// Reads dimensions from a command line: `4096`, `64x64`, `8,8,2`.
///
/// # Errors
/// What is wrong with the text, in one sentence.
pub fn parse_dimensions(text: &str) -> Result<Dimensions, String> {
    let mut sizes = [1_u32; 3];
    let parts: Vec<&str> = text.split(['x', ',']).map(str::trim).collect();
    if parts.len() > 3 {
        return Err(format!("'{text}' has {} dimensions; at most three are possible", parts.len()));
    }
    for (size, part) in sizes.iter_mut().zip(&parts) {
        *size = part.parse().ok().filter(|&size| size > 0).ok_or_else(|| {
            format!("'{part}' in '{text}' is not a positive whole number; dimensions are written 4096, 64x64 or 8,8,2")
        })?;
    }
    Ok(Dimensions(sizes[0], sizes[1], sizes[2]))
}
