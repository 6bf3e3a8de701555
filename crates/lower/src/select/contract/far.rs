//! Products that sums of other blocks take in: with a factor that is a constant or a parameter, which costs nothing to have at
//! hand everywhere.

use super::{Fused, accesses, is_known, is_quotient, is_sum, product};
use crate::flat::{Flat, Flattened, Item, RegisterId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_ptx::tree::Flag;

/// Adds what sums of other blocks fuse: a product goes if every reader of it, in whatever block, is a sum that fuses nothing
/// else.
pub(super) fn fuse(
    flat: &Flattened<'_>,
    exposed: &FxHashSet<RegisterId>,
    constants: &FxHashSet<RegisterId>,
    fused: &mut FxHashMap<usize, Fused>,
) {
    let mut writes: FxHashMap<RegisterId, u32> = FxHashMap::default();
    let mut readers: FxHashMap<RegisterId, Vec<usize>> = FxHashMap::default();
    for (index, item) in flat.items.iter().enumerate() {
        let (reads, written, _) = accesses(item);
        written.iter().for_each(|&id| *writes.entry(id).or_insert(0) += 1);
        reads
            .into_iter()
            .filter(|id| exposed.contains(id))
            .for_each(|id| readers.entry(id).or_default().push(index));
    }
    let is_constant = |value: &Value| is_known(value, |id| constants.contains(&id));
    let stays = |value: &Value| is_known(value, |id| writes.get(&id) == Some(&1));
    for (index, item) in flat.items.iter().enumerate() {
        let Item::Instruction(it) = item else { continue };
        let Some((to, made)) = product(it).filter(|(to, _)| exposed.contains(to)) else { continue };
        if is_quotient(it.tree) {
            continue;
        }
        let factors = &it.operands[1..];
        if writes.get(&to) != Some(&1) || !factors.iter().any(is_constant) || !factors.iter().all(stays) {
            continue;
        }
        let place = |&reader: &usize| match &flat.items[reader] {
            Item::Instruction(sum) if !fused.contains_key(&reader) => {
                let fits = sum.tree.ty() == Some(made.ty) && made.flushes == sum.tree.flag(Flag::Ftz);
                term(sum, to).filter(|_| fits).map(|operand| (reader, operand))
            }
            _ => None,
        };
        let places: Option<Vec<(usize, usize)>> = readers.get(&to).into_iter().flatten().map(place).collect();
        for (sum, operand) in places.unwrap_or_default() {
            fused.insert(sum, Fused { product: index, operand, negated: false });
        }
    }
}

/// Which term of a sum a register is; none where it is both, or where this is no sum.
fn term(flat: &Flat<'_>, id: RegisterId) -> Option<usize> {
    let is = |value: &Value| matches!(value, Value::Register(other) if *other == id);
    match flat.operands.as_slice() {
        [_, a, b] if is_sum(flat.tree) && flat.guard.is_none() && is(a) != is(b) => {
            Some(if is(a) { 1 } else { 2 })
        }
        _ => None,
    }
}
