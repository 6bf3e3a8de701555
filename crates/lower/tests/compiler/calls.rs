//! Functions that call themselves, calls through pointers, and calls that would grow a kernel without end are real calls.

use crate::common::options;
use std::fmt::Write;
use std::time::{Duration, Instant};
use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage, allocate_globals};
use warplab_lower::lower;
use warplab_program::listing::instruction_text;
use warplab_program::{Kernel, Modifier, Opcode, Program};

const HEADER: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

fn compile(text: String) -> Result<Program, Vec<String>> {
    let source = Source::new("calls.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    match lower(&parsed.module, &source, &options()) {
        Ok(lowered) => Ok(lowered.program),
        Err(faults) => Err(faults.into_iter().map(|fault| fault.message).collect()),
    }
}

/// What the kernel `k` of one warp writes: a word a lane, from its number.
fn words(program: &Program) -> Result<Vec<u32>, String> {
    let kernel = &program.kernels[0];
    let mut image = MemoryImage::new();
    let out = image.allocate("out", 128, Init::Zero);
    let symbols = allocate_globals(program, &mut image).expect("the variables");
    let shape = LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 };
    let parameters = out.0.to_le_bytes();
    let limits = Limits { block_instructions: 5_000_000, ..Limits::default() };
    run(program, kernel, shape, &parameters, &symbols, &image, limits).map_err(|fault| fault.to_string())?;
    let bytes = image.read_bytes(out, 128).map_err(|fault| fault.to_string())?;
    Ok(bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

/// A kernel that writes what `f0` makes of the number of the lane.
const KERNEL: &str = ".visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %d<4>; ld.param.u64 %d0, [out]; \
     mov.u32 %r0, %tid.x; call (%r1), f0, (%r0); mad.wide.u32 %d1, %r0, 4, %d0; st.global.u32 [%d1], %r1; ret; }\n";

fn function(name: &str, body: &str) -> String {
    format!(
        ".func (.reg .b32 %o) {name}(.reg .b32 %i) {{ .reg .b32 %r<9>; .reg .pred %p<3>; {body} ret; }}\n"
    )
}

fn lanes(of: impl Fn(u32) -> u32) -> Result<Vec<u32>, String> {
    Ok((0..32).map(of).collect())
}

fn calls(kernel: &Kernel) -> usize {
    kernel.instructions.iter().filter(|it| it.opcode == Opcode::Call).count()
}

fn text(kernel: &Kernel) -> String {
    kernel.instructions.iter().map(|it| instruction_text(it) + "\n").collect()
}

#[test]
fn a_function_that_calls_itself_keeps_what_it_needs_on_the_stack() {
    let body = "and.b32 %r1, %i, 7; setp.eq.u32 %p0, %r1, 0; mov.u32 %o, 1; @%p0 bra END; sub.u32 %r2, %r1, 1; \
         call (%r3), f0, (%r2); mul.lo.u32 %o, %r3, %r1; END:";
    let program = compile(format!("{HEADER}{}{KERNEL}", function("f0", body))).expect("it compiles");
    assert_eq!(calls(&program.kernels[0]), 2, "{}", text(&program.kernels[0]));
    assert_eq!(words(&program), lanes(|lane| (1..=lane % 8).product()), "{}", text(&program.kernels[0]));
}

#[test]
fn lanes_that_go_deeper_do_not_meet_those_above_them() {
    // Two calls of itself, each only for the lanes whose bit is set; the depth is in the lowest bits.
    let body = "and.b32 %r1, %i, 7; shr.u32 %o, %i, 3; setp.eq.u32 %p0, %r1, 0; @%p0 bra END; \
         sub.u32 %r1, %r1, 1; mov.u32 %r2, 1; and.b32 %r3, %o, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra PAST; \
         and.b32 %r4, %o, 30; shl.b32 %r4, %r4, 2; or.b32 %r4, %r4, %r1; call (%r5), w, (%r4); add.u32 %r2, %r2, %r5; \
         PAST: mul.lo.u32 %r2, %r2, 3; and.b32 %r3, %o, 2; setp.eq.u32 %p1, %r3, 0; @%p1 bra LAST; \
         shr.u32 %r4, %o, 2; shl.b32 %r4, %r4, 3; or.b32 %r4, %r4, %r1; call (%r5), w, (%r4); add.u32 %r2, %r2, %r5; \
         LAST: mov.u32 %o, %r2; END:";
    let start = "mad.lo.u32 %r1, %i, 40, 3; call (%o), w, (%r1);";
    let program = compile(format!("{HEADER}{}{}{KERNEL}", function("w", body), function("f0", start)));
    fn of(k: u32, depth: u32) -> u32 {
        if depth == 0 {
            return k;
        }
        let first = if k & 1 != 0 { of((k & 30) / 2, depth - 1) } else { 0 };
        3 * (1 + first) + if k & 2 != 0 { of(k / 4, depth - 1) } else { 0 }
    }
    assert_eq!(words(&program.expect("it compiles")), lanes(|lane| of(5 * lane, 3)));
}

#[test]
fn functions_that_call_one_another_return_from_different_depths() {
    // Even and odd; every lane goes as deep as its number.
    let next = |other: &str, end: u32| {
        format!(
            "setp.ne.u32 %p0, %i, 0; mov.u32 %o, {end}; sub.u32 %r2, %i, 1; @%p0 call (%o), {other}, (%r2);"
        )
    };
    let declared = ".func (.reg .b32 %o) f1(.reg .b32 %i);\n";
    let functions = function("f0", &next("f1", 100)) + &function("f1", &next("f0", 200));
    let program = compile(format!("{HEADER}{declared}{functions}{KERNEL}")).expect("it compiles");
    assert_eq!(
        words(&program),
        lanes(|lane| if lane % 2 == 0 { 100 } else { 200 }),
        "{}",
        text(&program.kernels[0])
    );
}

#[test]
fn a_recursion_without_end_overflows_the_stack() {
    let program = compile(format!("{HEADER}{}{KERNEL}", function("f0", "call (%o), f0, (%i);")));
    let fault = words(&program.expect("it compiles")).unwrap_err();
    assert!(fault.contains("the stack overflows: 1040 bytes per thread are not enough"), "{fault}");
}

/// Functions `f0` to `f{count - 1}`, the last first; the body of each is made from its number.
fn chain(count: usize, body: impl Fn(usize) -> String) -> String {
    let mut text = String::from(HEADER);
    for at in (0..count).rev() {
        let body = if at + 1 < count { body(at) } else { String::from("add.u32 %o, %i, 1;") };
        text += &function(&format!("f{at}"), &body);
    }
    text + KERNEL
}

#[test]
fn thirty_functions_that_call_the_next_twice_stay_small() {
    // The second call only for the lanes that have the bit of the function's number set.
    let twice = |at: usize| {
        format!(
            "call (%r1), f{0}, (%i); shr.u32 %r2, %i, {at}; and.b32 %r2, %r2, 1; setp.ne.u32 %p0, %r2, 0; \
             mov.u32 %r3, 0; @%p0 call (%r3), f{0}, (%i); add.u32 %o, %r1, %r3;",
            at + 1
        )
    };
    let program = compile(chain(30, twice)).expect("it compiles");
    let count = program.kernels[0].instructions.len();
    assert!(count < 20_000, "{count} instructions");
    assert_eq!(words(&program), lanes(|lane| (lane + 1) << lane.count_ones()));
    // Few of them are inlined, as before.
    let program = compile(chain(6, twice)).expect("it compiles");
    assert_eq!(calls(&program.kernels[0]), 0);
    assert_eq!(words(&program), lanes(|lane| (lane + 1) << (lane & 31).count_ones()));
}

#[test]
fn twenty_thousand_calls_in_one_another_run() {
    let next = |at: usize| format!("add.u32 %r1, %i, 1; call (%o), f{}, (%r1);", at + 1);
    let begin = Instant::now();
    let program = compile(chain(20_000, next)).expect("it compiles");
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert_eq!(words(&program), lanes(|lane| lane + 20_000));
    assert_eq!(calls(&compile(chain(200, next)).expect("it compiles").kernels[0]), 0);
}

#[test]
fn lanes_call_different_functions_through_a_table() {
    let mut text = String::from(HEADER);
    text += &function("add", "add.u32 %o, %i, 1000;");
    text += &function("square", "mul.lo.u32 %o, %i, %i;");
    text += &function("twice", "call (%r1), square, (%i); shl.b32 %o, %r1, 1;");
    text += ".global .align 8 .u64 table[3] = {add, square, twice};\n";
    let body = "{ .reg .b64 %d<4>; rem.u32 %r1, %i, 4; mov.u64 %d0, table; mad.wide.u32 %d1, %r1, 8, %d0; \
         setp.lt.u32 %p0, %r1, 3; mov.u64 %d2, add; @%p0 ld.global.u64 %d2, [%d1]; \
         P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r2), %d2, (%i), P; add.u32 %o, %r2, %i; }";
    text += &function("f0", body);
    text += KERNEL;
    let program = compile(text).expect("it compiles");
    let kernel = &program.kernels[0];
    let names: Vec<&str> = kernel.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["add", "square", "twice"]);
    let result = |lane: u32| match lane % 4 {
        1 => lane * lane + lane,
        2 => 2 * lane * lane + lane,
        _ => lane + 1000 + lane,
    };
    assert_eq!(words(&program), lanes(result), "{}", self::text(kernel));
    // Lanes that have called different functions meet behind the call.
    let at = kernel.instructions.iter().position(|it| it.opcode == Opcode::Call && it.has(Modifier::Abs));
    let (before, after) = kernel.instructions.split_at(at.expect("the call"));
    let set = before.iter().rfind(|it| it.opcode == Opcode::Bssy).expect("a barrier in front of it");
    let met = after.iter().find(|it| it.opcode == Opcode::Bsync).expect("a meeting behind it");
    assert_eq!(set.operands[0], met.operands[0]);
    // The listing says it all.
    let listing = Source::new("calls.sass", warplab_program::listing::write(&program));
    let (again, faults) = warplab_program::listing::read(&listing);
    assert_eq!(faults, []);
    assert_eq!(again.kernels[0].functions, kernel.functions);
    assert_eq!(self::text(&again.kernels[0]), self::text(kernel));
}

#[test]
fn parts_of_structs_and_what_is_shared_reach_functions_that_are_called() {
    // A struct goes in and comes back, one half from shared memory; the barrier in the function is met by all.
    let body = "{ .reg .b64 %d<3>; .shared .align 4 .b32 tile[32]; ld.param.u64 %d0, [in]; ld.param.u32 %r1, [in+8]; \
         cvt.u32.u64 %r2, %d0; shl.b32 %r3, %r2, 2; mov.u32 %r4, tile; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], %r1; \
         bar.sync 0; xor.b32 %r3, %r3, 4; ld.shared.u32 %r5, [%r3]; setp.eq.u32 %p0, %r1, 0; @%p0 bra END; \
         { .param .align 8 .b8 a[16]; .param .align 8 .b8 r[16]; st.param.u64 [a], %d0; st.param.u32 [a+8], 0; \
         call (r), pair, (a); ld.param.u32 %r6, [r+8]; add.u32 %r5, %r5, %r6; } END: st.param.u64 [back], %d0; \
         st.param.u32 [back+8], %r5; }";
    let pair = format!(
        ".func (.param .align 8 .b8 back[16]) pair(.param .align 8 .b8 in[16]) {{ .reg .b32 %r<9>; .reg .pred %p<3>; {body} ret; }}\n"
    );
    let call = "{ .reg .b64 %d<3>; .param .align 8 .b8 a[16]; .param .align 8 .b8 r[16]; cvt.u64.u32 %d0, %i; \
         st.param.u64 [a], %d0; add.u32 %r1, %i, 5; st.param.u32 [a+8], %r1; call (r), pair, (a); \
         ld.param.u32 %o, [r+8]; ld.param.u64 %d1, [r]; cvt.u32.u64 %r2, %d1; shl.b32 %r2, %r2, 16; add.u32 %o, %o, %r2; }";
    let program = compile(format!("{HEADER}{pair}{}{KERNEL}", function("f0", call))).expect("it compiles");
    let kernel = &program.kernels[0];
    assert_eq!(kernel.static_shared_bytes, 128);
    assert_eq!(words(&program), lanes(|lane| (lane << 16) + (lane ^ 1) + 5), "{}", text(kernel));
}

#[test]
fn what_lives_across_a_call_in_a_loop_is_kept_with_few_registers() {
    // Thirty values, two pairs and three predicates live across calls of different depths, with 24 registers.
    let down = function(
        "down",
        "setp.eq.u32 %p0, %i, 0; mov.u32 %o, 0; @%p0 bra END; sub.u32 %r1, %i, 1; call (%r2), down, (%r1); \
         add.u32 %o, %r2, %i; END:",
    );
    let mut body = String::from(
        ".reg .b32 %r<60>; .reg .b64 %d<6>; .reg .pred %p<6>; ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; \
         cvt.u64.u32 %d1, %r0; and.b32 %r1, %r0, 1; setp.ne.u32 %p0, %r1, 0; setp.gt.u32 %p1, %r0, 15; \
         setp.lt.u32 %p2, %r0, 7; and.b32 %r2, %r0, 3; mov.u32 %r3, 0; mov.u32 %r4, 0;\n",
    );
    (10..40).for_each(|at| writeln!(body, "mad.lo.u32 %r{at}, %r0, {at}, {at};").expect("a string"));
    body += "LOOP: add.u32 %r5, %r2, %r3; call (%r6), down, (%r5); add.u32 %r4, %r4, %r6; add.u32 %r3, %r3, 1; \
         setp.le.u32 %p3, %r3, %r2; @%p3 bra LOOP;\n";
    (10..40).for_each(|at| writeln!(body, "add.u32 %r4, %r4, %r{at};").expect("a string"));
    body += "@%p0 add.u32 %r4, %r4, 10000; @%p1 add.u32 %r4, %r4, 20000; @%p2 add.u32 %r4, %r4, 40000; \
         mad.lo.u64 %d2, %d1, 4, %d0; st.global.u32 [%d2], %r4; ret;";
    let kernel = format!(".visible .entry k(.param .u64 out) .maxnreg 24 {{ {body} }}\n");
    let program = compile(format!("{HEADER}{down}{kernel}")).expect("it compiles");
    assert!(program.kernels[0].registers <= 24);
    let result = |lane: u32| {
        let deep: u32 = (0..=lane % 4).map(|it| (1..=lane % 4 + it).sum::<u32>()).sum();
        let bits = lane % 2 * 10_000 + u32::from(lane > 15) * 20_000 + u32::from(lane < 7) * 40_000;
        deep + (10..40).map(|at| lane * at + at).sum::<u32>() + bits
    };
    assert_eq!(words(&program), lanes(result), "{}", text(&program.kernels[0]));
}

#[test]
fn calls_that_cannot_be_made_say_why() {
    let wrong = |body: &str| compile(format!("{HEADER}{}{KERNEL}", function("f0", body))).unwrap_err();
    assert_eq!(
        wrong("{ .reg .b64 %d; mov.u64 %d, f0; call (%o), %d, (%i); }"),
        ["a call through a register needs the name of its .callprototype or .calltargets"]
    );
    assert_eq!(wrong("call (%o), f0, (%i, %i);"), ["the call names 2 parameters or results, the function 1"]);
    let mut text = String::new();
    write!(text, "{HEADER}.func f1() {{ .local .b8 l[400000]; call f1; ret; }}").expect("a string");
    text += ".visible .entry k() { .local .b8 l[524000]; call f1; ret; }\n";
    assert_eq!(
        compile(text).unwrap_err(),
        ["the calls need a stack of 525024 bytes: a thread has at most 524,288 bytes of local memory"]
    );
}
