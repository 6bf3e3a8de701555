//! One SM of the toy machine, hand-written code, and a fake L2 that answers every request after the same time.
#![allow(dead_code, missing_docs, unreachable_pub)]

use rustc_hash::FxHashMap;
use std::rc::Rc;
use warplab_config::{GpuConfig, load_gpu};
use warplab_diagnostics::Source;
use warplab_exec::{Code, ConstantBanks, Heap, Init, LaunchFault, LaunchShape, MemoryImage};
use warplab_memory::{Reply, Request};
use warplab_program::instruction::Control;
use warplab_program::listing::read;
use warplab_sm::{BlockStart, Context, HazardTable, LaunchSpec, Sm, SmSpec};
use warplab_trace::{Observer, StallReason, StateInterval, WarpState};
use warplab_units::{Cycle, SmId, WarpMask, WarpSlot};

/// Cycles from a request to its reply.
pub const L2: u64 = 100;
/// Cycles of an epoch.
pub const EPOCH: u64 = 10;
/// Cycles until the first instruction has come from L2 (toy.ron: `l2_latency`).
pub const FIRST: u64 = 10;

/// An instruction that lets the next one issue after some cycles.
pub fn after(stall: u8) -> Control {
    Control { stall, ..Control::default() }
}

/// An instruction whose result a wait counter counts.
pub fn holds(counter: u8) -> Control {
    Control { write_barrier: Some(counter), ..Control::default() }
}

/// An instruction that waits for wait counters: bit i is counter i.
pub fn waits(wait_mask: u8) -> Control {
    Control { wait_mask, ..Control::default() }
}

/// What is run: the machine, the launch, device memory with one buffer at `0x7f0000000000`.
pub struct Bench {
    pub spec: SmSpec,
    pub launch: LaunchSpec,
    pub memory: MemoryImage,
    pub hazards: HazardTable,
}

impl Bench {
    /// Code on blocks of this many threads.
    pub fn new(threads: u32, lines: &[(&str, Control)]) -> Rc<Bench> {
        Bench::on(&toy(&[]), threads, lines)
    }

    /// As [`Bench::new`], on a machine whose instructions come at once: the first issues at cycle 0.
    pub fn without_fetch(threads: u32, lines: &[(&str, Control)]) -> Rc<Bench> {
        let config = toy(&[("l1_latency: 5,", "l1_latency: 0,"), ("l2_latency: 10,", "l2_latency: 0,")]);
        Bench::on(&config, threads, lines)
    }

    /// Code on blocks of this many threads, on a machine.
    pub fn on(config: &GpuConfig, threads: u32, lines: &[(&str, Control)]) -> Rc<Bench> {
        let text: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
        let (program, faults) = read(&Source::new("code", format!(".kernel k\n{text}")));
        assert!(faults.is_empty(), "{faults:?}");
        let mut kernel = program.kernels[0].clone();
        kernel.registers = 64;
        kernel.static_shared_bytes = 1024;
        for (instruction, (_, control)) in kernel.instructions.iter_mut().zip(lines) {
            instruction.control = *control;
        }
        let shape = LaunchShape { grid: [8, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes: 0 };
        let code = Code::decode(&kernel).unwrap_or_else(|faults| panic!("{faults:?}"));
        let constants = ConstantBanks::load(&program, &kernel, &shape, &[], &FxHashMap::default()).unwrap();
        let spec = SmSpec::new(config, 228, 0);
        let hazards = HazardTable::new(&kernel, spec.latencies());
        let launch = LaunchSpec::new(&spec, kernel, code, shape, constants);
        let mut memory = MemoryImage::new();
        memory.allocate("a", 1 << 20, Init::IndexU32);
        Rc::new(Bench { spec, launch, memory, hazards })
    }

    pub fn context(&self) -> Context<'_> {
        Context { spec: &self.spec, launch: &self.launch, memory: &self.memory, hazards: Some(&self.hazards) }
    }

    /// An SM that is watched, with blocks that come one after another at cycle 0.
    pub fn start(self: &Rc<Bench>, blocks: u64) -> Run {
        let mut sm = Sm::new(SmId(0), &self.spec);
        sm.watch_states();
        sm.check_hazards();
        (0..blocks).for_each(|block| sm.give(BlockStart { block, at: Cycle(0), warp_interval: 0 }));
        Run {
            bench: Rc::clone(self),
            sm,
            now: 0,
            requests: Vec::new(),
            seen: Seen::default(),
            ended: Vec::new(),
        }
    }

    /// The run of one block to its end.
    pub fn run(self: &Rc<Bench>) -> Run {
        let mut run = self.start(1);
        run.finish().unwrap();
        run
    }
}

/// The toy machine with some of its text replaced.
pub fn toy(changes: &[(&str, &str)]) -> GpuConfig {
    let mut text = include_str!("../../../../configs/gpus/toy.ron").to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "no {from}");
        text = text.replacen(from, to, 1);
    }
    load_gpu(&Source::new("toy.ron", text)).unwrap()
}

/// What an observer saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Cycle, slot and program counter of every issue.
    pub issues: Vec<(u64, u8, u32)>,
    pub intervals: Vec<StateInterval>,
    pub ends: Vec<(u64, u8)>,
}

impl Observer for Seen {
    fn issued(&mut self, cycle: Cycle, _: SmId, slot: WarpSlot, pc: u32, _: WarpMask) {
        self.issues.push((cycle.0, slot.0, pc));
    }

    fn state(&mut self, _: SmId, interval: StateInterval) {
        self.intervals.push(interval);
    }

    fn warp_ended(&mut self, cycle: Cycle, _: SmId, slot: WarpSlot) {
        self.ends.push((cycle.0, slot.0));
    }
}

/// An SM that runs.
pub struct Run {
    bench: Rc<Bench>,
    pub sm: Sm,
    pub now: u64,
    /// Every request that has left.
    pub requests: Vec<Request>,
    pub seen: Seen,
    /// When blocks have ended.
    pub ended: Vec<u64>,
}

impl Run {
    /// One epoch, and what is exchanged at its end.
    pub fn epoch(&mut self) -> Result<(), Box<LaunchFault>> {
        self.now += EPOCH;
        self.sm.advance(Cycle(self.now), &self.bench.context(), &mut self.seen)?;
        let mut requests = Vec::new();
        self.sm.take_requests(Cycle(self.now), &mut requests);
        for request in &requests {
            let at = request.at + L2;
            self.sm.deliver(Reply {
                sm: request.sm,
                token: request.token,
                bytes: 0,
                shared: false,
                is_far: false,
                at,
            });
        }
        self.requests.extend(requests);
        self.ended.extend(self.sm.ends().drain(..).map(|end| end.at.0));
        let mut heap = Heap::new(&self.bench.memory);
        for index in 0..self.sm.log().len() {
            let result = self.sm.log().apply(index, &self.bench.memory, &mut heap).unwrap();
            result.into_iter().for_each(|result| self.sm.deliver_atomic(&result));
        }
        self.sm.clear_log();
        Ok(())
    }

    /// Epochs until nothing is left to do, at most a thousand.
    pub fn finish(&mut self) -> Result<(), Box<LaunchFault>> {
        for _ in 0..1000 {
            self.epoch()?;
            if self.sm.is_idle() {
                break;
            }
        }
        Ok(())
    }

    /// The cycles in which a slot issued.
    pub fn issues(&self, slot: u8) -> Vec<u64> {
        self.seen.issues.iter().filter(|issue| issue.1 == slot).map(|issue| issue.0).collect()
    }

    /// Warp-cycles of a stall reason.
    pub fn stalled(&self, reason: StallReason) -> u64 {
        self.state(WarpState::Stalled(reason))
    }

    /// Warp-cycles of a state.
    pub fn state(&self, state: WarpState) -> u64 {
        self.sm.counters().schedulers.iter().map(|scheduler| scheduler.states[state.index()]).sum()
    }
}
