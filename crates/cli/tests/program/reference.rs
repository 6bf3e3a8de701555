//! Commands that look things up: occupancy, explain, isa, gpu, check, config, completions.

use crate::common::{fresh_folder, stdout, warplab, warplab_in};
use snapbox::str;

#[test]
fn occupancy_is_calculated_step_by_step() {
    warplab("occupancy --gpu h200 --block 256 --registers 63 --shared 17408").success().stdout_eq(str![[r#"
NVIDIA H200

step                                  calculation                                                                   result
warps per block                       256 threads / 32 lanes, rounded up                                                 8
blocks by warps                       64 warps / 8 warps per block                                                       8
blocks by block slots                 limit of the multiprocessor                                                       32
registers per warp                    63 registers x 32 lanes, rounded up to 256                                     2,048
warps per sub-partition by registers  16384 registers / 2048, rounded down                                               8
registers per block                   for 8 warps                                                                   16,384
blocks by registers                   65536 registers                                                                    4
bytes of shared memory per block      17408 static + 0 dynamic + 1024 reserved, rounded up to 128                   18,432
KiB of the shared carve-out           room for 8 blocks of 18432 bytes, if that is at most 132 KiB; for 4 at least     132
blocks by shared memory               135168 bytes / 18432 bytes per block                                               7
resident blocks                       the least of these                                                                 4
resident warps                        4 blocks x 8 warps                                                                32

occupancy 50.00 %: 32 of 64 warps, 4 blocks, limited by registers

block size  blocks  warps  occupancy %  limited by
        32      12     12        18.75  shared memory
        64      12     24        37.50  shared memory
       128       8     32        50.00  registers
      *256       4     32        50.00  registers
       512       2     32        50.00  registers
     1,024       1     32        50.00  registers, shared memory

"#]]).stderr_eq("");
}

#[test]
fn an_impossible_block_is_refused_after_the_calculation() {
    warplab("occupancy --gpu h200 --block 2048 --registers 32").code(2).stderr_eq(str![[r#"
error: NVIDIA H200 cannot run a block of 2048 threads; 1 to 1024 are possible

"#]]);
}

#[test]
fn stall_reasons_are_explained() {
    warplab("explain long_scoreboard").success().stdout_eq(str![[r#"
long_scoreboard (warp state, 'L' in timelines)
  The warp waits for a result of level one: a load of global or local memory, which may have to come
  from level two or DRAM. More warps, more independent loads per thread, better coalescing, and
  shared memory for what is used again hide or avoid it.
  metric: smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio

"#]]);
}

#[test]
fn metrics_are_explained_by_id_and_by_label() {
    warplab("explain l1tex__t_sector_hit_rate.pct").success().stdout_eq(str![[r#"
l1tex__t_sector_hit_rate.pct (metric: L1/TEX Hit Rate)
  How often level one had the sector, or had asked for it already. Atomic operations count as
  misses.
  formula: sectors found / sectors of loads, stores and atomic operations of global and local memory
  unit: %
  section: memory-workload

"#]]);
    warplab("explain smsp__inst_executed.sum").success().stdout_eq(str![[r#"
smsp__inst_executed.sum (metric: Executed Instructions)
  Instructions, each counted once for a warp.
  formula: warp instructions executed
  unit: inst
  section: compute-workload

"#]]);
}

#[test]
fn sections_and_schedulers_are_explained() {
    warplab("explain scheduler").success().stdout_eq(str![[r#"
scheduler (section: Scheduler Statistics)
  Each scheduler has a pool of resident (active) warps; those that can issue are eligible; one of
  them is taken each cycle. A cycle without an eligible warp is an issue slot lost.
  One or More Eligible                 smsp__issue_active.avg.pct_of_peak_sustained_active
  Issued Warp Per Scheduler            smsp__issue_active.avg.per_cycle_active
  No Eligible                          smsp__issue_inst0.avg.pct_of_peak_sustained_active
  Active Warps Per Scheduler           smsp__warps_active.avg.per_cycle_active
  Eligible Warps Per Scheduler         smsp__warps_eligible.avg.per_cycle_active
  Active Scheduler Cycles              smsp__cycles_active.sum

"#]]);
    warplab("explain gto").success().stdout_eq(str![[r#"
gto (scheduler)
  Greedy, then oldest: the warp that issued last while it can, else the oldest. Warps drift apart,
  so that their waits fall at different times, and a warp reuses what it brought into the cache.

"#]]);
}

#[test]
fn instructions_are_explained() {
    warplab("explain setp").success().stdout_eq(str![[r#"
setp (PTX): p = (a cmp b) op r, q = !(a cmp b) op r
  form           setp.op.type p|q, a, b, {r}
  types          u16 u32 u64 s16 s32 s64 b16 b32 b64 f16 f16x2 bf16 bf16x2 f32 f64
  one of         .eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan
  may have       .and .or .xor
  may have       .ftz
  becomes        ISETP FSETP DSETP HSETP2 LOP3 PRMT
  pipe           alu fp64 fp16
  latency class  predicate alu

"#]]);
    warplab("isa SHF").success().stdout_eq(str![[r#"
SHF (machine): d = funnel shift of c:a by b; .L left, .R right, .HI the upper half, .W the count wraps
  pipe           alu
  latency class  alu (fixed, by stall counts)

shf (PTX): d = funnel shift of b:a by c
  form           shf.{l,r}.{clamp,wrap}.type d, a, b, c
  types          b32
  one of         .l .r
  one of         .clamp .wrap
  becomes        SHF
  pipe           alu
  latency class  alu

"#]]);
    warplab("isa imad").success().stdout_eq(str![[r#"
IMAD (machine): d = a * b + c; .WIDE a 64-bit product and sum, .HI its upper half (c is 64 bits wide), .X with carry in; .MOV .SHL .IADD name special uses
  pipe           fma_heavy
  latency class  fma (fixed, by stall counts)

"#]]);
}

#[test]
fn a_slip_finds_the_nearest_name() {
    warplab("explain long_scorebord").code(2).stdout_eq("").stderr_eq(str![[r#"
error: nothing is known of 'long_scorebord'; did you mean 'long_scoreboard'?

"#]]);
    warplab("isa LDGG").code(2).stdout_eq("").stderr_eq(str![[r#"
error: no instruction is named 'LDGG'; did you mean 'LDG'?

"#]]);
    warplab("gpu show h20").code(2).stdout_eq("").stderr_eq(str![[r#"
error: unknown machine 'h20'; did you mean 'h200'? known: [..]; or give the path of a .ron file

"#]]);
}

#[test]
fn every_instruction_stands_in_the_lists() {
    let page = String::from_utf8(warplab("isa --markdown").success().get_output().stdout.clone()).unwrap();
    assert!(
        page.contains("| LDG | d = global memory at an address | lsu | global_load | variable |"),
        "{page}"
    );
    assert!(page.contains(
        "| popc.type d, a | b32 b64 | d = the number of bits set in a |  | POPC IADD3 | xu alu | transcendental alu |"
    ));
    let list = String::from_utf8(warplab("isa").success().get_output().stdout.clone()).unwrap();
    assert!(list.starts_with("PTX\n\nform") && list.contains("\nMachine\n\n"), "{list}");
}

#[test]
fn machines_are_listed_and_shown() {
    let list = String::from_utf8(warplab("gpu list").success().get_output().stdout.clone()).unwrap();
    assert!(list.contains("NVIDIA H200"), "{list}");
    let toy = String::from_utf8(warplab("gpu show toy").success().get_output().stdout.clone()).unwrap();
    assert!(toy.starts_with("Toy, 9.0\n\nMultiprocessor\n  multiprocessors"), "{toy}");
    for part in ["\nIssue\n  scheduler  ", "\nMemory\n  level one", "\nLaunch\n  multiprocessor clock  "] {
        assert!(toy.contains(part), "{toy}");
    }
    let ron = String::from_utf8(warplab("gpu show toy --ron").success().get_output().stdout.clone()).unwrap();
    assert!(ron.contains("name: \"Toy\","), "{ron}");
}

#[test]
fn files_without_faults_are_summed_up() {
    warplab("check scale.ptx")
        .success()
        .stdout_eq(str![[r#"
scale.ptx: PTX, 1 kernel, 10 instructions

"#]])
        .stderr_eq("");
    warplab("check scale.ron")
        .success()
        .stdout_eq(str![[r#"
scale.ron: a launch of scale

"#]])
        .stderr_eq("");
}

#[test]
fn every_fault_of_a_file_is_reported() {
    warplab("check unknown_opcode.ptx").code(1).stdout_eq("").stderr_eq(str![[r#"
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
unknown_opcode.ptx: 3 errors

"#]]);
    warplab("config check faults.ron").code(1).stdout_eq("").stderr_eq(str![[r#"
error: unknown field 'kernal' of the description
 --> faults.ron:3:5
  |
3 |     kernal: "scale",
  |     ^^^^^^ not known
  |
  = help: did you mean 'kernel'? allowed: arguments, block, buffers, cluster, dynamic_shared_bytes, expectations, fmad, gpu, grid, kernel, launches, max_cycles, nvcc_args, program, scheduler, set, symbols
error: grid must have 3 values, not 2
 --> faults.ron:4:11
  |
4 |     grid: (1, 1),
  |           ^^^^^^ 2 values
  |
  = help: Three numbers: (x, y, z).
error: arguments[0].buffer.size: unknown unit 'x f33' of the size '64 x f33'; known: B, KiB, MiB, GiB, or elements such as x f32
 --> faults.ron:6:42
  |
6 |     arguments: [buffer(name: "x", size: "64 x f33", init: ones)],
  |                                          ^^^^^^^^ here
error: unknown value 'ones' of arguments[0].buffer.init
 --> faults.ron:6:59
  |
6 |     arguments: [buffer(name: "x", size: "64 x f33", init: ones)],
  |                                                           ^^^^ not known
  |
  = help: allowed: zero, index_u32, index, hash_f32, hash_i32, hash_bits, chain, uniform, normal, file, values
error: missing field 'kernel' of the description
 --> faults.ron:1:1
  |
1 | (
  | ^ incomplete
  |
  = help: kernel: The name of the kernel in the program.

"#]]);
}

#[test]
fn schemas_are_printed_as_json() {
    for kind in ["gpu", "launch"] {
        let text = warplab(&format!("config schema {kind}")).success().get_output().stdout.clone();
        let schema: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(schema["type"], "object", "{kind}");
    }
}

#[test]
fn completions_are_written_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = warplab(&format!("completions {shell}")).success().get_output().stdout.clone();
        assert!(String::from_utf8_lossy(&script).contains("warplab"), "{shell}");
    }
}

#[test]
fn a_listing_shows_pipe_latency_and_source() {
    let text = warplab("listing scale.ptx").success().get_output().stdout.clone();
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("scale: "), "{text}");
    let load = text.lines().find(|line| line.contains("LDG.E")).unwrap();
    assert!(load.contains("lsu") && load.contains('~') && load.contains("line 16"), "{load}");
}

#[test]
fn a_plain_listing_reads_back_and_runs() {
    let text = warplab("listing scale.ptx --plain --gpu toy").success().get_output().stdout.clone();
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("scale.sass");
    std::fs::write(&file, text).unwrap();
    let line =
        format!("run {} --grid 1 --block 64 --gpu toy --arg buffer:x:256:zero --arg f32:2", file.display());
    warplab(&line).success().stderr_eq("");
}

#[test]
fn a_machine_is_shown_as_ron_after_its_changes() {
    let shown = warplab("config show toy --set multiprocessor.scheduler=gto --set l2.kib=512").success();
    let text = stdout(&shown);
    assert!(text.contains("\n        scheduler: gto,\n") && text.contains("\n        kib: 512,\n"), "{text}");
    let folder = fresh_folder("config_show");
    std::fs::write(folder.join("changed.ron"), &text).unwrap();
    assert_eq!(stdout(&warplab_in(&folder, "config show changed.ron").success()), text);
}
