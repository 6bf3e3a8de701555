//! What each opcode may look like, for manuals and help.

use crate::spec::{Role, Spec};
use crate::tree::{Modifier, Opcode};

/// The forms of an opcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The operands in order: `d`, `a`, `[address]`, ...
    pub operands: Vec<String>,
    /// How many of them must be written.
    pub required: usize,
    /// How many types are written, at least and at most.
    pub type_count: (usize, usize),
    /// The types that may be written.
    pub types: Vec<&'static str>,
    /// Groups of modifiers of which one must be written.
    pub needed: Vec<Vec<&'static str>>,
    /// Groups of modifiers that may be written.
    pub allowed: Vec<Vec<&'static str>>,
}

/// The forms of an opcode.
#[must_use]
pub fn form(opcode: Opcode) -> Form {
    let spec = Spec::of(opcode);
    let (roles, required) = spec.roles();
    let mut sources = ["a", "b", "c", "e", "f"].into_iter();
    let mut next_source = || sources.next().unwrap_or("g").to_owned();
    let operands = roles.map(|role| match role {
        Role::Result | Role::Result32 | Role::Loaded => "d".to_owned(),
        Role::ResultPair => "d|p".to_owned(),
        Role::ResultPredicate => "p|q".to_owned(),
        Role::SourcePredicate => "r".to_owned(),
        Role::Policy => "policy".to_owned(),
        Role::Address => "[address]".to_owned(),
        Role::Label => "target".to_owned(),
        Role::Constant => "constant".to_owned(),
        _ => next_source(),
    });
    let names = |modifiers: Vec<Modifier>| modifiers.into_iter().map(Modifier::name).collect();
    Form {
        operands: operands.collect(),
        required,
        type_count: spec.type_count,
        types: spec.types.iter().map(|ty| ty.name()).collect(),
        needed: spec.needs.iter().map(|group| names(group.all())).collect(),
        allowed: spec.modifiers.iter().map(|group| names(group.all())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::form;
    use crate::tree::Opcode;

    #[test]
    fn the_form_of_a_shift_says_what_it_needs() {
        let form = form(Opcode::Shf);
        assert_eq!(form.operands, ["d", "a", "b", "c"]);
        assert_eq!((form.required, form.types), (4, vec!["b32"]));
        assert_eq!(form.needed, [vec!["l", "r"], vec!["clamp", "wrap"]]);
    }
}
