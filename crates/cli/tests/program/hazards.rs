//! `--check-hazards` and `--stalls`: what a person sees of control fields that are wrong, and of those that are right.

use crate::common::warplab;
use snapbox::str;

#[test]
fn an_early_read_is_shown_and_fails_the_run() {
    for jobs in [1, 2] {
        let line = "run early_read.sass --grid 4 --block 64 --arg buffer:a:256:zero --check-hazards --section launch";
        warplab(&format!("{line} --jobs {jobs}")).code(1).stdout_eq(str![[r#"
...
address  instruction            source   hazard                                   after  instruction            times
   0040  IADD3 R5, R4, 0x1, RZ  line 12  R4 is read after 3 cycles, 4 are needed   0030  IADD3 R4, R4, 0x1, RZ      8
early_read: 1 hazard in 88 checked reads

"#]]);
    }
}

#[test]
fn a_clean_run_says_how_much_was_checked() {
    let line =
        "run scale.ptx --grid 1 --block 32 --arg buffer:x:4KiB:zero --arg f32:0 --check-hazards --csv raw";
    warplab(line).code(0).stderr_eq(str![[r#"
scale: no hazards in [..] checked reads

"#]]);
}

#[test]
fn minimum_stalls_stand_beside_the_latencies_of_the_machine() {
    warplab("listing early_read.sass --stalls").code(0).stdout_eq(str![[r#"
result  reader  minimum  pairs  table  verdict                     first seen
alu     alu           3      1      4  WRONG: the table is longer  early_read 0030 -> 0040
alu     lsu           5      1      5                              early_read 0040 -> 0050
2 rows, 1 of them longer in the table than in the code

"#]]);
}
