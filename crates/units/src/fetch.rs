//! Memory of the host that will be needed soon. What a simulated machine keeps is larger than the caches of the host: asked for
//! together, it comes together.

/// Bytes that the host fetches at once, on most processors.
const HOST_LINE: usize = 64;

/// Asks the host for memory that will be needed soon, and does not wait for it.
#[inline(always)]
pub fn fetch_ahead<T>(place: &T) {
    fetch(std::ptr::from_ref(place).cast());
}

/// Asks for all of a value, or of the values of a slice.
#[inline(always)]
pub fn fetch_all_ahead<T: ?Sized>(value: &T) {
    let first: *const u8 = std::ptr::from_ref(value).cast();
    (0..size_of_val(value).div_ceil(HOST_LINE)).for_each(|line| fetch(first.wrapping_add(line * HOST_LINE)));
}

#[inline(always)]
fn fetch(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "the only way to ask for memory without waiting for it")]
        // SAFETY: a hint, which changes nothing and may be given for any address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(place.cast());
        }
    }
    let _ = place;
}
