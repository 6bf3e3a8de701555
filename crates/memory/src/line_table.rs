//! What is known of lines under way: few at a time, each found by its address.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use warplab_units::{Address, LINE_BYTES};

/// Lists of entries, a power of two: about as many as there are MSHRs, so that a list is mostly of one entry.
const LISTS: usize = 256;

/// Lines under way for which there is room from the start.
const USUAL: usize = 64;

/// No entry.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Entry<T> {
    line: Address,
    next: u32,
    value: T,
}

/// A value for each line under way.
#[derive(Clone, Debug)]
pub struct LineTable<T> {
    /// The first entry of the lines of each hash.
    lists: Vec<u32>,
    entries: Vec<Entry<T>>,
    /// Entries that hold no line.
    free: Vec<u32>,
}

impl<T> Default for LineTable<T> {
    fn default() -> LineTable<T> {
        let (entries, free) = (Vec::with_capacity(USUAL), Vec::with_capacity(USUAL));
        LineTable { lists: vec![NONE; LISTS], entries, free }
    }
}

#[inline]
fn list_of(line: Address) -> usize {
    let hash = (line.0 / LINE_BYTES).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> (u64::BITS - LISTS.trailing_zeros())) as usize
}

impl<T: Default> LineTable<T> {
    /// How many lines there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Whether there is no line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is this line.
    #[must_use]
    pub fn contains(&self, line: Address) -> bool {
        self.find(line).is_some()
    }

    /// The value of a line.
    #[inline]
    #[must_use]
    pub fn get(&self, line: Address) -> Option<&T> {
        self.find(line).map(|place| &self.entries[place].value)
    }

    /// The value of a line, to be changed.
    #[inline]
    pub fn get_mut(&mut self, line: Address) -> Option<&mut T> {
        self.find(line).map(|place| &mut self.entries[place].value)
    }

    /// The value of a line; a new one where there was none.
    #[inline]
    pub fn get_or_insert(&mut self, line: Address) -> &mut T {
        let place = self.find(line).unwrap_or_else(|| self.insert(line));
        &mut self.entries[place].value
    }

    /// Takes a line out.
    #[inline]
    pub fn remove(&mut self, line: Address) -> Option<T> {
        let place = self.find(line)?;
        let next = self.entries[place].next;
        let first = &mut self.lists[list_of(line)];
        if *first == place as u32 {
            *first = next;
        } else {
            let mut before = *first as usize;
            while self.entries[before].next != place as u32 {
                before = self.entries[before].next as usize;
            }
            self.entries[before].next = next;
        }
        self.free.push(place as u32);
        Some(std::mem::take(&mut self.entries[place].value))
    }

    /// Changes the value of a line, and takes the line out if the change says that it is not needed any more. What the change
    /// gives; nothing where there is no such line.
    #[inline]
    pub fn change<R>(&mut self, line: Address, change: impl FnOnce(&mut T) -> (R, bool)) -> Option<R> {
        let list = list_of(line);
        let (mut before, mut place) = (NONE, self.lists[list]);
        let entry = loop {
            let entry = self.entries.get_mut(place as usize)?;
            if entry.line == line {
                break entry;
            }
            (before, place) = (place, entry.next);
        };
        let (result, is_needed) = change(&mut entry.value);
        if !is_needed {
            entry.value = T::default();
            let next = entry.next;
            match self.entries.get_mut(before as usize) {
                Some(before) => before.next = next,
                None => self.lists[list] = next,
            }
            self.free.push(place);
        }
        Some(result)
    }

    /// All lines and their values, in order of addresses.
    #[must_use]
    pub fn ascending(&self) -> Vec<(Address, &T)> {
        let mut all = Vec::new();
        for &first in &self.lists {
            let mut next = first;
            while let Some(entry) = self.entries.get(next as usize) {
                all.push((entry.line, &entry.value));
                next = entry.next;
            }
        }
        all.sort_unstable_by_key(|&(line, _)| line);
        all
    }

    #[inline]
    fn find(&self, line: Address) -> Option<usize> {
        let mut next = self.lists[list_of(line)];
        while let Some(entry) = self.entries.get(next as usize) {
            if entry.line == line {
                return Some(next as usize);
            }
            next = entry.next;
        }
        None
    }

    fn insert(&mut self, line: Address) -> usize {
        let first = &mut self.lists[list_of(line)];
        let entry = Entry { line, next: *first, value: T::default() };
        let place = match self.free.pop() {
            Some(place) => {
                self.entries[place as usize] = entry;
                place
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        *first = place;
        place as usize
    }
}

/// In order of lines, so that equal tables are equal bytes.
impl<T: Default + Serialize> Serialize for LineTable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.ascending().serialize(serializer)
    }
}

impl<'de, T: Default + Deserialize<'de>> Deserialize<'de> for LineTable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LineTable<T>, D::Error> {
        let mut table = LineTable::default();
        for (line, value) in Vec::<(Address, T)>::deserialize(deserializer)? {
            *table.get_or_insert(line) = value;
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::LineTable;
    use std::collections::BTreeMap;
    use warplab_units::{Address, LINE_BYTES};

    #[test]
    fn a_table_holds_what_a_map_holds_whatever_comes_and_goes() {
        let (mut table, mut map) = (LineTable::default(), BTreeMap::new());
        for step in 0..20_000u64 {
            let line = Address(step * step % 1009 * LINE_BYTES);
            if step % 3 == 0 {
                assert_eq!(table.remove(line), map.remove(&line));
            } else if step % 7 == 0 {
                let is_needed = step % 2 == 0;
                let changed = table.change(line, |value| {
                    *value += 1;
                    (*value, is_needed)
                });
                assert_eq!(changed, map.get(&line).map(|value| value + 1));
                map.entry(line).and_modify(|value| *value += 1);
                if !is_needed {
                    map.remove(&line);
                }
            } else {
                *table.get_or_insert(line) += step;
                *map.entry(line).or_insert(0) += step;
            }
            assert_eq!((table.len(), table.contains(line)), (map.len(), map.contains_key(&line)));
        }
        let held: Vec<(Address, u64)> =
            table.ascending().into_iter().map(|(line, &value)| (line, value)).collect();
        assert_eq!(held, map.into_iter().collect::<Vec<(Address, u64)>>());
    }

    #[test]
    fn equal_tables_are_equal_bytes_whatever_the_order_in_which_lines_came() {
        let lines = [0u64, 128, 4096, 77 * 128, 12_800_000];
        let (mut forward, mut backward) = (LineTable::default(), LineTable::default());
        lines.into_iter().for_each(|line| *forward.get_or_insert(Address(line)) = line);
        lines.into_iter().rev().for_each(|line| *backward.get_or_insert(Address(line)) = line);
        let bytes = [&forward, &backward].map(|table| postcard::to_allocvec(table).unwrap());
        assert_eq!(bytes[0], bytes[1]);
        let restored: LineTable<u64> = postcard::from_bytes(&bytes[0]).unwrap();
        assert_eq!(postcard::to_allocvec(&restored).unwrap(), bytes[0]);
    }
}
