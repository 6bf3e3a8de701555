//! How many registers a kernel takes: other orders of its instructions are tried where values find no register, or where more
//! threads would fit on a multiprocessor.

use crate::LowerOptions;
use crate::allocate::{self, Failure, Spread, Used};
use crate::code::{Code, number};
use crate::schedule::{self, Ordered};
use crate::{Pass, alike, remake, spill, uniform};
use warplab_program::Target;

/// How often registers are given out and values spilled before a kernel is given up.
const MOST_ROUNDS: usize = 64;

/// For so many instructions a spilled predicate stays one, the first time that predicates are spilled.
const PREDICATE_REACH: usize = 16;

/// Orders that are tried for one number of registers.
const MOST_ORDERS: usize = 3;

/// In so many steps fewer registers are tried with values that are made again.
const MOST_STEPS: u32 = 8;

/// Registers that are taken beside the most that live at once: the stack pointer, and one for groups that do not fit everywhere.
const BESIDE: usize = 2;

/// A warp alone may take so many hundredths of its cycles for registers with which more warps fit. ptxas takes more for some
/// kernels (`k_selective_scan`, 1.4) and less for others (`k_cell_neighbours`; traces/h200).
const WORTH_MORE_WARPS: u64 = 125;

/// It may take so many for registers with which as many warps fit as there can be, where these hold what lives and 16 words that are
/// loaded together: ptxas takes 32 for `k_mlp_u16`, but 42 for twenty sums and loads of four words.
const WORTH_A_FULL_MULTIPROCESSOR: u64 = 200;

/// So many of the registers that live here ptxas mostly has elsewhere.
const FEW_MORE: usize = 6;

/// Warps of a block mostly come in fours: one for each sub-partition.
const SUB_PARTITIONS: u32 = 4;

/// A kernel before its blocks were ordered, and what was found when they were.
pub(crate) struct Unordered<'a> {
    pub(crate) code: &'a Code,
    pub(crate) found: Ordered,
}

/// Gives out registers. Where values would be spilled, the blocks are ordered for fewer, or left as they were, if that spares it;
/// where more threads would fit, they are ordered for fewer if that costs little.
pub(crate) fn fit(
    code: &mut Code,
    before: &Unordered<'_>,
    limit: u32,
    options: &LowerOptions,
) -> Option<Used> {
    let target = &options.target;
    let allocated = |mut code: Code| registers(&mut code, limit, options).map(|used| (code, used));
    let spills = |code: &Code| code.local_bytes > before.code.local_bytes;
    let mut best = allocated(std::mem::take(code))?;
    if spills(&best.0) {
        let ordered = |limit| {
            let mut code = before.code.clone();
            schedule::schedule(&mut code, target, limit, None);
            code
        };
        let fewer = [limit * 7 / 8, limit * 3 / 4, limit / 2];
        let others = fewer.into_iter().map(ordered).chain(std::iter::once_with(|| before.code.clone()));
        best = others.filter_map(allocated).find(|(code, _)| !spills(code)).unwrap_or(best);
    }
    if !spills(&best.0) {
        leaner(&mut best, before, limit, options);
        with_alike(&mut best, before, limit, options);
    }
    *code = best.0;
    Some(best.1)
}

/// Orders the blocks for fewer registers, and makes values again, where more threads fit for it.
fn leaner(best: &mut (Code, Used), before: &Unordered<'_>, limit: u32, options: &LowerOptions) {
    let full = options.target.choices.comfortable_registers;
    if before.found.together <= full as usize + FEW_MORE {
        let mut other = best.clone();
        if with_fewer(&mut other, full, before, limit, options, WORTH_A_FULL_MULTIPROCESSOR) {
            *best = other;
            return;
        }
    }
    for most in [before.found.written, before.found.together] {
        let wanted = granted(number(most + BESIDE), &options.target);
        if with_fewer(best, wanted, before, limit, options, WORTH_MORE_WARPS) {
            break;
        }
    }
    with_remade(best, before, limit, options);
}

/// Has values that all lanes compute alike in uniform registers, if more threads fit for it.
fn with_alike(best: &mut (Code, Used), before: &Unordered<'_>, limit: u32, options: &LowerOptions) {
    let target = &options.target;
    let is_short = granted(best.1.fewest, target) > target.choices.comfortable_registers;
    if !is_short || !uniform::is_quick(target) || !options.passes.contains(Pass::Uniform) {
        return;
    }
    let mut code = before.code.clone();
    if !alike::move_to_warp(&mut code) {
        return;
    }
    let mut ordered = code.clone();
    let mut found = schedule::schedule(&mut ordered, target, limit, None);
    if found.cycles * 100 > before.found.cycles * WORTH_MORE_WARPS {
        return;
    }
    found.cycles = found.cycles.min(before.found.cycles);
    let Some(used) = registers(&mut ordered, limit, options) else { return };
    let mut other = (ordered, used);
    leaner(&mut other, &Unordered { code: &code, found }, limit, options);
    if warps(other.1.fewest, target) > warps(best.1.fewest, target)
        && other.0.local_bytes <= best.0.local_bytes
    {
        *best = other;
    }
}

/// Makes values again where they are read, as long as more threads fit for it.
fn with_remade(best: &mut (Code, Used), before: &Unordered<'_>, limit: u32, options: &LowerOptions) {
    let target = &options.target;
    let (unit, all) = (target.limits.thread_unit(), target.choices.comfortable_registers);
    let mut code = before.code.clone();
    let mut wanted = granted(best.1.fewest, target);
    let step = (wanted.saturating_sub(all) / MOST_STEPS).next_multiple_of(unit).max(unit);
    while wanted > all {
        wanted = granted(best.1.fewest, target).saturating_sub(step).max(all);
        let is_thin = remake::thin(&mut code, (wanted as usize).saturating_sub(BESIDE));
        let lean = Unordered { code: &code, found: before.found };
        if !is_thin || !with_fewer(best, wanted, &lean, limit, options, WORTH_MORE_WARPS) {
            return;
        }
    }
}

/// Orders the blocks for so many registers, if they take more and it costs little; whether they take no more then.
fn with_fewer(
    best: &mut (Code, Used),
    wanted: u32,
    before: &Unordered<'_>,
    limit: u32,
    options: &LowerOptions,
    worth: u64,
) -> bool {
    let target = &options.target;
    let mut most = wanted as usize - 1;
    for _ in 0..MOST_ORDERS {
        if granted(best.1.fewest, target) <= wanted {
            return true;
        }
        let mut code = before.code.clone();
        let found = schedule::schedule(&mut code, target, limit, Some(most));
        if found.cycles * 100 > before.found.cycles * worth {
            return false;
        }
        let coalesce = options.passes.contains(Pass::Coalesce);
        let mut used = None;
        let fewest = match allocate::fewest(&code, limit, coalesce) {
            Ok(fewest) => fewest,
            Err(Failure::Spill(registers, _)) if !registers.is_empty() => return false,
            Err(_) => {
                used = registers(&mut code, limit, options);
                let Some(used) = used else { return false };
                used.fewest
            }
        };
        most = most.min(found.alive).saturating_sub(fewest.saturating_sub(wanted) as usize);
        if warps(fewest, target) > warps(best.1.fewest, target)
            && let Some(used) = used.or_else(|| registers(&mut code, limit, options))
            && code.local_bytes <= best.0.local_bytes
        {
            *best = (code, used);
        }
    }
    granted(best.1.fewest, target) <= wanted
}

/// The registers that a thread is given if it wants so many; as many as do not limit the threads of a multiprocessor, at least.
fn granted(registers: u32, target: &Target) -> u32 {
    registers.next_multiple_of(target.limits.thread_unit()).max(target.choices.comfortable_registers)
}

/// So many groups of warps, one for each sub-partition, find registers on a multiprocessor.
fn warps(registers: u32, target: &Target) -> u32 {
    target.limits.registers / (granted(registers, target) * target.limits.warp_lanes * SUB_PARTITIONS).max(1)
}

/// Allocates registers, spilling until they suffice.
pub(crate) fn registers(code: &mut Code, limit: u32, options: &LowerOptions) -> Option<Used> {
    let (coalesce, target) = (options.passes.contains(Pass::Coalesce), &options.target);
    let spread = Spread {
        least: target.choices.spread_registers,
        most: target.choices.comfortable_registers,
        unit: target.limits.thread_unit(),
    };
    for round in 0..MOST_ROUNDS {
        match allocate::allocate(code, limit, spread, target.register_banks, coalesce) {
            Ok(used) => return Some(used),
            Err(Failure::Spill(registers, predicates)) => {
                spill::spill(code, &registers);
                spill::spill_predicates(code, &predicates, PREDICATE_REACH >> round.min(31));
            }
            Err(Failure::Uniform) => return None,
        }
    }
    None
}
