//! Calls through pointers and calls of the driver.

use crate::fault::ExecFault;
use crate::memory::GlobalMemory;
use crate::op::{Call, Code};
use crate::semantics::flow::Flow;
use crate::semantics::system;
use crate::step::{Environment, Step};
use warplab_program::SystemCall;
use warplab_units::MOST_WARP_LANES;

#[inline(never)]
pub(crate) fn execute<M: GlobalMemory>(
    m: &mut Flow<'_>,
    call: Call,
    code: &Code,
    environment: &mut Environment<'_, M>,
) -> Result<Step, ExecFault> {
    if m.mask.is_empty() {
        m.warp.paths.advance();
        return Ok(Step::Branched { taken: false, diverged: false, targets: 0 });
    }
    match call {
        Call::Through { base } => through(m, base, code, environment),
        Call::System(call) => system::by_registers(m, call, environment),
        Call::Operands(call) => system::by_operands(m, call, environment),
    }
}

/// Each lane calls the function at its own address. Lanes that call the driver go first, those of one system call
/// together; the others execute the instruction again.
fn through<M: GlobalMemory>(
    m: &mut Flow<'_>,
    base: u64,
    code: &Code,
    environment: &mut Environment<'_, M>,
) -> Result<Step, ExecFault> {
    let mask = m.mask;
    let mut addresses = m.wide(0);
    addresses.iter_mut().for_each(|address| *address = address.wrapping_add(base));
    let system = mask.lanes().find_map(|lane| SystemCall::at(addresses[lane]));
    if let Some(call) = system {
        let same = mask.lanes().filter(|&lane| addresses[lane] == call.address()).collect();
        m.warp.paths.split_off(mask.without(same));
        m.mask = same;
        return system::by_registers(m, call, environment);
    }
    let mut targets = [0; MOST_WARP_LANES];
    for lane in mask.lanes() {
        let found = code.functions.binary_search_by_key(&addresses[lane], |&(address, _)| address);
        let fault = || ExecFault::Call { address: addresses[lane], lane: lane as u8 };
        targets[lane] = code.functions[found.map_err(|_| fault())?].1;
    }
    let (diverged, targets) = m.warp.paths.branch_each(mask, &targets);
    Ok(Step::Branched { taken: true, diverged, targets })
}
