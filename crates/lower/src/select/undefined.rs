//! Registers that are read on a way on which nothing has written them: in a loop they hold there what the last iteration has
//! left, which another register need not hold.

use super::{registers_of, result_count};
use crate::calls::Callee;
use crate::flat::{Flat, Flattened, Item, LabelId, RegisterId, Value};
use rustc_hash::FxHashMap;
use warplab_ptx::tree::{Flag, Opcode};

/// Calls `read` for each register that an item reads, and then `write` for each that it writes.
pub(super) fn registers(
    item: &Item<'_>,
    mut read: impl FnMut(RegisterId),
    mut write: impl FnMut(RegisterId),
) {
    let mut reads = |value: &Value| registers_of(value).into_iter().for_each(&mut read);
    match item {
        Item::Label(_) | Item::Return(_) => {}
        Item::Leave(guard, ..) => guard.iter().for_each(|&(id, _)| read(id)),
        Item::Call(callee, _) => {
            if let Callee::Pointer(id) = callee {
                read(*id);
            }
        }
        Item::Switch(flat, _) => reads(&flat.operands[0]),
        Item::Stack(access) => {
            access.stored.iter().for_each(reads);
            access.loaded.into_iter().for_each(write);
        }
        Item::Copy { guard, to, from, .. } => {
            reads(from);
            guard.iter().for_each(|&(id, _)| read(id));
            write(*to);
        }
        Item::System(item) => {
            item.arguments.iter().for_each(reads);
            item.guard.into_iter().for_each(|(id, _)| read(id));
            item.result.into_iter().for_each(write);
        }
        Item::Instruction(flat) => {
            let results = result_count(flat);
            // What is added to a product of a warpgroup is its sum.
            let sums = if flat.tree.flag(Flag::MmaAsync) { 0 } else { results };
            flat.operands[sums.min(flat.operands.len())..].iter().for_each(reads);
            flat.guard.into_iter().for_each(|(id, _)| read(id));
            flat.operands.iter().take(results).flat_map(registers_of).for_each(write);
        }
    }
}

/// The registers that a way from the entry reads before anything on it writes them.
pub(super) fn undefined(flat: &Flattened<'_>) -> Vec<RegisterId> {
    let blocks = blocks(flat);
    let ways = ways(flat, &blocks);
    // Registers that are read in each block, or behind it, before they are written.
    let mut live: Vec<Vec<u64>> = blocks.iter().map(|_| vec![0; flat.registers.len().div_ceil(64)]).collect();
    let mut changes = true;
    while changes {
        changes = false;
        for (number, block) in blocks.iter().enumerate().rev() {
            let mut now = vec![0; flat.registers.len().div_ceil(64)];
            for &next in &ways[number] {
                now.iter_mut().zip(&live[next]).for_each(|(mine, theirs)| *mine |= theirs);
            }
            for item in flat.items[block.clone()].iter().rev() {
                let (mut read, mut written) = (Vec::new(), Vec::new());
                registers(item, |id| read.push(id), |id| written.push(id));
                written.into_iter().for_each(|id: usize| now[id / 64] &= !(1 << (id % 64)));
                read.into_iter().for_each(|id: usize| now[id / 64] |= 1 << (id % 64));
            }
            changes |= now != live[number];
            live[number] = now;
        }
    }
    let first = live.first().map_or(&[][..], Vec::as_slice);
    (0..flat.registers.len()).filter(|id| first[id / 64] >> (id % 64) & 1 != 0).collect()
}

/// Items that run one after the other.
fn blocks(flat: &Flattened<'_>) -> Vec<std::ops::Range<usize>> {
    let mut starts = vec![0];
    for (index, item) in flat.items.iter().enumerate() {
        if matches!(item, Item::Label(_)) {
            starts.push(index);
        } else if leaves(item).is_some() {
            starts.push(index + 1);
        }
    }
    starts.push(flat.items.len());
    starts.dedup();
    starts.windows(2).map(|pair| pair[0]..pair[1]).filter(|block| !block.is_empty()).collect()
}

/// Where an item goes to instead of the next one, and whether it may go there, too; nothing, where it always does.
fn leaves(item: &Item<'_>) -> Option<(Vec<LabelId>, bool)> {
    let labels = |flat: &Flat<'_>| {
        let label = |value: &Value| if let Value::Label(label) = value { Some(*label) } else { None };
        flat.operands.iter().filter_map(label).collect::<Vec<_>>()
    };
    match item {
        Item::Leave(guard, label, _) => Some((vec![*label], guard.is_some())),
        Item::Switch(flat, table) => Some((table.clone(), flat.guard.is_some())),
        Item::Return(_) => Some((Vec::new(), false)),
        Item::Instruction(flat) => match flat.tree.opcode {
            Opcode::Bra => Some((labels(flat), flat.guard.is_some())),
            Opcode::Exit | Opcode::Ret | Opcode::Trap => Some((Vec::new(), flat.guard.is_some())),
            _ => None,
        },
        _ => None,
    }
}

/// The blocks that may come behind each.
fn ways(flat: &Flattened<'_>, blocks: &[std::ops::Range<usize>]) -> Vec<Vec<usize>> {
    let mut places: FxHashMap<LabelId, usize> = FxHashMap::default();
    for (number, block) in blocks.iter().enumerate() {
        if let Item::Label(label) = &flat.items[block.start] {
            places.insert(*label, number);
        }
    }
    let ways = |(number, block): (usize, &std::ops::Range<usize>)| {
        let (labels, goes_on) = leaves(&flat.items[block.end - 1]).unwrap_or((Vec::new(), true));
        let next = (goes_on && number + 1 < blocks.len()).then_some(number + 1);
        labels.iter().filter_map(|label| places.get(label).copied()).chain(next).collect()
    };
    blocks.iter().enumerate().map(ways).collect()
}
