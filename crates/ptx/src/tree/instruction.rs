//! Instructions.

use warplab_diagnostics::Span;

use super::modifier::{
    Cache, Compare, Flag, Half, Hint, Modifier, Operation, Rounding, Scope, Semantics, ShuffleMode, Vector,
    VoteMode,
};
use super::name::{At, Name};
use super::opcode::Opcode;
use super::operand::Operand;
use super::types::{Space, Type};

/// `@p` or `@!p`: the predicate without which an instruction does nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// Whether the predicate must be false.
    pub negated: bool,
    /// The predicate register.
    pub register: Name,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The predicate it waits for.
    pub guard: Option<Guard>,
    /// What it does.
    pub opcode: Opcode,
    /// Its dotted parts, in written order.
    pub modifiers: Vec<Modifier>,
    /// Its operands, results first.
    pub operands: Vec<Operand>,
    /// The places of the operands.
    pub operand_spans: Vec<At>,
    /// From the guard to the semicolon.
    pub span: At,
}

/// Defines accessors for the first modifier of a group.
macro_rules! first_of {
    ($($(#[$meta:meta])* $function:ident: $group:ident($kind:ident);)*) => {
        $(
            $(#[$meta])*
            #[must_use]
            pub fn $function(&self) -> Option<$kind> {
                self.modifiers.iter().find_map(|modifier| match modifier {
                    Modifier::$group(it) => Some(*it),
                    _ => None,
                })
            }
        )*
    };
}

impl Instruction {
    first_of! {
        /// The first type: that of the result.
        ty: Type(Type);
        /// The state space; none means generic addressing.
        space: Space(Space);
        /// The rounding mode.
        rounding: Rounding(Rounding);
        /// The comparison.
        compare: Compare(Compare);
        /// The atomic or combining operation.
        operation: Operation(Operation);
        /// The part of the product.
        half: Half(Half);
        /// The number of elements.
        vector: Vector(Vector);
        /// The scope of the memory order.
        scope: Scope(Scope);
        /// The memory order.
        semantics: Semantics(Semantics);
        /// The cache operator.
        cache: Cache(Cache);
        /// The first advice to a cache.
        hint: Hint(Hint);
        /// The mode of `shfl`.
        shuffle: Shuffle(ShuffleMode);
        /// The mode of `vote` and `match`.
        vote: Vote(VoteMode);
    }

    /// The types, in written order.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.modifiers.iter().filter_map(|modifier| match modifier {
            Modifier::Type(ty) => Some(*ty),
            _ => None,
        })
    }

    /// The last type: that of the source of `cvt`, `set` and `slct`; the only one of most instructions.
    #[must_use]
    pub(crate) fn source_type(&self) -> Option<Type> {
        self.types().last()
    }

    /// Whether a modifier is written.
    #[must_use]
    pub fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// Whether a flag is written.
    #[must_use]
    pub fn flag(&self, flag: Flag) -> bool {
        self.has(Modifier::Flag(flag))
    }

    /// The place of an operand; that of the instruction if there is none.
    #[must_use]
    pub fn operand_span(&self, index: usize) -> Span {
        self.operand_spans.get(index).map_or(self.span.0, |at| at.0)
    }

    /// The opcode with its modifiers, as written: `fma.rn.f32`.
    #[must_use]
    pub fn mnemonic(&self) -> String {
        let mut text = String::from(self.opcode.name());
        for modifier in &self.modifiers {
            text.push('.');
            text.push_str(modifier.name());
        }
        text
    }

    /// The parts of a `call`.
    #[must_use]
    pub fn call(&self) -> Option<Call<'_>> {
        if self.opcode != Opcode::Call {
            return None;
        }
        let (returns, rest) = match self.operands.split_first()? {
            (Operand::List(list), rest) => (list.as_slice(), rest),
            _ => (&[][..], self.operands.as_slice()),
        };
        let (target, rest) = rest.split_first()?;
        let (arguments, rest) = match rest.split_first() {
            Some((Operand::List(list), rest)) => (list.as_slice(), rest),
            _ => (&[][..], rest),
        };
        Some(Call { returns, target, arguments, prototype: rest.first() })
    }
}

/// The parts of a `call`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call<'a> {
    /// What receives the results.
    pub returns: &'a [Operand],
    /// A `Symbol` if direct, a `Register` if indirect.
    pub target: &'a Operand,
    /// What is passed.
    pub arguments: &'a [Operand],
    /// The `.callprototype` or `.calltargets` of an indirect call, as a `Label`.
    pub prototype: Option<&'a Operand>,
}
