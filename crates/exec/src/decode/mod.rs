//! Kernel to code: every instruction is checked and put into its compact form before anything runs.

mod bulk;
mod control;
mod float;
mod integer;
mod matrix;
mod mbarrier;
mod memory;
mod warpgroup;

use crate::fault::DecodeFault;
use crate::op::{
    Code, Combine, Common, Compare, Destination, Op, PredicateSource, SourceKind, SourceOperand,
    TRASH_PREDICATE, TRASH_UNIFORM, ZERO_ROWS,
};
use crate::wide::Wide;
use arrayvec::ArrayVec;
use std::cell::Cell;
use warplab_program::access::Resource;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::opcode::Shape;
use warplab_program::operand::{ConstantIndex, Operand, Selector, SourceModifier};
use warplab_program::{Guard, Instruction, Kernel, Modifier, Opcode};

impl Code {
    /// The compact form of a kernel.
    ///
    /// # Errors
    /// Every instruction that cannot be executed, with its place.
    pub fn decode(kernel: &Kernel) -> Result<Code, Vec<DecodeFault>> {
        // What no instruction names needs no row.
        let (mut registers, mut barriers) = (0, 0);
        for access in kernel.instructions.iter().flat_map(|instruction| instruction.accesses()) {
            match access.resource {
                Resource::Registers(first, count) => registers = registers.max(first.0 + count),
                Resource::Barrier(barrier) => barriers = barriers.max(usize::from(barrier.0) + 1),
                _ => {}
            }
        }
        let mut faults = Vec::new();
        let mut ops = Vec::with_capacity(kernel.instructions.len());
        for (index, instruction) in kernel.instructions.iter().enumerate() {
            match decode_one(instruction, registers) {
                Ok(op) => ops.push(op),
                Err(message) => faults.push(DecodeFault {
                    kernel: kernel.name.clone(),
                    address: index as u64 * 16,
                    line: instruction.origin.line,
                    instruction: warplab_program::listing::instruction_text(instruction),
                    message,
                }),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let wide = Wide::of_host();
        let functions = function_addresses(kernel);
        let local_bytes = kernel.local_bytes;
        let allotted = kernel.registers;
        Ok(Code { ops, registers, allotted, barriers, local_bytes, functions, warp_rows: 1, wide })
    }
}

/// The code addresses of functions: as pointers hold them, and where they start in the kernel.
fn function_addresses(kernel: &Kernel) -> Vec<(u64, u32)> {
    let inside = kernel.functions.iter().filter(|it| (it.start as usize) < kernel.instructions.len());
    let start = |start: u32| u64::from(start) * INSTRUCTION_BYTES;
    let mut addresses: Vec<(u64, u32)> =
        inside.flat_map(|it| [(it.address, it.start), (start(it.start), it.start)]).collect();
    addresses.sort_unstable();
    addresses.dedup_by_key(|(address, _)| *address);
    addresses
}

/// Whether a machine instruction is executed, in its usual forms; a kernel with one that is not cannot run.
#[must_use]
pub fn is_executed(opcode: Opcode) -> bool {
    let instruction = Instruction::new(opcode, [], []);
    Decoder::new(&instruction, 0).is_ok_and(|decoder| knows(&decoder))
}

/// Tries to decode an instruction; none when its opcode is of another file.
type Decode = fn(&Decoder<'_>) -> Result<Option<Op>, String>;

const DECODERS: [Decode; 8] = [
    integer::decode,
    float::decode,
    memory::decode,
    mbarrier::decode,
    bulk::decode,
    matrix::decode,
    warpgroup::decode,
    control::decode,
];

fn decode(decoder: &Decoder<'_>) -> Result<Op, String> {
    for decode in DECODERS {
        if let Some(op) = decode(decoder)? {
            return Ok(op);
        }
    }
    Err(format!("{} is not supported", decoder.instruction.opcode))
}

/// Whether anything decodes an opcode, whatever its operands.
fn knows(decoder: &Decoder<'_>) -> bool {
    DECODERS.iter().any(|decode| !matches!(decode(decoder), Ok(None)))
}

fn decode_one(instruction: &Instruction, registers: u32) -> Result<Op, String> {
    if let Some(access) = instruction
        .accesses()
        .iter()
        .find(|access| matches!(access.resource, Resource::Registers(first, _) if first.is_virtual()))
    {
        return Err(format!("{:?} exists only before register allocation", access.resource));
    }
    if registers > 255 {
        return Err("names registers beyond R254".to_owned());
    }
    let decoder = Decoder::new(instruction, registers)?;
    let op = decode(&decoder)?;
    let used = decoder.used.get();
    match instruction.modifiers.as_slice().iter().enumerate().find(|(index, _)| used >> index & 1 == 0) {
        Some((_, modifier)) => {
            Err(format!("modifier '{modifier}' of {} is not supported", instruction.opcode))
        }
        None => Ok(Op { common: Common::of(&op), ..op }),
    }
}

/// What a minus sign and bars mean for a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sign {
    Integer,
    Float,
    Halves,
}

/// One instruction taken apart.
pub(crate) struct Decoder<'a> {
    pub(crate) instruction: &'a Instruction,
    used: Cell<u16>,
    registers: u32,
    pub(crate) outs: ArrayVec<u8, 4>,
    pub(crate) destination: Destination,
    /// The sources that are no predicates, in order.
    pub(crate) values: ArrayVec<Operand, 10>,
    /// The predicates that are read, in order.
    pub(crate) predicates: ArrayVec<PredicateSource, 8>,
}

impl<'a> Decoder<'a> {
    fn new(instruction: &'a Instruction, registers: u32) -> Result<Decoder<'a>, String> {
        let mut decoder = Decoder {
            instruction,
            used: Cell::new(0),
            registers,
            outs: ArrayVec::new(),
            destination: Destination::Row((registers as usize + ZERO_ROWS) as u16),
            values: ArrayVec::new(),
            predicates: ArrayVec::new(),
        };
        let shape = instruction.opcode.info().shape;
        let written = instruction.written_operands();
        for (index, operand) in instruction.operands.iter().enumerate() {
            let writes = written >> index & 1 != 0;
            match *operand {
                Operand::Predicate { predicate, .. } if writes => {
                    let out = if predicate.0 >= 7 { TRASH_PREDICATE } else { predicate.0 as u8 };
                    decoder.outs.try_push(out).map_err(|_| "too many predicates".to_owned())?;
                }
                Operand::UniformPredicate { predicate, .. } if writes => {
                    let out = if predicate.0 >= 7 { TRASH_PREDICATE } else { predicate.0 as u8 + 8 };
                    decoder.outs.try_push(out).map_err(|_| "too many predicates".to_owned())?;
                }
                Operand::Predicate { predicate, negate } => {
                    decoder.read_predicate(PredicateSource::new(predicate, negate))?;
                }
                Operand::UniformPredicate { predicate, negate } => {
                    decoder.read_predicate(PredicateSource::uniform(predicate, negate))?;
                }
                Operand::Register { register, .. } if writes => {
                    let row = if register.is_fixed() {
                        registers as usize + ZERO_ROWS
                    } else {
                        register.0 as usize
                    };
                    decoder.destination = Destination::Row(row as u16);
                }
                Operand::Uniform { register, .. } if writes => {
                    let number = if register.is_fixed() { TRASH_UNIFORM } else { register.0 as usize };
                    decoder.destination = Destination::Uniform(number as u8);
                }
                _ if writes && matches!(shape, Shape::Compute | Shape::Carry | Shape::Vote) => {
                    if !matches!(operand, Operand::AllPredicates | Operand::AllUniformPredicates) {
                        return Err("writes to something that is no register".to_owned());
                    }
                }
                operand => decoder.values.push(operand),
            }
        }
        Ok(decoder)
    }

    fn read_predicate(&mut self, source: PredicateSource) -> Result<(), String> {
        self.predicates.try_push(source).map_err(|_| "too many predicates".to_owned())
    }

    /// Whether a modifier is present; it counts as understood then.
    pub(crate) fn has(&self, modifier: Modifier) -> bool {
        let found = self.instruction.modifiers.as_slice().iter().position(|&other| other == modifier);
        self.mark(found);
        found.is_some()
    }

    fn mark(&self, found: Option<usize>) {
        if let Some(index) = found {
            self.used.set(self.used.get() | 1 << index);
        }
    }

    /// Modifiers that do not change what is computed.
    pub(crate) fn ignore(&self, modifiers: &[Modifier]) {
        for (index, modifier) in self.instruction.modifiers.as_slice().iter().enumerate() {
            if modifiers.contains(modifier) {
                self.mark(Some(index));
            }
        }
    }

    /// The first modifier that a table knows, with what it stands for. Each call finds the next one.
    pub(crate) fn next_of<T: Copy>(&self, table: &[(Modifier, T)]) -> Option<T> {
        for (index, modifier) in self.instruction.modifiers.as_slice().iter().enumerate() {
            if self.used.get() >> index & 1 != 0 {
                continue;
            }
            if let Some(&(_, value)) = table.iter().find(|(known, _)| known == modifier) {
                self.mark(Some(index));
                return Some(value);
            }
        }
        None
    }

    pub(crate) fn combine(&self) -> Combine {
        use Modifier::{And, Or, Xor};
        self.next_of(&[(And, Combine::And), (Or, Combine::Or), (Xor, Combine::Xor)]).unwrap_or(Combine::And)
    }

    pub(crate) fn compare(&self) -> Result<Compare, String> {
        use Modifier as M;
        let table = [
            (M::F, Compare::False),
            (M::Lt, Compare::Lt),
            (M::Eq, Compare::Eq),
            (M::Le, Compare::Le),
            (M::Gt, Compare::Gt),
            (M::Ne, Compare::Ne),
            (M::Ge, Compare::Ge),
            (M::Num, Compare::Num),
            (M::Nan, Compare::Nan),
            (M::Ltu, Compare::Ltu),
            (M::Equ, Compare::Equ),
            (M::Leu, Compare::Leu),
            (M::Gtu, Compare::Gtu),
            (M::Neu, Compare::Neu),
            (M::Geu, Compare::Geu),
            (M::T, Compare::True),
        ];
        self.next_of(&table).ok_or_else(|| "has no comparison".to_owned())
    }

    /// The row of a register.
    pub(crate) fn row(&self, register: warplab_program::register::Register) -> u16 {
        if register.is_fixed() { self.registers as u16 } else { register.0 as u16 }
    }

    /// Source `index`; zero when the instruction has fewer.
    pub(crate) fn source(&self, index: usize, sign: Sign) -> Result<SourceOperand, String> {
        self.values.get(index).map_or(Ok(SourceOperand::default()), |operand| self.convert(operand, sign))
    }

    /// All three sources.
    pub(crate) fn sources(&self, sign: Sign) -> Result<[SourceOperand; 3], String> {
        Ok([self.source(0, sign)?, self.source(1, sign)?, self.source(2, sign)?])
    }

    pub(crate) fn convert(&self, operand: &Operand, sign: Sign) -> Result<SourceOperand, String> {
        let (from, modifier, select) = match *operand {
            Operand::Register { register, modifier, selector, .. } => {
                (SourceKind::Row(self.row(register)), modifier, selector)
            }
            Operand::Uniform { register, modifier, selector } => {
                (SourceKind::Uniform(register.0.min(63) as u8), modifier, selector)
            }
            Operand::Immediate(value) => {
                (SourceKind::Immediate(value), SourceModifier::NONE, Selector::Whole)
            }
            Operand::Constant(constant) => {
                if constant.index != ConstantIndex::None || constant.offset < 0 || constant.offset % 4 != 0 {
                    return Err("only LDC takes an indexed or unaligned constant".to_owned());
                }
                let word = constant.offset as u32 / 4;
                (SourceKind::Constant(constant.bank, word), constant.modifier, Selector::Whole)
            }
            ref other => return Err(format!("operand '{other}' is not understood here")),
        };
        match select {
            Selector::F32 => return Err("a .F32 operand of a packed operation is not supported".to_owned()),
            Selector::Sign if !matches!(self.instruction.opcode, Opcode::Plop3 | Opcode::Uplop3) => {
                return Err("only PLOP3 takes a sign".to_owned());
            }
            Selector::H0NH1 if sign != Sign::Halves => {
                return Err("only packed halves are exchanged".to_owned());
            }
            _ => {}
        }
        let mut source = SourceOperand { from, select, ..SourceOperand::default() };
        match (sign, modifier) {
            (Sign::Integer, SourceModifier { absolute: true, .. }) => {
                return Err("an absolute value of an integer source is not supported".to_owned());
            }
            (Sign::Integer, modifier) => {
                source.xor = if modifier.negate != modifier.invert { !0 } else { 0 };
                source.add = u32::from(modifier.negate);
            }
            (sign, modifier) => {
                let bit = if sign == Sign::Halves { 0x8000_8000 } else { 0x8000_0000 };
                source.and = if modifier.absolute { !bit } else { !0 };
                source.xor = if modifier.negate { bit } else { 0 };
            }
        }
        source.plain = select == Selector::Whole && source.and == !0 && source.xor == 0 && source.add == 0;
        if let (SourceKind::Immediate(value), true) = (source.from, sign == Sign::Integer) {
            debug_assert!(source.plain, "an immediate has no modifier: {value}");
        }
        Ok(source)
    }

    /// The number that source `index` is.
    pub(crate) fn number(&self, index: usize) -> Result<u32, String> {
        match self.values.get(index) {
            Some(Operand::Immediate(value)) => Ok(*value),
            _ => Err(format!("operand {index} of the sources is not a number")),
        }
    }

    /// The instruction that the branch goes to.
    pub(crate) fn target(&self) -> Result<u32, String> {
        self.instruction.target().ok_or_else(|| "has no target".to_owned())
    }

    /// The finished instruction of an opcode without sources.
    pub(crate) fn finish_without_sources(&self, kind: crate::op::OpKind) -> Op {
        self.finish(kind, Default::default(), PredicateSource::TRUE)
    }

    /// The finished instruction; predicates that are not given are `absent`.
    pub(crate) fn finish(
        &self,
        kind: crate::op::OpKind,
        sources: [SourceOperand; 3],
        absent: PredicateSource,
    ) -> Op {
        let guard = match self.instruction.guard {
            Guard::Predicate { predicate, negate } => PredicateSource::new(predicate, negate),
            Guard::Uniform { predicate, negate } => PredicateSource::uniform(predicate, negate),
        };
        let predicate = |index: usize| self.predicates.get(index).copied().unwrap_or(absent);
        let out = |index: usize| self.outs.get(index).copied().unwrap_or(TRASH_PREDICATE);
        Op {
            kind,
            common: None,
            guard,
            destination: self.destination,
            out: [out(0), out(1)],
            sources,
            predicates: [predicate(0), predicate(1), predicate(2)],
        }
    }
}
