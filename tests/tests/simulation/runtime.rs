//! The device runtime: printf, assert, malloc, recursion, virtual functions and pointers to functions, by both roads and
//! in both simulators. `traces/isa/runtime.expected` is what a real H200 printed and computed.

use std::collections::BTreeMap;
use warplab_diagnostics::Source;
use warplab_exec::interpreter::{InterpretedLaunch, Limits, run_printing};
use warplab_exec::{Init, LaunchShape, MemoryImage, PrintedLines, allocate_globals};
use warplab_gpu::RunOptions;
use warplab_program::Program;
use warplab_tests::{compile, gpu, listing, read};

/// Words of each of the two buffers.
const WORDS: u64 = 4096;

/// What a kernel printed and wrote.
#[derive(Debug, PartialEq)]
struct Output {
    printed: String,
    words: Vec<u32>,
}

impl Output {
    /// The lines in alphabetical order: blocks and warps of the hardware print in another order each time.
    fn lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.printed.lines().collect();
        lines.sort_unstable();
        lines
    }

    /// The hash of the words as the program on the hardware takes it.
    fn hash(&self) -> u32 {
        self.words.iter().fold(0x811c_9dc5, |hash: u32, word| (hash ^ word).wrapping_mul(0x0100_0193))
    }
}

/// Which simulator runs a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Engine {
    Interpreter,
    Chip,
}

fn launch(program: &Program, kernel: &str, blocks: u32, n: u32, engine: Engine) -> Result<Output, String> {
    let kernel = program.kernel(kernel).unwrap_or_else(|| panic!("there is no kernel {kernel}"));
    let mut image = MemoryImage::new();
    let out = image.allocate("out", WORDS * 4, Init::Zero);
    let input = image.allocate("in", WORDS * 4, Init::HashI32 { seed: 7 });
    let symbols = allocate_globals(program, &mut image).map_err(|fault| fault.to_string())?;
    let parameters = [&out.0.to_le_bytes()[..], &input.0.to_le_bytes(), &n.to_le_bytes()].concat();
    let shape = LaunchShape { grid: [blocks, 1, 1], block: [64, 1, 1], dynamic_shared_bytes: 0 };
    let mut printed = PrintedLines::default();
    let image = if engine == Engine::Interpreter {
        let what = InterpretedLaunch { program, kernel, shape, parameters: &parameters, symbols: &symbols };
        let limits = Limits { block_instructions: 2_000_000, ..Limits::default() };
        run_printing(&what, &image, limits, &mut printed).map_err(|fault| fault.to_string())?;
        image
    } else {
        let config = gpu("h200");
        let name = &kernel.name;
        let what = warplab_gpu::LaunchRequest {
            program,
            kernel: name,
            shape,
            parameters: &parameters,
            symbols: &symbols,
        };
        let prepared = warplab_gpu::prepare(&config, &what).map_err(|fault| fault.to_string())?;
        let options = RunOptions {
            max_cycles: 20_000_000,
            printed: Some(&mut printed),
            check_hazards: true,
            ..RunOptions::default()
        };
        let (outcome, image) =
            warplab_gpu::run(&config, &prepared, image, options).map_err(|fault| fault.to_string())?;
        // The compiler lets a load follow its descriptor by two cycles in unlinked files; that is no matter of calls.
        let early = |place: &warplab_trace::HazardPlace| place.slot.is_uniform();
        let hazards = outcome.hazards.unwrap_or_default();
        assert!(hazards.found.keys().all(early), "hazards in {name}: {:?}", hazards.found);
        image
    };
    let bytes = image.read_bytes(out, WORDS * 4).map_err(|fault| fault.to_string())?;
    let words =
        bytes.chunks(4).map(|word| word.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte)));
    let printed = String::from_utf8(printed.text()).map_err(|fault| fault.to_string())?;
    Ok(Output { printed, words: words.collect() })
}

/// What the hardware printed for each kernel, with its `n`, and the hash of its words.
fn hardware() -> BTreeMap<String, (u32, Vec<String>, u32)> {
    let mut all = BTreeMap::new();
    let mut name = String::new();
    for line in read("traces/isa/runtime.expected").lines() {
        if let Some((kernel, n)) = line.strip_prefix("== ").and_then(|rest| rest.split_once(" n = ")) {
            name = kernel.to_owned();
            all.insert(name.clone(), (n.parse().expect("a number"), Vec::new(), 0));
        } else if let Some((_, lines, hash)) = all.get_mut(&name) {
            match line.strip_prefix("-- words ") {
                Some(rest) => *hash = u32::from_str_radix(&rest[..8], 16).expect("a hash"),
                None => lines.push(line.to_owned()),
            }
        }
    }
    all.values_mut().for_each(|(_, lines, _)| lines.sort_unstable());
    all
}

/// The H200 prints arguments of `%hhd` that are not those given; the simulator prints them right.
const WRONG_ON_HARDWARE: [&str; 2] = ["[4464] [4464] [91] [104]", "[4464] [4464] [44] [44]"];

fn assert_as_on_hardware(program: &Program, kernels: &[&str]) {
    let hardware = hardware();
    for kernel in kernels {
        let (n, lines, hash) = &hardware[*kernel];
        let wanted: Vec<&str> = lines
            .iter()
            .map(|line| if line == WRONG_ON_HARDWARE[0] { WRONG_ON_HARDWARE[1] } else { line })
            .collect();
        for engine in [Engine::Interpreter, Engine::Chip] {
            let found = launch(program, kernel, 2, *n, engine)
                .unwrap_or_else(|fault| panic!("{kernel}, {engine:?}: {fault}"));
            assert_eq!(found.lines(), wanted, "{kernel}, {engine:?}");
            assert_eq!(found.hash(), *hash, "{kernel}, {engine:?}: {:x?}", &found.words[..64]);
        }
    }
}

const PRINTING: [&str; 5] = ["lines", "conversions", "ways", "heap", "heap_end"];
const CALLING: [&str; 4] = ["recursion", "deep", "shapes", "pointers"];

#[test]
fn printf_and_malloc_of_machine_code_do_what_the_hardware_did() {
    assert_as_on_hardware(&listing("traces/isa/runtime.sass"), &PRINTING);
}

#[test]
fn printf_and_malloc_of_older_machine_code_do_what_the_hardware_did() {
    assert_as_on_hardware(&listing("traces/isa/runtime.sm_80.sass"), &PRINTING);
}

#[test]
fn printf_and_malloc_of_ptx_do_what_the_hardware_did() {
    assert_as_on_hardware(&compile(&gpu("h200"), "traces/isa/runtime.ptx"), &PRINTING);
}

#[test]
fn recursion_and_virtual_calls_of_machine_code_compute_what_the_hardware_did() {
    assert_as_on_hardware(&listing("traces/isa/calls.sass"), &CALLING);
}

#[test]
fn recursion_and_virtual_calls_of_ptx_compute_what_the_hardware_did() {
    assert_as_on_hardware(&compile(&gpu("h200"), "traces/isa/calls.ptx"), &CALLING);
}

#[test]
fn recursion_and_virtual_calls_of_older_machine_code_compute_what_the_hardware_did() {
    assert_as_on_hardware(&listing("traces/isa/calls.sm_80.sass"), &CALLING);
}

#[test]
fn functions_of_linked_files_are_reached_through_vtables_and_tables_of_pointers() {
    assert_as_on_hardware(&listing("traces/isa/calls.linked.sass"), &CALLING);
}

#[test]
fn an_assertion_that_does_not_hold_names_condition_file_line_function_block_and_thread() {
    let place = "block (1,0,0) thread (37,0,0): runtime.cu:";
    let what = "void assertion(unsigned int *, const unsigned int *, unsigned int): assertion `t != 101 && \
                \"thread 101 is not wanted\"` failed";
    for program in [listing("traces/isa/runtime.sass"), compile(&gpu("h200"), "traces/isa/runtime.ptx")] {
        for engine in [Engine::Interpreter, Engine::Chip] {
            let fault = launch(&program, "assertion", 2, 3, engine).unwrap_err();
            assert!(fault.contains(place) && fault.contains(what), "{fault}");
        }
        // Block 0 alone holds no thread 101.
        assert!(launch(&program, "assertion", 1, 3, Engine::Chip).is_ok());
    }
}

#[test]
fn a_stack_that_overflows_is_a_fault() {
    // The hardware goes 15 calls deep and faults at 20.
    let program = listing("traces/isa/calls.sass");
    for engine in [Engine::Interpreter, Engine::Chip] {
        assert!(launch(&program, "deep", 2, 15, engine).is_ok());
        let fault = launch(&program, "deep", 2, 20, engine).unwrap_err();
        assert!(
            fault.contains("the stack overflows: 1024 bytes per thread are not enough, lane 0"),
            "{fault}"
        );
        assert!(fault.contains("deep+0x") && fault.contains("block (0,0,0) thread"), "{fault}");
    }
    // Frames of code from PTX are larger.
    let program = compile(&gpu("h200"), "traces/isa/calls.ptx");
    for engine in [Engine::Interpreter, Engine::Chip] {
        assert!(launch(&program, "deep", 2, 10, engine).is_ok());
        let fault = launch(&program, "deep", 2, 20, engine).unwrap_err();
        assert!(
            fault.contains("the stack overflows: ")
                && fault.contains("bytes per thread are not enough, lane 0"),
            "{fault}"
        );
    }
}

/// A kernel of PTX that is written here.
fn ptx(body: &str) -> Program {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);\n\
         .extern .func (.param .b64 result) malloc (.param .b64 bytes);\n\
         .extern .func free (.param .b64 address);\n\
         .global .align 1 .b8 line[] = {{37, 117, 58, 37, 108, 108, 120, 10, 0}};\n\
         .visible .entry kernel(.param .u64 out, .param .u64 in, .param .u32 n)\n{{\n\
         .local .align 8 .b8 frame[16];\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .pred %p<3>;\n\
         ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n{body}\nret;\n}}\n"
    );
    let config = gpu("h200");
    let source = Source::new("kernel.ptx", text);
    let (lowered, _) = warplab_run::compile(&source, &config, warplab_run::CompileOptions::default())
        .unwrap_or_else(|faults| panic!("{}", warplab_diagnostics::render(&source, &faults)));
    lowered.program
}

const MALLOC: &str = "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %d1; call.uni (b), malloc, (a); ld.param.b64 %d2, [b]; }";
const FREE: &str = "{ .param .b64 a; st.param.b64 [a], %d2; call.uni free, (a); }";
const PRINT: &str = "st.local.u32 [frame], %r0; st.local.u64 [frame+8], %d2; mov.u64 %d3, line; cvta.global.u64 %d3, %d3; \
     mov.u64 %d4, frame; cvta.local.u64 %d4, %d4;\n{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %d3; \
     st.param.b64 [b], %d4; call.uni (c), vprintf, (a, b); ld.param.b32 %r2, [c]; }";

#[test]
fn memory_of_the_heap_is_a_fault_before_malloc_after_free_and_when_freed_twice() {
    let cases = [
        (
            format!("mov.u64 %d1, 40; {MALLOC} {FREE} {FREE}"),
            ": free of 0x",
            "freed before, or malloc did not give it, lane 0",
        ),
        (format!("mov.u64 %d2, 64; {FREE}"), ": free of 0x40, which is not allocated", "lane 0"),
        (
            format!("mov.u64 %d1, 40; {MALLOC} {FREE} st.u32 [%d2], %r0;"),
            "global access of 4 bytes at 0x",
            "is to memory of the heap that is not allocated, or no more",
        ),
        (
            format!("mov.u64 %d1, 40; {MALLOC} ld.u32 %r3, [%d2+4096]; st.u32 [%d2], %r3;"),
            "global access of 4 bytes at 0x",
            "is to memory of the heap that is not allocated, or no more",
        ),
    ];
    for (body, first, second) in cases {
        for engine in [Engine::Interpreter, Engine::Chip] {
            let fault = launch(&ptx(&body), "kernel", 1, 0, engine).unwrap_err();
            assert!(fault.contains(first) && fault.contains(second), "{engine:?}: {fault}");
            assert!(fault.contains("block (0,0,0) thread"), "{fault}");
        }
    }
}

#[test]
fn the_heap_and_the_lines_are_the_same_for_any_number_of_threads() {
    // Every thread asks for another size, prints the address, and every third gives it back.
    let body = format!(
        "mad.lo.u32 %r3, %r1, 7, %r0; mad.lo.u32 %r3, %r3, 24, 8; cvt.u64.u32 %d1, %r3; {MALLOC} {PRINT} \
         rem.u32 %r4, %r0, 3; setp.ne.u32 %p0, %r4, 0; @%p0 bra END; {FREE} END:"
    );
    let program = ptx(&body);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| launch(&program, "kernel", 300, 0, Engine::Chip)).expect("it runs")
    };
    let one = with(1);
    assert_eq!(one.printed.lines().count(), 300 * 64);
    assert!(one.printed.lines().any(|line| line.ends_with(":0")), "the heap is used up");
    assert!(one == with(2) && one == with(5));
}

#[test]
fn a_buffer_of_printf_that_is_full_forgets_the_oldest() {
    let program = listing("traces/isa/runtime.sass");
    let kernel = program.kernel("flood").expect("the kernel");
    let mut image = MemoryImage::new();
    let out = image.allocate("out", WORDS * 4, Init::Zero);
    let symbols = allocate_globals(&program, &mut image).expect("the variables");
    let parameters = [&out.0.to_le_bytes()[..], &out.0.to_le_bytes(), &[0; 4]].concat();
    let shape = LaunchShape { grid: [1, 1, 1], block: [64, 1, 1], dynamic_shared_bytes: 0 };
    let what =
        InterpretedLaunch { program: &program, kernel, shape, parameters: &parameters, symbols: &symbols };
    let mut printed = PrintedLines::default();
    run_printing(&what, &image, Limits::default(), &mut printed).expect("it runs");
    // So many calls of a warp the H200 keeps, the last.
    assert_eq!(printed.by_block().len(), 1056 * 32);
    assert_eq!(printed.lost(), 64_000 - 1056 * 32);
    assert!(String::from_utf8(printed.text()).expect("text").ends_with("line 999 of thread 63\n"));
}

/// A listing with a call through a register to an address.
fn pointer_call(address: &str) -> Program {
    let text = format!(
        ".kernel kernel\n.registers 32\n.shared 0\n.local 0\n.barriers 0\n.parameter_base 0x210\n\
         .parameter 0 offset=0 bytes=8\n.parameter 1 offset=8 bytes=8\n.parameter 2 offset=16 bytes=4\n\
         .function f start=0x70 address=0xe0000010\n\
         MOV R2, {address} ;\nMOV R3, 0x0 ;\nLEPC R20, 0x60 ;\nNOP ;\nNOP ;\nCALL.ABS.NOINC R2 ;\nEXIT ;\n\
         MOV R5, 0x7 ;\nRET.ABS.NODEC R20, 0x0 ;\n"
    );
    let (program, faults) = warplab_program::listing::read(&Source::new("calls.sass", text));
    assert_eq!(faults, []);
    program
}

#[test]
fn a_call_through_a_pointer_that_is_no_function_is_a_fault_and_not_a_hang() {
    for address in ["0x0", "0x10", "0x71", "0x12340", "0xe0000020", "0xffff0040"] {
        for engine in [Engine::Interpreter, Engine::Chip] {
            let fault = launch(&pointer_call(address), "kernel", 1, 0, engine).unwrap_err();
            let wanted = format!("call of {address}, which is no function of the kernel, lane 0");
            assert!(fault.contains(&wanted) && fault.contains("kernel+0x50 (line 16)"), "{fault}");
            assert!(fault.contains("block (0,0,0) thread"), "{fault}");
        }
    }
    // By where it starts, and as pointers hold it.
    for address in ["0x70", "0xe0000010"] {
        for engine in [Engine::Interpreter, Engine::Chip] {
            assert!(launch(&pointer_call(address), "kernel", 1, 0, engine).is_ok());
        }
    }
}

/// Even lanes add to a word of shared memory, odd ones to one of global memory, by one instruction, four times; each sum depends
/// on the value that comes back.
const MIXED: &str = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry mixed(.param .u64 out, .param .u64 in, .param .u32 n) {
.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<3>; .shared .align 4 .b8 s[256];
mov.u32 %r1, %tid.x; ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
mov.u32 %r2, s; cvt.u64.u32 %d4, %r2; cvta.shared.u64 %d5, %d4; add.s64 %d6, %d5, %d2; mov.u32 %r4, 5; st.u32 [%d6], %r4;
and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; selp.b64 %d7, %d6, %d3, %p1; mov.u32 %r6, 0; mov.u32 %r7, 0;
LOOP: and.b32 %r4, %r6, 3; add.u32 %r4, %r4, 1; atom.add.u32 %r8, [%d7], %r4; mad.lo.u32 %r6, %r6, 5, %r8;
add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 4; @%p2 bra LOOP; st.global.u32 [%d3+1024], %r6; ret; }";

#[test]
fn lanes_in_shared_and_in_global_memory_have_their_old_values_before_they_go_on() {
    let source = Source::new("mixed.ptx", MIXED.to_owned());
    let (lowered, _) = warplab_run::compile(&source, &gpu("h200"), warplab_run::CompileOptions::default())
        .unwrap_or_else(|faults| panic!("{}", warplab_diagnostics::render(&source, &faults)));
    let sum = |begin: u32| {
        (0..4).fold((begin, 0), |(word, sum): (u32, u32), _| (word + 1 + (sum & 3), sum * 5 + word)).1
    };
    for engine in [Engine::Interpreter, Engine::Chip] {
        let found = launch(&lowered.program, "mixed", 1, 0, engine).expect("it runs");
        let expected: Vec<u32> = (0..64).map(|lane| sum(if lane % 2 == 0 { 5 } else { 0 })).collect();
        assert_eq!(found.words[256..320], expected, "{engine:?}");
    }
}
