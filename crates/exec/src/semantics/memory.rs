//! Loads, stores, atomics: addresses, spaces, data.

mod matrices;
mod peers;

use crate::LANES;
use crate::Row;
use crate::fault::{ExecFault, FaultKind};
use crate::memory::{AtomicReply, AtomicRequest, GlobalMemory, Lanes, Pattern, RowAccess, windows};
use crate::op::{AccessKind, Space};
use crate::op::{AddressForm, Memory, MemoryForm, SourceKind, SpaceForm};
use crate::semantics::lanes::Machine;
use crate::state::shared::check_each;
use crate::state::warp::blend;
use crate::step::Environment;
use warplab_units::LaneMask;
use warplab_units::PerLane;

/// Local addresses from here on are below the end of the stack: no thread has so much local memory.
const STACK_WRAPS: u64 = 0xff00_0000;

/// Executes; says whether the answer comes later.
#[inline(always)]
pub(crate) fn execute<M: GlobalMemory>(
    m: &mut Machine<'_>,
    memory: &Memory,
    environment: &mut Environment<'_, M>,
) -> Result<bool, ExecFault> {
    let mut addresses = addresses(m, memory.address);
    let mut active = LaneMask(m.mask);
    if memory.space == SpaceForm::Shared && m.banks.has_clusters() {
        if memory.form == MemoryForm::TellsBarrier {
            return peers::store(m, memory, active, &addresses, environment);
        }
        peers::inside(m, environment.block, &mut addresses);
    }
    if let MemoryForm::CopyToShared { to, zero_fill } = memory.form {
        active = LaneMask(m.predicate(0) & m.mask);
        copy_to_shared(m, memory, (to, zero_fill), active, &mut addresses, environment)?;
    }
    let space = match memory.space {
        SpaceForm::Global => Space::Global,
        SpaceForm::Shared => Space::Shared,
        SpaceForm::Local => Space::Local,
        SpaceForm::Generic => Space::Global,
    };
    if memory.form == MemoryForm::SpaceQuery {
        let shared = active.lanes().filter(|&l| windows::is_shared(addresses[l])).fold(0, |x, l| x | 1 << l);
        let local = active.lanes().filter(|&l| windows::is_local(addresses[l])).fold(0, |x, l| x | 1 << l);
        let holds = match memory.kind {
            AccessKind::Load if m.banks.has_clusters() => {
                shared & peers::own(m, environment.block, &addresses)
            }
            AccessKind::Load | AccessKind::Atomic => shared,
            AccessKind::Store => local,
            _ => !(shared | local),
        };
        m.write_predicate(0, holds);
        environment.record.rows[usize::from(m.warp.number)] = RowAccess::default();
        return Ok(false);
    }
    let bytes = u32::from(memory.bytes);
    if let (AccessKind::MatrixStore, MemoryForm::Matrix { count, .. }) = (memory.kind, memory.form) {
        active &= matrices::givers(count);
    }
    if memory.space == SpaceForm::Generic {
        return generic(m, memory, (active, addresses), environment);
    }
    if memory.tells() && m.op.out[0] < 7 {
        m.write_predicate(0, active.0);
    }
    let pattern = Pattern::of(&addresses, active, bytes);
    let lanes = Lanes { addresses: &addresses, mask: active, bytes, pattern };
    let deferred = access(m, memory, space, lanes, environment)?;
    let touched = match (memory.kind, memory.form) {
        // All lanes get values, some give addresses.
        (AccessKind::MatrixLoad, MemoryForm::Matrix { count, .. }) => {
            RowAccess::new(addresses, active & matrices::givers(count), bytes)
        }
        _ => RowAccess { mask: active, addresses, pattern },
    };
    record(m, memory, space, touched, environment);
    Ok(deferred)
}

/// Lanes in several spaces, one space after another.
fn generic<M: GlobalMemory>(
    m: &mut Machine<'_>,
    memory: &Memory,
    (active, mut addresses): (LaneMask, PerLane<u64>),
    environment: &mut Environment<'_, M>,
) -> Result<bool, ExecFault> {
    let bytes = u32::from(memory.bytes);
    let mut of_spaces = [Space::Global, Space::Shared, Space::Local].map(|space| {
        let inside = active.lanes().filter(|&lane| space_of(addresses[lane]) == space);
        (space, LaneMask(inside.fold(0, |lanes, lane| lanes | 1 << lane)))
    });
    let tells = memory.tells() && m.op.out[0] < 7;
    let (mut deferred, mut of_peers) = (false, 0);
    if m.banks.has_clusters() {
        let shared = of_spaces[1].1;
        let done = !tells || peers::are_done(memory);
        of_spaces[1].1 = peers::split(m, memory, (shared, done), &mut addresses, environment)?;
        of_peers = if done { shared.0 & !of_spaces[1].1.0 } else { 0 };
        deferred = of_peers != 0 && memory.kind == AccessKind::Atomic;
    }
    let done = |space| !tells || memory.is_done_in(space);
    if tells {
        let lanes =
            of_spaces.iter().filter(|&&(space, _)| done(space)).fold(0, |all, (_, lanes)| all | lanes.0);
        m.write_predicate(0, lanes | of_peers);
    }
    for lane in (of_spaces[1].1 | of_spaces[2].1).lanes() {
        addresses[lane] &= 0xffff_ffff;
    }
    for (space, lanes) in of_spaces.into_iter().filter(|&(space, _)| done(space)) {
        deferred |= access(m, memory, space, Lanes::new(&addresses, lanes, bytes), environment)?;
    }
    // The answer of global memory comes last.
    let (space, mask) = of_spaces.into_iter().find(|(_, lanes)| !lanes.is_empty()).unwrap_or(of_spaces[0]);
    record(m, memory, space, RowAccess::new(addresses, mask, bytes), environment);
    Ok(deferred)
}

/// Notes what the lanes of a row access. Of rows in several spaces those in global memory are noted.
#[inline(always)]
fn record<M>(
    m: &Machine<'_>,
    memory: &Memory,
    space: Space,
    row: RowAccess,
    environment: &mut Environment<'_, M>,
) {
    let record = &mut *environment.record;
    let space = if memory.kind == AccessKind::CacheControl { Space::Global } else { space };
    let number = usize::from(m.warp.number);
    let is_first = number == 0 || record.rows[0].mask.is_empty();
    if !is_first && space != record.space {
        if space != Space::Global {
            return;
        }
        record.rows[0] = RowAccess::default();
    }
    record.space = space;
    record.kind = memory.kind;
    record.bytes = u32::from(memory.bytes);
    record.rows[number] = row;
    record.policy = memory.policy;
    record.atomic = memory.atomic;
    record.destination = memory.register;
}

fn space_of(address: u64) -> Space {
    if windows::is_shared(address) {
        Space::Shared
    } else if windows::is_local(address) {
        Space::Local
    } else {
        Space::Global
    }
}

/// The address of every lane.
#[inline(always)]
pub(super) fn addresses(m: &Machine<'_>, form: AddressForm) -> PerLane<u64> {
    let uniform = form.uniform.map_or(0, |register| {
        let at = usize::from(register);
        let upper = if form.uniform_wide { m.warp.uniforms[at + 1] } else { 0 };
        u64::from(m.warp.uniforms[at]) | u64::from(upper) << 32
    });
    let constant = uniform.wrapping_add(i64::from(form.offset) as u64);
    let base = &m.warp.rows[usize::from(form.base)];
    let mut out = [0; LANES];
    if form.wide {
        let upper = &m.warp.rows[usize::from(form.base) + 1];
        for lane in 0..LANES {
            out[lane] = (u64::from(base[lane]) | u64::from(upper[lane]) << 32).wrapping_add(constant);
        }
    } else if form.uniform_wide {
        for lane in 0..LANES {
            out[lane] = u64::from(base[lane]).wrapping_add(constant);
        }
    } else {
        for lane in 0..LANES {
            let scaled = base[lane].wrapping_mul(u32::from(form.scale));
            out[lane] = u64::from(scaled.wrapping_add(constant as u32));
        }
    }
    out
}

/// A copy from global to shared memory, which the program must not look at before it has waited: it is done at once.
/// Lanes that are not among `reads` write zeros and read nothing. Where the rest is filled with zeros, the
/// misalignment of an address in global memory says how many bytes are not copied.
#[cold]
fn copy_to_shared<M: GlobalMemory>(
    m: &Machine<'_>,
    memory: &Memory,
    (to, zero_fill): (AddressForm, bool),
    reads: LaneMask,
    from: &mut PerLane<u64>,
    environment: &mut Environment<'_, M>,
) -> Result<(), ExecFault> {
    let (mask, bytes) = (LaneMask(m.mask), u32::from(memory.bytes));
    let mut values = [[0; LANES]; 4];
    if zero_fill {
        load_rest(reads, bytes, from, &mut values, environment)?;
    } else if !reads.is_empty() {
        environment.global.load(Lanes::new(from, reads, bytes), &mut values)?;
        // A load leaves the other lanes open.
        let others = LaneMask(m.mask & !reads.0);
        others.lanes().for_each(|lane| values.iter_mut().for_each(|row| row[lane] = 0));
    }
    let mut addresses = addresses(m, to);
    if m.banks.has_clusters() {
        peers::inside(m, environment.block, &mut addresses);
    }
    environment.record.lands = RowAccess::new(addresses, mask, bytes);
    if !mask.is_empty() {
        environment.shared.store(Lanes::new(&addresses, mask, bytes), &values)?;
    }
    Ok(())
}

/// Loads what is copied of `bytes` in some lanes, and makes the addresses those of the first bytes.
fn load_rest<M: GlobalMemory>(
    lanes: LaneMask,
    bytes: u32,
    from: &mut PerLane<u64>,
    values: &mut [Row; 4],
    environment: &mut Environment<'_, M>,
) -> Result<(), ExecFault> {
    let missing = from.map(|address| address as u32 % bytes);
    for (address, missing) in from.iter_mut().zip(missing) {
        *address -= u64::from(missing);
    }
    for word in 0..bytes / 4 {
        let wanted = lanes.lanes().filter(|&lane| bytes - missing[lane] > 4 * word);
        let mask = LaneMask(wanted.fold(0, |mask, lane| mask | 1 << lane));
        if mask.is_empty() {
            continue;
        }
        let addresses = from.map(|address| address + 4 * u64::from(word));
        let mut loaded = [[0; LANES]; 4];
        environment.global.load(Lanes::new(&addresses, mask, 4), &mut loaded)?;
        for lane in mask.lanes() {
            let valid = (bytes - missing[lane] - 4 * word).min(4);
            values[word as usize][lane] = loaded[0][lane] & (u32::MAX >> (32 - 8 * valid));
        }
    }
    Ok(())
}

/// The words of the data of every lane, `count` of them from source `index`.
#[inline(always)]
fn data(m: &Machine<'_>, index: usize, count: usize, out: &mut [Row]) {
    if let SourceKind::Row(row) = m.op.sources[index].from {
        for (word, slot) in out.iter_mut().enumerate().take(count) {
            *slot = m.warp.rows[usize::from(row) + word];
        }
        return;
    }
    let (low, high) = m.pair(index);
    out[0] = low;
    if count > 1 {
        out[1] = high;
    }
}

#[inline(always)]
fn access<M: GlobalMemory>(
    m: &mut Machine<'_>,
    memory: &Memory,
    space: Space,
    lanes: Lanes<'_>,
    environment: &mut Environment<'_, M>,
) -> Result<bool, ExecFault> {
    if lanes.mask.is_empty() {
        return Ok(false);
    }
    let words = usize::from(memory.bytes.div_ceil(4));
    match memory.kind {
        AccessKind::Load if matches!(memory.form, MemoryForm::CopyToShared { .. }) => {}
        AccessKind::Load if space == Space::Shared && memory.bytes == 4 => {
            let row = environment.shared.load_word(lanes)?;
            write_words(m, std::slice::from_ref(&row), lanes.mask);
        }
        AccessKind::Load => {
            let mut out = [[0; LANES]; 4];
            match space {
                Space::Global => environment.global.load(lanes, &mut out)?,
                Space::Shared => environment.shared.load(lanes, &mut out)?,
                Space::Local => load_local(m, lanes, &mut out)?,
            }
            if memory.signed {
                let shift = 32 - u32::from(memory.bytes) * 8;
                out[0].iter_mut().for_each(|value| *value = ((*value << shift) as i32 >> shift) as u32);
            }
            write_words(m, &out[..words], lanes.mask);
        }
        AccessKind::Store => {
            let mut values = [[0; LANES]; 4];
            data(m, 0, words, &mut values);
            match space {
                Space::Global => environment.global.store(lanes, &values)?,
                Space::Shared => environment.shared.store(lanes, &values)?,
                Space::Local => store_local(m, lanes, &values)?,
            }
        }
        AccessKind::Atomic | AccessKind::Reduction | AccessKind::Count => {
            return match memory.bytes {
                16 => atomic::<8, M>(m, memory, space, lanes, environment),
                _ => atomic::<4, M>(m, memory, space, lanes, environment),
            };
        }
        AccessKind::MatrixLoad => matrices::load(m, memory, lanes, environment)?,
        AccessKind::MatrixStore => matrices::store(m, memory, lanes, environment)?,
        AccessKind::CacheControl | AccessKind::Mbarrier => {}
    }
    Ok(false)
}

#[inline(always)]
fn write_words(m: &mut Machine<'_>, words: &[Row], mask: LaneMask) {
    if let crate::op::Destination::Row(row) = m.op.destination {
        for (word, value) in words.iter().enumerate() {
            blend(&mut m.warp.rows[usize::from(row) + word], value, mask.0);
        }
    }
}

fn check_local(m: &Machine<'_>, lanes: &Lanes<'_>) -> Result<(), ExecFault> {
    let bytes = m.warp.local.len() as u64 * 4;
    check_each(lanes, Space::Local, bytes).map_err(|fault| {
        // The stack grows down: below its end addresses begin again from the top.
        let past_the_end = fault.kind == FaultKind::OutOfBounds && fault.address.0 >= STACK_WRAPS;
        if past_the_end { ExecFault::Stack { bytes, lane: fault.lane } } else { fault.into() }
    })
}

fn load_local(m: &Machine<'_>, lanes: Lanes<'_>, out: &mut [Row; 4]) -> Result<(), ExecFault> {
    check_local(m, &lanes)?;
    for lane in lanes.mask.lanes() {
        let at = lanes.addresses[lane] as usize / 4;
        for word in 0..lanes.bytes.div_ceil(4) as usize {
            out[word][lane] = m.warp.local[at + word][lane];
        }
    }
    if lanes.bytes < 4 {
        crate::state::image::narrow(&lanes, &mut out[0]);
    }
    Ok(())
}

fn store_local(m: &mut Machine<'_>, lanes: Lanes<'_>, values: &[Row; 4]) -> Result<(), ExecFault> {
    check_local(m, &lanes)?;
    for lane in lanes.mask.lanes() {
        let address = lanes.addresses[lane] as usize;
        if lanes.bytes < 4 {
            let shift = address % 4 * 8;
            let keep = if lanes.bytes == 1 { 0xffu32 } else { 0xffff } << shift;
            let slot = &mut m.warp.local[address / 4][lane];
            *slot = *slot & !keep | values[0][lane] << shift & keep;
        } else {
            for word in 0..lanes.bytes as usize / 4 {
                m.warp.local[address / 4 + word][lane] = values[word][lane];
            }
        }
    }
    Ok(())
}

/// An atomic operation on values of which the operands have at most so many words together.
fn atomic<const WORDS: usize, M: GlobalMemory>(
    m: &mut Machine<'_>,
    memory: &Memory,
    space: Space,
    lanes: Lanes<'_>,
    environment: &mut Environment<'_, M>,
) -> Result<bool, ExecFault> {
    let Some((op, ty)) = memory.atomic else { return Ok(false) };
    let words = usize::from(memory.bytes / 4);
    let mut operands = [[0; LANES]; WORDS];
    if memory.form == MemoryForm::IncrementByCount {
        operands[0] = [1; LANES];
    } else {
        data(m, 0, words, &mut operands);
        if op == crate::AtomicOp::CompareExchange {
            data(m, 1, words, &mut operands[words..]);
        }
    }
    let wants_result = memory.kind == AccessKind::Atomic;
    let destination = memory.register.filter(|_| wants_result);
    let request =
        AtomicRequest { op, ty, lanes, row: m.warp.number, operands: &operands, wants_result, destination };
    let mut out = [[0; LANES]; 4];
    let reply = match space {
        Space::Global => environment.global.atomic(request, &mut out)?,
        _ => {
            environment.shared.atomic(request, &mut out)?;
            AtomicReply::Done
        }
    };
    if reply == AtomicReply::Deferred {
        return Ok(wants_result);
    }
    if memory.form == MemoryForm::CompareAndStore {
        let stored: Row = std::array::from_fn(|lane| {
            u32::from((0..words).all(|word| out[word][lane] == operands[word][lane]))
        });
        // A wide one answers in a pair of registers.
        write_words(m, &[stored, [0; LANES]][..words], lanes.mask);
    } else if wants_result {
        write_words(m, &out[..words], lanes.mask);
    }
    Ok(false)
}
