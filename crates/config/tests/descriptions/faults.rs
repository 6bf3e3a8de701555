//! What a person reads when a description is wrong.

use std::path::Path;
use warplab_config::gpu::SchedulerPolicy;
use warplab_config::{
    DescriptionKind, KernelResources, apply_override, load_gpu, load_lab, load_launch, occupancy,
};
use warplab_diagnostics::{Diagnostic, Source, render};

fn shipped(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs").join(path)).unwrap()
}

/// The faults of the H200 with some of its text replaced.
fn faults(changes: &[(&str, &str)]) -> Vec<Diagnostic> {
    let mut text = shipped("gpus/h200.ron");
    for (from, to) in changes {
        assert!(text.contains(from), "no {from}");
        text = text.replacen(from, to, 1);
    }
    load_gpu(&Source::new("mine.ron", text)).unwrap_err()
}

fn told(changes: &[(&str, &str)]) -> Vec<(String, String)> {
    faults(changes).into_iter().map(|fault| (fault.message, fault.help)).collect()
}

fn said(message: &str, help: &str) -> (String, String) {
    (message.to_owned(), help.to_owned())
}

#[test]
fn an_unknown_field_is_shown_with_the_nearest_right_one() {
    let text = shipped("gpus/h200.ron").replace("scheduler: oldest_block", "schedular: oldest_block");
    let source = Source::new("mine.ron", text);
    let faults = load_gpu(&source).unwrap_err();
    assert_eq!(
        render(&source, &faults[..1]),
        "error: unknown field 'schedular' of multiprocessor
  --> mine.ron:54:9
   |
54 |         schedular: oldest_block, // measured: core/blocks.txt (blocks), core/select.txt (warps of a block)
   |         ^^^^^^^^^ not known
   |
   = help: did you mean 'scheduler'? allowed: block_clusters, bulk_copies, constants, divergence, fences, instructions, issue, l1, latencies, mbarriers, memory_pipeline, pipes, register_file, scheduler, scheduler_seed, shared, starvation_interval, warpgroups
"
    );
    assert_eq!(faults[1].message, "missing field 'scheduler' of multiprocessor");
}

#[test]
fn a_missing_field_is_shown_at_its_group_with_what_it_is() {
    assert_eq!(told(&[("gib: 140,", "")]), [said("missing field 'gib' of dram", "gib: GiB in all.")]);
}

#[test]
fn a_wrong_type_says_what_was_expected() {
    assert_eq!(
        told(&[("kib: 60160", "kib: \"60 MB\"")]),
        [said("l2.kib must be a whole number, not a text", "KiB of the whole cache.")]
    );
    assert_eq!(
        told(&[("warps: 64,", "warps: 64.5,")])[0].0,
        "limits.warps must be a whole number, not a number with a fraction"
    );
    assert_eq!(told(&[("pipes: (", "pipes: [(")])[0].0, "expected ',' or ']', found ':'");
}

#[test]
fn a_number_out_of_range_says_its_bounds() {
    let crossbar = ("latency: 93,", "latency: 0,");
    let said_of_it = "Cycles each way. The chip advances in epochs of this length, or of twice it.";
    assert_eq!(told(&[crossbar]), [said("crossbar.latency is 0, but must be at least 1", said_of_it)]);
    assert_eq!(told(&[("ways: 16,", "ways: 5000,")])[0].0, "l2.ways is 5000, but must be at most 4096");
    assert_eq!(
        told(&[("fma: 4,", "fma: 70000,")])[0].0,
        "multiprocessor.latencies.fma is 70000, but must be at most 65535"
    );
    assert_eq!(
        told(&[("sub_partitions: 4", "sub_partitions: -4")])[0].0,
        "limits.sub_partitions is -4, but must be at least 1"
    );
}

#[test]
fn an_unknown_value_lists_the_known_ones() {
    let known = SchedulerPolicy::ALL.map(|policy| policy.name().to_owned()).join(", ");
    assert_eq!(
        told(&[("scheduler: oldest_block", "scheduler: gt")]),
        [said(
            "unknown value 'gt' of multiprocessor.scheduler",
            &format!("did you mean 'gto'? allowed: {known}, rank")
        )]
    );
}

#[test]
fn a_field_given_twice_is_shown_the_second_time() {
    let found = faults(&[("ways: 16,", "ways: 16, ways: 16,")]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].message.as_str(), found[0].label.as_str()),
        ("field 'ways' of l2 is given twice", "the second time")
    );
}

#[test]
fn all_faults_of_a_file_come_at_once() {
    let changes = [
        ("vendor: nvidia", "vendor: intel"),
        ("kib: 60160", "kilobytes: 60160"),
        ("queue: 48,", "queue: 0,"),
        ("runnable: true", "runnable: 1"),
    ];
    let messages: Vec<String> = told(&changes).into_iter().map(|(message, _)| message).collect();
    assert_eq!(
        messages,
        [
            "unknown value 'intel' of vendor",
            "runnable must be true or false, not a whole number",
            "unknown field 'kilobytes' of l2",
            "missing field 'kib' of l2",
            "dram.queue is 0, but must be at least 1",
        ]
    );
}

#[test]
fn all_faults_of_syntax_come_at_once() {
    let changes = [
        ("vendor: nvidia,", "vendor nvidia,"),
        ("warps: 64,", "warps: 64"),
        ("kib: 60160", "kib: 6O"),
        ("gib: 140", "gib: @"),
    ];
    let messages: Vec<String> = told(&changes).into_iter().map(|(message, _)| message).collect();
    assert_eq!(
        messages,
        [
            "expected ':', found 'n'",
            "expected ',' or ')', found 'b'",
            "'6O' is not a number",
            "expected a value, found '@'",
        ]
    );
}

#[test]
fn numbers_that_do_not_fit_each_other_are_shown_at_their_place() {
    let found = faults(&[
        ("write_low: 16", "write_low: 32"),
        ("fetch_bytes: 64", "fetch_bytes: 96"),
        ("channels: 94", "channels: 95"),
        ("[0, 8, 16,", "[8, 0, 16,"),
    ]);
    let messages: Vec<&str> = found.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "limits.shared_carveouts_kib: the sizes do not ascend",
            "l2.kib: 60160 KiB cannot be divided into 95 slices with sets of 16 lines",
            "l2.fetch_bytes: 96 bytes",
            "l2.halves: 95 partitions cannot be divided into 2 halves",
            "dram.write_low: 32 is not below dram.write_high, 32",
        ]
    );
}

#[test]
fn the_bits_that_choose_a_slice_must_number_the_groups_of_a_page() {
    let home = "l2.slice_hash.home_bits";
    let help = "ascending, each from 10 to 20: these bits number the groups of a page";
    assert_eq!(
        told(&[("[12, 13, 15, 17, 19]", "[9, 13, 21]")]),
        [said(&format!("{home}: bits [9, 13, 21]"), help)]
    );
    assert_eq!(
        told(&[("[12, 13, 15, 17, 19]", "[13, 12]")]),
        [said(&format!("{home}: bits [13, 12]"), help)]
    );
    assert_eq!(
        told(&[("[12, 13, 15, 17, 19]", "[]")]),
        [said(&format!("{home}: no bits"), "name at least one bit")]
    );
    assert_eq!(
        told(&[("[10, 11, 14, 16]", "[10, 10]")]),
        [said("l2.slice_hash.odd_chunk_bits: bits [10, 10]", help)]
    );
}

#[test]
fn chunks_groups_and_pages_of_slices_must_divide_each_other() {
    let help = "powers of two, at least two chunks in a group and 2 to 65536 groups in a page";
    let message = |sizes: &str| format!("l2.slice_hash: {sizes}");
    assert_eq!(
        told(&[("chunk_bytes: 256", "chunk_bytes: 1024")]),
        [said(&message("chunks of 1024 bytes, groups of 1024 bytes and pages of 2048 KiB"), help)]
    );
    assert_eq!(
        told(&[("chunk_bytes: 256", "chunk_bytes: 384")]),
        [said(&message("chunks of 384 bytes, groups of 1024 bytes and pages of 2048 KiB"), help)]
    );
    assert_eq!(
        told(&[("chunk_bytes: 256", "chunk_bytes: 64")])[0].0,
        "l2.slice_hash.chunk_bytes is 64, but must be at least 128"
    );
}

#[test]
fn pieces_of_a_row_must_be_lines_and_fit_it() {
    let help = "pieces of 128 bytes or a multiple, no more than a row holds";
    for (bytes, near, found) in [(192, 2, "2 pieces of 192 bytes"), (256, 5, "5 pieces of 256 bytes")] {
        let pieces = format!("pieces: (bytes: {bytes}, near: {near}),");
        let message = format!("dram.pieces: {found} in a row of 1024");
        assert_eq!(told(&[("pieces: (bytes: 256, near: 2),", &pieces)]), [said(&message, help)]);
    }
}

#[test]
fn a_table_of_slices_has_one_for_every_group_of_a_page() {
    assert_eq!(
        told(&[("            024618E720N4", "            4618E720N4")]),
        [said("l2.slice_table: 2046 slices", "give one for each of the 2048 groups of a page")]
    );
}

#[test]
fn two_halves_need_the_bits_that_choose_between_them() {
    let mut text = shipped("gpus/toy.ron");
    for (field, from, to) in
        [("halves", 1, 2), ("link_latency", 0, 5), ("link_bytes", 0, 32), ("channels", 1, 2)]
    {
        text = text.replace(&format!("{field}: {from},"), &format!("{field}: {to},"));
    }
    let faults = load_gpu(&Source::new("mine.ron", text)).unwrap_err();
    assert_eq!(faults[0].message, "l2.halves: 2 halves without l2.slice_hash");
    assert_eq!(faults[0].help, "say which bits of an address choose half and slice");
}

#[test]
fn a_cluster_says_how_far_each_of_its_tpcs_is() {
    assert_eq!(
        told(&[("distances: [10, 18, 6, 14], cpcs: [0, 1, 2, 0]", "distances: [10, 18, 6], cpcs: [0]")]),
        [
            said(
                "crossbar.clusters: 3 distances of the 4 TPCs of cluster 2",
                "give one for each TPC (crossbar.sms_per_tpc), or none"
            ),
            said(
                "crossbar.clusters: 1 CPCs of the 4 TPCs of cluster 2",
                "give one for each TPC (crossbar.sms_per_tpc), or none"
            )
        ]
    );
}

#[test]
fn sets_of_tag_banks_need_a_hash_of_banks_and_one_that_reaches_all_of_them() {
    let found = told(&[("            tag_hash: (low: 0x6f7ab5, high: 0x3ad5da),", "")]);
    let message = "multiprocessor.l1.tag_sets: sets of tag banks without a hash of banks";
    assert_eq!(found, [said(message, "give multiprocessor.l1.tag_hash too")]);
    for last in ["0x12a430", "0x200000"] {
        let message = "multiprocessor.l1.tag_sets.hash: some sets would never hold a line";
        let help = "masks of 21 bits, of which the lowest seven are no sum of those of others";
        assert_eq!(
            told(&[("0x5add2, 0x12a461]", &format!("0x5add2, {last}]"))]),
            [said(message, help)],
            "{last}"
        );
    }
}

#[test]
fn an_empty_file_and_a_binary_one_give_one_clear_message() {
    let message = |text: &str| {
        let faults = load_gpu(&Source::new("mine.ron", text)).unwrap_err();
        assert_eq!(faults.len(), 1);
        faults[0].message.clone()
    };
    assert_eq!(message(""), "the file is empty");
    assert_eq!(message("  // nothing\n"), "the file is empty");
    assert_eq!(message(&String::from_utf8_lossy(b"\x7fELF\x02\x01\x01\0\0\xff")), "this is not a text file");
    assert_eq!(message("(name: \"x\""), "this '(' is never closed");
    assert_eq!(message(&"(".repeat(100_000)), "brackets are nested too deeply");
}

#[test]
fn a_launch_is_checked_like_a_machine() {
    let saxpy = shipped("launches/saxpy.ron");
    let message = |from: &str, to: &str| {
        assert!(saxpy.contains(from), "no {from}");
        let source = Source::new("mine.ron", saxpy.replacen(from, to, 1));
        let faults = load_launch(&source).unwrap_err();
        (faults[0].message.clone(), source.text[faults[0].span.range()].to_owned())
    };
    let is = |message: &str, at: &str| (message.to_owned(), at.to_owned());
    assert_eq!(
        message("\"4MiB\"", "\"4MB\""),
        is(
            "arguments[2].buffer.size: unknown unit 'MB' of the size '4MB'; known: B, KiB, MiB, GiB, or elements such as x f32",
            "4MB"
        )
    );
    assert_eq!(message("(4096, 1, 1)", "(4096, 1)"), is("grid must have 3 values, not 2", "(4096, 1)"));
    assert_eq!(message("(4096, 1, 1)", "(4096, 0, 1)"), is("grid[1] is 0, but must be at least 1", "0"));
    assert_eq!(
        message("hash_f32(1)", "hash_f32"),
        is("'hash_f32' needs a whole number in brackets", "hash_f32")
    );
    assert_eq!(message("y0[i]", "z0[i]"), is("the formula reads 'z0', which is no buffer", "z0"));
    assert_eq!(
        message("y0[i])", "y0[i)"),
        is("expectations[0].all_close.expected.formula: expected ']', found ')'", ")")
    );
    assert_eq!(message("buffer: \"y\"", "buffer: \"w\""), is("no buffer is named 'w'", "\"w\""));
    assert_eq!(
        message("(256, 1, 1)", "(256, 8, 1)"),
        is("block: 2048 threads are more than any machine takes", "(256, 8, 1)")
    );
    assert_eq!(
        message("gpu: \"h200\",", "set: {\"l2.kibs\": \"3\"},"),
        is("no machine has 'l2.kibs'", "\"l2.kibs\"")
    );
}

#[test]
fn a_wrong_change_is_shown_in_the_change() {
    let gpu = Source::new("h200", shipped("gpus/h200.ron"));
    let shown = |assignment: &str| {
        let change = Source::new("--set", assignment);
        render(&change, &apply_override(&gpu, DescriptionKind::Gpu, &change).unwrap_err())
    };
    assert_eq!(
        shown("l2.kibs=3"),
        "error: unknown field 'kibs' of l2\n --> --set:1:4\n  |\n1 | l2.kibs=3\n  |    ^^^^ not known\n  |\n  = help: did you mean 'kib'? allowed: atomic_interval, atomic_part_percent, atomic_pass_percent, atomic_repeat_percent, cleans_before_eviction, coalescer_sms, completion, dirty_lines, fetch_bytes, fill_latency, halves, hashed_sets, hit_latency, input_bytes, kib, link_bytes, link_latency, link_queue_bytes, miss_entries, miss_latency, partial_ways, replacement, slice_bytes, slice_hash, slice_table, slices_per_channel, ways, write_switch, write_to_pending, write_to_read\n"
    );
    assert!(
        shown("multiprocessor.scheduler=fast")
            .starts_with("error: unknown value 'fast' of multiprocessor.scheduler\n --> --set:1:26\n")
    );
    assert!(shown("l2.kib.x=3").starts_with("error: l2.kib is a value and has no field 'x'"));
    assert!(shown("l2.kib=0").starts_with("error: l2.kib is 0, but must be at least 1"));
    assert!(shown("l2.kib").starts_with("error: a change has the form PATH=VALUE"));
    let launch = Source::new("saxpy", shipped("launches/saxpy.ron"));
    let set =
        |text: &str| apply_override(&launch, DescriptionKind::Launch, &Source::new("--set", text)).unwrap();
    assert_eq!(load_launch(&set("max_cycles=5000")).unwrap().max_cycles, Some(5000));
    assert_eq!(load_launch(&set("gpu=toy")).unwrap().gpu.as_deref(), Some("toy"));
    assert_eq!(load_launch(&set("dynamic_shared_bytes=4KiB")).unwrap().dynamic_shared_bytes.0, 4096);
}

#[test]
fn extreme_numbers_do_not_panic() {
    let text = shipped("gpus/h200.ron");
    for (line, number) in
        text.lines().filter_map(|line| Some((line, line.split(": ").nth(1)?.split(',').next()?)))
    {
        for extreme in ["0", "1", "63", "65535", "4294967295", "18446744073709551615", "1e308", "-1", "NaN"] {
            let changed = line.replacen(number, extreme, 1);
            let source = Source::new("extreme.ron", text.replacen(line, &changed, 1));
            if let Ok(gpu) = load_gpu(&source) {
                let kernel =
                    KernelResources { threads_per_block: 1024, registers: 255, ..KernelResources::default() };
                let _ = occupancy(&gpu.limits, &kernel);
            }
        }
    }
}

#[test]
fn a_lab_that_names_what_does_not_exist_is_told_what_does() {
    let changes = [
        ("run: \"one\", of: interval(\"FFMA\")", "run: \"on\", of: interval(\"FMADD\")"),
        ("multiprocessor.latencies.fma", "multiprocessor.latency.fma"),
        ("id: \"warps_slow\"", "id: \"warps\""),
        ("            at_least: Some(95),\n", ""),
    ];
    let mut text = shipped("labs/1-latency/lab.ron");
    for (from, to) in changes {
        assert!(text.contains(from), "no {from}");
        text = text.replacen(from, to, 1);
    }
    let faults = load_lab(&Source::new("lab.ron", text)).unwrap_err();
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "no run is named 'on'",
            "no machine instruction is named 'FMADD'",
            "two blanks of the worksheet are named 'warps'",
            "this check always holds",
            "no machine has 'multiprocessor.latency.fma'",
        ]
    );
    assert!(faults[0].help.starts_with("did you mean 'one'?"), "{}", faults[0].help);
}

#[test]
fn a_machine_that_would_need_more_than_the_budget_is_refused() {
    let combined = |kib: u32| format!("combined_kib: {kib},");
    assert_eq!(
        told(&[("combined_kib: 256,", &combined(u32::MAX))])[0].0,
        "multiprocessor.l1.combined_kib is 4294967295, but must be at most 1048576"
    );
    assert_eq!(
        told(&[("combined_kib: 256,", &combined(1_048_576))])[0],
        said(
            "multiprocessor.l1.combined_kib: all level-one caches have 1107296256 lines of 128 bytes, level two \
             481280: too many to simulate",
            "at most 33554432 lines in all"
        )
    );
    assert_eq!(
        told(&[("gib: 140,", "gib: 4294967295,")])[0].0,
        "dram.gib is 4294967295, but must be at most 4096"
    );
}

#[test]
fn latencies_that_do_not_fit_into_16_bits_are_refused_and_not_cut() {
    assert_eq!(
        told(&[("hit_latency: 31,", "hit_latency: 65569,")])[0].0,
        "multiprocessor.l1.hit_latency is 65569, but must be at most 65535"
    );
    assert_eq!(
        told(&[("latency: 23, // measured: chase_shared", "latency: 65565, // measured: chase_shared")])[0].0,
        "multiprocessor.shared.latency is 65565, but must be at most 65535"
    );
}

#[test]
fn two_hundred_thousand_unknown_fields_are_read_and_the_first_faults_shown() {
    let fields: String = (0..200_000).map(|at| format!("f{at}: 1,\n")).collect();
    let source = Source::new("many.ron", format!("({fields})"));
    let faults = load_launch(&source).unwrap_err();
    assert_eq!(faults.len(), 201);
    assert_eq!(faults[0].message, "unknown field 'f0' of the description");
    assert_eq!(faults[200].message, "there are more than 200 faults; the others are not shown");
}

#[test]
fn buffers_of_a_launch_fit_their_types_and_pointers_name_one() {
    let text = |arguments: &str| {
        let text = format!(
            "(program: \"p\", kernel: \"k\", grid: (1, 1, 1), block: (1, 1, 1), arguments: [{arguments}])"
        );
        let faults = load_launch(&Source::new("l.ron", text)).unwrap_err();
        (faults[0].message.clone(), faults[0].help.clone())
    };
    assert_eq!(
        text("buffer(name: \"x\", size: \"10 as i64\", init: zero)"),
        said(
            "buffer 'x' has 10 bytes",
            "a multiple of 8 bytes, the size of an i64, and at least one element"
        )
    );
    assert_eq!(
        text("buffer(name: \"x\", size: 4, init: zero), struct([i32(1), pointer(buffer: \"y\")])"),
        said("no buffer is named 'y'", "did you mean 'x'? allowed: x")
    );
    assert_eq!(
        text("array(\"f31\", [1.0])").0,
        "arguments[0].array[0]: 'f31' is no type of elements; known: i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, \
         f32, f64"
    );
    assert_eq!(
        text("bytes(\"00 8\")").0,
        "arguments[0].bytes: '00 8' is not bytes in hexadecimal; two digits make a byte: 00 00 80 3f"
    );
}

#[test]
fn a_text_that_goes_on_in_the_next_line_has_none_of_its_white_space() {
    let lab = load_lab(&Source::new("lab.ron", shipped("labs/3-dependences/lab.ron"))).unwrap();
    let question = &lab.predictions[3].question;
    assert!(question.ends_with("in which cycle does the last store issue?"), "{question}");
    let text = "(title: \"a\\\n   b \\\r\n\n\tc\", text: \"text.md\", runs: {})";
    assert_eq!(load_lab(&Source::new("lab.ron", text)).unwrap().title, "ab c");
}
