//! Device memory as plain data: copies and checkpoints hold the pages that were written, and nothing of the rest.

use super::place::SharedPages;
use super::{Buffer, CHUNK_PAGES, Chunk, MemoryImage, PAGE_BYTES, PAGE_WORDS, Page};
use crate::rule::Init;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use warplab_units::{Address, ElementType};

/// The largest buffer that a checkpoint may name.
const LARGEST_BUFFER: u64 = 1 << 44;

fn words(cells: &[AtomicU32]) -> Vec<u32> {
    cells.iter().map(|cell| cell.load(Relaxed)).collect()
}

fn cells(words: &[u32]) -> Box<[AtomicU32]> {
    words.iter().map(|&word| AtomicU32::new(word)).collect()
}

/// A buffer in a checkpoint.
#[derive(Serialize, Deserialize)]
struct StoredBuffer {
    name: String,
    base: Address,
    bytes: u64,
    init: Init,
    freed: bool,
    element: Option<ElementType>,
    /// The pages that were written, by number.
    pages: Vec<(u64, Vec<u32>)>,
    allocated: Option<Vec<u32>>,
}

#[derive(Serialize, Deserialize)]
struct StoredImage {
    buffers: Vec<StoredBuffer>,
    next: u64,
    shared_pages: SharedPages,
}

impl Buffer {
    /// The pages that were written, with their numbers.
    fn written_pages(&self) -> impl Iterator<Item = (u64, &[AtomicU32])> {
        (0..).zip(&self.chunks).flat_map(|(chunk, pages)| {
            let pages = pages.get().map(|pages| &**pages).unwrap_or_default();
            let numbers = chunk * CHUNK_PAGES..;
            numbers.zip(pages).filter_map(|(number, page)| Some((number, &**page.get()?)))
        })
    }

    fn to_stored(&self) -> StoredBuffer {
        StoredBuffer {
            name: self.name.clone(),
            base: self.base,
            bytes: self.bytes,
            init: self.init.clone(),
            freed: self.freed,
            element: self.element,
            pages: self.written_pages().map(|(number, page)| (number, words(page))).collect(),
            allocated: self.allocated.as_deref().map(words),
        }
    }

    fn from_stored(stored: StoredBuffer) -> Result<Buffer, String> {
        let StoredBuffer { name, base, bytes, init, freed, element, pages, allocated } = stored;
        if bytes > LARGEST_BUFFER || base.0.checked_add(bytes).is_none() {
            return Err(format!("a buffer of {bytes} bytes at {base}"));
        }
        let chunks = (0..bytes.div_ceil(PAGE_BYTES * CHUNK_PAGES)).map(|_| Chunk::new()).collect();
        let allocated = allocated.map(|units| cells(&units));
        let buffer = Buffer { name, base, bytes, init, freed, element, chunks, allocated };
        for (number, page) in pages {
            let left = buffer.words().saturating_sub(number.saturating_mul(PAGE_WORDS));
            if left == 0 || page.len() as u64 != left.min(PAGE_WORDS) {
                return Err(format!("page {number} of buffer '{}' with {} words", buffer.name, page.len()));
            }
            let chunk =
                buffer.chunks[(number / CHUNK_PAGES) as usize].get_or_init(|| buffer.make_chunk(number));
            // A page that comes twice keeps its first words.
            let _ = chunk[(number % CHUNK_PAGES) as usize].set(cells(&page));
        }
        Ok(buffer)
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        let copy_page =
            |page: &Page| page.get().map_or_else(Page::new, |page| OnceLock::from(cells(&words(page))));
        let copy_chunk = |chunk: &Chunk| {
            chunk.get().map_or_else(Chunk::new, |pages| {
                OnceLock::from(pages.iter().map(copy_page).collect::<Box<_>>())
            })
        };
        Buffer {
            name: self.name.clone(),
            base: self.base,
            bytes: self.bytes,
            init: self.init.clone(),
            freed: self.freed,
            element: self.element,
            chunks: self.chunks.iter().map(copy_chunk).collect(),
            allocated: self.allocated.as_ref().map(|units| cells(&words(units))),
        }
    }
}

impl Serialize for MemoryImage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let buffers = self.buffers.iter().map(Buffer::to_stored).collect();
        let shared_pages = self.shared_pages.clone();
        StoredImage { buffers, next: self.next, shared_pages }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MemoryImage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MemoryImage, D::Error> {
        let StoredImage { buffers, next, shared_pages } = StoredImage::deserialize(deserializer)?;
        let buffers: Result<Vec<Buffer>, String> = buffers.into_iter().map(Buffer::from_stored).collect();
        Ok(MemoryImage { buffers: buffers.map_err(D::Error::custom)?, next, shared_pages })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Init, MemoryImage};
    use warplab_units::Address;

    fn image() -> (MemoryImage, Address) {
        let mut image = MemoryImage::new();
        let base = image.allocate("a", 300_000, Init::IndexU32);
        image.write_bytes(base + 200_000, &[7; 8]).unwrap();
        (image, base)
    }

    #[test]
    fn a_copy_has_the_written_pages_and_no_others_and_lives_on_its_own() {
        let (image, base) = image();
        let copy = image.clone();
        assert_eq!(copy.buffers()[0].stored_pages(), 1);
        image.write_bytes(base, &[9; 4]).unwrap();
        assert_eq!(copy.buffers()[0].stored_pages(), 1);
        assert_eq!(copy.read_bytes(base + 200_000, 9).unwrap(), [7, 7, 7, 7, 7, 7, 7, 7, 82]);
        assert_eq!(copy.read_bytes(base + 4, 1).unwrap(), [1]);
    }

    #[test]
    fn a_stored_image_comes_back_with_its_pages_and_its_heap() {
        let (mut image, base) = image();
        image.allocate_heap(1024);
        let heap = crate::Heap::new(&image);
        let mut other = heap.clone();
        let place = Address(other.allocate(16, &image));
        let bytes = postcard::to_allocvec(&image).unwrap();
        assert!(bytes.len() < 5 * 65_536, "{}", bytes.len());
        let restored: MemoryImage = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(restored.buffers()[0].stored_pages(), 1);
        assert_eq!(restored.read_bytes(base + 200_000, 8).unwrap(), [7; 8]);
        assert!(restored.read_bytes(place, 16).is_ok());
        assert!(restored.read_bytes(place + 16, 1).is_err());
    }

    #[test]
    fn a_damaged_checkpoint_is_refused() {
        let (image, _) = image();
        let mut bytes = postcard::to_allocvec(&image).unwrap();
        bytes.truncate(bytes.len() / 2);
        assert!(postcard::from_bytes::<MemoryImage>(&bytes).is_err());
    }
}
