//! One kernel of a cubin.

use crate::bytes::Bytes;
use crate::disassembly::{At, DisassembledFunction};
use crate::elf::Elf;
use crate::lines::Lines;
use crate::link::{Addresses, Layout};
use crate::{SassFault, banks, disassembly, info};
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::kernel::launch_constants;
use warplab_program::listing::instruction_text;
use warplab_program::runtime::STACK_BYTES;
use warplab_program::{Instruction, Kernel, Opcode, Register, Resource, Role, SystemCall};

/// The alignment of the end of a thread's local memory.
const STACK_ALIGNMENT: u32 = 16;

/// Bytes that belong to the system and are counted in a kernel's section of shared memory, by architecture.
fn reserved_shared_bytes(architecture: u32) -> u64 {
    if architecture >= 90 { 1024 } else { 0 }
}

/// Where a kernel is in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelSymbol<'a> {
    pub(crate) name: &'a str,
    /// The section of its code, by number.
    pub(crate) section: usize,
    /// Its symbol, by number.
    pub(crate) symbol: usize,
}

/// What is known of the whole file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File<'a> {
    pub(crate) elf: &'a Elf<'a>,
    pub(crate) functions: &'a [DisassembledFunction],
    pub(crate) lines: &'a Lines,
}

/// Reads a kernel, as far as that is possible; faults are added.
pub(crate) fn read(file: &File<'_>, place: &KernelSymbol<'_>, faults: &mut Vec<SassFault>) -> Option<Kernel> {
    let elf = file.elf;
    let fault = |message: &str| SassFault::kernel(place.name, message);
    let code = elf.sections.get(place.section)?;
    let Some(info) = info::read(elf, place.name, place.symbol) else {
        faults.push(fault("its records in .nv.info are damaged"));
        return None;
    };
    let Some(layout) = Layout::of(elf, file.functions, place.section) else {
        faults.push(fault("the relocations of its code are damaged"));
        return None;
    };
    for name in unknown_functions(elf, &info) {
        let known: Vec<&str> = SystemCall::ALL.into_iter().map(SystemCall::name).collect();
        let help = format!("of the functions of the driver there are {}", known.join(", "));
        faults.push(SassFault { help, ..fault(&format!("calls '{name}', which is not supported")) });
    }
    let mut addresses = Addresses::new(elf, place.name);
    let mut instructions = Vec::new();
    for &(section, base) in &layout.parts {
        let part = Part { name: place.name, layout: &layout, section, base };
        instructions.extend(part_of(file, &part, &mut addresses, faults));
    }
    check_targets(place.name, &instructions, faults);
    let static_shared_bytes = match elf.section(&format!(".nv.shared.{}", place.name)) {
        Some((_, section)) => section.size.saturating_sub(reserved_shared_bytes(elf.architecture())),
        None => 0,
    };
    let Ok(static_shared_bytes) = u32::try_from(static_shared_bytes) else {
        faults.push(fault("its shared memory has no possible size"));
        return None;
    };
    let parameter_base = info.parameter_base.or_else(|| {
        let (_, bank) = elf.section(&format!(".nv.constant0.{}", place.name))?;
        u32::try_from(bank.size).ok()?.checked_sub(info.parameter_bytes.unwrap_or(0))
    });
    let mut constant_banks = banks::read(elf, place, &instructions, faults);
    addresses.store(&mut constant_banks);
    let called = called_registers(elf, &layout);
    let through_pointers = instructions.iter().any(Instruction::calls_through_register);
    let functions = if through_pointers { layout.functions(elf) } else { Vec::new() };
    Some(Kernel {
        name: place.name.to_owned(),
        // Older cubins say these in the header of the section.
        registers: info.registers.unwrap_or(code.info >> 24).max(called),
        static_shared_bytes,
        local_bytes: stack_bytes(&info, &instructions),
        barriers: info.barriers.unwrap_or(barriers_of_header(code.flags)),
        parameters: info.parameters,
        parameter_base: parameter_base.unwrap_or(launch_constants::PARAMETERS),
        constant_banks,
        functions,
        max_block: info.max_block,
        required_block: info.required_block,
        cluster: info.cluster,
        instructions,
    })
}

/// Functions that the driver would have to provide and that are not known here.
fn unknown_functions<'a>(elf: &Elf<'a>, info: &info::Info) -> Vec<&'a str> {
    let names = info.externs.iter().filter_map(|&symbol| elf.symbols.get(symbol)).map(|symbol| symbol.name);
    names.filter(|name| SystemCall::from_name(name).is_none()).collect()
}

/// Local memory of a thread. Where functions call themselves or are called through pointers, or a program takes as much
/// as it computes (`alloca`), the need is not known, or known for less than can happen: the driver's default is the least then. (A call backwards stands for every
/// recursion, for a circle of calls has at least one.)
fn stack_bytes(info: &info::Info, instructions: &[Instruction]) -> u32 {
    let backwards = |(index, instruction): (usize, &Instruction)| {
        let target = instruction.target().filter(|_| instruction.opcode == Opcode::Call);
        instruction.calls_through_register() || target.is_some_and(|target| u64::from(target) <= index as u64)
    };
    let unknown = info.local_bytes == info::UNKNOWN_STACK;
    let bytes = if unknown {
        STACK_BYTES
    } else if instructions.iter().enumerate().any(backwards) || allocates(instructions) {
        info.local_bytes.max(STACK_BYTES)
    } else {
        info.local_bytes
    };
    // The stack grows down from its end, which is aligned for the widest accesses.
    bytes.checked_next_multiple_of(STACK_ALIGNMENT).unwrap_or(bytes)
}

/// Whether the stack pointer of a kernel that uses its stack goes down by what a register says.
fn allocates(instructions: &[Instruction]) -> bool {
    const STACK: Register = Register(1);
    let uses_stack = instructions.iter().any(|it| matches!(it.opcode, Opcode::Stl | Opcode::Ldl));
    let moves = |instruction: &Instruction| {
        let accesses = instruction.accesses();
        let registers = |role: Role| {
            accesses.iter().filter_map(move |access| match access.resource {
                Resource::Registers(register, _) if access.role == role => Some(register),
                _ => None,
            })
        };
        registers(Role::Write).eq([STACK])
            && registers(Role::Read).any(|it| it == STACK)
            && registers(Role::Read).any(|it| it != STACK)
    };
    uses_stack && instructions.iter().any(moves)
}

/// The barriers that an old cubin counts in the flags of a kernel's section.
fn barriers_of_header(flags: u64) -> u32 {
    (flags >> 20 & 0x7f) as u32
}

/// The most registers that a called function needs.
fn called_registers(elf: &Elf<'_>, layout: &Layout) -> u32 {
    let sections = layout.parts.iter().skip(1).filter_map(|&(section, _)| {
        let name = elf.sections.get(section)?.name.strip_prefix(".text.")?;
        let symbol = elf.symbols.iter().position(|symbol| symbol.name == name)?;
        info::read(elf, name, symbol)?.registers
    });
    sections.max().unwrap_or(0)
}

/// One section of a kernel's code.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    /// The kernel.
    name: &'a str,
    layout: &'a Layout,
    section: usize,
    /// The address of its first instruction.
    base: u64,
}

fn part_of(
    file: &File<'_>,
    part: &Part<'_>,
    addresses: &mut Addresses,
    faults: &mut Vec<SassFault>,
) -> Vec<Instruction> {
    let Some(code) = file.elf.sections.get(part.section) else { return Vec::new() };
    let name = code.name.strip_prefix(".text.").unwrap_or(code.name);
    let Some(function) = file.functions.iter().find(|function| function.name == name) else {
        faults.push(SassFault::kernel(part.name, format!("the disassembly does not have '{name}'")));
        return Vec::new();
    };
    let lines = &function.lines;
    let encodings: Vec<[u64; 2]> =
        code.data.chunks(16).filter_map(|word| Some([Bytes(word).u64(0)?, Bytes(word).u64(8)?])).collect();
    if encodings.len() != lines.len() {
        let (code, text) = (encodings.len(), lines.len());
        let message = format!("the cubin has {code} instructions, the disassembly {text}");
        faults.push(SassFault::kernel(part.name, message));
        return Vec::new();
    }
    // Whether they can be read was checked with the layout.
    let fixups = file.elf.fixups(part.section).unwrap_or_default();
    let mut instructions = Vec::with_capacity(lines.len());
    for (index, (line, &encoding)) in lines.iter().zip(&encodings).enumerate() {
        let offset = index as u64 * INSTRUCTION_BYTES;
        let address = part.base + offset;
        let at = At { kernel: part.name, layout: part.layout, fixups: &fixups, base: part.base, address };
        match disassembly::instruction(file.elf, at, line, encoding, addresses) {
            Ok(mut found) => {
                if let Some((source_file, source_line)) = file.lines.at(part.section, offset) {
                    found.origin.source_file = Some(source_file);
                    found.origin.source_line = source_line;
                }
                instructions.push(found);
            }
            Err(fault) => {
                faults.push(fault);
                // What cannot be read still has its place among the addresses.
                instructions.push(Instruction::new(Opcode::Nop, [], []));
            }
        }
    }
    instructions
}

fn check_targets(kernel: &str, instructions: &[Instruction], faults: &mut Vec<SassFault>) {
    for (index, instruction) in instructions.iter().enumerate() {
        if !instruction.target_exists(instructions.len()) {
            faults.push(SassFault {
                kernel: kernel.to_owned(),
                address: Some(index as u64 * INSTRUCTION_BYTES),
                text: instruction_text(instruction),
                message: "the target is past the end of the kernel".to_owned(),
                help: String::new(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{STACK_BYTES, info::Info, stack_bytes};
    use warplab_program::listing::read_instruction;

    #[test]
    fn a_stack_that_grows_by_a_register_may_have_the_drivers_default() {
        let bytes = |lines: &[&str]| {
            let read =
                |line: &&str| read_instruction(line).unwrap_or_else(|fault| panic!("{line}: {fault:?}"));
            stack_bytes(&Info::default(), &lines.iter().map(read).collect::<Vec<_>>())
        };
        let grows = "IMAD.IADD R1, R1, 0x1, -R0";
        assert_eq!(bytes(&[grows, "STL [R1], R15"]), STACK_BYTES);
        // Without an access R1 is a register like others; by a constant it is the frame, which is known.
        assert_eq!(bytes(&[grows, "STG.E desc[UR4][R2.64], R1"]), 0);
        assert_eq!(bytes(&["VIADD R1, R1, 0xfffffff0", "STL [R1], R15"]), 0);
    }
}
