//! Arrays of any length in a checkpoint: `#[serde(with = "warplab_units::stored::array")]`. Serde itself stores arrays
//! of at most 32 items.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn sized<E: Error, T, const N: usize>(items: Vec<T>) -> Result<[T; N], E> {
    let expected = format!("{N} items");
    items.try_into().map_err(|items: Vec<T>| E::invalid_length(items.len(), &expected.as_str()))
}

/// One array.
#[allow(missing_docs, clippy::missing_errors_doc)] // As serde calls them.
pub mod array {
    use super::{Deserialize, Deserializer, Serialize, Serializer, sized};

    pub fn serialize<S: Serializer, T: Serialize, const N: usize>(
        array: &[T; N],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        array.as_slice().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>, const N: usize>(
        deserializer: D,
    ) -> Result<[T; N], D::Error> {
        sized(Vec::deserialize(deserializer)?)
    }
}

/// A vector of arrays.
#[allow(missing_docs, clippy::missing_errors_doc)] // As serde calls them.
pub mod arrays {
    use super::{Deserialize, Deserializer, Serialize, Serializer, sized};

    pub fn serialize<S: Serializer, T: Serialize, const N: usize>(
        arrays: &[[T; N]],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(arrays.iter().map(<[T; N]>::as_slice))
    }

    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>, const N: usize>(
        deserializer: D,
    ) -> Result<Vec<[T; N]>, D::Error> {
        Vec::<Vec<T>>::deserialize(deserializer)?.into_iter().map(sized).collect()
    }
}
