//! What leaves a full level two, beside `traces/h200/dram/aged.txt`.

use super::small_deviations::{launch_with, ptx};
use warplab_config::GpuConfig;
use warplab_gpu::RunOptions;
use warplab_tests::gpu;

const THREADS: u32 = 256;

/// Bytes that leave for DRAM while so many blocks read so many steps of 4 KiB each; 20 MB were written before.
fn written(config: &GpuConfig, blocks: u32, steps: u64) -> u64 {
    let step = 16 * u64::from(blocks * THREADS);
    let body = format!(
        "mul.wide.u32 %d2, %r4, 16; add.s64 %d3, %d1, %d2; mov.u32 %r5, 0; mov.u32 %r6, 0;\n\
         again:\n\
         ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d3]; add.u32 %r5, %r5, %r10;\n\
         add.s64 %d3, %d3, {step}; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, {steps}; @%p1 bra again;\n\
         setp.eq.u32 %p1, %r5, 77; @%p1 st.global.u32 [%d1], %r5;"
    );
    let options = RunOptions { left_dirty: 20_000_000, ..RunOptions::default() };
    let simulated = launch_with(config, &ptx(config, &body), (blocks, THREADS), steps * step, options);
    simulated.outcome.counters.memory.dram.written_bytes
}

#[test]
fn a_clean_line_goes_for_every_dirty_one() {
    let config = gpu("h200");
    assert_eq!([256, 320].map(|steps| written(&config, 33, steps)), [5_555_456, 10_818_560]);
}

#[test]
fn where_dirty_lines_go_at_once_the_oldest_leave_first() {
    let mut config = gpu("h200");
    config.l2.cleans_before_eviction = false;
    assert_eq!([256, 320].map(|steps| written(&config, 33, steps)), [10_277_632, 17_969_920]);
}

#[test]
fn fewer_leave_while_all_sms_read() {
    let config = gpu("h200");
    // As many bytes as above.
    assert_eq!([16, 20].map(|steps| written(&config, 528, steps)), [2_547_360, 2_587_264]);
}
