//! What each opcode may look like: its modifiers, types and operands.

use crate::tree::{
    Cache, Clamp, Compare, Direction, FenceKind, Flag, Half, Hint, MatrixShape, Modifier, NumberClass,
    Opcode, Operation, PermuteMode, Rounding, Scope, Semantics, ShuffleMode, Space, Type, Vector, VoteMode,
    Wmma,
};

mod table;

/// The shape of an opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// The opcode.
    pub(crate) opcode: Opcode,
    /// A role for each operand; those after `?` may be missing. See [`Role`].
    pub(crate) operands: &'static str,
    /// How many types are written, at least and at most.
    pub(crate) type_count: (usize, usize),
    /// The types that may be written.
    pub(crate) types: &'static [Type],
    /// The other modifiers that may be written.
    pub(crate) modifiers: &'static [Allow],
    /// Groups of which one modifier must be written.
    pub(crate) needs: &'static [Allow],
}

/// A group of modifiers that an opcode allows.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub(crate) enum Allow {
    Space(&'static [Space]),
    Rounding(&'static [Rounding]),
    Compare(&'static [Compare]),
    Operation(&'static [Operation]),
    Half(&'static [Half]),
    Vector(&'static [Vector]),
    Scope(&'static [Scope]),
    Semantics(&'static [Semantics]),
    Cache(&'static [Cache]),
    Hint(&'static [Hint]),
    Shuffle(&'static [ShuffleMode]),
    Vote(&'static [VoteMode]),
    Direction(&'static [Direction]),
    Clamp(&'static [Clamp]),
    Permute(&'static [PermuteMode]),
    Number(&'static [NumberClass]),
    Fence(&'static [FenceKind]),
    Matrix(&'static [MatrixShape]),
    Wmma(&'static [Wmma]),
    Flag(&'static [Flag]),
}

macro_rules! for_each_group {
    ($self:expr, $list:ident => $group:ident => $body:expr) => {
        match $self {
            Allow::Space($list) => {
                use Modifier::Space as $group;
                $body
            }
            Allow::Rounding($list) => {
                use Modifier::Rounding as $group;
                $body
            }
            Allow::Compare($list) => {
                use Modifier::Compare as $group;
                $body
            }
            Allow::Operation($list) => {
                use Modifier::Operation as $group;
                $body
            }
            Allow::Half($list) => {
                use Modifier::Half as $group;
                $body
            }
            Allow::Vector($list) => {
                use Modifier::Vector as $group;
                $body
            }
            Allow::Scope($list) => {
                use Modifier::Scope as $group;
                $body
            }
            Allow::Semantics($list) => {
                use Modifier::Semantics as $group;
                $body
            }
            Allow::Cache($list) => {
                use Modifier::Cache as $group;
                $body
            }
            Allow::Hint($list) => {
                use Modifier::Hint as $group;
                $body
            }
            Allow::Shuffle($list) => {
                use Modifier::Shuffle as $group;
                $body
            }
            Allow::Vote($list) => {
                use Modifier::Vote as $group;
                $body
            }
            Allow::Direction($list) => {
                use Modifier::Direction as $group;
                $body
            }
            Allow::Clamp($list) => {
                use Modifier::Clamp as $group;
                $body
            }
            Allow::Permute($list) => {
                use Modifier::Permute as $group;
                $body
            }
            Allow::Number($list) => {
                use Modifier::Number as $group;
                $body
            }
            Allow::Fence($list) => {
                use Modifier::Fence as $group;
                $body
            }
            Allow::Matrix($list) => {
                use Modifier::Matrix as $group;
                $body
            }
            Allow::Wmma($list) => {
                use Modifier::Wmma as $group;
                $body
            }
            Allow::Flag($list) => {
                use Modifier::Flag as $group;
                $body
            }
        }
    };
}

impl Allow {
    /// The modifier of a name.
    pub(crate) fn find(self, name: &str) -> Option<Modifier> {
        for_each_group!(self, list => group => list.iter().find(|it| it.name() == name).map(|&it| group(it)))
    }

    /// Whether a modifier of the group is among some.
    pub(crate) fn holds_any(self, modifiers: &[Modifier]) -> bool {
        for_each_group!(self, list => group => modifiers.iter().any(|modifier| match modifier {
            group(it) => list.contains(it),
            _ => false,
        }))
    }

    /// All modifiers of the group.
    pub(crate) fn all(self) -> Vec<Modifier> {
        for_each_group!(self, list => group => list.iter().map(|&it| group(it)).collect())
    }
}

impl Spec {
    /// The shape of an opcode.
    pub(crate) fn of(opcode: Opcode) -> &'static Spec {
        // A test holds that the table has a row for every opcode, in the same order.
        &table::TABLE[opcode as usize]
    }

    /// The modifier of a name, if the opcode allows it.
    pub(crate) fn modifier(&self, name: &str) -> Option<Modifier> {
        if let Some(ty) = self.types.iter().find(|ty| ty.name() == name) {
            return Some(Modifier::Type(*ty));
        }
        self.modifiers.iter().chain(self.needs).find_map(|group| group.find(name))
    }

    /// All modifiers that the opcode allows, types first.
    pub(crate) fn allowed(&self) -> Vec<Modifier> {
        let types = self.types.iter().map(|&ty| Modifier::Type(ty));
        types.chain(self.needs.iter().chain(self.modifiers).flat_map(|group| group.all())).collect()
    }

    /// The roles of the operands in order and how many of them must be there.
    pub(crate) fn roles(&self) -> (impl Iterator<Item = Role> + Clone, usize) {
        let required = self.operands.find('?').unwrap_or(self.operands.len());
        (self.operands.bytes().filter(|&letter| letter != b'?').map(Role::of), required)
    }
}

/// What an operand is for, from its letter in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// `d`: a result of the first type, doubled by `.wide`.
    Result,
    /// `q`: the same, or a pair of it and a predicate.
    ResultPair,
    /// `e`: a result of 32 bits.
    Result32,
    /// `P`: a predicate as result, or a pair of them.
    ResultPredicate,
    /// `v`: a result that may be wider than the type.
    Loaded,
    /// `s`: a source of the last type.
    Source,
    /// `t`: a source of the first type.
    SourceFirst,
    /// `w`: a source of the first type, doubled by `.wide`.
    SourceWide,
    /// `u`: a source of 32 bits.
    Source32,
    /// `p`: a predicate as source, perhaps negated.
    SourcePredicate,
    /// `V`: a source that may be wider than the type.
    Stored,
    /// `k`: a source of 64 bits, a cache policy.
    Policy,
    /// `m`: an address.
    Address,
    /// `l`: a label.
    Label,
    /// `i`: a constant.
    Constant,
    /// `x`: anything.
    Any,
}

impl Role {
    fn of(letter: u8) -> Role {
        match letter {
            b'd' => Role::Result,
            b'q' => Role::ResultPair,
            b'e' => Role::Result32,
            b'P' => Role::ResultPredicate,
            b'v' => Role::Loaded,
            b's' => Role::Source,
            b't' => Role::SourceFirst,
            b'w' => Role::SourceWide,
            b'u' => Role::Source32,
            b'p' => Role::SourcePredicate,
            b'V' => Role::Stored,
            b'k' => Role::Policy,
            b'm' => Role::Address,
            b'l' => Role::Label,
            b'i' => Role::Constant,
            _ => Role::Any,
        }
    }

    /// What the operand must be, in words.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Role::Result | Role::Result32 | Role::ResultPair | Role::Loaded => "a register for the result",
            Role::ResultPredicate => "a predicate register for the result",
            Role::Source | Role::SourceFirst | Role::SourceWide | Role::Stored => "a register or constant",
            Role::Source32 => "a 32-bit register or constant",
            Role::SourcePredicate => "a predicate register",
            Role::Policy => "a 64-bit register with a cache policy",
            Role::Address => "an address in brackets",
            Role::Label => "a label",
            Role::Constant => "a constant",
            Role::Any => "an operand",
        }
    }
}

/// Every name that some opcode allows as a modifier.
pub(crate) fn all_modifier_names() -> impl Iterator<Item = &'static str> {
    Opcode::ALL.iter().flat_map(|&opcode| Spec::of(opcode).allowed()).map(Modifier::name)
}

/// Opcodes of PTX that are known and not supported.
pub(crate) const UNSUPPORTED: &[&str] = &[
    "alloca",
    "clusterlaunchcontrol",
    "istypep",
    "multimem",
    "stackrestore",
    "stacksave",
    "suld",
    "suq",
    "sured",
    "sust",
    "tcgen05",
    "tex",
    "tld4",
    "txq",
    "vadd",
    "vadd2",
    "vadd4",
    "vavrg2",
    "vavrg4",
    "vmad",
    "vmax",
    "vmax2",
    "vmax4",
    "vmin",
    "vmin2",
    "vmin4",
    "vset",
    "vset2",
    "vset4",
    "vshl",
    "vshr",
    "vsub",
    "vsub2",
    "vsub4",
];

#[cfg(test)]
mod tests {
    use super::{Opcode, Spec, table::TABLE};
    use std::collections::HashSet;

    #[test]
    fn every_opcode_has_its_row() {
        let rows: Vec<Opcode> = TABLE.iter().map(|row| row.opcode).collect();
        assert_eq!(rows, Opcode::ALL);
    }

    #[test]
    fn no_opcode_allows_two_modifiers_of_one_name() {
        for &opcode in Opcode::ALL {
            let mut seen = HashSet::new();
            for modifier in Spec::of(opcode).allowed() {
                assert!(seen.insert(modifier.name()), "{opcode} has two modifiers {modifier}");
            }
        }
    }
}
