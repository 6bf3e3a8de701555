//! Copies of boxes of tensors. What they copy is there at once: programs must not look before they have waited.

use super::bulk::Targets;
use crate::LANES;
use crate::fault::ExecFault;
use crate::memory::{AtomicRequest, BulkRecord, BulkRow, GlobalMemory, Lanes, windows};
use crate::op::{AtomicOp, AtomicType, BoxOp, BulkKind};
use crate::semantics::lanes::Machine;
use crate::step::{Environment, Step};
use crate::tensor_map::{GRAIN, MOST_DIMENSIONS, TENSOR_MAP_BYTES, TensorElement, TensorMap, TensorMapFault};
use smallvec::SmallVec;
use warplab_units::{LaneMask, PerLane};

/// The NaNs outside of a tensor: each half of a word is one, and so are words and pairs of them.
const NAN: u32 = 0x7ff7_7ff7;

/// A row of a box.
struct BoxRow {
    /// Where its part inside of the tensor lies in global memory.
    global: u64,
    /// The bytes of the row from and to which it lies inside of the tensor.
    inside: std::ops::Range<u32>,
    /// Where it lies in the box.
    offset: u32,
}

#[cold]
pub(crate) fn execute<M: GlobalMemory>(
    m: &mut Machine<'_>,
    op: &BoxOp,
    environment: &mut Environment<'_, M>,
) -> Result<Step, ExecFault> {
    if m.mask == 0 {
        return Ok(Step::Next);
    }
    let word = |register: usize| m.warp.uniforms[usize::from(op.places) + register];
    let place = u64::from(m.warp.uniforms[usize::from(op.map)])
        | u64::from(m.warp.uniforms[usize::from(op.map) + 1]) << 32;
    let (shared, barrier, first) = match op.kind {
        BulkKind::ToShared => (word(0), word(1), 2),
        BulkKind::Prefetch => (0, 0, 0),
        _ => (word(0), 0, 1),
    };
    let named = op.multicast.map(|register| (m.warp.uniforms[usize::from(register)] >> 16) as u16);
    let targets = Targets::of(m, op.kind, (shared, barrier), named, environment)?;
    let (shared, barrier) = (targets.shared, targets.barrier);
    let words = map_words(m, place, environment)?;
    let map = TensorMap::decode(&words).map_err(|fault| wrong(place, fault))?;
    if map.dimensions != usize::from(op.dimensions) {
        let what = format!("the instruction copies a box of {} dimensions, the tensor's are", op.dimensions);
        let found = map.dimensions as u64;
        return Err(wrong(place, TensorMapFault::Value { what, found, expected: "both are the same" }));
    }
    let at: [i32; MOST_DIMENSIONS] = std::array::from_fn(|dimension| {
        if dimension < map.dimensions { word(first + dimension).cast_signed() } else { 0 }
    });
    check_coordinates(&map, &at, op.kind).map_err(|fault| wrong(place, fault))?;
    let rows: Vec<BoxRow> = rows(&map, &at, changes(op.kind)).collect();
    let copy = Copy { map: &map, rows: &rows, shared };
    match op.kind {
        BulkKind::ToShared => copy.load(&targets, environment)?,
        BulkKind::ToGlobal => copy.store(environment)?,
        BulkKind::Reduce(operation, _) => copy.reduce(operation, m.warp.number, environment)?,
        BulkKind::Prefetch | BulkKind::ToPeer => {}
    }
    if op.kind.tells_a_barrier() {
        let at = [u64::from(barrier); LANES];
        environment.shared.check(&Lanes::new(&at, LaneMask(1), 8))?;
    }
    let bytes = map.rows() * map.row_bytes();
    let (peers, is_own) = (targets.peers, targets.is_own);
    let rows =
        rows.iter().map(|row| BulkRow { global: row.global, bytes: row.inside.len() as u32 }).collect();
    environment.record.bulk =
        Some(Box::new(BulkRecord { kind: op.kind, rows, bytes, barrier, map: Some(place), peers, is_own }));
    Ok(Step::Bulk)
}

#[cold]
fn wrong(place: u64, fault: TensorMapFault) -> ExecFault {
    ExecFault::TensorMap(Box::new((place, fault)))
}

/// The words of a tensor map, in a parameter or in global memory.
fn map_words<M: GlobalMemory>(
    m: &Machine<'_>,
    place: u64,
    environment: &mut Environment<'_, M>,
) -> Result<[u32; 32], ExecFault> {
    if let Some(offset) = windows::constant_offset(place) {
        return Ok(std::array::from_fn(|word| m.banks.word(0, offset / 4 + word as u32)));
    }
    let mut values = [[0; LANES]; 4];
    let part = TENSOR_MAP_BYTES / GRAIN;
    let addresses = std::array::from_fn(|lane| place + lane as u64 % part * GRAIN);
    let mask = LaneMask((1 << part) - 1);
    environment.global.load(Lanes::new(&addresses, mask, GRAIN as u32), &mut values)?;
    Ok(std::array::from_fn(|word| values[word % 4][word / 4]))
}

fn changes(kind: BulkKind) -> bool {
    matches!(kind, BulkKind::ToGlobal | BulkKind::Reduce(..))
}

/// An H200 calls these an illegal instruction.
fn check_coordinates(map: &TensorMap, at: &[i32], kind: BulkKind) -> Result<(), TensorMapFault> {
    let start = i64::from(at[0]) * i64::from(map.element.bytes());
    if start % GRAIN as i64 != 0 {
        let what = "the first coordinate, in bytes".to_owned();
        let found = start.unsigned_abs();
        return Err(TensorMapFault::Value { what, found, expected: "it is a multiple of 16" });
    }
    match at.iter().find(|&&coordinate| changes(kind) && coordinate < 0) {
        Some(&coordinate) => Err(TensorMapFault::Value {
            what: "a coordinate of what is written lies below zero, by".to_owned(),
            found: coordinate.unsigned_abs().into(),
            expected: "boxes may begin outside of a tensor only where they are read",
        }),
        None => Ok(()),
    }
}

/// The rows of the box at some coordinates. What changes a tensor takes 16 bytes at once, also those that end outside of it.
fn rows<'a>(
    map: &'a TensorMap,
    at: &'a [i32; MOST_DIMENSIONS],
    changes: bool,
) -> impl Iterator<Item = BoxRow> + 'a {
    let bytes = map.element.bytes();
    let clipped = |coordinate: i64| coordinate.clamp(0, i64::from(map.box_sizes[0])) as u32;
    let from = clipped(-i64::from(at[0]));
    let to = clipped(map.sizes[0] as i64 - i64::from(at[0])).max(from);
    let pitch = map.row_bytes().max(map.swizzle);
    (0..map.rows()).map(move |row| {
        let (mut left, mut global, mut is_inside) = (row, map.base, to > from);
        for dimension in 1..map.dimensions {
            let count = map.copied(dimension);
            let coordinate =
                i64::from(at[dimension]) + i64::from(left % count) * i64::from(map.steps[dimension]);
            left /= count;
            is_inside &= (0..map.sizes[dimension] as i64).contains(&coordinate);
            let stride = map.strides[dimension - 1];
            global = global.wrapping_add(stride.wrapping_mul(coordinate.cast_unsigned()));
        }
        let start = i64::from(at[0]) + i64::from(from);
        let global = global.wrapping_add_signed(start * i64::from(bytes));
        let end = if changes { (to * bytes).next_multiple_of(GRAIN as u32) } else { to * bytes };
        let inside = if is_inside { from * bytes..end } else { 0..0 };
        BoxRow { global: if is_inside { global } else { 0 }, inside, offset: row * pitch }
    })
}

/// A copy of a box.
struct Copy<'a> {
    map: &'a TensorMap,
    rows: &'a [BoxRow],
    /// Where the box lies in shared memory.
    shared: u32,
}

/// Accesses of up to 32 lanes: where each lies in global and in shared memory.
type Places = SmallVec<[(u64, u32); LANES]>;

impl Copy<'_> {
    /// Where a byte of the box lies in shared memory.
    fn place(&self, offset: u32) -> u32 {
        let address = self.shared.wrapping_add(offset);
        let chunks = match self.map.swizzle {
            0 => 0,
            bytes => bytes / GRAIN as u32 - 1,
        };
        address ^ (address >> 7 & chunks) << 4
    }

    /// Calls `access` for what lies inside of the tensor, up to 32 lanes at once, each with at most so many bytes; what is
    /// not as long is accessed element by element.
    fn inside(
        &self,
        most: u32,
        mut access: impl FnMut(&[(u64, u32)], u32) -> Result<(), ExecFault>,
    ) -> Result<(), ExecFault> {
        let each = self.map.element.bytes();
        for unit in [most, each.min(most)] {
            let mut places = Places::new();
            for row in self.rows {
                let whole = row.inside.start.next_multiple_of(most)..row.inside.end / most * most;
                let whole = if whole.is_empty() { row.inside.start..row.inside.start } else { whole };
                let parts = match unit == most {
                    true => [whole, 0..0],
                    false => [row.inside.start..whole.start, whole.end..row.inside.end],
                };
                for byte in parts.into_iter().flat_map(|part| part.step_by(unit as usize)) {
                    let global = row.global + u64::from(byte - row.inside.start);
                    places.push((global, self.place(row.offset + byte)));
                    if places.len() == LANES {
                        access(&places, unit)?;
                        places.clear();
                    }
                }
            }
            if !places.is_empty() {
                access(&places, unit)?;
            }
            if each >= most {
                break;
            }
        }
        Ok(())
    }

    fn load<M: GlobalMemory>(
        &self,
        targets: &Targets,
        environment: &mut Environment<'_, M>,
    ) -> Result<(), ExecFault> {
        let row_bytes = self.map.row_bytes();
        if self.rows.iter().any(|row| row.inside.len() as u32 != row_bytes) {
            self.fill(targets, environment)?;
        }
        let element = self.map.element;
        self.inside(GRAIN as u32, |places, bytes| {
            let (global, shared, mask) = lanes(places);
            let mut values = [[0; LANES]; 4];
            environment.global.load(Lanes::new(&global, mask, bytes), &mut values)?;
            values.iter_mut().flatten().for_each(|word| *word = converted(element, *word));
            targets.store(Lanes::new(&shared, mask, bytes), &values, environment)
        })
    }

    /// The whole box becomes what lies outside of a tensor.
    fn fill<M: GlobalMemory>(
        &self,
        targets: &Targets,
        environment: &mut Environment<'_, M>,
    ) -> Result<(), ExecFault> {
        let word = if self.map.fills_with_nan { NAN } else { 0 };
        let values = [[word; LANES]; 4];
        let row = (0..self.map.row_bytes()).step_by(GRAIN as usize);
        let offsets: Vec<u32> =
            self.rows.iter().flat_map(|it| row.clone().map(|byte| it.offset + byte)).collect();
        for part in offsets.chunks(LANES) {
            let places: Places = part.iter().map(|&offset| (0, self.place(offset))).collect();
            let (_, shared, mask) = lanes(&places);
            targets.store(Lanes::new(&shared, mask, GRAIN as u32), &values, environment)?;
        }
        Ok(())
    }

    fn store<M: GlobalMemory>(&self, environment: &mut Environment<'_, M>) -> Result<(), ExecFault> {
        self.inside(GRAIN as u32, |places, bytes| {
            let (global, shared, mask) = lanes(places);
            let mut values = [[0; LANES]; 4];
            environment.shared.load(Lanes::new(&shared, mask, bytes), &mut values)?;
            environment.global.store(Lanes::new(&global, mask, bytes), &values)?;
            Ok(())
        })
    }

    fn reduce<M: GlobalMemory>(
        &self,
        op: AtomicOp,
        row: u8,
        environment: &mut Environment<'_, M>,
    ) -> Result<(), ExecFault> {
        let ty = self.reduced(op)?;
        self.inside(ty.bytes(), |places, bytes| {
            let (global, shared, mask) = lanes(places);
            let (mut values, mut old) = ([[0; LANES]; 4], [[0; LANES]; 4]);
            environment.shared.load(Lanes::new(&shared, mask, bytes), &mut values)?;
            let lanes = Lanes::new(&global, mask, bytes);
            let (wants_result, destination, operands) = (false, None, &values[..]);
            let request = AtomicRequest { op, ty, lanes, row, operands, wants_result, destination };
            environment.global.atomic(request, &mut old)?;
            Ok(())
        })
    }

    /// What a reduction takes the elements for; an H200 calls all others an illegal instruction.
    fn reduced(&self, op: AtomicOp) -> Result<AtomicType, ExecFault> {
        use AtomicOp::{Add, And, Max, Min, Or, Xor};
        Ok(match (self.map.element, op) {
            (TensorElement::U32, _) => AtomicType::U32,
            (TensorElement::S32, Add | Min | Max | And | Or | Xor) => AtomicType::S32,
            (TensorElement::U64, Add | Min | Max | And | Or | Xor) => AtomicType::U64,
            (TensorElement::S64, Min | Max | And | Or | Xor) => AtomicType::S64,
            (TensorElement::F16, Add | Min | Max) => AtomicType::F16x2,
            (TensorElement::Bf16, Add | Min | Max) => AtomicType::Bf16x2,
            (TensorElement::F64, Add) => AtomicType::F64,
            (element, Add) if element.is_float() => AtomicType::F32,
            (element, _) => {
                let what = format!("elements ({element:?}) that are changed ({op:?}), bytes of one");
                let found = element.bytes().into();
                let expected = "there is no such operation on tensors";
                return Err(wrong(self.map.base, TensorMapFault::Value { what, found, expected }));
            }
        })
    }
}

fn lanes(places: &[(u64, u32)]) -> (PerLane<u64>, PerLane<u64>, LaneMask) {
    let of = |lane: usize| places.get(lane).copied().unwrap_or_default();
    let mask = LaneMask(u32::MAX >> (LANES - places.len()));
    (std::array::from_fn(|lane| of(lane).0), std::array::from_fn(|lane| of(lane).1.into()), mask)
}

/// What becomes of a word of an element on its way to shared memory.
fn converted(element: TensorElement, word: u32) -> u32 {
    let flushes = matches!(element, TensorElement::F32Ftz | TensorElement::Tf32Ftz);
    let word = if flushes && word & 0x7f80_0000 == 0 { word & 0x8000_0000 } else { word };
    match element {
        TensorElement::Tf32 | TensorElement::Tf32Ftz => to_tf32(word),
        _ => word,
    }
}

/// Rounds to the nearest, ties to even; infinities and NaNs stay.
fn to_tf32(word: u32) -> u32 {
    const LOST: u32 = 13;
    if word & 0x7f80_0000 == 0x7f80_0000 {
        return word;
    }
    let half = (1 << (LOST - 1)) - 1 + (word >> LOST & 1);
    (word + half) >> LOST << LOST
}
