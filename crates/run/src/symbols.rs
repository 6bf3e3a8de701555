//! Values for the variables of a program, written before the launch.

use crate::buffers::ReadFile;
use crate::fault::Fault;
use crate::parameters;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use warplab_config::launch::Argument;
use warplab_diagnostics::nearest_name;
use warplab_exec::MemoryImage;
use warplab_program::{Kernel, Program};
use warplab_units::Address;

/// Writes values into variables: those of global memory into the image, those of constant memory into the constant
/// banks of the kernels, for which the program is copied.
pub(crate) fn write<'a>(
    program: &'a Program,
    kernels: &[&str],
    values: &BTreeMap<String, Argument>,
    image: &MemoryImage,
    symbols: &FxHashMap<String, Address>,
    read: ReadFile<'_>,
) -> Result<Cow<'a, Program>, Fault> {
    let mut program = Cow::Borrowed(program);
    for (name, value) in values {
        let place = format!("the value of '{name}'");
        let bytes = parameters::value(value, image, read).map_err(|wrong| wrong.within(&place))?;
        if let Some(global) = program.globals.iter().find(|global| global.name == *name) {
            check_length(name, bytes.len(), global.bytes)?;
            let address = symbols.get(name).copied().unwrap_or_default();
            image.write_bytes(address, &bytes).map_err(|fault| Fault::input(format!("{place}: {fault}")))?;
        } else if let Some(constant) = program.constants.iter().find(|constant| constant.name == *name) {
            check_length(name, bytes.len(), u64::from(constant.bytes))?;
            let (bank, offset) = (constant.bank, constant.offset as usize);
            let all = program.to_mut().kernels.iter_mut();
            for kernel in all.filter(|kernel| kernels.contains(&kernel.name.as_str())) {
                put(kernel, bank, offset, &bytes);
            }
        } else {
            return Err(unknown(name, &program));
        }
    }
    Ok(program)
}

/// Overwrites bytes of a constant bank; a kernel that has not got the bank reads nothing of it.
fn put(kernel: &mut Kernel, bank: u8, offset: usize, bytes: &[u8]) {
    let Some(bank) = kernel.constant_banks.iter_mut().find(|it| it.bank == bank) else { return };
    let end = offset + bytes.len();
    if bank.bytes.len() < end {
        bank.bytes.resize(end, 0);
    }
    bank.bytes[offset..end].copy_from_slice(bytes);
    let inside = |at: u32| (offset..end).contains(&(at as usize));
    bank.relocations.retain(|relocation| !inside(relocation.offset));
}

fn check_length(name: &str, found: usize, expected: u64) -> Result<(), Fault> {
    if found as u64 == expected {
        return Ok(());
    }
    Err(Fault::input(format!("the value of '{name}' has {found} bytes, but the variable takes {expected}")))
}

fn unknown(name: &str, program: &Program) -> Fault {
    let globals = program.globals.iter().map(|global| global.name.as_str());
    let known: Vec<&str> =
        globals.chain(program.constants.iter().map(|constant| constant.name.as_str())).collect();
    if known.is_empty() {
        return Fault::input(format!("the program has no variable '{name}': it has none at all"));
    }
    let near = nearest_name(name, known.iter().copied());
    let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
    Fault::input(format!("the program has no variable '{name}';{near} known: {}", known.join(", ")))
}
