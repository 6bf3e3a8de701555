//! Wrong usage: exit status 2 and a sentence that says what is possible.

use crate::common::warplab;
use snapbox::str;
use warplab_config::gpu::SchedulerPolicy;

#[test]
fn an_unknown_command() {
    warplab("frobnicate").code(2).stdout_eq("").stderr_eq(str![[r#"
error: unrecognized subcommand 'frobnicate'

Usage: warplab <COMMAND>

For more information, try '--help'.

"#]]);
}

#[test]
fn no_command() {
    warplab("").code(2).stdout_eq("");
}

#[test]
fn a_program_without_a_size() {
    warplab("run scale.ptx --grid 1").code(2).stdout_eq("").stderr_eq(str![[r#"
error: a program file needs --grid and --block, for example --grid 4096 --block 256

"#]]);
}

#[test]
fn stepping_without_a_terminal() {
    warplab("step scale.ron").code(2).stdout_eq("").stderr_eq(str![[r#"
error: 'warplab step' needs a terminal for its input and output; 'warplab run FILE --timeline' prints what every warp did

"#]]);
}

#[test]
fn an_unknown_machine() {
    warplab("run scale.ron --gpu h20").code(2).stdout_eq("").stderr_eq(str![[r#"
error: unknown machine 'h20'; did you mean 'h200'? known: [..]; or give the path of a .ron file

"#]]);
}

#[test]
fn an_unknown_section() {
    warplab("run scale.ron --section shedulers").code(2).stdout_eq("").stderr_eq(str![[r#"
error: unknown section 'shedulers'; did you mean 'scheduler'? known: speed-of-light, compute-workload, memory-workload, scheduler, warp-state, launch, occupancy, source-counters, littles-law, all

"#]]);
}

#[test]
fn an_unknown_scheduler() {
    let known = SchedulerPolicy::ALL.map(|policy| policy.option().to_owned()).join(", ");
    let said = format!(
        "error: invalid value 'gtoo' for '--scheduler <POLICY>'
  [possible values: {known}, rank(FORMULA)]

  tip: a similar value exists: 'gto'

For more information, try '--help'.
"
    );
    warplab("run scale.ron --scheduler gtoo").code(2).stdout_eq("").stderr_eq(said);
}

#[test]
fn a_change_of_what_is_not_there() {
    warplab("run scale.ron --set l2.kibs=3").code(2).stdout_eq("").stderr_eq(str![[r#"
error: unknown field 'kibs' of l2
 --> --set:1:4
  |
1 | l2.kibs=3
  |    ^^^^ not known
  |
  = help: did you mean 'kib'? allowed: atomic_interval, atomic_part_percent, atomic_pass_percent, atomic_repeat_percent, cleans_before_eviction, coalescer_sms, completion, dirty_lines, fetch_bytes, fill_latency, halves, hashed_sets, hit_latency, input_bytes, kib, link_bytes, link_latency, link_queue_bytes, miss_entries, miss_latency, partial_ways, replacement, slice_bytes, slice_hash, slice_table, slices_per_channel, ways, write_switch, write_to_pending, write_to_read

"#]]);
    warplab("run scale.ron --set l2.kib=many").code(2).stdout_eq("").stderr_eq(str![[r#"
error: l2.kib must be a whole number, not a name
 --> --set:1:8
  |
1 | l2.kib=many
  |        ^^^^ expected a whole number
  |
  = help: KiB of the whole cache.

"#]]);
    warplab("run scale.ron --set l2.kib").code(2).stdout_eq("").stderr_eq(str![[r#"
error: a change has the form PATH=VALUE
 --> --set:1:1
  |
1 | l2.kib
  | ^^^^^^
  |
  = help: for example multiprocessor.scheduler=gto

"#]]);
}

#[test]
fn sizes_that_are_none() {
    warplab("run scale.ptx --grid 0 --block 32").code(2).stdout_eq("").stderr_eq(str![[r#"
error: invalid value '0' for '--grid <SIZE>': '0' in '0' is not a positive whole number; dimensions are written 4096, 64x64 or 8,8,2

For more information, try '--help'.

"#]]);
    warplab("run scale.ptx --grid 1 --block 32 --shared 3KB").code(2).stdout_eq("").stderr_eq(str![[r#"
error: invalid value '3KB' for '--shared <SIZE>': unknown unit 'KB' of the size '3KB'; known: B, KiB, MiB, GiB, or elements such as x f32

For more information, try '--help'.

"#]]);
    warplab("run scale.ron --cycles 30..20").code(2).stdout_eq("").stderr_eq(str![[r#"
error: invalid value '30..20' for '--cycles <A..B>': the range of cycles 30..20 is empty

For more information, try '--help'.

"#]]);
}

#[test]
fn flags_that_a_launch_file_does_not_take() {
    warplab("run scale.ron --arg f32:2").code(2).stdout_eq("").stderr_eq(str![[r#"
error: --kernel, --arg, --buffer and --symbol are for program files; a launch file has its own kernel and arguments

"#]]);
}

#[test]
fn a_multiprocessor_that_is_not_there() {
    warplab("run scale.ron --timeline --timeline-sm 2").code(2).stdout_eq("").stderr_eq(str![[r#"
error: there is no multiprocessor 2; Toy has 2

"#]]);
}

#[test]
fn passes_that_are_none() {
    warplab("listing scale.ptx --passes shedule").code(2).stdout_eq("").stderr_eq(str![[r#"
error: unknown pass 'shedule'; did you mean 'schedule'? known: select, [..], control

"#]]);
    warplab("listing scale.ptx --passes -control").code(2).stdout_eq("").stderr_eq(str![[r#"
error: the pass 'control' cannot be left out: no program is right without it

"#]]);
}
