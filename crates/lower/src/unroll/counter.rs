//! How often a loop runs: a register that goes up or down by a constant, compared with what the loop does not change.

use crate::code::Code;
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{
    Guard, Instruction, Modifier, Opcode, Operand, Predicate, Register, Resource, Role, Selector,
    SourceModifier,
};

/// When a loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum While {
    /// While the counter is another number.
    Other,
    /// While it is below, or at most, the bound.
    Below,
    /// While it is above, or at least, the bound.
    Above,
}

/// What counts the iterations of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    /// The register as it is when an iteration begins.
    register: Register,
    /// What an iteration adds to it.
    step: i32,
    /// What has been added when it is compared: nothing or a step.
    compared: i32,
    goes_on: While,
    /// Whether equality goes on as well.
    or_equal: bool,
    signed: bool,
    bound: Operand,
    /// The predicate of the branch, and whether the loop goes on where it does not hold.
    pub(super) predicate: Predicate,
    negated: bool,
}

/// Sums larger than this are not looked at: nothing below overflows.
const LARGEST: i32 = 1 << 24;

impl Counter {
    /// Finds the counter of a block that ends with a branch back to itself.
    pub(super) fn find(body: &[Instruction], branch: &Instruction) -> Option<Counter> {
        let Guard::Predicate { predicate, negate } = branch.guard else { return None };
        let written = written_by(body);
        let mut sums = Sums::default();
        let mut compared = None;
        for instruction in body {
            let writes = |it: Resource| {
                instruction
                    .accesses()
                    .iter()
                    .any(|access| access.role == Role::Write && access.resource == it)
            };
            if writes(Resource::Predicate(predicate)) {
                compared = Comparison::of(instruction, &sums, &written);
            }
            sums.add(instruction);
        }
        let Comparison { sum: (register, offset), bound, order, signed } = compared?;
        let step = match sums.of(register) {
            Some((root, step)) if root == register => step,
            _ => return None,
        };
        let order = if negate { opposite(order) } else { order };
        let (goes_on, or_equal) = match order {
            Modifier::Ne => (While::Other, false),
            Modifier::Lt if step > 0 => (While::Below, false),
            Modifier::Le if step > 0 => (While::Below, true),
            Modifier::Gt if step < 0 => (While::Above, false),
            Modifier::Ge if step < 0 => (While::Above, true),
            _ => return None,
        };
        let fits = step != 0 && step.abs() <= LARGEST && (offset == 0 || offset == step);
        let negated = negate;
        fits.then_some(Counter {
            negated,
            register,
            step,
            compared: offset,
            goes_on,
            or_equal,
            signed,
            bound,
            predicate,
        })
    }

    /// How often the loop runs if the counter begins with a constant and the bound is one; none if more than `most`.
    pub(super) fn times(&self, begin: u32, most: u32) -> Option<u32> {
        let Operand::Immediate(bound) = self.bound else { return None };
        let mut counter = begin;
        (1..=most).find(|_| {
            let compared = counter.wrapping_add_signed(self.compared);
            counter = counter.wrapping_add_signed(self.step);
            !self.holds(compared, bound)
        })
    }

    fn holds(&self, value: u32, bound: u32) -> bool {
        let order =
            if self.signed { value.cast_signed().cmp(&bound.cast_signed()) } else { value.cmp(&bound) };
        match self.goes_on {
            While::Other => order.is_ne(),
            While::Below => order.is_lt() || self.or_equal && order.is_eq(),
            While::Above => order.is_gt() || self.or_equal && order.is_eq(),
        }
    }

    /// The value with which the counter begins, if it is a constant: `before` are the blocks that come one after the
    /// other before the loop, the nearest first.
    pub(super) fn begin(&self, code: &Code, before: &[usize]) -> Option<u32> {
        let instructions = before.iter().flat_map(|&block| code.blocks[block].instructions.iter().rev());
        let is_write = |it: &&Instruction| {
            it.accesses().iter().any(|access| {
                access.role == Role::Write
                    && matches!(access.resource, Resource::Registers(first, count)
                        if (first.0..first.0 + count).contains(&self.register.0))
            })
        };
        let last = instructions.into_iter().find(is_write)?;
        match last.operands.get(1) {
            Some(&Operand::Immediate(bits)) if last.opcode == Opcode::Mov && last.guard.is_always() => {
                Some(bits)
            }
            Some(&Operand::ZERO) if last.opcode == Opcode::Mov && last.guard.is_always() => Some(0),
            _ => None,
        }
    }

    /// What is computed once before a test for so many iterations in a row can be made.
    pub(super) fn test(&self, code: &mut Code, times: u32) -> Test {
        let steps = times.cast_signed() - 2;
        let distance = (self.compared + steps * self.step).unsigned_abs();
        match self.goes_on {
            While::Other => Test { setup: Vec::new(), bound: self.bound, distance },
            While::Below => self.test_against(code, distance, Modifier::Gt),
            While::Above => self.test_against(code, distance, Modifier::Lt),
        }
    }

    /// The bound moved against the counter, as far as numbers reach.
    fn test_against(&self, code: &mut Code, distance: u32, farther: Modifier) -> Test {
        let below = farther == Modifier::Gt;
        let lowest = if self.signed { i32::MIN.cast_unsigned() } else { 0 };
        let highest = if self.signed { i32::MAX.cast_unsigned() } else { u32::MAX };
        let limit = if below { lowest.wrapping_add(distance) } else { highest.wrapping_sub(distance) };
        let moved = |bits: u32| if below { bits.wrapping_sub(distance) } else { bits.wrapping_add(distance) };
        if let Operand::Immediate(bits) = self.bound {
            let clamped = if self.signed {
                let (bits, limit) = (bits.cast_signed(), limit.cast_signed());
                if below { bits.max(limit) } else { bits.min(limit) }.cast_unsigned()
            } else if below {
                bits.max(limit)
            } else {
                bits.min(limit)
            };
            return Test { setup: Vec::new(), bound: Operand::Immediate(moved(clamped)), distance };
        }
        if distance == 0 {
            return Test { setup: Vec::new(), bound: self.bound, distance };
        }
        let (clamped, bound) = (code.register(1), code.register(1));
        let modifiers: &[Modifier] = if self.signed { &[] } else { &[Modifier::U32] };
        let larger = Operand::Predicate { predicate: Predicate::TRUE, negate: below };
        let clamp = Instruction::new(
            Opcode::Vimnmx,
            modifiers,
            [Operand::register(clamped), self.bound, Operand::Immediate(limit), larger],
        );
        let shift = Instruction::new(
            Opcode::Iadd3,
            [],
            [
                Operand::register(bound),
                Operand::register(clamped),
                Operand::Immediate(moved(0)),
                Operand::ZERO,
            ],
        );
        Test { setup: vec![clamp, shift], bound: Operand::register(bound), distance }
    }

    /// Sets a predicate: whether as many iterations in a row as the test is for end in none but the last. `last` is the
    /// loop's own predicate after the iteration before, if there was one.
    pub(super) fn ask(
        &self,
        code: &mut Code,
        test: &Test,
        predicate: Predicate,
        last: Option<Predicate>,
    ) -> Vec<Instruction> {
        // What ended the loop is seen by the counter too, unless it was stepped afterwards.
        let last = last.filter(|_| self.compared == 0);
        let also =
            last.map_or(Operand::TRUE, |predicate| Operand::Predicate { predicate, negate: self.negated });
        let counter = Operand::register(self.register);
        let compare = |order: Modifier, signed: bool, a: Operand, b: Operand| {
            let kinds: &[Modifier] =
                if signed { &[order, Modifier::And] } else { &[order, Modifier::U32, Modifier::And] };
            let operands = [Operand::predicate(predicate), Operand::TRUE, a, b, also];
            Instruction::new(Opcode::Isetp, kinds, operands)
        };
        match self.goes_on {
            While::Below => vec![compare(Modifier::Lt, self.signed, counter, test.bound)],
            While::Above => vec![compare(Modifier::Gt, self.signed, counter, test.bound)],
            While::Other => {
                let limit = Operand::Immediate(test.distance);
                if self.step < 0 && self.bound == Operand::Immediate(0) {
                    return vec![compare(Modifier::Gt, false, counter, limit)];
                }
                let left = code.register(1);
                let minus = SourceModifier { negate: true, ..SourceModifier::NONE };
                let terms = match self.bound {
                    Operand::Immediate(bits) if self.step < 0 => {
                        [counter, Operand::Immediate(bits.wrapping_neg())]
                    }
                    Operand::Register { register, .. } if self.step < 0 => {
                        [counter, Operand::modified(register, minus)]
                    }
                    bound => [Operand::modified(self.register, minus), bound],
                };
                let operands = [Operand::register(left), terms[0], terms[1], Operand::ZERO];
                let distance = Instruction::new(Opcode::Iadd3, [], operands);
                vec![distance, compare(Modifier::Gt, false, Operand::register(left), limit)]
            }
        }
    }
}

/// A test whether some iterations in a row can be made.
pub(super) struct Test {
    /// What the test needs; computed once.
    pub(super) setup: Vec<Instruction>,
    bound: Operand,
    /// How far the counter goes before the last comparison but one.
    distance: u32,
}

/// A comparison of a sum with something else.
struct Comparison {
    sum: (Register, i32),
    bound: Operand,
    order: Modifier,
    signed: bool,
}

impl Comparison {
    fn of(instruction: &Instruction, sums: &Sums, written: &FxHashSet<Register>) -> Option<Comparison> {
        let operands = &instruction.operands;
        let is_plain = instruction.opcode == Opcode::Isetp
            && instruction.guard.is_always()
            && operands.len() == 5
            && operands[1] == Operand::TRUE
            && operands[4] == Operand::TRUE
            && instruction.has(Modifier::And);
        if !is_plain {
            return None;
        }
        let (mut order, mut signed) = (None, true);
        for modifier in instruction.modifiers.as_slice() {
            match modifier {
                Modifier::And => {}
                Modifier::U32 => signed = false,
                Modifier::Lt | Modifier::Le | Modifier::Gt | Modifier::Ge | Modifier::Ne | Modifier::Eq => {
                    order = Some(*modifier);
                }
                _ => return None,
            }
        }
        let bound_of = |operand: Operand| match operand {
            Operand::ZERO => Some(Operand::Immediate(0)),
            Operand::Immediate(_) => Some(operand),
            _ => plain(&operand).filter(|it| it.is_virtual() && !written.contains(it)).map(Operand::register),
        };
        let sum_of = |operand: Operand| sums.of(plain(&operand)?).filter(|(root, _)| written.contains(root));
        let order = order?;
        if let (Some(sum), Some(bound)) = (sum_of(operands[2]), bound_of(operands[3])) {
            return Some(Comparison { sum, bound, order, signed });
        }
        let (sum, bound) = (sum_of(operands[3])?, bound_of(operands[2])?);
        Some(Comparison { sum, bound, order: mirrored(order), signed })
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

/// The virtual registers that a body writes.
fn written_by(body: &[Instruction]) -> FxHashSet<Register> {
    let accesses = body.iter().flat_map(Instruction::accesses).filter(|it| it.role == Role::Write);
    let registers = accesses.flat_map(|access| match access.resource {
        Resource::Registers(first, count) if first.is_virtual() => first.0..first.0 + count,
        _ => 0..0,
    });
    registers.map(Register).collect()
}

/// The order with its sides exchanged.
fn mirrored(order: Modifier) -> Modifier {
    match order {
        Modifier::Lt => Modifier::Gt,
        Modifier::Gt => Modifier::Lt,
        Modifier::Le => Modifier::Ge,
        Modifier::Ge => Modifier::Le,
        other => other,
    }
}

/// The order that holds where another does not.
fn opposite(order: Modifier) -> Modifier {
    match order {
        Modifier::Lt => Modifier::Ge,
        Modifier::Ge => Modifier::Lt,
        Modifier::Le => Modifier::Gt,
        Modifier::Gt => Modifier::Le,
        Modifier::Eq => Modifier::Ne,
        _ => Modifier::Eq,
    }
}

/// Which registers are sums of a register, as it was when the body began, and a constant.
#[derive(Default)]
struct Sums {
    known: FxHashMap<Register, Option<(Register, i32)>>,
}

impl Sums {
    fn of(&self, register: Register) -> Option<(Register, i32)> {
        self.known.get(&register).copied().unwrap_or(Some((register, 0)))
    }

    fn add(&mut self, instruction: &Instruction) {
        let sum = self.sum(instruction);
        for access in instruction.accesses().iter().filter(|it| it.role == Role::Write) {
            if let Resource::Registers(first, count) = access.resource {
                (0..count).for_each(|it| _ = self.known.insert(first.offset(it), sum));
            }
        }
    }

    fn sum(&self, instruction: &Instruction) -> Option<(Register, i32)> {
        let operands = &instruction.operands;
        if !instruction.guard.is_always() || !instruction.modifiers.as_slice().is_empty() {
            return None;
        }
        let terms = match instruction.opcode {
            Opcode::Mov if operands.len() == 2 => &operands[1..],
            Opcode::Iadd3 if operands.len() == 4 => &operands[1..],
            _ => return None,
        };
        let (mut root, mut constant) = (None, 0i32);
        for term in terms {
            match *term {
                Operand::ZERO => {}
                Operand::Immediate(bits) => constant = constant.checked_add(bits.cast_signed())?,
                term => {
                    let (register, offset) = self.of(plain(&term)?)?;
                    if root.replace(register).is_some() {
                        return None;
                    }
                    constant = constant.checked_add(offset)?;
                }
            }
        }
        (constant.abs() <= LARGEST).then_some((root?, constant))
    }
}
