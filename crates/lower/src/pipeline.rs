//! The passes in their order, kernel by kernel.

use crate::code::{Code, number};
use crate::fit::Unordered;
use crate::flat::{Flattened, Flattener, Globals, Unit};
use crate::functions::Functions;
use crate::link::{self, Part};
use crate::schedule::Ordered;
use crate::{
    LowerOptions, Lowered, Pass, PassLog, aggregate, ahead, balance, behind, clean, cold, common, constants,
    control, counters, dead, doubles, dump, empty_loads, far_results, fit, fold, frames, globals, ignored,
    known, legal, limits, logic, masks, motion, neighbours, offsets, parameters, permute, predicate,
    reconverge, reread, reuse, schedule, select, settle, sums, tables, twins, uniform, unroll, vectorise,
    zeros,
};
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_diagnostics::{Diagnostic, Source, Span};
use warplab_program::kernel::launch_constants;
use warplab_program::{
    ConstantBank, Instruction, Kernel, LatencyClass, Opcode, Operand, Program, Reason, RefusedKernel,
    Register, Relocation, TargetLimits,
};
use warplab_ptx::tree::{Attribute, Function, Module};

/// Lowers the wanted kernels of a module. One that cannot be lowered is refused, the others are not.
///
/// # Errors
/// What is wrong with the module's variables.
pub(crate) fn run(
    module: &Module,
    source: &Source,
    options: &LowerOptions,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut warnings = Vec::new();
    let functions = Functions::new(module);
    let layout = globals::lay_out(module, &functions, &mut warnings);
    if warnings.iter().any(Diagnostic::is_error) {
        return Err(warnings);
    }
    let mut files = FxHashMap::default();
    let mut names = Vec::new();
    for file in &module.files {
        let Ok(number) = u16::try_from(names.len()) else {
            let message =
                "more than 65,536 files are named with .file; the lines of further ones are not known";
            warnings.push(Diagnostic::warning(Span::default(), message));
            break;
        };
        files.insert(file.index, number);
        names.push(file.path.clone());
    }
    let mut program =
        Program { globals: layout.variables, constants: layout.named, files: names, ..Program::default() };
    let mut log = Vec::new();
    for kernel in module.entries().filter(|kernel| kernel.body.is_some() && wanted(&kernel.name)) {
        let (globals, functions) = (&layout.globals, &functions);
        let context = Context { module, source, options, globals, files: &files, functions };
        let mut diagnostics = Vec::new();
        let mut lowered = context.kernel(kernel, &mut log, &mut diagnostics);
        if diagnostics.iter().any(Diagnostic::is_error) {
            let errors = diagnostics.into_iter().filter(Diagnostic::is_error);
            let reasons = errors.map(Reason::from).collect();
            program.refused.push(RefusedKernel::named(&kernel.name, reasons));
            continue;
        }
        lowered.constant_banks.extend(layout.constants.clone());
        program.kernels.push(lowered);
        warnings.extend(diagnostics);
    }
    Ok(Lowered { program, log, warnings })
}

struct Context<'a> {
    module: &'a Module,
    source: &'a Source,
    options: &'a LowerOptions,
    globals: &'a Globals,
    files: &'a FxHashMap<u32, u16>,
    functions: &'a Functions<'a>,
}

/// Runs the passes on one kernel and keeps the log.
struct Runner<'a> {
    options: &'a LowerOptions,
    kernel: &'a str,
    log: &'a mut Vec<PassLog>,
    /// Whether products that are the same every time move in front of loops, and whether one has.
    products: Products,
}

/// Products of a loop that are the same every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Products {
    /// Stay where they are.
    Stay,
    /// Move in front of it; none has.
    Move,
    /// One has moved.
    Moved,
}

impl Runner<'_> {
    fn pass(&mut self, pass: Pass, code: &mut Code, body: impl FnOnce(&mut Code)) {
        if !self.options.passes.contains(pass) && !pass.is_needed() {
            return;
        }
        let before = code.instructions().count();
        body(code);
        self.note(pass, code, before);
    }

    fn invariant(&mut self, code: &mut Code) {
        let (products, mut moved) = (self.products != Products::Stay, false);
        self.pass(Pass::Invariant, code, |code| moved = motion::invariant(code, products));
        if moved {
            self.products = Products::Moved;
        }
    }

    /// Moves and sums go to the pipe that has less to do, where the machine has a multiply-add pipe for them.
    fn balance(&self, instructions: &mut [Instruction], starts: &[usize]) {
        if !self.options.target.heavy_half || !self.options.passes.contains(Pass::Balance) {
            return;
        }
        each_block(instructions, starts, balance::balance);
    }

    /// Operands keep registers for the next instruction, where the machine's register file has few ports.
    fn reuse(&self, instructions: &mut [Instruction], starts: &[usize]) {
        let banks = self.options.target.register_banks;
        if banks == 0 || !self.options.passes.contains(Pass::Reuse) {
            return;
        }
        each_block(instructions, starts, |block| reuse::reuse(block, banks));
    }

    fn note(&mut self, pass: Pass, code: &Code, before: usize) {
        self.log.push(PassLog {
            kernel: self.kernel.to_owned(),
            pass,
            before,
            after: code.instructions().count(),
            text: self.options.dump.contains(pass).then(|| dump::text(code)),
        });
    }
}

impl<'a> Context<'a> {
    fn kernel(
        &self,
        kernel: &'a Function,
        log: &mut Vec<PassLog>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Kernel {
        let parameters = globals::parameters(kernel, diagnostics);
        let offsets: Vec<(String, u32)> = parameters.iter().map(|it| (it.name.clone(), it.offset)).collect();
        let mut lowered = Kernel {
            name: kernel.name.to_string(),
            parameters,
            parameter_base: launch_constants::PARAMETERS,
            ..Kernel::default()
        };
        attributes(kernel, &mut lowered);
        let at_launch = register_limit(kernel, &lowered, &self.options.target.limits);
        let (mut flat, shared) = Flattener::kernel(self.unit(kernel), &offsets, diagnostics);
        let cluster = lowered.cluster.or(self.options.cluster);
        lowered.cluster = cluster;
        flat.cluster = cluster;
        let most = select::register_pool::most_taken(&flat.items).filter(|_| names_its_registers(kernel));
        flat.sets_registers = most.is_some();
        let limit = most.map_or(at_launch, |most| most.min(NAMED_REGISTERS).max(at_launch));
        let mut shared = (shared, flat.shared_bytes);
        let mut addresses = Vec::new();
        let mut calls_pointers = flat.calls_pointers;
        let mut compile =
            |flat: &Flattened<'a>, function: &'a Function, diagnostics: &mut Vec<Diagnostic>| {
                let products = Products::Move;
                let mut runner = Runner { options: self.options, kernel: &function.name, log, products };
                let selected =
                    select::select(flat, self.options.contracts, std::mem::take(&mut addresses), diagnostics);
                addresses = selected.addresses;
                lowered.barriers = lowered.barriers.max(selected.barriers);
                if diagnostics.iter().any(Diagnostic::is_error) {
                    return None;
                }
                let part = finish(selected.code, flat.area, limit, &mut runner);
                if part.is_none() {
                    diagnostics.push(Diagnostic::error(
                        *function.name_span,
                        format!("kernel '{}' needs more registers than there are", function.name),
                    ));
                }
                part
            };
        let mut parts: Vec<Part> = compile(&flat, kernel, diagnostics).into_iter().collect();
        // The functions that are called, as they are found.
        let mut wanted: Vec<u32> = Vec::new();
        let mut known: FxHashSet<u32> = FxHashSet::default();
        let (mut next, mut pointers_known) = (0, false);
        while let Some(last) = parts.last() {
            let pointed: &[u32] =
                if calls_pointers && !pointers_known { &self.functions.pointed } else { &[] };
            pointers_known |= calls_pointers;
            let pointed = pointed.iter().copied();
            wanted.extend(link::callees(&last.instructions).chain(pointed).filter(|&it| known.insert(it)));
            let Some(&number) = wanted.get(next) else { break };
            next += 1;
            let function = self.functions.numbered(number);
            let mut flat = Flattener::function(self.unit(function), &mut shared, diagnostics);
            flat.cluster = cluster;
            calls_pointers |= flat.calls_pointers;
            let Some(part) = compile(&flat, function, diagnostics) else { return lowered };
            parts.push(Part { number: Some(number), ..part });
        }
        lowered.static_shared_bytes = shared.1;
        if !addresses.is_empty() {
            lowered.constant_banks.push(address_bank(&addresses));
        }
        let used = parts.iter().map(|part| part.registers).max().unwrap_or(0);
        lowered.registers = if most.is_some() { at_launch } else { used };
        match limits::local_bytes(link::stack_bytes(&parts, calls_pointers)) {
            Ok(bytes) => lowered.local_bytes = bytes,
            Err(fault) => diagnostics.push(Diagnostic::error(*kernel.name_span, fault)),
        }
        (lowered.instructions, lowered.functions) = link::link(parts, self.functions);
        lowered
    }

    fn unit(&self, function: &'a Function) -> Unit<'a, 'a> {
        let Context { module, source, globals, files, functions, .. } = *self;
        Unit { module, source, globals, files, functions, function }
    }
}

/// Machine code of what was selected; `area` is what the caller of a function passes. `None` where registers run out. Where values
/// find no register, products stay in their loops if that spares it.
fn finish(code: Code, area: u32, limit: u32, runner: &mut Runner<'_>) -> Option<Part> {
    let (selected, logged) = (code.clone(), runner.log.len());
    let first = attempt(code, area, limit, runner);
    let spills = first.as_ref().is_none_or(|part| part.frame > selected.local_bytes);
    if !spills || runner.products != Products::Moved {
        return first;
    }
    let log = runner.log.split_off(logged);
    runner.products = Products::Stay;
    let second = attempt(selected, area, limit, runner);
    let frame = |part: &Option<Part>| part.as_ref().map_or(u32::MAX, |part| part.frame);
    if frame(&second) < frame(&first) {
        return second;
    }
    runner.log.truncate(logged);
    runner.log.extend(log);
    first
}

/// Machine code, with or without products moved.
fn attempt(mut code: Code, area: u32, limit: u32, runner: &mut Runner<'_>) -> Option<Part> {
    runner.note(Pass::Select, &code, 0);
    predicate::tidy(&mut code);
    optimise(runner, &mut code);
    let may_order = runner.options.passes.contains(Pass::Schedule);
    let may_try = may_order && area == 0 && !code.calls && code.instructions().count() <= MOST_TRIED;
    let before = may_try.then(|| code.clone());
    let target = &runner.options.target;
    let mut found = Ordered::default();
    runner.pass(Pass::Schedule, &mut code, |code| found = schedule::schedule(code, target, limit, None));
    if area > 0 {
        frames::keep_barriers(&mut code);
    }
    if code.calls {
        frames::keep_across_calls(&mut code);
    }
    let used = match &before {
        Some(before) => fit::fit(&mut code, &Unordered { code: before, found }, limit, runner.options)?,
        None => fit::registers(&mut code, limit, runner.options)?,
    };
    if area > 0 {
        frames::frame_function(&mut code, area);
    } else {
        frames::lower_stack(&mut code);
    }
    // Who wants no order of the compiler's keeps the one as written.
    if may_order {
        runner.pass(Pass::Settle, &mut code, |code| settle::settle(code, target));
    }
    let cycles = |class| target.latencies.cycles(class);
    if cycles(LatencyClass::Clock) <= cycles(LatencyClass::Alu) {
        zeros::join(&mut code);
    }
    empty_loads::add(&mut code);
    far_results::part(&mut code);
    let before = code.instructions().count();
    runner.note(Pass::Allocate, &code, before);
    runner.pass(Pass::Layout, &mut code, cold::behind);
    let (mut instructions, starts) = lay_out(&code);
    runner.balance(&mut instructions, &starts);
    runner.reuse(&mut instructions, &starts);
    control::control(&mut instructions, &starts, &runner.options.target);
    runner.note(Pass::Control, &code, before);
    Some(Part { number: None, instructions, registers: used.registers, frame: code.local_bytes })
}

/// Other orders are tried for so many instructions at most.
const MOST_TRIED: usize = 2048;

/// Takes out what is not needed.
fn clean(runner: &mut Runner<'_>, code: &mut Code) {
    runner.pass(Pass::Copies, code, clean::copies);
    runner.pass(Pass::Fold, code, |code| {
        fold::fold(code);
        masks::masks(code);
        logic::logic(code);
        permute::permute(code);
        ignored::leave(code);
    });
    runner.pass(Pass::Common, code, |code| {
        tables::reuse(code);
        common::common_subexpressions(code);
    });
    runner.pass(Pass::Dead, code, dead::dead_code);
    runner.invariant(code);
}

/// Puts constants in the place of what computes them.
fn with_constants(runner: &mut Runner<'_>, code: &mut Code) {
    runner.pass(Pass::Fold, code, |code| {
        if known::known(code) {
            predicate::tidy(code);
        }
    });
}

/// Unrolls loops, and puts constants in the place of what counted; whether there was a loop.
fn unrolled(runner: &mut Runner<'_>, code: &mut Code) -> bool {
    let mut found = false;
    runner.pass(Pass::Unroll, code, |code| found = unroll::unroll(code));
    if found {
        predicate::tidy(code);
        // What a counter is behind its loop mostly nobody needs.
        runner.pass(Pass::Dead, code, dead::dead_code);
        with_constants(runner, code);
    }
    found
}

/// The passes between selection and the order of instructions.
fn optimise(runner: &mut Runner<'_>, code: &mut Code) {
    clean(runner, code);
    with_constants(runner, code);
    clean(runner, code);
    reconverge::mark_yields(code);
    let is_unrolled = unrolled(runner, code);
    unroll::mark_nested(code);
    runner.pass(Pass::Offsets, code, offsets::offsets);
    runner.pass(Pass::Constants, code, constants::constants);
    if is_unrolled {
        clean(runner, code);
    }
    let options = runner.options;
    let target = &options.target;
    let longest = target.choices.predicated_instructions as usize;
    // Its results are in uniform registers, which lanes in other functions would overwrite.
    if !code.calls {
        runner.pass(Pass::Aggregate, code, |code| aggregate::aggregate(code, target.reduces_lanes));
    }
    runner.pass(Pass::Predicate, code, |code| predicate::predicate(code, longest));
    // Loops whose branches have become predicates.
    reconverge::mark_yields(code);
    if unrolled(runner, code) {
        clean(runner, code);
    }
    runner.pass(Pass::Ahead, code, ahead::ahead);
    runner.pass(Pass::Copies, code, |code| {
        clean::copies(code);
        reread::reread(code);
        reread::merge(code);
    });
    runner.pass(Pass::Dead, code, dead::dead_code);
    runner.pass(Pass::Behind, code, behind::behind);
    runner.pass(Pass::Predicate, code, sums::guard);
    runner.pass(Pass::Legalise, code, legal::legalise);
    runner.invariant(code);
    runner.pass(Pass::Sink, code, |code| {
        parameters::reread_constants(code);
        motion::sink(code);
    });
    runner.pass(Pass::Vectorise, code, |code| {
        neighbours::join_constants(code);
        vectorise::vectorise(code);
    });
    runner.pass(Pass::Copies, code, twins::join);
    // Not where functions are called, as above.
    if !code.calls && uniform::is_quick(target) {
        runner.pass(Pass::Uniform, code, |code| {
            doubles::constants(code);
            counters::counters(code);
            uniform::uniform(code);
        });
    }
    runner.pass(Pass::Reconverge, code, reconverge::reconverge);
}

/// Registers that an instruction can name.
const NAMED_REGISTERS: u32 = Register::ZERO.0;
/// Registers with which every kernel can be compiled.
const FEWEST_REGISTERS: u32 = 16;

/// How many registers a thread may have, by the machine and by what the kernel says.
fn register_limit(kernel: &Function, lowered: &Kernel, target: &TargetLimits) -> u32 {
    let mut limit = target.registers_per_thread.min(NAMED_REGISTERS);
    let mut blocks = 1;
    for attribute in &kernel.attributes {
        match attribute {
            Attribute::MaxRegisters(count) => limit = limit.min(*count),
            Attribute::MinBlocks(count) => blocks = blocks.max(*count),
            _ => {}
        }
    }
    if let Some(block) = lowered.required_block.or(lowered.max_block) {
        limit = limit.min(target.registers_for(block, blocks));
    }
    limit.max(FEWEST_REGISTERS)
}

/// Whether a kernel says how many registers it has at launch, so that it can take more (`setmaxnreg`).
fn names_its_registers(kernel: &Function) -> bool {
    let names =
        |attribute: &Attribute| matches!(attribute, Attribute::MaxRegisters(_) | Attribute::MinBlocks(_));
    kernel.attributes.iter().any(names)
}

fn attributes(kernel: &Function, lowered: &mut Kernel) {
    let shape = |counts: &[u32]| {
        let at = |index: usize| counts.get(index).copied().unwrap_or(1);
        [at(0), at(1), at(2)]
    };
    for attribute in &kernel.attributes {
        match attribute {
            Attribute::MaxThreads(counts) => lowered.max_block = Some(shape(counts)),
            Attribute::RequiredThreads(counts) => lowered.required_block = Some(shape(counts)),
            Attribute::RequiredCluster(counts) => lowered.cluster = Some(shape(counts)),
            _ => {}
        }
    }
}

/// Bank 4: the addresses of variables in global memory.
fn address_bank(addresses: &[(String, i64)]) -> ConstantBank {
    ConstantBank {
        bank: 4,
        bytes: vec![0; addresses.len() * 8],
        relocations: addresses
            .iter()
            .zip((0_u32..).step_by(8))
            .map(|((symbol, addend), offset)| Relocation { offset, symbol: symbol.clone(), addend: *addend })
            .collect(),
    }
}

/// Does something with the instructions of every block, which start there.
fn each_block(instructions: &mut [Instruction], starts: &[usize], work: impl Fn(&mut [Instruction])) {
    let ends = starts.iter().skip(1).copied().chain([instructions.len()]);
    for (start, end) in starts.iter().copied().zip(ends) {
        work(&mut instructions[start..end]);
    }
}

/// One list of instructions; branch targets become indices into it. Also where the blocks start.
fn lay_out(code: &Code) -> (Vec<Instruction>, Vec<usize>) {
    let mut firsts = Vec::with_capacity(code.blocks.len());
    let mut count = 0;
    for block in &code.blocks {
        firsts.push(count);
        count += block.instructions.len();
    }
    let mut instructions: Vec<Instruction> = code.instructions().cloned().collect();
    for instruction in &mut instructions {
        for operand in &mut instruction.operands {
            if let Operand::Target(block) = operand {
                *block = number(firsts.get(*block as usize).copied().unwrap_or(count));
            }
        }
    }
    if instructions.last().is_none_or(Instruction::falls_through) || firsts.last() == Some(&count) {
        instructions.push(Instruction::new(Opcode::Exit, [], []));
    }
    let mut starts: Vec<usize> = firsts.into_iter().filter(|&start| start < instructions.len()).collect();
    starts.push(0);
    return_addresses(&mut instructions, &mut starts);
    starts.sort_unstable();
    starts.dedup();
    (instructions, starts)
}

/// A call returns to what follows it, which is a block of its own.
fn return_addresses(instructions: &mut [Instruction], starts: &mut Vec<usize>) {
    let mut after = None;
    for (at, instruction) in instructions.iter_mut().enumerate().rev() {
        match instruction.opcode {
            Opcode::Call => {
                starts.push(at + 1);
                after = u32::try_from(at + 1).ok();
            }
            Opcode::Lepc => instruction.operands.extend(after.map(Operand::Target)),
            _ => {}
        }
    }
}
