//! One SM above a fake L2, stored at the end of an epoch.

use crate::sm_bench::{Bench, after, holds, waits};
use warplab_program::instruction::Control;
use warplab_sm::Sm;

#[test]
fn a_restored_sm_runs_on_as_the_one_that_was_not_interrupted() {
    let code = [
        ("MOV R3, 0x7f00", after(1)),
        ("LDG.E R4, desc[UR4][R2.64]", holds(0)),
        ("LDS R6, [0x400]", holds(1)),
        ("BAR.SYNC.DEFER_BLOCKING 0x0", waits(1)),
        ("STG.E desc[UR4][R2.64], R5", waits(0b11)),
        ("EXIT", Control { stall: 1, ..Control::default() }),
    ];
    let bench = Bench::new(128, &code);
    let mut whole = bench.start(2);
    whole.finish().unwrap();
    for epochs in [1, 2, 5, 12, 14] {
        let mut run = bench.start(2);
        (0..epochs).for_each(|_| run.epoch().unwrap());
        let bytes = postcard::to_allocvec(&run.sm).unwrap();
        run.sm = postcard::from_bytes::<Sm>(&bytes).unwrap().clone();
        run.finish().unwrap();
        assert_eq!(run.seen, whole.seen);
        assert_eq!(run.requests, whole.requests);
        assert_eq!(run.sm.counters(), whole.sm.counters());
    }
}
