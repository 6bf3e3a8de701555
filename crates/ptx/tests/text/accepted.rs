//! The forms of PTX that are read without a word of complaint, and read back when printed.

use warplab_diagnostics::{Source, render};
use warplab_ptx::{parse, print};

fn accepted(text: &str) {
    let source = Source::new("accepted.ptx", text);
    let parsed = parse(&source);
    assert_eq!(render(&source, &parsed.diagnostics), "");
    let again = parse(&Source::new("printed.ptx", print(&parsed.module)));
    assert_eq!(again.module, parsed.module);
}

fn body(lines: &str) {
    accepted(&format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 g[4];\n.shared .f32 s[64];\n\
         .visible .entry k(.param .u64 a, .param .u32 n)\n{{\n\
         .reg .pred p, q, %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<5>;\n\
         .reg .v4 .f32 v; .reg .b128 %q1;\n{lines}\nret;\n}}\n"
    ));
}

#[test]
fn loads_and_stores() {
    body(
        "ld.param.u32 %r1, [n]; ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+16];
         ld.volatile.shared.f32 %f1, [s+4]; ld.relaxed.gpu.global.u32 %r1, [%rd1]; ld.acquire.sys.u32 %r1, [%rd1];
         st.release.cta.shared.u32 [%r1+-4], %r2; st.global.cs.v2.b64 [%rd1], {%rd2, 7}; st.wt.u8 [%rd1], %h1;
         ld.global.ca.L2::cache_hint.f32 %f1, [%rd1], %rd2; ld.const.s8 %h1, [%rd1]; st.weak.global.f64 [g+8], %d1;
         ld.s8 %r1, [%rd1]; ld.u16 %r1, [64]; ld.global.v4.f32 v, [%rd1]; mov.f32 %f1, v.x; ld.local.b8 %h2, [%rd2];
         prefetch.global.L2 [%rd1]; prefetch.L1 [%rd1]; prefetchu.L1 [%rd1]; ld.shared::cta.u32 %r1, [%r2];
         ld.volatile.global.v2.f32 {%f1, _}, [%rd1]; ld.global.b128 %q1, [%rd1]; cvta.global.u64 %rd1, g;
         cvta.to.shared.u64 %rd1, %rd2; isspacep.shared p, %rd1; discard.global.L2 [%rd1], 128;
         createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0; applypriority.global.L2::evict_normal [%rd1], 128;",
    );
}

#[test]
fn integer_arithmetic() {
    body(
        "add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r1, %r2, 0; addc.u32 %r1, %r2, 0; sub.cc.s64 %rd1, %rd2, 1;
         subc.s64 %rd1, %rd2, %rd3; mad.lo.cc.u32 %r1, %r2, %r3, %r4; madc.hi.u32 %r1, %r2, %r3, %r4;
         mad.wide.u32 %rd1, %r1, %r2, %rd2; mul.wide.s16 %r1, %h1, %h2; mul.hi.u64 %rd1, %rd2, %rd3; mul.lo.u16 %h1, %h2, 3;
         mul24.lo.s32 %r1, %r2, %r3; mad24.hi.u32 %r1, %r2, %r3, %r4; div.u64 %rd1, %rd2, %rd3; rem.s16 %h1, %h2, %h3;
         abs.s32 %r1, %r2; neg.s64 %rd1, %rd2; min.u16 %h1, %h2, %h3; max.s64 %rd1, %rd2, -1; add.sat.s32 %r1, %r2, %r3;
         bfe.u32 %r1, %r2, 3, 4; bfi.b64 %rd1, %rd2, %rd3, %r1, 8; brev.b32 %r1, %r2; prmt.b32 %r1, %r2, %r3, 0x3210;
         prmt.b32.rc16 %r1, %r2, %r3, %r4; popc.b64 %r1, %rd1; clz.b64 %r1, %rd1; bfind.u32 %r1, %r2;
         bfind.shiftamt.s64 %r1, %rd1; fns.b32 %r1, %r2, 0, 1; lop3.b32 %r1, %r2, %r3, %r4, 0x96;
         sad.u32 %r1, %r2, %r3, %r4; dp4a.u32.s32 %r1, %r2, %r3, %r4; dp2a.lo.s32.u32 %r1, %r2, %r3, %r4;
         szext.wrap.s32 %r1, %r2, %r3; bmsk.clamp.b32 %r1, %r2, %r3; shf.l.wrap.b32 %r1, %r2, %r3, 7;
         shl.b16 %h1, %h2, 3; shr.s64 %rd1, %rd2, %r1; cnot.b32 %r1, %r2; not.pred p, q; and.pred p, q, %p1;
         xor.b64 %rd1, %rd2, 0xFFFFFFFFFFFFFFFF; min.s16x2 %r1, %r2, %r3; add.u32 %r1, %r2, WARP_SZ*(2+1)-0x10U;",
    );
}

#[test]
fn floating_point_arithmetic() {
    body(
        "fma.rn.ftz.sat.f32 %f1, %f2, %f3, %f4; fma.rz.f64 %d1, %d2, %d3, 0d3FF0000000000000; mul.f32 %f1, %f2, 0f3F800000;
         add.rm.f32 %f1, %f2, 1.5; sub.ftz.f32 %f1, %f2, -1.0e-3; mad.rn.f32 %f1, %f2, %f3, %f4; div.rn.f32 %f1, %f2, %f3;
         div.full.ftz.f32 %f1, %f2, %f3; div.approx.f32 %f1, %f2, %f3; rcp.approx.ftz.f32 %f1, %f2; rcp.rn.f64 %d1, %d2;
         sqrt.approx.f32 %f1, %f2; sqrt.rn.ftz.f32 %f1, %f2; rsqrt.approx.f32 %f1, %f2; rsqrt.approx.ftz.f64 %d1, %d2;
         rcp.approx.ftz.f64 %d1, %d2; sin.approx.f32 %f1, %f2; cos.approx.ftz.f32 %f1, %f2; lg2.approx.f32 %f1, %f2;
         ex2.approx.ftz.f32 %f1, %f2; tanh.approx.f32 %f1, %f2; copysign.f32 %f1, %f2, %f3; testp.finite.f32 p, %f1;
         abs.f32 %f1, %f2; neg.f64 %d1, %d2; min.NaN.f32 %f1, %f2, %f3; max.ftz.f32 %f1, %f2, %f3;
         add.f16 %h1, %h2, %h3; fma.rn.relu.f16x2 %r1, %r2, %r3, %r4; mul.bf16x2 %r1, %r2, %r3; fma.rn.bf16 %h1, %h2, %h3, %h4;
         ex2.approx.f16x2 %r1, %r2; tanh.approx.bf16 %h1, %h2; neg.f16x2 %r1, %r2; max.f16 %h1, %h2, %h3; abs.bf16x2 %r1, %r2;",
    );
}

#[test]
fn conversions() {
    body(
        "cvt.rni.s32.f32 %r1, %f1; cvt.rzi.ftz.u64.f32 %rd1, %f1; cvt.rn.f32.s64 %f1, %rd1; cvt.rn.f32.f64 %f1, %d1;
         cvt.f64.f32 %d1, %f1; cvt.ftz.f64.f32 %d1, %f1; cvt.rn.f16.f32 %h1, %f1; cvt.f32.f16 %f1, %h1; cvt.rn.bf16.f32 %h1, %f1;
         cvt.rn.f16x2.f32 %r1, %f1, %f2; cvt.rn.relu.bf16x2.f32 %r1, %f1, %f2; cvt.f32.bf16 %f1, %h1; cvt.s64.s32 %rd1, %r1;
         cvt.u8.u32 %h1, %r1; cvt.s32.s8 %r1, %r2; cvt.sat.u8.s32 %r1, %r2; cvt.rmi.f32.f32 %f1, %f2; cvt.rpi.f64.f64 %d1, %d2;
         cvt.sat.f32.f32 %f1, %f2; cvt.rna.tf32.f32 %r1, %f1; cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;
         cvt.rn.f16.u32 %h1, %r1; cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2; cvt.u16.u32 %h1, %r1; cvt.rzi.s16.f16 %h1, %h2;",
    );
}

#[test]
fn comparisons_and_selections() {
    body(
        "setp.lt.s32 p, %r1, 3; setp.ltu.ftz.f32 p|q, %f1, 0f00000000; setp.eq.and.u64 p, %rd1, %rd2, !q;
         setp.hs.or.u32 p|_, %r1, %r2, q; setp.num.f64 p, %d1, %d2; setp.ne.b16 p, %h1, 0; setp.gt.f16 p, %h1, %h2;
         set.lt.u32.f32 %r1, %f1, %f2; set.eq.and.f32.s32 %f1, %r1, %r2, p; selp.f64 %d1, %d2, 0d0000000000000000, p;
         slct.s32.f32 %r1, %r2, %r3, %f1; slct.f32.s32 %f1, %f2, %f3, %r1; @!p mov.pred q, 1; @%p1 mov.u32 %r1, %tid.z;",
    );
}

#[test]
fn moves_and_special_registers() {
    body(
        "mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd1, {%r1, %r2}; mov.b32 {%h1,%h2}, %r1; mov.b32 %r1, {%h1, %h2}; mov.u64 %rd1, s+8;
         mov.b32 {%h1, _}, %r1; mov.u32 %r1, %clock; mov.u64 %rd1, %clock64; mov.u64 %rd1, %globaltimer; mov.u32 %r1, %laneid;
         mov.u32 %r1, %lanemask_lt; mov.u32 %r1, %dynamic_smem_size; mov.u32 %r1, %envreg3; mov.u32 %r1, %smid; mov.b32 %r1, %f1;
         mov.b128 {%rd1, %rd2}, %q1; mov.u32 %r1, s; mov.f32 %f1, 0F7F800000; mov.u32 %r1, %nctaid.y; mov.u32 %r1, %pm0;
         mov.u32 %r1, 0b101; mov.u32 %r1, 017; mov.u32 %r1, ~0; mov.u32 %r1, (1 << 4) | 3; mov.u32 %r1, %cluster_ctarank;",
    );
}

#[test]
fn atomics_and_reductions() {
    body(
        "atom.add.f32 %f1, [%rd1], 1.0; atom.relaxed.gpu.global.add.f64 %d1, [%rd1], %d2; atom.acq_rel.cta.shared.cas.b64 %rd1, [%r1], %rd2, %rd3;
         atom.global.exch.b32 %r1, [%rd1+4], %r2; atom.shared.inc.u32 %r1, [s], 31; atom.global.min.s64 %rd1, [%rd2], %rd3;
         atom.global.add.noftz.f16x2 %r1, [%rd1], %r2; atom.global.cas.b16 %h1, [%rd1], %h2, %h3; red.global.add.f32 [%rd1], %f1;
         red.release.sys.global.max.u32 [%rd1], %r1; red.shared.or.b32 [%r1], 1; red.global.add.noftz.bf16x2 [%rd1], %r1;
         red.global.v4.f32.add [%rd1], {%f1,%f2,%f3,%f4}; atom.global.and.b32 _, [%rd1], 3;",
    );
}

#[test]
fn warp_and_block_cooperation() {
    body(
        "bar.sync 0; bar.sync %r1, 64; bar.arrive 1, 64; bar.red.popc.u32 %r1, 0, p; bar.red.and.pred p, 0, 64, !q; bar.warp.sync -1;
         barrier.sync 0; barrier.cta.sync.aligned 0, 32; barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire;
         membar.gl; membar.cta; membar.sys; fence.sc.gpu; fence.acq_rel.sys; fence.proxy.alias; activemask.b32 %r1;
         vote.sync.ballot.b32 %r1, p, -1; vote.sync.any.pred p, !q, %r1; vote.all.pred p, q; shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;
         shfl.sync.up.b32 %r1|p, %r2, 1, 0, %r3; shfl.bfly.b32 %r1, %r2, 1, 31; match.any.sync.b64 %r1, %rd1, -1;
         match.all.sync.b32 %r1|p, %r2, -1; redux.sync.add.s32 %r1, %r2, -1; elect.sync %r1|p, -1; nanosleep.u32 100;
         griddepcontrol.wait; griddepcontrol.launch_dependents; pmevent 3; cp.async.ca.shared.global [%r1], [%rd1], 16;
         cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; brkpt; trap;
         mbarrier.init.shared::cta.b64 [%r1], 32; mbarrier.inval.b64 [%rd1]; mbarrier.arrive.b64 %rd1, [%rd2];
         mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1], 3; mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r1], %r2;
         mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd1, [%r1], 2; mbarrier.arrive_drop.shared::cta.b64 %rd1, [%r1];
         mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r2; mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], 16;
         mbarrier.test_wait.shared::cta.b64 p, [%r1], %rd1; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [%r1], 0;
         mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], %r2, 1000; mbarrier.pending_count.b64 %r1, %rd1;
         cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1]; fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1], 512, [%r2], %rd2;
         cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2; cp.async.bulk.prefetch.L2.global [%rd1], 4096;
         cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1], [%r1], 64; cp.async.bulk.commit_group;
         cp.async.bulk.wait_group 1; cp.async.bulk.wait_group.read 0; mapa.shared::cluster.u32 %r1, %r2, 0;
         setmaxnreg.inc.sync.aligned.u32 232;
         ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];
         mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};",
    );
}

#[test]
fn control_flow_and_nested_blocks() {
    body(
        "L1: @p bra L2; bra.uni L1; L2: { .reg .b32 t, %r<2>; mov.b32 t, %r1; L1: @p bra L2; bra L1; }
         table: .branchtargets L1, L2; brx.idx %r1, table; .pragma \"nounroll\"; exit; @!p ret.uni;
         .shared .align 16 .b8 buffer[128]; .local .align 8 .b8 depot[16]; mov.u64 %rd1, depot; st.shared.u8 [buffer], %r1;",
    );
}

#[test]
fn functions_and_calls() {
    accepted(
        ".version 8.4\n.target sm_80, debug\n.address_size 64\n.file 1 \"a.cu\", 12, 34\n.file 2 \"b.h\"\n
         .extern .func (.param .b32 r) vprintf (.param .b64 x, .param .b64 y);\n
         .func (.reg .u32 out) inc (.reg .u32 in) { add.u32 out, in, 1; ret; }\n
         .weak .func (.param .align 16 .b8 r[16]) big(.param .align 16 .b8 x[16]) .noreturn { trap; }\n
         .visible .entry k(.param .u64 .ptr .global .align 16 a) .maxntid 256, 1, 1 .minnctapersm 2 .maxnreg 64 .pragma \"x\"; {\n
         .loc 1 3 5\n .reg .b32 %r<4>; .reg .b64 %rd<4>;\n .loc 2 3 5, function_name $L__info0, inlined_at 1 9 2\n
         { .param .b64 p0; .param .b64 p1; .param .b32 back; st.param.b64 [p0], %rd1; st.param.b64 [p1+0], %rd2;
         call.uni (back), vprintf, (p0, p1); ld.param.b32 %r1, [back]; }\n
         call (%r1), inc, (%r2); proto: .callprototype (.param .b32 _) _ (.param .b64 _);\n
         mov.u64 %rd3, inc; { .param .b32 o; .param .b64 i; call (o), %rd3, (i), proto; } ret; }\n
         .section .debug_str { $L__info0: .b8 97,0 .b64 $L__info0+4 }\n .section .debug_loc { }\n.alias also, inc;",
    );
}

#[test]
fn variables_and_initialisers() {
    accepted(
        ".version 9.0\n.target sm_90\n.address_size 64\n
         .visible .global .align 4 .u32 counts[2][3] = {{1, 2, 3}, {-4, 0x5, 6U}}; .const .f32 c[] = {1.0, 0f3F800000, -2.5};
         .global .u64 pointers[2] = {counts+4, generic(counts)+0}; .extern .shared .align 16 .b8 dynamic[];
         .global .v4 .f32 quad = {1.0, 2.0, 3.0, 4.0}; .common .global .u32 merged; .weak .const .b8 text[3] = {104, 105, 0};
         .global .attribute(.managed) .u32 managed; .global .f64 d = 0d3FF0000000000000, e = 2e10;",
    );
}
