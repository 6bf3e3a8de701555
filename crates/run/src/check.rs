//! Which kernels of a program can run, and all reasons why one cannot.

use crate::compile::{CompileOptions, Language, compile_some, language};
use std::fmt;
use std::path::Path;
use warplab_config::GpuConfig;
use warplab_diagnostics::{Diagnostic, Source};
use warplab_exec::{Code, LaunchShape, MemoryImage, allocate_globals};
use warplab_gpu::{LaunchRequest, prepare};
use warplab_program::{Kernel, Program, Reason, RefusedKernel, listing};
use warplab_ptx::tree::{Block, Statement};

/// Where a reason stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReasonPlace {
    /// In the whole kernel.
    Nowhere,
    /// At a line of the text.
    Line(u32),
    /// At an address of the kernel's machine code.
    Address(u64),
}

impl fmt::Display for ReasonPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReasonPlace::Nowhere => Ok(()),
            ReasonPlace::Line(line) => write!(f, "line {line}"),
            ReasonPlace::Address(address) => write!(f, "{address:#06x}"),
        }
    }
}

/// One kernel.
#[derive(Clone, Debug)]
pub struct KernelReport {
    /// Its name.
    pub name: String,
    /// Why it cannot run; empty if it can.
    pub reasons: Vec<(ReasonPlace, String)>,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct ProgramReport {
    /// What it is: PTX, a listing.
    pub what: &'static str,
    /// Instructions of the text.
    pub instructions: u64,
    /// The faults outside all kernels, which keep every one from running.
    pub file: Vec<Diagnostic>,
    /// The kernels, in the order of the text.
    pub kernels: Vec<KernelReport>,
    /// The faults that have a place in a text that a person wrote, and warnings, each once.
    pub shown: Vec<Diagnostic>,
}

impl ProgramReport {
    /// Whether everything can run.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.file.is_empty() && self.kernels.iter().all(|kernel| kernel.reasons.is_empty())
    }
}

/// Message and advice.
#[must_use]
pub fn message(fault: &Diagnostic) -> String {
    Reason::from(fault.clone()).to_string()
}

/// Reads a program and tries every kernel.
#[must_use]
pub fn report(file: &Path, source: &Source, config: &GpuConfig) -> ProgramReport {
    match language(file, &source.text) {
        Language::Ptx => of_ptx(source, config),
        Language::Listing => of_listing(file, source, config),
    }
}

fn of_ptx(source: &Source, config: &GpuConfig) -> ProgramReport {
    let parsed = warplab_ptx::parse(source);
    let names: Vec<&str> = parsed.module.entries().map(|kernel| kernel.name.as_str()).collect();
    let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
    let mut report = ProgramReport {
        what: "PTX",
        instructions: bodies.map(instructions).sum(),
        ..ProgramReport::default()
    };
    match compile_some(&parsed, source, config, CompileOptions::default(), &|_| true) {
        Ok((lowered, warnings)) => {
            report.kernels = kernels(&lowered.program, source, config, false);
            report.shown = warnings;
            report.shown.extend(lowered.program.refused.iter().flat_map(RefusedKernel::faults));
            // What no kernel calls is told too.
            report.shown.extend(parsed.diagnostics.iter().filter(|it| it.is_error()).cloned());
        }
        Err(faults) => {
            let reason = |fault: &Diagnostic| (line(source, fault), message(fault));
            report.kernels = names
                .iter()
                .map(|name| KernelReport {
                    name: (*name).to_owned(),
                    reasons: faults.iter().map(reason).collect(),
                })
                .collect();
            report.file = faults;
            report.shown.clone_from(&parsed.diagnostics);
            report.shown.extend(report.file.iter().cloned());
        }
    }
    let order = |name: &str| names.iter().position(|known| *known == name);
    report.kernels.sort_by_key(|kernel| order(&kernel.name));
    once(&mut report.shown);
    report
}

fn of_listing(file: &Path, source: &Source, config: &GpuConfig) -> ProgramReport {
    let (program, faults) = listing::read(source);
    let read = program.kernels.iter().chain(program.refused.iter().map(|refused| &refused.kernel));
    let instructions = read.map(|kernel| kernel.instructions.len() as u64).sum();
    let extension = file.extension().map(|extension| extension.to_ascii_lowercase());
    let machine_code = extension.is_some_and(|it| it == "cubin" || it == "cu");
    let mut report = ProgramReport { what: "a listing", instructions, ..ProgramReport::default() };
    report.kernels = kernels(&program, source, config, machine_code);
    if !machine_code {
        report.shown = program.refused.iter().flat_map(RefusedKernel::faults).chain(faults.clone()).collect();
    }
    for kernel in &mut report.kernels {
        kernel.reasons.extend(faults.iter().map(|fault| (line(source, fault), message(fault))));
    }
    report.file = faults;
    once(&mut report.shown);
    report
}

/// In the order of the text, each once.
fn once(faults: &mut Vec<Diagnostic>) {
    faults.sort_by(|a, b| (a.span.start, &a.message).cmp(&(b.span.start, &b.message)));
    faults.dedup();
}

fn line(source: &Source, fault: &Diagnostic) -> ReasonPlace {
    ReasonPlace::Line(source.line(fault.span.start))
}

/// Every kernel of a program, those that could be read first.
fn kernels(program: &Program, source: &Source, config: &GpuConfig, machine_code: bool) -> Vec<KernelReport> {
    let mut image = MemoryImage::new();
    let symbols = allocate_globals(program, &mut image);
    // One small block, or one cluster of them, with arguments that are zero.
    let cannot_start = |kernel: &Kernel| match &symbols {
        Ok(symbols) => {
            let shape = LaunchShape {
                grid: kernel.cluster.unwrap_or([1; 3]),
                block: kernel.required_block.unwrap_or([1, 1, 1]),
                dynamic_shared_bytes: 0,
            };
            let parameters = parameters(kernel);
            let launch =
                LaunchRequest { program, kernel: &kernel.name, shape, parameters: &parameters, symbols };
            prepare(config, &launch).err().map(|fault| fault.to_string())
        }
        Err(fault) => Some(fault.to_string()),
    };
    let read = program.kernels.iter().map(|kernel| {
        // With more registers than can be named every instruction would be a reason.
        let nameable = kernel.registers <= 255;
        let mut reasons = if nameable { not_executed(kernel, machine_code) } else { Vec::new() };
        if reasons.is_empty() {
            reasons.extend(cannot_start(kernel).map(|message| (ReasonPlace::Nowhere, message)));
        }
        KernelReport { name: kernel.name.clone(), reasons }
    });
    let refused = program.refused.iter().map(|refused| {
        let place = |reason: &Reason| match reason.address {
            Some(address) => ReasonPlace::Address(address),
            None if machine_code => ReasonPlace::Nowhere,
            None => line(source, &reason.fault),
        };
        let text = |reason: &Reason| (place(reason), message(&reason.fault));
        let mut reasons: Vec<(ReasonPlace, String)> = refused.reasons.iter().map(text).collect();
        reasons.extend(not_executed(&refused.kernel, machine_code));
        reasons.sort_by_key(|(place, _)| *place);
        KernelReport { name: refused.kernel.name.clone(), reasons }
    });
    read.chain(refused).collect()
}

/// The instructions that cannot be executed.
fn not_executed(kernel: &Kernel, machine_code: bool) -> Vec<(ReasonPlace, String)> {
    let faults = Code::decode(kernel).err().unwrap_or_default();
    let place =
        |address, line| if machine_code { ReasonPlace::Address(address) } else { ReasonPlace::Line(line) };
    faults
        .into_iter()
        .map(|fault| {
            (place(fault.address, fault.line), format!("'{}': {}", fault.instruction, fault.message))
        })
        .collect()
}

/// As many zeros as a kernel has parameters.
fn parameters(kernel: &Kernel) -> Vec<u8> {
    let ends = kernel.parameters.iter().map(|it| u64::from(it.offset) + u64::from(it.bytes));
    vec![0; ends.max().and_then(|end| usize::try_from(end).ok()).unwrap_or(0)]
}

/// Instructions of a block and of the blocks inside it.
fn instructions(block: &Block) -> u64 {
    let count = |statement: &Statement| match statement {
        Statement::Instruction(_) => 1,
        Statement::Block(inner) => instructions(inner),
        _ => 0,
    };
    block.statements.iter().map(count).sum()
}
