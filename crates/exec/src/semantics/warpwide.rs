//! Instructions in which lanes see each other.

use crate::LANES;
use crate::op::AtomicOp;
use crate::op::{ShuffleMode, VoteMode, Warp};
use crate::semantics::lanes::Machine;
use warplab_units::{LaneBits, LaneMask};

#[inline(always)]
pub(crate) fn execute(m: &mut Machine<'_>, operation: Warp) {
    match operation {
        Warp::Shuffle(mode) => shuffle(m, mode),
        Warp::Vote(mode) => vote(m, mode),
        Warp::Match { all, wide } => find_matches(m, all, wide),
        Warp::Reduce { op, signed } => reduce(m, op, signed),
        Warp::Elect => {
            let lowest = m.mask & m.mask.wrapping_neg();
            m.write_predicate(0, lowest);
            m.write(&[lowest.trailing_zeros(); LANES]);
        }
        Warp::ToUniform { or } => to_uniform(m, or),
        Warp::Transpose => transpose(m),
    }
}

/// A register of the warp = a of the lowest lane; p = a is another one, which a loop over all values goes on for.
fn to_uniform(m: &mut Machine<'_>, or: bool) {
    let out = usize::from(m.op.out[0]);
    if out < 7 && m.mask != 0 {
        let mut space = None;
        let a = m.source(0, &mut space);
        let first = a[LaneMask(m.mask).lowest().unwrap_or(0)];
        let others = LaneMask(m.mask).lanes().filter(|&lane| a[lane] != first);
        let others = others.fold(0, |lanes, lane| lanes | 1 << lane);
        let before = if or { m.warp.predicates[out] } else { 0 };
        m.write_predicate(0, others | before);
    }
    m.map1(|a| a);
}

/// d = a of another lane; p = that lane is in the segment. A lane that is not active gives its register as it is.
fn shuffle(m: &mut Machine<'_>, mode: ShuffleMode) {
    let (mut ta, mut tb, mut tc, mut out) = (None, None, None, [0; LANES]);
    let (a, b, c) = (m.source(0, &mut ta), m.source(1, &mut tb), m.source(2, &mut tc));
    let mut inside = 0;
    for lane in 0..LANES as u32 {
        let (by, control) = (b[lane as usize] & 31, c[lane as usize]);
        let (clamp, segment) = (control & 31, control >> 8 & 31);
        let highest = lane & segment | clamp & !segment;
        let lowest = lane & segment;
        let (from, within) = match mode {
            // For .UP the clamp is the lowest lane of the segment.
            ShuffleMode::Up => (lane.wrapping_sub(by), lane as i32 - by as i32 >= highest as i32),
            ShuffleMode::Down => (lane + by, lane + by <= highest),
            ShuffleMode::Butterfly => (lane ^ by, lane ^ by <= highest),
            ShuffleMode::Index => {
                let from = lowest | by & !segment;
                (from, from <= highest)
            }
        };
        let from = if within { from & 31 } else { lane };
        out[lane as usize] = a[from as usize];
        inside |= LaneBits::from(within) << lane;
    }
    m.write(&out);
    m.write_predicate(0, inside);
}

/// d = the active lanes where the predicate holds; p = it holds for all, any, or equally.
fn vote(m: &mut Machine<'_>, mode: VoteMode) {
    let holds = m.predicate(0) & m.mask;
    let result = match mode {
        VoteMode::All => holds == m.mask,
        VoteMode::Any => holds != 0,
        VoteMode::Equal => holds == 0 || holds == m.mask,
    };
    m.write(&[LaneMask(holds).to_register(); LANES]);
    m.write_predicate(0, if result { !0 } else { 0 });
}

/// Each lane holds two neighbouring elements of a row of eight.
fn transpose(m: &mut Machine<'_>) {
    let mut space = None;
    let a = m.source(0, &mut space);
    let element = |row: usize, column: usize| a[row * 4 + column / 2] >> (column % 2 * 16) & 0xffff;
    let out = std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, lane % 4 * 2);
        element(column, row) | element(column + 1, row) << 16
    });
    m.write(&out);
}

fn find_matches(m: &mut Machine<'_>, all: bool, wide: bool) {
    let mut space = None;
    let low = *m.source(0, &mut space);
    let values = if wide { m.wide(0) } else { low.map(u64::from) };
    let active = LaneMask(m.mask);
    let same = |lane: usize| {
        let same = active.lanes().filter(|&other| values[other] == values[lane]);
        LaneMask(same.fold(0, |mask, other| mask | 1 << other))
    };
    if all {
        let agreed = active.lowest().is_some_and(|lane| same(lane) == active);
        let lanes = if agreed { active } else { LaneMask::EMPTY };
        m.write(&[lanes.to_register(); LANES]);
        m.write_predicate(0, if agreed { !0 } else { 0 });
    } else {
        let mut out = [0; LANES];
        active.lanes().for_each(|lane| out[lane] = same(lane).to_register());
        m.write(&out);
    }
}

fn reduce(m: &mut Machine<'_>, op: AtomicOp, signed: bool) {
    let mut space = None;
    let a = m.source(0, &mut space);
    let ty = if signed { crate::AtomicType::S32 } else { crate::AtomicType::U32 };
    let result = LaneMask(m.mask)
        .lanes()
        .map(|lane| a[lane])
        .reduce(|x, y| crate::semantics::atomics::apply32(op, ty, x, y, 0))
        .unwrap_or(0);
    m.write(&[result; LANES]);
}
