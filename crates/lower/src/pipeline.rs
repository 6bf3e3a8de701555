//! The passes in their order, kernel by kernel.

use crate::allocate::{self, Failure, Used};
use crate::code::{Code, number};
use crate::flat::{Flattener, Globals};
use crate::{
    Lowered, Options, Pass, PassLog, aggregate, clean, control, dead, dump, globals, legal, limits, motion,
    predicate, reconverge, schedule, select, spill, vectorise,
};
use rustc_hash::FxHashMap;
use warplab_diagnostics::{Diagnostic, Source, Span};
use warplab_program::kernel::launch_constants;
use warplab_program::{
    ConstantBank, Instruction, Kernel, Opcode, Operand, Program, Reason, RefusedKernel, Register, Relocation,
};
use warplab_ptx::tree::{Attribute, Function, Module};

/// Lowers the wanted kernels of a module. One that cannot be lowered is refused, the others are not.
///
/// # Errors
/// What is wrong with the module's variables.
pub(crate) fn run(
    module: &Module,
    source: &Source,
    options: &Options,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut warnings = Vec::new();
    let layout = globals::lay_out(module, &mut warnings);
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
        let context = Context { module, source, options, globals: &layout.globals, files: &files };
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

/// How often registers are given out and values spilled before a kernel is given up.
const MOST_ROUNDS: usize = 64;

struct Context<'a> {
    module: &'a Module,
    source: &'a Source,
    options: &'a Options,
    globals: &'a Globals,
    files: &'a FxHashMap<u32, u16>,
}

/// Runs the passes on one kernel and keeps the log.
struct Runner<'a> {
    options: &'a Options,
    kernel: &'a str,
    log: &'a mut Vec<PassLog>,
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
        let flat =
            Flattener::run(self.module, self.source, self.globals, self.files, kernel, &offsets, diagnostics);
        let selected = select::select(&flat, self.options.contracts, diagnostics);
        let mut code = selected.code;
        let mut lowered = Kernel {
            name: kernel.name.to_string(),
            static_shared_bytes: flat.shared_bytes,
            barriers: selected.barriers,
            parameters,
            parameter_base: launch_constants::PARAMETERS,
            ..Kernel::default()
        };
        attributes(kernel, &mut lowered);
        if !selected.addresses.is_empty() {
            lowered.constant_banks.push(address_bank(&selected.addresses));
        }
        if diagnostics.iter().any(Diagnostic::is_error) {
            return lowered;
        }
        let mut runner = Runner { options: self.options, kernel: &kernel.name, log };
        runner.note(Pass::Select, &code, 0);
        predicate::tidy(&mut code);
        optimise(&mut runner, &mut code);
        match self.registers(kernel, &lowered, &mut runner, &mut code) {
            Some(used) => lowered.registers = used.registers,
            None => diagnostics.push(Diagnostic::error(
                *kernel.name_span,
                format!("kernel '{}' needs more registers than there are", kernel.name),
            )),
        }
        adjust_stack(&mut code);
        lowered.local_bytes = code.local_bytes;
        let before = code.instructions().count();
        runner.note(Pass::Allocate, &code, before);
        let (mut instructions, starts) = lay_out(&code);
        control::control(&mut instructions, &starts, &self.options.latencies);
        runner.note(Pass::Control, &code, before);
        lowered.instructions = instructions;
        lowered
    }

    /// Allocates registers, spilling until they suffice.
    fn registers(
        &self,
        kernel: &Function,
        lowered: &Kernel,
        runner: &mut Runner<'_>,
        code: &mut Code,
    ) -> Option<Used> {
        let limit = register_limit(kernel, lowered).min(self.options.max_registers).clamp(16, 255);
        let coalesce = runner.options.passes.contains(Pass::Coalesce);
        for _ in 0..MOST_ROUNDS {
            match allocate::allocate(code, limit, coalesce) {
                Ok(used) => return Some(used),
                Err(Failure::Spill(registers, predicates)) => {
                    spill::spill(code, &registers);
                    spill::spill_predicates(code, &predicates);
                }
                Err(Failure::Uniform) => return None,
            }
        }
        None
    }
}

/// The passes between selection and allocation.
fn optimise(runner: &mut Runner<'_>, code: &mut Code) {
    for _ in 0..2 {
        runner.pass(Pass::Copies, code, clean::copies);
        runner.pass(Pass::Fold, code, clean::fold);
        runner.pass(Pass::Common, code, clean::common_subexpressions);
        runner.pass(Pass::Dead, code, dead::dead_code);
        runner.pass(Pass::Invariant, code, motion::invariant);
    }
    let reduces = runner.options.reduces_lanes;
    runner.pass(Pass::Aggregate, code, |code| aggregate::aggregate(code, reduces));
    runner.pass(Pass::Predicate, code, predicate::predicate);
    runner.pass(Pass::Copies, code, clean::copies);
    runner.pass(Pass::Dead, code, dead::dead_code);
    runner.pass(Pass::Legalise, code, legal::legalise);
    runner.pass(Pass::Invariant, code, motion::invariant);
    runner.pass(Pass::Sink, code, motion::sink);
    runner.pass(Pass::Vectorise, code, vectorise::vectorise);
    runner.pass(Pass::Reconverge, code, reconverge::reconverge);
    let latencies = runner.options.latencies.clone();
    runner.pass(Pass::Schedule, code, |code| schedule::schedule(code, &latencies));
}

/// How many registers a thread may have by what the kernel says.
fn register_limit(kernel: &Function, lowered: &Kernel) -> u32 {
    let mut limit = 255;
    let mut blocks = 1;
    for attribute in &kernel.attributes {
        match attribute {
            Attribute::MaxRegisters(count) => limit = limit.min(*count),
            Attribute::MinBlocks(count) => blocks = blocks.max(*count),
            _ => {}
        }
    }
    if let Some(block) = lowered.required_block.or(lowered.max_block) {
        limit = limit.min(limits::registers(block, blocks));
    }
    limit
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

/// Moves the stack pointer below the frame.
fn adjust_stack(code: &mut Code) {
    if code.local_bytes == 0 {
        return;
    }
    code.local_bytes = code.local_bytes.next_multiple_of(16);
    let down = Operand::Immediate(code.local_bytes.wrapping_neg());
    let stack = Operand::register(Register(1));
    let adjust = Instruction::new(Opcode::Iadd3, [], [stack, stack, down, Operand::ZERO]);
    let at =
        code.blocks[0].instructions.iter().position(|it| it.opcode == Opcode::Ldc).map_or(0, |at| at + 1);
    code.blocks[0].instructions.insert(at, adjust);
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
    starts.sort_unstable();
    starts.dedup();
    (instructions, starts)
}
