//! The heap of `malloc` and `free`: one for the launch, a buffer of device memory in which every allocation is the
//! lowest place that is large enough.

use crate::LANES;
use crate::Row;
use crate::fault::ExecFault;
use crate::semantics::system::HeapRequest;
use crate::state::image::MemoryImage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;
use warplab_units::Address;

/// Allocations start at multiples of this and take a multiple of it.
pub(crate) const UNIT: u64 = 16;

/// The name of the heap's buffer.
pub(crate) const NAME: &str = "heap of malloc";

/// Why memory cannot be given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HeapFault {
    /// It was given back before.
    #[error("free of {0}, which is not allocated: it was freed before, or malloc did not give it")]
    NotAllocated(Address),
}

/// What is allocated and what is free.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Heap {
    /// Free places by address, with their bytes; no two touch.
    free: BTreeMap<u64, u64>,
    /// Allocations by address, with their bytes.
    used: BTreeMap<u64, u64>,
}

impl Heap {
    /// The heap of a launch on this memory, all of it free; without a buffer for it a heap of no bytes.
    #[must_use]
    pub fn new(image: &MemoryImage) -> Heap {
        let Some(buffer) = image.heap() else { return Heap::default() };
        image.mark_heap(buffer.base, buffer.bytes, false);
        let bytes = buffer.bytes / UNIT * UNIT;
        Heap { free: BTreeMap::from([(buffer.base.0, bytes)]), used: BTreeMap::new() }
    }

    /// Serves the lanes of a warp in ascending order; gives their addresses, as the two words of a register pair.
    ///
    /// # Errors
    /// A lane gives back what is not allocated.
    pub fn serve(&mut self, request: &HeapRequest, image: &MemoryImage) -> Result<[Row; 2], ExecFault> {
        let mut places = [[0; LANES]; 2];
        for lane in request.mask.lanes() {
            let value = request.values[lane];
            if request.frees {
                self.free(value, image).map_err(|fault| ExecFault::Heap { fault, lane: lane as u8 })?;
            } else {
                let place = self.allocate(value, image);
                (places[0][lane], places[1][lane]) = (place as u32, (place >> 32) as u32);
            }
        }
        Ok(places)
    }

    /// The address of new memory, or zero when there is no place for it. (Of no bytes there is always one.)
    pub fn allocate(&mut self, bytes: u64, image: &MemoryImage) -> u64 {
        let Some(bytes) = bytes.max(1).checked_next_multiple_of(UNIT) else { return 0 };
        let Some((&place, &length)) = self.free.iter().find(|&(_, &length)| length >= bytes) else {
            return 0;
        };
        self.free.remove(&place);
        if length > bytes {
            self.free.insert(place + bytes, length - bytes);
        }
        self.used.insert(place, bytes);
        image.mark_heap(Address(place), bytes, true);
        place
    }

    /// Takes memory back; nothing happens for address zero.
    ///
    /// # Errors
    /// Nothing is allocated at this address.
    pub fn free(&mut self, address: u64, image: &MemoryImage) -> Result<(), HeapFault> {
        if address == 0 {
            return Ok(());
        }
        let Some(bytes) = self.used.remove(&address) else {
            return Err(HeapFault::NotAllocated(Address(address)));
        };
        image.mark_heap(Address(address), bytes, false);
        let (mut start, mut length) = (address, bytes);
        if let Some((&before, &bytes)) = self.free.range(..address).next_back()
            && before + bytes == address
        {
            self.free.remove(&before);
            (start, length) = (before, length + bytes);
        }
        if let Some(after) = self.free.remove(&(address + bytes)) {
            length += after;
        }
        self.free.insert(start, length);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Heap, HeapFault};
    use crate::MemoryImage;
    use warplab_units::Address;

    fn image() -> MemoryImage {
        let mut image = MemoryImage::new();
        image.allocate_heap(1024);
        image
    }

    #[test]
    fn what_is_freed_is_given_out_again_and_neighbours_join() {
        let image = image();
        let mut heap = Heap::new(&image);
        let places: Vec<u64> = (0..4).map(|_| heap.allocate(250, &image)).collect();
        assert_eq!(heap.allocate(1, &image), 0, "the heap is full");
        assert_eq!(places.windows(2).map(|two| two[1] - two[0]).collect::<Vec<_>>(), [256, 256, 256]);
        heap.free(places[1], &image).unwrap();
        heap.free(places[2], &image).unwrap();
        assert_eq!(heap.allocate(512, &image), places[1], "the two places have become one");
        assert_eq!(heap.allocate(u64::MAX, &image), 0);
    }

    #[test]
    fn freeing_twice_or_what_malloc_did_not_give_is_a_fault() {
        let image = image();
        let mut heap = Heap::new(&image);
        let place = heap.allocate(8, &image);
        assert_eq!(heap.free(place, &image), Ok(()));
        assert_eq!(heap.free(place, &image), Err(HeapFault::NotAllocated(Address(place))));
        assert_eq!(heap.free(0, &image), Ok(()));
        assert!(heap.free(4, &image).is_err());
    }

    #[test]
    fn memory_of_the_heap_can_be_touched_only_while_it_is_allocated() {
        let image = image();
        let mut heap = Heap::new(&image);
        let place = Address(heap.allocate(40, &image));
        assert!(image.write_bytes(place, &[7; 40]).is_ok());
        let after = image.read_bytes(Address(place.0 + 48), 1).unwrap_err().to_string();
        assert!(after.contains("heap that is not allocated, or no more"), "{after}");
        heap.free(place.0, &image).unwrap();
        assert!(image.read_bytes(place, 1).is_err());
    }
}
