//! Registers and predicates of every kind, numbered in one row: for tables with an entry for each.

use crate::access::Resource;
use crate::register::{Predicate, Register, UniformPredicate, UniformRegister};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One register or predicate of a program whose registers are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot(u16);

#[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 slots")]
fn slot(number: u32) -> Slot {
    Slot(number as u16)
}

const UNIFORMS: u32 = 256;
const PREDICATES: u32 = UNIFORMS + 64;
const UNIFORM_PREDICATES: u32 = PREDICATES + 8;
const END: u32 = UNIFORM_PREDICATES + 8;

impl Slot {
    /// How many there are.
    pub const COUNT: usize = END as usize;

    /// The number, from 0, below [`Slot::COUNT`].
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Whether it is a predicate, of a lane or of the warp.
    #[must_use]
    pub fn is_predicate(self) -> bool {
        u32::from(self.0) >= PREDICATES
    }

    /// Whether all lanes of a warp share it.
    #[must_use]
    pub fn is_uniform(self) -> bool {
        let number = u32::from(self.0);
        (UNIFORMS..PREDICATES).contains(&number) || number >= UNIFORM_PREDICATES
    }
}

impl Resource {
    /// The registers or predicates that it is, in order; convergence barriers have none.
    pub fn slots(self) -> impl Iterator<Item = Slot> {
        let (first, count, end) = match self {
            Resource::Registers(register, count) => (register.0, count, UNIFORMS),
            Resource::Uniforms(register, count) => (UNIFORMS + register.0, count, PREDICATES),
            Resource::Predicate(predicate) => (PREDICATES + predicate.0, 1, UNIFORM_PREDICATES),
            Resource::AllPredicates => (PREDICATES, 7, UNIFORM_PREDICATES),
            Resource::UniformPredicate(predicate) => (UNIFORM_PREDICATES + predicate.0, 1, END),
            Resource::AllUniformPredicates => (UNIFORM_PREDICATES, 7, END),
            Resource::Barrier(_) => (0, 0, 0),
        };
        (first..end.min(first.saturating_add(count))).map(slot)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = u32::from(self.0);
        match number {
            0..UNIFORMS => Register(number).fmt(f),
            UNIFORMS..PREDICATES => UniformRegister(number - UNIFORMS).fmt(f),
            PREDICATES..UNIFORM_PREDICATES => Predicate(number - PREDICATES).fmt(f),
            _ => UniformPredicate(number - UNIFORM_PREDICATES).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Slot;
    use crate::access::Resource;
    use crate::register::{Predicate, Register, UniformRegister};

    #[test]
    fn slots_are_named_like_the_registers_they_are() {
        let names = |resource: Resource| resource.slots().map(|slot| slot.to_string()).collect::<Vec<_>>();
        assert_eq!(names(Resource::Registers(Register(2), 2)), ["R2", "R3"]);
        assert_eq!(names(Resource::Uniforms(UniformRegister(4), 2)), ["UR4", "UR5"]);
        assert_eq!(names(Resource::Predicate(Predicate(6))), ["P6"]);
        assert_eq!(names(Resource::AllPredicates).len(), 7);
    }

    #[test]
    fn a_vector_past_the_last_register_ends_there() {
        let slots: Vec<Slot> = Resource::Registers(Register(254), 4).slots().collect();
        assert_eq!(slots.iter().map(|slot| slot.index()).collect::<Vec<_>>(), [254, 255]);
    }
}
