//! What is known of lines under way: few at a time, each found by its address.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use warplab_units::{Address, LINE_BYTES, fetch_ahead};

/// Lines under way for which there is room from the start.
const USUAL: usize = 64;

/// Slots for each line, at least: most are empty, so that a line is mostly where it is looked for first.
const SLOTS_PER_LINE: usize = 2;

/// A value for each line under way.
#[derive(Clone, Debug)]
pub struct LineTable<T> {
    /// Where the entries of lines are, each in the first free slot from that of its hash on; a power of two of them.
    slots: Vec<Slot>,
    /// The bits of a hash that are not of its slot.
    shift: u32,
    entries: Vec<Entry<T>>,
    /// Entries that hold no line.
    free: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    line: Address,
    value: T,
}

/// The place of an entry, with a part of the hash of its line: another line is mostly told without a look at its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    hash: u32,
    place: u32,
}

impl Slot {
    const EMPTY: Slot = Slot { hash: 0, place: u32::MAX };
}

impl<T> Default for LineTable<T> {
    fn default() -> LineTable<T> {
        let (entries, free) = (Vec::with_capacity(USUAL), Vec::with_capacity(USUAL));
        let slots = vec![Slot::EMPTY; USUAL * SLOTS_PER_LINE];
        LineTable { shift: shift(slots.len()), slots, entries, free }
    }
}

#[inline]
fn hash_of(line: Address) -> u32 {
    ((line.0 / LINE_BYTES).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

/// The bits of a hash that are not of its slot, where there are so many slots, a power of two.
fn shift(slots: usize) -> u32 {
    u32::BITS - slots.trailing_zeros()
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
        self.find(line).map(|(_, place)| &self.entries[place].value)
    }

    /// The value of a line, to be changed.
    #[inline]
    pub fn get_mut(&mut self, line: Address) -> Option<&mut T> {
        self.find(line).map(|(_, place)| &mut self.entries[place].value)
    }

    /// The value of a line; a new one where there was none.
    #[inline]
    pub fn get_or_insert(&mut self, line: Address) -> &mut T {
        let place = match self.seek(line) {
            Ok((_, place)) => place,
            Err(empty) => self.insert(line, empty),
        };
        &mut self.entries[place].value
    }

    /// Takes a line out.
    #[inline]
    pub fn remove(&mut self, line: Address) -> Option<T> {
        self.change(line, |value| (std::mem::take(value), false))
    }

    /// Changes the value of a line, and takes the line out if the change says that it is not needed any more. What the change
    /// gives; nothing where there is no such line.
    #[inline]
    pub fn change<R>(&mut self, line: Address, change: impl FnOnce(&mut T) -> (R, bool)) -> Option<R> {
        let (slot, place) = self.find(line)?;
        let value = &mut self.entries[place].value;
        let (result, is_needed) = change(value);
        if !is_needed {
            *value = T::default();
            self.empty(slot);
            self.free.push(place as u32);
        }
        Some(result)
    }

    /// Fetches the slot of a line that will be needed soon.
    #[inline]
    pub fn fetch_slot(&self, line: Address) {
        fetch_ahead(&self.slots[self.home(hash_of(line))]);
    }

    /// Fetches the entries that so many lines will take.
    #[inline]
    pub fn fetch_free(&self, lines: usize) {
        for &place in self.free.iter().rev().take(lines) {
            fetch_ahead(&self.entries[place as usize]);
        }
    }

    /// Fetches the entry of a line that will be needed soon, once its slot is there.
    #[inline]
    pub fn fetch_entry(&self, line: Address) {
        let hash = hash_of(line);
        let slot = self.slots[self.home(hash)];
        if slot.hash == hash
            && let Some(entry) = self.entries.get(slot.place as usize)
        {
            fetch_ahead(&entry.line);
            fetch_ahead(&entry.value);
        }
    }

    /// All lines and their values, in order of addresses.
    #[must_use]
    pub fn ascending(&self) -> Vec<(Address, &T)> {
        let held = self.slots.iter().filter_map(|slot| self.entries.get(slot.place as usize));
        let mut all: Vec<(Address, &T)> = held.map(|entry| (entry.line, &entry.value)).collect();
        all.sort_unstable_by_key(|&(line, _)| line);
        all
    }

    /// The slot and the place of a line.
    #[inline]
    fn find(&self, line: Address) -> Option<(usize, usize)> {
        self.seek(line).ok()
    }

    /// The slot and the place of a line, or the slot that is free for it.
    #[inline]
    fn seek(&self, line: Address) -> Result<(usize, usize), usize> {
        let hash = hash_of(line);
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == Slot::EMPTY {
                return Err(at);
            }
            let place = slot.place as usize;
            if slot.hash == hash && self.entries[place].line == line {
                return Ok((at, place));
            }
            at = self.after(at);
        }
    }

    /// The slot in which a line with this hash is looked for first.
    #[inline]
    fn home(&self, hash: u32) -> usize {
        hash.wrapping_shr(self.shift) as usize
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        slot.wrapping_add(1) & (self.slots.len() - 1)
    }

    /// A line comes, for which this slot is free.
    #[inline]
    fn insert(&mut self, line: Address, empty: usize) -> usize {
        let place = match self.free.pop() {
            Some(place) => {
                // The line before has left a new value behind.
                self.entries[place as usize].line = line;
                place
            }
            None => {
                self.entries.push(Entry { line, value: T::default() });
                (self.entries.len() - 1) as u32
            }
        };
        self.slots[empty] = Slot { hash: hash_of(line), place };
        if self.len() * SLOTS_PER_LINE > self.slots.len() {
            self.grow();
        }
        place as usize
    }

    /// Puts an entry into the first slot that is free for it.
    #[inline]
    fn fill(&mut self, slot: Slot) {
        let mut at = self.home(slot.hash);
        while self.slots[at] != Slot::EMPTY {
            at = self.after(at);
        }
        self.slots[at] = slot;
    }

    #[cold]
    fn grow(&mut self) {
        let twice = vec![Slot::EMPTY; self.slots.len() * 2];
        self.shift = shift(twice.len());
        let slots = std::mem::replace(&mut self.slots, twice);
        slots.into_iter().filter(|slot| *slot != Slot::EMPTY).for_each(|slot| self.fill(slot));
    }

    /// Empties a slot; those after it that would not be found any more move up.
    #[inline]
    fn empty(&mut self, mut hole: usize) {
        let last = self.slots.len() - 1;
        let mut at = self.after(hole);
        while self.slots[at] != Slot::EMPTY {
            let slot = self.slots[at];
            let from_home = at.wrapping_sub(self.home(slot.hash)) & last;
            if from_home >= at.wrapping_sub(hole) & last {
                self.slots[hole] = slot;
                hole = at;
            }
            at = self.after(at);
        }
        self.slots[hole] = Slot::EMPTY;
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
