//! Loops that ptxas leaves as they are because of what they store, where lanes of a warp may be elsewhere.

use super::counter::writes;
use warplab_program::{AddressOperand, Instruction, Opcode, Operand, Register, Resource};

/// Whether a store follows a load of the same memory and is guarded, or its address does not move by a constant from iteration to
/// iteration. Found by compiling loops with every order and kind of addresses.
pub(super) fn stores_behind_loads(body: &[Instruction]) -> bool {
    let (mut global, mut shared) = (false, false);
    for instruction in body {
        match instruction.opcode {
            Opcode::Ldg | Opcode::Ld => global = true,
            Opcode::Lds => shared = true,
            Opcode::St if global => return true,
            Opcode::Stg if global && !goes_on(body, instruction) => return true,
            Opcode::Sts if shared && !goes_on(body, instruction) => return true,
            _ => {}
        }
    }
    false
}

/// Whether a store is made in every iteration, at a constant distance from the one before.
fn goes_on(body: &[Instruction], store: &Instruction) -> bool {
    let address = store.operands.iter().find_map(|operand| match operand {
        Operand::Address(address) => Some(*address),
        _ => None,
    });
    let base = address.and_then(|AddressOperand { base, .. }| base);
    store.guard.is_always() && base.is_some_and(|it| steps(body, it) || beside_stepping(body, it))
}

/// Whether each iteration adds a constant to a register, and does nothing else to it.
fn steps(body: &[Instruction], register: Register) -> bool {
    let mut sums = from(body, register);
    sums.next().is_some_and(|first| first == register || sums.any(|it| it == register))
}

/// Whether a register is a constant away from one that steps.
fn beside_stepping(body: &[Instruction], register: Register) -> bool {
    from(body, register).any(|it| steps(body, it))
}

/// More sums than this that lead to one another are not looked at.
const LONGEST: usize = 8;

/// The registers that constants are added to until a register has its value, the nearest first.
fn from(body: &[Instruction], register: Register) -> impl Iterator<Item = Register> {
    std::iter::successors(term(body, register), |&it| term(body, it)).take(LONGEST)
}

/// The register that a constant is added to, or that is moved, where a register is written, if that is once.
fn term(body: &[Instruction], register: Register) -> Option<Register> {
    let mut writers = body.iter().filter(|it| writes(it, Resource::Registers(register, 1)));
    let (Some(sum), None) = (writers.next(), writers.next()) else { return None };
    if !matches!(sum.opcode, Opcode::Iadd3 | Opcode::Mov) || !sum.guard.is_always() {
        return None;
    }
    let mut registers =
        sum.operands[1..].iter().filter_map(Operand::as_register).filter(|&it| it != Register::ZERO);
    let constants = sum.operands[1..].iter().filter(|it| matches!(it, Operand::Immediate(_))).count();
    let is_sum = sum.opcode == Opcode::Mov || constants == 1;
    let only = (registers.next(), registers.next());
    only.1.is_none().then_some(only.0).flatten().filter(|_| is_sum)
}
