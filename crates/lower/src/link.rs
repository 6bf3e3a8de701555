//! One kernel from its own code and that of the functions it calls: one copy of each behind the kernel's.

use crate::functions::Functions;
use rustc_hash::FxHashMap;
use warplab_program::runtime::{Function, STACK_BYTES, function_address};
use warplab_program::{Instruction, Opcode, Operand};

/// Machine code of a kernel or function.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// The number of the function; none for the kernel.
    pub(crate) number: Option<u32>,
    /// Its instructions; branch targets are indices into them, those of calls numbers of functions.
    pub(crate) instructions: Vec<Instruction>,
    /// Registers that it uses.
    pub(crate) registers: u32,
    /// Bytes of its frame.
    pub(crate) frame: u32,
}

/// The functions that some code calls by name.
pub(crate) fn callees(instructions: &[Instruction]) -> impl Iterator<Item = u32> + '_ {
    instructions.iter().filter(|it| it.opcode == Opcode::Call).filter_map(|it| match it.operands.first() {
        Some(Operand::Immediate(number)) => Some(*number),
        _ => None,
    })
}

/// Bytes of local memory of a thread: what the deepest calls need. Where functions call themselves or are called
/// through pointers that is not known: the driver's default then.
pub(crate) fn stack_bytes(parts: &[Part], calls_pointers: bool) -> u64 {
    let own = parts.first().map_or(0, |kernel| u64::from(kernel.frame));
    let unknown = own + u64::from(STACK_BYTES);
    if calls_pointers {
        return unknown;
    }
    let index: FxHashMap<u32, usize> = index_of(parts);
    let mut called: Vec<Vec<usize>> = Vec::with_capacity(parts.len());
    for part in parts {
        let mut numbers: Vec<usize> =
            callees(&part.instructions).filter_map(|number| index.get(&number).copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        called.push(numbers);
    }
    // What each needs below its own frame; without circles this settles after as many rounds as calls nest.
    let mut needs = vec![0u64; parts.len()];
    for _ in 0..=parts.len() {
        let mut settled = true;
        for at in (0..parts.len()).rev() {
            let deepest = called[at].iter().map(|&it| needs[it] + u64::from(parts[it].frame)).max();
            let need = deepest.unwrap_or(0);
            settled &= std::mem::replace(&mut needs[at], need) == need;
        }
        if settled {
            return own + needs.first().copied().unwrap_or(0);
        }
    }
    unknown
}

fn index_of(parts: &[Part]) -> FxHashMap<u32, usize> {
    parts.iter().enumerate().filter_map(|(index, part)| Some((part.number?, index))).collect()
}

/// The code of all parts, one behind the other, and where pointers to functions lead.
pub(crate) fn link(parts: Vec<Part>, functions: &Functions<'_>) -> (Vec<Instruction>, Vec<Function>) {
    let index = index_of(&parts);
    let mut starts: Vec<u32> = Vec::with_capacity(parts.len());
    let mut count = 0;
    for part in &parts {
        starts.push(count);
        count += u32::try_from(part.instructions.len()).unwrap_or(u32::MAX);
    }
    let mut entries = Vec::new();
    let mut instructions = Vec::with_capacity(count as usize);
    for (part, &start) in parts.into_iter().zip(&starts) {
        if let Some(number) = part.number
            && functions.is_pointed(number)
            && let Some(address) = function_address(number as usize)
        {
            entries.push(Function { name: functions.numbered(number).name.to_string(), start, address });
        }
        instructions.extend(part.instructions.into_iter().map(|mut instruction| {
            let calls = instruction.opcode == Opcode::Call;
            for operand in &mut instruction.operands {
                match operand {
                    Operand::Target(target) => *target += start,
                    Operand::Immediate(number) if calls => {
                        *operand = Operand::Target(index.get(number).map_or(0, |&it| starts[it]));
                    }
                    _ => {}
                }
            }
            instruction
        }));
    }
    (instructions, entries)
}
