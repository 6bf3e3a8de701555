//! `createpolicy`: what a cache is told. Nothing reads it: accesses with a policy are as those without.

use super::Selector;
use super::values::Source;
use crate::flat::{Flat, Value};
use warplab_ptx::tree::{Hint, Immediate, Modifier as Dotted};

/// Where the priority and the part of the accesses that have it are in the upper word.
const POLICY_SHIFT: u32 = 20;

impl Selector<'_, '_> {
    /// The policy as ptxas encodes it for a part of all accesses, in sixteenths. One of a range of addresses, and a part
    /// that is known only when the program runs, are taken for all of them.
    pub(super) fn createpolicy(&mut self, flat: &Flat<'_>) {
        let primary = flat.tree.modifiers.iter().find_map(|modifier| match modifier {
            Dotted::Hint(Hint::L2EvictLast) => Some(0x140),
            Dotted::Hint(Hint::L2EvictFirst) => Some(0x120),
            Dotted::Hint(Hint::L2EvictNormal) => Some(0x160),
            Dotted::Hint(Hint::L2EvictUnchanged) => Some(0x100),
            _ => None,
        });
        let Some(primary) = primary else {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        };
        let fraction = match flat.operands.get(1) {
            Some(&Value::Immediate(fraction @ (Immediate::F32(_) | Immediate::F64(_)))) => {
                f32::from_bits(fraction.f32_bits())
            }
            _ => 1.0,
        };
        let sixteenths = (1..16_u8).find(|&part| fraction <= f32::from(part) / 16.0).unwrap_or(16);
        let part = u32::from(sixteenths - 1);
        let to = self.result(&flat.operands[0], 64);
        let bits = u64::from(primary | part) << POLICY_SHIFT << 32;
        self.move_to(to, Source::constant(bits), 64);
    }
}
