//! A byte for each way of a set, compared and counted many at once.

use serde::{Deserialize, Serialize};
use std::array;
use warplab_units::{EQUAL_BYTES, equal_bytes};

/// The bytes of so many ways: they never lie across a line of the host's caches.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(align(32))]
pub(super) struct WayBytes([u8; WayBytes::WAYS]);

impl WayBytes {
    /// Ways that have their bytes together.
    pub(super) const WAYS: usize = EQUAL_BYTES;

    /// The bytes of a set of so many ways.
    pub(super) fn of_set(ways: usize, byte: impl Fn(usize) -> u8) -> Vec<WayBytes> {
        let group = |first: usize| WayBytes(array::from_fn(|way| byte(first + way)));
        (0..ways).step_by(WayBytes::WAYS).map(group).collect()
    }

    /// The byte of a way.
    #[inline]
    pub(super) fn get(&self, way: usize) -> u8 {
        self.0[way]
    }

    /// Changes the byte of a way.
    #[inline]
    pub(super) fn set(&mut self, way: usize, byte: u8) {
        self.0[way] = byte;
    }

    /// The first way with a byte that is the right one.
    #[inline]
    pub(super) fn find(&self, byte: u8, is_right: impl Fn(usize) -> bool) -> Option<usize> {
        let mut equal = equal_bytes(&self.0, byte);
        while equal != 0 {
            let way = equal.trailing_zeros() as usize;
            if is_right(way) {
                return Some(way);
            }
            equal &= equal - 1;
        }
        None
    }

    /// Adds one to every byte that is smaller than another.
    #[inline]
    pub(super) fn increase_below(&mut self, byte: u8) {
        for other in &mut self.0 {
            *other = other.wrapping_add(u8::from(*other < byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WayBytes;

    #[test]
    fn each_way_has_its_byte() {
        let mut set = WayBytes::of_set(40, |way| way as u8);
        assert_eq!(set.len(), 2);
        set[1].set(7, 200);
        let bytes: Vec<u8> = (0..40).map(|way| set[way / WayBytes::WAYS].get(way % WayBytes::WAYS)).collect();
        assert_eq!(bytes, (0..39).chain([200]).collect::<Vec<u8>>());
    }

    #[test]
    fn a_byte_is_found_in_the_first_way_that_is_right() {
        let set = WayBytes::of_set(32, |way| (way % 5) as u8)[0];
        assert_eq!(set.find(3, |_| true), Some(3));
        assert_eq!(set.find(3, |way| way > 20), Some(23));
        assert_eq!((set.find(3, |_| false), set.find(5, |_| true)), (None, None));
    }

    #[test]
    fn bytes_that_are_smaller_grow_and_no_others() {
        let mut set = WayBytes::of_set(32, |way| way as u8 * 4)[0];
        set.increase_below(20);
        let expected: Vec<u8> = (0..32).map(|way| way * 4).map(|byte| byte + u8::from(byte < 20)).collect();
        assert_eq!((0..32).map(|way| set.get(way)).collect::<Vec<u8>>(), expected);
    }
}
