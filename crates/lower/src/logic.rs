//! Bitwise functions of bitwise functions: where no more than three values are read in all, they are one function.

use crate::code::{Code, DefinitionCounts};
use crate::fold;
use rustc_hash::FxHashMap;
use warplab_program::{
    Instruction, Modifier, Opcode, Operand, Register, Resource, Role, Selector, SourceModifier,
};

/// What three operands stand for in a table of a function of three.
const PATTERNS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// A function of at most three values.
#[derive(Clone, Debug)]
struct Function {
    values: Vec<Operand>,
    table: u8,
}

/// Makes one function of those that feed one another in a block.
pub(crate) fn logic(code: &mut Code) {
    let counts = code.definition_counts();
    let mut uses: FxHashMap<Register, u32> = FxHashMap::default();
    for access in code.instructions().flat_map(Instruction::accesses) {
        if let (Role::Read, Resource::Registers(first, count)) = (access.role, access.resource) {
            (0..count).for_each(|it| *uses.entry(first.offset(it)).or_insert(0) += 1);
        }
    }
    for block in &mut code.blocks {
        let mut known: FxHashMap<Register, Function> = FxHashMap::default();
        for instruction in &mut block.instructions {
            let Some(mut function) = function(instruction) else { continue };
            if simplify(&mut function, &known, &mut uses) {
                write(instruction, &function);
            }
            if let Some(value) =
                only_value(&function).filter(|_| instruction.operands[0].as_register().is_some())
            {
                fold::become_move(instruction, value);
                continue;
            }
            if let Some(to) = instruction.operands[0].as_register()
                && instruction.guard.is_always()
                && is_fixed(&Operand::register(to), &counts)
                && function.values.iter().all(|value| is_fixed(value, &counts))
            {
                known.insert(to, function);
            }
        }
    }
}

/// The value that a function always has, if it is zero, all ones or one of those that it takes.
fn only_value(function: &Function) -> Option<Operand> {
    let index = PATTERNS[..function.values.len()].iter().position(|it| *it == function.table);
    match function.table {
        0 => Some(Operand::ZERO),
        0xff => Some(Operand::Immediate(u32::MAX)),
        _ => index.map(|index| function.values[index]),
    }
}

/// Whether a value is the same wherever it may be read.
fn is_fixed(value: &Operand, counts: &DefinitionCounts) -> bool {
    match value {
        Operand::Register { register, .. } => counts.is_single(Resource::Registers(*register, 1)),
        Operand::Immediate(_) | Operand::Constant(_) => true,
        _ => false,
    }
}

/// Puts functions in the place of values that are only read here, or that have one value only.
fn simplify(
    function: &mut Function,
    known: &FxHashMap<Register, Function>,
    uses: &mut FxHashMap<Register, u32>,
) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at < function.values.len() {
        let register = function.values[at].as_register();
        let inner = register.and_then(|it| Some((it, known.get(&it)?)));
        let Some((register, inner)) = inner else {
            at += 1;
            continue;
        };
        let is_only = uses.get(&register) == Some(&1);
        match put(function, at, inner).filter(|_| is_only || inner.values.len() <= 1) {
            Some(new) => {
                uses.entry(register).and_modify(|it| *it -= 1);
                for value in inner.values.iter().filter_map(Operand::as_register) {
                    *uses.entry(value).or_insert(0) += 1;
                }
                (*function, changed, at) = (new, true, 0);
            }
            None => at += 1,
        }
    }
    changed
}

/// A function with another in the place of one of its values, if it has no more than three then and a form.
fn put(outer: &Function, at: usize, inner: &Function) -> Option<Function> {
    let mut values: Vec<Operand> =
        outer.values.iter().enumerate().filter(|(index, _)| *index != at).map(|it| *it.1).collect();
    for value in &inner.values {
        if !values.contains(value) {
            values.push(*value);
        }
    }
    let foreign = values.iter().filter(|it| it.as_register().is_none()).count();
    if values.len() > 3 || foreign > 1 {
        return None;
    }
    let pattern = |value: &Operand| values.iter().position(|it| it == value).map_or(0, |it| PATTERNS[it]);
    let of_inner: Vec<u8> = inner.values.iter().map(pattern).collect();
    let replaced = evaluate(inner.table, &of_inner);
    let of_outer: Vec<u8> = outer
        .values
        .iter()
        .enumerate()
        .map(|(index, value)| if index == at { replaced } else { pattern(value) })
        .collect();
    let table = evaluate(outer.table, &of_outer);
    Some(Function { values, table })
}

/// The table of a function whose values are functions themselves.
fn evaluate(table: u8, values: &[u8]) -> u8 {
    let bit = |value: usize, place: u32| values.get(value).map_or(0, |it| it >> place & 1);
    (0..8).fold(0, |result, place| {
        let index = bit(0, place) << 2 | bit(1, place) << 1 | bit(2, place);
        result | (table >> index & 1) << place
    })
}

/// The function that an instruction computes.
fn function(instruction: &Instruction) -> Option<Function> {
    let operands = instruction.operands.as_slice();
    if instruction.opcode != Opcode::Lop3 || instruction.modifiers.as_slice() != [Modifier::Lut] {
        return None;
    }
    let first = operands.len().checked_sub(5)?;
    let (Operand::Immediate(table), Operand::FALSE) = (operands[first + 3], operands[first + 4]) else {
        return None;
    };
    let mut values: Vec<Operand> = Vec::new();
    let mut patterns = Vec::new();
    for value in &operands[first..first + 3] {
        let pattern = match *value {
            Operand::ZERO | Operand::Immediate(0) => 0,
            Operand::Immediate(u32::MAX) => 0xff,
            Operand::Register { modifier: SourceModifier::NONE, selector: Selector::Whole, .. }
            | Operand::Immediate(_)
            | Operand::Constant(_) => {
                let place = values.iter().position(|it| it == value).unwrap_or_else(|| {
                    values.push(*value);
                    values.len() - 1
                });
                PATTERNS[place]
            }
            _ => return None,
        };
        patterns.push(pattern);
    }
    let table = evaluate(table.to_le_bytes()[0], &patterns);
    Some(Function { values, table })
}

/// Makes an instruction compute a function: what is no register comes second.
fn write(instruction: &mut Instruction, function: &Function) {
    let Some(first) = instruction.operands.len().checked_sub(5) else { return };
    let mut order: Vec<usize> = (0..3).collect();
    if let Some(foreign) = function.values.iter().position(|it| it.as_register().is_none()) {
        order.swap(foreign, 1);
    }
    let mut patterns = [0; 3];
    for (place, &of) in order.iter().enumerate() {
        instruction.operands[first + place] = function.values.get(of).copied().unwrap_or(Operand::ZERO);
        patterns[of] = PATTERNS[place];
    }
    let table = evaluate(function.table, &patterns);
    instruction.operands[first + 3] = Operand::Immediate(u32::from(table));
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn a_table_of_its_own_patterns_stays() {
        assert_eq!(evaluate(0xca, &[0xf0, 0xcc, 0xaa]), 0xca);
    }

    #[test]
    fn a_choice_of_a_complement_is_the_other_choice() {
        assert_eq!(evaluate(0xca, &[!0xf0, 0xcc, 0xaa]), 0xac);
    }
}
