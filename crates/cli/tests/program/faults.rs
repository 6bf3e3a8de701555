//! Everything that can be wrong with a kernel or a launch: each with its exact message and exit status.

use crate::common::warplab;
use snapbox::str;

#[test]
fn a_kernel_that_never_ends() {
    warplab("run forever.ptx --grid 1 --block 32 --gpu toy --max-cycles 5000")
        .code(1)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: forever: not done after 5000 cycles (0 of 1 blocks have ended)
  block 0 warp 0 waits at [..] (line 8) BRA [..]: branch_resolving

"#]]);
}

#[test]
fn a_kernel_that_never_ends_is_found_without_a_limit_too() {
    warplab("run forever.ptx --grid 1 --block 32 --gpu toy").code(1).stdout_eq("").stderr_eq(str![[r#"
error: forever: no further progress at cycle [..] (0 of 1 blocks have ended)
  block 0 warp 0 waits at [..] (line 8) BRA [..]: branch_resolving

"#]]);
}

#[test]
fn a_barrier_that_part_of_a_block_never_reaches() {
    warplab("run half_barrier.ptx --grid 1 --block 64 --gpu toy --max-cycles 5000")
        .code(1)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: half_barrier: not done after 5000 cycles (0 of 1 blocks have ended)
  block 0 warp 0 waits at [..] (line 13) BRA [..]: branch_resolving
  block 0 warp 1 waits at [..] (line 15) BAR.SYNC.DEFER_BLOCKING 0x0: barrier

"#]]);
}

#[test]
fn a_deadlock_of_two_barriers() {
    warplab("run never_arrives.ptx --grid 1 --block 64 --gpu toy").code(1).stdout_eq("").stderr_eq(str![[
        r#"
error: never_arrives: no further progress at cycle [..] (0 of 1 blocks have ended)
  block 0 warp 0 waits at [..] (line 12) BAR.SYNC.DEFER_BLOCKING 0x0, 0x40: barrier
  block 0 warp 1 waits at [..] (line 15) BAR.SYNC.DEFER_BLOCKING 0x1, 0x40: barrier

"#
    ]]);
}

#[test]
fn an_out_of_bounds_store() {
    warplab("run out_of_bounds.ptx --grid 1 --block 64 --gpu toy --arg buffer:out:128:zero")
        .code(1)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: out_of_bounds+[..] (line 14) STG.E [..]: block (0,0,0) thread (32,0,0): global access of 4 bytes at 0x7f0000000080 is out of bounds: 0 bytes past the end of 'out' (0x7f0000000000, 128 bytes)
  --> out_of_bounds.ptx:14:5
   |
14 |     st.global.u32 [%rd3], %r1;
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^ executed here

"#]]);
}

#[test]
fn a_missing_argument() {
    warplab("run scale.ptx --grid 1 --block 64 --gpu toy --arg buffer:x:256:zero").code(2).stderr_eq(str![[
        r#"
error: kernel 'scale' takes 2 arguments (x: u64, a: f32), 1 is given

"#
    ]]);
}

#[test]
fn a_wrong_type() {
    warplab("run scale.ptx --grid 1 --block 64 --gpu toy --arg buffer:x:256:zero --arg i32:2")
        .code(2)
        .stderr_eq(str![[r#"
error: argument 2 of kernel 'scale' is an i32, but its parameter is a: f32

"#]]);
}

#[test]
fn an_argument_that_is_none() {
    warplab("run scale.ptx --grid 1 --block 64 --arg bufer:x:256:zero").code(2).stderr_eq(str![[r#"
error: invalid value 'bufer:x:256:zero' for '--arg <ARGUMENT>': unknown type 'bufer' in 'bufer:x:256:zero'; did you mean 'buffer'? known: buffer, pointer, null, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, bits, struct, array, tensor, bytes, file

For more information, try '--help'.

"#]]);
}

#[test]
fn an_unknown_opcode() {
    warplab("run unknown_opcode.ptx --grid 1 --block 32").code(2).stdout_eq("").stderr_eq(str![[r#"
error: unknown instruction 'ad'
 --> unknown_opcode.ptx:8:5
  |
8 |     ad.s32 %r1, %r1, 1;
  |     ^^
  |
  = help: did you mean 'add'?
error: 'add' has no type
 --> unknown_opcode.ptx:9:5
  |
9 |     add.s33 %r1, %r1, 1;
  |     ^^^^^^^^^^^^^^^^^^^^
  |
  = help: types of 'add': .u16 .u32 .u64 .s16 .s32 .s64 .f16 .f16x2 .bf16 .bf16x2 .f32 .f64 .u16x2 .s16x2
error: unknown modifier '.s33' of 'add'
 --> unknown_opcode.ptx:9:8
  |
9 |     add.s33 %r1, %r1, 1;
  |        ^^^^
  |
  = help: did you mean '.s32'?

"#]]);
}

#[test]
fn ten_thousand_registers() {
    warplab("run many_registers.sass --grid 1 --block 32").code(2).stdout_eq("").stderr_eq(str![[r#"
error: many: 10000 registers per thread; NVIDIA H200 allows 255

"#]]);
    warplab("occupancy --block 32 --registers 10000").code(2).stderr_eq(str![[r#"
error: NVIDIA H200 cannot run 10000 registers per thread; at most 255 are possible

"#]]);
}

#[test]
fn a_block_of_2048_threads() {
    warplab("run scale.ptx --grid 1 --block 2048 --gpu toy --arg buffer:x:256:zero --arg f32:2")
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: scale: a block of 2048 x 1 x 1 = 2048 threads; Toy allows 1024

"#]]);
}

#[test]
fn an_empty_file() {
    warplab("run empty.ptx --grid 1 --block 32").code(2).stdout_eq("").stderr_eq(str![[r#"
error: file is empty
 --> empty.ptx:1:1
  |
1 |
  | ^
  |
  = help: PTX starts with '.version 9.0'

"#]]);
    warplab("run empty.ron").code(2).stdout_eq("").stderr_eq(str![[r#"
error: the file is empty
 --> empty.ron:1:1
  |
1 |
  | ^
  |
  = help: a description starts with '(' and holds fields: (name: "...", ...)

"#]]);
}

#[test]
fn a_binary_file() {
    warplab("run binary.ptx --grid 1 --block 32").code(2).stdout_eq("").stderr_eq(str![[r#"
error: this is not PTX text
 --> binary.ptx:1:1
  |
1 | ␡ELF␂␁␁3␇␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀
  | ^ a byte that no text holds
  |
  = help: a cubin or an object file must be disassembled first

"#]]);
    warplab("run binary.ron").code(2).stdout_eq("").stderr_eq(str![[r#"
error: this is not a text file
 --> binary.ron:1:1
  |
1 | ␡ELF␂␁␁3␇␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀
  | ^ a byte that no text has
  |
  = help: descriptions are RON, a text format

"#]]);
}

#[test]
fn a_file_that_is_not_there() {
    warplab("run nosuch.ptx --grid 1 --block 32").code(2).stdout_eq("").stderr_eq(str![[r#"
error: nosuch.ptx cannot be read: No such file or directory (os error 2)

"#]]);
}

#[test]
fn a_cuda_source_without_a_compiler() {
    warplab("run scale.cu --grid 1 --block 32").code(2).stdout_eq("").stderr_eq(str![[r#"
error: scale.cu: no nvcc in WARPLAB_NVCC, PATH, CUDA_HOME or the packages of python3; get one with 'pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl', or give the .ptx file

"#]]);
}

#[test]
fn an_unknown_kernel() {
    warplab("run scale.ptx --kernel scales --grid 1 --block 32").code(2).stdout_eq("").stderr_eq(str![[r#"
error: there is no kernel 'scales'; did you mean 'scale'? the program has: scale

"#]]);
}

#[test]
fn a_machine_without_a_model() {
    warplab("run scale.ptx --grid 1 --block 32 --gpu gt200 --set runnable=false")
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: NVIDIA GT200 (Tesla C1060) cannot run kernels: it has limits only; see 'warplab gpu list'

"#]]);
}

#[test]
fn an_expectation_that_fails() {
    warplab("run scale.ron --section launch")
        .code(1)
        .stdout_eq(str![[r#"
  scale (1, 1, 1)x(64, 1, 1), Context 1, Stream 7, Device 0 (Toy), CC 9.0
    Code: PTX, through the simulator's own compiler
    Section: Launch Statistics
    -------------------------------- --------------- ------------
    Metric Name                          Metric Unit Metric Value
    -------------------------------- --------------- ------------
    Block Size                                                 64
    Grid Size                                                   1
    Registers Per Thread             register/thread            9
    Shared Memory Configuration Size           Kbyte       233.47
    Driver Shared Memory Per Block        byte/block            0
    Dynamic Shared Memory Per Block       byte/block            0
    Static Shared Memory Per Block        byte/block            0
    # SMs                                         SM            2
    Threads                                   thread           64
    Waves Per SM                                             0.12
    -------------------------------- --------------- ------------

    OPT   The grid has 1 block for 2 multiprocessors: nothing to do for 1 of them. Use more, smaller blocks.

expectation x: FAILED (63 of 64 elements differ, max relative error 1.0e0; first at 1: 0, expected 1)
    index  expected  found
        1         1      0
        2         2      0
        3         3      0
        4         4      0
        5         5      0
        6         6      0
        7         7      0
        8         8      0
        9         9      0
       10        10      0

"#]])
        .stderr_eq("");
}

#[test]
fn a_cubin_without_a_disassembler() {
    warplab("run ../../../sass/tests/small.cubin --kernel mix --grid 1 --block 32")
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: ../../../sass/tests/small.cubin: no nvdisasm in WARPLAB_NVDISASM, PATH, CUDA_HOME or the packages of python3; get one with 'pip install nvidia-cuda-nvdisasm'

"#]]);
}
