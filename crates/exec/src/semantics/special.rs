//! Special registers, constants by load, results of barrier reductions.

use crate::LANES;
use crate::Row;
use crate::fault::ExecFault;
use crate::memory::windows;
use crate::op::{SourceKind, Special};
use crate::semantics::lanes::Machine;
use crate::step::Environment;
use warplab_program::operand::SpecialRegister as S;
use warplab_units::LaneMask;

#[inline(always)]
pub(crate) fn execute<M>(
    m: &mut Machine<'_>,
    special: Special,
    environment: &Environment<'_, M>,
) -> Result<(), ExecFault> {
    match special {
        Special::Read { register, wide } => {
            let value = read(m, register, environment);
            m.write(&value);
            if wide {
                let upper = match register {
                    S::ClockLow => [(environment.clock >> 32) as u32; LANES],
                    S::GlobalTimerLow => [(environment.global_timer() >> 32) as u32; LANES],
                    S::GridId => [(environment.grid_id >> 32) as u32; LANES],
                    _ => [0; LANES],
                };
                m.write_at(1, &upper);
            }
            Ok(())
        }
        Special::Constant { bank, offset, bytes, signed } => constant(m, bank, offset, bytes, signed),
        Special::BarrierResult => {
            let result = m.warp.barrier_result;
            m.write(&[result; LANES]);
            m.write_predicate(0, if result != 0 { !0 } else { 0 });
            Ok(())
        }
    }
}

fn each(f: impl Fn(u32) -> u32) -> Row {
    std::array::from_fn(|lane| f(lane as u32))
}

fn read<M>(m: &Machine<'_>, register: S, environment: &Environment<'_, M>) -> Row {
    let same = |value: u32| [value; LANES];
    let thread = &m.warp.thread;
    let banks = m.banks;
    match register {
        S::TidX => thread[0],
        S::TidY => thread[1],
        S::TidZ => thread[2],
        S::Tid => each(|l| {
            let l = l as usize;
            thread[0][l] | thread[1][l] << 16 | thread[2][l] << 26
        }),
        S::CtaidX => same(environment.block[0]),
        S::CtaidY => same(environment.block[1]),
        S::CtaidZ => same(environment.block[2]),
        S::NtidX => same(banks.block[0]),
        S::NtidY => same(banks.block[1]),
        S::NtidZ => same(banks.block[2]),
        S::NctaidX => same(banks.grid[0]),
        S::NctaidY => same(banks.grid[1]),
        S::NctaidZ => same(banks.grid[2]),
        S::LaneId | S::LaneIdAndMore => each(|l| l),
        // Bits 8 to 14 are the number of the warp on its SM.
        S::WarpId => same((environment.warp_slot * u32::from(m.warp.of) + u32::from(m.warp.number)) << 8),
        S::VirtualSmId => same(environment.sm),
        S::SmCount => same(environment.sm_count),
        S::WarpCount => same(environment.warp_slots * u32::from(m.warp.of)),
        S::LaneMaskEq => each(|l| 1 << l),
        S::LaneMaskLt => each(|l| (1 << l) - 1),
        S::LaneMaskLe => each(|l| u32::MAX >> (31 - l)),
        S::LaneMaskGt => each(|l| !(u32::MAX >> (31 - l))),
        S::LaneMaskGe => each(|l| !((1 << l) - 1)),
        S::ClockLow => same(environment.clock as u32),
        S::ClockHigh => same((environment.clock >> 32) as u32),
        S::GlobalTimerLow => same(environment.global_timer() as u32),
        S::GlobalTimerHigh => same((environment.global_timer() >> 32) as u32),
        S::GridId => same(environment.grid_id as u32),
        S::ActiveMask => same(LaneMask(m.mask).to_register()),
        S::SharedWindowLow => same(windows::SHARED as u32),
        S::SharedWindowHigh => same((windows::SHARED >> 32) as u32),
        S::SharedBytes => same(environment.shared.bytes()),
        // A stack grows down from the size of local memory and may reach address 0.
        S::StackLimit | S::Zero => same(0),
        S::CgaCtaId => same(banks.rank(environment.block)),
        S::CgaSize => same(1),
    }
}

/// A load from a constant bank; the index (in bytes) is source 0.
#[inline(always)]
fn constant(m: &mut Machine<'_>, bank: u8, offset: i32, bytes: u8, signed: bool) -> Result<(), ExecFault> {
    if matches!(m.op.sources[0].from, SourceKind::Nothing) && bytes >= 4 && offset % 4 == 0 {
        for word in 0..usize::from(bytes / 4) {
            let value = m.banks.word(bank, offset as u32 / 4 + word as u32);
            m.write_at(word, &[value; LANES]);
        }
        return Ok(());
    }
    constant_indexed(m, bank, offset, bytes, signed)
}

fn constant_indexed(
    m: &mut Machine<'_>,
    bank: u8,
    offset: i32,
    bytes: u8,
    signed: bool,
) -> Result<(), ExecFault> {
    let mut space = None;
    let index = *m.source(0, &mut space);
    let limit = m.banks.bytes(bank);
    let mut out = [[0; LANES]; 2];
    for lane in LaneMask(m.mask).lanes() {
        let at = index[lane].wrapping_add(offset as u32);
        if u64::from(at) + u64::from(bytes) > u64::from(limit) {
            return Err(ExecFault::Constant { bank, offset: at, bytes: limit, lane: lane as u8 });
        }
        let low = u64::from(m.banks.word(bank, at / 4)) | u64::from(m.banks.word(bank, at / 4 + 1)) << 32;
        let mut value = low >> (at % 4 * 8);
        if bytes == 8 && !at.is_multiple_of(4) {
            value |= u64::from(m.banks.word(bank, at / 4 + 2)) << (64 - at % 4 * 8);
        }
        out[0][lane] = match (bytes, signed) {
            (1, false) => value as u32 & 0xff,
            (1, true) => value as i8 as u32,
            (2, false) => value as u32 & 0xffff,
            (2, true) => value as i16 as u32,
            _ => value as u32,
        };
        out[1][lane] = (value >> 32) as u32;
    }
    m.write(&out[0]);
    if bytes == 8 {
        m.write_at(1, &out[1]);
    }
    Ok(())
}
