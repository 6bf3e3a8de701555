//! Sizes such as "4MiB" or "2^20 x f32", and the three dimensions of grids and blocks.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

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

/// Reads a size: `4096`, `4KiB`, `1.5MiB`, `2^20`, `1000 x f32`.
///
/// # Errors
/// What is wrong with the text, in one sentence.
pub fn parse_size(text: &str) -> Result<Size, String> {
    let trimmed = text.trim();
    let split = trimmed.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '^' | '_')));
    let (number, unit) = trimmed.split_at(split.unwrap_or(trimmed.len()));
    let unit = unit.trim();
    let (scale, words) = match unit {
        "" | "B" => (1_u64, false),
        "KiB" => (1 << 10, false),
        "MiB" => (1 << 20, false),
        "GiB" => (1 << 30, false),
        _ => match unit.strip_prefix('x').map(str::trim) {
            Some("u8" | "i8") => (1, true),
            Some("u16" | "i16" | "f16") => (2, true),
            Some("u32" | "i32" | "f32") => (4, true),
            Some("u64" | "i64" | "f64") => (8, true),
            _ => {
                let known = "B, KiB, MiB, GiB, or elements such as x f32";
                return Err(format!("unknown unit '{unit}' of the size '{text}'; known: {known}"));
            }
        },
    };
    let bad_number = || format!("'{text}' is not a size; sizes are written 4096, 4MiB, 2^20 or 1000 x f32");
    let number = number.replace('_', "");
    let too_large = || format!("the size '{text}' is too large");
    if let Some((base, exponent)) = number.split_once('^') {
        let base: u64 = base.parse().map_err(|_| bad_number())?;
        let exponent: u32 = exponent.parse().map_err(|_| bad_number())?;
        let count = base.checked_pow(exponent).ok_or_else(too_large)?;
        return count.checked_mul(scale).map(Size).ok_or_else(too_large);
    }
    if number.contains('.') && !words {
        let bytes = number.parse::<f64>().map_err(|_| bad_number())? * scale as f64;
        if bytes.fract() != 0.0 {
            return Err(format!("the size '{text}' is not a whole number of bytes"));
        }
        return if bytes < 9e15 { Ok(Size(bytes as u64)) } else { Err(too_large()) };
    }
    let count: u64 = number.parse().map_err(|_| bad_number())?;
    count.checked_mul(scale).map(Size).ok_or_else(too_large)
}

/// The three dimensions of a grid or a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimensions(pub u32, pub u32, pub u32);

impl Dimensions {
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
