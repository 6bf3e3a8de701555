//! Instructions across the lanes of a warp.

use super::{Selector, invert, unless, when};
use crate::code::mark_together;
use crate::flat::{Flat, Value};
use warplab_program::{Guard, Modifier, Opcode, Operand, Register};
use warplab_ptx::tree::{self, Operation, ShuffleMode, Type, VoteMode};

use Modifier as M;

/// The mask of all lanes of a warp.
const ALL: Operand = Operand::Immediate(u32::MAX);

impl Selector<'_, '_> {
    /// `PT` as the result that is not wanted, or the predicate of a pair of results.
    fn results(&mut self, value: &Value) -> (Register, Operand) {
        match value {
            Value::Pair(first, second) => {
                let predicate = self.predicate_result(second);
                (self.result(first, 32), Operand::predicate(predicate))
            }
            one => (self.result(one, 32), Operand::TRUE),
        }
    }

    /// One value of all lanes that are there.
    fn reduce(&mut self, modifiers: &[M], to: Register, value: Operand, names_all: bool) {
        let uniform = self.code.uniform(1);
        self.op(Opcode::Redux, modifiers, [Operand::uniform(uniform), value]);
        self.together(names_all);
        self.op(Opcode::Mov, &[], [Operand::register(to), Operand::uniform(uniform)]);
    }

    /// One value of all lanes that name the same mask: those of the lowest lane's mask first, the others in another turn.
    fn reduce_by_masks(&mut self, modifiers: &[M], to: Register, value: Operand, mask: Operand) {
        let (again, past) = (self.new_label(), self.new_label());
        let (named, is_other) = (self.code.uniform(1), self.code.predicate());
        let outer = std::mem::replace(&mut self.guard, Guard::ALWAYS);
        if !outer.is_always() {
            self.branch_if(invert(outer), past);
        }
        self.place_label(again);
        self.op(Opcode::R2ur, &[], [Operand::uniform(named), mask]);
        self.op(
            Opcode::Isetp,
            &[M::Ne, M::U32, M::And],
            [Operand::predicate(is_other), Operand::TRUE, mask, Operand::uniform(named), Operand::TRUE],
        );
        self.guard = unless(is_other);
        self.reduce(modifiers, to, value, false);
        self.guard = Guard::ALWAYS;
        self.branch_if(when(is_other), again);
        if !outer.is_always() {
            self.place_label(past);
        }
        self.guard = outer;
    }

    /// What follows is of the lanes that name the same mask; the mask of a constant is that of all which are there.
    fn among(&mut self, mask: Operand) {
        if !matches!(mask, Operand::Immediate(_)) {
            self.op(Opcode::Warpsync, &[M::Exclusive], [mask]);
        }
    }

    /// Marks what has been emitted last, if it names all lanes of a warp.
    pub(super) fn together(&mut self, names_all: bool) {
        let instructions = &mut self.code.blocks.last_mut().expect("there is a block").instructions;
        if let Some(last) = instructions.last_mut().filter(|_| names_all) {
            mark_together(last);
        }
    }

    pub(super) fn warp_wide(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        let ty = tree.types().last().unwrap_or(Type::B32);
        match tree.opcode {
            tree::Opcode::Shfl => {
                let mode = match tree.shuffle() {
                    Some(ShuffleMode::Up) => M::Up,
                    Some(ShuffleMode::Down) => M::Down,
                    Some(ShuffleMode::Bfly) => M::Bfly,
                    _ => M::Idx,
                };
                let value = Operand::register(self.register(&flat.operands[1], Type::B32));
                let lane = self.source(&flat.operands[2], Type::U32).low;
                let segment = self.source(&flat.operands[3], Type::U32).low;
                let (to, predicate) = self.results(&flat.operands[0]);
                self.op(Opcode::Shfl, &[mode], [predicate, Operand::register(to), value, lane, segment]);
                if let Some(mask) = flat.operands.get(4) {
                    let mask = self.source(mask, Type::B32).low;
                    self.together(mask == ALL);
                }
            }
            tree::Opcode::Vote => {
                let predicate = self.predicate_source(&flat.operands[1]);
                let mut names_all = false;
                if let Some(mask) = flat.operands.get(2) {
                    let mask = self.source(mask, Type::B32).low;
                    self.among(mask);
                    names_all = mask == ALL;
                }
                if tree.vote() == Some(VoteMode::Ballot) {
                    let to = Operand::register(self.result(&flat.operands[0], 32));
                    self.op(Opcode::Vote, &[M::Any], [to, Operand::TRUE, predicate]);
                    return self.together(names_all);
                }
                let mode = match tree.vote() {
                    Some(VoteMode::All) => M::All,
                    Some(VoteMode::Any) => M::Any,
                    _ => M::Eq,
                };
                let to = Operand::predicate(self.predicate_result(&flat.operands[0]));
                self.op(Opcode::Vote, &[mode], [Operand::ZERO, to, predicate]);
                self.together(names_all);
            }
            tree::Opcode::Activemask => {
                let to = Operand::register(self.result(&flat.operands[0], 32));
                self.op(Opcode::Vote, &[M::Any], [to, Operand::TRUE, Operand::TRUE]);
            }
            tree::Opcode::Match => {
                let value = Operand::register(self.register(&flat.operands[1], ty));
                let (to, predicate) = self.results(&flat.operands[0]);
                let all = tree.vote() == Some(VoteMode::All);
                let mut modifiers = vec![if all { M::All } else { M::Any }];
                if ty.bits() == 64 {
                    modifiers.push(M::U64);
                }
                let mask = self.source(&flat.operands[2], Type::B32).low;
                self.among(mask);
                if all {
                    self.op(Opcode::Match, &modifiers, [predicate, Operand::register(to), value]);
                } else {
                    self.op(Opcode::Match, &modifiers, [Operand::register(to), value]);
                }
                self.together(mask == ALL);
            }
            tree::Opcode::Redux => {
                let value = Operand::register(self.register(&flat.operands[1], ty));
                let mut modifiers = match tree.operation() {
                    Some(Operation::Add) => vec![M::Sum],
                    Some(Operation::Min) => vec![M::Min],
                    Some(Operation::Max) => vec![M::Max],
                    Some(Operation::And) => vec![],
                    Some(Operation::Or) => vec![M::Or],
                    _ => vec![M::Xor],
                };
                if ty.is_signed() {
                    modifiers.push(M::S32);
                }
                let to = self.result(&flat.operands[0], 32);
                match self.source(&flat.operands[2], Type::B32).low {
                    Operand::Immediate(mask) => self.reduce(&modifiers, to, value, mask == u32::MAX),
                    mask => self.reduce_by_masks(&modifiers, to, value, mask),
                }
            }
            _ => {
                // The leader is the lowest active lane.
                let (to, predicate) = self.results(&flat.operands[0]);
                let mask = self.source(&flat.operands[1], Type::B32).low;
                self.among(mask);
                let active = self.compute(Opcode::Vote, &[M::Any], [Operand::TRUE, Operand::TRUE]);
                let reversed = self.compute(Opcode::Brev, &[], [Operand::register(active)]);
                let leader = self.compute(Opcode::Flo, &[M::U32, M::Sh], [Operand::register(reversed)]);
                let special = warplab_program::SpecialRegister::LaneId;
                let lane = self.at_entry(super::values::Key::Special(special));
                self.op(
                    Opcode::Isetp,
                    &[M::Eq, M::And],
                    [
                        predicate,
                        Operand::TRUE,
                        Operand::register(lane),
                        Operand::register(leader),
                        Operand::TRUE,
                    ],
                );
                self.op(Opcode::Mov, &[], [Operand::register(to), Operand::register(leader)]);
            }
        }
    }
}
