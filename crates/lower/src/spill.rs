//! Spilling: values that find no register live in local memory.

mod predicates;

pub(crate) use predicates::spill_predicates;

use crate::code::{Code, map_registers};
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{
    Access, AddressOperand, ConstantIndex, ConstantOperand, Instruction, Modifier, Opcode, Operand, Register,
    Resource, Role, Selector, SourceModifier,
};

/// Keeps groups of registers in local memory: loaded before every use, stored after every write. What is loaded from constant
/// memory is loaded again before every use.
pub(crate) fn spill(code: &mut Code, victims: &[Register]) {
    let constants = constants(code, victims);
    load_again(code, &constants);
    let mut slots: FxHashMap<Register, Slot> = FxHashMap::default();
    for (order, &victim) in victims.iter().enumerate() {
        if constants.contains_key(&code.group(victim).0) {
            continue;
        }
        let (base, count) = code.group(victim);
        let offset = code.local_bytes.next_multiple_of(4 * count.min(WIDEST));
        code.local_bytes = offset + 4 * count;
        let slot = Slot { order, base, count, offset };
        (0..count).for_each(|part| _ = slots.insert(base.offset(part), slot));
    }
    for block in 0..code.blocks.len() {
        let old = std::mem::take(&mut code.blocks[block].instructions);
        let mut new = Vec::with_capacity(old.len());
        for mut instruction in old {
            if let Some(moved) = moved(&instruction, &slots) {
                new.push(moved);
                continue;
            }
            let mut stores = Vec::new();
            for slot in touched(&instruction, &slots) {
                let store = reload(code, &mut instruction, slot, &mut new);
                stores.extend(store);
            }
            new.push(instruction);
            new.extend(stores.into_iter().rev());
        }
        code.blocks[block].instructions = new;
    }
}

/// Of groups of registers, those that one instruction loads from a place in constant memory: the instruction, by the first register.
fn constants(code: &Code, victims: &[Register]) -> FxHashMap<Register, Instruction> {
    let counts = code.definition_counts();
    let groups: FxHashSet<(Register, u32)> = victims.iter().map(|&victim| code.group(victim)).collect();
    let loads = code.instructions().filter(|it| it.opcode == Opcode::Ldc && it.guard.is_always());
    loads
        .filter_map(|load| match load.operands.as_slice() {
            [
                Operand::Register { register, .. },
                Operand::Constant(ConstantOperand { index: ConstantIndex::None, .. }),
            ] => {
                let (base, count) = (*register, load.register_count(0));
                let is_all =
                    groups.contains(&(base, count)) && counts.is_single(Resource::Registers(base, count));
                is_all.then(|| (base, load.clone()))
            }
            _ => None,
        })
        .collect()
}

/// Loads constants before every use, and not where they have been loaded.
fn load_again(code: &mut Code, constants: &FxHashMap<Register, Instruction>) {
    if constants.is_empty() {
        return;
    }
    let counts: FxHashMap<Register, u32> =
        constants.iter().map(|(&base, load)| (base, load.register_count(0))).collect();
    for block in 0..code.blocks.len() {
        let old = std::mem::take(&mut code.blocks[block].instructions);
        let mut new = Vec::with_capacity(old.len());
        for mut instruction in old {
            if constants.values().any(|load| *load == instruction) {
                continue;
            }
            let mut read: Vec<Register> = Vec::new();
            for access in instruction.accesses() {
                if let Resource::Registers(first, count) = access.resource {
                    let bases = (0..count).map(|part| code.group(first.offset(part)).0);
                    read.extend(bases.filter(|base| counts.contains_key(base)));
                }
            }
            read.sort_unstable();
            read.dedup();
            for base in read {
                let temporary = code.register(counts[&base]);
                let mut load = constants[&base].clone();
                load.operands[0] = Operand::register(temporary);
                new.push(load);
                let own = base.0..base.0 + counts[&base];
                let moved =
                    |it: Register| if own.contains(&it.0) { temporary.offset(it.0 - base.0) } else { it };
                map_registers(&mut instruction, moved, |it| it, |it| it);
            }
            new.push(instruction);
        }
        code.blocks[block].instructions = new;
    }
}

/// Registers that an access to local memory moves at most.
const WIDEST: u32 = 4;

/// Where a group of registers is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    order: usize,
    base: Register,
    count: u32,
    offset: u32,
}

impl Slot {
    /// Where a register of the group is.
    fn place(&self, part: u32) -> Operand {
        Operand::Address(AddressOperand {
            base: Some(Register(1)),
            offset: (self.offset + 4 * part).cast_signed(),
            scale: 1,
            ..AddressOperand::default()
        })
    }
}

/// The groups that an instruction reads or writes, in the order in which they were chosen.
fn touched(instruction: &Instruction, slots: &FxHashMap<Register, Slot>) -> Vec<Slot> {
    let mut found: Vec<Slot> = Vec::new();
    for access in instruction.accesses() {
        if let Resource::Registers(first, count) = access.resource {
            found.extend((0..count).filter_map(|part| slots.get(&first.offset(part))));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Makes an instruction use a temporary for a group, loaded before it where its old value matters; returns the stores
/// of a new value.
fn reload(
    code: &mut Code,
    instruction: &mut Instruction,
    slot: Slot,
    before: &mut Vec<Instruction>,
) -> Vec<Instruction> {
    let Slot { base, count, .. } = slot;
    let does = |role: Role| {
        instruction.accesses().iter().any(|access| {
            access.role == role
                && matches!(access.resource, Resource::Registers(first, n)
                    if first.0 < base.0 + count && base.0 < first.0 + n)
        })
    };
    let (reads, writes) = (does(Role::Read), does(Role::Write));
    let written = written(instruction, slot);
    let temporary = code.register(count);
    let covers =
        |access: &Access| access.role == Role::Write && access.resource == Resource::Registers(base, count);
    let is_whole = instruction.guard.is_always() && instruction.accesses().iter().any(covers);
    // One register that is written alone is stored alone.
    let partial = writes && !is_whole && written.is_none();
    let size = |count: u32| -> &[Modifier] {
        match count {
            2 => &[Modifier::B64],
            4 => &[Modifier::B128],
            _ => &[],
        }
    };
    // Sums of warpgroups are wider than an access.
    let whole = if matches!(count, 1 | 2 | 4) { count } else { 2 - count % 2 };
    let parts = move || (0..count).step_by(whole as usize);
    let mut origin = instruction.origin;
    origin.note = "spilled";
    if reads || partial {
        before.extend(parts().map(|part| {
            let to = Operand::register(temporary.offset(part));
            Instruction::new(Opcode::Ldl, size(whole), [to, slot.place(part)]).with_origin(origin)
        }));
    }
    map_registers(
        instruction,
        |register| {
            if (base.0..base.0 + count).contains(&register.0) {
                Register(temporary.0 + register.0 - base.0)
            } else {
                register
            }
        },
        |predicate| predicate,
        |uniform| uniform,
    );
    let store = |part: u32, count: u32| {
        let from = Operand::register(temporary.offset(part));
        Instruction::new(Opcode::Stl, size(count), [slot.place(part), from]).with_origin(origin)
    };
    match written {
        _ if !writes => Vec::new(),
        Some(part) if !reads => vec![store(part, 1)],
        _ => parts().map(|part| store(part, whole)).collect(),
    }
}

/// Which register of a group an instruction writes, if it always writes one and nothing else of the group.
fn written(instruction: &Instruction, Slot { base, count, .. }: Slot) -> Option<u32> {
    let mut parts = instruction.accesses().into_iter().filter_map(|access| match access.resource {
        Resource::Registers(first, n)
            if access.role == Role::Write && first.0 < base.0 + count && base.0 < first.0 + n =>
        {
            Some((first.0.checked_sub(base.0), n))
        }
        _ => None,
    });
    match (parts.next(), parts.next()) {
        (Some((Some(part), 1)), None) if instruction.guard.is_always() => Some(part),
        _ => None,
    }
}

/// Of a copy from or to a register that is kept in local memory: the load or the store.
fn moved(instruction: &Instruction, slots: &FxHashMap<Register, Slot>) -> Option<Instruction> {
    let (to, from) =
        match (instruction.opcode, instruction.modifiers.as_slice(), instruction.operands.as_slice()) {
            (
                Opcode::Mov,
                [],
                &[
                    Operand::Register { register: to, .. },
                    Operand::Register {
                        register: from,
                        modifier: SourceModifier::NONE,
                        selector: Selector::Whole,
                        ..
                    },
                ],
            ) => (to, from),
            _ => return None,
        };
    if to.is_fixed() || from.is_fixed() {
        return None;
    }
    let mut origin = instruction.origin;
    origin.note = "spilled";
    let guarded = |opcode, operands: [Operand; 2]| {
        let mut new = Instruction::new(opcode, [], operands).with_origin(origin);
        new.guard = instruction.guard;
        Some(new)
    };
    match (slots.get(&to), slots.get(&from)) {
        (None, Some(slot)) => guarded(Opcode::Ldl, [Operand::register(to), slot.place(from.0 - slot.base.0)]),
        (Some(slot), None) => guarded(Opcode::Stl, [slot.place(to.0 - slot.base.0), Operand::register(from)]),
        _ => None,
    }
}
