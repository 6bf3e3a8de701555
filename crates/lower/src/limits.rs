//! How much a program may declare, and the sums that say where a variable lies.

use warplab_program::limits::{BANK_BYTES, LOCAL_BYTES};
use warplab_ptx::tree::{Space, Variable};

/// Bytes of local memory that a thread has at most.
const LOCAL: u64 = LOCAL_BYTES as u64;
/// Bytes of static shared memory that a kernel may declare, as ptxas has it; more is dynamic.
const SHARED: u64 = 48 << 10;
/// Where a kernel's shared variables start.
pub(crate) const SHARED_BASE: u32 = 0x400;
/// Bytes of constant memory that a file may declare.
const CONSTANT: u64 = BANK_BYTES as u64;
/// Bytes of global memory that a file may declare: more than any machine has.
const GLOBAL: u64 = 1 << 40;
/// Bytes of parameters that a kernel may have, and that a call may pass.
pub(crate) const PARAMETERS: u64 = 32_764;

/// Bytes from its start on that a variable may start with other values than zero.
pub(crate) const INITIAL: u64 = 1 << 28;
/// The limit of a space: its bytes, and whose they are.
fn limit(space: Space) -> (u64, &'static str) {
    match space {
        Space::Local => (LOCAL, "a thread has at most 524,288 bytes of local memory"),
        Space::Shared => (
            SHARED,
            "a kernel may declare at most 49,152 bytes of shared memory; what is more must be dynamic",
        ),
        Space::Const => (CONSTANT, "a file may declare at most 65,536 bytes of constant memory"),
        Space::Param => (PARAMETERS, "a kernel may have at most 32,764 bytes of parameters"),
        _ => (GLOBAL, "a file may declare at most 1,099,511,627,776 bytes (1 TiB) of global memory"),
    }
}

/// Where a variable starts and ends behind `used` bytes of its space.
///
/// # Errors
/// What to say where the space has not so much.
pub(crate) fn place(used: u64, variable: &Variable) -> Result<(u64, u64), String> {
    let (limit, whose) = limit(variable.space.family());
    let at = used.checked_next_multiple_of(variable.alignment().max(1));
    let end = at.and_then(|at| at.checked_add(variable.bytes()));
    match at.zip(end) {
        Some((at, end)) if end <= limit => Ok((at, end)),
        _ if used == 0 => Err(format!("'{}' has {} bytes: {whose}", variable.name, variable.bytes())),
        _ => Err(format!("'{}' has {} bytes, after {used}: {whose}", variable.name, variable.bytes())),
    }
}

/// A size or place in 32 bits, of a space that has no more.
pub(crate) fn narrow(bytes: u64) -> u32 {
    u32::try_from(bytes).expect("larger variables have been refused")
}

/// A size or place as a length of data that is at hand.
pub(crate) fn length(bytes: u64) -> usize {
    usize::try_from(bytes).expect("larger variables have been refused")
}

/// The same within 32 bits: no space but global memory is larger.
pub(crate) fn place32(used: u32, variable: &Variable) -> Result<(u32, u32), String> {
    let (at, end) = place(u64::from(used), variable)?;
    let narrow = |place: u64| u32::try_from(place).map_err(|fault| fault.to_string());
    Ok((narrow(at)?, narrow(end)?))
}

/// Bytes of local memory of a thread, within what it may have.
pub(crate) fn local_bytes(bytes: u64) -> Result<u32, String> {
    let fits = u32::try_from(bytes).ok().filter(|_| bytes <= LOCAL);
    fits.ok_or_else(|| format!("the calls need a stack of {bytes} bytes: {}", limit(Space::Local).1))
}
