//! How often a loop runs: a register, or a pair of registers, that goes up or down by a constant, compared with what the loop does
//! not change.

use crate::code::Block;
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{
    Guard, Instruction, Modifier, Opcode, Operand, Predicate, Register, Resource, Role, Selector,
    SourceModifier,
};

/// When a loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum While {
    /// While the counter is another number.
    Other,
    /// While it is below, or at most, the bound.
    Below,
    /// While it is above, or at least, the bound.
    Above,
}

/// A number of 32 bits, or of 64 with an upper half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) low: Operand,
    pub(super) high: Option<Operand>,
}

impl Number {
    /// The number if it is a constant; of 32 bits without a sign.
    pub(super) fn constant(self) -> Option<u64> {
        let half = |operand: Operand| match operand {
            Operand::ZERO => Some(0),
            Operand::Immediate(bits) => Some(u64::from(bits)),
            _ => None,
        };
        let high = self.high.map_or(Some(0), half)?;
        Some(half(self.low)? | high << 32)
    }
}

/// What counts the iterations of a loop: it is stepped, then compared, and the branch goes back where the comparison holds.
/// ptxas looks for nothing else.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    /// The registers as they are when an iteration begins.
    pub(super) counter: Number,
    /// What an iteration adds to them.
    pub(super) step: i32,
    pub(super) goes_on: While,
    /// Whether equality goes on as well.
    pub(super) or_equal: bool,
    pub(super) signed: bool,
    pub(super) bound: Number,
    /// The predicate of the branch.
    pub(super) predicate: Predicate,
}

/// Sums larger than this are not looked at: nothing below overflows.
const LARGEST: i32 = 1 << 24;

impl Counter {
    /// Finds the counter of a block that ends with a branch back to itself.
    pub(super) fn find(body: &[Instruction], branch: &Instruction) -> Option<Counter> {
        let Guard::Predicate { predicate, negate: false } = branch.guard else { return None };
        let written = written_by(body);
        let sets = |to: Predicate| body.iter().rposition(|it| writes(it, Resource::Predicate(to)));
        let last = sets(predicate)?;
        let compared = match Comparison::of(&body[last])? {
            Comparison { and: None, low, bound, order, signed } => Compared {
                at: last,
                low,
                high: None,
                bound: Number { low: bound, high: None },
                order,
                signed,
            },
            // The lower halves decide where the upper ones are the same.
            upper @ Comparison { and: Some(lower), .. } => {
                let at = sets(lower)?;
                let lower =
                    Comparison::of(&body[at]).filter(|it| it.and.is_none() && it.order == upper.order)?;
                Compared {
                    at,
                    low: lower.low,
                    high: Some((last, upper.low)),
                    bound: Number { low: lower.bound, high: Some(upper.bound) },
                    order: upper.order,
                    signed: upper.signed,
                }
            }
        };
        compared.counter(body, &written, predicate)
    }

    /// How often the loop runs if the counter begins with a constant and the bound is one; none if more than `most`.
    pub(super) fn times(&self, begin: u64, most: u32) -> Option<u32> {
        let bound = self.bound.constant()?;
        let mut counter = begin;
        (1..=most).find(|_| {
            counter = counter.wrapping_add_signed(i64::from(self.step)) & self.mask();
            !self.holds(counter, bound)
        })
    }

    /// Whether an instruction writes the counter.
    pub(super) fn is_set_by(&self, instruction: &Instruction) -> bool {
        let register = self.counter.low.as_register();
        register.is_some_and(|it| writes(instruction, Resource::Registers(it, 1)))
    }

    fn mask(&self) -> u64 {
        if self.counter.high.is_some() { u64::MAX } else { u64::from(u32::MAX) }
    }

    fn holds(&self, value: u64, bound: u64) -> bool {
        // The sign in the topmost bit, whichever width.
        let shift = self.mask().leading_zeros();
        let (value, bound) = (value << shift, bound << shift);
        let order =
            if self.signed { value.cast_signed().cmp(&bound.cast_signed()) } else { value.cmp(&bound) };
        match self.goes_on {
            While::Other => order.is_ne(),
            While::Below => order.is_lt() || self.or_equal && order.is_eq(),
            While::Above => order.is_gt() || self.or_equal && order.is_eq(),
        }
    }

    /// The value with which the counter begins, if it is a constant that the block in front of the loop sets.
    pub(super) fn begin(&self, before: &Block) -> Option<u64> {
        let value = |operand: Operand| constant_behind(before, operand.as_register()?).map(u64::from);
        let high = self.counter.high.map_or(Some(0), value)?;
        Some(value(self.counter.low)? | high << 32)
    }
}

/// The constant that a register has behind a block.
fn constant_behind(block: &Block, register: Register) -> Option<u32> {
    let last = block.instructions.iter().rfind(|it| writes(it, Resource::Registers(register, 1)))?;
    match last.operands.get(1) {
        _ if last.opcode != Opcode::Mov || !last.guard.is_always() => None,
        Some(&Operand::Immediate(bits)) => Some(bits),
        Some(&Operand::ZERO) => Some(0),
        _ => None,
    }
}

/// What a loop compares at its end.
struct Compared {
    /// Where the lower halves are compared, or all.
    at: usize,
    low: Register,
    /// Where upper halves are compared, and which.
    high: Option<(usize, Register)>,
    bound: Number,
    order: Modifier,
    signed: bool,
}

impl Compared {
    fn counter(
        &self,
        body: &[Instruction],
        written: &FxHashSet<Register>,
        predicate: Predicate,
    ) -> Option<Counter> {
        let (register, Stepped { by: step, times: 1 }) = sums(&body[..self.at]).of(self.low)? else {
            return None;
        };
        let whole = sums(body).of(register)?;
        let is_free = |operand: Operand| {
            operand.as_register().is_none_or(|it| it == Register::ZERO || !written.contains(&it))
        };
        let is_bound = is_free(self.bound.low) && self.bound.high.is_none_or(is_free);
        // It is stepped once before it is compared, and by nothing else: ptxas counts with no chain of sums.
        if whole != (register, Stepped { by: step, times: 1 }) || step.abs() > LARGEST || !is_bound {
            return None;
        }
        let high = match self.high {
            Some((at, high)) => Some(upper_half(&body[..at], high, register, step)?),
            None => None,
        };
        let (goes_on, or_equal) = match self.order {
            Modifier::Ne => (While::Other, false),
            Modifier::Lt if step > 0 => (While::Below, false),
            Modifier::Le if step > 0 => (While::Below, true),
            Modifier::Gt if step < 0 => (While::Above, false),
            Modifier::Ge if step < 0 => (While::Above, true),
            _ => return None,
        };
        let counter = Number { low: Operand::register(register), high: high.map(Operand::register) };
        let bound = self.bound;
        Some(Counter { counter, step, goes_on, or_equal, signed: self.signed, bound, predicate })
    }
}

/// The register itself if it is the upper half of a sum whose lower half a step is added to.
fn upper_half(body: &[Instruction], high: Register, low: Register, step: i32) -> Option<Register> {
    let last = |register| body.iter().rfind(|it| writes(it, Resource::Registers(register, 1)));
    let (sum, lower) = (last(high)?, last(low)?);
    let sign = if step < 0 { Operand::Immediate(u32::MAX) } else { Operand::ZERO };
    let carry = lower.operands.get(1).copied().filter(|it| matches!(it, Operand::Predicate { .. }))?;
    let expected =
        [Operand::register(high), Operand::register(high), sign, Operand::ZERO, carry, Operand::FALSE];
    let is_sum = sum.opcode == Opcode::Iadd3 && sum.has(Modifier::X) && sum.operands.as_slice() == expected;
    (is_sum && sum.guard.is_always()).then_some(high)
}

/// A comparison of a register with something else: alone, or of upper halves with that of the lower ones.
struct Comparison {
    low: Register,
    bound: Operand,
    order: Modifier,
    signed: bool,
    /// What says it for the lower halves.
    and: Option<Predicate>,
}

impl Comparison {
    fn of(instruction: &Instruction) -> Option<Comparison> {
        let operands = &instruction.operands;
        let and = match operands.get(5) {
            None => None,
            Some(&Operand::Predicate { predicate, negate: false }) => Some(predicate),
            Some(_) => return None,
        };
        let is_plain = instruction.opcode == Opcode::Isetp
            && instruction.guard.is_always()
            && operands[1] == Operand::TRUE
            && operands[4] == Operand::TRUE
            && instruction.has(Modifier::And)
            && instruction.has(Modifier::Ex) == and.is_some();
        if !is_plain {
            return None;
        }
        let (mut order, mut signed) = (None, true);
        for modifier in instruction.modifiers.as_slice() {
            match modifier {
                Modifier::And | Modifier::Ex => {}
                Modifier::U32 => signed = false,
                Modifier::Lt | Modifier::Le | Modifier::Gt | Modifier::Ge | Modifier::Ne => {
                    order = Some(*modifier);
                }
                _ => return None,
            }
        }
        let bound_of = |operand: Operand| match operand {
            Operand::ZERO => Some(Operand::Immediate(0)),
            Operand::Immediate(_) => Some(operand),
            _ => plain(&operand).filter(|it| it.is_virtual()).map(Operand::register),
        };
        let (low, bound) = (plain(&operands[2])?, bound_of(operands[3])?);
        Some(Comparison { low, bound, order: order?, signed, and })
    }
}

fn plain(operand: &Operand) -> Option<Register> {
    match operand {
        Operand::Register { register, modifier: SourceModifier::NONE, selector: Selector::Whole, .. } => {
            Some(*register)
        }
        _ => None,
    }
}

/// Whether an instruction writes a register or a predicate.
pub(super) fn writes(instruction: &Instruction, resource: Resource) -> bool {
    instruction.accesses().iter().any(|access| {
        access.role == Role::Write
            && match (access.resource, resource) {
                (Resource::Registers(first, count), Resource::Registers(register, _)) => {
                    (first.0..first.0 + count).contains(&register.0)
                }
                (written, resource) => written == resource,
            }
    })
}

/// The virtual registers that a body writes.
fn written_by(body: &[Instruction]) -> FxHashSet<Register> {
    let accesses = body.iter().flat_map(Instruction::accesses).filter(|it| it.role == Role::Write);
    let registers = accesses.flat_map(|access| match access.resource {
        Resource::Registers(first, count) if first.is_virtual() => first.0..first.0 + count,
        _ => 0..0,
    });
    registers.map(Register).collect()
}

/// What is added to a register, and in how many sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stepped {
    by: i32,
    times: u32,
}

/// Which registers are sums of a register, as it was when the body began, and a constant; of 64 bits the lower halves.
#[derive(Default)]
struct Sums {
    known: FxHashMap<Register, Option<(Register, Stepped)>>,
}

fn sums(body: &[Instruction]) -> Sums {
    let mut sums = Sums::default();
    body.iter().for_each(|it| sums.add(it));
    sums
}

impl Sums {
    fn of(&self, register: Register) -> Option<(Register, Stepped)> {
        self.known.get(&register).copied().unwrap_or(Some((register, Stepped::default())))
    }

    fn add(&mut self, instruction: &Instruction) {
        let sum = self.sum(instruction);
        for access in instruction.accesses().iter().filter(|it| it.role == Role::Write) {
            if let Resource::Registers(first, count) = access.resource {
                (0..count).for_each(|it| _ = self.known.insert(first.offset(it), sum));
            }
        }
    }

    fn sum(&self, instruction: &Instruction) -> Option<(Register, Stepped)> {
        let operands = &instruction.operands;
        if !instruction.guard.is_always() || !instruction.modifiers.as_slice().is_empty() {
            return None;
        }
        let terms = match (instruction.opcode, operands.len()) {
            (Opcode::Mov, 2) | (Opcode::Iadd3, 4) => &operands[1..],
            // With a carry out.
            (Opcode::Iadd3, 5) => &operands[2..],
            _ => return None,
        };
        let (mut root, mut constant, mut all) = (None, 0i32, Stepped::default());
        for term in terms {
            match *term {
                Operand::ZERO => {}
                Operand::Immediate(bits) => constant = constant.checked_add(bits.cast_signed())?,
                term => {
                    let (register, before) = self.of(plain(&term)?)?;
                    if root.replace(register).is_some() {
                        return None;
                    }
                    all = before;
                }
            }
        }
        let all = Stepped { by: all.by.checked_add(constant)?, times: all.times + u32::from(constant != 0) };
        (all.by.abs() <= LARGEST).then_some((root?, all))
    }
}
