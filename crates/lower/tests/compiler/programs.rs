//! Whole small programs: calls, local and constant memory, spills, divergence, locks.

use crate::common::{lowered, options};
use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage};
use warplab_lower::{LowerOptions, PassSet, lower};
use warplab_program::Opcode;

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// Runs kernel `k(out)` with one block and returns the first words of `out`.
fn words(text: &str, threads: u32, count: usize, options: &LowerOptions) -> Vec<u32> {
    let lowered = lowered("program.ptx", format!("{HEAD}{text}"), options);
    let mut image = MemoryImage::new();
    let out = image.allocate("out", 4 * count.max(1) as u64, Init::Zero);
    let mut symbols = rustc_hash::FxHashMap::default();
    for global in &lowered.program.globals {
        let base = image.allocate(
            global.name.clone(),
            global.bytes.max(4),
            Init::Bytes(global.initial.clone().into()),
        );
        symbols.insert(global.name.clone(), base);
    }
    let shape = LaunchShape { grid: [1, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes: 0 };
    let kernel = lowered.program.kernel("k").expect("the kernel");
    let limits = Limits { block_instructions: 1_000_000, ..Limits::default() };
    run(&lowered.program, kernel, shape, &out.0.to_le_bytes(), &symbols, &image, limits)
        .unwrap_or_else(|fault| panic!("{fault}"));
    let bytes = image.read_bytes(out, 4 * count as u64).expect("the results");
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

/// With all passes and with none but the needed.
pub(crate) fn check(text: &str, threads: u32, expected: impl Fn(u32) -> u32) {
    for passes in [PassSet::all(), PassSet::none()] {
        let options = LowerOptions { passes, ..options() };
        let expected: Vec<u32> = (0..threads).map(&expected).collect();
        assert_eq!(words(text, threads, threads as usize, &options), expected);
    }
}

/// `%r1` is the thread, `%rd2` the place of its word; the body leaves its result in `%r0`.
pub(crate) fn kernel(attributes: &str, declarations: &str, body: &str) -> String {
    format!(
        "{declarations}\n.visible .entry k(.param .u64 out) {attributes} {{\n.reg .b32 %r<200>; .reg .b64 %rd<20>; .reg .f32 %f<80>; .reg .pred %p<20>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n{body}\nst.global.u32 [%rd2], %r0; ret; }}"
    )
}

#[test]
fn lanes_meet_again_in_a_loop_that_ends_only_inside() {
    let stores: String = (0..12).map(|word| format!("st.shared.u32 [s+{}], %r2; ", 4 * word)).collect();
    let body = format!(
        ".shared .align 16 .b8 s[64]; mov.u32 %r0, 0; mov.u32 %r2, %r1;\n\
        LOOP: and.b32 %r3, %r2, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra EVEN;\n\
        mad.lo.u32 %r2, %r2, 3, 1; bra NEXT;\n\
        EVEN: shr.u32 %r2, %r2, 1; {stores}\n\
        NEXT: add.u32 %r0, %r0, 1; setp.gt.u32 %p2, %r0, 20; st.global.u32 [%rd2], %r2; @%p2 exit; bra LOOP;"
    );
    let text = kernel("", "", &body);
    check(&text, 64, |x| {
        (0..21).fold(x, |x, _| if x & 1 == 0 { x >> 1 } else { x.wrapping_mul(3).wrapping_add(1) })
    });
    let lowered = lowered("loop.ptx", format!("{HEAD}{text}"), &options());
    let instructions = &lowered.program.kernel("k").expect("the kernel").instructions;
    assert_eq!(instructions.iter().filter(|it| it.opcode == Opcode::Bssy).count(), 1);
}

/// Those that do not ask the first lane keep what they have.
#[test]
fn what_some_lanes_get_from_one_is_not_the_same_for_all() {
    let stores: String = (0..12).map(|word| format!("st.shared.u32 [s+{}], %r2; ", 4 * word)).collect();
    let body = format!(
        ".shared .align 16 .b8 s[64]; setp.lt.u32 %p1, %r1, 16; add.u32 %r2, %r1, 7; mov.u32 %r5, 3;\n\
        @%p1 shfl.sync.idx.b32 %r5, %r2, 0, 31, 0xffff; setp.eq.u32 %p2, %r5, 3; @%p2 bra KEPT; {stores} add.u32 %r5, %r5, 1;\n\
        KEPT: mov.u32 %r0, %r5;"
    );
    let text = kernel("", "", &body);
    check(&text, 32, |x| if x < 16 { 8 } else { 3 });
    let lowered = lowered("kept.ptx", format!("{HEAD}{text}"), &options());
    let instructions = &lowered.program.kernel("k").expect("the kernel").instructions;
    assert_eq!(instructions.iter().filter(|it| it.opcode == Opcode::Bssy).count(), 1);
}

/// A difference of 64 bits borrows nothing where the lower half of what is taken off is zero, however that is known.
#[test]
fn a_difference_of_upper_halves_borrows_nothing() {
    for upper in [
        "and.b64 %rd4, %rd3, 0xffffffff00000000;",
        "shr.u64 %rd4, %rd3, 32; shl.b64 %rd4, %rd4, 32;",
        "mul.lo.u32 %r5, %r1, 0; mov.b64 %rd4, {%r5, %r1};",
    ] {
        let body = format!(
            "mul.lo.u32 %r2, %r1, 77; mov.b64 %rd3, {{%r2, %r1}}; mov.b64 %rd5, {{%r1, %r2}}; {upper}\n\
             sub.s64 %rd6, %rd5, %rd4; mov.b64 {{%r3, %r4}}, %rd6; xor.b32 %r0, %r3, %r4;"
        );
        check(&kernel("", "", &body), 64, |x| x ^ (77 * x - x));
    }
}

#[test]
fn a_called_function_is_inlined() {
    let function = ".func (.param .b32 result) twice(.param .b32 x) { .reg .b32 %r<4>; .reg .pred %p; ld.param.u32 %r1, [x]; setp.gt.u32 %p, %r1, 20; @%p bra BIG; add.u32 %r2, %r1, %r1; st.param.b32 [result], %r2; ret; BIG: st.param.b32 [result], %r1; ret; }";
    let call = "{ .param .b32 a; .param .b32 d; st.param.b32 [a], %r1; call.uni (d), twice, (a); ld.param.b32 %r0, [d]; }";
    check(&kernel("", function, call), 64, |x| if x > 20 { x } else { 2 * x });
}

#[test]
fn local_memory_holds_an_array() {
    let body = ".local .align 4 .b8 depot[64]; .reg .b64 %SP; mov.u64 %SP, depot; cvta.local.u64 %rd5, %SP;\n\
        and.b32 %r2, %r1, 7; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd5, %rd3; st.u32 [%rd4], %r1;\n\
        cvt.u32.u64 %r5, %SP; shl.b32 %r6, %r2, 2; add.u32 %r7, %r5, %r6; ld.local.u32 %r8, [%r7]; add.u32 %r0, %r8, 1;";
    check(&kernel("", "", body), 64, |x| x + 1);
}

#[test]
fn constants_and_globals_have_their_values() {
    let declarations = ".const .align 4 .u32 table[4] = {10, 20, 30, 40};\n.global .align 4 .u32 other[4] = {1, 2, 3, 4};\n.global .u64 pointer = other;";
    let body = "and.b32 %r2, %r1, 3; shl.b32 %r3, %r2, 2; mov.u32 %r4, 0; cvt.u64.u32 %rd3, %r3; mov.u64 %rd4, table; add.s64 %rd4, %rd4, %rd3; ld.const.u32 %r5, [%rd4];\n\
        mov.u64 %rd5, other; add.s64 %rd6, %rd5, %rd3; ld.global.u32 %r6, [%rd6]; ld.const.u32 %r7, [table+8]; add.u32 %r8, %r5, %r6; add.u32 %r0, %r8, %r7;";
    check(&kernel("", declarations, body), 32, |x| (x % 4 + 1) * 11 + 30);
}

#[test]
fn few_registers_spill() {
    let mut body = String::new();
    for index in 0..40 {
        body += &format!("mad.lo.u32 %r{}, %r1, {}, {};\n", 10 + index, 3 + index, index);
    }
    body += "mov.u32 %r0, 0;\n";
    for index in (0..40).rev() {
        body += &format!("xor.b32 %r2, %r{}, %r0; mad.lo.u32 %r0, %r2, 5, 1;\n", 10 + index);
    }
    let expected = |x: u32| {
        (0..40u32).rev().fold(0u32, |sum, index| {
            (x.wrapping_mul(3 + index).wrapping_add(index) ^ sum).wrapping_mul(5).wrapping_add(1)
        })
    };
    check(&kernel(".maxnreg 16", "", &body), 32, expected);
    let options = LowerOptions { passes: PassSet::none(), ..options() };
    let lowered = lowered("spill.ptx", format!("{HEAD}{}", kernel(".maxnreg 16", "", &body)), &options);
    assert!(lowered.program.kernels[0].registers <= 16 && lowered.program.kernels[0].local_bytes > 0);
}

#[test]
fn many_predicates_spill() {
    let mut body = String::new();
    for index in 0..12 {
        body += &format!("setp.gt.u32 %p{}, %r1, {};\n", 1 + index, 2 * index);
    }
    body += "bar.sync 0; mov.u32 %r0, 0;\n";
    for index in 0..12 {
        body += &format!("@%p{} add.u32 %r0, %r0, {};\n", 1 + index, 1 << index);
    }
    check(&kernel("", "", &body), 32, |x| {
        (0..12).filter(|index| x > 2 * index).map(|index| 1 << index).sum()
    });
}

#[test]
fn loops_with_breaks_meet_again() {
    // A loop that lanes leave in two places, with a branch inside, nested in another.
    let body = "mov.u32 %r0, 0; mov.u32 %r2, 0;\nOUTER: mov.u32 %r3, 0;\nINNER: add.u32 %r0, %r0, 1; and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra EVEN;\n\
        add.u32 %r0, %r0, %r2; bar.warp.sync 0xffffffff;\nEVEN: add.u32 %r3, %r3, 1; setp.gt.u32 %p2, %r0, 100; @%p2 bra OUT;\n\
        setp.lt.u32 %p3, %r3, %r1; @%p3 bra INNER;\n add.u32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, 4; @%p4 bra OUTER;\nOUT: add.u32 %r0, %r0, 1000;";
    let body = &body.replace("bar.warp.sync 0xffffffff;", "");
    let host = |x: u32| {
        let (mut sum, mut outer) = (0u32, 0);
        'out: loop {
            let mut inner = 0;
            loop {
                sum += 1;
                if sum & 1 != 0 {
                    sum += outer;
                }
                inner += 1;
                if sum > 100 {
                    break 'out;
                }
                if inner >= x {
                    break;
                }
            }
            outer += 1;
            if outer >= 4 {
                break;
            }
        }
        sum + 1000
    };
    check(&kernel("", "", body), 64, host);
}

#[test]
fn a_spin_lock_inside_a_warp_makes_progress() {
    // Each lane takes the lock in turn and adds to a counter.
    let declarations = ".global .u32 lock;\n.global .u32 counter;";
    let body = "mov.u64 %rd3, lock; mov.u64 %rd4, counter; mov.u32 %r3, 0;\nAGAIN: atom.global.cas.b32 %r2, [%rd3], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra NEXT;\n\
        ld.volatile.global.u32 %r4, [%rd4]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd4], %r4; membar.gl; atom.global.exch.b32 %r5, [%rd3], 0; mov.u32 %r3, 1;\n\
        NEXT: setp.eq.u32 %p2, %r3, 0; @%p2 bra AGAIN; mov.u32 %r0, 7;";
    check(&kernel("", declarations, body), 32, |_| 7);
}

#[test]
fn a_lock_taken_in_a_loop_of_its_own_makes_progress() {
    let declarations = ".global .u32 lock;\n.global .u32 counter;";
    let body = "mov.u64 %rd3, lock; mov.u64 %rd4, counter;\nAGAIN: atom.global.cas.b32 %r2, [%rd3], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra AGAIN;\n\
        ld.volatile.global.u32 %r4, [%rd4]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd4], %r4; membar.gl; atom.global.exch.b32 %r5, [%rd3], 0; mov.u32 %r0, 7;";
    check(&kernel("", declarations, body), 64, |_| 7);
}

#[test]
fn a_vector_of_constants_is_stored_whole() {
    let body = "mov.b32 %r2, 11; mov.b32 %r3, 22; add.u32 %r4, %r1, 11; shl.b32 %r5, %r1, 2; .shared .align 16 .b8 s[2048]; mov.u32 %r6, s; shl.b32 %r7, %r1, 4; add.u32 %r6, %r6, %r7;\n\
        st.shared.v4.u32 [%r6], {%r2, %r3, %r2, %r1}; bar.sync 0; ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r6]; add.u32 %r10, %r10, %r11; add.u32 %r12, %r12, %r13; add.u32 %r0, %r10, %r12;";
    check(&kernel("", "", body), 64, |x| 44 + x);
}

#[test]
fn warp_instructions_and_shared_atomics() {
    let body = ".shared .align 4 .u32 sum; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [sum], 5; bar.sync 0; atom.shared.add.u32 %r2, [sum], %r1; red.shared.max.s32 [sum], 3; bar.sync 0; ld.shared.u32 %r3, [sum];\n\
        shfl.sync.bfly.b32 %r4|%p2, %r1, 1, 0x1f, 0xffffffff; setp.lt.u32 %p3, %r1, 5; vote.sync.ballot.b32 %r5, %p3, 0xffffffff; add.u32 %r0, %r3, %r4; add.u32 %r0, %r0, %r5;";
    check(&kernel("", "", body), 32, |x| 5 + 496 + (x ^ 1) + 31);
}

#[test]
fn lanes_reduce_over_the_masks_that_they_name() {
    let body = "and.b32 %r2, %r1, 3; match.any.sync.b32 %r3, %r2, -1; mov.u32 %r0, 1; setp.ne.u32 %p1, %r2, 2;\n\
        @%p1 redux.sync.add.u32 %r0, %r1, %r3;";
    // 0 + 4 + ... + 28, and eight times the lane's number in its group.
    check(&kernel("", "", body), 32, |x| if x % 4 == 2 { 1 } else { 112 + x % 4 * 8 });
}

/// The second reduction finds its own leader: lanes may have gone apart in the first.
#[test]
fn lanes_reduce_twice_over_one_mask_that_they_name() {
    let body = "and.b32 %r2, %r1, 3; match.any.sync.b32 %r3, %r2, -1; redux.sync.add.u32 %r4, %r1, %r3;\n\
        xor.b32 %r5, %r1, 64; redux.sync.add.u32 %r6, %r5, %r3; sub.u32 %r0, %r6, %r4;";
    check(&kernel("", "", body), 32, |_| 8 * 64);
}

#[test]
fn one_lane_is_elected_of_those_that_name_the_same_mask() {
    let body = "and.b32 %r2, %r1, 3; match.any.sync.b32 %r3, %r2, -1; elect.sync %r4|%p1, %r3; selp.u32 %r0, 1, 0, %p1;";
    check(&kernel("", "", body), 32, |x| u32::from(x < 4));
}

/// Each turn looks at another word, and lanes that have found theirs go on; behind the loop all are there for a vote.
#[test]
fn lanes_that_search_a_table_meet_when_they_vote() {
    let body = ".shared .align 4 .b8 s[256]; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r1; bar.sync 0; xor.b32 %r4, %r1, 5;\n\
        NEXT: ld.relaxed.cta.shared.u32 %r5, [%r2]; add.u32 %r2, %r2, 4; setp.ne.u32 %p1, %r5, %r4; @%p1 bra NEXT;\n\
        setp.eq.u32 %p2, %r4, %r4; vote.sync.ballot.b32 %r0, %p2, -1;";
    check(&kernel("", "", body), 32, |_| u32::MAX);
}

/// Each lane waits for the flags of those below it, which these set behind the loop: whoever has seen all must not wait there for the rest.
#[test]
fn lanes_that_wait_for_the_flags_of_others_make_progress() {
    let body = ".shared .align 4 .b8 s[128]; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; mov.u32 %r6, 0; st.shared.u32 [%r3], %r6; bar.sync 0;\n\
        NEXT: setp.eq.u32 %p2, %r2, %r3; @%p2 bra DONE; ld.relaxed.cta.shared.u32 %r5, [%r2]; setp.eq.u32 %p1, %r5, 0; @%p1 bra NEXT;\n\
        add.u32 %r6, %r6, %r5; add.u32 %r2, %r2, 4; bra NEXT;\n\
        DONE: mov.u32 %r8, 1; st.relaxed.cta.shared.u32 [%r3], %r8; mov.u32 %r0, %r6;";
    check(&kernel("", "", body), 32, |x| x);
}

#[test]
fn what_waiting_lanes_keep_in_uniform_registers_stays_while_others_go_on() {
    // The address of `t` is in a uniform register; behind the loop, which the first lanes leave first, others are needed.
    let body = ".shared .align 4 .b8 s[128]; .shared .align 4 .b8 t[4]; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; mov.u32 %r6, 0; mov.u32 %r4, 1; st.shared.u32 [%r3], %r6; st.shared.u32 [t], %r4; bar.sync 0;\n\
        NEXT: setp.eq.u32 %p2, %r2, %r3; @%p2 bra DONE; ld.relaxed.cta.shared.u32 %r5, [%r2]; setp.eq.u32 %p1, %r5, 0; @%p1 bra NEXT;\n\
        ld.relaxed.cta.shared.u32 %r7, [t]; add.u32 %r6, %r6, %r7; add.u32 %r2, %r2, 4; bra NEXT;\n\
        DONE: mov.u32 %r8, 1; st.relaxed.cta.shared.u32 [%r3], %r8; mov.u32 %r0, %r6;";
    check(&kernel("", "", body), 32, |x| x);
}

#[test]
fn halves_side_by_side_are_added_and_compared() {
    let body = "prmt.b32 %r2, %r1, %r1, 0x5410; add.s16x2 %r3, %r2, 0xfffb0003; max.s16x2 %r4, %r3, 0x00040004; min.u16x2 %r0, %r4, 0x00100020;";
    // Lane numbers in both halves, less five above and three more below.
    let above = |x: u32| (x as i32 - 5).clamp(4, 16) as u32;
    check(&kernel("", "", body), 32, |x| above(x) << 16 | (x + 3).clamp(4, 32));
}

#[test]
fn shared_atomics_on_floats_and_doublewords() {
    let body = ".shared .align 8 .b8 s[16]; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, s; mov.u64 %rd5, 0; @%p1 st.shared.u64 [%r2], %rd5; @%p1 st.shared.u32 [s+8], 0; bar.sync 0;\n\
        cvt.u64.u32 %rd6, %r1; atom.shared.add.u64 %rd7, [s], %rd6; cvt.rn.f32.u32 %f1, %r1; red.shared.add.f32 [s+8], %f1; bar.sync 0; ld.shared.u64 %rd8, [s]; cvt.u32.u64 %r3, %rd8; ld.shared.f32 %f2, [s+8]; cvt.rzi.u32.f32 %r4, %f2; add.u32 %r0, %r3, %r4;";
    check(&kernel("", "", body), 64, |_| 2 * 2016);
}

#[test]
fn what_is_not_supported_is_said_all_at_once() {
    let text = format!(
        "{HEAD}.visible .entry k() {{ .reg .b32 %r<4>; .reg .b16 %h<4>; .reg .f32 %f<4>; .reg .b64 %rd<4>;\n\
         cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r1], [%r2], 16, [%r3];\n\
         atom.global.exch.b16 %h1, [%rd1], %h2;\nret; }}"
    );
    let source = Source::new("unsupported.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    let faults = lower(&parsed.module, &source, &options()).expect_err("two faults");
    let lines: Vec<u32> = faults.iter().map(|fault| source.position(fault.span.start).line).collect();
    assert_eq!(lines, [5, 6]);
}

#[test]
fn one_lane_adds_for_those_that_are_active_and_each_gets_its_own_old_value() {
    let declarations = ".global .align 4 .u32 counter = 5;";
    let body = "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r0, 7; @%p1 bra SKIP;\n\
        mov.u64 %rd3, counter; atom.global.add.u32 %r0, [%rd3], 3;\nSKIP:";
    check(&kernel("", declarations, body), 80, |x| if x % 2 == 1 { 5 + 3 * (x / 2) } else { 7 });
}

#[test]
fn what_the_lanes_reduce_to_is_what_they_do_one_after_the_other() {
    let declarations = ".global .align 4 .u32 w[8] = {0, 4000000000, 0, 2147483647, 2147483648, 4294967295, 0, 0};\n.shared .align 4 .b32 s;";
    let operations = ["add.u32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "or.b32", "xor.b32"];
    let mut body = "mov.u64 %rd3, w; mul.lo.u32 %r2, %r1, 2654435761; or.b32 %r2, %r2, 64;\n\
        mov.u32 %r9, 0; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s], %r9; bar.sync 0;\n\
        setp.ge.u32 %p2, %r1, 60; @%p2 bra DONE; red.shared.add.u32 [s], 1; red.shared.add.u32 [s], %r2;\n"
        .to_owned();
    for (index, operation) in operations.iter().enumerate() {
        body += &format!("red.global.{operation} [%rd3+{}], %r2;\n", 4 * index);
    }
    body += "DONE: bar.sync 0; ld.shared.u32 %r0, [s];\n";
    for index in 0..8 {
        body += &format!("ld.volatile.global.u32 %r3, [%rd3+{}]; add.u32 %r0, %r0, %r3;\n", 4 * index);
    }
    let values = || (0..60u32).map(|x| x.wrapping_mul(2_654_435_761) | 64);
    let signed = || values().map(u32::cast_signed);
    let sum = values().fold(0u32, u32::wrapping_add);
    let parts = [
        values().min().map_or(0, |it| it.min(4_000_000_000)),
        values().max().unwrap_or(0),
        signed().min().unwrap_or(0).cast_unsigned(),
        signed().max().unwrap_or(0).cast_unsigned(),
        values().fold(u32::MAX, |a, b| a & b),
        values().fold(0, |a, b| a | b),
        values().fold(0, |a, b| a ^ b),
    ];
    let expected = parts.into_iter().fold(sum.wrapping_mul(2).wrapping_add(60), u32::wrapping_add);
    check(&kernel("", declarations, &body), 80, |_| expected);
}

#[test]
fn more_reductions_than_uniform_registers_fit() {
    let mut body = "mov.u64 %rd3, w; mov.u32 %r0, 0;\n".to_owned();
    for index in 0..100 {
        body += &format!("add.u32 %r{}, %r1, {index};\n", index + 10);
    }
    for index in 0..100 {
        body += &format!("red.global.add.u32 [%rd3+{}], %r{};\n", 4 * index, index + 10);
    }
    body += "bar.sync 0; ld.volatile.global.u32 %r0, [%rd3+396];";
    check(&kernel("", ".global .align 4 .u32 w[100];", &body), 32, |_| 31 * 16 + 32 * 99);
}

#[test]
fn a_barrier_between_two_atomics_does_not_mix_the_lanes_of_different_paths() {
    // Odd lanes come first, then even ones below 20: two groups pass the same block, each waiting in its middle.
    let declarations = ".global .align 4 .u32 counters[2];";
    let body = "mov.u64 %rd3, counters; mov.u32 %r0, 99; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; @%p1 bra SAME;\n\
        add.u32 %r4, %r1, 7; st.volatile.global.u32 [%rd2], %r4; setp.lt.u32 %p2, %r1, 20; @%p2 bra SAME;\n\
        bar.sync 0; bra DONE;\n\
        SAME: atom.global.add.u32 %r5, [%rd3], 3; bar.sync 0; atom.global.add.u32 %r0, [%rd3+4], 3; sub.u32 %r0, %r0, %r5;\nDONE:";
    let options = |passes| LowerOptions { passes, ..options() };
    let text = kernel("", declarations, body);
    for passes in [PassSet::all(), PassSet::none()] {
        let differences = words(&text, 32, 32, &options(passes));
        let mut sum: i64 = differences.iter().filter(|&&it| it != 99).map(|&it| i64::from(it as i32)).sum();
        sum += 1000 * differences.iter().filter(|&&it| it == 99).count() as i64;
        assert_eq!(sum, 6000, "{differences:?}");
    }
}

#[test]
fn lanes_vote_and_match_among_those_that_name_the_same_mask() {
    let masks = "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; selp.b32 %r3, 0x55555555, 0xaaaaaaaa, %p1; \
        and.b32 %r4, %r1, 6; setp.eq.u32 %p2, %r4, 2;";
    let odd = |lane: u32| if lane.is_multiple_of(2) { 0x5555_5555 } else { 0xaaaa_aaaa };
    let twos = |lane: u32| 0x0c0c_0c0c & odd(lane);
    check(&kernel("", "", &format!("{masks} vote.sync.ballot.b32 %r0, %p2, %r3;")), 32, twos);
    let body = format!(
        "{masks} setp.lt.u32 %p3, %r1, 1; vote.sync.any.pred %p4, %p3, %r3; selp.u32 %r0, 1, 0, %p4;"
    );
    check(&kernel("", "", &body), 32, |lane| 1 - lane % 2);
    let body = format!("{masks} match.any.sync.b32 %r0, %r4, %r3;");
    check(&kernel("", "", &body), 32, |lane| (0x0303_0303 << (lane & 6)) & odd(lane));
    // A mask that all lanes share separates nobody.
    let syncs = |mask: &str| {
        let vote = format!(
            "{masks} mov.u32 %r6, %ctaid.x; sub.u32 %r5, %r6, 1; vote.sync.ballot.b32 %r0, %p2, {mask};"
        );
        let lowered = lowered("votes.ptx", format!("{HEAD}{}", kernel("", "", &vote)), &options());
        let opcodes = lowered.program.kernels[0].instructions.iter().map(|it| it.opcode);
        opcodes.filter(|&opcode| opcode == Opcode::Warpsync).count()
    };
    assert_eq!(["%r3", "%r5", "0xffffffff"].map(syncs), [1, 0, 0]);
}

#[test]
fn the_first_kibibyte_of_shared_memory_is_the_systems() {
    let registers = ["begin", "end", "cap", "0", "1"];
    for (name, expected) in registers.into_iter().zip([0, 1024, 1024, 0, 0]) {
        let body = format!("mov.u32 %r0, %reserved_smem_offset_{name};");
        check(&kernel("", "", &body), 1, |_| expected);
    }
    let body = "st.shared.u32 [s], %r1; mov.u32 %r2, %dynamic_smem_size; mov.u32 %r3, %total_smem_size; add.u32 %r0, %r2, %r3;";
    check(&kernel("", ".shared .align 4 .b8 s[512];", body), 1, |_| 512);
}

#[test]
fn a_cache_policy_says_which_part_of_the_accesses_it_is_for() {
    for (policy, expected) in [
        ("fractional.L2::evict_last.b64 %rd3, 1.0", 0x14f0_0000),
        ("fractional.L2::evict_first.b64 %rd3", 0x12f0_0000),
        ("fractional.L2::evict_first.L2::evict_unchanged.b64 %rd3, 0.25", 0x1230_0000),
        ("fractional.L2::evict_normal.b64 %rd3, 0.3", 0x1640_0000),
    ] {
        let body = format!("createpolicy.{policy}; mov.b64 {{%r2, %r3}}, %rd3; add.u32 %r0, %r2, %r3;");
        check(&kernel("", "", &body), 1, |_| expected);
    }
}

#[test]
fn accesses_with_a_cache_policy_are_as_those_without() {
    let body = ".reg .b16 %h<9>; createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0; mov.u64 %rd3, g; mov.b16 %h1, 0x4000;\n\
        st.global.L2::cache_hint.u32 [%rd3], 7, %rd9; st.global.u32 [%rd3+4], 0; bar.sync 0;\n\
        atom.global.add.L2::cache_hint.u32 %r2, [%rd3], 5, %rd9; red.global.add.L2::cache_hint.u32 [%rd3], 4, %rd9;\n\
        atom.global.add.noftz.L2::cache_hint.f16 %h2, [%rd3+4], %h1, %rd9; ld.global.L2::cache_hint.u32 %r3, [%rd3], %rd9;\n\
        ld.global.L2::cache_hint.u32 %r4, [%rd3+4], %rd9; mad.lo.u32 %r0, %r2, 100, %r3; add.u32 %r0, %r0, %r4;";
    check(&kernel("", ".global .align 8 .b8 g[8];", body), 1, |_| 716 + 0x4000);
}

#[test]
fn a_value_of_the_last_iteration_is_kept_while_the_next_one_is_made() {
    let body = "mov.u32 %r0, 0; mov.u32 %r2, 0;\n\
         LOOP: mov.u32 %r5, %r4; mad.lo.u32 %r4, %r2, 3, %r1; setp.eq.u32 %p1, %r2, 0;\n\
         sub.u32 %r6, %r4, %r5; selp.u32 %r7, 0, %r6, %p1; add.u32 %r0, %r0, %r7;\n\
         add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra LOOP;";
    check(&kernel("", "", body), 32, |_| 24);
}

#[test]
fn a_copy_on_one_way_of_a_branch_keeps_its_value_in_later_iterations() {
    // Only the first iteration writes r5, and what it copies changes in each.
    let body = "mov.u32 %r2, 0; mov.u32 %r3, 0;\n\
        LOOP: setp.ne.u32 %p1, %r2, 0; mad.lo.u32 %r4, %r2, 7, %r1; @%p1 bra JOIN;\n\
        mov.u32 %r5, %r4;\n\
        JOIN: add.u32 %r3, %r3, %r5; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 5; @%p2 bra LOOP;\n\
        mov.u32 %r0, %r3;";
    check(&kernel("", "", body), 64, |lane| 5 * lane);
}

#[test]
fn a_small_array_with_a_computed_index_is_in_local_memory() {
    // ptxas keeps three words in registers.
    let body = ".local .align 4 .b8 a[12]; mov.u64 %rd3, a; cvta.local.u64 %rd4, %rd3; st.local.u32 [a], %r1; st.local.u32 [a+4], 7; st.local.u32 [a+8], 9;\n\
        rem.u32 %r2, %r1, 3; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd5, %rd3, %rd5; ld.local.u32 %r0, [%rd5];";
    let text = kernel("", "", body);
    check(&text, 32, |thread| [thread, 7, 9][thread as usize % 3]);
    let lowered = lowered("array.ptx", format!("{HEAD}{text}"), &options());
    assert_eq!(lowered.program.kernel("k").expect("the kernel").local_bytes, 16);
}
