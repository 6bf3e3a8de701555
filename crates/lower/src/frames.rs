//! What calls need on the machine's side: what lives across a call goes to the frame, convergence barriers are kept,
//! the stack pointer moves (see `calls.rs` for the convention).

use crate::calls::INCOMING;
use crate::code::Code;
use crate::liveness::{Liveness, Numbering, step_backward};
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{
    AddressOperand, BarrierRegister, Instruction, Modifier, Opcode, Operand, Predicate, Register, Role,
    UniformRegister,
};

/// A place of the stack, in bytes from the stack pointer.
pub(crate) fn stack(at: i32) -> Operand {
    let base = Some(Register(1));
    Operand::Address(AddressOperand { base, offset: at, scale: 1, ..AddressOperand::default() })
}

/// Makes every call whole: what lives across it is stored before and loaded after, and the return address is stored.
pub(crate) fn keep_across_calls(code: &mut Code) {
    let live = Liveness::new(code);
    let mut homes: FxHashMap<usize, i32> = FxHashMap::default();
    for index in 0..code.blocks.len() {
        let calls = |it: &Instruction| it.opcode == Opcode::Call;
        if !code.blocks[index].instructions.iter().any(calls) {
            continue;
        }
        let old = std::mem::take(&mut code.blocks[index].instructions);
        let mut living: FxHashSet<usize> = live.live_out[index].iter().collect();
        // From the end upwards.
        let mut new: Vec<Instruction> = Vec::with_capacity(old.len());
        for instruction in old.into_iter().rev() {
            if instruction.opcode != Opcode::Call {
                step_backward(&live.numbering, &live.single, &instruction, |number, role| match role {
                    Role::Write => _ = living.remove(&number),
                    Role::Read => _ = living.insert(number),
                });
                new.push(instruction);
                continue;
            }
            let mut numbers: Vec<usize> = living.iter().copied().collect();
            numbers.sort_unstable();
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for number in numbers {
                let home = *homes.entry(number).or_insert_with(|| {
                    let at = code.local_bytes.next_multiple_of(4);
                    code.local_bytes = at + 4;
                    at.cast_signed()
                });
                keep(code, &live.numbering, number, home, &mut before, &mut after);
            }
            let address = code.register(2);
            before.push(Instruction::new(Opcode::Lepc, [], [Operand::register(address)]));
            before.push(Instruction::new(
                Opcode::Stl,
                [Modifier::B64],
                [stack(-8), Operand::register(address)],
            ));
            let origin = instruction.origin;
            let note = |mut it: Instruction| {
                it.origin = origin;
                it.origin.note = "for a call";
                it
            };
            step_backward(&live.numbering, &live.single, &instruction, |number, _| _ = living.insert(number));
            new.extend(after.into_iter().rev().map(note));
            new.push(instruction);
            new.extend(before.into_iter().rev().map(note));
        }
        new.reverse();
        code.blocks[index].instructions = new;
    }
}

/// Stores a value and loads it again.
fn keep(
    code: &mut Code,
    numbering: &Numbering,
    number: usize,
    home: i32,
    before: &mut Vec<Instruction>,
    after: &mut Vec<Instruction>,
) {
    let within = u32::try_from(numbering.within(number)).unwrap_or(0);
    let kind = numbering.kind(number);
    let register = if kind == 0 { Register(within + Register::FIRST_VIRTUAL) } else { code.register(1) };
    let value = Operand::register(register);
    let store = Instruction::new(Opcode::Stl, [], [stack(home), value]);
    let load = |to: Register| Instruction::new(Opcode::Ldl, [], [Operand::register(to), stack(home)]);
    match kind {
        0 => {
            before.push(store);
            after.push(load(register));
        }
        1 => {
            let predicate = Predicate(within + Predicate::FIRST_VIRTUAL);
            let not = Operand::Predicate { predicate, negate: true };
            let operands = [value, Operand::ZERO, Operand::Immediate(1), not];
            before.extend([Instruction::new(Opcode::Sel, [], operands), store]);
            let again = code.register(1);
            let operands = [
                Operand::predicate(predicate),
                Operand::TRUE,
                Operand::register(again),
                Operand::ZERO,
                Operand::TRUE,
            ];
            let set = Instruction::new(Opcode::Isetp, [Modifier::Ne, Modifier::And], operands);
            after.extend([load(again), set]);
        }
        _ => {
            let uniform = Operand::uniform(UniformRegister(within + UniformRegister::FIRST_VIRTUAL));
            before.extend([Instruction::new(Opcode::Mov, [], [value, uniform]), store]);
            let again = code.register(1);
            let set = Instruction::new(Opcode::R2ur, [], [uniform, Operand::register(again)]);
            after.extend([load(again), set]);
        }
    }
}

/// A function gives back the convergence barriers as it found them.
pub(crate) fn keep_barriers(code: &mut Code) {
    let mut used: Vec<BarrierRegister> = code
        .instructions()
        .filter(|it| it.opcode == Opcode::Bssy)
        .flat_map(|it| &it.operands)
        .filter_map(|operand| match operand {
            Operand::Barrier(barrier) => Some(*barrier),
            _ => None,
        })
        .collect();
    used.sort_unstable_by_key(|barrier| barrier.0);
    used.dedup();
    for barrier in used {
        let kept = Operand::register(code.register(1));
        let modifiers = [Modifier::B32, Modifier::Clear];
        let save = Instruction::new(Opcode::Bmov, modifiers, [kept, Operand::Barrier(barrier)]);
        code.blocks[0].instructions.insert(0, save);
        for block in &mut code.blocks {
            if let Some(last) = block.instructions.iter().position(|it| it.opcode == Opcode::Ret) {
                let restore = [Operand::Barrier(barrier), kept];
                let restore = Instruction::new(Opcode::Bmov, [Modifier::B32], restore);
                block.instructions.insert(last, restore);
            }
        }
    }
}

/// Moves the stack pointer below the frame of a kernel.
pub(crate) fn lower_stack(code: &mut Code) {
    if code.local_bytes == 0 {
        return;
    }
    code.local_bytes = code.local_bytes.next_multiple_of(16);
    let adjust = moved_stack(code.local_bytes.wrapping_neg());
    // Behind what else is read first: the stack pointer takes its time.
    let first_reads =
        |it: &Instruction| matches!(it.opcode, Opcode::Ldc | Opcode::Uldc | Opcode::S2r | Opcode::S2ur);
    let entry = &code.blocks[0].instructions;
    let at = entry.iter().position(|it| !first_reads(it)).unwrap_or(entry.len());
    code.blocks[0].instructions.insert(at, adjust);
}

/// Moves the stack pointer below the frame of a function and back; `area` bytes of it are what the caller passes.
pub(crate) fn frame_function(code: &mut Code, area: u32) {
    code.local_bytes = code.local_bytes.next_multiple_of(16) + area;
    let frame = code.local_bytes;
    for instruction in code.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        for operand in &mut instruction.operands {
            match operand {
                Operand::Address(address)
                    if address.base == Some(Register(1)) && address.offset > INCOMING / 2 =>
                {
                    address.offset += frame.cast_signed() - INCOMING;
                }
                _ => {}
            }
        }
    }
    code.blocks[0].instructions.insert(0, moved_stack(frame.wrapping_neg()));
    for block in &mut code.blocks {
        if let Some(at) = block.instructions.iter().position(|it| it.opcode == Opcode::Ret) {
            block.instructions.insert(at, moved_stack(frame));
        }
    }
}

fn moved_stack(bytes: u32) -> Instruction {
    let stack = Operand::register(Register(1));
    Instruction::new(Opcode::Iadd3, [], [stack, stack, Operand::Immediate(bytes), Operand::ZERO])
}
