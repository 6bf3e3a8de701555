//! Barriers in shared memory and bulk copies.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage, allocate_globals};

const SOURCE: &str = ".global .align 16 .b32 source[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};";
/// A barrier for one thread at `%r4`, 128 bytes at `%r5`, a word of each thread there at `%r7`.
const READY: &str = ".shared .align 8 .b64 m; .shared .align 16 .b8 s[128]; mov.u64 %rd4, source; mov.u32 %r4, m; mov.u32 %r5, s;
    shl.b32 %r6, %r1, 2; add.s32 %r7, %r5, %r6; setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared::cta.b64 [%r4], 1; bar.sync 0;";

#[test]
fn a_bulk_copy_is_there_when_its_barrier_says_so() {
    let body = format!(
        "{READY} @!%p1 bra WAIT; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd4], 128, [%r4];
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0; @!%p2 bra WAIT; ld.shared.u32 %r0, [%r7];"
    );
    check(&kernel("", SOURCE, &body), 32, |x| x + 1);
}

#[test]
fn every_lane_can_ask_for_a_bulk_copy_of_its_own() {
    let body = format!(
        "{READY} @!%p1 bra COPY; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r4], 128; COPY: bar.sync 0;
        setp.lt.u32 %p3, %r1, 8; shl.b32 %r8, %r1, 4; cvt.u64.u32 %rd5, %r8; add.u64 %rd6, %rd4, %rd5; add.u32 %r9, %r5, %r8;
        @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd6], 16, [%r4];
        @%p1 mbarrier.arrive.shared::cta.b64 _, [%r4];
        WAIT: mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r4], 0; @!%p2 bra WAIT; ld.shared.u32 %r0, [%r7];"
    );
    check(&kernel("", SOURCE, &body), 32, |x| x + 1);
}

#[test]
fn a_state_tells_how_many_threads_are_missing() {
    let body = format!(
        "{READY} @%p1 mbarrier.init.shared::cta.b64 [%r4], 100; bar.sync 0;
        mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd5, [%r4], 2; mbarrier.pending_count.b64 %r0, %rd5;"
    );
    check(&kernel("", SOURCE, &body), 32, |x| 100 - 2 * x);
}

#[test]
fn copies_arrive_when_they_have_ended() {
    for (count, arrival) in [(1, ""), (33, ".noinc")] {
        let body = format!(
            "{READY} @%p1 mbarrier.init.shared::cta.b64 [%r4], {count}; bar.sync 0; cvt.u64.u32 %rd5, %r6; add.u64 %rd6, %rd4, %rd5;
            cp.async.ca.shared.global [%r7], [%rd6], 4; cp.async.mbarrier.arrive{arrival}.shared::cta.b64 [%r4];
            @%p1 mbarrier.arrive.shared::cta.b64 _, [%r4];
            WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0, 1000; @!%p2 bra WAIT; ld.shared.u32 %r0, [%r7];"
        );
        check(&kernel("", SOURCE, &body), 32, |x| x + 1);
    }
}

#[test]
fn a_block_is_a_cluster() {
    let body = "mapa.shared::cluster.u32 %r4, %r1, 0; getctarank.shared::cluster.u32 %r5, %r4; mov.u32 %r6, %cluster_nctarank;
        mov.pred %p1, %is_explicit_cluster; selp.u32 %r7, 100, 0, %p1; barrier.cluster.arrive; barrier.cluster.wait;
        add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6; add.u32 %r0, %r4, %r7;";
    check(&kernel("", "", body), 32, |x| x + 1);
}

/// FNV-1a over words, as `traces/h200/asynchronous` has it.
fn checksum(bytes: &[u8]) -> u64 {
    let words = bytes.as_chunks::<4>().0.iter().map(|&word| u64::from(u32::from_le_bytes(word)));
    words.fold(0xcbf2_9ce4_8422_2325, |sum: u64, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn kernels_with_barriers_and_bulk_copies_leave_what_an_h200_left() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/h200/asynchronous");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).expect("the trace");
    let lowered = lowered("kernels.ptx", read("kernels.ptx"), &options());
    let measured = read("kernels.txt");
    let rows: Vec<&str> = measured.lines().skip(1).collect();
    assert_eq!(rows.len(), 27);
    for row in rows {
        let [name, grid, block, sum] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let sides: Vec<u32> = grid.split('x').map(|side| side.parse().expect("blocks")).collect();
        let grid = [sides[0], sides.get(1).copied().unwrap_or(1), 1];
        let block = [block.parse().expect("threads"), 1, 1];
        let mut image = MemoryImage::new();
        let buffers = [
            image.allocate("a", 256 << 10, Init::HashF32 { seed: 0 }),
            image.allocate("b", 256 << 10, Init::HashI32 { seed: 0 }),
            image.allocate("o", 1 << 20, Init::Zero),
        ];
        let mut parameters: Vec<u8> = buffers.iter().flat_map(|buffer| buffer.0.to_le_bytes()).collect();
        parameters.extend(65536_u32.to_le_bytes());
        let kernel = lowered.program.kernel(name).expect("the kernel");
        let shape = LaunchShape { grid, block, dynamic_shared_bytes: 0 };
        let symbols = allocate_globals(&lowered.program, &mut image).expect("the variables");
        run(&lowered.program, kernel, shape, &parameters, &symbols, &image, Limits::default())
            .unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let left = image.read_bytes(buffers[2], 1 << 20).expect("the results");
        assert_eq!(format!("{:016x}", checksum(&left)), sum, "{name}");
    }
}
