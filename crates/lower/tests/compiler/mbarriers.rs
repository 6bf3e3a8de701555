//! Barriers in shared memory and bulk copies.

use crate::programs::{check, kernel};

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
