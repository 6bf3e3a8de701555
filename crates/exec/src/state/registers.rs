//! Registers, a row each, where the host reads them fastest: none begins in the middle of a line of its caches.

use crate::Row;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Index, IndexMut};
use warplab_units::{ROW_LANES, stored};

#[repr(align(128))]
#[derive(Clone, Copy, Debug)]
struct Aligned(Row);

/// Rows of registers.
#[derive(Clone, Debug)]
pub(crate) struct Registers(Vec<Aligned>);

impl Registers {
    /// So many rows of zeros.
    pub(crate) fn new(rows: usize) -> Registers {
        Registers(vec![Aligned([0; ROW_LANES]); rows])
    }

    /// How many rows there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// A row, if there is one of this number.
    #[inline(always)]
    pub(crate) fn get(&self, row: usize) -> Option<&Row> {
        self.0.get(row).map(|aligned| &aligned.0)
    }

    /// The rows from one on.
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = &Row> {
        self.0.iter().skip(first).map(|aligned| &aligned.0)
    }

    /// The first rows become zeros.
    pub(crate) fn clear(&mut self, rows: usize) {
        self.0[..rows].iter_mut().for_each(|row| row.0 = [0; ROW_LANES]);
    }
}

impl Index<usize> for Registers {
    type Output = Row;

    #[inline(always)]
    fn index(&self, row: usize) -> &Row {
        &self.0[row].0
    }
}

impl IndexMut<usize> for Registers {
    #[inline(always)]
    fn index_mut(&mut self, row: usize) -> &mut Row {
        &mut self.0[row].0
    }
}

/// As rows without gaps.
impl Serialize for Registers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        stored::arrays::serialize(&self.from(0).copied().collect::<Vec<Row>>(), serializer)
    }
}

impl<'de> Deserialize<'de> for Registers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Registers, D::Error> {
        let rows: Vec<Row> = stored::arrays::deserialize(deserializer)?;
        Ok(Registers(rows.into_iter().map(Aligned).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::Registers;

    #[test]
    fn every_row_begins_where_a_line_of_the_host_does() {
        let registers = Registers::new(5);
        let places = (0..5).map(|row| std::ptr::from_ref(&registers[row]) as usize % 128);
        assert_eq!(places.collect::<Vec<usize>>(), [0; 5]);
    }
}
