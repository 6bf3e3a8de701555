//! Calls of the driver: `vprintf`, `__assertfail`, `malloc`, `free`. Both front ends come here, machine code with the
//! arguments in registers from `R4` on as the calling convention says, the simulator's own compiler with operands.
//!
//! A call acts for each lane in ascending order. What it prints is text at once; what it asks of the heap, which all
//! multiprocessors share, is left in the [`SystemRecord`] for whoever owns the heap.

use crate::LANES;
use crate::Row;
use crate::fault::{AssertionFault, ExecFault, FaultKind, MemoryFault};
use crate::memory::{GlobalMemory, Lanes, windows};
use crate::op::Space;
use crate::op::{Destination, EXTRA_ROWS};
use crate::semantics::flow::Flow;
use crate::semantics::lanes::Machine;
use crate::semantics::print_format::{self, Arguments};
use crate::state::printed::PrintedLine;
use crate::state::warp::ArchitecturalState;
use crate::step::{Environment, Step};
use serde::{Deserialize, Serialize};
use warplab_program::SystemCall;
use warplab_units::{Address, LaneMask, PerLane, stored};

/// The register of the first argument and of the result.
const FIRST: u32 = 4;
/// Registers of arguments: those of `__assertfail`.
const WORDS: usize = 10;
/// The longest text that is read.
const LONGEST_TEXT: usize = 1 << 20;

/// What a system call leaves for the owner of the output and of the heap.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SystemRecord {
    /// What each lane printed, in ascending order.
    pub printed: Vec<(u8, Vec<u8>)>,
    /// What the lanes of each row ask of the heap.
    pub heap: [Option<HeapRequest>; 2],
}

impl SystemRecord {
    /// Takes what was printed by a warp.
    pub fn take_lines(&mut self, warp: &ArchitecturalState) -> Vec<PrintedLine> {
        let line = |(lane, text)| PrintedLine { thread: warp.thread(usize::from(lane)), text };
        self.printed.drain(..).map(line).collect()
    }

    /// Takes what was asked of the heap, row by row.
    pub fn take_heap_requests(&mut self) -> impl Iterator<Item = HeapRequest> {
        std::mem::take(&mut self.heap).into_iter().flatten()
    }
}

/// A `malloc` or `free` of the lanes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapRequest {
    /// Whether memory is given back.
    pub frees: bool,
    /// The row of the warp.
    pub row: u8,
    /// The lanes.
    pub mask: LaneMask,
    /// How many bytes each wants, or the address that each gives back.
    #[serde(with = "stored::array")]
    pub values: PerLane<u64>,
    /// The first of the two registers of the address, for `malloc`.
    pub destination: Option<u8>,
}

/// The arguments are in registers from `R4` on, the result goes there; the call returns to the next instruction.
pub(crate) fn by_registers<M: GlobalMemory>(
    flow: &mut Flow<'_>,
    call: SystemCall,
    environment: &mut Environment<'_, M>,
) -> Result<Step, ExecFault> {
    act_by_row(flow, call, environment, |m, environment| {
        let words: [Row; WORDS] = std::array::from_fn(|word| m.warp.register(FIRST + word as u32));
        let destination = Some(FIRST as u8);
        let result = act(m, call, &words, destination, environment)?;
        if let Some(result) = result {
            m.warp.write_rows(FIRST, &[result], LaneMask(m.mask));
        }
        Ok(())
    })
}

/// The arguments are operands: for `__assertfail` message and file, the line, the function.
pub(crate) fn by_operands<M: GlobalMemory>(
    flow: &mut Flow<'_>,
    call: SystemCall,
    environment: &mut Environment<'_, M>,
) -> Result<Step, ExecFault> {
    act_by_row(flow, call, environment, |m, environment| row_by_operands(m, call, environment))
}

/// The lower row calls, then the upper; the warp goes on at the next instruction.
fn act_by_row<'e, M: GlobalMemory>(
    flow: &mut Flow<'_>,
    call: SystemCall,
    environment: &mut Environment<'e, M>,
    act: impl Fn(&mut Machine<'_>, &mut Environment<'e, M>) -> Result<(), ExecFault>,
) -> Result<Step, ExecFault> {
    *environment.system = SystemRecord::default();
    for row in 0..flow.warp.rows() {
        let mut machine = flow.row(row);
        if machine.mask != 0 {
            act(&mut machine, environment).map_err(|fault| fault.of_row(row))?;
        }
    }
    flow.warp.paths.advance();
    Ok(Step::System { call })
}

fn row_by_operands<M: GlobalMemory>(
    m: &mut Machine<'_>,
    call: SystemCall,
    environment: &mut Environment<'_, M>,
) -> Result<(), ExecFault> {
    let mut words = [[0; LANES]; WORDS];
    if call == SystemCall::AssertFail {
        m.words(0, &mut words[..4]);
        m.words(1, &mut words[4..5]);
        m.words(2, &mut words[6..8]);
    } else {
        m.words(0, &mut words[..2]);
        m.words(1, &mut words[2..4]);
    }
    let own = m.warp.rows.len() - EXTRA_ROWS;
    let destination = match m.op.destination {
        Destination::Row(row) if usize::from(row) < own => u8::try_from(row).ok(),
        _ => None,
    };
    let result = act(m, call, &words, destination, environment)?;
    if let Some(result) = result {
        m.write(&result);
    }
    Ok(())
}

/// What the call does for the lanes; its result, where that is known at once.
fn act<M: GlobalMemory>(
    m: &mut Machine<'_>,
    call: SystemCall,
    words: &[Row; WORDS],
    destination: Option<u8>,
    environment: &mut Environment<'_, M>,
) -> Result<Option<Row>, ExecFault> {
    let mask = LaneMask(m.mask);
    let wide =
        |word: usize, lane: usize| u64::from(words[word][lane]) | u64::from(words[word + 1][lane]) << 32;
    match call {
        SystemCall::Print => {
            let mut results = [0; LANES];
            for lane in mask.lanes() {
                let mut memory = LaneMemory { local: &m.warp.local, lane, environment };
                let (text, count) = print(&mut memory, wide(0, lane), wide(2, lane))?;
                results[lane] = count.cast_unsigned();
                environment.system.printed.push((m.warp.number * LANES as u8 + lane as u8, text));
            }
            Ok(Some(results))
        }
        SystemCall::AssertFail => {
            let lane = mask.lowest().unwrap_or(0);
            let mut memory = LaneMemory { local: &m.warp.local, lane, environment };
            let mut text = |address: u64| -> Result<String, ExecFault> {
                let bytes = if address == 0 { Vec::new() } else { memory.text(address)? };
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            };
            Err(ExecFault::Assertion(Box::new(AssertionFault {
                message: text(wide(0, lane))?,
                file: text(wide(2, lane))?,
                line: words[4][lane],
                function: text(wide(6, lane))?,
                lane: lane as u8,
                others: mask.count() - 1,
            })))
        }
        SystemCall::Allocate | SystemCall::Free => {
            let frees = call == SystemCall::Free;
            let values = std::array::from_fn(|lane| wide(0, lane));
            let destination = destination.filter(|_| !frees);
            environment.system.heap[usize::from(m.warp.number)] =
                Some(HeapRequest { frees, row: m.warp.number, mask, values, destination });
            Ok(None)
        }
    }
}

/// The text of one `printf` and its result: how many arguments it took, or -1 without a format.
fn print<M: GlobalMemory>(
    memory: &mut LaneMemory<'_, '_, M>,
    format: u64,
    arguments: u64,
) -> Result<(Vec<u8>, i32), ExecFault> {
    if format == 0 {
        return Ok((Vec::new(), -1));
    }
    let format = memory.text(format)?;
    print_format::write(&format, &mut PrintArguments { memory, next: arguments })
}

/// The arguments of one `printf`: one after another in memory, each at a multiple of its size.
struct PrintArguments<'m, 'a, 'e, M> {
    memory: &'m mut LaneMemory<'a, 'e, M>,
    next: u64,
}

impl<M: GlobalMemory> PrintArguments<'_, '_, '_, M> {
    fn take(&mut self, bytes: u32) -> Result<u64, ExecFault> {
        let at = self.next.next_multiple_of(u64::from(bytes));
        self.next = at.wrapping_add(u64::from(bytes));
        self.memory.load(at, bytes)
    }
}

impl<M: GlobalMemory> Arguments for PrintArguments<'_, '_, '_, M> {
    type Fault = ExecFault;

    fn word(&mut self) -> Result<u32, ExecFault> {
        self.take(4).map(|value| value as u32)
    }

    fn double_word(&mut self) -> Result<u64, ExecFault> {
        self.take(8)
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>, ExecFault> {
        self.memory.text(address)
    }
}

/// Memory as one lane sees it by generic addresses.
struct LaneMemory<'a, 'e, M> {
    local: &'a [Row],
    lane: usize,
    environment: &'a mut Environment<'e, M>,
}

impl<M: GlobalMemory> LaneMemory<'_, '_, M> {
    /// A value of 1, 4 or 8 bytes.
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, ExecFault> {
        if windows::is_local(address) {
            return self.load_local(address & 0xffff_ffff, bytes);
        }
        let shared = windows::is_shared(address);
        let mut addresses = [0; LANES];
        addresses[self.lane] = if shared { address & 0xffff_ffff } else { address };
        let lanes = Lanes::new(&addresses, LaneMask(1 << self.lane), bytes);
        let mut out = [[0; LANES]; 4];
        if shared {
            self.environment.shared.load(lanes, &mut out)?;
        } else {
            self.environment.global.load(lanes, &mut out)?;
        }
        let upper = if bytes == 8 { out[1][self.lane] } else { 0 };
        Ok(u64::from(out[0][self.lane]) | u64::from(upper) << 32)
    }

    fn load_local(&self, offset: u64, bytes: u32) -> Result<u64, ExecFault> {
        let word = |index: u64| {
            let row = self.local.get(usize::try_from(index).ok()?)?;
            Some(u64::from(row[self.lane]))
        };
        let kind = if offset.is_multiple_of(u64::from(bytes)) {
            FaultKind::OutOfBounds
        } else {
            FaultKind::Misaligned
        };
        let low = word(offset / 4).filter(|_| kind == FaultKind::OutOfBounds);
        let high = if bytes == 8 { word(offset / 4 + 1) } else { Some(0) };
        match low.zip(high) {
            Some((low, high)) if bytes == 1 => Ok((low | high << 32) >> (offset % 4 * 8) & 0xff),
            Some((low, high)) => Ok(low | high << 32),
            None => Err(ExecFault::Memory(MemoryFault {
                kind,
                space: Space::Local,
                address: Address(offset),
                bytes,
                lane: self.lane as u8,
                nearest: None,
            })),
        }
    }

    /// A text up to its zero byte.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, ExecFault> {
        let mut bytes = Vec::new();
        for at in (address..).take(LONGEST_TEXT) {
            match self.load(at, 1)? as u8 {
                0 => return Ok(bytes),
                byte => bytes.push(byte),
            }
        }
        Err(ExecFault::EndlessText { address, limit: LONGEST_TEXT, lane: self.lane as u8 })
    }
}
