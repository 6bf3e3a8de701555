//! Reads of registers before their values are there, and what else a compiler's control fields can get wrong.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::listing::instruction_text;
use warplab_program::{Kernel, Slot};

/// What an instruction did too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum HazardKind {
    /// It read a result of fixed latency before it was there.
    ReadTooEarly,
    /// It read a result of variable latency without having waited for its wait counter.
    ReadUnawaited,
    /// It wrote to what an earlier result of fixed latency will overwrite later.
    WriteOvertaken,
    /// It wrote to what an earlier result of variable latency may overwrite: its wait counter was not waited for.
    WriteUnawaited,
    /// It overwrote a source of an earlier instruction that may not have read it yet.
    SourceOverwritten,
}

/// Where and how an instruction came too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HazardPlace {
    /// The index of the earlier instruction.
    pub producer: u32,
    /// The index of the one that came too early.
    pub consumer: u32,
    /// The register or predicate.
    pub slot: Slot,
    /// What went wrong.
    pub kind: HazardKind,
}

/// How far from right it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shortfall {
    /// Cycles from the issue of the one to the issue of the other.
    Cycles {
        /// So many are needed.
        needed: u64,
        /// The fewest that passed.
        passed: u64,
    },
    /// This wait counter was not waited for.
    Counter(u8),
    /// The earlier instruction holds no wait counter that could be waited for.
    NoCounter,
}

/// One hazard and how often it occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hazard {
    /// How far from right, at the worst occurrence.
    pub shortfall: Shortfall,
    /// Occurrences in warp instructions.
    pub count: u64,
}

/// The hazards of a run, by place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hazards {
    /// What was found.
    pub found: BTreeMap<HazardPlace, Hazard>,
    /// Reads of registers and predicates by warp instructions that were checked.
    pub checked_reads: u64,
}

impl Hazards {
    /// One more occurrence.
    pub fn add(&mut self, place: HazardPlace, shortfall: Shortfall) {
        self.merge(place, Hazard { shortfall, count: 1 });
    }

    /// What another multiprocessor found.
    pub fn append(&mut self, other: &Hazards) {
        self.checked_reads += other.checked_reads;
        other.found.iter().for_each(|(&place, &hazard)| self.merge(place, hazard));
    }

    fn merge(&mut self, place: HazardPlace, hazard: Hazard) {
        let known = self.found.entry(place).or_insert(Hazard { count: 0, ..hazard });
        known.count += hazard.count;
        if let (Shortfall::Cycles { passed, .. }, Shortfall::Cycles { passed: fewest, .. }) =
            (hazard.shortfall, known.shortfall)
            && passed < fewest
        {
            known.shortfall = hazard.shortfall;
        }
    }
}

impl HazardPlace {
    /// What went wrong, in a sentence without addresses.
    #[must_use]
    pub fn reason(&self, hazard: &Hazard) -> String {
        let slot = self.slot;
        let what = match self.kind {
            HazardKind::ReadTooEarly | HazardKind::ReadUnawaited => format!("{slot} is read"),
            HazardKind::WriteOvertaken | HazardKind::WriteUnawaited => format!("{slot} is written again"),
            HazardKind::SourceOverwritten => format!("{slot} is overwritten before it has been read"),
        };
        match hazard.shortfall {
            Shortfall::Cycles { needed, passed } => {
                format!("{what} after {passed} cycles, {needed} are needed")
            }
            Shortfall::Counter(counter) => format!("{what}, wait counter {counter} was not waited for"),
            Shortfall::NoCounter => format!("{what}, no wait counter was held"),
        }
    }

    /// One line: both instructions with their addresses, and what went wrong.
    #[must_use]
    pub fn text(&self, hazard: &Hazard, kernel: &Kernel) -> String {
        let at = |pc: u32| {
            let text = kernel.instructions.get(pc as usize).map_or(String::new(), instruction_text);
            format!("{:04x} {text}", u64::from(pc) * INSTRUCTION_BYTES)
        };
        let (consumer, producer) = (at(self.consumer), at(self.producer));
        format!("{consumer}: {} (from {producer}), {} times", self.reason(hazard), hazard.count)
    }
}
