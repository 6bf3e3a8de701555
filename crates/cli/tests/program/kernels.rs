//! Files of which some kernels cannot run: the others do, and `check` says which and why.

use crate::common::warplab;
use snapbox::str;

#[test]
fn check_lists_every_kernel_with_all_reasons() {
    warplab("check two_kernels.ptx").code(1).stdout_eq(str![[r#"
two_kernels.ptx: PTX, 3 kernels, 9 instructions; 1 can run
  good can run
  calls_odd cannot run: 1 reason
    line 7: unknown instruction 'frobnicate'
  textured cannot run: 3 reasons
    line 32, line 33: instruction 'tex' is not supported
    line 34: instruction 'txq' is not supported

"#]]);
}

#[test]
fn check_writes_json_for_programs() {
    warplab("check two_kernels.ptx --json -").code(1).stderr_eq("").stdout_eq(str![[r#"
{
  "faults": [],
  "file": "two_kernels.ptx",
  "kernels": [
    {
      "name": "good",
      "reasons": [],
      "runs": true
    },
    {
      "name": "calls_odd",
      "reasons": [
        {
          "line": 7,
          "message": "unknown instruction 'frobnicate'"
        }
      ],
      "runs": false
    },
    {
      "name": "textured",
      "reasons": [
        {
          "line": 32,
          "message": "instruction 'tex' is not supported"
        },
        {
          "line": 33,
          "message": "instruction 'tex' is not supported"
        },
        {
          "line": 34,
          "message": "instruction 'txq' is not supported"
        }
      ],
      "runs": false
    }
  ]
}

"#]]);
}

#[test]
fn a_kernel_runs_beside_one_that_cannot() {
    warplab("run two_kernels.ptx --kernel good --grid 1 --block 32 --gpu toy --arg buffer:out:128:zero")
        .success();
    warplab("listing two_kernels.ptx --kernel good").success();
    warplab("run two_kernels.ptx --kernel calls_odd --grid 1 --block 32 --gpu toy")
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: unknown instruction 'frobnicate'
 --> two_kernels.ptx:7:5
  |
7 |     frobnicate.b32 %out, %in;
  |     ^^^^^^^^^^

"#]]);
}

#[test]
fn a_listing_of_all_kernels_names_those_that_are_left_out() {
    warplab("listing two_kernels.ptx").success().stderr_eq(str![[r#"
note: left out, because they cannot run (see 'warplab check two_kernels.ptx'): calls_odd, textured

"#]]);
}

#[test]
fn more_registers_than_a_machine_has_are_a_reason() {
    warplab("check many_registers.sass").code(1).stdout_eq(str![[r#"
  many cannot run: 1 reason
    many: 10000 registers per thread; NVIDIA H200 allows 255

"#]]);
}

#[test]
fn the_list_of_instructions_says_what_does_not_run() {
    let text = String::from_utf8(warplab("isa RRO").success().get_output().stdout.clone()).unwrap();
    assert!(text.contains("runs           no: it is read, and a kernel with it is refused"), "{text}");
    let text = String::from_utf8(warplab("isa LDG").success().get_output().stdout.clone()).unwrap();
    assert!(!text.contains("runs "), "{text}");
}
