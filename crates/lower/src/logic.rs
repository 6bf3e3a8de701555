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

/// How often a value is read, and how often by functions.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    all: u32,
    logical: u32,
}

/// Makes one function of those that feed one another in a block.
pub(crate) fn logic(code: &mut Code) {
    let counts = code.definition_counts();
    let mut uses: FxHashMap<Register, Uses> = FxHashMap::default();
    for instruction in code.instructions() {
        let logical = u32::from(function(instruction).is_some());
        for access in instruction.accesses() {
            if let (Role::Read, Resource::Registers(first, count)) = (access.role, access.resource) {
                for register in (0..count).map(|it| first.offset(it)) {
                    let uses = uses.entry(register).or_default();
                    *uses = Uses { all: uses.all + 1, logical: uses.logical + logical };
                }
            }
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

/// Puts functions in the place of values that only functions read, or that have one value only, one or several at once.
fn simplify(
    function: &mut Function,
    known: &FxHashMap<Register, Function>,
    uses: &mut FxHashMap<Register, Uses>,
) -> bool {
    let mut changed = false;
    loop {
        let inner = |value: &Operand| {
            let register = value.as_register()?;
            let inner = known.get(&register)?;
            let uses = uses.get(&register).copied().unwrap_or_default();
            (uses.all == uses.logical || inner.values.len() <= 1).then_some((register, inner))
        };
        let inners: Vec<Option<(Register, &Function)>> = function.values.iter().map(inner).collect();
        let chosen = |choice: usize| -> Vec<Option<(Register, &Function)>> {
            inners.iter().enumerate().map(|(at, it)| it.filter(|_| choice >> at & 1 == 1)).collect()
        };
        // One at a time before two and three.
        let found = [1, 2, 4, 3, 5, 6, 7].into_iter().filter(|&choice| choice < 1 << inners.len()).find_map(
            |choice| {
                let chosen = chosen(choice);
                let all = chosen.iter().flatten().count() == choice.count_ones() as usize;
                let new = put(function, &chosen).filter(|_| all)?;
                Some((chosen, new))
            },
        );
        let Some((chosen, new)) = found else { return changed };
        for (register, inner) in chosen.into_iter().flatten() {
            let count = |uses: &mut Uses, by: i32| {
                uses.all = uses.all.saturating_add_signed(by);
                uses.logical = uses.logical.saturating_add_signed(by);
            };
            count(uses.entry(register).or_default(), -1);
            let values = inner.values.iter().filter_map(Operand::as_register);
            values.for_each(|value| count(uses.entry(value).or_default(), 1));
        }
        (*function, changed) = (new, true);
    }
}

/// A function with others in the place of some of its values, if it has no more than three then and a form.
fn put(outer: &Function, inners: &[Option<(Register, &Function)>]) -> Option<Function> {
    let mut values: Vec<Operand> = Vec::new();
    for (value, inner) in outer.values.iter().zip(inners) {
        let its = inner.map_or(std::slice::from_ref(value), |(_, inner)| &inner.values);
        for value in its {
            if !values.contains(value) {
                values.push(*value);
            }
        }
    }
    let foreign = values.iter().filter(|it| it.as_register().is_none()).count();
    if values.len() > 3 || foreign > 1 {
        return None;
    }
    let pattern = |value: &Operand| values.iter().position(|it| it == value).map_or(0, |it| PATTERNS[it]);
    let of_outer = |(value, inner): (&Operand, &Option<(Register, &Function)>)| match inner {
        Some((_, inner)) => evaluate(inner.table, &inner.values.iter().map(pattern).collect::<Vec<u8>>()),
        None => pattern(value),
    };
    let table = evaluate(outer.table, &outer.values.iter().zip(inners).map(of_outer).collect::<Vec<u8>>());
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
