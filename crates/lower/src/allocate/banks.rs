//! Which values had better be in different banks of the register file: those that one instruction reads.

use super::Classes;
use crate::code::{Code, number};
use crate::graph::Graph;
use crate::liveness::Numbering;
use crate::reuse::{OPERANDS, sources};
use rustc_hash::FxHashMap;
use warplab_program::Register;

/// Values that are read together with those of a class.
#[derive(Clone, Debug, Default)]
pub(super) struct Together(FxHashMap<usize, Vec<Reader>>);

/// One value of a class is read with one of another, by instructions of this weight.
#[derive(Clone, Copy, Debug)]
struct Reader {
    offset: u32,
    other: (usize, u32),
    weight: u64,
}

impl Together {
    /// What instructions read together, but for what the operand of the instruction before has kept for them.
    pub(super) fn new(code: &Code, numbering: &Numbering, classes: &mut Classes) -> Together {
        let graph = Graph::new(code);
        let mut together = Together::default();
        for (index, block) in code.blocks.iter().enumerate() {
            let weight = 10u64.pow(number(graph.loop_depth(index).min(6)));
            let mut last = [None::<Register>; OPERANDS];
            for instruction in &block.instructions {
                let mut read = [None; OPERANDS];
                for (operand, source) in sources(instruction).into_iter().enumerate() {
                    let Some((_, register)) = source else { continue };
                    if last[operand].replace(register) != Some(register) {
                        read[operand] = numbering.register(register).map(|value| classes.find(value));
                    }
                }
                together.add(&read, weight);
            }
        }
        together
    }

    fn add(&mut self, read: &[Option<(usize, u32)>; OPERANDS], weight: u64) {
        for one @ (class, offset) in read.iter().copied().flatten() {
            for other in read.iter().copied().flatten().filter(|&other| other != one) {
                self.0.entry(class).or_default().push(Reader { offset, other, weight });
            }
        }
    }

    /// How often values of a class at an even and at an odd register would be read from one bank with others, whose registers
    /// `home` tells as far as they are known.
    pub(super) fn conflicts(&self, class: usize, home: impl Fn(usize) -> Option<u32>) -> [u64; 2] {
        let mut conflicts = [0; 2];
        for reader in self.0.get(&class).into_iter().flatten() {
            let Some(other) = home(reader.other.0) else { continue };
            let bank = (other + reader.other.1 + reader.offset) % 2;
            conflicts[bank as usize] += reader.weight;
        }
        conflicts
    }
}
