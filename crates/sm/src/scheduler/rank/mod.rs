//! A formula: the warp with the lowest number issues (`config/src/gpu/rank`).

mod columns;

use super::{Candidates, Pick, View};
use columns::{Columns, ROWS};
use serde::{Deserialize, Serialize};
use warplab_config::gpu::{RankFormula, RankInput, RankSource};
use warplab_units::Cycle;

/// The memory of a scheduler that goes by a formula.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rank {
    formula: RankFormula,
    last: u32,
    /// What each warp has done.
    warps: Vec<Record>,
    /// What the formula keeps, a row of [`ROWS`] for each value; one of the whole scheduler is in its first place.
    kept: Vec<i64>,
    /// The warps that were resident when the orders of the records were computed.
    ordered: u64,
    /// The columns of the rank, then of each kept value; made where they are missing.
    #[serde(skip)]
    columns: Vec<Columns>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Record {
    block: u64,
    issued: u64,
    /// When it last issued or came.
    since: Cycle,
    /// How many resident warps are older.
    order: u32,
}

impl Rank {
    pub(super) fn new(formula: RankFormula) -> Rank {
        let kept = formula.keeps().iter().flat_map(|keep| [keep.start; ROWS]).collect();
        let nothing = Record { block: 0, issued: 0, since: Cycle(0), order: 0 };
        Rank { formula, last: 0, warps: vec![nothing; ROWS], kept, ordered: 0, columns: Vec::new() }
    }

    /// The formula as written.
    pub(super) fn formula(&self) -> &str {
        self.formula.text()
    }

    /// Whether a warp that is held back may be let go although nothing happens.
    pub(super) fn is_timed(&self) -> bool {
        self.formula.is_timed()
    }

    /// A warp of a block comes.
    pub(super) fn enter(&mut self, warp: u32, block: u64, now: Cycle) {
        self.warps[warp as usize] = Record { block, issued: 0, since: now, order: 0 };
        self.ordered = 0;
        for (keep, row) in self.formula.keeps().iter().zip(self.kept.chunks_exact_mut(ROWS)) {
            if keep.of_warp {
                row[warp as usize] = keep.start;
            }
        }
    }

    /// The eligible warp with the lowest number, of equal ones the first; those that are held back.
    pub(super) fn pick(
        &mut self,
        candidates: &Candidates<'_>,
        view: &View,
        loads: impl Fn(u32) -> i64,
    ) -> Pick {
        let eligible = candidates.eligible;
        let alone = eligible & (eligible - 1) == 0;
        let pick = if alone && !self.formula.holds_back() {
            Pick { warp: Some(eligible.trailing_zeros()), held: 0 }
        } else {
            self.lowest(candidates, view, &loads)
        };
        if let Some(warp) = pick.warp {
            self.keep(candidates, view, &loads, warp);
            self.last = warp;
            let record = &mut self.warps[warp as usize];
            record.issued += 1;
            record.since = candidates.now;
        }
        pick
    }

    fn lowest(&mut self, candidates: &Candidates<'_>, view: &View, loads: &impl Fn(u32) -> i64) -> Pick {
        let holds_back = self.formula.holds_back();
        let (slots, count) = slots(candidates.eligible);
        let slots = &slots[..count];
        let ranks = self.evaluate(0, slots, candidates, view, loads);
        let mut pick = Pick { warp: None, held: 0 };
        let mut lowest = RankFormula::NEVER;
        for (&slot, &rank) in slots.iter().zip(ranks) {
            if holds_back && rank == RankFormula::NEVER {
                pick.held |= 1 << slot;
            } else if rank < lowest || pick.warp.is_none() {
                (pick.warp, lowest) = (Some(u32::from(slot)), rank);
            }
        }
        pick
    }

    /// What is kept becomes what its expressions give for the warp that issues; all of them see the values before.
    fn keep(&mut self, candidates: &Candidates<'_>, view: &View, loads: &impl Fn(u32) -> i64, warp: u32) {
        let count = self.formula.keeps().len();
        let mut new = [0; ROWS];
        for (at, new) in new.iter_mut().enumerate().take(count) {
            *new = self.evaluate(at + 1, &[warp as u8], candidates, view, loads)[0];
        }
        for (at, new) in new.iter().enumerate().take(count) {
            let place = if self.formula.keeps()[at].of_warp { warp as usize } else { 0 };
            self.kept[at * ROWS + place] = *new;
        }
    }

    /// An expression for some warps: 0 is the rank, then come those of the kept values.
    fn evaluate(
        &mut self,
        which: usize,
        slots: &[u8],
        candidates: &Candidates<'_>,
        view: &View,
        loads: &impl Fn(u32) -> i64,
    ) -> &[i64] {
        if self.columns.is_empty() {
            let keeps = self.formula.keeps().iter().map(|keep| Columns::new(&keep.then));
            self.columns = std::iter::once(Columns::new(self.formula.rank())).chain(keeps).collect();
        }
        let code = match which {
            0 => self.formula.rank(),
            keep => &self.formula.keeps()[keep - 1].then,
        };
        if self.ordered != view.resident && code.sources.contains(&RankSource::Input(RankInput::Order)) {
            self.ordered = view.resident;
            set_orders(&mut self.warps, candidates.ages, view.resident);
        }
        let (warps, kept, last) = (&self.warps, &self.kept, self.last);
        self.columns[which].evaluate(code, slots.len(), |source, column| {
            let mut each = |value: &dyn Fn(usize) -> i64| {
                for (place, slot) in column.iter_mut().zip(slots) {
                    *place = value(usize::from(*slot));
                }
            };
            match source {
                RankSource::Number(number) => column.fill(number),
                RankSource::Kept { at, of_warp: false } => column.fill(kept[at * ROWS]),
                RankSource::Kept { at, of_warp: true } => each(&|slot| kept[at * ROWS + slot]),
                RankSource::Input(input) => match input {
                    RankInput::Age => each(&|slot| candidates.ages[slot] as i64),
                    RankInput::Order => each(&|slot| i64::from(warps[slot].order)),
                    RankInput::Slot => each(&|slot| slot as i64),
                    RankInput::Block => each(&|slot| warps[slot].block as i64),
                    RankInput::Issued => each(&|slot| warps[slot].issued as i64),
                    RankInput::SinceIssue => each(&|slot| candidates.now.since(warps[slot].since) as i64),
                    RankInput::Loads => each(&|slot| loads(slot as u32)),
                    RankInput::Global => each(&|slot| (view.global >> slot & 1) as i64),
                    RankInput::IssuedLast => each(&|slot| i64::from(slot as u32 == last)),
                    RankInput::Last => column.fill(i64::from(last)),
                    RankInput::ReadyNow => each(&|slot| (candidates.fresh >> slot & 1) as i64),
                    RankInput::Yielded => column.fill(i64::from(candidates.yielded)),
                    RankInput::Cycle => column.fill(candidates.now.0 as i64),
                },
            }
        })
    }
}

/// The warps of a mask.
fn slots(mask: u64) -> ([u8; ROWS], usize) {
    let (mut slots, mut count, mut rest) = ([0; ROWS], 0, mask);
    while rest != 0 {
        slots[count] = rest.trailing_zeros() as u8;
        count += 1;
        rest &= rest - 1;
    }
    (slots, count)
}

/// How many of the resident warps are older than each of them.
fn set_orders(warps: &mut [Record], ages: &[u64], resident: u64) {
    let (slots, count) = slots(resident);
    for &slot in &slots[..count] {
        let own = ages[usize::from(slot)];
        let older = slots[..count].iter().filter(|&&other| ages[usize::from(other)] < own);
        warps[usize::from(slot)].order = older.count() as u32;
    }
}

#[cfg(test)]
mod tests;
