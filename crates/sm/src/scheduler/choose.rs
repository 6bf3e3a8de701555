//! What several schedulers choose by.

/// The first warp after `last`, going round.
pub(super) fn after(eligible: u64, last: u32) -> u32 {
    let above = if last >= 63 { 0 } else { eligible & (u64::MAX << (last + 1)) };
    if above != 0 { above.trailing_zeros() } else { eligible.trailing_zeros() }
}

/// The warp with the smallest key; of equal ones the first.
pub(super) fn least(eligible: u64, key: impl Fn(usize) -> u64) -> u32 {
    let mut rest = eligible & eligible.wrapping_sub(1);
    let mut best = eligible.trailing_zeros();
    let mut best_key = key(best as usize);
    while rest != 0 {
        let warp = rest.trailing_zeros();
        rest &= rest - 1;
        let own = key(warp as usize);
        if own < best_key {
            (best, best_key) = (warp, own);
        }
    }
    best
}

/// The last picked warp if it is eligible.
pub(super) fn same(eligible: u64, last: u32) -> Option<u32> {
    (eligible >> last & 1 != 0).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::{after, least};

    #[test]
    fn going_round_wraps_at_the_last_warp() {
        assert_eq!([after(0b1011, 0), after(0b1011, 1), after(0b1011, 3)], [1, 3, 0]);
        assert_eq!(after(1 << 63 | 1, 63), 0);
        assert_eq!(after(1 << 63, 62), 63);
    }

    #[test]
    fn of_equal_keys_the_first_warp_is_taken() {
        assert_eq!(least(0b1110, |_| 7), 1);
        assert_eq!(least(0b1110, |warp| [0, 9, 3, 3][warp]), 2);
    }
}
