//! Spilling: values that find no register live in local memory, predicates in registers.

use crate::code::{Code, map_registers};
use warplab_program::{AddressOperand, Instruction, Modifier, Opcode, Operand, Predicate, Register, Role};

/// Keeps a group of registers in local memory: loaded before every use, stored after every write.
pub(crate) fn spill(code: &mut Code, victims: &[Register]) {
    for &victim in victims {
        let (base, count) = code.group(victim);
        let slot = code.local_bytes.next_multiple_of(4 * count);
        code.local_bytes = slot + 4 * count;
        for block in 0..code.blocks.len() {
            let old = std::mem::take(&mut code.blocks[block].instructions);
            let mut new = Vec::with_capacity(old.len());
            for mut instruction in old {
                let touched = |role: Role, instruction: &Instruction| {
                    instruction.accesses().iter().any(|access| {
                        access.role == role
                            && matches!(access.resource, warplab_program::Resource::Registers(first, n)
                                if first.0 < base.0 + count && base.0 < first.0 + n)
                    })
                };
                let (reads, writes) = (touched(Role::Read, &instruction), touched(Role::Write, &instruction));
                if !reads && !writes {
                    new.push(instruction);
                    continue;
                }
                let temporary = code.register(count);
                let partial = writes && (count > 1 || !instruction.guard.is_always());
                let size: &[Modifier] = match count {
                    2 => &[Modifier::B64],
                    4 => &[Modifier::B128],
                    _ => &[],
                };
                let place = Operand::Address(AddressOperand {
                    base: Some(Register(1)),
                    offset: slot as i32,
                    scale: 1,
                    ..AddressOperand::default()
                });
                if reads || partial {
                    let mut load = Instruction::new(Opcode::Ldl, size, [Operand::register(temporary), place]);
                    load.origin = instruction.origin;
                    load.origin.note = "spilled";
                    new.push(load);
                }
                map_registers(
                    &mut instruction,
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
                let origin = instruction.origin;
                new.push(instruction);
                if writes {
                    let mut store =
                        Instruction::new(Opcode::Stl, size, [place, Operand::register(temporary)]);
                    store.origin = origin;
                    store.origin.note = "spilled";
                    new.push(store);
                }
            }
            code.blocks[block].instructions = new;
        }
    }
}

/// Keeps predicates in registers: as 0 or 1.
pub(crate) fn spill_predicates(code: &mut Code, victims: &[Predicate]) {
    for &victim in victims {
        let home = code.register(1);
        for block in 0..code.blocks.len() {
            let old = std::mem::take(&mut code.blocks[block].instructions);
            let mut new = Vec::with_capacity(old.len());
            for mut instruction in old {
                let touched = |role: Role| {
                    instruction.accesses().iter().any(|access| {
                        access.role == role && access.resource == warplab_program::Resource::Predicate(victim)
                    })
                };
                let (reads, writes) = (touched(Role::Read), touched(Role::Write));
                if !reads && !writes {
                    new.push(instruction);
                    continue;
                }
                let temporary = code.predicate();
                if reads || !instruction.guard.is_always() {
                    let mut load = Instruction::new(
                        Opcode::Isetp,
                        [Modifier::Ne, Modifier::And],
                        [
                            Operand::predicate(temporary),
                            Operand::TRUE,
                            Operand::register(home),
                            Operand::ZERO,
                            Operand::TRUE,
                        ],
                    );
                    load.origin = instruction.origin;
                    new.push(load);
                }
                map_registers(
                    &mut instruction,
                    |register| register,
                    |predicate| if predicate == victim { temporary } else { predicate },
                    |uniform| uniform,
                );
                let origin = instruction.origin;
                new.push(instruction);
                if writes {
                    let negated = Operand::Predicate { predicate: temporary, negate: true };
                    let mut store = Instruction::new(
                        Opcode::Sel,
                        [],
                        [Operand::register(home), Operand::ZERO, Operand::Immediate(1), negated],
                    );
                    store.origin = origin;
                    new.push(store);
                }
            }
            code.blocks[block].instructions = new;
        }
    }
}
