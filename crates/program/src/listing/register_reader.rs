//! The names of registers and predicates.

use crate::register::{Predicate, Register, UniformPredicate, UniformRegister};

/// The number of `word` after `prefix`, if it is that prefix and a number.
pub(super) fn numbered(word: &str, prefix: &str) -> Option<u32> {
    word.strip_prefix(prefix)?.parse().ok()
}

macro_rules! register_reader {
    ($name:ident, $kind:ident, $fixed:ident, $prefix:literal, $fixed_name:literal, $virtual_prefix:literal, $limit:literal) => {
        pub(super) fn $name(word: &str) -> Option<$kind> {
            if word == $fixed_name {
                return Some($kind::$fixed);
            }
            if let Some(number) = numbered(word, $prefix) {
                return (number < $limit).then_some($kind(number));
            }
            numbered(word, $virtual_prefix)
                .filter(|&number| number < 1 << 30)
                .map(|number| $kind($kind::FIRST_VIRTUAL + number))
        }
    };
}

register_reader!(register, Register, ZERO, "R", "RZ", "%r", 255);
register_reader!(predicate, Predicate, TRUE, "P", "PT", "%p", 7);
register_reader!(uniform_register, UniformRegister, ZERO, "UR", "URZ", "%ur", 63);
register_reader!(uniform_predicate, UniformPredicate, TRUE, "UP", "UPT", "%up", 7);
